//! The command as a release has it: `scripts/workflow/install` on a server that answers well, wrongly, by half
//! or not at all, and what `scripts/workflow/release` publishes.

mod common;

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    process::Command,
    thread,
};

/// A checkout of the tool, a server with releases, and programs of ours.
struct World {
    folder: tempfile::TempDir,
    commit: String,
    answers: BTreeMap<String, Vec<u8>>,
}

struct Told {
    code: Option<i32>,
    said: String,
    /// The folder that later steps have in PATH.
    path: String,
}

const PROGRAM: &str = "#!/bin/sh\necho released 0.1.0\n";

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut world = Self { folder, commit: String::new(), answers: BTreeMap::new() };
        let gh = "echo \"$@\" >>\"${0%/*}/../gh.log\"; [ ! -e \"${0%/*}/../unattested\" ]";
        world.program("bin/gh", &format!("#!/bin/sh\n{gh}\n"));
        let tool = world.at("tool");
        for part in ["scripts/workflow", "scripts/lib"] {
            common::upstream::copy(&common::root().join(part), &tool.join(part));
        }
        fs::copy(common::root().join("rust-toolchain.toml"), tool.join("rust-toolchain.toml"))
            .unwrap();
        let manifest = "[workspace.package]\nversion = \"0.1.0\"\n[other]\nversion = \"9\"\n";
        fs::write(tool.join("Cargo.toml"), manifest).unwrap();
        world.git(&["init", "-q"]);
        world.git(&["remote", "add", "origin", "https://github.com/o/shakedown"]);
        world.git(&["add", "-A"]);
        world.git(&["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "t"]);
        world.commit = world.git(&["rev-parse", "HEAD"]);
        world
    }

    /// With a release of this commit.
    fn released() -> Self {
        let mut world = Self::new();
        let name = world.name();
        world.answer("SHA256SUMS", &format!("{}  {name}\n", sha256(PROGRAM)));
        world.answer(&name, PROGRAM);
        world
    }

    fn name(&self) -> String {
        format!("shakedown-{}-{}", self.commit, std::env::consts::ARCH)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn program(&self, name: &str, text: &str) {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git").arg("-C").arg(self.at("tool")).args(arguments).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// A whole answer for a file of release v0.1.0.
    fn answer(&mut self, file: &str, body: &str) {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
        self.answers.insert(format!("/v0.1.0/{file}"), (head + body).into_bytes());
    }

    fn serve(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let answers = self.answers.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let asked = lines.next().unwrap().unwrap();
                let _ = lines.map_while(Result::ok).find(String::is_empty);
                let path = asked.split(' ').nth(1).unwrap().to_owned();
                let none = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec();
                let _ = stream.write_all(answers.get(&path).unwrap_or(&none));
            }
        });
        format!("http://{address}")
    }

    fn install(&self) -> Told {
        self.install_by("ghs_0123456789")
    }

    /// With this token; with an empty one, `gh` is logged in by itself or not at all.
    fn install_by(&self, token: &str) -> Told {
        let path = std::env::var("PATH").unwrap();
        let (output, environment) = (self.at("path"), self.at("env"));
        fs::write(&output, "").unwrap();
        let done = Command::new(self.at("tool/scripts/workflow/install"))
            .env("PATH", format!("{}:{path}", self.at("bin").display()))
            .env("CARGO_HOME", self.at("cargo-home"))
            .env_remove("SHAKEDOWN_BIN")
            .env_remove("RUSTUP_TOOLCHAIN")
            .env("SHAKEDOWN_RELEASES", self.serve())
            .env("SHAKEDOWN_INSTALLED", self.at("host/shakedown"))
            .env("RUNNER_TEMP", self.at("temp"))
            .envs([("GITHUB_PATH", &output), ("GITHUB_ENV", &environment)])
            .env("GH_TOKEN", token)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned();
        let path = fs::read_to_string(&output).unwrap().trim().to_owned();
        Told { code: done.status.code(), said, path }
    }

    /// Whether a build was tried, which fails here.
    fn was_built(&self, told: &Told) -> bool {
        assert!(told.path.is_empty() || told.code == Some(0), "{}", told.said);
        told.said.contains("shakedown does not build") && told.code == Some(3)
    }
}

fn sha256(text: &str) -> String {
    let mut child = Command::new("sha256sum")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    String::from_utf8(output.stdout).unwrap()[..64].to_owned()
}

#[test]
fn a_release_of_the_very_commit_is_fetched_and_verified() {
    let world = World::released();
    let told = world.install();
    assert_eq!(told.code, Some(0), "{}", told.said);
    assert!(told.said.contains("released 0.1.0"), "{}", told.said);
    assert_eq!(told.path, world.at("temp/shakedown-released").display().to_string());
    let asked = fs::read_to_string(world.at("gh.log")).unwrap();
    let from = format!("--source-digest {} --deny-self-hosted-runners", world.commit);
    let by = "--repo o/shakedown --signer-workflow o/shakedown/.github/workflows/release.yml";
    assert!(asked.starts_with("attestation verify ") && asked.contains(by), "{asked}");
    assert!(asked.contains(&from), "{asked}");
}

#[test]
fn a_release_that_is_not_what_it_should_be_is_an_error_and_nothing_is_built() {
    let mut world = World::released();
    let name = world.name();
    world.answer(&name, "#!/bin/sh\necho pwned\n");
    let told = world.install();
    assert_eq!(told.code, Some(2), "{}", told.said);
    let both = [sha256(PROGRAM), sha256("#!/bin/sh\necho pwned\n")];
    assert!(both.iter().all(|digest| told.said.contains(digest)), "{}", told.said);

    // Half of it, by a server that does not say how long it is.
    let half = format!("HTTP/1.0 200 OK\r\n\r\n{}", &PROGRAM[..12]);
    world.answers.insert(format!("/v0.1.0/{name}"), half.into_bytes());
    let told = world.install();
    assert_eq!(told.code, Some(2), "{}", told.said);
    assert!(told.said.contains(&sha256(&PROGRAM[..12])), "{}", told.said);

    world.answer(&name, PROGRAM);
    world.answer("SHA256SUMS", &format!("nonsense  {name}\n"));
    let told = world.install();
    assert!(told.code == Some(2) && told.said.contains("has no SHA-256"), "{}", told.said);

    // Digest and program agree, but nobody vouches for them.
    let world = World::released();
    fs::write(world.at("unattested"), "").unwrap();
    let told = world.install();
    assert!(told.code == Some(2) && told.said.contains("is not attested"), "{}", told.said);

    // A program of another machine.
    let (mut world, other) = (World::released(), "\u{7f}ELF no program of this machine");
    let name = world.name();
    world.answer("SHA256SUMS", &format!("{}  {name}\n", sha256(other)));
    world.answer(&name, other);
    let told = world.install();
    assert!(told.code == Some(2) && told.said.contains("does not run on this"), "{}", told.said);
    assert!(!world.at("temp/shakedown-released/shakedown").exists());
    assert!(!world.was_built(&told), "nothing was built instead");
}

#[test]
fn where_there_is_no_whole_release_of_this_commit_and_machine_it_is_built() {
    let none = World::new();
    let told = none.install();
    assert!(none.was_built(&told) && told.said.contains("there is no http"), "{}", told.said);

    let mut other = World::released();
    let name = other.name();
    for listed in [name.replace(&other.commit, &"0".repeat(40)), format!("{name}-other")] {
        other.answer("SHA256SUMS", &format!("{}  {listed}\n", sha256(PROGRAM)));
        let told = other.install();
        assert!(other.was_built(&told) && told.said.contains("has no shakedown-"), "{}", told.said);
    }

    let mut half = World::released();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", PROGRAM.len());
    half.answers.insert(format!("/v0.1.0/{name}"), (head + &PROGRAM[..12]).into_bytes());
    let same = half.name();
    half.answers
        .insert(format!("/v0.1.0/{same}"), half.answers[&format!("/v0.1.0/{name}")].clone());
    let told = half.install();
    assert!(half.was_built(&told) && told.said.contains("not be fetched whole"), "{}", told.said);

    // Changed since: no release is of it.
    let changed = World::released();
    fs::write(changed.at("tool/Cargo.toml"), "[workspace.package]\nversion = \"0.1.0\"\n").unwrap();
    assert!(changed.was_built(&changed.install()));
    assert!(!changed.at("gh.log").exists());

    // Nobody to verify it: not even asked for. A `gh` that has a token and fails is no leave to build.
    let alone = World::released();
    alone.program("bin/gh", "#!/bin/sh\nexit 1\n");
    let told = alone.install_by("");
    assert!(alone.was_built(&told) && told.said.contains("not logged in"), "{}", told.said);
    let told = alone.install();
    assert!(told.code == Some(2) && told.said.contains("not attested"), "{}", told.said);
}

#[test]
fn a_host_has_the_command_of_the_same_commit_and_no_other() {
    let world = World::released();
    world.program("host/shakedown", "#!/bin/sh\necho the host\n");
    fs::write(world.at("host/shakedown.commit"), format!("{}\n", world.commit)).unwrap();
    let told = world.install();
    assert!(told.code == Some(0) && told.said.contains("the host"), "{}", told.said);
    assert_eq!(told.path, world.at("host").display().to_string());
    for other in ["unknown\n", ""] {
        fs::write(world.at("host/shakedown.commit"), other).unwrap();
        let told = world.install();
        assert!(told.said.contains("released 0.1.0"), "{}", told.said);
    }
}

#[test]
fn a_release_is_a_draft_until_all_files_are_attached() {
    let world = World::new();
    let call = |verb: &str| {
        let path = std::env::var("PATH").unwrap();
        let output = Command::new(world.at("tool/scripts/workflow/release"))
            .arg(verb)
            .current_dir(world.folder.path())
            .env("PATH", format!("{}:{path}", world.at("bin").display()))
            .envs([("TAG", "v0.1.0"), ("GITHUB_REPOSITORY", "o/shakedown")])
            .env("GITHUB_TOKEN", "ghs_0123456789")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        (output.status.success(), said)
    };
    for name in ["dist/shakedown-1-x86_64", "dist/shakedown-1-aarch64"] {
        world.program(name, PROGRAM);
    }
    world.program("bin/gh", include_str!("act/gh"));
    assert!(call("sums").0);
    // The first attempt breaks off, and leaves half a draft; the second one has built other programs.
    fs::write(world.at("bin/breaks"), "").unwrap();
    assert!(!call("publish").0 && world.at("bin/drafts/1").exists());
    world.program("dist/shakedown-1-x86_64", "#!/bin/sh\necho built again\n");
    assert!(call("sums").0);
    // What was changed on the way is not published.
    let log = || fs::read_to_string(world.at("bin/gh.log")).unwrap();
    let before = log();
    world.program("dist/shakedown-1-aarch64", "pwned");
    assert!(!call("publish").0 && log() == before);
    world.program("dist/shakedown-1-aarch64", PROGRAM);
    assert!(call("publish").0, "{}", log());
    let published = fs::read_to_string(world.at("bin/releases/v0.1.0")).unwrap();
    let again = sha256("#!/bin/sh\necho built again\n") + "  dist/shakedown-1-x86_64\n";
    assert!(published.lines().count() == 4 && published.contains(&again), "{published}");
    assert_eq!(fs::read_dir(world.at("bin/drafts")).unwrap().count(), 0);
    let (done, said) = call("publish");
    assert!(!done && said.contains("is published already"), "{said}");
    assert_eq!(fs::read_to_string(world.at("bin/releases/v0.1.0")).unwrap(), published);
}
