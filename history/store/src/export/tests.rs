use super::*;
use crate::{SeriesInfo, import, query::TrendPoint};
use proptest::prelude::*;

fn trend(subject: &str, metric: &str, unit: &str, better: Better) -> Trend {
    let series = SeriesInfo {
        subject: subject.to_owned(),
        scenario: crate::testing::SCENARIO.to_owned(),
        side: "client".to_owned(),
        metric: metric.to_owned(),
        unit: unit.to_owned(),
        better,
    };
    let point = |median: f64| TrendPoint {
        run: "20261121T043600Z-e1-89abcdef01234567".to_owned(),
        started_ms: 1_795_235_760_000,
        epoch: "e1".to_owned(),
        revision: "3f2c1d".to_owned(),
        median,
        low: median - 10.0,
        high: median + 5.0,
        n: 30,
    };
    Trend { series, points: vec![point(1000.0), point(1010.5)] }
}

fn trends(subject: &str) -> Vec<Trend> {
    vec![
        trend(subject, "handshakes", "handshakes/s", Better::Higher),
        trend(subject, "allocations", "allocations/op", Better::Lower),
    ]
}

#[test]
fn each_format_looks_as_its_readers_want_it() {
    let all = ExportFormat::ALL
        .map(|format| format!("{format}\n{}", rendered(format, &trends("rustls@git:HEAD"))));
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn numbers_of_in_tree_benchmarks_are_marked() {
    let scenario = "intree/handshake-full/tls1.3/aes128-gcm/default/ecdsa-p256";
    let mut trends = trends("rustls@git:HEAD");
    trends.iter_mut().for_each(|trend| trend.series.scenario = scenario.to_owned());
    for format in ExportFormat::ALL {
        let text = rendered(format, &trends);
        assert!(text.contains("in-tree benchmark"), "{format}: {text}");
    }
    trends[0].series.scenario = "of another tool".to_owned();
    assert!(rendered(ExportFormat::Csv, &trends).contains(",other\n"));
}

#[test]
fn hostile_names_stay_names() {
    let evil = "=cmd|'/c calc'!A1,\"x\"\n# EOF\u{1b}[31m</script>";
    let csv = rendered(ExportFormat::Csv, &trends(evil));
    assert!(csv.contains("\"'=cmd|'/c calc'!A1,\"\"x\"\"\n"), "{csv}");
    let metrics = rendered(ExportFormat::OpenMetrics, &trends(evil));
    assert_eq!(metrics.lines().filter(|line| *line == "# EOF").count(), 1, "{metrics}");
    assert!(metrics.contains(r#"A1,\"x\"\n# EOF"#), "{metrics}");
    for format in ExportFormat::ALL {
        let text = rendered(format, &trends(evil));
        let raw = |c: char| c.is_control() && c != '\n';
        assert!(!text.contains(raw), "{format} could speak to a terminal: {text:?}");
    }
    let json: Value =
        serde_json::from_str(&rendered(ExportFormat::Bencher, &trends(evil))).unwrap();
    assert!(json.as_object().unwrap().keys().all(|name| name.starts_with(evil)));
}

/// What Bencher's schema (https://bencher.dev/bmf.json) and the limits of its parser ask for: a
/// name of 1 to 1024 bytes, a measure that is a slug of up to 64, numbers.
#[test]
fn bencher_takes_every_metric() {
    for metric in shakedown_protocol::Metric::ALL {
        let text =
            rendered(ExportFormat::Bencher, &[trend("s", metric.name(), "x", Better::Higher)]);
        let all: Value = serde_json::from_str(&text).unwrap();
        let (name, measures) = all.as_object().unwrap().iter().next().unwrap();
        assert!((1..=1024).contains(&name.len()), "{name}");
        let (measure, value) = measures.as_object().unwrap().iter().next().unwrap();
        let words = measure.split('-').all(|word| {
            !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        });
        assert!(words && measure.len() <= 64, "{measure}");
        let [low, middle, high] =
            ["lower_value", "value", "upper_value"].map(|name| value[name].as_f64().unwrap());
        assert!(low <= middle && middle <= high && high.is_finite(), "{value}");
        assert_eq!(value.as_object().unwrap().len(), 3, "{value}");
    }
}

/// github-action-benchmark reads name, value, unit, range and extra of each entry, and takes no
/// number for a text.
#[test]
fn github_action_benchmark_gets_the_fields_that_it_reads() {
    for format in [ExportFormat::GithubBigger, ExportFormat::GithubSmaller] {
        let all: Value = serde_json::from_str(&rendered(format, &trends("s"))).unwrap();
        for one in all.as_array().unwrap() {
            assert!(one["value"].is_number(), "{one}");
            for field in ["name", "unit", "range", "extra"] {
                assert!(one[field].as_str().is_some_and(|text| !text.is_empty()), "{field}: {one}");
            }
        }
    }
}

proptest! {
    /// What we hand to others we can take back.
    #[test]
    fn exported_numbers_come_back(median in 1e-6f64..1e12, subject in "\\PC{1,20}") {
        let mut all = trends(&subject);
        for trend in &mut all {
            let point = trend.points.last_mut().unwrap();
            (point.median, point.low, point.high) = (median, median * 0.9, median * 1.1);
        }
        let about = import::ImportSource {
            subject: "s".to_owned(), revision: None, started_ms: 0,
            host: String::new(), epoch: String::new(),
        };
        let text = rendered(ExportFormat::Bencher, &all);
        let back = import::read(import::ImportFormat::Bencher, &[("f".into(), text)], &about).unwrap();
        prop_assert_eq!(back.warnings.len(), 0);
        let rows = &back.imports[0].rows;
        prop_assert_eq!(rows.len(), 2);
        for row in rows {
            prop_assert_eq!((row.median, row.low, row.high), (median, median * 0.9, median * 1.1));
        }
        let text = rendered(ExportFormat::GithubBigger, &all);
        let back = import::read(import::ImportFormat::GithubActionBenchmark, &[("f".into(), text)], &about).unwrap();
        prop_assert_eq!(back.imports[0].rows[0].median, median);
    }
}
