//! Tells the driver which versions it links, from its lockfile.

use std::fs;

fn main() {
    println!("cargo::rerun-if-changed=Cargo.lock");
    let lock = fs::read_to_string("Cargo.lock").expect("the package has a lockfile");
    for name in ["s2n-tls-sys", "aws-lc-sys"] {
        let version = version(&lock, name).unwrap_or("none");
        let variable = name.to_uppercase().replace('-', "_");
        println!("cargo::rustc-env=VERSION_OF_{variable}={version}");
    }
}

/// The version of the package `name` in a lockfile.
fn version<'a>(lock: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = lock.lines();
    lines.find(|line| *line == format!("name = \"{name}\""))?;
    lines.next()?.strip_prefix("version = \"")?.strip_suffix('"')
}
