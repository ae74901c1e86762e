//! A driver that finds out by probes what API its library has.

#![allow(missing_docs)]

mod common;

use common::{World, publish_tinyrs, rust_tree, says};
use shakedown_builder::{BuildError, Incompatibility, SilentProgress};
use std::fs;

const DRIVER: &str = "repository/bench/drivers/tinyrs";

/// A driver for a library whose `version` gives a number, or a text, or is called otherwise.
fn probing(world: &World) {
    let at = |path: &str| format!("{DRIVER}/{path}");
    world.write(
        &at("build.rs"),
        r#"fn main() {
    println!("cargo:rerun-if-env-changed=SHAKEDOWN_SURFACES");
    let found = std::env::var("SHAKEDOWN_SURFACES").unwrap_or_default();
    for (surface, variant) in found.split(',').filter_map(|one| one.split_once('=')) {
        println!("cargo:rustc-cfg={surface}={variant:?}");
    }
}
"#,
    );
    world.write(&at("probes/prelude.rs"), "use tinyrs::*;\nfn main() {}\n");
    for (name, code) in [
        ("answer/number", "fn probe() -> u32 { version() }\n"),
        ("answer/text", "fn probe() -> &'static str { version() }\n"),
        (
            "loud/absent",
            "trait Loud { fn loud() -> u8 { 0 } }\nimpl Loud for () {}\nfn probe() -> u8 { <() as Loud>::loud() }\n// unless: present\n",
        ),
        ("loud/present", "fn probe() { loud(); }\n"),
    ] {
        world.write(&at(&format!("probes/{name}.rs")), code);
    }
    world.write(
        &at("src/main.rs"),
        r#"fn main() {
    #[cfg(answer = "number")]
    println!("number {}", tinyrs::version());
    #[cfg(answer = "text")]
    println!("text {}", tinyrs::version());
    #[cfg(loud = "present")]
    tinyrs::loud();
}
"#,
    );
}

fn tree(world: &World, folder: &str, code: &str) -> String {
    rust_tree(world, folder, "1.2.0", "1");
    world.write(&format!("{folder}/tinyrs/src/lib.rs"), code);
    format!("tinyrs@path:{}", world.at(folder).display())
}

const NUMBER: &str = "pub fn version() -> u32 { helper::add(1) }\n";
const TEXT: &str = "pub fn version() -> &'static str { \"one\" }\npub fn loud() {}\n";

#[test]
fn two_revisions_with_two_apis_are_compared() {
    let world = World::new();
    probing(&world);
    let (base, head) = (tree(&world, "base", NUMBER), tree(&world, "head", TEXT));
    let (base, head) = (world.resolve(&base), world.resolve(&head));
    let pair = world.builder().build_pair(&base, &head, 2, &SilentProgress).unwrap();
    assert_eq!(says(&pair.base.binaries[1]), "number 1");
    assert_eq!(says(&pair.head.binaries[1]), "text one");
    assert_eq!(pair.base.artifact.surfaces["answer"], "number");
    assert_eq!(pair.head.artifact.surfaces["loud"], "present");
    assert_eq!(pair.base.artifact.surfaces["loud"], "absent");
    assert_eq!(pair.head.artifact.surfaces["answer"], "text");
}

/// The reason why nothing was built.
fn misfit(world: &World, name: &str) -> (Incompatibility, String) {
    let error = world.build(name).unwrap_err();
    assert!(!error.is_bad_input());
    assert!(world.cached("artifacts").is_empty(), "nothing may be kept");
    let text = error.to_string();
    let BuildError::Incompatible { why, log, .. } = error else { panic!("{text}") };
    assert!(log.is_file());
    (*why, text)
}

#[test]
fn a_surface_that_no_variant_fits_is_named_with_the_compilers_first_error() {
    let world = World::new();
    probing(&world);
    let name = tree(&world, "mine", "pub fn release() -> u32 { 1 }\n");
    let (why, text) = misfit(&world, &name);
    assert_eq!(why.surface(), Some("answer"));
    assert!(why.first_error().starts_with("error[E0425]: cannot find function `version`"), "{why}");
    assert!(text.contains("surface `answer` is unknown"), "{text}");
}

#[test]
fn a_broken_probe_is_an_unknown_surface_never_a_missing_fact() {
    let world = World::new();
    probing(&world);
    let name = tree(&world, "mine", NUMBER);
    assert_eq!(says(&world.build(&name).unwrap().binaries[0]), "number 1");
    fs::remove_dir_all(world.at("cache/artifacts")).unwrap();
    world.edit(&format!("{DRIVER}/probes/answer/number.rs"), "version()", "renamed()");
    let (why, _) = misfit(&world, &name);
    assert_eq!(why.surface(), Some("answer"));
    // One that fits everything is no better: two variants are not an answer.
    world.write(&format!("{DRIVER}/probes/answer/number.rs"), "\n");
    world.write(&format!("{DRIVER}/probes/answer/text.rs"), "\n");
    let (why, _) = misfit(&world, &name);
    assert_eq!(why.first_error(), "several variants fit: number, text");
}

#[test]
fn a_driver_or_library_that_does_not_compile_is_told_apart() {
    let world = World::new();
    probing(&world);
    let name = tree(&world, "mine", NUMBER);
    world.edit(&format!("{DRIVER}/src/main.rs"), "tinyrs::version()", "tinyrs::versions()");
    let (why, _) = misfit(&world, &name);
    assert!(
        matches!(&why, Incompatibility::Compile { error } if error.contains("versions")),
        "{why}"
    );

    let name = tree(&world, "mine", "pub fn version() -> u32 { \"\" }\n");
    let (why, _) = misfit(&world, &name);
    assert!(why.first_error().contains("mismatched types"), "{why}");
}

#[test]
fn a_tree_that_denies_warnings_is_built_all_the_same() {
    let world = World::new();
    probing(&world);
    let name = tree(&world, "mine", &format!("#![deny(warnings)]\nfn unused() {{}}\n{NUMBER}"));
    assert_eq!(says(&world.build(&name).unwrap().binaries[0]), "number 1");
}

#[test]
fn a_release_needs_no_entry_in_the_catalog() {
    let world = World::new();
    world.edit(
        "repository/bench/catalog/stacks/tinyrs.toml",
        "[crate]\nname = \"tinyrs\"\n",
        "[crate]\nname = \"tinyrs\"\nsince = \"1.1.0\"\n",
    );
    publish_tinyrs(&world, "1.3.0");
    world.commit("index");
    let built = world.build("tinyrs@1.3.0").unwrap();
    assert_eq!(says(&built.binaries[0]), "tinyrs 130");
    let digest = fs::read_to_string(world.at("digests/tinyrs-1.3.0")).unwrap();
    assert_eq!(built.artifact.source.sha256, digest, "the registry's checksum is in the record");
    assert!(world.build("tinyrs@1.4.0").is_err(), "the registry has none");
    let catalog = world.catalog();
    for unknown in ["tinyrs@1.0.9", "tinyrs@1.4"] {
        assert!(catalog.resolve(&unknown.parse().unwrap()).is_err(), "{unknown}");
    }
}

#[test]
fn a_series_is_the_newest_release_of_the_registry() {
    let world = World::new();
    let meant = |world: &World, name: &str| {
        let found = world.builder().resolve(&world.catalog(), &name.parse().unwrap());
        found.map(|found| found.subject.to_string())
    };
    publish_tinyrs(&world, "1.3.0");
    publish_tinyrs(&world, "1.3.7");
    publish_tinyrs(&world, "1.4.0-dev.2");
    world.commit("index");
    assert_eq!(meant(&world, "tinyrs").unwrap(), "tinyrs@1.1.0", "as the catalog lists it");
    world.edit(
        "repository/bench/catalog/stacks/tinyrs.toml",
        "[crate]\nname = \"tinyrs\"\n",
        "[crate]\nname = \"tinyrs\"\nsince = \"1.1.0\"\n",
    );
    for (series, release) in [
        ("tinyrs@1", "tinyrs@1.3.7"),
        ("tinyrs@1.3", "tinyrs@1.3.7"),
        ("tinyrs@1.4", "tinyrs@1.4.0-dev.2"),
        ("tinyrs@1.1", "tinyrs@1.1.0"),
        ("tinyrs@1.1.0", "tinyrs@1.1.0"),
        ("tinyrs@1.0", "tinyrs@1.0.0"),
    ] {
        assert_eq!(meant(&world, series).unwrap(), release, "{series}");
    }
    assert!(meant(&world, "tinyrs@1.2").is_err(), "there is none");
    fs::remove_dir_all(world.at("index")).unwrap();
    assert_eq!(meant(&world, "tinyrs@1").unwrap(), "tinyrs@1.3.7", "as cargo saw it last");
    fs::remove_dir_all(world.at("cargo/registry")).unwrap();
    assert_eq!(meant(&world, "tinyrs@1").unwrap(), "tinyrs@1.1.0", "the list serves");
}

#[test]
fn a_driver_whose_first_connection_is_refused_does_not_fit() {
    let world = World::new();
    probing(&world);
    let name = tree(&world, "mine", NUMBER);
    world.write("repository/bench/pki/README.md", "");
    let answer = |reply: &str| {
        let code = format!("fn main() {{ println!(\"{{}}\", {reply:?}); }}\n");
        world.write(&format!("{DRIVER}/src/main.rs"), &code);
    };
    answer(r#"{"refused":{"why":"broken","reason":"group: wanted x25519, negotiated none"}}"#);
    let (why, text) = misfit(&world, &name);
    assert!(matches!(why, Incompatibility::Facts { .. }), "{text}");
    assert!(text.contains("group: wanted x25519, negotiated none"), "{text}");
    answer("garbage");
    assert!(misfit(&world, &name).0.first_error().starts_with("no reply"));
    answer(r#"{"refused":{"why":"unsupported","reason":"no tickets"}}"#);
    world.build(&name).unwrap();
}
