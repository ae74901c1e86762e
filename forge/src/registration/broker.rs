//! A broker: another machine that has the credential, and hands out configurations.

use super::{JitAnswer, RunnerConfiguration, RunnerOwner, RunnerRequest};
use crate::{Forge, ForgeError};
use http::Method;
use serde_json::json;

/// Requests the configuration from a broker, whose address is the forge's API address. It gets the
/// runner's name, labels, repository and, of an organization, login and group; it answers as GitHub does,
/// with `encoded_jit_config`.
///
/// # Errors
/// An address without TLS; what the broker refuses.
pub fn from_broker(
    broker: &Forge,
    url: &str,
    wanted: &RunnerRequest,
) -> Result<RunnerConfiguration, ForgeError> {
    let here = ["http://127.0.0.1:", "http://[::1]:", "http://localhost:"];
    if !url.starts_with("https://") && !here.iter().any(|local| url.starts_with(local)) {
        return Err(ForgeError::BadUrl(format!("{}, a broker without TLS", url.escape_default())));
    }
    let mut body = json!({
        "name": wanted.name, "labels": wanted.labels, "repository": broker.repo().to_string(),
    });
    if let RunnerOwner::Organization { login, group } = &wanted.owner {
        body["organization"] = json!(login);
        body["runner_group"] = json!(group);
    }
    let answer: Option<JitAnswer> = broker.change(Method::POST, "", &body)?;
    let answer = answer.ok_or(ForgeError::DryRun("configuration"))?;
    RunnerConfiguration::new(answer.encoded_jit_config)
}
