//! The branch that several hosts push to.

use super::runs;
use crate::{
    ProblemKind, Store, sync,
    testing::{NOW, text},
};
use std::{fs, os::unix::fs::PermissionsExt, path::Path, process::Command};

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
                let store = Store::open_or_create(&folder).unwrap();
                for night in 0..3 {
                    let epoch = format!("e{host}");
                    store.add(&text(night, &epoch, 1000.0 + night as f64), NOW).unwrap();
                    sync(&store, Some(url), "history").unwrap();
                }
            });
        }
    });
    // One more host, that packs while another adds.
    let store = Store::open_or_create(&folder.path().join("host0")).unwrap();
    sync(&store, None, "history").unwrap();
    store.compact("2100-01").unwrap();
    sync(&store, None, "history").unwrap();
    let other = Store::open_or_create(&folder.path().join("host1")).unwrap();
    other.add(&text(50, "e1", 5.0), NOW).unwrap();
    sync(&other, None, "history").unwrap();
    let third = Store::open_or_create(&folder.path().join("late")).unwrap();
    sync(&third, Some(&url), "history").unwrap();
    let found = third.verify(false).unwrap();
    assert_eq!((found.whole, found.problems), (10, vec![]));
    assert!(!sync(&third, None, "history").unwrap().pushed, "nothing new, nothing pushed");
}

/// An empty repository, its address, and hosts that have synced with it, each with a run.
struct Branch {
    folder: tempfile::TempDir,
    url: String,
}

impl Branch {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let remote = folder.path().join("remote.git");
        fs::create_dir(&remote).unwrap();
        git(&remote, &["init", "--quiet", "--bare"]);
        Self { url: remote.display().to_string(), folder }
    }

    /// A host's history with one run of its own, in step with the branch.
    fn host(&self, name: &str, night: u64) -> Store {
        let store = Store::open_or_create(&self.folder.path().join(name)).unwrap();
        store.add(&text(night, name, 1000.0), NOW).unwrap();
        sync(&store, Some(&self.url), "history").unwrap();
        store
    }
}

fn whole(store: &Store) -> usize {
    let found = store.verify(false).unwrap();
    assert_eq!(found.problems, []);
    found.whole
}

#[test]
fn a_push_that_loses_the_race_is_tried_again() {
    let branch = Branch::new();
    let (one, two) = (branch.host("one", 0), branch.host("two", 1));
    sync(&one, None, "history").unwrap();
    // The other host's run is committed and waits; it is pushed after this host has asked what the
    // branch is, and before it pushes.
    two.add(&text(2, "two", 1000.0), NOW).unwrap();
    git(two.root(), &["add", "--all"]);
    let commit = ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "--quiet", "-m", "x"];
    git(two.root(), &commit);
    let hook = one.root().join(".git/hooks/pre-push");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    let script = format!(
        "#!/bin/sh\n[ -e \"$0.done\" ] && exit 0\ntouch \"$0.done\"\n\
         unset $(git rev-parse --local-env-vars)\n\
         exec git -C '{}' push --quiet origin HEAD:refs/heads/history\n",
        two.root().display()
    );
    fs::write(&hook, script).unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    one.add(&text(3, "one", 1000.0), NOW).unwrap();
    let done = sync(&one, None, "history").unwrap();
    assert_eq!((done.retries, done.pulled, done.pushed), (1, true, true));
    assert_eq!(whole(&one), 4);
    sync(&two, None, "history").unwrap();
    assert_eq!(whole(&two), 4);
}

#[test]
fn a_branch_that_was_rewritten_loses_no_run_of_either() {
    let branch = Branch::new();
    let one = branch.host("one", 0);
    // Another history takes the branch over by force.
    let other = Store::open_or_create(&branch.folder.path().join("other")).unwrap();
    other.add(&text(1, "other", 1000.0), NOW).unwrap();
    let away = Branch::new();
    sync(&other, Some(&away.url), "history").unwrap();
    git(other.root(), &["push", "--quiet", "--force", &branch.url, "HEAD:refs/heads/history"]);
    one.add(&text(2, "one", 1000.0), NOW).unwrap();
    let done = sync(&one, None, "history").unwrap();
    assert!(done.pulled && done.pushed, "{done:?}");
    assert_eq!(whole(&one), 3);
    let late = branch.host("late", 3);
    assert_eq!(whole(&late), 4);
}

#[test]
fn hosts_that_pack_the_same_month_agree() {
    let branch = Branch::new();
    let (one, two) = (branch.host("one", 0), branch.host("two", 1));
    sync(&one, None, "history").unwrap();
    for store in [&one, &two] {
        store.compact("2100-01").unwrap();
    }
    two.add(&text(2, "two", 1000.0), NOW).unwrap();
    two.compact("2100-01").unwrap();
    for store in [&one, &two, &one] {
        sync(store, None, "history").unwrap();
    }
    assert_eq!((whole(&one), whole(&two)), (3, 3));
    assert_eq!(runs(&one).len(), 2, "a pack of each");
    one.compact("2100-01").unwrap();
    assert_eq!((runs(&one).len(), whole(&one)), (1, 3));
}

#[test]
fn files_that_were_edited_by_hand_on_both_sides_stop_the_sync() {
    let branch = Branch::new();
    let (one, two) = (branch.host("one", 0), branch.host("two", 1));
    sync(&one, None, "history").unwrap();
    let note = "runs/2026/11/note.txt";
    for (store, words) in [(&one, "mine"), (&two, "no, mine")] {
        fs::write(store.root().join(note), words).unwrap();
    }
    sync(&one, None, "history").unwrap();
    let error = sync(&two, None, "history").unwrap_err().to_string();
    assert!(error.contains(note) && error.contains("by hand"), "{error}");
    assert!(!two.root().join(".git/MERGE_HEAD").exists(), "no half merge stays");
    assert_eq!(fs::read_to_string(two.root().join(note)).unwrap(), "no, mine");
    let found = two.verify(false).unwrap();
    assert_eq!((found.whole, found.problems.len()), (2, 1));
    assert_eq!(found.problems[0].kind, ProblemKind::Foreign);
}

#[test]
fn a_loss_is_not_handed_on() {
    let branch = Branch::new();
    let store = branch.host("one", 0);
    let name = store.add(&text(1, "one", 1000.0), NOW).unwrap().name;
    sync(&store, None, "history").unwrap();
    fs::remove_file(store.loose(&name)).unwrap();
    store.add(&text(2, "one", 1000.0), NOW).unwrap();
    let error = sync(&store, None, "history").unwrap_err().to_string();
    assert!(error.contains(name.as_str()) && error.contains("git checkout"), "{error}");
    git(store.root(), &["checkout", "--quiet", "--", "runs"]);
    assert!(sync(&store, None, "history").unwrap().pushed);
    assert_eq!(whole(&store), 3);
    // Packing takes files away, too, and no run with them.
    store.compact("2100-01").unwrap();
    assert!(sync(&store, None, "history").unwrap().pushed);
    assert_eq!(whole(&branch.host("late", 5)), 4);
    let lists = store.root().join("manifest");
    fs::remove_dir_all(lists).unwrap();
    let error = sync(&store, None, "history").unwrap_err().to_string();
    assert!(error.contains("manifest/"), "{error}");
}
