//! A share of games, with the interval in which the true one lies in 95 of 100 cases.

use serde::Serialize;
use std::fmt;

/// See the module.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Share {
    /// The share.
    pub share: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Of how many games.
    pub of: usize,
}

impl Share {
    /// A share by Wilson's interval; half points count half.
    ///
    /// ```
    /// let share = studio::report::Share::of(10.0, 20);
    /// assert!(share.share == 0.5 && (share.low - 0.299).abs() < 0.001 && (share.high - 0.701).abs() < 0.001);
    /// assert_eq!(share.to_string(), "50 % (30 to 70)");
    /// ```
    pub fn of(points: f64, of: usize) -> Share {
        let (n, z) = (of.max(1) as f64, 1.959_964);
        let share = points / n;
        let middle = share + z * z / (2.0 * n);
        let half = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
        let below = 1.0 + z * z / n;
        Share { share, low: ((middle - half) / below).max(0.0), high: ((middle + half) / below).min(1.0), of }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.0} % ({:.0} to {:.0})", 100.0 * self.share, 100.0 * self.low, 100.0 * self.high)
    }
}
