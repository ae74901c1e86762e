//! A driver in the library's own repository: an API change and its driver in one change, by the command
//! and by the steps of the sandbox.

#![allow(missing_docs)]

mod common;

use common::{
    all_measured,
    mini::{FUNCTION, LEARNED, Mini, POLICY, UNKNOWN, git},
    record,
};
use std::{fs, path::Path};

/// Brings the driver into the library's tree, with the form of the API that it lacks.
fn with_own_driver(mini: &Mini) {
    let own = mini.upstream.folder().join("bench/driver");
    common::upstream::copy(&mini.project.join("bench/drivers/mini"), &own);
    fs::write(own.join("probes/records/unknown.rs"), "fn probe() -> u32 { mini::Records(1).0 }\n")
        .unwrap();
    let main = fs::read_to_string(own.join("src/main.rs")).unwrap();
    fs::write(own.join("src/main.rs"), main.replacen("struct NoOp;", LEARNED, 1)).unwrap();
}

#[test]
fn an_api_change_and_its_driver_land_in_one_change() {
    let mini = Mini::new("own-driver");
    let folder = tempfile::tempdir().unwrap();
    let base = git(&mini.commit(FUNCTION));
    with_own_driver(&mini);
    let head = git(&mini.commit(UNKNOWN));
    let policy = format!("{POLICY}\n[driver]\npath = \"bench/driver\"\n");
    let (record, said) = mini.compare(folder.path(), "out", [&base, &head], &policy);
    assert!(!record.plan.in_tree());
    let drivers = [0, 1].map(|at| record.subjects[at].artifact.own_driver.as_deref());
    assert_eq!(drivers, [None, Some("bench/driver")]);
    assert_eq!(record.subjects[1].artifact.surfaces["records"], "unknown");
    all_measured(&record);
    assert!(said.contains("the driver in its own tree (bench/driver)"), "{said}");
    assert!(said.contains("driver sources"), "{said}");
}

/// Leaves of the project's manifest what the packages that are there inherit.
fn shrink(manifest: &Path) {
    let text = fs::read_to_string(manifest).unwrap();
    let mut table: toml::Table = text.parse().unwrap();
    table.retain(|name, _| name == "workspace");
    let members = ["bench/driver", "bench/protocol"].map(toml::Value::from).to_vec();
    table["workspace"]["members"] = toml::Value::Array(members);
    fs::write(manifest, table.to_string()).unwrap();
}

/// The measuring step of the sandbox, without one.
#[test]
fn the_sandbox_takes_the_driver_that_the_policy_of_base_names() {
    let mini = Mini::new("sandboxed");
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("source");
    common::upstream::copy(&mini.project, &source.join("tool"));
    for part in ["scripts/workflow", "scripts/lib"] {
        common::upstream::copy(&common::root().join(part), &source.join("tool").join(part));
    }
    shrink(&source.join("tool/Cargo.toml"));
    mini.commit(FUNCTION);
    common::upstream::copy(mini.upstream.folder(), &source.join("base"));
    let policy = format!("{POLICY}\n[driver]\npath = \"bench/driver\"\n");
    fs::write(source.join("base/bench.toml"), policy).unwrap();
    with_own_driver(&mini);
    mini.commit(UNKNOWN);
    common::upstream::copy(mini.upstream.folder(), &source.join("head"));
    // Head's own policy, which nobody reads.
    fs::write(source.join("head/bench.toml"), "nonsense").unwrap();
    let wanted = "task=compare\nstack=mini+ring\nsuite=upstream\npolicy=bench.toml\n";
    fs::write(source.join("wanted"), wanted).unwrap();
    fs::copy(assert_cmd::cargo::cargo_bin!("shakedown"), source.join("shakedown")).unwrap();
    let out = folder.path().join("out");
    fs::create_dir(&out).unwrap();
    // The crate of the miniature is in no registry, so that `fetch` would not find it.
    let mut command = std::process::Command::new(source.join("tool/scripts/workflow/in-sandbox"));
    command.arg("measure").env("SOURCE", &source).env("OUT", &out).current_dir(folder.path());
    command.env("SHAKEDOWN_CACHE", &mini.environment()[1].1);
    command.env("SHAKEDOWN_LOCK", folder.path().join("lock"));
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(fs::read_to_string(out.join("code")).unwrap(), "0\n");
    let record = record(&out.join("run"));
    assert_eq!(record.subjects[1].artifact.own_driver.as_deref(), Some("bench/driver"));
    assert!(!record.plan.in_tree());
}
