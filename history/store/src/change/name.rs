//! The name of a decision's file.

use super::SuspectState;
use crate::{RunName, StoreError, manifest::FileName};
use std::{fmt, str::FromStr};

/// Time, suspect, content and state in one name:
/// `20261121T043600Z-4f1d2c3b4a59-89abcdef01234567-confirmed`. Two hosts never make the same one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DecisionName {
    name: RunName,
    state: SuspectState,
}

impl DecisionName {
    /// Names a decision by its time (milliseconds since 1970 UTC), suspect, content digest and
    /// state.
    ///
    /// # Errors
    /// If the time is beyond the year 9999.
    pub fn new(
        at_ms: u64,
        suspect: &str,
        sha256: &str,
        state: SuspectState,
    ) -> Result<Self, StoreError> {
        Ok(Self { name: RunName::new(at_ms, suspect, sha256)?, state })
    }

    /// The decision in the name.
    pub const fn state(&self) -> SuspectState {
        self.state
    }
}

impl FileName for DecisionName {
    const LISTS: &'static str = "manifest/changes";

    fn digest(&self) -> &str {
        self.name.digest()
    }

    fn month(&self) -> String {
        self.name.month()
    }
}

impl FromStr for DecisionName {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<Self, StoreError> {
        let wrong = || StoreError::Question(format!("`{text}` is not the name of a decision"));
        let (name, state) = text.rsplit_once('-').ok_or_else(wrong)?;
        let state =
            SuspectState::ALL.into_iter().find(|known| known.name() == state).ok_or_else(wrong)?;
        Ok(Self { name: name.parse().map_err(|_| wrong())?, state })
    }
}

impl fmt::Display for DecisionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.name, self.state.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn printing_then_parsing_is_the_identity(ms in 0u64..4_000_000_000_000, id in "[0-9a-f]{12}") {
            for state in SuspectState::ALL {
                let name = DecisionName::new(ms, &id, "89abcdef012345670000", state).unwrap();
                prop_assert_eq!(name.to_string().parse::<DecisionName>().unwrap(), name);
            }
        }

        #[test]
        fn no_text_makes_parsing_panic(text in ".{0,60}(-confirmed)?") {
            let _ = text.parse::<DecisionName>();
        }
    }
}
