//! Archives from a file or a URL.

use super::{inner, keep, unpack, verify::check_digest};
use crate::{
    BuildError,
    call::BuildLog,
    job::{BuildJob, blame_network},
};
use shakedown_protocol::SourceSeen;
use std::path::{Path, PathBuf};

/// Fetches, verifies and unpacks an archive.
pub(super) fn fetch(
    job: &BuildJob<'_>,
    location: &str,
    sha256: &str,
) -> Result<(SourceSeen, PathBuf), BuildError> {
    let tree = keep(job, sha256, |place| {
        if location.contains("://") {
            let archive = download(job, location, sha256)?;
            check_digest(&archive, location, sha256).inspect_err(|_| {
                // Or the next try would find the wrong one again.
                let _ = std::fs::remove_file(&archive);
            })?;
            return unpack::unpack(&archive, place);
        }
        let archive = Path::new(location);
        if !archive.is_file() {
            let what =
                format!("there is no file {location}: name an archive, or a URL with its scheme");
            return Err(BuildError::Source { what, log: None });
        }
        check_digest(archive, location, sha256)?;
        unpack::unpack(archive, place)
    })?;
    let seen = SourceSeen {
        kind: "tarball".to_owned(),
        origin: location.to_owned(),
        revision: None,
        sha256: sha256.to_owned(),
    };
    Ok((seen, inner(&tree)?))
}

/// Downloads `url`, unless it is in the cache. Its digest decides whether it is trusted.
fn download(job: &BuildJob<'_>, url: &str, sha256: &str) -> Result<PathBuf, BuildError> {
    let place = job.cache.at("downloads", sha256);
    if place.is_file() {
        return Ok(place);
    }
    let folder = job.cache.root.join("downloads");
    std::fs::create_dir_all(&folder).map_err(BuildError::io("create", &folder))?;
    let part = tempfile::NamedTempFile::new_in(&folder)
        .map_err(BuildError::io("create a file in", &folder))?;
    if job.caller.find("curl").is_none() {
        return Err(BuildError::Tools {
            subject: job.subject.to_string(),
            missing: vec!["curl".to_owned()],
            install: "apt-get install curl".to_owned(),
        });
    }
    let mut log =
        BuildLog::create(&job.cache.at("logs", &format!("download-{}.log", &sha256[..32])))?;
    let mut command = job.caller.command("curl");
    command
        .args(["--fail", "--silent", "--show-error", "--location", "--retry", "3"])
        .args(["--proto", "=https,http,file", "--proto-redir", "=https,http"])
        .args(["--max-filesize", "1073741824", "--connect-timeout", "30", "--output"])
        .arg(part.path())
        .args(["--", url]);
    job.run(&mut log, "download", "download", &mut command)
        .map_err(|error| blame_network(error, url))
        .map_err(|error| match error {
            BuildError::Failed { tail, log, .. } => BuildError::Source {
                what: format!("can't download {url}:\n{tail}"),
                log: Some(log),
            },
            other => other,
        })?;
    part.persist(&place).map_err(|error| BuildError::io("write", &place)(error.error))?;
    Ok(place)
}
