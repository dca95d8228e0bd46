//! Whether what was chosen before a game holds in the game: matches against UCT from positions of the match at hand.
//!
//! A round begins in a position that was really reached; the choice plays each role once from there, so between equals the leads of a round
//! add up to nothing on average, whoever is ahead in it. Rounds are bets as before the game ([`Evidence`]): a choice that is as good as UCT is left
//! in at most one of twenty matches, however long they take. A match that the time interrupts goes on at the next occasion from where it was.

use super::contest::{Done, Evidence, GAMES_A_LEAF, MATCH_MEMORY, Match, Pace, Step, chooser, lead, opponent};
use crate::method::uct;
use crate::{Budget, Knowledge, Method, Searcher};
use game::random::Rng;
use game::{Game, Limit, Role};

/// How often a choice is left that is as good as UCT, and how often one is no longer watched that is not better.
const DOUBT: f32 = 0.05;
/// After so many rounds nobody looks any longer: what is worse is not much worse.
const MOST_ROUNDS: usize = 60;
/// Moves of these matches that a thread has time for in one occasion; a move is to be long enough for UCT to fill the lanes.
const MOVES: f32 = 80.0;
const FEWEST_MOVES: f32 = 10.0;
const LEAST_GAMES: f32 = 1000.0;
/// A move has at least so many states or games where these are counted.
const LEAST_COUNTED: u64 = 50;
/// The part of an occasion in which it is measured how much each side gets done, and after how many occasions that is done again.
const PACED: f32 = 0.3;
const PACE_TURNS: usize = 2;
const PACED_ANEW: usize = 5;

/// What matches say about a choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// Nothing yet.
    Open,
    /// It is better than UCT, or nothing was found against it in many rounds.
    Holds,
    /// It is worse than UCT.
    Fails,
}

/// What one move of a match may take.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    nodes: Option<u64>,
    playouts: Option<u64>,
}

impl Share {
    fn of(budget: &Budget<'_>) -> Share {
        Share { nodes: budget.nodes, playouts: budget.playouts }
    }
}

/// See the module.
pub(crate) struct Watch<G: Game> {
    method: Method,
    /// The rounds at hand, one for each thread.
    rounds: Vec<Option<Round<G>>>,
    /// By how much the choice was ahead, round by round.
    leads: Vec<f32>,
    /// What a move of the choice and of UCT may take.
    shares: Option<[Share; 2]>,
    occasions: usize,
    rng: Rng,
}

/// A match in each role from one position.
struct Round<G: Game> {
    from: G::State,
    /// Which role the choice plays at the moment.
    role: u8,
    sum: f32,
    seed: u64,
    played: Match<G>,
}

impl<G: Game + 'static> Watch<G> {
    /// For a way of searching, on so many threads.
    pub(crate) fn new(method: Method, threads: usize, seed: u64) -> Watch<G> {
        let rounds = (0..threads).map(|_| None).collect();
        Watch { method, rounds, leads: Vec::new(), shares: None, occasions: 0, rng: Rng::new(seed ^ 0x3a7c) }
    }

    /// Why it was left, in words.
    pub(crate) fn why(&self) -> String {
        let mean = self.leads.iter().sum::<f32>() / self.leads.len().max(1) as f32;
        let (points, rounds) = (-100.0 * mean, self.leads.len());
        format!(
            "behind UCT by {points:.0} points of 100 in {rounds} rounds of fast matches from positions of this match"
        )
    }

    /// Plays on, from this position where a new round begins, until the time is over.
    pub(crate) fn go(
        &mut self,
        game: &G,
        knowledge: &Knowledge<G>,
        state: &G::State,
        budget: &Budget<'_>,
    ) -> Result<Verdict, Limit> {
        let counted = budget.is_counted();
        let threads = if counted { 1 } else { self.rounds.len() };
        let memory = MATCH_MEMORY.min(budget.memory / (2 * game.roles() * threads));
        let whole = Budget { memory, ..*budget };
        if counted || self.shares.is_none() || self.occasions.is_multiple_of(PACED_ANEW) {
            self.shares = Some(self.shares(game, knowledge, state, &whole)?);
        }
        self.occasions += 1;
        let [own, others] = self.shares.unwrap_or_default();
        let steps = if counted { counted_moves(budget) } else { u64::MAX };
        let seeds: Vec<u64> = (0..threads).map(|_| self.rng.bits()).collect();
        let method = &self.method;
        let work = |slot: &mut Option<Round<G>>, seed: u64| {
            let mut rng = Rng::new(seed);
            let mut leads = Vec::new();
            for _ in 0..steps {
                let round = match slot {
                    Some(round) => round,
                    None => slot.insert(Round::new(game, knowledge, method, state, rng.bits())),
                };
                let of = |role: Role| {
                    let share = if role.0 == round.role { own } else { others };
                    Budget { nodes: share.nodes, playouts: share.playouts, ..whole }
                };
                match round.played.step(game, of) {
                    Ok(Step::Made) => {}
                    Ok(Step::Spent) => break,
                    Ok(Step::Over(goals)) => {
                        round.sum += lead(knowledge, Role(round.role), &goals);
                        round.role += 1;
                        if usize::from(round.role) == game.roles() {
                            leads.push(round.sum / game.roles() as f32);
                            *slot = None;
                        } else {
                            round.played = round.begin(game, knowledge, method);
                        }
                    }
                    // What the engine cannot play says nothing.
                    Ok(Step::Stuck) | Err(_) => {
                        *slot = None;
                        break;
                    }
                }
            }
            leads
        };
        let leads: Vec<f32> = if threads == 1 {
            work(&mut self.rounds[0], seeds[0])
        } else {
            std::thread::scope(|scope| {
                let slots = self.rounds.iter_mut().zip(seeds);
                let running: Vec<_> = slots.map(|(slot, seed)| scope.spawn(move || work(slot, seed))).collect();
                running.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
            })
        };
        self.leads.extend(leads);
        Ok(verdict(&self.leads))
    }

    /// What a move of each side may take: where time counts, what either gets done in equal times.
    fn shares(
        &self,
        game: &G,
        knowledge: &Knowledge<G>,
        state: &G::State,
        budget: &Budget<'_>,
    ) -> Result<[Share; 2], Limit> {
        if budget.is_counted() {
            let moves = counted_moves(budget);
            let slice = |most: Option<u64>| most.map(|most| (most / moves).max(LEAST_COUNTED));
            return Ok([Share { nodes: slice(budget.nodes), playouts: slice(budget.playouts) }; 2]);
        }
        let part = PACED / (2 * PACE_TURNS) as f32;
        let at = (state, chooser(game, state)?);
        let mut sides = [side(&self.method, knowledge), opponent()];
        let mut done = [Done::default(); 2];
        for _ in 0..PACE_TURNS {
            for (done, searcher) in done.iter_mut().zip(&mut sides) {
                done.more(game, at, &mut **searcher, budget, part)?;
            }
        }
        let [own, others] = done.map(Done::pace);
        let least = match others {
            Pace::Games(games) => (LEAST_GAMES / games).min(1.0 / FEWEST_MOVES),
            Pace::States(_) => 0.0,
        };
        let part = least.max(1.0 / MOVES);
        Ok([own, others].map(|pace| Share::of(&pace.budget(part, budget))))
    }
}

/// Moves of matches that a budget which counts is for.
fn counted_moves(budget: &Budget<'_>) -> u64 {
    let most = budget.nodes.into_iter().chain(budget.playouts).min().unwrap_or(0);
    (most / LEAST_COUNTED).clamp(1, MOVES as u64)
}

fn verdict(leads: &[f32]) -> Verdict {
    let behind: Vec<f32> = leads.iter().map(|lead| -lead).collect();
    match () {
        () if Evidence::of(&behind).is_beyond(DOUBT) => Verdict::Fails,
        () if Evidence::of(leads).is_beyond(DOUBT) || leads.len() >= MOST_ROUNDS => Verdict::Holds,
        () => Verdict::Open,
    }
}

/// Somebody who searches in this way in a match.
fn side<G: Game + 'static>(method: &Method, knowledge: &Knowledge<G>) -> Box<dyn Searcher<G>> {
    let of_match = match method {
        Method::Uct { settings, evaluator } => {
            let evaluator = evaluator.and_then(|which| knowledge.evaluators.get(which).cloned());
            let settings = crate::UctSettings { playouts_per_leaf: Some(GAMES_A_LEAF), ..*settings };
            Some(uct(settings, evaluator))
        }
        _ => method.searcher(knowledge).ok(),
    };
    of_match.unwrap_or_else(opponent)
}

impl<G: Game + 'static> Round<G> {
    fn new(game: &G, knowledge: &Knowledge<G>, method: &Method, from: &G::State, seed: u64) -> Round<G> {
        let played = begin(game, knowledge, method, (from, 0), seed);
        Round { from: from.clone(), role: 0, sum: 0.0, seed, played }
    }

    /// The match of the next role.
    fn begin(&self, game: &G, knowledge: &Knowledge<G>, method: &Method) -> Match<G> {
        begin(game, knowledge, method, (&self.from, self.role), self.seed.wrapping_add(u64::from(self.role)))
    }
}

fn begin<G: Game + 'static>(
    game: &G,
    knowledge: &Knowledge<G>,
    method: &Method,
    (from, own): (&G::State, u8),
    seed: u64,
) -> Match<G> {
    Match::new(game, from, seed, |role| if role.0 == own { side(method, knowledge) } else { opponent() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uct::count::Count;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn what_is_worse_beyond_doubt_fails_and_equals_hold() {
        assert_eq!(verdict(&[-1.0; 8]), Verdict::Fails);
        assert_eq!(verdict(&[-0.5; 16]), Verdict::Fails);
        assert_eq!(verdict(&[1.0; 8]), Verdict::Holds);
        assert_eq!(verdict(&[0.0; 30]), Verdict::Open);
        assert_eq!(verdict(&[0.0; MOST_ROUNDS]), Verdict::Holds);
        let mut rng = Rng::new(3);
        let wrong = (0..2000).filter(|_| {
            let leads: Vec<f32> = (0..MOST_ROUNDS).map(|_| rng.below(3) as f32 - 1.0).collect();
            let first = (1..=MOST_ROUNDS).map(|count| verdict(&leads[..count])).find(|now| *now != Verdict::Open);
            first == Some(Verdict::Fails)
        });
        let wrong = wrong.count();
        assert!(wrong <= 100, "{wrong} of 2000");
    }

    #[test]
    fn interrupted_matches_go_on() {
        // The time is over after a few looks at it: no match ends within one occasion, and yet matches end.
        let (game, knowledge) = (Count(30), Knowledge::default());
        let mut watch = Watch::new(Method::MonteCarlo(Default::default()), 1, 5);
        let mut ended = 0;
        for _ in 0..400 {
            let looks = AtomicU32::new(0);
            let spent = || looks.fetch_add(1, Ordering::Relaxed) as f32 / 400.0;
            watch.go(&game, &knowledge, &0, &Budget::timed(&spent, 1)).unwrap();
            ended = watch.leads.len();
        }
        assert!(ended > 0);
        assert!(watch.leads.iter().all(|lead| (-1.0..=1.0).contains(lead)));
    }

    #[test]
    fn the_same_counts_say_the_same() {
        let run = || {
            let (game, knowledge) = (Count(20), Knowledge::default());
            let mut watch = Watch::new(Method::MonteCarlo(Default::default()), 2, 5);
            let verdicts: Vec<Verdict> =
                (0..20).map(|_| watch.go(&game, &knowledge, &0, &Budget::of_playouts(8000, 1)).unwrap()).collect();
            (verdicts, watch.leads)
        };
        assert!(!run().1.is_empty());
        assert_eq!(run(), run());
    }
}
