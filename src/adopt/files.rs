//! The files that a repository gets: workflows, policy, checklist.

use super::{Adoption, CHECK, LABEL, POLICY, QUEUE, actions, workflow_path};
use crate::{
    exit::{CommandError, Exit},
    project::ProjectRoot,
};
use anyhow::{Context, Result};
use sha1::{Digest, Sha1};
use std::{fs, path::Path};

/// Where the checklist goes.
pub const CHECKLIST: &str = ".github/shakedown.md";

/// A file to write: its path in the repository, and its text.
#[derive(Debug, PartialEq, Eq)]
pub struct AdoptedFile {
    /// Path in the repository.
    pub path: String,
    /// Text.
    pub text: String,
}

impl AdoptedFile {
    /// The id that git gives its content, as the forge knows it.
    pub fn blob_id(&self) -> String {
        let mut digest = Sha1::new_with_prefix(format!("blob {}\0", self.text.len()));
        digest.update(&self.text);
        digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The files of an adoption.
///
/// # Errors
/// A project without them.
pub fn files(root: &ProjectRoot, adoption: &Adoption) -> Result<Vec<AdoptedFile>> {
    let read = |path: &str| {
        let file = root.path().join(path);
        fs::read_to_string(&file).with_context(|| format!("can't read {}", file.display()))
    };
    let mut all = Vec::new();
    for name in adoption.workflows() {
        let path = workflow_path(name);
        let text = read(&path)?;
        all.push(AdoptedFile { path, text });
    }
    let list: String =
        actions::used(&all).iter().map(|action| format!("      {action},\n")).collect();
    all.push(AdoptedFile { path: POLICY.to_owned(), text: read("thresholds/pr.toml")? });
    all.push(AdoptedFile { path: CHECKLIST.to_owned(), text: checklist(adoption, &list) });
    Ok(all)
}

/// Writes the files into a checkout. Returns the paths of those that are new or other than before.
///
/// # Errors
/// A file that differs, unless `force`: then nothing is written at all.
pub fn write(folder: &Path, files: &[AdoptedFile], force: bool) -> Result<Vec<String>> {
    let text = |file: &AdoptedFile| fs::read_to_string(folder.join(&file.path)).ok();
    let changed = files.iter().filter(|file| text(file).as_ref() != Some(&file.text));
    let changed: Vec<&AdoptedFile> = changed.collect();
    if let Some(other) = changed.iter().find(|file| folder.join(&file.path).exists() && !force) {
        let reason = format!("{} exists and differs: give --force to replace it", other.path);
        return Err(CommandError::new(Exit::Input, reason).into());
    }
    for file in &changed {
        let path = folder.join(&file.path);
        let above = path.parent().unwrap_or(folder);
        fs::create_dir_all(above)
            .and_then(|()| fs::write(&path, &file.text))
            .with_context(|| format!("can't write {}", path.display()))?;
    }
    Ok(changed.into_iter().map(|file| file.path.clone()).collect())
}

/// What is left to do by hand, with the commands.
fn checklist(adoption: &Adoption, actions: &str) -> String {
    let Adoption { repo, stack, tool, commit, merge_queue } = adoption;
    let queue = if *merge_queue {
        format!("`{QUEUE}` sets it on the queue's commits.")
    } else {
        format!(
            "A merge queue needs `{QUEUE}` as well: run `shakedown adopt` again with --merge-queue."
        )
    };
    format!(
        "# Setting up Shakedown for {repo}

Written by `shakedown adopt`. `shakedown adopt {repo} --check` says what of this is missing; delete this
file when nothing is.

- [ ] Commit the files that came with this one, and merge them into the default branch. Keep their names.
- [ ] Say which tool judges, and what is measured. Update the commit deliberately:

      gh variable set SHAKEDOWN_REPOSITORY --repo {repo} --body {tool}
      gh variable set SHAKEDOWN_REF --repo {repo} --body {commit}
      gh variable set BENCH_STACK --repo {repo} --body '{stack}'
      gh variable set BENCH_POLICY --repo {repo} --body {POLICY}

- [ ] Make the label that asks for a measurement:

      gh label create {LABEL} --repo {repo}

- [ ] Let jobs read by default, and approve the workflow runs of everybody from outside:

      gh api -X PUT repos/{repo}/actions/permissions/workflow \\
        -f default_workflow_permissions=read -F can_approve_pull_request_reviews=false
      gh api -X PUT repos/{repo}/actions/permissions/fork-pr-contributor-approval \\
        -f approval_policy=all_external_contributors

- [ ] Only where actions are on an allow-list (Settings, Actions, General, of the repository or of its
      organization): add these lines to \"Allow specified actions and reusable workflows\". Actions of GitHub
      may be allowed as a whole instead; `benchmark-action` is for `BENCH_CHART` only:

{actions}
- [ ] Install a host, from a clone of {tool} on it. `token` holds a fine-grained token for {repo} with
      *Administration: write*; docs/operating.md has the way with a GitHub App, and the one with an
      organization's runner group (`--org`, `--runner-group`):

      sudo runner-setup/install.sh --repo {repo} --token-file token --labels {LABEL},{LABEL}-1
      sudo reboot
      shakedown host check

- [ ] Start the first night, and look at its run:

      gh variable set BENCH_HOSTS --repo {repo} --body '{LABEL}-1'
      gh workflow run nightly.yml --repo {repo}

- [ ] Open a pull request. Once its check `{CHECK}` is as you want it, require it: Settings, Rules, a rule
      for the default branch, \"Require status checks to pass\", `{CHECK}` from GitHub Actions. {queue}
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_of_git() {
        let of = |text: &str| AdoptedFile { path: String::new(), text: text.to_owned() }.blob_id();
        // printf 'what is up, doc?' | git hash-object --stdin
        assert_eq!(of("what is up, doc?"), "bd9dbf5aae1a3862dd1526723246b20206e5fc37");
        assert_eq!(of(""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
    }

    #[test]
    fn what_is_there_is_not_replaced_unless_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let file =
            |path: &str, text: &str| AdoptedFile { path: path.to_owned(), text: text.to_owned() };
        let first = [file("a/b.yml", "1"), file("c.md", "2")];
        assert_eq!(write(folder.path(), &first, false).unwrap(), ["a/b.yml", "c.md"]);
        assert_eq!(write(folder.path(), &first, false).unwrap(), [""; 0], "nothing to do");
        let second = [file("new.yml", "3"), file("c.md", "4")];
        let said = write(folder.path(), &second, false).unwrap_err().to_string();
        assert!(said.contains("c.md exists") && said.contains("--force"), "{said}");
        assert!(!folder.path().join("new.yml").exists(), "nothing is written halfway");
        assert_eq!(write(folder.path(), &second, true).unwrap(), ["new.yml", "c.md"]);
    }
}
