//! Comparing two subjects: the budget, the stopping rule and the entry points.

use crate::{
    Observer, ScheduleError, Session,
    execute::{Executor, Processes},
    paired_run::PairedRun,
    session::SessionStart,
};
use shakedown_protocol::{Meter, RunRecord, Scenario};
use std::collections::BTreeSet;

/// A scenario with a meter.
pub type ScenarioMeter = (Scenario, Meter);

/// The largest amount of measuring that a comparison may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComparisonBudget {
    /// Pairs of timed trials in a block, rounded up to an even number. The plan sets the number of
    /// blocks.
    pub pairs: u32,
    /// Trials of each subject in counted cells (and of peak memory), over all blocks. Each block
    /// runs two.
    pub count_runs: u32,
    /// ABBA groups that may be repeated in each block because the host disturbed them, in percent
    /// of the block's timed groups.
    pub repeats: u32,
    /// No round starts after this many minutes of measuring.
    pub minutes: u32,
}

/// Decides after each block which cells need more trials (a group sequential design).
pub trait StoppingRule {
    /// The cells that are undecided. Must depend on the record only, or a resumed run would
    /// diverge.
    fn undecided(&mut self, record: &RunRecord) -> BTreeSet<ScenarioMeter>;
}

impl<F: FnMut(&RunRecord) -> BTreeSet<ScenarioMeter>> StoppingRule for F {
    fn undecided(&mut self, record: &RunRecord) -> BTreeSet<ScenarioMeter> {
        self(record)
    }
}

/// Compares the session's two subjects, base first, for at most the plan's number of blocks.
/// `rule` is evaluated after each block.
///
/// # Errors
/// As [`run`](crate::run).
pub fn compare(
    session: Session,
    budget: ComparisonBudget,
    rule: &mut dyn StoppingRule,
    events: &mut dyn Observer,
) -> Result<RunRecord, ScheduleError> {
    SessionStart::New.compare(session, budget, rule, &mut Processes::here(), events)
}

/// Resumes a comparison that was killed.
///
/// # Errors
/// As [`resume`](crate::resume). Also fails if the record holds trials that this comparison would
/// not have run.
pub fn resume_comparison(
    session: Session,
    budget: ComparisonBudget,
    rule: &mut dyn StoppingRule,
    events: &mut dyn Observer,
) -> Result<RunRecord, ScheduleError> {
    SessionStart::Resume.compare(session, budget, rule, &mut Processes::here(), events)
}

impl SessionStart {
    pub(crate) fn compare(
        self,
        session: Session,
        budget: ComparisonBudget,
        rule: &mut dyn StoppingRule,
        executor: &mut dyn Executor,
        events: &mut dyn Observer,
    ) -> Result<RunRecord, ScheduleError> {
        let unfit = |text: &str| Err(ScheduleError::Unfit(text.to_owned()));
        if session.subjects.len() != 2 {
            return unfit("a comparison has two subjects: base and head");
        }
        if budget.pairs == 0 || budget.count_runs == 0 || budget.minutes == 0 {
            return unfit("a comparison needs pairs, count runs and minutes above zero");
        }
        self.with_runner(session, executor, events, |runner| {
            PairedRun::new(runner, budget).run(rule)
        })
    }
}
