//! Drivers that do not fit their library any more, as issues: which ones there should be.

use super::causes::WantedIssue;
use anyhow::Result;
use shakedown_report::driver_issue;
use shakedown_store::{Index, Store};
use std::path::Path;

/// What closes an issue.
pub const GONE: &str = "The driver fits again.";
/// Prefix of the keys of these issues.
pub const PREFIX: &str = "driver:";

/// The issues that there should be for the history in `folder`: one for every subject whose newest
/// run its driver did not fit.
///
/// # Errors
/// If the history can't be read.
pub fn wanted(folder: &Path) -> Result<Vec<WantedIssue>> {
    let store = Store::open(folder)?;
    let (index, _) = Index::open(&store)?;
    let issue = |found| -> Result<WantedIssue> {
        let content = driver_issue(&found);
        Ok(WantedIssue { key: key(&found.subject).parse()?, content })
    };
    index.driver_breaks()?.into_iter().map(issue).collect()
}

/// The subject's name in a key, which takes plain characters only.
fn key(subject: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._:/@+".contains(c) { c } else { '_' };
    PREFIX.chars().chain(subject.chars().map(plain)).take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_forge::ContentKey;

    #[test]
    fn every_subject_makes_a_key() {
        for (subject, wanted) in [
            ("rustls@git:HEAD+ring", "driver:rustls@git:HEAD+ring"),
            (
                "rustls@git:https://x.example/a--b#main",
                "driver:rustls@git:https://x.example/a__b_main",
            ),
            ("<é>\n", "driver:____"),
            (&"x".repeat(500), &format!("driver:{}", "x".repeat(193))),
        ] {
            assert_eq!(key(subject).parse::<ContentKey>().unwrap().to_string(), wanted);
        }
    }
}
