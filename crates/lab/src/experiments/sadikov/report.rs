//! What the experiment found, beside what was published: words, numbers and the figures of the paper.

mod figures;

use super::findings::Findings;
use super::{LIMITS, Piece, SadikovArgs, Variant, published};
use plan::paper::Subject;
use plan::stages::Stage;
use plan::stages::evaluator::Evaluator;
use plan::stages::play::Repetition;
use serde_json::{Value, json};
use std::fmt::Write as _;
use terminal::text;

/// What is written.
pub struct Report {
    /// For the terminal.
    pub text: String,
    /// For people.
    pub markdown: String,
    /// For programs.
    pub json: Value,
    /// The figures, with the names of their files.
    pub figures: Vec<(String, String)>,
}

/// Who is to move where a search of n plies ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reading {
    /// White: n plies from white's move on.
    White,
    /// Black, as in the positions that were learned from: n plies after white's move.
    Black,
}

impl Reading {
    const ALL: [Reading; 2] = [Reading::White, Reading::Black];

    fn words(self) -> &'static str {
        match self {
            Reading::White => "white to move at the leaves",
            Reading::Black => "black to move at the leaves",
        }
    }

    fn letter(self) -> char {
        match self {
            Reading::White => 'w',
            Reading::Black => 'b',
        }
    }

    /// The plies here of what the paper calls so many.
    fn plies(self, published: usize) -> usize {
        published + usize::from(self == Reading::Black)
    }

    /// The depths of the paper's kind that were played.
    fn depths(self, pieces: &[&Piece]) -> Vec<usize> {
        let played = depths(pieces);
        let even = played.iter().copied().filter(|plies| plies % 2 == 0);
        even.filter(|&plies| played.contains(&self.plies(plies))).collect()
    }
}

/// Makes the report.
pub fn report(args: &SadikovArgs, found: &[Findings], pieces: &[Piece]) -> Report {
    let mut markdown = format!(
        "# Stages, trees, regressions and play\n\nMade by `{}`, version {}.\n\nAll is learned from positions with black to move, as in the paper. \
         Games begin there too, black defends by the table, and white plays by minimax. *Moves over the optimum* are given twice: over the games that were won, \
         and over all games, those not won counting {} moves.\n",
        args.command(),
        env!("CARGO_PKG_VERSION"),
        LIMITS[0]
    );
    let mut short = String::new();
    let mut figures = Vec::new();
    let mut endings = serde_json::Map::new();
    for found in found {
        let mine: Vec<&Piece> = pieces.iter().filter(|piece| piece.ending == found.subject.name()).collect();
        markdown += &learned(found);
        markdown += &beside(found, &mine);
        markdown += &played(found, &mine);
        figures.extend(figures::all(found, &mine));
        short += &summary(found, &mine);
        endings.insert(found.subject.name().to_string(), numbers(found, &mine));
    }
    let json = json!({
        "command": args.command(),
        "version": env!("CARGO_PKG_VERSION"),
        "limits": LIMITS,
        "endings": endings,
    });
    Report { text: short, markdown, json, figures }
}

/// The names of the attributes.
fn names(found: &Findings) -> Vec<&'static str> {
    found.subject.attributes().iter().map(|attribute| attribute.name).collect()
}

/// The names of the stages.
fn stages(found: &Findings) -> Vec<&str> {
    found.learned.stages.iter().map(|stage| stage.name.as_str()).collect()
}

fn strs(list: &[String]) -> Vec<&str> {
    list.iter().map(String::as_str).collect()
}

/// The share of positions in each of these stages, in per cent.
fn shares(found: &Findings, stages: &[Stage]) -> Vec<f64> {
    let all: u64 = found.levels.iter().sum();
    let mut from = 0;
    let share = |last: u16| {
        let to = (usize::from(last).saturating_add(1)).min(found.levels.len());
        let count: u64 = found.levels[from.min(to)..to].iter().sum();
        from = to;
        100.0 * count as f64 / all.max(1) as f64
    };
    stages.iter().map(|stage| stage.last).map(share).collect()
}

/// Levels, correlations, trees and regressions in words.
fn learned(found: &Findings) -> String {
    let subject = found.subject;
    let mut out = format!("\n## {}: what is learned\n\n", subject.material());
    let levels: Vec<String> = found.levels.iter().map(u64::to_string).collect();
    let _ = writeln!(
        out,
        "Positions of level 0, 1, 2, …: {} ({} in all).{}\n",
        levels.join(", "),
        found.levels.iter().sum::<u64>(),
        match subject {
            Subject::Krk if found.levels == published::KRK_LEVELS => " These are the counts of the public data set.",
            Subject::Krk => " These are **not** the counts of the public data set.",
            Subject::Kqkr => "",
        }
    );
    let rows = found.relevance.correlations.iter().enumerate().map(|(at, value)| {
        let level = found.relevance.first + at as u16;
        let gains = &found.relevance.gains[at];
        let mut best: Vec<usize> = (0..gains.len()).collect();
        best.sort_by(|a, b| gains[*b].total_cmp(&gains[*a]));
        let best: Vec<String> = best.iter().take(3).map(|&a| format!("{} {:.3}", names(found)[a], gains[a])).collect();
        let minimum = if found.relevance.minima().contains(&level) { "minimum" } else { "" };
        format!("| {level} v {} | {value:.3} | {minimum} | {} |\n", level + 1, best.join(", "))
    });
    let _ = writeln!(
        out,
        "| levels | Corr(i) | | attributes that tell them apart best, by gain ratio |\n|---|---:|---|---|\n{}",
        rows.collect::<String>()
    );
    let list = |list: &[u16]| list.iter().map(u16::to_string).collect::<Vec<_>>().join(", ");
    let figure = if subject == Subject::Krk { 1 } else { 3 };
    let _ = writeln!(
        out,
        "Local minima at {} (published: {}). ![Figure {figure}](figure{figure}.svg)\n",
        list(&found.relevance.minima()),
        list(published::borders(subject))
    );
    let fine = subject.fine_stages();
    let parts: Vec<String> =
        fine.iter().zip(shares(found, &fine)).map(|(stage, share)| format!("{} {share:.1}%", stage.name)).collect();
    let said = published::KQKR_SHARES.map(|share| format!("{share}%")).join(", ");
    let said = if subject == Subject::Kqkr { format!(" (published: {said})") } else { String::new() };
    let _ = writeln!(out, "Stages: {}{said}.\n\n### Trees\n", parts.join(", "));
    for (name, tree) in &found.learned.trees {
        let told = tree.text(&names(found), &stages(found));
        let _ = writeln!(out, "Tree *{name}*, {:.1}% told right:\n\n```\n{told}```\n", 100.0 * tree.accuracy());
    }
    for (name, classes, tree) in &found.trees {
        let told = tree.text(&names(found), &strs(classes));
        let _ = writeln!(out, "Not played by, {name}, {:.1}% told right:\n\n```\n{told}```\n", 100.0 * tree.accuracy());
    }
    out += &regressions(found);
    out
}

fn regressions(found: &Findings) -> String {
    let mut out = String::from("### Regressions\n\n| | constant");
    for name in names(found) {
        let _ = write!(out, " | {name}");
    }
    let _ = writeln!(out, " |\n|---|{}", "---:|".repeat(names(found).len() + 1));
    let local = stages(found).into_iter().zip(&found.learned.local);
    for (name, linear) in std::iter::once(("global", &found.learned.global)).chain(local) {
        let weights: Vec<String> = linear.weights.iter().map(|weight| format!("{weight:.2}")).collect();
        let _ = writeln!(out, "| {name} | {:.2} | {} |", linear.constant, weights.join(" | "));
    }
    out += "\n| predictor | root mean squared error | mean absolute error | published |\n|---|---:|---:|---:|\n";
    for (name, root, mean) in &found.errors {
        let said = published::error(found.subject, name).map_or("–".to_string(), |error| format!("{error:.2}"));
        let _ = writeln!(out, "| {name} | {root:.2} | {mean:.2} | {said} |");
    }
    out
}

/// A result in a cell of a table: success, moves over the optimum of what was won, and of all.
fn cell(piece: Option<&&Piece>) -> String {
    piece.map_or("–".to_string(), |piece| {
        format!("{:.2} (+{:.2}; +{:.2})", piece.success(), piece.mean_excess(), piece.mean_counted())
    })
}

fn find<'a>(
    pieces: &'a [&'a Piece],
    evaluator: &str,
    variant: Variant,
    plies: usize,
    repetition: Repetition,
    limit: u16,
) -> Option<&'a &'a Piece> {
    pieces.iter().find(|piece| {
        (piece.evaluator.as_str(), piece.variant.as_str(), piece.plies, piece.limit)
            == (evaluator, variant.name(), plies, limit)
            && piece.repetition == repetition.words()
    })
}

fn depths(pieces: &[&Piece]) -> Vec<usize> {
    let mut depths: Vec<usize> = pieces.iter().map(|piece| piece.plies).collect();
    depths.sort_unstable();
    depths.dedup();
    depths
}

/// The numbers of the paper beside those of both readings, and how far off each set of settings is.
fn beside(found: &Findings, pieces: &[&Piece]) -> String {
    let mut out = format!(
        "\n## {}: play beside the paper\n\nSuccess in % (+moves over the optimum over all games, those not won counting {} moves), repetitions {}.\n\n\
         | evaluator | plies | published | {} | {} |\n|---|---:|---:|---:|---:|\n",
        found.subject.material(),
        LIMITS[0],
        Repetition::ALL[0].words(),
        Reading::White.words(),
        Reading::Black.words()
    );
    for evaluator in found.learned.evaluators() {
        let name = found.learned.name(evaluator);
        for plies in Reading::White.depths(pieces) {
            let said = published::play(found.subject, &name, plies);
            let said = said.map_or("–".to_string(), |(success, over)| format!("{success:.2} (+{over:.2})"));
            let _ = write!(out, "| {name} | {plies} | {said} |");
            for reading in Reading::ALL {
                let piece = find(pieces, &name, Variant::Main, reading.plies(plies), Repetition::ALL[0], LIMITS[0]);
                let found = piece.map(|piece| format!("{:.2} (+{:.2})", piece.success(), piece.mean_counted()));
                let _ = write!(out, " {} |", found.unwrap_or("–".to_string()));
            }
            out += "\n";
        }
    }
    let fits = fits(found, pieces);
    if !fits.is_empty() {
        let _ = write!(
            out,
            "\nHow far the settings are from the paper, on average over the {} numbers that it gives (the tree that is nearest to the paper's stands for it):\n\n\
             | leaves | repetitions | limit | success, percent points | moves over the optimum of all games | of games won |\n|---|---|---:|---:|---:|---:|\n",
            fits[0].numbers
        );
    }
    for fit in &fits {
        let (reading, repetition) = (fit.reading.words(), fit.repetition.words());
        let [success, all, won] = fit.off;
        let _ = writeln!(out, "| {reading} | {repetition} | {} | {success:.1} | {all:.1} | {won:.1} |", fit.limit);
    }
    out
}

/// How far some settings are from the paper.
struct Fit {
    reading: Reading,
    repetition: Repetition,
    limit: u16,
    numbers: usize,
    /// Mean differences: of success, of moves over the optimum of all games, and of those that were won.
    off: [f64; 3],
}

fn fits(found: &Findings, pieces: &[&Piece]) -> Vec<Fit> {
    let mut fits = Vec::new();
    for reading in Reading::ALL {
        for repetition in Repetition::ALL {
            for limit in LIMITS {
                let (mut numbers, mut off) = (0, [0.0; 3]);
                for evaluator in found.learned.evaluators().into_iter().filter(|one| *one != Evaluator::Tree(0)) {
                    let name = found.learned.name(evaluator);
                    for plies in reading.depths(pieces) {
                        let piece = find(pieces, &name, Variant::Main, reading.plies(plies), repetition, limit);
                        if let (Some((success, over)), Some(piece)) =
                            (published::play(found.subject, &name, plies), piece)
                        {
                            numbers += 1;
                            off[0] += (piece.success() - success).abs();
                            off[1] += (piece.mean_counted() - over).abs();
                            off[2] += (piece.mean_excess() - over).abs();
                        }
                    }
                }
                if numbers > 0 {
                    fits.push(Fit { reading, repetition, limit, numbers, off: off.map(|sum| sum / numbers as f64) });
                }
            }
        }
    }
    fits
}

/// The tables of play.
fn played(found: &Findings, pieces: &[&Piece]) -> String {
    let games = pieces.iter().map(|piece| piece.games).max().unwrap_or(0);
    let mut out = format!(
        "\n## {}: play in full\n\nFrom {games} positions with black to move. Success in % (+moves over the optimum in games that were won; +over all games). With an even number of plies white is \
         to move where the search ends, with an odd number black, as in the positions that were learned from: so the published number stands in the \
         row of its own depth and in the row below it.\n",
        found.subject.material()
    );
    for limit in LIMITS {
        for evaluator in found.learned.evaluators() {
            let name = found.learned.name(evaluator);
            let _ = write!(out, "\n**{name}**, at most {limit} moves\n\n| plies |");
            for repetition in Repetition::ALL {
                let _ = write!(out, " {} |", repetition.words());
            }
            out += " published |\n|---:|---:|---:|---:|---:|\n";
            for plies in depths(pieces) {
                let _ = write!(out, "| {plies} |");
                for repetition in Repetition::ALL {
                    let _ = write!(out, " {} |", cell(find(pieces, &name, Variant::Main, plies, repetition, limit)));
                }
                let said = published::play(found.subject, &name, plies - plies % 2);
                let said = said.map_or("–".to_string(), |(success, over)| format!("{success:.2} (+{over:.2})"));
                let _ = writeln!(out, " {said} |");
            }
        }
    }
    out + &variants(found, pieces)
}

/// What the other settings change.
fn variants(found: &Findings, pieces: &[&Piece]) -> String {
    if pieces.iter().all(|piece| piece.variant == Variant::Main.name()) {
        return String::new();
    }
    let mut out = format!(
        "\n### Other settings\n\nAt most {} moves, repetitions {}.\n\n| evaluator | plies |",
        LIMITS[0],
        Repetition::ALL[0].words()
    );
    for variant in Variant::ALL {
        let _ = write!(out, " {} |", variant.name());
    }
    out += "\n|---|---:|---:|---:|---:|\n";
    for evaluator in found.learned.evaluators() {
        let name = found.learned.name(evaluator);
        for plies in depths(pieces).into_iter().filter(|plies| plies % 2 == 0) {
            let _ = write!(out, "| {name} | {plies} |");
            for variant in Variant::ALL {
                let _ = write!(out, " {} |", cell(find(pieces, &name, variant, plies, Repetition::ALL[0], LIMITS[0])));
            }
            out += "\n";
        }
    }
    out
}

/// The lines for the terminal.
fn summary(found: &Findings, pieces: &[&Piece]) -> String {
    let list = |list: &[u16]| list.iter().map(u16::to_string).collect::<Vec<_>>().join(", ");
    let minima = list(&found.relevance.minima());
    let said = list(published::borders(found.subject));
    let mut out = format!("{}: minima at {minima} (published: {said})\n", found.subject.material());
    let heads = ["evaluator", "plies", "avoided", "second best", "no rule", "published"];
    let mut rows: Vec<Vec<String>> = vec![heads.map(String::from).to_vec()];
    for evaluator in found.learned.evaluators() {
        let name = found.learned.name(evaluator);
        for plies in depths(pieces).into_iter().filter(|plies| plies % 2 == 0) {
            let mut row = vec![name.clone(), plies.to_string()];
            for repetition in Repetition::ALL {
                let piece = find(pieces, &name, Variant::Main, plies, repetition, LIMITS[0]);
                row.push(piece.map_or("–".into(), |p| format!("{:.1} (+{:.1})", p.success(), p.mean_counted())));
            }
            let said = published::play(found.subject, &name, plies);
            row.push(said.map_or("–".into(), |(success, over)| format!("{success:.1} (+{over:.1})")));
            rows.push(row);
        }
    }
    out += &text::aligned(&rows);
    out
}

/// Everything in numbers.
fn numbers(found: &Findings, pieces: &[&Piece]) -> Value {
    let linear =
        |linear: &plan::stages::regression::Linear| json!({"constant": linear.constant, "weights": linear.weights});
    let local: Vec<Value> = found.learned.local.iter().map(linear).collect();
    let tree = |name: &str, classes: &[&str], tree: &plan::stages::tree::Tree| json!({"name": name, "accuracy": tree.accuracy(), "text": tree.text(&names(found), classes)});
    let played = found.learned.trees.iter().map(|(name, one)| tree(name, &stages(found), one));
    let others = found.trees.iter().map(|(name, classes, one)| tree(name, &strs(classes), one));
    let errors = found.errors.iter().map(|(name, root, mean)| {
        json!({"predictor": name, "rmse": root, "mean_absolute": mean, "published": published::error(found.subject, name)})
    });
    let play = pieces.iter().map(|piece| {
        let said = published::play(found.subject, &piece.evaluator, piece.plies);
        json!({
            "evaluator": piece.evaluator,
            "variant": piece.variant,
            "plies": piece.plies,
            "repetition": piece.repetition,
            "limit": piece.limit,
            "games": piece.games,
            "won": piece.won,
            "success": piece.success(),
            "excess_of_won": piece.mean_excess(),
            "excess_of_all": piece.mean_counted(),
            "worst": piece.worst,
            "published": said.map(|(success, over)| json!({"success": success, "excess": over})),
        })
    });
    json!({
        "levels": found.levels,
        "attributes": found.subject.attributes().iter().map(|a| json!({"name": a.name, "words": a.words})).collect::<Vec<_>>(),
        "first_level": found.relevance.first,
        "gains": found.relevance.gains,
        "correlations": found.relevance.correlations,
        "minima": found.relevance.minima(),
        "published_minima": published::borders(found.subject),
        "stages": found.subject.fine_stages().iter().zip(shares(found, &found.subject.fine_stages()))
            .map(|(stage, share)| json!({"name": stage.name, "last_level": stage.last, "share": share})).collect::<Vec<_>>(),
        "trees": played.chain(others).collect::<Vec<_>>(),
        "regressions": {"global": linear(&found.learned.global), "stages": local},
        "errors": errors.collect::<Vec<_>>(),
        "play": play.collect::<Vec<_>>(),
        "fits": fits(found, pieces).iter().map(|fit| json!({
            "leaves": fit.reading.words(),
            "repetition": fit.repetition.words(),
            "limit": fit.limit,
            "numbers": fit.numbers,
            "success": fit.off[0],
            "excess_of_all": fit.off[1],
            "excess_of_won": fit.off[2],
        })).collect::<Vec<_>>(),
    })
}
