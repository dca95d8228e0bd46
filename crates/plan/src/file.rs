//! A plan as a file: what it is for, the board and what things can do on it, the goals in their order, and what was found when it was checked.
//! Everything that is needed to follow the plan is in it; tables are not.

use crate::attribute::{Attribute, Frame, Look};
use crate::listed::{Reads, Vocabulary};
use crate::movers::{Movers, Written};
use crate::scene::{Board, Scene};
use crate::stages::cases::Cases;
use crate::stages::find::Staged;
use crate::stages::play::{Games, Repetition};
use crate::sweep::Reading;
use crate::verdict::{self, Verdict};
use serde::{Deserialize, Serialize};

/// The form of the files; another number is another form.
pub const FORM: u32 = 1;

/// The most attributes in a sum.
const MOST_PARTS: usize = 1024;

/// What a plan is for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// A chess ending, white being the stronger side.
    Ending {
        /// The men, such as `KQKR`.
        material: String,
        /// What the table that it comes from counts: plies to mate or to conversion.
        metric: String,
    },
    /// A game known by its rules.
    Game {
        /// What it is called.
        name: String,
        /// What tells its rules from others, whatever their words.
        identity: String,
        /// The role that has the plan.
        role: String,
    },
}

/// A goal: a sum of attributes with weights; less is better.
///
/// A goal that holds only under conditions and the goals after it, up to the first without any, are the cases of one goal: the first whose conditions
/// hold says what counts ([`Plan::goals_by_cases`]).
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Goal {
    /// Where it holds: all of these do. Nothing for a goal that holds everywhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<verdict::Test>,
    /// What is added to the sum, so that cases can be compared.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub base: i32,
    /// Attributes of the plan by number, with their weights.
    pub parts: Vec<(usize, i32)>,
}

fn is_zero(number: &i32) -> bool {
    *number == 0
}

impl Goal {
    /// Whether its sum is a number of 32 bits whatever its attributes are, each of which is a byte.
    pub(crate) fn is_a_number(&self) -> bool {
        let parts = self.parts.iter().map(|part| u64::from(part.1.unsigned_abs()) * u64::from(u8::MAX));
        u64::from(self.base.unsigned_abs()) + parts.sum::<u64>() < i32::MAX as u64
    }
}

/// What a strategy reached from all positions that can be won, the plan's side to move.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Reached {
    /// Plies looked ahead.
    pub plies: usize,
    /// Positions that can be won.
    pub positions: u64,
    /// Those that are won, whatever the other side does and whichever of equally good moves is made.
    pub won: u64,
    /// Moves over the optimum on average, in those that are won.
    pub excess: f64,
    /// The most moves over the optimum.
    pub worst: u16,
    /// The chance to win against replies drawn at random, on average.
    pub random: Option<f64>,
}

impl Reached {
    /// The share that is won.
    pub fn share(&self) -> f64 {
        self.won as f64 / self.positions.max(1) as f64
    }
}

/// A plan: everything that is needed to follow it; tables are not.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// The form of the file.
    pub form: u32,
    /// The version of the program that made it.
    pub version: String,
    /// What it is for.
    pub subject: Subject,
    /// The board.
    pub board: Board,
    /// How positions are read, where they are facts of rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads: Option<Reads>,
    /// What things can do.
    pub movers: Written,
    /// The attributes that goals are made of.
    pub attributes: Vec<Attribute>,
    /// The goals, the most important first.
    pub goals: Vec<Goal>,
    /// Plies to look ahead.
    pub plies: usize,
    /// Which of the positions that are looked at count.
    #[serde(default, skip_serializing_if = "Reading::is_usual")]
    pub reading: Reading,
    /// What is done when the best move leads to a position that was there: of so many of the best moves the first one that leads to a new one is made.
    /// `None` where plans have no such rule; what is said to be [`reached`](Plan::reached) is always without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub avoid: Option<usize>,
    /// What it reaches at that many plies, and what a reader reaches who looks one ply ahead.
    pub reached: Vec<Reached>,
    /// How won positions are told from others, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Positions in which the plan is at work, one for each sentence where there is one.
    pub examples: Vec<Example>,
    /// The stages of the game, with tree and regressions; plans made before there were any have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages: Option<Staged>,
    /// Sums by cases, if they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cases: Option<Cases>,
}

/// A position in which one goal makes the difference.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Example {
    /// Which goal; `None` for an end that is seen at once.
    pub goal: Option<usize>,
    /// The position: a FEN, or facts of the rules.
    pub position: String,
    /// The move that is made, and the reply that holds out longest, as text.
    pub line: Vec<String>,
    /// A move that is left out because of the goal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<Instead>,
}

/// A move that a goal leaves out, and what the goal comes to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Instead {
    /// The move.
    pub step: String,
    /// What the goal comes to after the move that is made, against the replies that are worst for the plan.
    pub made: i32,
    /// What it would come to after this one.
    pub left: i32,
}

/// What goes wrong with a plan file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlanError(pub String);

impl std::fmt::Display for PlanError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PlanError {}

impl From<game::Limit> for PlanError {
    fn from(limit: game::Limit) -> PlanError {
        PlanError(limit.to_string())
    }
}

/// A plan made ready for looking at positions.
pub struct Reader<'a> {
    /// The plan.
    pub plan: &'a Plan,
    movers: Movers,
    frame: Frame,
}

impl Plan {
    /// Reads the text of a file, and checks that what it says fits together.
    pub fn parse(text: &str) -> Result<Plan, PlanError> {
        let form: serde_json::Value =
            serde_json::from_str(text).map_err(|error| PlanError(format!("not a plan: {error}")))?;
        if form.get("form").and_then(serde_json::Value::as_u64) != Some(u64::from(FORM)) {
            return Err(PlanError(format!("a plan of another form than {FORM}; build it again")));
        }
        let plan: Plan =
            serde_json::from_value(form).map_err(|error| PlanError(format!("the plan is damaged: {error}")))?;
        let (cells, things) = (plan.board.cells.len(), plan.board.things.len());
        let wrong = |what: &str| PlanError(format!("the plan is damaged: {what}"));
        if cells > crate::scene::MOST_CELLS || plan.board.neighbours.len() != cells || plan.board.places.len() != cells
        {
            return Err(wrong("its board does not fit together"));
        }
        if plan.board.neighbours.iter().flatten().any(|&cell| usize::from(cell) >= cells) {
            return Err(wrong("a neighbour is not on the board"));
        }
        let fits = |attribute: &Attribute| attribute.fits(things, cells, plan.board.counters.len());
        if !plan.attributes.iter().all(fits) || plan.movers.0.len() != things {
            return Err(wrong("an attribute speaks of what is not on the board"));
        }
        let attributes = plan.attributes.len();
        let unknown = |goal: &Goal| goal.parts.iter().any(|&(at, _)| at >= attributes);
        if plan.goals.iter().any(|goal| unknown(goal) || !goal.is_a_number() || goal.parts.len() > MOST_PARTS) {
            return Err(wrong("a goal speaks of an attribute that is not there, or of too much"));
        }
        if plan.goals.last().is_some_and(|goal| !goal.when.is_empty()) {
            return Err(wrong("its last goal does not hold everywhere"));
        }
        let tests = plan.verdict.iter().flat_map(|verdict| &verdict.rules).flat_map(|rule| &rule.tests);
        let conditions = || plan.goals.iter().flat_map(|goal| &goal.when);
        let tests = tests.chain(conditions());
        let known = |subject: verdict::Subject| match subject {
            verdict::Subject::OurMove => true,
            verdict::Subject::Attribute(at) => at < attributes,
            verdict::Subject::Difference(first, second) | verdict::Subject::Race(first, second) => {
                first < attributes && second < attributes
            }
        };
        if tests.into_iter().any(|test| !known(test.subject)) {
            return Err(wrong("a rule speaks of an attribute that is not there"));
        }
        let whoever = |test: &verdict::Test| {
            matches!(test.subject, verdict::Subject::Attribute(_) | verdict::Subject::Difference(..))
        };
        if !conditions().all(whoever) {
            return Err(wrong("a condition asks who is to move"));
        }
        let mut plies = plan.reached.iter().map(|reached| reached.plies).chain([plan.plies]);
        if plies.any(|plies| !(1..=16).contains(&plies)) {
            return Err(wrong("it looks no plies ahead, or too many"));
        }
        if plan.avoid.is_some_and(|among| among < 2) {
            return Err(wrong("its rule about repetitions has no other move to make"));
        }
        let mut read = plan.verdict.iter().flat_map(|told| told.read.iter().map(|read| read.0).chain([told.plies]));
        if read.any(|plies| plies > 16) {
            return Err(wrong("its rules are read too many plies ahead"));
        }
        let facts = &plan.board.facts;
        if !facts.is_empty() && facts.len() != cells {
            return Err(wrong("its board does not fit together"));
        }
        let goals = plan.goals.len();
        if plan.examples.iter().any(|example| example.goal.is_some_and(|goal| goal >= goals)) {
            return Err(wrong("an example is for a goal that is not there"));
        }
        let fault = |stages: &Staged| stages.fault(things, cells, plan.board.counters.len());
        if let Some(fault) = plan.stages.as_ref().and_then(fault) {
            return Err(wrong(fault));
        }
        let fault = |cases: &Cases| cases.fault(things, cells, plan.board.counters.len());
        if let Some(fault) = plan.cases.as_ref().and_then(fault) {
            return Err(wrong(fault));
        }
        Movers::from_written(&plan.board, &plan.movers).ok_or_else(|| wrong("a move leaves the board"))?;
        let read = |reads: &Reads| Vocabulary::from_reads(&plan.board, reads).is_some();
        if !plan.reads.as_ref().is_none_or(read) {
            return Err(wrong("it reads positions of another board"));
        }
        Ok(plan)
    }

    /// The text of a file.
    pub fn text(&self) -> String {
        let mut text = serde_json::to_string(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// The goals in their order, each with its cases: of several the first whose conditions hold says what counts.
    pub fn goals_by_cases(&self) -> impl Iterator<Item = &[Goal]> {
        self.goals.chunk_by(|goal, _| !goal.when.is_empty())
    }

    /// What games by the plan come to with its rule about repetitions, against best replies or against random ones.
    pub fn avoiding(&self, drawn: bool) -> Option<&Games> {
        let (among, cases) = (self.avoid?, self.cases.as_ref()?);
        let rule = Repetition::Avoid { among };
        cases.played.iter().find(|one| (one.plies, one.repetition, one.drawn) == (self.plies, rule, drawn))
    }

    /// The number of a goal when all cases of one are counted as one.
    pub fn number(&self, goal: usize) -> usize {
        self.goals.iter().take(goal).filter(|goal| goal.when.is_empty()).count()
    }

    /// Makes the plan ready for looking at positions; `None` if it was put together wrongly.
    pub fn reader(&self) -> Option<Reader<'_>> {
        let movers = Movers::from_written(&self.board, &self.movers)?;
        Some(Reader { plan: self, movers, frame: Frame::new(&self.board) })
    }
}

impl Plan {
    /// What the file says that the proof says nothing about.
    pub fn unchecked(&self) -> Vec<&'static str> {
        let random = self.reached.iter().any(|reached| reached.random.is_some());
        let all = [
            (random, "what is won against random replies"),
            (!self.examples.is_empty(), "the worked examples"),
            (self.stages.is_some(), "the stages and all their figures"),
            (self.cases.is_some(), "what sums by cases are said to win beside what is told here"),
        ];
        all.into_iter().filter(|part| part.0).map(|part| part.1).collect()
    }
}

impl Goal {
    /// Whether its conditions hold, by the values of the plan's attributes.
    pub fn holds(&self, values: &[u8]) -> bool {
        self.when.iter().all(|test| {
            let value = test.subject.value(|at| values[at], true);
            if test.at_most { value <= test.bound } else { value >= test.bound }
        })
    }

    /// Its sum, by the values of the plan's attributes.
    pub fn value(&self, values: &[u8]) -> i32 {
        self.base + self.parts.iter().map(|&(at, weight)| weight * i32::from(values[at])).sum::<i32>()
    }
}

impl Reader<'_> {
    /// The values of the goals in a position, in order, of those with cases one; less is better, and the first that differs decides.
    pub fn values(&self, scene: &Scene) -> Vec<i32> {
        let values = self.read(scene);
        let value =
            |cases: &[Goal]| cases.iter().find(|goal| goal.holds(&values)).map_or(0, |goal| goal.value(&values));
        self.plan.goals_by_cases().map(value).collect()
    }

    /// Which case of a goal holds in a position: its number in the plan's list. The goal is counted with all its cases as one.
    pub fn case(&self, scene: &Scene, goal: usize) -> Option<usize> {
        let before: usize = self.plan.goals_by_cases().take(goal).map(<[Goal]>::len).sum();
        let cases = self.plan.goals_by_cases().nth(goal)?;
        if cases.len() == 1 {
            return Some(before);
        }
        let values = self.read(scene);
        cases.iter().position(|goal| goal.holds(&values)).map(|case| before + case)
    }

    fn read(&self, scene: &Scene) -> Vec<u8> {
        let mut look = Look::new(&self.movers, &self.frame);
        look.at(scene);
        self.plan.attributes.iter().map(|attribute| look.value(attribute)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_may_be_great_but_not_greater_than_numbers() {
        let goal = |base, parts| Goal { base, parts, ..Goal::default() };
        let great = vec![(0, 36_138), (1, -20_000)];
        assert!(goal(-168_977, great).is_a_number() && !goal(i32::MIN, Vec::new()).is_a_number());
        assert!(
            goal(0, vec![(0, 8_000_000)]).is_a_number()
                && !goal(0, vec![(0, 8_000_000), (1, -8_000_000)]).is_a_number()
        );
    }
}
