//! What `scripts/bench` and `scripts/test` say and do on machines that lack something. Each machine
//! is a PATH of its own: the basic tools, and stand-ins as unkind as the real programs. Nothing is
//! ever installed.

mod common;

use common::{
    machine::{Machine, found, release, says},
    root,
};
use std::{env, fs, os::unix::fs::symlink, path::PathBuf, process::Command};

#[test]
fn no_install_names_everything_at_once_and_installs_nothing() {
    let machine = Machine::bare();
    let bench =
        ["build-essential: ", "git: ", "cmake: ", "perl: ", &format!("Rust {}: ", release())]
            .map(str::to_owned);
    let tests = [
        "shellcheck: ",
        "shfmt: ",
        "valgrind: ",
        "jq: ",
        "curl: ",
        "gnuplot-nox: ",
        "golang-go: ",
        "Go 1.",
        "actionlint v",
        "act v",
        "python3-venv: ",
        "zizmor ",
        "cargo-deny ",
        "nodejs: ",
        "npm: ",
        "chromium: ",
        "npm modules of history/dashboard/test: ",
        "npm modules of forge/tests/contract/prism: ",
    ];
    let bench: Vec<&str> = bench.iter().map(String::as_str).collect();
    for (script, expected) in
        [("scripts/bench", bench.clone()), ("scripts/test", [&bench[..], &tests[..]].concat())]
    {
        let done = machine.run(script, &["--no-install"]);
        assert_eq!(done.code, Some(2), "{}", done.said);
        says(&done, &expected);
        let missing = done.said.split("to install it by hand:").next().unwrap();
        let names: Vec<&str> = missing
            .lines()
            .filter_map(|line| line.strip_prefix("  ")?.split(": ").next())
            .collect();
        assert!((1..names.len()).all(|at| !names[at..].contains(&names[at - 1])), "{missing}");
        says(&done, &["to install it by hand:", "sudo apt-get install build-essential", "rustup"]);
        assert_eq!(machine.touched(), (false, 0), "{script} installed something");
    }
}

#[test]
fn a_cargo_of_the_distribution_is_no_toolchain() {
    let machine = Machine::without_rust();
    machine.stand_in("rustc", "echo 'rustc 1.63.0 (4b91a6ea7 2022-08-08)'");
    machine.stand_in("cargo", "echo 'error: feature `edition2024` is required'; exit 101");
    let done = machine.run("scripts/bench", &["--no-install"]);
    assert_eq!(done.code, Some(2), "{}", done.said);
    says(&done, &["bin/rustc is rustc 1.63.0", &format!("Rust {}: ", release())]);
    assert!(!done.said.contains("edition2024"), "{}", done.said);
}

#[test]
fn without_root_the_packages_are_named() {
    let machine = Machine::bare();
    let done = machine.run("scripts/bench", &[]);
    assert_eq!(done.code, Some(2), "{}", done.said);
    says(&done, &["needs root, and there is no sudo", "As root: apt-get install build-essential"]);
    machine.stand_in("sudo", "echo 'somebody is not in the sudoers file' >&2; exit 1");
    let done = machine.run("scripts/bench", &[]);
    assert_eq!(done.code, Some(2), "{}", done.said);
    says(&done, &["sudo refuses", "sudo apt-get install build-essential"]);
    assert_eq!(machine.touched(), (false, 0));
}

#[test]
fn an_apt_that_fails_is_told_in_our_words() {
    let machine = Machine::bare();
    machine.stand_in("sudo", "exec \"$@\"");
    machine.stand_in(
        "apt-get",
        "case $1 in\nupdate) echo 'W: Failed to fetch http://x/InRelease  Temporary failure' ;;\n\
         *) echo 'Reading package lists...'; echo 'E: Unable to locate package cmake'; exit 100 ;;\nesac",
    );
    let done = machine.run("scripts/bench", &[]);
    assert_eq!(done.code, Some(2), "{}", done.said);
    says(&done, &["E: Unable to locate package cmake", "apt-get failed", "is the network there?"]);
    assert!(!done.said.contains("Reading package lists"), "{}", done.said);
    let machine = Machine::bare();
    fs::remove_file(machine.at("bin/apt-get")).unwrap();
    let done = machine.run("scripts/bench", &[]);
    assert_eq!(done.code, Some(2), "{}", done.said);
    says(&done, &["neither Debian nor Ubuntu"]);
}

#[test]
fn rustup_that_can_not_be_fetched_or_is_another_file_is_refused() {
    let machine = Machine::without_rust();
    let done = machine.run("scripts/bench", &[]);
    assert_eq!(done.code, Some(2), "{}", done.said);
    says(&done, &["could not fetch https://", "/rustup-init", "is the network there?"]);
    let takes = "while [ \"$1\" != -o ]; do shift; done\necho 'echo pwned' >\"$2\"";
    machine.stand_in("curl", takes);
    let done = machine.run("scripts/bench", &[]);
    assert_eq!(done.code, Some(2), "{}", done.said);
    says(&done, &["is not the file that scripts/lib/versions.sh names"]);
    assert!(!done.said.contains("pwned"), "{}", done.said);
    // With a rustup that has no network.
    machine.stand_in("rustup", "echo 'error: could not download file' >&2; exit 1");
    let done = machine.run("scripts/bench", &[]);
    assert_eq!(done.code, Some(2), "{}", done.said);
    says(
        &done,
        &["could not download file", &format!("rustup could not install Rust {}", release())],
    );
}

/// Without a default toolchain and with another one, and with the distribution's cargo before
/// rustup's in PATH.
#[test]
fn the_projects_toolchain_answers_in_every_folder_whatever_the_default_is() {
    let machine = Machine::without_rust();
    for program in ["cargo", "rustc"] {
        machine.stand_in(program, "echo \"$0 1.63.0\"");
    }
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output().unwrap();
    let sysroot = PathBuf::from(String::from_utf8(sysroot.stdout).unwrap().trim());
    let toolchains = machine.at("rustup/toolchains");
    fs::create_dir_all(toolchains.join("other/bin")).unwrap();
    fs::create_dir_all(toolchains.join("other/lib")).unwrap();
    for program in ["cargo", "rustc"] {
        symlink(machine.at("bin").join(program), toolchains.join("other/bin").join(program))
            .unwrap();
    }
    let name = format!("{}-{}-unknown-linux-gnu", release(), env::consts::ARCH);
    symlink(&sysroot, toolchains.join(name)).unwrap();
    let rustup = found("rustup");
    let path = format!("{}:{}", machine.at("bin").display(), rustup.parent().unwrap().display());
    let home = machine.at("rustup").display().to_string();
    for default in ["", "default_toolchain = \"other\"\n"] {
        let settings = format!("version = \"12\"\n{default}\n[overrides]\n");
        fs::write(machine.at("rustup/settings.toml"), settings).unwrap();
        let text = "need_rust; install_missing; cd /; rustc --version; cd /tmp; cargo --version";
        let done = machine.shell(&path, &[("RUSTUP_HOME", &home)], text);
        assert_eq!(done.code, Some(0), "{}", done.said);
        let release = release();
        says(&done, &[&format!("rustc {release} ("), &format!("cargo {release} (")]);
        assert!(!done.said.contains("missing"), "{}", done.said);
    }
}

#[test]
fn skipped_tests_are_counted_and_named() {
    let machine = Machine::bare();
    let list = machine.at("skipped");
    let library = root().join("scripts/lib/skipped.sh");
    let text = format!(
        "set -euo pipefail; . '{}'; : >\"$SHAKEDOWN_SKIPPED\"; name_skipped; skipped one; \
         skipped 'two: no network'; skipped one; echo --; name_skipped",
        library.display()
    );
    let mut command = Command::new("bash");
    let done =
        machine.call(command.args(["-c", &text]).env("SHAKEDOWN_SKIPPED", list.to_str().unwrap()));
    assert_eq!(done.code, Some(0), "{}", done.said);
    says(&done, &["skipped: 0\n", "skipped: 2\n  one\n  two: no network\n"]);
}

#[test]
fn everything_fetched_is_pinned_and_dated() {
    let text = fs::read_to_string(root().join("scripts/lib/versions.sh")).unwrap();
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("{name}=")));
        line.unwrap_or_else(|| panic!("no {name}")).to_owned()
    };
    for name in ["rustup", "go", "actionlint", "act", "zizmor", "cargo_deny", "duckdb", "chdb"] {
        let version = value(&format!("{name}_version"));
        let numbers: Vec<&str> = version.trim_start_matches('v').split('.').collect();
        assert_eq!(numbers.len(), 3, "{name} {version}");
    }
    for lockfile in ["forge/tests/contract/prism", "history/dashboard/test", "tests/forge/artifact"]
    {
        assert!(root().join(lockfile).join("package-lock.json").is_file(), "{lockfile}");
    }
    // The warning: none on the day of the review, and one half a year later.
    let machine = Machine::bare();
    let reviewed = value("versions_reviewed");
    let call = |since: &str, days: i32, what: &str| {
        let real = found("date");
        let fake = format!(
            "case \"$*\" in\n*-d*) exec '{0}' \"$@\" ;;\n*) exec '{0}' -d '{since} {days:+} days' +%s ;;\nesac",
            real.display()
        );
        machine.stand_in("date", &fake);
        let library = root().join("scripts/lib/versions.sh");
        let text = format!(". '{}'; {what}", library.display());
        machine.call(Command::new("bash").args(["-euc", &text])).said
    };
    let old = |days| call(&reviewed, days, "warn_of_old_versions");
    assert_eq!(old(180), "");
    assert!(old(182).contains("last reviewed 18"), "{}", old(182));
    // The image that releases are built on goes away on a day that is known.
    let image = value("release_image");
    let workflow = fs::read_to_string(root().join(".github/workflows/release.yml")).unwrap();
    assert!(workflow.contains(&format!("on: [{image}, {image}-arm]")), "{image}");
    let ending = |days| call(&value("release_image_ends"), days, "warn_of_ending_image");
    assert_eq!(ending(-122), "");
    assert!(ending(-100).contains(&image), "{}", ending(-100));
}

/// A fresh system inherits how registries are reached, and nothing that would make it less fresh.
#[test]
fn a_fresh_system_inherits_the_way_to_registries_and_no_more() {
    let machine = Machine::bare();
    let library = root().join("scripts/fresh/settings.sh");
    let text = format!("set -euo pipefail; . '{}'; registry_variables", library.display());
    let inherited = [
        ("https_proxy", "http://proxy.example:3128"),
        ("NO_PROXY", "localhost"),
        ("CARGO_REGISTRIES_CRATES_IO_PROTOCOL", "sparse"),
        ("PIP_INDEX_URL", "https://pypi.example/simple"),
        ("GOPROXY", "https://go.example"),
        ("RUSTUP_DIST_SERVER", "https://rust.example"),
        ("SSL_CERT_FILE", "/etc/ssl/certs/ca-certificates.crt"),
    ];
    let others = [
        ("RUSTUP_TOOLCHAIN", "nightly"),
        ("RUSTUP_HOME", "/opt/rustup"),
        ("CARGO_HOME", "/opt/cargo"),
        ("GITHUB_TOKEN", "ghs_0123456789"),
        ("RUSTFLAGS", "-Ctarget-cpu=native"),
        ("SHAKEDOWN_CACHE", "/var/cache"),
    ];
    let mut command = Command::new("bash");
    command.args(["-c", &text]).envs(inherited).envs(others);
    let done = machine.call(&mut command);
    assert_eq!(done.code, Some(0), "{}", done.said);
    let mut told: Vec<&str> = done.said.lines().collect();
    let mut wanted: Vec<String> =
        inherited.iter().map(|(name, value)| format!("{name}={value}")).collect();
    told.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(told, wanted);
}
