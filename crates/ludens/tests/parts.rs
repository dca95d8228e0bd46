//! Positions with more men than a table has: what their parts say, and what those weigh.

mod support;

use support::{folder, ludens};

const SEVEN: &str = "8/8/3k4/8/2P1R3/1P6/3K4/5bn1 w - -";

#[test]
fn parts_are_shown_and_weighed() {
    let tables = folder("parts");
    let place = tables.display().to_string();
    let with = |args: &[&str]| ludens(&[args, &["--folder", &place]].concat());
    // Without tables it says what to do.
    let run = with(&["table", "probe", SEVEN]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("no part of KRPPKBN") && run.err.contains("table all chess"), "{}", run.err);
    assert_eq!(with(&["table", "build", "chess", "KPK"]).code, 0);

    let run = with(&["table", "probe", SEVEN]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("no table has KRPPKBN; judged by 5 parts"), "{}", run.out);
    assert!(run.out.contains("KRK") && run.out.contains("KPK") && run.out.contains("together"), "{}", run.out);
    let report = with(&["table", "probe", SEVEN, "--json"]).json();
    let parts = report["parts"].as_array().unwrap();
    assert_eq!((parts.len(), &report["men"]), (5, &"KRPPKBN".into()));
    let rook = parts.iter().find(|part| part["men"] == "KRK").unwrap();
    assert_eq!((&rook["result"], &rook["absent"]), (&"win".into(), &false.into()));
    // Without the bishop the king would stand in check of the rook, and white is to move: no position.
    let hidden = with(&["table", "probe", "3k4/3b4/8/8/1P6/1P6/3R4/3K2n1 w - -", "--json"]).json();
    let rook = hidden["parts"].as_array().unwrap().iter().find(|part| part["men"] == "KRK").unwrap().clone();
    assert_eq!((&rook["result"], &rook["absent"]), (&serde_json::Value::Null, &true.into()));

    let file = tables.join("weights.json").display().to_string();
    let run = with(&["table", "weigh", "KRPKPP", "--games", "10", "--rounds", "1", "--nodes", "50", "--output", &file]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(std::fs::read_to_string(&file).unwrap().contains("\"KRPKPP\""));
    assert_eq!(with(&["table", "weigh", "KRPKXX"]).code, 2);
    assert_eq!(with(&["table", "weigh", "KK"]).code, 2);
}

#[test]
fn the_engine_is_measured() {
    let tables = folder("engine-bench").display().to_string();
    let run = ludens(&["bench", "chess-engine", "--seconds", "0.02", "--json", "--folder", &tables]);
    assert_eq!(run.code, 0, "{}", run.err);
    let report = run.json();
    let rows = report["rows"].as_array().unwrap();
    assert!(rows.len() > 6 && rows.iter().all(|row| row["nodes_per_second"].as_f64().unwrap() > 1000.0), "{report}");
}
