//! Between rules that are one of the chess rulesheets, whatever their words, and the board that chess programs know.

use crate::chess::ChessWords;
use game::{Game, Move};
use native::chess::{Chess, Position, Step};
use std::sync::Arc;

/// A game of chess that is followed in the words of the rules.
///
/// ```
/// use agent::{chess::ChessWords, program::Board};
/// let rules = gdl::parse(library::find("krk").unwrap().rules).rules;
/// let facts = ["(cell a 1 wk)", "(cell b 2 wr)", "(cell d 5 bk)", "(control white)", "(step 7)"].map(String::from);
/// let mut board = Board::new(ChessWords::of(&rules).unwrap().into(), &facts).unwrap();
/// assert!(board.is_turn("white"));
/// assert_eq!(board.text("b2b7").as_deref(), Some("(move wr b 2 b 7)"));
/// board.follow(&["(move wr b 2 b 7)".into(), "noop".into()]).unwrap();
/// assert_eq!((board.position(), &board.moves()[..]), ("8/1R6/8/3k4/8/8/8/K7 b - - 8 1", &["b2b7".to_string()][..]));
/// ```
pub struct Board {
    words: Arc<ChessWords>,
    position: Position,
    start: String,
    fen: String,
    moves: Vec<String>,
}

impl Board {
    /// The board that these facts describe, if it is one that a game can lead to.
    pub fn new(words: Arc<ChessWords>, facts: &[String]) -> Option<Board> {
        let position = words.position(facts)?;
        Some(Board { words, position, start: position.fen(), fen: position.fen(), moves: Vec::new() })
    }

    /// Where it began, as FEN.
    pub fn start(&self) -> &str {
        &self.start
    }

    /// The moves since then, in coordinates.
    pub fn moves(&self) -> &[String] {
        &self.moves
    }

    /// Where that has led, as FEN.
    pub fn position(&self) -> &str {
        &self.fen
    }

    /// Whether a role, as the rules call it, is to move.
    pub fn is_turn(&self, role: &str) -> bool {
        let name = self.words.from_sheet(self.position.turn.name());
        name.is_some_and(|name| name.eq_ignore_ascii_case(role))
    }

    /// What the rules call the move of whoever waits.
    pub fn wait(&self) -> String {
        self.words.from_sheet("noop").unwrap_or_else(|| "noop".to_string())
    }

    /// What the rules call a legal move that is given in coordinates.
    pub fn text(&self, coordinates: &str) -> Option<String> {
        let step = self.position.read_uci(coordinates).ok()?;
        self.words.text(&self.position, &step)
    }

    /// What the rules call the only legal move, if there is only one.
    pub fn only(&self) -> Option<String> {
        match &self.words.legal(&self.position)[..] {
            [(_, text)] => Some(text.clone()),
            _ => None,
        }
    }

    /// Makes the move that is among these, one for each role.
    ///
    /// # Errors
    /// When none of them is a legal move.
    pub fn follow(&mut self, joint: &[String]) -> Result<(), String> {
        let folded: Vec<Option<String>> = joint.iter().map(|text| play::text::folded(text)).collect();
        let legal = self.words.legal(&self.position);
        let made = legal.iter().find(|(_, text)| {
            let text = play::text::folded(text);
            text.is_some() && folded.contains(&text)
        });
        let Some((step, _)) = made else {
            return Err(format!("none of the moves ({}) is legal in {}", joint.join(" "), self.fen));
        };
        let (step, mover) = (*step, self.position.turn);
        self.advance(mover as usize, &step);
        Ok(())
    }

    fn advance(&mut self, mover: usize, step: &Step) {
        let game = self.words.game();
        let mut view = game.view();
        let mut joint = [Move(0); 2];
        joint[mover] = Chess::number(self.position.turn, step);
        let mut next = self.position;
        // The game written by hand knows no limits.
        let done = game.look(&self.position, &mut view).and_then(|()| game.play(&mut view, &joint, &mut next));
        debug_assert!(done.is_ok());
        self.position = next;
        self.fen = next.fen();
        self.moves.push(step.uci());
    }

    /// Goes to another state: by a move or two, if it can be reached so, otherwise the game begins there. False if it is no
    /// position of chess.
    pub fn go_to(&mut self, facts: &[String]) -> bool {
        let Some(wanted) = self.words.position(facts) else { return false };
        if wanted == self.position {
            return true;
        }
        let path = self.path(&wanted);
        match path {
            Some(steps) => steps.iter().for_each(|step| self.advance(self.position.turn as usize, step)),
            None => {
                (self.position, self.start, self.fen) = (wanted, wanted.fen(), wanted.fen());
                self.moves.clear();
            }
        }
        true
    }

    /// One or two moves that lead to a position.
    fn path(&self, wanted: &Position) -> Option<Vec<Step>> {
        let reached = |from: &Position| from.legal().into_iter().find(|step| same(&from.after(step), wanted));
        if wanted.turn != self.position.turn {
            return reached(&self.position).map(|step| vec![step]);
        }
        self.position.legal().into_iter().find_map(|first| {
            let second = reached(&self.position.after(&first))?;
            Some(vec![first, second])
        })
    }
}

/// Whether two positions are the same but for their clocks.
fn same(a: &Position, b: &Position) -> bool {
    Position { quiet: 0, ..*a } == Position { quiet: 0, ..*b }
}
