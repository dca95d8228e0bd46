//! The search for two opponents on a game small enough to be searched whole: noughts and crosses on three by three.

use search::duel::{Board, Duel, Exact, Limits, SURE, Settings, WIN};

/// The marks of both sides, and the moves that led here. Who has three in a row has won.
#[derive(Clone, Default)]
struct Noughts {
    marks: [u16; 2],
    moves: Vec<u16>,
}

const ROWS: [u16; 8] = [0o700, 0o070, 0o007, 0o444, 0o222, 0o111, 0o421, 0o124];

impl Noughts {
    fn after(cells: &[u16]) -> Noughts {
        let mut board = Noughts::default();
        cells.iter().for_each(|&cell| board.make(cell));
        board
    }

    fn turn(&self) -> usize {
        self.moves.len() % 2
    }

    fn is_lost(&self) -> bool {
        let other = self.marks[1 - self.turn()];
        ROWS.iter().any(|&row| row & !other == 0)
    }
}

impl Board for Noughts {
    type Move = u16;

    fn key(&self) -> u64 {
        (u64::from(self.marks[0]) << 16 | u64::from(self.marks[1])).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn moves(&mut self, out: &mut Vec<u16>) {
        if !self.is_lost() {
            out.extend((0..9).filter(|cell| (self.marks[0] | self.marks[1]) & 1 << cell == 0));
        }
    }

    fn make(&mut self, cell: u16) {
        let turn = self.turn();
        self.marks[turn] |= 1 << cell;
        self.moves.push(cell);
    }

    fn take_back(&mut self) {
        if let Some(cell) = self.moves.pop() {
            let turn = self.turn();
            self.marks[turn] &= !(1 << cell);
        }
    }

    fn estimate(&mut self) -> i32 {
        0
    }

    fn stuck(&self) -> Exact {
        if self.is_lost() { Exact::Loss(0) } else { Exact::Draw }
    }

    fn number(cell: u16) -> u32 {
        u32::from(cell) + 1
    }
}

/// The value by trying everything.
fn minimax(board: &mut Noughts, ply: i32) -> i32 {
    let mut moves = Vec::new();
    board.moves(&mut moves);
    if moves.is_empty() {
        return if board.is_lost() { ply - WIN } else { 0 };
    }
    let value = |board: &mut Noughts, cell: u16| {
        board.make(cell);
        let value = -minimax(board, ply + 1);
        board.take_back();
        value
    };
    moves.into_iter().map(|cell| value(board, cell)).max().unwrap_or(0)
}

#[test]
fn values_are_those_of_minimax_however_it_is_set() {
    let all = [Settings::default(), Settings::plain(), Settings { threads: 2, ..Settings::default() }];
    for settings in all {
        for cells in [&[][..], &[0], &[0, 8], &[4, 1], &[0, 4, 8, 2], &[0, 1, 3], &[4, 1, 0, 8], &[0, 3, 1, 4, 2]] {
            let board = Noughts::after(cells);
            let wanted = minimax(&mut board.clone(), 0);
            let mut duel = Duel::new(Settings { memory: 1 << 20, ..settings });
            // A reduced move that turns out better is searched again; the whole game is nine plies.
            let limits = Limits { depth: Some(12), ..Limits::default() };
            let (lines, _) = duel.search(&board, &limits, &mut |_| {});
            assert_eq!(lines[0].value, wanted, "{cells:?} {settings:?}");
        }
    }
}

#[test]
fn lines_are_ordered_and_different() {
    let board = Noughts::after(&[0, 4, 8]);
    let mut duel = Duel::new(Settings { memory: 1 << 20, ..Settings::default() });
    let limits = Limits { depth: Some(8), lines: 6, ..Limits::default() };
    let (lines, nodes) = duel.search(&board, &limits, &mut |_| {});
    assert_eq!(lines.len(), 6);
    assert!(lines.is_sorted_by(|a, b| a.value >= b.value) && nodes > 0);
    // Against two opposite corners only the edges hold.
    assert_eq!(lines.iter().filter(|line| line.value == 0).map(|line| line.moves[0] % 2).collect::<Vec<_>>(), [1; 4]);
    assert!(lines[4..].iter().all(|line| line.value < -SURE));
    let limits = Limits { depth: Some(8), only: vec![2, 6], ..Limits::default() };
    assert!(duel.search(&board, &limits, &mut |_| {}).0[0].value < -SURE);
}
