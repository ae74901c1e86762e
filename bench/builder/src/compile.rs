//! Compiles a driver's package, by cargo or by Go.

use crate::{
    BuildError, BuildPhase, Incompatibility,
    artifact_files::{KIT, binary, measured},
    build_facts::CompileCost,
    call::BuildLog,
    comment::Compilers,
    compiled_driver::CompiledDriver,
    dependencies::{self, LockfileInputs},
    go, in_tree_build,
    job::BuildJob,
    library::InstalledLibrary,
    link::Linker,
    package::PackageLanguage,
    plan::BuildPlan,
    probe, trial,
    work_folder::{self, TARGET, TREE, WorkFolder},
};
use std::{fs, path::Path, time::Instant};

/// Name of the binary in every package of cargo.
const BINARY: &str = "driver";
const LOCKFILE: &str = "Cargo.lock";

/// Compiles the driver and copies it, its lockfile and what its links are made from into a folder.
pub(crate) fn driver(
    job: &BuildJob<'_>,
    plan: &BuildPlan,
    installed: Option<&InstalledLibrary>,
    into: &Path,
) -> Result<CompiledDriver, BuildError> {
    match plan.package.language {
        PackageLanguage::Rust => cargo(job, plan, installed, into),
        PackageLanguage::Go => go::compile(job, plan, into),
    }
}

fn cargo(
    job: &BuildJob<'_>,
    plan: &BuildPlan,
    installed: Option<&InstalledLibrary>,
    into: &Path,
) -> Result<CompiledDriver, BuildError> {
    let work = WorkFolder::take(job, &plan.work, &plan.dependencies())?;
    let (tree, target, kit) = (work.place(TREE), work.place(TARGET), work.place(KIT));
    let start = LockfileInputs {
        package: &plan.package,
        injected: &plan.injected,
        features: &plan.features,
        fetched: &plan.fetched,
    };
    dependencies::lay_out(job.repository, &start, &tree, &plan.lock_text)?;
    work_folder::forget(&target.join("release"), &plan.package.name)
        .map_err(BuildError::io("clear", &target))?;
    let _ = fs::remove_file(&kit);
    let linker = Linker::find(job.caller, &plan.rust);
    let surfaces = probe::surfaces(job, plan, installed, &work)?;
    job.phase(BuildPhase::Driver);
    let mut command = plan.cargo(job, "rustc", &work, installed);
    command.args(["--bin", BINARY, "--"]);
    command.args(linker.iter().flat_map(|linker| linker.arguments(&work.seen(KIT))));
    let (name, value) = probe::variable(&surfaces);
    command.env(name, value);
    let mut log = BuildLog::create(&job.cache.at("logs", &format!("{}.log", plan.id)))?;
    let phase = format!("driver {}", plan.package.name);
    let begun = Instant::now();
    if let Err(error) = job.run(&mut log, "cargo", &phase, &mut command) {
        let text = log.text().map_err(BuildError::io("read", &log.path))?;
        let compiler = probe::compiler_error(&text).filter(|_| !plan.injected.is_empty());
        return Err(match compiler {
            Some(error) => plan.incompatible(Incompatibility::Compile { error }, &log.path),
            None => error,
        });
    }
    let copy = |from: &Path, name: &str| {
        fs::copy(from, into.join(name)).map_err(BuildError::io("copy", from)).map(drop)
    };
    let mut cost = CompileCost::since(begun, &log)?;
    copy(&target.join("release").join(BINARY), &binary(0))?;
    copy(&work.place(plan.driver_folder()).join(LOCKFILE), LOCKFILE)?;
    let mut kit = linker.as_ref().map(|_| kit);
    if let Some(own) = &plan.in_tree {
        (kit, cost) = in_tree_build::compile(job, plan, own, (&work, linker.as_ref()), into)?;
    }
    if let Some(kit) = kit {
        copy(&kit, KIT)?;
    }
    work.finish(job, &mut log)?;
    drop(work);
    if !surfaces.is_empty() {
        trial::first_connections(job, plan, &into.join(binary(0)), &log.path)?;
    }
    let name = plan.package.folder.file_name().unwrap_or_default().to_string_lossy();
    let measured = into.join(measured(&name, 0));
    let mut compilers = Compilers::default();
    compilers.look_into(&measured).map_err(BuildError::io("read", &measured))?;
    plan.rust.check_made(&compilers.seen())?;
    Ok(CompiledDriver {
        surfaces,
        flags: Vec::new(),
        compilers: compilers.seen(),
        lockfile: LOCKFILE.into(),
        rustc: plan.rust.version.clone(),
        cost,
    })
}
