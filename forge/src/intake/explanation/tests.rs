//! Explanations that nobody should believe.

use super::*;
use crate::intake::{
    RECORD,
    tests::{FULL, add, archive, refused, sound},
};
use shakedown_protocol::fixture::comparison::comparison;

/// An explanation of the sound record.
fn explained() -> serde_json::Value {
    let record: RunRecord = serde_json::from_slice(&sound()).unwrap();
    let [base, head] = &record.subjects[..] else { panic!("two subjects") };
    let culprit = serde_json::json!({
        "function": "rustls::hash::update", "change": 120.0, "share": 1.0, "own": [10.0, 130.0],
        "inclusive": [10.0, 130.0], "entries": [1.0, 1.0], "calls": [["memcpy", 3.0]]
    });
    serde_json::json!({
        "run": record.id, "record_sha256": record_sha256(&sound()),
        "base": base.name, "head": head.name,
        "sides": [{
            "scenario": FULL, "side": "client", "metrics": ["instructions"],
            "explanation": {
                "total": [1000.0, 1120.0], "culprits": [culprit], "remainder": 0.0,
                "events": [{"event": "Ir", "values": [1000.0, 1120.0]}]
            }
        }],
        "allocations": [{"scenario": FULL, "sites": {
            "allocations": [1.0, 2.0], "bytes": [8.0, 16.0], "peak": [8.0, 8.0],
            "sites": [{"function": "push", "callers": ["hello"], "allocations": [0.0, 1.0],
                "bytes": [0.0, 8.0], "at_peak": [0.0, 0.0]}]
        }}],
        "causes": [{"function": "a lie", "members": [7], "range": [0.0, 9.0]}],
        "stacks": {"main;update": [10.0, 130.0]}
    })
}

/// What becomes of an explanation beside the sound record, which must be taken whatever is beside it.
fn beside(explanation: &[u8]) -> Result<ComparisonExplanation, IntakeRefusal> {
    let (_folder, taken) = archive(|zip| {
        add(zip, EXPLANATION, explanation);
        add(zip, RECORD, &sound());
    });
    let taken = taken.unwrap();
    assert_eq!(taken.record, comparison(&[(FULL, [1.0, 1.0])]));
    taken.explanation.expect("there is one")
}

#[test]
fn a_sound_explanation_is_taken_with_its_record_and_grouped_again() {
    let found = beside(explained().to_string().as_bytes()).unwrap();
    let [cause] = &found.causes[..] else { panic!("{:?}", found.causes) };
    assert_eq!((&*cause.function, &cause.members[..]), ("rustls::hash::update", &[0][..]));
    assert!(refused(|zip| add(zip, EXPLANATION, b"{}")).contains("no record.json"));
}

#[test]
fn an_explanation_that_the_tool_would_not_write_is_left_out() {
    type Edit = fn(&mut serde_json::Value);
    let edits: [(Edit, &str); 14] = [
        (|e| e["record_sha256"] = "0".repeat(64).into(), "another record"),
        (|e| e["run"] = "x".into(), "another record"),
        (|e| e["head"] = "x".into(), "another record"),
        (|e| e["not_profiled"] = serde_json::json!([FULL.replace("tls1.3", "tls1.2")]), "scenario"),
        (|e| e["sides"][0]["explanation"]["culprits"][0]["function"] = "a\u{1b}[2J".into(), "name"),
        (
            |e| e["sides"][0]["explanation"]["culprits"][0]["function"] = "x".repeat(2001).into(),
            "name",
        ),
        (|e| e["sides"][0]["explanation"]["culprits"][0]["share"] = 1e5.into(), "number"),
        (|e| e["sides"][0]["explanation"]["culprits"][0]["calls"][0][0] = "a\nb".into(), "name"),
        (|e| e["sides"][0]["explanation"]["total"][1] = 1e300.into(), "number"),
        (|e| e["allocations"][0]["sites"]["sites"][0]["callers"][0] = "\r".into(), "name"),
        (|e| e["allocations"][0]["sites"]["peak"][0] = (-2e12).into(), "number"),
        (|e| e["failed"] = serde_json::json!([[FULL, "\u{0}"]]), "name"),
        (|e| e["stacks"] = serde_json::json!({"a;".repeat(65): [1.0, 2.0]}), "name"),
        (|e| e["causes"] = vec![e["causes"][0].clone(); 300].into(), "longer"),
    ];
    for (edit, why) in edits {
        let mut found = explained();
        edit(&mut found);
        let said = beside(found.to_string().as_bytes()).unwrap_err().to_string();
        assert!(said.contains(why) && !said.chars().any(char::is_control), "{why}: {said}");
    }
    let many: serde_json::Map<_, _> =
        (0..20_001).map(|n| (n.to_string(), serde_json::json!([1.0, 2.0]))).collect();
    let mut found = explained();
    found["stacks"] = many.into();
    assert!(beside(found.to_string().as_bytes()).unwrap_err().to_string().contains("longer"));
}

#[test]
fn nonsense_and_bombs_beside_a_record_are_left_out() {
    let said = |bytes: &[u8]| beside(bytes).unwrap_err().to_string();
    assert!(said(b"").contains("explanation.json is not sensible JSON"));
    assert!(said(b"\xff").contains("UTF-8"));
    assert!(said("[".repeat(100_000).as_bytes()).contains("too many levels"));
    assert!(said(b"{\"run\": \"\\u001b[2J\"}").contains("not taken"));
    assert!(said(&vec![b' '; 7 << 20]).contains("a bomb"));
    assert!(said(&vec![b' '; 9 << 20]).contains("more than 8388608 bytes"));
    assert!(said(format!("[{}0]", "0,".repeat(500_000)).as_bytes()).contains("too many values"));
}
