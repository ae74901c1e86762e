//! Texts that fit into a comment.

use super::context::CommentContext;
pub(super) use crate::format::start;

/// Lines of a list, and characters of such a line.
const LINES: usize = 20;
pub(super) const LINE: usize = 240;
const NOTE: usize = 600;

/// Notes hold what an in-tree benchmark is, and the first error of a compiler.
pub(super) fn notes(all: &[String]) -> Vec<String> {
    all.iter().take(LINES).map(|note| start(note, NOTE)).collect()
}

/// The first lines of a list.
pub(super) fn lines(all: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = all.iter().take(LINES).map(|line| start(line, LINE)).collect();
    if all.len() > LINES {
        lines.push(format!("and {} more", all.len() - LINES));
    }
    lines
}

/// What is left when even the shortest form is too long: cut between lines, and said.
pub(super) fn end_at(mut text: String, limit: usize, context: &CommentContext) -> String {
    let link = context.link.as_ref().map_or_else(String::new, |link| format!(": <{link}>"));
    let note = format!("\n\nThis was cut; the whole is in the report{link}\n");
    let mut end = limit - note.len();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let end = text[..end].rfind('\n').unwrap_or(end);
    text.truncate(end);
    // Whatever is folded must not swallow the note.
    let open = text.matches("<details>").count() - text.matches("</details>").count();
    text.push_str(&"\n\n</details>".repeat(open));
    text + &note
}
