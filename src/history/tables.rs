//! What `shakedown history` prints about runs and series.

use shakedown_report::{
    IN_TREE, IN_TREE_NOTE, columns, number, percent_change, plain, title as named, utc_of,
    with_interval,
};
use shakedown_store::{
    SeriesValue,
    query::{Owed, SeriesComparison, StoredRun, Trend, TrendPoint},
};

/// The stored runs.
pub fn runs(runs: &[StoredRun]) -> String {
    let row = |run: &StoredRun| {
        let state = match (run.finished, run.fit) {
            (false, _) => "unfinished",
            (true, false) => "host not fit",
            (true, true) => "",
        };
        let words = [&run.host, &run.suite, &run.name].map(Clone::clone);
        let states: Vec<String> =
            [state.to_owned(), harness(run)].into_iter().filter(|one| !one.is_empty()).collect();
        [utc_of(run.started_ms)].into_iter().chain(words).chain([states.join(", ")]).collect()
    };
    let rows: Vec<Vec<String>> = runs.iter().map(row).collect();
    columns(&["started", "host", "suite", "name", ""], 9, &rows)
}

/// What a run is that has in-tree benchmarks or stands in for another; nothing for others.
fn harness(run: &StoredRun) -> String {
    match (&run.fallback, &run.backfill) {
        (Some(suite), _) => format!("{IN_TREE} instead of suite {suite}"),
        (None, Some(missed)) => format!("replaces {missed}"),
        (None, None) if run.in_tree => IN_TREE.to_owned(),
        (None, None) => String::new(),
    }
}

/// Ends a table: says what in-tree benchmarks are, where some of the scenarios are theirs.
fn note<'a>(mut scenarios: impl Iterator<Item = &'a String>) -> String {
    if scenarios.any(|scenario| named(scenario) != *scenario) {
        return format!("{IN_TREE_NOTE}\n");
    }
    String::new()
}

/// What is missing because a driver did not fit.
pub fn owed(owed: &[Owed]) -> String {
    let row = |one: &Owed| {
        let fits = if one.fits_again { "the driver fits later revisions" } else { "" };
        let revision = one.revision.chars().take(12).collect();
        let words = [&one.host, &one.subject].map(Clone::clone);
        let more = [revision, one.suite.clone(), one.misfit.clone(), fits.to_owned()];
        [utc_of(one.started_ms)].into_iter().chain(words).chain(more).collect()
    };
    let rows: Vec<Vec<String>> = owed.iter().map(row).collect();
    let header = ["missed", "host", "subject", "revision", "suite", "what does not fit", ""];
    columns(&header, 9, &rows)
}

/// The values of one run.
pub fn values(name: &str, values: &[SeriesValue]) -> String {
    let row = |value: &SeriesValue| {
        let s = &value.series;
        let words = [&s.scenario, &s.side, &s.metric, &s.subject].map(Clone::clone);
        let [median, low, high] = [value.median, value.low, value.high].map(number);
        let numbers = [median, low, high, value.n.to_string(), s.unit.clone()];
        words.into_iter().chain(numbers).collect()
    };
    let rows: Vec<Vec<String>> = values.iter().map(row).collect();
    let header = ["scenario", "side", "metric", "subject", "median", "low", "high", "n", "unit"];
    let note = note(values.iter().map(|value| &value.series.scenario));
    format!("{name}\n{}{note}", columns(&header, 4, &rows))
}

/// Each series over time, with the change from run to run inside an epoch.
pub fn trends(trends: &[Trend]) -> String {
    let header = ["started", "revision", "median", "low", "high", "n", "change"];
    let mut text = String::new();
    for trend in trends {
        let mut last: Option<&TrendPoint> = None;
        let mut rows = Vec::new();
        for point in &trend.points {
            let change = match last {
                Some(last) if last.epoch == point.epoch => {
                    percent_change(point.median / last.median)
                }
                Some(_) => "other epoch".to_owned(),
                None => String::new(),
            };
            rows.push(point_row(point, change));
            last = Some(point);
        }
        text += &format!("{}\n{}\n", title(trend), columns(&header, 2, &rows));
    }
    text + &note(trends.iter().map(|trend| &trend.series.scenario))
}

fn title(trend: &Trend) -> String {
    let s = &trend.series;
    let text = format!(
        "{}: {}, {} {} [{}], {} is better",
        s.subject,
        named(&s.scenario),
        s.side,
        s.metric,
        s.unit,
        s.better
    );
    plain(&text)
}

fn point_row(point: &TrendPoint, change: String) -> Vec<String> {
    let revision: String = point.revision.chars().take(24).collect();
    let [median, low, high] = [point.median, point.low, point.high].map(number);
    vec![utc_of(point.started_ms), revision, median, low, high, point.n.to_string(), change]
}

/// The subjects of a scenario by their newest value. Each has at least one point.
pub fn ranking(trends: &[Trend]) -> String {
    let row = |trend: &Trend| {
        let (s, p) = (&trend.series, &trend.points[0]);
        let words = [&s.side, &s.metric, &s.subject, &p.epoch].map(Clone::clone);
        let [median, low, high] = [p.median, p.low, p.high].map(number);
        let numbers = [median, low, high, p.n.to_string(), s.unit.clone()];
        words.into_iter().chain(numbers).collect()
    };
    let rows: Vec<Vec<String>> = trends.iter().map(row).collect();
    let header = ["side", "metric", "subject", "epoch", "median", "low", "high", "n", "unit"];
    columns(&header, 4, &rows) + &note(trends.iter().map(|trend| &trend.series.scenario))
}

/// Two subjects side by side.
pub fn comparison(base: &str, head: &str, pairs: &[SeriesComparison]) -> String {
    let value = |p: &TrendPoint| with_interval([p.median, p.low, p.high]);
    let row = |pair: &SeriesComparison| {
        let finite = pair.factor.is_finite();
        vec![
            pair.scenario.clone(),
            pair.side.clone(),
            format!("{} [{}]", pair.metric, pair.unit),
            value(&pair.base),
            value(&pair.head),
            if finite { format!("{:.3}", pair.factor) } else { "–".to_owned() },
            if pair.base.run == pair.head.run { "" } else { "other runs" }.to_owned(),
        ]
    };
    let rows: Vec<Vec<String>> = pairs.iter().map(row).collect();
    let table = columns(&["scenario", "side", "metric", base, head, "factor", ""], 3, &rows);
    table
        + &format!("A factor above 1 is better than {}, for every metric.\n", plain(base))
        + &note(pairs.iter().map(|pair| &pair.scenario))
}
