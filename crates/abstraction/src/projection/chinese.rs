//! Projections of Chinese checkers: which pieces are kept, and on which board.

use super::{Absent, Projection};
use native::chinese::{Cells, State, Unfit, from_home, place};
use table::chinese::{Spec, turned};

const NAMES: [&str; 2] = ["red", "blue"];

/// Some of a player's pieces by their numbers: first and last, counted from the front, the piece nearest to its goal being 1. In a row
/// those in the middle come first.
pub type Numbers = (usize, usize);

/// Picks pieces of one player by their numbers. They are numbered anew in every position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kept {
    side: usize,
    player: usize,
    numbers: Numbers,
    /// The cells as the player meets them, its goal first.
    order: Vec<u8>,
}

impl Kept {
    /// The pieces of a player (0 red, 1 blue) with these numbers, on a board of so many rows.
    pub fn new(side: usize, player: usize, numbers: Numbers) -> Result<Kept, Unfit> {
        if numbers.0 == 0 || numbers.1 < numbers.0 || player > 1 || !(2..=11).contains(&side) {
            return Err(Unfit(format!(
                "pieces {} to {} of a player on a board of {side} rows; numbers begin with 1, boards have 2 to 11 rows",
                numbers.0, numbers.1
            )));
        }
        let last = (side * side - 1) as u8;
        let order = from_home(side).into_iter().map(|cell| if player == 0 { last - cell } else { cell }).collect();
        Ok(Kept { side, player, numbers, order })
    }

    /// How many pieces are kept.
    pub fn count(&self) -> usize {
        self.numbers.1 + 1 - self.numbers.0
    }

    /// The numbers.
    pub fn numbers(&self) -> Numbers {
        self.numbers
    }

    /// Whose pieces they are: 0 red, 1 blue.
    pub fn player(&self) -> usize {
        self.player
    }

    /// The kept ones of a player's pieces.
    pub fn of(&self, cells: Cells) -> Result<Cells, Absent> {
        let own = self.order.iter().filter(|cell| cells >> **cell & 1 == 1);
        let kept = own.skip(self.numbers.0 - 1).take(self.count()).fold(0, |kept: Cells, cell| kept | 1 << cell);
        if kept.count_ones() as usize == self.count() {
            return Ok(kept);
        }
        Err(Absent(format!(
            "{} has only {} pieces, and number {} is wanted",
            NAMES[self.player],
            cells.count_ones(),
            self.numbers.1
        )))
    }

    fn words(&self) -> String {
        let (first, last) = self.numbers;
        let which = if first == last { format!("piece {first}") } else { format!("pieces {first} to {last}") };
        format!("{which} of {}", NAMES[self.player])
    }
}

/// Some pieces of red against some of blue. The image is a position of [`ChineseCheckers::between`](native::chinese::ChineseCheckers::between).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Duel {
    kept: [Kept; 2],
}

impl Duel {
    /// The pieces of red and of blue with these numbers.
    pub fn new(side: usize, red: Numbers, blue: Numbers) -> Result<Duel, Unfit> {
        Ok(Duel { kept: [Kept::new(side, 0, red)?, Kept::new(side, 1, blue)?] })
    }

    /// Which pieces of red and of blue are kept.
    pub fn kept(&self) -> &[Kept; 2] {
        &self.kept
    }

    /// The number of rows.
    pub fn side(&self) -> usize {
        self.kept[0].side
    }

    /// How many pieces of red and of blue there are.
    pub fn counts(&self) -> [usize; 2] {
        [self.kept[0].count(), self.kept[1].count()]
    }
}

impl Projection for Duel {
    type State = State;
    type Image = State;

    fn image(&self, state: &State) -> Result<State, Absent> {
        let pieces = [self.kept[0].of(state.pieces[0])?, self.kept[1].of(state.pieces[1])?];
        Ok(State { pieces, turn: state.turn, step: 1 })
    }

    fn describe(&self) -> String {
        format!("{} against {}, from the front", self.kept[0].words(), self.kept[1].words())
    }
}

/// Some pieces of one side alone. The image is their placement as the table of the [`Spec`] has it: the goal lies at (0, 0), so for red the
/// board is turned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lone {
    kept: Kept,
    spec: Spec,
}

impl Lone {
    /// The pieces of a player with these numbers, on the board and with the goal of a table: with deleted cells this is a part of the
    /// board.
    pub fn new(player: usize, numbers: Numbers, spec: Spec) -> Result<Lone, Unfit> {
        let kept = Kept::new(spec.side, player, numbers)?;
        if kept.count() != spec.pieces || spec.start != 0 {
            return Err(Unfit(format!(
                "{} pieces are kept, and the table {} has {}",
                kept.count(),
                spec.name(),
                spec.pieces
            )));
        }
        Ok(Lone { kept, spec })
    }

    /// Which pieces are kept.
    pub fn kept(&self) -> &Kept {
        &self.kept
    }

    /// The board, the goal and the number of pieces.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }
}

impl Projection for Lone {
    type State = State;
    type Image = Cells;

    fn image(&self, state: &State) -> Result<Cells, Absent> {
        let (side, player) = (self.spec.side, self.kept.player);
        let kept = self.kept.of(state.pieces[player])?;
        let seen = if player == 0 { turned(side, kept) } else { kept };
        let lost = seen & self.spec.deleted;
        if lost == 0 {
            return Ok(seen);
        }
        let (row, column) = place(side, (if player == 0 { turned(side, lost) } else { lost }).trailing_zeros() as u8);
        Err(Absent(format!(
            "a piece of {} stands on {row},{column}, which is not on this part of the board",
            NAMES[player]
        )))
    }

    fn describe(&self) -> String {
        let part = match self.spec.deleted.count_ones() {
            0 => String::new(),
            cells => format!(", on the board without {cells} cells"),
        };
        format!("{} alone, from the front{part}", self.kept.words())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use native::chinese::cell;

    fn cells(list: &[(usize, usize)]) -> Cells {
        list.iter().fold(0, |set, (row, column)| set | 1 << cell(9, *row, *column))
    }

    #[test]
    fn pieces_are_numbered_from_the_front() {
        let state = State {
            pieces: [cells(&[(8, 8), (4, 4), (3, 4), (0, 0)]), cells(&[(0, 1), (8, 7), (5, 5), (2, 2)])],
            turn: 1,
            step: 7,
        };
        let duel = Duel::new(9, (1, 2), (3, 4)).unwrap();
        let image = duel.image(&state).unwrap();
        assert_eq!(image.pieces, [cells(&[(8, 8), (4, 4)]), cells(&[(5, 5), (8, 7)])]);
        assert_eq!((image.turn, image.step, duel.counts()), (1, 1, [2, 2]));
        assert!(duel.describe().contains("pieces 1 to 2 of red against pieces 3 to 4 of blue"));
        assert!(Duel::new(9, (1, 5), (1, 1)).unwrap().image(&state).is_err());
        let lone = Lone::new(0, (3, 4), Spec::new(9, 2)).unwrap();
        assert_eq!(lone.image(&state).unwrap(), cells(&[(8, 8), (5, 4)]), "turned");
        let blue = Lone::new(1, (1, 1), Spec::new(9, 1)).unwrap();
        assert_eq!(blue.image(&state).unwrap(), cells(&[(0, 1)]));
    }

    #[test]
    fn deleted_cells_have_no_image() {
        let part = Spec { deleted: 1, goal: 0b10, ..Spec::new(9, 1) };
        let lone = Lone::new(0, (1, 1), part).unwrap();
        let at = |row, column| State { pieces: [cells(&[(row, column)]), 0], turn: 0, step: 1 };
        assert!(lone.image(&at(8, 8)).is_err_and(|why| why.to_string().contains("8,8")));
        assert_eq!(lone.image(&at(8, 7)).unwrap(), cells(&[(0, 1)]));
    }

    #[test]
    fn nonsense_is_refused() {
        for numbers in [(0, 1), (2, 1)] {
            assert!(Kept::new(9, 0, numbers).is_err());
        }
        assert!(Kept::new(12, 0, (1, 1)).is_err() && Kept::new(9, 2, (1, 1)).is_err());
        assert!(Lone::new(0, (1, 2), Spec::new(9, 3)).is_err());
        assert!(Lone::new(0, (1, 2), Spec::new(9, 2).from_start(3)).is_err());
    }
}
