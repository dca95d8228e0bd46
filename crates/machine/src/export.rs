//! A net as C source: a library with a small interface that is the same for every game.
//!
//! The library is made of fixed texts (`export/text/`: the interface, the functions behind it, examples) and of what belongs
//! to the game: names, the first state, where the outputs are, and the two programs of the circuit. The programs are
//! written as statements while there are not too many of them, and as tables beyond that.

mod straight;
mod table;

use crate::circuit::Wire;
use crate::net::{PropNet, State};
use game::{Game, Move, Names, Role};
use std::fmt;

/// A file of the library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceFile {
    /// Its name, without a folder.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// How the operations of a net are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// A statement for each: the fastest, until the code is larger than the caches of the processor.
    Statements,
    /// A table, and a loop that runs it: small, and quick to compile.
    Table,
}

impl Style {
    /// What suits the size of a net.
    pub fn for_net(net: &PropNet) -> Style {
        if net.size().operations <= MOST_STATEMENTS { Style::Statements } else { Style::Table }
    }
}

/// Nets with more operations are written as tables. See `docs/compile.md` for what was measured.
const MOST_STATEMENTS: usize = 20_000;

/// Why a net is not written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadName;

impl fmt::Display for BadName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name of files is made of letters, digits, - and _, begins with none of the last two, and is not `example`")
    }
}

impl std::error::Error for BadName {}

/// A program, written.
struct Written {
    text: String,
    slots: u32,
    outputs: Vec<u32>,
}

/// Writes a net as a C library. Its files are called after `name`; `game` is what the game is called in its texts.
///
/// ```
/// let rules = gdl::parse("(role me) (init (at 1)) (<= (legal me go) (true (at 1))) (<= (next (at 2)) (does me go))
///     (<= terminal (true (at 2))) (<= (goal me 100) (true (at 2)))").rules;
/// let net = machine::PropNet::new(&rules, machine::Budget::default()).unwrap();
/// let files = machine::export(&net, "step", "one step", machine::Style::Statements).unwrap();
/// assert_eq!(files[0].name, "step.h");
/// assert!(files[1].text.contains("\"(at 2)\""));
/// ```
pub fn export(net: &PropNet, name: &str, game: &str, style: Style) -> Result<Vec<SourceFile>, BadName> {
    if !is_fit(name) {
        return Err(BadName);
    }
    let written = match style {
        Style::Statements => straight::write(&net.circuit, (net.fact_count() + net.move_count()) as u32),
        Style::Table => table::write(&net.circuit),
    };
    let facts = fact_names(net);
    let state_size = net.fact_count().div_ceil(8).max(1);
    let fill = [
        ("@NAME@", name.to_string()),
        ("@GAME@", plain(game)),
        ("@GUARD@", format!("LUDENS_{}_H", name.replace('-', "_").to_ascii_uppercase())),
        ("@ROLES@", net.roles().to_string()),
        ("@MOVES@", net.move_count().to_string()),
        ("@FACTS@", facts.len().to_string()),
        ("@STATE_SIZE@", state_size.to_string()),
        ("@SCRATCH_SIZE@", (1 + state_size + written.slots as usize).to_string()),
    ];
    let filled = |text: &str| fill.iter().fold(text.to_string(), |text, (mark, value)| text.replace(mark, value));
    let parts = [filled(TYPES), tables(net, game, &facts, &written), written.text, RUNTIME.to_string()];
    let file = |name: String, text: String| SourceFile { name, text };
    Ok(vec![
        file(format!("{name}.h"), filled(HEADER)),
        file(format!("{name}.c"), parts.concat()),
        file("example.c".to_string(), filled(EXAMPLE_C)),
        file("example.py".to_string(), filled(EXAMPLE_PY)),
        file("Makefile".to_string(), filled(MAKEFILE)),
        file("README.md".to_string(), filled(README)),
    ])
}

const HEADER: &str = include_str!("export/text/header.h");
const TYPES: &str = include_str!("export/text/types.c");
const RUNTIME: &str = include_str!("export/text/runtime.c");
const EXAMPLE_C: &str = include_str!("export/text/example.c");
const EXAMPLE_PY: &str = include_str!("export/text/example.py");
const MAKEFILE: &str = include_str!("export/text/Makefile");
const README: &str = include_str!("export/text/README.md");

/// Whether files can be called this, in a shell, in a makefile and in an `#include`.
fn is_fit(name: &str) -> bool {
    let fine = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(fine)
        && !name.eq_ignore_ascii_case("example")
}

/// A text that can stand in a comment of any language.
fn plain(text: &str) -> String {
    let fine = |c: char| c.is_alphanumeric() || " -_.,()'".contains(c);
    text.chars().map(|c| if fine(c) { c } else { '_' }).collect()
}

/// The names of all facts by number; those that hold in every state come last.
fn fact_names(net: &PropNet) -> Vec<String> {
    let nothing = State(vec![0; net.fact_count().div_ceil(64)].into());
    (0..net.fact_count()).map(|fact| net.fact_text(fact)).chain(net.facts(&nothing)).collect()
}

/// What belongs to the game, as C.
fn tables(net: &PropNet, game: &str, facts: &[String], written: &Written) -> String {
    let (moves, goals) = (net.move_count(), &net.goals);
    let roles = (0..net.roles() as u8).map(|role| net.role_name(Role(role)).to_string());
    let move_names = (0..moves as u32).map(|mv| net.move_text(Move(mv)));
    let first_moves: Vec<u32> = [0].into_iter().chain(net.ends.iter().map(|&end| end as u32)).collect();
    let sizes: Vec<usize> = first_moves.windows(2).map(|pair| (pair[1] - pair[0]) as usize).collect();
    let most = sizes.iter().copied().max().unwrap_or(0);
    let state = (0..net.fact_count().div_ceil(8)).map(|byte| net.start.0[byte / 8] >> (byte % 8 * 8) & 0xff);
    let outputs: Vec<u32> = written.outputs.iter().map(|&slot| wire(Wire { slot, negated: false })).collect();
    let (state_outputs, next) = outputs.split_at(moves + 1 + goals.len());
    let mut text = format!(
        "enum {{ SLOTS = {}, CHANGING = {}, MOVES = {moves}, BLOCKS = {}, BITS = {} }};\n\n",
        written.slots,
        net.fact_count(),
        sizes.iter().map(|size| size.div_ceil(15)).sum::<usize>(),
        (usize::BITS - most.leading_zeros()).max(1),
    );
    let counts = [
        ("role_count", net.roles()),
        ("move_count", moves),
        ("fact_count", facts.len()),
        ("changing_count", net.fact_count()),
        ("goal_count", goals.len()),
    ];
    for (name, count) in counts {
        text += &format!("static const uint32_t {name} = {count};\n");
    }
    text += &format!("\nstatic const char game_name[] = {};\n\n", quoted(game));
    text += &format!("static const char *const role_names[] = {};\n\n", Lines::of(roles.map(|name| quoted(&name))));
    text +=
        &format!("static const char *const move_names[] = {};\n\n", Lines::of(move_names.map(|name| quoted(&name))));
    text +=
        &format!("static const char *const fact_names[] = {};\n\n", Lines::of(facts.iter().map(|name| quoted(name))));
    text += &format!("static const uint32_t first_moves[] = {};\n\n", Lines::of(first_moves));
    text += &format!("static const unsigned char first_state[] = {};\n\n", Lines::of(state));
    text += &format!("static const uint32_t legal_wires[] = {};\n\n", Lines::of(&state_outputs[..moves]));
    text += &format!("static const uint32_t terminal_wire = {};\n\n", state_outputs[moves]);
    text += &format!("static const uint32_t goal_wires[] = {};\n\n", Lines::of(&state_outputs[moves + 1..]));
    text += &format!("static const uint32_t goal_roles[] = {};\n\n", Lines::of(goals.iter().map(|goal| goal.0.0)));
    let values = goals.iter().map(|goal| goal.1.map_or(-1, i32::from));
    text += &format!(
        "/* -1: something that is no number from 0 to 100. */\nstatic const int goal_values[] = {};\n\n",
        Lines::of(values)
    );
    text += &format!("static const uint32_t next_wires[] = {};\n\n", Lines::of(next));
    text
}

/// A wire as a number: twice the slot, plus one where it is negated.
fn wire(wire: Wire) -> u32 {
    wire.slot * 2 + u32::from(wire.negated)
}

/// A text as a C string. Bytes beyond ASCII are written as octal numbers, which end after three digits whatever follows;
/// question marks are escaped, because two of them begin a trigraph.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | b'?' => out.extend(['\\', char::from(byte)]),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => out += &format!("\\{byte:03o}"),
        }
    }
    out + "\""
}

/// An initialiser of many elements, in lines of about 110 characters. C knows no empty arrays: where there is nothing, a 0
/// that is never read takes its place.
struct Lines(Vec<String>);

impl Lines {
    fn of(items: impl IntoIterator<Item = impl fmt::Display>) -> Lines {
        Lines(items.into_iter().map(|item| item.to_string()).collect())
    }
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("{0}");
        }
        f.write_str("{")?;
        let mut width = usize::MAX;
        for item in &self.0 {
            if width > 110 {
                f.write_str("\n   ")?;
                width = 0;
            }
            write!(f, " {item},")?;
            width += item.len() + 2;
        }
        f.write_str("\n}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Budget;

    /// Walking in a circle of nine places, forwards or by a recursive rule; one place is never left out.
    const WALK: &str = "(role me) (role it) (init (at 1)) (init (always here)) (next (always here)) (legal it noop)
        (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9) (succ 9 1)
        (<= (seen ?x) (true (at ?x))) (<= (seen ?y) (seen ?x) (succ ?x ?y) (not (true (shut ?y))))
        (<= (legal me (go ?x)) (seen ?x)) (<= (legal me (shut ?x)) (seen ?x) (not (true (at ?x))))
        (<= (next (at ?x)) (does me (go ?x))) (<= (next (at ?x)) (true (at ?x)) (does me (shut ?y)))
        (<= (next (shut ?x)) (does me (shut ?x))) (<= (next (shut ?x)) (true (shut ?x)))
        (<= terminal (true (at 9))) (<= (goal me 100) (true (at 9))) (<= (goal me 0) (not (true (at 9))))";

    fn net() -> PropNet {
        PropNet::new(&gdl::parse(WALK).rules, Budget::default()).unwrap()
    }

    #[test]
    fn strings_are_c() {
        assert_eq!(quoted("(at 1)"), r#""(at 1)""#);
        assert_eq!(quoted(r#"a"b\c"#), r#""a\"b\\c""#);
        assert_eq!(quoted("??=\u{e9}1\n"), r#""\?\?=\303\2511\012""#);
    }

    #[test]
    fn lists_are_never_empty_and_not_too_wide() {
        assert_eq!(Lines::of(Vec::<u32>::new()).to_string(), "{0}");
        assert_eq!(Lines::of([1, 2]).to_string(), "{\n    1, 2,\n}");
        let long = Lines::of(1000..2000).to_string();
        assert!(long.lines().all(|line| line.len() < 125) && long.matches(',').count() == 1000);
    }

    #[test]
    fn names_of_files_are_checked() {
        for name in ["tic-tac-toe", "a", "3d_chess"] {
            assert!(is_fit(name), "{name}");
        }
        for name in ["", "-a", "_a", "a b", "a/b", "..", "é", "Example", "a\"", "a$b"] {
            assert!(!is_fit(name), "{name}");
            assert!(export(&net(), name, "walk", Style::Table).is_err());
        }
    }

    #[test]
    fn all_files_are_filled_in() {
        for style in [Style::Statements, Style::Table] {
            let files = export(&net(), "a-walk", "a walk */ \n", style).unwrap();
            let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
            assert_eq!(names, ["a-walk.h", "a-walk.c", "example.c", "example.py", "Makefile", "README.md"]);
            for file in &files {
                assert!(!file.text.contains('@') || file.name == "Makefile", "{}", file.name);
                assert!(!file.text.contains("@NAME@") && file.text.ends_with('\n'), "{}", file.name);
            }
            assert!(files[0].text.contains("The game a walk __ _ as a library"), "{}", files[0].text);
            assert!(files[0].text.contains("#ifndef LUDENS_A_WALK_H"));
            let source = &files[1].text;
            assert!(source.contains(r#""(at 9)""#) && source.contains(r#""(go 9)""#));
            // What holds in every state comes last.
            assert!(source.contains("\"(always here)\",\n}"));
        }
    }

    #[test]
    fn nothing_changes_but_what_callers_give() {
        for style in [Style::Statements, Style::Table] {
            let source = &export(&net(), "walk", "walk", style).unwrap()[1].text;
            for line in source.lines().filter(|line| line.trim_start().starts_with("static ")) {
                assert!(line.contains("const ") || line.contains('('), "{line}");
            }
        }
    }

    #[test]
    fn every_operation_is_a_statement() {
        let net = net();
        let written = straight::write(&net.circuit, (net.fact_count() + net.move_count()) as u32);
        let count = |kind: &str| {
            let functions = written.text.split("static void ").filter(|text| text.starts_with("part_"));
            let own = functions.filter(|text| text.contains(&format!("_{kind}({kind} *s)")));
            own.map(|text| text.matches(";\n").count()).sum::<usize>()
        };
        assert_eq!((count("bit"), count("plane")), (net.size().operations, net.size().operations));
        assert_eq!(written.text.matches("do {").count(), 2, "the loop of `seen`, for one state and for many");
        assert!(written.outputs.iter().all(|&slot| slot < written.slots));
    }

    #[test]
    fn tables_hold_every_operation() {
        let net = net();
        let written = table::write(&net.circuit);
        let (_, rest) = written.text.split_once("state_ops[] = {").unwrap();
        let numbers = rest.split_once('}').unwrap().0.matches(',').count();
        assert_eq!(numbers, 3 * net.circuit.state.pair_count());
        assert!(written.text.starts_with("typedef uint16_t slot_number;"));
    }

    #[test]
    fn the_same_net_gives_the_same_text() {
        for style in [Style::Statements, Style::Table] {
            assert_eq!(export(&net(), "walk", "walk", style), export(&net(), "walk", "walk", style));
        }
        assert_eq!(Style::for_net(&net()), Style::Statements);
    }
}
