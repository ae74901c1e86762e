//! Two studies: one that decided, and one in its tiny form.

use super::{EPOCH, Nights, testing};
use serde_json::{Value, json};
use shakedown_store::{Store, StoreError};

/// Adds them, as measured in the last night.
pub fn add(store: &Store, nights: Nights) -> Result<(), StoreError> {
    let started_ms = testing::START + (nights.count - 1) * testing::DAY;
    for study in [key_shares(nights.hostile), record_sizes()] {
        let mut study = study;
        study["started_ms"] = json!(started_ms);
        study["host"] = json!({ "name": "bench-1", "cpu": "AMD EPYC 4244P", "cpus": 8, "virtualization": "none", "epoch": EPOCH, "fit": true });
        store.add_study(&study.to_string(), testing::NOW)?;
    }
    Ok(())
}

fn key_shares(hostile: bool) -> Value {
    let title = if hostile { "3.5 against <b>3.4</b>" } else { "3.5 against 3.4" };
    let url = if hostile { "javascript:alert(1)" } else { "https://example.org/key-shares" };
    json!({
        "study": "key-shares", "mode": "full",
        "question": "Is the slowdown of OpenSSL 3.5 its default key shares?",
        "method": "Whole handshakes of one thread", "differences": "Each side is timed apart.",
        "source": { "title": title, "url": url, "date": "2025-10", "machine": "an unnamed Xeon" },
        "subjects": [
            { "run": "versions", "subject": "openssl@3.4.1", "built": "openssl@3.4.1", "stands_for": "3.4.0", "missing": null },
            { "run": "versions", "subject": "openssl@3.5.5", "built": "openssl@3.5.5", "stands_for": null, "missing": null },
        ],
        "claims": [
            claim("1", "New handshakes lose 13.3 % from 3.4 to 3.5", "confirmed", &[row("new handshakes, 3.5 to 3.4", Some(0.867), [0.871, 0.861, 0.880], [Some(0.825), Some(0.910)], "confirmed")]),
            claim("2", "Resumed handshakes lose 10.7 %", "undecided", &[row("resumed handshakes, 3.5 to 3.4", Some(0.893), [0.938, 0.901, 0.992], [Some(0.850), Some(0.930)], "undecided")]),
            claim("3", "Without the hybrid share it is as fast as 3.4", "refuted", &[
                row("classical groups only, to 3.4", Some(1.0), [0.952, 0.947, 0.958], [Some(0.98), Some(1.02)], "refuted"),
                row("built without ML-KEM, to 3.4", Some(1.0), [0.951, 0.945, 0.959], [Some(0.98), Some(1.02)], "refuted"),
            ]),
        ],
    })
}

fn record_sizes() -> Value {
    let mut exact = row(
        "records of the first flight",
        Some(4.0),
        [4.0, 4.0, 4.0],
        [Some(4.0), Some(4.0)],
        "confirmed",
    );
    exact["exact"] = json!(true);
    let mut flight =
        claim("4", "A server's first flight is 4 encrypted records", "confirmed", &[exact]);
    flight["ours"] = json!("the count of 4");
    let mut not_here =
        claim("5", "A verified stack takes 166 ms as the server", "not-measurable", &[]);
    not_here["why"] = json!("the catalog has no such stack");
    json!({
        "study": "records", "mode": "tiny", "question": "How many records has the first flight of a server?",
        "method": "Captured", "differences": "",
        "source": { "title": "Comparing libraries", "url": "https://example.org/records", "date": "2026-02", "machine": "a laptop" },
        "subjects": [],
        "claims": [flight, not_here],
    })
}

fn claim(id: &str, text: &str, verdict: &str, rows: &[Value]) -> Value {
    json!({ "id": id, "text": text, "ours": null, "verdict": verdict, "why": null, "confidence": 0.95, "rows": rows })
}

fn row(
    what: &str,
    published: Option<f64>,
    [measured, low, high]: [f64; 3],
    [least, most]: [Option<f64>; 2],
    verdict: &str,
) -> Value {
    json!({
        "what": what, "published": published, "published_as": [], "published_unit": null, "unit": null,
        "measured": measured, "low": low, "high": high, "coverage": 0.994, "exact": false, "n": 12,
        "accepted": { "low": least, "high": most }, "verdict": verdict, "gap": null,
    })
}
