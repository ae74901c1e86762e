//! The endpoints of the stand-in forge.

use super::{
    FakeState, LOGIN,
    response::{Bytes, header, missing, reply},
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tiny_http::{Method, Response};

impl FakeState {
    /// Answers a request as GitHub does.
    pub(super) fn answer(&mut self, method: &Method, url: &str, body: &Value) -> Bytes {
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
        if let Some(answer) = self.registrar.answer((method.as_str(), path, query), body) {
            return answer;
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
            ("POST", ["issues", "comments", id, "reactions"]) => {
                let content = body["content"].as_str().unwrap_or_default();
                self.reactions.push((id.parse().unwrap_or_default(), content.to_owned()));
                reply(201, &json!({ "id": 1, "content": content }))
            }
            ("GET", ["actions", "runs", id]) => match id.parse::<u64>() {
                Ok(id) if id <= self.newest_run => {
                    reply(200, &json!({ "id": id, "run_attempt": 1, "event": "x", "head_sha": "" }))
                }
                _ => missing(),
            },
            ("GET", ["compare", commits]) => self.compare(commits, query),
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

    /// The first page has the changed files, and is longer than what the client reads.
    fn compare(&self, commits: &str, query: &str) -> Bytes {
        let Some((sha, behind_by)) = self.merge_bases.get(commits) else { return missing() };
        let first = !query.split('&').any(|part| part.starts_with("page=") && part != "page=1");
        let patch = if first { "+".repeat(40 << 20) } else { String::new() };
        let files = if first { json!([{ "filename": "a", "patch": patch }]) } else { json!(null) };
        let base = json!({ "sha": sha });
        reply(200, &json!({ "merge_base_commit": base, "behind_by": behind_by, "files": files }))
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
        if summary.len() > 65_535 {
            let message = "Validation Failed: summary exceeds a maximum bytesize of 65535";
            return reply(422, &json!({ "message": message }));
        }
        let new = id.is_none();
        let id = id.unwrap_or_else(|| self.next());
        let run = self.checks.entry(id).or_insert(Value::Null);
        if run.is_null() && !new {
            return missing();
        }
        merge(run, body);
        run["id"] = id.into();
        if new {
            run["app"] = json!({ "slug": LOGIN.trim_end_matches("[bot]") });
        }
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
