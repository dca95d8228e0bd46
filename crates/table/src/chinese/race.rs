//! The one-sided table as an oracle of the game for two: who wins where the pieces have passed each other.
//!
//! A table knows the way home of one player alone on the board. With two players the other's pieces are steps as well
//! as obstacles, so its distance is neither a lower nor an upper bound in general, and nothing is said. But where the players
//! cannot meet before one is home, the game is a race.
//!
//! Turn the board so that the runner goes home to (0, 0), and let the *height* of a cell be row + column. The other's front is
//! its lowest piece, at height `f`; the runner's rear is its highest, at `r`.
//!
//! 1. A move of the other lands nowhere below `f - 1` as long as it jumps over its own pieces only: a step changes the height by one at
//!    most, and from a cell at most one above a piece of height `p >= f` a jump over it lands at `p - 1` or higher. To jump over a
//!    piece of the runner it must get beside it, and so the runner must have a piece at `f - 2` or above. So with
//!    `r <= f - 3` before a move of the other, the front falls by at most one, and nothing of the runner's is used.
//! 2. In the same way a move of the runner over its own pieces lands at `r + 1` or below: with `r <= f - 2` nothing is in its way.
//! 3. The runner follows one shortest line of the table. If 1 and 2 hold all along it, with the front falling by one each
//!    time, the runner is home after as many moves as the table says, whatever the other does; and the other, who never used a
//!    piece of the runner's, has not been home before it has made as many moves as the table says for it alone.
//!
//! So the winner is certain, and the plies are an upper bound: whether the runner could be faster over the other's pieces is
//! not looked at.

use super::probe::{Distance, Distances};
use super::space::{Spec, turned};
use crate::file::FileError;
use crate::oracle::{self, AskError, Certainty, Description, Family, Oracle, Value, Verdict};
use game::Names;
use native::chinese::{Cells, ChineseCheckers, State, Unfit, Win, place};

/// See the module. Values are about red, the first role.
pub struct Race {
    game: ChineseCheckers,
    distances: Distances,
    limit: Option<u16>,
}

impl Race {
    /// The game on the board of this table, with its pieces, that is drawn after `limit` plies, if there is a limit. The
    /// table must be one of all placements, with the corner as its goal.
    pub fn new(distances: Distances, limit: Option<u16>) -> Result<Race, Unfit> {
        let spec = distances.space().spec();
        if *spec != Spec::new(spec.side, spec.pieces) || distances.loaded() != distances.space().entries() {
            return Err(Unfit(format!("the table {} does not hold all placements of the game", spec.name())));
        }
        let game = ChineseCheckers::new(spec.side, spec.pieces, Win::Filled, limit)?;
        Ok(Race { game, distances, limit })
    }

    /// The game.
    pub fn game(&self) -> &ChineseCheckers {
        &self.game
    }

    /// The moves home of red and of blue, each as if alone on the board.
    pub fn alone(&self, state: &State) -> Result<[Distance; 2], FileError> {
        let [red, blue] = [self.seen_from(0, state.pieces[0]), self.seen_from(1, state.pieces[1])];
        Ok([self.distances.distance(red)?, self.distances.distance(blue)?])
    }

    /// Cells as a player sees them who goes home to (0, 0).
    fn seen_from(&self, player: usize, cells: Cells) -> Cells {
        if player == 0 { turned(self.game.side(), cells) } else { cells }
    }

    /// What is known of a state.
    pub fn verdict(&self, state: &State) -> Result<Option<Verdict>, FileError> {
        let won = [0, 1].map(|player| self.game.won(state, player));
        let lead = |player: usize| Value::Lead(if player == 0 { 100 } else { -100 });
        let end = |count, certainty| Some(oracle::Distance { count, metric: oracle::Metric::End, certainty });
        match won {
            // The rules give no goal then.
            [true, true] => return Ok(None),
            [red, blue] if red || blue => {
                return Ok(Some(Verdict::exact(lead(usize::from(blue)), end(0, Certainty::Exact))));
            }
            [..] if self.limit.is_some_and(|limit| state.step > limit) => {
                return Ok(Some(Verdict::exact(Value::Lead(0), None)));
            }
            [..] => {}
        }
        let [Distance::Moves(red), Distance::Moves(blue)] = self.alone(state)? else { return Ok(None) };
        let needed = [red, blue].map(u32::from);
        let mover = usize::from(state.turn);
        // Who is to move comes home at ply 2m - 1, the other at ply 2m.
        let runner = if needed[mover] <= needed[1 - mover] { mover } else { 1 - mover };
        let plies = 2 * needed[runner] - u32::from(runner == mover);
        let in_time = self.limit.is_none_or(|limit| u32::from(state.step) + plies <= u32::from(limit) + 1);
        if !in_time || !self.is_free(state, runner)? {
            return Ok(None);
        }
        Ok(Some(Verdict::exact(lead(runner), end(plies, Certainty::AtMost))))
    }

    /// Whether the runner can follow a shortest line of the table without ever meeting the other.
    fn is_free(&self, state: &State, runner: usize) -> Result<bool, FileError> {
        let mut own = self.seen_from(runner, state.pieces[runner]);
        let heights =
            |cells: Cells| (0..128u8).filter(move |cell| cells >> cell & 1 == 1).map(|cell| self.height(cell));
        let other = self.seen_from(runner, state.pieces[1 - runner]);
        let Some(mut front) = heights(other).min() else { return Ok(false) };
        let rear = |own: Cells| heights(own).max().unwrap_or(0);
        let mut others_turn = usize::from(state.turn) != runner;
        let Some(mut left) = self.distances.distance(own)?.moves() else { return Ok(false) };
        while left > 0 {
            if others_turn {
                if rear(own) > front - 3 {
                    return Ok(false);
                }
                front -= 1;
            } else {
                if rear(own) > front - 2 {
                    return Ok(false);
                }
                left -= 1;
                let nearer = self.distances.moves(own)?.into_iter();
                let nearer = nearer.filter(|(_, _, distance)| distance.moves() == Some(left));
                let next = nearer.map(|(from, to, _)| own & !(1 << from) | 1 << to);
                // Of the shortest lines the one that gets away from the other soonest.
                let Some(next) = next.min_by_key(|next| (rear(*next), *next)) else { return Ok(false) };
                own = next;
            }
            others_turn = !others_turn;
        }
        Ok(true)
    }

    fn height(&self, cell: u8) -> i32 {
        let (row, column) = place(self.game.side(), cell);
        (row + column) as i32
    }
}

impl Oracle for Race {
    fn ask(&self, facts: &[String]) -> Result<Option<Verdict>, AskError> {
        let texts: Vec<&str> = facts.iter().map(String::as_str).collect();
        let Some(state) = self.game.state_of(&texts) else {
            return Err(AskError::Facts("these are not the facts of a state of chinese-checkers".into()));
        };
        let pieces = self.distances.space().spec().pieces as u32;
        if state.pieces.iter().any(|cells| cells.count_ones() != pieces) {
            return Ok(None);
        }
        self.verdict(&state).map_err(|error| AskError::Table(error.to_string()))
    }

    fn describe(&self) -> Description {
        Description {
            family: Family::ChineseCheckers,
            name: self.distances.space().spec().name(),
            metric: oracle::Metric::End,
            roles: 2,
            goal_sum: Some(100),
        }
    }
}
