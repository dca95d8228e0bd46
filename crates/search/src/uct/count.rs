//! A small game for the tests of trees.

use game::{Game, Goal, Limit, Move, Role, Turn};

/// Counting up by 1 to 3; whoever says this number or more wins.
pub(crate) struct Count(pub u32);

impl Game for Count {
    type State = u32;
    type View = u32;
    fn roles(&self) -> usize {
        2
    }
    fn start(&self) -> u32 {
        0
    }
    fn view(&self) -> u32 {
        0
    }
    fn look(&self, state: &u32, view: &mut u32) -> Result<(), Limit> {
        *view = *state;
        Ok(())
    }
    fn turn(&self, view: &u32) -> Turn {
        if view / 2 >= self.0 { Turn::Over } else { Turn::One(Role((view % 2) as u8)) }
    }
    fn legal(&self, view: &u32, role: Role, out: &mut Vec<Move>) {
        if u32::from(role.0) == view % 2 { out.extend((1..4).map(Move)) } else { out.push(Move(0)) }
    }
    fn goal(&self, view: &mut u32, role: Role) -> Result<Option<Goal>, Limit> {
        Ok(Some(if u32::from(role.0) == *view % 2 { 0 } else { 100 }))
    }
    fn play(&self, view: &mut u32, joint: &[Move], next: &mut u32) -> Result<(), Limit> {
        *next = (*view / 2 + joint[(*view % 2) as usize].0) * 2 + (1 - *view % 2);
        Ok(())
    }
}
