//! A study: published against measured, and the verdict on each claim.

use crate::{
    format::{number, with_interval},
    markdown::markdown,
    utc::utc,
    words,
};
use shakedown_study::{
    AcceptedRange, ClaimVerdict, JudgedClaim, JudgedRow, RowGap, StudyJudgement, StudyMode,
    StudySubject,
};

/// What a study's table shows, from left to right.
pub(crate) const HEADER: [&str; 5] = ["", "published", "measured", "agrees if", "verdict"];

/// One row of it.
pub(crate) fn cells(row: &JudgedRow) -> [String; 5] {
    let published = row.published.map_or_else(|| "-".to_owned(), number);
    let ends = row.low.zip(row.high);
    let unit = row.unit.map_or_else(String::new, |unit| format!(" {unit}"));
    let measured = match (row.measured, ends) {
        (Some(value), _) if row.exact => {
            format!("{}{unit}, exactly, in {} blocks", number(value), row.n)
        }
        (Some(value), Some((low, high))) => {
            format!("{}{unit} over {} blocks", with_interval([value, low, high]), row.n)
        }
        _ => "-".to_owned(),
    };
    [row.what.clone(), published, measured, accepted(&row.accepted), row.verdict.to_string()]
}

fn accepted(range: &AcceptedRange) -> String {
    match (range.low, range.high) {
        (Some(low), Some(high)) => format!("{} to {}", number(low), number(high)),
        (Some(low), None) => format!("above {}", number(low)),
        (None, Some(high)) => format!("below {}", number(high)),
        (None, None) => "always".to_owned(),
    }
}

/// What the rows of a claim need said besides their numbers: once for those that need the same.
pub(crate) fn notes(claim: &JudgedClaim) -> Vec<String> {
    let mut said: Vec<(String, Vec<&str>)> = Vec::new();
    for row in &claim.rows {
        let Some(text) = note(claim, row) else { continue };
        match said.iter_mut().find(|(other, _)| *other == text) {
            Some((_, rows)) => rows.push(&row.what),
            None => said.push((text, vec![&row.what])),
        }
    }
    let each = |rows: &[&str]| rows.len() > 1 && rows.len() == claim.rows.len();
    let name = |rows: &[&str]| if each(rows) { "each row".to_owned() } else { rows.join("; ") };
    said.into_iter().map(|(text, rows)| format!("{}: {text}", name(&rows))).collect()
}

fn note(claim: &JudgedClaim, row: &JudgedRow) -> Option<String> {
    if let Some(gap) = &row.gap {
        let why = match gap {
            RowGap::Here(why) | RowGap::Run(why) => why.clone(),
            RowGap::Value { subject, absence } => format!("{subject}: {}", words::absence(absence)),
        };
        return (claim.why.as_ref() != Some(&why)).then_some(why);
    }
    let coverage = row.coverage.filter(|coverage| *coverage < claim.confidence)?;
    Some(format!(
        "the interval of {} blocks covers {}, and {} is needed to decide",
        row.n,
        crate::percent(round(coverage)),
        crate::percent(round(claim.confidence)),
    ))
}

/// A probability as people read it, not rounded up to certainty.
fn round(share: f64) -> f64 {
    (share * 1e4).floor() / 1e4
}

/// When and where it was measured, in one sentence.
pub(crate) fn place(judgement: &StudyJudgement) -> String {
    let host = &judgement.host;
    let machine = match host.virtualization.as_str() {
        "none" => String::new(),
        kind => format!(", {kind}"),
    };
    let fit = if host.fit { "" } else { "; the host was not tuned for benchmarks" };
    let form = match judgement.mode {
        StudyMode::Tiny => "Tiny form, which shows that it runs and decides exact counts only",
        StudyMode::Full => "Full form",
    };
    let when = judgement.started_ms.map_or_else(
        || "nothing measured".to_owned(),
        |ms| {
            format!(
                "measured {} on {} ({}, {} CPUs{machine}){fit}",
                utc(ms),
                host.name,
                host.cpu,
                host.cpus
            )
        },
    );
    format!("{form}; {when}.")
}

/// The subjects that a reader must know more of than their names, each once.
pub(crate) fn subject_notes(judgement: &StudyJudgement) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for note in judgement.subjects.iter().filter_map(subject) {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}

fn subject(subject: &StudySubject) -> Option<String> {
    let StudySubject { subject: name, stands_for, missing, .. } = subject;
    match (missing, stands_for) {
        (Some(why), _) => Some(format!("{name} is missing: {why}")),
        (None, Some(published)) => Some(format!("{name} stands for {published}")),
        (None, None) => None,
    }
}

/// How many claims have which verdict.
pub(crate) fn tally(claims: &[JudgedClaim]) -> String {
    use ClaimVerdict::{Confirmed, NotMeasurable, Refuted, Undecided};
    let counts = [Confirmed, Refuted, Undecided, NotMeasurable].map(|verdict| {
        let count = claims.iter().filter(|claim| claim.verdict == verdict).count();
        (count, verdict)
    });
    let seen = counts.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = seen.map(|(count, verdict)| format!("{count} {verdict}")).collect();
    parts.join(", ")
}

/// A study as Markdown.
pub fn study_markdown(judgement: &StudyJudgement) -> String {
    let source = &judgement.source;
    let mut text = format!(
        "# {}\n\n{}\n\n**{}**\n\n{}\n\nSource: {}, {}, <{}>. Its machine: {}.\n\nMethod, as published: {}\n\nHere: {}\n",
        markdown(&judgement.study),
        markdown(&judgement.question),
        tally(&judgement.claims),
        markdown(&place(judgement)),
        markdown(&source.title),
        markdown(&source.date),
        source.url,
        markdown(&source.machine),
        markdown(&judgement.method),
        markdown(&judgement.differences),
    );
    let notes = subject_notes(judgement);
    for note in &notes {
        text += &format!("\n- {}", markdown(note));
    }
    if !notes.is_empty() {
        text += "\n";
    }
    for claim in &judgement.claims {
        text += &claim_markdown(claim);
    }
    text
}

fn claim_markdown(claim: &JudgedClaim) -> String {
    let mut text =
        format!("\n## {}: {}\n\n{}\n", markdown(&claim.id), claim.verdict, markdown(&claim.text));
    if let Some(ours) = &claim.ours {
        text += &format!("\nOurs, not published: {}.\n", markdown(ours));
    }
    if let Some(why) = &claim.why {
        text += &format!("\nNot measured: {}.\n", markdown(why));
    }
    if claim.rows.is_empty() {
        return text;
    }
    text += &format!("\n| {} |\n|---|---:|---:|---:|---|\n", HEADER.join(" | "));
    for row in &claim.rows {
        let cells = cells(row).map(|cell| markdown(&cell));
        text += &format!("| {} |\n", cells.join(" | "));
    }
    for (index, note) in notes(claim).iter().enumerate() {
        let gap = if index == 0 { "\n" } else { "" };
        text += &format!("{gap}- {}\n", markdown(note));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Screen;

    fn judgement() -> StudyJudgement {
        serde_json::from_str(include_str!("study/fixture.json")).unwrap()
    }

    #[test]
    fn a_study_on_a_terminal() {
        let text = crate::study_text(&judgement(), Screen::new(Some(80), false));
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        insta::assert_snapshot!(text);
    }

    #[test]
    fn what_each_row_needs_is_said_once() {
        let mut claim = judgement().claims.remove(0);
        let wide = claim.rows.pop().unwrap();
        claim.rows = vec![wide.clone(), wide];
        claim.rows[1].what = "another".to_owned();
        let same = "the interval of 2 blocks covers 50 %, and 97.5 % is needed to decide";
        assert_eq!(notes(&claim), [format!("each row: {same}")]);
        claim.rows.push(judgement().claims[0].rows[0].clone());
        assert_eq!(notes(&claim), [format!("resumed handshakes; another: {same}")]);
    }

    #[test]
    fn a_study_in_markdown() {
        insta::assert_snapshot!(study_markdown(&judgement()));
    }
}
