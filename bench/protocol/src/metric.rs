//! What a number means: its unit and which way is better.

use crate::names::named;

named! {
    /// Which way a metric improves.
    Better ("direction") {
        /// More is better.
        Higher = "higher",
        /// Less is better.
        Lower = "lower",
    }
}

named! {
    /// The unit of a metric.
    Unit ("unit") {
        /// Handshakes per second of the side's own time.
        HandshakesPerSecond = "handshakes/s",
        /// Operations per second of the side's own time.
        OperationsPerSecond = "operations/s",
        /// Mebibytes (2^20 bytes) of application data per second of the side's own time.
        MebibytesPerSecond = "MiB/s",
        /// Microseconds.
        Microseconds = "µs",
        /// Kibibytes (2^10 bytes).
        Kibibytes = "KiB",
        /// Bytes per session.
        BytesPerSession = "B/session",
        /// Machine instructions per operation.
        InstructionsPerOperation = "instructions/op",
        /// Heap allocations per operation.
        AllocationsPerOperation = "allocations/op",
        /// Bytes per operation.
        BytesPerOperation = "B/op",
        /// Bytes.
        Bytes = "B",
        /// Locks per operation.
        LocksPerOperation = "locks/op",
        /// Waits for a lock per operation.
        WaitsPerOperation = "waits/op",
        /// TLS records per operation.
        RecordsPerOperation = "records/op",
        /// Flights per operation: turns in which an end sent something.
        FlightsPerOperation = "flights/op",
    }
}

named! {
    /// One number that a trial yields for one side.
    Metric ("metric") {
        /// Operations per second of handshakes.
        Handshakes = "handshakes",
        /// Operations per second of a primitive.
        Operations = "operations",
        /// Application data, or data of a primitive, per second.
        Throughput = "throughput",
        /// Median time of one operation.
        LatencyP50 = "latency-p50",
        /// 99th percentile of the time of one operation.
        LatencyP99 = "latency-p99",
        /// Highest resident set of the process.
        PeakMemory = "peak-memory",
        /// Growth of memory with one more session.
        SessionMemory = "session-memory",
        /// Instructions executed by the side.
        Instructions = "instructions",
        /// Calls that allocate or grow heap memory.
        Allocations = "allocations",
        /// Heap bytes asked for.
        AllocatedBytes = "allocated-bytes",
        /// Most heap bytes alive at once.
        PeakHeap = "peak-heap",
        /// Bytes that the side put on the wire.
        WireBytes = "wire-bytes",
        /// Records that the side put on the wire.
        Records = "records",
        /// Flights that the side sent.
        Flights = "flights",
        /// Locks that the side took by functions of the C library.
        LockOperations = "lock-operations",
        /// Times that the side found a lock taken, and waited for it.
        LockWaits = "lock-waits",
    }
}

impl Metric {
    /// The unit of the metric's values.
    pub const fn unit(self) -> Unit {
        match self {
            Self::Handshakes => Unit::HandshakesPerSecond,
            Self::Operations => Unit::OperationsPerSecond,
            Self::Throughput => Unit::MebibytesPerSecond,
            Self::LatencyP50 | Self::LatencyP99 => Unit::Microseconds,
            Self::PeakMemory => Unit::Kibibytes,
            Self::SessionMemory => Unit::BytesPerSession,
            Self::Instructions => Unit::InstructionsPerOperation,
            Self::Allocations => Unit::AllocationsPerOperation,
            Self::AllocatedBytes | Self::WireBytes => Unit::BytesPerOperation,
            Self::PeakHeap => Unit::Bytes,
            Self::Records => Unit::RecordsPerOperation,
            Self::Flights => Unit::FlightsPerOperation,
            Self::LockOperations => Unit::LocksPerOperation,
            Self::LockWaits => Unit::WaitsPerOperation,
        }
    }

    /// Which way is better. Rates grow; everything that is spent shrinks.
    pub const fn better(self) -> Better {
        match self {
            _ if self.is_rate() => Better::Higher,
            _ => Better::Lower,
        }
    }

    /// Whether it is an amount per second of the side's own time.
    pub const fn is_rate(self) -> bool {
        matches!(self, Self::Handshakes | Self::Operations | Self::Throughput)
    }

    /// Whether the metric is counted (exact or nearly so) rather than timed.
    pub const fn is_count(self) -> bool {
        !(self.is_rate() || matches!(self, Self::LatencyP50 | Self::LatencyP99))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_units_and_directions_stay() {
        let table: Vec<String> = Metric::ALL
            .iter()
            .map(|m| format!("{m} [{}] {} {}", m.unit(), m.better(), m.is_count()))
            .collect();
        insta::assert_snapshot!(table.join("\n"));
    }

    #[test]
    fn every_name_parses_back() {
        for metric in Metric::ALL {
            assert_eq!(metric.name().parse(), Ok(*metric));
        }
    }
}
