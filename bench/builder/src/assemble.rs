//! Compiles the driver with its library and caches the result.

use crate::{
    BuildError, BuildEvent, BuildPhase, ResolvedSubject,
    artifact_files::{KIT, RECORD, binary, measured},
    build_facts::{BuildFacts, SectionSizes},
    cache::Cache,
    comment::Compilers,
    compile, digest, go, in_tree,
    job::{BuildJob, check_room},
    link::{self, Linker, PlainLink},
    plan::BuildPlan,
    toolchain::RustToolchain,
    tools, work_folder,
};
use shakedown_protocol::Artifact;
use std::{
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// What the names of folders begin with in which links are made. Whoever was killed leaves one.
const ASIDE: &str = ".links-";

/// An artifact in the cache.
#[derive(Debug, Clone)]
pub struct BuiltArtifact {
    /// Its description and provenance.
    pub artifact: Artifact,
    /// One binary per link, in the order of [`Artifact::links`]; the unshuffled one first.
    pub binaries: Vec<PathBuf>,
    /// Its sizes and how long it took; `None` if it was built before these were kept.
    pub facts: Option<BuildFacts>,
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
    let facts = BuildFacts::read(place);
    whole.then_some(BuiltArtifact { artifact, binaries, facts, cached: true })
}

fn build(job: &BuildJob<'_>, plan: &BuildPlan, place: &Path) -> Result<(), BuildError> {
    let installed = plan.library.as_ref().map(|l| l.install(job, &plan.fetched)).transpose()?;
    let aside = job.cache.aside(place)?;
    let made = compile::driver(job, plan, installed.as_ref(), aside.path())?;
    if let Some(installed) = &installed {
        // So that users can link another program with the same library.
        let to = aside.path().join("library");
        std::os::unix::fs::symlink(&installed.prefix, &to).map_err(BuildError::io("write", &to))?;
    }
    let name = plan.package.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let driver = aside.path().join(measured(&name, 0));
    let sha256 = |path: &Path| digest::file(path).map_err(BuildError::io("read", path));
    let mut compilers = Compilers::default();
    compilers.add(&made.compilers);
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
        surfaces: made.surfaces,
        flags: [plan.flags(), made.flags].concat(),
        environment,
        run_environment: plan.run_environment.clone(),
        lockfile_sha256: sha256(&aside.path().join(made.lockfile))?,
        crates: plan.measured_lock().crates(),
        compilers: compilers.seen(),
        rustc: made.rustc,
        links: vec![sha256(&aside.path().join(binary(0)))?],
        programs: plan.in_tree.iter().map(|_| sha256(&driver)).collect::<Result<_, _>>()?,
        seconds: job.started.elapsed().as_secs(),
    };
    record(job.cache, aside.path(), &artifact)?;
    BuildFacts {
        program: SectionSizes::of([&driver])?,
        library: installed.as_ref().map(|found| SectionSizes::of(&found.archives)).transpose()?,
        library_cost: installed.as_ref().and_then(|found| found.facts.cost),
        driver_cost: made.cost,
    }
    .write(aside.path())?;
    aside.publish()?;
    Ok(())
}

pub(crate) fn record(cache: &Cache, folder: &Path, artifact: &Artifact) -> Result<(), BuildError> {
    let path = folder.join(RECORD);
    let text = serde_json::to_vec_pretty(artifact)
        .map_err(|error| BuildError::io("write", &path)(error.into()))?;
    cache.write(&path, &text)
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
    work_folder::remove_abandoned(place, ASIDE);
    let aside = tempfile::Builder::new().prefix(ASIDE).tempdir_in(place);
    let aside = aside.map_err(BuildError::io("create a folder in", place))?;
    let in_tree = artifact.driver == in_tree::DRIVER;
    let have = artifact.links.len() as u32;
    let plain = place.join(measured(&artifact.driver, 0));
    let plain = PlainLink { id, path: &plain };
    let digests = if go::made(place) {
        go::relink(job, &artifact, place, &plain, have..links, aside.path())?
    } else {
        let linker = Linker::find(job.caller, rust).filter(|_| kit.is_file());
        let linker = linker.ok_or_else(|| BuildError::Tools {
            subject: format!("{} in several links", job.subject),
            missing: vec!["ld.lld".to_owned()],
            install: "apt-get install lld".to_owned(),
        })?;
        link::relink(job, &linker, &kit, &plain, have..links, aside.path())?
    };
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
