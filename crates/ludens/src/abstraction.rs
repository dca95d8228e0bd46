//! `ludens abstraction`: smaller games of some pieces, and whether they keep what happens in the whole one.

use crate::patterns::{BuildArgs, ShowArgs, VerifyArgs};
use ::abstraction::alone::{Goal, LookupSpec};
use ::abstraction::homomorphism::{self, Finding, Property, Settings, Verdict};
use ::abstraction::projection::{Duel, Lone, Men, Numbers, Projection};
use anyhow::{Context, Result, bail, ensure};
use clap::{Args, Subcommand, ValueEnum};
use native::chinese::{ChineseCheckers, Win};
use platform::Interrupt;
use serde_json::{Value, json};
use terminal::{Answer, Out, text};

/// What to do with abstractions.
#[derive(Subcommand)]
pub enum AbstractionCommand {
    /// Test whether steps, paths and goals of a game carry over to a smaller one
    #[command(subcommand, arg_required_else_help = true, after_help = TEST_HELP)]
    Test(TestCommand),
    /// Which patterns of a few pieces foretell how a game ends, what they cost and what they add
    #[command(after_help = crate::patterns::SHOW_HELP)]
    Show(ShowArgs),
    /// Build the tables of those patterns, or of one that you name, and write them to files
    #[command(after_help = crate::patterns::BUILD_HELP)]
    Build(BuildArgs),
    /// Derive every entry of the stored tables of a game again
    #[command(after_help = crate::patterns::VERIFY_HELP)]
    Verify(VerifyArgs),
}

/// Which game.
#[derive(Subcommand)]
pub enum TestCommand {
    /// Some pieces of both sides against each other, or of one side alone
    #[command(after_help = CHINESE_HELP)]
    ChineseCheckers(ChineseArgs),
    /// Some men of an ending, both kings among them
    #[command(after_help = CHESS_HELP)]
    Chess(ChessArgs),
}

/// When a player of Chinese checkers has won.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum WinArg {
    /// The corner is filled, one of the pieces there being its own
    #[default]
    Filled,
    /// All its pieces are in the corner
    Home,
}

/// Where pieces alone want to go.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum GoalArg {
    /// The cells nearest to the corner, as many as there are pieces
    #[default]
    Top,
    /// The same, a row that is not full being filled from its end
    TopSide,
    /// Any cells of the corner
    Corner,
    /// The front line of the corner, the cells behind it being deleted
    Enter,
}

/// What all tests have in common.
#[derive(Args)]
pub struct TrialArgs {
    /// How many random transitions to try
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub transitions: u32,
    /// The seed of everything random
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `abstraction test chinese-checkers`.
#[derive(Args)]
pub struct ChineseArgs {
    /// Keep these pieces of red, such as 1-3, counted from the front; with none of blue they are alone
    #[arg(long, value_name = "FIRST-LAST", value_parser = numbers)]
    pub red: Option<Numbers>,
    /// Keep these pieces of blue
    #[arg(long, value_name = "FIRST-LAST", value_parser = numbers)]
    pub blue: Option<Numbers>,
    /// Where pieces alone want to go
    #[arg(long, value_enum, default_value_t)]
    pub goal: GoalArg,
    /// Cells along a side of the diamond
    #[arg(long, visible_alias = "side", default_value_t = 9, value_parser = clap::value_parser!(u8).range(2..=11))]
    pub size: u8,
    /// Look at every position of a smaller game that has up to so many
    #[arg(long, value_name = "POSITIONS", default_value_t = Settings::default().complete)]
    pub complete: u64,
    /// Pieces a side in the whole game: 1, 3, 6 or 10
    #[arg(long, default_value_t = 6)]
    pub pieces: u8,
    /// When a player has won the whole game
    #[arg(long, value_enum, default_value_t)]
    pub win: WinArg,
    #[command(flatten)]
    pub trial: TrialArgs,
}

/// Arguments of `abstraction test chess`.
#[derive(Args)]
pub struct ChessArgs {
    /// The men of the whole game, each side with its king first, such as KRPPKBN
    #[arg(value_name = "MEN")]
    pub men: String,
    /// The men that are kept, such as KRPKN
    #[arg(value_name = "KEPT")]
    pub kept: String,
    #[command(flatten)]
    pub trial: TrialArgs,
}

/// What stands below the options in the help of `abstraction`.
pub const ABSTRACTION_HELP: &str = "\
Examples:
  ludens abstraction show breakthrough-small
  ludens abstraction test chinese-checkers --red 1-3 --blue 1-2";

const TEST_HELP: &str = "\
Steps carry over if every action leads to the same image or to one that a single action of the smaller game leads to; paths if any number \
of actions does, which is what is called a homomorphism; goals if the image of a won position is won. Each is proved, or did not fail in \
so many random transitions, or fails, and then an example is shown. Exit status 1 if paths do not carry over.

Examples:
  ludens abstraction test chinese-checkers --red 1-3 --blue 1-2
  ludens abstraction test chess KRPKR KRK";

const CHINESE_HELP: &str = "\
Pieces are numbered anew in every position, from the front, the one nearest to its goal being 1. That paths carry over where turns alternate \
is proved by looking at every position of the smaller game, if there are no more than --complete; otherwise a path is made for every random transition.

Examples:
  ludens abstraction test chinese-checkers --red 1-3 --blue 1-2
  ludens abstraction test chinese-checkers --blue 1-4 --pieces 10
  ludens abstraction test chinese-checkers --red 1-4 --pieces 10 --goal enter --win home";

const CHESS_HELP: &str = "\
Positions are random legal ones of the men. Of several equal men those on the first squares are kept.

Examples:
  ludens abstraction test chess KRPKR KRK
  ludens abstraction test chess KRPPKBN KRPKN --json";

/// Numbers as in `1-3` or `2`.
fn numbers(text: &str) -> Result<Numbers, String> {
    let number = |text: &str| text.parse::<usize>().ok().filter(|number| (1..=16).contains(number));
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let pair = number(first).zip(number(last)).filter(|(first, last)| first <= last);
    pair.ok_or_else(|| "write the numbers of the first and the last piece, such as 1-3".to_string())
}

/// Runs the command.
pub fn run(what: &AbstractionCommand, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let what = match what {
        AbstractionCommand::Test(what) => what,
        AbstractionCommand::Show(args) => return crate::patterns::show(args, interrupt, out),
        AbstractionCommand::Build(args) => return crate::patterns::build(args, interrupt, out),
        AbstractionCommand::Verify(args) => return crate::patterns::verify(args, interrupt, out),
    };
    let (trial, name, findings) = match what {
        TestCommand::ChineseCheckers(args) => chinese(args, interrupt)?,
        TestCommand::Chess(args) => {
            let [men, kept] = [&args.men, &args.kept].map(|text| Men::parse(text));
            let (men, kept) = (men?, kept?);
            let findings = homomorphism::men(&men, &kept, &settings(&args.trial, interrupt))?;
            (&args.trial, format!("chess, {men}: {}", kept.describe()), findings)
        }
    };
    if trial.json {
        let report: Vec<Value> = findings.iter().map(finding_json).collect();
        let report =
            json!({ "projection": name, "transitions": trial.transitions, "seed": trial.seed, "findings": report });
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
    } else {
        writeln!(out, "{name}")?;
        findings.iter().try_for_each(|finding| tell(finding, out))?;
    }
    let lost =
        |finding: &Finding| finding.property == Property::Paths && matches!(finding.verdict, Verdict::Refuted(_));
    Ok(if findings.iter().any(lost) { Answer::No } else { Answer::Yes })
}

fn settings(trial: &TrialArgs, interrupt: &Interrupt) -> Settings {
    let cancel = interrupt.cancel().clone();
    Settings { transitions: trial.transitions as usize, seed: trial.seed, cancel, ..Settings::default() }
}

fn chinese<'a>(args: &'a ChineseArgs, interrupt: &Interrupt) -> Result<(&'a TrialArgs, String, Vec<Finding>)> {
    let (side, pieces) = (usize::from(args.size), usize::from(args.pieces));
    let win = match args.win {
        WinArg::Filled => Win::Filled,
        WinArg::Home => Win::Home,
    };
    let game = ChineseCheckers::new(side, pieces, win, None)?;
    let settings = Settings { complete: args.complete, ..settings(&args.trial, interrupt) };
    let (player, numbers) = match (args.red, args.blue) {
        (Some(red), Some(blue)) => {
            ensure!(
                args.goal == GoalArg::Top,
                "--goal is for pieces alone; against others the goal is the cells nearest to the corner"
            );
            let projection = Duel::new(side, red, blue)?;
            let findings = homomorphism::duel(&game, &projection, &settings)?;
            return Ok((&args.trial, title(&projection.describe(), pieces, side), findings));
        }
        (Some(red), None) => (0, red),
        (None, Some(blue)) => (1, blue),
        (None, None) => bail!("say which pieces are kept: --red 1-3, --blue 1-2, or both"),
    };
    let goal = match args.goal {
        GoalArg::Top => Goal::Top,
        GoalArg::TopSide => Goal::TopSide,
        GoalArg::Corner => Goal::Corner,
        GoalArg::Enter => Goal::Enter,
    };
    let spec = LookupSpec { pieces: numbers, goal, weight: 1.0 }.table(side, pieces);
    let spec = spec.with_context(|| format!("a corner of {pieces} cells on {side} rows has no such goal"))?;
    let projection = Lone::new(player, numbers, spec)?;
    let findings = homomorphism::lone(&game, &projection, &settings)?;
    Ok((&args.trial, title(&projection.describe(), pieces, side), findings))
}

fn title(projection: &str, pieces: usize, side: usize) -> String {
    format!("Chinese checkers, {} a side on {side} by {side}: {projection}", text::count(pieces, "piece"))
}

fn finding_json(finding: &Finding) -> Value {
    let mut report = json!(finding.verdict);
    report["property"] = json!(finding.property);
    report["reading"] = json!(finding.reading);
    report["upper_bound"] = json!(finding.verdict.upper_bound());
    report
}

fn tell(finding: &Finding, out: Out<'_>) -> Result<()> {
    let indented = |text: &str| text.lines().map(|line| format!("    {line}\n")).collect::<String>();
    write!(out, "\n{}: ", finding.property.name())?;
    let more = match &finding.verdict {
        Verdict::Proved { reason } => {
            writeln!(out, "proved")?;
            reason.clone()
        }
        Verdict::Seen { transitions } => {
            let bound = 100.0 * finding.verdict.upper_bound().unwrap_or(1.0);
            writeln!(out, "seen")?;
            format!("did not fail in {transitions} trials: with 95% certainty it fails in at most {bound:.3}% of them")
        }
        Verdict::Refuted(example) => {
            writeln!(out, "refuted")?;
            example.to_string()
        }
        Verdict::Open { reason } => {
            writeln!(out, "open")?;
            reason.clone()
        }
    };
    writeln!(out, "  {}", finding.reading)?;
    write!(out, "{}", indented(&more))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read() {
        assert_eq!((numbers("1-3"), numbers("2")), (Ok((1, 3)), Ok((2, 2))));
        for bad in ["", "0-1", "3-1", "a", "1-", "1-17", "-1"] {
            assert!(numbers(bad).is_err(), "{bad}");
        }
    }
}
