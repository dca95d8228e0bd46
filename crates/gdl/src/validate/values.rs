//! Which constants can stand where. A place is an argument of a relation, a fluent or a move; what can stand there is
//! what heads put there, and what their variables can be. A condition that asks for anything else never holds.
//!
//! All of it errs on the side of silence: whatever is not understood can be anything.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::similar::Candidates;
use super::{PROBLEM_BYTES, cut, for_each_atom, is_connective, shown};
use crate::limits::{Meter, Unfinished};
use crate::problem::{Problem, Span};
use crate::rules::{Atom, Clause, Literal, Rules, Term, TermKind, Var};
use crate::symbol::{Symbol, fold};

/// Whose argument it is. `true`, `init` and `next` speak of the same fluents, `legal` and `does` of the same moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Of {
    Relation,
    Fluent,
    Move,
}

/// A name with its number of arguments.
type Functor = (Symbol, usize);

/// The argument of this number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Place {
    Argument(Of, Functor, usize),
    Role,
}

/// What can stand at a place.
#[derive(Default)]
struct Domain {
    /// Constants, and functions by their name and number of arguments.
    values: BTreeSet<Functor>,
    any: bool,
}

/// How much is compared before the check gives up, so that it takes time about linear in the rules.
const EFFORT: usize = 4_000_000;

pub(super) fn check(rules: &Rules, problems: &mut Vec<Problem>, meter: &mut Meter<'_>) -> Result<(), Unfinished> {
    let Some(known) = Known::new(rules, meter)? else { return Ok(()) };
    let mut told =
        Told { rules, known: &known, problems, seen: HashSet::new(), lonely: lonely(rules, meter)?, left: 1_000_000 };
    for clause in &rules.clauses {
        let before = told.problems.len();
        told.clause(clause);
        meter.step((told.problems.len() - before) * PROBLEM_BYTES)?;
    }
    Ok(())
}

/// The term's outermost name; `None` for a variable.
fn functor(term: &Term) -> Option<Functor> {
    match &term.kind {
        TermKind::Var(_) => None,
        TermKind::Name(name) => Some((*name, 0)),
        TermKind::Call(name, args) => Some((*name, args.len())),
    }
}

/// The places of a sentence with what stands there.
fn places(atom: &Atom) -> Vec<(Place, &Term)> {
    let inside = |of: Of, term: &'_ Term| -> Vec<(Place, usize)> {
        let Some((name, arity)) = functor(term) else { return Vec::new() };
        (0..arity).map(|at| (Place::Argument(of, (name, arity), at), at)).collect()
    };
    fn args(term: &Term) -> &[Term] {
        match &term.kind {
            TermKind::Call(_, args) => args,
            TermKind::Var(_) | TermKind::Name(_) => &[],
        }
    }
    match (atom.name, &atom.args[..]) {
        (Symbol::TRUE | Symbol::INIT | Symbol::NEXT, [fluent]) => {
            inside(Of::Fluent, fluent).into_iter().map(|(place, at)| (place, &args(fluent)[at])).collect()
        }
        (Symbol::DOES | Symbol::LEGAL, [role, step]) => {
            let inside = inside(Of::Move, step).into_iter().map(|(place, at)| (place, &args(step)[at]));
            std::iter::once((Place::Role, role)).chain(inside).collect()
        }
        (Symbol::GOAL, [role, _]) | (Symbol::ROLE, [role]) => vec![(Place::Role, role)],
        (name, _) if name.is_keyword() => Vec::new(),
        (name, terms) => terms
            .iter()
            .enumerate()
            .map(|(at, term)| (Place::Argument(Of::Relation, (name, terms.len()), at), term))
            .collect(),
    }
}

/// What can be where in these rules.
struct Known {
    domains: BTreeMap<Place, Domain>,
    /// The fluents of `init` and `next`; `None` if a variable stands for a fluent there.
    fluents: Option<BTreeSet<Functor>>,
    /// The moves of `legal`, in the same way.
    moves: Option<BTreeSet<Functor>>,
}

/// A variable in a head: what is at this place was at all of those.
struct Passing {
    to: Place,
    from: Vec<Place>,
}

impl Known {
    fn new(rules: &Rules, meter: &mut Meter<'_>) -> Result<Option<Known>, Unfinished> {
        let mut known =
            Known { domains: BTreeMap::new(), fluents: Some(BTreeSet::new()), moves: Some(BTreeSet::new()) };
        let mut passing = Vec::new();
        for clause in &rules.clauses {
            known.head(clause, &mut passing);
            meter.step(100 * clause.head.args.len())?;
        }
        let mut effort = EFFORT;
        let mut changed = true;
        while changed {
            changed = false;
            for Passing { to, from } in &passing {
                meter.step(0)?;
                let new = known.common(from, &mut effort);
                if effort == 0 {
                    return Ok(None);
                }
                let domain = known.domains.entry(*to).or_default();
                match new {
                    _ if domain.any => {}
                    None => {
                        domain.any = true;
                        changed = true;
                    }
                    Some(values) => {
                        let before = domain.values.len();
                        domain.values.extend(values);
                        changed |= domain.values.len() > before;
                    }
                }
            }
        }
        Ok(Some(known))
    }

    fn head(&mut self, clause: &Clause, passing: &mut Vec<Passing>) {
        let head = &clause.head;
        let whole = match (head.name, &head.args[..]) {
            (Symbol::INIT | Symbol::NEXT, [fluent]) => Some((&mut self.fluents, fluent)),
            (Symbol::LEGAL, [_, step]) => Some((&mut self.moves, step)),
            _ => None,
        };
        if let Some((known, term)) = whole {
            match (functor(term), known) {
                (Some(functor), Some(known)) => {
                    known.insert(functor);
                }
                (None, known) => *known = None,
                (Some(_), None) => {}
            }
        }
        let mut given: Option<HashMap<Var, Vec<Place>>> = None;
        for (place, term) in places(head) {
            // Roles are what `role` says, whatever other heads have in their place.
            if place == Place::Role && head.name != Symbol::ROLE {
                continue;
            }
            match (&term.kind, functor(term)) {
                (TermKind::Var(var), _) => {
                    let given = given.get_or_insert_with(|| given_places(&clause.body));
                    passing.push(Passing { to: place, from: given.get(var).cloned().unwrap_or_default() });
                }
                (_, Some(functor)) => {
                    self.domains.entry(place).or_default().values.insert(functor);
                }
                (_, None) => {}
            }
        }
    }

    /// What can stand at all of these places at once; `None` if it can be anything.
    fn common(&self, places: &[Place], effort: &mut usize) -> Option<Vec<Functor>> {
        let domains: Vec<Option<&Domain>> =
            places.iter().filter(|place| !self.is_open(place)).map(|place| self.domains.get(place)).collect();
        let smallest = domains.iter().min_by_key(|domain| domain.map_or(0, |domain| domain.values.len()))?;
        let Some(smallest) = smallest else { return Some(Vec::new()) };
        *effort = effort.saturating_sub(1 + smallest.values.len() * domains.len());
        let in_all = |value: &&Functor| domains.iter().flatten().all(|domain| domain.values.contains(value));
        Some(smallest.values.iter().filter(in_all).copied().collect())
    }

    /// Whether anything can stand there.
    fn is_open(&self, place: &Place) -> bool {
        let whole = match place {
            Place::Argument(Of::Fluent, ..) => self.fluents.is_none(),
            Place::Argument(Of::Move, ..) => self.moves.is_none(),
            Place::Argument(Of::Relation, ..) | Place::Role => false,
        };
        whole || self.domains.get(place).is_some_and(|domain| domain.any)
    }

    /// The values at a place, if they are known and there are any.
    fn values(&self, place: &Place) -> Option<&BTreeSet<Functor>> {
        let domain = self.domains.get(place).filter(|_| !self.is_open(place))?;
        (!domain.values.is_empty()).then_some(&domain.values)
    }
}

/// Where each variable stands in the conditions that must hold whatever else does.
fn given_places(body: &[Literal]) -> HashMap<Var, Vec<Place>> {
    let mut given: HashMap<Var, Vec<Place>> = HashMap::new();
    let mut open: Vec<&Literal> = body.iter().collect();
    while let Some(literal) = open.pop() {
        match literal {
            Literal::Is(atom) => {
                for (place, term) in places(atom) {
                    if let TermKind::Var(var) = term.kind {
                        given.entry(var).or_default().push(place);
                    }
                }
            }
            Literal::And(parts, _) => open.extend(parts),
            Literal::Distinct(..) | Literal::Not(..) | Literal::Or(..) => {}
        }
    }
    given
}

/// The constants that stand in a single clause only, each with that clause.
fn lonely(rules: &Rules, meter: &mut Meter<'_>) -> Result<HashMap<Symbol, Option<Span>>, Unfinished> {
    let mut found: HashMap<Symbol, Option<Span>> = HashMap::new();
    for clause in &rules.clauses {
        meter.step(60)?;
        for_each_constant(clause, &mut |name, _| {
            let place = found.entry(name).or_insert(Some(clause.span));
            if *place != Some(clause.span) {
                *place = None;
            }
        });
    }
    Ok(found)
}

fn for_each_constant(clause: &Clause, f: &mut dyn FnMut(Symbol, Span)) {
    fn term(inner: &Term, f: &mut dyn FnMut(Symbol, Span)) {
        match &inner.kind {
            TermKind::Var(_) => {}
            TermKind::Name(name) => f(*name, inner.span),
            TermKind::Call(_, args) => args.iter().for_each(|arg| term(arg, f)),
        }
    }
    fn literal(condition: &Literal, f: &mut dyn FnMut(Symbol, Span)) {
        match condition {
            Literal::Is(atom) => atom.args.iter().for_each(|arg| term(arg, f)),
            Literal::Distinct(a, b, _) => {
                term(a, f);
                term(b, f);
            }
            Literal::Not(inner, _) => literal(inner, f),
            Literal::Or(parts, _) | Literal::And(parts, _) => parts.iter().for_each(|part| literal(part, f)),
        }
    }
    clause.head.args.iter().for_each(|arg| term(arg, f));
    clause.body.iter().for_each(|condition| literal(condition, f));
}

struct Told<'a> {
    rules: &'a Rules,
    known: &'a Known,
    problems: &'a mut Vec<Problem>,
    /// What was told already: each thing once, at its first place.
    seen: HashSet<(Option<Place>, Functor, Of)>,
    lonely: HashMap<Symbol, Option<Span>>,
    /// How many names may still be compared with a name that was probably meant.
    left: usize,
}

impl Told<'_> {
    fn clause(&mut self, clause: &Clause) {
        if is_connective(clause.head.name) {
            return;
        }
        let unmarked = self.unmarked(clause);
        if matches!(clause.head.name, Symbol::LEGAL | Symbol::GOAL | Symbol::INPUT)
            && let [role, _] = &clause.head.args[..]
        {
            self.role(role);
        }
        for literal in &clause.body {
            for_each_atom(literal, None, &mut |atom, _| {
                if self.exists(atom) {
                    for (place, term) in places(atom) {
                        match place {
                            Place::Role => self.role(term),
                            Place::Argument(..) => self.value(clause, place, term, &unmarked),
                        }
                    }
                }
            });
        }
    }

    fn shown(&self, name: Symbol) -> String {
        shown(&self.rules.symbols, name)
    }

    /// Constants of a clause that seem to be variables without their mark: the clause has a variable of that name, and
    /// nothing else in the rules has such a constant. (`x` beside `?x` is common where `x` is a piece.)
    fn unmarked(&mut self, clause: &Clause) -> HashSet<Symbol> {
        let mut found = HashSet::new();
        if clause.vars.is_empty() {
            return found;
        }
        let vars: HashSet<String> = clause.vars.iter().map(|var| fold(var)).collect();
        let mut problems = Vec::new();
        for_each_constant(clause, &mut |name, span| {
            let text = self.rules.symbols.name(name);
            if vars.contains(&fold(text)) && self.lonely.get(&name) == Some(&Some(clause.span)) && found.insert(name) {
                let text = cut(text);
                let message = format!("`{text}` is a constant here, though this clause has a variable ?{text}");
                let hint = format!("write ?{text}, or use another name for the constant");
                problems.push(Problem::warning("missing-question-mark", span, message, hint));
            }
        });
        self.problems.append(&mut problems);
        found
    }

    /// Tells of a fluent or a move that there is never; whether there is.
    fn exists(&mut self, atom: &Atom) -> bool {
        let (of, known, term) = match (atom.name, &atom.args[..]) {
            (Symbol::TRUE, [fluent]) => (Of::Fluent, &self.known.fluents, fluent),
            (Symbol::DOES, [_, step]) => (Of::Move, &self.known.moves, step),
            _ => return true,
        };
        let (Some(known), Some(functor)) = (known, functor(term)) else { return true };
        // Rules without any are incomplete in a way that is told elsewhere.
        if known.contains(&functor) || known.is_empty() {
            return true;
        }
        // Another number of arguments is told as such.
        if known.range((functor.0, 0)..=(functor.0, usize::MAX)).next().is_some()
            || !self.seen.insert((None, functor, of))
        {
            return false;
        }
        let name = self.shown(functor.0);
        let (code, message) = match of {
            Of::Move => ("never-done", format!("`{name}` is never done: no `legal` has it")),
            Of::Fluent | Of::Relation => ("never-true", format!("`{name}` is never true: no `init` or `next` has it")),
        };
        let hint = match self.meant(known, functor.0) {
            Some(meant) => meant,
            None => "define it, or remove the condition".to_string(),
        };
        self.problems.push(Problem::warning(code, term.span, message, hint));
        false
    }

    fn role(&mut self, term: &Term) {
        let (Some(functor), Some(roles)) = (functor(term), self.known.values(&Place::Role)) else { return };
        if roles.contains(&functor) || !self.seen.insert((Some(Place::Role), functor, Of::Relation)) {
            return;
        }
        let hint = match self.meant(roles, functor.0) {
            Some(meant) => meant,
            None => format!("the roles are {}", self.listed(roles)),
        };
        let message = format!("`{}` is not a role", self.shown(functor.0));
        self.problems.push(Problem::warning("unknown-role", term.span, message, hint));
    }

    fn value(&mut self, clause: &Clause, place: Place, term: &Term, unmarked: &HashSet<Symbol>) {
        let Place::Argument(of, whose, at) = place else { return };
        let (Some(functor), Some(values)) = (functor(term), self.known.values(&place)) else { return };
        if values.contains(&functor) || unmarked.contains(&functor.0) || !self.seen.insert((Some(place), functor, of)) {
            return;
        }
        let symbols = &self.rules.symbols;
        let (name, whose) = (self.shown(functor.0), self.shown(whose.0));
        let is_var = clause.vars.iter().any(|var| fold(var) == fold(symbols.name(functor.0)));
        let hint = match self.meant(values, functor.0) {
            _ if is_var => format!("is ?{name} meant?"),
            Some(meant) => meant,
            None => format!("what can stand there: {}", self.listed(values)),
        };
        let message = format!("`{name}` is never argument {} of `{whose}`, so this never holds", at + 1);
        self.problems.push(Problem::warning("never-matches", term.span, message, hint));
    }

    /// The question whether the most similar of these names is meant.
    fn meant(&mut self, values: &BTreeSet<Functor>, name: Symbol) -> Option<String> {
        self.left = self.left.checked_sub(values.len())?;
        let symbols = &self.rules.symbols;
        let near = Candidates::new(values.iter().map(|value| symbols.name(value.0))).nearest(symbols.name(name))?;
        Some(format!("is `{}` meant?", cut(near)))
    }

    /// The first few of these names.
    fn listed(&self, values: &BTreeSet<Functor>) -> String {
        const MOST: usize = 8;
        let mut names: Vec<String> = values.iter().take(MOST).map(|value| self.shown(value.0)).collect();
        if values.len() > MOST {
            names.push("…".to_string());
        }
        names.join(", ")
    }
}
