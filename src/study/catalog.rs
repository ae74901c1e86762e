//! The studies of the catalog.

use crate::project::ProjectRoot;
use anyhow::{Context, Result, bail, ensure};
use shakedown_study::Study;
use std::{fs, path::Path};

/// Names that mean something else on the command line.
const RESERVED: [&str; 1] = ["list"];

/// All studies, by name.
///
/// # Errors
/// The first file that can't be read, or has a mistake.
pub fn known(root: &ProjectRoot) -> Result<Vec<Study>> {
    let folder = root.catalog().join("studies");
    let entries =
        fs::read_dir(&folder).with_context(|| format!("can't read {}", folder.display()))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.with_context(|| format!("can't read {}", folder.display()))?.path();
        files.extend((path.extension().is_some_and(|ending| ending == "toml")).then_some(path));
    }
    files.sort();
    files.iter().map(|path| read(path)).collect()
}

/// The study of this name.
///
/// # Errors
/// If there is none; the error names those there are.
pub fn load(root: &ProjectRoot, name: &str) -> Result<Study> {
    let all = known(root)?;
    let names: Vec<&str> = all.iter().map(|study| study.name.as_str()).collect();
    let Some(index) = names.iter().position(|known| *known == name) else {
        bail!("unknown study `{name}`; known: {}", names.join(", "));
    };
    all.into_iter().nth(index).context("the study is gone")
}

fn read(path: &Path) -> Result<Study> {
    let text =
        fs::read_to_string(path).with_context(|| format!("can't read {}", path.display()))?;
    let study = Study::parse(&text).with_context(|| path.display().to_string())?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    ensure!(
        study.name == stem && !RESERVED.contains(&&*study.name),
        "{}: name is `{}`, the file's name says `{stem}`",
        path.display(),
        study.name
    );
    Ok(study)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_study::Claim;

    /// A line of the table of published claims.
    fn line(study: &Study, claim: &Claim) -> String {
        let measured = match &claim.not_measured {
            Some(why) => format!("no: {why}"),
            None if claim.needs.cpus > 0 => format!("with {} CPUs", claim.needs.cpus),
            None if !claim.needs.cpu_features.is_empty() => {
                format!("with {}", claim.needs.cpu_features.join(", "))
            }
            None => "yes".to_owned(),
        };
        let ours = claim.ours.as_ref().map_or_else(String::new, |ours| format!(". Ours: {ours}"));
        format!("| {} | {} | {measured}{ours} | `{}` |", claim.id, claim.text, study.name)
    }

    #[test]
    fn the_table_of_published_claims_says_what_the_studies_say() {
        let root = ProjectRoot::find().unwrap();
        let mut expected: Vec<(Vec<u32>, String)> = Vec::new();
        for study in known(&root).unwrap() {
            for claim in study.claims.iter().filter(|claim| claim.id.contains('.')) {
                let id = claim.id.split('.').map(|part| part.parse().unwrap()).collect();
                expected.push((id, line(&study, claim)));
            }
        }
        expected.sort();
        let of_source = |source: u32| expected.iter().filter(|(id, _)| id[0] == source).count();
        // 9 of the first source, 16, 13, 6 and 11 of the others.
        assert_eq!([0, 1, 2, 3, 4].map(of_source), [9, 16, 13, 6, 11]);
        let expected: Vec<&str> = expected.iter().map(|(_, line)| line.as_str()).collect();
        let page = fs::read_to_string(root.path().join("docs/studies/README.md")).unwrap();
        let is_claim = |line: &&str| {
            let id = line.strip_prefix("| ").unwrap_or_default();
            id.starts_with(|c: char| c.is_ascii_digit())
        };
        let listed: Vec<&str> = page.lines().filter(is_claim).collect();
        assert_eq!(listed.join("\n"), expected.join("\n"));
    }
}
