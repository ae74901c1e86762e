//! A forge in memory, on a port of this machine: it remembers comments, check runs, statuses
//! and issues, and fails on demand. For tests.

use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, VecDeque},
    io::Read,
    sync::{Arc, Barrier, Mutex, MutexGuard, PoisonError},
    thread,
};
use tiny_http::{Header, Method, Request, Response, Server};

/// Threads that answer: as many requests can be in flight.
const THREADS: usize = 4;

/// An answer in place of the usual one.
#[derive(Debug, Clone, Default)]
pub struct Fault {
    /// Method and part of the path of the requests that it is for.
    pub of: (&'static str, &'static str),
    /// Status.
    pub status: u16,
    /// Headers.
    pub headers: Vec<(&'static str, String)>,
    /// What it says.
    pub message: &'static str,
}

/// What the forge remembers.
#[derive(Debug, Default)]
pub struct State {
    /// Comments: id, number of the issue, login, body.
    pub comments: BTreeMap<u64, (u64, String, String)>,
    /// Check runs, as they were sent, by id.
    pub checks: BTreeMap<u64, Value>,
    /// Statuses, as they were sent, oldest first, with their commit.
    pub statuses: Vec<(String, Value)>,
    /// Issues, by number.
    pub issues: BTreeMap<u64, Value>,
    /// Answers to other GET requests, by path without query.
    pub fixtures: BTreeMap<String, Value>,
    /// Files, by path: answered as they are.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Where a path is moved to.
    pub moved: BTreeMap<String, String>,
    /// What goes wrong next.
    pub faults: VecDeque<Fault>,
    /// Whether there are no check runs.
    pub without_checks: Option<u16>,
    /// Every request: method, path with query, the token's last four characters.
    pub requests: Vec<(String, String, String)>,
    last: u64,
}

/// The forge. It ends with the value.
pub struct Fake {
    server: Arc<Server>,
    state: Arc<Mutex<State>>,
    barrier: Arc<Mutex<Option<Arc<Barrier>>>>,
    threads: Vec<thread::JoinHandle<()>>,
}

/// Who writes.
pub const LOGIN: &str = "github-actions[bot]";

impl Fake {
    /// Starts it.
    ///
    /// # Panics
    /// If there is no port.
    pub fn start() -> Self {
        let server = Arc::new(Server::http("127.0.0.1:0").expect("a port is free"));
        let state = Arc::new(Mutex::new(State::default()));
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

    /// Where it is.
    pub fn url(&self) -> String {
        format!("http://{}", self.server.server_addr())
    }

    /// What it remembers.
    pub fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Makes the next `n` lists of comments wait for each other, so that whoever asks sees none
    /// of what the others will write.
    pub fn meet(&self, n: usize) {
        *lock(&self.barrier) = Some(Arc::new(Barrier::new(n)));
    }

    /// Adds a fault.
    pub fn fail(&self, fault: Fault) {
        self.state().faults.push_back(fault);
    }
}

impl Drop for Fake {
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

fn answer(mut request: Request, state: &Mutex<State>, barrier: &Meeting) {
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
        let fault = state
            .faults
            .front()
            .is_some_and(|fault| fault.of.0 == method.as_str() && url.contains(fault.of.1));
        let fault = if fault { state.faults.pop_front() } else { None };
        fault.map_or_else(|| state.answer(&method, &url, &body), |fault| failed(&fault))
    };
    if method == Method::Get && url.contains("/comments") {
        // Only now: the answer above was made before anybody else could write.
        let meeting = lock(barrier).clone();
        if let Some(meeting) = meeting {
            meeting.wait();
            *lock(barrier) = None;
        }
    }
    response.add_header(header("Content-Type", "application/json"));
    let _ = request.respond(response);
}

type Bytes = Response<std::io::Cursor<Vec<u8>>>;

fn header(name: &str, value: &str) -> Header {
    Header::from_bytes(name, value).expect("a header")
}

fn reply(status: u16, value: &Value) -> Bytes {
    Response::from_string(value.to_string()).with_status_code(status)
}

fn missing() -> Bytes {
    reply(404, &json!({ "message": "Not Found" }))
}

fn failed(fault: &Fault) -> Bytes {
    let mut response = reply(fault.status, &json!({ "message": fault.message }));
    for (name, value) in &fault.headers {
        response.add_header(header(name, value));
    }
    response
}

impl State {
    fn answer(&mut self, method: &Method, url: &str, body: &Value) -> Bytes {
        let (path, query) = url.split_once('?').unwrap_or((url, ""));
        if let Some(to) = self.moved.get(path) {
            return Response::from_string("")
                .with_status_code(302)
                .with_header(header("Location", to));
        }
        if let Some(file) = self.files.get(path) {
            return Response::from_data(file.clone());
        }
        if let Some(fixture) = self.fixtures.get(path) {
            return reply(200, fixture);
        }
        if path == "/user" {
            let message = "Resource not accessible by integration";
            return reply(403, &json!({ "message": message }));
        }
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        let Some(["repos", _, _, rest @ ..]) = parts.get(..) else { return missing() };
        match (method.as_str(), rest) {
            ("GET", ["issues", number, "comments"]) => self.list_comments(number, query),
            ("POST", ["issues", number, "comments"]) => self.add_comment(number, body),
            ("PATCH", ["issues", "comments", id]) => self.edit_comment(id, body),
            ("DELETE", ["issues", "comments", id]) => match id.parse().ok() {
                Some(id) if self.comments.remove(&id).is_some() => reply(204, &Value::Null),
                _ => missing(),
            },
            ("GET", ["commits", sha, "check-runs"]) => self.list_checks(sha),
            ("POST", ["check-runs"]) => self.put_check(None, body),
            ("PATCH", ["check-runs", id]) => self.put_check(id.parse().ok(), body),
            ("GET", ["commits", sha, "status"]) => self.list_statuses(sha),
            ("POST", ["statuses", sha]) => {
                self.statuses.push(((*sha).to_owned(), body.clone()));
                reply(201, &json!({ "id": self.statuses.len() }))
            }
            ("GET", ["issues"]) => {
                let open: Vec<&Value> =
                    self.issues.values().filter(|issue| issue["state"] == "open").collect();
                reply(200, &json!(open))
            }
            ("POST", ["issues"]) => self.open_issue(body),
            ("PATCH", ["issues", number]) => self.edit_issue(number, body),
            _ => missing(),
        }
    }

    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Ten a page, so that tests turn pages.
    fn list_comments(&self, number: &str, query: &str) -> Bytes {
        const PAGE: usize = 10;
        let page = query.split('&').find_map(|part| part.strip_prefix("page=")?.parse().ok());
        let page: usize = page.unwrap_or(1);
        let of = self.comments.iter().filter(|(_, (issue, ..))| issue.to_string() == number);
        let all: Vec<Value> = of.map(|(id, comment)| comment_json(*id, comment)).collect();
        let from = PAGE * (page - 1);
        let shown: Vec<&Value> = all.iter().skip(from).take(PAGE).collect();
        let response = reply(200, &json!(shown));
        if all.len() <= from + PAGE {
            return response;
        }
        let next = format!("<http://localhost/?page={}>; rel=\"next\"", page + 1);
        response.with_header(header("Link", &next))
    }

    fn add_comment(&mut self, number: &str, body: &Value) -> Bytes {
        let (Ok(number), Some(text)) = (number.parse(), body["body"].as_str()) else {
            return missing();
        };
        if text.chars().count() > crate::comment::LIMIT {
            return reply(422, &json!({ "message": "Validation Failed: body is too long" }));
        }
        let id = self.next();
        let comment = (number, LOGIN.to_owned(), text.to_owned());
        let answer = comment_json(id, &comment);
        self.comments.insert(id, comment);
        reply(201, &answer)
    }

    fn edit_comment(&mut self, id: &str, body: &Value) -> Bytes {
        let id = id.parse().unwrap_or_default();
        match (self.comments.get_mut(&id), body["body"].as_str()) {
            (Some(comment), Some(text)) => {
                text.clone_into(&mut comment.2);
                reply(200, &comment_json(id, comment))
            }
            _ => missing(),
        }
    }

    fn list_checks(&self, sha: &str) -> Bytes {
        if let Some(status) = self.without_checks {
            let message = "Resource not accessible by integration";
            return reply(status, &json!({ "message": message }));
        }
        let of: Vec<&Value> = self.checks.values().filter(|run| run["head_sha"] == sha).collect();
        reply(200, &json!({ "total_count": of.len(), "check_runs": of }))
    }

    fn put_check(&mut self, id: Option<u64>, body: &Value) -> Bytes {
        if let Some(status) = self.without_checks {
            return reply(status, &json!({ "message": "Not Found" }));
        }
        let summary = body["output"]["summary"].as_str().unwrap_or_default();
        if summary.chars().count() > 65_535 {
            return reply(422, &json!({ "message": "Validation Failed: summary is too long" }));
        }
        let new = id.is_none();
        let id = id.unwrap_or_else(|| self.next());
        let run = self.checks.entry(id).or_insert(Value::Null);
        if run.is_null() && !new {
            return missing();
        }
        merge(run, body);
        run["id"] = id.into();
        let answer = run.clone();
        reply(if new { 201 } else { 200 }, &answer)
    }

    fn list_statuses(&self, sha: &str) -> Bytes {
        let of = self.statuses.iter().filter(|(commit, _)| commit == sha);
        let mut newest: BTreeMap<String, &Value> = BTreeMap::new();
        of.for_each(|(_, status)| {
            newest.insert(status["context"].to_string(), status);
        });
        let all: Vec<&Value> = newest.into_values().collect();
        reply(200, &json!({ "state": "pending", "statuses": all }))
    }

    fn open_issue(&mut self, body: &Value) -> Bytes {
        let number = self.next();
        let mut issue = json!({ "number": number, "state": "open", "user": { "login": LOGIN } });
        merge(&mut issue, body);
        self.issues.insert(number, issue.clone());
        reply(201, &issue)
    }

    fn edit_issue(&mut self, number: &str, body: &Value) -> Bytes {
        let Some(issue) = number.parse().ok().and_then(|number: u64| self.issues.get_mut(&number))
        else {
            return missing();
        };
        merge(issue, body);
        reply(200, issue)
    }
}

fn comment_json(id: u64, (_, login, body): &(u64, String, String)) -> Value {
    json!({ "id": id, "user": { "login": login }, "body": body })
}

fn merge(into: &mut Value, from: &Value) {
    if into.is_null() {
        *into = json!({});
    }
    if let (Some(into), Some(from)) = (into.as_object_mut(), from.as_object()) {
        into.extend(from.clone());
    }
}
