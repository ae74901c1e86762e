//! A subject that does not build, as the user of `run` and `compare` meets it: a stack of the catalog whose
//! build fails half way.

mod common;

use assert_cmd::Command;
use common::{
    NOOP, all_measured,
    nights::argument,
    record, shakedown,
    upstream::{Upstream, copy_project},
};
use std::{
    fs,
    path::{Path, PathBuf},
};

const FULL: &str = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";

/// The library compiles one of its two files.
const STACK: &str = r#"name = "half"
title = "A library that builds half way"
default = "1.0.0"
disk_mib = 1

[git]
url = "UPSTREAM"

[library]
archives = ["lib/libhalf.a"]

[[library.step]]
name = "first"
run = ["cc", "-c", "{source}/first.c", "-o", "first.o"]

[[library.step]]
name = "second"
run = ["cc", "-c", "{source}/second.c", "-o", "second.o"]

[[library.version]]
file = "VERSION"
pattern = '(\S+)'
release = "$1"

[[driver]]
package = "noop"
"#;

/// A copy of the project with the stack in its catalog.
fn project(folder: &Path) -> PathBuf {
    let upstream = Upstream::new("half-upstream");
    upstream.write("VERSION", "1.0.0\n");
    upstream.write("first.c", "int first(void) { return 1; }\n");
    upstream.write("second.c", "int second(void) { return <b>nonsense</b>; }\n");
    upstream.commit("Half of it");
    let project = folder.join("project");
    let more =
        ["bench/drivers/noop", "bench/catalog", "thresholds/pr.toml", "thresholds/accepted.toml"];
    copy_project(&project, &more);
    let stack = STACK.replace("UPSTREAM", &upstream.folder().display().to_string());
    fs::write(project.join("bench/catalog/stacks/half.toml"), stack).unwrap();
    project
}

fn call(folder: &Path, project: &Path) -> Command {
    let mut command = shakedown(folder);
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("half-cache");
    command.env("SHAKEDOWN_ROOT", project).env("SHAKEDOWN_CACHE", cache);
    command
}

#[test]
fn a_subject_that_does_not_build_costs_its_own_cells_only() {
    let folder = tempfile::tempdir().unwrap();
    let (project, out) = (project(folder.path()), folder.path().join("out"));
    let measure = ["--suite", "smoke", "--only", FULL, "--blocks", "1", "--as-named", "--out"];
    let mut run = call(folder.path(), &project);
    run.arg("run").args(measure).arg(&out).args(["half@git:HEAD", NOOP]);
    let done = run.assert().code(3);
    let output = done.get_output();
    let [said, told] =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8(bytes.clone()).unwrap());

    let measured = record(&out);
    assert!(measured.finish.is_some());
    assert_eq!(measured.subjects.len(), 1);
    assert!(measured.trials.len() >= 2);
    all_measured(&measured);
    let [failed] = &measured.plan.not_built[..] else { panic!("{:?}", measured.plan) };
    assert_eq!(failed.subject.to_string(), "half@git:HEAD");
    assert!(failed.error.contains("step second failed"), "{failed:?}");
    assert!(failed.last_lines.iter().any(|line| line.contains("second.c")), "{failed:?}");
    let log = failed.log.as_deref().unwrap();
    assert!(fs::read_to_string(log).unwrap().contains("second.c"), "{log}");

    assert!(told.contains("Measuring without half@git:HEAD"), "{told}");
    let read = |name: &str| fs::read_to_string(out.join(name)).unwrap();
    for page in [said, read("report.md"), read("report.html")] {
        assert!(page.to_lowercase().contains("not built"), "{page}");
        assert!(page.contains("second.c") && page.contains("half-cache"), "{page}");
    }
    assert!(
        !read("report.html").contains("<b>nonsense") && !read("report.md").contains("<b>nonsense")
    );

    // It is finished as it was planned, and still not whole.
    let mut again = call(folder.path(), &project);
    again.args(["run", "--resume", argument(&out)]).assert().code(3);
    assert_eq!(record(&out).plan.not_built, measured.plan.not_built);

    // Where nothing builds, and in a comparison, there is nothing to measure.
    for arguments in
        [vec!["run", "half@git:HEAD"], vec!["compare", "half@git:HEAD", "half@git:HEAD"]]
    {
        let none = folder.path().join("none");
        let mut command = call(folder.path(), &project);
        command.args(&arguments).args(&measure[..4]).arg("--out").arg(&none).assert().code(3);
        assert!(!none.join("record.json").exists(), "{arguments:?}");
    }
}
