//! Tables of Chinese checkers for two, pieces against pieces: built, and found for a position.

use super::chinese::{cells, not_begun};
use anyhow::{Context, Result, bail, ensure};
use game::Cancel;
use platform::folders;
use std::path::{Path, PathBuf};
use table::chinese::Progress;
use table::chinese::versus::{Build, BuildError, Outcome, Spec, Versus};
use table::file::{self, Form};
use table::store::Store;

/// The word between red's cells and blue's.
const AGAINST: &str = "against";
/// Who plays.
pub const SIDES: [&str; 2] = ["red", "blue"];

/// Builds and stores a table, of no more than so many bytes, and tells how far it is.
///
/// # Errors
/// When memory or disk does not suffice, or it was cancelled.
pub fn build(
    spec: Spec,
    path: &Path,
    budget: u64,
    form: Form,
    cancel: &Cancel,
    tell: &mut dyn FnMut(&Progress),
) -> Result<()> {
    let name = spec.name();
    let folder = path.parent().unwrap_or(path);
    folders::writable(folder, None)?;
    let mut build = Build::new(spec, budget).map_err(|error| not_begun(error, &name, budget))?;
    folders::writable(folder, (form == Form::Raw).then_some(2 * build.space().entries()))?;
    let built = build.run(&mut |step| {
        tell(&step);
        !cancel.is_cancelled()
    });
    if let Err(BuildError::Stopped) = built {
        bail!("{name} is not built, and nothing of it is kept");
    }
    built?;
    file::clean(folder);
    build.write(path, form)?;
    Ok(())
}

/// Whether a position has two sides.
pub fn is_meant(words: &[String]) -> bool {
    words.iter().flat_map(|words| words.split_whitespace()).any(|word| word == AGAINST)
}

/// A position: red's cells, `against`, blue's cells, and whose turn it is, red's if nothing is said.
fn position(words: &[String], side: usize) -> Result<([u128; 2], usize)> {
    let mut words: Vec<String> = words.iter().flat_map(|words| words.split_whitespace()).map(str::to_string).collect();
    let turn = words.last().and_then(|last| SIDES.iter().position(|name| name == last));
    if turn.is_some() {
        words.pop();
    }
    let Some(middle) = words.iter().position(|word| word == AGAINST) else {
        bail!("give the cells of both sides, such as 0,0 0,1 {AGAINST} 8,8, and then red or blue for who is to move")
    };
    let pieces = [cells(&words[..middle], side)?, cells(&words[middle + 1..], side)?];
    ensure!(pieces[0] & pieces[1] == 0, "red and blue cannot stand in the same cell");
    Ok((pieces, turn.unwrap_or(0)))
}

/// A position and the table that has it: that of the file, if one is given, or else of the folder.
///
/// # Errors
/// When there is none, or the words are no position.
pub fn open(
    words: &[String],
    file: Option<&Path>,
    given: Option<&Path>,
    side: usize,
) -> Result<([u128; 2], usize, PathBuf, Versus)> {
    if let Some(path) = file {
        let table = Versus::open(path)?;
        let (pieces, turn) = position(words, table.space().spec().side)?;
        return Ok((pieces, turn, path.to_path_buf(), table));
    }
    let (pieces, turn) = position(words, side)?;
    let counts = pieces.map(|cells| cells.count_ones() as usize);
    let spec = Spec::new(side, counts[0], counts[1]);
    let folder = folders::tables(given)?;
    let store = Store::new(&folder);
    let Some(table) = store.versus(&spec)? else {
        bail!(
            "there is no table {} in {}; `ludens table build chinese-checkers --pieces {} --against {} --size {side}{}` builds it",
            spec.name(),
            folder.display(),
            spec.pieces[0],
            spec.pieces[1],
            folders::option(given)
        )
    };
    Ok((pieces, turn, store.versus_path(&spec), table))
}

/// What a table says of a position that it should have.
///
/// # Errors
/// When it has none, or is damaged.
pub fn outcome(table: &Versus, path: &Path, pieces: [u128; 2], turn: usize) -> Result<Outcome> {
    let [red, blue] = table.space().spec().pieces;
    let found = table.outcome(pieces, turn)?;
    found.with_context(|| format!("{} is for {red} against {blue} pieces, and has no such position", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_read() {
        let read = |text: &str| position(&[text.to_string()], 9);
        assert_eq!(read("0,0 0,1 against 8,8 blue").unwrap(), ([0b11, 1 << 80], 1));
        assert_eq!(read("0,0 against 0,1").unwrap(), ([1, 2], 0));
        for bad in ["0,0", "0,0 against", "against 1,1", "0,0 against 0,0", "0,0 against 9,9", "0,0 against 1,1 green"]
        {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert!(is_meant(&["0,0 against 1,1".to_string()]) && !is_meant(&["0,0".to_string()]));
    }
}
