//! The sandbox's client and service over a real socket, and the shell functions that end what a
//! job or a build left behind. The sandbox itself needs systemd: `runner-setup/vm/cases/sandbox`.

mod common;

use common::root;
use std::{
    fs,
    os::{
        fd::OwnedFd,
        unix::{
            fs::{MetadataExt, PermissionsExt},
            net::UnixListener,
            process::CommandExt,
        },
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// A user that nobody else on this machine is.
const USER: u32 = 64_998;

fn is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}

fn eventually(what: &str, is_so: impl Fn() -> bool) {
    let limit = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < limit, "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

fn is_alive(pid: &str) -> bool {
    fs::read_to_string(format!("/proc/{}/stat", pid.trim())).is_ok_and(|s| !s.contains(") Z "))
}

/// A folder that every user can enter, with a copy of the command in it.
fn shared_folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let command = folder.path().join("shakedown");
    // By a program of its own: a file that this process had open for writing while another test's
    // thread forked would be busy.
    let mut copy = Command::new("cp");
    copy.arg(assert_cmd::cargo::cargo_bin("shakedown")).arg(&command);
    assert!(copy.status().unwrap().success());
    (folder, command)
}

/// Starts `host sandbox`, as an unprivileged user where this test is root.
fn client(folder: &Path, command: &Path) -> Child {
    let source = folder.join("source");
    fs::create_dir_all(&source).unwrap();
    let mut client = Command::new(command);
    client.args(["host", "sandbox", "--build", "true", "--source"]).arg(&source);
    client.arg("--out").arg(folder.join("out")).arg("--socket").arg(folder.join("sandbox.sock"));
    client.current_dir("/").stdout(Stdio::piped()).stderr(Stdio::piped());
    if is_root() {
        client.uid(USER).gid(USER);
    }
    client.spawn().unwrap()
}

/// Accepts one connection and serves it with a script, as systemd starts the service.
fn service(folder: &Path, command: &Path, script: &str) -> thread::JoinHandle<()> {
    let socket = folder.join("sandbox.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    fs::set_permissions(&socket, fs::Permissions::from_mode(0o666)).unwrap();
    let mut serve = Command::new(command);
    serve.args(["host", "serve", "--", "bash", "-c", script]).current_dir(folder);
    thread::spawn(move || {
        let stream = listener.accept().unwrap().0;
        serve.stdin(OwnedFd::from(stream.try_clone().unwrap())).stdout(OwnedFd::from(stream));
        let mut service = serve.spawn().unwrap();
        drop(serve);
        service.wait().unwrap();
    })
}

#[test]
fn a_client_gets_the_log_the_files_and_the_code_of_its_build() {
    let (folder, command) = shared_folder();
    let script = "mkdir work && tar -x -C work && cd work && mkdir out && echo built >out/file && \
        echo said >log && echo 7 >status && tar -c log status out";
    let service = service(folder.path(), &command, script);
    let output = client(folder.path(), &command).wait_with_output().unwrap();
    // First: a client that never called would leave the service waiting.
    assert_eq!(output.status.code(), Some(7), "{output:?}");
    service.join().unwrap();
    assert_eq!(output.stdout, b"said\n");
    assert_eq!(fs::read_to_string(folder.path().join("out/file")).unwrap(), "built\n");
}

#[test]
fn killing_the_client_ends_its_build() {
    let (folder, command) = shared_folder();
    let script = "cat >/dev/null; sleep 1000 & echo $! $$ >pids; wait";
    let service = service(folder.path(), &command, script);
    let mut client = client(folder.path(), &command);
    let pids = folder.path().join("pids");
    let read = || fs::read_to_string(&pids).unwrap_or_default();
    eventually("the build starts", || read().ends_with('\n'));
    let started = read();
    assert!(started.split_whitespace().all(is_alive), "{started}");
    client.kill().unwrap();
    client.wait().unwrap();
    service.join().unwrap();
    eventually("the build ends", || !started.split_whitespace().any(is_alive));
}

#[test]
fn a_service_that_refuses_is_an_error_that_says_what_to_do() {
    let (folder, command) = shared_folder();
    let service = service(folder.path(), &command, "exit 2");
    let output = client(folder.path(), &command).wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    service.join().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("another build is running"), "{message}");
}

/// Calls a function of `libexec/functions.sh`.
fn function(call: &str) -> std::process::Output {
    let script = format!("set -euo pipefail; . runner-setup/libexec/functions.sh; {call}");
    Command::new("bash").args(["-c", &script]).current_dir(root()).output().unwrap()
}

/// A program that starts itself again and ends, without end: each process is a new one.
fn fork_chain(folder: &Path) -> PathBuf {
    let path = folder.join("chain");
    fs::write(&path, "#!/bin/sh\n\"$0\" &\nexit 0\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// A new cgroup of version 2; `None` where this user can't create one.
fn cgroup(name: &str) -> Option<PathBuf> {
    let tops = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].map(Path::new);
    let top = tops.into_iter().find(|top| top.join("cgroup.controllers").exists())?;
    let folder = top.join(format!("shakedown-test-{name}-{}", std::process::id()));
    fs::create_dir(&folder).ok()?;
    folder.join("cgroup.kill").exists().then_some(folder)
}

#[test]
fn a_fork_chain_in_a_cgroup_ends() {
    let Some(cgroup) = cgroup("kill") else {
        eprintln!("skipped: needs root and cgroup v2");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let chain = fork_chain(folder.path());
    let below = cgroup.join("below");
    fs::create_dir(&below).unwrap();
    let start = format!("echo $$ >{}/cgroup.procs; exec {}", below.display(), chain.display());
    for _ in 0..3 {
        Command::new("setsid").args(["sh", "-c", &start]).status().unwrap();
        let populated = || fs::read_to_string(cgroup.join("cgroup.events")).unwrap();
        eventually("the chain runs", || populated().contains("populated 1"));
        let output = function(&format!("kill_cgroup {}", cgroup.display()));
        assert!(output.status.success(), "{output:?}");
        thread::sleep(Duration::from_millis(200));
        assert!(populated().contains("populated 0"), "a process survived");
    }
    fs::remove_dir(below).unwrap();
    fs::remove_dir(cgroup).unwrap();
}

#[test]
fn a_cgroup_that_is_gone_needs_no_killing() {
    assert!(function("kill_cgroup /sys/fs/cgroup/shakedown-nowhere").status.success());
}

#[test]
fn a_fork_chain_of_a_user_ends() {
    const CHAIN_USER: u32 = 64_997;
    if !is_root() {
        eprintln!("skipped: needs root");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let chain = fork_chain(folder.path());
    let count = || {
        // A zombie is dead; some parents take their time to ask for it.
        let user = CHAIN_USER.to_string();
        let output = Command::new("ps").args(["-o", "stat=", "-u", &user]).output().unwrap();
        let states = String::from_utf8(output.stdout).unwrap();
        states.lines().filter(|state| !state.starts_with('Z')).count()
    };
    for _ in 0..3 {
        Command::new("setsid").arg(&chain).uid(CHAIN_USER).gid(CHAIN_USER).status().unwrap();
        eventually("the chain runs", || count() > 0);
        let output = function(&format!("kill_user {CHAIN_USER}"));
        assert!(output.status.success(), "{output:?}");
        thread::sleep(Duration::from_millis(200));
        assert_eq!(count(), 0, "a process survived");
    }
}

#[test]
fn whatever_a_job_left_in_place_of_the_lock_is_replaced_and_a_lock_is_kept() {
    if !is_root() {
        eprintln!("skipped: needs root");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let lock = folder.path().join("lock");
    let victim = folder.path().join("victim");
    fs::write(&victim, "kept").unwrap();
    fs::set_permissions(&victim, fs::Permissions::from_mode(0o600)).unwrap();
    let leave: [fn(&Path, &Path); 5] = [
        |_, _| {},
        |lock, _| fs::create_dir_all(lock.join("deep")).unwrap(),
        |lock, victim| std::os::unix::fs::symlink(victim, lock).unwrap(),
        |lock, _| std::os::unix::fs::symlink("/nowhere", lock).unwrap(),
        |lock, _| assert!(Command::new("mkfifo").arg(lock).status().unwrap().success()),
    ];
    for leave in leave {
        leave(&lock, &victim);
        let output = function(&format!("own_lock {}", lock.display()));
        assert!(output.status.success(), "{output:?}");
        let about = fs::symlink_metadata(&lock).unwrap();
        assert!(about.is_file() && about.uid() == 0 && about.mode() & 0o777 == 0o666);
        // One that is a file stays the same file: somebody may hold it.
        function(&format!("own_lock {}", lock.display()));
        assert_eq!(fs::metadata(&lock).unwrap().ino(), about.ino());
        fs::remove_file(&lock).unwrap();
    }
    assert_eq!(fs::read_to_string(&victim).unwrap(), "kept");
    assert_eq!(fs::metadata(&victim).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn the_service_outlives_the_longest_fetch_and_build_that_its_broker_allows() {
    let seconds = |path: &str| -> Vec<u64> {
        let text = fs::read_to_string(root().join(path)).unwrap();
        let limits = text.split("RuntimeMaxSec=").skip(1);
        limits
            .map(|rest| {
                let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                rest[..digits].parse().unwrap()
            })
            .collect()
    };
    let allowed = seconds("runner-setup/libexec/sandbox-broker");
    assert_eq!(allowed.len(), 2, "a fetch and a build: {allowed:?}");
    let [service] = seconds("runner-setup/units/shakedown-sandbox@.service")[..] else {
        panic!("the unit has no limit in seconds");
    };
    assert!(service > allowed.iter().sum(), "{service} for {allowed:?}");
}
