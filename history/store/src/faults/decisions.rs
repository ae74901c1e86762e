//! Decisions that were edited, cut or deleted.

use super::{files_below, fresh};
use crate::{
    ProblemKind, Store,
    change::{self, Suspect, SuspectDecision, SuspectState},
    document::SeriesInfo,
    query::TrendPoint,
    testing::{DAY, NOW, START},
};
use std::fs;

/// A history with one suspect, and the suspect's id.
fn suspected() -> (tempfile::TempDir, Store, String) {
    let (folder, store) = fresh();
    let series = SeriesInfo {
        subject: "rustls@git:HEAD".to_owned(),
        scenario: "s".to_owned(),
        side: "client".to_owned(),
        metric: "handshakes".to_owned(),
        unit: "handshakes/s".to_owned(),
        better: shakedown_protocol::Better::Higher,
    };
    let point = |run: &str| TrendPoint {
        run: run.to_owned(),
        started_ms: START as i64,
        epoch: "e1".to_owned(),
        revision: run.to_owned(),
        median: 1.0,
        low: 1.0,
        high: 1.0,
        n: 5,
    };
    let found = change::Detection { index: 9, factor: 0.9, low: 0.89, high: 0.91, p: 1e-9 };
    let suspect = Suspect::new(&series, found, &point("a"), &point("b"));
    let id = suspect.id.clone();
    let event = SuspectDecision {
        suspect,
        state: SuspectState::Suspect,
        at_ms: NOW,
        evidence: String::new(),
        bisection: None,
    };
    change::record(&store, &event).unwrap();
    (folder, store, id)
}

#[test]
fn decisions_that_were_edited_cut_or_deleted_are_found() {
    let (_folder, store, id) = suspected();
    change::decide(&store, &id, SuspectState::Confirmed, "run x", NOW + DAY).unwrap();
    let found = store.verify(false).unwrap();
    assert_eq!((found.decisions, found.problems), (2, vec![]));
    let files = files_below(&store.root().join("changes"));
    let path =
        files.iter().find(|path| path.to_str().unwrap().ends_with("-confirmed.json")).unwrap();
    let whole = fs::read_to_string(path).unwrap();
    for damaged in [whole.replace("confirmed", "dismissed"), whole[..40].to_owned(), String::new()]
    {
        fs::write(path, damaged).unwrap();
        let found = store.verify(false).unwrap();
        assert_eq!((found.decisions, found.problems[0].kind), (1, ProblemKind::Damaged));
        let error = change::suspects(&store).unwrap_err().to_string();
        assert!(error.contains("-confirmed.json") && error.contains("git"), "{error}");
    }
    // Another state in the name alone.
    fs::write(path, &whole).unwrap();
    let renamed = path.to_str().unwrap().replace("-confirmed", "-dismissed");
    fs::rename(path, &renamed).unwrap();
    let kinds: Vec<ProblemKind> =
        store.verify(false).unwrap().problems.iter().map(|problem| problem.kind).collect();
    assert_eq!(kinds, [ProblemKind::Damaged, ProblemKind::Missing]);
    fs::remove_file(renamed).unwrap();
    let found = store.verify(false).unwrap();
    assert_eq!(found.problems[0].kind, ProblemKind::Missing);
    assert!(found.problems[0].what.ends_with("-confirmed"), "{found:?}");
    fs::write(path, &whole).unwrap();
    assert_eq!(store.verify(false).unwrap().problems, []);
    // Those that an older program wrote are listed now.
    fs::remove_dir_all(store.root().join("manifest/changes")).unwrap();
    assert_eq!(store.verify(false).unwrap().listed_now, 2);
}
