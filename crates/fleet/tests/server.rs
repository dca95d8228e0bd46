//! A real server: what travels, who may read what, TLS and passwords, and what survives when the server does not.

mod support;

use agent::Events;
use fleet::crew::{Crew, CrewSettings};
use fleet::queue::{Progress, Queue, Run};
use fleet::tasks::{Handler, TaskRunner};
use fleet::{Carrier, Connection, Nats, VERSION, Worker, WorkerSettings};
use game::Cancel;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use support::{Server, eventually};

fn hears(inbox: &fleet::Inbox, body: &[u8], patience: Duration) -> bool {
    let until = Instant::now() + patience;
    while Instant::now() < until {
        if inbox.next(Duration::from_millis(20)).is_some_and(|mail| &*mail.body == body) {
            return true;
        }
    }
    false
}

/// Sends until it is heard: on a busy machine a server may not know yet who listens.
fn travels(from: &Nats, subject: &str, body: &[u8], inbox: &fleet::Inbox) {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        from.send(subject, body.to_vec()).expect("it is sent");
        if hears(inbox, body, Duration::from_millis(200)) {
            return;
        }
        assert!(Instant::now() < until, "nobody listens to {subject}");
    }
}

#[test]
fn mail_travels_and_goes_on_after_a_restart() {
    let Some(mut server) = Server::start("mail") else { return };
    let (one, other) = (server.connect(), server.connect());
    let inbox = one.listen(&["ludens.crew.>".to_string()]).expect("it listens");
    travels(&other, "ludens.crew.m", b"hello", &inbox);
    assert!(other.send("ludens.crew.m", vec![0; 2_000_000]).is_err(), "too large");
    server.kill();
    eventually("it is noticed", || !one.is_connected() && !other.is_connected());
    assert!(other.send("ludens.crew.m", b"lost".to_vec()).is_err());
    server.begin();
    eventually("both are back", || one.is_connected() && other.is_connected());
    // Whoever listened listens again, as soon as the server has heard of it.
    travels(&other, "ludens.crew.m", b"again", &inbox);
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let connection = Connection::to("nats://127.0.0.1:9");
    let error = format!("{:#}", Nats::connect(&connection, "test").err().expect("nobody listens there"));
    assert!(error.contains("nats://127.0.0.1:9") && error.contains("docs/fleet.md"), "{error}");
}

/// The users of the configuration that docs/fleet.md tells of, with passwords of their own, and one more who may do nothing.
fn users() -> String {
    let (_, own) = include_str!("../../../deploy/nats-server.conf").split_once("\nauthorization {").expect("users");
    let nobody =
        r#"users = [ {user: nobody, password: "n-secret", permissions: {publish: ["none"], subscribe: ["none"]}}"#;
    let own = own.replacen("change-me", "p-secret", 1).replacen("change-me", "w-secret", 1);
    format!("authorization {{{}", own.replacen("users = [", nobody, 1))
}

fn user(server: &Server, name: &str, password: &str) -> Connection {
    Connection { user: Some((name.to_string(), password.to_string())), ..Connection::to(&server.url()) }
}

#[test]
fn nobody_reads_what_is_not_for_them() {
    let Some(server) = Server::with("users", Some(&users())) else { return };
    assert!(Nats::connect(&Connection::to(&server.url()), "test").is_err(), "without a password");
    assert!(Nats::connect(&user(&server, "worker", "wrong"), "test").is_err(), "with a wrong one");
    let connect = |name: &str, password: &str| {
        Arc::new(Nats::connect(&user(&server, name, password), name).expect("it is let in"))
    };
    let (player, worker, nobody) =
        (connect("player", "p-secret"), connect("worker", "w-secret"), connect("nobody", "n-secret"));
    // What others find is not for a worker, and orders are not for whoever has no permission at all.
    let spy = worker.listen(&["ludens.found.>".to_string()]).expect("it asks");
    let letters = worker.listen(&["_INBOX.player.>".to_string(), "_INBOX.>".to_string()]).expect("it asks");
    let stranger = nobody.listen(&["ludens.crew.>".to_string(), "ludens.rules.>".to_string()]).expect("it asks");
    let (own, found) = (worker.listen(&["ludens.crew.>".into()]), player.listen(&["ludens.found.>".into()]));
    let (own, found) = (own.expect("it may"), found.expect("it may"));
    let until = Instant::now() + Duration::from_secs(10);
    loop {
        player.send("ludens.crew.m", b"order".to_vec()).expect("it is sent");
        worker.send("ludens.found.m", b"finding".to_vec()).expect("it is sent");
        if hears(&own, b"order", Duration::from_millis(100)) && hears(&found, b"finding", Duration::from_millis(100)) {
            break;
        }
        assert!(Instant::now() < until, "those who may hear nothing");
    }
    assert!(!hears(&spy, b"finding", Duration::from_millis(300)));
    assert!(!hears(&stranger, b"order", Duration::from_millis(50)));
    // A worker gives no orders: they reach nobody.
    worker.send("ludens.crew.m", b"forged".to_vec()).expect("it is sent");
    nobody.send("ludens.found.m", b"forged".to_vec()).expect("it is sent");
    assert!(
        !hears(&own, b"forged", Duration::from_millis(300)) && !hears(&found, b"forged", Duration::from_millis(50))
    );
    eventually("the server complains", || {
        worker.trouble().is_some_and(|why| why.to_lowercase().contains("permissions"))
    });
    // With these permissions everything works that has to: a search, and a queue.
    search_with(Arc::clone(&player) as Arc<dyn Carrier>, Arc::clone(&worker) as Arc<dyn Carrier>);
    let served =
        Worker::start(Arc::clone(&worker) as Arc<dyn Carrier>, WorkerSettings::new("m", 1)).expect("it begins");
    let queue = Queue::open(&player, VERSION).expect("it may");
    let _tasks = TaskRunner::start(&worker, &served, doubling()).expect("it begins");
    assert_eq!(doubled(&queue, "allowed", 3), (3, 0));
    assert!(letters.next(Duration::from_millis(100)).is_none(), "what came of the work was for the player alone");
}

/// A crew of one worker answers.
fn search_with(player: Arc<dyn Carrier>, worker: Arc<dyn Carrier>) {
    let _worker = Worker::start(worker, WorkerSettings::new("m", 1)).expect("it begins");
    let rules = gdl::parse(library::find("tic-tac-toe").expect("it is in the library").rules).rules;
    let settings = CrewSettings {
        spec: "fleet:playouts=50,solvers=0".parse().expect("a player"),
        rules: play::Disguise::new(&rules, None).rules().to_string(),
        role: "x".to_string(),
        seed: 1,
        heuristics: Vec::new(),
        version: VERSION.to_string(),
        events: Events::ignored(),
    };
    let crew = Crew::start(player, settings).expect("it begins");
    eventually("the worker is ready", || crew.standing(0).alive == 1);
    let cells = (1..=3).flat_map(|x| (1..=3).map(move |y| format!("(cell {x} {y} b)")));
    let turn = crew.think(cells.chain(["(control x)".to_string()]).collect(), 1, Some(9.0), false);
    eventually("it answers", || crew.standing(turn).finished == 1);
}

/// Makes a certificate for 127.0.0.1 that signs itself; says so where that cannot be done.
fn certificate(folder: &Path) -> bool {
    let (key, cert) = (folder.join("key.pem"), folder.join("cert.pem"));
    let mut command = Command::new("openssl");
    command.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]);
    command.args(["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]);
    // An end of a chain, and no authority: clients of TLS insist on the difference.
    command.args(["-addext", "basicConstraints=critical,CA:FALSE"]);
    command.arg("-keyout").arg(&key).arg("-out").arg(&cert).stdout(Stdio::null()).stderr(Stdio::null());
    let made = command.status().is_ok_and(|status| status.success());
    if !made {
        eprintln!("SKIPPED: there is no openssl on this machine to make a certificate with");
    }
    made
}

#[test]
fn tls_is_used_and_certificates_are_checked() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("certificates-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    if !certificate(&folder) {
        return;
    }
    let (cert, key) = (folder.join("cert.pem"), folder.join("key.pem"));
    let config =
        format!("tls {{ cert_file: {cert:?}, key_file: {key:?} }}\nauthorization {{ user: me, password: secret }}\n");
    let Some(server) = Server::with("tls", Some(&config)) else { return };
    let me = Some(("me".to_string(), "secret".to_string()));
    let url = server.url().replace("nats://", "tls://");
    let trusted = Connection { user: me.clone(), ca: Some(cert), ..Connection::to(&url) };
    assert!(
        Nats::connect(&Connection { user: me.clone(), ..Connection::to(&url) }, "test").is_err(),
        "nobody vouches for it"
    );
    assert!(Nats::connect(&Connection { user: None, ..trusted.clone() }, "test").is_err(), "without a password");
    let nats = Arc::new(Nats::connect(&trusted, "test").expect("it is let in"));
    let inbox = nats.listen(&["ludens.call".to_string()]).expect("it listens");
    travels(&nats, "ludens.call", b"in secret", &inbox);
    search_with(Arc::clone(&nats) as Arc<dyn Carrier>, nats);
    // Where TLS is asked for, a server without it is refused.
    let Some(plain) = Server::start("no-tls") else { return };
    let url = plain.url().replace("nats://", "tls://");
    assert!(Nats::connect(&Connection::to(&url), "test").is_err());
    let _ = std::fs::remove_dir_all(folder);
}

/// Work that doubles numbers.
fn doubling() -> Handler {
    Arc::new(|kind, work, _| match (kind, work["n"].as_u64()) {
        ("double", Some(n)) => Ok(json!(2 * n)),
        _ => Err("no number".to_string()),
    })
}

fn numbers(count: u64) -> Vec<(String, Value)> {
    (0..count).map(|n| (format!("n{n}"), json!({ "n": n }))).collect()
}

/// Lets somebody double numbers: how many came back, and how many a second time.
fn doubled(queue: &Queue, name: &str, count: u64) -> (usize, usize) {
    let run = Run { name, kind: "double", secret: "s", fresh: true };
    let mut found: BTreeMap<String, Value> = BTreeMap::new();
    let mut twice = 0;
    let tally = queue.run(&run, numbers(count), &Cancel::new(), &mut |progress| {
        if let Progress::Done { id, value, .. } = progress {
            twice += usize::from(found.insert(id, value).is_some());
        }
        Ok(())
    });
    tally.expect("all is done");
    for (n, (id, value)) in numbers(count).into_iter().map(|(id, _)| (id.clone(), found.get(&id))).enumerate() {
        assert_eq!(value, Some(&json!(2 * n)), "{id}");
    }
    (found.len(), twice)
}

#[test]
fn every_piece_of_work_is_counted_once_whatever_happens() {
    let Some(mut server) = Server::start("queue") else { return };
    let queue = Queue::open(&server.connect(), VERSION).expect("it has queues");
    // One worker takes a piece and is never heard of again; another one crashes over its first piece.
    let begun = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&begun);
    let slow: Handler = Arc::new(move |_, _, cancel| {
        counted.fetch_add(1, Ordering::SeqCst);
        while !cancel.is_cancelled() {
            std::thread::sleep(Duration::from_millis(10));
        }
        Err("ended".to_string())
    });
    let connection = server.connect();
    let lazy =
        Worker::start(Arc::clone(&connection) as Arc<dyn Carrier>, WorkerSettings::new("lazy", 1)).expect("it begins");
    let lazy_tasks = TaskRunner::start(&connection, &lazy, slow).expect("it begins");
    let result = std::thread::scope(|scope| {
        let run = scope.spawn(|| doubled(&queue, "numbers", 40));
        eventually("somebody has taken a piece", || begun.load(Ordering::SeqCst) == 1);
        let other = server.connect();
        let good =
            Worker::start(Arc::clone(&other) as Arc<dyn Carrier>, WorkerSettings::new("good", 2)).expect("it begins");
        let good_tasks = TaskRunner::start(&other, &good, doubling()).expect("it begins");
        // The lazy one leaves, and gives its piece back; the server goes away in the middle of it, and comes back.
        drop(lazy_tasks);
        server.kill();
        std::thread::sleep(Duration::from_millis(300));
        server.begin();
        let result = run.join().expect("no crash");
        drop(good_tasks);
        result
    });
    assert_eq!(result, (40, 0));
}

#[test]
fn what_cannot_be_done_is_said_and_forged_results_do_not_count() {
    let Some(server) = Server::start("failing") else { return };
    let nats = server.connect();
    let queue = Queue::open(&nats, VERSION).expect("it has queues");
    // A result that nobody was asked for.
    let forged = fleet::queue::Done {
        id: "n0".into(),
        key: "0".repeat(32),
        worker: "mallory".into(),
        result: fleet::queue::Outcome::Fine(json!(7)),
    };
    let worker = Worker::start(Arc::clone(&nats) as Arc<dyn Carrier>, WorkerSettings::new("m", 1)).expect("it begins");
    let run = Run { name: "forged", kind: "double", secret: "s", fresh: false };
    nats.send("ludens.done.forged", fleet::message::write(VERSION, &forged)).expect("it is sent");
    nats.send("ludens.done.forged", b"nonsense".to_vec()).expect("it is sent");
    std::thread::sleep(Duration::from_millis(100));
    let _tasks = TaskRunner::start(&nats, &worker, doubling()).expect("it begins");
    let mut values = Vec::new();
    let tally = queue.run(&run, numbers(1), &Cancel::new(), &mut |progress| {
        if let Progress::Done { value, .. } = progress {
            values.push(value);
        }
        Ok(())
    });
    let tally = tally.expect("all is done");
    assert_eq!((values, tally.dropped), (vec![json!(0)], 2));
    let bad = vec![("bad".to_string(), json!({}))];
    let run = Run { name: "bad", kind: "double", secret: "s", fresh: true };
    let error = queue.run(&run, bad, &Cancel::new(), &mut |_| Ok(())).expect_err("it is no number");
    assert!(error.to_string().contains("no number"), "{error}");
}

/// Letters of base64 for addresses, without padding.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0u32, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        for at in 0..=chunk.len() {
            text.push(char::from(LETTERS[(bits >> (18 - 6 * at) & 63) as usize]));
        }
    }
    text
}

/// A statement about somebody, signed by somebody.
fn signed(by: &nkeys::KeyPair, about: &nkeys::KeyPair, name: &str, what: Value) -> String {
    let head = base64(br#"{"typ":"JWT","alg":"ed25519-nkey"}"#);
    let claims = json!({ "jti": name, "iat": 1_700_000_000, "iss": by.public_key(), "name": name, "sub": about.public_key(), "nats": what });
    let body = format!("{head}.{}", base64(claims.to_string().as_bytes()));
    let signature = by.sign(body.as_bytes()).expect("it can sign");
    format!("{body}.{}", base64(&signature))
}

#[test]
fn files_with_credentials_open_the_door() {
    use nkeys::KeyPair;
    let (operator, system, account, user) =
        (KeyPair::new_operator(), KeyPair::new_account(), KeyPair::new_account(), KeyPair::new_user());
    let limits = json!({ "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1 });
    let of_account = |pair: &KeyPair, name: &str| {
        signed(&operator, pair, name, json!({ "limits": limits, "type": "account", "version": 2 }))
    };
    let config = format!(
        "operator: {}\nsystem_account: {}\nresolver: MEMORY\nresolver_preload: {{\n {}: {}\n {}: {}\n}}\n",
        signed(&operator, &operator, "O", json!({ "type": "operator", "version": 2 })),
        system.public_key(),
        system.public_key(),
        of_account(&system, "S"),
        account.public_key(),
        of_account(&account, "A"),
    );
    let Some(server) = Server::with("creds", Some(&config)) else { return };
    let creds = |signer: &KeyPair| {
        let permissions =
            json!({ "pub": {}, "sub": {}, "subs": -1, "data": -1, "payload": -1, "type": "user", "version": 2 });
        let jwt = signed(signer, &user, "u", permissions);
        let seed = user.seed().expect("its own");
        format!(
            "-----BEGIN NATS USER JWT-----\n{jwt}\n------END NATS USER JWT------\n\n\
             -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
        )
    };
    let connect = |name: &str, text: String| {
        let path = server.folder().join(name);
        std::fs::write(&path, text).expect("a file");
        Nats::connect(&Connection { creds: Some(path), ..Connection::to(&server.url()) }, "test")
    };
    assert!(Nats::connect(&Connection::to(&server.url()), "test").is_err(), "without credentials");
    assert!(connect("forged.creds", creds(&KeyPair::new_account())).is_err(), "nobody knows who signed these");
    assert!(connect("broken.creds", "nonsense".to_string()).is_err());
    let nats = connect("good.creds", creds(&account)).expect("it is let in");
    let inbox = nats.listen(&["ludens.call".to_string()]).expect("it listens");
    travels(&nats, "ludens.call", b"here", &inbox);
}
