//! `ludens plan`: plans are built, shown, followed and practised, and what is no plan is told with a way out.

mod support;

use std::path::Path;
use support::{Run, file, folder, program, run};

/// Runs the program with a folder of tables of its own.
fn ludens(tables: &Path, args: &[&str], input: &str) -> Run {
    run(program().env("LUDENS_TABLES", tables).args(args), input.as_bytes())
}

#[test]
fn a_game_from_its_rules_to_a_player() {
    let tables = folder("plan-nim");
    let built = ludens(&tables, &["plan", "build", "nim", "--lists", "300", "--json"], "");
    assert_eq!(built.code, 0, "{}", built.err);
    let report = built.json();
    assert_eq!(report["plies"], 2);
    assert_eq!(report["reached"][0]["won"], report["reached"][0]["positions"]);
    assert_eq!(report["reached"][1]["plies"], 1);
    assert!(tables.join("plans/nim.plan").is_file());
    let shown = ludens(&tables, &["plan", "show", "nim"], "");
    assert!(shown.out.starts_with("nim: a plan for second, looking 2 plies ahead"), "{}", shown.out);
    assert!(shown.out.contains("  1. Win if you see it") && shown.out.contains("100 %"), "{}", shown.out);
    assert!(shown.out.contains("Sentence 2 at work: (take "), "{}", shown.out);
    for part in
        ["== Stages ==", "Begin with ", "-- What the words mean", "nim-sum: write the numbers", " and not (take "]
    {
        assert!(shown.out.contains(part), "{part}: {}", shown.out);
    }
    // Play by stages is the same when it is played again from the file, and other depths can be asked for.
    let again = ludens(&tables, &["plan", "show", "nim", "--plies", "2", "--json"], "");
    assert_eq!(again.code, 0, "{}", again.err);
    assert_eq!(again.json()["stages"], report["stages"]);
    let deeper = ludens(&tables, &["plan", "show", "nim", "--plies", "1,3", "--json"], "").json();
    let played = deeper["stages"]["played"].as_array().expect("games were played");
    assert!(played.iter().all(|one| one["plies"] == 1 || one["plies"] == 3), "{played:?}");
    assert!(played.iter().any(|one| one["drawn"] == true) && played.iter().any(|one| one["plies"] == 3));
    assert!(deeper["stages_told"]["stages"][0]["sum"][0].as_str().is_some_and(|sum| sum.starts_with("Begin with")));
    let page = tables.join("nim.html");
    let html = ludens(&tables, &["plan", "show", "nim", "--html", &page.display().to_string()], "");
    assert_eq!(html.code, 0, "{}", html.err);
    let html = std::fs::read_to_string(page).expect("it was written");
    assert!(html.starts_with("<!doctype html>") && html.contains("<svg") && html.contains("prefers-color-scheme:dark"));
    assert!(!html.replace("http://www.w3.org/2000/svg", "").contains("://"), "nothing comes from elsewhere");
    let checked = ludens(&tables, &["plan", "check", "nim"], "");
    assert_eq!(checked.code, 0, "{}{}", checked.out, checked.err);
    assert!(
        checked.out.ends_with("Proven: following the plan wins every position that can be won.\n"),
        "{}",
        checked.out
    );
    let plan = std::fs::read_to_string(tables.join("plans/nim.plan")).expect("it was stored");
    let won = format!("\"won\":{}", report["reached"][0]["won"]);
    let lying = file(&tables, "lying.plan", plan.replacen(&won, "\"won\":1", 1));
    let checked = ludens(&tables, &["plan", "check", &lying], "");
    assert_eq!(checked.code, 1, "{}{}", checked.out, checked.err);
    assert!(checked.out.contains("the file says 1 of "), "{}", checked.out);
    // Whatever the first player does, the plan wins, and says why.
    let played = ludens(&tables, &["plan", "play", "nim", "--seed", "1"], &"1\n".repeat(20));
    assert!(played.out.contains("second moves by its plan"), "{}", played.out);
    assert!(played.out.contains("plan nim: (take ") && played.out.contains(" serves sentence "), "{}", played.out);
    assert!(played.out.contains("second wins: first 0, second 100"), "{}", played.out);
    // Rules in other words find the plan too.
    let args = ["match", "nim", "--player", "random", "--player", "plan", "--start", "9", "--play", "9", "--scramble"];
    let played = ludens(&tables, &[&args[..], &["--seed", "3"]].concat(), "");
    assert!(played.out.ends_with("first 0, second 100\n"), "{}{}", played.out, played.err);
    assert!(!played.err.contains("the default player"), "{}", played.err);
}

#[test]
fn an_ending_and_a_person_who_practises() {
    let tables = folder("plan-krk");
    let plan = tables.join("krk.plan").display().to_string();
    let args = ["plan", "build", "KRK", "--lists", "400", "--goals", "3", "--out", &plan];
    let built = ludens(&tables, &args, "");
    assert_eq!(built.code, 0, "{}", built.err);
    assert!(built.out.starts_with("KRK: a plan for white, looking 2 plies ahead"), "{}", built.out);
    assert!(built.out.contains("     a b c d e f g h"), "a board is drawn: {}", built.out);
    // The rook is left to be taken, or the plan's own move is made: it is told which.
    let drill = |typed: &str| ludens(&tables, &["plan", "drill", &plan, "--seed", "1"], typed);
    let hint = drill("hint\nquit\n");
    let best = hint.out.split("The plan plays ").nth(1).and_then(|rest| rest.split([',', '\n']).next());
    let best = best.unwrap_or_else(|| panic!("{}", hint.out)).to_string();
    let good = drill(&format!("{best}\n"));
    assert!(good.out.contains(&format!("{best}: as the plan has it.")), "{}", good.out);
    assert!(good.out.contains("reply: K") && good.out.contains("1 position, 0 won; 1 move, 0 of them"), "{}", good.out);
    let all = drill(&(1..=30).map(|at| format!("{at}\n")).collect::<String>());
    assert!(all.out.contains(" breaks sentence ") && all.out.contains(" Better: "), "{}", all.out);
    assert_eq!(drill("x\n").out, drill("x\n").out, "the same seed, the same position");
    // A player in a match; where the men are others, the default player plays.
    let player = format!("plan:file={plan}");
    let args =
        ["match", "krk", "--player", &player, "--player", "random", "--start", "9", "--play", "9", "--most", "4"];
    let played = ludens(&tables, &[&args[..], &["--seed", "1"]].concat(), "");
    assert!(!played.err.contains("the default player"), "{}", played.err);
    let args =
        ["match", "kqkr", "--player", &player, "--player", "random", "--start", "3", "--play", "1", "--most", "2"];
    let played = ludens(&tables, &[&args[..], &["--seed", "1"]].concat(), "");
    assert!(played.err.contains("KQKR is on the board, and there are plans for KRK only"), "{}", played.err);
}

#[test]
fn what_is_no_plan_is_told_with_the_way_out() {
    let tables = folder("plan-trouble");
    let plan = tables.join("nim.plan").display().to_string();
    assert_eq!(ludens(&tables, &["plan", "build", "nim", "--lists", "300", "--out", &plan], "").code, 0);
    let text = std::fs::read_to_string(&plan).expect("it was written");
    let refused = |name: &str, text: &str, part: &str| {
        let path = file(&tables, name, text);
        for command in ["show", "check", "drill", "play"] {
            let run = ludens(&tables, &["plan", command, &path], "");
            assert_eq!((run.code, run.out.as_str()), (2, ""), "{name} {command}: {}", run.err);
            assert!(run.err.contains(part) && run.err.contains("`ludens plan build"), "{name} {command}: {}", run.err);
        }
    };
    refused("text.plan", "a plan", "not a plan");
    refused("cut.plan", &text[..text.len() / 2], "not a plan");
    refused("form.plan", &text.replace("\"form\":1", "\"form\":7"), "another form");
    refused("plies.plan", &text.replace("\"plies\":2,\"reached\"", "\"plies\":0,\"reached\""), "damaged");
    refused("stages.plan", &text.replace("\"most\":[", "\"most\":[1,"), "a stage speaks of what is not on the board");
    let without = text.replace(",\"stages\":{", ",\"unknown\":{");
    let without = file(&tables, "without.plan", without);
    let shown = ludens(&tables, &["plan", "show", &without], "");
    assert!(shown.code == 0 && shown.out.contains("This plan has no stages"), "{}{}", shown.out, shown.err);
    let played = ludens(&tables, &["plan", "show", &without, "--plies", "2"], "");
    assert!(played.code == 2 && played.err.contains("has no stages; `ludens plan build nim`"), "{}", played.err);
    let missing = ludens(&tables, &["plan", "show", "chomp"], "");
    assert_eq!(missing.code, 2);
    assert!(missing.err.contains("there is no plan \"chomp\"; `ludens plan build chomp` makes one"), "{}", missing.err);
    // A plan for other rules of the same name is shown, and not followed.
    let identity = text.split("\"identity\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect("it has one");
    let foreign = file(&tables, "foreign.plan", text.replace(identity, "another"));
    assert_eq!(ludens(&tables, &["plan", "show", &foreign], "").code, 0);
    for command in ["drill", "play"] {
        let run = ludens(&tables, &["plan", command, &foreign], "");
        assert_eq!(run.code, 2, "{command}");
        assert!(run.err.contains("is for other rules than nim; --game FILE names them"), "{}", run.err);
    }
    let player = format!("plan:file={foreign}");
    let args =
        ["match", "nim", "--player", "random", "--player", &player, "--start", "3", "--play", "1", "--seed", "1"];
    let played = ludens(&tables, &args, "");
    assert!(played.err.contains("the default player plays instead"), "{}", played.err);
    let large = ludens(&tables, &["plan", "build", "connect-four", "--memory", "4"], "");
    assert!(
        large.code == 2 && large.err.contains("cannot be listed") && large.err.contains("--memory"),
        "{}",
        large.err
    );
    let unknown = ludens(&tables, &["plan", "build", "no-such-game"], "");
    assert!(unknown.code == 2 && unknown.err.contains("no-such-game"), "{}", unknown.err);
    let men = ludens(&tables, &["plan", "build", "KQQQQK"], "");
    assert!(men.code == 2 && !men.err.contains("library"), "{}", men.err);
    let nothing = ludens(&tables, &["plan", "build", "KNK", "--lists", "10"], "");
    assert_eq!(nothing.code, 2, "{}", nothing.out);
    let lost = ludens(&tables, &["plan", "build", "tic-tac-toe", "--role", "nobody"], "");
    assert!(lost.err.contains("its roles are: x, o"), "{}", lost.err);
}
