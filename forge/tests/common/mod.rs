//! What the tests share.
#![allow(dead_code, reason = "each test binary uses its part of it")]

use shakedown_forge::{Forge, ForgeError, ForgeOptions, RetrySleep, Token, fake::FakeForge};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

/// Waits that would have been.
pub type Waits = Arc<Mutex<Vec<Duration>>>;

/// How to talk to the fake.
pub fn options(fake: &FakeForge, waits: &Waits) -> ForgeOptions {
    ForgeOptions {
        api_url: fake.url(),
        repo: "tls/lib".parse().unwrap(),
        token: Some(Token::new("ghs_0123456789")),
        tries: 4,
        dry_run: false,
        retry_sleep: RetrySleep::Record(waits.clone()),
    }
}

/// Does something with the fake.
pub fn with<T>(
    fake: &FakeForge,
    work: impl FnOnce(&Forge) -> Result<T, ForgeError>,
) -> Result<T, ForgeError> {
    work(&Forge::new(options(fake, &Waits::default()))?)
}

/// What was asked, as `METHOD path`.
pub fn asked(fake: &FakeForge) -> Vec<String> {
    let requests = &fake.state().requests;
    requests.iter().map(|(method, path, _)| format!("{method} {path}")).collect()
}
