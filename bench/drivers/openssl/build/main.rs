//! Links the OpenSSL under `OPENSSL_DIR`, after comparing `src/ffi.rs` with its headers.

mod probe;
mod surface;

use probe::Probe;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::ExitCode,
};
use surface::Declaration;

const BINDINGS: &str = "src/ffi.rs";

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
    let text = fs::read_to_string(BINDINGS).map_err(|error| format!("{BINDINGS}: {error}"))?;
    let surface = surface::parse(&text)?;
    let scratch = env::var_os("OUT_DIR").map(PathBuf::from).ok_or("OUT_DIR is not set")?;
    let probe = Probe::new(&prefix, &scratch)?;
    let missing = missing(&probe, &surface)?;
    let offered = |declaration: &&Declaration| !missing.contains(&declaration.name.as_str());
    let optional = surface.iter().filter(|declaration| declaration.optional);
    let names: Vec<String> = optional.clone().map(|d| format!("{:?}", d.name)).collect();
    println!("cargo::rustc-check-cfg=cfg(offered, values({}))", names.join(", "));
    for declaration in optional.filter(offered) {
        println!("cargo::rustc-cfg=offered={:?}", declaration.name);
    }
    println!("cargo::rustc-env=NOT_OFFERED={}", missing.join(", "));
    println!("cargo::rustc-link-search=native={}", prefix.join("lib").display());
    for library in probe::STATIC {
        println!("cargo::rustc-link-lib=static={library}");
    }
    for library in probe::SYSTEM {
        println!("cargo::rustc-link-lib={library}");
    }
    Ok(())
}

/// Runs this script again when the library under test is another one.
fn watch(prefix: &Path) {
    for variable in ["OPENSSL_DIR", "CC"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed={BINDINGS}");
    for file in ["include/openssl/opensslv.h", "lib/libssl.a", "lib/libcrypto.a"] {
        println!("cargo::rerun-if-changed={}", prefix.join(file).display());
    }
}

/// Names that this OpenSSL does not offer as they are declared.
fn missing<'a>(probe: &Probe, surface: &'a [Declaration]) -> Result<Vec<&'a str>, String> {
    let (optional, required): (Vec<&Declaration>, Vec<&Declaration>) =
        surface.iter().partition(|declaration| declaration.optional);
    if let Err(message) = probe.offers(&required) {
        let alone = |declaration: &&&Declaration| probe.offers(&[*declaration]).is_err();
        let names: Vec<&str> = required.iter().filter(alone).map(|d| &*d.name).collect();
        return Err(format!(
            "not offered by this version, or not as {BINDINGS} declares it: {}\n{message}",
            names.join(", ")
        ));
    }
    let lacks = |declaration: &&&Declaration| probe.offers(&[*declaration]).is_err();
    Ok(optional.iter().filter(lacks).map(|declaration| &*declaration.name).collect())
}
