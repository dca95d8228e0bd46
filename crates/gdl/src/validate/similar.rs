//! Which name was probably meant: the most similar one, if any is similar enough.

use crate::symbol::fold;

/// Names to choose from.
pub(super) struct Candidates<'a> {
    names: Vec<&'a str>,
    /// How many comparisons may still be made. Beyond that nothing is suggested, so that rulesheets with very many
    /// unknown names are still checked quickly.
    left: usize,
}

/// Longer names are not compared.
const LONGEST: usize = 40;

impl<'a> Candidates<'a> {
    pub fn new(names: impl Iterator<Item = &'a str>) -> Candidates<'a> {
        Candidates { names: names.filter(|name| name.len() <= LONGEST).collect(), left: 1_000_000 }
    }

    /// The nearest name; of several the first. A third of the letters may differ, and at most two; two neighbours that
    /// are swapped count as one.
    pub fn nearest(&mut self, name: &str) -> Option<&'a str> {
        if name.len() > LONGEST || self.left < self.names.len() {
            return None;
        }
        self.left -= self.names.len();
        let name = fold(name);
        let length = name.chars().count();
        let most = (length / 3).min(2);
        let mut best: Option<(usize, &str)> = None;
        for candidate in &self.names {
            // Bytes first: a letter has at most four.
            if candidate.len().abs_diff(name.len()) > 4 * most {
                continue;
            }
            let letters = fold(candidate);
            if letters == name || letters.chars().count().abs_diff(length) > most {
                continue;
            }
            let distance = strsim::osa_distance(&name, &letters);
            if distance <= most && best.is_none_or(|(least, _)| distance < least) {
                best = Some((distance, candidate));
            }
        }
        best.map(|(_, candidate)| candidate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
