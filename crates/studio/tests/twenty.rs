//! Twenty matches watched at once: how long news take from the move to whoever listens, and how long a position takes to be drawn meanwhile.
//!
//! `cargo test --release -p studio --test twenty -- --nocapture` prints the figures of docs/studio.md.

mod support;

use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant, SystemTime};
use support::Running;

const MATCHES: usize = 20;
const SECONDS: u64 = 6;

fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis() as u64
}

fn sorted(mut times: Vec<u64>) -> (u64, u64, u64) {
    times.sort_unstable();
    (times[times.len() / 2], times[times.len() * 95 / 100], times[times.len() - 1])
}

/// Hears news for some seconds: when each position was heard of, and how long some took to be drawn.
fn listen(studio: &Running, stream: &TcpStream) -> (HashMap<(String, u64), u64>, Vec<u64>) {
    let until = Instant::now() + Duration::from_secs(SECONDS);
    let mut heard: HashMap<(String, u64), u64> = HashMap::new();
    let mut drawn = Vec::new();
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        let Some(event) = line.strip_prefix("data: ").and_then(|text| serde_json::from_str::<Value>(text).ok()) else {
            continue;
        };
        if event["type"] == "node" {
            let key = (event["match"].as_str().unwrap().to_string(), event["node"]["id"].as_u64().unwrap());
            let is_new = !heard.contains_key(&key);
            heard.entry(key.clone()).or_insert_with(now);
            if is_new && heard.len().is_multiple_of(10) {
                let began = Instant::now();
                studio.get(&format!("/api/match/{}/node/{}", key.0, key.1));
                drawn.push(began.elapsed().as_millis() as u64);
            }
        }
        if Instant::now() > until {
            break;
        }
    }
    (heard, drawn)
}

#[test]
fn twenty_matches_are_watched_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let studio = Running::start(folder.path(), None);
    let games = ["connect-four", "breakthrough", "othello", "hex", "checkers"];
    let uct = json!({"kind": "player", "player": "uct:playouts=30,threads=1"});
    let ids: Vec<String> = (0..MATCHES)
        .map(|at| {
            let body = json!({"game": games[at % games.len()], "seats": [uct, uct], "delay": 0.5, "paused": true});
            studio.post("/api/matches", &body)["id"].as_str().unwrap().to_string()
        })
        .collect();
    // Engines are made by the first move of a game; that is no matter of watching.
    for id in &ids[..games.len()] {
        studio.post(&format!("/api/match/{id}/step"), &json!({}));
        studio.wait(id, "a first step", |whole| whole["nodes"].as_array().unwrap().len() > 1);
    }
    let stream = TcpStream::connect(studio.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
    let request = format!("GET /api/events?match={} HTTP/1.1\r\nhost: {}\r\n\r\n", ids.join(","), studio.address);
    (&stream).write_all(request.as_bytes()).unwrap();
    let began = now();
    // Matches are set going by another thread: whoever did it here would hear of the first moves only after the last request.
    let (heard, drawn) = std::thread::scope(|scope| {
        scope.spawn(|| {
            let go = json!({"paused": false});
            ids.iter().for_each(|id| drop(studio.post(&format!("/api/match/{id}/change"), &go)));
        });
        listen(&studio, &stream)
    });
    let mut late = Vec::new();
    for id in &ids {
        let whole = studio.get(&format!("/api/match/{id}"));
        let current = whole["state"]["current"].as_u64().unwrap();
        let record = studio.get(&format!("/api/match/{id}/record/{current}"));
        let times = record["stateTimes"].as_array().unwrap();
        for (at, time) in times.iter().enumerate().skip(1) {
            // A position is told again when it was thought about; those from before are no news.
            let heard = heard.get(&(id.clone(), at as u64)).filter(|_| time.as_u64().unwrap() >= began);
            if let Some(heard) = heard {
                late.push(heard.saturating_sub(time.as_u64().unwrap()));
            }
        }
    }
    assert!(late.len() >= MATCHES, "{} news of {MATCHES} matches", late.len());
    let ((late_half, late_most, latest), (drawn_half, drawn_most, longest)) = (sorted(late.clone()), sorted(drawn));
    println!(
        "{MATCHES} matches, {} moves in {SECONDS} s: news after {late_half} ms (95 %: {late_most}, at most {latest}), a position drawn in {drawn_half} ms (95 %: {drawn_most}, at most {longest})",
        late.len()
    );
    // For machines that do much else: alone it is a few milliseconds.
    assert!(late_half < 1000 && drawn_half < 1000);
}
