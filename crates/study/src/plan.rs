//! What a study is to do, and doing it: [`Study::run`] with a [`Plan`].

use crate::observe::FEWEST_STATES;
use crate::study::Study;
use game::{Cancel, Facts, Limit};
use gdl::Rules;

/// A part of a study, in the order in which they are done.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// The form of the rules has been looked at; asked once. Where the answer is no, that is all.
    Form,
    /// Random games are observed.
    Observe,
    /// Random games without the counters that only end the game are observed; where there are no such counters, more games as
    /// they are.
    ObserveUncounted,
    /// The rules are asked how places lie beside each other.
    Neighbours,
    /// Maps of boards are tested.
    Symmetries,
    /// Conditions of goals are written out, and weights are fitted to the games.
    Learn,
}

/// Builds an engine for the rules without counters, heeding the token, and lets the study [observe](Uncounted::observe) it. An engine that cannot be
/// built is no error: the study goes on without it.
pub type BuildUncounted<'a> = Box<dyn FnMut(&Rules, &Cancel, &mut Uncounted<'_, '_>) + 'a>;

/// What to do, and for how long.
///
/// `more` is asked before each piece of work of a stage whether there is to be another: each state observed, each relation looked at, each map
/// tested, every few positions learned from. So the caller decides by its clock, or counts. Stages come in their order; one that
/// is over does not come again.
pub struct Plan<'a> {
    /// The seed of all random games.
    pub seed: u64,
    /// Whether a stage is to go on.
    pub more: Box<dyn FnMut(Stage) -> bool + 'a>,
    /// The states that are observed in any case.
    pub fewest_states: u64,
    /// An engine for the rules without the counters that only end the game, if games that go on are to be observed too.
    pub uncounted: Option<BuildUncounted<'a>>,
    /// Whether to look for the cells and neighbours of boards.
    pub neighbours: bool,
    /// Whether to look for maps of boards that change nothing.
    pub symmetries: bool,
    /// Whether to write out goals and to learn from the games.
    pub learn: bool,
    /// How hard to look for proofs, if at all: 10,000 takes well below a second, and is enough for most games.
    pub proofs: Option<usize>,
    /// Ends everything early, also the states that are observed in any case. What was found until then counts.
    pub cancel: Cancel,
}

/// How hard a full study looks for proofs.
const PROOFS: usize = 10_000;
/// States that are enough to tell a board from a set.
const QUICK_STATES: u64 = 24;

impl<'a> Plan<'a> {
    /// Everything, as long as `more` says yes.
    pub fn full(more: impl FnMut(Stage) -> bool + 'a) -> Plan<'a> {
        Plan {
            seed: 1,
            more: Box::new(more),
            fewest_states: FEWEST_STATES,
            uncounted: None,
            neighbours: true,
            symmetries: true,
            learn: true,
            proofs: Some(PROOFS),
            cancel: Cancel::new(),
        }
    }

    /// What a player needs: random games and what is learned from them.
    pub fn play(more: impl FnMut(Stage) -> bool + 'a) -> Plan<'a> {
        Plan { neighbours: false, symmetries: false, proofs: None, ..Plan::full(more) }
    }

    /// What pictures need, within a moment: a few states, and how boards are shaped.
    pub fn quick() -> Plan<'a> {
        let more = |stage| stage != Stage::Observe;
        Plan { fewest_states: QUICK_STATES, symmetries: false, learn: false, proofs: None, ..Plan::full(more) }
    }

    /// A full plan that observes this many states, and takes whatever time the rest takes.
    pub fn states(states: u64) -> Plan<'a> {
        let mut left = states;
        Plan::full(move |stage| {
            if stage == Stage::Observe {
                left = left.saturating_sub(1);
            }
            stage != Stage::Observe || left > 0
        })
    }
}

/// A study that waits for an engine without counters.
pub struct Uncounted<'s, 'p> {
    study: &'s mut Study,
    seed: u64,
    more: &'s mut (dyn FnMut(Stage) -> bool + 'p),
    cancel: &'s Cancel,
}

impl Uncounted<'_, '_> {
    /// Observes random games of the engine, as long as the plan says.
    ///
    /// # Errors
    /// When the engine reaches a limit; what was seen until then counts.
    pub fn observe<G: Facts>(&mut self, game: &G) -> Result<(), Limit> {
        let Uncounted { study, seed, more, cancel } = self;
        let mut more = || !cancel.is_cancelled() && more(Stage::ObserveUncounted);
        // What is granted here is the first state's.
        let mut granted = more();
        if !granted {
            return Ok(());
        }
        study.watch_uncounted(game, *seed, &mut || std::mem::take(&mut granted) || more())
    }
}

impl Study {
    /// Studies a game as planned. Nothing fails: where the engine reaches a limit, what was found until then counts, and
    /// [`limit`](Study::limit) tells.
    ///
    /// ```
    /// let rules = gdl::parse("(role a) (role b) (init (heap 3)) (init (control a)) (less 3 2) (less 2 1) (less 1 0)
    ///     (<= (legal ?p (take ?m)) (true (control ?p)) (true (heap ?n)) (less ?n ?m))
    ///     (<= (legal ?p stay) (true (control ?p)))
    ///     (<= (legal a wait) (true (control b))) (<= (legal b wait) (true (control a)))
    ///     (<= (next (control a)) (true (control b))) (<= (next (control b)) (true (control a)))
    ///     (<= (next (heap ?m)) (does ?p (take ?m))) (<= (next (heap ?n)) (true (heap ?n)) (does ?p stay))
    ///     (<= terminal (true (heap 0)))
    ///     (<= (goal ?p 0) (true (control ?p))) (<= (goal ?p 100) (role ?p) (not (true (control ?p))))").rules;
    /// let net = machine::PropNet::new(&rules, machine::Budget::default()).unwrap();
    /// let study = study::Study::run(&rules, &net, study::Plan::states(1000));
    /// let found = study.findings();
    /// assert_eq!(found.turns.what, "in turn: a, b");
    /// assert!(found.evaluators.contains(&"min amount of heap".to_string()));
    /// let evaluators = study.evaluators(&net, game::Role(0));
    /// assert_eq!(evaluators.len(), found.evaluators.len());
    /// ```
    pub fn run<G: Facts>(rules: &Rules, game: &G, plan: Plan<'_>) -> Study {
        let Plan { seed, mut more, fewest_states, uncounted, neighbours, symmetries, learn, proofs, cancel } = plan;
        let mut study = Study::new(rules);
        let mut ask = |stage: Stage| !cancel.is_cancelled() && more(stage);
        if !ask(Stage::Form) {
            return study;
        }
        let without = uncounted.as_ref().and_then(|_| study.uncounted());
        let spare = uncounted.is_some() && without.is_none();
        let mut fewest = fewest_states;
        // A stage that is over is not asked for again.
        let mut stage = Stage::Observe;
        let mut observing = || {
            let needed = fewest > 0;
            fewest = fewest.saturating_sub(1);
            if needed {
                return !cancel.is_cancelled();
            }
            let more = ask(stage);
            if more || stage == Stage::ObserveUncounted || !spare {
                return more;
            }
            stage = Stage::ObserveUncounted;
            ask(stage)
        };
        study.limit = study.watch(game, seed, &mut observing).err();
        if let (Some(mut build), Some(rules)) = (uncounted, without)
            && !cancel.is_cancelled()
        {
            build(&rules, &cancel, &mut Uncounted { study: &mut study, seed, more: &mut ask, cancel: &cancel });
        }
        if neighbours || symmetries {
            study.find_graphs(&mut || ask(Stage::Neighbours));
        }
        if symmetries && ask(Stage::Symmetries) {
            let found = study.find_maps(game, seed, &mut || ask(Stage::Symmetries));
            study.limit = study.limit.take().or(found.err());
        }
        if learn {
            study.learn(&mut || ask(Stage::Learn));
        }
        if let Some(effort) = proofs.filter(|_| !cancel.is_cancelled()) {
            study.prove(effort);
        }
        study
    }

    /// The limit that the engine reached, if it did.
    pub fn limit(&self) -> Option<&Limit> {
        self.limit.as_ref()
    }
}
