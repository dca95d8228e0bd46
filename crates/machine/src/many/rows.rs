//! From planes, a column each with a bit for every game, to rows, a game each with a value for every column.

use super::Form;

/// For each byte its bits as bytes, the lowest first.
const SPREAD: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte] |= ((byte as u64 >> bit) & 1) << (8 * bit);
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// A byte with each of its bits in a byte of its own.
pub(super) fn spread(byte: u8) -> u64 {
    SPREAD[byte as usize]
}

/// Eight rows of eight bits, a byte a row, as eight columns.
fn transposed(mut x: u64) -> u64 {
    for (shift, mask) in [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0x0000_0000_f0f0_f0f0)] {
        let t = (x ^ (x >> shift)) & mask;
        x ^= t ^ (t << shift);
    }
    x
}

/// Where rows go: `lanes` rows from the first on, each `stride` bytes after the one before.
pub(super) struct Rows<'a> {
    pub out: &'a mut [u8],
    pub stride: usize,
    pub lanes: usize,
}

/// Writes 64 games or fewer: `word(column)` has a bit for each of them.
pub(super) fn write(rows: Rows<'_>, columns: usize, form: Form, word: impl Fn(usize) -> u64) {
    let Rows { out, stride, lanes } = rows;
    for block in 0..columns.div_ceil(8) {
        let width = (columns - 8 * block).min(8);
        let mut words = [0; 8];
        for (at, to) in words.iter_mut().enumerate().take(width) {
            *to = word(8 * block + at);
        }
        for part in 0..lanes.div_ceil(8) {
            let gathered =
                words.iter().enumerate().fold(0, |all, (at, word)| all | (word >> (8 * part) & 255) << (8 * at));
            let bytes = transposed(gathered).to_le_bytes();
            for (lane, byte) in (8 * part..lanes.min(8 * part + 8)).zip(bytes) {
                match form {
                    Form::Bits => out[lane * stride + block] = byte,
                    Form::Bytes => {
                        let from = lane * stride + 8 * block;
                        let spread = spread(byte).to_le_bytes();
                        if width == 8 {
                            out[from..from + 8].copy_from_slice(&spread);
                        } else {
                            out[from..from + width].copy_from_slice(&spread[..width]);
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::random::Rng;

    #[test]
    fn rows_have_the_bits_of_their_columns() {
        let mut rng = Rng::new(5);
        for (columns, lanes) in [(1, 1), (3, 64), (8, 9), (9, 8), (21, 63), (64, 64)] {
            let planes: Vec<u64> = (0..columns).map(|_| rng.bits()).collect();
            for form in [Form::Bytes, Form::Bits] {
                // A gap between rows stays as it is.
                let stride = form.row(columns) + 1;
                let mut out = vec![7; lanes * stride];
                write(Rows { out: &mut out, stride, lanes }, columns, form, |column| planes[column]);
                for lane in 0..lanes {
                    let row = &out[lane * stride..(lane + 1) * stride];
                    for (column, plane) in planes.iter().enumerate() {
                        let is = match form {
                            Form::Bytes => row[column],
                            Form::Bits => row[column / 8] >> (column % 8) & 1,
                        };
                        assert_eq!(u64::from(is), plane >> lane & 1, "{columns} columns, column {column}, lane {lane}");
                    }
                    assert_eq!(row[stride - 1], 7);
                }
            }
        }
    }
}
