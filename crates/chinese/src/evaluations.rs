//! The evaluations of the paper on abstraction (Samadi et al. 2008) for ten pieces a side on 81 cells, by name (S1.8, S1.9).
//!
//! Where the paper leaves something open there is one evaluation for each reading. Its pieces are numbered "right to left, bottom up"; here
//! they are numbered anew in every position, from the front: `front` and `rear` say from which end the paper's numbers are taken to
//! run. PDB(4) and PDB(6) are the same from either end.

use abstraction::alone::{AloneSpec, Goal};

/// Rows of the board.
pub const SIDE: usize = 9;
/// Pieces a side.
pub const PIECES: usize = 10;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Named {
    /// The name on the command line and in reports.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
}

/// All evaluations that have a name.
pub const ALL: [Named; 14] = [
    Named {
        name: "baseline",
        about: "rows, curve and pieces left behind; weights learned from its own games, but for the curve's, a lower bound set by hand",
    },
    Named { name: "pdb4", about: "pieces 1-4, 4-7, 7-10 to the top four cells, the fourth in the middle" },
    Named { name: "pdb4-rows", about: "the same, and of equal moves the one that wins more rows" },
    Named { name: "pdb4-side", about: "as pdb4, the fourth cell at the side" },
    Named { name: "pdb4-side-rows", about: "the same, and of equal moves the one that wins more rows" },
    Named { name: "pdb6", about: "pieces 1-6, 5-10 to the top six cells" },
    Named { name: "pdb6-rows", about: "the same, and of equal moves the one that wins more rows" },
    Named { name: "pdb6+4-front", about: "the front six to the top, the rear four past the front line" },
    Named { name: "pdb6+4-front-rows", about: "the same, and of equal moves the one that wins more rows" },
    Named { name: "pdb6+4-rear", about: "the rear six to the top, the front four past the front line" },
    Named { name: "pdb6+4-rear-rows", about: "the same, and of equal moves the one that wins more rows" },
    Named {
        name: "five-rows",
        about: "five pieces alone, 1-5 and 6-10 to the top five cells; of equal moves the one that wins more rows",
    },
    Named {
        name: "learned",
        about: "lookups of several tables; the terms come from self-play, the weights were then chosen by matches against the baseline",
    },
    Named {
        name: "self-play",
        about: "lookups of several tables; terms and weights come from games against itself alone",
    },
];

/// What a row is worth, in moves, where it only decides between moves that are equal to the lookups: fifty rows make a move, and the few
/// plies of a search win fewer.
pub const TIE: f32 = 0.02;

const BASELINE: &str = include_str!("../weights/baseline.json");
const LEARNED: &str = include_str!("../weights/learned.json");
const SELF_PLAY: &str = include_str!("../weights/self-play.json");

/// The evaluation of this name; `None` if there is none.
pub fn named(name: &str) -> Option<AloneSpec> {
    if let Some(plain) = name.strip_suffix("-rows") {
        return named(plain)
            .map(|spec| AloneSpec { row: TIE, ..spec })
            .filter(|_| ALL.iter().any(|known| known.name == name));
    }
    let lookups = |lookups: &[((usize, usize), Goal)]| Some(AloneSpec::of_lookups(SIDE, PIECES, lookups));
    match name {
        "pdb4" => lookups(&[((1, 4), Goal::Top), ((4, 7), Goal::Top), ((7, 10), Goal::Top)]),
        "pdb4-side" => lookups(&[((1, 4), Goal::TopSide), ((4, 7), Goal::TopSide), ((7, 10), Goal::TopSide)]),
        "pdb6" => lookups(&[((1, 6), Goal::Top), ((5, 10), Goal::Top)]),
        "pdb6+4-front" => lookups(&[((1, 6), Goal::Top), ((7, 10), Goal::Enter)]),
        "pdb6+4-rear" => lookups(&[((5, 10), Goal::Top), ((1, 4), Goal::Enter)]),
        "five" => lookups(&[((1, 5), Goal::Top), ((6, 10), Goal::Top)]),
        // These are read by a test.
        "baseline" => AloneSpec::from_json(BASELINE).ok(),
        "learned" => AloneSpec::from_json(LEARNED).ok(),
        "self-play" => AloneSpec::from_json(SELF_PLAY).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_an_evaluation_for_the_board() {
        for Named { name, .. } in ALL {
            let spec = named(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!((spec.side, spec.pieces), (SIDE, PIECES), "{name}");
            assert!(spec.tables().is_ok(), "{name}");
        }
        assert_eq!(named("pdb5"), None);
        for stored in ["baseline", "learned", "self-play"] {
            assert!(!named(stored).unwrap().origin.is_empty(), "{stored} says where its numbers come from");
        }
        assert!(named("baseline").unwrap().lookups.is_empty());
    }

    #[test]
    fn the_tables_have_the_sizes_of_the_paper() {
        let entries = |name: &str| -> Vec<u64> {
            let tables = named(name).unwrap().tables().unwrap();
            tables.into_iter().map(|spec| table::chinese::Space::new(spec).unwrap().entries()).collect()
        };
        assert_eq!(entries("pdb4"), [1_663_740]);
        assert_eq!(entries("pdb6"), [324_540_216]);
        assert_eq!(entries("pdb6+4-front"), [324_540_216, 1_215_450]);
        assert_eq!(entries("five-rows"), [25_621_596]);
    }
}
