//! What is seen from every position at once, and where the looks ahead end.

use super::Sheet;
use crate::stages::cases::{FINE, rank};
use crate::stages::play::Order;
use crate::sweep::{LOST, Reading, STEP, Score, WINS, back, best, leaves};
use crate::world::{FAILED, Kind, NO_LEVEL, WON, World};

/// What was played by: what is predicted at each place of the sheet, and the scores of each depth.
pub(super) struct Depths<'a> {
    world: &'a World,
    scores: Vec<Vec<Score>>,
    reading: Reading,
    pub predicted: Vec<f64>,
}

impl<'a> Depths<'a> {
    pub fn new(world: &'a World, sheet: &Sheet, predicted: Vec<f64>, plies: usize, reading: Reading) -> Depths<'a> {
        // Only positions of the side that is to move where the look ahead ends are in the sheet; the others are no ends.
        let place = |node: u32| sheet.place(node).map_or(0, |at| rank(predicted[at]));
        let mut scores = vec![leaves(world, place)];
        for ply in 1..plies {
            let only = world.by_turns.then(|| if (plies - ply) % 2 == 1 { Kind::Theirs } else { Kind::Ours });
            let mut next = Vec::with_capacity(world.len());
            back(world, &scores[ply - 1], reading.met(&scores[0]), only, &mut next);
            scores.push(next);
        }
        Depths { world, scores, reading, predicted }
    }

    /// The scores of what a move leads to.
    pub fn last(&self) -> &[Score] {
        self.scores.last().map_or(&[], Vec::as_slice)
    }

    /// The order of moves by all plies.
    pub fn order(&self, ties: Option<u64>) -> Order<'_> {
        let fewer = self.scores.len().checked_sub(3).filter(|_| self.reading == Reading::Ends);
        let sooner = fewer.map_or(&[][..], |fewer| &self.scores[fewer]);
        Order { scores: self.last(), sooner, ties }
    }

    /// Whether what is seen with fewer plies can be compared: where the sides move by turns, two plies fewer end with the same side to move.
    pub fn descends(&self) -> bool {
        self.world.by_turns && !self.world.alone && self.scores.len() > 1
    }

    /// Whether play may wait here: all plies promise no more than two fewer did, or nothing less is met than what is here.
    pub fn waits(&self, node: u32) -> bool {
        let count = self.scores.len();
        if !self.descends() {
            return false;
        }
        let shallow = match count.checked_sub(3) {
            _ if self.reading == Reading::Met => self.scores[0][node as usize],
            Some(depth) => best(self.world, &self.scores[depth], node),
            None => self.scores[0][node as usize],
        };
        let deep = best(self.world, self.last(), node);
        // What lies between ranks counts own moves, of which the deeper look sees one more.
        let rank = |score: Score| (score - WINS) / STEP;
        (WINS..LOST).contains(&deep) && (WINS..LOST).contains(&shallow) && rank(deep) >= rank(shallow)
    }

    /// How much more the least that can be met is than what is here; nothing if a win is in sight.
    pub fn gap(&self, node: u32) -> Option<f64> {
        let moves = |score: Score| ((score - WINS) / STEP) as f64 / FINE.0;
        match best(self.world, self.last(), node) {
            LOST => Some(f64::INFINITY),
            score if score < WINS => None,
            score => Some(moves(score) - moves(self.scores[0][node as usize])),
        }
    }

    /// Where an equally good move lets the win go: the position after it that is not won and that seems furthest from it.
    pub fn let_go(&self, node: u32) -> Option<u32> {
        let least = best(self.world, self.last(), node);
        let lost = |&to: &u32| to > FAILED && self.world.plies[to as usize] == NO_LEVEL;
        let next = |node: u32| self.world.next(node).iter().copied().filter(lost);
        let away = next(node).find(|&to| self.last()[to as usize] == least)?;
        next(away).max_by_key(|&to| self.scores[0][to as usize])
    }

    /// Where the look ahead from a position ends.
    pub fn end(&self, node: u32) -> Option<u32> {
        self.walk(node, self.scores.len())
    }

    /// Where the look ahead ends that is two plies shorter; the position itself where all on the way counts.
    pub fn nearer_end(&self, node: u32) -> Option<u32> {
        if self.reading == Reading::Met {
            return Some(node);
        }
        self.walk(node, self.scores.len().checked_sub(2)?)
    }

    /// So many plies of the best play that is seen; nothing if it is over before.
    fn walk(&self, mut node: u32, plies: usize) -> Option<u32> {
        for scores in self.scores[..plies].iter().rev() {
            let next = self.world.next(node).iter().copied();
            let score = |node: &u32| scores[*node as usize];
            node = match self.world.kinds[node as usize] {
                Kind::Ours => next.min_by_key(score)?,
                Kind::Theirs => next.max_by_key(score)?,
                _ => return None,
            };
            let ours = self.world.kinds[node as usize] == Kind::Ours;
            if self.reading == Reading::Met && ours && scores[node as usize] == self.scores[0][node as usize] {
                break;
            }
        }
        let inside = node > FAILED && matches!(self.world.kinds[node as usize], Kind::Ours | Kind::Theirs);
        inside.then_some(node)
    }

    /// Where the looks end from the best move that brings the win nearer and from the best one that does not, and how much the difference matters.
    pub fn choice(&self, node: u32) -> Option<(u32, u32, f64)> {
        let plies = |to: u32| if to == WON { 0 } else { self.world.plies[to as usize] };
        let level = self.world.plies[node as usize];
        let best = |near: bool| {
            let moves = self.world.next(node).iter().copied().filter(|&to| (plies(to) < level) == near);
            moves.min_by_key(|&to| (self.last()[to as usize], to)).filter(|to| *to > FAILED)
        };
        let (good, bad) = (best(true)?, best(false)?);
        let lost = if plies(bad) == NO_LEVEL { 4.0 } else { f64::from(plies(bad) + 1 - level) / 2.0 };
        let rest = self.scores.len() - 1;
        Some((self.walk(good, rest)?, self.walk(bad, rest)?, 0.5 * lost.min(4.0).sqrt()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::tests::krk;
    use crate::stages::cases::{Cases, Linear, Node};

    #[test]
    fn who_knows_the_table_never_waits() {
        let (world, ..) = krk();
        let sum = Node::Sum { linear: Linear { constant: 0.0, weights: Vec::new() }, share: 1.0, spreads: Vec::new() };
        let cases = Cases {
            attributes: Vec::new(),
            most: Vec::new(),
            nodes: vec![sum],
            positions: 0,
            mistakes: 0,
            explained: 0.0,
            reading: Reading::Ends,
            played: Vec::new(),
        };
        let sheet = Sheet::new(world, &[], Kind::Ours, &cases);
        let level = |node: &u32| world.level(*node).map_or(1000.0, f64::from);
        let levels: Vec<f64> = sheet.nodes.iter().map(level).collect();
        let flat = vec![1.0; levels.len()];
        for (plies, reading) in [(2, Reading::Ends), (4, Reading::Ends), (2, Reading::Met), (4, Reading::Met)] {
            let knows = Depths::new(world, &sheet, levels.clone(), plies, reading);
            assert!(knows.descends() && world.won().all(|node| !knows.waits(node)));
            let promises = |node: u32| reading == Reading::Ends || knows.gap(node).is_none_or(|gap| gap < -0.9);
            assert!(world.won().all(|node| promises(node) && knows.let_go(node).is_none()));
            let moves = (plies / 2) as u16;
            for node in world.won().filter(|&node| world.level(node) > Some(moves)).step_by(101) {
                let end = |depth: Option<u32>| depth.and_then(|node| world.level(node)).unwrap();
                assert_eq!(end(knows.end(node)), world.level(node).unwrap() - moves);
                let nearer = if reading == Reading::Met { 0 } else { moves - 1 };
                assert_eq!(end(knows.nearer_end(node)), world.level(node).unwrap() - nearer);
                if let Some((good, bad, matters)) = knows.choice(node) {
                    assert!(end(Some(good)) < world.level(bad).unwrap_or(NO_LEVEL) && matters > 0.0);
                }
            }
            let blind = Depths::new(world, &sheet, flat.clone(), plies, reading);
            let waits = world.won().filter(|&node| blind.waits(node)).count();
            assert!(waits > 15_000, "who sees no difference waits wherever no win is seen: {waits}");
        }
    }
}
