//! Columns of text for people: tables, wrapped lists, words.

/// How wide the terminal is that is written to, if it is one.
pub fn terminal_width() -> Option<usize> {
    terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| (width.0 as usize).max(40))
}

/// How wide the terminal is; 100 columns where there is none.
pub fn width() -> usize {
    terminal_width().unwrap_or(100)
}

/// How many lines the terminal has that is written to; 24 where there is none.
pub fn height() -> usize {
    terminal_size::terminal_size_of(std::io::stdout()).map_or(24, |(_, height)| (height.0 as usize).max(8))
}

/// Text that fits into so many columns, with an ellipsis where something was cut.
pub fn fit(text: &str, columns: usize) -> String {
    if text.chars().count() <= columns {
        return text.to_string();
    }
    let mut cut: String = text.chars().take(columns.saturating_sub(1)).collect();
    cut.truncate(cut.trim_end().len());
    cut + "…"
}

/// `1 game`, `2 games`.
pub fn count(n: usize, noun: &str) -> String {
    format!(
        "{n} {noun}{}",
        if n == 1 {
            ""
        } else if noun.ends_with("ch") {
            "es"
        } else {
            "s"
        }
    )
}

/// A number of seconds, with as many digits as tell something.
pub fn seconds(value: f64) -> String {
    match value {
        v if v < 0.01 => format!("{:.2} ms", v * 1e3),
        v if v < 1.0 => format!("{:.0} ms", v * 1e3),
        v if v < 100.0 => format!("{v:.2} s"),
        v => format!("{v:.0} s"),
    }
}

/// A duration that need not be exact: `12 s`, `5 min`, `2 h 10 min`.
pub fn duration(seconds: f64) -> String {
    match seconds.max(0.0).round() as u64 {
        s if s < 120 => format!("{s} s"),
        s if s < 120 * 60 => format!("{} min", s.div_ceil(60)),
        s => format!("{} h {} min", s / 3600, s % 3600 / 60),
    }
}

/// Text with its lines broken at blanks, so that each fits into `width` columns. A line that is broken goes on after
/// `indent` blanks; a word that is too long stays whole. Lines that fit stay as they are.
pub fn wrap(text: &str, width: usize, indent: usize) -> String {
    let lines: Vec<String> = text.split('\n').map(|line| wrap_line(line, width, indent)).collect();
    lines.join("\n")
}

fn wrap_line(line: &str, width: usize, indent: usize) -> String {
    if line.chars().count() <= width {
        return line.to_string();
    }
    let (blanks, words) = line.split_at(line.len() - line.trim_start().len());
    // What is too narrow for an indent does without it.
    let indent = if indent + 10 > width { 0 } else { indent };
    let mut broken = blanks.to_string();
    let mut column = blanks.chars().count();
    let mut is_first = true;
    // Several blanks between words are part of how a line looks.
    for word in words.split_inclusive(' ') {
        let length = word.trim_end().chars().count();
        if !is_first && column + length > width {
            broken.truncate(broken.trim_end().len());
            broken += "\n";
            broken += &" ".repeat(indent);
            column = indent;
        }
        broken += word;
        column += word.chars().count();
        is_first = false;
    }
    broken.truncate(broken.trim_end().len());
    broken
}

/// As [`wrap`], for standard output where it is a terminal: whatever reads a pipe wants lines as they are.
pub fn wrap_for_terminal(text: &str, indent: usize) -> String {
    terminal_width().map_or_else(|| text.to_string(), |width| wrap(text, width, indent))
}

/// A message for standard error, with its lines broken where that is a terminal. Lines that begin with a blank or with a
/// number and a bar show something in its place (an excerpt of a text) and stay as they are.
pub fn message(text: &str) -> String {
    let width = terminal_size::terminal_size_of(std::io::stderr()).map(|(width, _)| (width.0 as usize).max(40));
    width.map_or_else(|| text.to_string(), |width| message_of(text, width))
}

fn message_of(text: &str, width: usize) -> String {
    let is_excerpt =
        |line: &str| line.starts_with(' ') || line.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(" | ");
    let whole = |line: &str| if is_excerpt(line) { line.to_string() } else { wrap_line(line, width, 2) };
    text.split('\n').map(whole).collect::<Vec<_>>().join("\n")
}

/// Things in as many columns as fit into `width`, filled column by column; two spaces before each line.
pub fn columns(items: &[String], width: usize) -> String {
    let widest = items.iter().map(|item| item.chars().count()).max().unwrap_or(0) + 2;
    let across = (width.saturating_sub(2) / widest).max(1);
    let down = items.len().div_ceil(across).max(1);
    let mut text = String::new();
    for row in 0..down.min(items.len()) {
        let line: Vec<&String> = items.iter().skip(row).step_by(down).collect();
        let padded: String = line.iter().map(|item| format!("{item:<widest$}")).collect();
        text += &format!("  {}\n", padded.trim_end());
    }
    text
}

/// Lines with their cells aligned: the first column to the left, the others to the right. The first row is the head.
pub fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|c| rows.iter().filter_map(|row| row.get(c)).map(|cell| cell.chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in rows {
        let line: Vec<String> = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(c, (cell, &width))| if c == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") })
            .collect();
        text += &format!("{}\n", line.join("  ").trim_end());
    }
    text
}

/// Text that may come from a forged file, fit for a terminal.
pub fn plain(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_fill_downwards() {
        let items: Vec<String> = ["a", "b", "c", "d", "e"].map(str::to_string).to_vec();
        assert_eq!(columns(&items, 10), "  a  d\n  b  e\n  c\n");
        assert_eq!(columns(&[], 10), "");
    }

    #[test]
    fn durations_are_rough() {
        assert_eq!([0.2, 119.0, 121.0, 7260.0].map(duration), ["0 s", "119 s", "3 min", "2 h 1 min"]);
        assert_eq!(duration(-1.0), "0 s");
    }

    #[test]
    fn lines_break_at_words() {
        assert_eq!(wrap("one two three four", 9, 0), "one two\nthree\nfour");
        assert_eq!(wrap("one two three four five", 14, 2), "one two three\n  four five");
        assert_eq!(wrap("  kept  as   it is", 18, 4), "  kept  as   it is");
        assert_eq!(wrap("incomprehensibilities", 10, 2), "incomprehensibilities");
        assert_eq!(wrap("one incomprehensibilities", 10, 0), "one\nincomprehensibilities");
        assert_eq!(wrap("a b\n\nc d\n", 10, 0), "a b\n\nc d\n");
        for width in 10..60 {
            let text = "Each line is as long as it may be, and no word is lost or moved, whatever the width is.";
            let wrapped = wrap(text, width, 3);
            assert!(wrapped.lines().all(|line| line.chars().count() <= width), "{wrapped}");
            assert_eq!(wrapped.split_whitespace().collect::<Vec<_>>(), text.split(' ').collect::<Vec<_>>());
        }
    }

    #[test]
    fn excerpts_in_messages_stay_as_they_are() {
        let text = "ludens: there is something wrong here\n5 | (role white) (role black)\n  |       ^^^^^";
        assert_eq!(message_of(text, 40), text);
        assert!(
            message_of(text, 20)
                .starts_with("ludens: there is\n  something wrong\n  here\n5 | (role white) (role black)\n")
        );
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(fit("abcdef", 4), "abc…");
        assert_eq!(fit("abcd", 4), "abcd");
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(plain("a\x1b[31mb\n–é"), "a\\u{1b}[31mb\\n–é");
    }
}
