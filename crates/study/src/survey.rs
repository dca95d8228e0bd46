//! The lie of the land: how the places of a board lie beside each other, and which maps of a board change nothing.
//!
//! Neighbours come from the rules (see [`adjacent`]). Maps (mirrors, turns) are tested on states of random games: the
//! mapped state must have as many moves, the same goals, and the mapped states must follow. That refutes; it does not prove.

use crate::adjacent::{self, Ground, Tables};
use crate::fixed::Relation;
use crate::form::Column;
use crate::report::{Evidence, Finding};
use crate::structure::{Kind, Structure};
use crate::study::Study;
use crate::terms::TermId;
use crate::watch::split;
use game::random::Rng;
use game::{Facts, Limit, Move, Role, roles};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// A map of the places of a board with two coordinates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Map {
    /// Coordinates change places.
    swap: bool,
    /// Then the first, and the second, are counted from the other end.
    flip: [bool; 2],
    /// And the two roles change places, wherever facts name them.
    roles: bool,
    pub name: &'static str,
}

const IDENTITY: Map = Map { swap: false, flip: [false, false], roles: false, name: "the board as it is" };

const MAPS: [Map; 7] = [
    Map { swap: false, flip: [true, false], roles: false, name: "mirror left and right" },
    Map { swap: false, flip: [false, true], roles: false, name: "mirror top and bottom" },
    Map { swap: false, flip: [true, true], roles: false, name: "half turn" },
    Map { swap: true, flip: [false, false], roles: false, name: "mirror along the diagonal" },
    Map { swap: true, flip: [true, true], roles: false, name: "mirror along the other diagonal" },
    Map { swap: true, flip: [true, false], roles: false, name: "quarter turn" },
    Map { swap: true, flip: [false, true], roles: false, name: "quarter turn back" },
];

/// What was found about the board of a fluent.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Land {
    pub fluent: usize,
    pub neighbours: Option<Finding>,
    pub maps: Vec<Finding>,
}

/// The rows of relations that were listed.
type Rows = HashMap<Relation, Option<Rc<Vec<Vec<TermId>>>>>;

/// The texts of facts with those of their images; `None` where there is none.
type Images = HashMap<String, Option<String>>;

/// States on which maps are tested, and the most joint moves of a state that are followed.
const STATES: usize = 10;
const MOST_JOINT: usize = 120;
/// A game is not followed any longer than this.
const LONGEST: usize = 300;

impl Study {
    /// Looks for neighbours and symmetries of the boards, with a few states of random games.
    ///
    /// # Errors
    /// When the engine reaches a limit.
    pub fn survey<G: Facts>(&mut self, game: &G, seed: u64, more: &mut dyn FnMut() -> bool) -> Result<(), Limit> {
        let boards: Vec<Structure> = self.boards().cloned().collect();
        self.land.clear();
        if boards.is_empty() {
            return Ok(());
        }
        let flat = boards.iter().any(|board| board.inputs.len() == 2);
        let states = if flat { sample(game, seed)? } else { Vec::new() };
        let mut rows = Rows::default();
        for board in boards {
            let neighbours;
            (neighbours, rows) = self.neighbours(&board, rows, more);
            if board.inputs.len() != 2 {
                self.land.push(Land { fluent: board.fluent, neighbours, maps: Vec::new() });
                continue;
            }
            let mut maps: Vec<(Map, u64)> = Vec::new();
            let columns = &self.fluents[board.fluent].columns;
            let [width, height] = [0, 1].map(|at| columns[board.inputs[at]].values.len());
            let named = self.fluents.iter().flat_map(|fluent| &fluent.columns).any(|column| column.roles);
            let exchanged = [IDENTITY].into_iter().chain(MAPS).map(|map| Map { roles: true, ..map });
            let exchanged = exchanged.filter(|_| named && game.roles() == 2);
            for map in MAPS.into_iter().chain(exchanged).filter(|map| !map.swap || width == height) {
                if !more() {
                    break;
                }
                if let Some(tested) = self.keeps(game, &board, &map, &states)? {
                    maps.push((map, tested));
                }
            }
            let maps = consistent(maps);
            self.land.push(Land { fluent: board.fluent, neighbours, maps });
        }
        Ok(())
    }

    /// How places lie beside each other, as rules join them.
    fn neighbours(&mut self, board: &Structure, rows: Rows, more: &mut dyn FnMut() -> bool) -> (Option<Finding>, Rows) {
        let Study { rules, fixed, terms, fluents, orders, .. } = self;
        let fluent = &fluents[board.fluent];
        let columns: Vec<&Column> = board.inputs.iter().map(|&at| &fluent.columns[at]).collect();
        if columns.iter().any(|column| column.path.len() != 1) {
            return (None, rows);
        }
        let inputs = columns.iter().map(|column| column.path[0] as usize).collect();
        let ground = Ground { name: fluent.name, arity: fluent.arity, inputs, columns, orders };
        let mut tables = Tables { rules, fixed, terms, rows };
        let what = adjacent::neighbours(&ground, &mut tables, more);
        (what.map(|what| Finding { what, evidence: Evidence::Rules }), tables.rows)
    }

    /// Whether a map changes nothing in these states; `None` if it does, otherwise in how many it was tested.
    fn keeps<G: Facts>(
        &mut self,
        game: &G,
        board: &Structure,
        map: &Map,
        states: &[G::State],
    ) -> Result<Option<u64>, Limit> {
        let (mut view, mut other) = (game.view(), game.view());
        let mut tested = 0;
        let mut images = Images::new();
        let becomes = |role: Role| if map.roles { Role(1 - role.0) } else { role };
        for state in states {
            let Some(image) = self.image(game, board, map, state, &mut images) else { return Ok(None) };
            game.look(state, &mut view)?;
            game.look(&image, &mut other)?;
            if game.over(&view) != game.over(&other) || !map.roles && game.turn(&view) != game.turn(&other) {
                return Ok(None);
            }
            for role in roles(game) {
                if game.goal(&mut view, role)? != game.goal(&mut other, becomes(role))? {
                    return Ok(None);
                }
            }
            if game.over(&view) {
                tested += 1;
                continue;
            }
            let (mine, mut theirs) = (joints(game, &view), joints(game, &other));
            if map.roles {
                theirs.1.reverse();
            }
            if mine.1 != theirs.1 {
                return Ok(None);
            }
            if mine.0.is_empty() {
                continue;
            }
            let mut next = game.start();
            let mut follow: HashSet<G::State> = HashSet::new();
            for joint in &theirs.0 {
                game.play(&mut other, joint, &mut next)?;
                follow.insert(next.clone());
            }
            for joint in &mine.0 {
                game.play(&mut view, joint, &mut next)?;
                let fits =
                    self.image(game, board, map, &next, &mut images).is_some_and(|image| follow.contains(&image));
                if !fits {
                    return Ok(None);
                }
            }
            tested += 1;
        }
        Ok((tested > 0).then_some(tested))
    }

    /// The state with all places mapped; `None` if there is no such state.
    fn image<G: Facts>(
        &mut self,
        game: &G,
        board: &Structure,
        map: &Map,
        state: &G::State,
        images: &mut Images,
    ) -> Option<G::State> {
        let facts = game.facts(state);
        for text in &facts {
            if !images.contains_key(text) {
                let id = self.terms.read(text, &self.rules.symbols);
                let image = id.and_then(|id| self.image_of(id, board, map));
                images.insert(text.clone(), image.map(|image| self.text(image)));
            }
        }
        let texts: Vec<&str> = facts.iter().map(|text| images.get(text)?.as_deref()).collect::<Option<_>>()?;
        game.state_of(&texts)
    }

    fn image_of(&mut self, id: TermId, board: &Structure, map: &Map) -> Option<TermId> {
        let Some(mut row) = split(id, &self.terms, &self.fluents) else { return Some(id) };
        let place = self.coordinates(row.fluent, board);
        if place.is_none() && !map.roles {
            return Some(id);
        }
        let columns = &self.fluents[row.fluent].columns;
        if columns.iter().any(|column| column.path.len() > 1) {
            return None;
        }
        if map.roles {
            for value in &mut row.values {
                let role = self.roles.iter().position(|role| role == value);
                *value = role.map_or(*value, |role| self.roles[1 - role]);
            }
        }
        let Some([x, y]) = place else { return Some(self.terms.intern(self.fluents[row.fluent].name, row.values)) };
        let place = |at: usize| columns[at].values.iter().position(|&value| value == row.values[at]);
        let mut at = [place(x)?, place(y)?];
        if map.swap {
            at.swap(0, 1);
        }
        let mut args = row.values.clone();
        for (axis, column) in [x, y].into_iter().enumerate() {
            let values = &columns[column].values;
            let from_end = values.len().checked_sub(1 + at[axis])?;
            args[column] = values[if map.flip[axis] { from_end } else { at[axis] }];
        }
        Some(self.terms.intern(self.fluents[row.fluent].name, args))
    }

    /// The columns of a fluent that are places of the board.
    fn coordinates(&self, fluent: usize, board: &Structure) -> Option<[usize; 2]> {
        if fluent == board.fluent {
            return Some([board.inputs[0], board.inputs[1]]);
        }
        if !matches!(self.structures[fluent].kind, Kind::Set | Kind::Position | Kind::Board) {
            return None;
        }
        let axes = &self.fluents[board.fluent].columns;
        let columns = &self.fluents[fluent].columns;
        let within = |at: usize, axis: usize| {
            let all = &axes[board.inputs[axis]].values;
            columns[at].values.len() > 1 && columns[at].values.iter().all(|value| all.contains(value))
        };
        (1..columns.len()).find(|&at| within(at - 1, 0) && within(at, 1)).map(|at| [at - 1, at])
    }
}

impl Map {
    /// Where a place of a board of two by two goes.
    fn corner(&self, [x, y]: [bool; 2]) -> [bool; 2] {
        let [x, y] = if self.swap { [y, x] } else { [x, y] };
        [x ^ self.flip[0], y ^ self.flip[1]]
    }

    fn corners(&self, places: [[bool; 2]; 3]) -> [[bool; 2]; 3] {
        places.map(|place| self.corner(place))
    }
}

/// The maps without those that cannot all be right: two maps, one after the other, are a map again, and must not be a refuted one.
fn consistent(maps: Vec<(Map, u64)>) -> Vec<Finding> {
    let places = [[false, false], [true, false], [false, true]];
    let holds = |image: [[bool; 2]; 3], roles: bool| {
        (image == places && !roles) || maps.iter().any(|(map, _)| map.corners(places) == image && map.roles == roles)
    };
    let fits = |map: &Map| {
        maps.iter().all(|(other, _)| {
            let roles = map.roles != other.roles;
            holds(other.corners(map.corners(places)), roles) && holds(map.corners(other.corners(places)), roles)
        })
    };
    let kept = maps.iter().filter(|(map, _)| fits(map));
    let name =
        |map: &Map| if map.roles { format!("{} with the roles exchanged", map.name) } else { map.name.to_string() };
    kept.map(|(map, tested)| Finding { what: name(map), evidence: Evidence::Seen(*tested) }).collect()
}

/// A few states of random games, some early and some late.
fn sample<G: Facts>(game: &G, seed: u64) -> Result<Vec<G::State>, Limit> {
    let mut rng = Rng::new(seed);
    let mut view = game.view();
    let mut states = vec![game.start()];
    let mut tries = 0;
    while states.len() < STATES && tries < 4 * STATES {
        tries += 1;
        let (mut state, mut next) = (game.start(), game.start());
        // Half of the games are played to the end: who wins is what many maps change.
        let moves = if tries % 2 == 0 { LONGEST } else { 1 + rng.below(12 * tries) };
        for _ in 0..moves {
            game.look(&state, &mut view)?;
            if game.over(&view) {
                break;
            }
            let mut joint = Vec::new();
            for role in roles(game) {
                let mut legal = Vec::new();
                game.legal(&view, role, &mut legal);
                if !legal.is_empty() {
                    joint.push(legal[rng.below(legal.len())]);
                }
            }
            if joint.len() < game.roles() {
                break;
            }
            game.play(&mut view, &joint, &mut next)?;
            std::mem::swap(&mut state, &mut next);
        }
        if !states.contains(&state) {
            states.push(state);
        }
    }
    Ok(states)
}

/// The joint moves of a state, none if they are too many, and the number of moves of each role.
fn joints<G: Facts>(game: &G, view: &G::View) -> (Vec<Vec<Move>>, Vec<usize>) {
    let mut joints = vec![Vec::new()];
    let mut counts = Vec::new();
    for role in roles(game) {
        let mut legal = Vec::new();
        game.legal(view, role, &mut legal);
        counts.push(legal.len());
        if joints.len() * legal.len() > MOST_JOINT {
            joints.clear();
        }
        joints = joints
            .iter()
            .flat_map(|joint: &Vec<Move>| {
                legal.iter().map(move |&mv| joint.iter().copied().chain([mv]).collect::<Vec<Move>>())
            })
            .collect();
    }
    (joints, counts)
}
