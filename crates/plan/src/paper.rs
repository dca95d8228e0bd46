//! What is special to the endings of Sadikov and Bratko (2006): their attributes by name, their stages, and the tree as their text
//! describes it. The method itself is [`stages`](crate::stages), for any world.

pub mod attributes;

use crate::stages::evaluator::Learned;
use crate::stages::tree::{Growth, Tree};
use crate::stages::{Examples, Stage, classes};
use attributes::{KQKR, KRK, Named};
use table::chess::{Material, Metric};

/// The endings of the paper.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Subject {
    /// King and rook against king, to mate.
    Krk,
    /// King and queen against king and rook, to mate or the rook.
    Kqkr,
}

impl Subject {
    /// Both.
    pub const ALL: [Subject; 2] = [Subject::Krk, Subject::Kqkr];

    /// The name in small letters.
    pub fn name(self) -> &'static str {
        match self {
            Subject::Krk => "krk",
            Subject::Kqkr => "kqkr",
        }
    }

    /// The men.
    pub fn material(self) -> Material {
        Material::parse(self.name()).expect("it is a material")
    }

    /// What levels count to.
    pub fn metric(self) -> Metric {
        match self {
            Subject::Krk => Metric::Mate,
            Subject::Kqkr => Metric::Conversion,
        }
    }

    /// The attributes of the paper.
    pub fn attributes(self) -> &'static [Named] {
        match self {
            Subject::Krk => &KRK,
            Subject::Kqkr => &KQKR,
        }
    }

    /// The first level whose gains are looked at: levels of 2 or less have too few positions.
    pub const FIRST: u16 = 3;

    /// The stages of the paper that are played by.
    ///
    /// In KQKR the paper draws its borders "at move 6 and at move 14", with 12.5, 9.7 and 77.8% of the positions. Levels up to 5, from 6
    /// to 13 and from 14 have exactly these shares, so that is what is meant.
    pub fn stages(self) -> Vec<Stage> {
        match self {
            Subject::Krk => Stage::list(&[("CLOSE", 7), ("MEDIUM", 11), ("FAR", u16::MAX)]),
            Subject::Kqkr => Stage::list(&[("CLOSE", 13), ("FAR", u16::MAX)]),
        }
    }

    /// The stages that the minima cut; in KQKR the first two were joined before play.
    pub fn fine_stages(self) -> Vec<Stage> {
        match self {
            Subject::Krk => self.stages(),
            Subject::Kqkr => Stage::list(&[("CLOSE", 5), ("MEDIUM", 13), ("FAR", u16::MAX)]),
        }
    }

    /// Learns regressions from `examples` and trees from `sample`, which can be fewer. The second tree is as near to the published one as can
    /// be: for KRK grown from the three attributes that it uses, for KQKR as the paper describes it.
    pub fn learn(self, examples: &Examples, sample: &Examples, growth: Growth) -> Learned {
        let mut learned = Learned::new(self.stages(), examples, sample, growth);
        let told = classes(&learned.stages, &sample.levels);
        let (name, tree) = match self {
            Subject::Krk => ("of edist, kdist, grook", Tree::grow(&sample.columns, &told, &[0, 1, 2], growth)),
            Subject::Kqkr => ("as described", described().counted(&sample.columns, &told)),
        };
        learned.trees.push((name.to_string(), tree));
        learned
    }
}

/// The tree for KQKR as the text of the paper describes it: a check is close if the black pieces are at least three apart; without
/// check, a black king at the edge with the white king at most three away is.
fn described() -> Tree {
    const CLOSE: u8 = 0;
    const FAR: u8 = 1;
    let [kk, bp, bkedge, bckchk] =
        ["kk", "bp", "bkedge", "bckchk"].map(|name| KQKR.iter().position(|a| a.name == name).expect("it is listed"));
    let leaf = |class| Tree::Leaf { class, counts: vec![0; 2] };
    let split = |attribute, most, low, high| Tree::Split {
        attribute,
        branches: vec![(most, low), (u8::MAX, high)],
        counts: vec![0; 2],
    };
    let check = split(bp, 2, leaf(FAR), leaf(CLOSE));
    let quiet = split(bkedge, 0, split(kk, 3, leaf(CLOSE), leaf(FAR)), leaf(FAR));
    split(bckchk, 0, quiet, check)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::chess::{Ending, world};
    use crate::stages::stage;
    use crate::world::{Kind, World};
    use std::sync::OnceLock;
    use table::chess::{Tables, build_all};

    /// KRK with the values of its attributes, built once.
    pub(crate) fn krk() -> &'static (World, Vec<Vec<u8>>, Examples) {
        static MADE: OnceLock<(World, Vec<Vec<u8>>, Examples)> = OnceLock::new();
        MADE.get_or_init(|| {
            let subject = Subject::Krk;
            let mut tables = Tables::new();
            build_all(subject.material(), subject.metric(), &mut tables, &mut |_, _| true).expect("it can be built");
            let world = world(subject.material(), subject.metric(), &tables).expect("all tables are there");
            let values = attributes::values(&world, &Ending::new(subject.material()), subject.attributes());
            let examples = Examples::new(&world, &values);
            (world, values, examples)
        })
    }

    #[test]
    fn levels_of_krk_are_those_of_the_public_data_set() {
        let (world, _, examples) = krk();
        let published = [27, 78, 246, 81, 198, 471, 592, 683, 1433, 1712, 1985, 2854, 3597, 4194, 4553, 2166, 390];
        assert_eq!(examples.counts(), published);
        let others = (2..world.len() as u32).filter(|&node| {
            let kind = world.kinds[node as usize];
            // A stalemate has no moves and no level, and nobody else is to move there than black.
            matches!(kind, Kind::Theirs | Kind::Won | Kind::Failed) && world.level(node).is_none()
        });
        assert_eq!(others.count(), 2796, "draws");
    }

    #[test]
    fn samples_are_as_large_as_asked_and_stay_the_same() {
        let (.., examples) = krk();
        let some = examples.sample(1000, 1);
        assert_eq!(some.len(), 1000);
        assert_eq!(some, examples.sample(1000, 1));
        assert_ne!(some, examples.sample(1000, 2));
        assert_eq!(examples.sample(1_000_000, 1).len(), examples.len());
    }

    #[test]
    fn stages_of_the_paper() {
        let stages = Subject::Krk.stages();
        assert_eq!([0, 7, 8, 11, 12, 16].map(|level| stage(&stages, level)), [0, 0, 1, 1, 2, 2]);
    }
}
