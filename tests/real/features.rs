//! CPU features switched off.

#![cfg(target_arch = "x86_64")]

use super::common::{record, shakedown};

/// What a library of today says of the features that it chooses its code by: only the ones that are named are gone.
#[test]
#[ignore = "builds OpenSSL"]
fn a_feature_that_is_switched_off_is_gone_for_the_library_and_no_other_is() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    shakedown(folder.path())
        .args(["run", "--as-named", "--only", "primitive/hash/sha256/1KiB", "--suite"])
        .args(["tests/suites/cells.toml", "--out"])
        .arg(&out)
        .args(["openssl@3.5.5", "openssl@3.5.5+no-sha-ni"])
        .assert()
        .success();
    let record = record(&out);
    assert!(record.trials.iter().all(|trial| trial.measured().is_some()));
    let settings = [0, 1].map(|at| {
        let said = record.subjects[at].driver.details.iter();
        let settings = said.filter_map(|line| line.strip_prefix("OPENSSL_ia32cap=")).next();
        let words = settings.unwrap().split(' ').next().unwrap().split(':');
        words.map(|word| u64::from_str_radix(&word[2..], 16).unwrap()).collect::<Vec<_>>()
    });
    let [all, fewer] = settings;
    let sha_ni: u64 = 1 << 29;
    assert_eq!(fewer[1], all[1] & !sha_ni);
    assert_eq!((fewer[0], &fewer[2..]), (all[0], &all[2..]));
    let environment = [0, 1].map(|at| record.subjects[at].artifact.run_environment.len());
    assert_eq!(environment, [0, 1]);
}
