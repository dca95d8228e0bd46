//! Internal simulation: random play that refutes guesses, and remembers positions with how their games ended.
//!
//! A guess is never confirmed here, only not refuted: what is reported says in how many states it was seen to hold.

use crate::form::Fluent;
use crate::terms::{TermId, Terms};
use game::random::Rng;
use game::{Facts, Goal, Limit, Move, Role, roles};
use gdl::{Symbol, Symbols};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The fewest states that a study looks at, whatever time there is, unless its plan says otherwise.
pub const FEWEST_STATES: u64 = 50;
/// States in which guesses are tested; later ones only count for what is learned.
const MOST_TESTED: u64 = 4_000;
/// Positions that are remembered, in all and of one game.
const MOST_SAMPLES: usize = 20_000;
const SAMPLES_A_GAME: usize = 8;
/// A random game is cut after so many moves.
const LONGEST: usize = 600;
/// Rounds in which roles take turns are looked for up to this length.
const LONGEST_ROUND: usize = 12;
/// Guesses about columns are made for fluents of at most this many.
pub(crate) const MOST_COLUMNS: usize = 5;

/// A fact taken apart: its fluent and what stands in its columns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Row {
    pub fluent: usize,
    pub values: Vec<TermId>,
}

/// The facts met so far, taken apart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    rows: HashMap<TermId, Option<Row>>,
}

impl Rows {
    /// The fact taken apart; `None` if it is of no known fluent.
    pub fn get(&mut self, id: TermId, terms: &Terms, fluents: &[Fluent]) -> Option<&Row> {
        self.rows.entry(id).or_insert_with(|| split(id, terms, fluents)).as_ref()
    }
}

impl Rows {
    /// All facts met, in no particular order.
    pub fn facts(&self) -> Vec<TermId> {
        self.rows.keys().copied().collect()
    }
}

pub(crate) fn split(id: TermId, terms: &Terms, fluents: &[Fluent]) -> Option<Row> {
    let (name, arity) = (terms.functor(id), terms.args(id).len());
    let fluent = fluents.iter().position(|fluent| fluent.name == name && fluent.arity == arity)?;
    let values = fluents[fluent].columns.iter().map(|column| {
        let mut at = id;
        for &step in &column.path {
            at = *terms.args(at).get(step as usize)?;
        }
        Some(at)
    });
    Some(Row { fluent, values: values.collect::<Option<_>>()? })
}

/// What was seen of one fluent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct FluentObservation {
    /// A bit for each set of columns (itself written as bits): no state had two facts that agree there.
    pub keys: u64,
    /// The most and the fewest facts at a time.
    pub most: usize,
    pub fewest: usize,
    /// The most facts at a time with this value in this column.
    pub together: BTreeMap<(usize, TermId), usize>,
    /// In how many of the states tested there was a fact with this value in this column.
    pub present: BTreeMap<(usize, TermId), u64>,
    /// Moves before which it had a fact, and those of them that changed none of its facts.
    pub moves: u64,
    pub still: u64,
    /// Moves before which it had a fact with this value in this column.
    pub held: BTreeMap<(usize, TermId), u64>,
    /// Values of columns of facts that were true and then were not, and whether there was such a fact at all.
    pub lost: BTreeSet<(usize, TermId)>,
    pub loses: bool,
    /// Whether its one value was always the role that had a choice, where only one had.
    pub names_chooser: bool,
    /// States in which that could be tested.
    pub choosers: u64,
}

/// Counts of legal moves of a role.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Choices {
    pub states: u64,
    pub moves: u64,
    pub most: usize,
}

/// A remembered position: its game, its facts, and the goals with which the game ended.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Sample {
    pub game: u64,
    pub facts: Vec<TermId>,
    pub goals: Vec<Goal>,
}

/// What random play has shown.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Observation {
    /// States looked at, and those in which guesses were tested.
    pub states: u64,
    pub tested: u64,
    pub games: u64,
    /// How games ended.
    pub ended: u64,
    pub stuck: u64,
    pub cut: u64,
    pub steps: u64,
    pub longest: usize,
    pub fluents: Vec<FluentObservation>,
    /// States by the number of roles with a choice: none, one, several, all.
    pub nobody: u64,
    pub one: u64,
    pub several: u64,
    pub everybody: u64,
    /// Who had the choice after whom: role by role.
    pub after: BTreeMap<(u8, u8), u64>,
    /// For each length of a round from 1 on who has the choice at each of its moves; `None` if that was refuted.
    pub rounds: Vec<Option<Vec<Option<u8>>>>,
    /// The latest move of a game at which one role had the choice.
    pub latest: usize,
    pub choices: Vec<Choices>,
    /// For each role how often it had only this move where another one had a choice.
    pub forced: Vec<BTreeMap<Move, u64>>,
    /// The goals of ended games, with how often each combination came.
    pub goals: BTreeMap<Vec<Option<Goal>>, u64>,
    pub samples: Vec<Sample>,
}

impl Observation {
    pub fn new(fluents: &[Fluent], roles: usize) -> Observation {
        let fresh = |fluent: &Fluent| {
            let columns = fluent.columns.len();
            let keys = match columns {
                0..=MOST_COLUMNS => u64::MAX >> (64 - (1 << columns)),
                _ => 0,
            };
            FluentObservation { keys, fewest: usize::MAX, names_chooser: columns == 1, ..FluentObservation::default() }
        };
        let fluents = fluents.iter().map(fresh).collect();
        Observation {
            fluents,
            choices: vec![Choices::default(); roles],
            forced: vec![BTreeMap::new(); roles],
            rounds: (1..=LONGEST_ROUND).map(|length| Some(vec![None; length])).collect(),
            ..Observation::default()
        }
    }
}

/// What is needed to follow a game.
pub(crate) struct Observer<'a> {
    pub terms: &'a mut Terms,
    pub symbols: &'a Symbols,
    pub fluents: &'a [Fluent],
    pub seen: &'a mut Observation,
    pub rows: Rows,
    /// Whether games count for goals, turns and learning, or only for guesses about fluents.
    pub whole: bool,
}

impl Observer<'_> {
    /// Plays random games until `more` says no, which is asked before each state.
    pub fn run<G: Facts>(&mut self, game: &G, seed: u64, more: &mut dyn FnMut() -> bool) -> Result<(), Limit> {
        let mut rng = Rng::new(seed);
        let mut pick = Rng::new(seed ^ 0x5eed);
        let mut numbers: HashMap<u32, TermId> = HashMap::new();
        let mut view = game.view();
        let (mut state, mut next) = (game.start(), game.start());
        let role_names: Vec<Option<Symbol>> = roles(game).map(|r| self.symbols.find(game.role_name(r))).collect();
        loop {
            state.clone_from(&game.start());
            let mut kept: Vec<Vec<TermId>> = Vec::new();
            let (mut steps, mut before) = (0, Vec::new());
            let mut chooser = None;
            loop {
                if !more() {
                    return Ok(());
                }
                game.look(&state, &mut view)?;
                self.seen.states += 1;
                let facts = self.facts(game, &state, &mut numbers);
                if self.seen.tested < MOST_TESTED {
                    self.test(&facts, &before);
                }
                let over = game.over(&view);
                if !over {
                    remember(&mut kept, &facts, steps, &mut pick);
                }
                if over || steps == LONGEST {
                    let goals: Vec<Option<Goal>> =
                        roles(game).map(|role| game.goal(&mut view, role)).collect::<Result<_, _>>()?;
                    self.end(over, goals, kept, steps);
                    break;
                }
                let Some(joint) = self.choose(game, &view, &mut rng, &facts, &role_names, &mut chooser, steps) else {
                    self.seen.games += 1;
                    self.seen.stuck += 1;
                    break;
                };
                before = facts;
                game.play(&mut view, &joint, &mut next)?;
                std::mem::swap(&mut state, &mut next);
                steps += 1;
            }
        }
    }

    /// The facts of a state as terms, sorted. The texts are read only where a number is new.
    fn facts<G: Facts>(&mut self, game: &G, state: &G::State, numbers: &mut HashMap<u32, TermId>) -> Vec<TermId> {
        let mut facts = Vec::new();
        let mut unknown = false;
        game.each_fact(state, &mut |number| match numbers.get(&number) {
            Some(&id) => facts.push(id),
            None => unknown = true,
        });
        if unknown {
            facts.clear();
            // Texts come in the order of their spelling; terms must get their numbers in an order without it.
            let mut scratch = Terms::default();
            let texts = game.facts(state);
            let mut read: Vec<(TermId, &String)> =
                texts.iter().filter_map(|text| Some((scratch.read(text, self.symbols)?, text))).collect();
            read.sort_by(|a, b| scratch.compare(a.0, b.0));
            for (id, text) in read {
                let id = self.terms.copy(&scratch, id);
                facts.push(id);
                if let Some(number) = game.fact(text) {
                    numbers.insert(number, id);
                }
            }
        }
        facts.sort_unstable_by(|&a, &b| self.terms.compare(a, b));
        facts
    }

    /// Tests all guesses about fluents in a state.
    fn test(&mut self, facts: &[TermId], before: &[TermId]) {
        self.seen.tested += 1;
        let mut groups: Vec<Vec<&[TermId]>> = vec![Vec::new(); self.fluents.len()];
        for &fact in facts {
            self.rows.get(fact, self.terms, self.fluents);
        }
        let rows = &self.rows.rows;
        for row in facts.iter().filter_map(|fact| rows.get(fact)?.as_ref()) {
            groups[row.fluent].push(&row.values);
        }
        let mut counts: BTreeMap<(usize, TermId), usize> = BTreeMap::new();
        for (group, seen) in groups.iter().zip(&mut self.seen.fluents) {
            seen.most = seen.most.max(group.len());
            seen.fewest = seen.fewest.min(group.len());
            refute_keys(group, seen);
            counts.clear();
            for values in group {
                values.iter().enumerate().for_each(|(at, &value)| *counts.entry((at, value)).or_default() += 1);
            }
            for (&at, &count) in &counts {
                *seen.present.entry(at).or_default() += 1;
                let most = seen.together.entry(at).or_default();
                *most = (*most).max(count);
            }
        }
        self.compare(facts, before);
    }

    /// Notes what a move changed.
    fn compare(&mut self, facts: &[TermId], before: &[TermId]) {
        let rows = &self.rows.rows;
        let [now, old]: [HashSet<TermId>; 2] = [facts, before].map(|facts| facts.iter().copied().collect());
        let mut held: BTreeSet<(usize, usize, TermId)> = BTreeSet::new();
        let mut changed = vec![false; self.fluents.len()];
        for (fact, row) in before.iter().filter_map(|fact| Some((fact, rows.get(fact)?.as_ref()?))) {
            held.extend(row.values.iter().enumerate().map(|(at, &value)| (row.fluent, at, value)));
            if row.values.is_empty() {
                // A flag has no column; what is counted here is the fluent itself.
                self.seen.fluents[row.fluent].moves += 1;
                self.seen.fluents[row.fluent].still += u64::from(now.contains(fact));
            }
            if !now.contains(fact) {
                changed[row.fluent] = true;
                let seen = &mut self.seen.fluents[row.fluent];
                seen.loses = true;
                seen.lost.extend(row.values.iter().copied().enumerate());
            }
        }
        for row in facts.iter().filter(|fact| !old.contains(fact)).filter_map(|fact| rows.get(fact)?.as_ref()) {
            changed[row.fluent] = true;
        }
        let mut last = None;
        for (fluent, at, value) in held {
            let seen = &mut self.seen.fluents[fluent];
            *seen.held.entry((at, value)).or_default() += 1;
            if last.replace(fluent) != Some(fluent) {
                seen.moves += 1;
                seen.still += u64::from(!changed[fluent]);
            }
        }
    }

    /// A random joint move; `None` if a role has none.
    #[allow(clippy::too_many_arguments)]
    fn choose<G: Facts>(
        &mut self,
        game: &G,
        view: &G::View,
        rng: &mut Rng,
        facts: &[TermId],
        names: &[Option<Symbol>],
        last: &mut Option<u8>,
        step: usize,
    ) -> Option<Vec<Move>> {
        let mut joint = Vec::with_capacity(game.roles());
        let mut choosers = Vec::new();
        let mut legal = Vec::new();
        for role in roles(game) {
            legal.clear();
            game.legal(view, role, &mut legal);
            if legal.is_empty() {
                return None;
            }
            if legal.len() > 1 {
                choosers.push(role);
                let choices = &mut self.seen.choices[role.0 as usize];
                choices.states += 1;
                choices.moves += legal.len() as u64;
                choices.most = choices.most.max(legal.len());
            }
            joint.push(legal[rng.below(legal.len())]);
        }
        if self.whole {
            if let [chooser] = choosers[..] {
                for (role, (forced, mv)) in self.seen.forced.iter_mut().zip(&joint).enumerate() {
                    if role != chooser.0 as usize {
                        *forced.entry(*mv).or_default() += 1;
                    }
                }
            }
            if let [chooser] = choosers[..] {
                self.round(chooser, step);
            }
            self.turn(&choosers, game.roles(), facts, names, last);
        }
        Some(joint)
    }

    /// Strikes out the rounds in which it would be another role's turn at this move of a game.
    fn round(&mut self, chooser: Role, step: usize) {
        self.seen.latest = self.seen.latest.max(step);
        for round in &mut self.seen.rounds {
            if let Some(turns) = round {
                let at = step % turns.len();
                if *turns[at].get_or_insert(chooser.0) != chooser.0 {
                    *round = None;
                }
            }
        }
    }

    fn turn(
        &mut self,
        choosers: &[Role],
        roles: usize,
        facts: &[TermId],
        names: &[Option<Symbol>],
        last: &mut Option<u8>,
    ) {
        let seen = &mut *self.seen;
        match choosers {
            [] => {
                seen.nobody += 1;
                *last = None;
            }
            [role] => {
                seen.one += 1;
                if let Some(last) = *last {
                    *seen.after.entry((last, role.0)).or_default() += 1;
                }
                *last = Some(role.0);
                let name = names[role.0 as usize];
                let mut said = vec![false; seen.fluents.len()];
                for row in facts.iter().filter_map(|fact| self.rows.rows.get(fact)?.as_ref()) {
                    if let [value] = row.values[..] {
                        let fits = Some(self.terms.functor(value)) == name && self.terms.args(value).is_empty();
                        said[row.fluent] = fits;
                        seen.fluents[row.fluent].names_chooser &= fits;
                    }
                }
                for (fluent, said) in seen.fluents.iter_mut().zip(said) {
                    fluent.names_chooser &= said;
                    fluent.choosers += u64::from(said);
                }
            }
            _ => {
                *last = None;
                seen.several += u64::from(choosers.len() < roles);
                seen.everybody += u64::from(choosers.len() == roles);
            }
        }
    }

    fn end(&mut self, over: bool, goals: Vec<Option<Goal>>, kept: Vec<Vec<TermId>>, steps: usize) {
        let seen = &mut *self.seen;
        if !self.whole {
            return;
        }
        seen.games += 1;
        seen.steps += steps as u64;
        seen.longest = seen.longest.max(steps);
        if !over {
            seen.cut += 1;
            return;
        }
        seen.ended += 1;
        if let Some(goals) = goals.iter().copied().collect::<Option<Vec<Goal>>>() {
            for facts in kept {
                if seen.samples.len() < MOST_SAMPLES {
                    seen.samples.push(Sample { game: seen.ended, facts, goals: goals.clone() });
                }
            }
        }
        *seen.goals.entry(goals).or_default() += 1;
    }
}

/// Keeps a few positions of a game, each equally likely.
fn remember(kept: &mut Vec<Vec<TermId>>, facts: &[TermId], step: usize, pick: &mut Rng) {
    if kept.len() < SAMPLES_A_GAME {
        kept.push(facts.to_vec());
    } else {
        let at = pick.below(step + 1);
        if at < SAMPLES_A_GAME {
            kept[at] = facts.to_vec();
        }
    }
}

/// Strikes out the sets of columns in which two facts agree.
fn refute_keys(group: &[&[TermId]], seen: &mut FluentObservation) {
    if group.len() < 2 || seen.keys == 0 {
        return;
    }
    let columns = group[0].len();
    let mut parts: Vec<[u32; MOST_COLUMNS]> = Vec::new();
    for set in 0..(1usize << columns) - 1 {
        if seen.keys >> set & 1 == 0 {
            continue;
        }
        parts.clear();
        parts.extend(group.iter().map(|values| {
            let mut part = [0; MOST_COLUMNS];
            (0..columns).filter(|at| set >> at & 1 == 1).for_each(|at| part[at] = values[at].0);
            part
        }));
        parts.sort_unstable();
        if parts.windows(2).any(|pair| pair[0] == pair[1]) {
            seen.keys &= !(1 << set);
        }
    }
}
