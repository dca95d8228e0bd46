//! `cargo xtask test`: everything that CI checks, step by step. One run tells all that is wrong: a step that fails does not
//! keep the others from running, unless they need what it makes.

use crate::python::{self, Tested};
use crate::{tidy, tree::Tree};
use anyhow::{Context, Result, ensure};
use std::env;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Rulesheets and traces of other people, for those who have them. Nothing else depends on them.
const CORPUS: &str = "../shared/corpus";

/// What a step does.
enum Work {
    /// The checks of [`tidy`].
    Tidy,
    /// Cargo with these arguments; warnings of rustdoc are errors.
    Cargo(&'static [&'static str]),
    /// The program that was built, with these arguments.
    Ludens(Vec<String>),
    /// `rustup` with these arguments, for what only another toolchain has.
    Rustup(&'static [&'static str]),
    /// Other people's programs that tests use, from Debian's packages.
    Packages(&'static [&'static str]),
    /// The Python package and its tests.
    Python,
    /// Nothing, for this reason.
    Nothing(&'static str),
}

struct Step {
    name: &'static str,
    work: Work,
}

/// How a step ended.
#[derive(Clone, PartialEq, Eq, Debug)]
enum End {
    Passed,
    Failed,
    Skipped(&'static str),
}

/// A step that was taken.
struct Row {
    name: &'static str,
    end: End,
    time: Duration,
}

/// Builds the program as the tests have it: all of it is there already.
const BUILD: &[&str] = &["build", "--workspace"];

/// Builds the program as users have it.
const RELEASE: &[&str] = &["build", "--release", "--package", "ludens"];

/// Unsafe code of the portable lanes, under the interpreter that sees every wrong access.
const MIRI: &[&str] = &["run", "nightly", "cargo", "miri", "test", "--package", "machine", "--test", "portable"];

/// Chess programs that ours plays against, the message server of fleets with what makes certificates for it, and a browser for the
/// studio. Tests that want one say so where it is absent.
const PROGRAMS: &[&str] =
    &["stockfish", "gnuchess", "toga2", "sjeng", "fairymax", "nats-server", "openssl", "chromium"];

/// The checker of pages, from npm.
const AXE: &str = "axe-core@4";

/// Whether packages are to be installed: on a machine of CI that has Debian's, by somebody who may.
fn installs_packages() -> bool {
    let is_ci = env::var("CI").is_ok_and(|value| value == "true");
    let said = |program: &str, args: &[&str]| Command::new(program).args(args).output().ok();
    let is_root = said("id", &["-u"]).is_some_and(|answer| answer.stdout.trim_ascii() == b"0");
    is_ci && is_root && said("apt-get", &["--version"]).is_some_and(|answer| answer.status.success())
}

/// Installs those packages that there are. Whatever is missing afterwards is skipped by the tests, which say so.
fn install(root: &Path, packages: &[&str]) -> End {
    let quietly = |args: &[&str]| {
        let mut command = Command::new("apt-get");
        command.args(["-qq", "-y"]).args(args).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let updated = quietly(&["update"]);
    // A checker of pages, which is no part of the project because of its licence; tests that want it say so where it is absent.
    let mut npm = Command::new("npm");
    npm.current_dir(root);
    npm.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix", "target/axe-core", AXE]);
    let _ = npm.stdout(Stdio::null()).stderr(Stdio::null()).status();
    let absent: Vec<&&str> =
        packages.iter().filter(|package| !quietly(&["install", "--no-install-recommends", package])).collect();
    match (updated, absent.len()) {
        (_, 0) => End::Passed,
        (false, _) => End::Skipped("the packages of Debian cannot be reached; tests that want them skip"),
        (true, _) => End::Skipped("not all packages can be installed; tests that want the others skip"),
    }
}

/// Whether there is a toolchain with miri.
fn has_miri() -> bool {
    let asked = Command::new("rustup").args(&MIRI[..4]).arg("--version").output();
    asked.is_ok_and(|answer| answer.status.success())
}

/// The steps, the quickest first.
fn steps(root: &Path) -> Result<Vec<Step>> {
    let tree = Tree::read(root)?;
    let sheets = tree.files.iter().filter(|file| file.path.starts_with("games/") && file.name() == "rules.kif");
    let mut check = vec!["check".to_string(), "--deny-warnings".to_string()];
    check.extend(sheets.map(|file| file.path.clone()));
    let words = |text: &str| Work::Ludens(text.split(' ').map(str::to_string).collect());
    let corpus = if root.join(CORPUS).is_dir() {
        words(&format!("replay {CORPUS} --seconds 5"))
    } else {
        Work::Nothing("there is no ../shared/corpus beside the project; only those who have it can replay it")
    };
    let miri = if has_miri() {
        Work::Rustup(MIRI)
    } else {
        Work::Nothing("there is no nightly toolchain with miri: rustup component add --toolchain nightly miri rust-src")
    };
    let programs = if installs_packages() {
        Work::Packages(PROGRAMS)
    } else {
        Work::Nothing(
            "other programs are installed on CI only (CI=true, root, apt-get); tests use those that are there",
        )
    };
    let step = |name, work| Step { name, work };
    let mut steps = vec![
        step("programs", programs),
        step("tidy", Work::Tidy),
        step("format", Work::Cargo(&["fmt", "--all", "--check"])),
        step("lints", Work::Cargo(&["clippy", "--workspace", "--all-targets", "--keep-going", "--", "-D", "warnings"])),
        step("documentation", Work::Cargo(&["doc", "--workspace", "--no-deps"])),
    ];
    steps.extend(tests(has_nextest(root)).map(|(name, args)| step(name, Work::Cargo(args))));
    steps.extend([
        step("miri", miri),
        step("build", Work::Cargo(BUILD)),
        step("python", Work::Python),
        step("rulesheets", Work::Ludens(check)),
        step("library", words("replay --library --seconds 120")),
        step("corpus", corpus),
    ]);
    Ok(steps)
}

/// Steps of cargo: a name and the arguments.
type CargoStep = (&'static str, &'static [&'static str]);

/// All tests with the toolchain alone: one file of tests after the other, so that the last test of each keeps the other
/// processors waiting.
const TESTS: &[CargoStep] = &[("tests", &["test", "--workspace", "--no-fail-fast"])];

/// The same with cargo-nextest, which runs the tests of all files side by side, each in a process of its own. Where the tests
/// of a file share what takes long to make, one process for all of them is faster. Examples in comments it does not know.
const TESTS_SIDE_BY_SIDE: &[CargoStep] = &[
    (
        "tests",
        &["nextest", "run", "--workspace", "--no-fail-fast", "-E", "not (kind(test) & binary(/^(chess|zeroing)$/))"],
    ),
    // The whole workspace again, for another choice of crates would mean other features and all of it compiled anew.
    ("chess", &["test", "--workspace", "--test", "chess", "--test", "zeroing"]),
    ("examples", &["test", "--workspace", "--doc", "--no-fail-fast"]),
];

fn tests(has_nextest: bool) -> impl Iterator<Item = CargoStep> {
    if has_nextest { TESTS_SIDE_BY_SIDE } else { TESTS }.iter().copied()
}

/// Whether cargo-nextest is installed.
fn has_nextest(root: &Path) -> bool {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root).args(["nextest", "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Takes all steps; tells whether all is well.
pub fn run(root: &Path) -> Result<bool> {
    let steps = steps(root)?;
    let count = steps.len();
    let started = Instant::now();
    let mut rows: Vec<Row> = Vec::new();
    let mut built = false;
    for (number, step) in (1..).zip(&steps) {
        println!("\n== {number}/{count} {}: {}", step.name, described(&step.work));
        // What follows comes from other programs, which do not wait for our buffer.
        stdout().flush()?;
        let began = Instant::now();
        let end = match &step.work {
            Work::Tidy => ended(tidy::run(root)?),
            Work::Cargo(args) => {
                let fine = cargo(root, args)?.success();
                built |= fine && *args == BUILD;
                ended(fine)
            }
            Work::Ludens(_) if !built => End::Skipped("the program was not built"),
            Work::Ludens(args) => {
                let args: Vec<&str> = args.iter().map(String::as_str).collect();
                ended(program(root, "debug", &args)?.status().context("cannot start ludens")?.success())
            }
            Work::Rustup(args) => {
                let started = Command::new("rustup").args(*args).current_dir(root).status();
                ended(started.context("cannot start rustup")?.success())
            }
            Work::Packages(packages) => install(root, packages),
            Work::Python if !built => End::Skipped("the program was not built"),
            Work::Python => match python::run(root, &target()?)? {
                Tested::Ran(fine) => ended(fine),
                Tested::Skipped(why) => End::Skipped(why),
            },
            Work::Nothing(why) => End::Skipped(why),
        };
        rows.push(Row { name: step.name, end, time: began.elapsed() });
    }
    print!("\n{}", summary(&rows, started.elapsed()));
    Ok(rows.iter().all(|row| row.end != End::Failed))
}

fn ended(fine: bool) -> End {
    if fine { End::Passed } else { End::Failed }
}

/// What a step does, in few words.
fn described(work: &Work) -> String {
    match work {
        Work::Tidy => "the checks of `cargo xtask tidy`".to_string(),
        Work::Cargo(args) => format!("cargo {}", args.join(" ")),
        Work::Ludens(args) if args.len() > 8 => format!("ludens {} … ({} files)", args[..2].join(" "), args.len() - 2),
        Work::Ludens(args) => format!("ludens {}", args.join(" ")),
        Work::Rustup(args) => format!("rustup {}", args.join(" ")),
        Work::Packages(packages) => format!("apt-get install {}", packages.join(" ")),
        Work::Python => "the Python package in a virtual environment, and pytest".to_string(),
        Work::Nothing(why) => format!("SKIPPED: {why}"),
    }
}

/// A line for each step, and one for all.
fn summary(rows: &[Row], time: Duration) -> String {
    let mut text = String::from("== summary\n");
    for Row { name, end, time } in rows {
        let end = match end {
            End::Passed => "passed".to_string(),
            End::Failed => "FAILED".to_string(),
            End::Skipped(why) => format!("skipped: {why}"),
        };
        text += format!("{name:<14} {:>7.1} s  {end}\n", time.as_secs_f64()).as_str();
    }
    let names = |wanted: fn(&End) -> bool| -> Vec<&str> {
        rows.iter().filter(|row| wanted(&row.end)).map(|row| row.name).collect()
    };
    let failed = names(|end| *end == End::Failed);
    let skipped = names(|end| matches!(end, End::Skipped(_)));
    let seconds = time.as_secs();
    let mut line = match failed.len() {
        0 => format!("all is well: {} of {} steps passed", rows.len() - skipped.len(), rows.len()),
        n => format!("{n} of {} steps FAILED ({})", rows.len(), failed.join(", ")),
    };
    if !skipped.is_empty() {
        line += &format!(", {} skipped ({})", skipped.len(), skipped.join(", "));
    }
    text + &format!("xtask test: {line}; {} min {} s\n", seconds / 60, seconds % 60)
}

/// Runs the cargo that runs us.
fn cargo(root: &Path, args: &[&str]) -> Result<ExitStatus> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root).args(args);
    if args.first() == Some(&"doc") {
        command.env("RUSTDOCFLAGS", "-D warnings");
    }
    // A run from nothing, after which nothing is built again, gains nothing from remembering parts of crates: a twelfth of the work.
    if env::var_os("CI").is_some() {
        command.env("CARGO_INCREMENTAL", "0");
    }
    command.status().context("cannot start cargo")
}

/// Builds the program as users have it; tells whether that worked.
pub fn build_release(root: &Path) -> Result<bool> {
    Ok(cargo(root, RELEASE)?.success())
}

/// The program as users have it, ready to be started with these arguments in the workspace's folder.
pub fn ludens(root: &Path, args: &[&str]) -> Result<Command> {
    program(root, "release", args)
}

/// The program that was built with a profile, likewise.
fn program(root: &Path, profile: &str, args: &[&str]) -> Result<Command> {
    let path = built_program(profile)?;
    ensure!(path.is_file(), "there is no {}; `cargo build` or `cargo build --release` makes it", path.display());
    let mut command = Command::new(path);
    command.current_dir(root).args(args);
    Ok(command)
}

/// Where cargo puts the program: in the target folder in which this program lies too.
fn built_program(profile: &str) -> Result<PathBuf> {
    Ok(target()?.join(profile).join(format!("ludens{}", env::consts::EXE_SUFFIX)))
}

/// The target folder in which this program lies.
fn target() -> Result<PathBuf> {
    let own = env::current_exe().context("cannot tell where xtask lies")?;
    let target = own.ancestors().nth(2).with_context(|| format!("{} lies in no target folder", own.display()))?;
    Ok(target.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &'static str, end: End) -> Row {
        Row { name, end, time: Duration::from_millis(1500) }
    }

    #[test]
    fn a_summary_names_what_failed() {
        let rows = [row("tidy", End::Passed), row("tests", End::Failed), row("corpus", End::Skipped("not here"))];
        let text = summary(&rows, Duration::from_secs(75));
        assert!(text.contains("tests              1.5 s  FAILED\n"), "{text}");
        assert!(text.ends_with("1 of 3 steps FAILED (tests), 1 skipped (corpus); 1 min 15 s\n"), "{text}");
    }

    #[test]
    fn a_summary_of_success_is_one_line_at_the_end() {
        let text = summary(&[row("tidy", End::Passed)], Duration::from_secs(3));
        assert!(text.ends_with("xtask test: all is well: 1 of 1 steps passed; 0 min 3 s\n"), "{text}");
    }

    #[test]
    fn nothing_is_left_out_by_running_tests_side_by_side() {
        let [(_, side_by_side), (_, alone), (_, examples)] = TESTS_SIDE_BY_SIDE else { panic!("three steps") };
        // What is left out of the first step is what the second one runs.
        let [.., "-E", filter] = side_by_side else { panic!("{side_by_side:?}") };
        let [_, "--workspace", "--test", one, "--test", other] = alone else { panic!("{alone:?}") };
        assert_eq!(*filter, format!("not (kind(test) & binary(/^({one}|{other})$/))"));
        assert!(side_by_side.contains(&"--workspace") && examples.contains(&"--doc"));
    }

    #[test]
    fn long_commands_are_shortened() {
        let args: Vec<String> = (0..12).map(|n| n.to_string()).collect();
        assert_eq!(described(&Work::Ludens(args)), "ludens 0 1 … (10 files)");
        assert_eq!(described(&Work::Cargo(RELEASE)), "cargo build --release --package ludens");
    }
}
