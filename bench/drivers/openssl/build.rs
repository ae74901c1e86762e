//! Tells the driver which functions the linked OpenSSL has.

use std::env;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(openssl3)");
    // Set by openssl-sys; for example 30500050 for 3.5.5.
    let version = env::var("DEP_OPENSSL_VERSION_NUMBER").expect("openssl-sys found OpenSSL");
    let version = u64::from_str_radix(&version, 16).expect("the version is hexadecimal");
    if version >= 0x3000_0000 {
        println!("cargo::rustc-cfg=openssl3");
    }
}
