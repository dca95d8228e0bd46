//! Random games of tic-tac-toe, connect four and breakthrough, written by hand on bit boards: what the engines are
//! measured against. One core, whole games, every legal move equally likely, and every result counted.
//!
//! There are two ways to play the same boards: one game at a time, as anybody would write it, and a few games side by
//! side without branches, which keeps the processor busier. Both are reported.

mod boards;

pub use boards::{Breakthrough, ConnectFour, TicTacToe};
use game::random::Rng;

/// What a move did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum After {
    /// The other side moves.
    GoesOn,
    /// The side that moved has won.
    Won,
    /// Nobody has won, and nobody can move.
    Drawn,
}

/// A position of a game for two, seen by the side to move.
pub trait Board: Copy {
    /// Where the game begins.
    const START: Self;
    /// So many moves can be drawn from one random word of 64 bits with a bias below one in a million; `None` if a whole
    /// game can.
    const MOVES_A_WORD: Option<u64>;

    /// Makes the move that `pick` names: it hears how many legal moves there are (at least one) and answers with a
    /// number below that. The position afterwards is seen by the other side.
    fn step<B: Bits>(self, pick: impl FnOnce(u64) -> u64) -> (Self, After);
}

/// Finding one bit of several: the one operation for which processors differ much.
pub trait Bits {
    /// The bit of `mask` that has `k` bits of `mask` below it.
    fn nth(mask: u64, k: u64) -> u64;
}

/// For any processor.
pub struct Plain;

impl Bits for Plain {
    #[inline(always)]
    fn nth(mut mask: u64, k: u64) -> u64 {
        for _ in 0..k {
            mask &= mask - 1;
        }
        mask & mask.wrapping_neg()
    }
}

/// For processors that deposit bits.
#[cfg(target_arch = "x86_64")]
struct Deposit;

#[cfg(target_arch = "x86_64")]
impl Bits for Deposit {
    #[inline(always)]
    fn nth(mask: u64, k: u64) -> u64 {
        // SAFETY: this type is private, and used only in functions that are compiled for BMI2.
        unsafe { std::arch::x86_64::_pdep_u64(1 << k, mask) }
    }
}

/// Results of random games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Moves made.
    pub states: u64,
    /// Games that the first side won.
    pub first: u64,
    /// Games that the second side won.
    pub second: u64,
    /// Games without a winner.
    pub drawn: u64,
}

impl Tally {
    /// Games that ended.
    pub fn playouts(&self) -> u64 {
        self.first + self.second + self.drawn
    }

    /// Adds the results of other games.
    pub fn add(&mut self, other: Tally) {
        self.states += other.states;
        self.first += other.first;
        self.second += other.second;
        self.drawn += other.drawn;
    }
}

/// A digit below `n` from the top of `word`, which keeps the rest for the next one.
#[inline(always)]
fn digit(word: &mut u64, n: u64) -> u64 {
    let wide = u128::from(*word) * u128::from(n);
    *word = wide as u64;
    (wide >> 64) as u64
}

/// So many games, one after the other.
#[inline(always)]
fn one_by_one<T: Board, B: Bits>(rng: &mut Rng, games: u64) -> Tally {
    let mut tally = Tally::default();
    for _ in 0..games {
        let (mut board, mut moves, mut word) = (T::START, 0, rng.bits());
        loop {
            moves += 1;
            let (next, after) = board.step::<B>(|n| digit(&mut word, n));
            match after {
                After::GoesOn => {
                    board = next;
                    if T::MOVES_A_WORD.is_some_and(|most| moves % most == 0) {
                        word = rng.bits();
                    }
                }
                After::Won if moves % 2 == 1 => break tally.first += 1,
                After::Won => break tally.second += 1,
                After::Drawn => break tally.drawn += 1,
            }
        }
        tally.states += moves;
    }
    tally
}

/// `K` games side by side, so many moves in each; games that end are begun anew. Counts games that ended, and all moves.
#[inline(always)]
fn side_by_side<T: Board, B: Bits, const K: usize>(rng: &mut Rng, moves: u64) -> Tally {
    let mut boards = [T::START; K];
    let mut second = [0u64; K];
    let mut words = [0u64; K];
    let mut tally = Tally { states: moves * K as u64, ..Tally::default() };
    for step in 0..moves {
        if step % T::MOVES_A_WORD.unwrap_or(8) == 0 {
            words = std::array::from_fn(|_| rng.bits());
        }
        for i in 0..K {
            let (next, after) = boards[i].step::<B>(|n| digit(&mut words[i], n));
            let (won, drawn) = (u64::from(after == After::Won), u64::from(after == After::Drawn));
            tally.first += won & !second[i];
            tally.second += won & second[i];
            tally.drawn += drawn;
            let on = after == After::GoesOn;
            boards[i] = if on { next } else { T::START };
            second[i] = if on { second[i] ^ 1 } else { 0 };
        }
    }
    tally
}

/// How many games are played side by side.
const ABREAST: usize = 4;

/// One way to play many random games.
#[derive(Clone, Copy)]
pub struct Way {
    play: fn(&mut Rng, u64) -> Tally,
    amount: u64,
}

impl Way {
    /// Plays for about a millisecond.
    pub fn play(&self, rng: &mut Rng) -> Tally {
        (self.play)(rng, self.amount)
    }
}

/// The two ways to play one kind of board on this processor.
#[derive(Clone, Copy)]
pub struct Ways {
    /// One game at a time.
    pub alone: Way,
    /// A few side by side.
    pub abreast: Way,
}

/// So many games at a call, one at a time; so many moves at a call, side by side. The latter leaves the last games
/// unfinished, so that a call must be long.
const GAMES: u64 = 1_000;
const MOVES: u64 = 100_000;

/// The ways for a board.
pub fn ways<T: Board>() -> Ways {
    let made = |alone, abreast| Ways {
        alone: Way { play: alone, amount: GAMES },
        abreast: Way { play: abreast, amount: MOVES },
    };
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("bmi2")
        && std::arch::is_x86_feature_detected!("bmi1")
        && std::arch::is_x86_feature_detected!("popcnt")
        && std::arch::is_x86_feature_detected!("lzcnt")
    {
        // SAFETY: what these two are compiled for was just found.
        return made(
            |rng, games| unsafe { deposit_alone::<T>(rng, games) },
            |rng, moves| unsafe { deposit_abreast::<T>(rng, moves) },
        );
    }
    made(one_by_one::<T, Plain>, side_by_side::<T, Plain, ABREAST>)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,popcnt,lzcnt")]
fn deposit_alone<T: Board>(rng: &mut Rng, games: u64) -> Tally {
    one_by_one::<T, Deposit>(rng, games)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,popcnt,lzcnt")]
fn deposit_abreast<T: Board>(rng: &mut Rng, moves: u64) -> Tally {
    side_by_side::<T, Deposit, ABREAST>(rng, moves)
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::random::Player;
    use game::{Game, Goal};
    use machine::Prover;

    /// Paths of exactly this length, and those of them that end the game.
    fn perft<T: Board>(board: T, depth: u32) -> (u64, u64) {
        let mut count = 0;
        board.step::<Plain>(|n| {
            count = n;
            0
        });
        let mut sum = (0, 0);
        for k in 0..count {
            let (next, after) = board.step::<Plain>(|_| k);
            match (depth, after) {
                (1, After::GoesOn) => sum.0 += 1,
                (1, _) => sum = (sum.0 + 1, sum.1 + 1),
                (_, After::GoesOn) => {
                    let (nodes, ends) = perft(next, depth - 1);
                    sum = (sum.0 + nodes, sum.1 + ends);
                }
                _ => {}
            }
        }
        sum
    }

    fn library(name: &str) -> &'static library::Entry {
        library::find(name).expect("it is in the library")
    }

    /// The published counts that the library has for a game.
    fn known<T: Board>(name: &str) {
        let file: toml::Table = library(name).perft.expect("it has counts").parse().expect("it can be read");
        for entry in file["perft"].as_array().expect("a list of counts") {
            let field = |name: &str| entry[name].as_integer().and_then(|n| u64::try_from(n).ok()).expect("a number");
            let counted = perft(T::START, field("depth") as u32);
            assert_eq!(counted, (field("nodes"), field("terminal")), "{name} at depth {}", field("depth"));
        }
    }

    #[test]
    fn paths_are_as_many_as_is_known() {
        known::<TicTacToe>("tic-tac-toe");
        known::<ConnectFour<7>>("connect-four");
        known::<Breakthrough>("breakthrough");
    }

    /// The library's connect four with one more column.
    fn wide() -> String {
        let rules = library("connect-four").rules;
        rules.replace("(column 7)", "(column 7) (column 8)").replace("(succ 6 7)", "(succ 6 7) (succ 7 8)")
    }

    #[test]
    fn a_wider_board_has_more_columns() {
        let prover = Prover::new(&gdl::parse(&wide()).rules).expect("it can be played");
        for (depth, count) in game::perft::perft(&prover, 4).expect("no limit").iter().enumerate().skip(1) {
            assert_eq!(perft(ConnectFour::<8>::START, depth as u32), (count.nodes, count.terminal));
        }
    }

    /// Mean and standard error.
    fn mean(values: &[f64]) -> (f64, f64) {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
        (mean, (variance / n).sqrt())
    }

    /// Random games have the lengths and results that they have under the prover, within five standard errors.
    fn alike<T: Board>(rules: &str, games: usize) {
        let prover = Prover::new(&gdl::parse(rules).rules).expect("it can be played");
        let mut player = Player::new(&prover);
        let mut rng = Rng::new(11);
        let (mut lengths, mut goals) = (Vec::new(), Vec::new());
        for _ in 0..games {
            let playout = player.playout(&prover, &prover.start(), &mut rng, 1000, &mut |_, _| {}).expect("no limit");
            lengths.push(playout.steps as f64);
            goals.push(f64::from(playout.goals[0].unwrap_or(Goal::MAX)));
        }
        let Ways { alone, abreast } = ways::<T>();
        let plain = Way { play: one_by_one::<T, Plain>, amount: GAMES };
        for (name, way) in [("alone", alone), ("abreast", abreast), ("plain", plain)] {
            let mut tally = Tally::default();
            while tally.playouts() < 100_000 {
                tally.add(way.play(&mut rng));
            }
            let n = tally.playouts() as f64;
            let hand = [tally.states as f64 / n, (100.0 * tally.first as f64 + 50.0 * tally.drawn as f64) / n];
            for (what, (theirs, error), ours) in [("length", mean(&lengths), hand[0]), ("goal", mean(&goals), hand[1])]
            {
                assert!((theirs - ours).abs() < 5.0 * error + 0.01, "{name}: {what} {ours}, not {theirs} ± {error}");
            }
        }
    }

    #[test]
    fn random_games_are_as_under_the_prover() {
        alike::<TicTacToe>(library("tic-tac-toe").rules, 4000);
        alike::<ConnectFour<7>>(library("connect-four").rules, 2000);
        alike::<ConnectFour<8>>(&wide(), 1000);
        alike::<Breakthrough>(library("breakthrough").rules, 400);
    }
}
