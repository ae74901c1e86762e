//! Text of others in Markdown: it is shown as it is, and GitHub finds nothing in it to act on.

/// Stands between two characters that mean something together, and can't be seen.
const APART: char = '\u{200b}';

/// Combining marks in a row; more of them cover the lines around.
const MARKS: usize = 2;

/// Lengths of a commit's id that GitHub turns into a link.
const HEX: std::ops::RangeInclusive<usize> = 7..=64;

/// Escapes what GitHub's Markdown would take for markup, a table's end, a link, a mention, an emoji, a
/// reference to a commit, an issue or an advisory, or HTML. Removes what can't be seen or changes the
/// direction of the text.
pub fn markdown(text: &str) -> String {
    let text = visible(text);
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text.trim_start();
    let mut before = ' ';
    escape_start(&mut rest, &mut out, &mut before);
    while let Some(c) = rest.chars().next() {
        let bounded = !is_word(before);
        let used = match c {
            _ if bounded && hex(rest).is_some() => {
                // A code block of its own: it can still be copied.
                let hex = hex(rest).unwrap_or_default();
                out.push_str(&format!("`{hex}`"));
                hex.len()
            }
            '`' if command(rest).is_some() => {
                let command = command(rest).unwrap_or_default();
                out.push_str(command);
                command.len()
            }
            _ if bounded && reference(rest).is_some() => {
                let name = reference(rest).unwrap_or_default();
                out.push_str(name);
                out.push(APART);
                name.len()
            }
            _ => {
                escape(c, &rest[c.len_utf8()..], &mut out);
                c.len_utf8()
            }
        };
        before = rest[..used].chars().next_back().unwrap_or(c);
        rest = &rest[used..];
    }
    out
}

/// What begins a list, a heading's underline or a rule only where a line begins.
fn escape_start(rest: &mut &str, out: &mut String, before: &mut char) {
    if hex(rest).is_some() {
        return;
    }
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, after) = rest.split_at(digits);
    let mut following = after.chars();
    let (Some(c), next) = (following.next(), following.next()) else { return };
    let ends = next.is_none_or(char::is_whitespace);
    let begins = match c {
        '.' => digits > 0 && ends,
        '+' => digits == 0 && ends,
        '-' => digits == 0 && (ends || next == Some('-')),
        '=' => digits == 0,
        _ => false,
    };
    if begins {
        *out += number;
        out.extend(['\\', c]);
        (*rest, *before) = (&after[1..], c);
    }
}

/// One character, and what it would mean with those after it.
fn escape(c: char, after: &str, out: &mut String) {
    match c {
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        '@' => out.extend(['@', APART]),
        ':' if after.starts_with("//") || is_emoji(after) => out.extend([':', APART]),
        // What a text ends with, our own words may complete.
        '#' if after.is_empty() || after.starts_with(|c: char| c.is_ascii_digit()) => {
            out.extend(['\\', '#', APART]);
        }
        '\\' | '`' | '*' | '_' | '[' | ']' | '(' | ')' | '#' | '|' | '!' | '~' | '$' => {
            out.extend(['\\', c]);
        }
        c => out.push(c),
    }
}

/// Whether what follows a colon makes it the name of an emoji: `tada:`. At the end of a text, our own
/// words may add the second colon; of a time, nobody would take it for one.
fn is_emoji(after: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || "_+-".contains(c);
    let (name, rest) = after.split_at(after.chars().take_while(|c| part(*c)).count());
    let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
    !name.is_empty() && (rest.starts_with(':') || rest.is_empty() && !is_number)
}

/// The hexadecimal word that a text begins with, if it may be the id of a commit.
fn hex(text: &str) -> Option<&str> {
    let end = text.bytes().take_while(u8::is_ascii_hexdigit).count();
    let ends = !text[end..].starts_with(is_word);
    (HEX.contains(&end) && ends).then(|| &text[..end])
}

/// A command of ours between backticks, with them: it is shown as code. Nothing else is taken for one, so that
/// the text of others stays text.
pub fn command(text: &str) -> Option<&str> {
    let words = text.strip_prefix("`shakedown ")?;
    let end = words.find(|c: char| !(c.is_ascii_lowercase() || c == ' ' || c == '-'))?;
    let sound = end > 0 && words[end..].starts_with('`');
    sound.then(|| &text[..text.len() - words.len() + end + 1])
}

/// What GitHub turns into a link together with what follows it.
fn reference(text: &str) -> Option<&str> {
    if text.eq_ignore_ascii_case("www") {
        return Some(text);
    }
    let known = ["GH-", "GHSA-", "CVE-", "www."].iter();
    let starts = |name: &&&str| {
        let start = text.get(..name.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    known.filter(starts).map(|name| &text[..name.len() - 1]).next()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Only what a reader can see, from left to right, in one line.
fn visible(text: &str) -> String {
    let mut marks = 0;
    let shown = |c: char| match c {
        '\n' | '\r' | '\t' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some(' '),
        c if turns(c) => Some('\u{fffd}'),
        c if c.is_control() || is_invisible(c) => None,
        c => Some(c),
    };
    let few = |c: &char| {
        marks = if is_mark(*c) { marks + 1 } else { 0 };
        marks <= MARKS
    };
    text.chars().filter_map(shown).filter(few).collect()
}

/// Whether a character changes the direction of those around it.
pub fn turns(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

const fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200d}'
        | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

const fn is_mark(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5bd}' | '\u{610}'..='\u{61a}'
        | '\u{64b}'..='\u{65f}' | '\u{e31}' | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}'
        | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_of_others_stays_text() {
        let hostile = "|x|\n# a ![b](https://c) <script>@team `d` **e** www.f.com rust/rust#12";
        let escaped = markdown(hostile);
        for wrong in ["\n", "<script", "](", "@team", "://", "**e", "www.f", "#12"] {
            assert!(!escaped.contains(wrong), "{wrong:?} in {escaped}");
        }
    }

    #[test]
    fn what_github_acts_on_is_taken_apart() {
        for (text, wrong) in [
            ("well :tada:", ":tada:"),
            (":+1:", ":+1:"),
            ("see gh-12", "gh-12"),
            ("CVE-2026-1234", "CVE-2026"),
            ("GHSA-abcd-efgh-ijkl", "GHSA-abcd"),
            ("WWW.evil.example", "WWW.evil"),
            ("www", "www\n"),
            ("well :tada", ":tada\n"),
            ("x #", "#\n"),
            ("\u{202e}dlrow", "\u{202e}"),
            ("\u{2067}x", "\u{2067}"),
            ("a\u{200b}\u{e0041}b", "\u{e0041}"),
        ] {
            // The end of the line stands for words of ours.
            let escaped = markdown(text) + "\n";
            assert!(!escaped.contains(wrong), "{wrong:?} in {escaped}");
        }
        assert_eq!(markdown("at 6bf3a0c2d1: 12:30"), "at `6bf3a0c2d1`: 12:30");
        assert_eq!(markdown("decade, deadbeef1x, 1234567"), "decade, deadbeef1x, `1234567`");
        assert_eq!(markdown("x\u{301}\u{302}\u{303}\u{304}y"), "x\u{301}\u{302}y");
    }

    #[test]
    fn only_a_command_of_ours_is_code() {
        let told =
            "see `shakedown host check`, `shakedown <b>`, `x` and `shakedown compare --resume`";
        assert_eq!(
            markdown(told),
            "see `shakedown host check`, \\`shakedown &lt;b&gt;\\`, \\`x\\` and `shakedown compare --resume`"
        );
    }

    #[test]
    fn a_line_begins_nothing() {
        for (text, wanted) in [
            ("- x", "\\- x"),
            ("  + x", "\\+ x"),
            ("===", "\\==="),
            ("12. x", "12\\. x"),
            ("1) x", "1\\) x"),
            ("---", "\\---"),
            ("7.", "7\\."),
            ("1234567. x", "`1234567`. x"),
            ("0.23.46", "0.23.46"),
            ("-0.3 %", "-0.3 %"),
        ] {
            assert_eq!(markdown(text), wanted);
        }
    }
}
