//! Suggests similar names if a query finds nothing.

use super::SeriesFilter;
use crate::{Index, StoreError};

impl Index {
    /// The error of a query without results, with similar names.
    pub(super) fn unknown(&self, which: &SeriesFilter<'_>) -> Result<StoreError, StoreError> {
        let columns = [
            ("scenario", which.scenario),
            ("subject", which.subject),
            ("side", which.side),
            ("metric", which.metric),
        ];
        for (column, wanted) in columns {
            let Some(wanted) = wanted else { continue };
            let mut statement = self
                .connection
                .prepare(&format!("SELECT DISTINCT {column} FROM series ORDER BY 1"))?;
            let known: Vec<String> =
                statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
            if known.is_empty() {
                break;
            }
            if !known.iter().any(|name| name == wanted) {
                let mut near: Vec<(usize, String)> =
                    known.into_iter().map(|name| (distance(wanted, &name), name)).collect();
                near.sort();
                near.truncate(3);
                let near: Vec<String> = near.into_iter().map(|(_, name)| name).collect();
                return Ok(StoreError::Question(format!(
                    "the history has no {column} `{wanted}`; near names: {}",
                    near.join(", ")
                )));
            }
        }
        Ok(StoreError::Question(
            "the history has no such numbers: see `shakedown history list`".to_owned(),
        ))
    }
}

/// Edit distance of two names.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let cost = usize::from(x != *y);
            let next = (diagonal + cost).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = std::mem::replace(&mut row[j + 1], next);
        }
    }
    row[b.len()]
}
