//! Links the Mbed TLS under `MBEDTLS_DIR`, and declares what its headers do.

use std::{env, path::Path};

/// As the library is built: the layout of its structures depends on them.
const DEFINED: [&str; 2] = ["-DMBEDTLS_THREADING_C", "-DMBEDTLS_THREADING_PTHREAD"];

fn main() {
    println!("cargo::rerun-if-env-changed=MBEDTLS_DIR");
    let prefix = env::var("MBEDTLS_DIR").expect("MBEDTLS_DIR is the folder with include and lib");
    println!("cargo::rerun-if-changed={prefix}");
    println!("cargo::rustc-link-search=native={prefix}/lib");
    for library in ["mbedtls", "mbedx509", "mbedcrypto", "everest", "p256m"] {
        println!("cargo::rustc-link-lib=static={library}");
    }
    let into = env::var("OUT_DIR").expect("cargo sets it");
    let headers = ["ssl", "ssl_ticket", "ssl_cache", "entropy", "ctr_drbg", "error", "version"];
    let includes: String = headers.map(|name| format!("#include <mbedtls/{name}.h>\n")).concat();
    bindgen::builder()
        .header_contents("mbedtls.h", &format!("{includes}#include <psa/crypto.h>\n"))
        .clang_args([format!("-I{prefix}/include")])
        .clang_args(DEFINED)
        .allowlist_function("mbedtls_.*|psa_crypto_init")
        .allowlist_type("mbedtls_ssl_states")
        .allowlist_var("MBEDTLS_.*")
        .prepend_enum_name(false)
        .layout_tests(false)
        .generate()
        .unwrap_or_else(|error| panic!("{error}"))
        .write_to_file(Path::new(&into).join("mbedtls.rs"))
        .expect("OUT_DIR can be written");
}
