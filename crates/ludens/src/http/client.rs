//! Sending one message to a player, and waiting for the answer no longer than agreed.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

/// The longest answer that is read; a move is far shorter.
const MOST_ANSWER: usize = 1 << 20;

/// How long to wait for a connection.
const CONNECT: Duration = Duration::from_secs(5);

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// Out of time.
    Late,
    /// No connection, or no answer on it.
    Broken(String),
}

/// Sends a message to `http://HOST:PORT/…` and gives the body of the answer.
pub fn ask(url: &str, receiver: &str, message: &str, until: Instant) -> Result<String, Failure> {
    let rest = url.strip_prefix("http://").unwrap_or(url);
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let place = if host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok()) {
        host.to_string()
    } else {
        format!("{host}:9147")
    };
    let broken = |error: std::io::Error| Failure::Broken(format!("{url}: {error}"));
    let left = || {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(Failure::Late) } else { Ok(left) }
    };
    let addresses: Vec<_> = place.to_socket_addrs().map_err(broken)?.collect();
    let mut stream = Err(Failure::Broken(format!("{url}: this host has no address")));
    for address in addresses {
        stream = TcpStream::connect_timeout(&address, left()?.min(CONNECT)).map_err(broken);
        if stream.is_ok() {
            break;
        }
    }
    let mut stream = stream?;
    let _ = stream.set_nodelay(true);
    let _ = stream.set_write_timeout(Some(left()?));
    let receiver = play::text::word(receiver);
    let head = format!(
        "POST /{path} HTTP/1.0\r\nAccept: text/delim\r\nHost: {host}\r\nSender: GAMESERVER\r\nReceiver: {receiver}\r\n\
         Content-Type: text/acl\r\nContent-Length: {}\r\n\r\n",
        message.len()
    );
    let timed = |error: std::io::Error| match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => Failure::Late,
        _ => broken(error),
    };
    // In one piece: some players look at the first packet only.
    stream.write_all((head + message).as_bytes()).map_err(timed)?;
    let mut bytes = Vec::new();
    loop {
        if let Some(body) = whole(&bytes) {
            return Ok(body);
        }
        let _ = stream.set_read_timeout(Some(left()?.max(Duration::from_millis(1))));
        let mut piece = [0; 8192];
        match stream.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => bytes.extend_from_slice(&piece[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(timed(error)),
        }
        if bytes.len() > MOST_ANSWER {
            return Err(Failure::Broken(format!("{url}: the answer is too long")));
        }
    }
    let text = String::from_utf8_lossy(&bytes);
    match split(&text) {
        Some((_, body)) => Ok(body.to_string()),
        None if bytes.is_empty() => Err(Failure::Broken(format!("{url}: the connection was closed without an answer"))),
        None => Err(Failure::Broken(format!("{url}: the answer is not HTTP"))),
    }
}

/// Head and body.
fn split(text: &str) -> Option<(&str, &str)> {
    if !text.get(..5)?.eq_ignore_ascii_case("http/") {
        return None;
    }
    let ends = ["\r\n\r\n", "\n\n", "\n\r\n"];
    let first = ends.iter().filter_map(|end| text.find(end).map(|at| (at, at + end.len()))).min()?;
    Some((&text[..first.0], &text[first.1..]))
}

/// The body, if its length is known and all of it is there.
fn whole(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = split(&text)?;
    let length = head.lines().filter_map(|line| line.split_once(':')).find_map(|(name, value)| {
        name.trim().eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    })?;
    (body.len() >= length).then(|| String::from_utf8_lossy(&body.as_bytes()[..length]).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// A server that gives this answer to whoever comes, or none at all.
    fn with_answer(answer: &'static [u8], wait: bool) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        std::thread::spawn(move || {
            if let Ok((mut stream, _)) = listener.accept() {
                let _ = stream.read(&mut [0; 4096]);
                let _ = stream.write_all(answer);
                if wait {
                    std::thread::sleep(Duration::from_secs(5));
                }
            }
        });
        url
    }

    #[test]
    fn answers_and_the_lack_of_them() {
        let ask = |url: &str| ask(url, "x", "( INFO )", Instant::now() + Duration::from_millis(300));
        assert_eq!(ask(&with_answer(b"HTTP/1.0 200 OK\r\n\r\nready", false)), Ok("ready".into()));
        assert_eq!(ask(&with_answer(b"HTTP/1.0 200 OK\nContent-Length: 5\n\nready!", true)), Ok("ready".into()));
        assert_eq!(ask(&with_answer(b"", true)), Err(Failure::Late));
        assert!(matches!(ask(&with_answer(b"", false)), Err(Failure::Broken(_))));
        assert!(matches!(ask(&with_answer(b"rubbish", false)), Err(Failure::Broken(_))));
        assert!(matches!(ask("http://127.0.0.1:1"), Err(Failure::Broken(_))));
    }
}
