//! Small pictures of games, for lists. Those of the library are files of `pictures/`, built into the program, so that the first page is there at once; a
//! test draws them anew and compares, and people have looked at them.

use study::picture::{Layout, Use, board_svg};

/// The pictures of the library.
static KEPT: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/pictures.rs"));

/// The picture of a game of the library, as it is kept.
pub fn kept(name: &str) -> Option<&'static str> {
    KEPT.iter().find(|(own, _)| *own == name).map(|(_, svg)| svg.trim_end())
}

/// A small picture of a state; where there is no board, a sign of those who play.
pub fn thumbnail(layout: &Layout, facts: &[String], title: &str, players: usize) -> String {
    let picture = layout.picture(facts, None);
    let board = (0..picture.boards.len()).map(|at| board_svg(&picture, at, Use::Thumbnail)).find(|svg| !svg.is_empty());
    board.unwrap_or_else(|| emblem(title, players))
}

/// A picture for a game without a board: figures of those who play.
fn emblem(title: &str, players: usize) -> String {
    let colours = ["#2f6fb8", "#c9572f", "#3b8f4d", "#8250a8", "#d19a1d", "#1f8a84"];
    let count = players.clamp(1, 6);
    let wide = 44 * count + 16;
    let figures: String = (0..count)
        .map(|at| {
            let (x, colour) = (30 + 44 * at, colours[at % colours.len()]);
            format!(
                "<circle cx=\"{x}\" cy=\"34\" r=\"13\" fill=\"{colour}\"/><path d=\"M{} 86c0-26 8-36 20-36s20 10 20 36z\" fill=\"{colour}\"/>",
                x - 20
            )
        })
        .collect();
    let title = study::picture::escaped(title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} 104\" role=\"img\" aria-label=\"{title}\">{figures}</svg>"
    )
}
