//! What `ludens solve` tells: for people, for programs, and as the statistics of the stored table.

use crate::tables;
use ::table::solve::{Counter, Entry, Line, LineEnd, Statistics, Summary};
use anyhow::Result;
use game::{Move, Names, Role};
use platform::memory::size;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;
use terminal::{Out, bars, text};

/// See the module.
pub struct Report {
    name: String,
    roles: Vec<String>,
    statistics: Statistics,
    start: Entry,
    steps: Vec<Said>,
    end: Option<LineEnd>,
    /// The counter that was left out of the states.
    pub counter: Option<Counter>,
    /// Which engine did it.
    pub engine: &'static str,
    /// How long it took.
    pub seconds: f64,
    /// Bytes that the solver needed.
    pub memory: u64,
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

/// A move of the line.
struct Said {
    role: String,
    text: String,
    joint: Vec<String>,
    /// What is known of the state after it.
    entry: Option<Entry>,
}

/// So many moves of a line are shown unless all are asked for.
const SHORT: usize = 16;

impl Report {
    /// The report of a solved game.
    pub fn new(name: &str, roles: Vec<String>, statistics: &Statistics, start: Entry) -> Report {
        Report {
            name: name.to_string(),
            roles,
            statistics: statistics.clone(),
            start,
            steps: Vec::new(),
            end: None,
            counter: None,
            engine: "",
            seconds: 0.0,
            memory: 0,
            table: None,
            unstored: None,
        }
    }

    /// Takes up the line of best play. `probe` tells what is known of a state after so many plies from the start.
    pub fn take_line<G: Names>(
        &mut self,
        game: &G,
        line: Line,
        probe: &dyn Fn(&G::State, usize) -> Option<Entry>,
    ) -> Result<()> {
        let mut view = game.view();
        let mut state = game.start();
        let mut legal = Vec::new();
        let mut waiting: Vec<BTreeSet<Move>> = vec![BTreeSet::new(); game.roles()];
        for mut step in line.steps {
            game.look(&state, &mut view)?;
            let mut next = state.clone();
            legal.clear();
            game.legal(&view, step.role, &mut legal);
            let others = game::roles(game).filter(|role| *role != step.role);
            if legal.len() > 1 {
                for role in others {
                    waiting[role.0 as usize].insert(step.joint[role.0 as usize]);
                }
            } else {
                // Nobody has a choice: the move is that of a role which does something else than when it waits.
                let acts = |role: &Role| !waiting[role.0 as usize].contains(&step.joint[role.0 as usize]);
                step.role = [step.role].into_iter().chain(others).find(acts).unwrap_or(step.role);
            }
            game.play(&mut view, &step.joint, &mut next)?;
            self.steps.push(Said {
                role: game.role_name(step.role).to_string(),
                text: game.move_text(step.joint[step.role.0 as usize]),
                joint: step.joint.iter().map(|mv| game.move_text(*mv)).collect(),
                entry: probe(&next, self.steps.len() + 1),
            });
            state = next;
        }
        self.end = Some(line.end);
        Ok(())
    }

    /// The names of the roles.
    pub fn roles(&self) -> &[String] {
        &self.roles
    }

    /// Writes the report.
    pub fn write(&self, as_json: bool, whole_line: bool, out: Out<'_>) -> Result<()> {
        if as_json {
            let summary = Summary::new(&self.statistics, Some(self.start), &self.name, &self.roles);
            let mut report = serde_json::to_value(summary)?;
            let steps = self.steps.iter().map(|step| {
                let value = step.entry.and_then(|entry| entry.value);
                let distance = step.entry.and_then(|entry| entry.distance);
                json!({ "role": step.role, "move": step.text, "joint": step.joint, "value": value, "distance": distance })
            });
            report["line"] = steps.collect();
            if let Some(counter) = &self.counter {
                report["left_out"] = serde_json::to_value(LeftOut::new(counter))?;
            }
            report["end"] = self.end.map_or(Value::Null, |end| self.end_json(end));
            report["engine"] = json!(self.engine);
            report["seconds"] = json!(self.seconds);
            report["memory"] = json!(self.memory);
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
        let Statistics { states, layers, terminal, stuck, unrated, sums, .. } = &self.statistics;
        let time = text::seconds(self.seconds);
        writeln!(out, "{}: solved in {time} (engine: {}, {})", self.name, self.engine, size(self.memory))?;
        let depth = layers.len() - 1;
        writeln!(out, "states     {states}, {terminal} of them terminal, up to {depth} moves from the start")?;
        if let Some(Counter { facts }) = &self.counter
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
        if self.roles.len() == 2 && sums.is_some_and(|(least, most)| least != most) {
            writeln!(out, "note       the goals do not always add up to the same; solved for the difference")?;
        }
        let mut value = self.words(self.start.value);
        if let Some(distance) = self.start.distance {
            value += &format!(" in {}", text::count(distance.into(), "move"));
        }
        let is_even = self.roles.len() == 2 && self.start.value == Some(0);
        if is_even && self.counter.is_some() {
            value += " (neither can force more before the game ends)";
        } else if is_even && self.statistics.may_repeat {
            value += " (neither can force more; play that never ends counts as even)";
        }
        Ok(writeln!(out, "value      {value}")?)
    }

    fn write_line(&self, whole: bool, out: Out<'_>) -> Result<()> {
        let end = self.end.map_or(String::new(), |end| self.end_words(end));
        if whole {
            writeln!(out, "line       {}, then: {end}", text::count(self.steps.len(), "move"))?;
            for (at, step) in self.steps.iter().enumerate() {
                let distance = step.entry.and_then(|entry| entry.distance).map(|moves| format!("  {moves} to go"));
                let number = at + 1;
                writeln!(out, "{number:>9}  {} {}{}", step.role, step.text, distance.unwrap_or_default())?;
            }
            return Ok(());
        }
        let shown: Vec<String> = self.steps.iter().take(SHORT).map(|step| step.text.clone()).collect();
        let more = match self.steps.len().saturating_sub(SHORT) {
            0 => String::new(),
            left => format!(" … {left} more (--line shows all)"),
        };
        Ok(writeln!(out, "line       {}{more}: {end}", shown.join(" "))?)
    }

    fn write_values(&self, out: Out<'_>) -> Result<()> {
        writeln!(out)?;
        if self.counter.is_some() {
            writeln!(out, "without the counter:")?;
        }
        let mut rows = vec![["value", "states", "longest"].map(String::from).to_vec()];
        for (value, count) in self.statistics.values.iter().rev() {
            let distances = value.and_then(|value| self.statistics.distances.get(&value));
            let longest = distances.map_or("–".to_string(), |counts| (counts.len() - 1).to_string());
            rows.push(vec![self.words(*value), count.to_string(), longest]);
        }
        write!(out, "{}", text::aligned(&rows))?;
        if self.statistics.distances.len() <= 3 {
            for (value, counts) in self.statistics.distances.iter().rev() {
                writeln!(out, "\n{}, by moves to the end:", self.words(Some(*value)))?;
                write!(out, "{}", bars::histogram(counts.iter().copied().enumerate()))?;
            }
        }
        Ok(())
    }

    /// A value in words.
    fn words(&self, value: Option<i8>) -> String {
        tables::value_words(value, &self.roles)
    }

    fn end_words(&self, end: LineEnd) -> String {
        match end {
            LineEnd::Over(goals) => {
                let goal = |at: usize| goals[at].map_or("no goal".to_string(), |goal: u8| goal.to_string());
                let goals: Vec<String> =
                    self.roles.iter().enumerate().map(|(at, role)| format!("{role} {}", goal(at))).collect();
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
            LineEnd::Over(goals) => json!({ "over": goals[..self.roles.len()] }),
            LineEnd::Stuck => json!("stuck"),
            LineEnd::Repeats => json!("repeats"),
            LineEnd::Unknown => json!("unknown"),
            LineEnd::Wrong => json!("wrong"),
        }
    }
}
