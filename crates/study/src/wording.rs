//! Findings put into words and data, with the names of the rules.

use crate::feature::Measure;
use crate::findings::{
    BoardFindings, CellFindings, ChoiceCounts, ColumnFindings, CounterFindings, Evidence, FeatureWeight, Finding,
    Findings, FluentFindings, Games, GoalRange, InvariantFindings, LearnedFindings, Marker, OrderFindings,
    PieceFindings, SymmetryFindings, Team, TurnFindings, TurnOrder,
};
use crate::form::Lasting;
use crate::observe::Choices;
use crate::places::Place;
use crate::prove::Invariant;
use crate::structure::{FluentKind, Structure};
use crate::study::Study;
use crate::survey::BoardGraph;
use crate::terms::TermId;
use game::Move;
use gdl::{Symbol, Symbols};
use std::collections::{BTreeMap, BTreeSet};

impl Study {
    /// All that was found.
    pub fn findings(&self) -> Findings {
        self.findings_in(&self.rules.symbols)
    }

    /// As [`findings`](Study::findings), with the names of other symbols: those that the rules had before they were scrambled.
    pub fn findings_in(&self, symbols: &Symbols) -> Findings {
        let tell = Wording { study: self, symbols };
        let measured = self.formula.as_ref().and_then(|formula| formula.as_ref().ok());
        Findings {
            roles: self.roles.iter().map(|&role| tell.term(role)).collect(),
            goal_ranges: (0..self.roles.len())
                .map(|role| self.goals(game::Role(role as u8)))
                .map(|(least, greatest)| GoalRange { least, greatest })
                .collect(),
            turns: tell.turns(),
            teams: tell.teams(),
            sum: tell.sum(),
            orders: self
                .orders
                .iter()
                .map(|order| OrderFindings {
                    relation: tell.name(order.relation),
                    chain: tell.terms(&order.chain),
                    circle: order.circle,
                })
                .collect(),
            fluents: self.structures.iter().map(|structure| tell.fluent(structure)).collect(),
            boards: self.boards().map(|structure| tell.board(structure)).collect(),
            counters: self
                .counters
                .iter()
                .map(|counter| CounterFindings {
                    fluent: tell.name(self.fluents[counter.fluent].name),
                    relation: tell.name(counter.relation),
                    ticks: counter.ticks,
                    left_out: counter.leaves_out(),
                })
                .collect(),
            invariants: self.invariants().iter().map(|invariant| tell.invariant(invariant)).collect(),
            findings: tell.findings(),
            features: self
                .features
                .iter()
                .map(|feature| feature.name(&self.fluents, &self.pieces, &self.terms, symbols))
                .collect(),
            evaluators: self.evaluator_names(symbols),
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
struct Wording<'a> {
    study: &'a Study,
    symbols: &'a Symbols,
}

impl Wording<'_> {
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

    fn turns(&self) -> TurnFindings {
        let seen = &self.study.seen;
        let evidence = Evidence::Seen(seen.one + seen.several + seen.everybody);
        let fixed = || self.cycle().or_else(|| self.round());
        let (order, what) = if self.study.roles.len() == 1 {
            (TurnOrder::OnePlayer, "one player".to_string())
        } else if seen.one + seen.several + seen.everybody == 0 {
            (TurnOrder::Nobody, "nobody had a choice".to_string())
        } else if seen.one == 0 && seen.several == 0 {
            (TurnOrder::Simultaneous, "all choose at the same time".to_string())
        } else if seen.several + seen.everybody > 0 && seen.forced.iter().all(is_mixed) {
            // Whoever waits makes the same move each time; these had one move left, and not mostly the same.
            (TurnOrder::Simultaneous, "all choose at the same time, though some moves are forced".to_string())
        } else if seen.several + seen.everybody > 0 {
            let several = seen.several + seen.everybody;
            (TurnOrder::Mixed, format!("mixed: one role chooses in {} states, several in {several}", seen.one))
        } else if let Some(round) = fixed() {
            let names: Vec<String> = round.iter().map(|&role| self.role(role as usize)).collect();
            (TurnOrder::InTurn(round), format!("in turn: {}", names.join(", ")))
        } else {
            (TurnOrder::NoFixedOrder, "one at a time, in no fixed order".to_string())
        };
        TurnFindings { what, order, evidence }
    }

    /// The fixed order in which roles have the choice, if there is one.
    fn cycle(&self) -> Option<Vec<u8>> {
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
        (all.len() == order.len()).then_some(order)
    }

    /// The shortest round, counted from the start of a game, in which roles have the choice: some may have it several times.
    /// It must have been seen to come again.
    fn round(&self) -> Option<Vec<u8>> {
        let seen = &self.study.seen;
        let known = |turns: &Vec<Option<u8>>| {
            let all: Option<Vec<u8>> = turns.iter().copied().collect();
            all.filter(|all| seen.latest + 1 >= 2 * all.len())
        };
        seen.rounds.iter().flatten().find_map(known)
    }

    fn teams(&self) -> Vec<Team> {
        let study = self.study;
        let mut teams = Vec::new();
        for role in 0..study.roles.len() {
            let team = study.team(game::Role(role as u8));
            if team.len() > 1 && team[0].0 as usize == role {
                let roles = team.iter().map(|role| self.role(role.0 as usize)).collect();
                teams.push(Team { roles, evidence: Evidence::Ends(study.seen.ended) });
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

    fn fluent(&self, structure: &Structure) -> FluentFindings {
        let study = self.study;
        let fluent = &study.fluents[structure.fluent];
        let seen = &study.seen.fluents[structure.fluent];
        let modes = format!("{} {}", self.name(fluent.name), structure.modes());
        FluentFindings {
            name: self.name(fluent.name),
            modes: modes.trim_end().to_string(),
            kind: structure.kind,
            columns: fluent
                .columns
                .iter()
                .map(|column| ColumnFindings { values: column.values.len(), ordered: column.order.is_some() })
                .collect(),
            fewest: seen.fewest.min(seen.most),
            most: seen.most,
            evidence: study.evidence(&study.modes_of(structure)),
        }
    }

    fn invariant(&self, invariant: &Invariant) -> InvariantFindings {
        let fluent = &self.study.fluents[invariant.fluent];
        InvariantFindings {
            fluent: self.name(fluent.name),
            key: (0..fluent.columns.len()).filter(|at| invariant.key >> at & 1 == 1).collect(),
            values: invariant.fixed.iter().map(|&(at, value)| (at, self.term(value))).collect(),
            evidence: self.study.evidence(invariant),
        }
    }

    fn board(&self, structure: &Structure) -> BoardFindings {
        let study = self.study;
        let fluent = &study.fluents[structure.fluent];
        let seen = &study.seen.fluents[structure.fluent];
        let out = structure.outputs[0];
        let most = |value| seen.together.get(&(out, value)).copied().unwrap_or(0);
        let places = study.places_seen(structure.fluent, &structure.inputs);
        let graph = study.graphs.iter().find(|graph| graph.fluent == structure.fluent);
        let steps = graph.and_then(|graph| graph.neighbours.as_ref());
        BoardFindings {
            fluent: self.name(fluent.name),
            ordered: structure.ordered,
            axes: structure.inputs.iter().map(|&at| self.terms(&fluent.columns[at].values)).collect(),
            places_seen: places.len(),
            cells: graph.map_or_else(Vec::new, |graph| self.cells(structure, graph)),
            markers: structure
                .markers
                .iter()
                .map(|&value| Marker { name: self.term(value), most: most(value) })
                .collect(),
            pieces: structure
                .pieces
                .iter()
                .map(|&piece| PieceFindings {
                    name: self.term(piece),
                    evidence: study.evidence(&Invariant::of_piece(structure, piece)),
                })
                .collect(),
            blank: structure.blank.map(|blank| self.term(blank)),
            steps: steps.map(|steps| Finding { what: steps.what.clone(), evidence: Evidence::Rules }),
            symmetries: graph.map_or_else(Vec::new, |graph| self.symmetries(structure, graph)),
            start: self.start(structure, &places),
        }
    }

    fn cells(&self, structure: &Structure, graph: &BoardGraph) -> Vec<CellFindings> {
        let columns = &self.study.fluents[structure.fluent].columns;
        let numbers: BTreeMap<&Place, usize> = graph.cells.iter().zip(0..).collect();
        let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); graph.cells.len()];
        for (a, b) in graph.neighbours.iter().flat_map(|found| &found.pairs) {
            if let (Some(&a), Some(&b)) = (numbers.get(a), numbers.get(b)) {
                neighbours[a].push(b);
            }
        }
        let coordinate = |(&column, value): (&usize, &TermId)| {
            columns[column].values.iter().position(|other| other == value).unwrap_or(columns[column].values.len())
        };
        graph
            .cells
            .iter()
            .zip(neighbours)
            .map(|(place, mut neighbours)| {
                neighbours.sort_unstable();
                CellFindings { coordinates: structure.inputs.iter().zip(place).map(coordinate).collect(), neighbours }
            })
            .collect()
    }

    fn symmetries(&self, structure: &Structure, graph: &BoardGraph) -> Vec<SymmetryFindings> {
        let fluent = &self.study.fluents[structure.fluent];
        let numbers: BTreeMap<&[TermId], usize> = graph.cells.iter().map(Vec::as_slice).zip(0..).collect();
        let found = graph.maps.iter().map(|(map, tested)| {
            let image = |place: &Place| {
                let ([x, y], [a, b]) = (&structure.inputs[..], &place[..]) else { return None };
                let image = map.place(fluent, [*x, *y], [*a, *b])?;
                numbers.get(&image[..]).copied()
            };
            SymmetryFindings {
                what: map.what(),
                evidence: Evidence::Seen(*tested),
                exchanges_roles: map.roles,
                cells: graph.cells.iter().map(image).collect(),
            }
        });
        found.collect()
    }

    fn start(&self, structure: &Structure, places: &BTreeSet<Place>) -> Vec<Vec<Option<String>>> {
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
            Lasting::No if structure.kind == FluentKind::Board => {
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

    fn learned(&self) -> Option<LearnedFindings> {
        let study = self.study;
        let model = study.model.as_ref()?;
        let linear = study.features.iter().filter(|f| !matches!(f.what, Measure::Distance(..) | Measure::Distances));
        let mut weights: Vec<FeatureWeight> = linear
            .zip(model.features.first()?)
            .map(|(feature, &weight)| {
                let name = feature.name(&study.fluents, &study.pieces, &study.terms, self.symbols);
                FeatureWeight { feature: name, weight: weight / feature.scale }
            })
            .collect();
        weights.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()));
        weights.truncate(12);
        Some(LearnedFindings { positions: model.samples, explains: model.explains.clone(), weights })
    }

    fn games(&self) -> Games {
        let seen = &self.study.seen;
        let mean = |sum: f64, count: u64| if count == 0 { 0.0 } else { sum / count as f64 };
        let choices = |c: &Choices| ChoiceCounts { mean: mean(c.moves as f64, c.states), most: c.most };
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
