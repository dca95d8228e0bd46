//! The studio in a real browser, wide and narrow, dark and light: Debian's Chromium, which the test run installs on CI. Elsewhere, where there is none,
//! this says so and tests nothing.
//!
//! With `UPDATE_SCREENSHOTS=1` in the environment the pictures of `docs/studio` are made anew.

mod support;

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use support::Running;
use support::browser::Browser;
use table::chess::{self, Material, Tables, build_all};
use table::file::Form;
use table::store::Store;

const WIDE: (u32, u32) = (1280, 800);
const NARROW: (u32, u32) = (390, 844);

struct Visit {
    browser: Browser,
    studio: Running,
    told: bool,
    _folder: tempfile::TempDir,
}

impl Visit {
    fn begin(tables: Option<&Path>) -> Option<Visit> {
        let Some(browser) = Browser::start() else {
            eprintln!("SKIPPED: there is no chromium on this machine; nothing was tested in a browser");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let studio = Running::start(folder.path(), tables);
        Some(Visit { browser, studio, told: false, _folder: folder })
    }

    fn window(&mut self, (width, height): (u32, u32), dark: bool) {
        self.browser.resize(width, height, dark);
    }

    fn open(&mut self, path: &str, selector: &str) {
        let url = self.studio.url(path);
        self.browser.open(&url, selector);
    }

    fn begin_match(&mut self, game: &str, seats: Value, paused: bool) -> String {
        let begun = self.studio.post("/api/matches", &json!({"game": game, "seats": seats, "paused": paused}));
        begun["id"].as_str().unwrap().to_string()
    }

    /// No error, no failed request, nothing that keeps somebody out.
    fn fine(&mut self, what: &str) {
        assert_eq!(self.browser.troubles, Vec::<String>::new(), "{what}");
        let faults = self.browser.faults();
        assert!(faults.is_empty(), "{what}: {faults:#?}");
        match self.browser.axe() {
            Some(found) => assert!(found.is_empty(), "{what}: axe-core finds {found:#?}"),
            None if !self.told => {
                self.told = true;
                eprintln!(
                    "SKIPPED: axe-core is not there (npm install --prefix target/axe-core axe-core, or AXE_CORE); pages were not checked with it"
                );
            }
            None => {}
        }
    }

    fn picture(&mut self, name: &str) {
        if std::env::var_os("UPDATE_SCREENSHOTS").is_some() {
            let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/studio");
            self.browser.picture(&folder.join(format!("{name}.png")));
        }
    }

    fn status(&mut self, part: &str) {
        self.browser.wait(&format!("document.querySelector('.status')?.textContent.includes({part:?}) === true"));
    }
}

fn two(kind: Value) -> Value {
    json!([kind.clone(), kind])
}

fn person() -> Value {
    json!({"kind": "person"})
}

/// A cell by the beginning of its name.
fn cell(name: &str) -> String {
    format!(".cell[aria-label^=\"{name}:\"]")
}

#[test]
fn a_first_visitor_finds_a_game_and_plays_it_by_clicks() {
    let Some(mut visit) = Visit::begin(None) else { return };
    for (window, name) in [(WIDE, "games"), (NARROW, "games-phone")] {
        visit.window(window, false);
        visit.open("/", ".card img");
        visit.browser.wait("[...document.images].filter((i) => i.getBoundingClientRect().top < innerHeight).every((i) => i.complete && i.naturalWidth > 0)");
        visit.fine(name);
        visit.picture(name);
    }
    if std::env::var_os("UPDATE_SCREENSHOTS").is_some() {
        visit.browser.whole(1280, 3660, 0.5);
        // Pictures are loaded when they come into sight.
        for _ in 0..20 {
            visit.browser.value("scrollBy(0, 300)");
            std::thread::sleep(std::time::Duration::from_millis(400));
        }
        visit.browser.value("scrollTo(0, 0)");
        visit.picture("library");
    }
    visit.window(WIDE, true);
    visit.browser.value("scrollTo(0, 0)");
    visit.fine("games, dark");
    visit.picture("games-dark");
    visit.window(WIDE, false);
    visit.browser.click("input[type=search]");
    visit.browser.type_text("connect four");
    visit.browser.wait("document.querySelectorAll('.card').length < 6");
    visit.browser.click(".card[href='/game/connect-four']");
    visit.browser.wait("document.querySelector('.setup') !== null");
    visit.fine("the page of a game");
    // Somebody against somebody else at the same page.
    for window in [NARROW, WIDE] {
        visit.window(window, false);
        visit.open("/game/connect-four", ".setup select");
        visit.fine("the page of a game");
        visit.browser.value("(() => { const all = document.querySelectorAll('.setup select'); all[1].value = 'person'; all[1].dispatchEvent(new Event('change')); })()");
        visit.browser.click(".setup button.main");
        visit.status("red to move");
        for (step, column) in [4, 5, 4, 5, 4, 5, 4].into_iter().enumerate() {
            visit.browser.click(&cell(&format!("{column} 6")));
            let count = step + 2;
            visit.browser.wait(&format!("document.querySelectorAll('.moves li').length === {count}"));
            if step < 6 {
                visit.status(if step % 2 == 0 { "yellow to move" } else { "red to move" });
            }
        }
        visit.status("The game is over: red 100, yellow 0");
        visit.fine("the end of a game");
    }
    visit.picture("over");
    // Back, and another way: the branch that was played stays.
    visit.browser.click("[aria-label='One step back']");
    visit.status("An earlier position");
    assert!(visit.browser.value("location.pathname").as_str().unwrap().ends_with("/6"));
    visit.browser.click(&cell("1 6"));
    visit.status("yellow to move");
    visit.browser.wait("document.querySelector('.branches') !== null");
    visit.browser.click(".buttons button:first-child:not([aria-label])");
    visit.fine("a branch");
}

/// Connect four to the end, without a mouse.
fn play_by_keyboard(visit: &mut Visit) {
    let id = visit.begin_match("connect-four", two(person()), false);
    visit.open(&format!("/match/{id}"), ".cell[tabindex='0']");
    visit.status("red to move");
    visit.browser.value("document.querySelector('.cell[tabindex=\"0\"]').focus()");
    for (step, way) in
        ["", "ArrowRight", "ArrowLeft", "ArrowRight", "ArrowLeft", "ArrowRight", "ArrowLeft"].into_iter().enumerate()
    {
        if !way.is_empty() {
            visit.browser.key(way);
        }
        visit.browser.key("Enter");
        let count = step + 2;
        visit.browser.wait(&format!("document.querySelectorAll('.moves li').length === {count}"));
        if step < 6 {
            visit.status(if step % 2 == 0 { "yellow to move" } else { "red to move" });
        }
        // The cell that had the focus has it still, on the new board.
        visit.browser.wait("document.activeElement?.closest('.cell') !== null");
    }
    visit.status("red 100");
    visit.fine("by keyboard");
}

#[test]
fn games_are_played_by_keyboard_and_by_drag() {
    let Some(mut visit) = Visit::begin(None) else { return };
    for window in [WIDE, NARROW] {
        visit.window(window, false);
        play_by_keyboard(&mut visit);
    }
    for (window, dark) in [(WIDE, false), (NARROW, true)] {
        visit.window(window, dark);
        let id = visit.begin_match("chess", two(person()), false);
        visit.open(&format!("/match/{id}"), &cell("e 2"));
        visit.status("white to move");
        visit.browser.drag(&cell("e 2"), &cell("e 4"));
        visit.status("black to move");
        visit.browser.drag(&cell("e 7"), &cell("e 5"));
        visit.status("white to move");
        let moves =
            visit.browser.value("[...document.querySelectorAll('.move')].map((m) => m.textContent).join(' | ')");
        assert_eq!(moves, "start | move wp e 2 e 4 | move bp e 7 e 5");
        visit.browser.click(&cell("g 1"));
        visit.browser.wait(
            "document.querySelectorAll('.cell.next').length > 0 && document.querySelector('.cell.picked') !== null",
        );
        visit.fine("chess");
        visit.picture(if dark { "chess-phone-dark" } else { "chess" });
        // By typing, as people write it.
        visit.browser.click(".type-move");
        visit.browser.type_text("Nf3");
        visit.browser.key("Enter");
        visit.status("black to move");
    }
}

#[test]
fn a_match_is_watched_paused_and_stepped_through() {
    let Some(mut visit) = Visit::begin(None) else { return };
    visit.window(WIDE, false);
    let uct = json!({"kind": "player", "player": "uct:playouts=300"});
    let id = visit.begin_match("breakthrough-small", two(uct), true);
    visit.open(&format!("/match/{id}"), ".cell");
    visit.status("Paused");
    visit.browser.click("[aria-label='One step forth']");
    visit.browser.wait("document.querySelectorAll('.moves li').length === 2");
    visit.browser.wait("document.querySelector('.thinking .choices') !== null");
    visit.browser.value("fetch(`/api/match/${location.pathname.split('/')[2]}/change`, {method: 'POST', headers: {'content-type': 'application/json', 'x-studio-token': document.querySelector('meta[name=studio-token]').content}, body: '{\"delay\": 0}'}).then((r) => r.status)");
    visit.browser.click("[aria-label='Go on']");
    visit.status("The game is over");
    visit.browser.wait("document.querySelector('.graph svg') !== null");
    visit.fine("the end of a match");
    visit.browser.click("[aria-label='To the beginning']");
    visit.status("An earlier position");
    visit.browser.click("[aria-label='One step forth']");
    visit.browser.wait("location.pathname.endsWith('/1')");
    visit.status("An earlier position");
    visit.browser.click(".panel .buttons button:nth-child(2)");
    visit.browser.wait("document.querySelectorAll('.heat').length > 1 && document.querySelector('.choices') !== null");
    visit.browser.wait("document.querySelector('.thinking .chosen') !== null");
    visit.fine("an analysis");
    visit.picture("watch");
    visit.window(NARROW, false);
    visit.fine("an analysis on a phone");
    visit.open("/watch", ".live .card .cell");
    visit.fine("all matches");
}

#[test]
fn rules_are_written_wrong_mended_and_played() {
    let Some(mut visit) = Visit::begin(None) else { return };
    for window in [WIDE, NARROW] {
        visit.window(window, false);
        visit.open("/rules", ".editor-text");
        visit.status("Nothing is wrong");
        visit.browser.value("(() => { const a = document.querySelector('.editor-text'); a.focus(); a.setSelectionRange(a.value.length, a.value.length); })()");
        visit.browser.type_text("(<= (legal first (go ?y)) (true (heap ?x)))");
        visit.browser.wait("document.querySelector('.problems .error') !== null && document.querySelector('.editor-back .wrong') !== null");
        assert!(
            visit.browser.value("document.querySelector('.problems').textContent").as_str().unwrap().contains("?y")
        );
        visit.fine("an error");
        visit.picture(if window == WIDE { "rules" } else { "rules-phone" });
        visit.browser.value("(() => { const a = document.querySelector('.editor-text'); a.value = a.value.replace('(go ?y)', 'pass'); a.dispatchEvent(new Event('input')); })()");
        visit.browser.wait("document.querySelector('.problems .error') === null");
        visit.browser.wait("document.querySelector('button.main').disabled === false");
    }
    visit.browser.click("button.main");
    visit.browser.wait("location.pathname.startsWith('/game/own-') && document.querySelector('.setup') !== null");
    visit.fine("a game of one's own");
}

/// The text of the editor.
const TEXT: &str = "document.querySelector('.editor-text').value";

fn press(visit: &mut Visit, words: &str) {
    visit
        .browser
        .value(&format!("[...document.querySelectorAll('button')].find((b) => b.textContent === {words:?}).click()"));
}

#[test]
fn rules_are_explained_completed_and_turned() {
    let Some(mut visit) = Visit::begin(None) else { return };
    visit.window(WIDE, false);
    visit.open("/rules/tic-tac-toe", ".editor-text");
    visit.status("Nothing is wrong");
    // The mouse on a keyword, and on a relation of these rules.
    let before = visit.browser.value(TEXT).as_str().unwrap().to_string();
    for (word, told) in [
        ("(legal ", "a move that the role may make"),
        (" terminal", "the game is over"),
        ("(line ", "rules, the first in line"),
    ] {
        let at = before.find(word).unwrap() + 1;
        let (line, column) =
            (before[..at].matches('\n').count(), at - before[..at].rfind('\n').map_or(0, |end| end + 1));
        visit
            .browser
            .value(&format!("document.querySelector('.editor-text').scrollTop = {}", line.saturating_sub(5) * 20));
        // The text is told that it was scrolled a moment later, and then forgets the mouse.
        std::thread::sleep(std::time::Duration::from_millis(400));
        let place = visit.browser.value(&format!(
            "(() => {{ const a = document.querySelector('.editor-text'), b = a.getBoundingClientRect(), s = getComputedStyle(a); const p = document.createElement('span'); \
             p.textContent = '0'; document.querySelector('.editor-back').append(p); const w = p.getBoundingClientRect().width; p.remove(); \
             return [b.left + parseFloat(s.paddingLeft) + ({column} + 1.5) * w, b.top + parseFloat(s.paddingTop) + ({line} + .5) * 20 - a.scrollTop]; }})()"
        ));
        visit.browser.point(place[0].as_f64().unwrap(), place[1].as_f64().unwrap());
        visit.browser.wait(&format!("document.querySelector('.hover-help').textContent.includes({told:?})"));
    }
    visit.fine("help below the mouse");
    // A name that is begun is completed by the keyboard alone.
    visit.browser.value("(() => { const a = document.querySelector('.editor-text'); a.focus(); a.setSelectionRange(a.value.length, a.value.length); })()");
    visit.browser.type_text("(<= (goal x 3) termi");
    visit.browser.key_with("Space", 2);
    visit.browser.wait("document.activeElement?.textContent === 'terminal'");
    visit.browser.key("Enter");
    visit.browser.wait("document.querySelector('.editor-text').value.endsWith('(<= (goal x 3) terminal')");
    visit.browser.value(&format!("(() => {{ const a = document.querySelector('.editor-text'); a.value = {before:?}; a.dispatchEvent(new Event('input')); }})()"));
    visit.status("Nothing is wrong");
    // KIF to infix and back is the same game, and so is one with other names.
    press(&mut visit, "Infix");
    visit.browser.wait(&format!("!{TEXT}.includes('(<=')"));
    visit.status("Nothing is wrong");
    visit.fine("rules in infix form");
    press(&mut visit, "KIF");
    visit.browser.wait(&format!("{TEXT}.includes('(<=')"));
    visit.status("Nothing is wrong");
    let after = visit.browser.value(TEXT).as_str().unwrap().to_string();
    assert_eq!(gdl::identity(&gdl::parse(&before).rules), gdl::identity(&gdl::parse(&after).rules));
    press(&mut visit, "Scramble");
    visit.browser.wait(&format!("!{TEXT}.includes('noop')"));
    visit.status("Nothing is wrong");
    visit.browser.wait("document.querySelectorAll('.side .cell').length === 9");
    let scrambled = visit.browser.value(TEXT).as_str().unwrap().to_string();
    assert_eq!(gdl::identity(&gdl::parse(&before).rules), gdl::identity(&gdl::parse(&scrambled).rules));
    visit.fine("scrambled rules");
}

#[test]
fn a_person_gives_up_takes_back_and_hears_what_happens() {
    let Some(mut visit) = Visit::begin(None) else { return };
    visit.window(WIDE, false);
    let id = visit.begin_match("tic-tac-toe", two(person()), false);
    visit.open(&format!("/match/{id}"), &cell("2 2"));
    visit.status("x to move");
    visit.browser.click(&cell("2 2"));
    // Whoever does not see the board is told.
    visit.browser.wait("document.getElementById('live').textContent.includes('mark 2 2')");
    visit.browser.wait("document.querySelector('.cell[aria-label^=\"2 2: x\"]') !== null");
    assert_eq!(visit.browser.value("document.querySelectorAll('[role=grid] > [role=row]').length"), 3);
    visit.status("o to move");
    press(&mut visit, "Undo");
    visit.status("x to move");
    visit.browser.wait("document.querySelector('.cell[aria-label^=\"2 2: empty\"]') !== null");
    visit.browser.click(&cell("1 1"));
    visit.status("o to move");
    press(&mut visit, "Resign");
    visit.status("o has resigned");
    visit.fine("a game that was given up");
    // Both ways are kept.
    visit.browser.wait("document.querySelector('.branches') !== null");
    // Moves that are made at the same time.
    let id = visit.begin_match("rock-paper-scissors", two(person()), false);
    visit.open(&format!("/match/{id}"), ".legal-move");
    visit.browser.click(".legal-move");
    visit.status("hidden until all have");
    visit.fine("hidden moves");
}

/// What moves on the board at this moment: `from` to `to` as their keyframes have it.
const MOVING: &str = "document.getAnimations().filter((one) => one.effect?.target?.closest?.('.cell')) \
    .map((one) => one.effect.getKeyframes().map((frame) => frame.transform ?? frame.opacity).join(' to '))";

#[test]
fn things_are_seen_going_where_they_go() {
    let Some(mut visit) = Visit::begin(None) else { return };
    visit.window(WIDE, false);
    visit.browser.motion(true);
    let id = visit.begin_match("breakthrough-small", two(person()), false);
    visit.open(&format!("/match/{id}"), &cell("1 2"));
    visit.status("white to move");
    assert_eq!(visit.browser.value(MOVING), json!([]), "a board that is new stands still");
    visit.browser.click(&cell("1 2"));
    visit.browser.click(&cell("1 3"));
    visit.status("black to move");
    // One pawn, from the cell below: a cell is 40 high.
    visit.browser.wait(&format!("JSON.stringify({MOVING}) === '[\"translate(0px, 40px) to none\"]'"));
    assert_eq!(
        visit.browser.value("document.querySelectorAll('.cell.changed').length"),
        2,
        "where it was and where it is"
    );
    // Stepping back it goes the other way.
    visit.browser.click("[aria-label='One step back']");
    visit.status("An earlier position");
    visit.browser.wait(&format!("JSON.stringify({MOVING}) === '[\"translate(0px, -40px) to none\"]'"));
    // What was nowhere before comes into sight.
    let id = visit.begin_match("tic-tac-toe", two(person()), false);
    visit.open(&format!("/match/{id}"), &cell("2 2"));
    visit.status("x to move");
    visit.browser.click(&cell("2 2"));
    visit.status("o to move");
    visit.browser.wait(&format!("JSON.stringify({MOVING}) === '[\"0 to 1\"]'"));
    // Whoever wants no motion sees none.
    visit.browser.motion(false);
    visit.browser.click(&cell("1 1"));
    visit.status("x to move");
    assert_eq!(visit.browser.value(MOVING), json!([]));
    visit.fine("motion");
}

/// Waits until a file is there and whole.
fn downloaded(path: &Path) -> String {
    let began = std::time::Instant::now();
    while began.elapsed() < std::time::Duration::from_secs(30) {
        if let Ok(text) = std::fs::read_to_string(path)
            && !text.is_empty()
        {
            return text;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("{} was not downloaded", path.display());
}

#[test]
fn rules_and_matches_are_saved_as_files_and_opened_again() {
    let Some(mut visit) = Visit::begin(None) else { return };
    let files = tempfile::tempdir().unwrap();
    visit.browser.downloads(files.path());
    visit.window(WIDE, false);
    // Rules.
    visit.open("/rules/tic-tac-toe", ".editor-text");
    visit.status("Nothing is wrong");
    let rules = visit.browser.value(TEXT).as_str().unwrap().to_string();
    press(&mut visit, "Save");
    let saved = files.path().join("rules.kif");
    assert_eq!(downloaded(&saved), rules);
    visit.open("/rules", ".editor-text");
    visit.status("Nothing is wrong");
    assert_ne!(visit.browser.value(TEXT), json!(rules));
    visit.browser.choose_file("#rules-file", &saved);
    visit.browser.wait(&format!("{TEXT} === {}", json!(rules)));
    visit.status("Nothing is wrong");
    visit.browser.wait("document.querySelectorAll('.side .cell').length === 9");
    visit.fine("rules that were opened");
    // A match, with its moves.
    let id = visit.begin_match("tic-tac-toe", two(person()), false);
    visit.open(&format!("/match/{id}"), &cell("2 2"));
    for (name, next) in [("2 2", "o to move"), ("1 1", "x to move"), ("3 3", "o to move")] {
        visit.browser.click(&cell(name));
        visit.status(next);
    }
    visit.browser.value("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
    visit.browser.click("a[download='match.json']");
    let record: Value = serde_json::from_str(&downloaded(&files.path().join("match.json"))).unwrap();
    assert_eq!(record["moves"].as_array().map(Vec::len), Some(3), "{record}");
    visit.open("/watch", "#record-file");
    visit.browser.choose_file("#record-file", &files.path().join("match.json"));
    visit.browser.wait(&format!(
        "location.pathname.startsWith('/match/') && !location.pathname.includes({id:?}) && document.querySelectorAll('.moves li').length === 4"
    ));
    visit.browser.wait("document.querySelector('.cell[aria-label^=\"3 3: x\"]') !== null");
    visit.fine("a match that was opened");
    // What is no record is told.
    visit.open("/watch", "#record-file");
    visit.browser.choose_file("#record-file", &saved);
    visit.browser.wait("document.querySelector('.toast')?.textContent.length > 5");
}

#[test]
fn a_game_in_numbers_is_a_page_and_pages_are_printed() {
    let Some(mut visit) = Visit::begin(None) else { return };
    for (window, dark) in [(WIDE, false), (NARROW, true)] {
        visit.window(window, dark);
        visit.open("/report/nim?games=10&playouts=30", "iframe");
        visit.browser.wait("document.querySelector('.links a[target]') !== null");
        visit.fine("a report");
        visit.open("/document/report/nim?games=10&playouts=30&other=tic-tac-toe", "table");
        visit.fine("two reports as a page of their own");
        let told = visit.browser.value("document.body.textContent");
        for part in ["first player's edge", "lead changes", "rules never used", "ways to go on", "depth"] {
            assert!(told.as_str().unwrap().contains(part), "{part} is missing");
        }
        if !dark {
            visit.picture("report");
        }
    }
    // On paper there is the page and nothing to press.
    visit.window(WIDE, true);
    let id = visit.begin_match("chess", two(person()), false);
    for (path, ready) in
        [(format!("/match/{id}"), ".cell"), ("/game/chess".into(), ".cell"), ("/study/tic-tac-toe".into(), ".finding")]
    {
        visit.open(&path, ready);
        visit.browser.paper(true);
        let shown = "(e) => e && e.checkVisibility() && e.getClientRects().length > 0";
        let pressed = visit.browser.value(&format!("[...document.querySelectorAll('header, button:not(.move, .verdict-move), input, select, .toast')].filter({shown}).map((e) => e.outerHTML.slice(0, 90))"));
        assert_eq!(pressed, json!([]), "{path}");
        assert_eq!(
            visit.browser.value(&format!(
                "({shown})(document.querySelector('.board')) && ({shown})(document.querySelector('h1'))"
            )),
            json!(true),
            "{path}"
        );
        assert_eq!(visit.browser.value("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)");
        assert!(visit.browser.pdf().starts_with(b"%PDF"));
        visit.browser.paper(false);
    }
}

#[test]
fn tables_and_a_study_are_read_on_the_board() {
    let tables = tempfile::tempdir().unwrap();
    let store = Store::new(tables.path());
    let kqkr = Material::parse("KQKR").unwrap();
    let mut built = Tables::new();
    let began = std::time::Instant::now();
    build_all(kqkr, chess::Metric::Mate, &mut built, &mut |_, _| true).unwrap();
    println!("KQKR and what it needs: {:.1} s", began.elapsed().as_secs_f64());
    for name in ["KRK", "KQK", "KQKR"] {
        let material = Material::parse(name).unwrap();
        let path = store.chess_path(material, chess::Metric::Mate);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let table = built.get(material, chess::Metric::Mate).unwrap();
        chess::save(table, &chess::statistics(table).unwrap(), &path, Form::Raw).unwrap();
    }
    let Some(mut visit) = Visit::begin(Some(tables.path())) else { return };
    visit.window(WIDE, false);
    visit.open("/shelf", ".rows button");
    // What the builders counted, as plots: won and lost of both sides.
    visit.browser.value("document.querySelectorAll('.numbers').forEach((one) => { one.open = true; })");
    visit.browser.wait("document.querySelectorAll('.numbers .plots svg').length >= 4");
    visit.fine("the shelf");
    visit.browser.value("document.querySelector('[aria-label=\"Tables in numbers\"]').scrollIntoView()");
    visit.picture("numbers");
    visit.window(NARROW, true);
    visit.fine("the shelf on a phone");
    visit.window(WIDE, false);
    visit.browser.click(".rows button[data-game=kqkr]");
    visit.browser.wait("document.querySelector('.verdict-move.best') !== null");
    visit.fine("the explorer");
    visit.picture("tables");
    assert!(
        visit
            .browser
            .value("document.querySelector('.table-panel h3').textContent")
            .as_str()
            .unwrap()
            .contains("white wins in 69 plies")
    );
    visit.window(NARROW, false);
    visit.fine("the explorer on a phone");
    visit.window(WIDE, false);
    visit.browser.click(".verdict-move.best");
    visit.browser.wait("document.querySelector('.table-panel h3')?.textContent.includes('68 plies') === true");
    visit.open("/study/tic-tac-toe", ".finding");
    visit.browser.value("(() => { const s = document.querySelector('.stage select'); if (s) { s.selectedIndex = 1; s.dispatchEvent(new Event('change')); } })()");
    visit.fine("a study");
    visit.picture("study");
    visit.window(NARROW, true);
    visit.fine("a study on a phone");
}

#[test]
fn a_plan_is_read_and_practised() {
    let tables = tempfile::tempdir().unwrap();
    let Some(mut visit) = Visit::begin(Some(tables.path())) else { return };
    support::plans::nim(tables.path());
    for (window, dark) in [(WIDE, false), (NARROW, true)] {
        visit.window(window, dark);
        visit.open("/shelf", "a[href='/plan/nim']");
        visit.browser.click("a[href='/plan/nim']");
        visit
            .browser
            .wait("document.querySelectorAll('.sentences li').length > 1 && document.querySelector('.cell') !== null");
        visit.status("You are second");
        // The first move that is legal, and then what the plan would do, until it is won.
        visit.browser.value("document.querySelectorAll('.side details').forEach((one) => { one.open = true; })");
        visit.browser.click(".legal-move");
        visit.browser.wait("document.querySelector('.judged strong') !== null");
        visit.fine("a plan");
        if !dark {
            visit.picture("plan");
        }
        visit.browser.click(".side .buttons button.main");
        // What was said of the last move is gone when the next position is there.
        visit.browser.wait("document.querySelector('.judged').textContent === ''");
        visit.status("You are second");
        let lesson = visit.browser.value("fetch('/api/plan/nim' + location.search).then((r) => r.json())");
        let best = lesson["best"].as_str().unwrap().to_string();
        visit.browser.click(".side .buttons button:nth-child(2)");
        visit.browser.wait("document.querySelectorAll('.hinted').length > 0 && document.querySelector('.judged').textContent.includes('The plan plays')");
        visit.browser.value(&format!(
            "[...document.querySelectorAll('.legal-move')].find((b) => b.textContent === {:?}).click()",
            best.trim_start_matches('(').trim_end_matches(')')
        ));
        visit.browser.wait("document.querySelector('.judged .good') !== null");
        visit.browser.value("document.querySelectorAll('.page > details').forEach((one) => { one.open = true; })");
        visit.browser.wait("document.querySelector('iframe') !== null");
        visit.fine("the whole plan");
    }
    // Stages and the tree that tells them apart, beside the board.
    support::plans::make("minichess", 60, tables.path());
    for (window, dark) in [(NARROW, true), (WIDE, false)] {
        visit.window(window, dark);
        visit.open("/plan/minichess", ".tree li");
        visit.browser.wait("document.querySelectorAll('.one-stage').length > 1 && document.querySelectorAll('.sentences li').length > 1");
        visit.browser.value("document.querySelector('.one-stage').open = true");
        visit.fine("stages");
    }
    visit.picture("stages");
}

#[test]
fn a_position_is_set_up_on_the_board() {
    let Some(mut visit) = Visit::begin(None) else { return };
    for window in [WIDE, NARROW] {
        visit.window(window, false);
        visit.open("/game/chess", ".setup select");
        visit.browser.value("(() => { document.querySelectorAll('.setup details').forEach((d) => { d.open = true; }); const s = document.querySelector('select[aria-label=\"Where it begins\"]'); s.value = 'place'; s.dispatchEvent(new Event('change')); })()");
        visit.browser.wait("document.querySelectorAll('.brush').length > 10");
        visit.browser.click(".brush[aria-label='wq']");
        visit.browser.click(&cell("e 4"));
        visit.browser.wait("document.querySelector('.cell[aria-label=\"e 4: white queen\"]') !== null");
        visit.browser.click(".brush[aria-label='nothing']");
        visit.browser.click(&cell("d 1"));
        visit.browser.wait("document.querySelector('.cell[aria-label=\"d 1: empty\"]') !== null");
        visit.fine("the position editor");
        if window == WIDE {
            visit.picture("position");
        }
        visit.browser.click(".setup button.main");
        visit.status("white to move");
        visit.browser.wait("document.querySelector('.cell[aria-label=\"e 4: white queen\"]') !== null");
    }
}

#[test]
fn the_laboratory_shows_tournaments_and_papers() {
    let Some(mut visit) = Visit::begin(None) else { return };
    for (window, dark) in [(WIDE, false), (NARROW, true)] {
        visit.window(window, dark);
        visit.open("/lab", ".compete button");
        visit.fine("the laboratory");
        visit.browser.value("(() => { const set = (name, value) => { document.querySelector(`.compete [aria-label=\"${name}\"]`).value = value; }; set('Game', 'nim'); set('Rounds', '3'); set('Players, one a line', 'uct:playouts=20\\nrandom'); })()");
        visit.browser.click(".compete button.main");
        visit.browser.wait("document.querySelector('.status')?.textContent.startsWith('3 games played') === true && document.querySelectorAll('.report tbody tr').length >= 2");
        visit.fine("a tournament");
        if !dark {
            visit.picture("tournament");
        }
        visit.open("/lab/paper/sadikov", ".report");
        visit.browser.value("scrollTo(0, 0)");
        visit.fine("a paper");
        if !dark {
            visit.picture("paper");
        }
    }
}
