//! Whether a number is there.

use serde::Serialize;

/// Whether a row has numbers, and if not, why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It has numbers.
    Measured,
    /// The library can't do the scenario.
    Unsupported,
    /// The ends negotiated something else.
    Broken,
    /// Every trial crashed, hung or failed.
    Lost,
    /// No trial ran, or none yielded this metric.
    Missing,
}
