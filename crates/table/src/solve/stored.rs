//! A solution as a file that players can use: sorted keys of states, with their values and distances.
//!
//! The key of a state is made from the text of its facts ([`key_of_facts`]), so that it does not matter which engine made
//! the table and which one asks. The parts of the file are `keys` (8 bytes each, ascending), `values` (a byte each) and `distances` (2
//! bytes each).

use super::back::{NO_DISTANCE, NO_VALUE};
use super::limited::{self, AtLimit, Idle};
use super::{Choice, Entry, Limited, Line, LineEnd, RulesText, Solved, Statistics, Summary, play};
use crate::file::{About, FileError, Form, Header, Part, Table, Writer};
use crate::oracle::{Family, Metric};
use game::{Game, Limit, Names};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// The key of the state with these facts, in whatever order they come.
pub fn key_of_facts<T: AsRef<str>>(facts: impl IntoIterator<Item = T>) -> u64 {
    let sum = facts.into_iter().fold(0u64, |sum, fact| sum.wrapping_add(xxh3_64(fact.as_ref().as_bytes())));
    key_of_sum(sum)
}

/// The key of the state whose facts have hashes of this sum.
pub fn key_of_sum(sum: u64) -> u64 {
    // The sum of hashes is a good key already; this keeps the key of no facts from being 0.
    xxh3_64(&sum.to_le_bytes())
}

/// A key and the number of its state, for sorting.
type Named = (u64, u32);

/// Bytes that storing takes for each state, beside the solution itself.
pub const STORING: u64 = size_of::<Named>() as u64;

/// The number that stands for the rules of a solved game, given as text.
fn identity(rules: &str) -> u64 {
    crate::file::identity(&format!("solved 1 facts-xxh3\n{rules}"))
}

/// What a table is stored under.
#[derive(Clone, Copy, Debug)]
pub struct StoredGame<'a> {
    /// What the game is called.
    pub name: &'a str,
    /// The names of its roles.
    pub roles: &'a [String],
    /// What tells its rules from others, whatever their words ([`RulesText::identity`]).
    pub identity: &'a str,
    /// The text of its rules, in whose words the facts are.
    pub rules: &'a str,
}

impl StoredGame<'_> {
    fn summary(&self, statistics: &Statistics, start: Entry) -> Summary {
        let rules = RulesText { identity: self.identity.to_string(), text: self.rules.to_string() };
        Summary { rules: Some(rules), ..Summary::new(statistics, Some(start), self.name, self.roles) }
    }
}

impl Limited {
    /// Writes the table. The solver must have been given names of the states of the free game, made by [`key_of_facts`]; `game` has
    /// the rules with the counter.
    pub fn store_game(&self, path: &Path, game: &StoredGame<'_>, form: Form) -> Result<(), FileError> {
        let mut summary = game.summary(&self.free.statistics, self.start());
        summary.counter = Some(self.counter.clone());
        summary.goal_at_limit = self.at_limit.goal();
        self.free.write(path, game.rules, form, summary)
    }
}

impl Solved {
    /// Writes the table. The solver must have been given names made by [`key_of_facts`].
    pub fn store_game(&self, path: &Path, game: &StoredGame<'_>, form: Form) -> Result<(), FileError> {
        self.write(path, game.rules, form, game.summary(&self.statistics, self.start()))
    }

    fn write(&self, path: &Path, rules: &str, form: Form, summary: Summary) -> Result<(), FileError> {
        let unfit = |why: &str| FileError::Unfit { path: path.to_path_buf(), why: why.to_string() };
        let count = self.names.len();
        if count != self.seen.len() {
            return Err(unfit("the game was solved without keys for storing it"));
        }
        // Taken in one piece: grown bit by bit it would be held twice for a moment.
        let mut order: Vec<Named> = Vec::with_capacity(count);
        order.extend(self.names.iter().zip(0..));
        order.sort_unstable();
        if order.windows(2).any(|two| two[0].0 == two[1].0) {
            return Err(unfit("two states have the same key of 64 bits"));
        }
        let entries = count as u64;
        let header = Header {
            name: summary.game.clone(),
            identity: identity(rules),
            metric: Metric::End,
            bits: 8,
            parts: vec![
                Part::new("keys", 8 * entries),
                Part::new("values", entries),
                Part::new("distances", 2 * entries),
            ],
            about: About::Solved(summary),
        };
        let mut writer = Writer::create(path, header, form)?;
        for part in order.chunks(1 << 16) {
            let bytes: Vec<u8> = part.iter().flat_map(|(key, _)| key.to_le_bytes()).collect();
            writer.write(&bytes)?;
        }
        for part in order.chunks(1 << 16) {
            let bytes: Vec<u8> = part.iter().map(|(_, at)| self.values.get(*at as usize) as u8).collect();
            writer.write(&bytes)?;
        }
        for part in order.chunks(1 << 16) {
            let distances = part.iter().flat_map(|(_, at)| self.distances.get(*at as usize).to_le_bytes());
            writer.write(&distances.collect::<Vec<u8>>())?;
        }
        writer.finish()
    }
}

/// The parts, in order.
const KEYS: usize = 0;
const VALUES: usize = 1;
const DISTANCES: usize = 2;

/// A stored solution, open for probing.
pub struct SolvedTable {
    table: Table,
    roles: usize,
    summary: Summary,
}

impl SolvedTable {
    /// The number that stands for rules, given as text. A table is that of a game if it has the number of its rules,
    /// whatever the file is called.
    pub fn identity(rules: &str) -> u64 {
        identity(rules)
    }

    /// Opens the table of the game with these rules, which has so many roles.
    pub fn open(path: &Path, rules: &str, roles: usize) -> Result<SolvedTable, FileError> {
        let name = Table::peek(path)?.name;
        SolvedTable::take(Table::open_as(path, Family::Solved, &name, identity(rules))?, roles)
    }

    /// Opens a table that keeps its rules: facts must come in their words ([`RulesText::text`]).
    pub fn open_found(path: &Path) -> Result<SolvedTable, FileError> {
        let header = Table::peek(path)?;
        match &header.about {
            About::Solved(Summary { rules: Some(rules), roles, .. }) if !roles.is_empty() => {
                SolvedTable::open(path, &rules.text, roles.len())
            }
            About::Solved(_)
            | About::Chess(_)
            | About::Chinese(_)
            | About::ChineseUnfinished(_)
            | About::ChineseVersus(_)
            | About::Pattern(_) => Err(FileError::Other {
                path: path.to_path_buf(),
                field: "kind",
                expected: "a solved game with its rules".into(),
                found: header.about.name().into(),
            }),
        }
    }

    fn take(table: Table, roles: usize) -> Result<SolvedTable, FileError> {
        let names: Vec<&str> = table.header().parts.iter().map(|part| part.name.as_str()).collect();
        let entries = table.header().parts.get(1).map_or(0, |part| part.entries);
        let sizes = table.header().parts.iter().map(|part| part.entries);
        let fits = names == ["keys", "values", "distances"] && sizes.eq([8 * entries, entries, 2 * entries]);
        let (About::Solved(summary), true) = (table.header().about.clone(), fits) else {
            let place = "the parts are not those of a solved game".to_string();
            return Err(FileError::Damaged { path: table.path().to_path_buf(), place });
        };
        Ok(SolvedTable { table, roles, summary })
    }

    /// Looks through a folder for the table of the game with these rules: the first in the order of file names. Of the
    /// other files only what they say about themselves is read. `skipped` hears of files that cannot be used.
    pub fn find(folder: &Path, rules: &str, roles: usize, skipped: &mut dyn FnMut(&FileError)) -> Option<SolvedTable> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<_> = entries
            .filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "table"))
            .collect();
        paths.sort();
        let wanted = identity(rules);
        for path in paths {
            let found = match Table::peek(&path) {
                Ok(header) if header.family() == Some(Family::Solved) && header.identity == wanted => {
                    SolvedTable::open(&path, rules, roles)
                }
                Ok(_) => continue,
                Err(error) => Err(error),
            };
            match found {
                Ok(table) => return Some(table),
                Err(error) => skipped(&error),
            }
        }
        None
    }

    /// What the file says about itself.
    pub fn header(&self) -> &Header {
        self.table.header()
    }

    /// What it says about its game.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// How many states it has.
    pub fn states(&self) -> u64 {
        self.table.header().parts[1].entries
    }

    /// How many roles the game has.
    pub fn roles(&self) -> usize {
        self.roles
    }

    /// What is known of the state with these facts, in any order and in the words of the stored rules. Where the game has a
    /// counter that was left out, the answer is that within what is left of it; facts without the counter are those of the game
    /// without it.
    pub fn probe_facts<T: AsRef<str>>(&self, facts: &[T]) -> Result<Option<Entry>, FileError> {
        let left = self.summary.counter.as_ref().and_then(|counter| Some((counter, counter.left(facts)?)));
        let Some((counter, left)) = left else { return self.probe(key_of_facts(facts.iter().map(AsRef::as_ref))) };
        let rest = facts.iter().map(AsRef::as_ref).filter(|fact| !counter.facts.iter().any(|own| own == fact));
        let at_limit = self.summary.goal_at_limit.map_or(AtLimit::Even, AtLimit::Goal);
        Ok(self.probe(key_of_facts(rest))?.map(|entry| at_limit.within(entry, left)))
    }

    /// What is known of the state with this key ([`key_of_facts`]), without a counter that was left out. Every block that
    /// is read on the way is compared with its checksum.
    pub fn probe(&self, key: u64) -> Result<Option<Entry>, FileError> {
        // A block is a multiple of 8 bytes, so no key lies in two of them.
        let get = |at: u64| self.table.bytes(KEYS, 8 * at).map(u64::from_le_bytes);
        let (mut low, mut high) = (0, self.states());
        while low < high {
            let middle = low + (high - low) / 2;
            if get(middle)? < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if low >= self.states() || get(low)? != key {
            return Ok(None);
        }
        let distance = self.table.bytes(DISTANCES, 2 * low)?;
        Ok(Some(Entry::of(self.table.get(VALUES, low)? as i8, u16::from_le_bytes(distance))))
    }

    // old way; goes when the callers have moved
    /// As [`probe`](SolvedTable::probe).
    pub fn probe_checked(&self, key: u64) -> Result<Option<Entry>, FileError> {
        self.probe(key)
    }

    /// What is known of a state; `None` if it cannot be reached from the start.
    pub fn probe_state<G: Names>(&self, game: &G, state: &G::State) -> Result<Option<Entry>, FileError> {
        self.probe_facts(&game.facts(state))
    }

    /// The moves of a state with what they lead to, the best first.
    pub fn choices<G: Names>(&self, game: &G, state: &G::State) -> Result<Vec<Choice<G>>, AskError> {
        self.with_probe(game, |probe| play::choices(game, state, self.roles, probe))
    }

    /// Best play from a state to the end, or until a state comes again. A table that contradicts itself, or does not have
    /// what can be reached from a state that it has, is an error.
    pub fn line<G: Names>(&self, game: &G, state: &G::State) -> Result<Line, AskError> {
        let line = self.with_probe(game, |probe| play::line(game, state, self.roles, probe))?;
        let wrong = |why: String| {
            let place = format!("the checksums fit, but {why}");
            AskError::File(FileError::Damaged { path: self.table.path().to_path_buf(), place })
        };
        let moves = line.steps.len();
        match line.end {
            LineEnd::Unknown => Err(wrong(format!("what follows after {moves} moves is missing"))),
            LineEnd::Wrong => Err(wrong(format!("the best move after {moves} moves does not bring the end nearer"))),
            LineEnd::Over(_) | LineEnd::Stuck | LineEnd::Repeats => Ok(line),
        }
    }

    /// Runs something that probes; what goes wrong with a probe comes out at the end.
    fn with_probe<G: Names, T>(
        &self,
        game: &G,
        run: impl FnOnce(&dyn Fn(&G::State) -> Option<Entry>) -> Result<T, Limit>,
    ) -> Result<T, AskError> {
        let fault = Cell::new(None);
        let probe = |state: &G::State| {
            self.probe_state(game, state).unwrap_or_else(|error| {
                fault.set(Some(error));
                None
            })
        };
        let result = run(&probe).map_err(AskError::Limit)?;
        fault.into_inner().map_or(Ok(result), |error| Err(AskError::File(error)))
    }

    // old way; goes when the callers have moved
    /// As [`choices`](SolvedTable::choices).
    pub fn choices_checked<G: Names>(&self, game: &G, state: &G::State) -> Result<Vec<Choice<G>>, AskError> {
        self.choices(game, state)
    }

    // old way; goes when the callers have moved
    /// As [`line`](SolvedTable::line).
    pub fn line_checked<G: Names>(&self, game: &G, state: &G::State) -> Result<Line, AskError> {
        self.line(game, state)
    }

    /// Compares every byte with its checksum, and checks that the keys ascend and every entry is possible.
    pub fn check(&self) -> Result<(), FileError> {
        let [keys, values, distances] = [self.table.load(KEYS)?, self.table.load(VALUES)?, self.table.load(DISTANCES)?];
        let ascending = keys.bytes().chunks_exact(8).map(|key| u64::from_le_bytes(key.try_into().unwrap_or_default()));
        let one = self.roles == 1;
        let values = values.bytes().iter().map(|value| *value as i8).zip(distances.bytes().chunks_exact(2));
        let fine = |value: i8, distance: u16| match value {
            NO_VALUE => one && distance == NO_DISTANCE,
            0 => one == (distance != NO_DISTANCE),
            _ => distance != NO_DISTANCE && (-100..=100).contains(&value) && (value > 0 || !one),
        };
        let entries_fit = || values.clone().all(|(value, d)| fine(value, u16::from_le_bytes([d[0], d[1]])));
        if ascending.is_sorted_by(|a, b| a < b) && entries_fit() {
            return Ok(());
        }
        let place = "the checksums fit, but the entries are not those of a solved game".to_string();
        Err(FileError::Damaged { path: self.table.path().to_path_buf(), place })
    }

    /// Derives every state from its successors again, from the start of the game on, layer by layer, and compares it with the
    /// file. `watch` hears how many were compared; `false` ends it with `None`. Where a counter was left out, the game is that
    /// without it, and it is also found again that the counter could be left out.
    pub fn verify<G: Names>(&self, game: &G, watch: &mut dyn FnMut(u64) -> bool) -> Result<Option<Verified>, AskError> {
        let mut found = Verified { wrong: 0, limit_holds: true, statistics: self.recount().map_err(AskError::File)? };
        let start = game.start();
        let mut numbers = HashMap::from([(key_of_facts(game.facts(&start)), 0u64)]);
        let mut layer = vec![start];
        let mut idle = Idle::default();
        let mut done = 0;
        while !layer.is_empty() {
            found.statistics.layers.push(layer.len() as u64);
            let mut next = Vec::new();
            for state in layer {
                if !watch(done) {
                    return Ok(None);
                }
                let choices = self.choices(game, &state)?;
                if self.summary.counter.is_some() && !choices.is_empty() {
                    idle.add(rate(game, &state).map_err(AskError::Limit)?.value());
                }
                let expected = match choices.first() {
                    Some(best) => best.entry.map(|entry| Entry {
                        distance: entry.distance.and_then(|moves| moves.checked_add(1)),
                        ..entry
                    }),
                    None => Some(found.end(game, &state).map_err(AskError::Limit)?),
                };
                let stored = self.probe_state(game, &state).map_err(AskError::File)?;
                found.wrong += u64::from(stored != expected);
                let mut different = BTreeSet::new();
                for choice in choices {
                    let fresh = numbers.len() as u64;
                    let number = *numbers.entry(key_of_facts(game.facts(&choice.state))).or_insert(fresh);
                    different.insert(number);
                    next.extend((number == fresh).then_some(choice.state));
                }
                found.statistics.may_repeat |= different.first().is_some_and(|first| *first <= done);
                found.statistics.edges += different.len() as u64;
                done += 1;
            }
            layer = next;
        }
        found.wrong += self.states().abs_diff(done);
        if self.summary.counter.is_some() {
            let at_limit = limited::at_limit(self.roles, idle.0, &found.statistics).ok();
            found.limit_holds = at_limit.is_some_and(|at_limit| at_limit.goal() == self.summary.goal_at_limit);
        }
        Ok(Some(found))
    }

    /// What the entries say, without the rules: how many there are of each.
    fn recount(&self) -> Result<Statistics, FileError> {
        let mut statistics = Statistics {
            roles: self.roles,
            states: self.states(),
            edges: 0,
            layers: Vec::new(),
            terminal: 0,
            ends: BTreeMap::new(),
            stuck: 0,
            unrated: 0,
            sums: None,
            may_repeat: false,
            values: BTreeMap::new(),
            distances: BTreeMap::new(),
        };
        let [values, distances] = [self.table.load(VALUES)?, self.table.load(DISTANCES)?];
        for (value, distance) in values.bytes().iter().zip(distances.bytes().chunks_exact(2)) {
            statistics.count(Entry::of(*value as i8, u16::from_le_bytes([distance[0], distance[1]])));
        }
        Ok(statistics)
    }
}

/// What came of deriving a table again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verified {
    /// How many states do not follow from their successors, are missing, or are too many.
    pub wrong: u64,
    /// Whether a counter that was left out could be left out, and gives at its limit what the table says.
    pub limit_holds: bool,
    /// The game in numbers, counted again. Whether it may repeat depends on the order in which moves are listed, and so on
    /// the engine; all else does not.
    pub statistics: Statistics,
}

impl Verified {
    /// Counts an end and tells what it is worth.
    fn end<G: Game>(&mut self, game: &G, state: &G::State) -> Result<Entry, Limit> {
        let rated = rate(game, state)?;
        let counts = &mut self.statistics;
        *(if rated.over { &mut counts.terminal } else { &mut counts.stuck }) += 1;
        counts.unrated += u64::from(rated.unrated);
        let sum = rated.goals[0] + rated.goals[1];
        counts.sums = counts.sums.map_or(Some((sum, sum)), |(least, most)| Some((least.min(sum), most.max(sum))));
        let value = rated.value();
        *counts.ends.entry(value).or_default() += 1;
        let even = counts.roles == 2 && value == 0;
        Ok(Entry { value: Some(value), distance: (!even).then_some(0) })
    }
}

/// The goals of a state.
struct Rated {
    goals: [u8; 2],
    /// A role has no goal there.
    unrated: bool,
    over: bool,
}

impl Rated {
    /// How far the first role is ahead, or what the only role has.
    fn value(&self) -> i8 {
        self.goals[0] as i8 - self.goals[1] as i8
    }
}

fn rate<G: Game>(game: &G, state: &G::State) -> Result<Rated, Limit> {
    let mut view = game.view();
    game.look(state, &mut view)?;
    let mut rated = Rated { goals: [0; 2], unrated: false, over: game.over(&view) };
    for (goal, role) in rated.goals.iter_mut().zip(game::roles(game)) {
        let given = game.goal(&mut view, role)?;
        rated.unrated |= given.is_none();
        *goal = given.unwrap_or(0).min(100);
    }
    Ok(rated)
}

/// Why a table gave no answer.
#[derive(Debug)]
pub enum AskError {
    /// The engine came to a limit.
    Limit(Limit),
    /// The file is damaged.
    File(FileError),
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AskError::Limit(limit) => limit.fmt(f),
            AskError::File(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for AskError {}
