//! The attributes of the paper, by name. KQKR's eleven are listed there. Of KRK's twelve it names four; the other eight are
//! those that Bratko's program for this ending is made of (Prolog Programming for Artificial Intelligence, the chapter on advice).

use crate::chess::Ending;
use crate::world::{FAILED, Kind, World};
use native::chess::{Colour, Kind as Man, Position};
use rayon::prelude::*;

/// An attribute with a name.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    /// Its name in the paper, or one in its manner.
    pub name: &'static str,
    /// What it is.
    pub words: &'static str,
    /// Its value, white being the stronger side.
    pub value: fn(&Position) -> u8,
}

impl Named {
    const fn new(name: &'static str, words: &'static str, value: fn(&Position) -> u8) -> Named {
        Named { name, words, value }
    }
}

/// KRK: the first four are named in the paper.
pub static KRK: [Named; 12] = [
    Named::new("edist", "distance of the black king to the nearest edge", |p| edge(p.king(Colour::Black))),
    Named::new("kdist", "distance between the kings", kings),
    Named::new("grook", "the rook divides the kings with respect to the edge nearest to the black king", grook),
    Named::new("wkcrn", "distance of the white king to the nearest corner", |p| corner(p.king(Colour::White))),
    Named::new("divides", "the rook divides the kings, across or up", divides),
    Named::new("exposed", "the black king can come to the rook before the white king", exposed),
    Named::new("room", "squares of the rectangle that the rook leaves to the black king; 64 if they are in line", room),
    Named::new(
        "csquare",
        "steps across and up from the white king to the square inside of the rook's corner",
        critical,
    ),
    Named::new("lpatt", "the L pattern: kings 2 apart across and up, rook and black king 3", lpattern),
    Named::new("wkedge0", "the white king is at the edge", |p| u8::from(edge(p.king(Colour::White)) == 0)),
    Named::new("close", "the kings are less than 4 apart", |p| u8::from(kings(p) < 4)),
    Named::new("room2", "the room is more than 2", |p| u8::from(room(p) > 2)),
];

/// KQKR: all distances in king moves.
pub static KQKR: [Named; 11] = [
    Named::new("wp", "distance between the two white pieces", |p| {
        apart(p.king(Colour::White), man(p, Colour::White, Man::Queen))
    }),
    Named::new("kk", "distance between the kings", kings),
    Named::new("kr", "distance between the white king and the rook", |p| {
        apart(p.king(Colour::White), man(p, Colour::Black, Man::Rook))
    }),
    Named::new("qk", "distance between the queen and the black king", |p| {
        apart(man(p, Colour::White, Man::Queen), p.king(Colour::Black))
    }),
    Named::new("qr", "distance between the queen and the rook", |p| {
        apart(man(p, Colour::White, Man::Queen), man(p, Colour::Black, Man::Rook))
    }),
    Named::new("bp", "distance between the two black pieces", |p| {
        apart(p.king(Colour::Black), man(p, Colour::Black, Man::Rook))
    }),
    Named::new("wkedge", "distance of the white king to the nearest edge", |p| edge(p.king(Colour::White))),
    Named::new("bkedge", "distance of the black king to the nearest edge", |p| edge(p.king(Colour::Black))),
    Named::new("wkcrn", "distance of the white king to the nearest corner", |p| corner(p.king(Colour::White))),
    Named::new("bkcrn", "distance of the black king to the nearest corner", |p| corner(p.king(Colour::Black))),
    Named::new("bckchk", "the black king is in check", |p| u8::from(p.in_check(Colour::Black))),
];

/// The values of attributes in all positions of the world of an ending: one column for each; 0 where there is no position.
pub fn values(world: &World, ending: &Ending, attributes: &[Named]) -> Vec<Vec<u8>> {
    let count = attributes.len();
    let mut rows = vec![0u8; world.len() * count];
    rows.par_chunks_mut(count).with_min_len(1 << 10).enumerate().for_each(|(node, row)| {
        if node > FAILED as usize && world.kinds[node] != Kind::Unused {
            let position = ending.position(node as u32);
            for (value, attribute) in row.iter_mut().zip(attributes) {
                *value = (attribute.value)(&position);
            }
        }
    });
    (0..count).map(|at| rows.iter().skip(at).step_by(count).copied().collect()).collect()
}

fn across(square: u8) -> u8 {
    square & 7
}

fn up(square: u8) -> u8 {
    square >> 3
}

/// King moves between two squares.
fn apart(a: u8, b: u8) -> u8 {
    across(a).abs_diff(across(b)).max(up(a).abs_diff(up(b)))
}

/// Steps across and up between two squares.
fn steps(a: u8, b: u8) -> u8 {
    across(a).abs_diff(across(b)) + up(a).abs_diff(up(b))
}

fn edge(square: u8) -> u8 {
    let inward = |at: u8| at.min(7 - at);
    inward(across(square)).min(inward(up(square)))
}

fn corner(square: u8) -> u8 {
    let inward = |at: u8| at.min(7 - at);
    inward(across(square)).max(inward(up(square)))
}

/// Where the one man of a kind stands; a1 if there is none, which positions of the ending never have.
fn man(position: &Position, colour: Colour, kind: Man) -> u8 {
    (position.men[colour as usize][kind as usize].trailing_zeros() as u8) & 63
}

fn kings(position: &Position) -> u8 {
    apart(position.king(Colour::White), position.king(Colour::Black))
}

/// The white king, the rook and the black king.
fn three(position: &Position) -> (u8, u8, u8) {
    (position.king(Colour::White), man(position, Colour::White, Man::Rook), position.king(Colour::Black))
}

fn ordered(a: u8, b: u8, c: u8) -> bool {
    a < b && b < c || c < b && b < a
}

fn divides(position: &Position) -> u8 {
    let (king, rook, foe) = three(position);
    u8::from(ordered(across(king), across(rook), across(foe)) || ordered(up(king), up(rook), up(foe)))
}

/// Whether the rook stands between the kings on the way from an edge that is nearest to the black king.
fn grook(position: &Position) -> u8 {
    let (king, rook, foe) = three(position);
    let nearest = edge(foe);
    let from = |side: u8, square: u8| match side {
        0 => across(square),
        1 => 7 - across(square),
        2 => up(square),
        _ => 7 - up(square),
    };
    let held =
        |side: u8| from(side, foe) == nearest && nearest < from(side, rook) && from(side, rook) < from(side, king);
    u8::from((0..4).any(held))
}

fn exposed(position: &Position) -> u8 {
    let (king, rook, foe) = three(position);
    let first = u8::from(position.turn == Colour::White);
    u8::from(apart(king, rook) > apart(foe, rook) + first)
}

fn room(position: &Position) -> u8 {
    let (_, rook, foe) = three(position);
    let side = |rook: u8, foe: u8| if foe < rook { rook } else { 7 - rook };
    if across(rook) == across(foe) || up(rook) == up(foe) {
        return 64;
    }
    side(across(rook), across(foe)) * side(up(rook), up(foe))
}

/// The critical square lies diagonally beside the rook, towards the black king; it can be off the board by one.
fn critical(position: &Position) -> u8 {
    let (king, rook, foe) = three(position);
    let toward = |rook: u8, foe: u8| if foe < rook { i16::from(rook) - 1 } else { i16::from(rook) + 1 };
    let gap = |at: i16, king: u8| at.abs_diff(i16::from(king)) as u8;
    gap(toward(across(rook), across(foe)), across(king)) + gap(toward(up(rook), up(foe)), up(king))
}

fn lpattern(position: &Position) -> u8 {
    let (king, rook, foe) = three(position);
    u8::from(steps(king, foe) == 2 && steps(rook, foe) == 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(list: &[Named], fen: &str) -> Vec<(&'static str, u8)> {
        let position = Position::from_fen(fen).expect("it is a FEN");
        list.iter().map(|attribute| (attribute.name, (attribute.value)(&position))).collect()
    }

    #[test]
    fn krk_read_off_a_board() {
        // White: king c3, rook d4. Black: king f6.
        let found = all(&KRK, "8/8/5k2/8/3R4/2K5/8/8 b - - 0 1");
        let expected = [
            ("edist", 2),
            ("kdist", 3),
            ("grook", 1),
            ("wkcrn", 2),
            ("divides", 1),
            ("exposed", 0),
            ("room", 16),
            ("csquare", 4),
            ("lpatt", 0),
            ("wkedge0", 0),
            ("close", 1),
            ("room2", 1),
        ];
        assert_eq!(found, expected);
        // In line with the black king there is no rectangle; the L: kings in opposition, the rook a step aside.
        let found = all(&KRK, "k7/1R6/K7/8/8/8/8/8 b - - 0 1");
        assert_eq!(found[8], ("lpatt", 0));
        let found = all(&KRK, "8/8/8/8/8/1k6/3R4/1K6 b - - 0 1");
        assert_eq!((found[8], found[6]), (("lpatt", 1), ("room", 3 * 6)));
        assert_eq!(all(&KRK, "8/8/8/8/k6R/8/8/4K3 b - - 0 1")[6], ("room", 64));
    }

    #[test]
    fn kqkr_read_off_a_board() {
        // White: king d4, queen d1. Black: king g7, rook g6; the queen's file and diagonal miss the black king.
        let found = all(&KQKR, "8/6k1/6r1/8/3K4/8/8/3Q4 b - - 0 1");
        let expected = [
            ("wp", 3),
            ("kk", 3),
            ("kr", 3),
            ("qk", 6),
            ("qr", 5),
            ("bp", 1),
            ("wkedge", 3),
            ("bkedge", 1),
            ("wkcrn", 3),
            ("bkcrn", 1),
            ("bckchk", 0),
        ];
        assert_eq!(found, expected);
        assert_eq!(all(&KQKR, "8/6k1/6r1/8/3K4/8/8/Q7 b - - 0 1")[10], ("bckchk", 0), "the king on d4 is in the way");
        assert_eq!(all(&KQKR, "8/6k1/6r1/8/4K3/8/8/Q7 b - - 0 1")[10], ("bckchk", 1));
    }
}
