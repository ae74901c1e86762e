//! Comments and issues as GitHub reads them, for tests.

use comrak::{Arena, Options, nodes::NodeValue, parse_document};

/// A comment or an issue as GitHub's rules read it.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct ReadComment {
    /// Everything that is no text, in order, with what it holds: addresses, HTML.
    pub(crate) nodes: Vec<String>,
    /// Texts, each up to the next node, without code.
    pub(crate) texts: Vec<String>,
}

/// Parses a comment as GitHub does.
pub(crate) fn read(comment: &str) -> ReadComment {
    let mut options = Options::default();
    let extension = &mut options.extension;
    extension.strikethrough = true;
    extension.table = true;
    extension.autolink = true;
    extension.tasklist = true;
    extension.footnotes = true;
    extension.alerts = true;
    extension.math_dollars = true;
    extension.math_code = true;
    let arena = Arena::new();
    let root = parse_document(&arena, comment, &options);
    let (mut found, mut words) = (ReadComment::default(), String::new());
    for node in root.descendants() {
        let value = &node.data.borrow().value;
        match value {
            NodeValue::Text(text) => words.push_str(text),
            NodeValue::SoftBreak => words.push(' '),
            // The id of a commit, so that it is no link.
            NodeValue::Code(code) if code.literal.bytes().all(|b| b.is_ascii_hexdigit()) => {
                words.push(' ');
            }
            other => {
                found.texts.push(std::mem::take(&mut words));
                found.nodes.push(match other {
                    NodeValue::Link(link) => format!("link {}", link.url),
                    NodeValue::Image(link) => format!("image {}", link.url),
                    NodeValue::HtmlBlock(html) => format!("html {}", html.literal),
                    NodeValue::HtmlInline(html) => format!("html {html}"),
                    // What the reader copies: it holds no text of a record but a quoted one.
                    NodeValue::CodeBlock(_) => "code block".to_owned(),
                    other => format!("{:?}", std::mem::discriminant(other)),
                });
            }
        }
    }
    found.texts.push(words);
    found
}

/// What GitHub acts on in a text, after Markdown.
pub(crate) fn acted_on(text: &str) -> Option<String> {
    let all: Vec<char> = text.chars().collect();
    let word = |at: usize| all.get(at).is_some_and(|c| c.is_alphanumeric() || *c == '_');
    let digit = |at: usize| all.get(at).is_some_and(char::is_ascii_digit);
    let told = |at: usize, what: &str| {
        let from = at.saturating_sub(10);
        Some(format!("{what}: {}", all[from..all.len().min(at + 30)].iter().collect::<String>()))
    };
    for at in 0..all.len() {
        let starts = |name: &str| {
            let here: String = all[at..].iter().take(name.len()).collect();
            here.eq_ignore_ascii_case(name) && (at == 0 || !word(at - 1))
        };
        let name =
            all[at + 1..].iter().take_while(|c| c.is_ascii_alphanumeric() || "_+-".contains(**c));
        let name = name.count();
        let hex = all[at..].iter().take_while(|c| c.is_ascii_hexdigit()).count();
        let what = match all[at] {
            '@' if word(at + 1) => "mention",
            '#' if digit(at + 1) => "reference",
            ':' if name > 0 && all.get(at + 1 + name) == Some(&':') => "emoji",
            ':' if starts("://") || all[at..].starts_with(&[':', '/', '/']) => "address",
            c if crate::markdown::turns(c) => "direction",
            c if c.is_control() => "control",
            _ if starts("gh-") && digit(at + 3) => "reference",
            _ if starts("cve-") && digit(at + 4) => "advisory",
            _ if starts("ghsa-") && word(at + 5) => "advisory",
            _ if starts("www.") => "address",
            _ if (7..=40).contains(&hex) && !word(at + hex) && (at == 0 || !word(at - 1)) => {
                "commit"
            }
            _ => continue,
        };
        return told(at, what);
    }
    None
}
