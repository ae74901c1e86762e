//! The artifact of a workflow run, fetched as the zip that it is: nothing is unpacked here.

use crate::{
    Forge, ForgeError,
    pull::escape,
    retry,
    transport::{self, HttpResponse, Storage, TransportError},
};
use http::{HeaderMap, Method, StatusCode, header};
use serde::Deserialize;
use std::{
    fs::File,
    io::{self, Seek, SeekFrom, Write},
    path::Path,
};

/// How often a download that breaks off is begun anew.
const TRIES: u32 = 4;

#[derive(Debug, Deserialize)]
struct WorkflowArtifact {
    id: u64,
    name: String,
    #[serde(default)]
    expired: bool,
    #[serde(default, alias = "size")]
    size_in_bytes: u64,
}

/// Fetches the artifact `name` of a run into `file`, which is made. Not more than `limit` bytes
/// are ever written.
///
/// # Errors
/// If there is no such artifact, or it is larger; errors of the forge.
pub fn fetch(
    forge: &Forge,
    run: u64,
    name: &str,
    file: &Path,
    limit: u64,
) -> Result<(), ForgeError> {
    let path = forge.path(&format!("actions/runs/{run}/artifacts?name={}", escape(name)));
    let mut all: Vec<WorkflowArtifact> = forge.list(&path, "artifacts")?;
    all.retain(|artifact| artifact.name == name);
    // A run that was attempted again has one of each attempt; ids count up.
    let Some(found) = all.iter().max_by_key(|artifact| artifact.id) else {
        return Err(ForgeError::NotFound(format!("run {run} has no artifact `{name}`")));
    };
    if found.expired {
        return Err(ForgeError::NotFound(format!(
            "the artifact `{name}` of run {run} has expired"
        )));
    }
    let path = forge.path(&format!("actions/artifacts/{}/zip", found.id));
    if found.size_in_bytes > limit {
        return Err(ForgeError::TooLarge { path, limit });
    }
    // The forge answers with the place where it is stored, or with the zip itself.
    let Some(answer) = forge.send(Method::GET, &path, None)? else { return Ok(()) };
    let failed = |source| ForgeError::File { path: file.display().to_string(), source };
    let mut out = File::create(file).map_err(failed)?;
    match location(&answer) {
        Some(url) => from_storage(forge, &url, &mut out, file, limit),
        None if answer.body.len() as u64 > limit => Err(ForgeError::TooLarge { path, limit }),
        None => out.write_all(&answer.body).map_err(failed),
    }
}

fn location(answer: &HttpResponse) -> Option<String> {
    if !answer.status.is_redirection() {
        return None;
    }
    Some(answer.headers.get(header::LOCATION)?.to_str().ok()?.to_owned())
}

/// Downloads from the storage that the forge redirected to, and retries failures that may pass.
fn from_storage(
    forge: &Forge,
    url: &str,
    out: &mut File,
    file: &Path,
    limit: u64,
) -> Result<(), ForgeError> {
    let storage = Storage::new(url)?;
    let path = || "the artifact's storage".to_owned();
    let failed = |source| ForgeError::File { path: file.display().to_string(), source };
    let mut tries = 0;
    loop {
        tries += 1;
        out.seek(SeekFrom::Start(0)).and_then(|_| out.set_len(0)).map_err(failed)?;
        match once(&storage, out, limit) {
            Ok(Received::Whole(written)) => return written.map_err(failed),
            Ok(Received::Refused(status)) => {
                return Err(ForgeError::Refused {
                    method: "GET",
                    path: path(),
                    status: status.as_u16(),
                    message: status.canonical_reason().unwrap_or_default().to_owned(),
                });
            }
            Err(TransportError::TooLarge) => {
                return Err(ForgeError::TooLarge { path: path(), limit });
            }
            Err(TransportError::NoAnswer(_)) if tries < TRIES => {
                forge.pause(retry::back_off(tries))
            }
            Err(TransportError::NoAnswer(reason)) => {
                return Err(ForgeError::NoAnswer {
                    method: "GET",
                    path: path(),
                    tries,
                    reason,
                    api_url: storage.origin,
                });
            }
        }
    }
}

/// The outcome of one download.
enum Received {
    /// The whole file was received; the inner result says whether it could be written.
    Whole(io::Result<()>),
    /// The storage refused; another try would not help.
    Refused(StatusCode),
}

fn once(storage: &Storage, out: &mut File, limit: u64) -> Result<Received, TransportError> {
    let (status, body) = storage.get()?;
    if retry::next(status, &HeaderMap::new(), "", 1, 0) != retry::RetryDecision::Take {
        return Err(TransportError::NoAnswer(status.to_string()));
    }
    if status != StatusCode::OK {
        return Ok(Received::Refused(status));
    }
    transport::copy(body, out, limit).map(Received::Whole)
}
