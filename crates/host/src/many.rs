//! Many matches, several at a time, each kept as soon as it is over.

use crate::matches::Event;
use anyhow::{Result, ensure};
use game::Cancel;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// Plays all of `open` with so many threads. `keep` hears of every match that is over; the first error, of a match or of
/// `keep`, breaks everything off. A match hears of that through the token it is given ([`go_on`]).
pub fn play_all<T: Sync, P: Send>(
    open: &[T],
    parallel: usize,
    play: impl Fn(&T, &Cancel) -> Result<P> + Sync,
    mut keep: impl FnMut(P) -> Result<()>,
) -> Result<()> {
    let (next, broken) = (AtomicUsize::new(0), Cancel::new());
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..parallel.min(open.len()) {
            let (next, broken, play, sender) = (&next, &broken, &play, sender.clone());
            scope.spawn(move || {
                while let Some(one) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = play(one, broken);
                    let failed = result.is_err();
                    if sender.send(result).is_err() || failed || broken.is_cancelled() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for result in receiver.iter() {
            if let Err(error) = result.and_then(&mut keep) {
                broken.cancel();
                return Err(error);
            }
        }
        Ok(())
    })
}

/// What a match does at each event: goes on, unless everything was broken off.
pub fn go_on(event: &Event<'_>, broken: &Cancel) -> Result<()> {
    let stop = matches!(event, Event::Step(..)) && broken.is_cancelled();
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
