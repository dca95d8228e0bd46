//! The players and the numbers of the paper's tables.

use crate::args::RoschkeArgs;
use chinese::Player;
use chinese::uct::{Evaluation, UctSettings};
use native::chinese::Allowed;
use std::fmt;

/// A player with its name in the tables.
#[derive(Clone, PartialEq, Debug)]
pub struct Named {
    /// What it is called.
    pub name: String,
    /// How it plays.
    pub player: Player,
    /// Bytes of the distance table that it may have in memory; all of it without a number.
    pub memory: Option<u64>,
    /// The part of what a move may cost that it has.
    pub share: f64,
}

/// What a player may spend on a move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Spending {
    /// Expansions of nodes.
    Nodes(u64),
    /// Playouts.
    Playouts(u64),
    /// Seconds of processor time: games beside other work are as fair as without it.
    Processor(f64),
}

impl Spending {
    /// A part of it.
    pub fn part(self, share: f64) -> Spending {
        let count = |all: u64| ((all as f64 * share) as u64).max(1);
        match self {
            Spending::Nodes(nodes) => Spending::Nodes(count(nodes)),
            Spending::Playouts(playouts) => Spending::Playouts(count(playouts)),
            Spending::Processor(seconds) => Spending::Processor(seconds * share),
        }
    }
}

impl fmt::Display for Spending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Spending::Nodes(nodes) => write!(f, "{nodes} expansions"),
            Spending::Playouts(playouts) => write!(f, "{playouts} playouts"),
            Spending::Processor(seconds) => write!(f, "{seconds:.3} s of processor time"),
        }
    }
}

/// One number of a table.
#[derive(Clone, PartialEq, Debug)]
pub struct Cell {
    /// What it is known by in the journal.
    pub id: String,
    /// Which of [`PARTS`](super::PARTS).
    pub part: &'static str,
    /// Who begins, and who answers.
    pub players: [Named; 2],
    /// What both may spend.
    pub spending: Spending,
    /// How many games.
    pub games: u64,
    /// The share of games that the first player won in the paper, in percent.
    pub published: Option<f64>,
}

impl Cell {
    /// Whether a player looks distances up.
    pub fn needs_table(&self) -> bool {
        self.players.iter().any(|named| named.player.needs_table())
    }
}

impl Named {
    /// The player of this name.
    pub fn of(name: &str) -> Named {
        let forward = Allowed::Forward;
        let alpha_beta = |lookup| Player::AlphaBeta { lookup, moves: Allowed::NonBackward, depth: 5 };
        let player = match name {
            "ab" => alpha_beta(false),
            "ab-lookup" => alpha_beta(true),
            "heur0" => Player::Uct(UctSettings::heur(forward)),
            "end0" => Player::Uct(UctSettings::end(forward)),
            "ours" => Player::Uct(UctSettings::short()),
            _ => Player::Uct(UctSettings::base(forward)),
        };
        Named { name: name.to_string(), player, memory: None, share: 1.0 }
    }

    /// The same with other settings, under another name.
    fn with(self, more: &str, change: impl Fn(&mut UctSettings)) -> Named {
        let mut player = self.player;
        if let Player::Uct(settings) = &mut player {
            change(settings);
        }
        Named { name: format!("{} {more}", self.name), player, ..self }
    }

    fn within(self, bytes: u64) -> Named {
        Named { name: format!("{} {} MB", self.name, bytes / 1_000_000), memory: Some(bytes), ..self }
    }

    /// Alpha-beta with the table that looks less far ahead.
    fn to_depth(depth: u32) -> Named {
        let player = Player::AlphaBeta { lookup: true, moves: Allowed::NonBackward, depth };
        Named { name: format!("ab-lookup depth={depth}"), player, ..Named::of("ab-lookup") }
    }

    /// The same with half of what a move may cost.
    fn halved(self) -> Named {
        Named { name: format!("{} halved", self.name), share: 0.5, ..self }
    }
}

const PLAYERS: [&str; 5] = ["ab", "ab-lookup", "base0", "heur0", "end0"];

/// Table 3: the row begins. What the paper leaves out has no number.
const TABLE_3: [[Option<f64>; 5]; 5] = [
    [None, None, Some(54.0), Some(18.0), Some(67.0)],
    [None, None, Some(75.0), Some(36.0), Some(88.0)],
    [Some(83.0), Some(65.0), Some(56.0), Some(5.0), Some(62.0)],
    [Some(96.0), Some(87.0), Some(96.0), Some(67.0), Some(97.0)],
    [Some(72.0), Some(27.0), Some(43.0), Some(5.0), Some(49.0)],
];

const PAIRS: [[&str; 2]; 6] = [
    ["base0", "heur0"],
    ["heur0", "base0"],
    ["base0", "end0"],
    ["end0", "base0"],
    ["heur0", "end0"],
    ["end0", "heur0"],
];

/// Table 4: thousands of playouts a turn.
const PLAYOUTS: [u64; 5] = [1, 2, 4, 8, 16];
const TABLE_4: [[f64; 5]; 6] = [
    [13.0, 12.5, 12.5, 17.0, 11.5],
    [88.5, 92.5, 94.5, 90.5, 94.0],
    [63.0, 61.5, 74.0, 70.0, 80.5],
    [49.5, 46.0, 40.5, 37.0, 27.5],
    [97.0, 97.5, 100.0, 98.5, 99.5],
    [6.5, 4.0, 3.0, 1.5, 1.5],
];

/// Table 5: seconds a turn.
const SECONDS: [f64; 4] = [1.0, 2.0, 4.0, 8.0];
const TABLE_5: [[f64; 4]; 6] = [
    [10.6, 8.0, 7.0, 9.0],
    [95.0, 93.5, 97.0, 97.0],
    [55.6, 62.5, 56.5, 59.0],
    [51.9, 49.0, 57.5, 54.0],
    [98.8, 99.0, 96.0, 94.0],
    [8.1, 4.0, 1.5, 3.0],
];

/// The paper's budget.
const NODES: u64 = 100_000;
/// What ours and the paper's best have at equal time: about what the paper's needs for its expansions.
const EQUAL_TIME: f64 = 0.04;

/// The numbers that are asked for.
pub fn all(args: &RoschkeArgs) -> Vec<Cell> {
    let mut cells = Vec::new();
    let games = |full: u64, quick: u64| args.games.unwrap_or(if args.quick { quick } else { full });
    let nodes = if args.quick { NODES / 10 } else { NODES };
    let columns = args.columns.map_or(usize::MAX, usize::from);
    let wanted = |part: &str, players: &[Named; 2]| {
        let is_played = |name: &String| players.iter().any(|player| player.name == *name);
        (args.only.is_empty() || args.only.iter().any(|only| only == part))
            && (args.with.is_empty() || args.with.iter().any(is_played))
    };
    let mut add = |part: &'static str, players: [Named; 2], spending: Spending, games: u64, published: Option<f64>| {
        if wanted(part, &players) {
            let id = format!("{part} | {:?} | {:?} | {spending:?}", settings(&players[0]), settings(&players[1]));
            cells.push(Cell { id, part, players, spending, games, published });
        }
    };
    for (row, first) in PLAYERS.iter().enumerate() {
        for (column, second) in PLAYERS.iter().enumerate() {
            if let Some(published) = TABLE_3[row][column] {
                let players = [Named::of(first), Named::of(second)];
                add("table3", players, Spending::Nodes(nodes), games(100, 10), Some(published));
            }
        }
    }
    for (pair, published) in PAIRS.iter().zip(TABLE_4) {
        for (thousands, published) in PLAYOUTS.into_iter().zip(published).take(columns) {
            let spending = Spending::Playouts(thousands * if args.quick { 100 } else { 1000 });
            add("table4", pair.map(Named::of), spending, games(200, 10), Some(published));
        }
    }
    for (pair, published) in PAIRS.iter().zip(TABLE_5) {
        for (seconds, published) in SECONDS.into_iter().zip(published).take(columns) {
            let scale = if args.quick { args.time_scale / 10.0 } else { args.time_scale };
            add("table5", pair.map(Named::of), Spending::Processor(seconds * scale), games(200, 10), Some(published));
        }
    }
    for spending in [Spending::Nodes(nodes), Spending::Processor(EQUAL_TIME)] {
        for order in [["ours", "heur0"], ["heur0", "ours"]] {
            add("ours", order.map(Named::of), spending, games(200, 10), None);
        }
    }
    let part = 100_000_000;
    for name in ["heur0", "ours"] {
        for opponent in [Named::of(name), Named::of("base0")] {
            for begins in [true, false] {
                let mut players = [Named::of(name).within(part), opponent.clone()];
                if !begins {
                    players.reverse();
                }
                add("memory", players, Spending::Nodes(nodes), games(100, 10), None);
            }
        }
    }
    for players in readings() {
        add("readings", players, Spending::Nodes(nodes), games(100, 10), None);
    }
    cells
}

/// The other readings of what the paper leaves open: what they make of the numbers that differ from the paper's.
fn readings() -> Vec<[Named; 2]> {
    let turned = |name: &str| Named::of(name).with("turned", |settings| settings.random = 1.0 - settings.random);
    let explores = |name: &str, c: f32| Named::of(name).with(&format!("c={c}"), |settings| settings.c = c);
    // Won or lost, and nothing else.
    let plain = |name: &str| Named::of(name).with("length=0", |settings| settings.length = 0.0);
    let mut pairs = Vec::new();
    let mut both = |a: Named, b: Named| pairs.extend([[a.clone(), b.clone()], [b, a]]);
    // "Random %" as the share of farthest moves.
    for name in ["base0", "heur0", "end0"] {
        both(turned(name), Named::of(name));
    }
    for name in ["heur0", "end0"] {
        both(turned(name), turned("base0"));
    }
    both(turned("base0"), Named::of("ab-lookup"));
    // C.
    both(explores("heur0", 0.7), Named::of("base0"));
    both(explores("heur0", 0.7), Named::of("heur0"));
    both(explores("base0", 0.3), Named::of("base0"));
    both(explores("base0", 0.3), Named::of("ab-lookup"));
    both(explores("end0", 0.3), explores("base0", 0.3));
    // The length of a playout.
    both(plain("end0"), Named::of("base0"));
    both(plain("base0"), Named::of("base0"));
    let long = |name: &str, length: f32| {
        Named::of(name).with(&format!("length={length}"), |settings| settings.length = length)
    };
    for length in [0.2, 0.5] {
        both(long("base0", length), Named::of("base0"));
        both(long("base0", length), Named::of("ab-lookup"));
        both(long("end0", length), long("base0", length));
        // The length ends where the players are apart, and says nothing of the game's.
        let short = long("end0", length).with("to the parting", |settings| {
            settings.evaluation = Evaluation::Endgame { rest: false };
        });
        both(short, long("base0", length));
    }
    // Depth five may not have been finished within the expansions.
    for depth in [3, 4] {
        both(Named::to_depth(depth), Named::of("base0"));
    }
    // Whoever pays for asking about every position has half of the expansions.
    both(Named::of("end0").halved(), Named::of("base0"));
    pairs
}

/// What tells a player from all others.
fn settings(named: &Named) -> (&Player, Option<u64>, f64) {
    (&named.player, named.memory, named.share)
}
