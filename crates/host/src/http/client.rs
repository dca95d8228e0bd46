//! Sending one message to a player, and waiting for the answer no longer than agreed.

use super::read::head_end;
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

/// Where a player is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address {
    /// The host, with the port if one is given: as in the header `Host`.
    pub host: String,
    /// Host and port.
    pub place: String,
    /// What follows the slash.
    path: String,
}

/// The port of a player whose address names none.
const PORT: u16 = 9147;

impl Address {
    /// Takes `http://HOST:PORT/…` apart; port and path may be missing. The error says what is wrong with it.
    pub fn read(url: &str) -> Result<Address, String> {
        let wrong = |what: &str| format!("{url:?} is no address of a player: {what} (http://HOST:PORT)");
        let begins = |scheme: &str| url.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme));
        if begins("https://") {
            return Err(wrong("only http:// is supported"));
        }
        if !begins("http://") {
            return Err(wrong("it does not begin with http://"));
        }
        let (host, path) = url[7..].split_once('/').unwrap_or((&url[7..], ""));
        if url.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(wrong("there is a blank in it"));
        }
        // The colons of an IPv6 address are in brackets.
        let end = host.rfind(']').map_or(0, |at| at + 1);
        let (name, port) = match host[end..].split_once(':') {
            Some((rest, port)) => (&host[..end + rest.len()], Some(port)),
            None => (host, None),
        };
        if name.is_empty() {
            return Err(wrong("it has no host"));
        }
        let port = match port.map(str::parse::<u16>) {
            None => PORT,
            Some(Ok(port)) if port > 0 => port,
            _ => return Err(wrong("the port is not a number from 1 to 65535")),
        };
        let (name, path) = (name.to_ascii_lowercase(), path.to_string());
        Ok(Address { host: host.to_string(), place: format!("{name}:{port}"), path })
    }
}

/// Sends a message and gives the body of the answer. `enough` is asked now and then whether to give up before the time is
/// over.
pub fn ask(
    address: &Address,
    receiver: &str,
    message: &str,
    until: Instant,
    enough: &dyn Fn() -> bool,
) -> Result<String, Failure> {
    let place = &address.place;
    let broken = |error: std::io::Error| Failure::Broken(format!("{place}: {error}"));
    let left = || {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || enough() { Err(Failure::Late) } else { Ok(left) }
    };
    let addresses: Vec<_> = place.to_socket_addrs().map_err(broken)?.collect();
    let mut stream = Err(Failure::Broken(format!("{place}: this host has no address")));
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
        "POST /{} HTTP/1.0\r\nAccept: text/delim\r\nHost: {}\r\nSender: GAMESERVER\r\nReceiver: {receiver}\r\n\
         Content-Type: text/acl\r\nContent-Length: {}\r\n\r\n",
        address.path,
        address.host,
        message.len()
    );
    // In one piece: some players look at the first packet only.
    stream.write_all((head + message).as_bytes()).map_err(|error| match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => Failure::Late,
        _ => broken(error),
    })?;
    let mut bytes = Vec::new();
    loop {
        let wait = left()?.clamp(Duration::from_millis(1), Duration::from_millis(100));
        let _ = stream.set_read_timeout(Some(wait));
        let mut piece = [0; 8192];
        let end = match stream.read(&mut piece) {
            Ok(count) => {
                bytes.extend_from_slice(&piece[..count]);
                count == 0
            }
            Err(error) => match error.kind() {
                ErrorKind::Interrupted | ErrorKind::WouldBlock | ErrorKind::TimedOut => continue,
                _ => return Err(broken(error)),
            },
        };
        match body(&bytes, end) {
            Ok(Some(body)) => return Ok(String::from_utf8_lossy(&body).into_owned()),
            Ok(None) if bytes.len() <= MOST_ANSWER => {}
            Ok(None) => return Err(Failure::Broken(format!("{place}: the answer is too long"))),
            Err(why) => return Err(Failure::Broken(format!("{place}: {why}"))),
        }
    }
}

/// The body of an answer: `None` as long as it is not whole. `end` says that nothing more will come.
///
/// # Errors
/// What is wrong with the answer.
pub fn body(mut bytes: &[u8], end: bool) -> Result<Option<Vec<u8>>, String> {
    let cut = |what: &str| if end { Err(format!("the connection was closed {what}")) } else { Ok(None) };
    loop {
        if bytes.is_empty() {
            return cut("without an answer");
        }
        if !b"HTTP/".iter().zip(bytes).all(|(wanted, byte)| byte.eq_ignore_ascii_case(wanted)) {
            return Err("the answer is not HTTP".to_string());
        }
        let Some(from) = head_end(bytes, 0) else { return cut("before the answer was whole") };
        let head = String::from_utf8_lossy(&bytes[..from]);
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split_whitespace().nth(1)).unwrap_or("");
        let rest = &bytes[from..];
        match status.as_bytes() {
            [b'2', _, _] => {}
            // Goes on with the answer itself.
            [b'1', _, _] => {
                bytes = rest;
                continue;
            }
            _ => return Err(format!("the answer has the status {status}, and not 200")),
        }
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_ascii_lowercase()))
            .collect();
        let header = |name: &str| headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        if header("transfer-encoding").is_some_and(|value| value.contains("chunked")) {
            return match chunks(rest)? {
                Some(body) => Ok(Some(body)),
                None => cut("before the answer was whole"),
            };
        }
        return match header("content-length").and_then(|value| value.parse::<usize>().ok()) {
            Some(length) if rest.len() >= length => Ok(Some(rest[..length].to_vec())),
            Some(_) => cut("before the answer was whole"),
            None => Ok(end.then(|| rest.to_vec())),
        };
    }
}

/// A body in chunks: `None` as long as the last one is not there.
fn chunks(mut bytes: &[u8]) -> Result<Option<Vec<u8>>, String> {
    let mut body = Vec::new();
    loop {
        let Some(line) = bytes.iter().position(|&byte| byte == b'\n') else { return Ok(None) };
        let length = String::from_utf8_lossy(&bytes[..line]);
        let length = length.split(';').next().unwrap_or("").trim().to_string();
        let length = usize::from_str_radix(&length, 16).map_err(|_| "a chunk has no length".to_string())?;
        bytes = &bytes[line + 1..];
        if length == 0 {
            return Ok(Some(body));
        }
        if length > MOST_ANSWER {
            return Err("the answer is too long".to_string());
        }
        if bytes.len() <= length {
            return Ok(None);
        }
        body.extend_from_slice(&bytes[..length]);
        bytes = &bytes[length..];
        bytes = bytes.strip_prefix(b"\r\n").or_else(|| bytes.strip_prefix(b"\n")).unwrap_or(bytes);
    }
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
        let ask = |url: &str| {
            let address = Address::read(url).expect("an address");
            ask(&address, "x", "( INFO )", Instant::now() + Duration::from_millis(300), &|| false)
        };
        assert_eq!(ask(&with_answer(b"HTTP/1.0 200 OK\r\n\r\nready", false)), Ok("ready".into()));
        assert_eq!(ask(&with_answer(b"HTTP/1.0 200 OK\nContent-Length: 5\n\nready!", true)), Ok("ready".into()));
        assert_eq!(ask(&with_answer(b"", true)), Err(Failure::Late));
        assert!(matches!(ask(&with_answer(b"", false)), Err(Failure::Broken(_))));
        assert!(matches!(ask(&with_answer(b"rubbish", false)), Err(Failure::Broken(_))));
        assert!(matches!(ask("http://127.0.0.1:1"), Err(Failure::Broken(_))));
        for (answer, body) in [
            (&b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n(ma\r\n6;x\r\nrk 1 1\r\n1\r\n)\r\n0\r\n\r\n"[..], "(mark 1 1)"),
            (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Made\r\ncontent-length:2\r\n\r\nok", "ok"),
        ] {
            assert_eq!(ask(&with_answer(answer, true)), Ok(body.into()));
        }
        for answer in [
            &b"HTTP/1.0 500 Oops\r\n\r\nnoop"[..],
            b"HTTP/1.0 404 Not Found\r\nContent-Length: 4\r\n\r\nnoop",
            b"HTTP/1.0 302 Elsewhere\r\n\r\n",
            b"HTTP/1.0 200 OK\r\nContent-Length: 10\r\n\r\nnoop",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nnoop",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnoop\r\n",
        ] {
            let given = ask(&with_answer(answer, false));
            assert!(matches!(given, Err(Failure::Broken(_))), "{given:?} to {}", String::from_utf8_lossy(answer));
        }
    }

    #[test]
    fn who_has_had_enough_need_not_wait() {
        let address = Address::read(&with_answer(b"", true)).expect("an address");
        let began = Instant::now();
        let given = ask(&address, "x", "( INFO )", began + Duration::from_secs(60), &|| {
            began.elapsed() > Duration::from_millis(200)
        });
        assert_eq!(given, Err(Failure::Late));
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    }

    #[test]
    fn addresses() {
        for (url, place, path) in [
            ("http://h", "h:9147", ""),
            ("HTTP://Host:80/", "host:80", ""),
            ("http://127.0.0.1:1/a/b?c", "127.0.0.1:1", "a/b?c"),
            ("http://[::1]", "[::1]:9147", ""),
            ("http://[::1]:7/", "[::1]:7", ""),
        ] {
            let address = Address::read(url).expect(url);
            assert_eq!((&address.place[..], &address.path[..]), (place, path));
        }
        for (url, part) in [
            ("http://", "no host"),
            ("http://:80", "no host"),
            ("http:///x", "no host"),
            ("http://h:65536", "1 to 65535"),
            ("http://h:0", "1 to 65535"),
            ("http://h:", "1 to 65535"),
            ("http://h:1:2", "1 to 65535"),
            ("https://h", "only http:// is supported"),
            ("ftp://h", "does not begin with http://"),
            ("http://h h", "blank"),
        ] {
            let error = Address::read(url).expect_err(url);
            assert!(error.contains(part), "{url}: {error}");
        }
    }
}
