//! Checks that everything stored is still there, bit for bit.

use crate::{
    RunName, Store, StoreError, canonical,
    change::{self, DecisionName},
    files,
    manifest::{self, FileName, ManifestEntries},
    pack::{checked, read_loose, read_pack},
    studies::{self, StudyName},
};
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProblemKind {
    /// A listed run or decision is missing.
    Missing,
    /// A file is truncated, or its content contradicts its name or the manifest.
    Damaged,
    /// A line of the manifest is malformed.
    Manifest,
    /// A file that does not belong to the history.
    Foreign,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// What kind.
    pub kind: ProblemKind,
    /// File or run, below the history's folder.
    pub what: String,
    /// In words.
    pub reason: String,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// Intact runs.
    pub whole: usize,
    /// Intact decisions about changes.
    pub decisions: usize,
    /// Intact verdicts of studies.
    pub studies: usize,
    /// Intact files of a killed writer that the manifest lacked; now it lists them.
    pub listed_now: usize,
    /// Intact files that could not be added to the manifest, for example because the disk is full.
    /// The next writer lists them.
    pub unlisted: usize,
    /// The problems, in the order of the files.
    pub problems: Vec<Problem>,
}

impl Store {
    /// Reads every run, every decision and every study and checks it against its name and the manifest. With
    /// `quarantine`, damaged files are moved to `quarantine/` with the reason, so that a whole
    /// copy can be added or pulled again.
    ///
    /// # Errors
    /// If files can't be read at all; what is wrong with their content is in the result.
    pub fn verify(&self, quarantine: bool) -> Result<Verified, StoreError> {
        // A read-only history has no writers to wait for.
        let _lock = match self.lock() {
            Err(error) if error.is_read_only() && !quarantine => None,
            other => Some(other?),
        };
        let mut found = Verified::default();
        for month in self.months_of::<RunName>("runs")? {
            let whole = self.whole_runs(&month, quarantine, &mut found)?;
            found.whole += whole.len();
            self.hold_against_list(&month, &whole, quarantine, &mut found)?;
        }
        for month in self.months_of::<DecisionName>("changes")? {
            let read = |path: &Path| change::read(path).map(|(name, _, digest)| (name, digest));
            let folder = change::folder(self, &month);
            let whole = self.whole_files(&folder, &month, read, quarantine, &mut found)?;
            found.decisions += whole.len();
            self.hold_against_list(&month, &whole, quarantine, &mut found)?;
        }
        for month in self.months_of::<StudyName>("studies")? {
            let read = |path: &Path| studies::read(path).map(|(name, _, digest)| (name, digest));
            let folder = self.study_folder(&month);
            let whole = self.whole_files(&folder, &month, read, quarantine, &mut found)?;
            found.studies += whole.len();
            self.hold_against_list(&month, &whole, quarantine, &mut found)?;
        }
        Ok(found)
    }

    /// The months that have files below `folder`, or a list of them.
    fn months_of<N: FileName>(&self, folder: &str) -> Result<BTreeSet<String>, StoreError> {
        let mut months: BTreeSet<String> =
            files::months(&self.root().join(folder))?.into_iter().collect();
        let listed = manifest::months::<N>(self.root())?;
        months.extend(listed.iter().map(|month| month.replace('-', "/")));
        Ok(months)
    }

    /// Compares what is there with what must be, and lists what a killed writer left unlisted.
    fn hold_against_list<N: FileName>(
        &self,
        month: &str,
        whole: &ManifestEntries<N>,
        quarantine: bool,
        found: &mut Verified,
    ) -> Result<(), StoreError> {
        let key = manifest::list_of(month);
        let listed = match manifest::read_month::<N>(self.root(), &key) {
            Ok(listed) => listed,
            // A month whose list can't be read is left for a person to mend.
            Err(StoreError::Line { path, line, reason }) => {
                let reason = format!("line {line}: {reason}");
                found.problems.push(self.problem(ProblemKind::Manifest, &path, &reason));
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let mut unlisted = Vec::new();
        for (name, digest) in whole {
            match listed.get(name) {
                Some(wanted) if wanted == digest => {}
                Some(_) => {
                    let reason = "it differs from the manifest".to_owned();
                    let what = name.to_string();
                    found.problems.push(Problem { kind: ProblemKind::Damaged, what, reason });
                }
                None => unlisted.push((name.clone(), digest.clone())),
            }
        }
        for name in listed.keys().filter(|name| !whole.contains_key(*name)) {
            let what = name.to_string();
            if quarantine || !found.problems.iter().any(|problem| problem.what.contains(&what)) {
                let reason = "listed in the manifest, but in no file: pull it again, or add it from a backup".to_owned();
                found.problems.push(Problem { kind: ProblemKind::Missing, what, reason });
            }
        }
        match manifest::add(self.root(), &key, &unlisted) {
            Ok(()) => found.listed_now += unlisted.len(),
            // Reading must work even where nothing can be written.
            Err(StoreError::Io { .. }) => found.unlisted += unlisted.len(),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// The digests of a month's runs that are what their names say.
    fn whole_runs(
        &self,
        month: &str,
        quarantine: bool,
        found: &mut Verified,
    ) -> Result<ManifestEntries<RunName>, StoreError> {
        let mut whole = ManifestEntries::new();
        let folder = self.root().join("runs").join(month);
        for file in files::names(&folder)? {
            let path = folder.join(&file);
            let name = file.strip_suffix(".json.zst").and_then(|stem| stem.parse().ok());
            let name = name.filter(|name: &RunName| name.month() == month);
            let read = if let Some(name) = name {
                read_loose(&path, &name).map(|text| BTreeMap::from([(name, text)]))
            } else if file.starts_with("pack-") && file.ends_with(".jsonl.zst") {
                read_pack(&path)
            } else {
                let reason = "not a file of this month of the history";
                found.problems.push(self.problem(ProblemKind::Foreign, &path, reason));
                continue;
            };
            let digests = read.and_then(|runs| {
                let digest = |(name, text): (RunName, String)| {
                    let text = checked(&path, &name, text)?;
                    Ok((name, canonical::sha256(text.as_bytes())))
                };
                runs.into_iter().map(digest).collect::<Result<Vec<_>, StoreError>>()
            });
            match digests {
                Ok(digests) => whole.extend(digests),
                Err(StoreError::Damaged { reason, .. } | StoreError::Line { reason, .. }) => {
                    self.damaged(&path, &reason, quarantine, found)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(whole)
    }

    /// The digests of a month's files, each with a document of its own, that are what their names say.
    fn whole_files<N: FileName>(
        &self,
        folder: &Path,
        month: &str,
        read: impl Fn(&Path) -> Result<(N, String), StoreError>,
        quarantine: bool,
        found: &mut Verified,
    ) -> Result<ManifestEntries<N>, StoreError> {
        let mut whole = ManifestEntries::new();
        for file in files::names(folder)? {
            let path = folder.join(&file);
            match read(&path) {
                Ok((name, digest)) if name.month() == month => {
                    whole.insert(name, digest);
                }
                Ok(_) => {
                    let reason = "not a file of this month of the history";
                    found.problems.push(self.problem(ProblemKind::Foreign, &path, reason));
                }
                Err(StoreError::Damaged { reason, .. }) => {
                    self.damaged(&path, &reason, quarantine, found)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(whole)
    }

    fn damaged(
        &self,
        path: &Path,
        reason: &str,
        quarantine: bool,
        found: &mut Verified,
    ) -> Result<(), StoreError> {
        found.problems.push(self.problem(ProblemKind::Damaged, path, reason));
        if quarantine { self.put_aside(path, reason) } else { Ok(()) }
    }

    fn put_aside(&self, path: &Path, reason: &str) -> Result<(), StoreError> {
        let _ = self.refuse(&files::read(path)?, &format!("{}: {reason}", path.display()));
        fs::remove_file(path).map_err(StoreError::io("delete", path))
    }

    fn problem(&self, kind: ProblemKind, path: &Path, reason: &str) -> Problem {
        let what = path.strip_prefix(self.root()).unwrap_or(path).display().to_string();
        Problem { kind, what, reason: reason.to_owned() }
    }
}
