//! `ludens study`: what the rules of a game and random games reveal.

use crate::cli::StudyArgs;
use ::study::{BoardReport, Evidence, Finding, Kind, Report, Study, Ticks};
use agent::engines::engine;
use anyhow::{Context, Result, ensure};
use game::Limit;
use library::load;
use machine::{Engine, EngineKind};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use terminal::{Answer, Out, text};

/// How hard to look for proofs.
const EFFORT: usize = 10_000;
/// What looking at the boards may take, and then what learning may take, as parts of the time for random games.
const REST: f64 = 0.4;

/// Runs the command.
pub fn run(args: &StudyArgs, out: Out<'_>) -> Result<Answer> {
    ensure!(args.seconds.is_finite() && args.seconds >= 0.0, "`--seconds` wants a number of seconds");
    let (sheet, rules) = load(&args.game)?;
    let started = Instant::now();
    let mut study = Study::new(&rules);
    let form = started.elapsed();
    let game = engine(args.engine, &sheet, &rules)?;
    let played = Instant::now();
    // Most of the time goes to the game as it is; the rest to games that no counter ends.
    let uncounted = study.uncounted();
    let share = if uncounted.is_some() { 0.8 } else { 1.0 };
    watch(&game, &mut study, args, share, true).with_context(|| format!("playing {} at random", sheet.name))?;
    if let Some(rules) = uncounted
        && let Ok(endless) = engine(args.engine, &sheet, &rules)
    {
        // Without its counter a game may be more than the engine bears; what was seen until then counts.
        let _ = watch(&endless, &mut study, args, 1.0 - share, false);
    }
    // With a number of states the report is to be repeatable: nothing depends on the time then, unless it is out of all
    // proportion.
    let rest = if args.states.is_some() { 10.0 } else { (args.seconds * REST).clamp(0.1, 1e6) };
    let until = Instant::now() + Duration::from_secs_f64(rest);
    study
        .survey(&game, args.seed, &mut || Instant::now() < until)
        .with_context(|| format!("looking at the boards of {}", sheet.name))?;
    let until = Instant::now() + Duration::from_secs_f64(rest);
    study.learn_while(&mut || Instant::now() < until);
    study.prove(EFFORT);
    let spent = Spent { form, play: played.elapsed(), engine: game.kind() };
    let report = study.report();
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &as_json(&sheet.name, &report, &spent))?;
        writeln!(out)?;
    } else {
        write(&sheet.name, &report, &spent, out)?;
    }
    Ok(Answer::Yes)
}

struct Spent {
    form: Duration,
    play: Duration,
    engine: EngineKind,
}

/// Plays random games for a share of the time.
fn watch(game: &Engine, study: &mut Study, args: &StudyArgs, share: f64, counted: bool) -> Result<(), Limit> {
    let until = Instant::now() + Duration::from_secs_f64((args.seconds * share).min(1e6));
    let mut left = args.states.map(|states| (states as f64 * share) as u64);
    let mut more = || match &mut left {
        Some(left) => {
            *left = left.saturating_sub(1);
            *left > 0
        }
        None => Instant::now() < until,
    };
    if counted { study.watch(game, args.seed, &mut more) } else { study.watch_uncounted(game, args.seed, &mut more) }
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Flag => "flag",
        Kind::Control => "whose turn",
        Kind::Counter => "counter",
        Kind::Board => "board",
        Kind::Quantity => "quantity",
        Kind::Position => "position",
        Kind::Choice => "one of several",
        Kind::Set => "set",
        Kind::Unseen => "never true",
    }
}

fn ticks(ticks: Ticks) -> &'static str {
    match ticks {
        Ticks::Always => "with every move",
        Ticks::Resets => "with every move, unless it goes back",
        Ticks::Sometimes => "with some moves",
    }
}

fn write(name: &str, report: &Report, spent: &Spent, out: Out<'_>) -> Result<()> {
    writeln!(
        out,
        "{name}: what its rules and {} of random games reveal",
        text::count(report.games.states as usize, "state")
    )?;
    writeln!(out, "\nroles      {}", report.roles.join(", "))?;
    finding(out, "turns", &report.turns)?;
    for (team, evidence) in &report.teams {
        writeln!(out, "team       {}  ({evidence})", team.join(", "))?;
    }
    if let Some(sum) = &report.sum {
        finding(out, "goals", sum)?;
    }
    games(report, out)?;
    fluents(report, out)?;
    for board in &report.boards {
        picture(board, out)?;
    }
    for counter in &report.counters {
        let left = if counter.left_out { "; ends the game and does nothing else" } else { "" };
        writeln!(out, "\ncounter    {} follows {} {}{left}", counter.fluent, counter.relation, ticks(counter.ticks))?;
    }
    if !report.findings.is_empty() {
        writeln!(out, "\nalso found")?;
        for found in &report.findings {
            writeln!(out, "  {}  ({})", found.what, found.evidence)?;
        }
    }
    match report.goal_parts {
        Some(parts) => {
            let values: Vec<String> = report.goals_measured.iter().map(u8::to_string).collect();
            let values = match &values[..] {
                [first, .., last] if values.len() > 6 => format!("{} goals from {first} to {last}", values.len()),
                _ => format!("for {}", values.join(", ")),
            };
            writeln!(out, "\ngoal       its condition can be measured: {}, {values}", text::count(parts, "part"))?;
        }
        None => {
            let why = report.goal_unmeasured.as_deref().unwrap_or("nothing is known of it");
            writeln!(out, "\ngoal       its condition cannot be measured: {why}")?;
        }
    }
    learned(report, out)?;
    writeln!(out, "\n{}, each to be maximised or minimised", text::count(report.features.len(), "feature"))?;
    write!(out, "{}", text::columns(&report.features, text::width()))?;
    let Spent { form, play, engine } = spent;
    let [form, play] = [form, play].map(|time| text::seconds(time.as_secs_f64()));
    writeln!(out, "\n{form} for the form of the rules, {play} of random games ({} engine)", engine.name())?;
    Ok(())
}

fn finding(out: Out<'_>, what: &str, found: &Finding) -> Result<()> {
    writeln!(out, "{what:<9}  {}  ({})", found.what, found.evidence)?;
    Ok(())
}

fn games(report: &Report, out: Out<'_>) -> Result<()> {
    let games = &report.games;
    let mut line = format!("{} with {:.1} moves each", text::count(games.games as usize, "random game"), games.length);
    if games.cut > 0 {
        line += &format!(", {} of them cut", games.cut);
    }
    writeln!(out, "games      {line}")?;
    let mut rows = vec![["role", "choices", "most", "goal"].map(String::from).to_vec()];
    for ((role, (mean, most)), goal) in report.roles.iter().zip(&games.choices).zip(&games.goals) {
        rows.push(vec![role.clone(), format!("{mean:.1}"), most.to_string(), format!("{goal:.1}")]);
    }
    write!(out, "\n{}", text::aligned(&rows))?;
    Ok(())
}

fn fluents(report: &Report, out: Out<'_>) -> Result<()> {
    let mut rows = vec![["fluent", "is", "columns", "facts", "known"].map(String::from).to_vec()];
    for fluent in &report.fluents {
        let columns: Vec<String> = fluent
            .columns
            .iter()
            .map(|(count, ordered)| format!("{count}{}", if *ordered { "<" } else { "" }))
            .collect();
        let (fewest, most) = fluent.facts;
        let facts = if fewest == most { most.to_string() } else { format!("{fewest}..{most}") };
        rows.push(vec![
            fluent.modes.clone(),
            kind(fluent.kind).to_string(),
            columns.join(" × "),
            facts,
            fluent.evidence.to_string(),
        ]);
    }
    write!(out, "\n{}", text::aligned(&rows))?;
    writeln!(out, "(+ inputs, - outputs: the inputs decide the outputs; < the values have an order)")?;
    Ok(())
}

fn picture(board: &BoardReport, out: Out<'_>) -> Result<()> {
    let sizes: Vec<String> = board.axes.iter().map(|axis| axis.len().to_string()).collect();
    let order = if board.ordered { ", in order" } else { "" };
    let all: usize = board.axes.iter().map(Vec::len).product();
    let places = if board.cells < all {
        format!("{} of {all} places seen", board.cells)
    } else {
        text::count(board.cells, "place")
    };
    writeln!(out, "\nboard      {} {}{order}, {places}", board.fluent, sizes.join(" × "))?;
    if !board.markers.is_empty() {
        let markers: Vec<String> = board.markers.iter().map(|(name, most)| format!("{name} (up to {most})")).collect();
        writeln!(out, "markers    {}", markers.join(", "))?;
    }
    let mut known: Vec<(Evidence, Vec<&str>)> = Vec::new();
    for (piece, &evidence) in board.pieces.iter().zip(&board.piece_evidence) {
        match known.iter_mut().find(|(other, _)| *other == evidence) {
            Some((_, pieces)) => pieces.push(piece),
            None => known.push((evidence, vec![piece])),
        }
    }
    for (evidence, pieces) in known {
        writeln!(out, "pieces     {}  ({evidence})", pieces.join(", "))?;
    }
    if let Some(neighbours) = &board.neighbours {
        finding(out, "steps", neighbours)?;
    }
    if let Some(first) = board.symmetries.first() {
        let maps: Vec<&str> = board.symmetries.iter().map(|map| map.what.as_str()).collect();
        writeln!(out, "maps       {}  ({})", maps.join(", "), first.evidence)?;
    }
    let cell = |cell: &Option<String>| cell.clone().unwrap_or_default();
    let widest = board.picture.iter().flatten().map(|c| cell(c).chars().count()).max().unwrap_or(0).min(9);
    // The second coordinate grows upwards, as on paper.
    for row in board.picture.iter().rev() {
        let cells: Vec<String> = row.iter().map(|c| format!("{:<widest$}", text::fit(&cell(c), widest))).collect();
        writeln!(out, "  {}", cells.join(" ").trim_end())?;
    }
    Ok(())
}

fn learned(report: &Report, out: Out<'_>) -> Result<()> {
    let Some(learned) = &report.learned else {
        writeln!(out, "\nlearned    nothing: too few random games came to an end")?;
        return Ok(());
    };
    let explains: Vec<String> = learned.explains.iter().map(|share| format!("{:.0}%", 100.0 * share)).collect();
    writeln!(
        out,
        "\nlearned    from {}; explains {} of how games end, role by role",
        text::count(learned.samples, "position"),
        explains.join(", ")
    )?;
    let mut rows = vec![["what counts for the first role", "weight"].map(String::from).to_vec()];
    rows.extend(learned.weights.iter().map(|(name, weight)| vec![name.clone(), format!("{:+.1}", 100.0 * weight)]));
    write!(out, "{}", text::aligned(&rows))?;
    Ok(())
}

fn evidence_json(evidence: Evidence) -> Value {
    match evidence {
        Evidence::Proved => json!({ "proved": true }),
        Evidence::Rules => json!({ "proved": false, "rules": true }),
        Evidence::Seen(states) => json!({ "proved": false, "states": states }),
        Evidence::Moves(moves) => json!({ "proved": false, "moves": moves }),
        Evidence::Ends(ends) => json!({ "proved": false, "ends": ends }),
    }
}

fn finding_json(finding: &Finding) -> Value {
    json!({ "what": finding.what, "evidence": evidence_json(finding.evidence) })
}

fn as_json(name: &str, report: &Report, spent: &Spent) -> Value {
    let boards = report.boards.iter().map(|board| {
        json!({
            "fluent": board.fluent, "ordered": board.ordered, "axes": board.axes, "places_seen": board.cells,
            "markers": board.markers.iter().map(|(name, most)| json!({ "name": name, "most": most })).collect::<Vec<_>>(),
            "pieces": board.pieces.iter().zip(&board.piece_evidence)
                .map(|(name, evidence)| json!({ "name": name, "evidence": evidence_json(*evidence) })).collect::<Vec<_>>(),
            "blank": board.blank, "start": board.picture,
            "steps": board.neighbours.as_ref().map(finding_json),
            "symmetries": board.symmetries.iter().map(finding_json).collect::<Vec<_>>(),
        })
    });
    let fluents = report.fluents.iter().map(|fluent| {
        let columns: Vec<Value> =
            fluent.columns.iter().map(|(values, order)| json!({ "values": values, "ordered": order })).collect();
        json!({
            "modes": fluent.modes, "is": kind(fluent.kind), "columns": columns,
            "fewest": fluent.facts.0, "most": fluent.facts.1, "evidence": evidence_json(fluent.evidence),
        })
    });
    let games = &report.games;
    json!({
        "game": name,
        "roles": report.roles,
        "turns": finding_json(&report.turns),
        "teams": report.teams.iter()
            .map(|(roles, evidence)| json!({ "roles": roles, "evidence": evidence_json(*evidence) })).collect::<Vec<_>>(),
        "sum": report.sum.as_ref().map(finding_json),
        "orders": report.orders.iter()
            .map(|(name, chain, circle)| json!({ "relation": name, "chain": chain, "circle": circle })).collect::<Vec<_>>(),
        "fluents": fluents.collect::<Vec<_>>(),
        "boards": boards.collect::<Vec<_>>(),
        "counters": report.counters.iter().map(|counter| json!({
            "fluent": counter.fluent, "follows": counter.relation, "goes_on": ticks(counter.ticks),
            "left_out": counter.left_out,
        })).collect::<Vec<_>>(),
        "findings": report.findings.iter().map(finding_json).collect::<Vec<_>>(),
        "features": report.features,
        "goal_parts": report.goal_parts,
        "goals_measured": report.goals_measured,
        "goal_unmeasured": report.goal_unmeasured,
        "learned": report.learned.as_ref().map(|learned| json!({
            "positions": learned.samples, "explains": learned.explains,
            "weights": learned.weights.iter().map(|(name, weight)| json!({ "feature": name, "weight": weight })).collect::<Vec<_>>(),
        })),
        "games": {
            "states": games.states, "tested": games.tested, "games": games.games, "ended": games.ended,
            "stuck": games.stuck, "cut": games.cut, "length": games.length, "goals": games.goals,
            "choices": games.choices.iter().map(|(mean, most)| json!({ "mean": mean, "most": most })).collect::<Vec<_>>(),
        },
        "seconds": { "form": spent.form.as_secs_f64(), "play": spent.play.as_secs_f64() },
        "engine": spent.engine.name(),
    })
}
