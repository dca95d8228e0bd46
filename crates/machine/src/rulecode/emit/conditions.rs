//! The code of single conditions: facts, moves being made, listed relations, calls.

use super::*;

impl Emitter<'_, '_, '_> {
    /// Sorts a condition's arguments into keys, results and what must be checked. A known term that does not exist leads to `absent`.
    pub(super) fn columns(
        &mut self,
        frame: &mut Frame,
        args: &[Pat],
        used: Vars,
        absent: Label,
    ) -> Result<Columns, String> {
        let used = used.or(repeated_vars(args));
        let mut columns = Columns::default();
        for (at, arg) in args.iter().enumerate() {
            if pat_vars(arg).is_subset(frame.known) {
                let source = self.value(frame, arg, Some(absent))?;
                columns.keys.push((at as u8, source));
                continue;
            }
            self.column(frame, at as u8, arg, used, &mut columns)?;
        }
        Ok(columns)
    }

    /// An argument that is not known.
    pub(super) fn column(&mut self, frame: &mut Frame, at: u8, arg: &Pat, used: Vars, columns: &mut Columns) -> Done {
        match arg {
            Pat::Var(var) if columns.binds.contains(*var) => {
                let (temp, reg) = (self.temp(frame)?, self.reg(frame, *var)?);
                columns.outs.push((at, temp));
                columns.after.push(After::Same(temp, reg));
            }
            Pat::Var(var) if used.contains(*var) => {
                let reg = self.reg(frame, *var)?;
                columns.outs.push((at, reg));
                columns.binds.insert(*var);
            }
            Pat::Var(_) => {}
            Pat::Ground(_) | Pat::Call(..) => {
                let temp = self.temp(frame)?;
                columns.outs.push((at, temp));
                columns.after.push(After::Match(temp, arg.clone()));
            }
        }
        Ok(())
    }

    /// Checks what remains to be checked, and notes what was bound.
    pub(super) fn settle(&mut self, frame: &mut Frame, columns: Columns, fail: Label) -> Result<Vars, String> {
        let before = frame.known;
        frame.known = frame.known.or(columns.binds);
        for after in columns.after {
            match after {
                After::Same(a, b) => self.op(Op::Same { a, b, fail }),
                After::Match(reg, pat) => self.refit(frame, reg, &pat, fail)?,
            }
        }
        Ok(frame.known.without(before))
    }

    /// As `fit`, but a variable that has a register already (because another branch binds it too) keeps it.
    pub(super) fn refit(&mut self, frame: &mut Frame, reg: Reg, pat: &Pat, fail: Label) -> Done {
        match pat {
            Pat::Var(var) if !frame.known.contains(*var) && frame.regs.contains_key(var) => {
                let to = self.reg(frame, *var)?;
                frame.known.insert(*var);
                self.op(Op::Copy { from: reg, to });
                Ok(())
            }
            Pat::Call(functor, args) => {
                let to = self.temps(frame, args.len())?;
                self.op(Op::Open { from: reg, to, arity: args.len() as u8, functor: *functor, fail });
                for (at, arg) in args.iter().enumerate() {
                    self.refit(frame, to + at as Reg, arg, fail)?;
                }
                Ok(())
            }
            _ => self.fit(frame, reg, pat, fail),
        }
    }

    /// A look with these values as digits; `None` if a constant has no place in its domain.
    pub(super) fn look_at(&mut self, keys: &[(Source, Digit)], base: u32) -> Option<u32> {
        let mut look = Look { base, ..Look::default() };
        let mut parts = Vec::new();
        for (source, digit) in keys {
            match source {
                Source::Const(id) => {
                    let terms = self.planner.world.domains.terms(digit.domain);
                    look.base += terms.iter().position(|term| term == id)? as u32 * digit.stride;
                }
                // The ranks are put in place of the domain when all domains are known.
                Source::Reg(reg) => {
                    parts.push(Part { ranks: digit.domain, low: 0, terms: 0, stride: digit.stride, reg: *reg });
                }
            }
        }
        look.parts = Self::span(&mut self.code.parts, parts);
        self.code.looks.push(look);
        Some(self.code.looks.len() as u32 - 1)
    }

    pub(super) fn last_look(&mut self) -> &mut Look {
        let last = self.code.looks.len() - 1;
        &mut self.code.looks[last]
    }

    pub(super) fn fact(
        &mut self,
        frame: &mut Frame,
        pat: &Pat,
        negated: bool,
        used: Vars,
        (first, last): (Label, Label),
    ) -> Done {
        let (functor, args) = match pat {
            Pat::Var(_) => return self.fact_term(frame, pat, negated, first, last),
            Pat::Ground(id) => {
                let bank = self.planner.world.prover.shared_bank();
                (bank.functor(*id), bank.args(*id).iter().map(|&arg| Pat::Ground(arg)).collect())
            }
            Pat::Call(functor, args) => (*functor, args.to_vec()),
        };
        let Some(shape) = self.planner.world.facts.shape(functor, args.len()) else {
            if self.planner.world.facts.others {
                return self.other(frame, functor, &args, negated, used, (first, last));
            }
            return self.never(negated, first, None);
        };
        // Where the condition is negated, a term that does not exist means that it holds.
        let holds = self.label();
        let absent = if negated { holds } else { first };
        let columns = self.columns(frame, &args, used, absent)?;
        let digits = self.planner.world.facts.shapes[shape as usize].digits.clone();
        let offset = self.planner.world.facts.shapes[shape as usize].offset;
        if columns.keys.len() == args.len() {
            let keys: Vec<_> = columns.keys.iter().map(|&(at, source)| (source, digits[at as usize])).collect();
            let Some(look) = self.look_at(&keys, offset) else { return self.never(negated, first, Some(holds)) };
            self.op(if negated { Op::False { look, fail: first } } else { Op::True { look, fail: first } });
            self.put(holds);
            return Ok(());
        }
        let key_columns: Vec<u8> = columns.keys.iter().map(|(at, _)| *at).collect();
        let index = self.index(shape, &key_columns);
        let domains: Vec<Domain> = key_columns.iter().map(|&at| digits[at as usize].domain).collect();
        let Some((digits, _)) = super::super::space::digits(&domains, &self.planner.world.domains, u32::MAX) else {
            return Err("an index is too large".to_string());
        };
        let keys: Vec<_> = columns.keys.iter().map(|(_, source)| *source).zip(digits).collect();
        let (heads, links) = (self.code.indexes[index as usize].heads, self.code.indexes[index as usize].links);
        let Some(look) = self.look_at(&keys, heads) else { return self.never(negated, first, Some(holds)) };
        let outs = Self::span(&mut self.code.pairs, columns.outs.iter().copied());
        let made = self.last_look();
        (made.table, made.links, made.outs) = (shape, links, outs);
        if negated {
            self.op(Op::None { look, fail: first });
        } else if columns.outs.is_empty() {
            self.op(Op::Some { look, fail: first });
        } else {
            let at = self.temp(frame)?;
            self.op(Op::Facts { look, at, fail: first });
            let again = self.label();
            self.put(again);
            self.op(Op::FactsNext { look, at, fail: last });
            let binds = self.settle(frame, columns, again)?;
            frame.loops.push((again, binds));
        }
        self.put(holds);
        Ok(())
    }

    /// A condition that never holds.
    pub(super) fn never(&mut self, negated: bool, fail: Label, holds: Option<Label>) -> Done {
        if !negated {
            self.op(Op::Jump { to: fail });
        }
        if let Some(holds) = holds {
            self.put(holds);
        }
        Ok(())
    }

    /// A fact of any form.
    pub(super) fn fact_term(&mut self, frame: &mut Frame, pat: &Pat, negated: bool, first: Label, last: Label) -> Done {
        let Pat::Var(var) = pat else { return Ok(()) };
        let a = self.reg(frame, *var)?;
        if frame.known.contains(*var) {
            self.op(if negated { Op::FalseTerm { a, fail: first } } else { Op::TrueTerm { a, fail: first } });
            return Ok(());
        }
        let at = self.temp(frame)?;
        self.op(Op::Terms { to: a, at, fail: first });
        let again = self.label();
        self.put(again);
        self.op(Op::TermsNext { to: a, at, fail: last });
        let binds = pat_vars(pat);
        frame.known = frame.known.or(binds);
        frame.loops.push((again, binds));
        Ok(())
    }

    /// A fact that has no number by position.
    pub(super) fn other(
        &mut self,
        frame: &mut Frame,
        functor: Symbol,
        args: &[Pat],
        negated: bool,
        used: Vars,
        (first, last): (Label, Label),
    ) -> Done {
        let holds = self.label();
        let absent = if negated { holds } else { first };
        let columns = self.columns(frame, args, used, absent)?;
        let mut known = vec![None; args.len()];
        columns.keys.iter().for_each(|&(at, source)| known[at as usize] = Some(source));
        let group = self.code.groups.len() as u32;
        let group = *self.code.groups.entry((functor, args.len())).or_insert(group);
        let outs = Self::span(&mut self.code.pairs, columns.outs.iter().copied());
        let (other, at) = (self.code.others.len() as u32, self.temps(frame, 2)?);
        self.code.others.push(Other { group, known, outs, negated });
        self.op(Op::Others { other, at, fail: first });
        let again = self.label();
        self.put(again);
        self.op(Op::OthersNext { other, at, fail: last });
        if !negated {
            let loops = !columns.outs.is_empty();
            let binds = self.settle(frame, columns, again)?;
            if loops {
                frame.loops.push((again, binds));
            }
        }
        self.put(holds);
        Ok(())
    }

    pub(super) fn does(
        &mut self,
        frame: &mut Frame,
        role: &Pat,
        mv: &Pat,
        used: Vars,
        (first, last): (Label, Label),
    ) -> Done {
        let mut does = Does { role: None, role_to: None, form: None, term_to: None, outs: Span::default() };
        let mut columns = Columns::default();
        let mut again = None;
        if pat_vars(role).is_subset(frame.known) {
            does.role = Some(self.value(frame, role, Some(first))?);
        } else {
            let to = self.temp(frame)?;
            does.role_to = Some(to);
            columns.after.push(After::Match(to, role.clone()));
            again = Some(self.label());
        }
        let args: Vec<Pat> = match mv {
            Pat::Var(var) if !frame.known.contains(*var) && !used.or(pat_vars(role)).contains(*var) => Vec::new(),
            Pat::Var(_) => {
                let to = self.temp(frame)?;
                does.term_to = Some(to);
                columns.after.push(After::Match(to, mv.clone()));
                Vec::new()
            }
            Pat::Ground(id) => {
                let bank = self.planner.world.prover.shared_bank();
                does.form = Some((bank.functor(*id), bank.args(*id).len() as u8));
                bank.args(*id).iter().map(|&arg| Pat::Ground(arg)).collect()
            }
            Pat::Call(functor, args) => {
                does.form = Some((*functor, args.len() as u8));
                args.to_vec()
            }
        };
        let used = used.or(repeated_vars(&args)).or(pat_vars(role));
        for (at, arg) in args.iter().enumerate() {
            match arg {
                Pat::Var(var) if !used.contains(*var) && !frame.known.contains(*var) => {}
                _ => {
                    let temp = self.temp(frame)?;
                    columns.outs.push((at as u8, temp));
                    columns.after.push(After::Match(temp, arg.clone()));
                }
            }
        }
        does.outs = Self::span(&mut self.code.pairs, columns.outs.iter().copied());
        let reads = pat_vars(role).or(pat_vars(mv)).and(frame.known);
        let at = self.temp(frame)?;
        let number = self.code.does.len() as u32;
        self.code.does.push(does);
        self.op(Op::Does { does: number, at, fail: first });
        if let Some(again) = again {
            self.put(again);
        }
        self.op(Op::DoesNext { does: number, at, fail: last });
        let binds = self.settle(frame, columns, again.unwrap_or(first))?;
        match again {
            Some(again) => frame.loops.push((again, binds)),
            None => frame.follow(reads, binds),
        }
        Ok(())
    }

    pub(super) fn listed(
        &mut self,
        frame: &mut Frame,
        rel: Rel,
        args: &[Pat],
        negated: bool,
        used: Vars,
        (first, last): (Label, Label),
    ) -> Done {
        let holds = self.label();
        let absent = if negated { holds } else { first };
        let columns = self.columns(frame, args, used, absent)?;
        let key_columns: Vec<u8> = columns.keys.iter().map(|(at, _)| *at).collect();
        let sources: Vec<Source> = columns.keys.iter().map(|(_, source)| *source).collect();
        if columns.outs.is_empty() {
            let table = self.bits(rel, &key_columns);
            let Some(look) = self.table_look(rel, &key_columns, &sources, MOST_BITS) else {
                return self.never(negated, first, Some(holds));
            };
            self.last_look().table = table;
            self.op(if negated { Op::Lacks { look, fail: first } } else { Op::Holds { look, fail: first } });
            self.put(holds);
            return Ok(());
        }
        let out_columns: Vec<u8> = columns.outs.iter().map(|(at, _)| *at).collect();
        let table = self.rows(rel, &key_columns, &out_columns);
        let Some(look) = self.table_look(rel, &key_columns, &sources, MOST_STARTS) else {
            return self.never(negated, first, Some(holds));
        };
        let outs = (0..).zip(&columns.outs).map(|(at, (_, reg))| (at, *reg));
        let outs = Self::span(&mut self.code.pairs, outs);
        let made = self.last_look();
        (made.table, made.outs) = (table, outs);
        if self.code.rows[table as usize].starts.windows(2).all(|pair| pair[1] - pair[0] <= 1) {
            let reads = vars_of(args).and(frame.known);
            self.op(Op::Row { look, fail: first });
            let binds = self.settle(frame, columns, first)?;
            frame.follow(reads, binds);
            return Ok(());
        }
        let at = self.temps(frame, 2)?;
        self.op(Op::Rows { look, at, fail: first });
        let again = self.label();
        self.put(again);
        self.op(Op::RowsNext { look, at, fail: last });
        let binds = self.settle(frame, columns, again)?;
        frame.loops.push((again, binds));
        Ok(())
    }

    /// A look into a table of a listed relation.
    pub(super) fn table_look(&mut self, rel: Rel, columns: &[u8], sources: &[Source], most: u32) -> Option<u32> {
        let listed = self.planner.world.listed(rel)?;
        let domains: Vec<Domain> = columns.iter().map(|&at| listed.columns[at as usize]).collect();
        if let Some((digits, _)) = digits(&domains, &self.planner.world.domains, most) {
            let keys: Vec<_> = sources.iter().copied().zip(digits).collect();
            return self.look_at(&keys, 0);
        }
        let parts = Self::span(&mut self.code.sources, sources.iter().copied());
        self.code.looks.push(Look { parts, hashed: true, ..Look::default() });
        Some(self.code.looks.len() as u32 - 1)
    }

    pub(super) fn call(
        &mut self,
        frame: &mut Frame,
        rel: Rel,
        args: &[Pat],
        negated: bool,
        used: Vars,
        (first, last): (Label, Label),
    ) -> Done {
        let modes = modes(args, frame.known, if negated { Vars::default() } else { used });
        let routine = self.planner.routine(rel, &modes);
        let (mut given, mut asked) = (Vec::new(), Vec::new());
        for_each_leaf(args, &modes, &mut |pat, mode| match mode {
            Mode::Bound => given.push(pat.clone()),
            Mode::Free => asked.push(pat.clone()),
            Mode::Any | Mode::Call(..) => {}
        });
        let mut sources = Vec::new();
        for pat in &given {
            sources.push(self.value(frame, pat, None)?);
        }
        let mut columns = Columns::default();
        for (at, pat) in asked.iter().enumerate() {
            self.column(frame, at as u8, pat, used.or(repeated_vars(args)), &mut columns)?;
        }
        let args = Self::span(&mut self.code.sources, sources);
        let outs = Self::span(&mut self.code.pairs, columns.outs.iter().copied());
        let call = self.code.calls.len() as u32;
        self.code.calls.push(Call { routine, args, outs, frame: 0 });
        let inside = frame.component.is_some() && frame.component == Some(self.shapes.component[routine as usize]);
        if inside && !negated {
            let then = self.label();
            let ask = self.code.asks.len() as u32;
            self.code.asks.push(Ask { call, then });
            self.op(Op::Ask { ask, fail: last });
            // What follows is done for each answer by itself: there is nothing to go back to.
            frame.outer = self.label();
            let end = frame.outer;
            frame.loops.clear();
            self.put(end);
            self.op(Op::Failed);
            self.put(then);
            self.settle(frame, columns, end)?;
        } else if modes.iter().all(has_no_free) {
            self.op(if negated { Op::NotTest { call, fail: first } } else { Op::Test { call, fail: first } });
        } else {
            let at = self.temps(frame, 2)?;
            self.op(Op::Gather { call, at, fail: first });
            let again = self.label();
            self.put(again);
            self.op(Op::GatherNext { call, at, fail: last });
            let binds = self.settle(frame, columns, again)?;
            frame.loops.push((again, binds));
        }
        Ok(())
    }
}
