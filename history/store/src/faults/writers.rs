//! Writers that are killed, that find the disk full, and that write at once.

use super::{fresh, runs};
use crate::{
    Store,
    testing::{NOW, text},
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

const CHILD: &str = "STORE_TEST_CHILD";

/// The other end of the tests below: this test program again, adding runs until it dies.
#[test]
fn child() {
    let Ok(order) = std::env::var(CHILD) else { return };
    let mut words = order.splitn(4, '|');
    let mut next = || words.next().unwrap();
    let (first, count): (u64, u64) = (next().parse().unwrap(), next().parse().unwrap());
    let compact = next() == "compact";
    let store = Store::open_or_create(Path::new(next())).unwrap();
    for night in first..first + count {
        store.add(&text(night, "e1", 1000.0 + night as f64), NOW).unwrap();
        if compact && night % 5 == 4 {
            store.compact("2100-01").unwrap();
        }
    }
}

fn spawn(store: &Store, first: u64, count: u64, compact: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "faults::writers::child", "--nocapture"])
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
            "trap '' XFSZ; ulimit -f {blocks}; exec '{}' --exact faults::writers::child --nocapture",
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
    let store = Store::open_or_create(&folder.join("history")).unwrap();
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
        "mount -t tmpfs -o size=512k tmpfs '{0}' && exec '{1}' --exact faults::writers::filler --nocapture",
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
