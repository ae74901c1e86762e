//! A study on a terminal.

use super::Screen;
use crate::{
    columns,
    format::plain,
    study::{HEADER, cells, notes, place, subject_notes, tally},
};
use shakedown_study::{ClaimVerdict, JudgedClaim, StudyJudgement};

/// Published against measured, claim by claim.
pub fn study_text(judgement: &StudyJudgement, screen: Screen) -> String {
    let source = &judgement.source;
    let mut text = screen.words(&screen.bold(&plain(&judgement.question)), 0);
    text += &screen.words(&format!("{}: {}", judgement.study, tally(&judgement.claims)), 0);
    text += &screen.words(&plain(&place(judgement)), 0);
    text += &screen.words(&plain(&format!("Source: {}, {}", source.title, source.date)), 0);
    text += &screen.words(&plain(&source.url), 0);
    for note in subject_notes(judgement) {
        text += &screen.words(&plain(&format!("- {note}")), 2);
    }
    for claim in &judgement.claims {
        text += "\n";
        text += &claim_text(claim, screen);
    }
    text
}

fn claim_text(claim: &JudgedClaim, screen: Screen) -> String {
    let verdict = match claim.verdict {
        ClaimVerdict::Confirmed => screen.good(claim.verdict.name()),
        ClaimVerdict::Refuted => screen.bad(claim.verdict.name()),
        _ => claim.verdict.name().to_owned(),
    };
    let head = format!("{} {verdict}: {}", plain(&claim.id), plain(&claim.text));
    let mut text = screen.words(&head, 2);
    if let Some(ours) = &claim.ours {
        text += &screen.words(&plain(&format!("  ours, not published: {ours}")), 4);
    }
    if let Some(why) = &claim.why {
        return text + &screen.words(&plain(&format!("  not measured: {why}")), 4);
    }
    let rows: Vec<Vec<String>> = claim.rows.iter().map(|row| cells(row).to_vec()).collect();
    let table = columns(&HEADER, 1, &rows);
    let widest = table.lines().map(super::screen::columns).max().unwrap_or(0);
    if screen.fits(widest) {
        text += &table;
    } else {
        for row in &claim.rows {
            let [what, published, measured, accepted, verdict] = cells(row);
            let line = format!(
                "  {what}: published {published}, measured {measured}, agrees if {accepted}: {verdict}"
            );
            text += &screen.words(&plain(&line), 4);
        }
    }
    for note in notes(claim) {
        text += &screen.words(&plain(&format!("  {note}")), 4);
    }
    text
}
