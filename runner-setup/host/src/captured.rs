//! How a captured tree becomes a [`HostRoot`].

use crate::HostRoot;
use std::path::PathBuf;

impl HostRoot {
    /// A captured tree. It can be read but not changed, except in tests, where a simulated
    /// kernel answers.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        #[cfg(any(test, feature = "simulation"))]
        return crate::simulation::SimulatedMachine::root(folder.into(), Default::default());
        #[cfg(not(any(test, feature = "simulation")))]
        Self::read_only(folder)
    }
}
