//! The report as Markdown and as HTML. Everything in a record is hostile until it is escaped:
//! HTML by the engine, by the file's name; Markdown by the filter `md`.

use crate::Report;
use anyhow::{Context, Result};
use minijinja::{Environment, syntax::SyntaxConfig, value::Serde};

/// A format made from a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageFormat {
    /// GitHub-flavoured Markdown.
    Markdown,
    /// One page without any other file.
    Html,
}

impl Report {
    /// Lays the report out.
    ///
    /// # Errors
    /// If a template has a mistake, which is a defect of ours.
    pub fn render(&self, format: PageFormat) -> Result<String> {
        let mut environment = Environment::new();
        environment.set_syntax(
            SyntaxConfig::builder()
                .trim_blocks(true)
                .lstrip_blocks(true)
                .build()
                .context("the syntax of templates")?,
        );
        environment.add_filter("md", |text: String| markdown(&text));
        environment.add_template("report.md", include_str!("report.md.j2"))?;
        environment.add_template("report.html", include_str!("report.html.j2"))?;
        let name = match format {
            PageFormat::Markdown => "report.md",
            PageFormat::Html => "report.html",
        };
        let text = environment.get_template(name)?.render(Serde(self));
        let text = text.with_context(|| format!("the template {name} does not fit its data"))?;
        // A report may be printed: what is left of a name must not speak to the terminal.
        let order = |c: char| c.is_control() && !"\n\t".contains(c);
        Ok(if text.contains(order) { text.replace(order, "\u{fffd}") } else { text })
    }
}

/// Escapes what Markdown would take for markup, a table's end, a link, a mention or HTML.
pub fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => out.push(' '),
            c if c.is_control() => {}
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // A mention notifies people; a zero-width character takes its meaning away.
            '@' => out.push_str("@\u{200b}"),
            '\\' | '`' | '*' | '[' | ']' | '(' | ')' | '#' | '|' | '!' | '~' | '$' => {
                out.push('\\');
                out.push(c);
            }
            '_' => out.push_str("\\_"),
            c => out.push(c),
        }
    }
    // Bare addresses become links, and `#1` becomes a reference that is noted at its target.
    let out = out.replace("://", ":\u{200b}//").replace("www.", "www\u{200b}.");
    let mut told = String::with_capacity(out.len());
    let mut characters = out.chars().peekable();
    while let Some(c) = characters.next() {
        told.push(c);
        if c == '#' && characters.peek().is_some_and(char::is_ascii_digit) {
            told.push('\u{200b}');
        }
    }
    told
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
}
