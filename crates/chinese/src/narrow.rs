//! The game with fewer moves, and the two evaluations of the paper's alpha-beta players (S3.8): the project's own alpha-beta
//! searches it.

use abstraction::alone::Alone;
use game::{Evaluator, Game, Goal, Limit, Move, Role, Turn};
use native::chinese::{Allowed, Arena, ChineseCheckers, State, View};
use search::alphabeta::AlphaBeta;
use search::{AlphaBetaSettings, Budget, Found, Monitor, Searcher};
use std::sync::Arc;

/// Chinese checkers without the moves that are not allowed. Where none is left, sideways moves are, and then all.
pub struct Narrow {
    game: ChineseCheckers,
    arena: Arc<Arena>,
    allowed: Allowed,
}

impl Narrow {
    /// The game with these moves only.
    pub fn new(game: ChineseCheckers, arena: Arc<Arena>, allowed: Allowed) -> Narrow {
        Narrow { game, arena, allowed }
    }
}

impl Game for Narrow {
    type State = State;
    type View = View;

    fn roles(&self) -> usize {
        self.game.roles()
    }

    fn start(&self) -> State {
        self.game.start()
    }

    fn view(&self) -> View {
        self.game.view()
    }

    fn look(&self, state: &State, view: &mut View) -> Result<(), Limit> {
        self.game.look(state, view)
    }

    fn turn(&self, view: &View) -> Turn {
        self.game.turn(view)
    }

    fn legal(&self, view: &View, role: Role, out: &mut Vec<Move>) {
        let begin = out.len();
        self.game.legal(view, role, out);
        let player = usize::from(role.0);
        let gain = |mv: Move| {
            ChineseCheckers::ends(mv).map_or(0, |(from, to)| {
                self.arena.cell_rows_left(player, from) as i32 - self.arena.cell_rows_left(player, to) as i32
            })
        };
        let most = out[begin..].iter().map(|&mv| gain(mv)).max().unwrap_or(0);
        let least = match self.allowed {
            Allowed::All => return,
            _ if most < 0 => return,
            Allowed::Forward if most > 0 => 1,
            Allowed::Forward | Allowed::NonBackward => 0,
        };
        let mut kept = begin;
        for at in begin..out.len() {
            if gain(out[at]) >= least {
                out[kept] = out[at];
                kept += 1;
            }
        }
        out.truncate(kept);
    }

    fn goal(&self, view: &mut View, role: Role) -> Result<Option<Goal>, Limit> {
        self.game.goal(view, role)
    }

    fn play(&self, view: &mut View, joint: &[Move], next: &mut State) -> Result<(), Limit> {
        self.game.play(view, joint, next)
    }
}

/// How positions are judged.
#[derive(Clone)]
pub enum Judge {
    /// The difference of the distances in the table.
    Table(Arc<Alone>),
    /// The difference of the average rows from home.
    Rows,
}

/// What a lead of one move, or of one row on average, adds to a half.
const POINTS: f32 = 1.5;

struct Lead {
    arena: Arc<Arena>,
    judge: Judge,
}

impl Evaluator<Narrow> for Lead {
    fn value(&self, _: &Narrow, state: &State, _: &mut View, role: Role) -> f32 {
        let position = self.arena.position(state);
        let player = usize::from(role.0);
        let lead = match &self.judge {
            Judge::Table(home) => home.lead(position.pieces, player),
            Judge::Rows => {
                let left = |player: usize| self.arena.total_left(player, position.pieces[player]) as f32;
                (left(1 - player) - left(player)) / self.arena.pieces() as f32
            }
        };
        (50.0 + POINTS * lead).clamp(1.0, 99.0)
    }
}

/// Alpha-beta of the paper: to a fixed depth, with some of the moves.
pub struct Fixed {
    game: Narrow,
    inner: AlphaBeta<Narrow>,
}

impl Fixed {
    /// To this depth.
    pub fn new(game: Narrow, judge: Judge, depth: u32) -> Fixed {
        let settings = AlphaBetaSettings { depth: Some(depth), shuffle: false, ..AlphaBetaSettings::default() };
        let lead = Lead { arena: Arc::clone(&game.arena), judge };
        Fixed { inner: AlphaBeta::new(settings).with_evaluator(Arc::new(lead)), game }
    }
}

impl Searcher<ChineseCheckers> for Fixed {
    fn search(
        &mut self,
        _: &ChineseCheckers,
        state: &State,
        role: Role,
        budget: &Budget<'_>,
        monitor: &Monitor,
    ) -> Result<Found, Limit> {
        self.inner.search(&self.game, state, role, budget, monitor)
    }
}
