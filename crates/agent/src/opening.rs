//! Where play begins: the start of the game, any facts, moves from the start, a step of a recorded match, or, for the chess
//! rulesheets, a FEN.

use crate::notation::{Meaning, understand};
use crate::position::Position;
use anyhow::{Context, Result, bail, ensure};
use game::{Facts, Game, Move, Names, Role, roles};
use gdl::{Rules, Symbol, Symbols, Term, TermKind};
use machine::Engine;
use play::MatchRecord;

/// Where play begins.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Opening {
    /// With the initial facts of the rules.
    #[default]
    Start,
    /// With these facts, canonical KIF each.
    Facts(Vec<String>),
    /// After these moves from the start: one for each role that has a choice, in order; forced moves are left out.
    Moves(Vec<String>),
}

impl Opening {
    /// The facts in a text: any number of them, alone, as `(true …)` or as `(init …)`, in KIF.
    ///
    /// # Errors
    /// When the text is not KIF, or has no facts.
    ///
    /// ```
    /// let opening = agent::Opening::from_facts("(true (cell 1 1 x)) ; so far\n (control o)").unwrap();
    /// assert_eq!(opening, agent::Opening::Facts(vec!["(cell 1 1 x)".into(), "(control o)".into()]));
    /// ```
    pub fn from_facts(text: &str) -> Result<Opening> {
        ensure!(play::text::is_whole(text), "the facts are not KIF: parentheses do not match");
        let mut facts = Vec::new();
        for member in play::text::members(text) {
            let fact = play::text::tidy(member).with_context(|| format!("{member} is not a fact"))?;
            let inside = ["(true ", "(init "].iter().find_map(|head| fact.strip_prefix(head)?.strip_suffix(')'));
            facts.push(inside.map_or(fact.clone(), str::to_string));
        }
        ensure!(!facts.is_empty(), "there are no facts; write them in KIF, such as (cell 1 1 x) (control o)");
        Ok(Opening::Facts(facts))
    }

    /// The moves in a text: one a line or between semicolons, or else words and lists in KIF (`e2e4 e7e5`,
    /// `(mark 1 1) (mark 2 2)`).
    pub fn from_moves(text: &str) -> Opening {
        let parted = text.contains([';', '\n']);
        let moves: Vec<String> = match parted {
            true => {
                text.split([';', '\n']).map(|part| part.trim().to_string()).filter(|part| !part.is_empty()).collect()
            }
            false => play::text::members(text).into_iter().map(str::to_string).collect(),
        };
        Opening::Moves(moves)
    }

    /// The position after so many steps of a recorded match; without a number, after all of them.
    ///
    /// # Errors
    /// When the record has no such step.
    pub fn from_record(record: &MatchRecord, step: Option<usize>) -> Result<Opening> {
        let last = record.states.len().checked_sub(1).context("the record has no states")?;
        let step = step.unwrap_or(last);
        let facts = record.facts(step).with_context(|| format!("the record has the steps 0 to {last}, not {step}"))?;
        Ok(Opening::Facts(facts))
    }

    /// The position of a FEN, in the words of the rulesheet of this name: `chess`, `kqkr` or `krk`.
    ///
    /// # Errors
    /// When the text is no FEN, or the rulesheet is not one of these.
    pub fn from_fen(fen: &str, sheet: &str) -> Result<Opening> {
        facts_of_fen(fen, sheet).map(Opening::Facts)
    }

    /// The position.
    ///
    /// # Errors
    /// When a fact or a move is not one of this game; the message names it and what there is instead.
    pub fn open(&self, engine: &Engine) -> Result<Position> {
        match self {
            Opening::Start => Ok(Position::start(engine.clone())),
            Opening::Facts(facts) => from_facts(engine, facts),
            Opening::Moves(moves) => from_moves(engine, moves),
        }
    }
}

fn from_facts(engine: &Engine, facts: &[String]) -> Result<Position> {
    let texts: Vec<&str> = facts.iter().map(String::as_str).collect();
    if let Some(state) = engine.state_of(&texts) {
        return Ok(Position::new(engine.clone(), state));
    }
    if let Some(unknown) = facts.iter().find(|fact| engine.fact(fact).is_none()) {
        let functor = unknown.trim_start_matches('(').split([' ', ')']).next().unwrap_or("").to_lowercase();
        let alike: Vec<String> = engine.facts(&engine.start());
        let alike = alike.iter().find(|fact| fact.trim_start_matches('(').to_lowercase().starts_with(&functor));
        let hint = alike.map_or(String::new(), |fact| format!("; the start has {fact}"));
        bail!("{unknown} can never be a fact of this game{hint}");
    }
    let given: std::collections::BTreeSet<&str> = texts.iter().copied().collect();
    let missing: Vec<String> =
        engine.facts(&engine.start()).into_iter().filter(|fact| !given.contains(fact.as_str())).take(5).collect();
    bail!(
        "these facts alone are no state of this game; facts that hold at its start and are missing: {}",
        missing.join(" ")
    )
}

/// The same rules, begun with other facts: what managers, players and solvers need who know rules and nothing else. The
/// order of moves stays, because symbols keep their numbers.
///
/// # Errors
/// When a fact cannot be read.
///
/// ```
/// let rules = gdl::parse(library::find("nim").unwrap().rules).rules;
/// let later = agent::opening::beginning_with(&rules, &["(heap a 1)".into(), "(control player1)".into()]).unwrap();
/// assert!(gdl::print(&later, gdl::Form::Kif).contains("(init (heap a 1))"));
/// ```
pub fn beginning_with(rules: &Rules, facts: &[String]) -> Result<Rules> {
    let text: String = facts.iter().map(|fact| format!("(init {fact})\n")).collect();
    let parsed = gdl::parse(&text);
    if let Some(problem) = parsed.problems.first() {
        bail!("the facts cannot be read: {}", problem.message);
    }
    let mut later = rules.clone();
    later.clauses.retain(|clause| clause.head.name != Symbol::INIT);
    for mut clause in parsed.rules.clauses {
        for term in &mut clause.head.args {
            translate(term, &parsed.rules.symbols, &mut later.symbols);
        }
        later.clauses.push(clause);
    }
    Ok(later)
}

fn translate(term: &mut Term, from: &Symbols, to: &mut Symbols) {
    match &mut term.kind {
        TermKind::Var(_) => {}
        TermKind::Name(symbol) => *symbol = to.intern(from.name(*symbol)),
        TermKind::Call(symbol, args) => {
            *symbol = to.intern(from.name(*symbol));
            args.iter_mut().for_each(|arg| translate(arg, from, to));
        }
    }
}

/// The moves that this role means by a word.
fn chosen(position: &mut Position, role: Role, text: &str) -> Result<Move> {
    let legal = position.legal(role)?;
    let texts: Vec<String> = legal.iter().map(|&mv| position.engine().move_text(mv)).collect();
    let name = position.engine().role_name(role).to_string();
    let some = |which: &[usize]| which.iter().take(8).map(|&at| texts[at].as_str()).collect::<Vec<_>>().join(" ");
    match understand(text, &texts) {
        Meaning::One(at) => Ok(legal[at]),
        Meaning::Several(which) => bail!("{text:?} could be several moves of {name}: {}", some(&which)),
        Meaning::Unknown => {
            let all: Vec<usize> = (0..texts.len()).collect();
            let more = if texts.len() > 8 { " …" } else { "" };
            bail!("{name} has no legal move {text:?} there; these are: {}{more}", some(&all))
        }
    }
}

/// Plays moves from the start, and then what nobody decides.
fn from_moves(engine: &Engine, moves: &[String]) -> Result<Position> {
    let mut position = Position::start(engine.clone());
    follow(&mut position, moves)?;
    if !moves.is_empty() {
        settle(&mut position)?;
    }
    Ok(position)
}

/// Plays moves: every role that has a choice takes the next one; what is forced need not be written, but may be.
///
/// # Errors
/// When one of them is not legal; the message names it and what there is instead.
pub fn follow(position: &mut Position, moves: &[String]) -> Result<()> {
    let engine = position.engine().clone();
    let joined = [moves.join(" ")];
    let moves = if is_one_move(position, moves, &joined[0])? { &joined } else { moves };
    let mut left = moves.iter().peekable();
    let mut number = 0;
    while left.peek().is_some() {
        number += 1;
        ensure!(!position.is_over()?, "the game is over before move {number}, {:?}", left.peek().map_or("", |t| t));
        let mut joint = Vec::new();
        let mut took = false;
        for role in roles(&engine) {
            let legal = position.legal(role)?;
            match legal[..] {
                [] => bail!("{} has no legal move at move {number}: the rules are faulty", engine.role_name(role)),
                [only] => {
                    let is_written = left.peek().is_some_and(|text| same(text, &engine.move_text(only)));
                    if is_written {
                        left.next();
                        took = true;
                    }
                    joint.push(only);
                }
                _ => {
                    let name = engine.role_name(role);
                    let text =
                        left.next().with_context(|| format!("the move of {name} is missing at move {number}"))?;
                    joint.push(chosen(position, role, text).with_context(|| format!("move {number}"))?);
                    took = true;
                }
            }
        }
        if !took && number > 100_000 {
            bail!("nobody has a choice any more, and {:?} is never played", left.peek().map_or("", |text| text));
        }
        position.play(&joint)?;
    }
    Ok(())
}

/// Plays on what nobody decides, to the next decision or the end, or for a thousand moves.
///
/// # Errors
/// When the engine reaches a limit.
pub fn settle(position: &mut Position) -> Result<()> {
    let engine = position.engine().clone();
    for _ in 0..1000 {
        if position.is_over()? {
            break;
        }
        let mut joint = Vec::new();
        for role in roles(&engine) {
            match position.legal(role)?[..] {
                [only] => joint.push(only),
                _ => return Ok(()),
            }
        }
        position.play(&joint)?;
    }
    Ok(())
}

/// Whether words without parentheses are the name of one move of the start (`take a 3`), and not several moves.
fn is_one_move(position: &mut Position, words: &[String], joined: &str) -> Result<bool> {
    if words.len() < 2 {
        return Ok(false);
    }
    for role in roles(&position.engine().clone()) {
        let legal = position.legal(role)?;
        if legal.len() > 1 && legal.iter().any(|&mv| same(joined, &position.engine().move_text(mv))) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn same(typed: &str, text: &str) -> bool {
    crate::notation::loose(typed) == crate::notation::loose(text)
}

/// The facts of a FEN, in the words of one of the chess rulesheets.
fn facts_of_fen(fen: &str, sheet: &str) -> Result<Vec<String>> {
    let (clock, blanks) = match sheet {
        "chess" => ("quiet", true),
        "kqkr" => ("quiet", false),
        "krk" => ("step", false),
        other => bail!("{other} has no FEN; chess, kqkr and krk have (`--facts` takes any position)"),
    };
    let mut fields = fen.split_whitespace();
    let board = fields.next().context("the FEN is empty")?;
    let turn = match fields.next() {
        Some("w") => "white",
        Some("b") => "black",
        other => bail!("the second field of a FEN is w or b, not {:?}", other.unwrap_or("nothing")),
    };
    let mut facts = vec![format!("(control {turn})")];
    let ranks: Vec<&str> = board.split('/').collect();
    ensure!(ranks.len() == 8, "the board of a FEN has 8 ranks, not {}", ranks.len());
    for (rank, row) in (1..=8).rev().zip(ranks) {
        let mut files = 'a'..='h';
        for c in row.chars() {
            let mut file =
                || files.next().with_context(|| format!("rank {rank} of the FEN, {row:?}, has more than 8 squares"));
            match c.to_digit(10) {
                Some(empty) => {
                    for _ in 0..empty {
                        let file = file()?;
                        facts.extend(blanks.then(|| format!("(cell {file} {rank} blank)")));
                    }
                }
                None => {
                    ensure!("kqrbnp".contains(c.to_ascii_lowercase()), "{c:?} is no piece, in rank {rank} of the FEN");
                    let colour = if c.is_ascii_uppercase() { 'w' } else { 'b' };
                    facts.push(format!("(cell {} {rank} {colour}{})", file()?, c.to_ascii_lowercase()));
                }
            }
        }
        ensure!(files.next().is_none(), "rank {rank} of the FEN, {row:?}, has fewer than 8 squares");
    }
    let castling = fields.next().unwrap_or("-");
    for c in castling.chars().filter(|c| *c != '-') {
        let (colour, side) = match c {
            'K' => ("white", "kingside"),
            'Q' => ("white", "queenside"),
            'k' => ("black", "kingside"),
            'q' => ("black", "queenside"),
            other => bail!("{other:?} is no castling right; K, Q, k and q are"),
        };
        ensure!(sheet == "chess", "nobody castles in {sheet}: write - for the castling rights");
        facts.push(format!("(castling {colour} {side})"));
    }
    if let Some(file) = fields.next().and_then(|square| square.chars().next()).filter(|c| *c != '-') {
        ensure!(sheet == "chess" && ('a'..='h').contains(&file), "there is no en passant on file {file:?} in {sheet}");
        facts.push(format!("(double_step {file})"));
    }
    let quiet: u32 = match fields.next() {
        None => 0,
        Some(text) => text.parse().with_context(|| format!("{text:?} is no number of half-moves"))?,
    };
    ensure!(quiet <= 100, "the clock of {sheet} ends at 100 half-moves, and the FEN has {quiet}");
    facts.push(format!("({clock} {quiet})"));
    Ok(facts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::Loader;

    fn engine(name: &str) -> Engine {
        let rules = gdl::parse(library::find(name).expect("it is in the library").rules).rules;
        Loader::new(&rules).best().expect("it can be played").engine
    }

    #[test]
    fn moves_lead_where_facts_say() {
        let nim = engine("nim");
        let moves = Opening::Moves(vec!["take a 1".into(), "(take b 2)".into()]).open(&nim).expect("legal moves");
        let facts = Opening::Facts(moves.facts()).open(&nim).expect("a state");
        assert_eq!(moves.state(), facts.state());
        let one = Opening::from_moves("take a 1").open(&nim).expect("one legal move, written without parentheses");
        assert_eq!(one.state(), Opening::from_moves("(take a 1)").open(&nim).expect("the same").state());
        let error = Opening::Moves(vec!["take z 1".into()]).open(&nim).err().expect("no such move").to_string();
        assert!(error.contains("move 1"), "{error}");
        let error = Opening::Facts(vec!["(heap z 1)".into()]).open(&nim).err().expect("no such fact").to_string();
        assert!(error.contains("can never be a fact of this game; the start has (heap"), "{error}");
    }

    #[test]
    fn positions_of_chess() {
        let chess = engine("chess");
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let position = Opening::from_fen(start, "chess").and_then(|opening| opening.open(&chess)).expect("the start");
        assert_eq!(position.state(), &chess.start());
        let after = Opening::from_moves("e2e4 e5 Nf3").open(&chess).expect("legal moves");
        let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2";
        let position = Opening::from_fen(fen, "chess").and_then(|opening| opening.open(&chess)).expect("a position");
        assert_eq!(position.facts(), after.facts());
        for (fen, part) in [
            ("8/8/8/8 w - -", "8 ranks"),
            ("9/8/8/8/8/8/8/8 w - -", "more than 8"),
            ("7/8/8/8/8/8/8/8 w - -", "fewer than 8"),
            ("x7/8/8/8/8/8/8/8 w - -", "no piece"),
            ("8/8/8/8/8/8/8/8 white - -", "w or b"),
            ("8/8/8/8/8/8/8/8 w - - 101 1", "100"),
        ] {
            let error = Opening::from_fen(fen, "chess").expect_err(fen).to_string();
            assert!(error.contains(part), "{fen}: {error}");
        }
        assert!(Opening::from_fen(start, "krk").is_err());
    }
}
