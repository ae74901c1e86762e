//! The reports in the dashboard.

use anyhow::{Context, Result};
use shakedown_report::{PageFormat, Report};
use shakedown_store::{Document, Index, RunName, Store, site::reported};
use std::{collections::BTreeSet, fs, path::Path};

/// Writes the reports of the newest `count` runs, and of the runs that decisions rest on, below a
/// dashboard's folder. Reports that this version of the program wrote before are kept.
///
/// # Errors
/// If the history can't be read, or the folder can't be written to.
pub fn write_reports(
    store: &Store,
    index: &Index,
    count: usize,
    site: &Path,
) -> Result<BTreeSet<RunName>> {
    let folder = site.join("reports");
    let context = || format!("can't write to {}", folder.display());
    fs::create_dir_all(&folder).with_context(context)?;
    let version = folder.join("version");
    let ours = env!("CARGO_PKG_VERSION");
    let fresh = fs::read_to_string(&version).is_ok_and(|written| written == ours);
    let mut written = BTreeSet::new();
    for name in reported(store, index, count)? {
        let path = folder.join(format!("{name}.html"));
        if !(fresh && path.exists()) {
            let Document::Run(record) = store.document(&name)? else { continue };
            let summary = shakedown_summary::summarize(&record);
            let page = Report::new(&record, &summary).render(PageFormat::Html)?;
            fs::write(&path, page).with_context(context)?;
        }
        written.insert(name);
    }
    fs::write(&version, ours).with_context(context)?;
    Ok(written)
}
