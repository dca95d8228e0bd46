//! `ludens plan show`: a plan for people, in the terminal or as a page, and for programs.

use super::args::PlanShowArgs;
use crate::board::Boards;
use ::plan::Plan;
use ::plan::page::{page, percent};
use agent::plans::{facts, find, rules_of};
use agent::{EngineChoice, engines};
use anyhow::Result;
use platform::save;
use serde_json::json;
use std::path::Path;
use terminal::text::{aligned, wrap_for_terminal};
use terminal::{Answer, Out};

/// What is shown beside the plan itself.
#[derive(Default)]
pub struct Showing<'a> {
    /// The rules, where the library does not have them.
    pub game: Option<&'a str>,
    /// How long the plan was looked for.
    pub seconds: Option<f64>,
    /// The page to write.
    pub html: Option<&'a Path>,
    /// Whether programs read it.
    pub json: bool,
}

/// Runs the command.
pub fn run(args: &PlanShowArgs, out: Out<'_>) -> Result<Answer> {
    let (path, plan) = find(&args.plan, args.folder.as_deref())?;
    let showing = Showing { game: args.game.as_deref(), seconds: None, html: args.html.as_deref(), json: args.json };
    write(&plan, &path, &showing, out)?;
    Ok(Answer::Yes)
}

/// Shows a plan that is kept in a file.
pub fn write(plan: &Plan, path: &Path, showing: &Showing<'_>, out: Out<'_>) -> Result<()> {
    if let Some(file) = showing.html {
        let pictures = Examples::of(plan, showing.game).map(|examples| examples.svg()).unwrap_or_default();
        save(file, &page(plan, &pictures))?;
    }
    if showing.json {
        let report = json!({ "file": path, "subject": plan.subject, "plies": plan.plies, "sentences": plan.sentences(),
            "words": plan.word_count(), "reached": plan.reached, "verdict": plan.verdict, "verdict_sentences": plan.verdict_sentences(), "examples": plan.examples, "seconds": showing.seconds });
        serde_json::to_writer_pretty(&mut *out, &report)?;
        return Ok(writeln!(out)?);
    }
    if let Some(file) = showing.html {
        return Ok(writeln!(out, "{} in {}", plan.title(), file.display())?);
    }
    let plies = if plan.plies == 1 { "1 ply".to_string() } else { format!("{} plies", plan.plies) };
    writeln!(out, "{}, looking {plies} ahead, {} words\n", plan.title(), plan.word_count())?;
    for (at, sentence) in plan.sentences().iter().enumerate() {
        writeln!(out, "{}", wrap_for_terminal(&format!("{:>3}. {sentence}", at + 1), 5))?;
    }
    writeln!(out)?;
    let head = ["plies ahead", "can be won", "won", "", "moves over the optimum", "at most", "random replies"];
    let mut rows = vec![head.map(String::from).to_vec()];
    for reached in &plan.reached {
        rows.push(vec![
            reached.plies.to_string(),
            reached.positions.to_string(),
            reached.won.to_string(),
            percent(reached.share()),
            format!("{:.2}", reached.excess),
            reached.worst.to_string(),
            reached.random.map_or(String::new(), percent),
        ]);
    }
    write!(out, "{}", aligned(&rows))?;
    let note = "(won: against every reply, and whichever of equally good moves is made; looking 1 ply ahead is what a reader of the sentences does)";
    writeln!(out, "{}", wrap_for_terminal(note, 1))?;
    if let Some(verdict) = &plan.verdict {
        let right = percent(verdict.share());
        writeln!(
            out,
            "\nWhat is won, told right for {right} of {} positions; the first rule that fits decides:\n",
            verdict.positions
        )?;
        for (at, (sentence, rule)) in plan.verdict_sentences().iter().zip(&verdict.rules).enumerate() {
            let counted = format!("{:>3}. {sentence} ({} positions, {} wrong)", at + 1, rule.decides, rule.wrong);
            writeln!(out, "{}", wrap_for_terminal(&counted, 5))?;
        }
    }
    match Examples::of(plan, showing.game) {
        Ok(mut examples) => examples.tell(out)?,
        Err(why) => writeln!(out, "\nThe examples are not shown: {why:#}")?,
    }
    if let Some(seconds) = showing.seconds {
        writeln!(out, "\nfound in {}, in {}", terminal::text::seconds(seconds), path.display())?;
    }
    Ok(())
}

/// The examples of a plan, and how positions of its game are drawn.
struct Examples<'a> {
    plan: &'a Plan,
    boards: Boards,
}

impl<'a> Examples<'a> {
    fn of(plan: &'a Plan, given: Option<&str>) -> Result<Examples<'a>> {
        Ok(Examples { plan, boards: boards(plan, given)? })
    }

    fn tell(&mut self, out: Out<'_>) -> Result<()> {
        for example in &self.plan.examples {
            let number = example.goal.map_or(1, |goal| goal + 2);
            writeln!(out, "\nSentence {number} at work: {}", example.line.join(" "))?;
            self.boards.forget();
            write!(out, "{}", self.boards.draw(&facts(self.plan, &example.position)))?;
        }
        Ok(())
    }

    fn svg(&self) -> Vec<String> {
        let layout = self.boards.layout();
        let one = |position: &str| study::picture::svg(&layout.picture(&facts(self.plan, position), None));
        self.plan.examples.iter().map(|example| one(&example.position)).collect()
    }
}

/// How positions of a plan's game are drawn.
pub fn boards(plan: &Plan, given: Option<&str>) -> Result<Boards> {
    let (sheet, rules) = rules_of(plan, given)?;
    let engine = engines::engine(EngineChoice::Auto, &sheet, &rules)?;
    Ok(Boards::new(&rules, &engine))
}
