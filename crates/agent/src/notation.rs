//! Moves as people write them: a name with or without parentheses, a part of it, the places alone (`e2e4`, `d4`), or, in the
//! rulesheets of chess, standard notation (`Nf3`, `exd5`, `O-O`) and what chess programs write (`e7e8q`, `e1g1`).
//!
//! Only the texts of the legal moves are known here, so nothing is understood that is not legal.

/// What was meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// This move, by its place in the list.
    One(usize),
    /// Several moves fit.
    Several(Vec<usize>),
    /// None does.
    Unknown,
}

/// Understands a move, given the texts of the legal ones.
///
/// ```
/// use agent::notation::{Meaning, understand};
/// let legal = ["(move wp e 2 e 4)", "(move wn g 1 f 3)", "(move wn g 1 h 3)"].map(String::from);
/// assert_eq!(understand("e2e4", &legal), Meaning::One(0));
/// assert_eq!(understand("Nf3", &legal), Meaning::One(1));
/// assert_eq!(understand("move wn g 1 h 3", &legal), Meaning::One(2));
/// assert_eq!(understand("move wn", &legal), Meaning::Several(vec![1, 2]));
/// assert_eq!(understand("e5", &legal), Meaning::Unknown);
/// ```
pub fn understand(typed: &str, legal: &[String]) -> Meaning {
    let wanted = loose(typed);
    if wanted.is_empty() {
        return Meaning::Unknown;
    }
    let names: Vec<String> = legal.iter().map(|name| loose(name)).collect();
    if let Some(exact) = names.iter().position(|name| *name == wanted) {
        return Meaning::One(exact);
    }
    // The end counts only from the beginning of a word on: `1 2` is not the end of `mark 11 2`.
    let ending = format!(" {wanted}");
    let squeezed = squeeze(&wanted);
    let san = San::read(typed.trim());
    let tests: [&dyn Fn(&str) -> bool; 5] = [
        &|name| san.as_ref().is_some_and(|san| san.is(name)),
        &|name| is_coordinates(name, &squeezed),
        &|name| ends_squeezed(name, &squeezed),
        &|name| name.starts_with(&wanted),
        &|name| name.ends_with(&ending),
    ];
    for test in tests {
        let fitting: Vec<usize> = names.iter().enumerate().filter(|(_, name)| test(name)).map(|(at, _)| at).collect();
        match fitting[..] {
            [] => {}
            [only] => return Meaning::One(only),
            _ => return Meaning::Several(fitting),
        }
    }
    Meaning::Unknown
}

/// Text without parentheses and commas, in lower case, with single spaces.
pub fn loose(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',')).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Letters and digits alone: `e2-e4` is `e2e4`.
fn squeeze(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Whether the last words of a move, run together, are this; at least two of them, or the only one that there is.
fn ends_squeezed(name: &str, wanted: &str) -> bool {
    let words: Vec<&str> = name.split(' ').collect();
    let mut end = String::new();
    for (count, word) in words.iter().rev().enumerate() {
        end.insert_str(0, word);
        if end.len() >= wanted.len() {
            return end == *wanted && (count > 0 || words.len() == 2);
        }
    }
    false
}

/// Whether a promotion or castling move of the chess rulesheets is written like this by chess programs.
fn is_coordinates(name: &str, wanted: &str) -> bool {
    match name.split(' ').collect::<Vec<_>>()[..] {
        ["promote", man, u, v, x, y] => {
            man.len() == 2
                && wanted
                    .strip_prefix(&[u, v, x, y].concat())
                    .is_some_and(|kind| man.ends_with(kind) && kind.len() == 1)
        }
        ["castle", "kingside"] => ["e1g1", "e8g8"].contains(&wanted),
        ["castle", "queenside"] => ["e1c1", "e8c8"].contains(&wanted),
        _ => false,
    }
}

/// A move in standard notation of chess.
struct San {
    piece: char,
    /// What is told of the square it comes from.
    from: Vec<char>,
    to: [char; 2],
    promotion: Option<char>,
    castling: Option<&'static str>,
}

impl San {
    fn read(text: &str) -> Option<San> {
        let text = text.trim_end_matches(['+', '#', '!', '?']);
        let castling = match text {
            "O-O" | "0-0" | "o-o" => Some("kingside"),
            "O-O-O" | "0-0-0" | "o-o-o" => Some("queenside"),
            _ => None,
        };
        if castling.is_some() {
            return Some(San { piece: 'k', from: Vec::new(), to: ['-'; 2], promotion: None, castling });
        }
        let (text, promotion) = match text.split_once('=') {
            Some((text, piece)) => (text, Some(piece.chars().next().filter(|c| "QRBN".contains(*c))?)),
            None => (text, None),
        };
        let mut rest: Vec<char> = text.chars().filter(|c| *c != 'x').collect();
        let piece = match rest.first()? {
            c if "KQRBN".contains(*c) => rest.remove(0),
            _ => 'P',
        };
        let to = [*rest.get(rest.len().checked_sub(2)?)?, *rest.last()?];
        rest.truncate(rest.len() - 2);
        let is_square = ('a'..='h').contains(&to[0]) && ('1'..='8').contains(&to[1]);
        let is_told = rest.iter().all(|c| ('a'..='h').contains(c) || ('1'..='8').contains(c));
        let lower = |c: char| c.to_ascii_lowercase();
        (is_square && is_told && rest.len() <= 2).then(|| San {
            piece: lower(piece),
            from: rest,
            to,
            promotion: promotion.map(lower),
            castling: None,
        })
    }

    /// Whether a move of the chess rulesheets is this one: `move wn g 1 f 3`, `promote queen e 7 e 8`, `castle kingside`.
    fn is(&self, name: &str) -> bool {
        let words: Vec<&str> = name.split(' ').collect();
        let letter = |word: &str| word.chars().next_back();
        let is_there = |u: &str, v: &str, x: &str, y: &str| {
            let from = |c: &char| u.chars().eq([*c]) || v.chars().eq([*c]);
            self.from.iter().all(from) && x.chars().eq([self.to[0]]) && y.chars().eq([self.to[1]])
        };
        match (words[..].first().copied(), &words[..], self.castling) {
            (Some("castle"), [_, side], Some(wanted)) => *side == wanted,
            (Some("move"), [_, man, u, v, x, y], None) => {
                self.promotion.is_none() && man.len() == 2 && letter(man) == Some(self.piece) && is_there(u, v, x, y)
            }
            (Some("promote"), [_, man, u, v, x, y], None) => {
                // `queen`, or with the colour before it `wq`.
                let to = match *man {
                    "knight" => Some('n'),
                    short if short.len() == 2 => letter(short),
                    long => long.chars().next(),
                };
                self.piece == 'p' && self.promotion.is_some() && to == self.promotion && is_there(u, v, x, y)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(all: &[&str]) -> Vec<String> {
        all.iter().map(|text| text.to_string()).collect()
    }

    #[test]
    fn names_and_parts_of_names() {
        let moves = texts(&["(mark 1 1)", "(mark 1 2)", "(mark 2 1)", "noop", "quit"]);
        assert_eq!(understand("(MARK 1  1)", &moves), Meaning::One(0));
        assert_eq!(understand("mark(1,2)", &moves), Meaning::One(1));
        assert_eq!(understand("mark 2", &moves), Meaning::One(2));
        assert_eq!(understand("mark 1", &moves), Meaning::Several(vec![0, 1]));
        assert_eq!(understand("1 2", &moves), Meaning::One(1));
        assert_eq!(understand("no", &moves), Meaning::One(3));
        assert_eq!(understand("jump", &moves), Meaning::Unknown);
        assert_eq!(understand("  ", &moves), Meaning::Unknown);
    }

    #[test]
    fn places_alone() {
        let moves = texts(&["(place d 4)", "(place e 5)", "(drop 4)", "(walk a 1 b 2)", "(walk a 11 b 2)"]);
        assert_eq!(understand("d4", &moves), Meaning::One(0));
        assert_eq!(understand("E5", &moves), Meaning::One(1));
        assert_eq!(understand("a1-b2", &moves), Meaning::One(3));
        assert_eq!(understand("b2", &moves), Meaning::Several(vec![3, 4]));
        assert_eq!(understand("4", &moves), Meaning::One(2));
    }

    #[test]
    fn standard_notation_of_chess() {
        let moves = texts(&[
            "(move wn g 1 f 3)",
            "(move wn d 2 f 3)",
            "(move wp e 4 d 5)",
            "(move wp e 4 e 5)",
            "(castle kingside)",
            "(promote queen g 7 g 8)",
            "(promote knight g 7 g 8)",
            "(move wb c 4 d 5)",
        ]);
        assert_eq!(understand("Nf3", &moves), Meaning::Several(vec![0, 1]));
        assert_eq!(understand("Ngf3", &moves), Meaning::One(0));
        assert_eq!(understand("N2f3", &moves), Meaning::One(1));
        assert_eq!(understand("exd5", &moves), Meaning::One(2));
        assert_eq!(understand("Bxd5+", &moves), Meaning::One(7));
        assert_eq!(understand("e5", &moves), Meaning::One(3));
        assert_eq!(understand("O-O", &moves), Meaning::One(4));
        assert_eq!(understand("g8=Q#", &moves), Meaning::One(5));
        assert_eq!(understand("g8=N", &moves), Meaning::One(6));
        assert_eq!(understand("O-O-O", &moves), Meaning::Unknown);
        assert_eq!(understand("e1g1", &moves), Meaning::One(4));
        let moves =
            texts(&["(promote wq e 7 e 8)", "(promote wn e 7 e 8)", "(promote wn e 7 d 8)", "(castle queenside)"]);
        assert_eq!(understand("e7e8q", &moves), Meaning::One(0));
        assert_eq!(understand("e7d8n", &moves), Meaning::One(2));
        assert_eq!(understand("e7e8", &moves), Meaning::Several(vec![0, 1]));
        assert_eq!(understand("e8c8", &moves), Meaning::One(3));
        assert_eq!(understand("e7e8b", &moves), Meaning::Unknown);
    }
}
