//! `ludens plan build`: from tables or rules to a plan.

use super::args::PlanBuildArgs;
use super::{show, tell};
use ::plan::Plan;
use ::plan::learn::{Phase, Progress as Far, Settings};
use agent::plans;
use agent::plans::making::{Step, Wanted};
use anyhow::{Result, bail};
use game::Cancel;
use platform::{Interrupt, Interrupted, folders, save};
use std::path::Path;
use terminal::text::count;
use terminal::{Answer, Out, Progress};

/// Runs the command.
pub fn run(args: &PlanBuildArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let cancel = interrupt.cancel();
    if let Some(path) = args.out.as_ref().filter(|path| path.parent().is_some_and(Path::is_dir)) {
        platform::can_save(path)?;
    }
    let (plan, seconds) = make(args, &cancel)?;
    if plan.goals.is_empty() {
        match cancel.is_cancelled() {
            true => bail!(Interrupted("no plan was found yet, and nothing is kept".to_string())),
            false => bail!("no plan was found for {}: --seconds or --lists gives the search more time", args.what),
        }
    }
    let path = match &args.out {
        Some(path) => path.clone(),
        None => plans::path(&folders::tables(args.folder.as_deref())?, &file_name(args, &plan)),
    };
    save(&path, &plan.text())?;
    show::write(
        &plan,
        &path,
        &show::Showing { seconds: Some(seconds), json: args.json, ..show::Showing::default() },
        out,
    )?;
    if cancel.is_cancelled() {
        bail!(Interrupted(format!("the best plan so far is kept in {}", path.display())));
    }
    Ok(Answer::Yes)
}

fn file_name(args: &PlanBuildArgs, plan: &Plan) -> String {
    let role = args.role.as_ref().map(|role| format!("-{}", folders::file_name(&role.to_lowercase())));
    plans::name(plan).to_string() + &role.unwrap_or_default()
}

/// Makes the plan, and shows how far it is; also tells how long it took.
fn make(args: &PlanBuildArgs, cancel: &Cancel) -> Result<(Plan, f64)> {
    let settings = Settings {
        goals: usize::from(args.goals),
        words: usize::from(args.words),
        seed: args.seed,
        verdict: usize::from(args.verdict),
        ..Settings::default()
    };
    let wanted = Wanted {
        what: &args.what,
        role: args.role.as_deref(),
        plies: args.plies.map(usize::from),
        cases: args.cases.map(usize::from),
        settings: &settings,
        seconds: args.seconds,
        lists: args.lists,
        folder: args.folder.as_deref(),
        memory: args.memory,
    };
    // Each part has a clock of its own.
    let (mut tables, mut search) = (None, None);
    wanted.make(cancel, &mut |step| match step {
        Step::Table(men, step) => tell(tables.get_or_insert_with(Progress::new), men, step),
        Step::Search(name, far) => {
            tables = None;
            search.get_or_insert_with(Progress::new).at(|seconds| format!("{name}: {}, {seconds:.0} s", how_far(far)));
        }
    })
}

fn how_far(far: &Far) -> String {
    let Far { doing, tried, best, goals, step: (all, done), .. } = far;
    let how_far = match far.phase {
        Phase::Goals => {
            let best = format!("{} win about {:.1} %", count(*goals, "goal"), 100.0 * best.max(0.0));
            format!("{} tried, the best: {best}", count(*tried, "list"))
        }
        Phase::Attributes | Phase::Verdict | Phase::Stages => format!("{done} of {all}"),
    };
    format!("{doing}, {how_far}")
}
