//! A question: a position, who is to move, and the moves that keep its value. And the rules that questions name.

use anyhow::{Context, Result, anyhow, bail};
use gdl::Rules;
use library::load;
use play::text::folded;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// See the module. What else an object has is passed over.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Question {
    /// Which part of the exam it belongs to.
    pub suite: String,
    /// The game, by its name in the library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    /// The game, by the name of a file of rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rulesheet: Option<String>,
    /// Who is to move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The same by number, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role_index: Option<usize>,
    /// The position.
    pub facts: Vec<String>,
    /// The moves that keep its value.
    pub keep: Vec<String>,
    /// What each move is worth to who makes it, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<BTreeMap<String, f64>>,
}

impl Question {
    /// All questions of a text, one a line. `name` is told where one cannot be read.
    pub fn read(text: &str, name: &str) -> Result<Vec<Question>> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        lines
            .map(|(at, line)| {
                let place = || format!("{name}, line {}", at + 1);
                let question: Question = serde_json::from_str(line).with_context(place)?;
                match (&question.game, &question.rulesheet) {
                    (Some(_), None) | (None, Some(_)) => {}
                    _ => bail!("{}: either \"game\" or \"rulesheet\" must be named", place()),
                }
                if question.facts.is_empty() || question.keep.is_empty() {
                    bail!("{}: \"facts\" and \"keep\" must not be empty", place());
                }
                Ok(question)
            })
            .collect()
    }

    /// The same for the same question, whatever file it is in.
    pub fn key(&self) -> String {
        let mut facts = self.facts.clone();
        facts.sort();
        let game = self.game.as_ref().or(self.rulesheet.as_ref());
        let all = format!("{} {game:?} {:?} {:?} {facts:?}", self.suite, self.role, self.role_index);
        let hash = Sha256::digest(all.as_bytes());
        hash.iter().take(12).map(|byte| format!("{byte:02x}")).collect()
    }

    /// The role that is asked, by its name in the rules.
    pub fn role_name(&self, rules: &Rules) -> Result<String> {
        let roles: Vec<&str> = rules.roles().into_iter().map(|role| rules.symbols.name(role)).collect();
        let found = match (&self.role, self.role_index) {
            (Some(name), _) => roles.iter().find(|role| role.eq_ignore_ascii_case(name)),
            (None, Some(index)) => roles.get(index),
            (None, None) => bail!("neither \"role\" nor \"role_index\" is given"),
        };
        found
            .map(|role| role.to_string())
            .ok_or_else(|| anyhow!("the rules have no such role; they have {}", roles.join(", ")))
    }

    /// Whether a move keeps the value.
    pub fn keeps(&self, mv: &str) -> bool {
        let mv = folded(mv);
        mv.is_some() && self.keep.iter().any(|keep| folded(keep) == mv)
    }

    /// How much less a move is worth than the best, if scores are known.
    pub fn regret(&self, mv: &str) -> Option<f64> {
        let scores = self.scores.as_ref()?;
        let mv = folded(mv);
        let own = scores.iter().find(|(other, _)| folded(other) == mv)?.1;
        let best = scores.values().copied().fold(f64::NEG_INFINITY, f64::max);
        Some(best - own)
    }
}

/// The rules of games, each read once.
pub struct Sheets {
    folder: Option<PathBuf>,
    read: HashMap<String, Rules>,
}

impl Sheets {
    /// Rulesheets are looked for in this folder, if there is one.
    pub fn new(folder: Option<&Path>) -> Sheets {
        Sheets { folder: folder.map(Path::to_path_buf), read: HashMap::new() }
    }

    /// The rules of a question of this file.
    pub fn rules(&mut self, question: &Question, file: Option<&Path>) -> Result<Rules> {
        let name = match (&question.game, &question.rulesheet) {
            (Some(game), _) => game.clone(),
            (None, Some(sheet)) => self.path(sheet, file)?,
            (None, None) => bail!("a question names no game"),
        };
        if !self.read.contains_key(&name) {
            let (_, rules) = load(&name)?;
            self.read.insert(name.clone(), rules);
        }
        Ok(self.read[&name].clone())
    }

    fn path(&self, sheet: &str, file: Option<&Path>) -> Result<String> {
        let beside = || Some(file?.parent()?.join("..").join("corpus").join("games"));
        let folder = self.folder.clone().or_else(beside);
        let folder = folder.with_context(|| format!("{sheet}: --rulesheets says where the rulesheets are"))?;
        // A name, never a way to somewhere else.
        if sheet.contains(['/', '\\']) || sheet.starts_with('.') {
            bail!("{sheet:?} is no name of a rulesheet");
        }
        let path = folder.join(format!("{sheet}.kif"));
        if !path.is_file() {
            bail!("{} is not there; --rulesheets says where the rulesheets are", path.display());
        }
        Ok(path.display().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_read_and_judged() {
        let line = r#"{"suite":"s","game":"nim","role":"first","facts":["(heap a 1)","(control first)"],"keep":["(take a 1)"],"scores":{"(take a 1)":100,"(take b 1)":0},"more":1}"#;
        let questions = Question::read(&format!("{line}\n\n"), "x").expect("one");
        let question = &questions[0];
        assert!(question.keeps("( TAKE a 1 )") && !question.keeps("(take b 1)") && !question.keeps("("));
        assert_eq!(question.regret("(take B 1)"), Some(100.0));
        assert_eq!((question.regret("(take a 1)"), question.regret("(take c 1)")), (Some(0.0), None));
        let mut other = question.clone();
        other.facts.reverse();
        assert_eq!(other.key(), question.key());
        other.facts.pop();
        assert_ne!(other.key(), question.key());
        let rules = Sheets::new(None).rules(question, None).expect("nim");
        assert_eq!(question.role_name(&rules).expect("a role"), "first");
        other.role = Some("nobody".to_string());
        assert!(other.role_name(&rules).expect_err("none").to_string().contains("second"));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let told = |text: &str| format!("{:#}", Question::read(text, "f.jsonl").expect_err(text));
        assert!(told("{}").contains("f.jsonl, line 1"));
        assert!(told(r#"{"suite":"s","facts":["a"],"keep":["b"]}"#).contains("\"game\" or \"rulesheet\""));
        assert!(told(r#"{"suite":"s","game":"nim","facts":[],"keep":["b"]}"#).contains("must not be empty"));
        let question =
            Question::read(r#"{"suite":"s","rulesheet":"../x","facts":["a"],"keep":["b"]}"#, "f").expect("one");
        let error = Sheets::new(Some(Path::new("."))).rules(&question[0], None).expect_err("a way out of the folder");
        assert!(error.to_string().contains("no name of a rulesheet"));
    }
}
