// Comes before each probe. The globs find a name in whichever of these modules it is.
#![allow(unused, deprecated, ambiguous_glob_imports)]
use ::pki_types::*;
use rustls::{
    client::{danger::*, *},
    crypto::*,
    server::{danger::*, *},
    *,
};
use std::{
    hash::Hasher,
    io::{Read, Write},
    sync::Arc,
};

#[cfg(all(feature = "provider-crate", feature = "aws-lc-rs"))]
use rustls_aws_lc_rs as chosen;
#[cfg(all(feature = "provider-crate", feature = "ring"))]
use rustls_ring as chosen;
#[cfg(all(not(feature = "provider-crate"), feature = "aws-lc-rs"))]
use rustls::crypto::aws_lc_rs as chosen;
#[cfg(all(not(feature = "provider-crate"), feature = "ring"))]
use rustls::crypto::ring as chosen;
#[cfg(feature = "graviola")]
use rustls_graviola as chosen;
#[cfg(feature = "openssl")]
use rustls_openssl as chosen;
#[cfg(feature = "boringssl")]
mod chosen {
    pub use boring_rustls_provider::provider as default_provider;
}
#[cfg(feature = "rustcrypto")]
mod chosen {
    pub use rustls_rustcrypto::provider as default_provider;
}

fn main() {}

