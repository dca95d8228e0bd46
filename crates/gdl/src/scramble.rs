//! Renames everything in a description, so that nothing can be learned from its words, and back again.
//!
//! Every name and every variable becomes a made-up word. What stays:
//!
//! - the words that mean something in GDL, and `random` and `sees`, which mean something in GDL-II;
//! - constants that are goal values, because their meaning is that of numbers: every constant that is the second
//!   argument in the head of a `goal` clause. If a head has anything else there (a variable, whose values come from
//!   elsewhere), all integers from 0 to 100 stay.
//!
//! Such a number stays wherever it appears, as a coordinate too: one name has one translation, or the renamed game
//! would be another game. The order of clauses and conditions stays.

use std::collections::{HashMap, HashSet};

use crate::kif;
use crate::limits::{Limits, Meter};
use crate::problem::{Problem, Span};
use crate::rules::{Rules, Term, TermKind};
use crate::symbol::{Symbol, Symbols, fold};
use crate::tree::{NodeKind, Tree, quote};

/// A renaming of one description, and its inverse. The same rules and seed give the same names.
///
/// ```
/// let rules = gdl::parse("(role white) (<= (legal ?p (mark 1 2)) (role ?p)) (goal white 100)").rules;
/// let scrambler = gdl::Scrambler::new(&rules, 7);
/// let text = gdl::print(scrambler.rules(), gdl::Form::Kif);
/// assert!(!text.contains("white") && !text.contains("mark") && !text.contains("?p"));
/// assert!(text.contains("(role ") && text.contains(" 100)"));
///
/// let there = scrambler.scramble_text("(mark 1 2)").unwrap();
/// assert_eq!(scrambler.unscramble_text(&there).unwrap(), "(mark 1 2)");
/// ```
#[derive(Clone, Debug)]
pub struct Scrambler {
    rules: Rules,
    there: Dictionary,
    back: Dictionary,
}

/// Which word is written for which; keys are in the form in which names are compared.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dictionary {
    names: HashMap<String, String>,
    vars: HashMap<String, String>,
}

impl Scrambler {
    /// Makes up names for everything in `rules`.
    pub fn new(rules: &Rules, seed: u64) -> Scrambler {
        let mut words = Words::new(rules, seed);
        let stays = Stays::of(rules);
        let (mut there, mut back) = (Dictionary::default(), Dictionary::default());
        let mut symbols = Symbols::default();
        for symbol in (0..rules.symbols.len() as u32).map(Symbol) {
            let old = rules.symbols.name(symbol);
            let new = if stays.keeps(symbol, old) { old.to_string() } else { words.next() };
            symbols.intern(&new);
            there.names.insert(fold(old), new.clone());
            back.names.insert(fold(&new), old.to_string());
        }
        let mut clauses = rules.clauses.clone();
        for old in clauses.iter_mut().flat_map(|clause| &mut clause.vars) {
            let folded = fold(old);
            let new = there.vars.entry(folded).or_insert_with(|| {
                let new = words.next();
                back.vars.insert(new.clone(), old.clone());
                new
            });
            old.clone_from(new);
        }
        Scrambler { rules: Rules { symbols, clauses }, there, back }
    }

    /// The renamed rules. The numbers of symbols and variables are those of the original, so terms need no translation:
    /// they only look different with these symbols. Places in the text are those of the original, too.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Translates a term, move, fact or any other text in KIF into the new names.
    ///
    /// The result has single spaces. Words that the description does not have, and text that is not whole, are errors.
    pub fn scramble_text(&self, text: &str) -> Result<String, Problem> {
        self.there.translate(text)
    }

    /// Translates text in the new names back.
    ///
    /// ```
    /// let rules = gdl::parse("(role white)").rules;
    /// let scrambler = gdl::Scrambler::new(&rules, 7);
    /// assert_eq!(scrambler.unscramble_text("white").unwrap_err().code, "unknown-word");
    /// assert_eq!(scrambler.unscramble_text("(role").unwrap_err().code, "unclosed");
    /// ```
    pub fn unscramble_text(&self, text: &str) -> Result<String, Problem> {
        self.back.translate(text)
    }
}

impl Dictionary {
    /// A dictionary of names alone: what is written for what.
    pub(crate) fn of<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Dictionary {
        let names = pairs.map(|(from, to)| (fold(from), to.to_string())).collect();
        Dictionary { names, vars: HashMap::new() }
    }

    /// Translates text in KIF. Words that are not in the dictionary, and text that is not whole, are errors.
    pub(crate) fn translate(&self, text: &str) -> Result<String, Problem> {
        if let Some(problem) = crate::too_large(text.len()) {
            return Err(problem);
        }
        let mut problems = Vec::new();
        let limits = Limits::default();
        let tree = kif::read(text, 0, &mut problems, &mut Meter::new(&limits))
            .map_err(|unfinished| Problem::error("too-large", Span::new(0, 0), unfinished.to_string(), ""))?;
        if !problems.is_empty() {
            return Err(problems.swap_remove(0));
        }
        if tree.roots.is_empty() {
            let hint = "write a term here";
            return Err(Problem::error("empty", Span::new(0, 0), "there is nothing to translate", hint));
        }
        let mut out = String::new();
        self.list(&mut out, &tree, &tree.roots)?;
        Ok(out)
    }

    /// Members with single spaces between them. As deep on the stack as the text is nested, which the reader bounds.
    fn list(&self, out: &mut String, tree: &Tree<'_>, members: &[u32]) -> Result<(), Problem> {
        for (at, &member) in members.iter().enumerate() {
            if at > 0 {
                out.push(' ');
            }
            let node = &tree.nodes[member as usize];
            let (found, written) = match &node.kind {
                NodeKind::List(members) => {
                    out.push('(');
                    self.list(out, tree, members)?;
                    out.push(')');
                    continue;
                }
                NodeKind::Name(name) => (self.names.get(&fold(name)), &**name),
                NodeKind::Var(name) => {
                    out.push('?');
                    (self.vars.get(&fold(name)), *name)
                }
                NodeKind::Blank | NodeKind::Broken => (None, ""),
            };
            let Some(found) = found else {
                let message = format!("the game has no word `{}`", quote(written));
                return Err(Problem::error(
                    "unknown-word",
                    node.span,
                    message,
                    "only words of the game have a translation",
                ));
            };
            out.push_str(found);
        }
        Ok(())
    }
}

/// What is not renamed.
pub(crate) struct Stays {
    values: HashSet<Symbol>,
    /// Goal values are computed; any number could be one.
    numbers: bool,
}

impl Stays {
    pub(crate) fn of(rules: &Rules) -> Stays {
        let mut stays = Stays { values: HashSet::new(), numbers: false };
        for clause in rules.clauses.iter().filter(|clause| clause.head.name == Symbol::GOAL) {
            match clause.head.args.get(1) {
                Some(Term { kind: TermKind::Name(value), .. }) => {
                    stays.values.insert(*value);
                }
                Some(_) => stays.numbers = true,
                None => {}
            }
        }
        stays
    }

    pub(crate) fn keeps(&self, symbol: Symbol, name: &str) -> bool {
        symbol.is_keyword()
            || self.values.contains(&symbol)
            || matches!(&*fold(name), "random" | "sees")
            || (self.numbers
                && name.bytes().all(|byte| byte.is_ascii_digit())
                && name.parse::<u32>().is_ok_and(|value| value <= 100))
    }
}

/// An endless supply of words that can be said aloud, none of them used before.
struct Words {
    state: u64,
    used: HashSet<String>,
    /// Syllables a word has at least, so that words do not run out.
    syllables: usize,
}

const ONSETS: [&str; 16] = ["b", "d", "f", "g", "h", "j", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z"];
const VOWELS: [&str; 5] = ["a", "e", "i", "o", "u"];

impl Words {
    fn new(rules: &Rules, seed: u64) -> Words {
        let names = (0..rules.symbols.len() as u32).map(|symbol| fold(rules.symbols.name(Symbol(symbol))));
        let vars = rules.clauses.iter().flat_map(|clause| clause.vars.iter().map(|name| fold(name)));
        let others = ["random", "sees", "nil"].map(String::from);
        let used: HashSet<String> = names.chain(vars).chain(others).collect();
        let mut syllables = 2;
        let mut words = (ONSETS.len() * VOWELS.len()).pow(2);
        while words / 4 < used.len() {
            syllables += 1;
            words = words.saturating_mul(ONSETS.len() * VOWELS.len());
        }
        Words { state: seed, used, syllables }
    }

    fn next(&mut self) -> String {
        loop {
            let syllables = self.syllables + self.below(2);
            let word: String = (0..syllables)
                .flat_map(|_| [ONSETS[self.below(ONSETS.len())], VOWELS[self.below(VOWELS.len())]])
                .collect();
            if self.used.insert(word.clone()) {
                return word;
            }
        }
    }

    /// A number below `limit`, by the SplitMix64 sequence: small, seedable, and good enough for names.
    fn below(&mut self, limit: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) % limit as u64) as usize
    }
}
