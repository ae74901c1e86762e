//! Findings that may have one cause: counts that moved by the same amount in several scenarios.

use super::{row::ResultRow, section::SectionKind};

/// Amounts that differ by less than this share are taken for the same.
const ALIKE: f64 = 0.05;

/// A sentence for each metric of which two findings or more moved by the same amount.
pub(super) fn common(kind: SectionKind, found: &[ResultRow]) -> Vec<String> {
    let mut moved: Vec<(&ResultRow, f64)> = found
        .iter()
        .filter_map(|row| Some((row, row.difference.filter(|by| *by != 0.0)?)))
        .collect();
    moved.sort_by(|(one, a), (other, b)| one.measured.cmp(&other.measured).then(a.total_cmp(b)));
    let alike = |one: &(&ResultRow, f64), next: &(&ResultRow, f64)| {
        one.0.measured == next.0.measured && (next.1 - one.1).abs() <= ALIKE * one.1.abs()
    };
    let groups = moved.chunk_by(alike).filter(|group| group.len() > 1);
    groups.map(|group| sentence(kind, group, found)).collect()
}

fn sentence(kind: SectionKind, group: &[(&ResultRow, f64)], found: &[ResultRow]) -> String {
    let measured = &group[0].0.measured;
    let all = found.iter().filter(|row| row.measured == *measured).count();
    let which =
        if all == group.len() { format!("All {all}") } else { format!("{} of {all}", group.len()) };
    let (least, most) = (&group[0].0.moved, &group[group.len() - 1].0.moved);
    let by = if least == most { least.clone() } else { format!("{least} to {most}") };
    format!(
        "{which} {} findings of {measured} moved by about the same amount ({by}): probably one cause.",
        kind.title()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(differences: &[f64]) -> Vec<ResultRow> {
        let (_, judgement) = crate::verdict::disturbed::disturbed();
        let counted = judgement.comparisons.iter().find(|found| found.metric.is_count());
        let mut found = counted.unwrap().clone();
        let row = |by: &f64| {
            found.head = found.base.map(|base| base + by);
            ResultRow::of(&found)
        };
        differences.iter().map(row).collect()
    }

    #[test]
    fn the_same_amount_in_several_scenarios_is_told_as_one_cause() {
        let told = |all: &[f64]| common(SectionKind::Regressed, &rows(all));
        assert_eq!(
            told(&[32_501.0, 32_871.0, 32_508.0]),
            [
                "All 3 regressed findings of instructions/op moved by about the same amount (+32,501 to +32,871): \
              probably one cause."
            ]
        );
        assert!(told(&[90_000.0, 32_501.0, 32_501.0])[0].starts_with("2 of 3 "));
        assert!(told(&[32_501.0]).is_empty() && told(&[32_501.0, -32_501.0, 90_000.0]).is_empty());
    }
}
