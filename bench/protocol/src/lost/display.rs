//! One line for each reason, for people.

use super::{Implausibility, LostReason, Mismatch};
use std::fmt;

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { parameter, required, negotiated } = self;
        write!(f, "{parameter}: wanted {required}, negotiated {negotiated}")
    }
}

impl fmt::Display for LostReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted { error } => write!(f, "the driver could not be started: {error}"),
            Self::Exited { code } => write!(f, "the driver exited with {code}"),
            Self::Killed { signal } => match signal_name(*signal) {
                Some(name) => write!(f, "the driver was killed by {name}"),
                None => write!(f, "the driver was killed by signal {signal}"),
            },
            Self::TimedOut => f.write_str("the driver took too long and was killed"),
            Self::TooMuchOutput => {
                f.write_str("the driver wrote more than any answer has and was killed")
            }
            Self::NoReply => f.write_str("the driver printed nothing"),
            Self::UnreadableReply { error, start } => {
                write!(f, "the driver's answer is not one of the protocol ({error}): {start}")
            }
            Self::Implausible { found } => {
                f.write_str("the driver's answer can't be true: ")?;
                for (index, each) in found.iter().enumerate() {
                    if index > 0 {
                        f.write_str("; ")?;
                    }
                    write!(f, "{each}")?;
                }
                Ok(())
            }
            Self::Unclassified { text } => f.write_str(text),
        }
    }
}

impl fmt::Display for Implausibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherScenario { measured } => write!(f, "it measured `{measured}` instead"),
            Self::Negotiated { mismatch } => write!(f, "{mismatch}"),
            Self::NothingChecked => f.write_str("nothing was checked"),
            Self::UnexpectedWire => f.write_str("it has wire facts"),
            Self::NoWire => f.write_str("it lacks wire facts"),
            Self::Sides { found } => {
                let names: Vec<&str> = found.iter().map(|side| side.name()).collect();
                write!(f, "its sides are [{}]", names.join(", "))
            }
            Self::NoMemory => f.write_str("it has no memory"),
            Self::Sessions { found, required } => {
                write!(f, "it held {found} sessions instead of {required}")
            }
            Self::PeakBelowBaseline { peak_kib, baseline_kib } => {
                write!(f, "its peak is {peak_kib} KiB over a baseline of {baseline_kib} KiB")
            }
            Self::PeakAboveKernel { reported_kib, observed_kib } => {
                write!(f, "its peak is {reported_kib} KiB, the kernel saw {observed_kib} KiB")
            }
            Self::NoSamples { side } => write!(f, "{side} has no samples"),
            Self::EmptySample { side } => write!(f, "a sample of {side} is empty"),
            Self::UnknownThread { side, thread, threads } => {
                write!(f, "{side} has a sample of thread {thread} of {threads}")
            }
            Self::UnorderedPercentiles { side } => {
                write!(f, "the percentiles of {side} are not in order")
            }
            Self::OperationTooLong { side, operation_ns, process_ns } => write!(
                f,
                "an operation of {side} took {operation_ns} ns, the whole process {process_ns} ns"
            ),
            Self::TimedTooLong { thread, timed_ns, process_ns } => {
                write!(f, "thread {thread} timed {timed_ns} ns, the process lived {process_ns} ns")
            }
            Self::NoCounts { side } => write!(f, "{side} has no counts"),
            Self::MissingCount { side } => write!(f, "{side} lacks what it was asked to count"),
        }
    }
}

/// The signals that end a process which did not ask for them, as numbered on Linux.
const fn signal_name(number: i32) -> Option<&'static str> {
    Some(match number {
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        31 => "SIGSYS",
        _ => return None,
    })
}
