//! For each sentence of a plan a position in which it makes the difference, with the move that it prefers and one that it leaves out.

use crate::build::Tell;
use crate::file::{Example, Instead, Plan};
use crate::guide::{Field, Guide, Steps, Worth};
use crate::learn::{self, scores};
use crate::pool::Pool;
use crate::scene::Scene;
use crate::sweep::{LOST, Score, WINS, best, follow};
use crate::world::{FAILED, Kind, NO_LEVEL, WON, World};
use game::Limit;

/// The most positions that an example is chosen from.
const MOST: usize = 20_000;

/// A world as a guide needs it: positions and moves are numbers.
impl Field for &World {
    type At = u32;
    type Step = u32;

    fn kind(&mut self, at: &u32) -> Result<Kind, Limit> {
        Ok(self.kinds[*at as usize])
    }

    fn next(&mut self, at: &u32) -> Result<Steps<Self>, Limit> {
        Ok(World::next(self, *at).iter().map(|&to| (to, to)).collect())
    }

    fn scene(&mut self, at: &u32, scene: &mut Scene) {
        self.scenes.scene(*at, scene);
    }
}

/// A position for each sentence that is at work anywhere: of all such won positions that in the middle.
pub fn examples(
    world: &World,
    plan: &Plan,
    pool: &Pool,
    goals: &[learn::Goal],
    scored: &[Score],
    tell: &dyn Tell,
) -> Vec<Example> {
    let Some(guide) = Guide::new(plan, world) else { return Vec::new() };
    let mut making = Making { world, guide, scored, tell };
    let mut found: Vec<Example> = making.of_win().into_iter().collect();
    let outcomes = follow(world, scored);
    // A goal makes the difference where leaving it out, with all that follow it, would leave more moves equally good.
    let mut before: Option<Vec<Score>> = None;
    for goal in 0..goals.len() {
        let shorter = before.take().unwrap_or_else(|| scores(world, pool, &goals[..goal], plan.plies));
        let longer = scores(world, pool, &goals[..=goal], plan.plies);
        let decides = |node: &u32| {
            let (few, many) = (tied(world, &longer, *node), tied(world, &shorter, *node));
            few < many && few <= 3 && best(world, scored, *node) >= WINS
        };
        let won = world.won().filter(|&node| outcomes.plies[node as usize] != NO_LEVEL);
        let candidates: Vec<u32> = won.filter(decides).take(MOST).collect();
        before = Some(longer);
        let middle = candidates.get(candidates.len() / 2);
        found.extend(middle.and_then(|&node| making.example(node, Some(goal))));
    }
    found
}

/// What examples are made with.
pub(crate) struct Making<'a> {
    pub(crate) world: &'a World,
    pub(crate) guide: Guide<'a, &'a World>,
    pub(crate) scored: &'a [Score],
    pub(crate) tell: &'a dyn Tell,
}

impl Making<'_> {
    /// A position with a win in sight that not every move keeps in sight: if there is one, a win that is not the next move.
    pub(crate) fn of_win(&mut self) -> Option<Example> {
        let (world, scored) = (self.world, self.scored);
        let seen = |node: &u32| {
            let allowed = best(world, scored, *node);
            allowed < WINS && tied(world, scored, *node) < world.next(*node).len()
        };
        let candidates: Vec<u32> = world.won().filter(seen).take(MOST).collect();
        let later = |node: &&u32| best(world, scored, **node) > 0;
        let late: Vec<u32> = candidates.iter().filter(later).copied().collect();
        let from = if late.is_empty() { candidates } else { late };
        from.get(from.len() / 2).and_then(|&node| self.example(node, None))
    }

    /// The example of a position: the plan's move, the reply that holds out longest, and the move that the goal leaves out.
    pub(crate) fn example(&mut self, node: u32, goal: Option<usize>) -> Option<Example> {
        let (world, tell) = (self.world, self.tell);
        let allowed = best(world, self.scored, node);
        let &to = world.next(node).iter().find(|&&to| self.scored[to as usize] == allowed)?;
        let mut line = vec![tell.step(node, to)];
        if world.kinds[to as usize] == Kind::Theirs
            && let Some(&reply) = world.next(to).iter().max_by_key(|&&reply| world.plies[reply as usize])
        {
            line.push(tell.step(to, reply));
        }
        let instead = goal.and_then(|goal| self.instead(node, to, goal));
        Some(Example { goal, position: tell.position(node), line, instead })
    }

    fn instead(&mut self, node: u32, to: u32, goal: usize) -> Option<Instead> {
        let goal = self.guide.plan().number(goal);
        let ways = self.guide.ways(&node).ok()?;
        let made = ways.iter().find(|way| way.to == to)?;
        let Worth::Open(made, _) = &made.worth else { return None };
        // As good as the one that is made, but for this goal; an end outside has no name of its own.
        let left = ways.iter().filter(|way| way.to != WON && way.to != FAILED).find_map(|way| match &way.worth {
            Worth::Open(values, _) if values[..goal] == made[..goal] && values[goal] > made[goal] => {
                Some((way.to, values[goal]))
            }
            _ => None,
        });
        let (other, left) = left?;
        Some(Instead { step: self.tell.step(node, other), made: made[goal], left })
    }
}

/// How many moves are equally good.
fn tied(world: &World, scores: &[Score], node: u32) -> usize {
    let allowed = best(world, scores, node);
    if allowed == LOST {
        return 0;
    }
    world.next(node).iter().filter(|&&to| scores[to as usize] == allowed).count()
}
