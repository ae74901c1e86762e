use super::*;
use crate::{Store, testing::NOW};
use proptest::prelude::*;

const OPENSSL: &str = "\
env LD_LIBRARY_PATH=../openssl ./bench bulk ECDHE-RSA-AES128-GCM-SHA256 1048576
negotiated TLSv1.2 with ECDHE-RSA-AES128-GCM-SHA256
send: 6266.1 MB/s
recv: 6937.19 MB/s
env LD_LIBRARY_PATH=../openssl ./bench handshake TLS_AES_256_GCM_SHA384
handshakes\tclient\t2254.63\thandshakes/s
handshakes\tserver\t1866.76\thandshakes/s
env LD_LIBRARY_PATH=../openssl ./bench handshake-resume TLS_AES_256_GCM_SHA384
negotiated TLSv1.3 with TLS_AES_256_GCM_SHA384
connects: 0, connects-good: 0, accepts: 32769, accepts-good: 32769
sessions: 20479, hits: 20479, misses: 12289
handshakes\tclient\t3383.21\thandshakes/s
handshakes\tserver\t3045.74\thandshakes/s
env LD_LIBRARY_PATH=../openssl /usr/bin/time -f %M ./bench memory TLS_AES_256_GCM_SHA384 100
15544
";

const RUSTLS: &str = "\
target/release/examples/bench bulk TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256
bulk\tTLSv1_2\tTLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256\tmax_fragment_size:default\tsend\t1746.94\tMB/s
bulk\tTLSv1_2\tTLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256\tmax_fragment_size:default\trecv\t1733.56\tMB/s
target/release/examples/bench handshake-resume TLS13_AES_256_GCM_SHA384
handshakes\tTLSv1_3\tRsa\tTLS13_AES_256_GCM_SHA384\tclient\tserver-auth\tsessionid\t11671.80\thandshake/s
handshakes\tTLSv1_3\tRsa\tTLS13_AES_256_GCM_SHA384\tserver\tserver-auth\tsessionid\t7586.17\thandshake/s
/usr/bin/env time -f %M target/release/examples/bench memory TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384 100
11540
";

fn about() -> ImportSource {
    ImportSource {
        subject: "openssl@3.2.0+gcc".to_owned(),
        revision: Some("v3.2.0".to_owned()),
        started_ms: 1_700_000_000_000,
        host: "old".to_owned(),
        epoch: "2023".to_owned(),
    }
}

fn one(format: ImportFormat, name: &str, text: &str) -> Result<Imported, StoreError> {
    read(format, &[(PathBuf::from(name), text.to_owned())], &about())
}

fn table(imported: &Imported) -> String {
    let rows = imported.imports.iter().flat_map(|import| {
        import.rows.iter().map(|row| {
            let SeriesInfo { scenario, side, metric, unit, better, .. } = &row.series;
            format!(
                "{} {scenario} {side} {metric} {} [{} {}] {unit} {better} n={}",
                import.started_ms, row.median, row.low, row.high, row.n
            )
        })
    });
    rows.chain(imported.warnings.iter().cloned()).collect::<Vec<_>>().join("\n")
}

use crate::SeriesInfo;

#[test]
fn the_texts_of_2023_are_read_and_blends_are_named() {
    let openssl = one(ImportFormat::OpensslBench, "output_1", OPENSSL).unwrap();
    let rustls = one(ImportFormat::RustlsBench, "output_1", RUSTLS).unwrap();
    insta::assert_snapshot!(format!("{}\n\n{}", table(&openssl), table(&rustls)));
}

#[test]
fn thirty_files_are_thirty_trials() {
    let file = |n: u32| {
        let text = OPENSSL.replace("6266.1", &format!("{}", 6000 + n));
        (PathBuf::from(format!("output_{n}")), text)
    };
    let files: Vec<_> = (1..=30).map(file).collect();
    let imported = read(ImportFormat::OpensslBench, &files, &about()).unwrap();
    let rows = &imported.imports[0].rows;
    let bulk = rows.iter().find(|row| row.series.side == "send").unwrap();
    // The 95 % interval of the median of 30 values goes from the 10th to the 21st.
    assert_eq!((bulk.n, bulk.median, bulk.low, bulk.high), (30, 6015.5, 6010.0, 6021.0));
}

#[test]
fn every_text_that_is_not_understood_names_its_line() {
    let say = |format, text: &str| one(format, "f", text).unwrap_err().to_string();
    let cut = &OPENSSL[..OPENSSL.find("15544").unwrap()];
    let said = [
        say(ImportFormat::OpensslBench, &OPENSSL.replace("recv:", "RECV:")),
        say(ImportFormat::OpensslBench, &OPENSSL.replace("6266.1", "fast")),
        say(ImportFormat::OpensslBench, "send: 1 MB/s\n"),
        say(
            ImportFormat::OpensslBench,
            &OPENSSL.replace(
                "negotiated TLSv1.3 with TLS_AES_256",
                "negotiated TLSv1.3 with TLS_AES_128",
            ),
        ),
        say(ImportFormat::OpensslBench, cut),
        say(ImportFormat::OpensslBench, ""),
        say(ImportFormat::RustlsBench, &RUSTLS.replace("sessionid", "magic")),
        say(ImportFormat::RustlsBench, &RUSTLS.replace("CHACHA20_POLY1305", "CAMELLIA")),
        say(ImportFormat::RustlsBench, "Segmentation fault\n"),
        say(ImportFormat::Bencher, "{\n\"a\": {\n\"latency\": {\"value\": \"x\"}}}"),
        say(ImportFormat::Criterion, "{}"),
        say(ImportFormat::GithubActionBenchmark, "window.BENCHMARK_DATA = {\n\"entries\": 1\n}"),
    ];
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn json_formats_are_read() {
    let estimates = r#"{"mean":{"confidence_interval":{"confidence_level":0.95,"lower_bound":1,"upper_bound":3},"point_estimate":2,"standard_error":0.1},
        "median":{"confidence_interval":{"confidence_level":0.95,"lower_bound":10.5,"upper_bound":12},"point_estimate":11,"standard_error":0.1},"slope":null}"#;
    let criterion = one(
        ImportFormat::Criterion,
        "target/criterion/handshake/full/new/estimates.json",
        estimates,
    );
    let bencher = r#"{"full handshake":{"latency":{"value":88.0,"lower_value":87.4,"upper_value":88.9},"colour":{"value":1}}}"#;
    let bencher = one(ImportFormat::Bencher, "bmf.json", bencher);
    let data = r#"window.BENCHMARK_DATA = {"lastUpdate":1,"repoUrl":"","entries":{"Rust":[
        {"commit":{"id":"abc","message":"x"},"date":1600000000000,"tool":"cargo","benches":[{"name":"b","value":100,"range":"± 7","unit":"ns/iter"}]},
        {"commit":{"id":"abd"},"date":1600000100000,"tool":"customBiggerIsBetter","benches":[{"name":"b","value":200,"range":"±5%","unit":"MB/s"}]}]}};"#;
    let data = one(ImportFormat::GithubActionBenchmark, "data.js", data);
    let all = [criterion, bencher, data].map(|read| table(&read.unwrap()));
    insta::assert_snapshot!(all.join("\n\n"));
}

#[test]
fn numbers_that_no_tool_means_are_refused_with_file_and_entry() {
    let say = |format, text: &str| one(format, "f.json", text).unwrap_err().to_string();
    let bencher = |text: &str| say(ImportFormat::Bencher, text);
    let action = |text: &str| say(ImportFormat::GithubActionBenchmark, text);
    let long = format!(r#"{{"{}":{{"latency":{{"value":1}}}}}}"#, "x".repeat(1_000_000));
    let twice = r#"{"name":"a","value":1,"unit":"ns"}"#;
    let said = [
        bencher(""),
        bencher("{}"),
        bencher(r#"{"a":{}}"#),
        bencher(r#"{"a":{"latency":{"value":-1}}}"#),
        bencher(r#"{"a":{"latency":{"value":5,"lower_value":6,"upper_value":7}}}"#),
        bencher(r#"{"a":{"latency":{"value":5,"lower_value":7,"upper_value":3}}}"#),
        bencher(r#"{"a":{"latency":{"value":1},"latency":{"value":2}}}"#),
        bencher(r#"{"a":{"latency":{"value":1}},"a":{"latency":{"value":2}}}"#),
        bencher("{\"a\\u001b[2J\":{\"latency\":{\"value\":1}}}"),
        bencher(&long),
        action("[]"),
        action(&format!("[{twice},{twice}]")),
        action(r#"[{"name":"a","value":-3,"unit":"ns"}]"#),
        action(r#"[{"name":"a","value":1e999,"unit":"ns"}]"#),
    ];
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn what_was_read_can_be_stored() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open_or_create(folder.path()).unwrap();
    let imported = one(ImportFormat::OpensslBench, "output_1", OPENSSL).unwrap();
    let text = serde_json::to_string(&imported.imports[0]).unwrap();
    assert!(store.add(&text, NOW).unwrap().new);
    let (index, updated) = crate::Index::open(&store).unwrap();
    assert_eq!((updated.added, updated.damaged.len()), (1, 0));
    let which = crate::query::SeriesFilter { side: Some("send"), ..Default::default() };
    let trend = &index.trends(&which, 0).unwrap()[0];
    assert_eq!(trend.points[0].median, 6266.1);
    assert_eq!(trend.points[0].revision, "v3.2.0");
}

proptest! {
    #[test]
    fn no_text_makes_reading_panic(text in "(.{0,40}\n){0,6}", cut in 0usize..900) {
        for format in ImportFormat::ALL {
            let _ = one(format, "x/new/estimates.json", &text);
        }
        let end = OPENSSL.char_indices().map(|(at, _)| at).take_while(|at| *at <= cut).last();
        let _ = one(ImportFormat::OpensslBench, "f", &OPENSSL[..end.unwrap_or(0)]);
    }
}
