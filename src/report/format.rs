//! Numbers and names as people read them.

/// Four significant digits, thousands apart: `12,350`, `4.912`, `0.0312`.
pub fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let magnitude = |value: f64| value.abs().log10().floor() as i32;
    let scale = 10_f64.powi(3 - magnitude(value));
    let rounded = (value * scale).round() / scale;
    // Rounding up may add a digit in front.
    let decimals = (3 - magnitude(rounded)).clamp(0, 6) as usize;
    let text = format!("{rounded:.decimals$}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let whole = thousands(whole);
    if fraction.is_empty() { whole } else { format!("{whole}.{fraction}") }
}

fn thousands(digits: &str) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |rest| ("-", rest));
    let mut out = String::from(sign);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A factor: `1.23×`.
pub fn factor(value: f64) -> String {
    if value >= 10.0 { format!("{value:.1}×") } else { format!("{value:.2}×") }
}

/// An interval: `4,880–4,950`.
pub fn interval(low: f64, high: f64, show: impl Fn(f64) -> String) -> String {
    format!("{}–{}", show(low), show(high))
}

/// A text from a record, made safe for a terminal: what would move the cursor or change
/// colours is shown as it is written.
pub fn plain(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            let escaped: Box<dyn Iterator<Item = char>> = if c.is_control() {
                Box::new(c.escape_default())
            } else {
                Box::new(std::iter::once(c))
            };
            escaped
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        for (value, text) in [
            (12_345.6, "12,350"),
            (1_234_567.0, "1,235,000"),
            (4_912.4, "4,912"),
            (491.24, "491.2"),
            (4.9124, "4.912"),
            (0.031_24, "0.03124"),
            (999.96, "1,000"),
            (0.0, "0"),
            (-12_345.0, "-12,350"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn escapes_of_a_terminal_are_shown_not_obeyed() {
        assert_eq!(plain("a\u{1b}[2Jb\r\n"), "a\\u{1b}[2Jb\\r\\n");
        assert_eq!(plain("µs – ×"), "µs – ×");
    }
}
