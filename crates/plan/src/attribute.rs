//! Attributes: numbers that a person can read off a board. They are made from what things can do ([`Movers`]), never from what
//! things are called.
//!
//! An [`Attribute`] is data: it is written to plan files as it is, and read back by whoever checks them. Values are whole numbers
//! from 0 to 255; what cannot be said (the distance to a thing that is gone) is 255.

use crate::movers::{FAR, Movers};
use crate::scene::{Board, Cells, Scene, bit, cells};
use serde::{Deserialize, Serialize};

/// Some cells of the board.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// Where a thing stands.
    Thing(usize),
    /// The cells at the edge: those with fewer neighbours than others.
    Edge,
    /// The corners: those with the fewest neighbours.
    Corner,
    /// The cells in the middle: those furthest from the edge.
    Middle,
    /// The corners that a thing can reach from where it stands.
    CornerOf(usize),
    /// The last cells that a thing can get to by its own moves: where it can go no further.
    EndOf(usize),
    /// The cells that a thing gets to in exactly so many of its own moves, if nothing is in the way.
    Ahead(usize, u8),
    /// Cells that are given one by one, with a name: those where it wins.
    Cells {
        /// What they are called.
        name: String,
        /// Which they are.
        cells: Vec<u8>,
    },
}

/// What is counted or measured. Things are numbers in the list of the board.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attribute {
    /// How many of a thing there are.
    Count(usize),
    /// From a thing to a place: fewest steps of the board, or moves of a thing, of the nearest one.
    Distance {
        /// Whose moves; steps from neighbour to neighbour if nobody's.
        by: Option<usize>,
        /// From here, the nearest.
        from: usize,
        /// To here.
        to: Place,
    },
    /// The same, added up over all of the thing.
    Distances {
        /// As above.
        by: Option<usize>,
        /// From here, each.
        from: usize,
        /// To here.
        to: Place,
    },
    /// How many cells a thing can go to.
    Moves(usize),
    /// How many cells a thing can go to without being attacked there.
    Escapes(usize),
    /// How far two things are from being in line: the lesser of the distances across and up.
    Aside(usize, usize),
    /// Whether a thing stands between two others, across or up: 1 or 0.
    Between(usize, usize, usize),
    /// How many columns two things are apart.
    Across(usize, usize),
    /// How far up a thing is, from the lowest row; the nearest to it of several.
    Up(usize),
    /// How many of a thing are attacked.
    Attacked(usize),
    /// How many of a thing are attacked and not defended.
    Loose(usize),
    /// How many of a thing are defended.
    Defended(usize),
    /// How many cells a thing can go to where it is not attacked, or where it is defended.
    Havens(usize),
    /// How many cells a thing can go to, without being attacked there, from which it attacks all of these at once.
    Strikes {
        /// The one that goes there.
        thing: usize,
        /// Those that are attacked.
        targets: Vec<usize>,
    },
    /// How many moves a thing needs until it attacks all of these at once, never where it is attacked, while all others stand still.
    Strike {
        /// The one that goes there.
        thing: usize,
        /// Those that are attacked.
        targets: Vec<usize>,
    },
    /// How many cells a thing can ever get to without going where it is attacked.
    Region(usize),
    /// The same, if one thing of the other side were alone: the room that it leaves.
    Room {
        /// The one that is shut in.
        thing: usize,
        /// The one that shuts it in.
        by: usize,
    },
    /// The steps from the place where a thing is to the nearest cell of what another one can ever get to; how well it is kept away.
    Kept {
        /// The one that is kept away.
        thing: usize,
        /// From this one.
        from: usize,
    },
    /// How many cells the things of one side attack.
    Controlled {
        /// Whose.
        ours: bool,
    },
    /// How many cells lie between two things in the line of a third.
    Blocked {
        /// The one that looks.
        thing: usize,
        /// The one that is looked at: 1 if something stands between, 0 if it is seen, 2 if it is in no line.
        target: usize,
    },
    /// Whether a thing is on a cell: 1 or 0.
    On(usize, u8),
    /// How many of these things are on these cells: those that are there whenever it is won.
    Home(Vec<(usize, u8)>),
    /// How many moves of their own things are from these cells, added up; steps for those that do not move.
    Astray(Vec<(usize, u8)>),
    /// Until one thing is on a cell: the moves of another one to the cells where it always is when that begins; 0 from then on.
    Fetch {
        /// The one that goes there.
        thing: usize,
        /// Where that is.
        at: Vec<u8>,
        /// What begins there.
        what: usize,
        /// And on which cell.
        cell: u8,
    },
    /// The value of a counter.
    Counter(usize),
    /// The counters, exclusive or.
    Nim(Vec<usize>),
    /// The remainder of another attribute.
    Modulo(Box<Attribute>, u8),
    /// A sum with weights.
    Sum(Vec<(u8, Attribute)>),
    /// Two attributes multiplied.
    Times(Box<Attribute>, Box<Attribute>),
    /// How far another attribute is above a number; 0 up to it.
    Beyond(Box<Attribute>, u8),
    /// Another attribute, but never more than a number.
    UpTo(Box<Attribute>, u8),
    /// How far another attribute is from a number.
    Off(Box<Attribute>, u8),
}

/// More moves than this to an attack are not told apart.
pub const MOST_STRIKE: u8 = 4;

/// What is worked out about a position once, for all attributes.
pub struct Look<'a> {
    movers: &'a Movers,
    frame: &'a Frame,
    scene: Scene,
    occupied: Cells,
    /// What the things of each side attack: theirs, ours.
    control: [Cells; 2],
    sides: [Cells; 2],
    regions: Vec<Option<Cells>>,
}

/// What is fixed about a board.
#[derive(Clone, Debug)]
pub struct Frame {
    ours: Vec<Option<bool>>,
    edge: Cells,
    corner: Cells,
    middle: Cells,
    places: Vec<(i16, i16)>,
}

impl Frame {
    /// What is fixed about this board.
    pub fn new(board: &Board) -> Frame {
        let degree: Vec<usize> = board.neighbours.iter().map(Vec::len).collect();
        let (least, most) = (degree.iter().min().copied().unwrap_or(0), degree.iter().max().copied().unwrap_or(0));
        let those = |want: &dyn Fn(usize) -> bool| {
            degree.iter().enumerate().filter(|(_, d)| want(**d)).fold(0, |set, (cell, _)| set | bit(cell as u8))
        };
        let (edge, corner) = if least == most { (0, 0) } else { (those(&|d| d < most), those(&|d| d == least)) };
        let neighbours: Vec<Cells> =
            board.neighbours.iter().map(|list| list.iter().fold(0, |set, &cell| set | bit(cell))).collect();
        // The middle: peel rings off from the edge until nothing would be left.
        let mut middle = if most == 0 { 0 } else { those(&|_| true) };
        let mut gone = edge;
        while gone != 0 && middle & !gone != 0 {
            middle &= !gone;
            gone = cells(gone).fold(0, |set, cell| set | neighbours[usize::from(cell)]) & middle;
        }
        Frame {
            ours: board.things.iter().map(|thing| thing.ours).collect(),
            edge,
            corner,
            middle,
            places: board.places.clone(),
        }
    }

    /// The edge, the corners and the middle.
    pub fn zones(&self) -> [Cells; 3] {
        [self.edge, self.corner, self.middle]
    }
}

impl<'a> Look<'a> {
    /// Prepares looking at positions.
    pub fn new(movers: &'a Movers, frame: &'a Frame) -> Look<'a> {
        let things = frame.ours.len();
        Look {
            movers,
            frame,
            scene: Scene { sets: vec![0; things], counters: Vec::new() },
            occupied: 0,
            control: [0; 2],
            sides: [0; 2],
            regions: vec![None; things],
        }
    }

    /// Looks at a position.
    pub fn at(&mut self, scene: &Scene) {
        self.scene.clone_from(scene);
        self.occupied = scene.occupied();
        self.control = [0; 2];
        self.sides = [0; 2];
        self.regions.fill(None);
        for (thing, ours) in self.frame.ours.iter().enumerate() {
            if let Some(ours) = ours {
                self.sides[usize::from(*ours)] |= scene.sets[thing];
                for cell in cells(scene.sets[thing]) {
                    self.control[usize::from(*ours)] |= self.movers.reach(thing, cell, self.occupied);
                }
            }
        }
    }

    /// What the other side of a thing attacks when the thing itself is away: a king does not hide behind himself.
    fn danger(&self, thing: usize, cell: u8, by: Option<usize>) -> Cells {
        let Some(ours) = self.frame.ours[thing] else { return 0 };
        let occupied = self.occupied & !bit(cell);
        let mut set = 0;
        for (other, whose) in self.frame.ours.iter().enumerate() {
            if *whose == Some(!ours) && by.is_none_or(|by| by == other) {
                for at in cells(self.scene.sets[other]) {
                    set |= self.movers.reach(other, at, occupied);
                }
            }
        }
        set
    }

    fn region(&mut self, thing: usize) -> Cells {
        if let Some(set) = self.regions[thing] {
            return set;
        }
        let set = self.flood(thing, None);
        self.regions[thing] = Some(set);
        set
    }

    /// Where a thing can ever get to without going where it is attacked, by all or by one.
    fn flood(&self, thing: usize, by: Option<usize>) -> Cells {
        let mut all = 0;
        let own = self.frame.ours[thing].map_or(0, |ours| self.sides[usize::from(ours)]);
        for start in cells(self.scene.sets[thing]) {
            let danger = self.danger(thing, start, by);
            let mut closed = danger | own & !bit(start);
            let mut occupied = self.occupied & !bit(start);
            if let Some(by) = by {
                // The thing that shuts in stands in the way; all others are thought away.
                occupied = self.scene.sets[by];
                closed = danger | occupied;
            }
            let mut set = bit(start);
            let mut open = set;
            while open != 0 {
                let mut next = 0;
                for cell in cells(open) {
                    next |= self.movers.reach(thing, cell, occupied);
                }
                open = next & !closed & !set;
                set |= open;
            }
            all |= set;
        }
        all
    }

    /// Where a thing on `start` can go from some cells without being attacked, all others standing still: those of these cells from which it
    /// attacks all targets, and all of them.
    fn strikes(&self, thing: usize, start: u8, from: Cells, targets: &[usize]) -> (Cells, Cells) {
        let own = self.frame.ours[thing].map_or(0, |ours| self.sides[usize::from(ours)]);
        let occupied = self.occupied & !bit(start);
        let shut = self.danger(thing, start, None) | own & !bit(start);
        let to = cells(from).fold(0, |set, cell| set | self.movers.reach(thing, cell, occupied)) & !shut;
        let hits = |cell: &u8| {
            let attacks = self.movers.reach(thing, *cell, occupied);
            targets.iter().all(|&target| attacks & self.scene.sets[target] != 0)
        };
        (cells(to).filter(hits).fold(0, |set, cell| set | bit(cell)), to)
    }

    /// See [`Attribute::Strike`].
    fn strike(&self, thing: usize, start: u8, targets: &[usize]) -> u8 {
        let attacks = self.movers.reach(thing, start, self.occupied);
        if targets.iter().all(|&target| attacks & self.scene.sets[target] != 0) {
            return 0;
        }
        let (mut seen, mut open) = (bit(start), bit(start));
        for moves in 1..MOST_STRIKE {
            let (found, to) = self.strikes(thing, start, open, targets);
            if found != 0 {
                return moves;
            }
            // What stands in the way can be taken, but nothing goes on behind it.
            open = to & !seen & !self.occupied;
            seen |= to;
        }
        MOST_STRIKE
    }

    /// See [`Attribute::Havens`].
    fn havens(&self, thing: usize) -> u32 {
        let Some(ours) = self.frame.ours[thing] else { return 0 };
        let havens = |start: u8| {
            let occupied = self.occupied & !bit(start);
            let mut guard = 0;
            for other in (0..self.frame.ours.len()).filter(|&other| self.frame.ours[other] == Some(ours)) {
                let others = cells(self.scene.sets[other]).filter(|&at| at != start || other != thing);
                guard = others.fold(guard, |set, at| set | self.movers.reach(other, at, occupied));
            }
            let to = self.movers.reach(thing, start, self.occupied) & !self.sides[usize::from(ours)];
            (to & (guard | !self.danger(thing, start, None))).count_ones()
        };
        cells(self.scene.sets[thing]).map(havens).sum()
    }

    fn place(&self, place: &Place) -> Cells {
        match place {
            Place::Thing(thing) => self.scene.sets[*thing],
            Place::Edge => self.frame.edge,
            Place::Corner => self.frame.corner,
            Place::Middle => self.frame.middle,
            Place::CornerOf(thing) => {
                let stands = self.scene.sets[*thing];
                let reached =
                    |corner: &u8| cells(stands).any(|cell| self.movers.steps(Some(*thing), cell, *corner) != FAR);
                cells(self.frame.corner).filter(reached).fold(0, |set, cell| set | bit(cell))
            }
            Place::EndOf(thing) => {
                let mover = &self.movers.movers[*thing];
                let mut ends = 0;
                for from in cells(self.scene.sets[*thing]) {
                    for (to, ways) in mover.ways.iter().enumerate() {
                        if ways.is_empty() && self.movers.steps(Some(*thing), from, to as u8) != FAR {
                            ends |= bit(to as u8);
                        }
                    }
                }
                ends
            }
            Place::Ahead(thing, moves) => {
                let exactly = |to: &u8| {
                    cells(self.scene.sets[*thing]).any(|from| self.movers.steps(Some(*thing), from, *to) == *moves)
                };
                (0..self.frame.places.len() as u8).filter(exactly).fold(0, |set, cell| set | bit(cell))
            }
            Place::Cells { cells, .. } => cells.iter().fold(0, |set, &cell| set | bit(cell)),
        }
    }

    fn nearest(&self, by: Option<usize>, from: u8, to: Cells) -> u8 {
        cells(to).map(|cell| self.movers.steps(by, from, cell)).min().unwrap_or(FAR)
    }

    /// Cells that are attacked by a side of `whose` when nothing is away.
    fn hits(&self, thing: usize, own: bool) -> u32 {
        let Some(ours) = self.frame.ours[thing] else { return 0 };
        let control = if own { self.guard(thing, ours) } else { self.control[usize::from(!ours)] };
        (self.scene.sets[thing] & control).count_ones()
    }

    /// What a side attacks, looking through the thing that is to be defended: it is gone when its taker is taken.
    fn guard(&self, thing: usize, ours: bool) -> Cells {
        let mut set = 0;
        for (other, whose) in self.frame.ours.iter().enumerate() {
            if *whose == Some(ours) {
                for at in cells(self.scene.sets[other]) {
                    if other != thing || self.scene.sets[thing].count_ones() > 1 {
                        set |= self.movers.reach(other, at, self.occupied);
                    }
                }
            }
        }
        set
    }

    /// The value of an attribute in the position looked at.
    pub fn value(&mut self, attribute: &Attribute) -> u8 {
        let small = |value: u32| value.min(254) as u8;
        match attribute {
            Attribute::Count(thing) => small(self.scene.sets[*thing].count_ones()),
            Attribute::Distance { by, from, to } => {
                let to = self.place(to);
                cells(self.scene.sets[*from]).map(|cell| self.nearest(*by, cell, to)).min().unwrap_or(FAR)
            }
            Attribute::Distances { by, from, to } => {
                let to = self.place(to);
                small(cells(self.scene.sets[*from]).map(|cell| u32::from(self.nearest(*by, cell, to).min(50))).sum())
            }
            Attribute::Moves(thing) => {
                let own = self.frame.ours[*thing].map_or(0, |ours| self.sides[usize::from(ours)]);
                let reach = |cell| (self.movers.reach(*thing, cell, self.occupied) & !own).count_ones();
                small(cells(self.scene.sets[*thing]).map(reach).sum())
            }
            Attribute::Escapes(thing) => {
                let own = self.frame.ours[*thing].map_or(0, |ours| self.sides[usize::from(ours)]);
                let reach = |cell| {
                    (self.movers.reach(*thing, cell, self.occupied) & !own & !self.danger(*thing, cell, None))
                        .count_ones()
                };
                small(cells(self.scene.sets[*thing]).map(reach).sum())
            }
            Attribute::Havens(thing) => small(self.havens(*thing)),
            Attribute::Strikes { thing, targets } => {
                let first = |cell| self.strikes(*thing, cell, bit(cell), targets).0;
                small(cells(self.scene.sets[*thing]).map(|cell| first(cell).count_ones()).sum())
            }
            Attribute::Strike { thing, targets } => {
                cells(self.scene.sets[*thing]).map(|cell| self.strike(*thing, cell, targets)).min().unwrap_or(FAR)
            }
            Attribute::Aside(first, second) => {
                let mut least = FAR;
                for one in cells(self.scene.sets[*first]) {
                    for other in cells(self.scene.sets[*second]) {
                        let (a, b) = (self.frame.places[usize::from(one)], self.frame.places[usize::from(other)]);
                        least = least.min(a.0.abs_diff(b.0).min(a.1.abs_diff(b.1)).min(254) as u8);
                    }
                }
                least
            }
            Attribute::Between(thing, first, second) => {
                let places =
                    |thing: usize| cells(self.scene.sets[thing]).map(|cell| self.frame.places[usize::from(cell)]);
                let inside = |at: i16, a: i16, b: i16| a.min(b) < at && at < a.max(b);
                let divides = |at: (i16, i16)| {
                    places(*first).any(|a| places(*second).any(|b| inside(at.0, a.0, b.0) || inside(at.1, a.1, b.1)))
                };
                u8::from(places(*thing).any(divides))
            }
            Attribute::Across(first, second) => {
                let column = |cell: u8| self.frame.places[usize::from(cell)].0;
                let pairs = cells(self.scene.sets[*first])
                    .flat_map(|one| cells(self.scene.sets[*second]).map(move |other| (one, other)));
                pairs.map(|(one, other)| column(one).abs_diff(column(other)).min(254) as u8).min().unwrap_or(FAR)
            }
            Attribute::Up(thing) => {
                let row = |cell: u8| self.frame.places[usize::from(cell)].1.clamp(0, 254) as u8;
                cells(self.scene.sets[*thing]).map(row).max().unwrap_or(FAR)
            }
            Attribute::Attacked(thing) => small(self.hits(*thing, false)),
            Attribute::Defended(thing) => small(self.hits(*thing, true)),
            Attribute::Loose(thing) => {
                let Some(ours) = self.frame.ours[*thing] else { return 0 };
                let loose = self.scene.sets[*thing] & self.control[usize::from(!ours)] & !self.guard(*thing, ours);
                small(loose.count_ones())
            }
            Attribute::Region(thing) => small(self.region(*thing).count_ones()),
            Attribute::Room { thing, by } => small(self.flood(*thing, Some(*by)).count_ones()),
            Attribute::Kept { thing, from } => {
                let region = self.region(*thing);
                cells(self.scene.sets[*from]).map(|cell| self.nearest(None, cell, region)).min().unwrap_or(FAR)
            }
            Attribute::Controlled { ours } => small(self.control[usize::from(*ours)].count_ones()),
            Attribute::Blocked { thing, target } => {
                let mut best = 2;
                for from in cells(self.scene.sets[*thing]) {
                    for way in &self.movers.movers[*thing].ways[usize::from(from)] {
                        if self.scene.sets[*target] & bit(way.to) != 0 {
                            best = best.min(u8::from(way.empty & self.occupied != 0));
                        }
                    }
                }
                best
            }
            Attribute::On(thing, cell) => u8::from(self.scene.sets[*thing] & bit(*cell) != 0),
            Attribute::Home(pairs) => {
                let there = |&&(thing, cell): &&(usize, u8)| self.scene.sets[thing] & bit(cell) != 0;
                small(pairs.iter().filter(there).count() as u32)
            }
            Attribute::Astray(pairs) => {
                let far = |&(thing, cell): &(usize, u8)| {
                    let by = self.movers.movers[thing].ways.iter().any(|ways| !ways.is_empty()).then_some(thing);
                    let steps = |from| u32::from(self.movers.steps(by, from, cell).min(50));
                    cells(self.scene.sets[thing]).map(steps).min().unwrap_or(50)
                };
                small(pairs.iter().map(far).sum())
            }
            Attribute::Fetch { thing, at, what, cell } => {
                if self.scene.sets[*what] & bit(*cell) != 0 {
                    return 0;
                }
                let to = at.iter().fold(0, |set, &cell| set | bit(cell));
                cells(self.scene.sets[*thing]).map(|from| self.nearest(Some(*thing), from, to)).min().unwrap_or(FAR)
            }
            Attribute::Counter(counter) => self.scene.counters[*counter].clamp(0, 254) as u8,
            Attribute::Nim(counters) => {
                counters.iter().fold(0, |sum, &counter| sum ^ self.scene.counters[counter].clamp(0, 254) as u8)
            }
            Attribute::Modulo(inner, _)
            | Attribute::Beyond(inner, _)
            | Attribute::UpTo(inner, _)
            | Attribute::Off(inner, _) => attribute.shaped(self.value(inner)),
            Attribute::Times(first, second) => match (self.value(first), self.value(second)) {
                (FAR, _) | (_, FAR) => FAR,
                (first, second) => small(u32::from(first) * u32::from(second)),
            },
            Attribute::Sum(parts) => {
                let mut sum = 0;
                for (weight, inner) in parts {
                    match self.value(inner) {
                        FAR => return FAR,
                        value => sum += u32::from(*weight) * u32::from(value),
                    }
                }
                small(sum)
            }
        }
    }
}

impl Attribute {
    /// The value of an attribute of another one, from that one's.
    pub fn shaped(&self, value: u8) -> u8 {
        match self {
            _ if value == FAR => FAR,
            Attribute::Modulo(_, by) => value % (*by).max(1),
            Attribute::Beyond(_, by) => value.saturating_sub(*by),
            Attribute::UpTo(_, by) => value.min(*by),
            Attribute::Off(_, by) => value.abs_diff(*by),
            _ => value,
        }
    }

    /// Whether it speaks only of things, cells and counters that there are.
    pub fn fits(&self, things: usize, cells: usize, counters: usize) -> bool {
        let place = |place: &Place| match place {
            Place::Thing(thing) | Place::CornerOf(thing) | Place::EndOf(thing) | Place::Ahead(thing, _) => {
                *thing < things
            }
            Place::Edge | Place::Corner | Place::Middle => true,
            Place::Cells { cells: list, .. } => list.iter().all(|&cell| usize::from(cell) < cells),
        };
        let inner = |attribute: &Attribute| attribute.fits(things, cells, counters);
        match self {
            Attribute::Count(thing)
            | Attribute::Moves(thing)
            | Attribute::Up(thing)
            | Attribute::Escapes(thing)
            | Attribute::Attacked(thing)
            | Attribute::Loose(thing)
            | Attribute::Defended(thing)
            | Attribute::Region(thing)
            | Attribute::Havens(thing) => *thing < things,
            Attribute::Distance { by, from, to } | Attribute::Distances { by, from, to } => {
                by.is_none_or(|by| by < things) && *from < things && place(to)
            }
            Attribute::Room { thing, by: other }
            | Attribute::Kept { thing, from: other }
            | Attribute::Blocked { thing, target: other }
            | Attribute::Across(thing, other)
            | Attribute::Aside(thing, other) => *thing < things && *other < things,
            Attribute::Between(thing, first, second) => [thing, first, second].iter().all(|one| **one < things),
            Attribute::Strikes { thing, targets } | Attribute::Strike { thing, targets } => {
                targets.iter().chain([thing]).all(|one| *one < things)
            }
            Attribute::Controlled { .. } => true,
            Attribute::On(thing, cell) => *thing < things && usize::from(*cell) < cells,
            Attribute::Home(pairs) | Attribute::Astray(pairs) => {
                pairs.iter().all(|&(thing, cell)| thing < things && usize::from(cell) < cells)
            }
            Attribute::Fetch { thing, at, what, cell } => {
                [thing, what].iter().all(|one| **one < things)
                    && at.iter().chain([cell]).all(|&cell| usize::from(cell) < cells)
            }
            Attribute::Counter(counter) => *counter < counters,
            Attribute::Nim(list) => list.iter().all(|&counter| counter < counters),
            Attribute::Modulo(part, _)
            | Attribute::Beyond(part, _)
            | Attribute::UpTo(part, _)
            | Attribute::Off(part, _) => inner(part),
            Attribute::Times(first, second) => inner(first) && inner(second),
            Attribute::Sum(parts) => parts.iter().all(|(_, part)| inner(part)),
        }
    }
}
