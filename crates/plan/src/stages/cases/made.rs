//! What sums are made of beside plain attributes: two of them multiplied, and what is beyond a number.
//!
//! A sum of distances says the same of a near king wherever the other pieces are. Products say that one thing matters more where another is great, and
//! thresholds that it matters only from somewhere on. Of all of them those are taken that explain most of what the sums of all cases by those before do not.

use super::{Products, Rows};
use crate::attribute::Attribute;
use crate::movers::FAR;
use rayon::prelude::*;

/// An attribute that is made of others, which are given by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Made {
    Beyond(usize, u8),
    Times(usize, usize),
}

/// So many are taken before it is found out anew what is not explained, no two of the same parts.
const AT_ONCE: usize = 16;
/// The thresholds that are tried.
const THRESHOLDS: std::ops::Range<u8> = 1..9;

impl Made {
    /// Its value, by those of its parts.
    pub fn value(self, value: impl Fn(usize) -> u8) -> u8 {
        match self {
            Made::Beyond(at, by) => value(at).saturating_sub(by),
            Made::Times(first, second) => value(first).saturating_mul(value(second)).min(FAR - 1),
        }
    }

    /// What it is called in a plan.
    pub fn attribute(self, attributes: &[Attribute]) -> Attribute {
        let part = |at: usize| Box::new(attributes[at].clone());
        match self {
            Made::Beyond(at, by) => Attribute::Beyond(part(at), by),
            Made::Times(first, second) => Attribute::Times(part(first), part(second)),
        }
    }

    /// How an attribute is made of others, if it is.
    pub fn of(attribute: &Attribute, attributes: &[Attribute]) -> Option<Made> {
        let find = |part: &Attribute| attributes.iter().position(|known| known == part);
        match attribute {
            Attribute::Beyond(part, by) => Some(Made::Beyond(find(part)?, *by)),
            Attribute::Times(first, second) => Some(Made::Times(find(first)?, find(second)?)),
            _ => None,
        }
    }

    fn parts(self) -> [usize; 2] {
        match self {
            Made::Beyond(at, _) => [at, at],
            Made::Times(first, second) => [first, second],
        }
    }
}

/// Those of all products and thresholds that explain most of the levels, where the rows of each case have a sum of their own.
pub(super) fn find(plain: &Rows, cases: &[Vec<u32>], count: usize) -> Vec<Made> {
    let width = plain.width - 2;
    let columns: Vec<Vec<u8>> =
        (1..=width).map(|at| (0..plain.count() as u32).map(|row| plain.row(row)[at] as u8).collect()).collect();
    let greatest: Vec<u8> = columns.iter().map(|column| column.iter().copied().max().unwrap_or(0)).collect();
    let mut tried = Vec::new();
    for (first, &most) in greatest.iter().enumerate() {
        tried.extend(THRESHOLDS.filter(|by| *by < most).map(|by| Made::Beyond(first, by)));
        let small = |second: &usize| u32::from(most) * u32::from(greatest[*second]) < u32::from(FAR);
        tried.extend((0..first).filter(small).map(|second| Made::Times(second, first)));
    }
    let mut chosen: Vec<Made> = Vec::new();
    while chosen.len() < count && !tried.is_empty() {
        let left = left(plain, cases, &columns, &chosen);
        let mut order: Vec<(f64, usize)> =
            tried.par_iter().map(|made| explains(*made, cases, &columns, &left)).zip(0..tried.len()).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let (mut parts, mut taken): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        for (gain, at) in order {
            if taken.len() == AT_ONCE.min(count - chosen.len()) || gain <= 0.0 {
                break;
            }
            let own = tried[at].parts();
            if !own.iter().any(|part| parts.contains(part)) {
                parts.extend(own);
                taken.push(at);
            }
        }
        if taken.is_empty() {
            break;
        }
        chosen.extend(taken.iter().map(|&at| tried[at]));
        taken.sort_unstable_by(|a, b| b.cmp(a));
        for at in taken {
            tried.swap_remove(at);
        }
    }
    chosen
}

/// What sums of all plain attributes and those that are chosen do not explain.
fn left(plain: &Rows, cases: &[Vec<u32>], columns: &[Vec<u8>], chosen: &[Made]) -> Vec<f64> {
    let width = plain.width + chosen.len();
    let mut all = Rows { width, data: Vec::with_capacity(width * plain.count()) };
    for at in 0..plain.count() as u32 {
        let row = plain.row(at);
        all.data.extend(&row[..plain.width - 1]);
        all.data.extend(chosen.iter().map(|made| f64::from(made.value(|part| columns[part][at as usize]))));
        all.data.push(row[plain.width - 1]);
    }
    let mut left = vec![0.0; plain.count()];
    for rows in cases {
        let linear = all.products(rows).linear(width);
        for &at in rows {
            let row = all.row(at);
            left[at as usize] = row[width - 1] - linear.value(|column| row[column + 1] as u8);
        }
    }
    left
}

/// How much of what is left an attribute explains alone.
fn explains(made: Made, cases: &[Vec<u32>], columns: &[Vec<u8>], left: &[f64]) -> f64 {
    let of_case = |rows: &Vec<u32>| {
        let (mut sum, mut squares, mut with) = (0.0, 0.0, 0.0);
        for &at in rows {
            let value = f64::from(made.value(|part| columns[part][at as usize]));
            sum += value;
            squares += value * value;
            with += value * left[at as usize];
        }
        let varies = squares - sum * sum / rows.len().max(1) as f64;
        if varies < 1.0 { 0.0 } else { with * with / varies }
    };
    cases.iter().map(of_case).sum()
}

impl Rows {
    /// The products of some rows, worked out in parts whose number does not depend on the machine: the sums are the same everywhere.
    pub fn products(&self, rows: &[u32]) -> Products {
        let part = |rows: &[u32]| {
            let mut products = Products::new(self.width);
            rows.iter().for_each(|&row| products.add(self.row(row)));
            products
        };
        let parts: Vec<Products> = rows.par_chunks(rows.len().div_ceil(4).max(1)).map(part).collect();
        let mut all = Products::new(self.width);
        parts.iter().for_each(|part| all.and(part));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Levels that are a product of two attributes and a threshold of a third, and nothing else.
    #[test]
    fn what_levels_are_made_of_is_found() {
        let mut random = crate::learn::Random(3);
        let mut rows = Rows { width: 5, data: Vec::new() };
        for _ in 0..2000 {
            let [a, b, c] = [7, 5, 9].map(|most| random.below(most) as f64);
            rows.data.extend([1.0, a, b, c, a * b + 3.0 * (c - 6.0).max(0.0)]);
        }
        let found = find(&rows, &[(0..2000).collect()], 2);
        assert!(found.contains(&Made::Times(0, 1)) && found.contains(&Made::Beyond(2, 6)), "{found:?}");
        let attributes = [Attribute::Moves(0), Attribute::Moves(1), Attribute::Moves(2)];
        for made in found {
            assert_eq!(Made::of(&made.attribute(&attributes), &attributes), Some(made));
        }
        assert_eq!(Made::Times(0, 1).value(|_| 20), FAR - 1, "never what cannot be measured");
    }
}
