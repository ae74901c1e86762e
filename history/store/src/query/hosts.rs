//! The hosts of the history.

use crate::{Index, StoreError};
use rusqlite::params;
use serde::Serialize;
use shakedown_summary::stats::median;

/// A day, in milliseconds.
const DAY: i64 = 86_400_000;
/// Days that the newer half of a trend covers, and the older one before it.
const WEEKS: [i64; 2] = [7, 28];

/// A host, as its runs show it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StoredHost {
    /// Its name.
    pub host: String,
    /// Start of its last run, in milliseconds since 1970 UTC.
    pub last_ms: i64,
    /// Whether it was fit then.
    pub fit: bool,
    /// Its epoch then.
    pub epoch: String,
    /// Start of the first run in that epoch.
    pub epoch_since_ms: i64,
    /// Runs in the last 28 days before its last one.
    pub runs: u32,
    /// Those of them on the unfit host.
    pub unfit: u32,
    /// Noise in the 7 days before its last run: the median over all rates of half the width of the
    /// interval, as a share of the value.
    pub noise: Option<f64>,
    /// The same in the 21 days before these, in the same epoch.
    pub noise_before: Option<f64>,
}

impl Index {
    /// Every host with runs of our own, the one that was seen last first.
    ///
    /// # Errors
    /// If the index fails.
    pub fn hosts(&self) -> Result<Vec<StoredHost>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT host, MAX(started_ms), fit, epoch,
               (SELECT MIN(started_ms) FROM run AS same
                WHERE same.host = run.host AND same.epoch = run.epoch)
             FROM run WHERE kind = 'run' GROUP BY host ORDER BY 2 DESC, 1",
        )?;
        let found = statement.query_map([], |row| {
            Ok(StoredHost {
                host: row.get(0)?,
                last_ms: row.get(1)?,
                fit: row.get(2)?,
                epoch: row.get(3)?,
                epoch_since_ms: row.get(4)?,
                runs: 0,
                unfit: 0,
                noise: None,
                noise_before: None,
            })
        })?;
        let mut hosts: Vec<StoredHost> = found.collect::<Result<_, _>>()?;
        for host in &mut hosts {
            let [newer, older] = WEEKS.map(|days| host.last_ms - days * DAY);
            (host.runs, host.unfit) = self.connection.query_row(
                "SELECT COUNT(*), COALESCE(SUM(NOT fit), 0) FROM run
                 WHERE kind = 'run' AND host = ?1 AND started_ms > ?2",
                params![host.host, older],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )?;
            host.noise = self.noise(host, newer, i64::MAX)?;
            host.noise_before = self.noise(host, older, newer)?;
        }
        Ok(hosts)
    }

    /// After `from`, until `to`.
    fn noise(&self, host: &StoredHost, from: i64, to: i64) -> Result<Option<f64>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT (point.high - point.low) / 2 / point.median
             FROM run JOIN point ON point.run = run.id JOIN series ON series.id = point.series
             WHERE run.host = ?1 AND run.epoch = ?2 AND run.kind = 'run'
               AND run.started_ms > ?3 AND run.started_ms <= ?4
               AND point.median > 0 AND series.metric IN ('handshakes', 'throughput')",
        )?;
        let widths = statement
            .query_map(params![host.host, host.epoch, from, to], |row| row.get::<_, f64>(0))?;
        Ok(median(&widths.collect::<Result<Vec<f64>, _>>()?))
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Index, Store,
        testing::{DAY, NOW, START, record},
    };

    #[test]
    fn a_host_is_what_its_last_run_says_and_its_noise_is_that_of_its_epoch() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open_or_create(folder.path()).unwrap();
        for night in 0..40 {
            let epoch = if night < 20 { "old" } else { "new" };
            let mut run = record(night, epoch, &[("openssl@3.5.5", [900.0, 800.0])]);
            run.host.name = if night == 3 { "gone" } else { "bench-1" }.to_owned();
            run.host.fit = night != 39 && night != 30;
            // Half a percent each way before the last week, one percent within it.
            let share = if night > 32 { 0.01 } else { 0.005 };
            for (block, factor) in [1.0 - share, 1.0 - share, 1.0, 1.0, 1.0 + share, 1.0 + share]
                .into_iter()
                .enumerate()
            {
                let more =
                    record(night, epoch, &[("openssl@3.5.5", [900.0 * factor, 800.0 * factor])]);
                run.trials.extend(
                    more.trials.into_iter().map(|trial| shakedown_protocol::Trial {
                        block: block as u32 + 1,
                        ..trial
                    }),
                );
            }
            store.add(&serde_json::to_string(&run).unwrap(), NOW).unwrap();
        }
        let (index, _) = Index::open(&store).unwrap();
        let hosts = index.hosts().unwrap();
        let names: Vec<&str> = hosts.iter().map(|host| host.host.as_str()).collect();
        assert_eq!(names, ["bench-1", "gone"]);
        let host = &hosts[0];
        assert_eq!((host.fit, host.epoch.as_str(), host.runs, host.unfit), (false, "new", 28, 2));
        assert_eq!(host.epoch_since_ms, (START + 20 * DAY) as i64);
        let close = |found: Option<f64>, wanted: f64| (found.unwrap() - wanted).abs() < 1e-3;
        assert!(close(host.noise, 0.01) && close(host.noise_before, 0.005), "{host:?}");
        assert_eq!(hosts[1].noise_before, None);
    }
}
