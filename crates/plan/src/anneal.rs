//! The search for the goals that follow the first ones: changes at random, worse lists taken less and less often.

use crate::attribute::Attribute;
use crate::learn::{Candidate, Goal, Random};
use crate::narrow::{Columns, Counterexamples, Floor, Measured, Narrow, Quick, Work};
use crate::pool::Pool;
use crate::scene::Board;
use crate::words::Words;

/// How many words goals take.
pub struct Costs {
    noun: Vec<usize>,
    /// As a goal alone: to make it less, and to make it more.
    alone: Vec<[usize; 2]>,
    /// The words before all goals.
    pub before: usize,
}

impl Costs {
    /// The words for the attributes of a pool.
    pub fn new(board: &Board, pool: &Pool) -> Costs {
        let words = Words::new(board);
        let count = |text: String| text.split_whitespace().count();
        let alone = |attribute| [true, false].map(|less| count(words.ask(attribute, less)));
        Costs {
            noun: pool.attributes.iter().map(|attribute| count(words.noun(attribute))).collect(),
            alone: pool.attributes.iter().map(alone).collect(),
            before: count(crate::words::FIRST.to_string()),
        }
    }

    /// The words of a goal.
    pub fn words(&self, goal: &Goal) -> usize {
        match goal.as_slice() {
            [(column, weight)] => self.alone[*column][usize::from(*weight < 0)],
            parts => {
                // "Make the total small:", the sign, the number of times.
                let times = |weight: i32| weight.unsigned_abs().clamp(1, 3) as usize - 1;
                let part = |(column, weight): &(usize, i32)| self.noun[*column] + times(*weight) + 1;
                3 + parts.iter().map(part).sum::<usize>()
            }
        }
    }
}

/// By how many words a list may be too long on the way.
const MORE_WORDS: usize = 25;
/// Changes one after another that change nothing, or too much, and count as one try.
const MOST_IDLE: usize = 1000;

/// What is looked for.
pub struct Task<'a> {
    /// How many goals come first and stay as they are.
    pub fixed: usize,
    /// The world, narrowed down by those.
    pub narrow: &'a Narrow,
    /// The columns of its positions.
    pub columns: &'a Columns,
    /// The same made ready for measuring quickly, where that can be done.
    pub quick: Option<Quick<'a>>,
    /// The attributes that the columns are of.
    pub pool: &'a Pool,
    /// The words that goals take.
    pub costs: &'a Costs,
    /// The most goals, the most words in them, and the most attributes in one.
    pub goals: usize,
    pub words: usize,
    pub parts: usize,
}

/// How a list is annealed.
#[derive(Clone, Copy)]
pub struct Schedule {
    /// How many changes are tried.
    pub tries: usize,
    /// How much worse lists may become at first.
    pub heat: f64,
    /// What counts.
    pub standard: Standard,
}

/// What lists are judged by beside their wins and the time that these take.
#[derive(Clone, Copy)]
pub struct Standard {
    /// What a position costs that is not won.
    pub lost: f64,
    /// What a move costs that is lost at once: it tells lists apart that win little for sure.
    pub regret: f64,
}

/// A list that is being annealed.
pub struct Chain<'a> {
    task: &'a Task<'a>,
    schedule: Schedule,
    random: Random,
    work: Work,
    now: (Candidate, Measured),
    /// The best that was met.
    pub best: (Candidate, Measured),
    known: Option<Counterexamples>,
    tried: usize,
    in_vain: usize,
    idle: usize,
    /// How many lists were measured.
    pub measured: usize,
}

impl Task<'_> {
    fn words_of(&self, goals: &[Goal]) -> usize {
        goals.iter().map(|goal| self.costs.words(goal)).sum()
    }

    /// A list with what it reaches.
    pub fn judge(&self, goals: &[Goal], measured: Measured, standard: Standard) -> (Candidate, Measured) {
        let costs = standard.lost * (1.0 - measured.share()) + standard.regret * measured.regret;
        (Candidate { measure: measured.worth - costs - self.price(goals), goals: goals.to_vec() }, measured)
    }

    /// What the form of a list costs: sums and words. Lists that are a little too long are a way to others.
    fn price(&self, goals: &[Goal]) -> f64 {
        let words = self.words_of(goals);
        let parts: usize = goals.iter().map(|goal| goal.len() - 1).sum();
        let (more_goals, more_words) = (goals.len().saturating_sub(self.goals), words.saturating_sub(self.words));
        0.0005 * parts as f64 + 0.00002 * words as f64 + 0.004 * more_goals as f64 + 0.0004 * more_words as f64
    }

    /// Measures a list; `None` if it does not come to what it has to.
    fn measure(&self, goals: &[Goal], floor: &Floor, work: &mut Work) -> Option<Measured> {
        let rest = &goals[self.fixed..];
        match &self.quick {
            Some(quick) => quick.measure(rest, floor, work),
            None => self.narrow.measure(self.columns, rest, floor.most_regret, work),
        }
    }

    /// A column, and a weight for it as a goal alone.
    fn draw(&self, random: &mut Random) -> (usize, i32) {
        let plain = random.below(self.pool.plain);
        let shapes = &self.pool.shapes[plain];
        let column = if shapes.is_empty() || random.below(2) == 0 { plain } else { shapes[random.below(shapes.len())] };
        (column, self.alone(column, 1 - 2 * random.below(2) as i32))
    }

    /// The weight of a column as a goal alone: at most, at least and exactly a number can be asked for in one way only.
    fn alone(&self, column: usize, weight: i32) -> i32 {
        match self.pool.attributes[column] {
            Attribute::Beyond(..) | Attribute::Off(..) => 1,
            Attribute::UpTo(..) => -1,
            _ => weight.signum(),
        }
    }

    /// Changes the goals that do not stay, of which there may be so many.
    fn change(&self, goals: &mut Vec<Goal>, most: usize, random: &mut Random) {
        const WEIGHTS: [i32; 6] = [1, -1, 2, -2, 3, -3];
        let at = random.below(goals.len());
        match random.below(10) {
            0 | 1 if goals.len() <= most => {
                let place = random.below(goals.len() + 1);
                goals.insert(place, vec![self.draw(random)]);
            }
            _ if goals.is_empty() => {}
            2 => {
                let other = random.below(goals.len());
                goals.swap(at, other);
            }
            3 => {
                goals.remove(at);
            }
            4..=6 => goals[at] = vec![self.draw(random)],
            7 | 8 => {
                let (column, _) = self.draw(random);
                let weight = WEIGHTS[random.below(WEIGHTS.len())];
                let goal = &mut goals[at];
                if goal.len() < self.parts && goal.iter().all(|part| part.0 != column) {
                    goal.push((column, weight));
                } else if goal.len() > 1 {
                    let part = random.below(goal.len());
                    goal[part].1 = weight;
                }
            }
            _ if goals[at].len() > 1 => {
                let part = random.below(goals[at].len());
                goals[at].remove(part);
                if let [(column, weight)] = goals[at].as_mut_slice() {
                    *weight = self.alone(*column, *weight);
                }
            }
            _ if at > 0 => goals.swap(at, at - 1),
            _ => {}
        }
    }

    /// A list to be annealed.
    pub fn chain(&self, start: &(Candidate, Measured), schedule: Schedule, seed: u64) -> Chain<'_> {
        let now = self.judge(&start.0.goals, start.1, schedule.standard);
        Chain {
            task: self,
            schedule,
            random: Random(seed),
            work: Work::default(),
            best: now.clone(),
            now,
            known: None,
            tried: 0,
            in_vain: 0,
            idle: 0,
            measured: 0,
        }
    }
}

impl Chain<'_> {
    /// Tries so many changes; whether there are more to try.
    pub fn go_on(&mut self, steps: usize) -> bool {
        let tries = self.schedule.tries.min(self.tried + steps);
        while self.tried < tries {
            self.step();
        }
        self.tried < self.schedule.tries
    }

    fn step(&mut self) {
        let Chain { task, schedule, random, work, now, best, known, tried, in_vain, idle, measured } = self;
        let left = 1.0 - *tried as f64 / schedule.tries as f64;
        let heat = schedule.heat * left * left + 0.00003;
        let mut goals = now.0.goals.clone();
        let mut rest = goals.split_off(task.fixed);
        for _ in 0..1 + random.below(2) + usize::from(random.below(4) == 0) {
            task.change(&mut rest, task.goals - task.fixed, random);
        }
        goals.extend(rest);
        if goals == now.0.goals || task.words_of(&goals) > task.words + MORE_WORDS {
            *idle += 1;
            *tried += usize::from(idle.is_multiple_of(MOST_IDLE));
            return;
        }
        *idle = 0;
        // A few counterexamples: mostly changes are tried that mend one of them.
        let mends = |known: &Counterexamples, work: &mut Work| {
            task.narrow.mends(task.columns, &goals[task.fixed..], known, work) > 0
        };
        if known.as_ref().is_some_and(|known| random.below(4) > 0 && !mends(known, work)) {
            *in_vain += 1;
            *tried += usize::from(in_vain.is_multiple_of(20));
            return;
        }
        *tried += 1;
        *measured += 1;
        // How much worse it may be is drawn first: what is worse than that is not measured to its end.
        let chance = (random.below(1 << 20) + 1) as f64 / f64::from(1 << 20);
        let least = now.0.measure + heat * chance.ln();
        let floor = Floor {
            least: least + task.price(&goals),
            lost: schedule.standard.lost,
            regret: schedule.standard.regret,
            // What loses much more time than before has hardly a chance.
            most_regret: now.1.regret + 0.05 + 10.0 * heat,
        };
        let Some(found) = task.measure(&goals, &floor, work) else { return };
        let next = task.judge(&goals, found, schedule.standard);
        if next.0.measure < least {
            return;
        }
        *now = next;
        let lost = now.1.positions - now.1.won;
        let few = lost > 0 && lost * 10 < now.1.positions && !task.narrow.deep();
        *known = few.then(|| task.narrow.counterexamples(work));
        let fits = now.0.goals.len() <= task.goals && task.words_of(&now.0.goals) <= task.words;
        if fits && now.0.measure > best.0.measure + 1e-9 {
            *best = now.clone();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Thing;

    #[test]
    fn words_are_counted_as_they_are_said() {
        let thing = |name: &str, ours| Thing { name: name.into(), ours: Some(ours) };
        let things = vec![thing("white king", true), thing("white rook", true), thing("black king", false)];
        let board = Board { things, ..Board::default() };
        let moves = || Box::new(Attribute::Moves(2));
        let attributes = vec![
            Attribute::Region(2),
            Attribute::Aside(0, 2),
            Attribute::Between(1, 0, 2),
            Attribute::Beyond(moves(), 2),
            Attribute::UpTo(moves(), 3),
            Attribute::Off(moves(), 1),
            Attribute::Modulo(moves(), 2),
        ];
        let columns = vec![Vec::new(); attributes.len()];
        let costs = Costs::new(&board, &Pool::given(attributes.clone(), columns));
        let words = Words::new(&board);
        let said = |goal: &Goal| words.goal(&attributes, &crate::Goal { parts: goal.clone(), ..Default::default() });
        for first in 0..attributes.len() {
            for weight in [1, -1, 2, -3] {
                let sole = vec![(first, weight)];
                let sum = vec![(first, weight), ((first + 1) % attributes.len(), -2), (0, 1)];
                for goal in [sole, sum] {
                    assert_eq!(costs.words(&goal), said(&goal).split_whitespace().count(), "{}", said(&goal));
                }
            }
        }
    }
}
