//! `ludens studio` as a program: how soon the first page is there, and what is left when it is killed.
//!
//! `cargo test --release --test studio -- --nocapture` prints the figures of docs/studio.md.

mod support;

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// A studio in a process of its own; it is killed with its owner.
struct Studio {
    child: Child,
    place: String,
    token: String,
    /// From the start of the process until the first page was there.
    first_page: Duration,
}

fn ask(place: &str, method: &str, path: &str, token: &str, body: &str) -> Option<String> {
    let mut stream = TcpStream::connect(place).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(30))).ok()?;
    let request = format!(
        "{method} {path} HTTP/1.0\r\nhost: {place}\r\ncontent-type: application/json\r\nx-studio-token: {token}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).ok()?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    head.lines().next()?.contains(" 200 ").then(|| body.to_string())
}

impl Studio {
    fn start(folder: &Path, more: &[&str], input: Stdio) -> Studio {
        let began = Instant::now();
        let mut command = support::program();
        command.args(["studio", "--no-open", "--folder"]).arg(folder).args(more);
        let mut child = command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("it is piped")).read_line(&mut line).expect("it says where it is");
        let place =
            line.split("http://").nth(1).and_then(|rest| rest.split('/').next()).expect("an address").to_string();
        let page = ask(&place, "GET", "/", "", "").expect("a page");
        // What the first page asks for before somebody sees the games.
        for path in
            ["/assets/studio.css", "/assets/app.js", "/api/games", "/picture/amazons-small.svg", "/picture/chess.svg"]
        {
            ask(&place, "GET", path, "", "").unwrap_or_else(|| panic!("{path}"));
        }
        let first_page = began.elapsed();
        let token = page.split("studio-token\" content=\"").nth(1).and_then(|rest| rest.split('"').next());
        let token = token.expect("the page has a token").to_string();
        Studio { child, place, token, first_page }
    }

    fn get(&self, path: &str) -> Value {
        let text = ask(&self.place, "GET", path, &self.token, "").unwrap_or_else(|| panic!("{path}"));
        serde_json::from_str(&text).expect("JSON")
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let text = ask(&self.place, "POST", path, &self.token, &body.to_string());
        serde_json::from_str(&text.unwrap_or_else(|| panic!("{path}"))).expect("JSON")
    }

    /// Kills it at once, as the system does where memory is short.
    fn kill(mut self) {
        self.child.kill().expect("it can be killed");
        let _ = self.child.wait();
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

#[test]
fn the_first_page_is_there_at_once_and_clicks_are_answered() {
    let folder = support::folder("studio-times");
    let studio = Studio::start(&folder, &[], Stdio::null());
    println!("first page: {:.0} ms after the start of the process", 1000.0 * studio.first_page.as_secs_f64());
    // Ten times what it takes alone on two cores, for machines that do much else.
    assert!(studio.first_page < Duration::from_secs(10), "{:?}", studio.first_page);
    for game in ["connect-four", "chess", "othello"] {
        let seats = json!([{"kind": "person"}, {"kind": "person"}]);
        let begun = studio.post("/api/matches", &json!({"game": game, "seats": seats}));
        let id = begun["id"].as_str().expect("a name").to_string();
        let mut times = Vec::new();
        for node in 0..12 {
            let scene = studio.get(&format!("/api/match/{id}/node/{node}"));
            if !scene["goals"].is_null() {
                break;
            }
            let role = usize::from(scene["legal"][0]["moves"].as_array().expect("moves").len() < 2);
            let mv = scene["legal"][role]["moves"][0]["move"].clone();
            // From the click to the board that follows: the move, and the position after it.
            let began = Instant::now();
            studio.post(&format!("/api/match/{id}/move"), &json!({"node": node, "role": role, "move": mv}));
            let path = format!("/api/match/{id}/node/{}", node + 1);
            while ask(&studio.place, "GET", &path, "", "").is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
            times.push(began.elapsed());
        }
        let (worst, middle) = (*times.iter().max().expect("moves"), median(times.clone()));
        println!(
            "{game}: a click is answered within {:.0} ms, at most {:.0} ms",
            1000.0 * middle.as_secs_f64(),
            1000.0 * worst.as_secs_f64()
        );
        assert!(middle < Duration::from_millis(1000), "{game}: {middle:?}");
    }
}

#[test]
fn whoever_kills_the_server_loses_no_finished_move() {
    let folder = support::folder("studio-killed");
    let studio = Studio::start(&folder, &[], Stdio::null());
    let random = json!({"kind": "player", "player": "random"});
    let begun = studio.post("/api/matches", &json!({"game": "breakthrough", "seats": [random, random], "delay": 0.02}));
    let id = begun["id"].as_str().expect("a name").to_string();
    // What somebody who watches has heard of is on the disk.
    let stream = TcpStream::connect(&studio.place).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a time");
    (&stream)
        .write_all(format!("GET /api/events?match={id} HTTP/1.1\r\nhost: {}\r\n\r\n", studio.place).as_bytes())
        .expect("it can be sent");
    let mut heard: Vec<Value> = Vec::new();
    for line in BufReader::new(&stream).lines().map_while(Result::ok) {
        let Some(event) = line.strip_prefix("data: ").and_then(|text| serde_json::from_str::<Value>(text).ok()) else {
            continue;
        };
        match event["type"].as_str() {
            Some("whole") => heard.extend(event["whole"]["nodes"].as_array().cloned().unwrap_or_default()),
            Some("node") => heard.push(event["node"].clone()),
            _ => {}
        }
        if heard.len() > 15 {
            break;
        }
    }
    studio.kill();
    let again = Studio::start(&folder, &[], Stdio::null());
    let nodes = again.get(&format!("/api/match/{id}"))["nodes"].as_array().cloned().expect("positions");
    for node in &heard {
        let at = node["id"].as_u64().expect("a number") as usize;
        assert_eq!(nodes.get(at).map(|kept| &kept["moves"]), Some(&node["moves"]), "position {at} was lost");
    }
    println!("{} finished moves heard of, {} kept", heard.len() - 1, nodes.len() - 1);
}

#[test]
fn a_match_that_is_played_elsewhere_is_followed() {
    let folder = support::folder("studio-follows");
    let run = support::ludens(&["match", "nim", "--player", "random", "--player", "random", "--seed", "3", "--stream"]);
    let steps = run.out.lines().filter(|line| line.contains("\"event\":\"step\"")).count();
    assert!(steps > 0, "{}", run.out);
    let mut studio = Studio::start(&folder, &["--follow"], Stdio::piped());
    studio.child.stdin.take().expect("it is piped").write_all(run.out.as_bytes()).expect("it reads");
    for _ in 0..200 {
        let lines = studio.get("/api/matches");
        if lines[0]["steps"].as_u64() == Some(steps as u64) {
            assert_eq!(lines[0]["game"], "nim");
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("{}", studio.get("/api/matches"));
}

#[test]
fn a_player_that_a_manager_talks_to_is_followed() {
    let folder = support::folder("studio-follows-player");
    let mut player = support::program();
    player.args(["player", "--port", "0", "--player", "random", "--seed", "5", "--stream"]);
    let mut player = player.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut line = String::new();
    BufReader::new(player.stderr.take().expect("it is piped")).read_line(&mut line).expect("it says where it is");
    let place = line.split("http://").nth(1).and_then(|rest| rest.split(' ').next()).expect("an address").to_string();
    // The studio reads what the player writes, as in a pipe of the shell.
    let studio = Studio::start(&folder, &["--follow"], Stdio::from(player.stdout.take().expect("it is piped")));
    let remote = format!("http://{place}");
    let run = support::ludens(&[
        "match",
        "tic-tac-toe",
        "--player",
        &remote,
        "--player",
        "random",
        "--seed",
        "3",
        "--stream",
    ]);
    let steps = run.out.lines().filter(|line| line.contains("\"event\":\"step\"")).count() as u64;
    let mut last = Value::Null;
    for _ in 0..200 {
        last = studio.get("/api/matches");
        if last[0]["steps"].as_u64() == Some(steps) && last[0]["over"] == true {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let _ = player.kill();
    let _ = player.wait();
    assert!(steps >= 5, "{}", run.out);
    assert_eq!((last[0]["steps"].as_u64(), &last[0]["over"]), (Some(steps), &Value::Bool(true)), "{last}");
}
