//! Plans as people name them, the rules they are for, and positions as they write them.

use super::{ENDING, folder, path, read};
use crate::Opening;
use anyhow::{Context, Result, bail, ensure};
use library::load;
use plan::{Plan, Subject};
use platform::folders;
use std::path::{Path, PathBuf};

/// The plan that a person means: a file, or a name in the folder.
///
/// # Errors
/// When there is none, or it is damaged.
pub fn find(name: &str, given: Option<&Path>) -> Result<(PathBuf, Plan)> {
    let as_path = Path::new(name);
    if as_path.is_file() {
        return Ok((as_path.to_path_buf(), read(as_path)?));
    }
    let tables = folders::tables(given)?;
    let names = [name.to_string(), name.to_uppercase(), name.to_lowercase()];
    if let Some(file) = names.iter().map(|name| path(&tables, name)).find(|path| path.is_file()) {
        let plan = read(&file)?;
        return Ok((file, plan));
    }
    let there = folders::files(&folder(&tables), ENDING);
    let there: Vec<String> =
        there.iter().filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned())).collect();
    let option = folders::option(given);
    bail!(
        "there is no plan {name:?}{}; `ludens plan build {name}{option}` makes one",
        if there.is_empty() { String::new() } else { format!(", only {}", there.join(", ")) }
    )
}

/// The rules that a plan of a game is for: those that are given, else those of the library.
///
/// # Errors
/// When they are missing, or others.
pub fn rules_of(plan: &Plan, given: Option<&str>) -> Result<(library::Sheet, gdl::Rules)> {
    let Subject::Game { name, identity, .. } = &plan.subject else { return load("chess") };
    let found = load(given.unwrap_or(name));
    let (sheet, rules) = found.with_context(|| {
        format!("the plan is for {name:?}, which is not in the library: --game FILE names its rules")
    })?;
    ensure!(
        gdl::identity(&rules).to_string() == *identity,
        "the plan of {name:?} is for other rules than {}; --game FILE names them, and `ludens plan build {}` makes a plan for these",
        sheet.name,
        sheet.name
    );
    Ok((sheet, rules))
}

/// The facts of a position as a plan writes it: a FEN, or facts.
pub fn facts(plan: &Plan, position: &str) -> Vec<String> {
    let opening = match plan.subject {
        Subject::Ending { .. } => Opening::from_fen(position, "chess"),
        Subject::Game { .. } => Opening::from_facts(position),
    };
    match opening {
        // How long nothing was taken says nothing here.
        Ok(Opening::Facts(facts)) => facts.into_iter().filter(|fact| !fact.starts_with("(quiet ")).collect(),
        _ => vec![position.to_string()],
    }
}
