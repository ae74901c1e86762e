//! A driver in the library's own tree, in place of the project's.

#![allow(missing_docs)]

mod common;

use common::{World, rust_tree, says};
use shakedown_builder::{BuiltArtifact, BuiltPair, ResolvedSubject, SilentProgress};
use std::os::unix::fs::symlink;

/// A tree of the library with a driver of its own, which says so.
fn tree(world: &World, folder: &str, word: &str) -> String {
    rust_tree(world, folder, "1.2.0", "5");
    let at = |path: &str| format!("{folder}/bench/driver/{path}");
    for name in ["Cargo.toml", "Cargo.lock"] {
        let driver = world.at(&format!("repository/bench/drivers/tinyrs/{name}"));
        world.write(&at(name), &std::fs::read_to_string(driver).unwrap());
    }
    let main = format!("fn main() {{ println!(\"{word} {{}}\", tinyrs::version()); }}\n");
    world.write(&at("src/main.rs"), &main);
    format!("tinyrs@path:{}", world.at(folder).display())
}

fn resolve(world: &World, name: &str) -> ResolvedSubject {
    world.resolve(name).with_own_driver(Some("bench/driver".to_owned()))
}

fn build(world: &World, name: &str, folder: &str) -> Result<BuiltArtifact, String> {
    let resolved = world.resolve(name).with_own_driver(Some(folder.to_owned()));
    world.builder().build(&resolved, &SilentProgress).map_err(|error| error.to_string())
}

#[test]
fn each_revision_is_measured_with_the_driver_in_its_own_tree() {
    let world = World::new();
    let (base, head) = (tree(&world, "base", "old"), tree(&world, "head", "new"));
    let (base, head) = (resolve(&world, &base), resolve(&world, &head));
    let BuiltPair { base, head, .. } =
        world.builder().build_pair(&base, &head, 2, &SilentProgress).unwrap();
    let said = [&base, &head].map(|built| says(&built.binaries[1]));
    assert!(said[0].starts_with("old ") && said[1].starts_with("new "), "{said:?}");
    for built in [&base, &head] {
        assert_eq!(built.artifact.own_driver.as_deref(), Some("bench/driver"));
        assert_eq!(built.artifact.driver, "tinyrs");
    }
    assert_ne!(base.artifact.driver_sha256, head.artifact.driver_sha256);
}

#[test]
fn what_has_no_driver_of_its_own_is_measured_with_the_projects() {
    let world = World::new();
    rust_tree(&world, "before", "1.2.0", "5");
    let before = format!("tinyrs@path:{}", world.at("before").display());
    for name in [before.as_str(), "tinyrs@1.1.0"] {
        let built = build(&world, name, "bench/driver").unwrap();
        assert!(says(&built.binaries[0]).starts_with("tinyrs "), "{name}");
        assert_eq!(built.artifact.own_driver, None);
    }
}

#[test]
fn a_driver_outside_of_the_tree_is_refused() {
    let world = World::new();
    let name = tree(&world, "mine", "own");
    tree(&world, "other", "other");
    symlink(world.at("other/bench/driver"), world.at("mine/link")).unwrap();
    let absolute = world.at("other/bench/driver").display().to_string();
    for folder in ["../other/bench/driver", "link", "bench/../bench/driver", &absolute] {
        let outcome = build(&world, &name, folder);
        // The build sees a copy of the tree, in which another folder may not even be there.
        match outcome {
            Err(error) => assert!(error.contains("not inside the tree"), "{folder}: {error}"),
            Ok(built) => assert_eq!(built.artifact.own_driver, None, "{folder}"),
        }
    }
    assert!(build(&world, &name, "link").is_err());
    // What the driver depends on stays within the project.
    world.edit(
        "mine/bench/driver/Cargo.toml",
        "helper = \"1\"",
        "helper = { path = \"../../../../x\" }",
    );
    let error = build(&world, &name, "bench/driver").unwrap_err();
    assert!(error.contains("lies outside of the repository"), "{error}");
}
