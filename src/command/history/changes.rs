//! Changes over the nights.

use crate::{
    clock::now_ms,
    exit::Exit,
    history::{HistoryArgs, describe, find_suspect, noise},
    output::{print, print_json},
};
use anyhow::{Result, bail};
use serde::Serialize;
use shakedown_report::{columns as grid, percent, plain, utc_of};
use shakedown_store::{
    Index, Store,
    change::{self, EffectSize, MeasuredRevision, Rule, State, SuspectSummary, TrackedSuspect},
};

#[derive(Debug, clap::Args)]
pub struct ChangesArgs {
    #[command(flatten)]
    history: HistoryArgs,
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
    let (store, index) = args.history.index()?;
    let mut worse = false;
    if !args.no_scan {
        let rule = Rule::for_budget(args.budget, index.series(&Default::default())?.len());
        let budget = shakedown_gate::Policy::shipped()?.budget;
        let calibrations = noise::of_newest(&store, &index, &budget)?;
        let found = change::scan(&store, &index, &calibrations, &rule, now_ms()?)?;
        worse = found.iter().any(|suspect| suspect.worse);
    }
    let listed = list(&store, &index, |state| args.all || state == State::Suspect)?;
    if args.json {
        print_json(&listed)?;
    } else {
        print(&table(&listed))?;
    }
    Ok(if args.fail && worse { Exit::Regressed } else { Exit::Done })
}

/// The suspects in the states that are wanted, laid out: the newest first, of one night the worst.
fn list(
    store: &Store,
    index: &Index,
    wanted: impl Fn(State) -> bool,
) -> Result<Vec<SuspectSummary>> {
    let mut known = change::suspects(store)?;
    known.retain(|known| wanted(known.state));
    known.sort_by(|a, b| {
        let when = |known: &TrackedSuspect| std::cmp::Reverse(known.suspect.first_bad_ms);
        let size = |known: &TrackedSuspect| known.suspect.found.factor.ln().abs();
        let worse = b.suspect.worse.cmp(&a.suspect.worse);
        when(a).cmp(&when(b)).then(worse).then(size(b).total_cmp(&size(a)))
    });
    known.into_iter().map(|known| describe(index, known)).collect()
}

fn table(listed: &[SuspectSummary]) -> String {
    let rows: Vec<Vec<String>> = listed
        .iter()
        .map(|one| {
            let (s, change) = (&one.series, &one.change);
            vec![
                one.id.clone(),
                one.state.name().to_owned(),
                utc_of(one.first_bad.started_ms.unwrap_or_default()),
                s.subject.clone(),
                format!("{} {} {}", s.scenario, s.side, s.metric),
                if one.worse { "worse" } else { "better" }.to_owned(),
                size(change),
            ]
        })
        .collect();
    if rows.is_empty() {
        return "no suspects\n".to_owned();
    }
    grid(&["id", "state", "since", "subject", "series", "", "change"], 6, &rows)
}

fn size(change: &EffectSize) -> String {
    let [factor, low, high] = [change.factor, change.low, change.high].map(percent);
    format!("{factor} [{low}, {high}]")
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
One cause is one family of scenarios that changed between the same two revisions, in whatever
variant, metric or host. Its id is the same on every host and never changes, so that whoever
opens an issue for it can find that issue again.")]
pub struct CausesArgs {
    #[command(flatten)]
    history: HistoryArgs,
    /// Also those of which every suspect was dismissed
    #[arg(long)]
    all: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// Groups what was found by cause. Looks for nothing new: that is `changes`.
pub fn causes(args: CausesArgs) -> Result<Exit> {
    let (store, index) = args.history.index()?;
    let mut causes = change::causes(list(&store, &index, |_| true)?);
    causes.retain(|cause| args.all || cause.state != State::Dismissed);
    if args.json {
        print_json(&causes)?;
        return Ok(Exit::Done);
    }
    let short = |revision: &str| revision.chars().take(24).collect::<String>();
    let row = |cause: &change::Cause| {
        let largest = &cause.suspects[0];
        vec![
            cause.cause.clone(),
            cause.state.name().to_owned(),
            utc_of(cause.first_bad_ms),
            format!("{} {}", cause.stack, cause.family),
            format!("{} … {}", short(&cause.last_good), short(&cause.first_bad)),
            if cause.worse { "worse" } else { "better" }.to_owned(),
            cause.suspects.len().to_string(),
            size(&largest.change),
        ]
    };
    let rows: Vec<Vec<String>> = causes.iter().map(row).collect();
    if rows.is_empty() {
        print("no suspects\n")?;
        return Ok(Exit::Done);
    }
    let header = ["cause", "state", "since", "what", "revisions", "", "suspects", "largest change"];
    print(&grid(&header, 6, &rows))?;
    Ok(Exit::Done)
}

#[derive(Debug, clap::Args)]
pub struct DecideArgs {
    #[command(flatten)]
    history: HistoryArgs,
    /// Id of the suspect
    suspect: String,
    /// What it is
    #[arg(value_enum)]
    state: Decision,
    /// What that rests on: the run that measured it again, or a reason
    #[arg(long)]
    evidence: String,
    /// Print the suspect as JSON
    #[arg(long)]
    json: bool,
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
    let store = args.history.store()?;
    let known = change::decide(&store, &args.suspect, state, &args.evidence, now_ms()?)?;
    let listed = SuspectSummary::new(known, None);
    if args.json {
        print_json(&listed)?;
    } else {
        print(&table(&[listed]))?;
    }
    Ok(Exit::Done)
}

#[derive(Debug, clap::Args)]
pub struct BisectArgs {
    #[command(flatten)]
    history: HistoryArgs,
    /// Id of the suspect; see `shakedown history changes`
    suspect: String,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// Tells between which revisions something changed.
pub fn bisect_range(args: BisectArgs) -> Result<Exit> {
    let (store, index) = args.history.index()?;
    let known = describe(&index, find_suspect(&store, &args.suspect)?)?;
    if args.json {
        print_json(&Range::new(&known))?;
        return Ok(Exit::Done);
    }
    let (good, bad) = (&known.last_good, &known.first_bad);
    print(&format!(
        "last good:  {} (run {})\nfirst bad:  {} (run {})\n",
        plain(&good.revision),
        good.run,
        plain(&bad.revision),
        bad.run
    ))?;
    if good.revision == bad.revision {
        print("Both are the same revision: what changed is not the code of the subject.\n")?;
    } else if let Some(repository) = &known.repository {
        print(&format!("repository: {}\n", plain(repository)))?;
    }
    Ok(Exit::Done)
}

/// A range of revisions, as `bisect-range --json` prints it.
#[derive(Debug, Serialize)]
struct Range<'a> {
    id: &'a str,
    cause: &'a str,
    subject: &'a str,
    repository: Option<&'a str>,
    last_good: &'a MeasuredRevision,
    first_bad: &'a MeasuredRevision,
    /// Whether both nights had the same revision: then the code is not what changed.
    same_revision: bool,
}

impl<'a> Range<'a> {
    fn new(listed: &'a SuspectSummary) -> Self {
        Self {
            id: &listed.id,
            cause: &listed.cause,
            subject: &listed.series.subject,
            repository: listed.repository.as_deref(),
            last_good: &listed.last_good,
            first_bad: &listed.first_bad,
            same_revision: listed.last_good.revision == listed.first_bad.revision,
        }
    }
}
