//! `ludens lab gauntlet`: the default player against plain UCT, UCT on the lanes, random play or anybody else, on games of the library for two.

mod older;

use crate::args::{MatchesArgs, seconds};
use anyhow::Result;
use clap::{Args, ValueEnum};
use host::Players;
use host::tournament::{Place, Plan, Progress, play_some_at};
use platform::save;
use play::score::Tally;
use std::path::PathBuf;
use terminal::{Answer, Out};

/// The games, unless some are named.
pub(crate) const GAMES: [&str; 20] = [
    "amazons-small",
    "atari-go",
    "bidding-tic-tac-toe",
    "breakthrough",
    "breakthrough-small",
    "checkers",
    "connect-four",
    "connect-four-small",
    "dots-and-boxes",
    "hallway",
    "hex",
    "kalah",
    "knightthrough",
    "lines-of-action",
    "nine-mens-morris",
    "nothello",
    "othello",
    "pentago",
    "sheep-and-wolf",
    "tron",
];

/// A match that goes on for so long is given up, and counts as a draw.
pub(crate) const MOST: usize = 200;

/// Who is to be beaten.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Against {
    /// Textbook UCT, as many threads as the default player
    PlainUct,
    /// UCT alone with its random games on the lanes, as many threads: as quick, but nothing is measured and nothing solved
    LanesUct,
    /// Any legal move
    Random,
}

/// What sequential tests may be wrong with, one way or the other: a fortune that luck alone reaches once in forty times.
const FORTUNE: f64 = 40.0;

/// Whether matches have decided that a player gets more than this share of the points (`true`) or less (`false`), however often somebody
/// looks. Each result is a bet at odds that are fair if the share is exactly `aim`; whoever multiplies a stake by forty was right.
pub fn decided(tally: &Tally, aim: f64) -> Option<bool> {
    // Several stakes at once, from careful to bold; all results count the same, so their order does not matter.
    let fortune = |aim: f64, won: u64, lost: u64| {
        let stakes = [0.1, 0.25, 0.5, 0.75, 0.9];
        let grown = |share: f64| {
            let stake = share / aim;
            let log = |result: f64, times: u64| times as f64 * (1.0 + stake * (result - aim)).ln();
            (log(1.0, won) + log(0.5, tally.draws) + log(0.0, lost)).exp()
        };
        stakes.into_iter().map(grown).sum::<f64>() / stakes.len() as f64
    };
    if fortune(aim, tally.wins, tally.losses) >= FORTUNE {
        return Some(true);
    }
    (fortune(1.0 - aim, tally.losses, tally.wins) >= FORTUNE).then_some(false)
}

impl Against {
    fn player(self) -> String {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        match self {
            Against::PlainUct => format!("uct:plain=true,threads={threads}"),
            Against::LanesUct => format!("uct:threads={threads}"),
            Against::Random => "random".to_string(),
        }
    }

    /// The points that we are out for: in all, and in every game.
    fn aim(self) -> (f64, f64) {
        match self {
            Against::PlainUct => (0.6, 0.4),
            Against::LanesUct => (0.5, 0.4),
            Against::Random => (0.99, 0.99),
        }
    }
}

/// Arguments of `lab gauntlet`.
#[derive(Args)]
pub struct GauntletArgs {
    /// Only these games, or others [default: twenty of the library]
    pub only: Vec<String>,
    /// Who is to be beaten
    #[arg(long, value_enum, default_value_t = Against::PlainUct)]
    pub against: Against,
    /// Anybody else instead, such as another version of the program (`ludens player`) at http://HOST:PORT; out for half of the points
    #[arg(long, value_name = "PLAYER", conflicts_with = "against")]
    pub opponent: Option<String>,
    /// Another build of this program instead, which is started for it (`PROGRAM player`); out for half of the points
    #[arg(long, value_name = "PROGRAM", conflicts_with_all = ["against", "opponent", "fleet"])]
    pub older: Option<PathBuf>,
    /// Stop as soon as it is decided beyond doubt whether the points are more or less than we are out for, looking after every two matches of
    /// each game; N is then the most
    #[arg(long)]
    pub until_decided: bool,
    /// Matches of each game, half of them with the roles changed
    #[arg(short = 'n', long = "games", value_name = "N", default_value_t = 2)]
    pub rounds: usize,
    /// Seconds before the first move
    #[arg(long, value_name = "SECONDS", default_value_t = 3.0, value_parser = seconds)]
    pub start: f64,
    /// Seconds for each move
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = seconds)]
    pub play: f64,
    /// Let the workers of a fleet play (`ludens worker`): nats://HOST:4222 or tls://HOST:4222
    #[arg(long, value_name = "URL")]
    pub fleet: Option<String>,
    /// Seed and folder.
    #[command(flatten)]
    pub matches: MatchesArgs,
}

/// Below the help of the command.
pub const GAUNTLET_HELP: &str = "\
One match at a time, because both players use all processors; with --fleet as many as there are workers, of the same version. Exit status 1 if the default player has fewer points than \
we are out for: against plain UCT 60% in all and 40% in every game, against UCT on the lanes or anybody else 50% and 40%, against random play 99%. With --until-decided the error is \
at most 2.5% each way, whenever it stops. Elo, with its interval, is among the standings. Writes games.jsonl, \
standings.json, standings.csv and report.md. An interrupted run goes on where it ended.

Examples:
  ludens lab gauntlet
  ludens lab gauntlet --against random --play 0.2
  ludens lab gauntlet tron hex -n 10 --play 0.1
  ludens lab gauntlet --against lanes-uct --until-decided -n 20
  ludens lab gauntlet --opponent http://localhost:9147 -n 10
  ludens lab gauntlet --older ../older/target/release/ludens --until-decided -n 20";

/// Runs the command.
pub fn run(args: &GauntletArgs, interrupt: &platform::Interrupt, out: Out<'_>) -> Result<Answer> {
    let folder = args.matches.out("gauntlet");
    let games = if args.only.is_empty() { GAMES.map(String::from).to_vec() } else { args.only.clone() };
    // Searching is what is tried, and not what happens to be in the folder of tables.
    let own = format!("{}:tables=false", agent::spec::DEFAULT);
    let older = args.older.as_ref().map(|program| older::start(program, &own, interrupt)).transpose()?;
    let named = args.opponent.clone().or_else(|| older.as_ref().map(|older| older.url.clone()));
    let (aim, least) = if named.is_some() { (0.5, 0.4) } else { args.against.aim() };
    let opponent = named.unwrap_or_else(|| args.against.player());
    let mut plan = Plan {
        games,
        players: vec![own, opponent.clone()],
        rounds: if args.until_decided { args.rounds.min(2) } else { args.rounds },
        gauntlet: true,
        start: args.start,
        play: args.play,
        parallel: 1,
        scramble: false,
        seed: args.matches.seed,
        most: MOST,
        out: Some(folder.clone()),
        records: false,
        fresh: args.matches.fresh,
    };
    let mut shown = terminal::Progress::new();
    let queue = args.fleet.as_deref().map(fleet::queue::Queue::at).transpose()?;
    let place = queue.as_ref().map_or(Place::Here, Place::Fleet);
    // What this run has played itself is nothing to tell of.
    let mut told = false;
    let mut tell = |progress: Progress| {
        told |= matches!(progress, Progress::Games { .. });
        match progress {
            Progress::GoingOn { played, .. } if !told => {
                told = true;
                writeln!(out, "going on with {played} games played before (`--fresh` begins anew)")?;
            }
            Progress::Games { done, of } => {
                shown.fraction(done as f64 / of as f64, |seconds| format!("{done} of {of} games, {seconds:.0} s"));
            }
            Progress::Fleet { waiting, at_work, workers } => {
                shown.at(|seconds| {
                    format!("{workers} workers so far, {at_work} games at hand, {waiting} waiting, {seconds:.0} s")
                });
            }
            Progress::GoingOn { .. } | Progress::Saved { .. } => {}
        }
        Ok(())
    };
    let mut verdict_of_test = None;
    let standings = loop {
        let (standings, missing) = play_some_at(&place, &plan, &Players::default(), &interrupt.cancel(), &mut tell)?;
        if let Some(missing) = missing {
            return Err(missing.into());
        }
        verdict_of_test = verdict_of_test.or_else(|| decided(&standings.tally(0), aim));
        if plan.rounds >= args.rounds || verdict_of_test.is_some() {
            break standings;
        }
        (plan.rounds, plan.fresh) = ((plan.rounds + 2).min(args.rounds), false);
    };
    drop(shown);
    let text = standings.text();
    write!(out, "{text}")?;
    let (all, games) = standings.points(0);
    let below: Vec<String> = games
        .iter()
        .filter(|(_, points)| *points < least)
        .map(|(game, points)| format!("{game} {:.0}%", 100.0 * points))
        .collect();
    let verdict = format!(
        "{:.1}% of the points, out for {:.0}%; games below {:.0}%: {}",
        100.0 * all,
        100.0 * aim,
        100.0 * least,
        if below.is_empty() { "none".to_string() } else { below.join(", ") }
    );
    let test = match verdict_of_test {
        _ if !args.until_decided => String::new(),
        Some(more) => {
            format!(
                "; decided after {} matches: {} than that",
                standings.tally(0).games(),
                if more { "more" } else { "less" }
            )
        }
        None => format!("; not decided after {} matches", standings.tally(0).games()),
    };
    let verdict = verdict + &test;
    writeln!(out, "\n{verdict}")?;
    let report = format!(
        "# The default player against {}\n\n{} s before the first move, {} s a move, {} matches of each game.\n\n```\n{text}```\n\n{verdict}\n",
        args.older.as_ref().map_or(opponent, |older| older.display().to_string()),
        args.start,
        args.play,
        plan.rounds
    );
    let path = folder.join("report.md");
    save(&path, &report)?;
    Ok(if all >= aim && below.is_empty() { Answer::Yes } else { Answer::No })
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::random::Rng;

    fn tally(wins: u64, draws: u64, losses: u64) -> Tally {
        Tally { wins, draws, losses, goals: 0.0 }
    }

    #[test]
    fn what_is_clear_is_decided_and_what_is_not_is_left_open() {
        assert_eq!(decided(&tally(0, 0, 0), 0.5), None);
        assert_eq!(decided(&tally(12, 0, 0), 0.5), Some(true));
        assert_eq!(decided(&tally(0, 0, 12), 0.5), Some(false));
        assert_eq!(decided(&tally(20, 60, 20), 0.5), None);
        assert_eq!(decided(&tally(60, 0, 40), 0.7), None);
        assert_eq!(decided(&tally(90, 0, 310), 0.7), Some(false));
    }

    #[test]
    fn luck_rarely_decides_however_often_one_looks() {
        let mut rng = Rng::new(7);
        let wrong = (0..1000).filter(|_| {
            let mut seen = tally(0, 0, 0);
            (0..200).any(|_| {
                match rng.below(4) {
                    0 => seen.wins += 1,
                    1 => seen.losses += 1,
                    _ => seen.draws += 1,
                }
                decided(&seen, 0.5).is_some()
            })
        });
        let wrong = wrong.count();
        assert!(wrong <= 50, "{wrong} of 1000");
    }
}
