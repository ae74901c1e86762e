//! The command in a comment that starts a measurement.

use shakedown_protocol::is_commit;

/// A `/bench` command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BenchCommand {
    /// The suite, if the comment names one.
    pub(crate) suite: Option<String>,
    /// The commit, if the comment names one.
    pub(crate) sha: Option<String>,
}

/// Parses `/bench [SUITE] [SHA]` in the first line of a comment. `None` if the comment has no command.
///
/// # Errors
/// A malformed command.
pub(crate) fn parse(body: &str) -> Result<Option<BenchCommand>, String> {
    let mut words = body.lines().next().unwrap_or_default().split_whitespace();
    if words.next() != Some("/bench") {
        return Ok(None);
    }
    let mut bench = BenchCommand { suite: None, sha: None };
    for word in words {
        if is_commit(word) && bench.sha.is_none() {
            bench.sha = Some(word.to_owned());
        } else if bench.suite.is_none() && bench.sha.is_none() && is_name(word) {
            bench.suite = Some(word.to_owned());
        } else {
            let word: String = word.chars().take(60).flat_map(char::escape_default).collect();
            return Err(format!(
                "`{word}` is not understood: write /bench [SUITE] [COMMIT], the commit whole"
            ));
        }
    }
    Ok(Some(bench))
}

fn is_name(word: &str) -> bool {
    let sound = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    word.len() <= 40 && !word.starts_with('-') && word.chars().all(sound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_comment_asks_in_its_first_line_and_in_these_words_only() {
        let sha = "0123456789abcdef0123456789abcdef01234567";
        let of = |suite: Option<&str>, sha: Option<&str>| {
            Ok(Some(BenchCommand { suite: suite.map(str::to_owned), sha: sha.map(str::to_owned) }))
        };
        assert_eq!(parse("/bench"), of(None, None));
        assert_eq!(parse("/bench standard\r\nplease"), of(Some("standard"), None));
        assert_eq!(parse(&format!("/bench pr {sha}")), of(Some("pr"), Some(sha)));
        assert_eq!(parse(&format!("/bench {sha}")), of(None, Some(sha)));
        for nothing in ["", "please /bench", "> /bench", "/benchmark", "x\n/bench"] {
            assert_eq!(parse(nothing), Ok(None), "{nothing}");
        }
        for wrong in [
            "/bench $(reboot)",
            "/bench ../x",
            "/bench a b",
            "/bench -x",
            "/bench pr 6bf3",
            "/bench pr;id",
            "/bench `id`",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn what_is_understood_is_harmless(body in "/bench .{0,60}") {
            if let Ok(Some(bench)) = parse(&body) {
                let sound = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
                prop_assert!(bench.suite.iter().chain(&bench.sha).all(|text| sound(text)));
            }
        }
    }
}
