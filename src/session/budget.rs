//! How much a comparison may measure.

use shakedown_gate::Policy;
use shakedown_protocol::ComparisonBudget;

/// Disturbed ABBA groups that may be repeated, in percent of a block's.
const REPEATS: u32 = 25;

/// Links of each side that a comparison begins with: those of its first block, which decides about
/// unchanged code.
pub(super) const fn first_links(policy: &Policy) -> u32 {
    budget(policy).links(1)
}

/// What a policy's budget allows.
pub(super) const fn budget(policy: &Policy) -> ComparisonBudget {
    ComparisonBudget {
        pairs: policy.budget.pairs,
        pairs_per_link: 1,
        count_runs: policy.budget.count_runs,
        repeats: REPEATS,
        minutes: policy.budget.minutes,
    }
}
