//! The subcommands.

#[cfg(feature = "github")]
mod adopt;
#[cfg(feature = "history")]
mod backfill;
mod bisect;
mod build;
mod catalog;
mod compare;
mod completions;
#[cfg(feature = "history")]
mod confirm;
mod explain;
#[cfg(feature = "history")]
mod export;
#[cfg(feature = "github")]
mod fleet;
mod gate;
#[cfg(feature = "github")]
mod github;
#[cfg(feature = "history")]
mod history;
mod host;
#[cfg(feature = "history")]
mod import;
#[cfg(not(all(feature = "github", feature = "history", feature = "schema")))]
mod left_out;
mod policy;
mod profile;
mod report;
mod run;
#[cfg(feature = "schema")]
mod schema;
#[cfg(feature = "history")]
mod signoff;
#[cfg(feature = "history")]
mod site;
mod study;

#[cfg(not(feature = "schema"))]
use left_out::schema;
#[cfg(not(feature = "github"))]
use left_out::{github, github as adopt, github as fleet};
#[cfg(not(feature = "history"))]
use left_out::{
    history, history as backfill, history as confirm, history as export, history as import,
    history as signoff, history as site,
};

use crate::exit::{self, Exit};
use anyhow::Result;
use clap::{Parser, Subcommand};

/// Measures TLS libraries, compares them, and decides whether a change made them slower.
#[derive(Debug, Parser)]
#[command(
    version,
    about,
    long_about = "Measures TLS libraries, compares them, and decides whether a change made them slower.\n\n\
        A subject is stack[@version][+variant...]: openssl@3.5, rustls@0.23.46+ring, \
        rustls@git:HEAD, openssl@path:../openssl. `shakedown catalog list` shows what there is.",
    after_help = exit::TABLE,
    max_term_width = 100,
)]
pub struct Command {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Show the known stacks, versions, variants and suites
    Catalog(catalog::Args),
    /// Build driver binaries from source, or find them in the cache
    Build(build::Args),
    /// Measure subjects side by side
    Run(run::Args),
    /// Compare head with base and report regressions
    Compare(Box<compare::Args>),
    /// Find the commit or release that changed a number
    Bisect(Box<bisect::Args>),
    /// Measure a published claim again, with a verdict on it
    Study(study::Args),
    /// Judge a saved comparison again
    Gate(gate::Args),
    /// Check a policy and show what it allows
    Policy(policy::Args),
    /// Name the functions and allocation sites behind what a comparison found
    Explain(explain::Args),
    /// Show where one scenario of one subject spends its instructions
    Profile(profile::Args),
    /// Render a run record as a table, page or plot
    Report(report::Args),
    /// Check this host, tune it for benchmarks, and restore it
    Host(host::Args),
    /// Store runs and query them
    History(history::Args),
    /// Measure a suspected change again and record the decision
    Confirm(confirm::Args),
    /// Measure what the history lacks because a driver did not fit
    Backfill(backfill::Args),
    /// Export the history's numbers for other tools
    Export(export::Args),
    /// Import measurements of other tools
    Import(import::Args),
    /// Build the dashboard of the history
    Site(site::Args),
    /// Check a release candidate; write verdict and evidence to a folder
    Signoff(signoff::Args),
    /// Report to GitHub: comments, check runs, statuses, issues; read artifacts
    Github(github::Args),
    /// Bring the service to a repository, or say what is missing there
    Adopt(adopt::Args),
    /// Show the hosts: last seen, fit, noise, runner, queue; find hosts that disagree
    Fleet(fleet::Args),
    /// Print the JSON Schema of the run record
    Schema(schema::Args),
    /// Print a completion script for a shell
    Completions(completions::Args),
}

impl Command {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Any error of the subcommand; [`exit::of_error`] has its exit code.
    pub fn run(self) -> Result<Exit> {
        match self.verb {
            Verb::Catalog(args) => catalog::run(args),
            Verb::Build(args) => build::run(args),
            Verb::Run(args) => run::run(args),
            Verb::Compare(args) => compare::run(*args),
            Verb::Bisect(args) => bisect::run(*args),
            Verb::Study(args) => study::run(args),
            Verb::Gate(args) => gate::run(args),
            Verb::Policy(args) => policy::run(args),
            Verb::Explain(args) => explain::run(args),
            Verb::Profile(args) => profile::run(args),
            Verb::Report(args) => report::run(args),
            Verb::Host(args) => host::run(args),
            Verb::History(args) => history::run(args),
            Verb::Confirm(args) => confirm::run(args),
            Verb::Backfill(args) => backfill::run(args),
            Verb::Export(args) => export::run(args),
            Verb::Import(args) => import::run(args),
            Verb::Site(args) => site::run(args),
            Verb::Signoff(args) => signoff::run(args),
            Verb::Github(args) => github::run(args),
            Verb::Adopt(args) => adopt::run(args),
            Verb::Fleet(args) => fleet::run(args),
            Verb::Schema(args) => schema::run(args),
            Verb::Completions(args) => completions::run(args),
        }
    }
}
