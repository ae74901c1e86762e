//! A study as its file has it.

use crate::{Claim, StudyError};
use serde::{Deserialize, Serialize};
use shakedown_protocol::{Meter, Scenario, Subject};
use std::collections::BTreeMap;

/// Where a claim was published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedSource {
    /// Title.
    pub title: String,
    /// Address.
    pub url: String,
    /// When it was published, as far as it says.
    pub date: String,
    /// The machine that it was measured on.
    pub machine: String,
}

/// Which form of a study is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StudyMode {
    /// Shows that it runs: two blocks of milliseconds, which decide nothing but exact counts.
    Tiny,
    /// Enough blocks to decide.
    Full,
}

/// How long a study measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct StudyBudget {
    /// Rounds.
    pub blocks: u32,
    /// Each trial.
    pub times: TrialBudget,
}

/// How long a trial takes, as in suites.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct TrialBudget {
    /// Warm-up of each trial, in milliseconds.
    pub warm_up_ms: u32,
    /// Measuring time of each trial, in milliseconds.
    pub measure_ms: u32,
    /// Length of a batch, in milliseconds.
    pub batch_ms: u32,
    /// Operations under a counting meter.
    pub operations: u32,
    /// A trial that takes longer is lost, in milliseconds.
    pub timeout_ms: u64,
}

impl Default for StudyBudget {
    fn default() -> Self {
        Self { blocks: 10, times: TrialBudget::default() }
    }
}

impl Default for TrialBudget {
    fn default() -> Self {
        Self { warm_up_ms: 100, measure_ms: 500, batch_ms: 10, operations: 50, timeout_ms: 120_000 }
    }
}

impl StudyBudget {
    const TINY: Self = Self {
        blocks: 2,
        times: TrialBudget {
            warm_up_ms: 1,
            measure_ms: 20,
            batch_ms: 2,
            operations: 3,
            timeout_ms: 120_000,
        },
    };
}

/// Subjects and scenarios that are measured next to each other.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StudyRun {
    /// Name within the study, and of its folder.
    pub id: String,
    /// The subjects, each built as it is named here.
    pub subjects: Vec<Subject>,
    /// The scenarios.
    pub scenarios: Vec<Scenario>,
    /// The instruments.
    #[serde(default = "time")]
    pub meters: Vec<Meter>,
    /// Tickets after a TLS 1.3 handshake.
    #[serde(default = "two")]
    pub tickets: u8,
}

fn time() -> Vec<Meter> {
    vec![Meter::Time]
}

const fn two() -> u8 {
    2
}

/// A published measurement as a plan.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Study {
    /// Name, the same as its file's.
    pub name: String,
    /// What it asks, in one line.
    pub question: String,
    /// How it was measured, as published.
    pub method: String,
    /// How this plan differs from that.
    pub differences: String,
    /// Where it was published.
    pub source: PublishedSource,
    /// What was published, for subjects that stand for another release: the nearest one to be had.
    #[serde(default)]
    pub stands_for: BTreeMap<String, String>,
    /// How long the full form measures.
    #[serde(default)]
    pub full: StudyBudget,
    /// What is measured.
    #[serde(default, rename = "run")]
    pub runs: Vec<StudyRun>,
    /// What was claimed.
    #[serde(rename = "claim")]
    pub claims: Vec<Claim>,
}

impl Study {
    /// Reads a study's file.
    ///
    /// # Errors
    /// [`StudyError`] with the place of the mistake.
    pub fn parse(text: &str) -> Result<Self, StudyError> {
        let study: Self = toml::from_str(text)?;
        study.validate()?;
        Ok(study)
    }

    /// The budget of a form.
    pub const fn budget(&self, mode: StudyMode) -> StudyBudget {
        match mode {
            StudyMode::Tiny => StudyBudget::TINY,
            StudyMode::Full => self.full,
        }
    }

    /// The run with this id.
    pub fn run(&self, id: &str) -> Option<&StudyRun> {
        self.runs.iter().find(|run| run.id == id)
    }
}
