//! What the experiment found, beside what was published: a table, a figure, and everything for programs.

use super::{BASELINE, Contest, Played};
use crate::args::SamadiArgs;
use crate::chart::{Bar, Group, bars};
use play::score::wilson;
use serde_json::{Value, json};
use std::fmt::Write as _;
use terminal::text;

/// What is written.
pub struct Report {
    /// For the terminal.
    pub text: String,
    /// For people.
    pub markdown: String,
    /// For programs.
    pub json: Value,
    /// The figure.
    pub figure: String,
}

/// Table 1 of the paper (S1.12): the percentage of points at depth 3, 4 and 5.
const PUBLISHED: [(&str, [f64; 3]); 3] =
    [("pdb4", [79.0, 69.0, 78.0]), ("pdb6", [68.0, 68.0, 70.0]), ("pdb6+4", [74.0, 80.0, 78.0])];

/// What the paper says of a contest; all readings of one evaluation have its number.
fn published(contest: &Contest) -> Option<f64> {
    let is_reading = |name: &str| {
        let rest = contest.player.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    let depth = (contest.depth as usize).checked_sub(3)?;
    let of = PUBLISHED.iter().find(|(name, _)| contest.opponent == BASELINE && is_reading(name))?;
    of.1.get(depth).copied()
}

/// A contest in numbers.
#[derive(Default)]
struct Score {
    won: u64,
    tied: u64,
    repeated: u64,
    lost: u64,
    plies: usize,
    expansions: u64,
    seconds: f64,
    thought: [f64; 2],
}

impl Score {
    fn of<'a>(games: impl Iterator<Item = &'a Played>) -> Score {
        let mut score = Score::default();
        for played in games {
            match played.points() {
                2 => score.won += 1,
                1 => score.tied += 1,
                _ => score.lost += 1,
            }
            score.repeated += u64::from(played.end == super::End::Repeated);
            score.plies += played.plies;
            score.expansions += played.expansions;
            score.seconds += played.seconds;
            score.thought = [0, 1].map(|who| score.thought[who] + played.thought[who]);
        }
        score
    }

    fn games(&self) -> u64 {
        self.won + self.tied + self.lost
    }

    /// The share of the points, and its 95% interval.
    fn share(&self) -> (f64, (f64, f64)) {
        let games = self.games();
        let share = (2 * self.won + self.tied) as f64 / (2 * games).max(1) as f64;
        (share, wilson(share, games))
    }
}

/// Makes the report of all games that belong to these contests.
pub fn of(args: &SamadiArgs, contests: &[Contest], played: &[Played]) -> Report {
    let head = [
        "evaluation",
        "against",
        "depth",
        "games",
        "won",
        "tied",
        "lost",
        "points, 95%",
        "published",
        "plies",
        "s a game",
    ];
    let mut rows = vec![head.map(String::from).to_vec()];
    let (mut entries, mut groups): (Vec<Value>, Vec<Group>) = (Vec::new(), Vec::new());
    for contest in contests {
        let own = |played: &&Played| played.is_of(contest) && played.opening < args.openings();
        let score = Score::of(played.iter().filter(own));
        let games = score.games();
        if games == 0 {
            continue;
        }
        let (share, (low, high)) = score.share();
        let percent = |value: f64| format!("{:.1}%", 100.0 * value);
        let published = published(contest);
        let mean = |sum: f64| sum / games as f64;
        rows.push(vec![
            contest.player.clone(),
            contest.opponent.clone(),
            contest.depth.to_string(),
            games.to_string(),
            score.won.to_string(),
            score.tied.to_string(),
            score.lost.to_string(),
            format!("{} ({}–{})", percent(share), percent(low), percent(high)),
            published.map_or("–".to_string(), |value| format!("{value:.0}%")),
            format!("{:.0}", mean(score.plies as f64)),
            format!("{:.1}", mean(score.seconds)),
        ]);
        entries.push(json!({
            "evaluation": contest.player, "against": contest.opponent, "depth": contest.depth, "games": games, "won": score.won,
            "tied": score.tied, "tied_by_repetition": score.repeated, "lost": score.lost, "points": share, "low": low, "high": high,
            "published": published.map(|value| value / 100.0), "plies": mean(score.plies as f64),
            "expansions": mean(score.expansions as f64), "seconds": mean(score.seconds),
            "seconds_of_both": score.thought.map(mean),
        }));
        let name = format!("depth {}", contest.depth);
        let name_of_bar = if contest.opponent == args.against {
            contest.player.clone()
        } else {
            format!("{} against {}", contest.player, contest.opponent)
        };
        let bar =
            Bar { name: name_of_bar, value: 100.0 * share, interval: Some((100.0 * low, 100.0 * high)), published };
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => group.bars.push(bar),
            None => groups.push(Group { name, bars: vec![bar] }),
        }
    }
    let told = told(args);
    let mut markdown = format!("# Lookups against {}: Chinese checkers, ten pieces a side\n\n{told}\n\n", args.against);
    for (at, row) in rows.iter().enumerate() {
        let _ = writeln!(markdown, "| {} |", row.join(" | "));
        if at == 0 {
            let _ = writeln!(markdown, "|{}", "---|".repeat(row.len()));
        }
    }
    let _ = writeln!(markdown, "\n![points](figure.svg)");
    let title = format!("Chinese checkers, ten pieces: points against {}", args.against);
    Report {
        text: format!("{told}\n\n{}\n", text::aligned(&rows)),
        markdown,
        json: json!({
            "version": env!("CARGO_PKG_VERSION"), "game": args.game, "openings": args.openings(), "seed": args.seed, "rule": args.rule,
            "random_moves": super::bout::RANDOM_MOVES, "most_plies": super::bout::MOST_PLIES, "contests": entries,
        }),
        figure: bars(&title, "% of the points, 95% intervals", 100.0, &groups),
    }
}

fn told(args: &SamadiArgs) -> String {
    let about = |name: &str, about: &str| format!("- `{name}`: {about}");
    let mut evaluations: Vec<String> =
        chinese::evaluations::ALL.iter().map(|named| about(named.name, named.about)).collect();
    evaluations.push(about(
        super::TABLE_SEARCH,
        "no minimax but UCT with playouts of four moves, judged by `learned`; it has no more time in all than its opponent has used so far",
    ));
    evaluations.push(about(super::FACING, "three of one side against two of the other, four lookups from either side"));
    format!(
        "Minimax with all moves to the depth given, {} openings after {} random moves (seed {}), each from both sides; a win is 2 points, \
         a tie 1. Won is who has {}; a tie is the third time of a position, or {} plies. Ludens {}.\n\n{}",
        args.openings(),
        super::bout::RANDOM_MOVES,
        args.seed,
        match args.rule {
            crate::args::Rule::Filled => "the corner filled, with one of the own pieces in it",
            crate::args::Rule::Home => "all own pieces in the corner",
        },
        super::bout::MOST_PLIES,
        env!("CARGO_PKG_VERSION"),
        evaluations.join("\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_readings_have_the_published_number() {
        let of = |player: &str, opponent: &str, depth| {
            published(&Contest { player: player.to_string(), opponent: opponent.to_string(), depth })
        };
        assert_eq!([3, 4, 5].map(|depth| of("pdb4", BASELINE, depth)), [Some(79.0), Some(69.0), Some(78.0)]);
        assert_eq!(of("pdb4-side-rows", BASELINE, 4), Some(69.0));
        assert_eq!(of("pdb6", BASELINE, 5), Some(70.0));
        assert_eq!(of("pdb6+4-rear", BASELINE, 4), Some(80.0));
        assert_eq!(of("learned", BASELINE, 3), None);
        assert_eq!(of("pdb6", "pdb4", 3), None);
        assert_eq!(of("pdb6", BASELINE, 2), None);
        assert_eq!(of("pdb6", BASELINE, 6), None);
    }
}
