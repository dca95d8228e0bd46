//! Measurements for people and for programs.

use super::measure::{Measured, Outcome, Play, Row};
use super::meter;
use anyhow::Result;
use serde::Serialize;
use terminal::{Out, text};

/// Three digits that tell something: `190M`, `1.05M`, `864`, `5.5`.
pub fn rate(value: f64) -> String {
    let (value, unit) = match value {
        v if v >= 999.5e6 => (v / 1e9, "G"),
        v if v >= 999.5e3 => (v / 1e6, "M"),
        v if v >= 9_999.5 => (v / 1e3, "k"),
        v => (v, ""),
    };
    match value {
        v if v >= 99.95 => format!("{v:.0}{unit}"),
        v if v >= 9.995 => format!("{v:.1}{unit}"),
        v if v >= 0.0995 || v <= 0.0 => format!("{v:.2}{unit}"),
        v => format!("{v:.4}"),
    }
}

/// Whole games a second, with a mark where that is a rough guess.
pub fn playouts(play: &Play) -> String {
    let about = if play.few { "~" } else { "" };
    play.playouts_per_second().map_or("-".to_string(), |value| format!("{about}{}", rate(value)))
}

/// A number of bytes.
pub fn bytes(value: u64) -> String {
    match value as f64 / (1 << 20) as f64 {
        v if v < 10.0 => format!("{v:.1} MiB"),
        v if v < 1024.0 => format!("{v:.0} MiB"),
        v => format!("{:.2} GiB", v / 1024.0),
    }
}

/// Figures that are worth a line, without the games behind them.
#[derive(Serialize)]
pub struct Figures {
    /// States a second.
    pub states_per_second: f64,
    /// Whole games a second.
    pub playouts_per_second: Option<f64>,
    /// Games that were played.
    pub playouts: u64,
    /// Moves a game.
    pub length: f64,
    /// The mean goal of each role.
    pub goals: Vec<f64>,
}

impl Figures {
    /// The figures of these games.
    pub fn of(play: &Play) -> Figures {
        Figures {
            states_per_second: play.states_per_second(),
            playouts_per_second: play.playouts_per_second(),
            playouts: play.playouts,
            length: play.length(),
            goals: play.roles.iter().map(|role| role.mean()).collect(),
        }
    }
}

/// A measurement with what it is compared to.
#[derive(Serialize)]
pub struct Line {
    /// The measurement.
    #[serde(flatten)]
    pub row: Row,
    /// States a second as a multiple of the prover's.
    pub times_prover: Option<f64>,
    /// States a second as a multiple of what the hand-written game makes.
    pub times_by_hand: Option<f64>,
}

/// How many columns there are beside the name of the game.
const COLUMNS: usize = 9;

/// A table that grows while one waits.
pub struct Growing {
    names: usize,
}

impl Growing {
    /// Begins a table for games of these names.
    pub fn begin<'a>(names: impl Iterator<Item = &'a str>, out: Out<'_>) -> Result<Growing> {
        let names = names.map(|name| name.chars().count()).max().unwrap_or(0).max(4);
        let growing = Growing { names };
        let head =
            ["engine", "ready", "memory", "states/s", "one by one", "playouts/s", "length", "× prover", "× by hand"];
        growing.put("game", head.map(String::from), "", out)?;
        Ok(growing)
    }

    /// Adds a measurement.
    pub fn add(&self, line: &Line, out: Out<'_>) -> Result<()> {
        let times = |ratio: Option<f64>| ratio.map_or("-".to_string(), rate);
        match &line.row.outcome {
            Outcome::Failed { error } => {
                let mut cells: [String; COLUMNS] = std::array::from_fn(|_| "-".to_string());
                cells[0] = line.row.asked.clone();
                self.put(&line.row.game, cells, &format!("  error: {error}"), out)
            }
            Outcome::Measured(measured) => {
                let Measured { engine, fallback, ready, memory, single_states_per_second, play, .. } = &**measured;
                let mut notes = Vec::new();
                notes.extend(fallback.as_ref().map(|why| format!("no net: {why}")));
                notes.extend((play.stuck > 0).then(|| format!("{} stuck", play.stuck)));
                notes.extend((play.cut > 0).then(|| format!("{} cut", play.cut)));
                let cells = [
                    engine.clone(),
                    text::seconds(*ready),
                    memory.map_or("n/a".to_string(), bytes),
                    rate(play.states_per_second()),
                    single_states_per_second.map_or("-".to_string(), rate),
                    playouts(play),
                    format!("{:.1}", play.length()),
                    times(line.times_prover),
                    times(line.times_by_hand),
                ];
                let notes = if notes.is_empty() { String::new() } else { format!("  ({})", notes.join("; ")) };
                self.put(&line.row.game, cells, &notes, out)
            }
        }
    }

    /// Adds what the hand-written game makes.
    pub fn by_hand(&self, game: &str, play: &Play, out: Out<'_>) -> Result<()> {
        let mut cells: [String; COLUMNS] = std::array::from_fn(|_| "-".to_string());
        cells[0] = "by hand".to_string();
        cells[3] = rate(play.states_per_second());
        cells[5] = playouts(play);
        cells[6] = format!("{:.1}", play.length());
        self.put(game, cells, "", out)
    }

    /// Ends the table.
    pub fn end(&self, out: Out<'_>) -> Result<()> {
        writeln!(
            out,
            "\none core; a second is a {}; ready: from the text to the first legal moves; \
             one by one: states/s without lanes",
            meter::clock().second()
        )?;
        Ok(())
    }

    fn put(&self, game: &str, cells: [String; COLUMNS], notes: &str, out: Out<'_>) -> Result<()> {
        let [engine, ready, memory, states, single, playouts, length, prover, hand] = cells;
        let names = self.names;
        let line = format!(
            "{game:<names$}  {engine:<7}  {ready:>8}  {memory:>8}  {states:>8}  {single:>10}  {playouts:>10}  {length:>6}  {prover:>8}  {hand:>9}{notes}"
        );
        writeln!(out, "{}", line.trim_end())?;
        Ok(out.flush()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        let said = [190e6, 1.05e6, 138e3, 9_999.0, 864.0, 21.0, 5.5, 0.123, 0.00123, 999.9e6].map(rate);
        assert_eq!(said, ["190M", "1.05M", "138k", "9999", "864", "21.0", "5.50", "0.12", "0.0012", "1.00G"]);
        assert_eq!([1 << 20, 300 << 20, 3 << 30].map(bytes), ["1.0 MiB", "300 MiB", "3.00 GiB"]);
    }
}
