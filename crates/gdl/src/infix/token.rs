//! The infix form cut into words and signs.

use std::borrow::Cow;

use super::{is_word, starts_variable};
use crate::form::preamble;
use crate::kif::{self, control_character};
use crate::problem::{Problem, Span};
use crate::tree::quote;

/// A word or a sign.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind<'a> {
    /// A name; `true` if it was written in quotes.
    Name(Cow<'a, str>, bool),
    Var(&'a str),
    /// `_`, which is another variable every time.
    Blank,
    Open,
    Close,
    Comma,
    And,
    Or,
    Not,
    /// `:-`
    If,
    Dot,
    /// Something that is no part of the form. It was told already.
    Bad,
    End,
}

/// A word or a sign with its place.
#[derive(Clone, Debug)]
pub(super) struct Token<'a> {
    pub kind: Kind<'a>,
    pub span: Span,
    /// Whether nothing but space stands before it on its line.
    pub first: bool,
}

pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, at: 0 }
    }

    /// The next token; `End` at the end, as often as it is asked for.
    pub fn next(&mut self, problems: &mut Vec<Problem>) -> Token<'a> {
        let first = self.skip();
        let start = self.at;
        let rest = &self.text[start..];
        let Some(char) = rest.chars().next() else {
            return Token { kind: Kind::End, span: self.span(start), first };
        };
        let sign = match char {
            '(' => Some(Kind::Open),
            ')' => Some(Kind::Close),
            ',' => Some(Kind::Comma),
            '&' => Some(Kind::And),
            '|' => Some(Kind::Or),
            '~' => Some(Kind::Not),
            '.' => Some(Kind::Dot),
            ':' if rest.starts_with(":-") => Some(Kind::If),
            _ => None,
        };
        let kind = match sign {
            Some(sign) => {
                self.at += if sign == Kind::If { 2 } else { 1 };
                sign
            }
            None if char == '\'' => self.quoted(problems),
            None if is_word(char) => {
                let word = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
                self.at += word.len();
                match word {
                    "_" => Kind::Blank,
                    _ if starts_variable(char) => Kind::Var(word),
                    _ => Kind::Name(Cow::Borrowed(word), false),
                }
            }
            None => self.bad(char, problems),
        };
        Token { kind, span: self.span(start), first }
    }

    fn span(&self, start: usize) -> Span {
        Span::new(start as u32, self.at as u32)
    }

    /// Skips space and comments. Whether a new line began.
    fn skip(&mut self) -> bool {
        if self.at == 0 {
            self.at = preamble(self.text);
            return true;
        }
        let bytes = self.text.as_bytes();
        let mut first = false;
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                // `;` has no other use here, and a text whose form was just changed still has such comments.
                b'%' | b';' => {
                    let rest = &bytes[self.at..];
                    self.at += rest.iter().position(|&byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
                }
                _ if kif::is_space(byte) => {
                    first |= matches!(byte, b'\n' | b'\r');
                    self.at += 1;
                }
                _ => break,
            }
        }
        first
    }

    /// A name in single quotes, within one line. A doubled quote stands for a quote.
    fn quoted(&mut self, problems: &mut Vec<Problem>) -> Kind<'a> {
        let (start, rest) = (self.at, &self.text[self.at + 1..]);
        let (mut end, mut doubled) = (0, false);
        loop {
            match rest[end..].find(['\'', '\n', '\r']) {
                Some(at) if rest[end + at..].starts_with("''") => {
                    doubled = true;
                    end += at + 2;
                }
                Some(at) if rest[end + at..].starts_with('\'') => {
                    end += at;
                    break;
                }
                found => {
                    self.at += 1 + found.map_or(rest.len(), |at| end + at);
                    let span = Span::new(start as u32, start as u32 + 1);
                    let hint = "add the closing quote; a quote inside a name is written twice";
                    problems.push(Problem::error("unclosed-quote", span, "this quote is never closed", hint));
                    return Kind::Bad;
                }
            }
        }
        self.at += end + 2;
        let name = &rest[..end];
        if name.is_empty() || name.starts_with('?') || name.bytes().any(kif::ends_word) {
            let message = format!("'{}' is not a name", quote(name));
            let hint = "a name has no space, parentheses or `;` in it, does not begin with `?`, and is not empty";
            problems.push(Problem::error("bad-name", self.span(start), message, hint));
            return Kind::Bad;
        }
        if name.chars().any(char::is_control) {
            problems.push(control_character(self.span(start)));
            return Kind::Bad;
        }
        Kind::Name(if doubled { Cow::Owned(name.replace("''", "'")) } else { Cow::Borrowed(name) }, true)
    }

    /// A character that begins nothing: told, and skipped together with what sticks to it.
    fn bad(&mut self, char: char, problems: &mut Vec<Problem>) -> Kind<'a> {
        let rest = &self.text[self.at..];
        let ends =
            |c: char| (c.is_ascii() && kif::ends_word(c as u8)) || matches!(c, ',' | '&' | '|' | '~' | '.' | '%');
        let found = &rest[..rest.find(ends).unwrap_or(rest.len())];
        let start = self.at;
        self.at += found.len();
        let hint = match char {
            '?' => "a variable begins with an upper-case letter in this form, without `?`",
            '<' | '=' | ':' => "write `:-` between a head and its conditions",
            '"' | '‘' | '’' | '“' | '”' | '„' => "write a name with unusual characters in single quotes",
            '\\' | '!' => "write `~` for not",
            _ => "remove it, or write a name with unusual characters in single quotes",
        };
        problems.push(match char.is_control() {
            true => control_character(self.span(start)),
            false => {
                let message = format!("`{}` is not understood here", quote(found));
                Problem::error("bad-character", self.span(start), message, hint)
            }
        });
        Kind::Bad
    }
}
