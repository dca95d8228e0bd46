//! The prefix form: parentheses and words to a tree. No recursion anywhere, so that no text can exhaust the stack.

use std::borrow::Cow;

use crate::MAX_DEPTH;
use crate::limits::{Meter, Unfinished};
use crate::problem::{Problem, Span};
use crate::tree::{MOST_PROBLEMS, NodeKind, Tree};

/// Reads the text from an offset on. What is broken is told in `problems`; what can be read is in the tree.
pub(crate) fn read<'a>(
    text: &'a str,
    from: usize,
    problems: &mut Vec<Problem>,
    meter: &mut Meter<'_>,
) -> Result<Tree<'a>, Unfinished> {
    let known = problems.len();
    let tree = Reader::new(text, from, false, problems).read(meter)?;
    if !problems[known..].iter().any(|problem| problem.code == "unclosed") {
        return Ok(tree);
    }
    meter.give_back(tree.bytes());
    drop(tree);
    // A parenthesis is missing somewhere, and everything after it seems to be inside that list. Read again, now with
    // every rule as a new start, so that the rest of the text is read too.
    problems.truncate(known);
    Reader::new(text, from, true, problems).read(meter)
}

/// Whether this byte stands between words. A byte of a longer character never is.
pub(crate) fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

/// Whether a word ends before this byte.
pub(crate) fn ends_word(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b'(' | b')' | b';')
}

struct Reader<'a, 'p> {
    text: &'a str,
    at: usize,
    /// Whether `(<=` ends what is open: a rule can stand in nothing but the list around everything.
    resync: bool,
    tree: Tree<'a>,
    /// The open lists: where each began, and its members so far.
    open: Vec<(u32, Vec<u32>)>,
    problems: &'p mut Vec<Problem>,
}

impl<'a, 'p> Reader<'a, 'p> {
    fn new(text: &'a str, at: usize, resync: bool, problems: &'p mut Vec<Problem>) -> Reader<'a, 'p> {
        Reader { text, at, resync, tree: Tree::default(), open: Vec::new(), problems }
    }

    fn read(mut self, meter: &mut Meter<'_>) -> Result<Tree<'a>, Unfinished> {
        let bytes = self.text.as_bytes();
        let mut known = 0;
        while self.at < bytes.len() {
            if self.problems.len() >= MOST_PROBLEMS {
                return Ok(self.tree);
            }
            let now = self.tree.bytes();
            meter.step(now - known)?;
            known = now;
            match bytes[self.at] {
                b';' => {
                    let rest = &bytes[self.at..];
                    self.at += rest.iter().position(|&byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
                }
                b'(' => {
                    if self.resync {
                        self.close_before_rule();
                    }
                    if self.open.len() == MAX_DEPTH {
                        self.too_deep();
                        return Ok(self.tree);
                    }
                    self.open.push((self.at as u32, Vec::new()));
                    self.at += 1;
                }
                b')' => self.close(),
                byte if is_space(byte) => self.at += 1,
                _ => self.word(),
            }
            if let Some(problem) = self.tree.full(self.at) {
                self.problems.push(problem);
                return Ok(Tree::default());
            }
        }
        // What is whole inside an unclosed list around everything can be understood nevertheless.
        if self.wrapped()
            && let Some((_, members)) = self.open.first_mut()
        {
            self.tree.roots.append(members);
        }
        for (start, _) in self.open {
            self.problems.push(Problem::error(
                "unclosed",
                Span::new(start, start + 1),
                "this parenthesis is never closed",
                "add `)` where this list should end",
            ));
        }
        Ok(self.tree)
    }

    fn put(&mut self, node: u32) {
        self.open.last_mut().map_or(&mut self.tree.roots, |(_, members)| members).push(node);
    }

    fn word(&mut self) {
        let rest = &self.text[self.at..];
        let word = &rest[..rest.bytes().position(ends_word).unwrap_or(rest.len())];
        let span = Span::new(self.at as u32, (self.at + word.len()) as u32);
        self.at += word.len();
        let kind = match word.strip_prefix('?') {
            _ if word.chars().any(char::is_control) => {
                self.problems.push(control_character(span));
                NodeKind::Broken
            }
            Some(name) => NodeKind::Var(name),
            None => NodeKind::Name(Cow::Borrowed(word)),
        };
        let node = self.tree.add(span, kind);
        self.put(node);
    }

    fn close(&mut self) {
        self.at += 1;
        let end = self.at as u32;
        match self.open.pop() {
            Some((start, members)) => {
                let node = self.tree.add(Span::new(start, end), NodeKind::List(members));
                self.put(node);
            }
            None => self.problems.push(Problem::error(
                "unopened",
                Span::new(end - 1, end),
                "this parenthesis closes nothing",
                "remove it, or add the `(` it belongs to",
            )),
        }
    }

    /// Whether the outermost open list is not a clause but the list around all clauses, as far as one can see now.
    fn wrapped(&self) -> bool {
        self.open
            .first()
            .is_some_and(|(_, members)| members.first().is_none_or(|&first| self.tree.list(first).is_some()))
    }

    /// If a rule begins here although a clause is open: tells that the clause is not closed, and drops it.
    fn close_before_rule(&mut self) {
        let inside = self.text[self.at + 1..].trim_start_matches(|c: char| c.is_ascii() && is_space(c as u8));
        let is_rule = inside.strip_prefix("<=").is_some_and(|after| after.bytes().next().is_none_or(ends_word));
        let clause = usize::from(self.wrapped());
        if !is_rule || self.open.len() <= clause {
            return;
        }
        let start = self.open[clause].0;
        self.problems.push(Problem::error(
            "unclosed",
            Span::new(start, start + 1),
            "this parenthesis is not closed before the next rule begins",
            "add `)` where this clause should end",
        ));
        self.open.truncate(clause);
    }

    fn too_deep(&mut self) {
        self.problems.push(Problem::error(
            "too-deep",
            Span::new(self.at as u32, self.at as u32 + 1),
            format!("lists are nested deeper than {MAX_DEPTH} here"),
            "count the parentheses before this place; the rest of the text was not read",
        ));
    }
}

pub(crate) fn control_character(span: Span) -> Problem {
    Problem::error(
        "control-character",
        span,
        "there is a control character in this word",
        "remove it; if the whole text looks like this, save it as UTF-8",
    )
}
