//! Tables of chess endings: building them with all they need, and asking them.

use super::args::{AllArgs, BuildChessArgs, CostArgs, MakeArgs, MetricArg};
use super::info;
use ::table::chess::{self, KIND, Material, Metric, Phase};
use ::table::file;
use agent::tables::making::{self, Cost, HowFar, Making};
use anyhow::Result;
use native::chess::Colour;
use platform::{Interrupt, folders, memory};
use serde_json::{Value, json};
use std::io::{BufRead, IsTerminal, Read, Write, stderr};
use std::path::Path;
use terminal::Progress;
use terminal::{Answer, Out, bars, text};

impl From<MetricArg> for Metric {
    fn from(metric: MetricArg) -> Metric {
        match metric {
            MetricArg::Dtm => Metric::Mate,
            MetricArg::Dtc => Metric::Conversion,
            MetricArg::Dtz => Metric::Zeroing,
        }
    }
}

/// `ludens table build chess`.
pub fn build(args: &BuildChessArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let asked = args.tables.iter().map(|name| Ok(Material::parse(name)?)).collect::<Result<Vec<Material>>>()?;
    make(&asked, args.metric.into(), &args.cost, &args.make, interrupt, out)
}

/// `ludens table all chess`.
pub fn all(args: &AllArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let asked: Vec<Material> = (3..=usize::from(args.pieces)).flat_map(Material::all).collect();
    make(&asked, args.metric.into(), &args.cost, &args.make, interrupt, out)
}

fn make(
    asked: &[Material],
    metric: Metric,
    about: &CostArgs,
    args: &MakeArgs,
    interrupt: &Interrupt,
    out: Out<'_>,
) -> Result<Answer> {
    let folder = folders::tables(args.folder.as_deref())?;
    let cancel = interrupt.cancel();
    let MakeArgs { force, memory, .. } = *args;
    let making = Making { folder: folder.clone(), metric, form: args.form(), force, memory, cancel: &cancel };
    let cost = making.cost(asked)?;
    if about.estimate && args.json {
        serde_json::to_writer_pretty(&mut *out, &cost)?;
        writeln!(out)?;
        return Ok(Answer::Yes);
    }
    if about.estimate {
        writeln!(out, "{}", cost_words(&cost))?;
        return Ok(Answer::Yes);
    }
    if cost.seconds.is_some_and(|seconds| seconds > LONG) && !goes_on(&cost, about.yes)? {
        return Ok(Answer::No);
    }
    let mut progress = Progress::new();
    let made = making.run(asked, &mut |HowFar { material, step, done }| {
        progress.at(|seconds| {
            let left =
                if *done > 0.02 { format!(", about {:.0} s left", seconds / done - seconds) } else { String::new() };
            format!("{material}: {}, {:.0} % of all, {seconds:.0} s{left}", phase(step), 100.0 * done)
        });
    })?;
    drop(progress);
    let rows = made.iter().map(serde_json::to_value).collect::<Result<Vec<Value>, _>>()?;
    tell(&folder, &rows, args, out)
}

/// What takes longer, in seconds, is asked for.
const LONG: f64 = 600.0;

fn cost_words(cost: &Cost) -> String {
    if cost.tables == 0 {
        return "nothing is to be built: all tables are there".to_string();
    }
    let time = match cost.seconds {
        None => "less than a minute".to_string(),
        Some(seconds) if seconds < 5400.0 => format!("about {:.0} minutes", (seconds / 60.0).max(1.0)),
        Some(seconds) => format!("about {:.0} hours", seconds / 3600.0),
    };
    let free = cost.disk_free.map_or(String::new(), |free| format!(" of {} that are free", memory::size(free)));
    format!(
        "{} with {} entries: {time} at the speed of this moment, {} of memory of {} that may be used, about {} of disk{free}",
        text::count(cost.tables, "table"),
        cost.entries,
        memory::size(cost.memory),
        memory::size(cost.memory_limit),
        memory::size(cost.disk),
    )
}

/// Tells what it costs, and asks, where somebody can answer.
fn goes_on(cost: &Cost, yes: bool) -> Result<bool> {
    writeln!(stderr(), "{}", cost_words(cost))?;
    if yes || !std::io::stdin().is_terminal() {
        return Ok(true);
    }
    write!(stderr(), "begin? [y/N] ")?;
    let mut answer = String::new();
    std::io::stdin().lock().take(100).read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn phase(step: &chess::Progress) -> String {
    match step.phase {
        Phase::First => "first look".to_string(),
        Phase::Layer(plies) => format!("{plies} plies"),
        Phase::Pack => "putting in order".to_string(),
    }
}

fn tell(folder: &Path, rows: &[Value], args: &MakeArgs, out: Out<'_>) -> Result<Answer> {
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &json!({ "folder": folder, "tables": rows }))?;
        writeln!(out)?;
        return Ok(Answer::Yes);
    }
    let head = ["table", "", "seconds", "won", "drawn", "lost", "longest", "bytes"];
    let mut lines = vec![head.map(String::from).to_vec()];
    for row in rows {
        let white = &row["statistics"]["white to move"];
        let longest: Vec<String> =
            longest(&row["statistics"]).iter().map(|(winner, plies, _)| format!("{winner} {plies}")).collect();
        let text = |value: &Value| value.as_u64().map_or("–".to_string(), |count| count.to_string());
        lines.push(vec![
            row["table"].as_str().unwrap_or("").to_string(),
            row["status"].as_str().unwrap_or("").to_string(),
            format!("{:.2}", row["seconds"].as_f64().unwrap_or(0.0)),
            text(&white["won"]),
            text(&white["drawn"]),
            text(&white["lost"]),
            longest.join(", "),
            text(&row["bytes"]),
        ]);
    }
    write!(out, "{}", text::aligned(&lines))?;
    writeln!(
        out,
        "(won, drawn, lost: positions with white to move, unique up to symmetry; longest: who wins, in plies)"
    )?;
    writeln!(out, "in {}", folder.join(KIND).display())?;
    Ok(Answer::Yes)
}

/// The longest wins by who wins: the winner, the plies and the position. Tables of old have the longest of all only.
fn longest(statistics: &Value) -> Vec<(String, u64, String)> {
    let read = |found: &Value| Some((found["plies"].as_u64()?, text::plain(found["fen"].as_str()?)));
    let mut wins: Vec<(String, u64, String)> = Vec::new();
    for winner in Colour::BOTH {
        wins.extend(
            read(&statistics["longest wins"][winner.name()]).map(|(plies, fen)| (winner.name().into(), plies, fen)),
        );
    }
    if wins.is_empty()
        && let Some((plies, fen)) = read(&statistics["longest"])
    {
        let turn = if fen.split_whitespace().nth(1) == Some("w") { Colour::White } else { Colour::Black };
        let winner = if plies % 2 == 1 { turn } else { turn.other() };
        wins.push((winner.name().into(), plies, fen));
    }
    wins
}

/// What `ludens table info` says of a chess table.
pub fn describe(opened: &file::Table, out: Out<'_>) -> Result<()> {
    let statistics = &opened.header().statistics();
    for turn in Colour::BOTH {
        let side = format!("{} to move", turn.name());
        let counts = &statistics[&side];
        writeln!(out, "\n{side}: won {}, drawn {}, lost {}", counts["won"], counts["drawn"], counts["lost"])?;
        if let Some([cursed, blessed]) = by_rule(counts) {
            writeln!(out, "of these draws by the fifty-move rule: {cursed} cursed wins, {blessed} blessed losses")?;
        }
        for (winner, is_win) in [(turn, true), (turn.other(), false)] {
            let histogram = bars::histogram(by_plies(counts, is_win));
            if !histogram.is_empty() {
                write!(out, "{} wins, by plies:\n{histogram}", winner.name())?;
            }
        }
    }
    writeln!(out)?;
    for (winner, plies, fen) in longest(statistics) {
        writeln!(out, "longest    {winner} wins, {plies} plies (move {}): {fen}", plies.div_ceil(2))?;
    }
    writeln!(out, "(positions that a symmetry of the board maps to each other count once)")?;
    Ok(())
}

/// The won or the lost positions of one side to move, by plies.
fn by_plies(counts: &Value, won: bool) -> Vec<(usize, u64)> {
    let losses = &counts["lost by plies"];
    match (won, losses.is_array()) {
        (true, true) => info::counts(&counts["plies"]),
        (false, true) => info::counts(losses),
        // An odd number of plies is a win of the side to move, an even one its loss.
        (_, false) => info::counts(&counts["plies"]).into_iter().filter(|(plies, _)| (plies % 2 == 1) == won).collect(),
    }
}

/// How many won and how many lost positions are draws by the fifty-move rule, where that was counted.
fn by_rule(counts: &Value) -> Option<[u64; 2]> {
    let beyond = |won: bool| {
        let plies = by_plies(counts, won).into_iter().filter(|(plies, _)| *plies > usize::from(chess::FIFTY));
        plies.map(|(_, count)| count).sum()
    };
    counts["lost by plies"].is_array().then(|| [beyond(true), beyond(false)])
}

/// Derives every entry of a table again. The answer is how many entries were compared, or what is wrong.
pub fn verify(
    path: &Path,
    header: &file::Header,
    given: Option<&Path>,
    interrupt: &Interrupt,
) -> Result<Result<u64, String>> {
    let progress = std::sync::Mutex::new(Progress::new());
    making::verify(path, header, given, &interrupt.cancel(), &|material, done, total| {
        if let Ok(mut progress) = progress.try_lock() {
            progress.at(|seconds| {
                let left = seconds / done as f64 * total.saturating_sub(done) as f64;
                format!("{material}: {done} of {total} entries, {seconds:.0} s, about {left:.0} s left")
            });
        }
    })
}
