//! What the games of a tournament come to: win rates with confidence intervals, Elo, and tables of them.

use crate::tournament::Played;
use anyhow::Result;
use play::score::{Rating, Tally, elo};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;
use terminal::text;

/// How one player did against another in one game.
struct Line {
    game: usize,
    player: usize,
    /// The same as `player` where it plays alone.
    other: usize,
    tally: Tally,
}

/// See the module.
pub struct Standings {
    players: Vec<String>,
    games: Vec<String>,
    /// How each did in all.
    totals: Vec<Tally>,
    ratings: Vec<Rating>,
    faults: Vec<usize>,
    lines: Vec<Line>,
    given_up: usize,
    count: usize,
    /// Whether there were games against others: only those make ratings.
    rated: bool,
}

/// The mean goal of the seats that the first had, and of the others.
fn means(played: &Played) -> (f64, f64) {
    let mean = |own: bool| {
        let goals = played.goals.iter().zip(&played.first_has).filter(|(_, first)| **first == own);
        let (sum, count) = goals.fold((0.0, 0.0), |(sum, count), (goal, _)| (sum + f64::from(*goal), count + 1.0));
        if count == 0.0 { 0.0 } else { sum / count }
    };
    (mean(true), mean(false))
}

impl Standings {
    /// Counts the games. Those that were given up count as draws at half the goal: nobody has won them.
    pub fn new(players: &[String], games: &[String], played: &[Played]) -> Standings {
        let mut points = vec![vec![0.0; players.len()]; players.len()];
        let mut standings = Standings {
            players: players.to_vec(),
            games: games.to_vec(),
            totals: vec![Tally::default(); players.len()],
            ratings: Vec::new(),
            faults: vec![0; players.len()],
            lines: Vec::new(),
            given_up: 0,
            count: played.len(),
            rated: false,
        };
        for one in played {
            let find = |name: &String| players.iter().position(|known| known == name);
            let (Some(a), Some(b)) = (find(&one.players.0), find(&one.players.1)) else { continue };
            let Some(game) = games.iter().position(|known| *known == one.game) else { continue };
            standings.faults[a] += one.faults.0;
            let (mut first, mut second) = means(one);
            if one.goals.is_empty() {
                standings.given_up += 1;
                (first, second) = (50.0, 50.0);
            }
            if a == b {
                // Alone, a player wins if it reaches everything.
                let mut tally = Tally::default();
                tally.add(first, 99.5);
                standings.count_for(game, a, a, tally);
                continue;
            }
            standings.rated = true;
            standings.faults[b] += one.faults.1;
            for (player, other, own, theirs) in [(a, b, first, second), (b, a, second, first)] {
                let mut tally = Tally::default();
                tally.add(own, theirs);
                points[player][other] += tally.rate();
                standings.count_for(game, player, other, tally);
            }
        }
        standings.ratings = elo(&points);
        standings.lines.sort_by_key(|line| (line.game, line.player, line.other));
        standings
    }

    fn count_for(&mut self, game: usize, player: usize, other: usize, tally: Tally) {
        let plus = |to: &mut Tally| {
            to.wins += tally.wins;
            to.draws += tally.draws;
            to.losses += tally.losses;
            to.goals += tally.goals;
        };
        plus(&mut self.totals[player]);
        let known = self.lines.iter_mut().find(|line| (line.game, line.player, line.other) == (game, player, other));
        match known {
            Some(line) => plus(&mut line.tally),
            None => self.lines.push(Line { game, player, other, tally }),
        }
    }

    /// The share of the points that a player got, in all and in each game.
    pub fn points(&self, player: usize) -> (f64, Vec<(&str, f64)>) {
        let lines = self.lines.iter().filter(|line| line.player == player);
        let games = lines.map(|line| (self.games[line.game].as_str(), line.tally.rate())).collect();
        (self.totals[player].rate(), games)
    }

    /// Players from the best to the worst.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.players.len()).collect();
        order.sort_by(|&a, &b| {
            let key = |at: usize| if self.rated { self.ratings[at].elo } else { self.totals[at].mean_goal() };
            key(b).total_cmp(&key(a))
        });
        order
    }

    /// The tables for people.
    pub fn text(&self) -> String {
        let percent = |value: f64| format!("{:.1}%", 100.0 * value);
        let cells = |tally: &Tally| {
            let (low, high) = tally.interval();
            vec![
                tally.games().to_string(),
                tally.wins.to_string(),
                tally.draws.to_string(),
                tally.losses.to_string(),
                percent(tally.rate()),
                format!("{}–{}", percent(low), percent(high)),
                format!("{:.1}", tally.mean_goal()),
            ]
        };
        let head = ["games", "wins", "draws", "losses", "points", "95%", "goal"].map(String::from);
        let mut rows =
            vec![[&["player".to_string()][..], &head[..], &["Elo".to_string(), "faults".to_string()]].concat()];
        for at in self.order() {
            let rating = self.ratings[at];
            let rating =
                if self.rated { format!("{:+.0} ±{:.0}", rating.elo, rating.margin) } else { "-".to_string() };
            let name = text::fit(&self.players[at], 40);
            rows.push([vec![name], cells(&self.totals[at]), vec![rating, self.faults[at].to_string()]].concat());
        }
        let mut all = text::aligned(&rows);
        if self.lines.len() > self.players.len() || self.games.len() > 1 {
            let mut rows = vec![[&["game, player, other".to_string()][..], &head[..]].concat()];
            for line in self.lines.iter().filter(|line| line.player <= line.other) {
                let other =
                    if line.player == line.other { String::new() } else { format!(" v {}", self.players[line.other]) };
                let name = format!("{}: {}{other}", self.games[line.game], self.players[line.player]);
                rows.push([vec![text::fit(&name, 70)], cells(&line.tally)].concat());
            }
            let _ = write!(all, "\n{}", text::aligned(&rows));
        }
        let _ = write!(all, "\n{}", text::count(self.count, "game"));
        if self.given_up > 0 {
            let _ = write!(all, "; {} given up, counted as drawn", self.given_up);
        }
        all + "\n"
    }

    /// Everything as JSON.
    pub fn to_json(&self) -> Value {
        let tally = |tally: &Tally| {
            let (low, high) = tally.interval();
            json!({
                "games": tally.games(), "wins": tally.wins, "draws": tally.draws, "losses": tally.losses,
                "points": tally.rate(), "low": low, "high": high, "goal": tally.mean_goal(),
            })
        };
        let players: Vec<Value> = self
            .order()
            .into_iter()
            .map(|at| {
                let mut value = tally(&self.totals[at]);
                value["player"] = json!(self.players[at]);
                value["faults"] = json!(self.faults[at]);
                if self.rated {
                    value["elo"] = json!(self.ratings[at].elo);
                    value["eloMargin"] = json!(self.ratings[at].margin);
                }
                value
            })
            .collect();
        let lines: Vec<Value> = self
            .lines
            .iter()
            .map(|line| {
                let mut value = tally(&line.tally);
                value["game"] = json!(self.games[line.game]);
                value["player"] = json!(self.players[line.player]);
                value["other"] = json!(self.players[line.other]);
                value
            })
            .collect();
        json!({ "games": self.count, "givenUp": self.given_up, "players": players, "pairs": lines })
    }

    /// Writes `standings.json` and `standings.csv`.
    pub fn save(&self, folder: &Path) -> Result<()> {
        let write = |name: &str, text: String| platform::save(&folder.join(name), &text);
        write("standings.json", serde_json::to_string_pretty(&self.to_json())? + "\n")?;
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        let mut csv = "game,player,other,games,wins,draws,losses,points,low,high,goal\n".to_string();
        for line in &self.lines {
            let Tally { wins, draws, losses, .. } = line.tally;
            let (low, high) = line.tally.interval();
            let (game, player) = (quoted(&self.games[line.game]), quoted(&self.players[line.player]));
            let other = quoted(&self.players[line.other]);
            let (rate, goal, games) = (line.tally.rate(), line.tally.mean_goal(), line.tally.games());
            let _ = writeln!(
                csv,
                "{game},{player},{other},{games},{wins},{draws},{losses},{rate:.4},{low:.4},{high:.4},{goal:.2}"
            );
        }
        write("standings.csv", csv)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(round: usize, first_has: [bool; 2], goals: &[u8]) -> Played {
        Played {
            settings: String::new(),
            game: "g".into(),
            rules: String::new(),
            players: ("a".into(), "b".into()),
            round,
            first_has: first_has.to_vec(),
            goals: goals.to_vec(),
            steps: 1,
            faults: (0, 1),
            seconds: 0.0,
        }
    }

    #[test]
    fn points_go_to_whoever_sat_there() {
        let games = [
            played(0, [true, false], &[100, 0]),
            played(1, [false, true], &[0, 100]),
            played(2, [true, false], &[50, 50]),
            played(3, [false, true], &[]),
        ];
        let standings = Standings::new(&["a".into(), "b".into()], &["g".into()], &games);
        assert_eq!((standings.totals[0].wins, standings.totals[0].draws, standings.totals[0].losses), (2, 2, 0));
        assert_eq!((standings.totals[1].wins, standings.totals[1].losses), (0, 2));
        assert_eq!((standings.faults[1], standings.given_up), (4, 1));
        assert!(standings.ratings[0].elo > standings.ratings[1].elo);
        assert!(standings.text().contains("75.0%"), "{}", standings.text());
        assert_eq!(standings.to_json()["players"][0]["player"], "a");
    }
}
