//! The command that repeats a comparison.

use super::context::CommentContext;
use crate::{format::word, method::only};
use shakedown_protocol::{RunRecord, Subject, SubjectVersion};

/// One command that compares the same code on another machine. The commits are those of the
/// forge; of the record only names without any special character are taken.
pub(super) fn reproduce(record: &RunRecord, context: &CommentContext) -> String {
    let git = |repo: &str, sha: &str| {
        format!("git:{}/{repo}#{sha}", context.server_url.trim_end_matches('/'))
    };
    let head_repo = context.head_repo.as_ref().unwrap_or(&context.repo);
    let revisions = [
        context.base_sha.as_ref().map(|sha| git(&context.repo, sha)),
        context.sha.as_ref().map(|sha| git(head_repo, sha)),
    ];
    let known = context.base_sha.is_some() && context.sha.is_some() && !context.repo.is_empty();
    let mut subjects = Vec::new();
    for (entry, git) in record.subjects.iter().zip(revisions) {
        let Subject { stack, version, variants } = &entry.asked;
        let variants: String = variants.iter().map(|variant| format!("+{variant}")).collect();
        subjects.push(match git {
            Some(git) if known && matches!(version, SubjectVersion::Path(_)) => {
                format!("'{stack}@{git}{variants}'")
            }
            _ => word(&entry.artifact.subject.to_string()),
        });
    }
    // A release that was measured with the drivers of two revisions of Shakedown.
    if let [base, head] = record.subjects.as_slice()
        && base.artifact.driver_sha256 != head.artifact.driver_sha256
        && base.artifact.subject == head.artifact.subject
    {
        subjects.push("--base-drivers BASE --head-drivers HEAD".to_owned());
    }
    let suite = &record.plan.suite;
    let named = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let suite = if !suite.is_empty() && suite.chars().all(named) {
        format!(" --suite {suite}")
    } else {
        String::new()
    };
    format!("shakedown compare{suite}{} {}", only(record), subjects.join(" "))
}
