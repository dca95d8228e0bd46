//! Colour refinement: symbols that are used differently get different colours.
//!
//! A class is a set of symbols with one colour. In each round the clauses that name a symbol whose colour has changed
//! are hashed again, and a class whose members are no longer used alike is split. Its largest part keeps the colour, so
//! that a symbol changes its colour only as often as its class can be halved. Nothing depends on the numbers of symbols:
//! which parts there are, and their colours, are the same for renamed rules.

use super::structure::{Scratch, Structure, mix};
use std::collections::HashMap;

/// A set of symbols that cannot be told apart so far.
#[derive(Clone)]
struct Class {
    members: Vec<u32>,
    colour: u64,
    /// How all members are used, as of the last round.
    used: u64,
}

/// Colours of all entities of a structure.
#[derive(Clone)]
pub(super) struct Colours {
    classes: Vec<Class>,
    class_of: Vec<u32>,
    /// Where an entity stands among the members of its class.
    place: Vec<u32>,
    /// The sum of what all clauses say about an entity.
    used: Vec<u64>,
    /// What each occurrence says, to be taken back from the sum.
    says: Vec<u64>,
    /// With two descriptions side by side: entities below this number belong to the first, the others to the second.
    border: Option<u32>,
    /// A class has more members of one description than of the other.
    unbalanced: bool,
    /// Clauses to be hashed again.
    dirty: Vec<u32>,
}

/// Which clauses name an entity.
pub(super) struct Uses {
    starts: Vec<u32>,
    clauses: Vec<u32>,
}

impl Uses {
    pub fn new(structure: &Structure) -> Uses {
        let count = structure.initial.len();
        let mut starts = vec![0_u32; count + 1];
        for &entity in &structure.occurrences {
            starts[entity as usize + 1] += 1;
        }
        for at in 0..count {
            starts[at + 1] += starts[at];
        }
        let mut free = starts.clone();
        let mut clauses = vec![0; structure.occurrences.len()];
        for clause in 0..structure.clauses() {
            for &entity in &structure.occurrences[structure.occurrences_of(clause)] {
                clauses[free[entity as usize] as usize] = clause as u32;
                free[entity as usize] += 1;
            }
        }
        Uses { starts, clauses }
    }

    fn of(&self, entity: u32) -> &[u32] {
        &self.clauses[self.starts[entity as usize] as usize..self.starts[entity as usize + 1] as usize]
    }
}

impl Colours {
    /// Colours by role alone; everything is still to be looked at.
    pub fn new(structure: &Structure, border: Option<u32>) -> Colours {
        let count = structure.initial.len();
        let mut colours = Colours {
            classes: Vec::new(),
            class_of: vec![0; count],
            place: vec![0; count],
            used: vec![0; count],
            says: vec![0; structure.occurrences.len()],
            border,
            unbalanced: false,
            dirty: (0..structure.clauses() as u32).collect(),
        };
        let mut known: HashMap<u64, u32> = HashMap::new();
        for entity in 0..count as u32 {
            let colour = structure.initial[entity as usize];
            let class = *known.entry(colour).or_insert_with(|| colours.add_class(colour, 0));
            colours.join(entity, class);
        }
        colours.unbalanced = (0..colours.classes.len()).any(|class| !colours.is_balanced(class));
        colours
    }

    fn add_class(&mut self, colour: u64, used: u64) -> u32 {
        self.classes.push(Class { members: Vec::new(), colour, used });
        self.classes.len() as u32 - 1
    }

    fn join(&mut self, entity: u32, class: u32) {
        let members = &mut self.classes[class as usize].members;
        self.class_of[entity as usize] = class;
        self.place[entity as usize] = members.len() as u32;
        members.push(entity);
    }

    fn leave(&mut self, entity: u32) {
        let place = self.place[entity as usize];
        let members = &mut self.classes[self.class_of[entity as usize] as usize].members;
        members.swap_remove(place as usize);
        if let Some(&moved) = members.get(place as usize) {
            self.place[moved as usize] = place;
        }
    }

    fn is_balanced(&self, class: usize) -> bool {
        let members = &self.classes[class].members;
        self.border.is_none_or(|border| members.iter().filter(|&&entity| entity < border).count() * 2 == members.len())
    }

    /// The colour of an entity.
    pub fn colour(&self, entity: u32) -> u64 {
        self.classes[self.class_of[entity as usize] as usize].colour
    }

    /// Every class's colour, size and how its members are used.
    pub fn summary(&self) -> impl Iterator<Item = (u64, usize, u64)> {
        self.classes.iter().map(|class| (class.colour, class.members.len(), class.used))
    }

    /// Whether two descriptions side by side have as many symbols of each colour.
    pub fn balanced(&self) -> bool {
        !self.unbalanced
    }

    /// The first class from a number on that has more than one symbol of each description.
    pub fn undecided(&self, from: usize) -> Option<usize> {
        (from..self.classes.len()).find(|&class| self.classes[class].members.len() > 2)
    }

    /// A symbol of each description from a class.
    pub fn pair(&self, class: usize) -> Option<[u32; 2]> {
        let members = &self.classes[class].members;
        let border = self.border?;
        let own = members.iter().find(|&&entity| entity < border)?;
        let other = members.iter().find(|&&entity| entity >= border)?;
        Some([*own, *other])
    }

    /// The symbols of a class, those of the first description and those of the second, by number.
    pub fn members(&self, class: usize) -> (Vec<u32>, Vec<u32>) {
        let mut members = self.classes[class].members.clone();
        members.sort_unstable();
        members.into_iter().partition(|&entity| self.border.is_some_and(|border| entity < border))
    }

    /// Gives these two symbols of one class a colour of their own.
    pub fn single_out(&mut self, uses: &Uses, pair: [u32; 2]) {
        let class = self.class_of[pair[0] as usize];
        let Class { colour, used, .. } = self.classes[class as usize];
        let new = self.add_class(mix(colour, self.classes.len() as u64), used);
        for entity in pair {
            self.recolour(uses, entity, new);
        }
    }

    fn recolour(&mut self, uses: &Uses, entity: u32, class: u32) {
        self.leave(entity);
        self.join(entity, class);
        self.dirty.extend_from_slice(uses.of(entity));
    }

    /// Refines until nothing is split any more, a class is out of balance, or `effort` is used up. How far it gets
    /// within the same effort is the same for renamed rules.
    pub fn refine(&mut self, structure: &Structure, uses: &Uses, effort: &mut usize) {
        let mut scratch = Scratch::default();
        let mut touched: Vec<u32> = Vec::new();
        while !self.dirty.is_empty() && *effort > 0 && !self.unbalanced {
            let mut dirty = std::mem::take(&mut self.dirty);
            dirty.sort_unstable();
            dirty.dedup();
            touched.clear();
            for &clause in &dirty {
                let clause = clause as usize;
                *effort = effort.saturating_sub(structure.size(clause));
                let classes = (&self.classes, &self.class_of);
                let colour = |entity: u32| classes.0[classes.1[entity as usize] as usize].colour;
                let hash = structure.hash(clause, 0, &colour, &mut scratch);
                for (at, occurrence) in structure.occurrences_of(clause).enumerate() {
                    let entity = structure.occurrences[occurrence];
                    let says = mix(hash, scratch.says[at]);
                    let sum = &mut self.used[entity as usize];
                    *sum = sum.wrapping_sub(self.says[occurrence]).wrapping_add(says);
                    self.says[occurrence] = says;
                    touched.push(entity);
                }
            }
            touched.sort_unstable();
            touched.dedup();
            self.split(uses, &mut touched);
        }
    }

    /// Splits the classes of these symbols by how the symbols are used now.
    fn split(&mut self, uses: &Uses, touched: &mut [u32]) {
        touched.sort_unstable_by_key(|&entity| (self.class_of[entity as usize], self.used[entity as usize]));
        let mut start = 0;
        while let Some(&first) = touched.get(start) {
            let class = self.class_of[first as usize];
            let more = touched[start..].iter().take_while(|&&entity| self.class_of[entity as usize] == class);
            let end = start + more.count();
            self.split_class(uses, class, &touched[start..end]);
            start = end;
        }
    }

    /// Splits a class by its members that were looked at again, which stand in the order of their use.
    fn split_class(&mut self, uses: &Uses, class: u32, touched: &[u32]) {
        let before = self.classes[class as usize].used;
        let rest = self.classes[class as usize].members.len() - touched.len();
        let mut parts: Vec<(usize, u64, Vec<u32>)> = touched
            .chunk_by(|&a, &b| self.used[a as usize] == self.used[b as usize])
            .map(|part| (part.len(), self.used[part[0] as usize], part.to_vec()))
            .collect();
        if rest > 0 {
            // The others are used as before, and so may be some that were looked at.
            match parts.iter_mut().find(|(_, used, _)| *used == before) {
                Some((size, ..)) => *size += rest,
                None => parts.push((rest, before, Vec::new())),
            }
        }
        let largest = parts.iter().map(|&(size, used, _)| (size, std::cmp::Reverse(used))).max();
        let Some((_, std::cmp::Reverse(kept))) = largest else { return };
        self.classes[class as usize].used = kept;
        if parts.len() == 1 {
            return;
        }
        let colour = self.classes[class as usize].colour;
        parts.sort_unstable_by_key(|&(_, used, _)| used);
        for (size, used, mut members) in parts {
            if used == kept {
                continue;
            }
            if members.len() < size {
                members = self.classes[class as usize].members.clone();
                members.retain(|&entity| self.used[entity as usize] == used);
            }
            let new = self.add_class(mix(colour, used), used);
            for entity in members {
                self.recolour(uses, entity, new);
            }
            self.unbalanced |= !self.is_balanced(new as usize);
        }
    }
}
