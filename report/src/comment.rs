//! The comment on a pull request: the verdict in one line, what changed, and the rest folded.

mod context;
mod limit;
mod reproduce;
mod section;

pub use context::CommentContext;

use crate::{
    culprits::{BriefCause, Why},
    finding::{Finding, JudgedRecord},
    template::environment,
    verdict::Revision,
    words::{MetricMargins, plural},
};
use anyhow::{Context, Result};
use limit::{LINE, end_at, lines, notes, start};
use minijinja::value::Serde;
use reproduce::reproduce;
use section::{CommentSection, Sections, unchanged};
use serde::Serialize;
use shakedown_protocol::{RunRecord, Subject};
use std::path::Path;

/// Bytes that a text may have: GitHub takes 65,536 characters of a comment, of which the marker needs some, and 65,535
/// bytes of a check run.
const BYTES: usize = 65_000;

/// Rows of a kind that are shown, from all to hardly any: the first limit under which the text is
/// short enough is taken. Beyond the first, unchanged metrics are only counted.
const ROW_LIMITS: [usize; 7] = [usize::MAX, 200, 80, 30, 10, 3, 1];

/// The comment, ready to be laid out.
#[derive(Debug, Serialize)]
pub struct Comment {
    mark: &'static str,
    /// `Passed` or `Failed`, where there is something to pass.
    outcome: &'static str,
    headline: String,
    problem: Option<String>,
    pending: bool,
    commit: Option<Revision>,
    base: Option<Revision>,
    behind: Option<String>,
    link: Option<String>,
    compared: Option<Compared>,
}

/// What there is to say of a comparison.
#[derive(Debug, Serialize)]
struct Compared {
    subject: String,
    base: String,
    head: String,
    same_code: bool,
    open: Vec<CommentSection>,
    folded: Vec<CommentSection>,
    why: Vec<BriefCause>,
    outside: Option<String>,
    unchanged: usize,
    differences: Vec<String>,
    notes: Vec<String>,
    warnings: Vec<String>,
    host: String,
    epoch: String,
    extent: String,
    rests_on: Option<String>,
    brackets: &'static str,
    definitions: Vec<String>,
    margins: Vec<MetricMargins>,
    terms: &'static str,
    policy: String,
    reproduce: String,
    cut: bool,
}

impl Comment {
    /// The text for a finding.
    ///
    /// # Errors
    /// If the template has a mistake, which is a defect of ours.
    pub fn text(finding: &Finding, context: &CommentContext) -> Result<String> {
        let mut text = String::new();
        for limit in ROW_LIMITS {
            text = Self::new(finding, context, limit).render()?;
            if text.len() <= BYTES {
                return Ok(text);
            }
        }
        Ok(end_at(text, BYTES, context))
    }

    fn new(finding: &Finding, context: &CommentContext, limit: usize) -> Self {
        let head_repo = context.head_repo.as_ref().unwrap_or(&context.repo);
        let server = &context.server_url;
        let commit = context.sha.as_ref().map(|sha| Revision::of_forge(server, head_repo, sha));
        let base =
            context.base_sha.as_ref().map(|sha| Revision::of_forge(server, &context.repo, sha));
        let (problem, compared) = match finding {
            // The headline says it all.
            Finding::Pending | Finding::NotNeeded(_) => (None, None),
            Finding::Problem(reason) => (Some(start(reason, 1000)), None),
            Finding::Judged(judged) => (None, Some(Compared::new(judged, context, limit))),
        };
        Self {
            mark: finding.status().mark(),
            outcome: finding.outcome(),
            headline: start(&finding.headline(), LINE),
            pending: matches!(finding, Finding::Pending),
            problem,
            commit,
            base,
            behind: behind(context),
            link: context.link.clone(),
            compared,
        }
    }

    fn render(&self) -> Result<String> {
        let environment = environment()?;
        let text = environment.get_template("comment.md")?.render(Serde(self));
        text.context("the template of the comment does not fit its data")
    }
}

impl Compared {
    fn new(judged: &JudgedRecord, context: &CommentContext, limit: usize) -> Self {
        let JudgedRecord { record, judgement, verdicts, why } = judged;
        let Sections { open, folded } = Sections::new(&verdicts.sections, limit);
        let host = &record.host;
        let cpu = &host.cpu;
        Self {
            subject: subject(record),
            base: start(&judgement.base, LINE),
            head: start(&judgement.head, LINE),
            same_code: judgement.same_code,
            open,
            folded,
            why: why.as_ref().map(Why::brief).unwrap_or_default(),
            outside: why
                .as_ref()
                .and_then(|why| why.outside.first())
                .map(|text| start(text, 2 * LINE)),
            unchanged: unchanged(&verdicts.sections),
            differences: lines(&verdicts.differences),
            notes: notes(&verdicts.notes),
            warnings: lines(&verdicts.warnings),
            host: start(&format!("{}, {}, {}", host.name, cpu.model, host.system), LINE),
            epoch: start(&host.epoch.id, 32),
            extent: start(&verdicts.extent, LINE),
            brackets: verdicts.brackets,
            rests_on: verdicts.rests_on.as_ref().map(|text| start(text, 2 * LINE)),
            definitions: verdicts.definitions.clone(),
            margins: verdicts.margins.clone(),
            terms: verdicts.terms,
            policy: start(&policy(&judgement.policy), LINE),
            reproduce: reproduce(record, &judgement.policy, context),
            cut: limit != usize::MAX,
        }
    }
}

/// How far the base branch has moved on, in words.
fn behind(context: &CommentContext) -> Option<String> {
    let count = context.behind_by.filter(|count| *count > 0)?;
    let branch = context.base_ref.as_deref().unwrap_or("the base branch");
    Some(format!("{} behind {}", plural(count, "commit", "commits"), start(branch, LINE)))
}

/// What is compared, without where it lay on the host.
fn subject(record: &RunRecord) -> String {
    let Some(Subject { stack, variants, .. }) = record.subjects.last().map(|entry| &entry.asked)
    else {
        return String::new();
    };
    let variants: String = variants.iter().map(|variant| format!("+{variant}")).collect();
    start(&format!("{stack}{variants}"), LINE)
}

/// Folder and name of the policy: where the checkout lies on the runner helps nobody.
fn policy(path: &str) -> String {
    let mut parts = Path::new(path).components().rev().take(2).map(|part| part.as_os_str());
    let name = parts.next().unwrap_or_default().to_string_lossy().into_owned();
    let folder = parts.next().map(|part| part.to_string_lossy().into_owned());
    folder.filter(|part| part != "/").map_or(name.clone(), |folder| format!("{folder}/{name}"))
}

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod tests;
