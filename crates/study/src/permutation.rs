//! Findings in the numbers of an engine, for a search: symmetries as permutations of facts and moves, invariants as groups of
//! facts of which at most one holds.

use crate::findings::Evidence;
use crate::structure::Structure;
use crate::study::Study;
use crate::symmetry::{self, BoardMap, Images};
use crate::terms::TermId;
use game::{Facts, Limit, Move, Role, Turn, roles};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A map of states that changes nothing: the image of a state has the images of its moves, and the same goals for the images of
/// its roles.
#[derive(Clone, PartialEq, Debug)]
pub struct Symmetry {
    /// What it does, in words.
    pub what: String,
    /// How it is known.
    pub evidence: Evidence,
    /// The image of each role.
    pub roles: Vec<Role>,
    /// The image of each fact by number; `None` for a number that is no fact known here.
    pub facts: Vec<Option<u32>>,
    moves: MoveImages,
}

impl Symmetry {
    /// The image of a move given as canonical KIF; `None` where it was not found out.
    pub fn move_text(&self, text: &str) -> Option<String> {
        self.moves.text(text)
    }

    /// For each of some moves of a state its image among moves of the image of that state; `None` where it was not found out, or is not
    /// there.
    pub fn moves<G: Facts>(&self, game: &G, moves: &[Move], images: &[Move]) -> Vec<Option<Move>> {
        let numbers: HashMap<String, Move> = images.iter().map(|&mv| (game.move_text(mv), mv)).collect();
        let image = |&mv: &Move| numbers.get(&self.move_text(&game.move_text(mv))?).copied();
        moves.iter().map(image).collect()
    }
}

/// What an argument of a move is to a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Argument {
    /// Nothing that a map changes.
    Other,
    /// The first or the second coordinate of a place.
    Coordinate(usize),
    /// The first coordinate of a place; the next argument is the second.
    Place,
    /// The second coordinate of a place.
    Second,
}

/// How moves are mapped.
#[derive(Clone, PartialEq, Debug, Default)]
struct MoveImages {
    /// Names of roles with those of their images.
    roles: BTreeMap<String, String>,
    /// Coordinates with their images, where these depend on nothing else.
    coordinates: [BTreeMap<String, String>; 2],
    places: BTreeMap<[String; 2], [String; 2]>,
    /// By name and number of arguments.
    forms: BTreeMap<(String, usize), Vec<Argument>>,
    /// Moves without such a form, one by one.
    single: BTreeMap<String, String>,
}

/// A move taken apart; `None` if it has functions inside.
fn parts(text: &str) -> Option<(&str, Vec<&str>)> {
    let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return Some((text, Vec::new()));
    };
    let mut words = inner.split(' ');
    let name = words.next()?;
    (!inner.contains('(')).then(|| (name, words.collect()))
}

impl MoveImages {
    fn new(study: &Study, board: &Structure, map: &BoardMap) -> MoveImages {
        let fluent = &study.fluents[board.fluent];
        let columns = [board.inputs[0], board.inputs[1]];
        let axes = columns.map(|column| &fluent.columns[column].values);
        let text = |id: TermId| study.text(id);
        let mut images = MoveImages::default();
        if map.roles && study.roles.len() == 2 {
            images.roles = [0, 1].map(|at| (text(study.roles[at]), text(study.roles[1 - at]))).into();
        }
        for &x in axes[0] {
            for &y in axes[1] {
                if let Some(image) = map.place(fluent, columns, [x, y]) {
                    images.places.insert([x, y].map(text), image.map(text));
                    if !map.swap {
                        images.coordinates[0].insert(text(x), text(image[0]));
                        images.coordinates[1].insert(text(y), text(image[1]));
                    }
                }
            }
        }
        images
    }

    fn text(&self, text: &str) -> Option<String> {
        let (name, args) = parts(text)?;
        match self.forms.get(&(name.to_string(), args.len())) {
            Some(form) => self.mapped(name, &args, form),
            None => self.single.get(text).cloned(),
        }
    }

    /// A move whose arguments are what `form` says.
    fn mapped(&self, name: &str, args: &[&str], form: &[Argument]) -> Option<String> {
        let mut image = Vec::with_capacity(args.len());
        for (at, (arg, what)) in args.iter().zip(form).enumerate() {
            match what {
                Argument::Other => image.push(self.roles.get(*arg).cloned().unwrap_or_else(|| arg.to_string())),
                Argument::Coordinate(axis) => image.push(self.coordinates[*axis].get(*arg)?.clone()),
                Argument::Place => {
                    let place = self.places.get(&[arg.to_string(), args.get(at + 1)?.to_string()])?;
                    image.extend(place.clone());
                }
                Argument::Second => {}
            }
        }
        Some(if image.is_empty() { name.to_string() } else { format!("({name} {})", image.join(" ")) })
    }

    /// The forms that moves of this name and number of arguments can have; those that map the most first.
    fn candidates(&self, moves: &BTreeSet<&str>, arity: usize) -> Vec<Vec<Argument>> {
        let args: Vec<Vec<&str>> = moves.iter().filter_map(|text| Some(parts(text)?.1)).collect();
        let is_place =
            |at: usize| args.iter().all(|a| self.places.contains_key(&[a[at].to_string(), a[at + 1].to_string()]));
        let is_on = |at: usize, axis: usize| args.iter().all(|a| self.coordinates[axis].contains_key(a[at]));
        let mut found: Vec<Vec<Argument>> = vec![Vec::new()];
        for at in 0..arity {
            let longer = |form: Vec<Argument>| -> Vec<Vec<Argument>> {
                let next: Vec<Argument> = match form.last() {
                    Some(Argument::Place) => vec![Argument::Second],
                    _ => {
                        let place = (at + 1 < arity && is_place(at)).then_some(Argument::Place);
                        let on = (0..2).filter(|&axis| is_on(at, axis)).map(Argument::Coordinate);
                        place.into_iter().chain(on).chain([Argument::Other]).collect()
                    }
                };
                next.into_iter().map(|argument| form.iter().copied().chain([argument]).collect()).collect()
            };
            found = found.into_iter().flat_map(longer).collect();
        }
        found
    }
}

/// A move that leads from a state to another, with those moves of the mapped state that lead to its image.
struct Step {
    text: String,
    images: BTreeSet<String>,
}

/// Facts of which at most one holds in any state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FactGroup {
    /// The facts, by number.
    pub facts: Vec<u32>,
    /// How it is known that at most one holds.
    pub at_most_one: Evidence,
    /// How it is known that one always does; `None` if it is not so.
    pub at_least_one: Option<Evidence>,
}

impl Study {
    /// The symmetries as permutations of the facts of an engine. A few random games are played to find out how moves are mapped.
    ///
    /// # Errors
    /// When the engine reaches a limit.
    pub fn symmetries<G: Facts>(&self, game: &G, seed: u64) -> Result<Vec<Symmetry>, Limit> {
        let mut found = Vec::new();
        if self.graphs.iter().all(|graph| graph.maps.is_empty()) {
            return Ok(found);
        }
        let states = symmetry::sample(game, seed)?;
        let atlas = self.atlas(game);
        for graph in &self.graphs {
            let board = &self.structures[graph.fluent];
            for (map, tested) in &graph.maps {
                let mut images = Images::new(self, board, map);
                let size = atlas.iter().map(|(fact, ..)| *fact as usize + 1).max().unwrap_or(0);
                let mut facts = vec![None; size];
                for (fact, id, row) in &atlas {
                    let text = id.map_or_else(|| self.fact_text(row), |id| self.text(id));
                    facts[*fact as usize] = images.text(&text).and_then(|image| game.fact(image));
                }
                let role = |role: Role| if map.roles { Role(1 - role.0) } else { role };
                found.push(Symmetry {
                    what: map.what(),
                    evidence: Evidence::Seen(*tested),
                    roles: roles(game).map(role).collect(),
                    facts,
                    moves: self.move_images(game, board, map, &states)?,
                });
            }
        }
        Ok(found)
    }

    /// How moves are mapped, as far as these states tell.
    fn move_images<G: Facts>(
        &self,
        game: &G,
        board: &Structure,
        map: &BoardMap,
        states: &[G::State],
    ) -> Result<MoveImages, Limit> {
        let mut images = MoveImages::new(self, board, map);
        let steps = self.steps(game, board, map, states)?;
        let mut groups: BTreeMap<(String, usize), Vec<&Step>> = BTreeMap::new();
        for step in &steps {
            if let Some((name, args)) = parts(&step.text) {
                groups.entry((name.to_string(), args.len())).or_default().push(step);
            }
        }
        for ((name, arity), steps) in groups {
            let moves: BTreeSet<&str> = steps.iter().map(|step| step.text.as_str()).collect();
            let fits = |form: &Vec<Argument>| {
                steps.iter().all(|step| {
                    let image = parts(&step.text).and_then(|(name, args)| images.mapped(name, &args, form));
                    image.is_some_and(|image| step.images.contains(&image))
                })
            };
            if let Some(form) = images.candidates(&moves, arity).into_iter().find(fits) {
                images.forms.insert((name, arity), form);
                continue;
            }
            for text in moves {
                let own = steps.iter().filter(|step| step.text == text).map(|step| step.images.clone());
                let common = own.reduce(|a, b| a.intersection(&b).cloned().collect()).unwrap_or_default();
                if let [only] = &common.into_iter().collect::<Vec<String>>()[..] {
                    images.single.insert(text.to_string(), only.clone());
                }
            }
        }
        Ok(images)
    }

    /// What the moves of these states lead to, where one role has the choice.
    fn steps<G: Facts>(
        &self,
        game: &G,
        board: &Structure,
        map: &BoardMap,
        states: &[G::State],
    ) -> Result<Vec<Step>, Limit> {
        let mut image_of = Images::new(self, board, map);
        let (mut view, mut other) = (game.view(), game.view());
        let mut next = game.start();
        let mut steps = Vec::new();
        for state in states {
            let Some(image) = image_of.state(game, state) else { continue };
            game.look(state, &mut view)?;
            game.look(&image, &mut other)?;
            let Turn::One(chooser) = game.turn(&view) else { continue };
            let (mine, theirs) = (symmetry::joints(game, &view).0, symmetry::joints(game, &other).0);
            let becomes = if map.roles { Role(1 - chooser.0) } else { chooser };
            let mut follow: HashMap<G::State, BTreeSet<String>> = HashMap::new();
            for joint in &theirs {
                game.play(&mut other, joint, &mut next)?;
                follow.entry(next.clone()).or_default().insert(game.move_text(joint[becomes.0 as usize]));
            }
            for joint in &mine {
                game.play(&mut view, joint, &mut next)?;
                let images = image_of.state(game, &next).and_then(|image| follow.get(&image).cloned());
                let text = game.move_text(joint[chooser.0 as usize]);
                steps.push(Step { text, images: images.unwrap_or_default() });
            }
        }
        Ok(steps)
    }

    /// The invariants as groups of facts of an engine, each with at least two facts.
    pub fn fact_groups<G: Facts>(&self, game: &G) -> Vec<FactGroup> {
        let atlas = self.atlas(game);
        let mut found = Vec::new();
        for invariant in self.invariants() {
            let mut groups: BTreeMap<Vec<TermId>, Vec<u32>> = BTreeMap::new();
            for (fact, _, row) in &atlas {
                let concerned = row.fluent == invariant.fluent
                    && invariant.fixed.iter().all(|&(at, value)| row.values[at] == value);
                if concerned {
                    let key = (0..row.values.len()).filter(|at| invariant.key >> at & 1 == 1);
                    groups.entry(key.map(|at| row.values[at]).collect()).or_default().push(*fact);
                }
            }
            let seen = &self.seen.fluents[invariant.fluent];
            // As many facts at any time as there are groups: one in each.
            let full = invariant.fixed.is_empty() && seen.fewest == groups.len() && seen.most == groups.len();
            let always = match invariant.fixed[..] {
                [at] if invariant.key == 0 => seen.present.get(&at) == Some(&self.seen.tested),
                _ => full,
            };
            let at_least_one = always.then_some(Evidence::Seen(self.seen.tested));
            for mut facts in groups.into_values().filter(|facts| facts.len() > 1) {
                facts.sort_unstable();
                found.push(FactGroup { facts, at_most_one: self.evidence(&invariant), at_least_one });
            }
        }
        found
    }
}
