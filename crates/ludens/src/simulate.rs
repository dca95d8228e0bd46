//! `ludens simulate`: random games in numbers.

use crate::cli::SimulateArgs;
use agent::engines::engine;
use anyhow::{Context, Result};
use game::random::{End, Player, Playout, Rng};
use game::role_names;
use game::{Game, Goal, Limit};
use library::load;
use machine::Engine;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Instant;
use terminal::Progress;
use terminal::{Answer, Out, text};

/// Runs the command.
pub fn run(args: &SimulateArgs, out: Out<'_>) -> Result<Answer> {
    let (sheet, rules) = load(&args.game)?;
    let mut report = simulate(&engine(args.engine, &sheet, &rules)?, args)
        .with_context(|| format!("playing {} at random", sheet.name))?;
    report.game = sheet.name.clone();
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
    } else {
        write(&report, args, out)?;
    }
    Ok(Answer::Yes)
}

/// What random games were like. Everything but the last block is the same for the same seed.
#[derive(Serialize, Default)]
struct Report {
    game: String,
    games: u64,
    seed: u64,
    /// Joint moves made.
    steps: u64,
    length: Length,
    /// Games that ended in a terminal state.
    terminal: u64,
    /// Games in which somebody had no legal move though the state was not terminal.
    stuck: u64,
    /// Games cut after the greatest number of steps.
    cut: u64,
    roles: Vec<RoleReport>,
    time: Time,
}

#[derive(Serialize, Default)]
struct Length {
    mean: f64,
    min: usize,
    max: usize,
}

#[derive(Serialize, Default)]
struct Time {
    seconds: f64,
    steps_per_second: f64,
    games_per_second: f64,
}

#[derive(Serialize, Default)]
struct RoleReport {
    role: String,
    branching: Branching,
    goal: GoalReport,
}

#[derive(Serialize, Default)]
struct Branching {
    /// Legal moves a state, over all states.
    mean: f64,
    /// The same over the states in which there was a choice.
    mean_of_choices: f64,
    max: usize,
    #[serde(skip)]
    sum: u64,
    #[serde(skip)]
    states: u64,
    /// The sum and the number over the states with more than one move.
    #[serde(skip)]
    choices: (u64, u64),
}

#[derive(Serialize, Default)]
struct GoalReport {
    /// Over the games in which the role has a goal.
    mean: f64,
    /// How many games gave each goal.
    values: BTreeMap<Goal, u64>,
    /// Games whose last state gives the role no goal, or more than one.
    none: u64,
}

impl Branching {
    fn see(&mut self, moves: usize) {
        self.sum += moves as u64;
        self.states += 1;
        self.max = self.max.max(moves);
        if moves > 1 {
            self.choices.0 += moves as u64;
            self.choices.1 += 1;
        }
    }

    fn finish(&mut self) {
        self.mean = ratio(self.sum as f64, self.states);
        self.mean_of_choices = ratio(self.choices.0 as f64, self.choices.1);
    }
}

fn ratio(sum: f64, count: u64) -> f64 {
    if count == 0 { 0.0 } else { sum / count as f64 }
}

fn simulate(game: &Engine, args: &SimulateArgs) -> Result<Report, Limit> {
    let roles = role_names(game).into_iter().map(|role| RoleReport { role, ..RoleReport::default() }).collect();
    let mut report = Report { games: args.count, seed: args.seed, roles, ..Report::default() };
    report.length.min = usize::MAX;
    let mut rng = Rng::new(args.seed);
    let mut player = Player::new(game);
    let mut progress = Progress::new();
    let start = game.start();
    let started = Instant::now();
    for done in 0..args.count {
        let roles = &mut report.roles;
        let playout = player.playout(game, &start, &mut rng, args.most, &mut |role, n| roles[role].branching.see(n))?;
        report.add(&playout);
        progress
            .at(|seconds| format!("{} of {} games, {:.1} games/s", done + 1, args.count, (done + 1) as f64 / seconds));
    }
    report.finish(started.elapsed().as_secs_f64());
    Ok(report)
}

impl Report {
    fn add(&mut self, playout: &Playout) {
        self.steps += playout.steps as u64;
        self.length.min = self.length.min.min(playout.steps);
        self.length.max = self.length.max.max(playout.steps);
        match playout.end {
            End::Terminal => self.terminal += 1,
            End::Stuck => self.stuck += 1,
            End::Cut => self.cut += 1,
        }
        for (role, goal) in self.roles.iter_mut().zip(&playout.goals) {
            match goal {
                Some(goal) => *role.goal.values.entry(*goal).or_default() += 1,
                None => role.goal.none += 1,
            }
        }
    }

    fn finish(&mut self, seconds: f64) {
        self.length.mean = ratio(self.steps as f64, self.games);
        for role in &mut self.roles {
            role.branching.finish();
            let sum: u64 = role.goal.values.iter().map(|(&goal, &games)| u64::from(goal) * games).sum();
            role.goal.mean = ratio(sum as f64, role.goal.values.values().sum());
        }
        let rate = |n: u64| n as f64 / seconds.max(1e-9);
        self.time = Time { seconds, steps_per_second: rate(self.steps), games_per_second: rate(self.games) };
    }
}

fn write(report: &Report, args: &SimulateArgs, out: Out<'_>) -> Result<()> {
    let Report { games, length, .. } = report;
    writeln!(out, "{}: {} with seed {}", report.game, text::count(*games as usize, "random game"), report.seed)?;
    writeln!(out, "length     mean {:.1}, from {} to {} steps", length.mean, length.min, length.max)?;
    let mut ends = format!("{} terminal", report.terminal);
    if report.stuck > 0 {
        ends += &format!(", {} stuck (a role had no legal move: the rules are faulty)", report.stuck);
    }
    if report.cut > 0 {
        ends += &format!(", {} cut after {} steps (`--most`)", report.cut, args.most);
    }
    writeln!(out, "ended      {ends}")?;
    let mut rows =
        vec![["role", "moves", "choices", "most", "goal", "games with each goal"].map(String::from).to_vec()];
    for role in &report.roles {
        let mut values: Vec<String> =
            role.goal.values.iter().rev().map(|(goal, count)| format!("{goal}: {count}")).collect();
        if role.goal.none > 0 {
            values.push(format!("none: {}", role.goal.none));
        }
        let Branching { mean, mean_of_choices, max, .. } = role.branching;
        rows.push(vec![
            role.role.clone(),
            format!("{mean:.2}"),
            format!("{mean_of_choices:.2}"),
            max.to_string(),
            format!("{:.1}", role.goal.mean),
            values.join(", "),
        ]);
    }
    let last = rows.iter().map(|row| row[5].chars().count()).max().unwrap_or(0);
    rows.iter_mut().for_each(|row| row[5] = format!("{:<last$}", row[5]));
    write!(out, "\n{}", text::aligned(&rows))?;
    let Time { seconds, steps_per_second, games_per_second } = report.time;
    writeln!(out, "\n{}: {steps_per_second:.0} states/s, {games_per_second:.1} playouts/s", text::seconds(seconds))?;
    writeln!(out, "(moves: legal moves a state; choices: the same where there was more than one)")?;
    Ok(())
}
