//! States that play on alike, as the net proves it, in the form in which searchers are told of them.

use machine::{Engine, State};
use search::StateKey;
use std::sync::Arc;

/// A key of states without what no longer matters (a game that is over, where another one follows), where there is any such thing.
pub(crate) fn same(game: &Engine) -> Option<StateKey<Engine>> {
    game.net()?.settled()?;
    let game = game.clone();
    Some(Arc::new(move |state| {
        let rest = match state {
            State::Net(state) => game.net().and_then(|net| net.settled()?.rest(state)),
            _ => None,
        };
        rest.map_or_else(|| search::key::key(state), |rest| search::key::key(&rest))
    }))
}
