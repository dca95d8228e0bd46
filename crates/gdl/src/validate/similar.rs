//! Which name was probably meant: the most similar one, if any is similar enough.

use crate::symbol::fold;

/// Names to choose from.
pub(super) struct Candidates<'a> {
    names: Vec<(&'a str, Vec<char>)>,
    /// How many comparisons may still be made. Beyond that nothing is suggested, so that rulesheets with very many
    /// unknown names are still checked quickly.
    left: usize,
}

/// Longer names are not compared.
const LONGEST: usize = 40;

impl<'a> Candidates<'a> {
    pub fn new(names: impl Iterator<Item = &'a str>) -> Candidates<'a> {
        let names =
            names.filter(|name| name.len() <= LONGEST).map(|name| (name, fold(name).chars().collect())).collect();
        Candidates { names, left: 1_000_000 }
    }

    /// The nearest name; of several the first. A third of the letters may differ, and at most two.
    pub fn nearest(&mut self, name: &str) -> Option<&'a str> {
        if name.len() > LONGEST || self.left < self.names.len() {
            return None;
        }
        self.left -= self.names.len();
        let name: Vec<char> = fold(name).chars().collect();
        let mut limit = (name.len() / 3).min(2);
        let mut best = None;
        for (candidate, letters) in &self.names {
            if *letters != name
                && letters.len().abs_diff(name.len()) <= limit
                && let Some(found) = distance(&name, letters, limit)
            {
                best = Some(*candidate);
                // Only better ones from here on; other names are at least 1 away.
                limit = found - 1;
            }
        }
        best
    }
}

/// How many letters must be added, removed, changed or swapped with their neighbour; `None` if more than `limit`.
fn distance(a: &[char], b: &[char], limit: usize) -> Option<usize> {
    let mut before: Vec<usize> = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut row = last.clone();
    for i in 1..=a.len() {
        row[0] = i;
        let mut least = i;
        for j in 1..=b.len() {
            let change = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = change.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
            least = least.min(row[j]);
        }
        // A swap reaches back over one row, at the price of one.
        if least > limit + 1 {
            return None;
        }
        std::mem::swap(&mut before, &mut last);
        std::mem::swap(&mut last, &mut row);
    }
    Some(last[b.len()]).filter(|&distance| distance <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let distance = |a: &str, b: &str| {
            let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            let exact = distance(&a, &b, 100).expect("below 100");
            assert_eq!(super::distance(&a, &b, exact), Some(exact));
            assert!(exact == 0 || super::distance(&a, &b, exact - 1).is_none());
            exact
        };
        assert_eq!(distance("true", "true"), 0);
        assert_eq!(distance("ture", "true"), 1);
        assert_eq!(distance("legl", "legal"), 1);
        assert_eq!(distance("", "ab"), 2);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("abcdef", "badcfe"), 3);
    }

    #[test]
    fn nearest() {
        let mut names = Candidates::new(["succ", "adjacent", "Legal", "row"].into_iter());
        assert_eq!(names.nearest("suc"), Some("succ"));
        assert_eq!(names.nearest("adjecant"), Some("adjacent"));
        assert_eq!(names.nearest("LEGL"), Some("Legal"));
        assert_eq!(names.nearest("rw"), None, "short names are similar by chance");
        assert_eq!(names.nearest("succ"), None, "not the name itself");
        assert_eq!(names.nearest(&"x".repeat(1000)), None);
    }
}
