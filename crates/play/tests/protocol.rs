//! Laws of the protocol: what is written is read back, and nothing that is read can do harm.

use play::MatchRecord;
use play::message::{Info, Request};
use play::text::{folded, inside, is_whole, members, tidy};
use proptest::prelude::*;

/// A ground term in canonical form.
fn term() -> impl Strategy<Value = String> {
    let word = "[A-Za-z0-9+*<=._-]{1,6}".prop_filter("nil is no move", |word| !word.eq_ignore_ascii_case("nil"));
    word.prop_recursive(4, 24, 4, |inner| {
        ("[a-z]{1,5}", prop::collection::vec(inner, 1..4))
            .prop_map(|(name, args)| format!("({name} {})", args.join(" ")))
    })
}

fn moves() -> impl Strategy<Value = Option<Vec<String>>> {
    prop::option::of(prop::collection::vec(term(), 1..5))
}

fn rules() -> impl Strategy<Value = String> {
    let fact = term().prop_map(|term| format!("(fact {term})"));
    prop::collection::vec(fact, 1..5).prop_map(|clauses| clauses.join(" "))
}

fn request() -> impl Strategy<Value = Request> {
    let id = "[A-Za-z0-9._-]{1,12}";
    let clock = (0u32..5000).prop_map(|tenths| f64::from(tenths) / 10.0);
    prop_oneof![
        Just(Request::Info),
        (id, "[a-z]{1,8}", rules(), clock.clone(), clock.clone())
            .prop_map(|(id, role, rules, start, play)| Request::Start { id, role, rules, start, play }),
        (id, moves()).prop_map(|(id, moves)| Request::Play { id, moves }),
        (id, moves()).prop_map(|(id, moves)| Request::Stop { id, moves }),
        id.prop_map(|id| Request::Abort { id }),
        (rules(), clock).prop_map(|(rules, clock)| Request::Preview { rules, clock }),
    ]
}

/// Text that looks a little like a message.
fn broken() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("(".to_string()),
        Just(")".to_string()),
        Just(" ".to_string()),
        Just("START".to_string()),
        Just("play".to_string()),
        Just("nil".to_string()),
        Just(";".to_string()),
        Just("\n".to_string()),
        "\\PC{0,4}",
        "[0-9]{1,3}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(request in request()) {
        let text = request.to_string();
        prop_assert_eq!(Request::read(&text), Ok(request.clone()));
        // Managers that write everything in capitals ask for the same thing.
        let loud = Request::read(&text.to_uppercase());
        prop_assert_eq!(loud.map(|loud| std::mem::discriminant(&loud)), Ok(std::mem::discriminant(&request)));
    }

    #[test]
    fn spaces_do_not_matter(id in "[A-Za-z0-9._-]{1,12}", moves in moves(), space in "[ \t\r\n]{1,3}") {
        let request = Request::Play { id, moves };
        let spaced = request.to_string().replace(' ', &space);
        prop_assert_eq!(Request::read(&spaced), Ok(request));
    }

    #[test]
    fn terms_are_canonical(term in term()) {
        let tidied = tidy(&term.replace('(', " ( ").replace(')', " )\n"));
        prop_assert_eq!(tidied.as_deref(), Some(&term[..]));
        prop_assert_eq!(folded(&term.to_uppercase()), folded(&term));
        prop_assert!(is_whole(&term));
        prop_assert_eq!(members(&term), [&term[..]]);
    }

    #[test]
    fn nothing_that_is_read_does_harm(text in broken()) {
        let _ = Request::read(&text);
        let _ = Info::read(&text);
        let _ = MatchRecord::read(&text);
        let _ = inside(&text);
        for member in members(&text) {
            prop_assert!(text.contains(member));
        }
        if let Some(tidied) = tidy(&text) {
            prop_assert_eq!(tidy(&tidied), Some(tidied.clone()));
        }
    }

    #[test]
    fn infos_are_read_back(name in "[A-Za-z0-9 _.-]{1,12}", busy in any::<bool>()) {
        let status = if busy { "busy" } else { "available" };
        let info = Info::read(&Info { name: Some(name.clone()), status: status.into() }.to_string());
        prop_assert_eq!(info.status, status);
        prop_assert_eq!(info.name, Some(name.replace(' ', "-")));
    }
}
