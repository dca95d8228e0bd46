//! The attributes that are tried: everything of low complexity that can be said about the things of a board.

use crate::attribute::{Attribute, Frame, Look, Place};
use crate::movers::{FAR, Movers};
use crate::scene::{Scene, cells};
use crate::world::{Kind, World};
use rayon::prelude::*;

/// Attributes with their values for all positions.
pub struct Pool {
    /// The attributes.
    pub attributes: Vec<Attribute>,
    /// For each attribute its value in every position.
    pub columns: Vec<Vec<u8>>,
}

/// Simple attributes of a world: distances between things and to zones by steps and by their own moves, what is attacked and
/// defended, where things can go.
pub fn simple(world: &World, movers: &Movers) -> Vec<Attribute> {
    let frame = Frame::new(&world.board);
    let things = world.board.things.len();
    let [edge, corner, middle] = frame.zones();
    let mut list = Vec::new();
    let mut add = |attribute: Attribute| {
        if !list.contains(&attribute) {
            list.push(attribute);
        }
    };
    let mobile: Vec<bool> = movers.movers.iter().map(|mover| mover.ways.iter().any(|ways| !ways.is_empty())).collect();
    // Whether a thing moves in steps of the board, and whether it can get everywhere.
    let walks = |thing: usize| movers.movers[thing].steps == movers.board;
    let split: Vec<bool> = (0..things)
        .map(|thing| {
            let all = cells(corner).collect::<Vec<_>>();
            mobile[thing] && all.iter().any(|&from| all.iter().any(|&to| movers.steps(Some(thing), from, to) == FAR))
        })
        .collect();
    for thing in 0..things {
        let mut zones = Vec::new();
        for (zone, set) in [(Place::Edge, edge), (Place::Corner, corner), (Place::Middle, middle)] {
            if set != 0 {
                zones.push(zone);
            }
        }
        zones.extend((0..things).filter(|&other| other != thing && split[other]).map(Place::CornerOf));
        for zone in zones {
            add(Attribute::Distance { by: None, from: thing, to: zone });
        }
        for other in (0..things).filter(|&other| other != thing) {
            if other > thing {
                add(Attribute::Aside(thing, other));
                add(Attribute::Distance { by: None, from: thing, to: Place::Thing(other) });
            }
            if mobile[thing] && !walks(thing) {
                add(Attribute::Distance { by: Some(thing), from: thing, to: Place::Thing(other) });
                add(Attribute::Blocked { thing, target: other });
            }
            let ours = |thing: usize| world.board.things[thing].ours;
            if mobile[thing] && ours(thing).is_some() && ours(thing) != ours(other) {
                add(Attribute::Room { thing, by: other });
            }
            if mobile[thing] && walks(thing) {
                add(Attribute::Kept { thing, from: other });
            }
        }
        if mobile[thing] {
            for attribute in [
                Attribute::Moves(thing),
                Attribute::Escapes(thing),
                Attribute::Attacked(thing),
                Attribute::Loose(thing),
                Attribute::Defended(thing),
                Attribute::Region(thing),
            ] {
                add(attribute);
            }
        }
    }
    add(Attribute::Controlled { ours: true });
    add(Attribute::Controlled { ours: false });
    list
}

/// Works out the values of attributes in all positions.
pub fn columns(world: &World, movers: &Movers, attributes: &[Attribute]) -> Vec<Vec<u8>> {
    let frame = Frame::new(&world.board);
    const PART: usize = 1 << 13;
    let count = world.len();
    let parts: Vec<Vec<Vec<u8>>> = (0..count.div_ceil(PART))
        .into_par_iter()
        .map(|part| {
            let mut look = Look::new(movers, &frame);
            let mut scene = Scene::new(&world.board);
            let (from, to) = (part * PART, ((part + 1) * PART).min(count));
            let mut out = vec![Vec::with_capacity(to - from); attributes.len()];
            for node in from..to {
                let used = matches!(world.kinds[node], Kind::Ours | Kind::Theirs);
                if used {
                    world.scenes.scene(node as u32, &mut scene);
                    look.at(&scene);
                }
                for (column, attribute) in out.iter_mut().zip(attributes) {
                    column.push(if used { look.value(attribute) } else { 0 });
                }
            }
            out
        })
        .collect();
    let mut columns: Vec<Vec<u8>> = (0..attributes.len()).map(|_| Vec::with_capacity(count)).collect();
    for part in parts {
        for (column, values) in columns.iter_mut().zip(part) {
            column.extend(values);
        }
    }
    columns
}

impl Pool {
    /// Attributes and their values; those that are the same everywhere are left out.
    pub fn new(world: &World, movers: &Movers, attributes: Vec<Attribute>) -> Pool {
        let columns = columns(world, movers, &attributes);
        let mut pool = Pool { attributes: Vec::new(), columns: Vec::new() };
        for (attribute, column) in attributes.into_iter().zip(columns) {
            let used = |&(node, _): &(usize, &u8)| world.kinds[node] == Kind::Ours;
            let mut values = column.iter().enumerate().filter(used).map(|(_, value)| *value);
            let first = values.next();
            if values.any(|value| Some(value) != first) && !pool.columns.contains(&column) {
                pool.attributes.push(attribute);
                pool.columns.push(column);
            }
        }
        pool
    }
}
