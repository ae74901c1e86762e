//! Numbers that come with a name of their own: what no tool means to write is refused, with file
//! and entry.

use crate::{SeriesInfo, SeriesValue, StoreError};
use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor},
};
use std::{collections::HashSet, fmt, marker::PhantomData, path::Path};

/// Bytes of a name at most. The longest ids of scenarios have about a hundred.
const NAME_LIMIT: usize = 500;

/// The rows of an import, in the order in which they were found.
#[derive(Debug, Default)]
pub struct Rows {
    rows: Vec<SeriesValue>,
    seen: HashSet<(String, String, String)>,
}

impl Rows {
    /// Adds a value with its interval.
    ///
    /// # Errors
    /// If it is negative, not finite, outside its interval, named in a way that can't be shown, or
    /// there already.
    pub fn push(
        &mut self,
        path: &Path,
        series: SeriesInfo,
        [low, median, high]: [f64; 3],
    ) -> Result<(), StoreError> {
        let SeriesInfo { scenario, metric, unit, .. } = &series;
        for name in [scenario, metric, unit] {
            check_name(name).map_err(|reason| wrong(path, reason))?;
        }
        let entry = format!("`{scenario}`, {metric}");
        if !(median.is_finite() && median >= 0.0) {
            return Err(wrong(path, format!("{entry}: {median} is not a measurement")));
        }
        if !(low <= median && median <= high && high.is_finite()) {
            let reason = format!("{entry}: {median} is outside its interval [{low} to {high}]");
            return Err(wrong(path, reason));
        }
        if !self.seen.insert((scenario.clone(), metric.clone(), unit.clone())) {
            return Err(wrong(path, format!("{entry} appears twice")));
        }
        // One process measured it, whatever it sampled in there.
        self.rows.push(SeriesValue { series, median, low: low.max(0.0), high, n: 1 });
        Ok(())
    }

    /// What was found.
    ///
    /// # Errors
    /// If that is nothing.
    pub fn finish(self, path: &Path) -> Result<Vec<SeriesValue>, StoreError> {
        if self.rows.is_empty() {
            return Err(wrong(path, "the file ends without any number".to_owned()));
        }
        Ok(self.rows)
    }
}

/// An error about a file of which only the beginning is known as a place.
pub fn wrong(path: &Path, reason: String) -> StoreError {
    StoreError::Line { path: path.to_path_buf(), line: 1, reason }
}

/// Refuses names that no page and no terminal could show.
pub fn check_name(name: &str) -> Result<(), String> {
    let shown: String = name.chars().take(40).collect();
    if name.len() > NAME_LIMIT {
        let bytes = name.len();
        return Err(format!(
            "a name of {bytes} bytes, where {NAME_LIMIT} is the limit: `{shown}...`"
        ));
    }
    if name.chars().any(char::is_control) {
        return Err(format!("control characters in a name: `{}`", shown.escape_debug()));
    }
    Ok(())
}

/// A JSON object, in its own order. An object that has a key twice is refused: most readers drop
/// one of the two in silence.
#[derive(Debug)]
pub struct UniqueMap<V>(pub Vec<(String, V)>);

impl<'de, V: Deserialize<'de>> Deserialize<'de> for UniqueMap<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

struct Entries<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for Entries<V> {
    type Value = UniqueMap<V>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        let mut seen = HashSet::new();
        while let Some((key, value)) = map.next_entry::<String, V>()? {
            if !seen.insert(key.clone()) {
                let shown: String = key.chars().take(40).collect();
                return Err(A::Error::custom(format!("the key `{shown}` appears twice")));
            }
            entries.push((key, value));
        }
        Ok(UniqueMap(entries))
    }
}
