//! Measures a revision beside the good one, both built alike.

use super::{question::spread, record::BisectRequest};
use crate::{
    host_options::HostOptions,
    project::ProjectRoot,
    session::comparison::{self, ComparisonOptions, MeasuredComparison, ResumedBy},
};
use anyhow::Result;
use shakedown_builder::BuildError;
use shakedown_gate::{Detail, Policy, Verdict};
use shakedown_protocol::Meter;
use std::{
    path::{Path, PathBuf},
    time::Instant,
};

/// How a bisection measures, and where it keeps what it knows.
pub struct BisectSession<'a> {
    /// The policy: margins and budgets.
    pub policy: &'a Policy,
    /// History whose A/A runs show the noise of this host.
    pub history: &'a Path,
    /// How the host is used.
    pub host_options: &'a HostOptions,
    /// Folder for all of it.
    pub out: &'a Path,
    /// The command that goes on after a kill.
    pub resume: &'a str,
    /// When no other revision is begun.
    pub end: Option<Instant>,
}

/// What measuring needs, whichever revision it is.
pub(super) struct Bench<'a> {
    pub root: &'a ProjectRoot,
    pub session: &'a BisectSession<'a>,
    pub request: &'a BisectRequest,
}

/// A comparison, or why there is none.
pub(super) enum PairOutcome {
    Compared(Box<MeasuredComparison>),
    DoesNotBuild(String),
}

impl Bench<'_> {
    /// Compares two revisions under these meters; finishes what was begun in the folder.
    pub fn compare(
        &self,
        [base, head]: [&str; 2],
        meters: &[Meter],
        folder: &str,
    ) -> Result<PairOutcome> {
        let counted = !meters.contains(&Meter::Time);
        if !counted {
            return self.once([base, head], meters, folder, self.session.policy);
        }
        // Two runs a side, which decide a count that repeats.
        let mut few = self.session.policy.clone();
        (few.budget.blocks, few.budget.count_runs) = (1, 2);
        let tried = self.once([base, head], meters, folder, &few)?;
        match &tried {
            PairOutcome::Compared(compared) if varies(compared) => {
                let more = format!("{folder}-more");
                self.once([base, head], meters, &more, self.session.policy)
            }
            _ => Ok(tried),
        }
    }

    /// The folder of a comparison, below that of the bisection.
    pub fn folder(&self, compared: &MeasuredComparison) -> Option<String> {
        let folder = compared.files.first()?.parent()?;
        Some(folder.strip_prefix(self.session.out).ok()?.display().to_string())
    }

    fn once(
        &self,
        pair: [&str; 2],
        meters: &[Meter],
        folder: &str,
        policy: &Policy,
    ) -> Result<PairOutcome> {
        let out = self.session.out.join(folder);
        let options = self.options(meters, out.clone());
        let begun = shakedown_schedule::record_path(&out).exists();
        let compared = if begun {
            comparison::resume(self.root, &out, &options, policy)
        } else {
            let pair = pair.map(|revision| self.request.at(revision));
            comparison::measure(self.root, pair, &options, policy)
        };
        match compared {
            Ok(compared) => Ok(PairOutcome::Compared(Box::new(compared))),
            Err(error) => match does_not_build(&error) {
                Some(why) => Ok(PairOutcome::DoesNotBuild(why)),
                None => Err(error),
            },
        }
    }

    fn options(&self, meters: &[Meter], out: PathBuf) -> ComparisonOptions {
        ComparisonOptions {
            suite: self.request.suite.clone(),
            only: vec![self.request.scenario.to_string()],
            meters: meters.to_vec(),
            out: Some(out),
            history: Some(self.session.history.to_owned()),
            host_options: self.session.host_options.clone(),
            strict: true,
            resumed_by: ResumedBy::Command(self.session.resume.to_owned()),
            ..ComparisonOptions::default()
        }
    }
}

/// Whether a count moves by chance by more than what counts as a change. Two runs say too little then.
fn varies(compared: &MeasuredComparison) -> bool {
    compared.judgement.comparisons.iter().any(|one| {
        let Detail::Counts(counts) = &one.detail else { return false };
        let margin = one.base.unwrap_or_default() * one.settings.margin + counts.allowance;
        spread(&counts.base) + spread(&counts.head) > margin && one.verdict != Verdict::Pass
    })
}

/// Why the code does not build, if the code is to blame. Anything else ends the bisection, which can
/// be resumed: a network that is gone says nothing about a commit.
fn does_not_build(error: &anyhow::Error) -> Option<String> {
    let build = error.chain().find_map(|cause| cause.downcast_ref::<BuildError>())?;
    let why = match build {
        BuildError::Failed { step, tail, .. } => {
            let line = tail.lines().find(|line| line.starts_with("error"));
            format!("step `{step}` failed: {}", line.unwrap_or("see the log"))
        }
        BuildError::Incompatible { why, .. } => {
            format!("the driver does not fit: {}", why.first_error())
        }
        BuildError::Source { what, .. } => what.lines().next().unwrap_or_default().to_owned(),
        _ => return None,
    };
    Some(why)
}
