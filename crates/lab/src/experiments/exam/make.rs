//! Questions made from exact tables: positions of games that are half random and half played well, in which some moves
//! keep the value and most do not.

use super::ExamArgs;
use super::question::Question;
use agent::event::Events;
use agent::oracles::Oracles;
use agent::{EngineChoice, engines};
use anyhow::{Result, bail};
use game::random::Rng;
use game::{Cancel, Game, Move, Names, roles};
use library::load;
use machine::{Engine, State};
use std::collections::{BTreeMap, BTreeSet};
use table::oracle::Choice;
use terminal::{Answer, Out, Progress};

/// Games that are played for one question, at most.
const PATIENCE: usize = 400;
/// Moves of a game, at most.
const LONGEST: usize = 200;

/// Prints questions about the games that were asked for.
pub fn run(args: &ExamArgs, cancel: &Cancel, out: Out<'_>) -> Result<Answer> {
    let folder = platform::folders::tables(args.tables.as_ref().and_then(|folder| folder.as_deref()))?;
    let mut progress = Progress::new();
    for name in &args.make {
        let (sheet, rules) = load(name)?;
        let engine = engines::engine(EngineChoice::Auto, &sheet, &rules)?;
        let oracles = Oracles::new(Some(folder.clone()), &Events::ignored());
        if oracles.get(&rules).is_none() {
            bail!("nothing is known exactly of {name}: `ludens solve {name}` or `ludens table build` comes first");
        }
        let salt = name.bytes().fold(0u64, |sum, byte| sum.wrapping_mul(131).wrapping_add(byte.into()));
        let mut maker = Maker { engine: &engine, rng: Rng::new(args.seed.wrapping_add(salt)), been: BTreeSet::new() };
        for number in 0..args.count {
            if cancel.is_cancelled() {
                bail!("broken off");
            }
            progress.at(|seconds| format!("{name}: {number} of {} questions, {seconds:.0} s", args.count));
            let choices = |state: &State| oracles.choices(&rules, &engine, state);
            let Some(question) = maker.question(&sheet.name, &choices)? else {
                bail!("{name} has too few positions in which it matters what is done; {number} were found");
            };
            progress.wipe();
            writeln!(out, "{}", serde_json::to_string(&question)?)?;
        }
    }
    Ok(Answer::Yes)
}

/// What is known behind each move.
type Known<'a> = &'a dyn Fn(&State) -> Option<Vec<Choice<Engine>>>;

struct Maker<'a> {
    engine: &'a Engine,
    rng: Rng,
    /// Positions that were asked about.
    been: BTreeSet<Vec<String>>,
}

impl Maker<'_> {
    /// Plays games until there is a position worth asking about; of each game one of them.
    fn question(&mut self, game: &str, known: Known<'_>) -> Result<Option<Question>> {
        for _ in 0..PATIENCE {
            let mut found = Vec::new();
            let mut state = self.engine.start();
            for _ in 0..LONGEST {
                let choices = known(&state);
                if let Some(question) = choices.as_deref().and_then(|choices| self.about(game, &state, choices)) {
                    found.push(question);
                }
                let Some(next) = self.next(&state, choices)? else { break };
                state = next;
            }
            if !found.is_empty() {
                let question = found.swap_remove(self.rng.below(found.len()));
                self.been.insert(question.facts.clone());
                return Ok(Some(question));
            }
        }
        Ok(None)
    }

    /// The next state of a game: every other move is one of the best, the others are random. `None` at the end.
    fn next(&mut self, state: &State, choices: Option<Vec<Choice<Engine>>>) -> Result<Option<State>> {
        if let Some(choices) = choices
            && !choices.is_empty()
        {
            let best = choices.iter().filter(|choice| choice.best).count();
            let among = if self.rng.below(2) == 0 { best.max(1) } else { choices.len() };
            return Ok(Some(choices[self.rng.below(among)].state.clone()));
        }
        let mut view = self.engine.view();
        self.engine.look(state, &mut view)?;
        if self.engine.over(&view) {
            return Ok(None);
        }
        let (mut joint, mut legal): (Vec<Move>, Vec<Move>) = (Vec::new(), Vec::new());
        for role in roles(self.engine) {
            legal.clear();
            self.engine.legal(&view, role, &mut legal);
            if legal.is_empty() {
                return Ok(None);
            }
            joint.push(legal[self.rng.below(legal.len())]);
        }
        let mut next = state.clone();
        self.engine.play(&mut view, &joint, &mut next)?;
        Ok(Some(next))
    }

    /// The question about a position, if every move is known, at most half of them keep the value, and it is a new one.
    fn about(&self, game: &str, state: &State, choices: &[Choice<Engine>]) -> Option<Question> {
        let role = choices.first()?.role;
        let mut scores = BTreeMap::new();
        for choice in choices {
            let (low, high) = choice.verdict?.bounds(role);
            if low != high {
                return None;
            }
            scores.insert(self.engine.move_text(choice.joint[role.0 as usize]), f64::from(low));
        }
        let best = scores.values().copied().fold(f64::NEG_INFINITY, f64::max);
        let keep: Vec<String> = scores.iter().filter(|(_, score)| **score == best).map(|(mv, _)| mv.clone()).collect();
        let facts = self.engine.facts(state);
        let is_worth = 2 * keep.len() <= scores.len() && !self.been.contains(&facts);
        is_worth.then(|| Question {
            suite: game.to_string(),
            game: Some(game.to_string()),
            rulesheet: None,
            role: Some(self.engine.role_name(role).to_string()),
            role_index: None,
            facts,
            keep,
            scores: Some(scores),
        })
    }
}
