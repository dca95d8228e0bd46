//! What was found, as data for people and programs: names as the rules write them, and for each finding how it is known.
//!
//! All of it can be written and read again with `serde`. What a search needs in the numbers of its engine comes from
//! [`Study`](crate::Study) itself: evaluators, [symmetries](crate::Study::symmetries), [groups of facts](crate::Study::fact_groups).

use crate::form::Ticks;
use crate::structure::FluentKind;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How something is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(into = "EvidenceForm", from = "EvidenceForm")]
pub enum Evidence {
    /// It follows from the rules.
    Proved,
    /// Rules say so in their form; that it is what it is called is a guess.
    Rules,
    /// It held in this many states of random games.
    Seen(u64),
    /// It held in this many moves of random games that could have changed it.
    Moves(u64),
    /// It held at the end of this many random games.
    Ends(u64),
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Evidence::Proved => f.write_str("proved"),
            Evidence::Rules => f.write_str("found in the rules"),
            Evidence::Seen(states) => write!(f, "seen in {states} states"),
            Evidence::Moves(moves) => write!(f, "seen in {moves} moves"),
            Evidence::Ends(games) => write!(f, "seen in {games} ends"),
        }
    }
}

/// Evidence as it is written down: whether it is proved, and otherwise on what it rests.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct EvidenceForm {
    proved: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    rules: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    states: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    moves: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ends: Option<u64>,
}

impl From<Evidence> for EvidenceForm {
    fn from(evidence: Evidence) -> EvidenceForm {
        let none = EvidenceForm::default();
        match evidence {
            Evidence::Proved => EvidenceForm { proved: true, ..none },
            Evidence::Rules => EvidenceForm { rules: true, ..none },
            Evidence::Seen(states) => EvidenceForm { states: Some(states), ..none },
            Evidence::Moves(moves) => EvidenceForm { moves: Some(moves), ..none },
            Evidence::Ends(ends) => EvidenceForm { ends: Some(ends), ..none },
        }
    }
}

impl From<EvidenceForm> for Evidence {
    fn from(form: EvidenceForm) -> Evidence {
        match form {
            EvidenceForm { proved: true, .. } => Evidence::Proved,
            EvidenceForm { rules: true, .. } => Evidence::Rules,
            EvidenceForm { moves: Some(moves), .. } => Evidence::Moves(moves),
            EvidenceForm { ends: Some(ends), .. } => Evidence::Ends(ends),
            EvidenceForm { states, .. } => Evidence::Seen(states.unwrap_or(0)),
        }
    }
}

/// A finding in words.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// What was found.
    pub what: String,
    /// How it is known.
    pub evidence: Evidence,
}

/// In which order roles have the choice.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnOrder {
    /// There is one role.
    OnePlayer,
    /// Nobody was seen to have a choice.
    Nobody,
    /// One after the other in this round, by number of role.
    InTurn(Vec<u8>),
    /// One at a time, in no fixed order.
    NoFixedOrder,
    /// All at the same time.
    Simultaneous,
    /// Sometimes one, sometimes several.
    Mixed,
}

/// Who has the choice when.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TurnFindings {
    /// In words.
    pub what: String,
    /// The order.
    pub order: TurnOrder,
    /// How it is known.
    pub evidence: Evidence,
}

/// Roles that share their goals.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Team {
    /// The roles, by name.
    pub roles: Vec<String>,
    /// How it is known.
    pub evidence: Evidence,
}

/// The goals that the rules mention for a role.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GoalRange {
    /// The least.
    pub least: u8,
    /// The greatest.
    pub greatest: u8,
}

/// A successor relation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OrderFindings {
    /// The relation.
    pub relation: String,
    /// What it puts in order, smallest first.
    pub chain: Vec<String>,
    /// Whether the last one is followed by the first.
    pub circle: bool,
}

/// An argument of a fluent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ColumnFindings {
    /// How many values it can have.
    pub values: usize,
    /// Whether they have an order.
    pub ordered: bool,
}

/// A fluent and what it is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FluentFindings {
    /// Its name.
    pub name: String,
    /// Its name with argument modes: `cell + + -`.
    pub modes: String,
    /// What it is.
    #[serde(rename = "is")]
    pub kind: FluentKind,
    /// Its arguments.
    pub columns: Vec<ColumnFindings>,
    /// The fewest facts of it at a time.
    pub fewest: usize,
    /// The most facts of it at a time.
    pub most: usize,
    /// How the modes are known.
    pub evidence: Evidence,
}

/// Something that is in several places at a time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Marker {
    /// Its name.
    pub name: String,
    /// The most of it at a time.
    pub most: usize,
}

/// Something that is in one place at a time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PieceFindings {
    /// Its name.
    pub name: String,
    /// How it is known.
    pub evidence: Evidence,
}

/// A cell of a board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CellFindings {
    /// For each coordinate the number of its value on that axis.
    pub coordinates: Vec<usize>,
    /// Its neighbours, by number of cell; none where rules do not go from place to place.
    pub neighbours: Vec<usize>,
}

/// A map of a board that changes nothing.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SymmetryFindings {
    /// What it does, in words.
    pub what: String,
    /// How it is known.
    pub evidence: Evidence,
    /// Whether the two roles change places too.
    pub exchanges_roles: bool,
    /// The image of each cell, by number; `None` where a cell would leave the board.
    pub cells: Vec<Option<usize>>,
}

/// A board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BoardFindings {
    /// The fluent.
    pub fluent: String,
    /// Whether its coordinates have an order.
    pub ordered: bool,
    /// The values of each coordinate, in order.
    pub axes: Vec<Vec<String>>,
    /// The places that were seen to hold something; fewer than all combinations on boards of other shapes, and where random
    /// games do not come everywhere.
    pub places_seen: usize,
    /// Its cells as the rules allow them, with their neighbours; empty if the boards were not surveyed.
    pub cells: Vec<CellFindings>,
    /// What is in several places at a time.
    pub markers: Vec<Marker>,
    /// What is in one place at a time.
    pub pieces: Vec<PieceFindings>,
    /// What stands for nothing.
    pub blank: Option<String>,
    /// How places lie beside each other, where rules go from place to place.
    pub steps: Option<Finding>,
    /// Maps of the board that change nothing.
    pub symmetries: Vec<SymmetryFindings>,
    /// The start: rows of cells, `None` where there is no place; for boards of one or two coordinates.
    pub start: Vec<Vec<Option<String>>>,
}

/// A counter.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CounterFindings {
    /// The fluent.
    pub fluent: String,
    /// The successor relation.
    #[serde(rename = "follows")]
    pub relation: String,
    /// When it goes on.
    #[serde(rename = "goes_on")]
    pub ticks: Ticks,
    /// Left out of states before their values are kept.
    pub left_out: bool,
}

/// No state has two facts of a fluent that agree in some columns and have given values in others.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct InvariantFindings {
    /// The fluent.
    pub fluent: String,
    /// The columns in which no two facts agree, from 0 on.
    pub key: Vec<usize>,
    /// Columns with the values that the facts concerned have there.
    pub values: Vec<(usize, String)>,
    /// How it is known.
    pub evidence: Evidence,
}

/// The choices of a role in random games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ChoiceCounts {
    /// The mean number of moves where it had a choice.
    pub mean: f64,
    /// The most.
    pub most: usize,
}

/// Random games in numbers.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Games {
    /// States looked at.
    pub states: u64,
    /// States in which guesses were tested.
    pub tested: u64,
    /// Games begun and either ended, cut or stuck.
    pub games: u64,
    /// Games that ended.
    pub ended: u64,
    /// Games in which a role had no move though the state was not terminal.
    pub stuck: u64,
    /// Games cut because they were long.
    pub cut: u64,
    /// Moves a game.
    pub length: f64,
    /// For each role its choices.
    pub choices: Vec<ChoiceCounts>,
    /// For each role the mean goal.
    pub goals: Vec<f64>,
}

/// The weight of a feature, where one is the whole range of goals.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FeatureWeight {
    /// The feature.
    pub feature: String,
    /// Its weight.
    pub weight: f32,
}

/// What was learned from random games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LearnedFindings {
    /// Positions learned from.
    pub positions: usize,
    /// For each role the share of the spread of outcomes that is explained, in positions not learned from.
    pub explains: Vec<f32>,
    /// The features that weigh most for the first role.
    pub weights: Vec<FeatureWeight>,
}

/// All that was found.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Findings {
    /// The roles.
    pub roles: Vec<String>,
    /// For each role the goals that the rules mention.
    pub goal_ranges: Vec<GoalRange>,
    /// Who has the choice when.
    pub turns: TurnFindings,
    /// Roles that share their goals; only those with several roles.
    pub teams: Vec<Team>,
    /// What the goals add up to.
    pub sum: Option<Finding>,
    /// Successor relations.
    pub orders: Vec<OrderFindings>,
    /// All fluents.
    pub fluents: Vec<FluentFindings>,
    /// Boards.
    pub boards: Vec<BoardFindings>,
    /// Counters.
    pub counters: Vec<CounterFindings>,
    /// One thing in a place, a piece in one place, one role in control.
    pub invariants: Vec<InvariantFindings>,
    /// What else was found: what stays true, independent parts, dead ends.
    pub findings: Vec<Finding>,
    /// The features; each is an evaluator when maximised and another when minimised.
    pub features: Vec<String>,
    /// The names of the evaluators.
    pub evaluators: Vec<String>,
    /// How large the conditions of the goals are when written out over facts; `None` if that cannot be done.
    pub goal_parts: Option<usize>,
    /// The goals that were written out, all roles together; the least first.
    pub goals_measured: Vec<u8>,
    /// Why the conditions of the goals cannot be written out.
    pub goal_unmeasured: Option<String>,
    /// What was learned.
    pub learned: Option<LearnedFindings>,
    /// What random games were like.
    pub games: Games,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_is_written_and_read_again() {
        for (evidence, text) in [
            (Evidence::Proved, r#"{"proved":true}"#),
            (Evidence::Rules, r#"{"proved":false,"rules":true}"#),
            (Evidence::Seen(3), r#"{"proved":false,"states":3}"#),
            (Evidence::Moves(4), r#"{"proved":false,"moves":4}"#),
            (Evidence::Ends(5), r#"{"proved":false,"ends":5}"#),
        ] {
            assert_eq!(serde_json::to_string(&evidence).unwrap(), text);
            assert_eq!(serde_json::from_str::<Evidence>(text).unwrap(), evidence);
        }
    }
}
