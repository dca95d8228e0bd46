//! What plans stand on: the tables of an ending, or the list of all positions of a game.

use super::{GameWords, ending};
use crate::engines::{EngineChoice, load};
use anyhow::{Context, Result, bail, ensure};
use game::random::Rng;
use game::{Cancel, Names, Role, roles};
use gdl::Rules;
use library::Sheet;
use machine::{Engine, State};
use native::chess::Position;
use plan::chess::Ending;
use plan::listed::{ListError, Listed, Vocabulary, list};
use plan::movers::Movers;
use plan::scene::{Board, Scene};
use plan::stages::find::Played;
use plan::{Plan, Subject, check};
use platform::{Interrupted, folders, memory};
use std::path::Path;
use study::Study;
use table::chess::{self, BuildError, Material, Metric, Outcome, Tables};
use table::solve::{Options, SolveError};
use table::store::Store;

/// States of random games that are looked at to tell boards, pieces and counters.
const STATES: u64 = 1000;

/// Is told the table that is built, and how far it is.
pub type Tell<'a> = &'a mut dyn FnMut(Material, &chess::Progress);

/// The tables of an ending and all it needs: those that are stored, the others built in memory.
///
/// # Errors
/// When one is damaged, memory does not suffice, or it was cancelled.
pub fn tables(
    material: Material,
    metric: Metric,
    folder: Option<&Path>,
    limit: Option<u64>,
    cancel: &Cancel,
    tell: Tell<'_>,
) -> Result<Tables> {
    let folder = folders::tables(folder).ok();
    let mut tables = Tables::new();
    for needed in material.needs().into_iter().chain([material]) {
        let stored =
            folder.as_ref().map(|folder| Store::new(folder).chess_path(needed, metric)).filter(|path| path.is_file());
        if let Some(path) = stored {
            tables.add(chess::open(&path, needed, metric)?.load()?);
            continue;
        }
        memory::check(&format!("building {needed}"), chess::memory(needed), limit)?;
        let built = chess::build(needed, metric, &tables, &mut |step| {
            tell(needed, &step);
            !cancel.is_cancelled()
        });
        match built {
            Ok(table) => tables.add(table),
            Err(BuildError::Stopped) => {
                bail!(Interrupted(format!("the table of {needed} is not built, and nothing is kept")))
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(tables)
}

/// A won position of the plan's ending, drawn by a seed.
///
/// # Errors
/// When the plan is for no ending, and as for [`tables`].
pub fn won_position(
    plan: &Plan,
    seed: u64,
    folder: Option<&Path>,
    cancel: &Cancel,
    tell: Tell<'_>,
) -> Result<Position> {
    let (material, metric) = ending(plan)?.context("the plan is for no ending")?;
    let tables = tables(material, metric, folder, None, cancel, tell)?;
    draw(material, metric, &tables, &mut Rng::new(seed))
}

/// A won position of an ending with white to move; one that takes a few moves, if there is any.
///
/// # Errors
/// When there is none.
pub fn draw(material: Material, metric: Metric, tables: &Tables, rng: &mut Rng) -> Result<Position> {
    let ending = Ending::new(material);
    let mut any = None;
    for _ in 0..100_000 {
        let position = ending.position(ending.first() + rng.below(ending.positions()) as u32);
        if position.broken() || ending.node(&position).is_none() {
            continue;
        }
        match tables.probe(&position, metric) {
            Ok(Outcome::Win(plies)) if plies >= 7 => return Ok(position),
            Ok(Outcome::Win(_)) => any = Some(position),
            _ => {}
        }
    }
    any.with_context(|| format!("no won position of {material} was found"))
}

/// A game listed for a plan: without the counter that only ends it.
pub struct Listing {
    /// Its engine.
    pub engine: Engine,
    /// Its positions.
    pub listed: Listed<State>,
}

/// Lists a game and says who can win where.
///
/// # Errors
/// When it cannot be listed: it is too large, or no game of one or two who move in turn.
pub fn listing(
    sheet: &Sheet,
    rules: &Rules,
    role: Option<&str>,
    limit: Option<u64>,
    cancel: &Cancel,
) -> Result<Listing> {
    let without = study::ply_limit(rules);
    let rules = without.as_ref().map_or(rules, |limit| &limit.rules);
    let engine = load(EngineChoice::Auto, sheet, rules, cancel)?.engine;
    let role = role.map(|name| role_of(&engine, name)).transpose()?;
    let plan = study::Plan {
        symmetries: false,
        learn: false,
        proofs: None,
        cancel: cancel.clone(),
        ..study::Plan::states(STATES)
    };
    let findings = Study::run(rules, &engine, plan).findings();
    let options = Options { memory: memory::budget(limit), ..Options::default() };
    let name = folders::file_name(&sheet.name);
    let listed = list(&name, &engine, &findings, role, &options, cancel).map_err(|error| match error {
        ListError::Stopped => anyhow::Error::new(Interrupted(format!("{name} is not listed, and nothing is kept"))),
        ListError::Solve(SolveError::Memory { .. }) => anyhow::Error::new(error).context(format!(
            "{name} cannot be listed: it has too many positions for the memory (--memory MiB sets the limit; of chess, endings such as `ludens plan build KRK` have plans)"
        )),
        error => anyhow::Error::new(error).context(format!("there is no plan for {name}")),
    })?;
    Ok(Listing { engine, listed })
}

/// Where the positions of a plan come from.
pub struct Under<'a> {
    /// The rules, where the library does not have them.
    pub game: Option<&'a str>,
    /// The folder of tables.
    pub folder: Option<&'a Path>,
    /// The most memory, in MiB.
    pub limit: Option<u64>,
    /// Ends it early.
    pub cancel: &'a Cancel,
}

/// What is under way.
pub enum Step<'a> {
    /// A table is built.
    Table(Material, &'a chess::Progress),
    /// Games are played: so many parts of so many are done.
    Play(usize, usize),
}

/// Plays by the stages of a plan, so many plies ahead, from its positions that can be won.
///
/// # Errors
/// When the plan has no stages, its positions cannot be listed any more, or it was cancelled.
pub fn play_stages(
    plan: &Plan,
    plies: &[usize],
    under: &Under<'_>,
    tell: &mut dyn FnMut(Step<'_>),
) -> Result<Vec<Played>> {
    let name = super::name(plan);
    let stages = plan
        .stages
        .as_ref()
        .with_context(|| format!("the plan of {name} has no stages; `ludens plan build {name}` makes one with them"))?;
    let mut world = match ending(plan)? {
        Some((material, metric)) => {
            let tables = tables(material, metric, under.folder, under.limit, under.cancel, &mut |men, step| {
                tell(Step::Table(men, step))
            })?;
            plan::chess::world(material, metric, &tables)?
        }
        None => {
            let (sheet, rules) = super::rules_of(plan, under.game)?;
            let Subject::Game { role, .. } = &plan.subject else { bail!("the plan is for no game") };
            listing(&sheet, &rules, Some(role), under.limit, under.cancel)?.listed.world
        }
    };
    let names = |board: &Board| {
        let things: Vec<String> = board.things.iter().map(|thing| thing.name.clone()).collect();
        (things, board.cells.clone(), board.counters.clone())
    };
    ensure!(
        names(&world.board) == names(&plan.board),
        "the positions of {name} are read in another way than by this plan; `ludens plan build {name}` makes one anew"
    );
    world.board = plan.board.clone();
    let movers = Movers::from_written(&plan.board, &plan.movers).context("the plan is damaged; build it again")?;
    let values = stages.values(&world, &movers);
    let settings = plan::stages::find::Settings { plies: plies.to_vec(), ..Default::default() };
    let played = stages.play(&world, &values, &settings, &mut |done, all| {
        tell(Step::Play(done, all));
        !under.cancel.is_cancelled()
    });
    if under.cancel.is_cancelled() {
        bail!(Interrupted("the play by stages was not finished".to_string()));
    }
    Ok(played)
}

/// The proof of a game's plan again, from the plan and the rules alone.
///
/// # Errors
/// When the plan does not say how positions are read, or the rules cannot be played.
pub fn check(plan: &Plan, sheet: &Sheet, rules: &Rules, cancel: &Cancel) -> Result<check::Report> {
    let without = study::ply_limit(rules);
    let listed = without.as_ref().map_or(rules, |limit| &limit.rules);
    let engine = load(EngineChoice::Auto, sheet, listed, cancel)?.engine;
    let words = GameWords::of(plan, rules, &engine)?;
    let vocabulary = plan.reads.as_ref().and_then(|reads| Vocabulary::from_reads(&plan.board, reads));
    let mut vocabulary = vocabulary.context("the plan does not say how positions are read; build it again")?;
    let mut read = |facts: &[String]| {
        let said: Vec<String> = facts.iter().filter_map(|fact| words.fact(fact)).collect();
        let mut scene = Scene::default();
        vocabulary.scene(&said, &mut scene)?;
        Ok(scene)
    };
    Ok(check::game(plan, &engine, &mut read, cancel)?)
}

fn role_of(engine: &Engine, name: &str) -> Result<Role> {
    let found = roles(engine).find(|&role| engine.role_name(role).eq_ignore_ascii_case(name));
    found.with_context(|| {
        format!("there is no role {name:?} in this game; its roles are: {}", game::role_names(engine).join(", "))
    })
}
