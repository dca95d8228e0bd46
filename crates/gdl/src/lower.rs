//! Tree to rules: which list is a fact, a rule, a condition, a term. Both forms come through here.
//!
//! Uses the stack as deep as lists are nested, which both readers keep within [`crate::MAX_DEPTH`].

use std::collections::{HashMap, HashSet};

use crate::form::Form;
use crate::limits::{Meter, Unfinished};
use crate::problem::{Problem, Span};
use crate::rules::{Atom, Clause, Literal, Rules, Term, TermKind, Var};
use crate::symbol::{Symbol, fold};
use crate::tree::{MOST_PROBLEMS, NodeKind, Tree, quote};

/// Makes rules of everything in the tree that can be understood.
pub(crate) fn lower(
    text: &str,
    form: Form,
    tree: &Tree<'_>,
    problems: &mut Vec<Problem>,
    meter: &mut Meter<'_>,
) -> Result<Rules, Unfinished> {
    let mut lowering = Lowering {
        text,
        form,
        tree,
        rules: Rules::default(),
        vars: Vars::default(),
        problems,
        meter,
        unfinished: None,
    };
    for &node in tree.unwrapped() {
        if lowering.problems.len() >= MOST_PROBLEMS {
            break;
        }
        lowering.spend(2 * size_of::<Clause>());
        lowering.clause(node);
        if let Some(unfinished) = lowering.unfinished {
            return Err(unfinished);
        }
    }
    Ok(lowering.rules)
}

/// The most variables a clause may have; the numbers are 16 bits wide.
const MAX_VARS: usize = 4096;

/// The variables of the clause at hand.
#[derive(Default)]
struct Vars {
    /// As first written; nothing for one that has no name.
    names: Vec<String>,
    /// By the form in which names are compared. Lookup must not depend on how many there are.
    numbers: HashMap<String, Var>,
    /// More were wanted than a clause may have.
    too_many: bool,
}

impl Vars {
    fn named(&mut self, name: &str) -> Var {
        let folded = fold(name);
        if let Some(&var) = self.numbers.get(&folded) {
            return var;
        }
        let var = self.add(name);
        if !self.too_many {
            self.numbers.insert(folded, var);
        }
        var
    }

    fn add(&mut self, name: &str) -> Var {
        if self.names.len() == MAX_VARS {
            self.too_many = true;
            return Var(0);
        }
        self.names.push(name.to_string());
        Var((self.names.len() - 1) as u16)
    }

    /// All names, with names found for those that have none.
    fn finish(self) -> Vec<String> {
        let Vars { mut names, numbers, .. } = self;
        let taken: HashSet<String> = numbers.into_keys().collect();
        let mut fresh = (1..).map(|number| format!("_{number}")).filter(|name| !taken.contains(name));
        for name in names.iter_mut().filter(|name| name.is_empty()) {
            *name = fresh.next().unwrap_or_default();
        }
        names
    }
}

struct Lowering<'a, 'm> {
    text: &'a str,
    form: Form,
    tree: &'a Tree<'a>,
    rules: Rules,
    vars: Vars,
    problems: &'a mut Vec<Problem>,
    meter: &'a mut Meter<'m>,
    /// Why nothing more is to be done.
    unfinished: Option<Unfinished>,
}

impl<'a> Lowering<'a, '_> {
    /// Counts a step and the memory for it; whether to go on.
    fn spend(&mut self, bytes: usize) -> bool {
        if self.unfinished.is_none() {
            self.unfinished = self.meter.step(bytes).err();
        }
        self.unfinished.is_none()
    }

    /// The symbol of a name.
    fn intern(&mut self, name: &str) -> Symbol {
        let before = self.rules.symbols.len();
        let symbol = self.rules.symbols.intern(name);
        if self.rules.symbols.len() > before {
            // Two strings, and a place in an array and in a hash table, which grow by doubling.
            self.spend(2 * name.len() + 200);
        }
        symbol
    }

    fn span(&self, node: u32) -> Span {
        self.tree.span(node)
    }

    fn list(&self, node: u32) -> Option<&'a [u32]> {
        self.tree.list(node)
    }

    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>, hint: &str) {
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(Problem::error(code, span, message, hint));
        }
    }

    /// What to write, in the form of the text at hand.
    fn write(&self, kif: &'static str, infix: &'static str) -> &'static str {
        match self.form {
            Form::Kif => kif,
            Form::Infix => infix,
        }
    }

    /// Whether the node is a list that begins with this word.
    fn begins_with(&self, node: u32, word: &str) -> bool {
        let first = self.list(node).and_then(|members| self.tree.name(*members.first()?));
        first.is_some_and(|first| first.eq_ignore_ascii_case(word))
    }

    fn clause(&mut self, node: u32) {
        self.vars = Vars::default();
        let span = self.span(node);
        let is_rule = self.begins_with(node, "<=");
        let (head, body) = match self.list(node) {
            Some([_, head, body @ ..]) if is_rule => (*head, body),
            Some(_) if is_rule => {
                self.error("no-head", span, "this rule has no head", "write (<= head condition …)");
                return;
            }
            _ => (node, &[][..]),
        };
        // The body is looked at even if the head is wrong, so that one run tells everything.
        let head = self.atom(head);
        let body = self.literals(body);
        if self.vars.too_many {
            let message = format!("a clause may have at most {MAX_VARS} variables");
            self.error("too-many-variables", span, message, "divide this clause into several");
            return;
        }
        if let (Some(head), Some(body)) = (head, body) {
            let vars = std::mem::take(&mut self.vars).finish();
            self.rules.clauses.push(Clause { head, body, vars, is_rule, span });
        }
    }

    fn literal(&mut self, node: u32) -> Option<Literal> {
        let span = self.span(node);
        let members = self.list(node).and_then(|members| members.get(1..)).unwrap_or_default();
        if self.begins_with(node, "not") {
            if let [inner] = *members {
                return Some(Literal::Not(Box::new(self.literal(inner)?), span));
            }
            let hint = self.write("write (not condition)", "write ~condition or not(condition)");
            self.error("not-arity", span, "`not` takes exactly one condition", hint);
            return None;
        }
        if self.begins_with(node, "or") {
            return Some(Literal::Or(self.literals(members)?, span));
        }
        if self.begins_with(node, "and") {
            return Some(Literal::And(self.literals(members)?, span));
        }
        if self.begins_with(node, "distinct") {
            if let [a, b] = *members {
                let (a, b) = (self.term(a), self.term(b));
                return Some(Literal::Distinct(a?, b?, span));
            }
            let hint = self.write("write (distinct ?x ?y)", "write distinct(X, Y)");
            self.error("arity", span, "`distinct` takes exactly two terms", hint);
            return None;
        }
        if self.begins_with(node, "<=") {
            self.error("nested-rule", span, "a rule cannot stand inside a rule", "close the rule before this one");
            return None;
        }
        self.atom(node).map(Literal::Is)
    }

    /// Several conditions: all are looked at, even after one that is wrong.
    fn literals(&mut self, nodes: &[u32]) -> Option<Vec<Literal>> {
        let mut whole = true;
        let mut literals = Vec::with_capacity(nodes.len());
        for &node in nodes {
            if !self.spend(size_of::<Literal>()) {
                return None;
            }
            match self.literal(node) {
                Some(literal) => literals.push(literal),
                None => whole = false,
            }
        }
        whole.then_some(literals)
    }

    /// A sentence: a word, or a list that begins with one.
    fn atom(&mut self, node: u32) -> Option<Atom> {
        let span = self.span(node);
        let Some(members) = self.list(node) else {
            let name = self.relation(node)?;
            return Some(Atom { name, args: Vec::new(), span, parens: false });
        };
        let Some((&name, args)) = members.split_first() else {
            self.error("empty", span, "this list is empty", "write a sentence here, or remove it");
            return None;
        };
        let name = self.relation(name);
        let args = self.terms(args);
        Some(Atom { name: name?, args: args?, span, parens: true })
    }

    fn relation(&mut self, node: u32) -> Option<Symbol> {
        let span = self.span(node);
        match &self.tree.nodes[node as usize].kind {
            NodeKind::Name(name) => Some(self.intern(name)),
            NodeKind::Var(_) | NodeKind::Blank => {
                let written = quote(&self.text[span.start as usize..span.end as usize]);
                let message = format!("the variable {written} stands where the name of a relation is needed");
                let hint = self.write(
                    "variables stand for terms only",
                    "variables stand for terms only; write a name with an upper-case initial in single quotes",
                );
                self.error("variable-relation", span, message, hint);
                None
            }
            NodeKind::Broken => None,
            NodeKind::List(_) => {
                let message = "a list stands where the name of a relation is needed";
                self.error("list-relation", span, message, "check the parentheses here");
                None
            }
        }
    }

    fn term(&mut self, node: u32) -> Option<Term> {
        let span = self.span(node);
        let kind = match &self.tree.nodes[node as usize].kind {
            NodeKind::Var("") => {
                self.error("nameless-variable", span, "a variable needs a name", "write ?x");
                return None;
            }
            NodeKind::Var(name) => TermKind::Var(self.vars.named(name)),
            NodeKind::Blank => TermKind::Var(self.vars.add("")),
            NodeKind::Broken => return None,
            NodeKind::Name(name) => TermKind::Name(self.intern(name)),
            NodeKind::List(members) => match members[..] {
                [] => {
                    self.error("empty", span, "this list is empty", "write a term here, or remove it");
                    return None;
                }
                // `(f)` is the same as `f`.
                [name] => TermKind::Name(self.relation(name)?),
                [name, ref args @ ..] => {
                    let (name, args) = (self.relation(name), self.terms(args));
                    TermKind::Call(name?, args?)
                }
            },
        };
        Some(Term { kind, span })
    }

    /// Several terms: all are looked at, even after one that is wrong.
    fn terms(&mut self, nodes: &[u32]) -> Option<Vec<Term>> {
        let mut whole = true;
        let mut terms = Vec::with_capacity(nodes.len());
        for &node in nodes {
            if !self.spend(size_of::<Term>()) {
                return None;
            }
            match self.term(node) {
                Some(term) => terms.push(term),
                None => whole = false,
            }
        }
        whole.then_some(terms)
    }
}
