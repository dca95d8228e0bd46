//! Games as text: what people write is read, what is written is read again, and no text is a reason to panic.

use agent::tables::epd::Record;
use agent::tables::pgn::{Game, Note, make, read, write};
use native::chess::Position;
use proptest::prelude::*;

const GAME: &str = r#"% an escaped line
[Event "A \"quoted\" name"]
[Site "?"]
[FEN "8/8/8/8/8/8/1P6/K1k5 w - - 0 30"]

{to begin} 30.b4! Kc2 $5 {good (really)} (30... Kd2 {a } (31. b5) ) 31. b5 ; to the end of the line
31... Kb3 32.b6 Ka4!? 33. b7 Ka5 34.b8Q 1-0

[Event "Whole"]

1. e4 e5 2. Ng1-f3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. 0-0 f6 6. d4 exd4 7. Nxd4 c5 8. Nb3 Qxd1 9. Rxd1 *
"#;

/// The moves of a game, made one after the other.
fn play(game: &Game) -> Vec<String> {
    let (mut position, _) = game.start().unwrap();
    let mut line = Vec::new();
    for played in &game.moves {
        let made = make(&position, &played.word).unwrap();
        position = made.after;
        line.push(made.san);
    }
    line
}

#[test]
fn games_are_read_with_all_that_stands_in_them() {
    let games = read(GAME);
    assert_eq!(games.len(), 2);
    let first = &games[0];
    assert_eq!(first.tag("event"), Some("A \"quoted\" name"));
    assert_eq!((first.result.as_deref(), first.faults.len()), (Some("1-0"), 0), "{:?}", first.faults);
    assert_eq!(first.before, [Note::Comment("to begin".into())]);
    assert_eq!(play(first), ["b4", "Kc2", "b5", "Kb3", "b6", "Ka4", "b7", "Ka5", "b8=Q"]);
    assert_eq!(first.moves[0].notes, [Note::Nag(1)]);
    let notes = &first.moves[1].notes;
    assert_eq!(notes[..2], [Note::Nag(5), Note::Comment("good (really)".into())]);
    assert!(matches!(&notes[2], Note::Variation(text) if text.contains("(31. b5)")), "{notes:?}");
    assert_eq!(first.start().unwrap().1, 30);
    assert_eq!(play(&games[1])[8..10], ["O-O", "f6"]);
}

#[test]
fn what_is_written_is_read_again() {
    for game in read(GAME) {
        let (position, number) = game.start().unwrap();
        let text = write(&game, (position.turn, number));
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        let again = read(&text);
        assert_eq!(again.len(), 1, "{text}");
        let plain = |game: &Game| (game.tags.clone(), game.moves.iter().map(|m| m.word.clone()).collect::<Vec<_>>());
        assert_eq!(plain(&again[0]), plain(&game));
        assert_eq!(again[0].result, game.result);
        let count = |game: &Game| game.moves.iter().map(|played| played.notes.len()).sum::<usize>();
        assert_eq!(count(&again[0]), count(&game), "{text}");
    }
}

#[test]
fn moves_in_many_forms() {
    for (fen, word, san) in [
        ("8/P6k/8/8/8/8/8/K7 w - -", "a8=N", "a8=N"),
        ("8/P6k/8/8/8/8/8/K7 w - -", "a8(Q)", "a8=Q"),
        ("8/P6k/8/8/8/8/8/K7 w - -", "a7a8r", "a8=R"),
        ("8/P6k/8/8/8/8/8/K7 w - -", "a8", "a8=Q"),
        ("R6R/8/8/8/8/1k6/8/2K5 w - -", "Ra8-d8", "Rad8"),
        ("R6R/8/8/8/8/1k6/8/2K5 w - -", "a8d8", "Rad8"),
        ("8/8/8/8/pP6/8/8/K2k4 b - b3", "axb3", "axb3"),
        ("8/8/8/8/8/8/8/R3K2k w - -", "O-O-O+", "O-O-O+"),
        ("8/8/8/8/8/8/7k/R3K3 w - -", "e1c1", "O-O-O"),
        ("8/8/8/8/8/8/7k/R3K3 w - -", "--", "--"),
    ] {
        let made = make(&Position::from_fen(fen).unwrap(), word).unwrap();
        assert_eq!(made.san, san, "{fen} {word}");
    }
    let position = Position::from_fen("R6R/8/8/8/8/1k6/8/2K5 w - -").unwrap();
    for word in ["Rd8", "Ra9", "", "x", "é8", "Qd8", "O-O", "exd9=", "R", "88", "aaaaaaaaaaaaaaaa1", "=Q", "a8=Q=Q"] {
        assert!(make(&position, word).is_err(), "{word}");
    }
}

#[test]
fn what_is_odd_is_told_with_its_line() {
    for (text, word) in [
        ("[Event \"x\"]\n1. e4 {open", "line 2: a comment is not closed"),
        ("1. e4 (1. d4 ((", "variation"),
        ("1. e4 $999 e5", "$999"),
        ("1. e4 ) e5", "belongs to nothing"),
        ("[Event x]\n1. e4", "is no tag"),
    ] {
        let games = read(text);
        assert!(games[0].faults.iter().any(|fault| fault.contains(word)), "{text}: {:?}", games[0].faults);
        assert_eq!(games[0].moves[0].word, "e4", "{text}");
    }
    assert!(read("").is_empty() && read(" \n\r\n% x\n").is_empty());
}

#[test]
fn positions_with_operations() {
    let line = "8/8/8/3k4/8/8/1R6/K7 w - - bm Kb1; id \"one; two\"; hmvc 7;";
    let record = Record::read(line).unwrap();
    assert_eq!(record.to_string(), line);
    assert_eq!((record.get("id"), record.position().unwrap().quiet), (Some("\"one; two\""), 7));
    let fen = Record::read("8/8/8/3k4/8/8/1R6/K7 w - - 12 34").unwrap();
    assert_eq!(fen.to_string(), "8/8/8/3k4/8/8/1R6/K7 w - - hmvc 12; fmvn 34;");
    for line in ["", "8/8 w", "8/8/8/3k4/8/8/1R6/K7 w - - ;;; !x 3;"] {
        assert!(Record::read(line).is_err(), "{line}");
    }
    assert!(Record::read("8/8/8/8/8/8/8/8 w - -").unwrap().position().is_err());
}

proptest! {
    #[test]
    fn any_text_is_read(text in "\\PC{0,200}") {
        read(&text);
    }

    #[test]
    fn any_text_of_games_is_read(text in r#"([\[\](){};$%<>".!?*#=+\-/\\ \n0-9a-hKQRBNPOx]|1-0|\[Event "x"\]|\{c\}|e4|Nf3){0,60}"#) {
        for game in read(&text) {
            let (position, number) = game.start().unwrap();
            let mut now = position;
            for played in &game.moves {
                let Ok(made) = make(&now, &played.word) else { break };
                now = made.after;
            }
            read(&write(&game, (position.turn, number)));
        }
    }

    #[test]
    fn any_record_is_read(line in "\\PC{0,120}") {
        if let Ok(record) = Record::read(&line) {
            let _ = record.position();
        }
    }
}
