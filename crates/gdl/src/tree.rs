//! Words and lists: what both readers make of a text, before anyone asks what is a rule and what is a term.

use std::borrow::Cow;

use crate::problem::{Problem, Span};

/// After this many problems of writing the rest is not worth telling.
pub(crate) const MOST_PROBLEMS: usize = 50;

/// The most words and lists in a text. It bounds the memory that a hostile text can ask for: a description near this
/// size would be ten times as long as any published one.
const MAX_NODES: usize = 4 << 20;

/// A node of the tree.
pub(crate) struct Node<'a> {
    pub span: Span,
    pub kind: NodeKind<'a>,
}

pub(crate) enum NodeKind<'a> {
    /// A name. Its text differs from the span's where it was written in quotes or as an operator.
    Name(Cow<'a, str>),
    /// A variable, without the mark that makes it one.
    Var(&'a str),
    /// A variable that is different from every other.
    Blank,
    /// A word that cannot be used. Why was told already.
    Broken,
    /// A list, by the numbers of its members.
    List(Vec<u32>),
}

/// A forest in one array.
#[derive(Default)]
pub(crate) struct Tree<'a> {
    pub nodes: Vec<Node<'a>>,
    pub roots: Vec<u32>,
}

impl<'a> Tree<'a> {
    pub fn add(&mut self, span: Span, kind: NodeKind<'a>) -> u32 {
        self.nodes.push(Node { span, kind });
        (self.nodes.len() - 1) as u32
    }

    /// About how much memory the tree takes: arrays grow by doubling, and each list is an array of its own.
    pub fn bytes(&self) -> usize {
        self.nodes.len() * (5 * size_of::<Node<'_>>() / 4 + 8)
    }

    /// The problem to tell if no more nodes may be added.
    pub fn full(&self, at: usize) -> Option<Problem> {
        (self.nodes.len() >= MAX_NODES).then(|| {
            Problem::error(
                "too-large",
                Span::new(at as u32, at as u32),
                format!("this text has more than {MAX_NODES} words"),
                "is this really a game description? The rest of the text was not read",
            )
        })
    }

    /// The clauses: the roots, or what is inside a single list around everything (as the GGP protocol sends rules).
    pub fn unwrapped(&self) -> &[u32] {
        if let [root] = self.roots[..]
            && let Some(members) = self.list(root)
            && members.first().is_some_and(|&first| self.list(first).is_some())
        {
            return members;
        }
        &self.roots
    }

    pub fn span(&self, node: u32) -> Span {
        self.nodes[node as usize].span
    }

    pub fn list(&self, node: u32) -> Option<&[u32]> {
        match &self.nodes[node as usize].kind {
            NodeKind::List(members) => Some(members),
            _ => None,
        }
    }

    pub fn name(&self, node: u32) -> Option<&str> {
        match &self.nodes[node as usize].kind {
            NodeKind::Name(name) => Some(name),
            _ => None,
        }
    }
}

/// A piece of the text for use in a message: short, and without characters that would disturb a terminal.
pub(crate) fn quote(text: &str) -> String {
    const MOST: usize = 40;
    let mut shown: String =
        text.chars().take(MOST).map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect();
    if text.chars().nth(MOST).is_some() {
        shown.push('…');
    }
    shown
}
