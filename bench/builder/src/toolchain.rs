//! The Rust toolchain: the one that the checkout requests, the one on this machine, and the one that
//! compiled the objects.
//!
//! All three must be the same. Otherwise a record would name a compiler that did not compile what was
//! measured.

use crate::{BuildError, ResolvedSubject, call::Caller, tools};
use shakedown_protocol::CompilerSeen;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The variable that selects the toolchain of rustup's `cargo` and `rustc` in any folder. It overrides
/// every default and every `rust-toolchain.toml`.
pub(crate) const VARIABLE: &str = "RUSTUP_TOOLCHAIN";

/// The release in the `rust-toolchain.toml` of a checkout.
pub(crate) fn asked(repository: &Path) -> Option<String> {
    let text = fs::read_to_string(repository.join("rust-toolchain.toml")).ok()?;
    let file: toml::Table = toml::from_str(&text).ok()?;
    let channel = file.get("toolchain")?.get("channel")?.as_str()?;
    // `stable` names another compiler every six weeks.
    let release = channel.starts_with(|c: char| c.is_ascii_digit());
    release.then(|| channel.to_owned())
}

/// The Rust toolchain that builds.
#[derive(Debug, Clone)]
pub(crate) struct RustToolchain {
    /// `rustc -vV`.
    pub(crate) version: String,
    /// Target triple of this machine.
    pub(crate) host: String,
    /// Folder of the toolchain.
    pub(crate) root: PathBuf,
}

impl RustToolchain {
    /// Queries the rustc that cargo will call, and checks that `repository` requests it.
    ///
    /// # Errors
    /// [`BuildError::Tools`] if it is missing, [`BuildError::Compiler`] if it is another one.
    pub(crate) fn find(
        caller: &Caller,
        repository: &Path,
        wanted: &ResolvedSubject,
    ) -> Result<Self, BuildError> {
        let Some(asked) = asked(repository) else {
            let what = format!(
                "{} names no release of RustToolchain, such as channel = \"1.95.0\": the drivers would be \
                 built by whatever compiler is there",
                repository.join("rust-toolchain.toml").display()
            );
            return Err(BuildError::Source { what, log: None });
        };
        let Some(found) = Self::answering(caller) else {
            tools::check(caller, wanted)?;
            return Err(BuildError::Tools {
                subject: wanted.subject.to_string(),
                missing: vec![format!("Rust {asked}")],
                install: format!("rustup toolchain install {asked} --profile minimal"),
            });
        };
        let release = found.version.lines().find_map(|line| line.strip_prefix("release: "));
        if release != Some(&*asked) {
            return Err(BuildError::Compiler {
                asked: format!("Rust {asked}"),
                found: format!("{}, which answers in {}", found.name(), found.root.display()),
                advice: format!(
                    "Run: rustup toolchain install {asked} --profile minimal; on a runner, \
                     runner-setup/install.sh again"
                ),
            });
        }
        Ok(found)
    }

    /// The toolchain that answers, whichever it is.
    pub(crate) fn answering(caller: &Caller) -> Option<Self> {
        let version = caller.output("rustc", &["-vV"])?;
        let host = version.lines().find_map(|line| line.strip_prefix("host: "))?.to_owned();
        let root = caller.output("rustc", &["--print", "sysroot"])?.trim().into();
        Some(Self { version: version.trim().to_owned(), host, root })
    }

    /// The first line of `rustc -vV`: release, commit and day.
    fn name(&self) -> &str {
        self.version.lines().next().unwrap_or_default()
    }

    /// Checks the compiler names found in objects, because a setting of cargo can select another
    /// compiler.
    ///
    /// # Errors
    /// [`BuildError::Compiler`] with the names that were found.
    pub(crate) fn check_made(&self, seen: &[CompilerSeen]) -> Result<(), BuildError> {
        let own = self.name().replacen("rustc ", "rustc version ", 1);
        let made: Vec<&str> = seen
            .iter()
            .map(|compiler| &*compiler.comment)
            .filter(|comment| comment.starts_with("rustc "))
            .collect();
        if made == [own.as_str()] {
            return Ok(());
        }
        let found = if made.is_empty() { "no Rust compiler".to_owned() } else { made.join(", ") };
        Err(BuildError::Compiler {
            asked: self.name().to_owned(),
            found: format!("{found}, as the driver's section .comment says"),
            advice: "Look for `build.rustc` and `build.rustc-wrapper` in cargo's configuration"
                .to_owned(),
        })
    }

    /// Folder with the toolchain's `ld.lld`, if it has one.
    pub(crate) fn own_linker(&self) -> Option<PathBuf> {
        let folder = self.root.join("lib/rustlib").join(&self.host).join("bin/gcc-ld");
        folder.join("ld.lld").is_file().then_some(folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(comments: &[&str]) -> Vec<CompilerSeen> {
        let one = |comment: &&str| CompilerSeen { comment: (*comment).to_owned(), objects: 1 };
        comments.iter().map(one).collect()
    }

    #[test]
    fn only_a_release_pins_the_compiler() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(asked(folder.path()), None);
        for (channel, expected) in [("1.95.0", Some("1.95.0")), ("stable", None), ("nightly", None)]
        {
            let text = format!("[toolchain]\nchannel = \"{channel}\"\n");
            fs::write(folder.path().join("rust-toolchain.toml"), text).unwrap();
            assert_eq!(asked(folder.path()).as_deref(), expected);
        }
    }

    #[test]
    fn another_compiler_none_or_two_are_refused() {
        let rust = RustToolchain {
            version: "rustc 1.95.0 (59807616e 2026-04-14)\nrelease: 1.95.0".to_owned(),
            host: String::new(),
            root: PathBuf::new(),
        };
        let (own, other) =
            ("rustc version 1.95.0 (59807616e 2026-04-14)", "rustc version 1.94.1 (e408947bf)");
        let gcc = "GCC: (Debian 12.2.0-14) 12.2.0";
        rust.check_made(&seen(&[gcc, own])).unwrap();
        for wrong in [&[gcc, other][..], &[gcc], &[own, other]] {
            let error = rust.check_made(&seen(wrong)).unwrap_err();
            assert!(!error.is_bad_input());
        }
        let error = rust.check_made(&seen(&[other])).unwrap_err();
        insta::assert_snapshot!(error);
    }
}
