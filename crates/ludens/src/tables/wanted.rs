//! Tables that players cannot do without: built where somebody said `--build-tables`.

use super::args::{BuildChineseArgs, MakeArgs};
use super::chinese;
use agent::chinese::NoDistances;
use anyhow::{Result, bail};
use platform::Interrupt;
use std::io::stderr;

/// The pieces of the game that the library has, and the cells along a side of its board.
const PIECES: u8 = 6;
const SIZE: u8 = 9;

/// Begins something that needs players with their tables. Where the distance table of Chinese checkers is missing, it is built if
/// that was asked for, and then it begins again; if it was not, the error says how to ask.
///
/// # Errors
/// Those of `begin`, and when the table cannot be built.
pub fn with_tables<T>(build: bool, interrupt: &Interrupt, mut begin: impl FnMut() -> Result<T>) -> Result<T> {
    let error = match begin() {
        Err(error) if matches!(error.downcast_ref(), Some(NoDistances::Missing(Some(_)))) => error,
        other => return other,
    };
    if !build {
        bail!("{error:#}; `--build-tables` builds it and goes on");
    }
    let make = MakeArgs { folder: None, compress: false, small: false, memory: None, force: false, json: false };
    let args = BuildChineseArgs { pieces: PIECES, against: None, size: SIZE, start: None, save_every: None, make };
    // What is printed otherwise may be for programs.
    chinese::build(&args, interrupt, &mut stderr())?;
    begin()
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;
    use std::path::PathBuf;

    #[test]
    fn only_a_missing_table_is_offered() {
        let interrupt = Interrupt::default();
        let ends = |why: NoDistances| {
            let failed = || Err::<(), _>(why.clone()).context("it cannot play");
            format!("{:#}", with_tables(false, &interrupt, failed).expect_err("there is no table"))
        };
        let missing = ends(NoDistances::Missing(Some(PathBuf::from("9x9-6.table"))));
        for part in ["it cannot play", "9x9-6.table", "30 s", "310 MiB", "`--build-tables`"] {
            assert!(missing.contains(part), "{missing}");
        }
        let refused = ends(NoDistances::Refused { path: PathBuf::new(), why: "it is damaged".to_string() });
        assert!(refused.contains("it is damaged") && !refused.contains("--build-tables"), "{refused}");
        assert_eq!(with_tables(false, &interrupt, || Ok(7)).expect("nothing is missing"), 7);
    }
}
