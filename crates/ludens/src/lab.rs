//! `ludens lab`: experiments that can be repeated, each with a folder of its own for what it found.

mod agree;
pub mod anchors;
pub mod gauntlet;
pub mod journal;
pub mod kuhlmann;
mod monte_carlo;
mod remember;
pub mod waugh;

use crate::cli::LabCommand;
use crate::{Answer, Out};
use anyhow::Result;

/// Runs the command.
pub fn run(what: &LabCommand, out: Out<'_>) -> Result<Answer> {
    match what {
        LabCommand::Anchors(args) => anchors::run(args, out),
        LabCommand::Waugh(args) => waugh::run(args, out),
        LabCommand::Gauntlet(args) => gauntlet::run(args, out),
        LabCommand::Kuhlmann(args) => kuhlmann::run(args, out),
        LabCommand::Agree(args) => agree::run(args, out),
    }
}
