//! The boards of `study` on a terminal.

use gdl::Rules;
use machine::Engine;
use std::io::IsTerminal;
use study::picture::{Ink, Layout, Span, Style, plain, text as lines};
use study::{Plan, Study};
use terminal::text;

/// Draws the states of a game.
pub struct Boards {
    layout: Layout,
    style: Style,
    /// The facts that were drawn last: what differs from them is marked.
    last: Option<Vec<String>>,
}

impl Boards {
    /// Looks at the game for a moment, to see what its states look like.
    pub fn new(rules: &Rules, engine: &Engine) -> Boards {
        let study = Study::run(rules, engine, Plan::quick());
        let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty());
        // More than ASCII is safe where the words of the locale say so.
        let is_utf8 =
            |name: &str| std::env::var(name).is_ok_and(|value| value.to_lowercase().replace('-', "").contains("utf8"));
        let unicode = colour && ["LC_ALL", "LC_CTYPE", "LANG"].iter().any(|name| is_utf8(name));
        let style = Style { colour, unicode, width: text::width().saturating_sub(2) };
        Boards { layout: Layout::new(&study), style, last: None }
    }

    /// The picture of a state, two columns from the left. What changed since the last one is marked.
    pub fn draw(&mut self, facts: &[String]) -> String {
        let picture = self.layout.picture(facts, self.last.as_deref());
        self.last = Some(facts.to_vec());
        let lines = lines(&picture, &self.style);
        let page: String = match self.style.colour {
            true => lines.iter().map(|line| coloured(line) + "\n").collect(),
            false => plain(&lines),
        };
        page.lines().map(|line| if line.is_empty() { "\n".to_string() } else { format!("  {line}\n") }).collect()
    }

    /// The next picture has nothing to be compared with.
    pub fn forget(&mut self) {
        self.last = None;
    }
}

fn coloured(line: &[Span]) -> String {
    let mut text = String::new();
    for span in line {
        let ink = match span.ink {
            Ink::Plain => "",
            Ink::Piece(0) => "1;33",
            Ink::Piece(1) => "1;36",
            Ink::Piece(2) => "1;32",
            Ink::Piece(_) => "1;35",
            Ink::Label | Ink::Blank => "2",
        };
        let changed = if span.changed { "7" } else { "" };
        let codes: Vec<&str> = [ink, changed].into_iter().filter(|code| !code.is_empty()).collect();
        match codes.is_empty() {
            true => text += &span.text,
            false => text += &format!("\x1b[{}m{}\x1b[0m", codes.join(";"), span.text),
        }
    }
    text
}
