//! What the history keeps of a bisection. It was made where foreign code ran: every text of it is taken as
//! text, and no number decides anything.

use super::record::{BisectRecord, BisectRequest, LocatedCommit};
use crate::history::BisectArguments;
use anyhow::{Context, Result, ensure};
use shakedown_culprits::{ComparisonExplanation, EXPLANATION};
use shakedown_protocol::is_commit;
use shakedown_report::{BriefCause, Why, plain, signed_percent, start};
use shakedown_store::change::{BisectionResult, GuiltyCommit};
use std::{
    fs::File,
    io::Read,
    path::{Component, Path},
};

/// Bytes of a file that is read.
const BYTES: u64 = 8 << 20;
/// Commits that are kept, and characters of a text.
const COMMITS: usize = 16;
const TEXT: usize = 240;

/// Reads the bisection in a folder, that was made with these arguments.
///
/// # Errors
/// If it is none, or was asked for something else.
pub fn result(folder: &Path, asked: &BisectArguments) -> Result<BisectionResult> {
    let path = BisectRecord::path(folder);
    let record: BisectRecord = serde_json::from_str(&read(&path)?)
        .with_context(|| format!("{} is not a bisection of this version", path.display()))?;
    ensure!(is_of(asked, &record.request), "{} searched for something else", path.display());
    let located = record.located.iter().take(COMMITS);
    let sound = located.filter(|one| is_commit(&one.commit.id) && is_commit(&one.parent));
    let commits: Vec<GuiltyCommit> = sound.map(|one| commit(folder, one, asked)).collect();
    let changes = record.findings.as_ref().map(|findings| findings.changes.len());
    let unfinished = match changes {
        None => Some(format!(
            "The search ran out of time: {} of {} commits were built.",
            record.builds(),
            record.commits.len() + 1
        )),
        Some(changes) if changes > commits.len() => {
            Some("Some changes can't be told from neighbours that do not build.".to_owned())
        }
        Some(_) => None,
    };
    Ok(BisectionResult { commits, unfinished })
}

fn is_of(asked: &BisectArguments, request: &BisectRequest) -> bool {
    request.subject == asked.subject
        && request.scenario == asked.scenario
        && (&request.good, &request.bad) == (&asked.good, &asked.bad)
}

fn read(path: &Path) -> Result<String> {
    let name = path.display();
    let file = File::open(path).with_context(|| format!("can't read {name}"))?;
    let mut text = String::new();
    file.take(BYTES + 1).read_to_string(&mut text).with_context(|| format!("can't read {name}"))?;
    ensure!(text.len() as u64 <= BYTES, "{name} has more than {BYTES} bytes");
    Ok(text)
}

fn commit(folder: &Path, one: &LocatedCommit, asked: &BisectArguments) -> GuiltyCommit {
    let text = |text: &str| start(&plain(text), TEXT);
    let change = one.change.map_or_else(|| "unknown".to_owned(), signed_percent);
    GuiltyCommit {
        id: one.commit.id.clone(),
        author: text(&one.commit.author),
        authored: text(&one.commit.authored),
        subject: text(&one.commit.subject),
        change: text(&format!("{change} ({})", one.verdict)),
        functions: functions(folder, one).unwrap_or_default(),
        reproduce: asked.reproduce(&one.parent, &one.commit.id),
    }
}

/// The functions behind a commit, from what lies beside its comparison.
fn functions(folder: &Path, one: &LocatedCommit) -> Option<Vec<String>> {
    let below = Path::new(&one.folder);
    if !below.components().all(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    let mut found: ComparisonExplanation =
        serde_json::from_str(&read(&folder.join(below).join(EXPLANATION)).ok()?).ok()?;
    // Of no use here, and as many and as deep as whoever wrote them liked.
    found.stacks.clear();
    let brief = Why::new(&found.grouped()).brief();
    let line = |one: &BriefCause| format!("{}: {}", one.function, one.change);
    Some(brief.iter().map(|one| start(&line(one), TEXT)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_builder::DescribedCommit;

    #[test]
    fn of_a_commit_only_short_lines_of_text_are_kept() {
        let asked = BisectArguments {
            subject: "rustls+ring".parse().unwrap(),
            repository: "https://github.com/rustls/rustls".to_owned(),
            good: "a".repeat(40),
            bad: "b".repeat(40),
            scenario: "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256".parse().unwrap(),
            suite: "pr".to_owned(),
            side: None,
            metric: None,
        };
        let hostile = format!("\u{1b}[2J\r\n@ada{}", "\u{202e}<b>`x`\n".repeat(10_000));
        let one = LocatedCommit {
            commit: DescribedCommit {
                id: asked.bad.clone(),
                parents: vec![asked.good.clone()],
                tree: "c".repeat(40),
                author: hostile.clone(),
                authored: hostile.clone(),
                subject: hostile.clone(),
            },
            parent: asked.good.clone(),
            verdict: hostile.clone(),
            change: Some(0.1),
            folder: "../../etc".to_owned(),
            reproduce: hostile,
        };
        let folder = tempfile::tempdir().unwrap();
        let kept = commit(folder.path(), &one, &asked);
        for text in [&kept.author, &kept.authored, &kept.subject, &kept.change] {
            assert!(text.chars().count() <= TEXT, "{text}");
            assert!(!text.contains(char::is_control), "{text}");
        }
        assert!(kept.functions.is_empty());
        assert!(!kept.reproduce.contains("@ada"), "the command is our own: {}", kept.reproduce);
    }
}
