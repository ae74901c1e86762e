//! The loop body that every scenario implements and every meter runs.

use crate::{
    Pipe,
    check::Checker,
    step_meter::StepMeter,
    wire::{WireCounter, WireObserver},
};
use shakedown_protocol::{DriverRefusal, WireTraffic};

/// What a meter measures.
pub trait Operation {
    /// Runs one operation under `meter` and returns the application bytes it transferred.
    ///
    /// # Errors
    /// Fails if the operation fails or its connection does not pass the check.
    fn run_operation(&mut self, meter: &mut impl StepMeter) -> Result<u64, DriverRefusal>;
}

/// What one thread does in a scenario with connections, one operation at a time.
pub trait Workload<'a>: Operation {
    /// Runs one unmetered operation with an observer that is made for the pipes from client to server and
    /// back.
    ///
    /// # Errors
    /// Fails if the operation fails or its connection does not pass the check.
    fn observe<O: WireObserver>(
        &mut self,
        observer: impl FnOnce(&Pipe, &Pipe) -> O,
    ) -> Result<O, DriverRefusal>;

    /// Runs one unmetered operation and counts what it puts on the wire.
    ///
    /// # Errors
    /// Fails if the operation fails or its connection does not pass the check.
    fn probe(&mut self) -> Result<WireTraffic, DriverRefusal> {
        Ok(self.observe(WireCounter::new)?.finish()?)
    }

    /// The checker that has seen every connection of this workload.
    fn into_checker(self) -> Checker<'a>;
}
