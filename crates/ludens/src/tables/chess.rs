//! Tables of chess endings: building them with all they need, and asking them.

use super::args::{AllArgs, BuildChessArgs, MakeArgs, MetricArg};
use super::info;
use ::table::chess::{self, KIND, Material, Metric, Phase};
use ::table::file;
use agent::tables::making::{self, HowFar, Making};
use anyhow::Result;
use native::chess::Colour;
use platform::{Interrupt, folders};
use serde_json::{Value, json};
use std::path::Path;
use terminal::Progress;
use terminal::{Answer, Out, bars, text};

impl From<MetricArg> for Metric {
    fn from(metric: MetricArg) -> Metric {
        match metric {
            MetricArg::Dtm => Metric::Mate,
            MetricArg::Dtc => Metric::Conversion,
        }
    }
}

/// `ludens table build chess`.
pub fn build(args: &BuildChessArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let asked = args.tables.iter().map(|name| Ok(Material::parse(name)?)).collect::<Result<Vec<Material>>>()?;
    make(&asked, args.metric.into(), &args.make, interrupt, out)
}

/// `ludens table all chess`.
pub fn all(args: &AllArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let asked: Vec<Material> = (3..=usize::from(args.pieces)).flat_map(Material::all).collect();
    make(&asked, args.metric.into(), &args.make, interrupt, out)
}

fn make(asked: &[Material], metric: Metric, args: &MakeArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let folder = folders::tables(args.folder.as_deref())?;
    let cancel = interrupt.cancel();
    let MakeArgs { compress, force, memory, .. } = *args;
    let making = Making { folder: folder.clone(), metric, compress, force, memory, cancel: &cancel };
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
        // An odd number of plies is a win of the side to move, an even one its loss.
        for (winner, parity) in [(turn, 1), (turn.other(), 0)] {
            let plies = info::counts(&counts["plies"]).into_iter().filter(|(plies, _)| plies % 2 == parity);
            let histogram = bars::histogram(plies);
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
