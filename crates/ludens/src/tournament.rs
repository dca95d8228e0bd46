//! `ludens tournament`: many matches between players of this program or elsewhere, and what they come to. Every finished game is
//! written down at once, so that an interrupted tournament goes on where it ended.

mod standings;

use crate::cli::TournamentArgs;
use crate::engine::{Engine, Job, Loaded};
use crate::lab::journal::{Journal, Keep};
use crate::matches::host::{Setup, host, open_roles};
use crate::matches::many::{go_on, play_all};
use crate::matches::seat::Seat;
use crate::matches::{game_url, more, save};
use crate::player::kinds;
use crate::player::stock::Shelf;
use crate::source::{Sheet, load};
use crate::{Answer, Out};
use anyhow::{Context, Result, ensure};
use game::Names;
use gdl::Rules;
use play::schedule::{Mode, Pairing, schedule};
use play::{Disguise, MatchRecord, Settings};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use standings::Standings;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// One finished game, as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Played {
    /// What it was played with: clocks and the like. Games of other settings do not count.
    pub settings: String,
    /// The game.
    pub game: String,
    /// The two players that met, as they are written; the same one twice where it plays alone.
    pub players: (String, String),
    /// Which meeting of these two in this game it was.
    pub round: usize,
    /// Whether the first of the two had each seat.
    pub first_has: Vec<bool>,
    /// What each seat got. Empty if the match was given up.
    pub goals: Vec<u8>,
    /// Steps made.
    pub steps: usize,
    /// Moves that had to be replaced, of the first and of the second.
    pub faults: (usize, usize),
    /// How long it took.
    pub seconds: f64,
}

/// A game of the tournament, ready to be played.
struct Table {
    sheet: Sheet,
    rules: Rules,
    loaded: Loaded,
    /// Which roles are not chance.
    open: Vec<bool>,
}

struct OpenRoles;

impl Job for OpenRoles {
    type Out = Vec<bool>;

    fn run<G: Names>(self, game: &G) -> Vec<bool> {
        open_roles(game)
    }
}

/// Everything that the threads share.
struct Hall<'a> {
    args: &'a TournamentArgs,
    tables: Vec<Table>,
    players: Vec<Settings>,
    shelf: Arc<Shelf>,
    settings: String,
}

/// Runs the command.
pub fn run(args: &TournamentArgs, out: Out<'_>) -> Result<Answer> {
    let standings = play(args, out)?;
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &standings.to_json())?;
        writeln!(out)?;
    } else {
        write!(out, "{}", standings.text())?;
    }
    Ok(Answer::Yes)
}

/// Plays what was not played yet, and counts all of it.
pub fn play(args: &TournamentArgs, out: Out<'_>) -> Result<Standings> {
    let players = args.players.iter().map(|text| kinds::read(text)).collect::<Result<Vec<_>>>()?;
    for (at, player) in players.iter().enumerate() {
        ensure!(player.kind != "human", "a tournament is for players that do not need to sleep");
        ensure!(!players[..at].contains(player), "{player} is there twice; settings tell players apart (`seed=2`)");
    }
    let hall = hall(args, players)?;
    let seats: Vec<usize> = hall.tables.iter().map(|table| table.open.iter().filter(|open| **open).count()).collect();
    let mode = if args.gauntlet { Mode::Gauntlet } else { Mode::RoundRobin };
    let pairings = schedule(&seats, hall.players.len(), args.rounds, mode);
    ensure!(
        hall.players.len() > 1 || seats.iter().all(|&seats| seats == 1),
        "a tournament has at least two players (`--player`)"
    );
    let mut results = Results::open(args, &hall.settings)?;
    let known = results.played.len();
    let open: Vec<&Pairing> = pairings.iter().filter(|pairing| !results.has(&hall.name(pairing))).collect();
    if known > 0 && !args.json {
        writeln!(out, "going on with {} games played before (`--fresh` begins anew)", pairings.len() - open.len())?;
        out.flush()?;
    }
    let play = |pairing: &&Pairing, broken: &AtomicBool| hall.play(pairing, broken);
    play_all(&open, usize::from(args.parallel), play, |played| results.add(played))?;
    let wanted: Vec<Name> = pairings.iter().map(|pairing| hall.name(pairing)).collect();
    let played: Vec<Played> =
        wanted.iter().filter_map(|name| results.played.iter().find(|played| name.is(played)).cloned()).collect();
    let names: Vec<String> = hall.players.iter().map(Settings::to_string).collect();
    let games: Vec<String> = hall.tables.iter().map(|table| table.sheet.name.clone()).collect();
    let standings = Standings::new(&names, &games, &played);
    if let Some(folder) = &args.out {
        standings.save(folder)?;
    }
    Ok(standings)
}

/// Makes everything ready.
fn hall<'a>(args: &'a TournamentArgs, players: Vec<Settings>) -> Result<Hall<'a>> {
    let shelf = Arc::new(Shelf::default());
    let mut tables = Vec::new();
    for name in &args.games {
        let (sheet, rules) = load(name)?;
        let loaded = Loaded::new(Engine::Auto, &sheet, &rules, None)?;
        let open = loaded.run(OpenRoles);
        ensure!(open.contains(&true), "{name} has no role that a player could have");
        // Players need not make the engine anew for each game; with scrambled rules they have to.
        if !args.scramble {
            shelf.fill(Disguise::new(&rules, None).rules()).map_err(anyhow::Error::msg)?;
        }
        tables.push(Table { sheet, rules, loaded, open });
    }
    let TournamentArgs { start, play, most, seed, scramble, .. } = args;
    let settings = format!("start={start} play={play} most={most} seed={seed} scramble={scramble}");
    Ok(Hall { args, tables, players, shelf, settings })
}

/// What tells a game of a tournament from all others.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Name {
    game: String,
    players: (String, String),
    round: usize,
}

impl Name {
    fn is(&self, played: &Played) -> bool {
        (&self.game, &self.players, self.round) == (&played.game, &played.players, played.round)
    }

    /// A seed of its own, whatever else is in the tournament.
    fn seed(&self, seed: u64) -> u64 {
        let text = format!("{seed} {} {} {} {}", self.game, self.players.0, self.players.1, self.round);
        let digest = Sha256::digest(text.as_bytes());
        digest.iter().take(8).fold(0, |seed, &byte| seed << 8 | u64::from(byte))
    }
}

impl Hall<'_> {
    fn name(&self, pairing: &Pairing) -> Name {
        let player = |at: usize| self.players[at].to_string();
        Name {
            game: self.tables[pairing.game].sheet.name.clone(),
            players: (player(pairing.players.0), player(pairing.players.1)),
            round: pairing.round,
        }
    }

    /// Plays one game.
    fn play(&self, pairing: &Pairing, broken: &AtomicBool) -> Result<Played> {
        let table = &self.tables[pairing.game];
        table.loaded.run(One { hall: self, table, pairing, broken })
    }
}

/// One game, whatever engine runs it.
struct One<'a> {
    hall: &'a Hall<'a>,
    table: &'a Table,
    pairing: &'a Pairing,
    broken: &'a AtomicBool,
}

impl Job for One<'_> {
    type Out = Result<Played>;

    fn run<G: Names>(self, game: &G) -> Result<Played> {
        let One { hall, table, pairing, broken } = self;
        let (args, name) = (hall.args, hall.name(pairing));
        let seed = name.seed(args.seed);
        let disguise = Disguise::new(&table.rules, args.scramble.then_some(seed));
        let mut sitting = pairing.seats.iter();
        let mut seats = Vec::new();
        for (number, &open) in table.open.iter().enumerate() {
            let who = if open { sitting.next() } else { None };
            let seat = |&who: &usize| {
                let settings = &hall.players[who];
                let player =
                    kinds::make(settings, seed.wrapping_add(1 + number as u64), Some(Arc::clone(&hall.shelf)))?;
                Seat::new(settings.to_string(), false, player)
            };
            seats.push(who.map(seat).transpose()?);
        }
        let id = format!("{}.{}.{}", play::text::word(&table.sheet.name), pairing.round, &format!("{seed:016x}")[..8]);
        let setup = Setup {
            id,
            disguise: &disguise,
            start: args.start,
            play: args.play,
            seed,
            most: args.most,
            game: table.sheet.entry.map_or(table.sheet.name.clone(), |entry| entry.title().to_string()),
            url: game_url(&table.sheet),
            tournament: args.out.as_ref().map(|out| out.display().to_string()),
            more: more(&table.sheet, &table.rules),
        };
        let began = Instant::now();
        let record = host(game, &setup, &mut seats, &mut |event, _| go_on(event, broken))?;
        if let (Some(folder), true) = (&args.out, args.records) {
            let folder = folder.join("matches");
            std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
            save(&folder.join(format!("{}.json", setup.id.replace(['/', '\\'], "-"))), &record)?;
        }
        Ok(played(hall, name, pairing, &table.open, &record, began.elapsed().as_secs_f64()))
    }
}

fn played(hall: &Hall<'_>, name: Name, pairing: &Pairing, open: &[bool], record: &MatchRecord, seconds: f64) -> Played {
    let first_has: Vec<bool> = pairing.seats.iter().map(|&who| who == pairing.players.0).collect();
    let of_players = |row: &[u8]| row.iter().zip(open).filter(|(_, open)| **open).map(|(goal, _)| *goal).collect();
    let mut faults = (0, 0);
    for row in &record.errors {
        let errors = row.iter().zip(open).filter(|(_, open)| **open).map(|(error, _)| error);
        for (error, first) in errors.zip(&first_has) {
            let count = usize::from(!error.is_empty());
            if *first { faults.0 += count } else { faults.1 += count }
        }
    }
    Played {
        settings: hall.settings.clone(),
        game: name.game,
        players: name.players,
        round: name.round,
        first_has,
        goals: of_players(&record.goal_values),
        steps: record.moves.len(),
        faults,
        seconds,
    }
}

/// The games played so far, and the file they are kept in.
struct Results {
    played: Vec<Played>,
    journal: Option<Journal<Played>>,
}

impl Results {
    fn open(args: &TournamentArgs, settings: &str) -> Result<Results> {
        let Some(folder) = &args.out else { return Ok(Results { played: Vec::new(), journal: None }) };
        let keep = if args.fresh { Keep::None } else { Keep::All };
        let path: PathBuf = Path::new(folder).join("games.jsonl");
        let journal = Journal::open(&path, keep, |played: &Played| played.settings == settings)?;
        Ok(Results { played: journal.entries().to_vec(), journal: Some(journal) })
    }

    fn has(&self, name: &Name) -> bool {
        self.played.iter().any(|played| name.is(played))
    }

    fn add(&mut self, played: Played) -> Result<()> {
        if let Some(journal) = &mut self.journal {
            journal.add(played.clone())?;
        }
        self.played.push(played);
        Ok(())
    }
}
