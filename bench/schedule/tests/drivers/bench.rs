//! A session over drivers of given manners. They lie in a folder named after the run's, since
//! a killed run is resumed with the same ones.

use super::sound;
use sha2::{Digest, Sha256};
use shakedown_schedule::{BuiltSubject, Session, SessionOptions};
use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// The faulty driver: beside this program, or one folder up from a test.
fn faulty() -> PathBuf {
    let own = env::current_exe().expect("own path");
    own.ancestors()
        .map(|folder| folder.join("faulty-driver"))
        .find(|path| path.is_file())
        .expect("cargo builds the faulty driver for tests")
}

/// A driver of this manner.
pub fn driver(folder: &Path, manner: &str) -> PathBuf {
    let path = folder.join(manner);
    if !path.exists() {
        fs::create_dir_all(folder).expect("a folder");
        fs::copy(faulty(), &path).expect("a copy");
    }
    path
}

/// A subject of this manner.
pub fn subject(folder: &Path, manner: &str) -> BuiltSubject {
    let binary = driver(folder, manner);
    let digest = Sha256::digest(fs::read(&binary).expect("the driver"));
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    BuiltSubject { entry: sound::entry(manner, vec![digest]), binaries: vec![binary] }
}

/// A run of the small plan over drivers of these manners.
pub fn session(out: &Path, manners: &[&str]) -> Session {
    let drivers = out.with_extension("drivers");
    Session {
        id: shakedown_schedule::new_id(),
        shakedown: "0.1.0".to_owned(),
        out: out.to_owned(),
        plan: sound::plan(),
        subjects: manners.iter().map(|manner| subject(&drivers, manner)).collect(),
        host: sound::host(),
        calibration: None,
        pki: env::temp_dir(),
        options: SessionOptions {
            lock: Some(out.with_extension("lock")),
            ..SessionOptions::default()
        },
    }
}
