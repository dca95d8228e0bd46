//! A game of chess as the search moves in it: positions on a stack, each with its number and its lookups.

use crate::evaluation::{Evaluation, Marks};
use crate::exchange;
use crate::keys;
use native::chess::geometry::squares;
use native::chess::{Colour, Kind, Position, Step};
use search::duel::{self, Exact};
use table::chess::{Metric, Outcome, Tables};

/// When so many plies were quiet, the game is drawn.
const QUIET: u16 = 100;

/// One position of the game.
#[derive(Clone, Copy)]
struct Frame {
    position: Position,
    key: u64,
    /// The square on which the last move took something.
    taken: Option<u8>,
    /// Whether the side to move is in check.
    check: bool,
    /// Whether this position has marks of its own on their stack.
    marked: bool,
}

/// See the module.
#[derive(Clone)]
pub(crate) struct Board<'t> {
    frames: Vec<Frame>,
    marks: Vec<Marks>,
    evaluation: Evaluation<'t>,
    /// The tables that say what is exact.
    exact: Option<&'t Tables>,
    hits: u64,
}

impl<'t> Board<'t> {
    /// The game so far: a position and the moves made from it. Values of five men or fewer are those of the tables.
    pub fn new(start: Position, moves: &[Step], evaluation: Evaluation<'t>, exact: Option<&'t Tables>) -> Board<'t> {
        let mut board = Board { frames: Vec::with_capacity(256), marks: Vec::new(), evaluation, exact, hits: 0 };
        board.push(start, keys::key(&start), None);
        for step in moves {
            duel::Board::make(&mut board, *step);
        }
        board
    }

    fn top(&self) -> &Frame {
        // There is always the first one.
        &self.frames[self.frames.len() - 1]
    }

    /// The position.
    pub fn position(&self) -> &Position {
        &self.top().position
    }

    fn push(&mut self, position: Position, key: u64, step: Option<&Step>) {
        let marks = match (step, self.frames.last()) {
            (Some(step), Some(last)) if last.marked && !step.converts() => {
                self.marks.last().map(|marks| self.evaluation.moved(marks, step))
            }
            _ => self.evaluation.marks(&position),
        };
        let marked = marks.is_some();
        self.marks.extend(marks);
        let taken = step.filter(|step| step.taken.is_some()).map(|step| step.to);
        let check = position.in_check(position.turn);
        self.frames.push(Frame { position, key, taken, check, marked });
    }

    /// Whether the position was there before, with the same side to move.
    fn repeats(&self) -> bool {
        let top = self.top();
        let reach = usize::from(top.position.quiet).min(self.frames.len() - 1);
        (4..=reach).step_by(2).any(|back| self.frames[self.frames.len() - 1 - back].key == top.key)
    }

    /// What the tables say of the position, if they know it and its clock does not come in between.
    fn looked_up(&mut self) -> Option<Exact> {
        let (tables, position) = (self.exact?, self.position());
        if position.count() > 5 {
            return None;
        }
        let outcome = tables.probe(position, Metric::Mate).ok()?;
        let left = QUIET.saturating_sub(position.quiet);
        self.hits += 1;
        match outcome {
            Outcome::Win(plies) if u16::from(plies) <= left => Some(Exact::Win(plies.into())),
            Outcome::Loss(plies) if u16::from(plies) <= left => Some(Exact::Loss(plies.into())),
            Outcome::Draw => Some(Exact::Draw),
            Outcome::Win(_) | Outcome::Loss(_) => None,
        }
    }

    /// Whether nobody can be mated, however badly they play: at most one bishop or knight is left.
    fn is_dead(&self) -> bool {
        let position = self.position();
        let all = |kind: Kind| position.men[0][kind as usize] | position.men[1][kind as usize];
        (all(Kind::Pawn) | all(Kind::Rook) | all(Kind::Queen)) == 0
            && (all(Kind::Bishop) | all(Kind::Knight)).count_ones() < 2
    }
}

impl duel::Board for Board<'_> {
    type Move = Step;

    fn key(&self) -> u64 {
        self.top().key
    }

    fn moves(&mut self, out: &mut Vec<Step>) {
        self.top().position.legal_into(out);
    }

    fn make(&mut self, step: Step) {
        let Frame { position, key, .. } = *self.top();
        let next = position.after(&step);
        let (own, other) = (position.turn, next.turn);
        let arrived = step.promotion.unwrap_or(step.kind);
        let mut key = key ^ keys::rest(&position) ^ keys::rest(&next);
        key ^= keys::man(own, step.kind, step.from) ^ keys::man(own, arrived, step.to);
        if let Some(taken) = step.taken {
            key ^= keys::man(other, taken, if step.passing { step.to ^ 8 } else { step.to });
        }
        if step.castles().is_some() {
            let rooks = |position: &Position| position.men[own as usize][Kind::Rook as usize];
            let changed = squares(rooks(&position) ^ rooks(&next));
            key = changed.fold(key, |key, square| key ^ keys::man(own, Kind::Rook, square));
        }
        self.push(next, key, Some(&step));
    }

    fn take_back(&mut self) {
        if let Some(frame) = self.frames.pop()
            && frame.marked
        {
            self.marks.pop();
        }
    }

    fn estimate(&mut self) -> i32 {
        let Frame { position, marked, .. } = *self.top();
        let marks = if marked { self.marks.last_mut() } else { None };
        let value = self.evaluation.value(&position, marks);
        if position.turn == Colour::White { value } else { -value }
    }

    fn stuck(&self) -> Exact {
        if self.top().check { Exact::Loss(0) } else { Exact::Draw }
    }

    fn number(step: Step) -> u32 {
        let promotion = step.promotion.map_or(0, |kind| kind as u32);
        1 << 16 | promotion << 12 | u32::from(step.from) << 6 | u32::from(step.to)
    }

    fn known(&mut self) -> Option<Exact> {
        let top = *self.top();
        if self.repeats() || self.is_dead() {
            return Some(Exact::Draw);
        }
        // Mate comes before the clock.
        if top.position.quiet >= QUIET && (!top.check || top.position.can_move()) {
            return Some(Exact::Draw);
        }
        self.looked_up()
    }

    fn is_pressed(&self) -> bool {
        self.top().check
    }

    fn gain(&self, step: Step) -> i32 {
        let worth = |kind: Kind| exchange::WORTH[kind as usize];
        let promoted = match step.promotion {
            Some(Kind::Queen) => worth(Kind::Queen),
            Some(_) => 1,
            None => 0,
        };
        match step.taken {
            // The most for the least.
            Some(taken) => 16 * worth(taken) + promoted + 100 - worth(step.kind).min(1000) / 10,
            None => promoted,
        }
    }

    fn is_wasteful(&self, step: Step) -> bool {
        if matches!(step.promotion, Some(kind) if kind != Kind::Queen) {
            return true;
        }
        let worth = |kind: Kind| exchange::WORTH[kind as usize];
        let is_clear = step.promotion.is_none() && step.taken.is_some_and(|taken| worth(taken) >= worth(step.kind));
        !is_clear && exchange::gain(self.position(), &step) < 0
    }

    fn loud(&mut self, pressing: bool, out: &mut Vec<Step>) {
        let position = self.top().position;
        if !pressing {
            position.loud_into(out);
            return;
        }
        position.legal_into(out);
        out.retain(|step| step.converts() || position.gives_check(step));
    }

    fn recaptures(&self, step: Step) -> bool {
        step.taken.is_some() && self.top().taken == Some(step.to)
    }

    /// Only where the side has more than pawns: with pawns alone it is often better not to have to move.
    fn pass(&mut self) -> bool {
        let Frame { position, key, .. } = *self.top();
        let men = &position.men[position.turn as usize];
        let pieces = men[Kind::Queen as usize]
            | men[Kind::Rook as usize]
            | men[Kind::Bishop as usize]
            | men[Kind::Knight as usize];
        if pieces == 0 || position.count() < 8 && pieces.count_ones() < 2 {
            return false;
        }
        let next = Position { turn: position.turn.other(), passed: None, quiet: 0, ..position };
        let key = key ^ keys::rest(&position) ^ keys::rest(&next);
        let marked = self.top().marked;
        if marked && let Some(&marks) = self.marks.last() {
            self.marks.push(marks);
        }
        self.frames.push(Frame { position: next, key, taken: None, check: false, marked });
        true
    }

    fn lookups(&self) -> u64 {
        self.hits
    }
}
