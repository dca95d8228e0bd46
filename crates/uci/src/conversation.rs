//! The conversation with whoever uses the engine. One thread reads what is written, one thinks, and this one answers; so
//! `stop` and `isready` are answered at once, whatever the engine is doing.

use crate::alarm::{Alarm, Allowance};
use crate::command::{self, Command, Dialect, Go, Query};
use game::Cancel;
use std::collections::VecDeque;
use std::io::{self, BufRead, Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

/// Whoever thinks. What it is asked comes in order, and on one thread.
pub trait Mind: Send + 'static {
    /// What it says of itself: `id` and `option` lines.
    fn hello(&self) -> Vec<String>;

    /// Sets an option.
    ///
    /// # Errors
    /// When there is no such option, or it cannot have that value.
    fn set(&mut self, name: &str, value: &str) -> Result<(), String>;

    /// Another game begins; nothing is kept.
    fn new_game(&mut self);

    /// Does what would otherwise take time from the first move. Whoever asks waits for it, or cancels it.
    fn get_ready(&mut self, cancel: &Cancel);

    /// Goes to a position: a FEN or facts (`None` is the start), and moves from there.
    ///
    /// # Errors
    /// When there is no such position. It stays where it was then.
    fn place(&mut self, start: Option<&str>, moves: &str) -> Result<(), String>;

    /// The time for a move in this position.
    fn allowance(&self, go: &Go) -> Option<Allowance>;

    /// Thinks until it is done or the alarm rings. Lines of thought go to `tell`.
    fn think(&mut self, go: &Go, alarm: &Alarm, tell: &mut dyn FnMut(String)) -> Answer;

    /// Counts the paths of a length: what each move leads to goes to `tell`, the last line is returned.
    fn perft(&mut self, depth: u32, alarm: &Alarm, tell: &mut dyn FnMut(String)) -> String;

    /// Answers a question about the position.
    fn query(&mut self, query: Query) -> Result<String, String>;

    /// The position, for people.
    fn show(&mut self) -> String;

    /// What the position is worth without a search, for people.
    fn evaluate(&mut self) -> String;
}

/// The move that a search came to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Answer {
    /// The move; `None` where there is none.
    pub best: Option<String>,
    /// The answer to it that is expected.
    pub ponder: Option<String>,
}

impl Answer {
    fn line(&self, dialect: Dialect) -> String {
        let best = self.best.as_deref().unwrap_or(if dialect == Dialect::Uci { "0000" } else { "none" });
        match &self.ponder {
            Some(ponder) => format!("bestmove {best} ponder {ponder}"),
            None => format!("bestmove {best}"),
        }
    }
}

/// The longest line that is read; the rest of it is passed over.
const LONGEST: u64 = 1 << 20;

/// What this thread hears of.
enum Event {
    Line(String),
    EndOfInput,
    /// The mind says this.
    Said(String),
    /// The search of this number has come to an end, with this as its last line. Whoever reads that line may go on at once,
    /// so nothing but this event may carry it.
    Done(u64, String),
    /// Everything that was asked before is done.
    Ready,
    /// The same, and nothing will be asked any more.
    Closed,
}

/// What the mind is asked.
enum Job {
    Hello,
    Set(String, String),
    NewGame,
    Place(Option<String>, String),
    Think(u64, Box<Go>, Arc<Alarm>),
    Query(Query),
    Show,
    Evaluate,
    Ready(Cancel),
    Close,
}

/// A search that has begun.
struct Running {
    number: u64,
    alarm: Arc<Alarm>,
    go: Box<Go>,
    /// Its answer waits for a word: for `stop`, or for `ponderhit`.
    is_held: bool,
    /// Its last line.
    answer: Option<String>,
}

impl Running {
    fn ends_by_itself(&self) -> bool {
        !self.is_held && self.go.has_limit()
    }
}

/// Something that was said while it could not be obeyed.
struct Waiting {
    command: Command,
    /// A `stop` came behind it: a search answers with what it has at once.
    is_stopped: bool,
}

/// Talks until `quit` or the end of the input. At the end of the input a search that would not end by itself is stopped, and answers.
///
/// # Errors
/// When nothing can be written any more, or there are no threads.
pub fn converse(
    dialect: Dialect,
    mind: impl Mind,
    input: impl BufRead + Send + 'static,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (sender, events) = mpsc::channel();
    let (jobs, open) = mpsc::channel();
    let from_input = sender.clone();
    thread::Builder::new().name("input".into()).spawn(move || read_all(input, &from_input))?;
    // Searches may go deep.
    thread::Builder::new()
        .name("mind".into())
        .stack_size(64 << 20)
        .spawn(move || work(dialect, mind, &open, &sender))?;
    let talk = Talk {
        dialect,
        jobs,
        running: None,
        waiting: VecDeque::new(),
        count: 0,
        getting_ready: None,
        is_at_end: false,
        is_closing: false,
        out,
    };
    talk.run(&events)
}

fn read_all(mut input: impl BufRead, to: &Sender<Event>) {
    loop {
        let mut bytes = Vec::new();
        let read = input.by_ref().take(LONGEST).read_until(b'\n', &mut bytes);
        let is_cut = bytes.len() as u64 == LONGEST && bytes.last() != Some(&b'\n');
        let rest = if is_cut { input.skip_until(b'\n').map(|_| ()) } else { Ok(()) };
        match read.and_then(|count| rest.map(|()| count)) {
            Ok(0) | Err(_) => {
                let _ = to.send(Event::EndOfInput);
                return;
            }
            Ok(_) => {
                if to.send(Event::Line(String::from_utf8_lossy(&bytes).into_owned())).is_err() {
                    return;
                }
            }
        }
    }
}

/// What the mind does all its life.
fn work(dialect: Dialect, mut mind: impl Mind, jobs: &Receiver<Job>, to: &Sender<Event>) {
    let say = |line: String| drop(to.send(Event::Said(line)));
    let complain = |result: Result<(), String>| {
        if let Err(why) = result {
            say(format!("info string {why}"));
        }
    };
    for job in jobs {
        match job {
            Job::Hello => {
                mind.hello().into_iter().for_each(say);
                say(format!("{}ok", dialect.name()));
            }
            Job::Set(name, value) => complain(mind.set(&name, &value)),
            Job::NewGame => mind.new_game(),
            Job::Place(start, moves) => complain(mind.place(start.as_deref(), &moves)),
            Job::Think(number, go, alarm) => {
                alarm.allow(mind.allowance(&go));
                let last = match go.perft {
                    Some(depth) => mind.perft(depth, &alarm, &mut |line| say(line)),
                    None => mind.think(&go, &alarm, &mut |line| say(line)).line(dialect),
                };
                let _ = to.send(Event::Done(number, last));
            }
            Job::Query(query) => match mind.query(query) {
                Ok(answer) => say(format!("response {answer}")),
                Err(why) => say(format!("info string {why}")),
            },
            Job::Show => mind.show().lines().for_each(|line| say(line.to_string())),
            Job::Evaluate => mind.evaluate().lines().for_each(|line| say(format!("info string {line}"))),
            Job::Ready(cancel) => {
                mind.get_ready(&cancel);
                drop(to.send(Event::Ready));
            }
            Job::Close => drop(to.send(Event::Closed)),
        }
    }
}

struct Talk<'a> {
    dialect: Dialect,
    jobs: Sender<Job>,
    running: Option<Running>,
    /// What was said behind a search that ends by itself or was told to end, or behind `isready`; obeyed after that.
    waiting: VecDeque<Waiting>,
    /// Searches so far.
    count: u64,
    /// `isready` waits for an answer; this ends what it waits for.
    getting_ready: Option<Cancel>,
    /// Nothing more will be said to us.
    is_at_end: bool,
    /// The mind was asked the last thing.
    is_closing: bool,
    out: &'a mut dyn Write,
}

impl Talk<'_> {
    fn run(mut self, events: &Receiver<Event>) -> io::Result<()> {
        for event in events {
            match event {
                // Who has said goodbye says nothing more.
                Event::Line(_) | Event::EndOfInput if self.is_at_end => {}
                Event::Line(line) => match command::read(&line, self.dialect) {
                    // What was asked before is still answered, and a search with what it has.
                    Ok(Command::Quit) => {
                        self.is_at_end = true;
                        self.stop_and_answer()?;
                    }
                    Ok(command) => self.obey(command, false)?,
                    Err(why) => self.say(&format!("info string {why}"))?,
                },
                Event::EndOfInput => {
                    self.is_at_end = true;
                    // What ends by itself is waited for, as long as somebody reads the answer.
                    if !self.is_ending() {
                        self.stop_running();
                        self.answer()?;
                    }
                }
                Event::Said(line) => self.say(&line)?,
                Event::Done(number, answer) => self.done(number, answer)?,
                Event::Ready => {
                    self.getting_ready = None;
                    self.say("readyok")?;
                }
                Event::Closed => return self.out.flush(),
            }
            self.go_on()?;
        }
        Ok(())
    }

    /// Obeys what has waited, and closes when nothing is left to do.
    fn go_on(&mut self) -> io::Result<()> {
        while self.running.is_none()
            && self.getting_ready.is_none()
            && let Some(Waiting { command, is_stopped }) = self.waiting.pop_front()
        {
            self.obey(command, is_stopped)?;
        }
        if self.is_at_end && self.running.is_none() && self.getting_ready.is_none() && !self.is_closing {
            self.is_closing = true;
            self.ask(Job::Close);
        }
        Ok(())
    }

    fn say(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.out, "{line}")?;
        self.out.flush()
    }

    fn ask(&mut self, job: Job) {
        // A mind that has crashed says nothing any more, and the conversation ends.
        let _ = self.jobs.send(job);
    }

    /// Does what is said, or remembers it for later.
    fn obey(&mut self, command: Command, is_stopped: bool) -> io::Result<()> {
        let is_busy = self.running.is_some();
        match command {
            Command::Nothing | Command::Debug | Command::Quit => {}
            Command::IsReady if is_busy => self.say("readyok")?,
            Command::Stop => self.stop_and_answer()?,
            Command::PonderHit => self.ponder_hit()?,
            // Not everybody waits for the answer before going on.
            _ if self.getting_ready.is_some() || self.is_ending() => {
                self.waiting.push_back(Waiting { command, is_stopped })
            }
            Command::IsReady => {
                let cancel = Cancel::new();
                self.getting_ready = Some(cancel.clone());
                self.ask(Job::Ready(cancel));
            }
            _ if is_busy => self.say("info string not while thinking: say stop first")?,
            Command::Hello => self.ask(Job::Hello),
            Command::SetOption { name, value } => self.ask(Job::Set(name, value)),
            Command::NewGame => self.ask(Job::NewGame),
            Command::Position { start, moves } => self.ask(Job::Place(start, moves)),
            Command::Query(query) => self.ask(Job::Query(query)),
            Command::Show => self.ask(Job::Show),
            Command::Evaluate => self.ask(Job::Evaluate),
            Command::Go(go) => {
                self.count += 1;
                let alarm = Arc::new(Alarm::default());
                if !go.ponder {
                    alarm.begin();
                }
                let is_held = go.perft.is_none() && (go.infinite || go.ponder);
                let (number, answer) = (self.count, None);
                let running = Running { number, alarm: Arc::clone(&alarm), go: go.clone(), is_held, answer };
                // Behind the last line nobody can say stop any more.
                let is_over = is_stopped || self.is_at_end && !running.ends_by_itself();
                self.running = Some(running);
                if is_over {
                    self.stop_running();
                }
                self.ask(Job::Think(number, go, alarm));
            }
        }
        Ok(())
    }

    /// Whether a search ends without another word, or was told to and has not answered yet.
    fn is_ending(&self) -> bool {
        let is_ending = |running: &Running| running.ends_by_itself() || running.alarm.cancel.is_cancelled();
        self.running.as_ref().is_some_and(is_ending)
    }

    fn stop_running(&mut self) {
        if let Some(running) = &mut self.running {
            running.is_held = false;
            running.alarm.cancel.cancel();
        }
    }

    /// Ends the search, and all that were asked for before this was said.
    fn stop_and_answer(&mut self) -> io::Result<()> {
        self.stop_running();
        self.getting_ready.iter().for_each(Cancel::cancel);
        self.waiting.iter_mut().for_each(|waiting| waiting.is_stopped = true);
        self.answer()
    }

    /// It is our turn now, and the clock counts.
    fn ponder_hit(&mut self) -> io::Result<()> {
        if let Some(running) = self.running.as_mut().filter(|running| running.go.ponder) {
            running.is_held = running.go.infinite;
            running.alarm.begin();
            return self.answer();
        }
        // It has not begun yet.
        for waiting in &mut self.waiting {
            if let Command::Go(go) = &mut waiting.command {
                go.ponder = false;
            }
        }
        Ok(())
    }

    fn done(&mut self, number: u64, answer: String) -> io::Result<()> {
        if let Some(running) = self.running.as_mut().filter(|running| running.number == number) {
            running.answer = Some(answer);
        }
        self.answer()
    }

    /// Gives the answer, if it is there and nobody has to say anything before.
    fn answer(&mut self) -> io::Result<()> {
        let is_due = |running: &mut Running| !running.is_held && running.answer.is_some();
        match self.running.take_if(is_due).and_then(|running| running.answer) {
            Some(answer) => self.say(&answer),
            None => Ok(()),
        }
    }
}
