//! What was found, beside what was published.

use super::cells::{Cell, Spending};
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

/// The games of one cell, added up.
struct Sum<'a> {
    cell: &'a Cell,
    tally: Tally,
    plies: u64,
    nodes: [u64; 2],
    playouts: [u64; 2],
    seconds: [f64; 2],
    moves: [u64; 2],
}

impl<'a> Sum<'a> {
    fn new(cell: &'a Cell, played: &[Played]) -> Sum<'a> {
        let mut sum = Sum {
            cell,
            tally: Tally::default(),
            plies: 0,
            nodes: [0; 2],
            playouts: [0; 2],
            seconds: [0.0; 2],
            moves: [0; 2],
        };
        for played in played.iter().filter(|played| played.cell == cell.id && played.number < cell.games) {
            match played.winner {
                Some(0) => sum.tally.wins += 1,
                Some(_) => sum.tally.losses += 1,
                None => sum.tally.draws += 1,
            }
            sum.plies += played.plies;
            for at in 0..2 {
                sum.nodes[at] += played.nodes[at];
                sum.playouts[at] += played.playouts[at];
                sum.seconds[at] += played.seconds[at];
                sum.moves[at] += played.moves[at];
            }
        }
        sum
    }

    fn rate(&self) -> f64 {
        100.0 * self.tally.rate()
    }

    fn interval(&self) -> (f64, f64) {
        let (low, high) = self.tally.interval();
        (100.0 * low, 100.0 * high)
    }

    fn spending(&self) -> String {
        match self.cell.spending {
            Spending::Nodes(nodes) => format!("{nodes} expansions"),
            Spending::Playouts(playouts) => format!("{playouts} playouts"),
            Spending::Processor(seconds) => format!("{seconds:.3} s of processor time"),
        }
    }

    fn a_second(&self, at: usize) -> f64 {
        self.nodes[at] as f64 / self.seconds[at].max(1e-9)
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
            self.spending(),
            self.tally.games().to_string(),
            format!("{:.1}%", self.rate()),
            format!("{low:.1}–{high:.1}%"),
            published,
            inside.to_string(),
            format!("{:.1}", self.plies as f64 / self.tally.games().max(1) as f64),
            format!("{:.2}M / {:.2}M", self.a_second(0) / 1e6, self.a_second(1) / 1e6),
        ]
    }

    fn json(&self) -> Value {
        let (low, high) = self.interval();
        let name = |at: usize| self.cell.players[at].name.as_str();
        json!({
            "part": self.cell.part, "first": name(0), "second": name(1), "spending": self.spending(),
            "games": self.tally.games(), "won": self.tally.wins, "drawn": self.tally.draws, "lost": self.tally.losses,
            "percent": self.rate(), "low": low, "high": high, "published": self.cell.published,
            "plies": self.plies, "expansions": self.nodes, "playouts": self.playouts, "seconds": self.seconds,
            "moves": self.moves, "settings": self.cell.players.each_ref().map(|player| format!("{:?}", player.player)),
        })
    }
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
pub fn report(args: &RoschkeArgs, cells: &[Cell], played: &[Played]) -> Report {
    let sums: Vec<Sum<'_>> = cells.iter().map(|cell| Sum::new(cell, played)).collect();
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
        let mut rows = vec![HEAD.map(String::from).to_vec()];
        let own = sums.iter().filter(|sum| sum.cell.part == part && sum.tally.games() > 0);
        rows.extend(own.map(Sum::row));
        if rows.len() > 1 {
            let _ = writeln!(told, "{}\n\n{}", title(part), text::aligned(&rows));
            let _ = writeln!(markdown, "## {}\n\n{}", title(part), table(&rows));
        }
    }
    let json = json!({
        "experiment": "roschke", "version": env!("CARGO_PKG_VERSION"), "seed": args.seed, "quick": args.quick,
        "table1": sizes(), "cells": sums.iter().filter(|sum| sum.tally.games() > 0).map(Sum::json).collect::<Vec<_>>(),
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
    for sum in sums.iter().filter(|sum| sum.cell.part == "table3" && sum.tally.games() > 0) {
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
