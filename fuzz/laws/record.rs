//! What holds for any text that is given as the record of a match.

use play::MatchRecord;
use std::collections::BTreeMap;

/// Reading it does not panic; what is read is written and read back as the same.
pub fn check(text: &str) {
    let record = match MatchRecord::read(text) {
        Ok(record) => record,
        Err(problems) => {
            assert!(!problems.is_empty(), "{text:?} is wrong for no reason");
            return;
        }
    };
    // Numbers in fields of other people's may lose their last digit on the way.
    let plain = |record: MatchRecord| MatchRecord { more: BTreeMap::new(), ..record };
    let again = MatchRecord::read(&record.to_json());
    assert_eq!(again.map(plain), Ok(plain(record.clone())), "{text:?}");
    for state in 0..=record.states.len() {
        assert!(state < record.states.len() || record.facts(state).is_none());
    }
    let is_over = record.is_completed == Some(true) || record.is_aborted == Some(true);
    assert_eq!(record.continues(&record), !is_over);
}
