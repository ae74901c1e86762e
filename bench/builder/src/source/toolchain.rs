//! A toolchain of Go: a module, which Go itself fetches and verifies against its checksum database.

use super::keep;
use crate::{
    BuildError, Release,
    call::BuildLog,
    job::{BuildJob, blame_network},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use shakedown_protocol::SourceSeen;
use std::{
    env::consts::ARCH,
    fs, io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};
use walkdir::WalkDir;

/// The module that Go takes its toolchains from (<https://go.dev/doc/toolchain>).
const MODULE: &str = "golang.org/toolchain";

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
    let modules = aside.path().join("modules");
    download(job, &version, aside.path(), &modules)?;
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
    let machine = match ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => return Err(wrong(format!("no toolchain of Go is fetched for {other}"))),
    };
    Ok(format!("v0.0.1-go{release}.linux-{machine}"))
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

/// Has the Go of this machine, however old, fetch the module into a cache of its own.
fn download(
    job: &BuildJob<'_>,
    version: &str,
    folder: &Path,
    modules: &Path,
) -> Result<(), BuildError> {
    if job.caller.find("go").is_none() {
        return Err(BuildError::Tools {
            subject: job.subject.to_string(),
            missing: vec!["go".to_owned()],
            install: "apt-get install golang-go".to_owned(),
        });
    }
    job.cache.write(&folder.join("go.mod"), b"module fetch\n")?;
    let mut log = BuildLog::create(&job.cache.at("logs", &format!("fetch-{version}.log")))?;
    let mut command = job.caller.command("go");
    command
        .args(["mod", "download"])
        .arg(format!("{MODULE}@{version}"))
        .current_dir(folder)
        .env("GO111MODULE", "on")
        .env("GOWORK", "off")
        .env("GOTOOLCHAIN", "local")
        .env("GOFLAGS", "-modcacherw")
        .env("GOPATH", folder.join("path"))
        .env("GOMODCACHE", modules);
    if job.caller.is_offline() {
        command.env("GOPROXY", "off");
    }
    job.run(&mut log, "go mod download", "go mod download", &mut command)
        .map_err(|error| blame_network(error, &format!("{MODULE} {version}")))
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
