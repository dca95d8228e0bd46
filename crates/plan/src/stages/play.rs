//! Minimax of n plies for every position at once, and games by what it says, against best defence or replies drawn at random.
//!
//! The paper leaves open who is to move where the search ends: with an even number of plies from the own move on it is the own side,
//! with an odd number the other one, as in the positions that were learned from. What it does about repetitions is a setting here too, and so is
//! whether the search sees that a piece is lost.

use super::mixed;
use crate::sweep::{LOST, Reading, Score, WINS, back, leaves};
use crate::world::{FAILED, Kind, NO_LEVEL, WON, World};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What is done when a position is about to come up again (up to the symmetries of the board).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repetition {
    /// Of the best so many moves the first one that leads to a new position and is not seen to lose; the best if there is none.
    Avoid {
        /// How many.
        among: usize,
    },
    /// The second-best move, wherever it leads.
    Second,
    /// Nothing.
    Nothing,
}

impl Repetition {
    /// The three readings.
    pub const ALL: [Repetition; 3] = [Repetition::Avoid { among: 6 }, Repetition::Second, Repetition::Nothing];

    /// Among how many of the best moves one to a new position is looked for, if it is.
    pub fn among(self) -> Option<usize> {
        match self {
            Repetition::Avoid { among } => Some(among),
            Repetition::Second | Repetition::Nothing => None,
        }
    }

    /// In a word or two, for plots.
    pub fn brief(self) -> &'static str {
        match self {
            Repetition::Avoid { .. } => "new position",
            Repetition::Second => "second-best",
            Repetition::Nothing => "no rule",
        }
    }

    /// In a few words.
    pub fn words(self) -> String {
        match self {
            Repetition::Avoid { among } => format!("avoided among the best {among}"),
            Repetition::Second => "the second-best move".to_string(),
            Repetition::Nothing => "no rule".to_string(),
        }
    }
}

/// The search for all positions, one ply deeper at a time.
pub struct Search<'a> {
    world: &'a World,
    leaves: Vec<Score>,
    scores: Vec<Score>,
    /// Scores with one and with two plies fewer; empty where there are none.
    fewer: [Vec<Score>; 2],
    plies: usize,
    guard: bool,
    reading: Reading,
}

/// How fine predictions are told apart, for each move.
const FINE: f64 = 1e6;
/// Predictions are kept between plus and minus this.
const MOST: f64 = 1e5;

/// The most games against replies that are drawn: what all of them say is said by some, and a million take minutes.
const MOST_DRAWN: usize = 60_000;

impl<'a> Search<'a> {
    /// A search of one ply: the positions after the own move are what is predicted. Without the `guard` a man that is taken is not missed: the
    /// position counts as it did before.
    pub fn new(world: &'a World, predicted: &[f64], guard: bool) -> Search<'a> {
        let rank = |node: u32| ((predicted[node as usize].clamp(-MOST, MOST) + MOST) * FINE) as u64;
        let leaves = leaves(world, rank);
        Search {
            world,
            scores: leaves.clone(),
            leaves,
            fewer: Default::default(),
            plies: 1,
            guard,
            reading: Reading::Ends,
        }
    }

    /// The same search, with other positions that count.
    pub fn reading(self, reading: Reading) -> Search<'a> {
        Search { reading, ..self }
    }

    /// How many plies are looked ahead.
    pub fn plies(&self) -> usize {
        self.plies
    }

    /// Looks one ply further.
    pub fn deepen(&mut self) {
        let mut next = std::mem::take(&mut self.fewer[1]);
        back(self.world, &self.scores, self.reading.met(&self.leaves), None, &mut next);
        if !self.guard {
            let (world, scores, leaves) = (self.world, &self.scores, &self.leaves);
            let blind = |node: usize, score: &mut Score| {
                let next = world.next(node as u32);
                if world.kinds[node] == Kind::Theirs && next.iter().take(2).any(|to| *to == FAILED) {
                    let seen = |to: &u32| if *to == FAILED { leaves[node] } else { scores[*to as usize] };
                    *score = next.iter().map(seen).max().unwrap_or(LOST);
                }
            };
            next.par_iter_mut().enumerate().with_min_len(1 << 12).for_each(|(node, score)| blind(node, score));
        }
        let one = std::mem::replace(&mut self.scores, next);
        self.fewer = [one, std::mem::take(&mut self.fewer[0])];
        self.plies += 1;
    }

    /// The scores of what a move leads to.
    pub fn scores(&self) -> &[Score] {
        &self.scores
    }

    /// The order of moves by what is seen.
    pub fn order(&self) -> Order<'_> {
        // Who meets the least soonest needs nothing more.
        let sooner = if self.reading == Reading::Met { &[][..] } else { &self.fewer[1] };
        Order { scores: &self.scores, sooner, ties: None }
    }
}

/// How moves are put in order.
#[derive(Clone, Copy)]
pub struct Order<'a> {
    /// The scores of what moves lead to.
    pub scores: &'a [Score],
    /// What decides between moves of equal scores: the scores with two plies fewer, if there are any. Two moves made the one way or the other way
    /// round lead to the same position, and whoever always begins with the wrong one never gets there.
    pub sooner: &'a [Score],
    /// What decides then: an order that is drawn, or else that of the world.
    pub ties: Option<u64>,
}

impl Order<'_> {
    /// How good a move is, the least being best.
    #[inline]
    fn of(&self, node: u32, to: u32) -> (Score, Score, u64) {
        // Ranks lie wide apart in scores; what is between counts moves and is the same for all leaves.
        let sooner = self.sooner.get(to as usize).copied().unwrap_or(0);
        let drawn = |seed| mixed(seed, u64::from(node) << 32 | u64::from(to));
        (self.scores[to as usize], sooner, self.ties.map_or(u64::from(to), drawn))
    }

    /// The best move of every position with the own side to move.
    fn choices(&self, world: &World) -> Vec<u32> {
        let one = |node: u32| match world.kinds[node as usize] {
            Kind::Ours => world.next(node).iter().copied().min_by_key(|&to| self.of(node, to)).unwrap_or(FAILED),
            _ => FAILED,
        };
        (0..world.len() as u32).into_par_iter().with_min_len(1 << 12).map(one).collect()
    }
}

/// How the other side replies.
pub enum Defence {
    /// By the table, for every position in which it moves: not to lose, then to lose as late as possible.
    Best(Vec<u32>),
    /// By a draw, the same for the same seed, game and move.
    Drawn(u64),
}

impl Defence {
    /// Looks the best replies up.
    pub fn best(world: &World) -> Defence {
        let last = |to: u32| if to == WON { 0 } else { world.plies[to as usize] };
        // NO_LEVEL is the greatest number; the first of equal ones.
        let one = |node: u32| match world.kinds[node as usize] {
            Kind::Theirs => world.next(node).iter().copied().rev().max_by_key(|&to| last(to)).unwrap_or(FAILED),
            _ => FAILED,
        };
        Defence::Best((0..world.len() as u32).into_par_iter().with_min_len(1 << 12).map(one).collect())
    }

    /// The reply in a position of the game from `start` after so many moves.
    fn reply(&self, world: &World, node: u32, start: u32, moves: u16) -> u32 {
        match self {
            Defence::Best(replies) => replies[node as usize],
            Defence::Drawn(seed) => {
                let next = world.next(node);
                let drawn = mixed(*seed, u64::from(start) << 16 | u64::from(moves));
                next.get((drawn % next.len().max(1) as u64) as usize).copied().unwrap_or(FAILED)
            }
        }
    }
}

/// What became of games.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// How many games.
    pub games: u64,
    /// Those that were won.
    pub won: u64,
    /// Moves over the optimum, added up over those that were won.
    pub excess: u64,
    /// The same, added up over all games: one that is not won counts as long as a game can be.
    pub counted: u64,
    /// The most moves over the optimum of a game that was won.
    pub worst: u16,
}

impl Tally {
    /// The share that was won, in per cent.
    pub fn success(&self) -> f64 {
        100.0 * self.won as f64 / self.games.max(1) as f64
    }

    /// Moves over the optimum, on average over the games that were won.
    pub fn mean_excess(&self) -> f64 {
        self.excess as f64 / self.won.max(1) as f64
    }

    /// Moves over the optimum on average over all games, those not won counted at the limit.
    pub fn mean_counted(&self) -> f64 {
        self.counted as f64 / self.games.max(1) as f64
    }

    /// Adds a game with this optimum: how many moves it took, if it was won.
    fn add(&mut self, moves: Option<u16>, best: u16, limit: u16) {
        let over = u64::from(moves.unwrap_or(limit).saturating_sub(best));
        self.games += 1;
        self.counted += over;
        if moves.is_some() {
            self.won += 1;
            self.excess += over;
            self.worst = self.worst.max(over as u16);
        }
    }

    fn and(self, other: Tally) -> Tally {
        Tally {
            games: self.games + other.games,
            won: self.won + other.won,
            excess: self.excess + other.excess,
            counted: self.counted + other.counted,
            worst: self.worst.max(other.worst),
        }
    }
}

/// The own side, playing by scores.
pub struct Player<'a> {
    world: &'a World,
    order: Order<'a>,
    choices: Vec<u32>,
}

impl<'a> Player<'a> {
    /// A player that goes to the best scores.
    pub fn new(world: &'a World, order: Order<'a>) -> Player<'a> {
        Player { world, order, choices: order.choices(world) }
    }

    /// Plays from all these positions, whoever is to move in them, and counts for each limit what is won in as many moves; the last limit is
    /// the greatest.
    pub fn play(&self, defence: &Defence, starts: &[u32], repetition: Repetition, limits: &[u16]) -> Vec<Tally> {
        let longest = limits.iter().max().copied().unwrap_or(0);
        let part = |starts: &[u32]| {
            let mut seen = Vec::new();
            let mut tallies = vec![Tally::default(); limits.len()];
            for &start in starts {
                let best = self.world.level(start).unwrap_or(0);
                let moves = self.game(defence, start, repetition, longest, &mut seen);
                for (tally, limit) in tallies.iter_mut().zip(limits) {
                    tally.add(moves.filter(|moves| moves <= limit), best, *limit);
                }
            }
            tallies
        };
        let none = || vec![Tally::default(); limits.len()];
        let sum = |a: Vec<Tally>, b: Vec<Tally>| a.into_iter().zip(b).map(|(a, b)| a.and(b)).collect();
        starts.par_chunks(1 << 10).map(part).reduce(none, sum)
    }

    /// Plays one game of at most `limit` moves; the own moves until it is won, if it is. `seen` is left with the positions that the
    /// own moves led to, after the first one.
    pub fn game(
        &self,
        defence: &Defence,
        start: u32,
        repetition: Repetition,
        limit: u16,
        seen: &mut Vec<u32>,
    ) -> Option<u16> {
        seen.clear();
        seen.push(start);
        let (mut node, mut moves) = (start, 0);
        loop {
            match self.world.kinds[node as usize] {
                Kind::Won => return Some(moves),
                Kind::Failed | Kind::Unused => return None,
                Kind::Theirs => node = defence.reply(self.world, node, start, moves),
                Kind::Ours => {
                    // Best replies never give back what was let go.
                    let gone = self.world.plies[node as usize] == NO_LEVEL && matches!(defence, Defence::Best(_));
                    if moves == limit || gone {
                        return None;
                    }
                    moves += 1;
                    node = self.choice(node, repetition, seen);
                    seen.push(node);
                }
            }
        }
    }

    /// The move that is made in a position when nothing was seen before.
    pub fn first_choice(&self, node: u32) -> u32 {
        self.choices[node as usize]
    }

    fn choice(&self, node: u32, repetition: Repetition, seen: &[u32]) -> u32 {
        let best = self.choices[node as usize];
        let among = match repetition {
            _ if !seen.contains(&best) => return best,
            Repetition::Nothing => return best,
            Repetition::Second => 2,
            Repetition::Avoid { among } => among,
        };
        let mut next: Vec<u32> = self.world.next(node).to_vec();
        next.sort_unstable_by_key(|&to| self.order.of(node, to));
        match repetition {
            Repetition::Second => next.get(1).copied().unwrap_or(best),
            // What is seen to lose is worse than what was there before.
            _ => {
                let other = |to: &u32| !seen.contains(to) && self.order.scores[*to as usize] != LOST;
                next.iter().take(among).copied().find(other).unwrap_or(best)
            }
        }
    }
}

/// What became of games from positions that can be won.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Games {
    /// Plies looked ahead.
    pub plies: usize,
    /// What was done about repetitions.
    pub repetition: Repetition,
    /// Whether replies were drawn at random.
    pub drawn: bool,
    /// Games played, each from another position.
    pub games: u64,
    /// Those that were won.
    pub won: u64,
    /// Moves over the optimum in those that were won, on average.
    pub excess: f64,
    /// The most moves over the optimum.
    pub worst: u16,
    /// Games are given up after so many moves.
    pub limit: u16,
}

impl Games {
    /// The share that was won.
    pub fn share(&self) -> f64 {
        self.won as f64 / self.games.max(1) as f64
    }

    /// Plays by a search from these positions, under each reading of repetition, against best and against random replies; against these only
    /// from some where there are very many.
    pub fn all(world: &World, search: &Search<'_>, starts: &[u32], limit: u16, seed: u64) -> Vec<Games> {
        let mut defences = vec![Defence::best(world)];
        defences.extend((!world.alone).then_some(Defence::Drawn(seed)));
        let player = Player::new(world, search.order());
        let some = super::sample(starts.len(), MOST_DRAWN, seed);
        let some: Vec<u32> = starts.iter().zip(some).filter(|(_, drawn)| *drawn).map(|(start, _)| *start).collect();
        let mut all = Vec::new();
        for repetition in Repetition::ALL {
            for defence in &defences {
                let drawn = matches!(defence, Defence::Drawn(_));
                let tally = player.play(defence, if drawn { &some } else { starts }, repetition, &[limit])[0];
                let (Tally { games, won, worst, .. }, mut excess) = (tally, tally.mean_excess());
                super::find::short(&mut excess);
                all.push(Games { plies: search.plies(), repetition, drawn, games, won, excess, worst, limit });
            }
        }
        all
    }
}

/// Whether a score says that the win was seen.
pub fn is_seen_win(score: Score) -> bool {
    score < WINS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::Subject;
    use crate::paper::tests::krk;
    use crate::stages::evaluator::Evaluator;
    use crate::stages::starts;
    use crate::stages::tree::Growth;

    #[test]
    fn the_table_itself_wins_without_a_move_too_many() {
        let (world, ..) = krk();
        let exact: Vec<f64> = (0..world.len()).map(|node| f64::from(world.plies[node].min(1000))).collect();
        let search = Search::new(world, &exact, true);
        let player = Player::new(world, search.order());
        let tally = player.play(&Defence::best(world), &starts(world), Repetition::Nothing, &[100])[0];
        assert_eq!((tally.games, tally.won, tally.counted), (25_260, 25_260, 0));
    }

    #[test]
    fn avoiding_repetitions_wins_what_no_rule_does_not() {
        let (world, values, examples) = krk();
        let learned = Subject::Krk.learn(examples, examples, Growth::default());
        let predicted = learned.everywhere(Evaluator::Global, world, values);
        let mut search = Search::new(world, &predicted, true);
        search.deepen();
        assert_eq!(search.plies(), 2);
        let (player, defence) = (Player::new(world, search.order()), Defence::best(world));
        let play = |repetition| player.play(&defence, &starts(world), repetition, &[10, 100]);
        let [avoid, second, nothing] = Repetition::ALL.map(|repetition| play(repetition)[1]);
        assert!(avoid.success() > 99.9, "{avoid:?}");
        assert!(avoid.won > second.won && second.won > nothing.won, "{second:?} {nothing:?}");
        assert!(avoid.mean_excess() < 10.0 && avoid.counted >= avoid.excess);
        assert!(play(Repetition::Nothing)[0].won < nothing.won, "in ten moves less is won");
    }

    #[test]
    fn stages_win_at_six_plies_as_published() {
        let (world, values, examples) = krk();
        let learned = Subject::Krk.learn(examples, examples, Growth::default());
        for tree in 0..2 {
            let predicted = learned.everywhere(Evaluator::Tree(tree), world, values);
            let mut search = Search::new(world, &predicted, true);
            while search.plies() < 6 {
                search.deepen();
            }
            let player = Player::new(world, search.order());
            let tally = player.play(&Defence::best(world), &starts(world), Repetition::ALL[0], &[100])[0];
            assert!(tally.success() == 100.0 && tally.mean_excess() < 4.22, "{tally:?}");
        }
    }

    #[test]
    fn without_the_guard_the_rook_is_lost() {
        let (world, ..) = krk();
        let flat = vec![1.0; world.len()];
        let plays = |guard| {
            let mut search = Search::new(world, &flat, guard);
            search.deepen();
            let player = Player::new(world, Order { ties: Some(1), ..search.order() });
            player.play(&Defence::best(world), &starts(world), Repetition::Nothing, &[100])[0]
        };
        assert!(plays(false).won <= plays(true).won);
        let mut search = Search::new(world, &flat, false);
        let before = search.scores().iter().filter(|score| **score == LOST).count();
        search.deepen();
        assert!(search.scores().iter().filter(|score| **score == LOST).count() <= before + 200, "only stalemates");
        assert!(search.scores().iter().any(|score| is_seen_win(*score)));
    }
}
