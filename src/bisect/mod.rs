//! Which commit, or which release, changed a number: builds, measures and searches.

mod commits;
mod measure;
mod question;
mod record;
mod search;
mod text;

pub use record::{BisectRecord, BisectRequest};
pub use search::{BisectSession, bisect};
pub use text::text;
