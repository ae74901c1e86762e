//! The folder of a study that is measured: which it is, and what came of it.

use crate::output::replace_file;
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use shakedown_report::study_markdown;
use shakedown_study::{StudyJudgement, StudyMode, VERDICTS_FILE};
use std::{
    fs,
    path::{Path, PathBuf},
};

const FILE: &str = "study.json";

/// What is measured in a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct MeasuredStudy {
    pub study: String,
    pub mode: StudyMode,
}

impl MeasuredStudy {
    /// Takes a folder for a study.
    pub fn create(&self, folder: &Path) -> Result<()> {
        if folder.join(FILE).exists() {
            bail!(
                "{0} holds a study already: finish it with `shakedown study --resume {0}`, or choose another folder with --out",
                folder.display()
            );
        }
        fs::create_dir_all(folder).with_context(|| format!("can't create {}", folder.display()))?;
        replace_file(&folder.join(FILE), serde_json::to_string_pretty(self)? + "\n")
    }

    /// Reads what a folder holds.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(FILE);
        let text = fs::read_to_string(&path)
            .with_context(|| format!("can't read {}: no study was begun there", path.display()))?;
        serde_json::from_str(&text).with_context(|| path.display().to_string())
    }
}

/// Writes the verdicts, and returns their files.
pub(super) fn write_verdicts(judgement: &StudyJudgement, folder: &Path) -> Result<Vec<PathBuf>> {
    let json = serde_json::to_string_pretty(judgement)? + "\n";
    let texts = [(VERDICTS_FILE, json), ("verdicts.md", study_markdown(judgement))];
    let mut files = Vec::new();
    for (name, text) in texts {
        let path = folder.join(name);
        replace_file(&path, text)?;
        files.push(path);
    }
    Ok(files)
}
