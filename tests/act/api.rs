//! The least of an API: it has no issues yet, takes new ones, and remembers every request.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    sync::{Arc, Mutex},
    thread,
};

/// A running API; it ends with the test.
pub struct Api {
    pub url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Api {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { continue };
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let (mut first, mut length) = (String::new(), 0);
                reader.read_line(&mut first).unwrap();
                loop {
                    let mut line = String::new();
                    reader.read_line(&mut line).unwrap();
                    if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                        length = value.trim().parse().unwrap();
                    }
                    if line.trim().is_empty() {
                        break;
                    }
                }
                let mut body = vec![0; length];
                reader.read_exact(&mut body).unwrap();
                let answer = match &first {
                    line if line.starts_with("GET /user") => r#"{"login": "bot", "id": 1}"#,
                    line if line.starts_with("GET") => "[]",
                    _ => r#"{"id": 1, "number": 1, "html_url": ""}"#,
                };
                seen.lock().unwrap().push(format!("{first}{}", String::from_utf8_lossy(&body)));
                let _ = write!(
                    stream,
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{answer}",
                    answer.len()
                );
            }
        });
        Self { url, requests }
    }

    /// Every request so far: its first line, and its body.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}
