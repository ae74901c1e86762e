//! Packs the runs of old months into one file each, one run per line. That compresses far better than
//! separate files. The lines contain the whole texts, so that no number is lost.

use crate::{
    CompactOutcome, RunName, Store, StoreError, canonical, files, manifest,
    pack::{compress, read_loose, read_pack},
};
use std::{collections::BTreeMap, fs, path::PathBuf};

/// A pack is written once a month and contains hundreds of megabytes of repetitive text.
const LEVEL: i32 = 12;

impl Store {
    /// Packs the months before `before` (for example `2026-10`). Packs a month again if it got late
    /// runs, and skips months that are one pack.
    ///
    /// # Errors
    /// If a run is damaged; its month stays unchanged. After a kill at any moment, every run is in the
    /// old file, the new one, or both.
    pub fn compact(&self, before: &str) -> Result<CompactOutcome, StoreError> {
        let _lock = self.lock()?;
        let mut total = CompactOutcome::default();
        for month in self.months()?.iter().filter(|month| *manifest::list_of(month) < *before) {
            self.pack_month(month, &mut total)?;
        }
        Ok(total)
    }

    fn pack_month(&self, month: &str, total: &mut CompactOutcome) -> Result<(), StoreError> {
        let loose = self.loose_names(month)?;
        let packs = self.packs(month)?;
        if loose.is_empty() && packs.len() <= 1 {
            return Ok(());
        }
        let mut old: Vec<PathBuf> = packs;
        let mut runs: BTreeMap<RunName, String> = BTreeMap::new();
        for pack in &old {
            for (name, text) in read_pack(pack)? {
                let text = crate::pack::checked(pack, &name, text)?;
                runs.insert(name, text);
            }
        }
        for name in loose {
            let path = self.loose(&name);
            let text = read_loose(&path, &name)?;
            runs.insert(name, text);
            old.push(path);
        }
        let new = self.write_pack(month, &runs)?;
        total.months += 1;
        total.runs += runs.len();
        total.after += size(&new)?;
        for path in old {
            total.before += size(&path)?;
            if path != new {
                fs::remove_file(&path).map_err(StoreError::io("delete", &path))?;
            }
        }
        Ok(())
    }

    /// Writes a pack and reads it back, because the caller then deletes the replaced files.
    fn write_pack(
        &self,
        month: &str,
        runs: &BTreeMap<RunName, String>,
    ) -> Result<PathBuf, StoreError> {
        let text: String = runs.iter().map(|(name, text)| format!("{name}\t{text}\n")).collect();
        let digest = canonical::sha256(text.as_bytes());
        let folder = self.root().join("runs").join(month);
        let path = folder.join(format!("pack-{}.jsonl.zst", &digest[..16]));
        let packed =
            compress(text.as_bytes(), LEVEL).map_err(StoreError::io("compress for", &path))?;
        files::write_atomically(&self.scratch(), &path, &packed)?;
        if read_pack(&path)? != *runs {
            let reason = "it does not read back as written: the disk or memory is failing";
            return Err(StoreError::Damaged { path, reason: reason.to_owned() });
        }
        Ok(path)
    }
}

fn size(path: &std::path::Path) -> Result<u64, StoreError> {
    Ok(fs::metadata(path).map_err(StoreError::io("look at", path))?.len())
}
