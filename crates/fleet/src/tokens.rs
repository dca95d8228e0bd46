//! Words that nobody can guess, and names that nobody else has.

use std::hash::{BuildHasher, Hasher, RandomState};

/// A word of 32 hexadecimal digits from the randomness of the system.
///
/// ```
/// let (a, b) = (fleet::tokens::secret(), fleet::tokens::secret());
/// assert!(a != b && a.len() == 32);
/// ```
pub fn secret() -> String {
    // Each state has keys of its own, which nobody sees; what they make of nothing cannot be told without them.
    let word = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", word(), word())
}

/// A short word that tells a match or a worker from others.
pub fn name() -> String {
    secret()[..12].to_string()
}

/// Whether a text can stand in a subject: letters, digits and hyphens, and not too many.
///
/// ```
/// use fleet::tokens::is_name;
/// assert!(is_name("a-1") && !is_name("") && !is_name("a.b") && !is_name("a b") && !is_name(">"));
/// ```
pub fn is_name(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}
