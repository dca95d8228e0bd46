//! A worker that takes pieces of work off the queue. What a piece means is somebody else's business: a function is called with its
//! kind and its data.

use crate::message::{self, Bad};
use crate::nats::Nats;
use crate::queue::{Done, Outcome, SILENT, TASKS, Task, consumer_name, done_subject, durable, store};
use crate::worker::{Inside, Job, Worker};
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{AckKind, Context, Message};
use futures_util::StreamExt;
use game::Cancel;
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A piece that so many workers were given and none has done is given up.
const MOST_TRIES: i64 = 5;
/// How often a worker says that it is at work.
const BEAT: Duration = Duration::from_millis(1_000);
/// How long to wait before a queue that is not there is looked for again.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Does a piece of work: its kind, its data, and what ends it early.
pub type Handler = Arc<dyn Fn(&str, &Value, &Cancel) -> Result<Value, String> + Send + Sync>;

/// Takes pieces off the queue until it is dropped.
pub struct TaskRunner {
    cancel: Cancel,
    thread: Option<JoinHandle<()>>,
}

impl TaskRunner {
    /// Begins. Whenever the worker has a free seat, a piece is taken.
    ///
    /// # Errors
    /// When there is no thread for it.
    pub fn start(nats: &Arc<Nats>, worker: &Worker, handler: Handler) -> Result<TaskRunner, String> {
        let cancel = worker.inside().cancel.child();
        let taker = Arc::new(Taker {
            nats: Arc::clone(nats),
            context: durable(nats).map_err(|error| error.to_string())?,
            inside: Arc::clone(worker.inside()),
            handler,
            cancel: cancel.clone(),
        });
        let thread = thread::Builder::new().name("tasks".into()).spawn(move || take_all(&taker));
        Ok(TaskRunner { cancel, thread: Some(thread.map_err(|error| format!("cannot start a thread: {error}"))?) })
    }
}

impl Drop for TaskRunner {
    fn drop(&mut self) {
        self.cancel.cancel();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Taker {
    nats: Arc<Nats>,
    context: Context,
    inside: Arc<Inside>,
    handler: Handler,
    cancel: Cancel,
}

fn take_all(taker: &Arc<Taker>) {
    let mut at_work: Vec<JoinHandle<()>> = Vec::new();
    let mut consumer: Option<PullConsumer> = None;
    while !taker.cancel.is_cancelled() {
        at_work.retain(|thread| !thread.is_finished());
        if !taker.inside.has_seat() {
            thread::sleep(Duration::from_millis(20));
            continue;
        }
        match taker.next(&mut consumer) {
            Ok(Some(message)) => at_work.extend(taker.begin(message)),
            Ok(None) => {}
            Err(()) => {
                // No queue, no connection, or nothing that is for us: it may come.
                consumer = None;
                taker.pause(LOOK_AGAIN);
            }
        }
    }
    // Each hears that it is to end, and gives its piece back.
    for thread in at_work {
        let _ = thread.join();
    }
}

impl Taker {
    fn pause(&self, time: Duration) {
        let steps = time.as_millis() / 20;
        (0..steps).take_while(|_| !self.cancel.is_cancelled()).for_each(|_| thread::sleep(Duration::from_millis(20)));
    }

    /// The next piece, if one comes within a moment.
    fn next(&self, consumer: &mut Option<PullConsumer>) -> Result<Option<Message>, ()> {
        let version = &self.inside.settings.version;
        let fetched = self.nats.wait(async {
            if consumer.is_none() {
                let stream = self.context.get_stream(TASKS).await.map_err(drop)?;
                *consumer = Some(stream.get_consumer(&consumer_name(version)).await.map_err(drop)?);
            }
            let consumer = consumer.as_ref().ok_or(())?;
            let batch = consumer.batch().max_messages(1).expires(Duration::from_millis(500)).messages();
            let mut batch = batch.await.map_err(drop)?;
            match batch.next().await {
                None => Ok(None),
                Some(Ok(message)) => Ok(Some(message)),
                Some(Err(_)) => Err(()),
            }
        });
        fetched.map_err(drop)?
    }

    /// Does a piece on a thread of its own.
    fn begin(self: &Arc<Taker>, message: Message) -> Option<JoinHandle<()>> {
        let task: Task = match message::read(&self.inside.settings.version, &message.payload) {
            Ok(task) => task,
            Err(why) => {
                self.inside.dropped.count(&why);
                self.answer(&message, AckKind::Term);
                return None;
            }
        };
        let Some(job) = self.inside.take_seat(&format!("{} {}", task.kind, task.id)) else {
            self.answer(&message, AckKind::Nak(None));
            return None;
        };
        let own = Arc::clone(self);
        thread::Builder::new().name("task".into()).spawn(move || own.perform(&task, &message, job)).ok()
    }

    fn answer(&self, message: &Message, kind: AckKind) {
        // What cannot be answered is given to somebody else, who does it again.
        let _ = self.nats.wait(message.ack_with(kind));
    }

    fn perform(&self, task: &Task, message: &Message, job: Job) {
        let is_over = Arc::new(AtomicBool::new(false));
        let (over, beating) = (Arc::clone(&is_over), message.clone());
        self.nats.spawn(async move {
            while !over.load(Ordering::Relaxed) {
                let _ = beating.ack_with(AckKind::Progress).await;
                tokio::time::sleep(BEAT.min(SILENT / 4)).await;
            }
        });
        let (tries, sequence) = message.info().map_or((1, 0), |info| (info.delivered, info.stream_sequence));
        let result = match tries > MOST_TRIES {
            true => Err(format!("{} workers were given it, and none has done it", tries - 1)),
            false => {
                let work = || (self.handler)(&task.kind, &task.work, &self.cancel);
                catch_unwind(AssertUnwindSafe(work))
                    .unwrap_or_else(|_| Err("it crashed: please report this".to_string()))
            }
        };
        if self.cancel.is_cancelled() && result.is_err() {
            is_over.store(true, Ordering::Relaxed);
            return self.answer(message, AckKind::Nak(None));
        }
        let result = match result {
            Ok(value) => Outcome::Fine(value),
            Err(why) => Outcome::Failed(why.chars().take(1_000).collect()),
        };
        let worker = self.inside.settings.name.clone();
        let done = Done { id: task.id.clone(), key: task.key.clone(), worker, result };
        let mut bytes = message::write(&self.inside.settings.version, &done);
        if bytes.len() > message::MOST_BYTES {
            self.inside.dropped.count(&Bad::TooLarge);
            let result = Outcome::Failed(format!("what came of it is too large to be sent: {} bytes", bytes.len()));
            bytes = message::write(&self.inside.settings.version, &Done { result, ..done });
        }
        // First the result, then the piece: if anything happens in between, it is done again and counted once.
        let id = format!("done-{}-{sequence}", task.key);
        loop {
            let stored = self.nats.wait(store(&self.context, done_subject(&task.run), &id, bytes.clone()));
            if matches!(stored, Ok(Ok(()))) {
                self.answer(message, AckKind::Ack);
                break;
            }
            if self.cancel.is_cancelled() {
                break;
            }
            self.pause(LOOK_AGAIN);
        }
        is_over.store(true, Ordering::Relaxed);
        drop(job);
    }
}
