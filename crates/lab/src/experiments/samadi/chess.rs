//! `ludens lab samadi chess`: endings judged by nothing but lookups of their subsets, against programs that people know.
//!
//! Every position is played from both sides at a fixed depth; with five men or fewer the tables say how it ends. Every game that is over is
//! in the journal.

mod bout;
mod positions;
mod report;
mod rows;

pub use bout::Chair;
pub use rows::ROWS;

use crate::args::SamadiArgs;
use ::chess::weights::Weights;
use agent::PlayerSpec;
use anyhow::{Context, Result, anyhow, bail, ensure};
use bout::{End, Stage};
use game::Cancel;
use host::journal::Journal;
use native::chess::{Colour, Position};
use platform::{Interrupt, Interrupted, folders, save};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use table::chess::{Material, Metric, Tables};
use table::store::Store;
use terminal::{Answer, Out, Progress, text};

/// The opponents that are looked for where none is named.
const OPPONENTS: [&str; 2] = ["uci:command=gnuchess --uci", "uci:command=toga2"];
/// Who sits in our chair to see what can be reached, and who judges positions.
const STRONG: &str = "uci:command=stockfish";
/// How deep the one looks, and the other.
const STRONG_DEPTH: u32 = 16;
/// Bytes of tables in memory, for all games together: the paper's limit was 1 GB.
const MEMORY: usize = 800_000_000;
/// Our moves in a game, roughly.
const MOVES: f64 = 25.0;

/// One player of ours in one ending at one depth.
#[derive(Clone, PartialEq, Debug)]
struct Contest {
    men: &'static str,
    chair: Chair,
    depth: u32,
}

/// A game that was played.
#[derive(Clone, Serialize, Deserialize)]
pub struct Played {
    men: String,
    player: String,
    opponent: String,
    depth: u32,
    seed: u64,
    position: u64,
    /// Our side: 0 white, 1 black.
    side: usize,
    end: End,
    points: u64,
    plies: usize,
    nodes: [u64; 2],
    moves: [u64; 2],
    seconds: [f64; 2],
}

impl Played {
    fn is_of(&self, contest: &Contest) -> bool {
        self.men == contest.men && self.player == contest.chair.name() && self.depth == contest.depth
    }
}

/// A game that is to be played.
struct Open<'a> {
    contest: &'a Contest,
    number: u64,
    position: Position,
    side: Colour,
}

/// Runs the experiment.
///
/// # Errors
/// When tables or programs are missing, something cannot be written, or the run is interrupted.
pub fn run(args: &SamadiArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let cancel = interrupt.cancel();
    let stage = stage(args, interrupt)?;
    if let Some(file) = &args.positions {
        return make_positions(args, &stage, file, &cancel, out);
    }
    let opponent = opponent(args, &stage, &cancel)?;
    let contests = contests(args, &stage, &cancel, out)?;
    has_tables(&stage, &contests)?;
    let folder = args.lab.out("samadi-chess");
    let name = opponent.to_string();
    let fits = |played: &Played| played.seed == args.seed && played.opponent == name;
    let mut journal = Journal::open(&folder.join("journal.jsonl"), args.lab.keep(), fits)?;
    journal.greet(out)?;
    let open = open(args, &contests, journal.entries())?;
    let run = Run { stage, opponent, seed: args.seed, parallel: args.parallel() };
    if !open.is_empty() {
        let seconds = run.expected(&open, &cancel)?;
        let games = text::count(open.len(), "game");
        writeln!(out, "{games} to play, {} at a time: about {}", run.parallel, text::duration(seconds))?;
        out.flush()?;
    }
    let whole = run.play_all(&open, &mut journal, &cancel);
    let report = report::of(args, &run.opponent.to_string(), &contests, journal.entries());
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

/// The tables that there are.
fn stage(args: &SamadiArgs, interrupt: &Interrupt) -> Result<Stage> {
    let folder = folders::tables(args.folder.as_deref())?;
    let store = Store::new(&folder);
    let mut small = Tables::within(MEMORY / 4);
    for material in (3..=4).flat_map(Material::all) {
        let path = store.chess_path(material, Metric::Mate);
        if path.is_file() {
            small.add_file(path, material, Metric::Mate);
        }
    }
    let all = Arc::new(store.chess_within(Metric::Mate, MEMORY));
    let weights = Arc::new(weights(&args.weights)?);
    Ok(Stage { folder, all, small: Arc::new(small), weights, children: interrupt.children().clone() })
}

/// The weights that are built in, and those of these files.
fn weights(files: &[PathBuf]) -> Result<Weights> {
    let mut weights = Weights::built_in();
    for file in files {
        let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        weights.add(Weights::read(&text).map_err(|why| anyhow!("{}: {why}", file.display()))?);
    }
    Ok(weights)
}

/// Makes sure that the tables are there which these contests look up.
fn has_tables(stage: &Stage, contests: &[Contest]) -> Result<()> {
    let known: Vec<Material> = stage.all.materials().map(|(material, _)| material).collect();
    let parts = |contest: &Contest| -> &[&str] {
        match (rows::row(contest.men), &contest.chair) {
            (Some(row), Chair::Four) => row.four.as_ref().map_or(&[], |four| four.parts),
            (Some(row), Chair::Five | Chair::Learned) => row.five.parts,
            (Some(_), Chair::Hand | Chair::Ceiling(_)) | (None, _) => &[],
        }
    };
    let missing = missing(&known, contests.iter().flat_map(parts).copied());
    ensure!(
        missing.is_empty(),
        "these tables are not in {}: {}; `ludens table build chess NAME` makes each of them with all that it needs, \
         `ludens table all chess --pieces 5 --compress` makes all",
        stage.folder.display(),
        missing.join(" ")
    );
    Ok(())
}

/// Those of the parts that are not among the known ones, whichever side their names begin with.
fn missing<'a>(known: &[Material], parts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let is_known = |part: &str| Material::parse(part).is_ok_and(|part| known.contains(&part));
    let mut missing: Vec<&str> = parts.filter(|part| !is_known(part)).collect();
    missing.sort_unstable();
    missing.dedup();
    missing
}

/// Whether a program is there.
fn is_there(spec: &PlayerSpec, stage: &Stage, cancel: &Cancel) -> Result<(), String> {
    let (protocol, own) = spec.method.program().ok_or_else(|| format!("{spec} is no program that plays chess"))?;
    host::program::check(protocol, own, &stage.children, cancel)
}

/// The opponent: who was named, or the first that is there.
fn opponent(args: &SamadiArgs, stage: &Stage, cancel: &Cancel) -> Result<PlayerSpec> {
    if let Some(text) = &args.opponent {
        let spec: PlayerSpec = host::players::read(text)?;
        is_there(&spec, stage, cancel).map_err(|why| anyhow!("the opponent: {why}"))?;
        return Ok(spec);
    }
    let mut last = String::new();
    for text in OPPONENTS {
        let spec: PlayerSpec = host::players::read(text)?;
        match is_there(&spec, stage, cancel) {
            Ok(()) => return Ok(spec),
            Err(why) => last = why,
        }
    }
    bail!("there is no opponent: neither GNU Chess nor Toga is here (`--opponent` names another program): {last}")
}

/// The strong program that was named, or the usual one.
fn strong(args: &SamadiArgs) -> Result<PlayerSpec> {
    let text = args.ceiling.clone().unwrap_or_else(|| format!("{STRONG},depth={STRONG_DEPTH}"));
    host::players::read(&text)
}

fn contests(args: &SamadiArgs, stage: &Stage, cancel: &Cancel, out: Out<'_>) -> Result<Vec<Contest>> {
    let names: Vec<&str> = match &args.players[..] {
        [] => vec!["four", "five", "learned", "ceiling"],
        given => given.iter().map(String::as_str).collect(),
    };
    let mut chairs = Vec::new();
    for name in names {
        chairs.push(match name {
            "four" => Chair::Four,
            "five" => Chair::Five,
            "learned" => Chair::Learned,
            "hand" => Chair::Hand,
            "ceiling" => {
                let spec = strong(args)?;
                match is_there(&spec, stage, cancel) {
                    Ok(()) => Chair::Ceiling(spec),
                    Err(why) if args.ceiling.is_none() => {
                        writeln!(out, "no ceiling is played: {why}")?;
                        continue;
                    }
                    Err(why) => bail!("the ceiling: {why}"),
                }
            }
            other => bail!("there is no player {other:?} of chess; there are {}", Chair::NAMES.join(", ")),
        });
    }
    let mut contests = Vec::new();
    for row in ROWS.iter().filter(|row| args.endings.is_empty() || args.endings.iter().any(|men| men == row.men)) {
        for depth in args.chess_depths() {
            for chair in chairs.iter().filter(|chair| **chair != Chair::Four || row.four.is_some()) {
                contests.push(Contest { men: row.men, chair: chair.clone(), depth });
            }
        }
    }
    Ok(contests)
}

/// What is still to be played: one position of all contests before the next.
fn open<'a>(args: &SamadiArgs, contests: &'a [Contest], played: &[Played]) -> Result<Vec<Open<'a>>> {
    let mut known: BTreeMap<&str, Vec<Position>> = BTreeMap::new();
    for contest in contests {
        let kept = known.entry(contest.men).or_insert_with(|| positions::kept(contest.men, args.seed));
        ensure!(
            kept.len() as u64 >= args.chess_positions(),
            "there are {} positions of {} with seed {}, not {}; `--seed 1` has {}, `--positions FILE` makes others",
            kept.len(),
            contest.men,
            args.seed,
            args.chess_positions(),
            positions::COUNT
        );
    }
    let mut open = Vec::new();
    for number in 0..args.chess_positions() {
        for contest in contests {
            for side in Colour::BOTH {
                let is_this = |played: &Played| {
                    played.is_of(contest) && (played.position, played.side) == (number, side as usize)
                };
                if !played.iter().any(is_this) {
                    open.push(Open { contest, number, position: known[contest.men][number as usize], side });
                }
            }
        }
    }
    Ok(open)
}

/// What all games have in common.
struct Run {
    stage: Stage,
    opponent: PlayerSpec,
    seed: u64,
    parallel: usize,
}

impl Run {
    fn play(&self, open: &Open<'_>, cancel: &Cancel) -> Result<Played> {
        let Open { contest, number, position, side } = open;
        let Contest { men, chair, depth } = contest;
        let one = || bout::play(&self.stage, chair, &self.opponent, men, *position, *side, *depth, cancel);
        // A program that fails once may have had bad luck.
        let bout = one().or_else(|error| if cancel.is_cancelled() { Err(error) } else { one() });
        let bout = bout.with_context(|| format!("{men}, position {number}"))?;
        Ok(Played {
            men: men.to_string(),
            player: chair.name().to_string(),
            opponent: self.opponent.to_string(),
            depth: *depth,
            seed: self.seed,
            position: *number,
            side: *side as usize,
            end: bout.end,
            points: bout.winner.map_or(1, |winner| if winner == *side { 2 } else { 0 }),
            plies: bout.plies,
            nodes: bout.nodes,
            moves: bout.moves,
            seconds: bout.seconds,
        })
    }

    /// The seconds that the open games will take, from the first move of each player at each depth.
    fn expected(&self, open: &[Open<'_>], cancel: &Cancel) -> Result<f64> {
        let mut times: BTreeMap<(&str, u32), f64> = BTreeMap::new();
        let mut sum = 0.0;
        for one in open {
            let key = (one.contest.chair.name(), one.contest.depth);
            let time = match times.get(&key) {
                Some(time) => *time,
                None => {
                    let Contest { men, chair, depth } = one.contest;
                    let time =
                        bout::first_moves(&self.stage, chair, &self.opponent, men, one.position, *depth, cancel)?;
                    *times.entry(key).or_insert(time)
                }
            };
            sum += MOVES * time;
        }
        Ok(sum / self.parallel as f64)
    }

    fn play_all(&self, open: &[Open<'_>], journal: &mut Journal<Played>, cancel: &Cancel) -> Result<()> {
        let mut progress = Progress::new();
        let (mut done, all) = (0, open.len());
        let one = |open: &Open<'_>, broken: &Cancel| {
            ensure!(!broken.is_cancelled(), "broken off");
            self.play(open, cancel)
        };
        host::many::play_all(open, self.parallel, one, |played| {
            done += 1;
            progress.fraction(done as f64 / all.max(1) as f64, |_| format!("{done} of {all} games"));
            journal.add(played)
        })
    }
}

/// Writes the positions of a seed to a file.
fn make_positions(
    args: &SamadiArgs,
    stage: &Stage,
    file: &std::path::Path,
    cancel: &Cancel,
    out: Out<'_>,
) -> Result<Answer> {
    let spec = strong(args)?;
    let (protocol, own) = spec.method.program().with_context(|| format!("{spec} is no program that plays chess"))?;
    let judge = host::program::start(protocol, own, &stage.children, &|| cancel.is_cancelled());
    let mut judge = judge.map_err(|why| anyhow!("the judge: {why}"))?;
    let depth = own.depth.unwrap_or(STRONG_DEPTH);
    let endings: Vec<&str> = ROWS.iter().map(|row| row.men).collect();
    let mut progress = Progress::new();
    let all = endings.len() * positions::COUNT as usize;
    let text = positions::make(&endings, args.seed, depth, &mut *judge, cancel, &mut |done| {
        progress.fraction(done as f64 / all as f64, |_| format!("{done} of {all} positions"));
    })?;
    drop(progress);
    save(file, &text)?;
    writeln!(out, "written: {}", file.display())?;
    Ok(Answer::Yes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_found_whichever_side_their_name_begins_with() {
        let known = ["KNKPP", "KRPKN"].map(|name| Material::parse(name).unwrap());
        let parts = ["KRPKN", "KPPKN", "KNKPP", "KNKRP", "KRK", "KRK"];
        assert_eq!(missing(&known, parts.into_iter()), ["KRK"]);
        assert_eq!(missing(&[], ROWS[1].five.parts.iter().copied()).len(), ROWS[1].five.parts.len());
    }
}
