//! Plays two searchers against each other on library games, to measure settings.
//!
//! `duel GAMES A B N MS`: games by name, joined by commas (`two` for all turn-taking ones with two players); searchers such as `uct:c=0.5`
//! (`times=8` gives one of them so many times the random games),
//! `plain`, `mc`, `ab`, `random`; N matches a game, roles swapped every time; MS milliseconds a move, or random games a move (`20000p`).
//! `duel GAMES solve MS`: what alpha-beta and UCT find from the start.
//! `duel GAMES speed`: random games a second, one at a time and in lanes.

use game::random::{Player, Rng};
use game::rollouts::Feed;
use game::{Game, Move, Role, roles};
use machine::PropNet;
use search::{Budget, Found, Monitor, Searcher};
use std::time::{Duration, Instant};

const TWO: &str = "amazons-small,atari-go,blocker,breakthrough,breakthrough-small,checkers,chomp,connect-four,\
    connect-four-small,dots-and-boxes,hex,kalah,knightthrough,lines-of-action,minichess,nim,nine-mens-morris,\
    nothello,othello,pentago,sheep-and-wolf,tic-tac-toe,chess-small,hallway";

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let names = match args[0].as_str() {
        "two" => TWO,
        other => other,
    };
    let (mut all, mut points, mut worst) = (0.0, 0.0, (2.0, ""));
    for name in names.split(',') {
        let path = format!("{}/../../games/{name}/rules.kif", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).expect("the game is in the library");
        let net = match PropNet::new(&gdl::parse(&text).rules, machine::Budget::default()) {
            Ok(net) => net,
            Err(error) => {
                println!("{name}: {error}");
                continue;
            }
        };
        if args[1] == "speed" {
            speed(name, &net);
            continue;
        }
        if args[1] == "solve" {
            for with in ["ab", "uct"] {
                let begin = Instant::now();
                let most = args[2].parse::<f32>().unwrap() / 1000.0;
                let spent = move || begin.elapsed().as_secs_f32() / most;
                let budget = Budget::timed(&spent, 1);
                let found = searcher(with).search(&net, &net.start(), Role(0), &budget, &Monitor::new()).unwrap();
                let Found { value, proven, depth, nodes, playouts, .. } = found;
                println!(
                    "{name} {with}: {value} {proven} depth {depth} nodes {nodes} playouts {playouts} {:?}",
                    begin.elapsed()
                );
            }
            continue;
        }
        let matches: usize = args[3].parse().unwrap();
        let playouts: Option<u64> = args[4].strip_suffix('p').map(|count| count.parse().unwrap());
        let millis: u64 = if playouts.is_some() { 3_600_000 } else { args[4].parse().unwrap() };
        let (sum, playouts) = duel(&net, &args[1], &args[2], matches, (millis, playouts));
        println!("{name:20} {:5.1}%  playouts a move {:?}", 100.0 * sum / matches as f64, playouts);
        all += matches as f64;
        points += sum;
        if sum / (matches as f64) < worst.0 {
            worst = (sum / matches as f64, name);
        }
    }
    if all > 0.0 {
        println!("all {:.1}%  worst {} {:.1}%", 100.0 * points / all, worst.1, 100.0 * worst.0);
    }
}

fn searcher(text: &str) -> Box<dyn Searcher<PropNet>> {
    use search::alphabeta::AlphaBeta;
    use search::portfolio::Portfolio;
    use search::uct::Uct;
    use search::{Knowledge, UctSettings};
    let mut words = text.split(':');
    let name = words.next().unwrap_or("");
    let mut settings = if name == "plain" { UctSettings::plain() } else { UctSettings::default() };
    for word in words {
        let (key, value) = word.split_once('=').expect("key=value");
        match key {
            "c" => settings.c = value.parse().unwrap(),
            "leaf" => settings.playouts_per_leaf = Some(value.parse().unwrap()),
            "vl" => settings.virtual_loss = value.parse().unwrap(),
            "prior" => settings.prior = value.parse().unwrap(),
            "times" => {}
            "bias" => settings.playout_bias = value.parse().unwrap(),
            "threads" => settings.threads = value.parse().unwrap(),
            _ => panic!("unknown setting {key}"),
        }
    }
    match name {
        "ab" => Box::new(AlphaBeta::deepening()),
        "mc" => Box::new(search::simple::MonteCarlo::default()),
        "portfolio" => Box::new(Portfolio::new(Default::default(), Knowledge::default())),
        "exhaustive" => Box::new(AlphaBeta::exhaustive()),
        _ => Box::new(Uct::new(settings)),
    }
}

/// The points of A, between 0 and 1 a match, and playouts a move of both.
fn duel(
    net: &PropNet,
    a: &str,
    b: &str,
    matches: usize,
    (millis, most_playouts): (u64, Option<u64>),
) -> (f64, [u64; 2]) {
    let mut points = 0.0;
    let mut playouts = [(0u64, 0u64); 2];
    for number in 0..matches {
        let mut sides: Vec<(usize, Box<dyn Searcher<PropNet>>)> = (0..net.roles())
            .map(|role| {
                let which = (role + number) % 2;
                (which, searcher(if which == 0 { a } else { b }))
            })
            .collect();
        let mut view = net.view();
        let mut state = net.start();
        let mut rng = Rng::new(number as u64);
        for step in 0..400u64 {
            net.look(&state, &mut view).unwrap();
            if net.over(&view) {
                break;
            }
            let mut joint: Vec<Move> = Vec::new();
            for role in roles(net) {
                let mut legal = Vec::new();
                net.legal(&view, role, &mut legal);
                let (which, searcher) = &mut sides[role.0 as usize];
                let name = if *which == 0 { a } else { b };
                if legal.len() == 1 {
                    joint.push(legal[0]);
                } else if name == "random" {
                    joint.push(legal[rng.below(legal.len())]);
                } else {
                    let begin = Instant::now();
                    let most = Duration::from_millis(millis).as_secs_f32();
                    let spent = move || begin.elapsed().as_secs_f32() / most;
                    let seed = step * 1000 + number as u64;
                    let times =
                        name.split(':').find_map(|word| word.strip_prefix("times=")).map_or(1, |t| t.parse().unwrap());
                    let budget =
                        Budget { playouts: most_playouts.map(|most| times * most), ..Budget::timed(&spent, seed) };
                    let found = searcher.search(net, &state, role, &budget, &Monitor::new()).unwrap();
                    playouts[*which].0 += found.playouts;
                    playouts[*which].1 += 1;
                    joint.push(found.mv.unwrap());
                }
            }
            let mut next = state.clone();
            net.play(&mut view, &joint, &mut next).unwrap();
            state = next;
        }
        let ours = Role((number % 2) as u8);
        let goals: Vec<f64> =
            roles(net).map(|role| f64::from(net.goal(&mut view, role).unwrap().unwrap_or(50))).collect();
        let over = net.over(&view);
        let (mine, other) = (goals[ours.0 as usize], goals[1 - ours.0 as usize]);
        points += if !over { 0.5 } else { 0.5 + (mine - other) / 200.0 };
    }
    (points, playouts.map(|(sum, moves)| sum / moves.max(1)))
}

/// Feeds some states over and over.
struct Same<'a> {
    states: &'a [machine::NetState],
    at: usize,
    done: u64,
    until: Instant,
}

impl Feed<machine::NetState> for Same<'_> {
    fn stop(&mut self) -> bool {
        Instant::now() > self.until
    }
    fn next(&mut self) -> Option<(u32, &machine::NetState)> {
        self.at += 1;
        Some((0, &self.states[self.at % self.states.len()]))
    }
    fn done(&mut self, _: u32, _: game::random::End, _: usize, _: &[Option<u8>]) {
        self.done += 1;
    }
}

fn speed(name: &str, net: &PropNet) {
    let mut rng = Rng::new(7);
    let mut player = Player::new(net);
    let length = player.playout(net, &net.start(), &mut rng, 2000, &mut |_, _| {}).unwrap().steps;
    // States from the middle of random games.
    let mut states = Vec::new();
    let mut view = net.view();
    while states.len() < 64 {
        let mut state = net.start();
        for _ in 0..length / 2 {
            net.look(&state, &mut view).unwrap();
            let mut joint = Vec::new();
            for role in roles(net) {
                let mut legal = Vec::new();
                net.legal(&view, role, &mut legal);
                if !legal.is_empty() {
                    joint.push(legal[rng.below(legal.len())]);
                }
            }
            if net.over(&view) || joint.len() < net.roles() {
                break;
            }
            let mut next = state.clone();
            net.play(&mut view, &joint, &mut next).unwrap();
            state = next;
        }
        states.push(state);
    }
    let second = Duration::from_millis(700);
    let begin = Instant::now();
    let mut count = 0;
    while begin.elapsed() < second {
        player.playout(net, &states[count % 64], &mut rng, 2000, &mut |_, _| {}).unwrap();
        count += 1;
    }
    let one = count as f64 / begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let mut feed = Same { states: &states, at: 0, done: 0, until: begin + second };
    net.rollouts(&mut feed, 2000, 1).unwrap();
    let lanes = feed.done as f64 / begin.elapsed().as_secs_f64();
    println!("{name:20} one by one {one:9.0}/s   in lanes {lanes:10.0}/s   {:.0} times", lanes / one);
}
