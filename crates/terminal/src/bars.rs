//! Histograms as bars of text.

use crate::text;

/// How many characters the longest bar has.
const LONGEST: usize = 40;
/// How many bars are shown; neighbours are put together where there are more.
const MOST: usize = 40;

/// One bar for each distance that has any count.
pub fn histogram(counts: impl IntoIterator<Item = (usize, u64)>) -> String {
    let counts: Vec<(usize, u64)> = counts.into_iter().filter(|(_, count)| *count > 0).collect();
    let together = counts.len().div_ceil(MOST).max(1);
    let groups: Vec<(String, u64)> = counts
        .chunks(together)
        .map(|group| {
            let (first, last) = (group[0].0, group[group.len() - 1].0);
            let name = if first == last { first.to_string() } else { format!("{first}–{last}") };
            (name, group.iter().map(|(_, count)| count).sum())
        })
        .collect();
    let most = groups.iter().map(|(_, count)| *count).max().unwrap_or(1);
    let names = groups.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let digits = most.to_string().len();
    let width = LONGEST.min(text::width().saturating_sub(names + digits + 6)).max(8);
    let mut text = String::new();
    for (name, count) in groups {
        let length = (count as f64 / most as f64 * width as f64).round() as usize;
        let bar = if length == 0 { "▏".to_string() } else { "█".repeat(length) };
        text += &format!("  {name:>names$}  {count:>digits$}  {bar}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_bar_is_the_greatest_count() {
        let text = histogram([(0, 1), (1, 0), (2, 400), (3, 200)]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert_eq!(lines[1].matches('█').count(), 2 * lines[2].matches('█').count(), "{text}");
        assert!(lines[0].ends_with('▏'), "{text}");
    }

    #[test]
    fn many_distances_are_put_together() {
        let text = histogram((0..1000).map(|at| (at, 5)));
        assert_eq!(text.lines().count(), 40);
        assert!(text.starts_with("     0–24  125  █"), "{text}");
    }
}
