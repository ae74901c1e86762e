//! What is on the forge: the tool, a library that it guards, and the actions of others.

use super::api::{Api, OWNER, User, run};
use serde_json::json;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The library's repository.
pub const LIBRARY: &str = "owner/rustls";
/// The tool's.
pub const TOOL: &str = "owner/shakedown";

/// What a workflow must say otherwise on Gitea: file, text, in place of it. `docs/gitea.md` tells
/// why.
const ON_GITEA: [(&str, &str, &str); 1] = [(
    "pr-report.yml",
    "      contents: read # the checkouts\n",
    "      contents: write # the checkouts; and the status, which is a part of it on Gitea\n",
)];

/// A clone, and who pushes from it.
pub struct Checkout {
    pub folder: PathBuf,
    remote: String,
}

/// Makes the three kinds of repositories. Returns a clone of the library.
pub fn make(api: &Api, folder: &Path) -> Checkout {
    let tool = tool(api, folder);
    let library = library(api, folder);
    actions(api, folder);
    let variables = [
        ("SHAKEDOWN_REPOSITORY", TOOL),
        ("SHAKEDOWN_REF", &tool),
        ("BENCH_STACK", "rustls+ring"),
        ("BENCH_SUITE", "forge-pr"),
        ("BENCH_NOISE_BLOCKS", "0"),
        ("BENCH_REQUIRE_FIT", "false"),
        ("BENCH_PAGES", "off"),
        // github.com is not reached from here.
        ("BENCH_UPSTREAM", "off"),
        ("BENCH_STUDIES", "off"),
    ];
    for (name, value) in variables {
        let path = format!("repos/{LIBRARY}/actions/variables/{name}");
        api.post(OWNER, &path, &json!({ "value": value }));
    }
    api.put(
        &format!("repos/{LIBRARY}/actions/secrets/BENCH_SECRET"),
        &json!({ "data": "not-for-strangers" }),
    );
    library
}

/// This project as it is here, and two suites that take seconds. Returns its commit.
fn tool(api: &Api, folder: &Path) -> String {
    let (root, to) = (root(), folder.join("shakedown"));
    let list = ["ls-files", "--cached", "--others", "--exclude-standard"];
    for file in run(Command::new("git").current_dir(&root).args(list)).lines() {
        // A file that was deleted and not yet committed is still listed.
        if root.join(file).is_file() {
            fs::create_dir_all(to.join(file).parent().unwrap()).unwrap();
            fs::copy(root.join(file), to.join(file)).unwrap();
        }
    }
    for suite in ["forge-pr.toml", "forge-night.toml"] {
        fs::copy(files().join(suite), to.join("bench/catalog/suites").join(suite)).unwrap();
    }
    // The tool's own pull requests are not looked at here.
    fs::remove_dir_all(to.join(".github/workflows")).unwrap();
    let clone = publish(api, "user", TOOL, to);
    clone.commit("The tool")
}

/// rustls as a checkout has it, with our workflows beside its code.
fn library(api: &Api, folder: &Path) -> Checkout {
    let source = std::env::var_os("FORGE_RUSTLS").expect("see scripts/test --forge");
    let to = folder.join("rustls");
    run(Command::new("cp").arg("-r").arg(source).arg(&to));
    let workflows = to.join(".github/workflows");
    fs::create_dir_all(&workflows).unwrap();
    for file in ["pr-measure.yml", "pr-report.yml", "nightly.yml"] {
        let mut text = fs::read_to_string(root().join(".github/workflows").join(file)).unwrap();
        for (of, from, to) in ON_GITEA {
            if of == file {
                assert_eq!(text.matches(from).count(), 1, "{file} has no {from:?}");
                text = text.replace(from, to);
            }
        }
        fs::write(workflows.join(file), text).unwrap();
    }
    // The spy, by hand only: it shows what there is to be seen for those who may.
    let spy = fs::read_to_string(files().join("spy.yml")).unwrap();
    fs::write(workflows.join("control.yml"), spy.replace("  pull_request:\n", "")).unwrap();
    let clone = publish(api, "user", LIBRARY, to);
    clone.commit("The library, guarded");
    clone
}

/// Every action that the workflows use and that a job of this test comes to: at the name by which
/// it is pinned, which is that of a tag here.
fn actions(api: &Api, folder: &Path) {
    let text = run(Command::new("grep").current_dir(root()).args([
        "-rhoE",
        "uses: [a-z-]+/[a-z-]+@[0-9a-f]{40}",
        ".github",
    ]));
    let used: BTreeSet<&str> =
        text.lines().filter_map(|line| line.strip_prefix("uses: ")).collect();
    let mut owners = BTreeSet::new();
    for action in used {
        let (repository, commit) = action.split_once('@').unwrap();
        let (owner, name) = repository.split_once('/').unwrap();
        let source = root().join("tests/forge/actions").join(name);
        if !source.is_dir() {
            continue;
        }
        if owners.insert(owner) {
            api.post(OWNER, "orgs", &json!({ "username": owner }));
        }
        let to = folder.join(name);
        run(Command::new("cp").arg("-r").arg(source).arg(&to));
        let clone = publish(api, &format!("orgs/{owner}"), repository, to);
        clone.commit("In place of the action");
        clone.push(&format!("HEAD:refs/tags/{commit}"));
    }
}

fn publish(api: &Api, owner: &str, repository: &str, folder: PathBuf) -> Checkout {
    let (_, name) = repository.split_once('/').unwrap();
    api.post(OWNER, &format!("{owner}/repos"), &json!({ "name": name, "default_branch": "main" }));
    let clone = Checkout { folder, remote: remote(api, OWNER, repository) };
    clone.git(&["init", "-q", "-b", "main"]);
    clone
}

fn remote(api: &Api, user: User, repository: &str) -> String {
    let (scheme, host) = api.url.split_once("://").unwrap();
    format!("{scheme}://{}:{}@{host}/{repository}.git", user.name, user.password)
}

impl Checkout {
    /// The same clone, for somebody else with a repository of their own.
    pub fn of(&self, api: &Api, user: User, repository: &str) -> Self {
        Self { folder: self.folder.clone(), remote: remote(api, user, repository) }
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        for name in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{name}_NAME"), "t").env(format!("GIT_{name}_EMAIL"), "t@t");
        }
        run(command.arg("-C").arg(&self.folder).args(arguments))
    }

    /// Commits everything and pushes the branch that it is on. Returns the commit.
    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A", "--force"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.push("HEAD");
        self.git(&["rev-parse", "HEAD"])
    }

    fn push(&self, what: &str) {
        self.git(&["push", "-q", &self.remote, what]);
    }

    /// A branch off the default one, with a patch of `thresholds/evidence/real`. Returns its
    /// commit.
    pub fn patched(&self, branch: &str, patch: &str) -> String {
        self.git(&["checkout", "-q", "-B", branch, "main"]);
        self.apply(patch, &[]);
        self.commit(branch)
    }

    /// Applies a patch; or takes it back with `-R`.
    pub fn apply(&self, patch: &str, more: &[&str]) {
        let file = root().join("thresholds/evidence/real/patches").join(format!("{patch}.patch"));
        let mut arguments = vec!["apply"];
        arguments.extend(more);
        arguments.push(file.to_str().unwrap());
        self.git(&arguments);
    }

    /// A fresh clone of another branch, with its history.
    pub fn fetch(&self, branch: &str, to: &Path) {
        let mut command = Command::new("git");
        run(command.args(["clone", "-q", "--branch", branch, &self.remote]).arg(to));
    }
}

pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

pub fn files() -> PathBuf {
    root().join("tests/forge/files")
}
