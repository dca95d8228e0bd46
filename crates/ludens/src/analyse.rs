//! `ludens analyse`: what a player thinks of a position, while it thinks and at the end.

use crate::opening::{OpeningArgs, from_record};
use agent::analysis::Search;
use agent::searcher::Knowledge;
use agent::{EngineChoice, Opening, PlayerSpec, Position, Resources, TableThoughts, Thoughts, load as load_engine};
use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use game::{Names, Role, roles};
use host::players::read;
use lab::args::{engine, seconds};
use library::load;
use platform::Interrupt;
use serde::Serialize;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use terminal::{Answer, Out, text};

/// Arguments of `analyse`.
#[derive(Args)]
pub struct AnalyseArgs {
    /// The game
    pub game: String,
    /// A FEN, for the rulesheets chess, kqkr and krk
    #[arg(value_name = "FEN", group = "opening")]
    pub position: Option<String>,
    /// Where it begins
    #[command(flatten)]
    pub opening: OpeningArgs,
    /// A recorded match; with --step N the position after so many steps
    #[arg(long, value_name = "FILE", group = "opening", help_heading = "Where it begins")]
    pub record: Option<PathBuf>,
    /// For whom to think [default: who is to move]
    #[arg(long)]
    pub role: Option<String>,
    /// Who thinks, with settings (`ludens players`)
    #[arg(long, value_name = "PLAYER", default_value = agent::spec::DEFAULT)]
    pub player: String,
    /// How long to think
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0, value_parser = seconds)]
    pub seconds: f64,
    /// Show at most so many moves
    #[arg(long, value_name = "N")]
    pub most: Option<usize>,
    /// Makes it repeatable, together with a player that has `nodes` or `playouts`
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The engine
    #[arg(long, value_parser = engine(), default_value = "auto")]
    pub engine: EngineChoice,
    /// Print a line of JSON now and then; the last one is final
    #[arg(long)]
    pub json: bool,
}

/// Below the help of the command.
pub const ANALYSE_HELP: &str = "\
While it thinks, every move is shown with what it is worth to the role that is to move (0 to 100), how often it was tried, and \
whether that is proven; then the line that is expected, and what the tables say where there are any. \
Ctrl-C ends the thinking and shows what was found until then.

Examples:
  ludens analyse connect-four --moves '(drop 4) (drop 4)' --seconds 3
  ludens analyse krk '8/8/8/3k4/8/8/1R6/K7 w - -'
  ludens analyse nim --player exhaustive --json
  ludens analyse breakthrough --record match.json --step 12";

/// How often what is shown is renewed.
const EVERY: Duration = Duration::from_millis(400);

/// One report.
#[derive(Serialize)]
struct Report<'a> {
    game: &'a str,
    player: String,
    seconds: f64,
    #[serde(rename = "final")]
    is_final: bool,
    #[serde(flatten)]
    thoughts: &'a Thoughts,
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<&'a TableThoughts>,
}

/// Runs the command.
pub fn run(args: &AnalyseArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let (sheet, rules) = load(&args.game)?;
    let spec = read(&args.player)?;
    ensure!(spec.thinks(), "{spec} does not think; `ludens players` lists who does");
    let opening = match (&args.position, &args.record) {
        (Some(fen), _) => Opening::from_fen(fen, sheet.entry.map_or(&sheet.name, |entry| entry.name))
            .with_context(|| format!("the FEN {fen:?}"))?,
        (_, Some(path)) => from_record(path, args.opening.step)?,
        (None, None) => args.opening.opening(&sheet)?,
    };
    let cancel = interrupt.cancel();
    let engine = load_engine(args.engine, &sheet, &rules, &cancel)?.engine;
    let mut position = opening.open(&engine)?;
    if position.is_over()? {
        let goals = position.goals()?;
        let goals: Vec<String> = roles(&engine)
            .zip(goals)
            .map(|(role, goal)| {
                format!("{} {}", engine.role_name(role), goal.map_or("-".into(), |goal| goal.to_string()))
            })
            .collect();
        bail!("the game is over there: {}", goals.join(", "));
    }
    let role = role(args.role.as_deref(), &mut position)?;
    let players = crate::player::players(interrupt);
    players.ready(&spec, &rules, &cancel)?;
    let Resources { tables, events, distance_tables, programs, fleets, .. } = players.resources;
    let knowledge = Knowledge::new(&Arc::new(rules), tables, &events);
    let knowledge = knowledge.with_distance_tables(&distance_tables).with_programs(programs.as_ref());
    let knowledge = Arc::new(knowledge.with_fleets(fleets.as_ref()));
    let table = TableThoughts::new(&knowledge.oracles, &knowledge.rules, &engine, position.state());
    let mut show = Show { args, name: &sheet.name, spec: &spec, table, began: Instant::now(), lines: 0, out };
    let search = Search { spec: &spec, seconds: args.seconds, seed: args.seed, position: &position, role };
    let found = search.run(&knowledge, &cancel, EVERY, &mut |found| {
        show.now(&Thoughts::new(position.engine(), role, found), false)
    })?;
    show.now(&Thoughts::new(&engine, role, &found), true)?;
    Ok(Answer::Yes)
}

/// Whose move is thought about.
fn role(wanted: Option<&str>, position: &mut Position) -> Result<Role> {
    let engine = position.engine().clone();
    if let Some(name) = wanted {
        let found = roles(&engine).find(|&role| engine.role_name(role).eq_ignore_ascii_case(name));
        return found.with_context(|| {
            format!("there is no role {name:?} in this game; its roles are: {}", game::role_names(&engine).join(", "))
        });
    }
    for role in roles(&engine) {
        if position.legal(role)?.len() > 1 {
            return Ok(role);
        }
    }
    Ok(Role(0))
}

/// What is seen.
struct Show<'a> {
    args: &'a AnalyseArgs,
    name: &'a str,
    spec: &'a PlayerSpec,
    table: Option<TableThoughts>,
    began: Instant,
    /// Lines on the screen that the next report replaces.
    lines: usize,
    out: Out<'a>,
}

impl Show<'_> {
    fn now(&mut self, thoughts: &Thoughts, is_final: bool) -> Result<()> {
        let seconds = self.began.elapsed().as_secs_f64();
        if self.args.json {
            let (game, player, table) = (self.name, self.spec.to_string(), self.table.as_ref());
            serde_json::to_writer(&mut *self.out, &Report { game, player, seconds, is_final, thoughts, table })?;
            writeln!(self.out)?;
            return Ok(self.out.flush()?);
        }
        let is_screen = std::io::stdout().is_terminal();
        if !is_final && !is_screen {
            return Ok(());
        }
        let page = self.page(thoughts, seconds, is_final);
        if self.lines > 0 {
            write!(self.out, "\x1b[{}A\x1b[J", self.lines)?;
        }
        write!(self.out, "{page}")?;
        self.lines = if is_final { 0 } else { page.lines().count() };
        Ok(self.out.flush()?)
    }

    fn page(&self, thoughts: &Thoughts, seconds: f64, is_final: bool) -> String {
        let Thoughts { role, value, proven, depth, nodes, playouts, .. } = thoughts;
        let how = if *proven { ", proven" } else { "" };
        let best = thoughts.best.as_deref().unwrap_or("no move");
        let mut page = format!(
            "{}: {role} to move, {best} is worth {value:.1}{how}\n{}: depth {depth}, {nodes} states, {playouts} random games, {}\n\n",
            self.name,
            self.spec,
            text::seconds(seconds)
        );
        // While it thinks, no more than fits on the screen: what has scrolled away cannot be replaced.
        let room = if is_final { usize::MAX } else { text::height().saturating_sub(10).max(3) };
        let most = self.args.most.unwrap_or(usize::MAX).min(room);
        let mut rows = vec![["move", "value", "visits", "chosen", ""].map(String::from).to_vec()];
        for mv in thoughts.moves.iter().take(most) {
            rows.push(vec![
                mv.text.clone(),
                format!("{:.1}", mv.value),
                mv.visits.to_string(),
                if mv.share > 0.0 { format!("{:.0}%", 100.0 * mv.share) } else { String::new() },
                if mv.proven { "proven".to_string() } else { String::new() },
            ]);
        }
        page += &text::aligned(&rows);
        let left_out = thoughts.moves.len().saturating_sub(most);
        if left_out > 0 {
            page += &format!("… and {}\n", text::count(left_out, "more move"));
        }
        if !thoughts.line.is_empty() {
            let steps: Vec<String> = thoughts.line.iter().map(|joint| joint.join(" ")).collect();
            page += &format!("\nline: {}\n", text::fit(&steps.join(", "), text::width().saturating_sub(6).max(40)));
        }
        if let Some(table) = &self.table {
            page += &format!("\ntable: {} ({})\n", table.words, table.what);
            if !table.best.is_empty() {
                page += &text::wrap_for_terminal(&format!("best by the table: {}", table.best.join(" ")), 2);
                page += "\n";
            }
        }
        page
    }
}
