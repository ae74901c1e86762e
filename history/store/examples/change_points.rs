//! False alarms a year, and nights until a step is found, of the nightly rule and of three
//! others, all asked again every night as they are in practice.
//!
//!     cargo run --release -p shakedown-store --example change_points
//!
//! Nights scatter as measured on a tuned host (0.4 % of a standard deviation), once normally
//! and once with heavy tails (Student's t with 4 degrees of freedom, scaled to the same
//! deviation); each night's build adds a layout offset of 0.3 %.

use shakedown_store::change::{
    Rule,
    divisive::{DivisiveOptions, change_points},
    night::judge,
};
use shakedown_summary::stats::t_quantile;

const NOISE: f64 = 0.004;
const LAYOUT: f64 = 0.003;
const SERIES: usize = 3200;
const WARM_UP: usize = 60;
const YEAR: usize = 365;
const TRIALS: usize = 200;
/// Nights after which a step counts as not found.
const PATIENCE: usize = 30;

/// SplitMix64: small, and the same everywhere.
struct Chance(u64);

impl Chance {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    fn heavy(&mut self) -> f64 {
        let chi: f64 = (0..4).map(|_| self.normal().powi(2)).sum();
        self.normal() / (chi / 4.0).sqrt() / 2.0_f64.sqrt()
    }
}

fn nights(chance: &mut Chance, heavy: bool, length: usize, step_at: usize, step: f64) -> Vec<f64> {
    (0..length)
        .map(|night| {
            let noise = if heavy { chance.heavy() } else { chance.normal() };
            let offset = LAYOUT * chance.normal();
            let level = if night >= step_at { 1.0 - step } else { 1.0 };
            1000.0 * level * (NOISE * noise + offset).exp()
        })
        .collect()
}

/// A detector gets the values up to each night, and returns the nights with an alarm.
type Detector = fn(&[f64]) -> Vec<usize>;

fn shakedown(values: &[f64]) -> Vec<usize> {
    let rule = Rule::for_budget(1.0, SERIES);
    let sigma = (NOISE * NOISE + LAYOUT * LAYOUT).sqrt();
    let (mut start, mut alarms) = (0, Vec::new());
    for night in WARM_UP..values.len() {
        if let Some(found) = judge(&values[start..=night], Some(sigma), &rule) {
            start += found.index;
            alarms.push(night);
        }
    }
    alarms
}

/// Otava at its defaults: an alarm is a change point that was not reported before.
fn otava(values: &[f64]) -> Vec<usize> {
    let (mut reported, mut alarms) = (Vec::new(), Vec::new());
    for night in WARM_UP..values.len() {
        // Two windows back: older nights do not change what is found at the end.
        let from = (night + 1).saturating_sub(100);
        for point in change_points(&values[from..=night], &DivisiveOptions::default()) {
            let at = point.index + from;
            if !reported.contains(&at) {
                reported.push(at);
                if at >= WARM_UP {
                    alarms.push(night);
                }
            }
        }
    }
    alarms
}

/// Bencher's t-test threshold: the newest value outside of the 0.99 boundary of the last 64.
fn bencher(values: &[f64]) -> Vec<usize> {
    let mut alarms = Vec::new();
    for night in WARM_UP..values.len() {
        let past = &values[night.saturating_sub(64)..night];
        let mean = past.iter().sum::<f64>() / past.len() as f64;
        let squares: f64 = past.iter().map(|value| (value - mean).powi(2)).sum();
        let freedom = past.len() as f64 - 1.0;
        if (values[night] - mean).abs() > t_quantile(0.99, freedom) * (squares / freedom).sqrt() {
            alarms.push(night);
        }
    }
    alarms
}

/// The rule of rustls' own service: tonight's change against the last one beyond the third
/// quartile of the past changes plus three interquartile ranges.
fn rustls(values: &[f64]) -> Vec<usize> {
    let changes: Vec<f64> = values.windows(2).map(|pair| (pair[1] / pair[0] - 1.0).abs()).collect();
    let mut alarms = Vec::new();
    for night in WARM_UP..values.len() {
        let mut past = changes[(night - 1).saturating_sub(30)..night - 1].to_vec();
        past.sort_by(f64::total_cmp);
        let (first, third) = (past[past.len() / 4], past[past.len() * 3 / 4]);
        if changes[night - 1] > third + 3.0 * (third - first) {
            alarms.push(night);
        }
    }
    alarms
}

fn main() {
    let detectors: [(&str, Detector); 4] = [
        ("shakedown, budget 1 a year", shakedown),
        ("Otava 0.8 defaults", otava),
        ("Bencher t-test 0.99", bencher),
        ("rustls IQR x 3", rustls),
    ];
    println!("series-years: {TRIALS}; steps: {TRIALS} each, found within {PATIENCE} nights");
    for heavy in [false, true] {
        println!("\nnoise: {}", if heavy { "heavy tails" } else { "normal" });
        println!(
            "{:28} {:>24}  found, median nights: 1, 2, 3, 5 %",
            "rule", "false alarms/series-year"
        );
        for (name, detector) in detectors {
            let mut chance = Chance(1);
            let alarms: usize = (0..TRIALS)
                .map(|_| {
                    detector(&nights(&mut chance, heavy, WARM_UP + YEAR, usize::MAX, 0.0)).len()
                })
                .sum();
            let steps = [0.01, 0.02, 0.03, 0.05].map(|step| power(detector, heavy, step));
            println!("{name:28} {:>24.3} {}", alarms as f64 / TRIALS as f64, steps.join("  "));
        }
    }
}

/// How often a step is found, and after how many nights in the median.
fn power(detector: Detector, heavy: bool, step: f64) -> String {
    let mut chance = Chance(2);
    let mut waits: Vec<usize> = (0..TRIALS)
        .filter_map(|_| {
            let at = WARM_UP + 1;
            let values = nights(&mut chance, heavy, at + PATIENCE, at, step);
            detector(&values).into_iter().find(|night| *night >= at).map(|night| night - at + 1)
        })
        .collect();
    waits.sort_unstable();
    let share = 100.0 * waits.len() as f64 / TRIALS as f64;
    let median = waits.get(waits.len() / 2).map_or("-".to_owned(), ToString::to_string);
    format!("{share:>4.0} %, {median:>2}")
}
