//! The record of a match, in the JSON that existing tools read, and the check whether a text is one.

use crate::text::{inside, is_whole, members, tidy};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The record of a match. Lists only grow while a match goes on.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MatchRecord {
    /// The match.
    pub match_id: String,
    /// When it began, in milliseconds since 1970.
    pub start_time: u64,
    /// Something that nobody else has: 12 characters or more.
    pub random_token: String,
    /// Seconds until the first move.
    pub start_clock: u64,
    /// Seconds for each move.
    pub play_clock: u64,
    /// Where the game is described. Existing readers want it; managers leave it out for games of their own.
    #[serde(rename = "gameMetaURL", default, skip_serializing_if = "Option::is_none")]
    pub game_meta_url: Option<String>,
    /// The name of the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game_name: Option<String>,
    /// The roles in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub game_role_names: Vec<String>,
    /// Who plays them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub player_names_from_host: Vec<String>,
    /// Which of them are people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub is_player_human: Vec<bool>,
    /// Whether the players saw other words than those of this record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scrambled: Option<bool>,
    /// The tournament it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tournament_name_from_host: Option<String>,
    /// The states, as KIF.
    pub states: Vec<String>,
    /// The joint moves between them.
    pub moves: Vec<Vec<String>>,
    /// When each state was reached, in milliseconds since 1970.
    pub state_times: Vec<u64>,
    /// What was wrong with the answers that led to each state, role by role.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Vec<String>>,
    /// Whether the game came to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_completed: Option<bool>,
    /// Whether it was given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_aborted: Option<bool>,
    /// The goals of all roles at the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goal_values: Vec<u8>,
    /// Whatever else there is to tell; names begin with `x-`.
    #[serde(flatten)]
    pub more: BTreeMap<String, Value>,
}

/// What a record must have.
const REQUIRED: [&str; 8] =
    ["matchId", "startTime", "randomToken", "startClock", "playClock", "states", "moves", "stateTimes"];

/// What it may have; and anything that begins with `x-`.
const OPTIONAL: [&str; 16] = [
    "gameMetaURL",
    "isCompleted",
    "isAborted",
    "goalValues",
    "errors",
    "previewClock",
    "analysisClock",
    "weight",
    "playerNamesFromHost",
    "isPlayerHuman",
    "tournamentNameFromHost",
    "scrambled",
    "gameName",
    "gameRoleNames",
    "matchHostPK",
    "matchHostSignature",
];

impl MatchRecord {
    /// The record as JSON in one line.
    pub fn to_json(&self) -> String {
        // Numbers, texts and lists of these: nothing that could not be written.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads a record, or tells everything that is wrong with it.
    ///
    /// ```
    /// let problems = play::MatchRecord::read(r#"{"matchId": "m", "colour": "red"}"#).unwrap_err();
    /// assert!(problems.contains(&"`colour` is no field of a match record".to_string()));
    /// assert!(problems.contains(&"`states` is missing".to_string()));
    /// ```
    pub fn read(text: &str) -> Result<MatchRecord, Vec<String>> {
        let value: Value = serde_json::from_str(text).map_err(|error| vec![format!("this is not JSON: {error}")])?;
        let Value::Object(fields) = &value else { return Err(vec!["this is not a JSON object".to_string()]) };
        let mut problems = form(fields);
        problems.extend(kinds(fields));
        if !problems.is_empty() {
            return Err(problems);
        }
        let record: MatchRecord = serde_json::from_value(value).map_err(|error| vec![error.to_string()])?;
        problems = record.problems();
        if problems.is_empty() { Ok(record) } else { Err(problems) }
    }

    /// The facts of a recorded state, in canonical form; `None` if there is no such state or it cannot be read.
    pub fn facts(&self, state: usize) -> Option<Vec<String>> {
        members(inside(self.states.get(state)?)?).into_iter().map(tidy).collect()
    }

    /// Everything in which the parts do not fit together.
    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let mut must = |holds: bool, what: &str| {
            if !holds {
                problems.push(what.to_string());
            }
        };
        let states = self.states.len();
        must(!self.match_id.is_empty(), "`matchId` is empty");
        must(self.game_meta_url.as_ref().is_none_or(|url| !url.is_empty()), "`gameMetaURL` is empty");
        must(self.random_token.chars().count() >= 12, "`randomToken` has fewer than 12 characters");
        must(states == self.moves.len() + 1, "there must be one state more than moves");
        must(states == self.state_times.len(), "`stateTimes` must be as long as `states`");
        must(self.errors.is_empty() || states == self.errors.len(), "`errors` must be as long as `states`");
        must(self.state_times.is_sorted(), "`stateTimes` must not go back");
        must(
            self.state_times.first().is_none_or(|&first| first >= self.start_time),
            "the first state is before `startTime`",
        );
        must(
            self.states.iter().all(|state| inside(state).is_some() && is_whole(state) && members(state).len() == 1),
            "a state is not a list of facts",
        );
        must(self.moves.iter().flatten().all(|mv| tidy(mv).is_some()), "a move is not a term");
        let roles = [self.game_role_names.len(), self.player_names_from_host.len(), self.is_player_human.len()];
        let roles: Vec<usize> = roles.into_iter().filter(|&count| count > 0).collect();
        let rows = self.moves.iter().chain(&self.errors).map(Vec::len);
        let rows = rows.chain((!self.goal_values.is_empty()).then_some(self.goal_values.len()));
        let counts: Vec<usize> = roles.into_iter().chain(rows).collect();
        must(counts.windows(2).all(|pair| pair[0] == pair[1]), "not everything has one entry for each role");
        must(self.goal_values.iter().all(|&goal| goal <= 100), "a goal is above 100");
        let known = |error: &String| matches!(&error[..], "" | "TO" | "CE" | "IL") || error.starts_with("IL ");
        must(self.errors.iter().flatten().all(known), "an error is none of TO, CE, IL <move>");
        must(self.is_completed != Some(true) || self.is_aborted != Some(true), "a match is both completed and aborted");
        must(self.is_completed != Some(true) || !self.goal_values.is_empty(), "a completed match has no `goalValues`");
        problems
    }

    /// Whether this can be the same match, some time later: everything that was there still is.
    pub fn continues(&self, earlier: &MatchRecord) -> bool {
        self.match_id == earlier.match_id
            && self.random_token == earlier.random_token
            && self.start_time == earlier.start_time
            && self.states.starts_with(&earlier.states)
            && self.moves.starts_with(&earlier.moves)
            && self.state_times.starts_with(&earlier.state_times)
            && self.errors.starts_with(&earlier.errors)
            && earlier.is_completed != Some(true)
            && earlier.is_aborted != Some(true)
    }
}

/// Fields that are missing, that nobody knows, or that are null.
fn form(fields: &Map<String, Value>) -> Vec<String> {
    let mut problems = Vec::new();
    for name in REQUIRED.iter().filter(|name| !fields.contains_key(**name)) {
        problems.push(format!("`{name}` is missing"));
    }
    for (name, value) in fields {
        if !REQUIRED.contains(&&name[..]) && !OPTIONAL.contains(&&name[..]) && !name.starts_with("x-") {
            problems.push(format!("`{name}` is no field of a match record"));
        }
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            match value {
                Value::Null => problems.push(format!("there is a null in `{name}`")),
                Value::Array(items) => open.extend(items),
                Value::Object(entries) => open.extend(entries.values()),
                _ => {}
            }
        }
    }
    problems
}

/// Fields whose values are of a wrong kind: each is tried in a record that has nothing else wrong with it.
fn kinds(fields: &Map<String, Value>) -> Vec<String> {
    let Ok(Value::Object(good)) = serde_json::to_value(MatchRecord::default()) else { return Vec::new() };
    let wrong = |(name, value): (&String, &Value)| {
        let mut tried = good.clone();
        tried.insert(name.clone(), value.clone());
        let error = serde_json::from_value::<MatchRecord>(Value::Object(tried)).err()?;
        // What is null is told elsewhere.
        (!value.is_null()).then(|| format!("`{name}`: {error}"))
    };
    fields.iter().filter_map(wrong).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> MatchRecord {
        MatchRecord {
            match_id: "m".into(),
            start_time: 5,
            random_token: "0123456789ab".into(),
            start_clock: 1,
            play_clock: 1,
            game_meta_url: Some("ludens:games/nim".into()),
            game_role_names: vec!["a".into(), "b".into()],
            states: vec!["( (heap 1) )".into(), "( )".into()],
            moves: vec![vec!["(take 1)".into(), "noop".into()]],
            state_times: vec![6, 7],
            errors: vec![vec![String::new(); 2], vec!["IL (take 9)".into(), String::new()]],
            is_completed: Some(true),
            goal_values: vec![0, 100],
            more: BTreeMap::from([("x-steps".to_string(), Value::from(1))]),
            ..MatchRecord::default()
        }
    }

    #[test]
    fn there_and_back() {
        let record = record();
        let json = record.to_json();
        assert!(!json.contains("null"), "{json}");
        assert_eq!(MatchRecord::read(&json), Ok(record));
    }

    #[test]
    fn a_record_of_a_game_that_has_no_address() {
        // As the usual manager writes it for a local game: no address, a preview clock that is none.
        let text = r#"{"startClock":30,"playClock":15,"previewClock":-1,"matchId":"tictactoe.123","startTime":1400000000000,
            "randomToken":"abcdefghijklmnopqrstuvwxyzabcdef","isCompleted":true,"isAborted":false,"scrambled":false,
            "states":["( ( control x ) )","( ( control o ) )"],"moves":[["( mark 1 1 )","noop"]],
            "stateTimes":[1400000000000,1400000000500],"errors":[["",""],["",""]],"goalValues":[100,0],
            "playerNamesFromHost":["A","B"]}"#;
        let record = MatchRecord::read(text).expect("it is a record");
        assert_eq!(record.game_meta_url, None);
        assert_eq!(record.facts(0), Some(vec!["(control x)".to_string()]));
        assert!(!record.to_json().contains("gameMetaURL"));
    }

    /// One change to a record, and what is then wrong with it.
    type Spoiled = (fn(&mut MatchRecord), &'static str);

    #[test]
    fn what_does_not_fit_is_told() {
        let changes: [Spoiled; 9] = [
            (|r| r.random_token = "short".into(), "`randomToken` has fewer than 12 characters"),
            (|r| drop(r.states.pop()), "there must be one state more than moves"),
            (|r| r.state_times = vec![6], "`stateTimes` must be as long as `states`"),
            (|r| drop(r.errors.pop()), "`errors` must be as long as `states`"),
            (|r| r.state_times = vec![7, 6], "`stateTimes` must not go back"),
            (|r| r.states[0] = "(heap 1".into(), "a state is not a list of facts"),
            (|r| r.moves[0] = vec!["noop".into()], "not everything has one entry for each role"),
            (|r| r.errors[0][0] = "LATE".into(), "an error is none of TO, CE, IL <move>"),
            (|r| r.is_aborted = Some(true), "a match is both completed and aborted"),
        ];
        for (change, problem) in changes {
            let mut spoiled = record();
            change(&mut spoiled);
            let problems = MatchRecord::read(&spoiled.to_json()).expect_err(problem);
            assert!(problems.contains(&problem.to_string()), "{problem}: {problems:?}");
        }
        for (from, to, problem) in [
            ("\"startClock\":1", "\"startClock\":\"one\"", "`startClock`: invalid type: string \"one\", expected u64"),
            ("\"startTime\":5", "\"startTime\":-5", "`startTime`: invalid value: integer `-5`, expected u64"),
            (
                "\"isCompleted\":true",
                "\"isCompleted\":1",
                "`isCompleted`: invalid type: integer `1`, expected a boolean",
            ),
            ("[0,100]", "[0,300]", "`goalValues`: invalid value: integer `300`, expected u8"),
        ] {
            let json = record().to_json().replace(from, to);
            assert_eq!(MatchRecord::read(&json), Err(vec![problem.to_string()]));
        }
        assert!(MatchRecord::read("[]").is_err());
        let json = record().to_json().replace("\"x-steps\":1", "\"x-steps\":null");
        assert_eq!(MatchRecord::read(&json), Err(vec!["there is a null in `x-steps`".to_string()]));
    }

    #[test]
    fn a_record_only_grows() {
        let later = record();
        let mut earlier = record();
        earlier.states.pop();
        earlier.moves.pop();
        earlier.errors.pop();
        earlier.state_times.pop();
        earlier.is_completed = None;
        earlier.goal_values.clear();
        assert!(later.continues(&earlier) && !earlier.continues(&later));
    }
}
