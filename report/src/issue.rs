//! The issue of a confirmed change, and what every issue is made of.

use crate::{
    format::{percent_change, plain},
    markdown::markdown,
    utc::utc,
};
use shakedown_protocol::is_commit;
use shakedown_store::change::{BisectionResult, Cause};
use std::fmt::Write;

/// Suspects that an issue lists; the dashboard has the others.
const LISTED: usize = 40;

/// What an issue says.
#[derive(Debug)]
pub struct IssueText {
    /// Title.
    pub title: String,
    /// Text, in Markdown.
    pub text: String,
}

/// Title and text of the issue of a confirmed change. `site` is where the dashboard is.
pub fn change_issue(cause: &Cause, site: Option<&str>) -> IssueText {
    let largest = &cause.suspects[0];
    let title = format!(
        "{} {}: {} since {}",
        cause.stack,
        cause.family,
        percent_change(largest.change.factor),
        short_revision(&cause.first_bad)
    );
    let mut text = format!(
        "{} of {} changed between `{}` and `{}`, in the night of {}, and measuring again confirmed it.\n\n",
        markdown(&cause.family),
        markdown(&cause.stack),
        short_revision(&cause.last_good),
        short_revision(&cause.first_bad),
        utc(u64::try_from(cause.first_bad_ms).unwrap_or_default())
    );
    let link = compare_link(cause.repository.as_deref(), &cause.last_good, &cause.first_bad);
    if let Some(link) = link {
        let _ = writeln!(text, "[What was changed between the two]({link})\n");
    }
    if let Some(found) = cause.bisection() {
        text.push_str(&bisection_text(found, cause.repository.as_deref()));
        text.push('\n');
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
            percent_change(one.change.factor),
            percent_change(one.change.low),
            percent_change(one.change.high),
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
    IssueText { title: plain(&title), text }
}

/// The commits that a bisection found, in Markdown: their authors wrote the texts.
pub fn bisection_text(found: &BisectionResult, repository: Option<&str>) -> String {
    let mut text = String::new();
    for one in &found.commits {
        let id = match commit_link(repository, &one.id) {
            Some(link) => format!("[`{}`]({link})", short_revision(&one.id)),
            None => format!("`{}`", short_revision(&one.id)),
        };
        let _ = writeln!(
            text,
            "**Commit {id}**: {}, by {}, {}. {} against its parent.\n",
            markdown(&one.subject),
            markdown(&one.author),
            markdown(&one.authored),
            markdown(&one.change)
        );
        for (number, function) in one.functions.iter().enumerate() {
            let _ = writeln!(text, "{}. {}", number + 1, markdown(function));
        }
        let command = plain(&one.reproduce).replace("```", "");
        let _ = writeln!(
            text,
            "\nTo measure both again, in a clone of Shakedown:\n\n```\n{command}\n```\n"
        );
    }
    if let Some(why) = &found.unfinished {
        let _ = writeln!(text, "{}", markdown(why));
    }
    text
}

fn commit_link(repository: Option<&str>, id: &str) -> Option<String> {
    let repository = web(repository?)?;
    is_commit(id).then(|| format!("{repository}/commit/{id}"))
}

/// The pages of a repository, where its URL can be that of pages.
fn web(repository: &str) -> Option<&str> {
    let repository = repository.trim_end_matches(".git");
    let sound = |c: char| c.is_ascii_alphanumeric() || ":/.-_".contains(c);
    (repository.starts_with("https://") && repository.chars().all(sound)).then_some(repository)
}

/// Where the forge shows what lies between the two revisions.
pub(crate) fn compare_link(repository: Option<&str>, from: &str, to: &str) -> Option<String> {
    let repository = web(repository?)?;
    let whole = [from, to].into_iter().all(is_commit);
    whole.then(|| format!("{repository}/compare/{from}...{to}"))
}

/// A commit's id with its first digits only; of another revision, what can be shown as code.
pub fn short_revision(revision: &str) -> String {
    if is_commit(revision) {
        return revision[..10].to_owned();
    }
    let tame = revision.chars().filter(|c| !c.is_control() && *c != '`');
    tame.take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::{acted_on, read};
    use shakedown_store::{
        change::{self, DecisionSummary, GuiltyCommit, SuspectState},
        fixture::listed,
    };

    #[test]
    fn the_issue_says_what_changed_since_when_and_by_how_much() {
        let causes =
            change::causes(vec![listed(true, 0.95, 1_700_000_000_000, SuspectState::Confirmed)]);
        let issue = change_issue(&causes[0], Some("https://bench.example"));
        insta::assert_snapshot!(format!("{}\n\n{}", issue.title, issue.text));
    }

    /// What a bisection found, with a text of the author's.
    fn bisected(words: &str) -> change::SuspectSummary {
        let mut one = listed(true, 0.95, 1_700_000_000_000, SuspectState::Confirmed);
        let commit = GuiltyCommit {
            id: "6bf3a0c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f708".to_owned(),
            author: format!("Ada{words}"),
            authored: "2026-11-20T10:00:00+01:00".to_owned(),
            subject: format!("Hash twice{words}"),
            change: "-5.1 % (regressed)".to_owned(),
            functions: vec![format!(
                "HandshakeHash::update{words}: +16,250 instructions/op, 100 % of the change"
            )],
            reproduce: "shakedown compare rustls@git:a rustls@git:b --suite standard".to_owned(),
        };
        one.decisions.push(DecisionSummary {
            state: SuspectState::Confirmed,
            at_ms: 8,
            evidence: "changed by 6bf3".to_owned(),
            bisection: Some(BisectionResult { commits: vec![commit], unfinished: None }),
        });
        one
    }

    #[test]
    fn the_issue_names_commit_author_functions_and_how_to_measure_it_again() {
        let issue = change_issue(&change::causes(vec![bisected("")])[0], None);
        insta::assert_snapshot!(issue.text);
        let hostile = bisected("</details>@team\n# x <script>[a](javascript:b)");
        let text = change_issue(&change::causes(vec![hostile])[0], None).text;
        for wrong in ["<script", "@team", "](javascript", "\n# x", "</details"] {
            assert!(!text.contains(wrong), "{wrong} in {text}");
        }
    }

    /// Read by GitHub's rules of Markdown, the issue about a hostile commit has the same parts as the one about
    /// a harmless commit, and GitHub finds nothing in it to act on.
    #[test]
    fn nothing_that_a_committer_writes_is_markup() {
        let issue =
            |words: &str| change_issue(&change::causes(vec![bisected(words)])[0], None).text;
        let harmless = read(&issue(""));
        for words in [
            "<script>alert(1)</script><img src=x onerror=y>",
            "</details></summary><!-- x -->",
            "[click](javascript:alert) ![x](https://evil.example/x.png)",
            "@ada @rustls/maintainers #1 rust/rust#2 GH-3 https://evil.example www.evil.example",
            "| a | b |\n\n# Approved\n```\n$(reboot)\n",
            "fixes #12, closes https://evil.example/issues/1",
            "Co-authored-by: Ada <ada@evil.example>\r\n\r\n- [x] done",
            "`code` ``` ~~~ **bold** ~~gone~~ $x$ \\",
            ":tada: 6bf3a0c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f708 CVE-2026-1234",
            "\u{202e}dlrow\u{1b}[2J\r\n- x\u{2066}\u{200b}",
        ] {
            let told = read(&issue(words));
            assert_eq!(told.nodes, harmless.nodes, "{words}");
            // What is ours is the same in both.
            let changed: Vec<&String> = told
                .texts
                .iter()
                .zip(&harmless.texts)
                .filter(|(a, b)| a != b)
                .map(|(a, _)| a)
                .collect();
            assert_eq!(changed.len(), 2, "subject with author, and function: {changed:?}");
            for text in changed {
                assert_eq!(acted_on(text), None, "{words}: {text}");
            }
        }
    }

    #[test]
    fn names_of_others_stay_text() {
        let mut hostile = listed(true, 0.95, 10, SuspectState::Confirmed);
        hostile.series.subject = "<script>|@team".to_owned();
        hostile.repository = Some("https://x.example/) [a](javascript:b".to_owned());
        hostile.first_bad.revision = "`<img>`\n# x".to_owned();
        let text = change_issue(&change::causes(vec![hostile])[0], None).text;
        for wrong in ["<script", "@team", "javascript", "\n# x"] {
            assert!(!text.contains(wrong), "{wrong} in {text}");
        }
    }
}
