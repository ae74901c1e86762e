//! nginx as a process that can't outlive its driver, and leaves no file behind.

use crate::{clock::ProcessClock, memory_file::MemoryFile};
use nix::{
    fcntl::{FcntlArg, FdFlag, fcntl},
    sys::signal::Signal,
    unistd::{Pid, getppid},
};
use shakedown_driver::Pki;
use shakedown_protocol::{
    CertificateKey, CipherSuite, DriverRequest, Group, Resumption, Scenario, ScenarioKind,
    TlsVersion,
};
use std::{
    fmt::Write as _,
    io::{self, Read},
    net::{Ipv4Addr, SocketAddr, TcpListener},
    os::{fd::AsRawFd, unix::process::CommandExt},
    process::{Child, Command, Stdio},
};

/// nginx, linked with the library under test.
const PROGRAM: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/nginx"));
/// Connections that the kernel keeps waiting, and that one nginx serves at once.
const WAITING: u32 = 4096;

/// What clients ask for.
pub const PATH: &str = "/file";

/// Versions of library and server, as the program itself tells them.
///
/// # Errors
/// If it can't be run.
pub fn versions() -> Result<(String, String), String> {
    let program = MemoryFile::new("nginx", PROGRAM).map_err(|error| error.to_string())?;
    let output = Command::new(program.path()).arg("-V").env_clear().output();
    let output = output.map_err(|error| format!("nginx can't be started: {error}"))?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let after = |start: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(start));
        line.map(|rest| rest.trim().to_owned()).ok_or_else(|| format!("nginx -V says: {text}"))
    };
    Ok((after("built with ")?, after("nginx version: ")?))
}

/// Running servers that share one socket: one process for each thread of the scenario, each with an
/// event loop of its own, as nginx's workers are.
pub struct Server {
    children: Vec<Child>,
    /// Where they listen.
    pub address: SocketAddr,
    // nginx opens the file anew for each response.
    _body: MemoryFile,
}

impl Server {
    /// Starts them on a free port. Connections wait in the socket until they are up. Call it from the
    /// main thread: the servers end with the thread that started them.
    ///
    /// # Errors
    /// If one does not start.
    pub fn start(request: &DriverRequest, body: u64) -> Result<Self, String> {
        let text = |error: io::Error| format!("nginx can't be started: {error}");
        let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(text)?;
        let address = socket.local_addr().map_err(text)?;
        // One process listens with a queue of this length; the socket has it from here on.
        // SAFETY: the descriptor is open, and no memory is passed.
        if unsafe { libc::listen(socket.as_raw_fd(), WAITING as i32) } != 0 {
            return Err(text(io::Error::last_os_error()));
        }
        fcntl(&socket, FcntlArg::F_SETFD(FdFlag::empty())).map_err(|error| text(error.into()))?;
        let program = MemoryFile::new("nginx", PROGRAM).map_err(text)?;
        let size = usize::try_from(body).map_err(|error| error.to_string())?;
        let body = MemoryFile::new("body", &vec![b'x'; size]).map_err(text)?;
        let scratch = MemoryFile::new("pid", b"").map_err(text)?;
        let configuration = configuration(request, address, &body.path(), &scratch.path());
        let configuration =
            MemoryFile::new("nginx.conf", configuration.as_bytes()).map_err(text)?;
        let mut server = Self { children: Vec::new(), address, _body: body };
        for _ in 0..request.scenario.threads.get() {
            let mut command = Command::new(program.path());
            command
                .args(["-p", "/", "-e", "stderr", "-c"])
                .arg(configuration.path())
                .env_clear()
                // The socket is inherited, as when nginx replaces itself: no port can be taken by others.
                .env("NGINX", format!("{};", socket.as_raw_fd()))
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::piped());
            let parent = Pid::this();
            // SAFETY: between fork and exec only system calls are made.
            unsafe { command.pre_exec(move || die_with(parent)) };
            server.children.push(command.spawn().map_err(text)?);
        }
        Ok(server)
    }

    /// The CPU clocks of the servers.
    ///
    /// # Errors
    /// If one is gone.
    pub fn clocks(&self) -> Result<Vec<ProcessClock>, String> {
        let pid = |child: &Child| Pid::from_raw(child.id().cast_signed());
        self.children.iter().map(|child| ProcessClock::of(pid(child))).collect()
    }

    /// Ends the servers. One that ended by itself is an error, with what it said.
    ///
    /// # Errors
    /// How it ended.
    pub fn stop(mut self) -> Result<(), String> {
        let mut early = None;
        for child in &mut self.children {
            if let Ok(Some(status)) = child.try_wait() {
                early = Some(format!(
                    "nginx ended while it was measured, with {status}{}",
                    said(child)
                ));
            }
        }
        drop(self);
        early.map_or(Ok(()), Err)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        for child in &mut self.children {
            // It may be gone already, which is what is wanted.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The end of what a server that has ended wrote.
fn said(child: &mut Child) -> String {
    let mut text = String::new();
    if let Some(stderr) = &mut child.stderr {
        let _ = stderr.take(4096).read_to_string(&mut text);
    }
    if text.is_empty() { text } else { format!(": {}", text.trim_end()) }
}

/// Has the kernel end this process with its parent, even by kill -9.
fn die_with(parent: Pid) -> io::Result<()> {
    nix::sys::prctl::set_pdeathsig(Signal::SIGKILL)?;
    // It may have ended before the call.
    if getppid() == parent { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
}

/// The servers' configuration. Nothing is written: temporary files are never needed for requests
/// without a body, and the file for the process's number is in memory.
fn configuration(
    request: &DriverRequest,
    address: SocketAddr,
    body: &str,
    scratch: &str,
) -> String {
    let DriverRequest { scenario, pki, tickets, .. } = request;
    let pki = Pki::new(pki, scenario.key);
    // As root, nginx would become another user, who can't read the files.
    // SAFETY: no memory is passed.
    let user = if unsafe { libc::geteuid() } == 0 { "user root root;\n" } else { "" };
    let tickets = if resumes_by_ticket(scenario) && *tickets > 0 { "on" } else { "off" };
    let mut text = format!(
        "{user}daemon off;\nmaster_process off;\npid {scratch};\nerror_log stderr error;\n\
         events {{ worker_connections {WAITING}; }}\n\
         http {{\naccess_log off;\nclient_body_temp_path /tmp;\nserver_tokens off;\n\
         keepalive_requests 100000000;\nkeepalive_timeout 60s;\ndefault_type text/plain;\n\
         open_file_cache max=16;\nopen_file_cache_valid 1h;\n\
         server {{\nlisten {address} ssl backlog={WAITING};\n\
         ssl_certificate \"{}\";\nssl_certificate_key \"{}\";\n\
         ssl_protocols {};\nssl_session_cache off;\nssl_session_tickets {tickets};\n",
        pki.server_chain().display(),
        pki.server_key().display(),
        match scenario.version {
            TlsVersion::Tls12 => "TLSv1.2",
            TlsVersion::Tls13 => "TLSv1.3",
        },
    );
    let _ = match scenario.version {
        TlsVersion::Tls12 => writeln!(text, "ssl_ciphers {};", tls12_cipher(scenario)),
        TlsVersion::Tls13 => {
            writeln!(text, "ssl_conf_command Ciphersuites {};", tls13_cipher(scenario.cipher_suite))
        }
    };
    if let Some(group) = group(scenario) {
        let _ = writeln!(text, "ssl_ecdh_curve {group};");
    }
    text + &format!("location = {PATH} {{ alias {body}; }}\n}}\n}}\n")
}

/// Whether the server has to send tickets.
fn resumes_by_ticket(scenario: &Scenario) -> bool {
    // In TLS 1.3 servers send tickets after every full handshake, too.
    scenario.version == TlsVersion::Tls13
        || scenario.kind == ScenarioKind::Handshake(Resumption::Ticket)
}

const fn tls13_cipher(suite: CipherSuite) -> &'static str {
    match suite {
        CipherSuite::Aes128Gcm => "TLS_AES_128_GCM_SHA256",
        CipherSuite::Aes256Gcm => "TLS_AES_256_GCM_SHA384",
        CipherSuite::Chacha20 => "TLS_CHACHA20_POLY1305_SHA256",
    }
}

fn tls12_cipher(scenario: &Scenario) -> String {
    let key = if scenario.key == CertificateKey::Rsa2048 { "RSA" } else { "ECDSA" };
    let suite = match scenario.cipher_suite {
        CipherSuite::Aes128Gcm => "AES128-GCM-SHA256",
        CipherSuite::Aes256Gcm => "AES256-GCM-SHA384",
        CipherSuite::Chacha20 => "CHACHA20-POLY1305",
    };
    format!("ECDHE-{key}-{suite}")
}

fn group(scenario: &Scenario) -> Option<String> {
    let name = |group| match group {
        Group::Default => None,
        Group::X25519 => Some("X25519"),
        Group::Secp256r1 => Some("prime256v1"),
        Group::Secp384r1 => Some("secp384r1"),
        Group::X25519MlKem768 => Some("X25519MLKEM768"),
    };
    let wanted = name(scenario.group)?;
    // In TLS 1.2 the list also says which curves a certificate may have.
    let curve = match (scenario.version, scenario.key) {
        (TlsVersion::Tls12, CertificateKey::EcdsaP256) => "prime256v1",
        (TlsVersion::Tls12, CertificateKey::EcdsaP384) => "secp384r1",
        _ => wanted,
    };
    Some(if curve == wanted { wanted.to_owned() } else { format!("{wanted}:{curve}") })
}
