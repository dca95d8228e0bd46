//! Numbers for positions: the exclusive or of a number for each man on its square and for whatever else decides moves.

use native::chess::geometry::{PAWN, squares};
use native::chess::{Colour, Kind, Position};

struct Keys {
    men: [[[u64; 64]; 6]; 2],
    castling: [u64; 16],
    passed: [u64; 8],
    black: u64,
}

static KEYS: Keys = keys();

const fn keys() -> Keys {
    let mut keys = Keys { men: [[[0; 64]; 6]; 2], castling: [0; 16], passed: [0; 8], black: 0 };
    let mut seed = 0x6c75_6465_6e73_u64;
    let mut at = 0;
    while at < 768 {
        keys.men[at / 384][at / 64 % 6][at % 64] = next(&mut seed);
        at += 1;
    }
    // Nobody may castle: no number.
    at = 1;
    while at < 16 {
        keys.castling[at] = next(&mut seed);
        at += 1;
    }
    at = 0;
    while at < 8 {
        keys.passed[at] = next(&mut seed);
        at += 1;
    }
    keys.black = next(&mut seed);
    keys
}

/// SplitMix64.
const fn next(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*seed ^ (*seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The number of a man on a square.
#[inline]
pub(crate) fn man(colour: Colour, kind: Kind, square: u8) -> u64 {
    KEYS.men[colour as usize][kind as usize][usize::from(square)]
}

/// The number of all that is no man: the turn, castling rights, and en passant where a pawn stands ready.
#[inline]
pub(crate) fn rest(position: &Position) -> u64 {
    let mut key = KEYS.castling[position.castling.number()];
    if position.turn == Colour::Black {
        key ^= KEYS.black;
    }
    if let Some(square) = position.passed {
        let pawns = position.men[position.turn as usize][Kind::Pawn as usize];
        if PAWN[position.turn.other() as usize][usize::from(square)] & pawns != 0 {
            key ^= KEYS.passed[usize::from(square) % 8];
        }
    }
    key
}

/// The number of a position, without its count of quiet plies.
pub(crate) fn key(position: &Position) -> u64 {
    let mut key = rest(position);
    for colour in Colour::BOTH {
        for kind in Kind::ALL {
            let men = squares(position.men[colour as usize][kind as usize]);
            key = men.fold(key, |key, square| key ^ man(colour, kind, square));
        }
    }
    key
}
