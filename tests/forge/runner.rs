//! Runners that take one job each and are made anew for the next.

use super::api::{Api, OWNER};
use nix::{
    sys::signal::{Signal, killpg},
    unistd::Pid,
};
use serde_json::json;
use std::{
    collections::BTreeMap,
    env, fs,
    fs::File,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI32, Ordering::SeqCst},
    },
    thread,
    time::Duration,
};

/// So often in a row may a runner end without success.
const FAILURES: u32 = 5;

/// A host that always has one runner waiting or working. It ends with the value.
pub struct Runner {
    stop: Arc<AtomicBool>,
    /// The group of the process that runs now; 0: none.
    group: Arc<AtomicI32>,
    thread: Option<thread::JoinHandle<()>>,
}

/// What one is like.
#[derive(Debug, Clone)]
pub struct Wanted {
    pub name: &'static str,
    pub labels: &'static [&'static str],
    /// The environment of the runner's service, which every step has.
    pub environment: BTreeMap<String, String>,
}

impl Runner {
    /// Starts one for a repository. What it writes is below `folder`.
    pub fn start(api: &Api, repository: &str, folder: &Path, wanted: Wanted) -> Self {
        let program = PathBuf::from(env::var_os("FORGE_RUNNER").expect("see scripts/test --forge"));
        let path = format!("repos/{repository}/actions/runners/registration-token");
        let token = api.post(OWNER, &path, &json!({}))["token"].as_str().unwrap().to_owned();
        let place = folder.join(wanted.name);
        fs::create_dir_all(&place).unwrap();
        let one = One { program, place, url: api.url.clone(), token, wanted };
        let (stop, group) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicI32::new(0)));
        let (stopped, running) = (Arc::clone(&stop), Arc::clone(&group));
        let thread = thread::spawn(move || {
            let mut failures = 0;
            while !stopped.load(SeqCst) && failures < FAILURES {
                failures = if one.once(&stopped, &running) { 0 } else { failures + 1 };
            }
            if failures == FAILURES {
                eprintln!("runner {} does not work: {}", one.wanted.name, one.place.display());
            }
        });
        Self { stop, group, thread: Some(thread) }
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.stop.store(true, SeqCst);
        let group = self.group.load(SeqCst);
        if group != 0 {
            let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct One {
    program: PathBuf,
    place: PathBuf,
    url: String,
    token: String,
    wanted: Wanted,
}

impl One {
    /// Registers a runner and lets it take one job. Whether that worked.
    fn once(&self, stop: &AtomicBool, group: &AtomicI32) -> bool {
        let config = self.place.join("config.yaml");
        let _ = fs::remove_file(self.place.join("registration"));
        fs::write(&config, self.settings()).unwrap();
        let labels: Vec<String> =
            self.wanted.labels.iter().map(|label| format!("{label}:host")).collect();
        let mut register = self.command(&config, "register");
        register.args(["--no-interactive", "--ephemeral", "--name", self.wanted.name]);
        register.args(["--instance", &self.url, "--token", &self.token]);
        let registered = register.args(["--labels", &labels.join(",")]).status();
        if !registered.is_ok_and(|status| status.success()) {
            thread::sleep(Duration::from_secs(1));
            return false;
        }
        let Ok(mut child) = self.command(&config, "daemon").spawn() else { return false };
        group.store(child.id() as i32, SeqCst);
        if stop.load(SeqCst) {
            let _ = child.kill();
        }
        let ended = child.wait();
        group.store(0, SeqCst);
        ended.is_ok_and(|status| status.success())
    }

    fn command(&self, config: &Path, verb: &str) -> Command {
        let path = self.place.join("runner.log");
        let log = File::options().create(true).append(true).open(path).unwrap();
        let mut command = Command::new(&self.program);
        command.arg("--config").arg(config).arg(verb).current_dir(&self.place);
        command.stdout(log.try_clone().unwrap()).stderr(log).process_group(0);
        // A job shall see what a service's environment has, not what this test was built with.
        for (name, _) in env::vars() {
            let ours =
                ["CARGO_PKG_", "CARGO_BIN_", "CARGO_MANIFEST_", "GITHUB_", "ACTIONS_", "GIT_"];
            let named = ["CARGO_TARGET_DIR", "CARGO", "LD_LIBRARY_PATH", "RUSTUP_TOOLCHAIN"];
            if ours.iter().any(|start| name.starts_with(start)) || named.contains(&name.as_str()) {
                command.env_remove(name);
            }
        }
        command.envs(&self.wanted.environment);
        command
    }

    fn settings(&self) -> String {
        let place = self.place.display();
        format!(
            "log: {{level: info}}\n\
             runner:\n  file: {place}/registration\n  capacity: 1\n  timeout: 30m\n  \
             fetch_interval: 1s\n  fetch_interval_max: 1s\n  \
             log_report_interval: 1s\n  log_report_max_latency: 500ms\n  state_report_interval: 1s\n\
             cache: {{enabled: false}}\n\
             container: {{workdir_parent: {place}/work}}\n\
             host: {{workdir_parent: {place}/jobs}}\n"
        )
    }
}
