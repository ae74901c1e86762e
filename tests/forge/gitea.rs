//! The forge itself: Gitea, with its data in a folder, on a port of this machine.

use super::api::{Api, OWNER, STRANGER, run, wait};
use std::{
    env, fs,
    net::{TcpListener, TcpStream},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command},
    time::Duration,
};

/// The server. It ends with the value.
pub struct Gitea {
    process: Child,
    pub api: Api,
}

impl Gitea {
    /// Starts it with two users and nothing else. All that it writes is below `folder`.
    pub fn start(folder: &Path) -> Self {
        let place = PathBuf::from(env::var_os("FORGE_GITEA").expect("see scripts/test --forge"));
        let program = place.join("gitea");
        let home = folder.join("gitea");
        fs::create_dir_all(&home).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        // GitHub's library for artifacts takes a server for GitHub if its name ends in .localhost.
        let url = format!("http://forge.localhost:{port}");
        let config = home.join("app.ini");
        fs::write(&config, settings(&home, &place.join("source"), port, &url)).unwrap();

        let gitea = |arguments: &[&str]| {
            let mut command = Command::new(&program);
            command.arg("--config").arg(&config).arg("--work-path").arg(&home).args(arguments);
            command.current_dir(&home);
            command
        };
        run(&mut gitea(&["migrate"]));
        for user in [OWNER, STRANGER] {
            let mail = format!("{}@example.org", user.name);
            let mut create = gitea(&["admin", "user", "create", "--must-change-password=false"]);
            create.args(["--username", user.name, "--password", user.password, "--email", &mail]);
            run(&mut create);
        }
        let log = fs::File::create(folder.join("gitea.log")).unwrap();
        let mut web = gitea(&["web"]);
        web.stdout(log.try_clone().unwrap()).stderr(log).process_group(0);
        let process = web.spawn().unwrap();
        let api = Api { url, folder: folder.to_owned() };
        let this = Self { process, api };
        wait("Gitea answers", Duration::from_secs(120), || {
            TcpStream::connect(("127.0.0.1", port)).ok()?;
            (this.api.ask(OWNER, "GET", "user", None).0 == 200).then_some(())
        });
        this
    }
}

impl Drop for Gitea {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn settings(home: &Path, source: &Path, port: u16, url: &str) -> String {
    let (home, source) = (home.display(), source.display());
    // Templates and languages are read from the source: the plain build has none in it.
    format!(
        "I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true\n\
         RUN_MODE = prod\n\
         [server]\nHTTP_ADDR = 127.0.0.1\nHTTP_PORT = {port}\nDOMAIN = forge.localhost\n\
         ROOT_URL = {url}/\nLOCAL_ROOT_URL = http://127.0.0.1:{port}/\n\
         STATIC_ROOT_PATH = {source}\nAPP_DATA_PATH = {home}/data\n\
         DISABLE_SSH = true\nOFFLINE_MODE = true\n\
         [database]\nDB_TYPE = sqlite3\nPATH = {home}/gitea.db\nSQLITE_JOURNAL_MODE = WAL\n\
         [repository]\nROOT = {home}/repositories\nDEFAULT_BRANCH = main\n\
         [security]\nINSTALL_LOCK = true\n\
         [service]\nDISABLE_REGISTRATION = true\n\
         [indexer]\nISSUE_INDEXER_TYPE = db\n\
         [mailer]\nENABLED = false\n\
         [log]\nMODE = console\nLEVEL = info\n\
         [actions]\nENABLED = true\nDEFAULT_ACTIONS_URL = self\n"
    )
}
