//! What was found, beside what was published.

use super::cells::Cell;
use super::counts::{Counts, Earlier, Written};
use super::duel::Played;
use super::{PIECES, SIDE};
use crate::args::RoschkeArgs;
use crate::chart::{Bar, Group, bars};
use play::score::Tally;
use serde_json::{Value, json};
use std::fmt::Write as _;
use table::chinese::{Space, Spec};
use terminal::text;

pub struct Report {
    pub text: String,
    pub markdown: String,
    pub json: Value,
    pub figure: String,
}

/// A cell with its games.
struct Sum<'a> {
    cell: &'a Cell,
    counts: Counts,
}

impl<'a> Sum<'a> {
    fn new(cell: &'a Cell, earlier: &Earlier, played: &[Played]) -> Sum<'a> {
        let mut counts = earlier.counts(cell);
        played.iter().filter(|played| played.cell == cell.id).for_each(|played| counts.add(played));
        Sum { cell, counts }
    }

    fn games(&self) -> u64 {
        self.counts.tally().games()
    }

    fn rate(&self) -> f64 {
        100.0 * self.counts.tally().rate()
    }

    fn interval(&self) -> (f64, f64) {
        let (low, high) = self.counts.tally().interval();
        (100.0 * low, 100.0 * high)
    }

    fn a_second(&self, at: usize) -> f64 {
        self.counts.expansions[at] as f64 / self.counts.seconds[at].max(1e-9)
    }

    fn row(&self) -> Vec<String> {
        let (low, high) = self.interval();
        let published = self.cell.published.map_or("-".to_string(), |published| format!("{published:.1}%"));
        let inside = match self.cell.published {
            None => "",
            Some(published) if (low..=high).contains(&published) => "yes",
            Some(_) => "no",
        };
        let [first, second] = self.cell.players.each_ref().map(|player| player.name.clone());
        vec![
            first,
            second,
            self.cell.spending.to_string(),
            self.games().to_string(),
            format!("{:.1}%", self.rate()),
            format!("{low:.1}–{high:.1}%"),
            published,
            inside.to_string(),
            format!("{:.1}", self.counts.plies as f64 / self.games().max(1) as f64),
            format!("{:.2}M / {:.2}M", self.a_second(0) / 1e6, self.a_second(1) / 1e6),
        ]
    }

    /// What a program reads; [`Earlier`] reads it too.
    fn json(&self) -> Value {
        let (low, high) = self.interval();
        let mut json = json!(Written::new(self.cell, &self.counts));
        let more = [
            ("games", json!(self.games())),
            ("percent", json!(self.rate())),
            ("low", json!(low)),
            ("high", json!(high)),
            ("published", json!(self.cell.published)),
        ];
        if let Value::Object(fields) = &mut json {
            fields.extend(more.map(|(name, value)| (name.to_string(), value)));
        }
        json
    }
}

/// The players of two numbers who took turns to begin: what the one won as first and as second.
fn both_ways(sums: &[&Sum<'_>]) -> Vec<Vec<String>> {
    let mut rows = vec![["player", "against", "a move", "games", "won", "95%"].map(String::from).to_vec()];
    for (at, sum) in sums.iter().enumerate() {
        let [first, second] = &sum.cell.players;
        let is_return = |other: &&&Sum<'_>| {
            let [a, b] = &other.cell.players;
            (a, b) == (second, first) && a != b && other.cell.spending == sum.cell.spending
        };
        if let Some(back) = sums[at + 1..].iter().find(is_return) {
            let tally = Tally {
                wins: sum.counts.won + back.counts.lost,
                draws: sum.counts.drawn + back.counts.drawn,
                losses: sum.counts.lost + back.counts.won,
                ..Tally::default()
            };
            let (low, high) = tally.interval();
            rows.push(vec![
                first.name.clone(),
                second.name.clone(),
                sum.cell.spending.to_string(),
                tally.games().to_string(),
                format!("{:.1}%", 100.0 * tally.rate()),
                format!("{:.1}–{:.1}%", 100.0 * low, 100.0 * high),
            ]);
        }
    }
    rows
}

const HEAD: [&str; 10] =
    ["first", "second", "a move", "games", "first wins", "95%", "published", "inside", "plies", "expansions/s"];

fn title(part: &str) -> &'static str {
    match part {
        "table3" => "Table 3: the best players",
        "table4" => "Table 4: playouts",
        "table5" => "Table 5: time",
        "ours" => "Ours against the paper's best",
        "memory" => "100 MB of the table",
        _ => "Other readings",
    }
}

/// Everything that is to be said.
pub fn report(args: &RoschkeArgs, cells: &[Cell], earlier: &Earlier, played: &[Played]) -> Report {
    let sums: Vec<Sum<'_>> = cells.iter().map(|cell| Sum::new(cell, earlier, played)).collect();
    let mut told = String::new();
    let mut markdown = String::from("# UCT with a distance table\n\n");
    let _ = writeln!(
        markdown,
        "Made by `ludens lab roschke`, version {}, seed {}. The share of games that the first player won; half of the draws count. \
         An interval is Wilson's, 95%; *inside* says whether the published number lies in it.\n",
        env!("CARGO_PKG_VERSION"),
        args.seed
    );
    if args.only.is_empty() || args.only.iter().any(|only| only == "table1") {
        let rows = sizes();
        let _ = writeln!(told, "Table 1: sizes of the table by start\n\n{}", text::aligned(&rows));
        let _ = writeln!(markdown, "## Table 1: sizes of the table by start\n\n{}", table(&rows));
    }
    let mut parts: Vec<&str> = sums.iter().map(|sum| sum.cell.part).collect();
    parts.dedup();
    for part in parts {
        let own: Vec<&Sum<'_>> = sums.iter().filter(|sum| sum.cell.part == part && sum.games() > 0).collect();
        let mut rows = vec![HEAD.map(String::from).to_vec()];
        rows.extend(own.iter().map(|sum| sum.row()));
        if rows.len() > 1 {
            let _ = writeln!(told, "{}\n\n{}", title(part), text::aligned(&rows));
            let _ = writeln!(markdown, "## {}\n\n{}", title(part), table(&rows));
        }
        let rows = both_ways(&own);
        if rows.len() > 1 {
            let _ = writeln!(told, "As first and as second together\n\n{}", text::aligned(&rows));
            let _ = writeln!(markdown, "As first and as second together:\n\n{}", table(&rows));
        }
    }
    let json = json!({
        "experiment": "roschke", "version": env!("CARGO_PKG_VERSION"), "seed": args.seed, "quick": args.quick,
        "table1": sizes(), "cells": sums.iter().filter(|sum| sum.games() > 0).map(Sum::json).collect::<Vec<_>>(),
    });
    Report { text: told, markdown, json, figure: figure(&sums) }
}

fn table(rows: &[Vec<String>]) -> String {
    let mut lines = String::new();
    for (at, row) in rows.iter().enumerate() {
        let _ = writeln!(lines, "| {} |", row.join(" | "));
        if at == 0 {
            let _ = writeln!(lines, "|{}", "---|".repeat(row.len()));
        }
    }
    lines
}

/// The paper's Table 1, which counts starts from 1.
fn sizes() -> Vec<Vec<String>> {
    let mut rows = vec![["start", "six pieces", "%", "ten pieces", "%"].map(String::from).to_vec()];
    let spaces = [PIECES, 10].map(|pieces| Space::new(Spec::new(SIDE, pieces)));
    if let [Ok(six), Ok(ten)] = spaces {
        for start in [1, 5, 10, 15, 20, 25, 30, 35, 40] {
            let [a, b] = [&six, &ten].map(|space| space.entries_from(start - 1));
            let share = |part: u64, all: u64| format!("{:.3}", 100.0 * part as f64 / all as f64);
            rows.push(vec![
                start.to_string(),
                a.to_string(),
                share(a, six.entries()),
                b.to_string(),
                share(b, ten.entries()),
            ]);
        }
    }
    rows
}

/// Table 3 as bars: a group for each player that begins.
fn figure(sums: &[Sum<'_>]) -> String {
    let mut groups: Vec<Group> = Vec::new();
    for sum in sums.iter().filter(|sum| sum.cell.part == "table3" && sum.games() > 0) {
        let [first, second] = &sum.cell.players;
        let bar = Bar {
            name: format!("v {}", second.name),
            value: sum.rate(),
            interval: Some(sum.interval()),
            published: sum.cell.published,
        };
        match groups.last_mut().filter(|group| group.name == first.name) {
            Some(group) => group.bars.push(bar),
            None => groups.push(Group { name: first.name.clone(), bars: vec![bar] }),
        }
    }
    bars("Games won by the player who begins", "% of games; marks: Roschke and Sturtevant, Table 3", 100.0, &groups)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_the_papers() {
        let rows = sizes();
        let row = |start: &str| rows.iter().find(|row| row[0] == start).expect("it is there").clone();
        assert_eq!(row("1"), ["1", "324540216", "100.000", "1878392407320", "100.000"]);
        assert_eq!(row("20")[1..3], ["61474519", "18.942"]);
        assert_eq!(row("40")[1..], ["5245786", "1.616", "1471442973", "0.078"]);
    }
}
