//! Tables as people name, build, ask and verify them: what stands between a command and the room of tables.

pub mod annotate;
pub mod chinese;
pub mod endings;
pub mod epd;
pub mod making;
pub mod named;
pub mod pgn;
pub mod solved;
pub mod versus;
