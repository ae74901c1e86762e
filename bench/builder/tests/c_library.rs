//! A C library and its driver, from each kind of source.

#![allow(missing_docs)]

mod common;

use common::{Heard, World, c_tree, pack, says};
use shakedown_builder::{BuildError, BuildEvent, BuildPhase, SilentProgress};
use std::{fs, process::Command};

#[test]
fn what_a_build_made_and_what_it_cost_is_kept() {
    let world = World::new();
    let built = world.build("tiny@1.1").unwrap();
    let facts = built.facts.clone().unwrap();
    let library = facts.library.unwrap();
    assert!(library.text > 0 && library.text < 1000, "seven functions: {library:?}");
    let file = fs::metadata(&built.binaries[0]).unwrap().len();
    assert!(facts.program.text > library.text && facts.program.loaded() < file, "{facts:?}");
    assert_eq!(facts.driver_cost.crates, 2, "driver-tiny and what all drivers link");
    assert!(facts.library_cost.unwrap().seconds > 0.0 && facts.driver_cost.seconds > 0.0);
    assert_eq!(world.build("tiny@1.1").unwrap().facts, built.facts, "as it was when it was built");

    let loud = world.build("tiny@1.1+loud").unwrap().facts.unwrap();
    assert_eq!((loud.library, loud.library_cost), (facts.library, facts.library_cost));
    assert_eq!(loud.driver_cost.crates, 1, "the other was found compiled");
    fs::remove_dir_all(world.at("cache/artifacts")).unwrap();
    let again = world.build("tiny@1.1").unwrap().facts.unwrap();
    assert_eq!(again.program, facts.program, "the same code has the same size");

    // As an older version left it.
    for entry in world.cached("artifacts") {
        let _ = fs::remove_file(world.at(&format!("cache/artifacts/{entry}/facts.json")));
    }
    let old = world.build("tiny@1.1").unwrap();
    assert!(old.cached && old.facts.is_none());
}

#[test]
fn a_release_is_built_once_and_says_where_it_came_from() {
    let world = World::new();
    let heard = Heard::default();
    let built = world.builder().build(&world.resolve("tiny@1.0"), &heard).unwrap();
    assert!(!built.cached);
    assert_eq!(says(&built.binaries[0]), "tiny 100 20");
    let artifact = &built.artifact;
    assert_eq!(artifact.subject.to_string(), "tiny@1.0.0");
    assert_eq!(artifact.source.kind, "crate");
    assert_eq!(artifact.source.origin, "tiny-src 300.0.0+1.0.0");
    assert_eq!(artifact.flags, ["-ffunction-sections"]);
    let compilers: Vec<&str> = artifact.compilers.iter().map(|c| &*c.comment).collect();
    assert!(compilers.iter().any(|c| c.starts_with("GCC: ")), "{compilers:?}");
    assert!(compilers.iter().any(|c| c.starts_with("rustc version ")), "{compilers:?}");
    assert!(artifact.crates.contains_key("driver-tiny"));
    let phases: Vec<BuildPhase> = (heard.0.into_inner().unwrap().into_iter())
        .filter_map(|event| match event {
            BuildEvent::Phase { phase, .. } => Some(phase),
            _ => None,
        })
        .collect();
    let step = |name: &str| BuildPhase::Library(name.to_owned());
    let expected = [
        BuildPhase::Source,
        BuildPhase::Crates,
        step("prepare"),
        step("compile"),
        step("pack"),
        BuildPhase::Driver,
    ];
    assert_eq!(phases, expected);

    let again = world.build("tiny@1.0.0").unwrap();
    assert!(again.cached);
    assert_eq!(again.artifact, built.artifact);
    let newest = world.build("tiny").unwrap();
    assert_eq!(says(&newest.binaries[0]), "tiny 110 20");
    assert_ne!(newest.artifact.id, built.artifact.id);
}

#[test]
fn a_release_without_an_entry_is_the_crate_of_its_number() {
    let world = World::new();
    let built = world.build("plain@1.0.0").unwrap();
    assert_eq!(says(&built.binaries[0]), "tiny 100 20");
    assert_eq!(built.artifact.source.origin, "plain-src 1.0.0");
    let sha256 = fs::read_to_string(world.at("digests/plain-src-1.0.0")).unwrap();
    assert_eq!(built.artifact.source.sha256, sha256, "the record keeps it");
    // A series is what the registry has.
    let catalog = world.catalog();
    let newest = world.builder().resolve(&catalog, &"plain".parse().unwrap()).unwrap();
    assert_eq!(newest.subject.to_string(), "plain@1.1.0");
    let error = world.build("plain@1.7.0").unwrap_err().to_string();
    assert!(error.contains("plain-src"), "{error}");
}

#[test]
fn no_folder_of_this_machine_gets_into_a_library() {
    let world = World::new();
    world.build("tiny").unwrap();
    let library = world.at("cache/libraries").join(&world.cached("libraries")[0]);
    let archive = fs::read(library.join("prefix/lib/libtiny.a")).unwrap();
    let has = |text: &str| archive.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(has("./source/tiny.c"), "the library carries the name of its source");
    assert!(!has(world.at("cache").to_str().unwrap()));
}

#[test]
fn a_change_in_the_driver_does_not_compile_the_library_again() {
    let world = World::new();
    let before = world.build("tiny").unwrap();
    let libraries = world.cached("libraries");
    world.edit("repository/bench/drivers/tiny/src/main.rs", "tiny {}", "small {}");
    let after = world.build("tiny").unwrap();
    assert_eq!(says(&after.binaries[0]), "small 110 20");
    assert_ne!(before.artifact.id, after.artifact.id);
    assert_eq!(world.cached("libraries"), libraries);
    // So does one in a package that the driver is made of.
    world.edit("repository/bench/driver/src/lib.rs", "{}", "{ println!(\"hello\") }");
    let shared = world.build("tiny").unwrap();
    assert_eq!(says(&shared.binaries[0]), "small 110 20\nhello");
    assert_ne!(shared.artifact.driver_sha256, after.artifact.driver_sha256);
}

#[test]
fn variants_change_flags_and_features() {
    let world = World::new();
    let built = world.build("tiny+loud+fast").unwrap();
    assert_eq!(says(&built.binaries[0]), "tiny 110 20!");
    assert_eq!(built.artifact.flags, ["-ffunction-sections", "-O2", "feature loud"]);
    assert_ne!(built.artifact.id, world.build("tiny+loud").unwrap().artifact.id);
    // The binaries of one work folder do not get mixed up.
    assert_eq!(says(&world.build("tiny").unwrap().binaries[0]), "tiny 110 20");
}

#[test]
fn every_kind_of_revision_is_found() {
    let world = World::new();
    c_tree(&world, "upstream", "1.0.5");
    let first = world.commit("upstream");
    world.run("upstream", "git", &["tag", "-a", "v1.0.5", "-m", "release"]);
    c_tree(&world, "upstream", "1.2.0-dev");
    let second = world.commit("upstream");
    let url = world.at("upstream").display().to_string();
    for (revision, commit, output) in [
        (first.clone(), &first, "tiny 105 20"),
        (first[..9].to_owned(), &first, "tiny 105 20"),
        ("v1.0.5".to_owned(), &first, "tiny 105 20"),
        ("main".to_owned(), &second, "tiny 120 20"),
        ("HEAD".to_owned(), &second, "tiny 120 20"),
        ("HEAD~1".to_owned(), &first, "tiny 105 20"),
    ] {
        let built = world.build(&format!("tiny@git:{revision}")).unwrap();
        assert_eq!(built.artifact.source.revision.as_ref(), Some(commit), "{revision}");
        assert_eq!(built.artifact.source.origin, url);
        assert_eq!(built.artifact.subject.to_string(), format!("tiny@git:{commit}"));
        assert_eq!(says(&built.binaries[0]), output, "{revision}");
    }
    assert_eq!(world.cached("artifacts").len(), 2, "one a commit");
    c_tree(&world, "upstream", "1.3.0-dev");
    let third = world.commit("upstream");
    let moved = world.build(&format!("tiny@git:{url}#HEAD")).unwrap();
    assert_eq!(moved.artifact.source.revision, Some(third));
    assert_eq!(says(&moved.binaries[0]), "tiny 130 20");

    let error = world.build("tiny@git:no-such-branch").unwrap_err();
    assert!(error.is_bad_input());
    assert!(error.to_string().contains("no commit, tag or branch `no-such-branch`"), "{error}");
    let error = world.build("tiny@git:/no/such/repository#HEAD").unwrap_err();
    assert!(error.is_bad_input());
    assert!(error.to_string().contains("/no/such/repository"), "{error}");
}

#[test]
fn archives_are_verified() {
    let world = World::new();
    c_tree(&world, "packed", "1.4.0");
    let code = fs::read_to_string(world.at("packed/tiny.c")).unwrap();
    let archive = world.at("tiny-1.4.0.tar.gz");
    let sha256 = pack(&[("tiny.c", &*code), ("VERSION", "1.4.0")], "tiny-1.4.0", &archive);
    for location in [archive.display().to_string(), format!("file://{}", archive.display())] {
        let built = world.build(&format!("tiny@tarball:{location}#{sha256}")).unwrap();
        assert_eq!(says(&built.binaries[0]), "tiny 140 20");
        assert_eq!(built.artifact.source.sha256, sha256);
    }
    let wrong = "0".repeat(64);
    for location in [archive.display().to_string(), format!("file://{}", archive.display())] {
        let error = world.build(&format!("tiny@tarball:{location}#{wrong}")).unwrap_err();
        assert!(error.is_bad_input());
        let text = error.to_string();
        assert!(text.contains(&wrong) && text.contains(&sha256), "{text}");
    }
    // What has that digest is here by now, so the file need not be.
    assert!(world.build(&format!("tiny@tarball:/no/such.tar.gz#{sha256}")).is_ok());
}

#[test]
fn a_crate_with_another_digest_is_refused() {
    let world = World::new();
    let right = fs::read_to_string(world.at("digests/tiny-src-301.0.0+1.1.0")).unwrap();
    let wrong = "f".repeat(64);
    world.edit("repository/bench/catalog/stacks/tiny.toml", &right, &wrong);
    let error = world.build("tiny").unwrap_err();
    assert!(
        matches!(&error, BuildError::Digest { expected, found, .. } if *expected == wrong && *found == right),
        "{error}"
    );
    assert!(world.cached("sources").is_empty() && world.cached("artifacts").is_empty());
}

#[test]
fn a_folder_is_built_as_it_is_now() {
    let world = World::new();
    c_tree(&world, "mine", "1.5.0");
    let name = format!("tiny@path:{}", world.at("mine").display());
    let one = world.build(&name).unwrap();
    assert_eq!(says(&one.binaries[0]), "tiny 150 20");
    c_tree(&world, "mine", "1.6.0");
    let two = world.build(&name).unwrap();
    assert_eq!(says(&two.binaries[0]), "tiny 160 20");
    assert_ne!(one.artifact.source.sha256, two.artifact.source.sha256);
    let error = world.build("tiny@path:/no/such/folder").unwrap_err();
    assert!(error.is_bad_input());
    world.run("mine", "rm", &["VERSION"]);
    let error = world.build(&name).unwrap_err();
    assert!(error.to_string().contains("does not stand in VERSION"), "{error}");
}

#[test]
fn links_differ_in_order_and_in_nothing_else() {
    let world = World::new();
    let subject = world.resolve("tiny");
    let builder = world.builder();
    let built = builder.build_linked(&subject, 3, &SilentProgress).unwrap();
    assert_eq!(built.binaries.len(), 3);
    let orders: Vec<Vec<String>> = (built.binaries.iter())
        .map(|binary| {
            assert_eq!(says(binary), "tiny 110 20");
            let output = Command::new("nm").arg("-n").arg(binary).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            let names = text.lines().filter_map(|line| line.split_once(" T tiny_"));
            names.map(|(_, name)| name.to_owned()).collect()
        })
        .collect();
    assert_eq!(orders[0].len(), 3, "what is used of the library: {orders:?}");
    let shuffled: Vec<&Vec<String>> = orders.iter().collect();
    let same = |one: &[String], two: &[String]| {
        let sorted = |list: &[String]| {
            let mut list = list.to_vec();
            list.sort();
            list
        };
        sorted(one) == sorted(two)
    };
    assert!(shuffled.windows(2).all(|pair| same(pair[0], pair[1])), "{orders:?}");

    // More links of the same need no compiler: cargo's folder may be gone.
    fs::remove_dir_all(world.at("cache/work")).unwrap();
    let four = builder.more_links(&built.artifact, 4).unwrap();
    assert_eq!((four.binaries.len(), &four.artifact.links[..3]), (4, &built.artifact.links[..]));
    let killed = built.binaries[0].with_file_name(".links-killed");
    fs::create_dir(&killed).unwrap();
    let more = builder.build_linked(&subject, 5, &SilentProgress).unwrap();
    assert!(!killed.exists(), "what a killed build left is removed");
    assert!(!more.cached);
    assert_eq!(more.artifact.links[..4], four.artifact.links[..]);
    let distinct: std::collections::BTreeSet<&String> = more.artifact.links.iter().collect();
    assert_eq!(distinct.len(), 5);
    let fewer = builder.build(&subject, &SilentProgress).unwrap();
    assert!(fewer.cached);
    assert_eq!(fewer.binaries.len(), 1);

    // Links that nobody used for a day are removed, and come out the same when they are wanted again.
    assert!(more.binaries[4].exists());
    let record =
        fs::File::options().append(true).open(more.binaries[0].with_file_name("artifact.json"));
    let days_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(2 * 24 * 60 * 60);
    record.unwrap().set_modified(days_ago).unwrap();
    builder.build(&subject, &SilentProgress).unwrap();
    assert!(more.binaries[0].exists() && !more.binaries[1..].iter().any(|link| link.exists()));
    let again = builder.build_linked(&subject, 5, &SilentProgress).unwrap();
    assert_eq!((again.cached, again.artifact.links), (false, more.artifact.links));
}
