//! Moves of whole sets of men, each as if it were alone.

use native::chess::geometry::{BISHOP, KNIGHT, PAWN, ROOK, bit, sees};
use native::chess::{Colour, Kind, Man};

const NOT_A: u64 = !0x0101_0101_0101_0101;
const NOT_H: u64 = !0x8080_8080_8080_8080;

/// Where the men of a set can go in one direction over free squares; `onto` are the squares that a step in this direction can end on.
#[inline]
fn up(set: u64, free: u64, by: u32, onto: u64) -> u64 {
    let mut way = free & onto;
    let mut all = set | way & (set << by);
    way &= way << by;
    all |= way & (all << (2 * by));
    way &= way << (2 * by);
    all |= way & (all << (4 * by));
    (all << by) & free & onto
}

#[inline]
fn down(set: u64, free: u64, by: u32, onto: u64) -> u64 {
    let mut way = free & onto;
    let mut all = set | way & (set >> by);
    way &= way >> by;
    all |= way & (all >> (2 * by));
    way &= way >> (2 * by);
    all |= way & (all >> (4 * by));
    (all >> by) & free & onto
}

#[inline]
fn rooks(set: u64, free: u64) -> u64 {
    up(set, free, 8, !0) | down(set, free, 8, !0) | up(set, free, 1, NOT_A) | down(set, free, 1, NOT_H)
}

#[inline]
fn bishops(set: u64, free: u64) -> u64 {
    up(set, free, 9, NOT_A) | down(set, free, 9, NOT_H) | up(set, free, 7, NOT_H) | down(set, free, 7, NOT_A)
}

#[inline]
fn knights(set: u64) -> u64 {
    let [one_up, one_down] = [(set & NOT_H) << 1, (set & NOT_A) >> 1];
    let two_up = (set << 2) & NOT_A & (NOT_A << 1);
    let two_down = (set >> 2) & NOT_H & (NOT_H >> 1);
    let (one, two) = (one_up | one_down, two_up | two_down);
    one << 16 | one >> 16 | two << 8 | two >> 8
}

/// Where pawns of a colour can go by quiet moves; promotions are none.
#[inline]
pub(super) fn pawns(colour: Colour, set: u64, free: u64) -> u64 {
    const INNER: u64 = 0x00ff_ffff_ffff_ff00;
    match colour {
        Colour::White => {
            let one = (set << 8) & free & INNER;
            one | ((one & 0xff_0000) << 8) & free
        }
        Colour::Black => {
            let one = (set >> 8) & free & INNER;
            one | ((one & 0xff00_0000_0000) >> 8) & free
        }
    }
}

/// Where pawns of a colour can have come from by quiet moves.
#[inline]
pub(super) fn pawns_back(colour: Colour, set: u64, free: u64) -> u64 {
    match colour {
        Colour::White => {
            let one = (set >> 8) & free & !0xff;
            one | ((one & 0xff_0000) >> 8) & free & 0xff00
        }
        Colour::Black => {
            let one = (set << 8) & free & !(0xff << 56);
            one | ((one & 0xff00_0000_0000) << 8) & free & (0xff << 48)
        }
    }
}

/// The squares from which men that are no pawns reach a set over free squares, and to which they go from there.
#[inline]
pub(super) fn reach(kind: Kind, set: u64, free: u64) -> u64 {
    match kind {
        Kind::Queen => rooks(set, free) | bishops(set, free),
        Kind::Rook => rooks(set, free),
        Kind::Bishop => bishops(set, free),
        Kind::Knight => knights(set) & free,
        Kind::King | Kind::Pawn => 0,
    }
}

/// What a man sees from a square.
#[inline]
pub(super) fn seen(kind: Kind, from: u8, occupied: u64) -> u64 {
    let at = usize::from(from);
    match kind {
        Kind::Queen => sees(ROOK[at], from, occupied) | sees(BISHOP[at], from, occupied),
        Kind::Rook => sees(ROOK[at], from, occupied),
        Kind::Bishop => sees(BISHOP[at], from, occupied),
        Kind::Knight => KNIGHT[at],
        Kind::King | Kind::Pawn => 0,
    }
}

/// The image of a set under one of the symmetries of the index's maps.
#[inline]
pub(super) fn image(symmetry: usize, mut set: u64) -> u64 {
    if symmetry & 1 != 0 {
        set = (set >> 1) & 0x5555_5555_5555_5555 | (set & 0x5555_5555_5555_5555) << 1;
        set = (set >> 2) & 0x3333_3333_3333_3333 | (set & 0x3333_3333_3333_3333) << 2;
        set = (set >> 4) & 0x0f0f_0f0f_0f0f_0f0f | (set & 0x0f0f_0f0f_0f0f_0f0f) << 4;
    }
    if symmetry & 2 != 0 {
        set = set.swap_bytes();
    }
    if symmetry & 4 != 0 {
        for (by, mask) in [(28, 0x0f0f_0f0f_0000_0000), (14, 0x3333_0000_3333_0000), (7, 0x5500_5500_5500_5500)] {
            let swapped = mask & (set ^ (set << by));
            set ^= swapped ^ (swapped >> by);
        }
    }
    set
}

/// The squares from which a man attacks a target.
#[inline]
pub(super) fn seen_from(man: Man, target: u8, occupied: u64) -> u64 {
    match man.kind {
        Kind::Pawn => PAWN[man.colour.other() as usize][usize::from(target)],
        kind => reach(kind, bit(target), !occupied),
    }
}

#[cfg(test)]
mod tests {
    use super::super::index::MAPS;
    use super::*;
    use native::chess::geometry::QUEEN;

    #[test]
    fn images_are_those_of_the_squares() {
        for (symmetry, map) in MAPS.iter().enumerate() {
            for square in 0..64 {
                assert_eq!(image(symmetry, bit(square)), bit(map[usize::from(square)]), "{symmetry} {square}");
            }
        }
    }

    #[test]
    fn sets_go_where_their_men_go() {
        let occupied = 0x0010_0200_8100_4208;
        for (kind, empty) in
            [(Kind::Queen, &QUEEN), (Kind::Rook, &ROOK), (Kind::Bishop, &BISHOP), (Kind::Knight, &KNIGHT)]
        {
            let mut together = (0, 0);
            for from in (0..64).filter(|&from| occupied & bit(from) == 0) {
                let expected = match kind {
                    Kind::Knight => empty[usize::from(from)],
                    _ => sees(empty[usize::from(from)], from, occupied),
                } & !occupied;
                assert_eq!(reach(kind, bit(from), !occupied), expected, "{kind:?} {from}");
                assert_eq!(seen(kind, from, occupied) & !occupied, expected, "{kind:?} {from}");
                if from % 5 == 0 {
                    together = (together.0 | bit(from), together.1 | expected);
                }
            }
            assert_eq!(reach(kind, together.0, !occupied), together.1);
        }
    }

    #[test]
    fn pawns_go_back_where_they_came_from() {
        let occupied = 0x0010_0200_8100_4208;
        for colour in Colour::BOTH {
            for from in (8..56).filter(|&from| occupied & bit(from) == 0) {
                for to in 0..64 {
                    let there = pawns(colour, bit(from), !occupied) & bit(to) != 0;
                    let back = pawns_back(colour, bit(to), !occupied) & bit(from) != 0;
                    assert_eq!(
                        there,
                        back && (8..56).contains(&to) && occupied & bit(to) == 0,
                        "{colour:?} {from} {to}"
                    );
                }
            }
        }
    }
}
