//! The infix form: `head :- condition & ~condition & (this | that)`, read into the same tree as the prefix form.
//!
//! ```text
//! clause     = sentence [ ":-" [ any ] ] [ "." ]
//! any        = all { "|" all }
//! all        = condition { "&" condition }
//! condition  = "~" condition | "(" any ")" | sentence | ( "not" | "or" | "and" ) "(" [ any { "," any } ] ")"
//! sentence   = name [ "(" [ term { "," term } ] ")" ]
//! term       = variable | sentence
//! ```
//!
//! A chain of conditions without parentheses is one list, so parentheses are kept: `(a & b) & c` is not `a & b & c`.
//! A rule without conditions needs its period, because what follows would be read as its condition.
//! No recursion anywhere: what is open is kept on a stack of its own.

mod token;

use std::borrow::Cow;

use crate::MAX_DEPTH;
use crate::limits::{Meter, Unfinished};
use crate::problem::{Problem, Span};
use crate::tree::{MOST_PROBLEMS, NodeKind, Tree};
use token::{Kind, Lexer, Token};

/// Whether this character may stand in a name that is not quoted, or in a variable.
pub(crate) fn is_word(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '+' | '-' | '*' | '/' | '$' | '@' | '#' | '^')
}

/// Whether a word that begins with this character is a variable.
pub(crate) fn starts_variable(char: char) -> bool {
    char.is_uppercase() || char == '_'
}

/// Reads the whole text. What is broken is told in `problems`; what can be read is in the tree.
pub(crate) fn read<'a>(
    text: &'a str,
    problems: &mut Vec<Problem>,
    meter: &mut Meter<'_>,
) -> Result<Tree<'a>, Unfinished> {
    let mut lexer = Lexer::new(text);
    let ahead = lexer.next(problems);
    let mut reader = Reader {
        lexer,
        ahead,
        end: 0,
        may_end: true,
        tree: Tree::default(),
        heights: Vec::new(),
        depth: 0,
        stop: false,
        meter,
        unfinished: None,
        problems,
    };
    while reader.ahead.kind != Kind::End && reader.problems.len() < MOST_PROBLEMS && !reader.stop {
        reader.depth = 0;
        if reader.clause().is_err() && !reader.stop {
            reader.recover();
        }
    }
    match reader.unfinished {
        Some(unfinished) => Err(unfinished),
        None => Ok(reader.tree),
    }
}

/// The clause at hand cannot be read. Why was told already.
struct Broken;

/// What an open place is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// One sentence, the head of a clause.
    Head,
    /// The conditions of a clause.
    Body,
    /// Parentheses around conditions.
    Group,
    /// The arguments of a function or relation.
    Terms,
    /// The arguments of `not`, `or`, `and`.
    Conditions,
}

/// Something open.
struct Frame {
    place: Place,
    /// Where it began, with the name before the parenthesis.
    start: u32,
    /// The parenthesis.
    open: u32,
    /// The name and the arguments so far.
    members: Vec<u32>,
    /// The finished parts between `|`.
    ors: Vec<u32>,
    /// The finished parts between `&` since then.
    ands: Vec<u32>,
    /// The `~` that wait for their condition.
    nots: Vec<Span>,
}

impl Frame {
    fn new(place: Place, start: u32, open: u32) -> Frame {
        Frame { place, start, open, members: Vec::new(), ors: Vec::new(), ands: Vec::new(), nots: Vec::new() }
    }

    fn takes_conditions(&self) -> bool {
        matches!(self.place, Place::Body | Place::Group | Place::Conditions)
    }
}

/// What comes after something complete.
enum After {
    /// The next part of the same list.
    Part,
    /// Its list was closed, and is itself complete.
    Closed(u32),
    /// All is closed.
    Done,
}

struct Reader<'a, 'p, 'm> {
    lexer: Lexer<'a>,
    ahead: Token<'a>,
    /// Where the token before `ahead` ended.
    end: u32,
    /// Whether a clause may end with the token before `ahead`.
    may_end: bool,
    tree: Tree<'a>,
    /// For each node, how deeply lists are nested in it.
    heights: Vec<u16>,
    /// How much is open.
    depth: usize,
    /// The text is too deep or too large; the rest is not read.
    stop: bool,
    meter: &'p mut Meter<'m>,
    /// Why reading ended before the end of the text.
    unfinished: Option<Unfinished>,
    problems: &'p mut Vec<Problem>,
}

impl<'a> Reader<'a, '_, '_> {
    fn take(&mut self) -> Token<'a> {
        self.spend(0);
        let next = self.lexer.next(self.problems);
        let token = std::mem::replace(&mut self.ahead, next);
        self.end = token.span.end;
        self.may_end =
            matches!(token.kind, Kind::Name(..) | Kind::Var(_) | Kind::Blank | Kind::Close | Kind::Dot | Kind::Bad);
        token
    }

    /// Counts a step; whether it was one too many.
    fn spend(&mut self, bytes: usize) -> bool {
        if !self.stop
            && let Err(unfinished) = self.meter.step(bytes)
        {
            self.unfinished = Some(unfinished);
            self.stop = true;
        }
        self.stop
    }

    fn broken<T>(&mut self, code: &'static str, span: Span, message: &str, hint: &str) -> Result<T, Broken> {
        self.problems.push(Problem::error(code, span, message, hint));
        Err(Broken)
    }

    /// Goes on to where the next clause seems to begin: after a period, or at a name that is the first on its line
    /// while the line before does not ask for more.
    fn recover(&mut self) {
        loop {
            match self.ahead.kind {
                Kind::End => return,
                Kind::Name(..) if self.ahead.first && self.may_end => return,
                Kind::Dot => {
                    self.take();
                    return;
                }
                _ => {
                    if self.problems.len() >= MOST_PROBLEMS || self.stop {
                        return;
                    }
                    self.take();
                }
            }
        }
    }

    fn add(&mut self, span: Span, kind: NodeKind<'a>, height: u16) -> Result<u32, Broken> {
        if let Some(problem) = self.tree.full(span.start as usize) {
            self.problems.push(problem);
            self.tree = Tree::default();
            self.stop = true;
            return Err(Broken);
        }
        let before = self.tree.bytes();
        self.heights.push(height);
        let node = self.tree.add(span, kind);
        if self.spend(self.tree.bytes() - before) { Err(Broken) } else { Ok(node) }
    }

    fn list(&mut self, span: Span, members: Vec<u32>) -> Result<u32, Broken> {
        let inside = members.iter().map(|&member| self.heights[member as usize]).max().unwrap_or(0);
        if usize::from(inside) >= MAX_DEPTH {
            return self.too_deep(span.start);
        }
        self.add(span, NodeKind::List(members), inside + 1)
    }

    /// A list that begins with a connective.
    fn connect(&mut self, word: &'static str, span: Span, parts: Vec<u32>) -> Result<u32, Broken> {
        let mut members = Vec::with_capacity(parts.len() + 1);
        members.push(self.add(span, NodeKind::Name(Cow::Borrowed(word)), 0)?);
        members.extend(parts);
        self.list(span, members)
    }

    fn too_deep<T>(&mut self, at: u32) -> Result<T, Broken> {
        self.stop = true;
        let message = format!("terms or conditions are nested deeper than {MAX_DEPTH} here");
        let hint = "count the parentheses before this place; the rest of the text was not read";
        self.broken("too-deep", Span::new(at, at + 1), &message, hint)
    }

    fn deeper(&mut self) -> Result<(), Broken> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { self.too_deep(self.ahead.span.start) } else { Ok(()) }
    }

    fn clause(&mut self) -> Result<(), Broken> {
        let start = self.ahead.span;
        match self.ahead.kind {
            Kind::Name(..) | Kind::Var(_) | Kind::Blank => {}
            Kind::Bad => {
                self.take();
                return Err(Broken);
            }
            Kind::Close => {
                self.take();
                let hint = "remove it, or add the `(` it belongs to";
                return self.broken("unopened", start, "this parenthesis closes nothing", hint);
            }
            Kind::Dot => {
                self.take();
                return self.broken("no-clause", start, "this period ends nothing", "remove it");
            }
            _ => {
                self.take();
                let message = "a clause cannot begin like this";
                let hint = "a clause is a sentence, or a sentence `:-` conditions; conditions are joined with `&`";
                return self.broken("no-clause", start, message, hint);
            }
        }
        let mut head = self.expression(Place::Head)?.ands;
        if self.ahead.kind != Kind::If {
            return self.fact(head[0]);
        }
        let sign = self.take().span;
        let mut members = vec![self.add(sign, NodeKind::Name(Cow::Borrowed("<=")), 0)?];
        members.append(&mut head);
        if self.ahead.kind != Kind::Dot {
            let body = self.expression(Place::Body)?;
            match body.ors.is_empty() {
                true => members.extend(body.ands),
                false => {
                    let any = self.chain(body.ors, body.ands, None)?;
                    members.push(any);
                }
            }
        }
        let clause = self.list(Span::new(start.start, self.end), members)?;
        self.period();
        self.tree.roots.push(clause);
        Ok(())
    }

    fn fact(&mut self, head: u32) -> Result<(), Broken> {
        // As a list this would be a rule of the other form.
        if let Some(&[name, ..]) = self.tree.list(head)
            && self.tree.name(name) == Some("<=")
        {
            let hint = "write head :- condition & condition";
            return self.broken("no-head", self.tree.span(head), "`<=` cannot be the head of a clause", hint);
        }
        self.period();
        self.tree.roots.push(head);
        Ok(())
    }

    fn period(&mut self) {
        if self.ahead.kind == Kind::Dot {
            self.take();
        }
    }

    /// Reads a head or a body, up to the first token that does not belong to it. What was read is in the frame.
    fn expression(&mut self, place: Place) -> Result<Frame, Broken> {
        let start = self.ahead.span.start;
        let mut frames = vec![Frame::new(place, start, start)];
        loop {
            let Some(mut part) = self.part(&mut frames)? else { continue };
            loop {
                match self.after(&mut frames, part)? {
                    After::Part => break,
                    After::Closed(list) => part = list,
                    After::Done => return frames.pop().ok_or(Broken),
                }
            }
        }
    }

    /// Reads the beginning of a part: a whole part if it has no inside, otherwise nothing, and its inside comes next.
    fn part(&mut self, frames: &mut Vec<Frame>) -> Result<Option<u32>, Broken> {
        let conditions = frames.last().is_some_and(Frame::takes_conditions);
        let span = self.ahead.span;
        match &self.ahead.kind {
            Kind::Name(..) => self.name(frames),
            Kind::Var(_) | Kind::Blank => {
                let kind = match self.take().kind {
                    Kind::Var(name) => NodeKind::Var(name),
                    _ => NodeKind::Blank,
                };
                if self.ahead.kind == Kind::Open {
                    let message = "this is a variable, and a variable takes no arguments";
                    let hint = "begin the name with a lower-case letter, or write it in single quotes";
                    return self.broken("variable-relation", span, message, hint);
                }
                self.add(span, kind, 0).map(Some)
            }
            Kind::Not if conditions => {
                self.take();
                self.deeper()?;
                if let Some(frame) = frames.last_mut() {
                    frame.nots.push(span);
                }
                Ok(None)
            }
            Kind::Open if conditions => {
                self.take();
                self.deeper()?;
                frames.push(Frame::new(Place::Group, span.start, span.start));
                Ok(None)
            }
            _ => self.missing_part(frames),
        }
    }

    /// A name, with what is in parentheses after it.
    fn name(&mut self, frames: &mut Vec<Frame>) -> Result<Option<u32>, Broken> {
        let conditions = frames.last().is_some_and(Frame::takes_conditions);
        let Token { kind: Kind::Name(name, quoted), span, .. } = self.take() else { return Err(Broken) };
        let is = |word: &str| name.eq_ignore_ascii_case(word);
        if self.ahead.kind != Kind::Open {
            if conditions && !quoted && is("not") && matches!(self.ahead.kind, Kind::Name(..)) {
                let hint = "write ~condition or not(condition)";
                return self.broken("not-arity", span, "`not` needs parentheses", hint);
            }
            return self.add(span, NodeKind::Name(name), 0).map(Some);
        }
        let place = if conditions && (is("not") || is("or") || is("and")) { Place::Conditions } else { Place::Terms };
        let mut frame = Frame::new(place, span.start, self.ahead.span.start);
        frame.members.push(self.add(span, NodeKind::Name(name), 0)?);
        self.take();
        self.deeper()?;
        if self.ahead.kind == Kind::Close {
            self.take();
            self.depth -= 1;
            return self.list(Span::new(span.start, self.end), frame.members).map(Some);
        }
        frames.push(frame);
        Ok(None)
    }

    fn missing_part<T>(&mut self, frames: &[Frame]) -> Result<T, Broken> {
        let span = self.ahead.span;
        let conditions = frames.last().is_some_and(Frame::takes_conditions);
        match self.ahead.kind {
            Kind::Bad => Err(Broken),
            Kind::End => match frames.last() {
                Some(frame) if matches!(frame.place, Place::Group | Place::Terms | Place::Conditions) => {
                    self.unclosed(frame.open)
                }
                _ => {
                    let hint = "write a condition, or end a rule without conditions with a period";
                    self.broken("incomplete", span, "the text ends where a condition is needed", hint)
                }
            },
            _ if conditions => {
                let hint = "conditions are sentences, joined with `&` or `|`";
                self.broken("incomplete", span, "a condition is missing before this", hint)
            }
            Kind::Not | Kind::Open => {
                let hint = "a term is a name, a variable, or a name with terms in parentheses";
                self.broken("incomplete", span, "this cannot stand inside a sentence", hint)
            }
            _ => self.broken("incomplete", span, "a term is missing before this", "write a term here"),
        }
    }

    fn unclosed<T>(&mut self, open: u32) -> Result<T, Broken> {
        let hint = "add `)` where this list should end";
        self.broken("unclosed", Span::new(open, open + 1), "this parenthesis is never closed", hint)
    }

    /// Puts a complete part where it belongs, and looks at what follows it.
    fn after(&mut self, frames: &mut Vec<Frame>, mut part: u32) -> Result<After, Broken> {
        let Some(frame) = frames.last_mut() else { return Err(Broken) };
        while let Some(not) = frame.nots.pop() {
            self.depth -= 1;
            part = self.connect("not", Span::new(not.start, self.tree.span(part).end), vec![part])?;
        }
        let conditions = frame.takes_conditions();
        match self.ahead.kind {
            _ if frame.place == Place::Head => {
                frame.ands.push(part);
                return Ok(After::Done);
            }
            Kind::And if conditions => frame.ands.push(part),
            Kind::Or if conditions => {
                frame.ands.push(part);
                let ands = std::mem::take(&mut frame.ands);
                let all = self.all(ands, None)?;
                frame.ors.push(all);
            }
            Kind::Comma if matches!(frame.place, Place::Body | Place::Group) => {
                let hint = "write `&` for and";
                let problem = Problem::error("comma", self.ahead.span, "a comma does not join conditions", hint);
                self.problems.push(problem);
                frame.ands.push(part);
            }
            Kind::Comma => {
                let part = self.argument(frame, part)?;
                frame.members.push(part);
            }
            Kind::Close if frame.place != Place::Body => return self.close(frames, part),
            _ if frame.place == Place::Body => {
                frame.ands.push(part);
                return Ok(After::Done);
            }
            _ => {
                let open = frame.open;
                return self.missing_close(open, conditions);
            }
        }
        self.take();
        Ok(After::Part)
    }

    /// An argument: the part, or the chain of conditions that ends with it.
    fn argument(&mut self, frame: &mut Frame, part: u32) -> Result<u32, Broken> {
        if frame.place == Place::Terms {
            return Ok(part);
        }
        frame.ands.push(part);
        let (ors, ands) = (std::mem::take(&mut frame.ors), std::mem::take(&mut frame.ands));
        self.chain(ors, ands, None)
    }

    fn close(&mut self, frames: &mut Vec<Frame>, part: u32) -> Result<After, Broken> {
        let Some(mut frame) = frames.pop() else { return Err(Broken) };
        self.take();
        self.depth -= 1;
        let span = Span::new(frame.start, self.end);
        if frame.place == Place::Group {
            frame.ands.push(part);
            return self.chain(frame.ors, frame.ands, Some(span)).map(After::Closed);
        }
        let part = self.argument(&mut frame, part)?;
        frame.members.push(part);
        self.list(span, frame.members).map(After::Closed)
    }

    fn missing_close<T>(&mut self, open: u32, conditions: bool) -> Result<T, Broken> {
        match self.ahead.kind {
            Kind::Bad => Err(Broken),
            Kind::End => self.unclosed(open),
            Kind::If | Kind::Dot => {
                let message = "this parenthesis is not closed before the sentence ends";
                self.broken("unclosed", Span::new(open, open + 1), message, "add `)` where this list should end")
            }
            Kind::Name(..) if self.ahead.first => {
                let message = "this parenthesis is not closed before the next line begins";
                let hint = "add `)`, or the sign that joins what is on the next line";
                self.broken("unclosed", Span::new(open, open + 1), message, hint)
            }
            Kind::And | Kind::Or => {
                let message = "terms cannot be joined like conditions";
                self.broken("no-comma", self.ahead.span, message, "write `,` between terms; close parentheses with `)`")
            }
            _ => {
                let hint = if conditions { "write `&`, `|` or `)` before it" } else { "write `,` or `)` before it" };
                self.broken("no-comma", self.ahead.span, "this does not follow from what is before it", hint)
            }
        }
    }

    /// The parts between `|` as one node, where `ands` is the last of them. A single part is itself.
    fn chain(&mut self, mut ors: Vec<u32>, ands: Vec<u32>, span: Option<Span>) -> Result<u32, Broken> {
        if ors.is_empty() {
            return self.all(ands, span);
        }
        let last = self.all(ands, None)?;
        ors.push(last);
        let span = span.unwrap_or_else(|| self.around(&ors));
        self.connect("or", span, ors)
    }

    /// The parts between `&` as one node. A single part is itself.
    fn all(&mut self, ands: Vec<u32>, span: Option<Span>) -> Result<u32, Broken> {
        if let [one] = ands[..] {
            return Ok(one);
        }
        let span = span.unwrap_or_else(|| self.around(&ands));
        self.connect("and", span, ands)
    }

    fn around(&self, parts: &[u32]) -> Span {
        let [first, .., last] = parts else { return Span::default() };
        Span::new(self.tree.span(*first).start, self.tree.span(*last).end)
    }
}
