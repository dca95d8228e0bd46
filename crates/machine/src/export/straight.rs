//! The circuit as C statements, a statement for each operation, cut into functions that a compiler digests.
//!
//! The circuit's own order gathers operations of one kind; here each value is worked out shortly before it is used, so
//! that most values are local to a function and never leave the registers. Only what one function hands to another has a
//! slot, and no slot is used twice.

use super::{Lines, Written, wire};
use crate::circuit::{Circuit, Code, Do, Piece, Wire};
use std::fmt::Write;

/// The most statements of a function. The time that compilers take grows faster than the length of functions.
const FUNCTION: usize = 500;

/// How a value comes about.
#[derive(Clone, Copy)]
enum Source {
    /// A constant, an input of the net, or a slot that a loop fills.
    Given,
    Made(Do, u32, u32),
}

/// A part of a program.
enum Part {
    /// Values to work out, in an order that can be run.
    Values(Vec<u32>),
    /// What follows up to `End` is repeated.
    Loop(Vec<(u32, Wire)>),
    End,
}

/// Where a value is worked out and where it is needed.
#[derive(Clone, Copy)]
struct Place {
    /// The function that makes it; `GIVEN` if none does.
    function: u32,
    /// Whether that function uses it itself.
    inside: bool,
    /// Its slot, where something else uses it.
    slot: Option<u32>,
}

/// The function of what is not made.
const GIVEN: u32 = u32::MAX;

/// Writes both programs.
pub(super) fn write(circuit: &Circuit, inputs: u32) -> Written {
    let mut reading = Reading { sources: vec![Source::Given; 1 + inputs as usize], at: Vec::new() };
    reading.at = (0..circuit.slots.max(inputs + 1)).map(|slot| if slot <= inputs { slot } else { 0 }).collect();
    let mut programs = [&circuit.state, &circuit.moves].map(|code| reading.parts(&code.in_pairs()));
    // As in the circuit, but with values in the place of slots.
    let outputs: Vec<u32> = circuit.outputs.iter().map(|&slot| reading.at[slot as usize]).collect();
    let sources = reading.sources;
    arrange(&sources, &mut programs, &outputs);
    let (places, slots) = place(&sources, &programs, &outputs, inputs);
    let mut writer = Writer { sources: &sources, places: &places, text: String::new(), function: 0, loops: 0 };
    for (name, parts) in ["state", "moves"].into_iter().zip(&programs) {
        writer.program(name, parts);
    }
    Written {
        text: writer.text,
        slots,
        outputs: outputs.into_iter().map(|value| places[value as usize].slot.unwrap_or(0)).collect(),
    }
}

/// Turns slots, which are used again and again, into values, each of which is made once.
struct Reading {
    sources: Vec<Source>,
    /// The value that each slot holds at the moment.
    at: Vec<u32>,
}

impl Reading {
    fn value(&self, wire: Wire) -> Wire {
        Wire { slot: self.at[wire.slot as usize], negated: wire.negated }
    }

    fn fresh(&mut self, source: Source, slot: u32) -> u32 {
        let value = self.sources.len() as u32;
        self.sources.push(source);
        self.at[slot as usize] = value;
        value
    }

    fn parts(&mut self, code: &Code) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut values = Vec::new();
        let mut ops = code.ops();
        let mut open = None;
        for piece in &code.pieces {
            match piece {
                &Piece::Run { what, inputs, count } => {
                    for (to, from) in ops.run(inputs, count) {
                        let (a, b) = (self.at[from[0] as usize], self.at[from[1] as usize]);
                        values.push(self.fresh(Source::Made(what, a, b), to));
                    }
                }
                Piece::Loop { grows } => {
                    parts.push(Part::Values(std::mem::take(&mut values)));
                    grows.iter().for_each(|&(slot, _)| {
                        self.fresh(Source::Given, slot);
                    });
                    open = Some((parts.len(), grows));
                    parts.push(Part::Loop(Vec::new()));
                }
                Piece::End => {
                    parts.push(Part::Values(std::mem::take(&mut values)));
                    if let Some((at, grows)) = open.take() {
                        let grows = grows.iter().map(|&(slot, wire)| (self.at[slot as usize], self.value(wire)));
                        parts[at] = Part::Loop(grows.collect());
                    }
                    parts.push(Part::End);
                }
            }
        }
        parts.push(Part::Values(values));
        parts.retain(|part| !matches!(part, Part::Values(values) if values.is_empty()));
        parts
    }
}

/// Puts the values of each part in the order in which they are needed.
fn arrange(sources: &[Source], programs: &mut [Vec<Part>; 2], outputs: &[u32]) {
    let mut part_of = vec![0; sources.len()];
    for (number, part) in programs.iter().flatten().enumerate() {
        if let Part::Values(values) = part {
            values.iter().for_each(|&value| part_of[value as usize] = number + 1);
        }
    }
    // Values that other parts need, those of the outputs first and in their order.
    let mut wanted = outputs.to_vec();
    for part in programs.iter().flatten() {
        match part {
            Part::Values(values) => {
                for &value in values {
                    let Source::Made(_, a, b) = sources[value as usize] else { continue };
                    let own = part_of[value as usize];
                    wanted.extend([a, b].into_iter().filter(|&input| part_of[input as usize] != own));
                }
            }
            Part::Loop(grows) => wanted.extend(grows.iter().map(|(_, wire)| wire.slot)),
            Part::End => {}
        }
    }
    let mut roots: Vec<Vec<u32>> = vec![Vec::new(); programs.iter().map(Vec::len).sum::<usize>() + 1];
    wanted.iter().for_each(|&value| roots[part_of[value as usize]].push(value));
    let mut done: Vec<bool> = sources.iter().map(|source| matches!(source, Source::Given)).collect();
    for (number, part) in programs.iter_mut().flatten().enumerate() {
        if let Part::Values(values) = part {
            let inside = |value: u32| part_of[value as usize] == number + 1;
            *values = needed(sources, &roots[number + 1], &mut done, inside);
        }
    }
}

/// The values behind the roots, inputs before what uses them.
fn needed(sources: &[Source], roots: &[u32], done: &mut [bool], inside: impl Fn(u32) -> bool) -> Vec<u32> {
    let mut order = Vec::new();
    let mut stack: Vec<(u32, u8)> = Vec::new();
    for &root in roots {
        stack.push((root, 0));
        while let Some((value, stage)) = stack.pop() {
            let Source::Made(_, a, b) = sources[value as usize] else { continue };
            if done[value as usize] || !inside(value) {
                continue;
            }
            if stage < 2 {
                stack.push((value, stage + 1));
                stack.push(([a, b][stage as usize], 0));
            } else {
                done[value as usize] = true;
                order.push(value);
            }
        }
    }
    order
}

/// Divides the values among functions and gives a slot to those that more than one function needs. Answers also how many
/// slots there are.
fn place(sources: &[Source], programs: &[Vec<Part>; 2], outputs: &[u32], inputs: u32) -> (Vec<Place>, u32) {
    let mut places = vec![Place { function: GIVEN, inside: false, slot: None }; sources.len()];
    let mut functions = 0;
    for part in programs.iter().flatten() {
        let Part::Values(values) = part else { continue };
        for chunk in values.chunks(FUNCTION) {
            chunk.iter().for_each(|&value| places[value as usize].function = functions);
            functions += 1;
        }
    }
    let mut shared: Vec<bool> = (0..sources.len()).map(|value| value <= inputs as usize).collect();
    outputs.iter().for_each(|&value| shared[value as usize] = true);
    for part in programs.iter().flatten() {
        match part {
            Part::Values(values) => {
                for &value in values {
                    let Source::Made(_, a, b) = sources[value as usize] else { continue };
                    let own = places[value as usize].function;
                    for input in [a as usize, b as usize] {
                        let inside = places[input].function == own;
                        places[input].inside |= inside;
                        shared[input] |= !inside;
                    }
                }
            }
            Part::Loop(grows) => grows.iter().for_each(|&(slot, wire)| {
                shared[slot as usize] = true;
                shared[wire.slot as usize] = true;
            }),
            Part::End => {}
        }
    }
    let mut slots = 0;
    for (place, _) in places.iter_mut().zip(&shared).filter(|(_, shared)| **shared) {
        place.slot = Some(slots);
        slots += 1;
    }
    (places, slots)
}

struct Writer<'a> {
    sources: &'a [Source],
    places: &'a [Place],
    text: String,
    function: u32,
    loops: u32,
}

impl Writer<'_> {
    /// The functions of a program, and the one that calls them, for one state and for many.
    fn program(&mut self, name: &str, parts: &[Part]) {
        let (function, loops) = (self.function, self.loops);
        for part in parts {
            if let Part::Loop(grows) = part {
                let numbers = grows.iter().flat_map(|&(slot, from)| {
                    let at = |value: u32| self.places[value as usize].slot.unwrap_or(0);
                    [at(slot), wire(Wire { slot: at(from.slot), negated: from.negated })]
                });
                let numbers = Lines::of(numbers);
                let _ = write!(self.text, "static const uint32_t grows_{}[] = {numbers};\n\n", self.loops);
                self.loops += 1;
            }
        }
        for kind in ["bit", "plane"] {
            (self.function, self.loops) = (function, loops);
            let mut body = String::new();
            let mut indent = "    ";
            let mut end = String::new();
            for part in parts {
                match part {
                    Part::Values(values) => {
                        for chunk in values.chunks(FUNCTION) {
                            self.statements(chunk, kind);
                            let _ = writeln!(body, "{indent}part_{}_{kind}(s);", self.function);
                            self.function += 1;
                        }
                    }
                    Part::Loop(grows) => {
                        let table = format!("grows_{}, {}, s", self.loops, grows.len());
                        let _ = writeln!(body, "    clear_{kind}({table});\n    do {{");
                        end = format!("    }} while (grow_{kind}({table}));");
                        indent = "        ";
                        self.loops += 1;
                    }
                    Part::End => {
                        let _ = writeln!(body, "{end}");
                        indent = "    ";
                    }
                }
            }
            if body.is_empty() {
                body.push_str("    (void)s;\n");
            }
            let _ = write!(self.text, "static void {name}_program_{kind}({kind} *s)\n{{\n{body}}}\n\n");
        }
    }

    fn statements(&mut self, values: &[u32], kind: &str) {
        let function = self.function;
        let _ = writeln!(self.text, "static void part_{function}_{kind}({kind} *s)\n{{");
        for &value in values {
            let Source::Made(what, a, b) = self.sources[value as usize] else { continue };
            let place = self.places[value as usize];
            self.text.push_str("    ");
            if place.inside {
                let _ = write!(self.text, "const {kind} v{value} = ");
            }
            if let Some(slot) = place.slot {
                let _ = write!(self.text, "s[{slot}] = ");
            }
            self.operand(a);
            self.text.push_str(match what {
                Do::And => " & ",
                Do::AndNot => " & ~",
                Do::Or => " | ",
            });
            self.operand(b);
            self.text.push_str(";\n");
        }
        self.text.push_str("}\n\n");
    }

    fn operand(&mut self, value: u32) {
        let place = self.places[value as usize];
        let _ = match place.slot {
            Some(slot) if place.function != self.function => write!(self.text, "s[{slot}]"),
            _ => write!(self.text, "v{value}"),
        };
    }
}
