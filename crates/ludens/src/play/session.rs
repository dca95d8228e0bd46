//! One game between persons at the prompt and a machine: draw, ask, play, until it is over.

use super::board::Boards;
use super::hint::hint;
use super::input::{self, Command, Input};
use super::legal_moves;
use super::others::Others;
use anyhow::Result;
use game::random::Rng;
use game::role_names;
use game::{Goal, Move, Names, Role, roles};
use std::io::BufRead;
use terminal::{Out, text};

/// More moves than this are not shown unasked.
const MOST_SHOWN: usize = 120;

/// A game in progress.
pub struct Session<'a, G: Names, I> {
    game: &'a G,
    names: Vec<String>,
    /// Which roles are persons.
    persons: Vec<bool>,
    boards: Boards,
    others: Others<G>,
    rng: Rng,
    state: G::State,
    /// The states in which a person made a choice.
    past: Vec<G::State>,
    input: I,
    out: Out<'a>,
}

/// What the roles decided together.
enum Decision {
    Joint(Vec<Move>),
    Undo,
    Leave,
}

/// What a person answered.
enum Reply {
    Move(Move),
    Undo,
    Leave,
}

impl<'a, G: Names, I: BufRead> Session<'a, G, I> {
    /// A game at its start.
    pub fn new(
        game: &'a G,
        persons: Vec<bool>,
        boards: Boards,
        others: Others<G>,
        rng: Rng,
        input: I,
        out: Out<'a>,
    ) -> Self {
        let names = role_names(game);
        Session { game, names, persons, boards, others, rng, state: game.start(), past: Vec::new(), input, out }
    }

    /// Plays until the end of the game, or of the person's patience.
    pub fn play(mut self, name: &str) -> Result<()> {
        self.open(name)?;
        let mut view = self.game.view();
        loop {
            self.game.look(&self.state, &mut view)?;
            if self.game.over(&view) {
                self.draw()?;
                let goals: Vec<Option<Goal>> =
                    roles(self.game).map(|role| self.game.goal(&mut view, role)).collect::<Result<_, _>>()?;
                return Ok(writeln!(self.out, "\n{}", result(&self.names, &self.persons, &goals))?);
            }
            let legal = legal_moves(self.game, &view);
            if let Some(stuck) = legal.iter().position(Vec::is_empty) {
                self.draw()?;
                let name = &self.names[stuck];
                writeln!(self.out, "\nThe game is stuck: {name} has no legal move, but the game is not over.")?;
                return Ok(writeln!(self.out, "That is a fault of the rules.")?);
            }
            match self.decide(&legal)? {
                Decision::Joint(joint) => {
                    let mut next = self.state.clone();
                    self.game.play(&mut view, &joint, &mut next)?;
                    self.state = next;
                }
                Decision::Undo => {}
                Decision::Leave => return Ok(writeln!(self.out, "Goodbye; the game was not finished.")?),
            }
        }
    }

    fn open(&mut self, name: &str) -> Result<()> {
        let of = |person| -> Vec<&str> {
            let names = self.names.iter().zip(&self.persons);
            names.filter(|(_, is)| **is == person).map(|(name, _)| name.as_str()).collect()
        };
        let (mine, others) = (of(true).join(" and "), of(false));
        let against = match others[..] {
            [] => String::new(),
            _ => {
                let verb = if others.len() == 1 { "moves" } else { "move" };
                format!("; {} {verb} {}", others.join(", "), self.others.how())
            }
        };
        writeln!(self.out, "{name}: you play {mine}{against}. `help` tells what you can type.")?;
        Ok(())
    }

    fn draw(&mut self) -> Result<()> {
        let picture = self.boards.draw(&self.game.facts(&self.state));
        writeln!(self.out, "\n{}", picture.trim_end())?;
        Ok(())
    }

    /// One move for every role.
    fn decide(&mut self, legal: &[Vec<Move>]) -> Result<Decision> {
        let mut joint: Vec<Move> = legal.iter().map(|moves| moves[self.rng.below(moves.len())]).collect();
        let choosers: Vec<usize> =
            (0..legal.len()).filter(|&role| self.persons[role] && legal[role].len() > 1).collect();
        if !choosers.is_empty() {
            self.draw()?;
        }
        for &role in &choosers {
            match self.ask(Role(role as u8), legal)? {
                Reply::Move(mv) => joint[role] = mv,
                Reply::Undo => return Ok(Decision::Undo),
                Reply::Leave => return Ok(Decision::Leave),
            }
        }
        if !choosers.is_empty() {
            self.past.push(self.state.clone());
        }
        for role in (0..legal.len()).filter(|&role| !self.persons[role] && legal[role].len() > 1) {
            if let Some(mv) = self.others.choose(self.game, &self.state, Role(role as u8))? {
                joint[role] = mv;
            }
        }
        self.tell(legal, &joint)?;
        Ok(Decision::Joint(joint))
    }

    /// Says what was played. Roles without a choice are left out, except persons and where nobody had one.
    fn tell(&mut self, legal: &[Vec<Move>], joint: &[Move]) -> Result<()> {
        let nobody = legal.iter().all(|moves| moves.len() == 1);
        let mut parts = Vec::new();
        for (role, mv) in joint.iter().enumerate() {
            let forced = legal[role].len() == 1;
            if !forced || nobody || self.persons[role] {
                let note = if forced && self.persons[role] { " (the only move)" } else { "" };
                parts.push(format!("{}: {}{note}", self.names[role], self.game.move_text(*mv)));
            }
        }
        writeln!(self.out, "  {}", parts.join("   "))?;
        Ok(())
    }

    /// Asks a person until there is a move.
    fn ask(&mut self, role: Role, legal: &[Vec<Move>]) -> Result<Reply> {
        let mine = &legal[role.0 as usize];
        let mut named: Vec<(String, Move)> = mine.iter().map(|&mv| (self.game.move_text(mv), mv)).collect();
        named.sort_by(|(a, _), (b, _)| natural(a).cmp(&natural(b)));
        let (texts, moves): (Vec<String>, Vec<Move>) = named.into_iter().unzip();
        writeln!(self.out, "\n{} to move:", self.names[role.0 as usize])?;
        self.list(&texts, MOST_SHOWN)?;
        loop {
            let Some(line) = self.read(role)? else { return Ok(Reply::Leave) };
            match input::understand(&line, &texts) {
                Input::Move(index) => return Ok(Reply::Move(moves[index])),
                Input::Nothing => {}
                Input::Several(indices) => {
                    writeln!(self.out, "Several moves fit:")?;
                    write!(self.out, "{}", numbered(&texts, indices.into_iter().take(MOST_SHOWN)))?;
                }
                Input::NoSuchNumber => writeln!(self.out, "The moves are numbered from 1 to {}.", texts.len())?,
                Input::Unknown => writeln!(self.out, "No legal move fits; `moves` lists them, `help` tells more.")?,
                Input::Command(Command::Help) => write!(self.out, "{}", input::HELP)?,
                Input::Command(Command::Moves) => self.list(&texts, usize::MAX)?,
                Input::Command(Command::State) => self.draw()?,
                Input::Command(Command::Hint) => {
                    let mut sorted = legal.to_vec();
                    sorted[role.0 as usize].clone_from(&moves);
                    self.hint(role, &sorted, &texts)?;
                }
                Input::Command(Command::Undo) => match self.past.pop() {
                    Some(state) => {
                        self.state = state;
                        return Ok(Reply::Undo);
                    }
                    None => writeln!(self.out, "There is nothing to take back.")?,
                },
                Input::Command(Command::Quit) => return Ok(Reply::Leave),
            }
        }
    }

    /// A line that the person typed; `None` at the end of input.
    fn read(&mut self, role: Role) -> Result<Option<String>> {
        write!(self.out, "{}> ", self.names[role.0 as usize])?;
        self.out.flush()?;
        let mut bytes = Vec::new();
        if self.input.read_until(b'\n', &mut bytes)? == 0 {
            writeln!(self.out)?;
            return Ok(None);
        }
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn list(&mut self, texts: &[String], most: usize) -> Result<()> {
        write!(self.out, "{}", numbered(texts, 0..texts.len().min(most)))?;
        if texts.len() > most {
            writeln!(self.out, "  … and {} more; `moves` shows all", texts.len() - most)?;
        }
        Ok(())
    }

    fn hint(&mut self, role: Role, legal: &[Vec<Move>], texts: &[String]) -> Result<()> {
        // A copy of the generator: asking for a hint does not change what the others will do.
        let tried = hint(self.game, &self.state, legal, role, &mut self.rng.clone())?;
        let games: u32 = tried.iter().map(|tried| tried.games).sum();
        writeln!(self.out, "The mean result of {games} random games after each move, best first:")?;
        let line = |tried: &super::hint::Tried| format!("{:5.1}  {}", tried.mean, texts[tried.index]);
        let lines: Vec<String> = tried.iter().take(20).map(line).collect();
        write!(self.out, "{}", text::columns(&lines, text::width()))?;
        if let Some(best) = tried.first() {
            writeln!(self.out, "Hint: {}", texts[best.index])?;
        }
        Ok(())
    }
}

/// Moves with their numbers, in columns.
fn numbered(texts: &[String], indices: impl Iterator<Item = usize>) -> String {
    let digits = texts.len().to_string().len();
    let items: Vec<String> = indices.map(|index| format!("{:>digits$} {}", index + 1, texts[index])).collect();
    text::columns(&items, text::width())
}

/// A key that puts 2 before 10.
fn natural(text: &str) -> Vec<Result<u64, &str>> {
    let words = text.split([' ', '(', ')']).filter(|word| !word.is_empty());
    words.map(|word| word.parse().map_err(|_| word)).collect()
}

/// The end of a game in words.
fn result(names: &[String], persons: &[bool], goals: &[Option<Goal>]) -> String {
    let points = |goal: &Option<Goal>| goal.map_or("no goal".to_string(), |goal| goal.to_string());
    if let [goal] = goals {
        let praise = if *goal == Some(100) { "Solved! " } else { "" };
        return format!("The game is over. {praise}Your result: {} of 100.", points(goal));
    }
    let scores: Vec<String> = names.iter().zip(goals).map(|(name, goal)| format!("{name} {}", points(goal))).collect();
    let scores = scores.join(", ");
    let best = goals.iter().flatten().max();
    let winners: Vec<usize> =
        (0..goals.len()).filter(|&role| goals[role].is_some() && goals[role].as_ref() == best).collect();
    let verdict = match (&winners[..], best) {
        ([], _) => "The rules give nobody a goal".to_string(),
        (all, Some(100)) if all.len() == goals.len() => "Everybody wins".to_string(),
        (all, Some(0)) if all.len() == goals.len() => "Nobody wins".to_string(),
        (all, _) if all.len() == goals.len() => "A draw".to_string(),
        ([one], _) if persons[*one] && persons.iter().filter(|is| **is).count() == 1 => "You win".to_string(),
        ([one], _) => format!("{} wins", names[*one]),
        (several, _) => {
            format!("{} win", several.iter().map(|&role| names[role].as_str()).collect::<Vec<_>>().join(" and "))
        }
    };
    format!("The game is over. {verdict}: {scores}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(goals: &[Option<Goal>]) -> String {
        let names: Vec<String> = ["x", "o", "z"].iter().take(goals.len()).map(|name| name.to_string()).collect();
        let persons: Vec<bool> = (0..goals.len()).map(|role| role == 0).collect();
        result(&names, &persons, goals).replace("The game is over. ", "")
    }

    #[test]
    fn results_in_words() {
        assert_eq!(words(&[Some(100)]), "Solved! Your result: 100 of 100.");
        assert_eq!(words(&[Some(30)]), "Your result: 30 of 100.");
        assert_eq!(words(&[Some(100), Some(0)]), "You win: x 100, o 0.");
        assert_eq!(words(&[Some(0), Some(100)]), "o wins: x 0, o 100.");
        assert_eq!(words(&[Some(50), Some(50)]), "A draw: x 50, o 50.");
        assert_eq!(words(&[Some(0), Some(50), Some(50)]), "o and z win: x 0, o 50, z 50.");
        assert_eq!(words(&[None, None]), "The rules give nobody a goal: x no goal, o no goal.");
    }

    #[test]
    fn numbers_sort_as_numbers() {
        let mut moves = ["(mark 10 1)", "(mark 2 1)", "noop"];
        moves.sort_by_cached_key(|text| natural(text));
        assert_eq!(moves, ["(mark 2 1)", "(mark 10 1)", "noop"]);
    }
}
