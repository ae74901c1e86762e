//! What there is room for on a terminal, and whether it may be coloured.

use anstyle::{AnsiColor, Style};
use comfy_table::{ContentArrangement, Table, presets};
use std::io::IsTerminal;

/// Narrower than this, a table's columns are single letters; programs that pretend to be a
/// terminal often say that they have no width at all.
const NARROWEST: usize = 40;

/// Longer lines of words are hard to read, however wide the terminal is.
const WORDS: usize = 100;

/// Where a text is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Screen {
    /// Columns; `None` where lines may be as long as they must be, as in a file.
    width: Option<usize>,
    styled: bool,
}

impl Screen {
    /// A screen of this width, with colour and bold or without either.
    pub const fn new(width: Option<usize>, styled: bool) -> Self {
        Self { width, styled }
    }

    /// Standard output. `NO_COLOR` and terminals that can't do it turn every style off.
    pub fn stdout() -> Self {
        let terminal = std::io::stdout().is_terminal();
        let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let dumb = set("TERM").is_some_and(|term| term == "dumb");
        Self { width: width(), styled: terminal && !dumb && set("NO_COLOR").is_none() }
    }

    /// Whether lines of this length fit.
    pub(super) fn fits(self, columns: usize) -> bool {
        self.width.is_none_or(|width| columns <= width)
    }

    /// A heading.
    pub(super) fn bold(self, text: &str) -> String {
        self.style(text, Style::new().bold())
    }

    /// What is better.
    pub(super) fn good(self, text: &str) -> String {
        self.style(text, AnsiColor::Green.on_default())
    }

    /// What is worse.
    pub(super) fn bad(self, text: &str) -> String {
        self.style(text, AnsiColor::Red.on_default())
    }

    fn style(self, text: &str, style: Style) -> String {
        if self.styled && !text.is_empty() {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }

    /// Words in lines, those after the first indented by this much. A word is never broken, so that
    /// names can be copied.
    pub(super) fn words(self, text: &str, indent: usize) -> String {
        let Some(width) = self.width else { return format!("{text}\n") };
        let indent = " ".repeat(indent);
        let options = textwrap::Options::new(width.min(WORDS))
            .subsequent_indent(&indent)
            .break_words(false)
            .word_separator(textwrap::WordSeparator::AsciiSpace)
            .word_splitter(textwrap::WordSplitter::NoHyphenation);
        // A number stays with its unit.
        let firm = text.replace(" %", "\u{a0}%");
        textwrap::fill(&firm, options).replace('\u{a0}', " ") + "\n"
    }

    /// A command that can be copied: lines that go on end in a backslash. A quoted word with spaces
    /// may be broken nowhere, so that such a command stays on one line.
    pub(super) fn command(self, command: &str) -> String {
        let indent = "  ";
        let one_line = format!("{indent}{command}\n");
        let Some(width) = self.width.filter(|_| !command.contains('\'')) else { return one_line };
        if columns(&one_line) <= width {
            return one_line;
        }
        let mut lines = vec![indent.to_owned()];
        for word in command.split(' ') {
            let last = lines.len() - 1;
            let room = columns(&lines[last]) + columns(word) + 3 <= width;
            if !room && last_has_words(&lines[last]) {
                lines.push(format!("{indent}{indent}"));
            }
            let line = lines.last_mut().expect("there is a first line");
            if last_has_words(line) {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.join(" \\\n") + "\n"
    }
}

fn last_has_words(line: &str) -> bool {
    !line.trim().is_empty()
}

/// A text filled up with spaces on the right, or on the left.
pub(super) fn pad(text: &str, width: usize, right: bool) -> String {
    let fill = " ".repeat(width.saturating_sub(columns(text)));
    if right { fill + text } else { text.to_owned() + &fill }
}

/// A value with its interval, where it has one.
pub(super) fn bracketed(value: &str, interval: &str) -> String {
    if interval.is_empty() { value.to_owned() } else { format!("{value} [{interval}]") }
}

/// Columns that a text takes.
pub(super) fn columns(text: &str) -> usize {
    textwrap::core::display_width(text)
}

/// Width of standard output, if it is a terminal that has one.
fn width() -> Option<usize> {
    let width = Table::new().width().map(usize::from).filter(|width| *width >= NARROWEST)?;
    std::io::stdout().is_terminal().then_some(width)
}

/// A table without lines that fits the terminal. Elsewhere its rows are as long as they must be,
/// and have no colour.
pub fn grid() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    if width().is_some() {
        table.set_content_arrangement(ContentArrangement::Dynamic);
    } else {
        table.force_no_tty();
        table.set_content_arrangement(ContentArrangement::Disabled);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_wrapped_and_never_broken() {
        let narrow = Screen::new(Some(20), false);
        assert_eq!(
            narrow.words("why: handshake-full/tls1.3/aes256-gcm is slower", 2),
            "why:\n  handshake-full/tls1.3/aes256-gcm\n  is slower\n"
        );
        assert_eq!(Screen::new(None, false).words("a b c", 2), "a b c\n");
        assert_eq!(narrow.words("what is found: about 5 %", 2), "what is found: about\n  5 %\n");
    }

    #[test]
    fn a_command_goes_on_after_a_backslash_and_can_be_copied() {
        let narrow = Screen::new(Some(20), false);
        let told = narrow.command("shakedown compare --seed 7 rustls@path:/a/very/long/folder b");
        assert_eq!(
            told,
            "  shakedown \\\n    compare --seed \\\n    7 \\\n    rustls@path:/a/very/long/folder \\\n    b\n"
        );
        let whole = "shakedown compare 'rustls@path:/with a space' rustls@1";
        assert_eq!(narrow.command(whole), format!("  {whole}\n"));
    }

    #[test]
    fn without_colour_there_is_no_bold_either() {
        assert_eq!(Screen::new(Some(80), false).bold("x"), "x");
        assert_eq!(Screen::new(Some(80), true).bold("x"), "\u{1b}[1mx\u{1b}[0m");
    }
}
