//! What a reader must know of in-tree benchmarks, and of subjects that their drivers do not fit.

use shakedown_protocol::{Incompatible, RunRecord, SubjectEntry};

/// What scenarios and headlines of in-tree benchmarks are marked with.
pub const IN_TREE: &str = "in-tree benchmark";

/// What these numbers are, for every page that shows some.
pub const IN_TREE_NOTE: &str = "In-tree benchmark: the numbers of `intree/...` are those of the benchmark program in each \
     revision's own tree. It gives no wire facts, no counts of allocations or instructions, and no \
     choice of group, and its numbers are not comparable with those of our drivers.";

/// What a reader must know first; nothing where drivers measured all that was asked for.
pub(crate) fn notes(record: &RunRecord) -> Vec<String> {
    let plan = &record.plan;
    let mut notes = Vec::new();
    if plan.in_tree() {
        notes.push(IN_TREE_NOTE.to_owned());
    }
    if let Some(fallback) = &plan.fallback {
        notes.push(format!("It stands in for suite {}, which was asked for.", fallback.suite));
    }
    let own = |entry: &SubjectEntry| Some((entry.name.clone(), entry.artifact.own_driver.clone()?));
    for (name, folder) in record.subjects.iter().filter_map(own) {
        notes.push(format!(
            "{name} is measured with the driver in its own tree ({folder}): whoever changes the \
             library can change what measures it."
        ));
    }
    notes.extend(plan.incompatible().map(incompatible));
    if !plan.left_out.is_empty() {
        notes.push("Subjects that the driver does not fit are left out here.".to_owned());
    }
    if let Some(missed) = &plan.backfill {
        notes.push(format!(
            "Measured later, to replace run {} of {}.",
            missed.run,
            crate::utc::utc(missed.started_ms)
        ));
    }
    notes
}

/// Subject, commit, what does not fit, and the first error.
pub fn incompatible(found: &Incompatible) -> String {
    let commit = found.revision.as_deref().map_or_else(String::new, |id| {
        format!(" at commit {}", id.chars().take(12).collect::<String>())
    });
    format!(
        "The driver does not fit {}{commit} ({}). First error: {}",
        found.subject, found.misfit, found.error
    )
}

/// A headline that says so where in-tree benchmarks measured.
pub(crate) fn headline(record: &RunRecord, headline: &str) -> String {
    if record.plan.in_tree() { format!("{headline} ({IN_TREE})") } else { headline.to_owned() }
}

/// A scenario or family with what it is, for people.
pub fn title(scenario: &str) -> String {
    if scenario.starts_with("intree/") {
        return format!("{scenario} ({IN_TREE})");
    }
    scenario.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Comment, CommentContext, Finding, PageFormat, Report, Screen};
    use shakedown_protocol::{
        Backfill, Fallback, Misfit,
        fixture::{self, comparison::comparison},
    };

    const FULL: &str = "intree/handshake-full/tls1.3/aes128-gcm/default/ecdsa-p256";

    fn misfit() -> Incompatible {
        Incompatible {
            subject: "rustls@git:HEAD+ring".parse().unwrap(),
            resolved: "rustls@git:HEAD+ring".parse().unwrap(),
            revision: Some("0123456789abcdef0123456789abcdef01234567".to_owned()),
            misfit: Misfit::Surface("io".to_owned()),
            error: "error[E0599]: no method named `read_tls` <b>".to_owned(),
        }
    }

    fn fallen_back() -> RunRecord {
        let mut record = comparison(&[(FULL, [1.0, 1.0])]);
        let subjects = vec![misfit()];
        record.plan.fallback = Some(Fallback { suite: "pr".to_owned(), only: vec![], subjects });
        record
    }

    #[test]
    fn every_page_of_a_fallback_says_what_it_is_and_why() {
        let record = fallen_back();
        let policy = shakedown_gate::Policy::shipped().unwrap();
        let judged = || {
            let judgement = shakedown_gate::judge(&record, &policy).unwrap();
            Finding::judged(record.clone(), judgement)
        };
        let Finding::Judged(found) = judged() else { unreachable!() };
        let summary = shakedown_summary::summarize(&record);
        let terminal = found.verdicts.text(Screen::new(None, false), "report.html");
        let run = Report::new(&record, &summary).text(Screen::new(None, false), "report.html");
        let report = Report::new(&record, &summary).with_verdict(found.verdicts);
        let finding = judged();
        assert!(finding.headline().ends_with("(in-tree benchmark)"), "{}", finding.headline());
        for page in [
            terminal,
            run,
            report.render(PageFormat::Markdown).unwrap(),
            report.render(PageFormat::Html).unwrap(),
            Comment::text(&finding, &CommentContext::default()).unwrap(),
        ] {
            let plain = page.replace(['\\', '`'], "").replace("&#x2f;", "/");
            for said in
                ["In-tree benchmark", "no wire facts", "surface io", "0123456789ab", "E0599"]
            {
                assert!(plain.contains(said), "{said} is not in {page}");
            }
            assert_eq!(plain.matches("It stands in for suite pr").count(), 1, "{page}");
        }
    }

    #[test]
    fn what_was_left_out_or_measured_later_is_told() {
        let mut record = fixture::record("epoch", Vec::new(), &[]);
        assert!(notes(&record).is_empty());
        record.plan.left_out = vec![misfit()];
        record.plan.backfill = Some(Backfill { run: "n".to_owned(), started_ms: 0 });
        insta::assert_snapshot!(notes(&record).join("\n"), @r"
        The driver does not fit rustls@git:HEAD+ring at commit 0123456789ab (surface `io`). First error: error[E0599]: no method named `read_tls` <b>
        Subjects that the driver does not fit are left out here.
        Measured later, to replace run n of 1970-01-01T00:00:00Z.
        ");
    }
}
