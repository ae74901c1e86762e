//! What goes wrong, and what is left behind.

#![allow(missing_docs)]

mod common;

use common::{Heard, World, c_tree, says};
use shakedown_builder::{BuildError, BuildEvent, Catalog, CatalogError, SilentProgress};
use std::{fs, os::unix::fs::symlink, path::Path, sync::Barrier, thread};

#[test]
fn a_build_that_fails_names_its_log_and_leaves_nothing() {
    let world = World::new();
    c_tree(&world, "mine", "1.5.0");
    world.edit("mine/tiny.c", "return 150", "return one_fifty");
    let name = format!("tiny@path:{}", world.at("mine").display());
    let error = world.build(&name).unwrap_err();
    assert!(!error.is_bad_input());
    let text = error.to_string();
    assert!(text.contains("step `compile`") && text.contains("one_fifty"), "{text}");
    let log = fs::read_to_string(error.log().unwrap()).unwrap();
    assert!(log.starts_with("$ mkdir -p ") && log.contains("one_fifty"), "{log}");
    assert!(world.cached("libraries").is_empty() && world.cached("artifacts").is_empty());

    c_tree(&world, "mine", "1.5.0");
    world.edit("repository/bench/drivers/tiny/src/main.rs", "println!", "print_line!");
    let error = world.build(&name).unwrap_err();
    assert!(!error.is_bad_input());
    assert!(error.to_string().contains("print_line"), "{error}");
    assert!(world.cached("artifacts").is_empty());

    world.edit("repository/bench/drivers/tiny/src/main.rs", "print_line!", "println!");
    assert_eq!(says(&world.build(&name).unwrap().binaries[0]), "tiny 150 20");
}

#[test]
fn missing_programs_are_named_before_anything_is_built() {
    let world = World::new();
    let error = world.build("tiny+other-compiler").unwrap_err();
    insta::assert_snapshot!(error, @r"
    to build tiny@1.1.0+other-compiler, this machine lacks no-such-compiler.
    Install with: apt-get install no-such-package
    ");
    assert!(!error.is_bad_input());
    assert!(world.cached("libraries").is_empty());

    let bare = World::new();
    fs::create_dir(bare.at("bin")).unwrap();
    let path = bare.at("bin").display().to_string();
    let error = bare.with_path(&path).build("tiny").unwrap_err();
    let text = error.to_string();
    assert!(text.contains("cargo"), "{text}");
}

#[test]
fn a_missing_c_compiler_is_named() {
    let world = World::new();
    fs::create_dir(world.at("bin")).unwrap();
    for program in ["cargo", "rustc"] {
        let found = std::env::split_paths(&std::env::var_os("PATH").unwrap())
            .map(|folder| folder.join(program))
            .find(|path| path.is_file())
            .unwrap();
        symlink(found, world.at("bin").join(program)).unwrap();
    }
    world.build("tiny").unwrap();
    let path = world.at("bin").display().to_string();
    let world = world.with_path(&path);
    let error = world.build("tiny").unwrap_err();
    assert!(matches!(&error, BuildError::Tools { missing, .. } if missing == &["cc"]), "{error}");
    assert!(error.to_string().contains("apt-get install gcc"), "{error}");
}

#[test]
fn no_network_is_told_as_such() {
    let world = World::new();
    // Nothing listens on port 1.
    let error = world.build("tiny@git:http://127.0.0.1:1/tiny.git#HEAD").unwrap_err();
    assert!(matches!(&error, BuildError::Network { .. }), "{error}");
    assert!(!error.is_bad_input());
    let digest = "0".repeat(64);
    let error =
        world.build(&format!("tiny@tarball:http://127.0.0.1:1/x.tar.gz#{digest}")).unwrap_err();
    assert!(matches!(&error, BuildError::Network { .. }), "{error}");
    world.write(
        "cargo/config.toml",
        "[net]\nretry = 0\n[source.crates-io]\nreplace-with = \"gone\"\n[source.gone]\nregistry = \"sparse+http://127.0.0.1:1/index/\"\n",
    );
    let error = world.build("tiny").unwrap_err();
    assert!(matches!(&error, BuildError::Network { .. }), "{error}");
    assert!(error.to_string().contains("crate tiny-src 301.0.0+1.1.0"), "{error}");
}

#[test]
fn a_disk_that_is_too_full_is_told_before_the_build() {
    let world = World::new();
    // An exbibyte, in MiB.
    world.edit(
        "repository/bench/catalog/stacks/tiny.toml",
        "disk_mib = 1\n",
        "disk_mib = 1099511627776\n",
    );
    let error = world.build("tiny").unwrap_err();
    assert!(matches!(&error, BuildError::DiskFull { .. }), "{error}");
    assert!(!error.is_bad_input());
    assert!(world.cached("libraries").is_empty());
}

#[test]
fn two_builds_at_once_make_one_artifact() {
    let world = World::new();
    let subject = world.resolve("tiny");
    let together = Barrier::new(2);
    let build = || {
        let heard = Heard::default();
        together.wait();
        let built = world.builder().build(&subject, &heard).unwrap();
        (built, heard.0.into_inner().unwrap())
    };
    let (one, two) = thread::scope(|scope| {
        let (one, two) = (scope.spawn(build), scope.spawn(build));
        (one.join().unwrap(), two.join().unwrap())
    });
    assert_eq!(one.0.artifact, two.0.artifact);
    let ended =
        |events: &[BuildEvent]| events.iter().any(|event| matches!(event, BuildEvent::Done { .. }));
    assert!(ended(&one.1) != ended(&two.1), "one builds, the other finds it");
    let who = |events: &[BuildEvent]| {
        events.iter().find_map(|event| match event {
            BuildEvent::Waiting { holder } => Some(holder.clone()),
            _ => None,
        })
    };
    let holder = who(&one.1).or_else(|| who(&two.1)).expect("somebody waited");
    assert_eq!(holder, format!("process {} (tiny@1.1.0)", std::process::id()));
}

#[test]
fn what_a_killed_build_left_is_not_taken_for_whole() {
    let world = World::new();
    let built = world.build("tiny").unwrap();
    let artifacts = world.at("cache/artifacts");
    let folder = artifacts.join(&built.artifact.id);
    // Killed before it was moved into place.
    let aside = artifacts.join(format!(".aside-{}-dead", built.artifact.id));
    fs::create_dir(&aside).unwrap();
    fs::write(aside.join("driver"), "half").unwrap();
    // And a disk that lost what was written.
    fs::write(folder.join("driver"), "half").unwrap();
    let again = world.build("tiny").unwrap();
    assert!(!again.cached);
    assert_eq!(says(&again.binaries[0]), "tiny 110 20");
    assert!(!Path::new(&aside).exists());
    fs::write(folder.join("artifact.json"), "{").unwrap();
    assert!(!world.build("tiny").unwrap().cached);
}

#[test]
fn mistakes_in_the_catalog_have_a_line() {
    let world = World::new();
    let path = "repository/bench/catalog/stacks/tiny.toml";
    let good = fs::read_to_string(world.at(path)).unwrap();
    for (from, to, message) in [
        ("disk_mib = 1", "disk_mb = 1", "unknown field `disk_mb`"),
        ("version = \"1.1.0\"\n", "version = \"1.0.0\"\n", "release 1.0.0 stands here twice"),
        ("name = \"loud\"", "name = \"fast\"", "variant `fast` stands here twice"),
        ("default = \"1\"", "default = \"2\"", "matches none of the releases"),
        ("pattern = '(\\S+)'", "pattern = '('", "is not a regular expression"),
        ("since = \"1.1.0\"", "since = \"one\"", "is not a release number"),
        ("name = \"tiny\"\ntitle", "name = \"tony\"\ntitle", "its file `tiny.toml`"),
        ("package = \"tiny\"\n", "package = \"tiny\"\nsince = \"1.1\"\n", "served by exactly one"),
        (
            "name = \"loud\"",
            "name = \"loud\"\nrun_environment.x86_64.LD_PRELOAD = \"x\"",
            "variant `loud`: every driver runs with a `LD_PRELOAD` of ours",
        ),
    ] {
        assert!(good.contains(from), "{from}");
        fs::write(world.at(path), good.replace(from, to)).unwrap();
        let error = Catalog::load(&world.at("repository/bench/catalog")).unwrap_err();
        let CatalogError::Invalid { line, message: found, path: file } = &error else {
            panic!("{error}");
        };
        assert!(found.contains(message), "{found}");
        assert!(file.ends_with("tiny.toml"));
        let text = good.replace(from, to);
        let near: String = text.lines().skip(line - 1).take(1).collect();
        let wanted = to.lines().any(|part| !part.is_empty() && near.contains(part));
        assert!(wanted || message.contains("exactly one"), "line {line} is {near:?}, not {to:?}");
    }
    assert!(matches!(Catalog::load(Path::new("/no/such")), Err(CatalogError::Read { .. })));
}

#[test]
fn a_variant_of_another_architecture_is_refused() {
    let world = World::new();
    let path = "repository/bench/catalog/stacks/tiny.toml";
    let good = fs::read_to_string(world.at(path)).unwrap();
    let other = "name = \"loud\"\nrun_environment.s390.TINY_CAPS = \"0\"";
    fs::write(world.at(path), good.replace("name = \"loud\"", other)).unwrap();
    let catalog = Catalog::load(&world.at("repository/bench/catalog")).unwrap();
    let error = catalog.resolve(&"tiny+loud".parse().unwrap()).unwrap_err().to_string();
    let here = std::env::consts::ARCH;
    assert_eq!(error, format!("tiny has +loud on s390 only, and this machine is {here}"));
}

#[test]
fn a_variant_that_a_release_lacks_is_refused_whatever_the_source() {
    let world = World::new();
    c_tree(&world, "mine", "1.0.9");
    let name = format!("tiny@path:{}+loud", world.at("mine").display());
    let error = world.builder().build(&world.resolve(&name), &SilentProgress).unwrap_err();
    assert!(error.is_bad_input());
    assert_eq!(error.to_string(), "tiny 1.0.9 has no variant +loud: it is for 1.1.0 and later");
}
