use super::*;
use crate::testing::{self, NOW, SCENARIO};
use ::parquet::{
    file::reader::{FileReader, SerializedFileReader},
    record::{Row, RowAccessor},
};
use std::{fs, fs::File};

/// A history of nights over a year, and a folder beside it.
fn history(nights: impl IntoIterator<Item = u64>) -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open_or_create(&folder.path().join("history")).unwrap();
    for night in nights {
        store.add(&testing::text(night, "e1", 1000.0 + night as f64), NOW).unwrap();
    }
    (folder, store)
}

fn all() -> SeriesFilter<'static> {
    SeriesFilter::default()
}

/// The rows of a table, of all months in order.
fn read(out: &Path, table: &str) -> Vec<Row> {
    let months = files::names(&out.join(table)).unwrap();
    let rows = months.iter().flat_map(|month| {
        let path = out.join(table).join(month).join(format!("{table}.parquet"));
        let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
        reader.get_row_iter(None).unwrap().map(Result::unwrap).collect::<Vec<_>>()
    });
    rows.collect()
}

#[test]
fn what_is_read_back_is_what_the_index_says() {
    let (folder, store) = history([0, 1, 40]);
    // Packed or not, a run is the same.
    store.compact("2026-12").unwrap();
    let out = folder.path().join("out");
    let done = parquet(&store, &all(), i64::MIN, &out).unwrap();
    assert_eq!((done.months, done.runs, done.damaged), (2, 3, vec![]));
    let (index, _) = crate::Index::open(&store).unwrap();
    let trends = index.trends(&all(), i64::MIN).unwrap();
    let mut expected: Vec<_> = trends
        .iter()
        .flat_map(|t| t.points.iter().map(|p| (p.run.clone(), t.series.subject.clone(), p.median)))
        .collect();
    let found = read(&out, "summaries");
    let mut found: Vec<_> = found
        .iter()
        .map(|row| {
            let text = |at| row.get_string(at).unwrap().clone();
            (text(0), text(9), row.get_double(16).unwrap())
        })
        .collect();
    let key = |a: &(String, String, f64), b: &(String, String, f64)| {
        (&a.0, &a.1).cmp(&(&b.0, &b.1)).then(a.2.total_cmp(&b.2))
    };
    expected.sort_by(key);
    found.sort_by(key);
    assert_eq!(found, expected);
}

#[test]
fn the_tables_have_the_columns_that_the_documentation_names() {
    let (folder, store) = history([0]);
    let out = folder.path().join("out");
    parquet(&store, &all(), i64::MIN, &out).unwrap();
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/exports.md");
    let page = fs::read_to_string(page).unwrap();
    for table in TABLES {
        let row = &read(&out, table)[0];
        let named = page.split(&format!("#### `{table}`")).nth(1).unwrap();
        let named = named.split("\n#").next().unwrap();
        let named: Vec<&str> =
            named.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
        let found: Vec<&String> = row.get_column_iter().map(|(name, _)| name).collect();
        assert_eq!(found, named, "{table}");
    }
}

#[test]
fn trials_without_a_value_are_rows_too() {
    use shakedown_protocol::{LostReason, TrialOutcome};
    let (folder, store) = history([]);
    let mut record = testing::record(0, "e1", &[("openssl@3.5.5", [900.0, 800.0])]);
    let mut lost = record.trials[0].clone();
    (lost.block, lost.position) = (0, 1);
    lost.outcome = TrialOutcome::Lost { reason: LostReason::TimedOut, stderr: String::new() };
    record.trials.push(lost);
    store.add(&serde_json::to_string(&record).unwrap(), NOW).unwrap();
    let out = folder.path().join("out");
    parquet(&store, &all(), i64::MIN, &out).unwrap();
    let rows: Vec<String> = read(&out, "trials").iter().map(ToString::to_string).collect();
    assert_eq!(rows.len(), 3, "{rows:#?}");
    assert!(rows[2].contains(r#"outcome: "lost""#), "{}", rows[2]);
    assert!(rows[2].ends_with("side: null, metric: null, unit: null, better: null, value: null}"));
    assert!(rows[0].contains(r#"side: "client""#) && rows[0].contains("value: 900.0"), "{rows:?}");
}

#[test]
fn a_second_export_replaces_the_first_and_nothing_else() {
    let (folder, store) = history([0, 40]);
    let out = folder.path().join("out");
    parquet(&store, &all(), i64::MIN, &out).unwrap();
    // What a killed export leaves is nobody's.
    fs::write(out.join("tmp/trials.parquet"), "PAR1 and no more").unwrap();
    store.add(&testing::text(41, "e1", 1.0), NOW).unwrap();
    let from = (testing::START + 39 * testing::DAY) as i64;
    let done = parquet(&store, &all(), from, &out).unwrap();
    assert_eq!((done.months, done.runs), (1, 2));
    assert_eq!(read(&out, "summaries").len(), 8);
    let months: Vec<_> = files::names(&out.join("trials")).unwrap();
    assert_eq!(months, ["month=2026-12"], "the month that is no longer meant");
    assert_eq!(files::names(&out.join("tmp")).unwrap(), [""; 0]);

    fs::write(out.join("notes.txt"), "mine").unwrap();
    let error = parquet(&store, &all(), i64::MIN, &out).unwrap_err().to_string();
    assert!(error.contains("notes.txt"), "{error}");
    assert_eq!(read(&out, "summaries").len(), 8);
}

#[test]
fn a_damaged_run_is_named_and_the_others_are_there() {
    let (folder, store) = history([0, 1]);
    let name = store.names().unwrap().pop_first().unwrap();
    fs::write(store.loose(&name), "no frame").unwrap();
    let out = folder.path().join("out");
    let done = parquet(&store, &all(), i64::MIN, &out).unwrap();
    assert_eq!(done.runs, 1);
    assert!(done.damaged.len() == 1 && done.damaged[0].starts_with(name.as_str()), "{done:?}");
}

#[test]
fn only_what_is_meant_is_written() {
    let (folder, store) = history([0]);
    let out = folder.path().join("out");
    let one = SeriesFilter { subject: Some("openssl@3.5.5"), ..all() };
    parquet(&store, &one, i64::MIN, &out).unwrap();
    assert_eq!(read(&out, "summaries").len(), 2);
    assert_eq!(read(&out, "trials").len(), 2);
    let none = SeriesFilter { scenario: Some("bulk"), ..all() };
    let error = parquet(&store, &none, i64::MIN, &folder.path().join("other")).unwrap_err();
    assert!(error.to_string().contains("nothing to export"), "{error}");
    let both = SeriesFilter { subject: Some("openssl@3.5.5"), scenario: Some(SCENARIO), ..all() };
    assert_eq!(parquet(&store, &both, i64::MIN, &out).unwrap().runs, 1);
}

#[test]
fn groups_of_rows_are_written_as_they_fill() {
    let (folder, store) = history([0]);
    let name = store.names().unwrap().pop_first().unwrap();
    let document = store.document(&name).unwrap();
    let run = RunFacts::of(name.as_str(), &document);
    let mut tables = MonthTables::new(folder.path(), "2026-11");
    // Four summaries a time.
    for _ in 0..40_000 {
        tables.add(&run, &all(), i64::MIN).unwrap();
    }
    tables.finish(&mut BTreeSet::new()).unwrap();
    let path = folder.path().join("summaries/month=2026-11/summaries.parquet");
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let groups = reader.metadata().row_groups();
    let rows: Vec<i64> = groups.iter().map(|group| group.num_rows()).collect();
    assert_eq!(rows, [122_880, 160_000 - 122_880]);
}
