//! A release of rustls as a checkout has it, for tests that change its code.

use super::upstream::copy;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// What slower functions call: a checksum over a few bytes, repeated. 2,000 bytes take about 16,000
/// instructions.
const CHECKSUM: &str = "
pub(crate) fn checksum(bytes: &[u8], length: usize) {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in bytes.iter().cycle().take(length) {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    core::hint::black_box(hash);
}
";

/// Lays a release out in a folder that does not exist yet: a workspace with the crate in a folder.
pub fn lay_out(release: &str, base: &Path) {
    let maker = tempfile::tempdir().expect("there is room");
    fs::create_dir(maker.path().join("src")).expect("there is room");
    fs::write(maker.path().join("src/lib.rs"), "").expect("there is room");
    let manifest = format!(
        "[package]\nname = \"fetch\"\nedition = \"2021\"\n\n[dependencies]\nrustls = \"={release}\"\n\n[workspace]\n"
    );
    fs::write(maker.path().join("Cargo.toml"), manifest).expect("there is room");
    let cargo = Command::new("cargo")
        .args(["vendor", "--quiet", "--versioned-dirs", "vendor"])
        .current_dir(maker.path())
        .output()
        .expect("cargo is there");
    assert!(cargo.status.success(), "{}", String::from_utf8_lossy(&cargo.stderr));
    fs::create_dir_all(base).expect("there is room");
    copy(&maker.path().join(format!("vendor/rustls-{release}")), &base.join("rustls"));
    for name in ["Cargo.lock", "Cargo.toml.orig", ".cargo-checksum.json"] {
        let _ = fs::remove_file(base.join("rustls").join(name));
    }
    fs::write(base.join("Cargo.toml"), "[workspace]\nmembers = [\"rustls\"]\nresolver = \"2\"\n")
        .expect("there is room");
    // In base, too, and unused there: a change is the call of it.
    let layer = base.join("rustls/src/record_layer.rs");
    let text = fs::read_to_string(&layer).expect("rustls has a record layer");
    let place = text.find("#[derive(PartialEq)]").expect("it has such a type");
    let checksum = CHECKSUM.replace("pub(crate)", "#[allow(dead_code)]\npub(crate)");
    fs::write(&layer, format!("{}{}{}", &text[..place], checksum.trim_start(), &text[place..]))
        .expect("there is room");
}

/// Puts code at the beginning of the function that begins so.
pub fn put_into(file: &Path, function: &str, code: &str) {
    let text = fs::read_to_string(file).expect("the file is there");
    let begin = text.find(function);
    let begin = begin.unwrap_or_else(|| panic!("{} has no {function}", file.display()));
    let body = begin + text[begin..].find("{\n").expect("it has a body") + 2;
    fs::write(file, format!("{}{code}\n{}", &text[..body], &text[body..])).expect("there is room");
}

/// Calls something another name in all files of a folder.
pub fn rename(folder: &Path, old: &str, new: &str) {
    for path in sources(folder) {
        let text = fs::read_to_string(&path).expect("it is text");
        if text.contains(old) {
            fs::write(&path, text.replace(old, new)).expect("there is room");
        }
    }
}

/// Moves a function of no type's into a module of its own, in the same file.
pub fn move_into_module(file: &Path, function: &str) {
    let text = fs::read_to_string(file).expect("the file is there");
    let begin = text.find(&format!("\nfn {function}(")).expect("the function is there") + 1;
    let end = begin + text[begin..].find("\n}\n").expect("it ends") + 3;
    let (before, body, after) = (&text[..begin], &text[begin..end], &text[end..]);
    let module =
        format!("use moved::{function};\nmod moved {{\nuse super::*;\npub(super) {body}}}\n");
    fs::write(file, format!("{before}{module}{after}")).expect("there is room");
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("it is a folder");
    let entries = entries.map(|entry| entry.expect("it can be read").path());
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = entries.partition(|path| path.is_dir());
    let rust = files.into_iter().filter(|path| path.extension().is_some_and(|e| e == "rs"));
    rust.chain(folders.iter().flat_map(|folder| sources(folder))).collect()
}
