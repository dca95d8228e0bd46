//! Practising a plan on the page: a won position, the person's moves judged by the sentences of the plan, the replies of the other side.
//!
//! Nothing is kept from one move to the next: a position is a line of text that the page sends back, so that every position has an address, and so are
//! the positions that were there before it. What takes
//! long, the tables of an ending or the list of all positions of a game, is made once for a plan.

use crate::clicks::ways;
use crate::games::{Game, Games};
use crate::scene::{self, Scene};
use agent::Opening;
use agent::plans::drill::{Choice, Drill, Told, ending_at};
use agent::plans::{self, GameWords, ground};
use anyhow::{Context, Result, bail};
use game::Cancel;
use game::random::Rng;
use machine::State;
use plan::guide::{EndingAt, EndingField, GameField, Guide};
use plan::world::Kind;
use plan::{Plan, Subject, stages};
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;
use table::chess::{Material, Metric, Tables};

/// What a person may be told of a plan that cannot be followed.
const UNFIT: &str = "the plan cannot be followed; build it again";
/// Replies in a row after which something is wrong.
const MOST_REPLIES: usize = 8;

/// A plan, and what it stands on.
pub struct Practice {
    plan: Plan,
    game: Arc<Game>,
    ground: Ground,
}

/// What a plan stands on.
enum Ground {
    /// The tables of an ending.
    Ending(Material, Metric, Arc<Tables>),
    /// All positions of a game.
    Game(Box<ground::Listing>),
}

/// What a person wants.
pub enum Wish<'a> {
    /// A position that is won, drawn by this seed.
    Draw(u64),
    /// To see a position.
    See(&'a str),
    /// To make a move there, in a game in which these positions were there.
    Move(&'a str, &'a str, &'a [String]),
}

/// A position as the page gets it.
#[derive(Serialize)]
pub struct Lesson {
    /// What the plan is called.
    pub title: String,
    /// Who has the plan.
    pub side: String,
    /// Its sentences.
    pub sentences: Vec<String>,
    /// What their words mean.
    pub meanings: Vec<(String, String)>,
    /// Its stages with their tree and sums, and its sums by cases, where it has any.
    pub stages: Option<stages::told::Told>,
    /// See `stages`.
    pub cases: Option<Vec<stages::told::CaseTold>>,
    /// The position in one line.
    pub at: String,
    /// As the page draws it; the moves are those of the person.
    pub scene: Scene,
    /// `ours`, `won` or `over`.
    pub state: &'static str,
    /// What the plan would do.
    pub hint: Option<String>,
    /// The plan's move.
    pub best: Option<String>,
    /// What is said of the move that was made, and whether it broke the plan.
    pub said: Option<(String, bool)>,
    /// What the other side replied.
    pub replies: Vec<String>,
    /// The positions that were there, where the plan has a rule about them: to be sent back with the next move.
    pub seen: Vec<String>,
}

impl Practice {
    /// Gets a plan ready. For an ending without tables this builds them.
    ///
    /// # Errors
    /// When there is no such plan, or it cannot be followed any more.
    pub fn open(name: &str, tables: &Path, games: &Games, cancel: &Cancel) -> Result<Practice> {
        let plan = plans::read(&plans::path(tables, name))?;
        let (sheet, rules) = plans::rules_of(&plan, None)?;
        let ground = match (plans::ending(&plan)?, &plan.subject) {
            (Some((material, metric)), _) => {
                let tables = ground::tables(material, metric, Some(tables), None, cancel, &mut |_, _| {})?;
                Ground::Ending(material, metric, Arc::new(tables))
            }
            (None, Subject::Game { role, .. }) => {
                Ground::Game(Box::new(ground::listing(&sheet, &rules, Some(role), None, cancel)?))
            }
            (None, Subject::Ending { .. }) => bail!(UNFIT),
        };
        let game = games.open(sheet)?;
        Ok(Practice { plan, game, ground })
    }

    /// What a wish comes to.
    ///
    /// # Errors
    /// When there is no such position or move, or the engine comes to a limit.
    pub fn answer(&self, wish: &Wish<'_>) -> Result<Lesson> {
        match &self.ground {
            Ground::Ending(material, metric, tables) => {
                let field = EndingField::new(*material, *metric, Arc::clone(tables)).context(UNFIT)?;
                let drill = Drill::new(Guide::new(&self.plan, field).context(UNFIT)?);
                let draw = |seed: u64| -> Result<EndingAt> {
                    Ok(EndingAt::new(&ground::draw(*material, *metric, tables, &mut Rng::new(seed))?))
                };
                self.obey(drill, wish, &draw, &|line| ending_at(*material, line))
            }
            Ground::Game(listing) => {
                let ground::Listing { engine, listed } = &**listing;
                let words = GameWords::of(&self.plan, &self.game.rules, engine)?;
                let field = GameField::new(&self.plan, engine, words.role, Box::new(move |fact| words.fact(fact)));
                let drill = Drill::new(Guide::new(&self.plan, field.context(UNFIT)?).context(UNFIT)?);
                let draw = |seed: u64| -> Result<State> {
                    let world = &listed.world;
                    let won: Vec<u32> = world.won().collect();
                    let far: Vec<u32> = won.iter().copied().filter(|&node| world.level(node) > Some(2)).collect();
                    let from = if far.is_empty() { won } else { far };
                    let node = *from.get(Rng::new(seed).below(from.len().max(1))).context("nothing can be won")?;
                    Ok(listed.states[node as usize].clone())
                };
                let read =
                    |line: &str| -> Result<State> { Ok(Opening::from_facts(line)?.open(engine)?.state().clone()) };
                self.obey(drill, wish, &draw, &read)
            }
        }
    }

    fn obey<F: Told>(
        &self,
        mut drill: Drill<'_, F>,
        wish: &Wish<'_>,
        draw: &dyn Fn(u64) -> Result<F::At>,
        read: &dyn Fn(&str) -> Result<F::At>,
    ) -> Result<Lesson> {
        let (mut at, said, mut replies, mut before) = match *wish {
            Wish::Draw(seed) => (draw(seed)?, None, Vec::new(), None),
            Wish::See(line) => (read(line)?, None, Vec::new(), None),
            Wish::Move(line, wanted, seen) => {
                let at = read(line)?;
                if self.plan.avoid.is_some() {
                    drill.seen = seen.iter().map(|line| read(line)).collect::<Result<_>>()?;
                }
                let choice = drill.choice(&at)?.context("there is nothing to decide in this position")?;
                let made = choice.names.iter().position(|name| name == wanted);
                let made = made.with_context(|| format!("there is no legal move {wanted:?}"))?;
                let (to, words) = drill.judge(&choice, made);
                (to, Some((words, drill.broken > 0)), Vec::new(), Some(at))
            }
        };
        for _ in 0..MOST_REPLIES {
            if drill.guide.field.kind(&at)? != Kind::Theirs {
                break;
            }
            let Some((reply, to)) = drill.reply(&at)? else { break };
            replies.push(reply);
            before = Some(std::mem::replace(&mut at, to));
        }
        self.view(&mut drill, &at, before.as_ref(), said, replies)
    }

    fn view<F: Told>(
        &self,
        drill: &mut Drill<'_, F>,
        at: &F::At,
        before: Option<&F::At>,
        said: Option<(String, bool)>,
        replies: Vec<String>,
    ) -> Result<Lesson> {
        let plan = &self.plan;
        let state = match drill.guide.field.kind(at)? {
            Kind::Won => "won",
            Kind::Ours => "ours",
            Kind::Theirs | Kind::Failed | Kind::Unused => "over",
        };
        let choice = if state == "ours" { drill.choice(at)? } else { None };
        let field = &drill.guide.field;
        let facts = field.facts(plan, at);
        let old = before.map(|before| field.facts(plan, before));
        let moves = choice.as_ref().map(|choice| self.moves(field, &facts, choice)).unwrap_or_default();
        let side = match &plan.subject {
            Subject::Game { role, .. } => role.clone(),
            Subject::Ending { .. } => "white".to_string(),
        };
        Ok(Lesson {
            title: plan.title(),
            side,
            sentences: plan.brief(),
            meanings: plan.meanings(),
            // They stay the same: whoever makes a move has them.
            stages: plan.stages.as_ref().filter(|_| said.is_none()).map(|stages| stages.told(&plan.board)),
            cases: plan.cases.as_ref().filter(|_| said.is_none()).map(|cases| cases.told(&plan.board)),
            at: field.line(at),
            scene: scene::still(&self.game, &facts, old.as_deref(), moves),
            state,
            hint: choice.as_ref().map(Choice::hint),
            best: choice.as_ref().map(|choice| choice.names[choice.best()].clone()),
            said,
            replies,
            seen: drill.seen.iter().map(|seen| drill.guide.field.line(seen)).collect(),
        })
    }

    /// The moves of the person, and how they are entered on the board.
    fn moves<F: Told>(&self, field: &F, facts: &[String], choice: &Choice<F>) -> Vec<scene::OneMove> {
        let picture = self.game.layout.picture(facts, None);
        let cells: Vec<String> = choice.ways().iter().map(|way| field.cells(&way.step)).collect();
        let after = |at: usize| {
            let to = field.facts(&self.plan, &choice.ways().get(at)?.to);
            Some(self.game.layout.picture(&to, None))
        };
        let ways = ways("", &cells, &picture, &after);
        choice.names.iter().zip(ways).map(|(name, way)| scene::OneMove { text: name.clone(), way }).collect()
    }
}
