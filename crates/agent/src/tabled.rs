//! A searcher that plays from the table of a solved game where there is one, and otherwise lets another one think.
//!
//! A table belongs to rules, letter by letter: it is found by a number made of their text, in the folder that `ludens solve` stores
//! tables in. Rules that come renamed or rearranged, as game managers like to send them, have another number, and then the game is
//! played as if there were no table. So it is with games of two whose goals do not always add up to the same: they are solved
//! for the difference, and a player wants the most for itself.

use crate::event::{Event, Events};
use crate::searcher::Knowledge;
use ::table::file::FileError;
use ::table::solve::{AskError, Choice, Entry, SolvedTable, key_of_facts};
use game::{Game, Limit, Move, Names, Role};
use gdl::Rules;
use machine::{Engine, State};
use search::{Budget, Found, Monitor, Searcher, first_moves};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The table of one match, looked for when it is first asked for.
pub struct Tables {
    folder: Option<PathBuf>,
    found: OnceLock<Option<Opened>>,
    /// The table turned out to be damaged.
    broken: AtomicBool,
    events: Events,
}

struct Opened {
    table: SolvedTable,
    /// What the goals of both roles add up to, whatever happens; 0 in games of one.
    sum: f32,
}

impl Tables {
    /// The table is to be found in this folder; without one there is none.
    pub fn new(folder: Option<PathBuf>, events: &Events) -> Tables {
        Tables { folder, found: OnceLock::new(), broken: AtomicBool::new(false), events: events.clone() }
    }

    fn get(&self, rules: &Rules, roles: usize) -> Option<&Opened> {
        let found = self.found.get_or_init(|| {
            let folder = self.folder.as_deref().filter(|folder| roles <= 2 && folder.is_dir())?;
            let text = gdl::print(rules, gdl::Form::Kif);
            let table = SolvedTable::find(folder, &text, roles, &mut |error| self.tell(error))?;
            let sums = &table.header().statistics()["goal_sums"];
            let sum = match roles {
                1 => 0,
                _ => sums[0].as_u64().filter(|least| sums[1].as_u64() == Some(*least))?,
            };
            Some(Opened { table, sum: sum as f32 })
        });
        found.as_ref().filter(|_| !self.broken.load(Ordering::Relaxed))
    }

    fn give_up(&self, error: &FileError) {
        self.broken.store(true, Ordering::Relaxed);
        self.tell(error);
    }

    fn tell(&self, error: &FileError) {
        let (path, why) = (error.path().to_path_buf(), error.to_string());
        self.events.tell(&Event::TableRefused { path, why });
    }
}

impl Opened {
    /// What a role gets in the end, if that is known.
    fn reward(&self, role: Role, entry: Option<Entry>) -> Option<f32> {
        let value = f32::from(entry?.value?);
        match (self.table.roles(), role.0) {
            (1, _) => Some(value),
            (_, 0) => Some((self.sum + value) / 2.0),
            _ => Some((self.sum - value) / 2.0),
        }
    }

    /// Whether neither side is ahead: then every move that keeps it so is as good as another for the table, and one may be
    /// harder for the opponent than another.
    fn is_even(&self, entry: Option<Entry>) -> bool {
        self.table.roles() == 2 && entry.is_some_and(|entry| entry.value == Some(0))
    }
}

/// See the module.
pub struct Tabled {
    knowledge: Arc<Knowledge>,
    inner: Box<dyn Searcher<Engine>>,
}

impl Tabled {
    /// Plays from the table for these rules; `inner` is asked where there is none, and chooses between moves that keep a game
    /// even.
    pub fn new(knowledge: &Arc<Knowledge>, inner: Box<dyn Searcher<Engine>>) -> Tabled {
        Tabled { knowledge: Arc::clone(knowledge), inner }
    }

    /// The moves of the role with what they lead to, the best first; `None` where the table cannot say which is best.
    fn choices(&self, game: &Engine, state: &State, role: Role) -> Option<(&Opened, Vec<Choice<Engine>>)> {
        let opened = self.knowledge.tables.get(&self.knowledge.rules, game.roles())?;
        let choices = match opened.table.choices_checked(game, state) {
            Ok(choices) => choices,
            Err(AskError::Limit(_)) => return None,
            Err(AskError::File(error)) => {
                self.knowledge.tables.give_up(&error);
                return None;
            }
        };
        let known = choices.first().is_some_and(|best| best.entry.is_some_and(|entry| entry.value.is_some()));
        let all = choices.iter().all(|choice| choice.role == role && choice.entry.is_some());
        (known && all).then_some((opened, choices))
    }

    /// Whether the table says all there is to say about this state, for whoever decides.
    fn is_settled(&self, game: &Engine, state: &State) -> bool {
        let Some(opened) = self.knowledge.tables.get(&self.knowledge.rules, game.roles()) else { return false };
        let entry = opened.table.probe_checked(key_of_facts(game.facts(state))).unwrap_or_else(|error| {
            self.knowledge.tables.give_up(&error);
            None
        });
        entry.is_some_and(|entry| entry.value.is_some()) && !opened.is_even(entry)
    }
}

fn move_of(choice: &Choice<Engine>) -> Move {
    choice.joint[choice.role.0 as usize]
}

impl Searcher<Engine> for Tabled {
    fn search(
        &mut self,
        game: &Engine,
        state: &State,
        role: Role,
        budget: &Budget<'_>,
        monitor: &Monitor,
    ) -> Result<Found, Limit> {
        let legal = first_moves(game, state, role, &mut game.view(), monitor)?;
        let Some((opened, choices)) = self.choices(game, state, role) else {
            return self.inner.search(game, state, role, budget, monitor);
        };
        let best: Vec<Move> = choices.iter().filter(|choice| choice.best).map(move_of).collect();
        let (mut chosen, top) = (best[0], choices[0].entry);
        let value = opened.reward(role, top).unwrap_or(0.0);
        let moves = legal.iter().filter_map(|mv| choices.iter().find(|choice| move_of(choice) == *mv));
        let moves: Vec<search::Choice> = moves
            .map(|choice| {
                let reward = opened.reward(role, choice.entry);
                let (value, proven) = (reward.unwrap_or(0.0), reward.is_some());
                search::Choice { mv: move_of(choice), value, visits: 1, proven, share: 0.0 }
            })
            .collect();
        let even = opened.is_even(top);
        let depth = top.and_then(|entry| entry.distance).map_or(0, |moves| u32::from(moves) + 1);
        let mut found = Found { value, proven: true, depth, nodes: choices.len() as u64, moves, ..Found::default() };
        monitor.set_best(chosen, value);
        if even && best.len() > 1 {
            // What the other one thinks best at the moment may give the game away: `monitor` is not for it.
            let thought = self.inner.search(game, state, role, budget, &Monitor::new())?;
            chosen = preferred(&thought, &best);
            (found.playouts, found.nodes) = (thought.playouts, found.nodes + thought.nodes);
            monitor.set_best(chosen, value);
        }
        found.moves.iter_mut().filter(|choice| choice.mv == chosen).for_each(|choice| choice.share = 1.0);
        found.line = choices.iter().filter(|choice| move_of(choice) == chosen).map(|c| c.joint.clone()).collect();
        found.mv = Some(chosen);
        Ok(found)
    }

    fn prepare(&mut self, game: &Engine, state: &State, role: Role, budget: &Budget<'_>) -> Result<(), Limit> {
        if self.is_settled(game, state) {
            return Ok(());
        }
        self.inner.prepare(game, state, role, budget)
    }
}

/// Which of the moves a search likes best.
fn preferred(thought: &Found, among: &[Move]) -> Move {
    if let Some(mv) = thought.mv.filter(|mv| among.contains(mv)) {
        return mv;
    }
    let liked = thought.moves.iter().filter(|choice| among.contains(&choice.mv));
    liked.max_by(|a, b| a.value.total_cmp(&b.value)).map_or(among[0], |choice| choice.mv)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::table::file::Form;
    use ::table::solve::{FactKeys, Options, solve};
    use game::Turn;
    use machine::{EngineKind, Loader};
    use serde_json::json;
    use std::path::Path;
    use std::sync::Mutex;

    /// Answers with the last legal move, and counts how often it was asked.
    struct Last(Arc<Mutex<u32>>);

    impl<G: Game> Searcher<G> for Last {
        fn search(
            &mut self,
            game: &G,
            state: &G::State,
            role: Role,
            _: &Budget<'_>,
            l: &Monitor,
        ) -> Result<Found, Limit> {
            *self.0.lock().unwrap() += 1;
            let mv = first_moves(game, state, role, &mut game.view(), l)?.last().copied();
            Ok(Found { mv, ..Found::default() })
        }
    }

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("ludens-tabled-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        folder
    }

    fn sheet(name: &str) -> Rules {
        gdl::parse(library::find(name).unwrap().rules).rules
    }

    /// The rules as a player of a match gets them.
    fn sent(rules: &Rules) -> Arc<Rules> {
        Arc::new(gdl::parse(play::Disguise::new(rules, None).rules()).rules)
    }

    fn engine(rules: &Rules, kind: EngineKind) -> Engine {
        Loader::new(rules).make(kind).unwrap()
    }

    /// Stores the table of a game as `ludens solve` does.
    fn store(folder: &Path, name: &str) -> PathBuf {
        let rules = sheet(name);
        let game = engine(&rules, EngineKind::Net);
        let keys = FactKeys::new();
        let key = |state: &State| keys.key(&game, state);
        let solved = solve(&game, &Options::default(), Some(&key), &mut |_| true).unwrap();
        let sums = solved.statistics().sums.map(|(least, most)| [least, most]);
        // Found by its rules: what the file is called does not matter.
        let path = folder.join(format!("{name}-under-another-name.table"));
        let text = gdl::print(&rules, gdl::Form::Kif);
        solved.store(&path, name, &text, Form::Raw, json!({ "goal_sums": sums })).unwrap();
        path
    }

    fn searcher(folder: &Path, rules: &Arc<Rules>) -> (Tabled, Arc<Mutex<u32>>) {
        let asked = Arc::new(Mutex::new(0));
        let knowledge = Arc::new(Knowledge::new(rules, Some(folder.to_path_buf()), &Events::ignored()));
        (Tabled::new(&knowledge, Box::new(Last(Arc::clone(&asked)))), asked)
    }

    /// Plays a game to its end, all roles from the table; the values that were promised to each, and the goals.
    fn played(game: &Engine, tabled: &mut Tabled) -> (Vec<Vec<f32>>, Vec<u8>, u32) {
        let mut state = game.start();
        let mut view = game.view();
        let mut promised = vec![Vec::new(); game.roles()];
        let mut steps = 0;
        loop {
            game.look(&state, &mut view).unwrap();
            let Turn::One(role) = game.turn(&view) else { break };
            let monitor = Monitor::new();
            let found = tabled.search(game, &state, role, &Budget::of_nodes(1, 0), &monitor).unwrap();
            assert!(found.proven && found.mv == monitor.best().map(|(mv, _)| mv), "{found:?}");
            promised[role.0 as usize].push(found.value);
            let mut next = state.clone();
            game.play(&mut view, &found.line[0], &mut next).unwrap();
            state = next;
            steps += 1;
        }
        let goals = game::roles(game).map(|role| game.goal(&mut view, role).unwrap().unwrap()).collect();
        (promised, goals, steps)
    }

    #[test]
    fn a_lost_game_is_lost_late_and_a_won_one_won_soon() {
        let folder = folder("nim");
        store(&folder, "nim");
        let rules = sent(&sheet("nim"));
        fn run(folder: &Path, rules: &Arc<Rules>, game: &Engine) {
            let (mut tabled, asked) = searcher(folder, rules);
            let (promised, goals, steps) = played(game, &mut tabled);
            assert!(promised[0].iter().all(|value| *value == 0.0) && promised[1].iter().all(|value| *value == 100.0));
            assert_eq!((goals, steps), (vec![0, 100], 16));
            tabled.prepare(game, &game.start(), Role(1), &Budget::of_nodes(1, 0)).unwrap();
            assert_eq!(*asked.lock().unwrap(), 0, "nobody had to think");
        }
        // Whatever engine plays.
        for kind in EngineKind::ALL {
            run(&folder, &rules, &engine(&rules, kind));
        }
        let _ = std::fs::remove_dir_all(folder);
    }

    #[test]
    fn an_even_game_stays_even_whatever_the_other_searcher_likes() {
        let folder = folder("tic-tac-toe");
        store(&folder, "tic-tac-toe");
        let rules = sent(&sheet("tic-tac-toe"));
        let game = engine(&rules, EngineKind::Net);
        let (mut tabled, asked) = searcher(&folder, &rules);
        let (promised, goals, _) = played(&game, &mut tabled);
        assert!(promised.iter().flatten().all(|value| *value == 50.0), "{promised:?}");
        assert_eq!(goals, [50, 50]);
        assert!(*asked.lock().unwrap() > 0);
        let _ = std::fs::remove_dir_all(folder);
    }

    #[test]
    fn one_player_takes_the_shortest_way() {
        let folder = folder("hanoi");
        store(&folder, "hanoi");
        let rules = sent(&sheet("hanoi"));
        let game = engine(&rules, EngineKind::Net);
        let (mut tabled, asked) = searcher(&folder, &rules);
        assert_eq!(played(&game, &mut tabled).1, [100]);
        assert_eq!(played(&game, &mut tabled).2, 63);
        assert_eq!(*asked.lock().unwrap(), 0);
        let _ = std::fs::remove_dir_all(folder);
    }

    #[test]
    fn without_a_table_or_with_a_damaged_one_the_other_searcher_plays() {
        let folder = folder("damaged");
        let path = store(&folder, "nim");
        let asks = |rules: &Arc<Rules>| {
            let game = engine(rules, EngineKind::Net);
            let (mut tabled, asked) = searcher(&folder, rules);
            let found = tabled.search(&game, &game.start(), Role(0), &Budget::of_nodes(1, 0), &Monitor::new()).unwrap();
            assert!(found.mv.is_some());
            let count = *asked.lock().unwrap();
            assert_eq!(count == 0, found.proven);
            count
        };
        let rules = sent(&sheet("nim"));
        assert_eq!(asks(&rules), 0);
        let renamed = play::Disguise::new(&sheet("nim"), Some(3));
        assert_eq!(asks(&Arc::new(gdl::parse(renamed.rules()).rules)), 1, "renamed rules have no table");
        assert_eq!(asks(&sent(&sheet("chomp"))), 1);
        let whole = std::fs::read(&path).unwrap();
        // In the head, among the keys, among the values, and in the tail.
        for place in [3, 100, 752 * 8 + 56 + 100, whole.len() - 5] {
            let mut bytes = whole.clone();
            bytes[place] ^= 1;
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(asks(&rules), 1, "byte {place}");
        }
        let _ = std::fs::remove_dir_all(folder);
    }

    #[test]
    fn the_rules_that_players_get_are_those_of_the_table() {
        for entry in library::ENTRIES {
            let rules = gdl::parse(entry.rules).rules;
            let text = |rules: &Rules| gdl::print(rules, gdl::Form::Kif);
            assert_eq!(text(&sent(&rules)), text(&rules), "{}", entry.name);
        }
    }
}
