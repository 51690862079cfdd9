//! Drives one strategy alone, with a clock that is moved by hand: a small host for tests.
//!
//! It calls the strategy through its C table, as the real host does. Each check is asked twice, so that one that answers
//! differently is found out. This host offers no extensions, so there are no attributes.
#![allow(dead_code)]

use crate::belfry::{raw, table, Strategy};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::{null, null_mut};

/// A parameter as the host hands it over.
pub enum Given {
    /// ms
    Duration(i64),
    Integer(i64),
    Number(f64),
    Boolean(bool),
    Text(&'static str),
}

pub struct Test<S: Strategy> {
    strategy: &'static raw::Strategy,
    instance: *mut c_void,
    state: State,
    /// ms since 1970; move it as you like.
    pub now: i64,
    /// Of the last denial or deferral: the code, if it said one, the sentence, and when it would be allowed.
    pub code: Option<String>,
    pub message: String,
    pub until: Option<i64>,
    kind: PhantomData<S>,
}

/// What the check wrote.
#[derive(Default, PartialEq, Debug)]
struct Answer {
    verdict: u32,
    code: Option<String>,
    message: String,
    until: Option<i64>,
}

impl<S: Strategy> Test<S> {
    /// Panics with the strategy's own sentence if it refuses these parameters.
    pub fn new(parameters: &[(&'static str, Given)]) -> Self {
        let strategy = table::<S>().0;
        let members: Vec<raw::Value> = parameters.iter().map(|(name, given)| value(name, given)).collect();
        let map = raw::Value { items: members.as_ptr(), count: members.len() as u64, ..raw::Value::of(raw::MAP) };
        let mut sentence = String::new();
        let sink = raw::Sink { owner: &mut sentence as *mut String as *mut c_void, write: join };
        let given = if members.is_empty() { null() } else { &map as *const raw::Value };
        let instance = (strategy.create)(strategy.kind, &HOST.0, given, &sink);
        assert!(!instance.is_null(), "{}", sentence);
        let (code, message, until) = (None, String::new(), None);
        Test { strategy, instance, state: State::new(strategy), now: 0, code, message, until, kind: PhantomData }
    }

    /// Asks whether it may be created, and tells the outcome: whether it was.
    pub fn request(&mut self, campaign: &str) -> bool {
        let (candidate, context) = (candidate(campaign), context(self.now));
        let answer = self.ask(&candidate, &context);
        assert_eq!(answer, self.ask(&candidate, &context), "a check has to answer the same when it is asked again");
        assert!(answer.verdict != 4, "it failed: {}", answer.message);
        let created = answer.verdict < 2;
        (self.code, self.message, self.until) = (answer.code, answer.message, answer.until);
        (self.strategy.did_create)(self.instance, self.state.memory(), &candidate, created as u32, &context);
        created
    }

    /// The user taps a notification of that campaign.
    pub fn open(&mut self, campaign: &str) {
        (self.strategy.on_opened)(self.instance, self.state.memory(), &candidate(campaign), &context(self.now))
    }

    /// As if the process had ended and started again.
    pub fn save_and_load(&mut self) {
        let mut store = Store::default();
        let owner = &mut store as *mut Store as *mut c_void;
        (self.strategy.state_save)(self.strategy.kind, self.state.memory(), &writer(owner));
        let mut loaded = State::new(self.strategy);
        let mut sentence = String::new();
        let sink = raw::Sink { owner: &mut sentence as *mut String as *mut c_void, write: join };
        let version = self.strategy.state_version;
        let status =
            (self.strategy.state_load)(self.strategy.kind, loaded.memory(), version, &reader(owner), &sink);
        assert_eq!(status, 0, "what was saved cannot be loaded: {}", sentence);
        self.state = loaded;
    }

    fn ask(&mut self, candidate: &raw::Candidate, context: &raw::Context) -> Answer {
        let mut answer = Answer::default();
        let reason = raw::Reason { owner: &mut answer as *mut Answer as *mut c_void, explain, until };
        let verdict =
            (self.strategy.should_create)(self.instance, self.state.memory(), candidate, context, &reason);
        answer.verdict = verdict;
        answer
    }
}

impl<S: Strategy> Drop for Test<S> {
    fn drop(&mut self) {
        (self.strategy.destroy)(self.instance)
    }
}

/// Memory of the host with a state in it.
struct State {
    strategy: &'static raw::Strategy,
    /// 16 bytes each, which is as much as a state may be aligned to.
    words: Vec<u128>,
}

impl State {
    fn new(strategy: &'static raw::Strategy) -> Self {
        let mut state = State { strategy, words: vec![0; strategy.state_size as usize / 16 + 1] };
        (strategy.state_init)(strategy.kind, state.memory());
        state
    }

    fn memory(&mut self) -> *mut c_void {
        self.words.as_mut_ptr() as *mut c_void
    }
}

impl Drop for State {
    fn drop(&mut self) {
        (self.strategy.state_destroy)(self.strategy.kind, self.memory())
    }
}

// MARK: What the host gives

fn value(name: &'static str, given: &Given) -> raw::Value {
    let value = match given {
        Given::Duration(ms) => raw::Value { integer: *ms, ..raw::Value::of(raw::DURATION) },
        Given::Integer(number) => raw::Value { integer: *number, ..raw::Value::of(raw::INTEGER) },
        Given::Number(number) => raw::Value { number: *number, ..raw::Value::of(raw::NUMBER) },
        Given::Boolean(flag) => raw::Value { integer: *flag as i64, ..raw::Value::of(raw::BOOLEAN) },
        Given::Text(text) => raw::Value { text: raw::Text::of(text), ..raw::Value::of(raw::TEXT) },
    };
    raw::Value { key: raw::Text::of(name), ..value }
}

fn candidate(campaign: &str) -> raw::Candidate {
    let absent = raw::Text::ABSENT;
    raw::Candidate {
        kind: 0,
        deferred: 0,
        priority: 0,
        campaign: raw::Text::lent(campaign),
        trigger: raw::Text::of("request"),
        event: raw::Text::of("request"),
        region: absent,
        region_name: absent,
        notification: absent,
        counter: absent,
        title: absent,
        message: absent,
        handler: absent,
        category: absent,
        data: null(),
        presentation: null(),
        region_fields: null(),
    }
}

fn context(now: i64) -> raw::Context {
    let (subject, channel) = (raw::Text::of("ana"), raw::Text::of("phone"));
    raw::Context { now, subject, channel, app: 0, reserved: 0, app_since: 0, owner: null_mut() }
}

struct HostTable(raw::Host);
// Constant.
unsafe impl Sync for HostTable {}

static HOST: HostTable = HostTable(raw::Host {
    abi_major: 1,
    abi_minor: 0,
    name: raw::Text::of("test"),
    version: raw::Text::of("test"),
    owner: null_mut(),
    get_extension: no_extension,
});

extern "C" fn no_extension(_: *const raw::Host, _: *const u8) -> *const c_void {
    null()
}

extern "C" fn join(owner: *mut c_void, bytes: *const u8, length: u64) {
    let bytes = unsafe { std::slice::from_raw_parts(bytes, length as usize) };
    unsafe { &mut *(owner as *mut String) }.push_str(&String::from_utf8_lossy(bytes));
}

extern "C" fn explain(owner: *mut c_void, code: *const raw::Text, message: *const raw::Text) {
    let answer = unsafe { &mut *(owner as *mut Answer) };
    answer.code = unsafe { *code }.str().map(String::from);
    answer.message = unsafe { *message }.str().unwrap_or("").into();
}

extern "C" fn until(owner: *mut c_void, instant: i64) {
    unsafe { &mut *(owner as *mut Answer) }.until = Some(instant);
}

// MARK: The store

#[derive(Default)]
struct Store(Vec<(String, Saved)>);

enum Saved {
    Integer(i64),
    Number(f64),
    Boolean(u32),
    Instant(i64),
    Text(Vec<u8>),
    Bytes(Vec<u8>),
    Integers(Vec<i64>),
}

fn slice<'a, T>(items: *const T, count: u64) -> &'a [T] {
    if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(items, count as usize) } }
}

fn put(owner: *mut c_void, key: *const u8, length: u64, value: Saved) {
    let key = String::from_utf8_lossy(slice(key, length)).into_owned();
    unsafe { &mut *(owner as *mut Store) }.0.push((key, value));
}

fn get<'a>(owner: *mut c_void, key: *const u8, length: u64) -> Option<&'a Saved> {
    let store = unsafe { &*(owner as *const Store) };
    store.0.iter().find(|entry| entry.0.as_bytes() == slice(key, length)).map(|entry| &entry.1)
}

/// A writer and a reader for one kind of value.
macro_rules! kind {
    ($write:ident, $read:ident, $case:ident, $type:ty) => {
        extern "C" fn $write(owner: *mut c_void, key: *const u8, length: u64, value: $type) {
            put(owner, key, length, Saved::$case(value))
        }
        extern "C" fn $read(owner: *mut c_void, key: *const u8, length: u64, out: *mut $type) -> u32 {
            match get(owner, key, length) {
                Some(Saved::$case(value)) => unsafe {
                    *out = *value;
                    1
                },
                _ => 0,
            }
        }
    };
}
kind!(write_integer, read_integer, Integer, i64);
kind!(write_number, read_number, Number, f64);
kind!(write_boolean, read_boolean, Boolean, u32);
kind!(write_instant, read_instant, Instant, i64);

extern "C" fn write_text(owner: *mut c_void, key: *const u8, length: u64, bytes: *const u8, count: u64) {
    put(owner, key, length, Saved::Text(slice(bytes, count).to_vec()))
}
extern "C" fn write_bytes(owner: *mut c_void, key: *const u8, length: u64, bytes: *const u8, count: u64) {
    put(owner, key, length, Saved::Bytes(slice(bytes, count).to_vec()))
}
extern "C" fn write_integers(owner: *mut c_void, key: *const u8, length: u64, items: *const i64, count: u64) {
    put(owner, key, length, Saved::Integers(slice(items, count).to_vec()))
}
extern "C" fn read_text(owner: *mut c_void, key: *const u8, length: u64, out: *mut raw::Text) -> u32 {
    match get(owner, key, length) {
        Some(Saved::Text(bytes)) => lend(bytes, out),
        _ => 0,
    }
}
extern "C" fn read_bytes(owner: *mut c_void, key: *const u8, length: u64, out: *mut raw::Text) -> u32 {
    match get(owner, key, length) {
        Some(Saved::Bytes(bytes)) => lend(bytes, out),
        _ => 0,
    }
}
fn lend(bytes: &[u8], out: *mut raw::Text) -> u32 {
    unsafe { *out = raw::Text { bytes: bytes.as_ptr(), length: bytes.len() as u64 } };
    1
}
extern "C" fn read_integers(
    owner: *mut c_void, key: *const u8, length: u64, out: *mut *const i64, count: *mut u64,
) -> u32 {
    match get(owner, key, length) {
        Some(Saved::Integers(items)) => unsafe {
            (*out, *count) = (items.as_ptr(), items.len() as u64);
            1
        },
        _ => 0,
    }
}

fn writer(owner: *mut c_void) -> raw::Writer {
    raw::Writer {
        owner,
        integer: write_integer,
        number: write_number,
        boolean: write_boolean,
        text: write_text,
        bytes: write_bytes,
        instant: write_instant,
        integers: write_integers,
    }
}

fn reader(owner: *mut c_void) -> raw::Reader {
    raw::Reader {
        owner,
        integer: read_integer,
        number: read_number,
        boolean: read_boolean,
        text: read_text,
        bytes: read_bytes,
        instant: read_instant,
        integers: read_integers,
    }
}
