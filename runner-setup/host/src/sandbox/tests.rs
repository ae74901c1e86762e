use super::*;
use std::{os::unix::net::UnixListener, thread};

/// More than the answers of these tests.
const LIMIT: u64 = 1 << 30;

/// A service that answers each request with what `answer` does in its folder.
fn service(
    folder: &Path,
    answer: impl FnOnce(UnixStream, &Path) + Send + 'static,
) -> (PathBuf, thread::JoinHandle<()>) {
    let socket = folder.join("sandbox.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    let work = folder.join("work");
    fs::create_dir(&work).unwrap();
    let thread = thread::spawn(move || answer(listener.accept().unwrap().0, &work));
    (socket, thread)
}

fn unpack(stream: &UnixStream, work: &Path) {
    let input = std::os::fd::OwnedFd::from(stream.try_clone().unwrap());
    let status = Command::new("tar").arg("-x").arg("-C").arg(work).stdin(input).status();
    assert!(status.unwrap().success());
}

fn pack(stream: UnixStream, work: &Path) {
    let output = std::os::fd::OwnedFd::from(stream);
    let status = Command::new("tar")
        .args(["-c", "log", "status", "out"])
        .current_dir(work)
        .stdout(output)
        .status();
    assert!(status.unwrap().success());
}

fn source(folder: &Path) -> PathBuf {
    let source = folder.join("source");
    fs::create_dir_all(source.join("src")).unwrap();
    fs::write(source.join("src/main.c"), "int main(void) { return 7; }\n").unwrap();
    source
}

#[test]
fn a_request_has_source_and_scripts_and_the_answer_log_code_and_files() {
    let folder = tempfile::tempdir().unwrap();
    let (socket, service) = service(folder.path(), |stream, work| {
        unpack(&stream, work);
        let text = |name: &str| fs::read_to_string(work.join(name)).unwrap();
        assert_eq!((text("build").as_str(), text("fetch").as_str()), ("make\n", "get\n"));
        assert!(text("source/src/main.c").contains("return 7"));
        fs::create_dir(work.join("out")).unwrap();
        fs::write(work.join("out/program"), "built").unwrap();
        std::os::unix::fs::symlink("/etc/shadow", work.join("out/link")).unwrap();
        fs::write(work.join("log"), b"made \xff it\n").unwrap();
        fs::write(work.join("status"), "3\n").unwrap();
        pack(stream, work);
    });
    let (source, out) = (source(folder.path()), folder.path().join("out"));
    let request = SandboxRequest {
        source: &source,
        out: &out,
        fetch: Some("get"),
        build: "make",
        limit: LIMIT,
    };
    let finished = build(&socket, &request).unwrap();
    service.join().unwrap();
    assert_eq!(finished, SandboxedBuild { log: b"made \xff it\n".to_vec(), code: 3 });
    assert_eq!(fs::read_to_string(out.join("program")).unwrap(), "built");
    assert!(out.join("link").is_symlink(), "a link stays a link");
    let again = build(&socket, &request).unwrap_err();
    assert!(matches!(again, SandboxError::NotEmpty(_)), "{again}");
}

#[test]
fn a_link_in_place_of_the_result_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret");
    fs::create_dir(&secret).unwrap();
    fs::write(secret.join("key"), "").unwrap();
    let (socket, service) = service(folder.path(), move |stream, work| {
        unpack(&stream, work);
        std::os::unix::fs::symlink(&secret, work.join("out")).unwrap();
        fs::write(work.join("log"), "").unwrap();
        fs::write(work.join("status"), "0\n").unwrap();
        pack(stream, work);
    });
    let (source, out) = (source(folder.path()), folder.path().join("result"));
    let request =
        SandboxRequest { source: &source, out: &out, fetch: None, build: "true", limit: LIMIT };
    assert_eq!(build(&socket, &request).unwrap().code, 0);
    service.join().unwrap();
    assert_eq!(fs::read_dir(out).unwrap().count(), 0);
}

#[test]
fn a_service_that_refuses_or_dies_is_an_error_and_never_a_build() {
    let folder = tempfile::tempdir().unwrap();
    let (source, out) = (source(folder.path()), folder.path().join("out"));
    // More than a socket holds: the client is still sending when the service closes.
    fs::write(source.join("large"), vec![7; 4 << 20]).unwrap();
    let request =
        SandboxRequest { source: &source, out: &out, fetch: None, build: "true", limit: LIMIT };
    let nobody = folder.path().join("nobody.sock");
    let error = build(&nobody, &request).unwrap_err();
    assert!(matches!(error, SandboxError::Unreachable { .. }), "{error}");
    let (socket, service) = service(folder.path(), |stream, _| drop(stream));
    let error = build(&socket, &request).unwrap_err();
    service.join().unwrap();
    assert!(matches!(error, SandboxError::NoAnswer), "{error}");
}

/// A file of a terabyte takes no room where it was made, and a terabyte in an archive.
#[test]
fn an_answer_that_does_not_end_is_left_at_the_limit() {
    let sparse = |stream: UnixStream, work: &Path| {
        unpack(&stream, work);
        fs::create_dir(work.join("out")).unwrap();
        fs::File::create(work.join("out/holes")).unwrap().set_len(1 << 40).unwrap();
        fs::write(work.join("log"), "").unwrap();
        fs::write(work.join("status"), "0\n").unwrap();
        let output = std::os::fd::OwnedFd::from(stream);
        let mut tar = Command::new("tar");
        let tar = tar.args(["-c", "log", "status", "out"]).current_dir(work).stdout(output);
        assert!(!tar.status().unwrap().success(), "nobody read all of it");
    };
    let endless = |mut stream: UnixStream, work: &Path| {
        unpack(&stream, work);
        while stream.write_all(&[0; 1 << 16]).is_ok() {}
    };
    type Answer = fn(UnixStream, &Path);
    for answer in [sparse as Answer, endless as Answer] {
        let folder = tempfile::tempdir().unwrap();
        let (socket, service) = service(folder.path(), answer);
        let (source, out) = (source(folder.path()), folder.path().join("result"));
        let (source, out) = (source.as_path(), out.as_path());
        let request = SandboxRequest { source, out, fetch: None, build: "true", limit: 8 << 20 };
        let error = build(&socket, &request).unwrap_err();
        assert!(matches!(error, SandboxError::TooLarge(_)), "{error}");
        service.join().unwrap();
        assert_eq!(fs::read_dir(out).unwrap().count(), 0, "nothing of it is taken");
    }
}
