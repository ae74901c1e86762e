//! Writes pages as `shakedown` writes them, for tests in a browser:
//! `cargo run -p shakedown-report --example pages -- FOLDER`.

use anyhow::{Context, Result};
use shakedown_protocol::{RunRecord, fixture::comparison::comparison};
use shakedown_report::{PageFormat, Report, Verdicts};
use shakedown_summary::{fixture as made, summarize};
use std::{fs, path::Path};

const FULL: &str = "handshake-full/tls1.3/aes256-gcm/x25519mlkem768/ecdsa-p256";
const TICKET: &str = "handshake-ticket/tls1.3/aes256-gcm/x25519/ecdsa-p256";
const BULK: &str = "bulk/tls1.3/aes256-gcm/x25519/ecdsa-p256/write-16KiB";

/// Names as long as they get, and one that a stranger chose.
const NAMES: [&str; 3] = [
    "rustls@0.23.46+jemalloc+lto",
    "openssl@3.5.5+no-ml-kem+clang+distribution",
    "aws-lc@git:https://github.com/aws/aws-lc#6bf3a0c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f708",
];

/// Regressions, a gain, and something inconclusive on a host that is not fit.
fn compared() -> Result<Report> {
    let mut record = comparison(&[(FULL, [1.0, 0.9]), (TICKET, [1.0, 0.985]), (BULK, [1.08, 1.0])]);
    record.calibration = None;
    record.host.fit = false;
    for entry in &mut record.subjects {
        entry.artifact.source.origin = "https://github.com/rustls/rustls".to_owned();
    }
    let policy = shakedown_gate::Policy::shipped()?;
    let judgement = shakedown_gate::judge(&record, &policy)?;
    let verdicts = Verdicts::new(&judgement, &record, Some(75));
    Ok(Report::new(&record, &summarize(&record)).with_verdict(verdicts))
}

fn run(subjects: usize) -> Report {
    let names = &NAMES[..subjects];
    let mut record = made::record(names, &[FULL, TICKET, BULK]);
    for block in 0..6 {
        let day = 1.0 + 0.01 * f64::from(block);
        for (place, name) in names.iter().enumerate() {
            let slow = 1.0 / (1.0 + place as f64);
            made::rate(&mut record, block, name, FULL, [4e3 * day * slow, 9e3 * slow]);
            made::rate(&mut record, block, name, TICKET, [1.2e4 * day * slow, 1.1e4 * day]);
            made::rate(&mut record, block, name, BULK, [6e3 * day, 4e3 * day * (2.0 - slow)]);
        }
    }
    Report::new(&record, &summarize(&record))
}

/// Words without a place to break, wherever a record has some.
fn long_words() -> Report {
    let word = "<b>".repeat(60);
    let mut record: RunRecord = made::record(&NAMES[..1], &[FULL]);
    made::rate(&mut record, 0, NAMES[0], FULL, [4e3, 9e3]);
    (record.host.cpu.model, record.host.name) = (word.clone(), word.clone());
    record.subjects[0].artifact.flags = vec![word.clone()];
    record.subjects[0].driver.details = vec![word];
    Report::new(&record, &summarize(&record))
}

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).context("which folder?")?;
    fs::create_dir_all(&folder)?;
    let pages = [
        ("comparison.html", compared()?),
        ("run.html", run(2)),
        ("three.html", run(3)),
        ("words.html", long_words()),
    ];
    for (name, report) in pages {
        fs::write(Path::new(&folder).join(name), report.render(PageFormat::Html)?)?;
    }
    Ok(())
}
