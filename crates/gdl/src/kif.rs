//! The prefix form: parentheses and words to a tree. No recursion anywhere, so that no text can exhaust the stack.

use crate::MAX_DEPTH;
use crate::problem::{Problem, Span};

/// A node of the tree.
pub(crate) struct Node {
    pub span: Span,
    pub kind: NodeKind,
}

pub(crate) enum NodeKind {
    /// A word; its text is the span's.
    Word,
    /// A list, by the numbers of its members.
    List(Vec<u32>),
}

/// A forest in one array.
#[derive(Default)]
pub(crate) struct Tree {
    pub nodes: Vec<Node>,
    pub roots: Vec<u32>,
}

impl Tree {
    fn add(&mut self, span: Span, kind: NodeKind) -> u32 {
        self.nodes.push(Node { span, kind });
        (self.nodes.len() - 1) as u32
    }
}

/// After this many problems of writing the rest is not worth telling.
const MOST_PROBLEMS: usize = 50;

/// Reads the whole text. What is broken is told in `problems`; what can be read is in the tree.
pub(crate) fn read(text: &str, problems: &mut Vec<Problem>) -> Tree {
    let bytes = text.as_bytes();
    let mut tree = Tree::default();
    let mut open: Vec<(u32, Vec<u32>)> = Vec::new();
    let mut at = 0;
    while at < bytes.len() && problems.len() < MOST_PROBLEMS {
        match bytes[at] {
            b';' => {
                while at < bytes.len() && bytes[at] != b'\n' && bytes[at] != b'\r' {
                    at += 1;
                }
            }
            b'(' => {
                if open.len() == MAX_DEPTH {
                    problems.push(Problem::error(
                        "too-deep",
                        Span::new(at as u32, at as u32 + 1),
                        format!("lists are nested deeper than {MAX_DEPTH} here"),
                        "count the parentheses before this place; the rest of the text was not read",
                    ));
                    return tree;
                }
                open.push((at as u32, Vec::new()));
                at += 1;
            }
            b')' => {
                at += 1;
                let Some((start, members)) = open.pop() else {
                    problems.push(Problem::error(
                        "unopened",
                        Span::new(at as u32 - 1, at as u32),
                        "this parenthesis closes nothing",
                        "remove it, or add the `(` it belongs to",
                    ));
                    continue;
                };
                let node = tree.add(Span::new(start, at as u32), NodeKind::List(members));
                open.last_mut().map_or(&mut tree.roots, |(_, members)| members).push(node);
            }
            byte if byte.is_ascii_whitespace() || byte == 0x0b => at += 1,
            _ => {
                let start = at;
                while at < bytes.len() && !ends_word(bytes[at]) {
                    at += 1;
                }
                // A byte-order mark is three bytes of no meaning at the very start.
                if start == 0 && &text[start..at] == "\u{feff}" {
                    continue;
                }
                let node = tree.add(Span::new(start as u32, at as u32), NodeKind::Word);
                open.last_mut().map_or(&mut tree.roots, |(_, members)| members).push(node);
            }
        }
    }
    for (start, _) in open {
        problems.push(Problem::error(
            "unclosed",
            Span::new(start, start + 1),
            "this parenthesis is never closed",
            "add `)` where this list should end",
        ));
    }
    tree
}

fn ends_word(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'(' | b')' | b';' | 0x0b)
}
