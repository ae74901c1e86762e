//! Whether to believe a driver. Whatever is not an answer, or can't be true, costs the
//! trial: it is kept as lost, with the reason.

use crate::execute::{Execution, Termination};
use shakedown_protocol::{
    HostWatch, Kind, Latency, Measured, Meter, Outcome, Reply, Request, Side, SideResult,
};

/// The kernel counts resident pages in batches per thread: two readings of one peak may
/// differ by this much, in KiB.
const PEAK_SLACK_KIB: u64 = 4096;

/// How a trial ended, from what its process left behind.
pub(crate) fn outcome(request: &Request, execution: &Execution) -> Outcome {
    let lost = |reason: String| Outcome::Lost { reason, stderr: execution.stderr.clone() };
    if let Some(reason) = failure_reason(&execution.ending) {
        return lost(reason);
    }
    match serde_json::from_slice::<Reply>(&execution.stdout) {
        Err(error) => lost(unreadable_reply(&execution.stdout, &error)),
        Ok(Reply::Refused(refusal)) => Outcome::Refused(refusal),
        Ok(Reply::Measured(mut measured)) => {
            fill_in(&mut measured, execution.instructions);
            let implausibilities = implausibilities(request, &measured, &execution.watch);
            if implausibilities.is_empty() {
                Outcome::Measured(measured)
            } else {
                lost(format!("the driver's answer can't be true: {}", implausibilities.join("; ")))
            }
        }
    }
}

/// Adds what was counted from outside of the driver. In transfers the server sends.
fn fill_in(measured: &mut Measured, instructions: Option<[u64; 2]>) {
    let Some([client, server]) = instructions else { return };
    for side in &mut measured.sides {
        let counted = match side.side {
            Side::Client | Side::Receive => client,
            Side::Server | Side::Send => server,
            Side::Both => continue,
        };
        if let Some(counts) = &mut side.counts {
            counts.instructions = Some(counted);
        }
    }
}

/// Why a process that ended so can't be asked for its answer.
pub(crate) fn failure_reason(ending: &Termination) -> Option<String> {
    match ending {
        Termination::Exited(0) => None,
        Termination::Exited(code) => Some(format!("the driver exited with {code}")),
        Termination::Signalled(number) => {
            let name = nix::sys::signal::Signal::try_from(*number);
            let name = name.map_or_else(|_| format!("signal {number}"), |name| name.to_string());
            Some(format!("the driver was killed by {name}"))
        }
        Termination::TimedOut => Some("the driver took too long and was killed".to_owned()),
        Termination::Flooded => {
            Some("the driver wrote more than any answer has and was killed".to_owned())
        }
        Termination::NotStarted(why) => Some(format!("the driver could not be started: {why}")),
    }
}

/// Describes an answer that is none.
pub(crate) fn unreadable_reply(stdout: &[u8], error: &serde_json::Error) -> String {
    if stdout.is_empty() {
        return "the driver printed nothing".to_owned();
    }
    let text = String::from_utf8_lossy(stdout);
    let mut start: String = text.chars().take(80).collect::<String>().escape_debug().collect();
    if text.chars().nth(80).is_some() {
        start.push('…');
    }
    format!("the driver's answer is not one of the protocol ({error}): {start}")
}

/// Everything in an answer that can't be true.
fn implausibilities(request: &Request, measured: &Measured, watch: &HostWatch) -> Vec<String> {
    let scenario = &request.scenario;
    if measured.scenario != *scenario {
        return vec![format!("it measured `{}` instead", measured.scenario)];
    }
    let mut found = measured.negotiated.differences(scenario);
    if !scenario.in_tree && measured.checked == 0 {
        found.push("no connection was checked".to_owned());
    }
    if measured.wire.is_some() == scenario.in_tree {
        let has = if scenario.in_tree { "has" } else { "lacks" };
        found.push(format!("it {has} wire facts"));
    }
    let sides: Vec<_> = measured.sides.iter().map(|result| result.side).collect();
    if sides != scenario.sides() {
        let names: Vec<&str> = sides.iter().map(|side| side.name()).collect();
        found.push(format!("its sides are [{}]", names.join(", ")));
        return found;
    }
    match (request.meter, scenario.kind) {
        (Meter::Time, Kind::Memory { sessions }) => {
            found.extend(implausible_memory(measured, sessions, watch));
        }
        (Meter::Time, kind) => {
            let bulk = matches!(kind, Kind::Bulk { .. });
            let threads = u64::from(scenario.threads.get());
            found.extend(
                measured.sides.iter().filter_map(|one| implausible_sample(one, bulk, threads)),
            );
            found.extend(measured.sides.iter().filter_map(|one| implausible_latency(one, watch)));
            found.extend(implausible_time(measured, threads, watch));
        }
        (meter, _) => {
            found.extend(measured.sides.iter().filter_map(|one| implausible_count(one, meter)))
        }
    }
    found
}

fn implausible_memory(measured: &Measured, sessions: u32, watch: &HostWatch) -> Option<String> {
    let Some(memory) = &measured.memory else { return Some("it has no memory".to_owned()) };
    if memory.sessions != sessions {
        return Some(format!("it held {} sessions instead of {sessions}", memory.sessions));
    }
    if memory.peak_kib == 0 || memory.peak_kib < memory.baseline_kib {
        let (peak, base) = (memory.peak_kib, memory.baseline_kib);
        return Some(format!("its peak is {peak} KiB over a baseline of {base} KiB"));
    }
    (memory.peak_kib > watch.peak_kib + PEAK_SLACK_KIB).then(|| {
        let (said, seen) = (memory.peak_kib, watch.peak_kib);
        format!("its peak is {said} KiB, the kernel saw {seen} KiB")
    })
}

fn implausible_sample(result: &SideResult, bulk: bool, threads: u64) -> Option<String> {
    let side = result.side;
    if result.samples.is_empty() {
        return Some(format!("{side} has no samples"));
    }
    result.samples.iter().find_map(|sample| {
        if sample.operations == 0 || sample.nanoseconds == 0 || (bulk && sample.bytes == 0) {
            Some(format!("a sample of {side} is empty"))
        } else if sample.thread >= threads {
            Some(format!("{side} has a sample of thread {} of {threads}", sample.thread))
        } else {
            None
        }
    })
}

fn implausible_latency(result: &SideResult, watch: &HostWatch) -> Option<String> {
    let Latency { p50, p90, p99, p999, max, .. } = *result.latency.as_ref()?;
    let side = result.side;
    if ![p50, p90, p99, p999, max].is_sorted() {
        return Some(format!("the percentiles of {side} are not in order"));
    }
    // Histogram buckets round up, by less than a hundredth.
    let most = watch.wall_us.saturating_mul(1000);
    (max / 101 * 100 > most)
        .then(|| format!("an operation of {side} took {max} ns, the whole process {most} ns"))
}

/// The sides of a thread take turns: their times together fit into the process's.
fn implausible_time(measured: &Measured, threads: u64, watch: &HostWatch) -> Option<String> {
    let most = u128::from(watch.wall_us) * 1000;
    (0..threads).find_map(|thread| {
        let samples = measured.sides.iter().flat_map(|side| &side.samples);
        let timed: u128 = samples
            .filter(|sample| sample.thread == thread)
            .map(|sample| u128::from(sample.nanoseconds))
            .sum();
        let text = || format!("thread {thread} timed {timed} ns, the process lived {most} ns");
        (timed > most).then(text)
    })
}

fn implausible_count(result: &SideResult, meter: Meter) -> Option<String> {
    let side = result.side;
    let Some(counts) = result.counts.filter(|counts| counts.operations > 0) else {
        return Some(format!("{side} has no counts"));
    };
    let counted = match meter {
        Meter::Instructions => counts.instructions.is_some_and(|count| count > 0),
        Meter::Heap => counts.allocations.is_some() && counts.allocated_bytes.is_some(),
        Meter::Time => true,
    };
    (!counted).then(|| format!("{side} lacks what it was asked to count"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{execution, measured, request};
    use shakedown_protocol::{Counts, MemoryPoint, Refusal, Sample, Wire};

    const FULL: &str = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
    const BULK: &str = "bulk/tls1.3/aes256-gcm/x25519/ecdsa-p256/write-16KiB";
    const IN_TREE: &str = "intree/handshake-full/tls1.3/aes256-gcm/default/ecdsa-p256";
    const MEMORY: &str = "memory/tls1.3/aes256-gcm/x25519/ecdsa-p256/sessions-10";

    fn judged(id: &str, meter: Meter, change: impl FnOnce(&mut Measured)) -> String {
        let request = request(id, meter);
        let mut answer = measured(&request);
        change(&mut answer);
        let text = serde_json::to_vec(&Reply::Measured(answer)).unwrap();
        match outcome(&request, &execution(&text)) {
            Outcome::Measured(_) => "believed".to_owned(),
            Outcome::Lost { reason, .. } => reason,
            Outcome::Refused(refusal) => format!("{refusal:?}"),
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
        let time = |change: fn(&mut Measured)| judged(FULL, Meter::Time, change);
        let said = [
            time(|m| m.scenario = BULK.parse().unwrap()),
            time(|m| m.negotiated.resumed = true),
            time(|m| m.checked = 0),
            time(|m| m.wire = None),
            judged(IN_TREE, Meter::Time, |m| m.wire = Some(Wire::default())),
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
        ];
        insta::assert_snapshot!(said.join("\n"));
    }

    #[test]
    fn threads_each_have_the_whole_wall_time() {
        let id = format!("{FULL}/threads-2");
        let samples = |second| {
            let sample =
                |thread| Sample { operations: 1, nanoseconds: 450_000_000, bytes: 0, thread };
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
    fn what_is_no_answer_is_lost_with_its_stderr() {
        let request = request(FULL, Meter::Time);
        let told = |ending, stdout: &str| {
            let execution = Execution { ending, ..execution(stdout.as_bytes()) };
            match outcome(&request, &execution) {
                Outcome::Lost { reason, stderr } => format!("{reason} [{stderr}]"),
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
            let text = serde_json::to_vec(&Reply::Measured(answer)).unwrap();
            let without = outcome(&request, &execution(&text));
            assert!(matches!(without, Outcome::Lost { .. }), "{without:?}");
            let with = Execution { instructions: Some([7, 9]), ..execution(&text) };
            let Outcome::Measured(answer) = outcome(&request, &with) else { panic!() };
            let counted =
                answer.sides.iter().map(|side| side.counts.unwrap().instructions.unwrap());
            assert_eq!(counted.collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn a_refusal_is_an_answer() {
        let refusal = Refusal::Unsupported("no ML-KEM".to_owned());
        let text = serde_json::to_vec(&Reply::Refused(refusal.clone())).unwrap();
        let outcome = outcome(&request(FULL, Meter::Time), &execution(&text));
        assert_eq!(outcome, Outcome::Refused(refusal));
    }
}
