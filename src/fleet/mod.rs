//! The hosts: what the history says of each, and what the forge says of its runner.

pub mod agreement;
mod forge;
pub mod text;

pub use forge::{FleetRunner, FleetSource};

use crate::clock::now_ms;
use anyhow::Result;
use serde::Serialize;
use shakedown_store::{Index, query::StoredHost};
use std::collections::BTreeMap;

/// One host.
#[derive(Debug, Clone, Serialize)]
pub struct FleetHost {
    /// Its name.
    pub host: String,
    /// What its runs show; none of a runner that has never measured for this history.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<StoredHost>,
    /// What the forge knows of its runner; none where it was not asked, or knows none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runner: Option<FleetRunner>,
}

/// The hosts by name, and when that was.
#[derive(Debug, Clone, Serialize)]
pub struct Fleet {
    /// The moment, in milliseconds since 1970 UTC.
    pub now_ms: u64,
    /// Whether the forge was asked.
    pub asked: bool,
    /// The hosts.
    pub hosts: Vec<FleetHost>,
}

/// Every host of the history, with what the forge says, if it is asked.
///
/// # Errors
/// If the index fails; errors of the forge.
pub fn fleet(index: &Index, source: Option<&FleetSource>) -> Result<Fleet> {
    let now_ms = now_ms()?;
    let mut runners: BTreeMap<String, FleetRunner> = match source {
        Some(source) => source.runners(now_ms)?,
        None => BTreeMap::new(),
    };
    let mut hosts: Vec<FleetHost> = index
        .hosts()?
        .into_iter()
        .map(|host| FleetHost {
            host: host.host.clone(),
            // A runner has its host's name unless install.sh was given another one.
            runner: runners.remove(&host.host.to_lowercase()),
            history: Some(host),
        })
        .collect();
    let unseen = runners.into_values();
    hosts.extend(unseen.map(|runner| FleetHost {
        host: runner.name.clone(),
        history: None,
        runner: Some(runner),
    }));
    hosts.sort_by(|a, b| a.host.cmp(&b.host));
    Ok(Fleet { now_ms, asked: source.is_some(), hosts })
}
