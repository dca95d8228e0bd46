//! What the games of a tournament come to: win rates with confidence intervals, Elo, and tables of them.

use crate::tournament::{Played, Settings};
use anyhow::Result;
use play::score::{Rating, Tally, elo};
use serde::Serialize;
use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;
use terminal::text;

/// How one player did against another in one game.
struct PairLine {
    game: usize,
    player: usize,
    /// The same as `player` where it plays alone.
    other: usize,
    tally: Tally,
}

/// How one player did in one role of a game, against everybody.
struct RoleLine {
    game: usize,
    role: usize,
    player: usize,
    tally: Tally,
}

/// A game that counts, and the roles that players can have in it.
#[derive(Clone, Debug)]
pub struct RatedGame {
    /// Its name.
    pub name: String,
    /// The roles in order, without chance.
    pub roles: Vec<String>,
}

/// See the module.
pub struct Standings {
    settings: Settings,
    games: Vec<RatedGame>,
    /// How each did in all.
    totals: Vec<Tally>,
    ratings: Vec<Rating>,
    faults: Vec<usize>,
    pairs: Vec<PairLine>,
    roles: Vec<RoleLine>,
    given_up: usize,
    /// Games that are, move by move, another one of the same players in the same roles.
    repeats: usize,
    count: usize,
    /// Whether there were games against others: only those make ratings.
    rated: bool,
}

/// The standings as programs read them.
#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct Report<'a> {
    /// What they belong to.
    pub settings: &'a Settings,
    /// How many games.
    pub games: usize,
    /// How many of them were given up.
    pub given_up: usize,
    /// How many of them repeat another one.
    pub repeats: usize,
    /// Everybody, from the best to the worst.
    pub players: Vec<PlayerRow<'a>>,
    /// Who did how against whom, game by game.
    pub pairs: Vec<PairRow<'a>>,
    /// Who did how in which role, game by game.
    pub roles: Vec<RoleRow<'a>>,
}

/// The numbers of a row.
#[derive(Serialize, Debug)]
pub struct Counts {
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    points: f64,
    low: f64,
    high: f64,
    goal: f64,
}

/// A player in all games.
#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct PlayerRow<'a> {
    player: &'a str,
    faults: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    elo: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    elo_margin: Option<f64>,
    #[serde(flatten)]
    counts: Counts,
}

/// A player against another one in one game.
#[derive(Serialize, Debug)]
pub struct PairRow<'a> {
    game: &'a str,
    player: &'a str,
    other: &'a str,
    #[serde(flatten)]
    counts: Counts,
}

/// A player in one role of a game.
#[derive(Serialize, Debug)]
pub struct RoleRow<'a> {
    game: &'a str,
    role: &'a str,
    player: &'a str,
    #[serde(flatten)]
    counts: Counts,
}

impl From<&Tally> for Counts {
    fn from(tally: &Tally) -> Counts {
        let ((low, high), Tally { wins, draws, losses, .. }) = (tally.interval(), *tally);
        Counts { games: tally.games(), wins, draws, losses, points: tally.rate(), low, high, goal: tally.mean_goal() }
    }
}

/// One game for a player that got `own` while the others got `theirs`.
fn one(own: f64, theirs: f64) -> Tally {
    let mut tally = Tally::default();
    tally.add(own, theirs);
    tally
}

fn plus(to: &mut Tally, tally: Tally) {
    to.wins += tally.wins;
    to.draws += tally.draws;
    to.losses += tally.losses;
    to.goals += tally.goals;
}

impl Standings {
    /// Counts the games. Those that were given up count as draws at half the goal: nobody has won them.
    pub fn new(settings: Settings, games: &[RatedGame], played: &[Played]) -> Standings {
        let count = settings.players.len();
        let mut points = vec![vec![0.0; count]; count];
        let mut standings = Standings {
            settings,
            games: games.to_vec(),
            totals: vec![Tally::default(); count],
            ratings: Vec::new(),
            faults: vec![0; count],
            pairs: Vec::new(),
            roles: Vec::new(),
            given_up: 0,
            repeats: repeats(played),
            count: played.len(),
            rated: false,
        };
        for one in played {
            standings.count(one, &mut points);
        }
        standings.ratings = elo(&points);
        standings.pairs.sort_by_key(|line| (line.game, line.player, line.other));
        standings.roles.sort_by_key(|line| (line.game, line.role, line.player));
        standings
    }

    fn count(&mut self, played: &Played, points: &mut [Vec<f64>]) {
        let find = |name: &String| self.settings.players.iter().position(|known| known == name);
        let (Some(a), Some(b)) = (find(&played.players.0), find(&played.players.1)) else { return };
        let Some(game) = self.games.iter().position(|known| known.name == played.game) else { return };
        self.faults[a] += played.faults.0;
        let (mut first, mut second) = played.means();
        if played.goals.is_empty() {
            self.given_up += 1;
            (first, second) = (50.0, 50.0);
        }
        if a == b {
            // Alone, a player wins if it reaches everything.
            self.count_pair(game, a, a, one(first, 99.5));
            return;
        }
        self.rated = true;
        self.faults[b] += played.faults.1;
        for (player, other, own, theirs) in [(a, b, first, second), (b, a, second, first)] {
            let tally = one(own, theirs);
            points[player][other] += tally.rate();
            self.count_pair(game, player, other, tally);
        }
        for (role, &is_first) in played.first_has.iter().enumerate() {
            let (player, own, theirs) = if is_first { (a, first, second) } else { (b, second, first) };
            // Won or lost is the game; the goal is the role's own.
            let goals = played.goals.get(role).map_or(50.0, |&goal| f64::from(goal));
            self.count_role(game, role, player, Tally { goals, ..one(own, theirs) });
        }
    }

    fn count_pair(&mut self, game: usize, player: usize, other: usize, tally: Tally) {
        plus(&mut self.totals[player], tally);
        let known = self.pairs.iter_mut().find(|line| (line.game, line.player, line.other) == (game, player, other));
        match known {
            Some(line) => plus(&mut line.tally, tally),
            None => self.pairs.push(PairLine { game, player, other, tally }),
        }
    }

    fn count_role(&mut self, game: usize, role: usize, player: usize, tally: Tally) {
        let known = self.roles.iter_mut().find(|line| (line.game, line.role, line.player) == (game, role, player));
        match known {
            Some(line) => plus(&mut line.tally, tally),
            None => self.roles.push(RoleLine { game, role, player, tally }),
        }
    }

    /// What they belong to.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The share of the points that a player got, in all and in each game.
    pub fn points(&self, player: usize) -> (f64, Vec<(&str, f64)>) {
        let lines = self.pairs.iter().filter(|line| line.player == player);
        let games = lines.map(|line| (self.games[line.game].name.as_str(), line.tally.rate())).collect();
        (self.totals[player].rate(), games)
    }

    /// Won, drawn and lost by a player.
    pub fn tally(&self, player: usize) -> Tally {
        self.totals[player]
    }

    /// Players from the best to the worst.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.totals.len()).collect();
        order.sort_by(|&a, &b| {
            let key = |at: usize| if self.rated { self.ratings[at].elo } else { self.totals[at].mean_goal() };
            key(b).total_cmp(&key(a))
        });
        order
    }

    /// The name of a role; its number where the rules have changed meanwhile.
    fn role(&self, line: &RoleLine) -> String {
        self.games[line.game].roles.get(line.role).map_or_else(|| format!("role {}", line.role + 1), String::clone)
    }

    /// The tables for people.
    pub fn text(&self) -> String {
        let head = ["games", "wins", "draws", "losses", "points", "95%", "goal"].map(String::from);
        let players = &self.settings.players;
        let first = |title: &str| vec![title.to_string()];
        let mut rows = vec![[first("player"), head.to_vec(), vec!["Elo".to_string(), "faults".to_string()]].concat()];
        for at in self.order() {
            let rating = self.ratings[at];
            let rating =
                if self.rated { format!("{:+.0} ±{:.0}", rating.elo, rating.margin) } else { "-".to_string() };
            let name = text::fit(&players[at], 40);
            rows.push([vec![name], cells(&self.totals[at]), vec![rating, self.faults[at].to_string()]].concat());
        }
        let mut all = text::aligned(&rows);
        if self.pairs.len() > players.len() || self.games.len() > 1 {
            let mut rows = vec![[first("game, player, other"), head.to_vec()].concat()];
            for line in self.pairs.iter().filter(|line| line.player <= line.other) {
                let other =
                    if line.player == line.other { String::new() } else { format!(" v {}", players[line.other]) };
                let name = format!("{}: {}{other}", self.games[line.game].name, players[line.player]);
                rows.push([vec![text::fit(&name, 70)], cells(&line.tally)].concat());
            }
            let _ = write!(all, "\n{}", text::aligned(&rows));
        }
        // Of two players the second did what the first did not.
        let shown: Vec<&RoleLine> = self.roles.iter().filter(|line| players.len() > 2 || line.player == 0).collect();
        if !shown.is_empty() {
            let mut rows = vec![[first("game, role, player"), head.to_vec()].concat()];
            for line in shown {
                let name = format!("{}: {}: {}", self.games[line.game].name, self.role(line), players[line.player]);
                rows.push([vec![text::fit(&name, 70)], cells(&line.tally)].concat());
            }
            let _ = write!(all, "\n{}", text::aligned(&rows));
        }
        let _ = write!(all, "\n{}", text::count(self.count, "game"));
        if self.given_up > 0 {
            let _ = write!(all, "; {} given up, counted as drawn", self.given_up);
        }
        if self.repeats > 0 {
            let _ =
                write!(all, "; {} the same as another one move by move: the intervals are too narrow", self.repeats);
        }
        all + "\n"
    }

    /// Everything for programs.
    pub fn report(&self) -> Report<'_> {
        let players = &self.settings.players;
        let rating = |at: usize| self.rated.then(|| self.ratings[at]);
        let player = |at: usize| PlayerRow {
            player: &players[at],
            faults: self.faults[at],
            elo: rating(at).map(|rating| rating.elo),
            elo_margin: rating(at).map(|rating| rating.margin),
            counts: (&self.totals[at]).into(),
        };
        let pair = |line: &PairLine| PairRow {
            game: &self.games[line.game].name,
            player: &players[line.player],
            other: &players[line.other],
            counts: (&line.tally).into(),
        };
        let role = |line: &RoleLine| {
            let game = &self.games[line.game];
            Some(RoleRow {
                game: &game.name,
                role: game.roles.get(line.role)?,
                player: &players[line.player],
                counts: (&line.tally).into(),
            })
        };
        Report {
            settings: &self.settings,
            games: self.count,
            given_up: self.given_up,
            repeats: self.repeats,
            players: self.order().into_iter().map(player).collect(),
            pairs: self.pairs.iter().map(pair).collect(),
            roles: self.roles.iter().filter_map(role).collect(),
        }
    }

    /// Writes `NAME.json`, `NAME.csv` (who against whom) and `NAME-roles.csv` (who in which role).
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn save(&self, folder: &Path, name: &str) -> Result<()> {
        let write = |ending: &str, text: String| platform::save(&folder.join(format!("{name}{ending}")), &text);
        write(".json", serde_json::to_string_pretty(&self.report())? + "\n")?;
        let player = |at: usize| quoted(&self.settings.players[at]);
        let game = |at: usize| quoted(&self.games[at].name);
        let mut csv = format!("game,player,other,{COLUMNS}\n");
        for line in &self.pairs {
            let (game, player, other) = (game(line.game), player(line.player), player(line.other));
            let _ = writeln!(csv, "{game},{player},{other},{}", numbers(&line.tally));
        }
        write(".csv", csv)?;
        let mut csv = format!("game,role,player,{COLUMNS}\n");
        for line in &self.roles {
            let (game, role, player) = (game(line.game), quoted(&self.role(line)), player(line.player));
            let _ = writeln!(csv, "{game},{role},{player},{}", numbers(&line.tally));
        }
        write("-roles.csv", csv)
    }
}

/// How many games are, move by move, an earlier one of the same players in the same roles.
fn repeats(played: &[Played]) -> usize {
    let mut seen = HashSet::new();
    let known = played.iter().filter_map(|one| Some((&one.game, &one.players, &one.first_has, one.moves.as_ref()?)));
    known.filter(|game| !seen.insert(*game)).count()
}

/// A tally as columns for people.
fn cells(tally: &Tally) -> Vec<String> {
    let percent = |value: f64| format!("{:.1}%", 100.0 * value);
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
}

const COLUMNS: &str = "games,wins,draws,losses,points,low,high,goal";

/// A tally as [`COLUMNS`].
fn numbers(tally: &Tally) -> String {
    let ((low, high), Tally { wins, draws, losses, .. }) = (tally.interval(), *tally);
    let (games, rate, goal) = (tally.games(), tally.rate(), tally.mean_goal());
    format!("{games},{wins},{draws},{losses},{rate:.4},{low:.4},{high:.4},{goal:.2}")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(round: usize, first_has: [bool; 2], goals: &[u8], moves: &str) -> Played {
        Played {
            settings: String::new(),
            game: "g".into(),
            rules: String::new(),
            players: ("a".into(), "b".into()),
            round,
            first_has: first_has.to_vec(),
            goals: goals.to_vec(),
            steps: 1,
            moves: (!moves.is_empty()).then(|| moves.to_string()),
            faults: (0, 1),
            seconds: 0.0,
        }
    }

    fn standings(played: &[Played]) -> Standings {
        let settings = Settings {
            id: "x".into(),
            games: vec!["g".into()],
            players: vec!["a".into(), "b".into()],
            gauntlet: false,
            start: 1.0,
            play: 1.0,
            most: 500,
            seed: 1,
            scramble: false,
        };
        Standings::new(settings, &[RatedGame { name: "g".into(), roles: vec!["x".into(), "o".into()] }], played)
    }

    #[test]
    fn points_go_to_whoever_sat_there() {
        let standings = standings(&[
            played(0, [true, false], &[100, 0], ""),
            played(1, [false, true], &[0, 100], ""),
            played(2, [true, false], &[50, 50], ""),
            played(3, [false, true], &[], ""),
        ]);
        assert_eq!((standings.totals[0].wins, standings.totals[0].draws, standings.totals[0].losses), (2, 2, 0));
        assert_eq!((standings.totals[1].wins, standings.totals[1].losses), (0, 2));
        assert_eq!((standings.faults[1], standings.given_up), (4, 1));
        assert!(standings.ratings[0].elo > standings.ratings[1].elo);
        assert!(standings.text().contains("75.0%"), "{}", standings.text());
        assert_eq!(standings.report().players[0].player, "a");
    }

    #[test]
    fn roles_are_counted_apart() {
        // Whoever has x wins.
        let standings = standings(&[
            played(0, [true, false], &[100, 0], ""),
            played(1, [false, true], &[90, 10], ""),
            played(2, [true, false], &[80, 20], ""),
        ]);
        let report = standings.report();
        let rows: Vec<_> = report
            .roles
            .iter()
            .map(|row| (row.role, row.player, row.counts.wins, row.counts.losses, row.counts.goal))
            .collect();
        assert_eq!(
            rows,
            [("x", "a", 2, 0, 90.0), ("x", "b", 1, 0, 90.0), ("o", "a", 0, 1, 10.0), ("o", "b", 0, 2, 10.0)]
        );
        let text = standings.text();
        assert!(text.contains("g: x: a") && !text.contains("g: x: b"), "{text}");
    }

    #[test]
    fn repeated_games_are_told() {
        let standings = standings(&[
            played(0, [true, false], &[100, 0], "one"),
            played(1, [false, true], &[0, 100], "one"),
            played(2, [true, false], &[100, 0], "one"),
            played(3, [false, true], &[0, 100], "two"),
            played(4, [true, false], &[100, 0], ""),
        ]);
        assert_eq!(standings.repeats, 1, "the same moves with the roles changed are another game");
        assert!(standings.text().contains("; 1 the same as another one move by move"), "{}", standings.text());
    }
}
