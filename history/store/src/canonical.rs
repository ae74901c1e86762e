//! A canonical text, so that equal records have equal digests.

use serde_json::Value;
use sha2::{Digest, Sha256};

/// The value as compact JSON with sorted keys. Unknown fields stay, so that an older program preserves
/// a record of a newer one.
pub fn text(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            // Sorted here and not left to the map: whether it keeps order is decided by
            // whichever crate of the program turns that feature on.
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            out.push('{');
            for (index, key) in keys.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(&Value::String(key.clone()).to_string());
                out.push(':');
                write(&map[key], out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        plain => out.push_str(&plain.to_string()),
    }
}

/// SHA-256 in lower-case hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn digest_is_that_of_sha256sum() {
        // printf abc | sha256sum
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(b"abc"), abc);
    }

    #[test]
    fn order_and_space_do_not_matter() {
        let one: Value = serde_json::from_str(r#"{"b": [1, {"y":2,"x":1}], "a":"ü\n"}"#).unwrap();
        let two: Value = serde_json::from_str(r#"{"a":"ü\n","b":[1,{"x":1,"y":2}]}"#).unwrap();
        assert_eq!(text(&one), text(&two));
        assert_eq!(text(&one), r#"{"a":"ü\n","b":[1,{"x":1,"y":2}]}"#);
    }

    proptest! {
        #[test]
        fn numbers_read_back_as_written(number in any::<f64>().prop_filter("finite", |n| n.is_finite())) {
            let once = text(&serde_json::json!({ "n": number }));
            let again: Value = serde_json::from_str(&once).unwrap();
            prop_assert_eq!(again["n"].as_f64().unwrap().to_bits(), number.to_bits());
            prop_assert_eq!(text(&again), once);
        }
    }
}
