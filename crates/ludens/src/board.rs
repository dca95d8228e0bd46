//! The boards of `study` on a terminal.

use agent::studying::dressed;
use anyhow::Result;
use gdl::Rules;
use library::Sheet;
use machine::Engine;
use study::picture::{Ink, Layout, Span, Style, plain, text as lines};
use study::{Plan, Study};
use terminal::{Paint, Style as Colour, text};

/// Draws the states of a game.
pub struct Boards {
    layout: Layout,
    style: Style,
    paint: Paint,
    /// The facts that were drawn last: what differs from them is marked.
    last: Option<Vec<String>>,
}

impl Boards {
    /// Looks at the game for a moment, to see what its states look like.
    pub fn new(rules: &Rules, engine: &Engine) -> Boards {
        let study = Study::run(rules, engine, Plan::quick());
        let paint = Paint::for_stdout();
        // More than ASCII is safe where the words of the locale say so.
        let is_utf8 =
            |name: &str| std::env::var(name).is_ok_and(|value| value.to_lowercase().replace('-', "").contains("utf8"));
        let unicode = paint.is_on() && ["LC_ALL", "LC_CTYPE", "LANG"].iter().any(|name| is_utf8(name));
        let style = Style { colour: paint.is_on(), unicode, width: text::width().saturating_sub(2) };
        Boards { layout: Layout::new(&study), style, paint, last: None }
    }

    /// The same with the looks that lie beside the rules.
    ///
    /// # Errors
    /// When what lies there cannot be read.
    pub fn dressed(mut self, sheet: &Sheet) -> Result<Boards> {
        self.layout = dressed(self.layout, sheet)?;
        Ok(self)
    }

    /// The picture of a state, two columns from the left. What changed since the last one is marked.
    pub fn draw(&mut self, facts: &[String]) -> String {
        let picture = self.layout.picture(facts, self.last.as_deref());
        self.last = Some(facts.to_vec());
        let lines = lines(&picture, &self.style);
        let page: String = match self.style.colour {
            true => lines.iter().map(|line| coloured(self.paint, line) + "\n").collect(),
            false => plain(&lines),
        };
        page.lines().map(|line| if line.is_empty() { "\n".to_string() } else { format!("  {line}\n") }).collect()
    }

    /// How the states are drawn.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The next picture has nothing to be compared with.
    pub fn forget(&mut self) {
        self.last = None;
    }
}

fn coloured(paint: Paint, line: &[Span]) -> String {
    let mut page = String::new();
    for span in line {
        let mut styles = match span.ink {
            Ink::Plain => Vec::new(),
            Ink::Piece(role) if role % 2 == 0 => vec![Colour::First],
            Ink::Piece(_) => vec![Colour::Second],
            Ink::Label => vec![Colour::Label],
            Ink::Blank => vec![Colour::Dim],
        };
        styles.extend(span.changed.then_some(Colour::Mark));
        page += &paint.paint(&styles, &span.text);
    }
    page
}
