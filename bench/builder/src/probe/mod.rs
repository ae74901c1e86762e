//! Determines which variants of a driver fit a library.
//!
//! A driver whose library changes its API from revision to revision has a folder `probes` with
//! a folder for each *surface* that changed, and in it a small Rust file for each *variant* of
//! the surface. Each file is compiled as an example of the driver. Exactly one variant of each
//! surface must compile. The absence of an API is a variant with its own probe.

mod outcome;
mod set;

use crate::{
    BuildError, BuildPhase, Incompatibility, call::BuildLog, job::BuildJob,
    library::InstalledLibrary, plan::BuildPlan, work_folder::WorkFolder,
};
use set::ProbeSet;
use std::collections::BTreeMap;

pub(crate) use outcome::compiler_error;

/// The variant of each surface.
pub(crate) type Surfaces = BTreeMap<String, String>;

/// Variable with the surfaces for the driver's build script.
const VARIABLE: &str = "SHAKEDOWN_SURFACES";

/// The surfaces in the format of the driver's build script.
pub(crate) fn variable(surfaces: &Surfaces) -> (&'static str, String) {
    let list: Vec<String> =
        surfaces.iter().map(|(surface, variant)| format!("{surface}={variant}")).collect();
    (VARIABLE, list.join(","))
}

/// Compiles the probes of the driver in `work`. A driver without probes has no surfaces.
pub(crate) fn surfaces(
    job: &BuildJob<'_>,
    plan: &BuildPlan,
    installed: Option<&InstalledLibrary>,
    work: &WorkFolder,
) -> Result<Surfaces, BuildError> {
    let folder = work.place(plan.driver_folder());
    let Some(probes) = ProbeSet::read(&folder.join("probes"))? else { return Ok(Surfaces::new()) };
    job.phase(BuildPhase::Probes);
    probes.write(&folder.join("examples"))?;
    let mut command = plan.cargo(job, "check", work, installed);
    command.args(["--examples", "--keep-going", "--message-format", "json"]);
    let mut log = BuildLog::create(&job.cache.at("logs", &format!("{}-probes.log", plan.id)))?;
    let phase = format!("probes {}", plan.package.name);
    // Probes that do not compile make cargo fail: what it says of each is what counts.
    let ended = job.run(&mut log, "probes", &phase, &mut command);
    let text = log.text().map_err(BuildError::io("read", &log.path))?;
    let outcomes = outcome::read(&text);
    outcome::summarise(&mut log, &outcomes);
    if let Some(error) = &outcomes.library {
        let why = Incompatibility::Compile { error: error.clone() };
        return Err(plan.incompatible(why, &log.path));
    }
    if !probes.complete(&outcomes) {
        ended?;
        let why = Incompatibility::Compile { error: "cargo compiled no probes".to_owned() };
        return Err(plan.incompatible(why, &log.path));
    }
    probes.judge(&outcomes).map_err(|why| plan.incompatible(why, &log.path))
}
