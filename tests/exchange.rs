//! Numbers from other tools and for other tools, through the command.

mod common;

use common::nights::{History, argument};
use std::fs;

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
