//! Puts notifications through a filter, and looks at whether it is pure.

use super::candidate::{Called, Given};
use super::current::known;
use super::host::Circumstances;
use super::strategy::create;
use crate::belfry::{filter_table, raw, Filter, Instant, Value};
use std::marker::PhantomData;
use std::os::raw::c_void;

pub struct FilterTest<F: Filter> {
    // Change them as you like.
    /// It begins at 1970-01-01T00:00:00Z.
    pub now: Instant,
    /// Of the subject, such as Europe/Paris; UTC at first.
    pub zone: &'static str,
    /// Attributes, as mappings; at first there are none.
    pub user: Value,
    pub channel: Value,
    pub candidate: Given,
    /// What is known of the subject's current notifications, the oldest first; at first there are none.
    pub current: Vec<Value>,

    filter: &'static raw::Filter,
    instance: *mut c_void,
    kind: PhantomData<F>,
}

/// What is left of a notification.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Content {
    pub title: Option<String>,
    pub message: Option<String>,
    pub category: Option<String>,
    pub data: Option<Value>,
    pub presentation: Option<Value>,
    /// None: those of the category.
    pub buttons: Option<Value>,
    /// Why it was dropped; none if it was not.
    pub dropped: Option<String>,
}

impl<F: Filter> FilterTest<F> {
    /// Panics with the filter's own sentence if it refuses these parameters; none are the defaults.
    pub fn new(parameters: &[(&str, Value)]) -> Self {
        let filter = filter_table::<F>();
        FilterTest {
            now: Instant(0),
            zone: "UTC",
            user: Value::Null,
            channel: Value::Null,
            candidate: Given::default(),
            current: Vec::new(),
            filter,
            instance: create(filter.create, filter.kind, parameters),
            kind: PhantomData,
        }
    }

    /// What the filter leaves of a notification, or the sentence with which it fails.
    pub fn apply(&self, title: Option<&str>, message: Option<&str>) -> Result<Content, String> {
        let first = self.apply_once(title, message);
        let second = self.apply_once(title, message);
        assert!(
            first == second,
            "'{}' is not pure\n  why: it left {:?}, and applied again {:?}\n  fix: edit by parameters, candidate and context alone",
            F::NAME, first, second
        );
        first
    }

    fn apply_once(&self, title: Option<&str>, message: Option<&str>) -> Result<Content, String> {
        let mut content = Content {
            title: title.map(String::from),
            message: message.map(String::from),
            category: self.candidate.category.map(String::from),
            data: self.candidate.data.clone(),
            presentation: self.candidate.presentation.clone(),
            ..Content::default()
        };
        let edits = edits(&mut content);
        let mut circumstances = Circumstances::new(self.now, self.zone, &self.user, &self.channel, (0, Instant(0)));
        circumstances.current = self.current.clone();
        circumstances.candidate = Some(known(None, "hello", &self.candidate, self.now));
        let called = Called { campaign: "hello", title, message, ..Called::default() };
        let (status, sentence) = raw::Sink::collect(|error| {
            self.candidate.lend(called, |candidate| {
                (self.filter.apply)(self.instance, candidate, &circumstances.context(), &edits, error)
            })
        });
        if status == 0 { Ok(content) } else { Err(sentence) }
    }
}

impl<F: Filter> Drop for FilterTest<F> {
    fn drop(&mut self) {
        (self.filter.destroy)(self.instance)
    }
}

// MARK: Edits

fn edits(content: &mut Content) -> raw::Edits {
    raw::Edits {
        owner: content as *mut Content as *mut c_void,
        set_title,
        set_message,
        set_category,
        set_data,
        set_presentation,
        set_buttons,
        drop: set_dropped,
    }
}

fn content<'a>(owner: *mut c_void) -> &'a mut Content {
    unsafe { &mut *(owner as *mut Content) }
}

fn text(bytes: *const u8, length: u64) -> Option<String> {
    raw::Text { bytes, length }.str().map(String::from)
}

fn value(value: *const raw::Value) -> Option<Value> {
    unsafe { value.as_ref() }.map(Value::of)
}

extern "C" fn set_title(owner: *mut c_void, bytes: *const u8, length: u64) {
    content(owner).title = text(bytes, length)
}
extern "C" fn set_message(owner: *mut c_void, bytes: *const u8, length: u64) {
    content(owner).message = text(bytes, length)
}
extern "C" fn set_category(owner: *mut c_void, bytes: *const u8, length: u64) {
    content(owner).category = text(bytes, length)
}
extern "C" fn set_data(owner: *mut c_void, data: *const raw::Value) {
    content(owner).data = value(data)
}
extern "C" fn set_presentation(owner: *mut c_void, presentation: *const raw::Value) {
    content(owner).presentation = value(presentation)
}
extern "C" fn set_buttons(owner: *mut c_void, buttons: *const raw::Value) {
    content(owner).buttons = value(buttons)
}
extern "C" fn set_dropped(owner: *mut c_void, bytes: *const u8, length: u64) {
    content(owner).dropped = Some(text(bytes, length).unwrap_or_default())
}
