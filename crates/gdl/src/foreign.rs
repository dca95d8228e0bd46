//! Signs of other languages in KIF: comments with `//`, commas, `=>`, `!=`, infix lines, curly quotes. All of them can be
//! read as names, so what follows is fifty strange problems; one that names the right form is told instead.

use crate::problem::{Problem, Severity, Span};
use crate::tree::{NodeKind, Tree, quote};

/// What is foreign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Comment,
    Infix,
    Comma,
    Arrow,
    NotEqual,
    Not,
    Quote,
}

impl Kind {
    fn code(self) -> &'static str {
        match self {
            Kind::Comment => "foreign-comment",
            Kind::Infix => "infix-line",
            Kind::Comma => "comma",
            Kind::Arrow => "arrow",
            Kind::NotEqual => "not-equal",
            Kind::Not => "foreign-not",
            Kind::Quote => "curly-quote",
        }
    }

    fn message(self, word: &str) -> String {
        match self {
            Kind::Comment => "`//` does not begin a comment here".to_string(),
            Kind::Infix => "this is written in the infix form, and the rest is not".to_string(),
            Kind::Comma => format!("a comma does not divide terms in this form; it is a part of `{word}`"),
            Kind::Arrow => format!("`{word}` has no meaning in GDL"),
            Kind::NotEqual => format!("`{word}` has no meaning in GDL"),
            Kind::Not => format!("`{word}` does not mean `not` in this form"),
            Kind::Quote => format!("there is a curly quote in `{word}`, and it is a part of the name"),
        }
    }

    fn hint(self) -> &'static str {
        match self {
            Kind::Comment => "write `;` before a comment",
            Kind::Infix => "write (legal ?w noop) for legal(W, noop), and (<= head condition …) for head :- conditions",
            Kind::Comma => "write spaces between terms, as in (cell ?x ?y b)",
            Kind::Arrow => "write the head first: (<= head condition …)",
            Kind::NotEqual => "write (distinct ?x ?y)",
            Kind::Not => "write (not (true …))",
            Kind::Quote => "write names without quotes",
        }
    }
}

/// All signs of one kind.
pub(crate) struct Sign {
    kind: Kind,
    first: Span,
    word: String,
    count: usize,
    /// The pieces of the text that cannot be understood because of it.
    spoils: Vec<Span>,
}

impl Sign {
    fn problem(&self, severity: Severity) -> Problem {
        let mut message = self.kind.message(&self.word);
        match self.count - 1 {
            0 => {}
            1 => message += " (and in 1 other place)",
            others => message += &format!(" (and in {others} other places)"),
        }
        Problem { severity, code: self.kind.code(), span: self.first, message, hint: self.kind.hint().to_string() }
    }

    fn spoils(&self, span: Span) -> bool {
        let after = self.spoils.partition_point(|piece| piece.start <= span.start);
        self.spoils[..after].last().is_some_and(|piece| span.start < piece.end)
    }
}

/// Finds the signs in a text that was read as KIF.
pub(crate) fn signs(text: &str, tree: &Tree<'_>) -> Vec<Sign> {
    let mut parents: Vec<Option<(u32, usize)>> = vec![None; tree.nodes.len()];
    for (number, node) in tree.nodes.iter().enumerate() {
        if let NodeKind::List(members) = &node.kind {
            for (at, &member) in members.iter().enumerate() {
                parents[member as usize] = Some((number as u32, at));
            }
        }
    }
    let clauses = tree.unwrapped();
    let is_clause = |node: u32| clauses.binary_search_by_key(&tree.span(node).start, |&c| tree.span(c).start).is_ok();
    let mut found: Vec<Sign> = Vec::new();
    for (number, node) in tree.nodes.iter().enumerate() {
        if matches!(node.kind, NodeKind::List(_)) {
            continue;
        }
        let (start, end) = (node.span.start as usize, node.span.end as usize);
        let word = &text[start..end];
        let top = is_clause(number as u32);
        let place = if top { None } else { parents[number] };
        let Some(kind) = kind(word, text[end..].starts_with('('), place.map(|(_, at)| at)) else { continue };
        // One comment, line or clause is one place, however many signs it has; and what stands in a comment, or in a
        // line of the other form, is no sign of anything else.
        let inside = |sign: &Sign| sign.spoils.last().is_some_and(|piece| node.span.start < piece.end);
        let covers = |sign: &Sign| sign.kind == kind || matches!(sign.kind, Kind::Comment | Kind::Infix);
        if found.iter().any(|sign| covers(sign) && inside(sign)) {
            continue;
        }
        let spoiled = match (top, kind) {
            (true, Kind::Comment) => Span::new(node.span.start, line_end(text, end)),
            (true, _) => Span::new(line_start(text, start), line_end(text, end)),
            (false, _) => clause_around(tree, clauses, node.span),
        };
        match found.iter_mut().find(|sign| sign.kind == kind) {
            Some(sign) => {
                sign.count += 1;
                sign.spoils.push(spoiled);
            }
            None => found.push(Sign { kind, first: node.span, word: quote(word), count: 1, spoils: vec![spoiled] }),
        }
    }
    found
}

/// What a word is a sign of. `place` is its number in the list around it, if it is not a clause by itself.
fn kind(word: &str, touches: bool, place: Option<usize>) -> Option<Kind> {
    const ASKED: [&str; 10] = ["true", "does", "not", "or", "distinct", "role", "next", "init", "legal", "goal"];
    let keyword = || ASKED.iter().any(|asked| word.eq_ignore_ascii_case(asked));
    if word.starts_with("//") {
        return Some(Kind::Comment);
    }
    if word == ":-" || (place.is_none() && matches!(word, "&" | "|" | "~")) {
        return Some(Kind::Infix);
    }
    // `(true(cell 1 1 b))` is KIF without a space; `true(…)` after something else in a list is not.
    if touches && place.map_or(!word.eq_ignore_ascii_case("terminal"), |at| at > 0 && keyword()) {
        return Some(Kind::Infix);
    }
    match word {
        "=>" | "->" | "<-" => Some(Kind::Arrow),
        "!=" | "/=" | "<>" | "\\=" | "=/=" => Some(Kind::NotEqual),
        "~" | "!" | "¬" if place == Some(0) => Some(Kind::Not),
        _ if word.contains(',') => Some(Kind::Comma),
        _ if word.contains(['‘', '’', '“', '”', '„', '‟', '«', '»']) => Some(Kind::Quote),
        _ => None,
    }
}

fn line_start(text: &str, at: usize) -> u32 {
    text[..at].rfind('\n').map_or(0, |before| before + 1) as u32
}

fn line_end(text: &str, at: usize) -> u32 {
    text[at..].find('\n').map_or(text.len(), |after| at + after) as u32
}

/// The clause that a word stands in; the word itself if it stands in none that is whole.
fn clause_around(tree: &Tree<'_>, clauses: &[u32], word: Span) -> Span {
    let after = clauses.partition_point(|&clause| tree.span(clause).start <= word.start);
    match clauses[..after].last() {
        Some(&clause) if tree.span(clause).end >= word.end => tree.span(clause),
        _ => word,
    }
}

/// Puts one error in the place of all those that come from a sign.
pub(crate) fn collapse(signs: &[Sign], problems: &mut Vec<Problem>) {
    for sign in signs {
        let before = problems.len();
        problems.retain(|problem| !sign.spoils(problem.span));
        if problems.len() < before {
            problems.push(sign.problem(Severity::Error));
        }
    }
}

/// Adds a warning for each sign that was not told yet, and removes what comes from it.
pub(crate) fn warn(signs: &[Sign], problems: &mut Vec<Problem>) {
    problems.retain(|problem| {
        let own = signs.iter().any(|sign| sign.kind.code() == problem.code);
        own || !signs.iter().any(|sign| sign.spoils(problem.span))
    });
    for sign in signs {
        if !problems.iter().any(|problem| problem.code == sign.kind.code()) {
            problems.push(sign.problem(Severity::Warning));
        }
    }
}
