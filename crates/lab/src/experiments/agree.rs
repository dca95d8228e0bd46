//! `ludens lab agree`: every engine against the prover on random states, fact by fact.
//!
//! The prover plays random games; the other engines follow move by move. At every state all of them are asked for
//! everything there is: the facts, whether the game is over, the legal moves, the goals. Games in lanes, which nobody can
//! follow, have to come to the same results on average.

mod chance;
mod follow;

use super::anchors::markdown;
use crate::args::AgreeArgs;
use crate::bench::corpus;
use crate::bench::meter::Timer;
use agent::{EngineChoice, load as load_engine};
use anyhow::Result;
use chance::{InLanes, Sample};
use follow::{Ended, Follower, random_game};
use game::Cancel;
use game::random::Rng;
use host::journal::Journal;
use library::ENTRIES;
use library::Sheet;
use machine::Engine;
use platform::save;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use terminal::Progress;
use terminal::{Answer, Out, text};

/// Some random games of one rulesheet, compared.
#[derive(Clone, Serialize, Deserialize)]
struct Piece {
    game: String,
    /// The rulesheet that was played, in short.
    sheet: u64,
    seed: u64,
    /// The engines that followed the prover.
    engines: Vec<String>,
    /// The numbers of the games: from, and up to but not including.
    from: u64,
    to: u64,
    states: u64,
    /// What differs; nothing more is compared of this game then.
    difference: Option<String>,
    /// Engines that do not take part, and why; or why the prover gave up.
    notes: Vec<String>,
    /// The random games, and games of the same kind in lanes.
    sample: Sample,
    lanes: Option<InLanes>,
}

impl Piece {
    /// Adds one more game.
    fn add(&mut self, states: u64, ended: Ended) {
        match ended {
            Ended::Differ(what) => self.difference = Some(format!("game {}: {what}", self.to)),
            Ended::GaveUp(why) => self.notes.push(format!("game {}: {why}", self.to)),
            // The last state has no move.
            Ended::Whole(goals) => self.sample.add(states.saturating_sub(1), goals.as_deref()),
            Ended::Left => self.sample.add_cut(),
        }
        self.to += 1;
        self.states += states;
    }
}

/// Runs the experiment.
pub fn run(args: &AgreeArgs, out: Out<'_>) -> Result<Answer> {
    let sheets = sheets(args)?;
    let engines: Vec<EngineChoice> = if args.engines.is_empty() {
        EngineChoice::ALL.into_iter().filter(|engine| *engine != EngineChoice::PROVER).collect()
    } else {
        args.engines.clone()
    };
    let known: BTreeMap<&str, u64> = sheets.iter().map(|sheet| (sheet.name.as_str(), print_of(sheet))).collect();
    let fits = |piece: &Piece| {
        let wanted = engines.iter().map(|engine| engine.name());
        piece.seed == args.seed
            && known.get(piece.game.as_str()) == Some(&piece.sheet)
            && wanted.clone().eq(piece.engines.iter().map(String::as_str))
    };
    let folder = args.lab.out("agree");
    let journal = Journal::open(&folder.join("journal.jsonl"), args.lab.keep(), fits)?;
    if !args.json {
        journal.greet(out)?;
    }
    let mut experiment = Experiment { args, sheets: &sheets, engines: &engines, journal, quiet: args.json };
    experiment.all(out)?;
    let rows = experiment.rows();
    let differences = rows.iter().filter(|row| row.difference.is_some()).count();
    let results = json!({
        "settings": { "version": env!("CARGO_PKG_VERSION"), "seed": args.seed, "states": args.states,
            "engines": engines.iter().map(|engine| engine.name()).collect::<Vec<_>>() },
        "states": rows.iter().map(|row| row.states).sum::<u64>(), "differences": differences, "games": rows,
    });
    save(&folder.join("results.json"), &(serde_json::to_string_pretty(&results)? + "\n"))?;
    save(&folder.join("report.md"), &page(&rows, &engines))?;
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &results)?;
        writeln!(out)?;
    } else {
        write!(out, "\n{}\n{}", text::aligned(&cells(&rows)), summary(&rows, &engines))?;
        writeln!(out, "written: {0}/results.json and {0}/report.md", folder.display())?;
    }
    Ok(if differences > 0 { Answer::No } else { Answer::Yes })
}

fn sheets(args: &AgreeArgs) -> Result<Vec<Sheet>> {
    let mut sheets: Vec<Sheet> = match args.games.as_slice() {
        [] => ENTRIES.iter().map(Sheet::of).collect(),
        games => games.iter().map(|game| Sheet::find(game)).collect::<Result<_>>()?,
    };
    if let Some(folder) = &args.corpus {
        for mut sheet in corpus(folder, &[])? {
            sheet.name = format!("corpus/{}", sheet.name);
            sheets.push(sheet);
        }
    }
    Ok(sheets)
}

/// A short mark of a rulesheet, to tell whether it is still the same.
fn print_of(sheet: &Sheet) -> u64 {
    // FNV-1a, whose value does not depend on the version of anything.
    sheet
        .text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

struct Experiment<'a> {
    args: &'a AgreeArgs,
    sheets: &'a [Sheet],
    engines: &'a [EngineChoice],
    journal: Journal<Piece>,
    quiet: bool,
}

/// A piece is written down at least this often, in seconds.
const PIECE: f64 = 2.0;

impl Experiment<'_> {
    /// All games in turn, until there are enough states: what a slow game leaves undone falls to those that were done
    /// in time.
    fn all(&mut self, out: Out<'_>) -> Result<()> {
        let mut active: Vec<usize> = (0..self.sheets.len()).collect();
        loop {
            let done: u64 = self.journal.entries().iter().map(|piece| piece.states).sum();
            active.retain(|&at| !self.ended(&self.sheets[at].name));
            if done >= self.args.states || active.is_empty() {
                return Ok(());
            }
            let mut left = self.args.states - done;
            let mut quick = Vec::new();
            for (place, &at) in active.iter().enumerate() {
                let share = left.div_ceil((active.len() - place) as u64);
                let (states, in_time) = self.one(&self.sheets[at], share, out)?;
                left = left.saturating_sub(states);
                if in_time {
                    quick.push(at);
                }
            }
            active = quick;
        }
    }

    /// Whether there is nothing more to find out about a game: engines differ, or the prover cannot play it.
    fn ended(&self, name: &str) -> bool {
        self.journal
            .entries()
            .iter()
            .any(|piece| piece.game == name && (piece.difference.is_some() || piece.to == piece.from))
    }

    /// Compares so many states of a game; how many it were, and whether the time was enough.
    fn one(&mut self, sheet: &Sheet, share: u64, out: Out<'_>) -> Result<(u64, bool)> {
        let of_it = self.journal.entries().iter().filter(|piece| piece.game == sheet.name);
        let from = of_it.map(|piece| piece.to).max().unwrap_or(0);
        let mut piece = blank(sheet, self.args, self.engines, from);
        let Some(games) = load(sheet, self.engines, self.args.seconds, &mut piece) else {
            self.journal.add(piece)?;
            return Ok((0, false));
        };
        if piece.from == 0 {
            piece.lanes = games.iter().find_map(|game| InLanes::play(game, self.args.seed));
        }
        let mut states = 0;
        let mut last = 0.0;
        let mut timer = Timer::start();
        let mut progress = Progress::new();
        let (args, engines, journal) = (self.args, self.engines, &mut self.journal);
        let mut followers: Vec<Follower<'_>> = games.iter().map(Follower::new).collect();
        loop {
            progress.fraction(states as f64 / share as f64, |_| format!("{}: {states} of {share} states", sheet.name));
            let before = states;
            let mut rng = Rng::new(args.seed.wrapping_mul(0x9e37_79b9).wrapping_add(piece.to));
            let ended = random_game(&mut followers, &mut rng, &mut states);
            piece.add(states - before, ended);
            let now = timer.exactly();
            // Without a single state there is nothing to be hoped for.
            let over = states >= share || now > args.seconds || states == before || piece.difference.is_some();
            if over || now - last > PIECE {
                last = now;
                let next = Piece { difference: piece.difference.clone(), ..blank(sheet, args, engines, piece.to) };
                journal.add(std::mem::replace(&mut piece, next))?;
            }
            if over {
                break;
            }
        }
        drop(progress);
        if !self.quiet {
            let (states, time) = (text::count(states as usize, "state"), text::seconds(timer.exactly()));
            writeln!(out, "{}: {states} in {time}", sheet.name)?;
            out.flush()?;
        }
        Ok((states, states >= share))
    }

    /// One row for each game.
    fn rows(&self) -> Vec<Piece> {
        let mut rows: BTreeMap<&str, Piece> = BTreeMap::new();
        for piece in self.journal.entries() {
            let blank = || Piece { states: 0, notes: Vec::new(), sample: Sample::default(), ..piece.clone() };
            let row = rows.entry(&piece.game).or_insert_with(blank);
            row.states += piece.states;
            row.to = row.to.max(piece.to);
            row.sample.merge(&piece.sample);
            row.lanes = row.lanes.take().or_else(|| piece.lanes.clone());
            row.difference = row.difference.take().or_else(|| piece.difference.clone());
            for note in &piece.notes {
                if !row.notes.contains(note) {
                    row.notes.push(note.clone());
                }
            }
        }
        for row in rows.values_mut().filter(|row| row.difference.is_none()) {
            row.difference = row.lanes.as_ref().and_then(|lanes| lanes.difference(&row.sample));
        }
        self.sheets.iter().filter_map(|sheet| rows.remove(sheet.name.as_str())).collect()
    }
}

/// A piece without games, that begins with this one.
fn blank(sheet: &Sheet, args: &AgreeArgs, engines: &[EngineChoice], from: u64) -> Piece {
    Piece {
        game: sheet.name.clone(),
        sheet: print_of(sheet),
        seed: args.seed,
        engines: engines.iter().map(|engine| engine.name().to_string()).collect(),
        from,
        to: from,
        states: 0,
        difference: None,
        notes: Vec::new(),
        sample: Sample::default(),
        lanes: None,
    }
}

/// Says stop when a time is over, unless it is dropped before.
struct Deadline {
    cancel: Cancel,
    _still_there: mpsc::Sender<()>,
}

impl Deadline {
    fn after(seconds: f64) -> Deadline {
        let (sender, receiver) = mpsc::channel::<()>();
        let cancel = Cancel::new();
        let own = cancel.clone();
        thread::spawn(move || {
            if receiver.recv_timeout(Duration::from_secs_f64(seconds)) == Err(mpsc::RecvTimeoutError::Timeout) {
                own.cancel();
            }
        });
        Deadline { cancel, _still_there: sender }
    }
}

/// The prover and those that follow it, each with so many seconds to get ready. `None`, with a note or a difference, if
/// the prover does not load.
fn load(sheet: &Sheet, engines: &[EngineChoice], seconds: f64, piece: &mut Piece) -> Option<Vec<Engine>> {
    let (rules, problems) = sheet.parse();
    if let Some(problem) = problems.first() {
        piece.notes.push(format!("cannot be read: {}", problem.message));
        return None;
    }
    let mut games = Vec::new();
    for engine in [EngineChoice::PROVER].iter().chain(engines) {
        let deadline = Deadline::after(seconds);
        // The prover would listen while it plays, too.
        let cancel = if *engine == EngineChoice::PROVER { Cancel::new() } else { deadline.cancel.clone() };
        match load_engine(*engine, sheet, &rules, &cancel) {
            Ok(loaded) => games.push(loaded.engine),
            Err(error) if *engine == EngineChoice::PROVER => {
                piece.notes.push(format!("{error:#}"));
                return None;
            }
            Err(error) if error.downcast_ref::<machine::Unfit>().is_some() => {
                piece.notes.push(format!("no {}: {}", engine.name(), error.root_cause()));
            }
            Err(error) => {
                piece.difference = Some(format!("{} does not load: {error:#}", engine.name()));
                return None;
            }
        }
    }
    Some(games)
}

fn cells(rows: &[Piece]) -> Vec<Vec<String>> {
    let head = ["game", "games", "states", "result"];
    let mut lines = vec![head.map(String::from).to_vec()];
    for row in rows {
        let mut result = match &row.difference {
            Some(difference) => format!("DIFFERS: {difference}"),
            None if row.states == 0 => "not compared".to_string(),
            None => "agree".to_string(),
        };
        if !row.notes.is_empty() {
            result += &format!(" ({})", row.notes.join("; "));
        }
        lines.push(vec![row.game.clone(), (row.to - row.from).to_string(), row.states.to_string(), result]);
    }
    let last = lines.iter().map(|line| line[3].chars().count()).max().unwrap_or(0);
    lines.iter_mut().for_each(|line| line[3] = format!("{:<last$}", line[3]));
    lines
}

fn summary(rows: &[Piece], engines: &[EngineChoice]) -> String {
    let states: u64 = rows.iter().map(|row| row.states).sum();
    let differ = rows.iter().filter(|row| row.difference.is_some()).count();
    let engines: Vec<&str> = engines.iter().map(|engine| engine.name()).collect();
    let (games, states) = (text::count(rows.len(), "game"), text::count(states as usize, "state"));
    let verdict =
        if differ == 0 { "no difference".to_string() } else { format!("{} DIFFER", text::count(differ, "game")) };
    format!("{games}, {states}, {} against the prover: {verdict}\n", engines.join(" and "))
}

fn page(rows: &[Piece], engines: &[EngineChoice]) -> String {
    let mut page = "# All engines against the prover\n\n\
        Random games played by the prover and followed by the other engines. At every state the facts, the end of the game, the legal moves \
        of all roles and all goals are compared. Random games in lanes must have the same lengths and goals on average.\n\n"
        .to_string();
    let cells: Vec<Vec<String>> = cells(rows)
        .into_iter()
        .map(|line| line.into_iter().map(|cell| cell.trim_end().replace('|', "/")).collect())
        .collect();
    let _ = write!(page, "{}\n{}", summary(rows, engines), markdown(&cells));
    page
}
