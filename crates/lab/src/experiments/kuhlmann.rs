//! `ludens lab kuhlmann`: one heuristic found in the rules against search to the end without any, in three games, as in
//! the paper on the complete general player (Kuhlmann, Dresner and Stone 2006).
//!
//! The heuristic player has one role, the roles in turn; all others search exhaustively. Both look at the same number of
//! states for a move, so that a busy machine changes nothing. How often each role wins by chance is measured first.
//!
//! With `--fleet` the paper's distributed player is repeated: all heuristics that are found, shared out among many workers of which some search
//! to the end, against the single best heuristic; each worker looks at as many states as the single player.

use crate::args::KuhlmannArgs;
use agent::{EngineCache, EngineChoice, engines};
use anyhow::{Result, ensure};
use game::random::{Player, Rng};
use game::{Cancel, Game, roles};
use gdl::Rules;
use host::journal::Journal;
use host::many;
use host::matches::{Setup, game_url, host, more};
use host::player_thread::PlayerThread;
use host::players::{Players, no_people};
use library::{Sheet, load};
use machine::Engine;
use platform::save;
use play::score::{Tally, wilson};
use play::{Disguise, MatchRecord};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::fmt::Write as _;
use std::sync::Arc;
use terminal::{Answer, Out, Progress, text};

/// A game of the experiment.
struct Contest {
    game: &'static str,
    /// The heuristic of each role.
    heuristics: &'static [&'static str],
    /// How many games by default.
    games: u64,
    /// What the paper found: in words, for the table.
    published: &'static str,
    /// What the paper found by chance.
    published_prior: &'static str,
}

const CONTESTS: [Contest; 3] = [
    Contest {
        game: "nothello",
        heuristics: &["min number of cell black", "min number of cell white"],
        games: 100,
        published: "15 of 15",
        published_prior: "-",
    },
    Contest {
        game: "hallway",
        heuristics: &["max x of cell white", "min x of cell black"],
        games: 100,
        published: "15 of 15",
        published_prior: "20% wins, 60% ties",
    },
    Contest {
        game: "farmers",
        heuristics: &["max amount of money alice", "max amount of money bob", "max amount of money carol"],
        games: 200,
        published: "11 of 25 (14 were needed)",
        published_prior: "35.15% wins",
    },
];

/// The names of the games, for the command line.
pub const GAMES: [&str; 3] = [CONTESTS[0].game, CONTESTS[1].game, CONTESTS[2].game];

/// Seconds that nobody will need: the number of states ends a search.
const PATIENCE: f64 = 600.0;

/// A game that was played.
#[derive(Clone, Serialize, Deserialize)]
pub struct Played {
    game: String,
    number: u64,
    nodes: u64,
    seed: u64,
    /// The role of the heuristic player.
    role: usize,
    goals: Vec<u8>,
    steps: usize,
    /// Moves that had to be replaced.
    faults: usize,
    /// The fleet that had the role, if it was one.
    #[serde(default)]
    fleet: Option<String>,
}

/// The fleet that plays, as it is written.
fn fleet(args: &KuhlmannArgs) -> Option<String> {
    let place = args.fleet.as_ref()?;
    let workers = args.workers;
    let place = if place.is_empty() { format!("threads={workers}") } else { format!("url={place},threads=0") };
    let choose = if args.deepest { ",choose=deepest" } else { "" };
    Some(format!("fleet:crew=heuristics,{place},workers={workers},nodes={}{choose}", args.nodes))
}

/// Wins and ties of a role.
#[derive(Clone, Copy, Default)]
struct Prior {
    games: u64,
    wins: u64,
    ties: u64,
}

/// A game that is ready.
struct Stage {
    contest: &'static Contest,
    sheet: Sheet,
    rules: Rules,
    engine: Engine,
    prior: Prior,
    games: u64,
}

/// Runs the experiment.
pub fn run(args: &KuhlmannArgs, out: Out<'_>) -> Result<Answer> {
    let folder = args.lab.out(if args.fleet.is_some() { "kuhlmann-fleet" } else { "kuhlmann" });
    let own = fleet(args);
    let fits = |played: &Played| (played.nodes, played.seed, &played.fleet) == (args.nodes, args.seed, &own);
    let mut journal = Journal::open(&folder.join("journal.jsonl"), args.lab.keep(), fits)?;
    journal.greet(out)?;
    let cache = Arc::new(EngineCache::default());
    let mut stages = Vec::new();
    for contest in CONTESTS.iter().filter(|c| args.only.is_empty() || args.only.iter().any(|only| only == c.game)) {
        let (sheet, rules) = load(contest.game)?;
        let engine = engines::engine(EngineChoice::Auto, &sheet, &rules)?;
        cache.fill(Disguise::new(&rules, None).rules()).map_err(anyhow::Error::msg)?;
        let prior = ByChance { games: args.priors, seed: args.seed }.run(&engine)?;
        let games = args.games.unwrap_or(contest.games);
        stages.push(Stage { contest, sheet, rules, engine, prior, games });
    }
    let mut players = Players::default();
    players.resources.cache = Some(cache);
    play_all(args, &stages, &players, &mut journal)?;
    let report = report(args, &stages, journal.entries());
    save(&folder.join("report.md"), &report.markdown)?;
    save(&folder.join("results.json"), &format!("{:#}\n", report.json))?;
    write!(out, "{}", report.text)?;
    writeln!(out, "written: {0}/results.json and {0}/report.md", folder.display())?;
    Ok(Answer::Yes)
}

/// Random games: how often the roles win and tie, all roles together.
struct ByChance {
    games: u64,
    seed: u64,
}

impl ByChance {
    fn run(self, game: &machine::Engine) -> Result<Prior> {
        let mut player = Player::new(game);
        let start = game.start();
        let mut prior = Prior::default();
        for number in 0..self.games {
            let mut rng = Rng::new(self.seed.wrapping_mul(1_000_003).wrapping_add(number));
            let playout = player.playout(game, &start, &mut rng, 10_000, &mut |_, _| {})?;
            let goals: Vec<u8> = playout.goals.iter().map(|goal| goal.unwrap_or(0)).collect();
            for role in 0..goals.len() {
                prior.games += 1;
                match outcome(&goals, role) {
                    Outcome::Won => prior.wins += 1,
                    Outcome::Tied => prior.ties += 1,
                    Outcome::Lost => {}
                }
            }
        }
        Ok(prior)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outcome {
    Won,
    Tied,
    Lost,
}

/// All of the goal is a win, half of it a tie.
fn outcome(goals: &[u8], role: usize) -> Outcome {
    match goals[role] {
        100 => Outcome::Won,
        50 => Outcome::Tied,
        _ => Outcome::Lost,
    }
}

fn play_all(args: &KuhlmannArgs, stages: &[Stage], players: &Players, journal: &mut Journal<Played>) -> Result<()> {
    let known = |game: &str, number: u64| {
        journal.entries().iter().any(|played| (played.game.as_str(), played.number) == (game, number))
    };
    // One of each game before the second of any.
    let most = stages.iter().map(|stage| stage.games).max().unwrap_or(0);
    let open: Vec<(&Stage, u64)> = (0..most)
        .flat_map(|number| stages.iter().map(move |stage| (stage, number)))
        .filter(|(stage, number)| *number < stage.games && !known(stage.contest.game, *number))
        .collect();
    let play = |&(stage, number): &(&Stage, u64), broken: &Cancel| {
        One { args, stage, number, players, broken }.run(&stage.engine)
    };
    let mut progress = Progress::new();
    let (mut done, all) = (0, open.len());
    many::play_all(&open, usize::from(args.parallel), play, |played| {
        done += 1;
        progress.fraction(done as f64 / all as f64, |seconds| format!("{done} of {all} games, {seconds:.0} s"));
        journal.add(played)
    })
}

/// One game.
struct One<'a> {
    args: &'a KuhlmannArgs,
    stage: &'a Stage,
    number: u64,
    players: &'a Players,
    broken: &'a Cancel,
}

impl One<'_> {
    fn run(self, game: &machine::Engine) -> Result<Played> {
        let One { args, stage, number, players, broken } = self;
        let role = number as usize % game.roles();
        let seed = args.seed.wrapping_mul(1_000_003).wrapping_add(number);
        let mut seats = Vec::new();
        for seat in 0..game.roles() {
            let single = || format!("alpha-beta:heuristic={},nodes={}", stage.contest.heuristics[seat], args.nodes);
            let text = match (seat == role, fleet(args)) {
                (true, Some(fleet)) => fleet,
                (true, None) | (false, Some(_)) => single(),
                (false, None) => format!("exhaustive:nodes={}", args.nodes),
            };
            let player = players.make(&text.parse()?, seed.wrapping_add(seat as u64), &no_people)?;
            seats.push(Some(PlayerThread::new(text, false, player)?));
        }
        let disguise = Disguise::new(&stage.rules, None);
        let setup = Setup {
            id: format!("kuhlmann.{}.{number}", stage.contest.game),
            disguise: &disguise,
            start: PATIENCE,
            play: PATIENCE,
            seed,
            most: 10_000,
            game: stage.contest.game.to_string(),
            url: game_url(&stage.sheet),
            tournament: None,
            more: more(&stage.sheet, &stage.rules),
        };
        let record = host(game, &setup, &mut seats, &mut |event, _| many::go_on(event, broken))?;
        played(args, stage, number, role, &record, roles(game).count())
    }
}

fn played(
    args: &KuhlmannArgs,
    stage: &Stage,
    number: u64,
    role: usize,
    record: &MatchRecord,
    roles: usize,
) -> Result<Played> {
    let game = stage.contest.game.to_string();
    ensure!(record.goal_values.len() == roles, "{game}, game {number}: not played to the end");
    let faults = record.errors.iter().flatten().filter(|error| !error.is_empty()).count();
    Ok(Played {
        game,
        number,
        nodes: args.nodes,
        seed: args.seed,
        role,
        goals: record.goal_values.clone(),
        steps: record.moves.len(),
        faults,
        fleet: fleet(args),
    })
}

fn percent(value: f64) -> String {
    format!("{:.1}%", 100.0 * value)
}

struct Report {
    text: String,
    markdown: String,
    json: serde_json::Value,
}

fn report(args: &KuhlmannArgs, stages: &[Stage], played: &[Played]) -> Report {
    // The paper has no figures for the distributed player.
    let is_published = args.fleet.is_none();
    let more = if is_published { &["p", "published", "published, by chance"][..] } else { &["points, 95%"] };
    let head = ["game", "games", "won", "tied", "lost", "won, 95%", "by chance"];
    let mut rows = vec![head.iter().chain(more).map(|name| name.to_string()).collect::<Vec<String>>()];
    let mut entries = Vec::new();
    for stage in stages {
        let contest = stage.contest;
        let own = played.iter().filter(|played| played.game == contest.game && played.number < stage.games);
        let (mut tally, mut faults) = (Tally::default(), 0);
        for played in own {
            match outcome(&played.goals, played.role) {
                Outcome::Won => tally.wins += 1,
                Outcome::Tied => tally.draws += 1,
                Outcome::Lost => tally.losses += 1,
            }
            faults += played.faults;
        }
        let games = tally.games();
        let share = |part: u64, all: u64| part as f64 / all.max(1) as f64;
        let chance = share(stage.prior.wins, stage.prior.games);
        let interval = |rate: f64| {
            let (low, high) = wilson(rate, games);
            format!("{} ({}–{})", percent(rate), percent(low), percent(high))
        };
        let (low, high) = wilson(share(tally.wins, games), games);
        let p = at_least(games, tally.wins, chance);
        let ties = share(stage.prior.ties, stage.prior.games);
        let mut row = vec![
            contest.game.to_string(),
            games.to_string(),
            tally.wins.to_string(),
            tally.draws.to_string(),
            tally.losses.to_string(),
            interval(share(tally.wins, games)),
            format!("{} wins, {} ties", percent(chance), percent(ties)),
        ];
        if is_published {
            row.push(if p < 0.0001 { "< 0.0001".to_string() } else { format!("{p:.4}") });
            row.extend([contest.published, contest.published_prior].map(String::from));
        } else {
            row.push(interval(tally.rate()));
        }
        rows.push(row);
        entries.push(json!({
            "game": contest.game, "heuristics": contest.heuristics, "games": games, "won": tally.wins, "tied": tally.draws,
            "lost": tally.losses, "low": low, "high": high, "p": p, "faults": faults, "published": contest.published,
            "chance": { "matches": args.priors, "won": chance, "tied": ties, "published": contest.published_prior },
        }));
    }
    let told = match fleet(args) {
        None => "One heuristic with alpha-beta against search to the end".to_string(),
        Some(fleet) => format!("All heuristics on many workers ({fleet}) against the single best one"),
    };
    let told = format!(
        "{told}, {} states a move for everybody; by chance: {} random matches, all roles together; {}.",
        args.nodes,
        args.priors,
        if is_published {
            "p: the chance of as many wins with the rate of random play"
        } else {
            "a tie is half a point"
        }
    );
    let title = if args.fleet.is_some() {
        "Many heuristics on many workers against one"
    } else {
        "One heuristic against exhaustive search"
    };
    let mut markdown = format!("# {title}\n\n{told}\n\n");
    for (at, row) in rows.iter().enumerate() {
        let _ = writeln!(markdown, "| {} |", row.join(" | "));
        if at == 0 {
            let _ = writeln!(markdown, "|{}", "---|".repeat(row.len()));
        }
    }
    Report {
        text: format!("{told}\n\n{}\n", text::aligned(&rows)),
        markdown,
        json: json!({ "nodes": args.nodes, "seed": args.seed, "games": entries }),
    }
}

/// The chance of at least `wins` wins in so many games, each won with the chance `rate`.
fn at_least(games: u64, wins: u64, rate: f64) -> f64 {
    if wins == 0 || rate >= 1.0 {
        return 1.0;
    }
    if rate <= 0.0 {
        return 0.0;
    }
    // In logarithms, since the single terms are tiny.
    let mut log_choose = 0.0;
    let mut sum = 0.0;
    for k in 0..=games {
        if k > 0 {
            log_choose += ((games - k + 1) as f64).ln() - (k as f64).ln();
        }
        if k >= wins {
            sum += (log_choose + k as f64 * rate.ln() + (games - k) as f64 * (1.0 - rate).ln()).exp();
        }
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_of_the_binomial() {
        assert!((at_least(2, 1, 0.5) - 0.75).abs() < 1e-12);
        assert!((at_least(25, 14, 0.3515) - 0.026444).abs() < 1e-6, "{}", at_least(25, 14, 0.3515));
        assert_eq!(at_least(10, 0, 0.3), 1.0);
        assert_eq!(at_least(10, 3, 0.0), 0.0);
    }

    #[test]
    fn heuristics_are_found_in_the_rules() {
        for contest in &CONTESTS {
            let (_, rules) = load(contest.game).expect("a game of the library");
            let game = machine::Prover::new(&rules).expect("it loads");
            let plan = study::Plan { learn: false, ..study::Plan::states(60) };
            let study = study::Study::run(&rules, &game, plan);
            for (role, wanted) in roles(&game).zip(contest.heuristics) {
                let names: Vec<String> = study.evaluators(&game, role).into_iter().map(|named| named.name).collect();
                assert!(names.iter().any(|name| name == wanted), "{}: {wanted:?} not in {names:?}", contest.game);
            }
        }
    }
}
