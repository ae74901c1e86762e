//! Crate `schedule`.
