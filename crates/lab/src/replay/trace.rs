//! Traces of another engine: their format, and a game held to one.
//!
//! A trace stores no facts and no moves but MD5 sums over their text: lower case, sorted by bytes, joined by newlines.

use super::guard::{Verdict, Watch};
use game::perft::perft_from;
use game::{Limit, LimitKind, Move, Names, Role, roles};
use md5::{Digest, Md5};
use serde::Deserialize;

/// The file `traces/NAME.json`.
#[derive(Deserialize, Debug)]
pub struct Trace {
    /// The SHA-256 of the rulesheet, if the file tells it.
    pub sha256: Option<String>,
    /// The roles in order.
    pub roles: Vec<String>,
    /// Joint-move paths of some lengths.
    #[serde(default)]
    pub perft: Vec<Perft>,
    /// Games, state by state.
    #[serde(default)]
    pub traces: Vec<Vec<Step>>,
}

/// Paths of exactly one length.
#[derive(Deserialize, Clone, Debug)]
pub struct Perft {
    /// The length.
    pub depth: usize,
    /// How many.
    pub nodes: u64,
    /// How many of them end in a terminal state; not every source tells.
    pub terminal: Option<u64>,
}

/// One state of a game.
#[derive(Deserialize, Debug)]
pub struct Step {
    facts: usize,
    state: String,
    terminal: bool,
    #[serde(default)]
    legal: Vec<Legal>,
    #[serde(default)]
    joint: Vec<String>,
    #[serde(default)]
    goals: Vec<Option<i64>>,
}

#[derive(Deserialize, Debug)]
struct Legal {
    n: usize,
    md5: String,
}

/// Why a comparison ends early.
pub enum Stop {
    /// The engine gave up.
    Limit(Limit),
    /// Something differs.
    Differs(String),
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Stop {
        Stop::Limit(limit)
    }
}

impl Stop {
    /// The verdict on a game whose comparison ended so.
    pub fn verdict(self, watch: &Watch) -> Verdict {
        let at = watch.reached().at;
        match self {
            Stop::Differs(what) => Verdict::Mismatch(format!("{at}: {what}")),
            Stop::Limit(limit) if limit.kind == LimitKind::Time && watch.stopped() => Verdict::Cut(at),
            Stop::Limit(limit) => Verdict::Error(format!("{at}: {limit}")),
        }
    }
}

/// Holds a game to its trace.
pub struct Compare<'a> {
    /// What is expected.
    pub trace: &'a Trace,
    /// Who watches the time.
    pub watch: &'a Watch,
}

impl Compare<'_> {
    /// Compares.
    pub fn run(self, game: &machine::Engine) -> Result<(), Stop> {
        let names: Vec<String> = roles(game).map(|role| game.role_name(role).to_lowercase()).collect();
        let recorded: Vec<String> = self.trace.roles.iter().map(|role| role.to_lowercase()).collect();
        self.watch.note(|reached| reached.at = "the roles".to_string());
        same("the roles are", names.join(" "), recorded.join(" "))?;
        for (number, steps) in self.trace.traces.iter().enumerate() {
            self.game(game, number + 1, steps)?;
        }
        perft(game, &self.trace.perft, self.watch)
    }
}

impl Compare<'_> {
    fn game<G: Names>(&self, game: &G, number: usize, steps: &[Step]) -> Result<(), Stop> {
        let mut view = game.view();
        let mut state = game.start();
        let mut next = game.start();
        for (index, step) in steps.iter().enumerate() {
            self.watch.note(|reached| reached.at = format!("game {number} state {index}"));
            if self.watch.stopped() {
                return Err(Limit::new(LimitKind::Time, "replaying").into());
            }
            let facts = game.facts(&state);
            same("the number of facts is", facts.len(), step.facts)?;
            if checksum(facts) != step.state {
                return Err(Stop::Differs("the facts are not the recorded ones".to_string()));
            }
            game.look(&state, &mut view)?;
            same("terminal is", game.over(&view), step.terminal)?;
            if step.terminal {
                goals(game, &mut view, &step.goals)?;
            } else {
                let joint = self.moves(game, &view, step)?;
                game.play(&mut view, &joint, &mut next)?;
                std::mem::swap(&mut state, &mut next);
            }
            self.watch.note(|reached| reached.steps.0 += 1);
        }
        Ok(())
    }

    /// Compares the legal moves and finds the recorded ones among them.
    fn moves<G: Names>(&self, game: &G, view: &G::View, step: &Step) -> Result<Vec<Move>, Stop> {
        same("the number of roles is", step.legal.len(), game.roles())?;
        same("the number of moves made is", step.joint.len(), game.roles())?;
        let mut joint = Vec::new();
        for ((role, legal), wanted) in roles(game).zip(&step.legal).zip(&step.joint) {
            let name = game.role_name(role);
            let mut moves = Vec::new();
            game.legal(view, role, &mut moves);
            let texts: Vec<String> = moves.iter().map(|&mv| game.move_text(mv).to_lowercase()).collect();
            same(&format!("the number of legal moves of {name} is"), texts.len(), legal.n)?;
            let wanted = wanted.to_lowercase();
            let Some(index) = texts.iter().position(|text| *text == wanted) else {
                return Err(Stop::Differs(format!("{name} has no legal move {wanted}, which was played")));
            };
            joint.push(moves[index]);
            if checksum(texts) != legal.md5 {
                return Err(Stop::Differs(format!("the legal moves of {name} are not the recorded ones")));
            }
        }
        Ok(joint)
    }
}

fn goals<G: Names>(game: &G, view: &mut G::View, recorded: &[Option<i64>]) -> Result<(), Stop> {
    let mut goals = Vec::new();
    for role in (0..game.roles()).map(|role| Role(role as u8)) {
        goals.push(game.goal(view, role)?.map(i64::from));
    }
    let words = |goals: &[Option<i64>]| -> String {
        let words: Vec<String> = goals.iter().map(|goal| goal.map_or("none".to_string(), |g| g.to_string())).collect();
        words.join(" ")
    };
    same("the goals are", words(&goals), words(recorded))
}

/// Compares path counts, the short ones first.
pub fn perft<G: Names>(game: &G, recorded: &[Perft], watch: &Watch) -> Result<(), Stop> {
    let mut recorded = recorded.to_vec();
    recorded.sort_by_key(|perft| perft.depth);
    for Perft { depth, nodes, terminal } in recorded {
        watch.note(|reached| reached.at = format!("perft {depth}"));
        let counts = perft_from(game, &game.start(), depth, &mut |_| !watch.stopped())?;
        same("the number of paths is", counts[depth].nodes, nodes)?;
        if let Some(terminal) = terminal {
            same("the number of terminal paths is", counts[depth].terminal, terminal)?;
        }
        watch.note(|reached| reached.perft.0 = depth);
    }
    Ok(())
}

/// An error unless the two are the same.
pub fn same<T: PartialEq + std::fmt::Display>(what: &str, ours: T, recorded: T) -> Result<(), Stop> {
    if ours == recorded { Ok(()) } else { Err(Stop::Differs(format!("{what} {ours}, recorded {recorded}"))) }
}

/// The sum over texts that identifies a set of terms.
fn checksum(texts: Vec<String>) -> String {
    let mut texts: Vec<String> = texts.into_iter().map(|text| text.to_lowercase()).collect();
    texts.sort_unstable();
    hex(&Md5::digest(texts.join("\n")))
}

/// Bytes as text.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_do_not_depend_on_order_or_case() {
        let sum = |texts: &[&str]| checksum(texts.iter().map(|text| text.to_string()).collect());
        assert_eq!(sum(&["(cell 1 1 B)", "done"]), sum(&["DONE", "(cell 1 1 b)"]));
        assert_eq!(sum(&["noop"]), "5483bf26dec486ec0175e2a3ca816a0a");
    }
}
