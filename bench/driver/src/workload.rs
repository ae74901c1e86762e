//! The loop body that every scenario implements and every meter runs.

use crate::{check::Checker, step_meter::StepMeter};
use shakedown_protocol::{DriverRefusal, WireTraffic};

/// What one thread does in a scenario, one operation at a time.
pub trait Workload<'a> {
    /// Runs one unmetered operation and counts what it puts on the wire.
    ///
    /// # Errors
    /// Fails if the operation fails or its connection does not pass the check.
    fn probe(&mut self) -> Result<WireTraffic, DriverRefusal>;

    /// Runs one operation under `meter` and returns the application bytes it transferred.
    ///
    /// # Errors
    /// Fails if the operation fails or its connection does not pass the check.
    fn run_operation(&mut self, meter: &mut impl StepMeter) -> Result<u64, DriverRefusal>;

    /// The checker that has seen every connection of this workload.
    fn into_checker(self) -> Checker<'a>;
}
