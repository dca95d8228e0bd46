//! Races: many variants begin, and the games go to those that do well.
//!
//! In a race eight variants near the present player meet it: some differ in one variable, some in all of them. After each
//! lap the worse half is out (sequential halving: Karnin, Koren and Somekh 2013), so the last two have four times the
//! games of those that were out first. All variants of a race have the same seeds as first and as second. Whoever is left
//! takes the place of the present player if it got more than half of the points of the whole race. The next race is run
//! in a narrower window.

use super::contest::{Contest, Score};
use super::space::Point;
use anyhow::{Result, ensure};
use game::random::Rng;

/// Variants at the start of a race.
const FIELD: usize = 8;
/// Laps: after each the worse half is out.
const LAPS: usize = 3;
/// The least number of games of a race: two for each variant in the first lap, and as many games in each other one.
const LEAST: usize = LAPS * FIELD * 2;
/// The narrowest window, as a part of the range.
const NARROWEST: f64 = 0.1;

/// Races from the origin: where it ended.
///
/// # Errors
/// When there are too few games for one race, and as the games.
pub fn race(contest: &mut Contest<'_>, passes: usize, seed: u64) -> Result<Point> {
    let space = contest.space;
    ensure!(contest.left >= LEAST, "{} games are too few for a race (`--games {LEAST}`)", contest.left);
    let races = (contest.left / LEAST).min(passes * (space.len() + 1)).max(1);
    let mut rng = Rng::new(seed);
    let mut champion = space.origin();
    for number in 0..races {
        // From the whole range down to the narrowest window, by equal factors.
        let part = NARROWEST.powf(number as f64 / (races - 1).max(1) as f64);
        let field = field(contest, &champion, part, &mut rng);
        if field.is_empty() {
            break;
        }
        contest.say(&format!("race {} of {races}, window {:.0}% of the ranges:", number + 1, 100.0 * part))?;
        let games = contest.left / (races - number);
        champion = run(contest, champion, field, games)?;
    }
    Ok(champion)
}

/// Those who begin: half of them differ in one variable, the others in all.
fn field(contest: &Contest<'_>, champion: &Point, part: f64, rng: &mut Rng) -> Vec<Point> {
    let space = contest.space;
    let mut field: Vec<Point> = Vec::new();
    // Where there are few values, some are drawn again and again.
    for attempt in 0..FIELD * 8 {
        let mut point = space.near(champion, part, rng);
        if attempt % 2 == 0 {
            let variable = attempt / 2 % space.len().max(1);
            point = space.moved(champion, variable, point.0[variable]);
        }
        if field.len() < FIELD && point != *champion && !field.contains(&point) {
            field.push(point);
        }
    }
    field
}

/// Runs one race with so many games: who is the champion after it.
fn run(contest: &mut Contest<'_>, champion: Point, field: Vec<Point>, games: usize) -> Result<Point> {
    let mut alive: Vec<(Point, Score)> = field.into_iter().map(|point| (point, Score::default())).collect();
    let mut left = games;
    for lap in 0..LAPS {
        let each = left / (LAPS - lap) / alive.len() / 2 * 2;
        left -= each * alive.len();
        let points: Vec<Point> = alive.iter().map(|(point, _)| point.clone()).collect();
        let rounds = contest.new_rounds(each);
        let scores = contest.against(&champion, &points, rounds)?;
        for ((_, score), new) in alive.iter_mut().zip(scores) {
            score.points += new.points;
            score.games += new.games;
        }
        // A stable sort: of equals the earlier one stays.
        alive.sort_by(|(_, a), (_, b)| b.rate().total_cmp(&a.rate()));
        let space = contest.space;
        let standing: Vec<String> =
            alive.iter().map(|(point, score)| format!("{} {}", space.text(point), score.words())).collect();
        let stay = if lap + 1 == LAPS { 1 } else { alive.len().div_ceil(2) };
        contest.say(&format!("  lap {}: {}", lap + 1, standing.join("; ")))?;
        alive.truncate(stay);
    }
    let space = contest.space;
    match alive.into_iter().next() {
        Some((winner, score)) if score.rate() > 0.5 => {
            contest.say(&format!(
                "  {} got {} and takes the place of the champion",
                space.text(&winner),
                score.words()
            ))?;
            Ok(winner)
        }
        _ => {
            contest.say(&format!("  none got more than half; {} stays", space.text(&champion)))?;
            Ok(champion)
        }
    }
}
