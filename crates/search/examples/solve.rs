//! Solves the library's puzzles: `solve GAMES MS`, games by name, joined by commas (`all` for the one-player ones).

use game::{Game, Role};
use machine::PropNet;
use search::{Budget, Monitor, Searcher, puzzle::Puzzle};
use std::time::Instant;

const ALL: &str = "blocks-world,eight-puzzle,hanoi,knights-tour,lights-out,maze,peg-solitaire,queens,sokoban,sudoku";

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let names = if args[0] == "all" { ALL } else { &args[0] };
    let most: f32 = args[1].parse::<f32>().unwrap() / 1000.0;
    for name in names.split(',') {
        let path = format!("{}/../../games/{name}/rules.kif", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).expect("the game is in the library");
        let net = PropNet::new(&gdl::parse(&text).rules, machine::Budget::default()).expect("a net");
        let begin = Instant::now();
        let spent = || begin.elapsed().as_secs_f32() / most;
        let budget = Budget::timed(&spent, 1);
        let found = Puzzle::default().search(&net, &net.start(), Role(0), &budget, &Monitor::new()).unwrap();
        println!(
            "{name:16} goal {:5.1} {} in {:6.3} s, {} states, {} steps",
            found.value,
            if found.proven { "sure" } else { "open" },
            begin.elapsed().as_secs_f32(),
            found.nodes,
            found.line.len()
        );
    }
}
