//! The scripts that compare a driver with its project's own benchmark program.

use std::{fs, os::unix::fs::PermissionsExt, path::Path, process::Command};

/// A driver of another protocol, which refuses requests of any other.
const DRIVER: &str = r#"#!/bin/sh
case $1 in
describe) echo '{"protocol": 4711}' ;;
measure)
    grep -q '"protocol": 4711,' || exit 2
    echo '{"measured": {"sides": [{"side": "client", "samples": [{"operations": 3, "nanoseconds": 1000000000}]}]}}'
    ;;
esac
"#;

#[test]
fn requests_have_the_protocol_of_the_driver() {
    let folder = tempfile::tempdir().unwrap();
    let driver = folder.path().join("driver");
    fs::write(&driver, DRIVER).unwrap();
    fs::set_permissions(&driver, fs::Permissions::from_mode(0o755)).unwrap();
    let program = format!(
        "import os, reference; cpu = max(os.sched_getaffinity(0)); print(reference.rates({:?}, 'x', cpu))",
        driver.display().to_string()
    );
    let output = Command::new("python3")
        .args(["-B", "-c", &program])
        .env("PYTHONPATH", Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/lib"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "{'client': 3.0}\n");
}
