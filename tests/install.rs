//! The parts of `install.sh` that decide something, run by themselves: nothing is installed.

mod common;

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Output},
};

/// Runs a piece of shell with the parts of `install.sh` at hand.
fn shell(home: &Path, script: &str) -> String {
    let setup = common::root().join("runner-setup");
    let parts = "for part in change boot parts; do . \"$here/lib/$part.sh\"; done";
    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &format!("{parts}; {script}")])
        .env("here", setup)
        .env("CARGO_HOME", home)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn install(arguments: &[&str]) -> Output {
    Command::new(common::root().join("runner-setup/install.sh")).args(arguments).output().unwrap()
}

#[test]
fn the_sandbox_reaches_the_registries_that_are_named_or_were_used() {
    let home = tempfile::tempdir().unwrap();
    let index = home.path().join("registry/index/mirror.example-1949cf8c6b5b557f");
    fs::create_dir_all(&index).unwrap();
    let config =
        r#"{"dl": "https://files.mirror.example:443/api/crates", "api": "https://mirror.example"}"#;
    fs::write(index.join("config.json"), config).unwrap();
    let hosts = shell(home.path(), "registries=(registry.example 'x y' .); sandbox_hosts");
    for pattern in [
        r"^registry\.example$",
        r"^mirror\.example$",
        r"^files\.mirror\.example$",
        r"^github\.com$",
    ] {
        assert!(hosts.lines().any(|line| line == pattern), "{pattern} is missing:\n{hosts}");
    }
    // The proxy reads each line as a pattern: an empty one would match everything.
    for line in hosts.lines() {
        assert!(line.starts_with('^') && line.ends_with('$') && line.len() > 4, "{line:?}");
        assert!(!line.contains(' ') && !line.contains('*'), "{line:?}");
    }
}

#[test]
fn a_host_gets_the_projects_compiler_and_no_other() {
    let home = tempfile::tempdir().unwrap();
    let file = fs::read_to_string(common::root().join("rust-toolchain.toml")).unwrap();
    let wanted = file.lines().find_map(|line| line.strip_prefix("channel = ")).unwrap();
    let wanted = wanted.trim_matches('"');
    let rustc = home.path().join("bin/rustc");
    fs::create_dir(home.path().join("bin")).unwrap();
    let call = |release: &str| {
        fs::write(&rustc, format!("#!/bin/sh\necho 'rustc {release} (59807616e 2026-04-14)'\n"))
            .unwrap();
        fs::set_permissions(&rustc, fs::Permissions::from_mode(0o755)).unwrap();
        let script = format!(
            "dry_run=yes; rust={}; (install_rust_toolchain 2>&1) || echo code $?",
            home.path().display()
        );
        shell(home.path(), &script)
    };
    let told = call(wanted);
    assert!(told.contains("would copy the Rust toolchain"), "{told}");
    let told = call("1.63.0");
    assert!(told.contains(&format!("rust-toolchain.toml names Rust {wanted}")), "{told}");
    assert!(told.contains("is rustc 1.63.0") && told.ends_with("code 2\n"), "{told}");
    assert!(!told.contains("would copy"), "{told}");
}

#[test]
fn boot_parameters_are_those_of_the_command_for_either_loader() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = common::root().join("runner-setup/host/tests/fixtures/intel.txt");
    let machine = folder.path().join("machine");
    shakedown_host::tree::unpack(&fs::read_to_string(fixture).unwrap(), &machine).unwrap();
    // What install.sh calls, on a captured machine.
    let command = folder.path().join("shakedown");
    let own = assert_cmd::cargo::cargo_bin("shakedown");
    let text = format!("#!/bin/sh\nexec {} \"$@\" --root {}\n", own.display(), machine.display());
    fs::write(&command, text).unwrap();
    fs::set_permissions(&command, fs::Permissions::from_mode(0o755)).unwrap();
    let script = format!(
        "dry_run=yes command={}; set_boot_parameters 2>&1; echo missing: $(boot_missing)",
        command.display()
    );
    let told = shell(folder.path(), &script);
    assert!(told.contains("neither GRUB"), "{told}");
    for (file, loader) in
        [("etc/kernel/cmdline", "kernel-install add"), ("etc/default/grub", "shakedown.cfg")]
    {
        let path = machine.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "root=UUID=1b0c ro\n").unwrap();
        let told = shell(folder.path(), &script);
        assert!(told.contains("would add boot parameters"), "{told}");
        assert!(told.contains(loader), "{told}");
        assert!(
            told.ends_with("missing: nosmt nmi_watchdog=0 transparent_hugepage=never\n"),
            "{told}"
        );
        let written = Command::new(&command).args(["host", "boot", "--write"]).output().unwrap();
        assert!(written.status.success(), "{written:?}");
        let again = shell(folder.path(), &script);
        assert!(!again.contains("would"), "a second time changes nothing: {again}");
    }
}

#[test]
fn arguments_that_make_no_sense_are_refused_before_anything_is_touched() {
    let repo = ["--repo", "o/n"];
    for (arguments, why) in [
        (&[][..], "--repo OWNER/NAME is required"),
        (&["--repo", "a/b$(id)"], "--repo: write OWNER/NAME"),
        (&["--repo", "o/n", "--repo", "o/m"], "more than one --repo needs --org"),
        (&["--org", "elsewhere"], "o/n is not of elsewhere"),
        (&["--runner-group", "g"], "--runner-group needs --org"),
        (&["--org", "o", "--runner-group", "a'b"], "--runner-group"),
        (&["--app-id", "1"], "--app-id ID and --app-key FILE"),
        (
            &["--app-id", "1", "--app-key", "/dev/null", "--jit-url", "https://x/y"],
            "one of --app-key",
        ),
        (&["--jit-url", "http://x/y"], "--jit-url"),
        (&["--registry-host", "https://x/y"], "--registry-host"),
        (&["--metrics-dir", "relative"], "--metrics-dir"),
        (&["--metrics-dir", "/"], "--metrics-dir"),
        (&["--rust", "/nowhere"], "/nowhere/bin/rustc"),
        (&["--labels", "a b"], "--labels"),
        (&["--token-file", "/dev/null", "--jit-config", "/dev/null"], "one of --app-key"),
        (&["--token-file", "/nowhere"], "can't read /nowhere"),
        (&["--runner-sha256", "12"], "--runner-sha256"),
        (&["--repo"], "needs a value"),
        (&["--nonsense"], "unknown argument"),
    ] {
        let named = arguments.is_empty() || arguments[0] == "--repo";
        let all: Vec<&str> =
            repo[..if named { 0 } else { 2 }].iter().chain(arguments).copied().collect();
        let output = install(&all);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{all:?}: {said}");
        assert!(said.contains(why), "{all:?}: {said}");
    }
}

/// Of what the clone is, and where the command comes from.
#[test]
fn the_command_is_the_release_of_the_clones_commit_or_is_built() {
    let home = tempfile::tempdir().unwrap();
    let told = |commit: &str, release: u8, installed: &str| {
        let at = home.path().display();
        let script = format!(
            "prefix={at}; here={at}/clone/setup; mkdir -p $prefix/bin $here; echo {installed} >$prefix/bin/shakedown.commit
            as_owner() {{
                case $1 in clean*) echo '{commit}'; [ '{commit}' ] ;; mkdir*) return {release} ;; *) echo built ;; esac
            }}
            get_command; echo \"$commit ${{command#$prefix/}}\""
        );
        shell(home.path(), &script).lines().last().unwrap().to_owned()
    };
    assert_eq!(told("abc", 0, "other"), "abc clone/target/released/shakedown");
    assert_eq!(told("abc", 1, "other"), "abc clone/target/release/shakedown");
    assert_eq!(told("", 1, "unknown"), "unknown clone/target/release/shakedown");
    assert_eq!(told("abc", 1, "abc"), "abc bin/shakedown", "nothing to change");
}
