//! The folder of the GitHub Actions runner: what is unpacked, what comes next, what was before.

use crate::runner_version::RunnerVersion;
use nix::fcntl::{AT_FDCWD, Flock, FlockArg, RenameFlags, renameat2};
use sha2::{Digest, Sha256};
use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    process::Command,
};

/// Says which version a folder holds; written by `install.sh`, too.
const NOTE: &str = ".shakedown";

/// Why a runner can't be installed.
#[derive(Debug, thiserror::Error)]
pub enum RunnerInstallError {
    /// The archive is another one.
    #[error("the runner's archive is not what was published: SHA-256 is {found}, wanted {wanted}")]
    Digest {
        /// Its SHA-256.
        found: String,
        /// What the release says.
        wanted: String,
    },
    /// The archive holds something else.
    #[error("the archive does not contain a runner: {0} is missing")]
    NoRunner(&'static str),
    /// A program failed.
    #[error("{0} ended with {1}")]
    Program(&'static str, std::process::ExitStatus),
    /// A file or folder.
    #[error("{path}: {source}")]
    File {
        /// Its path.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// The folder that holds the folders of the runner.
#[derive(Debug, Clone)]
pub struct RunnerInstallation {
    prefix: PathBuf,
}

impl RunnerInstallation {
    /// Looks at nothing yet.
    pub fn new(prefix: &Path) -> Self {
        Self { prefix: prefix.to_owned() }
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.prefix.join(name)
    }

    /// Whether there is a runner, of whatever version.
    pub fn is_installed(&self) -> bool {
        self.folder("runner/run.sh").is_file()
    }

    /// The version that the next job gets; `None` where there is none, or it says no version.
    pub fn installed(&self) -> Option<RunnerVersion> {
        noted(&self.folder("runner"))
    }

    /// The version that waits for the end of a job.
    pub fn staged(&self) -> Option<RunnerVersion> {
        let next = noted(&self.folder("runner.next"))?;
        // After a switch that was cut short, the one before is in its place.
        (self.installed() < Some(next)).then_some(next)
    }

    /// Verifies and unpacks an archive beside the runner in use, which stays as it is.
    ///
    /// # Errors
    /// Another digest than wanted; an archive without a runner; what the system says.
    pub fn stage(
        &self,
        archive: &Path,
        version: RunnerVersion,
        sha256: &str,
    ) -> Result<(), RunnerInstallError> {
        let found = digest(archive).map_err(at(archive))?;
        if found != sha256 {
            return Err(RunnerInstallError::Digest { found, wanted: sha256.to_owned() });
        }
        let unpacked = self.folder("runner.unpacking");
        remove(&unpacked)?;
        fs::create_dir_all(&unpacked).map_err(at(&unpacked))?;
        let mut tar = Command::new("tar");
        tar.args(["--no-same-owner", "--no-same-permissions", "-xzf"]).arg(archive);
        succeed("tar", tar.arg("-C").arg(&unpacked))?;
        for name in ["run.sh", "config.sh"] {
            if !unpacked.join(name).is_file() {
                return Err(RunnerInstallError::NoRunner(name));
            }
        }
        succeed("chmod", Command::new("chmod").args(["-R", "u+rwX,go+rX,go-w"]).arg(&unpacked))?;
        let note = unpacked.join(NOTE);
        fs::write(&note, format!("version={version}\nsha256={sha256}\n")).map_err(at(&note))?;
        let next = self.folder("runner.next");
        remove(&next)?;
        fs::rename(&unpacked, &next).map_err(at(&next))
    }

    /// Puts the staged version in the place of the one in use, at once: whoever copies the runner has
    /// either. The one before stays beside it. Returns the version, if one was staged.
    ///
    /// # Errors
    /// What the system says.
    pub fn switch(&self) -> Result<Option<RunnerVersion>, RunnerInstallError> {
        let _alone = self.lock()?;
        let staged = self.staged();
        let [current, next, previous] =
            ["runner", "runner.next", "runner.previous"].map(|name| self.folder(name));
        if !next.exists() {
            return Ok(None);
        }
        if staged.is_some() {
            if current.exists() {
                let swap = RenameFlags::RENAME_EXCHANGE;
                renameat2(AT_FDCWD, &next, AT_FDCWD, &current, swap)
                    .map_err(|error| at(&current)(error.into()))?;
            } else {
                fs::rename(&next, &current).map_err(at(&current))?;
            }
        }
        // What is there now was in use before.
        if next.exists() {
            remove(&previous)?;
            fs::rename(&next, &previous).map_err(at(&previous))?;
        }
        Ok(staged)
    }

    /// Held while folders change places, and by `runner-prepare` while it copies one.
    fn lock(&self) -> Result<Flock<File>, RunnerInstallError> {
        let path = self.folder(".runner.lock");
        let file = File::create(&path).map_err(at(&path))?;
        Flock::lock(file, FlockArg::LockExclusive).map_err(|(_, error)| at(&path)(error.into()))
    }
}

fn noted(folder: &Path) -> Option<RunnerVersion> {
    let text = fs::read_to_string(folder.join(NOTE)).ok()?;
    text.lines().find_map(|line| line.strip_prefix("version=")?.parse().ok())
}

fn digest(path: &Path) -> io::Result<String> {
    let (mut hash, mut file) = (Sha256::new(), File::open(path)?);
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            length => hash.update(&buffer[..length]),
        }
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn succeed(name: &'static str, command: &mut Command) -> Result<(), RunnerInstallError> {
    let status = command.status().map_err(at(Path::new(name)))?;
    if status.success() { Ok(()) } else { Err(RunnerInstallError::Program(name, status)) }
}

fn remove(folder: &Path) -> Result<(), RunnerInstallError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(folder)(error)),
        _ => Ok(()),
    }
}

fn at(path: &Path) -> impl Fn(io::Error) -> RunnerInstallError {
    let path = path.to_owned();
    move |source| RunnerInstallError::File { path: path.clone(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Room {
        folder: tempfile::TempDir,
        place: RunnerInstallation,
    }

    impl Room {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let place = RunnerInstallation::new(&folder.path().join("lib"));
            fs::create_dir(folder.path().join("lib")).unwrap();
            Self { folder, place }
        }

        /// An archive with a runner that says its version, and its digest.
        fn archive(&self, text: &str, files: &[&str]) -> (PathBuf, String) {
            let from = self.folder.path().join("from");
            fs::create_dir_all(&from).unwrap();
            for name in files {
                fs::write(from.join(name), text).unwrap();
            }
            let to = self.folder.path().join("runner.tar.gz");
            let tar =
                Command::new("tar").arg("-czf").arg(&to).arg("-C").arg(&from).arg(".").status();
            assert!(tar.unwrap().success());
            fs::remove_dir_all(from).unwrap();
            (to.clone(), digest(&to).unwrap())
        }

        fn stage(&self, version: &str) {
            let (archive, sha256) = self.archive(version, &["run.sh", "config.sh"]);
            self.place.stage(&archive, version.parse().unwrap(), &sha256).unwrap();
        }

        fn says(&self, name: &str) -> Option<String> {
            fs::read_to_string(self.place.folder(name).join("run.sh")).ok()
        }
    }

    fn version(text: &str) -> Option<RunnerVersion> {
        Some(text.parse().unwrap())
    }

    #[test]
    fn a_runner_is_staged_switched_to_and_the_one_before_is_kept() {
        let room = Room::new();
        assert_eq!((room.place.switch().unwrap(), room.place.is_installed()), (None, false));
        for (number, text) in ["2.1.0", "2.2.0", "2.3.0"].into_iter().enumerate() {
            room.stage(text);
            assert_eq!(room.place.staged(), version(text));
            assert_eq!(room.says("runner").is_some(), number > 0, "it is not in use yet");
            assert_eq!(room.place.switch().unwrap(), version(text));
            assert_eq!(room.place.installed(), version(text));
            assert_eq!(room.place.staged(), None);
            assert_eq!(room.place.switch().unwrap(), None);
        }
        let kept = ["runner", "runner.previous", "runner.next"].map(|name| room.says(name));
        assert_eq!(kept, [Some("2.3.0".to_owned()), Some("2.2.0".to_owned()), None]);
    }

    #[test]
    fn another_archive_than_published_changes_nothing() {
        let room = Room::new();
        room.stage("2.1.0");
        room.place.switch().unwrap();
        let (archive, sha256) = room.archive("2.2.0", &["run.sh"]);
        let of = |sha256: &str| room.place.stage(&archive, version("2.2.0").unwrap(), sha256);
        let wrong = "00".repeat(32);
        let said = of(&wrong).unwrap_err().to_string();
        assert!(said.contains(&wrong) && said.contains(&sha256), "{said}");
        assert!(of(&sha256).unwrap_err().to_string().contains("config.sh is missing"));
        assert_eq!((room.place.staged(), room.place.installed()), (None, version("2.1.0")));
        assert_eq!(room.place.switch().unwrap(), None);
        assert_eq!(room.says("runner").unwrap(), "2.1.0");
    }

    /// The old one is still where the next one was, if the power fails between the two steps.
    #[test]
    fn a_switch_that_was_cut_short_is_finished() {
        let room = Room::new();
        room.stage("2.1.0");
        room.place.switch().unwrap();
        room.stage("2.2.0");
        let [next, current] = ["runner.next", "runner"].map(|name| room.place.folder(name));
        renameat2(AT_FDCWD, &next, AT_FDCWD, &current, RenameFlags::RENAME_EXCHANGE).unwrap();
        assert_eq!((room.place.staged(), room.place.switch().unwrap()), (None, None));
        assert_eq!(room.says("runner").unwrap(), "2.2.0");
        assert_eq!(room.says("runner.previous").unwrap(), "2.1.0");
        assert_eq!(room.says("runner.next"), None);
    }
}
