//! A plan as it is shown, part by part: sentences, what following them reaches, examples, stages with their tree and sums, and what the words
//! mean. A terminal and a page show the same parts, each in its own way.

use crate::file::{Example, Plan, Reached, Subject};
use crate::stages::cases::Cases;
use crate::stages::find::Staged;
use crate::stages::play::Games;
use crate::sweep::Reading;
use crate::words::Words;

/// A part of what is shown.
#[derive(Clone, PartialEq, Debug)]
pub enum Block {
    /// A heading.
    Heading(String),
    /// A smaller heading.
    Under(String),
    /// A paragraph.
    Text(String),
    /// A remark.
    Note(String),
    /// Sentences with their numbers.
    Numbered(Vec<String>),
    /// Lines, each with how far it goes in.
    Lines(Vec<(usize, String)>),
    /// Words and what they mean.
    Terms(Vec<(String, String)>),
    /// Rows of cells, the first being the head.
    Table(Vec<Vec<String>>),
    /// The same for what a page has plots of.
    Plotted(Vec<Vec<String>>),
    /// A position (a FEN, or facts) with what is said about it, the first line being the shortest.
    Board(String, Vec<String>),
    /// What only a page has: levels, correlations and success as plots.
    Plot(Plot),
}

/// What is plotted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Plot {
    /// How many positions are how far from the win.
    Levels,
    /// The correlations of neighbouring levels.
    Correlations,
    /// What is won by the sentences.
    Success,
    /// What is won by the sums of stages.
    Staged,
}

/// `1 ply`, `2 plies`.
pub fn plies(count: usize) -> String {
    if count == 1 { "1 ply".to_string() } else { format!("{count} plies") }
}

/// A share in per cent; what is not all is never written as all.
pub fn percent(share: f64) -> String {
    if share >= 1.0 { "100 %".to_string() } else { format!("{:.2} %", (share * 10_000.0).floor() / 100.0) }
}

impl Plan {
    /// What the plan is for, as a heading.
    pub fn title(&self) -> String {
        match &self.subject {
            Subject::Ending { material, .. } => format!("{material}: a plan for white"),
            Subject::Game { name, role, .. } => format!("{name}: a plan for {role}"),
        }
    }

    /// Everything that is shown, after the title.
    pub fn report(&self) -> Vec<Block> {
        let mut blocks = vec![
            Block::Text(format!(
                "Look {} ahead. Of the moves you have, keep those that serve the first sentence best, whatever the other side replies; of \
                 these, those that serve the second best; and so on.{}",
                plies(self.plies),
                met(self.reading)
            )),
            Block::Numbered(self.brief()),
            Block::Note(match self.brief() == self.sentences() {
                true => format!("{} words", self.word_count()),
                false => format!("{} words with all parts of the sums, which `--json` has", self.word_count()),
            }),
        ];
        let terms = self.meanings();
        if !terms.is_empty() {
            blocks.push(Block::Under("What the words mean".into()));
            blocks.push(Block::Terms(terms.clone()));
        }
        blocks.extend([
            Block::Heading("What it reaches".into()),
            Block::Plot(Plot::Success),
            Block::Table(reached(&self.reached)),
            Block::Note(
                "Won: against every reply, and whichever of equally good moves is made. Looking 1 ply ahead is what a reader does who sees only the \
                 sentences and the next move."
                    .into(),
            ),
        ]);
        blocks.extend(self.with_the_rule().map(Block::Text));
        if let Some(verdict) = &self.verdict {
            let right = percent(verdict.share());
            blocks.push(Block::Heading("What is won".into()));
            blocks.push(Block::Text(format!(
                "Told right for {right} of {} positions; the first rule that fits decides.",
                verdict.positions
            )));
            let told = self.verdict_sentences();
            let counted = told
                .iter()
                .zip(&verdict.rules)
                .map(|(said, rule)| format!("{said} ({} positions, {} wrong)", rule.decides, rule.wrong));
            blocks.push(Block::Numbered(counted.collect()));
        }
        if !self.examples.is_empty() {
            blocks.push(Block::Heading("Examples".into()));
            blocks.extend(self.examples.iter().map(|example| self.example(example)));
        }
        match &self.stages {
            Some(stages) => self.staged(stages, &mut blocks),
            None => blocks.push(Block::Note(
                "This plan has no stages: it was made before there were any, or its search was interrupted; `ludens plan build` makes one with them.".into(),
            )),
        }
        if let Some(cases) = &self.cases {
            self.by_cases(cases, &mut blocks);
        }
        let more: Vec<_> = self.stage_meanings().into_iter().filter(|term| !terms.contains(term)).collect();
        if !more.is_empty() {
            blocks.push(Block::Under("What the words of the stages mean".into()));
            blocks.push(Block::Terms(more));
        }
        blocks
    }

    /// What the last sentence brings, where it is the one about repetitions.
    fn with_the_rule(&self) -> Option<String> {
        let games = self.avoiding(false)?;
        let random = self.avoiding(true).map(|games| format!(", and {} against random ones", percent(games.share())));
        Some(format!(
            "All this is without the last sentence. With it {} of {} games are won against best replies in {} moves, {:.2} moves over the optimum{}.",
            percent(games.share()),
            games.games,
            games.limit,
            games.excess,
            random.unwrap_or_default()
        ))
    }

    /// A position in which a sentence is at work: the move it prefers, and one that it leaves out.
    fn example(&self, example: &Example) -> Block {
        let number = example.goal.map_or(0, |goal| goal + 1);
        let sentence = self.brief().get(number).cloned().unwrap_or_default();
        let mut said = vec![format!("Sentence {} at work: {}", number + 1, example.line.join(" ")), sentence];
        let cases = example.goal.and_then(|goal| self.goals_by_cases().nth(self.number(goal)));
        if let (Some(instead), Some(cases)) = (&example.instead, cases) {
            let words = Words::new(&self.board);
            let (what, sign) = words.measure(&self.attributes, cases);
            let step = example.line.first().map_or("", String::as_str);
            let (made, left) = (sign * instead.made, sign * instead.left);
            said.push(format!("{step} and not {}: {made} instead of {left} for {what}.", instead.step));
        }
        Block::Board(example.position.clone(), said)
    }

    /// Stages, with their tree, sums and examples.
    fn staged(&self, stages: &Staged, blocks: &mut Vec<Block>) {
        let told = stages.told(&self.board);
        blocks.push(Block::Heading("Stages".into()));
        blocks.push(Block::Text(told.borders.clone()));
        blocks.push(Block::Plot(Plot::Levels));
        blocks.push(Block::Plot(Plot::Correlations));
        blocks.push(Block::Plotted(levels(stages)));
        for stage in &told.stages {
            blocks.push(Block::Under(format!("{}: {}", stage.name, stage.heading)));
            if !stage.aims.is_empty() {
                blocks.push(Block::Text("What gets one out of it, towards the win:".into()));
                blocks.push(Block::Lines(stage.aims.iter().map(|aim| (0, aim.clone())).collect()));
            }
            blocks.push(Block::Text("How many moves it takes, as a sum:".into()));
            blocks.push(Block::Lines(stage.sum.iter().map(|line| (0, line.clone())).collect()));
            if let Some(example) = &stage.example {
                let said =
                    std::iter::once(format!("{} at work: {}", stage.name, example.step)).chain(example.why.clone());
                blocks.push(Block::Board(example.position.clone(), said.collect()));
            }
        }
        if told.stages.len() > 1 {
            blocks.push(Block::Under("Which stage is it?".into()));
            if told.tree.is_empty() {
                blocks.push(Block::Text("No attribute tells the stages apart; all count as the largest one.".into()));
            } else {
                blocks.push(Block::Text(format!("Look at the position after your move. {}", told.accuracy)));
                blocks.push(Block::Lines(told.tree));
            }
            blocks.push(Block::Under("One sum for all stages".into()));
            blocks.push(Block::Lines(told.global.into_iter().map(|line| (0, line)).collect()));
        }
        blocks.push(Block::Text(format!("Wrong on average by: {}.", told.errors.join("; "))));
        if let Some(limit) = stages.played.first().map(|one| one.games.limit) {
            blocks.push(Block::Under("Play by these sums".into()));
            blocks.push(Block::Plot(Plot::Staged));
            blocks.push(Block::Table(played(stages)));
            blocks.push(Block::Note(format!(
                "Games from positions that can be won, those that are won in {limit} moves with the moves over the optimum: the move is the one with the least sum \
                 so many plies ahead. Repetitions: of the best six moves the first that leads to a new position; the second-best move, wherever it leads; no rule."
            )));
        }
    }
}

/// What is said beside of plans that go by all that is met on the way.
fn met(reading: Reading) -> &'static str {
    match reading {
        Reading::Ends => "",
        Reading::Met => {
            " Positions on the way count like those where you stop looking, if it is your turn there: take the best that you can force to be met \
             anywhere, and of moves that force the same the one that gets there soonest."
        }
    }
}

impl Plan {
    /// Sums by cases, each with its questions, and what play by them reaches.
    fn by_cases(&self, cases: &Cases, blocks: &mut Vec<Block>) {
        blocks.push(Block::Heading("Sums by cases".into()));
        blocks.push(Block::Text(format!(
            "Look {} ahead, and answer the questions about the position where that ends: they lead to one of {} cases, whose sum says how many moves \
             the win takes. Make the move with the least sum, whatever the other side replies.{}",
            plies(self.plies),
            cases.len(),
            met(cases.reading)
        )));
        for (number, case) in cases.told(&self.board).into_iter().enumerate() {
            blocks.push(Block::Under(format!("Case {}: {}", number + 1, case.when)));
            blocks.push(Block::Lines(brief(case.sum).into_iter().map(|line| (0, line)).collect()));
        }
        blocks.push(Block::Note(format!(
            "Learned from {} positions, and from {} in which its play went wrong.",
            cases.positions, cases.mistakes
        )));
        if let Some(limit) = cases.played.first().map(|one| one.limit) {
            let head = ["plies", "at a repetition", "games", "best replies", "random replies"];
            let mut rows = vec![head.map(String::from).to_vec()];
            let cell = |one: &Games| format!("{} (+{:.2})", percent(one.share()), one.excess);
            for one in cases.played.iter().filter(|one| !one.drawn) {
                let same =
                    |other: &&Games| other.drawn && (other.plies, other.repetition) == (one.plies, one.repetition);
                let random = cases.played.iter().find(same).map_or_else(String::new, cell);
                rows.push(vec![
                    one.plies.to_string(),
                    one.repetition.words(),
                    one.games.to_string(),
                    cell(one),
                    random,
                ]);
            }
            blocks.push(Block::Under("Play by these cases".into()));
            blocks.push(Block::Table(rows));
            blocks.push(Block::Note(format!("Those that are won in {limit} moves, with the moves over the optimum.")));
        }
    }
}

/// Of the sum of a case so many lines are shown: those that matter most.
const LINES: usize = 8;

/// The first lines of a sum, and how many more there are.
fn brief(mut sum: Vec<String>) -> Vec<String> {
    let more = sum.len().saturating_sub(LINES);
    if more > 1 {
        sum.truncate(LINES);
        sum.push(format!("{more} more lines, which matter less, are in what `--json` prints."));
    }
    sum
}

fn reached(list: &[Reached]) -> Vec<Vec<String>> {
    let head = ["plies ahead", "can be won", "won", "", "moves over the optimum", "at most", "random replies"];
    let mut rows = vec![head.map(String::from).to_vec()];
    for reached in list {
        rows.push(vec![
            reached.plies.to_string(),
            reached.positions.to_string(),
            reached.won.to_string(),
            percent(reached.share()),
            format!("{:.2}", reached.excess),
            reached.worst.to_string(),
            reached.random.map_or(String::new(), percent),
        ]);
    }
    rows
}

/// Each level with its stage, its positions, and how alike what tells it from the next is to what tells that from the one after.
fn levels(stages: &Staged) -> Vec<Vec<String>> {
    let mut rows = vec![["moves to the win", "positions", "correlation", "stage"].map(String::from).to_vec()];
    for (level, count) in stages.levels.iter().enumerate() {
        let level = level as u16;
        let found = stages.relevance.correlation(level).map_or(String::new(), |value| format!("{value:.2}"));
        let name = &stages.learned.stages[usize::from(crate::stages::stage(&stages.learned.stages, level))].name;
        rows.push(vec![level.to_string(), count.to_string(), found, name.clone()]);
    }
    rows
}

fn played(stages: &Staged) -> Vec<Vec<String>> {
    let head = ["who judges positions", "plies", "at a repetition", "best replies", "random replies"];
    let rows = stages.rows(&stages.played).into_iter().map(|row| row.to_vec());
    std::iter::once(head.map(String::from).to_vec()).chain(rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_sums_are_cut_short() {
        let lines = |count: usize| (0..count).map(|at| at.to_string()).collect::<Vec<_>>();
        assert_eq!(brief(lines(LINES + 1)), lines(LINES + 1), "one line is not worth another one");
        let cut = brief(lines(LINES + 2));
        assert_eq!(cut[..LINES], lines(LINES));
        assert_eq!(cut[LINES..], ["2 more lines, which matter less, are in what `--json` prints."]);
    }

    #[test]
    fn shares_in_per_cent() {
        assert_eq!([percent(1.0), percent(0.99999), percent(0.5)], ["100 %", "99.99 %", "50.00 %"]);
    }
}
