//! The way from one table into the smaller ones: what a capture or a promotion is worth.

use super::build::BuildError;
use super::index::{MOST, Placement};
use super::material::Material;
use super::space::Slot;
use super::table::{Metric, NOTHING, Outcome, ProbeError, Table, Tables};
use native::chess::{Colour, Kind, Man};
use std::sync::OnceLock;

/// What the moves into other tables are worth to the side that makes them.
#[derive(Clone, Copy, Default)]
pub(super) struct Score {
    /// The fewest plies to win.
    pub(super) win: Option<u8>,
    /// Whether one of them draws.
    pub(super) draw: bool,
    /// The most plies to lose.
    pub(super) loss: Option<u8>,
    over: bool,
}

impl Score {
    pub(super) fn add_win(&mut self, plies: u8) {
        self.over |= plies == NOTHING;
        self.win = Some(self.win.map_or(plies, |best| best.min(plies)));
    }

    /// Adds a capture, a promotion or a zeroing move of a pawn, after which the opponent's value is this.
    #[inline]
    pub(super) fn add(&mut self, after: Outcome, metric: Metric) {
        match metric.beyond(after, true) {
            Outcome::Draw => self.draw = true,
            Outcome::Win(plies) => self.add_win(plies),
            Outcome::Loss(plies) => self.loss = Some(self.loss.unwrap_or(0).max(plies)),
        }
    }

    /// The best of the moves that were added.
    pub(super) fn best(&self) -> Option<Outcome> {
        let draw = self.draw.then_some(Outcome::Draw);
        self.win.map(Outcome::Win).or(draw).or(self.loss.map(Outcome::Loss))
    }

    /// No move was added.
    pub(super) fn is_empty(&self) -> bool {
        self.win.is_none() && !self.draw && self.loss.is_none()
    }

    /// A win takes more plies than a byte can hold.
    pub(super) fn too_long(&self) -> bool {
        self.over
    }
}

/// Where the men of a smaller table come from.
#[derive(Clone, Copy)]
struct Sub<'a> {
    /// `None` for bare kings.
    table: Option<&'a Table>,
    /// Whether the colours are the other way round there.
    swap: bool,
    /// For each of its men, the slot here.
    from: [u8; MOST],
}

/// All tables that one move can lead into.
pub(super) struct Subs<'a, const N: usize> {
    metric: Metric,
    colours: [Colour; N],
    taken: [Sub<'a>; N],
    /// By slot of the pawn, kind (in the order of [`Kind::PROMOTIONS`]) and slot of what is taken, nothing last.
    promoted: Vec<Option<Sub<'a>>>,
    /// The first thing that went wrong when a smaller table was asked.
    fault: OnceLock<String>,
}

impl<'a, const N: usize> Subs<'a, N> {
    /// Finds the tables.
    pub(super) fn new(slots: &[Slot; N], metric: Metric, tables: &'a Tables) -> Result<Subs<'a, N>, BuildError> {
        let men: Vec<(usize, Man)> = slots.iter().map(|slot| slot.man).enumerate().collect();
        let without = |gone: usize| men.iter().copied().filter(|&(slot, _)| slot != gone).collect::<Vec<_>>();
        let mut taken = [Sub { table: None, swap: false, from: [0; MOST] }; N];
        for (slot, entry) in taken.iter_mut().enumerate() {
            *entry = find(&without(slot), metric, tables)?;
        }
        let mut promoted = Vec::new();
        for pawn in 0..N {
            for kind in Kind::PROMOTIONS {
                for gone in 0..=N {
                    let man = slots[pawn].man;
                    if man.kind != Kind::Pawn || gone == pawn || (gone < N && slots[gone].man.colour == man.colour) {
                        promoted.push(None);
                        continue;
                    }
                    let mut rest = without(gone);
                    for (slot, man) in &mut rest {
                        if *slot == pawn {
                            man.kind = kind;
                        }
                    }
                    promoted.push(Some(find(&rest, metric, tables)?));
                }
            }
        }
        Ok(Subs {
            metric,
            colours: std::array::from_fn(|slot| slots[slot].man.colour),
            taken,
            promoted,
            fault: OnceLock::new(),
        })
    }

    /// Scores a capture on `to` by the man in `mover` (`N` for the king, whose new square is in `kings`).
    #[inline]
    pub(super) fn taken(
        &self,
        kings: &[u8; 2],
        squares: &[u8; N],
        to: u8,
        mover: usize,
        turn: Colour,
        score: &mut Score,
    ) {
        let gone = self.on(squares, to, turn);
        let mut after = *squares;
        if mover < N {
            after[mover] = to;
        }
        if gone < N {
            self.without(kings, &after, gone, turn, score);
        }
    }

    /// Scores the position in which the man in `gone` is off the board and `turn` is to move.
    #[inline]
    pub(super) fn without(&self, kings: &[u8; 2], after: &[u8; N], gone: usize, turn: Colour, score: &mut Score) {
        score.add(self.value(&self.taken[gone], kings, after, turn), self.metric);
    }

    /// Scores the promotions of the pawn in `pawn` on `to`, where something may be taken.
    pub(super) fn promoted(
        &self,
        kings: &[u8; 2],
        squares: &[u8; N],
        to: u8,
        pawn: usize,
        turn: Colour,
        score: &mut Score,
    ) {
        let gone = self.on(squares, to, turn);
        let mut after = *squares;
        after[pawn] = to;
        for kind in 0..Kind::PROMOTIONS.len() {
            if let Some(sub) = &self.promoted[(pawn * Kind::PROMOTIONS.len() + kind) * (N + 1) + gone] {
                score.add(self.value(sub, kings, &after, turn), self.metric);
            }
        }
    }

    /// What went wrong with the smaller tables, if anything did: then what was scored is worth nothing.
    pub(super) fn fault(&self) -> Result<(), BuildError> {
        self.fault.get().map_or(Ok(()), |why| Err(BuildError::File(why.clone())))
    }

    /// The value of a position in a smaller table.
    #[inline]
    fn value(&self, sub: &Sub<'_>, kings: &[u8; 2], squares: &[u8; N], turn: Colour) -> Outcome {
        let Some(table) = sub.table else { return Outcome::Draw };
        let count = table.index().men().len();
        let mut men = [0; MOST];
        for (man, &from) in men[..count].iter_mut().zip(&sub.from) {
            *man = squares[usize::from(from)];
        }
        let (placement, turn) = if sub.swap {
            men[..count].iter_mut().for_each(|square| *square ^= 56);
            (Placement { white: kings[1] ^ 56, black: kings[0] ^ 56, men }, turn.other())
        } else {
            (Placement { white: kings[0], black: kings[1], men }, turn)
        };
        let Some(number) = table.index().rank(&placement) else { return Outcome::Draw };
        table.get(turn, number).unwrap_or_else(|error| {
            self.fault.get_or_init(|| error.to_string());
            Outcome::Draw
        })
    }

    /// The slot of the man of `colour` on a square; `N` if there is none.
    #[inline]
    fn on(&self, squares: &[u8; N], at: u8, colour: Colour) -> usize {
        (0..N).find(|&slot| squares[slot] == at && self.colours[slot] == colour).unwrap_or(N)
    }
}

fn find<'a>(men: &[(usize, Man)], metric: Metric, tables: &'a Tables) -> Result<Sub<'a>, BuildError> {
    let (material, swap) = Material::from_men(men.iter().map(|&(_, man)| man));
    let mut sub = Sub { table: None, swap, from: [0; MOST] };
    if material.bare() {
        return Ok(sub);
    }
    sub.table = Some(tables.find(material, metric).map_err(|error| match error {
        ProbeError::Damaged(why) => BuildError::File(why),
        ProbeError::Missing(..) | ProbeError::Material(_) | ProbeError::Castling | ProbeError::Wrong(..) => {
            BuildError::Missing(material)
        }
    })?);
    let mut left = men.to_vec();
    for (place, wanted) in material.men().into_iter().enumerate() {
        let colour = if swap { wanted.colour.other() } else { wanted.colour };
        if let Some(at) = left.iter().position(|&(_, man)| man == Man { colour, ..wanted }) {
            sub.from[place] = left.remove(at).0 as u8;
        }
    }
    Ok(sub)
}
