//! Why a trial has no result although its driver ran, or should have run.

mod display;

use crate::{Scenario, Side, names::named};
use serde::{Deserialize, Serialize};

/// Why a trial was lost. The texts of the variants are those of the operating system and of
/// parsers; everything else is data, and [`fmt::Display`] makes one line of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum LostReason {
    /// The process could not be started.
    NotStarted {
        /// What the operating system said.
        error: String,
    },
    /// The driver ended with another exit code than 0.
    Exited {
        /// The exit code.
        code: i32,
    },
    /// A signal that the scheduler did not send ended the driver.
    Killed {
        /// Number of the signal.
        signal: i32,
    },
    /// The driver exceeded [`RunPlan::timeout_ms`](crate::RunPlan) and was killed.
    TimedOut,
    /// The driver wrote more than any reply has and was killed.
    TooMuchOutput,
    /// The driver ended without a reply.
    NoReply,
    /// The driver's output is not a reply of the driver protocol.
    UnreadableReply {
        /// What the parser said.
        error: String,
        /// The first characters of the output, control characters escaped.
        start: String,
    },
    /// The reply contradicts the request, itself or what the kernel observed.
    Implausible {
        /// What can't be true.
        found: Vec<Implausibility>,
    },
    /// A record of schema 1 gives the reason as text only.
    Unclassified {
        /// That text.
        text: String,
    },
}

named! {
    /// A negotiated parameter that a scenario determines.
    Parameter ("parameter") {
        /// Whether there is a connection: primitives have none.
        Connection = "connection",
        /// Protocol version.
        Version = "version",
        /// Cipher suite.
        CipherSuite = "cipher-suite",
        /// Whether the session was resumed.
        Resumed = "resumed",
        /// Key exchange group.
        Group = "group",
        /// Type of the server's key.
        Key = "key",
        /// Whether the client authenticated itself.
        ClientAuth = "client-auth",
        /// Whether the server accepted the client's early data.
        EarlyData = "early-data",
        /// Number of records of an operation.
        Records = "records",
        /// Number of certificates that the server sent.
        Certificates = "certificates",
        /// Whether the server stapled an OCSP response.
        OcspResponse = "ocsp-response",
    }
}

/// A parameter that was negotiated differently from what the scenario requires.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Mismatch {
    /// The parameter.
    pub parameter: Parameter,
    /// The value that the scenario requires.
    pub required: String,
    /// The value that was negotiated.
    pub negotiated: String,
}

/// Something in a driver's reply that can't be true.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Implausibility {
    /// It is about another scenario.
    OtherScenario {
        /// That scenario.
        measured: Scenario,
    },
    /// A parameter does not match the scenario, and the driver accepted it.
    Negotiated {
        /// The parameter.
        mismatch: Mismatch,
    },
    /// No connection, and no outcome of a primitive, was checked against the scenario.
    NothingChecked,
    /// An in-tree benchmark or a primitive reports traffic, which it can't know.
    UnexpectedWire,
    /// The reply has no traffic of an operation.
    NoWire,
    /// The sides are not those of the scenario, in their order.
    Sides {
        /// The sides of the reply.
        found: Vec<Side>,
    },
    /// A memory scenario without memory.
    NoMemory,
    /// Another number of sessions than asked for.
    Sessions {
        /// Sessions that were alive.
        found: u32,
        /// Sessions that were asked for.
        required: u32,
    },
    /// The peak is zero or below the baseline.
    PeakBelowBaseline {
        /// Peak, in KiB.
        peak_kib: u64,
        /// Baseline, in KiB.
        baseline_kib: u64,
    },
    /// The peak is above what the kernel observed.
    PeakAboveKernel {
        /// Peak in the reply, in KiB.
        reported_kib: u64,
        /// Peak that the kernel observed, in KiB.
        observed_kib: u64,
    },
    /// A side without samples.
    NoSamples {
        /// The side.
        side: Side,
    },
    /// A sample without operations, time or bytes.
    EmptySample {
        /// The side.
        side: Side,
    },
    /// A sample of a thread that does not exist.
    UnknownThread {
        /// The side.
        side: Side,
        /// Index of the thread.
        thread: u64,
        /// Threads of the scenario.
        threads: u64,
    },
    /// A higher percentile below a lower one.
    UnorderedPercentiles {
        /// The side.
        side: Side,
    },
    /// An operation longer than the process.
    OperationTooLong {
        /// The side.
        side: Side,
        /// Time of the operation, in nanoseconds.
        operation_ns: u64,
        /// Time of the process, in nanoseconds.
        process_ns: u64,
    },
    /// A thread that timed more than the process lived.
    TimedTooLong {
        /// Index of the thread.
        thread: u64,
        /// Sum of its samples, in nanoseconds.
        timed_ns: u64,
        /// Time of the process, in nanoseconds.
        process_ns: u64,
    },
    /// A side without counts.
    NoCounts {
        /// The side.
        side: Side,
    },
    /// A side that lacks the counts of the meter.
    MissingCount {
        /// The side.
        side: Side,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_data_in_json_and_one_line_for_people() {
        let reason = LostReason::Implausible {
            found: vec![
                Implausibility::Negotiated {
                    mismatch: Mismatch {
                        parameter: Parameter::Resumed,
                        required: "true".to_owned(),
                        negotiated: "false".to_owned(),
                    },
                },
                Implausibility::PeakAboveKernel { reported_kib: 9, observed_kib: 5 },
            ],
        };
        let json = serde_json::to_string(&reason).unwrap();
        assert_eq!(serde_json::from_str::<LostReason>(&json).unwrap(), reason);
        let killed = LostReason::Killed { signal: 11 };
        insta::assert_snapshot!(format!("{json}\n{reason}\n{killed}"), @r#"
        {"kind":"implausible","found":[{"kind":"negotiated","mismatch":{"parameter":"resumed","required":"true","negotiated":"false"}},{"kind":"peak-above-kernel","reported_kib":9,"observed_kib":5}]}
        the driver's answer can't be true: resumed: wanted true, negotiated false; its peak is 9 KiB, the kernel saw 5 KiB
        the driver was killed by SIGSEGV
        "#);
    }
}
