//! What explains a change, as data.

use serde::{Deserialize, Serialize};

/// A function in which a change arises.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Culprit {
    /// Its name in head, or in base where head does not have it.
    pub function: String,
    /// Its name in base, where that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<String>,
    /// Instructions per operation that arise here: in its own code, and in calls that it makes more or
    /// less often than in base.
    pub change: f64,
    /// Share of the whole change; the shares of all functions add up to about 1.
    pub share: f64,
    /// Instructions per operation in its own code, in base and in head.
    pub own: [f64; 2],
    /// Instructions per operation with everything that it calls, in base and in head.
    pub inclusive: [f64; 2],
    /// How often an operation enters it, in base and in head.
    pub entries: [f64; 2],
    /// Functions that it calls more or less often, and the instructions per operation of that, the
    /// largest change first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<(String, f64)>,
    /// Source files whose code in it changed, and by how many instructions per operation, the largest
    /// change first. Several, where code of other files was inlined.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<(String, f64)>,
    /// Source lines of its own code that changed, as `file:line` of head, and by how many instructions per
    /// operation, the largest change first. Code that was inlined has the lines of where it is from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<(String, f64)>,
}

/// One event, per operation, in base and in head.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EventChange {
    /// Callgrind's name of the event: `Ir`, `D1mr`, `Bcm`.
    pub event: String,
    /// Base and head.
    pub values: [f64; 2],
    /// The functions whose own count changed the most, with the change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<(String, f64)>,
}

/// Why the instructions of one side of one scenario changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// Instructions per operation in base and in head.
    pub total: [f64; 2],
    /// The functions in which the change arises, the largest first. Empty if nothing changed.
    pub culprits: Vec<Culprit>,
    /// Instructions per operation of the change that no function above explains.
    pub remainder: f64,
    /// All events that were collected.
    pub events: Vec<EventChange>,
}

impl Explanation {
    /// Change of the total as a share of base.
    pub fn relative(&self) -> f64 {
        let [base, head] = self.total;
        if base > 0.0 { head / base - 1.0 } else { 0.0 }
    }

    /// Whether the instructions are the same but for less than the margin that the shipped policy has for
    /// them.
    pub fn is_unchanged(&self) -> bool {
        const MARGIN: f64 = 0.002;
        self.relative().abs() < MARGIN
    }
}

/// A place that allocates, in base and in head.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SiteChange {
    /// The function that allocates: the innermost that does not only serve others.
    pub function: String,
    /// The functions that called it, the innermost first.
    pub callers: Vec<String>,
    /// Allocations per operation.
    pub allocations: [f64; 2],
    /// Bytes per operation.
    pub bytes: [f64; 2],
    /// Bytes that were live when the heap was largest, of the whole process.
    pub at_peak: [f64; 2],
}

/// Why the allocations of one scenario changed, both ends together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SitesExplanation {
    /// Allocations per operation in base and in head.
    pub allocations: [f64; 2],
    /// Bytes per operation.
    pub bytes: [f64; 2],
    /// Bytes of the heap where it was largest.
    pub peak: [f64; 2],
    /// The places that changed, the largest first.
    pub sites: Vec<SiteChange>,
}

/// Explanations that have one cause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CulpritGroup {
    /// The function that explains most of each.
    pub function: String,
    /// Which explanations, by index, the largest relative change first.
    pub members: Vec<usize>,
    /// The smallest and the largest relative change among them.
    pub range: [f64; 2],
}
