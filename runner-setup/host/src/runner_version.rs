//! Versions of the GitHub Actions runner.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// Version of a runner: three numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RunnerVersion([u32; 3]);

/// The text is no version of a runner.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a version of the runner: three numbers with dots")]
pub struct RunnerVersionError(String);

impl FromStr for RunnerVersion {
    type Err = RunnerVersionError;

    fn from_str(text: &str) -> Result<Self, RunnerVersionError> {
        let wrong =
            || RunnerVersionError(text.chars().take(40).flat_map(char::escape_default).collect());
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let mut parts = text.split('.').map(|part| part.parse().ok().filter(|_| digits(part)));
        let mut next = || parts.next().flatten().ok_or_else(wrong);
        let version = [next()?, next()?, next()?];
        if parts.next().is_some() { Err(wrong()) } else { Ok(Self(version)) }
    }
}

impl TryFrom<String> for RunnerVersion {
    type Error = RunnerVersionError;

    fn try_from(text: String) -> Result<Self, RunnerVersionError> {
        text.parse()
    }
}

impl From<RunnerVersion> for String {
    fn from(version: RunnerVersion) -> Self {
        version.to_string()
    }
}

impl fmt::Display for RunnerVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.0;
        f.pad(&format!("{major}.{minor}.{patch}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_three_numbers_and_compare_as_numbers() {
        let of = |text: &str| text.parse::<RunnerVersion>().unwrap();
        assert!(of("2.338.0") > of("2.99.10"));
        assert_eq!(of("2.338.0").to_string(), "2.338.0");
        for wrong in ["", "2", "2.338", "2.338.0.1", "v2.338.0", "2.+1.0", "2.338.0; id", "2..0"] {
            assert!(wrong.parse::<RunnerVersion>().is_err(), "{wrong}");
        }
    }
}
