//! The report as Markdown and as HTML. Everything in a record is hostile until it is escaped:
//! HTML by the engine, by the file's name; Markdown by the filter `md`.

use crate::{Report, markdown::markdown};
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
