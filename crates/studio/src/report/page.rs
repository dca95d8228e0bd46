//! Reports as rows of words, for a terminal, and as one page for browsers, with nothing from elsewhere.

use super::Report;
use std::fmt::Write as _;
use study::picture::escaped;

const STYLE: &str = "\
:root{color-scheme:light dark;--paper:#fdfcf9;--ink:#222;--edge:#c9c2b4;--bar:#2f6fb8}
@media(prefers-color-scheme:dark){:root{--paper:#1b1c1e;--ink:#e6e3dc;--edge:#4b4e53;--bar:#78b6e0}}
body{background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.35rem 1rem .35rem 0;border-bottom:1px solid var(--edge)}th{font-weight:500}
figure{margin:1.5rem 0}svg{width:100%;max-width:34rem;height:auto}.plots{display:flex;flex-wrap:wrap;gap:1.5rem}.plots figure{flex:1 1 20rem}.note{opacity:.75;font-size:.9em}.wide{overflow-x:auto}
@media print{:root{--paper:#fff;--ink:#000}body{margin:0;max-width:none}figure,tr{break-inside:avoid}}";

/// The most rules that are listed.
const MOST_RULES: usize = 12;

impl Report {
    /// What is told, row by row.
    pub fn rows(&self) -> Vec<(String, String)> {
        let mut rows =
            vec![("games".to_string(), format!("{} by UCT with {} random games a move", self.games, self.playouts))];
        let mut row = |what: &str, words: String| rows.push((what.to_string(), words));
        if self.cut > 0 {
            row("cut or stuck", self.cut.to_string());
        }
        for ((role, wins), goal) in self.roles.iter().zip(&self.wins).zip(&self.goals) {
            row(&format!("{role} wins"), format!("{wins}, mean goal {goal:.1}"));
        }
        if self.roles.len() > 1 {
            row("draws", self.draws.to_string());
            row("decisive", format!("{:.0} %", 100.0 * (1.0 - self.draws.share)));
        }
        if let [first, second] = &self.wins[..] {
            let edge = 100.0 * (first.share - second.share);
            let sure = first.low > second.high || second.low > first.high;
            row(
                "first player's edge",
                format!("{edge:+.0} points{}", if sure { "" } else { " (within the intervals)" }),
            );
        }
        row("length", format!("{:.1} moves ({} to {})", self.length.1, self.length.0, self.length.2));
        row("choices", format!("{:.1} a decision, at most {}", self.branching.0, self.branching.1));
        if let Some(changes) = self.lead_changes {
            row("lead changes", format!("{changes:.1} a game"));
        }
        for rung in &self.depth {
            row("depth", format!("{} random games against {}: {}", rung.more, rung.less, rung.score));
        }
        let list = |all: &[String]| if all.is_empty() { "none".to_string() } else { all.join(", ") };
        row("never legal", list(&self.never_legal));
        row("legal, never made", list(&self.never_made));
        if self.watched > 0 {
            let many = self.never_used.len();
            let rules = if many == 1 { "rule" } else { "rules" };
            let words = if many == 0 {
                "every rule was used".to_string()
            } else {
                format!("{many} {rules} in {} states", self.watched)
            };
            row("rules never used", words);
            self.never_used.iter().take(MOST_RULES).for_each(|rule| row("rules never used", rule.clone()));
            if many > MOST_RULES {
                row("rules never used", format!("and {} more", many - MOST_RULES));
            }
        }
        if !self.perft.is_empty() {
            let counts: Vec<String> =
                self.perft.iter().enumerate().map(|(at, many)| format!("{}: {many}", at + 1)).collect();
            row("ways to go on", format!("after so many moves: {}", counts.join(", ")));
        }
        rows
    }
}

/// Reports beside each other as a page.
pub fn page(reports: &[Report]) -> String {
    let title: Vec<String> = reports.iter().map(|report| escaped(&report.title)).collect();
    let title = title.join(" and ");
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <title>{title}</title><style>{STYLE}</style></head><body><h1>{title}</h1>\n"
    );
    let rows: Vec<Vec<(String, String)>> = reports.iter().map(Report::rows).collect();
    let mut names: Vec<&String> = Vec::new();
    // Rows that only the second has stand where it has them, not at the end.
    for own in &rows {
        let mut after = 0;
        for (name, _) in own {
            match names.iter().position(|known| *known == name) {
                Some(at) => after = at + 1,
                None => {
                    names.insert(after, name);
                    after += 1;
                }
            }
        }
    }
    page += "<div class=\"wide\"><table>";
    if reports.len() > 1 {
        let heads: String =
            reports.iter().map(|report| format!("<th scope=\"col\">{}</th>", escaped(&report.title))).collect();
        let _ = writeln!(page, "<tr><td></td>{heads}</tr>");
    }
    for name in names {
        let cells: String = rows
            .iter()
            .map(|own| {
                let words: Vec<String> =
                    own.iter().filter(|(other, _)| other == name).map(|(_, words)| escaped(words)).collect();
                format!("<td>{}</td>", words.join("<br>"))
            })
            .collect();
        let _ = writeln!(page, "<tr><th scope=\"row\">{}</th>{cells}</tr>", escaped(name));
    }
    page += "</table></div><div class=\"plots\">";
    for report in reports {
        let lengths: Vec<(f64, f64)> = report.lengths.iter().map(|(&at, &many)| (at as f64, many as f64)).collect();
        let choices: Vec<(f64, f64)> =
            report.choices.iter().enumerate().map(|(at, &many)| ((at + 1) as f64, many)).collect();
        page += &plot(&format!("{}: games by their number of moves", report.title), &lengths);
        page += &plot(&format!("{}: choices by move", report.title), &choices);
        let ways: Vec<(f64, f64)> =
            report.perft.iter().enumerate().map(|(at, &many)| ((at + 1) as f64, (many as f64).log10())).collect();
        page += &plot(&format!("{}: ways to go on by move (digits of the number)", report.title), &ways);
    }
    page + "</div><p class=\"note\">Intervals hold the true share in 95 of 100 cases.</p></body></html>\n"
}

/// Bars.
fn plot(title: &str, points: &[(f64, f64)]) -> String {
    let (wide, tall) = (480.0, 180.0);
    let first = points.first().map_or(0.0, |point| point.0);
    let last = points.last().map_or(1.0, |point| point.0);
    let most = points.iter().map(|point| point.1).fold(1.0, f64::max);
    let count = (last - first + 1.0).max(1.0);
    let one = (wide - 50.0) / count;
    let mut bars = String::new();
    for (at, many) in points {
        let high = (tall - 40.0) * many / most;
        let x = 40.0 + (at - first) * one;
        let _ = write!(
            bars,
            "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{high:.1}\" fill=\"var(--bar)\"/>",
            tall - 25.0 - high,
            (one * 0.85).max(1.0)
        );
    }
    let base = tall - 25.0;
    format!(
        "<figure><figcaption>{title}</figcaption><svg viewBox=\"0 0 {wide} {tall}\" role=\"img\" aria-label=\"{title}\" font-size=\"12\" fill=\"currentColor\">{bars}\
         <path d=\"M38 10V{base}H{wide}\" fill=\"none\" stroke=\"currentColor\"/><text x=\"34\" y=\"18\" text-anchor=\"end\">{most:.0}</text>\
         <text x=\"42\" y=\"{y}\">{first:.0}</text><text x=\"{wide}\" y=\"{y}\" text-anchor=\"end\">{last:.0}</text></svg></figure>",
        title = escaped(title),
        y = tall - 8.0
    )
}
