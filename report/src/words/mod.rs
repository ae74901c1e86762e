//! Reasons, warnings and differences in words. Everywhere else they are data.

mod absence;
mod flaw;
mod host;
mod judgement;
mod margins;
mod plural;
mod reason;
mod warning;

pub use absence::absence;
pub use host::{ForWhat, host};
pub use judgement::{
    comparison_warning, difference, headline, judgement_warning, times_judged, verdict, why,
};
pub(crate) use judgement::{disturbances, rests_on, why_in_short};
pub use margins::{MetricMargins, TOLERATED, UNCHANGED, definitions, margins};
pub use plural::plural;
pub use reason::reason;
pub use warning::{run_warning, warning};
