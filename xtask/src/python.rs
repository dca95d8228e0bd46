//! The Python package, put together in a virtual environment from what was built for the tests, and tested there.
//!
//! A wheel would be the same files after another build, for release; nothing is compiled here. What is missing on a machine (Python,
//! packages) is a reason to skip, and is said.

use anyhow::{Context, Result};
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How it ended.
pub enum Tested {
    /// The tests ran; whether they passed.
    Ran(bool),
    /// They did not, for this reason.
    Skipped(&'static str),
}

/// What the tests need beside the package. Those that need something else skip, and say so.
const PACKAGES: &[&str] = &["numpy>=1.24", "pytest", "mypy", "pettingzoo>=1.24", "gymnasium>=1.0"];
/// Python that is new enough and can make environments.
const USABLE: &str = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
/// Where packages go.
const PLACE: &str = "import sysconfig; print(sysconfig.get_paths()['platlib'])";
/// The sources of the package.
const SOURCES: &str = "crates/python/python/ludens";

/// Puts the package together in `target/python` and runs its tests.
pub fn run(root: &Path, target: &Path) -> Result<Tested> {
    let Some(python) = ["python3", "python"].into_iter().find(|name| succeeds(name, &["-c", USABLE])) else {
        return Ok(Tested::Skipped("there is no Python 3.10 or newer with venv and pip here"));
    };
    let library = target.join("debug").join(format!("{DLL_PREFIX}_ludens{DLL_SUFFIX}"));
    if !library.is_file() {
        return Ok(Tested::Skipped("the library of the package was not built"));
    }
    let folder = target.join("python");
    let own = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let Some(own) = own.to_str().map(str::to_string) else {
        return Ok(Tested::Skipped("the folder has a strange name"));
    };
    if !succeeds(&own, &["-c", USABLE]) {
        let made = folder.to_str().is_some_and(|folder| succeeds(python, &["-m", "venv", "--clear", folder]));
        if !made {
            return Ok(Tested::Skipped("a virtual environment cannot be made here"));
        }
    }
    let wanted = folder.join("packages.txt");
    let list = PACKAGES.join("\n");
    if fs::read_to_string(&wanted).ok().as_deref() != Some(list.as_str()) {
        let install = [&["-m", "pip", "install", "--quiet", "--disable-pip-version-check"], PACKAGES].concat();
        if !succeeds(&own, &install) {
            return Ok(Tested::Skipped(
                "the packages that the tests need cannot be had: numpy, pytest, mypy, pettingzoo, gymnasium",
            ));
        }
        fs::write(&wanted, &list).with_context(|| format!("cannot write {}", wanted.display()))?;
    }
    install(root, &library, &own)?;
    let mut tests = Command::new(&own);
    tests.current_dir(root).args(["-m", "pytest", "--durations=5", "crates/python/tests"]);
    tests.env("PYTHONDONTWRITEBYTECODE", "1").env_remove("PYTHONPATH");
    Ok(Tested::Ran(tests.status().context("cannot start Python")?.success()))
}

/// Copies the package to where its Python finds it.
fn install(root: &Path, library: &Path, python: &str) -> Result<()> {
    let told = Command::new(python).args(["-c", PLACE]).output().context("cannot start Python")?;
    let place = PathBuf::from(String::from_utf8_lossy(&told.stdout).trim()).join("ludens");
    if place.is_dir() {
        fs::remove_dir_all(&place).with_context(|| format!("cannot remove {}", place.display()))?;
    }
    fs::create_dir_all(&place).with_context(|| format!("cannot make {}", place.display()))?;
    let sources = root.join(SOURCES);
    for entry in fs::read_dir(&sources).with_context(|| format!("cannot read {}", sources.display()))? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), place.join(entry.file_name()))?;
        }
    }
    let name = if cfg!(windows) { "_ludens.pyd" } else { "_ludens.abi3.so" };
    fs::copy(library, place.join(name)).with_context(|| format!("cannot copy {}", library.display()))?;
    Ok(())
}

/// Whether a program can be started with these arguments and ends well. What it says is not shown.
fn succeeds(program: &str, args: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(args).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
