//! The default player solves the puzzles of the library within their clocks, those with a limit of steps among them.

mod support;

use support::{folder, ludens};

#[test]
fn the_default_player_solves_the_puzzles() {
    let folder = folder("puzzles");
    for game in
        ["blocks-world", "eight-puzzle", "hanoi", "knights-tour", "lights-out", "maze", "queens", "sokoban", "sudoku"]
    {
        let record = folder.join(format!("{game}.json")).display().to_string();
        let run = ludens(&["match", game, "--start", "20", "--play", "2", "--record", &record]);
        assert_eq!(run.code, 0, "{game}: {}", run.err);
        let text = std::fs::read_to_string(&record).unwrap();
        let record: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(record["goalValues"], serde_json::json!([100]), "{game}: {}", run.out);
    }
}
