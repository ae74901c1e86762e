//! The facts of each run: revisions of its subjects, and the file of its record.

use crate::{Index, RunName, Store, StoreError, files, query::StoredRun};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The runs of one year. Each revision is written once and referenced, because releases repeat.
pub(super) fn of_year(
    store: &Store,
    index: &Index,
    runs: &[StoredRun],
) -> Result<Value, StoreError> {
    let ends = runs.first().zip(runs.last());
    let (first, last) = ends.map_or((0, 0), |(a, b)| (a.started_ms, b.started_ms));
    let builds = index.builds(first, last)?;
    let subjects: BTreeSet<&str> =
        builds.values().flatten().map(|build| build.subject.as_str()).collect();
    let subjects: Vec<&str> = subjects.into_iter().collect();
    let mut revisions: Vec<&str> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut rows = serde_json::Map::new();
    let mut packs = BTreeMap::new();
    for run in runs {
        let name: RunName = run.name.parse()?;
        let packed = !store.loose(&name).exists();
        if packed {
            packs.entry(name.month()).or_insert_with(|| store.packs(&name.month()));
        }
        let mut refs = vec![Value::Null; subjects.len()];
        for build in builds.get(&run.name).into_iter().flatten() {
            let place = *places.entry(&build.revision).or_insert_with(|| {
                revisions.push(&build.revision);
                revisions.len() - 1
            });
            if let Ok(at) = subjects.binary_search(&build.subject.as_str()) {
                refs[at] = json!(place);
            }
        }
        let StoredRun { started_ms, epoch, host, suite, fit, finished, .. } = run;
        let StoredRun { in_tree, fallback, backfill, kind, .. } = run;
        let start = started_ms / 1000;
        let facts =
            json!([start, epoch, host, suite, fit, finished, in_tree, fallback, backfill, kind]);
        let row = json!({ "facts": facts, "packed": packed, "refs": refs });
        rows.insert(run.name.clone(), row);
    }
    let mut named = BTreeMap::new();
    for (month, paths) in packs {
        let names: Vec<String> = paths?.iter().filter_map(|path| files::name(path)).collect();
        named.insert(month, names);
    }
    Ok(json!({ "subjects": subjects, "revisions": revisions, "runs": rows, "packs": named }))
}
