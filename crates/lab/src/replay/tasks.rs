//! What can be replayed: a folder of rulesheets and traces, the library, one playthrough.

use super::guard::{Task, Verdict, Watch};
use super::trace::{Compare, Perft, Stop, Trace, hex, perft, same};
use agent::{EngineChoice, load as load_engine};
use anyhow::{Context, Result, bail};
use game::perft::{facts_named, perft_turns};
use game::record::{self, Mismatch};
use game::{Game, Names};
use library::Sheet;
use library::{ENTRIES, Entry};
use machine::{Engine, State};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Everything in `folder/games` and `folder/traces`, sorted by name; or the match records in the folder itself.
pub fn of_folder(folder: &Path, game: Option<&str>, engine: EngineChoice) -> Result<Vec<Task>> {
    if !folder.join("games").is_dir()
        && let Ok(records) = names(folder, "json")
        && !records.is_empty()
    {
        let task = |name: &String| {
            let path = folder.join(format!("{name}.json"));
            // One that cannot be read is no reason not to replay the others.
            of_file(&path, game, engine).unwrap_or_else(|error| {
                let work = move |_: &Watch| Verdict::Error(format!("{error:#}"));
                Task { name: name.clone(), work: Box::new(work) }
            })
        };
        return Ok(records.iter().map(task).collect());
    }
    let games = names(&folder.join("games"), "kif").with_context(|| {
        format!(
            "cannot read {}: a folder to replay holds games/NAME.kif and traces/NAME.json, or match records",
            folder.join("games").display()
        )
    })?;
    // Without a folder of traces the rulesheets can still be loaded.
    let traces = names(&folder.join("traces"), "json").unwrap_or_default();
    let all: BTreeSet<&String> = games.union(&traces).collect();
    if all.is_empty() {
        bail!("there is nothing to replay: no .kif in {}", folder.join("games").display());
    }
    let task = |name: &String| {
        let sheet = folder.join("games").join(format!("{name}.kif"));
        let trace = traces.contains(name).then(|| folder.join("traces").join(format!("{name}.json")));
        let work = move |watch: &Watch| corpus_game(&sheet, trace.as_deref(), engine, watch);
        Task { name: name.clone(), work: Box::new(work) }
    };
    Ok(all.into_iter().map(task).collect())
}

/// The names of the files of a kind in a folder, without their ending.
fn names(folder: &Path, ending: &str) -> std::io::Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|found| found == ending)
            && let Some(name) = path.file_stem()
        {
            names.insert(name.to_string_lossy().into_owned());
        }
    }
    Ok(names)
}

fn corpus_game(sheet: &Path, trace: Option<&Path>, engine: EngineChoice, watch: &Watch) -> Verdict {
    watch.note(|reached| reached.at = "loading".to_string());
    let (bytes, trace) = match read(sheet, trace) {
        Ok(read) => read,
        Err(error) => return Verdict::Error(format!("{error:#}")),
    };
    if let Some(Trace { sha256: Some(recorded), .. }) = &trace
        && !hex(&Sha256::digest(&bytes)).eq_ignore_ascii_case(recorded)
    {
        return Verdict::Mismatch("the trace belongs to another text: its SHA-256 is not the rulesheet's".to_string());
    }
    let sheet = match Sheet::read(sheet.display().to_string(), &bytes[..]) {
        Ok(sheet) => sheet,
        Err(error) => return Verdict::Error(format!("{error:#}")),
    };
    if let Some(trace) = &trace {
        watch.note(|reached| {
            reached.steps.1 = trace.traces.iter().map(Vec::len).sum();
            reached.perft.1 = trace.perft.iter().map(|perft| perft.depth).max().unwrap_or(0);
        });
    }
    match &trace {
        Some(trace) => with_game(&sheet, engine, watch, |game| Compare { trace, watch }.run(game)),
        None => match with_game(&sheet, engine, watch, start) {
            Verdict::Ok => Verdict::Loaded,
            other => other,
        },
    }
}

fn read(sheet: &Path, trace: Option<&Path>) -> Result<(Vec<u8>, Option<Trace>)> {
    let bytes = fs::read(sheet).with_context(|| format!("cannot read {}", sheet.display()))?;
    let trace = trace.map(|path| {
        let text = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_slice(&text).with_context(|| format!("{} is not a trace", path.display()))
    });
    Ok((bytes, trace.transpose()?))
}

/// Loads a game, notes the time that took, and compares.
pub fn with_game(
    sheet: &Sheet,
    engine: EngineChoice,
    watch: &Watch,
    compare: impl FnOnce(&Engine) -> Result<(), Stop>,
) -> Verdict {
    let started = Instant::now();
    let (rules, problems) = sheet.parse();
    if let Some(problem) = problems.first() {
        let (line, column) = sheet.source().place(problem.span.start);
        return Verdict::Error(format!("{line}:{column}: {}", problem.message));
    }
    match load_engine(engine, sheet, &rules, &watch.cancel) {
        Ok(loaded) => {
            watch.note(|reached| reached.load = Some(started.elapsed().as_secs_f64()));
            compare(&loaded.engine).map_or_else(|stop| stop.verdict(watch), |()| Verdict::Ok)
        }
        Err(_) if watch.stopped() => Verdict::Cut("loading".to_string()),
        Err(error) => Verdict::Error(format!("{error:#}")),
    }
}

/// Only looks at the start.
fn start(game: &Engine) -> Result<(), Stop> {
    Ok(game.look(&game.start(), &mut game.view())?)
}

/// Every game of the library, with path counts up to so many nodes.
pub fn of_library(engine: EngineChoice, nodes: u64) -> Vec<Task> {
    let task = |entry: &'static Entry| {
        let work = move |watch: &Watch| library_game(entry, engine, nodes, watch);
        Task { name: entry.name.to_string(), work: Box::new(work) }
    };
    ENTRIES.iter().map(task).collect()
}

/// The file `perft.toml`.
#[derive(Deserialize, Default)]
struct PerftFile {
    #[serde(default)]
    perft: Vec<Perft>,
    #[serde(default)]
    turns: Vec<Turns>,
}

#[derive(Deserialize)]
struct Turns {
    fact: String,
    depth: usize,
    nodes: u64,
    terminal: Option<u64>,
}

fn library_game(entry: &'static Entry, engine: EngineChoice, nodes: u64, watch: &Watch) -> Verdict {
    watch.note(|reached| reached.at = "loading".to_string());
    let mut file: PerftFile = match entry.perft.map(toml::from_str).transpose() {
        Ok(file) => file.unwrap_or_default(),
        Err(error) => return Verdict::Error(format!("perft.toml: {}", error.message())),
    };
    // Counts may shrink again at the end of a game; what is before such a depth has to be walked all the same.
    let too_deep = file.perft.iter().filter(|perft| perft.nodes > nodes).map(|perft| perft.depth).min();
    file.perft.retain(|perft| too_deep.is_none_or(|depth| perft.depth < depth));
    file.turns.retain(|turns| turns.nodes <= nodes);
    let nothing = entry.playthrough.is_none() && file.perft.is_empty() && file.turns.is_empty();
    watch.note(|reached| reached.perft.1 = file.perft.iter().map(|perft| perft.depth).max().unwrap_or(0));
    let verdict = {
        let recorded = Recorded { playthrough: entry.playthrough, file, watch };
        with_game(&Sheet::of(entry), engine, watch, |game| recorded.run(game))
    };
    if nothing && verdict == Verdict::Ok { Verdict::Loaded } else { verdict }
}

/// Holds a game to a playthrough and to path counts.
struct Recorded<'a> {
    playthrough: Option<&'a str>,
    file: PerftFile,
    watch: &'a Watch,
}

impl Recorded<'_> {
    fn run(self, game: &machine::Engine) -> Result<(), Stop> {
        if let Some(text) = self.playthrough {
            playthrough(game, text, self.watch)?;
        } else {
            start(game)?;
        }
        perft(game, &self.file.perft, self.watch)?;
        for Turns { fact, depth, nodes, terminal } in &self.file.turns {
            self.watch.note(|reached| reached.at = format!("perft {depth} in turns of {fact}"));
            let owned = |state: &State| facts_named(game.facts(state), fact);
            let counts = perft_turns(game, *depth, &owned, &mut |_| !self.watch.stopped())?;
            same("the number of paths is", counts[*depth].nodes, *nodes)?;
            if let Some(terminal) = terminal {
                same("the number of terminal paths is", counts[*depth].terminal, *terminal)?;
            }
        }
        Ok(())
    }
}

fn playthrough<G: Names>(game: &G, text: &str, watch: &Watch) -> Result<(), Stop> {
    let states = text.lines().filter(|line| line.starts_with("state ")).count();
    watch.note(|reached| (reached.steps, reached.at) = ((0, states), "the playthrough".to_string()));
    record::replay(game, text).map_err(|mismatch| match mismatch {
        Mismatch::Limit(limit) => Stop::Limit(limit),
        line => Stop::Differs(line.to_string()),
    })?;
    watch.note(|reached| reached.steps.0 = states);
    Ok(())
}

/// One playthrough or match record; the game is named, or lies beside a playthrough, or is told by the record.
pub fn of_file(path: &Path, game: Option<&str>, engine: EngineChoice) -> Result<Task> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    if text.trim_start().starts_with('{') {
        return super::matches::of_match(path, &text, game, engine);
    }
    if !text.starts_with("playthrough:") {
        bail!("{} is neither a playthrough as `ludens record` writes it nor a match record", path.display());
    }
    let beside: PathBuf = path.with_file_name("rules.kif");
    let sheet = match game {
        Some(game) => Sheet::find(game)?,
        None if beside.is_file() => Sheet::find(&beside.display().to_string())?,
        None => bail!("which game is {} of? Name it with --game", path.display()),
    };
    let name = sheet.name.clone();
    let work = move |watch: &Watch| {
        watch.note(|reached| reached.at = "loading".to_string());
        let job = Recorded { playthrough: Some(&text), file: PerftFile::default(), watch };
        with_game(&sheet, engine, watch, |game| job.run(game))
    };
    Ok(Task { name, work: Box::new(work) })
}
