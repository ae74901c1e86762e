//! Changes over the nights.

use super::{
    Place,
    ask::time,
    grid::{grid, percent},
    now_ms,
};
use crate::{
    command::{print, print_json},
    exit::Exit,
};
use anyhow::{Result, bail};
use protocol::Calibration;
use std::collections::HashMap;
use store::{
    Document, Index, RunName, Series, Store,
    change::{self, Known, Rule, State},
};

#[derive(Debug, clap::Args)]
pub struct ChangesArgs {
    #[command(flatten)]
    place: Place,
    /// Only list what was found before
    #[arg(long)]
    no_scan: bool,
    /// False suspects that the whole history may raise in a year
    #[arg(long, value_name = "N", default_value_t = 1.0)]
    budget: f64,
    /// Also list what was confirmed or dismissed
    #[arg(long)]
    all: bool,
    /// End with exit code 1 if this call found something that got worse
    #[arg(long)]
    fail: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// Looks for changes and lists the suspects.
pub fn changes(args: ChangesArgs) -> Result<Exit> {
    if !(args.budget > 0.0 && args.budget.is_finite()) {
        bail!("--budget must be above 0: how many false suspects a year are bearable");
    }
    let (store, index) = args.place.index()?;
    let mut worse = false;
    if !args.no_scan {
        let rule = Rule::for_budget(args.budget, index.series(&Default::default())?.len());
        let noise = Noise::newest(&store, &index)?;
        let found = change::scan(&store, &index, &|s, e| noise.of(s, e), &rule, now_ms()?)?;
        worse = found.iter().any(|suspect| suspect.worse);
    }
    let mut known = change::suspects(&store)?;
    known.retain(|known| args.all || known.state == State::Suspect);
    if args.json {
        print_json(&known)?;
    } else {
        print(&table(&known))?;
    }
    Ok(if args.fail && worse { Exit::Regressed } else { Exit::Done })
}

fn table(known: &[Known]) -> String {
    let rows: Vec<Vec<String>> = known
        .iter()
        .map(|known| {
            let suspect = &known.suspect;
            let s = &suspect.series;
            let (f, state) = (&suspect.found, format!("{:?}", known.state).to_lowercase());
            vec![
                suspect.id.clone(),
                state,
                time(suspect.first_bad_ms),
                s.subject.clone(),
                format!("{} {} {}", s.scenario, s.side, s.metric),
                if suspect.worse { "worse" } else { "better" }.to_owned(),
                format!("{} [{} {}]", percent(f.factor), percent(f.low), percent(f.high)),
            ]
        })
        .collect();
    if rows.is_empty() {
        return "no suspects\n".to_owned();
    }
    grid(&["id", "state", "since", "subject", "series", "", "change"], 6, &rows)
}

/// The newest calibration of each epoch.
struct Noise(HashMap<(String, String, String, String), f64>);

impl Noise {
    /// Reads the newest run of each epoch: its record carries the calibration it was judged by.
    fn newest(store: &Store, index: &Index) -> Result<Self> {
        let mut epochs: HashMap<String, Option<Calibration>> = HashMap::new();
        for run in index.runs(i64::MIN, 100)?.iter().filter(|run| run.kind == "run") {
            if epochs.contains_key(&run.epoch) {
                continue;
            }
            let name: RunName = run.name.parse()?;
            if let Document::Run(record) = store.document(&name)? {
                epochs.insert(run.epoch.clone(), record.calibration);
            }
        }
        let mut noise = HashMap::new();
        for calibration in epochs.into_values().flatten() {
            for one in calibration.noise {
                let key = (
                    calibration.epoch.clone(),
                    one.scenario.to_string(),
                    one.side.to_string(),
                    one.metric.to_string(),
                );
                noise.insert(key, f64::from(one.sigma_ppm) / 1e6);
            }
        }
        Ok(Self(noise))
    }

    fn of(&self, series: &Series, epoch: &str) -> Option<f64> {
        let Series { scenario, side, metric, .. } = series.clone();
        self.0.get(&(epoch.to_owned(), scenario, side, metric)).copied()
    }
}

#[derive(Debug, clap::Args)]
pub struct DecideArgs {
    #[command(flatten)]
    place: Place,
    /// Id of the suspect
    suspect: String,
    /// What it is
    #[arg(value_enum)]
    state: Decision,
    /// What that rests on: the run that measured it again, or a reason
    #[arg(long)]
    evidence: String,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Decision {
    /// It is there
    Confirmed,
    /// It is not
    Dismissed,
}

/// Writes a decision down.
pub fn decide(args: DecideArgs) -> Result<Exit> {
    let state = match args.state {
        Decision::Confirmed => State::Confirmed,
        Decision::Dismissed => State::Dismissed,
    };
    let store = args.place.store()?;
    let known = change::decide(&store, &args.suspect, state, &args.evidence, now_ms()?)?;
    print(&table(&[known]))?;
    Ok(Exit::Done)
}

#[derive(Debug, clap::Args)]
pub struct BisectArgs {
    #[command(flatten)]
    place: Place,
    /// Id of the suspect; see `shakedown history changes`
    suspect: String,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// Tells between which revisions something changed.
pub fn bisect_range(args: BisectArgs) -> Result<Exit> {
    let known = change::suspects(&args.place.store()?)?;
    let Some(known) = known.into_iter().find(|known| known.suspect.id == args.suspect) else {
        bail!("no suspect has the id `{}`: see `shakedown history changes --all`", args.suspect);
    };
    let suspect = known.suspect;
    if args.json {
        print_json(&suspect)?;
        return Ok(Exit::Done);
    }
    let plain = super::grid::plain;
    print(&format!(
        "last good:  {} (run {})\nfirst bad:  {} (run {})\n",
        plain(&suspect.last_good),
        suspect.last_good_run,
        plain(&suspect.first_bad),
        suspect.first_bad_run
    ))?;
    if suspect.last_good == suspect.first_bad {
        print("Both are the same revision: what changed is not the code of the subject.\n")?;
    }
    Ok(Exit::Done)
}
