//! The rules that turn numbers into verdicts. Plain numbers in, a decision with everything
//! that led to it out; where the numbers come from is the business of [`mod@crate::judge`].

mod counts;
mod noise_model;
mod reason;
mod time;
mod verdict;

pub use counts::{CountDecision, CountRule};
pub(crate) use noise_model::SIGMA_PAIRS;
pub use noise_model::{NoiseModel, Sigma, SigmaSource};
pub use reason::{ChangeDirection, Limit, Reason};
pub use time::{BlockEffect, MIN_BLOCKS, MIN_PAIRS, PairEffect, TRIM, TimeDecision, TimeRule};
pub use verdict::Verdict;
