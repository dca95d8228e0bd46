//! `ludens study`: what the rules of a game and random games reveal.

use crate::cli::StudyArgs;
use ::study::{BoardFindings, Evidence, Finding, Findings};
use agent::engines;
use agent::studying::{Finished, HowFar, Studying};
use anyhow::{Result, bail, ensure};
use library::load;
use machine::EngineKind;
use platform::{Interrupt, Interrupted};
use serde::Serialize;
use terminal::{Answer, Out, Progress, text};

/// Runs the command.
pub fn run(args: &StudyArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    ensure!(args.seconds.is_finite() && args.seconds >= 0.0, "`--seconds` wants a number of seconds");
    let (sheet, rules) = load(&args.game)?;
    let cancel = interrupt.cancel();
    let game = engines::load(args.engine, &sheet, &rules, &cancel)?.engine;
    let studying = Studying {
        sheet: &sheet,
        rules: &rules,
        engine: &game,
        choice: args.engine,
        seed: args.seed,
        seconds: args.seconds,
        states: args.states,
        cancel: &cancel,
    };
    let mut progress = Progress::new();
    let Finished { study, form, play } = studying.run(&mut |at| progress.at(|_| words(at)));
    progress.wipe();
    if let Some(limit) = study.limit() {
        if cancel.is_cancelled() {
            bail!(Interrupted("the study is not finished, and nothing of it is shown".to_string()));
        }
        bail!("studying {}: {limit}", sheet.name);
    }
    let [form, play] = [form, play].map(|time| time.as_secs_f64());
    let spent = Spent { seconds: Seconds { form, play }, engine: game.kind() };
    let found = study.findings();
    if args.json {
        let whole = Whole { game: &sheet.name, findings: &found, seconds: spent.seconds, engine: spent.engine.name() };
        serde_json::to_writer_pretty(&mut *out, &whole)?;
        writeln!(out)?;
    } else {
        write(&sheet.name, &found, &spent, out)?;
    }
    if cancel.is_cancelled() {
        bail!(Interrupted("what is shown is what was found until then".to_string()));
    }
    Ok(Answer::Yes)
}

struct Spent {
    seconds: Seconds,
    engine: EngineKind,
}

/// What the parts took.
#[derive(Clone, Copy, Serialize)]
struct Seconds {
    form: f64,
    play: f64,
}

/// What `--json` writes.
#[derive(Serialize)]
struct Whole<'a> {
    game: &'a str,
    #[serde(flatten)]
    findings: &'a Findings,
    seconds: Seconds,
    engine: &'a str,
}

/// How far the study is, in words.
fn words(at: &HowFar) -> String {
    match at.states_left {
        Some(left) if left > 0 => format!("{}, {} left", at.doing, text::count(left as usize, "state")),
        Some(_) => at.doing.to_string(),
        None => format!("{}, at most {} left", at.doing, text::duration(at.most.as_secs_f64())),
    }
}

fn write(name: &str, report: &Findings, spent: &Spent, out: Out<'_>) -> Result<()> {
    writeln!(
        out,
        "{name}: what its rules and {} of random games reveal",
        text::count(report.games.states as usize, "state")
    )?;
    writeln!(out, "\nroles      {}", report.roles.join(", "))?;
    let turns = &report.turns;
    writeln!(out, "turns      {}  ({})", turns.what, turns.evidence)?;
    for team in &report.teams {
        writeln!(out, "team       {}  ({})", team.roles.join(", "), team.evidence)?;
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
        writeln!(out, "\ncounter    {} follows {} {}{left}", counter.fluent, counter.relation, counter.ticks.words())?;
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
    let Spent { seconds, engine } = spent;
    let [form, play] = [seconds.form, seconds.play].map(text::seconds);
    writeln!(out, "\n{form} for the form of the rules, {play} of random games ({} engine)", engine.name())?;
    Ok(())
}

fn finding(out: Out<'_>, what: &str, found: &Finding) -> Result<()> {
    writeln!(out, "{what:<9}  {}  ({})", found.what, found.evidence)?;
    Ok(())
}

fn games(report: &Findings, out: Out<'_>) -> Result<()> {
    let games = &report.games;
    let mut line = format!("{} with {:.1} moves each", text::count(games.games as usize, "random game"), games.length);
    if games.cut > 0 {
        line += &format!(", {} of them cut", games.cut);
    }
    writeln!(out, "games      {line}")?;
    let mut rows = vec![["role", "choices", "most", "goal"].map(String::from).to_vec()];
    for ((role, choices), goal) in report.roles.iter().zip(&games.choices).zip(&games.goals) {
        rows.push(vec![role.clone(), format!("{:.1}", choices.mean), choices.most.to_string(), format!("{goal:.1}")]);
    }
    write!(out, "\n{}", text::aligned(&rows))?;
    Ok(())
}

fn fluents(report: &Findings, out: Out<'_>) -> Result<()> {
    let mut rows = vec![["fluent", "is", "columns", "facts", "known"].map(String::from).to_vec()];
    for fluent in &report.fluents {
        let columns: Vec<String> = fluent
            .columns
            .iter()
            .map(|column| format!("{}{}", column.values, if column.ordered { "<" } else { "" }))
            .collect();
        let (fewest, most) = (fluent.fewest, fluent.most);
        let facts = if fewest == most { most.to_string() } else { format!("{fewest}..{most}") };
        rows.push(vec![
            fluent.modes.clone(),
            fluent.kind.words().to_string(),
            columns.join(" × "),
            facts,
            fluent.evidence.to_string(),
        ]);
    }
    write!(out, "\n{}", text::aligned(&rows))?;
    writeln!(out, "(+ inputs, - outputs: the inputs decide the outputs; < the values have an order)")?;
    Ok(())
}

fn picture(board: &BoardFindings, out: Out<'_>) -> Result<()> {
    let sizes: Vec<String> = board.axes.iter().map(|axis| axis.len().to_string()).collect();
    let order = if board.ordered { ", in order" } else { "" };
    let all: usize = board.axes.iter().map(Vec::len).product();
    let places = if board.places_seen < all {
        format!("{} of {all} places seen", board.places_seen)
    } else {
        text::count(board.places_seen, "place")
    };
    writeln!(out, "\nboard      {} {}{order}, {places}", board.fluent, sizes.join(" × "))?;
    if !board.markers.is_empty() {
        let markers: Vec<String> = board.markers.iter().map(|m| format!("{} (up to {})", m.name, m.most)).collect();
        writeln!(out, "markers    {}", markers.join(", "))?;
    }
    let mut known: Vec<(Evidence, Vec<&str>)> = Vec::new();
    for piece in &board.pieces {
        match known.iter_mut().find(|(other, _)| *other == piece.evidence) {
            Some((_, pieces)) => pieces.push(&piece.name),
            None => known.push((piece.evidence, vec![&piece.name])),
        }
    }
    for (evidence, pieces) in known {
        writeln!(out, "pieces     {}  ({evidence})", pieces.join(", "))?;
    }
    if let Some(steps) = &board.steps {
        finding(out, "steps", steps)?;
    }
    if let Some(first) = board.symmetries.first() {
        let maps: Vec<&str> = board.symmetries.iter().map(|map| map.what.as_str()).collect();
        writeln!(out, "maps       {}  ({})", maps.join(", "), first.evidence)?;
    }
    let cell = |cell: &Option<String>| cell.clone().unwrap_or_default();
    let widest = board.start.iter().flatten().map(|c| cell(c).chars().count()).max().unwrap_or(0).min(9);
    // The second coordinate grows upwards, as on paper.
    for row in board.start.iter().rev() {
        let cells: Vec<String> = row.iter().map(|c| format!("{:<widest$}", text::fit(&cell(c), widest))).collect();
        writeln!(out, "  {}", cells.join(" ").trim_end())?;
    }
    Ok(())
}

fn learned(report: &Findings, out: Out<'_>) -> Result<()> {
    let Some(learned) = &report.learned else {
        writeln!(out, "\nlearned    nothing: too few random games came to an end")?;
        return Ok(());
    };
    let explains: Vec<String> = learned.explains.iter().map(|share| format!("{:.0}%", 100.0 * share)).collect();
    writeln!(
        out,
        "\nlearned    from {}; explains {} of how games end, role by role",
        text::count(learned.positions, "position"),
        explains.join(", ")
    )?;
    let mut rows = vec![["what counts for the first role", "weight"].map(String::from).to_vec()];
    rows.extend(learned.weights.iter().map(|w| vec![w.feature.clone(), format!("{:+.1}", 100.0 * w.weight)]));
    write!(out, "{}", text::aligned(&rows))?;
    Ok(())
}
