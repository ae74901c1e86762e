//! Queries about subjects whose driver did not fit.

use crate::{Index, StoreError};
use rusqlite::{OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};

/// A measurement that the history lacks, because the driver did not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owed {
    /// Name of the run without it.
    pub run: String,
    /// Start of that run, in milliseconds since 1970 UTC.
    pub started_ms: i64,
    /// Host epoch. Only a measurement in the same epoch belongs to the series.
    pub epoch: String,
    /// Name of the host.
    pub host: String,
    /// Name of the series' subject.
    pub subject: String,
    /// The requested subject.
    pub asked: String,
    /// The subject to build.
    pub resolved: String,
    /// Its commit, or its resolved name.
    pub revision: String,
    /// Requested suite.
    pub suite: String,
    /// Requested scenario ids or globs; empty: the whole suite.
    pub only: Vec<String>,
    /// What did not fit.
    pub misfit: String,
    /// The first error.
    pub error: String,
    /// Whether the driver has fitted a later revision of the subject since.
    pub fits_again: bool,
}

/// A subject whose driver no longer fits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DriverBreak {
    /// Name of the series' subject.
    pub subject: String,
    /// Its repository, if it was measured before.
    pub repository: Option<String>,
    /// The newest revision that the driver fits, and the time of its measurement.
    pub last_fit: Option<(String, i64)>,
    /// The first revision that it does not fit.
    pub first_misfit: String,
    /// Start of that run, in milliseconds since 1970 UTC.
    pub since_ms: i64,
    /// What does not fit the newest revision.
    pub misfit: String,
    /// The first error with the newest revision.
    pub error: String,
}

/// Missed measurements. If several runs missed the same one, the first run counts.
const OWED: &str = "SELECT run.name, run.started_ms, run.epoch, run.host, misfit.subject,
    misfit.asked, misfit.resolved, misfit.revision, misfit.suite, misfit.only_ids, misfit.misfit,
    misfit.error,
    EXISTS (SELECT 1 FROM build JOIN run AS later ON later.id = build.run
      WHERE build.subject = misfit.subject AND later.started_ms > run.started_ms
        AND later.kind = 'run' AND NOT later.in_tree),
    MIN(run.started_ms)
  FROM misfit JOIN run ON run.id = misfit.run
  WHERE run.started_ms >= ?1 AND NOT EXISTS (
    SELECT 1 FROM build JOIN run AS done ON done.id = build.run
    WHERE build.subject = misfit.subject AND build.revision = misfit.revision
      AND done.epoch = run.epoch AND done.suite = misfit.suite AND done.finished
      AND NOT done.in_tree)
  GROUP BY run.epoch, misfit.subject, misfit.revision, misfit.suite
  ORDER BY run.started_ms DESC, misfit.subject";

fn owed(row: &Row<'_>) -> Result<Owed, rusqlite::Error> {
    let only: String = row.get(9)?;
    Ok(Owed {
        run: row.get(0)?,
        started_ms: row.get(1)?,
        epoch: row.get(2)?,
        host: row.get(3)?,
        subject: row.get(4)?,
        asked: row.get(5)?,
        resolved: row.get(6)?,
        revision: row.get(7)?,
        suite: row.get(8)?,
        only: only.lines().map(str::to_owned).collect(),
        misfit: row.get(10)?,
        error: row.get(11)?,
        fits_again: row.get(12)?,
    })
}

impl Index {
    /// Missed measurements since `since_ms`, newest first.
    ///
    /// # Errors
    /// If the index fails.
    pub fn owed(&self, since_ms: i64) -> Result<Vec<Owed>, StoreError> {
        let mut statement = self.connection.prepare_cached(OWED)?;
        let found = statement.query_map(params![since_ms], owed)?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    /// The subjects whose driver did not fit in their newest run.
    ///
    /// # Errors
    /// If the index fails.
    pub fn driver_breaks(&self) -> Result<Vec<DriverBreak>, StoreError> {
        let mut fits = self.connection.prepare_cached(
            "SELECT build.revision, run.started_ms, build.repository
             FROM build JOIN run ON run.id = build.run
             WHERE build.subject = ?1 AND run.kind = 'run' AND NOT run.in_tree
               AND run.backfill IS NULL
             ORDER BY run.started_ms DESC LIMIT 1",
        )?;
        let mut misfits = self.connection.prepare_cached(
            "SELECT misfit.revision, run.started_ms, misfit.misfit, misfit.error
             FROM misfit JOIN run ON run.id = misfit.run
             WHERE misfit.subject = ?1 AND run.started_ms > ?2
             ORDER BY run.started_ms, run.name",
        )?;
        let mut subjects =
            self.connection.prepare_cached("SELECT DISTINCT subject FROM misfit ORDER BY 1")?;
        let subjects = subjects.query_map([], |row| row.get(0))?;
        let mut found = Vec::new();
        for subject in subjects.collect::<Result<Vec<String>, _>>()? {
            type Fit = (String, i64, Option<String>);
            let fit: Option<Fit> = fits
                .query_row([&subject], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
                .optional()?;
            let since = fit.as_ref().map_or(i64::MIN, |(_, at, _)| *at);
            let streak = misfits.query_map(params![subject, since], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })?;
            let streak: Vec<(String, i64, String, String)> = streak.collect::<Result<_, _>>()?;
            let (Some(first), Some(newest)) = (streak.first(), streak.last()) else { continue };
            found.push(DriverBreak {
                subject,
                repository: fit.as_ref().and_then(|(_, _, repository)| repository.clone()),
                last_fit: fit.map(|(revision, at, _)| (revision, at)),
                first_misfit: first.0.clone(),
                since_ms: first.1,
                misfit: newest.2.clone(),
                error: newest.3.clone(),
            });
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Store,
        query::SeriesFilter,
        testing::{DAY, NOW, SCENARIO, START, record},
    };
    use shakedown_protocol::{Backfill, Fallback, Incompatible, Misfit, RunRecord, fixture};

    const HEAD: &str = "rustls@git:HEAD";

    fn commit(night: u64) -> String {
        format!("{night:040x}")
    }

    /// A night that the driver measured.
    fn fits(night: u64) -> RunRecord {
        record(night, "e1", &[(HEAD, [1000.0, 500.0])])
    }

    fn misfit(night: u64, surface: &str) -> Incompatible {
        Incompatible {
            subject: HEAD.parse().unwrap(),
            resolved: format!("rustls@git:{}", commit(night)).parse().unwrap(),
            revision: Some(commit(night)),
            misfit: Misfit::Surface(surface.to_owned()),
            error: format!("error of night {night}"),
        }
    }

    /// A night that fell back.
    fn fell_back(night: u64, surface: &str) -> RunRecord {
        let scenario = "intree/handshake-full/tls1.3/aes128-gcm/default/ecdsa-p256";
        let mut run = record(night, "e1", &[(HEAD, [1000.0, 500.0])]);
        run.plan.scenarios = vec![scenario.parse().unwrap()];
        run.trials.clear();
        run.plan.suite = "intree".to_owned();
        let subjects = vec![misfit(night, surface)];
        let (suite, only) = ("nightly".to_owned(), vec!["handshake-*".to_owned()]);
        run.plan.fallback = Some(Fallback { suite, only, subjects });
        run
    }

    /// The others of such a night, without the subject.
    fn left_out(night: u64) -> RunRecord {
        let mut run = record(night, "e1", &[("openssl@3.5.5", [900.0, 800.0])]);
        run.plan.left_out = vec![misfit(night, "io")];
        run
    }

    fn index(runs: &[RunRecord]) -> (tempfile::TempDir, Index) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open_or_create(folder.path()).unwrap();
        for run in runs {
            store.add(&serde_json::to_string(run).unwrap(), NOW).unwrap();
        }
        let (index, updated) = Index::open(&store).unwrap();
        assert!(updated.damaged.is_empty(), "{updated:?}");
        (folder, index)
    }

    #[test]
    fn a_missed_night_is_owed_once_until_it_was_measured() {
        let missed = [fits(0), fell_back(1, "io"), left_out(1), fell_back(2, "io")];
        let (_folder, one) = index(&missed);
        let owed = one.owed(i64::MIN).unwrap();
        let revisions: Vec<&str> = owed.iter().map(|one| one.revision.as_str()).collect();
        assert_eq!(revisions, [commit(2), commit(1)], "newest first, each once");
        assert!(owed.iter().all(|one| one.suite == "nightly" && !one.fits_again), "{owed:?}");
        assert_eq!(owed[0].resolved, format!("rustls@git:{}", commit(2)));
        assert_eq!((&*owed[0].asked, &*owed[0].misfit), (HEAD, "surface `io`"));
        assert_eq!(one.owed((START + 2 * DAY) as i64).unwrap().len(), 1);

        // A night later the driver fits again, and the second night is measured in its place.
        let mut later = fits(2);
        later.started_ms = START + 3 * DAY + 1;
        later.plan.backfill =
            Some(Backfill { run: owed[0].run.clone(), started_ms: owed[0].started_ms as u64 });
        let (_folder, two) = index(&[&missed[..], &[fits(3), later]].concat());
        let owed = two.owed(i64::MIN).unwrap();
        assert_eq!(owed.len(), 1);
        assert!(owed[0].fits_again && owed[0].revision == commit(1));
        // Its numbers stand where they were missed.
        let which = SeriesFilter {
            subject: Some(HEAD),
            scenario: Some(SCENARIO),
            ..SeriesFilter::default()
        };
        let trend = &two.trends(&which, i64::MIN).unwrap()[0];
        let revisions: Vec<&str> = trend.points.iter().map(|p| p.revision.as_str()).collect();
        assert_eq!(revisions, [commit(0), commit(2), commit(3)]);
    }

    #[test]
    fn a_host_that_changed_and_a_folder_owe_nothing_here() {
        let mut other = fits(1);
        other.host = fixture::host("e2");
        let mut folder = fell_back(2, "io");
        let subjects = &mut folder.plan.fallback.as_mut().unwrap().subjects;
        subjects[0].resolved = "rustls@path:/x".parse().unwrap();
        subjects[0].revision = None;
        let (_folder, index) = index(&[fell_back(1, "io"), other, folder]);
        let owed = index.owed(i64::MIN).unwrap();
        assert_eq!(owed.len(), 1, "another epoch's numbers are no substitute: {owed:?}");
        assert_eq!(owed[0].epoch, "e1");
    }

    #[test]
    fn a_break_lasts_until_the_driver_fits_again() {
        let broken = [fits(0), fits(1), fell_back(2, "io"), left_out(3), fell_back(4, "kind")];
        let (_folder, one) = index(&broken);
        let found = one.driver_breaks().unwrap();
        assert_eq!(
            found,
            [DriverBreak {
                subject: HEAD.to_owned(),
                repository: found[0].repository.clone(),
                last_fit: Some((commit(1), (START + DAY) as i64)),
                first_misfit: commit(2),
                since_ms: (START + 2 * DAY) as i64,
                misfit: "surface `kind`".to_owned(),
                error: "error of night 4".to_owned(),
            }]
        );
        let (_folder, two) = index(&[&broken[..], &[fits(5)]].concat());
        assert_eq!(two.driver_breaks().unwrap(), []);
        let (_folder, three) = index(&[&broken[..], &[fits(5), fell_back(6, "io")]].concat());
        assert_eq!(three.driver_breaks().unwrap()[0].first_misfit, commit(6));
    }
}
