//! The artifact of a run: from the storage, without the token, up to a limit.

use crate::{World, common::with};
use serde_json::json;
use shakedown_forge::{
    artifact,
    fake::{FakeForge, InjectedFault},
};
use std::{fs, io::Write, net::TcpListener, thread};

#[test]
fn the_artifact_is_fetched_without_the_token_and_never_beyond_the_limit() {
    let storage = FakeForge::start();
    storage.state().files.insert("/blob".to_owned(), vec![7; 5000]);
    storage.fail(InjectedFault { of: ("GET", "/blob"), status: 503, ..InjectedFault::default() });
    let world = World::new(&[(
        "actions/runs/7001/artifacts",
        json!({ "total_count": 2, "artifacts": [
            { "id": 1, "name": "record", "expired": true },
            { "id": 2, "name": "record", "size_in_bytes": 10 },
            { "id": 3, "name": "report" },
        ]}),
    )]);
    let zip = "/repos/tls/lib/actions/artifacts/2/zip".to_owned();
    world.fake.state().moved.insert(zip, format!("{}/blob?sig=x", storage.url()));
    let file = world.folder.path().join("a.zip");
    let fetch = |name: &'static str, limit: u64| {
        let file = file.clone();
        with(&world.fake, |forge| artifact::fetch(forge, 7001, name, &file, limit))
    };
    fetch("record", 6000).unwrap();
    assert_eq!(fs::read(&file).unwrap(), vec![7; 5000]);
    assert!(storage.state().requests.iter().all(|(_, _, token)| token.is_empty()));

    // What the forge says of its size is not what limits it.
    assert!(fetch("record", 1000).unwrap_err().to_string().contains("larger than 1000 bytes"));
    assert!(fs::metadata(&file).unwrap().len() <= 1000);
    assert!(fetch("nothing", 1000).unwrap_err().to_string().contains("no artifact"));
}

/// A storage that never ends its answer.
fn endless() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/blob", listener.local_addr().unwrap());
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
            while stream.write_all(&[7; 1 << 16]).is_ok() {}
        }
    });
    url
}

#[test]
fn an_artifact_without_an_end_is_left_at_the_limit() {
    let list = json!({ "artifacts": [{ "id": 2, "name": "record", "size_in_bytes": 10 }] });
    let world = World::new(&[("actions/runs/7001/artifacts", list)]);
    let zip = "/repos/tls/lib/actions/artifacts/2/zip".to_owned();
    world.fake.state().moved.insert(zip, endless());
    let file = world.folder.path().join("a.zip");
    let to = file.clone();
    let fetch =
        |forge: &shakedown_forge::Forge| artifact::fetch(forge, 7001, "record", &to, 8 << 20);
    let said = with(&world.fake, fetch).unwrap_err().to_string();
    assert!(said.contains("larger than 8388608 bytes"), "{said}");
    assert!(fs::metadata(&file).unwrap().len() <= 8 << 20);
}
