//! Fast matches of ways to search against UCT, and what their results prove.
//!
//! Each side looks at as many states, or plays as many random games, as it comes to in the same time when it is not interrupted: in a
//! thousandth of a second, lanes that end together would leave one side with two rounds of games and the other with one. Rounds leave the
//! best few; each of these is then tested in matches that count from nothing, and is taken only if it is better beyond doubt: over all start
//! clocks in which no way is better than UCT, one is taken in at most one of twenty ([`Evidence`]), and UCT needs no luck to be decent.

use super::Candidate;
use crate::method::uct;
use crate::{Budget, Knowledge, Monitor, Searcher, UctSettings};
use game::random::{Player, Rng};
use game::{Game, Limit, Role, roles};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Rounds in which every candidate that is left plays each role once; whoever clearly loses, and the worse half, is out.
const ROUNDS: usize = 2;
/// The best of these are then held against UCT, one after the other, in matches that count from nothing: how often, over all start clocks,
/// each of them may be taken that is no better.
const DOUBTS: [f32; 2] = [0.04, 0.01];
/// The most matches of such a test.
const MOST_MATCHES: usize = 60;
/// Who bets on a candidate gives up when this part of the fortune is left, or when it is not ahead after so many matches.
const RUINED: f32 = 0.15;
const ENOUGH: usize = 6;
/// The longest match.
pub(super) const MOST_STEPS: usize = 300;
/// Whoever expects so much is sure to win.
const SURE: f32 = 98.0;
/// Bytes for the tree or the table of each side of a match.
pub(super) const MATCH_MEMORY: usize = 32 << 20;
/// Random games for each leaf in matches: few, because the trees are small.
pub(super) const GAMES_A_LEAF: u32 = 8;
/// The part of the time of all matches in which it is measured how much each side gets done.
const PACED: f32 = 0.12;
const PACE_TURNS: usize = 4;
/// A move of UCT in a match has so many random games, or what a thousandth of the whole time brings: fewer do not take less time on lanes,
/// since a small tree cannot fill them.
const LEAST_GAMES: f32 = 2000.0;
const LEAST_TIME: f32 = 0.001;
/// Where rounds took no longer than this part of the time, tests are of longer matches.
const QUICK: f32 = 0.35;
/// Short matches that there is to be time for.
const PLANNED: usize = 240;

/// How much a way to search gets done in the whole time.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pace {
    States(f32),
    Games(f32),
}

/// How much a searcher has done, and in which part of the time.
#[derive(Clone, Copy, Default)]
pub(super) struct Done {
    states: u64,
    games: u64,
    time: f32,
}

impl Done {
    /// Lets a searcher work for a part of the time.
    pub(super) fn more<G: Game>(
        &mut self,
        game: &G,
        (state, role): (&G::State, Role),
        searcher: &mut dyn Searcher<G>,
        budget: &Budget<'_>,
        part: f32,
    ) -> Result<(), Limit> {
        let begin = (budget.spent)();
        let spent = || budget.part_spent(begin, part);
        let slice = Budget { spent: &spent, memory: MATCH_MEMORY, ..*budget };
        let found = searcher.search(game, state, role, &slice, &Monitor::new())?;
        self.states += found.nodes;
        self.games += found.playouts;
        self.time += (budget.spent)() - begin;
        Ok(())
    }

    pub(super) fn pace(self) -> Pace {
        let each = |count: u64| count.max(1) as f32 / self.time.max(1e-6);
        if self.games > 0 { Pace::Games(each(self.games)) } else { Pace::States(each(self.states)) }
    }
}

impl Pace {
    /// A budget of what is done in a part of the time.
    pub(super) fn budget<'b>(self, part: f32, whole: &Budget<'b>) -> Budget<'b> {
        let most = |each: f32| Some(((each * part) as u64).max(1));
        let (nodes, playouts) = match self {
            Pace::States(states) => (most(states), None),
            Pace::Games(games) => (None, most(games)),
        };
        Budget { nodes, playouts, memory: MATCH_MEMORY, ..*whole }
    }
}

/// The two sides of a match, by what they may do for a move.
struct Sides<'a, 'b, G: Game> {
    candidate: &'b Candidate<'a, G>,
    /// The role of the candidate; all others are UCT's.
    role: Role,
    own: Budget<'b>,
    others: Budget<'b>,
}

/// The matches of candidates against UCT.
struct Contest<'a, 'b, G: Game> {
    game: &'b G,
    knowledge: &'b Knowledge<G>,
    state: &'b G::State,
    candidates: &'b [Candidate<'a, G>],
    /// What a move of each candidate may take, and what one of UCT.
    own: Vec<Budget<'b>>,
    others: Budget<'b>,
    threads: usize,
    rng: Rng,
    /// By how much each candidate was ahead, match by match.
    scores: Vec<Vec<f32>>,
}

impl<G: Game + 'static> Contest<'_, '_, G> {
    /// Plays matches of these candidates in these roles, several at once; `None` once the time is over.
    fn play(&mut self, matches: &[(usize, Role)]) -> Result<Option<Vec<f32>>, Limit> {
        let seeded: Vec<(usize, Role, u64)> =
            matches.iter().map(|&(which, role)| (which, role, self.rng.bits())).collect();
        let (next, own) = (AtomicUsize::new(0), &*self);
        let work = || {
            let mut done = Vec::new();
            while let Some((at, &(which, role, seed))) = {
                let at = next.fetch_add(1, Ordering::Relaxed);
                seeded.get(at).map(|one| (at, one))
            } {
                let sides = Sides { candidate: &own.candidates[which], role, own: own.own[which], others: own.others };
                match play(own.game, own.state, &sides, seed)? {
                    Some(goals) => done.push((at, lead(own.knowledge, role, &goals))),
                    None => break,
                }
            }
            Ok(done)
        };
        let mut found = std::thread::scope(|scope| {
            let others: Vec<_> = (1..self.threads.min(seeded.len())).map(|_| scope.spawn(work)).collect();
            let mut found: Vec<(usize, f32)> = work()?;
            for other in others {
                found.extend(other.join().unwrap_or_else(|_| Ok(Vec::new()))?);
            }
            Ok(found)
        })?;
        found.sort_unstable_by_key(|&(at, _)| at);
        found.iter().for_each(|&(at, lead)| self.scores[matches[at].0].push(lead));
        Ok((found.len() == matches.len()).then(|| found.into_iter().map(|(_, lead)| lead).collect()))
    }

    fn worth(&self, which: usize) -> f32 {
        let scores = &self.scores[which];
        scores.iter().sum::<f32>() / (scores.len() as f32 + 1.0)
    }

    /// The few best of all, after some rounds; none if the time is over.
    fn finalists(&mut self) -> Result<Vec<usize>, Limit> {
        let mut alive: Vec<usize> = (0..self.candidates.len()).collect();
        for round in 0..ROUNDS {
            let each = |&which: &usize| roles(self.game).map(move |role| (which, role));
            let matches: Vec<(usize, Role)> = alive.iter().flat_map(each).collect();
            if self.play(&matches)?.is_none() {
                return Ok(Vec::new());
            }
            alive.sort_by(|&a, &b| self.worth(b).total_cmp(&self.worth(a)));
            let last = round + 1 == ROUNDS;
            alive.truncate(if last { DOUBTS.len() } else { alive.len().div_ceil(2) });
            alive.retain(|&which| self.worth(which) > if last { 0.0 } else { -0.3 });
        }
        Ok(alive)
    }

    /// Twice as many games or states a move from here on.
    fn think_longer(&mut self) {
        let twice = |most: &mut Option<u64>| *most = most.map(|most| 2 * most);
        for budget in self.own.iter_mut().chain([&mut self.others]) {
            twice(&mut budget.nodes);
            twice(&mut budget.playouts);
        }
    }

    /// Whether a candidate is better than UCT but for this doubt, by matches that are played for it.
    fn is_better(&mut self, which: usize, doubt: f32) -> Result<bool, Limit> {
        let mut results: Vec<f32> = Vec::new();
        let count = self.game.roles();
        while results.len() < MOST_MATCHES {
            let at_once = count * self.threads.div_ceil(count);
            let matches: Vec<(usize, Role)> =
                (0..at_once).map(|number| (which, Role((number % count) as u8))).collect();
            let Some(more) = self.play(&matches)? else { break };
            results.extend(more);
            let evidence = Evidence::of(&results);
            if evidence.is_beyond(doubt) {
                return Ok(true);
            }
            let ahead: f32 = results.iter().sum();
            if evidence.fortune() < RUINED || results.len() >= ENOUGH && ahead <= 0.0 {
                break;
            }
        }
        Ok(false)
    }
}

/// By how much a role and its team are ahead of the others, from -1 to 1.
pub(super) fn lead<G: Game>(knowledge: &Knowledge<G>, role: Role, goals: &[f32]) -> f32 {
    let team = knowledge.teams.get(usize::from(role.0));
    let with_us = |at: usize| at == usize::from(role.0) || team.is_some_and(|team| team.contains(&Role(at as u8)));
    let others: Vec<f32> = (0..goals.len()).filter(|&at| !with_us(at)).map(|at| goals[at]).collect();
    (goals[usize::from(role.0)] - others.iter().sum::<f32>() / others.len().max(1) as f32) / 100.0
}

/// Lets the candidates play UCT: rounds of short matches that leave the best few, then a test of each of these in longer ones. The first that is beyond doubt better than
/// UCT; and by how much each was ahead, match by match.
pub(super) fn matches<G: Game + 'static>(
    game: &G,
    knowledge: &Knowledge<G>,
    state: &G::State,
    candidates: &[Candidate<'_, G>],
    (budget, threads): (&Budget<'_>, usize),
) -> Result<(Option<usize>, Vec<Vec<f32>>), Limit> {
    let mut rng = Rng::new(budget.seed ^ 0xd0e1);
    let mut player = Player::new(game);
    let mut length = 0;
    for _ in 0..4 {
        length += player.playout(game, state, &mut rng, MOST_STEPS, &mut |_, _| {})?.steps;
    }
    let moves = ((length / 4).max(4) * PLANNED) as u64;
    let (own, others) = if budget.is_counted() {
        let slice = |most: Option<u64>| most.map(|most| (most / moves).max(50));
        let each = Budget { nodes: slice(budget.nodes), playouts: slice(budget.playouts), ..*budget };
        let each = Budget { memory: MATCH_MEMORY, ..each };
        (vec![each; candidates.len()], each)
    } else {
        let (others, own) = paces(game, state, candidates, budget)?;
        let part = (1.0 - (budget.spent)()).max(0.0) * threads as f32 / moves as f32;
        let part = part.max(least_part(others));
        (own.into_iter().map(|pace| pace.budget(part, budget)).collect(), others.budget(part, budget))
    };
    // Where states or games are counted every run is to go the same way, and the time may be over at any moment.
    let threads = if budget.is_counted() { 1 } else { threads };
    let scores = vec![Vec::new(); candidates.len()];
    let mut contest = Contest { game, knowledge, state, candidates, own, others, threads, rng, scores };
    let mut best = None;
    let finalists = contest.finalists()?;
    if (budget.spent)() < QUICK {
        contest.think_longer();
    }
    for (which, doubt) in finalists.into_iter().zip(DOUBTS) {
        if contest.is_better(which, doubt)? {
            best = Some(which);
            break;
        }
    }
    Ok((best, contest.scores))
}

/// What UCT, and what each candidate, gets done: by turns, since the machine may have other work at any moment.
fn paces<G: Game + 'static>(
    game: &G,
    state: &G::State,
    candidates: &[Candidate<'_, G>],
    budget: &Budget<'_>,
) -> Result<(Pace, Vec<Pace>), Limit> {
    let part = (1.0 - (budget.spent)()) * PACED / (PACE_TURNS * (candidates.len() + 1)) as f32;
    let at = (state, chooser(game, state)?);
    let mut done = vec![Done::default(); candidates.len() + 1];
    for _ in 0..PACE_TURNS {
        done[0].more(game, at, &mut *opponent(), budget, part)?;
        for (done, candidate) in done[1..].iter_mut().zip(candidates) {
            done.more(game, at, &mut *(candidate.make)(), budget, part)?;
        }
    }
    Ok((done[0].pace(), done[1..].iter().map(|done| done.pace()).collect()))
}

/// Somebody who has a choice in a state.
pub(super) fn chooser<G: Game>(game: &G, state: &G::State) -> Result<Role, Limit> {
    let mut view = game.view();
    game.look(state, &mut view)?;
    let mut legal = Vec::new();
    let mut chooses = |role: &Role| {
        legal.clear();
        game.legal(&view, *role, &mut legal);
        legal.len() > 1
    };
    Ok(roles(game).find(|role| chooses(role)).unwrap_or(Role(0)))
}

/// The part of the time that UCT needs for what a move in a match has at least.
pub(super) fn least_part(pace: Pace) -> f32 {
    match pace {
        Pace::Games(games) => (LEAST_GAMES / games).min(LEAST_TIME),
        Pace::States(_) => 0.0,
    }
}

/// UCT as candidates play it in matches.
pub(super) fn opponent<G: Game + 'static>() -> Box<dyn Searcher<G>> {
    uct(UctSettings { playouts_per_leaf: Some(GAMES_A_LEAF), ..UctSettings::default() }, None)
}

/// How strongly results speak against "no better than UCT": the fortune of somebody who bets on the candidate, match by match and
/// always a part of what is left, and began with 1. If the candidate is no better, the fortune is not expected to
/// grow, whenever one stops to look, so that it ever reaches `n` has a chance of at most 1 in `n`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evidence {
    /// What those have who bet each of [`BETS`].
    fortunes: [f32; 3],
}

/// Parts of the fortune that are bet; few results want high stakes, close ones low ones.
const BETS: [f32; 3] = [0.25, 0.5, 0.75];

impl Evidence {
    /// Of results from -1 (all points to the others) to 1.
    pub(super) fn of(results: &[f32]) -> Evidence {
        let fortune = |bet: f32| results.iter().map(|result| 1.0 + bet * result.clamp(-1.0, 1.0)).product();
        Evidence { fortunes: BETS.map(fortune) }
    }

    /// Whether a candidate that is no better would have such results with at most this chance.
    pub(super) fn is_beyond(&self, chance: f32) -> bool {
        self.fortune() >= 1.0 / chance
    }

    fn fortune(&self) -> f32 {
        self.fortunes.iter().sum::<f32>() / BETS.len() as f32
    }
}

/// What the two sides of a game think of its end: where at two moves each, one was sure to win and the other to lose, it need not be played on.
#[derive(Clone, Copy, Default)]
struct Settled {
    /// By role: for how many moves it has been sure to win, or to lose if less than 0.
    sure: [i8; 2],
}

impl Settled {
    fn hear(&mut self, role: Role, value: f32) {
        let Some(sure) = self.sure.get_mut(usize::from(role.0)) else { return };
        *sure = match value {
            _ if value >= SURE => sure.saturating_add(1).max(1),
            _ if value <= 100.0 - SURE => sure.saturating_sub(1).min(-1),
            _ => 0,
        };
    }

    /// The goals that a game of so many roles will end with.
    fn goals(&self, roles: usize) -> Option<Vec<f32>> {
        let [first, second] = self.sure;
        match (first, second) {
            (2.., ..=-2) if roles == 2 => Some(vec![100.0, 0.0]),
            (..=-2, 2..) if roles == 2 => Some(vec![0.0, 100.0]),
            _ => None,
        }
    }
}

/// One match of a candidate in one role against UCT in all others: the goals, unless time runs out before the end.
fn play<G: Game + 'static>(
    game: &G,
    from: &G::State,
    sides: &Sides<'_, '_, G>,
    seed: u64,
) -> Result<Option<Vec<f32>>, Limit> {
    let player = |role: Role| if role == sides.role { (sides.candidate.make)() } else { opponent() };
    let mut played = Match::new(game, from, seed, player);
    loop {
        let budget = |role: Role| if role == sides.role { sides.own } else { sides.others };
        match played.step(game, budget)? {
            Step::Made => {}
            Step::Over(goals) => return Ok(Some(goals)),
            Step::Spent | Step::Stuck => return Ok(None),
        }
    }
}

/// A match at hand: it can be left at any move, and gone on with later.
pub(super) struct Match<G: Game> {
    players: Vec<Box<dyn Searcher<G>>>,
    state: G::State,
    steps: u64,
    seed: u64,
    settled: Settled,
}

/// What came of a step of a match.
pub(super) enum Step {
    /// It goes on.
    Made,
    /// It is over, or decided, or given up, with these goals.
    Over(Vec<f32>),
    /// The time is over; nothing was done.
    Spent,
    /// Somebody has no legal move: this match comes to nothing.
    Stuck,
}

impl<G: Game + 'static> Match<G> {
    /// Between these players, from a state.
    pub(super) fn new(
        game: &G,
        from: &G::State,
        seed: u64,
        player: impl FnMut(Role) -> Box<dyn Searcher<G>>,
    ) -> Match<G> {
        let players = roles(game).map(player).collect();
        Match { players, state: from.clone(), steps: 0, seed, settled: Settled::default() }
    }

    /// One joint move; each role that has a choice may spend its budget. A move during which the time ends is not made, so that no side has
    /// one that was cut short.
    pub(super) fn step<'b>(&mut self, game: &G, budget: impl Fn(Role) -> Budget<'b>) -> Result<Step, Limit> {
        let mut view = game.view();
        game.look(&self.state, &mut view)?;
        let over = game.over(&view);
        if over || self.steps >= MOST_STEPS as u64 {
            let mut goals = Vec::new();
            for role in roles(game) {
                let goal = game.goal(&mut view, role)?;
                goals.push(if over { f32::from(goal.unwrap_or(0)) } else { 50.0 });
            }
            return Ok(Step::Over(goals));
        }
        if let Some(goals) = self.settled.goals(self.players.len()) {
            return Ok(Step::Over(goals));
        }
        let mut joint = Vec::with_capacity(self.players.len());
        let mut settled = self.settled;
        let mut legal = Vec::new();
        for role in roles(game) {
            legal.clear();
            game.legal(&view, role, &mut legal);
            let Some(&only) = legal.first() else { return Ok(Step::Stuck) };
            if legal.len() == 1 {
                joint.push(only);
                continue;
            }
            let budget = budget(role);
            let budget = Budget { seed: self.seed ^ self.steps, ..budget };
            if (budget.spent)() >= 1.0 {
                return Ok(Step::Spent);
            }
            let found = self.players[role.0 as usize].search(game, &self.state, role, &budget, &Monitor::new())?;
            if (budget.spent)() >= 1.0 {
                return Ok(Step::Spent);
            }
            settled.hear(role, found.value);
            joint.push(found.mv.unwrap_or(only));
        }
        let mut next = self.state.clone();
        game.play(&mut view, &joint, &mut next)?;
        (self.state, self.settled) = (next, settled);
        self.steps += 1;
        Ok(Step::Made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uct::count::Count;

    #[test]
    fn whoever_gets_more_done_may_do_more_in_a_match() {
        let whole = Budget::timed(&|| 0.0, 1);
        let (states, games) = (Pace::States(4000.0).budget(0.01, &whole), Pace::Games(500.0).budget(0.01, &whole));
        assert_eq!((states.nodes, states.playouts, games.nodes, games.playouts), (Some(40), None, None, Some(5)));
        // The time goes on by a little with every look: whoever needs twice as many looks gets half as much done.
        let game = Count(60);
        let looks = std::sync::atomic::AtomicU32::new(0);
        let spent = || looks.fetch_add(1, std::sync::atomic::Ordering::Relaxed) as f32 * 1e-5;
        let budget = Budget::timed(&spent, 1);
        let candidates = [Candidate::uct(UctSettings { grave: Some(20), ..UctSettings::default() }, None)];
        let (own, others) = paces(&game, &0, &candidates, &budget).unwrap();
        let (Pace::Games(own), [Pace::Games(other)]) = (own, &others[..]) else { panic!("{own:?} {others:?}") };
        assert!(own > 0.0 && *other > 0.0 && least_part(Pace::Games(own)) <= LEAST_TIME, "{own} {other}");
        assert_eq!(least_part(Pace::Games(1e9)), LEAST_GAMES / 1e9);
    }

    #[test]
    fn a_match_that_both_call_decided_is_over() {
        let mut settled = Settled::default();
        for values in [[99.0, 1.0], [97.0, 1.0], [98.0, 0.0]] {
            assert_eq!(settled.goals(2), None);
            (0..2).for_each(|role| settled.hear(Role(role), values[usize::from(role)]));
        }
        assert_eq!(settled.goals(2), None);
        settled.hear(Role(0), 100.0);
        assert_eq!((settled.goals(2), settled.goals(3)), (Some(vec![100.0, 0.0]), None));
        // Where both hope, nothing is decided.
        (0..2).for_each(|_| settled.hear(Role(1), 100.0));
        assert_eq!(settled.goals(2), None);
    }

    #[test]
    fn luck_is_no_evidence() {
        // Two equals are tested one after the other, and each test stops as soon as it looks good.
        let mut rng = Rng::new(7);
        let mut taken = 0;
        for _ in 0..2000 {
            let lucky = DOUBTS.iter().any(|doubt| {
                let results: Vec<f32> = (0..MOST_MATCHES).map(|_| if rng.below(2) == 0 { 1.0 } else { -1.0 }).collect();
                let beyond = |count: &usize| Evidence::of(&results[..*count]).is_beyond(*doubt);
                (1..=MOST_MATCHES).find(beyond).is_some()
            });
            taken += usize::from(lucky);
        }
        // One of twenty at most is promised; the bound is not tight.
        assert!(taken <= 100, "{taken} of 2000");
    }

    #[test]
    fn what_is_far_better_is_recognised() {
        let doubt = DOUBTS[0];
        assert!(Evidence::of(&[1.0; 9]).is_beyond(doubt));
        assert!(!Evidence::of(&[1.0; 6]).is_beyond(doubt));
        let mut mixed = vec![1.0; 14];
        mixed.extend([-1.0; 2]);
        assert!(Evidence::of(&mixed).is_beyond(doubt));
        assert!(!Evidence::of(&[0.2; 22]).is_beyond(doubt));
        // Whoever loses as often as it wins, or more, is soon given up.
        assert!(Evidence::of(&[-1.0, 1.0, -1.0, -1.0, -1.0, -1.0]).fortune() < RUINED);
    }
}
