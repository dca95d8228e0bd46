//! `ludens plan drill`: a person plays won positions by a plan, and hears at once when a move breaks it.

use super::args::PlanDrillArgs;
use super::{show, tell};
use crate::board::Boards;
use ::plan::guide::{EndingAt, EndingField, Field, GameField, Guide};
use ::plan::world::Kind;
use agent::plans::drill::{Drill, Told};
use agent::plans::{self, GameWords, find, ground, rules_of};
use agent::prompt::{self, Command, Input};
use anyhow::{Context, Result};
use game::random::Rng;
use platform::Interrupt;
use std::io::BufRead;
use std::sync::Arc;
use terminal::text::{columns, count, width, wrap_for_terminal};
use terminal::{Answer, Out, Progress};

/// Runs the command, reading what the person types from `input`.
pub fn run(args: &PlanDrillArgs, interrupt: &Interrupt, input: impl BufRead, out: Out<'_>) -> Result<Answer> {
    let (_, plan) = find(&args.plan, args.folder.as_deref())?;
    let mut rng = Rng::new(args.seed.unwrap_or_else(host::clock_seed));
    let boards = show::boards(&plan, args.game.as_deref())?;
    let unfit = "the plan cannot be followed; build it again";
    let cancel = interrupt.cancel();
    if let Some((material, metric)) = plans::ending(&plan)? {
        let (folder, mut progress) = (args.folder.as_deref(), Progress::new());
        let tables = ground::tables(material, metric, folder, args.memory, &cancel, &mut |men, step| {
            tell(&mut progress, men, step);
        })?;
        drop(progress);
        let tables = Arc::new(tables);
        let field = EndingField::new(material, metric, Arc::clone(&tables)).context(unfit)?;
        let guide = Guide::new(&plan, field).context(unfit)?;
        let draw = || Ok(EndingAt::new(&ground::draw(material, metric, &tables, &mut rng)?));
        return Practice { drill: Drill::new(guide), boards, input, out }.run(args, draw);
    }
    let (sheet, rules) = rules_of(&plan, args.game.as_deref())?;
    let role = match &plan.subject {
        ::plan::Subject::Game { role, .. } => role.as_str(),
        ::plan::Subject::Ending { .. } => "white",
    };
    let found = ground::listing(&sheet, &rules, Some(role), args.memory, &cancel)?;
    let words = GameWords::of(&plan, &rules, &found.engine)?;
    let field = GameField::new(&plan, &found.engine, words.role, Box::new(move |fact| words.fact(fact)));
    let guide = Guide::new(&plan, field.context(unfit)?).context(unfit)?;
    let world = &found.listed.world;
    let won: Vec<u32> = world.won().collect();
    let far: Vec<u32> = won.iter().copied().filter(|&node| world.level(node) > Some(2)).collect();
    let from = if far.is_empty() { &won } else { &far };
    let draw = || Ok(found.listed.states[from[rng.below(from.len())] as usize].clone());
    Practice { drill: Drill::new(guide), boards, input, out }.run(args, draw)
}

/// A practice.
struct Practice<'a, F: Field, I> {
    drill: Drill<'a, F>,
    boards: Boards,
    input: I,
    out: Out<'a>,
}

/// What a person typed.
enum Typed {
    Step(usize),
    Leave,
}

impl<F: Told, I: BufRead> Practice<'_, F, I> {
    fn run(mut self, args: &PlanDrillArgs, mut draw: impl FnMut() -> Result<F::At>) -> Result<Answer> {
        let plan = self.drill.guide.plan();
        let side = match &plan.subject {
            ::plan::Subject::Game { role, .. } => role.as_str(),
            ::plan::Subject::Ending { .. } => "white",
        };
        let head =
            format!("{}. You are {side} and play by these sentences; `help` tells what they mean.\n", plan.title());
        writeln!(self.out, "{}", wrap_for_terminal(&head, 0))?;
        for (at, sentence) in plan.brief().iter().enumerate() {
            writeln!(self.out, "{}", wrap_for_terminal(&format!("{:>3}. {sentence}", at + 1), 5))?;
        }
        let mut shown = 0;
        for _ in 0..args.positions {
            shown += 1;
            if args.positions > 1 {
                writeln!(self.out, "\nPosition {shown} of {}", args.positions)?;
            }
            if !self.position(draw()?, args.most)? {
                break;
            }
        }
        let Drill { made, broken, won, .. } = self.drill;
        writeln!(
            self.out,
            "{}, {won} won; {}, {broken} of them broke the plan.",
            count(shown, "position"),
            count(made, "move")
        )?;
        Ok(Answer::Yes)
    }

    /// One position to its end; `false` if the person leaves.
    fn position(&mut self, mut at: F::At, most: usize) -> Result<bool> {
        let mut moves = 0;
        self.boards.forget();
        self.drill.seen.clear();
        loop {
            match self.drill.guide.field.kind(&at)? {
                Kind::Won => {
                    self.show(&at)?;
                    self.drill.won += 1;
                    writeln!(self.out, "\nWon, in {}.", count(moves, "move"))?;
                    return Ok(true);
                }
                Kind::Failed | Kind::Unused => {
                    self.show(&at)?;
                    writeln!(self.out, "\nIt is over, and not won.")?;
                    return Ok(true);
                }
                Kind::Theirs => {
                    let Some((reply, to)) = self.drill.reply(&at)? else { return Ok(true) };
                    writeln!(self.out, "    reply: {reply}")?;
                    at = to;
                }
                Kind::Ours if moves == most => {
                    writeln!(self.out, "\nNot won after {}.", count(moves, "move"))?;
                    return Ok(true);
                }
                Kind::Ours => {
                    self.show(&at)?;
                    let Some(to) = self.own(&at)? else { return Ok(false) };
                    moves += 1;
                    at = to;
                }
            }
        }
    }

    fn show(&mut self, at: &F::At) -> Result<()> {
        let facts = self.drill.guide.field.facts(self.drill.guide.plan(), at);
        writeln!(self.out, "\n{}", self.boards.draw(&facts).trim_end())?;
        Ok(())
    }

    /// A move of the person, judged; `None` if the person leaves.
    fn own(&mut self, at: &F::At) -> Result<Option<F::At>> {
        let Some(choice) = self.drill.choice(at)? else { return Ok(None) };
        let Typed::Step(made) = self.ask(&choice.names, &choice.hint())? else { return Ok(None) };
        let (to, said) = self.drill.judge(&choice, made);
        writeln!(self.out, "{}", wrap_for_terminal(&format!("  {said}"), 4))?;
        Ok(Some(to))
    }

    /// Asks until there is a move.
    fn ask(&mut self, names: &[String], hint: &str) -> Result<Typed> {
        loop {
            write!(self.out, "your move> ")?;
            self.out.flush()?;
            let mut bytes = Vec::new();
            if self.input.read_until(b'\n', &mut bytes)? == 0 {
                writeln!(self.out)?;
                return Ok(Typed::Leave);
            }
            let line = String::from_utf8_lossy(&bytes).into_owned();
            // Chess moves with their capitals: `Bd3` is a bishop's and `bd3` nobody's.
            let exact = names
                .iter()
                .position(|name| name.trim_end_matches(['+', '#']) == line.trim().trim_end_matches(['+', '#']));
            match exact.map_or_else(|| prompt::understand(&line, names), Input::Move) {
                Input::Move(at) => return Ok(Typed::Step(at)),
                Input::Nothing => {}
                Input::Several(fits) => {
                    let fits: Vec<&str> = fits.iter().map(|&at| names[at].as_str()).collect();
                    writeln!(self.out, "Several moves fit: {}", fits.join(" "))?;
                }
                Input::Command(Command::Quit) => return Ok(Typed::Leave),
                Input::Command(Command::Hint) => writeln!(self.out, "{}", wrap_for_terminal(hint, 2))?,
                Input::Command(Command::Help) => {
                    let how = "Type the number of a move or its name; `moves` lists them, `hint` tells the plan's, `quit` ends.";
                    writeln!(self.out, "{}", wrap_for_terminal(how, 2))?;
                    for (word, meaning) in self.drill.guide.plan().meanings() {
                        writeln!(self.out, "{}", wrap_for_terminal(&format!("  {word}: {meaning}"), 4))?;
                    }
                }
                Input::Command(_) => {
                    let items: Vec<String> =
                        names.iter().enumerate().map(|(at, name)| format!("{:>2} {name}", at + 1)).collect();
                    write!(self.out, "{}", columns(&items, width()))?;
                }
                Input::NoSuchNumber | Input::Unknown => writeln!(self.out, "No legal move fits; `moves` lists them.")?,
            }
        }
    }
}
