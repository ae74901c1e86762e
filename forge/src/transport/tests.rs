//! The client against servers that misbehave.

use super::*;
use std::{
    net::{TcpListener, TcpStream},
    sync::mpsc,
    thread,
};

/// A server that reads the head of each request and leaves the rest to `answer`. Returns its
/// URL and the heads.
fn server(answer: impl Fn(usize, TcpStream) + Send + 'static) -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (heads, seen) = mpsc::channel();
    thread::spawn(move || {
        for (index, mut stream) in listener.incoming().flatten().enumerate() {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                if stream.read_exact(&mut byte).is_err() {
                    break;
                }
                head.push(byte[0]);
            }
            let _ = heads.send(String::from_utf8(head).unwrap());
            answer(index, stream);
        }
    });
    (url, seen)
}

fn get(url: &str, timeouts: Timeouts, limit: u64) -> Result<HttpResponse, TransportError> {
    let authorization = Some("Bearer ghs_secret".to_owned());
    let transport = Transport::new(url, authorization).unwrap();
    let transport = Transport { agent: agent(timeouts), ..transport };
    transport.send(&Method::GET, "/user?page=2", None, limit)
}

fn soon(progress_ms: u64) -> Timeouts {
    Timeouts { connect: Duration::from_secs(5), progress: Duration::from_millis(progress_ms) }
}

#[test]
fn a_request_says_who_asks_for_what() {
    let (url, heads) = server(|_, mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
    });
    let answer = get(&format!("{url}/api/v3/"), TIMEOUTS, 100).unwrap();
    assert_eq!((answer.status.as_u16(), answer.body), (200, b"{}".to_vec()));
    let head = heads.recv().unwrap().to_ascii_lowercase();
    assert!(head.starts_with("get /api/v3/user?page=2 http/1.1\r\n"), "{head}");
    for line in [
        "accept: application/vnd.github+json",
        "authorization: bearer ghs_secret",
        "x-github-api-version: 2022-11-28",
        concat!("user-agent: shakedown/", env!("CARGO_PKG_VERSION")),
    ] {
        assert!(head.contains(&format!("\r\n{line}\r\n")), "{line} in {head}");
    }
}

#[test]
fn the_token_follows_no_redirect() {
    let (elsewhere, heads) = server(|_, mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    });
    let (url, _) = server(move |_, mut stream| {
        let head =
            format!("HTTP/1.1 307 Moved\r\nLocation: {elsewhere}/\r\nContent-Length: 0\r\n\r\n");
        let _ = stream.write_all(head.as_bytes());
    });
    let answer = get(&url, TIMEOUTS, 100).unwrap();
    assert_eq!(answer.status, 307);
    assert!(answer.headers.contains_key(header::LOCATION));
    assert!(heads.try_recv().is_err(), "nothing is sent to the other host");
}

#[test]
fn a_silent_server_is_given_up() {
    let (sender, held) = mpsc::channel();
    let (url, _) = server(move |index, mut stream| {
        if index > 0 {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
        }
        // Stays open.
        let _ = sender.send(stream);
    });
    for what in ["no head", "half of the body"] {
        let failure = get(&url, soon(200), 100).unwrap_err();
        assert!(
            matches!(&failure, TransportError::NoAnswer(reason) if reason.contains("timeout")),
            "{what}: {failure:?}"
        );
    }
    drop(held);
}

#[test]
fn a_slow_answer_is_read_to_its_end() {
    let (url, _) = server(|_, mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n");
        for _ in 0..8 {
            thread::sleep(Duration::from_millis(150));
            let _ = stream.write_all(b"x");
        }
    });
    // Longer in all than the timeout, which is for each read.
    assert_eq!(get(&url, soon(1000), 100).unwrap().body, b"xxxxxxxx");
}

#[test]
fn an_answer_over_the_limit_is_not_read() {
    let (url, _) = server(|_, mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
        while stream.write_all(&[b' '; 1 << 14]).is_ok() {}
    });
    assert!(matches!(get(&url, TIMEOUTS, 1 << 20), Err(TransportError::TooLarge)));
}

#[test]
fn half_an_answer_is_none() {
    let (url, _) = server(|index, mut stream| {
        let head: &[u8] = match index {
            0 => b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
            _ => b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
        };
        let _ = stream.write_all(head);
    });
    for _ in 0..2 {
        assert!(matches!(get(&url, TIMEOUTS, 100), Err(TransportError::NoAnswer(_))));
    }
}

#[test]
fn addresses_are_whole() {
    for wrong in ["", "api.github.com", "https://", "ftp://x", "file:///etc", "https:///x"] {
        assert!(Transport::new(wrong, None).is_err(), "{wrong}");
    }
    assert_eq!(origin("https://x.example:8443/a?sig=b").unwrap(), "https://x.example:8443");
}
