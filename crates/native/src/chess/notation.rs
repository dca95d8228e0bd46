//! Moves as text: UCI (`e7e8q`) and the short form that people read (`e8=Q#`).

use super::fen::{square_name, square_of};
use super::position::{Kind, Position, Step};
use std::fmt;

/// Why a text is not a move here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveError(String);

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for MoveError {}

impl Step {
    /// The move as UCI writes it, such as `a7a8q`.
    pub fn uci(&self) -> String {
        let mut text = square_name(self.from) + &square_name(self.to);
        if let Some(kind) = self.promotion {
            text.push(kind.letter().to_ascii_lowercase());
        }
        text
    }
}

impl Position {
    /// The legal move that UCI writes like this.
    pub fn read_uci(&self, text: &str) -> Result<Step, MoveError> {
        let readable = text.is_ascii()
            && matches!(text.len(), 4 | 5)
            && square_of(&text[..2]).is_some()
            && square_of(&text[2..4]).is_some();
        if !readable {
            return Err(MoveError(format!("`{text}` is not a move; write it as from and to, such as e2e4 or e7e8q")));
        }
        let found = self.legal().into_iter().find(|step| step.uci() == text);
        found.ok_or_else(|| MoveError(format!("`{text}` is not legal in {}", self.fen())))
    }

    /// A legal move in short algebraic notation, with `+` for check and `#` for mate.
    pub fn san(&self, step: &Step) -> String {
        let mut text = String::new();
        if step.kind == Kind::Pawn {
            if step.taken.is_some() {
                text.push((b'a' + step.from % 8) as char);
            }
        } else {
            text.push(step.kind.letter());
            text.push_str(&self.origin(step));
        }
        if step.taken.is_some() {
            text.push('x');
        }
        text.push_str(&square_name(step.to));
        if let Some(kind) = step.promotion {
            text.push('=');
            text.push(kind.letter());
        }
        let next = self.after(step);
        if next.in_check(next.turn) {
            text.push(if next.can_move() { '+' } else { '#' });
        }
        text
    }

    /// As much of the square of origin as is needed to tell this move from those of equal men.
    fn origin(&self, step: &Step) -> String {
        let legal = self.legal();
        let rivals: Vec<&Step> =
            legal.iter().filter(|s| s.kind == step.kind && s.to == step.to && s.from != step.from).collect();
        let name = square_name(step.from);
        if rivals.is_empty() {
            String::new()
        } else if rivals.iter().all(|rival| rival.from % 8 != step.from % 8) {
            name[..1].to_string()
        } else if rivals.iter().all(|rival| rival.from / 8 != step.from / 8) {
            name[1..].to_string()
        } else {
            name
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_form() {
        for (fen, uci, san) in [
            ("8/8/8/8/8/1k6/8/K2R4 w - -", "d1d3", "Rd3+"),
            ("k7/8/1K6/8/8/8/8/7R w - -", "h1h8", "Rh8#"),
            ("8/P6k/8/8/8/8/8/K7 w - -", "a7a8n", "a8=N"),
            ("1r6/P6k/8/8/8/8/8/K7 w - -", "a7b8q", "axb8=Q"),
            ("8/8/8/8/pP6/8/8/K2k4 b - b3", "a4b3", "axb3"),
            ("R6R/8/8/8/8/1k6/8/2K5 w - -", "a8d8", "Rad8"),
            ("8/R7/8/8/R7/8/7k/2K5 w - -", "a7a5", "R7a5"),
            ("8/8/8/8/4Q2Q/1k6/8/K6Q w - -", "h4e1", "Qh4e1"),
        ] {
            let position = Position::from_fen(fen).unwrap();
            let step = position.read_uci(uci).unwrap();
            assert_eq!((position.san(&step), step.uci()), (san.to_string(), uci.to_string()), "{fen}");
        }
    }

    #[test]
    fn what_is_no_move() {
        let position = Position::from_fen("8/8/8/8/8/1k6/8/K2R4 w - -").unwrap();
        for text in ["", "a1", "a1a9", "a1a2", "d1d9", "éééé"] {
            assert!(position.read_uci(text).is_err(), "{text}");
        }
    }
}
