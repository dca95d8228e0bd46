//! `ludens simulate`: random games in numbers.

use crate::args::SimulateArgs;
use agent::load as load_engine;
use anyhow::{Context, Result, bail};
use game::random::{End, Player, Playout, Rng};
use game::role_names;
use game::{Cancel, Game, Goal, Limit};
use library::load;
use machine::Engine;
use platform::{Interrupt, Interrupted};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Instant;
use terminal::Progress;
use terminal::{Answer, Out, text};

/// Runs the command.
pub fn run(args: &SimulateArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let (sheet, rules) = load(&args.game)?;
    let cancel = interrupt.cancel();
    let game = load_engine(args.engine, &sheet, &rules, &cancel)?.engine;
    let mut report = simulate(&game, args, &cancel).with_context(|| format!("playing {} at random", sheet.name))?;
    report.game = sheet.name.clone();
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
    } else {
        write(&report, args, out)?;
    }
    if report.games < args.count {
        bail!(Interrupted(format!("the numbers are those of {} of {} games", report.games, args.count)));
    }
    Ok(if report.is_faulty() { Answer::No } else { Answer::Yes })
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
    /// Games that ended in a terminal state in which a player has no goal, or more than one.
    without_goal: u64,
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

impl RoleReport {
    /// Whether somebody plays it to win: `random` is chance, which need not have goals.
    fn is_player(&self) -> bool {
        !self.role.eq_ignore_ascii_case("random")
    }
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

/// Plays the games, or as many as are over when the program is asked to end.
fn simulate(game: &Engine, args: &SimulateArgs, cancel: &Cancel) -> Result<Report, Limit> {
    let roles = role_names(game).into_iter().map(|role| RoleReport { role, ..RoleReport::default() }).collect();
    let mut report = Report { seed: args.seed, roles, ..Report::default() };
    let mut rng = Rng::new(args.seed);
    let mut player = Player::new(game);
    let mut progress = Progress::new();
    let start = game.start();
    let started = Instant::now();
    while report.games < args.count && !cancel.is_cancelled() {
        let roles = &mut report.roles;
        let played = player.playout(game, &start, &mut rng, args.most, &mut |role, n| roles[role].branching.see(n));
        let playout = match played {
            Err(_) if cancel.is_cancelled() => break,
            played => played?,
        };
        report.add(&playout);
        let (done, count) = (report.games, args.count);
        progress.fraction(done as f64 / count as f64, |seconds| {
            format!("{done} of {}, {:.1} games/s", text::count(count as usize, "game"), done as f64 / seconds)
        });
    }
    report.finish(started.elapsed().as_secs_f64());
    Ok(report)
}

impl Report {
    fn add(&mut self, playout: &Playout) {
        self.length.min = if self.games == 0 { playout.steps } else { self.length.min.min(playout.steps) };
        self.games += 1;
        self.steps += playout.steps as u64;
        self.length.max = self.length.max.max(playout.steps);
        match playout.end {
            End::Terminal => self.terminal += 1,
            End::Stuck => self.stuck += 1,
            End::Cut => self.cut += 1,
        }
        let is_unvalued = |(role, goal): (&RoleReport, &Option<Goal>)| goal.is_none() && role.is_player();
        if playout.end == End::Terminal && self.roles.iter().zip(&playout.goals).any(is_unvalued) {
            self.without_goal += 1;
        }
        for (role, goal) in self.roles.iter_mut().zip(&playout.goals) {
            match goal {
                Some(goal) => *role.goal.values.entry(*goal).or_default() += 1,
                None => role.goal.none += 1,
            }
        }
    }

    /// Whether the games show that the rules are faulty.
    fn is_faulty(&self) -> bool {
        self.stuck + self.without_goal > 0
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
    if report.without_goal > 0 {
        ends += &format!(
            ", {} of them without one goal for each role (the rules are faulty: `ludens check` tells more)",
            report.without_goal
        );
    }
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
