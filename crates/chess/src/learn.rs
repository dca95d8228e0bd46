//! Weights of lookups, learned from games that the engine plays against itself.
//!
//! A game begins with the men at hand on random squares (pawns on the second to the sixth rank, no check, nothing hanging), and
//! ends where a table knows the position, by mate, or in a draw by repetition, the fifty moves or its length. The positions
//! that were quiet are examples: what the lookups say, and what came of it, half of it the result of the game and half
//! the chance that a search saw. Logistic regression makes weights of them; a second round plays with the weights of the
//! first. The same seed gives the same weights.

use crate::engine::{Engine, Limits, Settings};
use crate::evaluation::{Evaluation, Judge};
use crate::exchange;
use crate::force::Force;
use crate::hand;
use crate::weights::{Class, Decided, Learned, Weights};
use abstraction::learn::{Example, logistic, loss};
use game::Cancel;
use game::random::Rng;
use native::chess::geometry::bit;
use native::chess::{Colour, Kind, Man, Position, Step};
use std::sync::Arc;
use table::chess::{Material, Metric, Outcome, Tables};

/// What can be set.
#[derive(Clone, PartialEq, Debug)]
pub struct Learning {
    /// Games a round.
    pub games: u32,
    /// Rounds, each with the weights of the one before.
    pub rounds: u32,
    /// Positions that a search looks at for each move.
    pub nodes: u64,
    /// Makes it repeatable.
    pub seed: u64,
    /// Whether the evaluation by hand is one of the terms.
    pub hand: bool,
    /// The parts to look up; where there are none here, all of the largest that have a table.
    pub parts: Vec<Material>,
}

impl Default for Learning {
    fn default() -> Learning {
        Learning { games: 400, rounds: 2, nodes: 2000, seed: 1, hand: false, parts: Vec::new() }
    }
}

/// How far it has come.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Progress {
    /// The round, from 0.
    pub round: u32,
    /// Games of this round that were played.
    pub games: u32,
}

/// What was learned, and how well it fits.
#[derive(Clone, PartialEq, Debug)]
pub struct Outline {
    /// The weights.
    pub learned: Learned,
    /// Positions that they were learned from.
    pub examples: usize,
    /// The mean logarithmic loss on a fifth of the games that was not learned from.
    pub held_out: f64,
    /// The same for whoever says only how often the side named first wins.
    pub without: f64,
}

/// Plies of a game, at most.
const LONGEST: usize = 160;
/// The weight of the ridge.
const RIDGE: f64 = 4.0;
/// How much the chance that a search saw counts beside the result of the game.
const SEARCHED: f64 = 0.5;

/// A position of these men with the side to move, as games begin: see the module.
pub fn random_position(force: &Force, rng: &mut Rng) -> Position {
    loop {
        let turn = if rng.below(2) == 0 { Colour::White } else { Colour::Black };
        let mut position = Position::empty(turn);
        let kings = Colour::BOTH.map(|colour| Man { colour, kind: Kind::King });
        for man in kings.into_iter().chain(force.men()) {
            let square = match (man.kind, man.colour) {
                (Kind::Pawn, Colour::White) => 8 + rng.below(40) as u8,
                (Kind::Pawn, Colour::Black) => 16 + rng.below(40) as u8,
                _ => rng.below(64) as u8,
            };
            if position.occupied() & bit(square) == 0 {
                position.put(man, square);
            }
        }
        let is_whole = position.count() as usize == force.men().len() + 2;
        if is_whole && position.fault().is_none() && !position.in_check(turn) && is_quiet(&position) {
            return position;
        }
    }
}

/// Whether neither side can win material by an exchange at once.
fn is_quiet(position: &Position) -> bool {
    let other = Position { turn: position.turn.other(), passed: None, ..*position };
    [*position, other].iter().all(|position| {
        let mut loud = Vec::new();
        position.loud_into(&mut loud);
        loud.iter().all(|step| exchange::gain(position, step) <= 0)
    })
}

/// Learns weights for some men. `None` if it was cancelled, or no part of the men has a table.
pub fn learn(
    force: &Force,
    tables: &Arc<Tables>,
    learning: &Learning,
    cancel: &Cancel,
    tell: &mut dyn FnMut(Progress),
) -> Option<Outline> {
    let mut outline: Option<Outline> = None;
    for round in 0..learning.rounds.max(1) {
        let mut weights = Weights::none();
        let judge = if outline.is_some() { Judge::Learned } else { Judge::Sum };
        if let Some(outline) = &outline {
            weights.add(outline.learned.clone());
        }
        let mut engine = Engine::new(
            Settings {
                judge,
                search: search::duel::Settings { memory: 8 << 20, ..Default::default() },
                parts: learning.parts.clone(),
            },
            Some(Arc::clone(tables)),
        )
        .with_weights(Arc::new(weights));
        let (mut taught, mut held) = (Vec::new(), Vec::new());
        let mut names = None;
        for number in 0..learning.games {
            if cancel.is_cancelled() {
                return None;
            }
            let mut rng =
                Rng::new(learning.seed.wrapping_mul(0x1_0000_0001) ^ u64::from(round) << 32 ^ u64::from(number));
            let start = random_position(force, &mut rng);
            let game = play(&mut engine, start, tables, learning, cancel);
            let none = Weights::none();
            let mut evaluation = Evaluation::new(Judge::Sum, Some(tables), &learning.parts, &none);
            for (position, chance) in game {
                if Force::of(&position).to_string() != force.to_string() {
                    continue;
                }
                let (classes, mut terms) = evaluation.terms(&position)?;
                terms.extend(common(&position, learning.hand));
                let into = if number % 5 == 4 { &mut held } else { &mut taught };
                into.push(Example { terms, result: chance });
                names = Some(classes);
            }
            tell(Progress { round, games: number + 1 });
        }
        let names = names?;
        let weights = logistic(&taught, RIDGE);
        let plain: Vec<Example> = taught.iter().map(|e| Example { terms: vec![1.0], result: e.result }).collect();
        let constant = logistic(&plain, RIDGE);
        let plain_held: Vec<Example> = held.iter().map(|e| Example { terms: vec![1.0], result: e.result }).collect();
        outline = Some(Outline {
            learned: named(force, &names, &weights, learning, taught.len()),
            examples: taught.len(),
            held_out: loss(&held, &weights),
            without: loss(&plain_held, &constant),
        });
    }
    outline
}

/// The terms beside the lookups: a constant, who is to move, and what the evaluation by hand sees, for the side named first.
fn common(position: &Position, by_hand: bool) -> [f32; 3] {
    let first = Force::of(position).first();
    let turn = if position.turn == first { 1.0 } else { -1.0 };
    let sign = if first == Colour::White { 1.0 } else { -1.0 };
    [1.0, turn, if by_hand { sign * hand::value(position) as f32 / 100.0 } else { 0.0 }]
}

fn named(force: &Force, names: &[String], weights: &[f64], learning: &Learning, examples: usize) -> Learned {
    let at = |place: usize| (weights.get(place).copied().unwrap_or(0.0) * 1e4).round() / 1e4;
    let class = |number: usize| {
        let decided = |from: usize| Decided { now: at(from), far: at(from + 1) };
        Class { win: decided(4 * number), loss: decided(4 * number + 2) }
    };
    let rest = 4 * names.len();
    Learned {
        men: force.to_string(),
        origin: format!(
            "self-play: {} rounds of {} games at {} nodes a move, seed {}; {examples} positions of the last round, half result, half search",
            learning.rounds, learning.games, learning.nodes, learning.seed
        ),
        constant: at(rest),
        turn: at(rest + 1),
        hand: at(rest + 2),
        parts: names.iter().cloned().zip((0..).map(class)).collect(),
    }
}

/// Plays a game and gives its quiet positions, each with the chance of the side named first that came of it.
fn play(
    engine: &mut Engine,
    start: Position,
    tables: &Tables,
    learning: &Learning,
    cancel: &Cancel,
) -> Vec<(Position, f32)> {
    let first = Force::of(&start).first();
    let (mut position, mut moves): (Position, Vec<Step>) = (start, Vec::new());
    let mut seen: Vec<(Position, f64)> = Vec::new();
    let mut before: Vec<Position> = Vec::new();
    let result = loop {
        if let Ok(outcome) = tables.probe(&position, Metric::Mate) {
            break match outcome {
                Outcome::Draw => 0.5,
                Outcome::Win(_) => f64::from(u8::from(position.turn == first)),
                Outcome::Loss(_) => f64::from(u8::from(position.turn != first)),
            };
        }
        if position.checkmate() {
            break f64::from(u8::from(position.turn != first));
        }
        let same = |old: &&Position| Position { quiet: 0, ..**old } == Position { quiet: 0, ..position };
        let is_repeated = before.iter().filter(same).count() >= 2;
        if is_repeated
            || position.quiet >= 100
            || moves.len() >= LONGEST
            || !position.can_move()
            || cancel.is_cancelled()
        {
            break 0.5;
        }
        before.push(position);
        engine.set_position(start, &moves);
        let best = engine.search(&Limits { nodes: Some(learning.nodes), ..Limits::default() }, &mut |_| {});
        let (Some(step), Some(info)) = (best.mv, best.lines.first()) else { break 0.5 };
        if !position.in_check(position.turn) && step.taken.is_none() && step.promotion.is_none() {
            let chance = info.score.chance();
            seen.push((position, if position.turn == first { chance } else { 1.0 - chance }));
        }
        position = position.after(&step);
        moves.push(step);
    };
    engine.new_game();
    seen.into_iter()
        .map(|(position, chance)| (position, ((1.0 - SEARCHED) * result + SEARCHED * chance) as f32))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use table::chess::build_all;

    #[test]
    fn random_positions_are_quiet_and_repeatable() {
        let force = Force::of(&Position::from_fen("8/8/3k4/8/2P1R3/1P6/3K4/5bn1 w - -").unwrap());
        for seed in 0..50 {
            let position = random_position(&force, &mut Rng::new(seed));
            assert_eq!(random_position(&force, &mut Rng::new(seed)), position);
            assert!(position.fault().is_none() && !position.in_check(position.turn) && position.count() == 7);
        }
    }

    /// Six men with tables of three: weights come out, the same ones each time, and they fit better than none.
    #[test]
    fn weights_are_learned() {
        let mut tables = Tables::new();
        for name in ["KRK", "KPK"] {
            build_all(Material::parse(name).unwrap(), Metric::Mate, &mut tables, &mut |_, _| true).unwrap();
        }
        let tables = Arc::new(tables);
        let force = Force::of(&Position::from_fen("8/5p2/3k4/5p2/8/1P6/3K4/R7 w - -").unwrap());
        let learning = Learning { games: 25, rounds: 2, nodes: 200, ..Learning::default() };
        let learned = || learn(&force, &tables, &learning, &Cancel::new(), &mut |_| {}).unwrap();
        let outline = learned();
        assert_eq!(learned(), outline);
        assert_eq!(outline.learned.men, "KRPKPP");
        assert!(outline.examples > 50 && outline.learned.parts.contains_key("KRK"), "{outline:?}");
        let text = serde_json::to_string(&outline.learned).unwrap();
        assert_eq!(Weights::read(&text), Ok(outline.learned));
    }
}
