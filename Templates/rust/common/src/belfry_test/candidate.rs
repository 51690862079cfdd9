//! What is asked about.

use crate::belfry::{raw, Value};
use std::ptr::null;

/// A candidate, save what a call says of it. None: absent.
#[derive(Clone, Default)]
pub struct Given {
    pub priority: i64,
    pub is_deferred: bool,
    /// What the trigger is on, and the trigger's id; none: a request that no trigger made.
    pub event: Option<&'static str>,
    pub region: Option<&'static str>,
    pub region_name: Option<&'static str>,
    pub region_fields: Option<Value>,
    pub counter: Option<&'static str>,
    pub handler: Option<&'static str>,
    pub category: Option<&'static str>,
    pub data: Option<Value>,
    /// Of the campaign: a strategy learns them of what is current.
    pub tags: Vec<&'static str>,
    pub presentation: Option<Value>,
}

/// What the call says.
#[derive(Default)]
pub(super) struct Called<'a> {
    pub campaign: &'a str,
    pub notification: Option<&'a str>,
    pub title: Option<&'a str>,
    pub message: Option<&'a str>,
}

impl Given {
    pub(super) fn lend<R>(&self, called: Called, body: impl FnOnce(&raw::Candidate) -> R) -> R {
        let mut items = Vec::new();
        let mut value = |value: &Option<Value>| value.as_ref().map(|value| Box::new(value.raw(None, &mut items)));
        let (data, presentation) = (value(&self.data), value(&self.presentation));
        let region_fields = value(&self.region_fields);
        body(&raw::Candidate {
            kind: 0,
            deferred: self.is_deferred as u32,
            priority: self.priority,
            campaign: raw::Text::lent(called.campaign),
            trigger: text(self.event),
            event: text(self.event.or(Some("request"))),
            region: text(self.region),
            region_name: text(self.region_name),
            notification: text(called.notification),
            counter: text(self.counter),
            title: text(called.title),
            message: text(called.message),
            handler: text(self.handler),
            category: text(self.category),
            data: address(&data),
            presentation: address(&presentation),
            region_fields: address(&region_fields),
        })
    }
}

fn text(text: Option<&str>) -> raw::Text {
    text.map_or(raw::Text::ABSENT, raw::Text::lent)
}

fn address(value: &Option<Box<raw::Value>>) -> *const raw::Value {
    value.as_ref().map_or(null(), |value| &**value as *const raw::Value)
}
