//! Questions to the history.

use crate::{
    clock::Since,
    exit::Exit,
    history::{HistoryArgs, SeriesArgs},
    output::{print, print_json},
};
use anyhow::Result;
use shakedown_report::{columns as grid, number, percent, plain, utc_of};
use shakedown_store::{
    Document, RunName,
    query::{Point, Trend},
};

#[derive(Debug, clap::Args)]
pub struct ListArgs {
    #[command(flatten)]
    history: HistoryArgs,
    #[command(flatten)]
    since: Since,
    /// At most so many
    #[arg(long, default_value_t = 50)]
    limit: usize,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// Lists runs.
pub fn list(args: ListArgs) -> Result<Exit> {
    let (_, index) = args.history.index()?;
    let runs = index.runs(args.since.ms(), args.limit)?;
    if args.json {
        print_json(&runs)?;
        return Ok(Exit::Done);
    }
    let rows: Vec<Vec<String>> = runs
        .iter()
        .map(|run| {
            let state = match (run.finished, run.fit) {
                (false, _) => "unfinished",
                (true, false) => "host not fit",
                (true, true) => "",
            };
            vec![
                utc_of(run.started_ms),
                run.host.clone(),
                run.suite.clone(),
                run.name.clone(),
                state.into(),
            ]
        })
        .collect();
    print(&grid(&["started", "host", "suite", "name", ""], 9, &rows))?;
    Ok(Exit::Done)
}

#[derive(Debug, clap::Args)]
pub struct ShowArgs {
    #[command(flatten)]
    history: HistoryArgs,
    /// Name of the run, or the start of it or of its digest
    run: String,
    /// Print the numbers as JSON
    #[arg(long)]
    json: bool,
    /// Print the whole record, raw samples and all
    #[arg(long, conflicts_with = "json")]
    record: bool,
}

/// Shows one run.
pub fn show(args: ShowArgs) -> Result<Exit> {
    let (store, index) = args.history.index()?;
    let name: RunName = index.find_run(&args.run)?.parse()?;
    if args.record {
        print(&(store.read(&name)? + "\n"))?;
        return Ok(Exit::Done);
    }
    let rows = match store.document(&name)? {
        Document::Run(record) => shakedown_store::rows(&record),
        Document::Import(import) => import.rows,
    };
    if args.json {
        print_json(&rows)?;
        return Ok(Exit::Done);
    }
    let lines: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let s = &row.series;
            let words = [&s.scenario, &s.side, &s.metric, &s.subject].map(Clone::clone);
            let numbers =
                [number(row.median), number(row.low), number(row.high), row.n.to_string()];
            words.into_iter().chain(numbers).chain([s.unit.clone()]).collect()
        })
        .collect();
    let header = ["scenario", "side", "metric", "subject", "median", "low", "high", "n", "unit"];
    print(&format!("{name}\n{}", grid(&header, 4, &lines)))?;
    Ok(Exit::Done)
}

#[derive(Debug, clap::Args)]
pub struct TrendArgs {
    #[command(flatten)]
    history: HistoryArgs,
    #[command(flatten)]
    pick: SeriesArgs,
    #[command(flatten)]
    since: Since,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// Shows a scenario over time.
pub fn trend(args: TrendArgs) -> Result<Exit> {
    let (_, index) = args.history.index()?;
    let trends = index.trends(&args.pick.which(), args.since.ms())?;
    if args.json {
        print_json(&trends)?;
        return Ok(Exit::Done);
    }
    let mut text = String::new();
    for trend in &trends {
        text += &format!("{}\n", title(trend));
        let mut last: Option<&Point> = None;
        let mut rows = Vec::new();
        for point in &trend.points {
            let change = match last {
                Some(last) if last.epoch == point.epoch => percent(point.median / last.median),
                Some(_) => "other epoch".to_owned(),
                None => String::new(),
            };
            rows.push(point_row(point, change));
            last = Some(point);
        }
        text += &grid(&["started", "revision", "median", "low", "high", "n", "change"], 2, &rows);
        text.push('\n');
    }
    print(&text)?;
    Ok(Exit::Done)
}

fn title(trend: &Trend) -> String {
    let s = &trend.series;
    let text = format!(
        "{}: {}, {} {} [{}], {} is better",
        s.subject, s.scenario, s.side, s.metric, s.unit, s.better
    );
    plain(&text)
}

fn point_row(point: &Point, last: String) -> Vec<String> {
    let revision: String = point.revision.chars().take(24).collect();
    vec![
        utc_of(point.started_ms),
        revision,
        number(point.median),
        number(point.low),
        number(point.high),
        point.n.to_string(),
        last,
    ]
}

#[derive(Debug, clap::Args)]
pub struct BestArgs {
    #[command(flatten)]
    history: HistoryArgs,
    #[command(flatten)]
    pick: SeriesArgs,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// Ranks subjects. Values of several host epochs are not comparable, and each says its own.
pub fn best(args: BestArgs) -> Result<Exit> {
    let (_, index) = args.history.index()?;
    let trends = index.best(&args.pick.which())?;
    if args.json {
        print_json(&trends)?;
        return Ok(Exit::Done);
    }
    let rows: Vec<Vec<String>> = trends
        .iter()
        .map(|trend| {
            let (s, p) = (&trend.series, &trend.points[0]);
            let words = [&s.side, &s.metric, &s.subject, &p.epoch].map(Clone::clone);
            let numbers = [number(p.median), number(p.low), number(p.high), p.n.to_string()];
            words.into_iter().chain(numbers).chain([s.unit.clone()]).collect()
        })
        .collect();
    let header = ["side", "metric", "subject", "epoch", "median", "low", "high", "n", "unit"];
    print(&grid(&header, 4, &rows))?;
    Ok(Exit::Done)
}

#[derive(Debug, clap::Args)]
pub struct CompareArgs {
    #[command(flatten)]
    history: HistoryArgs,
    /// First subject
    base: String,
    /// Second subject
    head: String,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// Puts two subjects side by side.
pub fn compare(args: CompareArgs) -> Result<Exit> {
    let (_, index) = args.history.index()?;
    let pairs = index.compare(&args.base, &args.head)?;
    if args.json {
        print_json(&pairs)?;
        return Ok(Exit::Done);
    }
    let value = |p: &Point| format!("{} [{} {}]", number(p.median), number(p.low), number(p.high));
    let rows: Vec<Vec<String>> = pairs
        .iter()
        .map(|pair| {
            vec![
                pair.scenario.clone(),
                pair.side.clone(),
                format!("{} [{}]", pair.metric, pair.unit),
                value(&pair.base),
                value(&pair.head),
                if pair.factor.is_finite() {
                    format!("{:.3}", pair.factor)
                } else {
                    "–".to_owned()
                },
                if pair.base.run == pair.head.run { "" } else { "other runs" }.to_owned(),
            ]
        })
        .collect();
    let header = ["scenario", "side", "metric", &args.base, &args.head, "factor", ""];
    print(&grid(&header, 3, &rows))?;
    Ok(Exit::Done)
}
