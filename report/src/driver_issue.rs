//! The issue of a driver that does not fit its library any more.

use crate::{
    issue::{IssueText, compare_link, short_revision},
    markdown::markdown,
    utc::utc_of,
};
use shakedown_store::query::DriverBreak;
use std::fmt::Write;

/// Title and text of the issue. It stays the same from night to night while the same does not fit.
pub fn driver_issue(found: &DriverBreak) -> IssueText {
    let title = format!("The driver does not fit {}: {}", found.subject, found.misfit);
    let mut text = format!(
        "The driver does not fit `{}` of {}: {}. The first commit that it does not fit was measured on {}.\n\n",
        short_revision(&found.first_misfit),
        markdown(&found.subject),
        markdown(&found.misfit),
        utc_of(found.since_ms),
    );
    let _ = writeln!(text, "First error:\n\n{}", code(&found.error));
    if let Some((revision, at)) = &found.last_fit {
        let _ = writeln!(text, "It fitted `{}` on {}.", short_revision(revision), utc_of(*at));
        let repository = found.repository.as_deref();
        if let Some(link) = compare_link(repository, revision, &found.first_misfit) {
            let _ = writeln!(text, "[What was changed between the two]({link})");
        }
        text.push('\n');
    }
    text.push_str(
        "Until the driver has a variant for this API, each night has the in-tree benchmark of the revision \
         only: no wire facts, no counts, no choice of group. `shakedown history owed` lists the nights that \
         are measured again once it has one.\n\n\
         This issue is kept up to date, and closed when the driver fits again.\n",
    );
    IssueText { title: crate::plain(&title), text }
}

/// A text that only an indented block of code can hold, on one line.
fn code(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("    {line}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found() -> DriverBreak {
        DriverBreak {
            subject: "rustls@git:HEAD+ring".to_owned(),
            repository: Some("https://github.com/rustls/rustls".to_owned()),
            last_fit: Some(("1".repeat(40), 1_700_000_000_000)),
            first_misfit: "2".repeat(40),
            since_ms: 1_700_086_400_000,
            misfit: "surface `io`".to_owned(),
            error: "error[E0599]: no method named `read_tls`".to_owned(),
        }
    }

    #[test]
    fn the_issue_names_surface_commit_and_error() {
        let issue = driver_issue(&found());
        insta::assert_snapshot!(format!("{}\n\n{}", issue.title, issue.text));
    }

    #[test]
    fn names_of_others_stay_text() {
        let hostile = DriverBreak {
            subject: "<script>@team".to_owned(),
            error: "x\n\n[a](javascript:b) <img>".to_owned(),
            misfit: "surface `<b>`".to_owned(),
            ..found()
        };
        let text = driver_issue(&hostile).text;
        let outside = text.lines().filter(|line| !line.starts_with("    "));
        for line in outside {
            for wrong in ["<script", "@team", "<img", "<b>", "](javascript"] {
                assert!(!line.contains(wrong), "{wrong} in {line}");
            }
        }
    }
}
