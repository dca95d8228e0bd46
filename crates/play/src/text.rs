//! Just enough KIF to take messages apart: words and lists as pieces of the text. No recursion, so that no message can
//! exhaust the stack.

/// Whether this byte stands between words.
fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b || byte == 0
}

/// Whether a word ends before this byte.
fn ends_word(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b'(' | b')' | b';')
}

/// One piece of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Token<'a> {
    Open(usize),
    Close(usize),
    Word(usize, &'a str),
}

/// The tokens of a text; comments (from `;` to the end of the line) are left out.
fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at;
            match *bytes.get(at)? {
                b';' => {
                    let rest = &bytes[at..];
                    at += rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
                }
                b'(' => {
                    at += 1;
                    return Some(Token::Open(start));
                }
                b')' => {
                    at += 1;
                    return Some(Token::Close(start));
                }
                byte if is_space(byte) => at += 1,
                _ => {
                    at += bytes[at..].iter().position(|&byte| ends_word(byte)).unwrap_or(bytes.len() - at);
                    return Some(Token::Word(start, &text[start..at]));
                }
            }
        }
    })
}

/// The words and lists that a text consists of, each as it is written. A list that is never closed goes to the end of
/// the text; a parenthesis that closes nothing is passed over.
///
/// ```
/// assert_eq!(play::text::members("PLAY m1 ( (mark 1 1) noop )"), ["PLAY", "m1", "( (mark 1 1) noop )"]);
/// ```
pub fn members(text: &str) -> Vec<&str> {
    let mut members = Vec::new();
    let (mut depth, mut from) = (0usize, 0);
    for token in tokens(text) {
        match token {
            Token::Word(_, word) if depth == 0 => members.push(word),
            Token::Word(..) => {}
            Token::Open(at) => {
                if depth == 0 {
                    from = at;
                }
                depth += 1;
            }
            Token::Close(at) => {
                if depth == 1 {
                    members.push(&text[from..=at]);
                }
                depth = depth.saturating_sub(1);
            }
        }
    }
    if depth > 0 {
        members.push(&text[from..]);
    }
    members
}

/// What stands between the parentheses, if the text is a list; what follows the list does not count.
///
/// ```
/// assert_eq!(play::text::inside(" (a (b) c) d"), Some("a (b) c"));
/// assert_eq!(play::text::inside("a (b)"), None);
/// ```
pub fn inside(text: &str) -> Option<&str> {
    let mut depth = 0usize;
    let mut from = None;
    for token in tokens(text) {
        match (token, from) {
            (Token::Open(at), None) => (from, depth) = (Some(at + 1), 1),
            (_, None) => return None,
            (Token::Open(_), _) => depth += 1,
            (Token::Close(at), Some(from)) => {
                depth -= 1;
                if depth == 0 {
                    return Some(&text[from..at]);
                }
            }
            (Token::Word(..), _) => {}
        }
    }
    from.map(|from| &text[from..])
}

/// Whether all lists of the text are closed, and there is something in it.
pub fn is_whole(text: &str) -> bool {
    let (mut depth, mut any) = (0i64, false);
    for token in tokens(text) {
        any = true;
        depth += match token {
            Token::Open(_) => 1,
            Token::Close(_) => -1,
            Token::Word(..) => 0,
        };
    }
    any && depth <= 0
}

/// One term in canonical form: single spaces, none inside the parentheses, no parentheses around a single word. `None`
/// if the text is not exactly one term, or is nested too deeply to be one.
///
/// ```
/// assert_eq!(play::text::tidy(" ( Mark 1\n 1 )").as_deref(), Some("(Mark 1 1)"));
/// assert_eq!(play::text::tidy("( noop )").as_deref(), Some("noop"));
/// assert_eq!(play::text::tidy("mark 1 1"), None);
/// ```
pub fn tidy(text: &str) -> Option<String> {
    let mut open: Vec<Vec<String>> = vec![Vec::new()];
    for token in tokens(text) {
        match token {
            Token::Open(_) if open.len() > gdl::MAX_DEPTH => return None,
            Token::Open(_) => open.push(Vec::new()),
            Token::Word(_, word) => open.last_mut()?.push(word.to_string()),
            Token::Close(_) => {
                let mut members = open.pop()?;
                let list = match &members[..] {
                    [] => return None,
                    [word] if !word.starts_with('(') => members.remove(0),
                    _ => format!("({})", members.join(" ")),
                };
                open.last_mut()?.push(list);
            }
        }
    }
    match &mut open[..] {
        [members] if members.len() == 1 => members.pop(),
        _ => None,
    }
}

/// The form in which moves are compared: canonical and without regard to case.
pub fn folded(text: &str) -> Option<String> {
    tidy(text).map(|text| text.to_lowercase())
}

/// A text as a single word, for names in messages.
pub fn word(text: &str) -> String {
    let good = |c: char| !c.is_whitespace() && !c.is_control() && !matches!(c, '(' | ')' | ';' | '?' | '"');
    let word: String = text.chars().map(|c| if good(c) { c } else { '-' }).collect();
    if word.is_empty() { "nameless".to_string() } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_broken_lists() {
        assert_eq!(members("a ) (b (c"), ["a", "(b (c"]);
        assert_eq!(members("; nothing\n a;b\nc"), ["a", "c"]);
        assert_eq!(inside("(a (b"), Some("a (b"));
        assert_eq!(inside(""), None);
        assert!(is_whole("(a) ") && is_whole("a") && !is_whole("(a") && !is_whole(" "));
    }

    #[test]
    fn deep_nesting_is_no_term() {
        let deep = "(".repeat(100_000) + "a" + &")".repeat(100_000);
        assert_eq!(tidy(&deep), None);
        assert_eq!(members(&deep).len(), 1);
        assert_eq!(tidy("((a))").as_deref(), Some("a"));
        assert_eq!(tidy("()"), None);
        assert_eq!(tidy("(a) b"), None);
        assert_eq!(folded("(MARK (A b))").as_deref(), Some("(mark (a b))"));
    }

    #[test]
    fn names_become_words() {
        assert_eq!(word("my player (1)"), "my-player--1-");
        assert_eq!(word(""), "nameless");
    }
}
