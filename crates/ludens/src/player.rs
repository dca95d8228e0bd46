//! `ludens player`: a player that game managers talk to over HTTP. And `ludens players`: which kinds of players there are.

pub mod kinds;
mod local;
mod mind;
mod office;
pub mod plain;
pub mod remote;
pub mod stock;
mod studied;
mod tabled;

use crate::cli::{PlayerArgs, PlayersArgs};
use crate::{Answer, Out, http, table};
use anyhow::{Context, Result};
use office::Office;
use serde_json::json;
use std::net::TcpListener;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;

/// Runs the command; it ends only when the process is ended.
pub fn run(args: &PlayerArgs, out: Out<'_>) -> Result<Answer> {
    let settings = kinds::read(&args.player)?;
    let listener = TcpListener::bind((args.host.as_str(), args.port))
        .with_context(|| format!("cannot listen on {}:{} (`--port 0` takes any free port)", args.host, args.port))?;
    let address = listener.local_addr()?;
    writeln!(out, "listening on http://{address} as {}: {settings}", args.name)?;
    out.flush()?;
    let office = Office::new(args.name.clone(), settings, args.seed.unwrap_or_else(clock_seed));
    http::serve(listener, &AtomicBool::new(false), move |call| office.answer(call));
    Ok(Answer::Yes)
}

/// Lists the kinds of players.
pub fn list(args: &PlayersArgs, out: Out<'_>) -> Result<Answer> {
    if args.json {
        let kinds: Vec<_> = kinds::KINDS
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
    let wide = kinds::KINDS.iter().map(|kind| kind.name.len()).max().unwrap_or(0);
    for kind in kinds::KINDS {
        let default = if kind.name == kinds::DEFAULT { " (the default)" } else { "" };
        writeln!(out, "{:<wide$}  {}{default}", kind.name, kind.what)?;
        for setting in kind.settings {
            writeln!(out, "{:<wide$}    {:<9} {}", "", setting.name, table::fit(setting.what, 100))?;
        }
    }
    writeln!(out, "\nWritten as KIND or KIND:NAME=VALUE,NAME=VALUE: --player \"{}\"", kinds::EXAMPLE)?;
    Ok(Answer::Yes)
}

/// A seed when none is given: another one each time.
pub fn clock_seed() -> u64 {
    let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    time ^ u64::from(std::process::id()) << 40
}
