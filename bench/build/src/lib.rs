//! Crate `build`.
