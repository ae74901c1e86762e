//! Links the GnuTLS that pkg-config finds, and declares what its headers do.

use std::{env, path::Path};

fn main() {
    let library = pkg_config::probe_library("gnutls").unwrap_or_else(|error| panic!("{error}"));
    let include = library.include_paths.iter().map(|path| format!("-I{}", path.display()));
    let into = env::var("OUT_DIR").expect("cargo sets it");
    bindgen::builder()
        .header_contents("gnutls.h", "#include <gnutls/gnutls.h>")
        .clang_args(include)
        .allowlist_function("gnutls_.*")
        .allowlist_type("gnutls_init_flags_t")
        .allowlist_var("GNUTLS_E_.*|gnutls_(malloc|free)")
        .prepend_enum_name(false)
        .layout_tests(false)
        .generate()
        .unwrap_or_else(|error| panic!("{error}"))
        .write_to_file(Path::new(&into).join("gnutls.rs"))
        .expect("OUT_DIR can be written");
}
