//! Matches of a player with patterns against another one, at the same cost: the player looks at so many states for a move, and the other is given
//! as many states or random games as take the same processor time, measured before the first match. So a busy machine changes nothing but that
//! measurement, and the seed repeats every match.

use crate::args::AbstractionArgs;
use crate::bench::meter::Stopwatch;
use agent::PlayerSpec;
use agent::searcher::{Knowledge, searcher};
use agent::spec::Method;
use anyhow::Result;
use game::random::Rng;
use game::{Cancel, Game, Limit, Role, roles};
use machine::{Engine, State};
use play::score::Tally;
use search::{Budget, Monitor, Searcher};
use serde::Serialize;
use std::sync::Arc;

/// Random moves before a match.
const OPENING: usize = 4;
/// The longest match; what takes longer is a draw.
const MOST_STEPS: u64 = 300;
/// Positions in which a player's cost is measured: each after four random moves more.
const MEASURED: usize = 6;
/// How often the other's amount is measured anew: what a random game costs depends on how many are played together.
const TRIED: usize = 4;
/// The bounds of an amount.
const AMOUNTS: (f64, f64) = (16.0, 1e7);
/// Bytes for the tables and the tree of a player.
const MEMORY: usize = 64 << 20;

/// How the matches against one player ended.
#[derive(Serialize)]
pub struct Contest {
    against: String,
    /// What the other may spend on a move: states or random games.
    amount: u64,
    unit: &'static str,
    won: u64,
    drawn: u64,
    lost: u64,
    /// The share of the points, and its 95% interval.
    rate: f64,
    low: f64,
    high: f64,
    /// The processor's milliseconds for a decision, of the player and of the other, in the matches.
    milliseconds: [f64; 2],
}

impl Contest {
    /// In words.
    pub fn words(&self) -> String {
        let Contest { amount, unit, won, drawn, lost, milliseconds: [own, other], .. } = self;
        let [rate, low, high] = [self.rate, self.low, self.high].map(|share| 100.0 * share);
        format!(
            "{rate:.0}% ({low:.0} to {high:.0}): won {won}, drawn {drawn}, lost {lost}; {amount} {unit}, {own:.1} and {other:.1} ms a move"
        )
    }
}

/// A player with what it may spend.
struct Seat<'a> {
    spec: &'a PlayerSpec,
    amount: u64,
    seconds: f64,
    decisions: u64,
}

impl<'a> Seat<'a> {
    fn new(spec: &'a PlayerSpec, amount: u64) -> Seat<'a> {
        Seat { spec, amount, seconds: 0.0, decisions: 0 }
    }

    /// What is counted.
    fn unit(&self) -> &'static str {
        if matches!(self.spec.method, Method::Uct(_) | Method::MonteCarlo) { "random games" } else { "states" }
    }

    fn budget(&self, seed: u64) -> Budget<'static> {
        let budget = match self.unit() {
            "states" => Budget::of_nodes(self.amount, seed),
            _ => Budget::of_playouts(self.amount, seed),
        };
        Budget { memory: MEMORY, ..budget }
    }

    fn milliseconds(&self) -> f64 {
        1000.0 * self.seconds / self.decisions.max(1) as f64
    }
}

/// Plays all matches.
pub fn contest(
    engine: &Engine,
    knowledge: &Arc<Knowledge>,
    player: &PlayerSpec,
    other: &PlayerSpec,
    args: &AbstractionArgs,
    cancel: &Cancel,
) -> Result<Contest> {
    let positions = positions(engine, args.seed)?;
    let mut seats = [Seat::new(player, args.nodes), Seat::new(other, args.nodes)];
    let wanted = cost(engine, knowledge, &seats[0], &positions)?.map(|each| each * args.nodes as f64);
    for _ in 0..TRIED {
        let (Some(wanted), Some(each)) = (wanted, cost(engine, knowledge, &seats[1], &positions)?) else { break };
        seats[1].amount = (wanted / each).clamp(AMOUNTS.0, AMOUNTS.1) as u64;
    }
    let mut tally = Tally::default();
    for pair in 0..u64::from(args.pairs) {
        let seed = args.seed.wrapping_add(pair);
        let from = walk(engine, OPENING, seed)?.0;
        for its in [Role(0), Role(1)] {
            if cancel.is_cancelled() {
                break;
            }
            let (own, others) = duel(engine, knowledge, &from, its, &mut seats, seed)?;
            tally.add(own, others);
        }
    }
    let (low, high) = tally.interval();
    let Tally { wins: won, draws: drawn, losses: lost, .. } = tally;
    let milliseconds = [seats[0].milliseconds(), seats[1].milliseconds()];
    let (against, amount, unit) = (other.to_string(), seats[1].amount, seats[1].unit());
    Ok(Contest { against, amount, unit, won, drawn, lost, rate: tally.rate(), low, high, milliseconds })
}

/// Positions with something to decide, from random games.
fn positions(engine: &Engine, seed: u64) -> Result<Vec<(State, Role)>, Limit> {
    let mut found = Vec::new();
    for number in 0..4 * MEASURED {
        let (state, decides) = walk(engine, OPENING * (1 + number % MEASURED), seed.wrapping_add(number as u64))?;
        found.extend(decides.map(|role| (state, role)));
        if found.len() == MEASURED {
            break;
        }
    }
    Ok(found)
}

/// The processor's seconds that a player takes for one state or random game: of those that it used, for a search may prove its result before it has
/// used all. Nothing where no search took any time.
fn cost(
    engine: &Engine,
    knowledge: &Arc<Knowledge>,
    seat: &Seat<'_>,
    positions: &[(State, Role)],
) -> Result<Option<f64>> {
    let mut player = searcher(seat.spec, engine, knowledge);
    let mut begun = None;
    let mut used = 0;
    for (number, (state, role)) in positions.iter().enumerate() {
        let found = player.search(engine, state, *role, &seat.budget(number as u64), &Monitor::new())?;
        match begun {
            // The first search also gets things ready.
            None => begun = Some(Stopwatch::start()),
            Some(_) if seat.unit() == "states" => used += found.nodes,
            Some(_) => used += found.playouts,
        }
    }
    let seconds = begun.map_or(0.0, |begun| begun.seconds());
    Ok((used > 0 && seconds > 0.0).then(|| seconds / used as f64))
}

/// A position after random moves that has not ended, and who decides there, if one does.
fn walk(engine: &Engine, steps: usize, seed: u64) -> Result<(State, Option<Role>), Limit> {
    let mut rng = Rng::new(seed);
    let mut view = engine.view();
    let mut state = engine.start();
    let mut decides = None;
    for step in 0..=steps {
        engine.look(&state, &mut view)?;
        let mut legal: Vec<Vec<game::Move>> = vec![Vec::new(); engine.roles()];
        roles(engine).for_each(|role| engine.legal(&view, role, &mut legal[role.0 as usize]));
        if legal.iter().any(Vec::is_empty) {
            return Ok((state, None));
        }
        decides = legal.iter().position(|moves| moves.len() > 1).map(|role| Role(role as u8));
        if step == steps {
            break;
        }
        let joint: Vec<game::Move> = legal.iter().map(|moves| moves[rng.below(moves.len())]).collect();
        let mut next = state.clone();
        engine.play(&mut view, &joint, &mut next)?;
        engine.look(&next, &mut view)?;
        if engine.over(&view) {
            return Ok((state, decides));
        }
        state = next;
    }
    Ok((state, decides))
}

/// A match with the first seat in this role: its goal, and that of the other.
fn duel(
    engine: &Engine,
    knowledge: &Arc<Knowledge>,
    from: &State,
    its: Role,
    seats: &mut [Seat<'_>; 2],
    seed: u64,
) -> Result<(f64, f64)> {
    let mut players: Vec<Box<dyn Searcher<Engine>>> =
        seats.iter().map(|seat| searcher(seat.spec, engine, knowledge)).collect();
    let mut view = engine.view();
    let mut state = from.clone();
    for step in 0..MOST_STEPS {
        engine.look(&state, &mut view)?;
        if engine.over(&view) {
            let mut goal = |role: Role| engine.goal(&mut view, role).map(|goal| f64::from(goal.unwrap_or(0)));
            return Ok((goal(its)?, goal(Role(1 - its.0))?));
        }
        let mut joint = Vec::new();
        for role in roles(engine) {
            let mut legal = Vec::new();
            engine.legal(&view, role, &mut legal);
            let Some(&only) = legal.first() else { return Ok((50.0, 50.0)) };
            if legal.len() == 1 {
                joint.push(only);
                continue;
            }
            let which = usize::from(role != its);
            let seat = &mut seats[which];
            let budget = seat.budget(seed.wrapping_mul(1000).wrapping_add(step));
            let begun = Stopwatch::start();
            let found = players[which].search(engine, &state, role, &budget, &Monitor::new())?;
            (seat.seconds, seat.decisions) = (seat.seconds + begun.seconds(), seat.decisions + 1);
            joint.push(found.mv.unwrap_or(only));
        }
        let mut next = state.clone();
        engine.play(&mut view, &joint, &mut next)?;
        state = next;
    }
    Ok((50.0, 50.0))
}
