//! From tables or rules to a plan: what `ludens plan build` does, and Python.

use super::ground;
use anyhow::Result;
use game::{Cancel, Names};
use plan::build::{Tell, build};
use plan::chess::{Ending, EndingWords, world};
use plan::learn::{Phase, Progress, Settings, is_quick};
use plan::listed::ListedWords;
use plan::{Plan, Subject, World};
use platform::folders;
use std::path::Path;
use std::time::Instant;
use table::chess::{self, Material, Metric};

/// Seconds after which the search ends where a list is measured on all positions, and where it is not. The first is a bound that is seldom met: what is
/// found is to depend on how many lists are tried and not on what else the machine does.
const SECONDS: [f64; 2] = [900.0, 200.0];

/// So many positions are measured by all lists together, where a list is measured on all positions: for KRK these are some ninety thousand lists, 45
/// seconds of one processor.
const MEASURED: usize = 2_000_000_000;
/// Where each list is a sweep over the whole world, one counts as so many.
const SLOWER: usize = 20;
/// And never more lists than these.
const MOST_LISTS: usize = 100_000;

/// The most cases of sums in endings of four men and more: with the rule about repetitions 25 rules.
const CASES: usize = 24;

/// What a plan is to be like, and what may be spent on it.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The men of an ending, or a game.
    pub what: &'a str,
    /// The role that has the plan; else the one that wins.
    pub role: Option<&'a str>,
    /// Plies to look ahead; else 2, and 4 in endings of four men and more.
    pub plies: Option<usize>,
    /// The most cases of sums by cases, 0 for none; else 24 in endings of four men and more, and none elsewhere.
    pub cases: Option<usize>,
    /// Everything else about the search; its plies and cases are those above.
    pub settings: &'a Settings,
    /// The most seconds for the search; else 900, and 200 where there are many positions. Not heeded where a number of lists is given.
    pub seconds: Option<f64>,
    /// About how many lists of goals are tried; else, and where no seconds are given, as many as the positions allow, so that the plan is repeatable. Where
    /// there are many positions only time counts.
    pub lists: Option<usize>,
    /// The folder of tables.
    pub folder: Option<&'a Path>,
    /// The most memory for tables and lists of positions, in MiB.
    pub memory: Option<u64>,
}

/// How far it is.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// A table that the plan stands on.
    Table(Material, &'a chess::Progress),
    /// The search in what is called by this name.
    Search(&'a str, &'a Progress),
}

/// The ending that is meant: capitals are men, and so is what is no game.
pub fn ending(what: &str) -> Option<Material> {
    let material = Material::parse(what).ok()?;
    let capitals = !what.chars().any(char::is_lowercase);
    (capitals || library::find(what).is_none() && !Path::new(what).exists()).then_some(material)
}

impl Wanted<'_> {
    /// Makes the plan, and tells how long the search took, in seconds. It has no goals if none were found until the time was over or it was
    /// cancelled.
    ///
    /// # Errors
    /// When there is no such game or ending, it cannot be listed, or building a table was cancelled.
    pub fn make(&self, cancel: &Cancel, tell: &mut dyn FnMut(Step<'_>)) -> Result<(Plan, f64)> {
        match ending(self.what) {
            Some(material) => self.of_ending(material, cancel, tell),
            None => self.of_game(cancel, tell),
        }
    }

    fn of_ending(&self, material: Material, cancel: &Cancel, tell: &mut dyn FnMut(Step<'_>)) -> Result<(Plan, f64)> {
        if let Some(role) = self.role.filter(|role| !role.eq_ignore_ascii_case("white")) {
            anyhow::bail!("in an ending the stronger side, white, has the plan; {role:?} cannot");
        }
        let metric = Metric::Conversion;
        let tables = ground::tables(material, metric, self.folder, self.memory, cancel, &mut |men, step| {
            tell(Step::Table(men, step));
        })?;
        let mut world = world(material, metric, &tables)?;
        drop(tables);
        let plies = if material.count() > 3 { 4 } else { 2 };
        let subject = Subject::Ending { material: material.to_string(), metric: metric.name().to_string() };
        let words = EndingWords(Ending::new(material));
        let cases = if material.count() > 3 { CASES } else { 0 };
        Ok(self.learn(&mut world, subject, (plies, cases), &words, cancel, tell))
    }

    fn of_game(&self, cancel: &Cancel, tell: &mut dyn FnMut(Step<'_>)) -> Result<(Plan, f64)> {
        let found = library::load(self.what);
        if found.is_err() && self.what.chars().all(|letter| "KQRBNP".contains(letter)) {
            // Capitals of men that are no ending: it is told what is wrong with them.
            Material::parse(self.what)?;
        }
        let (sheet, rules) = found?;
        let mut found = ground::listing(&sheet, &rules, self.role, self.memory, cancel)?;
        let subject = Subject::Game {
            name: folders::file_name(&sheet.name),
            identity: gdl::identity(&rules).to_string(),
            role: found.engine.role_name(found.listed.role).to_string(),
        };
        let words = ListedWords { game: &found.engine, states: &found.listed.states };
        let (mut plan, seconds) = self.learn(&mut found.listed.world, subject, (2, 0), &words, cancel, tell);
        plan.reads = Some(found.listed.vocabulary.reads(found.listed.best));
        Ok((plan, seconds))
    }

    /// Looks for the plan.
    fn learn(
        &self,
        world: &mut World,
        subject: Subject,
        (plies, cases): (usize, usize),
        words: &dyn Tell,
        cancel: &Cancel,
        tell: &mut dyn FnMut(Step<'_>),
    ) -> (Plan, f64) {
        let settings = Settings {
            plies: self.plies.unwrap_or(plies),
            cases: self.cases.unwrap_or(cases),
            ..self.settings.clone()
        };
        let large = world.edges.len() > settings.whole;
        let limit = match self.lists {
            Some(_) => f64::INFINITY,
            None => self.seconds.unwrap_or(SECONDS[usize::from(large)]),
        };
        let usual = || {
            let slower = if is_quick(world, settings.plies) { 1 } else { SLOWER };
            (MEASURED / (slower * world.won().count().max(1))).min(MOST_LISTS)
        };
        let lists = self.lists.or_else(|| (self.seconds.is_none() && !large).then(usual));
        let (name, began) = (world.name.clone(), Instant::now());
        let mut search_began = None;
        let mut watch = |step: &Progress| {
            tell(Step::Search(&name, step));
            // The limits are those of the search; what comes before and after it has its own end.
            let mut searched = || search_began.get_or_insert_with(Instant::now).elapsed().as_secs_f64();
            let enough = lists.is_some_and(|lists| step.tried >= lists);
            !cancel.is_cancelled() && (step.phase != Phase::Goals || searched() < limit && !enough)
        };
        let plan = build(world, subject, &settings, words, &mut watch);
        (plan, began.elapsed().as_secs_f64())
    }
}
