//! `ludens plan build`: from tables or rules to a plan.

use super::args::PlanBuildArgs;
use super::{show, tell};
use ::plan::build::{Tell, build};
use ::plan::chess::{Ending, EndingWords, world};
use ::plan::learn::{Phase, Progress as Step, Settings};
use ::plan::listed::ListedWords;
use ::plan::{Plan, Subject, World};
use ::table::chess::{Material, Metric};
use agent::plans::{self, ground};
use anyhow::{Result, bail};
use game::{Cancel, Names};
use library::load;
use platform::{Interrupt, Interrupted, folders, save};
use std::path::Path;
use std::time::Instant;
use terminal::text::count;
use terminal::{Answer, Out, Progress};

/// Seconds for the search where a list is measured on all positions, and where it is not.
const SECONDS: [f64; 2] = [60.0, 600.0];

/// Runs the command.
pub fn run(args: &PlanBuildArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let cancel = interrupt.cancel();
    if let Some(path) = args.out.as_ref().filter(|path| path.parent().is_some_and(Path::is_dir)) {
        platform::can_save(path)?;
    }
    let (plan, seconds) = match ending(&args.what) {
        Some(material) => of_ending(args, material, &cancel)?,
        None => of_game(args, &cancel)?,
    };
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

/// The ending that is meant: capitals are men, and so is what is no game.
fn ending(what: &str) -> Option<Material> {
    let material = Material::parse(what).ok()?;
    let capitals = !what.chars().any(char::is_lowercase);
    (capitals || library::find(what).is_none() && !Path::new(what).exists()).then_some(material)
}

fn file_name(args: &PlanBuildArgs, plan: &Plan) -> String {
    let role = args.role.as_ref().map(|role| format!("-{}", folders::file_name(&role.to_lowercase())));
    plans::name(plan).to_string() + &role.unwrap_or_default()
}

fn of_ending(args: &PlanBuildArgs, material: Material, cancel: &Cancel) -> Result<(Plan, f64)> {
    if let Some(role) = args.role.as_ref().filter(|role| !role.eq_ignore_ascii_case("white")) {
        bail!("in an ending the stronger side, white, has the plan; {role:?} cannot");
    }
    let metric = Metric::Conversion;
    let (folder, mut progress) = (args.folder.as_deref(), Progress::new());
    let tables = ground::tables(material, metric, folder, args.memory, cancel, &mut |men, step| {
        tell(&mut progress, men, step);
    })?;
    drop(progress);
    let mut world = world(material, metric, &tables)?;
    drop(tables);
    let plies = if material.count() > 3 { 4 } else { 2 };
    let subject = Subject::Ending { material: material.to_string(), metric: metric.name().to_string() };
    let words = EndingWords(Ending::new(material));
    Ok(learn(args, &mut world, subject, plies, &words, cancel))
}

fn of_game(args: &PlanBuildArgs, cancel: &Cancel) -> Result<(Plan, f64)> {
    let found = load(&args.what);
    if found.is_err() && args.what.chars().all(|letter| "KQRBNP".contains(letter)) {
        // Capitals of men that are no ending: it is told what is wrong with them.
        Material::parse(&args.what)?;
    }
    let (sheet, rules) = found?;
    let mut found = ground::listing(&sheet, &rules, args.role.as_deref(), args.memory, cancel)?;
    let subject = Subject::Game {
        name: folders::file_name(&sheet.name),
        identity: gdl::identity(&rules).to_string(),
        role: found.engine.role_name(found.listed.role).to_string(),
    };
    let words = ListedWords { game: &found.engine, states: &found.listed.states };
    let (mut plan, seconds) = learn(args, &mut found.listed.world, subject, 2, &words, cancel);
    plan.reads = Some(found.listed.vocabulary.reads(found.listed.best));
    Ok((plan, seconds))
}

/// Looks for the plan, and tells how far it is; also how long it took.
fn learn(
    args: &PlanBuildArgs,
    world: &mut World,
    subject: Subject,
    plies: usize,
    words: &dyn Tell,
    cancel: &Cancel,
) -> (Plan, f64) {
    let plies = args.plies.map_or(plies, usize::from);
    let settings = Settings {
        plies,
        goals: usize::from(args.goals),
        words: usize::from(args.words),
        seed: args.seed,
        verdict: usize::from(args.verdict),
        ..Settings::default()
    };
    let large = world.edges.len() > settings.whole;
    let limit = match args.lists {
        Some(_) => f64::INFINITY,
        None => args.seconds.unwrap_or(SECONDS[usize::from(large)]),
    };
    let (name, began) = (world.name.clone(), Instant::now());
    let mut progress = Progress::new();
    let mut search_began = None;
    let mut watch = |step: &Step| {
        progress.at(|seconds| {
            let Step { doing, tried, best, goals, step: (all, done), .. } = step;
            let how_far = match step.phase {
                Phase::Goals => {
                    let best = format!("{} win about {:.1} %", count(*goals, "goal"), 100.0 * best.max(0.0));
                    format!("{} tried, the best: {best}", count(*tried, "list"))
                }
                Phase::Attributes | Phase::Verdict | Phase::Stages => format!("{done} of {all}"),
            };
            format!("{name}: {doing}, {how_far}, {seconds:.0} s")
        });
        // The limits are those of the search; what comes before and after it has its own end.
        let mut searched = || search_began.get_or_insert_with(Instant::now).elapsed().as_secs_f64();
        let enough = args.lists.is_some_and(|lists| step.tried >= lists);
        !cancel.is_cancelled() && (step.phase != Phase::Goals || searched() < limit && !enough)
    };
    let plan = build(world, subject, &settings, words, &mut watch);
    (plan, began.elapsed().as_secs_f64())
}
