//! Compiles the driver with its library and caches the result.

use crate::{
    BuildError, BuildEvent, BuildPhase, Incompatibility, ResolvedSubject,
    cache::Cache,
    call::BuildLog,
    comment::Compilers,
    dependencies::{self, LockfileInputs},
    digest, in_tree, in_tree_build,
    job::{BuildJob, check_room},
    library::InstalledLibrary,
    link::{self, Linker},
    plan::BuildPlan,
    probe::{self, Surfaces},
    toolchain::RustToolchain,
    tools, trial, work_folder,
};
use shakedown_protocol::Artifact;
use std::{
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Name of the binary in every driver package.
const BINARY: &str = "driver";
pub(crate) const RECORD: &str = "artifact.json";
const KIT: &str = "kit.tar";
/// What the names of folders begin with in which links are made. Whoever was killed leaves one.
const ASIDE: &str = ".links-";

/// An artifact in the cache.
#[derive(Debug, Clone)]
pub struct BuiltArtifact {
    /// Its description and provenance.
    pub artifact: Artifact,
    /// One binary per link, in the order of [`Artifact::links`]; the unshuffled one first.
    pub binaries: Vec<PathBuf>,
    /// Whether the cache contained all of it already.
    pub cached: bool,
}

/// Builds the planned artifact with at least `links` links, or finds it in the cache.
pub(crate) fn artifact(
    job: &BuildJob<'_>,
    wanted: &ResolvedSubject,
    plan: &BuildPlan,
    links: u32,
) -> Result<BuiltArtifact, BuildError> {
    let links = links.max(1);
    let place = job.cache.at("artifacts", &plan.id);
    if let Some(found) = look_up(&place, links) {
        job.report(&BuildEvent::Cached);
        return Ok(found);
    }
    let _lock = job.lock("artifact", &plan.id)?;
    if let Some(found) = look_up(&place, links) {
        job.report(&BuildEvent::Cached);
        return Ok(found);
    }
    if look_up(&place, 1).is_none() {
        tools::check(job.caller, wanted)?;
        check_room(&job.cache.root, wanted.stack.disk_mib)?;
        build(job, plan, &place)?;
    }
    if links > 1 {
        add_links(job, &plan.rust, &plan.id, &place, links)?;
    }
    job.report(&BuildEvent::Done { elapsed: job.started.elapsed() });
    let built = look_up(&place, links).ok_or_else(|| {
        BuildError::io("read", &place)(io::Error::other("it is not as it was written"))
    })?;
    Ok(BuiltArtifact { cached: false, ..built })
}

/// Makes links of an artifact in the cache until it has `links`; `rust` must be what linked it.
pub(crate) fn more_links(
    job: &BuildJob<'_>,
    rust: &RustToolchain,
    id: &str,
    links: u32,
) -> Result<BuiltArtifact, BuildError> {
    let place = job.cache.at("artifacts", id);
    let _lock = job.lock("artifact", id)?;
    if look_up(&place, links).is_none() {
        add_links(job, rust, id, &place, links)?;
    }
    look_up(&place, links).ok_or_else(|| {
        BuildError::io("read", &place)(io::Error::other("it is not as it was written"))
    })
}

/// The artifact at `place`, if it is complete and has this many links.
pub(crate) fn look_up(place: &Path, links: u32) -> Option<BuiltArtifact> {
    let mut artifact: Artifact =
        serde_json::from_slice(&fs::read(place.join(RECORD)).ok()?).ok()?;
    if artifact.links.len() < links as usize {
        return None;
    }
    // Others may have asked for more of them before.
    artifact.links.truncate(links as usize);
    let binaries: Vec<PathBuf> = (0..links).map(|number| place.join(binary(number))).collect();
    artifact.programs.truncate(links as usize);
    let is = |path: &Path, sha256: &String| digest::file(path).is_ok_and(|f| f == *sha256);
    let whole = binaries.iter().zip(&artifact.links).all(|(path, sha256)| is(path, sha256))
        && (0..links)
            .zip(&artifact.programs)
            .all(|(number, sha256)| is(&place.join(in_tree::program(number)), sha256));
    if whole && links > 1 {
        // `spare_links` goes by it. A cache that can't be written to is not tidied either.
        let _ = fs::File::options()
            .append(true)
            .open(place.join(RECORD))
            .and_then(|record| record.set_modified(SystemTime::now()));
    }
    whole.then_some(BuiltArtifact { artifact, binaries, cached: true })
}

/// File name of the measured program: the driver with the library, or the benchmark that it runs.
pub(crate) fn measured(driver: &str, number: u32) -> String {
    if driver == in_tree::DRIVER { in_tree::program(number) } else { binary(number) }
}

/// File name of a link.
pub(crate) fn binary(number: u32) -> String {
    if number == 0 { "driver".to_owned() } else { format!("driver.{number}") }
}

fn build(job: &BuildJob<'_>, plan: &BuildPlan, place: &Path) -> Result<(), BuildError> {
    let installed = plan.library.as_ref().map(|l| l.install(job, &plan.fetched)).transpose()?;
    let aside = job.cache.aside(place)?;
    let surfaces = compile(job, plan, installed.as_ref(), aside.path())?;
    if let Some(installed) = &installed {
        // So that users can link another program with the same library.
        let to = aside.path().join("library");
        std::os::unix::fs::symlink(&installed.prefix, &to).map_err(BuildError::io("write", &to))?;
    }
    let name = plan.package.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let driver = aside.path().join(measured(&name, 0));
    let sha256 = |path: &Path| digest::file(path).map_err(BuildError::io("read", path));
    let mut compilers = Compilers::default();
    compilers.look_into(&driver).map_err(BuildError::io("read", &driver))?;
    plan.rust.check_made(&compilers.seen())?;
    if let Some(installed) = &installed {
        compilers.add(&installed.facts.compilers);
    }
    let mut environment = plan.chosen.clone();
    if !plan.rustflags.is_empty() {
        environment.insert("RUSTFLAGS".to_owned(), plan.rustflags.join(" "));
    }
    let artifact = Artifact {
        id: plan.id.clone(),
        subject: plan.fetched.subject.clone(),
        driver: name,
        driver_sha256: plan.package.sha256.clone(),
        own_driver: plan.own_driver.clone(),
        source: plan.fetched.seen.clone(),
        reference: plan.reference,
        surfaces,
        flags: plan.flags(),
        environment,
        run_environment: plan.run_environment.clone(),
        lockfile_sha256: digest::file(&aside.path().join("Cargo.lock"))
            .map_err(BuildError::io("read", aside.path()))?,
        crates: plan.measured_lock().crates(),
        compilers: compilers.seen(),
        rustc: plan.rust.version.clone(),
        links: vec![sha256(&aside.path().join(binary(0)))?],
        programs: plan.in_tree.iter().map(|_| sha256(&driver)).collect::<Result<_, _>>()?,
        seconds: job.started.elapsed().as_secs(),
    };
    record(job.cache, aside.path(), &artifact)?;
    aside.publish()?;
    Ok(())
}

pub(crate) fn record(cache: &Cache, folder: &Path, artifact: &Artifact) -> Result<(), BuildError> {
    let path = folder.join(RECORD);
    let text = serde_json::to_vec_pretty(artifact)
        .map_err(|error| BuildError::io("write", &path)(error.into()))?;
    cache.write(&path, &text)
}

/// Compiles the driver and copies it, its lockfile and what it was linked from.
fn compile(
    job: &BuildJob<'_>,
    plan: &BuildPlan,
    installed: Option<&InstalledLibrary>,
    into: &Path,
) -> Result<Surfaces, BuildError> {
    let _lock = job.lock("work", &plan.work)?;
    let work = plan.work_folder(job);
    let (tree, target, kit) = (work.join("tree"), work.join("target"), work.join(KIT));
    let start = LockfileInputs {
        package: &plan.package,
        injected: &plan.injected,
        features: &plan.features,
        fetched: &plan.fetched,
        work: &plan.work,
    };
    dependencies::lay_out(job.repository, &start, &tree, &plan.lock_text)?;
    work_folder::forget(&target.join("release"), &plan.package.name)
        .map_err(BuildError::io("clear", &target))?;
    let _ = fs::remove_file(&kit);
    let linker = Linker::find(job.caller, &plan.rust);
    let folder = tree.join(&plan.package.folder);
    let surfaces = probe::surfaces(job, plan, installed, &tree, &target)?;
    job.phase(BuildPhase::Driver);
    let mut command = plan.cargo(job, "rustc", &folder, &target, installed);
    command.args(["--bin", BINARY, "--"]);
    command.args(linker.iter().flat_map(|linker| linker.arguments(&kit)));
    let (name, value) = probe::variable(&surfaces);
    command.env(name, value);
    let mut log = BuildLog::create(&job.cache.at("logs", &format!("{}.log", plan.id)))?;
    let phase = format!("driver {}", plan.package.name);
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
    copy(&target.join("release").join(BINARY), &binary(0))?;
    copy(&tree.join(&plan.package.folder).join("Cargo.lock"), "Cargo.lock")?;
    let kit = match &plan.in_tree {
        Some(own) => in_tree_build::compile(job, plan, own, linker.as_ref(), into)?,
        None => linker.map(|_| kit),
    };
    if let Some(kit) = kit {
        copy(&kit, KIT)?;
    }
    if !surfaces.is_empty() {
        trial::first_connections(job, plan, &into.join(binary(0)), &log.path)?;
    }
    Ok(surfaces)
}

/// Adds links to the artifact at `place` until it has `links` binaries. The caller holds its lock.
fn add_links(
    job: &BuildJob<'_>,
    rust: &RustToolchain,
    id: &str,
    place: &Path,
    links: u32,
) -> Result<(), BuildError> {
    job.phase(BuildPhase::Links);
    let (kit, path) = (place.join(KIT), place.join(RECORD));
    let text = fs::read(&path).map_err(BuildError::io("read", &path))?;
    let mut artifact: Artifact = serde_json::from_slice(&text)
        .map_err(|error| BuildError::io("read", &path)(error.into()))?;
    let linker = Linker::find(job.caller, rust).filter(|_| kit.is_file());
    let Some(linker) = linker else {
        return Err(BuildError::Tools {
            subject: format!("{} in several links", job.subject),
            missing: vec!["ld.lld".to_owned()],
            install: "apt-get install lld".to_owned(),
        });
    };
    work_folder::remove_abandoned(place, ASIDE);
    let aside = tempfile::Builder::new().prefix(ASIDE).tempdir_in(place);
    let aside = aside.map_err(BuildError::io("create a folder in", place))?;
    let in_tree = artifact.driver == in_tree::DRIVER;
    let have = artifact.links.len() as u32;
    let plain = place.join(measured(&artifact.driver, 0));
    let digests = link::relink(job, &linker, id, &kit, &plain, have..links, aside.path())?;
    for number in have..links {
        let (from, to) =
            (aside.path().join(binary(number)), place.join(measured(&artifact.driver, number)));
        fs::rename(&from, &to).map_err(BuildError::io("move into place", &to))?;
        if in_tree {
            let (driver, again) = (place.join(binary(0)), aside.path().join("driver"));
            fs::hard_link(&driver, &again).map_err(BuildError::io("link", &driver))?;
            let to = place.join(binary(number));
            fs::rename(&again, &to).map_err(BuildError::io("move into place", &to))?;
        }
    }
    // The record comes last: until then the new binaries are not part of the artifact.
    if in_tree {
        let same = artifact.links[0].clone();
        artifact.links.resize(links as usize, same);
        artifact.programs.extend(digests);
    } else {
        artifact.links.extend(digests);
    }
    record(job.cache, place, &artifact)
}
