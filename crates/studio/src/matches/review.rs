//! Thinking about a match beside playing it: hints, analysis of a position, and a look back at the whole game.

use super::told::{Mark, Thought};
use super::{Match, minds};
use crate::games::Stand;
use crate::scene;
use anyhow::{Result, bail, ensure};
use game::Cancel;
use std::sync::Arc;
use std::thread;

/// Seconds for one position of a look back.
const GLANCE: f64 = 0.4;
/// From here on a move is a mistake, and a great one: by how much less it is worth than the best.
const MISTAKE: f32 = 20.0;
const BLUNDER: f32 = 45.0;
/// The longest analysis.
const LONGEST: f64 = 120.0;

/// The role that is thought for: the one that was named, or the first that has a choice.
fn chooser(stand: &Stand, wanted: Option<usize>) -> Option<usize> {
    let has = |role: &usize| stand.legal.get(*role).is_some_and(|moves| moves.len() > 1);
    wanted.filter(|role| has(role)).or_else(|| (0..stand.legal.len()).find(has))
}

impl Match {
    /// A token for another analysis; the one before ends.
    fn analysis(&self) -> Cancel {
        let mut inside = self.lock();
        inside.analysis.cancel();
        inside.analysis = self.cancel.child();
        inside.used = std::time::Instant::now();
        inside.analysis.clone()
    }

    /// Ends the analysis at hand.
    pub fn stop_thinking(&self) {
        self.analysis();
        self.tell_words("stopped", "");
    }

    /// Thinks about a position for so many seconds, on a thread of its own. What is found is told.
    ///
    /// # Errors
    /// When there is no such position, or nothing to decide there.
    pub fn think(self: &Arc<Match>, node: usize, role: Option<usize>, seconds: f64) -> Result<()> {
        let (stand, _) = self.stands(node)?;
        let Some(role) = chooser(&stand, role) else { bail!("nobody has a choice there") };
        ensure!(seconds.is_finite() && seconds > 0.0, "{seconds} seconds are none");
        let (own, stop, seconds) = (Arc::clone(self), self.analysis(), seconds.min(LONGEST));
        thread::Builder::new().name("analysis".into()).spawn(move || {
            let tell = |thoughts: &agent::Thoughts, seconds: f64, about: Option<&str>| {
                if !stop.is_cancelled() {
                    own.tell_thoughts(node, role, thoughts, seconds, about, false);
                }
            };
            match minds::analyse(&own.game, &stand, role, seconds, &stop, &tell) {
                Ok(_) if stop.is_cancelled() => {}
                Ok((thoughts, about)) => {
                    let mut inside = own.lock();
                    inside.nodes[node].thought = Some(Thought::of(role, &thoughts));
                    own.tell_node(&inside, node);
                    drop(inside);
                    own.tell_thoughts(node, role, &thoughts, seconds, about.as_deref(), true);
                }
                Err(error) => own.tell_words("trouble", &format!("{error:#}")),
            }
        })?;
        Ok(())
    }

    /// Looks back at the game that led to a position, move by move: what tables or a short search say. What is found is told.
    ///
    /// # Errors
    /// When there is no such position.
    pub fn review(self: &Arc<Match>, node: usize) -> Result<()> {
        self.stands(node)?;
        let (own, stop) = (Arc::clone(self), self.analysis());
        thread::Builder::new().name("review".into()).spawn(move || {
            let mut path = vec![node];
            {
                let inside = own.lock();
                while let Some(parent) = inside.nodes[path[path.len() - 1]].parent {
                    path.push(parent);
                }
            }
            path.reverse();
            for (done, pair) in path.windows(2).enumerate() {
                if stop.is_cancelled() {
                    return;
                }
                own.tell_words("review", &format!("{} of {} moves", done + 1, path.len() - 1));
                own.judge(pair[0], pair[1], &stop);
            }
            own.tell_words("reviewed", "");
        })?;
        Ok(())
    }

    /// Judges the move from one position to the next.
    fn judge(&self, from: usize, to: usize, stop: &Cancel) {
        let (Ok((stand, _)), joint) = (self.stands(from), self.lock().nodes[to].joint.clone()) else { return };
        let mut mark = None;
        for role in (0..stand.legal.len()).filter(|&role| stand.legal[role].len() > 1) {
            let by_table = scene::table(&self.game, &stand).and_then(|table| by_table(&table, &joint[role]));
            if let Some(found) = by_table {
                mark = mark.or(found);
                continue;
            }
            let found = minds::analyse(&self.game, &stand, role, GLANCE, stop, &|_, _, _| {});
            let Ok((thoughts, _)) = found else { continue };
            if stop.is_cancelled() {
                return;
            }
            mark = mark.or(by_search(&thoughts, &joint[role]));
            self.lock().nodes[from].thought = Some(Thought::of(role, &thoughts));
        }
        let mut inside = self.lock();
        inside.nodes[to].mark = mark;
        self.tell_node(&inside, from);
        self.tell_node(&inside, to);
    }
}

/// What tables say of a move: nothing if they do not know it, and no mark if it keeps the result.
fn by_table(table: &scene::TableScene, made: &str) -> Option<Option<Mark>> {
    let own = table.moves.iter().find(|mv| mv.text == made).filter(|mv| mv.class != "unknown")?;
    let best = table.moves.first()?;
    if own.class == best.class {
        return Some(None);
    }
    let words =
        format!("{} was {}, this is {}: {} keeps it (by the tables)", "the position", best.class, own.class, best.text);
    Some(Some(Mark { sign: "??", words }))
}

fn by_search(thoughts: &agent::Thoughts, made: &str) -> Option<Mark> {
    let own = thoughts.moves.iter().find(|mv| mv.text == made)?;
    let best = thoughts.moves.first()?;
    let lost = best.value - own.value;
    let is_sure = best.proven && own.proven;
    if lost < MISTAKE || own.visits == 0 && !is_sure {
        return None;
    }
    let how = if is_sure { "proved" } else { "by a short search" };
    let words = format!("worth {:.0}; {} is worth {:.0} ({how})", own.value, best.text, best.value);
    Some(Mark { sign: if lost >= BLUNDER { "??" } else { "?" }, words })
}
