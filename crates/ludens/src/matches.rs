//! `ludens match`: the game manager. Local and remote players, clocks that hold, and a record of what happened.

use crate::board::Boards;
use crate::cli::MatchArgs;
use crate::human::Human;
use crate::opening::Begun;
use crate::tables::with_tables;
use agent::PlayerSpec;
use anyhow::{Result, ensure};
use game::{Cancel, role_names};
use gdl::Rules;
use host::matches::{
    Event, GiveUp, Setup, game_name, game_title, game_url, host_until, more, open_roles, rules_in_record, save, token,
};
use host::player_thread::PlayerThread;
use host::players::read;
use library::{Sheet, load};
use machine::Engine;
use platform::{Interrupt, Interrupted};
use play::{Disguise, MatchRecord, Player};
use serde_json::json;
use terminal::{Answer, Out, Progress, text};

/// Runs the command.
pub fn run(args: &MatchArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let (sheet, rules) = load(&args.game)?;
    let players = args.players.iter().map(|text| read(text)).collect::<Result<Vec<_>>>()?;
    let humans = players.iter().filter(|player| player.is_human()).count();
    ensure!(humans <= 1 && (humans == 0 || args.game != "-"), "there is one keyboard, for one person");
    if let Some(id) = &args.id {
        let word = play::text::word(id);
        ensure!(
            *id == word && !id.eq_ignore_ascii_case("nil"),
            "{id:?} cannot be the name of a match: it must be one \
            word, without blanks, brackets, quotes, `;` and `?` ({word:?} could)"
        );
    }
    if let Some(path) = &args.record {
        platform::can_save(path)?;
    }
    // From here on Ctrl-C ends the match, and not the program.
    let (cancel, gone) = (interrupt.cancel(), Cancel::new());
    let seed = args.seed.unwrap_or_else(host::clock_seed);
    let scramble = args.scramble.then_some(seed);
    let Begun { rules, engine: game, is_elsewhere } = args.opening.begin(args.engine, &sheet, rules, &cancel)?;
    let disguise = Disguise::new(&rules, scramble);
    let stop = || {
        if cancel.is_cancelled() {
            return Some("interrupted".to_string());
        }
        let why = "the input has ended, and nobody is there to choose for the person";
        gone.is_cancelled().then(|| why.to_string())
    };
    let command = Match {
        args,
        sheet: &sheet,
        rules: &rules,
        players,
        disguise,
        seed,
        is_elsewhere,
        interrupt,
        cancel: &cancel,
        gone: &gone,
        stop: &stop,
        out,
    };
    let record = command.run(&game)?;
    if record.is_completed != Some(true) && cancel.is_cancelled() {
        let kept = if args.record.is_some() { ", and the record says so" } else { "" };
        return Err(Interrupted(format!("the match is given up{kept}")).into());
    }
    Ok(if record.is_completed == Some(true) { Answer::Yes } else { Answer::No })
}

struct Match<'a> {
    args: &'a MatchArgs,
    sheet: &'a Sheet,
    rules: &'a Rules,
    players: Vec<PlayerSpec>,
    disguise: Disguise,
    seed: u64,
    is_elsewhere: bool,
    interrupt: &'a Interrupt,
    cancel: &'a Cancel,
    gone: &'a Cancel,
    stop: GiveUp<'a>,
    out: Out<'a>,
}

/// Who sits where: one entry for each role, the given players in order and the default player where they run out.
fn lineup(game: &Engine, players: &[PlayerSpec]) -> Result<Vec<Option<PlayerSpec>>> {
    let open = open_roles(game);
    let count = open.iter().filter(|open| **open).count();
    let names = role_names(game).join(", ");
    ensure!(players.len() <= count, "there are {} players for {}: {names}", players.len(), text::count(count, "role"));
    let default = PlayerSpec::default();
    let mut players = players.iter();
    let mut seat = |open: &bool| open.then(|| players.next().unwrap_or(&default).clone());
    Ok(open.iter().map(&mut seat).collect())
}

impl Match<'_> {
    fn run(self, game: &Engine) -> Result<MatchRecord> {
        let Match { args, sheet, rules, players, disguise, seed, is_elsewhere, interrupt, cancel, gone, stop, out } =
            self;
        let players = lineup(game, &players)?;
        let shared = crate::player::players_who_tell(interrupt, true);
        with_tables(args.build_tables, interrupt, || {
            players.iter().flatten().try_for_each(|spec| shared.ready(spec, rules, cancel))
        })?;
        let mut threads = Vec::new();
        for (number, player) in players.iter().enumerate() {
            let thread = |spec: &PlayerSpec| {
                let people = |_: &PlayerSpec| Ok(Box::new(Human::new(gone)) as Box<dyn Player>);
                let player = shared.make(spec, seed.wrapping_add(1 + number as u64), &people)?;
                PlayerThread::new(spec.to_string(), spec.is_human(), player)
            };
            threads.push(player.as_ref().map(thread).transpose()?);
        }
        // Who is not to recognise the game is not told its name.
        let name = if args.scramble { "match".to_string() } else { game_name(sheet) };
        let id = args.id.clone().unwrap_or_else(|| format!("{name}.{}", &token()[..8]));
        let setup = Setup {
            id,
            disguise: &disguise,
            start: args.start,
            play: args.play,
            seed,
            most: args.most,
            game: game_title(sheet),
            url: args.url.clone().unwrap_or_else(|| game_url(sheet)),
            tournament: None,
            more: if is_elsewhere { rules_in_record(rules) } else { more(sheet, rules) },
        };
        let has_person = players.iter().flatten().any(PlayerSpec::is_human);
        let boards = Boards::new(rules, game).dressed(sheet)?;
        let mut screen = Screen { names: role_names(game), boards, args, has_person, progress: None, out };
        let record = host_until(game, &setup, &mut threads, stop, &mut |event, record| {
            let has_news = match event {
                Event::Begin | Event::Waiting { .. } => false,
                Event::Ready(_) | Event::Step(..) | Event::End(_) => true,
            };
            if let (Some(path), true) = (&args.record, has_news) {
                save(path, record)?;
            }
            screen.show(event, record)
        })?;
        Ok(record)
    }
}

/// What is seen of a match while it goes on.
struct Screen<'a> {
    names: Vec<String>,
    boards: Boards,
    args: &'a MatchArgs,
    /// Whether somebody types here, and is not to be disturbed.
    has_person: bool,
    /// Who is waited for.
    progress: Option<Progress>,
    out: Out<'a>,
}

impl Screen<'_> {
    /// Says who thinks, and for how long, where that takes a while.
    fn wait(&mut self, roles: &[usize], seconds: f64, of: f64) {
        if self.has_person {
            return;
        }
        let names: Vec<&str> = roles.iter().filter_map(|&role| Some(self.names.get(role)?.as_str())).collect();
        let who = if names.is_empty() { "waiting".to_string() } else { format!("{}: thinking", names.join(", ")) };
        let progress = self.progress.get_or_insert_with(Progress::new);
        progress.at(|_| format!("{who}, {} of {}", text::seconds(seconds), text::seconds(of)));
    }

    fn show(&mut self, event: &Event<'_>, record: &MatchRecord) -> Result<()> {
        if let Event::Waiting { roles, seconds, of } = *event {
            self.wait(roles, seconds, of);
            return Ok(());
        }
        // Wiped before anything else is written.
        self.progress = None;
        if self.args.stream {
            self.stream(event, record)?
        } else {
            self.tell(event, record)?
        }
        Ok(self.out.flush()?)
    }

    /// One line of JSON for each event; the last one is the whole record.
    fn stream(&mut self, event: &Event<'_>, record: &MatchRecord) -> Result<()> {
        let line = match event {
            Event::Waiting { .. } => return Ok(()),
            Event::Begin => {
                let mut start = json!({
                    "event": "start", "matchId": record.match_id, "game": record.game_name,
                    "roles": record.game_role_names, "players": record.player_names_from_host,
                });
                // Of a game that nobody else may have.
                if let Some(rules) = record.more.get("x-rules") {
                    start["rules"] = rules.clone();
                }
                start
            }
            Event::Ready(_) => json!({
                "event": "ready", "state": record.states[0], "time": record.state_times[0], "errors": record.errors[0],
            }),
            Event::Step(..) => json!({
                "event": "step", "number": record.moves.len(), "moves": record.moves.last(),
                "state": record.states.last(), "time": record.state_times.last(), "errors": record.errors.last(),
            }),
            Event::End(_) => json!({ "event": "end", "match": record }),
        };
        Ok(writeln!(self.out, "{line}")?)
    }

    fn tell(&mut self, event: &Event<'_>, record: &MatchRecord) -> Result<()> {
        match event {
            Event::Waiting { .. } => {}
            Event::Begin => {
                let pairs = self.names.iter().zip(&record.player_names_from_host);
                let pairs: Vec<String> = pairs.map(|(role, player)| format!("{role}: {player}")).collect();
                writeln!(self.out, "{} ({})", record.match_id, pairs.join(", "))?;
            }
            Event::Ready(troubles) => {
                for (role, trouble) in self.names.iter().zip(*troubles) {
                    if let Some(trouble) = trouble {
                        writeln!(self.out, "  {role} is not ready: {trouble}")?;
                    }
                }
            }
            Event::Step(counts, step, troubles) => {
                let nobody = counts.iter().all(|&count| count == 1);
                let mut parts = Vec::new();
                for (role, name) in self.names.iter().enumerate() {
                    let error = step.faults[role].as_ref().map(|fault| fault.text());
                    if counts[role] > 1 || nobody || error.is_some() {
                        let why = troubles[role].as_ref().map_or(String::new(), |why| format!(": {why}"));
                        let error = error.map_or(String::new(), |error| format!(" [{error}{why}]"));
                        parts.push(format!("{name}: {}{error}", step.moves[role]));
                    }
                }
                writeln!(self.out, "{:>4}  {}", record.moves.len(), parts.join("   "))?;
                let facts = record.facts(record.moves.len()).unwrap_or_default();
                if self.args.boards {
                    writeln!(self.out, "{}", self.boards.draw(&facts).trim_end())?;
                }
            }
            Event::End(given_up) => {
                if !self.args.boards {
                    let facts = record.facts(record.moves.len()).unwrap_or_default();
                    writeln!(self.out, "{}", self.boards.draw(&facts).trim_end())?;
                }
                match given_up {
                    Some(why) => writeln!(self.out, "given up: {why}")?,
                    None => {
                        let goals = self.names.iter().zip(&record.goal_values);
                        let goals: Vec<String> = goals.map(|(name, goal)| format!("{name} {goal}")).collect();
                        writeln!(
                            self.out,
                            "over after {}: {}",
                            text::count(record.moves.len(), "step"),
                            goals.join(", ")
                        )?;
                    }
                }
            }
        }
        Ok(())
    }
}
