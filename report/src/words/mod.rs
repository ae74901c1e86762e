//! Reasons, warnings and differences in words. Everywhere else they are data.

mod absence;
mod flaw;
mod host;
mod judgement;
mod margins;
mod reason;
mod warning;

pub use absence::absence;
pub use host::{ForWhat, host};
pub(crate) use judgement::why_in_short;
pub use judgement::{
    comparison_warning, difference, headline, judgement_warning, rests_on, times_judged, verdict,
    why,
};
pub use margins::{MetricMargins, TOLERATED, UNCHANGED, definitions, margins};
pub use reason::reason;
pub use warning::{run_warning, warning};
