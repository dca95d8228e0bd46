//! Small random games, and their values by brute force.

use game::random::Rng;
use game::{Game, Goal, Limit, Move, Role, Turn, roles};

/// A game on a graph of numbered places; every move leads to a place of a greater number, so it ends.
#[derive(Debug)]
pub struct Toy {
    /// For each place: how many moves each role has, and the places that joint moves lead to (first role fastest).
    places: Vec<Place>,
    roles: usize,
}

#[derive(Debug)]
struct Place {
    counts: Vec<usize>,
    to: Vec<usize>,
    goals: Vec<Option<Goal>>,
}

#[allow(dead_code)] // every file of tests uses its own part of this
impl Toy {
    /// A random game. `both` is the percentage of places in which all roles choose at once; `opposed` makes the goals
    /// of two roles add up to 100.
    pub fn new(seed: u64, size: usize, roles: usize, both: usize, opposed: bool) -> Toy {
        let mut rng = Rng::new(seed);
        let mut places = Vec::new();
        for at in 0..size {
            let last = at + 4 >= size;
            let chooser = rng.below(roles);
            let simultaneous = rng.below(100) < both;
            let counts: Vec<usize> = (0..roles)
                .map(|role| match (last, simultaneous || role == chooser) {
                    (true, _) => 0,
                    (_, true) => 1 + rng.below(3),
                    _ => 1,
                })
                .collect();
            let joints: usize = if last { 0 } else { counts.iter().product() };
            let to = (0..joints).map(|_| at + 1 + rng.below((size - at - 1).min(9))).collect();
            let first = [0, 0, 25, 50, 75, 100, 100][rng.below(7)];
            let goal = |rng: &mut Rng| Some([0, 30, 50, 100][rng.below(4)]);
            let mut goals: Vec<Option<Goal>> = (0..roles).map(|_| goal(&mut rng)).collect();
            if opposed {
                goals = vec![Some(first), Some(100 - first)];
            }
            places.push(Place { counts, to, goals });
        }
        Toy { places, roles }
    }

    /// A game of our own making: for each place how many moves each role has, where they lead (first role fastest), and
    /// the goals.
    pub fn given(places: &[(&[usize], &[usize], &[Goal])]) -> Toy {
        let place = |(counts, to, goals): &(&[usize], &[usize], &[Goal])| Place {
            counts: counts.to_vec(),
            to: to.to_vec(),
            goals: goals.iter().copied().map(Some).collect(),
        };
        Toy { roles: places[0].0.len(), places: places.iter().map(place).collect() }
    }

    /// The value for the team by brute force: others harm us, or move at random where several roles choose.
    pub fn value(&self, at: usize, role: Role, team: &[Role]) -> f64 {
        let place = &self.places[at];
        if place.to.is_empty() {
            return f64::from(place.goals[role.0 as usize].unwrap_or(0));
        }
        let ours = |r: usize| r == role.0 as usize || team.contains(&Role(r as u8));
        let below: Vec<f64> = place.to.iter().map(|&to| self.value(to, role, team)).collect();
        let choosers: Vec<usize> = (0..self.roles).filter(|&r| place.counts[r] > 1).collect();
        if choosers.len() <= 1 {
            let max = choosers.first().is_none_or(|&r| ours(r));
            return below
                .into_iter()
                .fold(if max { -1.0 } else { 101.0 }, |a, b| if max { a.max(b) } else { a.min(b) });
        }
        // Group the joint moves by what our team does.
        let mut groups = std::collections::BTreeMap::new();
        for (joint, value) in below.iter().enumerate() {
            let mut rest = joint;
            let mut mine = Vec::new();
            for r in 0..self.roles {
                if ours(r) {
                    mine.push(rest % place.counts[r]);
                }
                rest /= place.counts[r];
            }
            let group: &mut (f64, f64) = groups.entry(mine).or_insert((0.0, 0.0));
            *group = (group.0 + value, group.1 + 1.0);
        }
        groups.values().fold(-1.0, |best: f64, (sum, count)| best.max(sum / count))
    }
}

impl Game for Toy {
    type State = usize;
    type View = usize;

    fn roles(&self) -> usize {
        self.roles
    }
    fn start(&self) -> usize {
        0
    }
    fn view(&self) -> usize {
        0
    }
    fn look(&self, state: &usize, view: &mut usize) -> Result<(), Limit> {
        *view = *state;
        Ok(())
    }
    fn turn(&self, view: &usize) -> Turn {
        let place = &self.places[*view];
        if place.to.is_empty() { Turn::Over } else { game::turn_from_counts(place.counts.iter().copied()) }
    }
    fn legal(&self, view: &usize, role: Role, out: &mut Vec<Move>) {
        out.extend((0..self.places[*view].counts[role.0 as usize] as u32).map(Move));
    }
    fn goal(&self, view: &mut usize, role: Role) -> Result<Option<Goal>, Limit> {
        Ok(self.places[*view].goals[role.0 as usize])
    }
    fn play(&self, view: &mut usize, joint: &[Move], next: &mut usize) -> Result<(), Limit> {
        let place = &self.places[*view];
        let (mut at, mut scale) = (0, 1);
        for role in roles(self) {
            at += scale * joint[role.0 as usize].0 as usize;
            scale *= place.counts[role.0 as usize];
        }
        *next = place.to[at];
        Ok(())
    }
}
