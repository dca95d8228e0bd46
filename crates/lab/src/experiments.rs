//! `ludens lab`: experiments that can be repeated, each with a folder of its own for what it found.

mod abstraction;
mod agree;
pub mod anchors;
pub mod choice;
pub mod exam;
pub mod fleet;
pub mod gauntlet;
pub mod kuhlmann;
pub mod late;
mod monte_carlo;
pub mod puzzles;
mod remember;
pub mod roschke;
pub mod sadikov;
pub mod samadi;
pub mod tuners;
pub mod waugh;

use crate::args::LabCommand;
use anyhow::Result;
use terminal::{Answer, Out};

/// Runs the command.
pub fn run(what: &LabCommand, interrupt: &platform::Interrupt, out: Out<'_>) -> Result<Answer> {
    match what {
        LabCommand::Abstraction(args) => abstraction::run(args, interrupt, out),
        LabCommand::Anchors(args) => anchors::run(args, out),
        LabCommand::Waugh(args) => waugh::run(args, out),
        LabCommand::Fleet(args) => fleet::run(args, interrupt, out),
        LabCommand::Gauntlet(args) => gauntlet::run(args, interrupt, out),
        LabCommand::Exam(args) => exam::run(args, interrupt, out),
        LabCommand::Late(args) => late::run(args, interrupt, out),
        LabCommand::Choice(args) => choice::run(args, interrupt, out),
        LabCommand::Puzzles(args) => puzzles::run(args, interrupt, out),
        LabCommand::Kuhlmann(args) => kuhlmann::run(args, out),
        LabCommand::Tuners(args) => tuners::run(args, interrupt, out),
        LabCommand::Roschke(args) => roschke::run(args, interrupt, out),
        LabCommand::Sadikov(args) => sadikov::run(args, interrupt, out),
        LabCommand::Samadi(args) => samadi::run(args, interrupt, out),
        LabCommand::Agree(args) => agree::run(args, out),
    }
}
