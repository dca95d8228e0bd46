//! Moves forward and backward.
//!
//! Legality is decided from checks and pins, without trying moves out; only en passant is tried.

use super::castling::Rights;
use super::geometry::{BETWEEN, BISHOP, KING, PAWN, QUEEN, ROOK, bit, squares};
use super::position::{Colour, Kind, Position, Step};

const LAST_RANKS: u64 = 0xff00_0000_0000_00ff;

/// What limits the moves of a side: attacked squares, checks and pins.
struct Limits {
    own: u64,
    foe: u64,
    king: u8,
    danger: u64,
    /// Where a man other than the king may go.
    allowed: u64,
    /// Pinned men, each with the squares it may go to.
    pins: [(u64, u64); 8],
    pin_count: usize,
}

impl Limits {
    fn new(position: &Position) -> Limits {
        let (me, foe) = (position.turn, position.turn.other());
        let (own_set, foe_set, king) = (position.of(me), position.of(foe), position.king(me));
        let occupied = own_set | foe_set;
        let mut danger = 0;
        for kind in Kind::ALL {
            for from in squares(position.men[foe as usize][kind as usize]) {
                // The king hides nothing: stepping back along the line of a check is no escape.
                danger |= kind.attacks(foe, from, occupied & !bit(king));
            }
        }
        let mut allowed = !own_set;
        if danger & bit(king) != 0 {
            let checkers = position.attackers(foe, king, occupied);
            allowed = match checkers.count_ones() {
                1 => checkers | BETWEEN[king as usize][checkers.trailing_zeros() as usize],
                _ => 0,
            };
        }
        let mut limits = Limits { own: own_set, foe: foe_set, king, danger, allowed, pins: [(0, 0); 8], pin_count: 0 };
        let men = &position.men[foe as usize];
        let straight = ROOK[king as usize] & (men[Kind::Queen as usize] | men[Kind::Rook as usize]);
        let diagonal = BISHOP[king as usize] & (men[Kind::Queen as usize] | men[Kind::Bishop as usize]);
        for from in squares(straight | diagonal) {
            let between = BETWEEN[king as usize][from as usize];
            let shield = between & occupied;
            // At most one pin in each of the eight directions.
            if shield.count_ones() == 1 && shield & own_set != 0 {
                limits.pins[limits.pin_count] = (shield, between | bit(from));
                limits.pin_count += 1;
            }
        }
        limits
    }

    #[inline]
    fn pin(&self, from: u8) -> u64 {
        self.pins[..self.pin_count].iter().find(|(man, _)| man & bit(from) != 0).map_or(!0, |&(_, line)| line)
    }
}

impl Position {
    /// All legal moves.
    pub fn legal(&self) -> Vec<Step> {
        let mut out = Vec::with_capacity(64);
        self.legal_into(&mut out);
        out
    }

    /// Appends all legal moves.
    pub fn legal_into(&self, out: &mut Vec<Step>) {
        self.moves_into(out, !0, !0);
    }

    /// Appends the legal moves that take something or promote.
    pub fn loud_into(&self, out: &mut Vec<Step>) {
        let foe = self.of(self.turn.other());
        self.moves_into(out, foe, foe | LAST_RANKS);
    }

    /// Whether a legal move gives check.
    pub fn gives_check(&self, step: &Step) -> bool {
        let foe = self.turn.other();
        let king = self.king(foe);
        let arrived = step.promotion.unwrap_or(step.kind);
        // What stands on the line of the king may uncover a check by leaving it.
        let lines = QUEEN[king as usize & 63];
        if arrived.empty_board(self.turn, step.to) & bit(king) == 0
            && lines & bit(step.from) == 0
            && !step.passing
            && step.castles().is_none()
        {
            return false;
        }
        self.after(step).in_check(foe)
    }

    /// Appends the legal moves to these squares: of all men but pawns, and of pawns. En passant counts as taking.
    fn moves_into(&self, out: &mut Vec<Step>, pieces: u64, pawns: u64) {
        if self.king(self.turn) > 63 {
            return;
        }
        let limits = Limits::new(self);
        let occupied = limits.own | limits.foe;
        let men = &self.men[self.turn as usize];
        let king_to = KING[limits.king as usize] & !limits.own & !limits.danger;
        self.push(out, Kind::King, limits.king, king_to & pieces);
        if pieces == !0 {
            self.push_castling(out, occupied, limits.danger);
        }
        if limits.allowed == 0 {
            return;
        }
        for kind in [Kind::Queen, Kind::Rook, Kind::Bishop, Kind::Knight] {
            for from in squares(men[kind as usize]) {
                let to = kind.attacks(self.turn, from, occupied) & limits.allowed & limits.pin(from);
                self.push(out, kind, from, to & !limits.own & pieces);
            }
        }
        for from in squares(men[Kind::Pawn as usize]) {
            let takes = PAWN[self.turn as usize][from as usize] & limits.foe;
            let to = (takes | pushes(self.turn, from, occupied)) & limits.allowed & limits.pin(from);
            self.push_pawn(out, from, to & pawns);
        }
        self.push_passing(out);
    }

    fn taken(&self, to: u8) -> Option<Kind> {
        let foe = &self.men[self.turn.other() as usize];
        Kind::ALL.into_iter().find(|&kind| foe[kind as usize] & bit(to) != 0)
    }

    fn push(&self, out: &mut Vec<Step>, kind: Kind, from: u8, to: u64) {
        for to in squares(to) {
            out.push(Step { kind, from, to, promotion: None, taken: self.taken(to), passing: false });
        }
    }

    fn push_pawn(&self, out: &mut Vec<Step>, from: u8, to: u64) {
        for to in squares(to) {
            let step = Step { kind: Kind::Pawn, from, to, promotion: None, taken: self.taken(to), passing: false };
            if bit(to) & LAST_RANKS == 0 {
                out.push(step);
            } else {
                out.extend(Kind::PROMOTIONS.map(|kind| Step { promotion: Some(kind), ..step }));
            }
        }
    }

    fn push_passing(&self, out: &mut Vec<Step>) {
        let Some(to) = self.passed else { return };
        let from = PAWN[self.turn.other() as usize][to as usize] & self.men[self.turn as usize][Kind::Pawn as usize];
        for from in squares(from) {
            let taken = Some(Kind::Pawn);
            let step = Step { kind: Kind::Pawn, from, to, promotion: None, taken, passing: true };
            if !self.after(&step).broken() {
                out.push(step);
            }
        }
    }

    /// Whether the side to move has a legal move.
    pub fn can_move(&self) -> bool {
        !self.legal().is_empty()
    }

    /// The side to move is in check and cannot move.
    pub fn checkmate(&self) -> bool {
        self.in_check(self.turn) && !self.can_move()
    }

    /// The positions from which this one can arise by a move that takes nothing and promotes nothing. The count of quiet
    /// plies is one less where a man other than a pawn moved (never below 0), and 0 where it is unknown; no right to
    /// take en passant is assumed in them, and no castling.
    pub fn before(&self) -> Vec<Position> {
        let mut found = Vec::new();
        let mover = self.turn.other();
        let occupied = self.occupied();
        for kind in Kind::ALL {
            for at in squares(self.men[mover as usize][kind as usize]) {
                for from in squares(unmoves(kind, mover, at, occupied)) {
                    let double = kind == Kind::Pawn && from.abs_diff(at) == 16;
                    if self.passed.is_some() != double || (double && self.passed != Some((from + at) / 2)) {
                        continue;
                    }
                    let mut earlier = *self;
                    earlier.men[mover as usize][kind as usize] ^= bit(at) | bit(from);
                    earlier.turn = mover;
                    earlier.passed = None;
                    earlier.castling = Rights::NONE;
                    earlier.quiet = if kind == Kind::Pawn { 0 } else { self.quiet.saturating_sub(1) };
                    if !earlier.broken() {
                        found.push(earlier);
                    }
                }
            }
        }
        found
    }
}

/// Where a pawn can go without taking.
#[inline]
pub(crate) fn pushes(colour: Colour, from: u8, occupied: u64) -> u64 {
    let free = !occupied;
    match colour {
        Colour::White => {
            let one = (bit(from) << 8) & free;
            one | ((one & 0xff_0000) << 8) & free
        }
        Colour::Black => {
            let one = (bit(from) >> 8) & free;
            one | ((one & 0xff00_0000_0000) >> 8) & free
        }
    }
}

/// Where a man that now stands on `at` can have come from without taking.
#[inline]
fn unmoves(kind: Kind, colour: Colour, at: u8, occupied: u64) -> u64 {
    match (kind, colour) {
        (Kind::Pawn, Colour::White) => {
            let one = (bit(at) >> 8) & !occupied & !0xff;
            one | ((one & 0xff_0000) >> 8) & !occupied
        }
        (Kind::Pawn, Colour::Black) => {
            let one = (bit(at) << 8) & !occupied & !(0xff << 56);
            one | ((one & 0xff00_0000_0000) << 8) & !occupied
        }
        (Kind::Queen, _) => Kind::Queen.attacks(colour, at, occupied) & QUEEN[at as usize] & !occupied,
        _ => kind.attacks(colour, at, occupied) & !occupied,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn perft(position: &Position, depth: usize) -> u64 {
        if depth == 0 {
            return 1;
        }
        position.legal().iter().map(|step| perft(&position.after(step), depth - 1)).sum()
    }

    /// The six usual test positions, with counts published on the Chess Programming Wiki ("Perft Results").
    #[test]
    fn published_counts() {
        let positions: [(&str, &[u64]); 6] = [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &[20, 400, 8902, 197_281]),
            ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", &[48, 2039, 97_862]),
            ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", &[14, 191, 2812, 43_238, 674_624]),
            ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", &[6, 264, 9467, 422_333]),
            ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", &[44, 1486, 62_379]),
            ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", &[46, 2079, 89_890]),
        ];
        for (fen, counts) in positions {
            let position = Position::from_fen(fen).unwrap();
            let found: Vec<u64> = (1..=counts.len()).map(|depth| perft(&position, depth)).collect();
            assert_eq!(found, counts, "{fen}");
            let swapped: Vec<u64> = (1..counts.len()).map(|depth| perft(&position.swapped(), depth)).collect();
            assert_eq!(swapped, counts[..counts.len() - 1], "{fen} with colours swapped");
        }
        let promotions = Position::from_fen("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1").unwrap();
        assert_eq!((1..=4).map(|d| perft(&promotions, d)).collect::<Vec<_>>(), [24, 496, 9483, 182_838]);
    }

    /// The same two plies deeper: some seconds in a build that is made for speed, minutes in one that is not.
    /// What takes or promotes, and what gives check, are told without trying moves out.
    #[test]
    fn loud_moves_and_checks() {
        let starts = [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "5k2/8/8/8/8/8/8/R3K2R w KQ - 0 1",
        ];
        let mut open: Vec<Position> = starts.iter().map(|fen| Position::from_fen(fen).unwrap()).collect();
        let mut checks = 0;
        for _ in 0..2 {
            let mut next = Vec::new();
            for position in &open {
                let legal = position.legal();
                let mut loud = Vec::new();
                position.loud_into(&mut loud);
                let mut wanted: Vec<Step> = legal.iter().copied().filter(Step::converts).collect();
                wanted.sort();
                loud.sort();
                assert_eq!(loud, wanted, "{}", position.fen());
                for step in &legal {
                    let after = position.after(step);
                    assert_eq!(
                        position.gives_check(step),
                        after.in_check(after.turn),
                        "{} {}",
                        position.fen(),
                        step.uci()
                    );
                    checks += u32::from(position.gives_check(step));
                }
                next.extend(legal.iter().map(|step| position.after(step)));
            }
            open = next;
        }
        assert!(checks > 20, "{checks}");
    }

    #[test]
    fn published_counts_far_down() {
        if cfg!(debug_assertions) {
            return;
        }
        for (fen, depth, count) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 5, 4_865_609),
            ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4, 4_085_603),
            ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 4, 2_103_487),
            ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 4, 3_894_594),
        ] {
            assert_eq!(perft(&Position::from_fen(fen).unwrap(), depth), count, "{fen}");
        }
    }
}
