//! Pictures as SVG: boards one beside the other, as still pictures or to be clicked on. Colours are variables of the page's style, with others where it
//! has none (`--board`, `--dark`, `--line`, `--ink`); who owns a thing is told by its shape as well as by its colour.

use super::token::{self, Put};
use super::{BoardPicture, CellKind, CellPicture, Edge, Ground, Picture, Shape, Thing};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Half a cell.
pub(super) const HALF: f64 = 20.0;
/// Half of what a tower takes.
const TOWER: f64 = 52.0;
/// From stone to stone in a heap.
const STONE: f64 = 17.0;
/// The most stones of a heap that are drawn.
const MOST_STONES: usize = 30;
/// How wide the lines along the sides of a board are that are somebody's.
const EDGE: f64 = 6.0;
/// From row to row on a board of hexagons, in parts of a cell.
const SLANT: f64 = 0.866;

pub(super) const BOARD: &str = "var(--board,#ecdfc4)";
const DARK: &str = "var(--dark,#cfb48a)";
pub(super) const LINE: &str = "var(--line,#9c8763)";
pub(super) const INK: &str = "var(--ink,#2a2520)";

/// What a drawing is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// To be looked at.
    Image,
    /// A small picture: no names of rows and columns, and no frame for what has changed.
    Thumbnail,
    /// A grid of cells that can be clicked on, named for those who cannot see it.
    Grid,
}

/// A text with the signs that SVG and HTML use for themselves replaced.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A picture as an SVG element: its boards one beside the other, and nothing of the facts that are on no board.
///
/// ```
/// let empty = study::picture::Picture::default();
/// assert_eq!(study::picture::svg(&empty), "");
/// ```
pub fn svg(picture: &Picture) -> String {
    (0..picture.boards.len()).map(|at| board_svg(picture, at, Use::Image)).collect()
}

/// One board of a picture as an SVG element; empty if the board has no cells. In a [`Use::Grid`] every cell is a group of the class `cell` with its
/// number (`data-cell`) and its middle (`data-x`, `data-y`), things in it are groups with their names (`data-thing`).
pub fn board_svg(picture: &Picture, number: usize, used: Use) -> String {
    match picture.boards.get(number) {
        Some(board) if !board.cells.is_empty() => Drawing::new(board, &picture.ground, number, used).draw(),
        _ => String::new(),
    }
}

/// One thing of a board as a small picture of its own, for palettes.
pub fn thing_svg(board: &BoardPicture, thing: &Thing) -> String {
    let mut svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-20 -20 40 40\" width=\"40\" height=\"40\" aria-hidden=\"true\" \
                   font-family=\"system-ui,sans-serif\" font-size=\"14\" text-anchor=\"middle\">"
        .to_string();
    // A thing of a tower or a heap is as wide as it wants to be; here all have the same room.
    let shape = if board.shape == Shape::Pits { Shape::Pits } else { Shape::Grid };
    let put = Put { at: (0.0, 0.0), scale: 1.0, tower: TOWER, shape };
    token::Tokens::new(board).draw(&mut svg, thing, &put);
    svg + "</svg>"
}

/// A number without needless digits.
pub(super) fn n(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_string)
}

/// A corner of a cell, and where the cell beyond the side that begins there would lie.
type Corner = ((f64, f64), (i32, i32));

struct Drawing<'a> {
    board: &'a BoardPicture,
    /// The colours of cells, of every second cell, and of lines.
    colours: [&'a str; 3],
    number: usize,
    used: Use,
    left: i32,
    top: i32,
    /// The size of the whole.
    size: (f64, f64),
    /// The most stones in a heap.
    most: usize,
    tokens: token::Tokens,
    svg: String,
}

impl<'a> Drawing<'a> {
    fn new(board: &'a BoardPicture, ground: &'a Ground, number: usize, used: Use) -> Drawing<'a> {
        let labels = if used == Use::Thumbnail { [].iter() } else { board.rows.iter() };
        let columns = if used == Use::Thumbnail { [].iter() } else { board.columns.iter() };
        let mut places: Vec<(i32, i32)> = labels.chain(columns).map(|label| (label.x, label.y)).collect();
        places.extend(board.cells.iter().map(|cell| (cell.x, cell.y)));
        let low = |at: fn(&(i32, i32)) -> i32| places.iter().map(at).min().unwrap_or(0);
        let high = |at: fn(&(i32, i32)) -> i32| places.iter().map(at).max().unwrap_or(0);
        let (left, top) = (low(|at| at.0), low(|at| at.1));
        let counts = board.things.iter().chain(board.cells.iter().flat_map(|cell| &cell.things));
        let most = counts.filter_map(|thing| thing.name.parse::<usize>().ok()).max().unwrap_or(0).min(MOST_STONES);
        let chosen = [(&ground.board, BOARD), (&ground.dark, DARK), (&ground.line, LINE)];
        let mut drawing = Drawing {
            board,
            colours: chosen.map(|(chosen, usual)| chosen.as_deref().unwrap_or(usual)),
            number,
            used,
            left,
            top,
            size: (0.0, 0.0),
            most,
            tokens: token::Tokens::new(board),
            svg: String::new(),
        };
        let (right, bottom) = drawing.at(high(|at| at.0), high(|at| at.1));
        let (own_x, own_y) = drawing.half();
        let stones = if board.shape == Shape::Heaps { STONE * most.max(4) as f64 } else { 0.0 };
        drawing.size = (right + own_x + stones, bottom + own_y);
        drawing
    }

    /// Half of the room of a cell, across and down.
    fn half(&self) -> (f64, f64) {
        match self.board.shape {
            Shape::Towers => (TOWER, HALF),
            Shape::Hexagons => (HALF, HALF * 1.155),
            _ => (HALF, HALF),
        }
    }

    /// The middle of a cell or label.
    fn at(&self, x: i32, y: i32) -> (f64, f64) {
        let (across, down) = self.half();
        let down_step = if self.board.shape == Shape::Hexagons { HALF * SLANT } else { HALF };
        (f64::from(x - self.left) * across + across, f64::from(y - self.top) * down_step + down)
    }

    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        let _ = self.svg.write_fmt(text);
    }

    fn draw(mut self) -> String {
        let (width, height) = self.size;
        let (w, h) = (n(width), n(height));
        let mut title = self.board.title.clone().unwrap_or_else(|| "board".to_string());
        title.extend(self.board.joins().map(|words| format!(": {words}")));
        let role = match self.used {
            Use::Grid => {
                format!(
                    "class=\"board\" role=\"grid\" data-board=\"{}\" aria-label=\"{}\"",
                    self.number,
                    escaped(&title)
                )
            }
            _ => format!("role=\"img\" aria-label=\"{}\" width=\"{w}\" height=\"{h}\"", escaped(&title)),
        };
        let frame = if self.board.edges.is_empty() {
            format!("0 0 {w} {h}")
        } else {
            // Room for the lines along the sides.
            let room = EDGE / 2.0 + 1.0;
            format!("{} {} {} {}", n(-room), n(-room), n(width + 2.0 * room), n(height + 2.0 * room))
        };
        self.put(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{frame}\" {role} font-family=\"system-ui,sans-serif\" \
             font-size=\"14\" text-anchor=\"middle\">"
        ));
        let is_bare = matches!(self.board.shape, Shape::Heaps | Shape::Lines | Shape::Towers | Shape::Points);
        if self.used == Use::Thumbnail && is_bare {
            // A picture of its own does not know whether the page is dark.
            let fill = self.colours[0];
            self.put(format_args!("<rect width=\"{w}\" height=\"{h}\" rx=\"8\" fill=\"{fill}\"/>"));
        }
        self.below();
        let mut rows: BTreeMap<i32, Vec<usize>> = BTreeMap::new();
        for (at, cell) in self.board.cells.iter().enumerate() {
            rows.entry(cell.y).or_default().push(at);
        }
        for row in rows.into_values() {
            if self.used == Use::Grid {
                self.svg += "<g role=\"row\">";
            }
            for at in row {
                self.cell(at);
            }
            if self.used == Use::Grid {
                self.svg += "</g>";
            }
        }
        self.between();
        self.edges();
        if self.used != Use::Thumbnail {
            self.labels();
        }
        self.svg + "</svg>"
    }

    /// What lies below all cells: lines between points, the feet of towers.
    fn below(&mut self) {
        let board = self.board;
        let line = self.colours[2];
        for &(from, to) in &board.lines {
            let (Some(from), Some(to)) = (board.cells.get(from), board.cells.get(to)) else { continue };
            let ((a, b), (c, d)) = (self.at(from.x, from.y), self.at(to.x, to.y));
            let (a, b, c, d) = (n(a), n(b), n(c), n(d));
            self.put(format_args!("<path d=\"M{a} {b}L{c} {d}\" stroke=\"{line}\" stroke-width=\"2\"/>"));
        }
        if board.shape == Shape::Towers {
            let bottom = board.cells.iter().map(|cell| cell.y).max().unwrap_or(0);
            let top = board.cells.iter().map(|cell| cell.y).min().unwrap_or(0);
            let feet: Vec<i32> = board.cells.iter().filter(|cell| cell.y == bottom).map(|cell| cell.x).collect();
            for x in feet {
                let ((x, low), (_, high)) = (self.at(x, bottom), self.at(x, top));
                let (low, high, from, to) = (low + HALF, high - HALF + 6.0, x - TOWER + 4.0, x + TOWER - 4.0);
                let [x, low, high, from, to] = [x, low, high, from, to].map(n);
                self.put(format_args!(
                    "<path d=\"M{x} {low}V{high}M{from} {low}H{to}\" stroke=\"{line}\" stroke-width=\"5\" stroke-linecap=\"round\"/>"
                ));
            }
        }
    }

    /// The line between two cells beside each other: its ends, kept off the corners by so much.
    fn side(&self, (a, b): (usize, usize), off: f64) -> [f64; 4] {
        let (a, b) = (&self.board.cells[a], &self.board.cells[b]);
        let ((ax, ay), (bx, by)) = (self.at(a.x, a.y), self.at(b.x, b.y));
        let (x, y, long) = ((ax + bx) / 2.0, (ay + by) / 2.0, HALF - off);
        if a.y == b.y { [x, y - long, x, y + long] } else { [x - long, y, x + long, y] }
    }

    /// What stands between cells: the borders of blocks, and walls.
    fn between(&mut self) {
        let board = self.board;
        let mut seams = String::new();
        for &pair in &board.seams {
            let [a, b, c, d] = self.side(pair, 0.0).map(n);
            let _ = write!(seams, "M{a} {b}L{c} {d}");
        }
        if !seams.is_empty() {
            self.put(format_args!(
                "<path d=\"{seams}\" stroke=\"{INK}\" stroke-width=\"2.5\" stroke-linecap=\"square\" opacity=\".8\" pointer-events=\"none\"/>"
            ));
        }
        for wall in &board.walls {
            let sides: Vec<[f64; 4]> = wall.between.iter().map(|&pair| self.side(pair, 3.0)).collect();
            let mut lines: String = sides.iter().map(|side| line(*side)).collect();
            // A wall along several cells has no gaps.
            let [first, rest @ ..] = &sides[..] else { continue };
            if rest
                .iter()
                .all(|side| side[0] == first[0] && side[2] == first[2] || side[1] == first[1] && side[3] == first[3])
            {
                let whole =
                    rest.iter().fold(*first, |[a, b, c, d], [e, f, g, h]| [a.min(*e), b.min(*f), c.max(*g), d.max(*h)]);
                lines = line(whole);
            }
            let under = self.colours[0];
            let (colour, class) =
                if wall.changed && self.used != Use::Thumbnail { ("var(--last,#5d8a2c)", " last") } else { (INK, "") };
            self.put(format_args!(
                "<path class=\"wall{class}\" d=\"{lines}\" stroke=\"{under}\" stroke-width=\"9\" stroke-linecap=\"round\" pointer-events=\"none\"/>\
                 <path d=\"{lines}\" stroke=\"{colour}\" stroke-width=\"6\" stroke-linecap=\"round\" pointer-events=\"none\"/>"
            ));
        }
    }

    /// The corners of a cell around it, each with where the cell beyond the side that begins at it would lie.
    fn outline(&self, cell: &CellPicture) -> Vec<Corner> {
        let (x, y) = self.at(cell.x, cell.y);
        let tall = HALF * 1.155;
        let corners: &[Corner] = match self.board.shape {
            Shape::Hexagons => &[
                ((0.0, -tall), (1, -2)),
                ((HALF, -tall / 2.0), (2, 0)),
                ((HALF, tall / 2.0), (1, 2)),
                ((0.0, tall), (-1, 2)),
                ((-HALF, tall / 2.0), (-2, 0)),
                ((-HALF, -tall / 2.0), (-1, -2)),
            ],
            _ => {
                &[((-HALF, -HALF), (0, -2)), ((HALF, -HALF), (2, 0)), ((HALF, HALF), (0, 2)), ((-HALF, HALF), (-2, 0))]
            }
        };
        corners.iter().map(|&((dx, dy), to)| ((x + dx, y + dy), to)).collect()
    }

    /// The sides of the board that somebody has to join, in the owner's colour; every second owner's line is broken, for those who do not see the colour.
    fn edges(&mut self) {
        let board = self.board;
        if !matches!(board.shape, Shape::Grid | Shape::Hexagons) {
            return;
        }
        let taken: BTreeSet<(i32, i32)> = board.cells.iter().map(|cell| (cell.x, cell.y)).collect();
        // The ways out of the board that all cells of a side have: a corner has more.
        let outer = |edge: &Edge| -> Vec<(i32, i32)> {
            let cells = || edge.cells.iter().map(|&at| &board.cells[at]);
            let Some(first) = cells().next() else { return Vec::new() };
            let ways = self.outline(first).into_iter().map(|(_, to)| to);
            ways.filter(|to| cells().all(|cell| !taken.contains(&(cell.x + to.0, cell.y + to.1)))).collect()
        };
        let outers: Vec<Vec<(i32, i32)>> = board.edges.iter().map(outer).collect();
        let mut drawn = String::new();
        for (number, edge) in board.edges.iter().enumerate() {
            let mut path = String::new();
            for &at in &edge.cells {
                let corners = self.outline(&board.cells[at]);
                for (side, &(from, to)) in corners.iter().enumerate().filter(|(_, (_, to))| outers[number].contains(to))
                {
                    let next = corners[(side + 1) % corners.len()].0;
                    let middle = ((from.0 + next.0) / 2.0, (from.1 + next.1) / 2.0);
                    let before = corners[(side + corners.len() - 1) % corners.len()].1;
                    let shared = (0..outers.len()).any(|other| {
                        other != number && outers[other].contains(&to) && board.edges[other].cells.contains(&at)
                    });
                    // Where two sides meet at one side of a cell each has half of it.
                    let (a, b) = match (shared, outers[number].contains(&before)) {
                        (false, _) => (from, next),
                        (true, true) => (from, middle),
                        (true, false) => (middle, next),
                    };
                    path += &line([a.0, a.1, b.0, b.1]);
                }
            }
            let colour = token::colour(&edge.owner);
            let broken =
                if edge.owner.side.is_some_and(|side| side % 2 == 1) { " stroke-dasharray=\"9 4\"" } else { "" };
            let _ = write!(
                drawn,
                "<path class=\"edge\" d=\"{path}\" stroke=\"{INK}\" stroke-width=\"{}\" stroke-linecap=\"round\" pointer-events=\"none\"/>\
                 <path d=\"{path}\" stroke=\"{colour}\" stroke-width=\"{}\"{broken} pointer-events=\"none\"/>",
                n(EDGE),
                n(EDGE - 1.5)
            );
        }
        self.svg += &drawn;
    }

    fn labels(&mut self) {
        let board = self.board;
        for label in board.rows.iter().chain(&board.columns) {
            let (x, y) = self.at(label.x, label.y);
            let (x, y, text) = (n(x), n(y), escaped(&label.text));
            let room = 2.0 * self.half().0;
            // A long name is pressed into the room of a cell.
            let wide = if label.text.chars().count() as f64 * 7.3 > room - 4.0 {
                format!(" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"", n(room - 6.0))
            } else {
                String::new()
            };
            self.put(format_args!(
                "<text class=\"label\" x=\"{x}\" y=\"{y}\" dy=\".35em\" fill=\"{INK}\" font-size=\"11\" opacity=\".75\"{wide} aria-hidden=\"true\">{text}</text>"
            ));
        }
    }

    fn cell(&mut self, at: usize) {
        let cell = &self.board.cells[at];
        let (x, y) = self.at(cell.x, cell.y);
        if self.used == Use::Grid {
            // A dot between lines is no cell: nothing is ever in it.
            let is_place = cell.kind != CellKind::Dot;
            let role = if is_place { "role=\"gridcell\" tabindex=\"-1\"" } else { "role=\"presentation\"" };
            let class = if is_place { "cell" } else { "dot" };
            let changed = if cell.changed { " changed" } else { "" };
            let walls = self.board.walls.iter().flat_map(|wall| &wall.between);
            let walled = walls.filter_map(|&(a, b)| (a == at).then_some(b).or((b == at).then_some(a)));
            let names = walled.map(|other| format!(", wall towards {}", self.board.cells[other].name.join(" ")));
            let owned = self.board.edges.iter().filter(|edge| edge.cells.contains(&at));
            let sides: String = owned.map(|edge| format!(", side of {}", edge.owner.name)).collect();
            let name = escaped(&(spoken(cell) + &names.collect::<String>() + &sides));
            self.put(format_args!(
                "<g class=\"{class}{changed}\" {role} data-cell=\"{at}\" data-x=\"{}\" data-y=\"{}\"",
                n(x),
                n(y)
            ));
            if is_place {
                self.put(format_args!(" aria-label=\"{name}\""));
            }
            self.svg += ">";
        }
        self.ground(cell, (x, y));
        if cell.changed && self.used != Use::Thumbnail && cell.kind == CellKind::Place {
            self.frame((x, y), "last");
        }
        self.things(cell, (x, y));
        if self.used == Use::Grid {
            if cell.kind == CellKind::Place {
                self.frame((x, y), "mark");
            }
            self.svg += "</g>";
        }
    }

    /// The outline of a cell, for marks.
    fn frame(&mut self, (x, y): (f64, f64), class: &str) {
        let outline = match self.board.shape {
            Shape::Hexagons => format!("<path d=\"{}\"", hexagon(x, y, HALF - 2.0)),
            Shape::Points => format!("<circle cx=\"{}\" cy=\"{}\" r=\"18\"", n(x), n(y)),
            Shape::Pits => format!("<circle cx=\"{}\" cy=\"{}\" r=\"18\"", n(x), n(y)),
            Shape::Towers => {
                let half = TOWER - 2.0;
                format!(
                    "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\"",
                    n(x - half),
                    n(y - HALF),
                    n(2.0 * half),
                    n(2.0 * HALF)
                )
            }
            Shape::Heaps => {
                let wide = STONE * self.most.max(4) as f64 + 2.0 * HALF - 4.0;
                format!(
                    "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"36\" rx=\"8\"",
                    n(x - HALF + 2.0),
                    n(y - 18.0),
                    n(wide)
                )
            }
            Shape::Lines => {
                format!("<rect x=\"{}\" y=\"{}\" width=\"28\" height=\"28\" rx=\"3\"", n(x - 14.0), n(y - 14.0))
            }
            Shape::Grid => {
                format!("<rect x=\"{}\" y=\"{}\" width=\"36\" height=\"36\" rx=\"2\"", n(x - 18.0), n(y - 18.0))
            }
        };
        let look = match class {
            // Corners say it to those who do not see the colour.
            "last" => {
                "fill=\"var(--last,#7fae4a)\" fill-opacity=\".22\" stroke=\"var(--last,#5d8a2c)\" stroke-width=\"2.5\" stroke-dasharray=\"9 5\""
            }
            _ => "fill=\"transparent\" stroke=\"none\"",
        };
        self.put(format_args!("{outline} class=\"{class}\" {look}/>"));
    }

    /// The cell itself.
    fn ground(&mut self, cell: &CellPicture, (x, y): (f64, f64)) {
        let (cx, cy) = (n(x), n(y));
        let [board, dark, edge] = self.colours;
        match cell.kind {
            CellKind::Dot => {
                self.put(format_args!("<circle cx=\"{cx}\" cy=\"{cy}\" r=\"4\" fill=\"{INK}\"/>"));
                return;
            }
            CellKind::Across | CellKind::Down => {
                let is_across = cell.kind == CellKind::Across;
                let (dx, dy) = if is_across { (HALF - 5.0, 0.0) } else { (0.0, HALF - 5.0) };
                let line = format!("M{} {}L{} {}", n(x - dx), n(y - dy), n(x + dx), n(y + dy));
                let taken = !cell.things.is_empty();
                // Lines are thin: what is clicked on is wider.
                self.put(format_args!(
                    "<path class=\"mark\" d=\"{line}\" stroke=\"transparent\" stroke-width=\"16\"/>"
                ));
                let class = if cell.changed { " class=\"last\"" } else { "" };
                let (colour, wide) = match (taken, cell.changed) {
                    (true, true) => ("var(--last,#5d8a2c)", 7),
                    (true, false) => (INK, 5),
                    _ => (edge, 1),
                };
                let dash = if taken { "" } else { " stroke-dasharray=\"2 4\"" };
                self.put(format_args!(
                    "<path{class} d=\"{line}\" stroke=\"{colour}\" stroke-width=\"{wide}\" stroke-linecap=\"round\"{dash}/>"
                ));
                return;
            }
            CellKind::Place => {}
        }
        match self.board.shape {
            Shape::Points => {
                self.put(format_args!(
                    "<circle cx=\"{cx}\" cy=\"{cy}\" r=\"6\" fill=\"{board}\" stroke=\"{edge}\" stroke-width=\"2\"/>"
                ));
            }
            Shape::Pits => {
                self.put(format_args!(
                    "<circle cx=\"{cx}\" cy=\"{cy}\" r=\"19\" fill=\"{board}\" stroke=\"{edge}\" stroke-width=\"1.5\"/>"
                ));
            }
            Shape::Hexagons => {
                let path = hexagon(x, y, HALF);
                self.put(format_args!("<path d=\"{path}\" fill=\"{board}\" stroke=\"{edge}\"/>"));
            }
            Shape::Towers | Shape::Heaps => {}
            // A box between lines is there when somebody has it.
            Shape::Lines => {
                if !cell.things.is_empty() {
                    let (x, y) = (n(x - 15.0), n(y - 15.0));
                    self.put(format_args!(
                        "<rect x=\"{x}\" y=\"{y}\" width=\"30\" height=\"30\" rx=\"4\" fill=\"{board}\"/>"
                    ));
                }
            }
            Shape::Grid => {
                // Every second cell of a board is darker.
                let fill = if (cell.x.div_euclid(2) + cell.y.div_euclid(2)) % 2 == 0 { board } else { dark };
                let (x, y) = (n(x - HALF), n(y - HALF));
                self.put(format_args!(
                    "<rect x=\"{x}\" y=\"{y}\" width=\"40\" height=\"40\" fill=\"{fill}\" stroke=\"{edge}\" stroke-width=\".5\"/>"
                ));
            }
        }
        if let Some(ground) = &cell.ground {
            let text = escaped(&token::short(ground));
            self.put(format_args!(
                "<rect x=\"{}\" y=\"{}\" width=\"32\" height=\"32\" rx=\"6\" fill=\"none\" stroke=\"{edge}\" stroke-width=\"2\" stroke-dasharray=\"3 3\"/>",
                n(x - 16.0),
                n(y - 16.0)
            ));
            if cell.things.is_empty() {
                self.put(format_args!(
                    "<text x=\"{cx}\" y=\"{cy}\" dy=\".35em\" fill=\"{INK}\" opacity=\".6\">{text}</text>"
                ));
            }
        }
    }

    fn things(&mut self, cell: &CellPicture, (x, y): (f64, f64)) {
        if cell.kind != CellKind::Place {
            return;
        }
        if let (Shape::Heaps, [thing]) = (self.board.shape, &cell.things[..]) {
            self.heap(&thing.name, (x, y));
            return;
        }
        // What belongs to somebody is the main thing; the others stand beside it.
        let mut things: Vec<_> = cell.things.iter().collect();
        things.sort_by_key(|thing| thing.side.is_none());
        for (at, thing) in things.into_iter().take(3).enumerate() {
            let name = escaped(&thing.name);
            let (x, y, scale) = match at {
                0 if self.board.shape == Shape::Lines => (x, y, 0.8),
                0 => (x, y, 1.0),
                1 => (x + 11.0, y - 11.0, 0.42),
                _ => (x - 11.0, y - 11.0, 0.42),
            };
            if self.used == Use::Grid {
                self.put(format_args!("<g class=\"thing\" data-thing=\"{name}\" aria-hidden=\"true\">"));
            }
            let put = Put { at: (x, y), scale, tower: TOWER, shape: self.board.shape };
            self.tokens.draw(&mut self.svg, thing, &put);
            if self.used == Use::Grid {
                self.svg += "</g>";
            }
        }
    }

    fn heap(&mut self, name: &str, (x, y): (f64, f64)) {
        let count: usize = name.parse().unwrap_or(0);
        let (cx, cy) = (n(x), n(y));
        let inner = format!(
            "<text x=\"{cx}\" y=\"{cy}\" dy=\".35em\" fill=\"{INK}\" font-size=\"16\" font-weight=\"600\">{}</text>",
            escaped(name)
        );
        let grid = self.used == Use::Grid;
        if grid {
            self.put(format_args!("<g class=\"thing\" data-thing=\"{}\" aria-hidden=\"true\">", escaped(name)));
        }
        self.svg += &inner;
        for stone in 0..count.min(MOST_STONES) {
            let cx = n(x + HALF + 2.0 + STONE * stone as f64);
            self.put(format_args!(
                "<circle cx=\"{cx}\" cy=\"{cy}\" r=\"7\" fill=\"var(--stone,#7a6a55)\" stroke=\"{INK}\"/>"
            ));
        }
        if grid {
            self.svg += "</g>";
        }
    }
}

fn line(side: [f64; 4]) -> String {
    let [a, b, c, d] = side.map(n);
    format!("M{a} {b}L{c} {d}")
}

/// A hexagon that stands on a corner, as wide as two of `half`.
fn hexagon(x: f64, y: f64, half: f64) -> String {
    let tall = half * 1.155;
    let corners =
        [(0.0, -tall), (half, -tall / 2.0), (half, tall / 2.0), (0.0, tall), (-half, tall / 2.0), (-half, -tall / 2.0)];
    let points: Vec<String> = corners.iter().map(|(dx, dy)| format!("{} {}", n(x + dx), n(y + dy))).collect();
    format!("M{}Z", points.join("L"))
}

/// A cell as it is read aloud: its name, and what is in it.
fn spoken(cell: &CellPicture) -> String {
    let place = cell.name.join(" ");
    let things: Vec<String> = cell.things.iter().map(|thing| token::spoken(&thing.name)).collect();
    let ground = cell.ground.as_ref().map(|ground| format!(", {ground}")).unwrap_or_default();
    match things.is_empty() {
        true => format!("{place}: empty{ground}"),
        false => format!("{place}: {}{ground}", things.join(", ")),
    }
}
