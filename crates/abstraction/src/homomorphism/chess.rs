//! The test for chess.

use super::{Counterexample, Finding, Property, Settings, TestError, Verdict, go_on, so_far};
use crate::projection::{Men, Projection};
use game::random::Rng;
use native::chess::{Colour, Kind, Man, Position, Step};
use std::collections::HashSet;

/// Positions that a search for a path looks at.
const SEARCHED: usize = 50_000;
/// Searches for paths; what needs more stays open.
const SEARCHES: usize = 20;
/// Random positions for each transition, in which mates are looked for.
const TRIES: usize = 100;

/// Random positions of some men.
struct Sample<'a> {
    men: &'a Men,
    rng: Rng,
}

impl Sample<'_> {
    /// A legal position with these men; `None` if chance did not find one.
    fn position(&mut self) -> Option<Position> {
        for _ in 0..1000 {
            let turn = Colour::BOTH[self.rng.below(2)];
            let mut position = Position::empty(turn);
            for colour in Colour::BOTH {
                for kind in Kind::ALL {
                    for _ in 0..self.men.count(colour, kind) {
                        let square = self.square(&position, kind);
                        position.put(Man { colour, kind }, square);
                    }
                }
            }
            if !position.broken() {
                return Some(position);
            }
        }
        None
    }

    fn square(&mut self, position: &Position, kind: Kind) -> u8 {
        loop {
            let square = if kind == Kind::Pawn { 8 + self.rng.below(48) } else { self.rng.below(64) } as u8;
            if position.at(square).is_none() {
                return square;
            }
        }
    }
}

/// How the image after a move can be reached from the image before it.
enum Way {
    /// By one move, or by none.
    Step,
    /// By more.
    Path,
    /// Not at all.
    Never(String),
    /// This was not found out.
    Unknown,
}

/// Tests the projection of positions of some men to fewer of them. Steps and paths are taken to be about where the men stand: where a man moves that is
/// not kept, nothing happens and the turn passes.
pub fn men(all: &Men, projection: &Men, settings: &Settings) -> Result<Vec<Finding>, TestError> {
    if !projection.within(all) {
        return Err(TestError::Unfit(format!("the men {projection} are not among {all}")));
    }
    let whole = all.within(projection);
    let mut sample = Sample { men: all, rng: Rng::new(settings.seed) };
    let (mut steps, mut paths) = (None, None);
    let (mut tried, mut unknown, mut searches) = (0, 0, 0);
    for _ in 0..settings.transitions {
        go_on(settings)?;
        let Some(position) = sample.position() else { continue };
        let moves = position.legal();
        if moves.is_empty() {
            continue;
        }
        let step = moves[sample.rng.below(moves.len())];
        tried += 1;
        let [image, after] = [position, position.after(&step)].map(|position| projection.left(&position));
        let may_search = paths.is_none() && searches < SEARCHES;
        let way = way(&image, &after, may_search);
        let example = |why: String| counterexample(&position, &step, &image, &after, why);
        match way {
            Way::Step => {}
            Way::Path | Way::Unknown => {
                searches += usize::from(may_search);
                unknown += usize::from(matches!(way, Way::Unknown));
                steps.get_or_insert_with(|| example("no single move of the smaller game leads there".into()));
            }
            Way::Never(why) => {
                steps.get_or_insert_with(|| example(why.clone()));
                paths.get_or_insert_with(|| example(why));
            }
        }
        if steps.is_some() && paths.is_some() {
            break;
        }
    }
    let same = || Verdict::Proved { reason: "all men are kept: the image is the position".into() };
    let paths = match paths {
        None if whole => same(),
        None if unknown > 0 => Verdict::Open {
            reason: format!("in {unknown} of {tried} transitions no path was found within {SEARCHED} positions"),
        },
        paths => so_far(paths, tried),
    };
    let reading = "where the men stand; if a man moves that is not kept, the turn passes".to_string();
    Ok(vec![
        Finding {
            property: Property::Steps,
            reading: reading.clone(),
            verdict: if whole { same() } else { so_far(steps, tried) },
        },
        Finding { property: Property::Paths, reading, verdict: paths },
        Finding {
            property: Property::Goals,
            reading: "mate is mate of the smaller game".into(),
            verdict: if whole { same() } else { mates(all, projection, settings)? },
        },
    ])
}

fn counterexample(position: &Position, step: &Step, image: &Position, after: &Position, why: String) -> Counterexample {
    Counterexample {
        position: position.fen(),
        action: Some(position.san(step)),
        image: Some(image.fen()),
        after: Some(after.fen()),
        why,
    }
}

fn way(image: &Position, after: &Position, may_search: bool) -> Way {
    for (which, position) in [("before", image), ("after", after)] {
        if position.broken() {
            let waiting = position.turn.other().name();
            return Way::Never(format!("the image {which} is no position: {waiting}, who is not to move, is in check"));
        }
    }
    if image.men == after.men {
        return Way::Step;
    }
    if image.legal().iter().any(|step| image.after(step).men == after.men) {
        return Way::Step;
    }
    if let Some(why) = pawn_fault(image, after) {
        return Way::Never(why);
    }
    if may_search { search(image, after) } else { Way::Unknown }
}

/// Why pawns cannot have come where they are: with nothing but a king to take, they stay on their files.
fn pawn_fault(image: &Position, after: &Position) -> Option<String> {
    for colour in Colour::BOTH {
        let bare = image.of(colour.other()).count_ones() == 1;
        let pawns = |position: &Position, file: u32| {
            (position.men[colour as usize][Kind::Pawn as usize] & (0x0101_0101_0101_0101 << file)).count_ones()
        };
        if bare && (0..8).any(|file| pawns(after, file) > pawns(image, file)) {
            return Some(format!(
                "a pawn of {} came to another file, and in the image there is nothing to take",
                colour.name()
            ));
        }
    }
    None
}

/// Looks for a path of legal moves, from the nearest positions on.
fn search(image: &Position, after: &Position) -> Way {
    let mut seen = HashSet::from([(image.men, image.turn)]);
    let mut open = vec![Position { passed: None, ..*image }];
    let mut moves = Vec::new();
    let mut at = 0;
    while let Some(&position) = open.get(at) {
        at += 1;
        moves.clear();
        position.legal_into(&mut moves);
        for step in &moves {
            let next = Position { passed: None, quiet: 0, ..position.after(step) };
            if next.men == after.men && next.turn == after.turn {
                return Way::Path;
            }
            if seen.insert((next.men, next.turn)) {
                open.push(next);
            }
        }
        if open.len() > SEARCHED {
            return Way::Unknown;
        }
    }
    Way::Never(format!("all {} positions that can follow the image were looked at", open.len()))
}

/// Whether the image of a mate is mate.
fn mates(all: &Men, projection: &Men, settings: &Settings) -> Result<Verdict, TestError> {
    let mut sample = Sample { men: all, rng: Rng::new(settings.seed) };
    let mut tried = 0;
    for _ in 0..settings.transitions.saturating_mul(TRIES) {
        go_on(settings)?;
        let Some(position) = sample.position() else { continue };
        if !position.in_check(position.turn) || !position.checkmate() {
            continue;
        }
        tried += 1;
        let why = match projection.image(&position) {
            Ok(image) if image.checkmate() => continue,
            Ok(_) => "this is mate, and its image is not".to_string(),
            Err(absent) => absent.to_string(),
        };
        let image = Some(projection.left(&position).fen());
        return Ok(Verdict::Refuted(Counterexample {
            position: position.fen(),
            action: None,
            image,
            after: None,
            why,
        }));
    }
    Ok(so_far(None, tried))
}
