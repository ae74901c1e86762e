//! The artifact of a workflow run, fetched as the zip that it is: nothing is unpacked here.

use crate::{Forge, ForgeError, pull::escape, storage, transport::HttpResponse};
use http::{Method, header};
use serde::Deserialize;
use std::{fs::File, io::Write, path::Path};

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
        Some(url) => storage::download(forge, &url, &mut out, file, limit),
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
