//! Any game whose positions can all be listed as a [`World`]: boards, sets and counters are what `study` found, levels are what
//! `solve` says.

use crate::scene::{Board, Cells, MOST_CELLS, Scene, Thing, bit};
use crate::world::{Kind, NO_LEVEL, Scenes, World};
use game::{Cancel, Facts, Limit, Move, Role, Turn};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt;
use study::{Findings, FluentKind};
use table::solve::{Options, SolveError, Solved, solve};

/// Why a game has no world.
#[derive(Debug)]
pub enum ListError {
    /// It could not be solved.
    Solve(SolveError),
    /// An engine came to a limit.
    Limit(Limit),
    /// What was found has no form that attributes can be made of.
    Form(String),
    /// No position is won for the role.
    NothingWon(String),
    /// The caller said stop.
    Stopped,
}

impl fmt::Display for ListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ListError::Solve(error) => error.fmt(f),
            ListError::Limit(limit) => limit.fmt(f),
            ListError::Form(why) => f.write_str(why),
            ListError::NothingWon(role) => {
                write!(f, "no position is won for {role} with best play of both sides; there is nothing to plan for")
            }
            ListError::Stopped => f.write_str("stopped"),
        }
    }
}

impl std::error::Error for ListError {}

impl From<Limit> for ListError {
    fn from(limit: Limit) -> ListError {
        ListError::Limit(limit)
    }
}

/// What a fact says about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Says {
    /// A thing is on a cell.
    Stands(u8, u8),
    /// A counter has a value.
    Counts(u8, i16),
    /// Nothing that attributes are made of.
    Nothing,
}

/// How the facts of a fluent are read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reading {
    name: String,
    arity: usize,
    /// The columns that say where.
    place: Vec<usize>,
    /// The column that says what is there; without one the fluent itself.
    thing: Option<usize>,
    /// Whether what is there is an amount.
    amount: bool,
    blank: Option<String>,
    #[serde(skip)]
    axes: Vec<Vec<String>>,
}

/// How positions of a game are read, as it is written to files: with the board of the plan that is all a reader needs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reads {
    /// How the facts of each fluent are read.
    pub fluents: Vec<Reading>,
    /// For each cell of the board its fluent and its coordinates.
    pub cells: Vec<(usize, Vec<String>)>,
    /// In a game of one the goal that counts as a win.
    pub best: Option<i8>,
}

/// How facts become scenes; grows with the facts that are seen.
pub struct Vocabulary {
    readings: Vec<Reading>,
    known: HashMap<String, Says>,
    board: Board,
    cell: HashMap<(usize, Vec<String>), u8>,
    /// For each cell its fluent and its coordinates.
    cells: Vec<(usize, Vec<String>)>,
    /// Whether the board is complete: facts about anything else say nothing.
    closed: bool,
}

impl Vocabulary {
    /// How the facts of a studied game are read.
    pub fn new(findings: &Findings) -> Vocabulary {
        let mut readings = Vec::new();
        for fluent in &findings.fluents {
            let modes: Vec<&str> = fluent.modes.split(' ').skip(1).collect();
            let columns = |sign: &str| (0..modes.len()).filter(|&at| modes[at] == sign).collect::<Vec<_>>();
            let board = findings.boards.iter().find(|board| board.fluent == fluent.name);
            let (inputs, outputs) = (columns("+"), columns("-"));
            let numbers = board.is_some_and(|board| {
                let mut names =
                    board.markers.iter().map(|marker| &marker.name).chain(board.pieces.iter().map(|p| &p.name));
                names.all(|name| name.parse::<i16>().is_ok()) && board.markers.len() + board.pieces.len() > 2
            });
            let (place, thing, amount) = match fluent.kind {
                FluentKind::Control | FluentKind::Counter | FluentKind::Choice => continue,
                FluentKind::Board if numbers && board.is_some_and(|board| !board.pieces.is_empty()) => {
                    (inputs, outputs.first().copied(), false)
                }
                FluentKind::Board => (inputs, outputs.first().copied(), numbers),
                FluentKind::Quantity => (inputs, outputs.first().copied(), true),
                FluentKind::Position => (outputs, None, false),
                FluentKind::Set | FluentKind::Flag | FluentKind::Unseen => ((0..modes.len()).collect(), None, false),
            };
            readings.push(Reading {
                name: fluent.name.clone(),
                arity: modes.len(),
                place,
                thing,
                amount,
                blank: board.and_then(|board| board.blank.clone()),
                axes: board.map(|board| board.axes.clone()).unwrap_or_default(),
            });
        }
        Vocabulary {
            readings,
            known: HashMap::new(),
            board: Board::default(),
            cell: HashMap::new(),
            cells: Vec::new(),
            closed: false,
        }
    }

    /// How facts are read for the board of a plan; `None` if the two do not belong together.
    pub fn from_reads(board: &Board, reads: &Reads) -> Option<Vocabulary> {
        let fits = |(fluent, place): &(usize, Vec<String>)| {
            reads.fluents.get(*fluent).is_some_and(|reading| reading.place.len() == place.len())
        };
        let inside = |reading: &Reading| reading.place.iter().chain(&reading.thing).all(|&at| at < reading.arity);
        if reads.cells.len() != board.cells.len()
            || !reads.cells.iter().all(fits)
            || !reads.fluents.iter().all(inside)
            || board.things.len().max(board.counters.len()) > usize::from(u8::MAX)
        {
            return None;
        }
        let cell = reads.cells.iter().enumerate().map(|(at, cell)| (cell.clone(), at as u8)).collect();
        Some(Vocabulary {
            readings: reads.fluents.clone(),
            known: HashMap::new(),
            board: board.clone(),
            cell,
            cells: reads.cells.clone(),
            closed: true,
        })
    }

    /// What is written to a file beside the board.
    pub fn reads(&self, best: Option<i8>) -> Reads {
        Reads { fluents: self.readings.clone(), cells: self.cells.clone(), best }
    }

    /// Writes what facts say into a scene. Things and cells that were not seen before are added to the board.
    pub fn scene<T: AsRef<str>>(&mut self, facts: &[T], scene: &mut Scene) -> Result<(), String> {
        let says = facts.iter().map(|fact| self.says(fact.as_ref())).collect::<Result<Vec<_>, _>>()?;
        *scene = Scene::new(&self.board);
        for says in says {
            put(scene, says);
        }
        Ok(())
    }

    pub(crate) fn says(&mut self, fact: &str) -> Result<Says, String> {
        if let Some(&says) = self.known.get(fact) {
            return Ok(says);
        }
        let says = self.read(fact)?;
        self.known.insert(fact.to_string(), says);
        Ok(says)
    }

    fn read(&mut self, fact: &str) -> Result<Says, String> {
        let words: Vec<&str> = fact.trim_matches(['(', ')']).split_whitespace().collect();
        let name = words.first().copied().unwrap_or("");
        let flat = !fact.get(1..).unwrap_or("").contains('(');
        let found = self.readings.iter().position(|reading| reading.name == name && reading.arity + 1 == words.len());
        let (Some(number), true) = (found, flat) else { return Ok(Says::Nothing) };
        let reading = self.readings[number].clone();
        let place: Vec<String> = reading.place.iter().map(|&column| words[column + 1].to_string()).collect();
        let thing = reading.thing.map_or(name, |column| words[column + 1]);
        if reading.blank.as_deref() == Some(thing) {
            return Ok(Says::Nothing);
        }
        if reading.amount {
            let counter = std::iter::once(name.to_string()).chain(place).collect::<Vec<_>>().join(" ");
            let number = match self.board.counters.iter().position(|known| *known == counter) {
                Some(number) => number,
                None if self.closed => return Ok(Says::Nothing),
                None => {
                    self.board.counters.push(counter);
                    self.board.counters.len() - 1
                }
            };
            let value = thing.parse::<i16>().unwrap_or(0);
            return u8::try_from(number)
                .map(|number| Says::Counts(number, value))
                .map_err(|_| "too many counters".into());
        }
        let cell = match self.cell.get(&(number, place.clone())) {
            Some(&cell) => cell,
            None if self.closed => return Ok(Says::Nothing),
            None => {
                let cell = self.cells.len();
                if cell >= MOST_CELLS {
                    return Err(format!("more than {MOST_CELLS} cells, too many for a plan"));
                }
                let name = if place.is_empty() { name.to_string() } else { place.join(" ") };
                self.board.cells.push(name);
                self.board.places.push((0, 0));
                self.board.neighbours.push(Vec::new());
                self.cells.push((number, place.clone()));
                self.cell.insert((number, place), cell as u8);
                cell as u8
            }
        };
        let thing = match self.board.things.iter().position(|known| known.name == thing) {
            Some(thing) => thing,
            None if self.closed => return Ok(Says::Nothing),
            None => {
                self.board.things.push(Thing { name: thing.to_string(), ours: None });
                self.board.things.len() - 1
            }
        };
        u8::try_from(thing).map(|thing| Says::Stands(thing, cell)).map_err(|_| "too many things".into())
    }

    /// The facts of cells that are no places: `(on c ?)` says what c is on, and not what stands on c.
    fn name_facts(&mut self) {
        let fact = |(number, place): &(usize, Vec<String>)| {
            let Reading { name, arity, thing: Some(thing), place: columns, .. } = &self.readings[*number] else {
                return String::new();
            };
            // Blocks are on blocks: what is a thing as well as a cell is no place.
            let things = || place.iter().any(|name| self.board.things.iter().any(|thing| thing.name == *name));
            if columns.len() != 1 || !things() {
                return String::new();
            }
            let word = |column: usize| match columns.iter().position(|&own| own == column) {
                Some(at) => place[at].as_str(),
                None if column == *thing => "?",
                None => "_",
            };
            let words: Vec<&str> = std::iter::once(name.as_str()).chain((0..*arity).map(word)).collect();
            format!("({})", words.join(" "))
        };
        let facts: Vec<String> = self.cells.iter().map(fact).collect();
        if facts.iter().any(|fact| !fact.is_empty()) {
            self.board.facts = facts;
        }
    }

    /// Where the cells lie and which are neighbours, once all cells are known.
    fn lay_out(&mut self, findings: &Findings) {
        let is_place = |board: &Board, cell: usize| board.facts.get(cell).is_none_or(String::is_empty);
        for cell in (0..self.cells.len()).filter(|&cell| is_place(&self.board, cell)).collect::<Vec<_>>() {
            let (number, place) = &self.cells[cell];
            let reading = &self.readings[*number];
            let coordinate = |at: usize| -> i16 {
                let Some(name) = place.get(at) else { return 0 };
                let on_axis = reading.axes.get(at).and_then(|axis| axis.iter().position(|value| value == name));
                let parsed = || name.parse::<i16>().ok();
                let letter = || name.bytes().next().map(i16::from);
                on_axis.map(|index| index as i16).or_else(parsed).or_else(letter).unwrap_or(0)
            };
            self.board.places[cell] = (coordinate(0), coordinate(1));
        }
        for cell in (0..self.cells.len()).filter(|&cell| is_place(&self.board, cell)).collect::<Vec<_>>() {
            let (number, place) = self.cells[cell].clone();
            let reading = &self.readings[number];
            let found = findings.boards.iter().find(|board| board.fluent == reading.name && !board.cells.is_empty());
            let names = |coordinates: &[usize]| -> Option<Vec<String>> {
                let board = found?;
                coordinates.iter().zip(&board.axes).map(|(&at, axis)| axis.get(at).cloned()).collect()
            };
            let mut next: Vec<u8> = Vec::new();
            if let Some(board) = found {
                let here = board.cells.iter().find(|known| names(&known.coordinates).as_ref() == Some(&place));
                for &neighbour in here.map_or(&[][..], |here| &here.neighbours) {
                    let there = board.cells.get(neighbour).and_then(|known| names(&known.coordinates));
                    next.extend(there.and_then(|there| self.cell.get(&(number, there)).copied()));
                }
            }
            if next.is_empty() {
                // No rule goes from place to place: cells that differ by one in one coordinate.
                let (x, y) = self.board.places[cell];
                let beside = |&other: &usize| {
                    let (u, v) = self.board.places[other];
                    self.cells[other].0 == number && x.abs_diff(u) + y.abs_diff(v) == 1
                };
                next = (0..self.cells.len()).filter(beside).map(|other| other as u8).collect();
            }
            self.board.neighbours[cell] = next;
        }
    }
}

pub(crate) fn put(scene: &mut Scene, says: Says) {
    match says {
        Says::Stands(thing, cell) => scene.sets[usize::from(thing)] |= bit(cell),
        Says::Counts(counter, value) => scene.counters[usize::from(counter)] = value,
        Says::Nothing => {}
    }
}

/// The scenes of a listed game, one after the other.
struct ListedScenes {
    things: usize,
    counters: usize,
    sets: Vec<Cells>,
    values: Vec<i16>,
}

impl Scenes for ListedScenes {
    fn scene(&self, node: u32, scene: &mut Scene) {
        let at = node as usize;
        scene.sets.clear();
        scene.sets.extend_from_slice(&self.sets[at * self.things..(at + 1) * self.things]);
        scene.counters.clear();
        scene.counters.extend_from_slice(&self.values[at * self.counters..(at + 1) * self.counters]);
    }

    fn moves(&self, world: &World, seen: &mut dyn FnMut(&Scene, &Scene, bool)) {
        let (mut before, mut after) = (Scene::default(), Scene::default());
        for node in 0..world.len() as u32 {
            let ours = match world.kinds[node as usize] {
                Kind::Ours => true,
                Kind::Theirs => false,
                Kind::Won | Kind::Failed | Kind::Unused => continue,
            };
            self.scene(node, &mut before);
            for &to in world.next(node) {
                self.scene(to, &mut after);
                seen(&before, &after, ours);
            }
        }
    }
}

/// A listed game: its world, how its facts are read, and the states by number.
pub struct Listed<S> {
    /// The world.
    pub world: World,
    /// How its facts are read.
    pub vocabulary: Vocabulary,
    /// The states; the first two numbers stand for ends outside and have the state of the start.
    pub states: Vec<S>,
    /// The role that has the plan.
    pub role: Role,
    /// In a game of one the goal that counts as a win.
    pub best: Option<i8>,
}

/// Lists a game and says how far each position is from being won for a role: that of the caller, else the one that wins from
/// the start, else the one that wins more positions.
pub fn list<G: Facts>(
    name: &str,
    game: &G,
    findings: &Findings,
    role: Option<Role>,
    options: &Options,
    cancel: &Cancel,
) -> Result<Listed<G::State>, ListError> {
    let solved = solve(game, options, None, &mut |_| !cancel.is_cancelled()).map_err(|error| match error {
        SolveError::Stopped(_) => ListError::Stopped,
        other => ListError::Solve(other),
    })?;
    let role = role.unwrap_or_else(|| who_wins(&solved));
    let mut list = walk(game, &solved, role, cancel)?;
    if !list.kinds.contains(&Kind::Ours)
        || !list.plies.iter().zip(&list.kinds).any(|(&plies, &kind)| plies != NO_LEVEL && kind == Kind::Ours)
    {
        return Err(ListError::NothingWon(game.role_name(role).to_string()));
    }
    let mut vocabulary = Vocabulary::new(findings);
    // All facts first, so that every scene has the same things.
    let mut numbers: HashMap<u32, Says> = HashMap::new();
    for state in &list.states {
        let mut new = false;
        game.each_fact(state, &mut |fact| new |= !numbers.contains_key(&fact));
        if new {
            for fact in game.facts(state) {
                let says = vocabulary.says(&fact).map_err(ListError::Form)?;
                if let Some(number) = game.fact(&fact) {
                    numbers.insert(number, says);
                }
            }
        }
    }
    vocabulary.name_facts();
    vocabulary.lay_out(findings);
    let (things, counters) = (vocabulary.board.things.len(), vocabulary.board.counters.len());
    if things + counters == 0 {
        return Err(ListError::Form(format!("nothing was found in {name} that attributes can be made of")));
    }
    let mut scenes = ListedScenes { things, counters, sets: Vec::new(), values: Vec::new() };
    let mut scene = Scene::new(&vocabulary.board);
    for state in &list.states {
        scene.clear();
        game.each_fact(state, &mut |fact| put(&mut scene, numbers.get(&fact).copied().unwrap_or(Says::Nothing)));
        scenes.sets.extend_from_slice(&scene.sets);
        scenes.values.extend_from_slice(&scene.counters);
    }
    let mut world = World {
        name: name.to_string(),
        board: vocabulary.board.clone(),
        kinds: std::mem::take(&mut list.kinds),
        first: std::mem::take(&mut list.first),
        edges: std::mem::take(&mut list.edges),
        plies: std::mem::take(&mut list.plies),
        by_turns: false,
        alone: false,
        scenes: Box::new(scenes),
    };
    world.find_turns();
    let best = (solved.statistics().roles == 1).then(|| solved.start().value).flatten();
    Ok(Listed { world, vocabulary, states: list.states, role, best })
}

fn who_wins(solved: &Solved) -> Role {
    let start = solved.start().value.unwrap_or(0);
    if solved.statistics().roles == 1 || start > 0 {
        return Role(0);
    }
    if start < 0 {
        return Role(1);
    }
    let count = |wins: &dyn Fn(i8) -> bool| -> u64 {
        let values = solved.statistics().values.iter();
        values.filter(|(value, _)| value.is_some_and(wins)).map(|(_, count)| *count).sum()
    };
    Role(u8::from(count(&|value| value < 0) > count(&|value| value > 0)))
}

struct List<S> {
    states: Vec<S>,
    kinds: Vec<Kind>,
    first: Vec<u32>,
    edges: Vec<u32>,
    plies: Vec<u16>,
}

fn walk<G: Facts>(game: &G, solved: &Solved, role: Role, cancel: &Cancel) -> Result<List<G::State>, ListError> {
    let roles = game.roles();
    let start = game.start();
    let mut list = List {
        states: vec![start.clone(), start.clone(), start.clone()],
        kinds: vec![Kind::Won, Kind::Failed],
        first: vec![0, 0],
        edges: Vec::new(),
        plies: vec![0, NO_LEVEL],
    };
    let mut number: HashMap<G::State, u32> = HashMap::from([(start, 2)]);
    let best = solved.start().value;
    let (mut view, mut next) = (game.view(), game.start());
    let (mut legal, mut joint) = (vec![Vec::new(); roles], vec![Move(0); roles]);
    let mut at = 2;
    while at < list.states.len() {
        if at % 1024 == 0 && cancel.is_cancelled() {
            return Err(ListError::Stopped);
        }
        let state = list.states[at].clone();
        game.look(&state, &mut view)?;
        let entry = solved.probe(&state);
        let won = entry.is_some_and(|entry| match roles {
            1 => entry.value.is_some() && entry.value == best,
            _ => entry.value.is_some_and(|value| if role.0 == 0 { value > 0 } else { value < 0 }),
        });
        let plies = entry
            .and_then(|entry| entry.distance)
            .filter(|_| won)
            .map_or(NO_LEVEL, |distance| distance.min(NO_LEVEL - 8));
        list.first.push(list.edges.len() as u32);
        list.plies.push(plies);
        let turn = game.turn(&view);
        if turn != Turn::Over {
            for (role, moves) in legal.iter_mut().enumerate() {
                moves.clear();
                game.legal(&view, Role(role as u8), moves);
            }
        }
        let chooser = match turn {
            Turn::One(chooser) if legal.iter().all(|moves| !moves.is_empty()) => chooser,
            _ => {
                list.kinds.push(if won { Kind::Won } else { Kind::Failed });
                at += 1;
                continue;
            }
        };
        list.kinds.push(if chooser == role { Kind::Ours } else { Kind::Theirs });
        for (slot, moves) in joint.iter_mut().zip(&legal) {
            *slot = moves[0];
        }
        let from = list.edges.len();
        for &mv in &legal[usize::from(chooser.0)] {
            joint[usize::from(chooser.0)] = mv;
            game.play(&mut view, &joint, &mut next)?;
            let known = list.states.len() as u32;
            let to = *number.entry(next.clone()).or_insert(known);
            if to == known {
                list.states.push(next.clone());
            }
            list.edges.push(to);
        }
        list.edges[from..].sort_unstable();
        let mut kept = from;
        for edge in from..list.edges.len() {
            if kept == from || list.edges[kept - 1] != list.edges[edge] {
                list.edges[kept] = list.edges[edge];
                kept += 1;
            }
        }
        list.edges.truncate(kept);
        at += 1;
    }
    list.first.push(list.edges.len() as u32);
    Ok(list)
}

/// What positions and moves of a listed game are called: facts and moves of the rules.
pub struct ListedWords<'a, G: Facts> {
    /// The game.
    pub game: &'a G,
    /// Its states by number.
    pub states: &'a [G::State],
}

impl<G: Facts> crate::build::Tell for ListedWords<'_, G> {
    fn position(&self, node: u32) -> String {
        self.game.facts(&self.states[node as usize]).join(" ")
    }

    fn step(&self, from: u32, to: u32) -> String {
        let (mut view, mut next) = (self.game.view(), self.game.start());
        if self.game.look(&self.states[from as usize], &mut view).is_err() {
            return String::new();
        }
        let Turn::One(chooser) = self.game.turn(&view) else { return String::new() };
        let roles = self.game.roles();
        let mut legal = vec![Vec::new(); roles];
        for (role, moves) in legal.iter_mut().enumerate() {
            self.game.legal(&view, Role(role as u8), moves);
        }
        let mut joint: Vec<Move> = legal.iter().filter_map(|moves| moves.first().copied()).collect();
        for &mv in &legal[usize::from(chooser.0)] {
            joint[usize::from(chooser.0)] = mv;
            if self.game.play(&mut view, &joint, &mut next).is_ok() && next == self.states[to as usize] {
                return self.game.move_text(mv);
            }
        }
        String::new()
    }
}
