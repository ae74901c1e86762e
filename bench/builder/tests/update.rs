//! Looking for new releases in a repository.

#![allow(missing_docs)]

mod common;

use common::{World, c_tree};
use shakedown_builder::{
    BuildError, Catalog, ResolvedSource, SilentProgress, UpstreamReleases, with_releases,
};

#[test]
fn tags_that_the_catalog_lacks_are_found() {
    let world = World::new();
    c_tree(&world, "upstream", "1.2.0");
    let commit = world.commit("upstream");
    for tag in ["v0.9.0", "v1.0.0", "v1.10.0", "v1.2.0", "v1.3.0-rc1", "other"] {
        world.run("upstream", "git", &["tag", tag]);
    }
    let catalog = world.catalog();
    let found = world.builder().upstream(catalog.stack("tiny").unwrap()).unwrap();
    assert_eq!(found.head.as_deref(), Some(&*commit));
    assert!(found.new.iter().all(|new| new.commit.as_deref() == Some(&*commit)));
    let tags: Vec<&str> = found.new.iter().map(|new| new.tag.as_deref().unwrap()).collect();
    assert_eq!(tags, ["v1.2.0", "v1.10.0"]);
    let none = world.builder().upstream(catalog.stack("tinyrs").unwrap()).unwrap();
    assert_eq!(none, UpstreamReleases { head: None, new: Vec::new() });
    std::fs::remove_dir_all(world.at("upstream")).unwrap();
    let error = world.builder().upstream(catalog.stack("tiny").unwrap()).unwrap_err();
    assert!(matches!(error, BuildError::Source { .. }), "{error}");
}

/// Tags as OpenSSL writes them, and the pattern that the catalog has for them.
#[test]
fn a_release_that_is_only_a_tag_is_found_by_its_number() {
    let world = World::new();
    let repository = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let real = Catalog::load(&repository.join("bench/catalog")).unwrap();
    let pattern = real.stack("openssl").unwrap().git.as_ref().unwrap().tags.clone().unwrap();
    let file = "repository/bench/catalog/stacks/tiny.toml";
    world.edit(file, r"^v(\d+\.\d+\.\d+)$", &pattern);
    let tags = [
        "OpenSSL_1_1_1-pre9",
        "OpenSSL_1_1_1",
        "OpenSSL_1_1_1w",
        "OpenSSL_1_1_1za",
        "openssl-3.0.0-alpha2",
        "openssl-3.0.0-alpha10",
        "openssl-3.0.0",
        "openssl-3.5.9",
        "openssl-3.5.10",
        "openssl-5.0.0-beta1",
        "OpenSSL-fips-2_0-rc1",
        "OpenSSL_0_9_8zh-fips",
        "master-pre-reformat",
    ];
    let mut commits = std::collections::BTreeMap::new();
    for tag in tags {
        c_tree(&world, "upstream", "1.2.0");
        world.write("upstream/tag", tag);
        commits.insert(tag, world.commit("upstream"));
        world.run("upstream", "git", &["tag", "-m", "release", tag]);
    }
    let (builder, catalog) = (world.builder(), world.catalog());
    let resolve = |name: &str| builder.resolve(&catalog, &name.parse().unwrap());
    for (name, release, tag) in [
        ("tiny@1.1.1", "1.1.1", "OpenSSL_1_1_1"),
        ("tiny@1.1.1-pre9", "1.1.1-pre9", "OpenSSL_1_1_1-pre9"),
        ("tiny@1.1.1za", "1.1.1za", "OpenSSL_1_1_1za"),
        ("tiny@3.0.0", "3.0.0", "openssl-3.0.0"),
        ("tiny@3.0.0-alpha10", "3.0.0-alpha10", "openssl-3.0.0-alpha10"),
        ("tiny@3.5", "3.5.10", "openssl-3.5.10"),
        ("tiny@5", "5.0.0-beta1", "openssl-5.0.0-beta1"),
    ] {
        let found = resolve(name).unwrap();
        assert_eq!(found.subject.to_string(), format!("tiny@{release}"));
        let ResolvedSource::Git { revision, .. } = &found.source else {
            panic!("{:?}", found.source)
        };
        assert_eq!(*revision, commits[tag], "{name}");
    }
    // What the catalog lists needs no repository, and comes first.
    assert!(matches!(resolve("tiny@1.0.0").unwrap().source, ResolvedSource::Release(_)));
    let error = resolve("tiny@3.6").unwrap_err().to_string();
    assert!(error.contains("has no tag of it"), "{error}");
    let new = builder.upstream(catalog.stack("tiny").unwrap()).unwrap().new;
    let new: Vec<String> = new.iter().map(|new| new.release.to_string()).collect();
    let pre = new.iter().filter(|release| release.contains('-')).collect::<Vec<_>>();
    assert_eq!(pre, ["5.0.0-beta1"], "other pre-releases have their release");

    std::fs::remove_dir_all(world.at("upstream")).unwrap();
    let error = resolve("tiny@3.5").unwrap_err().to_string();
    assert!(error.contains("did not answer"), "{error}");
    resolve("tiny@1.0.0").unwrap();
}

#[test]
fn a_release_of_the_registry_is_found_by_its_number() {
    let world = World::new();
    let digest = std::fs::read_to_string(world.at("digests/tiny-src-300.0.0+1.0.0")).unwrap();
    let entry = format!(
        "[[release]]\nversion = \"1.0.0\"\ncrate_version = \"300.0.0+1.0.0\"\nsha256 = \"{digest}\"\n"
    );
    world.edit("repository/bench/catalog/stacks/tiny.toml", &entry, "");
    let (builder, catalog) = (world.builder(), world.catalog());
    let there = builder.registry_releases(catalog.stack("tiny").unwrap());
    let there: Vec<String> = there.iter().map(|release| release.version.to_string()).collect();
    assert_eq!(there, ["1.0.0", "1.1.0"]);
    let subject = builder.resolve(&catalog, &"tiny@1.0.0".parse().unwrap()).unwrap();
    let built = builder.build(&subject, &SilentProgress).unwrap();
    assert_eq!(built.artifact.source.origin, "tiny-src 300.0.0+1.0.0");
    assert_eq!(built.artifact.source.sha256, digest);
}

#[test]
fn a_release_that_was_added_is_built_from_its_commit_even_when_the_tag_moves() {
    let world = World::new();
    c_tree(&world, "upstream", "1.2.0");
    let commit = world.commit("upstream");
    world.run("upstream", "git", &["tag", "-m", "release", "v1.2.0"]);
    let found = world.builder().upstream(world.catalog().stack("tiny").unwrap()).unwrap();
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
    let again = world.builder().upstream(world.catalog().stack("tiny").unwrap()).unwrap();
    assert_eq!(again.new, []);
}
