//! Which places of a board the rules join: not every relation of places is adjacency, only one by which a rule goes from one
//! place to another.
//!
//! In each rule the terms that stand for places are found: in facts of the board, in moves, and in whatever relation carries
//! places of this board from rule to rule. Where two of them in one rule hang together by relations that never change, those are
//! solved, and give the pairs of places that this rule joins: a *link*. What a board looks like follows from its links.

use crate::fixed::{Fixed, Order, Relation};
use crate::form::{Column, fact};
use crate::terms::{TermId, Terms};
use gdl::{Atom, Clause, Literal, Rules, Symbol, Term, TermKind, Var};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// A place: for each coordinate the number of its value.
type Place = Vec<i32>;
/// The pairs of places that a rule joins, and by how many relations.
#[derive(Default)]
struct Link {
    pairs: BTreeSet<(Place, Place)>,
    relations: usize,
}

/// Variables that stand for a place.
type Tuple = Vec<Var>;
/// A relation, a kind of fact or a kind of move: `true`, `does` or its own name, then name and number of arguments.
pub(crate) type Key = (Symbol, Symbol, usize);
/// Relations with their arguments: a variable by number, or a term.
pub(crate) type Pattern = Vec<(Relation, Vec<Result<usize, TermId>>)>;

/// Rows looked at for one link, and for all links of a board.
const MOST_ROWS: usize = 200_000;
const MOST_ROWS_IN_ALL: usize = 2_000_000;
/// Relations that hang together in one rule, branches of a rule, and ways in which a relation can carry places.
const MOST_RELATIONS: usize = 6;
const MOST_BRANCHES: usize = 16;
const MOST_CARRIED: usize = 8;
/// A rule that speaks of more places than this is about a figure on the board, such as a square, and not about a step.
const MOST_PLACES: usize = 5;
/// No place has more neighbours than this.
const MOST_NEIGHBOURS: usize = 12;

/// A board whose links are looked for.
pub(crate) struct BoardColumns<'a> {
    pub name: Symbol,
    pub arity: usize,
    /// The arguments that are coordinates.
    pub inputs: Vec<usize>,
    /// The columns of the coordinates.
    pub columns: Vec<&'a Column>,
    pub orders: &'a [Order],
}

/// The rows of relations that never change, as far as they were asked for.
pub(crate) struct FixedRows<'a> {
    pub rules: &'a Rules,
    pub fixed: &'a Fixed,
    pub terms: &'a mut Terms,
    pub rows: HashMap<Relation, Option<Rc<Vec<Vec<TermId>>>>>,
}

impl FixedRows<'_> {
    pub fn get(&mut self, relation: Relation) -> Option<Rc<Vec<Vec<TermId>>>> {
        if let Some(rows) = self.rows.get(&relation) {
            return rows.clone();
        }
        let rows = self.fixed.rows(self.rules, self.terms, relation).map(Rc::new);
        self.rows.insert(relation, rows.clone());
        rows
    }
}

/// How the places of a board lie beside each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Neighbourhood {
    /// In words.
    pub what: String,
    /// The steps from a place to its neighbours, where all coordinates have an order; both ways.
    pub steps: Vec<Vec<i32>>,
    /// Places that are beside each other, by their coordinates; both ways, in order.
    pub pairs: Vec<(Vec<TermId>, Vec<TermId>)>,
}

/// A neighbourhood with places by number.
struct Found {
    what: String,
    steps: BTreeSet<Place>,
    pairs: BTreeSet<(Place, Place)>,
}

/// How the places of a board lie beside each other; `None` if no rule tells, or when `more` says no.
pub(crate) fn neighbours(
    board: &BoardColumns<'_>,
    tables: &mut FixedRows<'_>,
    more: &mut dyn FnMut() -> bool,
) -> Option<Neighbourhood> {
    let axes: Vec<Axis> = board.columns.iter().map(|column| Axis::new(column, board.orders)).collect();
    let links = links(board, &axes, tables, more)?;
    let found = if axes.iter().all(|axis| axis.ordered) { lattice(&links, &axes) } else { graph(&links) }?;
    let place = |place: &Place| axes.iter().zip(place).map(|(axis, &at)| axis.values[at as usize]).collect();
    Some(Neighbourhood {
        what: found.what,
        steps: found.steps.into_iter().collect(),
        pairs: found.pairs.iter().map(|(a, b)| (place(a), place(b))).collect(),
    })
}

/// A coordinate: the numbers of its values.
struct Axis {
    values: Vec<TermId>,
    numbers: HashMap<TermId, i32>,
    /// Whether the numbers have a meaning: there is a chain or a circle of the values.
    ordered: bool,
}

impl Axis {
    fn new(column: &Column, orders: &[Order]) -> Axis {
        let is_circle = |order: &&Order| {
            order.circle
                && order.chain.len() == column.values.len()
                && column.values.iter().all(|v| order.chain.contains(v))
        };
        let circle = orders.iter().find(is_circle);
        let values = match circle {
            Some(order) if column.order.is_none() => &order.chain,
            _ => &column.values,
        };
        let numbers = values.iter().copied().zip(0..).collect();
        Axis { values: values.clone(), numbers, ordered: column.order.is_some() || circle.is_some() }
    }
}

/// A sentence as something that can carry places.
pub(crate) fn sentence(atom: &Atom) -> Option<(Key, &[Term])> {
    match atom.name {
        Symbol::INIT | Symbol::TRUE | Symbol::NEXT => {
            fact(atom).map(|(name, args)| ((Symbol::TRUE, name, args.len()), args))
        }
        Symbol::LEGAL | Symbol::DOES => match &atom.args.get(1)?.kind {
            TermKind::Call(name, args) => Some(((Symbol::DOES, *name, args.len()), args)),
            _ => None,
        },
        Symbol::BASE | Symbol::INPUT => None,
        name => Some(((name, name, atom.args.len()), &atom.args)),
    }
}

pub(crate) fn var(term: &Term) -> Option<Var> {
    match term.kind {
        TermKind::Var(var) => Some(var),
        _ => None,
    }
}

/// A rule with one branch of each of its disjunctions.
pub(crate) struct Branch<'a> {
    /// Its head and all its conditions, denied ones too.
    pub atoms: Vec<&'a Atom>,
    /// The conditions that must hold.
    pub holds: Vec<&'a Atom>,
}

pub(crate) fn branches(clause: &Clause) -> Vec<Branch<'_>> {
    let mut found: Vec<Vec<&Literal>> = vec![Vec::new()];
    let mut open: Vec<&Literal> = clause.body.iter().rev().collect();
    while let Some(literal) = open.pop() {
        match literal {
            Literal::And(parts, _) => open.extend(parts.iter().rev()),
            Literal::Or(parts, _) if found.len() * parts.len() <= MOST_BRANCHES => {
                found = found
                    .iter()
                    .flat_map(|sofar| {
                        parts.iter().map(move |part| sofar.iter().copied().chain([part]).collect::<Vec<&Literal>>())
                    })
                    .collect();
            }
            Literal::Or(..) => {}
            other => found.iter_mut().for_each(|sofar| sofar.push(other)),
        }
    }
    found.into_iter().map(|literals| Branch::new(&clause.head, literals)).collect()
}

pub(crate) type Carriers = BTreeMap<Key, BTreeSet<Vec<usize>>>;

impl<'a> Branch<'a> {
    fn new(head: &'a Atom, literals: Vec<&'a Literal>) -> Branch<'a> {
        let mut branch = Branch { atoms: vec![head], holds: Vec::new() };
        for literal in literals {
            literal.for_each_atom(false, &mut |atom, negated| {
                branch.atoms.push(atom);
                if !negated {
                    branch.holds.push(atom);
                }
            });
        }
        branch
    }

    /// The places that this rule speaks of.
    pub fn places(&self, carriers: &Carriers) -> BTreeSet<Tuple> {
        places_of(&self.atoms, carriers)
    }
}

/// The places that some conditions speak of.
pub(crate) fn places_of(atoms: &[&Atom], carriers: &Carriers) -> BTreeSet<Tuple> {
    let mut places = BTreeSet::new();
    for (key, args) in atoms.iter().filter_map(|atom| sentence(atom)) {
        for carried in carriers.get(&key).into_iter().flatten() {
            let place: Option<Tuple> = carried.iter().map(|&at| var(&args[at])).collect();
            places.extend(place);
        }
    }
    places
}

/// As [`carriers`], for all rules of play.
pub(crate) fn all_carriers(board: &BoardColumns<'_>, tables: &FixedRows<'_>) -> Carriers {
    let played = |clause: &&Clause| !matches!(clause.head.name, Symbol::BASE | Symbol::INPUT);
    let rules: Vec<Branch<'_>> = tables.rules.clauses.iter().filter(played).flat_map(branches).collect();
    carriers(board, &rules, tables.fixed)
}

/// The relations that never change and that rules ask about a place of the board and nothing else, in order.
pub(crate) fn asked(board: &BoardColumns<'_>, tables: &FixedRows<'_>) -> BTreeSet<Relation> {
    let played = |clause: &&Clause| !matches!(clause.head.name, Symbol::BASE | Symbol::INPUT | Symbol::INIT);
    let rules: Vec<Branch<'_>> = tables.rules.clauses.iter().filter(played).flat_map(branches).collect();
    let carriers = carriers(board, &rules, tables.fixed);
    let mut asked = BTreeSet::new();
    for rule in &rules {
        let places = rule.places(&carriers);
        for atom in rule.atoms[1..].iter().filter(|atom| tables.fixed.is_fixed((atom.name, atom.args.len()))) {
            let whole: Option<Tuple> = atom.args.iter().map(var).collect();
            if whole.is_some_and(|whole| places.contains(&whole)) {
                asked.insert((atom.name, atom.args.len()));
            }
        }
    }
    asked
}

/// For everything that changes the arguments in which it carries places of the board.
pub(crate) fn carriers(board: &BoardColumns<'_>, rules: &[Branch<'_>], fixed: &Fixed) -> Carriers {
    let own = (Symbol::TRUE, board.name, board.arity);
    let mut carriers: Carriers = BTreeMap::from([(own, BTreeSet::from([board.inputs.clone()]))]);
    let mut grown = true;
    // Sets only grow and are bounded, so this ends.
    while grown {
        grown = false;
        for rule in rules {
            let places = rule.places(&carriers);
            for atom in &rule.atoms {
                let Some((key, args)) = sentence(atom) else { continue };
                if key == own || fixed.is_fixed((atom.name, atom.args.len())) {
                    continue;
                }
                for place in &places {
                    let at = |part: &Var| args.iter().position(|arg| var(arg) == Some(*part));
                    if let Some(carried) = place.iter().map(at).collect::<Option<Vec<usize>>>() {
                        let known = carriers.entry(key).or_default();
                        grown |= known.len() < MOST_CARRIED && known.insert(carried);
                    }
                }
            }
        }
    }
    carriers
}

/// The links of a board, each once; `None` when `more` says no.
fn links(
    board: &BoardColumns<'_>,
    axes: &[Axis],
    tables: &mut FixedRows<'_>,
    more: &mut dyn FnMut() -> bool,
) -> Option<Vec<Link>> {
    let rules = tables.rules;
    let played = |clause: &&Clause| !matches!(clause.head.name, Symbol::BASE | Symbol::INPUT | Symbol::INIT);
    // Things in a row are often compared where goals are counted; on a board with one coordinate only moves and what they
    // change tell.
    let acts = acts(rules);
    let tells = |clause: &&Clause| axes.len() > 1 || acts.contains(&(clause.head.name, clause.head.args.len()));
    let rules: Vec<Branch<'_>> = rules
        .clauses
        .iter()
        .filter(|clause| !clause.body.is_empty() && played(clause) && tells(clause))
        .flat_map(branches)
        .collect();
    let carriers = carriers(board, &rules, tables.fixed);
    let mut done: HashSet<(Pattern, Vec<usize>)> = HashSet::new();
    let mut links = Vec::new();
    let mut left = MOST_ROWS_IN_ALL;
    for rule in &rules {
        let places: Vec<Tuple> = rule.places(&carriers).into_iter().collect();
        let joins: Vec<&Atom> = rule.holds.iter().copied().filter(|atom| joins(atom, tables.fixed)).collect();
        if places.len() > MOST_PLACES {
            continue;
        }
        for (at, from) in places.iter().enumerate() {
            // What joins the two places directly, if that is enough; and with all else that the rule says about it.
            let patterns = places[at + 1..].iter().flat_map(|to| {
                let direct: Vec<&Atom> = joins.iter().copied().filter(|atom| touches(atom, from, to)).collect();
                [pattern(from, to, &direct, tables.terms), pattern(from, to, &joins, tables.terms)]
            });
            for pattern in patterns.flatten().collect::<Vec<_>>() {
                if !done.insert(pattern.clone()) {
                    continue;
                }
                if !more() {
                    return None;
                }
                let mut solve = Solve { tables: &mut *tables, axes, ends: &pattern.1, left: left.min(MOST_ROWS) };
                let before = solve.left;
                let link = solve.link(&pattern.0);
                left -= before - solve.left;
                links.extend(link.filter(|link| !link.pairs.is_empty()));
            }
        }
    }
    Some(links)
}

/// Whether a relation has a coordinate of one place that the other one has not, and the other way round.
fn touches(atom: &Atom, from: &Tuple, to: &Tuple) -> bool {
    let has = |own: &Tuple, other: &Tuple| {
        atom.args.iter().filter_map(var).any(|var| own.contains(&var) && !other.contains(&var))
    };
    has(from, to) && has(to, from)
}

/// The relations that decide about legal moves and next states.
pub(crate) fn acts(rules: &Rules) -> HashSet<Relation> {
    leading(rules, [(Symbol::LEGAL, 2), (Symbol::NEXT, 1)])
}

/// Some relations and all that they depend on in the same state.
pub(crate) fn leading(rules: &Rules, to: [Relation; 2]) -> HashSet<Relation> {
    let mut acts: HashSet<Relation> = HashSet::from(to);
    let mut grown = true;
    while grown {
        grown = false;
        for clause in rules.clauses.iter().filter(|c| !c.body.is_empty()) {
            if acts.contains(&(clause.head.name, clause.head.args.len())) {
                for literal in &clause.body {
                    literal.for_each_atom(false, &mut |atom, _| grown |= acts.insert((atom.name, atom.args.len())));
                }
            }
        }
    }
    acts
}

/// Whether a condition can join places: a relation of two or more things that never changes.
fn joins(atom: &Atom, fixed: &Fixed) -> bool {
    let relation = (atom.name, atom.args.len());
    relation.1 > 1 && !atom.name.is_keyword() && fixed.is_fixed(relation)
}

/// The relations by which two places hang together, and the variables of both, by number; `None` if they do not in some coordinate.
fn pattern(from: &Tuple, to: &Tuple, joins: &[&Atom], terms: &mut Terms) -> Option<(Pattern, Vec<usize>)> {
    let vars = |atom: &Atom| atom.args.iter().filter_map(var).collect::<Vec<Var>>();
    // Whatever can be reached from the coordinates that differ.
    let mut chosen: Vec<usize> = Vec::new();
    for (&a, &b) in from.iter().zip(to).filter(|(a, b)| a != b) {
        let mut reached = vec![a];
        let mut next = 0;
        while let Some(&here) = reached.get(next) {
            next += 1;
            for (at, atom) in joins.iter().enumerate() {
                let vars = vars(atom);
                if vars.contains(&here) {
                    if !chosen.contains(&at) {
                        chosen.push(at);
                    }
                    reached.extend(vars.into_iter().filter(|var| !reached.contains(var)).collect::<BTreeSet<Var>>());
                }
            }
        }
        if !reached.contains(&b) {
            return None;
        }
    }
    if chosen.is_empty() || chosen.len() > MOST_RELATIONS {
        return None;
    }
    chosen.sort_unstable();
    let mut numbers: Vec<Var> = Vec::new();
    let mut number = |var: Var| {
        numbers.iter().position(|&known| known == var).unwrap_or_else(|| {
            numbers.push(var);
            numbers.len() - 1
        })
    };
    let ends: Vec<usize> = from.iter().chain(to).map(|&var| number(var)).collect();
    let mut pattern = Vec::new();
    for at in chosen {
        let atom = joins[at];
        let args: Option<Vec<Result<usize, TermId>>> = atom
            .args
            .iter()
            .map(|arg| match arg.kind {
                TermKind::Var(var) => Some(Ok(number(var))),
                _ => terms.add(arg).map(Err),
            })
            .collect();
        pattern.push(((atom.name, atom.args.len()), args?));
    }
    Some((pattern, ends))
}

/// What the variables of a pattern can be, `most` of them; `None` if more rows than are left would have to be looked at.
pub(crate) fn solutions(
    tables: &mut FixedRows<'_>,
    pattern: &Pattern,
    most: usize,
    left: &mut usize,
) -> Option<Vec<Vec<Option<TermId>>>> {
    let mut rows: Vec<Rc<Vec<Vec<TermId>>>> = Vec::new();
    for (relation, _) in pattern {
        rows.push(tables.get(*relation)?);
    }
    let mut found = Vec::new();
    // Which relations are settled, as bits, and what the variables are.
    let mut open: Vec<(usize, Vec<Option<TermId>>)> = vec![(0, vec![None; most])];
    while let Some((settled, bound)) = open.pop() {
        let unknown = |at: usize| pattern[at].1.iter().flatten().filter(|&&var| bound[var].is_none()).count();
        let next =
            (0..pattern.len()).filter(|at| settled >> at & 1 == 0).min_by_key(|&at| (unknown(at), rows[at].len(), at));
        let Some(next) = next else {
            found.push(bound);
            continue;
        };
        *left = left.checked_sub(rows[next].len())?;
        for row in rows[next].iter() {
            let mut own = bound.clone();
            let fits = pattern[next].1.iter().zip(row).all(|(arg, &value)| match arg {
                Ok(var) => *own[*var].get_or_insert(value) == value,
                Err(term) => *term == value,
            });
            if fits {
                open.push((settled | 1 << next, own));
            }
        }
    }
    Some(found)
}

/// Solves a pattern.
struct Solve<'a, 'b> {
    tables: &'a mut FixedRows<'b>,
    axes: &'a [Axis],
    /// The variables of one place and of the other.
    ends: &'a [usize],
    /// Rows that may still be looked at.
    left: usize,
}

impl Solve<'_, '_> {
    /// The pairs of places; `None` if it is too much work, or if something else than places is joined.
    fn link(&mut self, pattern: &Pattern) -> Option<Link> {
        let most = pattern.iter().flat_map(|(_, args)| args.iter().flatten()).chain(self.ends).max()? + 1;
        let mut link = Link { pairs: BTreeSet::new(), relations: pattern.len() };
        for bound in solutions(self.tables, pattern, most, &mut self.left)? {
            self.add(&bound, &mut link)?;
        }
        Some(link)
    }

    /// Adds what was found; a coordinate that both places share and that nothing decides can be anything.
    fn add(&mut self, bound: &[Option<TermId>], link: &mut Link) -> Option<()> {
        let size = self.axes.len();
        let mut all: Vec<Place> = vec![Vec::new()];
        let mut free: HashMap<usize, usize> = HashMap::new();
        for (at, &end) in self.ends.iter().enumerate() {
            let axis = &self.axes[at % size];
            if let Some(value) = bound[end] {
                let place = *axis.numbers.get(&value)?;
                all.iter_mut().for_each(|sofar| sofar.push(place));
            } else if let Some(&same) = free.get(&end) {
                all.iter_mut().for_each(|sofar| sofar.push(sofar[same]));
            } else {
                free.insert(end, at);
                self.left = self.left.checked_sub(all.len() * axis.numbers.len())?;
                all = all
                    .iter()
                    .flat_map(|sofar| {
                        (0..axis.numbers.len() as i32).map(move |n| sofar.iter().copied().chain([n]).collect())
                    })
                    .collect();
            }
        }
        for mut ends in all {
            let to = ends.split_off(size);
            if ends != to {
                link.pairs.insert((ends, to));
            }
        }
        Some(())
    }
}

/// The steps of a link in both directions, made short where they go round an edge, and which edges those are; `None` if some are
/// long. What goes round an edge is a step that is made inside the board too: the way from the end of a row to the start of
/// the next one is none.
fn short(link: &Link, axes: &[Axis]) -> Option<(BTreeSet<Place>, Vec<bool>)> {
    let step = |a: &Place, b: &Place| a.iter().zip(b).map(|(a, b)| b - a).collect::<Place>();
    let steps: BTreeSet<Place> = link.pairs.iter().flat_map(|(a, b)| [step(a, b), step(b, a)]).collect();
    let mut round = vec![false; axes.len()];
    let mut found = BTreeSet::new();
    for step in &steps {
        let mut own = step.clone();
        for (at, d) in own.iter_mut().enumerate() {
            let size = axes[at].numbers.len() as i32;
            if size > 3 && d.abs() == size - 1 {
                *d = -d.signum();
                round[at] = true;
            }
        }
        found.insert(own);
    }
    let single = |step: &Place| step.iter().all(|d| d.abs() <= 1) && steps.contains(step);
    found.iter().all(single).then_some((found, round))
}

/// A board whose coordinates have an order: the single steps that rules make.
fn lattice(links: &[Link], axes: &[Axis]) -> Option<Found> {
    let mut steps = BTreeSet::new();
    let mut pairs = BTreeSet::new();
    let mut round = vec![false; axes.len()];
    for (link, (own, edges)) in links.iter().filter_map(|link| Some((link, short(link, axes)?))) {
        steps.extend(own);
        pairs.extend(both_ways(link));
        round.iter_mut().zip(edges).for_each(|(round, edge)| *round |= edge);
    }
    if steps.is_empty() {
        let knight = |(a, b): &(Place, Place)| {
            let mut sizes: Vec<i32> = a.iter().zip(b).map(|(a, b)| (a - b).abs()).collect();
            sizes.sort_unstable();
            sizes == [1, 2]
        };
        let leaps: Vec<&Link> = links.iter().filter(|link| link.pairs.iter().all(knight)).collect();
        let pairs: BTreeSet<(Place, Place)> = leaps.into_iter().flat_map(both_ways).collect();
        let steps = pairs.iter().map(|(a, b)| a.iter().zip(b).map(|(a, b)| b - a).collect()).collect();
        return (!pairs.is_empty()).then(|| Found { what: "knight's leaps".to_string(), steps, pairs });
    }
    let straight = steps.iter().filter(|step| step.iter().filter(|d| **d != 0).count() == 1).count();
    let name = match (axes.len(), straight, steps.len() - straight) {
        (1, 2, 0) => "two neighbours".to_string(),
        (2, 4, 0) => "four neighbours".to_string(),
        (2, 4, 2) => "six neighbours: a board of hexagons".to_string(),
        (2, 4, 4) => "eight neighbours".to_string(),
        (2, 0, 4) => "four diagonal neighbours".to_string(),
        (3, 6, 0) => "six neighbours".to_string(),
        _ => format!("{} neighbours", steps.len()),
    };
    let edges = match (&round[..], round.iter().any(|round| *round)) {
        (_, false) => "",
        ([true, false], _) => ", round the sides",
        ([false, true], _) => ", round top and bottom",
        ([true], _) => ", round the ends",
        _ => ", round the edges",
    };
    Some(Found { what: name + edges, steps, pairs })
}

fn both_ways(link: &Link) -> Vec<(Place, Place)> {
    link.pairs.iter().flat_map(|(a, b)| [(a.clone(), b.clone()), (b.clone(), a.clone())]).collect()
}

/// A board whose coordinates have no order: the simplest link by which one can come from any place to any other, that with the fewest
/// relations and then the fewest pairs.
fn graph(links: &[Link]) -> Option<Found> {
    let mut best: Option<((usize, usize), Found)> = None;
    for link in links {
        let mut beside: BTreeMap<&Place, BTreeSet<&Place>> = BTreeMap::new();
        for (a, b) in &link.pairs {
            beside.entry(a).or_default().insert(b);
            beside.entry(b).or_default().insert(a);
        }
        let (fewest, most) = (beside.values().map(BTreeSet::len).min()?, beside.values().map(BTreeSet::len).max()?);
        let pairs: usize = beside.values().map(BTreeSet::len).sum();
        let close = most <= MOST_NEIGHBOURS && 2 * most < beside.len();
        let rank = (link.relations, pairs);
        if close && is_whole(&beside) && best.as_ref().is_none_or(|(least, _)| rank < *least) {
            let range = if fewest == most { most.to_string() } else { format!("{fewest} to {most}") };
            let pairs = both_ways(link).into_iter().collect();
            best = Some((rank, Found { what: format!("{range} neighbours"), steps: BTreeSet::new(), pairs }));
        }
    }
    best.map(|(_, found)| found)
}

/// Whether all places hang together.
fn is_whole(beside: &BTreeMap<&Place, BTreeSet<&Place>>) -> bool {
    let mut open: Vec<&Place> = beside.keys().copied().take(1).collect();
    let mut done: BTreeSet<&Place> = open.iter().copied().collect();
    while let Some(place) = open.pop() {
        for &next in &beside[place] {
            if done.insert(next) {
                open.push(next);
            }
        }
    }
    done.len() == beside.len()
}
