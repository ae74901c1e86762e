//! Published claims, measured again.

mod catalog;
mod folder;
mod measure;

pub use catalog::{known, load};
pub use measure::{StudyOptions, conduct};
