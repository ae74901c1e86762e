//! Looking for new releases in a repository.

#![allow(missing_docs)]

mod common;

use common::{World, c_tree};
use shakedown_builder::{BuildError, Upstream, with_releases};

#[test]
fn tags_that_the_catalog_lacks_are_found() {
    let world = World::new();
    c_tree(&world, "upstream", "1.2.0");
    let commit = world.commit("upstream");
    for tag in ["v0.9.0", "v1.0.0", "v1.10.0", "v1.2.0", "v1.3.0-rc1", "other"] {
        world.run("upstream", "git", &["tag", tag]);
    }
    let catalog = world.catalog();
    let found = world.workshop().upstream(catalog.stack("tiny").unwrap()).unwrap();
    assert_eq!(found.head.as_deref(), Some(&*commit));
    assert!(found.new.iter().all(|new| new.commit == commit));
    let tags: Vec<&str> = found.new.iter().map(|new| &*new.tag).collect();
    assert_eq!(tags, ["v1.2.0", "v1.10.0"]);
    let none = world.workshop().upstream(catalog.stack("tinyrs").unwrap()).unwrap();
    assert_eq!(none, Upstream { head: None, new: Vec::new() });
    std::fs::remove_dir_all(world.at("upstream")).unwrap();
    let error = world.workshop().upstream(catalog.stack("tiny").unwrap()).unwrap_err();
    assert!(matches!(error, BuildError::Source { .. }), "{error}");
}

#[test]
fn a_release_that_was_added_is_built_from_its_commit_even_when_the_tag_moves() {
    let world = World::new();
    c_tree(&world, "upstream", "1.2.0");
    let commit = world.commit("upstream");
    world.run("upstream", "git", &["tag", "-m", "release", "v1.2.0"]);
    let found = world.workshop().upstream(world.catalog().stack("tiny").unwrap()).unwrap();
    let file = world.at("repository/bench/catalog/stacks/tiny.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, with_releases(&text, &found.new).unwrap()).unwrap();

    c_tree(&world, "upstream", "1.3.0");
    world.commit("upstream");
    world.run("upstream", "git", &["tag", "--force", "-m", "moved", "v1.2.0"]);
    let built = world.build("tiny@1.2.0").unwrap();
    assert_eq!(built.artifact.subject.to_string(), "tiny@1.2.0");
    assert_eq!(built.artifact.source.revision.as_deref(), Some(&*commit));
    assert!(common::says(&built.binaries[0]).starts_with("tiny 120 "));
    // It is known now, and not found again.
    let again = world.workshop().upstream(world.catalog().stack("tiny").unwrap()).unwrap();
    assert_eq!(again.new, []);
}
