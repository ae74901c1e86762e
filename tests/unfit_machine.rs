//! What `scripts/test` says on machines that lack nothing that could be installed, and still can't run the tests.

mod common;

use common::{
    machine::{Machine, says},
    root,
};
use std::process::Command;

/// A machine that lacks nothing, as far as names go.
fn complete() -> Machine {
    let machine = Machine::without_rust();
    let commands = "shellcheck shfmt valgrind jq curl gnuplot go python3 clang pkg-config chromium node npm \
         rustup cargo rustc";
    for program in commands.split_whitespace() {
        machine.stand_in(program, "exit 0");
    }
    let library = root().join("scripts/lib/tools.sh");
    let text = format!(
        "set -eu; . '{}'; for tool in \"$actionlint\" \"$act\" \"$zizmor\" \"$cargo_deny\" \"$databases/bin/python\" \
         \"$HOME/.rustup/toolchains/$(rust_channel)-x/bin/\"{{cargo,rustc,cargo-clippy,rustfmt}}; do \
         mkdir -p \"${{tool%/*}}\"; echo >\"$tool\"; chmod +x \"$tool\"; done; \
         for folder in history/dashboard/test forge/tests/contract/prism; do \
         mkdir -p \"$(modules_of $folder)\"; done",
        library.display()
    );
    let done = machine.call(Command::new("bash").args(["-c", &text]));
    assert_eq!(done.code, Some(0), "{}", done.said);
    machine
}

#[test]
fn a_system_that_forbids_namespaces_says_so_before_the_tests() {
    let machine = complete();
    machine.stand_in("unshare", "echo 'unshare failed: Operation not permitted' >&2; exit 1");
    machine.stand_in("sudo", "echo 'sudo: a password is required' >&2; exit 1");
    let done = machine.run("scripts/test", &["--no-install"]);
    assert_eq!(done.code, Some(2), "{}", done.said);
    says(
        &done,
        &["forbids namespaces to ordinary users", "apparmor_restrict_unprivileged_userns=0"],
    );
    assert!(!done.said.contains("missing"), "{}", done.said);
}

/// Tests that end for lack of space name whatever was being written then.
#[test]
fn a_full_disk_is_told_before_anything_is_built() {
    let machine = complete();
    machine.stand_in("df", "echo Avail; echo 3999999999");
    let library = root().join("scripts/lib/install.sh");
    let need = |gigabytes: u32, filled: &str| {
        let text = format!(". '{}'; need_disk {gigabytes} / {filled}", library.display());
        machine.call(Command::new("bash").args(["-euc", &text]))
    };
    assert_eq!(need(3, "nowhere").said, "");
    let cold = need(4, "nowhere");
    assert_eq!(cold.code, Some(2));
    says(&cold, &["from nothing, this takes 4 GB of disk space, and 3 GB are free"]);
    let warm = need(4, ".");
    assert_eq!(warm.code, Some(0));
    says(&warm, &["warning: only 3 GB are free", "from nothing, this takes 4 GB"]);
    // The script itself asks, before it refuses to go on for another reason.
    machine.stand_in("unshare", "exit 1");
    machine.stand_in("sudo", "exit 1");
    let done = machine.run("scripts/test", &["--no-install"]);
    says(&done, &["3 GB are free on the file system of"]);
}
