//! Colour where the terminal has it and nobody minds.

use std::env;
use std::io::{IsTerminal, stdout};

/// What a piece of text is, for whoever looks at it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// A piece of the first player.
    First,
    /// A piece of the second player.
    Second,
    /// What has just changed: the last move.
    Mark,
    /// The name of a row or a column.
    Label,
    /// What is there without meaning anything: an empty place.
    Dim,
}

impl Style {
    /// The parameters of the escape sequence. Colours of the terminal's own palette, because these are made for its background.
    fn code(self) -> &'static str {
        match self {
            Style::First => "1;36",
            Style::Second => "1;31",
            Style::Mark => "7",
            Style::Label | Style::Dim => "2",
        }
    }
}

/// Colours text, or leaves it as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Paint {
    is_on: bool,
}

impl Paint {
    /// Always plain.
    pub const PLAIN: Paint = Paint { is_on: false };
    /// Always coloured.
    pub const COLOURED: Paint = Paint { is_on: true };

    /// What is right for standard output: colour on a terminal, unless `NO_COLOR` is set or the terminal is dumb;
    /// `CLICOLOR_FORCE` asks for it even in a pipe.
    pub fn for_stdout() -> Paint {
        let set = |name: &str| env::var_os(name).map(|value| value.to_string_lossy().into_owned());
        Paint { is_on: is_wanted(&set, stdout().is_terminal()) }
    }

    /// Whether it colours at all.
    pub fn is_on(self) -> bool {
        self.is_on
    }

    /// The text in these styles.
    ///
    /// ```
    /// use terminal::style::{Paint, Style};
    /// assert_eq!(Paint::PLAIN.paint(&[Style::First], "x"), "x");
    /// assert_eq!(Paint::COLOURED.paint(&[Style::First, Style::Mark], "x"), "\x1b[1;36;7mx\x1b[0m");
    /// ```
    pub fn paint(self, styles: &[Style], text: &str) -> String {
        if !self.is_on || styles.is_empty() || text.is_empty() {
            return text.to_string();
        }
        let codes: Vec<&str> = styles.iter().map(|style| style.code()).collect();
        format!("\x1b[{}m{text}\x1b[0m", codes.join(";"))
    }
}

/// Whether colour is wanted, by the conventions of no-color.org and bixense.com/clicolors.
fn is_wanted(set: &dyn Fn(&str) -> Option<String>, is_terminal: bool) -> bool {
    let is_set = |name: &str| set(name).is_some_and(|value| !value.is_empty());
    let is_zero = |name: &str| set(name).is_some_and(|value| value == "0");
    if is_set("NO_COLOR") {
        return false;
    }
    if is_set("CLICOLOR_FORCE") && !is_zero("CLICOLOR_FORCE") {
        return true;
    }
    is_terminal && !is_zero("CLICOLOR") && set("TERM").is_none_or(|term| term != "dumb")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conventions_are_followed() {
        let wanted = |variables: &[(&str, &str)], is_terminal: bool| {
            let set = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_string());
            is_wanted(&set, is_terminal)
        };
        assert!(wanted(&[("TERM", "xterm")], true) && wanted(&[], true));
        assert!(!wanted(&[("TERM", "xterm")], false));
        assert!(!wanted(&[("TERM", "dumb")], true));
        assert!(!wanted(&[("NO_COLOR", "1")], true) && wanted(&[("NO_COLOR", "")], true));
        assert!(wanted(&[("CLICOLOR_FORCE", "1")], false) && !wanted(&[("CLICOLOR_FORCE", "0")], false));
        assert!(!wanted(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], true));
        assert!(!wanted(&[("CLICOLOR", "0")], true));
    }
}
