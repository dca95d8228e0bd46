//! What can stand on the board of a game, as numbers of facts.

use game::{Facts, Role, roles};
use std::fmt;
use study::{BoardFindings, Findings, FluentKind, Study, TurnOrder};

/// A board whose pieces can be taken off: what stands where is one fact each, and a cell that is left has a form of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board {
    /// The cells, as the rules name their coordinates.
    pub cells: Vec<String>,
    /// What can stand there, but for what stands for nothing.
    pub things: Vec<Thing>,
    /// The fact of an empty cell, where there is one.
    pub(crate) blanks: Vec<Option<u32>>,
    /// The fact that says that it is a role's turn.
    pub(crate) turns: Vec<u32>,
    /// What else holds at the start: counters, rights, phases.
    pub(crate) rest: Vec<u32>,
    /// Facts of counters, each with whether it holds at the start. Counters stand still in a pattern.
    counters: Vec<(u32, bool)>,
    /// What a fact says of a cell: thing, cell, and the number of the cell among the places of the thing.
    at: Vec<Option<(usize, usize, usize)>>,
}

/// A kind of piece.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thing {
    /// As the rules call it.
    pub name: String,
    /// The cells it can come to, and the fact that says that it is there.
    pub places: Vec<(usize, u32)>,
    /// The cells where the greatest goal of each role wants it.
    pub wanted: Vec<Vec<usize>>,
}

/// Why there are no patterns in a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoBoard {
    /// Not two roles in turn.
    Turns,
    /// No fact says whose turn it is.
    Control,
    /// There is no board with things on it.
    Board,
    /// Nothing is known to stand for an empty cell.
    Blank,
    /// The engine cannot make states of facts.
    Engine,
}

impl fmt::Display for NoBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoBoard::Turns => "patterns are for two roles who move in turn",
            NoBoard::Control => "no fact says whose turn it is",
            NoBoard::Board => "there is no board with pieces on it",
            NoBoard::Blank => "it is not known what a cell becomes when a piece is taken off",
            NoBoard::Engine => "the game is too large to be a net, and other engines are too slow for this",
        })
    }
}

impl std::error::Error for NoBoard {}

impl Board {
    /// The largest board that a study found.
    ///
    /// # Errors
    /// Where there is none of which pieces can be taken off.
    pub fn new<G: Facts>(study: &Study, game: &G) -> Result<Board, NoBoard> {
        let found = study.findings();
        if game.roles() != 2 || !matches!(&found.turns.order, TurnOrder::InTurn(round) if round.len() == 2) {
            return Err(NoBoard::Turns);
        }
        let turns = turns(&found, game).ok_or(NoBoard::Control)?;
        let board = found.boards.iter().filter(|board| !board.axes.is_empty() && board.axes.len() <= 3);
        let board = board.max_by_key(|board| board.places_seen).ok_or(NoBoard::Board)?;
        let fluent = found.fluents.iter().find(|fluent| fluent.name == board.fluent).ok_or(NoBoard::Board)?;
        if fluent.modes.matches('-').count() != 1 {
            return Err(NoBoard::Board);
        }
        // A board on which every cell always says something, and nothing stands for nothing, cannot be emptied.
        if board.blank.is_none() && fluent.fewest >= board.places_seen {
            return Err(NoBoard::Blank);
        }
        let mut made = Board {
            cells: places(board),
            things: Vec::new(),
            blanks: Vec::new(),
            turns,
            rest: Vec::new(),
            counters: counters(&found, game),
            at: Vec::new(),
        };
        let fact = |cell: &str, thing: &str| game.fact(&fact_text(&fluent.modes, cell, thing));
        let blank = board.blank.as_deref();
        made.blanks = made.cells.iter().map(|cell| blank.and_then(|blank| fact(cell, blank))).collect();
        let wanted: Vec<Vec<u32>> = roles(game).map(|role| study.goal_facts(game, role)).collect();
        let names = board.pieces.iter().map(|piece| &piece.name).chain(board.markers.iter().map(|marker| &marker.name));
        for name in names.filter(|name| Some(name.as_str()) != blank) {
            let cells = made.cells.iter().enumerate();
            let places: Vec<(usize, u32)> = cells.filter_map(|(at, cell)| Some((at, fact(cell, name)?))).collect();
            let of = |facts: &Vec<u32>| {
                places.iter().filter(|place| facts.binary_search(&place.1).is_ok()).map(|place| place.0).collect()
            };
            made.things.push(Thing { name: name.clone(), wanted: wanted.iter().map(of).collect(), places });
        }
        made.read_start(game)?;
        Ok(made)
    }

    fn read_start<G: Facts>(&mut self, game: &G) -> Result<(), NoBoard> {
        if self.things.is_empty() {
            return Err(NoBoard::Board);
        }
        for (thing, own) in self.things.iter().enumerate() {
            for (place, &(cell, fact)) in own.places.iter().enumerate() {
                let fact = fact as usize;
                if self.at.len() <= fact {
                    self.at.resize(fact + 1, None);
                }
                self.at[fact] = Some((thing, cell, place));
            }
        }
        let start = game.start();
        let mut rest = Vec::new();
        game.each_fact(&start, &mut |fact| {
            if self.place(fact).is_none() && !self.turns.contains(&fact) && !self.blanks.contains(&Some(fact)) {
                rest.push(fact);
            }
        });
        for (fact, holds) in &mut self.counters {
            *holds = rest.contains(fact);
        }
        self.rest = rest;
        if game.state_from(&self.rest).is_none() { Err(NoBoard::Engine) } else { Ok(()) }
    }

    /// Thing and cell that a fact speaks of.
    #[inline]
    pub fn place(&self, fact: u32) -> Option<(usize, usize)> {
        self.at.get(fact as usize).copied().flatten().map(|(thing, cell, _)| (thing, cell))
    }

    /// Thing and number of the place that a fact speaks of.
    #[inline]
    pub(crate) fn spot(&self, fact: u32) -> Option<(usize, usize)> {
        self.at.get(fact as usize).copied().flatten().map(|(thing, _, place)| (thing, place))
    }

    /// Whose turn it is, if the fact says so.
    #[inline]
    pub fn turn(&self, fact: u32) -> Option<Role> {
        self.turns.iter().position(|&turn| turn == fact).map(|role| Role(role as u8))
    }

    /// The thing of this name.
    pub fn thing(&self, name: &str) -> Option<usize> {
        self.things.iter().position(|thing| thing.name.eq_ignore_ascii_case(name))
    }

    /// The state in which nothing but these things stand on the board, everything else as at the start.
    pub fn state<G: Facts>(&self, game: &G, placed: &[(usize, u32)], turn: Role) -> Option<G::State> {
        let mut facts = self.rest.clone();
        facts.push(self.turns[turn.0 as usize]);
        facts.extend(placed.iter().map(|place| place.1));
        let taken = |cell: usize| placed.iter().any(|place| place.0 == cell);
        facts.extend(self.blanks.iter().enumerate().filter(|(cell, _)| !taken(*cell)).filter_map(|(_, blank)| *blank));
        game.state_from(&facts)
    }

    /// A state with its counters set back to the start; with `turn` it is that role's turn.
    pub(crate) fn settled<G: Facts>(&self, game: &G, state: &G::State, turn: Option<Role>) -> Option<G::State> {
        let mut facts = Vec::with_capacity(64);
        game.each_fact(state, &mut |fact| {
            let stands = self.counters.binary_search_by_key(&fact, |counter| counter.0).is_err();
            if stands && (turn.is_none() || !self.turns.contains(&fact)) {
                facts.push(fact);
            }
        });
        facts.extend(self.counters.iter().filter(|counter| counter.1).map(|counter| counter.0));
        facts.extend(turn.map(|role| self.turns[role.0 as usize]));
        game.state_from(&facts)
    }
}

/// The fact of each role's turn.
fn turns<G: Facts>(found: &Findings, game: &G) -> Option<Vec<u32>> {
    let control = found.fluents.iter().find(|fluent| fluent.kind == FluentKind::Control)?;
    roles(game).map(|role| game.fact(&format!("({} {})", control.name, game.role_name(role)))).collect()
}

/// The facts of all counters, in order of their numbers.
fn counters<G: Facts>(found: &Findings, game: &G) -> Vec<(u32, bool)> {
    let mut facts = Vec::new();
    for counter in &found.counters {
        let Some(order) = found.orders.iter().find(|order| order.relation == counter.relation) else { continue };
        let texts = order.chain.iter().map(|value| format!("({} {value})", counter.fluent));
        facts.extend(texts.filter_map(|text| game.fact(&text)).map(|fact| (fact, false)));
    }
    facts.sort_unstable();
    facts.dedup();
    facts
}

/// All combinations of coordinates.
fn places(board: &BoardFindings) -> Vec<String> {
    board.axes.iter().fold(vec![String::new()], |cells, axis| {
        let longer = |cell: &String, value: &String| format!("{cell}{}{value}", if cell.is_empty() { "" } else { " " });
        cells.iter().flat_map(|cell| axis.iter().map(move |value| longer(cell, value))).collect()
    })
}

/// The fact that this thing is in that cell: columns are coordinates (`+`) or what stands there (`-`).
fn fact_text(modes: &str, cell: &str, thing: &str) -> String {
    let mut coordinates = cell.split(' ');
    let words = modes.split(' ').map(|mode| match mode {
        "+" => coordinates.next().unwrap_or_default(),
        "-" => thing,
        name => name,
    });
    format!("({})", words.collect::<Vec<_>>().join(" "))
}
