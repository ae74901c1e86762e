//! `docs/github-semantics.md`: each assumption has a source, the day on which it was compared, what came of it, and what covers
//! it; the counts at the top are those of the rows.

use crate::source::root;
use std::{collections::BTreeMap, fs};

const STATES: [&str; 4] = ["documented", "source", "in part", "not documented"];

#[test]
fn each_assumption_about_github_has_a_source_a_day_and_a_state() {
    let page = fs::read_to_string(root().join("docs/github-semantics.md")).unwrap();
    let mut counts: BTreeMap<&str, usize> = STATES.iter().map(|state| (*state, 0)).collect();
    let mut told = BTreeMap::new();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    for row in rows.filter(|row| !row.starts_with("assumption") && *row != "| | rows") {
        // A bar within a cell is escaped, and followed by no blank.
        let cells: Vec<&str> = row.split(" | ").map(str::trim).collect();
        if let [state, _, count] = cells[..] {
            told.insert(state, count.parse::<usize>().unwrap());
            continue;
        }
        let [assumption, source, compared, covered] = cells[..] else {
            panic!("four cells: {row}")
        };
        assert!(!assumption.is_empty() && !covered.is_empty(), "{row}");
        let address = source.contains('`') && source.contains('/');
        let (day, state) = compared.split_once(", ").unwrap_or_else(|| panic!("{row}"));
        assert!(day.parse::<jiff::civil::Date>().is_ok(), "{row}");
        let state = STATES.iter().find(|one| state.starts_with(*one));
        let state = state.unwrap_or_else(|| panic!("{compared} is none of {STATES:?}"));
        assert!(address || *state == "not documented", "no source: {row}");
        *counts.get_mut(state).unwrap() += 1;
    }
    assert!(counts.values().sum::<usize>() > 50, "{counts:?}");
    assert_eq!(told, counts, "the counts at the top of docs/github-semantics.md");
}
