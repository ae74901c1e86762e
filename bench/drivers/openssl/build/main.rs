//! Links the OpenSSL under `OPENSSL_DIR`, or a library that comes from OpenSSL, after comparing
//! `src/ffi` with its headers.

mod probe;
mod surface;

use probe::Probe;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::ExitCode,
};
use surface::Declaration;

/// Declarations for every library.
const COMMON: &str = "src/ffi/mod.rs";
/// The optional function of [`COMMON`] that tells the two interfaces apart.
const TELLS: &str = "SSL_CTX_ctrl";
/// Declarations for a library that offers [`TELLS`].
const CONTROLS: &str = "src/ffi/controls.rs";
/// Declarations for one that does not.
const FUNCTIONS: &str = "src/ffi/functions.rs";
/// Declarations that primitives need, and TLS does not.
const PRIMITIVES: &str = "src/ffi/primitives.rs";
/// Declarations that loading needs, and TLS does not.
const LOAD: &str = "src/ffi/load.rs";
/// The optional function of [`CONTROLS`] and [`FUNCTIONS`] that loading needs, too.
const READS_MEMORY: &str = "BIO_new_mem_buf";

fn main() -> ExitCode {
    match link() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            for line in message.lines() {
                println!("cargo::error={line}");
            }
            ExitCode::FAILURE
        }
    }
}

fn link() -> Result<(), String> {
    let prefix = env::var_os("OPENSSL_DIR").map(PathBuf::from);
    let prefix = prefix.ok_or("set OPENSSL_DIR to the folder with OpenSSL's include and lib")?;
    watch(&prefix);
    let scratch = env::var_os("OUT_DIR").map(PathBuf::from).ok_or("OUT_DIR is not set")?;
    let probe = Probe::new(&prefix, &scratch)?;
    let surfaces = [
        declarations(COMMON)?,
        declarations(CONTROLS)?,
        declarations(FUNCTIONS)?,
        declarations(PRIMITIVES)?,
        declarations(LOAD)?,
    ];
    let [common, controls, functions, primitives, load] = &surfaces;
    let optional = surfaces.iter().flatten().filter(|declaration| declaration.optional);
    let names: Vec<String> = optional.map(|d| format!("{:?}", d.name)).collect();
    println!("cargo::rustc-check-cfg=cfg(offered, values({}))", names.join(", "));
    println!("cargo::rustc-check-cfg=cfg(primitives)");
    println!("cargo::rustc-check-cfg=cfg(loads)");
    let mut missing = missing(&probe, COMMON, common)?;
    let (file, other) =
        if missing.contains(&TELLS) { (FUNCTIONS, functions) } else { (CONTROLS, controls) };
    missing.extend(self::missing(&probe, file, other)?);
    offered(common.iter().chain(other), &missing);
    let loads = !missing.contains(&READS_MEMORY);
    if !part(&probe, PRIMITIVES, primitives, "primitives") {
        missing.push("primitives");
    }
    if !loads || !part(&probe, LOAD, load, "loads") {
        missing.push("loads");
    }
    println!("cargo::rustc-env=NOT_OFFERED={}", missing.join(", "));
    println!("cargo::rustc-link-search=native={}", prefix.join("lib").display());
    for library in probe::STATIC {
        println!("cargo::rustc-link-lib=static={library}");
    }
    for library in probe.system() {
        println!("cargo::rustc-link-lib={library}");
    }
    Ok(())
}

/// Turns on a part of the driver that not every library has the functions for; returns whether this
/// one has them.
fn part(probe: &Probe, file: &str, declared: &[Declaration], name: &str) -> bool {
    match missing(probe, file, declared) {
        Ok(missing) => {
            println!("cargo::rustc-cfg={name}");
            offered(declared.iter(), &missing);
            true
        }
        Err(why) => {
            println!("cargo::warning=without {name}: {}", why.lines().next().unwrap_or(""));
            false
        }
    }
}

/// Tells the driver which of these optional declarations the library offers.
fn offered<'a>(asked: impl Iterator<Item = &'a Declaration>, missing: &[&str]) {
    for declaration in asked.filter(|d| d.optional && !missing.contains(&d.name.as_str())) {
        println!("cargo::rustc-cfg=offered={:?}", declaration.name);
    }
}

/// Runs this script again when the library under test is another one.
fn watch(prefix: &Path) {
    for variable in ["OPENSSL_DIR", "CC"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=src/ffi");
    for file in ["include/openssl/opensslv.h", "lib/libssl.a", "lib/libcrypto.a"] {
        println!("cargo::rerun-if-changed={}", prefix.join(file).display());
    }
}

/// What a file declares.
fn declarations(file: &str) -> Result<Vec<Declaration>, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    surface::parse(&text)
}

/// Optional names that this library does not offer as `file` declares them.
fn missing<'a>(
    probe: &Probe,
    file: &str,
    surface: &'a [Declaration],
) -> Result<Vec<&'a str>, String> {
    let (optional, required): (Vec<&Declaration>, Vec<&Declaration>) =
        surface.iter().partition(|declaration| declaration.optional);
    if let Err(message) = probe.offers(&required) {
        let alone = |declaration: &&&Declaration| probe.offers(&[*declaration]).is_err();
        let names: Vec<&str> = required.iter().filter(alone).map(|d| &*d.name).collect();
        return Err(format!(
            "not offered by this version, or not as {file} declares it: {}\n{message}",
            names.join(", ")
        ));
    }
    let lacks = |declaration: &&&Declaration| probe.offers(&[*declaration]).is_err();
    Ok(optional.iter().filter(lacks).map(|declaration| &*declaration.name).collect())
}
