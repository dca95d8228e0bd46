//! Moves as text: UCI (`e7e8q`) and the short form that people read (`e8=Q#`).

use super::castling::Wing;
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

    /// The legal move that is written like this in short algebraic notation. Marks of check, mate and praise, `x`, `=` and
    /// `e.p.` may be there or not, `0-0` stands for `O-O`, and more of the square of origin may be given than is needed.
    pub fn read_san(&self, text: &str) -> Result<Step, MoveError> {
        let wrong = |why: &str| MoveError(format!("`{text}` {why} in {}", self.fen()));
        let San { kind, file, rank, to, promotion, wing } = San::read(text).ok_or_else(|| wrong("is not a move"))?;
        let is_meant = |step: &Step| match wing {
            Some(wing) => step.castles() == Some(wing),
            None => {
                (step.kind, step.to, step.promotion) == (kind, to, promotion)
                    && step.castles().is_none()
                    && file.is_none_or(|file| step.from % 8 == file)
                    && rank.is_none_or(|rank| step.from / 8 == rank)
            }
        };
        let mut found = self.legal().into_iter().filter(is_meant);
        match (found.next(), found.next()) {
            (Some(step), None) => Ok(step),
            (Some(_), Some(_)) => Err(wrong("can be several moves")),
            (None, _) => Err(wrong("is not legal")),
        }
    }

    /// A legal move in short algebraic notation, with `+` for check and `#` for mate.
    pub fn san(&self, step: &Step) -> String {
        let mut text = String::new();
        if let Some(wing) = step.castles() {
            text.push_str(if wing == Wing::King { "O-O" } else { "O-O-O" });
        } else if step.kind == Kind::Pawn {
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
        if step.castles().is_none() {
            text.push_str(&square_name(step.to));
        }
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

/// What a move in short algebraic notation says.
struct San {
    kind: Kind,
    file: Option<u8>,
    rank: Option<u8>,
    to: u8,
    promotion: Option<Kind>,
    /// It castles; all else means nothing then.
    wing: Option<Wing>,
}

impl San {
    fn read(text: &str) -> Option<San> {
        let text = text.trim_end_matches(['+', '#', '!', '?']).trim_end_matches("e.p.");
        let none = San { kind: Kind::King, file: None, rank: None, to: 0, promotion: None, wing: None };
        match text {
            "O-O" | "0-0" => return Some(San { wing: Some(Wing::King), ..none }),
            "O-O-O" | "0-0-0" => return Some(San { wing: Some(Wing::Queen), ..none }),
            _ => {}
        }
        let mut rest: Vec<char> = text.chars().filter(|c| !matches!(c, 'x' | '=' | '-')).collect();
        let man = |letter: char| letter.is_ascii_uppercase().then(|| Kind::from_letter(letter)).flatten();
        let promotion = rest.last().and_then(|&letter| man(letter));
        rest.truncate(rest.len() - usize::from(promotion.is_some()));
        let kind = rest.first().and_then(|&letter| man(letter));
        rest.drain(..usize::from(kind.is_some()));
        let to = rest.split_off(rest.len().checked_sub(2)?);
        let to = square_of(&to.into_iter().collect::<String>())?;
        let (mut file, mut rank) = (None, None);
        for letter in rest {
            match letter {
                'a'..='h' if file.is_none() && rank.is_none() => file = Some(letter as u8 - b'a'),
                '1'..='8' if rank.is_none() => rank = Some(letter as u8 - b'1'),
                _ => return None,
            }
        }
        Some(San { kind: kind.unwrap_or(Kind::Pawn), file, rank, to, promotion, wing: None })
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
            ("4k3/8/8/8/8/8/8/R3K2R w KQ -", "e1g1", "O-O"),
            ("r3k2r/8/8/8/8/8/8/4K2R b kq -", "e8c8", "O-O-O"),
            ("5k2/8/8/8/8/8/8/R3K2R w KQ -", "e1g1", "O-O+"),
        ] {
            let position = Position::from_fen(fen).unwrap();
            let step = position.read_uci(uci).unwrap();
            assert_eq!((position.san(&step), step.uci()), (san.to_string(), uci.to_string()), "{fen}");
            assert_eq!(position.read_san(san), Ok(step));
        }
    }

    #[test]
    fn what_is_no_move() {
        let position = Position::from_fen("8/8/8/8/8/1k6/8/K2R4 w - -").unwrap();
        for text in ["", "a1", "a1a9", "a1a2", "d1d9", "éééé"] {
            assert!(position.read_uci(text).is_err(), "{text}");
        }
        for text in ["", "R", "K", "Ra", "Rd9", "Kb2", "O-O", "Qd1", "Rdd", "Rééé", "d4", "=Q", "e8=Q"] {
            assert!(position.read_san(text).is_err(), "{text}");
        }
        for (text, uci) in [("Rd3", "d1d3"), ("Rd1d3+!", "d1d3"), ("R1d3", "d1d3"), ("Kb1??", "a1b1")] {
            assert_eq!(position.read_san(text).map(|step| step.uci()), Ok(uci.to_string()));
        }
        let two = Position::from_fen("R6R/8/8/8/8/1k6/8/2K5 w - -").unwrap();
        assert!(two.read_san("Rd8").unwrap_err().to_string().contains("several"));
    }
}
