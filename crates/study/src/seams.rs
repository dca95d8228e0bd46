//! What divides a board: blocks of its cells, as in sudoku, and walls that keep things from going from one cell to the next one.
//!
//! Both are read from the rules. A relation that never changes and gives every place one thing more makes blocks. A fact is a wall where rules for moves ask
//! that it does not hold, and what never changes says between which two places it then stands; it stops both ways, so what only occupies a place is none.

use crate::adjacent::{self, BoardColumns, Branch, FixedRows, Pattern, branches, solutions, var};
use crate::fixed::Relation;
use crate::form::fact;
use crate::places::Place;
use crate::terms::{TermId, Terms};
use gdl::{Atom, Clause, Symbol, Term, TermKind, Var};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Rows looked at for one wall.
const MOST_ROWS: usize = 200_000;
/// The most places of a rule, and the most ways that one fact stops.
const MOST_PLACES: usize = 5;
const MOST_STOPPED: usize = 3;
/// The most conditions of a rule that never change.
const MOST_RELATIONS: usize = 12;

/// Facts that stop what would go from one place to another.
pub(crate) struct Barrier {
    /// The name of the facts, and how many arguments they have.
    pub name: Relation,
    /// For the arguments of each fact the pairs of places that it stands between, each once.
    pub between: Between,
}

/// Pairs of places by the arguments of the fact that stands between them.
type Between = BTreeMap<Vec<TermId>, BTreeSet<(Place, Place)>>;

fn played(tables: &FixedRows<'_>) -> Vec<Clause> {
    let is_played = |clause: &&Clause| !matches!(clause.head.name, Symbol::BASE | Symbol::INPUT | Symbol::INIT);
    tables.rules.clauses.iter().filter(is_played).cloned().collect()
}

/// For every relation that gives each place one thing more: the places by that thing.
pub(crate) fn blocks(board: &BoardColumns<'_>, tables: &mut FixedRows<'_>) -> Vec<Vec<BTreeSet<Place>>> {
    let clauses = played(tables);
    let rules: Vec<Branch<'_>> = clauses.iter().flat_map(branches).collect();
    let carriers = adjacent::carriers(board, &rules, tables.fixed);
    let mut asked: BTreeSet<(Relation, Vec<usize>)> = BTreeSet::new();
    for rule in &rules {
        let places = rule.places(&carriers);
        for atom in &rule.atoms[1..] {
            let relation = (atom.name, atom.args.len());
            if relation.1 != board.inputs.len() + 1 || !tables.fixed.is_fixed(relation) {
                continue;
            }
            let at = |part: &Var| atom.args.iter().position(|arg| var(arg) == Some(*part));
            let found = places.iter().filter_map(|place| place.iter().map(at).collect::<Option<Vec<usize>>>());
            asked.extend(found.map(|columns| (relation, columns)));
        }
    }
    let mut found = Vec::new();
    for (relation, columns) in asked {
        let Some(rows) = tables.get(relation) else { continue };
        let Some(more) = (0..relation.1).find(|at| !columns.contains(at)) else { continue };
        let mut blocks: BTreeMap<TermId, BTreeSet<Place>> = BTreeMap::new();
        for row in rows.iter() {
            blocks.entry(row[more]).or_default().insert(columns.iter().map(|&at| row[at]).collect());
        }
        let places: BTreeSet<&Place> = blocks.values().flatten().collect();
        if places.len() == blocks.values().map(BTreeSet::len).sum::<usize>() {
            found.push(blocks.into_values().collect());
        }
    }
    found
}

/// A word of a pattern in the making: a variable by number, or a term.
type Word = Result<usize, TermId>;

/// Numbers for the variables of a rule and of what it leads to.
#[derive(Default)]
struct Numbers {
    known: HashMap<(usize, Var), Word>,
    next: usize,
}

impl Numbers {
    fn word(&mut self, scope: usize, term: &Term, terms: &mut Terms) -> Option<Word> {
        let TermKind::Var(own) = term.kind else { return terms.add(term).map(Err) };
        let next = self.next;
        let word = *self.known.entry((scope, own)).or_insert(Ok(next));
        self.next += usize::from(word == Ok(next));
        Some(word)
    }

    fn words(&mut self, scope: usize, args: &[Term], terms: &mut Terms) -> Option<Vec<Word>> {
        args.iter().map(|arg| self.word(scope, arg, terms)).collect()
    }
}

/// A condition that a rule denies, as one fact and what never changes; `None` if it is something else.
struct Denied {
    name: Relation,
    args: Vec<Word>,
    fixed: Pattern,
}

/// The facts of other fluents that keep things on this board from a step.
pub(crate) fn barriers(board: &BoardColumns<'_>, tables: &mut FixedRows<'_>) -> Vec<Barrier> {
    let clauses = played(tables);
    let acts = adjacent::acts(tables.rules);
    let acting = clauses.iter().filter(|clause| acts.contains(&(clause.head.name, clause.head.args.len())));
    let rules: Vec<Branch<'_>> = acting.filter(|clause| !clause.body.is_empty()).flat_map(branches).collect();
    let carriers = adjacent::carriers(board, &rules, tables.fixed);
    let mut stopped: BTreeMap<Relation, Between> = BTreeMap::new();
    for rule in &rules {
        let places: Vec<Vec<Var>> = rule.places(&carriers).into_iter().collect();
        if places.len() < 2 || places.len() > MOST_PLACES {
            continue;
        }
        // A step begins where something is.
        let begins = adjacent::places_of(&rule.holds, &carriers);
        let denied = rule.atoms[1..].iter().filter(|atom| !rule.holds.iter().any(|held| std::ptr::eq(*held, **atom)));
        for atom in denied {
            for definition in definitions(atom, &clauses) {
                let mut numbers = Numbers::default();
                let Some(denied) = read(atom, definition.as_ref(), &mut numbers, board, tables) else { continue };
                let pairs = begins.iter().flat_map(|from| places.iter().map(move |to| (from, to)));
                for (from, to) in pairs.filter(|(from, to)| from != to) {
                    for (args, pair) in stops(rule, &denied, (from, to), &mut numbers, board, tables) {
                        stopped.entry(denied.name).or_default().entry(args).or_default().insert(pair);
                    }
                }
            }
        }
    }
    let both_ways = |pairs: &BTreeSet<(Place, Place)>| {
        pairs.len() <= 2 * MOST_STOPPED && pairs.iter().all(|(a, b)| pairs.contains(&(b.clone(), a.clone())))
    };
    let walls = stopped.into_iter().filter(|(_, facts)| facts.values().all(both_ways));
    let once = |pairs: BTreeSet<(Place, Place)>| pairs.into_iter().filter(|(a, b)| a < b).collect();
    walls
        .map(|(name, facts)| {
            let between = facts.into_iter().map(|(args, pairs)| (args, once(pairs))).collect();
            Barrier { name, between }
        })
        .collect()
}

/// The rules by which a condition can hold; a fact holds by itself.
fn definitions<'a>(atom: &Atom, clauses: &'a [Clause]) -> Vec<Option<Branch<'a>>> {
    if atom.name == Symbol::TRUE {
        return vec![None];
    }
    let heads = clauses.iter().filter(|clause| clause.head.name == atom.name);
    heads.filter(|clause| clause.head.args.len() == atom.args.len()).flat_map(branches).map(Some).collect()
}

fn read(
    atom: &Atom,
    definition: Option<&Branch<'_>>,
    numbers: &mut Numbers,
    board: &BoardColumns<'_>,
    tables: &mut FixedRows<'_>,
) -> Option<Denied> {
    let of = |atom: &Atom, scope: usize, numbers: &mut Numbers, terms: &mut Terms| {
        let (name, args) = fact(atom)?;
        let is_other = (name, args.len()) != (board.name, board.arity);
        is_other.then_some(((name, args.len()), numbers.words(scope, args, terms)?))
    };
    let Some(rule) = definition else {
        let (name, args) = of(atom, 0, numbers, tables.terms)?;
        return Some(Denied { name, args, fixed: Vec::new() });
    };
    if rule.holds.len() + 1 != rule.atoms.len() {
        return None;
    }
    // What the head says in its variables, the condition says in its own words.
    for (inner, outer) in rule.atoms[0].args.iter().zip(&atom.args) {
        let outer = numbers.word(0, outer, tables.terms)?;
        let known = var(inner).map(|own| *numbers.known.entry((1, own)).or_insert(outer));
        let same = match known {
            Some(known) => known == outer,
            None => tables.terms.add(inner).map(Err) == Some(outer),
        };
        if !same {
            return None;
        }
    }
    let (facts, rest): (Vec<&Atom>, Vec<&Atom>) = rule.holds.iter().partition(|atom| atom.name == Symbol::TRUE);
    let [only] = facts[..] else { return None };
    let (name, args) = of(only, 1, numbers, tables.terms)?;
    let mut fixed = Vec::new();
    for atom in rest {
        let relation = (atom.name, atom.args.len());
        if atom.name.is_keyword() || !tables.fixed.is_fixed(relation) {
            return None;
        }
        fixed.push((relation, numbers.words(1, &atom.args, tables.terms)?));
    }
    Some(Denied { name, args, fixed })
}

type Stop = (Vec<TermId>, (Place, Place));

/// The facts by which a rule is stopped, each with the step that it would have been.
fn stops(
    rule: &Branch<'_>,
    denied: &Denied,
    (from, to): (&[Var], &[Var]),
    numbers: &mut Numbers,
    board: &BoardColumns<'_>,
    tables: &mut FixedRows<'_>,
) -> Vec<Stop> {
    let mut pattern = denied.fixed.clone();
    for atom in &rule.holds {
        let relation = (atom.name, atom.args.len());
        if !atom.name.is_keyword() && relation.1 > 0 && tables.fixed.is_fixed(relation) {
            let Some(words) = numbers.words(0, &atom.args, tables.terms) else { return Vec::new() };
            pattern.push((relation, words));
        }
    }
    if pattern.len() > MOST_RELATIONS {
        return Vec::new();
    }
    let place = |vars: &[Var]| -> Vec<Word> {
        let term = |own: &Var| numbers.known.get(&(0, *own)).copied();
        vars.iter().map(|own| term(own).unwrap_or(Ok(usize::MAX))).collect()
    };
    let (from, to) = (place(from), place(to));
    let mut left = MOST_ROWS;
    let Some(found) = solutions(tables, &pattern, numbers.next, &mut left) else { return Vec::new() };
    let value = |word: &Word, bound: &[Option<TermId>]| match word {
        Ok(number) => bound.get(*number).copied().flatten(),
        Err(term) => Some(*term),
    };
    let is_place = |place: &Place| board.columns.iter().zip(place).all(|(column, value)| column.values.contains(value));
    let mut stops = Vec::new();
    for bound in found {
        let all = |words: &[Word]| words.iter().map(|word| value(word, &bound)).collect::<Option<Vec<TermId>>>();
        if let (Some(args), Some(from), Some(to)) = (all(&denied.args), all(&from), all(&to))
            && from != to
            && is_place(&from)
            && is_place(&to)
        {
            stops.push((args, (from, to)));
        }
    }
    stops
}
