//! Between rules that are those of Chinese checkers, whatever their words, and the game written by hand: states, roles and
//! moves there and back. All of it is text, and all of it happens once for a search.

use crate::oracles::renaming_to;
use game::{Game, Move, Names, Role, role_names, roles};
use gdl::{Renaming, Rules};
use machine::{Engine, State};
use native::chinese::{self, ChineseCheckers};
use search::{Choice, Found};
use std::collections::HashMap;
use table::store::{Twin, chinese_checkers};

/// How the facts and moves of some rules are said in the words of the library's `chinese-checkers`.
pub struct Words {
    renaming: Renaming,
    game: ChineseCheckers,
    /// Pieces a side: positions with others are none that the native players were made for.
    pieces: u32,
}

/// A position in both worlds.
pub(super) struct Place<'a> {
    words: &'a Words,
    engine: &'a Engine,
    state: &'a State,
    /// Who is to move, in the engine.
    mover: Role,
    /// The same in the native game.
    pub native: chinese::State,
    /// Who is to move there.
    pub role: Role,
    /// The mover's legal moves in the order of the engine: the native one, and the engine's.
    moves: Vec<(Move, Move)>,
    engine_moves: HashMap<Move, Move>,
}

impl Words {
    /// The translation, if these rules are those of the library's `chinese-checkers`; where they begin does not matter.
    pub fn of(rules: &Rules) -> Option<Words> {
        let renaming = renaming_to(rules, Twin::ChineseCheckers)?;
        let (game, spec) = chinese_checkers().ok()?;
        Some(Words { renaming, game, pieces: spec.pieces as u32 })
    }

    /// The game written by hand.
    pub fn game(&self) -> &ChineseCheckers {
        &self.game
    }

    /// A fact, move or role of the rules in the words of the native game; `None` for what they do not have.
    pub fn to_native(&self, text: &str) -> Option<String> {
        self.renaming.text_forth(text).ok()
    }

    /// And the other way.
    pub fn from_native(&self, text: &str) -> Option<String> {
        self.renaming.text_back(text).ok()
    }

    fn native_role(&self, name: &str) -> Option<Role> {
        let name = self.to_native(name)?;
        roles(&self.game).find(|&role| self.game.role_name(role) == name)
    }

    /// The position in both worlds, for the role that has these legal moves and is on move. `None` where it is none that the
    /// native players were made for: other pieces, or somebody waits.
    pub(super) fn place<'a>(
        &'a self,
        engine: &'a Engine,
        state: &'a State,
        mover: Role,
        legal: &[Move],
    ) -> Option<Place<'a>> {
        let facts = engine.facts(state);
        let facts = facts.iter().map(|fact| self.to_native(fact)).collect::<Option<Vec<String>>>()?;
        let native = self.game.state_of(&facts.iter().map(String::as_str).collect::<Vec<_>>())?;
        let role = self.native_role(engine.role_name(mover))?;
        if role.0 != native.turn || native.pieces.iter().any(|pieces| pieces.count_ones() != self.pieces) {
            return None;
        }
        let mut view = self.game.view();
        self.game.look(&native, &mut view).ok()?;
        let mut here = Vec::new();
        self.game.legal(&view, role, &mut here);
        let by_text: HashMap<String, Move> = here.iter().map(|&mv| (self.game.move_text(mv), mv)).collect();
        let pair = |&mv: &Move| {
            let text = self.to_native(&engine.move_text(mv))?;
            Some((*by_text.get(&text)?, mv))
        };
        let moves = legal.iter().map(pair).collect::<Option<Vec<_>>>()?;
        let engine_moves: HashMap<Move, Move> = moves.iter().copied().collect();
        // As many here as there, and each of them one of these: the same moves.
        let same = engine_moves.len() == here.len() && moves.len() == here.len();
        same.then_some(Place { words: self, engine, state, mover, native, role, moves, engine_moves })
    }
}

impl Place<'_> {
    /// The native game.
    pub fn game(&self) -> &ChineseCheckers {
        &self.words.game
    }

    /// The engine's move for a native one of the role on move.
    pub fn engine_move(&self, mv: Move) -> Option<Move> {
        self.engine_moves.get(&mv).copied()
    }

    /// What was found in the native game, in the words of the engine. Moves that were left out of the search are worth
    /// nothing and were never visited.
    pub fn found(&self, found: &Found) -> Found {
        let known: HashMap<Move, &Choice> = found.moves.iter().map(|choice| (choice.mv, choice)).collect();
        let choice = |&(native, mv): &(Move, Move)| match known.get(&native) {
            Some(choice) => Choice { mv, ..**choice },
            None => Choice { mv, value: 0.0, visits: 0, proven: false, share: 0.0 },
        };
        let mv = found.mv.and_then(|mv| self.engine_move(mv));
        let moves = self.moves.iter().map(choice).collect();
        Found { mv, moves, line: self.line(found), ..found.clone() }
    }

    /// The joint moves that are expected, as far as they can be followed: at least the move itself.
    fn line(&self, found: &Found) -> Vec<Vec<Move>> {
        let (engine, words) = (self.engine, self.words);
        let seats: Option<Vec<Role>> = role_names(engine).iter().map(|name| words.native_role(name)).collect();
        let Some(seats) = seats else { return Vec::new() };
        let mut steps: Vec<Vec<Option<Move>>> =
            found.line.iter().map(|joint| joint.iter().copied().map(Some).collect()).collect();
        if steps.is_empty() {
            let only = |role: Role| found.mv.filter(|_| role == self.role);
            steps.push(roles(&words.game).map(only).collect());
        }
        let mut line = Vec::new();
        let (mut state, mut view) = (self.state.clone(), engine.view());
        for step in steps {
            if engine.look(&state, &mut view).is_err() || engine.over(&view) {
                break;
            }
            let joint = roles(engine).zip(&seats).map(|(role, seat)| {
                let mut legal = Vec::new();
                engine.legal(&view, role, &mut legal);
                match (&legal[..], step.get(usize::from(seat.0)).copied().flatten()) {
                    // Whoever waits has one move.
                    ([only], _) => Some(*only),
                    (_, Some(mv)) if line.is_empty() && role == self.mover => self.engine_move(mv),
                    (_, Some(mv)) => {
                        let text = words.from_native(&words.game.move_text(mv))?;
                        engine.legal_move(&view, role, &text)
                    }
                    (_, None) => None,
                }
            });
            let Some(joint) = joint.collect::<Option<Vec<Move>>>() else { break };
            let mut next = state.clone();
            if engine.play(&mut view, &joint, &mut next).is_err() {
                break;
            }
            line.push(joint);
            state = next;
        }
        line
    }
}
