//! Which men are on the board: names such as `KQKR`, their normal form, and what a table needs to be built.

use native::chess::{Colour, Kind, Man, Position};
use std::collections::BTreeSet;
use std::fmt;

/// The greatest number of men, kings included.
pub const MOST_MEN: usize = 5;

/// The men of both sides, without their squares. In normal form white is the stronger side: by the usual values (9, 5, 3,
/// 3, 1), then by number of men, then by the strongest man in which the sides differ.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Material {
    /// Queens, rooks, bishops, knights and pawns of each side, white first.
    counts: [[u8; 5]; 2],
}

/// Why a text or a position has no table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MaterialError(String);

impl fmt::Display for MaterialError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for MaterialError {}

const KINDS: [Kind; 5] = [Kind::Queen, Kind::Rook, Kind::Bishop, Kind::Knight, Kind::Pawn];

fn strength(side: &[u8; 5]) -> (u32, u8, [u8; 5]) {
    let value = side.iter().zip([9, 5, 3, 3, 1]).map(|(&count, value)| u32::from(count) * value).sum();
    (value, side.iter().sum(), *side)
}

impl Material {
    /// Reads a name such as `KQKR`, `KQvKR` or `krkbn`; the sides may come in either order. The answer is in normal form.
    pub fn parse(name: &str) -> Result<Material, MaterialError> {
        let wrong = |why: String| {
            MaterialError(format!("`{name}`: {why}; write two sides, each with its king first, such as KQKR or KRPKN"))
        };
        let mut counts = [[0u8; 5]; 2];
        let mut kings = 0;
        for letter in name.chars().filter(|c| !matches!(c, 'v' | 'V' | '-' | '_')) {
            match Kind::from_letter(letter) {
                None => return Err(wrong(format!("`{letter}` is not a man (K, Q, R, B, N or P)"))),
                Some(Kind::King) if kings == 2 => return Err(wrong("more than two kings".into())),
                Some(Kind::King) => kings += 1,
                Some(_) if kings == 0 => return Err(wrong("does not begin with a king".into())),
                Some(kind) => counts[kings - 1][kind as usize - 1] += 1,
            }
            if counts.iter().flatten().map(|&c| usize::from(c)).sum::<usize>() + 2 > MOST_MEN {
                return Err(MaterialError(format!(
                    "`{name}` has more than {MOST_MEN} men; tables reach up to {MOST_MEN}, kings included"
                )));
            }
        }
        if kings != 2 {
            return Err(wrong(format!("{kings} kings instead of two")));
        }
        let material = Material { counts }.normal().0;
        if material.bare() {
            return Err(MaterialError(format!("`{name}`: two bare kings are always a draw and need no table")));
        }
        Ok(material)
    }

    /// The men of a position, and whether the colours had to be swapped to reach the normal form.
    pub fn of(position: &Position) -> Result<(Material, bool), MaterialError> {
        let mut counts = [[0u8; 5]; 2];
        let mut total = 2;
        for colour in Colour::BOTH {
            for kind in KINDS {
                let mut set = position.men[colour as usize][kind as usize];
                while set != 0 {
                    counts[colour as usize][kind as usize - 1] += 1;
                    total += 1;
                    set &= set - 1;
                }
            }
        }
        if total > MOST_MEN {
            return Err(MaterialError(format!(
                "{total} men are on the board; tables reach up to {MOST_MEN}, kings included"
            )));
        }
        Ok(Material { counts }.normal())
    }

    pub(super) fn from_men(men: impl IntoIterator<Item = Man>) -> (Material, bool) {
        let mut counts = [[0u8; 5]; 2];
        for man in men.into_iter().filter(|man| man.kind != Kind::King) {
            counts[man.colour as usize][man.kind as usize - 1] += 1;
        }
        Material { counts }.normal()
    }

    fn normal(self) -> (Material, bool) {
        let [white, black] = self.counts;
        if strength(&black) > strength(&white) { (Material { counts: [black, white] }, true) } else { (self, false) }
    }

    /// A number for these men, different for different ones.
    #[inline]
    pub(super) fn key(&self) -> u64 {
        self.counts.iter().flatten().fold(0, |key, &count| key << 4 | u64::from(count))
    }

    /// Only kings.
    pub fn bare(&self) -> bool {
        self.counts.iter().flatten().all(|&count| count == 0)
    }

    /// Whether both sides have the same men.
    pub fn even(&self) -> bool {
        self.counts[0] == self.counts[1]
    }

    /// How many men, kings included.
    pub fn count(&self) -> usize {
        2 + self.counts.iter().flatten().map(|&count| usize::from(count)).sum::<usize>()
    }

    /// Whether there are pawns, which leave only the left-right symmetry of the board.
    pub fn pawns(&self) -> bool {
        self.counts[0][4] + self.counts[1][4] > 0
    }

    /// Whether a pawn can be taken en passant.
    pub fn passing(&self) -> bool {
        self.counts[0][4] > 0 && self.counts[1][4] > 0
    }

    /// The men other than kings in the order of the index: pawns first, then white before black, the stronger first.
    pub fn men(&self) -> Vec<Man> {
        let mut men = Vec::new();
        for pawns in [true, false] {
            for colour in Colour::BOTH {
                for kind in KINDS.into_iter().filter(|&kind| (kind == Kind::Pawn) == pawns) {
                    let count = self.counts[colour as usize][kind as usize - 1];
                    men.extend((0..count).map(|_| Man { colour, kind }));
                }
            }
        }
        men
    }

    /// The tables that one move leads into, bare kings left out, each once.
    pub fn next(&self) -> Vec<Material> {
        let men = self.men();
        let mut found = BTreeSet::new();
        let mut add = |men: &[Man]| {
            let (material, _) = Material::from_men(men.iter().copied());
            if !material.bare() {
                found.insert(material);
            }
        };
        for gone in 0..men.len() {
            let mut rest = men.clone();
            rest.remove(gone);
            add(&rest);
            promoted(&rest).iter().for_each(|men| add(men));
        }
        promoted(&men).iter().for_each(|men| add(men));
        found.into_iter().collect()
    }

    /// All tables that have to exist before this one can be built, in an order in which they can be built.
    pub fn needs(&self) -> Vec<Material> {
        let mut found = BTreeSet::new();
        let mut open = self.next();
        while let Some(material) = open.pop() {
            if found.insert(material) {
                open.extend(material.next());
            }
        }
        in_order(found)
    }

    /// All tables with this number of men, kings included.
    pub fn all(men: usize) -> Vec<Material> {
        let mut found = BTreeSet::from([Material { counts: [[0; 5]; 2] }]);
        for _ in 2..men.min(MOST_MEN) {
            let mut wider = BTreeSet::new();
            for material in &found {
                for side in 0..2 {
                    for kind in 0..5 {
                        let mut counts = material.counts;
                        counts[side][kind] += 1;
                        wider.insert(Material { counts }.normal().0);
                    }
                }
            }
            found = wider;
        }
        in_order(found.into_iter().filter(|material| !material.bare()))
    }
}

/// What can become of the men when one pawn promotes.
fn promoted(men: &[Man]) -> Vec<Vec<Man>> {
    let mut found = Vec::new();
    for (pawn, man) in men.iter().enumerate().filter(|(_, man)| man.kind == Kind::Pawn) {
        for kind in Kind::PROMOTIONS {
            let mut next = men.to_vec();
            next[pawn] = Man { colour: man.colour, kind };
            found.push(next);
        }
    }
    found
}

/// Captures leave fewer men and promotions fewer pawns, so this order never meets a table before what it needs.
fn in_order(materials: impl IntoIterator<Item = Material>) -> Vec<Material> {
    let mut list: Vec<Material> = materials.into_iter().collect();
    list.sort_by_key(|m| (m.count(), m.counts[0][4] + m.counts[1][4], m.to_string()));
    list
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for side in &self.counts {
            f.write_str("K")?;
            for (kind, &count) in KINDS.iter().zip(side) {
                for _ in 0..count {
                    write!(f, "{}", kind.letter())?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_any_order() {
        for (text, name) in [
            ("KQKR", "KQKR"),
            ("krkq", "KQKR"),
            ("KQvKR", "KQKR"),
            ("KPKNN", "KNNKP"),
            ("KRKNP", "KRKNP"),
            ("KPKNR", "KRNKP"),
            ("KKBN", "KBNK"),
            ("KNKB", "KBKN"),
            ("KQ-KBP", "KQKBP"),
        ] {
            assert_eq!(Material::parse(text).unwrap().to_string(), name);
        }
        for (text, word) in
            [("KQR", "kings"), ("QKK", "begin"), ("KQKX", "`X`"), ("KKK", "two kings"), ("KQQKRR", "5"), ("KK", "draw")]
        {
            let error = Material::parse(text).unwrap_err().to_string();
            assert!(error.contains(word), "{text}: {error}");
        }
    }

    #[test]
    fn what_is_needed_comes_first() {
        let names = |list: Vec<Material>| list.iter().map(Material::to_string).collect::<Vec<_>>();
        assert_eq!(names(Material::parse("KQKR").unwrap().needs()), ["KQK", "KRK"]);
        assert_eq!(names(Material::parse("KPK").unwrap().needs()), ["KBK", "KNK", "KQK", "KRK"]);
        assert_eq!((Material::all(3).len(), Material::all(4).len(), Material::all(5).len()), (5, 30, 110));
        for material in Material::all(5) {
            let needs = material.needs();
            for (place, need) in needs.iter().enumerate() {
                assert!(need.next().iter().all(|earlier| needs[..place].contains(earlier)), "{material}: {need}");
            }
        }
    }
}
