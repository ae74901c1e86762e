//! The nightly run, by hand: history and site.

use super::{
    Forge,
    api::{OWNER, run},
    repositories::LIBRARY,
    runs,
};
use assert_cmd::cargo::cargo_bin;
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

pub fn each_adds_to_the_history_and_builds_the_site(forge: &Forge) {
    let first = night(forge, 0);
    let (one, begun) = history(forge, "night-1");
    assert_eq!(one.as_array().unwrap().len(), 1, "{one}");
    let second = night(forge, first);
    let (two, _) = history(forge, "night-2");
    assert_eq!(two.as_array().unwrap().len(), 2, "{two}");
    // The second night stands on the first: nothing of it was written over.
    let mut git = Command::new("git");
    git.arg("-C").arg(forge.at("night-2")).args(["merge-base", "--is-ancestor", &begun, "HEAD"]);
    run(&mut git);
    site(forge, second);
}

/// Runs the workflow and waits for its end. Returns the run.
fn night(forge: &Forge, after: u64) -> u64 {
    let inputs =
        json!({ "suite": "forge-night", "subjects": "rustls@0.23.46+ring", "host": "bench" });
    let body = json!({ "ref": "refs/heads/main", "inputs": inputs });
    let path = format!("repos/{LIBRARY}/actions/workflows/nightly.yml/dispatches");
    forge.api().post(OWNER, &path, &body);
    let main = forge.library.git(&["rev-parse", "main"]);
    let run = runs::finished(forge.api(), "nightly.yml", &main, after);
    assert_eq!(run["conclusion"], "success", "{run:#}");
    runs::id(&run)
}

/// Branch `history` as it is: what the command lists in it, and its commit.
fn history(forge: &Forge, name: &str) -> (Value, String) {
    let folder = forge.at(name);
    forge.library.fetch("history", &folder);
    let shakedown = |arguments: &[&str]| {
        let mut command = Command::new(cargo_bin("shakedown"));
        run(command.arg("history").args(arguments).arg("--history").arg(&folder))
    };
    shakedown(&["verify"]);
    let runs = serde_json::from_str(&shakedown(&["list", "--json"])).unwrap();
    let mut git = Command::new("git");
    (runs, run(git.arg("-C").arg(&folder).args(["rev-parse", "HEAD"])))
}

/// The site that a night hands over: an archive, as Pages takes it.
fn site(forge: &Forge, night: u64) {
    let archive = runs::artifact(forge.api(), night, "github-pages-1", "artifact.tar");
    let (file, folder): (PathBuf, PathBuf) = (forge.at("site.tar"), forge.at("site"));
    fs::write(&file, archive).unwrap();
    fs::create_dir_all(&folder).unwrap();
    run(Command::new("tar").arg("-xf").arg(&file).arg("-C").arg(&folder));
    let page = fs::read_to_string(folder.join("index.html")).unwrap();
    assert!(page.contains("<html"), "{page}");
    assert!(says(&folder, "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256"));
}

/// Whether some file below a folder has this text.
fn says(folder: &Path, text: &str) -> bool {
    let mut grep = Command::new("grep");
    grep.args(["-rqF", "--", text]).arg(folder).status().is_ok_and(|status| status.success())
}
