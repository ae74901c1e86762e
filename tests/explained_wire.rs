//! `compare` explains the bytes on the wire of a real library: with ML-KEM the client's hello has another key
//! share, of 1,216 bytes and a header of 4. Slow: `cargo test --test explained_wire -- --ignored`.

mod common;

use common::{nights::argument, shakedown};
use serde_json::Value;
use std::fs;

const SUITE: &str = r#"
name = "wire"
description = "One handshake with the library's own groups"
blocks = 2
aslr = "on"
meters = ["heap"]
tickets = 0

[budget]
warm-up-ms = 10
measure-ms = 50
batch-ms = 5
operations = 5
timeout-ms = 30000

[[scenarios]]
kind = ["handshake-full"]
version = ["tls1.3"]
cipher-suite = ["aes256-gcm"]
group = ["default"]
key = ["ecdsa-p256"]
"#;

#[test]
#[ignore = "builds OpenSSL twice"]
fn the_key_share_that_grew_is_named_first() {
    let folder = tempfile::tempdir().unwrap();
    let (suite, out) = (folder.path().join("wire.toml"), folder.path().join("out"));
    fs::write(&suite, SUITE).unwrap();
    let mut compare = shakedown(folder.path());
    compare.args(["compare", "openssl@3.5.5+no-ml-kem", "openssl@3.5.5", "--out", argument(&out)]);
    compare.args(["--suite", argument(&suite)]).arg("--history").arg(folder.path().join("none"));
    let said = compare.assert().code(1);
    let text = String::from_utf8_lossy(&said.get_output().stdout).into_owned();
    assert!(text.contains("key_share in client_hello"), "{text}");
    let found = fs::read_to_string(out.join("explanation.json")).unwrap();
    let found: Value = serde_json::from_str(&found).unwrap();
    let traffic = &found["traffic"][0]["traffic"];
    let change = &traffic["changes"][0];
    assert_eq!(grown(&change["bytes"]), 1_220);
    println!("{text}\n{traffic:#}");
    assert_eq!(
        (&change["message"], &change["part"]),
        (&"client_hello".into(), &"key_share".into())
    );
    // Every byte of the change is in one of the parts.
    for (side, total) in [("client", &traffic["client"]), ("server", &traffic["server"])] {
        let changes = traffic["changes"].as_array().unwrap().iter();
        let of_side = changes.filter(|one| one["sender"] == side).map(|one| grown(&one["bytes"]));
        assert_eq!(of_side.sum::<i64>(), grown(total), "{side}");
    }
}

fn grown(pair: &Value) -> i64 {
    pair[1].as_i64().unwrap() - pair[0].as_i64().unwrap()
}
