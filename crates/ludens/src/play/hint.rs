//! A hint: every legal move tried in quick random games.

use game::random::{Player, Rng};
use game::{Game, Limit, Move, Role};
use std::time::{Duration, Instant};

/// How long a hint may take.
const TIME: Duration = Duration::from_millis(300);

/// A random game is cut after this many steps; its goal then counts as it stands.
const MOST: usize = 500;

/// A move and how random games went after it.
pub struct Tried {
    /// The index of the move in the list of legal moves.
    pub index: usize,
    /// The games played; at least one for each move.
    pub games: u32,
    /// The mean goal of the role.
    pub mean: f64,
}

/// Tries every move of `role` in turn until the time is over; best first. The others, and everybody afterwards, move at
/// random.
pub fn hint<G: Game>(
    game: &G,
    state: &G::State,
    legal: &[Vec<Move>],
    role: Role,
    rng: &mut Rng,
) -> Result<Vec<Tried>, Limit> {
    let mine = &legal[role.0 as usize];
    let mut sums = vec![(0u32, 0u64); mine.len()];
    let until = Instant::now() + TIME;
    let mut view = game.view();
    let mut next = state.clone();
    let mut player = Player::new(game);
    game.look(state, &mut view)?;
    'time: loop {
        for (index, &mv) in mine.iter().enumerate() {
            // The first round is finished whatever it takes: a move that was never tried has no mean.
            if sums[index].0 > 0 && Instant::now() >= until {
                break 'time;
            }
            let mut joint: Vec<Move> = legal.iter().map(|moves| moves[rng.below(moves.len())]).collect();
            joint[role.0 as usize] = mv;
            game.play(&mut view, &joint, &mut next)?;
            let playout = player.playout(game, &next, rng, MOST, &mut |_, _| {})?;
            let goal = playout.goals[role.0 as usize].unwrap_or(0);
            sums[index] = (sums[index].0 + 1, sums[index].1 + u64::from(goal));
        }
    }
    let mut tried: Vec<Tried> = sums
        .into_iter()
        .enumerate()
        .map(|(index, (games, sum))| Tried { index, games, mean: sum as f64 / f64::from(games) })
        .collect();
    tried.sort_by(|a, b| b.mean.total_cmp(&a.mean).then(a.index.cmp(&b.index)));
    Ok(tried)
}
