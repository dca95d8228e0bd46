//! `ludens lab choice`: what the default player chooses in many short start clocks, and whether that is ever worse than UCT.

use crate::args::{MatchesArgs, seconds};
use crate::experiments::gauntlet::{GAMES, MOST, decided};
use agent::searcher::{Knowledge, searcher};
use agent::spec::{AlphaBetaSpec, Method, UctSpec};
use agent::{EngineChoice, Events, PlayerSpec, engines};
use anyhow::{Context, Result};
use clap::Args;
use game::{Game, Role};
use host::Players;
use host::tournament::{Place, Plan, play_some_at};
use library::Sheet;
use platform::save;
use play::score::Tally;
use search::Budget;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use terminal::{Answer, Out};

/// Arguments of `lab choice`.
#[derive(Args)]
pub struct ChoiceArgs {
    /// Only these games, or others [default: the twenty of the gauntlet]
    pub only: Vec<String>,
    /// Start clocks of each game
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub starts: u64,
    /// Seconds of a start clock
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0, value_parser = seconds)]
    pub start: f64,
    /// Seconds for each move of the matches
    #[arg(long, value_name = "SECONDS", default_value_t = 0.1, value_parser = seconds)]
    pub play: f64,
    /// Matches of each choice against UCT at most, half of them with the roles changed; fewer where it is decided
    #[arg(short = 'n', long = "games", value_name = "N", default_value_t = 20)]
    pub rounds: usize,
    /// Seed and folder.
    #[command(flatten)]
    pub matches: MatchesArgs,
}

/// Below the help of the command.
pub const CHOICE_HELP: &str = "\
The default player, on one thread and without tables, gets ready for each game several times, in each role and with other seeds; what it chose is listed. Whatever is \
not plain UCT on the lanes then plays against that, both with one thread, until it is decided beyond doubt which is better (as in `lab gauntlet --until-decided`) or N matches \
are over. Exit status 1 if a choice is worse beyond doubt. Writes starts.jsonl, choices.json and report.md, and the matches in a folder for each choice.

Examples:
  ludens lab choice
  ludens lab choice hex othello --starts 4 --start 5 -n 40";

/// One start clock.
#[derive(Serialize)]
struct Start {
    game: String,
    role: usize,
    seed: u64,
    /// The player that would search in the chosen way; `uct` where nothing else was chosen.
    choice: String,
    /// What is said about it.
    why: String,
}

/// How one choice did against UCT.
#[derive(Serialize)]
struct Tried {
    game: String,
    choice: String,
    /// How many start clocks came to it.
    starts: usize,
    won: u64,
    drawn: u64,
    lost: u64,
    /// `better`, `worse`, or `open`.
    verdict: &'static str,
}

/// Runs the command.
pub fn run(args: &ChoiceArgs, interrupt: &platform::Interrupt, out: Out<'_>) -> Result<Answer> {
    let folder = args.matches.out("choice");
    let games = if args.only.is_empty() { GAMES.map(String::from).to_vec() } else { args.only.clone() };
    let mut shown = terminal::Progress::new();
    let mut starts = Vec::new();
    for (number, name) in games.iter().enumerate() {
        for start in 0..args.starts {
            if interrupt.is_interrupted() {
                return Err(platform::Interrupted(format!("{} start clocks were spent", starts.len())).into());
            }
            let all = games.len() as f64 * args.starts as f64;
            let done = number as f64 * args.starts as f64 + start as f64;
            shown.fraction(done / all, |seconds| format!("{done} of {all} start clocks, {seconds:.0} s"));
            starts.push(spend(name, args.matches.seed + start, args.start).with_context(|| format!("{name} failed"))?);
        }
    }
    let lines = starts.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
    save(&folder.join("starts.jsonl"), &format!("{}\n", lines.join("\n")))?;
    let mut choices: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for start in starts.iter().filter(|start| start.choice != UCT) {
        *choices.entry((&start.game, &start.choice)).or_default() += 1;
    }
    let mut tried = Vec::new();
    for (number, (&(game, choice), &count)) in choices.iter().enumerate() {
        shown.at(|seconds| format!("choice {} of {}: {choice} in {game}, {seconds:.0} s", number + 1, choices.len()));
        let (tally, verdict) = against_uct(args, game, choice, &folder, interrupt)?;
        let Tally { wins: won, draws: drawn, losses: lost, .. } = tally;
        tried.push(Tried { game: game.into(), choice: choice.into(), starts: count, won, drawn, lost, verdict });
    }
    drop(shown);
    save(&folder.join("choices.json"), &format!("{}\n", serde_json::to_string_pretty(&tried)?))?;
    let text = report(&starts, &tried, &games);
    write!(out, "{text}")?;
    let head = format!(
        "# What is chosen in a start clock, against UCT\n\n{} start clocks of {} s for each game, {} s a move, at most {} matches of each choice, one thread each.\n\n",
        args.starts, args.start, args.play, args.rounds
    );
    save(&folder.join("report.md"), &format!("{head}```\n{text}```\n"))?;
    Ok(if tried.iter().any(|tried| tried.verdict == "worse") { Answer::No } else { Answer::Yes })
}

/// The player that everything is held against.
const UCT: &str = "uct";

/// Gets ready once.
fn spend(name: &str, seed: u64, length: f64) -> Result<Start> {
    let sheet = Sheet::find(name)?;
    let rules = sheet.rules()?;
    let engine = engines::engine(EngineChoice::Auto, &sheet, &rules)?;
    let spec: PlayerSpec = "portfolio:tables=false,threads=1".parse()?;
    let knowledge = Arc::new(Knowledge::new(&Arc::new(rules), None, &Events::ignored()));
    let mut player = searcher(&spec, &engine, &knowledge);
    let role = seed as usize % engine.roles();
    let began = Instant::now();
    let spent = || began.elapsed().as_secs_f32() / length as f32;
    let budget = Budget { seconds: Some(length as f32), ..spec.budget(&spent, seed) };
    player.prepare(&engine, &engine.start(), Role(role as u8), &budget)?;
    let choice = player.chosen().map_or(UCT.to_string(), |(method, names)| written(&method, &names));
    let why = player.about().unwrap_or_default();
    Ok(Start { game: name.to_string(), role, seed, choice, why })
}

/// A way of searching as people write the player that does it.
fn written(method: &search::Method, names: &[String]) -> String {
    let name = |which: &Option<usize>| which.and_then(|which| names.get(which).cloned());
    let method = match method {
        search::Method::Uct { settings, evaluator } => Method::Uct(UctSpec {
            bias: settings.playout_bias,
            cut: settings.cut,
            grave: settings.grave,
            heuristic: name(evaluator),
            ..UctSpec::default()
        }),
        search::Method::AlphaBeta { evaluator, .. } => {
            Method::AlphaBeta(AlphaBetaSpec { heuristic: name(evaluator), ..AlphaBetaSpec::default() })
        }
        _ => return method.words(names),
    };
    PlayerSpec::of(method).to_string()
}

/// Matches of a choice against UCT until it is decided which is better, or enough were played.
fn against_uct(
    args: &ChoiceArgs,
    game: &str,
    choice: &str,
    folder: &Path,
    interrupt: &platform::Interrupt,
) -> Result<(Tally, &'static str)> {
    let plain = |c: char| if c.is_alphanumeric() { c } else { '-' };
    let own = folder.join("matches").join(format!("{game}-{}", choice.chars().map(plain).collect::<String>()));
    let mut plan = Plan {
        games: vec![game.to_string()],
        players: vec![choice.to_string(), UCT.to_string()],
        rounds: args.rounds.min(2),
        gauntlet: true,
        start: args.start,
        play: args.play,
        parallel: 1,
        scramble: false,
        seed: args.matches.seed,
        most: MOST,
        out: Some(own),
        records: false,
        fresh: args.matches.fresh,
    };
    loop {
        let (standings, missing) =
            play_some_at(&Place::Here, &plan, &Players::default(), &interrupt.cancel(), &mut |_| Ok(()))?;
        if let Some(missing) = missing {
            return Err(missing.into());
        }
        let tally = standings.tally(0);
        let verdict = decided(&tally, 0.5);
        if plan.rounds >= args.rounds || verdict.is_some() {
            let word = match verdict {
                Some(true) => "better",
                Some(false) => "worse",
                None => "open",
            };
            return Ok((tally, word));
        }
        (plan.rounds, plan.fresh) = ((plan.rounds + 2).min(args.rounds), false);
    }
}

/// What came of it, for people.
fn report(starts: &[Start], tried: &[Tried], games: &[String]) -> String {
    let mut text = String::new();
    for game in games {
        let own = || starts.iter().filter(|start| start.game == *game);
        let usual = own().filter(|start| start.choice == UCT).count();
        let _ = writeln!(text, "{game:<22} {usual:>3} of {} start clocks: UCT", own().count());
        for tried in tried.iter().filter(|tried| tried.game == *game) {
            let Tried { choice, starts, won, drawn, lost, verdict, .. } = tried;
            let _ =
                writeln!(text, "{:<22} {starts:>3} {choice}: won {won}, drawn {drawn}, lost {lost} ({verdict})", "");
        }
    }
    let count = |verdict: &str| tried.iter().filter(|tried| tried.verdict == verdict).count();
    let other = starts.iter().filter(|start| start.choice != UCT).count();
    let _ = writeln!(
        text,
        "\n{} start clocks, {other} of them with another choice than UCT; of {} such choices {} better beyond doubt, {} worse, {} open",
        starts.len(),
        tried.len(),
        count("better"),
        count("worse"),
        count("open")
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_that_is_worse_is_noticed() {
        let folder = std::env::temp_dir().join(format!("ludens-choice-{}", std::process::id()));
        let args = ChoiceArgs {
            only: Vec::new(),
            starts: 1,
            start: 0.05,
            play: 0.05,
            rounds: 40,
            matches: MatchesArgs { seed: 1, out: None, fresh: true },
        };
        let found = against_uct(&args, "nim", "legal", &folder, &platform::Interrupt::default()).expect("it is played");
        assert_eq!(found.1, "worse", "{:?}", found.0);
        assert!(found.0.games() < 40);
        std::fs::remove_dir_all(&folder).expect("it was written");
    }

    #[test]
    fn what_was_chosen_can_be_written_as_a_player() {
        let names = ["max mobility".to_string(), "learned".to_string()];
        let usual = search::UctSettings::default();
        assert_eq!(written(&search::Method::uct(), &names), UCT);
        let ways = [
            search::Method::alpha_beta(Some(0)),
            search::Method::Uct { settings: search::UctSettings { cut: Some(6), ..usual }, evaluator: Some(1) },
            search::Method::Uct { settings: search::UctSettings { playout_bias: 10, ..usual }, evaluator: None },
            search::Method::Uct { settings: search::UctSettings { grave: Some(20), ..usual }, evaluator: None },
        ];
        for way in ways {
            let text = written(&way, &names);
            let spec: PlayerSpec = text.parse().expect(&text);
            assert_eq!(spec.to_string(), text);
            assert_ne!(text, UCT);
        }
    }
}
