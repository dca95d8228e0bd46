//! Measuring, before a game begins, which way of searching suits it.
//!
//! First the evaluators are held against random games: the value of a state should go with the average outcome from it.
//! Then the few best are given to searchers that play fast matches against UCT (`contest.rs`). What was chosen is held against UCT again while the
//! game goes on (`watch.rs`).

mod contest;
pub(crate) mod watch;

use crate::method::{alpha_beta, uct};
use crate::{AlphaBetaSettings, Budget, Knowledge, Method, Searcher, SharedEvaluator, UctSettings};
use contest::{GAMES_A_LEAF, MOST_STEPS, matches};
use game::random::{End, Player, Rng};
use game::rollouts::Feed;
use game::{Game, Goal, Limit, Move, Role, roles};

/// States that evaluators are tried on.
const STATES: usize = 96;
/// Random games from each of them.
const GAMES: u32 = 16;
/// Evaluators that get to play.
const FINALISTS: usize = 2;

/// Moves after which random games are judged, where that is done.
const CUT: usize = 6;
/// How often, of 16 times, random games make a move that did well, where that is done.
const BIAS: u8 = 10;
/// States with fewer visits are told what random games with a move brought, where that is done.
const GRAVE: u32 = 20;

/// A way to search that may suit the game.
pub(crate) struct Candidate<'a, G: Game> {
    pub(crate) method: Method,
    /// Makes a searcher that works in this way.
    pub(crate) make: Box<dyn Fn() -> Box<dyn Searcher<G>> + Sync + 'a>,
}

impl<'a, G: Game + 'static> Candidate<'a, G> {
    fn uct(settings: UctSettings, evaluator: Option<(usize, &SharedEvaluator<G>)>) -> Candidate<'a, G> {
        let method = Method::Uct { settings, evaluator: evaluator.map(|(which, _)| which) };
        let evaluator = evaluator.map(|(_, evaluator)| evaluator.clone());
        let settings = UctSettings { playouts_per_leaf: Some(GAMES_A_LEAF), ..settings };
        Candidate { method, make: Box::new(move || uct(settings, evaluator.clone())) }
    }

    fn alpha_beta(which: usize, evaluator: &'a SharedEvaluator<G>, knowledge: &'a Knowledge<G>) -> Candidate<'a, G> {
        let make = move || alpha_beta(AlphaBetaSettings::default(), Some(evaluator.clone()), knowledge);
        Candidate { method: Method::alpha_beta(Some(which)), make: Box::new(make) }
    }
}

/// What was measured.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Measured {
    /// Ways that were tried against UCT.
    tried: usize,
    /// Matches that all of them came to the end of.
    games: usize,
    /// Those of the chosen one, and its mean lead over the others, from -1 to 1.
    own: Option<(usize, f32)>,
    /// How the values of its evaluator go with outcomes.
    correlation: Option<f32>,
}

impl Measured {
    /// Why it was chosen, in words.
    pub(crate) fn why(&self) -> String {
        let Measured { tried, games, own, correlation } = self;
        let goes =
            correlation.map_or(String::new(), |own| format!("; its values go with outcomes (correlation {own:.2})"));
        match own {
            Some((own, lead)) => format!(
                "the best of {tried} ways in fast matches against UCT before the game, ahead by {:.0} points of 100 in {own} matches{goes}",
                100.0 * lead
            ),
            None if *games == 0 => "there was no time to measure anything else".to_string(),
            None => {
                format!("of {tried} other ways none was better beyond doubt in {games} fast matches before the game")
            }
        }
    }
}

/// The method to use for this game, and what was measured.
pub(crate) fn choose<'a, G: Game + 'static>(
    game: &G,
    knowledge: &'a Knowledge<G>,
    state: &G::State,
    role: Role,
    budget: &Budget<'_>,
    threads: usize,
) -> Result<(Candidate<'a, G>, Measured), Limit> {
    let ranking = rank(game, &knowledge.evaluators, state, role, budget)?;
    let usual = UctSettings::default();
    let mut candidates = vec![
        Candidate::uct(UctSettings { playout_bias: BIAS, ..usual }, None),
        Candidate::uct(UctSettings { grave: Some(GRAVE), ..usual }, None),
    ];
    let mut finalists: Vec<usize> = knowledge.offered.into_iter().collect();
    let telling = ranking.iter().filter(|(which, worth)| *worth > 0.1 && Some(*which) != knowledge.offered);
    finalists.extend(telling.map(|(which, _)| *which).take(FINALISTS));
    finalists.truncate(FINALISTS);
    for (place, which) in finalists.into_iter().enumerate() {
        let evaluator = &knowledge.evaluators[which];
        candidates.push(Candidate::alpha_beta(which, evaluator, knowledge));
        // Each more way leaves less time to be sure of the best.
        if place == 0 {
            candidates.push(Candidate::uct(usual, Some((which, evaluator))));
            candidates.push(Candidate::uct(UctSettings { cut: Some(CUT), ..usual }, Some((which, evaluator))));
        }
    }
    let (best, scores) = matches(game, knowledge, state, &candidates, (budget, threads))?;
    let mean = |scores: &[f32]| scores.iter().sum::<f32>() / scores.len().max(1) as f32;
    let evaluator = best.and_then(|which| candidates[which].method.evaluator());
    let measured = Measured {
        tried: candidates.len(),
        games: scores.iter().map(Vec::len).sum(),
        own: best.map(|which| (scores[which].len(), mean(&scores[which]))),
        correlation: evaluator.and_then(|own| Some(ranking.iter().find(|(which, _)| *which == own)?.1)),
    };
    let best = best.map_or_else(|| Candidate::uct(usual, None), |which| candidates.swap_remove(which));
    Ok((best, measured))
}

/// How well each evaluator goes with outcomes, best first: the correlation over states of random games. Takes a fifth of the time that is left;
/// evaluators that it does not come to are not told of.
///
/// # Errors
/// When a state cannot be worked out.
pub fn rank<G: Game>(
    game: &G,
    evaluators: &[SharedEvaluator<G>],
    state: &G::State,
    role: Role,
    budget: &Budget<'_>,
) -> Result<Vec<(usize, f32)>, Limit> {
    let begin = (budget.spent)();
    let spent = || budget.part_spent(begin, 0.2 * (1.0 - begin));
    let budget = Budget { spent: &spent, ..*budget };
    let mut rng = Rng::new(budget.seed);
    let states = sample(game, state, &mut rng, &|| (budget.spent)() >= 0.3)?;
    let mut feed = Outcomes {
        states: &states,
        role,
        next: 0,
        begun: 0,
        sums: vec![(0, 0.0); states.len()],
        spent: &|| (budget.spent)() >= 0.8,
    };
    game.rollouts(&mut feed, 1000, budget.seed)?;
    let known: Vec<usize> = (0..states.len()).filter(|&at| feed.sums[at].0 > 0).collect();
    let outcomes: Vec<f32> = known.iter().map(|&at| feed.sums[at].1 / feed.sums[at].0 as f32).collect();
    let mut view = game.view();
    let mut ranking = Vec::new();
    for (which, evaluator) in evaluators.iter().enumerate() {
        let mut values = Vec::with_capacity(known.len());
        for &at in &known {
            game.look(&states[at], &mut view)?;
            values.push(evaluator.value(game, &states[at], &mut view, role));
        }
        ranking.push((which, correlation(&values, &outcomes)));
        if (budget.spent)() >= 1.0 {
            break;
        }
    }
    ranking.sort_by(|a, b| b.1.total_cmp(&a.1));
    Ok(ranking)
}

/// States from all parts of random games.
fn sample<G: Game>(game: &G, from: &G::State, rng: &mut Rng, stop: &dyn Fn() -> bool) -> Result<Vec<G::State>, Limit> {
    let mut player = Player::new(game);
    let mut view = game.view();
    let mut states = Vec::new();
    let mut legal = Vec::new();
    let mut length = player.playout(game, from, rng, MOST_STEPS, &mut |_, _| {})?.steps.max(2);
    for _ in 0..STATES {
        let mut state = from.clone();
        let steps = rng.below(length);
        let mut made = 0;
        while made < steps {
            game.look(&state, &mut view)?;
            let mut joint: Vec<Move> = Vec::with_capacity(game.roles());
            for role in roles(game).take_while(|_| !game.over(&view)) {
                legal.clear();
                game.legal(&view, role, &mut legal);
                if !legal.is_empty() {
                    joint.push(legal[rng.below(legal.len())]);
                }
            }
            if joint.len() < game.roles() {
                length = made.max(2);
                break;
            }
            let mut next = state.clone();
            game.play(&mut view, &joint, &mut next)?;
            state = next;
            made += 1;
        }
        game.look(&state, &mut view)?;
        if !game.over(&view) {
            states.push(state);
        }
        if stop() {
            break;
        }
    }
    Ok(states)
}

/// Adds up the goals of a role from each of some states.
struct Outcomes<'a, S> {
    states: &'a [S],
    role: Role,
    next: usize,
    begun: u32,
    sums: Vec<(u32, f32)>,
    spent: &'a dyn Fn() -> bool,
}

impl<S> Feed<S> for Outcomes<'_, S> {
    fn stop(&mut self) -> bool {
        (self.spent)()
    }

    fn next(&mut self) -> Option<(u32, &S)> {
        if self.next >= self.states.len() {
            (self.next, self.begun) = (0, self.begun + 1);
        }
        if self.begun >= GAMES || self.states.is_empty() {
            return None;
        }
        self.next += 1;
        Some((self.next as u32 - 1, &self.states[self.next - 1]))
    }

    fn done(&mut self, number: u32, end: End, _: usize, goals: &[Option<Goal>]) {
        let goal = if end == End::Cut { 50.0 } else { f32::from(goals[self.role.0 as usize].unwrap_or(0)) };
        let sum = &mut self.sums[number as usize];
        *sum = (sum.0 + 1, sum.1 + goal);
    }
}

/// Pearson's correlation; 0 where one side does not vary.
fn correlation(a: &[f32], b: &[f32]) -> f32 {
    let count = a.len().min(b.len()) as f32;
    if count < 8.0 {
        return 0.0;
    }
    let (mean_a, mean_b) = (a.iter().sum::<f32>() / count, b.iter().sum::<f32>() / count);
    let (mut both, mut left, mut right) = (0.0, 0.0, 0.0);
    for (x, y) in a.iter().zip(b) {
        let (x, y) = (x - mean_a, y - mean_b);
        both += x * y;
        left += x * x;
        right += y * y;
    }
    if left <= 1e-6 || right <= 1e-6 { 0.0 } else { both / (left * right).sqrt() }
}
