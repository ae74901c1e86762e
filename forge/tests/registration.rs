//! Just-in-time configurations, against a forge that is as unkind as GitHub.

mod common;

use base64::{Engine, engine::general_purpose::STANDARD};
use common::{Waits, asked, options};
use ring::signature::{KeyPair, RsaKeyPair};
use rustls_pki_types::{PrivatePkcs8KeyDer, pem::PemObject};
use shakedown_forge::{
    Forge, ForgeError, ForgeOptions,
    fake::{CONFIGURATION, FakeForge, InjectedFault},
    registration::{AppKey, RunnerOwner, RunnerRequest, from_broker, request},
};
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

const NOW: u64 = 1_795_000_000;
const KEY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../bench/pki/rsa-2048/client.key.pem");

fn organization() -> RunnerOwner {
    RunnerOwner::Organization { login: "tls".to_owned(), group: "quiet hosts".to_owned() }
}

fn wanted(owner: RunnerOwner) -> RunnerRequest {
    let labels = ["self-hosted", "Linux", "X64", "bench"].map(str::to_owned).into();
    RunnerRequest { owner, name: "bench-1".to_owned(), labels }
}

/// A forge that knows an app, installed at `place` with a permission.
fn forge_with_app(place: &str, permission: &str) -> FakeForge {
    let fake = FakeForge::start();
    let der = PrivatePkcs8KeyDer::from_pem_file(KEY).unwrap();
    let pair = RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()).unwrap();
    {
        let registrar = &mut fake.state().registrar;
        registrar.app = Some((pair.public_key().as_ref().to_vec(), "424242".to_owned()));
        registrar.clock_s = NOW;
        registrar.installed.insert(place.to_owned(), permission.to_owned());
        registrar.groups.insert("Default".to_owned(), 1);
        registrar.groups.insert("quiet hosts".to_owned(), 7);
    }
    fake
}

/// A copy of the key with these permissions.
fn key(folder: &Path, mode: u32) -> PathBuf {
    let path = folder.join("key.pem");
    fs::copy(KEY, &path).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    path
}

/// From the key to the configuration.
fn by_app(
    fake: &FakeForge,
    key: &AppKey,
    owner: RunnerOwner,
    now_s: u64,
) -> Result<String, ForgeError> {
    let options = options(fake, &Waits::default());
    let token = key.token(&options, &owner, now_s)?;
    let forge = Forge::new(ForgeOptions { token: Some(token), ..options })?;
    Ok(request(&forge, &wanted(owner))?.secret().to_owned())
}

#[test]
fn an_app_with_one_permission_registers_with_repository_or_group() {
    let folder = tempfile::tempdir().unwrap();
    let key = AppKey::read("424242", &key(folder.path(), 0o600)).unwrap();

    let fake = forge_with_app("repos/tls/lib", "administration");
    assert_eq!(by_app(&fake, &key, RunnerOwner::Repository, NOW).unwrap(), CONFIGURATION);
    let (place, body) = fake.state().registrar.configured[0].clone();
    assert_eq!((place.as_str(), body["runner_group_id"].as_u64()), ("repos/tls/lib", Some(1)));
    assert_eq!(body["labels"], serde_json::json!(["self-hosted", "Linux", "X64", "bench"]));

    let fake = forge_with_app("orgs/tls", "organization_self_hosted_runners");
    assert_eq!(by_app(&fake, &key, organization(), NOW).unwrap(), CONFIGURATION);
    let (place, body) = fake.state().registrar.configured[0].clone();
    assert_eq!((place.as_str(), body["runner_group_id"].as_u64()), ("orgs/tls", Some(7)));
    // The installation's token asks for the configuration, not the app's own.
    let last = fake.state().requests.last().unwrap().2.clone();
    assert_eq!(last, "tion");
}

#[test]
fn a_clock_that_is_wrong_by_less_than_a_minute_is_borne_and_another_one_named() {
    let folder = tempfile::tempdir().unwrap();
    let key = AppKey::read("424242", &key(folder.path(), 0o600)).unwrap();
    let fake = forge_with_app("repos/tls/lib", "administration");
    for now in [NOW - 60, NOW + 59] {
        fake.state().registrar.runners.clear();
        by_app(&fake, &key, RunnerOwner::Repository, now).unwrap();
    }
    for (now, said) in [(NOW + 120, "iat"), (NOW - 3600, "exp"), (NOW + 90, "clock")] {
        let error = by_app(&fake, &key, RunnerOwner::Repository, now).unwrap_err().to_string();
        assert!(error.contains(said) && error.contains("clock of this host"), "{error}");
    }
    let other = AppKey::read("7", &folder.path().join("key.pem")).unwrap();
    let error = by_app(&fake, &other, RunnerOwner::Repository, NOW).unwrap_err().to_string();
    assert!(error.contains("Integration not found") && error.contains("Check its ID"), "{error}");
}

#[test]
fn what_the_app_may_not_do_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let key = AppKey::read("424242", &key(folder.path(), 0o600)).unwrap();
    let said = |fake: &FakeForge, owner| by_app(fake, &key, owner, NOW).unwrap_err().to_string();

    let fake = forge_with_app("orgs/tls", "metadata");
    let error = said(&fake, organization());
    assert!(
        error.contains("lacks the permission organization_self_hosted_runners: write"),
        "{error}"
    );
    assert!(said(&fake, RunnerOwner::Repository).contains("not installed at /repos/tls/lib"));

    let fake = forge_with_app("orgs/tls", "organization_self_hosted_runners");
    fake.state().registrar.groups.remove("quiet hosts");
    let error = said(&fake, organization());
    assert!(
        error.contains("no runner group `quiet hosts`") && error.contains("Default"),
        "{error}"
    );
}

#[test]
fn a_key_that_others_may_read_or_that_is_none_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for mode in [0o640, 0o604, 0o660] {
        let error = AppKey::read("1", &key(folder.path(), mode)).unwrap_err().to_string();
        assert!(error.contains("chmod 600"), "{mode:o}: {error}");
    }
    let path = key(folder.path(), 0o600);
    // As GitHub writes it: PKCS#1, which is what PKCS#8 has within.
    let whole = PrivatePkcs8KeyDer::from_pem_file(KEY).unwrap();
    let inner = STANDARD.encode(&whole.secret_pkcs8_der()[26..]);
    let lines: Vec<String> =
        inner.as_bytes().chunks(64).map(|l| String::from_utf8_lossy(l).into_owned()).collect();
    let name = "RSA PRIVATE KEY";
    let text = format!("-----BEGIN {name}-----\n{}\n-----END {name}-----\n", lines.join("\n"));
    fs::write(&path, text).unwrap();
    AppKey::read("1", &path).unwrap();
    let elliptic = KEY.replace("rsa-2048", "ecdsa-p256");
    for wrong in ["", "ghp_token\n", &fs::read_to_string(elliptic).unwrap()] {
        fs::write(&path, wrong).unwrap();
        let error = AppKey::read("1", &path).unwrap_err().to_string();
        assert!(error.contains("no key of a GitHub App"), "{error}");
        assert!(!error.contains("ghp_token"), "{error}");
    }
}

fn by_token(fake: &FakeForge, waits: &Waits) -> Result<String, ForgeError> {
    let forge = Forge::new(options(fake, waits))?;
    Ok(request(&forge, &wanted(RunnerOwner::Repository))?.secret().to_owned())
}

#[test]
fn what_a_crash_left_makes_room_and_a_host_of_the_same_name_does_not() {
    let fake = FakeForge::start();
    fake.state().registrar.runners = vec![
        ("bench-10".to_owned(), "online".to_owned()),
        ("bench-1".to_owned(), "offline".to_owned()),
    ];
    assert_eq!(by_token(&fake, &Waits::default()).unwrap(), CONFIGURATION);
    assert!(asked(&fake).iter().any(|line| line == "DELETE /repos/tls/lib/actions/runners/1"));

    // Taken, but not found by its name: the refusal says so, and nothing is deleted.
    let fake = FakeForge::start();
    fake.state().registrar.runners = vec![("Bench-1".to_owned(), "offline".to_owned())];
    let error = by_token(&fake, &Waits::default()).unwrap_err();
    assert!(error.status() == Some(409) && error.to_string().contains("bench-1"), "{error}");
    assert_eq!(fake.state().registrar.runners.len(), 1);

    let fake = FakeForge::start();
    fake.state().registrar.runners = vec![("bench-1".to_owned(), "online".to_owned())];
    let error = by_token(&fake, &Waits::default()).unwrap_err().to_string();
    assert!(error.contains("give this host another name"), "{error}");
    assert_eq!(fake.state().registrar.runners.len(), 1);
}

#[test]
fn limits_are_waited_for_and_refusals_are_not_repeated() {
    let of = ("POST", "generate-jitconfig");
    let fake = FakeForge::start();
    let waits = Waits::default();
    let headers = vec![("Retry-After", "7".to_owned())];
    fake.fail(InjectedFault { of, status: 429, headers, message: "slow down" });
    fake.fail(InjectedFault { of, status: 502, ..InjectedFault::default() });
    assert_eq!(by_token(&fake, &waits).unwrap(), CONFIGURATION);
    assert_eq!(waits.lock().unwrap()[0].as_secs(), 7);
    for (status, message) in [
        (403, "Resource not accessible by integration"),
        (404, "Not Found"),
        (422, "Validation Failed"),
    ] {
        let fake = FakeForge::start();
        fake.fail(InjectedFault { of, status, message, ..InjectedFault::default() });
        let error = by_token(&fake, &Waits::default()).unwrap_err();
        assert_eq!(error.status(), Some(status), "{error}");
        assert_eq!(asked(&fake).len(), 1);
    }
}

#[test]
fn an_answer_that_is_no_configuration_is_not_handed_on() {
    let fake = FakeForge::start();
    let long = "A".repeat(200 << 10);
    for wrong in ["", "two\nlines", "$(reboot)", &long] {
        let answer = serde_json::json!({ "encoded_jit_config": wrong });
        fake.state().fixtures.insert("/broker".to_owned(), answer);
        let url = format!("{}/broker", fake.url());
        let broker =
            Forge::new(ForgeOptions { api_url: url.clone(), ..options(&fake, &Waits::default()) })
                .unwrap();
        let error = from_broker(&broker, &url, &wanted(organization())).unwrap_err().to_string();
        assert!(error.contains("encoded_jit_config") && !error.contains("reboot"), "{error}");
    }
}

#[test]
fn a_broker_answers_in_place_of_github() {
    let fake = FakeForge::start();
    let answer = serde_json::json!({ "encoded_jit_config": CONFIGURATION });
    fake.state().fixtures.insert("/broker".to_owned(), answer);
    let url = format!("{}/broker", fake.url());
    let broker =
        Forge::new(ForgeOptions { api_url: url.clone(), ..options(&fake, &Waits::default()) });
    let broker = broker.unwrap();
    let found = from_broker(&broker, &url, &wanted(organization())).unwrap();
    assert_eq!(found.secret(), CONFIGURATION);
    assert_eq!(format!("{found:?}"), "RunnerConfiguration(..)");
    assert_eq!(asked(&fake), ["POST /broker"]);
    let far = from_broker(&broker, "http://broker.example/", &wanted(organization()));
    assert!(matches!(far, Err(ForgeError::BadUrl(_))), "a secret in the clear");
}
