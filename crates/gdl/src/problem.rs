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
}

impl Severity {
    /// `error` or `warning`.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
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
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &self.text[..offset];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
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
        let whole = self.text.lines().nth(line - 1).unwrap_or("");
        let (shown, column_shown) = window(whole, column);
        let length = self.text.get(problem.span.start as usize..problem.span.end as usize).unwrap_or("");
        let length = length.lines().next().unwrap_or("").chars().count().max(1);
        let room = (shown.chars().count() + 1).saturating_sub(column_shown).max(1);
        let number = line.to_string();
        let pad = " ".repeat(number.len());
        let mut out = String::new();
        let _ = writeln!(out, "{}[{}]: {}", problem.severity.word(), problem.code, problem.message);
        let _ = writeln!(out, "{pad}--> {}:{line}:{column}", self.name);
        let _ = writeln!(out, "{pad} |");
        let _ = writeln!(out, "{number} | {shown}");
        let mark: String = shown.chars().take(column_shown - 1).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let _ = writeln!(out, "{pad} | {mark}{}", "^".repeat(length.min(room)));
        if !problem.hint.is_empty() {
            let _ = writeln!(out, "{pad} = hint: {}", problem.hint);
        }
        out
    }
}

/// The part of a long line around a column, and the column within that part.
fn window(line: &str, column: usize) -> (String, usize) {
    const WIDE: usize = 160;
    if line.chars().count() <= WIDE {
        return (line.to_string(), column);
    }
    let from = column.saturating_sub(WIDE / 2);
    let part: String = line.chars().skip(from).take(WIDE).collect();
    (format!("…{part}…"), column - from + 1)
}
