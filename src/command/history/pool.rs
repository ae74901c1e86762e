//! The hosts of tonight, and the time that they have.

use std::collections::BTreeMap;

/// A pool of hosts and a budget.
#[derive(Debug, clap::Args)]
pub struct PoolArgs {
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
}

impl PoolArgs {
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
