//! What is wrong with a rulesheet, where, and what to do about it.

use std::fmt::Write;

/// A piece of the text: byte offsets, the end not included.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The piece between two offsets.
    pub fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }
}

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Severity {
    /// Not a valid game.
    Error,
    /// Valid, but probably not meant.
    Warning,
    /// Nothing wrong, but good to know.
    Note,
}

impl Severity {
    /// `error`, `warning` or `note`.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// One thing that is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// A fixed short name for this kind of problem.
    pub code: &'static str,
    /// Where.
    pub span: Span,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

impl Problem {
    /// An error.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>, hint: impl Into<String>) -> Problem {
        Problem { severity: Severity::Error, code, span, message: message.into(), hint: hint.into() }
    }

    /// A warning.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>, hint: impl Into<String>) -> Problem {
        Problem { severity: Severity::Warning, code, span, message: message.into(), hint: hint.into() }
    }
}

/// A text with its name, to show problems in.
pub struct Source<'a> {
    /// What to call it: a file's path, usually.
    pub name: &'a str,
    /// The text itself.
    pub text: &'a str,
}

impl Source<'_> {
    /// Line and column of an offset, both counted from 1; columns count characters.
    pub fn place(&self, offset: u32) -> (usize, usize) {
        let (before, _) = self.text.split_at(self.boundary(offset));
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        (line, before[line_start..].chars().count() + 1)
    }

    /// The offset, or the start of the character that it is inside of, or the end of the text.
    fn boundary(&self, offset: u32) -> usize {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }

    /// The problem as a person reads it: what, where, the line with the place marked, and a hint.
    ///
    /// ```
    /// let text = "(role me)\n(legal me";
    /// let parsed = gdl::parse(text);
    /// let shown = gdl::Source { name: "g.kif", text }.show(&parsed.problems[0]);
    /// assert_eq!(shown, "\
    /// error[unclosed]: this parenthesis is never closed
    ///  --> g.kif:2:1
    ///   |
    /// 2 | (legal me
    ///   | ^
    ///   = hint: add `)` where this list should end
    /// ");
    /// ```
    pub fn show(&self, problem: &Problem) -> String {
        let (line, column) = self.place(problem.span.start);
        let (before, after) = self.text.split_at(self.boundary(problem.span.start));
        let (shown_before, shown_after) = window(
            before.rsplit('\n').next().unwrap_or(""),
            after.find('\n').map_or(after, |end| after[..end].trim_end_matches('\r')),
        );
        let length = self.boundary(problem.span.end).saturating_sub(before.len());
        let length = after[..length].lines().next().unwrap_or("").chars().take(shown_after.chars().count()).count();
        let number = line.to_string();
        let pad = " ".repeat(number.len());
        let mut out = String::new();
        let _ = writeln!(out, "{}[{}]: {}", problem.severity.word(), problem.code, problem.message);
        let _ = writeln!(out, "{pad}--> {}:{line}:{column}", self.name);
        let _ = writeln!(out, "{pad} |");
        let _ = writeln!(out, "{number} | {shown_before}{shown_after}");
        let mark: String = shown_before.chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let _ = writeln!(out, "{pad} | {mark}{}", "^".repeat(length.max(1)));
        if !problem.hint.is_empty() {
            let _ = writeln!(out, "{pad} = hint: {}", problem.hint);
        }
        out
    }
}

/// What is shown of a line that may be very long: the parts just before and after a place in it, without characters
/// that would disturb a terminal. The cost does not depend on the length of the line.
fn window(before: &str, after: &str) -> (String, String) {
    const WIDE: usize = 160;
    let visible = |c: char| if c.is_control() && c != '\t' { char::REPLACEMENT_CHARACTER } else { c };
    // Whatever one side does not need is room for the other.
    let need_after = after.chars().take(WIDE).count();
    let keep_before = (WIDE - need_after).max(WIDE / 2);
    let cut = before.char_indices().rev().nth(keep_before - 1).map_or(0, |(at, _)| at);
    let keep_after = WIDE - before[cut..].chars().count().min(WIDE);
    let end = after.char_indices().nth(keep_after).map_or(after.len(), |(at, _)| at);
    let mut shown_before: String = before[cut..].chars().map(visible).collect();
    let mut shown_after: String = after[..end].chars().map(visible).collect();
    if cut > 0 {
        shown_before.insert(0, '…');
    }
    if end < after.len() {
        shown_after.push('…');
    }
    (shown_before, shown_after)
}
