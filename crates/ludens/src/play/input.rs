//! What a person types, understood: a number, a move, or a command.

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
  the end of a name is enough if only one move fits.
    moves   show the legal moves again        undo   take back your last move
    hint    try every move in random games    state  show the state again
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
    let names: Vec<String> = moves.iter().map(|name| loose(name)).collect();
    if let Some(exact) = names.iter().position(|name| *name == typed) {
        return Input::Move(exact);
    }
    if let Some(command) = command(&typed) {
        return Input::Command(command);
    }
    // The end counts only from the beginning of a word on: `1 2` is not the end of `mark 11 2`.
    let ending = format!(" {typed}");
    let tests: [&dyn Fn(&String) -> bool; 2] = [&|name| name.starts_with(&typed), &|name| name.ends_with(&ending)];
    for test in tests {
        let fitting: Vec<usize> = names.iter().enumerate().filter(|(_, name)| test(name)).map(|(i, _)| i).collect();
        match fitting[..] {
            [] => {}
            [only] => return Input::Move(only),
            _ => return Input::Several(fitting),
        }
    }
    Input::Unknown
}

/// Text without parentheses and commas, in lower case, with single spaces.
fn loose(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',')).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").to_lowercase()
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
