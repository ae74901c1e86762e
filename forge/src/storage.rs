//! Files that the forge keeps elsewhere: artifacts, and those of releases.

use crate::{
    Forge, ForgeError, retry,
    transport::{self, Storage, TransportError},
};
use http::{HeaderMap, StatusCode, header};
use std::{
    fs::File,
    io::{self, Seek, SeekFrom},
    path::Path,
};

/// How often a download that breaks off is begun anew.
const TRIES: u32 = 4;
/// How often a download may be sent somewhere else.
const REDIRECTS: u32 = 5;

/// Downloads from a storage into `out`, which is `file`, and retries failures that may pass. Follows
/// redirects: no token is sent.
///
/// # Errors
/// Errors of the storage; more than `limit` bytes.
pub(crate) fn download(
    forge: &Forge,
    url: &str,
    out: &mut File,
    file: &Path,
    limit: u64,
) -> Result<(), ForgeError> {
    let (mut storage, mut moved) = (Storage::new(url)?, 0);
    let path = || "the artifact's storage".to_owned();
    let failed = |source| ForgeError::File { path: file.display().to_string(), source };
    let mut tries = 0;
    loop {
        tries += 1;
        out.seek(SeekFrom::Start(0)).and_then(|_| out.set_len(0)).map_err(failed)?;
        match once(&storage, out, limit) {
            Ok(Received::Whole(written)) => return written.map_err(failed),
            Ok(Received::Moved(url)) if moved < REDIRECTS => {
                (storage, moved, tries) = (Storage::new(&url)?, moved + 1, 0);
            }
            Ok(Received::Moved(_)) => {
                let reason = "it redirects without end".to_owned();
                return Err(ForgeError::Shape { path: path(), reason });
            }
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
    /// It is somewhere else.
    Moved(String),
    /// The storage refused; another try would not help.
    Refused(StatusCode),
}

fn once(storage: &Storage, out: &mut File, limit: u64) -> Result<Received, TransportError> {
    let (status, headers, body) = storage.get()?;
    let location = headers.get(header::LOCATION).and_then(|value| value.to_str().ok());
    if let Some(url) = location.filter(|_| status.is_redirection()) {
        return Ok(Received::Moved(url.to_owned()));
    }
    if retry::next(status, &HeaderMap::new(), "", 1, 0) != retry::RetryDecision::Take {
        return Err(TransportError::NoAnswer(status.to_string()));
    }
    if status != StatusCode::OK {
        return Ok(Received::Refused(status));
    }
    transport::copy(body, out, limit).map(Received::Whole)
}
