//! A stand-in forge for tests: an HTTP server on a local port that keeps comments, check runs,
//! statuses and issues in memory, and fails on demand.

mod endpoints;
mod response;
mod runners;

pub use runners::{CONFIGURATION, FakeRegistrar, INSTALLATION_TOKEN};

use response::{failed, header};
use serde_json::Value;
use std::{
    collections::{BTreeMap, VecDeque},
    io::Read,
    sync::{Arc, Barrier, Mutex, MutexGuard, PoisonError},
    thread,
};
use tiny_http::{Method, Request, Server};

/// Threads that answer requests.
const THREADS: usize = 4;

/// An error response in place of the usual response.
#[derive(Debug, Clone, Default)]
pub struct InjectedFault {
    /// Method, and a part of the path, of the request that fails.
    pub of: (&'static str, &'static str),
    /// Status.
    pub status: u16,
    /// Headers.
    pub headers: Vec<(&'static str, String)>,
    /// Message in the body.
    pub message: &'static str,
}

/// Contents of the forge, and the faults to inject.
#[derive(Debug, Default)]
pub struct FakeState {
    /// Comments: id, number of the issue, login, body.
    pub comments: BTreeMap<u64, (u64, String, String)>,
    /// Reactions, oldest first: id of the comment, and which one.
    pub reactions: Vec<(u64, String)>,
    /// Workflow runs up to this id exist, with one attempt each, unless there is another answer.
    pub newest_run: u64,
    /// Check runs, as they were sent, by id.
    pub checks: BTreeMap<u64, Value>,
    /// Statuses, as they were sent, oldest first, with their commit.
    pub statuses: Vec<(String, Value)>,
    /// Issues, by number.
    pub issues: BTreeMap<u64, Value>,
    /// Merge bases and how many commits the base branch is ahead of them, by `BASE...HEAD`. All
    /// other commits have nothing in common.
    pub merge_bases: BTreeMap<String, (String, u64)>,
    /// Answers to other GET requests, by path without query.
    pub fixtures: BTreeMap<String, Value>,
    /// Files, by path, returned unchanged.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Redirects, by path.
    pub moved: BTreeMap<String, String>,
    /// Faults to inject, in order.
    pub faults: VecDeque<InjectedFault>,
    /// Status that every request for check runs fails with.
    pub without_checks: Option<u16>,
    /// Runners, their groups and a GitHub App.
    pub registrar: FakeRegistrar,
    /// Every request: method, path with query, the token's last four characters.
    pub requests: Vec<(String, String, String)>,
    last: u64,
}

/// The running forge. Dropping it stops the server.
pub struct FakeForge {
    server: Arc<Server>,
    state: Arc<Mutex<FakeState>>,
    barrier: Arc<Mutex<Option<Arc<Barrier>>>>,
    threads: Vec<thread::JoinHandle<()>>,
}

/// Id of the newest workflow run when the forge starts.
pub const NEWEST_RUN: u64 = 6000;
/// Login of the token's owner.
pub const LOGIN: &str = "github-actions[bot]";

impl FakeForge {
    /// Starts the server.
    ///
    /// # Panics
    /// If no port is free.
    pub fn start() -> Self {
        let server = Arc::new(Server::http("127.0.0.1:0").expect("a port is free"));
        let state = FakeState { newest_run: NEWEST_RUN, ..FakeState::default() };
        let state = Arc::new(Mutex::new(state));
        let barrier = Arc::new(Mutex::new(None));
        let threads = (0..THREADS)
            .map(|_| {
                let (server, state, barrier) = (server.clone(), state.clone(), barrier.clone());
                thread::spawn(move || {
                    while let Ok(request) = server.recv() {
                        answer(request, &state, &barrier);
                    }
                })
            })
            .collect();
        Self { server, state, barrier, threads }
    }

    /// Base URL of the API.
    pub fn url(&self) -> String {
        format!("http://{}", self.server.server_addr())
    }

    /// Locks the contents.
    pub fn state(&self) -> MutexGuard<'_, FakeState> {
        lock(&self.state)
    }

    /// Makes the next `n` requests for comments wait for each other, so that none of the callers
    /// sees what the others write.
    pub fn meet(&self, n: usize) {
        *lock(&self.barrier) = Some(Arc::new(Barrier::new(n)));
    }

    /// Injects a fault.
    pub fn fail(&self, fault: InjectedFault) {
        self.state().faults.push_back(fault);
    }
}

impl Drop for FakeForge {
    fn drop(&mut self) {
        for _ in &self.threads {
            self.server.unblock();
        }
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

type Meeting = Mutex<Option<Arc<Barrier>>>;

fn answer(mut request: Request, state: &Mutex<FakeState>, barrier: &Meeting) {
    let mut text = String::new();
    let _ = request.as_reader().take(1 << 20).read_to_string(&mut text);
    let body: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
    let (method, url) = (request.method().clone(), request.url().to_owned());
    let token = request.headers().iter().find(|h| h.field.equiv("authorization"));
    let token = token.map(|header| header.value.as_str().to_owned()).unwrap_or_default();
    let end: String = token.chars().rev().take(4).collect::<String>().chars().rev().collect();
    lock(state).requests.push((method.to_string(), url.clone(), end));

    let mut response = {
        let mut state = lock(state);
        state.registrar.authorization = token;
        let fault = state
            .faults
            .front()
            .is_some_and(|fault| fault.of.0 == method.as_str() && url.contains(fault.of.1));
        let fault = if fault { state.faults.pop_front() } else { None };
        fault.map_or_else(|| state.answer(&method, &url, &body), |fault| failed(&fault))
    };
    if method == Method::Get && url.contains("/comments") {
        // Wait only now: the response above was made before another caller could write.
        let meeting = lock(barrier).clone();
        if let Some(meeting) = meeting {
            meeting.wait();
            *lock(barrier) = None;
        }
    }
    response.add_header(header("Content-Type", "application/json"));
    let _ = request.respond(response);
}
