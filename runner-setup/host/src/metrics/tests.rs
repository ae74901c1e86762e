use super::*;
use crate::{observe, testing::TestMachine};

#[test]
fn the_text_is_what_the_collector_reads() {
    let machine = TestMachine::new("hybrid");
    machine.put("proc/sys/kernel/hostname", "odd\"name\\");
    let facts = observe(&machine.root).unwrap();
    let health = HostHealth { now_ms: 1_795_247_955_446, ..HostHealth::default() };
    let text = metrics(&machine.root, &facts, &health);
    insta::assert_snapshot!(text);
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (_, value) = line.rsplit_once(' ').unwrap();
        value.parse::<f64>().unwrap();
    }
    let health = HostHealth { disks: vec![machine.root.path("")], tuned: true, ..health };
    let text = metrics(&machine.root, &facts, &health);
    assert!(text.contains("shakedown_host_tuned 1\n"), "{text}");
    assert!(text.contains("disk_free_bytes{folder=\"/"), "{text}");
}

#[test]
fn the_runner_the_queue_and_the_runs_are_told_where_they_are_known() {
    let machine = TestMachine::new("arm");
    let facts = observe(&machine.root).unwrap();
    let run = |spread| RunHealth {
        at_ms: 1_795_247_955_446,
        trials: 4,
        flawed: [("stolen".to_owned(), 0.25)].into(),
        spread: Some(spread),
        noise: Some(0.003),
    };
    let health = HostHealth {
        runs: [0.01, 0.01, 0.01, 0.01, 0.02, 0.02].map(run).into(),
        runner_up: Some(true),
        busy: Some(false),
        queued: Some(3),
        ..HostHealth::default()
    };
    let text = metrics(&machine.root, &facts, &health);
    for line in [
        "runner_up 1",
        "busy 0",
        "queued_runs 3",
        "last_run_seconds 1795247955",
        "last_run_flawed_ratio{flaw=\"stolen\"} 0.25",
        "last_run_spread_ratio 0.02",
        "spread_trend_ratio 2",
        "noise_ratio 0.003",
    ] {
        assert!(text.contains(&format!("\nshakedown_host_{line}\n")), "{line}: {text}");
    }
}

#[test]
fn the_age_of_the_runner_is_told_where_there_is_one() {
    const DAY: u64 = 86_400_000;
    let now_ms = 1_795_247_955_446;
    let machine = TestMachine::new("arm");
    let facts = observe(&machine.root).unwrap();
    let folder = machine.root.path(crate::RUNNER_PREFIX).join("runner");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("run.sh"), "").unwrap();
    fs::write(folder.join(".shakedown"), "version=2.399.0\n").unwrap();
    let version = "2.400.0".parse().unwrap();
    let releases = vec![crate::PublishedRunner { version, published_ms: now_ms - 25 * DAY }];
    let seen = crate::KnownRunnerReleases { checked_ms: now_ms - DAY, releases };
    seen.write(&machine.root).unwrap();
    let health = HostHealth { now_ms, ..HostHealth::default() };
    let text = metrics(&machine.root, &facts, &health);
    for line in [
        "runner_info{version=\"2.399.0\",newest=\"2.400.0\"} 1",
        "runner_checked_seconds 1795161555",
        "runner_refused_in_seconds 432000",
        "runner_old 1",
    ] {
        assert!(text.contains(&format!("\nshakedown_host_{line}\n")), "{line}: {text}");
    }
}

#[test]
fn a_lock_is_seen_without_being_taken() {
    let root = HostRoot::real();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    assert_eq!(is_locked(&root, &path), Some(false));
    let file = fs::File::create(&path).unwrap();
    assert_eq!(is_locked(&root, &path), Some(false));
    file.lock().unwrap();
    assert_eq!(is_locked(&root, &path), Some(true));
    file.unlock().unwrap();
    assert_eq!(is_locked(&root, &path), Some(false));
}

#[test]
fn it_is_written_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shakedown.prom");
    write(&path, "a 1\n").unwrap();
    write(&path, "a 2\n").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "a 2\n");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert!(write(&folder.path().join("none/x.prom"), "").is_err());
}
