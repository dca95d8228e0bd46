//! A table in memory or in a file, a set of tables, and what they say about a position.

use super::index::Index;
use super::material::{Material, MaterialError};
use crate::file::{self, FileError};
use crate::oracle;
use native::chess::{Colour, Position, Step};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The byte of draws and of positions that cannot occur; which of the two it is, the position itself tells.
pub(super) const NOTHING: u8 = u8::MAX;

/// What distances are counted to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Metric {
    /// Plies to mate.
    Mate,
    /// Plies until the winner mates, or takes or promotes and still wins. Captures and promotions by the loser do not
    /// end the count.
    Conversion,
}

impl Metric {
    /// Both.
    pub const ALL: [Metric; 2] = [Metric::Mate, Metric::Conversion];

    /// The short name: `dtm` or `dtc`.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Mate => "dtm",
            Metric::Conversion => "dtc",
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        oracle::Metric::from(self).words()
    }

    /// What a table of chess counts whose header says this.
    pub fn of(metric: oracle::Metric) -> Option<Metric> {
        Metric::ALL.into_iter().find(|own| oracle::Metric::from(*own) == metric)
    }
}

impl From<Metric> for oracle::Metric {
    fn from(metric: Metric) -> oracle::Metric {
        match metric {
            Metric::Mate => oracle::Metric::Mate,
            Metric::Conversion => oracle::Metric::Conversion,
        }
    }
}

/// What a position is worth to the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// Won in this many plies (odd).
    Win(u8),
    /// Nobody wins.
    Draw,
    /// Lost in this many plies (even; 0 is mate).
    Loss(u8),
}

impl Outcome {
    /// The byte in a table.
    pub(super) fn byte(self) -> u8 {
        match self {
            Outcome::Win(plies) | Outcome::Loss(plies) => plies,
            Outcome::Draw => NOTHING,
        }
    }

    /// How many plies; draws have none.
    pub fn plies(self) -> Option<u8> {
        match self {
            Outcome::Win(plies) | Outcome::Loss(plies) => Some(plies),
            Outcome::Draw => None,
        }
    }

    /// What a byte in a table means, for a legal position.
    pub(super) fn of(byte: u8) -> Outcome {
        match byte {
            NOTHING => Outcome::Draw,
            plies if plies & 1 == 1 => Outcome::Win(plies),
            plies => Outcome::Loss(plies),
        }
    }

    /// Greater is better for the side to move.
    pub fn order(self) -> i32 {
        match self {
            Outcome::Win(plies) => 1000 - i32::from(plies),
            Outcome::Draw => 0,
            Outcome::Loss(plies) => i32::from(plies) - 1000,
        }
    }

    /// What the move that leads here is worth to the side that makes it.
    pub fn before(self) -> Outcome {
        match self {
            Outcome::Win(plies) => Outcome::Loss(plies.saturating_add(1)),
            Outcome::Draw => Outcome::Draw,
            Outcome::Loss(plies) => Outcome::Win(plies.saturating_add(1)),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Win(plies) => write!(f, "win in {plies} plies"),
            Outcome::Draw => f.write_str("draw"),
            Outcome::Loss(plies) => write!(f, "loss in {plies} plies"),
        }
    }
}

pub(super) enum Data {
    Memory([Vec<u8>; 2]),
    File(Box<file::Table>),
}

/// The values of all positions of one material.
pub struct Table {
    index: Index,
    metric: Metric,
    pub(super) data: Data,
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.material(), self.metric.name())
    }
}

impl Table {
    pub(super) fn new(index: Index, metric: Metric, data: [Vec<u8>; 2]) -> Table {
        Table { index, metric, data: Data::Memory(data) }
    }

    pub(super) fn with(index: Index, metric: Metric, data: Data) -> Table {
        Table { index, metric, data }
    }

    /// Which men.
    pub fn material(&self) -> Material {
        self.index.material()
    }

    /// What is counted.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The index.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The outcome of a number below the length of the index. Numbers of positions that cannot occur say draw.
    #[inline]
    pub fn get(&self, turn: Colour, number: u64) -> Result<Outcome, FileError> {
        self.byte(turn, number).map(Outcome::of)
    }

    /// The byte of a number below the length of the index: plies (odd won, even lost) or [`NOTHING`].
    #[inline]
    pub(super) fn byte(&self, turn: Colour, number: u64) -> Result<u8, FileError> {
        match &self.data {
            Data::Memory(sides) => Ok(sides[turn as usize][number as usize]),
            Data::File(file) => file.get(turn as usize, number),
        }
    }

    /// Changes one entry of a table in memory; to show that checks notice.
    pub fn set(&mut self, turn: Colour, number: u64, outcome: Outcome) {
        if let Data::Memory(sides) = &mut self.data
            && let Some(entry) = sides[turn as usize].get_mut(number as usize)
        {
            *entry = outcome.byte();
        }
    }

    /// The value of a legal position of exactly this material in normal form, apart from taking en passant.
    #[inline]
    pub(super) fn value(&self, position: &Position) -> Result<Outcome, FileError> {
        match self.index.rank(&self.index.place(position)) {
            Some(number) => self.get(position.turn, number),
            None => Ok(Outcome::Draw),
        }
    }
}

/// Why a position could not be looked up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProbeError {
    /// The table is not there.
    Missing(Material, Metric),
    /// No table has such men.
    Material(MaterialError),
    /// The file of a table cannot be read or is damaged, in the words of its error.
    Damaged(String),
    /// The entries of a table contradict each other: the distance does not fall where the best move is made.
    Wrong(Material, String),
}

impl fmt::Display for ProbeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProbeError::Missing(material, metric) => {
                write!(f, "the table of {material} ({}) is not there; build it first", metric.name())
            }
            ProbeError::Material(error) => error.fmt(f),
            ProbeError::Damaged(error) => f.write_str(error),
            ProbeError::Wrong(material, fen) => write!(
                f,
                "the tables contradict each other at {fen}: its best move does not bring the end nearer; \
                 `ludens table verify {material}` tells more"
            ),
        }
    }
}

impl std::error::Error for ProbeError {}

impl From<FileError> for ProbeError {
    fn from(error: FileError) -> ProbeError {
        ProbeError::Damaged(error.to_string())
    }
}

/// A move with its worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The move.
    pub step: Step,
    /// What it is worth to the side that makes it.
    pub outcome: Outcome,
}

/// Tables by material and metric.
#[derive(Default, Debug)]
pub struct Tables {
    /// By the number of the material and the metric.
    tables: BTreeMap<(u64, Metric), Held>,
}

/// A table that is there, or a file to be opened when it is asked for.
#[derive(Debug)]
enum Held {
    Open(Table),
    Closed { path: PathBuf, material: Material, metric: Metric, opened: OnceLock<Result<Table, String>> },
}

impl Held {
    fn table(&self) -> Result<&Table, ProbeError> {
        match self {
            Held::Open(table) => Ok(table),
            Held::Closed { path, material, metric, opened } => {
                let open = || super::store::open(path, *material, *metric).map_err(|error| error.to_string());
                opened.get_or_init(open).as_ref().map_err(|error| ProbeError::Damaged(error.clone()))
            }
        }
    }

    fn key(&self) -> (Material, Metric) {
        match self {
            Held::Open(table) => (table.material(), table.metric()),
            Held::Closed { material, metric, .. } => (*material, *metric),
        }
    }
}

impl Tables {
    /// No tables.
    pub fn new() -> Tables {
        Tables::default()
    }

    /// Puts a table into the set, in place of another of the same men and metric.
    pub fn add(&mut self, table: Table) {
        self.tables.insert((table.material().key(), table.metric()), Held::Open(table));
    }

    /// Puts a file into the set, which is opened when it is first asked for. What is wrong with it is told then.
    pub fn add_file(&mut self, path: PathBuf, material: Material, metric: Metric) {
        let held = Held::Closed { path, material, metric, opened: OnceLock::new() };
        self.tables.insert((material.key(), metric), held);
    }

    /// The table of a material; `None` if it is not there, or cannot be opened ([`find`](Tables::find) tells why).
    pub fn get(&self, material: Material, metric: Metric) -> Option<&Table> {
        self.find(material, metric).ok()
    }

    /// The table of a material, or why there is none.
    #[inline]
    pub fn find(&self, material: Material, metric: Metric) -> Result<&Table, ProbeError> {
        match self.tables.get(&(material.key(), metric)) {
            Some(Held::Open(table)) => Ok(table),
            Some(held) => held.table(),
            None => Err(ProbeError::Missing(material, metric)),
        }
    }

    /// Takes a table out of the set.
    pub fn remove(&mut self, material: Material, metric: Metric) -> Option<Table> {
        match self.tables.remove(&(material.key(), metric))? {
            Held::Open(table) => Some(table),
            Held::Closed { path, opened, .. } => match opened.into_inner() {
                Some(opened) => opened.ok(),
                None => super::store::open(&path, material, metric).ok(),
            },
        }
    }

    /// All tables that can be opened.
    pub fn iter(&self) -> impl Iterator<Item = &Table> {
        self.tables.values().filter_map(|held| held.table().ok())
    }

    /// Which tables there are. None is opened for it.
    pub fn materials(&self) -> impl Iterator<Item = (Material, Metric)> {
        self.tables.values().map(Held::key)
    }

    /// What a position is worth, either colour being the stronger one, with the right to take en passant where the
    /// position has it. The position must be legal, as [`Position::from_fen`] makes them.
    pub fn probe(&self, position: &Position, metric: Metric) -> Result<Outcome, ProbeError> {
        if position.passed.is_some() {
            let legal = position.legal();
            if legal.iter().any(|step| step.passing) {
                return self.with_passing(position, &legal, metric);
            }
        }
        self.board(position, metric)
    }

    /// The value of the men as they stand.
    fn board(&self, position: &Position, metric: Metric) -> Result<Outcome, ProbeError> {
        let (material, swap) = Material::of(position).map_err(ProbeError::Material)?;
        if material.bare() {
            return Ok(Outcome::Draw);
        }
        let table = self.find(material, metric)?;
        let position = if swap { &position.swapped() } else { position };
        Ok(table.value(position)?)
    }

    /// The best of what the board says without en passant, if there is another move, and of taking en passant.
    fn with_passing(&self, position: &Position, legal: &[Step], metric: Metric) -> Result<Outcome, ProbeError> {
        let mut best = None;
        let mut add = |outcome: Outcome| {
            if best.is_none_or(|old: Outcome| outcome.order() > old.order()) {
                best = Some(outcome);
            }
        };
        if legal.iter().any(|step| !step.passing) {
            add(self.board(&Position { passed: None, ..*position }, metric)?);
        }
        for step in legal.iter().filter(|step| step.passing) {
            add(self.worth(position, step, metric)?);
        }
        Ok(best.unwrap_or(Outcome::Draw))
    }

    /// What a legal move is worth to the side that makes it.
    pub fn worth(&self, position: &Position, step: &Step, metric: Metric) -> Result<Outcome, ProbeError> {
        let after = self.probe(&position.after(step), metric)?;
        Ok(match (after, metric) {
            (Outcome::Loss(_), Metric::Conversion) if step.converts() => Outcome::Win(1),
            (after, _) => after.before(),
        })
    }

    /// All legal moves with their worth, the best first; equal ones by their text.
    pub fn choices(&self, position: &Position, metric: Metric) -> Result<Vec<Choice>, ProbeError> {
        let mut choices = Vec::new();
        for step in position.legal() {
            choices.push(Choice { step, outcome: self.worth(position, &step, metric)? });
        }
        choices.sort_by_key(|choice| (-choice.outcome.order(), choice.step.uci()));
        Ok(choices)
    }

    /// The moves when both sides play best, until mate (or, counting to conversion, until the winning capture or
    /// promotion); nothing from a drawn position. Of equal moves the first by text is taken, so the line is always the same.
    /// Tables that contradict each other are an error.
    pub fn line(&self, position: &Position, metric: Metric) -> Result<Vec<Step>, ProbeError> {
        let mut line = Vec::new();
        let mut position = *position;
        // A move is worth what the position behind it says, and one ply more. Where that is what the position before it says
        // too, every move brings the end nearer by one ply, so this ends.
        loop {
            let outcome = self.probe(&position, metric)?;
            if line.is_empty() && outcome == Outcome::Draw {
                break;
            }
            let choice = self.choices(&position, metric)?.into_iter().next();
            if choice.map_or(Outcome::Loss(0), |choice| choice.outcome) != outcome {
                let (material, _) = Material::of(&position).map_err(ProbeError::Material)?;
                return Err(ProbeError::Wrong(material, position.fen()));
            }
            let Some(choice) = choice else { break };
            line.push(choice.step);
            position = position.after(&choice.step);
            if metric == Metric::Conversion && choice.outcome == Outcome::Win(1) {
                break;
            }
        }
        Ok(line)
    }
}

/// The side that a name such as `w` or `b` stands for, as part of a table file.
pub(super) fn side_name(turn: Colour) -> &'static str {
    match turn {
        Colour::White => "w",
        Colour::Black => "b",
    }
}
