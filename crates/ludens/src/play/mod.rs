//! `ludens play`: a person in the terminal.

pub mod board;
mod hint;
pub mod input;
mod others;
mod session;

use crate::cli::PlayArgs;
use agent::engines::engine;
use anyhow::{Result, bail, ensure};
use board::Boards;
use clap::ValueEnum;
use game::random::Rng;
use game::role_names;
use game::{Limit, Move, Names, roles};
use library::load;
use machine::Engine;
use others::Others;
use session::Session;
use std::io::BufRead;
use std::time::{Duration, Instant};
use terminal::{Answer, Out};

/// Who plays the roles that no person plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Opponent {
    /// A tree of random games, about a second a move.
    #[default]
    Uct,
    /// Any legal move, each as likely as the others.
    Random,
}

/// Runs the command, reading what the person types from `input`.
pub fn run(args: &PlayArgs, input: impl BufRead, out: Out<'_>) -> Result<Answer> {
    ensure!(args.game != "-", "standard input is for your moves; save the rulesheet to a file and name that");
    let (sheet, rules) = load(&args.game)?;
    Play { args, name: &sheet.name, input, out }.run(&engine(args.engine, &sheet, &rules)?)?;
    Ok(Answer::Yes)
}

struct Play<'a, I> {
    args: &'a PlayArgs,
    name: &'a str,
    input: I,
    out: Out<'a>,
}

impl<I: BufRead> Play<'_, I> {
    fn run(self, game: &Engine) -> Result<()> {
        let persons = persons(&self.args.roles, &role_names(game))?;
        let others = Others::new(game, self.args.opponent, self.args.seed);
        let rng = Rng::new(self.args.seed.unwrap_or_else(host::clock_seed));
        let mut boards = Boards::default();
        learn(game, &mut boards)?;
        Session::new(game, persons, boards, others, rng, self.input, self.out).play(self.name)
    }
}

/// Which roles persons play.
fn persons(wanted: &[String], names: &[String]) -> Result<Vec<bool>> {
    let mut persons = vec![false; names.len()];
    for role in wanted {
        let Some(index) = names.iter().position(|name| name.eq_ignore_ascii_case(role)) else {
            bail!("there is no role {role:?} in this game; its roles are: {}", names.join(", "));
        };
        persons[index] = true;
    }
    if let (true, Some(first)) = (wanted.is_empty(), persons.first_mut()) {
        *first = true;
    }
    Ok(persons)
}

/// Plays a little at random, to see what states look like. It has its own seed and is no part of the game. The time is
/// for very slow games only: all others look the same each time.
fn learn<G: Names>(game: &G, boards: &mut Boards) -> Result<(), Limit> {
    let until = Instant::now() + Duration::from_millis(500);
    let mut rng = Rng::new(0);
    let mut view = game.view();
    let mut state = game.start();
    for _ in 0..300 {
        boards.see(&game.facts(&state));
        if Instant::now() >= until {
            break;
        }
        game.look(&state, &mut view)?;
        let legal = if game.over(&view) { Vec::new() } else { legal_moves(game, &view) };
        if legal.is_empty() || legal.iter().any(Vec::is_empty) {
            state = game.start();
            continue;
        }
        let joint: Vec<Move> = legal.iter().map(|moves| moves[rng.below(moves.len())]).collect();
        let mut next = state.clone();
        game.play(&mut view, &joint, &mut next)?;
        state = next;
    }
    Ok(())
}

/// The legal moves of every role.
fn legal_moves<G: Names>(game: &G, view: &G::View) -> Vec<Vec<Move>> {
    let of = |role| {
        let mut moves = Vec::new();
        game.legal(view, role, &mut moves);
        moves
    };
    roles(game).map(of).collect()
}
