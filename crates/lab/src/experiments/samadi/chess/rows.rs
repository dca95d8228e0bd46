//! Tables 2 and 3 of the paper (S1.17, S1.18): the endings, the tables that were looked up, and the points that were made.

/// An ending, and what the paper says of it.
pub struct Row {
    /// The men: the side named first is white in every position.
    pub men: &'static str,
    /// The paper's table.
    pub table: u8,
    /// With tables of three and four men, if the paper has that.
    pub four: Option<Lookups>,
    /// With tables of five men.
    pub five: Lookups,
}

/// The tables that are looked up, and the percentage of points at depth 7 and 9.
pub struct Lookups {
    /// The tables, by their men.
    pub parts: &'static [&'static str],
    /// What was published.
    pub published: [f64; 2],
}

/// The depths of the paper.
pub const DEPTHS: [u32; 2] = [7, 9];

const fn lookups(parts: &'static [&'static str], published: [f64; 2]) -> Lookups {
    Lookups { parts, published }
}

/// All rows. Where the paper's list has what cannot be, it says so here:
///
/// - KRPP-KNN names KRKP, and the knights' side has no pawn: KRKN is the nearest that exists.
/// - KRP-KNPP names KBKP, and there is no bishop: KRKP is the nearest that exists.
/// - KRRPP-KQR names a knight that is not there: all maximal subsets are looked up.
/// - KQP-KRBPP repeats the row above at depth 7: the list given for depth 9 is used for both.
pub const ROWS: [Row; 8] = [
    Row {
        men: "KRPP-KBN",
        table: 2,
        four: Some(lookups(&["KPPK", "KBNK", "KRK"], [60.0, 54.0])),
        five: lookups(&["KBNKP", "KRPKB", "KRPKN"], [68.0, 56.0]),
    },
    Row {
        men: "KRPP-KNN",
        table: 2,
        four: Some(lookups(&["KRK", "KRKN", "KRPK", "KNKP"], [68.0, 64.0])),
        five: lookups(&["KRPKN", "KPPKN", "KNNKP"], [76.0, 68.0]),
    },
    Row {
        men: "KRP-KNPP",
        table: 2,
        four: Some(lookups(&["KPPK", "KRKP", "KNKP", "KRK"], [72.0, 70.0])),
        five: lookups(&["KRPKN", "KRKNP", "KNPKP"], [80.0, 76.0]),
    },
    Row { men: "KQP-KRNP", table: 3, four: None, five: lookups(&["KQKRP", "KQKNP", "KRNKP", "KQKRN"], [64.0, 64.0]) },
    Row { men: "KRRPP-KQR", table: 3, four: None, five: lookups(&[], [76.0, 76.0]) },
    Row { men: "KRPP-KRN", table: 3, four: None, five: lookups(&["KRPKN", "KRKPP", "KRNKP"], [60.0, 64.0]) },
    Row { men: "KQP-KNNPP", table: 3, four: None, five: lookups(&["KNNKP", "KQKNN", "KQKNP"], [76.0, 72.0]) },
    Row { men: "KQP-KRBPP", table: 3, four: None, five: lookups(&["KQKRB", "KQPKR", "KQKRP", "KQKBP"], [64.0, 62.0]) },
];

/// The row of these men.
pub fn row(men: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.men == men)
}

#[cfg(test)]
mod tests {
    use super::*;
    use table::chess::Material;

    #[test]
    fn every_part_is_one_of_its_ending() {
        for row in &ROWS {
            let (first, second) = row.men.split_once('-').expect("two sides");
            let sides = [&first[1..], &second[1..]];
            let occurs = |part: &str| {
                let at = part[1..].find('K').expect("two kings") + 1;
                let own = [&part[1..at], &part[at + 1..]];
                let within = |a: &str, side: &str| a.chars().all(|c| a.matches(c).count() <= side.matches(c).count());
                [sides, [sides[1], sides[0]]].iter().any(|sides| within(own[0], sides[0]) && within(own[1], sides[1]))
            };
            for part in row.five.parts.iter().chain(row.four.iter().flat_map(|four| four.parts)) {
                assert!(Material::parse(part).is_ok(), "{part}");
                assert!(occurs(part), "{part} is no part of {}", row.men);
            }
        }
    }
}
