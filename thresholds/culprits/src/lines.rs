//! Which source lines of a function changed. Code that is inserted above them moves lines, so the lines of
//! base and head are aligned by what they cost.

use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::{BTreeMap, BTreeSet};

/// Instructions per operation by source file and line.
pub type LineCosts = BTreeMap<String, BTreeMap<u64, f64>>;

/// Lines with their change in instructions per operation: `file:line` of head, or of base where head lacks
/// it.
pub fn changed_lines([base, head]: [&LineCosts; 2]) -> Vec<(String, f64)> {
    let files: BTreeSet<&String> = base.keys().chain(head.keys()).collect();
    let empty = BTreeMap::new();
    let mut all = Vec::new();
    for file in files {
        let both = [base, head].map(|costs| costs.get(file).unwrap_or(&empty));
        for (place, change) in aligned(both) {
            all.push((place.name(file), change));
        }
    }
    all
}

/// Where a line stands.
enum Place {
    Base(u64),
    Head(u64),
}

impl Place {
    fn name(&self, file: &str) -> String {
        match self {
            Self::Base(line) => format!("{file}:{line} in base"),
            Self::Head(line) => format!("{file}:{line}"),
        }
    }
}

fn aligned(both: [&BTreeMap<u64, f64>; 2]) -> Vec<(Place, f64)> {
    let [base, head] = both.map(|lines| lines.iter().map(|(at, c)| (*at, *c)).collect::<Vec<_>>());
    // Rounded: a cost per operation is a quotient.
    let [old, new] = [&base, &head]
        .map(|l| l.iter().map(|(_, c)| (c * 16.0).round() as i64).collect::<Vec<_>>());
    let mut changes = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
        let (old, new) = (&base[op.old_range()], &head[op.new_range()]);
        match op {
            DiffOp::Equal { .. } => {}
            // As many lines as before: the same ones, with other costs.
            DiffOp::Replace { .. } if old.len() == new.len() => {
                let pairs = old.iter().zip(new);
                changes.extend(pairs.map(|((_, was), (at, is))| (Place::Head(*at), is - was)));
            }
            _ => {
                changes.extend(new.iter().map(|(at, cost)| (Place::Head(*at), *cost)));
                changes.extend(old.iter().map(|(at, cost)| (Place::Base(*at), -cost)));
            }
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(lines: &[(u64, f64)]) -> LineCosts {
        BTreeMap::from([("src/a.rs".to_owned(), lines.iter().copied().collect())])
    }

    #[test]
    fn a_line_that_moved_did_not_change() {
        let base = costs(&[(10, 50.0), (11, 7.0), (20, 300.0)]);
        let inserted = costs(&[(10, 50.0), (11, 4_000.0), (12, 7.0), (21, 300.0)]);
        assert_eq!(changed_lines([&base, &inserted]), [("src/a.rs:11".to_owned(), 4_000.0)]);
        assert_eq!(
            changed_lines([&inserted, &base]),
            [("src/a.rs:11 in base".to_owned(), -4_000.0)]
        );
        let moved = costs(&[(30, 50.0), (31, 7.0), (40, 300.0)]);
        assert_eq!(changed_lines([&base, &moved]), []);
    }

    #[test]
    fn a_line_that_is_executed_more_often_keeps_its_name() {
        let base = costs(&[(10, 50.0), (11, 7.0), (20, 300.0)]);
        let more = costs(&[(10, 50.0), (11, 14.0), (20, 300.0)]);
        assert_eq!(changed_lines([&base, &more]), [("src/a.rs:11".to_owned(), 7.0)]);
    }

    #[test]
    fn code_of_another_file_that_was_inlined_is_all_new() {
        let base = costs(&[(10, 50.0)]);
        let mut head = base.clone();
        head.insert("src/b.rs".to_owned(), BTreeMap::from([(3, 9.0), (4, 90.0)]));
        let found = changed_lines([&base, &head]);
        assert_eq!(found, [("src/b.rs:3".to_owned(), 9.0), ("src/b.rs:4".to_owned(), 90.0)]);
    }
}
