//! What can be seen in a single clause: keywords in the wrong place or with the wrong number of arguments, conditions
//! of a form GDL does not have, facts with variables; and, over all clauses, what is missing and what stands twice.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use super::{PROBLEM_BYTES, arguments, cut, is_connective, shown};
use crate::limits::{Meter, Unfinished};
use crate::problem::{Problem, Span};
use crate::rules::{Atom, Clause, Literal, Rules, Term, TermKind};
use crate::symbol::Symbol;

pub(super) fn check(rules: &Rules, problems: &mut Vec<Problem>, meter: &mut Meter<'_>) -> Result<(), Unfinished> {
    missing(rules, problems);
    duplicates(rules, problems, meter)?;
    let mut shape = Shape { rules, problems };
    for clause in &rules.clauses {
        let before = shape.problems.len();
        shape.clause(clause);
        meter.step((shape.problems.len() - before) * PROBLEM_BYTES)?;
    }
    Ok(())
}

fn missing(rules: &Rules, problems: &mut Vec<Problem>) {
    let needed = [
        (Symbol::ROLE, "missing-role", "there is no `role`: nobody plays", "say who plays, as in (role white)"),
        (
            Symbol::LEGAL,
            "missing-legal",
            "there is no `legal`: nobody can ever move",
            "say which moves there are, as in (<= (legal ?player noop) (role ?player))",
        ),
        (
            Symbol::TERMINAL,
            "missing-terminal",
            "there is no `terminal`: the game never ends",
            "say when the game is over, as in (<= terminal (true (step 10)))",
        ),
        (
            Symbol::GOAL,
            "missing-goal",
            "there is no `goal`: nobody can win",
            "say what the players get, as in (<= (goal white 100) (line white))",
        ),
    ];
    for (name, code, message, hint) in needed {
        if !rules.clauses.iter().any(|clause| clause.head.name == name) {
            problems.push(Problem::error(code, Span::default(), message, hint));
        }
    }
}

struct Shape<'a> {
    rules: &'a Rules,
    problems: &'a mut Vec<Problem>,
}

impl Shape<'_> {
    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>, hint: &str) {
        self.problems.push(Problem::error(code, span, message, hint));
    }

    fn warning(&mut self, code: &'static str, span: Span, message: impl Into<String>, hint: &str) {
        self.problems.push(Problem::warning(code, span, message, hint));
    }

    fn clause(&mut self, clause: &Clause) {
        self.head(clause);
        if clause.is_rule && clause.body.is_empty() {
            let message = "this rule has no conditions";
            self.warning("empty-rule", clause.span, message, "write it as a fact, without `<=`, or add conditions");
        }
        if !clause.is_rule {
            self.fact_variables(clause);
        }
        for literal in &clause.body {
            self.condition(literal, false);
        }
    }

    fn head(&mut self, clause: &Clause) {
        let head = &clause.head;
        let name = head.name;
        if is_connective(name) {
            let message = format!("`{}` cannot be what a clause says", shown(&self.rules.symbols, name));
            let hint = "a fact or a head is a sentence, as in (<= head condition …); check the parentheses here";
            self.error("connective-head", head.span, message, hint);
            return;
        }
        match name {
            Symbol::TRUE => {
                let hint = "write (init …) for the first state, (next …) for the following ones";
                self.error("given-head", head.span, "`true` is the state itself; rules cannot define it", hint);
            }
            Symbol::DOES => {
                let hint = "write (legal …) to say which moves there are";
                self.error("given-head", head.span, "`does` is what the players do; rules cannot define it", hint);
            }
            Symbol::ROLE => self.role(clause),
            Symbol::GOAL => self.goal_value(head),
            _ => {}
        }
        self.sentence(head);
    }

    fn role(&mut self, clause: &Clause) {
        if !clause.body.is_empty() {
            let hint = "write one fact for each player, as in (role white)";
            self.error("role-rule", clause.head.span, "roles must be facts, not follow from conditions", hint);
        }
        if let [Term { kind: TermKind::Call(..), span }] = clause.head.args[..] {
            let hint = "write a single name, as in (role white)";
            self.error("role-name", span, "a role must be a plain name", hint);
        }
    }

    fn goal_value(&mut self, head: &Atom) {
        let [_, value] = &head.args[..] else { return };
        let valid = match value.kind {
            TermKind::Var(_) => true,
            TermKind::Name(name) => {
                let text = self.rules.symbols.name(name);
                text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u8>().is_ok_and(|number| number <= 100)
            }
            TermKind::Call(..) => false,
        };
        if !valid {
            let what = match value.kind {
                TermKind::Name(name) => format!("`{}`", shown(&self.rules.symbols, name)),
                _ => "this".to_string(),
            };
            let message = format!("{what} is not a goal value");
            self.error("goal-value", value.span, message, "goals are whole numbers from 0 to 100");
        }
    }

    fn fact_variables(&mut self, clause: &Clause) {
        if is_connective(clause.head.name) {
            return;
        }
        let mut seen = vec![false; clause.vars.len()];
        clause.head.for_each_var(&mut |var, span| {
            if let Some(seen) = seen.get_mut(var.0 as usize)
                && !*seen
            {
                *seen = true;
                let name = cut(&clause.vars[var.0 as usize]);
                let message = format!("a fact cannot have variables, and this one has ?{name}");
                let hint = format!("make it a rule whose conditions say what ?{name} can be");
                self.problems.push(Problem::error("fact-variable", span, message, hint));
            }
        });
    }

    fn condition(&mut self, literal: &Literal, in_or: bool) {
        match literal {
            Literal::Is(atom) => self.body_sentence(atom),
            Literal::Distinct(a, b, _) => {
                self.term(a);
                self.term(b);
            }
            Literal::Not(inner, span) => {
                let what = match **inner {
                    Literal::Is(_) => "",
                    Literal::Distinct(..) => "distinct",
                    Literal::Not(..) => "not",
                    Literal::Or(..) => "or",
                    Literal::And(..) => "and",
                };
                if !what.is_empty() {
                    let message = format!("`not` can only deny a sentence, not `{what}`");
                    let hint = match what {
                        "distinct" => "write one of the two terms in place of the other everywhere in this rule",
                        _ => "define a relation for what is inside, and deny that",
                    };
                    self.error("not-sentence", *span, message, hint);
                }
                self.condition(inner, in_or);
            }
            Literal::Or(parts, span) => {
                if parts.is_empty() {
                    let hint = "add what may hold, or remove the whole clause";
                    self.warning("empty-or", *span, "this `or` is empty, so it never holds", hint);
                }
                if in_or {
                    let hint = "write all alternatives in one `or`, or define a relation for the inner ones";
                    self.warning("nested-or", *span, "this `or` stands inside another `or`", hint);
                }
                parts.iter().for_each(|part| self.condition(part, true));
            }
            Literal::And(parts, span) => {
                let hint = "conditions of a rule are joined anyway; inside `or`, define a relation for them";
                self.warning("and", *span, "GDL has no `and`; it is accepted here, not everywhere", hint);
                parts.iter().for_each(|part| self.condition(part, in_or));
            }
        }
    }

    fn body_sentence(&mut self, atom: &Atom) {
        let name = atom.name;
        if is_connective(name) {
            let message = format!("`{}` stands alone here", shown(&self.rules.symbols, name));
            self.error("connective-alone", atom.span, message, "put it and what belongs to it in parentheses");
            return;
        }
        let instead = match name {
            Symbol::INIT | Symbol::NEXT => "ask for the state with (true …)",
            Symbol::BASE | Symbol::INPUT => "define a relation of your own, and `base` or `input` from it",
            _ => "",
        };
        if !instead.is_empty() {
            let message = format!("`{}` can be defined, but not used as a condition", shown(&self.rules.symbols, name));
            self.error("head-only", atom.span, message, instead);
        }
        self.sentence(atom);
    }

    /// What holds for heads and conditions alike.
    fn sentence(&mut self, atom: &Atom) {
        if let Some(arity) = atom.name.keyword_arity()
            && arity != atom.args.len()
        {
            let name = shown(&self.rules.symbols, atom.name);
            let message = format!("`{name}` takes {}, not {}", arguments(arity), atom.args.len());
            self.error("arity", atom.span, message, arity_hint(atom.name));
        }
        atom.args.iter().for_each(|arg| self.term(arg));
    }

    fn term(&mut self, term: &Term) {
        let TermKind::Call(name, args) = &term.kind else { return };
        if name.is_keyword() {
            let message =
                format!("`{}` means something in GDL and cannot be a function", shown(&self.rules.symbols, *name));
            self.error("keyword-function", term.span, message, "rename it, or check the parentheses here");
        }
        args.iter().for_each(|arg| self.term(arg));
    }
}

fn arity_hint(name: Symbol) -> &'static str {
    match name {
        Symbol::ROLE => "write (role player)",
        Symbol::INIT => "write (init fact)",
        Symbol::TRUE => "write (true fact)",
        Symbol::NEXT => "write (next fact)",
        Symbol::BASE => "write (base fact)",
        Symbol::DOES => "write (does player move)",
        Symbol::LEGAL => "write (legal player move)",
        Symbol::INPUT => "write (input player move)",
        Symbol::GOAL => "write (goal player value)",
        _ => "write `terminal` alone",
    }
}

/// Clauses that mean the same: equal up to the names of variables, a rule without conditions being a fact.
fn duplicates(rules: &Rules, problems: &mut Vec<Problem>, meter: &mut Meter<'_>) -> Result<(), Unfinished> {
    // Each kind of clause is in the list of its hash once, so a clause repeated often is not compared often.
    let mut known: HashMap<u64, Vec<&Clause>> = HashMap::new();
    for clause in &rules.clauses {
        // A place in a hash table and an array of one.
        meter.step(128)?;
        let same = known.entry(clause_hash(clause)).or_default();
        if same.iter().any(|other| other.head == clause.head && other.body == clause.body) {
            let message = "the same clause stands further up already";
            problems.push(Problem::warning("duplicate", clause.span, message, "remove one of them"));
        } else {
            same.push(clause);
        }
    }
    meter.give_back(128 * rules.clauses.len());
    Ok(())
}

fn clause_hash(clause: &Clause) -> u64 {
    let mut hasher = DefaultHasher::new();
    hash_atom(&clause.head, &mut hasher);
    hash_all(&clause.body, &mut hasher);
    hasher.finish()
}

fn hash_all(parts: &[Literal], hasher: &mut DefaultHasher) {
    parts.len().hash(hasher);
    parts.iter().for_each(|part| hash_literal(part, hasher));
}

fn hash_literal(literal: &Literal, hasher: &mut DefaultHasher) {
    std::mem::discriminant(literal).hash(hasher);
    match literal {
        Literal::Is(atom) => hash_atom(atom, hasher),
        Literal::Distinct(a, b, _) => {
            hash_term(a, hasher);
            hash_term(b, hasher);
        }
        Literal::Not(inner, _) => hash_literal(inner, hasher),
        Literal::Or(parts, _) | Literal::And(parts, _) => hash_all(parts, hasher),
    }
}

fn hash_atom(atom: &Atom, hasher: &mut DefaultHasher) {
    atom.name.hash(hasher);
    atom.args.len().hash(hasher);
    atom.args.iter().for_each(|arg| hash_term(arg, hasher));
}

fn hash_term(term: &Term, hasher: &mut DefaultHasher) {
    std::mem::discriminant(&term.kind).hash(hasher);
    match &term.kind {
        TermKind::Var(var) => var.hash(hasher),
        TermKind::Name(name) => name.hash(hasher),
        TermKind::Call(name, args) => {
            name.hash(hasher);
            args.len().hash(hasher);
            args.iter().for_each(|arg| hash_term(arg, hasher));
        }
    }
}
