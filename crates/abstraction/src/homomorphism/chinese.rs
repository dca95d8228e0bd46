//! The test for Chinese checkers.

use super::walk;
use super::{Counterexample, Finding, Property, Settings, TestError, Verdict, go_on, so_far};
use crate::projection::{Absent, Duel, Lone, Projection};
use game::random::Rng;
use game::{Game, Names};
use native::chinese::{Cells, ChineseCheckers, Graph, State, Win, each, place};
use table::chinese::versus;
use table::chinese::{Spec, turned};

/// Plies of random play before it begins anew.
const PLIES: usize = 120;
/// Plies after which a position is looked for where both sides have room to wait.
const WAITING: usize = 2;
/// Positions of a smaller game that are kept in memory to find out which can be reached.
const SEARCHED: u64 = 4_000_000;

/// An action with the positions before and after it.
struct Transition {
    before: State,
    ends: Option<(u8, u8)>,
    after: State,
}

/// Random transitions: half of them from random play, half from random placements.
struct Sample<'a> {
    game: &'a ChineseCheckers,
    rng: Rng,
    state: State,
    plies: usize,
    number: usize,
}

impl<'a> Sample<'a> {
    fn new(game: &'a ChineseCheckers, seed: u64) -> Sample<'a> {
        Sample { game, rng: Rng::new(seed), state: game.start(), plies: 0, number: 0 }
    }

    fn is_over(&self, state: &State) -> bool {
        self.game.won(state, 0) || self.game.won(state, 1)
    }

    fn next(&mut self) -> Transition {
        self.number += 1;
        if self.number.is_multiple_of(2) {
            loop {
                let before = self.placement();
                if !self.is_over(&before) {
                    return self.step(before);
                }
            }
        }
        if self.plies == PLIES || self.is_over(&self.state) {
            (self.state, self.plies) = (self.game.start(), 0);
        }
        let made = self.step(self.state);
        (self.state, self.plies) = (made.after, self.plies + 1);
        made
    }

    fn placement(&mut self) -> State {
        let start = self.game.start();
        let mut free: Vec<u8> = (0..(self.game.side() * self.game.side()) as u8).collect();
        let pieces = start.pieces.map(|cells| self.some(&mut free, cells.count_ones()));
        State { pieces, turn: self.rng.below(2) as u8, step: start.step }
    }

    /// So many of these cells, which are taken out of the list.
    fn some(&mut self, free: &mut Vec<u8>, count: u32) -> Cells {
        (0..count).fold(0, |set, _| set | 1 << free.swap_remove(self.rng.below(free.len())))
    }

    fn step(&mut self, before: State) -> Transition {
        let mut ways = Vec::new();
        let mover = usize::from(before.turn);
        self.game
            .graph()
            .successors(before.pieces[mover], before.pieces[1 - mover], |from, to, _| ways.push((from, to)));
        let ends = (!ways.is_empty()).then(|| ways[self.rng.below(ways.len())]);
        let after = State { step: before.step, ..self.game.after(&before, ends) };
        Transition { before, ends, after }
    }

    /// A position that this player has won and the other has not; `None` if none turned up.
    fn won(&mut self, player: usize) -> Option<State> {
        let start = self.game.start();
        let target = self.game.target(player);
        let [own, other] = [player, 1 - player].map(|side| start.pieces[side].count_ones());
        for _ in 0..100 {
            let mut inside: Vec<u8> = each(target).collect();
            let mut free: Vec<u8> = (0..(self.game.side() * self.game.side()) as u8).collect();
            free.retain(|cell| target >> cell & 1 == 0);
            let cells = target.count_ones();
            let most = own.min(cells);
            let least = cells.saturating_sub(other).max(1);
            let mine = match self.game.win() {
                Win::Home => own,
                Win::Filled => least + self.rng.below((most - least + 1) as usize) as u32,
            };
            let mut pieces = [0; 2];
            pieces[player] = self.some(&mut inside, mine);
            let theirs = if self.game.win() == Win::Filled { inside.len() as u32 } else { 0 };
            pieces[1 - player] = self.some(&mut inside, theirs) | self.some(&mut free, other - theirs);
            pieces[player] |= self.some(&mut free, own - mine);
            let state = State { pieces, turn: self.rng.below(2) as u8, step: start.step };
            if self.game.won(&state, player) && !self.game.won(&state, 1 - player) {
                return Some(state);
            }
        }
        None
    }
}

/// A position in words.
fn words(side: usize, pieces: [Cells; 2], turn: Option<u8>) -> String {
    let list = |cells: Cells| {
        let names: Vec<String> = each(cells).map(|cell| place(side, cell)).map(|(r, c)| format!("{r},{c}")).collect();
        if names.is_empty() { "none".to_string() } else { names.join(" ") }
    };
    let turn = turn.map_or(String::new(), |turn| format!("; {} to move", ["red", "blue"][usize::from(turn & 1)]));
    format!("red {}; blue {}{turn}", list(pieces[0]), list(pieces[1]))
}

fn counterexample(
    game: &ChineseCheckers,
    made: &Transition,
    images: [Option<String>; 2],
    why: impl Into<String>,
) -> Counterexample {
    let [image, after] = images;
    let action = made.ends.map_or("pass".to_string(), |ends| game.move_text(ChineseCheckers::move_between(ends)));
    let position = words(game.side(), made.before.pieces, Some(made.before.turn));
    Counterexample { position, action: Some(action), image, after, why: why.into() }
}

/// Whether one move of a set leads to another, or none is needed.
fn one_move(graph: &Graph, own: Cells, other: Cells, next: Cells) -> bool {
    let (left, entered) = (own & !next, next & !own);
    match (left.count_ones(), entered.count_ones()) {
        (0, 0) => true,
        (1, 1) => graph.reach(left.trailing_zeros() as u8, (own & next) | other) & entered != 0,
        _ => false,
    }
}

/// Tests some pieces of red against some of blue.
pub fn duel(game: &ChineseCheckers, projection: &Duel, settings: &Settings) -> Result<Vec<Finding>, TestError> {
    let side = game.side();
    let counts = projection.counts();
    let start = game.start().pieces.map(|cells| cells.count_ones() as usize);
    let fits =
        projection.side() == side && projection.kept().iter().zip(start).all(|(kept, all)| kept.numbers().1 <= all);
    let small = ChineseCheckers::between(side, counts, Win::Filled, None);
    let (true, Ok(small)) = (fits, small) else {
        return Err(TestError::Unfit(format!(
            "{} do not exist in a game of {} against {} pieces on {side} rows",
            projection.describe(),
            start[0],
            start[1]
        )));
    };
    let Walked { steps, walked, missing } = duel_steps(game, projection, settings)?;
    let whole = start == counts;
    let steps = match steps.first() {
        None if whole => Verdict::Proved { reason: "all pieces are kept: the image is the position".into() },
        steps => so_far(steps, settings.transitions),
    };
    Ok(vec![
        Finding {
            property: Property::Steps,
            reading: "one move of a kept piece, or none and the turn passes".into(),
            verdict: steps,
        },
        Finding {
            property: Property::Paths,
            reading: "moves on the board; a side may make several in a row, and play goes on behind a goal".into(),
            verdict: placements(game.graph(), counts.iter().sum(), 2),
        },
        Finding {
            property: Property::Paths,
            reading: "turns alternate strictly, as in the table; play goes on behind a goal".into(),
            verdict: alternating(game.graph(), side, counts, settings, walked, missing)?,
        },
        Finding {
            property: Property::Goals,
            reading: format!("a won position of the game is one of {} against {}", counts[0], counts[1]),
            verdict: duel_goals(game, projection, &small, settings)?,
        },
    ])
}

/// The first action without a single counterpart: one of a kept piece if there is any, since what another number does to it is the
/// numbering's fault and not the game's.
#[derive(Default)]
struct Single {
    kept: Option<Counterexample>,
    renumbered: Option<Counterexample>,
}

impl Single {
    /// Takes an action into account whose ends are in the images before and after, or not.
    fn add(&mut self, is_kept: bool, example: impl FnOnce(&str) -> Counterexample) {
        let (place, why) = match is_kept {
            true => (
                &mut self.kept,
                "it jumped over pieces that are not kept: no single move of the smaller game leads there",
            ),
            false => (
                &mut self.renumbered,
                "the pieces have other numbers now: no single move of the smaller game leads there",
            ),
        };
        if place.is_none() {
            *place = Some(example(why));
        }
    }

    fn first(self) -> Option<Counterexample> {
        self.kept.or(self.renumbered)
    }
}

/// Whether the piece that moved is among those kept before and after.
fn is_kept(made: &Transition, before: Cells, after: Cells) -> bool {
    made.ends.is_some_and(|(from, to)| before >> from & 1 == 1 && after >> to & 1 == 1)
}

/// What random transitions showed.
struct Walked {
    steps: Single,
    /// Transitions with a path of alternating turns, and the first without.
    walked: usize,
    missing: Option<Counterexample>,
}

fn duel_steps(game: &ChineseCheckers, projection: &Duel, settings: &Settings) -> Result<Walked, TestError> {
    let mut found = Walked { steps: Single::default(), walked: 0, missing: None };
    let mut sample = Sample::new(game, settings.seed);
    for _ in 0..settings.transitions {
        go_on(settings)?;
        let made = sample.next();
        let [Ok(image), Ok(after)] = [&made.before, &made.after].map(|state| projection.image(state)) else { continue };
        let mover = usize::from(image.turn);
        let example = |why: &str| {
            let images = [image, after].map(|state| Some(words(game.side(), state.pieces, Some(state.turn))));
            counterexample(game, &made, images, why)
        };
        let single = one_move(game.graph(), image.pieces[mover], image.pieces[1 - mover], after.pieces[mover]);
        if !single {
            found.steps.add(is_kept(&made, image.pieces[mover], after.pieces[mover]), example);
        }
        if single && image.pieces != after.pieces || walk::path(game.graph(), &image, &after).is_some() {
            found.walked += 1;
        } else if found.missing.is_none() {
            found.missing = Some(example("no path was made"));
        }
    }
    Ok(found)
}

/// Whether every placement of so many pieces can be made from every other by steps, with pieces of so many colours.
fn placements(graph: &Graph, pieces: usize, colours: usize) -> Verdict {
    let all = (0..graph.cells() as u8).fold(0, |set: Cells, cell| set | 1 << cell);
    if pieces >= graph.cells() {
        return Verdict::Open { reason: "no cell of the board is empty".into() };
    }
    if !connected(graph, all) {
        return Verdict::Open { reason: "the board is not connected".into() };
    }
    if colours == 1 {
        let reason = "the board is connected and a cell is empty: pieces that are all alike can be brought from any placement to any other by steps";
        return Verdict::Proved { reason: reason.into() };
    }
    let uncut = each(all).all(|cell| connected(graph, all & !(1 << cell)));
    let triangle = each(all).any(|one| each(graph.near(one)).any(|two| graph.near(one) & graph.near(two) != 0));
    // The theorem leaves out circles, which have no triangle but one of three cells, and one graph of seven cells.
    if uncut && triangle && graph.cells() > 3 && graph.cells() != 7 {
        let reason = "no cell cuts the board, it has a triangle, and a cell is empty: pieces can be brought from any arrangement \
                      to any other by steps (Wilson 1974), whatever they jumped over in the game";
        return Verdict::Proved { reason: reason.into() };
    }
    Verdict::Open { reason: "a cell cuts the board, or it has no triangle".into() }
}

fn connected(graph: &Graph, cells: Cells) -> bool {
    let mut reached = cells & cells.wrapping_neg();
    let mut open = reached;
    while open != 0 {
        let at = open.trailing_zeros() as u8;
        let fresh = graph.near(at) & cells & !reached;
        open = open & (open - 1) | fresh;
        reached |= fresh;
    }
    reached == cells
}

fn alternating(
    graph: &Graph,
    side: usize,
    counts: [usize; 2],
    settings: &Settings,
    walked: usize,
    missing: Option<Counterexample>,
) -> Result<Verdict, TestError> {
    let space = versus::Space::new(versus::Spec::new(side, counts[0], counts[1]));
    let all_pieces = counts.iter().sum();
    if let Ok(space) = space
        && 2 * space.entries() <= settings.complete
    {
        let positions = 2 * space.entries();
        if matches!(placements(graph, all_pieces, 2), Verdict::Proved { .. }) && all_wait(graph, &space, settings)? {
            let reason = format!(
                "in each of the {positions} positions of the smaller game both sides can move so that the same placement has the other to move \
                 (all were looked at), and pieces can be brought from any arrangement to any other by steps (Wilson 1974)"
            );
            return Ok(Verdict::Proved { reason });
        }
        if positions <= SEARCHED && all_reached(graph, &space, settings)? {
            let reason = format!(
                "each of the {positions} positions of the smaller game can be reached from each: all were looked at"
            );
            return Ok(Verdict::Proved { reason });
        }
    }
    Ok(match missing {
        None => so_far(None, walked),
        Some(example) => Verdict::Open {
            reason: format!(
                "a path was made for {walked} of {} transitions; not for this one:\n{example}",
                settings.transitions
            ),
        },
    })
}

/// Whether in every position there is a way to the same placement with the other to move. Then turns do not matter: whoever is to make the next
/// step of a path can come to move.
fn all_wait(graph: &Graph, space: &versus::Space, settings: &Settings) -> Result<bool, TestError> {
    for rank in 0..space.entries() {
        if rank % 1024 == 0 {
            go_on(settings)?;
        }
        let Some(pieces) = space.placement(rank) else { return Ok(false) };
        if [0, 1].into_iter().any(|turn| !waits(graph, State { pieces, turn, step: 1 })) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a way was found to the same placement with the other to move: here, or from a position that is a few plies away. (Moves can be
/// taken back with the turns exchanged: who comes from P with red to move to Q, and there to Q with the other to move, comes back to P with blue to move.)
fn waits(graph: &Graph, state: State) -> bool {
    let mut level = vec![state];
    for _ in 0..=WAITING {
        if level.iter().any(|state| walk::path(graph, state, &State { turn: 1 - state.turn, ..*state }).is_some()) {
            return true;
        }
        let mut next = Vec::new();
        for state in level {
            let mover = usize::from(state.turn);
            let before = next.len();
            let passed = State { turn: 1 - state.turn, ..state };
            graph.successors(state.pieces[mover], state.pieces[1 - mover], |_, _, own| {
                let mut after = passed;
                after.pieces[mover] = own;
                next.push(after);
            });
            if next.len() == before {
                next.push(passed);
            }
        }
        level = next;
    }
    false
}

/// Whether every position with alternating turns can be reached from every other. Moves can be taken back with the turns exchanged, so it is
/// enough that one position and the same with the other to move both lead everywhere: from any position a way leads to one of
/// them, the way from there to the position being taken back.
fn all_reached(graph: &Graph, space: &versus::Space, settings: &Settings) -> Result<bool, TestError> {
    let total = 2 * space.entries() as usize;
    for turn in [0, 1] {
        let mut seen = vec![false; total];
        let mut open = vec![turn];
        seen[turn] = true;
        let mut count = 1;
        while let Some(number) = open.pop() {
            if count % 1024 == 0 {
                go_on(settings)?;
            }
            let (rank, mover) = (number as u64 / 2, number % 2);
            let Some(pieces) = space.placement(rank) else { return Ok(false) };
            let mut reach = |after: Option<u64>| {
                let Some(next) = after.map(|rank| rank as usize * 2 + 1 - mover) else { return };
                if !seen[next] {
                    seen[next] = true;
                    count += 1;
                    open.push(next);
                }
            };
            let mut none = true;
            graph.successors(pieces[mover], pieces[1 - mover], |_, _, own| {
                none = false;
                let mut after = pieces;
                after[mover] = own;
                reach(space.rank_of(after));
            });
            if none {
                reach(Some(rank));
            }
        }
        if count != total {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether `check` says of every won position that its image is won.
fn goals(
    game: &ChineseCheckers,
    players: &[usize],
    settings: &Settings,
    check: impl Fn(&State, usize) -> Result<bool, Absent>,
    image: impl Fn(&State) -> Option<String>,
) -> Result<Verdict, TestError> {
    let mut sample = Sample::new(game, settings.seed);
    let mut tried = 0;
    for _ in 0..settings.transitions.div_ceil(players.len()) {
        for &player in players {
            go_on(settings)?;
            let Some(state) = sample.won(player) else { continue };
            tried += 1;
            let why = match check(&state, player) {
                Ok(true) => continue,
                Ok(false) => format!("{} has won, and in the image it has not", ["red", "blue"][player]),
                Err(absent) => absent.to_string(),
            };
            let position = words(game.side(), state.pieces, Some(state.turn));
            let example = Counterexample { position, action: None, image: image(&state), after: None, why };
            return Ok(Verdict::Refuted(example));
        }
    }
    Ok(so_far(None, tried))
}

fn duel_goals(
    game: &ChineseCheckers,
    projection: &Duel,
    small: &ChineseCheckers,
    settings: &Settings,
) -> Result<Verdict, TestError> {
    let foremost = projection.kept().iter().all(|kept| kept.numbers().0 == 1);
    let start = game.start().pieces.map(|cells| cells.count_ones() as usize);
    if game.win() == Win::Filled && start == projection.counts() {
        return Ok(Verdict::Proved { reason: "all pieces are kept: the image is the position".into() });
    }
    if game.win() == Win::Home
        && foremost
        && [0, 1].iter().all(|player| game.target(*player).count_ones() as usize == start[*player])
    {
        let reason = "who has won fills its corner with its own pieces, and the foremost of them fill the cells nearest to the corner";
        return Ok(Verdict::Proved { reason: reason.into() });
    }
    goals(
        game,
        &[0, 1],
        settings,
        |state, player| projection.image(state).map(|image| small.won(&image, player)),
        |state| projection.image(state).ok().map(|image| words(game.side(), image.pieces, Some(image.turn))),
    )
}

/// Tests some pieces of one side alone, on the whole board or on a part of it.
pub fn lone(game: &ChineseCheckers, projection: &Lone, settings: &Settings) -> Result<Vec<Finding>, TestError> {
    let (side, spec, player) = (game.side(), projection.spec(), projection.kept().player());
    let pieces = game.start().pieces[player].count_ones() as usize;
    if spec.side != side || projection.kept().numbers().1 > pieces {
        return Err(TestError::Unfit(format!(
            "{} do not exist in a game of {pieces} pieces on {side} rows",
            projection.describe()
        )));
    }
    let order: Vec<u8> = (0..(side * side) as u8).filter(|cell| spec.deleted >> cell & 1 == 0).collect();
    let part = game.graph().renumbered(&order);
    let on_part = |cells: Cells| {
        order
            .iter()
            .enumerate()
            .filter(|(_, cell)| cells >> **cell & 1 == 1)
            .fold(0, |set: Cells, (at, _)| set | 1 << at)
    };
    // Actions that lead out of the part, and positions that were outside before.
    let (mut steps, mut absent, mut outside) = (Single::default(), None, None);
    let mut sample = Sample::new(game, settings.seed);
    for _ in 0..settings.transitions {
        go_on(settings)?;
        let made = sample.next();
        let text = |image: &Result<Cells, Absent>| image.as_ref().ok().map(|cells| lone_words(spec, player, *cells));
        match [&made.before, &made.after].map(|state| projection.image(state)) {
            [Ok(image), Ok(after)] if !one_move(&part, on_part(image), 0, on_part(after)) => {
                let [before, behind] = [image, after].map(|cells| on_board(spec, player, cells));
                let texts = [text(&Ok(image)), text(&Ok(after))];
                steps.add(is_kept(&made, before, behind), |why| counterexample(game, &made, texts, why));
            }
            [Ok(image), Err(why)] if absent.is_none() => {
                absent = Some(counterexample(game, &made, [text(&Ok(image)), None], why.to_string()));
            }
            [Err(why), after] if outside.is_none() => {
                outside = Some(counterexample(game, &made, [None, text(&after)], why.to_string()));
            }
            _ => {}
        }
    }
    let absent = absent.or(outside);
    let steps = so_far(steps.first().or_else(|| absent.clone()), settings.transitions);
    let paths = match absent {
        Some(example) => Verdict::Refuted(example),
        None => placements(&part, spec.pieces, 1),
    };
    Ok(vec![
        Finding {
            property: Property::Steps,
            reading: "one move of a kept piece, or none; moves of the other side are none".into(),
            verdict: steps,
        },
        Finding {
            property: Property::Paths,
            reading: "moves of the kept pieces, one after the other; play goes on behind the goal".into(),
            verdict: paths,
        },
        Finding {
            property: Property::Goals,
            reading: "a won position of the game has all kept pieces inside the goal".into(),
            verdict: lone_goals(game, projection, settings)?,
        },
    ])
}

/// A placement as it stands on the board of the game.
fn on_board(spec: &Spec, player: usize, cells: Cells) -> Cells {
    if player == 0 { turned(spec.side, cells) } else { cells }
}

/// The same in words.
fn lone_words(spec: &Spec, player: usize, cells: Cells) -> String {
    let on_board = if player == 0 { turned(spec.side, cells) } else { cells };
    let list: Vec<String> =
        each(on_board).map(|cell| place(spec.side, cell)).map(|(r, c)| format!("{r},{c}")).collect();
    format!("{} {}", ["red", "blue"][player], list.join(" "))
}

fn lone_goals(game: &ChineseCheckers, projection: &Lone, settings: &Settings) -> Result<Verdict, TestError> {
    let (spec, player) = (projection.spec(), projection.kept().player());
    let target = game.target(player);
    let seen = if player == 0 { turned(spec.side, target) } else { target };
    if game.win() == Win::Home && seen & !spec.goal == 0 && seen & spec.deleted == 0 {
        let reason = "who has won has all its pieces in its corner, and the goal is all of the corner";
        return Ok(Verdict::Proved { reason: reason.into() });
    }
    goals(
        game,
        &[player],
        settings,
        |state, _| projection.image(state).map(|image| image & !spec.goal == 0),
        |state| projection.image(state).ok().map(|image| lone_words(spec, player, image)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is concluded from waiting is what looking for every position says.
    #[test]
    fn waiting_is_enough() {
        for (side, pieces, against) in [(3, 1, 1), (3, 3, 2), (3, 3, 3), (4, 2, 1), (4, 2, 2), (4, 4, 1), (5, 2, 1)] {
            let graph = Graph::diamond(side).unwrap();
            let space = versus::Space::new(versus::Spec::new(side, pieces, against)).unwrap();
            let settings = Settings::default();
            assert!(all_wait(&graph, &space, &settings).unwrap(), "{side}: {pieces} against {against}");
            assert!(all_reached(&graph, &space, &settings).unwrap(), "{side}: {pieces} against {against}");
        }
        // Two pieces on two by two cells have no room to wait, whatever is true of it.
        let graph = Graph::diamond(2).unwrap();
        let space = versus::Space::new(versus::Spec::new(2, 1, 1)).unwrap();
        let known = all_reached(&graph, &space, &Settings::default()).unwrap();
        assert!(known || !all_wait(&graph, &space, &Settings::default()).unwrap());
    }

    #[test]
    fn boards_are_looked_at() {
        let graph = Graph::diamond(5).unwrap();
        assert!(matches!(placements(&graph, 24, 2), Verdict::Proved { .. }));
        assert!(matches!(placements(&graph, 25, 2), Verdict::Open { .. }));
        // A row alone: connected, but every cell cuts it. Two cells apart: not even that.
        let row = graph.renumbered(&[0, 1, 2, 3, 4]);
        assert!(matches!(placements(&row, 3, 1), Verdict::Proved { .. }));
        assert!(matches!(placements(&row, 3, 2), Verdict::Open { .. }));
        assert!(matches!(placements(&graph.renumbered(&[0, 12]), 1, 1), Verdict::Open { .. }));
    }

    #[test]
    fn won_positions_are_won() {
        for win in [Win::Filled, Win::Home] {
            let game = ChineseCheckers::new(5, 3, win, None).unwrap();
            let mut sample = Sample::new(&game, 3);
            for player in [0, 1] {
                for _ in 0..50 {
                    let state = sample.won(player).unwrap();
                    assert!(game.won(&state, player) && !game.won(&state, 1 - player));
                    assert_eq!(state.pieces.map(|cells| cells.count_ones()), [3, 3]);
                }
            }
        }
    }
}
