//! The front page: every scenario, side by side for the newest of each stack and release series.

use super::{
    id, is_one_commit,
    numbers::{cell, table},
    out::SiteWriter,
};
use crate::{Index, SeriesValue, StoreError, query::StoredEpoch};
use serde_json::{Value, json};
use shakedown_protocol::{Subject, SubjectVersion};
use std::collections::{BTreeMap, BTreeSet};

/// Number of the newest epochs of each host that have a page.
const EPOCHS: usize = 2;

/// Writes a table for the newest epochs of each host. Returns them, newest first.
pub(super) fn write(out: &mut SiteWriter<'_>, index: &Index) -> Result<Vec<Value>, StoreError> {
    let mut epochs = index.epochs()?;
    epochs.sort_by_key(|epoch| std::cmp::Reverse(epoch.last_ms));
    let mut pages: BTreeMap<String, usize> = BTreeMap::new();
    let mut written = Vec::new();
    for epoch in epochs {
        let page = pages.entry(epoch.host.clone()).or_default();
        *page += 1;
        if *page > EPOCHS {
            continue;
        }
        let content = of_epoch(index, &epoch)?;
        let columns = content["columns"].as_array().map_or(0, Vec::len);
        if columns > 0 {
            let file = id(&[&epoch.id, &epoch.host]);
            out.script(&format!("front/{file}"), &content)?;
            written.push(
                json!({ "file": file, "epoch": epoch.id, "host": epoch.host, "columns": columns }),
            );
        }
    }
    Ok(written)
}

fn of_epoch(index: &Index, epoch: &StoredEpoch) -> Result<Value, StoreError> {
    let mut newest = index.nights_of(epoch, 1)?;
    newest.retain(|trend| !trend.points.is_empty());
    let names: BTreeSet<&str> = newest.iter().map(|trend| trend.series.subject.as_str()).collect();
    let columns = columns(&names);
    let shown = |subject: &str| {
        columns.iter().any(|one| one.subject == subject || one.previous == Some(subject))
    };
    let values: Vec<_> = newest
        .iter()
        .filter(|trend| shown(&trend.series.subject))
        .filter_map(|trend| {
            let p = trend.points.last()?;
            let series = trend.series.clone();
            let value = SeriesValue { series, median: p.median, low: p.low, high: p.high, n: p.n };
            let when = json!(p.started_ms / 1000);
            Some((trend.series.clone(), [cell(&value), vec![when]].concat()))
        })
        .collect();
    let columns: Vec<Value> = columns
        .iter()
        .map(|c| {
            json!({
                "subject": c.subject, "stack": c.stack, "newest": c.newest, "moving": c.moving,
                "previous": c.previous,
            })
        })
        .collect();
    Ok(json!({ "columns": columns, "table": table(&values) }))
}

/// A subject on the front page.
#[derive(Debug, PartialEq, Eq)]
struct FrontColumn<'a> {
    subject: &'a str,
    stack: String,
    /// Whether it is a branch or a tree, and not a release.
    moving: bool,
    /// Whether it is the newest release of its stack and variants, or moves.
    newest: bool,
    /// The release that it is compared with: for a release the one before.
    previous: Option<&'a str>,
}

/// The newest release of each release series, and what moves: by stack and variants, newest first.
fn columns<'a>(names: &BTreeSet<&'a str>) -> Vec<FrontColumn<'a>> {
    let mut groups: BTreeMap<_, Vec<(SubjectVersion, &str)>> = BTreeMap::new();
    for name in names.iter().filter(|name| !name.contains('#') && !is_one_commit(name)) {
        let Ok(subject) = name.parse::<Subject>() else { continue };
        groups.entry((subject.stack, subject.variants)).or_default().push((subject.version, name));
    }
    let mut found = Vec::new();
    for ((stack, _), members) in groups {
        let mut releases: Vec<(Vec<ReleasePart>, &str)> = Vec::new();
        let mut moving = Vec::new();
        for (version, name) in members {
            match version {
                SubjectVersion::Release(number) => releases.push((parts(&number), name)),
                _ => moving.push(name),
            }
        }
        releases.sort();
        let newest = releases.last().map(|(_, name)| *name);
        for (at, (version, subject)) in releases.iter().enumerate().rev() {
            let line = |parts: &[ReleasePart]| parts.iter().take(2).cloned().collect::<Vec<_>>();
            let later = releases.get(at + 1);
            if later.is_some_and(|(later, _)| line(later) == line(version)) {
                continue;
            }
            let previous = at.checked_sub(1).map(|before| releases[before].1);
            let (stack, newest) = (stack.clone(), later.is_none());
            found.push(FrontColumn { subject, stack, moving: false, newest, previous });
        }
        found.extend(moving.into_iter().map(|subject| {
            let stack = stack.clone();
            FrontColumn { subject, stack, moving: true, newest: true, previous: newest }
        }));
    }
    found
}

/// A part of a release number: its number, and what follows that.
type ReleasePart = (u64, String);

/// The parts of a release number, in an order that puts 3.10 after 3.9 and 1.1.1w after 1.1.1a.
fn parts(release: &str) -> Vec<ReleasePart> {
    let part = |text: &str| {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        (text[..digits].parse().unwrap_or(0), text[digits..].to_owned())
    };
    release.split('.').map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Store, testing};
    use testing::NOW;

    #[test]
    fn the_newest_of_each_release_series_with_the_release_before_it() {
        let names = [
            "openssl@3.5.5",
            "openssl@3.5.10",
            "openssl@3.0.8",
            "openssl@4.0.1",
            "openssl@3.5.5#2",
            "rustls@0.23.46+ring",
            "rustls@0.23.9+ring",
            "rustls@git:HEAD+ring",
            "rustls@git:0123456789abcdef0123456789abcdef01234567+ring",
            "<img src=x>",
        ];
        let names = names.into_iter().collect();
        let found: Vec<_> = columns(&names)
            .into_iter()
            .map(|one| (one.subject, one.newest, one.moving, one.previous))
            .collect();
        assert_eq!(
            found,
            [
                ("openssl@4.0.1", true, false, Some("openssl@3.5.10")),
                ("openssl@3.5.10", false, false, Some("openssl@3.5.5")),
                ("openssl@3.0.8", false, false, None),
                ("rustls@0.23.46+ring", true, false, Some("rustls@0.23.9+ring")),
                ("rustls@git:HEAD+ring", true, true, Some("rustls@0.23.46+ring")),
            ]
        );
    }

    #[test]
    fn numbers_of_two_epochs_never_stand_side_by_side() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open_or_create(folder.path()).unwrap();
        let run = |night, epoch, subjects: &[(&str, [f64; 2])]| {
            let record = testing::record(night, epoch, subjects);
            store.add(&serde_json::to_string(&record).unwrap(), NOW).unwrap();
        };
        run(0, "e1", &[("openssl@3.5.5", [900.0, 800.0]), ("rustls@0.23.46", [1.0, 2.0])]);
        run(1, "e2", &[("openssl@3.5.5", [990.0, 880.0])]);
        let (index, _) = Index::open(&store).unwrap();
        let of = |id: &str| {
            let epoch = index.epochs().unwrap().into_iter().find(|epoch| epoch.id == id).unwrap();
            of_epoch(&index, &epoch).unwrap()["table"].clone()
        };
        assert_eq!(of("e1")["subjects"], json!(["openssl@3.5.5", "rustls@0.23.46"]));
        assert_eq!(of("e2")["subjects"], json!(["openssl@3.5.5"]));
        let client = of("e2")["rows"][0][5][0].clone();
        assert_eq!((&client[0], &client[3]), (&json!(990), &json!(1)));
    }
}
