//! A bisection in words, in 80 columns.

use super::record::{BisectQuestion, BisectRecord, LocatedCommit, RevisionResult};
use shakedown_bisect::LocatedChange;
use shakedown_report::{change_with_interval, number, plain, signed_percent, with_interval};
use std::fmt::Write;

/// Characters of a line.
const WIDTH: usize = 80;
/// Characters of a commit's id in tables.
const SHORT: usize = 10;

/// The number of a revision, or why it has none.
pub(super) fn level(result: &RevisionResult, question: &BisectQuestion) -> String {
    match result {
        RevisionResult::Measured { value, low, high, trials } => {
            format!("{}, n = {trials}", shown([*value, *low, *high], question))
        }
        RevisionResult::Skipped { why } => format!("skipped: {}", plain(why)),
        RevisionResult::SameTree { like } => format!("the same tree as {}", short(like)),
    }
}

fn shown([value, low, high]: [f64; 3], question: &BisectQuestion) -> String {
    match question.unit {
        Some(unit) if low == high => format!("{} {unit}", number(value)),
        Some(unit) => format!("{} {unit}", with_interval([value, low, high])),
        None if low == high => "the reference".to_owned(),
        None => change_with_interval([value, low, high].map(|ratio| ratio - 1.0)),
    }
}

/// A commit's id as tables show it.
pub(super) fn short(id: &str) -> &str {
    id.get(..SHORT).unwrap_or(id)
}

/// A line that is cut where the terminal ends.
fn line(text: &mut String, content: &str) {
    let fits = content.chars().count() <= WIDTH;
    let cut: String = content.chars().take(WIDTH - 1).collect();
    let _ = writeln!(text, "{}", if fits { content.to_owned() } else { format!("{cut}…") });
}

/// Everything that a person wants to know of a bisection that ended.
pub fn text(record: &BisectRecord) -> String {
    let mut text = String::new();
    let (Some(question), Some(findings)) = (&record.question, &record.findings) else {
        return "the bisection is not finished\n".to_owned();
    };
    for change in &findings.changes {
        match record.located.iter().find(|one| one.commit.id == change.commit) {
            Some(located) => exact(&mut text, located, change, question),
            None => range(&mut text, record, change, question),
        }
    }
    let _ = writeln!(
        text,
        "{} of side {}, {}",
        question.metric, question.side, record.request.scenario
    );
    for one in &record.looked_at {
        let subject = record.commit(&one.id).map(|commit| plain(&commit.subject));
        let name = format!("{:<SHORT$}", short(&one.id));
        line(&mut text, &format!("  {name}  {}", level(&one.result, question)));
        line(&mut text, &format!("  {:SHORT$}  {}", "", subject.unwrap_or_default()));
        for difference in &one.differences {
            line(&mut text, &format!("  {:SHORT$}  built otherwise: {}", "", plain(difference)));
        }
    }
    let quiet: usize = findings.quiet.iter().map(|stretch| stretch.commits).sum();
    let longest = findings.quiet.iter().map(|stretch| stretch.commits).max().unwrap_or_default();
    let _ = writeln!(
        text,
        "\n{} of {} commits were built. {quiet} were not measured, at most {longest} in a row:\n\
         what was changed and changed back among those is not seen (--stretch).",
        record.builds(),
        record.commits.len() + 1
    );
    text
}

fn exact(
    text: &mut String,
    located: &LocatedCommit,
    change: &LocatedChange,
    question: &BisectQuestion,
) {
    let commit = &located.commit;
    let _ = writeln!(text, "{}", commit.id);
    line(text, &format!("  {}", plain(&commit.subject)));
    if !commit.author.is_empty() {
        line(text, &format!("  by {}, {}", plain(&commit.author), plain(&commit.authored)));
    }
    let unit = question.unit.map_or_else(String::new, |unit| format!(" {unit}"));
    let found = located.change.map_or_else(|| "unknown".to_owned(), signed_percent);
    let _ = writeln!(text, "  parent   {}", located.parent);
    line(
        text,
        &format!("  change   {found}: {} to {}{unit}", number(change.before), number(change.after)),
    );
    let _ = writeln!(text, "  verdict  {}, against its parent", located.verdict);
    let _ = writeln!(text, "  record   {}", located.folder);
    let _ = writeln!(text, "  again    {}\n", located.reproduce);
}

fn range(
    text: &mut String,
    record: &BisectRecord,
    change: &LocatedChange,
    question: &BisectQuestion,
) {
    let unit = question.unit.map_or_else(String::new, |unit| format!(" {unit}"));
    let _ =
        writeln!(text, "one of {} commits, which can't be told apart:", change.candidates.len());
    for id in change.candidates.iter().rev() {
        let subject = record.commit(id).map(|commit| plain(&commit.subject)).unwrap_or_default();
        line(text, &format!("  {}  {subject}", short(id)));
    }
    line(
        text,
        &format!("  change   {} to {}{unit}\n", number(change.before), number(change.after)),
    );
}
