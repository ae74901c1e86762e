//! Sends one HTTP request and reads the answer. Redirects are never followed, so that the token is
//! sent to the API's host only.

use crate::ForgeError;
use http::{HeaderMap, Method, Request, StatusCode, Uri, header};
use serde_json::Value;
use std::{
    io::{self, Read, Write},
    time::Duration,
};
use ureq::{
    Agent, Body,
    tls::{RootCerts, TlsConfig},
};

/// How long to wait for the server.
#[derive(Debug, Clone, Copy)]
struct Timeouts {
    connect: Duration,
    /// For each read and each write, so that a slow answer is still read to its end.
    progress: Duration,
}

const TIMEOUTS: Timeouts =
    Timeouts { connect: Duration::from_secs(20), progress: Duration::from_secs(60) };

/// The version of the API whose answers this crate reads. Without it GitHub gives what is the default then.
const API_VERSION: &str = "2022-11-28";

/// An answer, whatever its status.
#[derive(Debug)]
pub(crate) struct HttpResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum TransportError {
    /// The request failed; another try may succeed. Holds the reason.
    NoAnswer(String),
    /// The answer is larger than the limit.
    TooLarge,
}

/// Sends requests to one API, with the caller's credentials.
#[derive(Debug, Clone)]
pub(crate) struct Transport {
    agent: Agent,
    base: String,
    authorization: Option<String>,
}

impl Transport {
    /// Checks the address; sends nothing yet.
    pub(crate) fn new(api_url: &str, authorization: Option<String>) -> Result<Self, ForgeError> {
        origin(api_url)?;
        let base = api_url.trim_end_matches('/').to_owned();
        Ok(Self { agent: agent(TIMEOUTS), base, authorization })
    }

    /// Sends a request and reads its answer, up to `limit` bytes.
    pub(crate) fn send(
        &self,
        method: &Method,
        path: &str,
        body: Option<&Value>,
        limit: u64,
    ) -> Result<HttpResponse, TransportError> {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base))
            .header(header::ACCEPT, "application/vnd.github+json")
            .header("x-github-api-version", API_VERSION);
        if let Some(authorization) = &self.authorization {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        let sent = match body {
            Some(value) => request
                .header(header::CONTENT_TYPE, "application/json")
                .body(value.to_string())
                .map_err(ureq::Error::from)
                .and_then(|request| self.agent.run(request)),
            None => request
                .body(())
                .map_err(ureq::Error::from)
                .and_then(|request| self.agent.run(request)),
        };
        let (parts, body) = sent.map_err(|error| no_answer(&error))?.into_parts();
        let mut all = Vec::new();
        body.into_reader()
            .take(limit + 1)
            .read_to_end(&mut all)
            .map_err(|error| no_answer(&error))?;
        if all.len() as u64 > limit {
            return Err(TransportError::TooLarge);
        }
        Ok(HttpResponse { status: parts.status, headers: parts.headers, body: all })
    }
}

/// The storage that a forge redirects downloads to. It is another host, so it gets no token.
#[derive(Debug)]
pub(crate) struct Storage {
    agent: Agent,
    url: String,
    /// Scheme and host, for messages: the rest of the URL contains a signature.
    pub(crate) origin: String,
}

impl Storage {
    pub(crate) fn new(url: &str) -> Result<Self, ForgeError> {
        Ok(Self { agent: agent(TIMEOUTS), url: url.to_owned(), origin: origin(url)? })
    }

    /// Requests the file. The caller reads the body.
    pub(crate) fn get(&self) -> Result<(StatusCode, HeaderMap, Body), TransportError> {
        let answer = self.agent.get(&self.url).call().map_err(|error| no_answer(&error))?;
        let (parts, body) = answer.into_parts();
        Ok((parts.status, parts.headers, body))
    }
}

/// Copies a body up to `limit` bytes. The inner error is the writer's.
pub(crate) fn copy(
    body: Body,
    out: &mut dyn Write,
    limit: u64,
) -> Result<io::Result<()>, TransportError> {
    let mut reader = body.into_reader();
    let mut buffer = [0; 16 << 10];
    let mut written = 0;
    loop {
        let read = reader.read(&mut buffer).map_err(|error| no_answer(&error))?;
        if read == 0 {
            return Ok(Ok(()));
        }
        written += read as u64;
        if written > limit {
            return Err(TransportError::TooLarge);
        }
        if let Err(error) = out.write_all(&buffer[..read]) {
            return Ok(Err(error));
        }
    }
}

fn agent(timeouts: Timeouts) -> Agent {
    // The system's certificates: a company's own forge may have a certificate of the company's own CA.
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    let config = Agent::config_builder()
        .tls_config(tls)
        .user_agent(concat!("shakedown/", env!("CARGO_PKG_VERSION")))
        .http_status_as_error(false)
        .max_redirects(0)
        .timeout_connect(Some(timeouts.connect))
        .timeout_per_read(Some(timeouts.progress))
        .timeout_per_write(Some(timeouts.progress));
    config.build().new_agent()
}

fn no_answer(error: &dyn std::error::Error) -> TransportError {
    TransportError::NoAnswer(error.to_string())
}

/// Scheme and host of a URL.
fn origin(url: &str) -> Result<String, ForgeError> {
    let wrong = || ForgeError::BadUrl(url.chars().take(80).collect());
    let uri: Uri = url.parse().map_err(|_| wrong())?;
    match (uri.scheme_str(), uri.authority()) {
        (Some(scheme @ ("https" | "http")), Some(authority)) => {
            Ok(format!("{scheme}://{authority}"))
        }
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests;
