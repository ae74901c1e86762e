//! Compiles the benchmark program in a library's own tree, from the tree's own lockfile.

use crate::{
    BuildError,
    build_facts::CompileCost,
    call::BuildLog,
    digest,
    in_tree::{self, InTreeProgram},
    job::{BuildJob, blame_network},
    link::Linker,
    plan::BuildPlan,
    work_folder::{self, WorkFolder},
};
use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

/// Profile of the build. `cargo rustc --profile bench` would build it as a
/// test harness; a profile that inherits from `bench` has its settings only.
const PROFILE: &str = "in-tree";
/// Folders of the program in a work folder, beside those of the driver that runs it.
const TREE: &str = "in-tree";
const TARGET: &str = "in-tree-target";
const KIT: &str = "in-tree-kit.tar";
/// File that the driver reads about the program.
const ABOUT: &str = "bench.json";

/// Fetches the crates of the tree's lockfile. Works on the source itself, but from a folder of ours, so
/// that cargo takes no settings from the tree: they can name programs to run.
pub(crate) fn fetch(job: &BuildJob<'_>, plan: &BuildPlan) -> Result<BuildLog, BuildError> {
    let mut log = BuildLog::create(&job.cache.at("logs", &format!("{}-in-tree.log", plan.id)))?;
    let source = plan.fetched.tree.as_deref().unwrap_or(Path::new("."));
    let mut command = job.caller.command("cargo");
    command.args(["fetch", "--locked", "--color", "never", "--manifest-path"]);
    command.arg(source.join("Cargo.toml")).current_dir(&job.cache.root);
    job.run(&mut log, "cargo fetch", "cargo fetch", &mut command)
        .map_err(|error| blame_network(error, &format!("the crates for {}", job.subject)))?;
    Ok(log)
}

/// Compiles the program and copies it, its lockfile and its run-time files into the folder `into`.
/// Returns the archive of its linker inputs, if the linker keeps one, and what compiling cost.
pub(crate) fn compile(
    job: &BuildJob<'_>,
    plan: &BuildPlan,
    program: &InTreeProgram,
    (work, linker): (&WorkFolder, Option<&Linker>),
    into: &Path,
) -> Result<(Option<PathBuf>, CompileCost), BuildError> {
    let (tree, target, kit) = (work.place(TREE), work.place(TARGET), work.place(KIT));
    let source = plan.fetched.tree.as_deref().unwrap_or(Path::new("."));
    digest::mirror(source, &tree).map_err(BuildError::io("copy to", &tree))?;
    let made = target.join(PROFILE);
    work_folder::forget(&made, &program.recipe.package)
        .map_err(BuildError::io("clear", &target))?;
    let _ = fs::remove_file(&kit);
    let mut log = fetch(job, plan)?;
    // As the project's own instructions build it: with the profile `bench`.
    let mut command = work.command(job.caller, "cargo", TREE);
    command
        .args(["rustc", "--profile", PROFILE, "--config"])
        .arg(format!("profile.{PROFILE}.inherits=\"bench\""))
        .args(["--locked", "--offline", "--color", "never"])
        .args(["--package", &program.recipe.package])
        .args(program.recipe.bin.iter().flat_map(|name| ["--bin", name.as_str()]))
        .args(program.recipe.example.iter().flat_map(|name| ["--example", name.as_str()]))
        .args(["--no-default-features", "--features", &program.features.join(",")])
        .arg("--")
        .args(linker.iter().flat_map(|linker| linker.arguments(&work.seen(KIT))))
        .env("CARGO_TARGET_DIR", work.seen(TARGET))
        .env("CARGO_INCREMENTAL", "0")
        // Path dependencies are not lint-capped: old code fails on lints of new compilers.
        .env("RUSTFLAGS", format!("{} --cap-lints=warn", plan.rustflags.join(" ")))
        .envs(&plan.chosen);
    let phase = format!("in-tree {}", program.recipe.package);
    let begun = Instant::now();
    job.run(&mut log, "in-tree benchmark", &phase, &mut command)?;
    let cost = CompileCost::since(begun, &log)?;
    let built = match (&program.recipe.bin, &program.recipe.example) {
        (Some(name), _) => made.join(name),
        (None, name) => made.join("examples").join(name.as_deref().unwrap_or_default()),
    };
    let copy = |from: &Path, name: &str| {
        fs::copy(from, into.join(name)).map_err(BuildError::io("copy", from)).map(drop)
    };
    copy(&built, &in_tree::program(0))?;
    copy(&tree.join("Cargo.lock"), "Cargo.lock")?;
    if let Some(data) = &program.recipe.data {
        let (from, to) = (tree.join(data), into.join(data));
        digest::mirror(&from, &to).map_err(BuildError::io("copy", &from))?;
    }
    let text = serde_json::json!({
        "stack": plan.fetched.subject.stack,
        "library": format!("{} {}", plan.fetched.subject.stack, plan.fetched.release),
        "details": [
            format!("in-tree benchmark {}", program.name()),
            format!("features {}", program.features.join(" ")),
        ],
    });
    job.cache.write(&into.join(ABOUT), text.to_string().as_bytes())?;
    Ok((linker.map(|_| kit), cost))
}
