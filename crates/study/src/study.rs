//! The study of one game: first the form of its rules, then what random play shows, then evaluators.

use crate::evaluate::{At, Distances, Learned, Linear, Mobility, NamedEvaluator, Range, Side, SoftGoal};
use crate::feature::{self, Feature, Measure, Piece};
use crate::findings::Evidence;
use crate::fixed::{Fixed, Order};
use crate::form::{self, Counter, Fluent, Lasting, Ticks};
use crate::goal::{self, Formula, Part, Source, Unmeasured};
use crate::learn::{self, Given, Model};
use crate::observe::{FEWEST_STATES, Observation, Observer, Row, Rows, split};
use crate::prove::{Invariant, prove};
use crate::structure::{self, FluentKind, Structure};
use crate::survey::BoardGraph;
use crate::terms::{TermId, Terms};
use crate::types::Types;
use game::{Facts, Limit, Role};
use gdl::{Rules, Symbol, Symbols, TermKind};
use std::sync::Arc;

/// What is known of a game: the one result of a study, made by [`Study::run`].
///
/// [`findings`](Study::findings) tells it as data, [`evaluators`](Study::evaluators) gives values of states for a search,
/// [`symmetries`](Study::symmetries) and [`fact_groups`](Study::fact_groups) are in the numbers of an engine.
pub struct Study {
    pub(crate) rules: Rules,
    pub(crate) terms: Terms,
    pub(crate) fixed: Fixed,
    pub(crate) orders: Vec<Order>,
    pub(crate) fluents: Vec<Fluent>,
    pub(crate) counters: Vec<Counter>,
    pub(crate) lasting: Vec<Lasting>,
    pub(crate) start: Vec<Row>,
    pub(crate) roles: Vec<TermId>,
    pub(crate) seen: Observation,
    pub(crate) structures: Vec<Structure>,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) features: Vec<Feature>,
    pub(crate) model: Option<Model>,
    pub(crate) known: Vec<TermId>,
    pub(crate) proved: Vec<Invariant>,
    pub(crate) graphs: Vec<BoardGraph>,
    /// The conditions of the goals written out, or why that cannot be; `None` before it was tried.
    pub(crate) formula: Option<Result<Formula, Unmeasured>>,
    pub(crate) types: Types,
    /// The limit that the engine reached while it was observed.
    pub(crate) limit: Option<Limit>,
}

/// Says yes this many times, and then what `more` says.
fn at_least(mut fewest: u64, more: &mut dyn FnMut() -> bool) -> impl FnMut() -> bool {
    move || {
        let needed = fewest > 0;
        fewest = fewest.saturating_sub(1);
        needed || more()
    }
}

/// The most facts of a fluent that are listed from what can stand in its columns.
const MOST_FACTS: usize = 40_000;
/// The most features that a model is fitted to.
const MOST_FITTED: usize = 160;

impl Study {
    /// Looks at the form of the rules; nothing is played.
    pub(crate) fn new(rules: &Rules) -> Study {
        let mut terms = Terms::default();
        // Names get their numbers in the order of the rules, so that nothing can depend on their spelling.
        for symbol in 0..rules.symbols.len() as u32 {
            terms.intern(Symbol(symbol), Vec::new());
        }
        let fixed = Fixed::new(rules, &mut terms);
        let orders = fixed.orders();
        let types = Types::new(rules);
        let fluents = form::fluents(rules, &types, &orders, &mut terms);
        let counters = form::counters(rules, &fixed, &orders, &fluents);
        let lasting = form::lasting(rules, &fluents, &mut terms);
        let roles: Vec<TermId> = rules.roles().into_iter().map(|role| terms.intern(role, Vec::new())).collect();
        let seen = Observation::new(&fluents, roles.len());
        let mut study = Study {
            rules: rules.clone(),
            terms,
            fixed,
            orders,
            fluents,
            counters,
            lasting,
            start: Vec::new(),
            roles,
            seen,
            structures: Vec::new(),
            pieces: Vec::new(),
            features: Vec::new(),
            model: None,
            known: Vec::new(),
            proved: Vec::new(),
            graphs: Vec::new(),
            formula: None,
            types,
            limit: None,
        };
        study.settle();
        study
    }

    /// Plays random games and strikes out what they refute, until `more` says no. May be called again, with the same game or another
    /// engine of it.
    ///
    /// # Errors
    /// When the engine reaches a limit; what was seen until then counts.
    pub(crate) fn watch<G: Facts>(&mut self, game: &G, seed: u64, more: &mut dyn FnMut() -> bool) -> Result<(), Limit> {
        if self.seen.choices.len() < game.roles() {
            self.seen.choices.resize(game.roles(), crate::observe::Choices::default());
            self.seen.forced.resize(game.roles(), Default::default());
        }
        let result = self.observe(game, seed, more, true);
        if self.start.is_empty() {
            for text in game.facts(&game.start()) {
                let row =
                    self.terms.read(&text, &self.rules.symbols).and_then(|id| split(id, &self.terms, &self.fluents));
                self.start.extend(row);
            }
            self.start.sort_by(|a, b| {
                let order = a.values.iter().zip(&b.values).map(|(&a, &b)| self.terms.compare(a, b));
                a.fluent
                    .cmp(&b.fluent)
                    .then_with(|| order.into_iter().find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal))
            });
        }
        self.settle();
        result
    }

    /// As [`watch`](Study::watch), at least [`FEWEST_STATES`] states, for a game without its counters ([`uncounted`](Study::uncounted)): games that would have ended go on,
    /// and tell more about fluents; goals, turns and what is learned are left as they are.
    ///
    /// # Errors
    /// When the engine reaches a limit.
    pub(crate) fn watch_uncounted<G: Facts>(
        &mut self,
        game: &G,
        seed: u64,
        more: &mut dyn FnMut() -> bool,
    ) -> Result<(), Limit> {
        let counts: Vec<_> = self.counters.iter().map(|c| (c.fluent, self.seen.fluents[c.fluent].clone())).collect();
        let result = self.observe(game, seed, &mut at_least(FEWEST_STATES, more), false);
        // A counter that is left out is not a fluent that was never true.
        for (fluent, seen) in counts {
            self.seen.fluents[fluent] = seen;
        }
        self.settle();
        result
    }

    fn observe<G: Facts>(
        &mut self,
        game: &G,
        seed: u64,
        more: &mut dyn FnMut() -> bool,
        whole: bool,
    ) -> Result<(), Limit> {
        let Study { rules, terms, fluents, seen, known, .. } = self;
        let mut watch = Observer { terms, symbols: &rules.symbols, fluents, seen, rows: Rows::default(), whole };
        let result = watch.run(game, seed, more);
        let met = watch.rows.facts();
        known.extend(met);
        known.sort_by(|&a, &b| terms.compare(a, b));
        known.dedup();
        result
    }

    /// Works out structures and features from what is known now.
    fn settle(&mut self) {
        structure::refine(&mut self.fluents, &self.orders, &self.seen, &self.roles);
        let start: Vec<(usize, Vec<TermId>)> = self.start.iter().map(|row| (row.fluent, row.values.clone())).collect();
        self.structures = structure::structures(&self.fluents, &self.counters, &self.seen, &start);
        self.pieces = feature::pieces(&self.fluents, &self.structures, &self.seen);
        let ticking = self.ticking();
        self.features = feature::features(&self.fluents, &self.structures, &self.pieces, &self.seen, &ticking);
        self.model = None;
        self.formula = None;
        self.proved.clear();
        self.graphs.clear();
    }

    /// Tries to prove by induction what random play has left standing: argument modes, and pieces that are in one place at a
    /// time. `effort` bounds the work; 10,000 takes well below a second, and is enough for most games.
    pub(crate) fn prove(&mut self, effort: usize) {
        if self.start.is_empty() {
            return;
        }
        let wanted = self.invariants();
        let kept = prove(&self.rules, &self.fixed, &self.fluents, &self.start, &self.terms, &wanted, effort);
        self.proved = wanted.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(invariant, _)| invariant).collect();
    }

    /// What random play has left standing: argument modes, and pieces that are in one place at a time.
    pub(crate) fn invariants(&self) -> Vec<Invariant> {
        let mut invariants = Vec::new();
        for structure in self.structures.iter().filter(|structure| !structure.outputs.is_empty()) {
            invariants.push(self.modes_of(structure));
            let pieces = structure.pieces.iter();
            invariants.extend(pieces.map(|&piece| Invariant::of_piece(structure, piece)));
        }
        invariants
    }

    /// How an invariant is known.
    pub(crate) fn evidence(&self, invariant: &Invariant) -> Evidence {
        let proved = self.proved.contains(invariant);
        if proved { Evidence::Proved } else { Evidence::Seen(self.seen.tested) }
    }

    /// What the argument modes of a structure say.
    pub(crate) fn modes_of(&self, structure: &Structure) -> Invariant {
        let key = structure.inputs.iter().map(|at| 1 << at).sum();
        Invariant { fluent: structure.fluent, key, fixed: Vec::new() }
    }

    /// Learns weights of facts from the games seen, where enough was seen, and writes out the conditions of goals, where
    /// the rules allow it, as long as `more` says yes, which is asked now and then: what was not finished by then is left
    /// out.
    pub(crate) fn learn(&mut self, more: &mut dyn FnMut() -> bool) {
        let Study { rules, fixed, fluents, types, roles, terms, .. } = self;
        let source = Source { rules, fixed, fluents, types };
        self.formula = Some(goal::formula(source, roles, terms, more));
        let linear = self.linear();
        let ticking = self.ticking();
        let given = Given { features: &linear, fluents: &self.fluents, terms: &self.terms, skip: &ticking };
        self.model = learn::learn(&self.seen.samples, &given, more);
    }

    /// The fluents of counters that go on with every move, by form or as far as was seen. A score is none of them: it
    /// goes on with some moves, and is worth knowing.
    fn ticking(&self) -> Vec<usize> {
        let ticks = |counter: &&form::Counter| {
            let seen = &self.seen.fluents[counter.fluent];
            match counter.ticks {
                Ticks::Always => true,
                Ticks::Resets => false,
                Ticks::Sometimes => seen.moves > 0 && seen.still == 0,
            }
        };
        self.counters.iter().filter(ticks).map(|counter| counter.fluent).collect()
    }

    /// What the conditions of goals are written out from.
    #[cfg(test)]
    pub(crate) fn source(&self) -> Source<'_> {
        Source { rules: &self.rules, fixed: &self.fixed, fluents: &self.fluents, types: &self.types }
    }

    /// The features that are sums over facts, as many as a model is fitted to.
    fn linear(&self) -> Vec<Feature> {
        let linear = self.features.iter().filter(|f| !matches!(f.what, Measure::Distance(..) | Measure::Distances));
        linear.take(MOST_FITTED).cloned().collect()
    }

    /// The roles that share their goals with this one, as far as was seen; always itself.
    pub fn team(&self, role: Role) -> Vec<Role> {
        let me = role.0 as usize;
        let goals = &self.seen.goals;
        let own = |goals: &Vec<Option<u8>>| goals.get(me).copied();
        // Roles whose goals never changed have not shown on whose side they are.
        let varied = goals.keys().any(|other| Some(own(other)) != goals.keys().next().map(own));
        let agrees = |other: usize| {
            self.seen.ended >= 5 && varied && goals.keys().all(|goals| goals.get(me) == goals.get(other))
        };
        (0..self.roles.len()).filter(|&other| other == me || agrees(other)).map(|other| Role(other as u8)).collect()
    }

    /// The least and the greatest goal that the rules mention for a role.
    pub fn goals(&self, role: Role) -> (u8, u8) {
        let Range { low, high } = self.range(role.0 as usize);
        (low as u8, high as u8)
    }

    pub(crate) fn range(&self, role: usize) -> Range {
        let mut values: Vec<u8> = Vec::new();
        for clause in self.rules.clauses.iter().filter(|clause| clause.head.name == Symbol::GOAL) {
            let [who, value] = &clause.head.args[..] else { continue };
            let other = matches!(who.kind, TermKind::Name(name) if self.roles.get(role).is_some_and(|&me| self.terms.functor(me) != name));
            match &value.kind {
                TermKind::Name(_) if other => {}
                TermKind::Name(name) => values.extend(self.rules.symbols.name(*name).parse::<u8>().ok()),
                _ => values.extend([0, 100]),
            }
        }
        let (low, high) = (values.iter().min().copied().unwrap_or(0), values.iter().max().copied().unwrap_or(100));
        Range { low: f32::from(low), high: f32::from(high.max(low)) }
    }

    /// The rules without the counters that do nothing but end the game; `None` if there are none.
    pub fn uncounted(&self) -> Option<Rules> {
        form::without_counters(&self.rules, &self.fluents, &self.counters)
    }

    /// The facts of counters that may be left out before the value of a state is kept, by number.
    pub fn projection<G: Facts>(&self, game: &G) -> Vec<u32> {
        let out: Vec<usize> = self.counters.iter().filter(|c| c.leaves_out()).map(|c| c.fluent).collect();
        let mut facts: Vec<u32> = self
            .atlas(game)
            .into_iter()
            .filter(|(_, _, row)| out.contains(&row.fluent))
            .map(|(fact, ..)| fact)
            .collect();
        facts.sort_unstable();
        facts
    }

    /// A fact whose columns are its arguments, in canonical KIF.
    pub(crate) fn fact_text(&self, row: &Row) -> String {
        let name = self.rules.symbols.name(self.fluents[row.fluent].name);
        let words: Vec<String> = row.values.iter().map(|&value| self.text(value)).collect();
        if words.is_empty() { name.to_string() } else { format!("({name} {})", words.join(" ")) }
    }

    /// The facts that can be true: number, term if it was seen, and the fact taken apart.
    pub(crate) fn atlas<G: Facts>(&self, game: &G) -> Vec<(u32, Option<TermId>, Row)> {
        let mut atlas = Vec::new();
        let mut done = std::collections::HashSet::new();
        for &id in &self.known {
            let text = self.terms.text(id, &self.rules.symbols);
            if let (Some(fact), Some(row)) = (game.fact(&text), split(id, &self.terms, &self.fluents))
                && done.insert(fact)
            {
                atlas.push((fact, Some(id), row));
            }
        }
        for (number, fluent) in self.fluents.iter().enumerate() {
            let count: usize = fluent.columns.iter().map(|column| column.values.len()).product();
            if fluent.columns.iter().any(|column| column.path.len() > 1) || count > MOST_FACTS {
                continue;
            }
            for at in 0..count {
                let mut rest = at;
                let values: Vec<TermId> = fluent
                    .columns
                    .iter()
                    .map(|column| {
                        let value = column.values[rest % column.values.len()];
                        rest /= column.values.len();
                        value
                    })
                    .collect();
                let row = Row { fluent: number, values };
                if let Some(fact) = game.fact(&self.fact_text(&row)).filter(|fact| done.insert(*fact)) {
                    atlas.push((fact, None, row));
                }
            }
        }
        atlas
    }

    /// The evaluators of a game for a role: each feature maximised and
    /// minimised, `mobility`, `goal` (how much of its condition holds), and what was `learned`, as far as there are such.
    pub fn evaluators<G: Facts>(&self, game: &G, role: Role) -> Vec<NamedEvaluator<G>> {
        let atlas = self.atlas(game);
        let size = atlas.iter().map(|entry| entry.0 as usize + 1).max().unwrap_or(0);
        let team = self.team(role);
        let ours = game::roles(game).map(|other| team.contains(&other)).collect();
        let side = Side { range: self.range(role.0 as usize), ours };
        let mut all: Vec<NamedEvaluator<G>> = Vec::new();
        let mut names = self.evaluator_names(&self.rules.symbols).into_iter();
        let mut add = |evaluator| all.extend(names.next().map(|name| NamedEvaluator { name, evaluator }));
        for feature in &self.features {
            for least in [false, true] {
                let evaluator: Arc<dyn game::Evaluator<G>> = match feature.what {
                    Measure::Distance(a, b) => {
                        Arc::new(self.distances(&atlas, size, &[(a as u8, b as u8)], least, side.clone()))
                    }
                    Measure::Distances => Arc::new(self.distances(&atlas, size, &self.pairs(), least, side.clone())),
                    _ => Arc::new(self.weigh(feature, &atlas, size, least, side.clone())),
                };
                add(evaluator);
            }
        }
        let ranges: Vec<Range> = (0..game.roles()).map(|role| self.range(role)).collect();
        let (moves, states) =
            self.seen.choices.iter().fold((0, 0), |(moves, states), c| (moves + c.moves, states + c.states));
        let usual = moves as f32 / states.max(1) as f32 + 1.0;
        for few in [false, true] {
            add(Arc::new(Mobility { ranges: ranges.clone(), usual, few }));
        }
        if let Some(Ok(formula)) = &self.formula {
            let fact = |part: &Part| match part {
                Part::Fact(id) => game.fact(&self.text(*id)),
                _ => None,
            };
            let facts: Vec<Option<u32>> = formula.parts.iter().map(fact).collect();
            let size = facts.iter().flatten().max().map_or(0, |&fact| fact as usize + 1);
            add(Arc::new(SoftGoal { ranges: ranges.clone(), formula: formula.clone(), facts, size }));
        }
        if let Some(learned) = self.learned(&atlas, size, &ranges) {
            add(Arc::new(learned));
        }
        all
    }

    /// The facts that the greatest goal of a role asks for, by number: all that its condition names and does not deny. Empty where the
    /// condition was not written out.
    pub fn goal_facts<G: Facts>(&self, game: &G, role: Role) -> Vec<u32> {
        let Some(Ok(formula)) = &self.formula else { return Vec::new() };
        let Some(&(_, top)) = formula.goals.get(role.0 as usize).and_then(|goals| goals.last()) else {
            return Vec::new();
        };
        // Parts come after what they are made of, so one way down sees all.
        let mut wanted = vec![false; formula.parts.len()];
        wanted[top as usize] = true;
        let mut facts = Vec::new();
        for (at, part) in formula.parts.iter().enumerate().rev().filter(|(at, _)| *at <= top as usize) {
            match part {
                Part::Fact(id) if wanted[at] => facts.extend(game.fact(&self.text(*id))),
                Part::And(inner) | Part::Or(inner) if wanted[at] => {
                    inner.iter().for_each(|&part| wanted[part as usize] = true);
                }
                _ => {}
            }
        }
        facts.sort_unstable();
        facts
    }

    /// The names of the evaluators, in the order of [`evaluators`](Study::evaluators).
    pub(crate) fn evaluator_names(&self, symbols: &Symbols) -> Vec<String> {
        let features = self.features.iter().flat_map(|feature| {
            let name = feature.name(&self.fluents, &self.pieces, &self.terms, symbols);
            ["max", "min"].map(|word| format!("{word} {name}"))
        });
        let goal = matches!(self.formula, Some(Ok(_))).then_some("goal");
        let learned = self.model.is_some().then_some("learned");
        let others = ["max mobility", "min mobility"].into_iter().chain(goal).chain(learned);
        features.chain(others.map(str::to_string)).collect()
    }

    fn weigh(
        &self,
        feature: &Feature,
        atlas: &[(u32, Option<TermId>, Row)],
        size: usize,
        least: bool,
        side: Side,
    ) -> Linear {
        let mut weights = vec![0.0; size];
        // A piece that is gone has neither a great nor a small coordinate: both are worth nothing then.
        let turned = least && feature.what == Measure::Coordinate;
        for (fact, _, row) in atlas {
            if let Some(raw) = feature.raw(row, &self.fluents) {
                let v = if turned { 1.0 - raw } else { raw } / feature.scale;
                weights[*fact as usize] = if least && !turned { -v } else { v };
            }
        }
        Linear { side, base: if least && !turned { 1.0 } else { 0.0 }, weights }
    }

    fn pairs(&self) -> Vec<(u8, u8)> {
        let pair = |f: &Feature| match f.what {
            Measure::Distance(a, b) => Some((a as u8, b as u8)),
            _ => None,
        };
        self.features.iter().filter_map(pair).collect()
    }

    fn distances(
        &self,
        atlas: &[(u32, Option<TermId>, Row)],
        size: usize,
        pairs: &[(u8, u8)],
        near: bool,
        side: Side,
    ) -> Distances {
        let mut at = vec![None; size];
        let mut longest = 1;
        for (number, piece) in self.pieces.iter().enumerate().take(16) {
            let columns = &self.fluents[piece.fluent].columns;
            let steps: usize = piece.coordinates.iter().map(|&at| columns[at].values.len() - 1).sum();
            longest = longest.max(steps);
            for (fact, _, row) in atlas {
                if row.fluent != piece.fluent || piece.fixed.iter().any(|&(at, value)| row.values[at] != value) {
                    continue;
                }
                let mut place = [0i16; 3];
                for (slot, &column) in place.iter_mut().zip(&piece.coordinates) {
                    let found = columns[column].values.iter().position(|&value| value == row.values[column]);
                    *slot = found.unwrap_or(0) as i16;
                }
                at[*fact as usize] = Some(At { piece: number as u8, place });
            }
        }
        Distances { side, at, pairs: pairs.to_vec(), longest: longest as f32, near }
    }

    fn learned(&self, atlas: &[(u32, Option<TermId>, Row)], size: usize, ranges: &[Range]) -> Option<Learned> {
        let model = self.model.as_ref()?;
        let linear = self.linear();
        let mut weights = vec![vec![0.0; size]; ranges.len()];
        for (fact, id, row) in atlas {
            for (feature, at) in linear.iter().zip(0..) {
                if let Some(raw) = feature.raw(row, &self.fluents) {
                    for (role, weights) in weights.iter_mut().enumerate() {
                        weights[*fact as usize] += raw / feature.scale * model.features[role][at];
                    }
                }
            }
            if let Some(own) = id.and_then(|id| model.facts.get(&id)) {
                weights.iter_mut().zip(own).for_each(|(weights, own)| weights[*fact as usize] += own);
            }
        }
        Some(Learned { ranges: ranges.to_vec(), bases: model.bases.clone(), weights })
    }

    /// The boards among the structures.
    pub(crate) fn boards(&self) -> impl Iterator<Item = &Structure> + '_ {
        self.structures.iter().filter(|structure| structure.kind == FluentKind::Board)
    }

    /// A term in canonical KIF.
    pub(crate) fn text(&self, id: TermId) -> String {
        self.terms.text(id, &self.rules.symbols)
    }
}
