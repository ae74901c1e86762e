//! A library that the system has.

#![allow(missing_docs)]

mod common;

use common::{World, says};
use shakedown_builder::{Builder, BuiltArtifact, ResolvedSubject, SilentProgress};
use std::{env, fs, os::unix::fs::PermissionsExt};

/// The miniature with a library under `system`, and a program that knows where it is.
fn world() -> World {
    let world = World::new();
    let system = world.at("system").display().to_string();
    world.write(
        "repository/bench/catalog/stacks/installed.toml",
        &format!(
            r#"name = "installed"
title = "Installed"
default = "1"
disk_mib = 1
[system]
package = "libinstalled-dev"
version = ["installed-config", "--version"]
[[system.files]]
folder = ["installed-config", "--prefix"]
names = ["include", "lib/libtiny.a"]
[[driver]]
package = "tiny"
environment = {{ TINY_DIR = "{system}" }}
"#
        ),
    );
    world.write("system/include/tiny.h", "int tiny_version(void);\n");
    let script = format!("#!/bin/sh\n[ \"$1\" = --version ] && echo v1.4.2 || echo {system}\n");
    world.write("bin/installed-config", &script);
    let program = world.at("bin/installed-config");
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
    library(&world, 142);
    let path = format!("{}:{}", world.at("bin").display(), env::var("PATH").unwrap());
    world.with_path(&path)
}

fn library(world: &World, number: u32) {
    let code = format!(
        "int tiny_version(void) {{ return {number}; }}\n\
         int tiny_one(int x) {{ return x; }}\nint tiny_two(int x) {{ return x; }}\n"
    );
    world.write("system/tiny.c", &code);
    fs::create_dir_all(world.at("system/lib")).unwrap();
    world.run("system", "cc", &["-c", "tiny.c", "-o", "tiny.o"]);
    world.run("system", "ar", &["rcsD", "lib/libtiny.a", "tiny.o"]);
}

fn resolve(world: &World, name: &str) -> ResolvedSubject {
    world.builder().resolve(&world.catalog(), &name.parse().unwrap()).unwrap()
}

fn build(builder: &Builder, subject: &ResolvedSubject) -> BuiltArtifact {
    builder.build(subject, &SilentProgress).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_release_is_the_one_that_is_installed_and_the_digest_covers_its_files() {
    let world = world();
    let subject = resolve(&world, "installed");
    assert_eq!(subject.subject.to_string(), "installed@1.4.2");
    assert_eq!(resolve(&world, "installed@1.4").subject.to_string(), "installed@1.4.2");
    let built = build(&world.builder(), &subject);
    assert_eq!(says(&built.binaries[0]), "tiny 142 2");
    assert_eq!(built.artifact.subject.to_string(), "installed@1.4.2");
    assert_eq!(built.artifact.source.kind, "system");
    assert!(build(&world.builder(), &subject).cached);

    library(&world, 143);
    let other = build(&world.builder(), &subject);
    assert!(!other.cached, "the system has another library now");
    assert_eq!(says(&other.binaries[0]), "tiny 143 2");
    world.write("system/include/tiny.h", "int tiny_version();\n");
    let header = build(&world.builder(), &subject);
    assert_ne!(header.artifact.source.sha256, other.artifact.source.sha256);
}

#[test]
fn what_the_system_lacks_is_named_with_its_package() {
    let world = world();
    let error = world.build("installed@2").unwrap_err();
    insta::assert_snapshot!(error, @"this machine has Installed 1.4.2, not 2: installed is measured as the system has it. Write installed or installed@1.4.2");

    for name in ["installed@git:HEAD", "installed@path:/tmp"] {
        let error = world.catalog().resolve(&name.parse().unwrap()).unwrap_err();
        assert!(error.to_string().contains("as this machine has it"), "{error}");
    }

    fs::remove_file(world.at("system/lib/libtiny.a")).unwrap();
    let error = world.build("installed").unwrap_err().to_string();
    assert!(error.contains("lib/libtiny.a"), "{error}");
    fs::remove_file(world.at("bin/installed-config")).unwrap();
    // Nothing to ask yet: the name stays as it is until the build says what is missing.
    assert_eq!(resolve(&world, "installed").subject.to_string(), "installed");
    let error = world.build("installed").unwrap_err();
    insta::assert_snapshot!(error, @r"
    to build installed, this machine lacks Installed (`installed-config --version` fails).
    Install with: apt-get install libinstalled-dev
    ");
}
