//! Builds a table of Chinese checkers and prints its layers, the CPU time of the process and its greatest memory:
//! `cargo run --release -p table --example chinese -- PIECES [START] [FILE]`.

use table::chinese::{Build, Spec};
use table::file::Form;

fn main() {
    let mut args = std::env::args().skip(1);
    let pieces = args.next().and_then(|word| word.parse().ok()).unwrap_or(5);
    let start = args.next().and_then(|word| word.parse().ok()).unwrap_or(0);
    let file = args.next();
    let spec = Spec::new(9, pieces).from_start(start);
    let begun = std::time::Instant::now();
    let mut build = Build::new(spec, 16 << 30).unwrap_or_else(|error| panic!("{error}"));
    build.run(&mut |_| true).unwrap_or_else(|error| panic!("{error}"));
    println!("{:?}", build.layers());
    println!("{} entries in {:.2} s", build.space().entries(), begun.elapsed().as_secs_f64());
    usage();
    if let Some(file) = file {
        for (form, end) in [(Form::Raw, "raw"), (Form::Compressed, "packed")] {
            build.write(format!("{file}.{end}"), form).unwrap_or_else(|error| panic!("{error}"));
            usage();
        }
    }
    if pieces <= 6 {
        let table = build.into_distances();
        let begun = std::time::Instant::now();
        println!("verified: {} layers", table.verify(&mut |_, _| true).unwrap_or_else(|fault| panic!("{fault}")).len());
        println!("verified in {:.2} s", begun.elapsed().as_secs_f64());
        usage();
    }
}

/// User and system time and the greatest memory of this process, where Linux tells.
fn usage() {
    let read = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
    let stat = read("/proc/self/stat");
    let ticks: Vec<f64> = stat
        .rsplit(')')
        .next()
        .unwrap_or("")
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|w| w.parse().ok())
        .collect();
    let peak = read("/proc/self/status").lines().find(|line| line.starts_with("VmHWM")).unwrap_or("").to_owned();
    println!("user and system seconds {:?}, {peak}", ticks.iter().map(|t| t / 100.0).collect::<Vec<_>>());
}
