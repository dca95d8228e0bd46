//! `ludens player` as managers and enemies see it.

mod support;

use game::random::Rng;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::time::{Duration, Instant};
use support::Server;

/// The rules of a game of the library, as managers send them.
fn rules(name: &str) -> String {
    support::ludens(&["show", "rules", name]).out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// One of many kinds of requests that no player should get.
fn hostile(rng: &mut Rng, number: usize) -> Vec<u8> {
    let post = |body: &str| format!("POST / HTTP/1.0\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes();
    let noise = |rng: &mut Rng, most: usize| -> Vec<u8> { (0..rng.below(most)).map(|_| rng.bits() as u8).collect() };
    match number % 25 {
        0 => noise(rng, 2000),
        1 => b"POST / HTTP/1.0\r\nContent-Length: 5000\r\n\r\n( INFO )".to_vec(),
        2 => b"POST / HTTP/1.0\r\nContent-Length: 99999999999999999999999\r\n\r\n( INFO )".to_vec(),
        3 => b"GET /%%%%28%zz%2 HTTP/9.9\r\n\r\n".to_vec(),
        4 => post(&"(".repeat(50_000)),
        5 => post(&(")".repeat(1000) + &"( START ".repeat(1000))),
        6 => post("( START m a ( (role a) (legal a ) 1 1 )"),
        7 => post(
            "( START m a ( (role a) (<= (legal a ?x) (p ?x)) (p z) (<= (p (s ?x)) (p ?x)) (<= terminal (p q)) ) 0 0 )",
        ),
        8 => post("( PLAY nothing ( a b c ) )"),
        9 => post("( STOP nothing NIL )"),
        10 => post("( ABORT )"),
        11 => [&b"POST / HTTP/1.1\r\nX: "[..], &vec![b'x'; 300_000]].concat(),
        12 => Vec::new(),
        13 => b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nabc".to_vec(),
        14 => b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n\r\n".to_vec(),
        15 => b"OPTIONS * HTTP/1.1\r\n\r\n".to_vec(),
        16 => post("\0\0\0( INFO\0 )"),
        17 => post("( START \u{202e}m \u{1f600} ( (role \u{1f600}) ) 1e999 -0 )"),
        18 => [&b"POST / HTTP/1.0\r\nContent-Length: 400\r\n\r\n"[..], &noise(rng, 400)].concat(),
        19 => b"DELETE /everything HTTP/1.0\r\n\r\n".to_vec(),
        20 => post(&format!("( PREVIEW ( {} ) 1 )", "(role a) ".repeat(5000))),
        21 => b"\n\n\n\r\r\r\n".to_vec(),
        22 => b"POST / HTTP/1.0\r\nContent-Length: 8\r\nContent-Length: 9000\r\n\r\n( INFO )".to_vec(),
        23 => post("( START x a ( (role a) (init (p 1)) (legal a b) (<= terminal (true z)) ) 0 0 )"),
        _ => post(&String::from_utf8_lossy(&noise(rng, 3000))),
    }
}

#[test]
fn a_thousand_hostile_requests_leave_it_answering() {
    let server = Server::new("random");
    let began = Instant::now();
    let mut rng = Rng::new(7);
    let mut lingering = Vec::new();
    for number in 0..1000 {
        let mut stream = server.connect();
        // The server may close before it has read everything.
        let _ = stream.write_all(&hostile(&mut rng, number));
        match number % 7 {
            // Gone without waiting for the answer.
            0..=3 => drop(stream),
            // Ends its half, and takes whatever comes.
            4 => {
                let _ = stream.shutdown(Shutdown::Write);
                let _ = stream.set_read_timeout(Some(Duration::from_millis(100)));
                let _ = stream.read_to_end(&mut Vec::new());
            }
            // Stays, and says nothing more.
            _ => lingering.push(stream),
        }
        if number % 100 == 99 {
            assert!(server.ask("( INFO )").starts_with("( ( name Target ) ( status "), "after {number}");
        }
    }
    drop(lingering);
    // Two of the kinds begin matches; the last of them may still be on their way.
    let until = Instant::now() + Duration::from_secs(5);
    while server.ask("( INFO )") != "( ( name Target ) ( status available ) )" {
        assert!(Instant::now() < until, "it stays busy");
        server.ask("( ABORT x )");
        server.ask("( ABORT m )");
    }
    assert_eq!(server.ask(&format!("( START after x ( {} ) 5 5 )", rules("tic-tac-toe"))), "ready");
    assert!(server.ask("( PLAY after NIL )").starts_with("(mark "));
    assert_eq!(server.ask("( STOP after NIL )"), "done");
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

#[test]
fn it_answers_in_the_symbols_received() {
    let server = Server::new("uct:playouts=100");
    let loud = rules("tic-tac-toe").to_uppercase();
    assert_eq!(server.ask(&format!("( START LOUD X ( {loud} ) 5 2 )")), "ready");
    let mv = server.ask("( PLAY LOUD NIL )");
    assert!(mv.starts_with("(MARK "), "{mv}");
    let reply = server.ask(&format!("( PLAY LOUD ( {} NOOP ) )", mv.to_lowercase()));
    assert_eq!(reply, "NOOP");
    assert_eq!(server.ask("( STOP LOUD NIL )"), "done");
}

#[test]
fn the_clock_holds_even_for_large_rules() {
    let server = Server::new("portfolio");
    let rules = rules("chess");
    let began = Instant::now();
    assert_eq!(server.ask(&format!("( START big white ( {rules} ) 3 2 )")), "ready");
    assert!(began.elapsed() < Duration::from_millis(3500), "{:?}", began.elapsed());
    let began = Instant::now();
    let mv = server.ask("( PLAY big NIL )");
    assert!(mv.starts_with('('), "{mv}");
    assert!(began.elapsed() < Duration::from_millis(3000), "{:?}", began.elapsed());
    assert_eq!(server.ask("( ABORT big )"), "aborted");
}

#[test]
fn an_aborted_match_is_forgotten_at_once() {
    let server = Server::new("uct");
    assert_eq!(server.ask(&format!("( START long red ( {} ) 1 600 )", rules("connect-four"))), "ready");
    let began = Instant::now();
    std::thread::scope(|scope| {
        let thinking = scope.spawn(|| server.ask("( PLAY long NIL )"));
        std::thread::sleep(Duration::from_millis(300));
        // Whoever asks again ends the first search.
        let again = scope.spawn(|| server.ask("( PLAY long NIL )"));
        assert!(thinking.join().expect("no crash").starts_with("(drop "));
        std::thread::sleep(Duration::from_millis(300));
        assert_eq!(server.ask("( ABORT long )"), "aborted");
        assert_eq!(server.ask("( INFO )"), "( ( name Target ) ( status available ) )");
        assert_eq!(again.join().expect("no crash"), "busy");
    });
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    assert_eq!(server.ask("( PLAY long NIL )"), "busy");
    assert_eq!(server.ask(&format!("( START next red ( {} ) 1 1 )", rules("nim"))), "busy", "nim has no red");
    assert_eq!(server.ask(&format!("( START next x ( {} ) 1 1 )", rules("tic-tac-toe"))), "ready");
}

#[test]
fn players_are_listed() {
    let run = support::ludens(&["players"]);
    for kind in
        ["portfolio", "uct", "alpha-beta", "exhaustive", "monte-carlo", "greedy", "random", "legal", "human", "remote"]
    {
        assert!(run.out.lines().any(|line| line.starts_with(kind)), "{kind}:\n{}", run.out);
    }
    assert!(support::ludens(&["players", "--json"]).json().as_array().is_some_and(|kinds| kinds.len() >= 10));
    let run = support::ludens(&["player", "--port", "0", "--player", "genius"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("there is no player \"genius\""), "{}", run.err);
}

/// A role with 20⁴ moves in every state.
#[test]
fn very_many_legal_moves_are_no_reason_to_be_late() {
    let server = Server::new("portfolio");
    let numbers: String = (0..20).map(|n| format!("(d {n}) ")).collect();
    let rules = format!(
        "(role a) (init (s 0)) {numbers} (<= (legal a (m ?a ?b ?c ?d)) (d ?a) (d ?b) (d ?c) (d ?d))
        (<= (next (s 0)) (true (s 0))) (<= terminal (true (s 1))) (goal a 100)"
    );
    let began = Instant::now();
    assert_eq!(server.ask(&format!("( START many a ( {rules} ) 6 3 )")), "ready");
    assert!(began.elapsed() < Duration::from_millis(6500), "{:?}", began.elapsed());
    let mut last = "NIL".to_string();
    for _ in 0..3 {
        let began = Instant::now();
        let mv = server.ask(&format!("( PLAY many {last} )"));
        assert!(mv.starts_with("(m "), "{mv}");
        assert!(began.elapsed() < Duration::from_millis(4000), "{:?}", began.elapsed());
        last = format!("( {mv} )");
    }
    assert_eq!(server.ask("( ABORT many )"), "aborted");
    assert_eq!(server.ask("( INFO )"), "( ( name Target ) ( status available ) )");
}

#[test]
fn nobody_plays_a_role_that_the_rules_do_not_have() {
    let server = Server::new("portfolio");
    let began = Instant::now();
    assert_eq!(server.ask(&format!("( START none nobody ( {} ) 60 5 )", rules("chess"))), "busy");
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    assert_eq!(server.ask("( INFO )"), "( ( name Target ) ( status available ) )");
}

/// Rules with very many relations, as no game has them.
fn huge(relations: usize) -> String {
    let facts: String = (0..relations).map(|n| format!("(r{n} a b) ")).collect();
    let game =
        "(role a) (init (s 0)) (legal a go) (<= (next (s 1)) (does a go)) (<= terminal (true (s 1))) (goal a 100)";
    format!("{game} {facts}")
}

#[test]
fn huge_rules_hold_nobody_up() {
    let server = Server::new("portfolio");
    let large = huge(100_000);
    for number in 0..6 {
        let began = Instant::now();
        let answer = server.ask(&format!("( START huge{number} a ( {large} ) 2 1 )"));
        assert!(["ready", "busy"].contains(&&answer[..]), "{answer}");
        assert!(began.elapsed() < Duration::from_millis(2500), "{number}: {:?}", began.elapsed());
        let began = Instant::now();
        server.ask(&format!("( ABORT huge{number} )"));
        assert!(began.elapsed() < Duration::from_millis(1000), "{number}: {:?}", began.elapsed());
    }
    // Nothing of them is left.
    let threads = || std::fs::read_dir(format!("/proc/{}/task", server.child.id())).map_or(0, Iterator::count);
    let until = Instant::now() + Duration::from_secs(20);
    while threads() > 4 {
        assert!(Instant::now() < until, "{} threads", threads());
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(server.ask(&format!("( START next x ( {} ) 2 1 )", rules("tic-tac-toe"))), "ready");
}

#[test]
fn a_length_in_characters_is_understood() {
    let server = Server::new("legal");
    let rules = "(role \u{e4}) (init (s 0)) (legal \u{e4} (go \u{2654})) (<= (next (s 1)) (true (s 0))) (<= terminal (true (s 1)))
        (goal \u{e4} 100)";
    let message = format!("( START m \u{e4} ( {rules} ) 3 1 )");
    let mut stream = server.connect();
    let head = "POST / HTTP/1.0\r\nContent-Length:";
    write!(stream, "{head} {}\r\n\r\n{message}", message.chars().count()).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    assert!(answer.ends_with("\r\n\r\nready"), "{answer}");
    assert_eq!(server.ask("( PLAY m NIL )"), "(go \u{2654})");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_match_and_the_player() {
    for (signal, in_a_match) in [("-INT", true), ("-TERM", true), ("-INT", false)] {
        let mut server = Server::new("uct");
        std::thread::scope(|scope| {
            if in_a_match {
                assert_eq!(server.ask(&format!("( START m red ( {} ) 1 100 )", rules("connect-four"))), "ready");
                let mut stream = server.connect();
                write!(stream, "POST / HTTP/1.0\r\nContent-Length: 14\r\n\r\n( PLAY m NIL )").expect("it reads");
                scope.spawn(move || drop(stream.read_to_string(&mut String::new())));
                std::thread::sleep(Duration::from_millis(200));
            }
            let began = Instant::now();
            let pid = server.child.id().to_string();
            let sent = std::process::Command::new("kill").args([signal, &pid]).status();
            assert!(sent.is_ok_and(|status| status.success()));
            assert_eq!(server.child.wait().expect("it ends").code(), Some(130));
            assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
        });
    }
}
