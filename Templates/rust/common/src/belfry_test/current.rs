//! belfry.current/1: what is current for the subject.

use super::candidate::Given;
use super::host::{at, Circumstances};
use crate::belfry::{raw, Instant, Value};
use std::os::raw::c_void;
use std::ptr::null;

pub(super) static CURRENT: raw::Current = raw::Current { count, holds, value };

/// What is known of a current notification, or of the candidate, which has no id.
pub(super) fn known(id: Option<&str>, campaign: &str, given: &Given, created_at: Instant) -> Value {
    let id = id.map(|id| ("notification", id.into()));
    let tags = Value::List(given.tags.iter().map(|tag| Value::from(*tag)).collect());
    let data = given.data.clone().map(|data| ("data", data));
    let others = [("campaign", campaign.into()), ("tags", tags), ("createdAt", created_at.to_string().into())];
    let members = id.into_iter().chain(others).chain(data);
    Value::Map(members.map(|(key, value)| (key.to_string(), value)).collect())
}

extern "C" fn count(context: *const raw::Context) -> u64 {
    unsafe { Circumstances::of(context) }.current.len() as u64
}

/// This host has no conditions, so that there is none to be asked about.
extern "C" fn holds(_: *const raw::Context, _: u64, _: *const c_void) -> u32 {
    0
}

extern "C" fn value(context: *const raw::Context, index: u64, path: *const u8, length: u64) -> *const raw::Value {
    let circumstances = unsafe { Circumstances::of(context) };
    let known = match index {
        raw::CURRENT_CANDIDATE => circumstances.candidate.as_ref(),
        _ => circumstances.current.get(index as usize),
    };
    let path = raw::Text { bytes: path, length }.str().unwrap_or("");
    known.and_then(|known| at(known, path)).map_or(null(), |value| circumstances.lend(value))
}
