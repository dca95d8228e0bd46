//! `ludens lab late`: thousands of moves with short clocks, and how many of them took longer.

use crate::args::{MatchesArgs, seconds};
use crate::experiments::gauntlet::{GAMES, MOST};
use anyhow::{Context, Result, anyhow, ensure};
use clap::Args;
use host::Players;
use host::tournament::{Place, Plan, play_some_at};
use platform::save;
use play::MatchRecord;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;
use terminal::{Answer, Out};

/// Arguments of `lab late`.
#[derive(Args)]
pub struct LateArgs {
    /// Only these games, or others [default: the twenty of the gauntlet]
    pub only: Vec<String>,
    /// Joint moves to be made, at least; each is an answer of every role
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub moves: u64,
    /// Seconds before the first move
    #[arg(long, value_name = "SECONDS", default_value_t = 0.5, value_parser = seconds)]
    pub start: f64,
    /// Seconds for each move
    #[arg(long, value_name = "SECONDS", default_value_t = 0.1, value_parser = seconds)]
    pub play: f64,
    /// Who is to be in time
    #[arg(long, value_name = "PLAYER", default_value = "portfolio:tables=false")]
    pub player: String,
    /// Against whom
    #[arg(long, value_name = "PLAYER", default_value = "uct")]
    pub opponent: String,
    /// Seed and folder.
    #[command(flatten)]
    pub matches: MatchesArgs,
}

/// Below the help of the command.
pub const LATE_HELP: &str = "\
Whole matches, one after the other and roles changed every second time, over all games until there are enough moves. `over` are joint moves that took longer than the clock, \
whoever took so long, with all that the referee does for a step; `late` are answers that were not there a second after the clock either, when managers give up. Exit status 1 if there is one of them, or an answer that was illegal or missing. An \
interrupted run goes on where it ended. Writes the records of the matches, games.jsonl and report.md, in a folder of its own for each pair of players, clocks and seed.

Examples:
  ludens lab late
  ludens lab late --moves 500 --play 0.2 connect-four-small tic-tac-toe";

/// What was counted in one game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
struct Count {
    matches: u64,
    moves: u64,
    answers: u64,
    /// Joint moves that took longer than the clock.
    over: u64,
    /// Answers that were not there when the manager gave up, a second after the clock.
    late: u64,
    /// Illegal, missing or not understood.
    other: u64,
}

impl Count {
    fn add(&mut self, more: &Count) {
        self.matches += more.matches;
        self.moves += more.moves;
        self.answers += more.answers;
        self.over += more.over;
        self.late += more.late;
        self.other += more.other;
    }

    /// What the record of a match with these clocks tells. Nobody has written down when the first move was asked for: it has both.
    fn of(record: &MatchRecord, start: f64, play: f64) -> Count {
        let times = record.state_times.windows(2).map(|pair| pair[1].saturating_sub(pair[0]) as f64 / 1000.0);
        let clocks = std::iter::once(start + play).chain(std::iter::repeat(play));
        let over = times.zip(clocks).filter(|(time, clock)| time > clock).count() as u64;
        let errors = || record.errors.iter().flatten().filter(|error| !error.is_empty());
        let late = errors().filter(|error| error.starts_with("TO")).count() as u64;
        Count {
            matches: 1,
            moves: record.moves.len() as u64,
            answers: record.moves.iter().map(Vec::len).sum::<usize>() as u64,
            over,
            late,
            other: errors().count() as u64 - late,
        }
    }
}

/// Runs the command.
pub fn run(args: &LateArgs, interrupt: &platform::Interrupt, out: Out<'_>) -> Result<Answer> {
    // Records are counted by folder, so whatever else is played has another one.
    let own = [args.player.as_str(), &args.opponent, &args.start.to_string(), &args.play.to_string()];
    let folder = args.matches.out("late").join(plain(&format!("{} {}", own.join(" "), args.matches.seed)));
    if args.matches.fresh && folder.exists() {
        std::fs::remove_dir_all(&folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    let games = if args.only.is_empty() { GAMES.map(String::from).to_vec() } else { args.only.clone() };
    let mut shown = terminal::Progress::new();
    let mut counts: Vec<Count> = Vec::new();
    let made = |counts: &[Count]| counts.iter().map(|count| count.moves).sum::<u64>();
    let mut rounds = 0;
    while made(&counts) < args.moves {
        rounds += 2;
        // A game at a time, so that it can end soon after there are enough.
        for only in 0..games.len() {
            let plan = Plan {
                games: vec![games[only].clone()],
                players: vec![args.player.clone(), args.opponent.clone()],
                rounds,
                gauntlet: true,
                start: args.start,
                play: args.play,
                parallel: 1,
                scramble: false,
                seed: args.matches.seed,
                most: MOST,
                out: Some(folder.join(plain(&games[only]))),
                records: true,
                fresh: false,
            };
            let (_, missing) =
                play_some_at(&Place::Here, &plan, &Players::default(), &interrupt.cancel(), &mut |_| Ok(()))?;
            if let Some(missing) = missing {
                return Err(missing.into());
            }
            let count = counted(&folder.join(plain(&games[only])).join("matches"), args.start, args.play)?;
            ensure!(count.moves > 0, "{}: no moves were made", games[only]);
            counts.resize(counts.len().max(only + 1), Count::default());
            counts[only] = count;
            let done = made(&counts);
            shown.fraction(done as f64 / args.moves as f64, |seconds| {
                format!("{done} of {} moves, {seconds:.0} s", args.moves)
            });
            if done >= args.moves {
                break;
            }
        }
    }
    drop(shown);
    let text = report(&games, &counts);
    write!(out, "{text}")?;
    let Count { over, late, other, .. } = all(&counts);
    let head = format!(
        "# Are moves in time?\n\n{} against {}, {} s before the first move and {} s for each.\n\n",
        args.player, args.opponent, args.start, args.play
    );
    save(&folder.join("report.md"), &format!("{head}```\n{text}```\n"))?;
    Ok(if over + late + other == 0 { Answer::Yes } else { Answer::No })
}

/// The name of a folder for a game, which may be a path, or for players.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect()
}

fn all(counts: &[Count]) -> Count {
    let mut sum = Count::default();
    counts.iter().for_each(|count| sum.add(count));
    sum
}

/// What the records of a folder tell.
fn counted(folder: &Path, start: f64, play: f64) -> Result<Count> {
    let mut sum = Count::default();
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let record =
            MatchRecord::read(&text).map_err(|problems| anyhow!("{}: {}", path.display(), problems.join("; ")))?;
        sum.add(&Count::of(&record, start, play));
    }
    Ok(sum)
}

/// What came of it, for people.
fn report(games: &[String], counts: &[Count]) -> String {
    let mut text = format!(
        "{:<22} {:>7} {:>7} {:>7} {:>5} {:>5} {:>5}\n",
        "game", "matches", "moves", "answers", "over", "late", "other"
    );
    let total = ("all".to_string(), all(counts));
    for (name, count) in games.iter().cloned().zip(counts.iter().cloned()).chain([total]) {
        let Count { matches, moves, answers, over, late, other } = count;
        let _ = writeln!(text, "{name:<22} {matches:>7} {moves:>7} {answers:>7} {over:>5} {late:>5} {other:>5}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_always_in_time_is_told_from_who_is_not() {
        let folder = std::env::temp_dir().join(format!("ludens-late-{}", std::process::id()));
        let args = LateArgs {
            only: vec!["tic-tac-toe".to_string()],
            moves: 20,
            start: 0.5,
            play: 0.5,
            player: "legal".to_string(),
            opponent: "random".to_string(),
            matches: MatchesArgs { seed: 1, out: Some(folder.clone()), fresh: true },
        };
        let mut out = Vec::new();
        let answer = run(&args, &platform::Interrupt::default(), &mut out).expect("it is played");
        let text = String::from_utf8(out).expect("text");
        assert!(matches!(answer, Answer::Yes), "{text}");
        let counts = counted(&folder.join("legal-random-0-5-0-5-1/tic-tac-toe/matches"), 0.5, 0.5).expect("records");
        assert!(
            counts.moves >= 20 && counts.answers == 2 * counts.moves && counts.over + counts.late + counts.other == 0,
            "{text}"
        );
        std::fs::remove_dir_all(&folder).expect("it was written");
    }

    #[test]
    fn errors_of_a_record_are_told_apart() {
        let text = r#"{"matchId": "m", "startTime": 1, "randomToken": "aaaaaaaaaaaaaaaa", "startClock": 1, "playClock": 1,
            "states": ["()", "()", "()"], "moves": [["a", "b"], ["c", "d"]], "stateTimes": [1000, 3400, 4500],
            "errors": [["", ""], ["TO", ""], ["IL (x)", "TO"]]}"#;
        let record: MatchRecord = serde_json::from_str(text).expect("a record");
        // The first joint move had 2.5 seconds, the second one.
        let count = Count { matches: 1, moves: 2, answers: 4, over: 1, late: 2, other: 1 };
        assert_eq!(Count::of(&record, 1.5, 1.0), count);
    }
}
