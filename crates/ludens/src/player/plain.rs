//! Players that do not think: any legal move, and the first one. And one that others think for: a person.

use super::kinds::Thinker;
use crate::play::board::Boards;
use crate::play::input::{self, Input};
use crate::table;
use game::random::Rng;
use game::{Game, Limit, Move, Role};
use search::{Budget, Found, Latest, Searcher};
use std::io::{BufRead, Write, stderr, stdin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// Any legal move, each as likely as the others.
pub struct Random;

/// The first legal move.
pub struct First;

fn legal<G: Game>(game: &G, state: &G::State, role: Role) -> Result<Vec<Move>, Limit> {
    let mut view = game.view();
    game.look(state, &mut view)?;
    let mut moves = Vec::new();
    game.legal(&view, role, &mut moves);
    Ok(moves)
}

fn found(mv: Option<Move>) -> Found {
    Found { mv, ..Found::default() }
}

impl<G: Game> Searcher<G> for Random {
    fn search(
        &mut self,
        game: &G,
        state: &G::State,
        role: Role,
        budget: &Budget<'_>,
        _: &Latest,
    ) -> Result<Found, Limit> {
        let moves = legal(game, state, role)?;
        let at = Rng::new(budget.seed).below(moves.len().max(1));
        Ok(found(moves.get(at).copied()))
    }

    fn prepare(&mut self, _: &G, _: &G::State, _: Role, _: &Budget<'_>) -> Result<(), Limit> {
        Ok(())
    }
}

impl<G: Game> Searcher<G> for First {
    fn search(&mut self, game: &G, state: &G::State, role: Role, _: &Budget<'_>, _: &Latest) -> Result<Found, Limit> {
        Ok(found(legal(game, state, role)?.first().copied()))
    }

    fn prepare(&mut self, _: &G, _: &G::State, _: Role, _: &Budget<'_>) -> Result<(), Limit> {
        Ok(())
    }
}

/// A person at the keyboard. The prompt is on standard error, so that results can go elsewhere.
pub struct Human {
    boards: Boards,
}

impl Human {
    /// A person.
    pub fn new() -> Human {
        Human { boards: Boards::default() }
    }
}

/// Lines typed, from one thread that does nothing else: a question that was given up must not swallow the answer to
/// the next one.
fn lines() -> &'static Mutex<Receiver<String>> {
    static LINES: OnceLock<Mutex<Receiver<String>>> = OnceLock::new();
    LINES.get_or_init(|| {
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            for line in stdin().lock().lines() {
                let Ok(line) = line else { break };
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Mutex::new(receiver)
    })
}

static INPUT_ENDED: AtomicBool = AtomicBool::new(false);

/// Whether a person was asked for a move when there was nobody at the keyboard any more.
pub fn input_ended() -> bool {
    INPUT_ENDED.load(Ordering::Relaxed)
}

impl<G: Thinker> Searcher<G> for Human {
    fn search(
        &mut self,
        game: &G,
        state: &G::State,
        role: Role,
        budget: &Budget<'_>,
        _: &Latest,
    ) -> Result<Found, Limit> {
        let moves = legal(game, state, role)?;
        let texts: Vec<String> = moves.iter().map(|&mv| game.move_text(mv)).collect();
        let digits = texts.len().to_string().len();
        let items = texts.iter().enumerate().map(|(at, text)| format!("{:>digits$} {text}", at + 1));
        let list = table::columns(&items.collect::<Vec<_>>(), table::width());
        let mut err = stderr().lock();
        let name = game.role_name(role).to_string();
        let _ = writeln!(err, "\n{}\n{name} to move:\n{list}", self.boards.draw(&game.facts(state)).trim_end());
        let _ = write!(err, "{name}> ");
        let _ = err.flush();
        let lines = lines().lock().unwrap_or_else(PoisonError::into_inner);
        while (budget.spent)() < 1.0 {
            let line = match lines.recv_timeout(Duration::from_millis(50)) {
                Ok(line) => line,
                Err(mpsc::RecvTimeoutError::Timeout) => continue,
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    let _ = writeln!(err);
                    INPUT_ENDED.store(true, Ordering::Relaxed);
                    break;
                }
            };
            match input::understand(&line, &texts) {
                Input::Move(at) => return Ok(found(moves.get(at).copied())),
                Input::Several(fits) => {
                    let fits: Vec<&str> = fits.iter().take(20).map(|&at| texts[at].as_str()).collect();
                    let _ = writeln!(err, "Several moves fit: {}", fits.join(" "));
                }
                Input::Command(_) => {
                    let _ = write!(err, "Type the number of a move, or its name.\n{list}");
                }
                _ => {
                    let _ = writeln!(err, "No legal move fits: type its number, 1 to {}, or its name.", texts.len());
                }
            }
            let _ = write!(err, "{name}> ");
            let _ = err.flush();
        }
        Ok(found(None))
    }

    fn prepare(&mut self, _: &G, _: &G::State, _: Role, _: &Budget<'_>) -> Result<(), Limit> {
        Ok(())
    }
}
