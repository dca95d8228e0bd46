//! The circuit as tables that a small loop runs: for nets so large that a C compiler would choke on their statements.

use super::{Lines, Written, wire};
use crate::circuit::{Circuit, Code, Do, Piece};
use std::fmt::Write;

const INTERPRETER: &str = include_str!("text/interpreter.c");

/// Writes both programs. Slots are those of the circuit.
pub(super) fn write(circuit: &Circuit) -> Written {
    let number = if circuit.slots <= 1 << 16 { "uint16_t" } else { "uint32_t" };
    let mut text = format!("typedef {number} slot_number;\n{INTERPRETER}");
    program(&mut text, "state", &circuit.state);
    program(&mut text, "moves", &circuit.moves);
    Written { text, slots: circuit.slots, outputs: circuit.outputs.clone() }
}

fn program(text: &mut String, name: &str, code: &Code) {
    let code = code.in_pairs();
    let mut pieces = Vec::new();
    let mut grows = Vec::new();
    let mut inside = 0;
    for piece in &code.pieces {
        pieces.extend(match piece {
            &Piece::Run { what, count, .. } => [kind(what), count],
            Piece::Loop { grows: slots } => {
                grows.extend(slots.iter().flat_map(|&(slot, from)| [slot, wire(from)]));
                inside = slots.len() as u32;
                [3, inside]
            }
            Piece::End => [4, inside],
        });
    }
    let count = pieces.len() / 2;
    let ops = code.places().iter().map(|place| place / Code::WORDS);
    let _ = write!(text, "static const uint32_t {name}_pieces[] = {};\n\n", Lines::of(pieces));
    let _ = write!(text, "static const uint32_t {name}_grows[] = {};\n\n", Lines::of(grows));
    let _ = write!(text, "static const slot_number {name}_ops[] = {};\n\n", Lines::of(ops));
    for kind in ["bit", "plane"] {
        let _ = write!(
            text,
            "static void {name}_program_{kind}({kind} *s)\n{{\n    run_{kind}({name}_pieces, {count}, {name}_ops, \
             {name}_grows, s);\n}}\n\n"
        );
    }
}

fn kind(what: Do) -> u32 {
    match what {
        Do::And => 0,
        Do::AndNot => 1,
        Do::Or => 2,
    }
}
