//! Chinese checkers for one player: the least number of moves that takes `k` pieces home, for every placement. For two players,
//! see [`versus`].
//!
//! A table has an entry for every placement of the pieces, numbered without holes, in one byte: the distance to the goal,
//! or 255 where the goal cannot be reached. The goal is a set of cells, and a placement has arrived when all its pieces
//! are inside: with as many cells as pieces this is one placement, with more it is enough to enter an area (S1.9).
//! The corner at row 0, column 0 is home; for the player who goes the other way, [`turned`] turns the board.
//!
//! Entries are ordered by the rearmost piece (S3.5). Cells are numbered from home outwards and a placement of cells
//! a < b < c … has the rank C(a,1) + C(b,2) + C(c,3) + …, so all placements whose rearmost piece is at one cell lie
//! together (a *section*), and all those that lie within the first cells are the beginning of the table. A player whose
//! pieces have come halfway needs the beginning only: [`Distances::open_from`].
//!
//! ```
//! use table::chinese::{Build, Distance, Spec};
//! use native::chinese::far_corner;
//!
//! let mut build = Build::new(Spec::new(9, 3), 1 << 20).unwrap();
//! build.run(&mut |_| true).unwrap();
//! assert_eq!(build.layers().len(), 24);
//! let table = build.into_distances();
//! assert_eq!(table.distance(far_corner(9, 3).unwrap()).unwrap(), Distance::Moves(23));
//! ```

mod build;
mod edges;
mod probe;
mod race;
mod space;
mod store;
mod verify;
pub mod versus;

pub use build::{Build, Progress};
pub use probe::{Distance, Distances, OpenError, Summary};
pub use race::Race;
pub use space::{Space, Spec, Written, turned};
pub use store::BuildError;
pub use verify::Fault;

/// The kind that stands in the header of a file.
pub const KIND: &str = "chinese-checkers";

/// The value of an entry from which the goal cannot be reached, and while building of one not reached yet.
pub(crate) const NEVER: u8 = u8::MAX;
