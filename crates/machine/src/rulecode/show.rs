//! Plans as text, for people who want to see what their rules became.

use super::clause::Cond;
use super::plan::{Mode, Routine};
use super::recursion::Shapes;
use super::world::World;
use crate::bank::Bank;
use crate::program::Pat;
use gdl::Symbols;
use std::fmt::Write;

/// All routines with their clauses, conditions in the order in which they are tried.
pub(super) fn plans(routines: &[Routine], shapes: &Shapes, world: &World<'_>) -> String {
    let bank = world.prover.shared_bank();
    let show = Show { world, bank: &bank, symbols: world.prover.symbols() };
    let mut text = String::new();
    for (number, routine) in routines.iter().enumerate() {
        let relation = &world.relations[routine.rel as usize];
        let name = show.symbols.name(relation.name);
        let modes: String = routine.modes.iter().map(|mode| show.mode(mode)).collect();
        let kind = match (shapes.tabled[number], shapes.recursive[number]) {
            (true, _) => ", tabled",
            (false, true) => ", recursive",
            (false, false) => "",
        };
        let _ = writeln!(
            text,
            "{name}_{modes} ({:?}{kind}, about {:.0} steps)",
            relation.reach,
            routine.cost.unwrap_or(0.0)
        );
        for clause in &routine.clauses {
            let pats = |pats: &[Pat], none: &str| match pats {
                [] => none.to_string(),
                pats => pats.iter().map(|pat| show.pat(pat)).collect::<Vec<_>>().join(" "),
            };
            let (given, asked) = (pats(&clause.inputs, "nothing"), pats(&clause.outputs, "whether it holds"));
            let _ = writeln!(text, "  given {given} asks {asked}");
            clause.body.iter().for_each(|cond| show.cond(cond, 4, &mut text));
        }
    }
    text
}

struct Show<'s, 'a> {
    world: &'s World<'a>,
    bank: &'s Bank,
    symbols: &'s Symbols,
}

impl Show<'_, '_> {
    fn mode(&self, mode: &Mode) -> String {
        match mode {
            Mode::Bound => "0".to_string(),
            Mode::Free => "1".to_string(),
            Mode::Any => "-".to_string(),
            Mode::Call(functor, modes) => {
                let modes: String = modes.iter().map(|mode| self.mode(mode)).collect();
                format!("({}{modes})", self.symbols.name(*functor))
            }
        }
    }

    fn pat(&self, pat: &Pat) -> String {
        match pat {
            Pat::Ground(id) => self.bank.text(*id, self.symbols),
            Pat::Var(var) => format!("?{var}"),
            Pat::Call(functor, args) => {
                let args: Vec<String> = args.iter().map(|arg| self.pat(arg)).collect();
                format!("({} {})", self.symbols.name(*functor), args.join(" "))
            }
        }
    }

    fn cond(&self, cond: &Cond, indent: usize, text: &mut String) {
        let not = |negated: &bool| if *negated { "not " } else { "" };
        let line = match cond {
            Cond::Rel { rel, args, negated } => {
                let args: Vec<String> = args.iter().map(|arg| self.pat(arg)).collect();
                let name = self.symbols.name(self.world.relations[*rel as usize].name);
                format!("{}{name} {}", not(negated), args.join(" "))
            }
            Cond::Fact { pat, negated } => format!("{}true {}", not(negated), self.pat(pat)),
            Cond::Does { role, mv, negated } => format!("{}does {} {}", not(negated), self.pat(role), self.pat(mv)),
            Cond::Distinct { a, b, negated } => format!("{}distinct {} {}", not(negated), self.pat(a), self.pat(b)),
            Cond::Any { branches, negated } => {
                let _ = writeln!(text, "{:indent$}{}any of", "", not(negated));
                for branch in branches {
                    let _ = writeln!(text, "{:indent$}  or", "");
                    branch.iter().for_each(|cond| self.cond(cond, indent + 4, text));
                }
                return;
            }
        };
        let _ = writeln!(text, "{:indent$}{line}", "");
    }
}
