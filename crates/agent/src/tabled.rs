//! A searcher that plays from tables where there are some, and otherwise lets another one think.
//!
//! Where the tables settle what is best, nobody thinks: a won game is won in the least number of moves, and a lost one lost as late as
//! can be. Where several moves keep a game even, the other searcher chooses among them: one of them may be harder for the opponent.
//! Games of two whose goals do not always add up to the same are solved for the difference, and a player wants the most for
//! itself: there the other searcher plays.

use crate::searcher::Knowledge;
use game::{Game, Limit, Move, Role};
use machine::{Engine, State};
use search::{Budget, Found, Monitor, Searcher, first_moves};
use std::sync::Arc;
use table::oracle::{Choice, Standing, settles};

/// See the module.
pub struct Tabled {
    knowledge: Arc<Knowledge>,
    inner: Box<dyn Searcher<Engine>>,
}

impl Tabled {
    /// Plays from the tables for a game; `inner` is asked where there are none, and chooses between moves that keep a game
    /// even.
    pub fn new(knowledge: &Arc<Knowledge>, inner: Box<dyn Searcher<Engine>>) -> Tabled {
        Tabled { knowledge: Arc::clone(knowledge), inner }
    }

    /// The moves of the role with what they lead to, the best first, and what the goals add up to; `None` where the tables
    /// cannot say which is best.
    fn choices(&self, game: &Engine, state: &State, role: Role) -> Option<(Vec<Choice<Engine>>, Option<u8>)> {
        let Knowledge { oracles, rules, .. } = &*self.knowledge;
        let about = oracles.get(rules)?.describe();
        if about.roles == 2 && about.goal_sum.is_none() {
            return None;
        }
        let choices = oracles.choices(rules, game, state)?;
        let is_mine = choices.iter().all(|choice| choice.role == role);
        (is_mine && settles(&choices)).then_some((choices, about.goal_sum))
    }
}

fn move_of(choice: &Choice<Engine>) -> Move {
    choice.joint[choice.role.0 as usize]
}

/// Whether neither side is ahead: then every move that keeps it so is as good as another for the tables.
fn is_even(choice: &Choice<Engine>) -> bool {
    choice.verdict.is_some_and(|verdict| verdict.standing(choice.role) == Some(Standing::Even))
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
        let Some((choices, goal_sum)) = self.choices(game, state, role) else {
            return self.inner.search(game, state, role, budget, monitor);
        };
        let legal = first_moves(game, state, role, &mut game.view(), monitor)?;
        let best: Vec<Move> = choices.iter().filter(|choice| choice.best).map(move_of).collect();
        let reward = |choice: &Choice<Engine>| choice.verdict.and_then(|verdict| verdict.reward(role, goal_sum));
        let mut chosen = best[0];
        let value = reward(&choices[0]).unwrap_or(0.0);
        let moves = legal.iter().filter_map(|mv| choices.iter().find(|choice| move_of(choice) == *mv));
        let moves: Vec<search::Choice> = moves
            .map(|choice| {
                let reward = reward(choice);
                let (value, proven) = (reward.unwrap_or(0.0), reward.is_some());
                search::Choice { mv: move_of(choice), value, visits: 1, proven, share: 0.0 }
            })
            .collect();
        let distance = choices[0].verdict.and_then(|verdict| verdict.distance);
        let depth = distance.map_or(0, |distance| distance.count + 1);
        let mut found = Found { value, proven: true, depth, nodes: choices.len() as u64, moves, ..Found::default() };
        monitor.set_best(chosen, value);
        if is_even(&choices[0]) && best.len() > 1 {
            // What the other one thinks best at the moment may give the game away: the monitor is not for it.
            let thought = self.inner.search(game, state, role, budget, &Monitor::new())?;
            chosen = preferred(&thought, &best);
            (found.playouts, found.nodes) = (thought.playouts, found.nodes + thought.nodes);
        }
        found.moves.iter_mut().filter(|choice| choice.mv == chosen).for_each(|choice| choice.share = 1.0);
        found.line = choices
            .iter()
            .find(|choice| move_of(choice) == chosen)
            .map(|choice| choice.joint.clone())
            .into_iter()
            .collect();
        found.mv = Some(chosen);
        monitor.finish(&found);
        Ok(found)
    }

    fn prepare(&mut self, game: &Engine, state: &State, role: Role, budget: &Budget<'_>) -> Result<(), Limit> {
        let Knowledge { oracles, rules, .. } = &*self.knowledge;
        // Where the tables say all there is to say, nobody needs to think ahead.
        let settled =
            oracles.choices(rules, game, state).is_some_and(|choices| settles(&choices) && !is_even(&choices[0]));
        if settled { Ok(()) } else { self.inner.prepare(game, state, role, budget) }
    }

    fn ponder(&mut self, game: &Engine, state: &State, role: Role, budget: &Budget<'_>) -> Result<(), Limit> {
        let Knowledge { oracles, rules, .. } = &*self.knowledge;
        match oracles.choices(rules, game, state) {
            // The tables will know what follows, too.
            Some(_) => Ok(()),
            None => self.inner.ponder(game, state, role, budget),
        }
    }

    fn about(&self) -> Option<String> {
        self.inner.about()
    }
}

/// The move that was liked best among some.
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
    use crate::Events;
    use ::table::file::Form;
    use ::table::solve::{FactKeys, Options, StoredGame, solve};
    use ::table::store::Store;
    use game::Turn;
    use gdl::Rules;
    use machine::{EngineKind, Loader};
    use std::path::{Path, PathBuf};
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
        // Found by its rules: what the file is called does not matter.
        let path = Store::new(folder).path(::table::oracle::Family::Solved, &format!("{name}-under-another-name"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let (text, identity) = (gdl::print(&rules, gdl::Form::Kif), gdl::identity(&rules).to_string());
        let game = StoredGame { name, roles: &game::role_names(&game), identity: &identity, rules: &text };
        solved.store_game(&path, &game, Form::Raw).unwrap();
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
        for seed in 1..4 {
            let renamed = play::Disguise::new(&sheet("nim"), Some(seed));
            assert_eq!(asks(&Arc::new(gdl::parse(renamed.rules()).rules)), 0, "renamed rules find their table");
        }
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
