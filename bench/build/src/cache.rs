//! Where things are kept.

use std::{env, path::PathBuf};

/// No folder to keep builds in is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no place for the cache: set SHAKEDOWN_CACHE, XDG_CACHE_HOME or HOME to an absolute path")]
pub struct NoCacheFolder;

/// The folder for builds: `SHAKEDOWN_CACHE`, else `shakedown` under `XDG_CACHE_HOME`, else
/// `~/.cache/shakedown`. Relative paths in these variables are ignored, as the XDG base
/// directory specification asks.
///
/// # Errors
/// [`NoCacheFolder`] when none of them is set.
pub fn default_cache() -> Result<PathBuf, NoCacheFolder> {
    let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("SHAKEDOWN_CACHE")
        .or_else(|| Some(absolute("XDG_CACHE_HOME")?.join("shakedown")))
        .or_else(|| Some(absolute("HOME")?.join(".cache/shakedown")))
        .ok_or(NoCacheFolder)
}
