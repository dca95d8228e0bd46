//! `ludens player`: a player that game managers talk to over HTTP. And `ludens players`: which kinds of players there are.

use crate::cli::{PlayerArgs, PlayersArgs};
use agent::spec::{DEFAULT, EXAMPLE, KINDS};
use agent::{Events, Resources};
use anyhow::{Context, Result};
use host::players::{Players, read};
use host::server::PlayerServer;
use host::{clock_seed, http};
use platform::{Interrupt, Interrupted, folders};
use serde_json::json;
use std::collections::BTreeSet;
use std::io::{Write, stderr};
use std::net::TcpListener;
use std::sync::{Arc, Mutex, PoisonError};
use terminal::{Answer, Out, text};

/// Makes the players of this process: their warnings go to standard error, tables are found in the usual folder, and the programs
/// that they start end with this one.
pub fn players(interrupt: &Interrupt) -> Players {
    let told: Mutex<BTreeSet<String>> = Mutex::default();
    let is_new = move |what: String| told.lock().unwrap_or_else(PoisonError::into_inner).insert(what);
    let events = Events::to(move |event| {
        // However many players look at a file, it is said once that it cannot be used; and once that somebody stands in.
        let is_news = match event {
            agent::Event::TableRefused { path, .. } => is_new(path.display().to_string()),
            agent::Event::StandIn { .. } => is_new(event.to_string()),
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
    writeln!(out, "listening on http://{address} as {}: {spec}", args.name)?;
    out.flush()?;
    let log = |line: &str| drop(writeln!(stderr(), "{line}"));
    let seed = args.seed.unwrap_or_else(clock_seed);
    let mut players = players(interrupt);
    players.resources.ponders = !args.no_ponder;
    let server = Arc::new(PlayerServer::new(args.name.clone(), spec, seed, players, log));
    let own = Arc::clone(&server);
    // From here on Ctrl-C ends the match at hand first.
    http::serve(listener, &interrupt.cancel(), move |call| own.answer(call));
    let ended = if server.end_match() { "the match at hand is ended" } else { "there was no match" };
    Err(Interrupted(ended.to_string()).into())
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
