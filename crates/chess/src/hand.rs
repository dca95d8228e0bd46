//! A plain evaluation for positions with more men than lookups are good for: men, squares, mobility, pawns and kings, each
//! with a weight for the middle of the game and one for its end. All of it is in hundredths of a pawn, for white.

use native::chess::geometry::{KING, bit, squares};
use native::chess::{Colour, Kind, Position};

/// A weight for the middle of the game, and one for its end.
#[derive(Clone, Copy)]
struct Two(i32, i32);

/// By kind: what a man is worth.
const MEN: [Two; 6] = [Two(0, 0), Two(950, 980), Two(480, 530), Two(335, 320), Two(325, 300), Two(90, 120)];
/// By kind: how much of the game is still in the middle while it is there.
const PHASE: [i32; 6] = [0, 4, 2, 1, 1, 0];
const WHOLE_PHASE: i32 = 24;
/// By kind: what each step towards the centre is worth.
const CENTRE: [Two; 6] = [Two(-12, 10), Two(1, 4), Two(1, 0), Two(4, 3), Two(9, 7), Two(3, 0)];
/// By kind: what each square that it attacks is worth.
const MOBILITY: [Two; 6] = [Two(0, 0), Two(1, 3), Two(2, 4), Two(4, 4), Two(4, 3), Two(0, 0)];
/// A passed pawn, by the ranks that it has gone.
const PASSED: [Two; 8] =
    [Two(0, 0), Two(2, 8), Two(5, 14), Two(10, 28), Two(25, 50), Two(45, 85), Two(80, 140), Two(0, 0)];
/// A pawn, by the ranks that it has gone.
const ADVANCED: [Two; 8] =
    [Two(0, 0), Two(0, 0), Two(2, 3), Two(8, 6), Two(14, 12), Two(20, 22), Two(26, 35), Two(0, 0)];
const DOUBLED: Two = Two(-8, -18);
const ISOLATED: Two = Two(-12, -14);
const BISHOPS: Two = Two(28, 45);
const OPEN_FILE: Two = Two(22, 8);
/// A pawn before the king.
const SHIELD: Two = Two(11, 0);
/// A square beside the king that the other side attacks.
const ATTACKED: Two = Two(-9, -1);
/// The side to move has this more.
const TURN: i32 = 10;

const FILE: u64 = 0x0101_0101_0101_0101;

/// How far a square is from the edge, 0 to 6.
fn centred(square: u8) -> i32 {
    let from_edge = |line: u8| i32::from(line.min(7 - line));
    from_edge(square % 8) + from_edge(square / 8)
}

/// The files beside this one.
fn beside(file: u8) -> u64 {
    let own = FILE << file;
    (own << 1) & !FILE | (own >> 1) & !(FILE << 7)
}

/// All squares before a pawn, on its own file and those beside it.
fn ahead(colour: Colour, square: u8) -> u64 {
    let rank = square / 8;
    let ranks = match colour {
        Colour::White if rank < 7 => !0 << (8 * (rank + 1)),
        Colour::Black if rank > 0 => !0 >> (8 * (8 - rank)),
        Colour::White | Colour::Black => 0,
    };
    ranks & (FILE << (square % 8) | beside(square % 8))
}

#[derive(Default)]
struct Sum {
    middle: i32,
    end: i32,
    phase: i32,
    /// What the side attacks.
    attacks: u64,
}

impl Sum {
    fn add(&mut self, two: Two, times: i32) {
        self.middle += two.0 * times;
        self.end += two.1 * times;
    }
}

/// What a position is worth to white.
pub(crate) fn value(position: &Position) -> i32 {
    let [white, black] = Colour::BOTH.map(|colour| side(position, colour));
    let phase = (white.phase + black.phase).min(WHOLE_PHASE);
    let mut middle = white.middle - black.middle;
    let mut end = white.end - black.end;
    for (colour, other, sign) in [(Colour::White, &black, 1), (Colour::Black, &white, -1)] {
        let king = position.king(colour);
        let near = KING[usize::from(king & 63)];
        let pressed = (near & other.attacks).count_ones() as i32;
        middle += sign * ATTACKED.0 * pressed * pressed / 3;
        end += sign * ATTACKED.1 * pressed;
        if position.of(colour.other()).count_ones() == 1 {
            end += sign * driven(position, colour);
        }
    }
    let value = (middle * phase + end * (WHOLE_PHASE - phase)) / WHOLE_PHASE;
    let value = dampened(position, value);
    value + if position.turn == Colour::White { TURN } else { -TURN }
}

fn side(position: &Position, colour: Colour) -> Sum {
    let mut sum = Sum::default();
    let occupied = position.occupied();
    let men = &position.men[colour as usize];
    let (own_pawns, their_pawns) =
        (men[Kind::Pawn as usize], position.men[colour.other() as usize][Kind::Pawn as usize]);
    for kind in Kind::ALL {
        let set = men[kind as usize];
        sum.add(MEN[kind as usize], set.count_ones() as i32);
        sum.phase += PHASE[kind as usize] * set.count_ones() as i32;
        for square in squares(set) {
            sum.add(CENTRE[kind as usize], centred(square));
            let attacks = kind.attacks(colour, square, occupied);
            sum.attacks |= attacks;
            sum.add(MOBILITY[kind as usize], (attacks & !position.of(colour)).count_ones() as i32);
            if kind == Kind::Rook && own_pawns & FILE << (square % 8) == 0 {
                sum.add(OPEN_FILE, 1);
            }
        }
    }
    for square in squares(own_pawns) {
        let gone = usize::from(if colour == Colour::White { square / 8 } else { 7 - square / 8 });
        sum.add(ADVANCED[gone], 1);
        let front = ahead(colour, square);
        if front & their_pawns == 0 {
            sum.add(PASSED[gone], 1);
        }
        if front & FILE << (square % 8) & own_pawns != 0 {
            sum.add(DOUBLED, 1);
        }
        if beside(square % 8) & own_pawns == 0 {
            sum.add(ISOLATED, 1);
        }
    }
    if men[Kind::Bishop as usize].count_ones() > 1 {
        sum.add(BISHOPS, 1);
    }
    let king = position.king(colour) & 63;
    sum.add(SHIELD, (ahead(colour, king) & own_pawns & near(king)).count_ones() as i32);
    sum
}

/// The squares at most two steps from here.
fn near(square: u8) -> u64 {
    let ring = KING[usize::from(square)];
    squares(ring).fold(ring | bit(square), |all, square| all | KING[usize::from(square)])
}

/// Against a bare king: it belongs to the edge, with the other king near it.
fn driven(position: &Position, colour: Colour) -> i32 {
    let (own, bare) = (position.king(colour) & 63, position.king(colour.other()) & 63);
    let apart = (own % 8).abs_diff(bare % 8).max((own / 8).abs_diff(bare / 8));
    10 * (6 - centred(bare)) + 6 * (7 - i32::from(apart))
}

/// Without pawns, less than a rook more than the other side does not win.
fn dampened(position: &Position, value: i32) -> i32 {
    let (ahead, behind) = if value > 0 { (Colour::White, Colour::Black) } else { (Colour::Black, Colour::White) };
    let men = |colour: Colour| &position.men[colour as usize];
    if men(ahead)[Kind::Pawn as usize] != 0 {
        return value;
    }
    let worth = |colour: Colour| {
        let count = |kind: Kind| men(colour)[kind as usize].count_ones() as i32;
        9 * count(Kind::Queen) + 5 * count(Kind::Rook) + 3 * (count(Kind::Bishop) + count(Kind::Knight))
    };
    if worth(ahead) - worth(behind) < 4 { value / 8 } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(fen: &str) -> i32 {
        value(&Position::from_fen(fen).unwrap())
    }

    #[test]
    fn both_sides_count_alike() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "8/8/8/8/8/1k6/8/K2R4 w - -",
        ] {
            let position = Position::from_fen(fen).unwrap();
            assert_eq!(value(&position), -value(&position.swapped()), "{fen}");
        }
    }

    #[test]
    fn what_every_beginner_knows() {
        assert_eq!(of("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"), TURN);
        assert!(of("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -") > 700);
        // A lone bishop does not win; a pawn near its goal is worth more; a king at the edge is easier to mate.
        assert!(of("8/8/8/4k3/8/8/8/KB6 w - -").abs() < 100);
        assert!(of("8/1P6/8/4k3/8/8/8/K7 w - -") > of("8/8/8/4k3/8/8/1P6/K7 w - -"));
        assert!(of("7k/8/8/8/8/8/8/KR6 w - -") > of("8/8/8/4k3/8/8/8/KR6 w - -"));
    }
}
