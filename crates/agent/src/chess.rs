//! The engine for chess as a player of rules: where the rules are those of one of the library's chess rulesheets, in any words
//! and any order, the position is translated, the native game is searched, and the move is translated back.
//!
//! Where the rules are another game the default player plays in its place, and an event says so if the engine was asked for.

use crate::event::Event;
use crate::oracles::translated_twin;
use crate::searcher::Knowledge;
use crate::spec::{ChessSpec, PlayerSpec};
use ::chess::weights::Weights;
use ::chess::{Engine as ChessEngine, Info, Limits, Settings};
use anyhow::{Context, Result as Fallible};
use game::{Game, Limit, Move, Names, Role};
use gdl::{Renaming, Rules};
use machine::{Engine, State};
use native::chess::{Chess, Position, Sheet, Step};
use search::{Budget, Choice, Found, Monitor, PortfolioSettings, Searcher, duel, first_moves};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use table::chess::Metric;
use table::store::Store;

/// Bytes of tables that may be in memory.
const TABLES: usize = 768 << 20;

/// The longest file of weights that is read, in bytes.
const MOST_WEIGHTS: u64 = 1 << 20;

/// The weights built in, and those of a file before them.
///
/// # Errors
/// When the file cannot be read or is none of weights; the message has the way out.
pub fn weights(file: Option<&Path>) -> Fallible<Arc<Weights>> {
    let mut weights = Weights::built_in();
    if let Some(file) = file {
        let text = platform::folders::text(file, MOST_WEIGHTS);
        let learned = text.and_then(|text| Weights::read(&text).map_err(anyhow::Error::msg));
        let wrong = || format!("{} cannot be used as weights; `ludens table weigh` makes such files", file.display());
        weights.add(learned.with_context(wrong)?);
    }
    Ok(Arc::new(weights))
}

/// How the facts and moves of some rules are said in the words of one of the library's chess rulesheets.
pub struct ChessWords {
    sheet: Sheet,
    renaming: Renaming,
    game: Chess,
}

impl ChessWords {
    /// The translation, if these rules are those of a chess rulesheet; where they begin does not matter.
    pub fn of(rules: &Rules) -> Option<ChessWords> {
        let (twin, renaming) = translated_twin(rules)?;
        let sheet = Sheet::ALL.into_iter().find(|sheet| sheet.name() == twin.game())?;
        Some(ChessWords { sheet, renaming, game: Chess::new(Position::start(), sheet) })
    }

    /// The game written by hand that the rules are equal to; where it begins means nothing.
    pub fn game(&self) -> &Chess {
        &self.game
    }

    /// A fact, move or role of the rules in the words of the rulesheet; `None` for what they do not have.
    pub fn to_sheet(&self, text: &str) -> Option<String> {
        self.renaming.text_forth(text).ok()
    }

    /// And the other way.
    pub fn from_sheet(&self, text: &str) -> Option<String> {
        self.renaming.text_back(text).ok()
    }

    /// The position of a state, given its facts; `None` where it is none that a game can lead to.
    pub fn position(&self, facts: &[String]) -> Option<Position> {
        let facts: Option<Vec<String>> = facts.iter().map(|fact| self.to_sheet(fact)).collect();
        self.sheet.read(&facts?).filter(|position| position.fault().is_none())
    }

    /// What the rules call a legal move of a position.
    pub fn text(&self, position: &Position, step: &Step) -> Option<String> {
        self.from_sheet(&self.game.move_text(Chess::number(position.turn, step)))
    }

    /// The legal moves of a position, with what the rules call them.
    pub fn legal(&self, position: &Position) -> Vec<(Step, String)> {
        position.legal().into_iter().filter_map(|step| Some((step, self.text(position, &step)?))).collect()
    }

    /// The native position of a state, and for each of the mover's legal moves the native one; `None` where it is no position
    /// of chess, or somebody else is on move.
    fn place(&self, engine: &Engine, state: &State, legal: &[Move]) -> Option<(Position, HashMap<Step, Move>)> {
        let position = self.position(&engine.facts(state))?;
        let native = self.legal(&position);
        let steps: HashMap<&str, Step> = native.iter().map(|(step, text)| (text.as_str(), *step)).collect();
        let pair = |&mv: &Move| Some((*steps.get(engine.move_text(mv).as_str())?, mv));
        let moves: HashMap<Step, Move> = legal.iter().map(pair).collect::<Option<_>>()?;
        // As many here as there, and each of them one of these: the same moves.
        (moves.len() == steps.len() && legal.len() == steps.len()).then_some((position, moves))
    }
}

/// The engine, and who plays where it cannot; see the module.
pub struct Played {
    knowledge: Arc<Knowledge>,
    spec: ChessSpec,
    /// As it was asked for; `None` if it is only offered, and nobody misses it where it cannot play.
    name: Option<String>,
    other: Box<dyn Searcher<Engine>>,
    /// It was said that somebody else plays.
    has_told: bool,
    engine: Option<ChessEngine>,
}

impl Played {
    /// The engine as it was asked for; `other` plays other games.
    pub fn named(
        spec: &PlayerSpec,
        own: &ChessSpec,
        knowledge: &Arc<Knowledge>,
        other: Box<dyn Searcher<Engine>>,
    ) -> Played {
        let (knowledge, spec, name) = (Arc::clone(knowledge), own.clone(), Some(spec.to_string()));
        Played { knowledge, spec, name, other, has_told: false, engine: None }
    }

    /// The engine where the game is chess; everywhere else `other`.
    pub fn offered(threads: Option<usize>, knowledge: &Arc<Knowledge>, other: Box<dyn Searcher<Engine>>) -> Played {
        let spec = ChessSpec { threads, ..ChessSpec::default() };
        Played { knowledge: Arc::clone(knowledge), spec, name: None, other, has_told: false, engine: None }
    }

    /// Whether the game is chess.
    fn is_chess(&mut self) -> bool {
        let is_chess = self.knowledge.chess_words().is_some();
        if let (false, false, Some(player)) = (is_chess, self.has_told, self.name.clone()) {
            self.has_told = true;
            let why = "the game is not chess".to_string();
            self.knowledge.events.tell(&Event::StandIn { player, why });
        }
        is_chess
    }

    /// The engine. Offered, it has all processors, as the other searchers of the default player; but one where states are counted, so that
    /// the same number of them gives the same move.
    fn engine(&mut self, memory: usize, is_counted: bool) -> &mut ChessEngine {
        let usual = if self.name.is_some() || is_counted { 1 } else { PortfolioSettings::default().threads };
        let Knowledge { tables: folder, events, .. } = &*self.knowledge;
        let (spec, folder) = (&self.spec, folder.as_deref());
        self.engine.get_or_insert_with(|| {
            let tables = folder.filter(|folder| folder.is_dir());
            let tables = tables.map(|folder| Arc::new(Store::new(folder).chess_within(Metric::Mate, TABLES)));
            let threads = spec.threads.unwrap_or(usual);
            let search = duel::Settings { memory: memory / 2, threads, ..duel::Settings::default() };
            let parts = spec.parts.as_ref().map_or_else(Vec::new, |parts| parts.0.clone());
            let engine = ChessEngine::new(Settings { search, judge: spec.judge.judge(), parts }, tables);
            match weights(spec.weights.as_deref()) {
                Ok(weights) => engine.with_weights(weights),
                Err(error) => {
                    events.tell(&Event::WeightsRefused { why: format!("{error:#}") });
                    engine
                }
            }
        })
    }
}

/// A score on the scale of goals: only ends are 0 or 100.
fn value(info: &Info) -> f32 {
    1.0 + 98.0 * info.score.chance() as f32
}

impl Searcher<Engine> for Played {
    fn search(
        &mut self,
        game: &Engine,
        state: &State,
        role: Role,
        budget: &Budget<'_>,
        monitor: &Monitor,
    ) -> Result<Found, Limit> {
        if !self.is_chess() {
            return self.other.search(game, state, role, budget, monitor);
        }
        let legal = first_moves(game, state, role, &mut game.view(), monitor)?;
        if legal.len() < 2 {
            let found = Found { mv: legal.first().copied(), value: 50.0, ..Found::default() };
            monitor.finish(&found);
            return Ok(found);
        }
        let place = self.knowledge.chess_words().and_then(|words| words.place(game, state, &legal));
        let Some((position, moves)) = place else {
            return self.other.search(game, state, role, budget, monitor);
        };
        let depth = self.spec.depth;
        let nodes = budget.nodes.or(budget.playouts);
        let engine = self.engine(budget.memory, nodes.is_some());
        engine.set_position(position, &[]);
        let limits = Limits { depth, nodes, spent: budget.spent, ..Limits::default() };
        let best = engine.search(&limits, &mut |info| {
            let mv = info.moves.first().and_then(|step| moves.get(step));
            if let Some(&mv) = mv {
                monitor.set_best(mv, value(info));
            }
        });
        let mv = best.mv.and_then(|step| moves.get(&step).copied()).or(legal.first().copied());
        let info = best.lines.first();
        let worth = info.map_or(50.0, value);
        let choice = |&each: &Move| {
            let is_best = Some(each) == mv;
            let (value, share) = if is_best { (worth, 1.0) } else { (0.0, 0.0) };
            Choice { mv: each, value, visits: u64::from(is_best), proven: false, share }
        };
        let found = Found {
            mv,
            value: worth,
            depth: info.map_or(0, |info| info.depth),
            nodes: info.map_or(0, |info| info.nodes),
            moves: legal.iter().map(choice).collect(),
            ..Found::default()
        };
        monitor.finish(&found);
        Ok(found)
    }

    /// Other games are got ready for; chess needs nothing before the first move.
    fn prepare(&mut self, game: &Engine, state: &State, role: Role, budget: &Budget<'_>) -> Result<(), Limit> {
        if self.is_chess() { Ok(()) } else { self.other.prepare(game, state, role, budget) }
    }

    fn about(&self) -> Option<String> {
        match self.knowledge.chess_words() {
            Some(_) => Some("the chess engine: the rules are those of chess".to_string()),
            None => self.other.about(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Events;
    use crate::searcher::searcher;
    use machine::Loader;

    /// The engine finds the mate in the words of the rules, also where those are disguised, and leaves other games alone.
    #[test]
    fn mates_in_any_words() {
        let rules = gdl::parse(library::find("krk").expect("it is there").rules).rules;
        for scramble in [None, Some(5)] {
            let disguise = play::Disguise::new(&rules, scramble);
            let sent = Arc::new(gdl::parse(disguise.rules()).rules);
            let engine = Loader::new(&sent).best().expect("it can be played").engine;
            let knowledge = Arc::new(Knowledge::new(&sent, None, &Events::ignored()));
            let words = ChessWords::of(&sent).expect("it is chess");
            let start = native::chess::Position::from_fen("k7/8/1K6/8/8/8/8/7R w - - 4 1").expect("a position");
            let facts = Chess::new(start, Sheet::Krk).facts(&start);
            let facts: Vec<String> = facts.iter().map(|fact| words.renaming.text_back(fact).expect("known")).collect();
            let state = engine.state_of(&facts.iter().map(String::as_str).collect::<Vec<_>>()).expect("a state");
            let mut view = engine.view();
            engine.look(&state, &mut view).expect("it can be looked at");
            let game::Turn::One(role) = engine.turn(&view) else { panic!("white is to move") };
            for player in ["chess:depth=4", "chess:judge=hand", "portfolio"] {
                let spec: PlayerSpec = player.parse().expect("a player");
                let mut player = searcher(&spec, &engine, &knowledge);
                let found = player.search(&engine, &state, role, &Budget::of_nodes(3000, 1), &Monitor::new());
                let found = found.expect("it can be searched");
                let mv = words.renaming.text_forth(&engine.move_text(found.mv.expect("a move")));
                assert_eq!(mv.ok().as_deref(), Some("(move wr h 1 h 8)"), "{spec}");
                assert!(found.value > 98.0 && found.nodes < 4000);
            }
        }
        let nim = Arc::new(gdl::parse(library::find("nim").expect("it is there").rules).rules);
        assert!(ChessWords::of(&nim).is_none());
    }
}
