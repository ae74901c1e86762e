//! Comparisons.

use super::*;
use crate::order::is_counted;
use shakedown_protocol::{ComparisonBudget, RunPlan};

/// A session over three blocks of two pairs.
pub(super) fn pairs(folder: &Path) -> Session {
    let mut session = session(folder);
    session.plan.blocks = 3;
    session.plan.budget = Some(ComparisonBudget {
        pairs: 2,
        pairs_per_link: 1,
        count_runs: 4,
        repeats: 0,
        minutes: 60,
    });
    session
}

/// A judge that decides nothing.
pub(super) fn undecided(record: &RunRecord) -> BTreeSet<crate::ScenarioMeter> {
    record.trials.iter().map(|trial| (trial.scenario, trial.meter)).collect()
}

fn compare(
    opening: SessionStart,
    session: Session,
    mock: &Mock,
    judge: &mut dyn crate::StoppingRule,
) -> Result<RunRecord, ScheduleError> {
    opening.compare(session, None, judge, mock, &mut SilentObserver)
}

/// What is left of a comparison that was killed at this job.
fn killed(session: Session, dies_at: usize) {
    let dies = Mock { dies_at: Some(dies_at), ..Mock::default() };
    let killed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        compare(SessionStart::New, session, &dies, &mut undecided)
    }));
    assert!(killed.is_err());
}

#[test]
fn a_comparison_measures_in_quartets_and_ends_when_all_is_decided() {
    let folder = tempfile::tempdir().unwrap();
    let mut asked = 0;
    let mut decided_after_two = |record: &RunRecord| {
        asked += 1;
        if asked < 2 { undecided(record) } else { BTreeSet::new() }
    };
    let mock = Mock::default();
    let session = pairs(folder.path());
    let record = compare(SessionStart::New, session, &mock, &mut decided_after_two).unwrap();
    assert_eq!(record.trials.iter().map(|trial| trial.block).max(), Some(1), "two blocks");
    let cell = |trial: &Trial| (trial.block, trial.scenario, trial.meter);
    for group in by_position(&record).chunk_by(|one, next| cell(one) == cell(next)) {
        let names: Vec<&str> = group.iter().map(|trial| trial.subject.as_str()).collect();
        let links: Vec<u32> = group.iter().map(|trial| trial.link).collect();
        if is_counted(&(group[0].scenario, group[0].meter)) {
            // They counted the same: one of each suffices.
            assert!(names == ["a", "b"] || names == ["b", "a"], "{names:?}");
        } else {
            assert!(names == ["a", "b", "b", "a"] || names == ["b", "a", "a", "b"], "{names:?}");
            // Of `a` there are two links, each for one pair; of `b` one.
            let of_a =
                [links[usize::from(names[0] == "b")], links[if names[0] == "a" { 3 } else { 2 }]];
            assert_eq!(of_a, [0, 1]);
        }
    }
}

#[test]
fn a_comparison_that_was_killed_goes_on_as_it_would_have() {
    for counts in CountTiming::ALL {
        let comparison = |folder: &Path| {
            let mut session = pairs(folder);
            session.options.counts = Some(counts);
            session
        };
        let whole = tempfile::tempdir().unwrap();
        let session = comparison(whole.path());
        if counting::check(
            &TrialCpus::choose(&HostFiles::here(), None).unwrap(),
            &RunPlan { counts: Some(counts), ..session.plan.clone() },
        )
        .is_err()
        {
            continue;
        }
        let meant = compare(SessionStart::New, session, &Mock::default(), &mut undecided).unwrap();
        assert_eq!(meant.plan.counts, Some(counts));
        for dies_at in [0, 1, 7, 12, 25] {
            let folder = tempfile::tempdir().unwrap();
            killed(comparison(folder.path()), dies_at);
            let kept = load_record(&folder.path().join("out")).unwrap();
            assert_eq!(kept.trials.len(), dies_at, "each trial that ended is saved");
            let mock = Mock::default();
            let session = comparison(folder.path());
            let finished = compare(SessionStart::Resume, session, &mock, &mut undecided).unwrap();
            assert_eq!(places(&finished), places(&meant));
            assert_eq!(finished.trials[..dies_at], kept.trials[..]);
            assert_eq!(mock.asked().len(), meant.trials.len() - dies_at, "nothing twice");
        }
    }
}

#[test]
fn a_comparison_is_finished_as_it_was_begun_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    killed(pairs(folder.path()), 25);
    let refused = |change: fn(&mut Session), judge: &mut dyn crate::StoppingRule| {
        let mut session = pairs(folder.path());
        change(&mut session);
        let mock = Mock::default();
        let error = compare(SessionStart::Resume, session, &mock, judge).unwrap_err();
        assert_eq!(mock.asked().len(), 0, "measured before it was refused: {error}");
        error.to_string()
    };
    let other_budget = |s: &mut Session| s.plan.budget.as_mut().unwrap().pairs = 10;
    let no_budget = |s: &mut Session| s.plan.budget = None;
    let mut all_decided = |_: &RunRecord| BTreeSet::new();
    let mut times_decided =
        |record: &RunRecord| undecided(record).into_iter().filter(is_counted).collect();
    let said = [
        refused(other_budget, &mut undecided),
        refused(no_budget, &mut undecided),
        refused(|_| (), &mut all_decided),
        refused(|_| (), &mut times_decided),
    ];
    insta::assert_snapshot!(said.join("\n\n"));
}
