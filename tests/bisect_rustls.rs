//! `shakedown bisect` over 64 commits of rustls: releases as the registry has them, and commits made
//! between them. One commit costs 3 % more instructions; the others change comments, names and
//! modules, one does not build, and two are taken back. Slow: run by hand,
//!
//!     cargo test --test bisect_rustls -- --ignored --nocapture
//!
//! which prints one line of CSV a run. `SHAKEDOWN_BISECT_RUNS=N` makes the first N runs only,
//! `SHAKEDOWN_BISECT_JOBS=N` makes N at a time, each with a cache of its own: counts do not mind, and
//! builds of one package take turns in one cache. `SHAKEDOWN_BISECT_TIMES=1` follows handshakes per
//! second, with a commit that costs 5 %.

mod common;

use common::{nights::argument, release, shakedown, upstream::Upstream};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Instant,
};

/// Commits between good and bad, and the release that each begins with.
const COMMITS: usize = 64;
const RELEASES: [(usize, &str); 3] = [(0, "0.23.41"), (23, "0.23.42"), (45, "0.23.46")];

/// Does not build; the next commit takes it back.
const BROKEN: usize = 17;
/// A refactoring that the next commit takes back.
const TAKEN_BACK: usize = 38;

/// Histories with the change in another place. Each is searched in each of the [`SCENARIOS`].
const HISTORIES: usize = 20;
const RUNS: usize = HISTORIES * SCENARIOS.len();
const SCENARIOS: [&str; 2] = [
    "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256",
    "handshake-full/tls1.3/aes256-gcm/secp256r1/ecdsa-p256",
];

/// Functions of all three releases that refactorings rename.
const RENAMED: [&str; 6] = [
    "emit_client_hello_for_retry",
    "validate_server_hello",
    "encrypt_outgoing",
    "emit_finished_tls13",
    "emit_certificate_verify_tls13",
    "emit_encrypted_extensions",
];

/// Files that get comments.
const COMMENTED: [&str; 5] =
    ["hash_hs.rs", "record_layer.rs", "client/hs.rs", "server/tls13.rs", "msgs/codec.rs"];

const SUITE: &str = r#"
name = "bisected"
description = "One handshake"
blocks = 8
aslr = "on"
meters = ["time", "heap", "instructions"]
tickets = 0

[budget]
warm-up-ms = 20
measure-ms = 100
batch-ms = 5
operations = 4
timeout-ms = 30000

[[scenarios]]
kind = ["handshake-full"]
version = ["tls1.3"]
cipher-suite = ["aes256-gcm"]
group = ["x25519", "secp256r1"]
key = ["ecdsa-p256"]
"#;

#[test]
#[ignore = "builds hundreds of commits of rustls: run by hand"]
fn the_commit_of_a_real_library_is_found() {
    let number = |name: &str, otherwise: usize| {
        std::env::var(name).map_or(otherwise, |number| number.parse().unwrap())
    };
    let runs = number("SHAKEDOWN_BISECT_RUNS", RUNS);
    let times = number("SHAKEDOWN_BISECT_TIMES", 0) > 0;
    let folder = tempfile::tempdir().unwrap();
    let upstream = Upstream::new("bisect-rustls-upstream");
    let plain = plain_history(&upstream, folder.path());
    let suite = folder.path().join("bisected.toml");
    fs::write(&suite, SUITE).unwrap();
    let histories: Vec<(usize, Vec<String>)> = (0..HISTORIES)
        .map(guilty)
        .map(|guilty| {
            (guilty, slowed(&upstream, &plain, guilty, if times { 8_000 } else { 5_800 }))
        })
        .collect();
    println!("run,commit,scenario,found,change,builds,skipped,seconds");
    let right = AtomicUsize::new(0);
    let jobs = number("SHAKEDOWN_BISECT_JOBS", 1);
    thread::scope(|scope| {
        for job in 0..jobs {
            let own = folder.path().join(format!("job-{job}"));
            fs::create_dir(&own).unwrap();
            let (right, upstream, suite, histories) = (&right, &upstream, &suite, &histories);
            scope.spawn(move || {
                let one = Search { folder: &own, suite, times, upstream: upstream.folder() };
                // A history stays with one job, whose cache has its builds.
                for run in (0..runs).filter(|run| run % HISTORIES % jobs == job) {
                    let exact = one.run(run, &histories[run % HISTORIES]);
                    right.fetch_add(usize::from(exact), Ordering::Relaxed);
                }
            });
        }
    });
    let right = right.into_inner();
    println!("{right} of {runs}");
    assert!(right * 100 >= runs * if times { 90 } else { 95 }, "{right} of {runs}");
}

/// Where a history has its change: all over the line, and never where it can't be told from a commit
/// that does not build.
fn guilty(number: usize) -> usize {
    let places: Vec<usize> =
        (1..=COMMITS).filter(|at| ![BROKEN, BROKEN + 1].contains(at)).collect();
    places[(number * 37 + 11) % places.len()]
}

/// The commits without the change, the good one first.
fn plain_history(upstream: &Upstream, folder: &Path) -> Vec<String> {
    let source = upstream.folder().join("rustls/src");
    for (_, version) in RELEASES {
        release::lay_out(version, &folder.join(version));
    }
    let commit = |at: usize| {
        let (begun, version) = *RELEASES.iter().rev().find(|(from, _)| *from <= at).unwrap();
        let _ = fs::remove_dir_all(upstream.folder().join("rustls"));
        common::upstream::copy(&folder.join(version).join("."), upstream.folder());
        for edit in 1..=at {
            make(&source, edit, at);
        }
        let message = match at {
            _ if at == begun => format!("Release {version}"),
            BROKEN => "Try something".to_owned(),
            _ if at == BROKEN + 1 || at == TAKEN_BACK + 1 => "Revert the last commit".to_owned(),
            _ if at.is_multiple_of(3) => format!("Better names, part {at}"),
            _ => format!("Explain, part {at}"),
        };
        upstream.commit(&message)
    };
    (0..=COMMITS).map(commit).collect()
}

/// The same commits, from one of them on with a slower function. Those before it keep their ids, so that
/// they are built once for all histories.
fn slowed(upstream: &Upstream, plain: &[String], guilty: usize, checksum: u32) -> Vec<String> {
    const FILE: &str = "rustls/src/server/tls13.rs";
    let call = format!("crate::record_layer::checksum(&[1, 2, 3], {checksum});");
    let mut ids = plain[..guilty].to_vec();
    for at in guilty..=COMMITS {
        let place = tempfile::NamedTempFile::new().unwrap();
        fs::write(&place, upstream.git(&["show", &format!("{}:{FILE}", plain[at])])).unwrap();
        release::put_into(place.path(), "fn handle_client_hello(", &call);
        let blob = upstream.git(&["hash-object", "-w", argument(place.path())]);
        upstream.git(&["read-tree", &plain[at]]);
        upstream.git(&["update-index", "--cacheinfo", &format!("100644,{blob},{FILE}")]);
        let tree = upstream.git(&["write-tree"]);
        let message = upstream.git(&["show", "--no-patch", "--format=%s", &plain[at]]);
        let parent = &ids[at - 1];
        ids.push(upstream.git(&["commit-tree", &tree, "-p", parent, "-m", &message]));
    }
    // So that a fetch finds them.
    upstream.git(&["branch", "--force", &format!("slower-{guilty}"), &ids[COMMITS]]);
    ids
}

/// What commit `edit` does, as far as commit `at` still has it.
fn make(source: &Path, edit: usize, at: usize) {
    let append = |file: &str, text: &str| {
        let path = source.join(file);
        let before = fs::read_to_string(&path).unwrap();
        fs::write(path, before + text).unwrap();
    };
    match edit {
        BROKEN if at == BROKEN => append("lib.rs", "this does not compile\n"),
        TAKEN_BACK if at == TAKEN_BACK => release::rename(source, "is_encrypting", "encrypts"),
        _ if [BROKEN, BROKEN + 1, TAKEN_BACK, TAKEN_BACK + 1].contains(&edit) => {}
        // The name that the function has got before, with one letter more.
        _ if edit.is_multiple_of(3) => {
            let old = RENAMED[edit / 3 % RENAMED.len()];
            release::rename(source, old, &format!("{old}_x"));
        }
        _ => append(COMMENTED[edit % COMMENTED.len()], &format!("// Explained, part {edit}.\n")),
    }
}

/// Bisections, one after the other.
struct Search<'a> {
    folder: &'a Path,
    suite: &'a Path,
    times: bool,
    upstream: &'a Path,
}

impl Search<'_> {
    /// Bisects, prints the line of the table, and says whether the commit was found.
    fn run(&self, run: usize, (guilty, ids): &(usize, Vec<String>)) -> bool {
        let out = self.folder.join(format!("out-{run}"));
        let metric = if self.times { "handshakes" } else { "instructions" };
        let scenario = SCENARIOS[run / HISTORIES % SCENARIOS.len()];
        let begun = Instant::now();
        let mut command = shakedown(self.folder);
        command.env("SHAKEDOWN_CACHE", self.folder.join("cache"));
        if self.times {
            // One job measures while others build.
            command.env("SHAKEDOWN_LOCK", self.upstream.join("../bisect-rustls.lock"));
        }
        let output = command
            .args(["bisect", "rustls+ring", "--repository", argument(self.upstream)])
            .args(["--good", &ids[0], "--bad", &ids[COMMITS], "--scenario", scenario])
            // Between releases the instructions differ, too.
            .args(["--side", "server", "--metric", metric, "--least", "1.5", "--json"])
            .args(["--suite", argument(self.suite), "--out", argument(&out)])
            .arg("--history")
            .arg(self.folder.join("no-history"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let found: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{said}"));
        let name = |id: &Value| {
            let at = ids.iter().position(|known| id.as_str() == Some(known));
            at.map_or_else(|| "?".to_owned(), |at| at.to_string())
        };
        let changes = found["findings"]["changes"].as_array().cloned().unwrap_or_default();
        let commits: Vec<String> = changes.iter().map(|one| name(&one["commit"])).collect();
        let looked_at = found["looked_at"].as_array().cloned().unwrap_or_default();
        let is = |one: &Value, what: &str| one["result"].to_string().contains(what);
        let built = looked_at.iter().filter(|one| !is(one, "like"));
        let builds: BTreeSet<String> = built.map(|one| name(&one["id"])).collect();
        let skipped = looked_at.iter().filter(|one| is(one, "why"));
        let change = found["located"][0]["change"].as_f64().unwrap_or_default() * 100.0;
        let exact = output.status.code() == Some(0) && commits == [guilty.to_string()];
        println!(
            "{run},{guilty},{scenario},{},{change:.2} %,{},{},{}",
            commits.join(" "),
            builds.len(),
            skipped.count(),
            begun.elapsed().as_secs()
        );
        if exact {
            fs::remove_dir_all(out).unwrap();
        } else {
            println!("{said}\n{found:#}");
        }
        exact
    }
}
