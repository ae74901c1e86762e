//! Whether to believe a driver. Whatever is not an answer, or can't be true, costs the
//! trial: it is kept as lost, with the reason.

use crate::execute::{Execution, Termination};
use shakedown_protocol::{
    DriverReply, DriverRequest, HostWatch, Latency, Measurement, Meter, ScenarioKind, Side,
    SideResult, TrialOutcome,
};

/// The kernel counts resident pages in batches per thread: two readings of one peak may
/// differ by this much, in KiB.
const PEAK_SLACK_KIB: u64 = 4096;

/// How a trial ended, from what its process left behind.
pub(crate) fn outcome(request: &DriverRequest, execution: &Execution) -> TrialOutcome {
    let lost = |reason: String| TrialOutcome::Lost { reason, stderr: execution.stderr.clone() };
    if let Some(reason) = failure_reason(&execution.ending) {
        return lost(reason);
    }
    match serde_json::from_slice::<DriverReply>(&execution.stdout) {
        Err(error) => lost(unreadable_reply(&execution.stdout, &error)),
        Ok(DriverReply::Refused(refusal)) => TrialOutcome::Refused(refusal),
        Ok(DriverReply::Measured(mut measured)) => {
            fill_in(&mut measured, execution.instructions);
            let implausibilities = implausibilities(request, &measured, &execution.watch);
            if implausibilities.is_empty() {
                TrialOutcome::Measured(measured)
            } else {
                lost(format!("the driver's answer can't be true: {}", implausibilities.join("; ")))
            }
        }
    }
}

/// Adds what was counted from outside of the driver. In transfers the server sends.
fn fill_in(measured: &mut Measurement, instructions: Option<[u64; 2]>) {
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
fn implausibilities(
    request: &DriverRequest,
    measured: &Measurement,
    watch: &HostWatch,
) -> Vec<String> {
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
        (Meter::Time, ScenarioKind::Memory { sessions }) => {
            found.extend(implausible_memory(measured, sessions, watch));
        }
        (Meter::Time, kind) => {
            let bulk = matches!(kind, ScenarioKind::Bulk { .. });
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

fn implausible_memory(measured: &Measurement, sessions: u32, watch: &HostWatch) -> Option<String> {
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
fn implausible_time(measured: &Measurement, threads: u64, watch: &HostWatch) -> Option<String> {
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
mod tests;
