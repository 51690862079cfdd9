//! What a strategy that collects may ask and say besides its verdict: `belfry.digest/1`.

use super::raw;
use super::{Context, Instant};

/// What an entry of the chain has collected under a counter, until it closes. The host keeps it, with its items, and asks the
/// whole chain again at the close, about the first item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenDigest {
    /// Event time, like `closes`.
    pub opened: Instant,
    /// The `until` of the last `Verdict::Collect`, or what `lead_digest` said.
    pub closes: Instant,
    /// Of the items so far; 0 as long as it has nothing but the candidate that leads it.
    pub count: u64,
}

// A host without the service has no digest, and keeps nothing: refuse it in `new`, by `Host::require`.

impl Context<'_> {
    /// The open digest of this entry, under the counter it is asked under. For questions only.
    pub fn open_digest(&self) -> Option<OpenDigest> {
        let mut out = raw::OpenDigest { opened: 0, closes: 0, count: 0 };
        let is_open = (self.host.digest()?.open)(self.raw, &mut out) != 0;
        is_open.then_some(OpenDigest { opened: Instant(out.opened), closes: Instant(out.closes), count: out.count })
    }

    /// How many items the candidate stands for, at the close of a digest; none if it is no digest. Such a one cannot be
    /// collected again.
    pub fn digest_count(&self) -> Option<u64> {
        let count = (self.host.digest()?.count)(self.raw);
        (count > 0).then_some(count)
    }

    /// With `Verdict::Collect`: so many items are kept, the newest, at least one; 100 if it is not said. All are counted. For
    /// questions only.
    pub fn keep_items(&self, count: u64) {
        if let Some(table) = self.host.digest() {
            (table.keep)(self.raw, count.max(1))
        }
    }

    /// With a verdict that does not speak against the candidate: if that is created, it opens a digest without items, which
    /// closes then. For questions only.
    pub fn lead_digest(&self, closes: Instant) {
        if let Some(table) = self.host.digest() {
            (table.lead)(self.raw, closes.0)
        }
    }
}
