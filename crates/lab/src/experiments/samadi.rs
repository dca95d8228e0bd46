//! `ludens lab samadi`: evaluations made of lookups in small tables against a baseline, as in the paper on abstraction (Samadi et
//! al. 2008), Chinese checkers with ten pieces a side (and `chess`, endings of chess).
//!
//! Both players search with all moves to the same depth; openings are played from both sides. Every game that is over is in the journal.

mod bout;
mod chess;
mod climb;
mod learn;
mod remote;
mod report;
mod tables;

pub use bout::{Mind, Stage};
pub use learn::NAMES as LEARNABLE;
pub use remote::{KIND, Remote};
pub use tables::Tables;

use crate::args::{Rule, SamadiArgs};
use abstraction::alone::AloneSpec;
use anyhow::{Context, Result, ensure};
use bout::End;
use chinese::evaluations::{PIECES, SIDE, named};
use game::Cancel;
use host::journal::Journal;
use native::chinese::{ChineseCheckers, Win};
use platform::{Interrupt, Interrupted, save};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::time::Instant;
use terminal::{Answer, Out, Progress, text};

/// Who everybody plays against.
const BASELINE: &str = "baseline";
/// Three pieces against two, which is no sum of lookups of one side (S1.13).
const FACING: &str = "three-two-rows";
/// Who plays against it.
const FIVE: &str = "five-rows";
/// UCT with short playouts, our own.
const TABLE_SEARCH: &str = "table-search";
/// The evaluation that it asks.
const ITS_EVALUATION: &str = "learned";
/// Who does, unless somebody is named.
const USUAL: [&str; 11] = [
    "pdb4",
    "pdb4-rows",
    "pdb4-side",
    "pdb4-side-rows",
    "pdb6",
    "pdb6-rows",
    "pdb6+4-front",
    "pdb6+4-front-rows",
    "pdb6+4-rear",
    "pdb6+4-rear-rows",
    "learned",
];
/// Seconds of processor time that a game takes at depth 1, 2, 3 …, roughly: measured on one core of a server.
const COST: [f64; 6] = [0.01, 0.04, 0.2, 1.3, 4.0, 30.0];

/// One player against another at one depth.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Contest {
    player: String,
    opponent: String,
    depth: u32,
}

/// A game that was played.
#[derive(Clone, Serialize, Deserialize)]
pub struct Played {
    player: String,
    opponent: String,
    depth: u32,
    opening: u64,
    /// The player's side: 0 red, 1 blue.
    side: usize,
    rule: Rule,
    seed: u64,
    end: End,
    plies: usize,
    expansions: u64,
    seconds: f64,
    /// Of these the player, and the opponent; not known of old games.
    #[serde(default)]
    thought: [f64; 2],
}

impl Played {
    /// 2 for a win, 1 for a tie, 0 for a loss (S1.11).
    fn points(&self) -> u64 {
        match (self.end, self.side) {
            (End::Red, 0) | (End::Blue, 1) => 2,
            (End::Red | End::Blue, _) => 0,
            (End::Repeated | End::Long, _) => 1,
        }
    }

    fn is_of(&self, contest: &Contest) -> bool {
        (self.player == contest.player) && self.opponent == contest.opponent && self.depth == contest.depth
    }
}

/// A game that is to be played.
struct Open {
    contest: usize,
    opening: u64,
    side: usize,
}

/// The endings of chess that the paper has, by their men.
pub fn endings() -> Vec<&'static str> {
    chess::ROWS.iter().map(|row| row.men).collect()
}

/// Runs the experiment.
pub fn run(args: &SamadiArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    if args.game == "chess" {
        ensure!(
            args.fleet.is_none(),
            "in chess they play against programs of this machine, which no worker starts: no `--fleet`"
        );
        return chess::run(args, interrupt, out);
    }
    let for_chess = args.opponent.is_some() || args.ceiling.is_some() || args.positions.is_some();
    ensure!(
        !for_chess && args.endings.is_empty(),
        "`--opponent`, `--ceiling`, `--ending` and `--positions` are for chess"
    );
    for name in args.players.iter().chain([&args.against]) {
        let is_file = name.ends_with(".json");
        ensure!(
            args.fleet.is_none() || !is_file,
            "workers know evaluations by their names: {name} cannot play on a fleet"
        );
        // Said before a worker finds out.
        if ![FACING, TABLE_SEARCH].contains(&name.as_str()) {
            evaluation(name)?;
        }
    }
    let stage = stage(args.rule)?;
    let mut tables = Tables::new(args.folder.as_deref())?;
    if let Some(name) = &args.learn {
        return learn::run(args, name, &stage, &mut tables, interrupt, out);
    }
    let folder = args.lab.out("samadi");
    let fits = |played: &Played| (played.seed, played.rule) == (args.seed, args.rule);
    let mut journal = Journal::open(&folder.join("journal.jsonl"), args.lab.keep(), fits)?;
    journal.greet(out)?;
    let contests = contests(args);
    let open = open(&contests, args.openings(), journal.entries());
    match args.fleet {
        None => writeln!(out, "{}", beforehand(&contests, &open, args.parallel()))?,
        Some(_) => writeln!(out, "{} to play, on the fleet", text::count(open.len(), "game"))?,
    }
    out.flush()?;
    let mut players: BTreeMap<&str, Mind> = BTreeMap::new();
    for name in contests.iter().flat_map(|contest| [contest.player.as_str(), contest.opponent.as_str()]) {
        if !players.contains_key(name) && !open.is_empty() && args.fleet.is_none() {
            let player = mind(name, &stage, &mut tables, interrupt, out)?;
            players.insert(name, player);
        }
    }
    let cancel = interrupt.cancel();
    let whole = match &args.fleet {
        None => play_all(args, &stage, &contests, &open, &players, &mut journal, &cancel),
        Some(url) => remote::play_all(url, args, &folder, &contests, &open, &cancel, |played| journal.add(played)),
    };
    let report = report::of(args, &contests, journal.entries());
    save(&folder.join("report.md"), &report.markdown)?;
    save(&folder.join("results.json"), &format!("{:#}\n", report.json))?;
    save(&folder.join("figure.svg"), &report.figure)?;
    if interrupt.is_interrupted() {
        let played = journal.entries().len();
        return Err(Interrupted(format!("{played} games are kept; the same command goes on")).into());
    }
    whole?;
    write!(out, "{}", report.text)?;
    writeln!(out, "written: {0}/results.json, {0}/report.md and {0}/figure.svg", folder.display())?;
    Ok(Answer::Yes)
}

/// Where games with this rule are played.
fn stage(rule: Rule) -> Result<Stage> {
    let win = match rule {
        Rule::Filled => Win::Filled,
        Rule::Home => Win::Home,
    };
    Ok(Stage::new(&ChineseCheckers::new(SIDE, PIECES, win, None)?))
}

/// The player of this name, with the tables that it needs.
fn mind(name: &str, stage: &Stage, tables: &mut Tables, interrupt: &Interrupt, out: Out<'_>) -> Result<Mind> {
    let mut alone = |name: &str| tables.alone(evaluation(name)?, &stage.arena, interrupt, out).map(Arc::new);
    Ok(match name {
        FACING => Mind::FullWidth(Arc::new(tables.facing(&stage.arena, interrupt, out)?)),
        TABLE_SEARCH => Mind::TableSearch(alone(ITS_EVALUATION)?),
        name => Mind::FullWidth(alone(name)?),
    })
}

/// The evaluation of a name, or of a file.
fn evaluation(name: &str) -> Result<AloneSpec> {
    if let Some(spec) = named(name) {
        return Ok(spec);
    }
    let names: Vec<&str> = chinese::evaluations::ALL.iter().map(|named| named.name).collect();
    ensure!(
        name.ends_with(".json"),
        "there is no evaluation {name:?}; there are {}, files FILE.json, and the player {TABLE_SEARCH}",
        names.join(", ")
    );
    let text = fs::read_to_string(name).with_context(|| format!("cannot read {name}"))?;
    AloneSpec::from_json(&text).with_context(|| format!("{name} cannot be used"))
}

fn contests(args: &SamadiArgs) -> Vec<Contest> {
    let players: Vec<String> =
        if args.players.is_empty() { USUAL.map(String::from).to_vec() } else { args.players.clone() };
    let mut contests = Vec::new();
    for depth in args.depths() {
        for player in &players {
            contests.push(Contest { player: player.clone(), opponent: args.against.clone(), depth });
        }
        if args.facing {
            contests.push(Contest { player: FIVE.to_string(), opponent: FACING.to_string(), depth });
        }
    }
    contests
}

/// What is still to be played: shallow games first, and one opening of all before the next.
fn open(contests: &[Contest], openings: u64, played: &[Played]) -> Vec<Open> {
    let mut open = Vec::new();
    let mut depths: Vec<u32> = contests.iter().map(|contest| contest.depth).collect();
    depths.sort_unstable();
    depths.dedup();
    for depth in depths {
        for opening in 0..openings {
            for (at, contest) in contests.iter().enumerate().filter(|(_, contest)| contest.depth == depth) {
                for side in 0..2 {
                    let known =
                        |played: &Played| played.is_of(contest) && (played.opening, played.side) == (opening, side);
                    if !played.iter().any(known) {
                        open.push(Open { contest: at, opening, side });
                    }
                }
            }
        }
    }
    open
}

fn cost(depth: u32) -> f64 {
    COST[(depth as usize).clamp(1, COST.len()) - 1]
}

fn beforehand(contests: &[Contest], open: &[Open], parallel: usize) -> String {
    let seconds: f64 = open.iter().map(|one| cost(contests[one.contest].depth)).sum::<f64>() / parallel as f64;
    let games = text::count(open.len(), "game");
    format!("{games} to play, {parallel} at a time: about {} if the processors are free", text::duration(seconds))
}

/// Plays one game: of a contest, from an opening with the player on one side, by a rule and with a seed.
fn play_one(
    stage: &Stage,
    contest: &Contest,
    minds: [&Mind; 2],
    (opening, side): (u64, usize),
    (rule, seed): (Rule, u64),
    cancel: &Cancel,
) -> Result<Played> {
    let mut sides = minds;
    if side == 1 {
        sides.swap(0, 1);
    }
    let started = Instant::now();
    let outcome = stage.play(stage.opening(seed, opening), sides, contest.depth, cancel, |_| None)?;
    Ok(Played {
        player: contest.player.clone(),
        opponent: contest.opponent.clone(),
        depth: contest.depth,
        opening,
        side,
        rule,
        seed,
        end: outcome.end,
        plies: outcome.plies,
        expansions: outcome.expansions,
        seconds: started.elapsed().as_secs_f64(),
        thought: [outcome.thought[side], outcome.thought[1 - side]],
    })
}

#[allow(clippy::too_many_arguments)]
fn play_all(
    args: &SamadiArgs,
    stage: &Stage,
    contests: &[Contest],
    open: &[Open],
    players: &BTreeMap<&str, Mind>,
    journal: &mut Journal<Played>,
    cancel: &Cancel,
) -> Result<()> {
    let total: f64 = open.iter().map(|one| cost(contests[one.contest].depth)).sum();
    let (mut done, mut count) = (0.0, 0);
    let mut progress = Progress::new();
    let one = |one: &Open, _: &Cancel| -> Result<Played> {
        let contest = &contests[one.contest];
        let seat = |name: &str| players.get(name).with_context(|| format!("{name} is not ready"));
        let minds = [seat(&contest.player)?, seat(&contest.opponent)?];
        play_one(stage, contest, minds, (one.opening, one.side), (args.rule, args.seed), cancel)
    };
    host::many::play_all(open, args.parallel(), one, |played| {
        done += cost(played.depth);
        count += 1;
        progress.fraction(done / total, |_| format!("{count} of {} games", open.len()));
        journal.add(played)?;
        ensure!(!cancel.is_cancelled(), "broken off");
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contest(player: &str, depth: u32) -> Contest {
        Contest { player: player.to_string(), opponent: BASELINE.to_string(), depth }
    }

    fn played(player: &str, depth: u32, opening: u64, side: usize, end: End) -> Played {
        let (player, opponent) = (player.to_string(), BASELINE.to_string());
        let (rule, seed, plies, expansions, seconds, thought) = (Rule::Filled, 1, 90, 1, 0.1, [0.0; 2]);
        Played { player, opponent, depth, opening, side, rule, seed, end, plies, expansions, seconds, thought }
    }

    #[test]
    fn a_win_is_two_points_whichever_side_it_is() {
        let points = |side, end| played("pdb4", 3, 0, side, end).points();
        assert_eq!([points(0, End::Red), points(1, End::Red)], [2, 0]);
        assert_eq!([points(0, End::Blue), points(1, End::Blue)], [0, 2]);
        assert_eq!([points(0, End::Repeated), points(1, End::Long)], [1, 1]);
    }

    #[test]
    fn what_was_played_is_not_played_again_and_openings_go_side_by_side() {
        let contests = [contest("pdb6", 4), contest("pdb4", 3), contest("pdb6", 3)];
        let journal = [played("pdb4", 3, 0, 1, End::Red)];
        let open = open(&contests, 2, &journal);
        let order: Vec<(usize, u64, usize)> = open.iter().map(|one| (one.contest, one.opening, one.side)).collect();
        let (first, rest) = order.split_at(7);
        assert_eq!(first, [(1, 0, 0), (2, 0, 0), (2, 0, 1), (1, 1, 0), (1, 1, 1), (2, 1, 0), (2, 1, 1)]);
        assert_eq!(rest, [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1)]);
    }

    #[test]
    fn openings_depend_on_their_number_and_the_seed() {
        let stage = Stage::new(&ChineseCheckers::new(SIDE, PIECES, Win::Filled, None).unwrap());
        assert_eq!(stage.opening(1, 3), stage.opening(1, 3));
        assert_ne!(stage.opening(1, 3), stage.opening(1, 4));
        assert_ne!(stage.opening(1, 3), stage.opening(2, 3));
        assert_eq!(stage.opening(1, 3).turn, 1, "after five plies it is blue's turn");
    }
}
