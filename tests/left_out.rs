//! The command as `scripts/bench` builds it, without default features:
//! `cargo test --workspace --no-default-features --bin shakedown --test left_out`.
#![cfg(not(any(feature = "github", feature = "history", feature = "schema")))]

use assert_cmd::Command;

#[test]
fn what_was_left_out_says_how_to_get_it_whatever_its_arguments() {
    for (feature, command) in [
        ("history", "history"),
        ("history", "history add record.json --history x"),
        ("history", "history --help"),
        ("history", "confirm --json"),
        ("history", "export --format csv"),
        ("history", "import -h"),
        ("history", "signoff --candidate a --baseline b"),
        ("history", "site -- out"),
        ("history", "host calibrate --blocks 2"),
        ("github", "github comment --pr 1 run"),
        ("github", "fleet cross-check a b"),
        ("schema", "schema"),
    ] {
        let arguments = command.split(' ');
        let output = Command::cargo_bin("shakedown").unwrap().args(arguments).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{command}: {said}");
        assert!(output.stdout.is_empty(), "{command}");
        let expected = format!(
            "error: this `shakedown` was built without the feature `{feature}`; \
             `cargo build --release --locked` builds all of it, as target/release/shakedown\n"
        );
        assert_eq!(said, expected, "{command}");
    }
}

#[test]
fn what_measures_is_there() {
    for command in ["run", "compare", "build", "gate", "report", "catalog", "host check"] {
        let arguments = command.split(' ').chain(["--help"]);
        Command::cargo_bin("shakedown").unwrap().args(arguments).assert().success();
    }
}
