//! Randomness that is the same in every run, so that counts repeat.

#[cfg(offered = "RAND_set_rand_method")]
mod method;
#[cfg(offered = "RAND_set_rand_method")]
pub use method::fix;

#[cfg(all(not(offered = "RAND_set_rand_method"), offered = "RAND_set0_public"))]
mod test_rand;
#[cfg(all(not(offered = "RAND_set_rand_method"), offered = "RAND_set0_public"))]
pub use test_rand::fix;

/// Counts would differ from run to run.
///
/// # Errors
/// Always.
#[cfg(not(any(offered = "RAND_set_rand_method", offered = "RAND_set0_public")))]
pub fn fix(_: u64) -> Result<(), shakedown_protocol::DriverRefusal> {
    let what = "RAND_set_rand_method or RAND_set0_public, to count with fixed randomness";
    Err(shakedown_protocol::DriverRefusal::Unsupported(crate::error::not_offered(what).0))
}
