//! The code at work.

mod calls;
mod lookup;
mod solve;

use super::RuleCode;
use super::code::*;
use super::space::ABSENT;
use super::state::{NIL, Open, Return, View, Waiter};
use crate::answers::Status;
use crate::bank::{Id, hash};
use crate::extension::{END, Walk};
use crate::program::Reach;
use game::{Limit, LimitKind};
use gdl::Symbol;

/// Runs of questions inside each other; only rules that deny what leads back to them need more than a few.
const MOST_RUNS: u32 = 400;
/// Registers in all: how deeply calls can be nested.
const MOST_REGS: usize = 1 << 26;

/// Code at work on one question from outside.
pub(super) struct Run<'a> {
    pub game: &'a RuleCode,
    pub code: &'a Code,
    pub view: &'a mut View,
    /// What was asked from outside.
    pub asked: Symbol,
    /// What is being counted, if anything.
    pub count: Option<&'a mut Counts>,
}

/// How often each routine was asked and what it took.
#[derive(Clone, Default)]
pub(super) struct Counts {
    pub routines: Vec<Count>,
    /// Steps in all.
    pub steps: u64,
    /// For each call at work: the routine, when it began, and what it called took.
    open: Vec<(u32, u64, u64)>,
}

#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Count {
    /// Calls, and those of them whose answer had been kept.
    pub calls: u64,
    pub kept: u64,
    /// Steps of the others, with and without those of what they called.
    pub steps: u64,
    pub own: u64,
    /// What the others found: proofs, or rows.
    pub found: u64,
}

impl Counts {
    pub fn new(code: &Code) -> Counts {
        Counts { routines: vec![Count::default(); code.routines.len()], ..Counts::default() }
    }

    fn enter(&mut self, routine: u32) {
        self.open.push((routine, self.steps, 0));
    }

    fn leave(&mut self, found: u64) {
        let Some((routine, began, below)) = self.open.pop() else { return };
        let steps = self.steps - began;
        if let Some(caller) = self.open.last_mut() {
            caller.2 += steps;
        }
        let count = &mut self.routines[routine as usize];
        count.steps += steps;
        count.own += steps - below;
        count.found += found;
    }
}

/// What a call came to.
enum Called {
    /// The answer was there.
    Known(bool),
    /// Go on here, with these registers.
    Enter(Pc, usize),
}

macro_rules! reg {
    ($self:ident, $base:ident, $reg:expr) => {
        $self.view.regs[$base + $reg as usize]
    };
}

impl<'a> Run<'a> {
    /// Runs code until the frame it begins in ends; tells whether that was with a proof.
    pub fn exec(&mut self, pc: Pc, base: usize) -> Result<bool, Limit> {
        if self.count.is_some() { self.exec_counting::<true>(pc, base) } else { self.exec_counting::<false>(pc, base) }
    }

    fn exec_counting<const COUNT: bool>(&mut self, pc: Pc, base: usize) -> Result<bool, Limit> {
        let floor = self.view.returns.len();
        let code = self.code;
        let (mut pc, mut base) = (pc, base);
        loop {
            let next = pc + 1;
            if COUNT && let Some(count) = &mut self.count {
                count.steps += 1;
            }
            pc = match code.ops[pc as usize] {
                Op::Same { a, b, fail } => go(reg!(self, base, a) == reg!(self, base, b), next, fail),
                Op::Differ { a, b, fail } => go(reg!(self, base, a) != reg!(self, base, b), next, fail),
                Op::Is { a, id, fail } => go(reg!(self, base, a) == id, next, fail),
                Op::IsNot { a, id, fail } => go(reg!(self, base, a) != id, next, fail),
                Op::Const { to, id } => {
                    reg!(self, base, to) = id;
                    next
                }
                Op::Copy { from, to } => {
                    reg!(self, base, to) = reg!(self, base, from);
                    next
                }
                Op::Open { from, to, arity, functor, fail } => {
                    go(self.open(base, from, to, arity, functor), next, fail)
                }
                Op::Build { term, to } => {
                    self.build(base, term, to)?;
                    next
                }
                Op::Find { term, to, fail } => go(self.find(base, term, to), next, fail),

                Op::Holds { look, fail } => go(self.holds(look, base), next, fail),
                Op::Lacks { look, fail } => go(!self.holds(look, base), next, fail),
                Op::Row { look, fail } => go(self.row(look, base), next, fail),
                Op::Rows { look, at, fail } => go(self.rows(look, base, at), next + 1, fail),
                Op::RowsNext { look, at, fail } => {
                    self.tick()?;
                    go(self.rows_next(look, base, at), next, fail)
                }

                Op::True { look, fail } => go(self.is_true(look, base), next, fail),
                Op::False { look, fail } => go(!self.is_true(look, base), next, fail),
                Op::Some { look, fail } => go(self.head(look, base) != NIL, next, fail),
                Op::None { look, fail } => go(self.head(look, base) == NIL, next, fail),
                Op::Facts { look, at, fail } => {
                    let fact = self.head(look, base);
                    go(self.take_fact(look, base, at, fact), next + 1, fail)
                }
                Op::FactsNext { look, at, fail } => {
                    self.tick()?;
                    let links = code.looks[look as usize].links;
                    let fact = self.view.links[(links + reg!(self, base, at)) as usize];
                    go(self.take_fact(look, base, at, fact), next, fail)
                }
                Op::Others { other, at, fail } => go(self.others(other, base, at), next + 1, fail),
                Op::OthersNext { other, at, fail } => {
                    self.tick()?;
                    go(self.others_next(other, base, at), next, fail)
                }
                Op::TrueTerm { a, fail } => go(self.is_fact(reg!(self, base, a)), next, fail),
                Op::FalseTerm { a, fail } => go(!self.is_fact(reg!(self, base, a)), next, fail),
                Op::Terms { to, at, fail } => go(self.term_fact(base, to, at, 0)?, next + 1, fail),
                Op::TermsNext { to, at, fail } => {
                    self.tick()?;
                    let number = reg!(self, base, at) + 1;
                    go(self.term_fact(base, to, at, number)?, next, fail)
                }
                Op::Does { does, at, fail } => go(self.does(does, base, at, None)?, next + 1, fail),
                Op::DoesNext { does, at, fail } => {
                    let after = reg!(self, base, at);
                    go(self.does(does, base, at, Some(after))?, next, fail)
                }

                Op::Test { call, fail } | Op::NotTest { call, fail } => match self.test::<COUNT>(call, base, pc)? {
                    Called::Known(holds) => go(holds == matches!(code.ops[pc as usize], Op::Test { .. }), next, fail),
                    Called::Enter(to, frame) => {
                        base = frame;
                        to
                    }
                },
                Op::Gather { call, at, fail } => match self.gather::<COUNT>(call, base, pc, at)? {
                    Called::Known(any) => go(any, next + 1, fail),
                    Called::Enter(to, frame) => {
                        base = frame;
                        to
                    }
                },
                Op::GatherNext { call, at, fail } => {
                    self.tick()?;
                    go(self.gather_next(call, base, at), next, fail)
                }
                Op::Ask { ask, fail } => {
                    self.ask(ask, base)?;
                    fail
                }

                Op::Jump { to } => to,
                Op::Switch { a, first } => code.switches[(first + reg!(self, base, a)) as usize],

                Op::Yield { list, fail } => {
                    self.tick()?;
                    self.yield_row(list, base);
                    fail
                }
                Op::Answer { list, fail } => {
                    self.tick()?;
                    if self.answer(list, base) {
                        return Ok(true);
                    }
                    fail
                }
                Op::YieldNumber { look, fail } => {
                    self.tick()?;
                    self.yield_number(look, base)?;
                    fail
                }
                Op::YieldTerm { a, fail } => {
                    self.tick()?;
                    let id = reg!(self, base, a);
                    self.yield_term(id);
                    fail
                }
                Op::Proved => {
                    if self.view.returns.len() == floor {
                        return Ok(true);
                    }
                    self.leave::<COUNT>(true, &mut base)
                }
                Op::Failed => {
                    if self.view.returns.len() == floor {
                        return Ok(false);
                    }
                    self.leave::<COUNT>(false, &mut base)
                }
                Op::Raise { kind } => return Err(self.limit(kind)),
            };
        }
    }

    /// Runs a routine whose arguments are in the first registers; its rows are then in the second list.
    pub fn answer_outside(&mut self, routine: u32) -> Result<bool, Limit> {
        if !self.code.routines[routine as usize].tabled {
            return self.exec(self.code.routines[routine as usize].entry, 0);
        }
        let (reach, table) = self.solve(routine, 0)?;
        let View { stores, lists, .. } = &mut *self.view;
        let table = stores[reach as usize].table(table);
        (0..table.count).for_each(|row| lists[1].extend_from_slice(table.row(row)));
        Ok(table.count > 0)
    }

    #[inline(always)]
    fn tick(&mut self) -> Result<(), Limit> {
        self.view.work += 1;
        if self.view.work & 0xfff == 0 { self.check() } else { Ok(()) }
    }

    #[cold]
    fn check(&self) -> Result<(), Limit> {
        let limits = &self.game.limits;
        if self.view.work > self.view.most {
            return Err(self.limit(LimitKind::Work));
        }
        if self.view.bytes() > limits.memory {
            return Err(self.limit(LimitKind::Memory));
        }
        if limits.cancel.is_cancelled() {
            return Err(self.limit(LimitKind::Time));
        }
        Ok(())
    }

    /// The limit, with the relation that was being worked on.
    #[cold]
    fn limit(&self, kind: LimitKind) -> Limit {
        let name = match self.view.returns.last().map(|last| self.code.ops[last.pc as usize]) {
            Some(Op::Test { call, .. } | Op::NotTest { call, .. } | Op::Gather { call, .. }) => {
                let routine = &self.code.routines[self.code.calls[call as usize].routine as usize];
                self.game.names[routine.rel as usize]
            }
            _ => self.asked,
        };
        Limit::new(kind, format!("asking for `{}`", self.game.lexicon.symbols().name(name)))
    }

    // Terms.

    #[inline(always)]
    fn yield_row(&mut self, list: u32, base: usize) {
        let sources = self.code.lists[list as usize].of(&self.code.sources);
        let View { lists, depth, regs, returns, filter, .. } = &mut *self.view;
        let rows = &mut lists[*depth & 1];
        let first = rows.len();
        for &source in sources {
            rows.push(match source {
                Source::Reg(reg) => regs[base + reg as usize],
                Source::Const(id) => id,
            });
        }
        let id = returns.last().map_or(0, |back| back.id);
        let mask = filter.len() - 1;
        let at = &mut filter[hash(0, &rows[first..]) as usize & mask];
        // What was put there by others, or pushed out by others, counts as new: an answer may be there twice, never be lost.
        if at.0 == id {
            let old = at.1 as usize;
            if old + sources.len() <= first && rows[old..old + sources.len()] == rows[first..] {
                rows.truncate(first);
                return;
            }
        }
        *at = (id, first as u32);
    }

    #[inline(always)]
    fn yield_number(&mut self, look: u32, base: usize) -> Result<(), Limit> {
        match self.address(&self.code.looks[look as usize], base) {
            Some(number) => self.view.out.push(number),
            // Domains hold whatever can occur.
            None => return Err(self.limit(LimitKind::Unbound)),
        }
        Ok(())
    }

    fn yield_term(&mut self, id: Id) {
        let numbering = if self.asked == Symbol::NEXT { &self.code.facts } else { &self.code.moves };
        let number = numbering.number(id, &self.view.bank, &self.code.domains);
        self.view.out.push(number);
    }

    // Questions that lead to each other.
}

#[inline(always)]
fn go(holds: bool, next: Pc, fail: Pc) -> Pc {
    if holds { next } else { fail }
}
