//! Links the wolfSSL that pkg-config finds, and declares what its headers do.

use std::{env, path::Path};

fn main() {
    let library = pkg_config::probe_library("wolfssl").unwrap_or_else(|error| panic!("{error}"));
    let include = library.include_paths.iter().map(|path| format!("-I{}", path.display()));
    let into = env::var("OUT_DIR").expect("cargo sets it");
    // The options of its build come first: the other headers declare by them.
    let headers = "#include <wolfssl/options.h>\n#include <wolfssl/ssl.h>";
    bindgen::builder()
        .header_contents("wolfssl.h", headers)
        .clang_args(include)
        .allowlist_function("wolfSSL_.*|wolfTLSv1_[23]_(client|server)_method")
        .allowlist_type("IOerrors")
        .allowlist_var("WOLFSSL_(SUCCESS|ERROR_WANT_READ|FILETYPE_PEM|SNI_HOST_NAME)")
        .allowlist_var("WOLFSSL_(VERIFY|SESS_CACHE)_.*")
        .prepend_enum_name(false)
        .layout_tests(false)
        .generate()
        .unwrap_or_else(|error| panic!("{error}"))
        .write_to_file(Path::new(&into).join("wolfssl.rs"))
        .expect("OUT_DIR can be written");
}
