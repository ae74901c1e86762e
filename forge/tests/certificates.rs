//! Which servers are trusted: those that the system's certificates vouch for.

mod common;

use common::Waits;
use rustls::{
    ServerConfig, ServerConnection,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use shakedown_forge::{Forge, ForgeError, ForgeOptions, RetrySleep, Token};
use std::{
    io::{Read, Write},
    net::TcpListener,
    path::PathBuf,
    process::Command,
    sync::Arc,
    thread,
};

/// The test runs itself with this set, as the list of certificates is read once a process.
const CHILD: &str = "SHAKEDOWN_TEST_PORT";

fn pki(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../bench/pki/ecdsa-p256").join(name)
}

/// Answers every request over TLS with a login. Its certificate is for `server.shakedown.test`.
fn server() -> u16 {
    let chain = CertificateDer::pem_file_iter(pki("server.chain.pem")).unwrap();
    let chain = chain.collect::<Result<Vec<_>, _>>().unwrap();
    let key = PrivateKeyDer::from_pem_file(pki("server.key.pem")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut connection = ServerConnection::new(config.clone()).unwrap();
            let mut tls = rustls::Stream::new(&mut connection, &mut stream);
            // A client that refuses the certificate ends the handshake here.
            if tls.read(&mut [0; 4096]).is_ok() {
                let body = "{\"login\":\"ada\"}";
                let length = body.len();
                let _ = write!(
                    tls,
                    "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
                );
            }
        }
    });
    port
}

fn author(host: &str, port: &str) -> Result<String, ForgeError> {
    let options = ForgeOptions {
        api_url: format!("https://{host}:{port}"),
        repo: "tls/lib".parse().unwrap(),
        token: Some(Token::new("ghs_0123456789")),
        tries: 1,
        dry_run: false,
        retry_sleep: RetrySleep::Record(Waits::default()),
    };
    Forge::new(options)?.author()
}

fn child(port: u16, certificates: &str) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["what_the_child_asks", "--exact", "--ignored", "--nocapture"])
        .env(CHILD, port.to_string())
        .env("SSL_CERT_FILE", pki(certificates))
        .env_remove("SSL_CERT_DIR")
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
#[ignore = "the test below runs it"]
fn what_the_child_asks() {
    let Ok(port) = std::env::var(CHILD) else { return };
    println!("found: {:?}", author("localhost", &port).map_err(|error| error.to_string()));
}

#[test]
fn a_server_is_trusted_if_the_system_vouches_for_its_name() {
    let port = server();
    // Its root is trusted, but the name is another.
    let said = child(port, "root.pem");
    assert!(said.contains("found: Err") && said.contains("not valid for name"), "{said}");
    // Nobody vouches for it.
    let said = child(port, "../rsa-2048/root.pem");
    assert!(said.contains("found: Err") && said.contains("UnknownIssuer"), "{said}");
}
