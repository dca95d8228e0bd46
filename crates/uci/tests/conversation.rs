//! Whole conversations with both engines: every command, and everything that is malformed.

use std::io::{self, BufReader, Read, Write};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use uci::any_game::AnyGame;
use uci::chess_engine::{ChessEngine, Setup};
use uci::command::Dialect;
use uci::{Mind, converse};

/// What the test writes, as something to read from.
struct Input(Receiver<Vec<u8>>, Vec<u8>);

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.1.is_empty() {
            self.1 = self.0.recv().unwrap_or_default();
        }
        let count = self.1.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.1[..count]);
        self.1.drain(..count);
        Ok(count)
    }
}

/// What the engine writes, line by line.
struct Output(Sender<String>, Vec<u8>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.1.extend(bytes);
        while let Some(at) = self.1.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.1.drain(..=at).collect();
            let _ = self.0.send(String::from_utf8_lossy(&line).trim_end().to_string());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An engine at the other end.
struct Talk {
    input: Option<Sender<Vec<u8>>>,
    lines: Receiver<String>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Talk {
    fn new(dialect: Dialect, mind: impl Mind) -> Talk {
        let (input, from_test) = mpsc::channel();
        let (to_test, lines) = mpsc::channel();
        let body = move || {
            let input = BufReader::new(Input(from_test, Vec::new()));
            converse(dialect, mind, input, &mut Output(to_test, Vec::new()))
        };
        Talk { input: Some(input), lines, thread: Some(std::thread::spawn(body)) }
    }

    fn chess(setup: Setup) -> Talk {
        Talk::new(Dialect::Uci, ChessEngine::new(setup).expect("its weights can be used"))
    }

    fn say(&self, line: &str) {
        self.say_bytes(format!("{line}\n").as_bytes());
    }

    fn say_bytes(&self, bytes: &[u8]) {
        self.input.as_ref().expect("the conversation goes on").send(bytes.to_vec()).expect("it listens");
    }

    /// The next line.
    fn line(&self) -> String {
        self.lines.recv_timeout(Duration::from_secs(60)).expect("an answer")
    }

    /// All lines until one begins like this.
    fn until(&self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.line();
            lines.push(line.clone());
            if line.starts_with(start) {
                return lines;
            }
        }
    }

    /// The move that it answers, and what it thought.
    fn go(&self, go: &str) -> (String, Vec<String>) {
        self.say(go);
        let mut lines = self.until("bestmove");
        let last = lines.pop().expect("an answer");
        (last.split(' ').nth(1).expect("a move").to_string(), lines)
    }

    /// What is said between a line and `readyok`.
    fn told(&self, line: &str) -> Vec<String> {
        self.say(line);
        self.say("isready");
        let mut lines = self.until("readyok");
        lines.pop();
        lines
    }

    /// Ends the input; the engine ends.
    fn end(mut self) -> Vec<String> {
        self.input = None;
        self.thread.take().expect("it runs").join().expect("no crash").expect("it can write");
        self.lines.try_iter().collect()
    }
}

/// The number behind a word in a line of thought.
fn field(line: &str, name: &str) -> i64 {
    let mut words = line.split(' ').skip_while(|word| *word != name);
    words.nth(1).and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("no {name} in {line}"))
}

const MATE_IN_TWO: &str = "position fen 7k/8/5K2/8/8/8/8/1R6 w - - 0 1";

#[test]
fn every_command_of_uci() {
    let talk = Talk::chess(Setup::default());
    talk.say("uci");
    let hello = talk.until("uciok");
    for option in ["Hash", "Threads", "Tables", "Depth", "MultiPV", "Ponder", "UCI_AnalyseMode", "Clear Hash"] {
        assert!(
            hello.iter().any(|line| line.starts_with(&format!("option name {option} type"))),
            "{option}: {hello:?}"
        );
    }
    assert!(hello.iter().any(|line| line.starts_with("id name Ludens")));
    assert!(talk.told("setoption name Hash value 8").is_empty());
    assert!(talk.told("setoption name threads value 1").is_empty());
    assert!(talk.told("setoption name UCI_AnalyseMode value true").is_empty());
    assert!(talk.told("setoption name Ponder value true").is_empty());
    assert!(talk.told("setoption name Clear Hash").is_empty());
    assert!(talk.told("ucinewgame").is_empty());
    assert!(talk.told("debug on").is_empty());

    // A whole search, with everything that is to be said of it.
    assert!(talk.told("position startpos moves e2e4 e7e5 g1f3").is_empty());
    let board = talk.told("d");
    assert!(board.last().expect("a board").starts_with("fen rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq"));
    let (mv, thoughts) = talk.go("go depth 4");
    assert!(mv.len() == 4, "{mv}");
    let last = thoughts.last().expect("thoughts");
    assert_eq!(field(last, "depth"), 4);
    for name in ["seldepth", "nodes", "nps", "tbhits", "hashfull", "time"] {
        field(last, name);
    }
    field(last, "cp");
    assert!(last.contains(" pv "), "{last}");

    assert!(talk.told(MATE_IN_TWO).is_empty());
    let (_, thoughts) = talk.go("go depth 6");
    assert!(thoughts.iter().any(|line| line.contains("score mate 2")), "{thoughts:?}");
    let (_, thoughts) = talk.go("go mate 2");
    assert!(thoughts.iter().any(|line| line.contains("score mate 2")), "{thoughts:?}");
    let (mv, _) = talk.go("go depth 3 searchmoves b1b2 b1b3");
    assert!(["b1b2", "b1b3"].contains(&&mv[..]), "{mv}");

    assert!(talk.told("position startpos").is_empty());
    let (_, thoughts) = talk.go("go nodes 5000");
    assert!(field(thoughts.last().expect("thoughts"), "nodes") < 10_000, "{thoughts:?}");
    let began = Instant::now();
    talk.go("go movetime 200");
    assert!((0.1..2.0).contains(&began.elapsed().as_secs_f64()), "{:?}", began.elapsed());
    talk.go("go wtime 2000 btime 2000 winc 10 binc 10 movestogo 20");
    talk.go("go wtime 1 btime 1");
    assert!(talk.told("setoption name MultiPV value 3").is_empty());
    let (_, thoughts) = talk.go("go depth 3");
    for number in 1..=3 {
        assert!(thoughts.iter().any(|line| field(line, "multipv") == number), "{thoughts:?}");
    }
    assert!(talk.told("setoption name MultiPV value 1").is_empty());
    assert!(talk.told("setoption name Depth value 2").is_empty());
    let (_, thoughts) = talk.go("go depth 9");
    assert_eq!(field(thoughts.last().expect("thoughts"), "depth"), 2);
    assert!(talk.told("setoption name Depth value 0").is_empty());

    talk.say("go perft 3");
    let counts = talk.until("nodes");
    assert_eq!(counts.last().map(String::as_str), Some("nodes 8902"));
    assert_eq!(counts.len(), 21);
    assert!(talk.told("eval").iter().any(|line| line.contains("no table knows this position")));
    assert!(talk.end().is_empty());
}

#[test]
fn stop_and_ponderhit_are_answered_at_once() {
    let talk = Talk::chess(Setup::default());
    talk.say("position startpos");
    talk.say("go infinite");
    talk.until("info depth 2");
    // It goes on thinking, and listens.
    talk.say("isready");
    talk.until("readyok");
    talk.say("position startpos moves e2e4");
    talk.until("info string not while thinking");
    let began = Instant::now();
    talk.say("stop");
    talk.until("bestmove ");
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    // Who does not wait for the answer is obeyed after it, in order.
    talk.say("go infinite");
    talk.until("info depth 2");
    talk.say_bytes(b"stop\nposition startpos moves e2e4 e7e5\ngo depth 1\nd\n");
    assert!(talk.until("bestmove ").iter().all(|line| line.starts_with("info ") || line.starts_with("bestmove ")));
    talk.until("bestmove ");
    assert!(talk.told("d").iter().any(|line| line.contains("4p3")), "after e5 a black pawn stands there");
    // A search that has come to its end waits for a word too.
    talk.say(MATE_IN_TWO);
    talk.say("go infinite depth 3");
    talk.until("info depth 3");
    assert!(talk.lines.recv_timeout(Duration::from_millis(300)).is_err_and(|_| true));
    talk.say("stop");
    talk.until("bestmove ");
    // On the other side's time, until the move is made; then the clock counts.
    talk.say("position startpos moves e2e4");
    talk.say("go ponder wtime 1000 btime 1000");
    talk.until("info depth 2");
    talk.say("ponderhit");
    talk.until("bestmove ");
    talk.say("go ponder movetime 100000");
    talk.until("info depth 1");
    talk.say("stop");
    talk.until("bestmove ");
    // What comes behind a search that ends by itself waits for its answer, and is not stopped by the end of the input.
    talk.say_bytes(b"position startpos\ngo depth 3\nposition startpos moves e2e4 e7e5\ngo nodes 500\nisready\nd\n");
    let lines = [talk.until("bestmove "), talk.until("bestmove "), talk.until("fen ")].concat();
    assert!(lines.iter().any(|line| line == "readyok") && lines.last().expect("a board").contains("4p3"), "{lines:?}");
    assert!(lines.iter().all(|line| !line.contains("not while thinking")), "{lines:?}");
    // To stop is to stop all that was asked for before.
    let began = Instant::now();
    talk.say_bytes(b"go movetime 100000\ngo movetime 100000\ngo infinite\nstop\n");
    (0..3).for_each(|_| drop(talk.until("bestmove ")));
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    // Nothing to stop.
    assert!(talk.told("stop").is_empty());
    assert!(talk.told("ponderhit").is_empty());
    // The end of the input ends a search, with an answer.
    talk.say("go infinite");
    talk.until("info depth 1");
    let last = talk.end();
    assert!(last.last().is_some_and(|line| line.starts_with("bestmove ")), "{last:?}");
}

#[test]
fn scripts_are_obeyed_to_their_end() {
    let talk = Talk::chess(Setup::default());
    talk.say_bytes(
        b"isready\nposition startpos\ngo depth 3\nposition startpos moves e2e4\ngo depth 3\ngo infinite\nd\n",
    );
    let lines = talk.end();
    assert_eq!(lines.iter().filter(|line| line.starts_with("bestmove ")).count(), 3, "{lines:?}");
    assert!(lines.last().is_some_and(|line| line.starts_with("fen ") && line.contains("4P3")), "{lines:?}");
    let talk = Talk::chess(Setup::default());
    let began = Instant::now();
    talk.say_bytes(b"go movetime 100000\nposition startpos moves e2e4\ngo ponder\nd\nquit\nd\n");
    let lines = talk.end();
    assert_eq!(lines.iter().filter(|line| line.starts_with("bestmove ")).count(), 2, "{lines:?}");
    assert_eq!(lines.iter().filter(|line| line.starts_with("fen ")).count(), 1, "{lines:?}");
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

#[test]
fn lookups_weights_and_judges_are_options() {
    let folder = std::env::temp_dir().join(format!("ludens-uci-options-{}", std::process::id()));
    let store = table::store::Store::new(&folder);
    std::fs::create_dir_all(folder.join("chess")).expect("a folder");
    let mut tables = table::chess::Tables::new();
    let material = |name| table::chess::Material::parse(name).expect("men");
    let metric = table::chess::Metric::Mate;
    table::chess::build_all(material("KPK"), metric, &mut tables, &mut |_, _| true).expect("it can be built");
    for own in tables.iter() {
        let statistics = table::chess::statistics(own).expect("it can be counted");
        let path = store.chess_path(own.material(), metric);
        table::chess::save(own, &statistics, &path, table::file::Form::Raw).expect("it can be saved");
    }
    let file = folder.join("weights.json");
    // A rook of black's is a class of its own, and of no worth either.
    let class = r#"{"win":{"now":0,"far":0},"loss":{"now":0,"far":0}}"#;
    let text = format!(
        r#"{{"men":"KRPKRP","origin":"a test","constant":2,"turn":0,"hand":0,"parts":{{"KRK":{class},"KKR":{class}}}}}"#
    );
    std::fs::write(&file, text).expect("it can be written");
    let talk = Talk::chess(Setup { tables: Some(folder.clone()), ..Setup::default() });
    talk.say("uci");
    let hello = talk.until("uciok");
    let judge = "option name Judge type combo default learned var learned var sum var hand";
    assert!(hello.iter().any(|line| line == judge), "{hello:?}");
    assert!(talk.told("position fen 8/1p3k2/1r6/8/8/1R6/1P3K2/8 w - -").is_empty());
    let parts = |lines: &[String]| lines.iter().filter(|line| line.contains("part ")).count();
    let all = talk.told("eval");
    assert!(parts(&all) >= 4, "{all:?}");
    assert!(talk.told("setoption name Lookups value krk").is_empty());
    let few = talk.told("eval");
    assert!((1..parts(&all)).contains(&parts(&few)), "{few:?}");
    assert!(talk.told(&format!("setoption name Weights File value {}", file.display())).is_empty());
    let weighed = talk.told("eval");
    assert!(weighed[0].contains("worth 300 "), "two units of the logarithm of the odds: {weighed:?}");
    assert!(talk.told("setoption name Judge value hand").is_empty());
    assert_eq!(parts(&talk.told("eval")), 0);
    assert!(talk.told("setoption name Weights File value <empty>").is_empty());
    assert!(talk.told("setoption name Lookups value").is_empty());
    assert!(talk.told("setoption name Judge value Learned").is_empty());
    assert_eq!(talk.told("eval"), all);
    for (line, part) in [
        ("setoption name Judge value blind", "option Judge is learned or sum or hand, not \"blind\""),
        ("setoption name Lookups value KRK+KXK", "`X` is not a man"),
        ("setoption name Weights File value /no/such/file", "`ludens table weigh` makes such files"),
    ] {
        let told = talk.told(line);
        assert!(told.len() == 1 && told[0].starts_with("info string ") && told[0].contains(part), "{line}: {told:?}");
    }
    assert!(talk.end().is_empty());
    std::fs::remove_dir_all(folder).expect("it is ours");
}

#[test]
fn what_is_malformed_is_told_and_ignored() {
    let talk = Talk::chess(Setup::default());
    assert!(talk.told(MATE_IN_TWO).is_empty());
    for (line, part) in [
        ("xyzzy", "unknown command"),
        ("ugi", "unknown command"),
        ("go depth many", "is no number"),
        ("go sideways 3", "is unknown"),
        ("go perft 999", "nobody counts further"),
        ("go depth -1", "go depth -1: write a number of at least 1"),
        ("position", "write position startpos"),
        ("position fen nonsense w - -", "position: "),
        ("position fen 8/8/8/8/8/8/8/8 w - -", "king"),
        ("position startpos moves e2e5", "`e2e5` is not legal"),
        ("position startpos moves e2e4 e2e4", "is not legal"),
        ("position startpos moves castle", "is not a move"),
        ("setoption name Hash value 0", "option Hash is a number from 1 to 65536"),
        ("setoption name Hash value lots", "option Hash is a number"),
        ("setoption name Colour value blue", "there is no option \"Colour\""),
        ("setoption name Tables value /no/such/folder", "no tables of chess in /no/such/folder"),
        ("setoption", "write setoption name"),
        ("query gameover", "queries are for `ludens ugi`"),
    ] {
        let told = talk.told(line);
        assert!(told.len() == 1 && told[0].starts_with("info string ") && told[0].contains(part), "{line}: {told:?}");
    }
    talk.say_bytes(b"\xff\xfe\0\n\n   \n\t\n");
    talk.say(&"go ".repeat(1 << 20));
    let told = talk.told("");
    assert!(told.iter().all(|line| line.starts_with("info string ") && line.len() < 200), "{told:?}");
    // All that time it has stayed where it was.
    let (_, thoughts) = talk.go("go depth 6");
    assert!(thoughts.iter().any(|line| line.contains("score mate 2")), "{thoughts:?}");
    // Mate and stalemate have no move.
    talk.say("position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    assert_eq!(talk.go("go depth 3").0, "0000");
    talk.say("position fen R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1");
    let (mv, thoughts) = talk.go("go depth 3");
    assert!(mv == "0000" && thoughts.iter().any(|line| line.contains("score mate 0")), "{mv} {thoughts:?}");
    talk.say("quit");
    drop(talk);
}

fn mind(name: &str, player: &str) -> anyhow::Result<AnyGame> {
    let rules = gdl::parse(library::find(name).expect("it is in the library").rules).rules;
    let engine = machine::Loader::new(&rules).best().expect("it can be played").engine;
    let events = agent::Events::ignored();
    let knowledge = agent::searcher::Knowledge::new(&std::sync::Arc::new(rules), None, &events);
    AnyGame::new(name, engine, knowledge.into(), player.parse()?)
}

fn any_game(name: &str, player: &str) -> Talk {
    Talk::new(Dialect::Ugi, mind(name, player).expect("a game for two in turn"))
}

#[test]
fn every_command_of_ugi() {
    let talk = any_game("connect-four", "uct:playouts=300");
    talk.say("ugi");
    let hello = talk.until("ugiok");
    assert!(hello.iter().any(|line| line.starts_with("option name Player type string default uct:playouts=300")));
    assert!(talk.told("setoption name Seed value 7").is_empty());
    assert!(talk.told("setoption name Hash value 16").is_empty());
    assert!(talk.told("uginewgame").is_empty());
    let asked = |talk: &Talk, what: &str| {
        talk.say(&format!("query {what}"));
        talk.until("response ").pop().expect("an answer")
    };
    assert!(talk.told("position startpos").is_empty());
    assert_eq!(asked(&talk, "p1turn"), "response true");
    assert_eq!(asked(&talk, "gameover"), "response false");
    assert_eq!(asked(&talk, "result"), "response none");
    // Three in a column: the fourth wins.
    assert!(talk.told("position startpos moves 4 5 4 5 4 5").is_empty());
    let (mv, thoughts) = talk.go("go p1time 10000 p2time 10000 p1inc 100");
    assert_eq!(mv, "4");
    assert!(thoughts.last().is_some_and(|line| field(line, "nodes") > 0 && field(line, "cp") > 100), "{thoughts:?}");
    assert!(talk.told("position startpos moves 4 5 4 5 4 5 (drop 4)").is_empty());
    assert_eq!(asked(&talk, "gameover"), "response true");
    assert_eq!(asked(&talk, "result"), "response p1win");
    assert_eq!(talk.go("go movetime 100").0, "none");
    assert!(talk.told("position startpos moves 4").is_empty());
    assert_eq!(asked(&talk, "p1turn"), "response false");
    let facts = talk.told("d").pop().expect("facts");
    assert!(talk.told(&format!("position fen {facts} moves 4")).is_empty());
    assert_eq!(asked(&talk, "p1turn"), "response true");
    assert!(["1", "2"].contains(&&talk.go("go nodes 500 searchmoves 1 2").0[..]));
    talk.say("go perft 2");
    assert_eq!(talk.until("nodes").pop().as_deref(), Some("nodes 49"));
    assert!(talk.told("setoption name Player value uct").is_empty());
    let began = Instant::now();
    talk.say("go infinite");
    talk.until("info depth");
    talk.say("stop");
    talk.until("bestmove ");
    assert!(began.elapsed() < Duration::from_secs(10));
    talk.go("go movetime 100");
    for (line, part) in [
        ("uci", "unknown command"),
        ("position startpos moves 9", "no legal move \"9\""),
        ("position fen (cell 9 9 x)", "can never be a fact"),
        ("position fen 8/8 w", "connect-four has no FEN"),
        ("query weather", "ask gameover"),
        ("setoption name Player value nobody", "there is no player"),
        ("setoption name Player value human", "cannot be asked here"),
        ("setoption name Hash value 0", "`memory` must be at least 1"),
        ("go wtime 3", "is unknown"),
    ] {
        let told = talk.told(line);
        assert!(told.len() == 1 && told[0].starts_with("info string ") && told[0].contains(part), "{line}: {told:?}");
    }
    assert!(talk.end().is_empty());
}

#[test]
fn chess_in_the_words_of_any_game() {
    let talk = any_game("krk", "uct:playouts=50,seed=1");
    assert!(talk.told("position fen 8/8/8/3k4/8/8/1R6/K7 w - - 0 1 moves b2b7 d5c5").is_empty());
    let (mv, _) = talk.go("go");
    assert!(!mv.contains(' '), "{mv}");
    assert!(talk.told(&format!("position fen 8/8/8/3k4/8/8/1R6/K7 w - - 0 1 moves b2b7 d5c5 {mv}")).is_empty());
    assert!(talk.end().is_empty());
}

/// The default player knows the game when it says that it is ready; where there is no time at all it looks one ply ahead.
#[test]
fn a_win_at_hand_is_taken() {
    for (player, go) in
        [("portfolio", "go p1time 3000 p2time 3000"), ("alpha-beta", "go movetime 0"), ("uct", "go p1time 0")]
    {
        let talk = any_game("connect-four", player);
        assert!(talk.told("uginewgame").is_empty());
        assert!(talk.told("position startpos moves 4 5 4 5 4 5").is_empty());
        assert_eq!(talk.go(go).0, "4", "{player}");
        assert!(talk.end().is_empty());
    }
    // Behind `isready` everything waits until the player is ready, and the clock does too.
    let talk = any_game("connect-four", "portfolio");
    talk.say_bytes(b"isready\nposition startpos moves 4 5 4 5 4 5\ngo movetime 500\n");
    let lines = talk.until("bestmove");
    assert_eq!((&lines[0][..], lines.last().map(String::as_str)), ("readyok", Some("bestmove 4")), "{lines:?}");
    // What cannot be kept to the letter is said.
    let (_, thoughts) = talk.go("go depth 2 nodes 2000 searchmoves 1 nowhere");
    for part in ["all moves are searched", "soon after this depth", "count them roughly", "no legal move \"nowhere\""] {
        assert!(
            thoughts.iter().any(|line| line.starts_with("info string") && line.contains(part)),
            "{part}: {thoughts:?}"
        );
    }
    assert!(talk.end().is_empty());
}

#[test]
fn games_that_are_not_for_two_in_turn_are_refused() {
    for (name, part) in [("sudoku", "UGI is for two players"), ("tron", "both players move at once")] {
        let error = mind(name, "random").err().unwrap_or_else(|| panic!("{name} is no game for two in turn"));
        assert!(format!("{error:#}").contains(part), "{name}: {error:#}");
    }
}
