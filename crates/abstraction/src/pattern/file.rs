//! Tables of patterns on the disk, in the form that all tables have: a header that says what it is, and a checksum over every byte.

use super::board::Board;
use super::numbering::{Other, Pattern, Table};
use game::{Names, role_names};
use std::path::Path;
use table::file::{self, About, FileError, Form, Header, Part, Writer};
use table::oracle::Metric;
use table::pattern::Summary;

/// The game that a table belongs to: what it is called, and the identity of its rules.
#[derive(Clone, Copy, Debug)]
pub struct Owner<'a> {
    /// What the game is called.
    pub game: &'a str,
    /// What rules in other words have in common.
    pub rules: &'a str,
}

impl Table {
    /// What a file of this table says of itself.
    fn header<G: Names>(&self, game: &G, board: &Board, owner: Owner<'_>) -> Header {
        let counts = self.counts();
        let words = self.pattern.words(board);
        let summary = Summary {
            game: owner.game.to_string(),
            rules: owner.rules.to_string(),
            pattern: words.clone(),
            won: counts.won,
            drawn: counts.drawn,
            lost: counts.lost,
            longest: counts.longest,
            states: counts.states,
        };
        let alone = self.pattern.other == Other::Absent;
        let names = role_names(game);
        let turns = (0..self.pattern.turns()).map(|turn| self.pattern.mover(turn));
        let each = self.pattern.entries() / self.pattern.turns() as u64;
        Header {
            about: About::Pattern(summary),
            name: format!("{}: {words}", owner.game),
            identity: identity(board, &self.pattern, owner),
            metric: if alone { Metric::Home } else { Metric::End },
            bits: 8,
            parts: turns.map(|role| Part::new(format!("{} to move", names[role.0 as usize]), each)).collect(),
        }
    }

    /// Writes the table: the file is there as a whole or not at all.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn store<G: Names>(&self, path: &Path, game: &G, board: &Board, owner: Owner<'_>) -> Result<(), FileError> {
        let mut writer = Writer::create(path, self.header(game, board, owner), Form::Compressed)?;
        writer.write(&self.bytes)?;
        writer.finish()
    }

    /// Reads the table of this pattern; every byte is checked.
    ///
    /// # Errors
    /// When there is none, it is damaged, or it is that of other rules or of another pattern.
    pub fn open(path: &Path, board: &Board, pattern: &Pattern, owner: Owner<'_>) -> Result<Table, FileError> {
        let file = file::Table::open(path)?;
        let wanted = identity(board, pattern, owner);
        let header = file.header();
        let other =
            |field, expected: String, found: String| FileError::Other { path: path.to_owned(), field, expected, found };
        let About::Pattern(summary) = &header.about else {
            return Err(other("kind", table::pattern::KIND.to_string(), header.kind().to_string()));
        };
        if header.identity != wanted || header.entries() != pattern.entries() {
            return Err(other("identity", format!("{wanted:016x}"), format!("{:016x}", header.identity)));
        }
        let mut bytes = vec![0; pattern.entries() as usize];
        let mut rest = &mut bytes[..];
        for part in 0..header.parts.len() {
            let (own, others) = rest.split_at_mut(header.parts[part].entries as usize);
            file.load_into(part, own)?;
            rest = others;
        }
        let counts = super::numbering::Counts::of(&bytes, summary.states);
        Ok(Table { pattern: pattern.clone(), bytes, counts })
    }

    /// The number of the first entry in which two tables of the same pattern differ.
    pub fn difference(&self, other: &Table) -> Option<usize> {
        let pairs = self.bytes.iter().zip(&other.bytes);
        pairs.enumerate().find(|(_, (own, other))| own != other).map(|(at, _)| at)
    }
}

/// The number of rules, pattern and numbering: other cells in another order are another table.
fn identity(board: &Board, pattern: &Pattern, owner: Owner<'_>) -> u64 {
    let places = |&thing: &usize| {
        let own = &board.things[thing];
        let cells: Vec<&str> = own.places.iter().map(|place| board.cells[place.0].as_str()).collect();
        format!("{}: {}", own.name, cells.join(","))
    };
    let things: Vec<String> = pattern.things.iter().map(places).collect();
    file::identity(&format!(
        "pattern 1; {}; {:?} {}; {}",
        owner.rules,
        pattern.other,
        pattern.mine.0,
        things.join("; ")
    ))
}
