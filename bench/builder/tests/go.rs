//! A driver that is a module of Go, built by the toolchain under test.

#![allow(missing_docs)]

mod common;

use common::{World, says};
use shakedown_builder::{BuildError, SilentProgress};
use std::{env, fs, os::unix::fs::PermissionsExt};

/// The Go of the machine: fetches a toolchain, whose checksum is 32 bytes of `a`.
const FETCHES: &str = r#"#!/bin/sh
[ "$1 $2" = "mod download" ] || exit 1
version=${3#golang.org/toolchain@}
case $version in *go1.99.*) echo "not found: $version" >&2; exit 1 ;; esac
place=$GOMODCACHE/golang.org/toolchain@$version
mkdir -p "$place/bin" "$place/src" "$place/pkg/tool" "$GOMODCACHE/cache/download/golang.org/toolchain/@v"
cp "$(dirname "$0")/../toolchain-go" "$place/bin/go"
chmod -x "$place/bin/go"
echo "$version" >"$place/VERSION"
echo "module std" >"$place/src/_go.mod"
sum=$(printf '%s' "$version aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" | tail -c 32 | base64)
echo "h1:$sum" >"$GOMODCACHE/cache/download/golang.org/toolchain/@v/$version.ziphash"
"#;

/// The toolchain's own: makes C of the module's one file, with functions in the order of the seed.
const BUILDS: &str = r#"#!/bin/sh
set -e
root=$(dirname "$(dirname "$0")")
test -f "$root/src/go.mod"
test "$GOENV $GOTOOLCHAIN $GOPROXY" = "off local off"
seed=
case "$1" in
mod) sed -i "s/^go .*/go ${3#-go=}/" go.mod ;;
version) echo "$2: $(sed 's/v0.0.1-\(.*\)\.linux.*/\1/' "$root/VERSION")$LYING" ;;
build)
    for word in "$@"; do
        case "$word" in -ldflags=*) seed=${word##*=} ;; esac
        [ "$last" != -o ] || out=$word
        last=$word
    done
    {
        for name in a b c d e f g h; do
            echo "$(printf '%s' "$seed$name" | cksum) $name"
        done | sort | sed 's/.* \(.\)$/int \1(void) { return 1; }/'
        cat main.c
    } | cc -O0 "-DRELEASE=\"$(sed -n 's/^go //p' go.mod)$GOAMD64\"" -o "$out" -x c -
    ;;
esac
"#;

fn world() -> World {
    let world = World::new();
    let at = |path: &str| format!("repository/bench/drivers/tinygo/{path}");
    world.write(&at("go.mod"), "module tiny\n\ngo 1.25\n");
    world.write(
        &at("main.c"),
        "#include <stdio.h>\nint main(void) { puts(\"tiny \" RELEASE); return 0; }\n",
    );
    world.write(
        "repository/bench/catalog/stacks/tinygo.toml",
        r#"name = "tinygo"
title = "Tiny Go"
default = "1.26"
disk_mib = 1
[toolchain]
since = "1.25.0"
[[release]]
version = "1.26.7"
[[release]]
version = "1.26.8"
[[driver]]
package = "tinygo"
[[variant]]
name = "v3"
description = "Another instruction set"
environment = { GOAMD64 = "v3" }
"#,
    );
    for (path, text) in [("bin/go", FETCHES), ("toolchain-go", BUILDS)] {
        world.write(path, text);
        fs::set_permissions(world.at(path), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:{}", world.at("bin").display(), env::var("PATH").unwrap());
    world.with_path(&path)
}

#[test]
fn the_toolchain_of_a_release_builds_the_driver_and_is_its_source() {
    let world = world();
    let built = world.build("tinygo").unwrap();
    assert_eq!(says(&built.binaries[0]), "tiny 1.26.8");
    let artifact = &built.artifact;
    assert_eq!(artifact.subject.to_string(), "tinygo@1.26.8");
    assert_eq!(artifact.source.kind, "go module");
    assert!(artifact.source.origin.starts_with("golang.org/toolchain v0.0.1-go1.26.8.linux-"));
    assert_eq!(artifact.source.sha256, "61".repeat(32), "the checksum of Go");
    let compilers: Vec<&str> = artifact.compilers.iter().map(|c| &*c.comment).collect();
    assert_eq!(compilers, ["Go go1.26.8"]);
    assert_eq!((&*artifact.rustc, &*artifact.driver), ("", "tinygo"));
    assert_eq!(artifact.flags, ["-trimpath", "-buildvcs=false"]);
    // Neither the machine's Go nor the network is needed again.
    fs::remove_file(world.at("bin/go")).unwrap();
    assert!(world.build("tinygo@1.26").unwrap().cached);

    let other = world.build("tinygo@1.26.8+v3").unwrap();
    assert_eq!(says(&other.binaries[0]), "tiny 1.26.8v3");
    assert_ne!(other.artifact.id, artifact.id);
}

#[test]
fn each_link_has_its_functions_in_another_order() {
    let world = world();
    let subject = world.resolve("tinygo");
    let built = world.builder().build_linked(&subject, 3, &SilentProgress).unwrap();
    let more = world.builder().more_links(&built.artifact, 4).unwrap();
    assert_eq!(more.artifact.links[..3], built.artifact.links[..]);
    let mut links = more.artifact.links.clone();
    links.sort();
    links.dedup();
    assert_eq!(links.len(), 4);
    assert!(more.binaries.iter().all(|binary| says(binary) == "tiny 1.26.8"));

    let pair = world.builder().build_pair(&subject, &subject, 2, &SilentProgress).unwrap();
    assert_ne!(
        pair.base.artifact.links[1], pair.head.artifact.links[1],
        "each has seeds of its own"
    );
}

#[test]
fn what_can_not_be_built_is_told() {
    let world = world();
    let error = world.build("tinygo@1.99.0").unwrap_err().to_string();
    assert!(error.contains("not found: v0.0.1-go1.99.0.linux-"), "{error}");
    for name in ["tinygo@git:HEAD", "tinygo@path:/tmp", "tinygo@1.24.0"] {
        world.catalog().resolve(&name.parse().unwrap()).unwrap_err();
    }
    let lying = world.with("LYING", "-fork");
    let error = lying.build("tinygo").unwrap_err();
    assert!(matches!(error, BuildError::Compiler { .. }), "{error}");
}
