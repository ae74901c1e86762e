//! Boot parameters for knobs that must be set at boot. They are shown before they are written, and the
//! operator reboots.

mod loader;

pub use loader::Loader;

use crate::{Assignment, HostError, HostRoot, Profile, state};
use serde::Serialize;
use std::{io, path::PathBuf};

/// One boot parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BootParameter {
    /// As on the kernel command line.
    pub word: String,
    /// The knob that needs it.
    pub knob: String,
    /// What it costs.
    pub cost: String,
    /// Whether the running kernel has it.
    pub active: bool,
}

/// The change to the boot loader's configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BootPlan {
    /// The boot loader.
    pub loader: Loader,
    /// The parameters, in order.
    pub parameters: Vec<BootParameter>,
    /// The file, below the root.
    pub file: String,
    /// Its text; `None` if it does not exist.
    pub before: Option<String>,
    /// Its new text.
    pub after: String,
    /// Command that updates the boot loader.
    pub command: Vec<String>,
}

/// Why boot parameters can't be changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BootError {
    /// The machine can't be observed.
    #[error(transparent)]
    Host(#[from] HostError),
    /// An unknown boot loader.
    #[error(
        "found neither GRUB (/etc/default/grub) nor systemd-boot (/etc/kernel/cmdline): put {0} on the boot line by hand"
    )]
    NoLoader(String),
    /// A file that can't be written.
    #[error("can't write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The command that updates the boot loader failed.
    #[error(
        "the file is written, but the boot loader did not read it: {reason}. Run `{command}` by hand"
    )]
    Command {
        /// As called.
        command: String,
        /// What it said.
        reason: String,
    },
}

/// The parameters that this machine's knobs need.
fn parameters(root: &HostRoot) -> Result<Vec<BootParameter>, HostError> {
    let profile = Profile::of(root)?;
    let cpus = Assignment::of(root);
    let line = root.read("proc/cmdline").unwrap_or_default();
    let has = |word: &str| line.split_whitespace().any(|other| other == word);
    let mut parameters = Vec::new();
    for knob in &profile.knobs {
        // Only for knobs that the machine has.
        let there = state::states(root, knob, &cpus).is_ok_and(|states| !states.is_empty());
        if let (true, Some(word)) = (there, &knob.boot) {
            parameters.push(BootParameter {
                word: word.clone(),
                knob: knob.name.clone(),
                cost: knob.cost.clone(),
                active: has(word),
            });
        }
    }
    Ok(parameters)
}

/// The change that [`write`] would make.
///
/// # Errors
/// If the machine can't be observed, or its loader is not known.
pub fn plan(root: &HostRoot) -> Result<BootPlan, BootError> {
    let parameters = parameters(root)?;
    let words: Vec<&str> = parameters.iter().map(|parameter| parameter.word.as_str()).collect();
    let loader = Loader::of(root).ok_or_else(|| BootError::NoLoader(words.join(" ")))?;
    let file = loader.file().to_owned();
    let before = root.read(&file);
    let after = loader.text(root, before.as_deref(), &words);
    Ok(BootPlan { loader, file, after, before, command: loader.command(root), parameters })
}

/// Writes what [`plan`] shows and has the loader read it. Returns whether anything changed.
///
/// # Errors
/// [`BootError`].
pub fn write(root: &HostRoot) -> Result<(BootPlan, bool), BootError> {
    let plan = plan(root)?;
    if plan.before.as_deref() == Some(plan.after.trim_end()) {
        return Ok((plan, false));
    }
    plan.loader.remember(root, plan.before.as_deref(), &plan.parameters)?;
    put(root, &plan.file, &plan.after)?;
    run(root, &plan.command)?;
    Ok((plan, true))
}

/// Removes what [`write`] wrote. Returns the file, or `None` if there was nothing to remove.
///
/// # Errors
/// [`BootError`].
pub fn remove(root: &HostRoot) -> Result<Option<String>, BootError> {
    let Some(loader) = Loader::of(root) else { return Ok(None) };
    let removed = loader.forget(root)?;
    if removed {
        run(root, &loader.command(root))?;
        loader.tidy(root)?;
    }
    Ok(removed.then(|| loader.file().to_owned()))
}

fn put(root: &HostRoot, path: &str, text: &str) -> Result<(), BootError> {
    let failed = |source| BootError::Write { path: root.path(path), source };
    root.replace_file(path, text).map_err(failed)
}

fn run(root: &HostRoot, command: &[String]) -> Result<(), BootError> {
    let words: Vec<&str> = command.iter().map(String::as_str).collect();
    let Some((program, arguments)) = words.split_first() else { return Ok(()) };
    let failed = |error: io::Error| BootError::Command {
        command: command.join(" "),
        reason: error.to_string(),
    };
    root.call(program, arguments).map_err(failed)
}

#[cfg(test)]
mod tests;
