//! `ludens table find`: positions of a chess table that somebody would like to see.

use super::args::{FindArgs, ResultArg, SideArg};
use ::table::chess::{Filter, Found, Material, Metric, Outcome, Quest, Ruling, Table, Tables, find};
use ::table::file;
use agent::tables::endings::Asker;
use agent::tables::epd::Record;
use anyhow::{Result, ensure};
use native::chess::{Colour, Step};
use platform::Interrupt;
use serde_json::{Value, json};
use std::io::{Write, stderr};
use std::path::Path;
use terminal::{Answer, Out, Progress};

impl From<SideArg> for Colour {
    fn from(side: SideArg) -> Colour {
        match side {
            SideArg::White => Colour::White,
            SideArg::Black => Colour::Black,
        }
    }
}

impl From<ResultArg> for Ruling {
    fn from(result: ResultArg) -> Ruling {
        match result {
            ResultArg::Win => Ruling::Win,
            ResultArg::CursedWin => Ruling::CursedWin,
            ResultArg::Draw => Ruling::Draw,
            ResultArg::BlessedLoss => Ruling::BlessedLoss,
            ResultArg::Loss => Ruling::Loss,
        }
    }
}

/// Runs the command.
pub fn run(args: &FindArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let (asker, material) = open(args)?;
    let metric = asker.metric;
    let by_rule = matches!(args.result, Some(ResultArg::CursedWin | ResultArg::BlessedLoss));
    ensure!(!by_rule || metric == Metric::Zeroing, "only tables of --metric zeroing know of the fifty-move rule");
    let table = asker.tables().find(material, metric)?;
    let filter = Filter {
        turn: args.turn.map(Colour::from),
        winner: args.winner.map(Colour::from),
        ruling: args.result.map(Ruling::from),
    };
    let limit = match (args.count, args.limit) {
        (true, _) => 0,
        (false, 0) => usize::MAX,
        (false, limit) => limit,
    };
    let cancel = interrupt.cancel();
    let progress = std::sync::Mutex::new(Progress::new());
    let found = find(table, asker.tables(), quest(args), &filter, limit, &|done, total| {
        if let Ok(mut progress) = progress.try_lock() {
            progress.at(|seconds| {
                let left = seconds / done as f64 * total.saturating_sub(done) as f64;
                format!("{material}: {done} of {total} entries, {seconds:.0} s, about {left:.0} s left")
            });
        }
        !cancel.is_cancelled()
    })?;
    drop(progress);
    show(args, &found, table, asker.tables(), out)?;
    ensure!(!found.stopped, "stopped before the whole table was looked at: there may be more");
    Ok(if found.count > 0 { Answer::Yes } else { Answer::No })
}

fn open(args: &FindArgs) -> Result<(Asker, Material)> {
    let path = Path::new(&args.table);
    let (folder, metric) = (args.folder.as_deref(), args.metric.into());
    let (mut asker, material) = if path.is_file() {
        let header = file::Table::peek(path)?;
        let asker = Asker::of_file(path, &header, folder)?;
        (asker, Material::parse(&header.name)?)
    } else {
        (Asker::new(Some(&args.table), folder, metric)?, Material::parse(&args.table)?)
    };
    asker.open(material)?;
    Ok((asker, material))
}

fn quest(args: &FindArgs) -> Quest {
    match args.distance {
        Some(plies) => Quest::Distance(plies),
        None if args.longest => Quest::Longest,
        None if args.zugzwang => Quest::Zugzwang,
        None if args.only_move => Quest::OnlyMove,
        None => Quest::Any,
    }
}

fn show(args: &FindArgs, found: &::table::chess::Finds, table: &Table, tables: &Tables, out: Out<'_>) -> Result<()> {
    let metric = table.metric();
    if args.json {
        let rows: Vec<Value> = found.first.iter().map(|one| row(one, &best(one, tables, metric), metric)).collect();
        let mut report = json!({ "table": table.material().to_string(), "metric": metric.name(), "count": found.count,
            "complete": !found.stopped });
        if !args.count {
            report["positions"] = json!(rows);
        }
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
        return Ok(());
    }
    if args.count {
        writeln!(out, "{}", found.count)?;
        return Ok(());
    }
    for one in &found.first {
        let mut record = Record::of(&one.position);
        record.tell(&one.position, metric, one.outcome, &best(one, tables, metric));
        if let Some(other) = one.other {
            record.set("c0", &format!("\"black to move: {other}\""));
        }
        writeln!(out, "{record}")?;
    }
    out.flush()?;
    let shown = found.first.len() as u64;
    if found.count == 0 {
        let _ = writeln!(stderr(), "0 positions");
    } else if shown < found.count {
        let _ = writeln!(stderr(), "{shown} of {} positions (--limit 0 shows all)", found.count);
    }
    Ok(())
}

/// The best moves, as far as the smaller tables are there to tell.
fn best(found: &Found, tables: &Tables, metric: Metric) -> Vec<Step> {
    let choices = tables.choices(&found.position, metric).unwrap_or_default();
    let Some(first) = choices.first() else { return Vec::new() };
    choices.iter().filter(|choice| choice.outcome == first.outcome).map(|choice| choice.step).collect()
}

fn row(found: &Found, best: &[Step], metric: Metric) -> Value {
    let result = |outcome: Outcome| match (metric, outcome) {
        (Metric::Zeroing, outcome) => outcome.ruling(0).words(),
        (_, Outcome::Win(_)) => "win",
        (_, Outcome::Draw) => "draw",
        (_, Outcome::Loss(_)) => "loss",
    };
    let best: Vec<String> = best.iter().map(|step| found.position.san(step)).collect();
    let mut row = json!({ "fen": found.position.fen(), "turn": found.position.turn.name(), "result": result(found.outcome),
        "plies": found.outcome.plies(), "best": best });
    if let Some(other) = found.other {
        row["black to move"] = json!({ "result": result(other), "plies": other.plies() });
    }
    row
}
