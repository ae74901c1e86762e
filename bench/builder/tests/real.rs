//! The real thing: libraries from the registry, built and asked what they are. Takes
//! minutes when nothing is cached, so it is asked for by `SHAKEDOWN_TEST_REAL=1`;
//! `SHAKEDOWN_TEST_SUBJECTS` names other subjects, apart by commas.

#![allow(missing_docs)]

use shakedown_builder::{Builder, Catalog, SilentProgress, default_cache};
use std::{env, fs, path::Path, process::Command};

const SUBJECTS: &str = "openssl@3.5,aws-lc@0.47.0,boringssl@5.4.0,rustls@0.23+ring,rustls@0.23";

#[test]
fn real_libraries_are_built_and_linked_in_other_orders() {
    if env::var_os("SHAKEDOWN_TEST_REAL").is_none() {
        eprintln!("not run: set SHAKEDOWN_TEST_REAL=1");
        return;
    }
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let catalog = Catalog::load(&repository.join("bench/catalog")).unwrap();
    let builder = Builder::new(&repository, default_cache().unwrap());
    let names = env::var("SHAKEDOWN_TEST_SUBJECTS").unwrap_or_else(|_| SUBJECTS.to_owned());
    for name in names.split(',') {
        let subject = catalog.resolve(&name.parse().unwrap()).unwrap();
        let built =
            builder.build_linked(&subject, 3, &SilentProgress).unwrap_or_else(|e| panic!("{e}"));
        let answers: Vec<String> = (built.binaries.iter())
            .map(|binary| {
                let output = Command::new(binary).arg("describe").output().unwrap();
                assert!(output.status.success(), "{name}");
                String::from_utf8(output.stdout).unwrap()
            })
            .collect();
        assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{answers:?}");
        let stack = format!("\"stack\":\"{}\"", subject.stack.name);
        assert!(answers[0].contains(&stack), "{}", answers[0]);
        // A crate that only carries the library has another number than the library.
        let carried = subject.stack.registry.as_ref().is_some_and(|registry| {
            subject.stack.library.is_some() && !registry.release_in_metadata
        });
        let version = subject.subject.version.to_string();
        let text = if carried { subject.stack.title.clone() } else { version };
        assert!(answers[0].contains(&text), "{} is not {text}", answers[0]);
        let made_by =
            |what: &str| built.artifact.compilers.iter().any(|c| c.comment.starts_with(what));
        assert!(made_by("rustc version "), "{:?}", built.artifact.compilers);
        assert_eq!(built.artifact.links.len(), 3);
        let folder = built.binaries[0].parent().unwrap().join("library");
        for archive in subject.stack.library.iter().flat_map(|library| &library.archives) {
            let archive = fs::read(folder.join(archive)).unwrap();
            let cache = default_cache().unwrap().into_os_string().into_encoded_bytes();
            let has = archive.windows(cache.len()).any(|part| part == cache);
            assert!(!has, "a folder of this machine got into {name}");
        }
    }
}

#[test]
fn every_release_of_the_catalog_resolves_and_so_do_releases_without_an_entry() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let catalog = Catalog::load(&repository.join("bench/catalog")).unwrap();
    for stack in catalog.stacks() {
        for known in stack.known() {
            let name = format!("{}@{}", stack.name, known.version);
            let found = catalog.resolve(&name.parse().unwrap()).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(found.subject.to_string(), name);
        }
    }
    for version in ["0.22.0", "0.22.4", "0.23.0", "0.23.12", "0.23.99", "0.24.0-dev.1"] {
        let name = format!("rustls@{version}");
        assert!(catalog.resolve(&name.parse().unwrap()).is_ok(), "{name}");
    }
    for version in ["0.21.12", "0.22"] {
        let name = format!("rustls@{version}");
        assert!(catalog.resolve(&name.parse().unwrap()).is_err(), "{name}");
    }
    for name in ["aws-lc@0.22.0", "aws-lc@0.99.1", "boringssl@5.0.0"] {
        assert!(catalog.resolve(&name.parse().unwrap()).is_ok(), "{name}");
    }
    for name in ["aws-lc@0.11.0", "aws-lc@5.12", "boringssl@4.19.0"] {
        assert!(catalog.resolve(&name.parse().unwrap()).is_err(), "{name}");
    }
}
