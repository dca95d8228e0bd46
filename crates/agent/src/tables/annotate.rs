//! Games and positions annotated from the tables: what each position is worth, and whether the move that was made kept it.

use super::endings::Asker;
use super::epd::Record;
use super::pgn::{self, Game, Note};
use anyhow::{Result, bail};
use native::chess::{Colour, Position, Step};
use std::collections::BTreeSet;
use table::chess::{Material, Metric, Outcome, Ruling};

/// Annotates with the tables of a folder.
pub struct Annotator {
    asker: Asker,
    /// What was found so far.
    pub tally: Tally,
}

/// What was found.
#[derive(Clone, Default, Debug)]
pub struct Tally {
    /// Positions that a table knows.
    pub known: u64,
    /// Moves made there.
    pub moves: u64,
    /// Those of them that gave something away.
    pub mistakes: u64,
    /// Men that there could be a table of, and is not.
    pub missing: BTreeSet<Material>,
}

/// What the tables say of a position.
pub struct Said {
    /// What it is worth to the side to move.
    pub outcome: Outcome,
    /// Its moves with their worth to that side, the best first.
    pub choices: Vec<(Step, Outcome)>,
}

/// Missing tables that are named, at most.
const MOST_NAMED: usize = 30;
/// The tag that says who annotated a game.
const ANNOTATOR: &str = "Annotator";

impl Annotator {
    /// Asks these tables.
    pub fn new(asker: Asker) -> Annotator {
        Annotator { asker, tally: Tally::default() }
    }

    /// What is counted.
    pub fn metric(&self) -> Metric {
        self.asker.metric
    }

    /// What is to be said of tables that are not there, and how the first of them is built; `None` if none was missed.
    pub fn missing(&self) -> Option<String> {
        let first = *self.tally.missing.first()?;
        let names: Vec<String> = self.tally.missing.iter().take(MOST_NAMED).map(ToString::to_string).collect();
        let (count, more) = (self.tally.missing.len(), if self.tally.missing.len() > MOST_NAMED { " …" } else { "" });
        let way = self.asker.way(first);
        Some(format!("tables that are not there ({count}): {}{more}; {way} builds the first", names.join(" ")))
    }

    /// What the tables say of a position; `None` if there is none for it.
    ///
    /// # Errors
    /// When a table is damaged, or a smaller one is missing.
    pub fn ask(&mut self, position: &Position) -> Result<Option<Said>> {
        let Ok((material, _)) = Material::of(position) else { return Ok(None) };
        if !material.bare() {
            if !self.asker.is_there(material) {
                self.tally.missing.insert(material);
                return Ok(None);
            }
            self.asker.open(material)?;
        }
        let metric = self.asker.metric;
        let outcome = self.asker.tables().probe(position, metric)?;
        let choices = self.asker.tables().choices(position, metric)?;
        self.tally.known += 1;
        Ok(Some(Said { outcome, choices: choices.into_iter().map(|choice| (choice.step, choice.outcome)).collect() }))
    }

    /// What an outcome is worth where so many plies are gone since the last capture or pawn move.
    pub fn ruling(&self, outcome: Outcome, position: &Position) -> Ruling {
        match (self.metric(), outcome) {
            (Metric::Zeroing, outcome) => outcome.ruling(position.quiet),
            (_, Outcome::Win(_)) => Ruling::Win,
            (_, Outcome::Draw) => Ruling::Draw,
            (_, Outcome::Loss(_)) => Ruling::Loss,
        }
    }

    /// What is to be said of a move: that it gives something away, that it is the only one that does not, or neither.
    fn judge(&self, said: &Said, made: Outcome, position: &Position) -> Verdict {
        let ruling = |outcome: Outcome| self.ruling(outcome, position);
        // A draw by the fifty-move rule is a draw: only what changes the result is a mistake.
        let result = |outcome: Outcome| match ruling(outcome) {
            Ruling::Win => 1,
            Ruling::CursedWin | Ruling::Draw | Ruling::BlessedLoss => 0,
            Ruling::Loss => -1,
        };
        let best = result(said.outcome);
        if result(made) < best {
            return Verdict::Mistake;
        }
        let keeping = said.choices.iter().filter(|(_, outcome)| result(*outcome) >= best).count();
        if keeping == 1 && said.choices.len() > 1 && best >= 0 { Verdict::Only } else { Verdict::Fine }
    }

    /// Annotates a game as far as its moves can be read, and says where it begins. What cannot be read is added to its faults, and the
    /// rest stays as it is.
    ///
    /// # Errors
    /// When a table is damaged.
    pub fn game(&mut self, game: &mut Game) -> Result<(Colour, u64)> {
        let (mut position, number) = match game.start() {
            Ok(start) => start,
            Err(error) => {
                game.faults.push(format!("line {}: {error:#}", game.line));
                return Ok((Colour::White, 1));
            }
        };
        let first = (position.turn, number);
        let mut any = false;
        for at in 0..game.moves.len() {
            let played = &mut game.moves[at];
            let made = match pgn::make(&position, &played.word) {
                Ok(made) => made,
                Err(error) => {
                    game.faults.push(format!("line {}: {error:#}; nothing is said from there on", played.line));
                    break;
                }
            };
            played.word = made.san;
            if let (Some(step), Some(said)) = (made.step, self.ask(&position)?) {
                let notes = self.notes(&position, &said, &step);
                // Marks stand before words.
                let marks = played.notes.iter().take_while(|note| matches!(note, Note::Nag(_))).count();
                played.notes.splice(marks..marks, notes);
                any = true;
            }
            position = made.after;
        }
        if any && game.tag(ANNOTATOR).is_none() {
            game.set(ANNOTATOR, "Ludens tables");
        }
        Ok(first)
    }

    fn notes(&mut self, position: &Position, said: &Said, step: &Step) -> Vec<Note> {
        let Some(&(_, made)) = said.choices.iter().find(|(own, _)| own == step) else { return Vec::new() };
        let after = self.after(made, position, step);
        self.tally.moves += 1;
        match self.judge(said, made, position) {
            Verdict::Fine => vec![Note::Comment(after)],
            Verdict::Only => vec![Note::Nag(7), Note::Comment(after)],
            Verdict::Mistake => {
                self.tally.mistakes += 1;
                let better = said.choices.first().map(|(step, outcome)| {
                    format!("{after}; {}: {}", position.san(step), self.after(*outcome, position, step))
                });
                vec![Note::Nag(4), Note::Comment(better.unwrap_or(after))]
            }
        }
    }

    /// What a position is worth after a move that is worth this to who makes it, in words.
    fn after(&self, made: Outcome, position: &Position, step: &Step) -> String {
        let (winner, plies) = match made {
            Outcome::Draw => return "draw".to_string(),
            Outcome::Win(plies) => (position.turn, plies),
            Outcome::Loss(plies) => (position.turn.other(), plies),
        };
        if position.after(step).checkmate() {
            return "mate".to_string();
        }
        let name = winner.name();
        let left = |plies: u8| if plies == 1 { "1 ply".to_string() } else { format!("{plies} plies") };
        let ends = step.converts() || step.kind == native::chess::Kind::Pawn;
        match self.metric() {
            Metric::Mate => format!("{name} wins, mate in {}", left(plies - 1)),
            Metric::Conversion if plies == 1 => format!("{name} wins"),
            Metric::Conversion => format!("{name} wins, conversion in {}", left(plies - 1)),
            Metric::Zeroing => match self.ruling(made, position) {
                Ruling::CursedWin | Ruling::BlessedLoss => {
                    format!("{name} would win, but for the fifty-move rule")
                }
                _ if ends => format!("{name} wins"),
                _ => format!("{name} wins, zeroing in {}", left(plies - 1)),
            },
        }
    }

    /// Adds what the tables say to a record: `dm` (moves to mate) or the plies, `wdl`, `bm` if it has none, and whether the move
    /// that it names (`sm` or `bm`) keeps what the position is worth. Records that no table knows stay as they are.
    ///
    /// # Errors
    /// When it is no position, or a table is damaged.
    pub fn record(&mut self, record: &mut Record) -> Result<()> {
        let position = record.position()?;
        let Some(said) = self.ask(&position)? else { return Ok(()) };
        let given = record.get("sm").map(|moves| ("sm", moves)).or(record.get("bm").map(|moves| ("bm", moves)));
        let mut verdict = None;
        if let Some((name, moves)) = given {
            let Some(word) = moves.split_whitespace().next().filter(|_| !said.choices.is_empty()) else {
                bail!("{name} names no move");
            };
            let made = pgn::make(&position, word)?;
            let worth = said.choices.iter().find(|(step, _)| Some(*step) == made.step).map(|(_, worth)| *worth);
            if let Some(worth) = worth {
                self.tally.moves += 1;
                let judged = self.judge(&said, worth, &position);
                self.tally.mistakes += u64::from(judged == Verdict::Mistake);
                verdict = Some(match judged {
                    Verdict::Mistake => {
                        format!("{} gives it away: {}", made.san, self.ruling(worth, &position).words())
                    }
                    Verdict::Only => format!("{} is the only move", made.san),
                    Verdict::Fine => format!("{} keeps it", made.san),
                });
            }
        }
        record.tell(&position, self.metric(), said.outcome, &best(&said));
        if let Some(verdict) = verdict {
            record.set("c9", &format!("\"{verdict}\""));
        }
        Ok(())
    }
}

/// The moves that are as good as the best.
fn best(said: &Said) -> Vec<Step> {
    said.choices.iter().filter(|(_, outcome)| *outcome == said.choices[0].1).map(|(step, _)| *step).collect()
}

/// See [`Annotator::judge`].
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Mistake,
    Only,
    Fine,
}
