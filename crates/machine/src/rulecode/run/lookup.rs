//! Looking things up while code runs: terms, rows of listed relations, facts of the state, moves being made.

use super::*;

impl Run<'_> {
    pub(super) fn open(&mut self, base: usize, from: Reg, to: Reg, arity: u8, functor: Symbol) -> bool {
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
    pub(super) fn source(&self, source: Source, base: usize) -> Id {
        match source {
            Source::Reg(reg) => self.view.regs[base + reg as usize],
            Source::Const(id) => id,
        }
    }

    pub(super) fn fill_key(&mut self, sources: Span, base: usize) {
        self.view.key.clear();
        for &source in sources.of(&self.code.sources) {
            let id = self.source(source, base);
            self.view.key.push(id);
        }
    }

    pub(super) fn build(&mut self, base: usize, term: u32, to: Reg) -> Result<(), Limit> {
        let Term { functor, args } = self.code.terms[term as usize];
        self.fill_key(args, base);
        let id = match self.view.bank.find(functor, &self.view.key) {
            Some(id) => Some(id),
            None => self.game.make(self.view, functor),
        };
        self.view.regs[base + to as usize] = id.ok_or_else(|| self.limit(LimitKind::Depth))?;
        Ok(())
    }

    pub(super) fn find(&mut self, base: usize, term: u32, to: Reg) -> bool {
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
    pub(super) fn address(&self, look: &Look, base: usize) -> Option<u32> {
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
    pub(super) fn hashed_address(&mut self, look: &Look, base: usize, keys: Option<&Keys>) -> Option<u32> {
        self.fill_key(look.parts, base);
        keys?.find(&self.view.key)
    }

    #[inline(always)]
    pub(super) fn holds(&mut self, look: u32, base: usize) -> bool {
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
    pub(super) fn range(&mut self, look: &Look, base: usize) -> (u32, u32) {
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
    pub(super) fn take_row(&mut self, look: &Look, base: usize, row: u32) {
        let rows = &self.code.rows[look.table as usize];
        let first = (row * rows.width) as usize;
        for &(column, reg) in look.outs.of(&self.code.pairs) {
            self.view.regs[base + reg as usize] = rows.values[first + column as usize];
        }
    }

    #[inline(always)]
    pub(super) fn row(&mut self, look: u32, base: usize) -> bool {
        let look = &self.code.looks[look as usize];
        let (start, end) = self.range(look, base);
        if start < end {
            self.take_row(look, base, start);
        }
        start < end
    }

    #[inline(always)]
    pub(super) fn rows(&mut self, look: u32, base: usize, at: Reg) -> bool {
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
    pub(super) fn rows_next(&mut self, look: u32, base: usize, at: Reg) -> bool {
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
    pub(super) fn is_true(&self, look: u32, base: usize) -> bool {
        match self.address(&self.code.looks[look as usize], base) {
            Some(at) => self.view.bits[at as usize / 64] >> (at % 64) & 1 != 0,
            None => false,
        }
    }

    /// The first fact that a look finds.
    #[inline(always)]
    pub(super) fn head(&self, look: u32, base: usize) -> u32 {
        match self.address(&self.code.looks[look as usize], base) {
            Some(at) => self.view.heads[at as usize],
            None => NIL,
        }
    }

    #[inline(always)]
    pub(super) fn take_fact(&mut self, look: u32, base: usize, at: Reg, fact: u32) -> bool {
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

    pub(super) fn others(&mut self, other: u32, base: usize, at: Reg) -> bool {
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

    pub(super) fn others_next(&mut self, other: u32, base: usize, at: Reg) -> bool {
        let spec = &self.code.others[other as usize];
        let (index, row) = (self.view.regs[base + at as usize], self.view.regs[base + at as usize + 1]);
        let walk = self.view.groups[spec.group as usize].step(Walk { index, row });
        self.fitting_other(spec, base, at, walk)
    }

    /// The first fact of a walk that fits; a negated condition wants that there is none.
    pub(super) fn fitting_other(&mut self, spec: &Other, base: usize, at: Reg, walk: Walk) -> bool {
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
    pub(super) fn is_fact(&self, id: Id) -> bool {
        let number = self.code.facts.number(id, &self.view.bank, &self.code.domains);
        self.view.has(self.code, number)
    }

    /// The fact of this place in the state, as a term.
    pub(super) fn term_fact(&mut self, base: usize, to: Reg, at: Reg, place: u32) -> Result<bool, Limit> {
        let Some(&number) = self.view.state.get(place as usize) else { return Ok(false) };
        self.view.regs[base + at as usize] = place;
        let id = self.game.fact_term(self.view, number);
        self.view.regs[base + to as usize] = id.ok_or_else(|| self.limit(LimitKind::Depth))?;
        Ok(true)
    }

    /// The next role after `after` that makes a move of the right form.
    pub(super) fn does(&mut self, does: u32, base: usize, at: Reg, after: Option<u32>) -> Result<bool, Limit> {
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
}
