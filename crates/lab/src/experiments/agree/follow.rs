//! Several engines that play the same game in step, compared at every state.

use game::random::Rng;
use game::{Game, Goal, Limit, Move, Names, roles};
use machine::{Engine, State, View};

/// A game is left after this many moves.
const MOST: u64 = 1000;

/// At this move of a game the followers take over the state as text instead of the one they came to themselves.
const BY_TEXT: u64 = 5;

/// All that an engine says about a state.
#[derive(PartialEq, Debug)]
pub struct Seen {
    facts: Vec<String>,
    over: bool,
    /// The legal moves of each role, sorted; none where the game is over.
    legal: Vec<Vec<String>>,
    goals: Vec<Option<Goal>>,
}

/// An engine in the middle of a game.
pub struct Follower<'a> {
    game: &'a Engine,
    view: View,
    state: State,
    next: State,
    /// The legal moves of each role, sorted by their texts.
    legal: Vec<Vec<Move>>,
}

impl<'a> Follower<'a> {
    /// An engine at the start of the game.
    pub fn new(game: &'a Engine) -> Follower<'a> {
        Follower { view: game.view(), state: game.start(), next: game.start(), legal: Vec::new(), game }
    }

    /// Which engine it is.
    fn engine(&self) -> &'static str {
        self.game.kind().name()
    }

    /// Goes back to the start.
    fn restart(&mut self) {
        self.state = self.game.start();
    }

    /// Says everything about the state at hand.
    fn see(&mut self) -> Result<Seen, Limit> {
        let game = self.game;
        game.look(&self.state, &mut self.view)?;
        let over = game.over(&self.view);
        self.legal.clear();
        let mut legal = Vec::new();
        for role in roles(game).filter(|_| !over) {
            let mut moves = Vec::new();
            game.legal(&self.view, role, &mut moves);
            let mut named: Vec<(String, Move)> = moves.into_iter().map(|mv| (game.move_text(mv), mv)).collect();
            named.sort();
            let (texts, moves) = named.into_iter().unzip();
            legal.push(texts);
            self.legal.push(moves);
        }
        let goals = roles(game).map(|role| game.goal(&mut self.view, role)).collect::<Result<_, _>>()?;
        Ok(Seen { facts: game.facts(&self.state), over, legal, goals })
    }

    /// Makes the moves of these places in the lists of legal moves last seen.
    fn play(&mut self, places: &[usize]) -> Result<(), Limit> {
        let joint: Vec<Move> = self.legal.iter().zip(places).map(|(moves, &place)| moves[place]).collect();
        self.game.play(&mut self.view, &joint, &mut self.next)?;
        std::mem::swap(&mut self.state, &mut self.next);
        Ok(())
    }

    /// Takes over a state given as text; whether it could be read.
    fn take(&mut self, facts: &[String]) -> bool {
        let facts: Vec<&str> = facts.iter().map(String::as_str).collect();
        let state = self.game.state_of(&facts);
        let read = state.is_some();
        if let Some(state) = state {
            self.state = state;
        }
        read
    }
}

/// How a random game ended.
pub enum Ended {
    /// All engines agree up to its end: the goals, unless somebody had no move.
    Whole(Option<Vec<Option<Goal>>>),
    /// All engines agree, and the game was left before its end.
    Left,
    /// Something differs: what.
    Differ(String),
    /// The first engine gave up: why.
    GaveUp(String),
}

/// Plays a random game with all engines in step; adds the states that were compared.
pub fn random_game(followers: &mut [Follower<'_>], rng: &mut Rng, states: &mut u64) -> Ended {
    followers.iter_mut().for_each(|follower| follower.restart());
    for step in 0..MOST {
        let Some((oracle, others)) = followers.split_first_mut() else { return Ended::Left };
        let seen = match oracle.see() {
            Ok(seen) => seen,
            Err(limit) => return Ended::GaveUp(format!("step {step}: the {} gave up: {limit}", oracle.engine())),
        };
        for other in others {
            if step == BY_TEXT && !other.take(&seen.facts) {
                return Ended::Differ(format!("step {step}: {} cannot read the state", other.engine()));
            }
            match other.see() {
                Ok(own) if own == seen => {}
                Ok(own) => return Ended::Differ(format!("step {step}: {}", difference(other.engine(), &own, &seen))),
                Err(limit) => return Ended::Differ(format!("step {step}: {} gave up: {limit}", other.engine())),
            }
        }
        *states += 1;
        if seen.over {
            return Ended::Whole(Some(seen.goals));
        }
        if seen.legal.iter().any(Vec::is_empty) {
            return Ended::Whole(None);
        }
        let places: Vec<usize> = seen.legal.iter().map(|moves| rng.below(moves.len())).collect();
        for follower in followers.iter_mut() {
            if let Err(limit) = follower.play(&places) {
                let what = format!("step {step}: {} gave up: {limit}", follower.engine());
                return if follower.engine() == "prover" { Ended::GaveUp(what) } else { Ended::Differ(what) };
            }
        }
    }
    Ended::Left
}

/// The first difference, in words.
fn difference(engine: &str, own: &Seen, right: &Seen) -> String {
    let lists = |what: &str, own: &[String], right: &[String]| {
        let too_much = own.iter().find(|item| !right.contains(item));
        let missing = right.iter().find(|item| !own.contains(item));
        match (too_much, missing) {
            (Some(item), _) => format!("{engine} has the {what} {item}, the prover has not"),
            (_, Some(item)) => format!("{engine} has not the {what} {item}, the prover has"),
            _ => format!("{engine} has a {what} twice"),
        }
    };
    if own.facts != right.facts {
        return lists("fact", &own.facts, &right.facts);
    }
    if own.over != right.over {
        let word = if own.over { "over" } else { "not over" };
        return format!("{engine} says that the game is {word}, the prover says the contrary");
    }
    for (role, (mine, others)) in own.legal.iter().zip(&right.legal).enumerate() {
        if mine != others {
            return format!("role {role}: {}", lists("legal move", mine, others));
        }
    }
    format!("{engine} gives the goals {:?}, the prover {:?}", own.goals, right.goals)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(facts: &[&str], goal: Goal) -> Seen {
        let facts = facts.iter().map(|fact| fact.to_string()).collect();
        Seen { facts, over: false, legal: vec![vec!["noop".to_string()]], goals: vec![Some(goal)] }
    }

    #[test]
    fn differences_are_named() {
        let right = seen(&["a", "b"], 50);
        assert!(difference("net", &seen(&["a", "c"], 50), &right).contains("has the fact c"));
        assert!(difference("net", &seen(&["a"], 50), &right).contains("has not the fact b"));
        assert!(difference("net", &seen(&["a", "b"], 60), &right).contains("Some(60)"));
        let mut own = seen(&["a", "b"], 50);
        own.over = true;
        assert!(difference("net", &own, &right).contains("is over"));
        let mut own = seen(&["a", "b"], 50);
        own.legal[0].push("pass".to_string());
        assert!(difference("net", &own, &right).contains("legal move pass"));
    }
}
