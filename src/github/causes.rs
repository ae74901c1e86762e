//! Confirmed changes of the history as issues: which there are, and what each says.

use crate::{
    place::utc,
    report::{markdown, plain},
};
use anyhow::Result;
use shakedown_forge::Key;
use shakedown_store::{
    Index, Series, Store,
    change::{self, Cause, Listed, State},
};
use std::{fmt::Write, path::Path};

/// Suspects that an issue lists; the dashboard has the others.
const LISTED: usize = 40;

/// What every key of such an issue begins with.
pub const PREFIX: &str = "change:";

/// An issue that there should be.
#[derive(Debug)]
pub struct Issue {
    /// Its key: the same on every host.
    pub key: Key,
    /// Title.
    pub title: String,
    /// Text.
    pub text: String,
}

/// The issues that there should be for the history in `folder`: one for every cause with
/// something worse that was confirmed and is still there. `site` is where the dashboard is.
///
/// # Errors
/// If the history can't be read.
pub fn wanted(folder: &Path, site: Option<&str>) -> Result<Vec<Issue>> {
    let store = Store::open(folder)?;
    let (index, _) = Index::open(&store)?;
    let listed = listed(&store, &index)?;
    let causes = change::causes(listed.clone());
    let there = causes.iter().filter(|cause| is_there(cause, &listed));
    there.map(|cause| issue(cause, site)).collect()
}

/// Every suspect of a history, laid out.
///
/// # Errors
/// If it can't be read.
pub fn listed(store: &Store, index: &Index) -> Result<Vec<Listed>> {
    let mut listed = Vec::new();
    for known in change::suspects(store)? {
        let suspect = &known.suspect;
        let repository = index.repository(&suspect.first_bad_run, &suspect.series.subject)?;
        listed.push(Listed::new(known, repository));
    }
    Ok(listed)
}

/// Whether some series of the cause got worse, was confirmed, and has not come back since.
fn is_there(cause: &Cause, all: &[Listed]) -> bool {
    let confirmed = |one: &&Listed| one.worse && one.state == State::Confirmed;
    cause.suspects.iter().filter(confirmed).any(|one| !came_back(one, all))
}

/// Whether the same series got better later, by at least as much as it had got worse, less
/// what the interval leaves open.
pub fn came_back(worse: &Listed, all: &[Listed]) -> bool {
    let same = |a: &Series, b: &Series| {
        (&a.subject, &a.scenario, &a.side, &a.metric)
            == (&b.subject, &b.scenario, &b.side, &b.metric)
    };
    all.iter().any(|one| {
        let later = one.first_bad.started_ms > worse.first_bad.started_ms;
        // Both factors are values after over before: a full recovery makes their product 1.
        let left = (one.change.factor * worse.change.factor).ln().abs();
        !one.worse
            && one.state != State::Dismissed
            && later
            && one.epoch == worse.epoch
            && same(&one.series, &worse.series)
            && left < worse.change.factor.ln().abs() / 2.0
    })
}

fn issue(cause: &Cause, site: Option<&str>) -> Result<Issue> {
    let largest = &cause.suspects[0];
    let title = format!(
        "{} {}: {} since {}",
        cause.stack,
        cause.family,
        percent(largest.change.factor),
        short(&cause.first_bad)
    );
    let mut text = format!(
        "{} of {} changed between `{}` and `{}`, in the night of {}, and measuring again confirmed it.\n\n",
        markdown(&cause.family),
        markdown(&cause.stack),
        short(&cause.last_good),
        short(&cause.first_bad),
        utc(u64::try_from(cause.first_bad_ms).unwrap_or_default())
    );
    if let Some(link) = range(cause) {
        let _ = writeln!(text, "[What was changed between the two]({link})\n");
    }
    text.push_str("| subject | scenario | side | metric | change | 95 % interval | state |\n");
    text.push_str("|---|---|---|---|--:|--:|---|\n");
    for one in cause.suspects.iter().take(LISTED) {
        let s = &one.series;
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} to {} | {} |",
            markdown(&s.subject),
            markdown(&s.scenario),
            markdown(&s.side),
            markdown(&s.metric),
            percent(one.change.factor),
            percent(one.change.low),
            percent(one.change.high),
            format!("{:?}", one.state).to_lowercase()
        );
    }
    if cause.suspects.len() > LISTED {
        let _ = writeln!(text, "\nand {} more.", cause.suspects.len() - LISTED);
    }
    text.push_str("\nThis issue is kept up to date, and closed when the numbers have come back.\n");
    if let Some(site) = site {
        let _ = writeln!(text, "\n[The trends]({})", plain(site));
    }
    let key = format!("{PREFIX}{}", cause.cause).parse()?;
    Ok(Issue { key, title: plain(&title), text })
}

/// Where the forge shows what lies between the two revisions.
fn range(cause: &Cause) -> Option<String> {
    let repository = cause.repository.as_ref()?.trim_end_matches(".git");
    let sound = |c: char| c.is_ascii_alphanumeric() || ":/.-_".contains(c);
    let web = repository.starts_with("https://") && repository.chars().all(sound);
    let commits = [&cause.last_good, &cause.first_bad].into_iter();
    let whole = web && commits.clone().all(|one| shakedown_forge::pull::is_commit(one));
    whole.then(|| format!("{repository}/compare/{}...{}", cause.last_good, cause.first_bad))
}

fn short(revision: &str) -> String {
    if shakedown_forge::pull::is_commit(revision) {
        return revision[..10].to_owned();
    }
    let tame = revision.chars().filter(|c| !c.is_control() && *c != '`');
    tame.take(40).collect()
}

/// A factor as a change in percent.
fn percent(factor: f64) -> String {
    format!("{:+.1} %", (factor - 1.0) * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_protocol::Better;
    use shakedown_store::change::{Night, Size};

    fn listed(worse: bool, factor: f64, night: i64, state: State) -> Listed {
        let revision = |n: i64| format!("{n:040x}");
        let at = |n| Night { revision: revision(n), run: "r".to_owned(), started_ms: Some(n) };
        Listed {
            id: "i".to_owned(),
            cause: format!("c{night}"),
            state,
            worse,
            series: Series {
                subject: "rustls@git:main".to_owned(),
                scenario: "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256".to_owned(),
                side: "server".to_owned(),
                metric: "handshakes".to_owned(),
                unit: "handshakes/s".to_owned(),
                better: Better::Higher,
            },
            stack: "rustls".to_owned(),
            variants: Vec::new(),
            epoch: "e".to_owned(),
            change: Size { factor, low: factor - 0.01, high: factor + 0.01, p: 1e-9 },
            last_good: at(night - 1),
            first_bad: at(night),
            repository: Some("https://github.com/rustls/rustls".to_owned()),
            decisions: Vec::new(),
        }
    }

    fn there(all: &[Listed]) -> Vec<String> {
        let causes = change::causes(all.to_vec());
        let there = causes.iter().filter(|cause| is_there(cause, all));
        there.map(|cause| cause.cause.clone()).collect()
    }

    #[test]
    fn an_issue_is_for_what_is_worse_confirmed_and_still_there() {
        let slow = listed(true, 0.95, 10, State::Confirmed);
        let better = |factor, state| listed(false, factor, 20, state);
        assert_eq!(there(std::slice::from_ref(&slow)), ["c10"]);
        assert!(there(&[listed(true, 0.95, 10, State::Suspect)]).is_empty());
        assert!(there(&[listed(false, 1.05, 10, State::Confirmed)]).is_empty());
        let back = better(1.0 / 0.95, State::Suspect);
        assert!(there(&[slow.clone(), back]).is_empty());
        // A little better, dismissed, or earlier: it is still there.
        assert_eq!(there(&[slow.clone(), better(1.01, State::Confirmed)]), ["c10"]);
        assert_eq!(there(&[slow.clone(), better(1.0 / 0.95, State::Dismissed)]), ["c10"]);
        let earlier = listed(false, 1.0 / 0.95, 5, State::Confirmed);
        assert_eq!(there(&[slow, earlier]), ["c10"]);
    }

    #[test]
    fn the_issue_says_what_changed_since_when_and_by_how_much() {
        let causes = change::causes(vec![listed(true, 0.95, 1_700_000_000_000, State::Confirmed)]);
        let issue = issue(&causes[0], Some("https://bench.example")).unwrap();
        insta::assert_snapshot!(format!("{}\n\n{}", issue.title, issue.text));
    }

    #[test]
    fn names_of_others_stay_text() {
        let mut hostile = listed(true, 0.95, 10, State::Confirmed);
        hostile.series.subject = "<script>|@team".to_owned();
        hostile.repository = Some("https://x.example/) [a](javascript:b".to_owned());
        hostile.first_bad.revision = "`<img>`\n# x".to_owned();
        let text = issue(&change::causes(vec![hostile])[0], None).unwrap().text;
        for wrong in ["<script", "@team", "javascript", "\n# x"] {
            assert!(!text.contains(wrong), "{wrong} in {text}");
        }
    }
}
