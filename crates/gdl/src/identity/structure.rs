//! Clauses as small trees of numbered nodes, and their hashes.
//!
//! A tree knows nothing of names: its leaves are variables, words that keep their meaning (by a hash of the word), and
//! *entities*, the symbols that a renaming may exchange, which are known by their colours alone. Where order has no
//! meaning (conditions, the parts of `or`, the two sides of `distinct`), children have no position.

use crate::rules::{Atom, Clause, Literal, Rules, Term, TermKind};
use crate::scramble::Stays;
use crate::symbol::{Symbol, fold};

/// Mixes a word into a hash: the finaliser of SplitMix64, so that it is the same on every machine and for good.
pub(super) fn mix(state: u64, word: u64) -> u64 {
    let mut bits = state.rotate_left(23) ^ word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

fn hash_text(text: &str) -> u64 {
    text.bytes().fold(mix(0, text.len() as u64), |hash, byte| mix(hash, u64::from(byte)))
}

/// What a node of a clause is.
#[derive(Clone, Copy)]
enum Node {
    /// A list of some kind; its children follow it.
    List(u64),
    /// A word that keeps its meaning, by the hash of the word.
    Word(u64),
    /// A symbol that may be renamed.
    Entity(u32),
    /// A variable, by its number in the clause.
    Var(u16),
}

/// A node with its place. Nodes stand in the order of the text, so that a parent precedes its children.
struct Placed {
    node: Node,
    /// The parent, counted from the first node of the clause; the root is its own.
    parent: u32,
    /// 0 where order has no meaning, otherwise from 1.
    position: u32,
}

const CLAUSE: u64 = 1;
const ATOM: u64 = 2;
const CALL: u64 = 3;
const NOT: u64 = 4;
const OR: u64 = 5;
const AND: u64 = 6;
const DISTINCT: u64 = 7;

/// One clause in the arrays of a [`Structure`].
struct Part {
    nodes: std::ops::Range<usize>,
    vars: u16,
    /// Its entities, one entry for each time it names one.
    occurrences: std::ops::Range<usize>,
}

/// The clauses of one description, or of two side by side.
#[derive(Default)]
pub(super) struct Structure {
    nodes: Vec<Placed>,
    parts: Vec<Part>,
    /// The entities that clauses name, clause after clause.
    pub occurrences: Vec<u32>,
    /// What an entity is before anything is known of its use: its place among the roles, or nothing.
    pub initial: Vec<u64>,
}

/// Which symbol is which entity.
pub(super) struct Entities {
    /// By symbol. Words that keep their meaning, and symbols that no clause has, are none.
    pub of: Vec<Option<u32>>,
    /// The words that keep their meaning and are used, with their hashes.
    pub kept: Vec<(Symbol, u64)>,
}

/// Scratch memory for hashing clauses.
#[derive(Default)]
pub(super) struct Scratch {
    up: Vec<u64>,
    down: Vec<u64>,
    vars: Vec<u64>,
    next: Vec<u64>,
    sorted: Vec<u64>,
    /// What each occurrence of an entity in the clause says about the entity, in the order of the occurrences.
    pub says: Vec<u64>,
}

impl Structure {
    /// Adds all clauses of a description.
    pub fn add(&mut self, rules: &Rules) -> Entities {
        let stays = Stays::of(rules);
        let mut adding = Adding {
            structure: self,
            keeps: (0..rules.symbols.len() as u32)
                .map(|number| {
                    let name = rules.symbols.name(Symbol(number));
                    stays.keeps(Symbol(number), name).then(|| hash_text(&fold(name)))
                })
                .collect(),
            entities: Entities { of: vec![None; rules.symbols.len()], kept: Vec::new() },
            used: vec![false; rules.symbols.len()],
            start: 0,
        };
        for clause in &rules.clauses {
            adding.clause(clause);
        }
        let entities = adding.entities;
        for (place, role) in rules.roles().into_iter().enumerate() {
            if let Some(entity) = entities.of[role.0 as usize] {
                self.initial[entity as usize] = mix(1, place as u64);
            }
        }
        entities
    }

    pub fn clauses(&self) -> usize {
        self.parts.len()
    }

    /// How much work it is to hash a clause.
    pub fn size(&self, clause: usize) -> usize {
        self.parts[clause].nodes.len()
    }

    /// Where the entities of a clause stand in `occurrences`.
    pub fn occurrences_of(&self, clause: usize) -> std::ops::Range<usize> {
        self.parts[clause].occurrences.clone()
    }

    /// The hash of a clause, where `colour` stands for the entities. It does not depend on the names of variables or
    /// on the order of conditions. What it says about each entity it names is left in `scratch`.
    pub fn hash(&self, clause: usize, seed: u64, colour: &dyn Fn(u32) -> u64, scratch: &mut Scratch) -> u64 {
        scratch.vars.clear();
        scratch.vars.resize(usize::from(self.parts[clause].vars), mix(seed, 2));
        self.settle(clause, seed, colour, scratch);
        let nodes = &self.nodes[self.parts[clause].nodes.clone()];
        scratch.says.clear();
        for (placed, &down) in nodes.iter().zip(&scratch.down) {
            if matches!(placed.node, Node::Entity(_)) {
                scratch.says.push(down);
            }
        }
        scratch.up[0]
    }

    /// Refines the colours of the clause's variables: by where they stand, then by what stands beside them there, until
    /// that tells no more of them apart. `scratch.up` has the hashes of all nodes then.
    fn settle(&self, clause: usize, seed: u64, colour: &dyn Fn(u32) -> u64, scratch: &mut Scratch) {
        let nodes = &self.nodes[self.parts[clause].nodes.clone()];
        let mut classes = count(&scratch.vars, &mut scratch.sorted);
        loop {
            self.pass(nodes, seed, colour, scratch);
            let found = count(&scratch.next, &mut scratch.sorted);
            std::mem::swap(&mut scratch.vars, &mut scratch.next);
            if found <= classes {
                return;
            }
            classes = found;
        }
    }

    /// One pass up and down the tree; `scratch.next` gets what is known of the variables after it.
    fn pass(&self, nodes: &[Placed], seed: u64, colour: &dyn Fn(u32) -> u64, scratch: &mut Scratch) {
        let Scratch { up, down, vars, next, .. } = scratch;
        // Sums do not depend on the order of what is added; the position is part of what is added.
        up.clear();
        up.resize(nodes.len(), 0);
        for at in (0..nodes.len()).rev() {
            let Placed { node, parent, position } = nodes[at];
            up[at] = match node {
                Node::List(kind) => mix(mix(seed, kind), up[at]),
                Node::Word(hash) => mix(seed ^ 11, hash),
                Node::Entity(entity) => mix(seed ^ 12, colour(entity)),
                Node::Var(var) => mix(seed ^ 13, vars[usize::from(var)]),
            };
            if at > 0 {
                up[parent as usize] = up[parent as usize].wrapping_add(mix(up[at], u64::from(position)));
            }
        }
        down.clear();
        down.resize(nodes.len(), 0);
        down[0] = up[0];
        next.clear();
        next.extend(vars.iter().map(|&var| mix(var, 3)));
        for at in 1..nodes.len() {
            let Placed { node, parent, position } = nodes[at];
            let above = mix(down[parent as usize], up[parent as usize]);
            down[at] = mix(mix(above, up[at]), u64::from(position));
            if let Node::Var(var) = node {
                let var = &mut next[usize::from(var)];
                *var = var.wrapping_add(mix(down[at], 4));
            }
        }
    }
}

/// How many variables of a clause that look alike are told apart by trying. Rules that need more of it are given up.
const MOST_TRIED: usize = 12;

/// Compares clauses exactly, given which entities correspond.
pub(super) struct Comparison<'a> {
    pub structure: &'a Structure,
    /// Entities that correspond have the same colour, and no others.
    pub colour: &'a dyn Fn(u32) -> u64,
    /// What may still be spent.
    pub effort: &'a mut usize,
}

impl Comparison<'_> {
    /// Whether two clauses are equal up to the names of variables and the order of conditions. Never wrongly `true`.
    pub fn equal(&mut self, a: usize, b: usize) -> bool {
        let (left, right) = (&self.structure.parts[a], &self.structure.parts[b]);
        if left.vars != right.vars || left.nodes.len() != right.nodes.len() {
            return false;
        }
        let vars = vec![0; usize::from(left.vars)];
        self.tried([a, b], [vars.clone(), vars], 0)
    }

    /// As `equal`, where variables have these colours to begin with.
    fn tried(&mut self, clauses: [usize; 2], vars: [Vec<u64>; 2], depth: usize) -> bool {
        let size = self.structure.size(clauses[0]);
        if *self.effort < size || depth > MOST_TRIED {
            return false;
        }
        *self.effort -= size;
        let [left, right] = [0, 1].map(|side| {
            let mut scratch = Scratch { vars: vars[side].clone(), ..Scratch::default() };
            self.structure.settle(clauses[side], 0, self.colour, &mut scratch);
            scratch
        });
        if left.up[0] != right.up[0] {
            return false;
        }
        if self.same(clauses, [&left.up, &right.up]) {
            return true;
        }
        // The order of conditions that look alike was guessed wrong: tell apart variables that look alike.
        let alike = |var: &usize| left.vars.iter().filter(|&&other| other == left.vars[*var]).count() > 1;
        let Some(first) = (0..left.vars.len()).find(alike) else { return false };
        for other in (0..right.vars.len()).filter(|&var| right.vars[var] == left.vars[first]) {
            let mut vars = [left.vars.clone(), right.vars.clone()];
            let own = mix(left.vars[first], depth as u64);
            (vars[0][first], vars[1][other]) = (own, own);
            if self.tried(clauses, vars, depth + 1) {
                return true;
            }
        }
        false
    }

    /// Whether two trees are equal when children without position stand in the order of their hashes.
    fn same(&self, clauses: [usize; 2], up: [&[u64]; 2]) -> bool {
        let nodes = clauses.map(|clause| &self.structure.nodes[self.structure.parts[clause].nodes.clone()]);
        // By parent, so that the children of a node stand together; both sides then have them at the same places.
        let order = [0, 1].map(|side: usize| {
            let mut order: Vec<usize> = (1..nodes[side].len()).collect();
            order.sort_by_key(|&at| (nodes[side][at].parent, nodes[side][at].position, up[side][at]));
            order
        });
        let first =
            |side: usize, parent: usize| order[side].partition_point(|&at| (nodes[side][at].parent as usize) < parent);
        let vars = self.structure.parts[clauses[0]].vars;
        let mut pairs = [vec![None; usize::from(vars)], vec![None; usize::from(vars)]];
        let mut open = vec![[0, 0]];
        while let Some([a, b]) = open.pop() {
            let (left, right) = (&nodes[0][a], &nodes[1][b]);
            let equal = left.position == right.position
                && match (left.node, right.node) {
                    (Node::List(a), Node::List(b)) | (Node::Word(a), Node::Word(b)) => a == b,
                    (Node::Entity(a), Node::Entity(b)) => (self.colour)(a) == (self.colour)(b),
                    (Node::Var(a), Node::Var(b)) => {
                        *pairs[0][usize::from(a)].get_or_insert(b) == b
                            && *pairs[1][usize::from(b)].get_or_insert(a) == a
                    }
                    _ => false,
                };
            if !equal {
                return false;
            }
            if let Node::List(_) = left.node {
                let starts = [first(0, a), first(1, b)];
                let [children, others] = [0, 1].map(|side: usize| {
                    let parent = [a, b][side] as u32;
                    order[side][starts[side]..].iter().take_while(move |&&at| nodes[side][at].parent == parent)
                });
                let before = open.len();
                open.extend(children.zip(others).map(|(&a, &b)| [a, b]));
                let paired = open.len() - before;
                let count = |side: usize, parent: usize| first(side, parent + 1) - first(side, parent);
                if count(0, a) != paired || count(1, b) != paired {
                    return false;
                }
            }
        }
        true
    }
}

/// How many different values there are.
fn count(values: &[u64], sorted: &mut Vec<u64>) -> usize {
    sorted.clear();
    sorted.extend_from_slice(values);
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}

struct Adding<'a> {
    structure: &'a mut Structure,
    /// The hashes of the words that keep their meaning.
    keeps: Vec<Option<u64>>,
    entities: Entities,
    used: Vec<bool>,
    /// The first node of the clause at hand.
    start: usize,
}

impl Adding<'_> {
    fn put(&mut self, node: Node, parent: u32, position: usize) -> u32 {
        let nodes = &mut self.structure.nodes;
        nodes.push(Placed { node, parent, position: position as u32 });
        (nodes.len() - 1 - self.start) as u32
    }

    fn clause(&mut self, clause: &Clause) {
        self.start = self.structure.nodes.len();
        let first = self.structure.occurrences.len();
        let root = self.put(Node::List(CLAUSE), 0, 0);
        self.atom(&clause.head, root, 1);
        for literal in &clause.body {
            self.literal(literal, root, 0);
        }
        self.structure.parts.push(Part {
            nodes: self.start..self.structure.nodes.len(),
            vars: clause.vars.len() as u16,
            occurrences: first..self.structure.occurrences.len(),
        });
    }

    fn literal(&mut self, literal: &Literal, parent: u32, position: usize) {
        match literal {
            Literal::Is(atom) => self.atom(atom, parent, position),
            Literal::Distinct(a, b, _) => {
                let node = self.put(Node::List(DISTINCT), parent, position);
                self.term(a, node, 0);
                self.term(b, node, 0);
            }
            Literal::Not(inner, _) => {
                let node = self.put(Node::List(NOT), parent, position);
                self.literal(inner, node, 0);
            }
            Literal::Or(parts, _) | Literal::And(parts, _) => {
                let kind = if matches!(literal, Literal::Or(..)) { OR } else { AND };
                let node = self.put(Node::List(kind), parent, position);
                parts.iter().for_each(|part| self.literal(part, node, 0));
            }
        }
    }

    fn atom(&mut self, atom: &Atom, parent: u32, position: usize) {
        let node = self.put(Node::List(ATOM), parent, position);
        self.name(atom.name, node, 1);
        self.terms(&atom.args, node);
    }

    fn terms(&mut self, terms: &[Term], parent: u32) {
        for (at, term) in terms.iter().enumerate() {
            self.term(term, parent, at + 2);
        }
    }

    fn term(&mut self, term: &Term, parent: u32, position: usize) {
        match &term.kind {
            TermKind::Var(var) => {
                self.put(Node::Var(var.0), parent, position);
            }
            TermKind::Name(name) => self.name(*name, parent, position),
            TermKind::Call(name, args) => {
                let node = self.put(Node::List(CALL), parent, position);
                self.name(*name, node, 1);
                self.terms(args, node);
            }
        }
    }

    fn name(&mut self, name: Symbol, parent: u32, position: usize) {
        let at = name.0 as usize;
        let first = !std::mem::replace(&mut self.used[at], true);
        if let Some(hash) = self.keeps[at] {
            if first {
                self.entities.kept.push((name, hash));
            }
            self.put(Node::Word(hash), parent, position);
            return;
        }
        let initial = &mut self.structure.initial;
        let entity = *self.entities.of[at].get_or_insert_with(|| {
            initial.push(0);
            initial.len() as u32 - 1
        });
        self.put(Node::Entity(entity), parent, position);
        self.structure.occurrences.push(entity);
    }
}
