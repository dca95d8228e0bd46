//! Programs that play chess: started here, spoken to in their own protocol, and ended on every way out.
//!
//! | module | what it is |
//! |---|---|
//! | `process` | lines to and from a program that may hang, die, or never stop talking |
//! | `uci`, `cecp` | what is said in the two protocols |
//! | `player` | a program in a match |
//!
//! Whatever a program does, whoever asks has an answer or the reason why there is none soon after it has said stop. A
//! program that keeps silent then is ended, and another one is started for the next question.

mod cecp;
mod player;
mod process;
mod uci;

pub use player::ProgramPlayer;

use agent::program::{Program, Programs, Protocol};
use agent::spec::ProgramSpec;
use game::Cancel;
use platform::Children;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a program may take to say that it is there.
const HELLO: Duration = Duration::from_secs(20);
/// How long a program may take to answer once it was told to stop.
const GRACE: Duration = Duration::from_secs(1);

/// Starts programs, each of which ends with these children at the latest.
pub fn programs(children: &Children) -> Programs {
    let children = children.clone();
    Arc::new(move |protocol, spec, stop| start(protocol, spec, &children, stop))
}

/// Starts a program and agrees with it on the protocol and on its options.
///
/// # Errors
/// When there is no such program, it does not answer, or it does not have an option: what is wrong, and the way out.
pub fn start(
    protocol: Protocol,
    spec: &ProgramSpec,
    children: &Children,
    stop: &dyn Fn() -> bool,
) -> Result<Box<dyn Program>, String> {
    let until = Instant::now() + HELLO;
    Ok(match protocol {
        Protocol::Uci => Box::new(uci::Uci::start(spec, children, until, stop)?),
        Protocol::Xboard => Box::new(cecp::Cecp::start(spec, children, until, stop)?),
    })
}

/// Makes sure that a program is there, speaks its protocol and has the options that are set.
///
/// # Errors
/// As [`start`].
pub fn check(protocol: Protocol, spec: &ProgramSpec, children: &Children, cancel: &Cancel) -> Result<(), String> {
    start(protocol, spec, children, &|| cancel.is_cancelled()).map(drop)
}
