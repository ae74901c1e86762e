//! Counts with their words.

use std::fmt::Display;

/// A count with its word: `1 study`, `2 studies`.
pub fn plural(count: impl Display, one: &str, many: &str) -> String {
    let count = count.to_string();
    format!("{count} {}", if count == "1" { one } else { many })
}
