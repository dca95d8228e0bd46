//! What is varied: settings with the values that they can have, on a grid whose origin is where tuning begins. A point is
//! whole numbers, so that equal settings are equal, print the same and are found again in a journal.

use game::random::Rng;
use serde::{Deserialize, Serialize};

/// One value for each variable, in steps from where tuning began; of a choice, the number of the option.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Point(pub Vec<i32>);

/// The values that a variable can have.
#[derive(Clone, PartialEq, Debug)]
pub enum Axis {
    /// Numbers in equal steps.
    Number {
        /// Where tuning begins.
        start: f64,
        /// From one value to the next.
        step: f64,
        /// The least value, in steps from the start.
        low: i32,
        /// The greatest one.
        high: i32,
    },
    /// One of several words, none of them nearer than another.
    Choice {
        /// All of them; tuning begins with the first.
        options: Vec<String>,
    },
}

/// Something that is varied.
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its values.
    pub axis: Axis,
}

/// Everything that is varied.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Space {
    /// The variables, in the order in which they were named.
    pub variables: Vec<Variable>,
}

/// The most values of one variable: finer steps than that nobody can tell apart.
pub const MOST_VALUES: f64 = 100_000.0;

impl Axis {
    /// Numbers between two bounds, in steps counted from the start.
    ///
    /// # Errors
    /// In words, when the bounds, the start and the step do not fit together.
    pub fn number(from: f64, to: f64, step: f64, start: f64) -> Result<Axis, String> {
        if !(from.is_finite() && to.is_finite() && from < to) {
            return Err(format!("a range goes from a number to a greater one, not from {from} to {to}"));
        }
        if !(step.is_finite() && step > 0.0 && step <= to - from) {
            return Err(format!("the step must be above 0 and fit into the range, unlike {step}"));
        }
        if (to - from) / step > MOST_VALUES {
            return Err(format!("steps of {step} are more than {MOST_VALUES} values; take greater ones"));
        }
        // What is written in decimals is not quite what is stored.
        let slack = step * 1e-6;
        if !(start >= from - slack && start <= to + slack) {
            return Err(format!("tuning begins at {start}, which is not between {from} and {to}"));
        }
        let low = ((from - start - slack) / step).ceil() as i32;
        let high = ((to - start + slack) / step).floor() as i32;
        Ok(Axis::Number { start, step, low: low.min(0), high: high.max(0) })
    }

    /// The least and the greatest coordinate.
    pub fn bounds(&self) -> (i32, i32) {
        match self {
            Axis::Number { low, high, .. } => (*low, *high),
            Axis::Choice { options } => (0, options.len().max(1) as i32 - 1),
        }
    }

    /// A coordinate as a number; of a choice, the number of the option.
    pub fn value(&self, at: i32) -> f64 {
        match self {
            Axis::Number { start, step, .. } => start + f64::from(at) * step,
            Axis::Choice { .. } => f64::from(at),
        }
    }

    /// A coordinate as it is written among the settings of a player.
    pub fn text(&self, at: i32) -> String {
        match self {
            Axis::Number { start, step, .. } => {
                let decimals = decimals(*start).max(decimals(*step));
                // No negative zero.
                let value = start + f64::from(at) * step + 0.0;
                let text = format!("{value:.decimals$}");
                if text.trim_start_matches(['-', '0', '.']).is_empty() { "0".to_string() } else { trimmed(&text) }
            }
            Axis::Choice { options } => options.get(at.max(0) as usize).cloned().unwrap_or_default(),
        }
    }
}

/// How many decimals it takes to write a number (at most nine).
fn decimals(value: f64) -> usize {
    let text = trimmed(&format!("{value:.9}"));
    text.split_once('.').map_or(0, |(_, decimals)| decimals.len())
}

/// Without zeros at the end of the decimals.
fn trimmed(text: &str) -> String {
    if !text.contains('.') {
        return text.to_string();
    }
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

impl Variable {
    /// Its values in words: `c 0.05..1.5 by 0.01 from 0.45`.
    pub fn words(&self) -> String {
        let Variable { name, axis } = self;
        let (low, high) = axis.bounds();
        match axis {
            Axis::Number { step, .. } => {
                format!("{name} {}..{} by {step} from {}", axis.text(low), axis.text(high), axis.text(0))
            }
            Axis::Choice { options } => format!("{name} {}", options.join("|")),
        }
    }
}

impl Space {
    /// Where tuning begins.
    pub fn origin(&self) -> Point {
        Point(vec![0; self.variables.len()])
    }

    /// How many variables there are.
    pub fn len(&self) -> usize {
        self.variables.len()
    }

    /// Whether nothing is varied.
    pub fn is_empty(&self) -> bool {
        self.variables.is_empty()
    }

    /// The settings of a point, as they are written.
    pub fn settings(&self, point: &Point) -> Vec<(&str, String)> {
        let pairs = self.variables.iter().zip(&point.0);
        pairs.map(|(variable, &at)| (variable.name.as_str(), variable.axis.text(at))).collect()
    }

    /// A point in words: `c=0.5,bias=3`.
    pub fn text(&self, point: &Point) -> String {
        let settings: Vec<String> =
            self.settings(point).iter().map(|(name, value)| format!("{name}={value}")).collect();
        settings.join(",")
    }

    /// The coordinates within a part of a variable's range, around a point; the window keeps its width where it would reach
    /// beyond the range. All options of a choice.
    pub fn window(&self, at: &Point, variable: usize, part: f64) -> (i32, i32) {
        let axis = &self.variables[variable].axis;
        let (low, high) = axis.bounds();
        if matches!(axis, Axis::Choice { .. }) {
            return (low, high);
        }
        let wide = ((f64::from(high - low) * part).round() as i32).clamp(1, (high - low).max(1));
        let first = (at.0[variable] - wide / 2).clamp(low, (high - wide).max(low));
        (first, (first + wide).min(high))
    }

    /// Up to `count` different coordinates of one variable, evenly spread over a window, without the one it has.
    pub fn spread(&self, at: &Point, variable: usize, part: f64, count: usize) -> Vec<i32> {
        let (low, high) = self.window(at, variable, part);
        let own = at.0[variable];
        let others: Vec<i32> = (low..=high).filter(|&value| value != own).collect();
        if others.len() <= count || count < 2 {
            return others.into_iter().take(count).collect();
        }
        let pick = |number: usize| others[(number * (others.len() - 1) + (count - 1) / 2) / (count - 1)];
        let mut picked: Vec<i32> = (0..count).map(pick).collect();
        picked.dedup();
        picked
    }

    /// The same point with another coordinate.
    pub fn moved(&self, at: &Point, variable: usize, to: i32) -> Point {
        let mut point = at.clone();
        point.0[variable] = to;
        point
    }

    /// A point somewhere in the windows around another one.
    pub fn near(&self, at: &Point, part: f64, rng: &mut Rng) -> Point {
        let coordinate = |variable: usize| {
            let (low, high) = self.window(at, variable, part);
            low + rng.below((high - low) as usize + 1) as i32
        };
        Point((0..self.len()).map(coordinate).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space() -> Space {
        let number = |name: &str, axis| Variable { name: name.to_string(), axis };
        Space {
            variables: vec![
                number("c", Axis::number(0.1, 1.5, 0.05, 0.45).expect("it fits")),
                number("bias", Axis::number(0.0, 16.0, 1.0, 0.0).expect("it fits")),
                number("rule", Axis::Choice { options: vec!["a".into(), "b".into(), "c".into()] }),
            ],
        }
    }

    #[test]
    fn points_are_written_as_settings() {
        let space = space();
        assert_eq!(space.text(&space.origin()), "c=0.45,bias=0,rule=a");
        assert_eq!(space.text(&Point(vec![1, 3, 2])), "c=0.5,bias=3,rule=c");
        assert_eq!(space.variables[0].axis.bounds(), (-7, 21));
        assert_eq!(space.text(&Point(vec![-7, 16, 1])), "c=0.1,bias=16,rule=b");
    }

    #[test]
    fn windows_keep_their_width_and_stay_inside() {
        let space = space();
        assert_eq!(space.window(&space.origin(), 1, 0.5), (0, 8));
        assert_eq!(space.window(&Point(vec![0, 16, 0]), 1, 0.5), (8, 16));
        assert_eq!(space.window(&Point(vec![0, 16, 0]), 2, 0.1), (0, 2));
        assert_eq!(space.spread(&Point(vec![0, 8, 0]), 1, 1.0, 6).len(), 6);
        assert_eq!(space.spread(&Point(vec![0, 8, 0]), 1, 0.25, 6), [6, 7, 9, 10]);
        assert_eq!(space.spread(&Point(vec![0, 8, 1]), 2, 0.25, 6), [0, 2]);
        let mut rng = Rng::new(1);
        for _ in 0..200 {
            let near = space.near(&Point(vec![21, 0, 0]), 0.3, &mut rng);
            let inside = |(variable, &at): (usize, &i32)| {
                let (low, high) = space.window(&Point(vec![21, 0, 0]), variable, 0.3);
                (low..=high).contains(&at)
            };
            assert!(near.0.iter().enumerate().all(inside), "{near:?}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (from, to, step, start, part) in [
            (1.0, 1.0, 0.1, 1.0, "to a greater one"),
            (0.0, 1.0, 0.0, 0.5, "above 0"),
            (0.0, 1.0, 2.0, 0.5, "fit into the range"),
            (0.0, 1.0, 0.1, 3.0, "begins at 3"),
            (0.0, 1e9, 1.0, 3.0, "values"),
            (f64::NAN, 1.0, 0.1, 0.5, "from a number"),
        ] {
            let error = Axis::number(from, to, step, start).expect_err("it does not fit");
            assert!(error.contains(part), "{error}");
        }
    }
}
