//! Gitea's API and the one page of it that the API lacks, by curl.

use serde_json::Value;
use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Somebody on the forge.
#[derive(Debug, Clone, Copy)]
pub struct User {
    pub name: &'static str,
    pub password: &'static str,
}

/// Whose the repositories are.
pub const OWNER: User = User { name: "owner", password: "correct-horse-1" };
/// Who may read, and no more.
pub const STRANGER: User = User { name: "stranger", password: "battery-staple-2" };

/// The forge, as its users see it.
#[derive(Debug, Clone)]
pub struct Api {
    /// Where it is, without a slash at the end.
    pub url: String,
    /// Where cookies are kept.
    pub folder: PathBuf,
}

impl Api {
    /// Status and body of an answer.
    pub fn ask(&self, user: User, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        let mut command = Command::new("curl");
        command.args(["-sS", "-X", method, "-w", "\n%{http_code}"]);
        command.args(["-u", &format!("{}:{}", user.name, user.password)]);
        if body.is_some() {
            command.args(["-H", "content-type: application/json", "-d", "@-"]);
        }
        command.arg(format!("{}/api/v1/{path}", self.url));
        let text = body.map(Value::to_string).unwrap_or_default();
        let output = fed(&mut command, &text);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let (body, status) = said.rsplit_once('\n').unwrap_or(("", &said));
        let value = serde_json::from_str(body).unwrap_or_else(|_| Value::String(body.to_owned()));
        (status.trim().parse().unwrap_or(0), value)
    }

    fn must(&self, user: User, method: &str, path: &str, body: Option<&Value>) -> Value {
        let (status, value) = self.ask(user, method, path, body);
        assert!((200..300).contains(&status), "{method} {path}: {status} {value}");
        value
    }

    pub fn get(&self, path: &str) -> Value {
        self.must(OWNER, "GET", path, None)
    }

    pub fn post(&self, user: User, path: &str, body: &Value) -> Value {
        self.must(user, "POST", path, Some(body))
    }

    pub fn put(&self, path: &str, body: &Value) {
        self.must(OWNER, "PUT", path, Some(body));
    }

    /// A file, wherever the forge says that it is.
    pub fn fetch(&self, path: &str, to: &Path) {
        let mut command = Command::new("curl");
        command.args(["-sSfL", "-o"]).arg(to);
        command.args(["-u", &format!("{}:{}", OWNER.name, OWNER.password)]);
        run(command.arg(format!("{}/api/v1/{path}", self.url)));
    }

    /// Presses a button of a run, "approve" or "cancel": the API has no call for either.
    pub fn press(&self, button: &str, repository: &str, id: u64) {
        let jar = self.folder.join("cookies");
        let page = |path: &str, fields: &[String]| {
            let mut command = Command::new("curl");
            command.args(["-sS", "-o"]).arg(self.folder.join("page"));
            command.args(["-w", "%{http_code}", "-b"]).arg(&jar).arg("-c").arg(&jar);
            command.args(["-X", "POST"]);
            for field in fields {
                command.args(["--data-urlencode", field]);
            }
            run(command.arg(format!("{}/{path}", self.url)))
        };
        let fields = [format!("user_name={}", OWNER.name), format!("password={}", OWNER.password)];
        let status = page("user/login", &fields);
        assert!(status == "303" || status == "302", "the owner can't log in: {status}");
        let status = page(&format!("{repository}/actions/runs/{id}/{button}"), &[]);
        assert_eq!(status, "200", "{button} of run {id} does not work");
    }
}

/// Looks until there is something.
pub fn wait<T>(what: &str, limit: Duration, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < limit, "after {} s, still not: {what}", limit.as_secs());
        thread::sleep(Duration::from_secs(2));
    }
}

/// What a program printed; it must succeed.
pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    told(command, &output)
}

fn fed(command: &mut Command, text: &str) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn told(command: &Command, output: &Output) -> String {
    let (out, errors) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{out}{errors}", output.status);
    out.trim().to_owned()
}
