//! Calls of routines: what they are given, what they find, and what is kept of it.

use super::*;

impl<'a> Run<'a> {
    /// Puts the arguments of a call where the callee has its registers; tells where that is.
    #[inline(always)]
    pub(super) fn pass(&mut self, call: &Call, base: usize) -> Result<usize, Limit> {
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
    pub(super) fn more_regs(&mut self, frame: usize) -> Result<(), Limit> {
        if frame > MOST_REGS {
            return Err(self.limit(LimitKind::Depth));
        }
        self.view.regs.resize((frame + 512) * 2, 0);
        self.check()
    }

    /// Passes what a call is given; answers the call, its routine, and where the registers of the routine begin.
    #[inline(always)]
    fn prepare<const COUNT: bool>(&mut self, call: u32, base: usize) -> Result<(&'a Call, &'a Routine, usize), Limit> {
        self.tick()?;
        let code = self.code;
        let call = &code.calls[call as usize];
        let frame = self.pass(call, base)?;
        if COUNT && let Some(count) = &mut self.count {
            count.routines[call.routine as usize].calls += 1;
            count.routines[call.routine as usize].kept += 1;
        }
        Ok((call, &code.routines[call.routine as usize], frame))
    }

    #[inline(always)]
    pub(super) fn test<const COUNT: bool>(&mut self, call: u32, base: usize, pc: Pc) -> Result<Called, Limit> {
        let (call, routine, frame) = self.prepare::<COUNT>(call, base)?;
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
    pub(super) fn enter(&mut self, pc: Pc, base: usize, slot: u32) {
        let View { returns, lists, depth, ids, .. } = &mut *self.view;
        *ids = ids.wrapping_add(1);
        let (mine, other) = (lists[(*depth + 1) & 1].len() as u32, lists[*depth & 1].len() as u32);
        returns.push(Return { pc, base: base as u32, slot, mine, other, id: *ids });
    }

    #[inline(always)]
    pub(super) fn gather<const COUNT: bool>(
        &mut self,
        call: u32,
        base: usize,
        pc: Pc,
        at: Reg,
    ) -> Result<Called, Limit> {
        let (call, routine, frame) = self.prepare::<COUNT>(call, base)?;
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
    pub(super) fn first_row(&mut self, call: &Call, base: usize, at: Reg, first: u32, end: u32) -> bool {
        if first == end {
            return false;
        }
        self.view.regs[base + at as usize] = first;
        self.view.regs[base + at as usize + 1] = end;
        self.take_answer(call, base, first);
        true
    }

    /// Begins to go through the answers of a table.
    pub(super) fn first_answer(&mut self, call: &Call, base: usize, at: Reg, table: u32) -> bool {
        let reach = self.code.routines[call.routine as usize].reach;
        if self.view.stores[reach as usize].table(table).count == 0 {
            return false;
        }
        self.view.regs[base + at as usize] = table;
        self.view.regs[base + at as usize + 1] = 0;
        self.take_table_row(call, base, reach, table, 0);
        true
    }

    pub(super) fn take_table_row(&mut self, call: &Call, base: usize, reach: Reach, table: u32, row: u32) {
        let View { stores, regs, .. } = &mut *self.view;
        let row = stores[reach as usize].table(table).row(row);
        for &(column, reg) in call.outs.of(&self.code.pairs) {
            regs[base + reg as usize] = row[column as usize];
        }
    }

    #[inline(always)]
    pub(super) fn take_answer(&mut self, call: &Call, base: usize, row: u32) {
        let routine = &self.code.routines[call.routine as usize];
        let View { kept, lists, depth, regs, .. } = &mut *self.view;
        let rows = match routine.memo {
            Memo::Direct { .. } => &kept[routine.reach as usize],
            Memo::No | Memo::Hashed => &lists[(*depth + 1) & 1],
        };
        for &(column, reg) in call.outs.of(&self.code.pairs) {
            regs[base + reg as usize] = rows[row as usize + column as usize];
        }
    }

    #[inline(always)]
    pub(super) fn gather_next(&mut self, call: u32, base: usize, at: Reg) -> bool {
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
    pub(super) fn leave<const COUNT: bool>(&mut self, proved: bool, base: &mut usize) -> Pc {
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
            _ => unreachable!("only calls are returned to"),
        }
    }

    #[inline(always)]
    pub(super) fn tested(&mut self, call: u32, back: Return, proved: bool) -> bool {
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

    pub(super) fn gathered(&mut self, call: u32, base: usize, at: Reg, back: Return) -> bool {
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
}
