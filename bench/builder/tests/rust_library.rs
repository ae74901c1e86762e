//! A Rust library: from the registry, from a checkout, and two of them like for like.

#![allow(missing_docs)]

mod common;

use common::{World, differences, publish_tinyrs, rust_tree, says};
use shakedown_builder::{BuildError, Catalog, SilentProgress};
use std::fs;

#[test]
fn a_release_takes_the_place_of_the_drivers_dependency() {
    let world = World::new();
    for (name, output) in [("tinyrs@1.0", "tinyrs 100"), ("tinyrs", "tinyrs 110")] {
        let built = world.build(name).unwrap();
        assert_eq!(says(&built.binaries[0]), output);
        assert!(built.artifact.crates["helper"].starts_with("1.0.0 "), "as the lockfile says");
        assert!(world.build(name).unwrap().cached);
        let facts = built.facts.unwrap();
        assert!(facts.program.text > 0 && facts.driver_cost.crates > 0);
        assert!(facts.library.is_none() && facts.library_cost.is_none(), "nothing tells it apart");
    }
    assert_eq!(world.cached("work").len(), 1, "both in one folder, dependencies compiled once");
}

#[test]
fn a_crate_with_another_checksum_is_refused() {
    let world = World::new();
    let right = fs::read_to_string(world.at("digests/tinyrs-1.1.0")).unwrap();
    let wrong = "e".repeat(64);
    world.edit("repository/bench/catalog/stacks/tinyrs.toml", &right, &wrong);
    let error = world.build("tinyrs").unwrap_err();
    assert!(
        matches!(&error, BuildError::Digest { expected, found, .. } if *expected == wrong && *found == right),
        "{error}"
    );
    assert!(error.is_bad_input());
}

#[test]
fn a_checkout_is_used_in_place_of_the_registry() {
    let world = World::new();
    // The same version as the newest in the registry: it must not be taken from there.
    rust_tree(&world, "checkout", "1.1.0", "777");
    let name = format!("tinyrs@path:{}", world.at("checkout").display());
    let built = world.build(&name).unwrap();
    assert_eq!(says(&built.binaries[0]), "tinyrs 777");
    assert_eq!(built.artifact.crates["tinyrs"], "1.1.0", "a folder has no checksum");
    world.edit("checkout/tinyrs/src/lib.rs", "777", "778");
    assert_eq!(says(&world.build(&name).unwrap().binaries[0]), "tinyrs 778");
    // And back, to a file that is older than what cargo made of the other.
    world.edit("checkout/tinyrs/src/lib.rs", "778", "777");
    fs::remove_dir_all(world.at("cache/artifacts")).unwrap();
    assert_eq!(says(&world.build(&name).unwrap().binaries[0]), "tinyrs 777");
    // A release after a folder, in the same place.
    assert_eq!(says(&world.build("tinyrs").unwrap().binaries[0]), "tinyrs 110");

    rust_tree(&world, "checkout", "2.0.0-alpha.1", "1");
    let error = world.build(&name).unwrap_err();
    assert!(error.is_bad_input());
    assert!(error.to_string().contains("no driver serves tinyrs 2.0.0-alpha.1"), "{error}");
}

#[test]
fn a_pair_shares_everything_but_the_change() {
    let world = World::new();
    rust_tree(&world, "upstream", "1.2.0", "1");
    let base = world.commit("upstream");
    world.edit("upstream/tinyrs/src/lib.rs", "add(1)", "add(2)");
    let head = world.commit("upstream");
    let url = world.at("upstream").display().to_string();
    let (base, head) = (
        world.resolve(&format!("tinyrs@git:{url}#{base}")),
        world.resolve(&format!("tinyrs@git:{url}#{head}")),
    );
    let pair = world.builder().build_pair(&base, &head, 2, &SilentProgress).unwrap();
    assert_eq!(says(&pair.base.binaries[1]), "tinyrs 1");
    assert_eq!(says(&pair.head.binaries[1]), "tinyrs 2");
    assert_eq!(pair.base.artifact.lockfile_sha256, pair.head.artifact.lockfile_sha256);
    assert_eq!(differences(&pair), ["source"]);
}

#[test]
fn what_the_change_itself_changes_is_listed() {
    let world = World::new();
    rust_tree(&world, "base", "1.2.0", "1");
    rust_tree(&world, "head", "1.2.1", "1");
    world.edit("head/tinyrs/Cargo.toml", "helper = \"1\"", "helper = \"1.1\"");
    let subject =
        |folder: &str| world.resolve(&format!("tinyrs@path:{}", world.at(folder).display()));
    let pair =
        world.builder().build_pair(&subject("base"), &subject("head"), 1, &SilentProgress).unwrap();
    assert_eq!(
        differences(&pair),
        ["source", "crate helper: 1.0.0 -> 1.1.0", "crate tinyrs: 1.2.0 -> 1.2.1"]
    );
}

#[test]
fn a_subject_against_itself_is_built_apart() {
    let world = World::new();
    let subject = world.resolve("tinyrs");
    let pair = world.builder().build_pair(&subject, &subject, 3, &SilentProgress).unwrap();
    assert_eq!(differences(&pair), [""; 0]);
    assert_ne!(pair.base.binaries, pair.head.binaries);
    let (base, head) = (&pair.base.artifact.links, &pair.head.artifact.links);
    assert_eq!(base[0], head[0], "the same code");
    assert!(base[1..].iter().all(|link| !head.contains(link)), "in other orders");
}

/// Functions in the order of their addresses.
fn functions(binary: &std::path::Path) -> Vec<String> {
    use object::{Object as _, ObjectSymbol as _, SymbolKind};
    let data = fs::read(binary).unwrap();
    let file = object::File::parse(&*data).unwrap();
    let functions = file.symbols().filter(|s| s.kind() == SymbolKind::Text && s.size() > 0);
    let mut functions: Vec<(u64, String)> =
        functions.map(|s| (s.address(), s.name().unwrap().to_owned())).collect();
    functions.sort();
    functions.into_iter().map(|(_, name)| name).collect()
}

#[test]
fn links_of_a_build_with_lto_have_their_functions_in_other_orders() {
    let world = World::new();
    let built =
        world.builder().build_linked(&world.resolve("tinyrs+lto"), 3, &SilentProgress).unwrap();
    let flags = &built.artifact.flags;
    assert_eq!(flags[..], ["profile codegen-units=1", "profile lto=true"]);
    let orders: Vec<Vec<String>> = built.binaries.iter().map(|path| functions(path)).collect();
    let sorted = |order: &Vec<String>| {
        let mut order = order.clone();
        order.sort();
        order
    };
    for (place, order) in orders.iter().enumerate() {
        assert!(order.len() > 100, "{} functions", order.len());
        assert_eq!(sorted(order), sorted(&orders[0]), "the same functions");
        assert!(
            !orders[..place].contains(order),
            "link {place} has an order that is there already"
        );
        // Not a few functions around one large block: most have another neighbour.
        let pairs = |order: &Vec<String>| -> std::collections::BTreeSet<(String, String)> {
            order.windows(2).map(|two| (two[0].clone(), two[1].clone())).collect()
        };
        let kept = pairs(order).intersection(&pairs(&orders[0])).count();
        assert!(place == 0 || kept * 2 < order.len(), "{kept} of {} neighbours kept", order.len());
    }
    let plain = world.build("tinyrs").unwrap();
    assert_ne!(functions(&plain.binaries[0]), orders[0], "LTO makes another program");
}

#[test]
fn a_reference_build_leaves_what_is_named() {
    let world = World::new();
    let reference = |name: &str| world.catalog().reference(&name.parse().unwrap()).to_string();
    assert_eq!(reference("tinyrs"), "tinyrs+lto");
    assert_eq!(reference("tinyrs@1.0+lto"), "tinyrs@1.0+lto");
    assert_eq!(reference("tinyrs+no-lto"), "tinyrs+no-lto");
    assert_eq!(reference("tiny"), "tiny", "it has none");
    assert_eq!(reference("nothing@1"), "nothing@1");
    assert!(world.resolve("tinyrs+lto").is_reference());
    assert!(!world.resolve("tinyrs").is_reference() && !world.resolve("tiny").is_reference());
    world.edit(
        "repository/bench/catalog/stacks/tinyrs.toml",
        "reference = [\"lto\"]",
        "reference = [\"l-t-o\"]",
    );
    let error = Catalog::load(&world.at("repository/bench/catalog")).unwrap_err();
    assert!(error.to_string().contains("no variant"), "{error}");
}

#[test]
fn what_was_resolved_once_stays_so() {
    let world = World::new();
    world.build("tinyrs@1.0").unwrap();
    publish_tinyrs(&world, "1.9.0");
    world.commit("index");
    fs::remove_dir_all(world.at("cache/artifacts")).unwrap();
    assert_eq!(says(&world.build("tinyrs@1.0").unwrap().binaries[0]), "tinyrs 100");
}
