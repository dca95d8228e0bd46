//! The code at work.

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

    fn open(&mut self, base: usize, from: Reg, to: Reg, arity: u8, functor: Symbol) -> bool {
        let View { bank, regs, .. } = &mut *self.view;
        let id = regs[base + from as usize];
        let args = bank.args(id);
        if bank.functor(id) != functor || args.len() != arity as usize {
            return false;
        }
        regs[base + to as usize..base + to as usize + args.len()].copy_from_slice(args);
        true
    }

    #[inline(always)]
    fn source(&self, source: Source, base: usize) -> Id {
        match source {
            Source::Reg(reg) => self.view.regs[base + reg as usize],
            Source::Const(id) => id,
        }
    }

    fn fill_key(&mut self, sources: Span, base: usize) {
        self.view.key.clear();
        for &source in sources.of(&self.code.sources) {
            let id = self.source(source, base);
            self.view.key.push(id);
        }
    }

    fn build(&mut self, base: usize, term: u32, to: Reg) -> Result<(), Limit> {
        let Term { functor, args } = self.code.terms[term as usize];
        self.fill_key(args, base);
        let id = match self.view.bank.find(functor, &self.view.key) {
            Some(id) => Some(id),
            None => self.game.make(self.view, functor),
        };
        self.view.regs[base + to as usize] = id.ok_or_else(|| self.limit(LimitKind::Depth))?;
        Ok(())
    }

    fn find(&mut self, base: usize, term: u32, to: Reg) -> bool {
        let Term { functor, args } = self.code.terms[term as usize];
        self.fill_key(args, base);
        let found = self.view.bank.find(functor, &self.view.key);
        if let Some(id) = found {
            self.view.regs[base + to as usize] = id;
        }
        found.is_some()
    }

    // Listed relations.

    /// The address that a look has now; `None` if a value has no place in its domain.
    #[inline(always)]
    fn address(&self, look: &Look, base: usize) -> Option<u32> {
        let mut at = look.base;
        for part in look.parts.of(&self.code.parts) {
            let place = self.view.regs[base + part.reg as usize].wrapping_sub(part.low);
            if place >= part.terms {
                return None;
            }
            let rank = self.code.ranks[(part.ranks + place) as usize];
            if rank == ABSENT {
                return None;
            }
            at += u32::from(rank) * part.stride;
        }
        Some(at)
    }

    #[cold]
    fn hashed_address(&mut self, look: &Look, base: usize, keys: Option<&Keys>) -> Option<u32> {
        self.fill_key(look.parts, base);
        keys?.find(&self.view.key)
    }

    #[inline(always)]
    fn holds(&mut self, look: u32, base: usize) -> bool {
        let look = &self.code.looks[look as usize];
        let bits = &self.code.bits[look.table as usize];
        if look.hashed {
            return self.hashed_address(look, base, bits.keys.as_ref()).is_some();
        }
        match self.address(look, base) {
            Some(at) => bits.words[at as usize / 64] >> (at % 64) & 1 != 0,
            None => false,
        }
    }

    /// Where the rows that a look finds begin and end.
    #[inline(always)]
    fn range(&mut self, look: &Look, base: usize) -> (u32, u32) {
        let rows = &self.code.rows[look.table as usize];
        let at = match look.hashed {
            true => self.hashed_address(look, base, rows.keys.as_ref()),
            false => self.address(look, base),
        };
        match at {
            Some(at) => (rows.starts[at as usize], rows.starts[at as usize + 1]),
            None => (0, 0),
        }
    }

    #[inline(always)]
    fn take_row(&mut self, look: &Look, base: usize, row: u32) {
        let rows = &self.code.rows[look.table as usize];
        let first = (row * rows.width) as usize;
        for &(column, reg) in look.outs.of(&self.code.pairs) {
            self.view.regs[base + reg as usize] = rows.values[first + column as usize];
        }
    }

    #[inline(always)]
    fn row(&mut self, look: u32, base: usize) -> bool {
        let look = &self.code.looks[look as usize];
        let (start, end) = self.range(look, base);
        if start < end {
            self.take_row(look, base, start);
        }
        start < end
    }

    #[inline(always)]
    fn rows(&mut self, look: u32, base: usize, at: Reg) -> bool {
        let look = &self.code.looks[look as usize];
        let (start, end) = self.range(look, base);
        if start < end {
            self.view.regs[base + at as usize] = start;
            self.view.regs[base + at as usize + 1] = end;
            self.take_row(look, base, start);
        }
        start < end
    }

    #[inline(always)]
    fn rows_next(&mut self, look: u32, base: usize, at: Reg) -> bool {
        let look = &self.code.looks[look as usize];
        let row = self.view.regs[base + at as usize] + 1;
        if row == self.view.regs[base + at as usize + 1] {
            return false;
        }
        self.view.regs[base + at as usize] = row;
        self.take_row(look, base, row);
        true
    }

    // The state and the moves.

    #[inline(always)]
    fn is_true(&self, look: u32, base: usize) -> bool {
        match self.address(&self.code.looks[look as usize], base) {
            Some(at) => self.view.bits[at as usize / 64] >> (at % 64) & 1 != 0,
            None => false,
        }
    }

    /// The first fact that a look finds.
    #[inline(always)]
    fn head(&self, look: u32, base: usize) -> u32 {
        match self.address(&self.code.looks[look as usize], base) {
            Some(at) => self.view.heads[at as usize],
            None => NIL,
        }
    }

    #[inline(always)]
    fn take_fact(&mut self, look: u32, base: usize, at: Reg, fact: u32) -> bool {
        if fact == NIL {
            return false;
        }
        let look = &self.code.looks[look as usize];
        self.view.regs[base + at as usize] = fact;
        let arity = self.code.facts.shapes[look.table as usize].digits.len();
        let columns = &self.code.columns[look.table as usize];
        for &(column, reg) in look.outs.of(&self.code.pairs) {
            self.view.regs[base + reg as usize] = columns[fact as usize * arity + column as usize];
        }
        true
    }

    fn others(&mut self, other: u32, base: usize, at: Reg) -> bool {
        let spec = &self.code.others[other as usize];
        self.view.key.clear();
        let mut mask = 0;
        for (column, known) in spec.known.iter().enumerate() {
            let id = known.map_or(0, |source| self.source(source, base));
            mask |= u64::from(known.is_some()) << column;
            self.view.key.push(id);
        }
        let View { groups, key, .. } = &mut *self.view;
        let walk = groups[spec.group as usize].walk(key, mask);
        self.fitting_other(spec, base, at, walk)
    }

    fn others_next(&mut self, other: u32, base: usize, at: Reg) -> bool {
        let spec = &self.code.others[other as usize];
        let (index, row) = (self.view.regs[base + at as usize], self.view.regs[base + at as usize + 1]);
        let walk = self.view.groups[spec.group as usize].step(Walk { index, row });
        self.fitting_other(spec, base, at, walk)
    }

    /// The first fact of a walk that fits; a negated condition wants that there is none.
    fn fitting_other(&mut self, spec: &Other, base: usize, at: Reg, walk: Walk) -> bool {
        let mut walk = walk;
        while walk.row != END {
            let row = self.view.groups[spec.group as usize].row(walk.row);
            let fits =
                |(id, known): (&Id, &Option<Source>)| known.is_none_or(|source| self.source(source, base) == *id);
            if row.iter().zip(&spec.known).all(fits) {
                if spec.negated {
                    return false;
                }
                let View { groups, regs, .. } = &mut *self.view;
                let row = groups[spec.group as usize].row(walk.row);
                for &(column, reg) in spec.outs.of(&self.code.pairs) {
                    regs[base + reg as usize] = row[column as usize];
                }
                (regs[base + at as usize], regs[base + at as usize + 1]) = (walk.index, walk.row);
                return true;
            }
            walk = self.view.groups[spec.group as usize].step(walk);
        }
        spec.negated
    }

    /// Whether a term is a fact of the state.
    fn is_fact(&self, id: Id) -> bool {
        let number = self.code.facts.number(id, &self.view.bank, &self.code.domains);
        self.view.has(self.code, number)
    }

    /// The fact of this place in the state, as a term.
    fn term_fact(&mut self, base: usize, to: Reg, at: Reg, place: u32) -> Result<bool, Limit> {
        let Some(&number) = self.view.state.get(place as usize) else { return Ok(false) };
        self.view.regs[base + at as usize] = place;
        let id = self.game.fact_term(self.view, number);
        self.view.regs[base + to as usize] = id.ok_or_else(|| self.limit(LimitKind::Depth))?;
        Ok(true)
    }

    /// The next role after `after` that makes a move of the right form.
    fn does(&mut self, does: u32, base: usize, at: Reg, after: Option<u32>) -> Result<bool, Limit> {
        let does = &self.code.does[does as usize];
        let roles = match (does.role, after) {
            (Some(source), None) => {
                let role = self.source(source, base);
                match self.game.lexicon.roles.iter().position(|&id| id == role) {
                    Some(number) => number..number + 1,
                    None => 0..0,
                }
            }
            (Some(_), Some(_)) => 0..0,
            (None, after) => after.map_or(0, |after| after as usize + 1)..self.view.played.len(),
        };
        for number in roles {
            let Some(&played) = self.view.played.get(number) else { break };
            if does.form.is_some_and(|form| form != (played.functor, played.arity)) {
                continue;
            }
            self.view.regs[base + at as usize] = number as u32;
            if let Some(to) = does.role_to {
                self.view.regs[base + to as usize] = self.game.lexicon.roles[number];
            }
            if let Some(to) = does.term_to {
                let id = self.game.move_term(self.view, played.number);
                self.view.regs[base + to as usize] = id.ok_or_else(|| self.limit(LimitKind::Depth))?;
            }
            for &(column, reg) in does.outs.of(&self.code.pairs) {
                self.view.regs[base + reg as usize] = self.view.args[(played.first + u32::from(column)) as usize];
            }
            return Ok(true);
        }
        Ok(false)
    }

    // Calls.

    /// Puts the arguments of a call where the callee has its registers; tells where that is.
    #[inline(always)]
    fn pass(&mut self, call: &Call, base: usize) -> Result<usize, Limit> {
        let frame = base + call.frame as usize;
        if self.view.regs.len() < frame + 512 {
            self.more_regs(frame)?;
        }
        for (at, &source) in call.args.of(&self.code.sources).iter().enumerate() {
            self.view.regs[frame + at] = self.source(source, base);
        }
        Ok(frame)
    }

    #[cold]
    fn more_regs(&mut self, frame: usize) -> Result<(), Limit> {
        if frame > MOST_REGS {
            return Err(self.limit(LimitKind::Depth));
        }
        self.view.regs.resize((frame + 512) * 2, 0);
        self.check()
    }

    #[inline(always)]
    fn test<const COUNT: bool>(&mut self, call: u32, base: usize, pc: Pc) -> Result<Called, Limit> {
        self.tick()?;
        let call = &self.code.calls[call as usize];
        let routine = &self.code.routines[call.routine as usize];
        let frame = self.pass(call, base)?;
        if COUNT && let Some(count) = &mut self.count {
            count.routines[call.routine as usize].calls += 1;
            count.routines[call.routine as usize].kept += 1;
        }
        let slot = match routine.memo {
            Memo::No if routine.tabled => {
                let (reach, table) = self.solve_counting::<COUNT>(call.routine, frame)?;
                return Ok(Called::Known(self.view.stores[reach as usize].table(table).count > 0));
            }
            Memo::No => NIL,
            Memo::Direct { look } => {
                let Some(slot) = self.address(&self.code.looks[look as usize], frame) else {
                    return Ok(Called::Known(false));
                };
                let mark = self.view.marks[slot as usize];
                if mark >> 1 == self.view.stamps[routine.reach as usize] {
                    return Ok(Called::Known(mark & 1 != 0));
                }
                slot
            }
            Memo::Hashed => {
                let table = self.question(call.routine, frame);
                let found = self.view.stores[routine.reach as usize].table(table);
                if found.status == Status::Complete {
                    return Ok(Called::Known(found.count > 0));
                }
                table
            }
        };
        self.enter(pc, base, slot);
        if COUNT && let Some(count) = &mut self.count {
            count.routines[call.routine as usize].kept -= 1;
            count.enter(call.routine);
        }
        Ok(Called::Enter(routine.entry, frame))
    }

    #[inline(always)]
    fn enter(&mut self, pc: Pc, base: usize, slot: u32) {
        let View { returns, lists, depth, ids, .. } = &mut *self.view;
        *ids = ids.wrapping_add(1);
        let (mine, other) = (lists[(*depth + 1) & 1].len() as u32, lists[*depth & 1].len() as u32);
        returns.push(Return { pc, base: base as u32, slot, mine, other, id: *ids });
    }

    #[inline(always)]
    fn gather<const COUNT: bool>(&mut self, call: u32, base: usize, pc: Pc, at: Reg) -> Result<Called, Limit> {
        self.tick()?;
        let call = &self.code.calls[call as usize];
        let routine = &self.code.routines[call.routine as usize];
        let frame = self.pass(call, base)?;
        if COUNT && let Some(count) = &mut self.count {
            count.routines[call.routine as usize].calls += 1;
            count.routines[call.routine as usize].kept += 1;
        }
        let slot = match routine.memo {
            Memo::No if routine.tabled => {
                let (_, table) = self.solve_counting::<COUNT>(call.routine, frame)?;
                return Ok(Called::Known(self.first_answer(call, base, at, table)));
            }
            Memo::No => NIL,
            Memo::Direct { look } => {
                let Some(slot) = self.address(&self.code.looks[look as usize], frame) else {
                    return Ok(Called::Known(false));
                };
                let (stamp, first, end) = self.view.spans[slot as usize];
                if stamp == self.view.stamps[routine.reach as usize] {
                    return Ok(Called::Known(self.first_row(call, base, at, first, end)));
                }
                slot
            }
            Memo::Hashed => {
                let table = self.question(call.routine, frame);
                if self.view.stores[routine.reach as usize].table(table).status == Status::Complete {
                    return Ok(Called::Known(self.first_answer(call, base, at, table)));
                }
                table
            }
        };
        self.enter(pc, base, slot);
        self.view.depth += 1;
        if COUNT && let Some(count) = &mut self.count {
            count.routines[call.routine as usize].kept -= 1;
            count.enter(call.routine);
        }
        Ok(Called::Enter(routine.entry, frame))
    }

    /// Begins to go through rows.
    #[inline(always)]
    fn first_row(&mut self, call: &Call, base: usize, at: Reg, first: u32, end: u32) -> bool {
        if first == end {
            return false;
        }
        self.view.regs[base + at as usize] = first;
        self.view.regs[base + at as usize + 1] = end;
        self.take_answer(call, base, first);
        true
    }

    /// Begins to go through the answers of a table.
    fn first_answer(&mut self, call: &Call, base: usize, at: Reg, table: u32) -> bool {
        let reach = self.code.routines[call.routine as usize].reach;
        if self.view.stores[reach as usize].table(table).count == 0 {
            return false;
        }
        self.view.regs[base + at as usize] = table;
        self.view.regs[base + at as usize + 1] = 0;
        self.take_table_row(call, base, reach, table, 0);
        true
    }

    fn take_table_row(&mut self, call: &Call, base: usize, reach: Reach, table: u32, row: u32) {
        let View { stores, regs, .. } = &mut *self.view;
        let row = stores[reach as usize].table(table).row(row);
        for &(column, reg) in call.outs.of(&self.code.pairs) {
            regs[base + reg as usize] = row[column as usize];
        }
    }

    #[inline(always)]
    fn take_answer(&mut self, call: &Call, base: usize, row: u32) {
        let routine = &self.code.routines[call.routine as usize];
        let View { kept, lists, depth, regs, .. } = &mut *self.view;
        let rows = match routine.memo {
            Memo::Direct { .. } => &kept[routine.reach as usize],
            _ => &lists[(*depth + 1) & 1],
        };
        for &(column, reg) in call.outs.of(&self.code.pairs) {
            regs[base + reg as usize] = rows[row as usize + column as usize];
        }
    }

    #[inline(always)]
    fn gather_next(&mut self, call: u32, base: usize, at: Reg) -> bool {
        let call = &self.code.calls[call as usize];
        let routine = &self.code.routines[call.routine as usize];
        let place = self.view.regs[base + at as usize];
        if routine.tabled || matches!(routine.memo, Memo::Hashed) {
            let row = self.view.regs[base + at as usize + 1] + 1;
            if row >= self.view.stores[routine.reach as usize].table(place).count {
                return false;
            }
            self.view.regs[base + at as usize + 1] = row;
            self.take_table_row(call, base, routine.reach, place, row);
            return true;
        }
        let row = place + u32::from(routine.outputs);
        if row == self.view.regs[base + at as usize + 1] {
            return false;
        }
        self.view.regs[base + at as usize] = row;
        self.take_answer(call, base, row);
        true
    }

    /// Ends the frame at hand; tells where the caller goes on.
    #[inline(always)]
    fn leave<const COUNT: bool>(&mut self, proved: bool, base: &mut usize) -> Pc {
        let Some(back) = self.view.returns.pop() else { return 0 };
        if COUNT && let Some(count) = &mut self.count {
            let rows = match self.code.ops[back.pc as usize] {
                Op::Gather { call, .. } => {
                    let width = self.code.routines[self.code.calls[call as usize].routine as usize].outputs;
                    (self.view.lists[self.view.depth & 1].len() - back.mine as usize) / width as usize
                }
                _ => usize::from(proved),
            };
            count.leave(rows as u64);
        }
        *base = back.base as usize;
        match self.code.ops[back.pc as usize] {
            Op::Test { call, fail } => go(self.tested(call, back, proved), back.pc + 1, fail),
            Op::NotTest { call, fail } => go(!self.tested(call, back, proved), back.pc + 1, fail),
            Op::Gather { call, at, fail } => go(self.gathered(call, *base, at, back), back.pc + 2, fail),
            _ => 0,
        }
    }

    #[inline(always)]
    fn tested(&mut self, call: u32, back: Return, proved: bool) -> bool {
        let call = &self.code.calls[call as usize];
        let routine = &self.code.routines[call.routine as usize];
        let View { lists, depth, marks, stamps, stores, .. } = &mut *self.view;
        lists[(*depth + 1) & 1].truncate(back.mine as usize);
        match routine.memo {
            Memo::No => {}
            Memo::Direct { .. } => {
                marks[back.slot as usize] = stamps[routine.reach as usize] << 1 | u32::from(proved);
            }
            Memo::Hashed => {
                let table = stores[routine.reach as usize].table_mut(back.slot);
                if proved {
                    table.insert(&[]);
                }
                table.status = Status::Complete;
            }
        }
        proved
    }

    fn gathered(&mut self, call: u32, base: usize, at: Reg, back: Return) -> bool {
        let call = &self.code.calls[call as usize];
        let routine = &self.code.routines[call.routine as usize];
        self.view.depth -= 1;
        let View { lists, depth, kept, spans, stamps, stores, answer_words, .. } = &mut *self.view;
        lists[*depth & 1].truncate(back.other as usize);
        let list = &mut lists[(*depth + 1) & 1];
        match routine.memo {
            Memo::No => {
                let end = list.len() as u32;
                self.first_row(call, base, at, back.mine, end)
            }
            Memo::Direct { .. } => {
                let kept = &mut kept[routine.reach as usize];
                let first = kept.len() as u32;
                kept.extend_from_slice(&list[back.mine as usize..]);
                list.truncate(back.mine as usize);
                let end = kept.len() as u32;
                spans[back.slot as usize] = (stamps[routine.reach as usize], first, end);
                self.first_row(call, base, at, first, end)
            }
            Memo::Hashed => {
                let table = stores[routine.reach as usize].table_mut(back.slot);
                for row in list[back.mine as usize..].chunks(routine.outputs as usize) {
                    if table.insert(row) {
                        *answer_words += row.len() + 1;
                    }
                }
                table.status = Status::Complete;
                list.truncate(back.mine as usize);
                self.first_answer(call, base, at, back.slot)
            }
        }
    }

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
