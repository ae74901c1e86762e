//! The files of the history.
//!
//! ```text
//! runs/2026/11/NAME.json.zst            a run: canonical JSON, never changed
//! runs/2026/11/pack-DIGEST.jsonl.zst    many runs of a month, one a line: NAME, tab, JSON
//! manifest/2026-11.txt                  which runs must be there
//! changes/2026/11/NAME-STATE.json       a decision about a change point, never changed
//! manifest/changes/2026-11.txt          which decisions must be there
//! studies/2026/11/NAME.json             the verdicts of a study, never changed
//! manifest/studies/2026-11.txt          which of those must be there
//! quarantine/                           what was refused, with the reason (not in git)
//! .index/, tmp/, .lock                  derived or passing (not in git)
//! ```
//!
//! Renaming a run's file adds it to the history. A writer that dies before the rename leaves nothing.
//! One that dies afterwards leaves a run that the manifest lacks; the next writer adds it there.

use crate::{
    Document, RunName, StoreError, canonical,
    files::{self, StoreLock},
    folder, manifest,
    pack::{checked, compress, read_loose, read_pack},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

/// zstd's level. High, because records are written once and read for years.
const LEVEL: i32 = 9;
/// Why a record or a study is refused whose start lies further ahead than clocks differ.
pub(crate) const STARTS_AHEAD: &str =
    "it starts in the future: set the clock of that host, or of this one";
/// Tolerated clock difference of another host, in milliseconds.
const CLOCK_SLACK_MS: u64 = 86_400_000;

/// The result of adding a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddOutcome {
    /// Its name in the history.
    pub name: RunName,
    /// Whether it is new to the history.
    pub new: bool,
    /// Warnings about its content.
    pub warnings: Vec<String>,
}

/// The result of packing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CompactOutcome {
    /// Months that were packed.
    pub months: usize,
    /// Runs in the packs that were written.
    pub runs: usize,
    /// Bytes on the disk before, of those months.
    pub before: u64,
    /// Bytes on the disk after.
    pub after: u64,
}

/// The history in one folder.
#[derive(Debug, Clone)]
pub struct Store {
    root: PathBuf,
}

impl Store {
    /// Opens the history in a folder. Writes nothing, so that a history can be read from a
    /// read-only file system.
    ///
    /// # Errors
    /// [`StoreError::NoHistory`] if there is none, another if the folder holds something else.
    pub fn open(root: &Path) -> Result<Self, StoreError> {
        if folder::is_history(root)? {
            return Ok(Self { root: root.to_path_buf() });
        }
        Err(StoreError::NoHistory(root.to_path_buf()))
    }

    /// Opens the history in a folder; an empty or missing folder becomes a history.
    ///
    /// # Errors
    /// If the folder can't be made, or holds something else.
    pub fn open_or_create(root: &Path) -> Result<Self, StoreError> {
        folder::is_history(root)?;
        folder::lay_out(root)?;
        Ok(Self { root: root.to_path_buf() })
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn lock(&self) -> Result<StoreLock, StoreError> {
        StoreLock::wait(&self.root)
    }

    pub(crate) fn scratch(&self) -> PathBuf {
        self.root.join("tmp")
    }

    pub(crate) fn loose(&self, name: &RunName) -> PathBuf {
        self.root.join("runs").join(name.month()).join(format!("{name}.json.zst"))
    }

    /// Adds a record, or numbers of another tool, as JSON. Adding a document twice changes nothing, but
    /// repairs a damaged copy. `now_ms`: the current time, in milliseconds since 1970 UTC.
    ///
    /// # Errors
    /// [`StoreError::Refused`] for an unsound record; `quarantine/` keeps a copy with the reason. Other
    /// errors come from the file system. Then the run or its line in the manifest is missing, and
    /// adding it again completes it.
    pub fn add(&self, text: &str, now_ms: u64) -> Result<AddOutcome, StoreError> {
        let (document, canonical) = match Document::from_outside(text) {
            Ok(read) => read,
            Err(error) => return Err(self.refuse(text.as_bytes(), &error.to_string())),
        };
        if Self::is_ahead(document.started_ms(), now_ms) {
            return Err(self.refuse(text.as_bytes(), STARTS_AHEAD));
        }
        self.add_document(&document, &canonical)
    }

    /// Whether a start lies further ahead than clocks differ.
    pub(crate) const fn is_ahead(started_ms: u64, now_ms: u64) -> bool {
        started_ms > now_ms.saturating_add(CLOCK_SLACK_MS)
    }

    fn add_document(&self, document: &Document, text: &str) -> Result<AddOutcome, StoreError> {
        let digest = canonical::sha256(text.as_bytes());
        let name = RunName::new(document.started_ms(), document.epoch(), &digest)?;
        let _lock = self.lock()?;
        let listed =
            manifest::read_month::<RunName>(&self.root, &manifest::list_of(&name.month()))?;
        let path = self.loose(&name);
        let stored = path.exists() || listed.contains_key(&name);
        let whole = stored && self.read(&name).is_ok();
        if !whole {
            let packed =
                compress(text.as_bytes(), LEVEL).map_err(StoreError::io("compress for", &path))?;
            files::write_atomically(&self.scratch(), &path, &packed)?;
        }
        let warnings = self.odd(document, &name)?;
        self.list_month(&name.month(), &[(name.clone(), digest)])?;
        Ok(AddOutcome { name, new: !stored, warnings })
    }

    /// Warnings about a document before it is listed.
    fn odd(&self, document: &Document, name: &RunName) -> Result<Vec<String>, StoreError> {
        let mut warnings = Vec::new();
        let newest = manifest::months::<RunName>(&self.root)?.pop();
        let listed =
            newest.map(|month| manifest::read_month::<RunName>(&self.root, &month)).transpose()?;
        let newest = listed.and_then(|mut listed| listed.pop_last()).map(|(name, _)| name);
        if let Some(newest) = newest.filter(|newest| newest > name) {
            warnings.push(format!(
                "starts before the newest run, {newest}: fine for an old record, otherwise look at the clock"
            ));
        }
        if let Document::Run(record) = document {
            if record.finish.is_none() {
                warnings.push("the run did not finish".to_owned());
            }
            if !record.host.fit {
                warnings.push("the host was not fit".to_owned());
            }
        }
        Ok(warnings)
    }

    /// Adds runs to the manifest, including those of a killed writer. Needs the lock.
    fn list_month(&self, month: &str, runs: &[(RunName, String)]) -> Result<(), StoreError> {
        let key = manifest::list_of(month);
        let listed = manifest::read_month::<RunName>(&self.root, &key)?;
        let mut add = runs.to_vec();
        for name in self.loose_names(month)? {
            if !listed.contains_key(&name)
                && !runs.iter().any(|(other, _)| *other == name)
                && let Ok(text) = self.read(&name)
            {
                add.push((name, canonical::sha256(text.as_bytes())));
            }
        }
        manifest::add(&self.root, &key, &add)
    }

    /// Keeps a copy of a refused text with the reason.
    pub(crate) fn refuse(&self, bytes: &[u8], reason: &str) -> StoreError {
        let folder = self.root.join("quarantine").join(&canonical::sha256(bytes)[..16]);
        let kept = files::write_atomically(&self.scratch(), &folder.join("record"), bytes)
            .and_then(|()| {
                let text = format!("{reason}\n");
                files::write_atomically(
                    &self.scratch(),
                    &folder.join("reason.txt"),
                    text.as_bytes(),
                )
            })
            .is_ok();
        StoreError::Refused { reason: reason.to_owned(), kept: kept.then_some(folder) }
    }

    /// Every run, sorted by name and thus by time: those in the manifest and those on the disk.
    ///
    /// # Errors
    /// If the manifest or a folder can't be read.
    pub fn names(&self) -> Result<BTreeSet<RunName>, StoreError> {
        let mut names = BTreeSet::new();
        for month in manifest::months::<RunName>(&self.root)? {
            names.extend(manifest::read_month::<RunName>(&self.root, &month)?.into_keys());
        }
        for month in self.months()? {
            names.extend(self.loose_names(&month)?);
        }
        Ok(names)
    }

    /// The months that have runs, for example `2026/11`, in order.
    pub(crate) fn months(&self) -> Result<Vec<String>, StoreError> {
        files::months(&self.root.join("runs"))
    }

    pub(crate) fn loose_names(&self, month: &str) -> Result<Vec<RunName>, StoreError> {
        let names = files::names(&self.root.join("runs").join(month))?;
        let stems = names.iter().filter_map(|name| name.strip_suffix(".json.zst"));
        Ok(stems.filter_map(|stem| stem.parse().ok()).collect())
    }

    pub(crate) fn packs(&self, month: &str) -> Result<Vec<PathBuf>, StoreError> {
        let folder = self.root.join("runs").join(month);
        let names = files::names(&folder)?;
        let packs = names.iter().filter(|n| n.starts_with("pack-") && n.ends_with(".jsonl.zst"));
        Ok(packs.map(|name| folder.join(name)).collect())
    }

    /// The canonical text of a run, checked against its name.
    ///
    /// # Errors
    /// If it is missing or damaged.
    pub fn read(&self, name: &RunName) -> Result<String, StoreError> {
        let path = self.loose(name);
        if path.exists() {
            return read_loose(&path, name);
        }
        for pack in self.packs(&name.month())? {
            if let Some(text) = read_pack(&pack)?.remove(name) {
                return checked(&pack, name, text);
            }
        }
        Err(StoreError::Damaged { path, reason: "the file is missing".to_owned() })
    }

    /// A run as a document.
    ///
    /// # Errors
    /// If it is missing or damaged.
    pub fn document(&self, name: &RunName) -> Result<Document, StoreError> {
        Document::from_store(&self.read(name)?)
    }

    /// The texts of the named runs of one month.
    pub(crate) fn read_month(
        &self,
        month: &str,
        wanted: &[RunName],
    ) -> Result<BTreeMap<RunName, String>, StoreError> {
        let mut texts = BTreeMap::new();
        let packed = wanted.iter().any(|name| !self.loose(name).exists());
        for pack in if packed { self.packs(month)? } else { Vec::new() } {
            for (name, text) in read_pack(&pack)? {
                if wanted.contains(&name) {
                    let text = checked(&pack, &name, text)?;
                    texts.insert(name, text);
                }
            }
        }
        for name in wanted {
            if !texts.contains_key(name) {
                texts.insert(name.clone(), self.read(name)?);
            }
        }
        Ok(texts)
    }
}
