//! A person follows a plan: what the other side replies, what the plan would do, and what a move breaks.

use super::facts;
use game::{Limit, Move, Names};
use machine::{Engine, State};
use native::chess::{Position, Step};
use plan::Plan;
use plan::guide::{EndingAt, EndingField, Field, GameField, Guide, Reason, Way, Worth};
use plan::words::Words;
use table::chess::Material;

/// How positions and moves of a field are told.
pub trait Told: Field {
    /// The facts of a position.
    fn facts(&self, plan: &Plan, at: &Self::At) -> Vec<String>;
    /// A move, as people write it.
    fn name(&self, at: &Self::At, step: &Self::Step) -> String;
    /// A position in one line, to be read again.
    fn line(&self, at: &Self::At) -> String;
    /// A move by the cells it names.
    fn cells(&self, step: &Self::Step) -> String;
}

impl Told for EndingField {
    fn facts(&self, plan: &Plan, at: &EndingAt) -> Vec<String> {
        facts(plan, &at.position().fen())
    }

    fn name(&self, at: &EndingAt, step: &Step) -> String {
        at.position().san(step)
    }

    fn line(&self, at: &EndingAt) -> String {
        at.position().fen()
    }

    fn cells(&self, step: &Step) -> String {
        let cell = |square: u8| format!("{} {}", char::from(b'a' + square % 8), square / 8 + 1);
        format!("(move {} {})", cell(step.from), cell(step.to))
    }
}

impl Told for GameField<'_, Engine> {
    fn facts(&self, _: &Plan, at: &State) -> Vec<String> {
        self.game().facts(at)
    }

    fn name(&self, _: &State, step: &Move) -> String {
        self.game().move_text(*step)
    }

    fn line(&self, at: &State) -> String {
        self.game().facts(at).join(" ")
    }

    fn cells(&self, step: &Move) -> String {
        self.game().move_text(*step)
    }
}

/// The position of an ending that a [line](Told::line) tells.
///
/// # Errors
/// When it is no position of these men, the stronger side being white.
pub fn ending_at(material: Material, fen: &str) -> anyhow::Result<EndingAt> {
    let position = Position::from_fen(fen)?;
    let fits = matches!(Material::of(&position), Ok((men, false)) if men == material);
    anyhow::ensure!(fits && !position.broken(), "{fen:?} is no position of {material}");
    Ok(EndingAt::new(&position))
}

/// A practice.
pub struct Drill<'a, F: Field> {
    /// Who knows the plan.
    pub guide: Guide<'a, F>,
    /// Moves that the person made.
    pub made: usize,
    /// Those that broke the plan.
    pub broken: usize,
    /// Positions won.
    pub won: usize,
    /// What was there since the practice began anew: the first position, and those that own moves led to. Kept only where the plan has a rule about it.
    pub seen: Vec<F::At>,
}

/// A position in which the person is to move.
pub struct Choice<F: Field> {
    at: F::At,
    ways: Vec<Way<F>>,
    /// The moves.
    pub names: Vec<String>,
    best: usize,
    reason: Reason,
    /// The sentence that tells the plan's move from the others.
    why: Option<String>,
}

impl<F: Field> Choice<F> {
    /// The moves and where they lead, in the order of the names.
    pub fn ways(&self) -> &[Way<F>] {
        &self.ways
    }

    /// The plan's move.
    pub fn best(&self) -> usize {
        self.best
    }

    /// What the plan would do.
    pub fn hint(&self) -> String {
        let why = self.why.as_ref().map_or(String::new(), |why| format!(", by {why}"));
        format!("The plan plays {}{why}", self.names[self.best])
    }
}

impl<'a, F: Told> Drill<'a, F> {
    /// Nothing was made yet.
    pub fn new(guide: Guide<'a, F>) -> Drill<'a, F> {
        Drill { guide, made: 0, broken: 0, won: 0, seen: Vec::new() }
    }

    fn see(&mut self, at: &F::At) {
        if self.guide.plan().avoid.is_some() {
            self.seen.push(at.clone());
        }
    }

    /// What the other side does, and where it leads: the first of the moves that the plan likes least.
    ///
    /// # Errors
    /// When the engine comes to a limit.
    pub fn reply(&mut self, at: &F::At) -> Result<Option<(String, F::At)>, Limit> {
        let ways = self.guide.ways(at)?;
        let worst = ways.iter().map(|way| &way.worth).max().cloned();
        let reply = ways.iter().find(|way| Some(&way.worth) == worst.as_ref());
        Ok(reply.map(|way| (self.guide.field.name(at, &way.step), way.to.clone())))
    }

    /// What the person can do; `None` if nothing.
    ///
    /// # Errors
    /// When the engine comes to a limit.
    pub fn choice(&mut self, at: &F::At) -> Result<Option<Choice<F>>, Limit> {
        let ways = self.guide.ways(at)?;
        let names = ways.iter().map(|way| self.guide.field.name(at, &way.step)).collect();
        if self.seen.is_empty() {
            self.see(at);
        }
        let Some((best, reason)) = self.guide.choice(&ways, &self.seen) else { return Ok(None) };
        let why = self.sentence(reason, at);
        Ok(Some(Choice { at: at.clone(), ways, names, best, reason, why }))
    }

    fn sentence(&mut self, reason: Reason, at: &F::At) -> Option<String> {
        let number = self.guide.sentence(reason, at)?;
        Some(format!("sentence {}: {}", number + 1, self.guide.plan().brief().get(number)?))
    }

    /// What the goal that was broken comes to after the better move, and after the one that was made.
    fn measured(&self, reason: Reason, made: &Worth, best: &Worth) -> Option<String> {
        let (Reason::Goal(goal), Worth::Open(made, _), Worth::Open(best, _)) = (reason, made, best) else {
            return None;
        };
        if made == best {
            return Some(", which comes to the same sooner".into());
        }
        let plan = self.guide.plan();
        let (what, sign) = Words::new(&plan.board).measure(&plan.attributes, plan.goals_by_cases().nth(goal)?);
        Some(format!(", {} instead of {} for {what}", sign * best.get(goal)?, sign * made.get(goal)?))
    }

    /// A move of the person: where it leads, and what is to be said of it.
    pub fn judge(&mut self, choice: &Choice<F>, made: usize) -> (F::At, String) {
        self.made += 1;
        let Choice { ways, names, best, reason, .. } = choice;
        self.see(&ways[made].to);
        let before = &self.seen[..self.seen.len().saturating_sub(1)];
        let back = before.iter().any(|seen| self.guide.field.same(seen, &ways[made].to));
        let broken = match reason {
            Reason::New if back => Some(Reason::New),
            _ => Reason::broken(&ways[*best].worth, &ways[made].worth),
        };
        let said = match broken {
            None => format!("{}: as the plan has it.", names[made]),
            Some(reason) => {
                self.broken += 1;
                let why = self.sentence(reason, &choice.at).unwrap_or_default();
                let by = self.measured(reason, &ways[made].worth, &ways[*best].worth).unwrap_or_default();
                format!("{} breaks {why} Better: {}{by}.", names[made], names[*best])
            }
        };
        (ways[made].to.clone(), said)
    }
}
