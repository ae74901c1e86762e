//! What the scripts of the workflows print of others: never a command of the runner, which takes
//! `::name::` at the start of a line and `##[name]` anywhere in it.

mod common;

use std::{fs, os::unix::fs::PermissionsExt, process::Command};

const HOSTILE: &str = "x\n::add-mask::y\r::set-output name=a::b ##[add-mask]z\n##[set-env name=c]d";

/// The lines that the runner would take for commands, while it listens.
fn commands(printed: &str) -> Vec<&str> {
    let mut stopped: Option<&str> = None;
    let mut found = Vec::new();
    for line in printed.split(['\n', '\r']) {
        let line = line.trim_start();
        if let Some(word) = line.strip_prefix("::stop-commands::").filter(|_| stopped.is_none()) {
            stopped = Some(word);
        } else if stopped.is_some_and(|word| line == format!("::{word}::")) {
            stopped = None;
        } else if stopped.is_none() && (line.starts_with("::") || line.contains("##[")) {
            found.push(line);
        }
    }
    found
}

/// Runs a piece of shell with the scripts' library.
fn shell(script: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let bin = folder.path().join("bin");
    fs::create_dir_all(&bin).unwrap();
    // The command quotes what others wrote, to either stream.
    let text = format!("#!/bin/sh\nprintf '%s\\n' '{HOSTILE}'\nprintf '%s\\n' '{HOSTILE}' >&2\n");
    fs::write(bin.join("shakedown"), text).unwrap();
    fs::set_permissions(bin.join("shakedown"), fs::Permissions::from_mode(0o755)).unwrap();
    let workflow = common::root().join("scripts/workflow");
    let output = Command::new("bash")
        .args(["-c", &format!("{{ {script}; }} 2>&1")])
        .current_dir(folder.path())
        .env("PATH", format!("{}:{}", bin.display(), std::env::var("PATH").unwrap()))
        .env("workflow", workflow)
        .env("hostile", HOSTILE)
        .envs([("RUN_ID", "1"), ("RUN_ATTEMPT", "1"), ("GITHUB_OUTPUT", "output")])
        .envs([("BEHIND_BY", "null"), ("CODE", "2")])
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_message_is_one_command_whatever_it_quotes() {
    for (script, start) in [
        ("notice \"$hostile\"", "::notice::x"),
        ("warn \"$hostile\"", "::warning::x"),
        ("fail 2 \"$hostile\"", "::error::x"),
    ] {
        let printed = shell(&format!(". \"$workflow/lib.sh\"; {script}"));
        let found = commands(&printed);
        assert!(found.len() == 1 && found[0].starts_with(start), "{found:?} of {printed:?}");
        assert!(!found[0].contains("##["), "{found:?}");
    }
    let printed =
        shell("mkdir in; printf '%s' \"$hostile\" >in/problem.txt; \"$workflow/exit-code\"");
    let found = commands(&printed);
    assert!(found.len() == 1 && found[0].starts_with("::error::nothing to judge"), "{printed:?}");
}

#[test]
fn what_the_command_says_of_a_record_is_no_command() {
    for script in
        ["\"$workflow/take-in\"", "\"$workflow/tell\" check --sha x", "\"$workflow/judge\""]
    {
        let printed = shell(script);
        assert!(printed.contains("add-mask"), "{script} says nothing: {printed:?}");
        assert_eq!(commands(&printed), [""; 0], "{script}: {printed:?}");
    }
}
