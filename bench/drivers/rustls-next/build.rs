//! Tells the driver which versions it links, from the lockfile that it is built with.

use std::{env, fs, path::Path};

fn main() {
    let folder = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let path = Path::new(&folder).join("Cargo.lock");
    println!("cargo::rerun-if-changed={}", path.display());
    let lock = fs::read_to_string(&path).expect("the package has a lockfile");
    for name in ["rustls", "aws-lc-rs", "aws-lc-sys", "ring"] {
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
