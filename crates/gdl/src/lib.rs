//! Text to rules: reads game descriptions (GDL) in both of their written forms, finds what is wrong with them, prints
//! them, and renames everything in them.
//!
//! This crate knows text and rules; it knows nothing of states, of moves being made, or of search.
//!
//! ```
//! let parsed = gdl::parse("(role me) (legal me go) (<= terminal (true done)) (goal me 100)");
//! assert!(parsed.problems.is_empty());
//! assert_eq!(parsed.rules.clauses.len(), 4);
//!
//! let parsed = gdl::parse("(role me) (legal me");
//! assert_eq!(parsed.problems[0].message, "this parenthesis is never closed");
//! ```

#![forbid(unsafe_code)]

mod foreign;
pub mod form;
pub mod identity;
mod infix;
mod kif;
pub mod limits;
mod lower;
pub mod print;
pub mod problem;
pub mod rules;
mod same;
pub mod scramble;
pub mod symbol;
mod term;
mod tree;
pub mod validate;

pub use form::Form;
pub use identity::{Identity, Renaming, identity, isomorphism};
use limits::Meter;
pub use limits::{Limits, Unfinished};
pub use print::print;
pub use problem::{Problem, Severity, Source, Span};
pub use rules::{Atom, Clause, Literal, Rules, Term, TermKind, Var};
pub use scramble::Scrambler;
pub use symbol::{Symbol, Symbols};
pub use term::read_term;

/// The longest text that is read. Published rulesheets are below 1 MiB; whatever is longer is not a rulesheet.
pub const MAX_BYTES: usize = 16 << 20;

/// How deeply terms and conditions may be nested. Everything that walks over rules may use the stack within this.
pub const MAX_DEPTH: usize = 200;

/// What came out of a text: the rules as far as they could be read, and everything that was wrong with the writing.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The clauses that could be read.
    pub rules: Rules,
    /// How the text is written.
    pub form: Form,
    /// Syntax errors, in the order of the text. With any of these, `rules` is incomplete.
    pub problems: Vec<Problem>,
}

/// Reads rules in either form; [`Form::of`] says how they are told apart.
///
/// ```
/// let kif = gdl::parse("(<= (legal ?w (mark ?x)) (true (cell ?x b)) (true (control ?w)))");
/// let infix = gdl::parse("legal(W, mark(X)) :- true(cell(X, b)) & true(control(W))");
/// assert!(kif.rules.same(&infix.rules));
/// assert_eq!((kif.form, infix.form), (gdl::Form::Kif, gdl::Form::Infix));
/// ```
pub fn parse(text: &str) -> Parsed {
    match too_large(text.len()) {
        Some(problem) => unread(problem),
        None => parse_as(text, Form::of(text)),
    }
}

/// As [`parse`], within limits; see [`Limits`].
pub fn parse_within(text: &str, limits: &Limits<'_>) -> Result<Parsed, Unfinished> {
    match too_large(text.len()) {
        Some(problem) => Ok(unread(problem)),
        None => Ok(read(text, Form::of(text), limits, false)?.0),
    }
}

/// As [`parse`], when the form is known.
///
/// ```
/// assert!(gdl::parse_as("role(me)", gdl::Form::Infix).problems.is_empty());
/// ```
pub fn parse_as(text: &str, form: Form) -> Parsed {
    if let Some(problem) = too_large(text.len()) {
        return unread(problem);
    }
    match read(text, form, &Limits::default(), false) {
        Ok((parsed, _)) => parsed,
        Err(unfinished) => {
            let hint = "is this really a game description?";
            unread(Problem::error("too-large", Span::new(0, 0), unfinished.to_string(), hint))
        }
    }
}

/// Everything that is wrong with a text: with its writing, and strictly with its rules (see [`validate`]), in the order
/// of the text. Where something could not be read, what seems to be missing is not told, as it may stand just there.
///
/// ```
/// let checked = gdl::check("(role me) (legal me go) // the only move", &gdl::Limits::default()).unwrap();
/// let told: Vec<&str> = checked.problems.iter().map(|problem| problem.code).collect();
/// assert_eq!(told, ["foreign-comment"]);
/// ```
pub fn check(text: &str, limits: &Limits<'_>) -> Result<Parsed, Unfinished> {
    if let Some(problem) = too_large(text.len()) {
        return Ok(unread(problem));
    }
    let (mut parsed, signs) = read(text, Form::of(text), limits, true)?;
    let whole = parsed.problems.is_empty() && signs.is_empty();
    // A clause that could not be read may be just the one that seems to be missing, and names may mean something else
    // in it; everything else stays true whatever it says.
    let lacking = |problem: &Problem| {
        let codes = [
            "undefined",
            "unused",
            "never-true",
            "never-done",
            "never-matches",
            "unknown-role",
            "relation-and-function",
            "several-arities",
        ];
        problem.code.starts_with("missing-") || codes.contains(&problem.code)
    };
    let problems = validate::validate_within(&parsed.rules, limits)?;
    parsed.problems.extend(problems.into_iter().filter(|problem| whole || !lacking(problem)));
    foreign::warn(&signs, &mut parsed.problems);
    parsed.problems.sort_by_key(|problem| problem.span);
    Ok(parsed)
}

/// The text as rules; and the signs of other languages, where they are `wanted` or something is wrong.
fn read(text: &str, form: Form, limits: &Limits<'_>, wanted: bool) -> Result<(Parsed, Vec<foreign::Sign>), Unfinished> {
    let mut meter = Meter::new(limits);
    let mut problems = Vec::new();
    let tree = match form {
        Form::Kif => kif::read(text, form::preamble(text), &mut problems, &mut meter)?,
        Form::Infix => infix::read(text, &mut problems, &mut meter)?,
    };
    let rules = lower::lower(text, form, &tree, &mut problems, &mut meter)?;
    let all = problems.len() < tree::MOST_PROBLEMS;
    let signs = match form {
        Form::Kif if wanted || !problems.is_empty() => foreign::signs(text, &tree),
        Form::Kif | Form::Infix => Vec::new(),
    };
    foreign::collapse(&signs, &mut problems);
    problems.sort_by_key(|problem| problem.span.start);
    if !all && let Some(last) = problems.last() {
        let message = "there may be more problems; no more are told";
        problems.push(Problem::error("and-more", last.span, message, "correct these first"));
    }
    Ok((Parsed { rules, form, problems }, signs))
}

/// As [`parse`], from bytes: text that is not UTF-8 is an error that names the place.
///
/// ```
/// let parsed = gdl::parse_bytes(b"(role me)\n(role \xff)");
/// assert_eq!(parsed.problems[0].message, "byte 16 (line 2) is not UTF-8 text");
/// ```
pub fn parse_bytes(bytes: &[u8]) -> Parsed {
    if let Some(problem) = too_large(bytes.len()) {
        return unread(problem);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => parse(text),
        Err(error) => {
            let at = error.valid_up_to() as u32;
            let line = bytes[..error.valid_up_to()].iter().filter(|&&b| b == b'\n').count() + 1;
            let message = format!("byte {at} (line {line}) is not UTF-8 text");
            unread(Problem::error("not-text", Span::new(at, at), message, "save the rulesheet as UTF-8"))
        }
    }
}

/// The problem of a text that is too long to be read.
pub(crate) fn too_large(bytes: usize) -> Option<Problem> {
    (bytes > MAX_BYTES).then(|| {
        let message = format!("this text has {bytes} bytes; a rulesheet may have at most {MAX_BYTES}");
        Problem::error("too-large", Span::new(0, 0), message, "is this really a game description?")
    })
}

fn unread(problem: Problem) -> Parsed {
    Parsed { rules: Rules::default(), form: Form::default(), problems: vec![problem] }
}
