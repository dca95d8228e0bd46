//! What the paper says (Sadikov and Bratko 2006).

use plan::paper::Subject;

/// The levels after which it draws borders, as it numbers them, with those it saw and did not use.
pub fn borders(subject: Subject) -> &'static [u16] {
    match subject {
        Subject::Krk => &[7, 11],
        Subject::Kqkr => &[6, 14, 24, 28],
    }
}

/// Positions of each level of the public data set of KRK, and draws.
pub const KRK_LEVELS: [u64; 17] =
    [27, 78, 246, 81, 198, 471, 592, 683, 1433, 1712, 1985, 2854, 3597, 4194, 4553, 2166, 390];

/// The share of positions in the stages of KQKR, in per cent.
pub const KQKR_SHARES: [f64; 3] = [12.5, 9.7, 77.8];

/// Errors of KQKR: root mean squares, as the paper calls them.
const ERRORS: [(&str, f64); 6] = [
    ("CLOSE in its stage", 1.97),
    ("FAR in its stage", 1.32),
    ("global", 3.76),
    ("stages, perfect classifier", 1.46),
    ("stages, tree grown", 3.73),
    ("stages, tree as described", 3.73),
];

/// The error of a predictor.
pub fn error(subject: Subject, name: &str) -> Option<f64> {
    let known = ERRORS.iter().find(|(known, _)| *known == name).filter(|_| subject == Subject::Kqkr);
    known.map(|(_, error)| *error)
}

/// Table 1: success in per cent and moves over the optimum, at 8, 10, 12, 14 and 16 plies.
const TABLE: [(&str, [(f64, f64); 5]); 5] = [
    ("global", [(38.43, 21.29), (93.85, 11.04), (82.63, 10.65), (99.16, 4.65), (99.95, 3.56)]),
    ("stages, perfect classifier", [(72.08, 16.54), (96.21, 9.94), (97.92, 5.92), (98.22, 4.47), (98.56, 2.91)]),
    ("stages, tree", [(17.28, 24.23), (19.04, 23.54), (21.77, 22.68), (27.74, 21.44), (44.32, 17.80)]),
    ("CLOSE everywhere", [(14.12, 25.44), (15.40, 24.87), (16.83, 24.28), (18.03, 23.80), (19.86, 23.09)]),
    ("FAR everywhere", [(15.99, 24.72), (28.84, 22.32), (43.70, 20.20), (89.88, 10.75), (98.46, 5.26)]),
];

/// Success and moves over the optimum of an evaluator; both trees stand for the published one.
pub fn play(subject: Subject, evaluator: &str, plies: usize) -> Option<(f64, f64)> {
    let name = if evaluator.starts_with("stages, tree") { "stages, tree" } else { evaluator };
    match (subject, name, plies) {
        (Subject::Krk, "global", 6) => Some((58.43, 29.71)),
        (Subject::Krk, "stages, tree", 6) => Some((100.0, 4.22)),
        (Subject::Krk, ..) => None,
        (Subject::Kqkr, ..) => {
            let row = TABLE.iter().find(|(known, _)| *known == name)?;
            let at = plies.checked_sub(8).filter(|past| past % 2 == 0)? / 2;
            row.1.get(at).copied()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_name_and_depth() {
        assert_eq!(play(Subject::Kqkr, "stages, tree as described", 16), Some((44.32, 17.80)));
        assert_eq!(play(Subject::Kqkr, "global", 9), None);
        assert_eq!(play(Subject::Kqkr, "global", 18), None);
        assert_eq!(play(Subject::Krk, "global", 6), Some((58.43, 29.71)));
        assert_eq!(error(Subject::Krk, "global"), None);
        assert_eq!(KRK_LEVELS.iter().sum::<u64>() + 2796, 28_056);
    }

    #[test]
    fn published_errors_are_averaged_like_absolute_ones() {
        // Of the two stages 22.2 and 77.8%: their squares would give 1.49, they themselves give the published 1.46.
        let [_, _, far] = KQKR_SHARES;
        let (close, far_error) = (1.97, 1.32);
        let mean = ((100.0 - far) * close + far * far_error) / 100.0;
        let root = (((100.0 - far) * close * close + far * far_error * far_error) / 100.0f64).sqrt();
        assert!((mean - 1.46f64).abs() < 0.005 && (root - 1.49).abs() < 0.005);
    }
}
