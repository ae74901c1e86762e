//! Groups the values of several text files by series.

use super::{ImportFormat, ImportSource, Imported};
use crate::{IMPORT_SCHEMA, Import, SeriesInfo, SeriesValue, StoreError};
use shakedown_protocol::Better;
use shakedown_summary::stats::{Interval, median_interval};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// The series of a value: scenario, side, metric, unit.
pub type SeriesKey = (String, &'static str, &'static str, &'static str);

/// The lines of a file and the values found in them so far.
pub struct LineReader<'a> {
    path: &'a Path,
    pub values: BTreeMap<SeriesKey, Vec<f64>>,
    pub warnings: Vec<String>,
}

impl LineReader<'_> {
    /// An error about a line, counted from 0.
    pub fn wrong(&self, line: usize, reason: impl Into<String>) -> StoreError {
        StoreError::Line { path: self.path.to_path_buf(), line: line + 1, reason: reason.into() }
    }

    /// A number as the tools print them: finite and not below zero.
    pub fn number(&self, line: usize, text: &str) -> Result<f64, StoreError> {
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
            _ => Err(self.wrong(line, format!("`{text}` is no number"))),
        }
    }

    pub fn push(&mut self, key: SeriesKey, value: f64) {
        self.values.entry(key).or_default().push(value);
    }

    pub fn warn(&mut self, line: usize, text: &str) {
        self.warnings.push(format!("{}:{}: {text}", self.path.display(), line + 1));
    }
}

type ReadOne = fn(&str, &mut LineReader<'_>) -> Result<(), StoreError>;

pub fn collect(
    format: ImportFormat,
    files: &[(PathBuf, String)],
    about: &ImportSource,
    read: ReadOne,
) -> Result<Imported, StoreError> {
    let mut values: BTreeMap<SeriesKey, Vec<f64>> = BTreeMap::new();
    let mut warnings = Vec::new();
    for (path, text) in files {
        let mut reader = LineReader { path, values: std::mem::take(&mut values), warnings };
        let before: usize = reader.values.values().map(Vec::len).sum();
        read(text, &mut reader)?;
        if reader.values.values().map(Vec::len).sum::<usize>() == before {
            return Err(reader.wrong(text.lines().count(), "the file ends without any number"));
        }
        (values, warnings) = (reader.values, reader.warnings);
    }
    let rows = values.into_iter().filter_map(|(key, values)| row(about, key, &values)).collect();
    Ok(Imported { imports: vec![import(format, about, about.started_ms, rows)], warnings })
}

pub fn import(
    format: ImportFormat,
    about: &ImportSource,
    started_ms: u64,
    rows: Vec<SeriesValue>,
) -> Import {
    let revision = about.revision.clone().map(|revision| (about.subject.clone(), revision));
    Import {
        imported: IMPORT_SCHEMA,
        from: format.name().to_owned(),
        started_ms,
        host: about.host.clone(),
        epoch: about.epoch.clone(),
        revisions: revision.into_iter().collect(),
        rows,
    }
}

fn row(about: &ImportSource, key: SeriesKey, values: &[f64]) -> Option<SeriesValue> {
    let (scenario, side, metric, unit) = key;
    let better = if metric == "peak-memory" { Better::Lower } else { Better::Higher };
    let Interval { median, low, high, .. } = median_interval(values)?;
    let series = SeriesInfo {
        subject: about.subject.clone(),
        scenario,
        side: side.to_owned(),
        metric: metric.to_owned(),
        unit: unit.to_owned(),
        better,
    };
    let n = u32::try_from(values.len()).unwrap_or(u32::MAX);
    Some(SeriesValue { series, median, low, high, n })
}

/// The record protection of a cipher suite, by any of its names.
pub fn cipher_suite(name: &str) -> Option<&'static str> {
    let name = name.replace('-', "_");
    let known = [
        ("AES_128_GCM", "aes128-gcm"),
        ("AES128_GCM", "aes128-gcm"),
        ("AES_256_GCM", "aes256-gcm"),
        ("AES256_GCM", "aes256-gcm"),
        ("CHACHA20_POLY1305", "chacha20"),
    ];
    known.iter().find(|(part, _)| name.contains(part)).map(|(_, ours)| *ours)
}

/// The key that a cipher suite's name implies; TLS 1.3 names say nothing, both tools use RSA there.
pub fn key(name: &str) -> &'static str {
    if name.contains("ECDSA") { "ecdsa-p256" } else { "rsa-2048" }
}

/// Scenario ids of the two tools: like ours, but without a group, which they never pin.
pub fn scenario(kind: &str, version: &str, cipher_suite_name: &str, key: &str) -> Option<String> {
    Some(format!("rustls-bench/{kind}/{version}/{}/{key}", cipher_suite(cipher_suite_name)?))
}
