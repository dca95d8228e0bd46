//! The players of Chinese checkers as players of rules: where the rules are those of the library's `chinese-checkers`, in any
//! words and any order, the position is translated, the native game is searched, and the move is translated back.
//!
//! They are players for one game. Where the rules are another one, or the distance table that a player needs is not there,
//! the default player plays in its place and an event says so. Whoever can refuse to begin asks [`ready`] first.

mod distance_tables;
mod relay;
mod words;

pub use distance_tables::{DistanceTables, NoDistances};
pub use words::Words;

use crate::event::Event;
use crate::pool::Resources;
use crate::searcher::Knowledge;
use crate::spec::{Method, PlayerSpec};
use ::chinese::uct::UctSettings;
use ::chinese::{Kit, Player};
use game::{Cancel, Game, Limit, Role};
use gdl::Rules;
use machine::{Engine, State};
use native::chinese::{Allowed, ChineseCheckers};
use relay::Relay;
use search::{Budget, Found, Monitor, Searcher, first_moves, without_choice};
use std::sync::Arc;

/// The player of Chinese checkers that a description means, and how many MiB of the table it may have.
fn player_of(spec: &PlayerSpec) -> Option<(Player, Option<u32>)> {
    match &spec.method {
        Method::Roschke(spec) => Some((spec.player(), spec.set.table_memory)),
        Method::TableSearch(spec) => Some((spec.player(), spec.set.table_memory)),
        _ => None,
    }
}

/// Makes sure, before a match, that a player has the table it cannot do without in a game: loads it, and so sees every fault
/// that it has. Other players are always ready, and so is everybody in other games.
///
/// # Errors
/// When the table is missing or cannot be used. (Who plays all the same gets the default player in its place.)
pub fn ready(spec: &PlayerSpec, rules: &Rules, resources: &Resources, cancel: &Cancel) -> Result<(), NoDistances> {
    let Some((_, memory)) = player_of(spec).filter(|(player, _)| player.needs_table()) else { return Ok(()) };
    if Words::of(rules).is_some() {
        resources.distance_tables.kit(resources.tables.as_deref(), memory, &|| cancel.is_cancelled())?;
    }
    Ok(())
}

/// A player of Chinese checkers, and who plays where it cannot; see the module.
pub struct Chinese {
    knowledge: Arc<Knowledge>,
    player: Player,
    /// MiB of the table that may be in memory.
    memory: Option<u32>,
    /// As it was asked for; `None` if it is only offered, and nobody misses it where it cannot play.
    name: Option<String>,
    other: Box<dyn Searcher<Engine>>,
    way: Way,
}

/// Who searches.
enum Way {
    /// Not known yet: the table is being loaded, or nobody has asked.
    Open,
    Native(Box<dyn Searcher<ChineseCheckers>>),
    Other,
}

/// The part of the time that a search waits for the table.
const PATIENCE: f32 = 0.5;

/// Who plays as long as the table is not there.
const WITHOUT_TABLE: Player = Player::AlphaBeta { lookup: false, moves: Allowed::NonBackward, depth: 5 };

impl Chinese {
    /// The player that a description asks for; `other` plays where it cannot.
    ///
    /// # Panics
    /// If the description is that of another kind.
    pub fn named(spec: &PlayerSpec, knowledge: &Arc<Knowledge>, other: Box<dyn Searcher<Engine>>) -> Chinese {
        let (player, memory) = player_of(spec).unwrap_or_else(|| unreachable!("{spec} is another kind of player"));
        let knowledge = Arc::clone(knowledge);
        Chinese { knowledge, player, memory, name: Some(spec.to_string()), other, way: Way::Open }
    }

    /// The strongest of them where the game is Chinese checkers and its table is there, with so many MiB of it in memory;
    /// everywhere else `other`.
    pub fn offered(knowledge: &Arc<Knowledge>, memory: Option<u32>, other: Box<dyn Searcher<Engine>>) -> Chinese {
        let player = Player::Uct(UctSettings::short());
        Chinese { knowledge: Arc::clone(knowledge), player, memory, name: None, other, way: Way::Open }
    }

    /// Finds out who plays, and waits for the table until `stop`.
    fn decide(&mut self, stop: &dyn Fn() -> bool) {
        if !matches!(self.way, Way::Open) {
            return;
        }
        self.way = match self.native(stop) {
            Ok(Some(native)) => Way::Native(native),
            Ok(None) => Way::Open,
            Err(event) => {
                if let Some(event) = event {
                    self.knowledge.events.tell(&event);
                }
                Way::Other
            }
        };
    }

    /// The native player; `None` if the table is not there yet, and an event to tell, perhaps, if it cannot play.
    fn native(&self, stop: &dyn Fn() -> bool) -> Result<Option<Box<dyn Searcher<ChineseCheckers>>>, Option<Event>> {
        let folder = self.knowledge.tables.as_deref();
        // What is only offered is not worth reading rules for where there is no table.
        if self.name.is_none() && distance_tables::found(folder).is_err() {
            return Err(None);
        }
        let Some(words) = self.knowledge.words() else { return Err(self.stand_in("the game is not Chinese checkers")) };
        let kit = if self.player.needs_table() {
            match self.knowledge.distance_tables.kit(folder, self.memory, stop) {
                Ok(Some(kit)) => kit,
                Ok(None) => return Ok(None),
                Err(NoDistances::Refused { path, why }) if self.name.is_none() => {
                    return Err(Some(Event::TableRefused { path, why }));
                }
                Err(why) => return Err(self.stand_in(&why.to_string())),
            }
        } else {
            Kit::new(words.game().clone())
        };
        if self.name.is_none() {
            self.knowledge.events.tell(&Event::TableSearched);
        }
        kit.searcher(&self.player).map(Some).map_err(|why| self.stand_in(&why.to_string()))
    }

    /// What is told where the player cannot play, if it was asked for.
    fn stand_in(&self, why: &str) -> Option<Event> {
        self.name.clone().map(|player| Event::StandIn { player, why: why.to_string() })
    }
}

/// Plays as long as the table is not there.
fn without_table(knowledge: &Knowledge) -> Option<Box<dyn Searcher<ChineseCheckers>>> {
    Kit::new(knowledge.words()?.game().clone()).searcher(&WITHOUT_TABLE).ok()
}

impl Searcher<Engine> for Chinese {
    fn search(
        &mut self,
        game: &Engine,
        state: &State,
        role: Role,
        budget: &Budget<'_>,
        monitor: &Monitor,
    ) -> Result<Found, Limit> {
        if matches!(self.way, Way::Other) {
            return self.other.search(game, state, role, budget, monitor);
        }
        let legal = first_moves(game, state, role, &mut game.view(), monitor)?;
        if legal.len() < 2 {
            return Ok(without_choice(&legal, monitor));
        }
        let begin = (budget.spent)();
        self.decide(&|| (budget.spent)() >= begin + (1.0 - begin) * PATIENCE);
        if matches!(self.way, Way::Other) {
            return self.other.search(game, state, role, budget, monitor);
        }
        let knowledge = Arc::clone(&self.knowledge);
        let place = knowledge.words().and_then(|words| words.place(game, state, role, &legal));
        if let (None, Some(event)) = (&place, self.stand_in("the position is none of a game with six pieces a side")) {
            knowledge.events.tell(&event);
        }
        let mut without = if matches!(self.way, Way::Open) { without_table(&knowledge) } else { None };
        let (place, native, player) = match (place, &mut self.way, &mut without) {
            (Some(place), Way::Native(native), _) => (place, native, &self.player),
            (Some(place), _, Some(native)) => (place, native, &WITHOUT_TABLE),
            _ => return self.other.search(game, state, role, budget, monitor),
        };
        let relay = Relay::new(&place, monitor);
        let spent = || {
            relay.pass();
            (budget.spent)()
        };
        let nodes = match player {
            Player::Uct(_) => budget.nodes,
            // Where only random games are counted, those who play none look at as many states.
            Player::AlphaBeta { .. } | Player::FullWidth { .. } => budget.nodes.or(budget.playouts),
        };
        let inner = Budget { spent: &spent, nodes, ..*budget };
        let found = native.search(place.game(), &place.native, place.role, &inner, &relay.native)?;
        let found = place.found(&found);
        monitor.finish(&found);
        Ok(found)
    }

    /// Loads the table; there is nothing else to get ready.
    fn prepare(&mut self, game: &Engine, state: &State, role: Role, budget: &Budget<'_>) -> Result<(), Limit> {
        self.decide(&|| (budget.spent)() >= 1.0);
        match self.way {
            Way::Other => self.other.prepare(game, state, role, budget),
            Way::Open | Way::Native(_) => Ok(()),
        }
    }

    fn about(&self) -> Option<String> {
        match self.way {
            Way::Native(_) => Some("a player of Chinese checkers: the rules are those of that game".to_string()),
            Way::Other | Way::Open => self.other.about(),
        }
    }
}
