//! Paths in the smaller game of two colours where turns alternate: made, not searched for.
//!
//! To bring a piece from one cell to another, its side walks along a shortest way around the other colour; an own piece that stands on the way goes on
//! in its place. To come back to the same placement with the other to move, a piece walks around a triangle, or to and fro
//! twice. Meanwhile the other side steps to and fro, or around a triangle where it needs an odd number of moves. Whatever is made is played through before it is
//! believed.

use native::chinese::{Cells, Graph, State, each};

/// One step of a piece: where from, where to.
pub(super) type Step = (u8, u8);

/// A path of single steps from one position to another, turns alternating. `None` if none was found, which does not say that there is none.
pub(super) fn path(graph: &Graph, from: &State, to: &State) -> Option<Vec<Step>> {
    let mover = usize::from(from.turn);
    let (own, other) = (from.pieces[mover], from.pieces[1 - mover]);
    if to.pieces[1 - mover] != other || to.turn == from.turn {
        return None;
    }
    let (left, entered) = (own & !to.pieces[mover], to.pieces[mover] & !own);
    let ways: Box<dyn Iterator<Item = Vec<u8>>> = match (left.count_ones(), entered.count_ones()) {
        (0, 0) => Box::new(tours(graph, own, own | other)),
        (1, 1) => {
            let (start, end) = (left.trailing_zeros() as u8, entered.trailing_zeros() as u8);
            let way = around(graph, start, end, other)?;
            // Two moves would leave the other one, which cannot come back with it: then one cell more.
            if way.len() == 3 { Box::new(detours(graph, way, own | other)) } else { Box::new(std::iter::once(way)) }
        }
        _ => return None,
    };
    for way in ways {
        let steps = relayed(&way, own);
        let used = way.iter().fold(own, |set, cell| set | 1 << cell);
        for waiting in fillers(graph, other, used, steps.len() - 1) {
            let mut line = Vec::with_capacity(2 * steps.len());
            for (at, step) in steps.iter().enumerate() {
                line.push(*step);
                line.extend(waiting.get(at).copied());
            }
            if plays(graph, from, &line) == Some(*to) {
                return Some(line);
            }
        }
    }
    None
}

/// The position after steps of both sides in turn; `None` if one of them is not a step to an empty neighbour.
fn plays(graph: &Graph, from: &State, line: &[Step]) -> Option<State> {
    let mut state = *from;
    for &(start, end) in line {
        let side = usize::from(state.turn);
        let all = state.pieces[0] | state.pieces[1];
        if state.pieces[side] >> start & 1 == 0 || all >> end & 1 == 1 || graph.near(start) >> end & 1 == 0 {
            return None;
        }
        state.pieces[side] ^= 1 << start | 1 << end;
        state.turn ^= 1;
    }
    Some(state)
}

/// A shortest way from cell to cell that avoids others.
fn around(graph: &Graph, start: u8, end: u8, others: Cells) -> Option<Vec<u8>> {
    let mut before = [u8::MAX; 128];
    let mut open = vec![start];
    let mut seen: Cells = others | 1 << start;
    let mut at = 0;
    while let Some(&cell) = open.get(at) {
        at += 1;
        if cell == end {
            let mut way = vec![end];
            while let Some(&last) = way.last().filter(|last| **last != start) {
                way.push(before[usize::from(last)]);
            }
            way.reverse();
            return Some(way);
        }
        for next in each(graph.near(cell) & !seen) {
            seen |= 1 << next;
            before[usize::from(next)] = cell;
            open.push(next);
        }
    }
    None
}

/// Ways of one cell more, over an empty neighbour of two cells that follow each other.
fn detours(graph: &Graph, way: Vec<u8>, all: Cells) -> impl Iterator<Item = Vec<u8>> + '_ {
    let taken = way.iter().fold(all, |set, cell| set | 1 << cell);
    (1..way.len()).flat_map(move |at| {
        let way = way.clone();
        each(graph.near(way[at - 1]) & graph.near(way[at]) & !taken).map(move |cell| {
            let mut longer = way.clone();
            longer.insert(at, cell);
            longer
        })
    })
}

/// Ways of a piece of a set back to where it was: around a triangle of empty cells, or to and fro twice, so that the other has two moves
/// or three.
fn tours(graph: &Graph, own: Cells, all: Cells) -> impl Iterator<Item = Vec<u8>> + '_ {
    let around = each(own).flat_map(move |piece| {
        each(graph.near(piece) & !all).flat_map(move |one| {
            each(graph.near(piece) & graph.near(one) & !all).map(move |two| vec![piece, one, two, piece])
        })
    });
    let twice = each(own)
        .flat_map(move |piece| each(graph.near(piece) & !all).map(move |one| vec![piece, one, piece, one, piece]));
    around.chain(twice)
}

/// The steps that bring a piece from the first cell of a way to the last: own pieces on the way go on first, and each is replaced by the one
/// behind it.
fn relayed(way: &[u8], own: Cells) -> Vec<Step> {
    let closed = way.first() == way.last();
    let mut steps = Vec::new();
    let mut target = way.len() - 1;
    for at in (0..way.len() - 1).rev() {
        // Around a triangle only the piece at the beginning is meant.
        if own >> way[at] & 1 == 1 && (at == 0 || !closed) {
            steps.extend((at..target).map(|step| (way[step], way[step + 1])));
            target = at;
        }
    }
    steps
}

/// So many steps of a side that leave it as it is, away from the cells that are used.
fn fillers(graph: &Graph, own: Cells, used: Cells, count: usize) -> impl Iterator<Item = Vec<Step>> + '_ {
    let taken = own | used;
    let none = (count == 0).then(Vec::new);
    let pieces = if count < 2 { 0 } else { own };
    let some = each(pieces).flat_map(move |piece| {
        each(graph.near(piece) & !taken).filter_map(move |one| {
            let mut steps = Vec::with_capacity(count);
            if count % 2 == 1 {
                let two = each(graph.near(piece) & graph.near(one) & !taken).next()?;
                steps.extend([(piece, one), (one, two), (two, piece)]);
            }
            while steps.len() < count {
                steps.extend([(piece, one), (one, piece)]);
            }
            Some(steps)
        })
    });
    none.into_iter().chain(some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_where_they_should() {
        let graph = Graph::diamond(5).unwrap();
        let mut rng = game::random::Rng::new(4);
        let mut random = |count: usize, taken: Cells| {
            let mut set: Cells = 0;
            while (set.count_ones() as usize) < count {
                let cell = rng.below(25);
                set |= (1 << cell) & !taken;
            }
            set
        };
        let mut found = 0;
        for round in 0..2000u32 {
            let red = random(2, 0);
            let blue = random(2, red);
            let turn = (round % 2) as u8;
            let from = State { pieces: [red, blue], turn, step: 1 };
            let mut to = State { turn: 1 - turn, ..from };
            if round % 3 > 0 {
                // One piece of the mover somewhere else, or a single one to the same place.
                let mover = usize::from(turn);
                let stays = from.pieces[mover] & (from.pieces[mover] - 1);
                to.pieces[mover] = stays | random(1, stays | from.pieces[1 - mover]);
            }
            if let Some(line) = path(&graph, &from, &to) {
                assert_eq!(plays(&graph, &from, &line), Some(to));
                found += 1;
            }
        }
        assert!(found > 1980, "{found}");
        // The other colour may not change, and somebody has to move.
        let from = State { pieces: [1, 2], turn: 0, step: 1 };
        assert_eq!(path(&graph, &from, &from), None);
        assert_eq!(path(&graph, &from, &State { pieces: [1, 4], turn: 1, step: 1 }), None);
    }

    #[test]
    fn own_pieces_go_on() {
        // Three in a row, the last cell free: each moves one cell.
        assert_eq!(relayed(&[0, 1, 2, 3], 0b111), [(2, 3), (1, 2), (0, 1)]);
        assert_eq!(relayed(&[0, 1, 2, 3], 0b001), [(0, 1), (1, 2), (2, 3)]);
    }
}
