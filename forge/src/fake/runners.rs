//! Runners, their groups and a GitHub App, as GitHub answers about them: it checks signatures by its own
//! clock, and grants what the installation has.
//!
//! Paths, parameters and fields are those of GitHub's OpenAPI description (npm package `@octokit/openapi` 23.0.2,
//! read on 2026-11-22), under `/app/installations`, `actions/runner-groups` and `actions/runners`. It does not say
//! whether `name` of `actions/runners` matches parts of a name, or without regard to case: here it does not. That
//! a taken name gives 409, and what a refused signature is answered with, are not in it either: they are
//! github.com's as `docs/github-semantics.md` has them.

use super::response::{Bytes, missing, reply};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The part of the stand-in forge that registers runners.
#[derive(Debug, Default)]
pub struct FakeRegistrar {
    /// Public key of the app, as PKCS#1, and its ID.
    pub app: Option<(Vec<u8>, String)>,
    /// The forge's clock, in seconds since 1970.
    pub clock_s: u64,
    /// Where the app is installed, for example `orgs/tls`, with the permission that it has there.
    pub installed: BTreeMap<String, String>,
    /// Runner groups by name.
    pub groups: BTreeMap<String, u64>,
    /// Runners: name and status.
    pub runners: Vec<(String, String)>,
    /// What was asked for configurations, oldest first: place and body.
    pub configured: Vec<(String, Value)>,
    /// Header `Authorization` of the request that is being answered.
    pub(super) authorization: String,
}

/// The token of an installation.
pub const INSTALLATION_TOKEN: &str = "ghs_installation";
/// What a configuration looks like.
pub const CONFIGURATION: &str = "eyJjb25maWciOiJvZiBvbmUgam9iIn0=";

impl FakeRegistrar {
    /// Answers a request; `None` where it is none of these.
    pub(super) fn answer(
        &mut self,
        (method, path, query): (&str, &str, &str),
        body: &Value,
    ) -> Option<Bytes> {
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        if let ("POST", ["app", "installations", id, "access_tokens"]) = (method, &parts[..]) {
            return Some(self.unsigned().unwrap_or_else(|| self.token(id, body)));
        }
        let (place, rest) = match &parts[..] {
            ["repos", owner, name, rest @ ..] => (format!("repos/{owner}/{name}"), rest),
            ["orgs", login, rest @ ..] => (format!("orgs/{login}"), rest),
            _ => return None,
        };
        Some(match (method, rest) {
            ("GET", ["installation"]) => self.unsigned().unwrap_or_else(|| {
                let at = self.installed.keys().position(|known| *known == place);
                at.map_or_else(missing, |at| reply(200, &json!({ "id": at })))
            }),
            ("GET", ["actions", "runner-groups"]) => {
                let groups = self.groups.iter();
                let groups: Vec<Value> =
                    groups.map(|(name, id)| json!({ "id": id, "name": name })).collect();
                reply(200, &json!({ "total_count": groups.len(), "runner_groups": groups }))
            }
            ("GET", ["actions", "runners"]) if !self.runners.is_empty() => {
                let wanted = query.split('&').find_map(|part| part.strip_prefix("name="));
                let runners: Vec<Value> = (0..)
                    .zip(&self.runners)
                    .filter(|(_, (name, _))| wanted.is_none_or(|wanted| name == wanted))
                    .map(|(id, (name, status))| json!({ "id": id, "name": name, "status": status }))
                    .collect();
                reply(200, &json!({ "total_count": runners.len(), "runners": runners }))
            }
            ("DELETE", ["actions", "runners", id]) => match id.parse::<usize>() {
                Ok(id) if id < self.runners.len() => {
                    self.runners.remove(id);
                    reply(204, &Value::Null)
                }
                _ => missing(),
            },
            ("POST", ["actions", "runners", "generate-jitconfig"]) => self.configure(place, body),
            _ => return None,
        })
    }

    fn configure(&mut self, place: String, body: &Value) -> Bytes {
        let name = body["name"].as_str().unwrap_or_default().to_owned();
        if self.runners.iter().any(|(taken, _)| taken.eq_ignore_ascii_case(&name)) {
            let said = format!("Already exists - A runner with the name {name} already exists.");
            return reply(409, &json!({ "message": said }));
        }
        let labels = body["labels"].as_array().map_or(0, Vec::len);
        if !(1..=100).contains(&labels) || body["runner_group_id"].as_u64().is_none() {
            return reply(422, &json!({ "message": "Validation Failed" }));
        }
        self.configured.push((place, body.clone()));
        self.runners.push((name, "offline".to_owned()));
        reply(201, &json!({ "runner": { "id": 1 }, "encoded_jit_config": CONFIGURATION }))
    }

    fn token(&self, id: &str, body: &Value) -> Bytes {
        let found = id.parse().ok().and_then(|id| self.installed.values().nth(id));
        let Some(granted) = found else { return missing() };
        let asked = body["permissions"].as_object().cloned().unwrap_or_default();
        if asked.keys().any(|name| name != granted) {
            let said = "The permissions requested are not granted to this installation.";
            return reply(422, &json!({ "message": said }));
        }
        reply(201, &json!({ "token": INSTALLATION_TOKEN, "expires_at": "2030-01-01T00:00:00Z" }))
    }

    /// Why the app's signature is refused.
    fn unsigned(&self) -> Option<Bytes> {
        let said = self.signed().err()?;
        Some(reply(401, &json!({ "message": said })))
    }

    fn signed(&self) -> Result<(), &'static str> {
        let wrong = "A JSON web token could not be decoded";
        let (key, id) = self.app.as_ref().ok_or("Integration not found")?;
        let token = self.authorization.strip_prefix("Bearer ").ok_or(wrong)?;
        let (text, signature) = token.rsplit_once('.').ok_or(wrong)?;
        let decoded = |part: &str| URL_SAFE_NO_PAD.decode(part).map_err(|_| wrong);
        UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key)
            .verify(text.as_bytes(), &decoded(signature)?)
            .map_err(|_| wrong)?;
        let (_, claims) = text.split_once('.').ok_or(wrong)?;
        let claims: Value = serde_json::from_slice(&decoded(claims)?).map_err(|_| wrong)?;
        let at = |name: &str| claims[name].as_u64().unwrap_or(0);
        if claims["iss"] != **id {
            return Err("Integration not found");
        }
        if at("iat") > self.clock_s {
            return Err(
                "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
            );
        }
        if at("exp") <= self.clock_s {
            return Err(
                "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
            );
        }
        if at("exp") > self.clock_s + 600 {
            return Err("'Expiration time' claim ('exp') is too far in the future");
        }
        Ok(())
    }
}
