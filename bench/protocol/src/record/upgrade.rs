//! Records of older schemas, changed into the current layout before they are parsed.

use super::SCHEMA_VERSION;
use serde_json::{Value, json};

/// Schema 1 gave the reason of a lost trial as text. What does not have the layout of schema 1
/// stays as it is: parsing it says what is wrong.
pub(super) fn from_1(record: &mut Value) {
    record["schema"] = json!(SCHEMA_VERSION);
    let trials = record.get_mut("trials").and_then(Value::as_array_mut);
    for trial in trials.into_iter().flatten() {
        let reason = trial.pointer_mut("/outcome/lost/reason");
        if let Some(reason) = reason
            && let Some(text) = reason.as_str()
        {
            *reason = json!({ "kind": "unclassified", "text": text });
        }
    }
}

#[cfg(all(test, feature = "fixture"))]
mod tests {
    use crate::{LostReason, RunRecord, TrialOutcome, fixture};
    use serde_json::json;

    #[test]
    fn a_record_of_schema_1_is_read_with_its_texts() {
        let subject = fixture::comparison::BASE;
        let scenario = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
        let mut record = fixture::comparison::comparison(&[(scenario, [1.0, 1.0])]);
        record.trials.push(fixture::trial(subject, scenario.parse().unwrap(), [9, 0]));
        let mut old = serde_json::to_value(&record).unwrap();
        old["schema"] = json!(1);
        let last = record.trials.len() - 1;
        old["trials"][last]["outcome"]["lost"]["reason"] = json!("killed by SIGSEGV");
        let read = RunRecord::from_json(&old.to_string()).unwrap();
        let reason = LostReason::Unclassified { text: "killed by SIGSEGV".to_owned() };
        record.trials[last].outcome = TrialOutcome::Lost { reason, stderr: String::new() };
        assert_eq!(read, record);
    }

    #[test]
    fn a_field_that_is_gone_is_passed_over() {
        let scenario = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
        let record = fixture::comparison::comparison(&[(scenario, [1.0, 1.0])]);
        let mut old = serde_json::to_value(&record).unwrap();
        old["trials"][0]["counts_beside"] = json!(2);
        assert_eq!(RunRecord::from_json(&old.to_string()).unwrap(), record);
    }
}
