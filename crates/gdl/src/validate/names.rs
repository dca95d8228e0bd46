//! How names are used over the whole rulesheet. All of these are warnings, one for each name, at the first place.

use std::collections::{HashMap, HashSet};

use super::graph::{Graph, Relation};
use super::similar::Candidates;
use super::{PROBLEM_BYTES, arguments, cut, is_connective, shown};
use crate::limits::{Meter, Unfinished};
use crate::problem::{Problem, Span};
use crate::rules::{Literal, Rules, Term, TermKind};
use crate::symbol::Symbol;

pub(super) fn check(
    rules: &Rules,
    graph: &Graph,
    problems: &mut Vec<Problem>,
    meter: &mut Meter<'_>,
) -> Result<(), Unfinished> {
    let terms = Terms::new(rules);
    meter.step(terms.uses.len() * 150)?;
    let mut names = Names { rules, graph, terms, by_name: HashMap::new(), problems };
    for relation in &graph.relations {
        meter.step(150)?;
        names.by_name.entry(relation.name).or_default().push(relation);
    }
    names.keyword_constants();
    names.parentheses();
    names.several_arities();
    names.relations_and_functions();
    names.undefined(meter)?;
    names.unused(meter)
}

/// How a name is used in terms, for one number of arguments.
struct Use {
    name: Symbol,
    arity: usize,
    first: Span,
    count: usize,
}

/// All names in terms with their number of arguments, in the order of the text.
#[derive(Default)]
struct Terms {
    uses: Vec<Use>,
    numbers: HashMap<(Symbol, usize), usize>,
}

impl Terms {
    fn new(rules: &Rules) -> Terms {
        let mut terms = Terms::default();
        for clause in &rules.clauses {
            // What stands inside a connective that is used as a head is hardly meant as terms.
            if !is_connective(clause.head.name) {
                clause.head.args.iter().for_each(|arg| terms.term(arg));
            }
            clause.body.iter().for_each(|literal| terms.literal(literal));
        }
        terms
    }

    fn literal(&mut self, literal: &Literal) {
        match literal {
            Literal::Is(atom) => atom.args.iter().for_each(|arg| self.term(arg)),
            Literal::Distinct(a, b, _) => {
                self.term(a);
                self.term(b);
            }
            Literal::Not(inner, _) => self.literal(inner),
            Literal::Or(parts, _) | Literal::And(parts, _) => parts.iter().for_each(|part| self.literal(part)),
        }
    }

    fn term(&mut self, term: &Term) {
        let (name, args) = match &term.kind {
            TermKind::Var(_) => return,
            TermKind::Name(name) => (*name, &[][..]),
            TermKind::Call(name, args) => (*name, &args[..]),
        };
        let number = *self.numbers.entry((name, args.len())).or_insert_with(|| {
            self.uses.push(Use { name, arity: args.len(), first: term.span, count: 0 });
            self.uses.len() - 1
        });
        self.uses[number].count += 1;
        args.iter().for_each(|arg| self.term(arg));
    }

    fn functions(&self) -> impl Iterator<Item = &Use> {
        self.uses.iter().filter(|used| used.arity > 0 && !used.name.is_keyword())
    }
}

struct Names<'a> {
    rules: &'a Rules,
    graph: &'a Graph,
    terms: Terms,
    /// The relations of a name, in the order of the text.
    by_name: HashMap<Symbol, Vec<&'a Relation>>,
    problems: &'a mut Vec<Problem>,
}

impl<'a> Names<'a> {
    fn warning(&mut self, code: &'static str, span: Span, message: String, hint: impl Into<String>) {
        self.problems.push(Problem::warning(code, span, message, hint));
    }

    fn shown(&self, name: Symbol) -> String {
        shown(&self.rules.symbols, name)
    }

    fn keyword_constants(&mut self) {
        for at in 0..self.terms.uses.len() {
            let Use { name, arity, first, count } = self.terms.uses[at];
            if arity == 0 && name.is_keyword() {
                let message =
                    format!("`{}` means something in GDL, but is a constant {}", self.shown(name), here(count));
                self.warning("keyword-constant", first, message, "rename it");
            }
        }
    }

    fn parentheses(&mut self) {
        for relation in &self.graph.relations {
            let Some(span) = relation.parens else { continue };
            let name = self.shown(relation.name);
            if relation.name == Symbol::TERMINAL {
                let message = "`terminal` stands in parentheses here".to_string();
                self.warning("parens", span, message, "write `terminal` alone");
            } else if relation.bare.is_some() && !relation.name.is_keyword() {
                let message = format!("`{name}` stands in parentheses here, and without them elsewhere");
                self.warning("mixed-parens", span, message, format!("write `{name}` without them everywhere"));
            }
        }
    }

    fn several_arities(&mut self) {
        let mut relations: Vec<Vec<Use>> = Vec::new();
        for relation in &self.graph.relations {
            let all = &self.by_name[&relation.name];
            // Once for each name: at the first of its relations.
            if all.len() > 1 && all[0].arity == relation.arity {
                relations.push(all.iter().map(|&relation| Use::from(relation)).collect());
            }
        }
        let mut functions: HashMap<Symbol, Vec<Use>> = HashMap::new();
        for used in self.terms.functions() {
            functions.entry(used.name).or_default().push(Use { ..*used });
        }
        let mut functions: Vec<Vec<Use>> = functions.into_values().filter(|uses| uses.len() > 1).collect();
        functions.sort_by_key(|uses| uses[0].first);
        for (what, groups) in [("relation", relations), ("function", functions)] {
            for uses in groups {
                self.arities(what, &uses);
            }
        }
    }

    /// One warning for each number of arguments but the most usual one.
    fn arities(&mut self, what: &str, uses: &[Use]) {
        let most = uses.iter().map(|used| used.count).max().unwrap_or(0);
        let Some(usual) = uses.iter().position(|used| used.count == most) else { return };
        for (at, used) in uses.iter().enumerate() {
            if at != usual {
                let message = format!(
                    "the {what} `{}` has {} {}, and {} elsewhere",
                    self.shown(used.name),
                    arguments(used.arity),
                    here(used.count),
                    uses[usual].arity,
                );
                self.warning("several-arities", used.first, message, "use a name of its own for each of them");
            }
        }
    }

    fn relations_and_functions(&mut self) {
        let mut told = HashSet::new();
        for at in 0..self.terms.uses.len() {
            let Use { name, arity, first, .. } = self.terms.uses[at];
            if arity > 0 && !name.is_keyword() && self.by_name.contains_key(&name) && told.insert(name) {
                let name = self.shown(name);
                let message = format!("`{name}` is a function here, and a relation elsewhere");
                let hint = format!("use a name of its own for each of them; or is (true ({name} …)) meant?");
                self.warning("relation-and-function", first, message, hint);
            }
        }
    }

    fn undefined(&mut self, meter: &mut Meter<'_>) -> Result<(), Unfinished> {
        let symbols = &self.rules.symbols;
        let conditions =
            [Symbol::TRUE, Symbol::DOES, Symbol::ROLE, Symbol::LEGAL, Symbol::GOAL, Symbol::TERMINAL, Symbol::DISTINCT];
        let defined = self.graph.relations.iter().filter(|relation| relation.defined.is_some());
        let known = defined.map(|relation| relation.name).filter(|name| !name.is_keyword());
        let mut known = Candidates::new(known.chain(conditions).map(|name| symbols.name(name)));
        for relation in &self.graph.relations {
            let (None, Some(span)) = (relation.defined, relation.used) else { continue };
            if relation.name.is_keyword() {
                continue;
            }
            meter.step(PROBLEM_BYTES)?;
            let name = self.shown(relation.name);
            let arity = relation.arity;
            let other = self.by_name[&relation.name].iter().find(|other| other.defined.is_some());
            let hint = if let Some(other) = other {
                format!("`{name}` is defined with {}", arguments(other.arity))
            } else if self.terms.numbers.contains_key(&(relation.name, arity)) {
                let sentence = if arity == 0 { name.clone() } else { format!("({name} …)") };
                format!("`{name}` stands in terms elsewhere: is (true {sentence}) meant?")
            } else if let Some(near) = known.nearest(symbols.name(relation.name)) {
                format!("define it, or remove the condition; or is `{}` meant?", cut(near))
            } else {
                "define it, or remove the condition".to_string()
            };
            let message = format!("nothing defines `{name}` with {}, so it never holds", arguments(arity));
            self.warning("undefined", span, message, hint);
        }
        Ok(())
    }

    fn unused(&mut self, meter: &mut Meter<'_>) -> Result<(), Unfinished> {
        let symbols = &self.rules.symbols;
        let ends = [
            Symbol::LEGAL,
            Symbol::NEXT,
            Symbol::GOAL,
            Symbol::TERMINAL,
            Symbol::INIT,
            Symbol::ROLE,
            Symbol::BASE,
            Symbol::INPUT,
        ];
        let needed = self.graph.reachable(ends.iter().filter_map(|&name| self.graph.keyword(name)));
        let wanted = self.graph.relations.iter().filter(|relation| relation.defined.is_none());
        let wanted = wanted.map(|relation| relation.name).filter(|name| !name.is_keyword());
        let mut wanted = Candidates::new(ends.into_iter().chain(wanted).map(|name| symbols.name(name)));
        for (number, relation) in self.graph.relations.iter().enumerate() {
            let Some(span) = relation.defined else { continue };
            if needed[number] || relation.name.is_keyword() {
                continue;
            }
            meter.step(PROBLEM_BYTES)?;
            let name = self.shown(relation.name);
            let what = arguments(relation.arity);
            let message = match relation.used {
                None => format!("nothing uses `{name}` with {what}"),
                Some(_) if self.graph.only_own_users(number as u32) => {
                    format!("nothing uses `{name}` with {what} but its own rules")
                }
                Some(_) => format!("`{name}` with {what} is used only by what is itself never used"),
            };
            let hint = match wanted.nearest(symbols.name(relation.name)) {
                Some(near) => format!("remove it, or use it; or is `{}` meant?", cut(near)),
                None => "remove it, or use it".to_string(),
            };
            self.warning("unused", span, message, hint);
        }
        Ok(())
    }
}

impl From<&Relation> for Use {
    fn from(relation: &Relation) -> Use {
        Use { name: relation.name, arity: relation.arity, first: relation.first, count: relation.count }
    }
}

/// `here`, and in how many other places.
fn here(count: usize) -> String {
    match count {
        1 => "here".to_string(),
        2 => "here and in 1 other place".to_string(),
        _ => format!("here and in {} other places", count - 1),
    }
}
