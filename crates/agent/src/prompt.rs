//! What a person types at a prompt, understood: a number, a move, or a command.

use crate::notation::{self, Meaning, loose};

/// A line of input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// The move of this index.
    Move(usize),
    /// A command.
    Command(Command),
    /// Nothing was typed.
    Nothing,
    /// Several moves fit.
    Several(Vec<usize>),
    /// There is no move of this number.
    NoSuchNumber,
    /// Nothing fits.
    Unknown,
}

/// What can be asked for at the prompt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Command {
    /// How to use the prompt.
    Help,
    /// The legal moves again.
    Moves,
    /// Back to the last decision.
    Undo,
    /// Which move looks best.
    Hint,
    /// The board again, with all facts.
    State,
    /// The end.
    Quit,
}

const COMMANDS: [(&str, Command); 8] = [
    ("help", Command::Help),
    ("?", Command::Help),
    ("moves", Command::Moves),
    ("undo", Command::Undo),
    ("hint", Command::Hint),
    ("state", Command::State),
    ("quit", Command::Quit),
    ("exit", Command::Quit),
];

/// What `help` says.
pub const HELP: &str = "\
  Type the number of a move, or its name: `mark 1 1` and `(mark 1 1)` are the same, and the beginning or
  the end of a name is enough if only one move fits. Places alone will do (`e2e4`, `d4`), and in chess `Nf3`.
    moves   show the legal moves again        undo   take back your last move
    hint    what the default player thinks    state  show the state again
    help    this text                         quit   leave (so does the end of input)
  Where a move has the name of a command, `:quit` means the command.
";

/// Understands a line, given the texts of the legal moves.
pub fn understand(line: &str, moves: &[String]) -> Input {
    let typed = loose(line);
    if typed.is_empty() {
        return Input::Nothing;
    }
    let command = |word: &str| COMMANDS.iter().find(|(name, _)| *name == word).map(|(_, command)| *command);
    if let Some(command) = typed.strip_prefix(':').and_then(command) {
        return Input::Command(command);
    }
    if let Ok(number) = typed.trim_start_matches('#').parse::<usize>() {
        return if (1..=moves.len()).contains(&number) { Input::Move(number - 1) } else { Input::NoSuchNumber };
    }
    if let Some(exact) = moves.iter().position(|name| loose(name) == typed) {
        return Input::Move(exact);
    }
    if let Some(command) = command(&typed) {
        return Input::Command(command);
    }
    match notation::understand(line, moves) {
        Meaning::One(at) => Input::Move(at),
        Meaning::Several(which) => Input::Several(which),
        Meaning::Unknown => Input::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves() -> Vec<String> {
        ["(mark 1 1)", "(mark 1 2)", "(mark 2 1)", "noop", "quit"].map(str::to_string).to_vec()
    }

    #[test]
    fn numbers_names_and_parts_of_names() {
        let moves = moves();
        assert_eq!(understand("2", &moves), Input::Move(1));
        assert_eq!(understand("#2", &moves), Input::Move(1));
        assert_eq!(understand("9", &moves), Input::NoSuchNumber);
        assert_eq!(understand("0", &moves), Input::NoSuchNumber);
        assert_eq!(understand("(MARK 1  1)", &moves), Input::Move(0));
        assert_eq!(understand("mark(1,2)", &moves), Input::Move(1));
        assert_eq!(understand("mark 2", &moves), Input::Move(2));
        assert_eq!(understand("mark 1", &moves), Input::Several(vec![0, 1]));
        assert_eq!(understand("1 2", &moves), Input::Move(1));
        assert_eq!(understand("no", &moves), Input::Move(3));
        assert_eq!(understand("jump", &moves), Input::Unknown);
        assert_eq!(understand("  ", &moves), Input::Nothing);
    }

    #[test]
    fn commands_give_way_to_moves_of_the_same_name() {
        let moves = moves();
        assert_eq!(understand("quit", &moves), Input::Move(4));
        assert_eq!(understand(":quit", &moves), Input::Command(Command::Quit));
        assert_eq!(understand("quit", &moves[..4]), Input::Command(Command::Quit));
        assert_eq!(understand("?", &moves), Input::Command(Command::Help));
    }
}
