//! A plan as one page for browsers, with nothing from elsewhere: the parts of its [report](crate::report), boards and plots as SVG.

use crate::file::Plan;
use crate::plot;
use crate::report::{Block, Plot};
use std::fmt::Write as _;
use study::picture::escaped;

const STYLE: &str = "\
:root{color-scheme:light dark;--paper:#fdfcf9;--ink:#222;--board:#e9dfc8;--dark:#d3c19a;--line:#b5ad9a;--first:#4472a8;--second:#b8504f;--bar:#5a9e5a;--stage1:#5a9e5a;--stage2:#d98a3d;--stage3:#4472a8}
@media(prefers-color-scheme:dark){:root{--paper:#1b1c1e;--ink:#e6e3dc;--board:#4a463d;--dark:#3a372f;--line:#6b665a;--first:#5b8fd0;--second:#cf6a68;--bar:#6db56d;--stage1:#6db56d;--stage2:#dc9a55;--stage3:#5b8fd0}}
*{box-sizing:border-box}
body{background:var(--paper);color:var(--ink);font:17px/1.5 Georgia,serif;max-width:46rem;margin:2rem auto;padding:0 1rem;overflow-wrap:break-word}
h1,h2,h3{font-weight:normal;line-height:1.25}h2{margin-top:2.5rem;border-bottom:1px solid var(--line)}h3{margin-top:2rem}
ol li,ul li{margin:.3rem 0}ul{padding-left:1.3rem}figure{margin:1.2rem 0;display:flex;flex-wrap:wrap;gap:.6rem 1.4rem;align-items:flex-start}
figure>div{flex:1 1 18rem;min-width:0}figure>div p{margin:0 0 .4rem}
svg{max-width:100%;height:auto}.plot{margin:1.2rem 0}.plot svg{width:100%;max-width:540px}.wide{overflow-x:auto}summary{cursor:pointer;opacity:.75}
table{border-collapse:collapse;font-size:.92em}td,th{padding:.2rem 1rem .2rem 0;text-align:right;vertical-align:top;white-space:nowrap}th{font-weight:normal;opacity:.75;white-space:normal;vertical-align:bottom}
td:first-child,th:first-child{text-align:left}dt{font-style:italic}dd{margin:0 0 .5rem 1.3rem}
.note,small{font-size:.85em;opacity:.75}code{font-size:.8em;overflow-wrap:anywhere;opacity:.75}
@media print{:root{--paper:#fff;--ink:#000}details>*{display:block}body{max-width:none;margin:0;font-size:11pt}figure,table,.plot,li{break-inside:avoid}h2,h3{break-after:avoid}}";

/// The page; `draw` makes a picture of a position as SVG, which may be empty.
pub fn page(plan: &Plan, draw: &dyn Fn(&str) -> String) -> String {
    let title = escaped(&plan.title());
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n<h1>{title}</h1>\n"
    );
    for block in plan.report() {
        put(&mut page, plan, &block, draw);
    }
    let _ = writeln!(page, "<p class=\"note\">Ludens {}</p></html>", escaped(&plan.version));
    page
}

fn put(page: &mut String, plan: &Plan, block: &Block, draw: &dyn Fn(&str) -> String) {
    let _ = match block {
        Block::Heading(text) => writeln!(page, "<h2>{}</h2>", escaped(text)),
        Block::Under(text) => writeln!(page, "<h3>{}</h3>", escaped(text)),
        Block::Text(text) => writeln!(page, "<p>{}</p>", escaped(text)),
        Block::Note(text) => writeln!(page, "<p class=\"note\">{}</p>", escaped(text)),
        Block::Numbered(list) => {
            let items: String = list.iter().map(|text| format!("<li>{}</li>\n", escaped(text))).collect();
            writeln!(page, "<ol>\n{items}</ol>")
        }
        Block::Lines(lines) => writeln!(page, "{}", nested(lines)),
        Block::Terms(terms) => {
            let one = |(word, meaning): &(String, String)| {
                format!("<dt>{}</dt><dd>{}</dd>\n", escaped(word), escaped(meaning))
            };
            writeln!(page, "<dl>\n{}</dl>", terms.iter().map(one).collect::<String>())
        }
        Block::Table(rows) => writeln!(page, "{}", table(rows)),
        Block::Plotted(rows) => writeln!(page, "<details><summary>as a table</summary>{}</details>", table(rows)),
        Block::Board(position, said) => {
            let mut lines = said.iter().map(|line| escaped(line));
            let first = lines.next().unwrap_or_default();
            let rest: String = lines.map(|line| format!("<p>{line}</p>")).collect();
            let code = escaped(position);
            writeln!(
                page,
                "<figure>{}<div><p><b>{first}</b></p>{rest}<code>{code}</code></div></figure>",
                draw(position)
            )
        }
        Block::Plot(plot) => {
            let svg = match (plot, &plan.stages) {
                (Plot::Success, _) => plot::success(&plan.reached),
                (Plot::Staged, Some(stages)) => plot::staged(stages),
                (Plot::Levels, Some(stages)) => plot::levels(stages),
                (Plot::Correlations, Some(stages)) if !stages.relevance.correlations.is_empty() => {
                    plot::correlations(stages)
                }
                (Plot::Levels | Plot::Correlations | Plot::Staged, _) => String::new(),
            };
            if svg.is_empty() { Ok(()) } else { writeln!(page, "<div class=\"plot\">{svg}</div>") }
        }
    };
}

fn table(rows: &[Vec<String>]) -> String {
    let mut text = "<div class=\"wide\"><table>\n".to_string();
    for (at, row) in rows.iter().enumerate() {
        let tag = if at == 0 { "th" } else { "td" };
        let cells: String = row.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect();
        let _ = writeln!(text, "<tr>{cells}</tr>");
    }
    text + "</table></div>"
}

/// Lines as lists inside of lists.
fn nested(lines: &[(usize, String)]) -> String {
    let mut text = String::new();
    let mut depth = 0;
    for (at, (level, line)) in lines.iter().enumerate() {
        if at == 0 {
            text += "<ul>";
        }
        while depth < *level {
            text += "<ul>";
            depth += 1;
        }
        while depth > *level {
            text += "</ul>";
            depth -= 1;
        }
        // An item ends where the next one begins, so that what is inside of it can follow.
        let _ = writeln!(text, "<li>{}", escaped(line));
    }
    text + &"</ul>".repeat(if lines.is_empty() { 0 } else { depth + 1 })
}
