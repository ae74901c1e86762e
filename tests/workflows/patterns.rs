//! Which tags start a workflow, by GitHub's rules for patterns in filters: act applies no filter.

use crate::yaml::files;

/// One place of a pattern: what fits there, and how often.
enum Part {
    /// `*`, which stops at a slash, and `**`, which does not.
    Star { deep: bool },
    /// A character of a set, from so many to so many times.
    One { set: Vec<char>, least: usize, most: usize },
}

fn parse(pattern: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = pattern.chars().peekable();
    while let Some(c) = rest.next() {
        let set = match c {
            '*' => {
                let deep = rest.next_if_eq(&'*').is_some();
                parts.push(Part::Star { deep });
                continue;
            }
            '[' => {
                let inside: Vec<char> = rest.by_ref().take_while(|c| *c != ']').collect();
                match inside[..] {
                    [from, '-', to] => (from..=to).collect(),
                    _ => inside,
                }
            }
            c => vec![c],
        };
        let most = if rest.next_if_eq(&'+').is_some() { usize::MAX } else { 1 };
        let least = usize::from(rest.next_if_eq(&'?').is_none());
        parts.push(Part::One { set, least, most });
    }
    parts
}

fn fits(parts: &[Part], text: &[char]) -> bool {
    let Some((part, rest)) = parts.split_first() else { return text.is_empty() };
    let (least, most) = match part {
        Part::Star { .. } => (0, usize::MAX),
        Part::One { least, most, .. } => (*least, *most),
    };
    let takes = |c: &char| match part {
        Part::Star { deep } => *deep || *c != '/',
        Part::One { set, .. } => set.contains(c),
    };
    let longest = text.iter().take(most).take_while(|c| takes(c)).count();
    (least..=longest).any(|count| fits(rest, &text[count..]))
}

/// Whether a tag starts a workflow.
fn starts(workflow: &str, tag: &str) -> bool {
    let name = format!("workflows/{workflow}.yml");
    let file = files().into_iter().find(|file| file.name == name).unwrap();
    let tag: Vec<char> = tag.chars().collect();
    let patterns = file.yaml["on"]["push"]["tags"].as_array().cloned().unwrap();
    patterns.iter().any(|pattern| fits(&parse(pattern.as_str().unwrap()), &tag))
}

#[test]
fn patterns_are_read_as_github_reads_them() {
    // The examples of GitHub's own list.
    for (pattern, text, expected) in [
        ("feature/*", "feature/my-branch", true),
        ("feature/*", "feature/beta-a/my-branch", false),
        ("feature/**", "feature/beta-a/my-branch", true),
        ("v2*", "v2.9", true),
        ("v[12].[0-9]+.[0-9]+", "v1.10.1", true),
        ("v[12].[0-9]+.[0-9]+", "v3.0.0", false),
        ("*.jsx?", "page.js", true),
    ] {
        let text_: Vec<char> = text.chars().collect();
        assert_eq!(fits(&parse(pattern), &text_), expected, "{pattern} and {text}");
    }
}

#[test]
fn versions_start_a_release_or_a_sign_off_and_other_tags_do_not() {
    for tag in ["v0.1.0", "v10.20.30", "v0.1.0-rc.1"] {
        assert!(starts("release", tag), "{tag}");
    }
    for tag in ["v/0.1.0", "v0.1", "0.1.0", "nightly", "xv0.1.0", "v0.1.0/x"] {
        assert!(!starts("release", tag), "{tag}");
    }
    for tag in ["v1.2.3", "v/0.23.46", "openssl-3.5.5", "openssl-4.0.0-beta1", "rel/v2/1.0"] {
        assert!(starts("signoff", tag), "{tag}");
    }
    for tag in ["nightly", "v1", "fuzz/corpus-2", "v.next"] {
        assert!(!starts("signoff", tag), "{tag}");
    }
}
