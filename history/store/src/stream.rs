//! Reads the runs of a month one after another, so that only one is in memory.

use crate::{
    Document, RunName, Store, StoreError,
    pack::{PackLines, checked},
};
use std::collections::BTreeSet;

impl Store {
    /// Hands over the runs of one month, for example `2026/11`, one by one and in no order; one that
    /// can't be read comes as its error.
    ///
    /// # Errors
    /// If the folder can't be read, and those of `take`.
    pub(crate) fn each_run(
        &self,
        month: &str,
        mut wanted: BTreeSet<RunName>,
        mut take: impl FnMut(RunName, Result<Document, StoreError>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        for pack in self.packs(month)? {
            // A pack that is damaged somewhere ends there: what it lacks is looked for below.
            for (name, text) in PackLines::open(&pack)?.map_while(Result::ok) {
                if wanted.remove(&name) {
                    let text = checked(&pack, &name, text);
                    take(name, text.and_then(|text| Document::from_store(&text)))?;
                }
            }
        }
        for name in wanted {
            let document = self.document(&name);
            take(name, document)?;
        }
        Ok(())
    }
}
