//! The prover at work: a stack of questions, each with the clause and the condition it has come to.

use super::Prover;
use super::view::{Choice, Frame, Rest, View};
use crate::answers::Status;
use crate::bank::{Bank, Id, UNBOUND};
use crate::extension::{END, Walk};
use crate::program::{Code, Op, Pat, Program, Reach, Rel};
use game::{Limit, LimitKind};
use gdl::Symbol;

/// What the machine does next.
enum Mode {
    Forward,
    Backtrack,
    NextClause,
    Done,
}

/// The prover at work on one question.
pub(super) struct Run<'a> {
    pub prover: &'a Prover,
    pub program: &'a Program,
    pub view: &'a mut View,
    pub work: u64,
    pub most: u64,
}

impl<'a> Run<'a> {
    pub fn complete(&mut self, reach: Reach, table: u32) -> Result<(), Limit> {
        let mut mode = self.enter(reach, table)?;
        loop {
            self.work += 1;
            if self.work & 0xfff == 0 {
                self.check()?;
            }
            mode = match mode {
                Mode::Forward => self.forward()?,
                Mode::Backtrack => self.backtrack()?,
                Mode::NextClause => self.next_clause()?,
                Mode::Done => match self.leave() {
                    Some(mode) => mode,
                    None => return Ok(()),
                },
            };
        }
    }

    fn check(&self) -> Result<(), Limit> {
        let limits = &self.prover.limits;
        if self.work > self.most {
            return Err(self.limit(LimitKind::Work));
        }
        let View { bank, answer_words, frames, .. } = &*self.view;
        if bank.bytes() * 2 + answer_words * 4 + frames.len() * size_of::<Frame>() > limits.memory {
            return Err(self.limit(LimitKind::Memory));
        }
        if limits.cancel.is_cancelled() {
            return Err(self.limit(LimitKind::Time));
        }
        Ok(())
    }

    /// The limit, with the relation that was being worked on.
    fn limit(&self, kind: LimitKind) -> Limit {
        let during = match self.view.frames.last() {
            Some(frame) => {
                let table = self.view.stores[frame.reach as usize].table(frame.table);
                let relation = &self.program.relations[table.rel as usize];
                match (relation.name.0 as usize) < self.prover.symbols().len() {
                    true => format!("asking for `{}`", self.prover.symbols().name(relation.name)),
                    false => "asking for what stands under a `not`".to_string(),
                }
            }
            None => "answering a question".to_string(),
        };
        Limit::new(kind, during)
    }

    fn top(&self) -> &Frame {
        &self.view.frames[self.view.frames.len() - 1]
    }

    fn top_mut(&mut self) -> &mut Frame {
        let last = self.view.frames.len() - 1;
        &mut self.view.frames[last]
    }

    fn code(&self) -> &'a Code {
        let frame = self.top();
        let rel = self.view.stores[frame.reach as usize].table(frame.table).rel;
        let code = self.program.relations[rel as usize].codes[frame.clause as usize];
        &self.program.codes[code as usize]
    }

    /// Begins to work on a question.
    fn enter(&mut self, reach: Reach, table: u32) -> Result<Mode, Limit> {
        let view = &mut *self.view;
        let depth = view.frames.len() as u32;
        view.stores[reach as usize].table_mut(table).status = Status::Active(depth);
        view.frames.push(Frame {
            reach,
            table,
            clause: 0,
            pc: 0,
            slots: view.slots.len() as u32,
            trail: view.trail.len() as u32,
            choices: view.choices.len() as u32,
            lowest: depth,
            looped: false,
            changes: view.changes,
            waiting: view.waiting.len() as u32,
        });
        self.facts_into_table();
        self.begin_clause()
    }

    /// The relation's ground facts that fit the question are its first answers.
    fn facts_into_table(&mut self) {
        let Frame { reach, table, .. } = *self.top();
        let view = &mut *self.view;
        let target = view.stores[reach as usize].table_mut(table);
        let rel = target.rel as usize;
        if self.program.relations[rel].facts.is_empty() {
            return;
        }
        view.key.clear();
        view.key.extend_from_slice(target.key());
        let facts = &mut view.facts[rel];
        let mut walk = facts.walk(&view.key, bound_mask(&view.key));
        while walk.row != END {
            let row = facts.row(walk.row);
            if row.iter().zip(&view.key).all(|(value, key)| *key == UNBOUND || value == key) {
                view.row.clear();
                view.row.extend(row.iter().zip(&view.key).filter(|(_, key)| **key == UNBOUND).map(|(value, _)| *value));
                if target.insert(&view.row) {
                    view.answer_words += view.row.len() + 1;
                }
            }
            walk = facts.step(walk);
        }
    }

    fn next_clause(&mut self) -> Result<Mode, Limit> {
        self.top_mut().clause += 1;
        self.begin_clause()
    }

    /// Matches the head of the clause at hand with the question; passes over clauses whose head does not fit.
    fn begin_clause(&mut self) -> Result<Mode, Limit> {
        let Frame { reach, table, slots, trail, .. } = *self.top();
        // What the clause before has bound without a choice is still noted there.
        self.view.trail.truncate(trail as usize);
        let rel = self.view.stores[reach as usize].table(table).rel;
        let codes = &self.program.relations[rel as usize].codes;
        let decided = {
            let table = self.view.stores[reach as usize].table(table);
            table.free == 0 && table.count > 0
        };
        if decided {
            return Ok(Mode::Done);
        }
        loop {
            let Some(&code) = codes.get(self.top().clause as usize) else { return Ok(Mode::Done) };
            let code = &self.program.codes[code as usize];
            let view = &mut *self.view;
            view.slots.truncate(slots as usize);
            view.slots.resize(slots as usize + code.vars as usize, UNBOUND);
            let mut fits = true;
            for (at, pat) in code.head.iter().enumerate() {
                let value = view.stores[reach as usize].table(table).key()[at];
                if value != UNBOUND && !unify(&view.bank, &mut view.slots, None, slots, pat, value) {
                    fits = false;
                    break;
                }
            }
            if fits {
                self.top_mut().pc = code.entry;
                return Ok(Mode::Forward);
            }
            self.top_mut().clause += 1;
        }
    }

    fn backtrack(&mut self) -> Result<Mode, Limit> {
        let Frame { choices, .. } = *self.top();
        if self.view.choices.len() == choices as usize {
            return Ok(Mode::NextClause);
        }
        let Some(choice) = self.view.choices.pop() else { return Ok(Mode::NextClause) };
        self.undo(choice.trail);
        self.top_mut().pc = choice.pc;
        let code = self.code();
        match (&code.ops[choice.pc as usize], choice.rest) {
            (Op::Call { args, rel, next }, Rest::Rows(walk)) => self.rows(Source::Facts(*rel), args, walk, *next),
            (Op::Fact { args, group, next, .. }, Rest::Rows(walk)) => {
                self.rows(Source::Group(*group), args, walk, *next)
            }
            (Op::Call { args, rel, next }, Rest::Answers { table, row }) => {
                let reach = self.program.relations[*rel as usize].reach;
                self.answers(reach, table, args, row, *next)
            }
            (Op::AnyFact { pat, next, .. }, Rest::Number(n)) => self.any_fact(pat, n, *next),
            (Op::Does { role, mv, next, .. }, Rest::Number(n)) => self.does(role, mv, n, *next),
            (Op::Choice { branches }, Rest::Number(n)) => self.branch(branches, n),
            _ => unreachable!("a choice belongs to the step that made it"),
        }
    }

    fn undo(&mut self, mark: u32) {
        let View { trail, slots, .. } = &mut *self.view;
        for slot in trail.drain(mark as usize..) {
            slots[slot as usize] = UNBOUND;
        }
    }

    fn go(&mut self, pc: u32) -> Result<Mode, Limit> {
        self.top_mut().pc = pc;
        Ok(Mode::Forward)
    }

    fn forward(&mut self) -> Result<Mode, Limit> {
        let code = self.code();
        match &code.ops[self.top().pc as usize] {
            Op::Call { rel, args, next } => self.call(*rel, args, *next),
            Op::NotCall { rel, args, next } => self.not_call(*rel, args, *next),
            Op::Fact { group, whole, args, negated, next } => self.fact(*group, whole, args, *negated, *next),
            Op::AnyFact { pat, negated, next } => match self.resolve(pat, false)? {
                Some(id) => self.go_if(self.view.holds(id) != *negated, *next),
                // A term that was never made is no fact of any state.
                None if !matches!(pat, Pat::Var(_)) => self.go_if(*negated, *next),
                None if *negated => self.go_if(self.view.state.is_empty(), *next),
                None => self.any_fact(pat, 0, *next),
            },
            Op::Does { role, mv, negated: false, next } => self.does(role, mv, 0, *next),
            Op::Does { role, mv, negated: true, next } => {
                let made = (0..self.view.joint.len() as u32).any(|n| self.does_match(role, mv, n, true));
                self.go_if(!made, *next)
            }
            Op::Distinct { a, b, negated, next } => {
                let (a, b) = (self.resolve(a, true)?, self.resolve(b, true)?);
                let same = match (a, b) {
                    (Some(a), Some(b)) => a == b,
                    // Something unbound could be the same.
                    _ => true,
                };
                self.go_if(same == *negated, *next)
            }
            Op::Choice { branches } => self.branch(branches, 0),
            Op::Yield => self.found(code),
        }
    }

    fn go_if(&mut self, holds: bool, next: u32) -> Result<Mode, Limit> {
        if holds { self.go(next) } else { Ok(Mode::Backtrack) }
    }

    /// The head holds: one more answer.
    fn found(&mut self, code: &Code) -> Result<Mode, Limit> {
        let Frame { reach, table, .. } = *self.top();
        let mut row = std::mem::take(&mut self.view.row);
        row.clear();
        for (at, pat) in code.head.iter().enumerate() {
            if self.view.stores[reach as usize].table(table).key()[at] != UNBOUND {
                continue;
            }
            match self.resolve(pat, true)? {
                Some(id) => row.push(id),
                None => return Err(self.limit(LimitKind::Unbound)),
            }
        }
        let target = self.view.stores[reach as usize].table_mut(table);
        if target.insert(&row) {
            self.view.answer_words += row.len() + 1;
            self.view.changes += 1;
        }
        let decided = row.is_empty();
        self.view.row = row;
        Ok(if decided { Mode::Done } else { Mode::Backtrack })
    }

    /// Looks up (or makes) the question that a call asks. Arguments that are not fully known are asked for.
    fn question(&mut self, rel: Rel, args: &[Pat]) -> Result<(Reach, u32), Limit> {
        self.fill_key(args)?;
        let reach = self.program.relations[rel as usize].reach;
        let View { stores, key, .. } = &mut *self.view;
        Ok((reach, stores[reach as usize].find(rel, key)))
    }

    fn fill_key(&mut self, args: &[Pat]) -> Result<(), Limit> {
        self.view.key.clear();
        for arg in args {
            let id = self.resolve(arg, true)?.unwrap_or(UNBOUND);
            self.view.key.push(id);
        }
        Ok(())
    }

    /// Whether the table can be read; if it rests on an open question, so does the frame at hand from now on.
    fn readable(&mut self, reach: Reach, table: u32) -> bool {
        let status = self.view.stores[reach as usize].table(table).status;
        match status {
            Status::Complete => true,
            Status::Active(depth) | Status::Tentative(depth) => {
                if status == Status::Active(depth) {
                    self.view.frames[depth as usize].looped = true;
                }
                let frame = self.top_mut();
                frame.lowest = frame.lowest.min(depth);
                true
            }
            Status::Open => false,
        }
    }

    fn call(&mut self, rel: Rel, args: &[Pat], next: u32) -> Result<Mode, Limit> {
        let relation = &self.program.relations[rel as usize];
        if relation.codes.is_empty() {
            if relation.facts.is_empty() {
                return Ok(Mode::Backtrack);
            }
            self.fill_key(args)?;
            let View { facts, key, .. } = &mut *self.view;
            let walk = facts[rel as usize].walk(key, bound_mask(key));
            return self.rows(Source::Facts(rel), args, walk, next);
        }
        let (reach, table) = self.question(rel, args)?;
        if !self.readable(reach, table) {
            return self.enter(reach, table);
        }
        self.answers(reach, table, args, 0, next)
    }

    fn not_call(&mut self, rel: Rel, args: &[Pat], next: u32) -> Result<Mode, Limit> {
        let (reach, table) = self.question(rel, args)?;
        match self.view.stores[reach as usize].table(table).status {
            Status::Open => return self.enter(reach, table),
            Status::Complete => {}
            // Only rules that deny what they rest on come here: for stratified ones the question is always answered.
            Status::Active(_) | Status::Tentative(_) => return Err(self.limit(LimitKind::Circular)),
        }
        let found = match self.view.stores[reach as usize].table(table).free {
            0 => self.view.stores[reach as usize].table(table).count > 0,
            _ => {
                let mark = self.view.trail.len() as u32;
                let mut found = false;
                for row in 0..self.view.stores[reach as usize].table(table).count {
                    found = self.unify_answer(reach, table, args, row);
                    self.undo(mark);
                    if found {
                        break;
                    }
                }
                found
            }
        };
        self.go_if(!found, next)
    }

    /// Goes through the answers of a table from `row` on.
    fn answers(&mut self, reach: Reach, table: u32, args: &[Pat], row: u32, next: u32) -> Result<Mode, Limit> {
        let mark = self.view.trail.len() as u32;
        let mut row = row;
        loop {
            let target = self.view.stores[reach as usize].table(table);
            if row >= target.count {
                return Ok(Mode::Backtrack);
            }
            let last = row + 1 == target.count && target.status == Status::Complete;
            if target.free == 0 {
                return self.go(next);
            }
            if self.unify_answer(reach, table, args, row) {
                if !last {
                    let rest = Rest::Answers { table, row: row + 1 };
                    let pc = self.top().pc;
                    self.view.choices.push(Choice { pc, trail: mark, rest });
                }
                return self.go(next);
            }
            self.undo(mark);
            row += 1;
            self.work += 1;
        }
    }

    fn unify_answer(&mut self, reach: Reach, table: u32, args: &[Pat], row: u32) -> bool {
        let base = self.top().slots;
        let View { stores, bank, slots, trail, .. } = &mut *self.view;
        let table = stores[reach as usize].table(table);
        let values = table.row(row);
        let mut at = 0;
        args.iter().zip(table.key()).all(|(arg, &key)| {
            if key != UNBOUND {
                return true;
            }
            at += 1;
            unify(bank, slots, Some(trail), base, arg, values[at - 1])
        })
    }

    /// Goes through rows of facts.
    fn rows(&mut self, source: Source, args: &[Pat], walk: Walk, next: u32) -> Result<Mode, Limit> {
        let mark = self.view.trail.len() as u32;
        let mut walk = walk;
        while walk.row != END {
            let base = self.top().slots;
            let View { facts, groups, bank, slots, trail, .. } = &mut *self.view;
            let extension = match source {
                Source::Facts(rel) => &facts[rel as usize],
                Source::Group(group) => &groups[group as usize],
            };
            let row = extension.row(walk.row);
            let fits = args.iter().zip(row).all(|(arg, &value)| unify(bank, slots, Some(trail), base, arg, value));
            let rest = extension.step(walk);
            if fits {
                // Nothing was bound: another row could only say the same again.
                if rest.row != END && self.view.trail.len() as u32 > mark {
                    let pc = self.top().pc;
                    self.view.choices.push(Choice { pc, trail: mark, rest: Rest::Rows(rest) });
                }
                return self.go(next);
            }
            self.undo(mark);
            walk = rest;
            self.work += 1;
        }
        Ok(Mode::Backtrack)
    }

    fn fact(&mut self, group: u32, whole: &Pat, args: &[Pat], negated: bool, next: u32) -> Result<Mode, Limit> {
        self.view.key.clear();
        let mut known = true;
        for arg in args {
            match self.resolve(arg, false)? {
                Some(id) => self.view.key.push(id),
                None => {
                    self.view.key.push(UNBOUND);
                    known = false;
                }
            }
        }
        if known {
            let Pat::Call(functor, _) = whole else {
                let Pat::Ground(id) = *whole else { return Ok(Mode::Backtrack) };
                return self.go_if(self.view.holds(id) != negated, next);
            };
            let id = self.view.bank.find(*functor, &self.view.key);
            return self.go_if(id.is_some_and(|id| self.view.holds(id)) != negated, next);
        }
        let View { groups, key, .. } = &mut *self.view;
        let walk = groups[group as usize].walk(key, bound_mask(key));
        if !negated {
            return self.rows(Source::Group(group), args, walk, next);
        }
        let (mark, choices) = (self.view.trail.len() as u32, self.view.choices.len());
        let found = matches!(self.rows(Source::Group(group), args, walk, next)?, Mode::Forward);
        self.view.choices.truncate(choices);
        self.undo(mark);
        self.go_if(!found, next)
    }

    fn any_fact(&mut self, pat: &Pat, number: u32, next: u32) -> Result<Mode, Limit> {
        let mark = self.view.trail.len() as u32;
        let Some(&id) = self.view.state.get(number as usize) else { return Ok(Mode::Backtrack) };
        let Frame { slots: base, pc, .. } = *self.top();
        let View { bank, slots, trail, choices, .. } = &mut *self.view;
        choices.push(Choice { pc, trail: mark, rest: Rest::Number(number + 1) });
        let fits = unify(bank, slots, Some(trail), base, pat, id);
        self.go_if(fits, next)
    }

    fn does(&mut self, role: &Pat, mv: &Pat, number: u32, next: u32) -> Result<Mode, Limit> {
        let mark = self.view.trail.len() as u32;
        for number in number..self.view.joint.len() as u32 {
            if self.does_match(role, mv, number, false) {
                let pc = self.top().pc;
                self.view.choices.push(Choice { pc, trail: mark, rest: Rest::Number(number + 1) });
                return self.go(next);
            }
        }
        Ok(Mode::Backtrack)
    }

    /// Whether a role makes such a move; the bindings stay only if it does and it is not just a test.
    fn does_match(&mut self, role: &Pat, mv: &Pat, number: u32, test: bool) -> bool {
        let mark = self.view.trail.len() as u32;
        let base = self.top().slots;
        let View { bank, slots, trail, joint, .. } = &mut *self.view;
        let fits = unify(bank, slots, Some(trail), base, role, self.prover.lexicon.roles[number as usize])
            && unify(bank, slots, Some(trail), base, mv, joint[number as usize]);
        if test || !fits {
            self.undo(mark);
        }
        fits
    }

    fn branch(&mut self, branches: &[u32], number: u32) -> Result<Mode, Limit> {
        let Some(&to) = branches.get(number as usize) else { return Ok(Mode::Backtrack) };
        if number as usize + 1 < branches.len() {
            let choice =
                Choice { pc: self.top().pc, trail: self.view.trail.len() as u32, rest: Rest::Number(number + 1) };
            self.view.choices.push(choice);
        }
        self.go(to)
    }

    /// The ground term that a pattern stands for now, if all its variables are bound. With `make` it is added to the
    /// bank if it is new; otherwise a term that is new is `None` too.
    fn resolve(&mut self, pat: &Pat, make: bool) -> Result<Option<Id>, Limit> {
        match pat {
            Pat::Ground(id) => Ok(Some(*id)),
            Pat::Var(var) => {
                let id = self.view.slots[self.top().slots as usize + *var as usize];
                Ok((id != UNBOUND).then_some(id))
            }
            Pat::Call(functor, args) => {
                let (mut few, mut many) = ([UNBOUND; 8], Vec::new());
                let ids = match few.get_mut(..args.len()) {
                    Some(ids) => ids,
                    None => {
                        many.resize(args.len(), UNBOUND);
                        &mut many[..]
                    }
                };
                for (id, arg) in ids.iter_mut().zip(args) {
                    match self.resolve(arg, make)? {
                        Some(known) => *id = known,
                        None => return Ok(None),
                    }
                }
                if let Some(id) = self.view.bank.find(*functor, ids) {
                    return Ok(Some(id));
                }
                if !make {
                    return Ok(None);
                }
                let id = self.prover.make(self.view, *functor, ids);
                id.map(Some).ok_or_else(|| self.limit(LimitKind::Depth))
            }
        }
    }

    /// All clauses of the question at hand were tried (or it needs no more). `None` if it was the outermost.
    fn leave(&mut self) -> Option<Mode> {
        let frame = *self.top();
        let depth = self.view.frames.len() as u32 - 1;
        let view = &mut *self.view;
        view.choices.truncate(frame.choices as usize);
        view.slots.truncate(frame.slots as usize);
        view.trail.truncate(frame.trail as usize);
        let table = view.stores[frame.reach as usize].table(frame.table);
        let decided = table.free == 0 && table.count > 0;
        let recursive = self.program.relations[table.rel as usize].recursive;
        if decided || !recursive {
            view.stores[frame.reach as usize].table_mut(frame.table).status = Status::Complete;
            // What waits may rest on the answers this question had before it was decided: it is asked anew when needed.
            self.reopen(frame.waiting);
        } else if frame.lowest < depth {
            view.waiting.push((frame.reach, frame.table));
            // What rested on this question now rests on what it rests on itself.
            for &(reach, table) in &view.waiting[frame.waiting as usize..] {
                view.stores[reach as usize].table_mut(table).status = Status::Tentative(frame.lowest);
            }
        } else if frame.looped && view.changes != frame.changes {
            return Some(self.again(frame));
        } else {
            view.stores[frame.reach as usize].table_mut(frame.table).status = Status::Complete;
            for (reach, table) in view.waiting.drain(frame.waiting as usize..) {
                view.stores[reach as usize].table_mut(table).status = Status::Complete;
            }
        }
        self.view.frames.pop();
        let parent = self.view.frames.last_mut()?;
        if frame.lowest < depth && !decided {
            parent.lowest = parent.lowest.min(frame.lowest);
        }
        Some(Mode::Forward)
    }

    /// Another pass over the clauses, because new answers turned up.
    fn again(&mut self, frame: Frame) -> Mode {
        self.reopen(frame.waiting);
        let changes = self.view.changes;
        let top = self.top_mut();
        top.clause = 0;
        top.changes = changes;
        // The head of the first clause is matched anew: as if the clause before it had just ended.
        match self.begin_clause() {
            Ok(mode) => mode,
            Err(_) => Mode::Done,
        }
    }

    fn reopen(&mut self, from: u32) {
        let View { waiting, stores, .. } = &mut *self.view;
        for (reach, table) in waiting.drain(from as usize..) {
            stores[reach as usize].table_mut(table).status = Status::Open;
        }
    }
}

/// Where rows come from.
#[derive(Clone, Copy)]
enum Source {
    Facts(Rel),
    Group(u32),
}

/// A bit for each argument that is given.
#[inline]
fn bound_mask(key: &[Id]) -> u64 {
    key.iter().enumerate().fold(0, |mask, (at, &id)| mask | (u64::from(id != UNBOUND) << at))
}

/// Makes the pattern equal to the term by binding variables; says whether that is possible. Bindings are noted on the
/// trail where there is one.
#[inline]
pub(crate) fn unify(bank: &Bank, slots: &mut [Id], trail: Option<&mut Vec<u32>>, base: u32, pat: &Pat, id: Id) -> bool {
    match pat {
        Pat::Ground(ground) => *ground == id,
        Pat::Var(var) => {
            let at = base + u32::from(*var);
            let slot = &mut slots[at as usize];
            if *slot == UNBOUND {
                *slot = id;
                if let Some(trail) = trail {
                    trail.push(at);
                }
                return true;
            }
            *slot == id
        }
        Pat::Call(functor, args) => unify_call(bank, slots, trail, base, (*functor, args), id),
    }
}

fn unify_call(
    bank: &Bank,
    slots: &mut [Id],
    mut trail: Option<&mut Vec<u32>>,
    base: u32,
    (functor, args): (Symbol, &[Pat]),
    id: Id,
) -> bool {
    let values = bank.args(id);
    bank.functor(id) == functor
        && values.len() == args.len()
        && args.iter().zip(values).all(|(arg, &value)| unify(bank, slots, trail.as_deref_mut(), base, arg, value))
}
