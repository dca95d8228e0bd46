//! Random games from many different states, side by side: [`game::Game::rollouts`] for a net.
//!
//! The steps are those of [`Lanes`](crate::Lanes); what differs is that a lane whose game has ended begins with the next
//! state of the feed, and that every game is reported. Only beginnings and ends are done lane by lane.

use crate::lanes::Batch;
use crate::net::{PropNet, State};
use crate::plane::{Plane, WORDS, Words, each_word, run, words};
use game::random::End;
use game::rollouts::{Alike, Feed};
use game::{Goal, Move, Role};

/// Games side by side.
pub(crate) const LANES: usize = 64 * WORDS;

/// Runs games until the feed says stop, or until no game is running and the feed has none.
pub(crate) fn rollouts(net: &PropNet, feed: &mut dyn Feed<State>, most: usize, seed: u64) {
    #[cfg(target_arch = "x86_64")]
    {
        use crate::plane::wide::{Wide, available};
        #[target_feature(enable = "avx512f,avx512bw,popcnt")]
        unsafe fn on_wide(net: &PropNet, feed: &mut dyn Feed<State>, most: usize, seed: u64) {
            Runs::<Wide>::new(net, most, seed).run(net, feed);
        }
        #[target_feature(enable = "avx2,popcnt")]
        unsafe fn on_avx2(net: &PropNet, feed: &mut dyn Feed<State>, most: usize, seed: u64) {
            Runs::<Words>::new(net, most, seed).run(net, feed);
        }
        if available() {
            // SAFETY: just checked.
            return unsafe { on_wide(net, feed, most, seed) };
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
            // SAFETY: just checked.
            return unsafe { on_avx2(net, feed, most, seed) };
        }
    }
    Runs::<Words>::new(net, most, seed).run(net, feed);
}

/// Lanes.
type Lanes = [u64; WORDS];

/// Games that began together and have the same number.
struct Group {
    number: u32,
    born: u64,
    lanes: Lanes,
}

/// So many games that begin together are told by counting, as long as so many are left; fewer are told lane by lane.
const GROUP: u32 = 32;
const LEFT: u32 = 8;
/// With more groups counting takes longer than going from lane to lane.
const MOST_GROUPS: usize = 12;

/// The games that are running.
struct Runs<V> {
    batch: Batch<V>,
    groups: Vec<Group>,
    /// Whether there may be groups.
    in_groups: bool,
    /// Lanes whose games are not in groups: what the feed calls the game in each, and the step at which it began.
    loose: Lanes,
    number: Vec<u32>,
    born: Vec<u64>,
    step: u64,
    running: Lanes,
    /// The first states of games that begin with this step: a plane a fact, set only in those lanes.
    first: Vec<Lanes>,
    /// The facts of the state that games begin in.
    facts: Vec<usize>,
    /// What games end with: the goals that some of them have, by role, and in which lanes.
    found: Vec<(u8, Option<Goal>, Lanes)>,
    /// Where each role has just one goal, and where it has more: only the first counts.
    single: Vec<(Lanes, Lanes)>,
    /// The games in which each move was made, where the feed wants to know.
    made: Vec<V>,
    /// Games that ended alike, and the goals of all roles in them.
    alike: Vec<Alike>,
    goals: Vec<Option<Goal>>,
}

impl<V: Plane> Runs<V> {
    #[inline(always)]
    fn new(net: &PropNet, most: usize, seed: u64) -> Runs<V> {
        let mut batch = Batch::new(net, &net.start, seed);
        // Ages count looks, and a game is looked at once more than it has moves.
        batch.most = most.min(usize::from(u16::MAX) - 1) as u32 + 1;
        batch.next = vec![V::all(false); net.fact_count()];
        Runs {
            batch,
            groups: Vec::new(),
            in_groups: false,
            loose: [0; WORDS],
            number: vec![0; LANES],
            born: vec![0; LANES],
            step: 0,
            running: [0; WORDS],
            first: vec![[0; WORDS]; net.fact_count()],
            facts: Vec::new(),
            found: Vec::new(),
            single: Vec::new(),
            made: Vec::new(),
            alike: Vec::new(),
            goals: Vec::new(),
        }
    }

    #[inline(always)]
    fn run(&mut self, net: &PropNet, feed: &mut dyn Feed<State>) {
        let circuit = &net.circuit;
        if feed.counts_moves() {
            self.made = vec![V::all(false); net.move_count()];
        }
        self.in_groups = self.made.is_empty() && !feed.looks_at_cuts();
        while !feed.stop() {
            self.begin(feed);
            if self.running == [0; WORDS] {
                return;
            }
            run(circuit, &circuit.state, &mut self.batch.slots);
            let terminal = self.batch.slots[circuit.outputs[net.move_count()] as usize];
            let old = self.batch.grow_older();
            let mut stuck = V::all(false);
            let mut from = 0;
            for &end in &net.ends {
                stuck = stuck.or(self.batch.choose(net, from, end, feed.bias()));
                from = end;
            }
            let running = self.running;
            let ended = terminal.or(stuck).or(old).and(V::from_words(|at| running[at]));
            if !ended.is_zero() {
                self.end(net, feed, [words_of(ended), words_of(terminal), words_of(old)]);
            }
            let chosen = &self.batch.slots[1 + net.fact_count()..];
            for (made, &chosen) in self.made.iter_mut().zip(chosen) {
                *made = made.or(chosen);
            }
            run(circuit, &circuit.moves, &mut self.batch.slots);
            let outputs = &circuit.outputs[net.move_count() + 1 + net.goals.len()..];
            for (plane, &slot) in self.batch.next.iter_mut().zip(outputs) {
                *plane = self.batch.slots[slot as usize];
            }
            self.step += 1;
        }
    }

    /// Starts a game in every free lane, as far as the feed has states, and puts all states into the slots.
    #[inline(always)]
    fn begin(&mut self, feed: &mut dyn Feed<State>) {
        let mut begun = [0; WORDS];
        let mut room: u32 = self.running.iter().map(|running| running.count_zeros()).sum();
        let mut at = 0;
        while room > 0 {
            let Some((number, state)) = feed.next() else { break };
            self.facts.clear();
            for (word, &bits) in state.0.iter().enumerate() {
                let mut bits = bits;
                while bits != 0 {
                    self.facts.push(64 * word + bits.trailing_zeros() as usize);
                    bits &= bits - 1;
                }
            }
            let games = 1 + feed.again(number, room - 1).min(room - 1);
            room -= games;
            let (mut left, mut lanes) = (games, [0; WORDS]);
            while left > 0 {
                let free = !(self.running[at] | begun[at]);
                let mut after = free;
                if left >= free.count_ones() {
                    after = 0;
                } else {
                    (0..left).for_each(|_| after &= after - 1);
                }
                lanes[at] = free ^ after;
                begun[at] |= lanes[at];
                left -= lanes[at].count_ones();
                at += usize::from(after == 0);
            }
            for &fact in &self.facts {
                let first = &mut self.first[fact];
                *first = each_word!(at => first[at] | lanes[at]);
            }
            let group = Group { number, born: self.step, lanes };
            if self.in_groups && games >= GROUP && self.groups.len() < MOST_GROUPS {
                self.groups.push(group);
            } else {
                self.loosen(&group);
            }
        }
        let slots = &mut self.batch.slots[1..];
        if begun == [0; WORDS] {
            slots[..self.batch.next.len()].copy_from_slice(&self.batch.next);
            return;
        }
        let new = V::from_words(|at| begun[at]);
        for ((slot, next), first) in slots.iter_mut().zip(&self.batch.next).zip(&mut self.first) {
            *slot = next.and_not(new).or(V::from_words(|at| first[at]));
            *first = [0; WORDS];
        }
        for plane in self.batch.age.iter_mut().chain(&mut self.made) {
            *plane = plane.and_not(new);
        }
        for (running, new) in self.running.iter_mut().zip(begun) {
            *running |= new;
        }
    }

    /// From now on the games of a group are told lane by lane.
    fn loosen(&mut self, group: &Group) {
        for (at, &lanes) in group.lanes.iter().enumerate() {
            self.loose[at] |= lanes;
            let mut rest = lanes;
            while rest != 0 {
                let lane = 64 * at + rest.trailing_zeros() as usize;
                (self.number[lane], self.born[lane]) = (group.number, group.born);
                rest &= rest - 1;
            }
        }
    }

    /// Reports the games that have ended, those that ended alike together, and frees their lanes.
    #[inline(always)]
    fn end(&mut self, net: &PropNet, feed: &mut dyn Feed<State>, [ended, terminal, old]: [Lanes; 3]) {
        self.find_goals(net, &ended);
        self.running = each_word!(at => self.running[at] & !ended[at]);
        let mut rest = ended;
        for at in 0..WORDS {
            while rest[at] != 0 {
                let bit = rest[at] & rest[at].wrapping_neg();
                let (end, mut same) = match (terminal[at] & bit, old[at] & bit) {
                    (0, 0) => (End::Stuck, each_word!(word => rest[word] & !terminal[word] & !old[word])),
                    (0, _) => (End::Cut, each_word!(word => rest[word] & !terminal[word] & old[word])),
                    _ => (End::Terminal, each_word!(word => rest[word] & terminal[word])),
                };
                self.goals.clear();
                for (role, (one, more)) in self.single.iter().enumerate() {
                    let is_single = one[at] & !more[at] & bit != 0;
                    let mut goal = None;
                    for (who, value, lanes) in &self.found {
                        if is_single && usize::from(*who) == role && lanes[at] & bit != 0 {
                            goal = *value;
                            same = each_word!(word => same[word] & lanes[word]);
                        }
                    }
                    self.goals.push(goal);
                    let wanted = if is_single { 0 } else { !0 };
                    same = each_word!(word => same[word] & (one[word] & !more[word] ^ wanted));
                }
                rest = each_word!(word => rest[word] & !same[word]);
                self.gather(&same);
                if end == End::Cut && feed.looks_at_cuts() {
                    self.tell_cuts(net, feed, &same);
                }
                self.tell_moves(net, feed, &same);
                feed.done_alike(&self.alike, end, &self.goals);
            }
        }
        self.loose = each_word!(at => self.loose[at] & !ended[at]);
        let mut number = 0;
        while let Some(group) = self.groups.get_mut(number) {
            group.lanes = each_word!(at => group.lanes[at] & !ended[at]);
            if count(&group.lanes) < LEFT {
                let group = self.groups.swap_remove(number);
                self.loosen(&group);
            } else {
                number += 1;
            }
        }
    }

    /// Finds out whose games are in these lanes.
    #[inline(always)]
    fn gather(&mut self, lanes: &Lanes) {
        self.alike.clear();
        for group in &self.groups {
            let games = count(&each_word!(at => group.lanes[at] & lanes[at]));
            if games > 0 {
                self.alike.push(Alike { number: group.number, steps: (self.step - group.born) as usize, games });
            }
        }
        for (at, (lanes, loose)) in lanes.iter().zip(&self.loose).enumerate() {
            let mut rest = lanes & loose;
            while rest != 0 {
                let lane = 64 * at + rest.trailing_zeros() as usize;
                let steps = (self.step - self.born[lane]) as usize;
                self.alike.push(Alike { number: self.number[lane], steps, games: 1 });
                rest &= rest - 1;
            }
        }
    }

    /// Tells the last states of the games in these lanes, which are not in groups.
    fn tell_cuts(&self, net: &PropNet, feed: &mut dyn Feed<State>, lanes: &Lanes) {
        let (slots, mut last) = (words(&self.batch.slots), net.start.clone());
        for (at, &lanes) in lanes.iter().enumerate() {
            let mut rest = lanes;
            while rest != 0 {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                for (word, bits) in last.0.iter_mut().enumerate() {
                    let facts = 64 * word..(64 * (word + 1)).min(net.fact_count());
                    *bits =
                        facts.fold(0, |bits, fact| bits | (slots[(1 + fact) * WORDS + at] >> bit & 1) << (fact % 64));
                }
                feed.cut(self.number[64 * at + bit], &last);
            }
        }
    }

    /// Tells the moves that were made in these lanes.
    fn tell_moves(&self, net: &PropNet, feed: &mut dyn Feed<State>, lanes: &Lanes) {
        let (mut role, made) = (0, words(&self.made));
        for (mv, planes) in made.chunks_exact(WORDS).enumerate() {
            while net.ends[role] <= mv {
                role += 1;
            }
            let (mut number, mut games) = (0, 0);
            for (at, (plane, lanes)) in planes.iter().zip(lanes).enumerate() {
                let mut word = plane & lanes;
                while word != 0 {
                    let next = self.number[64 * at + word.trailing_zeros() as usize];
                    if games > 0 && next != number {
                        feed.made(number, Role(role as u8), Move(mv as u32), std::mem::take(&mut games));
                    }
                    (number, games) = (next, games + 1);
                    word &= word - 1;
                }
            }
            if games > 0 {
                feed.made(number, Role(role as u8), Move(mv as u32), games);
            }
        }
    }

    /// Finds the goals that hold in some of these lanes, and where each role has just one.
    #[inline(always)]
    fn find_goals(&mut self, net: &PropNet, ended: &Lanes) {
        let slots = words(&self.batch.slots);
        let outputs = &net.circuit.outputs[net.move_count() + 1..];
        self.found.clear();
        self.single.clear();
        self.single.resize(net.ends.len(), ([0; WORDS], [0; WORDS]));
        for (&(role, value), &slot) in net.goals.iter().zip(outputs) {
            let first = slot as usize * WORDS;
            let lanes = each_word!(at => slots[first + at] & ended[at]);
            if lanes != [0; WORDS] {
                let (one, more) = &mut self.single[role.0 as usize];
                *more = each_word!(at => more[at] | one[at] & lanes[at]);
                *one = each_word!(at => one[at] | lanes[at]);
                self.found.push((role.0, value, lanes));
            }
        }
    }
}

/// How many lanes these are.
#[inline(always)]
fn count(lanes: &Lanes) -> u32 {
    let mut count = 0;
    for word in lanes {
        count += word.count_ones();
    }
    count
}

/// The words of a plane.
#[inline(always)]
fn words_of<V: Plane>(plane: V) -> [u64; WORDS] {
    let mut words = [0; WORDS];
    for (at, word) in words.iter_mut().enumerate() {
        *word = plane.word(at);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Budget;
    use game::random::Player;
    use game::{Game, Move, Role};

    const RULES: &str = "(role x) (role o) (init (at 0)) (init (turn x))
        (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (other x o) (other o x)
        (<= (step ?a ?b) (succ ?a ?b)) (<= (step ?a ?c) (succ ?a ?b) (succ ?b ?c))
        (<= (legal ?r (go ?b)) (true (turn ?r)) (true (at ?a)) (step ?a ?b))
        (<= (legal ?r wait) (true (turn ?s)) (other ?s ?r))
        (<= (next (at ?b)) (does ?r (go ?b))) (<= (next (turn ?r)) (true (turn ?s)) (other ?s ?r))
        (<= terminal (true (at 5))) (<= terminal (true (at 4)))
        (<= (goal ?r 100) (true (at 5)) (true (turn ?s)) (other ?s ?r)) (<= (goal ?r 0) (true (at 5)) (true (turn ?r)))
        (<= (goal x 30) (true (at 4)))";

    /// Gives each of some states so many times, several at once, and adds up what comes back.
    struct Count<'a> {
        states: &'a [State],
        left: usize,
        together: u32,
        ends: Vec<[usize; 3]>,
        sums: Vec<u64>,
        steps: u64,
    }

    impl Feed<State> for Count<'_> {
        fn stop(&mut self) -> bool {
            false
        }
        fn next(&mut self) -> Option<(u32, &State)> {
            self.left = self.left.checked_sub(1)?;
            let at = self.left / self.together as usize % self.states.len();
            Some((at as u32, &self.states[at]))
        }
        fn again(&mut self, _: u32, most: u32) -> u32 {
            // As many as belong to the same state.
            let more = (self.left as u32 % self.together).min(most);
            self.left -= more as usize;
            more
        }
        fn done(&mut self, number: u32, end: End, steps: usize, goals: &[Option<Goal>]) {
            self.ends[number as usize][end as usize] += 1;
            self.sums[number as usize] += u64::from(goals[0].unwrap_or(0));
            self.steps += steps as u64;
        }
    }

    fn run_on<V: Plane>(
        net: &PropNet,
        states: &[State],
        times: usize,
        most: usize,
        seed: u64,
    ) -> (Vec<[usize; 3]>, Vec<u64>, u64) {
        run_together::<V>(net, states, (times, 1), most, seed)
    }

    fn run_together<V: Plane>(
        net: &PropNet,
        states: &[State],
        (times, together): (usize, u32),
        most: usize,
        seed: u64,
    ) -> (Vec<[usize; 3]>, Vec<u64>, u64) {
        let count = states.len();
        let (ends, sums) = (vec![[0; 3]; count], vec![0; count]);
        let mut feed = Count { states, left: times * count, together, ends, sums, steps: 0 };
        Runs::<V>::new(net, most, seed).run(net, &mut feed);
        (feed.ends, feed.sums, feed.steps)
    }

    fn states(net: &PropNet) -> Vec<State> {
        let mut view = net.view();
        let mut all = vec![net.start()];
        for at in 0..3 {
            let from = all[at].clone();
            net.look(&from, &mut view).unwrap();
            let mut joint: Vec<Move> = Vec::new();
            for role in 0..2 {
                let mut legal = Vec::new();
                net.legal(&view, Role(role), &mut legal);
                joint.push(legal[0]);
            }
            let mut next = from.clone();
            net.play(&mut view, &joint, &mut next).unwrap();
            all.push(next);
        }
        all
    }

    #[test]
    fn lanes_play_as_one_game_at_a_time_does() {
        let net = PropNet::new(&gdl::parse(RULES).rules, Budget::default()).unwrap();
        let states = states(&net);
        let times = 5000;
        let (ends, sums, _) = run_on::<Words>(&net, &states, times, 100, 1);
        let mut player = Player::new(&net);
        let mut rng = game::random::Rng::new(2);
        for (at, from) in states.iter().enumerate() {
            assert_eq!(ends[at], [times, 0, 0]);
            let mut sum = 0;
            for _ in 0..times {
                let played = player.playout(&net, from, &mut rng, 100, &mut |_, _| {}).unwrap();
                sum += u64::from(played.goals[0].unwrap_or(0));
            }
            let (a, b) = (sums[at] as f64 / times as f64, sum as f64 / times as f64);
            // Goals of at most 100: four standard deviations of the difference are below 4.
            assert!((a - b).abs() < 4.0, "state {at}: {a} in lanes, {b} one by one");
        }
    }

    #[test]
    fn games_that_begin_together_are_the_same_games() {
        let net = PropNet::new(&gdl::parse(RULES).rules, Budget::default()).unwrap();
        let states = states(&net);
        // With one state it makes no difference which lane has which number.
        let alone = run_on::<Words>(&net, &states[..1], 3000, 2, 5);
        assert_eq!(run_together::<Words>(&net, &states[..1], (3000, 100), 2, 5), alone);
        for together in [3, 60, 1000] {
            let (ends, _, _) = run_together::<Words>(&net, &states, (3000, together), 100, 5);
            assert_eq!(ends, vec![[3000, 0, 0]; states.len()]);
        }
    }

    #[test]
    fn a_game_is_cut_where_one_at_a_time_is_cut() {
        let net = PropNet::new(&gdl::parse(RULES).rules, Budget::default()).unwrap();
        let (ends, _, steps) = run_on::<Words>(&net, &states(&net)[..1], 600, 1, 1);
        assert_eq!((ends[0], steps), ([0, 0, 600], 600));
        let (ends, _, _) = run_on::<Words>(&net, &states(&net)[..1], 600, 0, 1);
        assert_eq!(ends[0], [0, 0, 600]);
    }

    #[test]
    fn the_seed_decides_and_the_plane_does_not() {
        let net = PropNet::new(&gdl::parse(RULES).rules, Budget::default()).unwrap();
        let states = states(&net);
        let words = run_on::<Words>(&net, &states, 700, 100, 9);
        assert_eq!(words, run_on::<Words>(&net, &states, 700, 100, 9));
        #[cfg(target_arch = "x86_64")]
        if crate::plane::wide::available() {
            assert_eq!(words, run_on::<crate::plane::wide::Wide>(&net, &states, 700, 100, 9));
        }
    }

    /// Games from the start, with preferred moves, that are cut after some steps: how often each last state was seen.
    struct Cuts<'a> {
        start: &'a State,
        left: usize,
        preferred: &'a [u64],
        cut: usize,
        seen: std::collections::BTreeMap<Vec<u64>, usize>,
    }

    impl Feed<State> for Cuts<'_> {
        fn stop(&mut self) -> bool {
            false
        }
        fn next(&mut self) -> Option<(u32, &State)> {
            self.left = self.left.checked_sub(1)?;
            Some((7, self.start))
        }
        fn done(&mut self, number: u32, end: End, steps: usize, _: &[Option<Goal>]) {
            assert_eq!((number, steps), (7, 2));
            self.cut += usize::from(end == End::Cut);
        }
        fn bias(&self) -> Option<game::rollouts::PlayoutBias<'_>> {
            Some(game::rollouts::PlayoutBias { moves: self.preferred, chance: 12 })
        }
        fn looks_at_cuts(&self) -> bool {
            true
        }
        fn cut(&mut self, _: u32, state: &State) {
            *self.seen.entry(state.0.to_vec()).or_default() += 1;
        }
    }

    #[test]
    fn preferred_moves_and_cut_states_are_the_same_in_lanes_and_one_by_one() {
        let net = PropNet::new(&gdl::parse(RULES).rules, Budget::default()).unwrap();
        let start = net.start();
        let mut preferred = vec![0; net.move_count().div_ceil(64)];
        // Going by two from the start; nothing for whoever moves next.
        let two = (0..net.move_count() as u32).find(|&mv| game::Names::move_text(&net, Move(mv)) == "(go 2)").unwrap();
        preferred[two as usize / 64] |= 1u64 << (two % 64);
        let cuts = || Cuts { start: &start, left: 8000, preferred: &preferred, cut: 0, seen: Default::default() };
        let (mut lanes, mut single) = (cuts(), cuts());
        Runs::<Words>::new(&net, 2, 3).run(&net, &mut lanes);
        game::rollouts::one_by_one(&net, &mut single, 2, 4).unwrap();
        // (go 2) comes first in 7 of 8 games. After two moves 500 should be at 2, 4,000 at 3, and 3,500 at 4, where it ends.
        assert_eq!((lanes.seen.len(), lanes.seen.values().sum::<usize>()), (2, lanes.cut));
        assert_eq!(lanes.seen.keys().collect::<Vec<_>>(), single.seen.keys().collect::<Vec<_>>());
        for (state, &count) in &lanes.seen {
            let other = single.seen[state];
            assert!(count.abs_diff(other) < 270, "{count} in lanes, {other} one by one");
        }
        let rare = lanes.seen.values().min().unwrap();
        assert!((400..600).contains(rare), "{:?}", lanes.seen);
    }

    /// Hears of every move that was made, and in how many games.
    struct Heard<'a> {
        states: &'a [State],
        left: usize,
        games: u32,
        made: std::collections::BTreeMap<(u32, Role, Move), u32>,
        told: u32,
    }

    impl Feed<State> for Heard<'_> {
        fn stop(&mut self) -> bool {
            false
        }
        fn next(&mut self) -> Option<(u32, &State)> {
            self.left = self.left.checked_sub(1)?;
            let at = self.left % self.states.len();
            Some((at as u32, &self.states[at]))
        }
        fn counts_moves(&self) -> bool {
            true
        }
        fn made(&mut self, number: u32, role: Role, mv: Move, games: u32) {
            *self.made.entry((number, role, mv)).or_default() += games;
            self.told += games;
        }
        fn done(&mut self, _: u32, _: End, steps: usize, _: &[Option<Goal>]) {
            // Told before the end: both roles moved at every step, and no move comes twice but waiting.
            assert!(steps == 0 || self.told > 0);
            self.games += 1;
        }
    }

    #[test]
    fn moves_are_told_in_lanes_as_one_by_one() {
        let net = PropNet::new(&gdl::parse(RULES).rules, Budget::default()).unwrap();
        let states = states(&net);
        let heard = || Heard { states: &states, left: 24_000, games: 0, made: Default::default(), told: 0 };
        let (mut lanes, mut single) = (heard(), heard());
        Runs::<Words>::new(&net, 100, 3).run(&net, &mut lanes);
        game::rollouts::one_by_one(&net, &mut single, 100, 4).unwrap();
        assert_eq!((lanes.games, single.games), (24_000, 24_000));
        assert!(lanes.made.keys().eq(single.made.keys()));
        for (what, &games) in &lanes.made {
            let other = single.made[what];
            assert!(games <= 6000 && games.abs_diff(other) < 260, "{what:?}: {games} in lanes, {other} one by one");
        }
        // From the start the first role always goes by one or by two, and the other waits.
        let first =
            |text: &str| net.moves_of(Role(0)).find(|&mv| game::Names::move_text(&net, Move(mv as u32)) == text);
        let of = |text: &str| lanes.made[&(0, Role(0), Move(first(text).unwrap() as u32))];
        assert_eq!(of("(go 1)") + of("(go 2)"), 6000);
    }
}
