//! Texts of records in scripts and in files of pictures, where they mean nothing.

use std::fmt::Write as _;

/// A text as gnuplot's string. Whatever could mean something to gnuplot is written as the
/// number of its character; what would end the line becomes a space. (Single quotes would be
/// simpler, but gnuplot 5.4 stumbles over a doubled one at the beginning.)
pub(super) fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    // gnuplot reads as many digits as there are: a digit behind a number is written as one too.
    let mut after_number = false;
    for c in text.chars() {
        let number = matches!(c, '"' | '\\' | '`') || (after_number && c.is_ascii_digit());
        match c {
            c if number => {
                let _ = write!(out, "\\{:03o}", u32::from(c));
            }
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
        after_number = number;
    }
    out + "\""
}

pub(super) fn xml(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
