//! Finding the layout of a game in what its study found: which fluents are drawn on which boards, and where their cells lie.

use super::axis::{self, Axis};
use super::grid::Grid;
use super::{BoardPicture, CellPicture, Edge, Layer, Layout, Shape, Thing, Walls};
use crate::places::Place;
use crate::seams::Barrier;
use crate::structure::{FluentKind, Structure};
use crate::study::Study;
use crate::survey::Listed;
use crate::terms::TermId;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The most boards that one fluent is drawn on.
const MOST_BOARDS: usize = 6;

/// The most cells that a relation marks.
const MOST_MARKED: usize = 8;

/// A layout in the making.
pub(super) struct Finder<'a> {
    pub study: &'a Study,
    pub listed: Listed,
    pub layout: Layout,
    /// Fluents that have their place.
    pub done: BTreeSet<usize>,
}

/// See [`Layout::new`].
pub(super) fn layout(study: &Study) -> Layout {
    let empty = Layout {
        boards: Vec::new(),
        cells: Vec::new(),
        layers: Vec::new(),
        stacks: Vec::new(),
        walls: HashMap::new(),
        sides: super::symbol::sides(study),
        roles: study.roles.iter().map(|&role| study.text(role)).collect(),
        looks: super::Looks::default(),
    };
    let mut finder = Finder { study, listed: Listed::new(study), layout: empty, done: BTreeSet::new() };
    let all: Vec<&Structure> = study.structures.iter().collect();
    // Lines from dot to dot have what is between them on the same board.
    for structure in &all {
        finder.segments(structure);
    }
    // What certainly is a board comes first; positions and sets are drawn on it where the rules join them.
    for wanted in [FluentKind::Board, FluentKind::Quantity, FluentKind::Position, FluentKind::Set] {
        for structure in all.iter().filter(|structure| structure.kind == wanted) {
            if !finder.done.contains(&structure.fluent) {
                finder.draw(structure);
            }
        }
    }
    let mut layout = finder.layout;
    if layout.boards.len() == 1 {
        layout.boards[0].title = None;
    }
    for board in &mut layout.boards {
        board.things.sort();
        board.things.dedup();
    }
    layout
}

impl Finder<'_> {
    fn draw(&mut self, structure: &Structure) {
        let columns = &self.study.fluents[structure.fluent].columns;
        let (inputs, outputs) = (&structure.inputs, &structure.outputs);
        let is_role = |at: &usize| columns[*at].roles;
        match structure.kind {
            FluentKind::Quantity if inputs.len() == 2 && inputs.iter().any(is_role) => self.pits(structure),
            FluentKind::Board | FluentKind::Quantity if inputs.len() == 1 && outputs.len() == 1 => {
                // One thing in each row: the columns are as many, and called the same.
                let [row, column] =
                    [inputs[0], outputs[0]].map(|at| columns[at].values.iter().collect::<BTreeSet<_>>());
                if row == column && row.len() > 2 {
                    self.grid(structure, None, [inputs[0], outputs[0]]);
                } else {
                    self.row(structure);
                }
            }
            FluentKind::Board | FluentKind::Quantity if inputs.len() == 2 => {
                self.grid(structure, None, [inputs[0], inputs[1]]);
            }
            FluentKind::Board if inputs.len() == 3 => {
                let group = inputs.iter().position(|&at| columns[at].order.is_none()).unwrap_or(0);
                let rest: Vec<usize> = (0..3).filter(|&at| at != group).map(|at| inputs[at]).collect();
                self.grid(structure, Some(inputs[group]), [rest[0], rest[1]]);
            }
            FluentKind::Board if inputs.len() == 4 => self.nested_grid(structure),
            FluentKind::Position if outputs.len() == 2 => {
                let group = inputs.first().copied().filter(|&at| inputs.len() == 1 && self.meets(structure, at));
                self.grid(structure, group, [outputs[0], outputs[1]]);
            }
            FluentKind::Set if inputs.len() == 2 => {
                self.grid(structure, None, [inputs[0], inputs[1]]);
            }
            FluentKind::Set if inputs.len() == 3 => self.lines(structure),
            _ => {}
        }
    }

    /// Whether things that this column tells apart are in the same place at the start: so they are on boards of their own.
    fn meets(&self, structure: &Structure, column: usize) -> bool {
        let own: Vec<_> = self.study.start.iter().filter(|row| row.fluent == structure.fluent).collect();
        let place = |at: usize| structure.outputs.iter().map(|&out| own[at].values[out]).collect::<Vec<_>>();
        let differ = |a: usize, b: usize| own[a].values[column] != own[b].values[column];
        (0..own.len()).any(|a| (0..a).any(|b| differ(a, b) && place(a) == place(b)))
    }

    pub fn axis(&self, fluent: usize, column: usize) -> Option<Axis> {
        let column = &self.study.fluents[fluent].columns[column];
        Axis::new(self.study, &column.values, column.order.is_some())
    }

    pub fn name(&self, fluent: usize) -> (String, usize) {
        let fluent = &self.study.fluents[fluent];
        (self.study.rules.symbols.name(fluent.name).to_string(), fluent.arity)
    }

    pub fn texts(&self, place: &[TermId]) -> Vec<String> {
        place.iter().map(|&value| self.study.text(value)).collect()
    }

    /// A board of rows and columns, with whatever else the rules put on its places.
    fn grid(&mut self, structure: &Structure, group: Option<usize>, columns: [usize; 2]) {
        let study = self.study;
        let fluent = structure.fluent;
        let [Some(first), Some(second)] = columns.map(|column| self.axis(fluent, column)) else { return };
        let graph = study.graphs.iter().find(|graph| graph.fluent == fluent);
        let neighbours = graph.and_then(|graph| graph.neighbours.as_ref());
        let mut cells: BTreeSet<Place> = self.study.cells(fluent, &columns, &mut self.listed).into_iter().collect();
        // Without an order in the rules or in the names only a board that is always full, or on which things go from place to place, is one.
        let full = study.seen.fluents[fluent].fewest == first.places.len() * second.places.len();
        let ordered = first.ordered && second.ordered;
        if !(ordered || full || neighbours.is_some() && group.is_none()) {
            return;
        }
        let seen = study.places_seen(fluent, &columns).len();
        if cells.len() < 4 || structure.kind == FluentKind::Set && seen < 2 {
            return;
        }
        let layers = self.study.carried(fluent, &columns, &mut self.listed);
        let mut overlays: Vec<(usize, [usize; 2])> = layers
            .iter()
            .filter(|(other, place)| *other != fluent && place.len() == 2 && self.lies_on(*other))
            .map(|(other, place)| (*other, [place[0], place[1]]))
            .collect();
        let barriers: Vec<_> = match group {
            None => study.barriers(fluent, &columns, &mut self.listed),
            Some(_) => Vec::new(),
        };
        let barriers: Vec<_> = barriers.into_iter().filter(|(other, _)| !self.done.contains(other)).collect();
        overlays.extend(self.nested(fluent, columns));
        for (other, place) in &overlays {
            cells.extend(study.cells(*other, place, &mut self.listed));
        }
        let on_axes = |place: &Place| first.places.contains_key(&place[0]) && second.places.contains_key(&place[1]);
        cells.retain(on_axes);
        let orientation = axis::orientation(study, fluent, columns, [&first, &second]);
        let straight = |step: &Vec<i32>| step.iter().filter(|d| **d != 0).count() == 1;
        let steps: Vec<Vec<i32>> = neighbours.map_or_else(Vec::new, |found| found.steps.clone());
        let slant = (columns.len() == 2 && steps.len() == 6 && steps.iter().filter(|s| straight(s)).count() == 4)
            .then(|| steps.iter().find(|step| !straight(step)).map(|step| step[0] * step[1]))
            .flatten();
        let grid = Grid { axes: [first, second], orientation, slant };
        let mut board = grid.board(&cells, &|place| self.texts(place));
        for (name, places) in study.marked(fluent, &columns, &mut self.listed) {
            if places.len() <= MOST_MARKED && 3 * places.len() < cells.len() {
                let names: Vec<Vec<String>> = places.iter().map(|place| self.texts(place)).collect();
                let marked = board.cells.iter_mut().filter(|cell| cell.ground.is_none() && names.contains(&cell.name));
                marked.for_each(|cell| cell.ground = Some(study.rules.symbols.name(name).to_string()));
            }
        }
        // Other boards of the same cells tell something else.
        let told = self.layout.boards.iter().any(|board| !board.edges.is_empty());
        let sides = if told { Vec::new() } else { study.sides(fluent, &columns, &mut self.listed) };
        for (role, axis, ends) in sides {
            let numbers = numbers(&board);
            for end in ends {
                let along = cells.iter().filter(|place| place[axis] == end);
                let cells = along.filter_map(|place| numbers.get(&self.texts(place)).copied()).collect();
                let owner = self.layout.thing(study.text(study.roles[role]));
                board.edges.push(Edge { owner: Thing { side: Some(role as u8), ..owner }, cells });
            }
        }
        for blocks in study.blocks(fluent, &columns, &mut self.listed) {
            let numbers = numbers(&board);
            let named = |place: &Place| numbers.get(&self.texts(place)).copied();
            let blocks: Option<Vec<Vec<usize>>> =
                blocks.iter().map(|block| block.iter().map(named).collect()).collect();
            let seams = blocks.map_or_else(Vec::new, |blocks| seams(&board, &blocks));
            board.seams.extend(seams);
        }
        let titles: Vec<Option<TermId>> = match group {
            Some(column) => study.fluents[fluent].columns[column].values.iter().copied().map(Some).collect(),
            None => vec![None],
        };
        if titles.len() > MOST_BOARDS {
            return;
        }
        let mut boards = BTreeMap::new();
        for title in titles {
            let title = title.map(|title| study.text(title));
            let mut board = board.clone();
            board.title = Some(title.clone().unwrap_or_else(|| self.name(fluent).0));
            if let (Some(found), true) = (neighbours, steps.is_empty()) {
                let lines = lines(&board, &found.pairs, &|place| self.texts(place));
                // A knight's leaps say nothing of where the cells of a whole rectangle lie.
                let whole = board.rows.len() * board.columns.len() == board.cells.len();
                let far = |&(a, b): &(usize, usize)| {
                    let (a, b) = (&board.cells[a], &board.cells[b]);
                    (a.x - b.x).abs().max((a.y - b.y).abs()) > 2
                };
                if !(whole && lines.iter().any(far)) {
                    board.lines = lines;
                    board.shape = Shape::Points;
                }
            }
            boards.insert(title, self.add(board));
        }
        for (other, barrier) in barriers {
            if let Some(walls) = self.walls(&barrier, boards[&None]) {
                self.layout.walls.extend(walls);
                self.done.insert(other);
                overlays.retain(|(overlay, _)| *overlay != other);
            }
        }
        self.layer(structure, group, &columns, &boards);
        for (other, place) in overlays {
            let structure = &study.structures[other];
            let rest = (0..study.fluents[other].columns.len()).filter(|at| !place.contains(at));
            let values = |at: usize| &study.fluents[other].columns[at].values;
            let own = group.map(|at| &study.fluents[fluent].columns[at].values);
            let group = rest.into_iter().find(|&at| Some(values(at)) == own);
            if group.is_some() == own.is_some() {
                self.layer(structure, group, &place, &boards);
            }
        }
    }

    /// Facts that stand between cells of a board; `None` if some are not beside each other.
    fn walls(&self, barrier: &Barrier, at: usize) -> Option<Walls> {
        let board = &self.layout.boards[at];
        let numbers = numbers(board);
        let name = self.study.rules.symbols.name(barrier.name.0);
        let mut walls = HashMap::new();
        for (args, pairs) in &barrier.between {
            let number = |place: &Place| numbers.get(&self.texts(place)).copied();
            let pairs = pairs.iter().map(|(a, b)| Some((number(a)?, number(b)?)));
            let between: Vec<(usize, usize)> = pairs.collect::<Option<_>>()?;
            if board.shape != Shape::Grid || !between.iter().all(|&(a, b)| beside(&board.cells[a], &board.cells[b])) {
                return None;
            }
            let fact = format!("({name} {})", self.texts(args).join(" "));
            walls.insert(fact, (at, between));
        }
        Some(walls)
    }

    /// Whether a fluent that carries places of a board is drawn on it.
    fn lies_on(&self, fluent: usize) -> bool {
        let kind = self.study.structures[fluent].kind;
        matches!(kind, FluentKind::Board | FluentKind::Position | FluentKind::Set) && !self.done.contains(&fluent)
    }

    /// Other fluents with places inside of a function, as in `(stone left (sq a 1))`, of the same coordinates.
    fn nested(&self, fluent: usize, columns: [usize; 2]) -> Vec<(usize, [usize; 2])> {
        let study = self.study;
        let inside = |fluent: usize, at: usize| study.fluents[fluent].columns[at].path.len() > 1;
        let mut found = Vec::new();
        for other in (0..study.fluents.len()).filter(|&other| other != fluent && self.lies_on(other)) {
            let count = study.fluents[other].columns.len();
            let same = |a: usize, b: usize| {
                let values =
                    |fluent: usize, at: usize| study.fluents[fluent].columns[at].values.iter().collect::<BTreeSet<_>>();
                inside(fluent, a) && inside(other, b) && values(other, b).is_subset(&values(fluent, a))
            };
            let fits = |at: &usize| same(columns[0], *at) && same(columns[1], at + 1);
            found.extend((0..count.saturating_sub(1)).find(fits).map(|at| (other, [at, at + 1])));
        }
        found
    }

    pub fn add(&mut self, board: BoardPicture) -> usize {
        let cells = board.cells.iter().enumerate().map(|(at, cell)| (cell.name.clone(), at)).collect();
        self.layout.boards.push(board);
        self.layout.cells.push(cells);
        self.layout.boards.len() - 1
    }

    pub fn layer(
        &mut self,
        structure: &Structure,
        group: Option<usize>,
        place: &[usize],
        boards: &BTreeMap<Option<String>, usize>,
    ) {
        let study = self.study;
        let columns = &study.fluents[structure.fluent].columns;
        let way = |at: usize| columns[at].path.clone();
        let content: Vec<usize> = (0..columns.len()).filter(|at| Some(*at) != group && !place.contains(at)).collect();
        let blank = self.blank(structure, &content);
        let names: Vec<String> = match content[..] {
            [] => vec![self.name(structure.fluent).0],
            [only] => self.texts(&columns[only].values),
            _ => Vec::new(),
        };
        let things: Vec<Thing> =
            names.into_iter().filter(|name| Some(name) != blank.as_ref()).map(|name| self.layout.thing(name)).collect();
        boards.values().for_each(|&board| self.layout.boards[board].things.extend(things.iter().cloned()));
        self.layout.layers.push(Layer {
            fluent: self.name(structure.fluent),
            group: group.map(way),
            place: place.iter().map(|&at| way(at)).collect(),
            content: content.iter().map(|&at| way(at)).collect(),
            blank,
            boards: boards.clone(),
        });
        self.done.insert(structure.fluent);
    }

    /// The content that stands for nothing: what the study says, or a word that says so itself.
    fn blank(&self, structure: &Structure, content: &[usize]) -> Option<String> {
        let [only] = content[..] else { return None };
        let names = self.texts(&self.study.fluents[structure.fluent].columns[only].values);
        let named = names.iter().find(|name| super::symbol::is_empty_word(name)).cloned();
        let found = structure.blank.map(|blank| self.study.text(blank));
        // A number is a number, unless it is none.
        let found = found.filter(|name| name == "0" || name.parse::<i64>().is_err());
        let full = &self.study.seen.fluents[structure.fluent];
        let single = names.iter().find(|name| *name == "b").filter(|_| full.fewest == full.most).cloned();
        named.or(single).or(found)
    }
}

/// The cells of a board by name.
fn numbers(board: &BoardPicture) -> HashMap<Vec<String>, usize> {
    board.cells.iter().map(|cell| cell.name.clone()).zip(0..).collect()
}

/// Whether two squares share a side.
fn beside(a: &CellPicture, b: &CellPicture) -> bool {
    (a.x - b.x).abs() + (a.y - b.y).abs() == 2 && (a.x == b.x || a.y == b.y)
}

/// The pairs of cells beside each other that are in different blocks, if blocks are rectangles of one size that cover the board.
fn seams(board: &BoardPicture, blocks: &[Vec<usize>]) -> Vec<(usize, usize)> {
    let corners = |block: &Vec<usize>| {
        let at = |of: fn(&CellPicture) -> i32| block.iter().map(move |&cell| of(&board.cells[cell]));
        let range =
            |of: fn(&CellPicture) -> i32| at(of).max().zip(at(of).min()).map_or(0, |(high, low)| (high - low) / 2 + 1);
        (range(|cell| cell.x), range(|cell| cell.y))
    };
    let sizes: BTreeSet<(i32, i32)> = blocks.iter().map(corners).collect();
    let covered: usize = blocks.iter().map(Vec::len).sum();
    let Some(&(wide, high)) = sizes.first() else { return Vec::new() };
    let full = blocks.iter().all(|block| block.len() as i32 == wide * high);
    if board.shape != Shape::Grid
        || sizes.len() > 1
        || blocks.len() < 2
        || wide.min(high) < 2
        || !full
        || covered != board.cells.len()
    {
        return Vec::new();
    }
    let mut of = vec![0; board.cells.len()];
    blocks.iter().enumerate().for_each(|(number, block)| block.iter().for_each(|&cell| of[cell] = number));
    let all = (0..of.len()).flat_map(|a| (0..a).map(move |b| (b, a)));
    all.filter(|&(a, b)| of[a] != of[b] && beside(&board.cells[a], &board.cells[b])).collect()
}

/// The pairs of neighbours that a straight line can join.
fn lines(
    board: &BoardPicture,
    pairs: &[(Place, Place)],
    name: &dyn Fn(&[TermId]) -> Vec<String>,
) -> Vec<(usize, usize)> {
    let numbers: HashMap<&Vec<String>, usize> = board.cells.iter().map(|cell| &cell.name).zip(0..).collect();
    let mut lines = BTreeSet::new();
    for (a, b) in pairs {
        if let (Some(&a), Some(&b)) = (numbers.get(&name(a)), numbers.get(&name(b))) {
            lines.insert((a.min(b), a.max(b)));
        }
    }
    lines.into_iter().collect()
}
