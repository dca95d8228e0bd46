//! What was found, as text for people and programs, each finding with how it is known.

use crate::feature::What;
use crate::form::{Lasting, Ticks};
use crate::prove::Invariant;
use crate::structure::{Kind, Structure};
use crate::study::Study;
use crate::terms::TermId;
use crate::watch::Choices;
use game::Move;
use gdl::{Symbol, Symbols};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// How something is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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

/// A finding in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// What was found.
    pub what: String,
    /// How it is known.
    pub evidence: Evidence,
}

/// A fluent and what it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FluentReport {
    /// Its name with argument modes: `cell + + -`.
    pub modes: String,
    /// What it is.
    pub kind: Kind,
    /// How many values each column can have, and whether they have an order.
    pub columns: Vec<(usize, bool)>,
    /// The fewest and the most facts of it at a time.
    pub facts: (usize, usize),
    /// How the modes are known.
    pub evidence: Evidence,
}

/// A board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoardReport {
    /// The fluent.
    pub fluent: String,
    /// Whether its coordinates have an order.
    pub ordered: bool,
    /// The values of each coordinate, in order.
    pub axes: Vec<Vec<String>>,
    /// The places that were seen to hold something; fewer than all combinations on boards of other shapes, and where random
    /// games do not come everywhere.
    pub cells: usize,
    /// What is in several places at a time, with the most seen.
    pub markers: Vec<(String, usize)>,
    /// What is in one place at a time.
    pub pieces: Vec<String>,
    /// How it is known that they are pieces.
    pub piece_evidence: Vec<Evidence>,
    /// What stands for nothing.
    pub blank: Option<String>,
    /// How places lie beside each other, where rules go from place to place.
    pub neighbours: Option<Finding>,
    /// Maps of the board that change nothing.
    pub symmetries: Vec<Finding>,
    /// The start as a picture: rows of cells, `None` where there is no place; for boards of one or two coordinates.
    pub picture: Vec<Vec<Option<String>>>,
}

/// A counter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CounterReport {
    /// The fluent.
    pub fluent: String,
    /// The successor relation.
    pub relation: String,
    /// When it goes on.
    pub ticks: Ticks,
    /// Left out of states before their values are kept.
    pub left_out: bool,
}

/// Random games in numbers.
#[derive(Clone, PartialEq, Debug, Default)]
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
    /// For each role the mean number of choices where it had one, and the most.
    pub choices: Vec<(f64, usize)>,
    /// For each role the mean goal.
    pub goals: Vec<f64>,
}

/// What was learned from random games.
#[derive(Clone, PartialEq, Debug)]
pub struct LearnedReport {
    /// Positions learned from.
    pub samples: usize,
    /// For each role the share of the spread of outcomes that is explained, in positions not learned from.
    pub explains: Vec<f32>,
    /// The features that weigh most for the first role: name and weight, where one is the whole range of goals.
    pub weights: Vec<(String, f32)>,
}

/// All that was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The roles.
    pub roles: Vec<String>,
    /// Who has the choice when.
    pub turns: Finding,
    /// Roles that share their goals; only those with several roles.
    pub teams: Vec<(Vec<String>, Evidence)>,
    /// What the goals add up to.
    pub sum: Option<Finding>,
    /// Successor relations: name, chain, whether it is a circle.
    pub orders: Vec<(String, Vec<String>, bool)>,
    /// All fluents.
    pub fluents: Vec<FluentReport>,
    /// Boards.
    pub boards: Vec<BoardReport>,
    /// Counters.
    pub counters: Vec<CounterReport>,
    /// What else was found: what stays true, symmetries, independent parts, dead ends.
    pub findings: Vec<Finding>,
    /// The features; each is an evaluator when maximised and another when minimised.
    pub features: Vec<String>,
    /// How large the conditions of the goals are when written out over facts; `None` if that cannot be done.
    pub goal_parts: Option<usize>,
    /// The goals that were written out, all roles together; the least first.
    pub goals_measured: Vec<u8>,
    /// Why the conditions of the goals cannot be written out.
    pub goal_unmeasured: Option<String>,
    /// What was learned.
    pub learned: Option<LearnedReport>,
    /// What random games were like.
    pub games: Games,
}

impl Study {
    /// All that was found.
    pub fn report(&self) -> Report {
        self.report_in(&self.rules.symbols)
    }

    /// As [`report`](Study::report), with the names of other symbols: those that the rules had before they were scrambled.
    pub fn report_in(&self, symbols: &Symbols) -> Report {
        let tell = Tell { study: self, symbols };
        let measured = self.formula.as_ref().and_then(|formula| formula.as_ref().ok());
        Report {
            roles: self.roles.iter().map(|&role| tell.term(role)).collect(),
            turns: tell.turns(),
            teams: tell.teams(),
            sum: tell.sum(),
            orders: self
                .orders
                .iter()
                .map(|order| (tell.name(order.relation), tell.terms(&order.chain), order.circle))
                .collect(),
            fluents: self.structures.iter().map(|structure| tell.fluent(structure)).collect(),
            boards: self.boards().map(|structure| tell.board(structure)).collect(),
            counters: self
                .counters
                .iter()
                .map(|counter| CounterReport {
                    fluent: tell.name(self.fluents[counter.fluent].name),
                    relation: tell.name(counter.relation),
                    ticks: counter.ticks,
                    left_out: counter.leaves_out(),
                })
                .collect(),
            findings: tell.findings(),
            features: self
                .features
                .iter()
                .map(|feature| feature.name(&self.fluents, &self.pieces, &self.terms, symbols))
                .collect(),
            goal_parts: measured.map(|formula| formula.parts.len()),
            goals_measured: measured.map_or_else(Vec::new, |formula| {
                let values: BTreeSet<u8> = formula.goals.iter().flatten().map(|goal| goal.0).collect();
                values.into_iter().collect()
            }),
            goal_unmeasured: match &self.formula {
                None => Some("it was not tried".to_string()),
                Some(Err(why)) => Some(why.why().to_string()),
                Some(Ok(_)) => None,
            },
            learned: tell.learned(),
            games: tell.games(),
        }
    }
}

/// Whether no move is most of these.
fn is_mixed(moves: &BTreeMap<Move, u64>) -> bool {
    let all: u64 = moves.values().sum();
    moves.values().all(|&count| count * 10 < all * 7)
}

/// Findings put into words.
struct Tell<'a> {
    study: &'a Study,
    symbols: &'a Symbols,
}

impl Tell<'_> {
    fn term(&self, id: TermId) -> String {
        self.study.terms.text(id, self.symbols)
    }

    fn terms(&self, ids: &[TermId]) -> Vec<String> {
        ids.iter().map(|&id| self.term(id)).collect()
    }

    fn name(&self, symbol: Symbol) -> String {
        self.symbols.name(symbol).to_string()
    }

    fn role(&self, role: usize) -> String {
        self.study.roles.get(role).map_or_else(|| format!("role {}", role + 1), |&role| self.term(role))
    }

    fn turns(&self) -> Finding {
        let seen = &self.study.seen;
        let evidence = Evidence::Seen(seen.one + seen.several + seen.everybody);
        let what = if self.study.roles.len() == 1 {
            "one player".to_string()
        } else if seen.one + seen.several + seen.everybody == 0 {
            "nobody had a choice".to_string()
        } else if seen.one == 0 && seen.several == 0 {
            "all choose at the same time".to_string()
        } else if seen.several + seen.everybody > 0 && seen.forced.iter().all(is_mixed) {
            // Whoever waits makes the same move each time; these had one move left, and not mostly the same.
            "all choose at the same time, though some moves are forced".to_string()
        } else if seen.several + seen.everybody > 0 {
            format!("mixed: one role chooses in {} states, several in {}", seen.one, seen.several + seen.everybody)
        } else {
            match self.cycle().or_else(|| self.round()) {
                Some(order) => format!("in turn: {}", order.join(", ")),
                None => "one at a time, in no fixed order".to_string(),
            }
        };
        Finding { what, evidence }
    }

    /// The fixed order in which roles have the choice, if there is one.
    fn cycle(&self) -> Option<Vec<String>> {
        let after = &self.study.seen.after;
        let mut order = vec![after.keys().map(|key| key.0).min()?];
        loop {
            let last = *order.last()?;
            let mut next = after.keys().filter(|key| key.0 == last).map(|key| key.1);
            let only = next.next()?;
            if next.next().is_some() || only == last {
                return None;
            }
            if only == order[0] {
                break;
            }
            if order.contains(&only) {
                return None;
            }
            order.push(only);
        }
        let all: BTreeSet<u8> = after.keys().flat_map(|key| [key.0, key.1]).collect();
        (all.len() == order.len()).then(|| order.iter().map(|&role| self.role(role as usize)).collect())
    }

    /// The shortest round, counted from the start of a game, in which roles have the choice: some may have it several times.
    /// It must have been seen to come again.
    fn round(&self) -> Option<Vec<String>> {
        let seen = &self.study.seen;
        let known = |turns: &Vec<Option<u8>>| {
            let all: Option<Vec<u8>> = turns.iter().copied().collect();
            all.filter(|all| seen.latest + 1 >= 2 * all.len())
        };
        let round = seen.rounds.iter().flatten().find_map(known)?;
        Some(round.iter().map(|&role| self.role(role as usize)).collect())
    }

    fn teams(&self) -> Vec<(Vec<String>, Evidence)> {
        let study = self.study;
        let mut teams = Vec::new();
        for role in 0..study.roles.len() {
            let team = study.team(game::Role(role as u8));
            if team.len() > 1 && team[0].0 as usize == role {
                let names = team.iter().map(|role| self.role(role.0 as usize)).collect();
                teams.push((names, Evidence::Ends(study.seen.ended)));
            }
        }
        teams
    }

    fn sum(&self) -> Option<Finding> {
        let goals = &self.study.seen.goals;
        if self.study.roles.len() < 2 || goals.is_empty() {
            return None;
        }
        let mut sums = BTreeSet::new();
        for combination in goals.keys() {
            let sum: Option<u32> = combination.iter().map(|goal| goal.map(u32::from)).sum();
            sums.insert(sum?);
        }
        let evidence = Evidence::Ends(self.study.seen.ended);
        let what = match (sums.first(), sums.last()) {
            (Some(low), Some(high)) if low == high => format!("goals always add up to {low}"),
            (Some(low), Some(high)) => format!("goals add up to something from {low} to {high}"),
            _ => return None,
        };
        Some(Finding { what, evidence })
    }

    fn fluent(&self, structure: &Structure) -> FluentReport {
        let study = self.study;
        let fluent = &study.fluents[structure.fluent];
        let seen = &study.seen.fluents[structure.fluent];
        let modes = format!("{} {}", self.name(fluent.name), structure.modes());
        FluentReport {
            modes: modes.trim_end().to_string(),
            kind: structure.kind,
            columns: fluent.columns.iter().map(|column| (column.values.len(), column.order.is_some())).collect(),
            facts: (seen.fewest.min(seen.most), seen.most),
            evidence: self.evidence(&study.modes_of(structure)),
        }
    }

    fn evidence(&self, invariant: &Invariant) -> Evidence {
        let proved = self.study.proved.contains(invariant);
        if proved { Evidence::Proved } else { Evidence::Seen(self.study.seen.tested) }
    }

    fn board(&self, structure: &Structure) -> BoardReport {
        let study = self.study;
        let fluent = &study.fluents[structure.fluent];
        let seen = &study.seen.fluents[structure.fluent];
        let out = structure.outputs[0];
        let markers = structure
            .markers
            .iter()
            .map(|&value| (self.term(value), seen.together.get(&(out, value)).copied().unwrap_or(0)));
        let places: BTreeSet<Vec<TermId>> = study
            .known
            .iter()
            .filter_map(|&fact| crate::watch::split(fact, &study.terms, &study.fluents))
            .filter(|row| row.fluent == structure.fluent)
            .map(|row| structure.inputs.iter().map(|&at| row.values[at]).collect())
            .collect();
        let land = study.land.iter().find(|land| land.fluent == structure.fluent);
        BoardReport {
            fluent: self.name(fluent.name),
            ordered: structure.ordered,
            axes: structure.inputs.iter().map(|&at| self.terms(&fluent.columns[at].values)).collect(),
            cells: places.len(),
            markers: markers.collect(),
            pieces: self.terms(&structure.pieces),
            piece_evidence: structure
                .pieces
                .iter()
                .map(|&piece| self.evidence(&Invariant { fluent: structure.fluent, key: 0, fixed: vec![(out, piece)] }))
                .collect(),
            blank: structure.blank.map(|blank| self.term(blank)),
            neighbours: land.and_then(|land| land.neighbours.clone()),
            symmetries: land.map(|land| land.maps.clone()).unwrap_or_default(),
            picture: self.picture(structure, &places),
        }
    }

    fn picture(&self, structure: &Structure, places: &BTreeSet<Vec<TermId>>) -> Vec<Vec<Option<String>>> {
        let study = self.study;
        let columns = &study.fluents[structure.fluent].columns;
        let inputs = &structure.inputs;
        let width = columns[inputs[0]].values.len();
        let height = inputs.get(1).map_or(1, |&at| columns[at].values.len());
        if inputs.len() > 2 || width > 40 || height > 40 {
            return Vec::new();
        }
        let cell = |x: usize, y: usize| {
            let at = [x, y];
            let place: Vec<TermId> = inputs.iter().zip(at).map(|(&column, at)| columns[column].values[at]).collect();
            let here = study.start.iter().find(|row| {
                row.fluent == structure.fluent && inputs.iter().zip(&place).all(|(&at, value)| row.values[at] == *value)
            });
            match here {
                Some(row) if Some(row.values[structure.outputs[0]]) == structure.blank => Some(".".to_string()),
                Some(row) => {
                    Some(self.terms(&structure.outputs.iter().map(|&at| row.values[at]).collect::<Vec<_>>()).join(","))
                }
                None => places.contains(&place).then(|| ".".to_string()),
            }
        };
        (0..height).map(|y| (0..width).map(|x| cell(x, y)).collect()).collect()
    }

    fn findings(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (number, fluent) in self.study.fluents.iter().enumerate() {
            self.lasting(number, &self.name(fluent.name), &mut findings);
        }
        for structure in &self.study.structures {
            self.parts(structure, &mut findings);
        }
        let seen = &self.study.seen;
        if seen.stuck > 0 {
            let what =
                format!("{} of {} random games came to a state in which a role has no move", seen.stuck, seen.games);
            findings.push(Finding { what, evidence: Evidence::Seen(seen.states) });
        }
        findings
    }

    /// Parts of the game that do not touch each other.
    fn parts(&self, structure: &Structure, findings: &mut Vec<Finding>) {
        let fluent = &self.study.fluents[structure.fluent];
        let plain = fluent.columns.iter().all(|column| column.path.len() == 1);
        if !plain || structure.outputs.is_empty() || structure.inputs.len() != 1 {
            return;
        }
        for &at in &structure.inputs {
            let values = &fluent.columns[at].values;
            if values.len() > 1 && crate::parts::splits(&self.study.rules, fluent, at) {
                let name = self.name(fluent.name);
                let what =
                    format!("{name}: {} parts, by column {}, that do not touch each other", values.len(), at + 1);
                findings.push(Finding { what, evidence: Evidence::Proved });
            }
        }
    }

    /// What stays true for good.
    fn lasting(&self, number: usize, name: &str, findings: &mut Vec<Finding>) {
        let study = self.study;
        let (seen, structure) = (&study.seen.fluents[number], &study.structures[number]);
        match &study.lasting[number] {
            Lasting::All => {
                let what = format!("{name}: what is true stays true");
                findings.push(Finding { what, evidence: Evidence::Proved });
            }
            Lasting::Except(values) => {
                let values: Vec<String> = values.iter().map(|&(_, value)| self.term(value)).collect();
                let what = format!("{name}: what is true stays true, except with {}", values.join(", "));
                findings.push(Finding { what, evidence: Evidence::Proved });
            }
            Lasting::No if seen.moves > 0 && !seen.loses => {
                let evidence = Evidence::Moves(seen.moves);
                findings.push(Finding { what: format!("{name}: what is true stays true"), evidence });
            }
            Lasting::No if structure.kind == Kind::Board => {
                let out = structure.outputs[0];
                let values = structure.markers.iter().chain(&structure.pieces);
                let held = |value: TermId| seen.held.get(&(out, value)).copied().unwrap_or(0);
                let stays = |value: &TermId| held(*value) > 0 && !seen.lost.contains(&(out, *value));
                let stay: Vec<TermId> = values.copied().filter(stays).collect();
                if let Some(moves) = stay.iter().map(|&value| held(value)).min() {
                    let what = format!("{name}: {} stays where it is", self.terms(&stay).join(", "));
                    findings.push(Finding { what, evidence: Evidence::Moves(moves) });
                }
            }
            Lasting::No => {}
        }
    }

    fn learned(&self) -> Option<LearnedReport> {
        let study = self.study;
        let model = study.model.as_ref()?;
        let linear = study.features.iter().filter(|f| !matches!(f.what, What::Distance(..) | What::Distances));
        let mut weights: Vec<(String, f32)> = linear
            .zip(model.features.first()?)
            .map(|(feature, &weight)| {
                (feature.name(&study.fluents, &study.pieces, &study.terms, self.symbols), weight / feature.scale)
            })
            .collect();
        weights.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        weights.truncate(12);
        Some(LearnedReport { samples: model.samples, explains: model.explains.clone(), weights })
    }

    fn games(&self) -> Games {
        let seen = &self.study.seen;
        let mean = |sum: f64, count: u64| if count == 0 { 0.0 } else { sum / count as f64 };
        let choices = |c: &Choices| (mean(c.moves as f64, c.states), c.most);
        let goals = (0..self.study.roles.len()).map(|role| {
            let sum = seen
                .goals
                .iter()
                .map(|(goals, count)| f64::from(goals.get(role).copied().flatten().unwrap_or(0)) * *count as f64);
            mean(sum.sum(), seen.ended)
        });
        Games {
            states: seen.states,
            tested: seen.tested,
            games: seen.games,
            ended: seen.ended,
            stuck: seen.stuck,
            cut: seen.cut,
            length: mean(seen.steps as f64, seen.games - seen.stuck),
            choices: seen.choices.iter().map(choices).collect(),
            goals: goals.collect(),
        }
    }
}
