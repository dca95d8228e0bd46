//! A game in numbers, for those who design games: what competent players make of it. Games are played by UCT with the same number of random games
//! for every move, so that a seed gives the same report on every machine.

mod page;
mod share;
mod unused;

pub use page::page;
pub use share::Share;

use crate::games::{Game, Stand};
use agent::searcher::searcher;
use agent::{Opening, PlayerSpec};
use anyhow::{Result, ensure};
use game::{Cancel, Names, Role};
use gdl::{Symbol, TermKind};
use machine::Engine;
use search::{Monitor, Searcher};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Games longer than this are cut.
const LONGEST: usize = 400;
/// A side leads where it expects more than this above the half.
const LEAD: f32 = 5.0;
/// A move that was legal so often and never made is told.
const OFTEN: usize = 20;

/// How deep the ways to go on from the start are counted, and about how many of them.
const DEEPEST: usize = 8;
const MOST_COUNTED: u64 = 200_000;

/// What is measured.
#[derive(Clone, Copy)]
pub struct Settings {
    /// Games for each question.
    pub games: usize,
    /// Random games for a move.
    pub playouts: u64,
    /// Makes it repeatable.
    pub seed: u64,
}

/// A game in numbers.
#[derive(Serialize)]
pub struct Report {
    /// The game.
    pub game: String,
    /// Its title.
    pub title: String,
    /// The roles.
    pub roles: Vec<String>,
    /// Random games for a move of those who played.
    pub playouts: u64,
    /// Games that were played to their end.
    pub games: usize,
    /// Games that were cut because they were long, or stuck.
    pub cut: usize,
    /// For each role its mean goal.
    pub goals: Vec<f64>,
    /// For each role how many games it won: got more than everybody else.
    pub wins: Vec<Share>,
    /// Games in which nobody got more than everybody else.
    pub draws: Share,
    /// Moves of a game: the fewest, the mean, the most.
    pub length: (usize, f64, usize),
    /// How many games had so many moves.
    pub lengths: BTreeMap<usize, usize>,
    /// Legal moves of whoever had a choice, by step: the mean.
    pub choices: Vec<f64>,
    /// The mean over all steps, and the most.
    pub branching: (f64, usize),
    /// How often the lead changed in a game, in games of two in turn.
    pub lead_changes: Option<f64>,
    /// How strength grows with thinking: the score of a player against one that thinks a quarter as long.
    pub depth: Vec<Rung>,
    /// Kinds of moves that the rules have and that were never legal.
    pub never_legal: Vec<String>,
    /// Moves that were legal often and that nobody ever made.
    pub never_made: Vec<String>,
    /// Rules whose conditions never held, with their lines.
    pub never_used: Vec<String>,
    /// States in which rules were watched; none where they could not be.
    pub watched: usize,
    /// Ways to go on from the start, by number of moves.
    pub perft: Vec<u64>,
}

/// One comparison of players.
#[derive(Serialize)]
pub struct Rung {
    /// Random games for a move of the stronger one.
    pub more: u64,
    /// Of the other one.
    pub less: u64,
    /// What the stronger one got of what there was to get.
    pub score: Share,
}

/// One game that was played.
struct Played {
    goals: Option<Vec<u8>>,
    steps: usize,
    choices: Vec<(usize, usize)>,
    changes: usize,
    legal: BTreeMap<String, usize>,
    made: BTreeSet<String>,
    /// Every state, and the moves made there.
    states: unused::Steps,
}

/// How far it is: games that are over, and all.
pub type Tell<'a> = &'a (dyn Fn(usize, usize) + Sync);

fn player(playouts: u64) -> Result<PlayerSpec> {
    format!("uct:playouts={},memory=64", playouts.max(1)).parse()
}

/// Plays one game; roles have as many random games for a move as is said.
fn play(game: &Game, engine: &Engine, playouts: &[u64], seed: u64, cancel: &Cancel) -> Result<Played> {
    let specs: Vec<PlayerSpec> = playouts.iter().map(|&playouts| player(playouts)).collect::<Result<_>>()?;
    let mut minds: Vec<Box<dyn Searcher<Engine>>> =
        specs.iter().map(|spec| searcher(spec, engine, &game.knowledge)).collect();
    let mut stand = game.start()?;
    let mut played = Played {
        goals: None,
        steps: 0,
        choices: Vec::new(),
        changes: 0,
        legal: BTreeMap::new(),
        made: BTreeSet::new(),
        states: Vec::new(),
    };
    let mut leader = None;
    while !stand.is_over() && played.steps < LONGEST && !stand.legal.iter().any(Vec::is_empty) && !cancel.is_cancelled()
    {
        let mut joint = Vec::new();
        for role in 0..stand.legal.len() {
            let moves = &stand.legal[role];
            moves.iter().for_each(|mv| *played.legal.entry(mv.clone()).or_default() += 1);
            if let [only] = &moves[..] {
                joint.push(only.clone());
                continue;
            }
            let step_seed = seed.wrapping_mul(1009).wrapping_add((played.steps * 16 + role) as u64);
            let (mv, value) = choose(engine, &stand, role, &specs[role], &mut *minds[role], step_seed, cancel)?;
            played.choices.push((played.steps, moves.len()));
            let lead = if role == 0 { value - 50.0 } else { 50.0 - value };
            if stand.legal.len() == 2 && lead.abs() > LEAD {
                played.changes += usize::from(leader.is_some_and(|leader: bool| leader != (lead > 0.0)));
                leader = Some(lead > 0.0);
            }
            joint.push(mv);
        }
        played.made.extend(joint.iter().cloned());
        let next = game.follow(&stand, &joint)?;
        played.states.push((std::mem::replace(&mut stand, next).facts, joint));
        played.steps += 1;
    }
    played.states.push((stand.facts.clone(), Vec::new()));
    played.goals = stand.goals.map(|goals| goals.into_iter().map(|goal| goal.unwrap_or(0)).collect());
    Ok(played)
}

fn choose(
    engine: &Engine,
    stand: &Stand,
    role: usize,
    spec: &PlayerSpec,
    mind: &mut dyn Searcher<Engine>,
    seed: u64,
    cancel: &Cancel,
) -> Result<(String, f32)> {
    let position = Opening::Facts(stand.facts.clone()).open(engine)?;
    let spent = || if cancel.is_cancelled() { 2.0 } else { 0.0 };
    let budget = spec.budget(&spent, seed);
    let found = mind.search(engine, position.state(), Role(role as u8), &budget, &Monitor::new())?;
    let mv = found.mv.map(|mv| engine.move_text(mv)).filter(|mv| stand.legal[role].contains(mv));
    Ok((mv.unwrap_or_else(|| stand.legal[role][0].clone()), found.value))
}

/// Plays games side by side: as many as there are lists of random games for each role.
fn play_all(
    game: &Game,
    wanted: &[Vec<u64>],
    seed: u64,
    cancel: &Cancel,
    tell: &(dyn Fn() + Sync),
) -> Result<Vec<Option<Played>>> {
    let engine = game.strong(cancel);
    let next = AtomicUsize::new(0);
    let slots: Vec<Mutex<Option<Result<Played>>>> = wanted.iter().map(|_| Mutex::new(None)).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(wanted.len().max(1));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= wanted.len() || cancel.is_cancelled() {
                        return;
                    }
                    let played = play(game, &engine, &wanted[at], seed.wrapping_add(at as u64), cancel);
                    // A game that was broken off is none.
                    if !cancel.is_cancelled()
                        && let Ok(mut slot) = slots[at].lock()
                    {
                        *slot = Some(played);
                        tell();
                    }
                }
            });
        }
    });
    slots.into_iter().map(|slot| slot.into_inner().unwrap_or(None).transpose()).collect()
}

/// Measures a game. If it is ended early, the report has what was played until then.
///
/// # Errors
/// When the engine reaches a limit, or no game came to its end.
pub fn measure(game: &Game, settings: Settings, cancel: &Cancel, tell: Tell<'_>) -> Result<Report> {
    let Settings { games, playouts, seed } = settings;
    let roles = game.roles.len();
    let rungs: Vec<(u64, u64)> = match roles {
        2 => [(playouts, playouts / 4), (playouts / 4, playouts / 16)]
            .into_iter()
            .filter(|(_, less)| *less > 0)
            .collect(),
        _ => Vec::new(),
    };
    let (done, all) = (AtomicUsize::new(0), games * (1 + rungs.len()));
    let one = || tell(done.fetch_add(1, Ordering::Relaxed) + 1, all);
    let even = vec![vec![playouts; roles]; games];
    let played: Vec<Played> = play_all(game, &even, seed, cancel, &one)?.into_iter().flatten().collect();
    let ended: Vec<&Played> = played.iter().filter(|game| game.goals.is_some()).collect();
    ensure!(!ended.is_empty(), "no game came to its end within {LONGEST} moves");
    let mut depth = Vec::new();
    for (more, less) in rungs {
        let wanted: Vec<Vec<u64>> =
            (0..games).map(|at| if at % 2 == 0 { vec![more, less] } else { vec![less, more] }).collect();
        let played = play_all(game, &wanted, seed ^ more, cancel, &one)?;
        let scores: Vec<f64> = played
            .iter()
            .enumerate()
            .filter_map(|(at, game)| {
                let goals = game.as_ref()?.goals.as_ref()?;
                let (own, other) = (f64::from(goals[at % 2]), f64::from(goals[1 - at % 2]));
                Some(if own + other > 0.0 { own / (own + other) } else { 0.5 })
            })
            .collect();
        if !scores.is_empty() {
            depth.push(Rung { more, less, score: Share::of(scores.iter().sum(), scores.len()) });
        }
    }
    let mut report = summed(game, playouts, &played, &ended, depth);
    let states: Vec<&unused::Steps> = played.iter().map(|game| &game.states).collect();
    let found = unused::unused(&game.rules, &game.sheet.text, &game.roles, &states, cancel);
    (report.never_used, report.watched) = found.unwrap_or_default();
    report.perft = counted(&game.strong(cancel), cancel)?;
    Ok(report)
}

/// The ways to go on from the start, as deep as is quickly counted.
fn counted(engine: &Engine, cancel: &Cancel) -> Result<Vec<u64>> {
    let mut counts: Vec<u64> = Vec::new();
    for depth in 1..=DEEPEST {
        // Were every position to have as many moves as those before, how many would there be?
        let wide =
            counts.last().map_or(1, |last| last * last / counts.iter().rev().nth(1).copied().unwrap_or(1).max(1));
        let done = counts.last() == Some(&0) || wide > MOST_COUNTED || cancel.is_cancelled();
        if done {
            break;
        }
        let mut more = |nodes: u64| nodes < 20 * MOST_COUNTED && !cancel.is_cancelled();
        match game::perft::perft_from(engine, &game::Game::start(engine), depth, &mut more) {
            Ok(found) => counts = found.iter().skip(1).map(|count| count.nodes).collect(),
            Err(limit) if limit.kind == game::LimitKind::Time => break,
            Err(limit) => return Err(limit.into()),
        }
    }
    counts.retain(|&count| count > 0);
    Ok(counts)
}

fn summed(game: &Game, playouts: u64, played: &[Played], ended: &[&Played], depth: Vec<Rung>) -> Report {
    let count = ended.len();
    let roles = game.roles.len();
    let goals = |of: &&&Played| of.goals.clone().unwrap_or_default();
    let winner = |goals: &[u8]| -> Option<usize> {
        let most = *goals.iter().max()?;
        let best: Vec<usize> = (0..goals.len()).filter(|&at| goals[at] == most).collect();
        match best[..] {
            [only] if goals.len() > 1 || most == 100 => Some(only),
            _ => None,
        }
    };
    let all: Vec<Vec<u8>> = ended.iter().map(|game| goals(&game)).collect();
    let won = |role: usize| all.iter().filter(|goals| winner(goals) == Some(role)).count();
    let steps: Vec<usize> = ended.iter().map(|game| game.steps).collect();
    let mut lengths = BTreeMap::new();
    steps.iter().for_each(|&steps| *lengths.entry(steps).or_insert(0) += 1);
    let every: Vec<(usize, usize)> = played.iter().flat_map(|game| game.choices.iter().copied()).collect();
    let last = every.iter().map(|(step, _)| *step + 1).max().unwrap_or(0);
    let mean = |values: &[usize]| values.iter().sum::<usize>() as f64 / values.len().max(1) as f64;
    let choices = (0..last)
        .map(|at| mean(&every.iter().filter(|(step, _)| *step == at).map(|(_, many)| *many).collect::<Vec<_>>()))
        .collect();
    let many: Vec<usize> = every.iter().map(|(_, many)| *many).collect();
    let mut legal: BTreeMap<&str, usize> = BTreeMap::new();
    for (mv, times) in played.iter().flat_map(|game| &game.legal) {
        *legal.entry(mv).or_default() += times;
    }
    let made: BTreeSet<&str> = played.iter().flat_map(|game| &game.made).map(String::as_str).collect();
    let never_made =
        legal.iter().filter(|(mv, times)| **times >= OFTEN && !made.contains(*mv)).map(|(mv, _)| mv.to_string());
    let changes: Vec<usize> = ended.iter().map(|game| game.changes).collect();
    Report {
        game: game.key.clone(),
        title: game.title.clone(),
        roles: game.roles.clone(),
        playouts,
        games: count,
        cut: played.len() - count,
        goals: (0..roles)
            .map(|role| mean(&all.iter().map(|goals| usize::from(goals[role])).collect::<Vec<_>>()))
            .collect(),
        wins: (0..roles).map(|role| Share::of(won(role) as f64, count)).collect(),
        draws: Share::of(all.iter().filter(|goals| winner(goals).is_none()).count() as f64, count),
        length: (steps.iter().copied().min().unwrap_or(0), mean(&steps), steps.iter().copied().max().unwrap_or(0)),
        lengths,
        choices,
        branching: (mean(&many), many.iter().copied().max().unwrap_or(0)),
        lead_changes: (roles == 2).then(|| mean(&changes)),
        depth,
        never_legal: never_legal(game, &legal),
        never_made: never_made.take(60).collect(),
        never_used: Vec::new(),
        watched: 0,
        perft: Vec::new(),
    }
}

/// Kinds of moves that the rules name and that were never legal.
fn never_legal(game: &Game, legal: &BTreeMap<&str, usize>) -> Vec<String> {
    let symbols = &game.rules.symbols;
    let mut kinds = BTreeSet::new();
    for clause in game.rules.clauses.iter().filter(|clause| clause.head.name == Symbol::LEGAL) {
        match clause.head.args.get(1).map(|term| &term.kind) {
            Some(TermKind::Name(name) | TermKind::Call(name, _)) => kinds.insert(symbols.name(*name).to_string()),
            _ => false,
        };
    }
    let kind = |mv: &str| mv.trim_start_matches('(').split([' ', ')']).next().unwrap_or_default().to_string();
    let seen: BTreeSet<String> = legal.keys().map(|mv| kind(mv)).collect();
    kinds.difference(&seen).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Games;

    #[test]
    fn a_report_is_repeatable_and_says_what_is_known() {
        let game = Games::default().library("tic-tac-toe").unwrap();
        let settings = Settings { games: 6, playouts: 64, seed: 1 };
        let report = || measure(&game, settings, &Cancel::new(), &|_, _| {}).unwrap();
        let (one, two) = (report(), report());
        assert_eq!(serde_json::to_string(&one).unwrap(), serde_json::to_string(&two).unwrap());
        assert_eq!((one.games, one.cut, one.branching.1), (6, 0, 9));
        assert!(one.length.0 >= 5 && one.length.2 <= 9, "{:?}", one.length);
        assert_eq!(one.choices[0], 9.0);
        assert_eq!(one.wins.len(), 2);
        assert_eq!(one.depth.len(), 2);
        assert!(one.never_legal.is_empty());
        assert_eq!(one.perft[..4], [9, 72, 504, 3024]);
        let html = page(&[one, two]);
        assert!(html.contains("Tic-tac-toe") && html.contains("<svg") && !html.contains("<script"), "{html}");
    }

    #[test]
    fn rules_that_nobody_needs_are_told_with_their_lines() {
        let text = "(role p)\n(init (at 0))\n(next-to 0 1)\n(next-to 1 2)\n(<= (legal p go) (true (at 0)))\n(<= (legal p go) (true (at 1)))\n\
                    (<= (legal p (jump 9)) (true (at 9)))\n(<= (next (at ?m)) (does p go) (true (at ?n)) (next-to ?n ?m))\n\
                    (<= (next (at 0)) (does p (jump ?x)))\n(<= terminal (true (at 2)))\n(<= (goal p 100) (true (at 2)))\n(<= (goal p 0) (not (true (at 2))))\n";
        let sheet = library::Sheet::read("steps".into(), text.as_bytes()).unwrap();
        let game = Game::open(sheet, &agent::Resources::default(), &Cancel::new()).unwrap();
        let settings = Settings { games: 2, playouts: 5, seed: 1 };
        let report = measure(&game, settings, &Cancel::new(), &|_, _| {}).unwrap();
        let lines: Vec<&str> = report.never_used.iter().map(|rule| rule.split(':').next().unwrap()).collect();
        assert_eq!(lines, ["line 7", "line 9"], "{:?}", report.never_used);
        assert_eq!((report.never_legal, report.watched), (vec!["jump".to_string()], 6));
        assert_eq!(report.perft, [1, 1]);
    }

    #[test]
    fn an_interruption_is_no_error_where_something_was_played() {
        let game = Games::default().library("nim").unwrap();
        let cancel = Cancel::new();
        cancel.cancel();
        let settings = Settings { games: 2, playouts: 10, seed: 1 };
        assert!(measure(&game, settings, &cancel, &|_, _| {}).is_err(), "nothing was played");
    }
}
