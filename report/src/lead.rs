//! What a run over several subjects says in a sentence, and its families in a number each.

use crate::{
    coverage::UsualCoverage,
    factors::{direction_name, factor_position},
    format::{factor, factor_end, measured},
    in_tree,
    model::{FactorCell, FamilyMean},
};
use shakedown_protocol::RunRecord;
use shakedown_summary::{EffectDirection, Factor, FamilyFactor, HEADLINE_METRICS, Summary};

/// One sentence for each further subject: who is ahead, where, and by how much.
pub(crate) fn sentences(record: &RunRecord, summary: &Summary) -> Vec<String> {
    let Some((first, others)) = record.subjects.split_first() else { return Vec::new() };
    let one = |name: &str| {
        let said = sentence(&first.name, name, summary);
        let whose = others.len() > 1 || said.starts_with("no ");
        if whose { format!("{} and {name}: {said}", first.name) } else { said }
    };
    others.iter().map(|other| one(&other.name)).collect()
}

fn sentence(base: &str, name: &str, summary: &Summary) -> String {
    let headline = |one: &&Factor| {
        one.subject == name && HEADLINE_METRICS.contains(&one.metric) && one.factor.is_some()
    };
    let all: Vec<&Factor> = summary.factors.iter().filter(headline).collect();
    if all.is_empty() {
        return "no rate or memory figure in common.".to_owned();
    }
    let of = |direction| {
        let some = all.iter().filter(|one| one.direction == Some(direction));
        some.filter_map(|one| one.factor).collect::<Vec<f64>>()
    };
    let behind: Vec<f64> = of(EffectDirection::Worse).iter().map(|factor| 1.0 / factor).collect();
    let ahead = of(EffectDirection::Better);
    let mut leaders = [(base, behind), (name, ahead)];
    leaders.sort_by_key(|(_, factors)| std::cmp::Reverse(factors.len()));
    let mut parts = Vec::new();
    for (who, factors) in leaders.iter().filter(|(_, factors)| !factors.is_empty()) {
        let whole = if parts.is_empty() { format!(" of {}", all.len()) } else { String::new() };
        parts.push(format!("{who} is ahead in {}{whole} ({})", factors.len(), times(factors)));
    }
    let decided: usize = leaders.iter().map(|(_, factors)| factors.len()).sum();
    match all.len() - decided {
        0 => {}
        open if decided == 0 => {
            parts.push(format!("no difference could be shown in any of {open}"));
        }
        open => parts.push(format!("no difference could be shown in {open}")),
    }
    parts.join("; ") + "."
}

/// `1.1 to 2.1 times`.
fn times(factors: &[f64]) -> String {
    let least = factors.iter().copied().fold(f64::INFINITY, f64::min);
    let most = factors.iter().copied().fold(0.0, f64::max);
    let [least, most] = [least, most].map(factor_end);
    if least == most {
        format!("{least} times as good")
    } else {
        format!("{least} to {most} times as good")
    }
}

/// The geometric means, a row a family and metric.
pub(crate) fn families(summary: &Summary, usual: UsualCoverage) -> Vec<FamilyMean> {
    let mut rows: Vec<FamilyMean> = Vec::new();
    for one in &summary.families {
        let family = in_tree::title(&one.family);
        let measured = measured(one.metric.name(), one.metric.unit().name());
        let cell = cell(one, usual);
        match rows.iter_mut().find(|row| row.family == family && row.measured == measured) {
            Some(row) => row.factors.push(cell),
            None => {
                rows.push(FamilyMean { family, measured, sides: one.sides, factors: vec![cell] })
            }
        }
    }
    rows
}

fn cell(one: &FamilyFactor, usual: UsualCoverage) -> FactorCell {
    FactorCell {
        subject: one.subject.clone(),
        text: factor(one.factor),
        interval: usual.interval((Some(one.low), Some(one.high)), Some(one.coverage), factor_end),
        direction: direction_name(Some(one.direction)),
        bar: Some(factor_position([one.low, one.factor, one.high])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_summary::{fixture as made, summarize};

    const A: &str = "rustls@1";
    const B: &str = "openssl@1";

    /// Six blocks in which B has these factors over A in client and server.
    fn run(blocks: u32, factors: &[(&str, [f64; 2])]) -> Summary {
        let ids: Vec<&str> = factors.iter().map(|(id, _)| *id).collect();
        let mut record = made::record(&[A, B], &ids);
        for block in 0..blocks {
            let day = 1.0 + 0.01 * f64::from(block);
            for (id, [client, server]) in factors {
                made::rate(&mut record, block, A, id, [1e3 * day, 1e3 * day]);
                made::rate(&mut record, block, B, id, [1e3 * client, 1e3 * server]);
            }
        }
        summarize(&record)
    }

    #[test]
    fn a_sentence_says_who_is_ahead_and_by_how_much() {
        let summary = run(6, &[(made::FULL, [0.5, 0.4]), (made::TICKET, [1.5, 1.02])]);
        assert_eq!(
            sentence(A, B, &summary),
            "rustls@1 is ahead in 2 of 4 (2.05 to 2.56 times as good); openssl@1 is ahead in 1 (1.46 times as good); \
             no difference could be shown in 1."
        );
        let few = run(3, &[(made::FULL, [0.5, 0.4])]);
        assert_eq!(sentence(A, B, &few), "no difference could be shown in any of 2.");
    }

    #[test]
    fn a_family_has_its_geometric_mean() {
        let summary = run(6, &[(made::FULL, [0.5, 2.0])]);
        let rows = families(&summary, UsualCoverage::of(&summary));
        assert_eq!(rows.len(), 1);
        assert_eq!((rows[0].family.as_str(), rows[0].sides), ("handshake-full", 2));
        assert_eq!(rows[0].factors[0].text, "0.98×");
        assert_eq!(rows[0].factors[0].interval, "0.95 to 1.00");
    }
}
