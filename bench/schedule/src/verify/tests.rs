use super::*;
use crate::testing::{execution, measured, request};
use shakedown_protocol::{Counts, DriverRefusal, MemoryPoint, Sample, WireTraffic};

const FULL: &str = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
const BULK: &str = "bulk/tls1.3/aes256-gcm/x25519/ecdsa-p256/write-16KiB";
const IN_TREE: &str = "intree/handshake-full/tls1.3/aes256-gcm/default/ecdsa-p256";
const MEMORY: &str = "memory/tls1.3/aes256-gcm/x25519/ecdsa-p256/sessions-10";

fn judged(id: &str, meter: Meter, change: impl FnOnce(&mut Measurement)) -> String {
    let request = request(id, meter);
    let mut answer = measured(&request);
    change(&mut answer);
    let text = serde_json::to_vec(&DriverReply::Measured(answer)).unwrap();
    match outcome(&request, &execution(&text)) {
        TrialOutcome::Measured(_) => "believed".to_owned(),
        TrialOutcome::Lost { reason, .. } => reason.to_string(),
        TrialOutcome::Refused(refusal) => format!("{refusal:?}"),
    }
}

#[test]
fn sound_answers_are_believed() {
    for id in [FULL, BULK, MEMORY, IN_TREE] {
        assert_eq!(judged(id, Meter::Time, |_| ()), "believed");
    }
    for meter in [Meter::Heap, Meter::Instructions] {
        assert_eq!(judged(FULL, meter, |_| ()), "believed");
    }
}

#[test]
fn lies_are_named() {
    let time = |change: fn(&mut Measurement)| judged(FULL, Meter::Time, change);
    let said = [
        time(|m| m.scenario = BULK.parse().unwrap()),
        time(|m| m.negotiated.as_mut().unwrap().resumed = true),
        time(|m| m.checked = 0),
        time(|m| m.wire = None),
        judged(IN_TREE, Meter::Time, |m| m.wire = Some(WireTraffic::default())),
        time(|m| m.sides.reverse()),
        time(|m| drop(m.sides.pop())),
        time(|m| m.sides[1].samples.clear()),
        time(|m| m.sides[0].samples[0].operations = 0),
        time(|m| m.sides[0].samples[0].nanoseconds = 0),
        time(|m| m.sides[0].samples[0].nanoseconds = u64::MAX),
        // Each side alone would fit into the process's second.
        time(|m| m.sides.iter_mut().for_each(|s| s.samples[0].nanoseconds = 600_000_000)),
        time(|m| m.sides[0].samples[0].thread = 1),
        time(|m| m.sides[0].latency.as_mut().unwrap().p99 = 1),
        time(|m| m.sides[0].latency.as_mut().unwrap().max = 2_000_000_000),
        judged(BULK, Meter::Time, |m| m.sides[0].samples[0].bytes = 0),
        judged(MEMORY, Meter::Time, |m| m.memory = None),
        judged(MEMORY, Meter::Time, |m| m.memory.as_mut().unwrap().sessions = 8),
        judged(MEMORY, Meter::Time, |m| m.memory.as_mut().unwrap().peak_kib = 10),
        judged(MEMORY, Meter::Time, |m| {
            m.memory = Some(MemoryPoint { sessions: 10, baseline_kib: 1, peak_kib: 9_999_999 });
        }),
        judged(FULL, Meter::Heap, |m| m.sides[0].counts = None),
        judged(FULL, Meter::Heap, |m| {
            m.sides[0].counts = Some(Counts { operations: 9, ..Counts::default() });
        }),
        judged(FULL, Meter::Instructions, |m| {
            m.sides[0].counts.as_mut().unwrap().instructions = Some(0);
        }),
        judged(FULL, Meter::Locks, |m| {
            m.sides[1].counts.as_mut().unwrap().lock_waits = None;
        }),
    ];
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn threads_each_have_the_whole_wall_time() {
    let id = format!("{FULL}/threads-2");
    let samples = |second| {
        let sample = |thread| Sample { operations: 1, nanoseconds: 450_000_000, bytes: 0, thread };
        vec![sample(0), sample(second)]
    };
    let both = |second| {
        judged(&id, Meter::Time, |m| {
            m.sides.iter_mut().for_each(|side| side.samples = samples(second));
        })
    };
    assert_eq!(both(1), "believed");
    assert!(both(0).contains("thread 0 timed 1800000000 ns"), "{}", both(0));
}

#[test]
fn a_server_and_its_clients_have_the_time_of_their_processes() {
    let request = request(FULL, Meter::Time);
    let mut answer = measured(&request);
    // A second passes, in which each of them works for 0.8 s.
    answer.sides.iter_mut().for_each(|side| side.samples[0].nanoseconds = 800_000_000);
    let text = serde_json::to_vec(&DriverReply::Measured(answer)).unwrap();
    let believed = |user_us| {
        let mut execution = execution(&text);
        (execution.watch.user_us, execution.watch.system_us) = (user_us, 100_000);
        matches!(outcome(&request, &execution), TrialOutcome::Measured(_))
    };
    assert!(believed(1_600_000));
    assert!(!believed(900_000));
}

#[test]
fn what_is_no_answer_is_lost_with_its_stderr() {
    let request = request(FULL, Meter::Time);
    let told = |ending, stdout: &str| {
        let execution = Execution { ending, ..execution(stdout.as_bytes()) };
        match outcome(&request, &execution) {
            TrialOutcome::Lost { reason, stderr } => format!("{reason} [{stderr}]"),
            other => format!("{other:?}"),
        }
    };
    let long = "x".repeat(100);
    let said = [
        told(Termination::Exited(3), ""),
        told(Termination::Signalled(libc::SIGSEGV), ""),
        told(Termination::TimedOut, ""),
        told(Termination::Flooded, ""),
        told(Termination::NotStarted("no such file".to_owned()), ""),
        told(Termination::Exited(0), ""),
        told(Termination::Exited(0), "hello\u{7}"),
        told(Termination::Exited(0), &long),
        told(Termination::Exited(0), "{\"measured\":{}}"),
    ];
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn counts_from_outside_reach_their_sides() {
    for (id, expected) in [(FULL, [7, 9]), (BULK, [9, 7])] {
        let request = request(id, Meter::Instructions);
        let mut answer = measured(&request);
        let unset = Some(Counts { operations: 5, ..Counts::default() });
        answer.sides.iter_mut().for_each(|side| side.counts = unset);
        let text = serde_json::to_vec(&DriverReply::Measured(answer)).unwrap();
        let without = outcome(&request, &execution(&text));
        assert!(matches!(without, TrialOutcome::Lost { .. }), "{without:?}");
        let with = Execution { instructions: Some([7, 9]), ..execution(&text) };
        let TrialOutcome::Measured(answer) = outcome(&request, &with) else { panic!() };
        let counted = answer.sides.iter().map(|side| side.counts.unwrap().instructions.unwrap());
        assert_eq!(counted.collect::<Vec<_>>(), expected);
    }
}

#[test]
fn one_side_that_counts_its_instructions_will_do() {
    let counted = |change: fn(&mut Measurement)| judged(FULL, Meter::Instructions, change);
    assert_eq!(counted(|m| m.sides[0].counts = None), "believed", "of a real server");
    for lie in [
        counted(|m| m.sides.iter_mut().for_each(|side| side.counts = None)),
        counted(|m| {
            m.sides[0].counts = None;
            m.sides[1].counts.as_mut().unwrap().instructions = None;
        }),
        counted(|m| m.sides[0].counts.as_mut().unwrap().instructions = None),
        judged(FULL, Meter::Heap, |m| m.sides[0].counts = None),
    ] {
        assert_ne!(lie, "believed");
    }
}

#[test]
fn a_refusal_is_an_answer() {
    let refusal = DriverRefusal::Unsupported("no ML-KEM".to_owned());
    let text = serde_json::to_vec(&DriverReply::Refused(refusal.clone())).unwrap();
    let outcome = outcome(&request(FULL, Meter::Time), &execution(&text));
    assert_eq!(outcome, TrialOutcome::Refused(refusal));
}
