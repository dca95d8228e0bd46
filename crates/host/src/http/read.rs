//! Reading a request from somebody who may be slow, confused or hostile.

use super::Budget;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The longest head of a request. A GET has its message there.
const MOST_HEAD: usize = 256 << 10;

/// The longest body: a rulesheet of the greatest length and what stands around it.
const MOST_BODY: usize = gdl::MAX_BYTES + (64 << 10);

/// The longest line before a chunk.
const MOST_CHUNK_LINE: usize = 1024;

/// Without a length, a whole message counts as the end if nothing follows for this long.
const PAUSE: Duration = Duration::from_millis(150);

/// Somebody who sends a request: a socket, or whatever else can be read.
pub trait Sender: Read {
    /// The next reads take no longer than this. What is never late has nothing to do.
    fn wait_at_most(&mut self, _wait: Duration) {}

    /// The sender waits for a word before it sends the body.
    fn go_on(&mut self) {}
}

impl Sender for TcpStream {
    fn wait_at_most(&mut self, wait: Duration) {
        let _ = self.set_read_timeout(Some(wait));
    }

    fn go_on(&mut self) {
        let _ = self.write_all(b"HTTP/1.1 100 Continue\r\n\r\n");
    }
}

/// Something that was stored, as if somebody sent it.
pub struct Stored<R>(pub R);

impl<R: Read> Read for Stored<R> {
    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        self.0.read(piece)
    }
}

impl<R: Read> Sender for Stored<R> {}

/// How a request was sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// The message is the body.
    Post,
    /// The message is the address.
    Get,
    /// As GET, but only the head of the answer is wanted.
    Head,
    /// A browser asks whether it may ask.
    Options,
}

/// A request as far as it matters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Incoming {
    /// How it was sent.
    pub method: Method,
    /// What it says.
    pub message: String,
}

/// Why there is no request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The client is gone.
    Gone,
    /// A status, and what to say.
    Say(u16, &'static str),
}

const TOO_LARGE: Refusal = Refusal::Say(413, "the request is too large");
const TOO_SLOW: Refusal = Refusal::Say(408, "the request did not arrive in time");

/// What has arrived so far.
struct Arriving<'a, S> {
    sender: &'a mut S,
    until: Instant,
    budget: Budget,
    bytes: Vec<u8>,
}

/// What came of waiting for more.
#[derive(PartialEq, Eq)]
enum More {
    Some,
    End,
    Pause,
}

impl<S: Sender> Arriving<'_, S> {
    /// Waits for more, at most until the deadline, or for a pause.
    fn more(&mut self, pause: Option<Duration>) -> Result<More, Refusal> {
        loop {
            let left = self.until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(TOO_SLOW);
            }
            let wait = pause.map_or(left, |pause| pause.min(left)).max(Duration::from_millis(1));
            self.sender.wait_at_most(wait);
            let mut piece = [0; 16 << 10];
            match self.sender.read(&mut piece) {
                Ok(0) => return Ok(More::End),
                Ok(count) => {
                    if !self.budget.take(count) {
                        return Err(Refusal::Say(503, "busy"));
                    }
                    self.bytes.extend_from_slice(&piece[..count]);
                    return Ok(More::Some);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    if pause.is_some() {
                        return Ok(More::Pause);
                    }
                }
                Err(_) => return Err(Refusal::Gone),
            }
        }
    }

    /// Where the body begins, once the head is there.
    fn head(&mut self) -> Result<usize, Refusal> {
        let mut seen = 0;
        loop {
            // Some clients send an empty line first.
            let blank = self.bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            if let Some(end) = head_end(&self.bytes, seen.max(blank)) {
                return Ok(end);
            }
            seen = self.bytes.len().saturating_sub(4).max(blank);
            if self.bytes.len() > MOST_HEAD {
                return Err(TOO_LARGE);
            }
            match self.more(None)? {
                More::End if self.bytes.len() == blank => return Err(Refusal::Gone),
                // A head without an end is a head all the same.
                More::End => return Ok(self.bytes.len()),
                _ => {}
            }
        }
    }

    /// Waits until so many bytes are there; a body that ends before is taken as it is. Some managers count characters
    /// where bytes are meant: a message with other than plain letters that is not whole yet goes on for as long as
    /// something follows at once. (What follows the message then is passed over by whoever reads it.)
    fn up_to(&mut self, from: usize, length: usize) -> Result<(), Refusal> {
        let end = from + length;
        while self.bytes.len() < end && self.more(None)? != More::End {}
        let is_cut = |bytes: &[u8]| !bytes.is_ascii() && !play::text::is_whole(&String::from_utf8_lossy(bytes));
        if self.bytes.get(from..end).is_none_or(|body| !is_cut(body)) {
            self.bytes.truncate(end);
            return Ok(());
        }
        // Three bytes for each of their characters, at most.
        let most = from + length.saturating_mul(3).min(MOST_BODY);
        while self.bytes.len() < most && self.more(Some(PAUSE))? == More::Some {}
        self.bytes.truncate(most);
        Ok(())
    }

    /// Reads a body of unknown length: to the end of the stream, or until the message is whole and nothing follows.
    fn until_end(&mut self, from: usize) -> Result<(), Refusal> {
        loop {
            if self.bytes.len() > from + MOST_BODY {
                return Err(TOO_LARGE);
            }
            // The check reads all that is there, so it is made only when nothing more comes at once.
            match self.more(Some(PAUSE))? {
                More::End => return Ok(()),
                More::Some => {}
                More::Pause => {
                    let body = String::from_utf8_lossy(&self.bytes[from..]);
                    if body.trim().is_empty() || play::text::is_whole(&body) {
                        return Ok(());
                    }
                    if self.more(None)? == More::End {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Reads a body in chunks.
    fn chunks(&mut self, mut at: usize) -> Result<Vec<u8>, Refusal> {
        let mut body = Vec::new();
        loop {
            let line_end = loop {
                let line = &self.bytes[at..];
                if let Some(end) = line.iter().take(MOST_CHUNK_LINE).position(|&byte| byte == b'\n') {
                    break at + end;
                }
                if line.len() > MOST_CHUNK_LINE {
                    return Err(Refusal::Say(400, "a chunk has no length"));
                }
                if self.more(None)? == More::End {
                    return Ok(body);
                }
            };
            let line = String::from_utf8_lossy(&self.bytes[at..line_end]);
            let length = line.trim().split(';').next().unwrap_or("").trim();
            let length = usize::from_str_radix(length, 16).map_err(|_| Refusal::Say(400, "a chunk has no length"))?;
            if length == 0 {
                return Ok(body);
            }
            if length > MOST_BODY || body.len() + length > MOST_BODY {
                return Err(TOO_LARGE);
            }
            let end = line_end + 1 + length;
            while self.bytes.len() < end + 1 {
                if self.more(None)? == More::End {
                    break;
                }
            }
            body.extend_from_slice(&self.bytes[line_end + 1..end.min(self.bytes.len())]);
            // The line break behind the chunk.
            at = end.min(self.bytes.len());
            while self.bytes.len() < at + 2 && self.bytes.get(at) == Some(&b'\r') {
                if self.more(None)? == More::End {
                    break;
                }
            }
            at += self.bytes[at..].iter().take(2).take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        }
    }
}

/// Where the body begins: behind the first empty line, with or without carriage returns.
pub fn head_end(bytes: &[u8], from: usize) -> Option<usize> {
    let from = from.min(bytes.len());
    for (at, _) in bytes[from..].iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
        match bytes[from + at + 1..] {
            [b'\n', ..] => return Some(from + at + 2),
            [b'\r', b'\n', ..] => return Some(from + at + 3),
            _ => {}
        }
    }
    None
}

/// Reads one request.
pub(super) fn request<S: Sender>(sender: &mut S, until: Instant, budget: Budget) -> Result<Incoming, Refusal> {
    let mut arriving = Arriving { sender, until, budget, bytes: Vec::new() };
    let from = arriving.head()?;
    let head = String::from_utf8_lossy(&arriving.bytes[..from]).into_owned();
    let mut lines = head.trim_start_matches(['\r', '\n']).lines();
    let mut first = lines.next().unwrap_or("").split_whitespace();
    let (method, path) = (first.next().unwrap_or("").to_ascii_uppercase(), first.next().unwrap_or("/"));
    let method = match &method[..] {
        "POST" | "PUT" => Method::Post,
        "GET" => Method::Get,
        "HEAD" => Method::Head,
        "OPTIONS" => Method::Options,
        _ => return Err(Refusal::Say(405, "send messages with POST, or with GET in the address")),
    };
    if method != Method::Post {
        return Ok(Incoming { method, message: decoded(path.strip_prefix('/').unwrap_or(path)) });
    }
    let headers: Vec<(String, &str)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim()))
        .collect();
    let header = |name: &str| headers.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
    if header("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue")) {
        arriving.sender.go_on();
    }
    let body = if header("transfer-encoding").is_some_and(|value| value.to_ascii_lowercase().contains("chunked")) {
        arriving.chunks(from)?
    } else {
        match header("content-length").map(str::parse::<usize>) {
            Some(Ok(length)) if length > MOST_BODY => return Err(TOO_LARGE),
            Some(Ok(length)) => arriving.up_to(from, length)?,
            // A length that is not a number: as good as none.
            Some(Err(_)) if header("content-length").is_some_and(is_huge) => return Err(TOO_LARGE),
            _ => arriving.until_end(from)?,
        }
        std::mem::take(&mut arriving.bytes).split_off(from)
    };
    Ok(Incoming { method, message: String::from_utf8_lossy(&body).into_owned() })
}

/// A number that is too large to be one.
fn is_huge(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// An address without its escapes: `%28` is a parenthesis, `+` a space.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let digits = bytes.get(at + 1..at + 3).and_then(|digits| std::str::from_utf8(digits).ok());
        match (bytes[at], digits.and_then(|digits| u8::from_str_radix(digits, 16).ok())) {
            (b'%', Some(value)) => {
                out.push(value);
                at += 2;
            }
            (b'+', _) => out.push(b' '),
            (byte, _) => out.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}
