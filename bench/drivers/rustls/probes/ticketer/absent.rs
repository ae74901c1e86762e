// These providers have none.
#[cfg(not(any(feature = "boringssl", feature = "openssl", feature = "rustcrypto")))]
compile_error!("has a ticketer");

fn probe() {}
