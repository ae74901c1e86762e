//! The actions that the workflows use, and the allow-list of a repository or its organization.

use super::files::AdoptedFile;
use globset::Glob;
use shakedown_forge::setup::SelectedActions;
use std::collections::BTreeSet;

/// Composite actions, and what they call. GitHub holds that against the list as well, although no workflow
/// names it.
const CALLED: [(&str, &str); 2] = [
    (
        "actions/attest-build-provenance@a2bbfa25375fe432b6a289bc6b6cd05ecd0c4c32",
        "actions/attest@59d89421af93a897026c735860bf21b6eb4f7b26",
    ),
    (
        "actions/upload-pages-artifact@fc324d3547104276b827a68afc52ff2a11cc49c9",
        "actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f",
    ),
];

/// The actions of these workflows, as `OWNER/NAME@COMMIT`: the form that GitHub's allow-list takes. Those of
/// the tool's own folder are not on any list.
pub fn used(files: &[AdoptedFile]) -> BTreeSet<String> {
    let lines = files.iter().flat_map(|file| file.text.lines());
    let named = lines.filter_map(|line| {
        let action = line.trim().trim_start_matches("- ").strip_prefix("uses: ")?;
        let action = action.split([' ', '#']).next()?;
        let (name, commit) = action.split_once('@')?;
        let mut parts = name.split('/');
        let (owner, repository) = (parts.next()?, parts.next()?);
        (owner != ".").then(|| format!("{owner}/{repository}@{commit}"))
    });
    let mut all: BTreeSet<String> = named.collect();
    for (action, called) in CALLED {
        if all.contains(action) {
            all.insert(called.to_owned());
        }
    }
    all
}

/// Those that the list does not allow.
pub fn refused<'a>(used: &'a BTreeSet<String>, list: &SelectedActions) -> Vec<&'a str> {
    let allowed = |action: &str| {
        let owner = action.split('/').next().unwrap_or_default();
        let own = ["actions", "github"].contains(&owner) && list.github_owned_allowed;
        own || list.patterns_allowed.iter().any(|pattern| {
            let matcher = Glob::new(pattern).map(|glob| glob.compile_matcher());
            matcher.is_ok_and(|matcher| matcher.is_match(action))
        })
    };
    used.iter().map(String::as_str).filter(|action| !allowed(action)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> AdoptedFile {
        AdoptedFile { path: String::new(), text: text.to_owned() }
    }

    #[test]
    fn actions_are_read_as_github_writes_them() {
        let text = "steps:\n  - uses: actions/checkout@3d3c # v7\n    uses: o/n/deep/er@89ab\n\
                    \x20     uses: ./shakedown/.github/actions/setup\n  # uses: no/comment@1\n\
                    \x20     statuses: write # the same\n";
        let found = used(&[file(text)]);
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["actions/checkout@3d3c", "o/n@89ab"]);
    }

    /// A pin that was raised calls others: its `action.yml` says which.
    #[test]
    fn what_composite_actions_call_is_known_for_the_pins_in_use() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/.github/workflows");
        let texts = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let files: Vec<_> = texts.map(|p| file(&std::fs::read_to_string(p).unwrap())).collect();
        let used = used(&files);
        for (action, called) in CALLED {
            assert!(used.contains(action), "{action} is not the one in use");
            assert!(used.contains(called), "{called} is missing");
        }
        for name in ["actions/attest-build-provenance@", "actions/upload-pages-artifact@"] {
            let known = |pin: &&String| CALLED.iter().any(|(action, _)| action == pin);
            assert!(used.iter().filter(|pin| pin.starts_with(name)).all(|pin| known(&pin)));
        }
    }

    #[test]
    fn a_list_allows_by_owner_by_pattern_or_by_commit() {
        let used = ["actions/checkout@3d3c", "o/n@89ab"].map(str::to_owned).into();
        let refused = |own: bool, patterns: &[&str]| {
            let patterns_allowed = patterns.iter().map(|p| (*p).to_owned()).collect();
            let list = SelectedActions { github_owned_allowed: own, patterns_allowed };
            super::refused(&used, &list).join(" ")
        };
        assert_eq!(refused(true, &[]), "o/n@89ab");
        assert_eq!(refused(false, &["o/*"]), "actions/checkout@3d3c");
        assert_eq!(refused(true, &["o/n@*"]), "");
        assert_eq!(refused(false, &["actions/checkout@3d3c", "o/n@89ab"]), "");
        assert_eq!(
            refused(false, &["actions/checkout@0000", "[", "O"]),
            "actions/checkout@3d3c o/n@89ab"
        );
    }
}
