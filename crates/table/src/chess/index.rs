//! The index of a table: positions of one material to numbers without gaps, and back.
//!
//! The kings come first, as one of 462 pairs under the eight symmetries of the board, or one of 1806 under left-right
//! mirroring where there are pawns. The other men follow, group by group of equal men; each group is a combination of the
//! squares that are still free, so no number is spent on two men on one square. Numbers are left over only for
//! positions in which the side that is not to move is in check, and for pairs of kings that both stand on the diagonal,
//! where a position and its mirror image both have a number (with equal values).

use super::material::Material;
use native::chess::geometry::{KING, bit};
use native::chess::{Colour, Kind, Man, Position};
use std::sync::LazyLock;

/// Men other than kings, at most.
pub(super) const MOST: usize = 3;
/// Marks pairs of kings that cannot occur.
const NONE: u16 = u16::MAX;

/// The symmetries: bit 0 swaps the files, bit 1 the ranks, bit 2 then swaps files with ranks.
pub(super) static MAPS: [[u8; 64]; 8] = maps();

const fn maps() -> [[u8; 64]; 8] {
    let mut maps = [[0; 64]; 8];
    let mut s = 0;
    while s < 8 {
        let mut at = 0;
        while at < 64 {
            let mut to = at as u8;
            if s & 1 != 0 {
                to ^= 7;
            }
            if s & 2 != 0 {
                to ^= 56;
            }
            if s & 4 != 0 {
                to = (to & 7) << 3 | to >> 3;
            }
            maps[s][at] = to;
            at += 1;
        }
        s += 1;
    }
    maps
}

/// The symmetry that undoes another one.
pub(super) fn inverse(symmetry: usize) -> usize {
    // Only files-and-diagonal and ranks-and-diagonal are not their own inverse.
    match symmetry {
        5 => 6,
        6 => 5,
        other => other,
    }
}

/// The pairs of kings that are told apart.
pub(super) struct Kings {
    /// For each pair of squares its number and the symmetry that leads to its representative.
    class: Vec<(u16, u8)>,
    /// The representatives.
    pub(super) pairs: Vec<(u8, u8)>,
}

static WITHOUT_PAWNS: LazyLock<Kings> = LazyLock::new(|| Kings::new(false));
static WITH_PAWNS: LazyLock<Kings> = LazyLock::new(|| Kings::new(true));

impl Kings {
    fn new(pawns: bool) -> Kings {
        let mut kings = Kings { class: vec![(NONE, 0); 64 * 64], pairs: Vec::new() };
        let symmetries = if pawns { 2 } else { 8 };
        for white in 0..64u8 {
            for black in (0..64u8).filter(|&black| black != white && KING[white as usize] & bit(black) == 0) {
                let image = |s: usize| (MAPS[s][white as usize], MAPS[s][black as usize]);
                // The representative is the least image; the first symmetry that reaches it is used.
                let mut best = 0;
                for s in 1..symmetries {
                    if image(s) < image(best) {
                        best = s;
                    }
                }
                let pair = image(best);
                if pair == (white, black) {
                    kings.class[usize::from(white) * 64 + usize::from(black)] = (kings.pairs.len() as u16, 0);
                    kings.pairs.push(pair);
                } else {
                    // The least image has a smaller number, so it is known already.
                    let (number, _) = kings.class[usize::from(pair.0) * 64 + usize::from(pair.1)];
                    kings.class[usize::from(white) * 64 + usize::from(black)] = (number, best as u8);
                }
            }
        }
        kings
    }

    pub(super) fn of(material: &Material) -> &'static Kings {
        if material.pawns() { &WITH_PAWNS } else { &WITHOUT_PAWNS }
    }

    /// The squares of the white king and of the black one.
    #[inline]
    pub(super) fn at(&self, class: usize) -> [u8; 2] {
        let (white, black) = self.pairs[class];
        [white, black]
    }

    /// The number of the pair and the symmetry to its representative; `None` if the kings touch.
    #[inline]
    pub(super) fn find(&self, white: u8, black: u8) -> Option<(usize, usize)> {
        let (class, symmetry) = self.class[usize::from(white) * 64 + usize::from(black)];
        (class != NONE).then_some((usize::from(class), usize::from(symmetry)))
    }
}

/// Equal men: they are the slots `first..first + count`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub(super) first: usize,
    pub(super) count: usize,
    pub(super) pawn: bool,
}

pub(super) fn groups(men: &[Man]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (slot, man) in men.iter().enumerate() {
        match groups.last_mut() {
            Some(group) if men[group.first] == *man => group.count += 1,
            _ => groups.push(Group { first: slot, count: 1, pawn: man.kind == Kind::Pawn }),
        }
    }
    groups
}

/// Where the men of a table stand, without the side to move: the kings, then the other men in the order of
/// [`Material::men`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placement {
    /// The white king.
    pub white: u8,
    /// The black king.
    pub black: u8,
    /// The others; what is beyond their number is 0.
    pub men: [u8; MOST],
}

/// The index of one material.
pub struct Index {
    material: Material,
    men: Vec<Man>,
    groups: Vec<Group>,
    kings: &'static Kings,
    /// The first number of each pair of kings, and the end.
    base: Vec<u64>,
    /// How far apart neighbours of a group are, by the number of kings on the ranks of pawns.
    strides: [[u64; MOST]; 3],
}

fn choose(n: u64, k: usize) -> u64 {
    match k {
        1 => n,
        2 => n * n.saturating_sub(1) / 2,
        _ => n * n.saturating_sub(1) * n.saturating_sub(2) / 6,
    }
}

#[inline]
fn in_pawn_zone(square: u8) -> usize {
    usize::from((8..56).contains(&square))
}

impl Index {
    /// The index of this material.
    pub fn new(material: Material) -> Index {
        let men = material.men();
        let groups = groups(&men);
        let kings = Kings::of(&material);
        let mut strides = [[0; MOST]; 3];
        let mut sizes = [1u64; 3];
        for zone in 0..3u64 {
            let mut size = 1;
            let mut placed = 0;
            for (number, group) in groups.iter().enumerate() {
                strides[zone as usize][number] = size;
                let free = if group.pawn { 48 - zone } else { 62 } - placed;
                size *= choose(free, group.count);
                placed += group.count as u64;
            }
            sizes[zone as usize] = size;
        }
        let mut base = vec![0];
        for &(white, black) in &kings.pairs {
            base.push(base[base.len() - 1] + sizes[in_pawn_zone(white) + in_pawn_zone(black)]);
        }
        Index { material, men, groups, kings, base, strides }
    }

    /// The material.
    pub fn material(&self) -> Material {
        self.material
    }

    /// The men other than kings, in the order of a [`Placement`].
    pub fn men(&self) -> &[Man] {
        &self.men
    }

    /// How many numbers there are, for each side to move.
    pub fn len(&self) -> u64 {
        self.base[self.base.len() - 1]
    }

    /// Never true: every material has positions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first number of every pair of kings, and the end.
    pub(super) fn bases(&self) -> &[u64] {
        &self.base
    }

    /// Entries of all numbers, divided by pairs of kings.
    pub(super) fn by_kings<'a>(&self, mut entries: &'a mut [u8]) -> Vec<&'a mut [u8]> {
        let mut parts = Vec::new();
        for pair in self.base.windows(2) {
            let (part, more) = entries.split_at_mut((pair[1] - pair[0]) as usize);
            parts.push(part);
            entries = more;
        }
        parts
    }

    /// The number of a placement; `None` if the kings touch. The men have to stand on different squares, pawns not on the
    /// first or last rank.
    #[inline]
    pub fn rank(&self, placement: &Placement) -> Option<u64> {
        let (class, symmetry) = self.kings.find(placement.white, placement.black)?;
        let map = &MAPS[symmetry];
        let (white, black) = self.kings.pairs[class];
        let mut men = placement.men;
        for man in &mut men[..self.men.len()] {
            *man = map[usize::from(*man & 63)];
        }
        Some(self.base[class] + self.rank_men(white, black, &men))
    }

    /// The number of a placement of the other men among those of one pair of kings.
    #[inline]
    pub(super) fn rank_in(&self, class: usize, men: &[u8; MOST]) -> u64 {
        let (white, black) = self.kings.pairs[class];
        self.rank_men(white, black, men)
    }

    /// How far apart the numbers are of neighbouring squares of a man without equals, nothing standing in between.
    pub(super) fn stride(&self, class: usize, slot: usize) -> usize {
        let (white, black) = self.kings.pairs[class];
        let zone = in_pawn_zone(white) + in_pawn_zone(black);
        let group = self.groups.iter().position(|group| group.first == slot);
        group.map_or(0, |group| self.strides[zone][group] as usize)
    }

    #[inline]
    fn rank_men(&self, white: u8, black: u8, men: &[u8; MOST]) -> u64 {
        let zone = in_pawn_zone(white) + in_pawn_zone(black);
        let mut sum = 0;
        for (group, stride) in self.groups.iter().zip(&self.strides[zone]) {
            // Squares are numbered without those already taken; those before the first rank of pawns do not count there.
            let floor = if group.pawn { 8 } else { 0 };
            let number = |square: u8| {
                let mut below = floor;
                for king in [white, black] {
                    below += u8::from(king >= floor && king < square);
                }
                for &earlier in &men[..group.first] {
                    below += u8::from(earlier < square);
                }
                u64::from(square - below)
            };
            let value = match group.count {
                1 => number(men[group.first]),
                2 => {
                    let (a, b) = (number(men[group.first]), number(men[group.first + 1]));
                    choose(a.max(b), 2) + a.min(b)
                }
                _ => {
                    let mut all = [number(men[0]), number(men[1]), number(men[2])];
                    all.sort_unstable();
                    choose(all[2], 3) + choose(all[1], 2) + all[0]
                }
            };
            sum += value * stride;
        }
        sum
    }

    /// The placement of a number below [`len`](Index::len).
    pub fn unrank(&self, number: u64) -> Placement {
        let class = self.base.partition_point(|&base| base <= number) - 1;
        self.unrank_in(class, number - self.base[class])
    }

    /// The placement with this number among those of one pair of kings.
    pub(super) fn unrank_in(&self, class: usize, mut number: u64) -> Placement {
        let (white, black) = self.kings.pairs[class];
        let zone = in_pawn_zone(white) + in_pawn_zone(black);
        let mut values = [0; MOST];
        for group in (0..self.groups.len()).rev() {
            values[group] = number / self.strides[zone][group];
            number %= self.strides[zone][group];
        }
        let mut taken = bit(white) | bit(black);
        let mut men = [0; MOST];
        for (group, &value) in self.groups.iter().zip(&values) {
            let (zone, floor) = if group.pawn { (!0xff, 8) } else { (!0, 0) };
            let before = taken & zone;
            let mut numbers = [0; MOST];
            parts(value, group.count, &mut numbers);
            for (slot, &number) in numbers[..group.count].iter().enumerate() {
                men[group.first + slot] = nth(before, number as u8 + floor);
            }
            for &square in &men[group.first..group.first + group.count] {
                taken |= bit(square);
            }
        }
        Placement { white, black, men }
    }

    /// The placement of a position of this material in normal form.
    pub fn place(&self, position: &Position) -> Placement {
        let mut men = [0; MOST];
        for group in &self.groups {
            let man = self.men[group.first];
            let mut set = position.men[man.colour as usize][man.kind as usize];
            for slot in &mut men[group.first..group.first + group.count] {
                *slot = set.trailing_zeros() as u8 & 63;
                set &= set.wrapping_sub(1);
            }
        }
        Placement { white: position.king(Colour::White), black: position.king(Colour::Black), men }
    }

    /// The position of a placement.
    pub fn position(&self, placement: &Placement, turn: Colour) -> Position {
        let mut position = Position::empty(turn);
        position.put(Man { colour: Colour::White, kind: Kind::King }, placement.white);
        position.put(Man { colour: Colour::Black, kind: Kind::King }, placement.black);
        for (&man, &square) in self.men.iter().zip(&placement.men) {
            position.put(man, square);
        }
        position
    }

    /// Whether placements with this pair of kings have two numbers: both kings stand on the diagonal.
    #[inline]
    pub(super) fn has_twins(&self, class: usize) -> bool {
        let (white, black) = self.kings.pairs[class];
        let diagonal = |square: u8| square & 7 == square >> 3;
        !self.material.pawns() && diagonal(white) && diagonal(black)
    }

    /// The number of the mirror image, if the placement has two numbers.
    pub(super) fn twin(&self, class: usize, placement: &Placement) -> Option<u64> {
        let mirrored = || placement.men.map(|square| MAPS[4][usize::from(square)]);
        self.has_twins(class).then(|| self.base[class] + self.rank_in(class, &mirrored()))
    }

    /// Which pair of kings a number belongs to.
    pub(super) fn class_of(&self, number: u64) -> usize {
        self.base.partition_point(|&base| base <= number) - 1
    }
}

/// Takes a combination apart, the least element first.
fn parts(mut value: u64, count: usize, out: &mut [u64; MOST]) {
    for k in (2..=count).rev() {
        let mut n = k as u64 - 1;
        while choose(n + 1, k) <= value {
            n += 1;
        }
        out[k - 1] = n;
        value -= choose(n, k);
    }
    out[0] = value;
}

/// The square with this number when those taken are left out; numbers begin at `square`.
#[inline]
fn nth(mut taken: u64, mut square: u8) -> u8 {
    while taken != 0 && taken.trailing_zeros() as u8 <= square {
        square += 1;
        taken &= taken - 1;
    }
    square & 63
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn king_pairs() {
        assert_eq!((WITHOUT_PAWNS.pairs.len(), WITH_PAWNS.pairs.len()), (462, 1806));
        for s in 0..8 {
            for at in 0..64u8 {
                assert_eq!(MAPS[inverse(s)][usize::from(MAPS[s][usize::from(at)])], at);
            }
        }
    }

    #[test]
    fn rank_and_unrank_are_inverse_on_whole_small_tables() {
        for name in ["KRK", "KPK", "KQKR", "KNNK"] {
            let index = Index::new(Material::parse(name).unwrap());
            for number in 0..index.len() {
                assert_eq!(index.rank(&index.unrank(number)), Some(number), "{name}");
            }
        }
    }
}
