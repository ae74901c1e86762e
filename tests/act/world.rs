//! A forge in a folder, and `act` to run workflows on this very machine.

use assert_cmd::cargo::cargo_bin;
use serde_json::{Value, json};
use shakedown_forge::fake::FakeForge;
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};
use tempfile::TempDir;

/// Variables of a repository that measures the stack that does nothing with its own drivers.
pub const VARIABLES: [&str; 5] = [
    "BENCH_STACK=noop",
    "BENCH_HARNESS=true",
    "BENCH_SUITE=tiny",
    "BENCH_POLICY=thresholds/tiny.toml",
    "BENCH_REQUIRE_FIT=false",
];

/// The token of every job.
pub const TOKEN: &str = "ghs_0123456789";

/// The repository, its forge and what workflows leave behind; gone when dropped.
pub struct World {
    folder: TempDir,
    /// Commit of the default branch.
    pub base: String,
    /// The forge's API.
    pub fake: FakeForge,
    /// Folder of the repository whose workflows run.
    pub place: &'static str,
}

/// What came of a workflow.
pub struct Ran {
    pub success: bool,
    /// The lines of act's JSON log.
    pub log: Vec<Value>,
}

impl Ran {
    /// Everything that the steps printed.
    pub fn printed(&self) -> String {
        let lines = self.log.iter().filter(|line| line["raw_output"] == true);
        lines.filter_map(|line| line["msg"].as_str()).collect()
    }

    /// Whether a text stands anywhere in the log, be it in an error that the page of the run shows.
    pub fn told(&self, text: &str) -> bool {
        self.log.iter().any(|line| line["msg"].as_str().is_some_and(|told| told.contains(text)))
    }

    /// Whether a job did anything at all.
    pub fn began(&self, job: &str) -> bool {
        self.log.iter().any(|line| line["jobID"] == job && line["stepResult"].is_string())
    }

    /// How a step of a job ended: `success`, `failure`, `skipped`, or nothing if it never began.
    pub fn step(&self, job: &str, step: &str) -> Option<&str> {
        let mut lines = self.log.iter().filter(|line| {
            line["jobID"] == job && line["step"] == step && line["stepResult"].is_string()
        });
        lines.next_back()?["stepResult"].as_str()
    }

    /// The newest value that a step gave to an output.
    pub fn output(&self, name: &str) -> Option<&str> {
        let start = format!("set-output:: {name}=");
        let mut lines = self.log.iter().filter_map(|line| line["msg"].as_str());
        let line = lines.rfind(|line| line.contains(&start))?;
        Some(line.split_once(&start)?.1.trim())
    }
}

impl World {
    pub fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let mut world =
            Self { folder, base: String::new(), fake: FakeForge::start(), place: "repo" };
        let (root, repo) = (Path::new(env!("CARGO_MANIFEST_DIR")), world.at("repo"));
        fs::create_dir_all(&repo).unwrap();
        fs::create_dir_all(world.at("bin")).unwrap();
        world.program("gh", "bin/gh");
        for pager in ["less", "more", "pager"] {
            world.program("pager", &format!("bin/{pager}"));
        }
        let files = run(Command::new("git").current_dir(root).args([
            "ls-files",
            "--cached",
            "--others",
            "--exclude-standard",
        ]));
        for file in files.lines() {
            // A file that was deleted and not yet committed is still listed.
            if !root.join(file).is_file() {
                continue;
            }
            fs::create_dir_all(repo.join(file).parent().unwrap()).unwrap();
            fs::copy(root.join(file), repo.join(file)).unwrap();
        }
        for (from, to) in [
            ("tiny.toml", "bench/catalog/suites/tiny.toml"),
            ("policy.toml", "thresholds/tiny.toml"),
            ("caller.yml", ".github/workflows/caller.yml"),
        ] {
            fs::copy(root.join("tests/act").join(from), repo.join(to)).unwrap();
        }
        world.git(&["init", "-q", "-b", "main"]);
        world.git(&["remote", "add", "origin", "https://github.com/o/shakedown"]);
        world.base = world.commit("base");
        world.write_home();
        world
    }

    /// A place in it.
    pub fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Puts a stand-in of `tests/act` where it can be called.
    pub fn program(&self, name: &str, to: &str) -> PathBuf {
        let (from, to) = (Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/act"), self.at(to));
        fs::copy(from.join(name), &to).unwrap();
        fs::set_permissions(&to, fs::Permissions::from_mode(0o755)).unwrap();
        to
    }

    /// What the API answers where nothing but asking is done.
    pub fn answer(&self, path: &str, value: Value) {
        self.fake.state().fixtures.insert(format!("/repos/o/shakedown/{path}"), value);
    }

    /// What GitHub says of two commits: where they part, and how far base has moved on since.
    pub fn merge_base(&self, base: &str, head: &str, merge_base: &str, behind_by: u64) {
        let answer = (merge_base.to_owned(), behind_by);
        self.fake.state().merge_bases.insert(format!("{base}...{head}"), answer);
    }

    /// Requests of a kind that reached the API: their paths.
    pub fn requests(&self, kind: impl Fn(&str) -> bool) -> Vec<String> {
        let state = self.fake.state();
        let found = state.requests.iter().filter(|(method, ..)| kind(method));
        found.map(|(method, path, _)| format!("{method} {path}")).collect()
    }

    /// Git finds the forge's folder in place of github.com.
    fn write_home(&self) {
        let forge = self.at("forge");
        fs::create_dir_all(self.at("home")).unwrap();
        let text = format!(
            "[url \"file://{}/\"]\n\tinsteadOf = https://github.com/\n[safe]\n\tdirectory = *\n",
            forge.display()
        );
        fs::write(self.at("home/.gitconfig"), text).unwrap();
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        for name in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{name}_NAME"), "t").env(format!("GIT_{name}_EMAIL"), "t@t");
        }
        run(command.arg("-C").arg(self.at("repo")).args(arguments))
    }

    /// Commits everything, and brings it to the forge.
    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        let forge = self.forge();
        if !forge.exists() {
            run(Command::new("git").args(["init", "-q", "--bare", "-b", "main"]).arg(&forge));
            let allow = ["config", "uploadpack.allowAnySHA1InWant", "true"];
            run(Command::new("git").arg("-C").arg(&forge).args(allow));
        }
        self.push("HEAD");
        self.git(&["rev-parse", "HEAD"])
    }

    /// Where the forge keeps the repository.
    pub fn forge(&self) -> PathBuf {
        self.at("forge/o/shakedown.git")
    }

    /// Pushes to the forge.
    pub fn push(&self, what: &str) {
        self.git(&["push", "-q", "--tags", self.forge().to_str().unwrap(), what]);
    }

    /// Puts another text in place of the first one in a file.
    pub fn edit(&self, file: &str, from: &str, to: &str) {
        let path = self.at("repo").join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file} has no {from:?}");
        fs::write(path, text.replacen(from, to, 1)).unwrap();
    }

    /// A commit on a branch of its own, in which a text of a file is another one.
    pub fn change(&self, branch: &str, file: &str, from: &str, to: &str) -> String {
        self.git(&["checkout", "-q", "-B", branch, &self.base]);
        self.edit(file, from, to);
        let commit = self.commit(branch);
        self.git(&["checkout", "-q", "main"]);
        commit
    }

    /// Runs a workflow by an event. `more` is added to the call of act.
    pub fn act(&self, event: &str, workflow: &str, payload: &Value, more: &[&str]) -> Ran {
        let mut payload = payload.clone();
        if payload["ref"].is_null() {
            payload["ref"] = json!("refs/heads/main");
        }
        payload["repository"] = json!({
            "full_name": "o/shakedown", "name": "shakedown", "owner": {"login": "o"},
            "default_branch": "main",
        });
        let file = self.at("event.json");
        fs::write(&file, payload.to_string()).unwrap();
        let mut command = Command::new(act());
        command.current_dir(self.at(self.place)).arg(event).arg("--eventpath").arg(&file);
        command.arg("--workflows").arg(format!(".github/workflows/{workflow}.yml"));
        command.args(["--json", "--no-skip-checkout", "--no-cache-server", "--pull=false"]);
        command.args(["--action-offline-mode", "-P", "self-hosted=-self-hosted"]);
        for label in ["ubuntu-latest", "ubuntu-22.04"] {
            command.arg("-P").arg(format!("{label}=-self-hosted"));
        }
        command.args(more);
        command.args(["--secret", &format!("GITHUB_TOKEN={TOKEN}")]);
        // Its folders go with ours, also where it fails; and programs of ours come first.
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("XDG_CACHE_HOME", self.at("cache"));
        command.env("PATH", format!("{}:{path}", self.at("bin").display()));
        for (name, value) in self.environment() {
            command.arg("--env").arg(format!("{name}={value}"));
        }
        for (action, folder) in self.stand_ins() {
            command.arg("--local-repository").arg(format!("{action}={}", folder.display()));
        }
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let log = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let ran = Ran { success: output.status.success(), log };
        fs::write(self.at("log.json"), &output.stdout).unwrap();
        assert!(!self.at("bin/paged").exists(), "git waits in a pager for somebody to read");
        ran
    }

    fn environment(&self) -> Vec<(&'static str, String)> {
        let home = std::env::var("HOME").unwrap_or_default();
        let or = |name: &str, folder: &str| {
            std::env::var(name).unwrap_or_else(|_| format!("{home}/{folder}"))
        };
        vec![
            ("GITHUB_API_URL", self.fake.url()),
            // act's terminal would have git start a pager.
            ("GIT_PAGER", "cat".to_owned()),
            ("FORGE", self.at("forge").display().to_string()),
            ("ARTIFACTS", self.at("artifacts").display().to_string()),
            ("SHAKEDOWN_BIN", cargo_bin("shakedown").display().to_string()),
            ("SHAKEDOWN_LOCK", self.at("lock").display().to_string()),
            ("HOME", self.at("home").display().to_string()),
            ("CARGO_HOME", or("CARGO_HOME", ".cargo")),
            ("RUSTUP_HOME", or("RUSTUP_HOME", ".rustup")),
            ("XDG_CACHE_HOME", or("XDG_CACHE_HOME", ".cache")),
        ]
    }

    /// The actions that the workflows use, and what stands in for each of them here.
    fn stand_ins(&self) -> Vec<(String, PathBuf)> {
        let stand_ins = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/act/actions");
        let found = run(Command::new("grep").current_dir(self.at("repo")).args([
            "-rhoE",
            "uses: [a-z-]+/[a-z-]+@[0-9a-f]{40}",
            ".github",
        ]));
        let mut actions: Vec<&str> =
            found.lines().filter_map(|line| line.strip_prefix("uses: ")).collect();
        actions.sort_unstable();
        actions.dedup();
        let place = |action: &str| {
            let name = action.split(['/', '@']).nth(1).unwrap();
            (action.to_owned(), stand_ins.join(name))
        };
        actions.into_iter().map(place).collect()
    }
}

/// The program: `scripts/test` installs it and tells where.
fn act() -> PathBuf {
    std::env::var_os("ACT").map(PathBuf::from).expect("ACT names the program act: see scripts/test")
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
