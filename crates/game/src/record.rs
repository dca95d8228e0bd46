//! Playthroughs: a game written down so completely that any engine can be held to it.
//!
//! The text lists, state by state, the facts that changed, every role's legal moves, the joint move that was made and
//! at the end the goals. Replaying takes only the moves from the text, plays them, writes the text anew and compares:
//! whatever an engine gets wrong shows up as a different line.

use crate::random::Rng;
use crate::{Limit, Move, Names, Role, roles};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Why a playthrough does not fit an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mismatch {
    /// The engine writes another text: the first differing line (counted from 1), as recorded and as played.
    Line {
        /// The number of the line.
        number: usize,
        /// What the recording says there; empty if it ends before.
        recorded: String,
        /// What the engine gives there; empty if it ends before.
        played: String,
    },
    /// The engine gave up.
    Limit(Limit),
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Mismatch::Line { number, recorded, played } => {
                write!(f, "line {number}: recorded `{recorded}`, played `{played}`")
            }
            Mismatch::Limit(limit) => limit.fmt(f),
        }
    }
}

impl std::error::Error for Mismatch {}

/// Plays a random game and writes it down; at most `most` moves.
pub fn record<G: Names>(game: &G, seed: u64, most: usize) -> Result<String, Limit> {
    let mut rng = Rng::new(seed);
    write(game, &format!("random seed {seed}"), &mut |step, legal| {
        (step < most).then(|| legal.iter().map(|moves| rng.below(moves.len())).collect())
    })
}

/// Plays the recorded moves again and compares everything that was recorded.
pub fn replay<G: Names>(game: &G, recorded: &str) -> Result<(), Mismatch> {
    let title = recorded.lines().next().unwrap_or("").strip_prefix("playthrough: ").unwrap_or("");
    let mut wanted = recorded.lines().filter_map(|line| line.strip_prefix("  does "));
    let played = write(game, title, &mut |_, legal| {
        legal
            .iter()
            .map(|moves| {
                let text = wanted.next()?.split_once(' ')?.1;
                moves.iter().position(|mv| mv == text)
            })
            .collect()
    })
    .map_err(Mismatch::Limit)?;
    let (mut a, mut b) = (recorded.lines(), played.lines());
    for number in 1.. {
        match (a.next(), b.next()) {
            (None, None) => break,
            (x, y) if x == y => {}
            (x, y) => {
                return Err(Mismatch::Line {
                    number,
                    recorded: x.unwrap_or("").to_string(),
                    played: y.unwrap_or("").to_string(),
                });
            }
        }
    }
    Ok(())
}

/// Picks a joint move, by place in each role's sorted legal moves, at a step; `None` ends the game.
type Choose<'a> = dyn FnMut(usize, &[Vec<String>]) -> Option<Vec<usize>> + 'a;

/// Writes the game in which `choose` picks the moves.
fn write<G: Names>(game: &G, title: &str, choose: &mut Choose<'_>) -> Result<String, Limit> {
    let mut text = format!("playthrough: {title}\n");
    let mut view = game.view();
    let mut state = game.start();
    let mut next = game.start();
    let mut known = BTreeSet::new();
    for step in 0.. {
        game.look(&state, &mut view)?;
        let _ = writeln!(text, "state {step}");
        let facts: BTreeSet<String> = game.facts(&state).into_iter().collect();
        known.difference(&facts).for_each(|f| {
            let _ = writeln!(text, "  - {f}");
        });
        facts.difference(&known).for_each(|f| {
            let _ = writeln!(text, "  + {f}");
        });
        known = facts;
        if game.over(&view) {
            text.push_str("  terminal\n");
            break;
        }
        let mut moves: Vec<Vec<(String, Move)>> = Vec::new();
        for role in roles(game) {
            let mut legal = Vec::new();
            game.legal(&view, role, &mut legal);
            let mut named: Vec<_> = legal.into_iter().map(|mv| (game.move_text(mv), mv)).collect();
            named.sort();
            let line: Vec<&str> = named.iter().map(|(name, _)| name.as_str()).collect();
            let _ = writeln!(text, "  legal {} {}: {}", game.role_name(role), line.len(), line.join(" "));
            moves.push(named);
        }
        if moves.iter().any(Vec::is_empty) {
            text.push_str("  stuck\n");
            break;
        }
        let names: Vec<Vec<String>> = moves.iter().map(|m| m.iter().map(|(n, _)| n.clone()).collect()).collect();
        let Some(choice) = choose(step, &names) else {
            text.push_str("  cut\n");
            return Ok(text);
        };
        let mut joint = Vec::new();
        for (role, (&index, named)) in choice.iter().zip(&moves).enumerate() {
            let (name, mv) = &named[index];
            let _ = writeln!(text, "  does {} {name}", game.role_name(Role(role as u8)));
            joint.push(*mv);
        }
        game.play(&mut view, &joint, &mut next)?;
        std::mem::swap(&mut state, &mut next);
    }
    for role in roles(game) {
        let goal = game.goal(&mut view, role)?;
        let _ =
            writeln!(text, "  goal {} {}", game.role_name(role), goal.map_or("none".to_string(), |g| g.to_string()));
    }
    Ok(text)
}
