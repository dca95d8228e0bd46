//! Verdicts: a value, how sure it is, and how far the end is.

use game::Role;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;

/// What a state is worth with best play.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// The goal that the only role gets, 0 to 100.
    Goal(u8),
    /// By how much the first of two roles will be ahead of the second, -100 to 100: 100 where it wins, 0 where nobody does.
    Lead(i8),
    /// No end can be reached (one role).
    Endless,
}

/// Whether a number is what it is, or only a bound.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// Neither more nor less.
    Exact,
    /// This or more.
    AtLeast,
    /// This or less.
    AtMost,
}

impl Certainty {
    /// The certainty of the number with the other sign.
    pub fn negated(self) -> Certainty {
        match self {
            Certainty::Exact => Certainty::Exact,
            Certainty::AtLeast => Certainty::AtMost,
            Certainty::AtMost => Certainty::AtLeast,
        }
    }
}

/// What distances count.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Metric {
    /// Plies to mate.
    #[serde(rename = "plies to mate")]
    Mate,
    /// Plies until the winner mates, or takes or promotes and still wins.
    #[serde(rename = "plies to mate or to a winning capture or promotion")]
    Conversion,
    /// Plies until somebody mates, takes or moves a pawn, and the winner keeps the win.
    #[serde(rename = "plies to mate, to a capture or to a pawn move that keeps the win")]
    Zeroing,
    /// Moves of all roles until the game is over.
    #[serde(rename = "value, and moves to the end with best play")]
    End,
    /// Moves of one player alone until all pieces are home.
    #[serde(rename = "moves to the goal, one player")]
    Home,
    /// So many moves of one player alone are enough to bring all pieces home.
    #[serde(rename = "upper bound of the moves to the goal, one player")]
    HomeBound,
}

impl Metric {
    /// In words, as in the headers of files.
    pub fn words(self) -> &'static str {
        match self {
            Metric::Mate => "plies to mate",
            Metric::Conversion => "plies to mate or to a winning capture or promotion",
            Metric::Zeroing => "plies to mate, to a capture or to a pawn move that keeps the win",
            Metric::End => "value, and moves to the end with best play",
            Metric::Home => "moves to the goal, one player",
            Metric::HomeBound => "upper bound of the moves to the goal, one player",
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

/// How far something is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Distance {
    /// So many …
    pub count: u32,
    /// … of these.
    pub metric: Metric,
    /// Whether it is so many, or a bound.
    pub certainty: Certainty,
}

impl Distance {
    /// Exactly so many.
    pub fn exact(count: u32, metric: Metric) -> Distance {
        Distance { count, metric, certainty: Certainty::Exact }
    }
}

/// How one of two roles stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It will be ahead: it wins.
    Ahead,
    /// Nobody will be ahead.
    Even,
    /// The other one will be ahead.
    Behind,
}

/// What an oracle says of a state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Verdict {
    /// What the state is worth.
    pub value: Value,
    /// Whether it is worth that, or at least or at most that to the first role.
    pub certainty: Certainty,
    /// How far the end is when who is ahead hurries and who is behind delays. Even results have none.
    pub distance: Option<Distance>,
}

impl Verdict {
    /// A value that is certain.
    pub fn exact(value: Value, distance: Option<Distance>) -> Verdict {
        Verdict { value, certainty: Certainty::Exact, distance }
    }

    /// The least and the most that the state can be worth to a role: its goal, or how far it will be ahead. A state without
    /// an end is worth less than any goal.
    pub fn bounds(&self, role: Role) -> (i32, i32) {
        let (value, least, most) = match self.value {
            Value::Goal(goal) => (i32::from(goal), 0, 100),
            Value::Lead(lead) => (i32::from(lead), -100, 100),
            Value::Endless => (-1, -1, -1),
        };
        let (low, high) = match self.certainty {
            Certainty::Exact => (value, value),
            Certainty::AtLeast => (value, most),
            Certainty::AtMost => (least, value),
        };
        if role.0 == 0 || !matches!(self.value, Value::Lead(_)) { (low, high) } else { (-high, -low) }
    }

    /// How a role of two stands, if that is certain.
    ///
    /// ```
    /// use game::Role;
    /// use table::oracle::{Certainty, Standing, Value, Verdict};
    ///
    /// let verdict = Verdict { value: Value::Lead(0), certainty: Certainty::AtLeast, distance: None };
    /// assert_eq!(verdict.standing(Role(0)), None);
    /// assert_eq!(Verdict::exact(Value::Lead(-100), None).standing(Role(1)), Some(Standing::Ahead));
    /// ```
    pub fn standing(&self, role: Role) -> Option<Standing> {
        let Value::Lead(_) = self.value else { return None };
        match self.bounds(role) {
            (low, _) if low > 0 => Some(Standing::Ahead),
            (_, high) if high < 0 => Some(Standing::Behind),
            (0, 0) => Some(Standing::Even),
            _ => None,
        }
    }

    /// The goal that a role gets, if it is certain. In games of two this needs to know what both goals add up to
    /// ([`Description::goal_sum`](super::Description::goal_sum)).
    pub fn reward(&self, role: Role, goal_sum: Option<u8>) -> Option<f32> {
        let (low, high) = self.bounds(role);
        match self.value {
            _ if low != high => None,
            Value::Goal(goal) => Some(f32::from(goal)),
            Value::Lead(_) => goal_sum.map(|sum| (f32::from(sum) + low as f32) / 2.0),
            Value::Endless => None,
        }
    }

    /// How a role likes this compared with another verdict of the same oracle: `Greater` is better. First what it is sure to get,
    /// then what it may get; of equals, who is ahead (or alone) likes the nearer end and who is behind the farther one.
    pub fn compare(&self, other: &Verdict, role: Role) -> Ordering {
        let (a, b) = (self.bounds(role), other.bounds(role));
        let count = |verdict: &Verdict| verdict.distance.map_or(u32::MAX, |distance| distance.count);
        let hurries = a.0 > 0 || !matches!(self.value, Value::Lead(_));
        a.cmp(&b).then_with(|| match hurries {
            true => count(other).cmp(&count(self)),
            false if a.1 < 0 => count(self).cmp(&count(other)),
            false => Ordering::Equal,
        })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bound = |certainty| match certainty {
            Certainty::Exact => "",
            Certainty::AtLeast => "at least ",
            Certainty::AtMost => "at most ",
        };
        f.write_str(bound(self.certainty))?;
        match self.value {
            Value::Goal(goal) => write!(f, "goal {goal}")?,
            Value::Lead(0) => f.write_str("even")?,
            Value::Lead(lead) => write!(f, "{} ahead by {}", if lead > 0 { "first" } else { "second" }, lead.abs())?,
            Value::Endless => f.write_str("no end")?,
        }
        let Some(Distance { count, certainty, .. }) = self.distance else { return Ok(()) };
        write!(f, " in {}{count}", bound(certainty))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lead(lead: i8, certainty: Certainty, count: Option<u32>) -> Verdict {
        let distance = count.map(|count| Distance::exact(count, Metric::Mate));
        Verdict { value: Value::Lead(lead), certainty, distance }
    }

    #[test]
    fn each_role_has_its_own_order() {
        use Certainty::{AtLeast, AtMost, Exact};
        // From the best to the worst for the first role.
        let order = [
            lead(100, Exact, Some(3)),
            lead(100, Exact, Some(5)),
            lead(0, AtLeast, None),
            lead(0, Exact, None),
            lead(0, AtMost, None),
            lead(-100, Exact, Some(8)),
            lead(-100, Exact, Some(2)),
        ];
        for (at, a) in order.iter().enumerate() {
            for (below, b) in order.iter().enumerate() {
                assert_eq!(a.compare(b, Role(0)), below.cmp(&at), "{a} and {b}");
            }
        }
        // For the second the other way round, also in what is only a bound.
        let mut turned = order;
        turned.sort_by(|a, b| b.compare(a, Role(1)));
        let wanted = [6, 5, 4, 3, 2, 1, 0].map(|at| order[at]);
        assert_eq!(turned, wanted);
    }

    #[test]
    fn rewards_need_the_sum() {
        let won = lead(100, Certainty::Exact, None);
        assert_eq!((won.reward(Role(0), Some(100)), won.reward(Role(1), Some(100))), (Some(100.0), Some(0.0)));
        assert_eq!(won.reward(Role(0), None), None);
        assert_eq!(lead(0, Certainty::AtLeast, None).reward(Role(0), Some(100)), None);
        assert_eq!(Verdict::exact(Value::Goal(70), None).reward(Role(0), None), Some(70.0));
        assert_eq!(Verdict::exact(Value::Endless, None).reward(Role(0), None), None);
    }

    #[test]
    fn metrics_are_written_in_words() {
        for metric in [Metric::Mate, Metric::Conversion, Metric::Zeroing, Metric::End, Metric::Home, Metric::HomeBound]
        {
            assert_eq!(serde_json::to_value(metric).unwrap(), metric.words());
        }
    }
}
