mod comparisons;
mod counts;
mod supplied;

use super::*;
use crate::{
    BuiltSubject, SessionOptions, SilentObserver,
    execute::{DriverCall, Execution, Termination},
    testing::{self, entry, execution, measured},
};
use shakedown_protocol::{
    CountTiming, DriverRefusal, DriverReply, DriverRequest, Meter, Scenario, Trial, TrialOutcome,
};
use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// Answers without processes, and remembers what it was asked.
#[derive(Default)]
pub(super) struct Mock {
    pub(super) asked: Mutex<Vec<AskedTrial>>,
    /// Answers that are not the sound one: by number of the job.
    pub(super) instead: Vec<(usize, Termination)>,
    /// Panics from this job on, as if killed.
    pub(super) dies_at: Option<usize>,
    pub(super) refusal: Option<fn(&Path, &DriverRequest) -> Option<DriverRefusal>>,
}

/// What a [`Mock`] was asked for.
#[derive(Clone)]
pub(super) struct AskedTrial {
    pub(super) binary: PathBuf,
    pub(super) request: DriverRequest,
    pub(super) cpus: Vec<u32>,
    timeout: Duration,
}

impl Mock {
    pub(super) fn asked(&self) -> Vec<AskedTrial> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Executor for Mock {
    fn execute(&self, job: &DriverCall<'_>) -> Execution {
        let request: DriverRequest = serde_json::from_slice(job.input).unwrap();
        let number = {
            let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            assert!(self.dies_at.is_none_or(|at| asked.len() < at), "killed");
            asked.push(AskedTrial {
                binary: job.binary.to_owned(),
                request: request.clone(),
                cpus: job.cpus.to_vec(),
                timeout: job.timeout,
            });
            asked.len() - 1
        };
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
        options: SessionOptions {
            lock: Some(folder.join("lock")),
            counts: Some(CountTiming::AfterTimes),
            ..SessionOptions::default()
        },
    }
}

/// Its trials in the order of the plan.
pub(super) fn by_position(record: &RunRecord) -> Vec<Trial> {
    let mut trials = record.trials.clone();
    trials.sort_by_key(|trial| (trial.block, trial.position));
    trials
}

/// What each of them measured, in the order of the plan.
pub(super) fn places(record: &RunRecord) -> Vec<(u32, u32, String, Scenario, Meter)> {
    let place = |t: &Trial| (t.block, t.position, t.subject.clone(), t.scenario, t.meter);
    by_position(record).iter().map(place).collect()
}

fn go(opening: SessionStart, session: Session, mock: &Mock) -> Result<RunRecord, ScheduleError> {
    opening.run_plan(session, mock, &mut SilentObserver)
}

#[test]
fn trials_come_in_the_planned_order_with_the_planned_budgets() {
    let folder = tempfile::tempdir().unwrap();
    let mock = Mock::default();
    let record = go(SessionStart::New, session(folder.path()), &mock).unwrap();
    let plan = testing::plan();
    let cpu = TrialCpus::choose(&HostFiles::here(), None).unwrap().for_threads(1).to_vec();
    let places = order::planned_trials(&plan, 2);
    assert_eq!(record.trials.len(), places.len());
    assert_eq!(record.finish.as_ref().unwrap().planned, places.len() as u64);
    let asked = mock.asked();
    let times = asked.iter().take_while(|one| one.request.meter == Meter::Time && one.cpus == cpu);
    assert!(times.count() >= 2 * 2 * 3, "times come first");
    let mut binaries = Vec::new();
    for (place, trial) in places.iter().zip(&by_position(&record)) {
        let name = ["a", "b"][place.subject];
        assert_eq!((trial.block, trial.position), (place.block, place.position));
        assert_eq!(trial.subject, name);
        assert_eq!((trial.scenario, trial.meter), (place.scenario, place.meter));
        // Blocks go round the links of each subject.
        let link = if name == "a" { place.block % 2 } else { 0 };
        assert_eq!(trial.link, link);
        let binary = folder.path().join(format!("{name}{link}"));
        binaries.push((binary, place.scenario, place.meter));
    }
    let of = |one: &AskedTrial| (one.binary.clone(), one.request.scenario, one.request.meter);
    let mut ran: Vec<_> = asked.iter().map(of).collect();
    ran.sort();
    binaries.sort();
    assert_eq!(ran, binaries);
    for one in &asked {
        assert_eq!((one.request.measure_ms, one.request.seed), (plan.measure_ms, plan.seed));
        assert_eq!(one.timeout, Duration::from_millis(plan.timeout_ms));
    }
    assert_eq!(load_record(&folder.path().join("out")).unwrap(), record);
}

#[test]
fn a_run_that_was_killed_is_finished_as_it_was_meant() {
    let whole = {
        let folder = tempfile::tempdir().unwrap();
        go(SessionStart::New, session(folder.path()), &Mock::default()).unwrap()
    };
    for dies_at in [0, 1, 7, 29] {
        let folder = tempfile::tempdir().unwrap();
        let mock = Mock { dies_at: Some(dies_at), ..Mock::default() };
        let killed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            go(SessionStart::New, session(folder.path()), &mock)
        }));
        assert!(killed.is_err());
        let kept = load_record(&folder.path().join("out")).unwrap();
        assert_eq!((kept.trials.len(), kept.finish.is_none()), (dies_at, true));
        let mock = Mock::default();
        let record = go(SessionStart::Resume, session(folder.path()), &mock).unwrap();
        assert_eq!(mock.asked().len(), whole.trials.len() - dies_at, "only what lacks");
        assert_eq!(record.trials[..dies_at], kept.trials[..], "what was saved stays as it was");
        assert_eq!(places(&record), places(&whole));
        assert_eq!(record.id, kept.id);
        // Once more: there is nothing left to do.
        let mock = Mock::default();
        assert_eq!(go(SessionStart::Resume, session(folder.path()), &mock).unwrap(), record);
        assert_eq!(mock.asked().len(), 0);
    }
}

#[test]
fn a_lost_trial_does_not_stop_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let instead = vec![(3, Termination::TimedOut), (4, Termination::Signalled(11))];
    let mock = Mock { instead, ..Mock::default() };
    let record = go(SessionStart::New, session(folder.path()), &mock).unwrap();
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
    let mock = Mock { refusal: Some(refusal), ..Mock::default() };
    let mut told = vec![];
    let record = SessionStart::New
        .run_plan(session(folder.path()), &mock, &mut |event: &RunEvent<'_>| match event {
            RunEvent::Begun { planned, done, .. } => told.push((*done, *planned)),
            RunEvent::Ended { done, planned, .. } => told.push((*done, *planned)),
            _ => {}
        })
        .unwrap();
    assert_eq!(record.unsupported.len(), 1);
    assert_eq!(record.trials.len(), 30 - 3);
    assert!(mock.asked().len() <= 30, "asked once, or twice at the same time");
    assert_eq!((told[0], told[told.len() - 1]), ((0, 30), (27, 27)));
    assert!(told.windows(2).all(|pair| pair[0].1 >= pair[1].1), "{told:?}");
}

#[test]
fn a_run_is_not_resumed_on_another_ground() {
    let folder = tempfile::tempdir().unwrap();
    let mock = Mock { dies_at: Some(3), ..Mock::default() };
    let killed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        go(SessionStart::New, session(folder.path()), &mock)
    }));
    assert!(killed.is_err());
    let told = |change: fn(&mut Session)| {
        let mut session = session(folder.path());
        change(&mut session);
        let mock = Mock::default();
        let error = go(SessionStart::Resume, session, &mock).unwrap_err();
        assert!(matches!(error, ScheduleError::Differs(_)), "{error}");
        assert_eq!(mock.asked().len(), 0);
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
        let error = go(SessionStart::New, session, &Mock::default()).unwrap_err();
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
    let error = go(SessionStart::New, session, &Mock::default()).unwrap_err();
    assert!(matches!(error, ScheduleError::Binary { .. }), "{error}");
}

#[test]
fn a_folder_that_holds_a_run_is_not_used_again() {
    let folder = tempfile::tempdir().unwrap();
    go(SessionStart::New, session(folder.path()), &Mock::default()).unwrap();
    let error = go(SessionStart::New, session(folder.path()), &Mock::default()).unwrap_err();
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
