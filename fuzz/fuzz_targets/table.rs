//! Any bytes as a table file: see `laws/table.rs`.

#![no_main]

#[path = "../laws/table.rs"]
mod laws;

use std::path::PathBuf;
use std::sync::LazyLock;
use table::file::Form;

/// A folder of this process, and two tables to begin with.
static START: LazyLock<(PathBuf, [Vec<u8>; 2])> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("ludens-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the files");
    let seeds = [Form::Raw, Form::Compressed].map(|form| laws::seed(&folder, form));
    (folder, seeds)
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let (folder, seeds) = &*START;
    for seed in seeds {
        laws::check(seed, bytes, folder);
    }
});
