//! Who plays whom in a tournament, and in which roles.

/// How the players meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Everybody against everybody.
    RoundRobin,
    /// The first against each of the others.
    Gauntlet,
}

/// One game of a tournament.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pairing {
    /// The number of the game in the tournament's list of games.
    pub game: usize,
    /// The two players that meet; the same one twice where it plays alone.
    pub players: (usize, usize),
    /// Which meeting of these two in this game it is, from 0.
    pub round: usize,
    /// Who sits in each seat.
    pub seats: Vec<usize>,
}

/// All games of a tournament. `seats` has the number of seats of each game (roles that are not chance); two players
/// meet `rounds` times in each game. Where a game has one seat, everybody plays it alone. Rounds come first, so that an
/// unfinished tournament is as even as it can be.
///
/// ```
/// use play::schedule::{Mode, schedule};
/// let games = schedule(&[2], 3, 2, Mode::RoundRobin);
/// assert_eq!(games.len(), 6);
/// assert_eq!((&games[0].seats[..], &games[3].seats[..]), (&[0, 1][..], &[1, 0][..]));
/// ```
pub fn schedule(seats: &[usize], players: usize, rounds: usize, mode: Mode) -> Vec<Pairing> {
    let mut games = Vec::new();
    for round in 0..rounds {
        for (game, &count) in seats.iter().enumerate() {
            if count == 1 {
                let alone = |player| Pairing { game, players: (player, player), round, seats: vec![player] };
                games.extend((0..players).map(alone));
                continue;
            }
            for first in 0..players {
                for second in first + 1..players {
                    if mode == Mode::RoundRobin || first == 0 {
                        let seats = lineup(count, round).into_iter().map(|own| if own { first } else { second });
                        games.push(Pairing { game, players: (first, second), round, seats: seats.collect() });
                    }
                }
            }
        }
    }
    games
}

/// Which seats the first of two players has in a round. Every second round is the one before with the sides changed,
/// and with time every way to divide the seats comes up (as long as there are not too many).
pub fn lineup(seats: usize, round: usize) -> Vec<bool> {
    let bits = seats.min(16);
    let pairs = (1usize << (bits - 1)) - 1;
    let mask = (round / 2) % pairs.max(1) + 1;
    // The first pattern of two seats is the first seat alone; others follow as binary numbers.
    let changed = round % 2 == 1;
    (0..seats).map(|seat| (mask >> (seat % bits) & 1 == 1) != changed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_changed_and_seats_are_shared() {
        assert_eq!(lineup(2, 0), [true, false]);
        assert_eq!(lineup(2, 1), [false, true]);
        assert_eq!(lineup(2, 2), [true, false]);
        for seats in 2..6 {
            let rounds = (1 << seats) - 2;
            let mut all: Vec<Vec<bool>> = (0..rounds).map(|round| lineup(seats, round)).collect();
            for pair in all.chunks(2) {
                assert!(pair[0].iter().zip(&pair[1]).all(|(a, b)| a != b));
            }
            assert!(all.iter().all(|line| line.contains(&true) && line.contains(&false)), "{seats}: {all:?}");
            all.sort();
            all.dedup();
            assert_eq!(all.len(), rounds, "every division of the seats once");
        }
    }

    #[test]
    fn a_gauntlet_has_one_hero() {
        let games = schedule(&[2, 1, 3], 4, 2, Mode::Gauntlet);
        assert_eq!(games.len(), 2 * (3 + 4 + 3));
        assert!(games.iter().all(|game| game.players.0 == 0 || game.players.0 == game.players.1));
        assert!(games.iter().all(|game| game.seats.len() == [2, 1, 3][game.game]));
    }
}
