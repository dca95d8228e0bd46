//! A player that follows a plan, and says which sentence of it made the move.
//!
//! It looks as many plies ahead as the plan says and no further, and goes by the goals alone. Where there is no plan for the game, or the position
//! is none of the plan's, the default player plays in its place and an event says so.

use crate::event::Event;
use crate::plans::{self, ChessWords, GameWords, successors};
use crate::searcher::Knowledge;
use crate::spec::PlayerSpec;
use game::{Game, Limit, Move, Names, Role};
use machine::{Engine, State};
use native::chess::{Colour, Position};
use plan::guide::{EndingAt, EndingField, Field, GameField, Guide, Way, Worth};
use plan::{Plan, Subject};
use search::{Budget, Choice, Found, Monitor, Searcher, first_moves, without_choice};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use table::chess::{Material, Metric, Tables};

/// See the module.
pub struct Planned {
    knowledge: Arc<Knowledge>,
    file: Option<PathBuf>,
    /// As it was asked for.
    name: String,
    other: Box<dyn Searcher<Engine>>,
    /// What there is to follow, once it was looked for.
    known: Option<Known>,
    /// The tables of smaller endings, by the men of the plan.
    tables: Vec<(Material, Metric, Arc<Tables>)>,
    /// Reasons to stand in that were told.
    told: BTreeSet<String>,
    /// What was there in this game, for plans with a rule about it.
    seen: Seen,
}

/// The position that a game began with and those that own moves led to, in the game that is followed now.
#[derive(Default)]
struct Seen {
    endings: Vec<EndingAt>,
    states: Vec<State>,
}

/// Forgets what was there if the game cannot have come from there to `at`, which is another game then.
fn follow<F: Field>(field: &mut F, seen: &mut Vec<F::At>, at: &F::At) -> Result<(), Limit> {
    let goes_on = match seen.last() {
        Some(last) => last == at || field.next(last)?.iter().any(|(_, to)| to == at),
        None => false,
    };
    if !goes_on {
        *seen = vec![at.clone()];
    }
    Ok(())
}

/// The plans that may be followed.
struct Known {
    chess: Option<ChessWords>,
    plans: Vec<Plan>,
}

/// What a plan thinks of a position.
struct Judged<'a> {
    plan: &'a Plan,
    /// Moves with what it thinks of them.
    moves: Vec<(Move, Worth)>,
    /// Its move, and the number of the sentence that makes the difference.
    choice: Option<(Move, Option<usize>)>,
}

impl Planned {
    /// Follows the plan of a file, or that of the game; `other` plays where it cannot.
    pub fn new(
        file: Option<&str>,
        spec: &PlayerSpec,
        knowledge: &Arc<Knowledge>,
        other: Box<dyn Searcher<Engine>>,
    ) -> Planned {
        Planned {
            knowledge: Arc::clone(knowledge),
            file: file.map(PathBuf::from),
            name: spec.to_string(),
            other,
            known: None,
            tables: Vec::new(),
            told: BTreeSet::new(),
            seen: Seen::default(),
        }
    }

    fn look_for_plans(&mut self) {
        if self.known.is_some() {
            return;
        }
        let rules = &self.knowledge.rules;
        let files = match (&self.file, &self.knowledge.tables) {
            (Some(file), _) => vec![file.clone()],
            (None, Some(tables)) => platform::folders::files(&plans::folder(tables), plans::ENDING),
            (None, None) => Vec::new(),
        };
        let mut found = Vec::new();
        let mut identity = None;
        let chess = ChessWords::of(rules);
        for path in files {
            let plan = match plans::read(&path) {
                Ok(plan) => plan,
                Err(error) => {
                    self.knowledge.events.tell(&Event::TableRefused { path, why: format!("{error:#}") });
                    continue;
                }
            };
            let fits = match &plan.subject {
                Subject::Ending { .. } => chess.is_some(),
                Subject::Game { identity: own, .. } => {
                    *identity.get_or_insert_with(|| gdl::identity(rules).to_string()) == *own
                }
            };
            if fits {
                found.push(plan);
            }
        }
        self.known = Some(Known { chess, plans: found });
    }

    /// The tables of the smaller endings of a plan.
    fn tables(&mut self, material: Material, metric: Metric) -> Result<Arc<Tables>, String> {
        let known = self.tables.iter().find(|(men, own, _)| *men == material && *own == metric);
        if let Some((_, _, tables)) = known {
            return Ok(Arc::clone(tables));
        }
        let folder = self.knowledge.tables.as_deref();
        let tables = plans::smaller_tables(material, metric, folder).map_err(|error| format!("{error:#}"))?;
        let tables = Arc::new(tables);
        self.tables.push((material, metric, Arc::clone(&tables)));
        Ok(tables)
    }

    /// What the plan of the position thinks of every move; the text says why there is none.
    fn judged(
        &mut self,
        game: &Engine,
        state: &State,
        role: Role,
        stop: &dyn Fn() -> bool,
    ) -> Result<Result<Judged<'_>, String>, Limit> {
        self.look_for_plans();
        let place = self.known.as_ref().and_then(|known| {
            let words = known.chess.as_ref()?;
            words.position(game, state, None)
        });
        let mut why = "there is no plan for this game (`ludens plan build` makes one)".to_string();
        if let Some(position) = place {
            match self.ending(&position) {
                Ok((at, material, metric)) => {
                    let tables = match self.tables(material, metric) {
                        Ok(tables) => tables,
                        Err(why) => return Ok(Err(why)),
                    };
                    let Some(known) = &self.known else { return Ok(Err(why)) };
                    let seen = &mut self.seen.endings;
                    return known.by_ending(at, &position, (material, metric, tables), (game, state, stop), seen);
                }
                Err(other) => why = other,
            }
        }
        let Some(known) = &self.known else { return Ok(Err(why)) };
        for plan in known.plans.iter().filter(|plan| matches!(plan.subject, Subject::Game { .. })) {
            match GameWords::of(plan, &self.knowledge.rules, game) {
                Ok(words) if words.role == role => {
                    let field = GameField::new(plan, game, role, Box::new(move |fact| words.fact(fact)));
                    if let Some(mut guide) = field.and_then(|field| Guide::new(plan, field)) {
                        let ways = guide.ways_until(state, stop)?;
                        let choice = choice(&mut guide, &ways, state, &mut self.seen.states)?;
                        let choice = choice.map(|(at, sentence)| (ways[at].step, sentence));
                        let moves = ways.into_iter().map(|way| (way.step, way.worth)).collect();
                        return Ok(Ok(Judged { plan, moves, choice }));
                    }
                }
                Ok(_) => why = format!("the plan of {} is for the other side", plans::name(plan)),
                Err(error) => why = format!("{error:#}"),
            }
        }
        Ok(Err(why))
    }

    /// Which plan is that of a position, by number.
    fn ending(&self, position: &Position) -> Result<(usize, Material, Metric), String> {
        let plans = self.known.as_ref().map_or(&[][..], |known| &known.plans);
        let (material, swapped) = Material::of(position).map_err(|error| error.to_string())?;
        for (at, plan) in plans.iter().enumerate() {
            match plans::ending(plan) {
                Ok(Some((men, metric))) if men == material && !swapped => return Ok((at, men, metric)),
                Ok(_) => {}
                Err(error) => return Err(format!("{error:#}")),
            }
        }
        let own: Vec<&str> = plans.iter().map(plans::name).collect();
        Err(match (swapped, own.is_empty()) {
            (true, _) => format!("the stronger side of {material} has the plan"),
            (false, true) => format!("there is no plan for {material} (`ludens plan build {material}` makes one)"),
            (false, false) => format!("{material} is on the board, and there are plans for {} only", own.join(", ")),
        })
    }
}

/// The plan's move among these, and the number of the sentence that tells it from the others. Where it leads to was there from now on.
fn choice<F: Field>(
    guide: &mut Guide<'_, F>,
    ways: &[Way<F>],
    at: &F::At,
    seen: &mut Vec<F::At>,
) -> Result<Option<(usize, Option<usize>)>, Limit> {
    let remembers = guide.plan().avoid.is_some();
    if remembers {
        follow(&mut guide.field, seen, at)?;
    }
    let Some((best, reason)) = guide.choice(ways, seen) else { return Ok(None) };
    if remembers {
        seen.push(ways[best].to.clone());
    }
    Ok(Some((best, guide.sentence(reason, at))))
}

impl Known {
    /// What the plan of an ending thinks of the moves of the rules.
    fn by_ending(
        &self,
        at: usize,
        position: &Position,
        (material, metric, tables): (Material, Metric, Arc<Tables>),
        (game, state, stop): (&Engine, &State, &dyn Fn() -> bool),
        seen: &mut Vec<EndingAt>,
    ) -> Result<Result<Judged<'_>, String>, Limit> {
        let plan = &self.plans[at];
        let guide = EndingField::new(material, metric, tables).and_then(|field| Guide::new(plan, field));
        let (Some(mut guide), Some(words)) = (guide, &self.chess) else {
            return Ok(Err(format!("the plan of {material} cannot be followed")));
        };
        let at = EndingAt::new(position);
        let ways = guide.ways_until(&at, stop)?;
        let best = choice(&mut guide, &ways, &at, seen)?;
        let side = words.turn(game, state).unwrap_or(Colour::White);
        let (mut moves, mut choice) = (Vec::new(), None);
        for (mv, next) in successors(game, state)? {
            let Some(after) = words.position(game, &next, Some(side)) else { continue };
            // Moves are compared by what they lead to: no two rulesheets write them alike.
            let same = |way: &Way<EndingField>| way.to.position().men == after.men;
            let Some(way) = ways.iter().position(same) else { continue };
            moves.push((mv, ways[way].worth.clone()));
            choice = choice.or(best.filter(|best| best.0 == way).map(|(_, sentence)| (mv, sentence)));
        }
        Ok(if moves.is_empty() {
            Err("no move of the plan is legal here".into())
        } else {
            Ok(Judged { plan, moves, choice })
        })
    }
}

impl Searcher<Engine> for Planned {
    fn search(
        &mut self,
        game: &Engine,
        state: &State,
        role: Role,
        budget: &Budget<'_>,
        monitor: &Monitor,
    ) -> Result<Found, Limit> {
        let legal = first_moves(game, state, role, &mut game.view(), monitor)?;
        if legal.len() < 2 {
            return Ok(without_choice(&legal, monitor));
        }
        let events = self.knowledge.events.clone();
        let judged = self.judged(game, state, role, &|| (budget.spent)() >= 1.0)?;
        let judged = judged.and_then(|Judged { plan, moves, choice }| {
            let (mv, sentence) = choice.ok_or_else(|| "the plan knows no move here".to_string())?;
            if moves.iter().any(|(own, worth)| *own == mv && *worth == Worth::Lost) {
                return Err(format!("the plan of {} sees no way to win here", plans::name(plan)));
            }
            let sentence = sentence.and_then(|at| Some((at + 1, plan.brief().get(at)?.clone())));
            let event = Event::Planned { plan: plans::name(plan).to_string(), mv: game.move_text(mv), sentence };
            Ok((found(mv, &moves, &legal), event))
        });
        match judged {
            Ok((found, event)) => {
                events.tell(&event);
                monitor.finish(&found);
                Ok(found)
            }
            Err(why) => {
                if self.told.insert(why.clone()) {
                    events.tell(&Event::StandIn { player: self.name.clone(), why });
                }
                self.other.search(game, state, role, budget, monitor)
            }
        }
    }

    /// Reads the plan; there is nothing else to get ready, unless somebody else will play.
    fn prepare(&mut self, game: &Engine, state: &State, role: Role, budget: &Budget<'_>) -> Result<(), Limit> {
        self.look_for_plans();
        match &self.known {
            Some(known) if !known.plans.is_empty() => Ok(()),
            _ => self.other.prepare(game, state, role, budget),
        }
    }

    fn about(&self) -> Option<String> {
        match &self.known {
            Some(known) if !known.plans.is_empty() => {
                Some("a plan of sentences, where it has the position".to_string())
            }
            _ => self.other.about(),
        }
    }
}

/// What was found, for those who ask: a win in sight is worth all, an end that is not won nothing, and in between nobody knows.
fn found(mv: Move, moves: &[(Move, Worth)], legal: &[Move]) -> Found {
    let value = |worth: &Worth| match worth {
        Worth::Won(_) => 100.0,
        Worth::Open(..) => 50.0,
        Worth::Lost => 0.0,
    };
    let choice = |own: &Move| {
        let worth = moves.iter().find(|(known, _)| known == own).map(|(_, worth)| worth)?;
        let (share, proven) = (f32::from(u8::from(*own == mv)), matches!(worth, Worth::Won(_)));
        Some(Choice { mv: *own, value: value(worth), visits: 1, proven, share })
    };
    let moves: Vec<Choice> = legal.iter().filter_map(choice).collect();
    let own = moves.iter().find(|choice| choice.mv == mv);
    let (value, proven) = own.map_or((50.0, false), |choice| (choice.value, choice.proven));
    Found { mv: Some(mv), value, proven, depth: 1, nodes: moves.len() as u64, moves, ..Found::default() }
}
