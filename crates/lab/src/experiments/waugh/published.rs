//! The figures of the paper (Waugh 2009, tables 1 and 2): states and simulations in five seconds of a 2.4 GHz machine, in
//! the first, middle and last third of a game.

/// What the paper gives for one player of one game.
pub struct Figures {
    /// The game, as our library calls it.
    pub game: &'static str,
    /// The player, as the paper calls it.
    pub player: &'static str,
    /// Table 1.
    pub states: [u64; 3],
    /// Table 2.
    pub simulations: [u64; 3],
}

const fn figures(game: &'static str, player: &'static str, states: [u64; 3], simulations: [u64; 3]) -> Figures {
    Figures { game, player, states, simulations }
}

/// How long the paper's players thought.
pub const SECONDS: f64 = 5.0;

/// Both tables. YAP could not run the last two games.
pub const FIGURES: [Figures; 10] = [
    figures("tic-tac-toe", "YAP", [50_935, 54_197, 52_663], [7_309, 13_212, 18_553]),
    figures("tic-tac-toe", "gdlcc", [839_772, 896_903, 980_867], [134_932, 194_602, 194_602]),
    figures("tic-tac-toe", "gdlcc, table", [1_197_720, 1_324_552, 1_426_093], [164_348, 268_363, 370_144]),
    figures("chess", "YAP", [3_240, 3_170, 3_190], [22, 31, 62]),
    figures("chess", "gdlcc", [5_189, 5_634, 5_963], [28, 41, 63]),
    figures("chess", "gdlcc, table", [5_091, 5_353, 5_611], [28, 39, 58]),
    figures("checkers", "gdlcc", [9_853, 10_159, 11_268], [108, 217, 1_419]),
    figures("checkers", "gdlcc, table", [9_879, 9_888, 54_312], [108, 208, 12_961]),
    figures("connect-four", "gdlcc", [65_683, 57_376, 53_842], [3_308, 4_612, 6_881]),
    figures("connect-four", "gdlcc, table", [65_683, 64_764, 65_683], [3_536, 5_367, 8_156]),
];
