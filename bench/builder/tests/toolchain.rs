//! The compiler that is asked for is the one that builds, whatever rustup's default is; and
//! where another one answers or compiles, nothing is built.

mod common;

use common::{World, says};
use shakedown_builder::BuildError;
use std::{
    env, fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::Command,
};

/// What a command prints, without the variable by which `cargo test` names its own toolchain.
fn output(program: &Path, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// The folder of the project's toolchain, which runs this test.
fn toolchain() -> PathBuf {
    output(Path::new("rustc"), &["--print", "sysroot"]).into()
}

fn release() -> String {
    let text = output(Path::new("rustc"), &["-vV"]);
    text.lines().find_map(|line| line.strip_prefix("release: ")).unwrap().to_owned()
}

/// PATH with rustup's own `cargo` and `rustc` first.
fn path_of_rustup() -> String {
    let path = env::var("PATH").unwrap();
    let folder = env::split_paths(&path)
        .find(|folder| folder.join("rustup").exists())
        .expect("this test needs rustup, as scripts/test installs it");
    format!("{}:{path}", folder.display())
}

/// A home of rustup with the project's toolchain and these settings.
fn rustup_home(world: &World, settings: &str) -> String {
    let triple = output(Path::new("rustc"), &["-vV"]);
    let triple = triple.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let name = format!("{}-{triple}", release());
    world.write("rustup/settings.toml", &format!("version = \"12\"\n{settings}\n[overrides]\n"));
    fs::create_dir_all(world.at("rustup/toolchains")).unwrap();
    symlink(toolchain(), world.at("rustup/toolchains").join(name)).unwrap();
    world.at("rustup").display().to_string()
}

fn script(world: &World, path: &str, text: &str) {
    world.write(path, &format!("#!/bin/sh\n{text}\n"));
    fs::set_permissions(world.at(path), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_rustup_without_a_default_builds_both_kinds_of_stack() {
    let world = World::new();
    let home = rustup_home(&world, "");
    let world = world.with("RUSTUP_HOME", &home).with_path(&path_of_rustup());
    // Without a toolchain of its own, a folder elsewhere has none at all.
    let bare = Command::new("rustc")
        .arg("-vV")
        .current_dir(world.at("rustup"))
        .env("RUSTUP_HOME", &home)
        .env("PATH", path_of_rustup())
        .env_remove("RUSTUP_TOOLCHAIN")
        .output()
        .unwrap();
    assert!(!bare.status.success(), "the home has a default: {bare:?}");
    for name in ["tiny", "tinyrs"] {
        let built = world.build(name).unwrap();
        let first = built.artifact.rustc.lines().next().unwrap().to_owned();
        assert!(first.starts_with(&format!("rustc {} ", release())), "{first}");
        says(&built.binaries[0]);
    }
}

#[test]
fn another_default_is_never_called() {
    let world = World::new();
    let home = rustup_home(&world, "default_toolchain = \"other\"");
    for name in ["cargo", "rustc"] {
        let text = format!("echo \"$0\" >>'{}'; exit 1", world.at("called").display());
        script(&world, &format!("rustup/toolchains/other/bin/{name}"), &text);
    }
    fs::create_dir_all(world.at("rustup/toolchains/other/lib")).unwrap();
    let world = world.with("RUSTUP_HOME", &home).with_path(&path_of_rustup());
    for name in ["tiny", "tinyrs"] {
        world.build(name).unwrap();
    }
    let called = fs::read_to_string(world.at("called")).unwrap_or_default();
    assert_eq!(called, "", "the default toolchain was called");
}

/// A world whose rustc is a script around the real one. `answer` edits what it says of itself.
fn disguised(answer: &str) -> World {
    let world = World::new();
    let own = toolchain().join("bin");
    fs::create_dir(world.at("bin")).unwrap();
    symlink(own.join("cargo"), world.at("bin/cargo")).unwrap();
    let text = format!(
        "case \"$*\" in\n*-vV*) '{0}' -vV | sed '{answer}' ;;\n*) exec '{0}' \"$@\" ;;\nesac",
        own.join("rustc").display()
    );
    script(&world, "bin/rustc", &text);
    let path = format!("{}:{}", world.at("bin").display(), env::var("PATH").unwrap());
    world.with_path(&path)
}

#[test]
fn a_compiler_of_another_release_is_refused_before_anything_is_fetched() {
    let world = disguised("s/1\\.[0-9]*\\.[0-9]* (/1.1.0 (/; s/^release: .*/release: 1.1.0/");
    let error = world.build("tiny").unwrap_err();
    assert!(matches!(&error, BuildError::Compiler { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains(&format!("asked for Rust {}", release())), "{text}");
    assert!(text.contains("found     rustc 1.1.0 ("), "{text}");
    assert!(text.contains("rustup toolchain install"), "{text}");
    assert!(!error.is_bad_input());
    for kind in ["sources", "libraries", "artifacts"] {
        assert!(world.cached(kind).is_empty(), "{kind}");
    }
}

#[test]
fn a_binary_made_by_another_compiler_than_the_one_that_answers_is_refused() {
    let world = disguised("s/ (\\([0-9a-f]*\\) / (000000000 /");
    let error = world.build("tiny").unwrap_err();
    assert!(matches!(&error, BuildError::Compiler { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("asked for rustc") && text.contains("(000000000 "), "{text}");
    assert!(text.contains("section .comment"), "{text}");
    assert!(world.cached("artifacts").iter().all(|name| name.starts_with('.')), "one was kept");
}

#[test]
fn a_checkout_that_pins_no_compiler_is_refused() {
    let world = World::new();
    world.write("repository/rust-toolchain.toml", "[toolchain]\nchannel = \"stable\"\n");
    let error = world.build("tiny").unwrap_err();
    assert!(error.to_string().contains("names no release of Rust"), "{error}");
    assert!(error.is_bad_input());
}
