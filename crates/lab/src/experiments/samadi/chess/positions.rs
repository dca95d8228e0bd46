//! The positions: made by a recipe from a seed, judged by a strong program, and kept in files so that everybody plays the same.
//!
//! The recipe: the men of the ending on random squares, pawns on the second to sixth rank as their side counts, either side to
//! move; nobody is in check, nothing hangs (a man that is attacked is defended, and not attacked by a lesser one); and a deep search
//! sees one side ahead by 0.3 to 2.5 pawns.

use agent::program::{Program, Score, Task, Thinking};
use anyhow::{Context, Result, anyhow, ensure};
use game::Cancel;
use game::random::Rng;
use native::chess::{Colour, Kind, Man, Position};
use std::fmt::Write as _;

/// The positions that are kept, by their seeds.
const KEPT: [(u64, &str); 1] = [(1, include_str!("positions-1.txt"))];

/// How many positions of each ending are kept.
pub const COUNT: u64 = 25;
/// What a side is ahead, in hundredths of a pawn.
const AHEAD: std::ops::RangeInclusive<i32> = 30..=250;

/// The positions of an ending that are kept for a seed.
pub fn kept(men: &str, seed: u64) -> Vec<Position> {
    let text = KEPT.iter().find(|(known, _)| *known == seed).map_or("", |(_, text)| text);
    let lines = text.lines().filter_map(|line| line.strip_prefix(men)?.strip_prefix(' '));
    lines.filter_map(|fen| Position::from_fen(fen.split(';').next()?.trim()).ok()).collect()
}

/// Makes the file of a seed, with a program that judges.
///
/// # Errors
/// When the program fails, or somebody says stop.
pub fn make(
    endings: &[&str],
    seed: u64,
    depth: u32,
    judge: &mut dyn Program,
    cancel: &Cancel,
    tell: &mut dyn FnMut(usize),
) -> Result<String> {
    let name = judge.name().to_string();
    let mut text = format!(
        "# Made with seed {seed}; judged by {name} at depth {depth}, hundredths of a pawn for the side to move.\n"
    );
    let mut count = 0;
    for men in endings {
        // Each ending has positions of its own, whatever else is made.
        let salt = men.bytes().fold(0u64, |sum, byte| sum.wrapping_mul(131).wrapping_add(byte.into()));
        let mut rng = Rng::new(seed.wrapping_mul(0x9e37_79b9).wrapping_add(salt));
        for _ in 0..COUNT {
            let (position, score) = loop {
                ensure!(!cancel.is_cancelled(), "broken off");
                let position = random(men, &mut rng)?;
                if let Some(score) = judged(&position, depth, judge, cancel)? {
                    break (position, score);
                }
            };
            let _ = writeln!(text, "{men} {} ; {score}", position.fen());
            count += 1;
            tell(count);
        }
    }
    Ok(text)
}

/// What the judge says, if it is within bounds.
fn judged(position: &Position, depth: u32, judge: &mut dyn Program, cancel: &Cancel) -> Result<Option<i32>> {
    let fen = position.fen();
    let task = Task { start: &fen, moves: &[], position: &fen, depth: Some(depth), nodes: None, movetime: None };
    let mut thinking = Thinking { stop: &|| cancel.is_cancelled(), tell: &mut |_| {} };
    let report = judge.think(&task, &mut thinking).map_err(|why| anyhow!("the judge: {why}"))?;
    Ok(match report.score {
        Some(Score::Centipawns(points)) => Some(points).filter(|points| AHEAD.contains(&points.abs())),
        Some(Score::Mate(_)) | None => None,
    })
}

/// A random position of an ending that is quiet.
pub fn random(men: &str, rng: &mut Rng) -> Result<Position> {
    let list = men_of(men).with_context(|| format!("{men} is no ending"))?;
    for _ in 0..1_000_000 {
        let turn = if rng.below(2) == 0 { Colour::White } else { Colour::Black };
        let mut position = Position::empty(turn);
        for &man in &list {
            let square = loop {
                let square = rng.below(64) as u8;
                let rank = if man.colour == Colour::White { square / 8 } else { 7 - square / 8 };
                let fits = man.kind != Kind::Pawn || (1..=5).contains(&rank);
                if fits && position.at(square).is_none() {
                    break square;
                }
            };
            position.put(man, square);
        }
        if position.fault().is_none() && is_quiet(&position) {
            return Ok(position);
        }
    }
    Err(anyhow!("no quiet position of {men} was found"))
}

/// The men of an ending such as `KRPP-KBN`.
fn men_of(men: &str) -> Option<Vec<Man>> {
    let (first, second) = men.split_once('-')?;
    let side = |letters: &str, colour: Colour| {
        letters.chars().map(|letter| Some(Man { colour, kind: Kind::from_letter(letter)? })).collect::<Option<Vec<_>>>()
    };
    Some([side(first, Colour::White)?, side(second, Colour::Black)?].concat())
}

/// What a man is worth where one is exchanged for another.
fn worth(kind: Kind) -> u32 {
    match kind {
        Kind::King => 100,
        Kind::Queen => 9,
        Kind::Rook => 5,
        Kind::Bishop | Kind::Knight => 3,
        Kind::Pawn => 1,
    }
}

/// Nobody is in check, and nothing hangs.
fn is_quiet(position: &Position) -> bool {
    let occupied = position.occupied();
    position.list().iter().all(|&(man, square)| {
        let attackers = position.attackers(man.colour.other(), square, occupied);
        if attackers == 0 {
            return true;
        }
        let least = (0..64)
            .filter(|at| attackers >> at & 1 == 1)
            .filter_map(|at| position.at(at))
            .map(|man| worth(man.kind))
            .min();
        let is_defended = position.attackers(man.colour, square, occupied) != 0;
        man.kind != Kind::King && is_defended && least.is_some_and(|least| least >= worth(man.kind))
    })
}

#[cfg(test)]
mod tests {
    use super::super::rows::ROWS;
    use super::*;

    #[test]
    fn the_recipe_is_kept_to() {
        for row in &ROWS {
            for (seed, _) in KEPT {
                let positions = kept(row.men, seed);
                assert_eq!(positions.len() as u64, COUNT, "{} of seed {seed}", row.men);
                for position in positions {
                    assert!(is_quiet(&position), "{}", position.fen());
                    let pawns = |colour: Colour| position.men[colour as usize][Kind::Pawn as usize];
                    assert_eq!(pawns(Colour::White) & 0xffff_0000_0000_00ff, 0, "{}", position.fen());
                    assert_eq!(pawns(Colour::Black) & 0xff00_0000_0000_ffff, 0, "{}", position.fen());
                    let men = men_of(row.men).expect("an ending");
                    assert_eq!(position.list().len(), men.len());
                }
            }
        }
        let (mut a, mut b) = (Rng::new(5), Rng::new(5));
        assert_eq!(random("KRPP-KBN", &mut a).expect("one").fen(), random("KRPP-KBN", &mut b).expect("one").fen());
        let is_quiet = |fen| is_quiet(&Position::from_fen(fen).expect("a position"));
        assert!(is_quiet("8/8/3k4/3r4/8/8/8/3RK3 w - -"), "each rook is defended by its king");
        assert!(!is_quiet("k7/8/8/3r4/8/8/8/3RK3 w - -"), "the black rook hangs");
        assert!(!is_quiet("8/8/3k4/3r4/8/8/8/3QK3 w - -"), "the queen is attacked by a rook");
    }
}
