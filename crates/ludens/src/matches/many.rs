//! Many matches, several at a time, each kept as soon as it is over.

use super::host::Event;
use crate::progress::Progress;
use crate::table;
use anyhow::{Result, ensure};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

/// Plays all of `open` with so many threads. `keep` hears of every match that is over; the first error, of a match or of
/// `keep`, breaks everything off. A match hears of that through the flag it is given ([`go_on`]).
pub fn play_all<T: Sync, P: Send>(
    open: &[T],
    parallel: usize,
    play: impl Fn(&T, &AtomicBool) -> Result<P> + Sync,
    mut keep: impl FnMut(P) -> Result<()>,
) -> Result<()> {
    let (next, broken) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    let mut progress = Progress::new();
    std::thread::scope(|scope| {
        for _ in 0..parallel.min(open.len()) {
            let (next, broken, play, sender) = (&next, &broken, &play, sender.clone());
            scope.spawn(move || {
                while let Some(one) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = play(one, broken);
                    let failed = result.is_err();
                    if sender.send(result).is_err() || failed || broken.load(Ordering::Relaxed) {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for (before, result) in receiver.iter().enumerate() {
            if let Err(error) = result.and_then(&mut keep) {
                broken.store(true, Ordering::Relaxed);
                return Err(error);
            }
            let (done, all) = (before + 1, table::count(open.len(), "game"));
            progress.at(|seconds| format!("{done} of {all}, {}", table::seconds(seconds)));
        }
        Ok(())
    })
}

/// What a match does at each event: goes on, unless everything was broken off.
pub fn go_on(event: &Event<'_>, broken: &AtomicBool) -> Result<()> {
    let stop = matches!(event, Event::Step(..)) && broken.load(Ordering::Relaxed);
    ensure!(!stop, "broken off");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_played_and_kept() {
        let mut kept = Vec::new();
        let open: Vec<u64> = (0..100).collect();
        let done = play_all(
            &open,
            3,
            |n, _| Ok(n * n),
            |square| {
                kept.push(square);
                Ok(())
            },
        );
        kept.sort_unstable();
        assert!(done.is_ok() && kept == open.iter().map(|n| n * n).collect::<Vec<_>>());
    }

    #[test]
    fn an_error_ends_it() {
        let open: Vec<u64> = (0..1000).collect();
        let mut kept = 0;
        let done = play_all(
            &open,
            2,
            |&n, _| if n == 5 { anyhow::bail!("five") } else { Ok(n) },
            |_| {
                kept += 1;
                Ok(())
            },
        );
        assert_eq!(done.map_err(|error| error.to_string()), Err("five".to_string()));
        assert!(kept < 1000);
    }
}
