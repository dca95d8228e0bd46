//! The studio over HTTP, without a browser: who is let in, what is answered, what is kept.

mod support;

use serde_json::{Value, json};
use std::time::Instant;
use support::Running;

fn person_and(level: u8) -> Value {
    json!([{"kind": "person"}, {"kind": "level", "level": level}])
}

#[test]
fn strangers_are_turned_away() {
    let folder = tempfile::tempdir().unwrap();
    let studio = Running::start(folder.path(), None);
    let body = json!({"game": "nim", "seats": person_and(1)}).to_string();
    let kind = ("content-type", "application/json");
    let token = ("x-studio-token", studio.token.as_str());
    let origin = format!("http://{}", studio.address);
    // A page elsewhere, a name turned to this machine, no token, a wrong one.
    assert_eq!(studio.ask("GET", "/api/games", &[("host", "evil.example")], "").status, 421);
    assert_eq!(studio.ask("GET", "/", &[("host", "evil.example")], "").status, 421);
    assert_eq!(studio.ask("GET", "/api/games", &[("origin", "http://evil.example")], "").status, 403);
    assert_eq!(studio.ask("POST", "/api/matches", &[kind], &body).status, 403);
    assert_eq!(studio.ask("POST", "/api/matches", &[kind, ("x-studio-token", "0")], &body).status, 403);
    assert_eq!(
        studio.ask("POST", "/api/matches", &[kind, token, ("origin", "http://evil.example")], &body).status,
        403
    );
    assert_eq!(studio.ask("POST", "/api/matches", &[kind, token, ("sec-fetch-site", "cross-site")], &body).status, 403);
    assert_eq!(studio.ask("POST", "/api/matches", &[kind, token, ("origin", &origin)], &body).status, 200);
    // Forms of other pages cannot send JSON.
    assert_eq!(studio.ask("POST", "/api/matches", &[("content-type", "text/plain"), token], &body).status, 415);
}

#[test]
fn pages_are_whole_and_strict() {
    let folder = tempfile::tempdir().unwrap();
    let studio = Running::start(folder.path(), None);
    let began = Instant::now();
    let page = studio.ask("GET", "/", &[], "");
    let mut bytes = page.body.len();
    let policy = page.header("content-security-policy").unwrap().to_string();
    assert!(policy.contains("script-src 'self'") && !policy.contains("unsafe"), "{policy}");
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    for asset in studio::assets::ASSETS {
        let answer = studio.ask("GET", asset.path, &[], "");
        assert_eq!((answer.status, answer.header("content-type")), (200, Some(asset.kind)));
        bytes += answer.body.len();
    }
    assert_eq!(studio.get("/api/games").as_array().unwrap().len(), library::ENTRIES.len());
    assert!(began.elapsed().as_secs_f64() < 5.0, "{:?}", began.elapsed());
    assert!(bytes < 300_000, "{bytes}");
    for path in [
        "/game/chess",
        "/match/abc/3",
        "/rules",
        "/study/nim",
        "/watch",
        "/shelf",
        "/lab",
        "/lab/paper/sadikov",
        "/plan/nim",
    ] {
        assert_eq!(studio.ask("GET", path, &[], "").status, 200, "{path}");
    }
    for path in [
        "/api/game/nothing",
        "/api/match/none",
        "/api/match/..%2Fx",
        "/nowhere",
        "/document/plan/none",
        "/api/plan/none",
        "/api/lab/tournament/none",
        "/api/lab/paper/none",
        "/lab/figure/sadikov/question.md",
        "/api/rules/own-1",
        "/picture/none.svg",
    ] {
        let answer = studio.ask("GET", path, &[], "");
        assert_eq!(answer.status, 404, "{path}");
        assert!(answer.body.contains("\"error\""), "{path}: {}", answer.body);
    }
    let picture = studio.ask("GET", "/picture/chess.svg", &[], "");
    assert!(
        picture.status == 200
            && picture.body.starts_with("<svg")
            && picture.header("content-type") == Some("image/svg+xml")
    );
}

#[test]
fn bad_input_is_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let studio = Running::start(folder.path(), None);
    let refused = |body: Value, part: &str| {
        let answer = studio.send("/api/matches", &body);
        assert_eq!(answer.status, 422, "{body}: {}", answer.body);
        assert!(answer.body.contains(part), "{body}: {}", answer.body);
    };
    refused(json!({"game": "nothing", "seats": []}), "no game");
    refused(json!({"game": "nim", "seats": [{"kind": "person"}]}), "seats");
    refused(json!({"game": "nim", "seats": person_and(1), "facts": "(heap z 1)"}), "never be a fact");
    refused(json!({"game": "nim", "seats": person_and(1), "fen": "8/8 w"}), "no FEN");
    // Players that start programs, read files or talk to others are not for pages.
    for player in
        ["uci:command=touch x", "xboard:command=sh", "http://localhost:1", "human", "plan:file=/etc/passwd", "nobody"]
    {
        refused(json!({"game": "nim", "seats": [{"kind": "person"}, {"kind": "player", "player": player}]}), "");
    }
    let id = studio.post("/api/matches", &json!({"game": "nim", "seats": person_and(1)}))["id"]
        .as_str()
        .unwrap()
        .to_string();
    for (act, body, part) in [
        ("move", json!({"role": 0, "move": "(take z 1)"}), "no legal move"),
        ("move", json!({"role": 9, "move": "(take a 1)"}), "no role"),
        ("move", json!({"role": 1, "move": "noop"}), "played by the machine"),
        ("move", json!({"node": 99, "role": 0, "move": "(take a 1)"}), "no position"),
        ("go", json!({"node": 99}), "no position"),
        ("undo", json!({}), "nothing to take back"),
        ("think", json!({"seconds": -1.0}), "seconds"),
        ("dance", json!({}), "dance"),
    ] {
        let answer = studio.send(&format!("/api/match/{id}/{act}"), &body);
        assert_eq!(answer.status, 422, "{act}: {}", answer.body);
        assert!(answer.body.contains(part), "{act}: {}", answer.body);
    }
    assert_eq!(studio.send("/api/records", &json!({"text": "{}"})).status, 422);
    // One byte too many: what is more would still be on its way when the answer comes, and a connection with unread bytes is reset.
    let around = json!({"text": ""}).to_string().len();
    assert_eq!(studio.send("/api/check", &json!({"text": "x".repeat((8 << 20) + 1 - around)})).status, 413);
}

#[test]
fn a_game_is_played_taken_back_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let studio = Running::start(folder.path(), None);
    let id = studio.post("/api/matches", &json!({"game": "tic-tac-toe", "seats": person_and(1)}))["id"]
        .as_str()
        .unwrap()
        .to_string();
    let path = |rest: &str| format!("/api/match/{id}{rest}");
    let scene = studio.get(&path("/node/0"));
    assert_eq!(scene["legal"][0]["moves"].as_array().unwrap().len(), 9);
    assert!(scene["boards"][0]["svg"].as_str().unwrap().contains("role=\"gridcell\""));
    // Moves may be typed as people write them.
    studio.post(&path("/move"), &json!({"node": 0, "role": 0, "move": "2 2"}));
    let whole = studio.wait(&id, "an answer", |whole| whole["state"]["current"] == 2);
    assert_eq!(whole["nodes"][1]["moves"][0], "(mark 2 2)");
    assert!(!whole["nodes"][1]["thought"].is_null(), "the player tells what it thought");
    // Undo goes to the last choice, and what was played is still there.
    studio.post(&path("/undo"), &json!({}));
    let whole = studio.wait(&id, "undo", |whole| whole["state"]["current"] == 0);
    assert_eq!(whole["nodes"].as_array().unwrap().len(), 3);
    studio.post(&path("/move"), &json!({"node": 0, "role": 0, "move": "(mark 1 1)"}));
    let whole = studio.wait(&id, "another answer", |whole| whole["state"]["current"] == 4);
    assert_eq!((&whole["nodes"][3]["parent"], whole["nodes"].as_array().unwrap().len()), (&json!(0), 5));
    let record = studio.ask("GET", &path("/record/4"), &[], "").body;
    // The server ends without a word; everything is there for the next one.
    drop(studio);
    let studio = Running::start(folder.path(), None);
    let again = studio.get(&path(""));
    assert_eq!((&again["state"]["current"], again["nodes"].as_array().unwrap().len()), (&json!(4), 5));
    let other = studio.post("/api/records", &json!({"text": record}))["id"].as_str().unwrap().to_string();
    let opened = studio.get(&format!("/api/match/{other}"));
    assert_eq!((&opened["state"]["current"], &opened["nodes"][1]["moves"][0]), (&json!(2), &json!("(mark 1 1)")));
    for kind in ["picture", "film"] {
        let svg = studio.ask("GET", &path(&format!("/{kind}/4")), &[], "").body;
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>"), "{svg}");
    }
    assert!(studio.get("/api/matches").as_array().unwrap().len() == 2);
}

#[test]
fn players_play_on_their_own_pause_and_step() {
    let folder = tempfile::tempdir().unwrap();
    let studio = Running::start(folder.path(), None);
    let seats = json!([{"kind": "player", "player": "random"}, {"kind": "player", "player": "random"}]);
    let id = studio.post("/api/matches", &json!({"game": "connect-four", "seats": seats, "paused": true}))["id"]
        .as_str()
        .unwrap()
        .to_string();
    let path = |rest: &str| format!("/api/match/{id}{rest}");
    assert_eq!(studio.get(&path(""))["state"]["current"], 0);
    studio.post(&path("/step"), &json!({}));
    let whole = studio.wait(&id, "a step", |whole| whole["state"]["current"] == 1);
    assert_eq!(whole["state"]["paused"], true);
    studio.post(&path("/change"), &json!({"paused": false, "delay": 0.0}));
    let whole = studio.wait(&id, "the end", |whole| whole["nodes"].as_array().unwrap().last().unwrap()["over"] == true);
    let last = whole["nodes"].as_array().unwrap().last().unwrap();
    assert_eq!(last["goals"].as_array().unwrap().iter().map(|goal| goal.as_u64().unwrap()).sum::<u64>(), 100);
    let news = studio.news(&id, 1);
    assert_eq!((news[0]["type"].as_str(), &news[0]["whole"]["state"]["current"]), (Some("whole"), &last["id"]));
    studio.post(&path("/review"), &json!({"node": 3}));
    let whole = studio.wait(&id, "a look back", |whole| !whole["nodes"][2]["thought"].is_null());
    assert!(whole["nodes"][0]["thought"]["value"].is_number());
}

#[test]
fn moves_at_the_same_time_are_hidden() {
    let folder = tempfile::tempdir().unwrap();
    let studio = Running::start(folder.path(), None);
    let seats = json!([{"kind": "person"}, {"kind": "person"}]);
    let id = studio.post("/api/matches", &json!({"game": "rock-paper-scissors", "seats": seats}))["id"]
        .as_str()
        .unwrap()
        .to_string();
    let path = |rest: &str| format!("/api/match/{id}{rest}");
    studio.post(&path("/move"), &json!({"node": 0, "role": 0, "move": "(show rock)"}));
    let whole = studio.wait(&id, "a decision", |whole| whole["state"]["pending"][0] == true);
    assert_eq!(whole["state"]["current"], 0);
    assert!(!whole.to_string().contains("(show rock)"), "nobody sees it yet");
    studio.post(&path("/move"), &json!({"node": 0, "role": 1, "move": "(show paper)"}));
    let whole = studio.wait(&id, "both", |whole| whole["state"]["current"] == 1);
    assert_eq!(whole["nodes"][1]["moves"], json!(["(show rock)", "(show paper)"]));
}

#[test]
fn rules_of_ones_own_are_checked_kept_and_played() {
    let folder = tempfile::tempdir().unwrap();
    let studio = Running::start(folder.path(), None);
    let text = library::find("nim").unwrap().rules;
    let broken = text.replacen("(role first)", "(role first", 1);
    assert!(!studio.post("/api/check", &json!({"text": broken}))["problems"].as_array().unwrap().is_empty());
    assert_eq!(studio.send("/api/rules", &json!({"text": broken})).status, 422);
    let checked = studio.post("/api/check", &json!({"text": text}));
    assert_eq!(checked["problems"].as_array().unwrap().len(), 0, "{}", checked["problems"]);
    let renamed = text.replace("first", "left");
    let game = studio.post("/api/rules", &json!({"text": renamed}))["game"].as_str().unwrap().to_string();
    assert_eq!(studio.get(&format!("/api/game/{game}"))["roles"][0], "left");
    let id =
        studio.post("/api/matches", &json!({"game": game, "seats": person_and(1)}))["id"].as_str().unwrap().to_string();
    drop(studio);
    let studio = Running::start(folder.path(), None);
    assert_eq!(studio.get(&format!("/api/match/{id}"))["roles"][0], "left");
    assert_eq!(studio.get(&format!("/api/rules/{game}"))["text"], renamed);
}

#[test]
fn a_study_and_tables_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let tables = tempfile::tempdir().unwrap();
    let studio = Running::start(folder.path(), Some(tables.path()));
    let study = studio.get("/api/game/tic-tac-toe/study");
    assert_eq!(study["findings"]["boards"].as_array().unwrap().len(), 1);
    assert_eq!(study["cells"][0].as_array().unwrap().len(), 9);
    let shelf = studio.get("/api/shelf");
    assert_eq!((&shelf["plans"], &shelf["tables"]), (&json!([]), &json!([])));
    assert!(studio.get("/api/players").as_array().unwrap().iter().all(|kind| kind["name"] != "uci"));
}

#[test]
fn every_game_of_the_library_has_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    let studio = Running::start(folder.path(), None);
    let began = Instant::now();
    for entry in library::ENTRIES {
        let answer = studio.ask("GET", &format!("/picture/{}.svg", entry.name), &[], "");
        assert_eq!(answer.status, 200, "{}: {}", entry.name, answer.body);
        assert!(answer.body.starts_with("<svg") && answer.body.ends_with("</svg>"), "{}", entry.name);
    }
    println!("all pictures after {:.1} s", began.elapsed().as_secs_f64());
}

#[test]
fn a_position_is_put_together_cell_by_cell() {
    let folder = tempfile::tempdir().unwrap();
    let studio = Running::start(folder.path(), None);
    let palette = studio.get("/api/game/chess/edit");
    let names: Vec<&str> =
        palette[0]["things"].as_array().unwrap().iter().filter_map(|one| one["name"].as_str()).collect();
    assert!(names.contains(&"wq") && names.contains(&"bp") && !names.contains(&"b"), "{names:?}");
    assert!(palette[0]["things"][0]["svg"].as_str().unwrap().starts_with("<svg"));
    let start = studio.get("/api/game/chess")["scene"]["facts"].clone();
    let edit = |facts: &Value, cell: Value, thing: Value| {
        studio.send("/api/game/chess/edit", &json!({"facts": facts, "cell": cell, "thing": thing}))
    };
    // The first cell of the picture is a8, where a black rook stands.
    let queen = edit(&start, json!([0, 0]), json!("wq"));
    assert_eq!(queen.status, 200, "{}", queen.body);
    let queen: Value = serde_json::from_str(&queen.body).unwrap();
    let facts: Vec<&str> = queen["facts"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(facts.contains(&"(cell a 8 wq)") && !facts.iter().any(|fact| fact.starts_with("(cell a 8 b")), "{facts:?}");
    let nothing: Value = serde_json::from_str(&edit(&queen["facts"], json!([0, 0]), Value::Null).body).unwrap();
    assert!(!nothing["facts"].to_string().contains("(cell a 8 w"), "{}", nothing["facts"]);
    for (cell, thing) in
        [(json!([0, 999]), json!("wq")), (json!([7, 0]), json!("wq")), (json!([0, 0]), json!("dragon"))]
    {
        let refused = edit(&start, cell, thing);
        assert!(refused.status == 422 && refused.body.contains("error"), "{}", refused.body);
    }
    assert_eq!(edit(&json!(["(cell a 8"]), Value::Null, Value::Null).status, 422);
    // And it is played from.
    let seats = json!([{"kind": "person"}, {"kind": "person"}]);
    let text: Vec<&str> = facts.clone();
    let begun = studio.post("/api/matches", &json!({"game": "chess", "seats": seats, "facts": text.join("\n")}));
    let scene = studio.get(&format!("/api/match/{}/node/0", begun["id"].as_str().unwrap()));
    assert!(scene["facts"].to_string().contains("(cell a 8 wq)"));
}

#[test]
fn a_plan_is_practised_move_by_move() {
    let (folder, tables) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    support::plans::nim(tables.path());
    let studio = Running::start(folder.path(), Some(tables.path()));
    let mut lesson = studio.get("/api/plan/nim?seed=5");
    assert!(lesson["sentences"].as_array().unwrap().len() > 1 && lesson["state"] == "ours", "{lesson}");
    assert!(lesson["scene"]["legal"][0]["moves"][0]["way"][0][0].is_u64(), "moves are clicked on heaps");
    let mut moves = 0;
    while lesson["state"] == "ours" && moves < 30 {
        let step = json!({"at": lesson["at"], "move": lesson["best"]});
        lesson = studio.post("/api/plan/nim", &step);
        assert_eq!(lesson["said"][1], false, "what the plan would do does not break it: {}", lesson["said"]);
        moves += 1;
    }
    assert!(lesson["state"] == "won" || lesson["state"] == "over", "{lesson}");
    let again = studio.get("/api/plan/nim?seed=5");
    assert_eq!(again["at"], studio.get("/api/plan/nim?seed=5")["at"]);
    for (at, mv) in [(json!("(nonsense 1)"), json!("(take a 1)")), (again["at"].clone(), json!("(take z 9)"))] {
        let refused = studio.send("/api/plan/nim", &json!({"at": at, "move": mv}));
        assert!(refused.status == 422 && refused.body.contains("error"), "{}", refused.body);
    }
}

#[test]
fn answers_are_packed_for_those_who_take_it() {
    let folder = tempfile::tempdir().unwrap();
    let studio = Running::start(folder.path(), None);
    let games = studio.get("/api/games");
    let scripts = studio::assets::ASSETS.iter().map(|asset| asset.path.to_string());
    let pictures =
        games.as_array().unwrap().iter().map(|game| format!("/picture/{}.svg", game["name"].as_str().unwrap()));
    let all = ["/".to_string(), "/api/games".to_string(), "/api/matches".to_string()].into_iter();
    let (mut sent, mut whole) = (0, 0);
    for path in all.chain(scripts).chain(pictures) {
        let plain = studio.ask("GET", &path, &[], "");
        assert_eq!((plain.status, plain.header("content-encoding")), (200, None), "{path}");
        let (head, body) = studio.raw("GET", &path, &[("accept-encoding", "gzip, br")]);
        let text = if head.contains("content-encoding: gzip") {
            let mut text = String::new();
            std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&body[..]), &mut text).unwrap();
            text
        } else {
            String::from_utf8(body.clone()).unwrap()
        };
        assert!(text == plain.body, "{path} is another one when it is packed");
        (sent, whole) = (sent + head.len() + body.len(), whole + plain.body.len());
    }
    println!("first page with all pictures: {sent} bytes with all headers, {whole} without packing");
    assert!(sent < 300_000, "{sent}");
}

#[test]
fn whoever_follows_a_wrong_link_gets_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let studio = Running::start(folder.path(), None);
    let page = studio.ask("GET", "/nowhere", &[("accept", "text/html,*/*")], "");
    assert!(page.status == 404 && page.body.contains("<main"), "{}", page.body);
    let words = studio.ask("GET", "/api/nowhere", &[], "");
    assert!(words.status == 404 && words.body.contains("nothing at this address"));
}
