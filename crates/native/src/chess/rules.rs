//! The game as the rulesheets `games/krk`, `games/kqkr` and `games/chess` have it: equal facts, moves, ends and goals.
//!
//! Mate wins. Everything else that ends the game is a draw: no move, the clock, or what else the [`Sheet`] says.

use super::castling::Wing;
use super::geometry::{bit, squares};
use super::position::{Colour, Kind, Man, Position, Step};
use super::sheet::{Clock, Sheet};
use game::{Game, Goal, Limit, Move, Names, Role, Turn};

/// Chess from a given position, under the rules of a sheet.
#[derive(Clone, Debug)]
pub struct Chess {
    start: State,
    sheet: Sheet,
}

/// A position in the game: its `quiet` is the game's clock.
pub type State = Position;

/// What follows from one state.
#[derive(Clone, Debug)]
pub struct View {
    position: Position,
    steps: Vec<Step>,
    mate: bool,
    over: bool,
}

impl Chess {
    /// Chess from this position, by the rules of this sheet.
    pub fn new(start: Position, sheet: Sheet) -> Chess {
        Chess { start, sheet }
    }

    /// The game of `games/chess`.
    pub fn full() -> Chess {
        Chess::new(Position::start(), Sheet::Chess)
    }

    /// The game of `games/krk`.
    pub fn krk() -> Chess {
        Chess::new(from_men(&[('K', 0), ('R', 9), ('k', 35)]), Sheet::Krk)
    }

    /// The game of `games/kqkr`.
    pub fn kqkr() -> Chess {
        Chess::new(from_men(&[('K', 0), ('Q', 56), ('k', 17), ('r', 19)]), Sheet::Kqkr)
    }

    /// The move's number in this game, which `colour` makes.
    pub fn number(colour: Colour, step: &Step) -> Move {
        let promotion = step.promotion.map_or(0, |kind| kind as u32);
        let man = (step.kind as u32) << 1 | colour as u32;
        Move(1 << 24 | promotion << 16 | man << 12 | u32::from(step.from) << 6 | u32::from(step.to))
    }

    fn clock_name(&self) -> &'static str {
        match self.sheet.clock() {
            Clock::Steps => "step",
            Clock::Quiet => "quiet",
        }
    }
}

impl Step {
    /// The move with this number that `colour` makes, if it is one of these.
    pub fn numbered(colour: Colour, number: Move, legal: &[Step]) -> Option<Step> {
        legal.iter().copied().find(|step| Chess::number(colour, step) == number)
    }
}

/// Who waits makes this move.
const NOOP: Move = Move(0);

fn from_men(men: &[(char, u8)]) -> Position {
    let mut position = Position::empty(Colour::White);
    for &(letter, square) in men {
        let colour = if letter.is_ascii_uppercase() { Colour::White } else { Colour::Black };
        if let Some(kind) = Kind::from_letter(letter) {
            position.put(Man { colour, kind }, square);
        }
    }
    position
}

fn colour_of(role: Role) -> Colour {
    if role.0 == 0 { Colour::White } else { Colour::Black }
}

fn colour_named(name: &str) -> Option<Colour> {
    Colour::BOTH.into_iter().find(|colour| colour.name() == name)
}

fn wing_name(wing: Wing) -> &'static str {
    match wing {
        Wing::King => "kingside",
        Wing::Queen => "queenside",
    }
}

fn man_name(man: Man) -> String {
    let side = if man.colour == Colour::White { 'w' } else { 'b' };
    format!("{side}{}", man.kind.letter().to_ascii_lowercase())
}

fn place(square: u8) -> String {
    format!("{} {}", (b'a' + square % 8) as char, square / 8 + 1)
}

impl Game for Chess {
    type State = State;
    type View = View;

    fn roles(&self) -> usize {
        2
    }

    fn start(&self) -> State {
        self.start
    }

    fn view(&self) -> View {
        View { position: self.start, steps: Vec::new(), mate: false, over: false }
    }

    fn look(&self, state: &State, view: &mut View) -> Result<(), Limit> {
        view.position = *state;
        view.steps.clear();
        state.legal_into(&mut view.steps);
        // By man, then file before rank.
        let by_file = |square: u8| (square % 8, square / 8);
        view.steps.sort_unstable_by_key(|s| (s.promotion, s.kind, by_file(s.from), by_file(s.to)));
        view.mate = view.steps.is_empty() && state.in_check(state.turn);
        let drawn = state.quiet >= self.sheet.most() || self.sheet.ends_bare() && state.bare();
        view.over = view.steps.is_empty() || drawn;
        Ok(())
    }

    fn turn(&self, view: &View) -> Turn {
        match (view.over, view.steps.len(), view.position.turn) {
            (true, ..) => Turn::Over,
            // Nobody has a choice: by convention the first role.
            (_, 1, _) => Turn::One(Role(0)),
            (_, _, colour) => Turn::One(Role(colour as u8)),
        }
    }

    fn legal(&self, view: &View, role: Role, out: &mut Vec<Move>) {
        let colour = colour_of(role);
        if colour == view.position.turn {
            out.extend(view.steps.iter().map(|step| Chess::number(colour, step)));
        } else {
            out.push(NOOP);
        }
    }

    fn goal(&self, view: &mut View, role: Role) -> Result<Option<Goal>, Limit> {
        Ok(Some(match view.mate {
            false => 50,
            true if colour_of(role) == view.position.turn => 0,
            true => 100,
        }))
    }

    fn play(&self, view: &mut View, joint: &[Move], next: &mut State) -> Result<(), Limit> {
        let colour = view.position.turn;
        let chosen = joint.get(colour as usize).copied().unwrap_or(NOOP);
        *next = view.position;
        if let Some(step) = Step::numbered(colour, chosen, &view.steps) {
            *next = view.position.after(&step);
            if self.sheet.clock() == Clock::Steps {
                next.quiet = view.position.quiet.saturating_add(1);
            }
        }
        Ok(())
    }
}

impl Names for Chess {
    fn role_name(&self, role: Role) -> &str {
        colour_of(role).name()
    }

    fn move_text(&self, mv: Move) -> String {
        if mv == NOOP {
            return "noop".to_string();
        }
        let field = |shift: u32, bits: u32| (mv.0 >> shift) & ((1 << bits) - 1);
        let colour = if field(12, 1) == 0 { Colour::White } else { Colour::Black };
        let kind = Kind::ALL[field(13, 3) as usize % 6];
        let (from, to) = (field(6, 6) as u8, field(0, 6) as u8);
        let step = Step { kind, from, to, promotion: None, taken: None, passing: false };
        if let Some(wing) = step.castles() {
            return format!("(castle {})", wing_name(wing));
        }
        let (from, to) = (place(from), place(to));
        match field(16, 3) as usize {
            0 => format!("(move {} {from} {to})", man_name(Man { colour, kind })),
            promotion => format!("(promote {} {from} {to})", man_name(Man { colour, kind: Kind::ALL[promotion % 6] })),
        }
    }

    fn facts(&self, state: &State) -> Vec<String> {
        let mut facts: Vec<String> = state
            .list()
            .into_iter()
            .map(|(man, square)| format!("(cell {} {})", place(square), man_name(man)))
            .collect();
        if self.sheet == Sheet::Chess {
            let empty = squares(!state.occupied()).map(|square| format!("(cell {} blank)", place(square)));
            facts.extend(empty);
            let rights = state.castling.list();
            facts.extend(rights.map(|(colour, wing)| format!("(castling {} {})", colour.name(), wing_name(wing))));
        }
        facts.push(format!("(control {})", state.turn.name()));
        facts.push(format!("({} {})", self.clock_name(), state.quiet));
        facts.extend(state.passed.map(|square| format!("(double_step {})", (b'a' + square % 8) as char)));
        facts.sort();
        facts
    }

    fn state_of(&self, facts: &[&str]) -> Option<State> {
        let mut state = Position::empty(Colour::White);
        let (mut turn, mut clock, mut passed) = (None, None, None);
        for fact in facts {
            let words: Vec<&str> = fact.strip_prefix('(')?.strip_suffix(')')?.split(' ').collect();
            match words[..] {
                ["cell", _, _, "blank"] if self.sheet == Sheet::Chess => {}
                ["castling", name, wing] if self.sheet == Sheet::Chess => {
                    let wing = Wing::BOTH.into_iter().find(|&own| wing_name(own) == wing)?;
                    state.castling = state.castling.with(colour_named(name)?, wing);
                }
                ["cell", file, rank, man] => put(&mut state, file, rank, man)?,
                ["control", name] if turn.is_none() => {
                    turn = Some(colour_named(name)?);
                }
                ["double_step", file] if passed.is_none() => passed = Some(file_of(file)?),
                [name, count] if name == self.clock_name() && clock.is_none() => {
                    let number: u16 = count.parse().ok().filter(|&n| n <= self.sheet.most())?;
                    clock = (number.to_string() == count).then_some(number);
                    clock?;
                }
                _ => return None,
            }
        }
        state.turn = turn?;
        state.quiet = clock?;
        state.passed = passed.map(|file| file + if state.turn == Colour::White { 40 } else { 16 });
        let kings = state.men.map(|men| men[Kind::King as usize].count_ones());
        (kings == [1, 1]).then_some(state)
    }
}

fn file_of(name: &str) -> Option<u8> {
    match name.as_bytes() {
        [file @ b'a'..=b'h'] => Some(file - b'a'),
        _ => None,
    }
}

/// Puts the man named by a fact on its square; `None` if there is no such man or square, or the square is taken.
fn put(state: &mut Position, file: &str, rank: &str, man: &str) -> Option<()> {
    let file = file_of(file)?;
    let rank = match rank.as_bytes() {
        [rank @ b'1'..=b'8'] => rank - b'1',
        _ => return None,
    };
    let (colour, kind) = match man.as_bytes() {
        [b'w', kind @ b'a'..=b'z'] => (Colour::White, *kind),
        [b'b', kind @ b'a'..=b'z'] => (Colour::Black, *kind),
        _ => return None,
    };
    let square = rank * 8 + file;
    let kind = Kind::from_letter(kind as char)?;
    (state.occupied() & bit(square) == 0).then(|| state.put(Man { colour, kind }, square))
}
