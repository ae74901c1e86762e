//! Files that were cut, changed, repeated, deleted, moved, or never were what they should be.

use super::{files_below, fresh, runs};
use crate::{
    Index, ProblemKind, Store, StoreError,
    pack::compress,
    sync,
    testing::{DAY, NOW, START, text},
};
use std::fs;

#[test]
fn adding_twice_changes_nothing() {
    let (_folder, store) = fresh();
    let first = store.add(&text(0, "e1", 1000.0), NOW).unwrap();
    let before: Vec<_> = files_below(store.root()).iter().map(|p| fs::read(p).unwrap()).collect();
    // The same record, written with spaces and in another order of keys.
    let value: serde_json::Value = serde_json::from_str(&text(0, "e1", 1000.0)).unwrap();
    let again = store.add(&serde_json::to_string_pretty(&value).unwrap(), NOW).unwrap();
    assert!(first.new && !again.new);
    assert_eq!(first.name, again.name);
    let after: Vec<_> = files_below(store.root()).iter().map(|p| fs::read(p).unwrap()).collect();
    assert_eq!(before, after);
    assert_eq!(store.verify(false).unwrap().whole, 1);
}

#[test]
fn what_is_no_record_is_put_aside_with_the_reason() {
    let (_folder, store) = fresh();
    let sound = text(0, "e1", 1000.0);
    let newer = sound.replacen("\"schema\":2", "\"schema\":99", 1);
    let negative = sound.replace("\"operations\":1000000", "\"operations\":0");
    let bad = [
        (&sound[..sound.len() / 2], "not complete JSON"),
        ("{}", "not a run record"),
        (&newer, "update shakedown"),
        (&negative, "contradicts itself"),
        (r#"{"imported":7}"#, "layout 7"),
    ];
    for (text, words) in bad {
        let error = store.add(text, NOW).unwrap_err();
        let StoreError::Refused { reason, kept: Some(kept) } = &error else { panic!("{error}") };
        assert!(reason.contains(words), "{reason}");
        assert_eq!(fs::read_to_string(kept.join("record")).unwrap(), *text);
        assert!(fs::read_to_string(kept.join("reason.txt")).unwrap().contains(words));
    }
    assert!(runs(&store).is_empty());
    let error = store.add(&sound, START - 2 * DAY).unwrap_err().to_string();
    assert!(error.contains("starts in the future"), "{error}");
}

#[test]
fn a_clock_that_went_back_is_told() {
    let (_folder, store) = fresh();
    store.add(&text(5, "e1", 1000.0), NOW).unwrap();
    let added = store.add(&text(1, "e1", 1000.0), NOW).unwrap();
    assert!(added.warnings[0].contains("before the newest run"), "{:?}", added.warnings);
    assert_eq!(store.names().unwrap().len(), 2);
}

#[test]
fn every_cut_and_every_changed_byte_is_found() {
    let (_folder, store) = fresh();
    let name = store.add(&text(0, "e1", 1000.0), NOW).unwrap().name;
    let path = store.loose(&name);
    let whole = fs::read(&path).unwrap();
    for at in (0..whole.len()).step_by(7) {
        let mut changed = whole.clone();
        changed[at] ^= 0x10;
        for damaged in [&whole[..at], &changed[..]] {
            fs::write(&path, damaged).unwrap();
            let found = store.verify(false).unwrap();
            let problem = found.problems.first();
            // A flag of the frame that only says how it may be read changes no content.
            if store.read(&name).is_ok() && problem.is_none() {
                continue;
            }
            let problem = problem.unwrap_or_else(|| panic!("byte {at} went unseen"));
            assert_eq!(problem.kind, ProblemKind::Damaged);
            assert!(problem.what.ends_with(&format!("{name}.json.zst")), "{problem:?}");
        }
    }
    // Put aside, told as missing, mended by adding the run again.
    fs::write(&path, &whole[..10]).unwrap();
    let found = store.verify(true).unwrap();
    assert_eq!(found.problems.last().unwrap().kind, ProblemKind::Missing);
    assert!(!path.exists());
    store.add(&text(0, "e1", 1000.0), NOW).unwrap();
    assert_eq!(store.verify(false).unwrap().problems, []);
}

#[test]
fn a_deleted_run_and_a_hand_edited_manifest_are_found() {
    let (_folder, store) = fresh();
    let one = store.add(&text(0, "e1", 1000.0), NOW).unwrap().name;
    let two = store.add(&text(1, "e1", 1000.0), NOW).unwrap().name;
    fs::remove_file(store.loose(&one)).unwrap();
    let found = store.verify(false).unwrap();
    assert_eq!((found.whole, found.problems[0].kind), (1, ProblemKind::Missing));
    assert_eq!(found.problems[0].what, one.to_string());
    store.add(&text(0, "e1", 1000.0), NOW).unwrap();

    let month = store
        .root()
        .join("manifest")
        .join(format!("{}.txt", crate::manifest::list_of(&two.month())));
    let lines = fs::read_to_string(&month).unwrap();
    let shuffled: Vec<&str> = lines.lines().rev().chain(lines.lines()).collect();
    fs::write(&month, shuffled.join("\n")).unwrap();
    assert_eq!(store.verify(false).unwrap().problems, [], "order and repeats mean nothing");
    fs::write(&month, format!("{lines}<<<<<<< HEAD\n")).unwrap();
    let found = store.verify(false).unwrap();
    assert_eq!(found.problems[0].kind, ProblemKind::Manifest);
    assert!(found.problems[0].reason.contains("line 3"), "{found:?}");
    let error = store.add(&text(2, "e1", 1000.0), NOW).unwrap_err().to_string();
    assert!(error.contains(".txt:3:"), "{error}");
}

#[test]
fn the_index_follows_the_files_and_is_made_again_when_damaged() {
    let (_folder, store) = fresh();
    for night in 0..3 {
        store.add(&text(night, "e1", 1000.0 + night as f64), NOW).unwrap();
    }
    let (_, updated) = Index::open(&store).unwrap();
    assert_eq!((updated.added, updated.rebuilt), (3, true));
    let name = store.add(&text(3, "e1", 1003.0), NOW).unwrap().name;
    let (index, updated) = Index::open(&store).unwrap();
    assert_eq!((updated.added, updated.rebuilt), (1, false));
    let which =
        crate::query::SeriesFilter { subject: Some("rustls@git:HEAD"), ..Default::default() };
    let incremental = index.trends(&which, 0).unwrap();
    assert_eq!(incremental.len(), 2);
    drop(index);
    let (rebuilt, _) = Index::rebuild(&store).unwrap();
    assert_eq!(rebuilt.trends(&which, 0).unwrap(), incremental);
    drop(rebuilt);

    let path = store.root().join(".index/index.sqlite");
    fs::write(&path, b"no database").unwrap();
    let (index, updated) = Index::open(&store).unwrap();
    assert_eq!((updated.added, updated.rebuilt), (4, true));
    drop(index);

    // Rows that were made by another version of the rules are made again.
    let made_by = |version: i64| {
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.execute("UPDATE point SET median = 1.0", []).unwrap();
        connection.pragma_update(None, "user_version", version).unwrap();
    };
    made_by(crate::index::LAYOUT - 1);
    let (index, updated) = Index::open(&store).unwrap();
    assert_eq!((updated.added, updated.rebuilt), (4, true));
    assert_eq!(index.trends(&which, 0).unwrap(), incremental);
    drop(index);
    // And only those.
    made_by(crate::index::LAYOUT);
    assert!(!Index::open(&store).unwrap().1.rebuilt);

    // A damaged run is named, the others stay.
    fs::write(store.loose(&name), b"x").unwrap();
    let (index, updated) = Index::rebuild(&store).unwrap();
    assert_eq!(updated.added, 3);
    assert!(updated.damaged[0].contains(name.as_str()), "{:?}", updated.damaged);
    assert_eq!(index.runs(0, 10).unwrap().len(), 3);
}

#[test]
fn a_folder_of_something_else_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("thesis.tex"), "x").unwrap();
    let error = Store::open_or_create(folder.path()).unwrap_err().to_string();
    assert!(error.contains("thesis.tex"), "{error}");
    let (_folder, store) = fresh();
    for branch in ["--upload-pack=evil", "a b"] {
        assert!(sync(&store, Some("x"), branch).is_err());
    }
}

#[test]
fn runs_that_were_edited_copied_or_moved_by_hand_are_found() {
    let (_folder, store) = fresh();
    let one = store.add(&text(0, "e1", 1000.0), NOW).unwrap().name;
    let two = store.add(&text(1, "e1", 1000.0), NOW).unwrap().name;
    let path = store.loose(&one);
    let whole = fs::read(&path).unwrap();
    // Sound JSON, soundly packed, with one number changed.
    let edited =
        store.read(&one).unwrap().replacen("\"operations\":1000000", "\"operations\":1000001", 1);
    fs::write(&path, compress(edited.as_bytes(), 1).unwrap()).unwrap();
    let found = store.verify(false).unwrap();
    assert_eq!((found.whole, found.problems[0].kind), (1, ProblemKind::Damaged));
    assert!(found.problems[0].what.contains(one.as_str()), "{found:?}");
    assert!(store.read(&one).unwrap_err().to_string().contains("digest"));
    // The file of another run under its name.
    fs::copy(store.loose(&two), &path).unwrap();
    assert_eq!(store.verify(false).unwrap().problems[0].kind, ProblemKind::Damaged);
    fs::write(&path, &whole).unwrap();
    // A copy beside it, a run in another month's folder, and a file where folders are.
    fs::write(store.root().join("runs/note.txt"), "mine").unwrap();
    fs::copy(&path, path.with_file_name(format!("{one} (1).json.zst"))).unwrap();
    let elsewhere = store.root().join("runs/2020/01");
    fs::create_dir_all(&elsewhere).unwrap();
    fs::copy(&path, elsewhere.join(path.file_name().unwrap())).unwrap();
    let found = store.verify(false).unwrap();
    let kinds: Vec<ProblemKind> = found.problems.iter().map(|problem| problem.kind).collect();
    assert_eq!((found.whole, kinds), (2, vec![ProblemKind::Foreign; 2]));
}

#[test]
fn a_pack_that_was_cut_is_named_and_mended_by_adding_its_runs_again() {
    let (_folder, store) = fresh();
    for night in 0..4 {
        store.add(&text(night, "e1", 1000.0), NOW).unwrap();
    }
    store.compact("2100-01").unwrap();
    let pack = runs(&store).pop().unwrap();
    let whole = fs::read(&pack).unwrap();
    fs::write(&pack, &whole[..whole.len() / 2]).unwrap();
    let found = store.verify(false).unwrap();
    assert_eq!((found.whole, found.problems.len()), (0, 5), "the pack, and each of its runs");
    assert!(found.problems[0].what.contains("pack-"), "{found:?}");
    // A late run is taken in, and nothing is made of half a pack.
    store.add(&text(9, "e1", 1000.0), NOW).unwrap();
    let error = store.compact("2100-01").unwrap_err().to_string();
    assert!(error.contains("pack-"), "{error}");
    assert_eq!(fs::read(&pack).unwrap().len(), whole.len() / 2);
    let (_, updated) = Index::open(&store).unwrap();
    assert_eq!((updated.added, updated.damaged.len()), (1, 4));
    store.verify(true).unwrap();
    for night in 0..4 {
        store.add(&text(night, "e1", 1000.0), NOW).unwrap();
    }
    let found = store.verify(false).unwrap();
    assert_eq!((found.whole, found.problems), (5, vec![]));
    assert_eq!(Index::open(&store).unwrap().1.added, 4);
}

#[test]
fn a_run_of_a_newer_program_waits_for_an_update() {
    let (_folder, store) = fresh();
    store.add(&text(0, "e1", 1000.0), NOW).unwrap();
    let name = store.add(&text(1, "e1", 1000.0), NOW).unwrap().name;
    // As a newer program on another host writes it: another layout under a sound name.
    let newer = text(2, "e1", 1000.0).replacen("\"schema\":2", "\"schema\":3", 1);
    let newer = crate::canonical::text(&serde_json::from_str(&newer).unwrap());
    let digest = crate::canonical::sha256(newer.as_bytes());
    let there = crate::RunName::new(START + 2 * DAY, "e1", &digest).unwrap();
    fs::rename(store.loose(&name), store.loose(&there)).unwrap();
    fs::write(store.loose(&there), compress(newer.as_bytes(), 1).unwrap()).unwrap();
    store.add(&text(1, "e1", 1000.0), NOW).unwrap();
    let found = store.verify(false).unwrap();
    assert_eq!((found.whole, found.problems), (3, vec![]), "nothing is wrong with it");
    let (index, updated) = Index::open(&store).unwrap();
    assert_eq!(index.runs(i64::MIN, 10).unwrap().len(), 2);
    assert!(updated.damaged[0].contains("update shakedown"), "{:?}", updated.damaged);
    assert_eq!(store.compact("2100-01").unwrap().runs, 3);
    assert_eq!(store.read(&there).unwrap(), newer, "packed as it was");
}
