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
    use std::collections::{BTreeMap, BTreeSet};

    /// The table of all published claims names the study of each, and each study's claims are in it.
    #[test]
    fn each_published_claim_belongs_to_a_study() {
        let root = ProjectRoot::find().unwrap();
        let studies = known(&root).unwrap();
        let mut measured: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for study in &studies {
            for claim in study.claims.iter().filter(|claim| claim.id.contains('.')) {
                measured.entry(claim.id.clone()).or_default().insert(study.name.clone());
            }
        }
        let page = fs::read_to_string(root.path().join("docs/studies/README.md")).unwrap();
        let mut listed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for line in page.lines().filter(|line| line.starts_with("| ")) {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let (id, studies) = (cells[0], cells[cells.len() - 1]);
            if id.chars().next().is_some_and(|c| c.is_ascii_digit()) {
                let names = studies.split('`').skip(1).step_by(2).map(str::to_owned);
                listed.insert(id.to_owned(), names.collect());
            }
        }
        assert_eq!(listed, measured);
        let of_source = |source: &str| listed.keys().filter(|id| id.starts_with(source)).count();
        // 9 of the first source, 16, 13, 6 and 11 of the others.
        assert_eq!(["0.", "1.", "2.", "3.", "4."].map(of_source), [9, 16, 13, 6, 11]);
    }
}
