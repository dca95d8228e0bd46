//! The referee of one match: whose moves are legal, what stands in for a move that is not, and what is true afterwards.

use crate::text::tidy;
use game::random::Rng;
use game::{Goal, Limit, Move, Names, Role, roles};

/// What came from a player in one step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// A move, which may be anything.
    Move(String),
    /// Something that is no move, whatever it looks like: text in words that the player cannot know.
    Rubbish(String),
    /// Nothing in time.
    TimeOut,
    /// Nothing, because the player could not be reached.
    Unreachable,
    /// Nobody was asked: the role is chance, and the referee draws.
    Chance,
}

/// What was wrong with an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The move is not legal.
    Illegal(String),
    /// Out of time.
    TimeOut,
    /// Connection error.
    Unreachable,
}

impl Fault {
    /// As match records write it. What is longer than a move can be is cut.
    pub fn text(&self) -> String {
        match self {
            Fault::TimeOut => "TO".to_string(),
            Fault::Unreachable => "CE".to_string(),
            Fault::Illegal(text) => {
                let visible = |c: char| if c.is_control() { ' ' } else { c };
                let text: String = text.chars().map(visible).take(200).collect();
                format!("IL {}", tidy(&text).unwrap_or(text)).trim_end().to_string()
            }
        }
    }
}

/// Where a match stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Standing {
    /// Moves are wanted.
    Open,
    /// The game is over, with the goal of every role.
    Over(Vec<Option<Goal>>),
    /// The game is not over, but this role has no legal move: a fault of the rules.
    Stuck(Role),
}

/// What happened in one step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The move of every role, in canonical form.
    pub moves: Vec<String>,
    /// What was wrong with each answer.
    pub faults: Vec<Option<Fault>>,
}

impl Step {
    /// The faults as match records write them: an empty text where there was none.
    pub fn errors(&self) -> Vec<String> {
        self.faults.iter().map(|fault| fault.as_ref().map_or(String::new(), Fault::text)).collect()
    }
}

/// See the module.
pub struct Referee<'g, G: Names> {
    game: &'g G,
    state: G::State,
    view: G::View,
    legal: Vec<Vec<Move>>,
    standing: Standing,
    rng: Rng,
}

impl<'g, G: Names> Referee<'g, G> {
    /// A match at its beginning. The seed decides what stands in for missing moves, and the moves of chance.
    pub fn new(game: &'g G, seed: u64) -> Result<Referee<'g, G>, Limit> {
        let mut referee = Referee {
            game,
            state: game.start(),
            view: game.view(),
            legal: Vec::new(),
            standing: Standing::Open,
            rng: Rng::new(seed),
        };
        referee.look()?;
        Ok(referee)
    }

    fn look(&mut self) -> Result<(), Limit> {
        let game = self.game;
        game.look(&self.state, &mut self.view)?;
        self.legal.clear();
        if game.over(&self.view) {
            let goals = roles(game).map(|role| game.goal(&mut self.view, role)).collect::<Result<_, _>>()?;
            self.standing = Standing::Over(goals);
            return Ok(());
        }
        self.standing = Standing::Open;
        for role in roles(game) {
            let mut moves = Vec::new();
            game.legal(&self.view, role, &mut moves);
            if moves.is_empty() && self.standing == Standing::Open {
                self.standing = Standing::Stuck(role);
            }
            self.legal.push(moves);
        }
        Ok(())
    }

    /// Where the match stands.
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    /// The facts of the state.
    pub fn facts(&self) -> Vec<String> {
        self.game.facts(&self.state)
    }

    /// The state as match records write it.
    pub fn state_text(&self) -> String {
        format!("( {} )", self.facts().join(" "))
    }

    /// The goals as they would be now.
    pub fn goals(&mut self) -> Result<Vec<Option<Goal>>, Limit> {
        roles(self.game).map(|role| self.game.goal(&mut self.view, role)).collect()
    }

    /// The legal moves of a role as text.
    pub fn legal(&self, role: Role) -> Vec<String> {
        let moves = self.legal.get(role.0 as usize).map_or(&[][..], Vec::as_slice);
        moves.iter().map(|&mv| self.game.move_text(mv)).collect()
    }

    /// Makes a step, given an answer for each role (those that are missing count as unreachable). Whatever is not a
    /// legal move is replaced by a random one, each as likely as the others. Does nothing unless the match is open.
    pub fn step(&mut self, answers: &[Answer]) -> Result<Option<Step>, Limit> {
        if self.standing != Standing::Open {
            return Ok(None);
        }
        let mut joint = Vec::new();
        let mut step = Step { moves: Vec::new(), faults: Vec::new() };
        for role in roles(self.game) {
            let answer = answers.get(role.0 as usize).unwrap_or(&Answer::Unreachable);
            let (chosen, fault) = match answer {
                Answer::Move(text) => match self.find(role, text) {
                    Some(mv) => (Some(mv), None),
                    None => (None, Some(Fault::Illegal(text.clone()))),
                },
                Answer::Rubbish(text) => (None, Some(Fault::Illegal(text.clone()))),
                Answer::TimeOut => (None, Some(Fault::TimeOut)),
                Answer::Unreachable => (None, Some(Fault::Unreachable)),
                Answer::Chance => (None, None),
            };
            let moves = &self.legal[role.0 as usize];
            let mv = chosen.unwrap_or_else(|| moves[self.rng.below(moves.len())]);
            step.moves.push(self.game.move_text(mv));
            step.faults.push(fault);
            joint.push(mv);
        }
        let mut next = self.state.clone();
        self.game.play(&mut self.view, &joint, &mut next)?;
        self.state = next;
        self.look()?;
        Ok(Some(step))
    }

    /// The legal move that is meant by a text.
    fn find(&self, role: Role, text: &str) -> Option<Move> {
        self.game.legal_move(&self.view, role, text)
    }
}

/// Whether the manager plays this role itself.
pub fn is_chance(role: &str) -> bool {
    role.eq_ignore_ascii_case("random")
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: &str = "(role Me) (role random) (init (At 0)) (succ 0 1) (succ 1 2) (succ 2 3)
        (<= (legal me (Add 1)) (true (at ?x))) (<= (legal me wait) (true (at ?x)))
        (<= (legal random ?y) (succ ?x ?y))
        (<= (next (at ?y)) (does me (add 1)) (true (at ?x)) (succ ?x ?y))
        (<= (next (at ?x)) (does me wait) (true (at ?x)))
        (<= terminal (true (at 2))) (<= (goal me 100) (true (at 2)))";

    fn game() -> machine::Prover {
        machine::Prover::new(&gdl::parse(COUNT).rules).expect("it can be played")
    }

    #[test]
    fn moves_are_compared_without_case() {
        let game = game();
        let mut referee = Referee::new(&game, 1).expect("no limit");
        let step = referee.step(&[Answer::Move("( ADD 1 )".into()), Answer::Chance]).expect("no limit").expect("open");
        assert_eq!((&step.moves[0][..], step.errors()), ("(Add 1)", vec![String::new(), String::new()]));
        assert_eq!(referee.state_text(), "( (At 1) )");
        referee.step(&[Answer::Move("(add 1)".into()), Answer::Chance]).expect("no limit");
        assert_eq!(*referee.standing(), Standing::Over(vec![Some(100), None]));
        assert_eq!(referee.step(&[]), Ok(None));
    }

    #[test]
    fn faults_are_replaced_and_recorded() {
        let game = game();
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..20 {
            let mut referee = Referee::new(&game, seed).expect("no limit");
            for (answer, error) in [
                (Answer::Move("(add 2)".into()), "IL (add 2)"),
                (Answer::Move("rub\nbish (".into()), "IL rub bish ("),
                (Answer::Rubbish("(add 1)".into()), "IL (add 1)"),
                (Answer::Move(String::new()), "IL"),
                (Answer::TimeOut, "TO"),
                (Answer::Unreachable, "CE"),
            ] {
                if let Some(step) = referee.step(&[answer, Answer::Chance]).expect("no limit") {
                    assert_eq!(step.errors(), [error, ""]);
                    seen.insert(step.moves[0].clone());
                }
            }
        }
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), ["(Add 1)", "wait"]);
    }

    #[test]
    fn a_stuck_game_is_noticed() {
        let rules = gdl::parse("(role a) (role b) (init on) (legal a go) (<= terminal (true off))").rules;
        let game = machine::Prover::new(&rules).expect("it can be played");
        assert_eq!(*Referee::new(&game, 1).expect("no limit").standing(), Standing::Stuck(Role(1)));
    }
}
