//! Tables that routines look things up in: indexes over facts, listed relations, answers that are kept.

use super::*;

impl Emitter<'_, '_, '_> {
    /// The index over the facts of a shape by these columns.
    pub(super) fn index(&mut self, shape: u32, columns: &[u8]) -> u32 {
        if let Some(&index) = self.indexes.get(&(shape, columns.to_vec())) {
            return index;
        }
        let world = &self.planner.world;
        let of = &world.facts.shapes[shape as usize];
        let domains: Vec<Domain> = columns.iter().map(|&at| of.digits[at as usize].domain).collect();
        let (digits, size) = digits(&domains, &world.domains, u32::MAX).unwrap_or_default();
        let keys: Vec<u32> = (0..of.size)
            .map(|fact| {
                let places = columns.iter().zip(&digits).map(|(&at, digit)| {
                    let from = &of.digits[at as usize];
                    fact / from.stride % from.size * digit.stride
                });
                places.sum()
            })
            .collect();
        if self.code.columns[shape as usize].is_empty() {
            let facts = (0..of.size).flat_map(|fact| (0..of.digits.len()).map(move |at| (fact, at)));
            self.code.columns[shape as usize] =
                facts.map(|(fact, at)| of.arg(of.offset + fact, at, &world.domains)).collect();
        }
        let links = self.code.links;
        let index = FactIndex { shape, heads: self.code.heads, keys, links };
        self.code.heads += size;
        self.code.links += of.size;
        self.code.indexes.push(index);
        let index = self.code.indexes.len() as u32 - 1;
        self.indexes.insert((shape, columns.to_vec()), index);
        index
    }

    /// The rows of a listed relation, reduced to these columns, as a set.
    pub(super) fn bits(&mut self, rel: Rel, columns: &[u8]) -> u32 {
        if let Some(&table) = self.bits.get(&(rel, columns.to_vec())) {
            return table;
        }
        let mut bits = Bits::default();
        if let Some(listed) = self.planner.world.listed(rel) {
            let domains: Vec<Domain> = columns.iter().map(|&at| listed.columns[at as usize]).collect();
            let sorted = self.project(&listed.rows, listed.arity, columns);
            let width = columns.len();
            match digits(&domains, &self.planner.world.domains, MOST_BITS) {
                Some((digits, size)) => {
                    bits.words = vec![0; size as usize / 64 + 1];
                    for address in self.addresses(&sorted, width, &digits, listed.count() > 0) {
                        bits.words[address as usize / 64] |= 1 << (address % 64);
                    }
                }
                None => bits.keys = Some(Keys::new(sorted, width)),
            }
        }
        self.code.bits.push(bits);
        let table = self.code.bits.len() as u32 - 1;
        self.bits.insert((rel, columns.to_vec()), table);
        table
    }

    /// The addresses of rows, one after the other.
    pub(super) fn addresses(&self, rows: &[Id], width: usize, digits: &[Digit], any: bool) -> Vec<u32> {
        if width == 0 {
            return if any { vec![0] } else { Vec::new() };
        }
        let ranks: Vec<HashMap<Id, u32>> = digits
            .iter()
            .map(|digit| self.planner.world.domains.terms(digit.domain).iter().copied().zip(0..).collect())
            .collect();
        let place = |row: &[Id]| -> u32 {
            row.iter().zip(&ranks).zip(digits).map(|((id, ranks), digit)| ranks[id] * digit.stride).sum()
        };
        rows.chunks(width).map(place).collect()
    }

    /// The rows reduced to some columns, sorted by place in the domains' order of numbers, each once.
    pub(super) fn project(&self, rows: &[Id], arity: usize, columns: &[u8]) -> Vec<Id> {
        if columns.is_empty() {
            return Vec::new();
        }
        let mut kept: Vec<Vec<Id>> =
            rows.chunks(arity).map(|row| columns.iter().map(|&at| row[at as usize]).collect()).collect();
        kept.sort_unstable();
        kept.dedup();
        kept.concat()
    }

    /// The rows of a listed relation by some columns, giving others.
    pub(super) fn rows(&mut self, rel: Rel, keys: &[u8], outs: &[u8]) -> u32 {
        let name = (rel, keys.to_vec(), outs.to_vec());
        if let Some(&table) = self.rows.get(&name) {
            return table;
        }
        let mut rows = Rows { width: outs.len() as u32, ..Rows::default() };
        if let Some(listed) = self.planner.world.listed(rel) {
            let all: Vec<u8> = keys.iter().chain(outs).copied().collect();
            let sorted = self.project(&listed.rows, listed.arity, &all);
            let domains: Vec<Domain> = keys.iter().map(|&at| listed.columns[at as usize]).collect();
            let key_rows: Vec<Id> = sorted.chunks(all.len()).flat_map(|row| row[..keys.len()].to_vec()).collect();
            let (addresses, size) = match digits(&domains, &self.planner.world.domains, MOST_STARTS) {
                Some((digits, size)) if !keys.is_empty() => {
                    (self.addresses(&key_rows, keys.len(), &digits, true), size)
                }
                Some(_) => (vec![0; sorted.len() / all.len()], 1),
                None => {
                    let mut distinct: Vec<Vec<Id>> = key_rows.chunks(keys.len()).map(<[Id]>::to_vec).collect();
                    distinct.dedup();
                    let size = distinct.len() as u32;
                    let found = Keys::new(distinct.concat(), keys.len());
                    let addresses = key_rows.chunks(keys.len()).map(|key| found.find(key).unwrap_or(0)).collect();
                    rows.keys = Some(found);
                    (addresses, size)
                }
            };
            let mut order: Vec<usize> = (0..addresses.len()).collect();
            order.sort_by_key(|&row| addresses[row]);
            rows.starts = vec![0; size as usize + 1];
            addresses.iter().for_each(|&address| rows.starts[address as usize + 1] += 1);
            (1..rows.starts.len()).for_each(|at| rows.starts[at] += rows.starts[at - 1]);
            for row in order {
                rows.values.extend_from_slice(&sorted[row * all.len() + keys.len()..(row + 1) * all.len()]);
            }
        }
        self.code.rows.push(rows);
        let table = self.code.rows.len() as u32 - 1;
        self.rows.insert(name, table);
        table
    }

    /// Decides how the answers of a routine are kept.
    pub(in super::super) fn memo(&mut self, number: u32) -> Memo {
        let routine = &self.planner.routines[number as usize];
        let (rel, modes, tests) = (routine.rel, routine.modes.clone(), routine.outputs == 0);
        let mut places = Vec::new();
        let found = (0..).zip(&modes).all(|(at, mode)| {
            let place = self.planner.world.types.arg(rel, at);
            self.places(place, mode, &mut places)
        });
        let domains: Option<Vec<Domain>> = found.then_some(places).and_then(|places| {
            let world = &mut *self.planner.world;
            let mut bank = world.prover.shared_bank();
            places.iter().map(|&place| world.domains.of_place(place, &world.types, &mut bank)).collect()
        });
        let most = if tests { MOST_MARKS } else { MOST_SPANS };
        let digits = domains.and_then(|domains| digits(&domains, &self.planner.world.domains, most));
        let Some((digits, size)) = digits else { return Memo::Hashed };
        let base = if tests { self.code.marks } else { self.code.spans };
        let keys: Vec<_> = (0..).map(Source::Reg).zip(digits).collect();
        let Some(look) = self.look_at(&keys, base) else { return Memo::Hashed };
        if tests {
            self.code.marks += size;
        } else {
            self.code.spans += size;
        }
        Memo::Direct { look }
    }

    /// The places of a pattern's given values; whether all are known.
    pub(super) fn places(&self, place: u32, mode: &Mode, out: &mut Vec<u32>) -> bool {
        match mode {
            Mode::Bound => {
                out.push(place);
                true
            }
            Mode::Free | Mode::Any => true,
            Mode::Call(functor, modes) => match self.planner.world.types.inside(place, *functor, modes.len()) {
                Some(inside) => inside.to_vec().iter().zip(modes).all(|(&place, mode)| self.places(place, mode, out)),
                None => false,
            },
        }
    }

    pub(in super::super) fn reach(&self, number: u32) -> Reach {
        self.planner.world.relations[self.planner.routines[number as usize].rel as usize].reach
    }
}
