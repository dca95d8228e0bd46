//! The surface: all games together are read as a hill, and the next games are played where its top may be.
//!
//! The chance that settings `a` beat settings `b` is taken to be logistic in `f(a) − f(b)` and the advantage of the first
//! role, where `f` is a quadratic function of the variables: a hill with one top, near enough to it. After every batch of
//! games the coefficients are estimated anew (logistic regression with a weak prior). For each new pair two hills are
//! drawn from what is believed, and their tops play each other (Thompson sampling, Thompson 1933): games are played
//! where the top may be, and fewer and fewer elsewhere. The window in which the hill is believed in shrinks with the doubt
//! about the top, and games outside of it count less, because far from the top the surface need not be quadratic (as in
//! CLOP, Coulom 2011).
//!
//! Against hill climbing: every game says something about every variable, none is thrown away when the champion changes,
//! and a lucky variant is held against its neighbours.

use super::contest::{Contest, Duel};
use super::regression::{Belief, Sample, logistic};
use super::space::{Axis, Point, Space, Variable};
use anyhow::{Result, ensure};
use game::random::Rng;

/// The least number of games.
const LEAST: usize = 40;
/// How many times the surface is estimated.
const BATCHES: usize = 40;
/// The narrowest window, as half a width in parts of half the range.
const NARROWEST: f64 = 0.15;
/// A window is never narrowed faster than this from one batch to the next.
const FASTEST: f64 = 0.85;
/// One pair in so many is drawn from all of the window, whatever is believed.
const ANYWHERE: usize = 4;
/// The standard deviations of the coefficients before any game: the slopes and curvatures of the window, what belongs to
/// two variables at once, options of a choice, and the advantage of the first role.
const PRIOR: (f64, f64, f64, f64) = (1.5, 0.75, 1.0, 0.5);

/// The part of the space in which the surface is believed in.
struct Window {
    /// The middle, as coordinates.
    centre: Vec<f64>,
    /// Half the width of each variable, in steps.
    half: Vec<f64>,
}

/// The model: which features belong to what.
struct Surface<'a> {
    space: &'a Space,
}

/// A quadratic function of so many numbers: slopes, then for each number its square and its products with those after it.
struct Quadratic<'a> {
    count: usize,
    coefficients: &'a [f64],
}

impl Quadratic<'_> {
    /// How many coefficients it has.
    fn len(&self) -> usize {
        self.count + self.count * (self.count + 1) / 2
    }

    /// The coefficient of a product.
    fn product(&self, a: usize, b: usize) -> f64 {
        let (a, b) = (a.min(b), a.max(b));
        self.coefficients[self.count + a * self.count - a * a.saturating_sub(1) / 2 + (b - a)]
    }

    /// Slope and bend along one of the numbers.
    fn along(&self, number: usize, at: &[f64]) -> (f64, f64) {
        let others = (0..self.count).filter(|&other| other != number);
        let slope = others.map(|other| self.product(number, other) * at[other]).sum::<f64>();
        (slope + self.coefficients[number], self.product(number, number))
    }

    fn height(&self, at: &[f64]) -> f64 {
        let slopes: f64 = at.iter().zip(self.coefficients).map(|(x, slope)| x * slope).sum();
        let products = (0..self.count).flat_map(|a| (a..self.count).map(move |b| (a, b)));
        slopes + products.map(|(a, b)| self.product(a, b) * at[a] * at[b]).sum::<f64>()
    }
}

/// Tunes: the top of the hill.
///
/// # Errors
/// When there are too few games, and as the games.
pub fn follow(contest: &mut Contest<'_>, seed: u64) -> Result<Point> {
    let space = contest.space;
    ensure!(contest.left >= LEAST, "{} games are too few for a surface (`--games {LEAST}`)", contest.left);
    let surface = Surface { space };
    let prior = surface.prior();
    let mut rng = Rng::new(seed);
    let mut window = Window::whole(space);
    let mut played: Vec<(Duel, f64)> = Vec::new();
    let mut belief = Belief::fit(&[], &prior);
    let all = contest.left / 2 * 2;
    let batch = (all / BATCHES).next_multiple_of(2).max(4);
    while contest.left >= 2 {
        let pairs = batch.min(contest.left) / 2;
        let mut duels = Vec::new();
        for _ in 0..pairs {
            let (a, b) = surface.pair(&belief, &window, &mut rng);
            for round in contest.new_rounds(2) {
                duels.push(Duel { a: a.clone(), b: b.clone(), round });
            }
        }
        let points = contest.duels(&duels)?;
        played.extend(duels.into_iter().zip(points));
        belief = surface.fit(&played, &window, &prior);
        let top = surface.top(&belief.mean, &window);
        let words = surface.words(&belief, &top, &window, played.len());
        window = surface.narrowed(&belief, top, window, &mut rng);
        contest.say(&words)?;
    }
    belief = surface.fit(&played, &window, &prior);
    let top = surface.top(&belief.mean, &window);
    let gain = surface.difference(&top, &space.origin(), &window);
    let better: f64 = gain.iter().zip(&belief.mean).map(|(x, mean)| x * mean).sum();
    if better > 0.0 {
        contest.say(&format!("the top of the surface is {}", space.text(&top)))?;
        return Ok(top);
    }
    contest.say(&format!("nothing is believed to be better than {}, which stays", space.text(&space.origin())))?;
    Ok(space.origin())
}

impl Window {
    /// Everything.
    fn whole(space: &Space) -> Window {
        let middle = |(low, high): (i32, i32)| f64::from(low + high) / 2.0;
        let half = |(low, high): (i32, i32)| (f64::from(high - low) / 2.0).max(0.5);
        Window {
            centre: space.variables.iter().map(|variable| middle(variable.axis.bounds())).collect(),
            half: space.variables.iter().map(|variable| half(variable.axis.bounds())).collect(),
        }
    }

    /// The coordinates of a variable within the window.
    fn bounds(&self, space: &Space, variable: usize) -> (i32, i32) {
        let (low, high) = space.variables[variable].axis.bounds();
        let (centre, half) = (self.centre[variable], self.half[variable]);
        let first = ((centre - half).ceil() as i32).clamp(low, high);
        let last = ((centre + half).floor() as i32).clamp(first, high);
        (first, last)
    }
}

impl Surface<'_> {
    /// Whether a variable is a number.
    fn is_number(&self, variable: usize) -> bool {
        matches!(self.space.variables[variable].axis, Axis::Number { .. })
    }

    /// The features of one point: slopes, curvatures, pairs of variables, options.
    fn features(&self, point: &Point, window: &Window) -> Vec<f64> {
        let scaled = |variable: usize| (f64::from(point.0[variable]) - window.centre[variable]) / window.half[variable];
        let numbers: Vec<f64> = (0..self.space.len()).filter(|&v| self.is_number(v)).map(scaled).collect();
        let mut features = numbers.clone();
        for (at, x) in numbers.iter().enumerate() {
            features.extend(numbers[at..].iter().map(|y| x * y));
        }
        for (variable, &at) in self.space.variables.iter().zip(&point.0) {
            if let Axis::Choice { options } = &variable.axis {
                features.extend((1..options.len()).map(|option| f64::from(u8::from(at == option as i32))));
            }
        }
        features
    }

    /// The standard deviations before any game, in the order of the features; the last is the advantage of the first role.
    fn prior(&self) -> Vec<f64> {
        let (slope, mixed, option, first) = PRIOR;
        let numbers = (0..self.space.len()).filter(|&variable| self.is_number(variable)).count();
        let mut prior = vec![slope; numbers];
        for at in 0..numbers {
            prior.push(slope);
            prior.extend(vec![mixed; numbers - at - 1]);
        }
        for variable in &self.space.variables {
            if let Axis::Choice { options } = &variable.axis {
                prior.extend(vec![option; options.len().saturating_sub(1)]);
            }
        }
        prior.push(first);
        prior
    }

    /// What tells two points apart, without the advantage of the first role.
    fn difference(&self, a: &Point, b: &Point, window: &Window) -> Vec<f64> {
        let (a, b) = (self.features(a, window), self.features(b, window));
        a.iter().zip(b).map(|(a, b)| a - b).chain([0.0]).collect()
    }

    fn fit(&self, played: &[(Duel, f64)], window: &Window, prior: &[f64]) -> Belief {
        let sample = |(duel, points): &(Duel, f64)| {
            let mut features = self.difference(&duel.a, &duel.b, window);
            if let Some(first) = features.last_mut() {
                *first = if duel.round.is_multiple_of(2) { 1.0 } else { -1.0 };
            }
            let weight = self.nearness(&duel.a, window) * self.nearness(&duel.b, window);
            Sample { features, points: *points, weight }
        };
        let samples: Vec<Sample> = played.iter().map(sample).filter(|sample| sample.weight > 0.01).collect();
        Belief::fit(&samples, prior)
    }

    /// How much a game at this point counts: all of it within the window, less and less outside.
    fn nearness(&self, point: &Point, window: &Window) -> f64 {
        let outside = |variable: usize| {
            let away = (f64::from(point.0[variable]) - window.centre[variable]).abs() / window.half[variable];
            if self.is_number(variable) { (away - 1.0).max(0.0) } else { 0.0 }
        };
        let far: f64 = (0..self.space.len()).map(outside).map(|away| away * away).sum();
        (-2.0 * far).exp()
    }

    /// Two points to be compared.
    fn pair(&self, belief: &Belief, window: &Window, rng: &mut Rng) -> (Point, Point) {
        let anywhere = |rng: &mut Rng| {
            let coordinate = |variable: usize| {
                let (low, high) = window.bounds(self.space, variable);
                low + rng.below((high - low) as usize + 1) as i32
            };
            Point((0..self.space.len()).map(coordinate).collect())
        };
        let a = self.top(&belief.draw(rng), window);
        let mut b = if rng.below(ANYWHERE) == 0 { anywhere(rng) } else { self.top(&belief.draw(rng), window) };
        // Whoever plays itself learns nothing; where there is only one point left, nothing is left to learn.
        for _ in 0..8 {
            if a != b {
                break;
            }
            b = anywhere(rng);
        }
        (a, b)
    }

    /// The highest point of the window. Along one variable the height is a parabola; going along each in turn, from the
    /// middle and from the corners, finds the top of a quadratic function.
    fn top(&self, coefficients: &[f64], window: &Window) -> Point {
        let numbers: Vec<usize> = (0..self.space.len()).filter(|&variable| self.is_number(variable)).collect();
        let quadratic = Quadratic { count: numbers.len(), coefficients };
        let scale = |variable: usize, at: i32| (f64::from(at) - window.centre[variable]) / window.half[variable];
        let bounds: Vec<(i32, i32)> = numbers.iter().map(|&variable| window.bounds(self.space, variable)).collect();
        let mut best: Option<(Vec<i32>, f64)> = None;
        for corner in 0..=1usize << numbers.len().min(4) {
            let side = |(at, &(low, high)): (usize, &(i32, i32))| match corner {
                0 => low + (high - low) / 2,
                _ if (corner - 1) >> (at % 4) & 1 == 0 => low,
                _ => high,
            };
            let mut point: Vec<i32> = bounds.iter().enumerate().map(side).collect();
            let mut scaled: Vec<f64> = numbers.iter().zip(&point).map(|(&variable, &at)| scale(variable, at)).collect();
            for _ in 0..20 {
                let before = point.clone();
                for (number, &variable) in numbers.iter().enumerate() {
                    let (low, high) = bounds[number];
                    let (slope, bend) = quadratic.along(number, &scaled);
                    let peak = window.centre[variable] - slope / (2.0 * bend) * window.half[variable];
                    let inner = if bend < 0.0 { (peak.round() as i32).clamp(low, high) } else { low };
                    for at in [low, inner, high] {
                        let height = |z: f64| slope * z + bend * z * z;
                        let z = scale(variable, at);
                        if height(z) > height(scaled[number]) + 1e-12 {
                            (point[number], scaled[number]) = (at, z);
                        }
                    }
                }
                if point == before {
                    break;
                }
            }
            let height = quadratic.height(&scaled);
            if best.as_ref().is_none_or(|(_, known)| height > *known) {
                best = Some((point, height));
            }
        }
        let mut place = best.map_or_else(Vec::new, |(point, _)| point).into_iter();
        let mut options = coefficients[quadratic.len()..].iter();
        let coordinate = |variable: &Variable| match &variable.axis {
            Axis::Number { .. } => place.next().unwrap_or(0),
            Axis::Choice { options: all } => {
                // The first option is what the others are compared with.
                let others = options.by_ref().take(all.len().saturating_sub(1)).enumerate();
                let first = (0, 0.0);
                others.fold(first, |best, (at, &gain)| if gain > best.1 { (at as i32 + 1, gain) } else { best }).0
            }
        };
        Point(self.space.variables.iter().map(coordinate).collect())
    }

    /// A window around the top, as wide as the doubt about it.
    fn narrowed(&self, belief: &Belief, top: Point, old: Window, rng: &mut Rng) -> Window {
        let draws: Vec<Point> = (0..40).map(|_| self.top(&belief.draw(rng), &old)).collect();
        let whole = Window::whole(self.space);
        let mut window = Window { centre: Vec::new(), half: Vec::new() };
        for variable in 0..self.space.len() {
            if !self.is_number(variable) {
                window.centre.push(old.centre[variable]);
                window.half.push(old.half[variable]);
                continue;
            }
            let own = f64::from(top.0[variable]);
            let spread = draws.iter().map(|draw| (f64::from(draw.0[variable]) - own).powi(2)).sum::<f64>();
            let doubt = 2.0 * (spread / draws.len() as f64).sqrt();
            let least = (NARROWEST * whole.half[variable]).max(1.0).min(whole.half[variable]);
            let half = doubt.max(old.half[variable] * FASTEST).clamp(least, whole.half[variable]);
            window.half.push(half);
            // The window lies within the range, with the top in it.
            let (low, high) = self.space.variables[variable].axis.bounds();
            window.centre.push(own.clamp(f64::from(low) + half, (f64::from(high) - half).max(f64::from(low) + half)));
        }
        window
    }

    fn words(&self, belief: &Belief, top: &Point, window: &Window, games: usize) -> String {
        let origin = self.space.origin();
        let difference = self.difference(top, &origin, window);
        let gain: f64 = difference.iter().zip(&belief.mean).map(|(x, mean)| x * mean).sum();
        let doubt = 1.96 * belief.deviation(&difference);
        let percent = |value: f64| format!("{:.0}%", 100.0 * logistic(value));
        let parts: Vec<String> = (0..self.space.len())
            .filter(|&variable| self.is_number(variable))
            .map(|variable| {
                let (low, high) = window.bounds(self.space, variable);
                let Variable { name, axis } = &self.space.variables[variable];
                format!("{name} {}..{}", axis.text(low), axis.text(high))
            })
            .collect();
        format!(
            "{games} games: within {}, the top may be {}, which would get {} ({}–{}) against the start",
            parts.join(", "),
            self.space.text(top),
            percent(gain),
            percent(gain - doubt),
            percent(gain + doubt)
        )
    }
}
