//! What the host did to a trial, judged by what was watched and never by what was measured.
//!
//! The thresholds are constants on purpose: a trial of one run must mean the same as one of
//! another. They are low: a flaw costs a repetition at most, an undetected one a verdict.

use shakedown_protocol::{Flaw, HostWatch};

/// Share of the wall time that a hypervisor may take: what is below the noise of a quiet
/// host. The clock behind it ticks every 10 ms, so that in short trials one tick is a flaw.
const STOLEN: f64 = 0.005;
/// Share of the wall time that the process may be ready to run without a CPU: the kernel's own
/// threads take less on an idle host, a busy neighbour takes half.
const PREEMPTED: f64 = 0.01;
/// Time ready without a CPU that the start of a process may cost, in microseconds: it matters
/// in trials that are as short as tests have them.
const START_READY_US: u64 = 1_000;
/// The share where the kernel does not count it, from the time off the CPU.
const OFF_CPU: f64 = 0.05;
/// Time off the CPU that the start and the end of a process take, in microseconds.
const START_US: u64 = 5_000;
/// Share by which the frequency may differ between start and end.
const FREQUENCY: f64 = 0.03;
/// Page faults served from disk that starting a program may cost: some of its pages may have
/// left the cache. More reach into the measuring.
const MAJOR_FAULTS: u64 = 16;

/// Leaves out what the kernel counts for one process alone. In an in-tree benchmark a child
/// does the work: its waits for a CPU are not in there, its time on the CPU is.
pub(crate) fn of_children(watch: HostWatch) -> HostWatch {
    HostWatch { ready_us: None, migrations: None, ..watch }
}

/// The flaws of a trial with `threads` threads.
pub(crate) fn judge(watch: &HostWatch, threads: u16) -> Vec<Flaw> {
    let wall = watch.wall_us as f64;
    let mut flaws = Vec::new();
    let mut flag = |flaw, found: bool| {
        if found {
            flaws.push(flaw);
        }
    };
    flag(Flaw::Stolen, watch.steal_us.is_some_and(|us| us as f64 > wall * STOLEN));
    // Threads wait for each other by themselves: being off the CPU is then no fault of the
    // host.
    if threads == 1 {
        let off = watch.wall_us.saturating_sub(watch.user_us + watch.system_us);
        let off = off.saturating_sub(START_US) as f64;
        let preempted = watch.ready_us.map_or(off > wall * OFF_CPU, |us| {
            us.saturating_sub(START_READY_US) as f64 > wall * PREEMPTED
        });
        flag(Flaw::Preempted, preempted);
        flag(Flaw::Waited, off > wall / 2.0);
    }
    flag(Flaw::Throttled, watch.throttles.is_some_and(|count| count > 0));
    let frequency = watch.khz_before.zip(watch.khz_after);
    flag(
        Flaw::Frequency,
        frequency.is_some_and(|(before, after)| {
            (after as f64 - before as f64).abs() > before as f64 * FREQUENCY
        }),
    );
    flag(Flaw::Migrated, watch.migrations.is_some_and(|count| count > 0));
    flag(Flaw::Paged, watch.major_faults > MAJOR_FAULTS);
    flaws
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One second, undisturbed.
    fn quiet() -> HostWatch {
        HostWatch {
            wall_us: 1_000_000,
            user_us: 980_000,
            system_us: 10_000,
            voluntary_switches: 5,
            involuntary_switches: 8,
            minor_faults: 900,
            peak_kib: 9000,
            ready_us: Some(900),
            steal_us: Some(0),
            throttles: Some(0),
            khz_before: Some(3_400_000),
            khz_after: Some(3_400_100),
            migrations: Some(0),
            ..HostWatch::default()
        }
    }

    #[test]
    fn a_quiet_trial_has_none() {
        assert_eq!(judge(&quiet(), 1), []);
        // A host that tells little is not blamed for it.
        let silent = HostWatch {
            ready_us: None,
            steal_us: None,
            throttles: None,
            khz_before: None,
            migrations: None,
            ..quiet()
        };
        assert_eq!(judge(&silent, 1), []);
    }

    #[test]
    fn each_flaw_is_found_alone() {
        let one = |change: fn(&mut HostWatch)| {
            let mut watch = quiet();
            change(&mut watch);
            judge(&watch, 1)
        };
        assert_eq!(one(|w| w.steal_us = Some(10_000)), [Flaw::Stolen]);
        assert_eq!(one(|w| w.ready_us = Some(20_000)), [Flaw::Preempted]);
        assert_eq!(one(|w| (w.user_us, w.ready_us) = (900_000, None)), [Flaw::Preempted]);
        assert_eq!(one(|w| w.user_us = 400_000), [Flaw::Waited]);
        assert_eq!(one(|w| w.throttles = Some(1)), [Flaw::Throttled]);
        assert_eq!(one(|w| w.khz_after = Some(3_000_000)), [Flaw::Frequency]);
        assert_eq!(one(|w| w.migrations = Some(1)), [Flaw::Migrated]);
        assert_eq!(one(|w| w.major_faults = 100), [Flaw::Paged]);
    }

    #[test]
    fn a_child_that_loses_its_cpu_is_seen() {
        let watch = HostWatch { user_us: 900_000, ..quiet() };
        assert_eq!(judge(&watch, 1), [], "the parent itself waited for nothing");
        assert_eq!(judge(&of_children(watch), 1), [Flaw::Preempted]);
        assert_eq!(judge(&of_children(quiet()), 1), []);
    }

    #[test]
    fn threads_may_wait_for_each_other() {
        let watch = HostWatch { user_us: 400_000, ready_us: Some(500_000), ..quiet() };
        assert_eq!(judge(&watch, 1), [Flaw::Preempted, Flaw::Waited]);
        assert_eq!(judge(&watch, 4), []);
    }
}
