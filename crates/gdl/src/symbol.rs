//! Names: compared without regard to case, printed as first written.

use std::collections::HashMap;
use std::fmt;

/// A name, numbered within its [`Symbols`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(pub u32);

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match KEYWORDS.get(self.0 as usize) {
            Some(word) => write!(f, "{word}"),
            None => write!(f, "#{}", self.0),
        }
    }
}

macro_rules! keywords {
    ($($name:ident $text:literal $number:literal),* $(,)?) => {
        /// The words that mean something in GDL. Their numbers are the same in every [`Symbols`].
        impl Symbol {
            $(
                #[doc = concat!("`", $text, "`")]
                pub const $name: Symbol = Symbol($number);
            )*
        }
        const KEYWORDS: &[&str] = &[$($text),*];
    };
}

keywords! {
    IF "<=" 0, NOT "not" 1, OR "or" 2, AND "and" 3, DISTINCT "distinct" 4,
    ROLE "role" 5, INIT "init" 6, TRUE "true" 7, DOES "does" 8, LEGAL "legal" 9, NEXT "next" 10,
    TERMINAL "terminal" 11, GOAL "goal" 12, BASE "base" 13, INPUT "input" 14,
}

impl Symbol {
    /// Whether this is one of the words that mean something in GDL.
    pub fn is_keyword(self) -> bool {
        (self.0 as usize) < KEYWORDS.len()
    }

    /// How many arguments the keyword takes; `None` for names of the game's own and for the connectives.
    pub fn keyword_arity(self) -> Option<usize> {
        match self {
            Symbol::TERMINAL => Some(0),
            Symbol::ROLE | Symbol::INIT | Symbol::TRUE | Symbol::NEXT | Symbol::BASE => Some(1),
            Symbol::DOES | Symbol::LEGAL | Symbol::GOAL | Symbol::INPUT | Symbol::DISTINCT => Some(2),
            _ => None,
        }
    }
}

/// All names of a rulesheet.
#[derive(Clone, Debug)]
pub struct Symbols {
    names: Vec<String>,
    numbers: HashMap<String, Symbol>,
}

impl Default for Symbols {
    fn default() -> Symbols {
        let mut symbols = Symbols { names: Vec::new(), numbers: HashMap::new() };
        for word in KEYWORDS {
            symbols.intern(word);
        }
        symbols
    }
}

impl Symbols {
    /// The symbol of this name, made if it is new.
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(symbol) = self.find(name) {
            return symbol;
        }
        let symbol = Symbol(self.names.len() as u32);
        self.names.push(name.to_string());
        self.numbers.insert(fold(name), symbol);
        symbol
    }

    /// The symbol of this name, if there is one.
    pub fn find(&self, name: &str) -> Option<Symbol> {
        match self.numbers.get(name) {
            Some(&symbol) => Some(symbol),
            // Most names are in that form already; rules with very many of them are read faster for it.
            None if name.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) => None,
            None => self.numbers.get(&fold(name)).copied(),
        }
    }

    /// The name as first written.
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.0 as usize]
    }

    /// How many symbols there are; their numbers are 0 up to this.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Never: the keywords are always there.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// All symbols that are not keywords.
    pub fn own(&self) -> impl Iterator<Item = Symbol> + use<> {
        (KEYWORDS.len() as u32..self.names.len() as u32).map(Symbol)
    }
}

/// The form in which names are compared.
pub fn fold(name: &str) -> String {
    name.to_lowercase()
}
