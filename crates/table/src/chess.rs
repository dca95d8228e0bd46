//! Chess endings: tables of up to five men with the exact distance to mate, to conversion or to zeroing.
//!
//! A [`Material`] names a table, an [`Index`] numbers its positions, [`build`] fills it by retrograde analysis out of the
//! smaller tables, [`Tables`] answer questions about any position, [`verify`] derives everything again, and
//! [`save`] and [`open`] are the way to the disk.
//!
//! ```
//! use native::chess::Position;
//! use table::chess::{Material, Metric, Outcome, Tables, build_all};
//!
//! let mut tables = Tables::new();
//! build_all(Material::parse("KRK").unwrap(), Metric::Mate, &mut tables, &mut |_, _| true).unwrap();
//! let position = Position::from_fen("8/8/8/3k4/8/8/1R6/K7 w - -").unwrap();
//! assert_eq!(tables.probe(&position, Metric::Mate).unwrap(), Outcome::Win(31));
//! ```

mod build;
mod check;
mod endings;
mod find;
mod index;
mod layout;
mod material;
mod shifts;
mod space;
mod store;
mod sub;
mod summary;
mod table;

pub use build::{BuildError, Phase, Progress, build, build_all, memory};
pub use check::{Counts, Mismatch, Statistics, count, statistics, verify};
pub use endings::Endings;
pub use find::{Filter, Finds, Found, Quest, find};
pub use index::{Index, Placement};
pub use material::{MOST_MEN, Material, MaterialError};
pub use store::{KIND, file_name, identity, misstated, open, open_in, save};
pub use summary::{Longest, Side, Summary, Wins};
pub use table::{Choice, FIFTY, Metric, Outcome, ProbeError, Ruling, Table, Tables};
