//! A plan as one page for browsers: sentences, what following them reaches, and an example for each, with nothing from elsewhere.

use crate::file::{Plan, Reached, Subject};
use std::fmt::Write as _;
use study::picture::escaped;

const STYLE: &str = "\
:root{color-scheme:light dark;--paper:#fdfcf9;--ink:#222;--board:#e9dfc8;--line:#b5ad9a;--first:#4472a8;--second:#b8504f;--bar:#5a9e5a}
@media(prefers-color-scheme:dark){:root{--paper:#1b1c1e;--ink:#e6e3dc;--board:#4a463d;--line:#6b665a;--first:#5b8fd0;--second:#cf6a68;--bar:#6db56d}}
body{background:var(--paper);color:var(--ink);font:17px/1.5 Georgia,serif;max-width:46rem;margin:2rem auto;padding:0 1rem}
h1,h2{font-weight:normal}ol li{margin:.4rem 0}figure{margin:1rem 0 2rem}figcaption{margin:.4rem 0}
svg{max-width:100%;height:auto}table{border-collapse:collapse}td,th{padding:.2rem .8rem .2rem 0;text-align:right}td:first-child,th:first-child{text-align:left}
small{opacity:.7}code{font-size:.85em;overflow-wrap:anywhere}";

/// The page. For each example of the plan there is a picture of its position as SVG, which may be empty.
pub fn page(plan: &Plan, pictures: &[String]) -> String {
    let title = plan.title();
    let sentences = plan.sentences();
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <title>{0}</title>\n<style>{STYLE}</style>\n<h1>{0}</h1>\n<p>Look {1} ahead. Of the moves you have, keep those that serve the first \
         sentence best, whatever the other side replies; of these, those that serve the second best; and so on.</p>\n<ol>\n",
        escaped(&title),
        plies(plan.plies)
    );
    for sentence in &sentences {
        let _ = writeln!(page, "<li>{}</li>", escaped(sentence));
    }
    let _ = writeln!(page, "</ol>\n<p><small>{} words</small></p>\n<h2>What it reaches</h2>", plan.word_count());
    page += &chart(&plan.reached);
    page += "<table><tr><th>looking ahead</th><th>can be won</th><th>won</th><th>moves over the optimum</th><th>at most</th></tr>\n";
    for reached in &plan.reached {
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{:.2}</td><td>{}</td></tr>",
            plies(reached.plies),
            reached.positions,
            reached.won,
            reached.excess,
            reached.worst
        );
    }
    page += "</table>\n<p><small>Counted over every position that can be won, against every reply, and whichever of equally good moves is made. \
             Looking one ply ahead is what a reader does who sees only these sentences and the next move.</small></p>\n";
    if !plan.examples.is_empty() {
        page += "<h2>Examples</h2>\n";
    }
    let none = String::new();
    for (example, picture) in plan.examples.iter().zip(pictures.iter().chain(std::iter::repeat(&none))) {
        let number = example.goal.map_or(0, |goal| goal + 1);
        let sentence = sentences.get(number).map_or("", String::as_str);
        let _ = writeln!(
            page,
            "<figure>{picture}<figcaption><b>{}.</b> {} <b>{}</b><br><code>{}</code></figcaption></figure>",
            number + 1,
            escaped(sentence),
            escaped(&example.line.join(" ")),
            escaped(&example.position)
        );
    }
    let _ = writeln!(page, "<p><small>Ludens {}</small></p></html>", escaped(&plan.version));
    page
}

fn plies(count: usize) -> String {
    if count == 1 { "1 ply".to_string() } else { format!("{count} plies") }
}

/// Bars of what is won, against best replies and against replies drawn at random.
fn chart(reached: &[Reached]) -> String {
    let mut bars: Vec<(String, f64)> = Vec::new();
    for reached in reached {
        bars.push((format!("{}, best replies", plies(reached.plies)), reached.share()));
        bars.extend(reached.random.map(|share| (format!("{}, random replies", plies(reached.plies)), share)));
    }
    let height = 30 * bars.len() + 6;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 {height}\" width=\"640\" height=\"{height}\" role=\"img\" \
         font-family=\"sans-serif\" font-size=\"13\">"
    );
    for (at, (name, share)) in bars.iter().enumerate() {
        let y = 30 * at + 6;
        let _ = write!(
            svg,
            "<text x=\"0\" y=\"{0}\" fill=\"var(--ink)\">{1}</text><rect x=\"170\" y=\"{y}\" width=\"400\" height=\"20\" fill=\"var(--board)\"/>\
             <rect x=\"170\" y=\"{y}\" width=\"{2:.1}\" height=\"20\" fill=\"var(--bar)\"/><text x=\"578\" y=\"{0}\" fill=\"var(--ink)\">{3}</text>",
            y + 15,
            escaped(name),
            400.0 * share.clamp(0.0, 1.0),
            percent(*share)
        );
    }
    svg + "</svg>\n"
}

/// A share in per cent; what is not all is never written as all.
pub fn percent(share: f64) -> String {
    if share >= 1.0 { "100 %".to_string() } else { format!("{:.2} %", (share * 10_000.0).floor() / 100.0) }
}

impl Plan {
    /// What the plan is for, as a heading.
    pub fn title(&self) -> String {
        match &self.subject {
            Subject::Ending { material, .. } => format!("{material}: a plan for white"),
            Subject::Game { name, role, .. } => format!("{name}: a plan for {role}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_in_per_cent() {
        assert_eq!([percent(1.0), percent(0.99999), percent(0.5)], ["100 %", "99.99 %", "50.00 %"]);
    }
}
