//! Where the cells of a grid lie, and its labels.

use super::axis::{Axis, Orientation};
use super::{BoardPicture, CellKind, CellPicture, Label, Shape};
use crate::places::Place;
use crate::terms::TermId;
use std::collections::BTreeSet;

/// Where the cells of a grid lie.
pub(super) struct Grid {
    pub axes: [Axis; 2],
    pub orientation: Orientation,
    /// The sign of the product of the two parts of a slanting step, on a board of hexagons.
    pub slant: Option<i32>,
}

impl Grid {
    /// Where a place lies, given its steps along both axes; in halves of cells.
    fn at(&self, steps: [i32; 2]) -> (i32, i32) {
        let Orientation { across, leftwards, downwards } = self.orientation;
        let up = 1 - across;
        let x = if leftwards { self.axes[across].length - 1 - steps[across] } else { steps[across] };
        let y = if downwards { steps[up] } else { self.axes[up].length - 1 - steps[up] };
        // A slanting step of (+1, -1) makes the next row begin half a cell further to the right.
        let shift = self.slant.map_or(0, |slant| {
            let sign = if leftwards { slant } else { -slant };
            if sign > 0 { steps[up] } else { self.axes[up].length - 1 - steps[up] }
        });
        (2 * x + shift, 2 * y)
    }

    fn steps(&self, place: &[TermId]) -> [i32; 2] {
        [0, 1].map(|axis| self.axes[axis].places.get(&place[axis]).copied().unwrap_or(0))
    }

    pub fn board(&self, places: &BTreeSet<Place>, name: &dyn Fn(&[TermId]) -> Vec<String>) -> BoardPicture {
        let mut cells: Vec<CellPicture> = places
            .iter()
            .map(|place| {
                let (x, y) = self.at(self.steps(place));
                cell(x, y, CellKind::Place, name(place))
            })
            .collect();
        cells.sort_by_key(|cell| (cell.y, cell.x));
        let across = self.orientation.across;
        let mut rows = Vec::new();
        let mut columns = Vec::new();
        for (axis, labels) in [(1 - across, &mut rows), (across, &mut columns)] {
            for (&value, &step) in &self.axes[axis].places {
                let own: Vec<[i32; 2]> =
                    places.iter().filter(|place| place[axis] == value).map(|place| self.steps(place)).collect();
                // Beside the first cell of a row, below the lowest of a column; straight rows and columns have their labels in line.
                let mut at = [step; 2];
                let ends = own.iter().map(|steps| steps[1 - axis]);
                let (low, high) = (ends.clone().min().unwrap_or(0), ends.max().unwrap_or(0));
                let before = if axis == across { !self.orientation.downwards } else { !self.orientation.leftwards };
                let length = self.axes[1 - axis].length;
                at[1 - axis] = match (self.slant.is_some(), before) {
                    (true, true) => low - 1,
                    (true, false) => high + 1,
                    (false, true) => -1,
                    (false, false) => length,
                };
                let (x, y) = self.at(at);
                labels.push(Label { x, y, text: name(&[value]).join(" ") });
            }
            labels.sort_by_key(|label| (label.y, label.x));
        }
        let whole = places.len() as i32 == self.axes[0].length * self.axes[1].length;
        if self.slant.is_some() && !whole {
            // Names of columns would be lost among the cells: those of rows say where a row begins and ends.
            columns.clear();
            rows = self.long_labels(places, name);
        }
        let shape = if self.slant.is_some() { Shape::Hexagons } else { Shape::Grid };
        BoardPicture { title: None, shape, cells, rows, columns, ..BoardPicture::default() }
    }
}

impl Grid {
    /// Names of rows with the columns of their first and last cell, in line.
    fn long_labels(&self, places: &BTreeSet<Place>, name: &dyn Fn(&[TermId]) -> Vec<String>) -> Vec<Label> {
        let across = self.orientation.across;
        let left = places.iter().map(|place| self.at(self.steps(place)).0).min().unwrap_or(0);
        let mut rows = Vec::new();
        for &value in self.axes[1 - across].places.keys() {
            let mut own: Vec<&Place> = places.iter().filter(|place| place[1 - across] == value).collect();
            own.sort_by_key(|place| self.at(self.steps(place)));
            if let (Some(first), Some(last)) = (own.first(), own.last()) {
                let [row, from, to] = [value, first[across], last[across]].map(|value| name(&[value]).join(" "));
                let text = if from == to { format!("{row}: {from}") } else { format!("{row}: {from}-{to}") };
                rows.push(Label { x: left - 2, y: self.at(self.steps(first)).1, text });
            }
        }
        rows.sort_by_key(|label| label.y);
        rows
    }
}

pub(super) fn cell(x: i32, y: i32, kind: CellKind, name: Vec<String>) -> CellPicture {
    CellPicture { x, y, kind, name, ground: None, things: Vec::new(), changed: false }
}
