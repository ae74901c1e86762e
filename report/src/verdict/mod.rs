//! A judgement in words: what every report of a comparison says, in the order in which it says it.
//! The comment, the two pages and the terminal lay out the same [`Verdicts`].

pub(crate) mod bar;
mod below;
mod cause;
#[cfg(test)]
pub(crate) mod disturbed;
mod revision;
mod row;
mod section;
mod times;
mod united;
mod unjudged;

pub use bar::BarLegend;
pub use revision::Revision;
pub use row::ResultRow;
pub use section::{Section, SectionKind};
pub use times::PhaseTime;
pub use unjudged::Unjudged;

use crate::{
    again::compare_again,
    in_tree,
    method::{comparison_method, extent},
    status::Status,
    words::{self, MetricMargins},
};
use serde::Serialize;
use shakedown_gate::Judgement;
use shakedown_protocol::RunRecord;

/// A judgement, ready to be laid out.
#[derive(Debug, Serialize)]
pub struct Verdicts {
    /// How it ended, as a picture: `✅`, `⚪` or `❌`.
    pub mark: &'static str,
    /// The same in a word: `Passed`, `Inconclusive` or `Failed`.
    pub outcome: &'static str,
    /// How many metrics have which verdict.
    pub headline: String,
    /// What the verdict is based on, where no time or no count was judged.
    pub rests_on: Option<String>,
    /// What a reader must know first.
    pub notes: Vec<String>,
    /// What is compared against.
    pub base: Revision,
    /// What is judged.
    pub head: Revision,
    /// Whether it is an A/A comparison.
    pub same_code: bool,
    /// What was found, the worst first; sections without a finding are left out.
    pub sections: Vec<Section>,
    /// What a reader must know of the host and the measurement.
    pub warnings: Vec<String>,
    /// What else differs than the change itself.
    pub differences: Vec<String>,
    /// What the brackets behind a change hold.
    pub brackets: &'static str,
    /// What the verdicts mean.
    pub definitions: Vec<String>,
    /// The same in numbers; nothing where nothing was gated.
    pub margins: Vec<MetricMargins>,
    /// What the units and the counts are.
    pub terms: &'static str,
    /// Where the time went, part by part.
    pub times: Vec<PhaseTime>,
    /// How much was measured, in few words.
    pub extent: String,
    /// How it was measured.
    pub method: String,
    /// A command that measures the same again.
    pub again: String,
}

impl Verdicts {
    /// Says what was decided. `built_s` is how long building took, where that is known.
    pub fn new(judgement: &Judgement, record: &RunRecord, built_s: Option<u64>) -> Self {
        let status = Status::of(judgement);
        let notes = in_tree::notes(record);
        let times = words::times_judged(judgement);
        let what = if times { words::ForWhat::Verdicts } else { words::ForWhat::VerdictsOnCounts };
        let host = words::host(&record.host, what);
        let warnings = judgement.warnings.iter().map(|one| words::judgement_warning(one, times));
        // An in-tree benchmark has no counts, and its notes say so.
        let basis = words::rests_on(judgement).filter(|_| notes.is_empty());
        let noise_told = basis.as_ref().is_some_and(|basis| basis.all_disturbed);
        Self {
            mark: status.mark(),
            outcome: status.word(),
            headline: in_tree::headline(record, &words::headline(&judgement.counts)),
            rests_on: basis.map(|basis| basis.sentence),
            notes,
            base: Revision::of(record, 0, &judgement.base),
            head: Revision::of(record, 1, &judgement.head),
            same_code: judgement.same_code,
            sections: Section::all(&judgement.comparisons, noise_told),
            warnings: host.into_iter().chain(warnings).collect(),
            differences: judgement.differences.iter().map(words::difference).collect(),
            brackets: "Brackets show the interval of a change: a 95 % confidence interval for times, the range over \
                       all runs for counts.",
            definitions: words::definitions(judgement),
            margins: words::margins(judgement),
            terms: "An op is one handshake, one write, or one call of a primitive. Instructions, allocations, bytes, \
                    records and flights are counted, not timed, so they are reliable even on a noisy host.",
            times: times::times(record, built_s),
            extent: extent(record, judgement),
            method: comparison_method(record, judgement),
            again: compare_again(record, &judgement.policy),
        }
    }
}
