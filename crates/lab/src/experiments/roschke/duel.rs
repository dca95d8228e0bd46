//! One game of two players on the native board.

use super::cells::{Cell, Named, Spending};
use crate::bench::meter::Stopwatch;
use anyhow::{Result, anyhow};
use chinese::Kit;
use game::{Game, Role};
use native::chinese::ChineseCheckers;
use search::{Budget, Found, Monitor, Searcher};
use serde::{Deserialize, Serialize};

/// Games may be endless (S3.2): one of so many plies is a draw.
const LONGEST: u64 = 300;

/// A game that was played.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Played {
    /// Which cell it belongs to.
    pub cell: String,
    /// Its number there.
    pub number: u64,
    /// The seed of the run.
    pub seed: u64,
    /// Who won: 0 the first player, 1 the second; nobody if it went on for too long.
    pub winner: Option<usize>,
    /// How many plies it took.
    pub plies: u64,
    /// Expansions of the first and of the second player.
    pub nodes: [u64; 2],
    /// Playouts.
    pub playouts: [u64; 2],
    /// Seconds of processor time.
    pub seconds: [f64; 2],
    /// Moves.
    pub moves: [u64; 2],
}

fn search(
    searcher: &mut dyn Searcher<ChineseCheckers>,
    kit: &Kit,
    state: &native::chinese::State,
    spending: Spending,
    seed: u64,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Found> {
    let began = Stopwatch::of_thread();
    let spent = || match spending {
        _ if stop() => 2.0,
        Spending::Processor(seconds) => (began.seconds() / seconds) as f32,
        Spending::Nodes(_) | Spending::Playouts(_) => 0.0,
    };
    let mut budget = Budget::timed(&spent, seed);
    match spending {
        Spending::Nodes(nodes) => budget.nodes = Some(nodes),
        Spending::Playouts(playouts) => budget.playouts = Some(playouts),
        Spending::Processor(_) => {}
    }
    Ok(searcher.search(kit.game(), state, Role(state.turn), &budget, &Monitor::new())?)
}

/// Plays a game; `None` if somebody said stop.
pub fn play(
    kits: [&Kit; 2],
    cell: &Cell,
    number: u64,
    seed: u64,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Played>> {
    let game = kits[0].game();
    let [first, second] = &cell.players;
    let mut searchers = [kits[0].searcher(&first.player)?, kits[1].searcher(&second.player)?];
    let mut state = game.start();
    let mut played = Played { cell: cell.id.clone(), number, seed, ..Played::default() };
    while played.plies < LONGEST {
        played.winner = [0, 1].into_iter().find(|&player| game.won(&state, player));
        if played.winner.is_some() {
            break;
        }
        let turn = usize::from(state.turn);
        let began = Stopwatch::of_thread();
        let seed = seed.wrapping_mul(1_000_003).wrapping_add(number).wrapping_mul(1000).wrapping_add(played.plies);
        let spending = cell.spending.part(cell.players[turn].share);
        let found = search(&mut *searchers[turn], kits[turn], &state, spending, seed, stop)?;
        if stop() {
            return Ok(None);
        }
        let mv = found.mv.ok_or_else(|| anyhow!("{} has no move", cell.players[turn].name))?;
        played.seconds[turn] += began.seconds();
        played.nodes[turn] += found.nodes;
        played.playouts[turn] += found.playouts;
        played.moves[turn] += 1;
        played.plies += 1;
        state = game.after(&state, ChineseCheckers::ends(mv));
    }
    Ok(Some(played))
}

/// Makes the first move of a game, to see how long it takes.
pub fn first_move(kit: &Kit, player: &Named, spending: Spending, seed: u64) -> Result<Found> {
    let mut searcher = kit.searcher(&player.player)?;
    search(&mut *searcher, kit, &kit.game().start(), spending, seed, &|| false)
}
