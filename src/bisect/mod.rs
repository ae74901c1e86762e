//! Which commit, or which release, changed a number: builds, measures and searches.

mod commits;
mod measure;
mod question;
mod record;
#[cfg(feature = "history")]
mod result;
mod search;
mod text;

pub use measure::BisectSession;
pub use record::{BisectRecord, BisectRequest};
#[cfg(feature = "history")]
pub use result::result;
pub use search::bisect;
pub use text::text;
