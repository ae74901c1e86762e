//! The folder of a sign-off: what stands against a release candidate, and everything that this
//! rests on.

mod folder;
mod reasons;

pub use folder::{Evidence, SUMS, policies, write};
pub use reasons::{Blocker, BlockerKind, NightComparison, StackHistory, StackRegression};
