//! A studio in this process, and just enough HTTP to talk to it.
#![allow(dead_code)]

pub mod browser;
pub mod plans;

use agent::Resources;
use game::Cancel;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::thread::JoinHandle;
use std::time::Duration;
use studio::{Options, Server};

/// A studio that ends with its owner.
pub struct Running {
    pub address: SocketAddr,
    pub token: String,
    cancel: Cancel,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    pub fn start(folder: &Path, tables: Option<&Path>) -> Running {
        let cancel = Cancel::new();
        let resources = Resources { tables: tables.map(Path::to_path_buf), ..Resources::default() };
        let options =
            Options { host: "127.0.0.1".into(), port: 0, folder: folder.to_path_buf(), results: Vec::new(), resources };
        let server = Server::bind(options, &cancel).expect("it listens");
        let address = server.address();
        let thread = std::thread::spawn(move || server.run().expect("it serves"));
        let mut running = Running { address, token: String::new(), cancel, thread: Some(thread) };
        let page = running.ask("GET", "/", &[], "");
        let token = page.body.split("studio-token\" content=\"").nth(1).and_then(|rest| rest.split('"').next());
        running.token = token.expect("the page has the token").to_string();
        running
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// A request as it is written; `Host` is ours unless another one is given.
    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time");
        let host = headers
            .iter()
            .find(|(name, _)| *name == "host")
            .map_or(self.address.to_string(), |(_, host)| host.to_string());
        let mut request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {}\r\n",
            body.len()
        );
        for (name, value) in headers.iter().filter(|(name, _)| *name != "host") {
            request += &format!("{name}: {value}\r\n");
        }
        stream.write_all(format!("{request}\r\n{body}").as_bytes()).expect("it can be sent");
        let mut text = String::new();
        let _ = stream.read_to_string(&mut text);
        Answer::read(&text)
    }

    /// The head and the bytes of an answer.
    pub fn raw(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time");
        let more: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let request = format!("{method} {path} HTTP/1.0\r\nhost: {}\r\n{more}\r\n", self.address);
        stream.write_all(request.as_bytes()).expect("it can be sent");
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
        let body = bytes.split_off(end + 4);
        (String::from_utf8(bytes).expect("text"), body)
    }

    pub fn get(&self, path: &str) -> Value {
        let answer = self.ask("GET", path, &[], "");
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        serde_json::from_str(&answer.body).expect("JSON")
    }

    pub fn send(&self, path: &str, body: &Value) -> Answer {
        let headers = [("content-type", "application/json"), ("x-studio-token", &self.token)];
        self.ask("POST", path, &headers, &body.to_string())
    }

    pub fn post(&self, path: &str, body: &Value) -> Value {
        let answer = self.send(path, body);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        serde_json::from_str(&answer.body).expect("JSON")
    }

    /// Waits until something is true of a match.
    pub fn wait(&self, id: &str, what: &str, is: impl Fn(&Value) -> bool) -> Value {
        for _ in 0..600 {
            let whole = self.get(&format!("/api/match/{id}"));
            if is(&whole) {
                return whole;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("{what} does not happen: {}", self.get(&format!("/api/match/{id}")));
    }

    /// The first news of a match.
    pub fn news(&self, id: &str, count: usize) -> Vec<Value> {
        let mut stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time");
        let request = format!("GET /api/events?match={id} HTTP/1.1\r\nhost: {}\r\n\r\n", self.address);
        stream.write_all(request.as_bytes()).expect("it can be sent");
        let lines = BufReader::new(stream).lines().map_while(Result::ok);
        let data = lines.filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok());
        data.take(count).collect()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.cancel.cancel();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// An answer.
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    fn read(text: &str) -> Answer {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).unwrap_or(0);
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_string()))
            .collect();
        let chunked = headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
        let body = if chunked { dechunked(body) } else { body.to_string() };
        Answer { status, headers, body }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

fn dechunked(mut body: &str) -> String {
    let mut all = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let Ok(size) = usize::from_str_radix(size.trim(), 16) else { break };
        if size == 0 || rest.len() < size {
            break;
        }
        all += &rest[..size];
        body = rest[size..].trim_start_matches("\r\n");
    }
    all
}
