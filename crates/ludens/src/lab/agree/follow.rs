//! Several engines that play the same game in step, compared at every state.

use crate::engine::{Job, Loaded};
use game::random::Rng;
use game::{Goal, Limit, Move, Names, roles};

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

/// An engine in the middle of a game. (A trait without type parameters, so that engines of different kinds stand in one
/// list.)
pub trait Follow {
    /// Which engine it is.
    fn engine(&self) -> &'static str;
    /// Goes back to the start.
    fn restart(&mut self);
    /// Says everything about the state at hand.
    fn see(&mut self) -> Result<Seen, Limit>;
    /// Makes the moves of these places in the lists of legal moves last seen.
    fn play(&mut self, places: &[usize]) -> Result<(), Limit>;
    /// Takes over a state given as text; whether it could be read.
    fn take(&mut self, facts: &[String]) -> bool;
}

struct Follower<'a, G: Names> {
    engine: &'static str,
    game: &'a G,
    view: G::View,
    state: G::State,
    next: G::State,
    /// The legal moves of each role, sorted by their texts.
    legal: Vec<Vec<Move>>,
}

impl<G: Names> Follow for Follower<'_, G> {
    fn engine(&self) -> &'static str {
        self.engine
    }

    fn restart(&mut self) {
        self.state = self.game.start();
    }

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

    fn play(&mut self, places: &[usize]) -> Result<(), Limit> {
        let joint: Vec<Move> = self.legal.iter().zip(places).map(|(moves, &place)| moves[place]).collect();
        self.game.play(&mut self.view, &joint, &mut self.next)?;
        std::mem::swap(&mut self.state, &mut self.next);
        Ok(())
    }

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

/// Something to do with engines in one list.
pub type Work<'a, T> = dyn FnMut(&mut [Box<dyn Follow + '_>]) -> T + 'a;

/// Puts all games into one list, and does something with it.
pub fn together<T>(games: &[Loaded], work: &mut Work<'_, T>) -> T {
    gather(games, Vec::new(), work)
}

fn gather<'a, T>(games: &[Loaded], mut followers: Vec<Box<dyn Follow + 'a>>, work: &mut Work<'_, T>) -> T {
    struct Add<'a, 'b, T> {
        engine: &'static str,
        rest: &'b [Loaded],
        followers: Vec<Box<dyn Follow + 'a>>,
        work: &'b mut Work<'b, T>,
    }
    impl<T> Job for Add<'_, '_, T> {
        type Out = T;

        fn run<G: Names>(self, game: &G) -> T {
            let mut followers: Vec<Box<dyn Follow + '_>> = self.followers;
            let (view, state, next) = (game.view(), game.start(), game.start());
            followers.push(Box::new(Follower { engine: self.engine, game, view, state, next, legal: Vec::new() }));
            gather(self.rest, followers, self.work)
        }
    }
    match games.split_first() {
        None => work(&mut followers),
        Some((game, rest)) => game.run(Add { engine: game.engine().name(), rest, followers, work }),
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
pub fn random_game(followers: &mut [Box<dyn Follow + '_>], rng: &mut Rng, states: &mut u64) -> Ended {
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
