//! Why, in the three lines that a comment has room for.

use super::{CauseWords, PlacesWords, Why};
use crate::format::start;
use serde::Serialize;

/// Lines of them all.
const LINES: usize = 3;
/// Characters of a function's name.
const NAME: usize = 120;

/// A function, and what of the change arises in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BriefCause {
    /// The function, or what else it is.
    pub function: String,
    /// Its change and its share of the whole.
    pub change: String,
}

impl Why {
    /// The largest causes: functions of different changes first, then places that allocate and
    /// parts of messages, then other
    /// functions of a change that is the only one.
    pub fn brief(&self) -> Vec<BriefCause> {
        let causes = self.causes.iter().map(CauseWords::brief);
        let sites = self.places.iter().filter_map(PlacesWords::brief);
        let others = match &self.causes[..] {
            [one] => &one.others[..],
            _ => &[],
        };
        let others = others.iter().map(|other| BriefCause {
            function: start(&other.function, NAME),
            change: other.change.clone(),
        });
        causes.chain(sites).chain(others).take(LINES).collect()
    }
}

impl CauseWords {
    fn brief(&self) -> BriefCause {
        let change = format!("{}, in {}", self.change, self.extent);
        BriefCause { function: start(&self.function, NAME), change }
    }
}

impl PlacesWords {
    /// The place that changed the most.
    fn brief(&self) -> Option<BriefCause> {
        let site = self.sites.first()?;
        Some(BriefCause { function: start(&site.function, NAME), change: site.change.clone() })
    }
}
