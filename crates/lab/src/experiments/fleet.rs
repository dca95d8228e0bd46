//! `ludens lab fleet`: what a fleet survives, and what it is worth.
//!
//! `faults`: matches and a tournament on workers that are processes of their own, while workers and the server are killed, stopped, slowed
//! down and started again. No move may be late or illegal, and every game counts exactly once. `strength`: several workers against one with
//! the same counted budget each, with what all found added up and by the rule of the deepest search.

mod faults;
mod strength;

use crate::args::LabArgs;
use anyhow::Result;
use clap::Args;
use platform::Interrupt;
use terminal::{Answer, Out};

/// The parts, for the command line.
pub const PARTS: [&str; 2] = ["faults", "strength"];

/// Arguments of `lab fleet`.
#[derive(Args)]
pub struct FleetArgs {
    /// Only these parts
    #[arg(value_parser = PARTS)]
    pub only: Vec<String>,
    /// Matches that are played by a fleet while it is disturbed
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub matches: usize,
    /// Games of the tournament that is played on a fleet while it is disturbed
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub games: usize,
    /// Workers, each a process with one thread
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(2..=256))]
    pub workers: u16,
    /// Seconds between two disturbances
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0, value_parser = crate::args::seconds)]
    pub pause: f64,
    /// For strength: random games that each worker plays for a move
    #[arg(long, value_name = "N", default_value_t = 400)]
    pub playouts: u64,
    /// For strength: games of each pair in each of the ten games
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    pub rounds: usize,
    /// For strength: only these pairs
    #[arg(long = "pair", value_name = "PAIR", value_parser = strength::PAIRS)]
    pub only_pairs: Vec<String>,
    /// For strength: only these games of the library
    #[arg(long = "game", value_name = "GAME")]
    pub only_games: Vec<String>,
    /// The seed
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// What all experiments have in common
    #[command(flatten)]
    pub lab: LabArgs,
}

/// Below the help of the command.
pub const FLEET_HELP: &str = "\
Needs nats-server on this machine (Debian has a package of that name) for `faults`; `strength` uses threads of this program. Writes faults.json, \
strength-2/, strength-8/ and so on, and report.md. Exit status 1 if a move was late or illegal, or a game was lost or counted twice.

Examples:
  ludens lab fleet
  ludens lab fleet faults --matches 3 --games 20 --pause 1
  ludens lab fleet strength -n 4 --playouts 200 --game connect-four --game hex
  ludens lab fleet strength -n 12 --playouts 1000 --pair strength-8";

/// Runs the command.
pub fn run(args: &FleetArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let folder = args.lab.out("fleet");
    let wants = |part: &str| args.only.is_empty() || args.only.iter().any(|only| only == part);
    let mut answer = Answer::Yes;
    let mut report = "# What a fleet survives, and what it is worth\n\n".to_string();
    if wants("faults") {
        let faults = faults::run(args, &folder, interrupt)?;
        write!(out, "{}", faults.text)?;
        out.flush()?;
        report += &format!("## Faults\n\n```\n{}```\n\n", faults.text);
        if !faults.is_fine {
            answer = Answer::No;
        }
    }
    if wants("strength") {
        let text = strength::run(args, &folder, interrupt, out)?;
        report += &format!("## Strength\n\n```\n{text}```\n");
    }
    platform::save(&folder.join("report.md"), &report)?;
    writeln!(out, "written: {}/report.md", folder.display())?;
    Ok(answer)
}
