//! Published claims about the speed of TLS libraries, and whether measurements bear them out.
//!
//! A [`Study`] is read from TOML: a question, its source, the published numbers, and for each claim the
//! subjects and scenarios that measure it and the range in which a measurement agrees with it.
//! [`judge_study`] holds the records of its runs against that. The verdict comes from the interval of
//! the measurement: inside the range the claim is confirmed, outside of it refuted, and across its end
//! undecided.
//!
//! Medians and intervals are those of `shakedown-summary`. Nothing here reads a file or a clock.

mod claim;
mod error;
mod judge;
mod judgement;
mod plan;
mod quantity;
mod range;
mod validate;
mod verdict;

pub use claim::{Claim, ClaimNeeds, ClaimRow, QuantityParts};
pub use error::StudyError;
pub use judge::{StudyRecord, judge_study, unmet_needs};
pub use judgement::{
    JudgedClaim, JudgedRow, RowGap, StudyHost, StudyJudgement, StudySubject, VERDICTS_FILE,
};
pub use plan::{PublishedSource, Study, StudyBudget, StudyMode, StudyRun, TrialBudget};
pub use quantity::Quantity;
pub use range::{AcceptedRange, Decision};
pub use verdict::ClaimVerdict;
