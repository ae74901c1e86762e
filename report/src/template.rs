//! The report as Markdown and as HTML. Everything in a record is hostile until it is escaped:
//! HTML by the engine, by the file's name; Markdown by the filter `md`.

use crate::{
    Report,
    format::capital,
    markdown::{command, markdown},
};
use anyhow::{Context, Result};
use minijinja::{
    Environment, HtmlEscape,
    syntax::SyntaxConfig,
    value::{Serde, Value},
};
use std::fmt::Write;

/// A format made from a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageFormat {
    /// GitHub-flavoured Markdown.
    Markdown,
    /// One page without any other file.
    Html,
}

/// The templates of everything that shows a verdict, which share how a finding is laid out.
///
/// # Errors
/// If a template has a mistake, which is a defect of ours.
pub(crate) fn environment() -> Result<Environment<'static>> {
    let mut environment = Environment::new();
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
    environment.set_syntax(syntax.context("the syntax of templates")?);
    environment.add_filter("md", |text: String| markdown(&text));
    environment.add_filter("capital", |text: String| capital(&text));
    // A number is not parted from its unit at the end of a line, nor a bar from its end.
    environment.add_filter("firm", |text: String| text.replace(' ', "\u{a0}"));
    environment.add_filter("breaks", |text: String| {
        // A name may go on in the next line before each of its variants.
        let text = HtmlEscape(&text).to_string();
        Value::from_safe_string(text.replace('+', "<wbr>+"))
    });
    environment.add_filter("commands", |text: String| Value::from_safe_string(commands(&text)));
    for (name, source) in [
        ("rows.md", include_str!("templates/rows.md.j2")),
        ("comment.md", include_str!("templates/comment.md.j2")),
        ("report.md", include_str!("templates/report.md.j2")),
        ("rows.html", include_str!("templates/rows.html.j2")),
        ("style.css.html", include_str!("templates/style.css")),
        ("report.html", include_str!("templates/report.html.j2")),
    ] {
        environment.add_template(name, source)?;
    }
    Ok(environment)
}

/// HTML of a text, with the commands that it names as code.
fn commands(text: &str) -> String {
    let (mut out, mut from) = (String::new(), 0);
    for (at, _) in text.match_indices('`') {
        let Some(command) = text.get(at..).filter(|_| at >= from).and_then(command) else {
            continue;
        };
        let name = command.trim_matches('`');
        let _ = write!(out, "{}<code>{name}</code>", HtmlEscape(&text[from..at]));
        from = at + command.len();
    }
    out + &HtmlEscape(&text[from..]).to_string()
}

impl Report {
    /// Lays the report out.
    ///
    /// # Errors
    /// If a template has a mistake, which is a defect of ours.
    pub fn render(&self, format: PageFormat) -> Result<String> {
        let name = match format {
            PageFormat::Markdown => "report.md",
            PageFormat::Html => "report.html",
        };
        let text = environment()?.get_template(name)?.render(Serde(self));
        let text = text.with_context(|| format!("the template {name} does not fit its data"))?;
        // A report may be printed: what is left of a name must not speak to the terminal.
        let order = |c: char| c.is_control() && !"\n\t".contains(c);
        Ok(if text.contains(order) { text.replace(order, "\u{fffd}") } else { text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_code_and_nothing_else_is() {
        let told = "<b> `x` and `shakedown host check`, not `shakedown <b>`";
        assert_eq!(
            commands(told),
            "&lt;b&gt; `x` and <code>shakedown host check</code>, not `shakedown &lt;b&gt;`"
        );
    }
}
