//! The store of a state that saves and loads itself, by key.

use super::state::Stored;
use crate::belfry::{raw, Instant, Value};
use std::os::raw::c_void;

// MARK: Writing

pub(super) fn save(strategy: &raw::Strategy, save: raw::StateSave, state: *const c_void) -> Stored {
    let mut stored = Stored::new();
    let owner = &mut stored as *mut Stored as *mut c_void;
    let writer = raw::Writer {
        owner,
        integer: write_integer,
        number: write_number,
        boolean: write_boolean,
        text: write_text,
        bytes: write_bytes,
        instant: write_instant,
        integers: write_integers,
    };
    save(strategy.kind, state, &writer);
    stored
}

fn put(owner: *mut c_void, key: *const u8, length: u64, value: Value) {
    let key = raw::Text { bytes: key, length }.str().expect("a key is UTF-8").to_string();
    unsafe { &mut *(owner as *mut Stored) }.push((key, value));
}

extern "C" fn write_integer(owner: *mut c_void, key: *const u8, length: u64, value: i64) {
    put(owner, key, length, Value::Integer(value))
}
extern "C" fn write_number(owner: *mut c_void, key: *const u8, length: u64, value: f64) {
    put(owner, key, length, Value::Number(value))
}
extern "C" fn write_boolean(owner: *mut c_void, key: *const u8, length: u64, value: u32) {
    put(owner, key, length, Value::Boolean(value != 0))
}
extern "C" fn write_instant(owner: *mut c_void, key: *const u8, length: u64, value: i64) {
    put(owner, key, length, Value::Instant(Instant(value)))
}
extern "C" fn write_text(owner: *mut c_void, key: *const u8, length: u64, bytes: *const u8, count: u64) {
    let text = raw::Text { bytes, length: count }.str().expect("a text is UTF-8");
    put(owner, key, length, text.into())
}
extern "C" fn write_integers(owner: *mut c_void, key: *const u8, length: u64, items: *const i64, count: u64) {
    let items = unsafe { raw::slice(items, count) };
    put(owner, key, length, Value::List(items.iter().copied().map(Value::Integer).collect()))
}
/// The kit writes none.
extern "C" fn write_bytes(_: *mut c_void, _: *const u8, _: u64, _: *const u8, _: u64) {}

// MARK: Reading

/// What is read, and the lists that were lent of it.
struct Source<'a> {
    stored: &'a Stored,
    lists: Vec<Box<[i64]>>,
}

pub(super) fn load(
    strategy: &raw::Strategy, load: raw::StateLoad, state: *mut c_void, version: u32, now: Instant, stored: &Stored,
) -> Result<(), String> {
    let mut source = Source { stored, lists: Vec::new() };
    let reader = raw::Reader {
        owner: &mut source as *mut Source as *mut c_void,
        integer: read_integer,
        number: read_number,
        boolean: read_boolean,
        text: read_text,
        bytes: read_bytes,
        instant: read_instant,
        integers: read_integers,
    };
    let (status, sentence) =
        raw::Sink::collect(|error| load(strategy.kind, state, version, now.0, &reader, error));
    if status == 0 { Ok(()) } else { Err(sentence) }
}

fn get<'a>(owner: *mut c_void, key: *const u8, length: u64) -> Option<&'a Value> {
    let source = unsafe { &*(owner as *const Source<'a>) };
    let key = raw::Text { bytes: key, length }.str();
    source.stored.iter().find(|pair| Some(pair.0.as_str()) == key).map(|pair| &pair.1)
}

fn give<T>(value: Option<T>, out: *mut T) -> u32 {
    match value {
        Some(value) => unsafe {
            *out = value;
            1
        },
        None => 0,
    }
}

extern "C" fn read_integer(owner: *mut c_void, key: *const u8, length: u64, out: *mut i64) -> u32 {
    give(get(owner, key, length).and_then(Value::integer), out)
}
extern "C" fn read_number(owner: *mut c_void, key: *const u8, length: u64, out: *mut f64) -> u32 {
    let value = get(owner, key, length);
    give(value.and_then(|value| if let Value::Number(number) = value { Some(*number) } else { None }), out)
}
extern "C" fn read_boolean(owner: *mut c_void, key: *const u8, length: u64, out: *mut u32) -> u32 {
    give(get(owner, key, length).and_then(Value::boolean).map(u32::from), out)
}
extern "C" fn read_instant(owner: *mut c_void, key: *const u8, length: u64, out: *mut i64) -> u32 {
    give(get(owner, key, length).and_then(Value::instant).map(|instant| instant.0), out)
}
extern "C" fn read_text(owner: *mut c_void, key: *const u8, length: u64, out: *mut raw::Text) -> u32 {
    give(get(owner, key, length).and_then(Value::text).map(raw::Text::lent), out)
}
extern "C" fn read_bytes(_: *mut c_void, _: *const u8, _: u64, _: *mut raw::Text) -> u32 {
    0
}
extern "C" fn read_integers(
    owner: *mut c_void, key: *const u8, length: u64, out: *mut *const i64, count: *mut u64,
) -> u32 {
    let list = get(owner, key, length).and_then(Value::list);
    let numbers: Option<Vec<i64>> = list.and_then(|list| list.iter().map(Value::integer).collect());
    let numbers = numbers.map(Vec::into_boxed_slice);
    if let Some(numbers) = &numbers {
        unsafe { (*out, *count) = (numbers.as_ptr(), numbers.len() as u64) };
    }
    let is_found = numbers.is_some() as u32;
    unsafe { &mut *(owner as *mut Source) }.lists.extend(numbers);
    is_found
}
