//! Tree to rules: which list is a fact, a rule, a condition, a term.

use crate::kif::{NodeKind, Tree};
use crate::problem::{Problem, Span};
use crate::rules::{Atom, Clause, Literal, Rules, Term, TermKind, Var};
use crate::symbol::{Symbol, fold};

/// Makes rules of everything in the tree that can be understood.
pub(crate) fn lower(text: &str, tree: &Tree, problems: &mut Vec<Problem>) -> Rules {
    let mut lowering = Lowering { text, tree, rules: Rules::default(), vars: Vec::new(), problems };
    for &node in &lowering.unwrapped() {
        lowering.clause(node);
    }
    lowering.rules
}

/// The most variables a clause may have; the numbers are 16 bits wide.
const MAX_VARS: usize = 4096;

struct Lowering<'a> {
    text: &'a str,
    tree: &'a Tree,
    rules: Rules,
    /// The variables of the clause at hand: their names in the form in which they are compared.
    vars: Vec<(String, String)>,
    problems: &'a mut Vec<Problem>,
}

impl<'a> Lowering<'a> {
    /// The clauses: the roots, or what is inside a single list around everything (as the GGP protocol sends rules).
    fn unwrapped(&self) -> Vec<u32> {
        if let [root] = self.tree.roots[..]
            && let Some(members) = self.list(root)
            && members.first().is_some_and(|&first| self.list(first).is_some())
        {
            return members.to_vec();
        }
        self.tree.roots.clone()
    }

    fn span(&self, node: u32) -> Span {
        self.tree.nodes[node as usize].span
    }

    fn list(&self, node: u32) -> Option<&'a [u32]> {
        match &self.tree.nodes[node as usize].kind {
            NodeKind::List(members) => Some(members),
            NodeKind::Word => None,
        }
    }

    fn word(&self, node: u32) -> Option<&'a str> {
        let Span { start, end } = self.span(node);
        match self.tree.nodes[node as usize].kind {
            NodeKind::Word => Some(&self.text[start as usize..end as usize]),
            NodeKind::List(_) => None,
        }
    }

    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>, hint: &str) {
        self.problems.push(Problem::error(code, span, message, hint));
    }

    fn clause(&mut self, node: u32) {
        self.vars.clear();
        let span = self.span(node);
        let is_rule =
            self.list(node).and_then(|members| self.word(*members.first()?)).is_some_and(|word| fold(word) == "<=");
        let (head, body) = match self.list(node) {
            Some([_, head, body @ ..]) if is_rule => (*head, body),
            Some(_) if is_rule => {
                self.error("no-head", span, "this rule has no head", "write (<= head condition …)");
                return;
            }
            _ => (node, &[][..]),
        };
        let Some(head) = self.atom(head) else { return };
        let body: Vec<Option<Literal>> = body.iter().map(|&part| self.literal(part)).collect();
        let Some(body) = body.into_iter().collect() else { return };
        if self.vars.len() > MAX_VARS {
            self.error("too-many-variables", span, format!("a clause may have at most {MAX_VARS} variables"), "");
            return;
        }
        let vars = self.vars.iter().map(|(_, name)| name.clone()).collect();
        self.rules.clauses.push(Clause { head, body, vars, is_rule, span });
    }

    fn literal(&mut self, node: u32) -> Option<Literal> {
        let span = self.span(node);
        let head = self.list(node).and_then(|members| self.word(*members.first()?));
        let members = || self.list(node).map_or(&[][..], |members| &members[1..]);
        match head.map(fold).as_deref() {
            Some("not") => match *members() {
                [inner] => Some(Literal::Not(Box::new(self.literal(inner)?), span)),
                _ => {
                    self.error("not-arity", span, "`not` takes exactly one condition", "write (not condition)");
                    None
                }
            },
            Some("or") => Some(Literal::Or(self.literals(members())?, span)),
            Some("and") => Some(Literal::And(self.literals(members())?, span)),
            Some("distinct") => match *members() {
                [a, b] => {
                    let (a, b) = (self.term(a), self.term(b));
                    Some(Literal::Distinct(a?, b?, span))
                }
                _ => {
                    self.error("arity", span, "`distinct` takes exactly two terms", "write (distinct ?x ?y)");
                    None
                }
            },
            Some("<=") => {
                self.error("nested-rule", span, "a rule cannot stand inside a rule", "close the rule before this one");
                None
            }
            _ => self.atom(node).map(Literal::Is),
        }
    }

    fn literals(&mut self, nodes: &[u32]) -> Option<Vec<Literal>> {
        let parts: Vec<Option<Literal>> = nodes.iter().map(|&node| self.literal(node)).collect();
        parts.into_iter().collect()
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
        let name = self.relation(name)?;
        let args: Vec<Option<Term>> = args.iter().map(|&arg| self.term(arg)).collect();
        Some(Atom { name, args: args.into_iter().collect::<Option<_>>()?, span, parens: true })
    }

    fn relation(&mut self, node: u32) -> Option<Symbol> {
        match self.word(node) {
            Some(word) if !word.starts_with('?') => Some(self.rules.symbols.intern(word)),
            Some(word) => {
                let message = format!("the variable {word} stands where the name of a relation is needed");
                self.error("variable-relation", self.span(node), message, "variables stand for terms only");
                None
            }
            None => {
                let message = "a list stands where the name of a relation is needed";
                self.error("list-relation", self.span(node), message, "check the parentheses here");
                None
            }
        }
    }

    fn term(&mut self, node: u32) -> Option<Term> {
        let span = self.span(node);
        if let Some(word) = self.word(node) {
            let kind = match word.strip_prefix('?') {
                Some("") => {
                    self.error("nameless-variable", span, "a variable needs a name", "write ?x");
                    return None;
                }
                Some(name) => TermKind::Var(self.var(name)),
                None => TermKind::Name(self.rules.symbols.intern(word)),
            };
            return Some(Term { kind, span });
        }
        match self.list(node) {
            Some([]) | None => {
                self.error("empty", span, "this list is empty", "write a term here, or remove it");
                None
            }
            Some([name]) => {
                // `(f)` is the same as `f`.
                let name = self.relation(*name)?;
                Some(Term { kind: TermKind::Name(name), span })
            }
            Some([name, args @ ..]) => {
                let name = self.relation(*name)?;
                let args: Vec<Option<Term>> = args.iter().map(|&arg| self.term(arg)).collect();
                Some(Term { kind: TermKind::Call(name, args.into_iter().collect::<Option<_>>()?), span })
            }
        }
    }

    fn var(&mut self, name: &str) -> Var {
        let folded = fold(name);
        let index = self.vars.iter().position(|(known, _)| *known == folded).unwrap_or_else(|| {
            self.vars.push((folded, name.to_string()));
            self.vars.len() - 1
        });
        Var(index.min(u16::MAX as usize) as u16)
    }
}
