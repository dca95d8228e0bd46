//! What a fleet is worth: several workers against one, each with the same counted budget, as if each were another machine.

use super::FleetArgs;
use anyhow::Result;
use host::Players;
use host::tournament::{self, Plan, Progress};
use platform::Interrupt;
use play::score::wilson;
use std::fmt::Write as _;
use std::path::Path;
use terminal::Out;

/// The games, unless some are named: those in which a game takes seconds. (One of lines of action takes minutes.)
const GAMES: [&str; 10] = [
    "connect-four",
    "breakthrough",
    "hex",
    "othello",
    "kalah",
    "dots-and-boxes",
    "pentago",
    "nine-mens-morris",
    "knightthrough",
    "sheep-and-wolf",
];

/// The pairs, for the command line.
pub const PAIRS: [&str; 3] = ["strength-2", "strength-8", "merge-against-deepest"];

/// A pairing: what it is called, who plays, and the points that we are out for.
struct Pairing {
    name: &'static str,
    players: [String; 2],
    aim: Option<f64>,
}

/// Runs this part.
pub fn run(args: &FleetArgs, folder: &Path, interrupt: &Interrupt, out: Out<'_>) -> Result<String> {
    let budget = format!("playouts={},solvers=0", args.playouts);
    let fleet = |workers: usize, more: &str| format!("fleet:threads={workers},workers={workers},{budget}{more}");
    let pairings = [
        Pairing { name: PAIRS[0], players: [fleet(2, ""), fleet(1, "")], aim: Some(0.6) },
        Pairing { name: PAIRS[1], players: [fleet(8, ""), fleet(1, "")], aim: Some(0.75) },
        Pairing { name: PAIRS[2], players: [fleet(8, ""), fleet(8, ",choose=deepest")], aim: None },
    ];
    let is_wanted = |pair: &Pairing| args.only_pairs.is_empty() || args.only_pairs.iter().any(|only| only == pair.name);
    let games = if args.only_games.is_empty() { GAMES.map(String::from).to_vec() } else { args.only_games.clone() };
    let mut told = String::new();
    for Pairing { name, players, aim } in pairings.into_iter().filter(is_wanted) {
        let plan = Plan {
            games: games.clone(),
            players: players.to_vec(),
            rounds: args.rounds,
            gauntlet: true,
            start: 120.0,
            play: 120.0,
            parallel: 1,
            scramble: false,
            seed: args.seed,
            most: 300,
            out: Some(folder.join(name)),
            records: false,
            fresh: false,
        };
        let mut shown = terminal::Progress::new();
        let standings = tournament::play(&plan, &Players::default(), &interrupt.cancel(), &mut |progress| {
            if let Progress::Games { done, of } = progress {
                shown.fraction(done as f64 / of.max(1) as f64, |seconds| {
                    format!("{name}: {done} of {of} games, {seconds:.0} s")
                });
            }
            Ok(())
        })?;
        drop(shown);
        let (all, by_game) = standings.points(0);
        let mut text = format!("{name}: {} against {}, {} games of each\n", players[0], players[1], args.rounds);
        let line = |text: &mut String, what: &str, points: f64, games: usize, end: &str| {
            let (low, high) = wilson(points, games as u64);
            let _ = writeln!(
                text,
                "  {what:<20} {:>5.1}%  {:>5.1}%–{:.1}%{end}",
                100.0 * points,
                100.0 * low,
                100.0 * high
            );
        };
        for (game, points) in &by_game {
            line(&mut text, game, *points, args.rounds, "");
        }
        let aim = aim.map_or(String::new(), |aim| format!(", out for {:.0}%", 100.0 * aim));
        line(&mut text, "all", all, args.rounds * by_game.len(), &aim);
        write!(out, "{text}")?;
        out.flush()?;
        told += &text;
    }
    Ok(told)
}
