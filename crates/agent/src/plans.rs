//! Plans in their folder, and how positions of a game are said in the words of one.
//!
//! They lie in `plans` of the folder of tables, as `KRK.plan` or `nim.plan`. What a file is for is told by the file, not by its name: an ending
//! by its men, a game by the identity of its rules.

pub mod drill;
pub mod ground;
pub mod making;
mod named;

pub use named::{facts, find, rules_of};

use crate::oracles::renaming_to;
use anyhow::{Context, Result, anyhow, bail};
use game::{Game, Names, Role, roles};
use gdl::{Renaming, Rules};
use machine::{Engine, State};
use native::chess::{Colour, Position, Sheet};
use plan::{Plan, Subject};
use platform::folders;
use std::path::{Path, PathBuf};
use table::chess::{Material, Metric, Tables};
use table::store::{Store, Twin};

/// How files of plans end.
pub const ENDING: &str = "plan";
/// The longest file that is read.
const MOST_BYTES: u64 = 64 << 20;
/// The most men of an ending whose smaller tables are made in memory where they are missing.
const MOST_MEN: usize = 4;

/// The folder of plans in a folder of tables.
pub fn folder(tables: &Path) -> PathBuf {
    tables.join("plans")
}

/// The file of a plan of this name.
pub fn path(tables: &Path, name: &str) -> PathBuf {
    folder(tables).join(format!("{name}.{ENDING}"))
}

/// Reads a plan.
///
/// # Errors
/// When it cannot be read or is damaged; the message has the way out.
pub fn read(path: &Path) -> Result<Plan> {
    let shown = path.display();
    let plan = folders::text(path, MOST_BYTES).and_then(|text| Ok(Plan::parse(&text)?));
    plan.with_context(|| format!("{shown} cannot be used as a plan; `ludens plan build` makes one anew"))
}

/// What a plan is called.
pub fn name(plan: &Plan) -> &str {
    match &plan.subject {
        Subject::Ending { material, .. } => material,
        Subject::Game { name, .. } => name,
    }
}

/// The men and the metric of a plan for an ending.
///
/// # Errors
/// When the plan names none that there are.
pub fn ending(plan: &Plan) -> Result<Option<(Material, Metric)>> {
    let Subject::Ending { material, metric } = &plan.subject else { return Ok(None) };
    let metric = Metric::ALL.into_iter().find(|known| known.name() == metric);
    let metric = metric.with_context(|| format!("the plan of {material} counts what nobody knows"))?;
    let men = Material::parse(material)?;
    // What stands where is written for a board of these men.
    let names = |board: &plan::scene::Board| board.things.iter().map(|thing| thing.name.clone()).collect::<Vec<_>>();
    if names(&plan::chess::board(men)) != names(&plan.board) || plan.board.cells.len() != 64 {
        bail!("the plan of {material} is for other men; `ludens plan build {material}` makes one anew");
    }
    Ok(Some((men, metric)))
}

/// The tables that taking and promoting leads to in an ending: from the folder, else made in memory.
///
/// # Errors
/// When one is damaged, or they are too large to be made in passing.
pub fn smaller_tables(material: Material, metric: Metric, folder: Option<&Path>) -> Result<Tables> {
    let mut tables = Tables::new();
    for needed in material.needs() {
        let stored = folder.map(|folder| Store::new(folder).chess_path(needed, metric)).filter(|path| path.is_file());
        let table = match stored {
            Some(path) => table::chess::open(&path, needed, metric)?,
            None if material.count() <= MOST_MEN => table::chess::build(needed, metric, &tables, &mut |_| true)?,
            None => {
                let option = metric.option();
                bail!("the table of {needed} is missing; `ludens table build chess {needed}{option}` builds it")
            }
        };
        tables.add(table);
    }
    Ok(tables)
}

/// A game that is chess, in any words.
pub struct ChessWords {
    sheet: Sheet,
    renaming: Renaming,
}

impl ChessWords {
    /// The words of rules that are one of the rulesheets of chess.
    pub fn of(rules: &Rules) -> Option<ChessWords> {
        let known = [(Twin::Krk, Sheet::Krk), (Twin::Kqkr, Sheet::Kqkr), (Twin::Chess, Sheet::Chess)];
        known.into_iter().find_map(|(twin, sheet)| Some(ChessWords { sheet, renaming: renaming_to(rules, twin)? }))
    }

    /// The position of a state, with the side to move playing white, if it is one without castling.
    pub fn position(&self, engine: &Engine, state: &State, mover: Option<Colour>) -> Option<Position> {
        let facts: Option<Vec<String>> =
            engine.facts(state).iter().map(|fact| self.renaming.text_forth(fact).ok()).collect();
        let position = self.sheet.read(&facts?).filter(|position| !position.castling.any())?;
        let side = mover.unwrap_or(position.turn);
        Some(if side == Colour::Black { position.swapped() } else { position })
    }

    /// Whose turn it is.
    pub fn turn(&self, engine: &Engine, state: &State) -> Option<Colour> {
        let facts: Option<Vec<String>> =
            engine.facts(state).iter().map(|fact| self.renaming.text_forth(fact).ok()).collect();
        Some(self.sheet.read(&facts?)?.turn)
    }
}

/// How the facts of rules are said in the words of a plan's game, and which role has the plan.
pub struct GameWords {
    renaming: Option<Renaming>,
    /// The role that has the plan.
    pub role: Role,
}

impl GameWords {
    /// The words of rules whose identity is that of a plan's game.
    ///
    /// # Errors
    /// When the rules are others, or have no such role.
    pub fn of(plan: &Plan, rules: &Rules, engine: &Engine) -> Result<GameWords> {
        let Subject::Game { name, identity, role } = &plan.subject else { bail!("the plan is for a chess ending") };
        if gdl::identity(rules).to_string() != *identity {
            bail!("the plan of {name} is for other rules");
        }
        if plan.reads.is_none() {
            bail!("the plan of {name} does not say how positions are read; build it again");
        }
        let library = library::find(name).map(|entry| gdl::parse(entry.rules).rules);
        let renaming = library
            .filter(|theirs| gdl::identity(theirs).to_string() == *identity)
            .and_then(|theirs| gdl::isomorphism(rules, &theirs));
        let said = |own: &str| match &renaming {
            Some(renaming) => renaming.text_forth(own).unwrap_or_default(),
            None => own.to_string(),
        };
        let found = roles(engine).find(|&own| said(engine.role_name(own)).eq_ignore_ascii_case(role));
        let role = found.ok_or_else(|| anyhow!("the rules have no role {role}"))?;
        Ok(GameWords { renaming, role })
    }

    /// A fact in the words of the plan.
    pub fn fact(&self, text: &str) -> Option<String> {
        match &self.renaming {
            Some(renaming) => renaming.text_forth(text).ok(),
            None => Some(text.to_string()),
        }
    }
}

/// The states that the moves of whoever decides lead to; none where several decide or nobody does.
///
/// # Errors
/// When the engine comes to a limit.
pub fn successors(engine: &Engine, state: &State) -> Result<Vec<(game::Move, State)>, game::Limit> {
    let mut view = engine.view();
    engine.look(state, &mut view)?;
    let game::Turn::One(chooser) = engine.turn(&view) else { return Ok(Vec::new()) };
    let legal: Vec<Vec<game::Move>> = roles(engine)
        .map(|role| {
            let mut moves = Vec::new();
            engine.legal(&view, role, &mut moves);
            moves
        })
        .collect();
    let mut joint: Vec<game::Move> = legal.iter().filter_map(|moves| moves.first().copied()).collect();
    if joint.len() < legal.len() {
        return Ok(Vec::new());
    }
    let chooser = usize::from(chooser.0);
    let mut found = Vec::new();
    for &mv in &legal[chooser] {
        joint[chooser] = mv;
        let mut next = state.clone();
        engine.play(&mut view, &joint, &mut next)?;
        found.push((mv, next));
    }
    Ok(found)
}
