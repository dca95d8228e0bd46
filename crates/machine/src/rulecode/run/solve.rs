//! Questions whose answers are kept: asked once, and run to their fixpoint where they rest on each other.

use super::*;

impl Run<'_> {
    /// The table of the question that the registers from `frame` on are the arguments of.
    pub(super) fn question(&mut self, routine: u32, frame: usize) -> u32 {
        let Routine { inputs, outputs, reach, .. } = self.code.routines[routine as usize];
        let View { key, regs, stores, .. } = &mut *self.view;
        key.clear();
        key.extend_from_slice(&regs[frame..frame + inputs as usize]);
        key.resize(inputs as usize + outputs as usize, 0);
        stores[reach as usize].find(routine, key)
    }

    pub(super) fn solve_counting<const COUNT: bool>(
        &mut self,
        routine: u32,
        frame: usize,
    ) -> Result<(Reach, u32), Limit> {
        if COUNT && let Some(count) = &mut self.count {
            count.routines[routine as usize].kept -= 1;
            count.enter(routine);
            let (reach, table) = self.solve(routine, frame)?;
            let rows = self.view.stores[reach as usize].table(table).count;
            if let Some(count) = &mut self.count {
                count.leave(u64::from(rows));
            }
            return Ok((reach, table));
        }
        self.solve(routine, frame)
    }

    /// Answers a tabled question completely.
    pub(super) fn solve(&mut self, routine: u32, frame: usize) -> Result<(Reach, u32), Limit> {
        let reach = self.code.routines[routine as usize].reach;
        let table = self.question(routine, frame);
        match self.view.stores[reach as usize].table(table).status {
            Status::Complete => return Ok((reach, table)),
            Status::Open => {}
            // It rests on its own denial.
            Status::Active(_) | Status::Tentative(_) => return Err(self.limit(LimitKind::Circular)),
        }
        if self.view.runs == MOST_RUNS {
            return Err(self.limit(LimitKind::Depth));
        }
        let view = &mut *self.view;
        let before = (view.open.len(), view.queue.len(), view.waiters.len(), view.waiting_regs.len());
        let outer = (view.current, view.run);
        view.runs += 1;
        view.run = before.0 as u32;
        let first = self.begin(reach, table);
        let mut decided = false;
        while self.view.queue.len() > before.1 {
            let Some(next) = self.view.queue.pop() else { break };
            self.work_on(next, frame)?;
            let found = self.view.stores[reach as usize].table(table);
            decided = found.free == 0 && found.count > 0;
            if decided {
                break;
            }
        }
        let View { open, stores, queue, waiters, waiting_regs, .. } = &mut *self.view;
        for (at, entry) in open.iter().enumerate().skip(before.0) {
            let table = stores[entry.reach as usize].table_mut(entry.table);
            let complete = !decided || entry.complete || at == first as usize || (table.free == 0 && table.count > 0);
            // What is left unfinished keeps its answers and is begun anew when it is asked again.
            table.status = if complete { Status::Complete } else { Status::Open };
        }
        open.truncate(before.0);
        queue.truncate(before.1);
        waiters.truncate(before.2);
        waiting_regs.truncate(before.3);
        (self.view.current, self.view.run) = outer;
        self.view.runs -= 1;
        Ok((reach, table))
    }

    /// Adds a question to the run at hand.
    pub(super) fn begin(&mut self, reach: Reach, table: u32) -> u32 {
        let View { open, queue, stores, .. } = &mut *self.view;
        let number = open.len() as u32;
        let table_of = stores[reach as usize].table_mut(table);
        let complete = table_of.status == Status::Complete;
        if !complete {
            table_of.status = Status::Active(number);
        }
        open.push(Open { reach, table, waiter: NIL, started: complete, queued: true, complete });
        queue.push(number);
        number
    }

    /// Tries the clauses of a question if that was not done yet, and passes its answers on.
    pub(super) fn work_on(&mut self, number: u32, frame: usize) -> Result<(), Limit> {
        let entry = &mut self.view.open[number as usize];
        entry.queued = false;
        let Open { reach, table, started, .. } = *entry;
        entry.started = true;
        let found = self.view.stores[reach as usize].table(table);
        let routine = &self.code.routines[found.rel as usize];
        if !started {
            let View { stores, regs, .. } = &mut *self.view;
            let key = stores[reach as usize].table(table).key();
            let inputs = routine.inputs as usize;
            regs[frame..frame + inputs].copy_from_slice(&key[..inputs]);
            self.exec_for(number, routine.entry, frame)?;
        }
        let mut at = self.view.open[number as usize].waiter;
        while at != NIL {
            while self.view.waiters[at as usize].seen < self.view.stores[reach as usize].table(table).count {
                self.tick()?;
                let waiter = &mut self.view.waiters[at as usize];
                let row = waiter.seen;
                waiter.seen += 1;
                let Waiter { ask, owner, regs: kept, .. } = *waiter;
                let Ask { call, then } = self.code.asks[ask as usize];
                let call = &self.code.calls[call as usize];
                let View { waiting_regs, regs, .. } = &mut *self.view;
                let size = call.frame as usize;
                regs[frame..frame + size].copy_from_slice(&waiting_regs[kept as usize..kept as usize + size]);
                self.take_table_row(call, frame, reach, table, row);
                self.exec_for(owner, then, frame)?;
            }
            at = self.view.waiters[at as usize].next;
        }
        Ok(())
    }

    pub(super) fn exec_for(&mut self, owner: u32, pc: Pc, frame: usize) -> Result<(), Limit> {
        self.view.current = owner;
        let list = (self.view.depth + 1) & 1;
        let len = self.view.lists[list].len();
        self.exec(pc, frame)?;
        self.view.lists[list].truncate(len);
        Ok(())
    }

    /// Waits for the answers of a question of the same run.
    pub(super) fn ask(&mut self, ask: u32, base: usize) -> Result<(), Limit> {
        self.tick()?;
        let call = &self.code.calls[self.code.asks[ask as usize].call as usize];
        let frame = self.pass(call, base)?;
        let reach = self.code.routines[call.routine as usize].reach;
        let table = self.question(call.routine, frame);
        let number = match self.view.stores[reach as usize].table(table).status {
            Status::Active(number) if number >= self.view.run => number,
            // A question further out, on the other side of a denial.
            Status::Active(_) | Status::Tentative(_) => return Err(self.limit(LimitKind::Circular)),
            Status::Open | Status::Complete => self.begin(reach, table),
        };
        let View { open, queue, waiters, waiting_regs, regs, current, .. } = &mut *self.view;
        let kept = waiting_regs.len() as u32;
        waiting_regs.extend_from_slice(&regs[base..base + call.frame as usize]);
        let entry = &mut open[number as usize];
        let next = std::mem::replace(&mut entry.waiter, waiters.len() as u32);
        waiters.push(Waiter { ask, owner: *current, regs: kept, seen: 0, next });
        if !entry.queued {
            entry.queued = true;
            queue.push(number);
        }
        Ok(())
    }

    /// One more answer to the question at hand; tells whether it needs no more.
    pub(super) fn answer(&mut self, list: u32, base: usize) -> bool {
        self.fill_key(self.code.lists[list as usize], base);
        let View { open, queue, stores, key, current, answer_words, .. } = &mut *self.view;
        let entry = &mut open[*current as usize];
        let table = stores[entry.reach as usize].table_mut(entry.table);
        if table.insert(key) {
            *answer_words += key.len() + 1;
            if !entry.queued {
                entry.queued = true;
                queue.push(*current);
            }
        }
        key.is_empty()
    }
}
