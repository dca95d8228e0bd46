//! What a match tells: as a whole to those who open its page, and piece by piece to those who listen.

use super::{Inside, Match, Seat};
use crate::games::Stand;
use crate::scene::{self, Scene};
use agent::Thoughts;
use anyhow::{Context, Result};
use play::MatchRecord;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What was thought at a position, in short.
#[derive(Clone, Serialize)]
pub struct Thought {
    /// For which role.
    pub role: usize,
    /// What it expected for itself, from 0 to 100.
    pub value: f32,
    /// Whether that is proven.
    pub proven: bool,
    /// The move it preferred.
    pub best: Option<String>,
}

impl Thought {
    pub(super) fn of(role: usize, thoughts: &Thoughts) -> Thought {
        Thought { role, value: thoughts.value, proven: thoughts.proven, best: thoughts.best.clone() }
    }
}

/// What is said of a move after the game.
#[derive(Clone, Serialize)]
pub struct Mark {
    /// `??`, `?` or nothing.
    pub sign: &'static str,
    /// In words.
    pub words: String,
}

/// A position as the page lists it.
#[derive(Serialize)]
pub struct NodeView<'a> {
    id: usize,
    parent: Option<usize>,
    moves: &'a [String],
    /// For each role whether it had a choice when it made its move.
    chose: Vec<bool>,
    over: bool,
    goals: &'a Option<Vec<Option<u8>>>,
    thought: &'a Option<Thought>,
    mark: &'a Option<Mark>,
}

/// A match as a whole.
#[derive(Serialize)]
pub struct Overview {
    id: String,
    game: String,
    title: String,
    roles: Vec<String>,
    nodes: Value,
    state: Value,
}

impl Match {
    fn node_view<'a>(inside: &'a Inside, at: usize) -> NodeView<'a> {
        let node = &inside.nodes[at];
        let before = node.parent.map(|parent| &inside.nodes[parent].stand);
        let chose = |stand: &Stand| stand.legal.iter().map(|moves| moves.len() > 1).collect();
        NodeView {
            id: at,
            parent: node.parent,
            moves: &node.joint,
            chose: before.map(chose).unwrap_or_default(),
            over: node.stand.is_over(),
            goals: &node.stand.goals,
            thought: &node.thought,
            mark: &node.mark,
        }
    }

    fn state_view(inside: &Inside) -> Value {
        let pending: Vec<bool> = inside.pending.iter().map(Option::is_some).collect();
        json!({
            "current": inside.current, "pending": pending, "paused": inside.paused, "delay": inside.delay,
            "thinking": inside.thinking, "resigned": inside.resigned, "trouble": inside.trouble,
            "seats": inside.seats, "levels": inside.seats.iter().map(label).collect::<Vec<_>>(),
        })
    }

    /// The match as it is.
    pub fn overview(&self) -> Overview {
        let mut inside = self.lock();
        inside.used = std::time::Instant::now();
        let nodes: Vec<NodeView<'_>> = (0..inside.nodes.len()).map(|at| Match::node_view(&inside, at)).collect();
        Overview {
            id: self.id.clone(),
            game: self.game.key.clone(),
            title: self.game.title.clone(),
            roles: self.game.roles.clone(),
            nodes: json!(nodes),
            state: Match::state_view(&inside),
        }
    }

    /// A line about the match, for lists.
    pub fn line(&self) -> Value {
        let inside = self.lock();
        let node = &inside.nodes[inside.current];
        json!({
            "id": self.id, "game": self.game.key, "title": self.game.title, "steps": depth(&inside, inside.current),
            "over": node.stand.is_over(), "goals": node.stand.goals, "roles": self.game.roles, "begun": self.begun,
            "players": inside.seats.iter().map(label).collect::<Vec<_>>(), "resigned": inside.resigned,
        })
    }

    /// A position of the match as the page draws it.
    ///
    /// # Errors
    /// When there is no such position.
    pub fn scene(&self, node: usize) -> Result<Scene> {
        let (stand, before) = self.stands(node)?;
        Ok(scene::scene(&self.game, &stand, before.as_ref()))
    }

    /// A position and the one before it.
    ///
    /// # Errors
    /// When there is no such position.
    pub fn stands(&self, node: usize) -> Result<(Stand, Option<Stand>)> {
        let inside = self.lock();
        let place = inside.nodes.get(node).with_context(|| format!("there is no position {node}"))?;
        Ok((place.stand.clone(), place.parent.map(|parent| inside.nodes[parent].stand.clone())))
    }

    /// The position at hand.
    pub fn current(&self) -> usize {
        self.lock().current
    }

    fn tell(&self, value: &Value) {
        // Whether anybody listens does not matter.
        let _ = self.news.send(value.to_string().into());
    }

    pub(super) fn tell_state(&self, inside: &Inside) {
        self.tell(&json!({"type": "state", "match": self.id, "state": Match::state_view(inside)}));
    }

    pub(super) fn tell_node(&self, inside: &Inside, node: usize) {
        self.tell(&json!({"type": "node", "match": self.id, "node": Match::node_view(inside, node)}));
    }

    pub(super) fn tell_thoughts(
        &self,
        node: usize,
        role: usize,
        thoughts: &Thoughts,
        seconds: f64,
        about: Option<&str>,
        is_final: bool,
    ) {
        self.tell(&json!({
            "type": "thoughts", "match": self.id, "node": node, "role": role, "seconds": seconds, "final": is_final,
            "thoughts": thoughts, "about": about,
        }));
    }

    pub(super) fn tell_words(&self, what: &str, words: &str) {
        self.tell(&json!({"type": what, "match": self.id, "words": words}));
    }

    /// The match up to a position as a record that other programs read.
    ///
    /// # Errors
    /// When there is no such position.
    pub fn record(&self, node: usize) -> Result<MatchRecord> {
        let inside = self.lock();
        inside.nodes.get(node).with_context(|| format!("there is no position {node}"))?;
        let mut path = vec![node];
        while let Some(parent) = inside.nodes[path[path.len() - 1]].parent {
            path.push(parent);
        }
        path.reverse();
        let last = &inside.nodes[node].stand;
        let mut time = self.begun;
        let mut times = Vec::new();
        for &at in &path {
            time = time.max(inside.nodes[at].time);
            times.push(time);
        }
        let more = match library::find(&self.game.key) {
            Some(_) => BTreeMap::new(),
            None => BTreeMap::from([("x-rules".to_string(), Value::from(self.game.sheet.text.to_string()))]),
        };
        Ok(MatchRecord {
            match_id: format!("studio.{}", self.id),
            start_time: self.begun,
            random_token: format!("{:0>16}", self.id),
            game_name: Some(self.game.key.clone()),
            game_role_names: self.game.roles.clone(),
            player_names_from_host: inside.seats.iter().map(label).collect(),
            is_player_human: inside.seats.iter().map(|seat| *seat == Seat::Person).collect(),
            states: path.iter().map(|&at| format!("({})", inside.nodes[at].stand.facts.join(" "))).collect(),
            moves: path.iter().skip(1).map(|&at| inside.nodes[at].joint.clone()).collect(),
            state_times: times,
            is_completed: Some(last.is_over()),
            goal_values: last.goals.iter().flatten().map(|goal| goal.unwrap_or(0)).collect(),
            more,
            ..MatchRecord::default()
        })
    }
}

fn depth(inside: &Inside, mut at: usize) -> usize {
    let mut depth = 0;
    while let Some(parent) = inside.nodes[at].parent {
        (at, depth) = (parent, depth + 1);
    }
    depth
}

/// Who sits there, in a word.
fn label(seat: &Seat) -> String {
    match seat {
        Seat::Person => "person".to_string(),
        Seat::Level { level } => format!("level {level}"),
        Seat::Player { player } => player.clone(),
    }
}
