//! The machine that the program runs on: output files, folders, free memory and disk, programs that it starts, and
//! the signals that ask it to end.

#![forbid(unsafe_code)]

pub mod children;
pub mod folders;
pub mod generated;
pub mod interrupt;
pub mod memory;
pub mod save;

pub use children::Children;
pub use interrupt::{Interrupt, Interrupted};
pub use save::{can_save, is_replaceable, save, save_secret};
