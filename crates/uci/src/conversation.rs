//! The conversation with whoever uses the engine. One thread reads what is written, one thinks, and this one answers; so
//! `stop` and `isready` are answered at once, whatever the engine is doing.

use crate::alarm::{Alarm, Allowance};
use crate::command::{self, Command, Dialect, Go, Query};
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
    Ready,
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
    Talk { dialect, jobs, running: None, waiting: VecDeque::new(), count: 0, thoughts: 0, out }.run(&events)
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
            Job::Ready => drop(to.send(Event::Ready)),
        }
    }
}

struct Talk<'a> {
    dialect: Dialect,
    jobs: Sender<Job>,
    running: Option<Running>,
    /// What was said after `stop` and before the answer; obeyed after it.
    waiting: VecDeque<Command>,
    /// Searches so far.
    count: u64,
    /// How often `isready` waits for an answer.
    thoughts: usize,
    out: &'a mut dyn Write,
}

impl Talk<'_> {
    fn run(mut self, events: &Receiver<Event>) -> io::Result<()> {
        let mut at_end = false;
        for event in events {
            match event {
                // Who has said goodbye says nothing more.
                Event::Line(_) | Event::EndOfInput if at_end => {}
                Event::Line(line) => match command::read(&line, self.dialect) {
                    // What was asked before is still answered, and a search with what it has.
                    Ok(Command::Quit) => {
                        at_end = true;
                        self.stop();
                        self.ask(Job::Ready);
                    }
                    Ok(command) => self.obey(command)?,
                    Err(why) => self.say(&format!("info string {why}"))?,
                },
                Event::EndOfInput => {
                    at_end = true;
                    // What ends by itself is waited for, as long as somebody reads the answer.
                    if self.running.as_ref().is_some_and(|running| !running.go.is_limited()) {
                        self.stop();
                    }
                    self.ask(Job::Ready);
                }
                Event::Said(line) => self.say(&line)?,
                Event::Done(number, answer) => self.done(number, answer)?,
                Event::Ready if at_end && self.thoughts == 1 => return self.out.flush(),
                Event::Ready => {
                    self.thoughts -= 1;
                    self.say("readyok")?;
                }
            }
        }
        Ok(())
    }

    fn say(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.out, "{line}")?;
        self.out.flush()
    }

    fn ask(&mut self, job: Job) {
        self.thoughts += usize::from(matches!(job, Job::Ready));
        // A mind that has crashed says nothing any more, and the conversation ends.
        let _ = self.jobs.send(job);
    }

    fn obey(&mut self, command: Command) -> io::Result<()> {
        let is_busy = self.running.is_some();
        match command {
            Command::Nothing | Command::Debug | Command::Quit => {}
            Command::IsReady if is_busy => self.say("readyok")?,
            Command::IsReady => self.ask(Job::Ready),
            Command::Stop => self.stop_and_answer()?,
            Command::PonderHit => self.ponder_hit()?,
            // Not everybody waits for the answer before going on.
            _ if self.is_stopping() => self.waiting.push_back(command),
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
                self.running = Some(Running { number, alarm: Arc::clone(&alarm), go: go.clone(), is_held, answer });
                self.ask(Job::Think(number, go, alarm));
            }
        }
        Ok(())
    }

    /// Whether a search was told to stop and has not answered yet.
    fn is_stopping(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.alarm.cancel.is_cancelled())
    }

    fn stop(&mut self) {
        if let Some(running) = &mut self.running {
            running.is_held = false;
            running.alarm.cancel.cancel();
        }
    }

    fn stop_and_answer(&mut self) -> io::Result<()> {
        self.stop();
        self.answer()
    }

    /// It is our turn now, and the clock counts.
    fn ponder_hit(&mut self) -> io::Result<()> {
        if let Some(running) = self.running.as_mut().filter(|running| running.go.ponder) {
            running.is_held = running.go.infinite;
            running.alarm.begin();
        }
        self.answer()
    }

    fn done(&mut self, number: u64, answer: String) -> io::Result<()> {
        if let Some(running) = self.running.as_mut().filter(|running| running.number == number) {
            running.answer = Some(answer);
        }
        self.answer()
    }

    /// Gives the answer, if it is there and nobody has to say anything before; and goes on with what had to wait for it.
    fn answer(&mut self) -> io::Result<()> {
        self.give_answer()?;
        while self.running.is_none()
            && let Some(command) = self.waiting.pop_front()
        {
            self.obey(command)?;
        }
        Ok(())
    }

    fn give_answer(&mut self) -> io::Result<()> {
        let is_due = |running: &mut Running| !running.is_held && running.answer.is_some();
        match self.running.take_if(is_due).and_then(|running| running.answer) {
            Some(answer) => self.say(&answer),
            None => Ok(()),
        }
    }
}
