//! Random probes of a table file, on one core: `cargo run --release -p table --example probes -- FILE [CACHE_MB]`.

use game::random::Rng;
use std::time::Instant;
use table::file::Table;

fn main() {
    let mut args = std::env::args().skip(1);
    let Some(file) = args.next() else { panic!("which file?") };
    let cache = args.next().and_then(|word| word.parse().ok()).unwrap_or(512);
    let begun = Instant::now();
    let table = Table::open_with_cache(&file, cache << 20).unwrap_or_else(|error| panic!("{error}"));
    println!("{:?}, opened in {:.3} s", table.form(), begun.elapsed().as_secs_f64());
    let parts: Vec<u64> = table.header().parts.iter().map(|part| part.entries).collect();
    let total: u64 = parts.iter().sum();
    let ends: Vec<u64> = parts
        .iter()
        .scan(0, |sum, n| {
            *sum += n;
            Some(*sum)
        })
        .collect();
    let mut rng = Rng::new(1);
    // The places are chosen before, so that only probing is measured.
    let places: Vec<(usize, u64)> = (0..1_000_000)
        .map(|_| {
            let at = rng.below(total as usize) as u64;
            let part = ends.partition_point(|&end| end <= at);
            (part, at - (ends[part] - parts[part]))
        })
        .collect();
    for round in 0..4 {
        let begun = Instant::now();
        let sum: u64 = places.iter().map(|&(part, at)| u64::from(table.get(part, at).unwrap_or_default())).sum();
        let rate = places.len() as f64 / begun.elapsed().as_secs_f64() / 1e6;
        println!("round {round}: {rate:.2} million probes a second (sum {sum})");
    }
}
