//! Hill climbing, one variable after the other, as Roschke and Sturtevant tuned their players for Chinese checkers (2013).
//!
//! Six players that differ from the present one in one variable play it, as often first as second. The one with the most
//! points takes its place if it got more than half of them. A pass does so for every variable; in each further pass the
//! values are nearer. What the paper leaves open: the window is the whole range in the first pass and half as wide in each
//! of the next, the six values are spread evenly over it, and all meetings have the same number of games.

use super::contest::Contest;
use super::space::{Point, Variable};
use anyhow::{Result, ensure};

/// How many others are tried at a time.
pub const VARIANTS: usize = 6;

/// Climbs from the origin with so many passes: where it ended.
///
/// # Errors
/// When there are too few games, and as the games.
pub fn climb(contest: &mut Contest<'_>, passes: usize) -> Result<Point> {
    let space = contest.space;
    let meetings = passes * space.len() * VARIANTS;
    // As often first as second.
    let games = contest.left / meetings.max(1) / 2 * 2;
    ensure!(
        games > 0,
        "{} games are too few: {passes} passes over {} variables with {VARIANTS} variants are at least {} \
         (`--games {}`, or fewer `--passes`)",
        contest.left,
        space.len(),
        2 * meetings,
        2 * meetings
    );
    let mut champion = space.origin();
    let mut part = 1.0;
    for pass in 1..=passes {
        for variable in 0..space.len() {
            let values = space.spread(&champion, variable, part, VARIANTS);
            let challengers: Vec<Point> = values.iter().map(|&to| space.moved(&champion, variable, to)).collect();
            let rounds = contest.new_rounds(games);
            let scores = contest.against(&champion, &challengers, rounds)?;
            let Variable { name, axis } = &space.variables[variable];
            let tried: Vec<String> = values
                .iter()
                .zip(&scores)
                .map(|(&at, score)| format!("{} {:.1}%", axis.text(at), 100.0 * score.rate()))
                .collect();
            let best = (0..scores.len()).max_by(|&a, &b| {
                // Of equals the first.
                scores[a].points.total_cmp(&scores[b].points).then(b.cmp(&a))
            });
            let own = axis.text(champion.0[variable]);
            let mut words = format!("pass {pass}, {name}: against {own}, {games} games each: {}", tried.join(", "));
            match best.filter(|&best| scores[best].rate() > 0.5) {
                Some(best) => {
                    champion = challengers[best].clone();
                    words += &format!("; {name}={} won most and takes its place", axis.text(values[best]));
                }
                None => words += &format!("; none got more than half, {name}={own} stays"),
            }
            contest.say(&words)?;
        }
        part /= 2.0;
    }
    Ok(champion)
}
