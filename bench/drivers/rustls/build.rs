//! Tells the driver which versions it links, from its lockfile, and which variant of each
//! surface of the API fits, as the builder found it with `probes/`.

use std::{env, fs, path::Path};

/// Crates whose versions the driver tells.
const NAMED: [&str; 10] = [
    "rustls",
    "aws-lc-rs",
    "aws-lc-sys",
    "ring",
    "rustls-graviola",
    "rustls-openssl",
    "openssl-src",
    "boring-rustls-provider",
    "boring-sys",
    "rustls-rustcrypto",
];

/// `surface=variant`, separated by commas.
const FOUND: &str = "SHAKEDOWN_SURFACES";

fn main() {
    let folder = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let folder = Path::new(&folder);
    println!("cargo::rerun-if-changed=Cargo.lock");
    println!("cargo::rerun-if-changed=probes");
    println!("cargo::rerun-if-env-changed={FOUND}");
    let lock = fs::read_to_string(folder.join("Cargo.lock")).expect("the package has a lockfile");
    for name in NAMED {
        let version = version(&lock, name).unwrap_or("none");
        let variable = name.to_uppercase().replace('-', "_");
        println!("cargo::rustc-env=VERSION_OF_{variable}={version}");
    }
    for surface in names(&folder.join("probes")).iter().filter(|name| *name != "prelude") {
        let variants = names(&folder.join("probes").join(surface));
        let values: Vec<String> = variants.iter().map(|name| format!("{name:?}")).collect();
        println!("cargo::rustc-check-cfg=cfg({surface}, values({}))", values.join(", "));
    }
    let found = env::var(FOUND).unwrap_or_default();
    for (surface, variant) in found.split(',').filter_map(|one| one.split_once('=')) {
        println!("cargo::rustc-cfg={surface}={variant:?}");
    }
}

/// Names in a folder, without the ending of files.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let stem = |path: &Path| Some(path.file_stem()?.to_str()?.to_owned());
    entries.filter_map(|entry| stem(&entry.path())).collect()
}

/// The version of the package `name` in a lockfile.
fn version<'a>(lock: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = lock.lines();
    lines.find(|line| *line == format!("name = \"{name}\""))?;
    lines.next()?.strip_prefix("version = \"")?.strip_suffix('"')
}
