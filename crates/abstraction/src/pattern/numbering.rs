//! Patterns, the numbers of their placements, and the tables over them.

use super::board::Board;
use game::Role;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What becomes of the other side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Other {
    /// It plays on with the pieces that it has in the pattern.
    Against,
    /// The same, and it may also pass.
    MayPass,
    /// It is not there: the turn comes back, and the pieces want to stand on cells of their goal.
    Absent,
}

/// Some kinds of pieces, and what becomes of the other side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    /// The things, by number, in order; one that is kept twice stands twice.
    pub things: Vec<usize>,
    /// The other side.
    pub other: Other,
    /// Whose pieces they are where the other side is absent, and whom the other passes for.
    pub mine: Role,
    /// For each piece its cells, and how many there are.
    widths: Vec<usize>,
}

/// Why a text is no pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PatternError(String);

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PatternError {}

impl Pattern {
    /// These things, with the other side as it says.
    pub fn new(mut things: Vec<usize>, other: Other, mine: Role, board: &Board) -> Pattern {
        things.sort_unstable();
        let widths = things.iter().map(|&thing| board.things[thing].places.len()).collect();
        Pattern { things, other, mine, widths }
    }

    /// Names of things with spaces between them, both sides against each other.
    ///
    /// # Errors
    /// When there is no such thing.
    pub fn parse(text: &str, board: &Board) -> Result<Pattern, PatternError> {
        let find = |name: &str| {
            let known: Vec<&str> = board.things.iter().map(|thing| thing.name.as_str()).collect();
            let none = || PatternError(format!("there is no piece {name:?}; there are {}", known.join(", ")));
            board.thing(name).ok_or_else(none)
        };
        let things = text.split_whitespace().map(find).collect::<Result<Vec<usize>, _>>()?;
        if things.is_empty() {
            return Err(PatternError("a pattern wants at least one piece".into()));
        }
        Ok(Pattern::new(things, Other::Against, Role(0), board))
    }

    /// Its pieces in words.
    pub fn words(&self, board: &Board) -> String {
        let names: Vec<&str> = self.things.iter().map(|&thing| board.things[thing].name.as_str()).collect();
        let other = match self.other {
            Other::Against => "",
            Other::MayPass => ", the other may pass",
            Other::Absent => " alone",
        };
        format!("{}{other}", names.join(" "))
    }

    /// How many numbers there are: what a table takes in bytes. Pieces on the same cell and exchanged ones have numbers of their own.
    pub fn entries(&self) -> u64 {
        self.widths.iter().fold(self.turns() as u64, |all, &width| all.saturating_mul(width as u64))
    }

    /// How many placements there are, or a few more where pieces would stand on the same cell.
    pub fn placements(&self) -> u64 {
        let mut all = self.turns() as u64;
        let mut before = (usize::MAX, 0);
        for (&thing, &width) in self.things.iter().zip(&self.widths) {
            before = (thing, if before.0 == thing { before.1 + 1 } else { 0 });
            all = all.saturating_mul(width.saturating_sub(before.1) as u64) / (before.1 as u64 + 1);
        }
        all
    }

    /// How many roles can be to move.
    pub(crate) fn turns(&self) -> usize {
        if self.other == Other::Absent { 1 } else { 2 }
    }

    /// Who is to move in a part of the numbers.
    pub(crate) fn mover(&self, turn: usize) -> Role {
        if self.other == Other::Absent { self.mine } else { Role(turn as u8) }
    }

    /// The number of a placement, by the places of each piece; those of the same kind in rising order.
    #[inline]
    pub(crate) fn number(&self, turn: usize, places: &[usize]) -> usize {
        self.widths.iter().zip(places).fold(turn, |number, (width, place)| number * width + place)
    }

    /// Every placement with its number: pieces on different cells, those of a kind in rising order.
    pub(crate) fn each_placement(&self, board: &Board, seen: &mut dyn FnMut(usize, usize, &[usize])) {
        let mut places = vec![0; self.things.len()];
        for turn in 0..self.turns() {
            let mut at = 0;
            places[0] = 0;
            loop {
                if places[at] == self.widths[at] {
                    if at == 0 {
                        break;
                    }
                    at -= 1;
                    places[at] += 1;
                    continue;
                }
                let cell = |at: usize| board.things[self.things[at]].places[places[at]].0;
                if (0..at).any(|before| cell(before) == cell(at)) {
                    places[at] += 1;
                    continue;
                }
                if at + 1 < places.len() {
                    at += 1;
                    places[at] = if self.things[at] == self.things[at - 1] { places[at - 1] + 1 } else { 0 };
                    continue;
                }
                seen(self.number(turn, &places), turn, &places);
                places[at] += 1;
            }
        }
    }

    /// Every choice of pieces for the pattern out of those on a board, given as the places of each thing in rising order. Ends early if `seen` says no.
    pub(crate) fn each_instance(&self, on_board: &[Vec<usize>], seen: &mut dyn FnMut(&[usize]) -> bool) {
        let mut picks = vec![0; self.things.len()];
        let mut places = vec![0; self.things.len()];
        let mut at = 0;
        loop {
            let own = &on_board[self.things[at]];
            if picks[at] >= own.len() {
                if at == 0 {
                    return;
                }
                at -= 1;
                picks[at] += 1;
                continue;
            }
            places[at] = own[picks[at]];
            if at + 1 < picks.len() {
                at += 1;
                picks[at] = if self.things[at] == self.things[at - 1] { picks[at - 1] + 1 } else { 0 };
                continue;
            }
            if !seen(&places) {
                return;
            }
            picks[at] += 1;
        }
    }
}

/// What a placement is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// Not a placement.
    None,
    /// Nobody can force anything; alone: the goal cannot be reached.
    Draw,
    /// Won for the first role in so many moves; alone: the goal is so many moves away.
    Win(u8),
    /// Lost for the first role in so many moves.
    Loss(u8),
}

/// The most moves that a byte can tell; what is further counts as this.
pub(crate) const MOST_MOVES: u16 = 126;

impl Value {
    pub(crate) fn byte(self) -> u8 {
        match self {
            Value::Draw => 0,
            Value::Win(moves) => 2 * moves + 1,
            Value::Loss(moves) => 2 * moves + 2,
            Value::None => u8::MAX,
        }
    }

    pub(crate) fn of(byte: u8) -> Value {
        match byte {
            0 => Value::Draw,
            u8::MAX => Value::None,
            byte if byte & 1 == 1 => Value::Win(byte / 2),
            byte => Value::Loss(byte / 2 - 1),
        }
    }
}

/// How many placements have which value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Won for the first role, or the goal can be reached.
    pub won: u64,
    /// Drawn, or out of reach.
    pub drawn: u64,
    /// Lost for the first role.
    pub lost: u64,
    /// The greatest distance.
    pub longest: u8,
    /// States that were listed to know it: placements, and all that follows from them.
    pub states: u64,
}

impl Counts {
    pub(crate) fn of(bytes: &[u8], states: u64) -> Counts {
        let mut counts = Counts { states, ..Counts::default() };
        for &byte in bytes {
            match Value::of(byte) {
                Value::None => {}
                Value::Draw => counts.drawn += 1,
                Value::Win(moves) => (counts.won, counts.longest) = (counts.won + 1, counts.longest.max(moves)),
                Value::Loss(moves) => (counts.lost, counts.longest) = (counts.lost + 1, counts.longest.max(moves)),
            }
        }
        counts
    }
}

/// The values of all placements of a pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// The pattern.
    pub pattern: Pattern,
    pub(crate) bytes: Vec<u8>,
    pub(crate) counts: Counts,
}

impl Table {
    /// The value of a placement, with this role to move: the fact of each piece. `None` where the facts are not those of the pattern.
    pub fn value(&self, board: &Board, turn: Role, facts: &[u32]) -> Option<Value> {
        let mut placed: Vec<(usize, usize)> = Vec::with_capacity(facts.len());
        for &fact in facts {
            placed.push(board.spot(fact)?);
        }
        placed.sort_unstable();
        if placed.iter().map(|place| place.0).ne(self.pattern.things.iter().copied()) {
            return None;
        }
        let places: Vec<usize> = placed.iter().map(|place| place.1).collect();
        let turn = if self.pattern.other == Other::Absent { 0 } else { turn.0 as usize };
        Some(Value::of(self.bytes[self.pattern.number(turn, &places)]))
    }

    /// The value of a placement by its number.
    #[inline]
    pub(crate) fn at(&self, turn: usize, places: &[usize]) -> Value {
        Value::of(self.bytes[self.pattern.number(turn, places)])
    }

    /// How many placements have which value.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Whether it says the same of everything, so that asking it is of no use.
    pub fn says_nothing(&self) -> bool {
        let mut values = self.bytes.iter().filter(|&&byte| byte != u8::MAX);
        let first = values.next();
        values.all(|value| Some(value) == first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_read_back() {
        for byte in 0..=u8::MAX {
            assert_eq!(Value::of(byte).byte(), byte);
        }
        assert_eq!(Value::Loss(MOST_MOVES as u8).byte(), 254);
    }
}
