//! Tables of chess endings, and plans. Answers are JSON.

use crate::errors;
use crate::think::seconds;
use crate::work;
use agent::plans;
use agent::plans::making::{Step, Wanted};
use agent::tables::endings::Asker;
use agent::tables::making::Making;
use anyhow::{Result, bail};
use plan::Plan;
use plan::learn::Settings;
use platform::folders;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use table::chess::{Material, Metric, Outcome};
use table::file::Form;

/// The table of a chess ending, which is asked for positions.
#[pyclass(frozen, module = "ludens._ludens")]
pub struct Ending {
    asker: Mutex<Asker>,
    name: String,
}

fn metric_of(name: &str) -> PyResult<Metric> {
    let found = match name {
        "mate" => Some(Metric::Mate),
        "conversion" => Some(Metric::Conversion),
        "zeroing" => Some(Metric::Zeroing),
        short => Metric::ALL.into_iter().find(|metric| metric.name() == short),
    };
    found.ok_or_else(|| {
        PyValueError::new_err(format!("there is no metric {name:?}; there are mate, conversion and zeroing"))
    })
}

fn outcome(outcome: Outcome) -> Value {
    let value = match outcome {
        Outcome::Win(_) => "win",
        Outcome::Draw => "draw",
        Outcome::Loss(_) => "loss",
    };
    json!({"value": value, "plies": outcome.plies()})
}

#[pymethods]
impl Ending {
    #[new]
    #[pyo3(signature = (name, folder=None, metric="mate", build=false, progress=None))]
    fn new(
        py: Python<'_>,
        name: &str,
        folder: Option<PathBuf>,
        metric: &str,
        build: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Ending> {
        let metric = metric_of(metric)?;
        let material = Material::parse(name).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let asker = work::run(py, progress, move |cancel, teller| {
            if build {
                let place = folders::tables(folder.as_deref())?;
                let making = Making { folder: place, metric, form: Form::Raw, force: false, memory: None, cancel };
                making.run(&[material], &mut |far| {
                    teller.tell(json!({"doing": far.material.to_string(), "done": far.done}));
                })?;
            }
            let mut asker = Asker::new(Some(&material.to_string()), folder.as_deref(), metric)?;
            if let Err(error) = asker.open(material) {
                return Err(error.context(format!("ludens.table({:?}, build=True) builds it", material.to_string())));
            }
            Ok(asker)
        })?;
        Ok(Ending { asker: Mutex::new(asker), name: material.to_string() })
    }

    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// What a position and its moves are worth.
    fn _probe(&self, py: Python<'_>, fen: &str) -> PyResult<String> {
        let answer = self.ask(py, |asker| {
            let given = asker.take(fen)?;
            let worth = asker.worth(&given)?;
            let rows = asker.rows(&given)?;
            let moves = rows.iter().map(|row| {
                json!({"uci": row.uci, "san": row.san, "worth": row.worth.as_ref().ok().map(|worth| outcome(*worth))})
            });
            let mut all = outcome(worth);
            all["fen"] = json!(given.fen());
            all["moves"] = json!(moves.collect::<Vec<_>>());
            Ok(all)
        })?;
        Ok(answer.to_string())
    }

    /// The line of best play from a position.
    fn line(&self, py: Python<'_>, fen: &str) -> PyResult<Vec<String>> {
        self.ask(py, |asker| {
            let given = asker.take(fen)?;
            Ok(asker.line(&given)?.iter().map(|step| step.uci()).collect())
        })
    }

    fn __repr__(&self) -> String {
        format!("<ludens.Ending {}>", self.name)
    }
}

impl Ending {
    fn ask<T: Send>(&self, py: Python<'_>, question: impl FnOnce(&mut Asker) -> Result<T> + Send) -> PyResult<T> {
        // A thread that waits for another one must not keep the interpreter.
        let answer = py.detach(|| {
            let mut asker = self.asker.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            question(&mut asker)
        });
        answer.map_err(|error| PyValueError::new_err(format!("{error:#}")))
    }
}

/// A plan as it leaves.
fn told(plan: &Plan, path: Option<&Path>) -> Value {
    let reached = plan.reached.iter().map(|reached| {
        json!({"plies": reached.plies, "positions": reached.positions, "won": reached.won, "share": reached.share(),
            "excess": reached.excess, "worst": reached.worst})
    });
    json!({
        "title": plan.title(), "name": plans::name(plan), "sentences": plan.sentences(), "words": plan.word_count(), "plies": plan.plies,
        "meanings": plan.meanings(), "reached": reached.collect::<Vec<_>>(), "verdict": plan.verdict_sentences(),
        "proven": plan.reached.first().is_some_and(|reached| reached.won == reached.positions), "file": path, "text": plan.text(),
    })
}

/// A plan that is there: a file, or a name in the folder.
#[pyfunction]
pub fn plan_find(py: Python<'_>, name: &str, folder: Option<PathBuf>) -> PyResult<String> {
    let found = py.detach(|| plans::find(name, folder.as_deref()));
    let (path, plan) = found.map_err(|error| errors::any(py, &error))?;
    Ok(told(&plan, Some(&path)).to_string())
}

/// Looks for a plan: of an ending where capitals are men, else of a game.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the arguments of the function in Python")]
pub fn plan_build(
    py: Python<'_>,
    what: String,
    role: Option<String>,
    seconds: f64,
    seed: u64,
    save: bool,
    folder: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let seconds = self::seconds("seconds", seconds)?;
    let found = work::run(py, progress, move |cancel, teller| {
        let wanted = Wanted {
            what: &what,
            role: role.as_deref(),
            plies: None,
            cases: None,
            settings: &Settings { seed, ..Settings::default() },
            seconds: Some(seconds),
            lists: None,
            folder: folder.as_deref(),
            memory: None,
        };
        let (plan, _) = wanted.make(cancel, &mut |step| {
            teller.tell(match step {
                Step::Table(men, step) => {
                    json!({"doing": format!("the table of {men}"), "done": step.done, "of": step.total})
                }
                Step::Search(_, far) => {
                    json!({"doing": far.doing, "tried": far.tried, "best": far.best, "goals": far.goals})
                }
            });
        })?;
        if plan.goals.is_empty() {
            bail!("no plan was found for {what}: more seconds give the search more time");
        }
        let path = match save {
            true => {
                let path = plans::path(&folders::tables(folder.as_deref())?, plans::name(&plan));
                platform::save(&path, &plan.text())?;
                Some(path)
            }
            false => None,
        };
        Ok(told(&plan, path.as_deref()))
    })?;
    Ok(found.to_string())
}
