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
    fn long_text_is_cut() {
        assert_eq!(fit("abcdef", 4), "abc…");
        assert_eq!(fit("abcd", 4), "abcd");
    }
}
