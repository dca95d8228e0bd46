//! As much HTTP as the protocol between managers and players needs, on plain sockets: a server that survives whatever is
//! sent to it, and a client with time limits that hold.

mod client;
mod read;

pub use client::{Address, Failure, ask, body};
pub use read::{Incoming, Method, Refusal};

use game::Cancel;
use read::Stored;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Connections at a time. Beyond this the oldest one that has not sent its whole request yet is closed, so that those
/// who send nothing cannot keep others out.
const MOST_CONNECTIONS: usize = 128;

/// Bytes of unfinished requests at a time, over all connections.
const MOST_BYTES: usize = 96 << 20;

/// How long a request may take to arrive, and an answer to be taken.
const PATIENCE: Duration = Duration::from_secs(10);

/// A request that has arrived.
pub struct Request {
    /// The message: the body, or what stands behind the slash of a GET.
    pub message: String,
    /// When the connection was made: the sender's clock runs since then.
    pub since: Instant,
}

/// An answer.
pub struct Response {
    /// The status.
    pub status: u16,
    /// The body.
    pub body: String,
}

/// What all connections share.
#[derive(Default)]
struct Connections {
    count: AtomicUsize,
    bytes: Arc<AtomicUsize>,
    /// Those that have not sent their whole request yet, oldest first.
    reading: Mutex<VecDeque<(u64, TcpStream)>>,
    number: AtomicU64,
}

impl Connections {
    fn reading(&self) -> std::sync::MutexGuard<'_, VecDeque<(u64, TcpStream)>> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn leave_reading(&self, number: u64) {
        self.reading().retain(|(known, _)| *known != number);
    }

    /// Closes the connection that has been sending for the longest time.
    fn drop_oldest(&self) {
        if let Some((_, stream)) = self.reading().pop_front() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// Counts a connection for as long as it lasts, whatever ends it.
struct OpenConnection {
    all: Arc<Connections>,
    number: u64,
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.all.leave_reading(self.number);
        self.all.count.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Answers requests until it is cancelled. `answer` is called from many threads at once.
pub fn serve(listener: TcpListener, cancel: &Cancel, answer: impl Fn(Request) -> Response + Send + Sync + 'static) {
    let all = Arc::new(Connections::default());
    let answer = Arc::new(answer);
    if let Ok(address) = listener.local_addr() {
        let cancel = cancel.clone();
        // Without a thread the server ends with the next request after the cancellation.
        let _ = thread::Builder::new().name("wake".into()).spawn(move || wake(address, &cancel));
    }
    while !cancel.is_cancelled() {
        let stream = match listener.accept() {
            Ok(_) if cancel.is_cancelled() => return,
            Ok((stream, _)) => stream,
            Err(_) => {
                // Too many open files, or a client that was gone before it was met: neither is the end.
                all.drop_oldest();
                thread::sleep(Duration::from_millis(5));
                continue;
            }
        };
        let since = Instant::now();
        if all.count.load(Ordering::SeqCst) >= MOST_CONNECTIONS {
            all.drop_oldest();
            let until = Instant::now() + Duration::from_millis(200);
            while all.count.load(Ordering::SeqCst) >= MOST_CONNECTIONS && Instant::now() < until {
                thread::sleep(Duration::from_millis(1));
            }
            if all.count.load(Ordering::SeqCst) >= MOST_CONNECTIONS {
                refuse(stream);
                continue;
            }
        }
        let number = all.number.fetch_add(1, Ordering::Relaxed);
        all.count.fetch_add(1, Ordering::SeqCst);
        let open = OpenConnection { all: Arc::clone(&all), number };
        let Ok(twin) = stream.try_clone() else { continue };
        all.reading().push_back((number, twin));
        let answer = Arc::clone(&answer);
        let body = move || serve_one(stream, since, open, &*answer);
        // Without a thread the connection is closed, which is an answer too.
        let _ = thread::Builder::new().name("request".into()).stack_size(1 << 20).spawn(body);
    }
}

/// Waits for the cancellation, and then knocks at our own door: whoever waits there for a connection looks at nothing else.
fn wake(address: SocketAddr, cancel: &Cancel) {
    while !cancel.is_cancelled() {
        thread::sleep(Duration::from_millis(50));
    }
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    let _ = TcpStream::connect_timeout(&SocketAddr::new(ip, address.port()), Duration::from_secs(1));
}

/// Reads one request from whatever can be read, as the server does from a socket.
///
/// ```
/// let request = host::http::read_request(&b"POST / HTTP/1.0\r\nContent-Length: 8\r\n\r\n( INFO )"[..]);
/// assert_eq!(request.unwrap().message, "( INFO )");
/// ```
///
/// # Errors
/// What is said to whoever sends something else.
pub fn read_request(from: impl io::Read) -> Result<Incoming, Refusal> {
    let budget = Budget { used: Arc::default(), taken: 0 };
    read::request(&mut Stored(from), Instant::now() + PATIENCE, budget)
}

/// Everybody is busy: says so without waiting for the request.
fn refuse(mut stream: TcpStream) {
    let _ = stream.set_write_timeout(Some(Duration::from_millis(50)));
    let _ = stream.write_all(&bytes(&Response { status: 503, body: "busy".into() }, false));
}

fn serve_one(mut stream: TcpStream, since: Instant, open: OpenConnection, answer: &dyn Fn(Request) -> Response) {
    let _ = stream.set_nodelay(true);
    let _ = stream.set_write_timeout(Some(PATIENCE));
    let budget = Budget { used: Arc::clone(&open.all.bytes), taken: 0 };
    let incoming = read::request(&mut stream, since + PATIENCE, budget);
    open.all.leave_reading(open.number);
    let (response, head_only) = match incoming {
        Ok(Incoming { method: Method::Options, .. }) => (Response { status: 200, body: String::new() }, false),
        Ok(Incoming { method, message }) => (answer(Request { message, since }), method == Method::Head),
        Err(Refusal::Gone) => return,
        Err(Refusal::Say(status, why)) => (Response { status, body: why.to_string() }, false),
    };
    if stream.write_all(&bytes(&response, head_only)).and_then(|()| stream.flush()).is_ok() {
        close_gently(&mut stream);
    }
}

/// Closes a connection so that the answer arrives even if the client has sent more than was read: what still comes is
/// thrown away for a moment, since closing at once would make the system discard the answer as well.
fn close_gently(stream: &mut TcpStream) {
    let _ = stream.shutdown(Shutdown::Write);
    let _ = stream.set_read_timeout(Some(Duration::from_millis(50)));
    let until = Instant::now() + Duration::from_millis(500);
    let mut waste = [0; 8192];
    while Instant::now() < until {
        match io::Read::read(stream, &mut waste) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
    }
}

fn bytes(response: &Response, head_only: bool) -> Vec<u8> {
    let reason = match response.status {
        200 => "OK",
        400 => "Bad Request",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        413 => "Content Too Large",
        503 => "Service Unavailable",
        _ => "Error",
    };
    let mut text = format!(
        "HTTP/1.0 {} {reason}\r\nContent-type: text/acl\r\nContent-length: {}\r\nAccess-Control-Allow-Origin: *\r\n\
         Access-Control-Allow-Methods: POST, GET, OPTIONS\r\nAccess-Control-Allow-Headers: Content-Type, Sender, Receiver\r\n\
         Access-Control-Max-Age: 86400\r\nConnection: close\r\n\r\n",
        response.status,
        response.body.len()
    );
    if !head_only {
        text += &response.body;
    }
    text.into_bytes()
}

/// The part of the common memory that one request uses; given back when the request is read.
struct Budget {
    /// What all requests together have taken.
    used: Arc<AtomicUsize>,
    taken: usize,
}

impl Budget {
    /// Takes more; false if there is none left.
    fn take(&mut self, bytes: usize) -> bool {
        self.taken += bytes;
        self.used.fetch_add(bytes, Ordering::SeqCst) + bytes <= MOST_BYTES
    }
}

impl Drop for Budget {
    fn drop(&mut self) {
        self.used.fetch_sub(self.taken, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn server() -> std::net::SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        thread::spawn(move || {
            serve(listener, &Cancel::new(), |request| {
                let body = format!("[{}]", request.message);
                Response { status: 200, body }
            });
        });
        address
    }

    fn send(address: std::net::SocketAddr, text: &[u8], close: bool) -> String {
        let mut stream = TcpStream::connect(address).expect("it listens");
        stream.write_all(text).expect("it reads");
        if close {
            let _ = stream.shutdown(Shutdown::Write);
        }
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer.split_once("\r\n\r\n").map_or(answer.clone(), |(_, body)| body.to_string())
    }

    #[test]
    fn requests_of_many_forms() {
        let address = server();
        for (text, answer) in [
            (&b"POST / HTTP/1.0\r\nContent-Length: 8\r\n\r\n( INFO )"[..], "[( INFO )]"),
            (b"POST / HTTP/1.1\ncontent-length: 3\n\nabcdef", "[abc]"),
            (b"POST / HTTP/1.0\r\n\r\n(INFO)", "[(INFO)]"),
            (b"GET /%28+INFO%20%29 HTTP/1.1\r\n\r\n", "[( INFO )]"),
            (b"GET / HTTP/1.0\n\n", "[]"),
            (b"GET /\r\n\r\n", "[]"),
            (b"POST /\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x\r\nde\r\n0\r\n\r\n", "[abcde]"),
            (b"OPTIONS / HTTP/1.1\r\n\r\n", ""),
            (b"POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\n\xff\xfe", "[\u{fffd}\u{fffd}]"),
            (b"\r\nPOST / HTTP/1.0\r\nContent-Length: 0\r\n\r\n", "[]"),
        ] {
            let shown = String::from_utf8_lossy(text);
            assert_eq!(send(address, text, false), answer, "{shown}");
        }
        assert_eq!(send(address, b"POST / HTTP/1.0\r\n\r\n(INFO", true), "[(INFO]");
        // Managers that count characters, where the message has others than plain ones.
        let message = "( PLAY m ( (move \u{2654} \u{e4}) noop ) )";
        let (head, characters) = ("POST / HTTP/1.0\r\nContent-Length: ", message.chars().count());
        let sent = format!("{head}{characters}\r\n\r\n{message}");
        assert_eq!(send(address, sent.as_bytes(), false), format!("[{message}]"));
        let whole = format!("{head}{}\r\n\r\n{message} and more", message.len());
        assert_eq!(send(address, whole.as_bytes(), false), format!("[{message}]"));
        assert!(send(address, b"JUMP / HTTP/1.0\r\n\r\n", false).contains("POST"));
        assert!(send(address, b"POST / HTTP/1.0\r\nContent-Length: 99999999999\r\n\r\n", false).contains("too large"));
    }

    #[test]
    fn a_server_ends_when_it_is_told_to() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let cancel = Cancel::new();
        let own = cancel.clone();
        let server = thread::spawn(move || serve(listener, &own, |_| Response { status: 200, body: "here".into() }));
        assert_eq!(send(address, b"GET / HTTP/1.0\r\n\r\n", false), "here");
        let began = Instant::now();
        cancel.cancel();
        server.join().expect("it ends");
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
        assert!(TcpStream::connect(address).is_err(), "nobody listens any more");
    }

    #[test]
    fn those_who_send_nothing_keep_nobody_out() {
        let address = server();
        let idle: Vec<TcpStream> =
            (0..MOST_CONNECTIONS + 20).filter_map(|_| TcpStream::connect(address).ok()).collect();
        for _ in 0..5 {
            assert_eq!(send(address, b"GET /hello HTTP/1.0\r\n\r\n", false), "[hello]");
        }
        drop(idle);
    }
}
