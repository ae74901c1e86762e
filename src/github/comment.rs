//! The text of the comment: the verdict in one line, what moved, and the rest folded away.

use super::Finding;
use crate::report::{Judged as Line, Section, markdown, plain};
use anyhow::{Context, Result};
use minijinja::{Environment, syntax::SyntaxConfig, value::Serde};
use protocol::{RunRecord, Subject};
use serde::Serialize;

/// Bytes that a text may have: GitHub takes 65,536 characters, of which the marker needs some.
const LIMIT: usize = 65_000;

/// Findings of a kind that are shown, from everything to hardly anything: the first that fits
/// the limit is taken. Beyond the first, what did not change is only counted.
const SHOWN: [usize; 7] = [usize::MAX, 200, 80, 30, 10, 3, 1];

/// Characters of a reason, lines of a list, and characters of such a line.
const WHY: usize = 300;
const LINES: usize = 20;
const LINE: usize = 240;

/// Kinds of findings that stand open; the others are folded away.
const OPEN: [&str; 5] = ["broken", "missing", "regressed", "improved", "inconclusive"];

/// Where it happened, by the API and the command line; nothing here is from a record.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// The forge's pages, for example `https://github.com`.
    pub server_url: String,
    /// The repository, `OWNER/NAME`.
    pub repo: String,
    /// Repository of head.
    pub head_repo: Option<String>,
    /// Commit that was measured.
    pub sha: Option<String>,
    /// Commit that it was measured against.
    pub base_sha: Option<String>,
    /// Where the whole report is.
    pub link: Option<String>,
    /// Names one of several comparisons.
    pub key: String,
}

/// The comment, ready to be laid out.
#[derive(Debug, Serialize)]
pub struct Comment {
    mark: &'static str,
    headline: String,
    key: String,
    problem: Option<String>,
    pending: bool,
    commit: Option<String>,
    commit_url: String,
    link: Option<String>,
    compared: Option<Compared>,
}

/// What there is to say of a comparison.
#[derive(Debug, Serialize)]
struct Compared {
    base: String,
    head: String,
    same_code: bool,
    open: Vec<Shown>,
    folded: Vec<Shown>,
    unchanged: usize,
    differences: Vec<String>,
    warnings: Vec<String>,
    host: String,
    epoch: String,
    fit: bool,
    suite: String,
    policy: String,
    again: String,
    cut: bool,
}

/// Findings of one kind, as far as they are shown.
#[derive(Debug, Serialize)]
struct Shown {
    title: String,
    found: Vec<Line>,
    hidden: usize,
}

impl Comment {
    /// The text for a finding.
    ///
    /// # Errors
    /// If the template has a mistake, which is a defect of ours.
    pub fn text(finding: &Finding, place: &Place) -> Result<String> {
        let mut text = String::new();
        for shown in SHOWN {
            text = Self::new(finding, place, shown).render()?;
            if text.len() <= LIMIT {
                return Ok(text);
            }
        }
        Ok(end_at(text, LIMIT, place))
    }

    fn new(finding: &Finding, place: &Place, shown: usize) -> Self {
        let commit_url = place.sha.as_ref().map(|sha| {
            let repo = place.head_repo.as_ref().unwrap_or(&place.repo);
            format!("{}/{repo}/commit/{sha}", place.server_url.trim_end_matches('/'))
        });
        let (problem, compared) = match finding {
            Finding::Pending => (None, None),
            Finding::Problem(reason) => (Some(start(reason, 1000)), None),
            Finding::Judged(judged) => (None, Some(Compared::new(judged, place, shown))),
        };
        Self {
            mark: mark(finding),
            headline: start(&finding.headline(), LINE),
            key: place.key.clone(),
            pending: matches!(finding, Finding::Pending),
            problem,
            commit: place.sha.as_ref().map(|sha| sha.chars().take(10).collect()),
            commit_url: commit_url.unwrap_or_default(),
            link: place.link.clone(),
            compared,
        }
    }

    fn render(&self) -> Result<String> {
        let mut environment = Environment::new();
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
        environment.set_syntax(syntax.context("the syntax of templates")?);
        environment.add_filter("md", |text: String| markdown(&text));
        // A number is not parted from its unit at the end of a line.
        environment.add_filter("firm", |text: String| text.replace(' ', "\u{a0}"));
        environment.add_template("comment.md", include_str!("comment.md.j2"))?;
        let text = environment.get_template("comment.md")?.render(Serde(self));
        text.context("the template of the comment does not fit its data")
    }
}

impl Compared {
    fn new(judged: &super::Judged, place: &Place, shown: usize) -> Self {
        let super::Judged { record, judgement, verdicts } = judged;
        let all = shown == usize::MAX;
        let (mut open, mut folded) = (Vec::new(), Vec::new());
        for section in &verdicts.sections {
            let is_open = OPEN.contains(&section.title);
            let limit = if is_open || all { shown } else { 0 };
            let to = if is_open { &mut open } else { &mut folded };
            to.push(cut(section, limit));
        }
        let unchanged = verdicts.unchanged.len();
        if unchanged > 0 {
            let title = "unchanged";
            folded.push(of(title, &verdicts.unchanged, if all { shown } else { 0 }));
        }
        folded.retain(|section| !section.found.is_empty());
        let host = &record.host;
        let cpu = &host.cpu;
        Self {
            base: start(&judgement.base, LINE),
            head: start(&judgement.head, LINE),
            same_code: judgement.same_code,
            open,
            folded,
            unchanged,
            differences: lines(&verdicts.differences),
            warnings: lines(&verdicts.warnings),
            host: start(&format!("{}, {}, {}", host.name, cpu.model, host.system), LINE),
            epoch: start(&host.epoch.id, 32),
            fit: host.fit,
            suite: start(&record.plan.suite, 60),
            policy: start(&judgement.policy, LINE),
            again: again(record, place),
            cut: !all,
        }
    }
}

fn mark(finding: &Finding) -> &'static str {
    use forge::check::Conclusion;
    match finding.conclusion() {
        Conclusion::Pending => "⏳",
        Conclusion::Success => "✅",
        Conclusion::Neutral => "⚪",
        Conclusion::Failure => "❌",
        Conclusion::Broken => "⚠️",
    }
}

fn cut(section: &Section, limit: usize) -> Shown {
    of(section.title, &section.found, limit)
}

fn of(title: &str, found: &[Line], limit: usize) -> Shown {
    let shown =
        found.iter().take(limit).map(|line| Line { why: start(&line.why, WHY), ..line.clone() });
    let hidden = found.len().saturating_sub(limit);
    Shown { title: title.to_owned(), found: shown.collect(), hidden }
}

fn lines(all: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = all.iter().take(LINES).map(|line| start(line, LINE)).collect();
    if all.len() > LINES {
        lines.push(format!("and {} more", all.len() - LINES));
    }
    lines
}

/// The first characters of a text.
fn start(text: &str, characters: usize) -> String {
    if text.chars().count() <= characters {
        return text.to_owned();
    }
    text.chars().take(characters - 1).chain(['…']).collect()
}

/// One command that compares the same code on another machine. The commits are those of the
/// forge; of the record only names without any special character are taken.
fn again(record: &RunRecord, place: &Place) -> String {
    let git = |repo: &str, sha: &str| {
        format!("git:{}/{repo}#{sha}", place.server_url.trim_end_matches('/'))
    };
    let head_repo = place.head_repo.as_ref().unwrap_or(&place.repo);
    let places = [
        place.base_sha.as_ref().map(|sha| git(&place.repo, sha)),
        place.sha.as_ref().map(|sha| git(head_repo, sha)),
    ];
    let known = place.base_sha.is_some() && place.sha.is_some() && !place.repo.is_empty();
    let mut subjects = Vec::new();
    for (entry, git) in record.subjects.iter().zip(places) {
        let Subject { stack, variants, .. } = &entry.asked;
        let variants: String = variants.iter().map(|variant| format!("+{variant}")).collect();
        subjects.push(match git {
            Some(git) if known => format!("'{stack}@{git}{variants}'"),
            _ => quoted(&entry.artifact.subject.to_string()),
        });
    }
    let suite = &record.plan.suite;
    let named = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let suite = if !suite.is_empty() && suite.chars().all(named) {
        format!(" --suite {suite}")
    } else {
        String::new()
    };
    format!("shakedown compare{suite} {}", subjects.join(" "))
}

/// A word for a shell, in a block of code: nothing that would end either.
fn quoted(text: &str) -> String {
    let text = plain(text).replace('`', "");
    let safe = |c: char| c.is_ascii_alphanumeric() || "@.:/+-_#".contains(c);
    if text.chars().all(safe) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// What is left when even the shortest form is too long: cut between lines, and said.
fn end_at(mut text: String, limit: usize, place: &Place) -> String {
    let link = place.link.as_ref().map_or_else(String::new, |link| format!(": <{link}>"));
    let note = format!("\n\nThis was cut; the whole is in the report{link}\n");
    let mut end = limit - note.len();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let end = text[..end].rfind('\n').unwrap_or(end);
    text.truncate(end);
    // Whatever is folded must not swallow the note.
    let open = text.matches("<details>").count() - text.matches("</details>").count();
    text.push_str(&"\n\n</details>".repeat(open));
    text + &note
}

#[cfg(test)]
mod tests;
