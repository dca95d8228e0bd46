//! The way back from the board to facts: what a state is called in which something else stands in a cell.

use super::{Layer, Layout, split};

/// A fact with other words at the ends of some ways.
fn replaced(fact: &str, changes: &[(&[u8], &str)]) -> String {
    if let Some((_, text)) = changes.iter().find(|(way, _)| way.is_empty()) {
        return text.to_string();
    }
    if changes.is_empty() {
        return fact.to_string();
    }
    let (name, args) = split(fact);
    let mut text = format!("({name}");
    for (at, arg) in args.iter().enumerate() {
        let inner: Vec<(&[u8], &str)> =
            changes.iter().filter(|(way, _)| usize::from(way[0]) == at).map(|(way, text)| (&way[1..], *text)).collect();
        text += " ";
        text += &replaced(arg, &inner);
    }
    text + ")"
}

impl Layer {
    fn holds(&self, fact: &str) -> bool {
        let (name, args) = split(fact);
        name == self.fluent.0 && args.len() == self.fluent.1
    }

    /// A fact of this layer made from another one: that content at that place.
    fn written(&self, like: &str, group: Option<&str>, place: &[String], content: &str) -> Option<String> {
        // Where the name of the fluent is the content, there is no other.
        let words: Vec<&str> = content.split(' ').collect();
        let parts: Vec<&str> = if self.content.is_empty() { Vec::new() } else { words };
        if parts.len() != self.content.len() || self.content.is_empty() && content != self.fluent.0 {
            return None;
        }
        let mut changes: Vec<(&[u8], &str)> = Vec::new();
        changes.extend(self.group.as_ref().zip(group).map(|(way, group)| (&way[..], group)));
        changes.extend(self.place.iter().zip(place).map(|(way, word)| (&way[..], word.as_str())));
        changes.extend(self.content.iter().zip(parts).map(|(way, word)| (&way[..], word)));
        Some(replaced(like, &changes))
    }
}

impl Layout {
    /// The facts of a state with something else in a cell: `thing`, or nothing. `can_be` says whether a fact is one of the game at all, and `like` has facts
    /// of every kind, such as those of the start. `None` if the cell cannot have that.
    pub fn put(
        &self,
        facts: &[String],
        (board, cell): (usize, usize),
        thing: Option<&str>,
        like: &[String],
        can_be: &dyn Fn(&str) -> bool,
    ) -> Option<Vec<String>> {
        let place = &self.boards.get(board)?.cells.get(cell)?.name;
        let layers = self.layers.iter().filter(|layer| layer.boards.values().any(|&own| own == board));
        let mut kept: Vec<String> = facts.to_vec();
        let mut blanks = Vec::new();
        let mut made = None;
        for layer in layers {
            let group = layer.boards.iter().find(|(_, own)| **own == board).and_then(|(group, _)| group.as_deref());
            kept.retain(|fact| {
                !layer.holds(fact) || layer.read(fact).is_none_or(|(own, at, _)| own != board || at != *place)
            });
            let Some(model) = facts.iter().chain(like).find(|fact| layer.holds(fact)) else { continue };
            let write = |content: &str| layer.written(model, group, place, content).filter(|fact| can_be(fact));
            match thing.filter(|_| made.is_none()).and_then(write) {
                Some(fact) => made = Some(fact),
                None => blanks.extend(layer.blank.as_deref().and_then(write)),
            }
        }
        if thing.is_some() && made.is_none() {
            return None;
        }
        kept.extend(made.into_iter().chain(blanks));
        Some(kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_replaced_where_they_stand() {
        assert_eq!(replaced("(cell a 1 wk)", &[(&[2], "bq")]), "(cell a 1 bq)");
        assert_eq!(replaced("(at (pos 1 2) x)", &[(&[0, 1], "9"), (&[1], "o")]), "(at (pos 1 9) o)");
        assert_eq!(replaced("(at x)", &[]), "(at x)");
    }
}
