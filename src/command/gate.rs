//! `shakedown gate`.

use crate::{
    exit::Exit,
    place::Root,
    report::{number, plain},
};
use ::gate::{
    Comparison, Judgement, Policy, Verdict,
    policy::{Date, Known},
};
use anyhow::{Context, Result};
use clap::ValueHint;
use comfy_table::{ContentArrangement, Table, presets};
use protocol::Scenario;
use schedule::Suite;
use std::{
    collections::BTreeSet,
    fmt::Write,
    fs,
    io::IsTerminal,
    path::PathBuf,
    time::{SystemTime, UNIX_EPOCH},
};

/// Judges again what was measured. The same record and policy give the same verdict.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A record.json of a comparison, or the folder that it is in
    #[arg(value_hint = ValueHint::AnyPath)]
    record: PathBuf,
    #[command(flatten)]
    policies: Policies,
    /// Show every number from the samples to the verdict of this scenario
    #[arg(long, value_name = "SCENARIO")]
    explain: Option<Scenario>,
    /// Print the judgement as JSON
    #[arg(long)]
    json: bool,
}

/// By what is judged.
#[derive(Debug, clap::Args)]
pub struct Policies {
    /// The policy [default: thresholds/pr.toml of the project]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    policy: Option<PathBuf>,
    /// Known regressions that are accepted [default: thresholds/accepted.toml of the project]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    accepted: Option<PathBuf>,
}

impl Policies {
    /// Reads and checks them.
    ///
    /// # Errors
    /// What is wrong with them, with file and line.
    pub fn load(&self, root: &Root) -> Result<Policy> {
        let folder = root.path().join("thresholds");
        let read = |given: &Option<PathBuf>, name: &str| {
            let path = given.clone().unwrap_or_else(|| folder.join(name));
            let text = fs::read_to_string(&path);
            text.map(|text| (text, path.display().to_string()))
                .with_context(|| format!("can't read {}", path.display()))
        };
        let (text, file) = read(&self.policy, "pr.toml")?;
        let (accepted, accepted_file) = read(&self.accepted, "accepted.toml")?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
        let today = Date::from_unix_ms(u64::try_from(now).unwrap_or(u64::MAX));
        let policy =
            Policy::parse(&text, &file)?.with_accepted(&accepted, &accepted_file, today)?;
        policy.check(&known(root)?)?;
        Ok(policy)
    }
}

/// Every scenario and stack that a policy may speak of.
fn known(root: &Root) -> Result<Known> {
    let folder = root.catalog().join("suites");
    let mut scenarios = BTreeSet::new();
    for name in Suite::names(&folder)? {
        scenarios.extend(Suite::load(&folder, &name)?.scenarios);
    }
    let catalog = ::build::Catalog::load(&root.catalog())?;
    Ok(Known {
        scenarios: scenarios.into_iter().collect(),
        stacks: catalog.stacks().map(|stack| stack.name.clone()).collect(),
    })
}

/// Judges.
///
/// # Errors
/// A record or a policy that can't be used.
pub fn run(args: Args) -> Result<Exit> {
    let root = Root::find()?;
    let record = super::report::read(&args.record)?;
    let policy = args.policies.load(&root)?;
    if let Some(scenario) = args.explain {
        super::print(&::gate::explain(&record, &policy, &scenario)?)?;
        return Ok(Exit::Done);
    }
    show(&::gate::judge(&record, &policy)?, args.json)
}

/// Prints a judgement and turns it into an exit code.
///
/// # Errors
/// When nobody reads it.
pub fn show(judgement: &Judgement, json: bool) -> Result<Exit> {
    if json {
        super::print_json(judgement)?;
    } else {
        super::print(&text(judgement))?;
    }
    Ok(match judgement.exit_code {
        0 => Exit::Done,
        5 => Exit::Inconclusive,
        _ => Exit::Regressed,
    })
}

fn text(judgement: &Judgement) -> String {
    let mut text = format!("{}\n", plain(&judgement.headline));
    if judgement.same_code {
        text.push_str("base and head are the same code: an A/A comparison\n");
    }
    for line in judgement.differences.iter().chain(&judgement.warnings) {
        let _ = writeln!(text, "{}", plain(line));
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    if !std::io::stdout().is_terminal() {
        table.set_content_arrangement(ContentArrangement::Disabled);
    }
    table.set_header(["verdict", "scenario", "side", "metric", "base", "head", "change", "why"]);
    for found in judgement.comparisons.iter().filter(|found| found.verdict != Verdict::Pass) {
        table.add_row(row(found));
    }
    if table.row_count() > 0 {
        let _ = writeln!(text, "\n{table}");
    }
    text
}

fn row(found: &Comparison) -> [String; 8] {
    let value = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), number);
    let percent = |share: f64| format!("{:+.1} %", share * 100.0);
    let change = match (found.change, found.low, found.high) {
        (Some(change), Some(low), Some(high)) => {
            format!("{} [{}, {}]", percent(change), percent(low), percent(high))
        }
        (Some(change), ..) => percent(change),
        _ => "-".to_owned(),
    };
    [
        format!("{:?}", found.verdict).to_lowercase(),
        found.scenario.to_string(),
        found.side.to_string(),
        format!("{} [{}]", found.metric, found.unit),
        value(found.base),
        value(found.head),
        change,
        plain(&found.reason),
    ]
}
