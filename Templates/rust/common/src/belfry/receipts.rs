//! What becomes of notifications on their way, and which outcomes a strategy is told of: tables of their own in the contract.

use super::hooks::tell;
use super::raw;
use super::{Candidate, Instant, Strategy};
use std::os::raw::c_void;

/// What a sink says of a notification.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Receipt<'a> {
    /// None: something that this kit does not know.
    pub outcome: Option<Received<'a>>,
    /// None if that is not known.
    pub sink: Option<&'a str>,
    /// When the notification was created.
    pub created_at: Instant,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Received<'a> {
    Delivered,
    /// It was given up, with a sentence that says why; empty if the sink does not.
    Failed(&'a str),
}

impl<'a> Receipt<'a> {
    fn of(raw: &'a raw::Receipt) -> Self {
        let outcome = match raw.outcome {
            raw::RECEIPT_DELIVERED => Some(Received::Delivered),
            raw::RECEIPT_FAILED => Some(Received::Failed(raw.reason.str().unwrap_or(""))),
            _ => None,
        };
        Receipt { outcome, sink: raw.sink.str(), created_at: Instant(raw.created_at) }
    }

    pub(crate) fn raw(&self) -> raw::Receipt {
        let (outcome, reason) = match self.outcome {
            Some(Received::Delivered) => (raw::RECEIPT_DELIVERED, None),
            Some(Received::Failed(why)) => (raw::RECEIPT_FAILED, Some(why)),
            None => (0, None),
        };
        let text = |text: Option<&str>| text.map_or(raw::Text::ABSENT, raw::Text::lent);
        raw::Receipt { outcome, reserved: 0, created_at: self.created_at.0, sink: text(self.sink), reason: text(reason) }
    }
}

/// The C table of a strategy's hook for receipts: constant, never freed.
pub(crate) fn receipt_table<S: Strategy>() -> &'static raw::ReceiptHook {
    Box::leak(Box::new(raw::ReceiptHook { strategy: raw::Text::of(S::NAME), on_receipt: on_receipt::<S> }))
}

extern "C" fn on_receipt<S: Strategy>(
    instance: *mut c_void, state: *mut c_void, candidate: *const raw::Candidate, receipt: *const raw::Receipt,
    context: *const raw::Context, error: *const raw::Sink,
) -> u32 {
    let (candidate, receipt) = unsafe { (Candidate(&*candidate), Receipt::of(&*receipt)) };
    tell::<S>(instance, state, context, error, |strategy, state, context| {
        strategy.on_receipt(&candidate, &receipt, state, context)
    })
}

/// Which outcomes a strategy with a state is told of.
#[derive(Clone, Copy, PartialEq)]
pub enum ToldOutcomes {
    /// What was created, or deleted. For a strategy that changes nothing at a refusal: most candidates are refused, and to tell it
    /// so is the larger part of what that costs.
    Happened,
    All,
}
