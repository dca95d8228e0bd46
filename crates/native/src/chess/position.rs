//! A position, and what follows from it without generating moves: who attacks what, check, legality.

use super::castling::{Rights, Wing};
use super::geometry::{BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, bit, diagonals, squares, straights};

/// A side.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Colour {
    /// White, who moves up the board.
    White,
    /// Black, who moves down.
    Black,
}

impl Colour {
    /// Both, white first.
    pub const BOTH: [Colour; 2] = [Colour::White, Colour::Black];

    /// The opponent.
    #[inline]
    pub fn other(self) -> Colour {
        match self {
            Colour::White => Colour::Black,
            Colour::Black => Colour::White,
        }
    }

    /// `white` or `black`.
    pub fn name(self) -> &'static str {
        match self {
            Colour::White => "white",
            Colour::Black => "black",
        }
    }
}

/// What a man is, the strongest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// King.
    King,
    /// Queen.
    Queen,
    /// Rook.
    Rook,
    /// Bishop.
    Bishop,
    /// Knight.
    Knight,
    /// Pawn.
    Pawn,
}

impl Kind {
    /// All kinds, in order.
    pub const ALL: [Kind; 6] = [Kind::King, Kind::Queen, Kind::Rook, Kind::Bishop, Kind::Knight, Kind::Pawn];
    /// What a pawn can become.
    pub const PROMOTIONS: [Kind; 4] = [Kind::Queen, Kind::Rook, Kind::Bishop, Kind::Knight];

    /// The English letter, a capital.
    pub fn letter(self) -> char {
        ['K', 'Q', 'R', 'B', 'N', 'P'][self as usize]
    }

    /// The kind with this English letter, small or capital.
    pub fn from_letter(letter: char) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.letter() == letter.to_ascii_uppercase())
    }

    /// What a man of this kind attacks on an empty board.
    #[inline]
    pub fn empty_board(self, colour: Colour, square: u8) -> u64 {
        let square = square as usize;
        match self {
            Kind::King => KING[square],
            Kind::Queen => QUEEN[square],
            Kind::Rook => ROOK[square],
            Kind::Bishop => BISHOP[square],
            Kind::Knight => KNIGHT[square],
            Kind::Pawn => PAWN[colour as usize][square],
        }
    }

    /// Whether it moves along lines until something is in the way.
    #[inline]
    pub fn slides(self) -> bool {
        matches!(self, Kind::Queen | Kind::Rook | Kind::Bishop)
    }

    /// What a man of this kind attacks.
    #[inline]
    pub fn attacks(self, colour: Colour, square: u8, occupied: u64) -> u64 {
        match self {
            Kind::Queen => straights(square, occupied) | diagonals(square, occupied),
            Kind::Rook => straights(square, occupied),
            Kind::Bishop => diagonals(square, occupied),
            Kind::King | Kind::Knight | Kind::Pawn => self.empty_board(colour, square),
        }
    }
}

/// A man: its colour and kind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Man {
    /// Whose it is.
    pub colour: Colour,
    /// What it is.
    pub kind: Kind,
}

impl Man {
    /// The letter that FEN uses: a capital for white.
    pub fn letter(self) -> char {
        match self.colour {
            Colour::White => self.kind.letter(),
            Colour::Black => self.kind.letter().to_ascii_lowercase(),
        }
    }
}

/// A move of one man.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Step {
    /// What moves.
    pub kind: Kind,
    /// Where from.
    pub from: u8,
    /// Where to.
    pub to: u8,
    /// What the pawn becomes.
    pub promotion: Option<Kind>,
    /// What is taken; en passant it does not stand on `to`.
    pub taken: Option<Kind>,
    /// Whether a pawn is taken en passant.
    pub passing: bool,
}

impl Step {
    /// Whether the men on the board change: something is taken or promoted.
    #[inline]
    pub fn converts(&self) -> bool {
        self.taken.is_some() || self.promotion.is_some()
    }
}

/// Men on a board, whose turn it is, and what else decides which moves are legal. There is one king of each colour, no pawn
/// on the first or last rank, and the side that is not to move is not in check, unless built by hand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// The men of each colour and kind, as sets of squares.
    pub men: [[u64; 6]; 2],
    /// Who is to move.
    pub turn: Colour,
    /// The square that a pawn has just passed over in a double step.
    pub passed: Option<u8>,
    /// Plies since the last capture or pawn move.
    pub quiet: u16,
    /// Who may still castle.
    pub castling: Rights,
}

impl Position {
    /// The empty board.
    pub fn empty(turn: Colour) -> Position {
        Position { men: [[0; 6]; 2], turn, passed: None, quiet: 0, castling: Rights::NONE }
    }

    /// The position that a game begins with.
    pub fn start() -> Position {
        let mut position = Position::empty(Colour::White);
        let back =
            [Kind::Rook, Kind::Knight, Kind::Bishop, Kind::Queen, Kind::King, Kind::Bishop, Kind::Knight, Kind::Rook];
        for (colour, home, pawns) in [(Colour::White, 0, 8), (Colour::Black, 56, 48)] {
            for (file, kind) in (0..).zip(back) {
                position.put(Man { colour, kind }, home + file);
                position.put(Man { colour, kind: Kind::Pawn }, pawns + file);
            }
            for wing in Wing::BOTH {
                position.castling = position.castling.with(colour, wing);
            }
        }
        position
    }

    /// Puts a man on a square, which has to be empty.
    pub fn put(&mut self, man: Man, square: u8) {
        self.men[man.colour as usize][man.kind as usize] |= bit(square);
    }

    /// The man on a square.
    pub fn at(&self, square: u8) -> Option<Man> {
        Colour::BOTH.into_iter().find_map(|colour| {
            let kinds = &self.men[colour as usize];
            Kind::ALL.into_iter().find(|&kind| kinds[kind as usize] & bit(square) != 0).map(|kind| Man { colour, kind })
        })
    }

    /// All men with their squares: white first, kings first, by square.
    pub fn list(&self) -> Vec<(Man, u8)> {
        let mut list = Vec::new();
        for colour in Colour::BOTH {
            for kind in Kind::ALL {
                list.extend(squares(self.men[colour as usize][kind as usize]).map(|at| (Man { colour, kind }, at)));
            }
        }
        list
    }

    /// How many men there are.
    pub fn count(&self) -> u32 {
        (self.of(Colour::White) | self.of(Colour::Black)).count_ones()
    }

    /// The squares of one side.
    #[inline]
    pub fn of(&self, colour: Colour) -> u64 {
        self.men[colour as usize].iter().fold(0, |all, set| all | set)
    }

    /// All occupied squares.
    #[inline]
    pub fn occupied(&self) -> u64 {
        self.of(Colour::White) | self.of(Colour::Black)
    }

    /// Where a king stands; 64 if there is none, which no position read from text has.
    #[inline]
    pub fn king(&self, colour: Colour) -> u8 {
        self.men[colour as usize][Kind::King as usize].trailing_zeros() as u8
    }

    /// Whether `by` attacks the square, given what is occupied.
    #[inline]
    pub fn attacked(&self, by: Colour, square: u8, occupied: u64) -> bool {
        self.attackers(by, square, occupied) != 0
    }

    /// The men of `by` that attack the square, given what is occupied.
    #[inline]
    pub fn attackers(&self, by: Colour, square: u8, occupied: u64) -> u64 {
        let men = &self.men[by as usize];
        let at = square as usize;
        let mut found = PAWN[by.other() as usize][at] & men[Kind::Pawn as usize]
            | KNIGHT[at] & men[Kind::Knight as usize]
            | KING[at] & men[Kind::King as usize];
        let straight = men[Kind::Queen as usize] | men[Kind::Rook as usize];
        if ROOK[at] & straight != 0 {
            found |= straights(square, occupied) & straight;
        }
        let diagonal = men[Kind::Queen as usize] | men[Kind::Bishop as usize];
        if BISHOP[at] & diagonal != 0 {
            found |= diagonals(square, occupied) & diagonal;
        }
        found
    }

    /// Whether the king of `colour` is attacked.
    #[inline]
    pub fn in_check(&self, colour: Colour) -> bool {
        let king = self.king(colour);
        king < 64 && self.attacked(colour.other(), king, self.occupied())
    }

    /// Whether the side that has just moved has left its king in check: such a position cannot occur.
    #[inline]
    pub fn broken(&self) -> bool {
        self.in_check(self.turn.other())
    }

    /// Only the two kings are left.
    pub fn bare(&self) -> bool {
        self.count() == 2
    }

    /// The position after a legal move.
    #[inline]
    pub fn after(&self, step: &Step) -> Position {
        let mut next = *self;
        let (me, foe) = (self.turn as usize, self.turn.other() as usize);
        next.men[me][step.kind as usize] ^= bit(step.from);
        next.men[me][step.promotion.unwrap_or(step.kind) as usize] |= bit(step.to);
        if let Some(taken) = step.taken {
            let square = if step.passing { step.to ^ 8 } else { step.to };
            next.men[foe][taken as usize] ^= bit(square);
        }
        if let Some(wing) = step.castles() {
            next.men[me][Kind::Rook as usize] ^= Position::rook_path(self.turn, wing);
        }
        next.castling = self.castling.touched(bit(step.from) | bit(step.to));
        let double = step.kind == Kind::Pawn && step.from.abs_diff(step.to) == 16;
        next.passed = double.then_some((step.from + step.to) / 2);
        next.quiet = if step.taken.is_some() || step.kind == Kind::Pawn { 0 } else { self.quiet.saturating_add(1) };
        next.turn = self.turn.other();
        next
    }

    /// The same position seen from the other side: colours swapped, the board turned upside down.
    pub fn swapped(&self) -> Position {
        let flip = |men: &[u64; 6]| men.map(u64::swap_bytes);
        Position {
            men: [flip(&self.men[1]), flip(&self.men[0])],
            turn: self.turn.other(),
            passed: self.passed.map(|square| square ^ 56),
            quiet: self.quiet,
            castling: self.castling.swapped(),
        }
    }
}
