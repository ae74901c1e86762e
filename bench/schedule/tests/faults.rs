//! Drivers that misbehave cost their trial and nothing else.

#[path = "drivers/bench.rs"]
mod bench;
#[path = "drivers/sound.rs"]
mod sound;

use shakedown_protocol::{Aslr, DriverRefusal, Meter, RunRecord, Scenario, TrialOutcome};
use shakedown_schedule::{RunEvent, Session, SilentObserver, run};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

struct RunFolder {
    folder: tempfile::TempDir,
}

impl RunFolder {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    fn session(&self, manners: &[&str]) -> Session {
        bench::session(&self.out(), manners)
    }
}

fn saved(out: &Path) -> RunRecord {
    RunRecord::from_json(&fs::read_to_string(shakedown_schedule::record_path(out)).unwrap())
        .unwrap()
}

/// Runs one block of one scenario with a good driver beside one of this manner; returns how
/// the latter's trial ended.
fn beside_a_good_one(manner: &str, scenario: &str) -> TrialOutcome {
    let folder = RunFolder::new();
    let mut session = folder.session(&["good", manner]);
    session.plan.scenarios = vec![scenario.parse().unwrap()];
    session.plan.meters = vec![Meter::Time];
    session.plan.blocks = 1;
    session.plan.timeout_ms = if matches!(manner, "hang" | "parent") { 700 } else { 30_000 };
    let record = run(session, &mut SilentObserver).unwrap();
    assert_eq!(record, saved(&folder.out()));
    assert_eq!(record.trials.len(), 2, "{manner}");
    let of = |name: &str| record.trials.iter().find(|trial| trial.subject == name).unwrap();
    assert!(of("good").measured().is_some(), "{:?}", of("good"));
    of(manner).outcome.clone()
}

const FULL: &str = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
const TICKET: &str = "handshake-ticket/tls1.3/aes256-gcm/x25519/ecdsa-p256";

#[test]
fn each_misbehaviour_is_told() {
    let manners = [
        ("abort", FULL),
        ("segv", FULL),
        ("exit", FULL),
        ("hang", FULL),
        ("garbage", FULL),
        ("silent", FULL),
        ("babble", FULL),
        ("swapped", FULL),
        ("unresumed", TICKET),
    ];
    let told: Vec<String> = manners
        .iter()
        .map(|(manner, scenario)| match beside_a_good_one(manner, scenario) {
            TrialOutcome::Lost { reason, stderr } => format!("{manner}: {reason} [{stderr}]"),
            other => format!("{manner}: {other:?}"),
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn time_that_the_process_did_not_have_is_not_believed() {
    let TrialOutcome::Lost { reason, .. } = beside_a_good_one("timeless", FULL) else { panic!() };
    let text = reason.to_string();
    assert!(text.contains("thread 0 timed 40000000000 ns, the process lived"), "{text}");
}

#[test]
fn a_flood_of_stderr_keeps_its_end() {
    let TrialOutcome::Lost { reason, stderr } = beside_a_good_one("scream", FULL) else { panic!() };
    assert_eq!(reason, shakedown_protocol::LostReason::TooMuchOutput);
    assert!(stderr.len() <= 4096 && stderr.contains("no end no end"), "{}", stderr.len());
}

#[test]
fn refusals_and_deaf_drivers_are_answers() {
    assert_eq!(
        beside_a_good_one("broken", FULL),
        TrialOutcome::Refused(DriverRefusal::Broken("resumed: wanted true".to_owned()))
    );
    assert_eq!(
        beside_a_good_one("deaf", FULL),
        TrialOutcome::Refused(DriverRefusal::Failed("not read".to_owned()))
    );
}

#[test]
fn what_a_driver_started_dies_with_it() {
    for manner in ["parent", "orphan"] {
        let start = Instant::now();
        let TrialOutcome::Lost { stderr, .. } = beside_a_good_one(manner, FULL) else { panic!() };
        let child: u32 = stderr.strip_prefix("child ").unwrap().parse().unwrap();
        assert!(start.elapsed() < Duration::from_secs(30), "it was waited for");
        let gone = || match fs::read_to_string(format!("/proc/{child}/stat")) {
            Err(_) => true,
            // Dead, but not yet collected by the system.
            Ok(stat) => stat.contains(") Z "),
        };
        let deadline = Instant::now() + Duration::from_secs(5);
        while !gone() {
            assert!(Instant::now() < deadline, "{manner}: process {child} lives");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn unsupported_is_noted_once_and_not_tried_again() {
    let folder = RunFolder::new();
    let mut session = folder.session(&["good", "unsupported", "uncounted"]);
    session.plan.blocks = 3;
    let mut started = 0;
    let mut noted = vec![];
    let record = run(session, &mut |event: &RunEvent<'_>| match event {
        RunEvent::Started { subject: "unsupported", .. } => started += 1,
        RunEvent::Unsupported(what) => noted.push((*what).clone()),
        _ => {}
    });
    let record = record.unwrap();
    let of = |name: &str| record.trials.iter().filter(|trial| trial.subject == name).count();
    let scenarios = record.plan.scenarios.len();
    // Three scenarios, two of which can be counted.
    assert_eq!(of("good"), 3 * (3 + 2));
    assert_eq!(of("unsupported"), 0);
    assert_eq!(of("uncounted"), 3 * 3, "time is measured all the same");
    let whole: Vec<_> = record.unsupported.iter().filter(|one| one.meter.is_none()).collect();
    assert_eq!(whole.len(), scenarios);
    assert!(whole.iter().all(|one| one.subject == "unsupported" && one.reason == "no such suite"));
    let counts = record.unsupported.iter().filter(|one| one.meter == Some(Meter::Heap));
    assert_eq!(counts.filter(|one| one.subject == "uncounted").count(), 2);
    assert!(started <= scenarios + 2, "{started}");
    assert!(noted.len() >= scenarios);
    let finish = record.finish.clone().unwrap();
    assert_eq!(finish.planned, record.trials.len() as u64);
}

fn mirrored(aslr: Aslr, blocks: u32) -> Vec<String> {
    let folder = RunFolder::new();
    let mut session = folder.session(&["mirror"]);
    session.plan = shakedown_protocol::RunPlan {
        scenarios: vec![FULL.parse::<Scenario>().unwrap()],
        meters: vec![Meter::Time],
        blocks,
        aslr,
        ..session.plan
    };
    let record = run(session, &mut SilentObserver).unwrap();
    record
        .trials
        .into_iter()
        .map(|trial| match trial.outcome {
            TrialOutcome::Refused(DriverRefusal::Failed(text)) => {
                let cpu = trial.cpu.unwrap();
                assert!(text.contains(&format!("Cpus_allowed_list:\t{cpu}\n")), "{text}");
                text.replace(&format!("list:\t{cpu}\n"), "list:\tCPU\n")
            }
            other => panic!("{other:?}"),
        })
        .collect()
}

#[test]
fn without_randomisation_each_process_is_the_same() {
    let seen = mirrored(Aslr::Off, 3);
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[0], seen[2]);
    // Where the stack is depends on the machine.
    let lines: Vec<&str> = seen[0].lines().filter(|line| !line.starts_with("stack")).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn with_randomisation_each_process_differs() {
    let seen = mirrored(Aslr::On, 3);
    let line = |text: &str, start: &str| {
        text.lines().find(|line| line.starts_with(start)).unwrap().to_owned()
    };
    for start in ["stack", "variables"] {
        assert_ne!(line(&seen[0], start), line(&seen[1], start), "{start}");
        assert_ne!(line(&seen[1], start), line(&seen[2], start), "{start}");
    }
    assert_eq!(line(&seen[0], "personality"), "personality 00000000");
}

#[test]
fn trials_are_watched() {
    let folder = RunFolder::new();
    let mut session = folder.session(&["busy"]);
    session.plan.scenarios.truncate(1);
    session.plan.meters = vec![Meter::Time];
    session.plan.blocks = 1;
    let record = run(session, &mut SilentObserver).unwrap();
    let watch = &record.trials[0].watch;
    assert!((300_000..5_000_000).contains(&watch.wall_us), "{watch:?}");
    let cpu = watch.user_us + watch.system_us;
    assert!((50_000..=watch.wall_us + 20_000).contains(&cpu), "{watch:?}");
    assert!(watch.minor_faults > 0 && watch.peak_kib > 500, "{watch:?}");
    assert_eq!(watch.migrations.unwrap_or(0), 0, "it is pinned");
    assert!(watch.ready_us.unwrap_or(0) < watch.wall_us, "{watch:?}");
}

#[test]
fn drivers_describe_themselves() {
    let folder = RunFolder::new();
    let told = |manner: &str| {
        let folder = folder.folder.path();
        shakedown_schedule::describe(&bench::driver(folder, manner), &BTreeMap::new())
            .map_err(|error| error.to_string().replace(&folder.display().to_string(), "DIR"))
    };
    assert_eq!(told("good").unwrap().stack, "good");
    let said: Vec<String> =
        ["old", "abort", "garbage"].iter().map(|manner| told(manner).unwrap_err()).collect();
    insta::assert_snapshot!(said.join("\n"));
    let missing = shakedown_schedule::describe(Path::new("/nonexistent/driver"), &BTreeMap::new())
        .unwrap_err()
        .to_string();
    assert!(missing.contains("could not be started: No such file"), "{missing}");
}
