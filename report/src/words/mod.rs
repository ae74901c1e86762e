//! Reasons, warnings and differences in words. Everywhere else they are data.

mod absence;
mod host;
mod judgement;
mod reason;
mod warning;

pub use absence::absence;
pub use host::{ForWhat, host};
pub use judgement::{comparison_warning, difference, headline, judgement_warning, margins, why};
pub use reason::reason;
pub use warning::{run_warning, warning};
