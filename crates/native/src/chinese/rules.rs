//! The game: whose turn it is, who has won, and the names of it all.

use super::board::{Cells, Graph, Unfit, cell, corner, each, far_corner, from_home, place};
use game::{Game, Goal, Limit, Move, Names, Role, Turn};

/// When a player has won.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Win {
    /// Every cell of the opponent's corner is filled, and at least one piece there is one's own (S3.2).
    Filled,
    /// All of one's own pieces stand in the opponent's corner (S1.5).
    Home,
}

/// The game for a size of board, a number of pieces, a rule of winning and a limit.
#[derive(Clone)]
pub struct ChineseCheckers {
    graph: Graph,
    side: usize,
    /// Where red and where blue want to go.
    targets: [Cells; 2],
    /// Where they begin.
    starts: [Cells; 2],
    win: Win,
    limit: Option<u16>,
}

/// A position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// The pieces of red and of blue.
    pub pieces: [Cells; 2],
    /// Whose turn it is: 0 red, 1 blue.
    pub turn: u8,
    /// Counts the plies from 1; always 1 in a game without a limit, so that positions repeat.
    pub step: u16,
}

/// What follows from a position.
pub struct View {
    state: State,
    over: bool,
    /// Each piece that can move, and where to.
    moves: Vec<(u8, Cells)>,
    count: u32,
}

const ROLES: [&str; 2] = ["red", "blue"];
/// Moves are `from * 128 + to`; this one is none of them.
const NOOP: Move = Move(128 * 128);

fn checked(limit: Option<u16>) -> Result<Option<u16>, Unfit> {
    match limit {
        Some(u16::MAX) => Err(Unfit(format!("a limit of {} plies is too large", u16::MAX))),
        limit => Ok(limit),
    }
}

impl ChineseCheckers {
    /// The game with `side` rows and a triangular number of pieces a side (1, 3, 6, 10, …); drawn after `limit` plies, if there is one.
    pub fn new(side: usize, pieces: usize, win: Win, limit: Option<u16>) -> Result<ChineseCheckers, Unfit> {
        let graph = Graph::diamond(side)?;
        let corners = corner(side, pieces).zip(far_corner(side, pieces));
        let Some((near, far)) = corners.filter(|(near, far)| near & far == 0) else {
            return Err(Unfit(format!(
                "{pieces} pieces a side on a board of {side} rows: corners are triangles (1, 3, 6, 10, … cells) that do not meet"
            )));
        };
        let limit = checked(limit)?;
        Ok(ChineseCheckers { graph, side, targets: [far, near], starts: [near, far], win, limit })
    }

    /// The game of so many red pieces against so many blue ones, any numbers. Each side wants to go to as many cells as it has
    /// pieces, those nearest to the far corner in the order of [`from_home`], and begins in those nearest to its own. With equal numbers
    /// of which there are triangles this is the game of [`new`](ChineseCheckers::new).
    ///
    /// ```
    /// use native::chinese::{ChineseCheckers, Win};
    ///
    /// let game = ChineseCheckers::between(9, [3, 2], Win::Filled, None).unwrap();
    /// assert_eq!(game.target(1), 0b11);
    /// assert!(ChineseCheckers::between(2, [3, 2], Win::Filled, None).is_err());
    /// ```
    pub fn between(side: usize, pieces: [usize; 2], win: Win, limit: Option<u16>) -> Result<ChineseCheckers, Unfit> {
        let graph = Graph::diamond(side)?;
        let order = from_home(side);
        let near = pieces.map(|count| order.iter().take(count).fold(0, |cells: Cells, cell| cells | 1 << cell));
        let far = near.map(|cells| cells.reverse_bits() >> (128 - (side * side) as u32));
        if pieces.contains(&0) || pieces.iter().any(|count| *count > order.len()) || near[1] & far[0] != 0 {
            return Err(Unfit(format!(
                "{} against {} pieces on a board of {side} rows: each side needs a piece, and the goals may not meet",
                pieces[0], pieces[1]
            )));
        }
        let limit = checked(limit)?;
        Ok(ChineseCheckers { graph, side, targets: [far[0], near[1]], starts: [near[0], far[1]], win, limit })
    }

    /// The number of rows, and of columns.
    pub fn side(&self) -> usize {
        self.side
    }

    /// The board.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The corner that a player (0 red, 1 blue) wants to fill.
    pub fn target(&self, player: usize) -> Cells {
        self.targets[player]
    }

    /// Whether a player has won.
    pub fn won(&self, state: &State, player: usize) -> bool {
        let (own, target) = (state.pieces[player], self.targets[player]);
        match self.win {
            Win::Filled => own & target != 0 && target & !(state.pieces[0] | state.pieces[1]) == 0,
            Win::Home => own & !target == 0,
        }
    }

    /// When a player has won.
    pub fn win(&self) -> Win {
        self.win
    }

    /// The move from one cell to another.
    pub fn move_between((from, to): (u8, u8)) -> Move {
        Move(u32::from(from) << 7 | u32::from(to))
    }

    /// A player goes from one cell to another, and the other waits.
    pub fn joint_move(player: usize, ends: (u8, u8)) -> [Move; 2] {
        [0, 1].map(|role| if role == player { ChineseCheckers::move_between(ends) } else { NOOP })
    }

    /// First and last cell of a move; `None` for the move of a player who waits.
    pub fn ends(mv: Move) -> Option<(u8, u8)> {
        (mv != NOOP).then_some(((mv.0 >> 7) as u8, (mv.0 & 127) as u8))
    }

    /// The position after a move of the player whose turn it is; `None` if he has to wait.
    pub fn after(&self, state: &State, ends: Option<(u8, u8)>) -> State {
        let mut next = *state;
        if let Some((from, to)) = ends {
            next.pieces[usize::from(state.turn)] ^= 1 << from | 1 << to;
        }
        next.turn ^= 1;
        next.step += u16::from(self.limit.is_some());
        next
    }

    fn read(&self, fact: &str, state: &mut State, seen: &mut [bool; 2]) -> Option<()> {
        let words: Vec<&str> = fact.strip_prefix('(')?.strip_suffix(')')?.split(' ').collect();
        let role = |name: &str| ROLES.iter().position(|role| *role == name);
        let number = |word: &str| word.parse::<usize>().ok().filter(|n| n.to_string() == word);
        match words[..] {
            ["cell", row, column, name] => {
                let (row, column) = (number(row)?, number(column)?);
                if row >= self.side || column >= self.side {
                    return None;
                }
                state.pieces[role(name)?] |= 1 << cell(self.side, row, column);
            }
            ["control", name] => {
                state.turn = role(name)? as u8;
                if std::mem::replace(&mut seen[0], true) {
                    return None;
                }
            }
            ["step", count] => {
                let count = number(count)?;
                if std::mem::replace(&mut seen[1], true) || count == 0 || count > usize::from(self.limit?) + 1 {
                    return None;
                }
                state.step = count as u16;
            }
            _ => return None,
        }
        Some(())
    }
}

impl Game for ChineseCheckers {
    type State = State;
    type View = View;

    fn roles(&self) -> usize {
        2
    }

    fn start(&self) -> State {
        State { pieces: self.starts, turn: 0, step: 1 }
    }

    fn view(&self) -> View {
        View { state: self.start(), over: false, moves: Vec::new(), count: 0 }
    }

    fn look(&self, state: &State, view: &mut View) -> Result<(), Limit> {
        view.state = *state;
        view.moves.clear();
        view.count = 0;
        let out = self.limit.is_some_and(|limit| state.step > limit);
        view.over = out || self.won(state, 0) || self.won(state, 1);
        if !view.over {
            let all = state.pieces[0] | state.pieces[1];
            for from in each(state.pieces[usize::from(state.turn)]) {
                let reach = self.graph.reach(from, all & !(1 << from));
                if reach != 0 {
                    view.moves.push((from, reach));
                    view.count += reach.count_ones();
                }
            }
        }
        Ok(())
    }

    fn turn(&self, view: &View) -> Turn {
        match view.count {
            _ if view.over => Turn::Over,
            0 | 1 => Turn::One(Role(0)),
            _ => Turn::One(Role(view.state.turn)),
        }
    }

    fn legal(&self, view: &View, role: Role, out: &mut Vec<Move>) {
        if role.0 != view.state.turn || view.moves.is_empty() {
            out.push(NOOP);
            return;
        }
        for &(from, reach) in &view.moves {
            out.extend(each(reach).map(|to| ChineseCheckers::move_between((from, to))));
        }
    }

    fn goal(&self, view: &mut View, role: Role) -> Result<Option<Goal>, Limit> {
        let player = usize::from(role.0);
        Ok(match (self.won(&view.state, player), self.won(&view.state, 1 - player)) {
            (true, true) => None,
            (true, false) => Some(100),
            (false, true) => Some(0),
            (false, false) => Some(50),
        })
    }

    fn play(&self, view: &mut View, joint: &[Move], next: &mut State) -> Result<(), Limit> {
        *next = self.after(&view.state, ChineseCheckers::ends(joint[usize::from(view.state.turn)]));
        Ok(())
    }
}

impl Names for ChineseCheckers {
    fn role_name(&self, role: Role) -> &str {
        ROLES[usize::from(role.0)]
    }

    fn move_text(&self, mv: Move) -> String {
        match ChineseCheckers::ends(mv) {
            None => "noop".into(),
            Some((from, to)) => {
                let ((r, c), (u, v)) = (place(self.side, from), place(self.side, to));
                format!("(move {r} {c} {u} {v})")
            }
        }
    }

    fn facts(&self, state: &State) -> Vec<String> {
        let mut facts = vec![format!("(control {})", ROLES[usize::from(state.turn)])];
        for (pieces, name) in state.pieces.iter().zip(ROLES) {
            facts.extend(each(*pieces).map(|at| {
                let (row, column) = place(self.side, at);
                format!("(cell {row} {column} {name})")
            }));
        }
        if self.limit.is_some() {
            facts.push(format!("(step {})", state.step));
        }
        facts.sort();
        facts
    }

    fn state_of(&self, facts: &[&str]) -> Option<State> {
        let mut state = State { pieces: [0, 0], turn: 0, step: 1 };
        let mut seen = [false; 2];
        for fact in facts {
            self.read(fact, &mut state, &mut seen)?;
        }
        let whole = seen[0] && seen[1] == self.limit.is_some() && state.pieces[0] & state.pieces[1] == 0;
        whole.then_some(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_to_win() {
        let filled = ChineseCheckers::new(5, 3, Win::Filled, None).unwrap();
        let home = ChineseCheckers::new(5, 3, Win::Home, None).unwrap();
        let corner = filled.target(0);
        let start = filled.start();
        assert_eq!(start, home.start());
        assert!(!filled.won(&start, 0) && !home.won(&start, 1));
        // Two blue pieces stayed at home and red has filled the rest.
        let one = 1 << 24;
        let mixed = State { pieces: [one | 0b11, corner & !one | 0b100], ..start };
        assert!(filled.won(&mixed, 0) && !home.won(&mixed, 0));
        let all = State { pieces: [corner, 0b111 << 10], ..start };
        assert!(filled.won(&all, 0) && home.won(&all, 0));
        let two = State { pieces: [corner & !one | 1 << 12, 0b111 << 10], ..start };
        assert!(!filled.won(&two, 0) && !home.won(&two, 0));
    }

    #[test]
    fn unequal_sides() {
        let equal = ChineseCheckers::new(5, 3, Win::Filled, None).unwrap();
        let same = ChineseCheckers::between(5, [3, 3], Win::Filled, None).unwrap();
        assert_eq!((equal.targets, equal.start()), (same.targets, same.start()));
        let game = ChineseCheckers::between(4, [2, 1], Win::Filled, None).unwrap();
        assert_eq!(game.start().pieces, [0b11, 1 << 15]);
        assert_eq!(game.targets, [0b11 << 14, 1]);
        for pieces in [[0, 1], [1, 0], [17, 1], [9, 8]] {
            assert!(ChineseCheckers::between(4, pieces, Win::Filled, None).is_err(), "{pieces:?}");
        }
        assert!(ChineseCheckers::between(4, [1, 1], Win::Filled, Some(u16::MAX)).is_err());
    }

    #[test]
    fn impossible_games_are_refused() {
        for (side, pieces) in [(9, 5), (9, 0), (3, 6), (1, 1), (12, 6), (4, 10)] {
            assert!(ChineseCheckers::new(side, pieces, Win::Filled, None).is_err(), "{side} {pieces}");
        }
        assert!(ChineseCheckers::new(9, 6, Win::Home, Some(u16::MAX)).is_err());
        assert!(ChineseCheckers::new(9, 10, Win::Home, None).is_ok());
    }

    #[test]
    fn facts_read_back_and_nonsense_does_not() {
        let game = ChineseCheckers::new(9, 6, Win::Filled, Some(400)).unwrap();
        let facts = game.facts(&game.start());
        let facts: Vec<&str> = facts.iter().map(String::as_str).collect();
        assert_eq!(game.state_of(&facts), Some(game.start()));
        for bad in
            ["(cell 9 0 red)", "(cell 0 0 green)", "(step 0)", "(control red)", "(cell 0 0 blue)", "cell", "(step 402)"]
        {
            let mut more = facts.clone();
            more.push(bad);
            assert_eq!(game.state_of(&more), None, "{bad}");
        }
        assert_eq!(game.state_of(&facts[1..]).is_some(), facts[0] != "(control red)" && !facts[0].starts_with("(step"));
    }
}
