//! A fleet in one process: what it finds, whom it believes, and what it does about messages that are not right.

mod support;

use agent::{Events, LocalPlayer, PlayerSpec, Resources};
use fleet::crew::{Crew, CrewSettings};
use fleet::message::{self, Call, Command, Finding, News, Order, Presence, Recruit, Report};
use fleet::searcher::fleets;
use fleet::{Carrier, Hub, VERSION, Worker, WorkerSettings};
use game::Cancel;
use play::{Clock, Player, Start};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use support::eventually;

fn rules(game: &str) -> String {
    let rules = gdl::parse(library::find(game).expect("it is in the library").rules).rules;
    play::Disguise::new(&rules, None).rules().to_string()
}

fn start(game: &str, role: &str, seconds: f64) -> Start {
    let (id, cancel) = ("m".to_string(), Cancel::new());
    Start { id, role: role.to_string(), rules: rules(game), start: seconds, play: 2.0, cancel }
}

fn player(text: &str) -> LocalPlayer {
    let spec: PlayerSpec = text.parse().expect("a player");
    LocalPlayer::new(spec, 7, Resources { fleets: Some(fleets(None)), ..Resources::default() })
}

/// Asks for moves, with a clock that begins anew for each.
fn moves(player: &mut LocalPlayer, game: &str, role: &str, steps: &[[&str; 2]], seconds: f64) -> Vec<String> {
    let began = Instant::now();
    let spent = || began.elapsed().as_secs_f64();
    player.prepare(&start(game, role, 4.0), &Clock::new(4.0, &spent)).expect("it is ready");
    let mut answers = Vec::new();
    for at in 0..=steps.len() {
        let last = at.checked_sub(1).map(|before| steps[before].map(String::from).to_vec());
        let began = Instant::now();
        let spent = || began.elapsed().as_secs_f64();
        answers.push(player.choose(last.as_deref(), &Clock::new(seconds, &spent)).expect("a move"));
        assert!(began.elapsed().as_secs_f64() < seconds, "late: {:?}", began.elapsed());
    }
    answers
}

#[test]
fn threads_of_one_program_are_a_fleet() {
    let steps = [["(mark 1 1)", "noop"], ["noop", "(mark 3 3)"], ["(mark 1 2)", "noop"], ["noop", "(mark 3 1)"]];
    for (text, seconds) in [
        ("fleet:threads=3", 1.0),
        ("fleet:threads=2,crew=portfolio,solvers=2", 1.0),
        ("fleet:threads=2,crew=heuristics,choose=deepest,nodes=2000", 20.0),
        ("fleet:threads=2,playouts=500,choose=deepest", 20.0),
    ] {
        let found = moves(&mut player(text), "tic-tac-toe", "x", &steps, seconds);
        // Three in a row for the taking, or two ways to have it next.
        assert!(["(mark 1 3)", "(mark 3 2)"].contains(&found[4].as_str()), "{text}: {found:?}");
    }
}

#[test]
fn counted_searches_are_the_same_every_time() {
    let steps = [["(drop 4)", "noop"], ["noop", "(drop 4)"]];
    let play = || {
        moves(
            &mut player("fleet:threads=3,workers=3,playouts=300,seed=5,solvers=3"),
            "connect-four",
            "red",
            &steps,
            30.0,
        )
    };
    assert_eq!(play(), play());
}

/// A crew for a worker that the test watches or pretends to be.
fn crew(hub: &Hub, events: Events, version: &str) -> Crew {
    crew_of("fleet:playouts=100,solvers=0", hub, events, version)
}

fn crew_of(player: &str, hub: &Hub, events: Events, version: &str) -> Crew {
    let settings = CrewSettings {
        spec: player.parse().expect("a player"),
        rules: rules("tic-tac-toe"),
        role: "x".to_string(),
        seed: 1,
        heuristics: Vec::new(),
        version: version.to_string(),
        events,
    };
    Crew::start(Arc::new(hub.clone()), settings).expect("it begins")
}

fn facts() -> Vec<String> {
    let cells = (1..=3).flat_map(|x| (1..=3).map(move |y| format!("(cell {x} {y} b)")));
    cells.chain(["(control x)".to_string()]).collect()
}

#[test]
fn workers_of_another_version_get_no_work_and_that_is_said() {
    let hub = Hub::default();
    let settings = WorkerSettings { version: "0.0.1".to_string(), ..WorkerSettings::new("old machine", 2) };
    let _old = Worker::start(Arc::new(hub.clone()), settings).expect("it begins");
    let told: Arc<Mutex<Vec<String>>> = Arc::default();
    let heard = Arc::clone(&told);
    let events = Events::to(move |event| heard.lock().expect("no crash").push(event.to_string()));
    let crew = crew(&hub, events, VERSION);
    eventually("the crew hears of it", || !told.lock().expect("no crash").is_empty());
    let words = told.lock().expect("no crash").concat();
    assert!(words.contains("old machine") && words.contains("0.0.1") && words.contains(VERSION), "{words}");
    assert_eq!(crew.standing(0).seats, 0);
    let mut call = fleet::roll_call::RollCall::new(Arc::new(hub), VERSION).expect("it listens");
    call.call().expect("it is sent");
    call.listen(Duration::from_millis(300));
    assert!(matches!(&call.workers()[..], [(_, fleet::roll_call::Entry::OtherVersion { .. })]));
}

#[test]
fn what_is_wrong_with_messages_to_workers_is_dropped_and_counted() {
    let hub = Hub::default();
    let worker = Worker::start(Arc::new(hub.clone()), WorkerSettings::new("here", 1)).expect("it begins");
    let name = worker.presence().worker;
    let spy = hub.listen(&[message::to_worker(&name), "ludens.crew.>".to_string()]).expect("it listens");
    let crew = crew(&hub, Events::ignored(), VERSION);
    eventually("a seat is taken", || crew.standing(0).alive == 1);
    let dropped = || worker.presence().dropped;
    // Nonsense, something huge, another version.
    let subject = message::to_worker(&name);
    for body in
        [b"\0\xff".to_vec(), b"{}".to_vec(), vec![b'x'; message::MOST_BYTES + 1], message::write("9.9", &Call {})]
    {
        hub.send(&subject, body).expect("it is sent");
    }
    eventually("they are counted", || {
        let counts = dropped();
        (counts.malformed, counts.too_large, counts.version) == (2, 1, 1)
    });
    // The same seat again, an order again, an order from somebody who does not know the secret.
    let mut mails = Vec::new();
    while let Some(mail) = spy.next(Duration::from_millis(700)) {
        let is_order = mail.subject.starts_with("ludens.crew.");
        mails.push(mail);
        if is_order {
            break;
        }
    }
    let recruit = mails.iter().find(|mail| message::read::<Recruit>(VERSION, &mail.body).is_ok()).expect("a seat");
    hub.send(&recruit.subject, recruit.body.to_vec()).expect("it is sent");
    let order = mails.last().expect("an order");
    hub.send(&order.subject, order.body.to_vec()).expect("it is sent");
    let forged = Order { key: "0".repeat(32), count: u64::MAX, what: Command::End };
    hub.send(&message::to_crew(crew.id()), message::write(VERSION, &forged)).expect("it is sent");
    eventually("they are counted", || dropped().replayed >= 2 && dropped().forged == 1);
    // And the worker works on.
    let turn = crew.think(facts(), 1, Some(5.0), false);
    eventually("it answers", || crew.standing(turn).finished == 1);
    assert!(crew.reports(turn)[0].report.best.is_some());
}

/// What was found by a crew of three trees that are told of each other; and how many messages told of gains.
fn three_trees(player: &str) -> (Vec<Report>, usize) {
    let hub = Hub::default();
    let _worker = Worker::start(Arc::new(hub.clone()), WorkerSettings::new("here", 3)).expect("it begins");
    let crew = crew_of(player, &hub, Events::ignored(), VERSION);
    let spy = hub.listen(&[message::to_crew(crew.id())]).expect("it listens");
    eventually("the seats are taken", || crew.standing(0).alive == 3);
    let turn = crew.think(facts(), 1, Some(60.0), false);
    eventually("all have answered", || crew.standing(turn).finished == 3);
    let mut told = 0;
    while let Some(mail) = spy.next(Duration::ZERO) {
        let order: Order = message::read(VERSION, &mail.body).expect("an order");
        if let Command::Gained { lists, trees, .. } = order.what {
            assert!(trees == 3 && lists.len() == 3, "{lists:?}");
            told += 1;
        }
    }
    (crew.reports(turn).into_iter().map(|told| told.report).collect(), told)
}

#[test]
fn trees_grow_by_what_all_of_them_gain_and_every_run_goes_the_same_way() {
    let player = "fleet:playouts=400,solvers=0,rounds=8,workers=3,seed=5";
    let (reports, told) = three_trees(player);
    assert_eq!(told, 8);
    // Each has played its own games, and tells nobody's but its own.
    let visits = |report: &Report| report.moves.iter().map(|one| one.visits).sum::<u64>();
    assert!(
        reports.iter().all(|one| (400..=440).contains(&one.playouts) && visits(one) <= one.playouts),
        "{reports:?}"
    );
    assert_eq!(three_trees(player).0, reports);
    assert_eq!(three_trees("fleet:playouts=400,solvers=0,rounds=1,workers=3,seed=5").1, 0);
}

#[test]
fn who_is_dead_is_not_waited_for_by_the_trees_of_others() {
    let hub = Hub::default();
    let _worker = Worker::start(Arc::new(hub.clone()), WorkerSettings::new("here", 2)).expect("it begins");
    let crew = crew_of("fleet:playouts=2000,solvers=0,workers=3", &hub, Events::ignored(), VERSION);
    // Somebody who takes the third seat, says that it is ready, and nothing more.
    let seats = hub.listen(&[message::to_worker("mute")]).expect("it listens");
    let mute = Presence {
        worker: "mute".into(),
        machine: "m".into(),
        seats: 1,
        busy: 0,
        doing: Vec::new(),
        speed: 0,
        done: 0,
        dropped: Default::default(),
        uptime: 0.0,
        leaving: false,
    };
    eventually("two seats are taken", || crew.standing(0).alive == 2);
    hub.send(&message::presence("mute"), message::write(VERSION, &mute)).expect("it is sent");
    let seat = seats.next(Duration::from_secs(10)).expect("a seat");
    let seat: Recruit = message::read(VERSION, &seat.body).expect("a seat");
    let say = |count: u64, what: News| {
        let finding = Finding { seat: seat.seat, key: seat.seat_key.clone(), count, what };
        hub.send(&message::found(crew.id()), message::write(VERSION, &finding)).expect("it is sent");
    };
    say(1, News::Ready);
    eventually("three are there", || crew.standing(0).alive == 3);
    let began = Instant::now();
    let turn = crew.think(facts(), 1, Some(8.0), false);
    let mut count = 1;
    while crew.standing(turn).finished < 2 {
        // It is heard of all the time, so it counts as one that could tell what it gains.
        count += 1;
        say(count, News::Beat);
        std::thread::sleep(Duration::from_millis(20));
        assert!(began.elapsed() < Duration::from_secs(8), "the others have waited too long");
    }
    let reports = crew.reports(turn);
    assert!(reports.iter().all(|told| told.report.is_last && told.report.best.is_some()), "{reports:?}");
}

#[test]
fn what_is_wrong_with_messages_to_players_is_dropped_and_counted() {
    let hub = Hub::default();
    let worker = Worker::start(Arc::new(hub.clone()), WorkerSettings::new("here", 1)).expect("it begins");
    let crew = crew(&hub, Events::ignored(), VERSION);
    let subject = message::found(crew.id());
    let spy = hub.listen(std::slice::from_ref(&subject)).expect("it listens");
    eventually("a seat is taken", || crew.standing(0).alive == 1);
    let turn = crew.think(facts(), 1, Some(5.0), false);
    eventually("it answers", || crew.standing(turn).finished == 1);
    let honest = crew.reports(turn)[0].report.clone();
    // A finding again, one under another's name, and one that says too much.
    let first = spy.next(Duration::from_secs(5)).expect("a finding");
    hub.send(&subject, first.body.to_vec()).expect("it is sent");
    let report = Report {
        turn,
        is_last: true,
        best: Some("(mark 1 1)".into()),
        value: 100.0,
        proven: true,
        ..Report::default()
    };
    let forged = Finding { seat: 0, key: "0".repeat(32), count: u64::MAX, what: News::Found(report.clone()) };
    hub.send(&subject, message::write(VERSION, &forged)).expect("it is sent");
    let absurd = Finding { what: News::Found(Report { value: 1e9, ..report }), ..forged };
    hub.send(&subject, message::write(VERSION, &absurd)).expect("it is sent");
    eventually("they are counted", || {
        let counts = crew.dropped();
        (counts.replayed, counts.forged, counts.malformed) == (1, 1, 1)
    });
    assert_eq!(crew.reports(turn)[0].report, honest);
    drop(worker);
}

#[test]
fn seats_are_free_again_when_the_match_is_over_and_state_changes_at_once() {
    let hub = Hub::default();
    let worker = Worker::start(Arc::new(hub.clone()), WorkerSettings::new("here", 2)).expect("it begins");
    let crew = crew_of("fleet:crew=monte-carlo,solvers=0", &hub, Events::ignored(), VERSION);
    eventually("the seats are taken", || crew.standing(0).alive == 2);
    assert_eq!(worker.presence().busy, 2);
    // The old question has no end of its own: whoever answers the new one has given it up.
    let old = crew.think(facts(), 1, None, false);
    eventually("the old question is at hand", || crew.reports(old).len() == 2);
    let new = crew.think(facts(), 2, Some(0.05), false);
    assert!(new > old);
    eventually("the new question is answered", || crew.standing(new).finished == 2);
    drop(crew);
    eventually("the seats are free", || worker.presence().busy == 0);
    assert_eq!(worker.presence().done, 2);
}

#[test]
fn rules_that_cannot_be_played_are_refused_and_that_is_said() {
    let hub = Hub::default();
    let worker = Worker::start(Arc::new(hub.clone()), WorkerSettings::new("here", 1)).expect("it begins");
    let told: Arc<Mutex<Vec<String>>> = Arc::default();
    let heard = Arc::clone(&told);
    let events = Events::to(move |event| heard.lock().expect("no crash").push(event.to_string()));
    let settings = CrewSettings {
        spec: "fleet:solvers=0".parse().expect("a player"),
        rules: "(".repeat(300_000),
        role: "x".to_string(),
        seed: 1,
        heuristics: Vec::new(),
        version: VERSION.to_string(),
        events,
    };
    let crew = Crew::start(Arc::new(hub.clone()), settings).expect("it begins");
    eventually("it is said", || !told.lock().expect("no crash").is_empty());
    assert_eq!(crew.standing(0).alive, 0);
    eventually("the seat is free", || worker.presence().busy == 0);
}

/// What the players of a fleet are told about rules that were sent to a worker which may use little memory for them; and how long that took.
fn refused(worker: &Worker, hub: &Hub, rules: String) -> (String, Duration) {
    let told: Arc<Mutex<Vec<String>>> = Arc::default();
    let heard = Arc::clone(&told);
    let settings = CrewSettings {
        spec: "fleet:solvers=0,playouts=50".parse().expect("a player"),
        rules,
        role: "x".to_string(),
        seed: 1,
        heuristics: Vec::new(),
        version: VERSION.to_string(),
        events: Events::to(move |event| heard.lock().expect("no crash").push(event.to_string())),
    };
    let began = Instant::now();
    let crew = Crew::start(Arc::new(hub.clone()), settings).expect("it begins");
    eventually("it is refused", || !told.lock().expect("no crash").is_empty());
    assert_eq!(crew.standing(0).alive, 0);
    drop(crew);
    eventually("the seat is free", || worker.presence().busy == 0);
    let words = told.lock().expect("no crash").concat();
    (words, began.elapsed())
}

#[test]
fn rules_that_take_too_much_memory_are_refused_and_the_worker_goes_on() {
    let hub = Hub::default();
    let settings = WorkerSettings { rules_memory: 8, ..WorkerSettings::new("here", 1) };
    let worker = Worker::start(Arc::new(hub.clone()), settings).expect("it begins");
    let game = "(role x) (init (at 0)) (legal x go) (<= (next (at 0)) (does x go)) (<= terminal (at 1)) (goal x 100)";
    // A text of less than a megabyte that takes far more to be read.
    let wide = format!("{game} (p {})", "a ".repeat(450_000));
    let (words, _) = refused(&worker, &hub, wide);
    assert!(words.contains("more than") && words.contains("MB"), "{words}");
    // Relations that are fixed: nine places, each with ten values.
    let digits: String = (0..10).map(|n| format!("(digit {n}) ")).collect();
    let places: Vec<String> = (0..9).map(|n| format!("?v{n}")).collect();
    let all: String = places.iter().map(|v| format!("(digit {v}) ")).collect();
    let large = format!(
        "{game} {digits} (<= (row {}) {all}) (<= (legal x (take {})) (row {}))",
        places.join(" "),
        places[0],
        places.join(" ")
    );
    let (words, _) = refused(&worker, &hub, large);
    assert!(words.contains("memory"), "{words}");
    // Terms that grow without an end.
    let endless = format!("{game} (number z) (<= (number (s ?n)) (number ?n)) (<= (legal x (say ?n)) (number ?n))");
    let (words, _) = refused(&worker, &hub, endless);
    assert!(words.contains("cannot be played"), "{words}");
    // And then it plays tic-tac-toe.
    let crew = crew_of("fleet:solvers=0,playouts=50", &hub, Events::ignored(), VERSION);
    eventually("the seat is taken", || crew.standing(0).alive == 1);
    let turn = crew.think(facts(), 1, Some(20.0), false);
    eventually("it answers", || crew.standing(turn).finished == 1);
    assert!(crew.reports(turn)[0].report.best.is_some());
}

#[test]
fn equal_workers_choose_differently_among_equal_moves() {
    let hub = Hub::default();
    let _worker = Worker::start(Arc::new(hub.clone()), WorkerSettings::new("here", 8)).expect("it begins");
    // All of them search to the end, where all moves are worth the same.
    let crew = crew_of("fleet:solvers=1", &hub, Events::ignored(), VERSION);
    eventually("the seats are taken", || crew.standing(0).alive == 8);
    let turn = crew.think(facts(), 1, Some(30.0), false);
    eventually("all have answered", || crew.standing(turn).finished == 8);
    let told = crew.reports(turn);
    assert!(told.iter().all(|told| told.player.starts_with("exhaustive") && told.report.proven), "{told:?}");
    let moves: BTreeSet<_> = told.iter().map(|told| told.report.best.clone()).collect();
    assert!(moves.len() > 1, "{moves:?}");
}

#[test]
fn rules_are_sent_once_to_each_worker() {
    let hub = Hub::default();
    let asked = hub.listen(&["ludens.want.>".to_string()]).expect("it listens");
    let worker = Worker::start(Arc::new(hub.clone()), WorkerSettings::new("here", 3)).expect("it begins");
    // Three seats in each of two matches.
    for _ in 0..2 {
        let crew = crew(&hub, Events::ignored(), VERSION);
        eventually("the seats are taken", || crew.standing(0).alive == 3);
        drop(crew);
        eventually("the seats are free", || worker.presence().busy == 0);
    }
    assert!(asked.next(Duration::ZERO).is_some(), "they are asked for");
    assert!(asked.next(Duration::ZERO).is_none(), "once");
}

#[test]
fn nothing_that_is_sent_is_run() {
    let hub = Hub::default();
    let worker = Worker::start(Arc::new(hub.clone()), WorkerSettings::new("here", 1)).expect("it begins");
    let inbox = hub.listen(&["ludens.found.>".to_string()]).expect("it listens");
    let name = worker.presence().worker;
    for (seat, player) in (0..).zip(["uci:command=touch x", "http://h:1", "human", "plan:file=x", "fleet", "nonsense"])
    {
        let word = || "a".repeat(32);
        let recruit = Recruit {
            match_id: "m".into(),
            seat,
            seat_key: word(),
            crew_key: word(),
            rules: word(),
            role: "x".into(),
            player: player.into(),
            seed: 0,
            rounds: 1,
        };
        hub.send(&message::to_worker(&name), message::write(VERSION, &recruit)).expect("it is sent");
        let answer = inbox.next(Duration::from_secs(10)).expect("an answer");
        let finding: Finding = message::read(VERSION, &answer.body).expect("a finding");
        assert!(matches!(finding.what, News::Refused { .. }), "{player}: {finding:?}");
    }
    assert_eq!(worker.presence().busy, 0);
}
