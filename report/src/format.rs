//! Numbers and names as people read them.

use shakedown_gate::policy::Share;

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

/// A text with a capital at its start, for a heading.
pub(crate) fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

/// A factor: `1.23×`.
pub fn factor(value: f64) -> String {
    if value >= 10.0 { format!("{value:.1}×") } else { format!("{value:.2}×") }
}

/// A factor without its sign, for the ends of an interval: `1.23`.
pub fn factor_end(value: f64) -> String {
    factor(value).trim_end_matches('×').to_owned()
}

/// A share, with up to two decimals: `0.2 %`, `3.12 %`.
pub fn percent(share: f64) -> String {
    Share(share).to_string()
}

/// A share with this many decimals, for columns and for shares near zero: `0.0012 %`.
pub fn decimal_percent(share: f64, decimals: usize) -> String {
    format!("{:.decimals$} %", share * 100.0)
}

/// A change, as a share, with its sign and as many digits as its size deserves: `-3.1 %`.
pub fn signed_percent(share: f64) -> String {
    let percent = share * 100.0;
    match percent.abs() {
        p if p >= 10.0 => format!("{percent:+.0} %"),
        p if p >= 0.1 => format!("{percent:+.1} %"),
        p if p >= 0.005 => format!("{percent:+.2} %"),
        _ => "0 %".to_owned(),
    }
}

/// Most decimals of a percentage: below that, a change and an end of its interval are the same.
const MOST_DECIMALS: usize = 3;

/// Less than this is nothing, with two decimals.
const NOTHING: f64 = 0.000_05;

/// A change and the ends of its interval, in percent: `-5.4 %` and `-6.4 to -4.5`. All have the
/// same decimals, and as many that a change inside its interval does not look like an end of it.
pub(crate) fn change_and_interval(change: f64, ends: Option<(f64, f64)>) -> (String, String) {
    let Some((low, high)) = ends else { return (signed_percent(change), String::new()) };
    if change == 0.0 && low == 0.0 && high == 0.0 {
        return ("0 %".to_owned(), "0 to 0".to_owned());
    }
    let largest = change.abs().max(low.abs()).max(high.abs());
    let same = |end: f64, decimals: usize| {
        fixed_percent(change, decimals) == fixed_percent(end, decimals)
            && (change - end).abs() > 1e-7
    };
    let alike =
        |decimals: &usize| largest >= NOTHING && (same(low, *decimals) || same(high, *decimals));
    let least = match change.abs() {
        size if size >= 0.1 => 0,
        size if size < 0.01 && high - low < 0.002 || largest < 0.001 => 2,
        _ => 1,
    };
    let decimals = (least..MOST_DECIMALS).find(|few| !alike(few)).unwrap_or(MOST_DECIMALS);
    let show = |share| fixed_percent(share, decimals);
    (format!("{} %", show(change)), interval(low, high, show))
}

/// A change in percent with so many decimals and its sign; what rounds to nothing has none.
fn fixed_percent(share: f64, decimals: usize) -> String {
    let text = format!("{:+.decimals$}", share * 100.0);
    let nothing = text.chars().all(|c| "+-0.".contains(c));
    if nothing { text[1..].to_owned() } else { text }
}

/// A change with its interval, both as shares: `-5.4 % [-6.4 to -4.5]`.
pub fn change_with_interval([change, low, high]: [f64; 3]) -> String {
    let (change, ends) = change_and_interval(change, Some((low, high)));
    format!("{change} [{ends}]")
}

/// A number with its interval: `4,912 [4,880 to 4,950]`.
pub fn with_interval([value, low, high]: [f64; 3]) -> String {
    format!("{} [{}]", number(value), interval(low, high, number))
}

/// A count, with all of its whole digits, and enough others that a reader who divides two of them
/// gets their change: `1,130,348`, `151.425`, `4`.
pub(crate) fn count(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    in_full(value, count_decimals(value))
}

const fn count_decimals(value: f64) -> usize {
    if value.abs() < 1000.0 { 3 } else { 0 }
}

fn in_full(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let fraction = fraction.trim_end_matches('0');
    let whole = thousands(whole);
    if fraction.is_empty() { whole } else { format!("{whole}.{fraction}") }
}

/// How far a count has moved: `+32,501`, which is the difference of both as [`count`] shows them.
/// Empty where it has not.
pub(crate) fn moved(base: f64, head: f64) -> String {
    let shown = |value: f64| {
        let decimals = count_decimals(value);
        format!("{value:.decimals$}").parse().unwrap_or(value)
    };
    let difference = shown(head) - shown(base);
    if difference.abs() < 0.000_5 || !difference.is_finite() {
        return String::new();
    }
    let sign = if difference > 0.0 { "+" } else { "-" };
    let decimals = count_decimals(base).max(count_decimals(head));
    format!("{sign}{}", in_full(difference.abs(), decimals))
}

/// A factor as a change: 0.987 is `-1.3 %`.
pub fn percent_change(factor: f64) -> String {
    signed_percent(factor - 1.0)
}

/// The ends of an interval: `4,880 to 4,950`. A comma would be lost among those of thousands, and a
/// dash is a sign.
pub fn interval(low: f64, high: f64, show: impl Fn(f64) -> String) -> String {
    format!("{} to {}", show(low), show(high))
}

/// What a number is of: `handshakes/s` says it all, `B/op` does not.
pub fn measured(metric: &str, unit: &str) -> String {
    if unit.starts_with(metric) { unit.to_owned() } else { format!("{metric}, {unit}") }
}

/// A text from a record, made safe for a terminal: what would move the cursor, change colours or
/// turn the direction of the text is shown as it is written.
pub fn plain(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            let escaped: Box<dyn Iterator<Item = char>> =
                if c.is_control() || crate::markdown::turns(c) {
                    Box::new(c.escape_default())
                } else {
                    Box::new(std::iter::once(c))
                };
            escaped
        })
        .collect()
}

/// [`plain`] for a text of several lines, such as an error with the end of a log.
pub fn plain_lines(text: &str) -> String {
    let lines: Vec<String> = text
        .split('\n')
        .map(|line| line.split('\t').map(plain).collect::<Vec<_>>().join("\t"))
        .collect();
    lines.join("\n")
}

/// A word for a shell, in a block of code: nothing in it ends either.
pub fn word(text: &str) -> String {
    let text = plain(text).replace('`', "");
    let safe = |c: char| c.is_ascii_alphanumeric() || "@.:/+-_#=,%".contains(c);
    if !text.is_empty() && !text.starts_with('#') && text.chars().all(safe) {
        text
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// The first characters of a text.
pub fn start(text: &str, characters: usize) -> String {
    if text.chars().count() <= characters {
        return text.to_owned();
    }
    text.chars().take(characters - 1).chain(['…']).collect()
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
    fn the_ends_of_a_small_and_exact_change_differ_and_its_values_give_it() {
        let shown = |change, low, high| change_and_interval(change, Some((low, high)));
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(shown(0.0044, 0.0043, 0.0045), pair("+0.44 %", "+0.43 to +0.45"));
        assert_eq!(shown(0.0044, -0.0043, 0.0147), pair("+0.4 %", "-0.4 to +1.5"));
        assert_eq!(shown(0.0, 0.0, 0.0), pair("0 %", "0 to 0"));
        assert_eq!(shown(0.029, 0.0284, 0.0291), pair("+2.90 %", "+2.84 to +2.91"));
        assert_eq!(shown(0.0003, -0.001, 0.003), pair("0.0 %", "-0.1 to +0.3"));
        assert_eq!(shown(0.029, 0.0284, 0.029), pair("+2.9 %", "+2.8 to +2.9"));
        assert_eq!(shown(-1e-6, -0.0002, 0.0002), pair("0.00 %", "-0.02 to +0.02"));
        assert_eq!(shown(8e-6, 6e-6, 1e-5), pair("0.00 %", "0.00 to 0.00"));
        assert_eq!(change_and_interval(-0.054, None), pair("-5.4 %", ""));
        assert_eq!(change_with_interval([-0.054, -0.064, -0.045]), "-5.4 % [-6.4 to -4.5]");
        assert_eq!(with_interval([4912.0, 4880.0, 4950.0]), "4,912 [4,880 to 4,950]");
        let counts = [1_130_347.525, 151.425, 4.0, 0.0, 999.999_9].map(count);
        assert_eq!(counts, ["1,130,348", "151.425", "4", "0", "1,000"]);
        let differences = [
            (1_130_347.525, 1_162_848.9),
            (7_456_110.2, 7_488_614.5),
            (26_941.8, 26_942.1),
            (151.425, 151.475),
            (999.5, 1_200.0),
            (3.0, 2.0),
        ];
        let differences = differences.map(|(base, head)| moved(base, head));
        assert_eq!(differences, ["+32,501", "+32,504", "", "+0.05", "+200.5", "-1"]);
    }

    #[test]
    fn a_change_has_the_digits_that_it_deserves() {
        let shown = [0.1234, -0.0312, 0.0004, 0.00001, 0.0].map(signed_percent);
        assert_eq!(shown, ["+12 %", "-3.1 %", "+0.04 %", "0 %", "0 %"]);
        assert_eq!(percent_change(0.987), "-1.3 %");
        assert_eq!(decimal_percent(0.000_012, 4), "0.0012 %");
        assert_eq!([0.01, 0.002, 0.0, 0.105].map(percent), ["1 %", "0.2 %", "0 %", "10.5 %"]);
    }

    #[test]
    fn escapes_of_a_terminal_are_shown_not_obeyed() {
        assert_eq!(plain("a\u{1b}[2Jb\r\n"), "a\\u{1b}[2Jb\\r\\n");
        assert_eq!(plain("µs – ×"), "µs – ×");
        assert_eq!(plain("a\u{202e}b"), "a\\u{202e}b");
        assert_eq!(plain_lines("a\n\tb\u{1b}[2J\r\n"), "a\n\tb\\u{1b}[2J\\r\n");
    }

    #[test]
    fn no_word_ends_its_quotes_or_its_block() {
        for (text, expected) in [
            ("rustls@git:HEAD+ring", "rustls@git:HEAD+ring"),
            ("a b", "'a b'"),
            ("it's; rm -r .", "'it'\\''s; rm -r .'"),
            ("```\n$(id)", "'\\n$(id)'"),
            ("", "''"),
        ] {
            assert_eq!(word(text), expected);
        }
    }
}
