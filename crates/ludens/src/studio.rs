//! `ludens studio`: a page in the browser.

use agent::{Events, Resources};
use anyhow::Result;
use clap::Args;
use platform::{Interrupt, Interrupted, folders};
use std::io::{Write, stderr};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use studio::follow::follow;
use studio::{Options, Server};
use terminal::{Answer, Out};

/// Arguments of `studio`.
#[derive(Args)]
pub struct StudioArgs {
    /// The port to listen at; 0 is any that is free
    #[arg(long, default_value_t = 0)]
    pub port: u16,
    /// The address to listen at; others than this machine's own need the key of the address that is printed
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub host: String,
    /// Do not open the browser
    #[arg(long)]
    pub no_open: bool,
    /// Where matches and rules are kept [default: LUDENS_STUDIO, or the place for a program's data]
    #[arg(long, value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
    /// Where results of tournaments are looked for, beside those of the studio itself: a folder of `tournament --out`, or one with such folders
    #[arg(long, value_name = "FOLDER")]
    pub results: Vec<PathBuf>,
    /// Show a match as it is played elsewhere: `ludens match … --stream | ludens studio --follow`
    #[arg(long)]
    pub follow: bool,
}

/// Below the help of the command.
pub const STUDIO_HELP: &str = "\
Serves a page from this program and opens it in the browser: play any game of the library or rules of your own, watch players \
and what they think, step through matches, explore tables, read plans, write rules. It works offline; nothing comes from \
elsewhere. Matches are kept, move by move; Ctrl-C ends it.

Examples:
  ludens studio
  ludens studio --port 8080 --no-open
  ludens studio --results my-tournaments
  ludens match nim --player uct --player random --stream | ludens studio --follow
  ludens studio --host 192.168.1.7      (for others in the network who have the address with its key)";

/// Runs the command; it goes on until the program is asked to end.
pub fn run(args: &StudioArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let folder = folders::studio(args.folder.as_deref())?;
    let tables = folders::tables(None).ok();
    let resources = Resources { tables, events: Events::ignored(), ..Resources::default() };
    let options =
        Options { host: args.host.clone(), port: args.port, folder, results: args.results.clone(), resources };
    let server = Server::bind(options, &interrupt.cancel())?;
    let url = server.url();
    writeln!(out, "the studio is at {url} (Ctrl-C ends it)")?;
    out.flush()?;
    if !args.no_open {
        open(&url);
    }
    if args.follow {
        let (studio, address) = (server.studio(), server.address());
        // It ends with its input, or with the program.
        std::thread::spawn(move || {
            follow(&studio, std::io::stdin().lock(), &mut |told| match told {
                Ok(id) => drop(writeln!(stderr(), "a match is shown at http://{address}/match/{id}")),
                Err(error) => drop(writeln!(stderr(), "ludens: {error:#}")),
            });
        });
    }
    server.run()?;
    Err(Interrupted("matches are kept".to_string()).into())
}

/// Asks the system to show an address, where there is a screen to show it on.
fn open(url: &str) {
    let has_screen = cfg!(any(target_os = "macos", windows))
        || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    if !has_screen {
        return;
    }
    let (program, first): (&str, &[&str]) = match () {
        () if cfg!(target_os = "macos") => ("open", &[]),
        () if cfg!(windows) => ("cmd", &["/C", "start", ""]),
        () => ("xdg-open", &[]),
    };
    // Whoever has no browser has the address.
    let mut command = Command::new(program);
    command.args(first).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let _ = command.spawn();
}
