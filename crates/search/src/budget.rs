//! How much a search may spend: time as a function of the caller, states, random games, memory.

/// How much a search may spend. Whatever is reached first ends it.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// Which part of the time is used up; 1 or more means stop. Asked often, from several threads.
    pub spent: &'a (dyn Fn() -> f32 + Sync),
    /// States to look at.
    pub nodes: Option<u64>,
    /// Random games to play.
    pub playouts: Option<u64>,
    /// Bytes for trees and tables, roughly.
    pub memory: usize,
    /// The same seed and the same nodes or playouts give the same move.
    pub seed: u64,
    /// How many seconds the whole time is, where the caller knows: for those who pass the work on to others.
    pub seconds: Option<f32>,
}

impl<'a> Budget<'a> {
    /// A budget that only the given function ends, with 256 MiB.
    pub fn timed(spent: &'a (dyn Fn() -> f32 + Sync), seed: u64) -> Budget<'a> {
        Budget { spent, nodes: None, playouts: None, memory: 256 << 20, seed, seconds: None }
    }

    /// A budget of so many states, whatever time they take.
    pub fn of_nodes(nodes: u64, seed: u64) -> Budget<'static> {
        Budget { spent: &|| 0.0, nodes: Some(nodes), playouts: None, memory: 256 << 20, seed, seconds: None }
    }

    /// A budget of so many random games, whatever time they take.
    pub fn of_playouts(playouts: u64, seed: u64) -> Budget<'static> {
        Budget { spent: &|| 0.0, nodes: None, playouts: Some(playouts), memory: 256 << 20, seed, seconds: None }
    }

    /// How much of a part of the time is used up: the part began when `begin` of the whole was, and lasts for `length` of
    /// it. Where states or games are counted, time has no parts: only the end of it ends anything, so that every run goes
    /// the same way.
    pub(crate) fn part_spent(&self, begin: f32, length: f32) -> f32 {
        match (self.spent)() {
            now if now >= 1.0 => now,
            _ if self.is_counted() => 0.0,
            now => (now - begin) / length.max(1e-9),
        }
    }

    /// Whether states or games are counted.
    pub(crate) fn is_counted(&self) -> bool {
        self.nodes.is_some() || self.playouts.is_some()
    }

    /// The same with a part of the states and games; at least one of each.
    pub(crate) fn part(&self, part: f32) -> Budget<'a> {
        let of = |most: Option<u64>| most.map(|most| ((most as f64 * f64::from(part)) as u64).max(1));
        Budget { nodes: of(self.nodes), playouts: of(self.playouts), ..*self }
    }

    /// States that a search without random games may look at: where only games are counted, as many as these.
    pub(crate) fn states(&self) -> Option<u64> {
        self.nodes.or(self.playouts)
    }

    /// Whether a search that has looked at so many states and played so many random games has to stop.
    pub fn is_spent(&self, nodes: u64, playouts: u64) -> bool {
        self.nodes.is_some_and(|most| nodes >= most)
            || self.playouts.is_some_and(|most| playouts >= most)
            || (self.spent)() >= 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_end() {
        assert!(!Budget::of_nodes(5, 0).is_spent(4, 1000));
        assert!(Budget::of_nodes(5, 0).is_spent(5, 0));
        assert!(Budget::of_playouts(5, 0).is_spent(0, 5));
        assert!(Budget::timed(&|| 1.0, 0).is_spent(0, 0));
    }
}
