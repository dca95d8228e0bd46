//! `ludens plan`: plans that a person can follow, learned from exact tables: built, shown, proved again, played by, practised.

pub mod args;
mod build;
mod check;
mod drill;
mod show;

use ::plan::Subject;
use ::table::chess::{self, Material};
use agent::plans::{find, ground, rules_of};
use anyhow::{Context, Result, ensure};
use args::{PlanCommand, PlanPlayArgs};
use platform::Interrupt;
use terminal::{Answer, Out, Progress};

/// Runs the command.
pub fn run(what: &PlanCommand, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    match what {
        PlanCommand::Build(args) => build::run(args, interrupt, out),
        PlanCommand::Show(args) => show::run(args, interrupt, out),
        PlanCommand::Check(args) => check::run(args, interrupt, out),
        PlanCommand::Play(args) => play(args, interrupt, out),
        PlanCommand::Drill(args) => drill::run(args, interrupt, std::io::stdin().lock(), out),
    }
}

/// Says how far a table is that a plan stands on.
fn tell(progress: &mut Progress, men: Material, step: &chess::Progress) {
    progress.at(|seconds| format!("the table of {men}: {} of {} positions, {seconds:.0} s", step.done, step.total));
}

/// A game in which the plan plays its side and says why, and a person the other.
fn play(args: &PlanPlayArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let (path, plan) = find(&args.plan, args.folder.as_deref())?;
    let mut opening = args.opening.clone();
    let (game, role) = match &plan.subject {
        Subject::Ending { material, .. } => {
            let sheet = match material.as_str() {
                "KRK" => "krk",
                "KQKR" => "kqkr",
                _ => "chess",
            };
            if opening.is_start() {
                let seed = args.seed.unwrap_or_else(host::clock_seed);
                let (folder, cancel) = (args.folder.as_deref(), interrupt.cancel());
                let mut progress = Progress::new();
                let position = ground::won_position(&plan, seed, folder, &cancel, &mut |men, step| {
                    tell(&mut progress, men, step)
                })?;
                opening.fen = Some(position.fen());
            }
            (sheet.to_string(), "black".to_string())
        }
        Subject::Game { name, role, .. } => {
            let (_, rules) = rules_of(&plan, args.game.as_deref())?;
            let names: Vec<String> = rules.roles().into_iter().map(|own| rules.symbols.name(own).to_string()).collect();
            let other = names.iter().find(|own| !own.eq_ignore_ascii_case(role));
            let other = other.with_context(|| {
                format!("{name} has one player, and the plan is that one: `ludens match {name} --player plan` shows it")
            })?;
            (args.game.clone().unwrap_or_else(|| name.clone()), other.clone())
        }
    };
    let file = path.display().to_string();
    ensure!(!file.contains(','), "{file}: the name of a player's file has no commas; give the plan another name");
    let args = crate::play::PlayArgs {
        game,
        roles: vec![role],
        level: 5,
        opponent: Some(format!("plan:file={file}")),
        thoughts: false,
        opening,
        seed: args.seed,
        engine: agent::EngineChoice::Auto,
        build_tables: false,
    };
    crate::play::run(&args, interrupt, std::io::stdin().lock(), out)
}
