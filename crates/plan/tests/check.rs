//! The proof of a plan agrees with what learning says, and notices what was changed by hand.

use game::{Cancel, Game, Goal as Reward, Limit, Move, Names, Role, Turn};
use plan::attribute::{Attribute, Place};
use plan::guide::Guide;
use plan::movers::{Movers, Written};
use plan::pool::Pool;
use plan::scene::{Board, Scene};
use plan::stages::cases::{self, Settings};
use plan::stages::play::Repetition;
use plan::sweep::{self, Reading};
use plan::verdict;
use plan::{FORM, Goal, Plan, Reached, Subject, World, build, casewise, check, chess, learn};
use table::chess::{Material, Metric, Tables, build_all};

fn world(name: &str, metric: Metric) -> World {
    let material = Material::parse(name).unwrap();
    let mut tables = Tables::new();
    build_all(material, metric, &mut tables, &mut |_, _| true).unwrap();
    chess::world(material, metric, &tables).unwrap()
}

/// A plan of these goals, each one attribute with its weight, and what learning says that it reaches at these plies.
fn plan_of(name: &str, metric: Metric, goals: &[(Attribute, i32)], plies: &[usize]) -> Plan {
    let mut world = world(name, metric);
    let movers = Movers::read(&mut world);
    let attributes: Vec<Attribute> = goals.iter().map(|goal| goal.0.clone()).collect();
    let columns = plan::pool::columns(&world, &movers, &attributes);
    let pool = Pool::given(attributes.clone(), columns);
    let lists: Vec<learn::Goal> = goals.iter().enumerate().map(|(at, goal)| vec![(at, goal.1)]).collect();
    let reached = |&plies: &usize| {
        let outcomes = learn::reached(&world, &pool, &lists, plies);
        Reached {
            plies,
            positions: outcomes.positions,
            won: outcomes.won,
            excess: outcomes.mean_excess(),
            worst: outcomes.worst,
            random: None,
        }
    };
    Plan {
        form: FORM,
        version: String::new(),
        subject: Subject::Ending { material: name.to_string(), metric: metric.name().to_string() },
        board: world.board.clone(),
        movers: movers.written(),
        attributes,
        goals: lists.iter().map(|parts| Goal { parts: parts.clone(), ..Goal::default() }).collect(),
        plies: plies[0],
        reached: plies.iter().map(reached).collect(),
        examples: Vec::new(),
        stages: None,
        cases: None,
        avoid: None,
        reading: Reading::Ends,
        reads: None,
        verdict: None,
    }
}

/// Keep the rook safe, shut the king in, bring the own king near, and stand aside.
fn rook_goals() -> Vec<(Attribute, i32)> {
    vec![
        (Attribute::Loose(1), 1),
        (Attribute::Room { thing: 2, by: 1 }, 1),
        (Attribute::Distance { by: None, from: 0, to: Place::Thing(2) }, 1),
        (Attribute::Kept { thing: 2, from: 1 }, -1),
    ]
}

fn agree(plan: &Plan) -> check::Report {
    let report = check::ending(plan, &Cancel::new()).unwrap();
    assert_eq!(report.differences(), Vec::<String>::new(), "{report:?}");
    assert_eq!(report.0.len(), plan.reached.len());
    for found in &report.0 {
        assert_eq!(found.counterexample.is_some(), found.reached.won < found.reached.positions);
    }
    report
}

#[test]
fn agrees_with_learning_on_king_and_rook() {
    let report = agree(&plan_of("KRK", Metric::Mate, &rook_goals(), &[2, 1, 3, 4]));
    assert!(report.0[0].reached.won > 0, "{report:?}");
}

/// All kinds of attributes, each as the first goal and all in one list: scores that differ anywhere would show.
#[test]
fn agrees_on_every_kind_of_attribute() {
    let kinds = vec![
        Attribute::Distance { by: Some(1), from: 1, to: Place::Thing(2) },
        Attribute::Distance { by: None, from: 2, to: Place::Edge },
        Attribute::Distance { by: None, from: 2, to: Place::Corner },
        Attribute::Distance { by: None, from: 2, to: Place::CornerOf(1) },
        Attribute::Distance { by: None, from: 0, to: Place::Cells { name: "c3".into(), cells: vec![18] } },
        Attribute::Distances { by: Some(0), from: 0, to: Place::Middle },
        Attribute::Moves(2),
        Attribute::Escapes(2),
        Attribute::Aside(0, 2),
        Attribute::Attacked(1),
        Attribute::Defended(1),
        Attribute::Region(2),
        Attribute::Kept { thing: 2, from: 1 },
        Attribute::Controlled { ours: true },
        Attribute::Controlled { ours: false },
        Attribute::Blocked { thing: 1, target: 2 },
        Attribute::Count(1),
        Attribute::Modulo(Box::new(Attribute::Moves(1)), 3),
        Attribute::Room { thing: 2, by: 1 },
        Attribute::Sum(vec![(2, Attribute::Moves(0)), (1, Attribute::Escapes(2))]),
        Attribute::Between(1, 0, 2),
        Attribute::Beyond(Box::new(Attribute::Moves(1)), 3),
        Attribute::UpTo(Box::new(Attribute::Region(2)), 9),
        Attribute::Off(Box::new(Attribute::Distance { by: None, from: 0, to: Place::Thing(2) }), 2),
        Attribute::Distance { by: None, from: 2, to: Place::Ahead(1, 2) },
        Attribute::Havens(1),
        Attribute::Strikes { thing: 1, targets: vec![2] },
        Attribute::Strike { thing: 1, targets: vec![2] },
        Attribute::Strikes { thing: 2, targets: vec![0, 1] },
        Attribute::Strike { thing: 2, targets: vec![1] },
        Attribute::Times(Box::new(Attribute::Moves(0)), Box::new(Attribute::Escapes(2))),
        // Mirror images are one position: only the white king stands on the same cell in all of their numberings.
        Attribute::Fetch { thing: 0, at: vec![18, 20], what: 0, cell: 9 },
    ];
    let mut world = world("KRK", Metric::Mate);
    let movers = Movers::read(&mut world);
    let columns = plan::pool::columns(&world, &movers, &kinds);
    let mut plan = plan_of("KRK", Metric::Mate, &rook_goals(), &[2]);
    let rook = plan.attributes.clone();
    let pool = Pool::given(kinds.clone(), [columns, plan::pool::columns(&world, &movers, &rook)].concat());
    for at in (0..kinds.len()).step_by(2) {
        // Two kinds at a time after the safety of the rook, then the others that make progress.
        let (safe, pair) = (kinds.len(), vec![(at, 1), (at + 1, 7)]);
        let goals: Vec<learn::Goal> = vec![vec![(safe, 1)], pair, vec![(safe + 1, 1)], vec![(safe + 2, 1)]];
        let outcomes = learn::reached(&world, &pool, &goals, 2);
        plan.attributes = [kinds.clone(), rook.clone()].concat();
        plan.goals = goals.into_iter().map(|parts| Goal { parts, ..Goal::default() }).collect();
        let (positions, won, excess) = (outcomes.positions, outcomes.won, outcomes.mean_excess());
        plan.reached = vec![Reached { plies: 2, positions, won, excess, worst: outcomes.worst, random: None }];
        agree(&plan);
    }
}

/// Games by sums by cases are played again from the file alone, and a file that promises more is found out.
#[test]
fn agrees_on_games_by_sums() {
    let mut world = world("KRK", Metric::Mate);
    let movers = Movers::read(&mut world);
    let pool = Pool::new(&world, &movers, plan::pool::simple(&world, &movers), &mut |_, _| true);
    let settings = Settings {
        cases: 3,
        attributes: 12,
        made: 8,
        sample: 3000,
        starts: 500,
        lessons: 6,
        polish: 6,
        plies: 2,
        ..Settings::default()
    };
    let cases = cases::find(&world, &movers, &pool, &settings, &mut |_, _| true).expect("attributes tell of levels");
    let (attributes, goals) = cases.goals();
    let values = cases.values(&world, &movers);
    let scores = |plies| casewise::scores(&world, &values, &goals, plies, Reading::Ends);
    let mut plan = plan_of("KRK", Metric::Mate, &rook_goals(), &[2]);
    plan.reached = [2, 1].map(|plies| build::reached(&world, &scores(plies), plies)).to_vec();
    plan = Plan { attributes, goals: goals.clone(), cases: Some(cases), avoid: Some(6), ..plan };
    let report = agree(&plan);
    let [won, games, said, of] = report.2.expect("it has a rule about repetitions");
    assert_eq!((games, of), (21_959, 21_959));
    assert!(won.abs_diff(said) * 200 <= games && won > report.0[0].reached.won, "{report:?}");
    assert_eq!(plan.unchecked().len(), 2, "random replies, and what sums win beside that: {:?}", plan.unchecked());
    plan.cases.as_mut().unwrap().played[0].won = 21_959 / 2;
    let report = check::ending(&plan, &Cancel::new()).unwrap();
    assert!(report.differences().iter().any(|difference| difference.contains("repetitions")), "{report:?}");
    assert_eq!(check::ending(&Plan { avoid: None, ..plan }, &Cancel::new()).unwrap().2, None);
}

/// Where positions on the way count, sweeps, the guide and the proof agree; and sums that are taught until less is met everywhere win without any rule.
#[test]
fn agrees_on_what_is_met_on_the_way() {
    let mut world = world("KRK", Metric::Conversion);
    let movers = Movers::read(&mut world);
    let pool = Pool::new(&world, &movers, plan::pool::simple(&world, &movers), &mut |_, _| true);
    let settings = Settings {
        cases: 6,
        attributes: 40,
        made: 40,
        sample: 10_000,
        lessons: 60,
        repetition: Repetition::Nothing,
        reading: Reading::Met,
        ..Settings::default()
    };
    let cases = cases::find(&world, &movers, &pool, &settings, &mut |_, _| true).expect("attributes tell of levels");
    let (attributes, goals) = cases.goals();
    let values = cases.values(&world, &movers);
    let scores = |plies| casewise::scores(&world, &values, &goals, plies, Reading::Met);
    let mut plan = plan_of("KRK", Metric::Conversion, &rook_goals(), &[4]);
    plan.reached = [4, 3, 1].map(|plies| build::reached(&world, &scores(plies), plies)).to_vec();
    plan = Plan { attributes, goals: goals.clone(), reading: Reading::Met, cases: Some(cases), ..plan };
    let plan = Plan::parse(&plan.text()).unwrap();
    let report = agree(&plan);
    assert!(report.proven(), "{report:?}");
    let avoiding = agree(&Plan { avoid: Some(6), ..plan.clone() });
    assert_eq!(avoiding.2, Some([21_959; 4]), "with the rule about repetitions, too");
    let (scores, mut guide) = (scores(4), Guide::new(&plan, &world).unwrap());
    for node in world.won().step_by(1999) {
        let ways = guide.ways(&node).unwrap();
        let least = ways.iter().map(|way| &way.worth).min().unwrap();
        for way in &ways {
            let best = scores[way.to as usize] == sweep::best(&world, &scores, node);
            assert_eq!(way.worth == *least, best, "{node} to {}", way.to);
        }
    }
    assert!(
        plan.sentences()[1].starts_with("Force the least total that you can meet when it is your turn, the soonest. ")
    );
    let ends = check::ending(&Plan { reading: Reading::Ends, ..plan.clone() }, &Cancel::new()).unwrap();
    assert!(!ends.differences().is_empty(), "what only ends count for is another plan");
    assert!(!plan_of("KRK", Metric::Conversion, &rook_goals(), &[2]).text().contains("reading"), "as in older files");
}

/// Goals that hold under conditions: the first case whose conditions hold counts, with what is added to its sum.
#[test]
fn agrees_on_goals_with_cases() {
    let mut plan = plan_of("KRK", Metric::Mate, &rook_goals(), &[2]);
    let mut world = world("KRK", Metric::Mate);
    let movers = Movers::read(&mut world);
    let values = plan::pool::columns(&world, &movers, &plan.attributes);
    let test = |subject, at_most, bound| verdict::Test { subject, bound, at_most };
    let small = test(verdict::Subject::Attribute(1), true, 12);
    let near = test(verdict::Subject::Difference(2, 3), true, 103);
    let goal = |when: &[verdict::Test], base, parts: &[(usize, i32)]| Goal {
        when: when.to_vec(),
        base,
        parts: parts.to_vec(),
    };
    plan.goals = vec![
        goal(&[], 0, &[(0, 1)]),
        goal(&[small, near], -30, &[(1, 1), (2, 2)]),
        goal(&[small], -7, &[(1, 3), (3, -1)]),
        goal(&[], 5, &[(1, 2), (2, 1)]),
        goal(&[], 0, &[(2, 1)]),
    ];
    let told: Vec<usize> = plan.goals_by_cases().map(<[Goal]>::len).collect();
    assert_eq!(told, [1, 3, 1]);
    assert_eq!((0..5).map(|goal| plan.number(goal)).collect::<Vec<_>>(), [0, 1, 1, 1, 2]);
    let reached =
        |plies| build::reached(&world, &casewise::scores(&world, &values, &plan.goals, plies, Reading::Ends), plies);
    plan.reached = [2, 1, 4].map(reached).to_vec();
    let report = agree(&plan);
    assert!(report.0[0].reached.won > 0, "{report:?}");
    let sentences = plan.sentences();
    assert_eq!(sentences.len(), 6, "one for each case, and the one before the goals");
    assert!(
        sentences[2]
            .starts_with("Make the total small. If the room that the rook leaves their king is at most 12 and "),
        "{sentences:?}"
    );
    assert!(sentences[4].starts_with("Otherwise, the total is 5 plus twice the room"), "{sentences:?}");
    assert_eq!(Plan::parse(&plan.text()).unwrap().goals, plan.goals, "what is written reads back");
    let mut open = plan.clone();
    open.goals.pop();
    open.goals.pop();
    assert!(Plan::parse(&open.text()).is_err(), "the last case holds everywhere");
    plan.goals[2].when.push(test(verdict::Subject::OurMove, false, 1));
    assert!(Plan::parse(&plan.text()).is_err(), "conditions do not ask who is to move");
}

#[test]
fn agrees_where_men_change() {
    let pawn = [
        (Attribute::Loose(1), 1),
        (
            Attribute::Distance {
                by: None,
                from: 1,
                to: Place::Cells { name: "end".into(), cells: (56..64).collect() },
            },
            1,
        ),
        (Attribute::Distance { by: None, from: 0, to: Place::Thing(1) }, 1),
        (Attribute::Distance { by: None, from: 2, to: Place::EndOf(1) }, -1),
        (Attribute::Across(0, 2), 1),
        (Attribute::Up(0), -1),
    ];
    for metric in [Metric::Mate, Metric::Conversion] {
        agree(&plan_of("KPK", metric, &pawn, &[2, 1, 3]));
    }
}

/// Rules that tell what is won are read by the proof as they were when they were found, at all plies.
#[test]
fn agrees_on_what_rules_tell() {
    let mut world = world("KPK", Metric::Conversion);
    let movers = Movers::read(&mut world);
    let pool = Pool::new(&world, &movers, plan::pool::simple(&world, &movers), &mut |_, _| true);
    let settings = verdict::Settings { rules: 4, rounds: 4, beam: 2, plies: 2, ..verdict::Settings::default() };
    let found = verdict::find(&world, &pool, &settings, &mut |_, _| true);
    assert_eq!(found.read.iter().map(|read| read.0).collect::<Vec<_>>(), [0, 2, 4]);
    assert_eq!(found.positions, 165_665);
    assert!(found.share() > 0.94, "{}", found.share());
    assert!(found.read[0].1 < found.right, "looking ahead helps");
    let decided: u64 = found.rules.iter().map(|rule| rule.decides).sum();
    let wrong: u64 = found.rules.iter().map(|rule| rule.wrong).sum();
    assert_eq!((decided, decided - wrong), (found.positions, found.read[0].1));
    let mut plan = plan_of("KPK", Metric::Conversion, &[(Attribute::Up(1), -1)], &[1]);
    plan.attributes = pool.attributes.clone();
    plan.goals.clear();
    plan.reached.clear();
    plan.verdict = Some(found);
    let sentences = plan.verdict_sentences();
    assert_eq!(sentences.len(), 4);
    let report = check::ending(&plan, &Cancel::new()).unwrap();
    assert_eq!(report.1.len(), 4);
    assert!(report.1.iter().all(|told| told.1 == told.2 && told.3 == 165_665), "{:?}", report.1);
    if let Some(verdict) = &mut plan.verdict {
        verdict.right += 1;
    }
    let report = check::ending(&plan, &Cancel::new()).unwrap();
    assert!(report.differences().iter().any(|difference| difference.contains("rules")), "{:?}", report.differences());
}

#[test]
fn what_was_changed_by_hand_is_noticed() {
    let plan = plan_of("KRK", Metric::Mate, &rook_goals(), &[2]);
    let mut other = plan.clone();
    other.reached[0].won += 1;
    let report = check::ending(&other, &Cancel::new()).unwrap();
    assert_eq!(report.differences().len(), 1);
    let mut other = plan.clone();
    other.goals.swap(0, 2);
    assert!(!check::ending(&other, &Cancel::new()).unwrap().differences().is_empty());
    // A rook that jumps, as far as the file goes: what is loose and what is shut in is read off otherwise.
    let mut other = plan.clone();
    other.movers.0[1].iter_mut().for_each(|way| way.2.clear());
    assert!(!check::ending(&other, &Cancel::new()).unwrap().differences().is_empty());
    let mut other = plan.clone();
    other.board.cells.swap(3, 4);
    assert!(check::ending(&other, &Cancel::new()).is_err());
    let mut other = plan.clone();
    other.goals[0].parts[0].0 = 99;
    assert!(check::ending(&other, &Cancel::new()).is_err());
    let mut other = plan.clone();
    other.subject = Subject::Ending { material: "KRK".into(), metric: "moves".into() };
    assert!(check::ending(&other, &Cancel::new()).is_err());
    let mut other = plan.clone();
    other.reached[0].plies = 99;
    assert!(check::ending(&other, &Cancel::new()).is_err());
    let mut other = plan;
    other.reached.clear();
    let report = check::ending(&other, &Cancel::new()).unwrap();
    assert_eq!(report.differences().len(), 1);
    let cancel = Cancel::new();
    cancel.cancel();
    assert!(check::ending(&other, &cancel).is_err());
}

#[test]
fn what_is_too_large_or_not_chess_is_said() {
    let mut plan = plan_of("KRK", Metric::Mate, &rook_goals(), &[2]);
    for material in ["KQRKR", "KPKP", "KR", "RKK", "KKRK", "KXK", "KQK", ""] {
        plan.subject = Subject::Ending { material: material.into(), metric: "dtm".into() };
        assert!(check::ending(&plan, &Cancel::new()).is_err(), "{material}");
    }
}

/// Take one, two or three from a heap; who takes the last one wins.
struct Heap(u8);

impl Game for Heap {
    type State = (u8, u8);
    type View = (u8, u8);
    fn roles(&self) -> usize {
        2
    }
    fn start(&self) -> (u8, u8) {
        (self.0, 0)
    }
    fn view(&self) -> (u8, u8) {
        (0, 0)
    }
    fn look(&self, state: &(u8, u8), view: &mut (u8, u8)) -> Result<(), Limit> {
        *view = *state;
        Ok(())
    }
    fn turn(&self, view: &(u8, u8)) -> Turn {
        if view.0 == 0 { Turn::Over } else { Turn::One(Role(view.1)) }
    }
    fn legal(&self, view: &(u8, u8), role: Role, out: &mut Vec<Move>) {
        if role.0 == view.1 { out.extend((1..=view.0.min(3)).map(|n| Move(n.into()))) } else { out.push(Move(0)) }
    }
    fn goal(&self, view: &mut (u8, u8), role: Role) -> Result<Option<Reward>, Limit> {
        Ok(Some(if role.0 == view.1 { 0 } else { 100 }))
    }
    fn play(&self, view: &mut (u8, u8), joint: &[Move], next: &mut (u8, u8)) -> Result<(), Limit> {
        *next = (view.0 - joint[usize::from(view.1)].0 as u8, 1 - view.1);
        Ok(())
    }
}

impl Names for Heap {
    fn role_name(&self, role: Role) -> &str {
        ["first", "second"][usize::from(role.0)]
    }
    fn move_text(&self, mv: Move) -> String {
        format!("(take {})", mv.0)
    }
    fn facts(&self, state: &(u8, u8)) -> Vec<String> {
        vec![format!("(control {})", self.role_name(Role(state.1))), format!("(heap {})", state.0)]
    }
    fn state_of(&self, _: &[&str]) -> Option<(u8, u8)> {
        None
    }
}

fn heap_plan(goal: Attribute, weight: i32, plies: usize) -> Plan {
    Plan {
        form: FORM,
        version: String::new(),
        subject: Subject::Game { name: "heap".into(), identity: String::new(), role: "first".into() },
        board: Board { counters: vec!["heap".into()], ..Board::default() },
        movers: Written(Vec::new()),
        attributes: vec![goal],
        goals: vec![Goal { parts: vec![(0, weight)], ..Goal::default() }],
        plies,
        reached: Vec::new(),
        examples: Vec::new(),
        stages: None,
        cases: None,
        avoid: None,
        reading: Reading::Ends,
        reads: None,
        verdict: None,
    }
}

fn heap_report(plan: &Plan) -> Result<check::Report, plan::PlanError> {
    let mut read = |facts: &[String]| {
        let heap = facts.iter().find_map(|fact| fact.strip_prefix("(heap ")?.strip_suffix(')')?.parse().ok());
        Ok(Scene { sets: Vec::new(), counters: vec![heap.ok_or("no heap")?] })
    };
    check::game(plan, &Heap(21), &mut read, &Cancel::new())
}

#[test]
fn a_heap_is_won_by_leaving_multiples_of_four() {
    let rest = Attribute::Modulo(Box::new(Attribute::Counter(0)), 4);
    let report = heap_report(&heap_plan(rest, 1, 1)).unwrap();
    assert!(report.proven(), "{report:?}");
    // Of 21 and the 19 heaps that can be left when it is the turn again, those are won that are no multiple of four.
    let reached = &report.0[0].reached;
    assert_eq!((reached.positions, reached.won), (16, 16));
}

#[test]
fn a_heap_is_not_won_by_taking_much() {
    let report = heap_report(&heap_plan(Attribute::Counter(0), 1, 1)).unwrap();
    assert!(!report.proven());
    assert_eq!(report.0[0].counterexample.as_deref(), Some("(control first) (heap 6)"));
    // Five plies ahead a win in three moves is seen in time, and none that is longer.
    let report = heap_report(&heap_plan(Attribute::Counter(0), 1, 5)).unwrap();
    assert_eq!(report.0[0].counterexample.as_deref(), Some("(control first) (heap 14)"));
}

/// One player walks between 0 and 9: nine is worth 100, nought is worth 50.
struct Walk;

impl Game for Walk {
    type State = u8;
    type View = u8;
    fn roles(&self) -> usize {
        1
    }
    fn start(&self) -> u8 {
        4
    }
    fn view(&self) -> u8 {
        0
    }
    fn look(&self, state: &u8, view: &mut u8) -> Result<(), Limit> {
        *view = *state;
        Ok(())
    }
    fn turn(&self, view: &u8) -> Turn {
        if [0, 9].contains(view) { Turn::Over } else { Turn::One(Role(0)) }
    }
    fn legal(&self, _: &u8, _: Role, out: &mut Vec<Move>) {
        out.extend([Move(0), Move(2)]);
    }
    fn goal(&self, view: &mut u8, _: Role) -> Result<Option<Reward>, Limit> {
        Ok(Some(if *view == 9 { 100 } else { 50 }))
    }
    fn play(&self, view: &mut u8, joint: &[Move], next: &mut u8) -> Result<(), Limit> {
        *next = *view + joint[0].0 as u8 - 1;
        Ok(())
    }
}

impl Names for Walk {
    fn role_name(&self, _: Role) -> &str {
        "first"
    }
    fn move_text(&self, mv: Move) -> String {
        format!("(go {})", mv.0)
    }
    fn facts(&self, state: &u8) -> Vec<String> {
        vec![format!("(at {state})")]
    }
    fn state_of(&self, _: &[&str]) -> Option<u8> {
        None
    }
}

#[test]
fn play_in_circles_is_not_proven() {
    let walk = |goal: Attribute, weight: i32| {
        let mut read = |facts: &[String]| {
            let at = facts[0].trim_matches(|c: char| !c.is_ascii_digit()).parse::<i16>();
            Ok(Scene { sets: Vec::new(), counters: vec![at.map_err(|error| error.to_string())?] })
        };
        check::game(&heap_plan(goal, weight, 1), &Walk, &mut read, &Cancel::new()).unwrap()
    };
    let up = walk(Attribute::Counter(0), -1);
    assert!(up.proven(), "{up:?}");
    let reached = &up.0[0].reached;
    assert_eq!((reached.positions, reached.won, reached.excess, reached.worst), (8, 8, 0.0, 0));
    // Towards the nearest multiple of five: to and fro for ever, but from eight the end is in sight.
    let to_and_fro = walk(Attribute::Modulo(Box::new(Attribute::Counter(0)), 5), 1);
    assert_eq!((to_and_fro.0[0].reached.positions, to_and_fro.0[0].reached.won), (8, 1));
    assert_eq!(to_and_fro.0[0].counterexample.as_deref(), Some("(at 7)"));
}

#[test]
fn scenes_that_do_not_fit_the_board_are_refused() {
    let rest = Attribute::Modulo(Box::new(Attribute::Counter(0)), 4);
    let plan = heap_plan(rest, 1, 1);
    let mut read = |_: &[String]| Ok(Scene { sets: Vec::new(), counters: Vec::new() });
    assert!(check::game(&plan, &Heap(5), &mut read, &Cancel::new()).is_err());
    let mut read = |_: &[String]| Err("nothing can be read".to_string());
    assert!(check::game(&plan, &Heap(5), &mut read, &Cancel::new()).is_err());
    assert!(check::ending(&plan, &Cancel::new()).is_err());
}
