//! A position as the page gets it: boards as SVG, what is on none, who may do what and how it is entered, and what tables say.

use crate::clicks::{self, Way};
use crate::games::{Game, Stand};
use game::{Names, Role};
use serde::Serialize;
use std::collections::BTreeMap;
use study::picture::{Picture, Use, board_svg};
use table::oracle::{Value, Verdict};

/// More legal moves than this of one role are not sent.
const MOST_MOVES: usize = 5000;

/// A position to be shown.
#[derive(Serialize)]
pub struct Scene {
    /// The boards.
    pub boards: Vec<BoardScene>,
    /// What is on no board, by name.
    pub rest: Vec<Group>,
    /// The moves of every role.
    pub legal: Vec<Moves>,
    /// The goals, where the game is over.
    pub goals: Option<Vec<Option<u8>>>,
    /// The role that has no move although the game is not over: the rules are faulty.
    pub stuck: Option<usize>,
    /// What tables say.
    pub table: Option<TableScene>,
    /// The facts, for those who want them.
    pub facts: Vec<String>,
}

/// A board.
#[derive(Serialize)]
pub struct BoardScene {
    /// Its name, where there are several.
    pub title: Option<String>,
    /// Who joins which of its sides, where that is what it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joins: Option<String>,
    /// As an SVG element.
    pub svg: String,
}

/// Facts of one name.
#[derive(Serialize)]
pub struct Group {
    /// The name.
    pub name: String,
    /// The arguments of each.
    pub rows: Vec<Vec<String>>,
}

/// The moves of a role.
#[derive(Serialize, Default)]
pub struct Moves {
    /// The moves, in words and clicks.
    pub moves: Vec<OneMove>,
    /// How many were left out because there are too many.
    pub left_out: usize,
}

/// A move.
#[derive(Serialize)]
pub struct OneMove {
    /// In the words of the rules.
    #[serde(rename = "move")]
    pub text: String,
    /// How it is entered on the board.
    pub way: Way,
}

/// What tables say of a position.
#[derive(Serialize)]
pub struct TableScene {
    /// Which tables.
    pub what: String,
    /// What they say, for people.
    pub words: String,
    /// Every move with what is known behind it, the best first.
    pub moves: Vec<TableMove>,
}

/// What tables say of a move.
#[derive(Serialize)]
pub struct TableMove {
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// What is known after it.
    pub words: String,
    /// What it is worth to the role that moves: win, draw, loss, or nothing is known.
    pub class: &'static str,
    /// Whether no move is better.
    pub best: bool,
}

/// Which things of this picture have other names than in the rules: none, but roles and their signs are told.
pub fn picture(game: &Game, facts: &[String], before: Option<&[String]>) -> Picture {
    game.layout.picture(facts, before)
}

/// How the moves of a role are entered.
pub fn ways(game: &Game, stand: &Stand, role: usize) -> Vec<Way> {
    let picture = picture(game, &stand.facts, None);
    let after = |at: usize| {
        let mut joint = Vec::new();
        for (other, moves) in stand.legal.iter().enumerate() {
            joint.push(if other == role { moves.get(at)?.clone() } else { moves.first()?.clone() });
        }
        let next = game.follow(stand, &joint).ok()?;
        Some(game.layout.picture(&next.facts, None))
    };
    clicks::ways(&game.roles[role], &stand.legal[role], &picture, &after)
}

/// The picture of a position for the page.
pub fn scene(game: &Game, stand: &Stand, before: Option<&Stand>) -> Scene {
    let drawn = picture(game, &stand.facts, before.map(|stand| &stand.facts[..]));
    let boards = boards(&drawn);
    let legal = (0..game.roles.len()).map(|role| moves(game, stand, role)).collect();
    let stuck = if stand.is_over() { None } else { stand.legal.iter().position(Vec::is_empty) };
    let (rest, goals, facts) = (groups(&drawn.rest), stand.goals.clone(), stand.facts.clone());
    Scene { boards, rest, legal, goals, stuck, table: table(game, stand), facts }
}

/// A position of which only the facts and the moves of one side are known.
pub fn still(game: &Game, facts: &[String], before: Option<&[String]>, moves: Vec<OneMove>) -> Scene {
    let drawn = picture(game, facts, before);
    let (boards, rest) = (boards(&drawn), groups(&drawn.rest));
    let legal = vec![Moves { moves, left_out: 0 }];
    Scene { boards, rest, legal, goals: None, stuck: None, table: None, facts: facts.to_vec() }
}

/// The boards of a picture, to be clicked on.
fn boards(drawn: &Picture) -> Vec<BoardScene> {
    (0..drawn.boards.len())
        .map(|at| BoardScene {
            title: drawn.boards[at].title.clone(),
            joins: drawn.boards[at].joins(),
            svg: board_svg(drawn, at, Use::Grid),
        })
        .filter(|board| !board.svg.is_empty())
        .collect()
}

fn moves(game: &Game, stand: &Stand, role: usize) -> Moves {
    let all = &stand.legal[role];
    // Whoever waits has one word to say.
    if let [only] = &all[..]
        && !only.starts_with('(')
    {
        return Moves { moves: vec![OneMove { text: only.clone(), way: Way::new() }], left_out: 0 };
    }
    if all.len() > MOST_MOVES {
        let moves = all.iter().take(MOST_MOVES).map(|text| OneMove { text: text.clone(), way: Way::new() }).collect();
        return Moves { moves, left_out: all.len() - MOST_MOVES };
    }
    let ways = ways(game, stand, role);
    let moves = all.iter().zip(ways).map(|(text, way)| OneMove { text: text.clone(), way }).collect();
    Moves { moves, left_out: 0 }
}

/// Facts by their names.
fn groups(facts: &[String]) -> Vec<Group> {
    let mut groups: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    for fact in facts {
        let inner = fact.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let (name, args) = match inner {
            None => (fact.clone(), Vec::new()),
            Some(inner) => {
                let members = play::text::members(inner);
                let name = members.first().map_or("", |name| name).to_string();
                (name, members.iter().skip(1).map(|arg| arg.to_string()).collect())
            }
        };
        groups.entry(name).or_default().push(args);
    }
    groups.into_iter().map(|(name, rows)| Group { name, rows }).collect()
}

/// What tables say, where there are any.
pub fn table(game: &Game, stand: &Stand) -> Option<TableScene> {
    let knowledge = &game.knowledge;
    let thoughts = agent::TableThoughts::new(&knowledge.oracles, &game.rules, &game.engine, &stand.state)?;
    let choices = knowledge.oracles.choices(&game.rules, &game.engine, &stand.state).unwrap_or_default();
    let moves = choices
        .iter()
        .map(|choice| {
            let role = choice.role;
            let words = choice.verdict.map(|verdict| agent::oracles::in_words(&verdict, &game.roles));
            let class = choice.verdict.map_or("unknown", |verdict| class(&verdict, role));
            TableMove {
                text: game.engine.move_text(choice.joint[usize::from(role.0)]),
                words: words.unwrap_or_else(|| "not known".to_string()),
                class,
                best: choice.best && choice.verdict.is_some(),
            }
        })
        .collect();
    Some(TableScene { what: thoughts.what, words: thoughts.words, moves })
}

/// The longest line that is told.
const LONGEST_LINE: usize = 300;

/// What the tables play for everybody from a position on, step by step: the moves of those who have a choice.
///
/// # Errors
/// When the engine reaches a limit.
pub fn line(game: &Game, mut stand: Stand) -> anyhow::Result<Vec<Vec<String>>> {
    let mut line = Vec::new();
    while !stand.is_over() && line.len() < LONGEST_LINE {
        let choices = game.knowledge.oracles.choices(&game.rules, &game.engine, &stand.state).unwrap_or_default();
        let Some(best) = choices.iter().find(|choice| choice.best && choice.verdict.is_some()) else { break };
        let joint: Vec<String> = best.joint.iter().map(|&mv| game.engine.move_text(mv)).collect();
        stand = game.follow(&stand, &joint)?;
        line.push(joint);
    }
    Ok(line)
}

/// What a verdict is worth to a role.
fn class(verdict: &Verdict, role: Role) -> &'static str {
    let (least, most) = verdict.bounds(role);
    let (low, high) = if matches!(verdict.value, Value::Lead(_)) { (0, 0) } else { (0, 99) };
    match () {
        () if least > high => "win",
        () if most < low || most == 0 && high > 0 => "loss",
        () if least == most => "draw",
        () => "unknown",
    }
}
