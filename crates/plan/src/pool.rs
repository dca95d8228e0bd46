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
    /// How many of the attributes are plain, those that come first; the others are made from them.
    pub plain: usize,
    /// For each plain attribute those that are made from it.
    pub shapes: Vec<Vec<usize>>,
}

/// The most bytes of columns that are made from other columns.
const SHAPED: usize = 64 << 20;

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
    // Things that never come back: where there are such, rows and columns are different.
    let one_way: Vec<bool> = movers
        .movers
        .iter()
        .zip(&mobile)
        .map(|(mover, &moves)| {
            let back = |(from, ways): (usize, &Vec<crate::movers::Way>)| {
                ways.iter().any(|way| mover.ways[usize::from(way.to)].iter().any(|back| usize::from(back.to) == from))
            };
            moves && !mover.ways.iter().enumerate().any(back)
        })
        .collect();
    for (thing, &moves) in mobile.iter().enumerate() {
        let mut zones = Vec::new();
        for (zone, set) in [(Place::Edge, edge), (Place::Corner, corner), (Place::Middle, middle)] {
            if set != 0 {
                zones.push(zone);
            }
        }
        zones.extend((0..things).filter(|&other| other != thing && split[other]).map(Place::CornerOf));
        zones.extend((0..things).filter(|&other| one_way[other]).map(Place::EndOf));
        if moves && !one_way[thing] {
            // Two cells ahead of what cannot turn back.
            let ahead = |other: usize| (1..=2).map(move |moves| Place::Ahead(other, moves));
            zones.extend((0..things).filter(|&other| one_way[other] && most_of(world, other) == 1).flat_map(ahead));
        }
        for zone in zones {
            let own = matches!(zone, Place::EndOf(of) if of == thing).then_some(thing);
            add(Attribute::Distance { by: own, from: thing, to: zone });
        }
        if one_way.contains(&true) {
            add(Attribute::Up(thing));
        }
        for (first, second) in (0..things).flat_map(|second| (0..second).map(move |first| (first, second))) {
            let ours = |thing: usize| world.board.things[thing].ours;
            if thing != first
                && thing != second
                && ours(first).is_some()
                && ours(second) == ours(first).map(|ours| !ours)
            {
                add(Attribute::Between(thing, first, second));
            }
        }
        for other in (0..things).filter(|&other| other != thing) {
            if other > thing {
                add(Attribute::Aside(thing, other));
                if one_way.contains(&true) {
                    add(Attribute::Across(thing, other));
                }
                add(Attribute::Distance { by: None, from: thing, to: Place::Thing(other) });
            }
            if moves && !walks(thing) {
                add(Attribute::Distance { by: Some(thing), from: thing, to: Place::Thing(other) });
                add(Attribute::Blocked { thing, target: other });
            }
            let ours = |thing: usize| world.board.things[thing].ours;
            if moves && ours(thing).is_some() && ours(thing) != ours(other) {
                add(Attribute::Room { thing, by: other });
            }
            if moves && walks(thing) {
                add(Attribute::Kept { thing, from: other });
            }
        }
        if moves {
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
    for (thing, &moves) in mobile.iter().enumerate() {
        let most = most_of(world, thing);
        if most > 1 || least_of(world, thing) != most {
            add(Attribute::Count(thing));
        }
        for (name, ends) in [("the cells where it wins", Kind::Won), ("the cells where it loses", Kind::Failed)] {
            let cells = only_at_ends(world, thing, ends);
            if !cells.is_empty() {
                let to = Place::Cells { name: name.into(), cells };
                let by = moves.then_some(thing);
                add(Attribute::Distance { by, from: thing, to: to.clone() });
                if most > 1 {
                    add(Attribute::Distances { by, from: thing, to });
                }
            }
        }
        if most > 1 {
            for (zone, set) in [(Place::Edge, edge), (Place::Middle, middle)] {
                if set != 0 {
                    add(Attribute::Distances { by: None, from: thing, to: zone });
                }
            }
            for other in (0..things).filter(|&other| other != thing) {
                add(Attribute::Distances { by: None, from: thing, to: Place::Thing(other) });
            }
        }
    }
    if world.board.cells.len() * things <= 20 {
        for thing in 0..things {
            (0..world.board.cells.len() as u8).for_each(|cell| add(Attribute::On(thing, cell)));
        }
    }
    let home = at_every_win(world);
    if !home.is_empty() {
        add(Attribute::Home(home.clone()));
        add(Attribute::Astray(home));
    }
    fetched(world, &mobile).into_iter().for_each(&mut add);
    let counters = world.board.counters.len();
    if counters > 0 {
        add(Attribute::Nim((0..counters).collect()));
        let all: Vec<(u8, Attribute)> = (0..counters).map(|counter| (1, Attribute::Counter(counter))).collect();
        for by in [2, 3, 4] {
            add(Attribute::Modulo(Box::new(Attribute::Sum(all.clone())), by));
        }
        add(Attribute::Sum(all));
        (0..counters).for_each(|counter| add(Attribute::Counter(counter)));
    }
    for thing in (0..things).filter(|&thing| most_of(world, thing) > 2) {
        for by in [2, 3, 4] {
            add(Attribute::Modulo(Box::new(Attribute::Count(thing)), by));
        }
    }
    add(Attribute::Controlled { ours: true });
    add(Attribute::Controlled { ours: false });
    // Where cells are no places, nothing is near or far, and nothing goes anywhere.
    if !world.board.facts.is_empty() && world.board.facts.iter().all(|fact| !fact.is_empty()) {
        let lies = |attribute: &Attribute| {
            !matches!(attribute, Attribute::Count(_) | Attribute::On(..) | Attribute::Home(_) | Attribute::Modulo(..))
        };
        list.retain(|attribute| !lies(attribute));
    }
    list
}

/// Attributes that look a move further than the simple ones: where things are safe after it, and whom they attack from there, one alone or
/// two at once. They take longer to work out, so that searches for lists do without.
pub fn strikes(world: &World, movers: &Movers) -> Vec<Attribute> {
    let things = world.board.things.len();
    let ours = |thing: usize| world.board.things[thing].ours;
    let mobile = |thing: &usize| movers.movers[*thing].ways.iter().any(|ways| !ways.is_empty());
    let mut list = Vec::new();
    for thing in (0..things).filter(mobile).filter(|&thing| ours(thing).is_some()) {
        list.push(Attribute::Havens(thing));
        let foes: Vec<usize> = (0..things).filter(|&foe| ours(foe) == ours(thing).map(|ours| !ours)).collect();
        let pairs =
            foes.iter().enumerate().flat_map(|(at, &foe)| foes[..at].iter().map(move |&other| vec![other, foe]));
        for targets in foes.iter().map(|&foe| vec![foe]).chain(pairs) {
            list.push(Attribute::Strikes { thing, targets: targets.clone() });
            list.push(Attribute::Strike { thing, targets });
        }
    }
    list
}

/// Calls `seen` with the scenes of some thousand positions, from all over the world.
fn some(world: &World, mut seen: impl FnMut(&Scene, Kind)) {
    let mut scene = Scene::new(&world.board);
    let stride = (world.len() / 50_000).max(1);
    for node in (2..world.len()).step_by(stride).filter(|&node| world.kinds[node] != Kind::Unused) {
        world.scenes.scene(node as u32, &mut scene);
        seen(&scene, world.kinds[node]);
    }
}

fn most_of(world: &World, thing: usize) -> u32 {
    let mut most = 0;
    some(world, |scene, _| most = most.max(scene.sets[thing].count_ones()));
    most
}

fn least_of(world: &World, thing: usize) -> u32 {
    let mut least = u32::MAX;
    some(world, |scene, _| least = least.min(scene.sets[thing].count_ones()));
    least
}

/// The cells on which a thing stands only when the game is over in this way.
fn only_at_ends(world: &World, thing: usize, ends: Kind) -> Vec<u8> {
    let (mut at_end, mut elsewhere) = (0, 0);
    let mut scene = Scene::new(&world.board);
    for node in 2..world.len() {
        world.scenes.scene(node as u32, &mut scene);
        if world.kinds[node] == ends {
            at_end |= scene.sets[thing];
        } else if world.kinds[node] != Kind::Unused {
            elsewhere |= scene.sets[thing];
        }
    }
    cells(at_end & !elsewhere).collect()
}

/// What stands where at every win inside the world.
fn at_every_win(world: &World) -> Vec<(usize, u8)> {
    let mut scene = Scene::new(&world.board);
    let mut always: Option<Vec<crate::scene::Cells>> = None;
    for node in (2..world.len()).filter(|&node| world.kinds[node] == Kind::Won) {
        world.scenes.scene(node as u32, &mut scene);
        match &mut always {
            None => always = Some(scene.sets.clone()),
            Some(always) => always.iter_mut().zip(&scene.sets).for_each(|(all, set)| *all &= set),
        }
    }
    let always = always.unwrap_or_default();
    always.iter().enumerate().flat_map(|(thing, &set)| cells(set).map(move |cell| (thing, cell))).collect()
}

/// The most cells where something begins that can be said to begin there.
const MOST_FETCHED: usize = 2;

/// What comes to a cell without having moved there, and only when a thing that moves has come to a certain place.
fn fetched(world: &World, mobile: &[bool]) -> Vec<Attribute> {
    let (things, cells_of_board) = (world.board.things.len(), world.board.cells.len());
    // For each thing that moves, and each thing and cell that begins, where the first was then.
    let mut places = vec![0; things * things * cells_of_board];
    world.scenes.moves(world, &mut |before, after, ours| {
        if !ours {
            return;
        }
        let came = |thing: usize| after.sets[thing] & !before.sets[thing];
        let mut moved = (0..things).filter(|&thing| mobile[thing] && came(thing) != 0);
        let (Some(thing), None) = (moved.next(), moved.next()) else { return };
        for what in (0..things).filter(|&what| !mobile[what]) {
            for cell in cells(came(what)) {
                places[(thing * things + what) * cells_of_board + usize::from(cell)] |= came(thing);
            }
        }
    });
    let found = places.iter().enumerate().filter(|(_, set)| (1..=MOST_FETCHED).contains(&(set.count_ones() as usize)));
    found
        .map(|(at, &set)| Attribute::Fetch {
            thing: at / cells_of_board / things,
            at: cells(set).collect(),
            what: at / cells_of_board % things,
            cell: (at % cells_of_board) as u8,
        })
        .collect()
}

/// Works out the values of attributes in all positions.
pub fn columns(world: &World, movers: &Movers, attributes: &[Attribute]) -> Vec<Vec<u8>> {
    columns_watched(world, movers, attributes, &mut |_, _| true)
}

/// The same; `watch` hears how many positions are done of how many, and `false` ends it: what is left has no values.
fn columns_watched(
    world: &World,
    movers: &Movers,
    attributes: &[Attribute],
    watch: &mut dyn FnMut(usize, usize) -> bool,
) -> Vec<Vec<u8>> {
    let frame = Frame::new(&world.board);
    const PART: usize = 1 << 11;
    let count = world.len();
    let values = |part: usize| {
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
    };
    let mut columns: Vec<Vec<u8>> = (0..attributes.len()).map(|_| Vec::with_capacity(count)).collect();
    let parts: Vec<usize> = (0..count.div_ceil(PART)).collect();
    for some in parts.chunks(16) {
        if !watch(some[0] * PART, count) {
            break;
        }
        for part in some.par_iter().map(|&part| values(part)).collect::<Vec<_>>() {
            columns.iter_mut().zip(part).for_each(|(column, values)| column.extend(values));
        }
    }
    columns.iter_mut().for_each(|column| column.resize(count, 0));
    columns
}

impl Pool {
    /// Attributes and their values; those that are the same everywhere are left out.
    /// `watch` hears how many positions are done of how many, and `false` ends it.
    pub fn new(
        world: &World,
        movers: &Movers,
        attributes: Vec<Attribute>,
        watch: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Pool {
        let columns = columns_watched(world, movers, &attributes, watch);
        let mut pool = Pool::given(Vec::new(), Vec::new());
        for (attribute, column) in attributes.into_iter().zip(columns) {
            let used = |&(node, _): &(usize, &u8)| world.kinds[node] == Kind::Ours;
            let mut values = column.iter().enumerate().filter(used).map(|(_, value)| *value);
            let first = values.next();
            let same = |known: &Vec<u8>| alike(world, known, &column);
            if values.any(|value| Some(value) != first) && !pool.columns.iter().any(same) {
                pool.attributes.push(attribute);
                pool.columns.push(column);
            }
        }
        Pool::given(pool.attributes, pool.columns)
    }

    /// The plain attributes with their values.
    pub fn tried(&self) -> impl Iterator<Item = (&Attribute, &[u8])> {
        self.attributes[..self.plain].iter().zip(self.columns.iter().map(Vec::as_slice))
    }

    /// Attributes whose values are known.
    pub fn given(attributes: Vec<Attribute>, columns: Vec<Vec<u8>>) -> Pool {
        let plain = attributes.len();
        Pool { attributes, columns, plain, shapes: vec![Vec::new(); plain] }
    }

    /// Adds attributes that are made from plain ones: how far above a number, up to a number, how far from it; for the lowest numbers above
    /// the least value, as long as there is room.
    pub fn shape(&mut self, world: &World) {
        let mut room = SHAPED;
        for above in 1..=4u8 {
            for plain in 0..self.plain {
                let used = |&(node, _): &(usize, &u8)| world.kinds[node] == Kind::Ours;
                let values = || self.columns[plain].iter().enumerate().filter(used).map(|(_, value)| *value);
                let (least, most) = (values().min().unwrap_or(0), values().filter(|&v| v != FAR).max().unwrap_or(0));
                let Some(bound) = least.checked_add(above).filter(|&bound| bound < most && most - least <= 16) else {
                    continue;
                };
                let inner = || Box::new(self.attributes[plain].clone());
                let mut made = vec![
                    Attribute::Beyond(inner(), bound),
                    Attribute::UpTo(inner(), bound),
                    Attribute::Off(inner(), bound),
                ];
                if matches!(self.attributes[plain], Attribute::Distance { .. } | Attribute::Aside(..)) {
                    made.push(Attribute::Modulo(inner(), 2));
                }
                for attribute in made {
                    if room < world.len() {
                        return;
                    }
                    let column: Vec<u8> = self.columns[plain].iter().map(|&value| attribute.shaped(value)).collect();
                    if !self.columns.contains(&column) {
                        room -= world.len();
                        self.shapes[plain].push(self.columns.len());
                        self.attributes.push(attribute);
                        self.columns.push(column);
                    }
                }
            }
        }
    }
}

/// Whether two columns order positions in the same way, or in the opposite way.
fn alike(world: &World, first: &[u8], second: &[u8]) -> bool {
    let mut map = [None; 256];
    for (node, (&a, &b)) in first.iter().zip(second).enumerate() {
        if world.kinds[node] == Kind::Ours {
            match map[usize::from(a)] {
                None => map[usize::from(a)] = Some(b),
                Some(known) if known != b => return false,
                Some(_) => {}
            }
        }
    }
    let values: Vec<u8> = map.into_iter().flatten().collect();
    values.windows(2).all(|pair| pair[0] < pair[1]) || values.windows(2).all(|pair| pair[0] > pair[1])
}
