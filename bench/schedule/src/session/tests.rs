use super::*;
use crate::{
    BuiltSubject, SessionOptions, SilentObserver,
    execute::{DriverCall, Execution, Termination},
    testing::{self, entry, execution, measured},
};
use shakedown_protocol::{DriverRefusal, DriverReply, DriverRequest, TrialOutcome};
use std::time::Duration;

/// Answers without processes, and remembers what it was asked.
#[derive(Default)]
pub(super) struct Mock {
    pub(super) asked: Vec<(PathBuf, DriverRequest)>,
    pub(super) timeouts: BTreeSet<Duration>,
    /// Answers that are not the sound one: by number of the job.
    pub(super) instead: Vec<(usize, Termination)>,
    /// Panics at this job, as if killed.
    pub(super) dies_at: Option<usize>,
    pub(super) refusal: Option<fn(&Path, &DriverRequest) -> Option<DriverRefusal>>,
}

impl Executor for Mock {
    fn execute(&mut self, job: &DriverCall<'_>) -> Execution {
        let number = self.asked.len();
        assert_ne!(Some(number), self.dies_at, "killed");
        let request: DriverRequest = serde_json::from_slice(job.input).unwrap();
        self.asked.push((job.binary.to_owned(), request.clone()));
        self.timeouts.insert(job.timeout);
        let refusal = self.refusal.and_then(|refuse| refuse(job.binary, &request));
        let reply =
            refusal.map_or_else(|| DriverReply::Measured(measured(&request)), DriverReply::Refused);
        let mut execution = execution(&serde_json::to_vec(&reply).unwrap());
        if let Some((_, ending)) = self.instead.iter().find(|(at, _)| *at == number) {
            execution.ending = ending.clone();
        }
        execution
    }
}

/// A session over two subjects whose binaries are files that are not programs.
pub(super) fn session(folder: &Path) -> Session {
    let subject = |name: &str, links: &[&str]| {
        let binaries: Vec<PathBuf> = links.iter().map(|link| folder.join(link)).collect();
        let digests = binaries.iter().map(|path| {
            fs::write(path, path.file_name().unwrap().as_encoded_bytes()).unwrap();
            preflight::digest(path).unwrap()
        });
        BuiltSubject { entry: entry(name, digests.collect()), binaries: binaries.clone() }
    };
    Session {
        id: new_id(),
        shakedown: "0.1.0".to_owned(),
        out: folder.join("out"),
        plan: testing::plan(),
        subjects: vec![subject("a", &["a0", "a1"]), subject("b", &["b0"])],
        host: testing::host(),
        calibration: None,
        pki: folder.to_owned(),
        options: SessionOptions { lock: Some(folder.join("lock")), ..SessionOptions::default() },
    }
}

fn go(
    opening: SessionStart,
    session: Session,
    mock: &mut Mock,
) -> Result<RunRecord, ScheduleError> {
    opening.run_plan(session, mock, &mut SilentObserver)
}

#[test]
fn trials_come_in_the_planned_order_with_the_planned_budgets() {
    let folder = tempfile::tempdir().unwrap();
    let mut mock = Mock::default();
    let record = go(SessionStart::New, session(folder.path()), &mut mock).unwrap();
    let plan = testing::plan();
    let places = order::planned_trials(&plan, 2);
    assert_eq!(record.trials.len(), places.len());
    assert_eq!(record.finish.as_ref().unwrap().planned, places.len() as u64);
    for ((place, trial), (binary, request)) in places.iter().zip(&record.trials).zip(&mock.asked) {
        let name = ["a", "b"][place.subject];
        assert_eq!((trial.block, trial.position), (place.block, place.position));
        assert_eq!(trial.subject, name);
        assert_eq!((trial.scenario, trial.meter), (place.scenario, place.meter));
        assert_eq!((request.scenario, request.meter), (place.scenario, place.meter));
        assert_eq!((request.measure_ms, request.seed), (plan.measure_ms, plan.seed));
        // Blocks go round the links of each subject.
        let link = if name == "a" { place.block % 2 } else { 0 };
        assert_eq!(trial.link, link);
        assert_eq!(*binary, folder.path().join(format!("{name}{link}")));
    }
    assert_eq!(mock.timeouts, BTreeSet::from([Duration::from_millis(plan.timeout_ms)]));
    assert_eq!(load_record(&folder.path().join("out")).unwrap(), record);
}

#[test]
fn a_run_that_was_killed_is_finished_as_it_was_meant() {
    let whole = {
        let folder = tempfile::tempdir().unwrap();
        go(SessionStart::New, session(folder.path()), &mut Mock::default()).unwrap()
    };
    for dies_at in [0, 1, 7, 29] {
        let folder = tempfile::tempdir().unwrap();
        let mut mock = Mock { dies_at: Some(dies_at), ..Mock::default() };
        let killed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            go(SessionStart::New, session(folder.path()), &mut mock)
        }));
        assert!(killed.is_err());
        let kept = load_record(&folder.path().join("out")).unwrap();
        assert_eq!((kept.trials.len(), kept.finish.is_none()), (dies_at, true));
        let mut mock = Mock::default();
        let record = go(SessionStart::Resume, session(folder.path()), &mut mock).unwrap();
        assert_eq!(mock.asked.len(), whole.trials.len() - dies_at, "only what lacks");
        assert_eq!(record.trials, whole.trials);
        assert_eq!(record.id, kept.id);
        // Once more: there is nothing left to do.
        let mut mock = Mock::default();
        assert_eq!(go(SessionStart::Resume, session(folder.path()), &mut mock).unwrap(), record);
        assert_eq!(mock.asked.len(), 0);
    }
}

#[test]
fn a_lost_trial_does_not_stop_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let instead = vec![(3, Termination::TimedOut), (4, Termination::Signalled(11))];
    let mut mock = Mock { instead, ..Mock::default() };
    let record = go(SessionStart::New, session(folder.path()), &mut mock).unwrap();
    let lost = record.trials.iter().filter(|t| matches!(t.outcome, TrialOutcome::Lost { .. }));
    assert_eq!(lost.count(), 2);
    assert_eq!(record.trials.len(), 30);
}

#[test]
fn what_is_unsupported_is_not_planned_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let refusal: fn(&Path, &DriverRequest) -> Option<DriverRefusal> = |binary, request| {
        let memory = request.scenario.family() == "memory";
        (memory && binary.ends_with("b0")).then(|| DriverRefusal::Unsupported("no".to_owned()))
    };
    let mut mock = Mock { refusal: Some(refusal), ..Mock::default() };
    let mut told = vec![];
    let record = SessionStart::New
        .run_plan(session(folder.path()), &mut mock, &mut |event: &RunEvent<'_>| match event {
            RunEvent::Begun { planned, done, .. } => told.push((*done, *planned)),
            RunEvent::Ended { done, planned, .. } => told.push((*done, *planned)),
            _ => {}
        })
        .unwrap();
    assert_eq!(record.unsupported.len(), 1);
    assert_eq!(record.trials.len(), 30 - 3);
    assert_eq!(mock.asked.len(), 30 - 2, "asked once");
    assert_eq!((told[0], told[told.len() - 1]), ((0, 30), (27, 27)));
    assert!(told.windows(2).all(|pair| pair[0].1 >= pair[1].1), "{told:?}");
}

#[test]
fn a_run_is_not_resumed_on_another_ground() {
    let folder = tempfile::tempdir().unwrap();
    let mut mock = Mock { dies_at: Some(3), ..Mock::default() };
    let killed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        go(SessionStart::New, session(folder.path()), &mut mock)
    }));
    assert!(killed.is_err());
    let told = |change: fn(&mut Session)| {
        let mut session = session(folder.path());
        change(&mut session);
        let mut mock = Mock::default();
        let error = go(SessionStart::Resume, session, &mut mock).unwrap_err();
        assert!(matches!(error, ScheduleError::Differs(_)), "{error}");
        assert_eq!(mock.asked.len(), 0);
        error.to_string()
    };
    let said = [
        told(|s| {
            s.host.epoch.id = "fedcba9876543210".to_owned();
            s.host.epoch.facts.insert("kernel".to_owned(), "6.2".to_owned());
            s.host.epoch.facts.insert("microcode".to_owned(), "0x1".to_owned());
        }),
        told(|s| {
            s.plan.seed = 12;
            s.plan.blocks = 9;
        }),
        told(|s| drop(s.subjects.pop())),
        told(|s| s.subjects.reverse()),
        told(|s| {
            let other = s.subjects[1].entry.artifact.links[0].clone();
            s.subjects[0].entry.artifact.links[0] = other;
            s.subjects[0].binaries[0] = s.subjects[1].binaries[0].clone();
        }),
    ];
    insta::assert_snapshot!(said.join("\n\n"));
}

#[test]
fn what_makes_no_run_is_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let told = |change: fn(&mut Session)| {
        let mut session = session(folder.path());
        change(&mut session);
        let error = go(SessionStart::New, session, &mut Mock::default()).unwrap_err();
        assert!(!folder.path().join("out").exists(), "{error}");
        error.to_string().replace(&folder.path().display().to_string(), "DIR")
    };
    let said = [
        told(|s| s.subjects.clear()),
        told(|s| s.plan.scenarios.clear()),
        told(|s| s.plan.scenarios.push(s.plan.scenarios[0])),
        told(|s| s.subjects[1].entry.name = "a".to_owned()),
        told(|s| drop(s.subjects[0].binaries.pop())),
        told(|s| s.pki = s.pki.join("none")),
        told(|s| s.subjects[1].binaries[0].push("none")),
        told(|s| s.options.cpu = Some(4000)).split(':').next().unwrap().to_owned(),
    ];
    insta::assert_snapshot!(said.join("\n"));
    let session = session(folder.path());
    fs::write(&session.subjects[0].binaries[0], "another program").unwrap();
    let error = go(SessionStart::New, session, &mut Mock::default()).unwrap_err();
    assert!(matches!(error, ScheduleError::Binary { .. }), "{error}");
}

#[test]
fn a_folder_that_holds_a_run_is_not_used_again() {
    let folder = tempfile::tempdir().unwrap();
    go(SessionStart::New, session(folder.path()), &mut Mock::default()).unwrap();
    let error = go(SessionStart::New, session(folder.path()), &mut Mock::default()).unwrap_err();
    assert!(matches!(error, ScheduleError::Record(RecordFileError::Exists(_))), "{error}");
}

#[test]
fn ids_differ_and_are_fit_for_folders() {
    let (one, two) = (new_id(), new_id());
    assert_ne!(one, two);
    assert!(
        one.len() == 25 && one.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'),
        "{one}"
    );
}

/// Two pairs a block, and a judge that decides when it is told to.
fn compare(
    opening: SessionStart,
    folder: &Path,
    mock: &mut Mock,
    judge: &mut dyn crate::StoppingRule,
) -> Result<RunRecord, ScheduleError> {
    let mut session = session(folder);
    session.plan.blocks = 3;
    let budget = crate::ComparisonBudget { pairs: 2, count_runs: 4, repeats: 0, minutes: 60 };
    opening.compare(session, budget, judge, mock, &mut SilentObserver)
}

#[test]
fn a_comparison_measures_in_quartets_and_ends_when_all_is_decided() {
    let folder = tempfile::tempdir().unwrap();
    let mut asked = 0;
    let mut decided_after_two = |record: &RunRecord| {
        asked += 1;
        let cells = record.trials.iter().map(|trial| (trial.scenario, trial.meter));
        if asked < 2 { cells.collect() } else { Default::default() }
    };
    let mock = &mut Mock::default();
    let record = compare(SessionStart::New, folder.path(), mock, &mut decided_after_two).unwrap();
    assert_eq!(record.trials.iter().map(|trial| trial.block).max(), Some(1), "two blocks");
    let cell = |trial: &shakedown_protocol::Trial| (trial.block, trial.scenario, trial.meter);
    for group in record.trials.chunk_by(|one, next| cell(one) == cell(next)) {
        let names: Vec<&str> = group.iter().map(|trial| trial.subject.as_str()).collect();
        let four = names == ["a", "b", "b", "a"] || names == ["b", "a", "a", "b"];
        let two = names == ["a", "b"] || names == ["b", "a"];
        // Where base and head count the same, one run of each suffices.
        let counted = crate::paired_run::is_counted(&(group[0].scenario, group[0].meter));
        assert!(if counted { two } else { four }, "{names:?}");
    }
    assert!(record.trials.iter().any(|trial| trial.subject == "a" && trial.link == 1));
}

#[test]
fn a_comparison_that_was_killed_goes_on_as_it_would_have() {
    let whole = tempfile::tempdir().unwrap();
    let mut undecided = |record: &RunRecord| {
        record.trials.iter().map(|trial| (trial.scenario, trial.meter)).collect()
    };
    let meant =
        compare(SessionStart::New, whole.path(), &mut Mock::default(), &mut undecided).unwrap();
    let positions = |record: &RunRecord| -> Vec<_> {
        let of = |t: &shakedown_protocol::Trial| {
            (t.block, t.position, t.subject.clone(), t.scenario, t.meter)
        };
        record.trials.iter().map(of).collect()
    };
    let folder = tempfile::tempdir().unwrap();
    let mut dies = Mock { dies_at: Some(7), ..Mock::default() };
    let killed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        compare(SessionStart::New, folder.path(), &mut dies, &mut undecided)
    }));
    assert!(killed.is_err());
    let finished =
        compare(SessionStart::Resume, folder.path(), &mut Mock::default(), &mut undecided).unwrap();
    assert_eq!(positions(&finished), positions(&meant));
}
