//! Pictures as SVG, to be put into a page. Colours are variables of the page's style, with others where it has none: `--board`, `--line`, `--ink`,
//! `--first`, `--second`.

use super::{BoardPicture, CellKind, CellPicture, Picture, Shape, Thing};
use std::fmt::Write as _;

/// Half a cell.
const HALF: i32 = 20;

const BOARD: &str = "var(--board,#e9e4d8)";
const LINE: &str = "var(--line,#b5ad9a)";
const INK: &str = "var(--ink,#222)";

/// A text with the signs that SVG and HTML use for themselves replaced.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A picture as an SVG element: its boards one beside the other, and nothing of the facts that are on no board.
///
/// ```
/// let empty = study::picture::Picture { boards: Vec::new(), rest: Vec::new() };
/// assert_eq!(study::picture::svg(&empty), "");
/// ```
pub fn svg(picture: &Picture) -> String {
    picture.boards.iter().filter(|board| !board.cells.is_empty()).map(board).collect()
}

fn board(board: &BoardPicture) -> String {
    let all = || {
        board
            .cells
            .iter()
            .map(|cell| (cell.x, cell.y))
            .chain(board.rows.iter().chain(&board.columns).map(|l| (l.x, l.y)))
    };
    let (left, right) = (all().map(|at| at.0).min().unwrap_or(0), all().map(|at| at.0).max().unwrap_or(0));
    let (top, bottom) = (all().map(|at| at.1).min().unwrap_or(0), all().map(|at| at.1).max().unwrap_or(0));
    let (width, height) = ((right - left + 2) * HALF, (bottom - top + 2) * HALF);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\" font-family=\"sans-serif\" font-size=\"14\" text-anchor=\"middle\">"
    );
    // The middle of a cell or label.
    let place = |x: i32, y: i32| ((x - left + 1) * HALF, (y - top + 1) * HALF);
    for &(from, to) in &board.lines {
        let (Some(from), Some(to)) = (board.cells.get(from), board.cells.get(to)) else { continue };
        let ((a, b), (c, d)) = (place(from.x, from.y), place(to.x, to.y));
        let _ = write!(svg, "<path d=\"M{a} {b}L{c} {d}\" stroke=\"{LINE}\"/>");
    }
    for cell in &board.cells {
        draw(&mut svg, board, cell, place(cell.x, cell.y));
    }
    for label in board.rows.iter().chain(&board.columns) {
        let (x, y) = place(label.x, label.y);
        let _ = write!(
            svg,
            "<text x=\"{x}\" y=\"{y}\" dy=\".35em\" fill=\"{INK}\" font-size=\"11\" opacity=\".6\">{}</text>",
            escaped(&label.text)
        );
    }
    svg + "</svg>"
}

fn draw(svg: &mut String, board: &BoardPicture, cell: &CellPicture, (x, y): (i32, i32)) {
    let taken = !cell.things.is_empty();
    match cell.kind {
        CellKind::Dot => {
            let _ = write!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"3\" fill=\"{INK}\"/>");
            return;
        }
        CellKind::Across | CellKind::Down => {
            let (dx, dy) = if cell.kind == CellKind::Across { (HALF, 0) } else { (0, HALF) };
            let colour = if taken { INK } else { LINE };
            let wide = if taken { 3 } else { 1 };
            let _ = write!(
                svg,
                "<path d=\"M{} {}L{} {}\" stroke=\"{colour}\" stroke-width=\"{wide}\"/>",
                x - dx,
                y - dy,
                x + dx,
                y + dy
            );
            return;
        }
        CellKind::Place => {}
    }
    let side = 2 * HALF - 2;
    let _ = match board.shape {
        Shape::Points | Shape::Hexagons | Shape::Pits => {
            let r = if board.shape == Shape::Points { 5 } else { HALF - 1 };
            write!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" fill=\"{BOARD}\" stroke=\"{LINE}\"/>")
        }
        Shape::Towers | Shape::Heaps => Ok(()),
        Shape::Grid | Shape::Lines => {
            // Every second cell of a board is darker.
            let shade = if (cell.x / 2 + cell.y / 2) % 2 == 0 { ".55" } else { "1" };
            write!(
                svg,
                "<rect x=\"{}\" y=\"{}\" width=\"{side}\" height=\"{side}\" fill=\"{BOARD}\" stroke=\"{LINE}\" fill-opacity=\"{shade}\"/>",
                x - HALF + 1,
                y - HALF + 1
            )
        }
    };
    if let Some(ground) = cell.ground.as_ref().filter(|_| !taken) {
        let _ = write!(
            svg,
            "<text x=\"{x}\" y=\"{y}\" dy=\".35em\" fill=\"{INK}\" opacity=\".5\">{}</text>",
            escaped(&short(ground))
        );
    }
    if let Some(thing) = cell.things.first() {
        put(svg, thing, (x, y));
    }
}

/// One thing in the middle of a cell.
fn put(svg: &mut String, thing: &Thing, (x, y): (i32, i32)) {
    if let Some((glyph, fill, line)) = glyph(&thing.name) {
        let _ = write!(
            svg,
            "<text x=\"{x}\" y=\"{y}\" dy=\".35em\" font-size=\"32\" fill=\"{fill}\" stroke=\"{line}\" paint-order=\"stroke\" \
             stroke-width=\"2\">{glyph}</text>"
        );
        return;
    }
    let fill = match thing.side {
        Some(side) if side % 2 == 0 => "var(--first,#4472a8)",
        Some(_) => "var(--second,#b8504f)",
        None => BOARD,
    };
    let ink = if thing.side.is_some() { "#fff" } else { INK };
    let half = thing.size.map_or(14, |size| 6 + 2 * i32::try_from(size).unwrap_or(7).min(7));
    let _ = write!(
        svg,
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"28\" rx=\"14\" fill=\"{fill}\" stroke=\"{INK}\"/><text x=\"{x}\" y=\"{y}\" dy=\".35em\" fill=\"{ink}\">{}</text>",
        x - half,
        y - 14,
        2 * half,
        escaped(&short(&thing.name))
    );
}

/// A name of at most three letters.
fn short(name: &str) -> String {
    if name.chars().count() <= 3 { name.to_string() } else { name.chars().take(1).collect() }
}

/// The sign of a chess man with its colours, by its name in rulesheets: `wk`, `bq`. White men are the same signs in white: on a dark page
/// signs that are only outlined would look like black men.
fn glyph(name: &str) -> Option<(char, &'static str, &'static str)> {
    let (side, kind) = name.split_at_checked(1)?;
    let at = ["k", "q", "r", "b", "n", "p"].iter().position(|letter| *letter == kind)? as u32;
    let sign = char::from_u32(0x265a + at)?;
    match side {
        "w" => Some((sign, "#fff", "#222")),
        "b" => Some((sign, "#222", "#eee")),
        _ => None,
    }
}
