//! The mind behind `ludens ugi`: any two-player game in turn, with any player of this program.
//!
//! A position is the start of the game, facts in KIF, or a FEN where the game is chess. Moves are read as people write them and
//! written as short as they can be understood. What nobody has a choice about is played by itself, and
//! need not be written.

use crate::alarm::{Alarm, Allowance};
use crate::command::{Go, Query};
use crate::conversation::{Answer, Mind};
use crate::glance;
use agent::notation::{Meaning, loose, understand};
use agent::searcher::{Knowledge, searcher};
use agent::{Opening, PlayerSpec, Position, opening};
use anyhow::{Context, Result, bail, ensure};
use game::{Cancel, Game, Move, Names, Role, roles};
use machine::Engine;
use search::{Budget, Found, Monitor, Searcher};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// How often thoughts are told.
const EVERY: Duration = Duration::from_millis(200);
/// How long each side gets ready.
const READY: Duration = Duration::from_secs(1);
/// How often those who wait look whether they should.
const LOOK: Duration = Duration::from_millis(5);
/// The options, as they are announced, and the settings of players that they are.
const OPTIONS: [(&str, &str, &str); 3] = [
    ("Hash", "memory", "type spin default 256 min 1 max 1048576"),
    ("Threads", "threads", "type spin default 1 min 1 max 256"),
    ("Seed", "seed", "type spin default 1 min 0 max 2147483647"),
];

/// See the module.
pub struct AnyGame {
    /// What the game is called in the library, for its FEN.
    name: String,
    engine: Engine,
    knowledge: Arc<Knowledge>,
    spec: PlayerSpec,
    searchers: Vec<Box<dyn Searcher<Engine>>>,
    /// They have had their time to get ready.
    is_ready: bool,
    position: Position,
    /// Moves since the position was set anew: another seed for each.
    plies: u64,
    /// Milliseconds that are lost on the way.
    overhead: u64,
}

impl AnyGame {
    /// The game of this name, played as the description says.
    ///
    /// # Errors
    /// When it is not a game for two in turn.
    pub fn new(name: &str, engine: Engine, knowledge: Arc<Knowledge>, spec: PlayerSpec) -> Result<AnyGame> {
        ensure!(engine.roles() == 2, "{name} is a game for {}: UGI is for two players in turn", engine.roles());
        ensure!(!spec.is_human(), "a person cannot be asked here");
        let position = Position::start(engine.clone());
        let mut own = AnyGame {
            name: name.to_string(),
            engine,
            knowledge,
            spec,
            searchers: Vec::new(),
            is_ready: false,
            position,
            plies: 0,
            overhead: 30,
        };
        own.begin();
        own.settle()?;
        own.turn().with_context(|| format!("{name} cannot be played here"))?;
        Ok(own)
    }

    /// Searchers that know nothing yet.
    fn begin(&mut self) {
        self.searchers = roles(&self.engine).map(|_| searcher(&self.spec, &self.engine, &self.knowledge)).collect();
        self.is_ready = false;
    }

    /// Plays on until somebody has a choice, or the game is over.
    fn settle(&mut self) -> Result<()> {
        opening::settle(&mut self.position)
    }

    /// Who has a choice; `None` where nobody has, and an error where both have.
    fn turn(&mut self) -> Result<Option<Role>> {
        let mut found = None;
        for role in roles(&self.engine) {
            if self.position.legal(role)?.len() > 1 && found.replace(role).is_some() {
                bail!("both players move at once here; UGI is for games in turn");
            }
        }
        Ok(found)
    }

    fn go_to(&mut self, start: Option<&str>, moves: &str) -> Result<()> {
        let opening = match start {
            None => Opening::Start,
            Some(facts) if facts.starts_with('(') => Opening::from_facts(facts)?,
            Some(fen) => Opening::from_fen(fen, &self.name)?,
        };
        let mut position = opening.open(&self.engine)?;
        let moves = match Opening::from_moves(moves) {
            Opening::Moves(moves) => moves,
            Opening::Start | Opening::Facts(_) => Vec::new(),
        };
        opening::follow(&mut position, &moves)?;
        self.plies = moves.len() as u64;
        self.position = position;
        self.settle()
    }

    /// A legal move, written as short as it can be understood.
    fn written(&mut self, role: Role, mv: Move) -> String {
        let legal = self.position.legal(role).unwrap_or_default();
        let texts: Vec<String> = legal.iter().map(|&mv| self.engine.move_text(mv)).collect();
        let Some(at) = legal.iter().position(|&other| other == mv) else { return self.engine.move_text(mv) };
        written(at, &texts)
    }

    /// A line of thought.
    fn info(&mut self, role: Role, found: &Found, began: Instant) -> String {
        let seconds = began.elapsed().as_secs_f64();
        let states = found.nodes + found.playouts;
        let mut line = format!(
            "info depth {} score cp {} nodes {states} nps {} time {}",
            found.depth,
            points(found.value),
            (states as f64 / seconds.max(1e-3)) as u64,
            (seconds * 1000.0) as u64
        );
        if let Some(mv) = found.mv {
            line += &format!(" pv {}", self.written(role, mv));
        }
        line
    }

    /// Searches for a role; `tell` hears lines of thought.
    fn search(&mut self, role: Role, go: &Go, alarm: &Alarm, tell: &mut dyn FnMut(String)) -> Option<Found> {
        let began = Instant::now();
        let depth = go.depth.or(go.mate.map(|moves| moves.saturating_mul(2)));
        let spent = || alarm.spent();
        let seed = self.spec.seed.unwrap_or(1).wrapping_add(self.plies);
        let limits = self.spec.budget(&spent, seed);
        let budget = Budget { nodes: go.nodes.or(limits.nodes), seed, ..limits };
        tell_of_limits(go, tell);
        let monitor = Monitor::new();
        let mut searcher = self.searchers.remove(usize::from(role.0));
        let (engine, state) = (self.engine.clone(), self.position.state().clone());
        let found = thread::scope(|scope| {
            let thread = scope.spawn(|| searcher.search(&engine, &state, role, &budget, &monitor));
            let (mut told, mut last) = (Instant::now(), String::new());
            while !thread.is_finished() {
                thread::sleep(LOOK);
                let is_time = told.elapsed() >= EVERY;
                let Some(found) = (if is_time || depth.is_some() { monitor.snapshot() } else { None }) else {
                    continue;
                };
                if depth.is_some_and(|depth| found.depth >= depth) {
                    alarm.cancel.cancel();
                }
                let line = self.info(role, &found, began);
                if is_time && line != last {
                    (told, last) = (Instant::now(), line.clone());
                    tell(line);
                }
            }
            thread.join().ok().and_then(Result::ok)
        });
        self.searchers.insert(usize::from(role.0), searcher);
        if let Some(found) = &found {
            tell(self.info(role, found, began));
        }
        found
    }

    /// The best of the moves that were asked for.
    fn best(&mut self, role: Role, found: Option<&Found>, go: &Go, tell: &mut dyn FnMut(String)) -> Option<Move> {
        let legal = self.position.legal(role).unwrap_or_default();
        let mut wanted = self.wanted(&legal, &go.only, tell);
        if wanted.is_empty() {
            wanted.clone_from(&legal);
        }
        match found.filter(|found| !self.is_blind(found)) {
            None => glance::best(&self.engine, self.position.state(), role, &wanted).or(legal.first().copied()),
            Some(found) if wanted.len() == legal.len() => found.mv.or(legal.first().copied()),
            Some(found) => {
                let value = |mv: &Move| found.moves.iter().find(|choice| choice.mv == *mv).map_or(0.0, |own| own.value);
                wanted.into_iter().max_by(|a, b| value(a).total_cmp(&value(b)))
            }
        }
    }

    /// The moves of these names; what is none is told.
    fn wanted(&self, legal: &[Move], only: &[String], tell: &mut dyn FnMut(String)) -> Vec<Move> {
        let texts: Vec<String> = legal.iter().map(|&mv| self.engine.move_text(mv)).collect();
        let mut wanted = Vec::new();
        for text in only {
            match understand(text, &texts) {
                Meaning::One(at) => wanted.push(legal[at]),
                Meaning::Several(_) => tell(format!("info string searchmoves: {text:?} means several moves")),
                Meaning::Unknown => tell(format!("info string searchmoves: there is no legal move {text:?}")),
            }
        }
        wanted
    }

    /// Whether somebody who searches has seen nothing yet: the time was over too soon.
    fn is_blind(&self, found: &Found) -> bool {
        let searches = self.spec.thinks() && self.spec.method.program().is_none();
        let has_seen = found.depth > 0 || found.playouts > 0 || found.proven;
        searches && !has_seen
    }
}

/// What is asked for and cannot be kept to the letter is told: searchers look at all moves and have no common idea of depth.
fn tell_of_limits(go: &Go, tell: &mut dyn FnMut(String)) {
    if !go.only.is_empty() {
        tell("info string searchmoves: all moves are searched, and the best of these is played".to_string());
    }
    if go.depth.is_some() || go.mate.is_some() {
        tell("info string the search ends soon after this depth, and may show more".to_string());
    }
    if go.nodes.is_some() {
        tell("info string nodes are shared out among searchers, which count them roughly".to_string());
    }
}

/// A reward from 0 to 100 as hundredths of a pawn, for those who want such numbers: four pawns are ten to one.
fn points(value: f32) -> i32 {
    let part = (value / 100.0).clamp(0.000_01, 0.999_99);
    (400.0 * (part / (1.0 - part)).log10()) as i32
}

/// A short way to write a move, without spaces: the places in it alone, all that follows its first word, or the whole name; the first of
/// these that means this move and no other.
fn written(at: usize, texts: &[String]) -> String {
    let name = loose(&texts[at]);
    let words: Vec<&str> = name.split(' ').collect();
    let is_place = |word: &&&str| word.len() == 1 || word.bytes().all(|byte| byte.is_ascii_digit());
    let places = words.iter().rev().take_while(is_place).count();
    let rest = words.get(1..).unwrap_or_default();
    let whole = if rest.is_empty() { name.clone() } else { format!("{}({})", words[0], rest.join(",")) };
    let ways = [words[words.len() - places..].concat(), rest.concat(), whole];
    let is_meant = |text: &String| !text.is_empty() && understand(text, texts) == Meaning::One(at);
    ways.into_iter().find(is_meant).unwrap_or(name)
}

impl Mind for AnyGame {
    fn hello(&self) -> Vec<String> {
        let mut lines = vec![format!("id name Ludens ({})", self.name), "id author the Ludens project".to_string()];
        lines.push(format!("option name Player type string default {}", self.spec));
        lines.extend(OPTIONS.iter().map(|(name, _, how)| format!("option name {name} {how}")));
        lines.push("option name Move Overhead type spin default 30 min 0 max 5000".to_string());
        lines.push("option name Ponder type check default false".to_string());
        lines
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let wrong = |error: anyhow::Error| format!("option {name}: {error:#}");
        match name.to_lowercase().as_str() {
            "ponder" => return Ok(()),
            "move overhead" => {
                self.overhead = value.parse().map_err(|_| format!("option {name}: {value:?} is no number"))?;
                return Ok(());
            }
            "player" => {
                let spec: PlayerSpec = value.parse().map_err(wrong)?;
                if spec.is_human() || matches!(spec.method, agent::Method::Remote { .. }) {
                    return Err(format!("option {name}: {spec} cannot be asked here"));
                }
                self.spec = spec;
            }
            other => {
                let Some((_, setting, _)) = OPTIONS.iter().find(|(name, ..)| name.eq_ignore_ascii_case(other)) else {
                    return Err(format!("there is no option {name:?}"));
                };
                self.spec = self.spec.with(&[(setting, value.to_string())]).map_err(wrong)?;
            }
        }
        self.begin();
        Ok(())
    }

    fn new_game(&mut self) {
        self.begin();
    }

    /// Who counts states or games gets ready with the first move, so that the clock changes nothing.
    fn get_ready(&mut self, cancel: &Cancel) {
        let is_counted = self.spec.limits.nodes.is_some() || self.spec.limits.playouts.is_some();
        let has_choice = matches!(self.turn(), Ok(Some(_)));
        if self.is_ready || is_counted || !has_choice || !self.spec.prepares() {
            return;
        }
        self.is_ready = true;
        let state = self.position.state().clone();
        for (role, searcher) in roles(&self.engine).zip(&mut self.searchers) {
            let began = Instant::now();
            let part = || began.elapsed().as_secs_f32() / READY.as_secs_f32();
            let spent = || if cancel.is_cancelled() { 2.0 } else { part() };
            let seed = self.spec.seed.unwrap_or(1);
            let budget = Budget { seconds: Some(READY.as_secs_f32()), ..self.spec.budget(&spent, seed) };
            // A limit on the way does not keep anybody from playing.
            let _ = searcher.prepare(&self.engine, &state, role, &budget);
        }
    }

    fn place(&mut self, start: Option<&str>, moves: &str) -> Result<(), String> {
        self.go_to(start, moves).map_err(|error| format!("position: {error:#}"))
    }

    fn allowance(&self, go: &Go) -> Option<Allowance> {
        let mut position = Position::new(self.engine.clone(), self.position.state().clone());
        let mut choosing = roles(&self.engine).filter(|&role| position.legal(role).is_ok_and(|legal| legal.len() > 1));
        Allowance::new(go, choosing.next().map_or(0, |role| role.0.into()), self.overhead)
    }

    fn think(&mut self, go: &Go, alarm: &Alarm, tell: &mut dyn FnMut(String)) -> Answer {
        let role = match self.turn() {
            Ok(Some(role)) => role,
            Ok(None) => return Answer::default(),
            Err(error) => {
                tell(format!("info string {error:#}"));
                return Answer::default();
            }
        };
        let found = self.search(role, go, alarm, tell);
        let best = self.best(role, found.as_ref(), go, tell);
        Answer { best: best.map(|mv| self.written(role, mv)), ponder: None }
    }

    fn perft(&mut self, depth: u32, alarm: &Alarm, _: &mut dyn FnMut(String)) -> String {
        let mut go_on = |_| !alarm.is_over();
        match game::perft::perft_from(&self.engine, self.position.state(), depth as usize, &mut go_on) {
            Ok(counts) => format!("nodes {}", counts.last().map_or(0, |count| count.nodes)),
            Err(limit) => format!("info string {limit}"),
        }
    }

    fn query(&mut self, query: Query) -> Result<String, String> {
        let wrong = |error: anyhow::Error| format!("query: {error:#}");
        let is_over = self.position.is_over().map_err(|limit| limit.to_string())?;
        Ok(match query {
            Query::GameOver => is_over.to_string(),
            Query::FirstToMove => (self.turn().map_err(wrong)? == Some(Role(0))).to_string(),
            Query::Result if !is_over => "none".to_string(),
            Query::Result => match self.position.goals().map_err(|limit| limit.to_string())?[..] {
                [first, second] if first > second => "p1win".to_string(),
                [first, second] if first < second => "p2win".to_string(),
                _ => "draw".to_string(),
            },
        })
    }

    fn show(&mut self) -> String {
        let mut facts = self.position.facts();
        facts.sort();
        facts.join(" ")
    }

    fn evaluate(&mut self) -> String {
        let goals = self.position.goals().unwrap_or_default();
        let names = game::role_names(&self.engine);
        let goal = |goal: &Option<game::Goal>| goal.map_or("-".to_string(), |goal| goal.to_string());
        let each: Vec<String> = names.iter().zip(&goals).map(|(name, own)| format!("{name} {}", goal(own))).collect();
        format!("the rules give as goals here: {}", each.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_written_so_that_they_are_understood() {
        for texts in [
            &["(mark 1 1)", "(mark 1 2)", "(mark 2 1)"][..],
            &[
                "(move wp e 2 e 4)",
                "(move wn g 1 f 3)",
                "(promote wq e 7 e 8)",
                "(promote wn e 7 e 8)",
                "(castle kingside)",
            ],
            &["(take a 1)", "(take a 2)", "(take b 1)", "noop"],
            &["(a (b c) d)", "(a (b d) d)", "pass"],
            &["(walk 1 11)", "(walk 11 1)"],
        ] {
            let texts: Vec<String> = texts.iter().map(|text| text.to_string()).collect();
            for at in 0..texts.len() {
                let text = written(at, &texts);
                assert_eq!(understand(&text, &texts), Meaning::One(at), "{text} for {}", texts[at]);
                assert!(!text.contains(' '), "{text}");
            }
        }
        let chess: Vec<String> = ["(move wp e 2 e 4)", "(move wn g 1 f 3)"].map(String::from).to_vec();
        assert_eq!(written(0, &chess), "e2e4");
    }

    #[test]
    fn rewards_become_points() {
        assert_eq!(points(50.0), 0);
        assert!(points(100.0) > 1500 && points(0.0) < -1500 && points(60.0) > 50);
    }
}
