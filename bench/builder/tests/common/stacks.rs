//! The two stacks: a C library in a crate, and a Rust library.

use super::World;
use std::fs;

/// `1.1.0` as 110.
pub fn number(version: &str) -> String {
    version.split('-').next().unwrap().replace('.', "")
}

/// A C library whose version is `number`.
pub fn c_code(number: &str) -> String {
    let mut code = format!("int tiny_version(void) {{ return {number}; }}\n");
    code.push_str("const char *tiny_file(void) { return __FILE__; }\n");
    for name in ["one", "two", "three", "four", "five"] {
        code.push_str(&format!("int tiny_{name}(int x) {{ return x * 7 + {}; }}\n", name.len()));
    }
    code
}

/// A driver that prints what its library says.
fn c_driver(world: &World) {
    let at = |path: &str| format!("repository/bench/drivers/tiny/{path}");
    world.write(
        &at("Cargo.toml"),
        r#"[package]
name = "driver-tiny"
version = "0.1.0"
edition = "2021"
[workspace]
[features]
loud = []
[[bin]]
name = "driver"
path = "src/main.rs"
[dependencies]
shakedown-driver = { path = "../../driver" }
"#,
    );
    world.write(
        &at("build.rs"),
        r#"fn main() {
    println!("cargo:rerun-if-env-changed=TINY_DIR");
    println!("cargo:rustc-link-search={}/lib", std::env::var("TINY_DIR").unwrap());
    println!("cargo:rustc-link-lib=static=tiny");
}
"#,
    );
    world.write(
        &at("src/main.rs"),
        r#"extern "C" { fn tiny_version() -> i32; fn tiny_one(x: i32) -> i32; fn tiny_two(x: i32) -> i32; }
fn main() {
    let loud = if cfg!(feature = "loud") { "!" } else { "" };
    let sum = unsafe { tiny_one(1) + tiny_two(1) };
    println!("tiny {} {sum}{loud}", unsafe { tiny_version() });
    shakedown_driver::hello();
}
"#,
    );
    world.write(
        "repository/bench/driver/Cargo.toml",
        "[package]\nname = \"shakedown-driver\"\nversion.workspace = true\nedition = \"2021\"\n",
    );
    world.write("repository/bench/driver/src/lib.rs", "pub fn hello() {}\n");
    world.write("repository/Cargo.toml", "[workspace]\nmembers = [\"bench/driver\"]\nexclude = [\"bench/drivers\"]\n[workspace.package]\nversion = \"0.1.0\"\n");
    world.run(&at(""), "cargo", &["generate-lockfile", "-q"]);
}

fn c_stack(world: &World) {
    let digest = |file: &str| fs::read_to_string(world.at(&format!("digests/{file}"))).unwrap();
    let text = format!(
        r#"name = "tiny"
title = "Tiny"
default = "1"
disk_mib = 1
[[requires]]
program = "cc"
package = "gcc"
[git]
url = "{}"
tags = '^v(\d+\.\d+\.\d+)$'
[crate]
name = "tiny-src"
folder = "tiny"
release_in_metadata = true
[[release]]
version = "1.0.0"
crate_version = "300.0.0+1.0.0"
sha256 = "{}"
[[release]]
version = "1.1.0"
crate_version = "301.0.0+1.1.0"
sha256 = "{}"
[library]
archives = ["lib/libtiny.a"]
[[library.options]]
add = ["-ffunction-sections"]
[[library.step]]
name = "prepare"
run = ["mkdir", "-p", "{{prefix}}/lib"]
[[library.step]]
name = "compile"
run = ["cc", "{{options}}", "-ffile-prefix-map={{root}}=.", "-c", "{{root}}/source/tiny.c", "-o", "tiny.o"]
[[library.step]]
name = "pack"
run = ["ar", "rcs", "{{prefix}}/lib/libtiny.a", "tiny.o"]
[[library.version]]
file = "VERSION"
pattern = '(\S+)'
release = "$1"
[[driver]]
package = "tiny"
[driver.environment]
TINY_DIR = "{{prefix}}"
[[variant]]
name = "fast"
description = "optimised"
options = [{{ add = ["-O2"] }}]
[[variant]]
name = "loud"
description = "shouts"
features = ["loud"]
since = "1.1.0"
[[variant]]
name = "other-compiler"
description = "one that nobody has"
requires = [{{ program = "no-such-compiler", package = "no-such-package" }}]
"#,
        world.at("upstream").display(),
        digest("tiny-src-300.0.0+1.0.0"),
        digest("tiny-src-301.0.0+1.1.0"),
    );
    world.write("repository/bench/catalog/stacks/tiny.toml", &text);
    // The same library in a crate that has the library's own number, without a list of releases.
    let list = text.find("[[release]]").unwrap()..text.find("[library]").unwrap();
    let plain = text.replace(&text[list], "").replace("name = \"tiny\"", "name = \"plain\"");
    let plain = plain.replace("\"tiny-src\"", "\"plain-src\"");
    let plain = plain.replace("release_in_metadata = true", "since = \"1.0.0\"");
    world.write("repository/bench/catalog/stacks/plain.toml", &plain);
}

fn rust_driver(world: &World) {
    let at = |path: &str| format!("repository/bench/drivers/tinyrs/{path}");
    world.write(
        &at("Cargo.toml"),
        r#"[package]
name = "driver-tinyrs"
version = "0.1.0"
edition = "2021"
[workspace]
[[bin]]
name = "driver"
path = "src/main.rs"
[dependencies]
tinyrs = { version = "1", default-features = false }
helper = "=1.0.0"
"#,
    );
    world.write(&at("src/main.rs"), "fn main() { println!(\"tinyrs {}\", tinyrs::version()); }\n");
    world.run(&at(""), "cargo", &["generate-lockfile", "-q"]);
    // From here on only the lockfile holds the old helper.
    world.edit(&at("Cargo.toml"), "helper = \"=1.0.0\"", "helper = \"1\"");
}

fn rust_stack(world: &World) {
    let digest = |file: &str| fs::read_to_string(world.at(&format!("digests/{file}"))).unwrap();
    let text = format!(
        r#"name = "tinyrs"
title = "Tiny in Rust"
default = "1"
disk_mib = 1
reference = ["lto"]
[crate]
name = "tinyrs"
[[release]]
version = "1.0.0"
sha256 = "{}"
[[release]]
version = "1.1.0"
sha256 = "{}"
[[driver]]
package = "tinyrs"
before = "2.0.0-0"
inject = [{{ crate = "tinyrs", folder = "tinyrs" }}]
[[variant]]
name = "lto"
description = "optimised as a whole"
group = "optimisation"
profile = {{ lto = true, codegen-units = 1 }}
[[variant]]
name = "no-lto"
description = "optimised crate by crate"
group = "optimisation"
default = true
"#,
        digest("tinyrs-1.0.0"),
        digest("tinyrs-1.1.0"),
    );
    world.write("repository/bench/catalog/stacks/tinyrs.toml", &text);
}

pub fn make(world: &World) {
    c_driver(world);
    c_stack(world);
    rust_driver(world);
    rust_stack(world);
}

/// A checkout of the C library.
pub fn c_tree(world: &World, folder: &str, version: &str) {
    world.write(&format!("{folder}/tiny.c"), &c_code(&number(version)));
    world.write(&format!("{folder}/VERSION"), version);
}

/// A checkout of the Rust library: a workspace, whose version the crate inherits.
pub fn rust_tree(world: &World, folder: &str, version: &str, result: &str) {
    world.write(
        &format!("{folder}/Cargo.toml"),
        &format!("[workspace]\nmembers = [\"tinyrs\"]\nresolver = \"2\"\n[workspace.package]\nversion = \"{version}\"\n"),
    );
    world.write(
        &format!("{folder}/tinyrs/Cargo.toml"),
        "[package]\nname = \"tinyrs\"\nversion.workspace = true\nedition = \"2021\"\n[dependencies]\nhelper = \"1\"\n",
    );
    let code = format!("pub fn version() -> u32 {{ helper::add({result}) }}\n");
    world.write(&format!("{folder}/tinyrs/src/lib.rs"), &code);
}
