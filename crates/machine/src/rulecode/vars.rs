//! Small sets of variables, by number.

/// Variables of a clause have numbers below this.
pub(super) const MOST_VARS: usize = 256;

/// A set of variables.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Vars([u64; MOST_VARS / 64]);

impl Vars {
    pub fn insert(&mut self, var: u16) {
        self.0[var as usize / 64] |= 1 << (var % 64);
    }

    pub fn contains(&self, var: u16) -> bool {
        self.0[var as usize / 64] >> (var % 64) & 1 != 0
    }

    pub fn or(mut self, other: Vars) -> Vars {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a |= b);
        self
    }

    pub fn and(mut self, other: Vars) -> Vars {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a &= b);
        self
    }

    pub fn without(mut self, other: Vars) -> Vars {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a &= !b);
        self
    }

    pub fn is_empty(&self) -> bool {
        self.0 == [0; MOST_VARS / 64]
    }

    pub fn is_subset(self, other: Vars) -> bool {
        self.without(other).is_empty()
    }

    pub fn meets(self, other: Vars) -> bool {
        !self.and(other).is_empty()
    }

    pub fn iter(self) -> impl Iterator<Item = u16> {
        (0..MOST_VARS as u16).filter(move |&var| self.contains(var))
    }
}

impl FromIterator<Vars> for Vars {
    fn from_iter<I: IntoIterator<Item = Vars>>(sets: I) -> Vars {
        sets.into_iter().fold(Vars::default(), Vars::or)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behaves_as_a_set() {
        let mut a = Vars::default();
        for var in [0, 63, 64, 255] {
            a.insert(var);
        }
        let mut b = Vars::default();
        b.insert(64);
        assert_eq!(a.iter().collect::<Vec<_>>(), [0, 63, 64, 255]);
        assert!(b.is_subset(a) && !a.is_subset(b) && a.meets(b));
        assert_eq!(a.without(b).iter().collect::<Vec<_>>(), [0, 63, 255]);
        assert_eq!(a.and(b), b);
        assert!(b.without(a).is_empty());
    }
}
