//! Games that were opened: their rules, their engines, and how their states are drawn. Whatever is opened twice is made once.

use agent::searcher::Knowledge;
use agent::studying::dressed;
use agent::{Opening, Position, Resources};
use anyhow::{Context, Result, bail};
use game::{Cancel, Game as _, Names, role_names, roles};
use gdl::Rules;
use library::{Entry, Sheet};
use machine::{Engine, EngineKind, Loader, NoNet, State};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use study::picture::Layout;
use study::{Plan, Stage, Study};

/// Games that are kept open.
const MOST_OPEN: usize = 80;
/// What opening a game may take; then it is refused.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long the looks at a game for its board go on.
const LOOKS: Duration = Duration::from_millis(1500);

/// How names of games that are not in the library begin.
pub const OWN: &str = "own-";

/// A game that can be played here.
pub struct Game {
    /// Its name in addresses.
    pub key: String,
    /// What it is called.
    pub title: String,
    /// The library's entry, if it comes from there.
    pub entry: Option<&'static Entry>,
    /// The rules as they were written.
    pub sheet: Sheet,
    /// The rules.
    pub rules: Arc<Rules>,
    /// The engine that pages are made with; ready at once.
    pub engine: Engine,
    /// The names of the roles.
    pub roles: Vec<String>,
    /// How states are drawn.
    pub layout: Layout,
    /// The engine that players think with, once it is there.
    strong: OnceLock<Engine>,
    making: Mutex<()>,
    /// What is known of it, for all who think about it.
    pub knowledge: Arc<Knowledge>,
}

/// A position, with all that a page wants to know of it.
#[derive(Clone)]
pub struct Stand {
    /// The state.
    pub state: State,
    /// Its facts.
    pub facts: Vec<String>,
    /// The legal moves of every role; none where the game is over.
    pub legal: Vec<Vec<String>>,
    /// The goals, where the game is over.
    pub goals: Option<Vec<Option<u8>>>,
}

impl Stand {
    /// Whether the game is over.
    pub fn is_over(&self) -> bool {
        self.goals.is_some()
    }
}

/// The name in addresses of rules that are not in the library.
pub fn own_key(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    format!("{OWN}{}", hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect::<String>())
}

impl Game {
    /// Opens a game: an engine, and a look at its board.
    ///
    /// # Errors
    /// When the rules cannot be read or played; the message names the place.
    pub fn open(sheet: Sheet, resources: &Resources, cancel: &Cancel) -> Result<Game> {
        let rules = sheet.rules()?;
        if rules.roles().is_empty() {
            bail!("the rules name no role: write (role NAME) for each player");
        }
        let token = cancel.child();
        let engine = within(PATIENCE, &token, || Loader::new(&rules).until(&token).make(EngineKind::Rules));
        let engine = match engine {
            Ok(engine) => engine,
            Err(NoNet::Load(error)) => {
                let place = error.span.map(|span| sheet.source().place(span.start));
                let place = place.map_or(String::new(), |(line, column)| format!(" (line {line}, column {column})"));
                bail!("the rules cannot be played: {}{place}", error.message)
            }
            Err(NoNet::Unfit(unfit)) => bail!("the rules cannot be played: {unfit}"),
        };
        let began = Instant::now();
        let mut plan = Plan::quick();
        plan.more = Box::new(move |stage| stage != Stage::Observe && began.elapsed() < LOOKS);
        plan.cancel = token.clone();
        let study = within(PATIENCE, &token, || Study::run(&rules, &engine, plan));
        let layout = dressed(Layout::new(&study), &sheet)?;
        let (key, title) = match sheet.entry {
            Some(entry) => (entry.name.to_string(), entry.title().to_string()),
            None => (own_key(&sheet.text), title_of(&sheet)),
        };
        let roles = role_names(&engine);
        let entry = sheet.entry;
        let (strong, making) = (OnceLock::new(), Mutex::new(()));
        let rules = Arc::new(rules);
        let Resources { tables, events, distance_tables, .. } = resources;
        let knowledge = Knowledge::new(&rules, tables.clone(), events).with_distance_tables(distance_tables);
        let knowledge = Arc::new(knowledge);
        Ok(Game { key, title, entry, sheet, rules, engine, roles, layout, strong, making, knowledge })
    }

    /// The engine that players think with. The first who asks waits until it is made, or until it takes too long.
    pub fn strong(&self, cancel: &Cancel) -> Engine {
        if let Some(engine) = self.strong.get() {
            return engine.clone();
        }
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(engine) = self.strong.get() {
            return engine.clone();
        }
        let token = cancel.child();
        let best = within(PATIENCE, &token, || Loader::new(&self.rules).until(&token).best());
        match best {
            Ok(best) if !cancel.is_cancelled() => {
                let _ = self.strong.set(best.engine.clone());
                best.engine
            }
            _ => self.engine.clone(),
        }
    }

    /// All about a state.
    ///
    /// # Errors
    /// When the engine reaches a limit.
    pub fn stand(&self, state: State) -> Result<Stand> {
        let facts = self.engine.facts(&state);
        let mut position = Position::new(self.engine.clone(), state);
        let is_over = position.is_over()?;
        let goals = if is_over { Some(position.goals()?) } else { None };
        let mut legal = Vec::new();
        for role in roles(&self.engine) {
            let moves = position.legal(role)?;
            legal.push(moves.iter().map(|&mv| self.engine.move_text(mv)).collect());
        }
        Ok(Stand { state: position.state().clone(), facts, legal, goals })
    }

    /// The beginning.
    ///
    /// # Errors
    /// As [`Game::stand`].
    pub fn start(&self) -> Result<Stand> {
        self.stand(self.engine.start())
    }

    /// Where an opening leads.
    ///
    /// # Errors
    /// When it does not fit the game.
    pub fn at(&self, opening: &Opening) -> Result<Stand> {
        self.stand(opening.open(&self.engine)?.state().clone())
    }

    /// What follows from a joint move, in the words of the rules.
    ///
    /// # Errors
    /// When a move is not legal, or the engine reaches a limit.
    pub fn follow(&self, stand: &Stand, joint: &[String]) -> Result<Stand> {
        let mut position = Position::new(self.engine.clone(), stand.state.clone());
        let joint = position.joint(joint)?.map_err(anyhow::Error::msg)?;
        position.play(&joint)?;
        self.stand(position.state().clone())
    }

    /// What random play shows in the middle of a game: the recorded game of the library, or a few moves.
    ///
    /// # Errors
    /// When the engine reaches a limit.
    pub fn middle(&self) -> Result<Vec<String>> {
        if let Some(facts) = self.entry.and_then(|entry| recorded(entry.playthrough?)) {
            return Ok(facts);
        }
        let mut stand = self.start()?;
        let mut rng = game::random::Rng::new(7);
        for _ in 0..8 {
            if stand.is_over() || stand.legal.iter().any(Vec::is_empty) {
                break;
            }
            let joint: Vec<String> = stand.legal.iter().map(|moves| moves[rng.below(moves.len())].clone()).collect();
            let next = self.follow(&stand, &joint)?;
            if next.is_over() {
                break;
            }
            stand = next;
        }
        Ok(stand.facts)
    }
}

/// The facts in the middle of a playthrough.
pub fn recorded(playthrough: &str) -> Option<Vec<String>> {
    let count = playthrough.lines().filter(|line| line.starts_with("state ")).count();
    let wanted = count * 3 / 5;
    let mut now = std::collections::BTreeSet::new();
    let mut seen = 0;
    for line in playthrough.lines() {
        if line.starts_with("state ") {
            if seen > wanted {
                break;
            }
            seen += 1;
        } else if let Some(fact) = line.strip_prefix("  + ") {
            now.insert(fact.to_string());
        } else if let Some(fact) = line.strip_prefix("  - ") {
            now.remove(fact);
        }
    }
    (!now.is_empty()).then(|| now.into_iter().collect())
}

/// What rules of one's own are called: their first comment, or their roles.
fn title_of(sheet: &Sheet) -> String {
    let comment = sheet.text.lines().map(str::trim).find(|line| !line.is_empty());
    let comment = comment.filter(|line| line.starts_with(';')).map(|line| line.trim_matches([';', ' ', '=', '-', '*']));
    match comment.filter(|words| words.chars().any(char::is_alphanumeric)) {
        Some(words) => words.chars().take(60).collect(),
        None => "Rules of your own".to_string(),
    }
}

/// Does something whose token is cancelled if it takes too long.
pub fn within<T>(time: Duration, token: &Cancel, work: impl FnOnce() -> T) -> T {
    std::thread::scope(|scope| {
        let (done, wait) = std::sync::mpsc::channel::<()>();
        scope.spawn(move || {
            if wait.recv_timeout(time) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                token.cancel();
            }
        });
        let result = work();
        drop(done);
        result
    })
}

/// A game that is made by the first who asks for it, or why it cannot be.
type Slot = OnceLock<Result<Arc<Game>, String>>;

/// The games that are open.
#[derive(Default)]
pub struct Games {
    /// What players share.
    pub resources: Resources,
    open: Mutex<HashMap<String, Arc<Slot>>>,
}

impl Games {
    /// No game is open yet; what players share is this.
    pub fn new(resources: Resources) -> Games {
        Games { resources, open: Mutex::default() }
    }

    /// The game of this sheet; made by the first who asks for it.
    ///
    /// # Errors
    /// When it cannot be played.
    pub fn open(&self, sheet: Sheet) -> Result<Arc<Game>> {
        let key = sheet.entry.map_or_else(|| own_key(&sheet.text), |entry| entry.name.to_string());
        let slot = {
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            if open.len() >= MOST_OPEN && !open.contains_key(&key) {
                // Whoever plays one has it still.
                open.retain(|_, slot| Arc::strong_count(slot) > 1);
                if open.len() >= MOST_OPEN {
                    open.clear();
                }
            }
            Arc::clone(open.entry(key).or_default())
        };
        let made = slot.get_or_init(|| {
            Game::open(sheet, &self.resources, &Cancel::new()).map(Arc::new).map_err(|error| format!("{error:#}"))
        });
        made.clone().map_err(anyhow::Error::msg)
    }

    /// A game of the library by its name.
    ///
    /// # Errors
    /// When there is no such game.
    pub fn library(&self, name: &str) -> Result<Arc<Game>> {
        let entry = library::find(name).with_context(|| format!("there is no game {name:?} in the library"))?;
        self.open(Sheet::of(entry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_opened_once() {
        let games = Games::default();
        let [a, b] = [games.library("Nim").unwrap(), games.library("nim").unwrap()];
        assert!(Arc::ptr_eq(&a, &b));
        assert_eq!(a.roles, ["first", "second"]);
        assert!(games.library("nothing").is_err());
        let start = a.start().unwrap();
        assert_eq!((start.legal[0].len(), start.legal[1].len()), (16, 1));
        let next = a.follow(&start, &["(take a 1)".into(), "noop".into()]).unwrap();
        assert!(!next.is_over() && next.legal[0].len() == 1);
        assert!(a.follow(&start, &["(take z 1)".into(), "noop".into()]).is_err());
    }

    #[test]
    fn rules_without_a_game_are_refused_in_words() {
        let games = Games::default();
        for (text, part) in [("(role", "cannot be read"), ("(next x)", "no role")] {
            let sheet = Sheet::read("rules".into(), text.as_bytes()).unwrap();
            let error = games.open(sheet).err().unwrap().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
