//! One game between persons at the prompt and a machine: draw, ask, play, until it is over.

use crate::board::Boards;
use agent::opponent::Opponent;
use agent::prompt::{self, Command, Input};
use agent::{Position, Thoughts};
use anyhow::Result;
use game::{Goal, Move, Names, Role, role_names, roles};
use machine::State;
use std::collections::HashSet;
use std::io::BufRead;
use terminal::{Out, text};

/// More moves than this are not shown unasked.
const MOST_SHOWN: usize = 120;

/// Forced steps in a row after which nobody waits for the end of the game any more.
const MOST_FORCED: usize = 1000;

/// A game in progress.
pub struct Session<'a, I> {
    position: Position,
    names: Vec<String>,
    /// Which roles are persons.
    persons: Vec<bool>,
    boards: Boards,
    opponent: Opponent<'a>,
    /// The states in which a person made a choice.
    past: Vec<State>,
    /// The states since somebody had a choice: whoever comes back to one of them will do so for ever.
    forced: HashSet<State>,
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

impl<'a, I: BufRead> Session<'a, I> {
    /// A game at some position.
    pub fn new(
        position: Position,
        persons: Vec<bool>,
        boards: Boards,
        opponent: Opponent<'a>,
        input: I,
        out: Out<'a>,
    ) -> Session<'a, I> {
        let names = role_names(position.engine());
        let (past, forced) = (Vec::new(), HashSet::new());
        Session { position, names, persons, boards, opponent, past, forced, input, out }
    }

    /// Plays until the end of the game, or of the person's patience.
    pub fn play(mut self, name: &str) -> Result<()> {
        self.open(name)?;
        loop {
            if self.position.is_over()? {
                self.draw()?;
                let goals = self.position.goals()?;
                return Ok(writeln!(self.out, "\n{}", result(&self.names, &self.persons, &goals))?);
            }
            let engine = self.position.engine().clone();
            let legal: Vec<Vec<Move>> =
                roles(&engine).map(|role| self.position.legal(role)).collect::<Result<_, _>>()?;
            if let Some(stuck) = legal.iter().position(Vec::is_empty) {
                self.draw()?;
                let name = &self.names[stuck];
                writeln!(self.out, "\nThe game is stuck: {name} has no legal move, but the game is not over.")?;
                return Ok(writeln!(self.out, "That is a fault of the rules.")?);
            }
            if self.goes_round(&legal) {
                self.draw()?;
                writeln!(
                    self.out,
                    "\nNobody has a choice any more, and the game does not end: there is nothing left to play."
                )?;
                return Ok(writeln!(self.out, "That is a fault of the rules.")?);
            }
            match self.decide(&legal)? {
                Decision::Joint(joint) => self.position.play(&joint)?,
                Decision::Undo => self.boards.forget(),
                Decision::Leave => return Ok(writeln!(self.out, "Goodbye; the game was not finished.")?),
            }
        }
    }

    /// Whether forced moves have led back to a state they came from, or have gone on for too long.
    fn goes_round(&mut self, legal: &[Vec<Move>]) -> bool {
        if legal.iter().any(|moves| moves.len() > 1) {
            self.forced.clear();
            return false;
        }
        !self.forced.insert(self.position.state().clone()) || self.forced.len() > MOST_FORCED
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
                format!("; {} {verb} {}", others.join(", "), self.opponent.how())
            }
        };
        writeln!(self.out, "{name}: you play {mine}{against}. `help` tells what you can type.")?;
        Ok(())
    }

    fn draw(&mut self) -> Result<()> {
        let picture = self.boards.draw(&self.position.facts());
        writeln!(self.out, "\n{}", picture.trim_end())?;
        Ok(())
    }

    /// One move for every role.
    fn decide(&mut self, legal: &[Vec<Move>]) -> Result<Decision> {
        let mut joint: Vec<Move> = legal.iter().map(|moves| self.opponent.any(moves)).collect();
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
            self.past.push(self.position.state().clone());
        }
        let mut thought = Vec::new();
        for role in (0..legal.len()).filter(|&role| !self.persons[role] && legal[role].len() > 1) {
            let (mv, thoughts) = self.opponent.choose(&self.position, Role(role as u8))?;
            joint[role] = mv.unwrap_or(joint[role]);
            thought.extend(thoughts);
        }
        self.tell(legal, &joint)?;
        for reason in self.opponent.said() {
            writeln!(self.out, "{}", text::wrap_for_terminal(&format!("    {reason}"), 6))?;
        }
        for thoughts in &thought {
            write!(self.out, "{}", told(thoughts, 3))?;
        }
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
                parts.push(format!("{}: {}{note}", self.names[role], self.position.engine().move_text(*mv)));
            }
        }
        writeln!(self.out, "  {}", parts.join("   "))?;
        Ok(())
    }

    /// Asks a person until there is a move.
    fn ask(&mut self, role: Role, legal: &[Vec<Move>]) -> Result<Reply> {
        let mine = &legal[role.0 as usize];
        let mut named: Vec<(String, Move)> =
            mine.iter().map(|&mv| (self.position.engine().move_text(mv), mv)).collect();
        named.sort_by(|(a, _), (b, _)| natural(a).cmp(&natural(b)));
        let (texts, moves): (Vec<String>, Vec<Move>) = named.into_iter().unzip();
        writeln!(self.out, "\n{} to move:", self.names[role.0 as usize])?;
        self.list(&texts, MOST_SHOWN)?;
        loop {
            let Some(line) = self.read(role)? else { return Ok(Reply::Leave) };
            match prompt::understand(&line, &texts) {
                Input::Move(index) => return Ok(Reply::Move(moves[index])),
                Input::Nothing => {}
                Input::Several(indices) => {
                    writeln!(self.out, "Several moves fit:")?;
                    write!(self.out, "{}", numbered(&texts, indices.into_iter().take(MOST_SHOWN)))?;
                }
                Input::NoSuchNumber => writeln!(self.out, "The moves are numbered from 1 to {}.", texts.len())?,
                Input::Unknown => writeln!(self.out, "No legal move fits; `moves` lists them, `help` tells more.")?,
                Input::Command(Command::Help) => write!(self.out, "{}", prompt::HELP)?,
                Input::Command(Command::Moves) => self.list(&texts, usize::MAX)?,
                Input::Command(Command::State) => self.draw()?,
                Input::Command(Command::Hint) => {
                    let thoughts = self.opponent.hint(&self.position, role)?;
                    let best = thoughts.best.clone();
                    write!(self.out, "{}", told(&thoughts, 8))?;
                    if let Some(best) = best {
                        writeln!(self.out, "Hint: {best}")?;
                    }
                }
                Input::Command(Command::Undo) => match self.past.pop() {
                    Some(state) => {
                        self.position.set(state);
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
}

/// What was thought, in a few lines: what the best move is worth, how that is known, and the moves next to it.
fn told(thoughts: &Thoughts, most: usize) -> String {
    let Thoughts { role, value, proven, depth, nodes, playouts, .. } = thoughts;
    let how = match (*proven, *playouts, *nodes) {
        (true, _, _) => "proven".to_string(),
        (_, 0, nodes) => format!("{nodes} states, depth {depth}"),
        (_, playouts, _) => format!("{playouts} random games, depth {depth}"),
    };
    let mut page = format!("    {role} expects {value:.0} of 100 ({how})\n");
    for mv in thoughts.moves.iter().take(most) {
        let proven = if mv.proven { ", proven" } else { "" };
        page += &format!("    {:5.1}  {}  ({}{proven})\n", mv.value, mv.text, text::count(mv.visits as usize, "visit"));
    }
    page
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
