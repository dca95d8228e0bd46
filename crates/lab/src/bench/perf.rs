//! The form in which engines of different people are compared: a file of `key=value` lines, as the public tests of GDL
//! engines read it.

use super::measure::{Measured, measure};
use agent::EngineChoice;
use anyhow::Result;
use library::Sheet;
use platform::save;
use std::path::Path;
use terminal::Answer;

/// Plays a game at random and writes the file. Rules that cannot be played make a file with an error message, and a
/// negative answer.
pub fn run(game: &str, engine: EngineChoice, seconds: f64, seed: u64, path: &Path) -> Result<Answer> {
    let measured = Sheet::find(game).and_then(|sheet| measure(&sheet, engine, seconds, seed));
    save(path, &text(&measured))?;
    Ok(if measured.is_ok() { Answer::Yes } else { Answer::No })
}

fn text(measured: &Result<Measured>) -> String {
    let version = format!("version=ludens {}", env!("CARGO_PKG_VERSION"));
    match measured {
        Ok(Measured { engine, play, .. }) => {
            let milliseconds = (play.wall * 1e3).round() as u64;
            let (states, playouts) = (play.states, play.playouts);
            format!(
                "{version} {engine}\nmillisecondsTaken={milliseconds}\nnumStateChanges={states}\nnumRollouts={playouts}\n"
            )
        }
        // A value ends where its line ends.
        Err(error) => format!("{version}\nerrorMessage={}\n", format!("{error:#}").replace(['\n', '\r'], " ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line() {
        let text = text(&Err(anyhow::anyhow!("one\ntwo")));
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(text.ends_with("errorMessage=one two\n"));
    }
}
