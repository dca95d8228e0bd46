//! A position in a game: an engine, a state, and what follows from it.

use game::{Game, Goal, Limit, Move, Names, Role, roles};
use machine::{Engine, State, View};

/// See the module.
///
/// ```
/// use game::Role;
/// let rules = gdl::parse(library::find("nim").unwrap().rules).rules;
/// let engine = machine::Loader::new(&rules).best().unwrap().engine;
/// let mut position = agent::Position::start(engine);
/// let first = position.legal(Role(0)).unwrap()[0];
/// let wait = position.legal(Role(1)).unwrap()[0];
/// position.play(&[first, wait]).unwrap();
/// assert_eq!(position.legal(Role(0)).unwrap().len(), 1);
/// ```
pub struct Position {
    engine: Engine,
    state: State,
    view: View,
    /// Whether the view shows the state.
    is_seen: bool,
}

impl Position {
    /// The position in which the game begins.
    pub fn start(engine: Engine) -> Position {
        let state = engine.start();
        Position::new(engine, state)
    }

    /// Any position.
    pub fn new(engine: Engine, state: State) -> Position {
        let view = engine.view();
        Position { engine, state, view, is_seen: false }
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The facts that hold.
    pub fn facts(&self) -> Vec<String> {
        self.engine.facts(&self.state)
    }

    /// Goes to another state.
    pub fn set(&mut self, state: State) {
        (self.state, self.is_seen) = (state, false);
    }

    fn see(&mut self) -> Result<(), Limit> {
        if !self.is_seen {
            self.engine.look(&self.state, &mut self.view)?;
            self.is_seen = true;
        }
        Ok(())
    }

    /// Whether the game is over.
    ///
    /// # Errors
    /// When the engine reaches a limit, as everywhere here.
    pub fn is_over(&mut self) -> Result<bool, Limit> {
        self.see()?;
        Ok(self.engine.over(&self.view))
    }

    /// The legal moves of a role; none where the game is over.
    pub fn legal(&mut self, role: Role) -> Result<Vec<Move>, Limit> {
        let mut legal = Vec::new();
        if !self.is_over()? {
            self.engine.legal(&self.view, role, &mut legal);
        }
        Ok(legal)
    }

    /// The goal of every role; `None` where the rules give none, or more than one.
    pub fn goals(&mut self) -> Result<Vec<Option<Goal>>, Limit> {
        self.see()?;
        let Position { engine, view, .. } = self;
        roles(engine).map(|role| engine.goal(view, role)).collect()
    }

    /// The legal moves of these names, one for each role; or why they are not.
    pub fn joint(&mut self, texts: &[String]) -> Result<Result<Vec<Move>, String>, Limit> {
        let short = |text: &str| text.chars().take(100).collect::<String>();
        let is_over = self.is_over()?;
        if is_over || texts.len() != self.engine.roles() {
            let what = if is_over { "the game was over before" } else { "one move for each role is wanted" };
            return Ok(Err(format!("the moves ({}) do not fit: {what}", short(&texts.join(" ")))));
        }
        let mut joint = Vec::new();
        for (role, text) in roles(&self.engine).zip(texts) {
            match self.engine.legal_move(&self.view, role, text) {
                Some(mv) => joint.push(mv),
                None => {
                    let (name, text) = (self.engine.role_name(role), short(text));
                    return Ok(Err(format!("{name} has no legal move {text}, which was played")));
                }
            }
        }
        Ok(Ok(joint))
    }

    /// Makes a joint move, one for each role, all legal.
    pub fn play(&mut self, joint: &[Move]) -> Result<(), Limit> {
        self.see()?;
        let mut next = self.state.clone();
        self.engine.play(&mut self.view, joint, &mut next)?;
        self.set(next);
        Ok(())
    }
}
