//! The facts of a state as numbers, for all engines ([`game::Facts`]).
//!
//! The numbers are those that an engine uses anyway: the bit of a fact in a net, the term's number in the prover, the
//! number by position in rule code. So reading a state costs no more than going through it once.

use crate::net::{PropNet, State as NetState, View as NetView};
use crate::prover::Prover;
use crate::rulecode::RuleCode;
use game::{Facts, Game, Move, Role};

/// Facts in words, in the order that all engines list them.
pub(crate) fn sorted(facts: impl Iterator<Item = String>) -> Vec<String> {
    let mut facts: Vec<String> = facts.collect();
    facts.sort_unstable();
    facts
}

/// The numbers of facts, sorted, each once; `None` if one of them has none.
pub(crate) fn sorted_numbers(facts: &[&str], number: impl Fn(&str) -> Option<u32>) -> Option<Vec<u32>> {
    let mut numbers = facts.iter().map(|fact| number(fact)).collect::<Option<Vec<u32>>>()?;
    numbers.sort_unstable();
    numbers.dedup();
    Some(numbers)
}

impl Facts for PropNet {
    /// Facts that change have the number of their bit; those that always hold come after them.
    fn fact(&self, text: &str) -> Option<u32> {
        self.fact_number(text)
    }

    fn each_fact(&self, state: &NetState, seen: &mut dyn FnMut(u32)) {
        for (at, &word) in state.0.iter().enumerate() {
            let mut left = word;
            while left != 0 {
                seen(64 * at as u32 + left.trailing_zeros());
                left &= left - 1;
            }
        }
        self.each_lasting(seen);
    }

    fn state_from(&self, facts: &[u32]) -> Option<NetState> {
        self.state_with(facts)
    }

    fn legal_anyway(&self, view: &NetView, role: Role, out: &mut Vec<Move>) {
        self.legal_by_rules(view, role, out);
    }
}

impl Facts for Prover {
    fn fact(&self, text: &str) -> Option<u32> {
        // A term that no state has made yet gets its number here, so that it keeps it.
        let term = self.lexicon().term(text)?;
        self.shared_bank().add(&term)
    }

    fn each_fact(&self, state: &<Prover as Game>::State, seen: &mut dyn FnMut(u32)) {
        state.ids().iter().for_each(|&id| seen(id));
    }
}

impl Facts for RuleCode {
    fn fact(&self, text: &str) -> Option<u32> {
        self.fact_number(text)
    }

    fn each_fact(&self, state: &<RuleCode as Game>::State, seen: &mut dyn FnMut(u32)) {
        state.numbers().iter().for_each(|&number| seen(number));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Budget;
    use std::collections::BTreeSet;

    const RULES: &str = "(role me) (init (at 1)) (init (home here)) (succ 1 2) (succ 2 3)
        (<= (legal me (go ?y)) (true (at ?x)) (succ ?x ?y))
        (<= (next (at ?y)) (does me (go ?y))) (<= (next (home ?x)) (true (home ?x)))
        (<= terminal (true (at 3))) (<= (goal me 100) (true (at 3)))";

    /// Every fact of a state is visited once, under the number that its text has.
    fn agrees<G: Facts>(game: &G) {
        let state = game.start();
        let mut seen = Vec::new();
        game.each_fact(&state, &mut |fact| seen.push(fact));
        let numbers: BTreeSet<u32> = seen.iter().copied().collect();
        assert_eq!(numbers.len(), seen.len());
        let texts: BTreeSet<u32> = game.facts(&state).iter().filter_map(|text| game.fact(text)).collect();
        assert_eq!(numbers, texts);
        assert_eq!(texts.len(), 2);
        assert_eq!(game.fact("(nowhere 1)"), None);
        assert!(game.fact("(at 3)").is_some_and(|fact| !texts.contains(&fact)));
        assert_eq!(game.fact("(at"), None);
    }

    #[test]
    fn states_are_made_of_numbers() {
        let rules = gdl::parse(RULES).rules;
        let net = PropNet::new(&rules, Budget::default()).unwrap();
        let mut numbers = Vec::new();
        net.each_fact(&net.start(), &mut |fact| numbers.push(fact));
        assert_eq!(net.state_from(&numbers), Some(net.start()));
        let there = net.state_from(&[net.fact("(at 3)").unwrap()]).unwrap();
        assert_eq!(game::Names::facts(&net, &there), ["(at 3)", "(home here)"]);
        assert_eq!(net.state_from(&[1000]), None);
        // The rules name a move from 2 whether or not the game were over; from 3 there is none.
        let mut view = net.view();
        for (fact, moves) in [("(at 2)", 1), ("(at 3)", 0)] {
            net.look(&net.state_from(&[net.fact(fact).unwrap()]).unwrap(), &mut view).unwrap();
            let mut legal = Vec::new();
            net.legal_anyway(&view, Role(0), &mut legal);
            assert_eq!(legal.len(), moves);
        }
        assert_eq!(Prover::new(&rules).unwrap().state_from(&[]), None);
    }

    #[test]
    fn numbers_and_texts_agree_in_all_engines() {
        let rules = gdl::parse(RULES).rules;
        agrees(&Prover::new(&rules).unwrap());
        agrees(&RuleCode::new(&rules).unwrap());
        agrees(&PropNet::new(&rules, Budget::default()).unwrap());
    }
}
