//! A record says whether it is of a run or a comparison.

use super::{
    tests::{Mock, session},
    *,
};
use crate::SilentObserver;
use shakedown_protocol::ComparisonBudget;

#[test]
fn a_record_says_what_it_is_before_its_first_trial() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let compare = |start: SessionStart, executor: &Mock| {
        let mut session = session(folder.path());
        session.plan.budget = Some(ComparisonBudget {
            pairs: 1,
            pairs_per_link: 1,
            count_runs: 1,
            repeats: 0,
            minutes: 1,
        });
        let mut nothing = |_: &RunRecord| BTreeSet::new();
        start.compare(session, None, &mut nothing, executor, &mut SilentObserver)
    };
    let dies = Mock { dies_at: Some(0), ..Mock::default() };
    let killed = std::panic::AssertUnwindSafe(|| compare(SessionStart::New, &dies));
    std::panic::catch_unwind(killed).unwrap_err();
    let record = load_record(&out).unwrap();
    assert!(record.trials.is_empty() && record.is_paired());

    let again = Session { id: record.id.clone(), plan: record.plan, ..session(folder.path()) };
    let error =
        SessionStart::Resume.run_plan(again, &Mock::default(), &mut SilentObserver).unwrap_err();
    assert!(error.to_string().contains("of a comparison, not of a plain run"), "{error}");
}
