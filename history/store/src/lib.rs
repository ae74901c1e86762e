//! Crate `store`.
