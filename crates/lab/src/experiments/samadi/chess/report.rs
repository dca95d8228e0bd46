//! What the experiment found, beside what was published.

use super::rows::row;
use super::{Contest, Played};
use crate::args::SamadiArgs;
use crate::chart::{Bar, Group, bars};
use play::score::Tally;
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

/// The games of a contest, added up.
#[derive(Default)]
struct Sum {
    tally: Tally,
    by_table: u64,
    plies: usize,
    nodes: [u64; 2],
    moves: [u64; 2],
    seconds: [f64; 2],
}

impl Sum {
    fn of(contest: &Contest, played: &[Played], positions: u64) -> Sum {
        let mut sum = Sum::default();
        for played in played.iter().filter(|played| played.is_of(contest) && played.position < positions) {
            match played.points {
                2 => sum.tally.wins += 1,
                1 => sum.tally.draws += 1,
                _ => sum.tally.losses += 1,
            }
            sum.by_table += u64::from(played.end == super::End::Table);
            sum.plies += played.plies;
            for at in 0..2 {
                sum.nodes[at] += played.nodes[at];
                sum.moves[at] += played.moves[at];
                sum.seconds[at] += played.seconds[at];
            }
        }
        sum
    }

    fn percent(&self) -> f64 {
        100.0 * self.tally.rate()
    }

    fn interval(&self) -> (f64, f64) {
        let (low, high) = self.tally.interval();
        (100.0 * low, 100.0 * high)
    }

    fn nodes_a_move(&self, who: usize) -> f64 {
        self.nodes[who] as f64 / self.moves[who].max(1) as f64
    }
}

const HEAD: [&str; 12] = [
    "ending",
    "depth",
    "player",
    "games",
    "won",
    "drawn",
    "lost",
    "points, 95%",
    "published",
    "ceiling",
    "of it",
    "nodes a move, ours / theirs",
];

/// Makes the report of all games that belong to these contests.
pub fn of(args: &SamadiArgs, opponent: &str, contests: &[Contest], played: &[Played]) -> Report {
    let positions = args.chess_positions();
    let mut rows = vec![HEAD.map(String::from).to_vec()];
    let (mut entries, mut groups): (Vec<Value>, Vec<Group>) = (Vec::new(), Vec::new());
    for contest in contests {
        let sum = Sum::of(contest, played, positions);
        let games = sum.tally.games();
        if games == 0 {
            continue;
        }
        let is_ceiling =
            |other: &&Contest| (other.men, other.depth, other.chair.name()) == (contest.men, contest.depth, "ceiling");
        let ceiling = contests.iter().find(is_ceiling).map(|other| Sum::of(other, played, positions));
        let ceiling = ceiling.filter(|sum| sum.tally.games() > 0).map(|sum| sum.percent());
        let published = row(contest.men).and_then(|row| contest.chair.published(row, contest.depth));
        let (percent, (low, high)) = (sum.percent(), sum.interval());
        let Tally { wins, draws, losses, .. } = sum.tally;
        let or_dash = |value: Option<f64>| value.map_or("–".to_string(), |value| format!("{value:.0}%"));
        let part = ceiling.filter(|ceiling| *ceiling > 0.0).map(|ceiling| 100.0 * percent / ceiling);
        rows.push(vec![
            contest.men.to_string(),
            contest.depth.to_string(),
            contest.chair.name().to_string(),
            games.to_string(),
            wins.to_string(),
            draws.to_string(),
            losses.to_string(),
            format!("{percent:.0}% ({low:.0}–{high:.0}%)"),
            or_dash(published),
            or_dash(ceiling),
            or_dash(part),
            format!("{:.0} / {:.0}", sum.nodes_a_move(0), sum.nodes_a_move(1)),
        ]);
        entries.push(json!({
            "ending": contest.men, "table": row(contest.men).map(|row| row.table), "depth": contest.depth, "player": contest.chair.name(), "games": games, "won": wins,
            "drawn": draws, "lost": losses, "percent": percent, "low": low, "high": high, "published": published, "ceiling": ceiling,
            "by_table": sum.by_table, "plies": sum.plies as f64 / games as f64, "nodes": sum.nodes, "moves": sum.moves,
            "seconds": sum.seconds,
        }));
        let bar =
            Bar { name: contest.chair.name().to_string(), value: percent, interval: Some((low, high)), published };
        let name = format!("{}, {}", contest.men, contest.depth);
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => group.bars.push(bar),
            None => groups.push(Group { name, bars: vec![bar] }),
        }
    }
    let told = told(args, opponent);
    let mut markdown = format!("# Chess endings by lookups\n\n{told}\n\n");
    for (at, row) in rows.iter().enumerate() {
        let _ = writeln!(markdown, "| {} |", row.join(" | "));
        if at == 0 {
            let _ = writeln!(markdown, "|{}", "---|".repeat(row.len()));
        }
    }
    let _ = writeln!(markdown, "\n![points](figure.svg)");
    Report {
        text: format!("{told}\n\n{}\n", text::aligned(&rows)),
        markdown,
        json: json!({
            "experiment": "samadi chess", "version": env!("CARGO_PKG_VERSION"), "opponent": opponent, "positions": positions,
            "seed": args.seed, "most_plies": super::bout::MOST_PLIES, "contests": entries,
        }),
        figure: bars("Chess endings: points", "% of the points, 95% intervals; marks: the paper", 100.0, &groups),
    }
}

fn told(args: &SamadiArgs, opponent: &str) -> String {
    format!(
        "Against `{opponent}` at the depth given; {} positions of each ending (seed {}), each from both sides; a win is 2 points, a draw 1. With \
         five men or fewer the tables say how a game ends; otherwise it is drawn by the third repetition, fifty moves or {} plies. Our players search \
         all moves to the depth, with quiescence and extensions beyond it. Ludens {}.\n\n\
         - `four`: the plain sum of lookups in the paper's tables of three and four men\n\
         - `five`: the same with its tables of five men\n\
         - `learned`: the same tables with weights learned for the ending by self-play, beside the evaluation by hand\n\
         - `hand`: an evaluation by hand, tables for five men and fewer only\n\
         - `ceiling`: {} in our chair",
        args.chess_positions(),
        args.seed,
        super::bout::MOST_PLIES,
        env!("CARGO_PKG_VERSION"),
        super::strong(args).map_or_else(|_| "a strong program".to_string(), |spec| format!("`{spec}`"))
    )
}
