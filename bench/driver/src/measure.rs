//! Measures one request.

use crate::{Stack, check::broken, connections, operations};
use shakedown_protocol::{DriverRefusal, DriverRequest, Measurement, Scenario};

/// Measures `request`.
///
/// # Errors
/// The reason why nothing was measured.
pub fn measure<S: Stack>(request: &DriverRequest) -> Result<Measurement, DriverRefusal> {
    let measured = match &request.scenario {
        Scenario::Tls(scenario) => connections::measure::<S>(request, scenario),
        Scenario::Primitive(primitive) => operations::primitive::<S>(request, *primitive),
        Scenario::Load(load) => operations::load::<S>(request, *load),
    }?;
    broken(&measured.differences()).map_or(Ok(measured), Err)
}
