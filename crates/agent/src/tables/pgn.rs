//! Games of chess as text (PGN): read leniently, with whatever people and programs write, and written in the form of the standard.
//!
//! No text can crash the reader, and nothing in it is a reason to give up the rest: what is odd is told as a fault of its game. Variations
//! are kept as text and not looked into.

use anyhow::{Context, Result, anyhow, bail};
use native::chess::{Colour, Kind, Position, Step};

/// A game as it was read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Game {
    /// The tags, in order: name and value.
    pub tags: Vec<(String, String)>,
    /// What stands before the first move.
    pub before: Vec<Note>,
    /// The moves of the main line.
    pub moves: Vec<Played>,
    /// How it ended, as it is written.
    pub result: Option<String>,
    /// The line it begins in, from 1.
    pub line: usize,
    /// What is odd about its text.
    pub faults: Vec<String>,
}

/// A move as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Played {
    /// The move, without marks.
    pub word: String,
    /// The line it is in, from 1.
    pub line: usize,
    /// What follows it.
    pub notes: Vec<Note>,
}

/// What is said of a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Note {
    /// In words.
    Comment(String),
    /// By a number: 1 is good, 4 a blunder, 7 the only move.
    Nag(u8),
    /// Other moves, as text with its brackets.
    Variation(String),
}

impl Game {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Sets a tag, at the end if it is new.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        match self.tags.iter_mut().find(|(own, _)| own.eq_ignore_ascii_case(name)) {
            Some((_, own)) => *own = value.into(),
            None => self.tags.push((name.to_string(), value.into())),
        }
    }

    /// Where it begins, and the number of the first move.
    ///
    /// # Errors
    /// When its FEN is no position.
    pub fn start(&self) -> Result<(Position, u64)> {
        let fen = self.tag("FEN").unwrap_or(START);
        begin(fen).with_context(|| format!("the position {fen:?}"))
    }

    fn is_empty(&self) -> bool {
        self.tags.is_empty() && self.before.is_empty() && self.moves.is_empty() && self.result.is_none()
    }

    fn notes(&mut self) -> &mut Vec<Note> {
        match self.moves.last_mut() {
            Some(played) => &mut played.notes,
            None => &mut self.before,
        }
    }
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The position of a FEN and the number of its move. Whether somebody may still castle is left to who does.
pub(super) fn begin(fen: &str) -> Result<(Position, u64)> {
    let mut fields: Vec<&str> = fen.split_whitespace().collect();
    if let Some(castling) = fields.get_mut(2) {
        *castling = "-";
    }
    let number = fields.get(5).and_then(|word| word.parse().ok()).unwrap_or(1u64).max(1);
    Ok((Position::from_fen(&fields.join(" "))?, number))
}

/// Reads all games of a text.
pub fn read(text: &str) -> Vec<Game> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader { text, at: 0, line: 1, game: Game::default(), games: Vec::new() };
    reader.game.line = 1;
    while reader.one() {}
    reader.finish();
    reader.games
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    game: Game,
    games: Vec<Game>,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    /// Takes what comes before the first character that the function names, or all that is left.
    fn until(&mut self, ends: impl FnMut(char) -> bool) -> &'a str {
        let rest = &self.text[self.at..];
        let found = &rest[..rest.find(ends).unwrap_or(rest.len())];
        self.take(found.len());
        found
    }

    fn take(&mut self, bytes: usize) {
        let taken = &self.text[self.at..self.at + bytes];
        self.line += taken.bytes().filter(|&byte| byte == b'\n').count();
        self.at += bytes;
    }

    fn fault(&mut self, line: usize, what: impl std::fmt::Display) {
        self.game.faults.push(format!("line {line}: {what}"));
    }

    fn finish(&mut self) {
        if !self.game.is_empty() {
            self.games.push(std::mem::take(&mut self.game));
        }
        self.game = Game { line: self.line, ..Game::default() };
    }

    /// Reads one thing; `false` at the end.
    fn one(&mut self) -> bool {
        self.until(|c| !c.is_whitespace() && c != '\0');
        let line = self.line;
        let Some(first) = self.peek() else { return false };
        if self.game.is_empty() {
            self.game.line = line;
        }
        match first {
            '%' if self.text[..self.at].ends_with('\n') || self.at == 0 => {
                self.until(|c| c == '\n');
            }
            '[' => self.tag(),
            '{' => {
                self.take(1);
                let comment = self.until(|c| c == '}');
                if self.peek().is_none() {
                    self.fault(line, "a comment is not closed");
                } else {
                    self.take(1);
                }
                self.comment(comment);
            }
            ';' => {
                self.take(1);
                let comment = self.until(|c| c == '\n');
                self.comment(comment);
            }
            '(' => self.variation(),
            '$' => {
                self.take(1);
                let digits = self.until(|c| !c.is_ascii_digit());
                match digits.parse() {
                    Ok(nag) => self.game.notes().push(Note::Nag(nag)),
                    Err(_) => self.fault(line, format!("${} says nothing", short(digits))),
                }
            }
            ')' | ']' | '}' | '>' | '<' => {
                self.take(1);
                self.fault(line, format!("a {first} that belongs to nothing"));
            }
            _ => self.word(),
        }
        true
    }

    fn comment(&mut self, comment: &str) {
        let words: Vec<&str> = comment.split_whitespace().collect();
        if !words.is_empty() {
            self.game.notes().push(Note::Comment(words.join(" ")));
        }
    }

    /// `[Name "value"]`. A tag behind moves begins the next game.
    fn tag(&mut self) {
        if !self.game.moves.is_empty() || self.game.result.is_some() {
            self.finish();
        }
        let line = self.line;
        self.take(1);
        let text = &self.text[self.at..];
        let text = &text[..text.find('\n').unwrap_or(text.len())];
        match tag(text) {
            Some((name, value, length)) => {
                self.take(length);
                self.game.tags.push((name, value));
            }
            None => {
                let rest = self.until(|c| c == '\n');
                self.fault(line, format!("[{} is no tag", short(rest.trim_end())));
            }
        }
    }

    /// A variation with those in it, as text.
    fn variation(&mut self) {
        let (begin, line) = (self.at, self.line);
        let mut depth = 0usize;
        loop {
            self.until(|c| matches!(c, '(' | ')' | '{' | ';'));
            let Some(sign) = self.peek() else {
                self.fault(line, "a variation is not closed");
                break;
            };
            self.take(1);
            match sign {
                '(' => depth += 1,
                '{' => {
                    self.until(|c| c == '}');
                }
                ';' => {
                    self.until(|c| c == '\n');
                }
                _ => depth -= 1,
            }
            if depth == 0 {
                break;
            }
        }
        let text = &self.text[begin..self.at];
        // A comment to the end of the line would swallow what is put behind it.
        let text = if text.contains(';') { text.to_string() + "\n" } else { text.to_string() };
        if !self.game.moves.is_empty() {
            self.game.notes().push(Note::Variation(text));
        }
    }

    /// A move, its number, its mark or the result.
    fn word(&mut self) {
        let line = self.line;
        let word = self.until(|c| c.is_whitespace() || "{}()[];$<>\0".contains(c));
        if matches!(word, "*" | "1-0" | "0-1" | "1/2-1/2" | "1/2" | "½-½") {
            let result = if word.starts_with("1/2") || word.starts_with('½') { "1/2-1/2" } else { word };
            self.game.result = Some(result.to_string());
            self.finish();
            return;
        }
        let is_castling = word.starts_with("0-0");
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        let rest = word[digits..].trim_start_matches(['.', '…']);
        let numbered = digits == 0 || rest.len() < word.len() - digits || rest.is_empty();
        let word = if is_castling || !numbered { word } else { rest };
        let bare = word.trim_end_matches(['!', '?']);
        if !bare.is_empty() && !matches!(bare, "e.p." | "ep" | "+" | "#") {
            self.game.moves.push(Played { word: bare.to_string(), line, notes: Vec::new() });
        }
        let nag = match &word[bare.len()..] {
            "!" => 1,
            "?" => 2,
            "!!" => 3,
            "??" => 4,
            "!?" => 5,
            "?!" => 6,
            _ => return,
        };
        self.game.notes().push(Note::Nag(nag));
    }
}

/// The name and the value of a tag without its first bracket, and how long it is.
fn tag(text: &str) -> Option<(String, String, usize)> {
    let open = text.find('"')?;
    let name = text[..open].trim();
    if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c == ']') {
        return None;
    }
    let mut value = String::new();
    let mut chars = text[open + 1..].char_indices();
    while let Some((at, sign)) = chars.next() {
        match sign {
            '\\' => value.extend(chars.next().map(|(_, sign)| sign)),
            '"' => {
                let behind = open + 1 + at + 1;
                let close = text[behind..].find(|c: char| !c.is_whitespace())?;
                return text[behind + close..].starts_with(']').then(|| (name.into(), value, behind + close + 1));
            }
            sign if sign.is_control() => {}
            sign => value.push(sign),
        }
    }
    None
}

fn short(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(40).collect()
}

/// A move that was made, and the position behind it. A null move, as analysts write it, passes.
pub struct Made {
    /// In short notation.
    pub san: String,
    /// The move; castling is none that tables know.
    pub step: Option<Step>,
    /// What it leads to.
    pub after: Position,
}

/// Reads a move in any of the usual forms: `Nf3`, `Ng1-f3`, `g1f3`, `e8=Q`, `e8Q`, `e8(Q)`, `O-O`, `0-0`.
///
/// # Errors
/// When no legal move is written like that, or more than one.
pub fn make(position: &Position, word: &str) -> Result<Made> {
    if matches!(word, "--" | "Z0" | "null") {
        let after = Position { turn: position.turn.other(), passed: None, ..*position };
        if after.broken() {
            bail!("`{word}`: nobody may pass in check");
        }
        return Ok(Made { san: "--".to_string(), step: None, after });
    }
    // Coordinates name the squares of the king.
    let castling = match word {
        "e1g1" | "e8g8" => "O-O".to_string(),
        "e1c1" | "e8c8" => "O-O-O".to_string(),
        _ => word.replace('0', "O").replace(['+', '#', '!', '?'], ""),
    };
    if let Some(after) = castled(position, &castling) {
        let mark = match (after.in_check(after.turn), after.can_move()) {
            (true, true) => "+",
            (true, false) => "#",
            (false, _) => "",
        };
        return Ok(Made { san: castling + mark, step: None, after });
    }
    let step = step(position, word)?;
    Ok(Made { san: position.san(&step), step: Some(step), after: position.after(&step) })
}

/// The position behind castling, if king and rook stand where they may castle and nothing stands between them. That neither has moved
/// before is believed.
fn castled(position: &Position, word: &str) -> Option<Position> {
    let base = if position.turn == Colour::White { 0 } else { 56 };
    let (rook, king_to, rook_to, between) = match word {
        "O-O" => (7, 6, 5, 0b0110_0000u64),
        "O-O-O" => (0, 2, 3, 0b0000_1110),
        _ => return None,
    };
    let bit = |file: u32| 1u64 << (base + file);
    let own = &position.men[position.turn as usize];
    let at_home = own[Kind::King as usize] == bit(4) && own[Kind::Rook as usize] & bit(rook) != 0;
    if !at_home || position.occupied() & (between << base) != 0 {
        return None;
    }
    let mut after = *position;
    let men = &mut after.men[position.turn as usize];
    men[Kind::King as usize] = bit(king_to);
    men[Kind::Rook as usize] ^= bit(rook) | bit(rook_to);
    after.passed = None;
    after.quiet = after.quiet.saturating_add(1);
    after.turn = position.turn.other();
    (!after.broken()).then_some(after)
}

fn step(position: &Position, word: &str) -> Result<Step> {
    let unknown = || anyhow!("`{}` is not a move", short(word));
    let plain: Vec<char> = word.chars().filter(|c| !"x-:=()+#!?/".contains(*c)).collect();
    let mut rest = &plain[..];
    let mut kind = Kind::Pawn;
    if let Some((first, behind)) = rest.split_first()
        && let Some(found) = Kind::from_letter(*first).filter(|_| first.is_ascii_uppercase())
    {
        (kind, rest) = (found, behind);
    }
    let mut promotion = None;
    if let [before @ .., rank, letter] = rest
        && !before.is_empty()
        && rank.is_ascii_digit()
        && let Some(found) = Kind::from_letter(*letter).filter(|found| Kind::PROMOTIONS.contains(found))
    {
        promotion = Some(found);
        rest = &rest[..before.len() + 1];
    }
    let [origin @ .., file, rank] = rest else { return Err(unknown()) };
    let files = |c: char| ('a'..='h').contains(&c).then(|| c as u8 - b'a');
    let ranks = |c: char| ('1'..='8').contains(&c).then(|| c as u8 - b'1');
    let (Some(to_file), Some(to_rank), true) = (files(*file), ranks(*rank), origin.len() <= 2) else {
        return Err(unknown());
    };
    let from_here = |step: &Step| {
        origin.iter().all(|&c| match (files(c), ranks(c)) {
            (Some(file), _) => step.from % 8 == file,
            (_, Some(rank)) => step.from / 8 == rank,
            _ => false,
        })
    };
    // Coordinates name the square and not the man.
    let any_man = kind == Kind::Pawn && origin.len() == 2;
    let mut found = position.legal().into_iter().filter(|step| {
        (step.kind == kind || any_man)
            && step.to == to_rank * 8 + to_file
            && (step.promotion == promotion || promotion.is_none() && step.promotion == Some(Kind::Queen))
            && from_here(step)
    });
    match (found.next(), found.next()) {
        (Some(step), None) => Ok(step),
        (Some(_), Some(_)) => bail!("`{}` may be more than one move in {}", short(word), position.fen()),
        (None, _) => bail!("`{}` is not legal in {}", short(word), position.fen()),
    }
}

/// Writes a game with lines of at most 80 characters, where words are not longer.
pub fn write(game: &Game, first: (Colour, u64)) -> String {
    let mut text = String::new();
    for (name, value) in &game.tags {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        text += &format!("[{name} \"{value}\"]\n");
    }
    text.push('\n');
    let mut words: Vec<String> = Vec::new();
    notes(&game.before, &mut words);
    let (mut turn, mut number) = first;
    // A number stands before white's moves, and before black's where something stands in between.
    let mut is_plain = false;
    for played in &game.moves {
        match turn {
            Colour::White => words.push(format!("{number}.")),
            Colour::Black if !is_plain => words.push(format!("{number}...")),
            Colour::Black => {}
        }
        words.push(played.word.clone());
        notes(&played.notes, &mut words);
        is_plain = played.notes.iter().all(|note| matches!(note, Note::Nag(_)));
        number = number.saturating_add(u64::from(turn == Colour::Black));
        turn = turn.other();
    }
    words.push(game.result.clone().unwrap_or_else(|| "*".to_string()));
    text + &wrapped(&words) + "\n"
}

fn notes(notes: &[Note], words: &mut Vec<String>) {
    for note in notes {
        match note {
            Note::Nag(nag) => words.push(format!("${nag}")),
            Note::Variation(text) => words.push(text.clone()),
            Note::Comment(text) => {
                let inner = text.replace('{', "(").replace('}', ")");
                words.extend(format!("{{{inner}}}").split_whitespace().map(String::from));
            }
        }
    }
}

fn wrapped(words: &[String]) -> String {
    let mut lines = String::new();
    let mut length = 0;
    for word in words {
        let more = word.chars().count();
        if length > 0 && length + 1 + more > 80 {
            lines.push('\n');
            length = 0;
        } else if length > 0 {
            lines.push(' ');
            length += 1;
        }
        lines += word;
        length = if word.ends_with('\n') { 0 } else { length + more };
    }
    lines + "\n"
}
