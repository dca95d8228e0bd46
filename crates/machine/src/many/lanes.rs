//! Games on lanes whose moves come from outside.
//!
//! Between two steps the slots of every group hold what the first program of the circuit has made of the states: legal moves, the
//! end and goals are read from there. A step sets the moves, runs the second program, puts what the facts become in their place and runs the
//! first one again. A game that begins anew is not run once more: after a look at the start every slot has a known value, and its lane gets
//! those that are still wanted.

use super::rows::{self, Rows, spread};
use super::{Actions, Done, Form, OVER, Planes, SEVERAL, Settings, StepError, Whose, code};
use crate::choose::Chooser;
use crate::circuit::Piece;
use crate::lanes::Tally;
use crate::net::{PropNet, State};
use crate::plane::{Plane, WORDS, Words, run, slots_for, words, words_mut};
use game::random::{End, Rng};
use game::{Cancel, Role, roles};
use std::ops::Range;

/// Games of a group.
const LANES: usize = 64 * WORDS;
/// A token is looked at once in so many random moves.
const HEARD_EVERY: u64 = 64;

/// What lanes are to do, once it is known that it can be done.
pub(super) enum Task<'a> {
    /// Look at all states anew.
    Look,
    /// Look anew at the group of this game.
    LookAt(usize),
    Step(Actions<'a>, Done<'a>),
    Sample(Whose, &'a mut [i64]),
    Rollout(u64, &'a Cancel, &'a mut Tally),
}

/// See the module.
pub(super) struct LaneGames<V> {
    count: usize,
    restarts: bool,
    most: Option<u32>,
    /// The slots of all groups, one group after the other, and how many a group has.
    slots: Vec<V>,
    stride: usize,
    groups: Vec<Group<V>>,
    /// What follows from the start.
    first: First,
    players: Vec<i8>,
    /// Moves made in each game, where that counts.
    ages: Vec<u32>,
    /// What the facts become, before they are put in their place.
    next: Vec<V>,
}

/// What is known of the games of a group, beside their slots.
struct Group<V> {
    chooser: Chooser<V>,
    /// Lanes that have a game.
    used: V,
    /// Lanes whose game has ended and does not begin anew.
    over: V,
    /// Lanes in which several roles choose.
    several: V,
    /// Lanes in which each role decides alone.
    acts: Vec<V>,
    /// Lanes in which a role has no move.
    stuck: V,
}

/// What a lane has after a look at the start.
struct First {
    start: State,
    /// Slots that are true there, and that are false, of those whose value is still wanted after a look.
    trues: Vec<u32>,
    falses: Vec<u32>,
    several: bool,
    acts: Vec<bool>,
    /// Nobody can move from there: games are over before they begin, and do not begin anew.
    is_over: bool,
}

/// Lanes whose game has ended with a step, by how.
#[derive(Clone, Copy)]
struct Ended<V> {
    terminal: V,
    stuck: V,
    cut: V,
}

impl<V: Plane> Ended<V> {
    #[inline(always)]
    fn any(self) -> V {
        self.terminal.or(self.stuck).or(self.cut)
    }
}

impl<V: Plane> Group<V> {
    fn new(roles: usize, used: usize, seed: u64) -> Group<V> {
        let word = |at: usize| match used.saturating_sub(64 * at) {
            0 => 0,
            left if left < 64 => (1 << left) - 1,
            _ => !0,
        };
        let none = V::all(false);
        let used = V::from_words(word);
        Group { chooser: Chooser::new(seed), used, over: none, several: none, acts: vec![none; roles], stuck: none }
    }

    /// Finds out who decides, from the legal moves.
    #[inline(always)]
    fn see(&mut self, net: &PropNet, slots: &[V]) {
        let none = V::all(false);
        let (mut any, mut several, mut stuck) = (none, none, none);
        let mut from = 0;
        for (acts, &end) in self.acts.iter_mut().zip(&net.ends) {
            let (mut one, mut two) = (none, none);
            for &slot in &net.circuit.outputs[from..end] {
                let legal = slots[slot as usize];
                two = two.or(one.and(legal));
                one = one.or(legal);
            }
            from = end;
            stuck = stuck.or(one.not());
            several = several.or(any.and(two));
            any = any.or(two);
            *acts = two;
        }
        // Where nobody has a choice, the first role is said to decide.
        if let Some(acts) = self.acts.first_mut() {
            *acts = acts.or(any.not());
        }
        for acts in &mut self.acts {
            *acts = acts.and_not(several);
        }
        (self.several, self.stuck) = (several, stuck);
    }
}

impl<V: Plane> LaneGames<V> {
    pub fn new(net: &PropNet, settings: &Settings) -> LaneGames<V> {
        let count = settings.count;
        let groups = count.div_ceil(LANES);
        let stride = net.circuit.slots as usize;
        let mut seeds = Rng::new(settings.seed);
        let first = First::new(net);
        let mut games = LaneGames {
            count,
            restarts: settings.restarts && !first.is_over,
            most: settings.most,
            slots: slots_for::<V>(&net.circuit).repeat(groups),
            stride,
            groups: (0..groups)
                .map(|group| Group::new(net.ends.len(), (count - LANES * group).min(LANES), seeds.bits()))
                .collect(),
            first,
            players: vec![0; count],
            ages: vec![0; if settings.most.is_some() { count } else { 0 }],
            next: vec![V::all(false); net.fact_count()],
        };
        games.reset(net);
        games
    }

    /// About how many bytes so many games take.
    pub fn bytes(net: &PropNet, count: usize) -> usize {
        let slots = (net.circuit.slots as usize).saturating_mul(size_of::<V>());
        count.div_ceil(LANES).saturating_mul(slots).saturating_add(count.saturating_mul(5))
    }

    pub fn players(&self) -> &[i8] {
        &self.players
    }

    /// All games at the start; they are still to be looked at.
    pub fn reset(&mut self, net: &PropNet) {
        for (slots, group) in self.slots.chunks_mut(self.stride).zip(&mut self.groups) {
            group.over = V::all(false);
            for (fact, slot) in slots[1..=net.fact_count()].iter_mut().enumerate() {
                *slot = V::all(holds(&self.first.start, fact));
            }
        }
        self.ages.fill(0);
    }

    /// The state of a game.
    pub fn state(&self, net: &PropNet, game: usize) -> State {
        let (group, word, bit) = place(game);
        let planes = &words(self.group(group))[WORDS..];
        let mut state = State(vec![0; net.fact_count().div_ceil(64)].into());
        for fact in 0..net.fact_count() {
            state.0[fact / 64] |= (planes[WORDS * fact + word] >> bit & 1) << (fact % 64);
        }
        state
    }

    /// Puts a game into a state, which is still to be looked at.
    pub fn put(&mut self, game: usize, state: &State) {
        let (group, word, bit) = place(game);
        let facts = self.next.len();
        let over = &mut self.groups[group].over;
        words_mut(std::slice::from_mut(over))[word] &= !(1 << bit);
        let slots = &mut self.slots[group * self.stride..(group + 1) * self.stride];
        let planes = &mut words_mut(slots)[WORDS..];
        for fact in 0..facts {
            let plane = &mut planes[WORDS * fact + word];
            *plane = *plane & !(1 << bit) | u64::from(holds(state, fact)) << bit;
        }
        if let Some(age) = self.ages.get_mut(game) {
            *age = 0;
        }
    }

    fn group(&self, group: usize) -> &[V] {
        &self.slots[group * self.stride..(group + 1) * self.stride]
    }

    pub fn planes(&self, net: &PropNet) -> Planes<'_> {
        let words = words(&self.slots).get(WORDS..).unwrap_or(&[]);
        Planes { words, groups: self.groups.len(), stride: WORDS * self.stride, facts: net.fact_count() }
    }

    /// Whether the actions can be made.
    pub fn check(&self, net: &PropNet, actions: Actions<'_>) -> Result<(), StepError> {
        let ranges: Vec<Range<usize>> = roles(net).map(|role| net.moves_of(role)).collect();
        let all = words(&self.slots);
        let legal = |game: usize, role: usize, action: i64| {
            let range = &ranges[role];
            let is = usize::try_from(action).is_ok_and(|action| {
                action < range.len() && {
                    let (group, word, bit) = place(game);
                    let slot = net.circuit.outputs[range.start + action] as usize;
                    all[WORDS * (group * self.stride + slot) + word] >> bit & 1 == 1
                }
            });
            if is { Ok(()) } else { Err(StepError::Illegal { game, role: Role(role as u8), action }) }
        };
        for (game, &player) in self.players.iter().enumerate() {
            match (actions, player) {
                (_, OVER) => {}
                (Actions::Deciding(_), SEVERAL) => return Err(StepError::Several { game }),
                (Actions::Deciding(actions), role) => legal(game, role as usize, actions[game])?,
                (Actions::Joint(actions), _) => {
                    for role in 0..ranges.len() {
                        legal(game, role, actions[game * ranges.len() + role])?;
                    }
                }
            }
        }
        Ok(())
    }

    pub fn masks(&self, net: &PropNet, whose: Whose, form: Form, columns: usize, out: &mut [u8]) {
        let ranges: Vec<Range<usize>> = roles(net).map(|role| net.moves_of(role)).collect();
        let row = form.row(columns);
        for (number, group) in self.groups.iter().enumerate() {
            let slots = words(self.group(number));
            let over = words(std::slice::from_ref(&group.over));
            let acts = words(&group.acts);
            let legal = |role: usize, action: usize, word: usize| match ranges[role].len() > action {
                true => {
                    let slot = net.circuit.outputs[ranges[role].start + action] as usize;
                    slots[WORDS * slot + word] & !over[word]
                }
                false => 0,
            };
            for word in 0..WORDS {
                let from = LANES * number + 64 * word;
                let lanes = self.count.saturating_sub(from).min(64);
                if lanes == 0 {
                    break;
                }
                match whose {
                    Whose::Deciding => {
                        let rows = Rows { out: &mut out[from * row..(from + lanes) * row], stride: row, lanes };
                        rows::write(rows, columns, form, |action| {
                            (0..ranges.len())
                                .fold(0, |all, role| all | legal(role, action, word) & acts[WORDS * role + word])
                        });
                    }
                    Whose::All => {
                        let stride = row * ranges.len();
                        for role in 0..ranges.len() {
                            let out = &mut out[from * stride + role * row..(from + lanes) * stride];
                            rows::write(Rows { out, stride, lanes }, columns, form, |action| legal(role, action, word));
                        }
                    }
                }
            }
        }
    }

    pub fn facts(&self, net: &PropNet, form: Form, out: &mut [u8]) {
        let columns = net.fact_count();
        let row = form.row(columns);
        for number in 0..self.groups.len() {
            let planes = &words(self.group(number))[WORDS..];
            for word in 0..WORDS {
                let from = LANES * number + 64 * word;
                let lanes = self.count.saturating_sub(from).min(64);
                if lanes == 0 {
                    break;
                }
                let rows = Rows { out: &mut out[from * row..(from + lanes) * row], stride: row, lanes };
                rows::write(rows, columns, form, |fact| planes[WORDS * fact + word]);
            }
        }
    }
}

impl First {
    /// Runs one lane of the circuit on the start.
    fn new(net: &PropNet) -> First {
        let mut slots: Vec<u64> = slots_for(&net.circuit);
        for fact in 0..net.fact_count() {
            slots[1 + fact] = u64::all(holds(&net.start, fact));
        }
        run(&net.circuit, &net.circuit.state, &mut slots);
        let mut group = Group::<u64>::new(net.ends.len(), 64, 0);
        group.see(net, &slots);
        let is = |plane: u64| plane & 1 == 1;
        let (trues, falses) = wanted(net).into_iter().partition(|&slot| is(slots[slot as usize]));
        First {
            trues,
            falses,
            start: net.start.clone(),
            several: is(group.several),
            acts: group.acts.iter().map(|&acts| is(acts)).collect(),
            is_over: is(group.stuck) || is(slots[net.circuit.outputs[net.move_count()] as usize]),
        }
    }
}

/// The slots whose value is wanted after a look: facts, what the first program answers, and what the second one finds there. What a
/// move is made by is set before that, and what the second program works out itself is nobody's concern yet.
fn wanted(net: &PropNet) -> Vec<u32> {
    let circuit = &net.circuit;
    let (facts, inputs) = (1 + net.fact_count(), 1 + net.fact_count() + net.move_count());
    let mut is_wanted = vec![false; circuit.slots as usize];
    let mut is_written = vec![false; circuit.slots as usize];
    is_wanted[1..facts].fill(true);
    // A loop reads in its first round what it writes later on, so the order of the text is enough.
    let mut ops = circuit.moves.ops();
    for piece in &circuit.moves.pieces {
        match piece {
            &Piece::Run { inputs, count, .. } => {
                for (to, from) in ops.run(inputs, count) {
                    for slot in from {
                        is_wanted[slot as usize] |= !is_written[slot as usize];
                    }
                    is_written[to as usize] = true;
                }
            }
            Piece::Loop { grows } => grows.iter().for_each(|(_, wire)| is_wanted[wire.slot as usize] = true),
            Piece::End => {}
        }
    }
    let (first, second) = circuit.outputs.split_at(net.move_count() + 1 + net.goals.len());
    first.iter().for_each(|&slot| is_wanted[slot as usize] = true);
    for &slot in second {
        is_wanted[slot as usize] |= !is_written[slot as usize];
    }
    is_wanted[facts..inputs].fill(false);
    (1..circuit.slots).filter(|&slot| is_wanted[slot as usize]).collect()
}

/// The group of a game, and in it the word and the bit.
fn place(game: usize) -> (usize, usize, usize) {
    (game / LANES, game % LANES / 64, game % 64)
}

fn holds(state: &State, fact: usize) -> bool {
    state.0[fact / 64] >> (fact % 64) & 1 == 1
}

/// The places of the bits that are set.
fn each_bit(mut word: u64, mut seen: impl FnMut(usize)) {
    while word != 0 {
        seen(word.trailing_zeros() as usize);
        word &= word - 1;
    }
}

/// Calls `write` with each of these lanes and the number of the plane that it is set in.
#[inline(always)]
fn write_numbers<V: Plane>(planes: &[V], lanes: V, mut write: impl FnMut(usize, i64)) {
    for (number, plane) in planes.iter().enumerate() {
        let chosen = plane.and(lanes);
        if chosen.is_zero() {
            continue;
        }
        for word in 0..WORDS {
            each_bit(chosen.word(word), |bit| write(64 * word + bit, number as i64));
        }
    }
}

/// A part of [`LaneGames`] while a task is done: one group, and what it shares with the others.
struct At<'a, V> {
    net: &'a PropNet,
    slots: &'a mut [V],
    group: &'a mut Group<V>,
    next: &'a mut [V],
    first: &'a First,
    restarts: bool,
    most: Option<u32>,
    ages: &'a mut [u32],
}

impl<V: Plane> At<'_, V> {
    /// Works out what follows from the states; tells which games end there.
    #[inline(always)]
    fn look(&mut self) -> Ended<V> {
        let net = self.net;
        run(&net.circuit, &net.circuit.state, self.slots);
        self.group.see(net, self.slots);
        let going_on = self.group.used.and_not(self.group.over);
        let terminal = self.slots[net.circuit.outputs[net.move_count()] as usize].and(going_on);
        let stuck = self.group.stuck.and(going_on).and_not(terminal);
        let cut = match self.most {
            Some(most) => self.grow_older(most).and(going_on).and_not(terminal).and_not(stuck),
            None => V::all(false),
        };
        Ended { terminal, stuck, cut }
    }

    /// Counts a move in every game; tells which have had enough of them.
    fn grow_older(&mut self, most: u32) -> V {
        let mut old = [0; WORDS];
        for (lane, age) in self.ages.iter_mut().enumerate() {
            *age = age.saturating_add(1);
            old[lane / 64] |= u64::from(*age >= most) << (lane % 64);
        }
        V::from_words(|at| old[at])
    }

    /// Makes the moves that are set, and looks at what follows.
    #[inline(always)]
    fn advance(&mut self) -> Ended<V> {
        let net = self.net;
        run(&net.circuit, &net.circuit.moves, self.slots);
        let outputs = &net.circuit.outputs[net.move_count() + 1 + net.goals.len()..];
        for (plane, &slot) in self.next.iter_mut().zip(outputs) {
            *plane = self.slots[slot as usize];
        }
        let facts = &mut self.slots[1..=self.next.len()];
        let over = self.group.over;
        if over.is_zero() {
            facts.copy_from_slice(self.next);
        } else {
            for (fact, next) in facts.iter_mut().zip(&*self.next) {
                *fact = V::choose(over, *fact, *next);
            }
        }
        self.look()
    }

    /// Games that have ended begin anew, or are over.
    #[inline(always)]
    fn settle(&mut self, ended: V) {
        if ended.is_zero() {
            return;
        }
        if !self.restarts {
            self.group.over = self.group.over.or(ended);
            return;
        }
        let with = |plane: V, first: bool| if first { plane.or(ended) } else { plane.and_not(ended) };
        for &slot in &self.first.trues {
            self.slots[slot as usize] = self.slots[slot as usize].or(ended);
        }
        for &slot in &self.first.falses {
            self.slots[slot as usize] = self.slots[slot as usize].and_not(ended);
        }
        for (acts, &first) in self.group.acts.iter_mut().zip(&self.first.acts) {
            *acts = with(*acts, first);
        }
        self.group.several = with(self.group.several, self.first.several);
        for (lane, age) in self.ages.iter_mut().enumerate() {
            *age *= u32::from(ended.word(lane / 64) >> (lane % 64) & 1 == 0);
        }
    }

    /// Sets the input of every move that is made: those chosen, and for one action a game the only move of whoever waits.
    #[inline(always)]
    fn put(&mut self, actions: Actions<'_>, players: &[i8]) {
        let net = self.net;
        let facts = 1 + net.fact_count();
        let mut from = 0;
        for (acts, &end) in self.group.acts.iter().zip(&net.ends) {
            for mv in from..end {
                self.slots[facts + mv] = match actions {
                    Actions::Deciding(_) => self.slots[net.circuit.outputs[mv] as usize].and_not(*acts),
                    Actions::Joint(_) => V::all(false),
                };
            }
            from = end;
        }
        let inputs = &mut words_mut(self.slots)[WORDS * facts..];
        let mut set = |lane: usize, role: usize, action: i64| {
            let first = if role == 0 { 0 } else { net.ends[role - 1] };
            inputs[WORDS * (first + action as usize) + lane / 64] |= 1 << (lane % 64);
        };
        let roles = net.ends.len();
        for (lane, &player) in players.iter().enumerate().filter(|(_, player)| **player != OVER) {
            match actions {
                Actions::Deciding(actions) => set(lane, player as usize, actions[lane]),
                Actions::Joint(actions) => {
                    (0..roles).for_each(|role| set(lane, role, actions[lane * roles + role]));
                }
            }
        }
    }

    /// Calls `seen` with the value of each goal, whose it is, and the lanes in which it is the only one of its role.
    #[inline(always)]
    fn each_goal(&self, lanes: V, mut seen: impl FnMut(usize, u8, V)) {
        let outputs = &self.net.circuit.outputs[self.net.move_count() + 1..];
        for role in roles(self.net) {
            let mine = || self.net.goals.iter().zip(outputs).filter(|((who, _), _)| *who == role);
            let (mut one, mut two) = (V::all(false), V::all(false));
            for (_, &slot) in mine() {
                let holds = self.slots[slot as usize];
                two = two.or(one.and(holds));
                one = one.or(holds);
            }
            for (&(_, value), &slot) in mine() {
                if let Some(value) = value {
                    seen(role.0 as usize, value, self.slots[slot as usize].and_not(two).and(lanes));
                }
            }
        }
    }

    /// Writes down the games that have ended.
    fn tell(&self, ended: Ended<V>, goals: &mut [f32], codes: &mut [u8]) {
        goals.fill(0.0);
        codes.fill(0);
        let any = ended.any();
        if any.is_zero() {
            return;
        }
        let roles = self.net.ends.len();
        self.each_goal(any, |role, value, lanes| {
            for word in 0..WORDS {
                each_bit(lanes.word(word), |bit| goals[(64 * word + bit) * roles + role] = f32::from(value));
            }
        });
        for (lanes, end) in [(ended.terminal, End::Terminal), (ended.stuck, End::Stuck), (ended.cut, End::Cut)] {
            for word in 0..WORDS {
                each_bit(lanes.word(word), |bit| codes[64 * word + bit] = code(end));
            }
        }
    }

    /// Writes who decides.
    fn tell_players(&self, players: &mut [i8]) {
        let group = &self.group;
        for (at, players) in players.chunks_mut(8).enumerate() {
            let byte = |plane: V| (plane.word(at / 8) >> (at % 8 * 8)) as u8;
            let mut bytes = 0;
            for (role, &acts) in group.acts.iter().enumerate().skip(1) {
                bytes |= spread(byte(acts)) * role as u64;
            }
            for (lanes, code) in [(group.several, SEVERAL), (group.over, OVER)] {
                let lanes = spread(byte(lanes)) * 255;
                bytes = bytes & !lanes | lanes & u64::from_le_bytes([code as u8; 8]);
            }
            for (player, byte) in players.iter_mut().zip(bytes.to_le_bytes()) {
                *player = byte as i8;
            }
        }
    }

    /// Draws moves, and writes their numbers for the games of this group.
    #[inline(always)]
    fn sample(&mut self, whose: Whose, out: &mut [i64]) {
        let (net, roles) = (self.net, self.net.ends.len());
        out.fill(-1);
        let facts = 1 + net.fact_count();
        let going_on = self.group.used.and_not(self.group.over);
        if whose == Whose::Deciding {
            // Where several decide nobody is asked about.
            self.group.chooser.draw_alone(net, self.slots, &self.group.acts);
            let lanes = going_on.and_not(self.group.several);
            return write_numbers(self.group.chooser.drawn(), lanes, |lane, mv| out[lane] = mv);
        }
        let mut from = 0;
        for (role, &end) in net.ends.iter().enumerate() {
            self.group.chooser.choose(net, self.slots, from, end, None);
            write_numbers(&self.slots[facts + from..facts + end], going_on, |lane, mv| out[lane * roles + role] = mv);
            from = end;
        }
    }

    /// Makes random moves.
    #[inline(always)]
    fn rollout(&mut self, steps: u64, cancel: &Cancel, tally: &mut Tally) {
        let net = self.net;
        for step in 0..steps {
            let going_on = self.group.used.and_not(self.group.over);
            if going_on.is_zero() || step % HEARD_EVERY == 0 && cancel.is_cancelled() {
                return;
            }
            if self.group.several.and(going_on).is_zero() {
                self.group.chooser.draw_alone(net, self.slots, &self.group.acts);
                self.group.chooser.make_drawn(net, self.slots, &self.group.acts);
            } else {
                let mut from = 0;
                for &end in &net.ends {
                    self.group.chooser.choose(net, self.slots, from, end, None);
                    from = end;
                }
            }
            tally.states += u64::from(going_on.count());
            let ended = self.advance();
            if !ended.any().is_zero() {
                tally.playouts += u64::from(ended.terminal.count());
                tally.stuck += u64::from(ended.stuck.count());
                tally.cut += u64::from(ended.cut.count());
                self.each_goal(ended.terminal, |role, value, lanes| {
                    tally.goals[role][usize::from(value)] += u64::from(lanes.count());
                });
                self.settle(ended.any());
            }
        }
    }
}

/// Does a task, group after group.
#[inline(always)]
fn work<V: Plane>(games: &mut LaneGames<V>, net: &PropNet, mut task: Task<'_>) {
    let LaneGames { count, restarts, most, slots, stride, groups, first, players, ages, next } = games;
    let roles = net.ends.len();
    for (number, (slots, group)) in slots.chunks_exact_mut(*stride).zip(groups).enumerate() {
        let from = LANES * number;
        let range = from..(*count).min(from + LANES);
        let ages = if ages.is_empty() { &mut [][..] } else { &mut ages[range.clone()] };
        let mut at = At { net, slots, group, next, first, restarts: *restarts, most: *most, ages };
        let own = &mut players[range.clone()];
        match &mut task {
            Task::LookAt(game) if *game / LANES != number => continue,
            Task::Look | Task::LookAt(_) => {
                // Nobody has moved: the count stays, and what is at its end now has ended before.
                at.most = None;
                let ended = at.look().any();
                at.restarts = false;
                at.settle(ended);
            }
            Task::Step(actions, Done { goals, ended }) => {
                let actions = match *actions {
                    Actions::Deciding(actions) => Actions::Deciding(&actions[range.clone()]),
                    Actions::Joint(actions) => Actions::Joint(&actions[range.start * roles..range.end * roles]),
                };
                at.put(actions, own);
                let over = at.advance();
                at.tell(over, &mut goals[range.start * roles..range.end * roles], &mut ended[range]);
                at.settle(over.any());
            }
            Task::Sample(whose, out) => {
                let width = if *whose == Whose::All { roles } else { 1 };
                at.sample(*whose, &mut out[range.start * width..range.end * width]);
                continue;
            }
            Task::Rollout(steps, cancel, tally) => at.rollout(*steps, cancel, tally),
        }
        at.tell_players(own);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,popcnt")]
pub(super) unsafe fn on_wide(games: &mut LaneGames<crate::plane::wide::Wide>, net: &PropNet, task: Task<'_>) {
    work(games, net, task);
}

pub(super) fn on_words(games: &mut LaneGames<Words>, net: &PropNet, task: Task<'_>) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,popcnt")]
        unsafe fn with_avx2(games: &mut LaneGames<Words>, net: &PropNet, task: Task<'_>) {
            work(games, net, task);
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
            // SAFETY: just checked.
            return unsafe { with_avx2(games, net, task) };
        }
    }
    work(games, net, task);
}
