//! Following a plan from one position: exact minimax over the plies that it looks ahead, the goals in their order.
//!
//! What [`sweep`](crate::sweep) does for all positions of a world at once is done here for one, without a world: a [`Field`] says who decides,
//! what follows and what stands where. A player and a person who practises go by the same [`Worth`].

use crate::chess::{Ending, men_of, scene_by};
use crate::file::{Plan, Reader};
use crate::listed::{Says, Vocabulary, put};
use crate::scene::Scene;
use crate::sweep::Reading;
use crate::world::Kind;
use game::{Facts, Limit, Move, Role, Turn};
use native::chess::{Colour, Man, Position, Step};
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use table::chess::{Material, Metric, Outcome, Tables};

/// What a position is worth to the plan's side; less is better.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Worth {
    /// A win is in sight, after so many of the side's own moves.
    Won(u8),
    /// The values of the goals at the end of what is looked at, and how many own moves lead there.
    Open(Vec<i32>, u8),
    /// It is over and not won.
    Lost,
}

impl Worth {
    /// The same one own move earlier.
    fn later(self) -> Worth {
        match self {
            Worth::Won(moves) => Worth::Won(moves.saturating_add(1)),
            Worth::Open(values, moves) => Worth::Open(values, moves.saturating_add(1)),
            Worth::Lost => Worth::Lost,
        }
    }
}

/// Why a move is made: which sentence of the plan tells it from others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// It wins in sight.
    Wins,
    /// All others let the win go.
    Keeps,
    /// This goal, by number, its cases counted as one: the last one by which some moves were left out; the last of all if others come to the same later.
    Goal(usize),
    /// Better ones lead to positions that were there.
    New,
    /// The plan finds all moves equally good.
    Any,
    /// Every move leads to an end that is not won.
    Nothing,
}

impl Reason {
    /// The number of the sentence in [`Plan::sentences`]; of a goal with cases the one that holds where this stands.
    pub fn sentence(self, reader: &Reader<'_>, scene: &Scene) -> Option<usize> {
        match self {
            Reason::Wins | Reason::Keeps => Some(0),
            Reason::Goal(goal) => Some(reader.case(scene, goal)? + 1),
            Reason::New => Some(reader.plan.goals.len() + 1),
            Reason::Any | Reason::Nothing => None,
        }
    }

    /// Why the best of some moves is made.
    pub fn of<'w>(moves: impl Iterator<Item = &'w Worth> + Clone) -> Reason {
        let (values, soonest) = match moves.clone().min() {
            None | Some(Worth::Lost) => return Reason::Nothing,
            Some(Worth::Won(_)) => return Reason::Wins,
            Some(Worth::Open(values, moves)) => (values, moves),
        };
        let mut left: Vec<(&Vec<i32>, &u8)> = Vec::new();
        let mut lost = false;
        for worth in moves {
            match worth {
                Worth::Open(values, moves) => left.push((values, moves)),
                Worth::Won(_) | Worth::Lost => lost = true,
            }
        }
        let mut reason = if lost { Reason::Keeps } else { Reason::Any };
        for (goal, value) in values.iter().enumerate() {
            let before = left.len();
            left.retain(|(values, _)| values.get(goal) == Some(value));
            if left.len() < before {
                reason = Reason::Goal(goal);
            }
        }
        let later = left.iter().any(|(_, moves)| *moves > soonest);
        values.len().checked_sub(1).filter(|_| later).map_or(reason, Reason::Goal)
    }

    /// What a better move would have served first; `None` if the one that was made is as good.
    pub fn broken(best: &Worth, made: &Worth) -> Option<Reason> {
        match (best, made) {
            (Worth::Lost, _) => None,
            (Worth::Won(soon), Worth::Won(late)) => (soon < late).then_some(Reason::Wins),
            (Worth::Won(_), _) => Some(Reason::Wins),
            (Worth::Open(..), Worth::Lost) => Some(Reason::Keeps),
            (Worth::Open(best, soon), Worth::Open(made, late)) => {
                let worse = best.iter().zip(made).position(|(best, made)| best < made);
                worse.or(best.len().checked_sub(1).filter(|_| best == made && soon < late)).map(Reason::Goal)
            }
            (Worth::Open(..), Worth::Won(_)) => None,
        }
    }
}

/// Moves with what they lead to.
pub type Steps<F> = Vec<(<F as Field>::Step, <F as Field>::At)>;

/// A game as a guide needs it.
pub trait Field {
    /// A position.
    type At: Clone + Eq + Hash;
    /// A move.
    type Step: Clone;
    /// Who decides.
    ///
    /// # Errors
    /// When an engine comes to a limit.
    fn kind(&mut self, at: &Self::At) -> Result<Kind, Limit>;
    /// The moves and what they lead to; none at an end.
    ///
    /// # Errors
    /// When an engine comes to a limit.
    fn next(&mut self, at: &Self::At) -> Result<Steps<Self>, Limit>;
    /// Writes what stands where.
    fn scene(&mut self, at: &Self::At, scene: &mut Scene);
    /// Whether two positions are one to somebody who asks whether it was there: so are mirror images of a chess ending.
    fn same(&self, one: &Self::At, other: &Self::At) -> bool {
        one == other
    }
}

/// A move, where it leads, and what that is worth.
#[derive(Clone, Debug)]
pub struct Way<F: Field + ?Sized> {
    /// The move.
    pub step: F::Step,
    /// The position after it.
    pub to: F::At,
    /// What the plan thinks of it.
    pub worth: Worth,
    /// The same with two plies fewer, which decides between moves that are equally good; only for plans with a rule about repetitions, and not
    /// where fewer than three plies are looked ahead, or all on the way counts.
    pub sooner: Option<Worth>,
}

/// A plan that is followed on a field.
pub struct Guide<'a, F: Field> {
    reader: Reader<'a>,
    /// The field.
    pub field: F,
    scene: Scene,
    known: HashMap<(F::At, usize), Worth>,
}

impl<'a, F: Field> Guide<'a, F> {
    /// Follows a plan on a field; `None` if the plan was put together wrongly.
    pub fn new(plan: &'a Plan, field: F) -> Option<Guide<'a, F>> {
        let scene = Scene::new(&plan.board);
        Some(Guide { reader: plan.reader()?, field, scene, known: HashMap::new() })
    }

    /// The plan.
    pub fn plan(&self) -> &'a Plan {
        self.reader.plan
    }

    /// The number of the sentence of a reason, in a position.
    pub fn sentence(&mut self, reason: Reason, at: &F::At) -> Option<usize> {
        self.scene.clear();
        self.field.scene(at, &mut self.scene);
        reason.sentence(&self.reader, &self.scene)
    }

    /// Every move of whoever decides, with its worth: as far ahead as the plan looks, and for the other side as far again.
    ///
    /// # Errors
    /// When an engine comes to a limit.
    pub fn ways(&mut self, at: &F::At) -> Result<Vec<Way<F>>, Limit> {
        self.ways_until(at, &|| false)
    }

    /// The same for the first moves only, if it takes too long: `stop` is asked after each.
    ///
    /// # Errors
    /// When an engine comes to a limit.
    pub fn ways_until(&mut self, at: &F::At, stop: &dyn Fn() -> bool) -> Result<Vec<Way<F>>, Limit> {
        let plies = self.plan().plies;
        let plies = if self.field.kind(at)? == Kind::Ours { plies - 1 } else { plies };
        self.known.clear();
        let ends = self.plan().avoid.is_some() && self.plan().reading == Reading::Ends;
        let fewer = plies.checked_sub(2).filter(|_| ends);
        let mut ways = Vec::new();
        for (step, to) in self.field.next(at)? {
            let worth = self.worth(&to, plies)?;
            let sooner = fewer.map(|plies| self.worth(&to, plies)).transpose()?;
            ways.push(Way { step, to, worth, sooner });
            if stop() {
                break;
            }
        }
        Ok(ways)
    }

    /// The plan's move, by its place among `ways`, and why: the best, unless it leads to a position that was `seen` and the plan has a rule against
    /// that. Seen are the position that the game began with, and those that own moves led to.
    pub fn choice(&self, ways: &[Way<F>], seen: &[F::At]) -> Option<(usize, Reason)> {
        let mut order: Vec<usize> = (0..ways.len()).collect();
        let key = |at: usize| (&ways[at].worth, &ways[at].sooner);
        order.sort_by(|&a, &b| key(a).cmp(&key(b)));
        let best = *order.first()?;
        let was_there = |at: usize| seen.iter().any(|seen| self.field.same(seen, &ways[at].to));
        let among = self.plan().avoid.filter(|_| was_there(best)).unwrap_or(0);
        let others = order.iter().take(among).copied();
        let other = others.filter(|&at| ways[at].worth != Worth::Lost).find(|&at| !was_there(at));
        Some(match other {
            Some(other) => (other, Reason::New),
            None => (best, Reason::of(ways.iter().map(|way| &way.worth))),
        })
    }

    /// What a position is worth, so many plies ahead.
    ///
    /// # Errors
    /// When an engine comes to a limit.
    pub fn worth(&mut self, at: &F::At, plies: usize) -> Result<Worth, Limit> {
        let kind = match self.field.kind(at)? {
            Kind::Won => return Ok(Worth::Won(0)),
            Kind::Failed | Kind::Unused => return Ok(Worth::Lost),
            kind => kind,
        };
        let key = (at.clone(), plies);
        if let Some(worth) = self.known.get(&key) {
            return Ok(worth.clone());
        }
        let counts = plies == 0 || kind == Kind::Ours && self.plan().reading == Reading::Met;
        let here = counts.then(|| {
            self.scene.clear();
            self.field.scene(at, &mut self.scene);
            Worth::Open(self.reader.values(&self.scene), 0)
        });
        let worth = if plies == 0 {
            here.unwrap_or(Worth::Lost)
        } else {
            let next = self.field.next(at)?;
            let mut found: Option<Worth> = None;
            for (_, to) in next {
                let worth = self.worth(&to, plies - 1)?;
                let better = |old: &Worth| if kind == Kind::Ours { worth < *old } else { worth > *old };
                if found.as_ref().is_none_or(better) {
                    found = Some(worth);
                }
            }
            let ahead = match (found, kind) {
                (None, _) => Worth::Lost,
                (Some(worth), Kind::Ours) => worth.later(),
                (Some(worth), _) => worth,
            };
            here.map_or(ahead.clone(), |here| here.min(ahead))
        };
        self.known.insert(key, worth.clone());
        Ok(worth)
    }
}

/// A chess ending, white being the stronger side.
pub struct EndingField {
    men: Vec<Man>,
    ending: Ending,
    metric: Metric,
    tables: Arc<Tables>,
}

/// A position of an ending, or the end that taking or promoting leads to: whether it is won.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EndingAt {
    /// With all men of the ending.
    Inside(Position),
    /// With others.
    Outside(Position, bool),
}

impl EndingAt {
    /// A position with all men of an ending, white being the stronger side.
    pub fn new(position: &Position) -> EndingAt {
        EndingAt::Inside(Position { quiet: 0, ..*position })
    }

    /// The position, with these men or others.
    pub fn position(&self) -> &Position {
        match self {
            EndingAt::Inside(position) | EndingAt::Outside(position, _) => position,
        }
    }
}

impl EndingField {
    /// The field of an ending; `None` if the tables do not have what taking and promoting leads to.
    pub fn new(material: Material, metric: Metric, tables: Arc<Tables>) -> Option<EndingField> {
        let there = |next: &Material| tables.find(*next, metric).is_ok();
        if !material.next().iter().all(there) {
            return None;
        }
        Some(EndingField { men: men_of(material), ending: Ending::new(material), metric, tables })
    }

    /// The tables.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }
}

impl Field for EndingField {
    type At = EndingAt;
    type Step = Step;

    fn kind(&mut self, at: &EndingAt) -> Result<Kind, Limit> {
        Ok(match at {
            EndingAt::Outside(_, true) => Kind::Won,
            EndingAt::Outside(_, false) => Kind::Failed,
            EndingAt::Inside(position) => match (position.can_move(), position.turn) {
                (true, Colour::White) => Kind::Ours,
                (true, Colour::Black) => Kind::Theirs,
                (false, Colour::Black) if position.in_check(Colour::Black) => Kind::Won,
                (false, _) => Kind::Failed,
            },
        })
    }

    fn next(&mut self, at: &EndingAt) -> Result<Vec<(Step, EndingAt)>, Limit> {
        let EndingAt::Inside(position) = at else { return Ok(Vec::new()) };
        let white = position.turn == Colour::White;
        let legal = position.legal();
        let lead = |step: &Step| {
            let after = position.after(step);
            if !step.converts() {
                return EndingAt::new(&after);
            }
            // A table that cannot be read promises nothing.
            let won = match self.tables.probe(&after, self.metric) {
                Ok(Outcome::Win(_)) => !white,
                Ok(Outcome::Loss(_)) => white,
                Ok(Outcome::Draw) | Err(_) => false,
            };
            EndingAt::Outside(after, won)
        };
        Ok(legal.iter().map(|step| (*step, lead(step))).collect())
    }

    fn scene(&mut self, at: &EndingAt, scene: &mut Scene) {
        scene_by(&self.men, at.position(), scene);
    }

    fn same(&self, one: &EndingAt, other: &EndingAt) -> bool {
        match (one, other) {
            (EndingAt::Inside(one), EndingAt::Inside(other)) => self.ending.node(one) == self.ending.node(other),
            _ => one == other,
        }
    }
}

/// How a fact is said in the words of a plan.
pub type Rename<'a> = Box<dyn Fn(&str) -> Option<String> + 'a>;

/// A game known by its rules.
pub struct GameField<'a, G: Facts> {
    game: &'a G,
    view: G::View,
    role: Role,
    best: Option<i8>,
    vocabulary: Vocabulary,
    rename: Rename<'a>,
    numbers: HashMap<u32, Says>,
}

impl<'a, G: Facts> GameField<'a, G> {
    /// The field of a plan for this role; `None` if the plan does not say how positions are read.
    pub fn new(plan: &Plan, game: &'a G, role: Role, rename: Rename<'a>) -> Option<GameField<'a, G>> {
        let reads = plan.reads.as_ref()?;
        let vocabulary = Vocabulary::from_reads(&plan.board, reads)?;
        let (view, numbers) = (game.view(), HashMap::new());
        Some(GameField { game, view, role, best: reads.best, vocabulary, rename, numbers })
    }

    /// The game.
    pub fn game(&self) -> &'a G {
        self.game
    }

    /// The legal moves of all roles in the position that the view shows.
    fn legal(&self) -> Vec<Vec<Move>> {
        let one = |role: u8| {
            let mut moves = Vec::new();
            self.game.legal(&self.view, Role(role), &mut moves);
            moves
        };
        (0..self.game.roles() as u8).map(one).collect()
    }

    fn is_won(&mut self) -> Result<bool, Limit> {
        let mut goals = Vec::new();
        for role in game::roles(self.game) {
            goals.push(self.game.goal(&mut self.view, role)?.map_or(0, i16::from));
        }
        let own = goals.get(usize::from(self.role.0)).copied().unwrap_or(0);
        let others = goals.iter().enumerate().filter(|(role, _)| *role != usize::from(self.role.0));
        Ok(match others.map(|(_, goal)| *goal).max() {
            Some(other) => own > other,
            None => own >= self.best.map_or(100, i16::from),
        })
    }
}

impl<G: Facts> Field for GameField<'_, G>
where
    G::State: Eq + Hash,
{
    type At = G::State;
    type Step = Move;

    fn kind(&mut self, at: &G::State) -> Result<Kind, Limit> {
        self.game.look(at, &mut self.view)?;
        Ok(match self.game.turn(&self.view) {
            Turn::One(chooser) if self.legal().iter().all(|moves| !moves.is_empty()) => {
                if chooser == self.role {
                    Kind::Ours
                } else {
                    Kind::Theirs
                }
            }
            Turn::Over if self.is_won()? => Kind::Won,
            _ => Kind::Failed,
        })
    }

    fn next(&mut self, at: &G::State) -> Result<Vec<(Move, G::State)>, Limit> {
        self.game.look(at, &mut self.view)?;
        let Turn::One(chooser) = self.game.turn(&self.view) else { return Ok(Vec::new()) };
        let legal = self.legal();
        let mut joint: Vec<Move> = legal.iter().filter_map(|moves| moves.first().copied()).collect();
        if joint.len() < legal.len() {
            return Ok(Vec::new());
        }
        let chooser = usize::from(chooser.0);
        let mut ways = Vec::with_capacity(legal[chooser].len());
        for &mv in &legal[chooser] {
            joint[chooser] = mv;
            let mut to = at.clone();
            self.game.play(&mut self.view, &joint, &mut to)?;
            ways.push((mv, to));
        }
        Ok(ways)
    }

    fn scene(&mut self, at: &G::State, scene: &mut Scene) {
        let mut new = false;
        self.game.each_fact(at, &mut |fact| new |= !self.numbers.contains_key(&fact));
        if new {
            for fact in self.game.facts(at) {
                let renamed = (self.rename)(&fact);
                let says = renamed.and_then(|fact| self.vocabulary.says(&fact).ok()).unwrap_or(Says::Nothing);
                if let Some(number) = self.game.fact(&fact) {
                    self.numbers.insert(number, says);
                }
            }
        }
        self.game.each_fact(at, &mut |fact| put(scene, self.numbers.get(&fact).copied().unwrap_or(Says::Nothing)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(values: &[i32]) -> Worth {
        Worth::Open(values.to_vec(), 0)
    }

    #[test]
    fn the_order_of_worth() {
        let order = [Worth::Won(0), Worth::Won(3), open(&[1, 9]), open(&[2, 0]), Worth::Lost];
        assert!(order.is_sorted());
    }

    #[test]
    fn the_reason_is_the_goal_that_decides() {
        let why = |moves: &[Worth]| Reason::of(moves.iter());
        assert_eq!(why(&[open(&[1, 2]), open(&[1, 3]), open(&[2, 0])]), Reason::Goal(1));
        assert_eq!(why(&[open(&[1, 2]), open(&[2, 2])]), Reason::Goal(0));
        assert_eq!(why(&[open(&[1]), Worth::Lost]), Reason::Keeps);
        assert_eq!(why(&[open(&[1]), open(&[1])]), Reason::Any);
        assert_eq!(why(&[Worth::Won(1), open(&[1])]), Reason::Wins);
        assert_eq!(why(&[Worth::Lost]), Reason::Nothing);
        assert_eq!(Reason::broken(&open(&[1, 2]), &open(&[1, 3])), Some(Reason::Goal(1)));
        assert_eq!(Reason::broken(&Worth::Won(0), &Worth::Won(1)), Some(Reason::Wins));
        assert_eq!(Reason::broken(&open(&[1]), &Worth::Lost), Some(Reason::Keeps));
        assert_eq!(Reason::broken(&open(&[1]), &open(&[1])), None);
    }
}
