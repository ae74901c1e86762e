//! Numbers from other tools and for other tools, through the command.

mod common;

use assert_cmd::cargo::cargo_bin;
use common::nights::{DAY, History, START, argument};
use shakedown_protocol::Better;
use shakedown_store::{IMPORT_SCHEMA, Import, Index, SeriesInfo, SeriesValue, Store};
use std::{
    collections::BTreeMap,
    fs,
    io::Read,
    process::{Command, Stdio},
};

const OPENSSL_BENCH: &str = "\
./bench bulk TLS_AES_256_GCM_SHA384 1048576
negotiated TLSv1.3 with TLS_AES_256_GCM_SHA384
send: RATE MB/s
recv: 6937.19 MB/s
";
const BULK: &str = "rustls-bench/bulk/tls1.3/aes256-gcm/rsa-2048";

/// Arguments of an import, up to its files.
const IMPORT: [&str; 9] = [
    "import",
    "--format",
    "openssl-bench",
    "--subject",
    "openssl@3.2.0+gcc",
    "--at",
    "2023-12-01",
    "--host",
    "old <host>",
];

#[test]
fn the_text_files_of_a_configuration_are_one_run() {
    let history = History::new();
    let files: Vec<_> = (0..30)
        .map(|number| {
            let path = history.at(&format!("output_{number}"));
            fs::write(&path, OPENSSL_BENCH.replace("RATE", &format!("{}.5", 6000 + number)))
                .unwrap();
            path
        })
        .collect();
    let files: Vec<&str> = files.iter().map(|path| argument(path)).collect();
    history.call(&[&IMPORT[..], &files].concat()).success();
    // The same again changes nothing.
    assert!(history.text(&[&IMPORT[..], &files].concat()).contains("already stored"));
    let trends = history.json(&["history", "trend", BULK, "--side", "send"]);
    let point = &trends[0]["points"][0];
    assert_eq!((point["n"].as_u64(), point["median"].as_f64()), (Some(30), Some(6015.0)));
    assert_eq!((point["low"].as_f64(), point["high"].as_f64()), (Some(6009.5), Some(6020.5)));
    assert_eq!(point["started_ms"], 1_701_388_800_000_u64, "date -u -d 2023-12-01 +%s");
    assert_eq!(point["epoch"], "old <host>");
}

#[test]
fn a_line_that_is_not_understood_stops_the_import_and_is_named() {
    let history = History::new();
    let (good, bad) = (history.at("good"), history.at("bad"));
    fs::write(&good, OPENSSL_BENCH.replace("RATE", "6000")).unwrap();
    fs::write(&bad, OPENSSL_BENCH.replace("RATE", "6000").replace("recv", "\u{1b}[31mrecv"))
        .unwrap();
    let failed = history.call(&[&IMPORT[..], &[argument(&good), argument(&bad)]].concat()).code(2);
    let said = String::from_utf8(failed.get_output().stderr.clone()).unwrap();
    assert!(said.contains("bad:4: not a line of openssl-bench"), "{said}");
    assert!(!said.contains('\u{1b}'), "{said:?}");
    assert!(!history.dir().exists(), "whole or not at all");
}

#[test]
fn a_subject_that_is_a_path_is_refused() {
    let history = History::new();
    let file = history.at("output");
    fs::write(&file, OPENSSL_BENCH.replace("RATE", "6000")).unwrap();
    for subject in ["../../etc", "x@../../etc", "/etc/passwd", ""] {
        let import = ["import", "--format", "openssl-bench", "--subject", subject, "--at"];
        let more = ["2023-12-01", "--host", "h", argument(&file)];
        let refused = history.call(&[&import[..], &more].concat()).code(2);
        let said = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
        assert!(said.contains("--subject") && said.contains(subject), "{said}");
    }
    assert!(!history.dir().exists(), "whole or not at all");
}

#[test]
fn what_is_exported_can_be_imported() {
    let (one, two) = (History::new(), History::new());
    let file = one.at("output");
    fs::write(&file, OPENSSL_BENCH.replace("RATE", "6266.1")).unwrap();
    one.call(&[&IMPORT[..], &[argument(&file)]].concat()).success();
    for (export, import) in
        [("bencher", "bencher"), ("github-action-benchmark-bigger", "github-action-benchmark")]
    {
        let out = one.at(export);
        one.call(&["export", "--format", export, "--out", argument(&out)]).success();
        let arguments = ["import", "--format", import, "--subject", "x@1", "--at", "2023-12-01"];
        let more = ["--host", export, argument(&out)];
        two.call(&[&arguments[..], &more].concat()).success();
    }
    for run in two.json(&["history", "list"]).as_array().unwrap() {
        let rows = two.json(&["history", "show", run["name"].as_str().unwrap()]);
        let mut medians: Vec<f64> =
            rows.as_array().unwrap().iter().map(|row| row["median"].as_f64().unwrap()).collect();
        medians.sort_by(f64::total_cmp);
        assert_eq!(medians, [6266.1, 6937.19], "{}", run["suite"]);
    }
}

/// Of a night with this number: a thousand series with long names.
fn many(night: u64) -> Import {
    let value = |number: u64| SeriesValue {
        series: SeriesInfo {
            subject: "rustls@git:HEAD+aws-lc-rs".to_owned(),
            scenario: format!("{}/{number}", "handshake-full/".repeat(8)),
            side: "client".to_owned(),
            metric: "handshakes".to_owned(),
            unit: "handshakes/s".to_owned(),
            better: Better::Higher,
        },
        median: 1000.0 + night as f64,
        low: 999.0,
        high: 2000.0,
        n: 6,
    };
    Import {
        imported: IMPORT_SCHEMA,
        from: "bencher".to_owned(),
        started_ms: START + night * DAY,
        host: "bench-1".to_owned(),
        epoch: "0123456789abcdef".to_owned(),
        revisions: BTreeMap::new(),
        rows: (0..1000).map(value).collect(),
    }
}

/// The most memory that a process has had so far, in MiB.
fn most_memory(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1));
    kib.map_or(0, |kib| kib.parse::<u64>().unwrap() / 1024)
}

#[test]
fn an_export_takes_no_more_memory_for_more_nights() {
    let history = History::new();
    let store = Store::open_or_create(&history.dir()).unwrap();
    let nights = 150;
    for night in 0..nights {
        let text = serde_json::to_string(&many(night)).unwrap();
        store.add(&text, START + nights * DAY).unwrap();
    }
    drop(Index::open(&store).unwrap());
    for format in ["csv", "bencher"] {
        let mut export = Command::new(cargo_bin("shakedown"));
        export.args(["export", "--format", format, "--history"]).arg(history.dir());
        let mut export = export.stdout(Stdio::piped()).spawn().unwrap();
        let mut written = export.stdout.take().unwrap();
        let (mut buffer, mut bytes, mut most) = (vec![0; 1 << 16], 0, 0);
        loop {
            // It can't end before its last bytes are read, so that this sees all but these.
            most = most.max(most_memory(export.id()));
            match written.read(&mut buffer).unwrap() {
                0 => break,
                more => bytes += more,
            }
        }
        assert!(export.wait().unwrap().success());
        println!("{format}: {bytes} bytes with {most} MiB");
        assert!(most > 0 && most < 48, "{format}: {most} MiB for {bytes} bytes");
    }
}
