//! Players, the referee, match records, tournaments and the messages of the protocol, without any input or output.
//!
//! This room knows who may do what in a match and how it is written down. It does not know HTTP, files or clocks: what
//! comes from a player comes as text, and time as a function. Who thinks, and how, is elsewhere too; a [`Player`] here
//! is whoever chooses moves.
//!
//! ```
//! use play::referee::{Answer, Referee, Standing};
//! let rules = gdl::parse("(role me) (init off) (legal me wait) (legal me switch)
//!     (<= (next on) (does me switch)) (<= (next off) (does me wait))
//!     (<= terminal (true on)) (<= (goal me 100) (true on))").rules;
//! let game = machine::Prover::new(&rules).unwrap();
//! let mut referee = Referee::new(&game, 1).unwrap();
//! let step = referee.step(&[Answer::Move("( SWITCH )".into())]).unwrap().unwrap();
//! assert_eq!(step.moves, ["switch"]);
//! assert_eq!(*referee.standing(), Standing::Over(vec![Some(100)]));
//! ```

#![forbid(unsafe_code)]

pub mod disguise;
pub mod message;
pub mod player;
pub mod record;
pub mod referee;
pub mod schedule;
pub mod score;
pub mod text;

pub use disguise::Disguise;
pub use player::{Clock, Player, Start, Trouble};
pub use record::MatchRecord;
pub use referee::Referee;
