//! Whatever lies in the folder of tables is opened or refused: the laws of the fuzz target `table`, on random input.

#[path = "../../../fuzz/laws/table.rs"]
mod laws;

use proptest::prelude::*;
use std::fs;
use std::path::Path;
use table::file::Form;

fn any_file(form: Form, bytes: &[u8]) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("hostile-{form:?}"));
    fs::create_dir_all(&folder).expect("a folder for the test");
    let path = folder.join("seed");
    let seed = fs::read(&path).unwrap_or_else(|_| {
        let seed = laws::seed(&folder, form);
        fs::write(&path, &seed).expect("room on the disk");
        seed
    });
    laws::check(&seed, bytes, &folder);
}

proptest! {
    #[test]
    fn any_file_as_a_raw_table(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        any_file(Form::Raw, &bytes);
    }

    #[test]
    fn any_file_as_a_compressed_table(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        any_file(Form::Compressed, &bytes);
    }

    #[test]
    fn any_file_as_a_small_table(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        any_file(Form::Small, &bytes);
    }
}
