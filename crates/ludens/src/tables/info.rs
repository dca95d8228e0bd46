//! `ludens table info`: what a table says about itself.

use super::args::InfoArgs;
use ::table::oracle::Family;
use agent::tables::named;
use anyhow::Result;
use platform::memory;
use serde_json::{Value, json};
use terminal::{Answer, Out, bars, text};

/// Runs the command.
pub fn run(args: &InfoArgs, out: Out<'_>) -> Result<Answer> {
    let meant = named::find(&args.file, args.folder.as_deref())?;
    let (path, opened) = (&meant.path, meant.open(&mut super::warn)?);
    // What a damaged table says is worth nothing.
    opened.check()?;
    let header = opened.header();
    let form = named::form_name(opened.form());
    if args.json {
        let parts: Vec<Value> =
            header.parts.iter().map(|part| json!({ "name": part.name, "entries": part.entries })).collect();
        let report = json!({ "file": path, "kind": header.kind(), "name": header.name, "metric": header.metric,
            "identity": format!("{:016x}", header.identity), "bits": header.bits, "entries": named::positions(header),
            "parts": parts, "form": form, "bytes": opened.size(), "statistics": header.statistics() });
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
        return Ok(Answer::Yes);
    }
    let count = text::count(header.parts.len(), "part");
    writeln!(out, "{} ({})", header.name, header.kind())?;
    writeln!(out, "file       {}", path.display())?;
    writeln!(out, "metric     {}", header.metric)?;
    // A solved game tells its states below.
    if header.family() != Some(Family::Solved) {
        writeln!(out, "entries    {} in {count}, {} bits each", header.entries(), header.bits)?;
    }
    writeln!(out, "stored     {form}, {}", memory::size(opened.size()))?;
    match header.kind() {
        _ if header.family() == Some(Family::Solved) => solved(&header.statistics(), out)?,
        ::table::chinese::KIND => chinese(&header.statistics(), out)?,
        ::table::chinese::versus::KIND => super::versus::describe(&header.statistics(), out)?,
        "chess" => super::chess::describe(&opened, out)?,
        _ => writeln!(out, "{:#}", header.statistics())?,
    }
    Ok(Answer::Yes)
}

/// The counts of a list in JSON, by place.
pub fn counts(list: &Value) -> Vec<(usize, u64)> {
    list.as_array().into_iter().flatten().map(|count| count.as_u64().unwrap_or(0)).enumerate().collect()
}

fn solved(statistics: &Value, out: Out<'_>) -> Result<()> {
    let roles = statistics["roles"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let roles: Vec<String> = roles.map(text::plain).collect();
    let words = |value: &str| super::value_words(value.parse().ok(), &roles);
    let value = statistics["value"].as_i64().map_or("none".to_string(), |value| value.to_string());
    let distance = statistics["distance"].as_u64().map(|moves| format!(" in {}", text::count(moves as usize, "move")));
    let depth = text::count(statistics["depth"].as_u64().unwrap_or(0) as usize, "move");
    writeln!(out, "states     {}, up to {depth} from the start", statistics["states"])?;
    if let [first, .., last] = statistics["counter"]["facts"].as_array().map_or(&[][..], Vec::as_slice) {
        let plies = counts(&statistics["counter"]["facts"]).len() - 1;
        let [first, last] = [first, last].map(|fact| text::plain(fact.as_str().unwrap_or_default()));
        writeln!(out, "{}", super::counter_words(&first, &last, plies))?;
    }
    writeln!(out, "start      {}{}\n", words(&value), distance.unwrap_or_default())?;
    let mut values: Vec<(&String, u64)> =
        statistics["values"].as_object().into_iter().flatten().map(|(v, n)| (v, n.as_u64().unwrap_or(0))).collect();
    values.sort_by_key(|(value, _)| std::cmp::Reverse(value.parse::<i8>().ok()));
    for (value, count) in &values {
        writeln!(out, "{count:>12}  {}", words(value))?;
    }
    for (value, _) in values {
        let histogram = bars::histogram(counts(&statistics["distances"][value]));
        if !histogram.is_empty() {
            write!(out, "\n{}, by moves to the end:\n{histogram}", words(value))?;
        }
    }
    Ok(())
}

fn chinese(statistics: &Value, out: Out<'_>) -> Result<()> {
    let spec = &statistics["table"];
    let (side, pieces) = (spec["side"].as_u64().unwrap_or(0), spec["pieces"].as_u64().unwrap_or(0));
    writeln!(out, "board      {side} by {side}, {pieces} pieces")?;
    if spec["bounds"].as_bool() == Some(true) {
        writeln!(out, "section    from start {} on: the values are upper bounds", spec["start"])?;
    }
    writeln!(out, "reached    {} of {} placements", statistics["reached"], statistics["entries"])?;
    writeln!(out, "greatest   {} moves", statistics["greatest"])?;
    write!(out, "\nplacements by moves to the goal:\n{}", bars::histogram(counts(&statistics["layers"])))?;
    Ok(())
}
