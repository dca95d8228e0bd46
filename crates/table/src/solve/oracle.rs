//! The table of a solved game as an oracle.

use super::stored::SolvedTable;
use super::{Entry, Statistics};
use crate::oracle::{AskError, Description, Distance, Family, Metric, Oracle, Value, Verdict};

impl Entry {
    /// The same as a verdict, in a game of so many roles.
    pub fn verdict(self, roles: usize) -> Verdict {
        let value = match (self.value, roles) {
            (None, _) => Value::Endless,
            (Some(goal), 1) => Value::Goal(goal.unsigned_abs()),
            (Some(lead), _) => Value::Lead(lead),
        };
        Verdict::exact(value, self.distance.map(|moves| Distance::exact(moves.into(), Metric::End)))
    }
}

impl Statistics {
    /// What the goals of two roles add up to at every end, if that is always the same.
    pub fn goal_sum(&self) -> Option<u8> {
        self.sums.filter(|(least, most)| self.roles == 2 && least == most).map(|(least, _)| least)
    }
}

impl Oracle for SolvedTable {
    fn ask(&self, facts: &[String]) -> Result<Option<Verdict>, AskError> {
        let entry = self.probe_facts(facts).map_err(|error| AskError::Table(error.to_string()))?;
        Ok(entry.map(|entry| entry.verdict(self.roles())))
    }

    fn describe(&self) -> Description {
        Description {
            family: Family::Solved,
            name: self.header().name.clone(),
            metric: Metric::End,
            roles: self.roles(),
            goal_sum: self.summary().goal_sum().filter(|_| self.roles() == 2),
        }
    }
}
