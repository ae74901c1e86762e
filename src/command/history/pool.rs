//! What commands that choose tonight's jobs have in common: the changes of a history, the hosts, and the time
//! that these have.

use crate::history::{HistoryArgs, changes};
use anyhow::Result;
use shakedown_store::change::Cause;
use std::collections::BTreeMap;

/// A history, a pool of hosts and a budget.
#[derive(Debug, clap::Args)]
pub struct PoolArgs {
    #[command(flatten)]
    history: HistoryArgs,
    /// A host of the pool and its epoch; may be repeated
    #[arg(long, value_name = "EPOCH=HOST", required = true, value_parser = host)]
    host: Vec<(String, String)>,
    /// Hours that each host has for these jobs [default: 6 for confirmations, 4 for bisections]
    #[arg(long, value_name = "N")]
    hours: Option<f64>,
    /// Minutes after which a job is given up: each one counts as so many [default: 90 for a confirmation,
    /// 120 for a bisection]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    minutes: Option<u32>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

impl PoolArgs {
    /// The causes of the suspects, but for those whose suspects were all dismissed.
    pub fn causes(&self) -> Result<Vec<Cause>> {
        let (store, index) = self.history.index()?;
        changes::causes(&store, &index, false)
    }

    /// The host of each epoch.
    pub fn hosts(&self) -> BTreeMap<String, String> {
        self.host.iter().cloned().collect()
    }

    /// How many jobs each host has time for.
    pub fn each(&self, hours: f64, minutes: u32) -> usize {
        let minutes = f64::from(self.minutes.unwrap_or(minutes));
        // A number that is none has no time.
        (self.hours.unwrap_or(hours) * 60.0 / minutes) as usize
    }
}

fn host(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((epoch, host)) if !epoch.is_empty() && !host.is_empty() => {
            Ok((epoch.to_owned(), host.to_owned()))
        }
        _ => Err("write EPOCH=HOST".to_owned()),
    }
}
