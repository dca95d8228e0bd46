//! The two written forms, and how to tell which of them a text has.
//!
//! | | KIF | infix |
//! |---|---|---|
//! | fact | `(init (cell 1 1 b))` | `init(cell(1, 1, b))` |
//! | rule | `(<= head a b)` | `head :- a & b` |
//! | rule without conditions | `(<= head)` | `head :- .` |
//! | not | `(not a)` | `~a` or `not(a)` |
//! | or, and | `(or a (and b c))` | <code>a \| b & c</code>, or with parentheses, or `or(a, and(b, c))` |
//! | distinct | `(distinct ?x ?y)` | `distinct(X, Y)` |
//! | variable | `?x` | begins with an upper-case letter or `_`; a lone `_` is another variable every time |
//! | name | anything but space, `(`, `)`, `;`, controls, and `?` at the start | letters, digits, `_+-*/$@#^`; others in quotes: `'It''s'` |
//! | comment | from `;` to the end of the line | from `%` (or `;`) to the end of the line |
//! | between clauses | nothing | nothing, or a period |
//!
//! Names and variables compare without regard to case in both. In infix, a chain of conditions without parentheses is
//! one list, so `(a & b) & c` has another shape than `a & b & c`, though the same meaning. At the start of a text,
//! comments of either form are skipped.

use crate::infix;
use crate::kif;

/// How rules are written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Default)]
pub enum Form {
    /// Prefix: `(<= (legal ?w noop) (true (control ?b)))`. What the GGP protocol and published rulesheets use.
    #[default]
    Kif,
    /// Infix: `legal(W, noop) :- true(control(B))`.
    Infix,
}

impl Form {
    /// Which form a text has.
    ///
    /// The first thing that is neither space nor comment decides, if it is a parenthesis: KIF. If it is a word, then
    /// whatever first shows the form does: infix punctuation, or what is in the first parentheses. A text of nothing
    /// but plain words reads the same in both forms and is called KIF.
    ///
    /// ```
    /// use gdl::Form;
    /// assert_eq!(Form::of("; a game\n(role me)"), Form::Kif);
    /// assert_eq!(Form::of("terminal (role me)"), Form::Kif);
    /// assert_eq!(Form::of("% a game\nrole(me)"), Form::Infix);
    /// assert_eq!(Form::of("terminal :- true(done)"), Form::Infix);
    /// ```
    pub fn of(text: &str) -> Form {
        let start = preamble(text);
        // `%` begins comments in infix only, so a text of nothing else must be read that way.
        if start == text.len() && text.contains('%') {
            return Form::Infix;
        }
        let mut rest = &text[start..];
        // `//` begins no comment of either form, but is often meant to, and what it says must not decide. In infix it is a
        // name like others, but there no clause begins with a parenthesis.
        let mut after = rest;
        while after.starts_with("//") {
            let (line, more) = after.split_at(after.find(['\n', '\r']).unwrap_or(after.len()));
            if line.contains(":-") {
                break;
            }
            after = skip(more);
        }
        if after.starts_with('(') {
            rest = after;
        }
        loop {
            let (word, after) = split_word(rest);
            if word.is_empty() {
                return Form::Kif;
            }
            if word.contains(['&', '|', '~', ',', '.', ':', '\'']) {
                return Form::Infix;
            }
            if !word.chars().all(infix::is_word) {
                return Form::Kif;
            }
            rest = skip(after);
            if let Some(inside) = rest.strip_prefix('(') {
                return if reads_as_arguments(inside) { Form::Infix } else { Form::Kif };
            }
        }
    }
}

/// Whether what follows an opening parenthesis after a word looks like arguments (`a, b)`, `f(x)`, `)`) and not like
/// a list in KIF (`a b)`, `(a b) c)`).
fn reads_as_arguments(inside: &str) -> bool {
    let inside = skip(inside);
    if inside.starts_with(['(', '?']) {
        return false;
    }
    let (word, after) = split_word(inside);
    word.contains([',', '\''])
        || after.starts_with('(')
        || skip(after).starts_with([')', ','])
        || skip(after).is_empty()
}

/// The word at the start, as KIF would cut it, and what follows.
fn split_word(text: &str) -> (&str, &str) {
    let end = text.bytes().position(kif::ends_word).unwrap_or(text.len());
    text.split_at(end)
}

/// Without leading space and comments of either form.
fn skip(mut text: &str) -> &str {
    loop {
        text = text.trim_start_matches(|c: char| c.is_ascii() && kif::is_space(c as u8));
        if !text.starts_with([';', '%']) {
            return text;
        }
        text = text.find(['\n', '\r']).map_or("", |end| &text[end..]);
    }
}

/// Where the first clause may begin: after a byte-order mark, space, and comments of either form.
pub(crate) fn preamble(text: &str) -> usize {
    text.len() - skip(text.strip_prefix('\u{feff}').unwrap_or(text)).len()
}
