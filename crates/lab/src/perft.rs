//! `ludens perft`: paths of each length, counted.

use crate::args::PerftArgs;
use agent::load as load_engine;
use anyhow::{Context, Result, bail, ensure};
use game::perft::{Count, divide, facts_named, perft_from, perft_turns};
use game::{Cancel, Limit, Move, Names};
use library::load;
use platform::{Interrupt, Interrupted};
use serde_json::json;
use std::time::Instant;
use terminal::Progress;
use terminal::{Answer, Out, text};

/// Runs the command.
pub fn run(args: &PerftArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let (sheet, rules) = load(&args.game)?;
    let cancel = interrupt.cancel();
    let game = load_engine(args.engine, &sheet, &rules, &cancel)?.engine;
    Perft { args, name: &sheet.name, cancel, out }.run(&game)?;
    Ok(Answer::Yes)
}

struct Perft<'a> {
    args: &'a PerftArgs,
    name: &'a str,
    cancel: Cancel,
    out: Out<'a>,
}

impl Perft<'_> {
    fn run(mut self, game: &machine::Engine) -> Result<()> {
        if self.args.divide {
            self.divide(game)
        } else if let Some(fact) = &self.args.turns {
            self.turns(game, fact)
        } else {
            self.depths(game)
        }
    }
}

impl Perft<'_> {
    /// One depth after the other, each from the start: the deepest one takes nearly all of the time, and the table
    /// grows while one waits.
    fn depths<G: Names>(&mut self, game: &G) -> Result<()> {
        let mut rows = Vec::new();
        if !self.args.json {
            self.head()?;
        }
        let mut expected = None;
        for depth in 0..=self.args.depth as usize {
            let started = Instant::now();
            let mut watch = Watch::new(depth, expected, &self.cancel);
            let counts = perft_from(game, &game.start(), depth, &mut |visited| watch.goes_on(visited));
            drop(watch);
            let counts = match counts {
                Err(_) if self.cancel.is_cancelled() => {
                    // What is counted is worth telling, in either form.
                    self.finish(json!({ "game": self.name, "perft": rows }))?;
                    bail!(Interrupted(format!(
                        "the paths of {} are not counted to the end",
                        text::count(depth, "move")
                    )));
                }
                counts => counts.with_context(|| format!("perft of {} at depth {depth}", self.name))?,
            };
            let count = counts[depth];
            let time = started.elapsed().as_secs_f64();
            let visited: u64 = counts.iter().map(|count| count.nodes).sum();
            expected = next_of(&counts).map(|next| visited as f64 + next);
            if self.args.json {
                rows.push(row_json(depth, count, time));
            } else {
                self.row(depth, count, time, visited)?;
            }
            if count.nodes == count.terminal && depth < self.args.depth as usize {
                if !self.args.json {
                    writeln!(self.out, "every path has ended: there are none longer than {depth}")?;
                }
                break;
            }
        }
        self.finish(json!({ "game": self.name, "perft": rows }))
    }

    fn turns<G: Names>(&mut self, game: &G, fact: &str) -> Result<()> {
        let owned = |state: &G::State| facts_named(game.facts(state), fact);
        ensure!(
            !owned(&game.start()).is_empty(),
            "no fact of the start is called {fact:?}; `--turns control` wants facts such as (control white)"
        );
        let started = Instant::now();
        let depth = self.args.depth as usize;
        let mut watch = Watch::new(depth, None, &self.cancel);
        let counts = perft_turns(game, depth, &owned, &mut |visited| watch.goes_on(visited));
        drop(watch);
        let counts = self.whole(counts)?;
        let time = started.elapsed().as_secs_f64();
        if self.args.json {
            let rows: Vec<_> = counts
                .iter()
                .enumerate()
                .map(|(depth, count)| json!({ "depth": depth, "nodes": count.nodes, "terminal": count.terminal }))
                .collect();
            return self.finish(json!({ "game": self.name, "fact": fact, "seconds": time, "turns": rows }));
        }
        writeln!(self.out, "{:>5}  {:>14}  {:>12}", "turns", "nodes", "terminal")?;
        for (depth, count) in counts.iter().enumerate() {
            writeln!(self.out, "{depth:>5}  {:>14}  {:>12}", count.nodes, count.terminal)?;
        }
        writeln!(self.out, "{} altogether", text::seconds(time))?;
        Ok(())
    }

    fn divide<G: Names>(&mut self, game: &G) -> Result<()> {
        let depth = self.args.depth as usize;
        let started = Instant::now();
        let mut watch = Watch::new(depth, None, &self.cancel);
        let rows = divide(game, &game.start(), depth, &mut |visited| watch.goes_on(visited));
        drop(watch);
        let rows = self.whole(rows)?;
        let time = started.elapsed().as_secs_f64();
        let sum = rows.iter().fold(Count::default(), |sum, (_, count)| Count {
            nodes: sum.nodes + count.nodes,
            terminal: sum.terminal + count.terminal,
        });
        let mut rows: Vec<(Vec<String>, Count)> =
            rows.into_iter().map(|(joint, count)| (joint_text(game, &joint), count)).collect();
        rows.sort_by(|a, b| a.0.cmp(&b.0));
        if self.args.json {
            let rows: Vec<_> = rows
                .iter()
                .map(|(joint, count)| json!({ "joint": joint, "nodes": count.nodes, "terminal": count.terminal }))
                .collect();
            let report = json!({ "game": self.name, "depth": depth, "nodes": sum.nodes, "terminal": sum.terminal,
                "seconds": time, "divide": rows });
            return self.finish(report);
        }
        let mut lines = vec![vec!["joint move".to_string(), "nodes".to_string(), "terminal".to_string()]];
        let line = |name: String, count: &Count| vec![name, count.nodes.to_string(), count.terminal.to_string()];
        lines.extend(rows.iter().map(|(joint, count)| line(joint.join(" "), count)));
        lines.push(line(format!("all {}", rows.len()), &sum));
        write!(self.out, "{}", text::aligned(&lines))?;
        Ok(())
    }

    /// A count that is worth nothing unless it is whole.
    fn whole<T>(&self, counted: Result<T, Limit>) -> Result<T> {
        if counted.is_err() && self.cancel.is_cancelled() {
            bail!(Interrupted("the count is not finished, and nothing of it is shown".to_string()));
        }
        counted.with_context(|| format!("perft of {} at depth {}", self.name, self.args.depth))
    }

    fn head(&mut self) -> Result<()> {
        writeln!(self.out, "{:>5}  {:>14}  {:>12}  {:>10}  {:>12}", "depth", "nodes", "terminal", "time", "nodes/s")?;
        Ok(self.out.flush()?)
    }

    fn row(&mut self, depth: usize, count: Count, time: f64, visited: u64) -> Result<()> {
        let rate = visited as f64 / time.max(1e-9);
        let (time, Count { nodes, terminal }) = (text::seconds(time), count);
        writeln!(self.out, "{depth:>5}  {nodes:>14}  {terminal:>12}  {time:>10}  {rate:>12.0}")?;
        Ok(self.out.flush()?)
    }

    fn finish(&mut self, report: serde_json::Value) -> Result<()> {
        if self.args.json {
            serde_json::to_writer_pretty(&mut *self.out, &report)?;
            writeln!(self.out)?;
        }
        Ok(())
    }
}

fn row_json(depth: usize, count: Count, seconds: f64) -> serde_json::Value {
    json!({ "depth": depth, "nodes": count.nodes, "terminal": count.terminal, "seconds": seconds })
}

/// How many paths of the next length there are, if their number grows as it did last.
fn next_of(counts: &[Count]) -> Option<f64> {
    let [.., before, last] = counts else { return None };
    let open = |count: &Count| (count.nodes - count.terminal) as f64;
    (open(before) > 0.0).then(|| open(last) * last.nodes as f64 / open(before))
}

/// What is told of a count while it goes on, and whether it goes on.
struct Watch<'a> {
    depth: usize,
    /// The nodes to visit, where that can be guessed.
    expected: Option<f64>,
    progress: Progress,
    cancel: &'a Cancel,
}

impl Watch<'_> {
    fn new(depth: usize, expected: Option<f64>, cancel: &Cancel) -> Watch<'_> {
        Watch { depth, expected, progress: Progress::new(), cancel }
    }

    fn goes_on(&mut self, visited: u64) -> bool {
        let depth = self.depth;
        let words = |seconds: f64| format!("depth {depth}: {visited} nodes, {:.0} nodes/s", visited as f64 / seconds);
        match self.expected {
            // Past its end the guess says nothing.
            Some(expected) if (visited as f64) < expected => {
                self.progress.fraction(visited as f64 / expected, |seconds| words(seconds) + ", about");
            }
            _ => self.progress.at(words),
        }
        !self.cancel.is_cancelled()
    }
}

fn joint_text<G: Names>(game: &G, joint: &[Move]) -> Vec<String> {
    joint.iter().map(|&mv| game.move_text(mv)).collect()
}
