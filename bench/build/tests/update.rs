//! Looking for new releases in a repository.

#![allow(missing_docs)]

mod common;

use build::BuildError;
use common::{World, c_tree};

#[test]
fn tags_that_the_catalog_lacks_are_found() {
    let world = World::new();
    c_tree(&world, "upstream", "1.2.0");
    world.commit("upstream");
    for tag in ["v0.9.0", "v1.0.0", "v1.10.0", "v1.2.0", "v1.3.0-rc1", "other"] {
        world.run("upstream", "git", &["tag", tag]);
    }
    let catalog = world.catalog();
    let found = world.workshop().new_releases(catalog.stack("tiny").unwrap()).unwrap();
    let tags: Vec<&str> = found.iter().map(|new| &*new.tag).collect();
    assert_eq!(tags, ["v1.2.0", "v1.10.0"]);
    assert!(world.workshop().new_releases(catalog.stack("tinyrs").unwrap()).unwrap().is_empty());
    std::fs::remove_dir_all(world.at("upstream")).unwrap();
    let error = world.workshop().new_releases(catalog.stack("tiny").unwrap()).unwrap_err();
    assert!(matches!(error, BuildError::Source { .. }), "{error}");
}
