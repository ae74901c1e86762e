//! Change points: when did a series of nights move, and by how much.
//!
//! [`divisive`] is the method of the literature, as Apache Otava runs it; [`night`] is the rule
//! that decides each night, made so that asking every night for years does not add up to false
//! alarms; [`suspects`] keeps what was decided.

mod cause;
pub mod divisive;
mod name;
pub mod night;
mod recovered;
mod scan;
mod suspects;

pub use cause::{Cause, Decision, Listed, Night, Size, causes};
pub(crate) use name::DecisionName;
pub use night::{Found, Rule};
pub use recovered::came_back;
pub use scan::scan;
#[cfg(test)]
pub(crate) use suspects::record;
pub use suspects::{Event, Known, State, Suspect, decide, suspects};
pub(crate) use suspects::{folder, read};
