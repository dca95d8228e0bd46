//! What the players of a match get to see: the rules as they are, or with everything renamed. Moves go there and back.

use gdl::{Form, Rules, Scrambler};

/// The face that a game shows to its players.
pub enum Disguise {
    /// The rules as they are.
    None {
        /// Their text.
        rules: String,
    },
    /// Everything renamed.
    Renamed {
        /// Their new text.
        rules: String,
        /// The way there and back.
        words: Box<Scrambler>,
    },
}

/// Rules as they are sent: without comments, in one line.
fn one_line(rules: &Rules) -> String {
    gdl::print(rules, Form::Kif).split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Disguise {
    /// The face of these rules: their own, or one that the seed makes up.
    ///
    /// ```
    /// let rules = gdl::parse("(role white) (legal white (mark 1)) (<= terminal (true end))").rules;
    /// let disguise = play::Disguise::new(&rules, Some(7));
    /// let there = disguise.to_player("(mark 1)");
    /// assert_ne!(there, "(mark 1)");
    /// assert_eq!(disguise.to_referee(&there).as_deref(), Some("(mark 1)"));
    /// ```
    pub fn new(rules: &Rules, seed: Option<u64>) -> Disguise {
        match seed {
            None => Disguise::None { rules: one_line(rules) },
            Some(seed) => {
                let words = Box::new(Scrambler::new(rules, seed));
                Disguise::Renamed { rules: one_line(words.rules()), words }
            }
        }
    }

    /// The rules that the players are sent.
    pub fn rules(&self) -> &str {
        match self {
            Disguise::None { rules } | Disguise::Renamed { rules, .. } => rules,
        }
    }

    /// A role or a move in the players' words.
    pub fn to_player(&self, text: &str) -> String {
        match self {
            Disguise::None { .. } => text.to_string(),
            // Everything that an engine says of a game consists of the game's words.
            Disguise::Renamed { words, .. } => words.scramble_text(text).unwrap_or_else(|_| text.to_string()),
        }
    }

    /// A move in the words of the rules; `None` if it is not in the players' words, and so is no move at all.
    pub fn to_referee(&self, text: &str) -> Option<String> {
        match self {
            Disguise::None { .. } => Some(text.to_string()),
            Disguise::Renamed { words, .. } => words.unscramble_text(text).ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disguised_player_cannot_use_the_original_words() {
        let rules = gdl::parse("(role white) (legal white (mark 1)) ; comment\n (<= terminal (true end))").rules;
        let plain = Disguise::new(&rules, None);
        assert_eq!(plain.rules(), "(role white) (legal white (mark 1)) (<= terminal (true end))");
        assert_eq!(plain.to_referee("(mark 1)").as_deref(), Some("(mark 1)"));
        let disguise = Disguise::new(&rules, Some(1));
        assert_eq!(disguise.to_referee("(mark 1)"), None);
        assert!(!disguise.rules().contains("white"));
    }
}
