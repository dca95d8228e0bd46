//! Which game a description is, whatever its words: an identity that renamed rules share, and the renaming between two
//! descriptions of the same game.
//!
//! The names of symbols and variables, the order of clauses, the order of conditions and the sides of `distinct` do not
//! count. The words that the [scrambler](crate::scramble) keeps do (GDL's own, goal values), and so does the order of the
//! roles. A clause that is written twice is not the same as one written once.

mod refine;
mod structure;

use crate::problem::Problem;
use crate::rules::Rules;
use crate::scramble::Dictionary;
use crate::symbol::{Symbol, fold};
use refine::{Colours, Uses};
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use structure::{Comparison, Entities, Scratch, Structure, mix};

/// How much is looked at, in words of the rules: about a second's worth. Library games need a thousandth of it.
const EFFORT: usize = 1 << 25;

/// What renamed descriptions of a game have in common, and descriptions of different games have not: 128 bits that are
/// the same on every machine and in every version of the program. Printed as 32 hexadecimal digits.
///
/// ```
/// let rules = gdl::parse("(role me) (init (at 1)) (<= (legal me (go ?x)) (true (at ?x)))").rules;
/// let scrambled = gdl::Scrambler::new(&rules, 1);
/// assert_eq!(gdl::identity(&rules), gdl::identity(scrambled.rules()));
/// assert_eq!(gdl::identity(&rules).to_string().parse(), Ok(gdl::identity(&rules)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity([u64; 2]);

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}{:016x}", self.0[0], self.0[1])
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identity({self})")
    }
}

/// A text that is not an identity: 32 hexadecimal digits are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotAnIdentity;

impl fmt::Display for NotAnIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an identity has 32 hexadecimal digits")
    }
}

impl std::error::Error for NotAnIdentity {}

impl FromStr for Identity {
    type Err = NotAnIdentity;

    fn from_str(text: &str) -> Result<Identity, NotAnIdentity> {
        if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(NotAnIdentity);
        }
        let half = |at: usize| u64::from_str_radix(&text[at..at + 16], 16).map_err(|_| NotAnIdentity);
        Ok(Identity([half(0)?, half(16)?]))
    }
}

/// The identity of a description.
///
/// Equal for descriptions that differ in what does not count. That different games have different ones cannot be
/// promised (colour refinement does not tell everything apart, and a hash is a hash); [`isomorphism`] is exact.
pub fn identity(rules: &Rules) -> Identity {
    let mut structure = Structure::default();
    structure.add(rules);
    let uses = Uses::new(&structure);
    let mut colours = Colours::new(&structure, None);
    colours.refine(&structure, &uses, &mut EFFORT.clone());
    let mut scratch = Scratch::default();
    Identity([0x6c75_6465_6e73, 0x7361_6d65].map(|seed| {
        let colour = |entity| colours.colour(entity);
        let mut sum = 0_u64;
        for clause in 0..structure.clauses() {
            sum = sum.wrapping_add(mix(seed, structure.hash(clause, seed, &colour, &mut scratch)));
        }
        for (colour, size, used) in colours.summary() {
            sum = sum.wrapping_add(mix(mix(mix(seed, colour), size as u64), used));
        }
        mix(mix(seed, sum), structure.clauses() as u64)
    }))
}

/// Which word of one description stands for which word of another one of the same game.
#[derive(Clone, Debug)]
pub struct Renaming {
    forth: Vec<Option<Symbol>>,
    back: Vec<Option<Symbol>>,
    there: Dictionary,
    home: Dictionary,
}

impl Renaming {
    /// The symbol of the second description that stands for this one of the first. `None` for what the rules do not use.
    pub fn forth(&self, symbol: Symbol) -> Option<Symbol> {
        self.forth.get(symbol.0 as usize).copied().flatten()
    }

    /// The symbol of the first description that this one of the second stands for.
    pub fn back(&self, symbol: Symbol) -> Option<Symbol> {
        self.back.get(symbol.0 as usize).copied().flatten()
    }

    /// Translates a term, move or fact in KIF into the words of the second description, with single spaces.
    /// Words that the rules do not have, variables, and text that is not whole are errors.
    pub fn text_forth(&self, text: &str) -> Result<String, Problem> {
        self.there.translate(text)
    }

    /// Translates a term, move or fact in KIF into the words of the first description.
    pub fn text_back(&self, text: &str) -> Result<String, Problem> {
        self.home.translate(text)
    }
}

/// The renaming that makes `from` the same set of clauses as `to`, if there is one and it is found with reasonable
/// effort. It is checked clause by clause, so it is never wrong. Where the game has symmetries, any of several is given.
///
/// ```
/// let from = gdl::parse("(role me) (init (at 1)) (<= (legal me (go ?x)) (true (at ?x)) (free ?x))").rules;
/// let to = gdl::parse("(<= (legal i (walk ?a)) (ok ?a) (true (on ?a))) (role i) (init (on start))").rules;
/// let renaming = gdl::isomorphism(&from, &to).expect("the same game");
/// assert_eq!(renaming.text_forth("(go 1)").unwrap(), "(walk start)");
/// assert_eq!(renaming.text_back("(at 1)").unwrap_err().code, "unknown-word");
/// ```
pub fn isomorphism(from: &Rules, to: &Rules) -> Option<Renaming> {
    if from.clauses.len() != to.clauses.len() {
        return None;
    }
    let mut structure = Structure::default();
    let first = structure.add(from);
    let border = structure.initial.len();
    let second = structure.add(to);
    if structure.initial.len() != 2 * border {
        return None;
    }
    let mut search = Search { uses: Uses::new(&structure), structure, effort: EFFORT };
    let mut colours = Colours::new(&search.structure, Some(border as u32));
    search.refine(&mut colours)?;
    let colours = search.straight(colours.clone()).or_else(|| search.thorough(colours))?;
    renaming([from, to], [&first, &second], &colours)
}

struct Search {
    structure: Structure,
    uses: Uses,
    effort: usize,
}

impl Search {
    /// Refines; `None` if that shows that the two sides differ, or if it takes too much.
    fn refine(&mut self, colours: &mut Colours) -> Option<()> {
        colours.refine(&self.structure, &self.uses, &mut self.effort);
        (colours.balanced() && self.effort > 0).then_some(())
    }

    /// Takes the first choice everywhere. That is enough where symbols that look alike are exchanged by symmetries.
    fn straight(&mut self, mut colours: Colours) -> Option<Colours> {
        let mut class = 0;
        while let Some(found) = colours.undecided(class) {
            class = found;
            let pair = colours.pair(class)?;
            colours.single_out(&self.uses, pair);
            self.refine(&mut colours)?;
        }
        self.holds(&colours).then_some(colours)
    }

    /// Tries all choices, as far as the effort reaches.
    fn thorough(&mut self, colours: Colours) -> Option<Colours> {
        let class = colours.undecided(0)?;
        let mut open = vec![(colours, class, 0)];
        while let Some((colours, class, tried)) = open.last_mut() {
            let (own, others) = colours.members(*class);
            let Some(&other) = others.get(*tried) else {
                open.pop();
                continue;
            };
            *tried += 1;
            let mut next = colours.clone();
            let class = *class;
            self.effort = self.effort.checked_sub(self.structure.initial.len())?;
            next.single_out(&self.uses, [own[0], other]);
            if self.refine(&mut next).is_some() {
                match next.undecided(class) {
                    Some(class) => open.push((next, class, 0)),
                    None if self.holds(&next) => return Some(next),
                    None => {}
                }
            }
        }
        None
    }

    /// Whether the clauses of the first description are those of the second, when symbols of one colour are the same.
    fn holds(&mut self, colours: &Colours) -> bool {
        let half = self.structure.clauses() / 2;
        let colour = |entity| colours.colour(entity);
        let mut scratch = Scratch::default();
        let mut known: HashMap<u64, Vec<usize>> = HashMap::new();
        for clause in half..2 * half {
            known.entry(self.structure.hash(clause, 0, &colour, &mut scratch)).or_default().push(clause);
        }
        (0..half).all(|clause| {
            let hash = self.structure.hash(clause, 0, &colour, &mut scratch);
            let Some(others) = known.get_mut(&hash) else { return false };
            let mut comparison = Comparison { structure: &self.structure, colour: &colour, effort: &mut self.effort };
            match others.iter().rposition(|&other| comparison.equal(clause, other)) {
                Some(found) => {
                    others.swap_remove(found);
                    true
                }
                None => false,
            }
        })
    }
}

/// Reads the renaming from colours that each entity shares with one of the other description.
fn renaming(rules: [&Rules; 2], entities: [&Entities; 2], colours: &Colours) -> Option<Renaming> {
    let mut by_colour = HashMap::new();
    let mut by_word = HashMap::new();
    for (number, entity) in entities[1].of.iter().enumerate() {
        if let Some(entity) = entity
            && by_colour.insert(colours.colour(*entity), Symbol(number as u32)).is_some()
        {
            return None;
        }
    }
    by_word.extend(entities[1].kept.iter().map(|&(symbol, hash)| (hash, symbol)));
    let [from, to] = rules.map(|rules| &rules.symbols);
    let mut forth = vec![None; from.len()];
    let mut back = vec![None; to.len()];
    let mut put = |own: Symbol, other: Symbol| {
        forth[own.0 as usize] = Some(other);
        back[other.0 as usize].replace(own).is_none()
    };
    for (number, entity) in entities[0].of.iter().enumerate() {
        let Some(entity) = entity else { continue };
        if !put(Symbol(number as u32), *by_colour.get(&colours.colour(*entity))?) {
            return None;
        }
    }
    for (symbol, hash) in &entities[0].kept {
        let other = *by_word.get(hash)?;
        if fold(from.name(*symbol)) != fold(to.name(other)) || !put(*symbol, other) {
            return None;
        }
    }
    let pairs = || (0..).map(Symbol).zip(&forth).filter_map(|(own, other)| Some((own, (*other)?)));
    let there = Dictionary::of(pairs().map(|(own, other)| (from.name(own), to.name(other))));
    let home = Dictionary::of(pairs().map(|(own, other)| (to.name(other), from.name(own))));
    Some(Renaming { forth, back, there, home })
}
