//! Pieces of work that outlive whoever does them: matches of tournaments and experiments, in a durable queue of the server
//! (JetStream).
//!
//! Whoever takes a piece says again and again that it is at work; a piece whose worker is silent is given to another one. What came
//! of it is stored before the piece is taken off the queue, so nothing is lost, and a piece may be done twice; whoever counts knows
//! each piece by its id, and counts it once. Queues and results are on the server's disk: server, workers and whoever counts may all
//! be ended and begin again.

use crate::connection::Connection;
use crate::message::{self, Body, MOST_BYTES};
use crate::nats::Nats;
use crate::tokens;
use anyhow::{Context as _, Result, ensure};
use async_nats::jetstream::consumer::pull::Config as PullConfig;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, PullConsumer};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{Config, RetentionPolicy, Stream};
use async_nats::jetstream::{self, Context};
use futures_util::StreamExt;
use game::Cancel;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The queue of all pieces.
pub(crate) const TASKS: &str = "LUDENS_TASKS";
/// What came of them.
const RESULTS: &str = "LUDENS_DONE";
/// How long results and pieces that nobody asks for are kept.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3600);
/// A piece whose worker is silent for so long is given to another one.
pub(crate) const SILENT: Duration = Duration::from_secs(5);
/// How long one question to the server may take.
const ANSWER: Duration = Duration::from_secs(5);
/// Where nothing happens for so long although nothing is waiting, what is missing is put into the queue again.
const STALLED: Duration = Duration::from_secs(10);

/// A piece of work.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Task {
    /// What tells it from all others of the run.
    pub id: String,
    /// The run: a tournament, an experiment.
    pub run: String,
    /// What only those know that were given the piece: results carry it.
    pub key: String,
    /// What kind of work it is.
    pub kind: String,
    /// The work itself, as data.
    pub work: Value,
}

/// What came of a piece.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Done {
    /// Which piece.
    pub id: String,
    /// Its secret.
    pub key: String,
    /// Who has done it.
    pub worker: String,
    /// What came of it, or why nothing did.
    pub result: Outcome,
}

/// What came of a piece.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It is done.
    Fine(Value),
    /// It cannot be done.
    Failed(String),
}

impl Body for Task {
    fn is_within_limits(&self) -> bool {
        tokens::is_name(&self.id) && tokens::is_name(&self.run) && tokens::is_name(&self.key) && self.kind.len() <= 64
    }
}

impl Body for Done {
    fn is_within_limits(&self) -> bool {
        tokens::is_name(&self.id) && tokens::is_name(&self.key) && tokens::is_name(&self.worker)
    }
}

/// A version as it can stand in a subject.
fn version_word(version: &str) -> String {
    version.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// What the consumer of all workers of a version is called.
pub(crate) fn consumer_name(version: &str) -> String {
    format!("workers-{}", version_word(version))
}

fn task_subject(version: &str, run: &str) -> String {
    format!("ludens.task.{}.{run}", version_word(version))
}

pub(crate) fn done_subject(run: &str) -> String {
    format!("ludens.done.{run}")
}

/// The durable part of a server.
pub(crate) fn durable(nats: &Nats) -> Result<Context> {
    // The context starts a task of its own, so it is made where tasks run.
    let mut context = nats.wait(async { jetstream::new(nats.client().clone()) })?;
    context.set_timeout(ANSWER);
    Ok(context)
}

/// Puts something into the durable part of the server; the same id twice within two minutes counts once.
pub(crate) async fn store(context: &Context, subject: String, id: &str, bytes: Vec<u8>) -> Result<()> {
    let publish = PublishMessage::build().payload(bytes.into()).message_id(id);
    context.send_publish(subject, publish).await?.await?;
    Ok(())
}

/// What happens while a run goes on.
pub enum Progress {
    /// A piece is done: its id, who did it, and what came of it.
    Done {
        /// Which piece.
        id: String,
        /// Who did it.
        worker: String,
        /// What came of it.
        value: Value,
    },
    /// Nothing new; so many pieces wait and so many are being done.
    Waiting {
        /// Not begun yet.
        waiting: u64,
        /// Being done.
        at_work: u64,
    },
}

/// What came of a run beside its results.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Pieces that were done.
    pub done: usize,
    /// Results that came a second time, and were not counted.
    pub twice: usize,
    /// Results that nobody was asked for, or that could not be read.
    pub dropped: usize,
    /// Pieces that were put into the queue again because they had got lost.
    pub again: usize,
}

/// A run: what it is called, what only its workers know, and whether what an earlier run of the same name has found counts.
pub struct Run<'a> {
    /// Its name.
    pub name: &'a str,
    /// The kind of its pieces.
    pub kind: &'a str,
    /// What the secrets of its pieces are made from.
    pub secret: &'a str,
    /// Whether to forget an earlier run.
    pub fresh: bool,
}

/// See the module: the side of those who want work done.
pub struct Queue {
    nats: Arc<Nats>,
    context: Context,
    version: String,
    tasks: Stream,
    results: Stream,
    consumer: PullConsumer,
}

impl Queue {
    /// The queue of the server at this address, with the secrets of the environment.
    ///
    /// # Errors
    /// When there is no server, it does not let us in, or has no durable part.
    pub fn at(url: &str) -> Result<Queue> {
        let connection = Connection::from_environment(Some(url))?;
        Queue::open(&Arc::new(Nats::connect(&connection, "ludens")?), crate::VERSION)
    }

    /// Opens the queue of a server, or makes it.
    ///
    /// # Errors
    /// When the server has no durable part, or we may not use it.
    pub fn open(nats: &Arc<Nats>, version: &str) -> Result<Queue> {
        let context = durable(nats)?;
        let url = nats.url();
        let opened = nats.wait(async {
            let tasks = Config {
                name: TASKS.to_string(),
                subjects: vec!["ludens.task.>".to_string()],
                retention: RetentionPolicy::WorkQueue,
                max_age: KEPT,
                ..Config::default()
            };
            let results = Config {
                name: RESULTS.to_string(),
                subjects: vec!["ludens.done.>".to_string()],
                max_age: KEPT,
                ..Config::default()
            };
            let tasks = context.get_or_create_stream(tasks).await?;
            let results = context.get_or_create_stream(results).await?;
            let name = consumer_name(version);
            let config = PullConfig {
                durable_name: Some(name.clone()),
                filter_subject: format!("ludens.task.{}.>", version_word(version)),
                ack_policy: AckPolicy::Explicit,
                ack_wait: SILENT,
                max_ack_pending: 10_000,
                ..PullConfig::default()
            };
            let consumer = tasks.get_or_create_consumer(&name, config).await?;
            Ok::<_, async_nats::Error>((tasks, results, consumer))
        })?;
        let (tasks, results, consumer) = opened.map_err(|error| anyhow::anyhow!("{error}")).with_context(|| {
            format!("the server at {url} keeps no queues for us: it has to be started with `-js`, and we have to be allowed to use them")
        })?;
        Ok(Queue { nats: Arc::clone(nats), context, version: version.to_string(), tasks, results, consumer })
    }

    /// Lets workers do all pieces, given by their ids, and tells what came of each, once. Ends early when somebody says so:
    /// what is not done then is taken off the queue.
    ///
    /// # Errors
    /// When a piece cannot be done, is too large, or `tell` has an error.
    pub fn run(
        &self,
        run: &Run<'_>,
        work: Vec<(String, Value)>,
        cancel: &Cancel,
        tell: &mut dyn FnMut(Progress) -> Result<()>,
    ) -> Result<Tally> {
        ensure!(tokens::is_name(run.name), "{:?} cannot be the name of a run", run.name);
        let mut open: BTreeMap<String, Value> = work.into_iter().collect();
        let mut tally = Tally::default();
        if run.fresh {
            self.forget(run.name)?;
        }
        let mut reader = Reader { next: 1, consumer: None };
        // What is there already need not be done.
        self.collect(run, &mut reader, &mut open, &mut tally, Duration::from_millis(100), tell)?;
        self.put(run, &open, cancel)?;
        let (mut moved, mut looked) = (Instant::now(), Instant::now());
        let result = loop {
            if open.is_empty() || cancel.is_cancelled() {
                break Ok(());
            }
            let before = open.len();
            if let Err(error) = self.collect(run, &mut reader, &mut open, &mut tally, Duration::from_millis(500), tell)
            {
                break Err(error);
            }
            if open.len() < before {
                moved = Instant::now();
            }
            if looked.elapsed() < Duration::from_secs(1) || open.is_empty() {
                continue;
            }
            looked = Instant::now();
            // Without an answer the server is away, and what it has is waited for.
            let Some((waiting, at_work)) = self.pending() else { continue };
            if let Err(error) = tell(Progress::Waiting { waiting, at_work }) {
                break Err(error);
            }
            if waiting + at_work > 0 {
                moved = moved.max(Instant::now().checked_sub(STALLED / 2).unwrap_or(moved));
            } else if moved.elapsed() > STALLED {
                tally.again += open.len();
                if let Err(error) = self.put(run, &open, cancel) {
                    break Err(error);
                }
                moved = Instant::now();
            }
        };
        // Whether it went well or not: nobody is to work for a run that is over.
        let swept = self.forget(run.name);
        result?;
        if !cancel.is_cancelled() {
            swept?;
        }
        Ok(tally)
    }

    /// Pieces that wait, and pieces that are being done, of all runs.
    fn pending(&self) -> Option<(u64, u64)> {
        let info = self.nats.wait(self.consumer.get_info()).ok()?.ok()?;
        Some((info.num_pending, info.num_ack_pending as u64))
    }

    /// Takes everything of a run off the server.
    fn forget(&self, run: &str) -> Result<()> {
        self.nats
            .wait(async {
                self.tasks.purge().filter(task_subject(&self.version, run)).await?;
                self.results.purge().filter(done_subject(run)).await?;
                Ok::<_, async_nats::Error>(())
            })?
            .map_err(|error| anyhow::anyhow!("cannot take the run off the queue: {error}"))
    }

    /// Puts pieces into the queue. A server that is away is waited for.
    fn put(&self, run: &Run<'_>, open: &BTreeMap<String, Value>, cancel: &Cancel) -> Result<()> {
        let session = tokens::name();
        for (id, work) in open {
            let (id, kind, work) = (id.clone(), run.kind.to_string(), work.clone());
            let task = Task { key: piece_key(run.secret, &id), id, run: run.name.to_string(), kind, work };
            let bytes = message::write(&self.version, &task);
            ensure!(bytes.len() <= MOST_BYTES, "a piece of work is too large to be sent: {} bytes", bytes.len());
            // Put again in another session it is another message, or the server would take it for the old one.
            let message_id = format!("{session}-{}", task.id);
            let mut tries = 0;
            loop {
                let subject = task_subject(&self.version, run.name);
                match self.nats.wait(store(&self.context, subject, &message_id, bytes.clone()))? {
                    Ok(()) => break,
                    Err(_) if cancel.is_cancelled() => return Ok(()),
                    Err(error) if tries >= 60 => return Err(error.context("cannot put work into the queue")),
                    Err(_) => {
                        tries += 1;
                        std::thread::sleep(Duration::from_millis(500));
                    }
                }
            }
        }
        Ok(())
    }

    /// Reads what came of pieces since the last time, and waits for so long.
    fn collect(
        &self,
        run: &Run<'_>,
        reader: &mut Reader,
        open: &mut BTreeMap<String, Value>,
        tally: &mut Tally,
        patience: Duration,
        tell: &mut dyn FnMut(Progress) -> Result<()>,
    ) -> Result<()> {
        let read = self.nats.wait(reader.read(&self.results, run.name, patience))?;
        let Ok(bodies) = read else {
            // The server is away: from where we were, as soon as it is back.
            reader.consumer = None;
            std::thread::sleep(Duration::from_millis(200));
            return Ok(());
        };
        for body in bodies {
            let Ok(done) = message::read::<Done>(&self.version, &body) else {
                tally.dropped += 1;
                continue;
            };
            if done.key != piece_key(run.secret, &done.id) {
                tally.dropped += 1;
                continue;
            }
            if open.remove(&done.id).is_none() {
                tally.twice += 1;
                continue;
            }
            let Done { id, worker, result, .. } = done;
            match result {
                Outcome::Fine(value) => {
                    tally.done += 1;
                    tell(Progress::Done { id, worker, value })?;
                }
                Outcome::Failed(why) => anyhow::bail!("{id} cannot be done, says the worker {worker}: {why}"),
            }
        }
        Ok(())
    }
}

/// The secret of a piece.
fn piece_key(secret: &str, id: &str) -> String {
    message::hash(&format!("{secret} {id}"))
}

/// Reads results in order, and goes on where it was when the server comes back.
struct Reader {
    next: u64,
    consumer: Option<PullConsumer>,
}

impl Reader {
    async fn read(
        &mut self,
        results: &Stream,
        run: &str,
        patience: Duration,
    ) -> Result<Vec<Vec<u8>>, async_nats::Error> {
        if self.consumer.is_none() {
            let config = PullConfig {
                filter_subject: done_subject(run),
                deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: self.next },
                ack_policy: AckPolicy::None,
                inactive_threshold: Duration::from_secs(60),
                ..PullConfig::default()
            };
            self.consumer = Some(results.create_consumer(config).await?);
        }
        let Some(consumer) = &self.consumer else { return Ok(Vec::new()) };
        let mut batch = consumer.batch().max_messages(256).expires(patience).messages().await?;
        let mut bodies = Vec::new();
        while let Some(message) = batch.next().await {
            let message = message?;
            self.next = message.info()?.stream_sequence + 1;
            bodies.push(message.payload.to_vec());
        }
        Ok(bodies)
    }
}
