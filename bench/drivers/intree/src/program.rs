//! The benchmark program beside this driver, and calling it.

use crate::output::{self, LONGEST, Rates, shown};
use serde::Deserialize;
use shakedown_protocol::{CertificateKey, Resumption, ScenarioKind, TlsScenario};
use std::{
    fs,
    io::{self, Read},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// What the builder wrote about the program.
#[derive(Debug, Clone, Deserialize)]
pub struct About {
    /// Name of the library's stack.
    pub stack: String,
    /// Library, version, and that its own program measures.
    pub library: String,
    /// How it was built.
    pub details: Vec<String>,
}

/// A benchmark program.
#[derive(Debug)]
pub struct Program {
    path: PathBuf,
    /// Where it finds its test certificates, if it reads them when it runs.
    folder: PathBuf,
    /// What it says of its options; empty for programs that have none.
    help: String,
    /// What the builder wrote about it.
    pub about: About,
}

impl Program {
    /// The program beside this driver: `driver.2` runs `bench.2`, which is the same code in
    /// another layout.
    ///
    /// # Errors
    /// If it is missing or can't be started.
    pub fn beside(driver: &Path) -> Result<Self, String> {
        let (Some(folder), Some(name)) = (driver.parent(), driver.file_name()) else {
            return Err(format!("{} is not a path to a driver", driver.display()));
        };
        let number = name.to_string_lossy().rsplit_once('.').map(|(_, number)| number.to_owned());
        let own = number.map_or_else(|| "bench".to_owned(), |number| format!("bench.{number}"));
        let about = folder.join("bench.json");
        let text = fs::read_to_string(&about)
            .map_err(|error| format!("can't read {}: {error}", about.display()))?;
        let about = serde_json::from_str(&text)
            .map_err(|error| format!("{} does not fit: {error}", about.display()))?;
        let (path, folder) = (folder.join(own), folder.to_owned());
        let mut program = Self { path, folder, help: String::new(), about };
        // Programs before rustls 0.23.11 take `--help` for a mode that they don't know, and fail.
        let help = program.call(&["--help".to_owned()], None, Stdio::null())?;
        if help.succeeded {
            program.help = help.stdout;
        }
        Ok(program)
    }

    /// Runs the program for this many operations of the scenario.
    ///
    /// # Errors
    /// If it fails or prints something else than rates.
    pub fn measure(&self, scenario: &TlsScenario, operations: u64) -> Result<Vec<Rates>, String> {
        let multiplier = operations.max(1) as f64 / usual(scenario) as f64;
        let called = self.call(
            &self.arguments(scenario),
            Some(format!("{multiplier:.9}")),
            Stdio::inherit(),
        )?;
        if !called.succeeded {
            return Err(format!(
                "the in-tree benchmark failed; it printed `{}`",
                shown(&called.stdout)
            ));
        }
        output::parse(&called.stdout, scenario)
    }

    /// Options that it knows, and the positional arguments that every one of them takes.
    fn arguments(&self, scenario: &TlsScenario) -> Vec<String> {
        let mut arguments = Vec::new();
        let key = key_option(scenario.key);
        if self.help.contains("--key-type") && self.help.contains(key) {
            arguments.extend(["--key-type".to_owned(), key.to_owned()]);
        }
        if self.help.contains("--api") && self.help.contains("buffered") {
            arguments.extend(["--api".to_owned(), "buffered".to_owned()]);
        }
        let mode = match scenario.kind {
            ScenarioKind::Handshake(Resumption::Full) => "handshake",
            ScenarioKind::Handshake(Resumption::SessionId) => "handshake-resume",
            ScenarioKind::Handshake(Resumption::Ticket) => "handshake-ticket",
            ScenarioKind::Handshake(Resumption::EarlyData)
            | ScenarioKind::Bulk { .. }
            | ScenarioKind::Memory { .. }
            | ScenarioKind::Setup(_) => "bulk",
        };
        arguments.extend([mode.to_owned(), output::cipher_suite_name(scenario)]);
        if let ScenarioKind::Bulk { write, .. } = scenario.kind {
            arguments.push(write.0.to_string());
        }
        arguments
    }

    fn call(
        &self,
        arguments: &[String],
        multiplier: Option<String>,
        stderr: Stdio,
    ) -> Result<Called, String> {
        let mut command = Command::new(&self.path);
        command.args(arguments).current_dir(&self.folder).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(stderr).env_remove("BENCH_LATENCY");
        if let Some(multiplier) = multiplier {
            command.env("BENCH_MULTIPLIER", multiplier);
        }
        // SAFETY: between fork and exec only a system call is made.
        unsafe { command.pre_exec(die_with_parent) };
        let failed = |error: io::Error| format!("can't run {}: {error}", self.path.display());
        let mut child = command.spawn().map_err(failed)?;
        let mut text = Vec::new();
        let stdout = child.stdout.take().ok_or("its output has no pipe")?;
        let read = stdout.take(LONGEST as u64 + 1).read_to_end(&mut text);
        if read.is_err() || text.len() > LONGEST {
            // It may have ended meanwhile, which is what is wanted.
            let _ = child.kill();
        }
        let status = child.wait().map_err(failed)?;
        read.map_err(failed)?;
        if text.len() > LONGEST {
            return Err(format!("the in-tree benchmark printed more than {LONGEST} bytes"));
        }
        let stdout = String::from_utf8_lossy(&text).into_owned();
        Ok(Called { succeeded: status.success(), stdout })
    }
}

struct Called {
    succeeded: bool,
    stdout: String,
}

/// A scheduler that is killed must not leave a benchmark running.
fn die_with_parent() -> io::Result<()> {
    // SAFETY: no memory is passed.
    if unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) } == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

const fn key_option(key: CertificateKey) -> &'static str {
    match key {
        // Larger ones have no in-tree scenario.
        CertificateKey::Rsa2048 | CertificateKey::Rsa3072 | CertificateKey::Rsa4096 => "rsa2048",
        CertificateKey::EcdsaP256 => "ecdsa-p256",
        CertificateKey::EcdsaP384 => "ecdsa-p384",
        CertificateKey::Ed25519 => "ed25519",
    }
}

/// How many operations the program does when nobody asks for more or fewer: the same numbers
/// in every version since rustls 0.22.
pub const fn usual(scenario: &TlsScenario) -> u64 {
    const MIB: u64 = 1 << 20;
    match scenario.kind {
        ScenarioKind::Handshake(Resumption::Full) => 512,
        ScenarioKind::Handshake(_) => 4096,
        ScenarioKind::Bulk { write, .. } if write.0 <= 8192 => 64 * MIB / write.0,
        ScenarioKind::Bulk { write, .. } => 1024 * MIB / write.0,
        ScenarioKind::Memory { .. } | ScenarioKind::Setup(_) => 1,
    }
}
