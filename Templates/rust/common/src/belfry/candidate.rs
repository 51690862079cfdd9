//! What a call is about, and its circumstances. Borrowed from the host until the call returns.

use super::raw;
use super::{Host, Instant, Level, Value, Zone};

/// A notification that may be created, or a current one.
pub struct Candidate<'a>(pub(crate) &'a raw::Candidate);

impl<'a> Candidate<'a> {
    pub fn campaign(&self) -> &'a str {
        self.0.campaign.str().unwrap_or("")
    }
    /// Its id; none for a request that no trigger waits for.
    pub fn trigger(&self) -> Option<&'a str> {
        self.0.trigger.str()
    }
    /// What the trigger is on: enter, exit, dwell, near, away, request or a signal type.
    pub fn event(&self) -> Option<&'a str> {
        self.0.event.str()
    }
    pub fn region(&self) -> Option<&'a str> {
        self.0.region.str()
    }
    pub fn region_name(&self) -> Option<&'a str> {
        self.0.region_name.str()
    }
    /// A mapping of texts.
    pub fn region_fields(&self) -> Option<Value> {
        unsafe { self.0.region_fields.as_ref() }.map(Value::of)
    }
    /// Its id; absent before it is created.
    pub fn notification(&self) -> Option<&'a str> {
        self.0.notification.str()
    }
    /// The key that the state of this call is kept under; absent for `per: subject`.
    pub fn counter(&self) -> Option<&'a str> {
        self.0.counter.str()
    }
    pub fn title(&self) -> Option<&'a str> {
        self.0.title.str()
    }
    pub fn message(&self) -> Option<&'a str> {
        self.0.message.str()
    }
    pub fn handler(&self) -> Option<&'a str> {
        self.0.handler.str()
    }
    pub fn category(&self) -> Option<&'a str> {
        self.0.category.str()
    }
    /// Of the campaign or the request.
    pub fn data(&self) -> Option<Value> {
        unsafe { self.0.data.as_ref() }.map(Value::of)
    }
    pub fn presentation(&self) -> Option<Value> {
        unsafe { self.0.presentation.as_ref() }.map(Value::of)
    }
    /// A geotrigger is handled by the app, and shows nothing by itself.
    pub fn is_geotrigger(&self) -> bool {
        self.0.kind == 1
    }
    /// It was deferred before and is asked again now.
    pub fn is_deferred(&self) -> bool {
        self.0.deferred != 0
    }
    /// Of the campaign; larger first.
    pub fn priority(&self) -> i64 {
        self.0.priority
    }
}

/// The circumstances of one call: all that a plugin may know of the world. There is no other clock.
pub struct Context<'a> {
    pub(crate) raw: &'a raw::Context,
    pub(crate) host: Host,
}

impl<'a> Context<'a> {
    /// Event time.
    pub fn now(&self) -> Instant {
        Instant(self.raw.now)
    }
    pub fn subject(&self) -> &'a str {
        self.raw.subject.str().unwrap_or("")
    }
    /// Absent if the signal has none.
    pub fn channel(&self) -> Option<&'a str> {
        self.raw.channel.str()
    }
    /// Since when the app is in the foreground; none if it is not, or not known to be.
    pub fn foreground_since(&self) -> Option<Instant> {
        (self.raw.app == 1).then_some(Instant(self.raw.app_since))
    }
    /// Since when the app is in the background; none if it is not, or not known to be.
    pub fn background_since(&self) -> Option<Instant> {
        (self.raw.app == 2).then_some(Instant(self.raw.app_since))
    }
    /// The attribute at a dotted path: `tier`, `user.tier`, `channel.osVersion`, `history.welcome.count`.
    pub fn attribute(&self, path: &str) -> Option<Value> {
        self.host.attribute(path, self.raw)
    }
    /// The time zone of the subject; UTC for a host without belfry.local-time.
    pub fn zone(&self) -> Zone {
        self.host.zone_of_subject(self.raw)
    }
    /// Tells the operator something.
    pub fn log(&self, level: Level, message: &str) {
        self.host.log(level, message)
    }
}
