//! Which routines lead back to themselves, and which of these can simply be called.
//!
//! A recursive routine can be called like any other if what it is asked for comes nearer to an end with every step: if
//! the given values move along a listed relation that has no circle (`next_file`, `succ` …). Otherwise it is *tabled*:
//! questions that lead to each other are answered together.

use super::clause::Cond;
use super::plan::{Planner, bound_leaves, modes, used_after};
use super::vars::Vars;
use crate::bank::Id;
use crate::budget::Stop;
use crate::graph::components;
use crate::program::{Pat, Rel};
use std::collections::{BTreeMap, BTreeSet, HashMap};

pub(super) struct Shapes {
    /// For each routine whether it is tabled.
    pub tabled: Vec<bool>,
    /// Routines that lead to each other have the same number.
    pub component: Vec<u32>,
    /// Whether a routine leads back to itself.
    pub recursive: Vec<bool>,
}

/// A call inside a clause.
struct Site {
    from: u32,
    to: u32,
    /// The inputs of the clause.
    have: Vec<Pat>,
    /// What the call is given.
    given: Vec<Pat>,
    /// The listed relations that hold before the call.
    tables: Vec<(Rel, Vec<Pat>)>,
}

/// How a value given in a call relates to a value that the clause was given.
enum Step {
    Equal,
    /// It is one of these pairs.
    Along(BTreeSet<(Id, Id)>),
}

/// Up to this many ways of choosing one argument of each routine are tried.
const MOST_CHOICES: usize = 4096;
/// Relations with more rows are not looked at.
const MOST_ROWS: usize = 20_000;

pub(super) fn shapes(planner: &mut Planner<'_, '_>) -> Result<Shapes, Stop> {
    let count = planner.routines.len();
    let mut sites = Vec::new();
    for from in 0..count {
        planner.check()?;
        let clauses = planner.routines[from].clauses.clone();
        for clause in &clauses {
            let mut walk =
                Walk { planner, from: from as u32, have: &clause.inputs, tables: Vec::new(), sites: &mut sites };
            let (known, wanted) = (super::clause::vars_of(&clause.inputs), super::clause::vars_of(&clause.outputs));
            walk.body(&clause.body, known, wanted);
        }
    }
    let mut graph = vec![Vec::new(); count];
    sites.iter().for_each(|site| graph[site.from as usize].push(site.to));
    let found = components(&graph);
    let mut by_component: BTreeMap<u32, Vec<Site>> = BTreeMap::new();
    for site in sites {
        let component = found.of[site.from as usize];
        if component == found.of[site.to as usize] {
            by_component.entry(component).or_default().push(site);
        }
    }
    let endless: BTreeSet<u32> =
        by_component.iter().filter(|(_, sites)| !ends(planner, sites)).map(|(component, _)| *component).collect();
    planner.check()?;
    Ok(Shapes {
        tabled: found.of.iter().map(|component| endless.contains(component)).collect(),
        recursive: found.of.iter().map(|component| found.cyclic[*component as usize]).collect(),
        component: found.of,
    })
}

struct Walk<'p, 'w, 'a> {
    planner: &'p mut Planner<'w, 'a>,
    from: u32,
    have: &'p [Pat],
    tables: Vec<(Rel, Vec<Pat>)>,
    sites: &'p mut Vec<Site>,
}

impl Walk<'_, '_, '_> {
    fn body(&mut self, body: &[Cond], known: Vars, wanted: Vars) {
        let (mut known, tables) = (known, self.tables.len());
        for (at, cond) in body.iter().enumerate() {
            let used = used_after(body, at, wanted);
            match cond {
                Cond::Rel { rel, args, negated } => match self.planner.world.listed(*rel) {
                    Some(listed) => {
                        if !negated && listed.count() <= MOST_ROWS {
                            self.tables.push((*rel, args.clone()));
                        }
                    }
                    None => {
                        let modes = modes(args, known, if *negated { Vars::default() } else { used });
                        let to = self.planner.routine(*rel, &modes);
                        self.sites.push(Site {
                            from: self.from,
                            to,
                            have: self.have.to_vec(),
                            given: bound_leaves(args, &modes),
                            tables: self.tables.clone(),
                        });
                    }
                },
                Cond::Any { branches, negated } => {
                    let wanted = if *negated { Vars::default() } else { cond.binds().without(known).and(used) };
                    branches.iter().for_each(|branch| self.body(branch, known, wanted));
                }
                Cond::Fact { .. } | Cond::Does { .. } | Cond::Distinct { .. } => {}
            }
            known = known.or(cond.binds());
        }
        self.tables.truncate(tables);
    }
}

/// Whether calls that lead to each other must come to an end.
fn ends(planner: &mut Planner<'_, '_>, sites: &[Site]) -> bool {
    along_one_argument(planner, sites) || along_several_arguments(planner, sites)
}

/// One argument of each routine moves along relations that together have no circle.
fn along_one_argument(planner: &mut Planner<'_, '_>, sites: &[Site]) -> bool {
    let routines: Vec<u32> = sites.iter().map(|site| site.from).collect::<BTreeSet<u32>>().into_iter().collect();
    let counts: Vec<usize> = routines.iter().map(|&routine| planner.routines[routine as usize].inputs).collect();
    let choices = counts.iter().try_fold(1usize, |n, &count| n.checked_mul(count).filter(|&n| n <= MOST_CHOICES));
    let place: HashMap<u32, usize> = routines.iter().copied().zip(0..).collect();
    for mut choice in 0..choices.unwrap_or(0) {
        let chosen: Vec<usize> = counts
            .iter()
            .map(|&count| {
                let at = choice % count;
                choice /= count;
                at
            })
            .collect();
        let (mut along, mut equal) = (BTreeSet::new(), vec![Vec::new(); routines.len()]);
        let fits = sites.iter().all(|site| {
            let (from, to) = (place[&site.from], place[&site.to]);
            if !planner.spend(1) {
                return false;
            }
            match step(planner, site, &[chosen[from]], &[chosen[to]]) {
                Some(Step::Equal) => equal[from].push(to as u32),
                Some(Step::Along(pairs)) => {
                    planner.spend(pairs.len() as u64);
                    along.extend(pairs.into_iter().map(|(a, b)| (vec![a], vec![b])));
                }
                None => return false,
            }
            true
        });
        if fits && !components(&equal).cyclic.contains(&true) && has_no_circle(&along) {
            return true;
        }
    }
    false
}

type Tuples = BTreeSet<(Vec<Id>, Vec<Id>)>;

/// Several arguments of a single routine move together along one relation without a circle.
fn along_several_arguments(planner: &mut Planner<'_, '_>, sites: &[Site]) -> bool {
    if sites.iter().any(|site| site.from != sites[0].from || site.to != sites[0].from) {
        return false;
    }
    // The arguments that one relation has both before and after, in every call.
    let mut common: Option<BTreeSet<usize>> = None;
    let mut tables = Vec::new();
    for site in sites {
        let covers = |args: &[Pat]| -> BTreeSet<usize> {
            let column = |pat: &Pat| matches!(pat, Pat::Var(_)) && args.iter().any(|arg| same_var(arg, pat));
            (0..site.have.len()).filter(|&at| column(&site.have[at]) && column(&site.given[at])).collect()
        };
        let best = site.tables.iter().map(|(rel, args)| (covers(args), *rel, args)).max_by_key(|(set, ..)| set.len());
        let Some((set, rel, args)) = best else { return false };
        common = Some(common.map_or(set.clone(), |common| common.intersection(&set).copied().collect()));
        tables.push((rel, args));
    }
    let positions: Vec<usize> = common.unwrap_or_default().into_iter().collect();
    if positions.is_empty() {
        return false;
    }
    let mut along = Tuples::new();
    for (site, (rel, args)) in sites.iter().zip(tables) {
        let Some(listed) = planner.world.listed(rel) else { return false };
        let columns = |pats: &[Pat]| -> Option<Vec<usize>> {
            positions.iter().map(|&at| args.iter().position(|arg| same_var(arg, &pats[at]))).collect()
        };
        let (Some(before), Some(after)) = (columns(&site.have), columns(&site.given)) else { return false };
        for row in listed.rows.chunks(listed.arity).filter(|row| fits(row, args)) {
            let tuple = |columns: &[usize]| columns.iter().map(|&at| row[at]).collect::<Vec<Id>>();
            along.insert((tuple(&before), tuple(&after)));
        }
    }
    has_no_circle(&along)
}

fn same_var(a: &Pat, b: &Pat) -> bool {
    matches!((a, b), (Pat::Var(a), Pat::Var(b)) if a == b)
}

/// Whether a row has the constants of a condition.
fn fits(row: &[Id], args: &[Pat]) -> bool {
    row.iter().zip(args).all(|(id, arg)| !matches!(arg, Pat::Ground(ground) if ground != id))
}

fn step(planner: &mut Planner<'_, '_>, site: &Site, from: &[usize], to: &[usize]) -> Option<Step> {
    let (have, given) = (&site.have[from[0]], &site.given[to[0]]);
    match (have, given) {
        (Pat::Ground(a), Pat::Ground(b)) if a == b => return Some(Step::Equal),
        (Pat::Ground(a), Pat::Ground(b)) => return Some(Step::Along(BTreeSet::from([(*a, *b)]))),
        (Pat::Var(a), Pat::Var(b)) if a == b => return Some(Step::Equal),
        (Pat::Var(_), Pat::Var(_)) => {}
        _ => return None,
    }
    for (rel, args) in &site.tables {
        let column = |pat: &Pat| args.iter().position(|arg| same_var(arg, pat));
        let (Some(a), Some(b)) = (column(have), column(given)) else { continue };
        let listed = planner.world.listed(*rel)?;
        let rows = listed.rows.chunks(listed.arity).filter(|row| fits(row, args));
        return Some(Step::Along(rows.map(|row| (row[a], row[b])).collect()));
    }
    None
}

fn has_no_circle(along: &Tuples) -> bool {
    let mut numbers: HashMap<&[Id], u32> = HashMap::new();
    let mut graph: Vec<Vec<u32>> = Vec::new();
    for (a, b) in along {
        let [a, b] = [a, b].map(|tuple| {
            *numbers.entry(tuple).or_insert_with(|| {
                graph.push(Vec::new());
                graph.len() as u32 - 1
            })
        });
        graph[a as usize].push(b);
    }
    !components(&graph).cyclic.contains(&true)
}
