//! What to draw for a state: boards with their cells and what is in them, and the facts that are on no board.
//!
//! A [`Layout`] is made once from a study ([`Plan::quick`](crate::Plan::quick) is enough) and holds for all states of the game. It looks at names, because pictures are
//! for people: letters go across, `north` is up. A wrong guess costs a strange picture and nothing else.
//!
//! ```
//! let rules = gdl::parse("(role x) (role o) (init (control x)) (index 1) (index 2)
//!     (<= (init (cell ?x ?y b)) (index ?x) (index ?y))
//!     (<= (legal ?p (mark ?x ?y)) (true (control ?p)) (true (cell ?x ?y b)))
//!     (<= (legal x noop) (true (control o))) (<= (legal o noop) (true (control x)))
//!     (<= (next (cell ?x ?y ?p)) (does ?p (mark ?x ?y)))
//!     (<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)) (distinct ?c b))
//!     (<= (next (cell ?x ?y b)) (true (cell ?x ?y b)) (does ?p (mark ?u ?v)) (or (distinct ?x ?u) (distinct ?y ?v)))
//!     (<= (next (control x)) (true (control o))) (<= (next (control o)) (true (control x)))
//!     (<= (open) (true (cell ?x ?y b))) (<= terminal (not (open))) (goal x 50) (goal o 50)").rules;
//! let game = machine::Prover::new(&rules).unwrap();
//! let study = study::Study::run(&rules, &game, study::Plan::quick());
//! let layout = study::picture::Layout::new(&study);
//! let picture = layout.picture(&["(cell 1 1 b)", "(cell 1 2 x)", "(cell 2 1 o)", "(cell 2 2 b)", "(control x)"], None);
//! assert_eq!(picture.rest, ["(control x)"]);
//! let lines = study::picture::text(&picture, &study::picture::Style::default());
//! assert_eq!(study::picture::plain(&lines), "2  x .\n1  . o\n   1 2\ncontrol: x\n");
//! ```

mod axis;
mod edit;
mod find;
mod graph;
mod grid;
mod looks;
mod rows;
mod svg;
mod symbol;
mod text;
mod token;

pub use looks::{Ground, Looks};
pub use svg::{Use, board_svg, escaped, svg, thing_svg};
pub use text::{Ink, Span, Style, plain, text};

use crate::study::Study;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A state to be drawn.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Picture {
    /// The boards.
    pub boards: Vec<BoardPicture>,
    /// The facts that are on no board, sorted.
    pub rest: Vec<String>,
    /// The colours of the boards, where somebody chose them.
    #[serde(skip_serializing_if = "is_plain")]
    pub ground: Ground,
}

fn is_plain(ground: &Ground) -> bool {
    *ground == Ground::default()
}

/// How the cells of a board lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Squares in rows and columns.
    #[default]
    Grid,
    /// Hexagons: each row is shifted by half a cell.
    Hexagons,
    /// Points joined by lines.
    Points,
    /// Two rows of pits that face each other, and stores at the ends.
    Pits,
    /// Dots with lines between them.
    Lines,
    /// Things on top of each other.
    Towers,
    /// Heaps of so many things, one in each row.
    Heaps,
}

/// What a cell is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CellKind {
    /// A place for things.
    Place,
    /// A dot between lines; nothing is ever in it.
    Dot,
    /// A line from one dot to the next one on the right; drawn if something is in it.
    Across,
    /// A line from one dot to the next one below.
    Down,
}

/// Something in a cell.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct Thing {
    /// Its name in the rules.
    pub name: String,
    /// The role it belongs to, by number, where its name or the rules tell.
    pub side: Option<u8>,
    /// Its place among things of different sizes, the smallest being 1.
    pub size: Option<u32>,
    /// Its sign, where somebody chose one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub glyph: Option<String>,
    /// Its colour, where somebody chose one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colour: Option<String>,
}

/// A cell. Coordinates are in halves of a cell, to the right and downwards.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CellPicture {
    /// How far to the right.
    pub x: i32,
    /// How far down.
    pub y: i32,
    /// What it is for.
    pub kind: CellKind,
    /// Its coordinates in the rules.
    pub name: Vec<String>,
    /// What the cell itself is, where the rules mark a few cells for good: a target, a door.
    pub ground: Option<String>,
    /// What is in it; nothing if it is blank.
    pub things: Vec<Thing>,
    /// Whether that is something else than in the state before.
    pub changed: bool,
}

/// The name of a row or a column, beside or below its cells.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Label {
    /// As for cells.
    pub x: i32,
    /// As for cells.
    pub y: i32,
    /// The name.
    pub text: String,
}

/// A wall: something that stands between cells and stops what would go from one to the other.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Wall {
    /// The cells on both sides, by number.
    pub between: Vec<(usize, usize)>,
    /// Whether it was not there in the state before.
    pub changed: bool,
}

/// A side of a board that somebody has to join with the one that faces it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Edge {
    /// Whose it is: the role, as a thing of its own.
    pub owner: Thing,
    /// The cells along it, by number.
    pub cells: Vec<usize>,
}

/// A board to be drawn.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct BoardPicture {
    /// Its name, where there are several.
    pub title: Option<String>,
    /// How its cells lie.
    pub shape: Shape,
    /// Its cells, row by row.
    pub cells: Vec<CellPicture>,
    /// The names of rows, on the left.
    pub rows: Vec<Label>,
    /// The names of columns, below.
    pub columns: Vec<Label>,
    /// Cells that are joined by a line, by number.
    pub lines: Vec<(usize, usize)>,
    /// Cells beside each other that belong to different blocks of the board, by number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seams: Vec<(usize, usize)>,
    /// The walls that stand.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub walls: Vec<Wall>,
    /// The sides that are somebody's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<Edge>,
    /// All that can be in its cells, so that short names are the same in every state.
    pub things: Vec<Thing>,
}

impl BoardPicture {
    /// Who joins which sides, in words: `red joins left and right; blue joins top and bottom`.
    pub fn joins(&self) -> Option<String> {
        let (count, zero) = (self.cells.len().max(1) as i64, (0, 0));
        let sum = |all: (i64, i64), cell: &CellPicture| (all.0 + i64::from(cell.x), all.1 + i64::from(cell.y));
        let (x, y) = self.cells.iter().fold(zero, sum);
        let mut sides: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for edge in &self.edges {
            let (own, many) = (edge.cells.iter().map(|&at| &self.cells[at]).fold(zero, sum), edge.cells.len() as i64);
            let (dx, dy) = (own.0 * count - x * many, own.1 * count - y * many);
            let side = match (dx.abs() > dy.abs(), dx < 0, dy < 0) {
                (true, true, _) => "left",
                (true, false, _) => "right",
                (false, _, true) => "top",
                (false, _, false) => "bottom",
            };
            sides.entry(&edge.owner.name).or_default().push(side);
        }
        let mut told = Vec::new();
        for edge in &self.edges {
            if let Some(mut sides) = sides.remove(edge.owner.name.as_str()) {
                sides.sort_by_key(|side| ["left", "right", "top", "bottom"].iter().position(|other| other == side));
                told.push(format!("{} joins {}", edge.owner.name, sides.join(" and ")));
            }
        }
        (!told.is_empty()).then(|| told.join("; "))
    }
}

/// Where the facts of a fluent go.
#[derive(Clone, PartialEq, Debug)]
struct Layer {
    /// Name and number of arguments.
    fluent: (String, usize),
    /// The columns that name the board, that are coordinates, and that are the content: ways to arguments.
    group: Option<Vec<u8>>,
    place: Vec<Vec<u8>>,
    content: Vec<Vec<u8>>,
    /// The content that stands for nothing.
    blank: Option<String>,
    /// The boards by the value of the group; the only one has no value.
    boards: BTreeMap<Option<String>, usize>,
}

/// Things that lie on each other: a fluent that says of each thing on what it lies.
#[derive(Clone, PartialEq, Debug)]
struct Stack {
    fluent: (String, usize),
    /// The places on which towers stand, by number of column, from left to right.
    feet: Vec<String>,
    /// The things by size, the smallest first; those that lie on things where `on_things` is set.
    sizes: Vec<String>,
    on_things: bool,
    board: usize,
}

/// Facts that are walls, with their boards and the cells that they stand between.
type Walls = HashMap<String, (usize, Vec<(usize, usize)>)>;

/// How the states of a game are drawn.
#[derive(Clone, PartialEq, Debug)]
pub struct Layout {
    boards: Vec<BoardPicture>,
    /// For each board its cells by name.
    cells: Vec<HashMap<Vec<String>, usize>>,
    layers: Vec<Layer>,
    stacks: Vec<Stack>,
    /// Facts that are walls: on which board, and between which cells.
    walls: Walls,
    sides: BTreeMap<String, u8>,
    roles: Vec<String>,
    looks: Looks,
}

/// A fact taken apart: its name and its arguments.
fn split(fact: &str) -> (&str, Vec<&str>) {
    let Some(inner) = fact.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return (fact, Vec::new()) };
    let mut parts = Vec::new();
    let (mut depth, mut from) = (0usize, 0);
    for (at, c) in inner.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 => {
                parts.push(&inner[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[from..]);
    let name = parts.remove(0);
    (name, parts)
}

/// The argument at the end of a way.
fn argument<'a>(fact: &'a str, way: &[u8]) -> Option<&'a str> {
    let mut at = fact;
    for &step in way {
        at = *split(at).1.get(step as usize)?;
    }
    Some(at)
}

impl Layer {
    /// The board, the cell's name and the content of a fact.
    fn read(&self, fact: &str) -> Option<(usize, Vec<String>, String)> {
        let group = match &self.group {
            Some(way) => Some(argument(fact, way)?.to_string()),
            None => None,
        };
        let place: Option<Vec<String>> = self.place.iter().map(|way| argument(fact, way).map(str::to_string)).collect();
        let content: Option<Vec<&str>> = self.content.iter().map(|way| argument(fact, way)).collect();
        let content = content?.join(" ");
        let content = if content.is_empty() { self.fluent.0.clone() } else { content };
        Some((*self.boards.get(&group)?, place?, content))
    }
}

/// What is in the cells of all boards.
type Contents = Vec<BTreeMap<usize, Vec<Thing>>>;

impl Layout {
    /// How the states of a game are drawn, by what its study found.
    pub fn new(study: &Study) -> Layout {
        find::layout(study)
    }

    /// The picture of a state, given by its facts; what differs from the state before is marked.
    pub fn picture<S: AsRef<str>>(&self, facts: &[S], before: Option<&[S]>) -> Picture {
        let (contents, mut rest) = self.contents(facts);
        let old = before.map(|facts| self.contents(facts).0);
        let mut boards = self.boards.clone();
        for (at, board) in boards.iter_mut().enumerate() {
            for (number, cell) in board.cells.iter_mut().enumerate() {
                cell.things = contents[at].get(&number).cloned().unwrap_or_default();
                let was = old.as_ref().map(|old| old[at].get(&number).cloned().unwrap_or_default());
                cell.changed = was.is_some_and(|was| was != cell.things);
            }
        }
        for (fact, (board, between)) in facts.iter().filter_map(|fact| self.walls.get_key_value(fact.as_ref())) {
            let changed = before.is_some_and(|before| before.iter().all(|old| old.as_ref() != fact));
            boards[*board].walls.push(Wall { between: between.clone(), changed });
        }
        rest.sort();
        Picture { boards, rest, ground: self.looks.ground() }
    }

    fn contents<S: AsRef<str>>(&self, facts: &[S]) -> (Contents, Vec<String>) {
        let mut contents: Contents = vec![BTreeMap::new(); self.boards.len()];
        let mut rest = Vec::new();
        let mut lying: Vec<Vec<(String, String)>> = vec![Vec::new(); self.stacks.len()];
        for fact in facts {
            let fact = fact.as_ref();
            if self.walls.contains_key(fact) {
                continue;
            }
            let (name, args) = split(fact);
            let is = |fluent: &(String, usize)| fluent.0 == name && fluent.1 == args.len();
            if let Some(at) = self.stacks.iter().position(|stack| is(&stack.fluent)) {
                lying[at].push((args[0].to_string(), args[1].to_string()));
                continue;
            }
            let found = self.layers.iter().find(|layer| is(&layer.fluent)).and_then(|layer| {
                let (board, place, content) = layer.read(fact)?;
                let cell = *self.cells[board].get(&place)?;
                Some((board, cell, content, layer))
            });
            match found {
                None => rest.push(fact.to_string()),
                Some((_, _, content, layer)) if layer.blank.as_ref() == Some(&content) => {}
                Some((board, cell, content, _)) => contents[board].entry(cell).or_default().push(self.thing(content)),
            }
        }
        for (stack, lying) in self.stacks.iter().zip(&lying) {
            self.pile(stack, lying, &mut contents[stack.board]);
        }
        contents.iter_mut().flat_map(|board| board.values_mut()).for_each(|things| things.sort());
        (contents, rest)
    }

    fn thing(&self, name: String) -> Thing {
        let side = self.sides.get(&name).copied();
        let mut thing = Thing { name, side, size: None, glyph: None, colour: None };
        self.looks.dress(&mut thing, &self.roles);
        thing
    }

    /// Puts things on their towers: the largest lowest, or each on what it lies on.
    fn pile(&self, stack: &Stack, lying: &[(String, String)], cells: &mut BTreeMap<usize, Vec<Thing>>) {
        let levels = stack.sizes.len();
        let mut put = |foot: usize, level: usize, name: &str| {
            let size = stack.sizes.iter().position(|other| other == name).map(|at| at as u32 + 1);
            if level < levels {
                let size = size.filter(|_| !stack.on_things);
                cells.entry(foot * levels + level).or_default().push(Thing { size, ..self.thing(name.to_string()) });
            }
        };
        if !stack.on_things {
            for (number, foot) in stack.feet.iter().enumerate() {
                let here = stack.sizes.iter().rev().filter(|name| lying.iter().any(|(a, b)| a == *name && b == foot));
                here.enumerate().for_each(|(level, name)| put(number, level, name));
            }
            return;
        }
        let feet = lying.iter().filter(|(_, below)| !stack.sizes.contains(below));
        for (lowest, _) in feet {
            // A tower stays where it is as long as its lowest thing does.
            let Some(number) = stack.feet.iter().position(|foot| foot == lowest) else { continue };
            let mut at = Some(lowest);
            let mut done = BTreeSet::new();
            while let Some(name) = at.filter(|name| done.insert(*name)) {
                put(number, done.len() - 1, name);
                at = lying.iter().find(|(_, below)| below == name).map(|(above, _)| above);
            }
        }
    }
}
