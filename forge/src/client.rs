//! Requests: authenticated, repeated where that helps, printed instead of sent in a dry run.

use crate::{
    ForgeError,
    retry::{self, Next, PATIENCE},
};
use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode, header};
use http_body_util::BodyExt;
use octocrab::Octocrab;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::{
    fmt,
    future::Future,
    str::FromStr,
    sync::{Arc, Mutex},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// An answer is read up to this size, in bytes. The longest are pages of a hundred comments.
const ANSWER: u64 = 32 << 20;
/// Pages of a list are read up to this number.
const PAGES: u32 = 100;

/// A secret. It is sent, never printed.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// Takes a token; white space around it is left out, as files end in a line break.
    pub fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

/// A repository: `OWNER/NAME`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repo(String);

impl FromStr for Repo {
    type Err = ForgeError;

    fn from_str(text: &str) -> Result<Self, ForgeError> {
        let sound = |part: &str| {
            !part.is_empty()
                && !part.starts_with('.')
                && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        };
        match text.split_once('/') {
            Some((owner, name)) if sound(owner) && sound(name) => Ok(Self(text.to_owned())),
            _ => Err(ForgeError::BadRepo(text.chars().flat_map(char::escape_default).collect())),
        }
    }
}

impl fmt::Display for Repo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// How the time between two tries goes by.
#[derive(Debug, Clone, Default)]
pub enum Pause {
    /// By waiting.
    #[default]
    Wait,
    /// At once, and noted: for tests.
    Note(Arc<Mutex<Vec<Duration>>>),
}

/// How a forge is talked to.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where its API is, for example `https://api.github.com`.
    pub api_url: String,
    /// The repository.
    pub repo: Repo,
    /// Who we are. Needed except in a dry run.
    pub token: Option<Token>,
    /// A request is sent so many times at most.
    pub tries: u32,
    /// Print requests instead of sending them; what would be read counts as not there.
    pub dry_run: bool,
    /// How the time between two tries goes by.
    pub pause: Pause,
}

/// A forge, and one repository on it.
#[derive(Debug, Clone)]
pub struct Forge {
    client: Octocrab,
    options: Arc<Options>,
}

/// An answer of the forge.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// Runs requests to their end.
///
/// # Errors
/// Those of the requests; or if the system gives no resources.
pub fn block_on<T, E: From<ForgeError>>(work: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| ForgeError::Client(error.to_string()))?.block_on(work)
}

impl Forge {
    /// Prepares to talk; sends nothing yet. To be called inside of [`block_on`].
    ///
    /// # Errors
    /// A missing token, an address that is none.
    pub fn new(options: Options) -> Result<Self, ForgeError> {
        let bad_url = || ForgeError::BadUrl(options.api_url.clone());
        if !options.api_url.starts_with("https://") && !options.api_url.starts_with("http://") {
            return Err(bad_url());
        }
        let agent = concat!("shakedown/", env!("CARGO_PKG_VERSION")).to_owned();
        let mut builder = Octocrab::builder()
            .base_uri(options.api_url.as_str())
            .map_err(|_| bad_url())?
            .add_header(header::USER_AGENT, agent)
            .add_header(header::ACCEPT, "application/vnd.github+json".to_owned())
            .set_connect_timeout(Some(Duration::from_secs(20)))
            .set_read_timeout(Some(Duration::from_secs(60)))
            .set_write_timeout(Some(Duration::from_secs(60)));
        match &options.token {
            Some(Token(token)) if token.is_empty() => return Err(ForgeError::NoToken),
            Some(Token(token)) => {
                // The client would panic.
                if !token.bytes().all(|b| b.is_ascii_graphic()) {
                    return Err(ForgeError::BadToken);
                }
                builder = builder.personal_token(token.clone());
            }
            None if !options.dry_run => return Err(ForgeError::NoToken),
            None => {}
        }
        let client = builder.build().map_err(|error| ForgeError::Client(told(&error)))?;
        Ok(Self { client, options: Arc::new(options) })
    }

    /// The repository.
    pub fn repo(&self) -> &Repo {
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
    pub(crate) async fn get<T: DeserializeOwned>(
        &self,
        path: &str,
    ) -> Result<Option<T>, ForgeError> {
        match self.send(Method::GET, path, None).await {
            Ok(Some(answer)) => parse(path, &answer.body).map(Some),
            Ok(None) => Ok(None),
            Err(error) if matches!(error.status(), Some(404 | 410)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads a list to its end. `field` is where the list stands in each page; empty: the page
    /// is the list.
    pub(crate) async fn list<T: DeserializeOwned>(
        &self,
        path: &str,
        field: &str,
    ) -> Result<Vec<T>, ForgeError> {
        let mut all = Vec::new();
        let join = if path.contains('?') { '&' } else { '?' };
        for page in 1..=PAGES {
            let path = format!("{path}{join}per_page=100&page={page}");
            let Some(answer) = self.send(Method::GET, &path, None).await? else { break };
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
    pub(crate) async fn change<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: &Value,
    ) -> Result<Option<T>, ForgeError> {
        match self.send(method, path, Some(body)).await? {
            Some(answer) => parse(path, &answer.body).map(Some),
            None => Ok(None),
        }
    }

    /// Removes something; it is fine if somebody else was faster.
    pub(crate) async fn delete(&self, path: &str) -> Result<(), ForgeError> {
        match self.send(Method::DELETE, path, None).await {
            Err(error) if !matches!(error.status(), Some(404 | 410)) => Err(error),
            _ => Ok(()),
        }
    }

    /// Sends a request until it is answered. `None` in a dry run.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Option<Answer>, ForgeError> {
        if self.options.dry_run {
            self.print(&method, path, body);
            return Ok(None);
        }
        let name = name(&method);
        let mut tries = 0;
        loop {
            tries += 1;
            let last = tries >= self.options.tries.max(1);
            let wait = match self.once(&method, path, body).await {
                Ok(answer) => {
                    let message = message(&answer);
                    let (status, headers) = (answer.status, &answer.headers);
                    let path = || path.to_owned();
                    match retry::next(status, headers, &message, tries, now_s()) {
                        Next::Again(wait) if wait > PATIENCE => {
                            return Err(ForgeError::Limited { method: name, path: path(), wait });
                        }
                        Next::Again(wait) if !last => wait,
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
                Err(error @ ForgeError::TooLarge { .. }) => return Err(error),
                Err(error) if last => {
                    return Err(ForgeError::NoAnswer {
                        method: name,
                        path: path.to_owned(),
                        tries,
                        reason: error.to_string(),
                        api_url: self.options.api_url.clone(),
                    });
                }
                Err(_) => retry::back_off(tries),
            };
            self.pause(wait).await;
        }
    }

    async fn once(
        &self,
        method: &Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Answer, ForgeError> {
        let failed = |error: &octocrab::Error| ForgeError::Client(told(error));
        let request = http::request::Builder::new().method(method.clone()).uri(path);
        let request = self.client.build_request(request, body).map_err(|e| failed(&e))?;
        let answer = self.client.execute(request).await.map_err(|e| failed(&e))?;
        let (parts, mut stream) = answer.into_parts();
        let mut all = Vec::new();
        while let Some(frame) = stream.frame().await {
            let Ok(data) = frame.map_err(|e| failed(&e))?.into_data() else { continue };
            if all.len() as u64 + data.len() as u64 > ANSWER {
                return Err(ForgeError::TooLarge { path: path.to_owned(), limit: ANSWER });
            }
            all.extend_from_slice(&data);
        }
        Ok(Answer { status: parts.status, headers: parts.headers, body: all.into() })
    }

    async fn pause(&self, wait: Duration) {
        match &self.options.pause {
            Pause::Wait => tokio::time::sleep(wait).await,
            Pause::Note(waits) => {
                if let Ok(mut waits) = waits.lock() {
                    waits.push(wait);
                }
            }
        }
    }

    fn print(&self, method: &Method, path: &str, body: Option<&Value>) {
        println!("{method} {}{path}", self.options.api_url.trim_end_matches('/'));
        if let Some(body) = body {
            println!("{body:#}");
        }
    }
}

/// An error with everything behind it: the client's own words say only that there was one.
pub(crate) fn told(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let said = inner.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        cause = inner.source();
    }
    // Some of its errors carry a backtrace behind the first line.
    text.lines().next().unwrap_or_default().to_owned()
}

pub(crate) fn now_s() -> u64 {
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
fn message(answer: &Answer) -> String {
    if answer.status.is_success() {
        return String::new();
    }
    let said = serde_json::from_slice::<Value>(&answer.body).ok();
    let said = said.as_ref().and_then(|value| value.get("message")?.as_str());
    let said =
        said.map_or_else(|| String::from_utf8_lossy(&answer.body).into_owned(), str::to_owned);
    said.chars().take(300).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Whether a list goes on behind this page.
fn has_next(headers: &HeaderMap) -> bool {
    let links = headers.get_all(header::LINK).iter().filter_map(|link| link.to_str().ok());
    links.flat_map(|link| link.split(',')).any(|link| link.contains("rel=\"next\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_never_shown() {
        let token = Token::new(" ghp_secret\n");
        assert_eq!(format!("{token:?}"), "Token(..)");
        assert_eq!(token.0, "ghp_secret");
    }

    #[test]
    fn repositories_are_two_names() {
        for wrong in ["", "a", "a/", "/b", "a/b/c", "a/../b", "a/b?x=1", "a b/c", "../b", "a/."] {
            assert!(wrong.parse::<Repo>().is_err(), "{wrong:?}");
        }
        assert_eq!(
            "rustls/rustls.rs-x_1".parse::<Repo>().unwrap().to_string(),
            "rustls/rustls.rs-x_1"
        );
    }
}
