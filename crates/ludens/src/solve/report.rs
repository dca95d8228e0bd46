//! What `ludens solve` tells: for people, for programs, and as the statistics of the stored table.

use crate::tables;
use ::table::solve::{Counter, LineEnd, Statistics, Summary};
use agent::solving::Solution;
use anyhow::Result;
use platform::memory::size;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::PathBuf;
use terminal::{Out, bars, text};

/// See the module.
pub struct Report<'a> {
    /// The game.
    pub name: &'a str,
    /// What was found.
    pub solution: &'a Solution,
    /// How long it took.
    pub seconds: f64,
    /// Where the table is.
    pub table: Option<PathBuf>,
    /// Why it is not stored, if that failed.
    pub unstored: Option<String>,
}

/// The counter that was left out of the states, for programs.
#[derive(Serialize)]
struct LeftOut<'a> {
    /// Its fact at the start.
    first: Option<&'a String>,
    /// Its fact that ends the game.
    last: Option<&'a String>,
    /// After so many plies the game is over.
    plies: u32,
}

impl LeftOut<'_> {
    fn new(counter: &Counter) -> LeftOut<'_> {
        LeftOut { first: counter.facts.first(), last: counter.facts.last(), plies: counter.plies() }
    }
}

/// So many moves of a line are shown unless all are asked for.
const SHORT: usize = 16;

impl Report<'_> {
    /// Writes the report.
    pub fn write(&self, as_json: bool, whole_line: bool, out: Out<'_>) -> Result<()> {
        if as_json {
            let statistics = self.solution.statistics();
            let summary = Summary::new(statistics, Some(self.solution.start()), self.name, &self.solution.roles);
            let mut report = serde_json::to_value(summary)?;
            let steps = self.solution.line.iter().map(|step| {
                let value = step.entry.and_then(|entry| entry.value);
                let distance = step.entry.and_then(|entry| entry.distance);
                json!({ "role": step.role, "move": step.text, "joint": step.joint, "value": value, "distance": distance })
            });
            report["line"] = steps.collect();
            if let Some(counter) = &self.solution.counter {
                report["left_out"] = serde_json::to_value(LeftOut::new(counter))?;
            }
            report["end"] = self.end_json(self.solution.end);
            report["engine"] = json!(self.solution.engine);
            report["seconds"] = json!(self.seconds);
            report["memory"] = json!(self.solution.memory);
            report["table"] = json!(self.table);
            if let Some(error) = &self.unstored {
                report["unstored"] = json!(error);
            }
            serde_json::to_writer_pretty(&mut *out, &report)?;
            return Ok(writeln!(out)?);
        }
        self.write_head(out)?;
        self.write_line(whole_line, out)?;
        self.write_values(out)?;
        match &self.table {
            Some(path) => writeln!(out, "\nstored in {}", path.display())?,
            None => writeln!(out, "\nnot stored")?,
        }
        Ok(())
    }

    fn write_head(&self, out: Out<'_>) -> Result<()> {
        let Statistics { states, layers, terminal, stuck, unrated, sums, .. } = self.solution.statistics();
        let time = text::seconds(self.seconds);
        writeln!(
            out,
            "{}: solved in {time} (engine: {}, {})",
            self.name,
            self.solution.engine,
            size(self.solution.memory)
        )?;
        let depth = layers.len() - 1;
        writeln!(out, "states     {states}, {terminal} of them terminal, up to {depth} moves from the start")?;
        if let Some(Counter { facts }) = &self.solution.counter
            && let (Some(first), Some(last)) = (facts.first(), facts.last())
        {
            writeln!(out, "{}", tables::counter_words(first, last, facts.len() - 1))?;
        }
        if *stuck > 0 {
            writeln!(
                out,
                "stuck      {stuck} states leave a role without a move: the rules are faulty; counted as ends"
            )?;
        }
        if *unrated > 0 {
            writeln!(out, "no goal    {unrated} ends give a role no goal, or several; counted as 0")?;
        }
        if self.solution.roles.len() == 2 && sums.is_some_and(|(least, most)| least != most) {
            writeln!(out, "note       the goals do not always add up to the same; solved for the difference")?;
        }
        let mut value = self.words(self.solution.start().value);
        if let Some(distance) = self.solution.start().distance {
            value += &format!(" in {}", text::count(distance.into(), "move"));
        }
        let is_even = self.solution.roles.len() == 2 && self.solution.start().value == Some(0);
        if is_even && self.solution.counter.is_some() {
            value += " (neither can force more before the game ends)";
        } else if is_even && self.solution.statistics().may_repeat {
            value += " (neither can force more; play that never ends counts as even)";
        }
        Ok(writeln!(out, "value      {value}")?)
    }

    fn write_line(&self, whole: bool, out: Out<'_>) -> Result<()> {
        let end = self.end_words(self.solution.end);
        if whole {
            writeln!(out, "line       {}, then: {end}", text::count(self.solution.line.len(), "move"))?;
            for (at, step) in self.solution.line.iter().enumerate() {
                let distance = step.entry.and_then(|entry| entry.distance).map(|moves| format!("  {moves} to go"));
                let number = at + 1;
                writeln!(out, "{number:>9}  {} {}{}", step.role, step.text, distance.unwrap_or_default())?;
            }
            return Ok(());
        }
        let shown: Vec<String> = self.solution.line.iter().take(SHORT).map(|step| step.text.clone()).collect();
        let more = match self.solution.line.len().saturating_sub(SHORT) {
            0 => String::new(),
            left => format!(" … {left} more (--line shows all)"),
        };
        Ok(writeln!(out, "line       {}{more}: {end}", shown.join(" "))?)
    }

    fn write_values(&self, out: Out<'_>) -> Result<()> {
        writeln!(out)?;
        if self.solution.counter.is_some() {
            writeln!(out, "without the counter:")?;
        }
        let mut rows = vec![["value", "states", "longest"].map(String::from).to_vec()];
        for (value, count) in self.solution.statistics().values.iter().rev() {
            let distances = value.and_then(|value| self.solution.statistics().distances.get(&value));
            let longest = distances.map_or("–".to_string(), |counts| (counts.len() - 1).to_string());
            rows.push(vec![self.words(*value), count.to_string(), longest]);
        }
        write!(out, "{}", text::aligned(&rows))?;
        if self.solution.statistics().distances.len() <= 3 {
            for (value, counts) in self.solution.statistics().distances.iter().rev() {
                writeln!(out, "\n{}, by moves to the end:", self.words(Some(*value)))?;
                write!(out, "{}", bars::histogram(counts.iter().copied().enumerate()))?;
            }
        }
        Ok(())
    }

    /// A value in words.
    fn words(&self, value: Option<i8>) -> String {
        tables::value_words(value, &self.solution.roles)
    }

    fn end_words(&self, end: LineEnd) -> String {
        match end {
            LineEnd::Over(goals) => {
                let goal = |at: usize| goals[at].map_or("no goal".to_string(), |goal: u8| goal.to_string());
                let goals: Vec<String> =
                    self.solution.roles.iter().enumerate().map(|(at, role)| format!("{role} {}", goal(at))).collect();
                goals.join(", ")
            }
            LineEnd::Stuck => "nobody can go on".to_string(),
            LineEnd::Repeats => "and so on for ever".to_string(),
            LineEnd::Unknown => "nothing is known of what follows".to_string(),
            LineEnd::Wrong => "what is known contradicts itself".to_string(),
        }
    }

    fn end_json(&self, end: LineEnd) -> Value {
        match end {
            LineEnd::Over(goals) => json!({ "over": goals[..self.solution.roles.len()] }),
            LineEnd::Stuck => json!("stuck"),
            LineEnd::Repeats => json!("repeats"),
            LineEnd::Unknown => json!("unknown"),
            LineEnd::Wrong => json!("wrong"),
        }
    }
}
