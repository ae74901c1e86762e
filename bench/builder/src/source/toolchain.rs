//! A toolchain of Go: a module, which Go itself fetches and verifies against its checksum database.

use super::keep;
use crate::{
    BuildError, Release,
    call::{BuildLog, Caller},
    catalog::ToolchainSource,
    job::{BuildJob, blame_network},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use shakedown_protocol::SourceSeen;
use std::{
    env::consts::ARCH,
    fs, io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
};
use walkdir::WalkDir;

/// The module that Go takes its toolchains from.
const MODULE: &str = ToolchainSource::MODULE;

/// A release for this machine, ready to run.
pub(crate) fn fetch(
    job: &BuildJob<'_>,
    release: &Release,
) -> Result<(SourceSeen, PathBuf), BuildError> {
    let version = version(release)?;
    let note = job.cache.at("resolved", &format!("{version}.sha256"));
    if let Some(found) = known(job, &note, &version) {
        return Ok(found);
    }
    let _lock = job.lock("fetch", &version)?;
    if let Some(found) = known(job, &note, &version) {
        return Ok(found);
    }
    let aside = job.cache.aside(&job.cache.at("work", &format!("fetch-{version}")))?;
    let modules = download(job, &version, aside.path())?;
    let path = modules.join(format!("cache/download/{MODULE}/@v/{version}.ziphash"));
    let sum = fs::read_to_string(&path).map_err(BuildError::io("read", &path))?;
    let sha256 =
        digest(&sum).ok_or_else(|| wrong(format!("`{}` is no checksum of Go's", sum.trim())))?;
    keep(job, &sha256, |place| {
        let root = modules.join(format!("{MODULE}@{version}"));
        make_ready(&root).map_err(BuildError::io("prepare", &root))?;
        fs::rename(&root, place).map_err(BuildError::io("move into place", place))
    })?;
    job.cache.write(&note, sha256.as_bytes())?;
    known(job, &note, &version).ok_or_else(|| wrong(format!("{} was not kept", note.display())))
}

fn wrong(what: String) -> BuildError {
    BuildError::Source { what, log: None }
}

/// The version of the module. Go's first release of a series has had three numbers since 1.21.
fn version(release: &Release) -> Result<String, BuildError> {
    Ok(format!("v0.0.1-go{release}.{}", machine_suffix()?))
}

/// How versions of the module end that are for machines of this kind.
pub(super) fn machine_suffix() -> Result<String, BuildError> {
    match ARCH {
        "x86_64" => Ok("linux-amd64".to_owned()),
        "aarch64" => Ok("linux-arm64".to_owned()),
        other => Err(wrong(format!("no toolchain of Go is fetched for {other}"))),
    }
}

/// A call of the Go of this machine, however old, in an empty module, with its caches in `folder`. What it fetches is
/// `what`.
pub(super) fn module_command(
    caller: &Caller,
    folder: &Path,
    what: &str,
) -> Result<Command, BuildError> {
    if caller.find("go").is_none() {
        return Err(BuildError::Tools {
            subject: what.to_owned(),
            missing: vec!["go".to_owned()],
            install: "apt-get install golang-go".to_owned(),
        });
    }
    let manifest = folder.join("go.mod");
    fs::write(&manifest, "module fetch\n").map_err(BuildError::io("write", &manifest))?;
    let mut command = caller.command("go");
    command
        .current_dir(folder)
        .env("GO111MODULE", "on")
        .env("GOWORK", "off")
        .env("GOTOOLCHAIN", "local")
        .env("GOFLAGS", "-modcacherw")
        .env("GOPATH", folder.join("path"))
        .env("GOMODCACHE", folder.join("modules"));
    if caller.is_offline() {
        command.env("GOPROXY", "off");
    }
    Ok(command)
}

/// The toolchain in the cache.
fn known(job: &BuildJob<'_>, note: &Path, version: &str) -> Option<(SourceSeen, PathBuf)> {
    let sha256 = fs::read_to_string(note).ok()?;
    let root = job.cache.at("sources", &sha256);
    let seen = SourceSeen {
        kind: "go module".to_owned(),
        origin: format!("{MODULE} {version}"),
        revision: None,
        sha256,
    };
    root.join("bin/go").is_file().then_some((seen, root))
}

/// Has Go fetch the module into a cache in `folder`, which is returned.
fn download(job: &BuildJob<'_>, version: &str, folder: &Path) -> Result<PathBuf, BuildError> {
    let mut command = module_command(job.caller, folder, &job.subject.to_string())?;
    let mut log = BuildLog::create(&job.cache.at("logs", &format!("fetch-{version}.log")))?;
    command.args(["mod", "download"]).arg(format!("{MODULE}@{version}"));
    job.run(&mut log, "go mod download", "go mod download", &mut command)
        .map_err(|error| blame_network(error, &format!("{MODULE} {version}")))?;
    Ok(folder.join("modules"))
}

/// A checksum of Go's, in hexadecimal: SHA-256 over the names and digests of a module's files
/// (golang.org/x/mod/sumdb/dirhash, `Hash1`).
fn digest(sum: &str) -> Option<String> {
    let bytes = STANDARD.decode(sum.trim().strip_prefix("h1:")?).ok()?;
    (bytes.len() == 32).then(|| bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Does what Go does when it first runs a toolchain: modules carry no modes, and no `go.mod` below the
/// first.
fn make_ready(root: &Path) -> io::Result<()> {
    for entry in WalkDir::new(root) {
        let entry = entry?;
        if entry.file_name() == "_go.mod" {
            fs::rename(entry.path(), entry.path().with_file_name("go.mod"))?;
        }
    }
    for folder in ["bin", "pkg/tool"] {
        for entry in WalkDir::new(root.join(folder)) {
            let entry = entry?;
            if entry.file_type().is_file() {
                let mode = entry.metadata()?.permissions().mode();
                fs::set_permissions(entry.path(), fs::Permissions::from_mode(mode | 0o111))?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_is_32_bytes() {
        let zeros = STANDARD.encode([0_u8; 32]);
        assert_eq!(digest(&format!("h1:{zeros}\n")), Some("0".repeat(64)));
        for text in [&*zeros, "h1:", "h1:AAAA", "h2:"] {
            assert_eq!(digest(text), None, "{text}");
        }
    }
}
