use super::*;
use proptest::prelude::*;

fn catalog() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../catalog/suites")
}

fn sides(suite: &Suite) -> usize {
    suite.scenarios.iter().map(|scenario| scenario.sides().len()).sum()
}

fn listed(name: &str) -> String {
    let suite = Suite::load(&catalog(), name).unwrap();
    let ids: Vec<String> = suite.scenarios.iter().map(ToString::to_string).collect();
    format!("{} scenarios, {} sides\n{}", ids.len(), sides(&suite), ids.join("\n"))
}

#[test]
fn standard_is_what_the_first_studies_measured() {
    insta::assert_snapshot!(listed("standard"));
}

/// Suites that only slow tests use: those that need a forge, a container or a quiet host.
#[test]
fn suites_of_slow_tests_are_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for folder in ["tests/act", "tests/forge/files", "thresholds/evidence/real"] {
        let files = fs::read_dir(root.join(folder)).unwrap().map(|file| file.unwrap().path());
        let suites: Vec<_> = files
            .filter(|file| file.extension().is_some_and(|extension| extension == "toml"))
            .map(|file| (fs::read_to_string(&file).unwrap(), file))
            .filter(|(text, _)| text.contains("[[scenarios]]"))
            .collect();
        assert!(!suites.is_empty(), "{folder} has suites");
        for (text, file) in suites {
            Suite::parse(&text, &file).unwrap();
        }
    }
}

#[test]
fn quick_is_about_a_dozen_sides() {
    insta::assert_snapshot!(listed("quick"));
}

#[test]
fn keys_are_all_groups_and_keys() {
    insta::assert_snapshot!(listed("keys"));
}

#[test]
fn primitives_are_the_operations_of_tls() {
    insta::assert_snapshot!(listed("primitives"));
}

#[test]
fn pr_is_about_sixty_sides() {
    insta::assert_snapshot!(listed("pr"));
}

#[test]
fn every_suite_of_the_catalog_loads_and_plans() {
    let names = Suite::names(&catalog()).unwrap();
    assert_eq!(
        names,
        [
            "early-data",
            "intree",
            "keys",
            "memory",
            "pr",
            "primitives",
            "quick",
            "records",
            "servers",
            "setup",
            "smoke",
            "standard",
            "threads",
            "tickets",
            "upstream",
            "verification",
            "writes"
        ]
    );
    for name in names {
        let suite = Suite::load(&catalog(), &name).unwrap();
        let plan = suite.plan(&PlanOptions::default()).unwrap();
        assert_eq!((plan.suite, plan.scenarios), (name, suite.scenarios));
    }
}

#[test]
fn smoke_has_every_family() {
    let suite = Suite::load(&catalog(), "smoke").unwrap();
    let families: std::collections::BTreeSet<_> =
        suite.scenarios.iter().map(Scenario::family).collect();
    assert_eq!(families.len(), 5, "{families:?}");
    assert!(suite.scenarios.iter().any(|scenario| scenario.threads().get() > 1));
    assert!(
        suite.scenarios.iter().any(|scenario| scenario.tls().is_some_and(|tls| tls.client_auth))
    );
}

#[test]
fn an_unknown_suite_names_the_near_one() {
    let error = Suite::load(&catalog(), "standart").unwrap_err();
    insta::assert_snapshot!(error, @"unknown suite `standart` (did you mean `standard`?); known: early-data, intree, keys, memory, pr, primitives, quick, records, servers, setup, smoke, standard, threads, tickets, upstream, verification, writes");
}

/// A sound suite; tests break one thing in it.
const SOUND: &str = r#"name = "t"
description = "d"
blocks = 2
aslr = "on"
meters = ["time"]
tickets = 2
ids = ["handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256"]

[budget]
warm-up-ms = 1
measure-ms = 10
batch-ms = 1
operations = 1
timeout-ms = 1000

[[scenarios]]
kind = ["bulk"]
version = ["tls1.2"]
cipher-suite = ["chacha20"]
group = ["x25519"]
key = ["rsa-2048"]
write = ["16KiB"]
"#;

fn wrong(from: &str, to: &str) -> String {
    assert!(SOUND.contains(from), "{from}");
    let text = SOUND.replace(from, to);
    let path = Path::new("t.toml");
    let fault = Suite::parse(&text, path).expect_err(to);
    let line = 1 + text[..fault.at].matches('\n').count();
    format!("{from} -> {to}\n  t.toml:{line}: {}", fault.problem)
}

#[test]
fn mistakes_are_told_with_line_and_near_name() {
    let said = [
        wrong("blocks = 2", "blokcs = 2"),
        wrong("blocks = 2", "blocks = \"two\""),
        wrong("blocks = 2", "blocks = 0"),
        wrong("blocks = 2\n", ""),
        wrong("blocks = 2", "blocks = = 2"),
        wrong("name = \"t\"", "name = \"u\""),
        wrong("\"on\"", "\"onn\""),
        wrong("[\"time\"]", "[\"tiem\"]"),
        wrong("[\"time\"]", "[\"time\", \"time\"]"),
        wrong("[\"time\"]", "[]"),
        wrong("tickets = 2\nids = [\"handshake-full", "tickets = 0\nids = [\"handshake-ticket"),
        wrong("tls1.3/aes256-gcm/x25519", "tls1.3/aes256-gcm/x2519"),
        wrong("measure-ms", "mesure-ms"),
        wrong("measure-ms = 10", "measure-ms = 2000"),
        wrong("batch-ms = 1", "batch-ms = 11"),
        wrong("kind = [\"bulk\"]", "kind = [\"bluk\"]"),
        wrong("kind = [\"bulk\"]", "kind = [\"handshake-full\"]"),
        wrong("write = [\"16KiB\"]\n", ""),
        wrong("write = [\"16KiB\"]", "write = [\"16 KiB\"]"),
        wrong("group = [\"x25519\"]", "group = [\"x25519mlkem\"]"),
        wrong("group = [\"x25519\"]", "group = [\"x25519mlkem768\"]"),
        wrong("group = [\"x25519\"]", "group = [\"x25519mlkem768\"]\nskip-impossible = true"),
        wrong("group = [\"x25519\"]", "group = []"),
        wrong("group = [\"x25519\"]", "group = [\"x25519\", \"x25519\"]"),
        wrong("group = [\"x25519\"]", "groups = [\"x25519\"]"),
        wrong("key = [\"rsa-2048\"]", "key = [\"rsa-2048\"]\nthreads = [0]"),
        wrong("key = [\"rsa-2048\"]", "key = [\"rsa-2048\"]\nconnections = [2001]"),
    ];
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn only_keeps_what_matches_in_the_suites_order() {
    let suite = Suite::parse(SOUND, Path::new("t.toml")).unwrap();
    let only = |patterns: &[&str]| {
        let only = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
        suite.plan(&PlanOptions { only, ..PlanOptions::default() })
    };
    assert_eq!(only(&["bulk*", "handshake*"]).unwrap().scenarios, suite.scenarios);
    assert_eq!(only(&["*chacha20*"]).unwrap().scenarios, suite.scenarios[1..]);
    let error = only(&["bulk*", "bluk/tls1.2/chacha20*"]).unwrap_err();
    insta::assert_snapshot!(error, @"no scenario of suite `t` matches `bluk/tls1.2/chacha20*` (did you mean `bulk/tls1.2/chacha20/x25519/rsa-2048/write-16KiB`?)");
}

#[test]
fn options_override_the_suite() {
    let suite = Suite::parse(SOUND, Path::new("t.toml")).unwrap();
    let options = PlanOptions { seed: Some(7), blocks: Some(9), only: vec![] };
    let plan = suite.plan(&options).unwrap();
    assert_eq!((plan.seed, plan.blocks, plan.timeout_ms), (7, 9, 1000));
    assert!(suite.plan(&PlanOptions { blocks: Some(0), ..options }).is_err());
    let random: Vec<u64> =
        (0..2).map(|_| suite.plan(&PlanOptions::default()).unwrap().seed).collect();
    assert_ne!(random[0], random[1]);
}

proptest! {
    #[test]
    fn no_text_makes_loading_panic(cut in 0..SOUND.len(), text in ".{0,20}") {
        let mut broken = SOUND.to_owned();
        broken.replace_range(cut..=cut, &text);
        let _ = Suite::parse(&broken, Path::new("t.toml"));
    }
}

#[test]
fn a_suite_that_changed_since_it_was_measured_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.toml");
    let smoke = std::fs::read_to_string(catalog().join("smoke.toml")).unwrap();
    std::fs::write(&path, smoke.replace("name = \"smoke\"", "name = \"own\"")).unwrap();
    let name = path.display().to_string();
    let suite = Suite::load(folder.path(), &name).unwrap();
    let file = suite.plan(&PlanOptions::default()).unwrap().suite_file.unwrap();
    assert_eq!((file.path.as_deref(), file.sha256.len()), (Some(&*name), 64));
    let by_name = Suite::load(folder.path(), "own").unwrap().file;
    assert_eq!((by_name.path, &by_name.sha256), (None, &file.sha256));
    let pinned = |digest: &str| Suite::load(folder.path(), &format!("{name}@sha256:{digest}"));
    for digits in [12, 64] {
        assert_eq!(pinned(&file.sha256[..digits]).unwrap(), suite);
    }
    let other = pinned("0123456789ab").unwrap_err().to_string();
    assert!(other.contains("not 0123456789ab") && other.contains(&file.sha256[..12]), "{other}");
    for broken in ["", "0123", "0123456789AB", "0123456789ag"] {
        assert!(pinned(broken).unwrap_err().to_string().contains("12 to 64 digits"), "{broken}");
    }
}
