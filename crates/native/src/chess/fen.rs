//! FEN, the common text form of a position: read with errors that say what to change, and written.

use super::castling::{Rights, Wing};
use super::geometry::{KING, PAWN, bit};
use super::position::{Colour, Kind, Man, Position};
use std::fmt;

/// Why a text is not a position. The message names the part and the way out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FenError(String);

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for FenError {}

fn wrong<T>(message: impl Into<String>) -> Result<T, FenError> {
    Err(FenError(message.into()))
}

/// The name of a square, such as `e4`.
pub(super) fn square_name(square: u8) -> String {
    format!("{}{}", (b'a' + square % 8) as char, square / 8 + 1)
}

/// The square with this name.
pub(super) fn square_of(name: &str) -> Option<u8> {
    match name.as_bytes() {
        [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => Some((rank - b'1') * 8 + file - b'a'),
        _ => None,
    }
}

impl Position {
    /// Reads a FEN. The last two fields (quiet plies, move number) may be left out, and so may everything after the side
    /// to move.
    pub fn from_fen(text: &str) -> Result<Position, FenError> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [board, turn, ..] = fields[..] else {
            return wrong("a FEN needs at least the board and the side to move, as in `8/8/8/8/8/1k6/8/K2R4 w - -`");
        };
        if fields.len() > 6 {
            return wrong(format!("a FEN has at most 6 fields, this has {}", fields.len()));
        }
        let turn = match turn {
            "w" => Colour::White,
            "b" => Colour::Black,
            _ => return wrong(format!("the side to move is `{turn}`; write `w` or `b`")),
        };
        let mut position = Position::empty(turn);
        read_board(board, &mut position)?;
        if let Some(&castling) = fields.get(2) {
            position.castling = read_castling(castling)?;
        }
        if let Some(why) = position.fault() {
            return wrong(why);
        }
        if let Some(&passed) = fields.get(3) {
            position.passed = read_passed(passed, &position)?;
        }
        if let Some(&quiet) = fields.get(4) {
            let Ok(count) = quiet.parse() else {
                return wrong(format!("the count of quiet plies is `{quiet}`; write a number such as 0"));
            };
            position.quiet = count;
        }
        if let Some(&number) = fields.get(5)
            && number.parse::<u32>().is_err()
        {
            return wrong(format!("the move number is `{number}`; write a number such as 1"));
        }
        Ok(position)
    }

    /// Writes the position as FEN. The square passed over is written only if a pawn stands ready to take there. The move
    /// number is always 1, since a position does not know it.
    pub fn fen(&self) -> String {
        let mut text = String::new();
        for rank in (0..8).rev() {
            let mut gap = 0;
            for file in 0..8 {
                match self.at(rank * 8 + file) {
                    None => gap += 1,
                    Some(man) => {
                        if gap > 0 {
                            text.push((b'0' + gap) as char);
                        }
                        gap = 0;
                        text.push(man.letter());
                    }
                }
            }
            if gap > 0 {
                text.push((b'0' + gap) as char);
            }
            if rank > 0 {
                text.push('/');
            }
        }
        let turn = if self.turn == Colour::White { 'w' } else { 'b' };
        let ready = |square: u8| {
            let pawns = self.men[self.turn as usize][Kind::Pawn as usize];
            PAWN[self.turn.other() as usize][square as usize] & pawns != 0
        };
        let passed = self.passed.filter(|&square| ready(square)).map_or("-".to_string(), square_name);
        let rights: String = self.castling.list().map(|(colour, wing)| right_letter(colour, wing)).collect();
        let rights = if rights.is_empty() { "-" } else { &rights };
        format!("{text} {turn} {rights} {passed} {} 1", self.quiet)
    }

    /// Why no game can lead to this position, if so: kings missing or side by side, pawns on the first or last rank, the side
    /// that waits in check, or a square passed over that no pawn can just have passed.
    pub fn fault(&self) -> Option<String> {
        for colour in Colour::BOTH {
            let kings = self.men[colour as usize][Kind::King as usize].count_ones();
            if kings != 1 {
                return Some(format!("{} has {kings} kings; a position needs exactly one", colour.name()));
            }
            if self.men[colour as usize][Kind::Pawn as usize] & 0xff00_0000_0000_00ff != 0 {
                return Some(format!("a {} pawn stands on the first or last rank", colour.name()));
            }
        }
        if KING[self.king(Colour::White) as usize] & bit(self.king(Colour::Black)) != 0 {
            return Some("the kings stand on neighbouring squares; no game can lead there".into());
        }
        let waiting = self.turn.other().name();
        if self.broken() {
            return Some(format!("{waiting} is in check although it is not to move; change the side to move"));
        }
        if let Some((colour, wing)) = self.groundless() {
            let (letter, side) = (right_letter(colour, wing), colour.name());
            return Some(format!("castling right `{letter}`: the {side} king or rook is not at home; leave it out"));
        }
        let passed = self.passed.filter(|&square| !self.may_have_passed(square));
        passed.map(|square| format!("no {waiting} pawn can just have passed over {}; write `-`", square_name(square)))
    }

    /// Whether a pawn of the side that waits can just have made a double step over this square.
    fn may_have_passed(&self, square: u8) -> bool {
        let (rank, pawn, from) = match self.turn {
            Colour::White => (5, square.wrapping_sub(8), square.wrapping_add(8)),
            Colour::Black => (2, square.wrapping_add(8), square.wrapping_sub(8)),
        };
        square / 8 == rank
            && self.men[self.turn.other() as usize][Kind::Pawn as usize] & bit(pawn) != 0
            && self.occupied() & (bit(square) | bit(from)) == 0
    }
}

fn read_board(board: &str, position: &mut Position) -> Result<(), FenError> {
    let ranks: Vec<&str> = board.split('/').collect();
    if ranks.len() != 8 {
        return wrong(format!("the board has {} ranks; write 8, separated by `/`, from rank 8 to rank 1", ranks.len()));
    }
    for (row, rank) in ranks.into_iter().enumerate() {
        let number = 8 - row;
        let mut file = 0u32;
        for letter in rank.chars() {
            if let Some(gap) = letter.to_digit(10).filter(|gap| (1..=8).contains(gap)) {
                file += gap;
            } else if let Some(kind) = Kind::from_letter(letter) {
                if file < 8 {
                    let colour = if letter.is_ascii_uppercase() { Colour::White } else { Colour::Black };
                    position.put(Man { colour, kind }, ((number - 1) * 8) as u8 + file as u8);
                }
                file += 1;
            } else {
                return wrong(format!(
                    "rank {number}: `{letter}` is neither a man (KQRBNP, kqrbnp) nor a gap (1 to 8)"
                ));
            }
            if file > 8 {
                return wrong(format!("rank {number}, `{rank}`, has more than 8 squares"));
            }
        }
        if file < 8 {
            return wrong(format!("rank {number}, `{rank}`, has only {file} squares; fill up with a gap"));
        }
    }
    Ok(())
}

fn right_letter(colour: Colour, wing: Wing) -> char {
    let kind = if wing == Wing::King { Kind::King } else { Kind::Queen };
    Man { colour, kind }.letter()
}

fn read_castling(text: &str) -> Result<Rights, FenError> {
    let mut rights = Rights::NONE;
    if text == "-" {
        return Ok(rights);
    }
    let all = Colour::BOTH.into_iter().flat_map(|colour| Wing::BOTH.map(|wing| (colour, wing)));
    for letter in text.chars() {
        let Some((colour, wing)) = all.clone().find(|&(colour, wing)| right_letter(colour, wing) == letter) else {
            return wrong(format!("castling rights `{text}`: write some of K, Q, k and q, or `-`"));
        };
        rights = rights.with(colour, wing);
    }
    Ok(rights)
}

fn read_passed(text: &str, position: &Position) -> Result<Option<u8>, FenError> {
    if text == "-" {
        return Ok(None);
    }
    let Some(square) = square_of(text) else {
        return wrong(format!("the en passant square is `{text}`; write a square such as e3, or `-`"));
    };
    if !position.may_have_passed(square) {
        let mover = position.turn.other().name();
        return wrong(format!("no {mover} pawn can just have passed over {text}; write `-`"));
    }
    Ok(Some(square))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_as_read() {
        for fen in [
            "8/8/8/8/8/1k6/8/K2R4 w - - 0 1",
            "8/8/8/8/pP6/8/8/K2k4 b - b3 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 12 1",
        ] {
            assert_eq!(Position::from_fen(fen).unwrap().fen(), fen);
        }
        assert_eq!(Position::start().fen(), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        assert_eq!(Position::from_fen(&Position::start().fen()), Ok(Position::start()));
        assert_eq!(Position::from_fen("8/8/8/8/8/1k6/8/K2R4 w").unwrap().fen(), "8/8/8/8/8/1k6/8/K2R4 w - - 0 1");
        // Nobody can take there, so the square says nothing.
        assert_eq!(Position::from_fen("8/8/8/8/1P6/8/8/K2k4 b - b3").unwrap().fen(), "8/8/8/8/1P6/8/8/K2k4 b - - 0 1");
    }

    #[test]
    fn errors_name_the_place() {
        for (fen, word) in [
            ("", "board"),
            ("8/8/8/8/8/1k6/8 w - -", "7 ranks"),
            ("8/8/8/8/8/1k6/8/K2R5 w - -", "rank 1"),
            ("8/8/8/8/8/1k6/8/K2R3 w - -", "only 7"),
            ("8/8/8/8/8/1x6/8/K2R4 w - -", "`x`"),
            ("8/8/8/8/8/8/8/K2R4 w - -", "black has 0 kings"),
            ("8/8/8/8/8/1k6/8/K2R4 x - -", "`w` or `b`"),
            ("8/8/8/8/8/1k6/8/K2R4 w Q -", "castling right `Q`"),
            ("8/8/8/8/8/1k6/8/K2R4 w X -", "some of K, Q, k and q"),
            ("8/8/8/8/8/1k6/8/4K1R1 w K -", "not at home"),
            ("8/8/8/8/8/1k6/8/K2R4 w - e4", "passed over"),
            ("8/8/8/8/8/1k6/8/K2R4 w - - many 1", "quiet"),
            ("8/8/8/8/8/1k6/8/K2R4 w - - 0 x", "move number"),
            ("P7/8/8/8/8/1k6/8/K7 w - -", "pawn"),
            ("8/8/8/8/8/1k1R4/8/K7 w - -", "in check"),
            ("8/8/8/8/8/8/1k6/K7 w - -", "neighbouring"),
            ("8/8/8/8/8/1k6/8/K2R4 w - - 0 1 2", "6 fields"),
        ] {
            let error = Position::from_fen(fen).unwrap_err().to_string();
            assert!(error.contains(word), "{fen}: {error}");
        }
    }
}
