//! GRUB and systemd-boot.

use super::{BootError, BootParameter, put};
use crate::HostRoot;
use serde::Serialize;

/// Who boots the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loader {
    /// GRUB, with a drop-in file.
    Grub,
    /// systemd-boot, with one line for all kernels.
    SystemdBoot,
}

const GRUB: &str = "etc/default/grub.d/shakedown.cfg";
const LINE: &str = "etc/kernel/cmdline";
/// How a loader that knows of it names itself to the system that it starts, in UTF-16.
/// Source: systemd's Boot Loader Interface.
const LOADER_INFO: &str =
    "sys/firmware/efi/efivars/LoaderInfo-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f";
/// Which words of the line are ours: others may have put the same there before.
const OURS: &str = "var/lib/shakedown/boot-words";

impl Loader {
    /// The boot loader.
    pub fn of(root: &HostRoot) -> Option<Self> {
        // GRUB's settings may be left of an earlier life: what booted the machine counts more.
        let named = root.read(LOADER_INFO).unwrap_or_default().replace('\0', "");
        if named.contains("systemd-boot") {
            Some(Self::SystemdBoot)
        } else if root.has("etc/default/grub") || root.has("etc/default/grub.d") {
            Some(Self::Grub)
        } else if root.has("etc/kernel/cmdline") || root.has("boot/efi/loader/loader.conf") {
            Some(Self::SystemdBoot)
        } else {
            None
        }
    }

    /// The file that holds the parameters, below the root.
    pub const fn file(self) -> &'static str {
        match self {
            Self::Grub => GRUB,
            Self::SystemdBoot => LINE,
        }
    }

    /// What the file should say.
    pub(super) fn text(self, root: &HostRoot, before: Option<&str>, words: &[&str]) -> String {
        match self {
            Self::Grub => format!(
                "# Written by `shakedown host boot --write`; `shakedown host boot --remove` takes it away.\n\
                 GRUB_CMDLINE_LINUX_DEFAULT=\"$GRUB_CMDLINE_LINUX_DEFAULT {}\"\n",
                words.join(" ")
            ),
            Self::SystemdBoot => {
                // Without the file, `kernel-install` takes the line of the running kernel, less
                // what the loader itself put there.
                let running = root.read("proc/cmdline").unwrap_or_default();
                let line = before.map_or(running, str::to_owned);
                let loaders = |word: &&str| {
                    ["BOOT_IMAGE=", "initrd="].iter().any(|start| word.starts_with(start))
                };
                let mut all: Vec<&str> =
                    line.split_whitespace().filter(|word| !loaders(word)).collect();
                for word in words {
                    if !all.contains(word) {
                        all.push(word);
                    }
                }
                format!("{}\n", all.join(" "))
            }
        }
    }

    /// What makes the loader read the file.
    pub(super) fn command(self, root: &HostRoot) -> Vec<String> {
        let words: Vec<String> = match self {
            Self::Grub if root.has("usr/sbin/update-grub") => vec!["update-grub".to_owned()],
            Self::Grub => ["grub-mkconfig", "-o", "/boot/grub/grub.cfg"].map(str::to_owned).into(),
            Self::SystemdBoot => {
                let release = root.read("proc/sys/kernel/osrelease").unwrap_or_default();
                let image = format!("/boot/vmlinuz-{release}");
                vec!["kernel-install".to_owned(), "add".to_owned(), release, image]
            }
        };
        words
    }

    /// Keeps which words are ours, before they are written.
    pub(super) fn remember(
        self,
        root: &HostRoot,
        before: Option<&str>,
        parameters: &[BootParameter],
    ) -> Result<(), BootError> {
        if self == Self::Grub {
            return Ok(());
        }
        let had =
            |word: &str| before.is_some_and(|line| line.split_whitespace().any(|w| w == word));
        let mut ours: Vec<String> =
            root.read(OURS).unwrap_or_default().lines().map(str::to_owned).collect();
        if ours.is_empty() {
            ours.push(if before.is_some() { "file=kept" } else { "file=ours" }.to_owned());
        }
        for BootParameter { word, .. } in parameters {
            if !had(word) && !ours.contains(word) {
                ours.push(word.clone());
            }
        }
        put(root, OURS, &format!("{}\n", ours.join("\n")))
    }

    /// Takes our words away; returns whether there were any. The loader has to be told, and then
    /// [`tidy`](Self::tidy) called.
    pub(super) fn forget(self, root: &HostRoot) -> Result<bool, BootError> {
        if self == Self::Grub {
            return gone(root, GRUB);
        }
        let Some(ours) = root.read(OURS) else { return Ok(false) };
        let ours: Vec<&str> = ours.lines().collect();
        if let Some(line) = root.read(LINE) {
            let rest: Vec<&str> =
                line.split_whitespace().filter(|word| !ours.contains(word)).collect();
            put(root, LINE, &format!("{}\n", rest.join(" ")))?;
        }
        Ok(true)
    }

    /// Takes the files away that were not there before. Only when the loader has read them: the
    /// running kernel, which has our words, is asked where there is no file.
    pub(super) fn tidy(self, root: &HostRoot) -> Result<(), BootError> {
        if root.read(OURS).is_some_and(|ours| ours.lines().next() == Some("file=ours")) {
            gone(root, LINE)?;
        }
        gone(root, OURS).map(drop)
    }
}

/// Removes a file; returns whether it was there.
fn gone(root: &HostRoot, path: &str) -> Result<bool, BootError> {
    root.remove_file(path).map_err(|source| BootError::Write { path: root.path(path), source })
}
