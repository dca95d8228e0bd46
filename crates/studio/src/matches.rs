//! A match: positions as a tree, so that what was taken back is kept; seats with persons and players; and somebody who drives it on.
//!
//! Everything that changes a match goes through its lock and gives the match a new run: whoever still thinks for the run before is told to stop, and
//! what it finds is dropped. A thread of its own drives each run until a person is wanted, the game is over, or the match is paused.

mod minds;
mod review;
mod told;

pub use told::{Overview, Thought};

use crate::games::{Game, Stand};
use crate::kept::{Kept, KeptMatch, VERSION};
use agent::notation::{Meaning, understand};
use agent::opponent::at_level;
use agent::{Opening, PlayerSpec};
use anyhow::{Result, bail, ensure};
use game::Cancel;
use minds::Minds;
use play::MatchRecord;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::broadcast;

/// Positions that one match may have.
const MOST_NODES: usize = 4000;
/// Forced steps in a row after which nobody waits for the end of the game any more.
const MOST_FORCED: usize = 1000;
/// News that are kept for those who are slow to hear them.
const NEWS: usize = 256;
/// How often those who wait look whether they should.
const LOOK: Duration = Duration::from_millis(20);
/// The longest delay between moves.
const LONGEST_DELAY: f64 = 60.0;

/// Who plays a role.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Seat {
    /// Somebody at the page.
    Person,
    /// The default player at a level from 1 to 10.
    Level {
        /// The level.
        level: u8,
    },
    /// Any player, by its description.
    Player {
        /// The description.
        player: String,
    },
}

/// Players that a page may not ask for: they start programs, read files or talk to others.
const NOT_HERE: [&str; 4] = ["human", "remote", "uci", "xboard"];
/// Seconds for a move of a player that has no limit.
const SECONDS: f64 = 1.0;
/// MiB for the trees of one player.
const MEMORY: u32 = 96;

impl Seat {
    /// The player of a seat, where no person sits.
    ///
    /// # Errors
    /// When there is no such player, or it is none for pages.
    pub fn player(&self) -> Result<Option<PlayerSpec>> {
        let mut spec = match self {
            Seat::Person => return Ok(None),
            Seat::Level { level } => at_level(*level, None),
            Seat::Player { player } => {
                let spec: PlayerSpec = player.parse()?;
                let is_outside = NOT_HERE.contains(&spec.kind()) || player.contains("file=");
                ensure!(!is_outside, "{} cannot play here; `ludens match` brings such players together", spec.kind());
                spec
            }
        };
        let limits = &mut spec.limits;
        if limits.seconds.is_none() && limits.playouts.is_none() && limits.nodes.is_none() {
            limits.seconds = Some(SECONDS);
        }
        limits.seconds = limits.seconds.map(|seconds| seconds.clamp(0.01, 60.0));
        limits.memory = limits.memory.min(MEMORY);
        Ok(Some(spec))
    }
}

/// A position of a match.
struct Node {
    parent: Option<usize>,
    /// The joint move that leads here.
    joint: Vec<String>,
    stand: Stand,
    /// When it was reached, in milliseconds since 1970.
    time: u64,
    /// What was thought here.
    thought: Option<Thought>,
    /// What is to be said of the move that leads here.
    mark: Option<told::Mark>,
}

/// What changes.
struct Inside {
    seats: Vec<Seat>,
    nodes: Vec<Node>,
    current: usize,
    /// What was decided at the position at hand and not played yet.
    pending: Vec<Option<String>>,
    paused: bool,
    /// How many steps are made although the match is paused.
    steps: usize,
    delay: f64,
    resigned: Option<usize>,
    /// The number of the run, and what ends it.
    run: u64,
    stop: Cancel,
    /// The role that somebody thinks for.
    thinking: Option<usize>,
    /// Ends the analysis at hand.
    analysis: Cancel,
    trouble: Option<String>,
    used: Instant,
}

/// How a match begins.
pub struct Setup {
    /// Who plays.
    pub seats: Vec<Seat>,
    /// Where it begins.
    pub opening: Opening,
    /// Seconds between moves of players.
    pub delay: f64,
    /// Whether it waits for a word.
    pub paused: bool,
}

/// See the module.
pub struct Match {
    /// Its name in addresses.
    pub id: String,
    /// The game.
    pub game: Arc<Game>,
    start: Option<Vec<String>>,
    begun: u64,
    inside: Mutex<Inside>,
    news: broadcast::Sender<Arc<str>>,
    minds: Minds,
    kept: Kept,
    cancel: Cancel,
}

/// The time as records write it.
fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64)
}

/// What a run does next.
enum Next {
    /// Thinks for a role.
    Think(usize),
    /// Makes a joint move.
    Play(Vec<String>),
    /// Waits for a person, or for nothing any more.
    Wait,
}

/// The move that somebody means, as people write it.
fn understood(text: &str, legal: &[String], role: &str) -> Result<String> {
    if let Some(exact) = legal.iter().find(|known| *known == text) {
        return Ok(exact.clone());
    }
    match understand(text, legal) {
        Meaning::One(at) => Ok(legal[at].clone()),
        Meaning::Several(which) => {
            let some: Vec<&str> = which.iter().take(8).map(|&at| legal[at].as_str()).collect();
            bail!("{text:?} could be several moves of {role}: {}", some.join(" "))
        }
        Meaning::Unknown => bail!("{role} has no legal move {text:?}"),
    }
}

impl Match {
    /// A match that begins now.
    ///
    /// # Errors
    /// When the seats or the opening do not fit the game, or the match cannot be kept.
    pub fn begin(id: String, game: Arc<Game>, setup: Setup, kept: &Kept, cancel: &Cancel) -> Result<Arc<Match>> {
        let start = game.at(&setup.opening)?;
        let facts = (setup.opening != Opening::Start).then(|| start.facts.clone());
        let made = Match::of(id, game, facts, start, setup, now(), kept, cancel)?;
        made.save(&made.lock())?;
        let made = Arc::new(made);
        made.wake(&mut made.lock());
        Ok(made)
    }

    #[allow(clippy::too_many_arguments)]
    fn of(
        id: String,
        game: Arc<Game>,
        facts: Option<Vec<String>>,
        start: Stand,
        setup: Setup,
        begun: u64,
        kept: &Kept,
        cancel: &Cancel,
    ) -> Result<Match> {
        let roles = game.roles.len();
        ensure!(setup.seats.len() == roles, "the game has {roles} seats, and {} are taken", setup.seats.len());
        for seat in &setup.seats {
            seat.player()?;
        }
        let cancel = cancel.child();
        let inside = Inside {
            seats: setup.seats,
            nodes: vec![Node { parent: None, joint: Vec::new(), stand: start, time: now(), thought: None, mark: None }],
            current: 0,
            pending: vec![None; roles],
            paused: setup.paused,
            steps: 0,
            delay: setup.delay.clamp(0.0, LONGEST_DELAY),
            resigned: None,
            run: 0,
            stop: cancel.child(),
            thinking: None,
            analysis: cancel.child(),
            trouble: None,
            used: Instant::now(),
        };
        let (news, _) = broadcast::channel(NEWS);
        let (inside, kept, minds) = (Mutex::new(inside), kept.clone(), Minds::default());
        Ok(Match { id, game, start: facts, begun, inside, news, minds, kept, cancel })
    }

    /// A match that was kept. It is paused, so that nobody thinks unasked.
    ///
    /// # Errors
    /// When what is kept does not fit the game.
    pub fn resume(kept_match: KeptMatch, game: Arc<Game>, kept: &Kept, cancel: &Cancel) -> Result<Arc<Match>> {
        let KeptMatch { id, start, seats, nodes, current, resigned, begun, .. } = kept_match;
        let opening = start.clone().map_or(Opening::Start, Opening::Facts);
        let first = game.at(&opening)?;
        let paused = seats.iter().all(|seat| *seat != Seat::Person);
        let setup = Setup { seats, opening, delay: 0.7, paused };
        let made = Match::of(id, game, start, first, setup, begun, kept, cancel)?;
        {
            let mut inside = made.lock();
            ensure!(nodes.len() < MOST_NODES && current <= nodes.len(), "the match is damaged");
            for (parent, joint) in nodes {
                ensure!(parent < inside.nodes.len(), "the match is damaged");
                let stand = made.game.follow(&inside.nodes[parent].stand, &joint)?;
                inside.nodes.push(Node { parent: Some(parent), joint, stand, time: now(), thought: None, mark: None });
            }
            (inside.current, inside.resigned) = (current, resigned);
        }
        let made = Arc::new(made);
        made.wake(&mut made.lock());
        Ok(made)
    }

    /// A match that was played elsewhere.
    ///
    /// # Errors
    /// When the record is not one of this game.
    pub fn replayed(
        id: String,
        game: Arc<Game>,
        record: &MatchRecord,
        kept: &Kept,
        cancel: &Cancel,
    ) -> Result<Arc<Match>> {
        let facts = record.facts(0);
        let opening = facts.map_or(Opening::Start, Opening::Facts);
        let first = game.at(&opening)?;
        let own = game.start()?;
        let start = (first.facts != own.facts).then(|| first.facts.clone());
        let seats = vec![Seat::Level { level: 5 }; game.roles.len()];
        let setup = Setup { seats, opening, delay: 0.7, paused: true };
        let made = Match::of(id, game, start, first, setup, now(), kept, cancel)?;
        {
            let mut inside = made.lock();
            ensure!(record.moves.len() < MOST_NODES, "the record has too many moves");
            for (step, joint) in record.moves.iter().enumerate() {
                let joint: Vec<String> =
                    joint.iter().map(|mv| play::text::tidy(mv).unwrap_or_else(|| mv.clone())).collect();
                let last = inside.nodes.len() - 1;
                let stand = made.game.follow(&inside.nodes[last].stand, &joint);
                let stand = stand.map_err(|error| anyhow::anyhow!("step {}: {error:#}", step + 1))?;
                inside.nodes.push(Node { parent: Some(last), joint, stand, time: now(), thought: None, mark: None });
            }
            inside.current = inside.nodes.len() - 1;
        }
        made.save(&made.lock())?;
        Ok(Arc::new(made))
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// News of the match, from now on.
    pub fn listen(&self) -> broadcast::Receiver<Arc<str>> {
        self.news.subscribe()
    }

    /// When somebody last wanted something of it, and whether it goes on by itself.
    pub fn used(&self) -> (Instant, bool) {
        let inside = self.lock();
        (inside.used, inside.thinking.is_some() || self.news.receiver_count() > 0)
    }

    /// Ends whatever goes on.
    pub fn end(&self) {
        self.cancel.cancel();
    }

    fn save(&self, inside: &Inside) -> Result<()> {
        let nodes = inside.nodes.iter().skip(1).map(|node| (node.parent.unwrap_or(0), node.joint.clone())).collect();
        self.kept.save(&KeptMatch {
            version: VERSION,
            id: self.id.clone(),
            game: self.game.key.clone(),
            start: self.start.clone(),
            seats: inside.seats.clone(),
            nodes,
            current: inside.current,
            resigned: inside.resigned,
            begun: self.begun,
        })
    }

    /// Keeps the match as it is; what goes wrong is told and not lost.
    fn keep(&self, inside: &mut Inside) {
        if let Err(error) = self.save(inside) {
            inside.trouble = Some(format!("the match cannot be kept: {error:#}"));
        }
    }

    /// Begins a new run.
    fn wake(self: &Arc<Match>, inside: &mut Inside) {
        inside.stop.cancel();
        inside.stop = self.cancel.child();
        inside.run += 1;
        (inside.thinking, inside.used) = (None, Instant::now());
        let (own, run) = (Arc::clone(self), inside.run);
        let started = thread::Builder::new().name("match".into()).spawn(move || own.drive(run));
        if started.is_err() {
            inside.trouble = Some("the system has no thread for the match".to_string());
        }
        self.tell_state(inside);
    }

    /// Drives a run until it ends, waits, or another one begins.
    fn drive(self: Arc<Match>, run: u64) {
        let mut forced = 0;
        loop {
            let mut inside = self.lock();
            if inside.run != run {
                return;
            }
            match self.next(&inside) {
                Next::Wait => {
                    inside.thinking = None;
                    self.tell_state(&inside);
                    return;
                }
                Next::Think(role) => {
                    inside.thinking = Some(role);
                    self.tell_state(&inside);
                    drop(inside);
                    if !self.decide(run, role) {
                        return;
                    }
                }
                Next::Play(joint) => {
                    let stand = &inside.nodes[inside.current].stand;
                    let is_forced = stand.legal.iter().all(|moves| moves.len() == 1);
                    forced = if is_forced { forced + 1 } else { 0 };
                    if let Err(error) = self.advance(&mut inside, joint) {
                        inside.trouble = Some(format!("{error:#}"));
                        inside.paused = true;
                    } else if forced > MOST_FORCED {
                        inside.trouble = Some("nobody has a choice any more, and the game does not end".to_string());
                        inside.paused = true;
                    }
                    inside.steps = inside.steps.saturating_sub(usize::from(!is_forced));
                    let wait = if is_forced { 0.0 } else { inside.delay };
                    drop(inside);
                    if !self.rest(run, wait) {
                        return;
                    }
                }
            }
        }
    }

    /// Waits between two moves; no if another run has begun.
    fn rest(&self, run: u64, seconds: f64) -> bool {
        let until = Instant::now() + Duration::from_secs_f64(seconds);
        while Instant::now() < until {
            thread::sleep(LOOK.min(until.saturating_duration_since(Instant::now())));
            if self.lock().run != run {
                return false;
            }
        }
        true
    }

    /// What is to be done at the position at hand.
    fn next(&self, inside: &Inside) -> Next {
        let stand = &inside.nodes[inside.current].stand;
        let halted = inside.paused && inside.steps == 0;
        if stand.is_over() || stand.legal.iter().any(Vec::is_empty) || inside.resigned.is_some() || halted {
            return Next::Wait;
        }
        let choosers = stand.legal.iter().filter(|moves| moves.len() > 1).count();
        let mut joint = Vec::new();
        let mut wanted = None;
        for (role, moves) in stand.legal.iter().enumerate() {
            if let Some(decided) = &inside.pending[role] {
                joint.push(decided.clone());
                continue;
            }
            // A single word is waiting; a move that says how it is made is left to the person, if nobody else has a choice.
            let asks = moves.len() > 1 || choosers == 0 && moves[0].starts_with('(');
            match inside.seats[role] {
                Seat::Person if asks => wanted = wanted.or(Some(Next::Wait)),
                _ if moves.len() == 1 => joint.push(moves[0].clone()),
                _ => return Next::Think(role),
            }
        }
        wanted.unwrap_or(Next::Play(joint))
    }

    /// Lets the player of a role decide; no if another run has begun.
    fn decide(self: &Arc<Match>, run: u64, role: usize) -> bool {
        let (stand, node, seat, stop) = {
            let inside = self.lock();
            if inside.run != run {
                return false;
            }
            let node = inside.current;
            (inside.nodes[node].stand.clone(), node, inside.seats[role].clone(), inside.stop.clone())
        };
        let tell = |thoughts: &agent::Thoughts, seconds: f64, about: Option<&str>| {
            self.tell_thoughts(node, role, thoughts, seconds, about, false);
        };
        let found = self.minds.choose(&self.game, &seat, role, &stand, &stop, &tell);
        let mut inside = self.lock();
        if inside.run != run {
            return false;
        }
        match found {
            Ok(minds::Decided { mv, thoughts, seconds, about }) => {
                if let Some(thoughts) = thoughts {
                    inside.nodes[node].thought = Some(Thought::of(role, &thoughts));
                    self.tell_node(&inside, node);
                    self.tell_thoughts(node, role, &thoughts, seconds, about.as_deref(), true);
                }
                inside.pending[role] = Some(mv);
            }
            Err(error) => {
                inside.trouble = Some(format!("{} cannot move: {error:#}", self.game.roles[role]));
                inside.paused = true;
            }
        }
        true
    }

    /// Goes on by a joint move; a position that was reached before is the same one.
    fn advance(&self, inside: &mut Inside, joint: Vec<String>) -> Result<()> {
        let at = inside.current;
        let known = inside.nodes.iter().position(|node| node.parent == Some(at) && node.joint == joint);
        let next = match known {
            Some(known) => known,
            None => {
                ensure!(inside.nodes.len() < MOST_NODES, "{MOST_NODES} positions are enough for one match");
                let stand = self.game.follow(&inside.nodes[at].stand, &joint)?;
                inside.nodes.push(Node { parent: Some(at), joint, stand, time: now(), thought: None, mark: None });
                inside.nodes.len() - 1
            }
        };
        inside.current = next;
        inside.pending.fill(None);
        self.keep(inside);
        self.tell_node(inside, next);
        self.tell_state(inside);
        Ok(())
    }

    /// A step that was made elsewhere, after the last position.
    ///
    /// # Errors
    /// When it is not legal there.
    pub fn append(&self, joint: Vec<String>) -> Result<()> {
        let mut inside = self.lock();
        inside.current = inside.nodes.len() - 1;
        self.advance(&mut inside, joint)
    }

    /// A person's move at some position; a position that is not the one at hand becomes it.
    ///
    /// # Errors
    /// When there is no such position, seat or move.
    pub fn choose(self: &Arc<Match>, node: usize, role: usize, mv: &str) -> Result<()> {
        let mut inside = self.lock();
        let Some(place) = inside.nodes.get(node) else { bail!("there is no position {node}") };
        let Some(legal) = place.stand.legal.get(role) else { bail!("there is no role {role}") };
        let mv = understood(mv, legal, &self.game.roles[role])?;
        ensure!(inside.seats[role] == Seat::Person, "{} is played by the machine", self.game.roles[role]);
        if node != inside.current {
            inside.current = node;
            inside.pending.fill(None);
        }
        (inside.resigned, inside.trouble) = (None, None);
        inside.pending[role] = Some(mv);
        self.wake(&mut inside);
        Ok(())
    }

    /// Makes a position the one at hand.
    ///
    /// # Errors
    /// When there is no such position.
    pub fn go(self: &Arc<Match>, node: usize) -> Result<()> {
        let mut inside = self.lock();
        ensure!(node < inside.nodes.len(), "there is no position {node}");
        inside.current = node;
        inside.pending.fill(None);
        (inside.resigned, inside.trouble, inside.steps) = (None, None, 0);
        // Who only watches wants to look around.
        inside.paused |= inside.seats.iter().all(|seat| *seat != Seat::Person);
        self.keep(&mut inside);
        self.wake(&mut inside);
        Ok(())
    }

    /// Back to the last position in which a person had a choice.
    ///
    /// # Errors
    /// When there is none.
    pub fn undo(self: &Arc<Match>) -> Result<()> {
        let target = {
            let inside = self.lock();
            let mut at = inside.nodes[inside.current].parent;
            let is_choice = |node: &Node| {
                let persons = inside.seats.iter().zip(&node.stand.legal);
                persons.into_iter().any(|(seat, moves)| *seat == Seat::Person && moves.len() > 1)
            };
            let nobody = !inside.seats.contains(&Seat::Person);
            while let Some(node) = at.filter(|&node| !nobody && !is_choice(&inside.nodes[node])) {
                at = inside.nodes[node].parent;
            }
            at
        };
        let Some(target) = target else { bail!("there is nothing to take back") };
        self.go(target)
    }

    /// Changes who plays, how fast, and whether it goes on.
    ///
    /// # Errors
    /// When the seats do not fit.
    pub fn change(self: &Arc<Match>, seats: Option<Vec<Seat>>, delay: Option<f64>, paused: Option<bool>) -> Result<()> {
        let mut inside = self.lock();
        if let Some(seats) = seats {
            ensure!(seats.len() == self.game.roles.len(), "the game has {} seats", self.game.roles.len());
            for seat in &seats {
                seat.player()?;
            }
            inside.seats = seats;
            inside.pending.fill(None);
            self.keep(&mut inside);
        }
        inside.delay = delay.unwrap_or(inside.delay).clamp(0.0, LONGEST_DELAY);
        inside.paused = paused.unwrap_or(inside.paused);
        inside.trouble = None;
        self.wake(&mut inside);
        Ok(())
    }

    /// One step of a match that is paused.
    pub fn step(self: &Arc<Match>) {
        let mut inside = self.lock();
        inside.steps = 1;
        self.wake(&mut inside);
    }

    /// Somebody gives up.
    ///
    /// # Errors
    /// When there is no such role, or the game is over.
    pub fn resign(self: &Arc<Match>, role: usize) -> Result<()> {
        let mut inside = self.lock();
        ensure!(role < self.game.roles.len(), "there is no role {role}");
        ensure!(!inside.nodes[inside.current].stand.is_over(), "the game is over");
        inside.resigned = Some(role);
        self.keep(&mut inside);
        self.wake(&mut inside);
        Ok(())
    }
}
