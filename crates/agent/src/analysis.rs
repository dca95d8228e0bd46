//! What a search thinks of a position, in the words of the rules.

use game::{Move, Names, Role};
use machine::Engine;
use search::Found;
use serde::Serialize;

/// What a search thinks of a position; made while it runs and at its end.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Thoughts {
    /// Whose move it is about.
    pub role: String,
    /// The best move so far.
    #[serde(rename = "move")]
    pub best: Option<String>,
    /// The reward expected for the role, from 0 to 100.
    pub value: f32,
    /// Whether the value is exact.
    pub proven: bool,
    /// The depth searched, in joint moves.
    pub depth: u32,
    /// States looked at, outside of random games.
    pub nodes: u64,
    /// Random games played.
    pub playouts: u64,
    /// The joint moves expected, one for each role.
    pub line: Vec<Vec<String>>,
    /// Every legal move, best first.
    pub moves: Vec<MoveThoughts>,
}

/// What a search thinks of one move.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MoveThoughts {
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// The reward expected after it.
    pub value: f32,
    /// How often it was tried, or how many states were looked at below it.
    pub visits: u64,
    /// Whether the value is exact.
    pub proven: bool,
    /// The part of the time in which it would be chosen.
    pub share: f32,
}

impl Thoughts {
    /// Puts what was found into words.
    pub fn new(engine: &Engine, role: Role, found: &Found) -> Thoughts {
        let text = |mv: Move| engine.move_text(mv);
        let mut moves: Vec<MoveThoughts> = found
            .moves
            .iter()
            .map(|choice| MoveThoughts {
                text: text(choice.mv),
                value: choice.value,
                visits: choice.visits,
                proven: choice.proven,
                share: choice.share,
            })
            .collect();
        let best = found.mv.map(text);
        // The one that would be played comes first: among equals it need not be the one with the greatest value.
        let is_other = |mv: &MoveThoughts| Some(&mv.text) != best.as_ref();
        moves.sort_by(|a, b| {
            let by_value = b.value.total_cmp(&a.value).then(b.visits.cmp(&a.visits));
            is_other(a).cmp(&is_other(b)).then(by_value)
        });
        Thoughts {
            role: engine.role_name(role).to_string(),
            best,
            value: found.value,
            proven: found.proven,
            depth: found.depth,
            nodes: found.nodes,
            playouts: found.playouts,
            line: found.line.iter().map(|joint| joint.iter().map(|&mv| text(mv)).collect()).collect(),
            moves,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::Game;
    use search::{Budget, Monitor, Searcher};

    #[test]
    fn every_move_has_its_words() {
        let rules = gdl::parse(library::find("nim").expect("it is in the library").rules).rules;
        let engine = machine::Loader::new(&rules).best().expect("it can be played").engine;
        let mut uct = search::uct::Uct::default();
        let budget = Budget::of_playouts(2000, 1);
        let found = uct.search(&engine, &engine.start(), Role(0), &budget, &Monitor::new()).expect("no limit");
        let thoughts = Thoughts::new(&engine, Role(0), &found);
        assert_eq!(thoughts.best.as_ref(), thoughts.moves.first().map(|mv| &mv.text));
        assert_eq!(thoughts.moves.len(), found.moves.len());
        assert!(thoughts.moves[1..].is_sorted_by(|a, b| a.value >= b.value));
        assert!(serde_json::to_string(&thoughts).expect("JSON").contains("\"move\":\"(take "));
    }
}
