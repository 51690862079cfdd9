//! What is current for the subject: `belfry.current/1`.

use super::raw;
use super::{Condition, Context, Value};

/// A current notification of the subject: one that was created and not deleted yet. Borrowed from the host until the call
/// returns.
#[derive(Clone, Copy)]
pub struct CurrentNotification<'a> {
    /// None: the host does not tell.
    table: Option<&'static raw::Current>,
    context: &'a raw::Context,
    index: u64,
}

impl<'a> Context<'a> {
    /// The current notifications of the subject, the oldest first; none where the host does not tell.
    pub fn current(&self) -> impl Iterator<Item = CurrentNotification<'a>> {
        let (table, context) = (self.host.current(), self.raw);
        let count = table.map_or(0, |table| (table.count)(context));
        (0..count).map(move |index| CurrentNotification { table, context, index })
    }

    /// The candidate, as if it had been created just now: without an id, with `now` as its time. To be compared with the
    /// current ones. It has nothing in a call that is about no candidate, such as `on_background`.
    pub fn candidate_as_current(&self) -> CurrentNotification<'a> {
        CurrentNotification { table: self.host.current(), context: self.raw, index: raw::CURRENT_CANDIDATE }
    }
}

impl CurrentNotification<'_> {
    /// What is at a dotted path: `notification` (its id), `campaign` (its id), `tags` (a list of texts, of the campaign as it
    /// is configured now), `data`, `data.incident` (of the signal that caused it), `createdAt` (a text, RFC 3339). None if
    /// there is nothing.
    pub fn value(&self, path: &str) -> Option<Value> {
        let value = (self.table?.value)(self.context, self.index, path.as_ptr(), path.len() as u64);
        unsafe { value.as_ref() }.map(Value::of)
    }

    /// Whether a condition on these properties holds; it does not where the host does not tell.
    pub fn meets(&self, condition: &Condition) -> bool {
        let holds = |table: &raw::Current| (table.holds)(self.context, self.index, condition.condition) != 0;
        self.table.map_or(false, holds)
    }
}
