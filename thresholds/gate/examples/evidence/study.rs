//! The experiments: unchanged pull requests, and pull requests with a slowdown.

use crate::{
    designs::Compared,
    ours::{self, PER_SITE, Site},
    peers::{Data, PEERS},
    seeds::{generator, index},
    world::{Condition, SIDES, Source, spread},
};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use shakedown_gate::Verdict;
use shakedown_summary::stats::clopper_pearson_upper;

/// Slowdowns of the power curves.
pub const SLOWDOWNS: [f64; 6] = [0.01, 0.02, 0.03, 0.04, 0.05, 0.10];

/// Scenario sides whose processes spread by less than this count as steady.
const STEADY: f64 = 0.006;

/// How often a rule alarms on unchanged code.
#[derive(Debug, Clone, Serialize)]
pub struct Alarms {
    /// Rule.
    pub rule: String,
    /// Where the noise comes from.
    pub source: &'static str,
    /// Condition.
    pub condition: &'static str,
    /// Unchanged pull requests, of 60 scenario sides each.
    pub pull_requests: u64,
    /// Pull requests with at least one alarm.
    pub failed: u64,
    /// Share of them.
    pub share: f64,
    /// Upper end of the one-sided 95 % Clopper-Pearson interval of the share.
    pub upper: f64,
    /// Share of scenario sides left undecided; our rule only.
    pub inconclusive: Option<f64>,
    /// Mean number of pairs until a scenario side was decided; our rule only.
    pub pairs: Option<f64>,
}

/// How often a rule finds a slowdown in one scenario side.
#[derive(Debug, Clone, Serialize)]
pub struct Power {
    /// Rule.
    pub rule: String,
    /// Where the noise comes from.
    pub source: &'static str,
    /// Condition.
    pub condition: &'static str,
    /// Slowdown, as a share.
    pub slowdown: f64,
    /// Scenario sides tried.
    pub tries: u64,
    /// Share found.
    pub found: f64,
    /// Share found among the scenario sides whose spread is below 0.6 %; synthetic only.
    pub found_steady: Option<f64>,
    /// Share that passed: said not to be worse by the non-inferiority margin; our rule only.
    pub passed: Option<f64>,
}

/// How our rule runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mode {
    /// After 30 pairs of links of unchanged code.
    Calibrated,
    /// On a host without history.
    Uncalibrated,
}

impl Mode {
    /// Name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Calibrated => "shakedown",
            Self::Uncalibrated => "shakedown, uncalibrated",
        }
    }

    fn site(self, source: &Source, condition: &Condition, rng: &mut ChaCha8Rng) -> Site {
        match self {
            Self::Calibrated => Site::calibrated(source, condition, rng),
            Self::Uncalibrated => Site::uncalibrated(),
        }
    }
}

fn alarms(
    rule: &str,
    source: &Source,
    condition: &Condition,
    pull_requests: u64,
    failed: u64,
) -> Alarms {
    Alarms {
        rule: rule.to_owned(),
        source: source.name(),
        condition: condition.name,
        pull_requests,
        failed,
        share: failed as f64 / pull_requests as f64,
        upper: clopper_pearson_upper(failed, pull_requests, 0.95),
        inconclusive: None,
        pairs: None,
    }
}

/// Our rule on unchanged pull requests.
pub fn our_alarms(mode: Mode, source: &Source, condition: &Condition, prs: u64) -> Alarms {
    alarms_at(mode, source, condition, prs, 1.0)
}

/// Our rule on pull requests that slow every scenario side down by exactly the margin: the most that
/// must not fail.
pub fn our_limit(source: &Source, condition: &Condition, prs: u64) -> Alarms {
    alarms_at(Mode::Calibrated, source, condition, prs, 1.0 + ours::RULE.margin)
}

fn alarms_at(
    mode: Mode,
    source: &Source,
    condition: &Condition,
    prs: u64,
    slowdown: f64,
) -> Alarms {
    let (mut failed, mut undecided, mut pairs) = (0, 0, 0);
    let mut rng = generator(&[1, mode as u64, index(condition), slowdown.to_bits()]);
    let mut site = mode.site(source, condition, &mut rng);
    for pr in 0..prs {
        if pr % PER_SITE == 0 {
            site = mode.site(source, condition, &mut rng);
        }
        let mut any = false;
        for side in 0..SIDES {
            let judged = ours::judge(&site, source, condition, side, slowdown, &mut rng);
            any |= judged.verdict == Verdict::Regressed;
            undecided += u64::from(judged.verdict == Verdict::Inconclusive);
            pairs += judged.pairs;
        }
        failed += u64::from(any);
    }
    let sides = (prs * SIDES as u64) as f64;
    Alarms {
        inconclusive: Some(undecided as f64 / sides),
        pairs: Some(pairs as f64 / sides),
        ..alarms(mode.name(), source, condition, prs, failed)
    }
}

/// The peers' rules on unchanged pull requests, all on the same data.
pub fn peer_alarms(source: &Source, condition: &Condition, prs: u64) -> Vec<Alarms> {
    let mut rng = generator(&[2, index(condition)]);
    let mut failed = [0u64; PEERS.len()];
    for _ in 0..prs {
        let mut any = [false; PEERS.len()];
        for side in 0..SIDES {
            let data = Data::draw(source, condition, side, 1.0, &mut rng);
            for (any, peer) in any.iter_mut().zip(&PEERS) {
                *any |= (peer.alarm)(&data);
            }
        }
        failed.iter_mut().zip(any).for_each(|(failed, any)| *failed += u64::from(any));
    }
    PEERS
        .iter()
        .zip(failed)
        .map(|(peer, failed)| alarms(peer.name, source, condition, prs, failed))
        .collect()
}

/// Counts what was found, over all scenario sides and over the steady ones.
#[derive(Default, Clone, Copy)]
struct Found {
    all: (u64, u64),
    steady: (u64, u64),
}

impl Found {
    fn add(&mut self, side: usize, found: bool) {
        let parts = [Some(&mut self.all), (spread(side) < STEADY).then_some(&mut self.steady)];
        for part in parts.into_iter().flatten() {
            part.0 += u64::from(found);
            part.1 += 1;
        }
    }

    fn power(self, rule: &str, source: &Source, condition: &Condition, slowdown: f64) -> Power {
        let share = |(found, tries): (u64, u64)| found as f64 / tries as f64;
        Power {
            rule: rule.to_owned(),
            source: source.name(),
            condition: condition.name,
            slowdown,
            tries: self.all.1,
            found: share(self.all),
            found_steady: matches!(source, Source::Synthetic).then(|| share(self.steady)),
            passed: None,
        }
    }
}

/// Our rule on pull requests that slow every scenario side down.
pub fn our_power(mode: Mode, source: &Source, condition: &Condition, prs: u64) -> Vec<Power> {
    let mut rng = generator(&[3, mode as u64, index(condition)]);
    SLOWDOWNS
        .iter()
        .map(|&slowdown| {
            let (mut found, mut passed) = (Found::default(), 0);
            let mut site = mode.site(source, condition, &mut rng);
            for pr in 0..prs {
                if pr % PER_SITE == 0 {
                    site = mode.site(source, condition, &mut rng);
                }
                for side in 0..SIDES {
                    let judged =
                        ours::judge(&site, source, condition, side, 1.0 + slowdown, &mut rng);
                    found.add(side, judged.verdict == Verdict::Regressed);
                    passed += u64::from(judged.verdict == Verdict::Pass);
                }
            }
            let passed = Some(passed as f64 / found.all.1 as f64);
            Power { passed, ..found.power(mode.name(), source, condition, slowdown) }
        })
        .collect()
}

/// The peers' rules on pull requests that slow every scenario side down.
pub fn peer_power(source: &Source, condition: &Condition, prs: u64) -> Vec<Power> {
    let mut rng = generator(&[4, index(condition)]);
    let mut powers = Vec::new();
    for slowdown in SLOWDOWNS {
        let mut found = [Found::default(); PEERS.len()];
        for _ in 0..prs {
            for side in 0..SIDES {
                let data = Data::draw(source, condition, side, 1.0 + slowdown, &mut rng);
                for (found, peer) in found.iter_mut().zip(&PEERS) {
                    found.add(side, (peer.alarm)(&data));
                }
            }
        }
        let rules = PEERS.iter().zip(found);
        powers
            .extend(rules.map(|(peer, found)| found.power(peer.name, source, condition, slowdown)));
    }
    powers
}

/// Everything that was found.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Results {
    /// On unchanged code.
    pub alarms: Vec<Alarms>,
    /// On slower code.
    pub power: Vec<Power>,
    /// On code that is slower by exactly the margin; our rule only.
    pub limit: Vec<Alarms>,
    /// Designs side by side.
    pub designs: Vec<Compared>,
}

impl Results {
    /// Adds more.
    pub fn extend(&mut self, more: Self) {
        self.alarms.extend(more.alarms);
        self.power.extend(more.power);
        self.limit.extend(more.limit);
        self.designs.extend(more.designs);
    }
}
