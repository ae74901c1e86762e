//! Requests: authenticated, repeated where that helps, printed instead of sent in a dry run.

use crate::{
    ForgeError, ForgeOptions, RepoName,
    retry::{self, PATIENCE, RetryDecision},
    transport::{HttpResponse, Transport, TransportError},
};
use http::{HeaderMap, Method, header};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::{
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// An answer is read up to this size, in bytes. The longest are pages of a hundred comments.
const ANSWER: u64 = 32 << 20;
/// Pages of a list are read up to this number.
const PAGES: u32 = 100;

/// A forge, and one repository on it.
#[derive(Debug, Clone)]
pub struct Forge {
    transport: Transport,
    options: Arc<ForgeOptions>,
}

impl Forge {
    /// Prepares to talk; sends nothing yet.
    ///
    /// # Errors
    /// A missing token; an invalid address.
    pub fn new(options: ForgeOptions) -> Result<Self, ForgeError> {
        if options.token.is_none() && !options.dry_run {
            return Err(ForgeError::NoToken);
        }
        Self::anonymous(options)
    }

    /// The same where no token is needed: what everybody may read.
    ///
    /// # Errors
    /// An invalid token or address.
    pub fn anonymous(options: ForgeOptions) -> Result<Self, ForgeError> {
        let authorization =
            options.token.as_ref().map(|token| token.authorization()).transpose()?;
        let transport = Transport::new(&options.api_url, authorization)?;
        Ok(Self { transport, options: Arc::new(options) })
    }

    /// The repository.
    pub fn repo(&self) -> &RepoName {
        &self.options.repo
    }

    /// Whether requests are only printed.
    pub fn is_dry_run(&self) -> bool {
        self.options.dry_run
    }

    /// Path of something in the repository.
    pub(crate) fn path(&self, rest: &str) -> String {
        format!("/repos/{}/{rest}", self.options.repo)
    }

    /// Reads one thing. `None` where it is not there (404, 410).
    pub(crate) fn get<T: DeserializeOwned>(&self, path: &str) -> Result<Option<T>, ForgeError> {
        match self.send(Method::GET, path, None) {
            Ok(Some(answer)) => parse(path, &answer.body).map(Some),
            Ok(None) => Ok(None),
            Err(error) if matches!(error.status(), Some(404 | 410)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads all pages of a list. `field` is the list's field in each page; if empty, the page itself is
    /// the list.
    pub(crate) fn list<T: DeserializeOwned>(
        &self,
        path: &str,
        field: &str,
    ) -> Result<Vec<T>, ForgeError> {
        let mut all = Vec::new();
        let join = if path.contains('?') { '&' } else { '?' };
        for page in 1..=PAGES {
            let path = format!("{path}{join}per_page=100&page={page}");
            let Some(answer) = self.send(Method::GET, &path, None)? else { break };
            let mut value: Value = parse(&path, &answer.body)?;
            if !field.is_empty() {
                value = value.get_mut(field).map_or(Value::Null, Value::take);
            }
            let found: Vec<T> = serde_json::from_value(value)
                .map_err(|error| ForgeError::Shape { path, reason: error.to_string() })?;
            all.extend(found);
            // A forge that knows no pages of this list answers the whole of it each time.
            if !has_next(&answer.headers) {
                break;
            }
        }
        Ok(all)
    }

    /// Changes something and reads the answer. `None` in a dry run.
    pub(crate) fn change<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: &Value,
    ) -> Result<Option<T>, ForgeError> {
        match self.send(method, path, Some(body))? {
            Some(answer) => parse(path, &answer.body).map(Some),
            None => Ok(None),
        }
    }

    /// Removes something; it is fine if somebody else was faster.
    pub(crate) fn delete(&self, path: &str) -> Result<(), ForgeError> {
        match self.send(Method::DELETE, path, None) {
            Err(error) if !matches!(error.status(), Some(404 | 410)) => Err(error),
            _ => Ok(()),
        }
    }

    /// Sends a request until it is answered. `None` in a dry run.
    pub(crate) fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Option<HttpResponse>, ForgeError> {
        if self.options.dry_run {
            self.print(&method, path, body);
            return Ok(None);
        }
        let name = name(&method);
        let mut tries = 0;
        loop {
            tries += 1;
            let last = tries >= self.options.tries.max(1);
            let wait = match self.transport.send(&method, path, body, ANSWER) {
                Ok(answer) => {
                    let message = message(&answer);
                    let (status, headers) = (answer.status, &answer.headers);
                    let path = || path.to_owned();
                    match retry::next(status, headers, &message, tries, now_s()) {
                        RetryDecision::Again(wait) if wait > PATIENCE => {
                            return Err(ForgeError::Limited { method: name, path: path(), wait });
                        }
                        RetryDecision::Again(wait) if !last => wait,
                        _ if status.is_success() || status.is_redirection() => {
                            return Ok(Some(answer));
                        }
                        _ => {
                            let status = status.as_u16();
                            return Err(ForgeError::Refused {
                                method: name,
                                path: path(),
                                status,
                                message,
                            });
                        }
                    }
                }
                Err(TransportError::TooLarge) => {
                    return Err(ForgeError::TooLarge { path: path.to_owned(), limit: ANSWER });
                }
                Err(TransportError::NoAnswer(reason)) if last => {
                    return Err(ForgeError::NoAnswer {
                        method: name,
                        path: path.to_owned(),
                        tries,
                        reason,
                        api_url: self.options.api_url.clone(),
                    });
                }
                Err(TransportError::NoAnswer(_)) => retry::back_off(tries),
            };
            self.pause(wait);
        }
    }

    /// Waits before the next try.
    pub(crate) fn pause(&self, wait: Duration) {
        self.options.retry_sleep.wait(wait);
    }

    fn print(&self, method: &Method, path: &str, body: Option<&Value>) {
        println!("{method} {}{path}", self.options.api_url.trim_end_matches('/'));
        if let Some(body) = body {
            println!("{body:#}");
        }
    }
}

fn now_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn parse<T: DeserializeOwned>(path: &str, body: &[u8]) -> Result<T, ForgeError> {
    serde_json::from_slice(body)
        .map_err(|error| ForgeError::Shape { path: path.to_owned(), reason: error.to_string() })
}

fn name(method: &Method) -> &'static str {
    match *method {
        Method::POST => "POST",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        _ => "GET",
    }
}

/// What the forge says of an error: its words, made safe for a terminal, and not too many.
fn message(answer: &HttpResponse) -> String {
    if answer.status.is_success() {
        return String::new();
    }
    let said = serde_json::from_slice::<Value>(&answer.body).ok();
    let said = said.as_ref().and_then(|value| value.get("message")?.as_str());
    let said =
        said.map_or_else(|| String::from_utf8_lossy(&answer.body).into_owned(), str::to_owned);
    said.chars().take(300).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Whether the list has another page.
fn has_next(headers: &HeaderMap) -> bool {
    let links = headers.get_all(header::LINK).iter().filter_map(|link| link.to_str().ok());
    links.flat_map(|link| link.split(',')).any(|link| link.contains("rel=\"next\""))
}
