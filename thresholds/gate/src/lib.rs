//! Crate `gate`.
