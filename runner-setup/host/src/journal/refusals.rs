//! What refused to be set, so that `check` can say that only the BIOS helps.

use super::{JOURNAL, sync_folder};
use crate::{HostRoot, setting::Setting};
use std::{collections::BTreeMap, fs, io, io::Write, os::unix::fs::PermissionsExt, path::Path};

pub(super) const FILE: &str = "refused.json";

/// Places, and what the system said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Refusals(pub BTreeMap<String, String>);

impl Refusals {
    /// Those of the last `tune`, at the usual setting; none where that can't be read.
    pub fn of(root: &HostRoot) -> Self {
        let text = root.read(&format!("{}/{FILE}", JOURNAL.trim_start_matches('/')));
        Self(text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }

    /// What the system said to a setting.
    pub fn get(&self, setting: &Setting) -> Option<String> {
        self.0.get(&setting.to_string()).cloned()
    }

    /// Writes them, at once; without any, the file goes.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        if self.0.is_empty() {
            return match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        let beside = path.with_extension("writing");
        let mut file = fs::File::create(&beside)?;
        // `host check` reads this, as root or not.
        file.set_permissions(fs::Permissions::from_mode(0o644))?;
        file.write_all(&serde_json::to_vec_pretty(&self.0)?)?;
        file.sync_all()?;
        fs::rename(&beside, path)?;
        path.parent().map_or(Ok(()), sync_folder)
    }
}
