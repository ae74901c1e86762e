//! Comparing two subjects: the entry points.

use crate::{
    LinkSupply, Observer, ScheduleError, Session,
    execute::{Executor, Processes},
    paired_run::PairedRun,
    session::SessionStart,
    stopping_rule::StoppingRule,
};
use shakedown_protocol::RunRecord;

/// Compares the session's two subjects, base first, within the plan's budget. `rule` is evaluated after
/// each block. `links` makes what the subjects lack of the budget's links; without it, they have all.
///
/// # Errors
/// As [`run`](crate::run).
pub fn compare(
    session: Session,
    links: Option<&dyn LinkSupply>,
    rule: &mut dyn StoppingRule,
    events: &mut dyn Observer,
) -> Result<RunRecord, ScheduleError> {
    SessionStart::New.compare(session, links, rule, &Processes::here(), events)
}

/// Resumes a comparison that was killed.
///
/// # Errors
/// As [`resume`](crate::resume). Also fails if the record is of a version that did not save the budget, or
/// holds trials that this comparison would not have run.
pub fn resume_comparison(
    session: Session,
    links: Option<&dyn LinkSupply>,
    rule: &mut dyn StoppingRule,
    events: &mut dyn Observer,
) -> Result<RunRecord, ScheduleError> {
    SessionStart::Resume.compare(session, links, rule, &Processes::here(), events)
}

impl SessionStart {
    pub(crate) fn compare(
        self,
        session: Session,
        links: Option<&dyn LinkSupply>,
        rule: &mut dyn StoppingRule,
        executor: &dyn Executor,
        events: &mut dyn Observer,
    ) -> Result<RunRecord, ScheduleError> {
        let unfit = |text: &str| Err(ScheduleError::Unfit(text.to_owned()));
        if session.subjects.len() != 2 {
            return unfit("a comparison has two subjects: base and head");
        }
        let session = self.declare(session, true)?;
        let Some(budget) = session.plan.budget else {
            let text =
                "it was begun by an older version of Shakedown, which chose its trials otherwise";
            return match self {
                Self::New => unfit("a comparison needs a budget"),
                Self::Resume => Err(ScheduleError::Differs(vec![text.to_owned()])),
            };
        };
        let zero = [budget.pairs, budget.pairs_per_link, budget.count_runs, budget.minutes];
        if zero.contains(&0) {
            return unfit("a comparison needs pairs, links, count runs and minutes above zero");
        }
        self.with_runner(session, executor, events, |runner| {
            PairedRun::new(runner, budget, links).run(rule)
        })
    }
}
