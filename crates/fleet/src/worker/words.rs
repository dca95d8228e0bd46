//! The first plies of a tree in the words of the rules, and back: moves are numbers that only one engine knows.

use crate::message::{MOST_ARMS, MOST_BYTES, MOST_PLIES, PlyReport};
use game::{Move, Names, Role};
use machine::Engine;
use search::{Ply, PlyArm};
use std::cmp::Reverse;
use std::collections::HashMap;

/// The words of all moves that were told of so far, so that each is put into words once.
pub struct Words<'a> {
    engine: &'a Engine,
    texts: HashMap<(Role, Move), String>,
    moves: HashMap<(u8, String), Move>,
}

impl<'a> Words<'a> {
    /// Knows no words yet.
    pub fn new(engine: &'a Engine) -> Words<'a> {
        Words { engine, texts: HashMap::new(), moves: HashMap::new() }
    }

    /// The engine whose moves they are.
    pub fn engine(&self) -> &'a Engine {
        self.engine
    }

    fn text(&mut self, role: Role, mv: Move) -> &str {
        let Words { engine, texts, moves } = self;
        texts.entry((role, mv)).or_insert_with(|| {
            let text = engine.move_text(mv);
            moves.insert((role.0, text.clone()), mv);
            text
        })
    }

    /// Puts plies into words, within the limits of messages: of each the moves that were tried most.
    pub fn told(&mut self, plies: &[Ply]) -> Vec<PlyReport> {
        let (mut reports, mut room) = (Vec::new(), MOST_BYTES / 5);
        for ply in plies.iter().take(MOST_PLIES) {
            let path: Vec<(u8, String)> =
                ply.path.iter().map(|&(role, mv)| (role.0, self.text(role, mv).to_string())).collect();
            let mut arms: Vec<(String, u64, f64)> = Vec::new();
            for arm in &ply.arms {
                // Whoever was not tried here may have been elsewhere: its words are needed to hear of it.
                let text = self.text(ply.role, arm.mv);
                if arm.visits > 0 {
                    arms.push((text.to_string(), arm.visits, arm.sum.clamp(0.0, arm.visits as f64)));
                }
            }
            arms.sort_by_key(|arm| Reverse(arm.1));
            arms.truncate(MOST_ARMS);
            let words = path.iter().map(|(_, text)| text.len()).chain(arms.iter().map(|arm| arm.0.len()));
            let size = words.map(|length| length + 50).sum::<usize>();
            if size > room {
                break;
            }
            room -= size;
            reports.push(PlyReport { path, role: ply.role.0, arms });
        }
        reports
    }

    /// What was heard, in moves of the engine; what it has no words for is left out.
    pub fn heard(&self, plies: &[PlyReport]) -> Vec<Ply> {
        let known = |role: u8, text: &String| self.moves.get(&(role, text.clone())).copied();
        let one = |ply: &PlyReport| {
            let path = ply.path.iter().map(|(role, text)| Some((Role(*role), known(*role, text)?)));
            let path = path.collect::<Option<Vec<_>>>()?;
            let arms = ply.arms.iter().filter_map(|(text, visits, sum)| {
                Some(PlyArm { mv: known(ply.role, text)?, visits: *visits, sum: *sum })
            });
            Some(Ply { path, role: Role(ply.role), arms: arms.collect() })
        };
        plies.iter().filter_map(one).collect()
    }
}
