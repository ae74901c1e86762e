//! The verdicts of studies: one small file for each measured study, which never changes.

use crate::{
    AddOutcome, RunName, Store, StoreError, canonical,
    files::{self, months},
    manifest::{self, FileName},
    store::STARTS_AHEAD,
};
use serde::Deserialize;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};

/// The name of a study's verdicts: that of a run, in a list of its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct StudyName(RunName);

impl FileName for StudyName {
    const LISTS: &'static str = "manifest/studies";

    fn digest(&self) -> &str {
        self.0.digest()
    }

    fn month(&self) -> String {
        self.0.month()
    }
}

impl FromStr for StudyName {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<Self, StoreError> {
        let wrong = |_| StoreError::Question(format!("`{text}` is not the name of a study"));
        text.parse().map(Self).map_err(wrong)
    }
}

impl fmt::Display for StudyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What the history must know of a study's verdicts; the rest is kept as it is.
#[derive(Debug, Deserialize)]
struct StudyStamp {
    study: String,
    mode: String,
    started_ms: Option<u64>,
    host: StudyEpoch,
}

#[derive(Debug, Deserialize)]
struct StudyEpoch {
    epoch: String,
}

/// The verdicts of a study, as the history keeps them.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredStudy {
    /// Name of the study.
    pub study: String,
    /// Whether it was measured in the form that decides.
    pub full: bool,
    /// Start, in milliseconds since 1970 UTC.
    pub started_ms: u64,
    /// Host epoch.
    pub epoch: String,
    /// All of it, as JSON.
    pub judgement: Value,
}

impl StoredStudy {
    /// # Errors
    /// Says what is wrong with the text.
    fn parse(text: &str) -> Result<Self, String> {
        let judgement: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let stamp = StudyStamp::deserialize(&judgement).map_err(|error| error.to_string())?;
        let started_ms = stamp.started_ms.ok_or("nothing of it was measured")?;
        let full = match stamp.mode.as_str() {
            "full" => true,
            "tiny" => false,
            other => return Err(format!("`{other}` is no form of a study")),
        };
        Ok(Self { study: stamp.study, full, started_ms, epoch: stamp.host.epoch, judgement })
    }
}

impl Store {
    /// Adds the verdicts of a study, as JSON that the caller has checked. Adding them twice changes
    /// nothing. `now_ms`: the current time, in milliseconds since 1970 UTC.
    ///
    /// # Errors
    /// [`StoreError::Refused`] for a text that holds no measured study; `quarantine/` keeps a copy with
    /// the reason. Other errors come from the file system.
    pub fn add_study(&self, text: &str, now_ms: u64) -> Result<AddOutcome, StoreError> {
        let refuse = |reason: &str| Err(self.refuse(text.as_bytes(), reason));
        let study = match StoredStudy::parse(text) {
            Ok(study) => study,
            Err(reason) => return refuse(&reason),
        };
        if Self::is_ahead(study.started_ms, now_ms) {
            return refuse(STARTS_AHEAD);
        }
        let canonical = canonical::text(&study.judgement);
        let digest = canonical::sha256(canonical.as_bytes());
        let name = StudyName(RunName::new(study.started_ms, &study.epoch, &digest)?);
        let _lock = self.lock()?;
        let path = self.study_folder(&name.month()).join(format!("{name}.json"));
        let new = !path.exists();
        if read(&path).is_err() {
            files::write_atomically(&self.scratch(), &path, canonical.as_bytes())?;
        }
        manifest::add(self.root(), &manifest::list_of(&name.month()), &[(name.clone(), digest)])?;
        Ok(AddOutcome { name: name.0, new, warnings: Vec::new() })
    }

    /// The newest verdicts of each study: in the form that decides, if there are such ones.
    ///
    /// # Errors
    /// Names the file that can't be read.
    pub fn newest_studies(&self) -> Result<Vec<StoredStudy>, StoreError> {
        let mut newest: BTreeMap<String, StoredStudy> = BTreeMap::new();
        for month in months(&self.root().join("studies"))? {
            let folder = self.study_folder(&month);
            for file in files::names(&folder)? {
                let (_, study, _) = read(&folder.join(file))?;
                let worth = |one: &StoredStudy| (one.full, one.started_ms);
                if newest.get(&study.study).is_none_or(|known| worth(known) < worth(&study)) {
                    newest.insert(study.study.clone(), study);
                }
            }
        }
        Ok(newest.into_values().collect())
    }

    /// Folder of the studies of a month such as `2026/11`.
    pub(crate) fn study_folder(&self, month: &str) -> PathBuf {
        self.root().join("studies").join(month)
    }
}

/// Reads verdicts and checks them against their name. Returns the digest too.
pub(crate) fn read(path: &Path) -> Result<(StudyName, StoredStudy, String), StoreError> {
    manifest::read_named(path, "a study", StoredStudy::parse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::NOW;
    use serde_json::json;
    use std::fs;

    fn verdicts(study: &str, mode: &str, started_ms: u64) -> String {
        json!({ "study": study, "mode": mode, "started_ms": started_ms, "host": { "epoch": "e1" }, "claims": [] })
            .to_string()
    }

    fn history() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open_or_create(folder.path()).unwrap();
        (folder, store)
    }

    #[test]
    fn the_newest_that_decides_stands_for_a_study() {
        let (_folder, store) = history();
        let day = 86_400_000;
        for (mode, days) in [("full", 3), ("full", 2), ("tiny", 1)] {
            let text = verdicts("journey", mode, NOW - days * day);
            assert!(store.add_study(&text, NOW).unwrap().new);
            assert!(!store.add_study(&text, NOW).unwrap().new, "twice is once");
        }
        store.add_study(&verdicts("bertie", "tiny", NOW - day), NOW).unwrap();
        let newest = store.newest_studies().unwrap();
        let shown: Vec<_> = newest
            .iter()
            .map(|one| (one.study.as_str(), one.full, (NOW - one.started_ms) / day))
            .collect();
        assert_eq!(shown, [("bertie", false, 1), ("journey", true, 2)]);
        assert_eq!(store.verify(false).unwrap().studies, 4);
    }

    #[test]
    fn what_is_no_measured_study_is_refused() {
        let (_folder, store) = history();
        let future = verdicts("x", "full", NOW + 10 * 86_400_000);
        let unmeasured = r#"{"study":"x","mode":"full","started_ms":null,"host":{"epoch":"e"}}"#;
        for text in ["", "[]", "{}", unmeasured, &verdicts("x", "huge", NOW), &future] {
            assert!(
                matches!(store.add_study(text, NOW), Err(StoreError::Refused { .. })),
                "{text}"
            );
        }
        assert!(store.newest_studies().unwrap().is_empty());
    }

    #[test]
    fn a_changed_file_and_a_missing_one_are_found() {
        let (folder, store) = history();
        store.add_study(&verdicts("a", "full", NOW), NOW).unwrap();
        store.add_study(&verdicts("b", "full", NOW), NOW).unwrap();
        let month = files::months(&folder.path().join("studies")).unwrap().remove(0);
        let files = files::names(&store.study_folder(&month)).unwrap();
        let paths: Vec<_> =
            files.iter().map(|name| store.study_folder(&month).join(name)).collect();
        let text = fs::read_to_string(&paths[0]).unwrap();
        fs::write(&paths[0], text.replace("full", "tiny")).unwrap();
        fs::remove_file(&paths[1]).unwrap();
        assert!(store.newest_studies().is_err());
        let found = store.verify(true).unwrap();
        assert_eq!((found.studies, found.problems.len()), (0, 3), "{found:?}");
        assert!(store.newest_studies().unwrap().is_empty(), "the changed one was put aside");
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_parsing_panic(text in ".{0,80}") {
            let _ = StoredStudy::parse(&text);
        }
    }
}
