//! Files of the dashboard, written only where they change.

use super::SiteBuild;
use crate::{StoreError, files};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fs, path::Path};

/// A folder during an update.
pub(super) struct SiteWriter<'a> {
    pub(super) folder: &'a Path,
    pub(super) built: SiteBuild,
}

impl SiteWriter<'_> {
    pub(super) fn has(&self, name: &str) -> bool {
        self.folder.join(name).exists()
    }

    /// The notes of the previous build about its data, from `data/NAME.json`.
    pub(super) fn old_stamps(&self, name: &str) -> BTreeMap<String, String> {
        let text = fs::read(self.folder.join(format!("data/{name}.json"))).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// A data file: a call that hands the data to the page.
    pub(super) fn script(&mut self, name: &str, data: &Value) -> Result<(), StoreError> {
        let text = format!("shakedownData({},{data});\n", json!(name));
        self.put(&format!("data/{name}.js"), text.as_bytes())
    }

    /// Notes the origin of the data for the next build.
    pub(super) fn stamps(
        &mut self,
        name: &str,
        stamps: &BTreeMap<String, String>,
    ) -> Result<(), StoreError> {
        let text = serde_json::to_string(stamps).unwrap_or_default();
        self.put(&format!("data/{name}.json"), text.as_bytes())
    }

    pub(super) fn put(&mut self, name: &str, content: &[u8]) -> Result<(), StoreError> {
        let path = self.folder.join(name);
        if fs::read(&path).is_ok_and(|old| old == content) {
            self.built.kept += 1;
            return Ok(());
        }
        files::make_folder(path.parent().unwrap_or(self.folder))?;
        // Derived, and written again by the next build: no need to wait for the disk.
        fs::write(&path, content).map_err(StoreError::io("write", &path))?;
        self.built.written += 1;
        Ok(())
    }
}
