//! Drivers that are modules of Go. The toolchain that is measured compiles them.

use crate::{
    BuildError, BuildPhase,
    artifact_files::binary,
    build_facts::CompileCost,
    call::BuildLog,
    compiled_driver::CompiledDriver,
    digest,
    job::BuildJob,
    link::{self, PlainLink},
    plan::BuildPlan,
    source,
};
use shakedown_protocol::{Artifact, CompilerSeen};
use std::{
    collections::BTreeMap,
    fs,
    ops::Range,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

/// Options of every build. With them a build is the same in every folder and on every machine.
const FLAGS: [&str; 2] = ["-trimpath", "-buildvcs=false"];
/// Folder of an artifact with the driver's module, from which its links are made.
const SOURCE: &str = "source";
const MANIFEST: &str = "go.mod";

/// Whether the artifact at `place` is a module of Go.
pub(crate) fn made(place: &Path) -> bool {
    place.join(SOURCE).join(MANIFEST).is_file()
}

/// Calls of a toolchain's `go`.
struct GoCommand<'a> {
    job: &'a BuildJob<'a>,
    root: PathBuf,
    /// The driver's module.
    folder: PathBuf,
    /// What the variants set (`GOAMD64`).
    environment: &'a BTreeMap<String, String>,
}

impl GoCommand<'_> {
    /// A call that takes no settings from this machine, and no network.
    fn call(&self, arguments: &[&str]) -> Command {
        let program = self.root.join("bin/go");
        let mut command = self.job.caller.command(&program.to_string_lossy());
        command
            .args(arguments)
            .current_dir(&self.folder)
            .env("GOROOT", &self.root)
            .env("GOCACHE", self.job.cache.at("work", "go"))
            .env("GOPATH", self.job.cache.at("work", "go-path"))
            .env("GOENV", "off")
            .env("GOWORK", "off")
            .env("GOPROXY", "off")
            .env("GOTOOLCHAIN", "local")
            .env("CGO_ENABLED", "0")
            .envs(self.environment);
        command
    }

    /// Builds the driver, with its functions in the order of a seed.
    fn build(&self, log: &mut BuildLog, to: &Path, seed: Option<u32>) -> Result<(), BuildError> {
        let mut command = self.call(&["build"]);
        command.args(FLAGS);
        if let Some(seed) = seed {
            // Profiles are taken of the plain link: the others need no debug information.
            command.arg(format!("-ldflags=-w -randlayout={seed}"));
        }
        command.arg("-o").arg(to).arg(".");
        self.job.run(log, "go build", "go build", &mut command)
    }
}

/// Compiles the driver and keeps its module beside it.
pub(crate) fn compile(
    job: &BuildJob<'_>,
    plan: &BuildPlan,
    into: &Path,
) -> Result<CompiledDriver, BuildError> {
    let Some(root) = plan.fetched.unpacked.clone() else {
        let what = format!(
            "{} is a module of Go: its stack must have a [toolchain]",
            plan.package.folder.display()
        );
        return Err(BuildError::Source { what, log: None });
    };
    job.phase(BuildPhase::Driver);
    let folder = into.join(SOURCE);
    digest::mirror(plan.package.files(), &folder).map_err(BuildError::io("copy to", &folder))?;
    let go = GoCommand { job, root, folder, environment: &plan.chosen };
    let mut log = BuildLog::create(&job.cache.at("logs", &format!("{}.log", plan.id)))?;
    // The version in the manifest selects the library's defaults (https://go.dev/doc/godebug): an application
    // of this release has this release's.
    let version = format!("-go={}", plan.fetched.release);
    job.run(&mut log, "go mod edit", "go mod edit", &mut go.call(&["mod", "edit", &version]))?;
    let driver = into.join(binary(0));
    let begun = Instant::now();
    go.build(&mut log, &driver, None)?;
    let cost = CompileCost::since(begun, &log)?;
    let compiler = compiler(&go, &mut log, &driver, &plan.fetched.release.to_string())?;
    Ok(CompiledDriver {
        surfaces: BTreeMap::new(),
        flags: FLAGS.map(str::to_owned).into(),
        compilers: vec![CompilerSeen { comment: compiler, objects: 1 }],
        lockfile: Path::new(SOURCE).join(MANIFEST),
        rustc: String::new(),
        cost,
    })
}

/// The compiler that the binary names, which must be the release's.
fn compiler(
    go: &GoCommand<'_>,
    log: &mut BuildLog,
    driver: &Path,
    release: &str,
) -> Result<String, BuildError> {
    let mut command = go.call(&["version"]);
    let output = command.arg(driver).output().map_err(BuildError::io("run", &go.root))?;
    // `PATH: go1.26.8`
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let found = text.trim().rsplit(' ').next().unwrap_or_default();
    if found == format!("go{release}") {
        return Ok(format!("Go {found}"));
    }
    log.note(&text);
    Err(BuildError::Compiler {
        asked: format!("Go {release}"),
        found: format!("`{found}`, as the driver says"),
        advice: format!("See {}", log.path.display()),
    })
}

/// Links the driver of an artifact again for each of `links`, into `folder` as `driver.N`, and gives their
/// digests. Only functions move: Go's linker keeps the order of data.
pub(crate) fn relink(
    job: &BuildJob<'_>,
    artifact: &Artifact,
    place: &Path,
    plain: &PlainLink<'_>,
    links: Range<u32>,
    folder: &Path,
) -> Result<Vec<String>, BuildError> {
    let wrong = |what: String| BuildError::Source { what, log: None };
    let release = fs::read_to_string(place.join(SOURCE).join(MANIFEST))
        .map_err(BuildError::io("read", place))?;
    let release = release.lines().find_map(|line| line.strip_prefix("go "));
    let release = release.and_then(|number| number.trim().parse().ok());
    let release = release.ok_or_else(|| wrong(format!("{} names no Go", place.display())))?;
    let (_, root) = source::go_toolchain(job, &release)?;
    let environment = &artifact.environment;
    let go = GoCommand { job, root, folder: place.join(SOURCE), environment };
    link::reordered(job, plain, links, folder, |log, out, seed| go.build(log, out, seed))
}
