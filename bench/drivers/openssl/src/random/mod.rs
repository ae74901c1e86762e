//! Randomness that is the same in every run, so that counts repeat.

#[cfg(offered = "RAND_set_rand_method")]
mod method;
#[cfg(offered = "RAND_set_rand_method")]
pub use method::fix;

#[cfg(all(not(offered = "RAND_set_rand_method"), offered = "RAND_set0_public"))]
mod test_rand;
#[cfg(all(not(offered = "RAND_set_rand_method"), offered = "RAND_set0_public"))]
pub use test_rand::fix;

/// BoringSSL and AWS-LC have no way to set a seed, so that counts differ a little from run to run.
///
/// # Errors
/// Never.
#[cfg(not(offered = "SSL_CTX_ctrl"))]
pub const fn fix(_: u64) -> Result<(), shakedown_protocol::DriverRefusal> {
    Ok(())
}

/// Counts would differ from run to run.
///
/// # Errors
/// Always.
#[cfg(all(
    offered = "SSL_CTX_ctrl",
    not(any(offered = "RAND_set_rand_method", offered = "RAND_set0_public"))
))]
pub fn fix(_: u64) -> Result<(), shakedown_protocol::DriverRefusal> {
    let what = "RAND_set_rand_method or RAND_set0_public, to count with fixed randomness";
    Err(shakedown_protocol::DriverRefusal::Unsupported(crate::error::not_offered(what).0))
}
