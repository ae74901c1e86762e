//! The benchmark program in a tree: built from the tree's own lockfile, relinked, and run by a
//! driver that stands beside it.

#![allow(missing_docs)]

mod common;

use common::{World, rust_tree, says};
use shakedown_builder::{BuildError, BuiltArtifact, SilentProgress};

/// A repository whose driver `intree` runs the program beside it, and a tree with an example
/// as its benchmark.
fn world() -> World {
    let world = World::new();
    let at = |path: &str| format!("repository/bench/drivers/intree/{path}");
    world.write(
        &at("Cargo.toml"),
        "[package]\nname = \"driver-intree\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n[[bin]]\nname = \"driver\"\npath = \"src/main.rs\"\n",
    );
    world.write(
        &at("src/main.rs"),
        r#"fn main() {
    let own = std::env::current_exe().unwrap();
    let name = own.file_name().unwrap().to_str().unwrap().replace("driver", "bench");
    let mut bench = std::process::Command::new(own.with_file_name(name));
    bench.current_dir(own.parent().unwrap());
    std::process::exit(bench.status().unwrap().code().unwrap());
}
"#,
    );
    world.run(&at(""), "cargo", &["generate-lockfile", "-q"]);
    world.edit(
        "repository/bench/catalog/stacks/tinyrs.toml",
        "[[driver]]",
        "[[in-tree]]\npackage = \"tinyrs\"\nfolder = \"tinyrs\"\nsource = \"examples/bench.rs\"\nexample = \"bench\"\ndata = \"words\"\n[[driver]]",
    );
    rust_tree(&world, "checkout", "1.1.0", "5");
    world.write("checkout/words/hello", "hello");
    world.write(
        "checkout/tinyrs/examples/bench.rs",
        "fn main() { println!(\"{} {}\", std::fs::read_to_string(\"words/hello\").unwrap(), tinyrs::version()); }\n",
    );
    world.run("checkout", "cargo", &["generate-lockfile", "-q"]);
    world
}

fn build(world: &World, links: u32) -> Result<BuiltArtifact, BuildError> {
    let name = format!("tinyrs@path:{}", world.at("checkout").display());
    world.builder().build_linked(&world.resolve(&name).in_tree(), links, &SilentProgress)
}

#[test]
fn the_trees_own_program_is_built_with_the_trees_own_lockfile() {
    let world = world();
    let built = build(&world, 2).unwrap();
    assert_eq!(built.artifact.driver, "intree");
    for binary in &built.binaries {
        assert!(says(binary).starts_with("hello "), "{}", says(binary));
    }
    assert!(built.artifact.crates.contains_key("helper"), "the tree's lockfile, not the driver's");
    let programs = &built.artifact.programs;
    assert_ne!(programs[0], programs[1], "the program has two layouts");
    for (binary, sha256) in built.binaries.iter().zip(&built.artifact.links) {
        let seen = world.run("", "sha256sum", &[binary.to_str().unwrap()]);
        assert!(seen.starts_with(sha256), "the scheduler checks the binaries that it starts");
    }
    assert!(build(&world, 2).unwrap().cached);
    // A program that is not what was built is not used.
    let bench = built.binaries[0].with_file_name("bench");
    std::fs::write(&bench, "something else").unwrap();
    assert!(!build(&world, 2).is_ok_and(|built| built.cached));
}

#[test]
fn what_carries_no_program_says_so() {
    let world = world();
    let resolved = world.resolve("tinyrs@1.1.0").in_tree();
    let error = world.builder().build(&resolved, &SilentProgress).unwrap_err();
    assert!(error.to_string().contains("tinyrs@git:TAG"), "{error}");
    std::fs::remove_file(world.at("checkout/tinyrs/examples/bench.rs")).unwrap();
    let error = build(&world, 1).unwrap_err();
    assert!(error.to_string().contains("looked for: tinyrs/examples/bench.rs"), "{error}");
}
