//! The workflows on a real forge: Gitea and its runners on this machine, a repository with the
//! code of rustls, two people, and what happens between them. `docs/gitea.md` tells what is other
//! than on GitHub.
//!
//! `scripts/test --forge` builds what this needs and calls it.

mod api;
mod gitea;
mod nights;
mod pulls;
mod repositories;
mod runner;
mod runs;

use api::Api;
use assert_cmd::cargo::cargo_bin;
use gitea::Gitea;
use repositories::{Checkout, LIBRARY};
use runner::{Runner, Wanted};
use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// The forge, and all who work for it. Ends them in this order, and then removes their files; after a
/// failure it keeps them.
struct Forge {
    runners: Vec<Runner>,
    gitea: Gitea,
    library: Checkout,
    folder: Folder,
    begun: Instant,
}

struct Folder(Option<TempDir>);

impl Drop for Folder {
    fn drop(&mut self) {
        if thread::panicking()
            && let Some(folder) = self.0.take()
        {
            eprintln!("the logs and all data are in {}", folder.keep().display());
        }
    }
}

impl Forge {
    fn start() -> Self {
        let begun = Instant::now();
        let temp = tempfile::Builder::new().prefix("shakedown-forge-").tempdir().unwrap();
        let folder = Folder(Some(temp));
        let place = folder.0.as_ref().unwrap().path().to_owned();
        let gitea = Gitea::start(&place);
        let api = gitea.api.clone();
        let library = repositories::make(&api, &place);
        let mut this = Self { runners: Vec::new(), gitea, library, folder, begun };
        // Two hosts that are the same machine: whatever keeps two measurements apart, it is not
        // that a runner takes one job at a time.
        let bench: &[&str] = &["self-hosted", "bench"];
        for (name, labels) in
            [("hosted", &["ubuntu-latest"] as &[&str]), ("bench-1", bench), ("bench-2", bench)]
        {
            let wanted = Wanted { name, labels, environment: environment(&place) };
            this.runners.push(Runner::start(&api, LIBRARY, &place, wanted));
        }
        this
    }

    fn api(&self) -> &Api {
        &self.gitea.api
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.0.as_ref().unwrap().path().join(path)
    }

    /// Says what comes, and how long it took until here.
    fn step(&self, what: &str) {
        eprintln!("== forge: {what} ({} s)", self.begun.elapsed().as_secs());
    }
}

impl Drop for Forge {
    fn drop(&mut self) {
        if thread::panicking() {
            let logs = self.at("logs");
            let _ = fs::create_dir_all(&logs);
            runs::keep_logs(self.api(), &logs);
        }
    }
}

/// What an operator sets for the runners' service. This machine is thrown away for all that they
/// know; and it is one host, whoever else measures on it.
fn environment(place: &Path) -> BTreeMap<String, String> {
    let of =
        |name: &str| env::var(name).unwrap_or_else(|_| panic!("{name}: see scripts/test --forge"));
    BTreeMap::from([
        ("SHAKEDOWN_BIN".to_owned(), cargo_bin("shakedown").display().to_string()),
        ("SHAKEDOWN_SANDBOX".to_owned(), "none".to_owned()),
        ("SHAKEDOWN_LOCK".to_owned(), place.join("lock").display().to_string()),
        ("SHAKEDOWN_CACHE".to_owned(), of("FORGE_BUILDS")),
        ("FORGE_ARTIFACT".to_owned(), of("FORGE_ARTIFACT")),
    ])
}

#[test]
#[ignore = "needs Gitea: scripts/test --forge calls it"]
fn the_workflows_do_what_they_promise_on_a_real_forge() {
    let forge = Forge::start();
    forge.step("two pull requests at once; one slows rustls down");
    let slow = pulls::two_at_once_are_measured_apart_and_the_slow_one_is_red(&forge);
    forge.step("a fix");
    pulls::a_fix_turns_the_same_comment_green(&forge, &slow);
    forge.step("two measurements that are stopped");
    pulls::a_measurement_that_is_stopped_in_the_middle_leaves_the_host_to_the_next(&forge, &slow);
    forge.step("a comment");
    pulls::a_comment_that_nobody_can_vouch_for_measures_nothing(&forge, &slow);
    forge.step("a stranger's pull request");
    pulls::a_fork_waits_for_approval_and_sees_no_secret(&forge);
    forge.step("two nights");
    nights::each_adds_to_the_history_and_builds_the_site(&forge);
    forge.step("done");
}

/// Longer than anything should take on a busy machine with nothing built.
const LONG: Duration = Duration::from_secs(15 * 60);
