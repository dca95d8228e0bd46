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

mod kif;
mod lower;
pub mod problem;
pub mod rules;
pub mod symbol;

pub use problem::{Problem, Severity, Source, Span};
pub use rules::{Atom, Clause, Literal, Rules, Term, TermKind, Var};
pub use symbol::{Symbol, Symbols};

/// The longest text that is read. Published rulesheets are below 1 MiB; whatever is longer is not a rulesheet.
pub const MAX_BYTES: usize = 16 << 20;

/// How deeply terms and conditions may be nested. Everything that walks over rules may use the stack within this.
pub const MAX_DEPTH: usize = 200;

/// What came out of a text: the rules as far as they could be read, and everything that was wrong with the writing.
pub struct Parsed {
    /// The clauses that could be read.
    pub rules: Rules,
    /// Syntax errors, in the order of the text. With any of these, `rules` is incomplete.
    pub problems: Vec<Problem>,
}

/// Reads rules in either form.
pub fn parse(text: &str) -> Parsed {
    if text.len() > MAX_BYTES {
        let message = format!("this text has {} bytes; a rulesheet may have at most {MAX_BYTES}", text.len());
        let problem = Problem::error("too-large", Span::new(0, 0), message, "is this really a game description?");
        return Parsed { rules: Rules::default(), problems: vec![problem] };
    }
    let mut problems = Vec::new();
    let tree = kif::read(text, &mut problems);
    let rules = lower::lower(text, &tree, &mut problems);
    problems.sort_by_key(|p| p.span.start);
    Parsed { rules, problems }
}

/// As [`parse`], from bytes: text that is not UTF-8 is an error that names the place.
pub fn parse_bytes(bytes: &[u8]) -> Parsed {
    match std::str::from_utf8(bytes) {
        Ok(text) => parse(text),
        Err(error) => {
            let at = error.valid_up_to() as u32;
            let line = bytes[..error.valid_up_to()].iter().filter(|&&b| b == b'\n').count() + 1;
            let message = format!("byte {at} (line {line}) is not UTF-8 text");
            let problem = Problem::error("not-text", Span::new(at, at), message, "save the rulesheet as UTF-8");
            Parsed { rules: Rules::default(), problems: vec![problem] }
        }
    }
}
