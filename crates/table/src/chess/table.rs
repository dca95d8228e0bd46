//! A table in memory or in a file, a set of tables, and what they say about a position.

use super::index::Index;
use super::material::{Material, MaterialError};
use crate::file::{self, FileError, Pool};
use crate::oracle;
use native::chess::{Colour, Kind, Position, Step};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

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
    /// Plies until somebody mates, takes or moves a pawn, the winner hurrying and the loser delaying. More than
    /// [`FIFTY`] say that the fifty-move rule makes it a draw: see [`Outcome`].
    Zeroing,
}

/// After so many plies without a capture or a pawn move the game is a draw, unless the last of them was mate.
pub const FIFTY: u8 = 100;

impl Metric {
    /// All of them.
    pub const ALL: [Metric; 3] = [Metric::Mate, Metric::Conversion, Metric::Zeroing];

    /// The short name: `dtm`, `dtc` or `dtz`.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Mate => "dtm",
            Metric::Conversion => "dtc",
            Metric::Zeroing => "dtz",
        }
    }

    /// How commands are told to use it; nothing for what they do anyway.
    pub fn option(self) -> &'static str {
        match self {
            Metric::Mate => "",
            Metric::Conversion => " --metric dtc",
            Metric::Zeroing => " --metric dtz",
        }
    }

    /// What a move is worth to the side that makes it, where the position behind it is worth this to the opponent.
    #[inline]
    pub fn worth(self, after: Outcome, step: &Step) -> Outcome {
        match self {
            Metric::Mate => after.before(),
            Metric::Conversion => self.beyond(after, step.converts()),
            Metric::Zeroing => self.beyond(after, step.converts() || step.kind == Kind::Pawn),
        }
    }

    /// As [`worth`](Metric::worth), told whether the move ends what is counted.
    #[inline]
    pub(super) fn beyond(self, after: Outcome, ends: bool) -> Outcome {
        // Whoever sets the clock back begins a new count; what was a draw by the fifty-move rule stays one.
        let first = |plies: u8| if plies > FIFTY { FIFTY + 1 } else { 1 };
        match (self, after) {
            (Metric::Conversion, Outcome::Loss(_)) if ends => Outcome::Win(1),
            (Metric::Zeroing, Outcome::Loss(plies)) if ends => Outcome::Win(first(plies)),
            (Metric::Zeroing, Outcome::Win(plies)) if ends => Outcome::Loss(first(plies)),
            _ => after.before(),
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
            Metric::Zeroing => oracle::Metric::Zeroing,
        }
    }
}

/// What a position is worth to the side to move.
///
/// Counting to zeroing, what takes more than [`FIFTY`] plies is a *cursed win* and a *blessed loss*: somebody wins, but for the
/// fifty-move rule. They are counted on from 100: 101 is a capture or a pawn move into such a win.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// Won in this many plies (odd, except where the loser may end the count).
    Win(u8),
    /// Nobody wins.
    Draw,
    /// Lost in this many plies (even, except as above; 0 is mate).
    Loss(u8),
}

/// What a position is worth to the side to move under the fifty-move rule, the best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Ruling {
    /// Won.
    Win,
    /// Won but for the fifty-move rule: a draw.
    CursedWin,
    /// Drawn.
    Draw,
    /// Lost but for the fifty-move rule: a draw.
    BlessedLoss,
    /// Lost.
    Loss,
}

impl Ruling {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Ruling::Win => "win",
            Ruling::CursedWin => "cursed win",
            Ruling::Draw => "draw",
            Ruling::BlessedLoss => "blessed loss",
            Ruling::Loss => "loss",
        }
    }
}

/// How the bytes of one side to move are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Code {
    /// Plies; odd ones are won, even ones lost.
    Parity,
    /// Wins are their plies, up to these; losses are [`LOST`] less their plies.
    Border(u8),
}

/// The byte of mate where wins and losses are told apart by a border.
const LOST: u8 = NOTHING - 1;

impl Code {
    /// The code of a side to move whose longest win and longest loss are these; `None` if a byte cannot hold them.
    pub(super) fn bordered(win: u8, loss: u8) -> Option<Code> {
        (LOST.checked_sub(loss)? > win).then_some(Code::Border(win))
    }

    /// What a byte means, for a legal position.
    #[inline]
    pub(super) fn outcome(self, byte: u8) -> Outcome {
        match self {
            _ if byte == NOTHING => Outcome::Draw,
            Code::Parity if byte & 1 == 1 => Outcome::Win(byte),
            Code::Parity => Outcome::Loss(byte),
            Code::Border(win) if byte <= win => Outcome::Win(byte),
            Code::Border(_) => Outcome::Loss(LOST - byte),
        }
    }

    /// The byte of an outcome.
    #[inline]
    pub(super) fn byte(self, outcome: Outcome) -> u8 {
        match (self, outcome) {
            (_, Outcome::Draw) => NOTHING,
            (Code::Border(_), Outcome::Loss(plies)) => LOST.saturating_sub(plies),
            (_, Outcome::Win(plies) | Outcome::Loss(plies)) => plies,
        }
    }
}

impl Outcome {
    /// What the fifty-move rule makes of an outcome that counts to zeroing, so many plies after the last capture or pawn move.
    pub fn ruling(self, quiet: u16) -> Ruling {
        let in_time = |plies: u8| u32::from(plies) + u32::from(quiet) <= u32::from(FIFTY);
        match self {
            Outcome::Win(plies) if in_time(plies) => Ruling::Win,
            Outcome::Win(_) => Ruling::CursedWin,
            Outcome::Draw => Ruling::Draw,
            Outcome::Loss(plies) if in_time(plies) => Ruling::Loss,
            Outcome::Loss(_) => Ruling::BlessedLoss,
        }
    }

    /// How many plies; draws have none.
    pub fn plies(self) -> Option<u8> {
        match self {
            Outcome::Win(plies) | Outcome::Loss(plies) => Some(plies),
            Outcome::Draw => None,
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
    /// By side to move.
    codes: [Code; 2],
    pub(super) data: Data,
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.material(), self.metric.name())
    }
}

impl Table {
    pub(super) fn new(index: Index, metric: Metric, codes: [Code; 2], data: Data) -> Table {
        Table { index, metric, codes, data }
    }

    /// How the bytes of a side to move are read.
    #[inline]
    pub(super) fn code(&self, turn: Colour) -> Code {
        self.codes[turn as usize]
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
        self.byte(turn, number).map(|byte| self.code(turn).outcome(byte))
    }

    /// The byte of a number below the length of the index, in the code of its side to move.
    #[inline]
    pub(super) fn byte(&self, turn: Colour, number: u64) -> Result<u8, FileError> {
        match &self.data {
            Data::Memory(sides) => Ok(sides[turn as usize][number as usize]),
            Data::File(file) => file.get(turn as usize, number),
        }
    }

    /// Changes one entry of a table in memory; to show that checks notice.
    pub fn set(&mut self, turn: Colour, number: u64, outcome: Outcome) {
        let byte = self.code(turn).byte(outcome);
        if let Data::Memory(sides) = &mut self.data
            && let Some(entry) = sides[turn as usize].get_mut(number as usize)
        {
            *entry = byte;
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
    /// Somebody may still castle, which no table knows.
    Castling,
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
            ProbeError::Castling => {
                f.write_str("somebody may still castle, which the tables of endings do not cover; write `-`")
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
    /// Where files keep what was read of them; without it each may keep up to 1 GiB.
    pool: Option<Arc<Pool>>,
}

/// A table that is there, or a file to be opened when it is asked for.
#[derive(Debug)]
enum Held {
    Open(Table),
    Closed { file: Closed, opened: OnceLock<Result<Table, String>> },
}

/// A file that may be opened.
#[derive(Debug)]
struct Closed {
    path: PathBuf,
    material: Material,
    metric: Metric,
    pool: Option<Arc<Pool>>,
}

impl Closed {
    fn open(&self) -> Result<Table, FileError> {
        let Closed { path, material, metric, pool } = self;
        match pool {
            Some(pool) => super::store::open_in(path, *material, *metric, pool),
            None => super::store::open(path, *material, *metric),
        }
    }
}

impl Held {
    fn table(&self) -> Result<&Table, ProbeError> {
        match self {
            Held::Open(table) => Ok(table),
            Held::Closed { file, opened } => {
                let open = || file.open().map_err(|error| error.to_string());
                opened.get_or_init(open).as_ref().map_err(|error| ProbeError::Damaged(error.clone()))
            }
        }
    }

    fn key(&self) -> (Material, Metric) {
        match self {
            Held::Open(table) => (table.material(), table.metric()),
            Held::Closed { file, .. } => (file.material, file.metric),
        }
    }
}

impl Tables {
    /// No tables.
    pub fn new() -> Tables {
        Tables::default()
    }

    /// No tables; what is read of all files that are put in is kept within about so many bytes.
    pub fn within(bytes: usize) -> Tables {
        Tables { tables: BTreeMap::new(), pool: Some(Arc::new(Pool::new(bytes))) }
    }

    /// Bytes of files that are in memory now, where these are limited.
    pub fn held(&self) -> Option<usize> {
        self.pool.as_ref().map(|pool| pool.held())
    }

    /// Puts a table into the set, in place of another of the same men and metric.
    pub fn add(&mut self, table: Table) {
        self.tables.insert((table.material().key(), table.metric()), Held::Open(table));
    }

    /// Puts a file into the set, which is opened when it is first asked for. What is wrong with it is told then.
    pub fn add_file(&mut self, path: PathBuf, material: Material, metric: Metric) {
        let file = Closed { path, material, metric, pool: self.pool.clone() };
        let held = Held::Closed { file, opened: OnceLock::new() };
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
            Held::Closed { file, opened } => match opened.into_inner() {
                Some(opened) => opened.ok(),
                None => file.open().ok(),
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
        if position.castling.any() {
            return Err(ProbeError::Castling);
        }
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
        Ok(metric.worth(self.probe(&position.after(step), metric)?, step))
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
    /// promotion); nothing from a drawn position. Counting to zeroing, the line goes on behind captures and pawn moves. Of equal moves the first by text is taken, so the line is always the same.
    /// Tables that contradict each other are an error.
    pub fn line(&self, position: &Position, metric: Metric) -> Result<Vec<Step>, ProbeError> {
        let mut line = Vec::new();
        let mut position = *position;
        // A move is worth what the position behind it says, and one ply more. Where that is what the position before it says
        // too, every move brings the end nearer by one ply, or takes something or moves a pawn, so this ends.
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
