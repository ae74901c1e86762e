//! Runs that are killed, that meet each other, or that run out of disk.

#[path = "drivers/bench.rs"]
mod bench;
#[path = "drivers/sound.rs"]
mod sound;

use shakedown_protocol::RunRecord;
use shakedown_schedule::{
    RecordFileError, RunEvent, ScheduleError, SilentObserver, load_record, resume, run,
};
use std::{
    fs,
    io::{BufRead, BufReader, Write},
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// A scheduler in a process of its own, over two slow drivers.
fn start(verb: &str, out: &Path, lock: &Path, blocks: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_lone-scheduler"))
        .arg(verb)
        .args([out, lock])
        .arg(blocks)
        .args(["slow", "good"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Lets it finish so many trials, and leaves the rest of its words in the pipe.
fn wait_for_trials(child: &mut Child, count: usize) {
    let lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
    assert_eq!(lines.take(count).filter(|line| line.is_ok()).count(), count);
}

fn planned_trials(record: &RunRecord) -> Vec<(u32, u32, String)> {
    let places = record.trials.iter().map(|t| (t.block, t.position, t.subject.clone()));
    let mut places: Vec<_> = places.collect();
    places.sort();
    places
}

/// Processes whose program is one of the drivers below `folder`.
fn drivers_alive(folder: &Path) -> usize {
    let ours = |pid: &str| {
        fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe.starts_with(folder))
    };
    let pids = fs::read_dir("/proc").unwrap().flatten();
    pids.filter(|entry| ours(&entry.file_name().to_string_lossy())).count()
}

#[test]
fn kill_9_loses_at_most_the_trials_in_flight() {
    let folder = tempfile::tempdir().unwrap();
    let (out, lock) = (folder.path().join("out"), folder.path().join("lock"));
    let mut whole = None;
    for seen in [1, 5, 12] {
        let _ = fs::remove_dir_all(&out);
        let mut child = start("run", &out, &lock, "3");
        wait_for_trials(&mut child, seen);
        child.kill().unwrap();
        child.wait().unwrap();
        let kept = load_record(&out).unwrap();
        assert!(kept.trials.len() >= seen, "what was told to be saved is saved");
        assert!(kept.finish.is_none());
        let deadline = Instant::now() + Duration::from_secs(5);
        while drivers_alive(folder.path()) > 0 {
            assert!(Instant::now() < deadline, "a driver outlives its scheduler");
        }
        // The lock went with the process: nothing has to be cleaned up.
        let mut session = bench::session(&out, &["slow", "good"]);
        session.options.lock = Some(lock.clone());
        session.options.no_wait = true;
        let mut started = 0;
        let record = resume(session, &mut |event: &RunEvent<'_>| {
            started += usize::from(matches!(event, RunEvent::Started { .. }));
        })
        .unwrap();
        assert_eq!(record.trials[..kept.trials.len()], kept.trials[..], "nothing is lost");
        assert!(record.finish.is_some());
        let planned = whole.get_or_insert_with(|| planned_trials(&record));
        assert_eq!(*planned, planned_trials(&record), "always the same trials");
        assert_eq!(planned.len(), 30);
        assert_eq!(started, 30 - kept.trials.len(), "nothing is measured twice");
    }
}

/// A valgrind that begins to write and does not end.
const ENDLESS: &str = r#"#!/bin/sh
for argument; do
    case $argument in --callgrind-out-file=*) dump=${argument#*=} ;; esac
done
echo half > "$dump.1"
echo $$ > "$dump.process"
exec sleep 600
"#;

/// The process of [`ENDLESS`], once it has written.
fn endless_process(temporary: &Path) -> u32 {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let folders = fs::read_dir(temporary).unwrap().flatten();
        let found = folders.filter_map(|f| fs::read_to_string(f.path().join("dump.process")).ok());
        if let Some(process) = found.filter_map(|text| text.trim().parse().ok()).next() {
            return process;
        }
        assert!(Instant::now() < deadline, "no count began");
        thread::sleep(Duration::from_millis(10));
    }
}

fn wait_until_gone(process: u32) {
    let deadline = Instant::now() + Duration::from_secs(5);
    let status = || fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    while !status().is_empty() && !status().contains(") Z ") {
        assert!(Instant::now() < deadline, "process {process} lives");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_count_under_way_ends_with_its_scheduler_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (out, lock) = (folder.path().join("out"), folder.path().join("lock"));
    let (temporary, valgrind) = (folder.path().join("tmp"), folder.path().join("valgrind"));
    fs::create_dir(&temporary).unwrap();
    fs::write(&valgrind, ENDLESS).unwrap();
    fs::set_permissions(&valgrind, fs::Permissions::from_mode(0o755)).unwrap();
    let start = |verb: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lone-scheduler"));
        command.arg(verb).args([&out, &lock]).args(["3", "slow", "good"]);
        command.env("TMPDIR", &temporary).env("VALGRIND", &valgrind);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap()
    };
    let left = || fs::read_dir(&temporary).unwrap().count();

    let mut killed = start("run");
    let process = endless_process(&temporary);
    killed.kill().unwrap();
    killed.wait().unwrap();
    wait_until_gone(process);
    // One for each count that was under way.
    let abandoned: Vec<_> = fs::read_dir(&temporary).unwrap().map(|f| f.unwrap().path()).collect();
    assert!(!abandoned.is_empty(), "kill -9 leaves a folder, which the next run removes");

    // As the command does when a signal ends it.
    let mut stopped = start("resume");
    let deadline = Instant::now() + Duration::from_secs(20);
    while abandoned.iter().any(|folder| folder.exists()) {
        assert!(Instant::now() < deadline, "one of {abandoned:?} is still there");
        thread::sleep(Duration::from_millis(10));
    }
    let process = endless_process(&temporary);
    stopped.stdin.take().unwrap().write_all(b"\n").unwrap();
    assert_eq!(stopped.wait().unwrap().code(), Some(3));
    wait_until_gone(process);
    assert_eq!(left(), 0);
    let record = load_record(&out).unwrap();
    let lost = record.trials.iter().filter(|trial| trial.measured().is_none()).count();
    assert_eq!(lost, 0, "what was killed is no lost trial");
}

#[test]
fn the_second_run_waits_for_the_first_or_says_who_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let lock = folder.path().join("lock");
    let mut first = start("run", &folder.path().join("first"), &lock, "30");
    wait_for_trials(&mut first, 1);
    let session = || {
        let mut session = bench::session(&folder.path().join("second"), &["good"]);
        session.options.lock = Some(lock.clone());
        session
    };
    let mut hasty = session();
    hasty.options.no_wait = true;
    let error = run(hasty, &mut SilentObserver).unwrap_err();
    let ScheduleError::Busy(holder) = &error else { panic!("{error}") };
    assert_eq!(holder.pid, first.id());
    assert!(holder.command.contains("lone-scheduler"), "{holder}");
    assert!(!folder.path().join("second").exists());

    let mut waited_for = None;
    let record = run(session(), &mut |event: &RunEvent<'_>| {
        if let RunEvent::Waiting(holder) = event {
            waited_for = Some(holder.pid);
        }
    })
    .unwrap();
    assert_eq!(waited_for, Some(first.id()));
    assert!(first.wait().unwrap().success());
    let other = load_record(&folder.path().join("first")).unwrap();
    let end = other.finish.unwrap().at_ms;
    assert!(record.trials.iter().all(|trial| trial.started_ms >= end), "they did not overlap");
}

/// A file system with little space, unmounted at the end.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount(kib: u32) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={kib}k"), "shakedown-test"])
            .arg(folder.path())
            .stderr(Stdio::null())
            .status();
        mounted.is_ok_and(|status| status.success()).then(|| Self(folder))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

/// Tells `scripts/test`, which names what was skipped when it ends.
fn skipped(what: &str) {
    println!("skipped: {what}");
    let Some(list) = std::env::var_os("SHAKEDOWN_SKIPPED") else { return };
    let mut list = fs::OpenOptions::new().append(true).create(true).open(list).unwrap();
    writeln!(list, "{what}").unwrap();
}

#[test]
fn a_full_disk_keeps_what_was_saved() {
    let Some(disk) = SmallDisk::mount(64) else {
        skipped("a_full_disk_keeps_what_was_saved: mounting a small file system needs root");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let out = disk.0.path().join("out");
    let session = |blocks| {
        let mut session = bench::session(&folder.path().join("elsewhere"), &["good"]);
        session.out.clone_from(&out);
        session.plan.blocks = blocks;
        session
    };
    let error = run(session(200), &mut SilentObserver).unwrap_err();
    let ScheduleError::Record(RecordFileError::Write { source, .. }) = &error else {
        panic!("{error}")
    };
    assert_eq!(source.kind(), std::io::ErrorKind::StorageFull, "{error}");
    let text = fs::read_to_string(shakedown_schedule::record_path(&out)).unwrap();
    let kept = RunRecord::from_json(&text).expect("valid without any repair");
    assert!(kept.trials.len() > 10 && kept.finish.is_none(), "{}", kept.trials.len());

    // With more space, it goes on where it was.
    let grown = Command::new("mount").args(["-o", "remount,size=4m"]).arg(disk.0.path()).status();
    assert!(grown.unwrap().success());
    let record = resume(session(200), &mut SilentObserver).unwrap();
    assert_eq!(record.trials[..kept.trials.len()], kept.trials[..]);
    assert_eq!(record.trials.len(), 1000);
}
