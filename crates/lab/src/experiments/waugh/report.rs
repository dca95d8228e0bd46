//! The two tables, ours beside those of the paper.

use super::published::{FIGURES, Figures, SECONDS};
use super::{Base, Mean, Played, thirds};
use crate::args::WaughArgs;
use crate::bench::meter;
use crate::experiments::anchors::markdown;
use anyhow::Result;
use platform::save;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;
use terminal::text;

/// Which of the two tables.
#[derive(Clone, Copy)]
enum Which {
    States,
    Simulations,
}

impl Which {
    fn title(self) -> &'static str {
        match self {
            Which::States => "Table 1: states examined for a move",
            Which::Simulations => "Table 2: simulations for a move",
        }
    }

    fn published(self, figures: &Figures) -> [u64; 3] {
        match self {
            Which::States => figures.states,
            Which::Simulations => figures.simulations,
        }
    }

    fn ours(self, mean: &Mean) -> Option<u64> {
        match self {
            Which::States => mean.of(mean.states),
            Which::Simulations => mean.of(mean.simulations),
        }
    }
}

/// One table. Ours are also given as a multiple of gdlcc's, where the time for a move is that of the paper.
fn cells(which: Which, args: &WaughArgs, games: &[&str], bases: &[Base], played: &[Played]) -> Vec<Vec<String>> {
    let head = ["game", "player", "games", "early", "middle", "end", "x gdlcc"];
    let mut lines = vec![head.map(String::from).to_vec()];
    for &game in games {
        let gdlcc = FIGURES.iter().find(|figures| figures.game == game && figures.player == "gdlcc");
        for figures in FIGURES.iter().filter(|figures| figures.game == game) {
            let mut line = vec![game.to_string(), format!("{} (paper)", figures.player), "20".to_string()];
            line.extend(which.published(figures).map(|figure| figure.to_string()));
            line.push("-".to_string());
            lines.push(line);
        }
        for &base in bases {
            let of_it = || played.iter().filter(|played| played.game == game && played.base == base);
            let means = thirds(of_it()).map(|mean| which.ours(&mean));
            let mut line = vec![game.to_string(), base.title().to_string(), of_it().count().to_string()];
            line.extend(means.map(|mean| mean.map_or("-".to_string(), |mean| mean.to_string())));
            let factor = match (gdlcc, means) {
                (Some(theirs), [Some(a), Some(b), Some(c)]) if args.seconds == SECONDS => {
                    let theirs: u64 = which.published(theirs).iter().sum();
                    format!("{:.1}", (a + b + c) as f64 / theirs as f64)
                }
                _ => "-".to_string(),
            };
            line.push(factor);
            lines.push(line);
        }
    }
    lines
}

/// Both tables for the terminal.
pub fn text(args: &WaughArgs, games: &[&str], bases: &[Base], played: &[Played]) -> String {
    let mut text = String::new();
    for which in [Which::States, Which::Simulations] {
        let cells = cells(which, args, games, bases, played);
        let _ = write!(text, "\n{} ({} s)\n{}", which.title(), args.seconds, text::aligned(&cells));
    }
    text + "\n"
}

/// Writes both tables as a page and as data.
pub fn write(args: &WaughArgs, folder: &Path, games: &[&str], bases: &[Base], played: &[Played]) -> Result<()> {
    let mut rows: Vec<Value> = Vec::new();
    for &game in games {
        for &base in bases {
            let of_it = || played.iter().filter(|played| played.game == game && played.base == base);
            let means = thirds(of_it());
            rows.push(json!({
                "game": game, "player": base, "games": of_it().count(),
                "states": means.map(|mean| Which::States.ours(&mean)),
                "simulations": means.map(|mean| Which::Simulations.ours(&mean)),
            }));
        }
    }
    let paper: Vec<Value> = FIGURES
        .iter()
        .map(|Figures { game, player, states, simulations }| {
            json!({ "game": game, "player": player, "games": 20, "states": states, "simulations": simulations })
        })
        .collect();
    let settings = json!({ "version": env!("CARGO_PKG_VERSION"), "seconds": args.seconds, "games": args.games,
        "seed": args.seed, "most_moves": args.most, "table_states": super::TABLE, "clock": meter::clock() });
    let results = json!({ "settings": settings, "ours": rows, "paper": paper });
    save(&folder.join("results.json"), &(serde_json::to_string_pretty(&results)? + "\n"))?;
    let mut page = format!(
        "# States and simulations of a Monte Carlo player\n\nOne player plays all roles; {} s for a move, up to {} games, seed {}; a second is a {}. \
         Averages over the first, middle and last third of each game. The paper's figures come from other rulesheets of the same games, \
         on a 2.4 GHz machine of 2009, with {SECONDS} s for a move.\n",
        args.seconds,
        args.games,
        args.seed,
        meter::clock().second(),
    );
    for which in [Which::States, Which::Simulations] {
        let cells = cells(which, args, games, bases, played);
        let _ = write!(page, "\n## {}\n\n{}", which.title(), markdown(&cells));
    }
    save(&folder.join("report.md"), &page)
}
