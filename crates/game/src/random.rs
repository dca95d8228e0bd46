//! Seeded random play: the same seed gives the same game on every machine.

use crate::rollouts::PlayoutBias;
use crate::{Game, Goal, Limit, Move, roles};

/// A small fast generator (xoshiro256++), seeded through splitmix64. Not for secrets.
#[derive(Clone, Debug)]
pub struct Rng([u64; 4]);

impl Rng {
    /// The generator that belongs to this seed.
    pub fn new(seed: u64) -> Rng {
        let mut x = seed;
        let mut word = || {
            x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = x;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        };
        Rng([word(), word(), word(), word()])
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        let s = &mut self.0;
        let out = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        out
    }

    /// A number below `n`, all equally likely (`n` must not be 0).
    #[inline]
    pub fn below(&mut self, n: usize) -> usize {
        // Lemire's method: the rejection makes it exact, not just nearly uniform.
        let n = n as u64;
        let mut wide = u128::from(self.bits()) * u128::from(n);
        if (wide as u64) < n {
            let threshold = n.wrapping_neg() % n;
            while (wide as u64) < threshold {
                wide = u128::from(self.bits()) * u128::from(n);
            }
        }
        (wide >> 64) as usize
    }
}

/// How a random game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// In a terminal state.
    Terminal,
    /// In a state that is not terminal but leaves a role without a move.
    Stuck,
    /// Cut after the greatest number of steps that the caller allows.
    Cut,
}

/// A random game, in numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Playout {
    /// Joint moves made.
    pub steps: usize,
    /// How it ended.
    pub end: End,
    /// The goal of every role in the last state.
    pub goals: Vec<Option<Goal>>,
}

/// Buffers for random play, made once and used for many games.
pub struct Player<G: Game + ?Sized> {
    view: G::View,
    state: G::State,
    next: G::State,
    legal: Vec<Move>,
    joint: Vec<Move>,
}

impl<G: Game + ?Sized> Player<G> {
    /// Buffers for this game.
    pub fn new(game: &G) -> Player<G> {
        Player { view: game.view(), state: game.start(), next: game.start(), legal: Vec::new(), joint: Vec::new() }
    }

    /// Plays uniformly random legal moves from `from` to the end, at most `most` of them. `seen` hears the number of
    /// legal moves of each role at each step.
    pub fn playout(
        &mut self,
        game: &G,
        from: &G::State,
        rng: &mut Rng,
        most: usize,
        seen: &mut dyn FnMut(usize, usize),
    ) -> Result<Playout, Limit> {
        self.begin(from);
        self.run(game, rng, most, None, seen)
    }

    /// Puts the state from which the next game runs.
    pub fn begin(&mut self, from: &G::State) {
        self.state.clone_from(from);
    }

    /// The last state of the game that has just run.
    pub fn state(&self) -> &G::State {
        &self.state
    }

    /// The joint move that was made last.
    pub(crate) fn joint(&self) -> &[Move] {
        &self.joint
    }

    /// [`playout`](Player::playout) from the state given to [`begin`](Player::begin), with some moves made more often.
    pub fn run(
        &mut self,
        game: &G,
        rng: &mut Rng,
        most: usize,
        bias: Option<PlayoutBias<'_>>,
        seen: &mut dyn FnMut(usize, usize),
    ) -> Result<Playout, Limit> {
        let mut steps = 0;
        loop {
            if let Some(end) = self.step(game, rng, steps == most, bias, seen)? {
                return Ok(Playout { steps, end, goals: self.goals(game)? });
            }
            steps += 1;
        }
    }

    /// Makes one random joint move, unless the game has come to an end, or is `cut` here.
    pub(crate) fn step(
        &mut self,
        game: &G,
        rng: &mut Rng,
        cut: bool,
        bias: Option<PlayoutBias<'_>>,
        seen: &mut dyn FnMut(usize, usize),
    ) -> Result<Option<End>, Limit> {
        game.look(&self.state, &mut self.view)?;
        if game.over(&self.view) {
            return Ok(Some(End::Terminal));
        }
        if cut {
            return Ok(Some(End::Cut));
        }
        if !self.choose(game, rng, bias, seen) {
            return Ok(Some(End::Stuck));
        }
        game.play(&mut self.view, &self.joint, &mut self.next)?;
        std::mem::swap(&mut self.state, &mut self.next);
        Ok(None)
    }

    /// The goals of all roles where the game has come to an end.
    pub(crate) fn goals(&mut self, game: &G) -> Result<Vec<Option<Goal>>, Limit> {
        roles(game).map(|role| game.goal(&mut self.view, role)).collect()
    }

    fn choose(
        &mut self,
        game: &G,
        rng: &mut Rng,
        bias: Option<PlayoutBias<'_>>,
        seen: &mut dyn FnMut(usize, usize),
    ) -> bool {
        self.joint.clear();
        for role in roles(game) {
            self.legal.clear();
            game.legal(&self.view, role, &mut self.legal);
            seen(role.0 as usize, self.legal.len());
            if self.legal.is_empty() {
                return false;
            }
            if let Some(bias) = bias
                && self.legal.len() > 1
                && rng.below(16) < usize::from(bias.chance)
                && self.legal.iter().any(|&mv| bias.has(mv))
            {
                self.legal.retain(|&mv| bias.has(mv));
            }
            self.joint.push(self.legal[rng.below(self.legal.len())]);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn below_is_uniform_and_in_range() {
        let mut rng = Rng::new(1);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[rng.below(7)] += 1;
        }
        // Six standard deviations (about 93 each) around the mean of 10,000.
        assert!(counts.iter().all(|&c| (9_440..10_560).contains(&c)), "{counts:?}");
    }

    #[test]
    fn the_seed_decides() {
        let draw = |seed| {
            (0..8)
                .map({
                    let mut rng = Rng::new(seed);
                    move |_| rng.bits()
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(draw(5), draw(5));
        assert_ne!(draw(5), draw(6));
    }
}
