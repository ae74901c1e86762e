//! Comparing two subjects: the entry points.

use crate::{
    Observer, ScheduleError, Session,
    execute::{Executor, Processes},
    paired_run::PairedRun,
    session::SessionStart,
    stopping_rule::{ComparisonBudget, StoppingRule},
};
use shakedown_protocol::RunRecord;

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
        let session = self.declare(session, true)?;
        self.with_runner(session, executor, events, |runner| {
            PairedRun::new(runner, budget).run(rule)
        })
    }
}
