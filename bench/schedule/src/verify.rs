//! Whether to believe a driver. Whatever is not an answer, or can't be true, costs the
//! trial: it is kept as lost, with the reason.

use crate::execute::{Execution, Termination};
use serde::de::DeserializeOwned;
use shakedown_protocol::{
    DriverReply, DriverRequest, HostWatch, Implausibility, Latency, LostReason, Measurement, Meter,
    Metric, ScenarioKind, Side, SideResult, TranscriptReply, TrialOutcome,
};

/// The kernel counts resident pages in batches per thread: two readings of one peak may
/// differ by this much, in KiB.
const PEAK_SLACK_KIB: u64 = 4096;

/// How a trial ended, from what its process left behind.
pub(crate) fn outcome(request: &DriverRequest, execution: &Execution) -> TrialOutcome {
    let lost = |reason: LostReason| TrialOutcome::Lost { reason, stderr: execution.stderr.clone() };
    match reply(execution) {
        Err(reason) => lost(reason),
        Ok(DriverReply::Refused(refusal)) => TrialOutcome::Refused(refusal),
        Ok(DriverReply::Measured(mut measured)) => {
            fill_in(&mut measured, execution.instructions);
            let found = implausibilities(request, &measured, &execution.watch);
            if found.is_empty() {
                TrialOutcome::Measured(measured)
            } else {
                lost(LostReason::Implausible { found })
            }
        }
    }
}

/// What a driver answered that was asked for a transcript.
pub(crate) fn transcript(execution: &Execution) -> Result<TranscriptReply, LostReason> {
    reply(execution)
}

/// A driver's answer, unverified.
fn reply<T: DeserializeOwned>(execution: &Execution) -> Result<T, LostReason> {
    if let Some(reason) = failure_reason(&execution.ending) {
        return Err(reason);
    }
    serde_json::from_slice(&execution.stdout)
        .map_err(|error| unreadable_reply(&execution.stdout, &error))
}

/// What a profiled process answered, where it did what was asked. Its counts are in the profile.
pub(crate) fn profiled(request: &DriverRequest, execution: &Execution) -> TrialOutcome {
    let lost = |reason: LostReason| TrialOutcome::Lost { reason, stderr: execution.stderr.clone() };
    match reply(execution) {
        Err(reason) => lost(reason),
        Ok(DriverReply::Refused(refusal)) => TrialOutcome::Refused(refusal),
        Ok(DriverReply::Measured(measured)) => {
            let found = other_work(request, &measured);
            if found.is_empty() {
                TrialOutcome::Measured(measured)
            } else {
                lost(LostReason::Implausible { found })
            }
        }
    }
}

/// Adds what was counted from outside of the driver. In transfers the server sends.
fn fill_in(measured: &mut Measurement, instructions: Option<[u64; 2]>) {
    let Some([client, server]) = instructions else { return };
    for side in &mut measured.sides {
        let counted = match side.side {
            Side::Client | Side::Receive | Side::Local => client,
            Side::Server | Side::Send => server,
            Side::Both => continue,
        };
        if let Some(counts) = &mut side.counts {
            counts.instructions = Some(counted);
        }
    }
}

/// Why a process that ended so can't be asked for its answer.
pub(crate) fn failure_reason(ending: &Termination) -> Option<LostReason> {
    Some(match ending {
        Termination::Exited(0) => return None,
        Termination::Exited(code) => LostReason::Exited { code: *code },
        Termination::Signalled(number) => LostReason::Killed { signal: *number },
        Termination::TimedOut => LostReason::TimedOut,
        Termination::Flooded => LostReason::TooMuchOutput,
        Termination::NotStarted(why) => LostReason::NotStarted { error: why.clone() },
    })
}

/// Describes an answer that is none.
pub(crate) fn unreadable_reply(stdout: &[u8], error: &serde_json::Error) -> LostReason {
    if stdout.is_empty() {
        return LostReason::NoReply;
    }
    let text = String::from_utf8_lossy(stdout);
    let mut start: String = text.chars().take(80).collect::<String>().escape_debug().collect();
    if text.chars().nth(80).is_some() {
        start.push('…');
    }
    LostReason::UnreadableReply { error: error.to_string(), start }
}

/// Where another scenario was measured, or something else was negotiated than asked for.
fn other_work(request: &DriverRequest, measured: &Measurement) -> Vec<Implausibility> {
    if measured.scenario != request.scenario {
        return vec![Implausibility::OtherScenario { measured: measured.scenario }];
    }
    let mismatches = measured.differences().into_iter();
    mismatches.map(|mismatch| Implausibility::Negotiated { mismatch }).collect()
}

/// Everything in an answer that can't be true.
fn implausibilities(
    request: &DriverRequest,
    measured: &Measurement,
    watch: &HostWatch,
) -> Vec<Implausibility> {
    let mut found = other_work(request, measured);
    let scenario = &request.scenario;
    if measured.scenario != *scenario {
        return found;
    }
    if !scenario.in_tree() && measured.checked == 0 {
        found.push(Implausibility::NothingChecked);
    }
    let has_wire = scenario.tls().is_some_and(|tls| !tls.in_tree);
    match (has_wire, measured.wire.is_some()) {
        (false, true) => found.push(Implausibility::UnexpectedWire),
        (true, false) => found.push(Implausibility::NoWire),
        _ => {}
    }
    let sides: Vec<_> = measured.sides.iter().map(|result| result.side).collect();
    if sides != scenario.sides() {
        found.push(Implausibility::Sides { found: sides });
        return found;
    }
    match (request.meter, scenario.tls().map(|tls| tls.kind)) {
        (Meter::Time, Some(ScenarioKind::Memory { sessions })) => {
            found.extend(implausible_memory(measured, sessions, watch));
        }
        (Meter::Time, _) => {
            let bytes = scenario.rate() == Some(Metric::Throughput);
            let threads = u64::from(scenario.threads().get());
            found.extend(
                measured.sides.iter().filter_map(|one| implausible_sample(one, bytes, threads)),
            );
            found.extend(measured.sides.iter().filter_map(|one| implausible_latency(one, watch)));
            found.extend(implausible_time(measured, threads, watch));
        }
        (meter, _) => {
            // Of a real server the load generator is not counted. A driver that counts nothing is wrong.
            let counted = |one: &SideResult| one.counts.is_some();
            let one_will_do = meter == Meter::Instructions && measured.sides.iter().any(counted);
            let sides = measured.sides.iter().filter(|one| !one_will_do || counted(one));
            found.extend(sides.filter_map(|one| implausible_count(one, meter)))
        }
    }
    found
}

fn implausible_memory(
    measured: &Measurement,
    sessions: u32,
    watch: &HostWatch,
) -> Option<Implausibility> {
    let Some(memory) = &measured.memory else { return Some(Implausibility::NoMemory) };
    if memory.sessions != sessions {
        return Some(Implausibility::Sessions { found: memory.sessions, required: sessions });
    }
    let (peak_kib, baseline_kib) = (memory.peak_kib, memory.baseline_kib);
    if peak_kib == 0 || peak_kib < baseline_kib {
        return Some(Implausibility::PeakBelowBaseline { peak_kib, baseline_kib });
    }
    let observed_kib = watch.peak_kib;
    (peak_kib > observed_kib + PEAK_SLACK_KIB)
        .then_some(Implausibility::PeakAboveKernel { reported_kib: peak_kib, observed_kib })
}

fn implausible_sample(result: &SideResult, bytes: bool, threads: u64) -> Option<Implausibility> {
    let side = result.side;
    if result.samples.is_empty() {
        return Some(Implausibility::NoSamples { side });
    }
    result.samples.iter().find_map(|sample| {
        if sample.operations == 0 || sample.nanoseconds == 0 || (bytes && sample.bytes == 0) {
            Some(Implausibility::EmptySample { side })
        } else if sample.thread >= threads {
            Some(Implausibility::UnknownThread { side, thread: sample.thread, threads })
        } else {
            None
        }
    })
}

fn implausible_latency(result: &SideResult, watch: &HostWatch) -> Option<Implausibility> {
    let Latency { p50, p90, p99, p999, max, .. } = *result.latency.as_ref()?;
    let side = result.side;
    if ![p50, p90, p99, p999, max].is_sorted() {
        return Some(Implausibility::UnorderedPercentiles { side });
    }
    // Histogram buckets round up, by less than a hundredth.
    let process_ns = watch.wall_us.saturating_mul(1000);
    (max / 101 * 100 > process_ns).then_some(Implausibility::OperationTooLong {
        side,
        operation_ns: max,
        process_ns,
    })
}

/// The sides of a thread take turns: their times together fit into the process's. A real server and its
/// clients work at once: there they fit into the CPU time of the processes that there were.
fn implausible_time(
    measured: &Measurement,
    threads: u64,
    watch: &HostWatch,
) -> Option<Implausibility> {
    let process_us = watch.wall_us.max(watch.user_us.saturating_add(watch.system_us));
    let process_ns = process_us.saturating_mul(1000);
    (0..threads).find_map(|thread| {
        let samples = measured.sides.iter().flat_map(|side| &side.samples);
        let timed_ns = samples
            .filter(|sample| sample.thread == thread)
            .fold(0, |sum: u64, sample| sum.saturating_add(sample.nanoseconds));
        (timed_ns > process_ns).then_some(Implausibility::TimedTooLong {
            thread,
            timed_ns,
            process_ns,
        })
    })
}

fn implausible_count(result: &SideResult, meter: Meter) -> Option<Implausibility> {
    let side = result.side;
    let Some(counts) = result.counts.filter(|counts| counts.operations > 0) else {
        return Some(Implausibility::NoCounts { side });
    };
    let counted = match meter {
        Meter::Instructions => counts.instructions.is_some_and(|count| count > 0),
        Meter::Heap => counts.allocations.is_some() && counts.allocated_bytes.is_some(),
        Meter::Locks => counts.lock_operations.is_some() && counts.lock_waits.is_some(),
        Meter::Time => true,
    };
    (!counted).then_some(Implausibility::MissingCount { side })
}

#[cfg(test)]
mod tests;
