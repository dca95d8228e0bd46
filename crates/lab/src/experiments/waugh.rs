//! `ludens lab waugh`: the two tables of the paper on generated code (Waugh 2009), with our engines beside its figures.
//!
//! One Monte Carlo player plays all roles of a game; each move has a fixed time. Counted are the states examined and the
//! simulations finished for each move, apart for the first, middle and last third of a game.

mod published;
mod report;

use super::monte_carlo::{Found, Searcher, search_in_lanes};
use super::remember::Remember;
use crate::args::WaughArgs;
use agent::{EngineChoice, engines};
use anyhow::{Context, Result};
use clap::ValueEnum;
use game::{Game, Limit};
use host::journal::Journal;
use library::Sheet;
use machine::{Engine, PropNet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use terminal::Progress;
use terminal::{Answer, Out, text};

/// The games of the paper, as our library calls them.
pub const GAMES: [&str; 4] = ["tic-tac-toe", "chess", "checkers", "connect-four"];

/// The most states in the table, as in the paper.
const TABLE: usize = 10_000;

/// What the player is built on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Base {
    /// The prover, in the place of the paper's Prolog.
    Prover,
    /// Rule code, as in the paper.
    Rules,
    /// Rule code with a table of 10,000 states.
    RulesTable,
    /// The net, one state at a time.
    Net,
    /// The net, hundreds of games at a time.
    NetLanes,
}

impl Base {
    fn engine(self) -> EngineChoice {
        match self {
            Base::Prover => EngineChoice::PROVER,
            Base::Rules | Base::RulesTable => EngineChoice::RULES,
            Base::Net | Base::NetLanes => EngineChoice::NET,
        }
    }

    /// What it is called in reports.
    pub fn title(self) -> &'static str {
        match self {
            Base::Prover => "prover",
            Base::Rules => "rule code",
            Base::RulesTable => "rule code, table",
            Base::Net => "net",
            Base::NetLanes => "net, lanes",
        }
    }
}

/// A game that was played.
#[derive(Serialize, Deserialize)]
pub struct Played {
    game: String,
    base: Base,
    number: u64,
    seconds: f64,
    seed: u64,
    most: usize,
    /// States and simulations for each joint move.
    moves: Vec<(u64, u64)>,
}

/// Runs the experiment.
pub fn run(args: &WaughArgs, out: Out<'_>) -> Result<Answer> {
    let wanted = |game: &&str| args.only.is_empty() || args.only.iter().any(|only| only == game);
    let games: Vec<&'static str> = GAMES.into_iter().filter(wanted).collect();
    let bases = if args.players.is_empty() { Base::value_variants().to_vec() } else { args.players.clone() };
    let fits = |played: &Played| (played.seconds, played.seed, played.most) == (args.seconds, args.seed, args.most);
    let folder = args.lab.out("waugh");
    let mut journal = Journal::open(&folder.join("journal.jsonl"), args.lab.keep(), fits)?;
    journal.greet(out)?;
    let mut stock = Stock::default();
    // One game of each kind before the second of any: a report in between is as even as it can be.
    for number in 0..args.games {
        for &game in &games {
            for &base in &bases {
                let known =
                    |played: &Played| (played.game.as_str(), played.base, played.number) == (game, base, number);
                if journal.entries().iter().any(known) {
                    continue;
                }
                let Some(moves) = stock.play(args, game, base, number, out)? else { continue };
                writeln!(out, "{}", told(game, base, number, &moves))?;
                out.flush()?;
                let (game, seconds, seed, most) = (game.to_string(), args.seconds, args.seed, args.most);
                journal.add(Played { game, base, number, seconds, seed, most, moves })?;
                report::write(args, &folder, &games, &bases, journal.entries())?;
            }
        }
    }
    report::write(args, &folder, &games, &bases, journal.entries())?;
    write!(out, "{}", report::text(args, &games, &bases, journal.entries()))?;
    writeln!(out, "written: {0}/results.json and {0}/report.md", folder.display())?;
    Ok(Answer::Yes)
}

/// Games that are ready, loaded when first needed; `None` for those that an engine cannot play.
#[derive(Default)]
struct Stock(BTreeMap<(&'static str, EngineChoice), Option<Engine>>);

impl Stock {
    fn get(&mut self, game: &'static str, engine: EngineChoice, out: Out<'_>) -> Result<Option<&Engine>> {
        if let Entry::Vacant(place) = self.0.entry((game, engine)) {
            let sheet = Sheet::find(game)?;
            let loaded = engines::engine(engine, &sheet, &sheet.rules()?);
            if let Err(error) = &loaded {
                writeln!(out, "{game} is left out for {}: {error:#}", engine.name())?;
            }
            place.insert(loaded.ok());
        }
        Ok(self.0.get(&(game, engine)).and_then(Option::as_ref))
    }

    /// Plays a game: states and simulations for each move. `None` if the engine cannot.
    fn play(
        &mut self,
        args: &WaughArgs,
        name: &'static str,
        base: Base,
        number: u64,
        out: Out<'_>,
    ) -> Result<Option<Vec<(u64, u64)>>> {
        let Some(game) = self.get(name, base.engine(), out)? else { return Ok(None) };
        let seed = args.seed.wrapping_mul(1_000_003).wrapping_add(number);
        let job = Match { base, seconds: args.seconds, most: args.most, seed, name };
        let moves = match game.net() {
            Some(net) if base == Base::NetLanes => job.play_in_lanes(net),
            _ => job.run(game),
        };
        moves.map(Some).with_context(|| format!("{name} with {}", base.title()))
    }
}

fn told(game: &str, base: Base, number: u64, moves: &[(u64, u64)]) -> String {
    let (states, simulations) = moves.iter().fold((0, 0), |sum, (a, b)| (sum.0 + a, sum.1 + b));
    let each = |sum: u64| sum / (moves.len() as u64).max(1);
    let moves = text::count(moves.len(), "move");
    let (states, simulations) = (each(states), each(simulations));
    format!(
        "{game} with {}, game {}: {moves}, {states} states and {simulations} simulations a move",
        base.title(),
        number + 1
    )
}

/// A search of a state for the move of this number.
type Search<'a, S> = dyn FnMut(&S, usize) -> Result<Option<Found>, Limit> + 'a;

/// One game against itself.
struct Match<'a> {
    base: Base,
    seconds: f64,
    most: usize,
    seed: u64,
    name: &'a str,
}

impl Match<'_> {
    fn run(self, game: &machine::Engine) -> Result<Vec<(u64, u64)>, Limit> {
        match self.base {
            Base::RulesTable => self.play(&Remember::new(game, TABLE)),
            _ => self.play(game),
        }
    }
}

impl Match<'_> {
    fn play<G: Game>(&self, game: &G) -> Result<Vec<(u64, u64)>, Limit> {
        let mut searcher = Searcher::new(game, self.seed);
        self.play_with(game, &mut |state, _| searcher.search(game, state, self.seconds))
    }

    fn play_in_lanes(&self, net: &PropNet) -> Result<Vec<(u64, u64)>, Limit> {
        // Other random numbers for every move.
        let seed = |number: usize| self.seed.wrapping_add((number as u64) << 32);
        self.play_with(net, &mut |state, number| search_in_lanes(net, state, self.seconds, seed(number)))
    }

    /// Plays a game; `search` hears the state and the number of the move.
    fn play_with<G: Game>(&self, game: &G, search: &mut Search<'_, G::State>) -> Result<Vec<(u64, u64)>, Limit> {
        let mut view = game.view();
        let (mut state, mut next) = (game.start(), game.start());
        let mut moves = Vec::new();
        let mut progress = Progress::new();
        while moves.len() < self.most {
            progress.at(|_| format!("{} with {}: move {}", self.name, self.base.title(), moves.len() + 1));
            let Some(found) = search(&state, moves.len())? else { break };
            moves.push((found.states, found.simulations));
            game.look(&state, &mut view)?;
            game.play(&mut view, &found.joint, &mut next)?;
            std::mem::swap(&mut state, &mut next);
        }
        Ok(moves)
    }
}

/// The means of a third of all games.
#[derive(Clone, Copy, Default)]
pub struct Mean {
    moves: u64,
    states: u64,
    simulations: u64,
}

impl Mean {
    fn of(&self, sum: u64) -> Option<u64> {
        (self.moves > 0).then(|| (sum as f64 / self.moves as f64).round() as u64)
    }
}

/// The means of the first, middle and last third.
pub fn thirds<'a>(games: impl Iterator<Item = &'a Played>) -> [Mean; 3] {
    let mut means = [Mean::default(); 3];
    for played in games {
        for (index, (states, simulations)) in played.moves.iter().enumerate() {
            let mean = &mut means[index * 3 / played.moves.len()];
            mean.moves += 1;
            mean.states += states;
            mean.simulations += simulations;
        }
    }
    means
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_has_three_thirds() {
        let moves = (1..=7).map(|n| (n, 10 * n)).collect();
        let (game, base) = ("nim".to_string(), Base::Net);
        let played = Played { game, base, number: 0, seconds: 1.0, seed: 1, most: 9, moves };
        let means = thirds([&played].into_iter());
        assert_eq!(means.map(|mean| mean.moves), [3, 2, 2]);
        assert_eq!(means.map(|mean| mean.of(mean.states)), [Some(2), Some(5), Some(7)]);
        assert_eq!(thirds([].into_iter())[0].of(0), None);
    }
}
