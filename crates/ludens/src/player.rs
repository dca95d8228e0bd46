//! `ludens player`: a player that game managers talk to over HTTP. And `ludens players`: which kinds of players there are.

use crate::cli::{PlayerArgs, PlayersArgs};
use agent::spec::{DEFAULT, EXAMPLE, KINDS};
use agent::{Events, Resources};
use anyhow::{Context, Result};
use host::players::{Players, read};
use host::server::PlayerServer;
use host::{clock_seed, http};
use platform::{Interrupt, Interrupted, folders};
use play::message::Request;
use serde_json::json;
use std::collections::BTreeSet;
use std::io::{Write, stderr};
use std::net::TcpListener;
use std::sync::{Arc, Mutex, PoisonError};
use terminal::{Answer, Out, text};

/// Makes the players of this process: their warnings go to standard error, tables are found in the usual folder, and the programs
/// that they start end with this one.
pub fn players(interrupt: &Interrupt) -> Players {
    players_who_tell(interrupt, false)
}

/// The same; and with `ways` they say by what they search, and when they leave that for something else.
pub fn players_who_tell(interrupt: &Interrupt, ways: bool) -> Players {
    let told: Mutex<BTreeSet<String>> = Mutex::default();
    let is_new = move |what: String| told.lock().unwrap_or_else(PoisonError::into_inner).insert(what);
    let events = Events::to(move |event| {
        // However many players look at a file, it is said once that it cannot be used; and once that somebody stands in.
        let is_news = match event {
            agent::Event::TableRefused { path, .. } => is_new(path.display().to_string()),
            agent::Event::StandIn { .. } | agent::Event::WeightsRefused { .. } => is_new(event.to_string()),
            agent::Event::Way { .. } => ways,
            _ => event.is_warning(),
        };
        if is_news {
            let _ = writeln!(stderr(), "{event}");
        }
    });
    let tables = folders::tables(None).ok();
    Players::new(Resources { tables, events, ..Resources::default() }, interrupt.children())
}

/// Runs the command; it goes on until the program is asked to end.
pub fn run(args: &PlayerArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let spec = read(&args.player)?;
    let listener = TcpListener::bind((args.host.as_str(), args.port))
        .with_context(|| format!("cannot listen on {}:{} (`--port 0` takes any free port)", args.host, args.port))?;
    let address = listener.local_addr()?;
    let listens = format!("listening on http://{address} as {}: {spec}", args.name);
    if args.stream {
        writeln!(stderr(), "{listens}")?;
    } else {
        writeln!(out, "{listens}")?;
        out.flush()?;
    }
    let log = |line: &str| drop(writeln!(stderr(), "{line}"));
    let seed = args.seed.unwrap_or_else(clock_seed);
    let mut players = players_who_tell(interrupt, true);
    players.resources.ponders = !args.no_ponder;
    let server = Arc::new(PlayerServer::new(args.name.clone(), spec, seed, players, log));
    let own = Arc::clone(&server);
    // From here on Ctrl-C ends the match at hand first.
    let told = args.stream.then(Told::default);
    http::serve(listener, &interrupt.cancel(), move |call| {
        let request = told.as_ref().and_then(|_| Request::read(&call.message).ok());
        let (Some(told), Some(request)) = (&told, request) else { return own.answer(call) };
        // What others did is told before the player thinks about it; a match, once it was accepted.
        told.hear(&request);
        let response = own.answer(call);
        if let Request::Start { id, role, rules, .. } = &request
            && response.body != "busy"
        {
            told.begin(id, role, rules);
        }
        response
    });
    let ended = if server.end_match() { "the match at hand is ended" } else { "there was no match" };
    Err(Interrupted(ended.to_string()).into())
}

/// The match at hand for those who watch the player: one line of JSON for each event, on standard output.
#[derive(Default)]
struct Told {
    /// The match, and how many steps were told of it.
    now: Mutex<Option<(String, usize)>>,
}

impl Told {
    fn line(value: &serde_json::Value) {
        let mut out = std::io::stdout().lock();
        // Whoever watched may be gone; the match goes on.
        let _ = writeln!(out, "{value}").and_then(|()| out.flush());
    }

    fn begin(&self, id: &str, role: &str, rules: &str) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = Some((id.to_string(), 0));
        Told::line(&json!({"event": "start", "matchId": id, "role": role, "rules": rules}));
        Told::line(&json!({"event": "ready"}));
    }

    fn hear(&self, request: &Request) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let (Request::Play { id, .. } | Request::Stop { id, .. } | Request::Abort { id }) = request else { return };
        let Some((_, steps)) = now.as_mut().filter(|(own, _)| own == id) else { return };
        if let Request::Play { moves: Some(moves), .. } | Request::Stop { moves: Some(moves), .. } = request {
            *steps += 1;
            Told::line(&json!({"event": "step", "number": steps, "moves": moves}));
        }
        if !matches!(request, Request::Play { .. }) {
            Told::line(&json!({"event": "end", "matchId": id}));
            *now = None;
        }
    }
}

/// Lists the kinds of players.
pub fn list(args: &PlayersArgs, out: Out<'_>) -> Result<Answer> {
    if args.json {
        let kinds: Vec<_> = KINDS
            .iter()
            .map(|kind| {
                let settings = kind.settings.iter().map(|setting| json!({"name": setting.name, "what": setting.what}));
                json!({"name": kind.name, "what": kind.what, "settings": settings.collect::<Vec<_>>()})
            })
            .collect();
        serde_json::to_writer_pretty(&mut *out, &kinds)?;
        writeln!(out)?;
        return Ok(Answer::Yes);
    }
    let wide = KINDS.iter().map(|kind| kind.name.len()).max().unwrap_or(0);
    for kind in KINDS {
        let default = if kind.name == DEFAULT { " (the default)" } else { "" };
        let line = format!("{:<wide$}  {}{default}", kind.name, kind.what);
        writeln!(out, "{}", text::wrap_for_terminal(&line, wide + 2))?;
        for setting in kind.settings {
            let line = format!("{:<wide$}    {:<12} {}", "", setting.name, setting.what);
            writeln!(out, "{}", text::wrap_for_terminal(&line, wide + 17))?;
        }
    }
    writeln!(out, "\nWritten as KIND or KIND:NAME=VALUE,NAME=VALUE: --player \"{}\"", EXAMPLE)?;
    Ok(Answer::Yes)
}
