//! A registry that cargo reads from files: an index in git, and crates beside it.

use super::World;
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest as _, Sha256};
use std::{fs, path::Path};

/// Packs folder contents under `top` as a `.tar.gz` and gives its SHA-256.
pub fn pack(files: &[(&str, &str)], top: &str, to: &Path) -> String {
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, text) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, format!("{top}/{path}"), text.as_bytes()).unwrap();
    }
    let bytes = builder.into_inner().unwrap().finish().unwrap();
    fs::write(to, &bytes).unwrap();
    Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A crate in the registry: its files, and what it depends on.
fn publish(world: &World, name: &str, version: &str, needs: &[&str], files: &[(&str, &str)]) {
    let mut manifest =
        format!("[package]\nname = \"{name}\"\nversion = \"{version}\"\nedition = \"2021\"\n");
    manifest.push_str("[features]\nfast = []\n[dependencies]\n");
    for need in needs {
        manifest.push_str(&format!("{need} = \"1\"\n"));
    }
    let mut all = vec![("Cargo.toml", manifest.as_str())];
    all.extend(files);
    let file = format!("{name}-{version}");
    let sha256 = pack(&all, &file, &world.at(&format!("crates/{file}.crate")));
    world.write(&format!("digests/{file}"), &sha256);
    let needs: Vec<String> = needs
        .iter()
        .map(|need| {
            format!(
                r#"{{"name":"{need}","req":"^1","features":[],"optional":false,"default_features":true,"target":null,"kind":"normal"}}"#
            )
        })
        .collect();
    let line = format!(
        "{{\"name\":\"{name}\",\"vers\":\"{version}\",\"deps\":[{}],\"cksum\":\"{sha256}\",\"features\":{{\"fast\":[]}},\"yanked\":false}}\n",
        needs.join(",")
    );
    let entry = world.at(&format!("index/{}/{}/{name}", &name[..2], &name[2..4]));
    fs::create_dir_all(entry.parent().unwrap()).unwrap();
    let before = fs::read_to_string(&entry).unwrap_or_default();
    fs::write(entry, before + &line).unwrap();
}

/// Adds a release of the Rust library later on.
pub fn publish_tinyrs(world: &World, version: &str) {
    let code =
        format!("pub fn version() -> u32 {{ helper::add({}) }}\n", super::stacks::number(version));
    publish(world, "tinyrs", version, &["helper"], &[("src/lib.rs", &code)]);
}

pub fn make(world: &World) {
    for version in ["1.0.0", "1.1.0"] {
        let code = format!("/// {version}\npub fn add(x: u32) -> u32 {{ x }}\n");
        publish(world, "helper", version, &[], &[("src/lib.rs", &code)]);
    }
    for version in ["1.0.0", "1.1.0"] {
        publish_tinyrs(world, version);
    }
    for version in ["1.0.0", "1.1.0"] {
        let code = super::stacks::c_code(&super::stacks::number(version));
        let crate_version = format!("30{}.0.0+{version}", &version[2..3]);
        let files = [("src/lib.rs", ""), ("tiny/tiny.c", &*code), ("tiny/VERSION", version)];
        publish(world, "tiny-src", &crate_version, &[], &files);
        publish(world, "plain-src", version, &[], &files);
    }
    let dl = format!("file://{}/{{crate}}-{{version}}.crate", world.at("crates").display());
    world.write("index/config.json", &format!("{{\"dl\":\"{dl}\",\"api\":null}}"));
    world.commit("index");
    world.write(
        "cargo/config.toml",
        &format!(
            "[source.crates-io]\nreplace-with = \"miniature\"\n[source.miniature]\nregistry = \"file://{}\"\n",
            world.at("index").display()
        ),
    );
}
