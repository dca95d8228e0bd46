//! The part of the Python package `ludens` that is written in Rust: games, states, many games side by side, and what players,
//! solvers and tables say. What people import, with its documentation and types, is in `python/ludens`.
//!
//! | module | what it is |
//! |---|---|
//! | `game` | a rulesheet that can be played |
//! | `state` | one position, with the names that users of OpenSpiel know |
//! | `vector` | many games side by side, in arrays |
//! | `think` | searching, studying, solving |
//! | `exact` | tables of endings, and plans |
//! | `contest` | matches and tournaments |
//! | `work` | long work: on another thread, with progress, ended by Ctrl-C |
//! | `errors` | from what went wrong to an exception |
//!
//! Results that are no arrays leave as JSON and become plain objects in Python.

mod contest;
mod errors;
mod exact;
mod game;
mod state;
mod think;
mod vector;
mod work;

use pyo3::prelude::*;

/// The part of the package that is written in Rust; `ludens` is what to import.
#[pymodule]
mod _ludens {
    #[pymodule_export]
    use crate::contest::{play_match, play_tournament, players};
    #[pymodule_export]
    use crate::exact::{Ending, plan_build, plan_find};
    #[pymodule_export]
    use crate::game::{Game, check, entries};
    #[pymodule_export]
    use crate::state::State;
    #[pymodule_export]
    use crate::think::{playouts, probe, search, solve, study};
    #[pymodule_export]
    use crate::vector::VectorEnv;

    #[pymodule_init]
    fn init(module: &super::Bound<'_, super::PyModule>) -> super::PyResult<()> {
        use super::PyModuleMethods;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
