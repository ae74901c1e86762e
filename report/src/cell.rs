//! A number in the report of a run, and what a reader must know of it.

use crate::{coverage::UsualCoverage, format::number, model::Cell, words};
use shakedown_summary::{Row, State, Warning};

pub(crate) fn cell(row: &Row, usual: UsualCoverage) -> Cell {
    let measured = row.state == State::Measured;
    let text = match (row.state, row.median) {
        (State::Measured, Some(median)) => number(median),
        (State::Unsupported, _) => "unsupported".to_owned(),
        (State::Broken, _) => "broken".to_owned(),
        (State::Lost, _) => "lost".to_owned(),
        _ => "–".to_owned(),
    };
    let absence = row.absence.iter().map(words::absence);
    let warnings = row.warnings.iter().filter(|warning| changes_reading(row, warning));
    let warnings: Vec<String> = absence.chain(warnings.map(words::warning)).collect();
    Cell {
        subject: row.subject.clone(),
        text,
        interval: usual.interval((row.low, row.high), row.coverage, number),
        n: row.n,
        measured,
        timed: !row.metric.is_count(),
        marked: measured && !warnings.is_empty(),
        warnings,
    }
}

/// Whether a reader would take the number otherwise: the host's load does not change what is counted,
/// and a count that repeats exactly needs no more trials.
fn changes_reading(row: &Row, warning: &Warning) -> bool {
    let exact = row.low.is_some() && row.low == row.high;
    match warning {
        Warning::Disturbed { .. } => !row.metric.is_count(),
        Warning::SingleTrial | Warning::LowCoverage { .. } | Warning::Noisy { .. } => {
            !(row.metric.is_count() && exact)
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_protocol::{Metric, fixture::comparison::comparison};

    #[test]
    fn a_count_that_repeats_warns_of_nothing_and_a_time_of_the_host() {
        let full = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
        let summary = shakedown_summary::summarize(&comparison(&[(full, [1.0, 1.0])]));
        let time = summary.rows.iter().find(|row| !row.metric.is_count()).unwrap();
        let mut row = shakedown_summary::Row { metric: Metric::Instructions, ..time.clone() };
        let few = Warning::LowCoverage { n: 2, coverage: 0.5 };
        let disturbed = Warning::Disturbed {
            disturbed: 1,
            trials: 2,
            flaws: std::collections::BTreeMap::new(),
        };
        (row.low, row.high) = (Some(4.0), Some(4.0));
        assert!(!changes_reading(&row, &few) && !changes_reading(&row, &disturbed));
        row.high = Some(5.0);
        assert!(changes_reading(&row, &few));
        assert!(changes_reading(time, &few) && changes_reading(time, &disturbed));
    }
}
