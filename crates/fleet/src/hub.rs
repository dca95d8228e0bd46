//! Mail inside one process: the carrier that needs no server.

use crate::carrier::{Carrier, Inbox, Mail, Slot, Subscription, fits};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Those who listen: a number, what to, and where it goes.
type Listeners = Vec<(u64, Vec<String>, Slot)>;

/// See the module. Clones are the same hub.
///
/// ```
/// use fleet::{Carrier, Hub};
/// use std::time::Duration;
/// let hub = Hub::default();
/// let inbox = hub.listen(&["a.>".to_string()]).unwrap();
/// hub.send("a.b", b"hello".to_vec()).unwrap();
/// hub.send("b.b", b"nobody".to_vec()).unwrap();
/// assert_eq!(&*inbox.next(Duration::from_secs(1)).unwrap().body, b"hello");
/// assert!(inbox.next(Duration::ZERO).is_none());
/// ```
#[derive(Clone, Default)]
pub struct Hub(Arc<Mutex<(u64, Listeners)>>);

impl Hub {
    fn lock(&self) -> MutexGuard<'_, (u64, Listeners)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Carrier for Hub {
    fn send(&self, subject: &str, body: Vec<u8>) -> Result<(), String> {
        let mail = Mail { subject: subject.to_string(), body: body.into() };
        let (_, listeners) = &*self.lock();
        for (_, meant, slot) in listeners {
            if meant.iter().any(|meant| fits(meant, subject)) {
                slot.put(mail.clone());
            }
        }
        Ok(())
    }

    fn listen(&self, subjects: &[String]) -> Result<Inbox, String> {
        let (slot, receiver) = Slot::new();
        let (next, listeners) = &mut *self.lock();
        let number = *next;
        *next += 1;
        listeners.push((number, subjects.to_vec(), slot.clone()));
        let own = self.clone();
        let end = Subscription::ending(move || own.lock().1.retain(|(other, ..)| *other != number));
        Ok(Inbox::new(&slot, receiver, vec![end]))
    }

    fn is_connected(&self) -> bool {
        true
    }
}
