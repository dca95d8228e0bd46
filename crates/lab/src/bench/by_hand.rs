//! The hand-written games beside the engines: which rulesheet has one, and `ludens bench --yardstick`.

use super::measure::{self, Goals, Play};
use super::meter::{self, Stopwatch, Timer};
use super::report::{Figures, rate};
use super::yardstick::{Board, Breakthrough, ConnectFour, Tally, TicTacToe, Way, Ways, ways};
use agent::{EngineChoice, engines};
use anyhow::{Context, Result, bail};
use game::random::Rng;
use game::{Game, Limit, Role};
use library::Sheet;
use machine::Engine;
use serde_json::{Value, json};
use std::path::Path;
use terminal::Progress;
use terminal::{Answer, Out, text};

/// A game written by hand.
pub struct Hand {
    /// What it is, in words.
    pub title: &'static str,
    /// How to play it at random.
    pub ways: Ways,
}

/// The hand-written form of a game, known by its name and by how many moves the first role has at the start. (The name
/// does not tell how wide a board is.)
pub fn for_game(name: &str, first_moves: usize) -> Option<Hand> {
    let stem = Path::new(name).file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
    // `games/breakthrough/rules.kif` is known by its folder.
    let folder = Path::new(name).parent().and_then(Path::file_name).map(|folder| folder.to_string_lossy().into_owned());
    let word = if stem == "rules" { folder.unwrap_or(stem) } else { stem };
    let word: String = word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    fn hand<T: Board>(title: &'static str) -> Option<Hand> {
        Some(Hand { title, ways: ways::<T>() })
    }
    match (word.as_str(), first_moves) {
        ("tictactoe", 9) => hand::<TicTacToe>("tic-tac-toe"),
        ("connectfour", 7) => hand::<ConnectFour<7>>("connect four 7x6"),
        ("connectfour", 8) => hand::<ConnectFour<8>>("connect four 8x6"),
        ("breakthrough", 22) => hand::<Breakthrough>("breakthrough 8x8"),
        _ => None,
    }
}

/// How many moves the first role has at the start.
fn first_moves(game: &Engine) -> Result<usize, Limit> {
    let mut view = game.view();
    game.look(&game.start(), &mut view)?;
    let mut moves = Vec::new();
    game.legal(&view, Role(0), &mut moves);
    Ok(moves.len())
}

/// The hand-written form of a game of which only the text is known.
pub fn of_sheet(sheet: &Sheet) -> Option<Hand> {
    // Whatever cannot be played has no hand-written form; why it cannot is told elsewhere. Most names are settled
    // without loading anything.
    [7, 8, 9, 22].iter().find_map(|&moves| for_game(&sheet.name, moves))?;
    let (rules, _) = sheet.parse();
    let moves = first_moves(&engines::engine(EngineChoice::PROVER, sheet, &rules).ok()?).ok()?;
    for_game(&sheet.name, moves)
}

/// Plays by hand for some seconds.
pub fn play(way: Way, seconds: f64, seed: u64) -> Play {
    let mut tally = Tally::default();
    let mut rng = Rng::new(seed);
    let wall = Stopwatch::start();
    let mut timer = Timer::start();
    while timer.about() < seconds {
        tally.add(way.play(&mut rng));
    }
    let Tally { states, first, second, drawn } = tally;
    let goals = |won, lost| vec![(0, lost), (50, drawn), (100, won)];
    let roles = vec![
        Goals { role: "first".to_string(), goals: goals(first, second) },
        Goals { role: "second".to_string(), goals: goals(second, first) },
    ];
    Play {
        states,
        playouts: tally.playouts(),
        seconds: timer.exactly(),
        clock: meter::clock(),
        wall: wall.wall(),
        roles,
        ..Play::default()
    }
}

/// The rounds of a comparison: each way plays for a part of the time, in turn, so that a disturbance hits all of them.
const ROUNDS: u32 = 5;

/// One game, played in three ways.
struct Compared {
    game: String,
    title: &'static str,
    engine: machine::EngineKind,
    alone: Play,
    abreast: Play,
    ours: Play,
}

/// Compares hand-written games with an engine on the same games, in the same run.
pub fn compare(
    sheets: &[Sheet],
    engine: EngineChoice,
    seconds: f64,
    seed: u64,
    json: bool,
    out: Out<'_>,
) -> Result<Answer> {
    let mut rows = Vec::new();
    for sheet in sheets {
        rows.push(compare_one(sheet, engine, seconds, seed).with_context(|| sheet.name.clone())?);
    }
    let differs = rows.iter().any(|row| !row.differences().is_empty());
    if json {
        let rows: Vec<Value> = rows.iter().map(Compared::to_json).collect();
        serde_json::to_writer_pretty(
            &mut *out,
            &json!({ "seconds": seconds, "clock": meter::clock(), "games": rows }),
        )?;
        writeln!(out)?;
    } else {
        write(&rows, out)?;
    }
    Ok(if differs { Answer::No } else { Answer::Yes })
}

fn compare_one(sheet: &Sheet, engine: EngineChoice, seconds: f64, seed: u64) -> Result<Compared> {
    let rules = sheet.rules()?;
    let game = engines::engine(engine, sheet, &rules)?;
    let moves = first_moves(&game)?;
    let Some(Hand { title, ways }) = for_game(&sheet.name, moves) else {
        bail!("there is no hand-written form of this game; there is one of tic-tac-toe, connect-four and breakthrough")
    };
    let mut plays = [Play::default(), Play::default(), Play::default()];
    let mut progress = Progress::new();
    for round in 0..ROUNDS {
        let done = f64::from(round) / f64::from(ROUNDS);
        progress.fraction(done, |_| format!("{}: round {} of {ROUNDS}", sheet.name, round + 1));
        let (part, seed) = (seconds / f64::from(ROUNDS), seed.wrapping_add(u64::from(round)));
        plays[0].add(play(ways.alone, part, seed));
        plays[1].add(play(ways.abreast, part, seed));
        plays[2].add(measure::play(&game, part, seed)?);
    }
    let [alone, abreast, ours] = plays;
    Ok(Compared { game: sheet.name.clone(), title, engine: game.kind(), alone, abreast, ours })
}

impl Compared {
    /// What is not alike though it should be: random games have the same length and the same results on average,
    /// within five standard errors.
    fn differences(&self) -> Vec<String> {
        let mut differences = Vec::new();
        // Neither the spread of lengths nor that of goals can be wider than this in these games.
        let apart = |a: f64, b: f64, spread: f64, games: u64| {
            let games = games.max(1) as f64;
            // Lanes and boards side by side also count games that had begun before, and moves of games not yet over.
            (a - b).abs() > spread * (5.0 / games.sqrt() + 600.0 / games)
        };
        for hand in [&self.alone, &self.abreast] {
            let games = self.ours.playouts.min(hand.playouts);
            if apart(self.ours.length(), hand.length(), hand.length(), games) {
                differences.push(format!("a game has {:.2} moves, by hand {:.2}", self.ours.length(), hand.length()));
            }
            for (ours, by_hand) in self.ours.roles.iter().zip(&hand.roles) {
                if apart(ours.mean(), by_hand.mean(), 50.0, games) {
                    let (role, ours, by_hand) = (&ours.role, ours.mean(), by_hand.mean());
                    differences.push(format!("{role} gets {ours:.2}, by hand {by_hand:.2}"));
                }
            }
        }
        differences
    }

    fn ratio(&self, hand: &Play) -> f64 {
        self.ours.states_per_second() / hand.states_per_second()
    }

    fn to_json(&self) -> Value {
        let Compared { game, title, engine, alone, abreast, ours } = self;
        let figures = |play: &Play| serde_json::to_value(Figures::of(play)).unwrap_or_default();
        json!({
            "game": game, "yardstick": title, "engine": engine.name(),
            "by_hand_alone": figures(alone), "by_hand_abreast": figures(abreast), "ours": figures(ours),
            "times_alone": self.ratio(alone), "times_abreast": self.ratio(abreast),
            "differences": self.differences(),
        })
    }
}

fn write(rows: &[Compared], out: Out<'_>) -> Result<()> {
    let head = ["game", "played", "states/s", "playouts/s", "length", "first gets", "× alone", "× abreast"];
    let mut lines = vec![head.map(String::from).to_vec()];
    for row in rows {
        let ours = if row.ours.lanes { format!("{}, lanes", row.engine.name()) } else { row.engine.name().to_string() };
        let line = |name: &str, how: String, play: &Play| {
            let ratio = |hand: &Play| format!("{:.3}", play.states_per_second() / hand.states_per_second());
            let playouts = play.playouts_per_second().map_or("-".to_string(), rate);
            let first = play.roles.first().map_or(0.0, Goals::mean);
            let (length, first) = (format!("{:.2}", play.length()), format!("{first:.2}"));
            let states = rate(play.states_per_second());
            vec![name.to_string(), how, states, playouts, length, first, ratio(&row.alone), ratio(&row.abreast)]
        };
        lines.push(line(row.title, "by hand, alone".to_string(), &row.alone));
        lines.push(line("", "by hand, abreast".to_string(), &row.abreast));
        lines.push(line(&row.game, ours, &row.ours));
    }
    write!(out, "{}", text::aligned(&lines))?;
    writeln!(out, "\nalone: one game at a time; abreast: four side by side, without branches. One core, a {}.", {
        meter::clock().second()
    })?;
    for row in rows {
        for difference in row.differences() {
            writeln!(out, "{}: DIFFERS: {difference}", row.game)?;
        }
    }
    Ok(())
}

impl Play {
    /// Adds further games of the same kind.
    fn add(&mut self, other: Play) {
        if self.playouts == 0 && self.states == 0 {
            *self = other;
            return;
        }
        self.states += other.states;
        self.playouts += other.playouts;
        self.cut += other.cut;
        self.stuck += other.stuck;
        self.seconds += other.seconds;
        self.wall += other.wall;
        for (mine, others) in self.roles.iter_mut().zip(other.roles) {
            for (goal, games) in others.goals {
                match mine.goals.iter_mut().find(|(known, _)| *known == goal) {
                    Some((_, count)) => *count += games,
                    None => mine.goals.push((goal, games)),
                }
            }
            mine.goals.sort_unstable();
        }
    }
}
