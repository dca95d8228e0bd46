//! Rules to text, in both forms.
//!
//! What is printed reads back as the same rules (see [`Rules::same`]), in the form it was printed in, for all rules
//! that came from a text. In rules made by hand: names must be names of KIF (not empty, no space, parentheses, `;` or
//! control characters, no `?` at the start), no condition may be a sentence with one of the names `not`, `or`, `and`,
//! `distinct` or `<=` and parentheses, no fact one with `<=` and parentheses, and nothing may be nested deeper than
//! [`MAX_DEPTH`](crate::MAX_DEPTH).
//!
//! Names appear as first written. Variables keep their names; infix writes their initials in upper case, and gives new
//! names to those with characters that it cannot write.

use std::collections::HashSet;
use std::fmt::{self, Write};

use crate::form::Form;
use crate::infix::{is_word, starts_variable};
use crate::kif;
use crate::rules::{Atom, Clause, Literal, Rules, Term, TermKind};
use crate::symbol::{Symbol, Symbols, fold};

/// Conditions that would make a longer line are divided.
const WIDE: usize = 100;

/// Conditions that stand farther to the right than this are never divided, or indentation would be most of the text.
const FAR: usize = 60;

/// The whole rules: a line for each fact and for each condition of a rule, and an empty line where the relation of the
/// heads changes.
///
/// ```
/// let rules = gdl::parse("(role me) (<= (legal ?p go) (role ?p) (not (true end)))").rules;
/// assert_eq!(gdl::print(&rules, gdl::Form::Kif), "\
/// (role me)
///
/// (<= (legal ?p go)
///     (role ?p)
///     (not (true end)))
/// ");
/// assert_eq!(gdl::print(&rules, gdl::Form::Infix), "\
/// role(me)
///
/// legal(P, go) :-
///     role(P) &
///     ~true(end)
/// ");
/// ```
pub fn print(rules: &Rules, form: Form) -> String {
    let mut out = String::new();
    let mut before = None;
    for clause in &rules.clauses {
        let name = clause.head.name;
        if before.is_some_and(|before| before != name) {
            out.push('\n');
        }
        // A text must not begin with a plain word: it would not show its form, and a word may begin like a comment.
        let bare = before.is_none() && !clause.is_rule && clause.head.args.is_empty() && !clause.head.parens;
        match form {
            Form::Kif if bare && name != Symbol::IF => {
                let _ = write!(out, "({})", rules.symbols.name(name));
            }
            Form::Infix if bare => {
                out.push_str(&self::clause(clause, &rules.symbols, form));
                out.push('.');
            }
            _ => out.push_str(&self::clause(clause, &rules.symbols, form)),
        }
        out.push('\n');
        before = Some(name);
    }
    out
}

/// One clause, in several lines if it is a rule with conditions. No line break at the end.
///
/// ```
/// let rules = gdl::parse("p(X) :- q(X, Y) & (r(Y) | ~s)").rules;
/// let text = gdl::print::clause(&rules.clauses[0], &rules.symbols, gdl::Form::Kif);
/// assert_eq!(text, "(<= (p ?X)\n    (q ?X ?Y)\n    (or (r ?Y) (not s)))");
/// ```
pub fn clause(clause: &Clause, symbols: &Symbols, form: Form) -> String {
    let vars = variables(&clause.vars, form);
    let printer = Printer { symbols, vars: &vars, form };
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = printer.clause(&mut out, clause);
    out
}

/// One condition in one line. `vars` are the names of its clause's variables.
///
/// ```
/// let rules = gdl::parse("(<= p (not (q ?x)))").rules;
/// let clause = &rules.clauses[0];
/// assert_eq!(gdl::print::literal(&clause.body[0], &clause.vars, &rules.symbols, gdl::Form::Infix), "~q(X)");
/// ```
pub fn literal(literal: &Literal, vars: &[String], symbols: &Symbols, form: Form) -> String {
    line(vars, symbols, form, |printer, out| printer.literal(out, literal))
}

/// One sentence. `vars` are the names of its clause's variables.
///
/// ```
/// let rules = gdl::parse("(init (cell 1 Black))").rules;
/// let text = gdl::print::atom(&rules.clauses[0].head, &[], &rules.symbols, gdl::Form::Infix);
/// assert_eq!(text, "init(cell(1, 'Black'))");
/// ```
pub fn atom(atom: &Atom, vars: &[String], symbols: &Symbols, form: Form) -> String {
    line(vars, symbols, form, |printer, out| printer.atom(out, atom))
}

/// One term. `vars` are the names of its clause's variables; a term without variables needs none.
///
/// ```
/// let rules = gdl::parse("init(cell(1, b))").rules;
/// let text = gdl::print::term(&rules.clauses[0].head.args[0], &[], &rules.symbols, gdl::Form::Kif);
/// assert_eq!(text, "(cell 1 b)");
/// ```
pub fn term(term: &Term, vars: &[String], symbols: &Symbols, form: Form) -> String {
    line(vars, symbols, form, |printer, out| printer.term(out, term))
}

fn line(
    vars: &[String],
    symbols: &Symbols,
    form: Form,
    write: impl Fn(&Printer<'_>, &mut String) -> fmt::Result,
) -> String {
    let vars = variables(vars, form);
    let mut out = String::new();
    let _ = write(&Printer { symbols, vars: &vars, form }, &mut out);
    out
}

/// How the variables of a clause are written: all different, and as they are named where the form can write that.
fn variables(names: &[String], form: Form) -> Vec<String> {
    let mut taken = HashSet::new();
    let kept: Vec<Option<String>> = names
        .iter()
        .map(|name| {
            let written = match form {
                Form::Kif => is_kif_word(name).then(|| format!("?{name}")),
                Form::Infix => infix_variable(name),
            };
            written.filter(|written| taken.insert(fold(written)))
        })
        .collect();
    let initial = if form == Form::Kif { "?v" } else { "V" };
    let mut fresh = (1..).map(|number| format!("{initial}{number}")).filter(|name| !taken.contains(&fold(name)));
    kept.into_iter().map(|name| name.or_else(|| fresh.next()).unwrap_or_default()).collect()
}

fn is_kif_word(name: &str) -> bool {
    !name.is_empty() && !name.bytes().any(kif::ends_word) && !name.chars().any(char::is_control)
}

/// The name as a variable of the infix form, if it can be one.
fn infix_variable(name: &str) -> Option<String> {
    // A lone `_` would be another variable every time.
    let first = name.chars().next().filter(|_| name != "_" && name.chars().all(is_word))?;
    if starts_variable(first) {
        return Some(name.to_string());
    }
    let capital: String = first.to_uppercase().chain(name.chars().skip(1)).collect();
    if capital.starts_with(starts_variable) && fold(&capital) == fold(name) {
        return Some(capital);
    }
    Some(format!("_{name}"))
}

/// Whether a name must be quoted in the infix form.
fn needs_quotes(name: &str) -> bool {
    name.starts_with(starts_variable) || name.is_empty() || !name.chars().all(is_word)
}

/// Takes text as long as there is room, to find out whether there is.
struct Room(usize);

impl Write for Room {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.checked_sub(text.len()).ok_or(fmt::Error)?;
        Ok(())
    }
}

struct Printer<'a> {
    symbols: &'a Symbols,
    vars: &'a [String],
    form: Form,
}

impl Printer<'_> {
    fn clause(&self, out: &mut String, clause: &Clause) -> fmt::Result {
        if !clause.is_rule {
            return self.atom(out, &clause.head);
        }
        match self.form {
            Form::Kif => {
                out.push_str("(<= ");
                self.atom(out, &clause.head)?;
                self.parts(out, &clause.body, 4, "")?;
                out.push(')');
            }
            Form::Infix => {
                self.atom(out, &clause.head)?;
                out.push_str(if clause.body.is_empty() { " :- ." } else { " :-" });
                self.parts(out, &clause.body, 4, " &")?;
            }
        }
        Ok(())
    }

    /// Conditions, each on a new line, with a sign between them.
    fn parts(&self, out: &mut String, parts: &[Literal], indent: usize, sign: &str) -> fmt::Result {
        for (at, part) in parts.iter().enumerate() {
            write!(out, "{}\n{:indent$}", if at > 0 { sign } else { "" }, "")?;
            self.condition(out, part, indent)?;
        }
        Ok(())
    }

    /// A condition that begins at a column, in several lines if it is long.
    fn condition(&self, out: &mut String, literal: &Literal, indent: usize) -> fmt::Result {
        let inside = indent + 4;
        if indent > FAR || self.literal(&mut Room(WIDE.saturating_sub(indent)), literal).is_ok() {
            return self.literal(out, literal);
        }
        match (literal, self.form) {
            (Literal::Not(inner, _), Form::Kif) => {
                out.push_str("(not");
                self.parts(out, std::slice::from_ref(inner), inside, "")?;
                out.push(')');
            }
            (Literal::Not(inner, _), Form::Infix) => {
                out.push('~');
                self.condition(out, inner, indent)?;
            }
            (Literal::Or(parts, _) | Literal::And(parts, _), Form::Kif) => {
                out.push_str(if matches!(literal, Literal::Or(..)) { "(or" } else { "(and" });
                self.parts(out, parts, inside, "")?;
                out.push(')');
            }
            (Literal::Or(parts, _) | Literal::And(parts, _), Form::Infix) if parts.len() > 1 => {
                out.push('(');
                self.parts(out, parts, inside, if matches!(literal, Literal::Or(..)) { " |" } else { " &" })?;
                write!(out, "\n{:indent$})", "")?;
            }
            _ => self.literal(out, literal)?,
        }
        Ok(())
    }

    fn literal(&self, out: &mut dyn Write, literal: &Literal) -> fmt::Result {
        match (literal, self.form) {
            (Literal::Is(atom), _) => self.atom(out, atom),
            (Literal::Distinct(a, b, _), _) => self.list(out, "distinct", &mut [a, b].into_iter(), Printer::term),
            (Literal::Not(inner, _), Form::Infix) => {
                out.write_char('~')?;
                self.literal(out, inner)
            }
            (Literal::Not(inner, _), Form::Kif) => {
                self.list(out, "not", &mut std::iter::once(&**inner), Printer::literal)
            }
            (Literal::Or(parts, _), Form::Infix) if parts.len() > 1 => self.chain(out, parts, " | "),
            (Literal::And(parts, _), Form::Infix) if parts.len() > 1 => self.chain(out, parts, " & "),
            (Literal::Or(parts, _), _) => self.list(out, "or", &mut parts.iter(), Printer::literal),
            (Literal::And(parts, _), _) => self.list(out, "and", &mut parts.iter(), Printer::literal),
        }
    }

    fn chain(&self, out: &mut dyn Write, parts: &[Literal], sign: &str) -> fmt::Result {
        for (at, part) in parts.iter().enumerate() {
            out.write_str(if at > 0 { sign } else { "(" })?;
            self.literal(out, part)?;
        }
        out.write_char(')')
    }

    fn atom(&self, out: &mut dyn Write, atom: &Atom) -> fmt::Result {
        if !atom.parens && atom.args.is_empty() {
            // Without quotes, `not` would seem to have lost its parentheses.
            if atom.name == Symbol::NOT && self.form == Form::Infix {
                return out.write_str("'not'");
            }
            return self.name(out, atom.name);
        }
        self.list(out, &self.written(atom.name), &mut atom.args.iter(), Printer::term)
    }

    fn term(&self, out: &mut dyn Write, term: &Term) -> fmt::Result {
        match &term.kind {
            TermKind::Var(var) => match self.vars.get(var.0 as usize) {
                Some(name) => out.write_str(name),
                None if self.form == Form::Kif => write!(out, "?{}", var.0),
                None => write!(out, "_{}", var.0),
            },
            TermKind::Name(name) => self.name(out, *name),
            TermKind::Call(name, args) => self.list(out, &self.written(*name), &mut args.iter(), Printer::term),
        }
    }

    /// `(name part part)` or `name(part, part)`.
    fn list<'t, T>(
        &self,
        out: &mut dyn Write,
        name: &str,
        parts: &mut dyn Iterator<Item = &'t T>,
        write: impl Fn(&Self, &mut dyn Write, &'t T) -> fmt::Result,
    ) -> fmt::Result {
        let (open, sign) = match self.form {
            Form::Kif => (["(", name], " "),
            Form::Infix => ([name, "("], ", "),
        };
        out.write_str(open[0])?;
        out.write_str(open[1])?;
        for (at, part) in parts.enumerate() {
            if at > 0 || self.form == Form::Kif {
                out.write_str(sign)?;
            }
            write(self, out, part)?;
        }
        out.write_char(')')
    }

    fn name(&self, out: &mut dyn Write, name: Symbol) -> fmt::Result {
        out.write_str(&self.written(name))
    }

    fn written(&self, name: Symbol) -> std::borrow::Cow<'_, str> {
        let name = self.symbols.name(name);
        match self.form {
            Form::Infix if needs_quotes(name) => format!("'{}'", name.replace('\'', "''")).into(),
            _ => name.into(),
        }
    }
}
