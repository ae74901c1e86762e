//! The driver in another language: what it answers stands up to the command, and to readers of its histograms.

use super::common::{record, shakedown};
use base64::{Engine, engine::general_purpose::STANDARD};
use hdrhistogram::{Histogram, serialization::Deserializer};
use shakedown_protocol::{
    Group, Meter, Negotiated, RunRecord, ScenarioKind, SideResult, TlsVersion,
};

const SUBJECT: &str = "go@1.26.8";

/// What each measured scenario of a record negotiated, with what was measured.
fn trials(record: &RunRecord) -> impl Iterator<Item = (String, Meter, &Negotiated, &[SideResult])> {
    record.trials.iter().map(|trial| {
        let measured = trial.measured().unwrap_or_else(|| panic!("{:?}", trial.outcome));
        let negotiated = measured.negotiated.as_ref().unwrap();
        (trial.scenario.to_string(), trial.meter, negotiated, &*measured.sides)
    })
}

#[test]
#[ignore = "builds the driver of Go"]
fn what_a_driver_of_go_answers_is_what_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let arguments = ["run", "--suite", "smoke", "--as-named", "--seed", "1", SUBJECT, "--out"];
    shakedown(folder.path()).args(arguments).arg(&out).assert().success();
    let record = record(&out);
    let driver = &record.subjects[0].driver;
    assert_eq!(driver.library, "crypto/tls of go1.26.8");
    assert!(driver.details.iter().any(|line| line.contains("GOGC=100")), "{:?}", driver.details);
    let mut counted = 0;
    for (id, meter, negotiated, sides) in trials(&record) {
        let scenario = id.parse::<shakedown_protocol::Scenario>().unwrap();
        let tls = *scenario.tls().unwrap();
        assert!(negotiated.differences(&tls).is_empty(), "{id}: {negotiated:?}");
        assert_eq!((negotiated.version, negotiated.resumed), (tls.version, tls.resumes()), "{id}");
        let names = match tls.version {
            TlsVersion::Tls12 => "TLS_ECDHE_ECDSA_WITH_",
            TlsVersion::Tls13 => "TLS_",
        };
        assert!(negotiated.cipher_suite_name.starts_with(names), "{id}: {negotiated:?}");
        if id.contains("/default/") {
            assert_eq!(negotiated.group, Some(Group::X25519MlKem768), "{id}");
        }
        let signature = match (negotiated.resumed, tls.key.is_rsa()) {
            (true, _) => None,
            (false, true) => Some("rsa_pss_rsae_sha256"),
            (false, false) => Some("ecdsa_secp256r1_sha256"),
        };
        assert_eq!(negotiated.signature.as_deref(), signature, "{id}");
        if meter == Meter::Heap {
            counted += 1;
            let counts = sides.iter().map(|side| side.counts.unwrap());
            assert!(counts.clone().all(|counts| counts.peak_heap.is_none()), "{id}");
            let bulk = matches!(tls.kind, ScenarioKind::Bulk { .. });
            assert!(bulk || counts.clone().all(|counts| counts.allocations > Some(50)), "{id}");
        }
        for side in sides.iter().filter(|side| side.latency.is_some()) {
            same_as_its_histogram(side);
        }
    }
    assert!(counted > 5, "{counted}");
}

/// The percentiles of a side are those that any reader of its histogram finds.
fn same_as_its_histogram(side: &SideResult) {
    let latency = side.latency.as_ref().unwrap();
    let bytes = STANDARD.decode(&latency.histogram).unwrap();
    let read: Histogram<u64> = Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
    let found = [0.5, 0.9, 0.99, 0.999].map(|share| read.value_at_quantile(share));
    assert_eq!(found, [latency.p50, latency.p90, latency.p99, latency.p999]);
    assert_eq!((read.len(), read.max()), (latency.count, latency.max));
    assert_eq!(side.samples.iter().map(|sample| sample.operations).sum::<u64>(), latency.count);
}

#[test]
#[ignore = "builds the driver of Go"]
fn links_of_a_driver_of_go_differ_and_measure() {
    let folder = tempfile::tempdir().unwrap();
    let build = ["build", "--json", "--links", "3", SUBJECT];
    let done = shakedown(folder.path()).args(build).assert().success();
    let built: serde_json::Value = serde_json::from_slice(&done.get_output().stdout).unwrap();
    let of_build = |name: &str| built[0][name].as_array().unwrap().clone();
    let links: Vec<_> = built[0]["artifact"]["links"].as_array().unwrap().clone();
    assert!(
        links.len() == 3 && links[0] != links[1] && links[1] != links[2] && links[0] != links[2]
    );
    for binary in of_build("binaries") {
        let done = assert_cmd::Command::new(binary.as_str().unwrap()).arg("describe").assert();
        let said = String::from_utf8(done.success().get_output().stdout.clone()).unwrap();
        assert!(said.contains("crypto/tls of go1.26.8"), "{said}");
    }
}
