//! Terms as text: one form for all ways of writing the same KIF term.
//!
//! Enough to compare what people and programs type with what an engine prints. It is no reader of rules: any words and
//! parentheses have a form.

/// The same text for all ways of writing a term: small letters, single spaces, none inside the parentheses, and a single word
/// without parentheses.
pub(crate) fn same_form(text: &str) -> String {
    let spaced = text.to_lowercase().replace('(', " ( ").replace(')', " ) ");
    let mut words: Vec<&str> = Vec::new();
    for word in spaced.split_whitespace() {
        words.push(word);
        if let [.., "(", inner, ")"] = words[..]
            && !matches!(inner, "(" | ")")
        {
            words.truncate(words.len() - 3);
            words.push(inner);
        }
    }
    let mut form = String::with_capacity(text.len());
    for word in words {
        if word != ")" && !form.is_empty() && !form.ends_with('(') {
            form.push(' ');
        }
        form.push_str(word);
    }
    form
}

#[cfg(test)]
mod tests {
    use super::same_form;

    #[test]
    fn spaces_case_and_idle_parentheses_make_no_difference() {
        for text in ["(move 1 (f b))", " ( MOVE  1(F B)) ", "(move (1) (f b))"] {
            assert_eq!(same_form(text), "(move 1 (f b))", "{text}");
        }
        assert_eq!(same_form("(noop)"), "noop");
        assert_ne!(same_form("(move 11 b)"), same_form("(move 1 1 b)"));
        assert_eq!(same_form("(("), "((");
    }
}
