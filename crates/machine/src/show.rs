//! A net for people: as text, and as a graph for Graphviz.

use crate::circuit::{Code, Do, Piece, Wire};
use crate::net::PropNet;
use game::{Move, Names, Role};
use std::collections::HashMap;
use std::fmt::Write;

impl PropNet {
    /// Every operation and output of the net, a line each. Inputs go by their names, everything else by the number of
    /// its slot; a slot may be used again once nothing needs its value.
    pub fn listing(&self) -> String {
        let mut text = String::from("facts to legal moves, end and goals\n");
        self.list_code(&self.circuit.state, &mut text);
        for (name, slot) in self.outputs().filter(|(name, _)| !name.starts_with("next")) {
            let _ = writeln!(text, "  {name} = {}", self.slot_text(slot));
        }
        text.push_str("facts and moves to the next facts\n");
        self.list_code(&self.circuit.moves, &mut text);
        for (name, slot) in self.outputs().filter(|(name, _)| name.starts_with("next")) {
            let _ = writeln!(text, "  {name} = {}", self.slot_text(slot));
        }
        text
    }

    /// The net in the language of Graphviz: inputs on the left, outputs on the right, dashed edges negate.
    pub fn dot(&self) -> String {
        let mut text = String::from("digraph net {\n  rankdir=LR;\n  node [fontname=\"sans-serif\"];\n");
        // What each slot holds at the moment: a slot may hold several values one after the other.
        let mut holds: HashMap<u32, String> = HashMap::new();
        for slot in 0..=(self.fact_count() + self.move_count()) as u32 {
            let _ = writeln!(text, "  i{slot} [shape=box, label=\"{}\"];", self.slot_text(slot));
            holds.insert(slot, format!("i{slot}"));
        }
        let mut count = 0;
        for code in [&self.circuit.state, &self.circuit.moves] {
            let mut ops = code.ops();
            for piece in &code.pieces {
                match piece {
                    &Piece::Run { what, inputs, count: length } => {
                        for (to, from) in ops.run(inputs, length) {
                            let node = format!("g{count}");
                            count += 1;
                            let _ =
                                writeln!(text, "  {node} [label=\"{}\"];", if what == Do::Or { "or" } else { "and" });
                            for (number, slot) in from.iter().enumerate() {
                                let is_negated = what == Do::AndNot && number > 0;
                                let style = if is_negated { " [style=dashed]" } else { "" };
                                let _ = writeln!(text, "  {} -> {node}{style};", holds[slot]);
                            }
                            holds.insert(to, node);
                        }
                    }
                    Piece::Loop { grows } => {
                        for (slot, _) in grows {
                            let _ = writeln!(text, "  l{slot} [shape=diamond, label=\"loop\"];");
                            holds.insert(*slot, format!("l{slot}"));
                        }
                    }
                    Piece::End => {}
                }
            }
            // Back edges of the loops, now that everything in them is known.
            for piece in &code.pieces {
                if let Piece::Loop { grows } = piece {
                    for (slot, wire) in grows {
                        let from = holds.get(&wire.slot).cloned().unwrap_or_default();
                        let style = if wire.negated { ", style=dashed" } else { "" };
                        let _ = writeln!(text, "  {from} -> l{slot} [constraint=false{style}];");
                    }
                }
            }
        }
        for (number, (name, slot)) in self.outputs().enumerate() {
            let _ = writeln!(text, "  o{number} [shape=box, style=filled, label=\"{name}\"];");
            let _ = writeln!(text, "  {} -> o{number};", holds[&slot]);
        }
        text.push_str("}\n");
        text
    }

    /// The outputs with their names, in the circuit's order.
    fn outputs(&self) -> impl Iterator<Item = (String, u32)> + '_ {
        let mut from = 0;
        let mut names = Vec::new();
        for (role, &end) in self.ends.iter().enumerate() {
            let role = self.role_name(Role(role as u8));
            names.extend((from..end).map(|mv| format!("legal {role} {}", self.move_text(Move(mv as u32)))));
            from = end;
        }
        names.push("terminal".to_string());
        for &(role, goal) in &self.goals {
            let goal = goal.map_or("?".to_string(), |goal| goal.to_string());
            names.push(format!("goal {} {goal}", self.role_name(role)));
        }
        names.extend((0..self.fact_count()).map(|fact| format!("next {}", self.fact_text(fact))));
        names.into_iter().zip(self.circuit.outputs.iter().copied())
    }

    fn list_code(&self, code: &Code, text: &mut String) {
        let mut ops = code.ops();
        let mut indent = "  ";
        for piece in &code.pieces {
            match piece {
                &Piece::Run { what, inputs, count } => {
                    let word = match what {
                        Do::And => " and ",
                        Do::AndNot => " and not ",
                        Do::Or => " or ",
                    };
                    for (to, from) in ops.run(inputs, count) {
                        let from: Vec<String> = from.into_iter().map(|slot| self.slot_text(slot)).collect();
                        let _ = writeln!(text, "{indent}{} = {}", self.slot_text(to), from.join(word));
                    }
                }
                Piece::Loop { grows } => {
                    let slots: Vec<String> = grows
                        .iter()
                        .map(|&(slot, wire)| format!("{} with {}", self.slot_text(slot), self.wire_text(wire)))
                        .collect();
                    let _ = writeln!(text, "  until nothing changes: grow {}", slots.join(", "));
                    indent = "    ";
                }
                Piece::End => indent = "  ",
            }
        }
    }

    fn wire_text(&self, wire: Wire) -> String {
        let slot = self.slot_text(wire.slot);
        match (wire.slot, wire.negated) {
            (0, true) => "false".to_string(),
            (_, true) => format!("not {slot}"),
            (_, false) => slot,
        }
    }

    fn slot_text(&self, slot: u32) -> String {
        let facts = self.fact_count();
        match slot as usize {
            0 => "true".to_string(),
            at if at <= facts => self.fact_text(at - 1),
            at if at <= facts + self.move_count() => {
                let mv = at - 1 - facts;
                let role = self.ends.partition_point(|&end| end <= mv);
                format!("does {} {}", self.role_name(Role(role as u8)), self.move_text(Move(mv as u32)))
            }
            at => format!("s{at}"),
        }
    }
}
