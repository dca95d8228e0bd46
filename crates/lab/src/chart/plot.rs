//! Points in a plane: as lines with marks, and as clouds.

use super::{COLOURS, HEIGHT, LEFT, TOP, begin, escaped};
use std::fmt::Write as _;

/// The plane that points lie in.
#[derive(Clone, PartialEq, Debug)]
pub struct Plane {
    /// What it shows.
    pub title: String,
    /// What goes up.
    pub axis: String,
    /// What goes across.
    pub across: String,
    /// The ends of what goes across.
    pub x: (f64, f64),
    /// The ends of what goes up.
    pub y: (f64, f64),
    /// Where numbers stand below.
    pub ticks: Vec<f64>,
}

/// Points with a name.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// What they are.
    pub name: String,
    /// The points.
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 560.0;

impl Plane {
    fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let part = |value: f64, (low, high): (f64, f64)| ((value - low) / (high - low)).clamp(0.0, 1.0);
        (LEFT + WIDTH * part(x, self.x), TOP + HEIGHT * (1.0 - part(y, self.y)))
    }

    /// The frame: title, lines across, numbers.
    fn frame(&self, legend: f64) -> String {
        let mut svg = begin(LEFT + WIDTH + 24.0 + legend, TOP + HEIGHT + 48.0, &self.title, &self.axis);
        for tick in 0..=4 {
            let value = self.y.0 + (self.y.1 - self.y.0) * f64::from(tick) / 4.0;
            let at = self.place((self.x.0, value)).1;
            let _ = writeln!(
                svg,
                "<line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>",
                LEFT + WIDTH,
                LEFT - 6.0,
                at + 4.0
            );
        }
        let below = TOP + HEIGHT + 18.0;
        for &tick in &self.ticks {
            let at = self.place((tick, self.y.0)).0;
            let _ = writeln!(svg, "<text x=\"{at:.1}\" y=\"{below:.1}\" text-anchor=\"middle\">{tick}</text>");
        }
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#555\">{}</text>",
            LEFT + WIDTH / 2.0,
            below + 18.0,
            escaped(&self.across)
        );
        svg
    }

    /// Lines through points; upright lines with a word stand at `marks`.
    ///
    /// ```
    /// use lab::chart::plot::{Plane, Series};
    /// let plane = Plane {
    ///     title: "Correlation".into(),
    ///     axis: "Corr(i)".into(),
    ///     across: "level i".into(),
    ///     x: (3.0, 14.0),
    ///     y: (-1.0, 1.0),
    ///     ticks: vec![3.0, 7.0, 11.0],
    /// };
    /// let line = Series { name: "ours".into(), points: vec![(3.0, 0.3), (7.0, -0.2), (8.0, 0.4)] };
    /// let figure = plane.lines(&[line], &[(7.0, "published".into())]);
    /// assert!(figure.starts_with("<svg") && figure.contains("published"));
    /// ```
    pub fn lines(&self, lines: &[Series], marks: &[(f64, String)]) -> String {
        let mut svg = self.frame(150.0);
        for (at, word) in marks {
            let (x, _) = self.place((*at, self.y.0));
            let _ = writeln!(
                svg,
                "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{:.1}\" stroke=\"#222\" stroke-dasharray=\"3 4\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" fill=\"#222\">{}</text>",
                TOP + HEIGHT,
                x + 4.0,
                TOP + 12.0,
                escaped(word)
            );
        }
        for (number, line) in lines.iter().enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            let mut path = String::new();
            let mut dots = String::new();
            for point in line.points.iter().filter(|point| point.1.is_finite()) {
                let (x, y) = self.place(*point);
                let _ = write!(path, "{}{x:.1} {y:.1}", if path.is_empty() { "M" } else { "L" });
                let _ = write!(dots, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
            }
            let _ = writeln!(svg, "<path d=\"{path}\" stroke=\"{colour}\" stroke-width=\"1.5\" fill=\"none\"/>{dots}");
            let key = TOP + 8.0 + 20.0 * number as f64;
            let _ = writeln!(
                svg,
                "<rect x=\"{:.1}\" y=\"{key:.1}\" width=\"12\" height=\"12\" fill=\"{colour}\"/><text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                LEFT + WIDTH + 18.0,
                LEFT + WIDTH + 36.0,
                key + 10.0,
                escaped(&line.name)
            );
        }
        svg += "</svg>\n";
        svg
    }

    /// A cloud of points, and a thin line for what they should be.
    pub fn cloud(&self, points: &[(f64, f64)], truth: &[(f64, f64)]) -> String {
        let mut svg = self.frame(0.0);
        let path = |list: &[(f64, f64)], each: &dyn Fn(usize, f64, f64) -> String| {
            let finite = list.iter().filter(|point| point.1.is_finite()).enumerate();
            finite.fold(String::new(), |path, (at, point)| {
                let (x, y) = self.place(*point);
                path + &each(at, x, y)
            })
        };
        let dots = path(points, &|_, x, y| format!("M{x:.1} {y:.1}h1"));
        let line = path(truth, &|at, x, y| format!("{}{x:.1} {y:.1}", if at == 0 { "M" } else { "L" }));
        let _ = writeln!(svg, "<path d=\"{dots}\" stroke=\"{}\" stroke-width=\"1\" fill=\"none\"/>", COLOURS[0]);
        let _ = writeln!(svg, "<path d=\"{line}\" stroke=\"{}\" stroke-width=\"1.5\" fill=\"none\"/>", COLOURS[3]);
        svg += "</svg>\n";
        svg
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plane() -> Plane {
        let (title, axis, across) = ("a < b".to_string(), "y".to_string(), "x".to_string());
        Plane { title, axis, across, x: (0.0, 10.0), y: (0.0, 1.0), ticks: vec![0.0, 10.0] }
    }

    #[test]
    fn points_stay_inside_and_what_is_no_number_is_left_out() {
        let points = vec![(0.0, 0.0), (5.0, 9.0), (6.0, f64::NAN)];
        let figure = plane().lines(&[Series { name: "n".into(), points: points.clone() }], &[]);
        assert_eq!(figure.matches("<circle").count(), 2);
        assert!(figure.contains("a &lt; b") && !figure.contains("NaN") && figure.ends_with("</svg>\n"));
        assert!(figure.contains(&format!("cy=\"{TOP:.1}\"")), "cut off at the top");
        let cloud = plane().cloud(&points, &points);
        assert_eq!(cloud.matches("h1").count(), 2);
        assert_eq!(cloud, plane().cloud(&points, &points), "the same for the same numbers");
    }
}
