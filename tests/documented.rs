//! Each call of the command that a document shows is one that the command takes.

mod common;

use assert_cmd::Command;
use std::{collections::BTreeMap, fs};

/// The help of commands, asked for once each.
#[derive(Default)]
struct Help(BTreeMap<String, String>);

impl Help {
    fn of(&mut self, path: &[&str]) -> &str {
        self.0.entry(path.join(" ")).or_insert_with(|| {
            let output = Command::cargo_bin("shakedown").unwrap().args(path).arg("--help").output();
            String::from_utf8(output.unwrap().stdout).unwrap()
        })
    }

    /// Whether a command has a subcommand of that name.
    fn has(&mut self, path: &[&str], name: &str) -> bool {
        let Some((_, list)) = self.of(path).split_once("Commands:\n") else { return false };
        let mut lines = list.lines().take_while(|line| !line.is_empty());
        lines.any(|line| line.split_whitespace().next() == Some(name))
    }

    /// What is wrong with a call, if anything.
    fn wrong(&mut self, call: &str) -> Option<String> {
        let words: Vec<&str> =
            call.split(" -- ").next().unwrap().split_whitespace().skip(1).collect();
        let mut depth = 0;
        while depth < words.len() && self.has(&words[..depth], words[depth]) {
            depth += 1;
        }
        let plain =
            |word: &&str| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        let more = self.of(&words[..depth]).contains("Commands:\n");
        if let Some(word) =
            words.get(depth).filter(|word| more && plain(word) && !word.starts_with('-'))
        {
            return Some(format!("there is no command `{word}`"));
        }
        let help = self.of(&words[..depth]);
        let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_lowercase() || c == '-');
        let known = |option: &str| {
            help.match_indices(option).any(|(at, _)| ends(&help[at + option.len()..]))
        };
        let options = words[depth..].iter().filter(|word| word.starts_with("--"));
        let options = options.map(|word| word.split(['=', ',', ']', ')', '\'']).next().unwrap());
        let mut unknown = options.filter(|option| !known(option));
        unknown.next().map(|option| format!("there is no option {option}"))
    }
}

/// What a document shows as code: lines of blocks, and what stands between backticks.
fn code(text: &str) -> Vec<String> {
    let text = text.replace("\\\n", " ");
    let (mut found, mut prose, mut fenced) = (Vec::new(), String::new(), false);
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if fenced || line.starts_with("    ") {
            found.push(line.trim().to_owned());
        }
        prose += if fenced || line.trim_start().starts_with("```") { "" } else { line };
        prose.push(' ');
    }
    found.extend(prose.split('`').skip(1).step_by(2).map(str::to_owned));
    found
}

/// The calls of the command in a line: after `sudo`, variables, and other commands.
fn calls(line: &str) -> impl Iterator<Item = &str> {
    let parts = line.split(['|', ';', '&', '#', '<', '>', '(']).map(str::trim);
    parts.filter_map(|part| {
        let mut rest = part;
        while let Some((word, after)) = rest.split_once(' ') {
            if word == "shakedown" {
                return Some(rest);
            }
            let before = word == "sudo" || word == "$" || word.contains('=');
            rest = if before { after.trim_start() } else { return None };
        }
        None
    })
}

#[test]
fn every_call_that_a_document_shows_is_one_that_the_command_takes() {
    let (mut help, mut seen, mut wrong) = (Help::default(), 0, Vec::new());
    for folder in ["", "docs", "docs/decisions", "docs/studies", "runner-setup", "history"] {
        for entry in fs::read_dir(common::root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "md")
                || path.ends_with("CHANGELOG.md")
            {
                continue;
            }
            for line in code(&fs::read_to_string(&path).unwrap()) {
                for call in calls(&line) {
                    seen += 1;
                    let reason = help.wrong(call);
                    wrong.extend(
                        reason.map(|reason| format!("{}: {call}: {reason}", path.display())),
                    );
                }
            }
        }
    }
    assert!(seen > 100, "{seen}");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn a_call_that_the_command_does_not_take_is_told_of() {
    let mut help = Help::default();
    for (call, reason) in [
        ("shakedown host chekc", Some("no command `chekc`")),
        ("shakedown github comment --nothing 1", Some("no option --nothing")),
        ("shakedown host hold -- openssl speed --nothing", None),
        ("shakedown compare BASE HEAD --suite=pr", None),
    ] {
        let found = help.wrong(call);
        let same = reason
            .map_or(found.is_none(), |part| found.as_ref().is_some_and(|all| all.contains(part)));
        assert!(same, "{call}: {found:?}");
    }
    assert_eq!(
        calls("GITHUB_TOKEN=x sudo shakedown fleet | less").collect::<Vec<_>>(),
        ["shakedown fleet"]
    );
}
