//! Change points: when a nightly series shifted, and by how much.
//!
//! [`divisive`] is the method of the literature, as Apache Otava implements it. [`night`] is the rule
//! of each night: repeating it every night for years does not accumulate false
//! alarms; [`suspects`] keeps the decisions.

mod bisection;
mod cause;
pub mod divisive;
mod name;
pub mod night;
mod recovered;
mod scan;
mod suspects;
mod tonight;

pub use bisection::{BisectionResult, GuiltyCommit, bisections};
pub use cause::{Cause, DecisionSummary, EffectSize, MeasuredRevision, SuspectSummary, causes};
pub(crate) use name::DecisionName;
pub use night::{Detection, Rule};
pub use recovered::came_back;
pub use scan::scan;
#[cfg(test)]
pub(crate) use suspects::record;
pub use suspects::{
    Suspect, SuspectDecision, SuspectState, TrackedSuspect, bisected, decide, suspects,
};
pub(crate) use suspects::{folder, read};
pub use tonight::{
    ConfirmationPlan, MATRIX, PlannedConfirmation, PostponedCause, PostponedReason, tonight,
};
