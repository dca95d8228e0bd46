//! The same rules in other words: an oracle asked through a translation.

use super::{AskError, Description, Oracle, Value, Verdict};

/// A fact in the words of the oracle's rules; `None` if its rules have no such fact.
pub type Translate = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// An oracle for rules that are those of another oracle in other words, and perhaps with the roles the other way round.
///
/// ```
/// use table::oracle::{AskError, Description, Family, Metric, Oracle, Renamed, Value, Verdict};
///
/// struct Known;
/// impl Oracle for Known {
///     fn ask(&self, facts: &[String]) -> Result<Option<Verdict>, AskError> {
///         Ok((facts == ["(heap 3)"]).then_some(Verdict::exact(Value::Lead(100), None)))
///     }
///     fn describe(&self) -> Description {
///         Description { family: Family::Solved, name: "heap".into(), metric: Metric::End, roles: 2, goal_sum: Some(100) }
///     }
/// }
///
/// let translate = |fact: &str| fact.strip_prefix("(xy ").map(|rest| format!("(heap {rest}"));
/// let oracle = Renamed::new(Box::new(Known), Box::new(translate), true);
/// let verdict = oracle.ask(&["(xy 3)".to_string()]).unwrap().unwrap();
/// assert_eq!(verdict.value, Value::Lead(-100));
/// ```
pub struct Renamed {
    oracle: Box<dyn Oracle>,
    translate: Translate,
    swapped: bool,
}

impl Renamed {
    /// Asks `oracle` in its own words. `swapped` says that the first role here is the second there.
    pub fn new(oracle: Box<dyn Oracle>, translate: Translate, swapped: bool) -> Renamed {
        Renamed { oracle, translate, swapped }
    }
}

impl Oracle for Renamed {
    fn ask(&self, facts: &[String]) -> Result<Option<Verdict>, AskError> {
        let translate = |fact: &String| {
            (self.translate)(fact).ok_or_else(|| AskError::Facts(format!("{fact} is not a fact of these rules")))
        };
        let facts: Vec<String> = facts.iter().map(translate).collect::<Result<_, _>>()?;
        let verdict = self.oracle.ask(&facts)?;
        Ok(verdict.map(|verdict| match verdict.value {
            Value::Lead(lead) if self.swapped => {
                Verdict { value: Value::Lead(-lead), certainty: verdict.certainty.negated(), ..verdict }
            }
            Value::Lead(_) | Value::Goal(_) | Value::Endless => verdict,
        }))
    }

    fn describe(&self) -> Description {
        self.oracle.describe()
    }
}
