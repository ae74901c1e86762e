//! The table of the hosts, for 80 columns.

use super::{Fleet, FleetHost, FleetRunner};
use shakedown_report::{columns, percent, plain};
use shakedown_store::query::StoredHost;

/// Each host in one line, and what is wrong below.
pub fn table(fleet: &Fleet) -> String {
    let mut header = vec!["host", "last seen", "epoch", "fit", "noise", "before"];
    if fleet.asked {
        header.extend(["runner", "queue"]);
    }
    let rows: Vec<Vec<String>> = fleet.hosts.iter().map(|host| row(fleet, host)).collect();
    let mut text = columns(&header, header.len(), &rows);
    for FleetHost { host, history, runner } in &fleet.hosts {
        let host = plain(host);
        if let Some(StoredHost { unfit, runs, .. }) = history
            && *unfit > 0
        {
            text += &format!("{host}: {unfit} of {runs} runs in 28 days on the unfit host\n");
        }
        if let Some(FleetRunner { alarm: true, age, .. }) = runner {
            text += &format!("{host}: {}\n", plain(age));
        }
    }
    text
}

fn row(fleet: &Fleet, host: &FleetHost) -> Vec<String> {
    let none = || "-".to_owned();
    let mut row = vec![host.host.clone()];
    match &host.history {
        Some(seen) => {
            let fit = if seen.fit { "fit" } else { "NOT FIT" };
            let epoch = seen.epoch.chars().take(8).collect();
            row.extend([ago(fleet.now_ms, seen.last_ms), epoch, fit.to_owned()]);
            row.extend(
                [seen.noise, seen.noise_before].map(|share| share.map_or_else(none, percent)),
            );
        }
        None => row.extend(["never", "-", "-", "-", "-"].map(str::to_owned)),
    }
    if fleet.asked {
        match &host.runner {
            Some(runner) => {
                let state = if runner.busy { "busy" } else { runner.status.as_str() };
                let version = runner.version.as_deref().unwrap_or("");
                row.push(format!("{state} {version}").trim_end().to_owned());
                row.push(runner.waiting.map_or_else(none, |waiting| waiting.to_string()));
            }
            None => row.extend([none(), none()]),
        }
    }
    row
}

fn ago(now_ms: u64, then_ms: i64) -> String {
    let now = i64::try_from(now_ms).unwrap_or(i64::MAX);
    match now.saturating_sub(then_ms).max(0) / 3_600_000 {
        0 => "just now".to_owned(),
        hours @ 1..=47 => format!("{hours} h ago"),
        hours => format!("{} days ago", hours / 24),
    }
}
