//! What came out of an exam, by suite: for people, as a page, and for programs.

use super::{Given, share_text, table};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// See the module.
pub struct Report<'a> {
    given: &'a [&'a Given],
    player: &'a str,
    start: f64,
    play: f64,
}

/// One suite.
struct Suite<'a> {
    name: &'a str,
    count: usize,
    kept: usize,
    regret: Option<f64>,
    seconds: f64,
}

impl<'a> Report<'a> {
    /// About these answers of a player.
    pub fn new(given: &'a [&'a Given], player: &'a str, start: f64, play: f64) -> Report<'a> {
        Report { given, player, start, play }
    }

    /// The share of all questions that was answered right.
    pub fn share(&self) -> f64 {
        let kept = self.given.iter().filter(|given| given.kept).count();
        kept as f64 / self.given.len().max(1) as f64
    }

    /// The suites in the order of the questions.
    fn suites(&self) -> Vec<Suite<'a>> {
        let mut names: Vec<&str> = Vec::new();
        for given in self.given {
            if !names.contains(&given.suite.as_str()) {
                names.push(&given.suite);
            }
        }
        let suite = |name: &'a str| {
            let own: Vec<&&Given> = self.given.iter().filter(|given| given.suite == name).collect();
            let regrets: Vec<f64> = own.iter().filter_map(|given| given.regret).collect();
            Suite {
                name,
                count: own.len(),
                kept: own.iter().filter(|given| given.kept).count(),
                regret: (!regrets.is_empty()).then(|| regrets.iter().sum::<f64>() / regrets.len() as f64),
                seconds: own.iter().map(|given| given.seconds).sum::<f64>() / own.len() as f64,
            }
        };
        names.into_iter().map(suite).collect()
    }

    fn rows(&self) -> Vec<Vec<String>> {
        let head = ["suite", "questions", "right", "share (95%)", "regret", "seconds each"].map(String::from).to_vec();
        let regret = |regret: Option<f64>| regret.map_or("-".to_string(), |regret| format!("{regret:.1}"));
        let mut rows = vec![head];
        let suites = self.suites();
        for suite in &suites {
            let share = share_text(suite.kept, suite.count);
            let (count, kept) = (suite.count.to_string(), suite.kept.to_string());
            rows.push(vec![
                suite.name.to_string(),
                count,
                kept,
                share,
                regret(suite.regret),
                format!("{:.1}", suite.seconds),
            ]);
        }
        let kept: usize = suites.iter().map(|suite| suite.kept).sum();
        let (count, share) = (self.given.len(), share_text(kept, self.given.len()));
        rows.push(vec!["all".to_string(), count.to_string(), kept.to_string(), share, String::new(), String::new()]);
        rows
    }

    /// For a terminal.
    pub fn text(&self) -> String {
        let mut text = table(&self.rows());
        let troubles: Vec<&&Given> = self.given.iter().filter(|given| given.trouble.is_some()).collect();
        if let Some(first) = troubles.first() {
            let why = first.trouble.as_deref().unwrap_or_default();
            let _ = writeln!(
                text,
                "{} without an answer; the first ({} {}): {why}",
                troubles.len(),
                first.suite,
                first.number
            );
        }
        text
    }

    /// As a page.
    pub fn markdown(&self) -> String {
        let mut page = format!(
            "# Exam of {}\n\n{} s before each question, {} s for the answer.\n\n",
            self.player, self.start, self.play
        );
        for (at, row) in self.rows().iter().enumerate() {
            let _ = writeln!(page, "| {} |", row.join(" | "));
            if at == 0 {
                let _ = writeln!(page, "|{}", "---|".repeat(row.len()));
            }
        }
        let wrong: Vec<String> = self
            .given
            .iter()
            .filter(|given| !given.kept)
            .map(|given| {
                let answer = given.answer.as_deref().or(given.trouble.as_deref()).unwrap_or("nothing");
                format!("{} {}: {answer}", given.suite, given.number)
            })
            .collect();
        if !wrong.is_empty() {
            let _ = writeln!(page, "\nWrong: {}.", wrong.join("; "));
        }
        page
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let suites: Vec<Value> = self.suites().iter().map(|suite| {
            json!({"suite": suite.name, "questions": suite.count, "right": suite.kept, "regret": suite.regret, "seconds": suite.seconds})
        }).collect();
        let answers: Vec<Value> = self
            .given
            .iter()
            .map(|given| {
                json!({"suite": given.suite, "number": given.number, "answer": given.answer, "trouble": given.trouble,
                "right": given.kept, "regret": given.regret, "seconds": given.seconds})
            })
            .collect();
        json!({"player": self.player, "start": self.start, "play": self.play, "share": self.share(), "suites": suites, "answers": answers})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suites_are_counted_apart() {
        let given = |suite: &str, number: usize, kept: bool, regret: Option<f64>| Given {
            key: format!("{suite}{number}"),
            suite: suite.to_string(),
            number,
            settings: String::new(),
            answer: kept.then(|| "a".to_string()),
            trouble: (!kept).then(|| "out of time".to_string()),
            kept,
            regret,
            seconds: 1.0,
        };
        let all = [given("a", 1, true, Some(0.0)), given("b", 1, false, None), given("a", 2, true, Some(50.0))];
        let rows: Vec<&Given> = all.iter().collect();
        let report = Report::new(&rows, "random", 1.0, 1.0);
        assert!((report.share() - 2.0 / 3.0).abs() < 1e-9);
        let json = report.json();
        assert_eq!((&json["suites"][0]["right"], &json["suites"][0]["regret"]), (&json!(2), &json!(25.0)));
        assert_eq!((&json["suites"][1]["right"], &json["suites"][1]["regret"]), (&json!(0), &Value::Null));
        assert!(report.text().contains("1 without an answer; the first (b 1): out of time"), "{}", report.text());
        assert!(report.markdown().contains("Wrong: b 1: out of time."), "{}", report.markdown());
    }
}
