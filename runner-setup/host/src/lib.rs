//! Crate `host`.
