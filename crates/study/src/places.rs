//! Which places there are: the combinations of coordinates that the rules can ever put into a fact.
//!
//! Boards are often no rectangles: dark squares, stars, crosses, lines between dots. Random games do not come everywhere, so
//! the rules are asked: places flow from the start through moves and whatever carries them from rule to rule, and
//! relations that never change hold them back. Never too few, sometimes too many.

use crate::adjacent::{self, BoardColumns, Branch, Carriers, FixedRows, Key, branches};
use crate::terms::TermId;
use gdl::{Atom, Clause, Symbol, Term, TermKind};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// A place: its coordinates.
pub(crate) type Place = Vec<TermId>;

/// The most combinations of coordinates that are looked at.
const MOST_PLACES: usize = 4_000;

/// A rule that puts places somewhere, with the places that it still can.
struct Source {
    to: (Key, Vec<usize>),
    /// The places that what never changes allows.
    left: Vec<Place>,
    /// What must have the place already.
    from: Vec<(Key, Vec<usize>)>,
}

/// The places that the facts of a fluent can have in some of its arguments; `None` if these are too many to look at.
pub(crate) fn places(board: &BoardColumns<'_>, tables: &mut FixedRows<'_>) -> Option<BTreeSet<Place>> {
    let all = combinations(board)?;
    let rules = tables.rules;
    let played = |clause: &&Clause| !matches!(clause.head.name, Symbol::BASE | Symbol::INPUT);
    let rules: Vec<Branch<'_>> = rules.clauses.iter().filter(played).flat_map(branches).collect();
    let carriers = adjacent::carriers(board, &rules, tables.fixed);
    let mut sources = Vec::new();
    for rule in &rules {
        let Some((key, args)) = adjacent::sentence(rule.atoms[0]) else { continue };
        for carried in carriers.get(&key).into_iter().flatten() {
            let tuple: Vec<&Term> = carried.iter().map(|&at| &args[at]).collect();
            let left = allowed(&all, &tuple, rule, tables);
            sources.push(Source { to: (key, carried.clone()), left, from: givers(&tuple, rule, &carriers) });
        }
    }
    let mut reached: BTreeMap<(Key, Vec<usize>), BTreeSet<Place>> = BTreeMap::new();
    for (key, carried) in carriers.iter().flat_map(|(key, all)| all.iter().map(move |carried| (*key, carried))) {
        if (key.0 == Symbol::DOES && rules.iter().any(names_no_move))
            || (key.0 == Symbol::TRUE && rules.iter().any(names_no_fact))
        {
            let places = declared(key, carried, &all, tables).unwrap_or_else(|| all.clone());
            reached.insert((key, carried.clone()), places.into_iter().collect());
        }
    }
    let mut grown = true;
    // Sets only grow and are bounded, so this ends.
    while grown {
        grown = false;
        for source in &mut sources {
            let has =
                |place: &Place| source.from.iter().all(|from| reached.get(from).is_some_and(|s| s.contains(place)));
            let (come, left): (Vec<Place>, Vec<Place>) = source.left.drain(..).partition(has);
            source.left = left;
            let known = reached.entry(source.to.clone()).or_default();
            for place in come {
                grown |= known.insert(place);
            }
        }
    }
    reached.remove(&((Symbol::TRUE, board.name, board.arity), board.inputs.clone()))
}

/// Whether a rule says of moves that they are legal without saying which they are: `(legal ?p ?m)`.
fn names_no_move(rule: &Branch<'_>) -> bool {
    let head = rule.atoms[0];
    head.name == Symbol::LEGAL && head.args.get(1).is_some_and(|mv| matches!(mv.kind, TermKind::Var(_)))
}

/// Whether a rule makes facts that it does not name; those that only stay are none.
fn names_no_fact(rule: &Branch<'_>) -> bool {
    let head = rule.atoms[0];
    let fact = head.args.first().map(|fact| &fact.kind);
    let stays =
        rule.holds.iter().any(|held| held.name == Symbol::TRUE && held.args.first().map(|own| &own.kind) == fact);
    head.name == Symbol::NEXT && matches!(fact, Some(TermKind::Var(_))) && !stays
}

/// The places that `base` or `input` declare for facts or moves; `None` where nothing is declared.
fn declared(key: Key, carried: &[usize], all: &[Place], tables: &mut FixedRows<'_>) -> Option<Vec<Place>> {
    let rules = tables.rules;
    let (keyword, at) = if key.0 == Symbol::DOES { (Symbol::INPUT, 1) } else { (Symbol::BASE, 0) };
    let mut found = None;
    for rule in rules.clauses.iter().filter(|clause| clause.head.name == keyword).flat_map(branches) {
        let Some(TermKind::Call(name, args)) = rule.atoms[0].args.get(at).map(|term| &term.kind) else { continue };
        if (*name, args.len()) == (key.1, key.2) {
            let tuple: Vec<&Term> = carried.iter().map(|&at| &args[at]).collect();
            found.get_or_insert_with(Vec::new).extend(allowed(all, &tuple, &rule, tables));
        }
    }
    found
}

fn combinations(board: &BoardColumns<'_>) -> Option<Vec<Place>> {
    let mut all: Vec<Place> = vec![Vec::new()];
    for column in &board.columns {
        if all.len() * column.values.len() > MOST_PLACES {
            return None;
        }
        all = all
            .iter()
            .flat_map(|place| column.values.iter().map(move |&value| place.iter().copied().chain([value]).collect()))
            .collect();
    }
    Some(all)
}

/// The places that the constants of a rule, and the relations in it that never change, allow for these terms.
fn allowed(all: &[Place], tuple: &[&Term], rule: &Branch<'_>, tables: &mut FixedRows<'_>) -> Vec<Place> {
    let constants: Vec<Option<TermId>> = tuple.iter().map(|term| tables.terms.add(term)).collect();
    let mut left: Vec<Place> = all.to_vec();
    let same = |a: usize, b: usize| tuple[a].kind == tuple[b].kind;
    left.retain(|place| {
        let fits = |at: usize| constants[at].is_none_or(|constant| constant == place[at]);
        (0..tuple.len()).all(|at| fits(at) && (0..at).all(|b| !same(at, b) || place[at] == place[b]))
    });
    for atom in &rule.holds {
        let relation = (atom.name, atom.args.len());
        if atom.name.is_keyword() && atom.name != Symbol::ROLE || !tables.fixed.is_fixed(relation) {
            continue;
        }
        // Which coordinates stand where in the relation.
        let at: Vec<(usize, usize)> = (0..tuple.len())
            .filter(|&at| matches!(tuple[at].kind, TermKind::Var(_)))
            .filter_map(|at| Some((at, atom.args.iter().position(|arg| arg.kind == tuple[at].kind)?)))
            .collect();
        if at.is_empty() {
            continue;
        }
        let Some(rows) = tables.get(relation) else { continue };
        let given: Vec<Option<TermId>> = atom.args.iter().map(|arg| tables.terms.add(arg)).collect();
        let fits = |row: &&Vec<TermId>| row.iter().zip(&given).all(|(value, given)| given.is_none_or(|g| g == *value));
        let rows: HashSet<Vec<TermId>> =
            rows.iter().filter(fits).map(|row| at.iter().map(|&(_, column)| row[column]).collect()).collect();
        left.retain(|place| rows.contains(&at.iter().map(|&(at, _)| place[at]).collect::<Vec<TermId>>()));
    }
    left
}

/// The conditions of a rule that carry the same place.
fn givers(tuple: &[&Term], rule: &Branch<'_>, carriers: &Carriers) -> Vec<(Key, Vec<usize>)> {
    let mut givers = Vec::new();
    for (key, args) in rule.holds.iter().filter_map(|atom: &&Atom| adjacent::sentence(atom)) {
        for carried in carriers.get(&key).into_iter().flatten() {
            if carried.iter().zip(tuple).all(|(&at, term)| args[at].kind == term.kind) {
                givers.push((key, carried.clone()));
            }
        }
    }
    givers
}
