//! One connection of the load generator.

use crate::{client, connections::PATH};
use rustls::{ClientConfig, ClientConnection};
use shakedown_driver::SERVER_NAME;
use shakedown_protocol::{SentTraffic, TlsScenario, WireTraffic};
use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream},
    sync::Arc,
    time::Duration,
};

/// One connection to the server.
pub struct Exchange {
    /// What was negotiated is read from here.
    pub tls: ClientConnection,
    socket: Tap,
    patience: Duration,
}

impl Exchange {
    /// Connects; the handshake comes with the first request.
    ///
    /// # Errors
    /// If nobody listens, or rustls refuses.
    pub fn open(
        address: &SocketAddr,
        config: &Arc<ClientConfig>,
        patience: Duration,
    ) -> Result<Self, String> {
        let text = |error: io::Error| format!("connecting: {error}");
        let socket = TcpStream::connect_timeout(address, patience).map_err(text)?;
        socket.set_nodelay(true).map_err(text)?;
        socket.set_read_timeout(Some(patience)).map_err(text)?;
        socket.set_write_timeout(Some(patience)).map_err(text)?;
        let socket = Tap {
            socket,
            sent: Vec::new(),
            received: Vec::new(),
            flights: [0, 0],
            last: None,
            taps: false,
        };
        Ok(Self { tls: client::connection(config)?, socket, patience })
    }

    /// One request, and the whole response; the last one of a connection waits for its end.
    ///
    /// # Errors
    /// If the server does not answer in time, or otherwise than it should.
    pub fn request(&mut self, body: usize, last: bool) -> Result<(), String> {
        let seconds = self.patience.as_secs();
        let text = |error: io::Error| match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                format!("the server did not answer within {seconds} s")
            }
            _ => format!("the server's answer: {error}"),
        };
        let keep = if last { "close" } else { "keep-alive" };
        let request =
            format!("GET {PATH} HTTP/1.1\r\nHost: {SERVER_NAME}\r\nConnection: {keep}\r\n\r\n");
        let mut stream = rustls::Stream::new(&mut self.tls, &mut self.socket);
        stream.write_all(request.as_bytes()).map_err(text)?;
        let (mut head, mut buffer) = (Vec::new(), [0; 16384]);
        let mut missing = None;
        loop {
            let count = match stream.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                // nginx may close the socket without a word.
                Err(error)
                    if error.kind() == io::ErrorKind::UnexpectedEof && missing == Some(0) =>
                {
                    break;
                }
                Err(error) => return Err(text(error)),
            };
            let part = &buffer[..count];
            missing = match missing {
                Some(left) if count <= left => Some(left - count),
                Some(left) => return Err(format!("{} bytes too many", count - left)),
                None => {
                    head.extend_from_slice(part);
                    after_head(&head, body)?
                }
            };
            if missing == Some(0) && !last {
                return Ok(());
            }
        }
        if missing == Some(0) { Ok(()) } else { Err("the response was cut off".to_owned()) }
    }
}

/// How much of the body is missing behind what was read; `None` until the head is whole.
fn after_head(read: &[u8], body: usize) -> Result<Option<usize>, String> {
    let Some(end) = read.windows(4).position(|four| four == b"\r\n\r\n") else { return Ok(None) };
    if !read.starts_with(b"HTTP/1.1 200 ") {
        let line = String::from_utf8_lossy(&read[..end]);
        return Err(format!("the server answered {}", line.lines().next().unwrap_or_default()));
    }
    body.checked_sub(read.len() - end - 4).map(Some).ok_or_else(|| "too much body".to_owned())
}

/// A socket that can keep what passes.
struct Tap {
    socket: TcpStream,
    sent: Vec<u8>,
    received: Vec<u8>,
    flights: [u64; 2],
    last: Option<usize>,
    taps: bool,
}

impl Tap {
    fn turn(&mut self, side: usize) {
        if self.last != Some(side) {
            self.flights[side] += 1;
            self.last = Some(side);
        }
    }
}

impl Read for Tap {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.socket.read(buffer)?;
        if self.taps && count > 0 {
            self.received.extend_from_slice(&buffer[..count]);
            self.turn(1);
        }
        Ok(count)
    }
}

impl Write for Tap {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.socket.write(bytes)?;
        if self.taps && count > 0 {
            self.sent.extend_from_slice(&bytes[..count]);
            self.turn(0);
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.socket.flush()
    }
}

/// What one operation puts on the wire: a whole connection, which resumes if the scenario does.
///
/// # Errors
/// If the connection fails.
pub fn traffic(
    scenario: &TlsScenario,
    address: &SocketAddr,
    config: &Arc<ClientConfig>,
    body: usize,
    patience: Duration,
) -> Result<WireTraffic, String> {
    if scenario.resumes() {
        Exchange::open(address, config, patience)?.request(body, true)?;
    }
    let mut connection = Exchange::open(address, config, patience)?;
    connection.socket.taps = true;
    connection.request(body, true)?;
    let Tap { sent, received, flights, .. } = connection.socket;
    let traffic = |bytes: &[u8], flights| SentTraffic {
        bytes: bytes.len() as u64,
        records: records(bytes),
        flights,
    };
    Ok(WireTraffic { client: traffic(&sent, flights[0]), server: traffic(&received, flights[1]) })
}

/// TLS records in what one end sent.
fn records(mut bytes: &[u8]) -> u64 {
    let mut count = 0;
    while let [_, _, _, high, low, rest @ ..] = bytes {
        count += 1;
        bytes = rest.get(usize::from(u16::from_be_bytes([*high, *low]))..).unwrap_or_default();
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_counted_by_their_headers() {
        assert_eq!(records(&[]), 0);
        assert_eq!(records(&[22, 3, 3, 0, 2, 9, 9, 20, 3, 3, 0, 1, 1]), 2);
        assert_eq!(records(&[22, 3, 3, 0, 200, 9]), 1);
    }

    #[test]
    fn a_response_is_whole_when_its_body_is() {
        let head = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab";
        assert_eq!(after_head(head, 4), Ok(Some(2)));
        assert_eq!(after_head(&head[..20], 4), Ok(None));
        assert!(after_head(head, 1).is_err());
        let missing = after_head(b"HTTP/1.1 404 Not Found\r\n\r\n", 4).unwrap_err();
        assert_eq!(missing, "the server answered HTTP/1.1 404 Not Found");
    }
}
