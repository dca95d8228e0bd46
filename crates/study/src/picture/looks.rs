//! How somebody wants boards to look: the optional `board.toml` beside a rulesheet. It is never needed, and never changes what is where.

use super::{BoardPicture, Label, Layout, Shape, Thing};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most letters of a glyph.
const LONGEST_GLYPH: usize = 3;
/// Names of colours that belong to the board itself.
const OF_BOARDS: [&str; 3] = ["board", "dark", "line"];

/// See the module.
///
/// ```
/// let looks = study::picture::Looks::parse("turn = 180\n[colours]\nboard = '#3f8f5a'\nblack = '#222'\n[glyphs]\nwk = 'K'").unwrap();
/// assert_eq!(looks.turn, 180);
/// let wrong = study::picture::Looks::parse("turn = 45").unwrap_err();
/// assert!(wrong.contains("0, 90, 180 or 270"), "{wrong}");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Looks {
    /// By how many degrees boards are turned, with the clock.
    pub turn: u16,
    /// Whether left and right change places; after turning.
    pub mirror: bool,
    /// Colours: of the board (`board`, `dark` for every second cell, `line`), and of things or of all things of a role, by name.
    pub colours: BTreeMap<String, String>,
    /// Signs of things, by name.
    pub glyphs: BTreeMap<String, String>,
}

/// The colours of boards, where they are not those of the page.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Ground {
    /// Of cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board: Option<String>,
    /// Of every second cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dark: Option<String>,
    /// Of lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
}

/// Whether a word is a colour: `#` and digits, or a name of letters. Nothing else goes into pictures.
fn is_colour(word: &str) -> bool {
    let digits = word
        .strip_prefix('#')
        .is_some_and(|digits| matches!(digits.len(), 3 | 6) && digits.chars().all(|digit| digit.is_ascii_hexdigit()));
    digits || !word.is_empty() && word.len() <= 24 && word.chars().all(|letter| letter.is_ascii_alphabetic())
}

impl Looks {
    /// Reads the text of a `board.toml`.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn parse(text: &str) -> Result<Looks, String> {
        let looks: Looks = toml::from_str(text).map_err(|error| error.to_string().trim_end().to_string())?;
        if !matches!(looks.turn, 0 | 90 | 180 | 270) {
            return Err(format!("turn = {}: a board is turned by 0, 90, 180 or 270 degrees", looks.turn));
        }
        if let Some((name, colour)) = looks.colours.iter().find(|(_, colour)| !is_colour(colour)) {
            return Err(format!(
                "colours.{name} = {colour:?} is no colour; write #rgb, #rrggbb or a name such as green"
            ));
        }
        let fits = |glyph: &String| (1..=LONGEST_GLYPH).contains(&glyph.chars().count());
        if let Some((name, glyph)) = looks.glyphs.iter().find(|(_, glyph)| !fits(glyph)) {
            return Err(format!("glyphs.{name} = {glyph:?} has to have one to {LONGEST_GLYPH} letters"));
        }
        Ok(looks)
    }

    /// The colours of boards.
    pub(super) fn ground(&self) -> Ground {
        let [board, dark, line] = OF_BOARDS.map(|name| self.colours.get(name).cloned());
        Ground { dark: dark.or_else(|| board.clone()), board, line }
    }

    /// Gives a thing its sign and colour.
    pub(super) fn dress(&self, thing: &mut Thing, roles: &[String]) {
        thing.glyph = self.glyphs.get(&thing.name).cloned();
        let role = thing.side.and_then(|side| roles.get(usize::from(side)));
        let colour = self.colours.get(&thing.name).or_else(|| self.colours.get(role?));
        thing.colour = colour.filter(|_| !OF_BOARDS.contains(&thing.name.as_str())).cloned();
    }
}

impl Layout {
    /// The same with boards that look as somebody wants.
    #[must_use]
    pub fn with_looks(mut self, looks: &Looks) -> Layout {
        for board in &mut self.boards {
            if matches!(board.shape, Shape::Grid | Shape::Points) {
                (0..looks.turn / 90).for_each(|_| turn(board));
                if looks.mirror {
                    mirror(board);
                }
            }
            for thing in board.things.iter_mut().chain(board.edges.iter_mut().map(|edge| &mut edge.owner)) {
                looks.dress(thing, &self.roles);
            }
        }
        self.looks = looks.clone();
        self
    }
}

/// The corners of what is on a board: least x, least y, greatest x, greatest y.
fn corners(board: &BoardPicture) -> (i32, i32, i32, i32) {
    let mut all = (i32::MAX, i32::MAX, i32::MIN, i32::MIN);
    for cell in &board.cells {
        all = (all.0.min(cell.x), all.1.min(cell.y), all.2.max(cell.x), all.3.max(cell.y));
    }
    all
}

/// A quarter of a turn with the clock: what was on the left is on top. Names stay on the left and below.
fn turn(board: &mut BoardPicture) {
    if board.cells.is_empty() {
        return;
    }
    let (left, top, right, bottom) = corners(board);
    let apart = board.rows.iter().map(|label| left - label.x).max().unwrap_or(2);
    let below = board.columns.iter().map(|label| label.y - bottom).max().unwrap_or(2);
    for cell in &mut board.cells {
        (cell.x, cell.y) = (left + bottom - cell.y, top + cell.x - left);
    }
    let low = top + right - left;
    let columns =
        board.rows.iter().map(|label| Label { x: left + bottom - label.y, y: low + below, text: label.text.clone() });
    let rows =
        board.columns.iter().map(|label| Label { x: left - apart, y: top + label.x - left, text: label.text.clone() });
    (board.columns, board.rows) = (columns.collect(), rows.collect());
}

/// Left and right change places.
fn mirror(board: &mut BoardPicture) {
    let (left, _, right, _) = corners(board);
    board.cells.iter_mut().for_each(|cell| cell.x = left + right - cell.x);
    board.columns.iter_mut().for_each(|label| label.x = left + right - label.x);
}

#[cfg(test)]
mod tests {
    use super::super::{CellKind, CellPicture};
    use super::*;

    fn board() -> BoardPicture {
        let cell = |x: i32, y: i32| CellPicture {
            x,
            y,
            kind: CellKind::Place,
            name: vec![format!("{x}"), format!("{y}")],
            ground: None,
            things: Vec::new(),
            changed: false,
        };
        BoardPicture {
            title: None,
            shape: Shape::Grid,
            cells: vec![cell(0, 0), cell(2, 0), cell(4, 0), cell(0, 2), cell(2, 2), cell(4, 2)],
            rows: vec![Label { x: -2, y: 0, text: "2".into() }, Label { x: -2, y: 2, text: "1".into() }],
            columns: vec![Label { x: 0, y: 4, text: "a".into() }, Label { x: 4, y: 4, text: "c".into() }],
            ..BoardPicture::default()
        }
    }

    #[test]
    fn four_quarters_are_a_whole_turn_and_names_go_with_their_lines() {
        let (before, mut after) = (board(), board());
        turn(&mut after);
        // What was top left is top right, and three columns are three rows.
        assert_eq!((after.cells[0].x, after.cells[0].y), (2, 0));
        assert_eq!((after.cells[2].x, after.cells[2].y), (2, 4));
        assert_eq!(after.columns[0], Label { x: 2, y: 6, text: "2".into() });
        assert_eq!(after.rows[1], Label { x: -2, y: 4, text: "c".into() });
        (0..3).for_each(|_| turn(&mut after));
        assert_eq!(after, before);
        mirror(&mut after);
        assert_eq!((after.cells[0].x, after.columns[0].x), (4, 4));
        mirror(&mut after);
        assert_eq!(after, before);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, part) in [
            ("[colours]\nx = 'url(evil)'", "is no colour"),
            ("[colours]\nx = '#12'", "is no colour"),
            ("[glyphs]\nx = 'long name'", "one to 3 letters"),
            ("colors = 1", "unknown field"),
            ("turn = 'left'", "line 1"),
        ] {
            let error = Looks::parse(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
