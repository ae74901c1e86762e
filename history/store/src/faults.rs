//! What can happen to a history, done to one: kills, full disks, several writers, damage.

use crate::{
    Index, ProblemKind, Store, StoreError, sync,
    testing::{DAY, NOW, START, summarize, text},
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

fn fresh() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("history")).unwrap();
    (folder, store)
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files_below(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

fn runs(store: &Store) -> Vec<PathBuf> {
    files_below(&store.root().join("runs"))
}

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
    let newer = sound.replacen("\"schema\":1", "\"schema\":99", 1);
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

    let month =
        store.root().join("manifest").join(format!("{}.txt", two.month().replace('/', "-")));
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
fn packing_loses_nothing() {
    let (_folder, store) = fresh();
    for night in 0..40 {
        store.add(&text(night, "e1", 1000.0 + night as f64), NOW).unwrap();
    }
    let names = store.names().unwrap();
    let before: Vec<String> = names.iter().map(|name| store.read(name).unwrap()).collect();
    let packed = store.compact("2100-01").unwrap();
    assert_eq!(packed.runs, 40);
    assert!(packed.after * 3 < packed.before, "{packed:?}");
    assert_eq!(store.names().unwrap(), names);
    let after: Vec<String> = names.iter().map(|name| store.read(name).unwrap()).collect();
    assert_eq!(before, after);
    assert_eq!(store.verify(false).unwrap().whole, 40);
    assert!(!store.add(&text(3, "e1", 1003.0), NOW).unwrap().new, "a packed run is there");
    // A late run is packed into its month.
    store.add(&text(3, "e2", 1.0), NOW).unwrap();
    assert_eq!(store.compact("2100-01").unwrap().months, 1);
    assert_eq!(store.compact("2100-01").unwrap().months, 0);
    assert_eq!(store.verify(false).unwrap().whole, 41);
}

const CHILD: &str = "STORE_TEST_CHILD";

/// The other end of the tests below: this test program again, adding runs until it dies.
#[test]
fn child() {
    let Ok(order) = std::env::var(CHILD) else { return };
    let mut words = order.splitn(4, '|');
    let mut next = || words.next().unwrap();
    let (first, count): (u64, u64) = (next().parse().unwrap(), next().parse().unwrap());
    let compact = next() == "compact";
    let store = Store::open(Path::new(next())).unwrap();
    for night in first..first + count {
        store.add(&text(night, "e1", 1000.0 + night as f64), NOW).unwrap();
        if compact && night % 5 == 4 {
            store.compact("2100-01").unwrap();
        }
    }
}

fn spawn(store: &Store, first: u64, count: u64, compact: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "faults::child", "--nocapture"])
        .env(CHILD, format!("{first}|{count}|{compact}|{}", store.root().display()))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_kill_at_any_moment_leaves_the_old_or_the_new_state() {
    let (_folder, store) = fresh();
    let mut seen = 0;
    for round in 0..24_u64 {
        let mut child =
            spawn(&store, round * 100, 100, if round % 2 == 0 { "compact" } else { "" });
        while store.names().unwrap().len() <= seen {
            assert!(child.try_wait().unwrap().is_none(), "the child must live until it is killed");
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(round * 1700));
        child.kill().unwrap();
        child.wait().unwrap();
        let found = store.verify(false).unwrap();
        assert_eq!(found.problems, [], "round {round}");
        assert!(found.whole > seen, "round {round} lost runs");
        assert_eq!(store.verify(false).unwrap().listed_now, 0, "healed for good");
        seen = found.whole;
    }
    assert!(crate::files::names(&store.scratch()).unwrap().is_empty(), "no drafts stay");
}

#[test]
fn several_processes_add_at_once() {
    let (_folder, store) = fresh();
    // Overlapping on purpose: the same run from two processes is one run.
    let children: Vec<Child> = (0..4).map(|n| spawn(&store, n * 10, 15, "")).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let found = store.verify(false).unwrap();
    assert_eq!((found.whole, found.listed_now, found.problems.len()), (45, 0, 0));
}

#[test]
fn a_full_disk_changes_nothing() {
    let (_folder, store) = fresh();
    store.add(&text(0, "e1", 1000.0), NOW).unwrap();
    // A child that may write no file beyond some blocks gets an error in the middle of a write,
    // as on a full disk; here at every block of the run's file.
    let program = std::env::current_exe().unwrap();
    let size = fs::metadata(&runs(&store)[0]).unwrap().len();
    for blocks in (0..).take_while(|blocks| blocks * 512 < size) {
        let script = format!(
            "trap '' XFSZ; ulimit -f {blocks}; exec '{}' --exact faults::child --nocapture",
            program.display()
        );
        let output = Command::new("sh")
            .args(["-c", &script])
            .env(CHILD, format!("1|1||{}", store.root().display()))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        assert!(!output.status.success());
        let found = store.verify(false).unwrap();
        assert_eq!((found.whole, found.problems.len()), (1, 0), "after {blocks} blocks");
    }
    assert!(store.add(&text(1, "e1", 1001.0), NOW).unwrap().new, "works again");
}

const FULL: &str = "STORE_TEST_FULL";

/// The other end of the test below: fills a file system that is really full at some point.
#[test]
fn filler() {
    let Some(folder) = std::env::var_os(FULL).map(PathBuf::from) else { return };
    let ballast = folder.join("ballast");
    fs::write(&ballast, vec![1; 64 << 10]).unwrap();
    let store = Store::open(&folder.join("history")).unwrap();
    let mut added = 0;
    let error = loop {
        match store.add(&text(added, "e1", 1000.0 + added as f64), NOW) {
            Ok(_) => added += 1,
            Err(error) => break error.to_string(),
        }
        assert!(added < 10_000, "the disk never got full");
    };
    assert!(error.contains("No space left") && error.contains("Make room"), "{error}");
    let found = store.verify(false).unwrap();
    // The run whose file was written before its line in the manifest did not fit is there.
    assert!((added..=added + 1).contains(&(found.whole as u64)), "{found:?} of {added}");
    assert_eq!(found.problems, []);
    fs::remove_file(&ballast).unwrap();
    store.add(&text(added, "e1", 1000.0 + added as f64), NOW).unwrap();
    let found = store.verify(false).unwrap();
    assert_eq!((found.whole as u64, found.problems), (added + 1, vec![]));
}

#[test]
fn a_disk_that_is_really_full_loses_nothing_and_goes_on_when_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    // A small file system of its own, that is gone with the process.
    let script = format!(
        "mount -t tmpfs -o size=512k tmpfs '{0}' && exec '{1}' --exact faults::filler --nocapture",
        folder.path().display(),
        std::env::current_exe().unwrap().display()
    );
    let output = Command::new("unshare")
        .args(["--map-root-user", "--mount", "sh", "-c", &script])
        .env(FULL, folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("Operation not permitted") {
        // A container that allows no mounts; the limit on file sizes above stands in for it.
        eprintln!("not tested: {said}");
        return;
    }
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn the_index_follows_the_files_and_is_made_again_when_damaged() {
    let (_folder, store) = fresh();
    for night in 0..3 {
        store.add(&text(night, "e1", 1000.0 + night as f64), NOW).unwrap();
    }
    let (_, updated) = Index::open(&store, &summarize).unwrap();
    assert_eq!((updated.added, updated.rebuilt), (3, true));
    let name = store.add(&text(3, "e1", 1003.0), NOW).unwrap().name;
    let (index, updated) = Index::open(&store, &summarize).unwrap();
    assert_eq!((updated.added, updated.rebuilt), (1, false));
    let which = crate::query::Which { subject: Some("rustls@git:HEAD"), ..Default::default() };
    let incremental = index.trends(&which, 0).unwrap();
    assert_eq!(incremental.len(), 2);
    drop(index);
    let (rebuilt, _) = Index::rebuild(&store, &summarize).unwrap();
    assert_eq!(rebuilt.trends(&which, 0).unwrap(), incremental);
    drop(rebuilt);

    let path = store.root().join(".index/index.sqlite");
    fs::write(&path, b"no database").unwrap();
    let (index, updated) = Index::open(&store, &summarize).unwrap();
    assert_eq!((updated.added, updated.rebuilt), (4, true));
    drop(index);

    // A damaged run is named, the others stay.
    fs::write(store.loose(&name), b"x").unwrap();
    let (index, updated) = Index::rebuild(&store, &summarize).unwrap();
    assert_eq!(updated.added, 3);
    assert!(updated.damaged[0].contains(name.as_str()), "{:?}", updated.damaged);
    assert_eq!(index.runs(0, 10).unwrap().len(), 3);
}

fn git(folder: &Path, arguments: &[&str]) {
    let status = Command::new("git").arg("-C").arg(folder).args(arguments).status().unwrap();
    assert!(status.success(), "git {arguments:?}");
}

#[test]
fn hosts_that_push_at_once_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let remote = folder.path().join("remote.git");
    fs::create_dir(&remote).unwrap();
    git(&remote, &["init", "--quiet", "--bare"]);
    let url = remote.display().to_string();
    std::thread::scope(|scope| {
        for host in 0..3_u64 {
            let (folder, url) = (folder.path().join(format!("host{host}")), &url);
            scope.spawn(move || {
                let store = Store::open(&folder).unwrap();
                for night in 0..3 {
                    let epoch = format!("e{host}");
                    store.add(&text(night, &epoch, 1000.0 + night as f64), NOW).unwrap();
                    sync(&store, Some(url), "history").unwrap();
                }
            });
        }
    });
    // One more host, that packs while another adds.
    let store = Store::open(&folder.path().join("host0")).unwrap();
    sync(&store, None, "history").unwrap();
    store.compact("2100-01").unwrap();
    sync(&store, None, "history").unwrap();
    let other = Store::open(&folder.path().join("host1")).unwrap();
    other.add(&text(50, "e1", 5.0), NOW).unwrap();
    sync(&other, None, "history").unwrap();
    let third = Store::open(&folder.path().join("late")).unwrap();
    sync(&third, Some(&url), "history").unwrap();
    let found = third.verify(false).unwrap();
    assert_eq!((found.whole, found.problems), (10, vec![]));
    assert!(!sync(&third, None, "history").unwrap().pushed, "nothing new, nothing pushed");
}

#[test]
fn a_folder_of_something_else_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("thesis.tex"), "x").unwrap();
    let error = Store::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("thesis.tex"), "{error}");
    let (_folder, store) = fresh();
    for branch in ["--upload-pack=evil", "a b"] {
        assert!(sync(&store, Some("x"), branch).is_err());
    }
}
