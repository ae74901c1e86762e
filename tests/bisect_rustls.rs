//! `shakedown bisect` over 64 commits of rustls: releases as the registry has them, and commits made
//! between them. One commit costs 3 % more instructions; the others change comments, names and
//! modules, one does not build, and two are taken back. Slow: run by hand,
//!
//!     cargo test --test bisect_rustls -- --ignored --nocapture
//!
//! which prints one line of CSV a run.
//!
//! - `SHAKEDOWN_BISECT_RUNS=N` makes the first N runs only.
//! - `SHAKEDOWN_BISECT_JOBS=N` makes N at a time, each with a cache of its own: counts do not mind, and
//!   builds of one package take turns in one cache.
//! - `SHAKEDOWN_BISECT_TIMES=after-counts` follows handshakes per second, with a commit that costs 5 %: first
//!   the searches by counts, which build the commits, then those by times, one after the other. The machine must
//!   be quiet by then. `SHAKEDOWN_BISECT_TIMES=only` leaves the first part out.
//! - `SHAKEDOWN_BISECT_CACHE=FOLDER` keeps the builds in a folder, for another time.

mod common;

use common::{nights::argument, release, shakedown, upstream::Upstream};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
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

/// Histories with the change in another place, for searches by counts and by times. Each is searched in each of
/// the [`SCENARIOS`].
const HISTORIES: [usize; 2] = [20, 5];
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
    let times = std::env::var("SHAKEDOWN_BISECT_TIMES").ok();
    let histories = HISTORIES[usize::from(times.is_some())];
    let runs = number("SHAKEDOWN_BISECT_RUNS", histories * SCENARIOS.len());
    let folder = tempfile::tempdir().unwrap();
    let upstream = Upstream::new("bisect-rustls-upstream");
    let plain = plain_history(&upstream, folder.path());
    let suite = folder.path().join("bisected.toml");
    fs::write(&suite, SUITE).unwrap();
    let histories: Vec<History> = (0..histories)
        .map(guilty)
        .map(|guilty| {
            (guilty, slowed(&upstream, &plain, guilty, if times.is_some() { 4_400 } else { 5_800 }))
        })
        .collect();
    let jobs = number("SHAKEDOWN_BISECT_JOBS", 1);
    let cache = std::env::var("SHAKEDOWN_BISECT_CACHE");
    let cache = cache.map_or_else(|_| folder.path().join("caches"), PathBuf::from);
    let (suite, upstream) = (&*suite, upstream.folder());
    let bench = Bench { folder: folder.path(), cache: &cache, suite, upstream, jobs };
    let by_counts = || bench.search(&histories, runs, jobs, "instructions");
    let (right, least) = match times.as_deref() {
        None => (by_counts(), 95),
        Some(when) => {
            if when != "only" {
                // Builds the commits: then nothing builds beside a measurement.
                println!("{} of {runs} by counts", by_counts());
            }
            (bench.search(&histories, runs, 1, "handshakes"), 90)
        }
    };
    println!("{right} of {runs}");
    assert!(right * 100 >= runs * least, "{right} of {runs}");
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

/// A commit with the change, and the ids of all commits.
type History = (usize, Vec<String>);

/// Where bisections run.
struct Bench<'a> {
    folder: &'a Path,
    /// The caches of builds, one for each job.
    cache: &'a Path,
    suite: &'a Path,
    upstream: &'a Path,
    /// How many caches there are.
    jobs: usize,
}

impl Bench<'_> {
    /// Makes so many bisections, some at a time; gives how many were right.
    fn search(&self, histories: &[History], runs: usize, at_once: usize, metric: &str) -> usize {
        println!("run,commit,scenario,found,change,builds,skipped,seconds");
        let right = AtomicUsize::new(0);
        thread::scope(|scope| {
            for thread in 0..at_once {
                let right = &right;
                scope.spawn(move || {
                    // A history stays with one thread, as builds of one package take turns in a cache.
                    for run in (0..runs).filter(|run| run % histories.len() % at_once == thread) {
                        let exact = self.one(run, histories, metric);
                        right.fetch_add(usize::from(exact), Ordering::Relaxed);
                    }
                });
            }
        });
        right.into_inner()
    }

    /// Bisects, prints the line of the table, and says whether the commit was found.
    fn one(&self, run: usize, histories: &[History], metric: &str) -> bool {
        let history = run % histories.len();
        let (guilty, ids) = &histories[history];
        let job = format!("job-{}", history % self.jobs);
        let own = self.folder.join(&job);
        fs::create_dir_all(&own).unwrap();
        let out = own.join(format!("{metric}-{run}"));
        let scenario = SCENARIOS[run / histories.len() % SCENARIOS.len()];
        let begun = Instant::now();
        let output = shakedown(&own)
            .env("SHAKEDOWN_CACHE", self.cache.join(job))
            .args(["bisect", "rustls+ring", "--repository", argument(self.upstream)])
            .args(["--good", &ids[0], "--bad", &ids[COMMITS], "--scenario", scenario])
            .args(["--side", "server", "--metric", metric, "--json"])
            .args(["--suite", argument(self.suite), "--out", argument(&out)])
            .arg("--history")
            .arg(self.folder.join("no-history"))
            // Between releases the instructions differ by more than the policy's margin for them.
            .args((metric == "instructions").then_some(["--least", "1.5"]).into_iter().flatten())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        // Ends that do not differ are no result, and no JSON.
        let found: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
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
