//! Which commit, or which release, changed a number: builds, measures and searches.

mod commits;
mod measure;
mod question;
mod record;
mod search;
mod text;

pub use measure::BisectSession;
pub use record::{BisectRecord, BisectRequest};
pub use search::bisect;
pub use text::text;
