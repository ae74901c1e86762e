//! The text of the comment: the verdict in one line, what moved, and the rest folded away.

use crate::{
    finding::{Finding, Judged, Standing},
    format::word,
    template::markdown,
    verdict::Judged as Line,
};
use anyhow::{Context, Result};
use minijinja::{Environment, syntax::SyntaxConfig, value::Serde};
use serde::Serialize;
use shakedown_gate::Judgement;
use shakedown_protocol::{RunRecord, Subject, SubjectVersion};
use std::{cmp::Reverse, collections::HashMap, path::Path};

/// Bytes that a text may have: GitHub takes 65,536 characters, of which the marker needs some.
const LIMIT: usize = 65_000;

/// Findings of a kind that are shown, from everything to hardly anything: the first that fits
/// the limit is taken. Beyond the first, what did not change is only counted.
const SHOWN: [usize; 7] = [usize::MAX, 200, 80, 30, 10, 3, 1];

/// Rows of a kind that stand open; what is beyond them is folded away.
const OPEN_ROWS: usize = 10;

/// Characters of a reason, lines of a list, and characters of such a line.
const WHY: usize = 300;
const LINES: usize = 20;
const LINE: usize = 240;
const NOTE: usize = 600;

/// Kinds of findings that stand open; the others are folded away.
const OPEN: [&str; 5] = ["broken", "missing", "regressed", "improved", "inconclusive"];

/// Kinds of which the reader wants to know why.
const REASONED: [&str; 4] = ["broken", "missing", "accepted regressions", "inconclusive"];

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
    commit: Option<Commit>,
    base: Option<Commit>,
    link: Option<String>,
    compared: Option<Compared>,
}

/// A commit, by the API.
#[derive(Debug, Serialize)]
struct Commit {
    short: String,
    url: String,
}

impl Commit {
    fn new(place: &Place, repo: &str, sha: &str) -> Self {
        let server = place.server_url.trim_end_matches('/');
        let url = format!("{server}/{repo}/commit/{sha}");
        Self { short: sha.chars().take(10).collect(), url }
    }
}

/// What there is to say of a comparison.
#[derive(Debug, Serialize)]
struct Compared {
    subject: String,
    base: String,
    head: String,
    same_code: bool,
    open: Vec<Shown>,
    folded: Vec<Shown>,
    unchanged: usize,
    differences: Vec<String>,
    notes: Vec<String>,
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
    /// Whether the changes are what is to be seen.
    found_something: bool,
    reasons: bool,
    found: Vec<Row>,
    hidden: usize,
}

/// One finding.
#[derive(Debug, Serialize)]
struct Row {
    /// First part of the scenario's id; the whole breaks in the wrong places.
    kind: String,
    /// The other parts.
    way: String,
    /// Side and metric with its unit.
    what: String,
    base: String,
    head: String,
    change: String,
    interval: String,
    margin: String,
    smallest: String,
    why: String,
}

impl Row {
    fn new(line: &Line) -> Self {
        let Line { scenario, side, metric, unit, .. } = line.clone();
        // "handshakes, handshakes/s" says it twice.
        let metric = if unit.starts_with(&metric) { unit } else { format!("{metric}, {unit}") };
        let (kind, way) = scenario.split_once('/').unwrap_or((&scenario, ""));
        Self {
            kind: kind.to_owned(),
            way: way.to_owned(),
            what: format!("{side} {metric}"),
            base: line.base.clone(),
            head: line.head.clone(),
            change: line.change.clone(),
            interval: line.interval.clone(),
            margin: line.margin.clone(),
            smallest: line.smallest.clone(),
            why: start(&line.why, WHY),
        }
    }
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
        let head_repo = place.head_repo.as_ref().unwrap_or(&place.repo);
        let commit = place.sha.as_ref().map(|sha| Commit::new(place, head_repo, sha));
        let base = place.base_sha.as_ref().map(|sha| Commit::new(place, &place.repo, sha));
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
            commit,
            base,
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
    fn new(judged: &Judged, place: &Place, shown: usize) -> Self {
        let Judged { record, judgement, verdicts } = judged;
        let all = shown == usize::MAX;
        let (mut open, mut folded) = (Vec::new(), Vec::new());
        for section in &verdicts.sections {
            let (title, found) = (section.title, largest_first(&section.found, judgement));
            if !OPEN.contains(&title) {
                folded.push(of(title, title, &found, if all { shown } else { 0 }));
                continue;
            }
            let (first, rest) = found.split_at(found.len().min(OPEN_ROWS));
            open.push(of(title, title, first, shown));
            if !rest.is_empty() {
                let more = format!("more {title}");
                folded.push(of(title, &more, rest, shown.saturating_sub(OPEN_ROWS)));
            }
        }
        let unchanged = verdicts.unchanged.len();
        if unchanged > 0 {
            let title = "unchanged";
            let all_of_them: Vec<&Line> = verdicts.unchanged.iter().collect();
            folded.push(of(title, title, &all_of_them, if all { shown } else { 0 }));
        }
        // What is only counted is counted in the headline, but for what a kind has too many of.
        folded.retain(|one| !one.found.is_empty() || one.title.starts_with("more "));
        let host = &record.host;
        let cpu = &host.cpu;
        Self {
            subject: subject(record),
            base: start(&judgement.base, LINE),
            head: start(&judgement.head, LINE),
            same_code: judgement.same_code,
            open,
            folded,
            unchanged,
            differences: lines(&verdicts.differences),
            notes: notes(&verdicts.notes),
            warnings: lines(&verdicts.warnings),
            host: start(&format!("{}, {}, {}", host.name, cpu.model, host.system), LINE),
            epoch: start(&host.epoch.id, 32),
            fit: host.fit,
            suite: start(&record.plan.suite, 60),
            policy: start(&policy(&judgement.policy), LINE),
            again: again(record, place),
            cut: !all,
        }
    }
}

fn mark(finding: &Finding) -> &'static str {
    match finding.standing() {
        Standing::Pending => "⏳",
        Standing::Passed => "✅",
        Standing::Undecided => "⚪",
        Standing::Failed => "❌",
        Standing::Broken => "⚠️",
    }
}

fn of(kind: &str, title: &str, found: &[&Line], limit: usize) -> Shown {
    Shown {
        title: title.to_owned(),
        found_something: OPEN.contains(&kind),
        reasons: REASONED.contains(&kind),
        found: found.iter().take(limit).map(|line| Row::new(line)).collect(),
        hidden: found.len().saturating_sub(limit),
    }
}

/// What moved most is what a reader looks for.
fn largest_first<'a>(found: &'a [Line], judgement: &Judgement) -> Vec<&'a Line> {
    // In hundredths of a percent: what is closer than that stays in the order of the plan.
    let size = |change: Option<f64>| change.map_or(u64::MAX, |share| (share.abs() * 1e4) as u64);
    let sizes: HashMap<[String; 3], u64> = judgement
        .comparisons
        .iter()
        .map(|one| {
            let key = [one.scenario.to_string(), one.side.to_string(), one.metric.to_string()];
            (key, size(one.change))
        })
        .collect();
    let mut found: Vec<&Line> = found.iter().collect();
    found.sort_by_cached_key(|line| {
        let key = [line.scenario.clone(), line.side.clone(), line.metric.clone()];
        Reverse(sizes.get(&key).copied().unwrap_or(u64::MAX))
    });
    found
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

/// Notes hold what an in-tree benchmark is, and the first error of a compiler.
fn notes(all: &[String]) -> Vec<String> {
    all.iter().take(LINES).map(|note| start(note, NOTE)).collect()
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
    format!("shakedown compare{suite} {}", subjects.join(" "))
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
