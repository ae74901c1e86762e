//! The artifact of a workflow run, fetched as the zip that it is: nothing is unpacked here.

use crate::{
    Forge, ForgeError,
    client::{Answer, told},
    pull::escape,
    retry,
};
use http::{HeaderMap, Method, StatusCode, header};
use http_body_util::BodyExt;
use octocrab::Octocrab;
use serde::Deserialize;
use std::{
    fs::File,
    io::{Seek, SeekFrom, Write},
    path::Path,
};

/// How often a download that breaks off is begun anew.
const TRIES: u32 = 4;

#[derive(Debug, Deserialize)]
struct Artifact {
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
/// If there is none, if it is larger, what the forge said.
pub async fn fetch(
    forge: &Forge,
    run: u64,
    name: &str,
    file: &Path,
    limit: u64,
) -> Result<(), ForgeError> {
    let path = forge.path(&format!("actions/runs/{run}/artifacts?name={}", escape(name)));
    let mut all: Vec<Artifact> = forge.list(&path, "artifacts").await?;
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
    let Some(answer) = forge.send(Method::GET, &path, None).await? else { return Ok(()) };
    let failed = |source| ForgeError::File { path: file.display().to_string(), source };
    let mut out = File::create(file).map_err(failed)?;
    match location(&answer) {
        Some(url) => from_storage(&url, &mut out, file, limit).await,
        None if answer.body.len() as u64 > limit => Err(ForgeError::TooLarge { path, limit }),
        None => out.write_all(&answer.body).map_err(failed),
    }
}

fn location(answer: &Answer) -> Option<String> {
    if !answer.status.is_redirection() {
        return None;
    }
    Some(answer.headers.get(header::LOCATION)?.to_str().ok()?.to_owned())
}

/// Follows the forge to its storage. That is another host: it gets no token, and it is not
/// asked to be patient with us.
async fn from_storage(
    url: &str,
    out: &mut File,
    file: &Path,
    limit: u64,
) -> Result<(), ForgeError> {
    let client = Octocrab::builder().base_uri(origin(url)?).and_then(|builder| builder.build());
    let client = client.map_err(|error| ForgeError::Client(told(&error)))?;
    let mut tries = 0;
    loop {
        tries += 1;
        let failed = |source| ForgeError::File { path: file.display().to_string(), source };
        out.seek(SeekFrom::Start(0)).and_then(|_| out.set_len(0)).map_err(failed)?;
        match once(&client, url, out, file, limit).await {
            Err(Failed::Passing(_)) if tries < TRIES => {
                tokio::time::sleep(retry::back_off(tries)).await;
            }
            Err(Failed::Passing(reason)) => {
                return Err(ForgeError::NoAnswer {
                    method: "GET",
                    path: "the artifact's storage".to_owned(),
                    tries,
                    reason,
                    api_url: origin(url)?,
                });
            }
            Err(Failed::Final(error)) => return Err(error),
            Ok(()) => return Ok(()),
        }
    }
}

enum Failed {
    Passing(String),
    Final(ForgeError),
}

async fn once(
    client: &Octocrab,
    url: &str,
    out: &mut File,
    file: &Path,
    limit: u64,
) -> Result<(), Failed> {
    let passing = |error: &octocrab::Error| Failed::Passing(told(error));
    let answer = client._get(url).await.map_err(|error| passing(&error))?;
    let status = answer.status();
    let again = retry::next(status, &HeaderMap::new(), "", 1, 0) != retry::Next::Take;
    if again {
        return Err(Failed::Passing(status.to_string()));
    }
    let path = || "the artifact's storage".to_owned();
    if status != StatusCode::OK {
        return Err(Failed::Final(ForgeError::Refused {
            method: "GET",
            path: path(),
            status: status.as_u16(),
            message: status.canonical_reason().unwrap_or_default().to_owned(),
        }));
    }
    let mut body = answer.into_body();
    let mut written = 0;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|error| passing(&error))?.into_data() else { continue };
        written += data.len() as u64;
        if written > limit {
            return Err(Failed::Final(ForgeError::TooLarge { path: path(), limit }));
        }
        out.write_all(&data).map_err(|source| {
            Failed::Final(ForgeError::File { path: file.display().to_string(), source })
        })?;
    }
    Ok(())
}

/// Scheme and host of a URL.
fn origin(url: &str) -> Result<String, ForgeError> {
    let wrong = || ForgeError::BadUrl(url.chars().take(80).collect());
    let uri: http::Uri = url.parse().map_err(|_| wrong())?;
    match (uri.scheme_str(), uri.authority()) {
        (Some(scheme @ ("https" | "http")), Some(authority)) => {
            Ok(format!("{scheme}://{authority}"))
        }
        _ => Err(wrong()),
    }
}
