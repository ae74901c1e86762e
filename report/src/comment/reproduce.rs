//! The command that repeats a comparison.

use super::context::CommentContext;
use crate::{again, format::word};
use shakedown_protocol::{RunRecord, Subject, SubjectVersion};

/// One command that compares the same code on another machine. The commits are those of the
/// forge; of the record, only a suite without any special character is taken, and the rest is quoted.
pub(super) fn reproduce(record: &RunRecord, policy: &str, context: &CommentContext) -> String {
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
    let name = again::suite_name(&record.plan);
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    let suite = if !name.is_empty() && name.chars().all(plain) && !name.contains("//") {
        format!(" --suite {}", again::suite(&record.plan))
    } else {
        String::new()
    };
    let choice = again::choice(&record.plan);
    let policy = again::policy_option(policy);
    format!(
        "shakedown compare{suite}{choice}{policy} {}{}",
        subjects.join(" "),
        again::drivers(record)
    )
}
