//! Chess endings as a [`World`]: every position of the men of a table, up to the symmetries of the board.

use crate::scene::{Board, Scene, Thing, bit};
use crate::world::{FAILED, Kind, NO_LEVEL, Scenes, WON, World};
use native::chess::{Colour, Position};
use rayon::prelude::*;
use table::chess::{Index, Material, Metric, Outcome, Placement, ProbeError, Tables};

/// The positions before those of the table: the two that stand for ends outside.
const OUTSIDE: u32 = 2;

/// An ending, and how its positions are numbered.
pub struct Ending {
    index: Index,
}

impl Ending {
    /// The ending of these men.
    pub fn new(material: Material) -> Ending {
        Ending { index: Index::new(material) }
    }

    /// The men.
    pub fn material(&self) -> Material {
        self.index.material()
    }

    /// How many numbers there are with white to move.
    pub fn positions(&self) -> usize {
        self.index.len() as usize
    }

    /// The first of them.
    pub fn first(&self) -> u32 {
        OUTSIDE
    }

    /// The number of a position with exactly these men, white being the stronger side; `None` if the kings touch.
    pub fn node(&self, position: &Position) -> Option<u32> {
        let number = self.canonical(&self.index.place(position))?;
        let side = if position.turn == Colour::White { 0 } else { self.index.len() };
        Some((u64::from(OUTSIDE) + side + number) as u32)
    }

    /// The position of a number that is not one of those that stand for ends outside.
    pub fn position(&self, node: u32) -> Position {
        let number = u64::from(node - OUTSIDE);
        let len = self.index.len();
        let turn = if number < len { Colour::White } else { Colour::Black };
        self.index.position(&self.index.unrank(number % len), turn)
    }

    /// The number of a placement; of two mirror images that both have one the smaller.
    fn canonical(&self, placement: &Placement) -> Option<u64> {
        let number = self.index.rank(placement)?;
        if self.material().pawns() {
            return Some(number);
        }
        let mirrored = |square: u8| (square & 7) << 3 | square >> 3;
        let twin = Placement {
            white: mirrored(placement.white),
            black: mirrored(placement.black),
            men: placement.men.map(mirrored),
        };
        Some(number.min(self.index.rank(&twin).unwrap_or(number)))
    }
}

/// What an ending's positions look like.
pub struct EndingScenes {
    ending: Ending,
}

/// The things on the board: the kings, then the other men, each kind of each colour once.
fn things(material: Material) -> Vec<(native::chess::Man, Thing)> {
    let mut men: Vec<native::chess::Man> = Vec::new();
    for colour in Colour::BOTH {
        men.push(native::chess::Man { colour, kind: native::chess::Kind::King });
        for man in material.men().into_iter().filter(|man| man.colour == colour) {
            if !men.contains(&man) {
                men.push(man);
            }
        }
    }
    let name = |man: &native::chess::Man| {
        let side = if man.colour == Colour::White { "white" } else { "black" };
        format!("{side} {}", format!("{:?}", man.kind).to_lowercase())
    };
    men.into_iter().map(|man| (man, Thing { name: name(&man), ours: Some(man.colour == Colour::White) })).collect()
}

/// The board of an ending.
pub fn board(material: Material) -> Board {
    let cells = (0..64u8).map(|at| format!("{}{}", (b'a' + (at & 7)) as char, (at >> 3) + 1)).collect();
    let places = (0..64i16).map(|at| (at & 7, at >> 3)).collect();
    let neighbours =
        (0..64usize).map(|at| native::chess::geometry::squares(native::chess::geometry::KING[at]).collect()).collect();
    let things = things(material).into_iter().map(|(_, thing)| thing).collect();
    Board { cells, places, neighbours, things, ..Board::default() }
}

/// The kinds of men of an ending, in the order of its things.
pub(crate) fn men_of(material: Material) -> Vec<native::chess::Man> {
    things(material).into_iter().map(|(man, _)| man).collect()
}

/// Writes what stands where, for these kinds of men.
pub(crate) fn scene_by(men: &[native::chess::Man], position: &Position, scene: &mut Scene) {
    for (set, man) in scene.sets.iter_mut().zip(men) {
        *set = u128::from(position.men[man.colour as usize][man.kind as usize]);
    }
}

/// What stands where in a position of an ending.
pub fn scene_of(material: Material, position: &Position) -> Scene {
    let men = men_of(material);
    let mut scene = Scene { sets: vec![0; men.len()], counters: Vec::new() };
    scene_by(&men, position, &mut scene);
    scene
}

impl Scenes for EndingScenes {
    fn scene(&self, node: u32, scene: &mut Scene) {
        scene.clear();
        if node < OUTSIDE {
            return;
        }
        let index = &self.ending.index;
        let placement = index.unrank(u64::from(node - OUTSIDE) % index.len());
        let kings = [placement.white, placement.black];
        // Kings come first on each side; the men of a placement are in the order of the material.
        let mut at = 0;
        for colour in Colour::BOTH {
            scene.sets[at] = bit(kings[colour as usize]);
            let mut last = None;
            for (man, &square) in index.men().iter().zip(&placement.men).filter(|(man, _)| man.colour == colour) {
                at += usize::from(last != Some(man.kind));
                scene.sets[at] |= bit(square);
                last = Some(man.kind);
            }
            at += 1;
        }
    }

    fn moves(&self, world: &World, seen: &mut dyn FnMut(&Scene, &Scene, bool)) {
        let material = self.ending.material();
        let men = men_of(material);
        let (mut before, mut after) = (Scene::new(&world.board), Scene::new(&world.board));
        // Positions from all over the table, each in one of its mirror images: a board has no triangle of its own.
        let len = self.ending.index.len() as u32;
        let mut at = 1u64;
        for _ in 0..150_000 {
            at = at.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let node = OUTSIDE + (((at >> 33) as u32) % (2 * len));
            if world.kinds[node as usize] == Kind::Unused {
                continue;
            }
            let position = turned(&self.ending.position(node), (at >> 20) as usize, material.pawns());
            scene_by(&men, &position, &mut before);
            for step in position.legal().iter().filter(|step| step.promotion.is_none()) {
                scene_by(&men, &position.after(step), &mut after);
                seen(&before, &after, position.turn == Colour::White);
            }
        }
    }
}

/// One of the mirror images of a position.
fn turned(position: &Position, symmetry: usize, pawns: bool) -> Position {
    let mut image = Position::empty(position.turn);
    for (man, mut square) in position.list() {
        if symmetry & 1 != 0 {
            square ^= 7;
        }
        if symmetry & 2 != 0 && !pawns {
            square ^= 56;
        }
        if symmetry & 4 != 0 && !pawns {
            square = (square & 7) << 3 | square >> 3;
        }
        image.put(man, square);
    }
    image
}

/// What one position leads to.
struct Found {
    kind: Kind,
    plies: u16,
    next: Vec<u32>,
}

/// The world of an ending, white to win. The tables must hold it and all that its moves lead to.
pub fn world(material: Material, metric: Metric, tables: &Tables) -> Result<World, ProbeError> {
    let ending = Ending::new(material);
    let count = OUTSIDE as usize + 2 * ending.index.len() as usize;
    let mut world = World {
        name: material.to_string(),
        board: board(material),
        kinds: vec![Kind::Won, Kind::Failed],
        first: vec![0, 0],
        edges: Vec::new(),
        plies: vec![0, NO_LEVEL],
        by_turns: false,
        alone: false,
        scenes: Box::new(EndingScenes { ending: Ending::new(material) }),
    };
    const PART: usize = 1 << 15;
    let mut from = OUTSIDE as usize;
    while from < count {
        let to = (from + 16 * PART).min(count);
        let parts: Vec<Vec<Found>> = (from..to)
            .into_par_iter()
            .chunks(PART)
            .map(|part| part.into_iter().map(|node| find(&ending, metric, tables, node as u32)).collect())
            .collect::<Result<_, ProbeError>>()?;
        for found in parts.into_iter().flatten() {
            world.first.push(world.edges.len() as u32);
            world.kinds.push(found.kind);
            world.plies.push(found.plies);
            world.edges.extend(found.next);
        }
        from = to;
    }
    world.first.push(world.edges.len() as u32);
    world.find_turns();
    Ok(world)
}

fn find(ending: &Ending, metric: Metric, tables: &Tables, node: u32) -> Result<Found, ProbeError> {
    let unused = Found { kind: Kind::Unused, plies: NO_LEVEL, next: Vec::new() };
    let position = ending.position(node);
    if position.broken() || ending.node(&position) != Some(node) {
        return Ok(unused);
    }
    let white = position.turn == Colour::White;
    let plies = match (tables.probe(&position, metric)?, white) {
        (Outcome::Win(plies), true) | (Outcome::Loss(plies), false) => plies as u16,
        _ => NO_LEVEL,
    };
    let legal = position.legal();
    if legal.is_empty() {
        let won = !white && position.in_check(Colour::Black);
        return Ok(Found { kind: if won { Kind::Won } else { Kind::Failed }, plies, next: Vec::new() });
    }
    let mut next = Vec::with_capacity(legal.len());
    for step in &legal {
        let after = position.after(step);
        if step.converts() {
            let won = match tables.probe(&after, metric)? {
                Outcome::Win(_) => !white,
                Outcome::Loss(_) => white,
                Outcome::Draw => false,
            };
            next.push(if won { WON } else { FAILED });
        } else {
            next.push(ending.node(&after).unwrap_or(FAILED));
        }
    }
    next.sort_unstable();
    next.dedup();
    Ok(Found { kind: if white { Kind::Ours } else { Kind::Theirs }, plies, next })
}

/// What positions and moves of an ending are called: FEN, and moves as chess players write them.
pub struct EndingWords(pub Ending);

impl crate::build::Tell for EndingWords {
    fn position(&self, node: u32) -> String {
        if node < OUTSIDE { String::new() } else { self.0.position(node).fen() }
    }

    fn step(&self, from: u32, to: u32) -> String {
        let position = self.0.position(from);
        let leads = |step: &&native::chess::Step| {
            if step.converts() { to < OUTSIDE } else { self.0.node(&position.after(step)) == Some(to) }
        };
        position.legal().iter().find(leads).map_or_else(String::new, |step| position.san(step))
    }
}
