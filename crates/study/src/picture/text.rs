//! Pictures as lines of text, in spans that say what they are: a terminal adds colour, or does not.

use super::symbol::Symbols;
use super::{BoardPicture, CellKind, CellPicture, Picture, Shape, Thing, split};
use std::collections::{BTreeMap, BTreeSet};

/// What may be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Whether the caller will show [`Ink`] and changes in colours; otherwise changed cells stand in brackets.
    pub colour: bool,
    /// Whether there are more letters than those of ASCII.
    pub unicode: bool,
    /// The longest line; facts that are on no board are wrapped.
    pub width: usize,
}

impl Default for Style {
    fn default() -> Style {
        Style { colour: false, unicode: false, width: 80 }
    }
}

/// What a piece of text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ink {
    /// Nothing in particular.
    Plain,
    /// Something of this role, by number.
    Piece(u8),
    /// The name of a row or column, a title, an explanation.
    Label,
    /// An empty cell, or a line of the board.
    Blank,
}

/// A piece of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    /// The text.
    pub text: String,
    /// What it is.
    pub ink: Ink,
    /// Whether it shows a cell that the last move changed.
    pub changed: bool,
}

/// The lines without their styles.
pub fn plain(lines: &[Vec<Span>]) -> String {
    let line = |line: &Vec<Span>| line.iter().map(|span| span.text.as_str()).collect::<String>().trim_end().to_string();
    lines.iter().map(|spans| line(spans) + "\n").collect()
}

/// A sheet of characters, by line and column.
#[derive(Default)]
struct Sheet {
    at: BTreeMap<(i32, i32), (char, Ink, bool)>,
}

impl Sheet {
    fn put(&mut self, line: i32, column: i32, text: &str, ink: Ink, changed: bool) {
        for (at, c) in (0..).zip(text.chars()) {
            self.at.insert((line, column + at), (c, ink, changed));
        }
    }

    /// The lines, with what stands leftmost at the first column.
    fn lines(&self) -> Vec<Vec<Span>> {
        let left = self.at.keys().map(|key| key.1).min().unwrap_or(0);
        let (first, last) = (self.at.keys().next(), self.at.keys().next_back());
        let (Some((first, _)), Some((last, _))) = (first, last) else { return Vec::new() };
        let mut lines = vec![Vec::new(); (last - first + 1) as usize];
        let mut end = (*first, left);
        for (&(line, column), &(c, ink, changed)) in &self.at {
            let spans: &mut Vec<Span> = &mut lines[(line - first) as usize];
            if end.0 != line {
                end = (line, left);
            }
            if end.1 < column {
                let text = " ".repeat((column - end.1) as usize);
                spans.push(Span { text, ink: Ink::Plain, changed: false });
            }
            match spans.last_mut() {
                Some(span) if span.ink == ink && span.changed == changed && end.1 == column => span.text.push(c),
                _ => spans.push(Span { text: c.to_string(), ink, changed }),
            }
            end = (line, column + 1);
        }
        lines
    }
}

/// A picture as lines of text.
pub fn text(picture: &Picture, style: &Style) -> Vec<Vec<Span>> {
    let mut lines = Vec::new();
    for board in &picture.boards {
        if let Some(title) = &board.title {
            lines.push(vec![label(title.clone())]);
        }
        lines.extend(draw(board, style));
    }
    rest(&picture.rest, style, &mut lines);
    lines
}

fn label(text: String) -> Span {
    Span { text, ink: Ink::Label, changed: false }
}

/// The facts that are on no board, by name.
fn rest(facts: &[String], style: &Style, lines: &mut Vec<Vec<Span>>) {
    let mut groups: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for fact in facts {
        let (name, args) = split(fact);
        groups.entry(name).or_default().push(args.join(" "));
    }
    for (name, args) in groups {
        let dot = if style.unicode { " · " } else { ", " };
        let mut line = name.to_string();
        let mut open = true;
        for part in args.iter().filter(|part| !part.is_empty()) {
            let more = if open { format!(": {part}") } else { format!("{dot}{part}") };
            if !open && line.chars().count() + more.chars().count() + 2 > style.width {
                let text = std::mem::take(&mut line) + dot.trim_end();
                lines.push(vec![Span { text, ink: Ink::Plain, changed: false }]);
                line = format!("  {part}");
            } else {
                line += &more;
            }
            open = false;
        }
        lines.push(vec![Span { text: line, ink: Ink::Plain, changed: false }]);
    }
}

fn ink(things: &[Thing]) -> Ink {
    match things {
        [] => Ink::Blank,
        [first, rest @ ..] => match first.side {
            Some(side) if rest.iter().all(|thing| thing.side == first.side) => Ink::Piece(side),
            _ => Ink::Plain,
        },
    }
}

/// How far apart cells are.
struct Scale {
    /// Columns and lines for two halves of a cell.
    across: i32,
    down: i32,
    /// The width of what is in a cell.
    wide: usize,
    /// Below which rows there is a line for what stands between cells.
    gaps: BTreeSet<i32>,
}

impl Scale {
    fn column(&self, x: i32) -> i32 {
        (x * self.across).div_euclid(2)
    }

    fn line(&self, y: i32) -> i32 {
        (y * self.down).div_euclid(2) + self.gaps.range(..y).count() as i32
    }
}

fn draw(board: &BoardPicture, style: &Style) -> Vec<Vec<Span>> {
    let symbols = Symbols::new(board, style.unicode);
    let names = board.columns.iter().map(|label| label.text.chars().count()).max().unwrap_or(0);
    let wide = symbols.width().max(1);
    let gaps = between(board).filter_map(|(a, b, _)| gap(&board.cells[a], &board.cells[b])).collect();
    let scale = match board.shape {
        Shape::Grid => Scale { across: wide.max(names) as i32 + 1, down: 1, wide: wide.max(names), gaps },
        Shape::Hexagons => Scale { across: (wide.max(names) as i32 + 2) / 2 * 2, down: 1, wide, gaps },
        Shape::Points => Scale { across: wide as i32 + 3, down: 2, wide, gaps },
        Shape::Pits => Scale { across: wide.max(2) as i32 + 2, down: 1, wide: wide.max(2), gaps },
        Shape::Lines => Scale { across: 4, down: 2, wide: 1, gaps },
        Shape::Towers | Shape::Heaps => Scale { across: 2, down: 1, wide, gaps },
    };
    let mut sheet = Sheet::default();
    match board.shape {
        Shape::Towers => towers(board, style, &mut sheet),
        Shape::Heaps => heaps(board, style, &mut sheet),
        Shape::Lines => edges(board, style, &scale, &symbols, &mut sheet),
        Shape::Grid | Shape::Hexagons | Shape::Points | Shape::Pits => {
            joints(board, style, &scale, &mut sheet);
            fences(board, style, &scale, &mut sheet);
            cells(board, style, &scale, &symbols, &mut sheet);
        }
    }
    if board.shape != Shape::Towers {
        labels(board, &scale, &mut sheet);
    }
    let mut lines = sheet.lines();
    lines.extend(board.joins().map(|words| vec![label(format!("   {words}"))]));
    let legend: Vec<String> = symbols.legend().iter().map(|(name, short)| format!("{short} = {name}")).collect();
    let written = matches!(board.shape, Shape::Grid | Shape::Hexagons | Shape::Points);
    if !legend.is_empty() && written {
        lines.push(vec![label(format!("   {}", legend.join("   ")))]);
    }
    lines
}

/// What is written into a cell; nothing if it is empty. A thing that is marked, or somebody's, is written large; several others are a star.
fn content(cell: &CellPicture, symbols: &Symbols) -> String {
    match &cell.things[..] {
        [] => String::new(),
        [only] => symbols.of(&only.name).to_string(),
        several => {
            let mut owned: Vec<&str> =
                several.iter().filter(|thing| thing.side.is_some()).map(|thing| thing.name.as_str()).collect();
            owned.dedup();
            match owned[..] {
                [only] => symbols.of(only).to_uppercase(),
                _ => "*".to_string(),
            }
        }
    }
}

fn cells(board: &BoardPicture, style: &Style, scale: &Scale, symbols: &Symbols, sheet: &mut Sheet) {
    for cell in &board.cells {
        let text = content(cell, symbols);
        let blank = if style.unicode { "·" } else { "." };
        let ground = cell.ground.as_deref().map_or(blank, |ground| symbols.of(ground));
        let text = if text.is_empty() { ground } else { &text };
        let (line, column) = (scale.line(cell.y), scale.column(cell.x));
        let pad = (scale.wide.saturating_sub(text.chars().count())) as i32;
        let from = column + if board.shape == Shape::Pits { pad } else { pad / 2 + pad % 2 };
        sheet.put(line, from, text, ink(&cell.things), cell.changed);
        if cell.changed && !style.colour {
            let end = from + text.chars().count() as i32;
            // Between two changed cells there is room for one sign only.
            let shared = sheet.at.get(&(line, from - 1)).is_some_and(|known| known.0 == ']');
            sheet.put(line, from - 1, if shared { "|" } else { "[" }, Ink::Label, true);
            sheet.put(line, end, "]", Ink::Label, true);
        }
    }
}

/// The pairs of cells that something stands between; for a wall whether it is new.
fn between(board: &BoardPicture) -> impl Iterator<Item = (usize, usize, Option<bool>)> {
    let walls = board.walls.iter().flat_map(|wall| wall.between.iter().map(|&(a, b)| (a, b, Some(wall.changed))));
    board.seams.iter().map(|&(a, b)| (a, b, None)).chain(walls)
}

/// The row below which a line is needed for what stands between two cells.
fn gap(a: &CellPicture, b: &CellPicture) -> Option<i32> {
    (a.y != b.y).then(|| a.y.min(b.y))
}

/// The borders of blocks, and walls.
fn fences(board: &BoardPicture, style: &Style, scale: &Scale, sheet: &mut Sheet) {
    for (a, b, wall) in between(board) {
        let (a, b) = (&board.cells[a], &board.cells[b]);
        let new = wall == Some(true);
        let ink = match wall {
            Some(true) => Ink::Piece(0),
            Some(false) => Ink::Plain,
            None => Ink::Blank,
        };
        let [across, down] = match (new && !style.colour, style.unicode, wall.is_some()) {
            (true, ..) => ["=", "#"],
            (false, true, true) => ["━", "┃"],
            (false, true, false) => ["─", "│"],
            (false, false, _) => ["-", "|"],
        };
        match gap(a, b) {
            Some(y) => {
                let column = scale.column(a.x);
                sheet.put(scale.line(y) + 1, column, &across.repeat(scale.across as usize), ink, new);
            }
            None => sheet.put(scale.line(a.y), scale.column(a.x.max(b.x)) - 1, down, ink, new),
        }
    }
    // Where the borders of blocks go on through the lines between rows.
    let down = if style.unicode { "┼" } else { "+" };
    for (a, b) in board.seams.iter().map(|&(a, b)| (&board.cells[a], &board.cells[b])) {
        if a.y == b.y && scale.gaps.contains(&a.y) {
            sheet.put(scale.line(a.y) + 1, scale.column(a.x.max(b.x)) - 1, down, Ink::Blank, false);
        }
    }
}

/// The lines between points.
fn joints(board: &BoardPicture, style: &Style, scale: &Scale, sheet: &mut Sheet) {
    let (across, down) = if style.unicode { ("─", "│") } else { ("-", "|") };
    for &(a, b) in &board.lines {
        let (a, b) = (&board.cells[a], &board.cells[b]);
        let middle = scale.wide as i32 / 2;
        let ([ax, ay], [bx, by]) = ([a, b].map(|c| [scale.column(c.x) + middle, scale.line(c.y)])).into();
        if ay == by {
            (ax.min(bx) + 1..ax.max(bx)).for_each(|x| sheet.put(ay, x, across, Ink::Blank, false));
        } else if ax == bx {
            (ay.min(by) + 1..ay.max(by)).for_each(|y| sheet.put(y, ax, down, Ink::Blank, false));
        }
    }
}

fn edges(board: &BoardPicture, style: &Style, scale: &Scale, symbols: &Symbols, sheet: &mut Sheet) {
    let [dot, across, down] = if style.unicode { ["·", "───", "│"] } else { ["+", "---", "|"] };
    for cell in &board.cells {
        let (line, column) = (scale.line(cell.y), scale.column(cell.x));
        let drawn = !cell.things.is_empty();
        let ink = if cell.changed { Ink::Piece(0) } else { Ink::Plain };
        match cell.kind {
            CellKind::Dot => sheet.put(line, column, dot, Ink::Blank, false),
            CellKind::Place => {
                let text = content(cell, symbols);
                sheet.put(line, column, &text, self::ink(&cell.things), cell.changed);
            }
            CellKind::Across if drawn => {
                let text = if cell.changed && !style.colour { "===" } else { across };
                sheet.put(line, column - 1, text, ink, cell.changed);
            }
            CellKind::Down if drawn => {
                let text = if cell.changed && !style.colour { "#" } else { down };
                sheet.put(line, column, text, ink, cell.changed);
            }
            CellKind::Across | CellKind::Down => {}
        }
    }
}

fn heaps(board: &BoardPicture, style: &Style, sheet: &mut Sheet) {
    for cell in &board.cells {
        for thing in &cell.things {
            let many: usize = thing.name.parse().unwrap_or(0);
            let stones = if many <= 30 { vec!["o"; many].join(" ") } else { String::new() };
            let text = format!("{:>2}  {stones}", thing.name);
            let ink = if cell.changed { Ink::Piece(0) } else { Ink::Plain };
            let text =
                if cell.changed && !style.colour { format!("[{}]", text.trim_end()) } else { format!(" {text}") };
            sheet.put(cell.y / 2, -1, text.trim_end(), ink, cell.changed);
        }
    }
}

fn towers(board: &BoardPicture, style: &Style, sheet: &mut Sheet) {
    let sizes =
        board.cells.iter().flat_map(|cell| &cell.things).filter_map(|thing| thing.size).max().unwrap_or(0) as i32;
    let names = board.cells.iter().flat_map(|cell| &cell.things).map(|thing| thing.name.chars().count()).max();
    let wide = (2 * sizes + 1).max(names.unwrap_or(1) as i32 + 2);
    let bottom = board.cells.iter().map(|cell| cell.y).max().unwrap_or(0);
    let used = board.cells.iter().filter(|cell| !cell.things.is_empty()).map(|cell| cell.x).max().unwrap_or(0);
    for cell in &board.cells {
        let middle = cell.x / 2 * (wide + 2) + wide / 2;
        for thing in &cell.things {
            let half = thing.size.map_or(wide / 2, |size| size as i32);
            let bar = if style.unicode { "▄" } else { "=" };
            let ink = if cell.changed { Ink::Piece(0) } else { Ink::Plain };
            sheet.put(cell.y / 2, middle - half, &bar.repeat(2 * half as usize + 1), ink, cell.changed);
            let from = middle - (thing.name.chars().count() as i32 - 1) / 2;
            sheet.put(cell.y / 2, from, &thing.name, ink, cell.changed);
            if cell.changed && !style.colour {
                sheet.put(cell.y / 2, middle - half - 1, "[", Ink::Label, true);
                sheet.put(cell.y / 2, middle + half + 1, "]", Ink::Label, true);
            }
        }
        if cell.things.is_empty() && !board.columns.is_empty() {
            sheet.put(cell.y / 2, middle, "|", Ink::Blank, false);
        }
    }
    for label in &board.columns {
        let middle = label.x / 2 * (wide + 2) + wide / 2;
        sheet.put(label.y / 2, middle, &label.text, Ink::Label, false);
    }
    if board.columns.is_empty() {
        let width = ((used / 2 + 1) * (wide + 2)) as usize;
        sheet.put(bottom / 2 + 1, 0, &"-".repeat(width), Ink::Blank, false);
    }
}

fn labels(board: &BoardPicture, scale: &Scale, sheet: &mut Sheet) {
    let side = board.rows.iter().map(|label| label.text.chars().count()).max().unwrap_or(0) as i32;
    for label in &board.rows {
        let own = label.text.chars().count() as i32;
        // Rows in line have their names in line, rows that are shifted each beside its first cell.
        let next = if board.shape == Shape::Hexagons { label.x + 2 } else { 0 };
        let left = if board.shape == Shape::Pits { scale.column(-2) } else { scale.column(next) };
        let line = if board.shape == Shape::Heaps { label.y / 2 } else { scale.line(label.y) };
        let gap = if board.shape == Shape::Hexagons { 2 } else { 3 };
        let from =
            if board.shape == Shape::Hexagons { left - gap - own + 1 } else { left - gap - side + (side - own) + 1 };
        sheet.put(line, from, &label.text, Ink::Label, false);
    }
    for label in &board.columns {
        let pad = scale.wide as i32 - label.text.chars().count() as i32;
        let from = scale.column(label.x) + if board.shape == Shape::Pits { pad } else { pad / 2 + pad % 2 };
        sheet.put(scale.line(label.y), from, &label.text, Ink::Label, false);
    }
}
