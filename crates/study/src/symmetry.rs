//! Symmetries: maps of a board (mirrors, turns, with the roles exchanged or not) that change nothing.
//!
//! They are tested on states of random games: the mapped state must have as many moves, the same goals, and the mapped states
//! must follow. That refutes; it does not prove.

use crate::form::Fluent;
use crate::observe::split;
use crate::structure::{FluentKind, Structure};
use crate::study::Study;
use crate::terms::{TermId, Terms};
use game::random::Rng;
use game::{Facts, Limit, Move, Role, roles};
use std::collections::{HashMap, HashSet};

/// A map of the places of a board with two coordinates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BoardMap {
    /// Coordinates change places.
    pub swap: bool,
    /// Then the first, and the second, are counted from the other end.
    pub flip: [bool; 2],
    /// And the two roles change places, wherever facts name them.
    pub roles: bool,
    pub name: &'static str,
}

const IDENTITY: BoardMap = BoardMap { swap: false, flip: [false, false], roles: false, name: "the board as it is" };

const MAPS: [BoardMap; 7] = [
    BoardMap { swap: false, flip: [true, false], roles: false, name: "mirror left and right" },
    BoardMap { swap: false, flip: [false, true], roles: false, name: "mirror top and bottom" },
    BoardMap { swap: false, flip: [true, true], roles: false, name: "half turn" },
    BoardMap { swap: true, flip: [false, false], roles: false, name: "mirror along the diagonal" },
    BoardMap { swap: true, flip: [true, true], roles: false, name: "mirror along the other diagonal" },
    BoardMap { swap: true, flip: [true, false], roles: false, name: "quarter turn" },
    BoardMap { swap: true, flip: [false, true], roles: false, name: "quarter turn back" },
];

/// States on which maps are tested, and the most joint moves of a state that are followed.
const STATES: usize = 10;
const MOST_JOINT: usize = 120;
/// A game is not followed any longer than this.
const LONGEST: usize = 300;

impl Study {
    /// The maps of a board that change nothing in these states, with the number of states, as long as `more` says yes.
    pub(crate) fn maps_of<G: Facts>(
        &self,
        game: &G,
        board: &Structure,
        states: &[G::State],
        more: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<(BoardMap, u64)>, Limit> {
        let mut maps = Vec::new();
        let columns = &self.fluents[board.fluent].columns;
        let [width, height] = [0, 1].map(|at| columns[board.inputs[at]].values.len());
        let named = self.fluents.iter().flat_map(|fluent| &fluent.columns).any(|column| column.roles);
        let exchanged = [IDENTITY].into_iter().chain(MAPS).map(|map| BoardMap { roles: true, ..map });
        let exchanged = exchanged.filter(|_| named && game.roles() == 2);
        for map in MAPS.into_iter().chain(exchanged).filter(|map| !map.swap || width == height) {
            if !more() {
                break;
            }
            if let Some(tested) = self.keeps(game, board, &map, states)? {
                maps.push((map, tested));
            }
        }
        Ok(consistent(maps))
    }

    /// Whether a map changes nothing in these states; `None` if it does, otherwise in how many it was tested.
    fn keeps<G: Facts>(
        &self,
        game: &G,
        board: &Structure,
        map: &BoardMap,
        states: &[G::State],
    ) -> Result<Option<u64>, Limit> {
        let (mut view, mut other) = (game.view(), game.view());
        let mut tested = 0;
        let mut image_of = Images::new(self, board, map);
        let becomes = |role: Role| if map.roles { Role(1 - role.0) } else { role };
        for state in states {
            let Some(image) = image_of.state(game, state) else { return Ok(None) };
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
                let fits = image_of.state(game, &next).is_some_and(|image| follow.contains(&image));
                if !fits {
                    return Ok(None);
                }
            }
            tested += 1;
        }
        Ok((tested > 0).then_some(tested))
    }
}

/// The images of facts and states under a map.
pub(crate) struct Images<'a> {
    study: &'a Study,
    board: &'a Structure,
    map: &'a BoardMap,
    terms: Terms,
    /// The texts of facts with those of their images; `None` where there is none.
    texts: HashMap<String, Option<String>>,
}

impl<'a> Images<'a> {
    pub fn new(study: &'a Study, board: &'a Structure, map: &'a BoardMap) -> Images<'a> {
        Images { study, board, map, terms: study.terms.clone(), texts: HashMap::new() }
    }

    /// The state with all places mapped; `None` if there is no such state.
    pub fn state<G: Facts>(&mut self, game: &G, state: &G::State) -> Option<G::State> {
        let facts = game.facts(state);
        for text in &facts {
            self.text(text);
        }
        let texts: Vec<&str> = facts.iter().map(|text| self.texts.get(text)?.as_deref()).collect::<Option<_>>()?;
        game.state_of(&texts)
    }

    /// The image of a fact; `None` if there is none.
    pub fn text(&mut self, fact: &str) -> Option<&str> {
        if !self.texts.contains_key(fact) {
            let symbols = &self.study.rules.symbols;
            let id = self.terms.read(fact, symbols);
            let image = id.and_then(|id| self.term(id)).map(|image| self.terms.text(image, symbols));
            self.texts.insert(fact.to_string(), image);
        }
        self.texts.get(fact)?.as_deref()
    }

    fn term(&mut self, id: TermId) -> Option<TermId> {
        let (study, map) = (self.study, self.map);
        let Some(mut row) = split(id, &self.terms, &study.fluents) else { return Some(id) };
        let place = study.coordinates(row.fluent, self.board);
        if place.is_none() && !map.roles {
            return Some(id);
        }
        let fluent = &study.fluents[row.fluent];
        if fluent.columns.iter().any(|column| column.path.len() > 1) {
            return None;
        }
        if map.roles {
            for value in &mut row.values {
                let role = study.roles.iter().position(|role| role == value);
                *value = role.map_or(*value, |role| study.roles[1 - role]);
            }
        }
        if let Some([x, y]) = place {
            let [u, v] = map.place(fluent, [x, y], [row.values[x], row.values[y]])?;
            (row.values[x], row.values[y]) = (u, v);
        }
        Some(self.terms.intern(fluent.name, row.values))
    }
}

impl Study {
    /// The columns of a fluent that are places of the board.
    fn coordinates(&self, fluent: usize, board: &Structure) -> Option<[usize; 2]> {
        if fluent == board.fluent {
            return Some([board.inputs[0], board.inputs[1]]);
        }
        if !matches!(self.structures[fluent].kind, FluentKind::Set | FluentKind::Position | FluentKind::Board) {
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

impl BoardMap {
    /// Its name, with the roles.
    pub fn what(&self) -> String {
        if self.roles { format!("{} with the roles exchanged", self.name) } else { self.name.to_string() }
    }

    /// Where a place goes, given the columns that are its coordinates; `None` if it is no place.
    pub fn place(&self, fluent: &Fluent, columns: [usize; 2], place: [TermId; 2]) -> Option<[TermId; 2]> {
        let axes = columns.map(|column| &fluent.columns[column].values);
        let number = |axis: usize| axes[axis].iter().position(|&value| value == place[axis]);
        let mut at = [number(0)?, number(1)?];
        if self.swap {
            at.swap(0, 1);
        }
        let mut image = place;
        for axis in 0..2 {
            let from_end = axes[axis].len().checked_sub(1 + at[axis])?;
            image[axis] = axes[axis][if self.flip[axis] { from_end } else { at[axis] }];
        }
        Some(image)
    }

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
fn consistent(maps: Vec<(BoardMap, u64)>) -> Vec<(BoardMap, u64)> {
    let places = [[false, false], [true, false], [false, true]];
    let holds = |image: [[bool; 2]; 3], roles: bool| {
        (image == places && !roles) || maps.iter().any(|(map, _)| map.corners(places) == image && map.roles == roles)
    };
    let fits = |map: &BoardMap| {
        maps.iter().all(|(other, _)| {
            let roles = map.roles != other.roles;
            holds(other.corners(map.corners(places)), roles) && holds(map.corners(other.corners(places)), roles)
        })
    };
    maps.iter().filter(|(map, _)| fits(map)).copied().collect()
}

/// A few states of random games, some early and some late.
pub(crate) fn sample<G: Facts>(game: &G, seed: u64) -> Result<Vec<G::State>, Limit> {
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
pub(crate) fn joints<G: Facts>(game: &G, view: &G::View) -> (Vec<Vec<Move>>, Vec<usize>) {
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
