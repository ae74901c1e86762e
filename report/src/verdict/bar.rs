//! A change, its interval and its margin as a bar, in pictures and in characters.

use crate::{format::percent, words};
use serde::Serialize;
use shakedown_gate::{Comparison, Verdict};
use shakedown_protocol::Better;

/// Where the margin lies, from the middle, when the bar runs from 0 to 100.
const MARGIN: f64 = 100.0 / 6.0;

/// Doublings of the margin between it and an end of the bar.
const DOUBLINGS: f64 = 5.0;

/// Scale of a bar without any margin: multiples of nothing have no length.
const LEAST: f64 = 1e-4;

/// Characters of the bar in text; odd, so that "no change" has one of its own.
const CHARACTERS: usize = 25;

/// A change on a scale in multiples of the margin that decides it, so that bars of all metrics can
/// be compared: even up to the margin, and beyond it one step for each doubling. Worse is on the
/// left, whatever the metric.
///
/// The non-inferiority margin decided what is unchanged, the margin everything else.
#[derive(Debug, Clone, Serialize)]
pub struct ChangeBar {
    /// Left end of the interval, in percent of the bar.
    pub low: f64,
    /// The change.
    pub middle: f64,
    /// Right end of the interval.
    pub high: f64,
    /// The margin on both sides; a margin of nothing is one line in the middle.
    pub margin: [f64; 2],
    /// That margin in words: what is tolerated, or ruled out.
    pub label: String,
    /// What was decided: `worse`, `better`, `unchanged` or `inconclusive`.
    pub decided: &'static str,
    /// The same in characters: `──●──` is the interval, `│` the margin, `·` no change.
    pub text: String,
}

impl ChangeBar {
    /// The bar of a comparison; `None` where there is no number.
    pub fn of(found: &Comparison) -> Option<Self> {
        let change = found.change?;
        let settings = &found.settings;
        let unchanged = settings.non_inferiority_margin;
        let (limit, margin) = match found.verdict {
            Verdict::Pass => (words::UNCHANGED, unchanged),
            _ => (words::TOLERATED, settings.margin),
        };
        let scale = if margin > 0.0 { margin } else { unchanged.max(LEAST) };
        // A rate that falls is worse; so is a count that grows.
        let sign = if found.better == Better::Higher { 1.0 } else { -1.0 };
        let steps = |share: f64| sign * share / scale;
        let ends = [found.low.unwrap_or(change), found.high.unwrap_or(change)].map(steps);
        let decided = match found.verdict {
            Verdict::Pass => "unchanged",
            Verdict::Inconclusive => "inconclusive",
            _ if steps(change) < 0.0 => "worse",
            _ => "better",
        };
        let places = [ends[0].min(ends[1]), steps(change), ends[0].max(ends[1])].map(place);
        let margins = [-margin, margin].map(|share| place(share / scale));
        let [low, middle, high] = places;
        Some(Self {
            low,
            middle,
            high,
            margin: margins,
            label: format!("{limit} {}", percent(margin)),
            decided,
            text: characters(places, margins),
        })
    }
}

/// The place of a change of so many margins on a bar from 0 to 100.
fn place(margins: f64) -> f64 {
    let size = margins.abs();
    let from_middle = if size <= 1.0 {
        size * MARGIN
    } else {
        MARGIN + (50.0 - MARGIN) * (size.log2() / DOUBLINGS).min(1.0)
    };
    // Tenths are more than a screen shows.
    ((50.0 + from_middle.copysign(margins)) * 10.0).round() / 10.0
}

fn characters(places: [f64; 3], margins: [f64; 2]) -> String {
    let column = |place: f64| (place / 100.0 * (CHARACTERS - 1) as f64).round() as usize;
    let [low, middle, high] = places.map(column);
    let margins = margins.map(column);
    (0..CHARACTERS)
        .map(|at| match at {
            _ if at == middle => '●',
            _ if margins.contains(&at) && (low..=high).contains(&at) => '┼',
            _ if margins.contains(&at) => '│',
            _ if (low..=high).contains(&at) => '─',
            _ if at == CHARACTERS / 2 => '·',
            _ => ' ',
        })
        .collect()
}

/// What stands above the bars in text, as wide as they are.
pub const HEADING: &str = "← worse     ·    better →";

/// What a reader must know before the first bar: the marks that occur in any of them, and no other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BarLegend {
    /// Of bars in characters, which are quoted as code.
    pub text: String,
    /// Of drawn ones.
    pub drawn: String,
}

impl BarLegend {
    /// For these bars; `None` without any.
    pub(crate) fn of<'a>(bars: impl IntoIterator<Item = &'a ChangeBar>) -> Option<Self> {
        let bars: Vec<&ChangeBar> = bars.into_iter().collect();
        let any = |has: fn(&ChangeBar) -> bool| bars.iter().any(|bar| has(bar));
        let line = any(|bar| bar.text.contains(['─', '┼']));
        let zero = any(|bar| bar.text.contains('·'));
        let two = any(|bar| bar.margin[0] < bar.margin[1]);
        let one = any(|bar| bar.margin[0] == bar.margin[1]);
        let told = |marks: [(bool, &str); 5], worse: &str| {
            let marks = marks.into_iter().filter(|(occurs, _)| *occurs).map(|(_, text)| text);
            let marks: Vec<&str> = marks.collect();
            format!(
                "Bars: {}. {worse}, for every metric. Beyond the limit the scale is logarithmic.",
                marks.join("; ")
            )
        };
        let text = [
            (true, "`●` is the change"),
            (line, "`──` its interval, where that is wider than the mark"),
            (zero, "`·` is 0 %"),
            (two, "the two `│` are the limit that each bar names"),
            (one, "a single `│` is a limit of 0 %"),
        ];
        let drawn = [
            (true, "the dot is the change"),
            (line, "the thick line its interval, where that is wider than the dot"),
            (true, "the dashed line is 0 %"),
            (two, "the shaded band ends at the limit that each bar names"),
            (one, "a bar without a band has a limit of 0 %"),
        ];
        let sides = if two {
            "Left of the left `│` is worse, right of the right `│` is better"
        } else {
            "Left of the `│` is worse, right of it better"
        };
        (!bars.is_empty()).then(|| Self {
            text: told(text, sides),
            drawn: told(drawn, "Left of the band is worse, right of it better"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use shakedown_protocol::fixture::comparison::comparison;

    const FULL: &str = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";

    fn found() -> Comparison {
        let record = comparison(&[(FULL, [1.0, 1.0])]);
        let policy = shakedown_gate::Policy::shipped().unwrap();
        shakedown_gate::judge(&record, &policy).unwrap().comparisons.remove(0)
    }

    fn bar(better: Better, ends: [f64; 3], margin: f64) -> ChangeBar {
        decided(Verdict::Regressed, better, ends, margin)
    }

    fn decided(
        verdict: Verdict,
        better: Better,
        [low, change, high]: [f64; 3],
        margin: f64,
    ) -> ChangeBar {
        let (low, high) = (Some(low), Some(high));
        let mut found = Comparison { verdict, better, low, high, change: Some(change), ..found() };
        (found.settings.margin, found.settings.non_inferiority_margin) = (margin, 0.03);
        ChangeBar::of(&found).unwrap()
    }

    #[test]
    fn what_is_unchanged_lies_within_the_margin_that_is_drawn_and_is_not_called_unclear() {
        let ends = [-0.02, -0.004, 0.012];
        let unchanged = decided(Verdict::Pass, Better::Higher, ends, 0.01);
        assert_eq!(unchanged.text, "        │──●─── │        ");
        assert_eq!(
            (unchanged.label.as_str(), unchanged.decided),
            ("unchanged below 3 %", "unchanged")
        );
        let open = decided(Verdict::Inconclusive, Better::Higher, ends, 0.01);
        assert_eq!((open.label.as_str(), open.decided), ("tolerated up to 1 %", "inconclusive"));
    }

    #[test]
    fn a_margin_of_nothing_is_one_line() {
        let one = bar(Better::Lower, [0.02, 0.02, 0.02], 0.0);
        assert_eq!((one.text.as_str(), one.margin), ("         ●  │            ", [50.0, 50.0]));
        assert_eq!(one.label, "tolerated up to 0 %");
        let told = BarLegend::of([&one]).unwrap();
        assert!(told.text.contains("a single") && !told.text.contains("two `│`"), "{told:?}");
        assert!(!told.text.contains("──") && told.text.contains("`●`"), "{told:?}");
        assert_eq!(BarLegend::of([]), None);
    }

    #[test]
    fn worse_is_on_the_left_for_rates_and_counts() {
        let rate = bar(Better::Higher, [-0.064, -0.054, -0.045], 0.01);
        let count = bar(Better::Lower, [0.029, 0.029, 0.029], 0.002);
        let unclear = decided(Verdict::Inconclusive, Better::Higher, [-0.02, -0.004, 0.012], 0.01);
        let gain = bar(Better::Lower, [-0.3, -0.25, -0.2], 0.01);
        let shown = [&rate, &count, &unclear, &gain].map(|bar| format!("[{}]", bar.text));
        assert_eq!(
            shown,
            [
                "[    ●─  │   ·   │        ]",
                "[  ●     │   ·   │        ]",
                "[      ──┼─●─────┼        ]",
                "[        │   ·   │      ●─]",
            ]
        );
        let decided = [rate, count, unclear, gain].map(|bar| bar.decided);
        assert_eq!(decided, ["worse", "worse", "inconclusive", "better"]);
        assert_eq!(HEADING.chars().count(), CHARACTERS);
    }

    proptest! {
        /// Whatever was measured, the bar keeps its width, its order and its point.
        #[test]
        fn a_bar_is_never_broken(
            change in -0.99_f64..20.0, below in 0.0_f64..1.0, above in 0.0_f64..9.0,
            margin in prop_oneof![Just(0.0), 0.0001_f64..0.2],
        ) {
            let bar = bar(Better::Lower, [change - below, change, change + above], margin);
            prop_assert_eq!(bar.text.chars().count(), CHARACTERS);
            prop_assert_eq!(bar.text.matches('●').count(), 1);
            prop_assert!(0.0 <= bar.low && bar.low <= bar.middle);
            prop_assert!(bar.middle <= bar.high && bar.high <= 100.0);
        }

        /// A larger change lies further out.
        #[test]
        fn places_keep_their_order(one in -40.0_f64..40.0, more in 0.0_f64..9.0) {
            prop_assert!(place(one) <= place(one + more));
        }
    }
}
