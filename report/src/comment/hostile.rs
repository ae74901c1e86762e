//! Records of strangers: nothing in them becomes markup, a command, a link or a mention. The comment is
//! parsed by GitHub's rules of Markdown, and compared with that of a harmless record.

use super::{
    tests::{context, judged, mixed},
    *,
};
use crate::{
    markdown,
    reading::{acted_on, read},
};
use proptest::prelude::*;
use shakedown_culprits::ComparisonExplanation;
use shakedown_protocol::{DriverRefusal, TrialOutcome};

/// Everything in a record that a stranger can choose freely.
pub(super) fn hostile(record: &mut RunRecord, text: &str) {
    record.id = text.to_owned();
    record.plan.suite = text.to_owned();
    record.host.name = text.to_owned();
    record.host.cpu.model = text.to_owned();
    record.host.system = text.to_owned();
    record.host.epoch.id = text.to_owned();
    record.calibration = None;
    for entry in &mut record.subjects {
        let new = format!("{}{text}", entry.name);
        for trial in &mut record.trials {
            if trial.subject == entry.name {
                trial.subject.clone_from(&new);
            }
        }
        entry.artifact.flags = vec![format!("{} {text}", entry.artifact.id)];
        entry.artifact.crates.insert(text.to_owned(), entry.artifact.id.clone());
        entry.artifact.rustc = format!("{} {text}", entry.artifact.id);
        entry.name = new;
    }
    let trial = record.trials.iter_mut().rfind(|trial| trial.subject.contains("head")).unwrap();
    trial.outcome = TrialOutcome::Refused(DriverRefusal::Broken(format!("signal {text}")));
}

/// The comment on a record with a text in all of these places.
fn told(words: &str) -> String {
    let mut record = mixed();
    hostile(&mut record, words);
    let explanation = explanation_with(words);
    Comment::text(&judged(record).with_explanation(&explanation), &context()).unwrap()
}

/// An explanation with a text in place of every name.
fn explanation_with(words: &str) -> ComparisonExplanation {
    let mut found = crate::culprits::tests::explanation();
    for culprit in found.sides.iter_mut().flat_map(|side| &mut side.explanation.culprits) {
        culprit.function = format!("{}{words}", culprit.function);
        culprit.renamed_from = Some(words.to_owned());
        culprit.lines = vec![(words.to_owned(), 1e4)];
    }
    for change in found.traffic.iter_mut().flat_map(|one| &mut one.traffic.changes) {
        change.message = format!("{}{words}", change.message);
        change.part = Some(words.to_owned());
    }
    for site in found.allocations.iter_mut().flat_map(|one| &mut one.sites.sites) {
        site.function = format!("{words}{}", site.function);
        site.callers = vec![words.to_owned()];
    }
    found.grouped()
}

#[test]
fn nothing_from_a_record_becomes_markup() {
    for text in [
        "<script>alert(1)</script><img src=x onerror=y>",
        "</details></summary><!-- shakedown:comment key=shakedown run=99.1 -->",
        "[click](javascript:alert) ![x](https://evil.example/x.png)",
        "@rustls/maintainers #1 https://evil.example www.evil.example",
        "| a | b |\n\n# Approved\n```\n$(reboot)\n",
        "`code` **bold** ~~gone~~ $x$ \\",
        "\u{202e}dlrow\u{1b}[2J\r\n- x",
    ] {
        let told = told(text);
        for wrong in [
            "<script",
            "<img",
            "</summary><!--",
            "](javascript",
            "![x]",
            "@rustls",
            "https://evil",
            "\n# Approved",
            "**bold**",
            "\u{1b}",
            "<!--",
            "$(reboot)",
            "\n- x",
            "://evil",
        ] {
            assert!(!told.contains(wrong), "{wrong:?} of {text:?} in\n{told}");
        }
        let fences = told.lines().filter(|line| line.trim() == "```").count();
        assert_eq!(fences, 2, "{told}");
        assert_eq!(told.matches("<details>").count(), told.matches("</details>").count());
    }
}

/// The tests below find what they look for.
#[test]
fn what_is_not_escaped_is_found() {
    for text in [
        "@ada",
        "x #12",
        "well :tada:",
        "at 6bf3a0c2d1",
        "GH-12",
        "cve-2026-1",
        "GHSA-ab",
        "a://b",
        "www.x",
        "\u{202e}x",
        "\u{1b}x",
    ] {
        assert!(acted_on(text).is_some(), "{text}");
    }
    assert_eq!(acted_on("100 @ 3: 12 % # of 1234, decade"), None);
    let plain = read("x\n").nodes;
    for text in [
        "<b>x",
        "[x](y)",
        "- x",
        "# x",
        "> x",
        "**x**",
        "`x`",
        "$x$",
        "x\n===",
        "1. x",
        "| x |\n|---|",
        "www.evil.example",
    ] {
        assert_ne!(read(text).nodes, plain, "{text}");
    }
}

/// What GitHub acts on, in pieces that are put together in any order.
fn pieces() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "@",
        "ada",
        "team/x",
        "#",
        "12",
        ":",
        "tada",
        "GH-",
        "CVE-2026-",
        "GHSA-",
        "abcd",
        "://",
        "http",
        "www",
        ".",
        "evil.example",
        "6bf3a0c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f708",
        "6bf3a0c",
        "[",
        "]",
        "(",
        ")",
        "!",
        "`",
        "```",
        "~~",
        "**",
        "_",
        "$",
        "$$",
        "|",
        "\n",
        "\r\n",
        "\n\n",
        "- ",
        "+ ",
        "1. ",
        "===",
        "---",
        "# ",
        "> ",
        "<",
        ">",
        "</details>",
        "<!--",
        "-->",
        "&#64;",
        "&",
        ";",
        "\\",
        "[^1]",
        "[^1]: ",
        "[!NOTE]",
        "[x] ",
        "##[add-mask]",
        "::stop-commands::x",
        "\u{202e}",
        "\u{2066}",
        "\u{200b}",
        "\u{feff}",
        "\u{301}",
        "\u{489}",
        "\u{e0041}",
        "\u{1b}[2J",
        "\u{2028}",
        "\u{a0}",
        " ",
        "    ",
        "\t",
        "x",
        "é",
        "٣",
        "mailto:",
    ]);
    let any = prop_oneof![8 => known.prop_map(str::to_owned), 1 => "\\PC{1,3}", 1 => any::<char>().prop_map(String::from)];
    prop::collection::vec(any, 1..10).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Whatever stands in a record, the comment has the same parts, links and HTML as one about a record
    /// without it, and no text in which GitHub finds something to act on.
    #[test]
    fn github_finds_nothing_in_a_record_to_act_on(words in pieces()) {
        let (harmless, read) = (read(&told("x")), read(&told(&words)));
        prop_assert_eq!(&harmless.nodes, &read.nodes, "{:?}", words);
        for text in &read.texts {
            prop_assert_eq!(acted_on(text), None, "{:?}", words);
        }
    }
}

proptest! {
    /// The same of a text alone, in more cases.
    #[test]
    fn github_finds_nothing_in_a_text_to_act_on(words in pieces()) {
        let line = |words: &str| format!("> {}\n\n- {}\n\n| a | b |\n|---|---|\n| {} | c |\n", markdown(words), markdown(words), markdown(words));
        let read = read(&line(&format!("x {words}")));
        prop_assert_eq!(&crate::reading::read(&line("x")).nodes, &read.nodes, "{:?}", words);
        for text in &read.texts {
            prop_assert_eq!(acted_on(text), None, "{:?}", words);
        }
    }

    /// At most two marks stand on one letter.
    #[test]
    fn letters_do_not_cover_the_lines_around(words in "[a-z\u{300}-\u{30f}]{1,60}") {
        let marks = |c: char| ('\u{300}'..='\u{36f}').contains(&c);
        prop_assert!(markdown(&words).split(|c| !marks(c)).all(|run| run.chars().count() <= 2));
    }
}
